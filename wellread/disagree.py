"""Where two texts disagree about the same thing: the same attribute with other values, or a
permission against a prohibition. Pure; which side holds is not decided here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from wellread.claims import LIGHT, Claim, Claims, Terms, contrast_groups, stems_of
from wellread.permissions import OPPOSITE
from wellread.quantities import same

Relation = Literal["other", "same", "translation"]
"""How two texts are related: versions of one page, translations of each other, or neither."""

LIKE: dict[Relation, float] = {"other": 0.42, "same": 0.25}
LIGHT_WEIGHT = 0.3


@dataclass(frozen=True, kw_only=True, slots=True)
class Disagreement:
    """Two claims about the same thing whose values differ, and how alike they are."""

    attribute: str
    left: Claim
    right: Claim
    likeness: float


def disagreements(left: Claims, right: Claims, relation: Relation) -> list[Disagreement]:
    """What two texts disagree on, the most alike claims first, each claim once."""
    if relation == "translation":
        return list(_out_of_step(left, right))
    pairs = sorted(_pairs(left, right), key=lambda one: -one[0])
    used: tuple[set[int], set[int]] = (set(), set())
    found: list[Disagreement] = []
    agreed = 0
    for alike, agree, at, to in pairs:
        if at in used[0] or to in used[1]:
            continue
        used[0].add(at)
        used[1].add(to)
        one, other = left.claims[at], right.claims[to]
        if agree:
            agreed += 1
        elif not other_case(one, other, left, right):
            found.append(
                Disagreement(attribute=attribute(one), left=one, right=other, likeness=alike)
            )
    least = LIKE[relation] - 0.05 * min(agreed, 2)
    return [one for one in found if one.likeness >= least]


def attribute(claim: Claim) -> str:
    return claim.quantity.kind if claim.quantity is not None else "permission"


def _pairs(left: Claims, right: Claims) -> Iterator[tuple[float, bool, int, int]]:
    titles = (left.title, right.title)
    for at, one in enumerate(left.claims):
        for to, other in enumerate(right.claims):
            if (agree := _agree(one, other)) is not None:
                alike = likeness(one, other, titles)
                yield alike + (0.15 if agree else 0), agree, at, to


def _agree(one: Claim, other: Claim) -> bool | None:
    """Whether two claims say the same; ``None`` where they cannot be compared."""
    if one.quantity is not None and other.quantity is not None:
        ours, theirs = one.quantity, other.quantity
        if ours.kind != theirs.kind:
            return None
        if ours.kind == "count":
            return same(ours, theirs) if share(one.unit, other.unit, "en") else None
        if ours.kind == "money" and ours.unit != theirs.unit:
            return None
        if ours.kind == "date" and (ours.unit == "day of the month") != (theirs.unit == "day of the month"):
            return None
        return same(ours, theirs)
    if one.permission is None or other.permission is None:
        return None
    pair = {one.permission, other.permission}
    if len(pair) == 1:
        return True
    if frozenset(pair) not in OPPOSITE:
        return None
    if pair == {"allowed", "conditional"}:
        return bool(one.condition & other.condition)
    return False


def likeness(one: Claim, other: Claim, titles: tuple[Terms, Terms]) -> float:
    clause = share(one.clause, other.clause)
    terms = share(one.terms, other.terms)
    wide = share(one.around | titles[0], other.around | titles[1])
    return 0.25 * clause + 0.45 * terms + 0.3 * wide


def share(one: Terms, other: Terms, language: str = "") -> float:
    """How much of two sets of terms is common, 0 to 1: of the smaller one for the most part,
    since the longer sentence says more."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    if not few:
        return 0.0
    common = sum(weight(term) * _in(term, many) for term in few)
    ours, theirs = sum(map(weight, few)), sum(map(weight, many))
    return common / (0.6 * min(ours, theirs) + 0.4 * max(ours, theirs))


def weight(term: str) -> float:
    return LIGHT_WEIGHT if term in _light() else 1.0


@lru_cache
def _light() -> Terms:
    return stems_of(LIGHT, "en") | stems_of(LIGHT, "ru")


def _in(term: str, terms: Terms) -> float:
    if term in terms:
        return 1.0
    return 0.8 if any(akin(term, each) for each in terms) else 0.0


@lru_cache(maxsize=65536)
def akin(one: str, other: str) -> bool:
    """Whether two terms have a stem in common that a stemmer does not see: месяц, месячный."""
    if one == other:
        return True
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= 4 and shared >= 0.65 * max(len(one), len(other))


def other_case(one: Claim, other: Claim, left: Claims, right: Claims) -> bool:
    """Whether two claims are made for cases that exclude each other: each names one that the
    other text never speaks of."""
    ours = {term for term in one.kinds if not _in(term, right.terms)}
    theirs = {term for term in other.kinds if not _in(term, left.terms)}
    if ours and theirs:
        return True
    groups = contrast_groups(left.language)
    return any(
        term != each and groups.get(term, -1) == groups.get(each)
        for term in one.kinds
        if term not in other.terms
        for each in other.kinds
        if each not in one.terms
    )


def _out_of_step(left: Claims, right: Claims) -> Iterator[Disagreement]:
    """Values of translations, which follow each other in the same order: what is left of each
    kind when those that agree are taken away."""
    kinds = dict.fromkeys(attribute(one) for one in left.claims)
    for kind in kinds:
        ours = [one for one in left.claims if attribute(one) == kind]
        theirs = [one for one in right.claims if attribute(one) == kind]
        if kind in ("count", "permission") and len(ours) != len(theirs):
            continue
        for one, other in _unmatched(ours, theirs):
            yield Disagreement(attribute=kind, left=one, right=other, likeness=1.0)


def _unmatched(ours: Sequence[Claim], theirs: Sequence[Claim]) -> Iterator[tuple[Claim, Claim]]:
    rest = list(theirs)
    lonely = []
    for one in ours:
        match = next((each for each in rest if _equal(one, each)), None)
        if match is None:
            lonely.append(one)
        else:
            rest.remove(match)
    if len(lonely) == len(rest):
        yield from zip(lonely, rest, strict=True)


def _equal(one: Claim, other: Claim) -> bool:
    if one.quantity is not None and other.quantity is not None:
        return same(one.quantity, other.quantity)
    return frozenset({one.permission, other.permission}) not in OPPOSITE

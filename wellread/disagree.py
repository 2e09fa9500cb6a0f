"""Where two texts disagree about the same thing: the same attribute with other values, or a
permission against a prohibition. Pure; which side holds is not decided here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2
from typing import Literal

from wellread.claim_words import cases, light
from wellread.claims import Claim, Claims, Terms
from wellread.permissions import OPPOSITE
from wellread.quantities import same

Relation = Literal["other", "same", "translation"]
"""How two texts are related: versions of one page, translations of each other, or neither."""

# Measured on tests/conflict_pairs/open.yaml (precision and recall there) and, for what keeps
# chance away, on the conflicts that 59 headings of sourcegraph-handbook bring up as tasks.

LIKE: dict[Relation, float] = {"other": 0.27, "same": 0.2}
"""How alike two claims must be, 0 to 1. Of .23, .27, .33, .42 for different pages: .94 and .91,
.97 and .88, 1 and .78, 1 and .56; versions of a page leave nothing between .1 and .4."""

CHANCE = 0.03
"""What is added for each doubling of the documents compared beyond two: among sixty, claims are
alike by chance (28 conflicts in the handbook instead of 114, the true ones among them)."""

CLAUSE, SENTENCE, AROUND = 0.2, 0.4, 0.4
"""How much each counts. Without what stands around: precision .93."""

FEWER = 0.6
"""The share of the better covered side: a longer sentence says more. .5 to .7 are alike."""

DOUBT = 0.6
"""Added to the terms of a side, so that one common term of one is little. At .3: precision .93."""

LIGHT_WEIGHT = 0.3
"""What a light word counts. At 1: recall .84."""

FAR = 24
"""How many times larger a value of the same thing may be, an hour and a day: in the handbook it
keeps a trip of $4,000 from a dinner of $150."""

ACTION = 1.5
"""The terms, light ones less, that two permissions share at least: what is done, and with what.
"Do not promise a refund" says nothing of who issues one."""

AGREE_FIRST, SAME_BOUND = 0.15, 0.02
"""Which of several values belong together: those that agree, then those that are bounds alike."""

BEGINNING = 5
"""Letters by which a case is known again in another form of its word."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Disagreement:
    """Two claims about the same thing whose values differ, and how alike they are."""

    attribute: str
    left: Claim
    right: Claim
    likeness: float


def disagreements(
    left: Claims, right: Claims, relation: Relation, documents: int = 2
) -> list[Disagreement]:
    """What two texts disagree on, the most alike claims first, each claim once. ``documents``
    is how many are compared with each other: among more of them, more are alike by chance."""
    if relation == "translation":
        return list(_out_of_step(left, right))
    pairs = sorted(_pairs(left, right), key=lambda one: -one[0])
    used: tuple[set[int], set[int]] = (set(), set())
    found: list[Disagreement] = []
    for alike, agree, at, to in pairs:
        if at in used[0] or to in used[1]:
            continue
        used[0].add(at)
        used[1].add(to)
        one, other = left.claims[at], right.claims[to]
        if agree or other_case(one, other, left, right):
            continue
        if relation == "same" or not apart(one, other):
            found.append(
                Disagreement(attribute=attribute(one), left=one, right=other, likeness=alike)
            )
    least = LIKE[relation]
    if relation == "other":
        least += CHANCE * log2(max(documents, 2) / 2)
    return [one for one in found if one.likeness >= least]


def apart(one: Claim, other: Claim) -> bool:
    """Whether two values are too far apart to be of one thing: an hour and a month."""
    if one.quantity is None or other.quantity is None or one.quantity.kind in ("date", "time"):
        return False
    low, high = sorted((one.quantity.high, other.quantity.high))
    return high > FAR * low


def attribute(claim: Claim) -> str:
    """What kind of value a claim is of."""
    return claim.quantity.kind if claim.quantity is not None else "permission"


def _pairs(left: Claims, right: Claims) -> Iterator[tuple[float, bool, int, int]]:
    for at, one in enumerate(left.claims):
        for to, other in enumerate(right.claims):
            if (agree := _agree(one, other)) is not None:
                alike = likeness(one, other)
                yield alike + (AGREE_FIRST if agree else 0) + _bounds(one, other), agree, at, to


def _bounds(one: Claim, other: Claim) -> float:
    """What speaks for two values of one sentence rather than two others: "at least" both."""
    if one.quantity is None or other.quantity is None:
        return 0.0
    return SAME_BOUND if one.quantity.bound == other.quantity.bound else 0.0


def _agree(one: Claim, other: Claim) -> bool | None:
    """Whether two claims say the same; ``None`` where they cannot be compared."""
    if one.quantity is not None and other.quantity is not None:
        ours, theirs = one.quantity, other.quantity
        if ours.kind != theirs.kind:
            return None
        if ours.kind == "count":
            return same(ours, theirs) if one.unit & other.unit else None
        if ours.kind == "money" and ours.unit != theirs.unit:
            return None
        if ours.kind == "date" and (ours.unit == "day of the month") != (
            theirs.unit == "day of the month"
        ):
            return None
        return same(ours, theirs)
    if one.permission is None or other.permission is None:
        return None
    if weight(one.referred & other.referred) < ACTION:
        return None
    pair = {one.permission, other.permission}
    if len(pair) == 1:
        return True
    if frozenset(pair) not in OPPOSITE:
        return None
    if pair == {"allowed", "conditional"}:
        return bool(one.condition & other.condition)
    return False


def likeness(one: Claim, other: Claim) -> float:
    """How far two claims are made of the same thing: by their clauses, by their sentences,
    and by what stands around the one and in the sentence of the other."""
    return (
        CLAUSE * common(one.clause, other.clause, one.clause, other.clause)
        + SENTENCE * common(one.terms, other.terms, one.referred, other.referred)
        + AROUND * common(one.wide, other.wide, one.around, other.around)
    )


def common(one: Terms, other: Terms, one_in: Terms, other_in: Terms) -> float:
    """How much of two sets of terms is found in the other (or in what is given as wider than
    it), 0 to 1: that of the better covered one for the most part, since a longer sentence
    says more."""
    ours, theirs = covered(one, other_in), covered(other, one_in)
    return FEWER * max(ours, theirs) + (1 - FEWER) * min(ours, theirs)


def covered(terms: Terms, by: Terms) -> float:
    """The share of terms that are among others, light words counting less; a little lower the
    fewer they are."""
    return weight(terms & by) / (weight(terms) + DOUBT)


def weight(terms: Terms) -> float:
    """How much terms say, light ones less."""
    return len(terms) - (1 - LIGHT_WEIGHT) * len(terms & light())


def other_case(one: Claim, other: Claim, left: Claims, right: Claims) -> bool:
    """Whether two claims are made for cases that exclude each other: each names one that the
    other text never speaks of."""
    ours, theirs = _unheard(one.kinds, right.terms), _unheard(other.kinds, left.terms)
    if (ours and theirs) or _special(ours, left, right) or _special(theirs, right, left):
        return True
    said, told = cases(one.sentence), cases(other.sentence)
    return any(
        group == also and member != theirs
        for group, member in said - told
        for also, theirs in told - said
        if not any(one_of == group for one_of, _ in said & told)
    )


def _special(kinds: Terms, one: Claims, other: Claims) -> bool:
    """Whether a page is of a special case of another's subject, by its title: "Per diem" and
    "Per diem abroad"."""
    return bool(kinds & one.title) and bool(other.title) and other.title < one.title


def _unheard(terms: Terms, by: Terms) -> Terms:
    """Those of the terms that are none of others, be it in another form."""
    beginnings = {term[:BEGINNING] for term in by}
    return frozenset(term for term in terms if term[:BEGINNING] not in beginnings)


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

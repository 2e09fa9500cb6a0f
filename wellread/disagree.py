"""Where two texts disagree about the same thing: the same attribute with other values, or a
permission against a prohibition. Pure; which side holds is not decided here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wellread.claims import Permission, Sentence, sentences, subject
from wellread.languages import detect_language
from wellread.quantities import Quantity, same

LIKE = 0.42
"""How alike the subjects of two sentences must be, 0 to 1, for their values to be compared."""

OPPOSITE: frozenset[frozenset[Permission]] = frozenset(
    {
        frozenset({"allowed", "forbidden"}),
        frozenset({"required", "not required"}),
        frozenset({"required", "forbidden"}),
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A text with its title and headings, which tell what it is about."""

    title: str
    text: str
    language: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Disagreement:
    """Two sentences and the values that differ."""

    attribute: str
    left: Sentence
    right: Sentence
    left_value: str
    right_value: str
    likeness: float


def disagreements(left: Text, right: Text) -> list[Disagreement]:
    """What two texts disagree on, the most alike sentences first, each sentence once."""
    ours, theirs = _claims(left), _claims(right)
    titles = (_title(left), _title(right))
    pairs = sorted(
        (
            (likeness(one, other, titles), at, to)
            for at, one in enumerate(ours)
            for to, other in enumerate(theirs)
        ),
        reverse=True,
    )
    found: list[Disagreement] = []
    used: tuple[set[int], set[int]] = (set(), set())
    for alike, at, to in pairs:
        if alike < LIKE:
            break
        if at in used[0] or to in used[1]:
            continue
        one, other = ours[at], theirs[to]
        difference = next(_differences(one, other), None)
        if difference is not None or _agree(one, other):
            used[0].add(at)
            used[1].add(to)
        if difference is not None:
            attribute, ours_value, theirs_value = difference
            found.append(
                Disagreement(
                    attribute=attribute,
                    left=one,
                    right=other,
                    left_value=ours_value,
                    right_value=theirs_value,
                    likeness=alike,
                )
            )
    return found


def likeness(
    one: Sentence, other: Sentence, titles: tuple[frozenset[str], frozenset[str]]
) -> float:
    """How far two sentences are about the same thing: by their own terms, and by those of the
    titles they stand under."""
    own = _dice(one.terms, other.terms)
    wide = _dice(one.terms | titles[0], other.terms | titles[1])
    return 0.5 * own + 0.5 * wide


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    if not one or not other:
        return 0.0
    return 2 * len(one & other) / (len(one) + len(other))


def _differences(one: Sentence, other: Sentence) -> Iterator[tuple[str, str, str]]:
    """Values of one attribute that one sentence has and the other has otherwise."""
    for kind in ("money", "percent", "duration", "date", "count"):
        ours = [each for each in one.quantities if each.kind == kind]
        theirs = [each for each in other.quantities if each.kind == kind]
        if not ours or not theirs:
            continue
        lonely = [each for each in ours if not any(_same(each, one_of) for one_of in theirs)]
        others = [each for each in theirs if not any(_same(each, one_of) for one_of in ours)]
        if lonely and others and comparable(lonely[0], others[0]):
            yield kind, lonely[0].written, others[0].written
    for ours_name, ours_word in one.permissions:
        for theirs_name, theirs_word in other.permissions:
            if frozenset({ours_name, theirs_name}) in OPPOSITE:
                yield "permission", ours_word, theirs_word


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities of a kind measure the same: counts of the same thing, sums in
    the same currency."""
    if one.kind == "count":
        return subject(one.unit, "en") == subject(other.unit, "en") or _stem(one) == _stem(other)
    return one.unit == other.unit


def _stem(quantity: Quantity) -> frozenset[str]:
    return subject(quantity.unit, detect_language(quantity.unit))


def _same(one: Quantity, other: Quantity) -> bool:
    return same(one, other)


def _agree(one: Sentence, other: Sentence) -> bool:
    return any(_same(each, to) for each in one.quantities for to in other.quantities)


def _claims(text: Text) -> Sequence[Sentence]:
    return tuple(sentences(text.text, text.language))


def _title(text: Text) -> frozenset[str]:
    return subject(text.title, text.language or detect_language(text.title))

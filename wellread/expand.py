"""What a dictionary adds to a query: more terms for its words, and groups beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from wellread.store.base import Alternative, TermGroup
from wellread.synonyms import Found

MAX_SYNONYMS = 16
"""Phrases that a dictionary may add to one query."""


class Part(NamedTuple):
    """A word of a replacement: what tells it from others, and the terms that stand for it."""

    name: str
    alternatives: tuple[Alternative, ...]


class Understood(NamedTuple):
    """A replacement as a query of its own; ``whole`` is what stands for all of it, if anything
    in the library does."""

    parts: Sequence[Part]
    whole: tuple[Alternative, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Added:
    """``beside`` are alternatives for words of the query, by their number; ``groups`` are not
    counted; ``shown`` are labels with terms, for a reader."""

    beside: Mapping[int, tuple[Alternative, ...]] = field(default_factory=dict)
    groups: tuple[TermGroup, ...] = ()
    shown: tuple[tuple[str, tuple[Alternative, ...]], ...] = ()
    used: tuple[str, ...] = ()
    left_out: int = 0


def expand(
    found: Iterable[Found],
    *,
    asked: Mapping[int, int],
    written: frozenset[str],
    understand: Callable[[str], Understood],
    weight: float,
) -> Added:
    """Each replacement is understood as a query of its own and asked for at a lower ``weight``. So
    that a passage with it counts as one with the words that were written, these take what
    stands for the whole: its word, or the rarest pair of its words. The words of a longer
    one are groups beside, since a page may say it in other words again.

    ``asked`` gives the number of the word at each position, ``written`` all their terms.
    """
    beside: dict[int, list[Alternative]] = {}
    groups: dict[str, TermGroup] = {}
    shown: list[tuple[str, tuple[Alternative, ...]]] = []
    used: list[str] = []
    left_out = 0
    for one in found:
        numbers = {asked[place]: None for place in range(one.start, one.stop) if place in asked}
        for text in one.replacements:
            if len(used) == MAX_SYNONYMS:
                left_out += 1
                continue
            parts, whole = understand(text)
            if not parts:
                continue
            for number in numbers:
                beside.setdefault(number, []).extend(scaled(whole, weight / len(numbers)))
            for name, alternatives in parts if len(parts) > 1 else ():
                if written.isdisjoint(a.term for a in alternatives if a.kind == "word"):
                    terms = scaled(alternatives, weight)
                    groups.setdefault(name, TermGroup(alternatives=terms, counted=False))
            used.append(f"{one.needle} → {text}")
            every = (*(a for part in parts for a in part.alternatives), *whole)
            shown.append((f"synonym of {one.needle}: {text}", scaled(every, weight)))
    return Added(
        beside={number: tuple(terms) for number, terms in beside.items()},
        groups=tuple(groups.values()),
        shown=tuple(shown),
        used=tuple(used),
        left_out=left_out,
    )


def scaled(alternatives: Iterable[Alternative], factor: float) -> tuple[Alternative, ...]:
    """The same terms, each at so much of its weight."""
    return tuple(replace(one, weight=one.weight * factor) for one in alternatives)

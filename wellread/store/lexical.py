"""What the embedded store asks of its BM25 engine, be it Tantivy or SQLite's FTS5."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from wellread.store.base import (
    Alternative,
    LexicalResult,
    PassageTerms,
    Phrase,
    StoreQuery,
    TermGroup,
    VocabularyTerm,
)
from wellread.types import Explanation, Filters, Scope


def owner_keys(owner: str) -> tuple[str, ...]:
    """The values an owner filter may name: the whole, and the part before ``@``."""
    folded = owner.casefold()
    short = folded.partition("@")[0]
    return (folded,) if short == folded or not short else (folded, short)


def folders(path: str) -> list[str]:
    """The folders above a path, outermost first: ``a/b/c.md`` gives ``a`` and ``a/b``."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


@dataclass(frozen=True, kw_only=True, slots=True)
class LexicalDocument:
    """A document as the engine indexes it; ``updated`` is a proleptic Gregorian ordinal."""

    document_id: int
    path: str
    acl_id: int
    type: str
    state: str
    owner: str
    tags: tuple[str, ...]
    updated: int | None
    passages: Sequence[tuple[int, PassageTerms]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """Where a path filter points: folders as such, single paths, and the documents that the
    catalog found for every other glob. A passage in any of them passes."""

    folders: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    documents: frozenset[int] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Restriction:
    """Which passages count at all: those of the scope and the filters; ``places`` is what
    became of the path filter. ``passage_ids`` narrows further, to explain."""

    scope: Scope
    filters: Filters
    places: Places | None = None
    passage_ids: frozenset[int] | None = None


class LexicalWriter(Protocol):
    """The engine's side of one index run; nothing is seen by readers before ``commit``."""

    def add(self, document: LexicalDocument) -> None:
        """Index a document's passages."""
        ...

    def delete(self, document_id: int) -> None:
        """Remove a document's passages."""
        ...

    def clear(self) -> None:
        """Remove every document."""
        ...

    def commit(self, generation: int) -> None:
        """Make everything visible, as this catalog generation."""
        ...

    def rollback(self) -> None:
        """Forget everything since the last commit."""
        ...


class LexicalSearcher(Protocol):
    """One request's view of the engine."""

    @property
    def generation(self) -> int:
        """The catalog generation that the engine has seen."""
        ...

    def search(self, query: StoreQuery, where: Restriction, limit: int) -> LexicalResult:
        """The best passages, and the two counts."""
        ...

    def attainable(self, query: StoreQuery) -> float:
        """The largest score that any passage could have for a query."""
        ...

    def count(self, alternative: Alternative, where: Restriction, enough: int | None = None) -> int:
        """Passages that hold the term; where there are ``enough``, it may stop at that."""
        ...

    def with_prefix(self, prefix: str, where: Restriction) -> list[VocabularyTerm]:
        """Words with this prefix and their counts, none of them 0."""
        ...

    def group_scores(
        self, group: TermGroup, where: Restriction, passage_ids: Iterable[int]
    ) -> dict[int, Explanation]:
        """What one group adds to the score of these passages, by alternative."""
        ...

    def phrase_scores(
        self, phrase: Phrase, where: Restriction, passage_ids: Iterable[int]
    ) -> dict[int, Explanation]:
        """What one phrase adds to the score of these passages."""
        ...


SATURATED = 2.2
"""What a term's frequency multiplies its idf by at most: k1 + 1, k1 being 1.2 in all engines."""


def attainable(
    query: StoreQuery, holders: Callable[[Alternative], int], idf: Callable[[int], float]
) -> float:
    """The largest score of any passage. ``holders`` counts the passages of the library that
    have a term, ``idf`` is the engine's, by that number; no passage has the largest."""

    def of_term(alternative: Alternative) -> float:
        return alternative.weight * idf(holders(alternative)) * SATURATED

    total = 0.0
    for group in query.groups:
        known = [one for one in group.alternatives if holders(one)]
        if known:
            total += max(map(of_term, known))
        elif group.counted:
            # A word that nobody has written says how much of the query is not there.
            total += max(map(of_term, group.alternatives))
    for phrase in query.phrases:
        words = [Alternative(kind="word", term=term) for term in phrase.variants[0]]
        total += sum(map(of_term, words))
    return total


def describe(alternative: Alternative) -> str:
    """An alternative as the explanation names it."""
    weight = "" if alternative.weight == 1.0 else f" × {alternative.weight:g}"
    return f"{alternative.kind} {alternative.term}{weight}"


def best_of(parts: list[Explanation]) -> Explanation:
    """The best member of a group scores; the others are shown."""
    if len(parts) == 1:
        return parts[0]
    ranked = tuple(sorted(parts, key=lambda part: -part.value))
    return Explanation(label="best of", value=ranked[0].value, op="max", parts=ranked)


def describe_phrase(phrase: Phrase) -> str:
    """A phrase as the explanation names it."""
    return f'phrase "{" ".join(phrase.variants[0])}"'

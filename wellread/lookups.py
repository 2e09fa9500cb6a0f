"""What a query asks of the library while it is being understood, always within one caller's scope
and the same filters."""

from __future__ import annotations

from collections.abc import Iterable

from wellread.languages import detect_language
from wellread.store.base import Alternative, Snapshot, VocabularyTerm
from wellread.types import Filters, Scope

RARE = 8
"""A word in fewer passages than one page of results shows also looks for its relatives."""

MAX_RELATIVES = 8
"""Of each kind, for each word: a page of results cannot show more."""


class Lookups:
    """One snapshot, scope and filters, asked for the words of one query; counts are kept."""

    def __init__(self, snapshot: Snapshot, scope: Scope, filters: Filters) -> None:
        self._snapshot = snapshot
        self._scope = scope
        self._filters = filters
        self._counts: dict[tuple[str, str, int | None], int] = {}

    def languages(self, text: str) -> tuple[str, ...]:
        """Those of the documents in scope, or that of the text where there are none."""
        return self._snapshot.languages(scope=self._scope) or (detect_language(text),)

    def count(self, alternative: Alternative, enough: int | None = RARE) -> int:
        """Passages with a term; ``enough`` of them are counted no further."""
        key = (alternative.kind, alternative.term, enough)
        if key not in self._counts:
            self._counts[key] = self._snapshot.count(
                alternative, scope=self._scope, filters=self._filters, enough=enough
            )
        return self._counts[key]

    def most(self, alternatives: Iterable[Alternative], enough: int | None = RARE) -> int:
        """Passages with the most frequent of some terms."""
        return max((self.count(one, enough) for one in alternatives), default=0)

    def rare(self, alternatives: Iterable[Alternative]) -> bool:
        """Whether every one of them is in few passages or none."""
        return all(self.count(alternative) < RARE for alternative in alternatives)

    def longer(self, term: str) -> list[str]:
        """Terms that begin with this one, the shortest first."""
        found = self._snapshot.terms(prefix=term, scope=self._scope, filters=self._filters)
        ranked = sorted(found, key=lambda v: (len(v.term), -v.passages, v.term))
        return [v.term for v in ranked if v.term != term][:MAX_RELATIVES]

    def near(self, words: Iterable[str]) -> list[VocabularyTerm]:
        """Terms of words one edit from any of these, the commonest first."""
        found = {
            near.term: near
            for word in words
            for near in self._snapshot.terms(near=word, scope=self._scope, filters=self._filters)
        }
        ranked = sorted(found.values(), key=lambda v: (-v.passages, v.term))
        return ranked[:MAX_RELATIVES]

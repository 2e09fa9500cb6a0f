"""A store in memory that answers as the protocol says, by plain BM25: for tests of what
stands before and behind a store."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from wellread.analyze import analyze_document
from wellread.documents import Document, Passage
from wellread.store.base import (
    Alternative,
    LexicalResult,
    PassageTerms,
    ScoredPassage,
    StoreQuery,
    VocabularyTerm,
    Weights,
)
from wellread.types import Caller, Filters, Lifecycle, Scope

OWNER = Scope(
    caller=Caller(subject=None, owner=True),
    generation=1,
    allowed=frozenset((1,)),
    hidden=frozenset(),
)
K1, B = 1.2, 0.75


def make_document(path: str, title: str, body: str, language: str) -> Document:
    return Document(
        path=path,
        title=title,
        type="reference",
        type_written="reference",
        language=language,
        body=body,
        body_line=1,
        lifecycle=Lifecycle(),
    )


def whole_passage(document: Document) -> Passage:
    return Passage(
        section=0,
        heading=(),
        char_start=0,
        char_end=len(document.body),
        line_start=1,
        line_end=1 + document.body.count("\n"),
    )


class MemorySnapshot:
    """Every document is one passage; its id is its number. ``acls`` hides documents."""

    generation = 1

    def __init__(self, documents: Sequence[Document], acls: Sequence[int] | None = None) -> None:
        self.documents_by_id = list(documents)
        self.acls = list(acls or [1] * len(documents))
        weights = Weights()
        self.fields: dict[str, dict[str, dict[int, int]]] = {
            "word": {},
            "identifier": {},
            "pair": {},
        }
        self.lengths: dict[str, list[int]] = {"text": [], "pair": []}
        self.body_terms: list[PassageTerms] = []
        for number, document in enumerate(documents):
            terms = analyze_document(document, (whole_passage(document),)).passages[0].terms
            self.body_terms.append(terms)
            words: Counter[str] = Counter()
            for sequence, weight in (
                (terms.title, weights.title),
                (terms.heading, weights.heading),
                (terms.body, weights.body),
            ):
                for term in sequence.split():
                    words[term] += weight
            names = Counter(terms.identifiers.split())
            pairs = Counter(terms.pairs.split())
            for kind, counted in (("word", words), ("identifier", names), ("pair", pairs)):
                for term, frequency in counted.items():
                    self.fields[kind].setdefault(term, {})[number] = frequency
            self.lengths["text"].append(words.total() + names.total())
            self.lengths["pair"].append(pairs.total())
        count = max(1, len(documents))
        self.average = {kind: max(1.0, sum(v) / count) for kind, v in self.lengths.items()}

    def _visible(self, number: int, scope: Scope, filters: Filters) -> bool:
        document = self.documents_by_id[number]
        return (scope.everything or self.acls[number] in scope.allowed) and (
            not filters.types or document.type in filters.types
        )

    def _scores(self, alternative: Alternative) -> dict[int, float]:
        postings = self.fields[alternative.kind].get(alternative.term, {})
        total, n = len(self.documents_by_id), len(postings)
        idf = math.log(1 + (total - n + 0.5) / (n + 0.5))
        place = "pair" if alternative.kind == "pair" else "text"
        lengths, average = self.lengths[place], self.average[place]
        return {
            number: alternative.weight
            * idf
            * frequency
            * (K1 + 1)
            / (frequency + K1 * (1 - B + B * lengths[number] / average))
            for number, frequency in postings.items()
        }

    def _has_phrase(self, number: int, variants: tuple[tuple[str, ...], ...]) -> bool:
        terms = self.body_terms[number]
        for variant in variants:
            size = len(variant)
            for joined in (terms.title, terms.heading, terms.body):
                sequence = joined.split()
                if any(
                    tuple(sequence[start : start + size]) == variant
                    for start in range(len(sequence) - size + 1)
                ):
                    return True
        return False

    def lexical(
        self, query: StoreQuery, *, scope: Scope, filters: Filters, limit: int
    ) -> LexicalResult:
        totals: Counter[int] = Counter()
        matched: Counter[int] = Counter()
        counted = sum(group.counted for group in query.groups)
        for group in query.groups:
            best: dict[int, float] = {}
            for alternative in group.alternatives:
                for number, score in self._scores(alternative).items():
                    best[number] = max(best.get(number, 0.0), score)
            for number, score in best.items():
                totals[number] += score  # type: ignore[assignment]
                matched[number] += group.counted
        found = [
            number
            for number in totals
            if self._visible(number, scope, filters)
            and all(self._has_phrase(number, phrase.variants) for phrase in query.phrases)
        ]
        found.sort(key=lambda number: (-totals[number], number))
        return LexicalResult(
            hits=tuple(ScoredPassage(passage_id=n, score=totals[n]) for n in found[:limit]),
            any_group=len(found),
            all_groups=sum(1 for n in found if matched[n] == counted),
        )

    def terms(
        self,
        *,
        prefix: str | None = None,
        near: str | None = None,
        scope: Scope,
        filters: Filters,
    ) -> list[VocabularyTerm]:
        found = []
        for term in self.fields["word"]:
            if (prefix is not None and term.startswith(prefix)) or (
                near is not None and OSA.distance(near, term, score_cutoff=1) <= 1
            ):
                passages = self.count(
                    Alternative(kind="word", term=term), scope=scope, filters=filters
                )
                if passages:
                    found.append(VocabularyTerm(term=term, passages=passages))
        return sorted(found, key=lambda v: v.term)

    def count(
        self,
        alternative: Alternative,
        *,
        scope: Scope,
        filters: Filters,
        enough: int | None = None,
    ) -> int:
        postings = self.fields[alternative.kind].get(alternative.term, {})
        return sum(1 for number in postings if self._visible(number, scope, filters))

    def languages(self, *, scope: Scope) -> tuple[str, ...]:
        return tuple(
            sorted(
                {
                    document.language
                    for number, document in enumerate(self.documents_by_id)
                    if self._visible(number, scope, Filters())
                }
            )
        )

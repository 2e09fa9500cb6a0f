"""Which passages answer a query, best first: by its words, by vectors where there are any, and
by a model that reads the first of them, each with what it adds to the score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from wellread.analyze import embedded_text
from wellread.errors import ModelUnavailable, VectorsRefused
from wellread.query import Query
from wellread.rank import (
    LIKE_RELEVANCE,
    Fused,
    calibrated_sum,
    exact_first,
    reciprocal_ranks,
    scaled,
)
from wellread.store.base import (
    DenseResult,
    QueryVector,
    ScoredPassage,
    Snapshot,
    StoreQuery,
)
from wellread.types import Explanation, Filters, Scope

if TYPE_CHECKING:
    from wellread.rerank import Reranker

NEAREST = 201
"""Passages taken from the vectors: as many as from the words, a window and one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Meaning:
    """What vectors can add to a query. Without a ``vector`` there is only a ``note`` that says
    why. ``share`` is what the words count in the calibrated sum."""

    vector: QueryVector | None
    note: str | None = None
    fusion: Literal["sum", "rrf"] = "sum"
    share: float = 0.6


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """Passages, best first. ``scale`` makes a BM25 score what it adds here; ``like`` is the
    share within which scores are of like relevance; ``fused_by`` names what put words and
    vectors together, empty for words alone; ``by_model`` is what a reranker added."""

    fused: tuple[Fused, ...]
    scale: float = 1.0
    like: float = LIKE_RELEVANCE
    fused_by: Literal["", "sum", "rrf"] = ""
    by_model: Mapping[int, float] = field(default_factory=dict)
    model: str = ""
    notes: tuple[str, ...] = ()

    def parts(self, passage_id: int, terms: Sequence[Explanation]) -> list[Explanation]:
        """What a passage's score is the sum of; ``terms`` are the parts of its BM25 score."""
        one = next((one for one in self.fused if one.passage_id == passage_id), None)
        if not self.fused_by and not self.by_model:
            return list(terms)
        if one is None:
            return [scaled(part, self.scale) for part in terms]
        found: list[Explanation] = []
        if self.fused_by == "rrf":
            found.append(Explanation(label="words, by rank", value=one.words))
            found.append(Explanation(label="vectors, by rank", value=one.vectors))
        else:
            whole = sum(part.value for part in terms)
            scale = one.words / whole if whole else 0.0
            found += [scaled(part, scale) for part in terms]
            if self.fused_by:
                found.append(Explanation(label="vectors", value=one.vectors))
        moved = one.moved - self.by_model.get(passage_id, 0.0)
        if one.why and moved:
            found.append(Explanation(label=one.why, value=moved))
        if passage_id in self.by_model:
            label = f"put in order anew by {self.model}"
            found.append(Explanation(label=label, value=self.by_model[passage_id]))
        return [part for part in found if part.value]


def ranked(
    snapshot: Snapshot,
    query: Query,
    lexical: Sequence[ScoredPassage],
    meaning: Meaning | None,
    *,
    scope: Scope,
    filters: Filters,
) -> Ranking:
    """Words, and vectors where they can be had. A query of codes alone is one of words: a code
    means nothing but itself."""
    words = tuple(Fused(passage_id=hit.passage_id, words=hit.score) for hit in lexical)
    if meaning is None or (meaning.vector is not None and not query.languages):
        return Ranking(fused=words)
    if meaning.vector is None:
        return Ranking(fused=words, notes=(meaning.note,) if meaning.note else ())
    try:
        dense = snapshot.dense(
            meaning.vector,
            scope=scope,
            filters=filters,
            limit=NEAREST,
            also=[hit.passage_id for hit in lexical],
        )
    except VectorsRefused as error:
        return Ranking(fused=words, notes=(f"degraded: no vectors. {error}",))
    notes = covered(snapshot, scope=scope)
    if dense is None:
        return Ranking(fused=words, notes=notes)
    dense = with_phrases(snapshot, query.store, dense, scope=scope, filters=filters)
    if meaning.fusion == "rrf":
        fused, scale, like = reciprocal_ranks(lexical, dense), 0.0, 0.0
    else:
        attainable = snapshot.attainable(query.store)
        scale = meaning.share / attainable if attainable > 0 else 0.0
        like = LIKE_RELEVANCE
        fused = calibrated_sum(
            lexical, dense, attainable=attainable, share=meaning.share, languages=query.languages
        )
    ids = [one.passage_id for one in fused]
    held: Counter[int] = Counter()
    for group in query.exact:
        held.update(snapshot.group_scores(group, ids, scope=scope, filters=filters).keys())
    most = max(held.values(), default=0)
    holders = {one for one, count in held.items() if count == most}
    return Ranking(
        fused=tuple(exact_first(fused, lexical[0].passage_id if lexical else None, holders)),
        scale=scale,
        like=like,
        fused_by=meaning.fusion,
        notes=notes,
    )


def with_phrases(
    snapshot: Snapshot, query: StoreQuery, dense: DenseResult, *, scope: Scope, filters: Filters
) -> DenseResult:
    """The nearest passages of those that have every phrase: a phrase is required."""
    kept = list(dense.hits)
    for phrase in query.phrases:
        ids = [hit.passage_id for hit in kept]
        holders = snapshot.phrase_scores(phrase, ids, scope=scope, filters=filters)
        kept = [hit for hit in kept if hit.passage_id in holders]
    # What is no nearer than the median passage of its language is not near.
    near = tuple(hit for hit in kept if hit.cosine > dense.medians.get(hit.language, 0.0))
    return DenseResult(hits=near, others=dense.others, medians=dense.medians, rows=dense.rows)


def covered(snapshot: Snapshot, *, scope: Scope) -> tuple[str, ...]:
    """What to say where passages in scope have no vector yet."""
    coverage = snapshot.coverage(scope=scope)
    if coverage.known >= coverage.passages:
        return ()
    known, passages = f"{coverage.known:,}", f"{coverage.passages:,}"
    return (f"degraded: {known} of {passages} passages have vectors.",)


def reranked(
    snapshot: Snapshot, query: Query, ranking: Ranking, reranker: Reranker, *, scope: Scope
) -> Ranking:
    """The first passages in the order of a model that reads them with the query; the others
    follow with their scores in proportion. Where it fails, the order stays and a note says so."""
    first, rest = ranking.fused[: reranker.first], ranking.fused[reranker.first :]
    records = snapshot.passages([one.passage_id for one in first], scope=scope)
    documents = snapshot.documents({one.document_id for one in records.values()}, scope=scope)
    known = [
        one
        for one in first
        if one.passage_id in records and records[one.passage_id].document_id in documents
    ]
    if not known:
        return ranking
    texts = []
    for one in known:
        record = records[one.passage_id]
        body = snapshot.body(record.document_id, scope=scope)
        texts.append(embedded_text(documents[record.document_id], record, body))
    try:
        scores = reranker.scores(query.text, texts)
    except ModelUnavailable as error:
        note = f"degraded: the hits are in the order without a reranker. {error}"
        return Ranking(
            fused=ranking.fused,
            scale=ranking.scale,
            like=ranking.like,
            fused_by=ranking.fused_by,
            notes=(*ranking.notes, note),
        )
    by_model = {one.passage_id: score - one.score for one, score in zip(known, scores, strict=True)}
    ordered = sorted(
        (moved(one, by_model[one.passage_id]) for one in known), key=lambda one: -one.score
    )
    # The rest keeps its order below the least of those: its scores shrink, and are no others'.
    bound = min(1.0, ordered[-1].score / rest[0].score) if rest and rest[0].score > 0 else 1.0
    for one in rest:
        by_model[one.passage_id] = one.score * (bound - 1.0)
    return Ranking(
        fused=(*ordered, *(moved(one, by_model[one.passage_id]) for one in rest)),
        scale=ranking.scale * bound,
        like=LIKE_RELEVANCE,
        fused_by=ranking.fused_by,
        by_model={one: value for one, value in by_model.items() if value},
        model=reranker.name,
        notes=ranking.notes,
    )


def moved(one: Fused, more: float) -> Fused:
    """A passage whose place adds so much more to its score."""
    return Fused(
        passage_id=one.passage_id,
        words=one.words,
        vectors=one.vectors,
        moved=one.moved + more,
        why=one.why,
    )

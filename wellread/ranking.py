"""Which passages answer a query, best first: by its words, by vectors where there are any, and
by a model that reads the first of them, each with what it adds to the score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from wellread.analyze import embedded_text
from wellread.errors import ModelUnavailable, VectorsRefused
from wellread.query import Query
from wellread.rank import (
    LIKE_RELEVANCE,
    RRF_K,
    Fused,
    calibrated_sum,
    exact_first,
    reciprocal_ranks,
    scaled,
    similarity,
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
class Fusion:
    """How two lists become one: by a calibrated sum, in which the words count ``share``, or by
    ranks, with the constant ``k``. One list alone is for measuring."""

    by: Literal["sum", "rrf", "words", "vectors"] = "sum"
    share: float = 0.6
    k: int = RRF_K


DEFAULT_FUSION = Fusion()


@dataclass(frozen=True, kw_only=True, slots=True)
class Meaning:
    """What vectors can add to a query. Without a ``vector`` there is only a ``note`` that says
    why."""

    vector: QueryVector | None
    note: str | None = None
    fusion: Fusion = DEFAULT_FUSION


@dataclass(frozen=True, kw_only=True, slots=True)
class Lists:
    """What words and vectors say about a query, each best first. ``attainable`` is the largest
    score that words could give, ``languages`` are those of the query's words, and ``exact`` the
    passages that hold to the letter what it asks for."""

    lexical: tuple[ScoredPassage, ...]
    dense: DenseResult
    attainable: float
    languages: frozenset[str]
    exact: frozenset[int]


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
    words = by_words(lexical)
    if meaning is None or (meaning.vector is not None and not query.languages):
        return words
    if meaning.vector is None:
        return replace(words, notes=(meaning.note,) if meaning.note else ())
    try:
        lists = lists_of(snapshot, query, lexical, meaning.vector, scope=scope, filters=filters)
    except VectorsRefused as error:
        return replace(words, notes=(f"degraded: no vectors. {error}",))
    ranking = words if lists is None else fused(lists, meaning.fusion)
    return replace(ranking, notes=covered(snapshot, scope=scope))


def by_words(lexical: Sequence[ScoredPassage]) -> Ranking:
    """The passages in the order of their words."""
    return Ranking(
        fused=tuple(Fused(passage_id=hit.passage_id, words=hit.score) for hit in lexical)
    )


def lists_of(
    snapshot: Snapshot,
    query: Query,
    lexical: Sequence[ScoredPassage],
    vector: QueryVector,
    *,
    scope: Scope,
    filters: Filters,
) -> Lists | None:
    """The list of the words with that of the vectors; ``None`` where no passage has a vector.
    Raises ``VectorsRefused``."""
    dense = snapshot.dense(
        vector,
        scope=scope,
        filters=filters,
        limit=NEAREST,
        also=[hit.passage_id for hit in lexical],
    )
    if dense is None:
        return None
    dense = with_phrases(snapshot, query.store, dense, scope=scope, filters=filters)
    ids = list(
        dict.fromkeys(
            (*(hit.passage_id for hit in lexical), *(hit.passage_id for hit in dense.hits))
        )
    )
    held: Counter[int] = Counter()
    for group in query.exact:
        held.update(snapshot.group_scores(group, ids, scope=scope, filters=filters).keys())
    most = max(held.values(), default=0)
    return Lists(
        lexical=tuple(lexical),
        dense=dense,
        attainable=snapshot.attainable(query.store),
        languages=query.languages,
        exact=frozenset(one for one, count in held.items() if count == most),
    )


def fused(lists: Lists, fusion: Fusion) -> Ranking:
    """Two lists as one."""
    if fusion.by == "words":
        return by_words(lists.lexical)
    if fusion.by == "vectors":
        near = lists.dense.hits
        return Ranking(
            fused=tuple(
                Fused(passage_id=hit.passage_id, vectors=similarity(hit, lists.dense.medians))
                for hit in near
            )
        )
    if fusion.by == "rrf":
        found, scale, like = reciprocal_ranks(lists.lexical, lists.dense, k=fusion.k), 0.0, 0.0
    else:
        scale = fusion.share / lists.attainable if lists.attainable > 0 else 0.0
        like = LIKE_RELEVANCE
        found = calibrated_sum(
            lists.lexical,
            lists.dense,
            attainable=lists.attainable,
            share=fusion.share,
            languages=lists.languages,
        )
    first = lists.lexical[0].passage_id if lists.lexical else None
    return Ranking(
        fused=tuple(exact_first(found, first, lists.exact)),
        scale=scale,
        like=like,
        fused_by=fusion.by,
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
        return replace(ranking, notes=(*ranking.notes, note))
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

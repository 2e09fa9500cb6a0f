"""What is like a section: what lies near its vectors, or has the words that set it apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wellread.errors import VectorsRefused
from wellread.query import Match, Query
from wellread.rank import Fused, similarity
from wellread.ranking import NEAREST, Ranking, covered
from wellread.read import place, resolve
from wellread.stems import content_terms
from wellread.store.base import Alternative, Snapshot, StoreQuery, TermGroup
from wellread.terms import index_terms
from wellread.types import Counts, Filters, Scope

WORDS_ASKED = 25
"""Words that set a section apart, the default of Lucene's and Elasticsearch's more-like-this."""

WORDS_WEIGHED = 100
"""The most frequent of its words, of which those are taken: each costs a look at the index."""

CHARACTERS_READ = 20_000
"""Of a longer text the first part says what it is about."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Alike:
    """What is like a handle: a query that finds it, the passages, and the counts of words."""

    query: Query
    ranking: Ranking
    counts: Counts


def alike(
    snapshot: Snapshot,
    handle: str,
    *,
    scope: Scope,
    filters: Filters,
    model: str | None,
    limit: int,
) -> Alike:
    """Passages of other documents that are like a section, or a whole document.

    ``model`` names the model that is set, ``None`` where vectors are not. Raises ``NotFound``
    where the handle names nothing that the caller may read.
    """
    document, slug = resolve(snapshot, handle, scope=scope)
    record = document.record
    start, end = 0, len(document.body)
    if slug is not None:
        start, end, _ = place(document, slug, handle)
    text = document.body[start : min(end, start + CHARACTERS_READ)]
    query, groups = words_of(snapshot, f"{record.title}\n{text}", record.language, handle, scope)
    found = snapshot.lexical(groups, scope=scope, filters=filters, limit=limit)
    counts = Counts(all_words=found.all_groups, any_word=found.any_group)
    notes: tuple[str, ...] = ()
    if model is not None:
        ids = [
            one
            for one, passage in zip(
                snapshot.passage_ids(record.id, scope=scope), document.passages, strict=True
            )
            if passage.char_start < end and passage.char_end > start
        ]
        near = by_vectors(snapshot, ids, record.id, model, scope=scope, filters=filters)
        if isinstance(near, Ranking):
            return Alike(query=query, ranking=near, counts=counts)
        notes = (near,)
    others = elsewhere(snapshot, [hit.passage_id for hit in found.hits], record.id)
    words = tuple(
        Fused(passage_id=hit.passage_id, words=hit.score)
        for hit in found.hits
        if hit.passage_id in others
    )
    return Alike(query=query, ranking=Ranking(fused=words, notes=notes), counts=counts)


def by_vectors(
    snapshot: Snapshot,
    ids: Sequence[int],
    document_id: int,
    model: str,
    *,
    scope: Scope,
    filters: Filters,
) -> Ranking | str:
    """The passages near to these, of other documents; or why vectors cannot tell."""
    mean = snapshot.mean_vector(ids, scope=scope)
    if mean is None or mean.model != model:
        return "degraded: it has no vector of the model that is set; alike by words."
    try:
        dense = snapshot.dense(mean, scope=scope, filters=filters, limit=NEAREST + len(ids))
    except VectorsRefused as error:  # replaced in this very moment
        return f"degraded: alike by words. {error}"
    if dense is None:
        return "degraded: no passage has a vector; alike by words."
    others = elsewhere(snapshot, [hit.passage_id for hit in dense.hits], document_id)
    near = tuple(
        Fused(passage_id=hit.passage_id, vectors=similarity(hit, dense.medians))
        for hit in dense.hits
        if hit.passage_id in others
    )
    return Ranking(
        fused=tuple(sorted((one for one in near if one.score > 0), key=lambda one: -one.score)),
        scale=0.0,
        fused_by="sum",
        notes=covered(snapshot, scope=scope),
    )


def elsewhere(snapshot: Snapshot, ids: Sequence[int], document_id: int) -> set[int]:
    """Those of the passages that are not of the document itself."""
    places = snapshot.places(ids)
    return {one for one in ids if one in places and places[one].document_id != document_id}


def words_of(
    snapshot: Snapshot, text: str, language: str, handle: str, scope: Scope
) -> tuple[Query, StoreQuery]:
    """The words that are frequent in a text and rare in scope, each by how much it is both."""
    frequency = Counter(content_terms(index_terms(text, language)[0], language))
    passages = max(snapshot.coverage(scope=scope).passages, 1)
    weighed: dict[str, float] = {}
    for term, times in frequency.most_common(WORDS_WEIGHED):
        holders = snapshot.count(
            Alternative(kind="word", term=term), scope=scope, filters=Filters()
        )
        # A word that nothing else has says nothing of what is alike.
        if holders > 1:
            weighed[term] = times * math.log(1 + passages / holders)
    asked = sorted(weighed, key=lambda term: (-weighed[term], term))[:WORDS_ASKED]
    most = max((weighed[term] for term in asked), default=1.0)
    groups = tuple(
        TermGroup(alternatives=(Alternative(kind="word", term=term, weight=weighed[term] / most),))
        for term in asked
    )
    query = StoreQuery(groups=groups)
    lines = [f"{term} ×{weighed[term] / most:.2f}" for term in asked]
    return (
        Query(
            text=handle,
            store=query,
            words=tuple(asked),
            effective_query=tuple(lines),
            matches={
                term: Match(group=number, weight=weighed[term] / most)
                for number, term in enumerate(asked)
            },
        ),
        query,
    )

"""The answers to one query by several ways of putting words and vectors together, for measuring:
both lists are taken once, and what is done with them is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from wellread.errors import ModelUnavailable
from wellread.ranking import Fusion, fused, lists_of
from wellread.search import WINDOW, Window, found_by_words
from wellread.steps import RetrievalSteps
from wellread.store.base import QueryVector, Snapshot
from wellread.types import Filters, Scope

if TYPE_CHECKING:
    from wellread.synonyms import Synonyms

WORDS = Fusion(by="words")


def orders(
    snapshot: Snapshot,
    text: str,
    vector: QueryVector,
    fusions: Sequence[Fusion],
    *,
    scope: Scope,
    today: date,
    steps: RetrievalSteps,
    synonyms: Synonyms | None,
) -> list[tuple[str, ...]]:
    """The paths of the documents that answer a text, best first, once for each fusion. Raises
    ``ModelUnavailable`` where no passage has a vector, ``VectorsRefused`` where those are of
    another model, ``UsageError`` for an empty text."""
    filters = Filters()
    query, words = found_by_words(
        snapshot, text, scope=scope, filters=filters, steps=steps, synonyms=synonyms
    )
    lists = lists_of(snapshot, query, words.hits, vector, scope=scope, filters=filters)
    if lists is None:
        raise ModelUnavailable("No passage has a vector yet: `wellread index` makes them.")
    found = []
    for one in fusions:
        # A search asks vectors for no code; they answer it where they are measured alone.
        asked = one if query.languages or one.by == "vectors" else WORDS
        ranking = fused(lists, asked)
        window = Window(snapshot, query, scope=scope, filters=filters, today=today, ranking=ranking)
        scored = [(each.passage_id, each.score) for each in ranking.fused[:WINDOW]]
        found.append(tuple(dict.fromkeys(c.document.path for c in window.candidates(scored))))
    return found

"""Ranked search: text → query → passages in scope → standing → one page of hits."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

from wellread.errors import UsageError
from wellread.globs import any_of
from wellread.outcome import fewer_filters, index_notes, outcome_of
from wellread.query import Query, build_query
from wellread.rank import (
    Candidate,
    best_of_sections,
    cap_documents,
    explain,
    in_order,
    put_successors,
)
from wellread.ranking import Ranking, ranked, reranked
from wellread.snippet import render, snippet
from wellread.standing import standings_in
from wellread.steps import DEFAULT_STEPS, RetrievalSteps
from wellread.store.base import DocumentRecord, LexicalResult, PassageRecord, Snapshot
from wellread.types import (
    Counts,
    Explanation,
    Filters,
    Hit,
    Scope,
    SearchResult,
    Standing,
)
from wellread.visible import visible

if TYPE_CHECKING:
    from wellread.ranking import Meaning
    from wellread.rerank import Reranker
    from wellread.synonyms import Synonyms

Detail = Literal["snippet", "passage"]

WINDOW = 200
"""Passages taken from the store; pages are cut from them (DESIGN, section 6)."""

DEFAULT_LIMIT = 8
LARGEST_LIMIT = 100  # half the window; more is another page


def search(
    snapshot: Snapshot,
    text: str,
    *,
    scope: Scope,
    today: date,
    filters: Filters,
    limit: int = DEFAULT_LIMIT,
    page: str | None = None,
    detail: Detail = "snippet",
    explained: bool = False,
    steps: RetrievalSteps = DEFAULT_STEPS,
    synonyms: Synonyms | None = None,
    meaning: Meaning | None = None,
    reranker: Reranker | None = None,
) -> SearchResult:
    """The passages that best match a text, a page at a time.

    ``limit`` is the number of hits a page, 1 to 100; ``page`` is a cursor of an earlier
    result for the same query and caller. ``meaning`` adds vectors to the words, ``reranker``
    orders the first passages anew; where either cannot be had, the result says so in its notes.
    Raises ``UsageError`` for an empty text, a wrong limit or a foreign cursor.
    """
    query, found = found_by_words(
        snapshot, text, scope=scope, filters=filters, steps=steps, synonyms=synonyms
    )
    ranking = ranked(snapshot, query, found.hits, meaning, scope=scope, filters=filters)
    if reranker is not None:
        ranking = reranked(snapshot, query, ranking, reranker, scope=scope)
    return paged(
        snapshot, query, ranking, Counts(all_words=found.all_groups, any_word=found.any_group),
        scope=scope, today=today, filters=filters, limit=limit, page=page, detail=detail,
        explained=explained,
    )  # fmt: skip


def found_by_words(
    snapshot: Snapshot,
    text: str,
    *,
    scope: Scope,
    filters: Filters,
    steps: RetrievalSteps,
    synonyms: Synonyms | None,
) -> tuple[Query, LexicalResult]:
    """A text as it is understood, and the passages that its words find: one more than the window
    holds, which tells whether more exist. Raises ``UsageError`` for an empty text."""
    query = build_query(
        text,
        snapshot=snapshot,
        scope=scope,
        filters=filters,
        synonyms=synonyms if steps.synonyms else None,
        weights=steps.query,
    )
    return query, snapshot.lexical(query.store, scope=scope, filters=filters, limit=WINDOW + 1)


def similar(
    snapshot: Snapshot,
    handle: str,
    *,
    scope: Scope,
    today: date,
    filters: Filters,
    limit: int = DEFAULT_LIMIT,
    page: str | None = None,
    detail: Detail = "snippet",
    explained: bool = False,
    model: str | None = None,
) -> SearchResult:
    """The passages of other documents that are most like a section or a document, a page at a
    time: by vectors where ``model`` names the one that is set, else by words.

    Raises ``NotFound`` for a handle that names nothing in scope; see ``search`` for the rest.
    """
    from wellread.similar import alike

    found = alike(snapshot, handle, scope=scope, filters=filters, model=model, limit=WINDOW + 1)
    return paged(
        snapshot, found.query, found.ranking, found.counts,
        scope=scope, today=today, filters=filters, limit=limit, page=page, detail=detail,
        explained=explained,
    )  # fmt: skip


def paged(
    snapshot: Snapshot,
    query: Query,
    ranking: Ranking,
    counts: Counts,
    *,
    scope: Scope,
    today: date,
    filters: Filters,
    limit: int,
    page: str | None,
    detail: Detail,
    explained: bool,
) -> SearchResult:
    """One page of the passages that were found, in the order in which they are shown."""
    if not 1 <= limit <= LARGEST_LIMIT:
        raise UsageError(f"The limit {limit} is out of range. Ask for 1 to {LARGEST_LIMIT} hits.")
    cursor = Cursor(query.text, filters, scope)
    offset = cursor.offset(page)
    window = Window(snapshot, query, scope=scope, filters=filters, today=today, ranking=ranking)
    candidates = window.candidates([(one.passage_id, one.score) for one in ranking.fused[:WINDOW]])
    shown = candidates[offset : offset + limit]
    first = candidates[0].score if candidates else 0.0
    # Not told by what the scope happens to hide: a hidden document must not change a number.
    scale = 1.0 if scope.caller.owner or first <= 0 else 1 / first
    outcome = outcome_of(snapshot, bool(candidates), scope=scope)
    without: tuple[tuple[str, int], ...] = ()
    if not candidates and filters and query.store.groups:
        without = without_each_filter(snapshot, query, filters, scope=scope)
        if without and outcome == "nothing-found":
            outcome = "nothing-with-filters"
    rest = len(candidates) - offset - len(shown)
    return SearchResult(
        outcome=outcome,
        hits=window.hits(shown, scale=scale, detail=detail, explained=explained),
        counts=counts,
        left_out=max(rest, 0),
        more_exist=len(ranking.fused) > WINDOW,
        next_page=cursor.at(offset + limit) if rest > 0 else None,
        indexed_at=snapshot.state.indexed_at,
        suggestions=query.suggestions,
        without_filters=without,
        notes=(*index_notes(snapshot), *ranking.notes),
        effective_query=query.effective_query if explained else (),
        synonyms=query.synonyms,
    )


class Window:
    """The candidates of one search, and the hits made of those that are shown."""

    def __init__(
        self,
        snapshot: Snapshot,
        query: Query,
        *,
        scope: Scope,
        filters: Filters,
        today: date,
        ranking: Ranking,
    ) -> None:
        self.snapshot = snapshot
        self.query = query
        self.scope = scope
        self.filters = filters
        self.today = today
        self.ranking = ranking

    def candidates(self, scored: Sequence[tuple[int, float]]) -> list[Candidate]:
        """Passages become candidates, in the order in which they are shown."""
        places = self.snapshot.places([one for one, _ in scored])
        documents = self.snapshot.documents(
            {place.document_id for place in places.values()}, scope=self.scope
        )
        passages = [
            (places[one], score)
            for one, score in scored
            if one in places and places[one].document_id in documents
        ]
        kept, further = cap_documents(best_of_sections(passages))
        standing = self._standings(documents.values())
        candidates = [
            Candidate(
                passage=passage,
                document=documents[passage.document_id],
                score=score,
                standing=standing[documents[passage.document_id].path],
                further=further.get(passage.document_id, 0),
            )
            for passage, score in kept
        ]
        return put_successors(in_order(candidates, like=self.ranking.like), self._fetch)

    def _standings(self, records: Iterable[DocumentRecord]) -> dict[str, Standing]:
        return standings_in(self.snapshot, records, scope=self.scope, today=self.today)

    def _fetch(self, path: str) -> Candidate | None:
        """The best passage of a successor that the window does not hold, within the filters;
        its first one where no word of the query is in it."""
        record = self.snapshot.find(path, scope=self.scope)
        if record is None or not self._passes(record):
            return None
        found = self.snapshot.lexical(
            self.query.store,
            scope=self.scope,
            filters=replace(self.filters, paths=()),
            within=frozenset({record.id}),
            limit=1,
        )
        if found.hits:
            ids = [found.hits[0].passage_id]
        else:
            ids = self.snapshot.first_passages(record.id, scope=self.scope)
        passage = self.snapshot.places(ids).get(ids[0]) if ids else None
        if passage is None or passage.document_id != record.id:
            return None
        return Candidate(
            passage=passage,
            document=record,
            score=found.hits[0].score * self.ranking.scale if found.hits else 0.0,
            standing=self._standings([record])[record.path],
        )

    def _passes(self, record: DocumentRecord) -> bool:
        if self.filters.paths and not any_of(self.filters.paths)(record.path):
            return False
        narrowed = replace(self.filters, paths=())
        return not narrowed or self.snapshot.passes(record.id, scope=self.scope, filters=narrowed)

    def hits(
        self, shown: Sequence[Candidate], *, scale: float, detail: Detail, explained: bool
    ) -> tuple[Hit, ...]:
        """The hits of one page, with their text."""
        ids = [one.passage.id for one in shown]
        passages = self.snapshot.passages(ids, scope=self.scope)
        parts = self._parts(ids) if explained else {}
        return tuple(
            self._hit(candidate, passages[candidate.passage.id], scale, detail, parts)
            for candidate in shown
        )

    def _hit(
        self,
        candidate: Candidate,
        passage: PassageRecord,
        scale: float,
        detail: Detail,
        parts: dict[int, list[Explanation]],
    ) -> Hit:
        record = candidate.document
        body = self.snapshot.body(record.id, scope=self.scope)
        if detail == "passage":
            text = visible(body[passage.char_start : passage.char_end]).strip("\n")
        else:
            text = render(
                snippet(
                    body,
                    passage.char_start,
                    passage.char_end,
                    self.query,
                    language=record.language,
                )
            )
        score = candidate.score * scale
        explanation = None
        if passage.id in parts:
            explanation = explain(candidate, parts.get(passage.id, []), scale=scale)
        life = record.lifecycle
        return Hit(
            path=record.path,
            section=f"{record.path}#{passage.section_slug}",
            lines=(passage.line_start, passage.line_end),
            pdf_page=passage.page,
            title=record.title,
            heading=passage.heading,
            snippet=text,
            score=score,
            type=record.type,
            type_written=record.type_written,
            state=life.state,
            state_explicit=life.state_explicit,
            standing=candidate.standing,
            updated=life.updated,
            indexed_at=record.indexed_at,
            attachments=record.attachments,
            further=candidate.further,
            context_line=context_line_of(record, passage),
            explanation=explanation,
        )

    def _parts(self, ids: Sequence[int]) -> dict[int, list[Explanation]]:
        """What each group and phrase of the query adds to each passage's score, and vectors
        and places where there are any."""
        parts: dict[int, list[Explanation]] = {one: [] for one in ids}
        for group in self.query.store.groups:
            scores = self.snapshot.group_scores(group, ids, scope=self.scope, filters=self.filters)
            for passage_id, part in scores.items():
                parts[passage_id].append(part)
        for phrase in self.query.store.phrases:
            scores = self.snapshot.phrase_scores(
                phrase, ids, scope=self.scope, filters=self.filters
            )
            for passage_id, part in scores.items():
                parts[passage_id].append(part)
        return {one: self.ranking.parts(one, found) for one, found in parts.items()}


def context_line_of(record: DocumentRecord, passage: PassageRecord) -> str:
    """Where a passage comes from: title › heading path, client, domain."""
    headings = [part for part in passage.heading if part != record.title]
    line = " › ".join([record.title, *headings])
    extras = [part for part in (record.client, record.domain) if part]
    return f"{line} ({', '.join(extras)})" if extras else line


def without_each_filter(
    snapshot: Snapshot, query: Query, filters: Filters, *, scope: Scope
) -> tuple[tuple[str, int], ...]:
    """How many passages there are in scope without each of the filters, where any."""
    counted = (
        (name, snapshot.lexical(query.store, scope=scope, filters=fewer, limit=1).any_group)
        for name, fewer in fewer_filters(filters)
    )
    return tuple((name, passages) for name, passages in counted if passages)


def page_after(text: str, filters: Filters, *, scope: Scope, page: str | None, shown: int) -> str:
    """The cursor of the page that follows the first hits of a page, where fewer could be shown
    than were asked for."""
    cursor = Cursor(text, filters, scope)
    return cursor.at(cursor.offset(page) + shown)


LONGEST_CURSOR = 64
"""Characters: of a key of 16 and an offset a cursor takes about 40."""


class Cursor:
    """Page cursors: an offset, good for one query, its filters and its caller alone."""

    def __init__(self, text: str, filters: Filters, scope: Scope) -> None:
        caller = scope.caller
        bound = repr((text, filters, caller.subject, caller.owner, sorted(caller.groups)))
        self.key = blake2b(bound.encode(), digest_size=8).hexdigest()

    def at(self, offset: int) -> str:
        """The cursor of a page that starts at this hit."""
        raw = json.dumps([self.key, offset]).encode()
        return urlsafe_b64encode(raw).decode().rstrip("=")

    def offset(self, page: str | None) -> int:
        """The hit that a cursor starts at; 0 without one."""
        if page is None:
            return 0
        key: object = None
        offset: object = None
        try:
            if len(page) > LONGEST_CURSOR:
                raise ValueError("no cursor is so long")
            padded = page + "=" * (-len(page) % 4)
            key, offset = json.loads(urlsafe_b64decode(padded))
        except (ValueError, TypeError):
            key = None
        if key != self.key or not isinstance(offset, int) or offset < 0:
            raise UsageError(
                f"The page {page[:40]!r} is not one of this query. Take the one that a result for "
                "the same words, filters and caller named, or leave it out for the first."
            )
        return offset

"""The order of hits: relevance first, then what governs among the equally relevant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from wellread.store.base import DocumentRecord, PassagePlace
from wellread.types import Explanation, Standing, StandingName

LIKE_RELEVANCE = 0.10
"""Scores within this share of the best of them are of like relevance (DESIGN, section 6)."""

HITS_PER_DOCUMENT = 3
"""More hits of a document are counted, not shown."""

CLASS: dict[StandingName, int] = {
    "current": 0,
    "overdue": 0,
    "not-yet-valid": 0,
    "in-review": 1,
    "draft": 1,
    "expired": 2,
    "superseded": 3,
}
"""How far standing counts among hits of like relevance; deprecated and archived documents
go to the end of the window instead."""

LAST: frozenset[StandingName] = frozenset({"deprecated", "archived"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A passage on its way to becoming a hit. ``further`` counts more hits of its document
    that are not shown; ``placed`` says why it stands where its score would not put it."""

    passage: PassagePlace
    document: DocumentRecord
    score: float
    standing: Standing
    further: int = 0
    placed: str | None = None


def best_of_sections(
    passages: Iterable[tuple[PassagePlace, float]],
) -> list[tuple[PassagePlace, float]]:
    """One passage for each section: its best. Passages come best first."""
    seen: set[int] = set()
    best = []
    for passage, score in passages:
        if passage.section_id not in seen:
            seen.add(passage.section_id)
            best.append((passage, score))
    return best


def cap_documents(
    passages: Sequence[tuple[PassagePlace, float]],
) -> tuple[list[tuple[PassagePlace, float]], dict[int, int]]:
    """The first hits of each document, and how many more each has."""
    shown: dict[int, int] = {}
    further: dict[int, int] = {}
    kept = []
    for passage, score in passages:
        document_id = passage.document_id
        if shown.get(document_id, 0) < HITS_PER_DOCUMENT:
            shown[document_id] = shown.get(document_id, 0) + 1
            kept.append((passage, score))
        else:
            further[document_id] = further.get(document_id, 0) + 1
    return kept, further


def in_order(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Order candidates, which come best first: among those of like relevance by standing,
    authority and freshness; deprecated and archived ones last."""
    ordered: list[Candidate] = []
    group: list[Candidate] = []
    for candidate in candidates:
        if group and candidate.score < group[0].score * (1 - LIKE_RELEVANCE):
            ordered += sorted(group, key=governs)
            group = []
        group.append(candidate)
    ordered += sorted(group, key=governs)
    first = [one for one in ordered if one.standing.name not in LAST]
    return first + [one for one in ordered if one.standing.name in LAST]


def governs(candidate: Candidate) -> tuple[int, int, int, float]:
    """The sort key among hits of like relevance: what governs comes first."""
    life = candidate.document.lifecycle
    # Age never counts against what is not time-sensitive.
    fresh = life.updated.toordinal() if life.time_sensitive and life.updated else 0
    if not life.time_sensitive:
        fresh = date.max.toordinal()
    return (CLASS.get(candidate.standing.name, 0), -life.authority, -fresh, -candidate.score)


def put_successors(
    candidates: Sequence[Candidate], fetch: Callable[[str], Candidate | None]
) -> list[Candidate]:
    """Put each superseded document's successor in its place, right before it, with at least
    its score; the versions between the two, where they are among the candidates, stand newer
    before older. ``fetch`` finds the successor's best passage where the window does not have it,
    or ``None`` where the filters exclude it."""
    placing = _Placing(candidates)
    for candidate in candidates:
        if candidate.passage.id in placing.done:
            continue
        successor = candidate.standing.successor
        if (
            successor is not None
            and candidate.standing.name == "superseded"
            and successor not in placing.paths
        ):
            found = placing.first.get(successor) or fetch(successor)
            if found is not None:
                placing.put(found, before=candidate)
        placing.put_newer(candidate)
        placing.put(candidate)
    return placing.placed


class _Placing:
    """The order in the making: what is placed, and the first candidate of each document."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.placed: list[Candidate] = []
        self.done: set[int] = set()
        self.paths: set[str] = set()
        self.first: dict[str, Candidate] = {}
        self._newer: dict[str, list[str]] = {}
        for one in candidates:
            path = one.document.path
            if self.first.setdefault(path, one) is one:
                for older in one.document.lifecycle.supersedes:
                    self._newer.setdefault(older, []).append(path)

    def put(self, candidate: Candidate, *, before: Candidate | None = None) -> None:
        """At the end of what is placed, with at least the score of what it stands before."""
        if before is not None:
            candidate = replace(
                candidate,
                score=max(candidate.score, before.score),
                placed=f"in place of {before.document.path}",
            )
        self.placed.append(candidate)
        self.done.add(candidate.passage.id)
        self.paths.add(candidate.document.path)

    def put_newer(self, candidate: Candidate) -> None:
        """The candidates that replace one, each after those that replace it in turn. Those of a
        circle are left where they are: their standing names no successor. Deprecated and
        archived ones stay at the end."""
        waiting = [candidate]
        above: list[Candidate] = []
        seen = {candidate.document.path}
        while waiting:
            one = waiting.pop()
            if one.standing.successor is None:
                continue
            own = one.document.lifecycle.superseded_by
            for path in (own, *self._newer.get(one.document.path, ())):
                other = self.first.get(path) if path else None
                if (
                    other is not None
                    and other.document.path not in seen | self.paths
                    and (other.standing.name not in LAST or candidate.standing.name in LAST)
                ):
                    seen.add(other.document.path)
                    above.append(other)
                    waiting.append(other)
        for other in reversed(above):
            self.put(other, before=candidate)


def explain(candidate: Candidate, parts: Sequence[Explanation], *, scale: float) -> Explanation:
    """A candidate's score as the sum of its parts, each times ``scale``; what a successor has
    from the place it stands in is a part of its own."""
    whole = list(parts)
    if candidate.placed is not None:
        more = candidate.score - sum(part.value for part in parts)
        whole.append(Explanation(label=candidate.placed, value=more))
    life = candidate.document.lifecycle
    if rule := life.said.get("authority"):
        # It decides among hits of like relevance, and adds nothing to a score.
        whole.append(Explanation(label=f"authority {life.authority}: {rule}", value=0.0))
    return Explanation(
        label="score",
        value=candidate.score * scale,
        op="sum",
        parts=tuple(scaled(part, scale) for part in whole),
    )


def scaled(part: Explanation, scale: float) -> Explanation:
    """An explanation with every value times ``scale``."""
    if scale == 1.0:
        return part
    return Explanation(
        label=part.label,
        value=part.value * scale,
        op=part.op,
        parts=tuple(scaled(one, scale) for one in part.parts),
    )

"""The order of hits: words and vectors put together, relevance first, then what governs among
the equally relevant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from wellread.store.base import DenseHit, DenseResult, DocumentRecord, PassagePlace, ScoredPassage
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


FUSED = 50
"""So many of the words' list and of the vectors' are put together by their scores (DESIGN,
section 6); the others follow."""

RRF_K = 60
RRF_FUSED = 20
"""The constant of Cormack, Clarke and Büttcher (SIGIR 2009), and the length of the lists."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fused:
    """A passage of either list. ``words`` and ``vectors`` are what each adds to its score, and
    ``moved`` what its place adds, for the reason that ``why`` gives."""

    passage_id: int
    words: float = 0.0
    vectors: float = 0.0
    moved: float = 0.0
    why: str = ""

    @property
    def score(self) -> float:
        """The sum of the three."""
        return self.words + self.vectors + self.moved


def similarity(hit: DenseHit, medians: Mapping[str, float]) -> float:
    """How near a passage is, from 0 for the median passage of its language to 1: raw cosines
    of some models all lie between .7 and .9."""
    median = min(medians.get(hit.language, 0.0), 0.999)
    return max(0.0, (hit.cosine - median) / (1.0 - median))


def calibrated_sum(
    lexical: Sequence[ScoredPassage],
    dense: DenseResult,
    *,
    attainable: float,
    share: float,
    languages: Collection[str],
) -> list[Fused]:
    """Words and vectors by how much each has to say: ``share`` of a passage's BM25 over what
    the query could attain, and the rest of its similarity. A passage in none of the query's
    ``languages`` takes its similarity where that is more, as its words cannot be the query's.

    Both lists come best first. What is in neither's first 50 follows, words before vectors.
    """
    scale = share / attainable if attainable > 0 else 0.0
    words = {hit.passage_id: hit.score * scale for hit in lexical}
    hits = {**dense.others, **{hit.passage_id: hit for hit in dense.hits}}
    near = {one: similarity(hit, dense.medians) for one, hit in hits.items()}

    def of(passage_id: int) -> Fused:
        own, meant = words.get(passage_id, 0.0), near.get(passage_id, 0.0)
        weighed = (1.0 - share) * meant
        hit = hits.get(passage_id)
        foreign = hit is not None and bool(languages) and hit.language not in languages
        if foreign and meant > own + weighed:
            return Fused(
                passage_id=passage_id,
                words=own,
                vectors=weighed,
                moved=meant - own - weighed,
                why="in another language than the query: by its vector alone",
            )
        return Fused(passage_id=passage_id, words=own, vectors=weighed)

    first = dict.fromkeys(hit.passage_id for hit in lexical[:FUSED])
    first |= dict.fromkeys(hit.passage_id for hit in dense.hits[:FUSED])
    fused = sorted(map(of, first), key=lambda one: -one.score)
    rest = [of(hit.passage_id) for hit in lexical[FUSED:] if hit.passage_id not in first]
    seen = {one.passage_id for one in (*fused, *rest)}
    rest += [of(hit.passage_id) for hit in dense.hits[FUSED:] if hit.passage_id not in seen]
    return below(fused, rest)


def reciprocal_ranks(
    lexical: Sequence[ScoredPassage], dense: DenseResult, *, k: int = RRF_K
) -> list[Fused]:
    """Words and vectors by their ranks alone, the first 20 of each; the rest follows."""
    words = {hit.passage_id: 1 / (k + rank) for rank, hit in enumerate(lexical[:RRF_FUSED], 1)}
    near = {hit.passage_id: 1 / (k + rank) for rank, hit in enumerate(dense.hits[:RRF_FUSED], 1)}
    fused = [
        Fused(passage_id=one, words=words.get(one, 0.0), vectors=near.get(one, 0.0))
        for one in dict.fromkeys((*words, *near))
    ]
    fused.sort(key=lambda one: -one.score)
    others = dict.fromkeys(
        (
            *(hit.passage_id for hit in lexical[RRF_FUSED:]),
            *(hit.passage_id for hit in dense.hits[RRF_FUSED:]),
        )
    )
    rest = [Fused(passage_id=one) for one in others if one not in words and one not in near]
    return below(fused, rest)


def below(fused: list[Fused], rest: Sequence[Fused]) -> list[Fused]:
    """Passages that follow others: none may score more than the one before it."""
    placed = list(fused)
    for one in rest:
        last = placed[-1].score if placed else one.score
        if one.score > last:
            one = replace(
                one, moved=one.moved + last - one.score, why="after the first of each list"
            )
        placed.append(one)
    return placed


def exact_first(fused: Sequence[Fused], first: int | None, holders: Collection[int]) -> list[Fused]:
    """Keep the passage that leads by its words in the first place, where it holds a code or a
    rare name to the letter and what has come to stand there does not: what only resembles it
    is not it. (m: taking any holder in place of the ``first`` costs XQuAD-ru .019.)"""
    if not fused or first not in holders or fused[0].passage_id in holders:
        return list(fused)
    best = next((one for one in fused if one.passage_id == first), None)
    if best is None:
        return list(fused)
    moved = replace(
        best,
        moved=best.moved + fused[0].score - best.score,
        why="holds what was asked for to the letter",
    )
    return [moved, *(one for one in fused if one is not best)]


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


def in_order(candidates: Sequence[Candidate], *, like: float = LIKE_RELEVANCE) -> list[Candidate]:
    """Order candidates, which come best first: among those of like relevance by standing,
    authority and freshness; deprecated and archived ones last. ``like`` is 0 where scores say
    nothing of relevance, as sums of reciprocal ranks."""
    ordered: list[Candidate] = []
    group: list[Candidate] = []
    for candidate in candidates:
        if group and candidate.score < group[0].score * (1 - like):
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
        self._put_newer(candidate, candidate, {candidate.document.path})

    def _put_newer(self, one: Candidate, oldest: Candidate, seen: set[str]) -> None:
        if one.standing.successor is None:
            return
        own = one.document.lifecycle.superseded_by
        for path in (own, *self._newer.get(one.document.path, ())):
            other = self.first.get(path) if path else None
            if other is None or path in seen or path in self.paths:
                continue
            if other.standing.name in LAST and oldest.standing.name not in LAST:
                continue
            seen.add(other.document.path)
            self._put_newer(other, oldest, seen)
            self.put(other, before=oldest)


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

"""Governed context: everything that bears on a task, marked how to use it, within a budget.

What bears on the task is gathered, disagreements are found among all of it, standing and
relevance decide what is delivered, the budget in which form, and the verdict how far to
trust it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from wellread.bearing import Bearing, Bearings
from wellread.budget import Fitted, fit
from wellread.conflicts import find_conflicts
from wellread.context_text import conflict_lines, context_text, frame_tokens
from wellread.delivery import Conflict, ContextResult, Reduced
from wellread.drafts import Draft, gated, make_drafts, pointed
from wellread.errors import UsageError
from wellread.governed import overlap
from wellread.outcome import index_notes, outcome_of
from wellread.query import build_query
from wellread.rank import CLASS
from wellread.stakes import SHIPPED, load_rules, stakes_of
from wellread.standing import NEVER_DELIVERED
from wellread.store.base import Snapshot
from wellread.synonyms import Synonyms
from wellread.tokens import estimate
from wellread.types import Explanation, Filters, Scope
from wellread.verdict import AUTHORITY_AT_HIGH_STAKES, COVERED, Evidence, judge

SMALLEST_BUDGET = 300
"""Tokens below which not even the verdict and a few pointers fit."""

FLOOR = 0.18
"""The governed score below which nothing is delivered but what governs or belongs to a piece."""

FLOOR_SHARE = 0.6
"""The same, as a share of the best score. Recall, tokens and the share of tokens in an expected
document on deep-rag-gitlab (benchmarks/delivery.py) at .45, .6, .75, .8: .648 7,231 .29;
.672 6,050 .46; .656 4,797 .58; .636 4,607 .62."""

DECIDED_SHARE = 0.05
"""The share of the budget for conflicts that are decided: 500 tokens, about eight of them, of
the 10,000 of a delivery."""

COVERING = 0.8
"""The share of a draft's words of the task that something current must hold to take its place."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextSettings:
    """``[context]``, ``[stakes]`` and ``[sensitivity]``. ``amount`` is the money from which
    stakes are high, in units of whatever currency; ``purposes`` lists, for each sensitivity
    that is gated, the purposes it is delivered for."""

    budget: int = 10_000
    amount: float = 10_000
    rules: Path = SHIPPED
    authority: int = AUTHORITY_AT_HIGH_STAKES
    covered: float = COVERED
    purposes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """What is asked of ``context``. ``stakes`` and ``domain`` are inferred where ``None``;
    ``as_of`` is the day that standing is computed for."""

    text: str
    budget: int
    as_of: date
    stakes: str | None = None
    domain: str | None = None
    purpose: str | None = None


def context(
    snapshot: Snapshot,
    task: Task,
    *,
    scope: Scope,
    settings: ContextSettings,
    synonyms: Synonyms | None = None,
    notes_of: Callable[[Collection[str]], tuple[str, ...]] = lambda _: (),
) -> ContextResult:
    """Everything that bears on a task, in scope. ``notes_of`` gives what else a reader must
    know of documents by their paths. Raises ``UsageError`` for an empty task, a budget that holds
    nothing, and unknown stakes."""
    if task.budget < SMALLEST_BUDGET:
        raise UsageError(
            f"The budget {task.budget} is too small. Give {SMALLEST_BUDGET} tokens or more."
        )
    stakes = stakes_of(
        task.text, given=task.stakes, rules=load_rules(settings.rules), amount=settings.amount
    )
    query = build_query(
        task.text, snapshot=snapshot, scope=scope, filters=Filters(), synonyms=synonyms
    )
    bearings = Bearings(query, snapshot=snapshot, scope=scope, as_of=task.as_of, domain=task.domain)
    found = bearings.gather()
    relevant = above_floor(put_in_place(found))
    conflicts = worth_their_room(find_conflicts(relevant), task.budget)
    delivered, left = standing_ones(relevant)
    drafts = [gated(one, task.purpose, settings.purposes) for one in make_drafts(delivered)]
    covered = coverage(delivered, bearings.idf)
    if covered < settings.covered:  # a weak answer is none: where it comes near is told, no more
        drafts = [pointed(one) if one.forms[0].reach == "retrieved" else one for one in drafts]
    whole = ContextResult(
        outcome=outcome_of(snapshot, bool(drafts), scope=scope),
        task=task.text,
        pieces=(),
        conflicts=tuple(conflicts),
        reduced=tuple(left),
        verdict=None,
        stakes=stakes,
        mode="fast",
        mode_reason="no chat model is asked",
        domain=bearings.domain.name,
        domain_from=bearings.domain.found_by,
        coverage=covered,
        tokens=0,
        budget=task.budget,
        as_of=task.as_of,
        indexed_at=snapshot.state.indexed_at,
        notes=(*index_notes(snapshot), *notes_of({one.forms[0].path for one in drafts})),
    )
    return within_budget(whole, drafts, settings)


# --- which conflicts -----------------------------------------------------------------------


def worth_their_room(conflicts: Sequence[Conflict], budget: int) -> list[Conflict]:
    """All that nothing decides, since the verdict rests on them, and of the others, whose losing
    side is left out or marked anyway, as many as fit into their share of the budget."""
    room = budget * DECIDED_SHARE
    told = []
    for one in conflicts:
        if one.stands is not None:
            room -= estimate("\n".join((*conflict_lines(one), "")))
            if room < 0:
                continue
        told.append(one)
    return told


# --- which sections ------------------------------------------------------------------------


def put_in_place(found: Sequence[Bearing]) -> list[Bearing]:
    """The same with each successor as high as the best of what it stands in the place of:
    whoever asks in the words of the old page is given the new one."""
    best: dict[str, float] = {}
    for one in found:
        best[one.record.path] = max(best.get(one.record.path, 0.0), one.score.value)
    raised: dict[str, tuple[float, str]] = {}
    for one in found:
        successor = one.standing.successor
        if one.standing.name in ("superseded", "deprecated") and successor in best:
            more = best[one.record.path] - best[successor]
            if more > raised.get(successor, (0.0, ""))[0]:
                raised[successor] = (more, one.record.path)
    placed = [
        replace(one, score=_raised(one.score, *raised[one.record.path]))
        if one.record.path in raised
        else one
        for one in found
    ]
    return sorted(placed, key=lambda one: (-one.score.value, one.handle))


def _raised(score: Explanation, more: float, path: str) -> Explanation:
    part = Explanation(label=f"in place of {path}", value=more)
    return replace(score, value=score.value + more, parts=(*score.parts, part))


def above_floor(found: Sequence[Bearing]) -> list[Bearing]:
    """What is relevant enough; always-on and triggered documents and successors are spared."""
    best = max((one.score.value for one in found), default=0.0)
    floor = max(FLOOR, FLOOR_SHARE * best)
    kept = [one for one in found if one.score.value >= floor]
    have = {one.record.id for one in kept}
    for one in found:
        if one.reach != "retrieved" and one.record.id not in have:
            kept.append(one)
            have.add(one.record.id)
    return kept


def standing_ones(relevant: Sequence[Bearing]) -> tuple[list[Bearing], list[Reduced]]:
    """What standing lets through, and what it leaves out with the reason: superseded and
    deprecated documents give way to their successors, archived ones to nothing; drafts and
    expired ones only where nothing current covers them (DESIGN, section 6)."""
    kept: list[Bearing] = []
    left: dict[str, str] = {}
    current = [one for one in relevant if CLASS.get(one.standing.name) == 0]
    for one in relevant:
        name = one.standing.name
        reason = ", ".join(one.standing.reasons) or name
        if name in NEVER_DELIVERED:
            left.setdefault(one.record.path, reason)
        elif name in ("draft", "in-review", "expired") and covered_by(one, current):
            left.setdefault(one.record.path, f"{reason}; something current covers it")
        else:
            kept.append(one)
    reduced = [Reduced(section=path, form=None, reason=why) for path, why in left.items()]
    return kept, reduced


def covered_by(one: Bearing, current: Sequence[Bearing]) -> bool:
    """Whether something current of ours says as much about the task."""
    wanted = one.relevance.present
    return any(
        other.record.id != one.record.id
        and other.record.about == "ours"
        and other.record.type in ("guideline", "playbook", "reference")
        and len(wanted & other.relevance.present) >= COVERING * len(wanted)
        for other in current
    )


def coverage(delivered: Sequence[Bearing], idf: Mapping[str, float]) -> float:
    """The share of the task's words, by idf, that what is delivered holds."""
    return overlap((word for one in delivered for word in one.relevance.present), idf)


# --- within the budget ---------------------------------------------------------------------


def within_budget(
    whole: ContextResult, drafts: Sequence[Draft], settings: ContextSettings
) -> ContextResult:
    """The delivery in the largest forms that fit, with its verdict. What surrounds the pieces
    depends on what gave way, so the fit is repeated with the room that is really there."""
    room = whole.budget
    while True:
        fitted = fit(
            [one.sized for one in drafts], room, lambda uses: frame_tokens(uses, whole.conflicts)
        )
        result = _delivered(whole, drafts, fitted, settings)
        over = result.tokens - whole.budget
        if over <= 0:
            return result
        if room <= 0:
            return shortest(result)
        room -= max(over, room // 20)


def _delivered(
    whole: ContextResult, drafts: Sequence[Draft], fitted: Fitted, settings: ContextSettings
) -> ContextResult:
    pieces, reduced = [], list(whole.reduced)
    for draft in drafts:
        form = fitted.forms[draft.handle]
        if form is not None:
            pieces.append(next(one for one in draft.forms if one.form == form))
        if form != draft.forms[0].form:
            reduced.append(Reduced(section=draft.handle, form=form, reason="for the budget"))
    result = replace(whole, pieces=tuple(pieces), reduced=tuple(reduced))
    verdict = judge(
        Evidence(
            pieces=pieces,
            conflicts=whole.conflicts,
            stakes=whole.stakes,
            coverage=whole.coverage,
            rules_gave_way=fitted.rules_gave_way,
        ),
        covered=settings.covered,
        authority=settings.authority,
    )
    result = replace(result, verdict=verdict)
    if verdict is None and result.outcome == "found":
        result = replace(result, outcome="nothing-answers")
    return replace(result, tokens=estimate(context_text(result)))


def shortest(result: ContextResult) -> ContextResult:
    """The verdict alone, where not even what surrounds the pieces fits."""
    bare = replace(
        result,
        pieces=(),
        conflicts=(),
        reduced=(),
        notes=(f"The budget of {result.budget} tokens holds no more: give a larger one.",),
    )
    return replace(bare, tokens=estimate(context_text(bare)))

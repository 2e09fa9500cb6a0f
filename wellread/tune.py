"""What words should count in the sum with vectors, proposed from a library's own questions."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from wellread.errors import UsageError
from wellread.library import Library
from wellread.questions import Question
from wellread.ranking import Fusion
from wellread.significance import Difference, paired
from wellread.sweep import Way, ways
from wellread.types import Caller

GRID = tuple(step / 20 for step in range(21))
"""Shares that are tried."""

FOLDS = 5
"""Parts of the questions, each judged by a share that was chosen without it: of a hundred
questions eighty choose, and twenty judge."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """``share`` is the best on all questions, ``current`` the one that is set. ``means`` are
    those of all questions by share. ``held_out`` is the difference to the current one on
    questions that had no say in the choice, and ``chosen`` what each part was judged by."""

    share: float
    current: float
    questions: int
    means: Mapping[float, float]
    held_out: Difference
    chosen: tuple[float, ...]

    @property
    def worth_it(self) -> bool:
        """Whether another share is shown to be better."""
        return self.share != self.current and self.held_out.low > 0


def propose(
    questions: Sequence[Question],
    library: Library,
    *,
    callers: Mapping[str | None, Caller],
    today: date,
) -> Proposal:
    """The share that suits these questions. Raises ``UsageError`` for fewer than ``FOLDS``
    questions that expect something, and what ``sweep.ways`` raises."""
    asked = [one for one in questions if not one.control]
    if len(asked) < FOLDS:
        raise UsageError(
            f"{len(asked)} questions expect something: --tune needs {FOLDS}, and is worth "
            "little below a hundred."
        )
    current = library.config.lexical_share
    fusions = [Fusion(by="sum", share=share) for share in sorted({*GRID, current})]
    tried = ways(asked, library, fusions, callers=callers, today=today)
    return chosen_from(tried, asked, current)


def chosen_from(tried: Sequence[Way], questions: Sequence[Question], current: float) -> Proposal:
    """The proposal, from what every share made of every question."""
    values = {way.fusion.share: way.values for way in tried}
    parts = dealt(questions)
    chosen = []
    tuned: list[float] = []
    kept: list[float] = []
    for part in parts:
        others = [one.id for other in parts if other is not part for one in other]
        share = best(values, others, current)
        chosen.append(share)
        tuned += [values[share][one.id] for one in part]
        kept += [values[current][one.id] for one in part]
    return Proposal(
        share=best(values, [one.id for one in questions], current),
        current=current,
        questions=len(questions),
        means={share: statistics.fmean(found.values()) for share, found in values.items()},
        held_out=paired(tuned, kept),
        chosen=tuple(chosen),
    )


def dealt(questions: Sequence[Question]) -> list[list[Question]]:
    """The questions in ``FOLDS`` parts, each category dealt out among all."""
    by_category = sorted(questions, key=lambda one: one.category)
    return [by_category[start::FOLDS] for start in range(FOLDS)]


def best(values: Mapping[float, Mapping[str, float]], ids: Sequence[str], current: float) -> float:
    """The share with the best mean on some questions; of equal ones the nearest to the current."""

    def worth(share: float) -> tuple[float, float]:
        mean = statistics.fmean(values[share][one] for one in ids)
        return round(mean, 9), -abs(share - current)

    return max(values, key=worth)

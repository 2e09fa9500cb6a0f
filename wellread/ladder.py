"""The ladder: one step of retrieval after the other, each measured against the one before."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from wellread.config import Config
from wellread.embedding import EmbeddingProgress
from wellread.evaluate import Evaluation, callers_of, evaluate, grouped
from wellread.measures import DECIDES, FEWEST, MEASURES
from wellread.questions import Question
from wellread.remembered import Remembered
from wellread.rungs import Rung, rungs
from wellread.significance import Difference, paired
from wellread.sweep import Sweep, sweep
from wellread.types import Caller
from wellread.workshop import CANNOT, Built, VectorCost, Workshop


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What a rung costs: seconds to build its index, bytes on disk, the median milliseconds
    of a search and the median tokens of an answer. Where there are ``vectors``, theirs are in
    the other figures."""

    seconds: float
    disk: int
    milliseconds: float
    tokens: float
    vectors: VectorCost | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A measured rung. ``changes`` are the differences to the rung before by measure, empty
    for the first; ``categories`` those of ``DECIDES`` in each category. ``to_words`` is that of
    ``DECIDES`` to the last rung that asks no model, where that is not the one before."""

    rung: Rung
    evaluation: Evaluation
    cost: Cost
    changes: Mapping[str, Difference] = field(default_factory=dict)
    categories: Mapping[str, Difference] = field(default_factory=dict)
    to_words: Difference | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Ladder:
    """The measured steps, lowest first, and the rungs that were left out; ``sweep`` has the
    other ways of putting words and vectors together, where there are vectors."""

    steps: tuple[Step, ...]
    left_out: tuple[Rung, ...] = ()
    sweep: Sweep | None = None


def climb(
    questions: Sequence[Question],
    config: Config,
    *,
    caller: Caller,
    today: date,
    table: Sequence[Rung] | None = None,
    begun: Callable[[Rung], None] | None = None,
    embedding: Callable[[EmbeddingProgress], None] | None = None,
    model: Remembered | None = None,
) -> Ladder:
    """Measure every rung on the sources of a configuration. Each index is built anew in a
    temporary folder; the library itself is not touched, but its vectors are taken over.
    ``begun`` is told of each rung, ``embedding`` how far that is; ``model`` stands in for the
    one of the configuration. Raises what indexing and ``evaluate`` raise."""
    table = rungs(config) if table is None else table
    callers = callers_of(questions, config, caller)
    steps: list[Step] = []
    left_out: list[Rung] = []
    found: Sweep | None = None
    with TemporaryDirectory(prefix="wellread-ladder-") as folder, ExitStack() as opened:
        workshop = Workshop(config, Path(folder), today, opened, embedding, model)
        for rung in table:
            if begun is not None and not rung.missing:
                begun(rung)
            try:
                built = workshop.build(rung, questions)
            except CANNOT as error:
                if rung.words_alone:
                    raise
                left_out.append(replace(rung, missing=str(error)))
                continue
            if built is None:
                left_out.append(rung)
                continue
            evaluation = evaluate(questions, built.searcher, callers=callers, audit=workshop.audit)
            steps.append(_step(rung, evaluation, built, steps))
            if rung.vectors and found is None:
                found = sweep(questions, built.library, callers=callers, today=today)
    return Ladder(steps=tuple(steps), left_out=tuple(left_out), sweep=found)


def _step(rung: Rung, evaluation: Evaluation, built: Built, before: Sequence[Step]) -> Step:
    results = evaluation.results
    own = built.vectors.milliseconds if built.vectors else 0.0
    cost = Cost(
        seconds=built.seconds,
        disk=built.disk,
        milliseconds=statistics.median(one.answer.milliseconds for one in results) + own,
        tokens=statistics.median(one.answer.tokens for one in results),
        vectors=built.vectors,
    )
    step = Step(rung=rung, evaluation=evaluation, cost=cost)
    if not before or not evaluation.asked:
        return step
    last = before[-1].evaluation
    words = [one for one in before if one.rung.words_alone]
    return replace(
        step,
        changes={name: change(evaluation, last, name) for name in MEASURES},
        categories={
            category: change(evaluation, last, DECIDES, category)
            for category, found in grouped(
                evaluation.asked, lambda one: one.question.category
            ).items()
            if len(found) >= FEWEST
        },
        to_words=change(evaluation, words[-1].evaluation, DECIDES)
        if words and words[-1] is not before[-1]
        else None,
    )


def change(
    new: Evaluation, old: Evaluation, measure: str, category: str | None = None
) -> Difference:
    """How a measure differs between two evaluations of the same questions."""
    before = {one.question.id: one.measures[measure] for one in old.asked}
    values = [
        (one.measures[measure], before[one.question.id])
        for one in new.asked
        if category is None or one.question.category == category
    ]
    return paired([one for one, _ in values], [other for _, other in values])

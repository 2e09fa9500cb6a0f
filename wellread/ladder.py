"""The ladder: one step of retrieval after the other, each measured against the one before."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from wellread.audit import Audit
from wellread.config import Config
from wellread.evaluate import (
    Evaluation,
    LibrarySearcher,
    Searcher,
    callers_of,
    evaluate,
    grouped,
    library_facts,
)
from wellread.library import Library
from wellread.measures import MEASURES
from wellread.questions import Question
from wellread.seed import Seed, sections_of
from wellread.significance import Difference, paired
from wellread.steps import DEFAULT_STEPS, QueryWeights, RetrievalSteps
from wellread.store.base import Weights
from wellread.types import Caller

DECIDES = "ndcg@10"
"""The measure by which a step is said to be better: it sees the whole first page."""

WARM_UP = 5.0
"""Seconds: a shorter first build is repeated, since what a process loads at its first (0.2 s) is no
step's cost."""

CONTEXT_LINE = "+ context line"

FEWEST = 5
"""Questions of a category below which a difference is chance alone and is not shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rung:
    """A configuration of the ladder: ``steps``, or ``None`` for the plain recipe. ``missing``
    says why it cannot be measured here, where it cannot."""

    name: str
    about: str
    steps: RetrievalSteps | None
    missing: str = ""


def rungs(config: Config) -> tuple[Rung, ...]:
    """The steps in their order, each with all those before it; what the configuration lacks is
    said."""
    words = RetrievalSteps(
        weights=Weights(context=0, pairs=0), query=QueryWeights(pair=0), synonyms=False
    )
    pairs = RetrievalSteps(weights=Weights(context=0), synonyms=False)
    dictionary = config.synonyms is not None and config.synonyms.is_file()
    return (
        Rung(
            name="seed",
            about="the plain recipe: FTS5 bm25(…, 0, 5, 3, 1) over sections, OR, 8 hits",
            steps=None,
        ),
        Rung(name="bm25", about="our BM25 over passages: title, heading, body", steps=words),
        Rung(name="+ word pairs", about="neighbouring words as terms of their own", steps=pairs),
        Rung(
            name="+ synonyms",
            about="words of the house looked for under what the documents call them",
            steps=replace(pairs, synonyms=True),
            missing="" if dictionary else "There is no dictionary: see docs/synonyms.md.",
        ),
        Rung(
            name=CONTEXT_LINE,
            about="client, domain, aliases and tags as text of the passage",
            steps=DEFAULT_STEPS,
        ),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What a rung costs: seconds to build its index, bytes on disk, the median milliseconds
    of a search and the median tokens of an answer."""

    seconds: float
    disk: int
    milliseconds: float
    tokens: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A measured rung. ``changes`` are the differences to the rung before by measure, empty
    for the first; ``categories`` those of ``DECIDES`` in each category."""

    rung: Rung
    evaluation: Evaluation
    cost: Cost
    changes: Mapping[str, Difference] = field(default_factory=dict)
    categories: Mapping[str, Difference] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ladder:
    """The measured steps, lowest first, and the rungs that were left out."""

    steps: tuple[Step, ...]
    left_out: tuple[Rung, ...] = ()


def climb(
    questions: Sequence[Question],
    config: Config,
    *,
    caller: Caller,
    today: date,
    table: Sequence[Rung] | None = None,
    begun: Callable[[Rung], None] | None = None,
) -> Ladder:
    """Measure every rung on the sources of a configuration. Each index is built anew in a
    temporary folder; the library itself is not touched. Raises what indexing and
    ``evaluate`` raise."""
    table = rungs(config) if table is None else table
    callers = callers_of(questions, config, caller)
    steps: list[Step] = []
    with TemporaryDirectory(prefix="wellread-ladder-") as folder, ExitStack() as opened:
        workshop = Workshop(config, Path(folder), today, opened)
        for rung in table:
            if rung.missing:
                continue
            if begun is not None:
                begun(rung)
            searcher, seconds, disk = workshop.build(rung)
            evaluation = evaluate(questions, searcher, callers=callers, audit=workshop.audit)
            steps.append(_step(rung, evaluation, seconds, disk, steps[-1:]))
    return Ladder(steps=tuple(steps), left_out=tuple(rung for rung in table if rung.missing))


class Workshop:
    """Where the indexes of a ladder are built: one for each set of weights."""

    def __init__(self, config: Config, folder: Path, today: date, opened: ExitStack) -> None:
        self.config = config
        self.folder = folder
        self.today = today
        self.opened = opened
        self.built: dict[Weights, tuple[Path, float]] = {}
        self.audit = Audit(acls={})

    def build(self, rung: Rung) -> tuple[Searcher, float, int]:
        """What a rung asks, the seconds that its index took, and its bytes."""
        if rung.steps is None:
            return self._seed()
        path, seconds = self._index(rung.steps)
        return LibrarySearcher(self._open(path, rung.steps), self.today), seconds, size_of(path)

    def _seed(self) -> tuple[Searcher, float, int]:
        path, _ = self._index(RetrievalSteps(weights=Weights(context=0, pairs=0)))
        sections = sections_of(self._open(path, DEFAULT_STEPS))
        file = self.folder / "seed.db"
        started = time.perf_counter()
        seed = Seed(file, sections, self.audit)
        seconds = time.perf_counter() - started
        self.opened.callback(seed.close)
        return seed, seconds, file.stat().st_size // 2  # two tables, of which a house has one

    def _index(self, steps: RetrievalSteps) -> tuple[Path, float]:
        if steps.weights not in self.built:
            path = self.folder / str(len(self.built))
            library = self._open(path, steps)
            started = time.perf_counter()
            library.index()
            seconds = time.perf_counter() - started
            if not self.built and seconds < WARM_UP:
                started = time.perf_counter()
                library.index(full=True)
                seconds = time.perf_counter() - started
            self.built[steps.weights] = path, seconds
            self.audit = library_facts(library)[0]
        return self.built[steps.weights]

    def _open(self, path: Path, steps: RetrievalSteps) -> Library:
        library = Library(replace(self.config, library=path, trace=False), steps=steps)
        return self.opened.enter_context(library)


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _step(
    rung: Rung, evaluation: Evaluation, seconds: float, disk: int, before: Sequence[Step]
) -> Step:
    results = evaluation.results
    cost = Cost(
        seconds=seconds,
        disk=disk,
        milliseconds=statistics.median(one.answer.milliseconds for one in results),
        tokens=statistics.median(one.answer.tokens for one in results),
    )
    step = Step(rung=rung, evaluation=evaluation, cost=cost)
    if not before or not evaluation.asked:
        return step
    return replace(
        step,
        changes={name: change(evaluation, before[0].evaluation, name) for name in MEASURES},
        categories={
            category: change(evaluation, before[0].evaluation, DECIDES, category)
            for category, found in grouped(evaluation.asked, lambda q: q.category).items()
            if len(found) >= FEWEST
        },
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

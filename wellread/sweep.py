"""Words and vectors put together in several ways on the same questions: by ranks with other
constants, by the sum with other shares, and each list alone."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from wellread.evaluate import grouped
from wellread.library import Library
from wellread.measures import DECIDES, DEPTH, FEWEST, measured
from wellread.questions import Question
from wellread.rank import RRF_K
from wellread.ranking import Fusion
from wellread.significance import Difference, paired
from wellread.types import Caller

CONSTANTS = (10, 20, 30, 40, RRF_K, 80, 100)
"""What is added to every rank before its reciprocal is taken."""

SHARES = (0.4, 0.5, 0.6, 0.7, 0.8)
"""What words count in the calibrated sum."""

MOST_BELOW = 0.01
"""So far below the better of its two lists a hybrid may be on judged questions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """A way of putting the lists together, and ``measures.DECIDES`` of each question by its id."""

    fusion: Fusion
    values: Mapping[str, float]

    @property
    def mean(self) -> float:
        """The mean over all questions."""
        return statistics.fmean(self.values.values())

    def mean_of(self, questions: Sequence[Question]) -> float:
        """The mean over some of the questions."""
        return statistics.fmean(self.values[one.id] for one in questions)

    def against(self, other: Way) -> Difference:
        """How this way differs from another on all questions."""
        ids = list(self.values)
        return paired([self.values[one] for one in ids], [other.values[one] for one in ids])


@dataclass(frozen=True, kw_only=True, slots=True)
class Sweep:
    """The ways that a ladder tries; ``share`` is the one that the configuration sets."""

    questions: tuple[Question, ...]
    words: Way
    vectors: Way
    ranks: tuple[Way, ...]
    sums: tuple[Way, ...]
    share: float

    @property
    def by_ranks(self) -> Way:
        """By ranks as the product does it."""
        return next(one for one in self.ranks if one.fusion.k == RRF_K)

    @property
    def by_sum(self) -> Way:
        """By the sum as the product does it."""
        return next(one for one in self.sums if one.fusion.share == self.share)

    @property
    def better(self) -> Way:
        """The better of the two lists."""
        return max(self.words, self.vectors, key=lambda one: one.mean)

    def short_of(self, way: Way) -> dict[str, float]:
        """How far a way is below the better of the two lists, in each category where it is;
        ``""`` stands for all questions."""
        groups = {"": list(self.questions), **grouped(self.questions, lambda one: one.category)}
        found = {}
        for name, questions in groups.items():
            if name and len(questions) < FEWEST:
                continue
            best = max(self.words.mean_of(questions), self.vectors.mean_of(questions))
            if way.mean_of(questions) < best:
                found[name] = best - way.mean_of(questions)
        return found


def sweep(
    questions: Sequence[Question],
    library: Library,
    *,
    callers: Mapping[str | None, Caller],
    today: date,
) -> Sweep | None:
    """All ways on one library with vectors; ``None`` where no question expects anything.
    Raises what ``ways`` raises."""
    share = library.config.lexical_share
    shares = sorted({*SHARES, share})
    fusions = [
        Fusion(by="words"),
        Fusion(by="vectors"),
        *(Fusion(by="rrf", k=k) for k in CONSTANTS),
        *(Fusion(by="sum", share=one) for one in shares),
    ]
    asked = tuple(one for one in questions if not one.control)
    if not asked:
        return None
    words, vectors, *others = ways(asked, library, fusions, callers=callers, today=today)
    return Sweep(
        questions=asked,
        words=words,
        vectors=vectors,
        ranks=tuple(one for one in others if one.fusion.by == "rrf"),
        sums=tuple(one for one in others if one.fusion.by == "sum"),
        share=share,
    )


def ways(
    questions: Sequence[Question],
    library: Library,
    fusions: Sequence[Fusion],
    *,
    callers: Mapping[str | None, Caller],
    today: date,
) -> list[Way]:
    """Each question asked once by its caller, and judged once for each fusion. Raises
    ``ModelUnavailable`` where there are no vectors to be had, and ``MissingExtra``."""
    scopes = {subject: library.scope(caller) for subject, caller in callers.items()}
    rankings: list[dict[str, Sequence[str]]] = [{} for _ in fusions]
    for question in questions:
        found = library.orders(question.text, fusions, scope=scopes[question.subject], today=today)
        for ranking, paths in zip(rankings, found, strict=True):
            ranking[question.id] = paths[:DEPTH]
    qrels = {question.id: question.documents for question in questions}
    return [
        Way(
            fusion=fusion,
            values={name: one[DECIDES] for name, one in measured(ranking, qrels).items()},
        )
        for fusion, ranking in zip(fusions, rankings, strict=True)
    ]

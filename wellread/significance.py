"""Whether two systems differ on the same questions: paired differences, an interval, a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wellread.errors import MissingExtra

RESAMPLES = 9_999
"""With the sample itself 10,000: a p-value is known to 0.0001. Efron and Tibshirani, An
Introduction to the Bootstrap (1993), section 13.3, ask for 1,000 or more for an interval."""

SEED = 20260615
"""Any number, always the same: the same results give the same report."""

LEVEL = 0.95
BATCH = 500  # resamples at a time: 8 bytes for each of them and each question


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """How much more a measure is in the mean, with its 95 % bootstrap interval (percentile) and
    the two-sided p-value of a paired randomisation test; questions that are better and worse.
    """

    mean: float
    low: float
    high: float
    p: float
    better: int
    worse: int
    questions: int

    @property
    def proven(self) -> bool:
        """Whether the interval has no zero in it."""
        return self.low > 0 or self.high < 0


def paired(new: Sequence[float], old: Sequence[float]) -> Difference:
    """Two systems on the same questions, in the same order.

    The bootstrap resamples questions; the randomisation test swaps the two systems' values of
    each question by chance (Smucker, Allan and Carterette, "A comparison of statistical
    significance tests for information retrieval evaluation", CIKM 2007). Raises
    ``MissingExtra`` where scipy is not installed, ``ValueError`` for no questions.
    """
    if not new or len(new) != len(old):
        raise ValueError(f"{len(new)} and {len(old)} values cannot be paired")
    changes = [one - other for one, other in zip(new, old, strict=True)]
    mean = sum(changes) / len(changes)
    low = high = mean
    p = 1.0
    if len(set(changes)) > 1:
        low, high = _interval(changes)
    if any(changes) and len(changes) > 1:  # of one question both ways are as likely
        p = _randomised(new, old)
    return Difference(
        mean=mean,
        low=low,
        high=high,
        p=p,
        better=sum(change > 0 for change in changes),
        worse=sum(change < 0 for change in changes),
        questions=len(changes),
    )


def _interval(changes: Sequence[float]) -> tuple[float, float]:
    np, stats = _libraries()
    found = stats.bootstrap(
        (changes,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=BATCH,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def _randomised(new: Sequence[float], old: Sequence[float]) -> float:
    np, stats = _libraries()
    found = stats.permutation_test(
        (new, old),
        lambda one, other, axis: np.mean(one - other, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=BATCH,
        rng=np.random.default_rng(SEED),
    )
    return float(found.pvalue)


def _libraries() -> tuple[Any, Any]:
    try:
        import numpy as np
        from scipy import stats
    except ImportError as error:
        raise MissingExtra(
            "Comparing needs scipy, which is not installed. Install wellread[eval]."
        ) from error
    return np, stats

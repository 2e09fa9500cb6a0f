"""Differences between two systems: right where the answer is known."""

from __future__ import annotations

import itertools
import statistics
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellread.errors import MissingExtra
from wellread.significance import paired


def test_equal_systems_do_not_differ() -> None:
    found = paired([0.5, 1.0, 0.0], [0.5, 1.0, 0.0])
    assert (found.mean, found.low, found.high, found.p) == (0, 0, 0, 1)
    assert not found.proven


def test_the_test_counts_every_swap_where_there_are_few_questions() -> None:
    new, old = [0.9, 0.8, 0.7, 0.4, 0.9, 0.6], [0.5, 0.5, 0.6, 0.5, 0.2, 0.1]
    changes = [one - other for one, other in zip(new, old, strict=True)]
    observed = abs(sum(changes))
    sums = [
        abs(sum(sign * change for sign, change in zip(signs, changes, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(changes))
    ]
    expected = sum(one >= observed - 1e-9 for one in sums) / len(sums)
    assert paired(new, old).p == pytest.approx(expected)


def test_a_gain_on_every_question_is_proven_and_counted() -> None:
    old = [number / 40 for number in range(20)]
    found = paired([one + 0.1 + one / 10 for one in old], old)
    assert found.low > 0
    assert found.p < 0.001
    assert (found.better, found.worse, found.questions) == (20, 0, 20)
    assert found.proven


def test_a_gain_as_often_as_a_loss_is_not_proven() -> None:
    new, old = [1.0, 0.0] * 12, [0.0, 1.0] * 12
    found = paired(new, old)
    assert found.low < 0 < found.high
    assert found.p > 0.5
    assert not found.proven


@settings(max_examples=10)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12))
def test_the_interval_holds_the_mean_and_every_run_says_the_same(
    values: list[tuple[float, float]],
) -> None:
    new, old = [one for one, _ in values], [other for _, other in values]
    found = paired(new, old)
    assert found == paired(new, old)
    assert found.low - 1e-9 <= found.mean <= found.high + 1e-9
    assert found.mean == pytest.approx(statistics.fmean(new) - statistics.fmean(old))
    assert 0 < found.p <= 1


def test_values_that_are_no_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be paired"):
        paired([1.0], [])


def test_the_extra_is_named_where_scipy_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtra, match=r"wellread\[eval\]"):
        paired([1.0, 0.5], [0.0, 0.2])

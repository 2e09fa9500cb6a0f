"""The governed score, by the formula of the design."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.governed import MOST_TRIGGERS, Signals, TriggerMatch, governed_score, overlap


def signals(
    similarity: float = 0.5,
    share: float = 0.5,
    *,
    always_on: bool = False,
    exact: int = 0,
    stems: int = 0,
) -> Signals:
    return Signals(
        similarity=similarity,
        overlap=share,
        measure="words",
        always_on=always_on,
        triggers=tuple(
            TriggerMatch(trigger=f"word {number}", exact=number < exact)
            for number in range(exact + stems)
        ),
    )


@pytest.mark.parametrize(
    ("given_signals", "expected"),
    [
        (signals(1.0, 0.0), 0.8),
        (signals(0.0, 1.0), 0.2),
        (signals(0.5, 0.5), 0.5),
        (signals(0.0, 0.0, always_on=True), 0.15),
        (signals(0.0, 0.0, exact=1), 0.04),
        (signals(0.0, 0.0, stems=1), 0.02),
        (signals(0.0, 0.0, exact=2, stems=1), 0.10),
        (signals(0.0, 0.0, exact=9), 0.20),
        (signals(1.0, 1.0, always_on=True, exact=9), 1.35),
    ],
)
def test_score_follows_the_formula(given_signals: Signals, expected: float) -> None:
    assert governed_score(given_signals).value == pytest.approx(expected)


@given(st.floats(0, 1), st.floats(0, 1), st.booleans(), st.integers(0, 12), st.integers(0, 12))
def test_parts_sum_to_the_score_and_triggers_stay_below_their_cap(
    similarity: float, share: float, always_on: bool, exact: int, stems: int
) -> None:
    found = governed_score(
        signals(similarity, share, always_on=always_on, exact=exact, stems=stems)
    )
    assert sum(part.value for part in found.parts) == pytest.approx(found.value)
    triggers = sum(part.value for part in found.parts if part.label.startswith("trigger"))
    assert triggers <= MOST_TRIGGERS + 1e-9


def test_overlap_is_the_share_of_words_weighted_by_idf() -> None:
    idf = {"refund": 3.0, "policy": 1.0}
    assert overlap(["refund"], idf) == pytest.approx(0.75)
    assert overlap(["refund", "refund", "other"], idf) == pytest.approx(0.75)
    assert overlap(["policy", "refund"], idf) == 1.0
    assert overlap([], idf) == 0.0
    assert overlap(["refund"], {}) == 0.0

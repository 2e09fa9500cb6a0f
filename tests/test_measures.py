"""Measures are those of trec_eval, and run files survive a round trip."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.errors import MissingExtra, UsageError
from wellread.measures import measured, read_run, write_run


def test_measures_of_a_ranking_are_those_of_the_definitions() -> None:
    found = measured({"q": ["x", "b", "a"]}, {"q": {"a": 3, "b": 1}})["q"]
    dcg = 1 / math.log2(3) + 3 / math.log2(4)
    ideal = 3 / math.log2(2) + 1 / math.log2(3)
    assert found["success@5"] == 1
    assert found["recall@5"] == 1
    assert found["mrr"] == pytest.approx(1 / 2)
    assert found["ndcg@10"] == pytest.approx(dcg / ideal)


def test_success_is_looked_for_among_the_first_five_only() -> None:
    ranking = ["v", "w", "x", "y", "z", "a"]
    found = measured({"q": ranking}, {"q": {"a": 3}})["q"]
    assert (found["success@5"], found["recall@5"], found["mrr"]) == (0, 0, pytest.approx(1 / 6))


def test_a_question_that_found_nothing_counts_zero() -> None:
    found = measured({"q": [], "r": ["a"]}, {"q": {"a": 3}, "r": {"a": 3}})
    assert set(found["q"].values()) == {0.0}
    assert set(found["r"].values()) == {1.0}
    assert set(measured({}, {"q": {"a": 1}})["q"].values()) == {0.0}


paths = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")), min_size=1, max_size=12
)


@given(st.lists(paths, unique=True, min_size=1))
def test_a_run_file_gives_back_every_path_in_its_place(names: list[str]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        file = Path(folder) / "run.txt"
        write_run(file, {"q1": names})
        assert read_run(file) == {"q1": names}
        assert all(len(line.split()) == 6 for line in file.read_text("utf-8").splitlines())


def test_a_run_of_another_system_is_read_by_its_scores(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    file.write_text("q1 Q0 b.md 2 1.5 x\nq1\tQ0\ta.md\t1\t2.5\tx\n\nq2 Q0 c.md 1 -3 x\n")
    assert read_run(file) == {"q1": ["a.md", "b.md"], "q2": ["c.md"]}


def test_a_line_that_is_none_of_a_run_is_named(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    file.write_text("q1 Q0 a.md 1 2 x\nq1 a.md 1\n")
    with pytest.raises(UsageError, match=r"run\.txt:2: not a line of a TREC run"):
        read_run(file)


def test_the_extra_is_named_where_the_library_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtra, match=r"wellread\[eval\]"):
        measured({}, {})

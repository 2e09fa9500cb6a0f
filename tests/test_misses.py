"""Reported misses: joined by question and subject, settled for all, forgotten one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shelf import groups, library, scope_of
from wellread.config import load
from wellread.errors import NoIndex, UsageError
from wellread.library import Library


def test_the_same_question_of_one_subject_is_one_report(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": "text"}, groups({"ann": ["sales"], "bob": []})) as opened:
        ann, bob = scope_of(opened, "ann"), scope_of(opened, "bob")
        first = opened.report_miss("What is the  per diem?", scope=ann, tried=("per diem",))
        again = opened.report_miss("what is the PER DIEM", scope=ann, tried=("allowance",))
        other = opened.report_miss("What is the per diem", scope=bob)
        assert first == again
        assert other != first


def test_a_report_without_a_question_is_refused(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": "text"}) as opened, pytest.raises(UsageError):
        opened.report_miss(" \n", scope=scope_of(opened))


def test_a_report_makes_no_library_where_there_is_none(tmp_path: Path) -> None:
    with library(tmp_path / "one", {"a.md": "text"}) as opened:
        scope = scope_of(opened)
    with Library(load(None, {}, tmp_path / "two")) as empty, pytest.raises(NoIndex):
        empty.report_miss("Where?", scope=scope)
    assert not (tmp_path / "two").exists()

"""Traces: written whatever they hold, never waited for, and what of failed questions is kept."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.shelf import TODAY, library, scope_of
from wellread.errors import WellreadError
from wellread.store import journal
from wellread.store.journal import TraceWriter
from wellread.trace import Trace


def trace(**arguments: object) -> Trace:
    return Trace(
        at="2026-06-15T09:00:00", subject="ann", tool="search", arguments=arguments,
        returned=(), outcome="found", left_out=0, milliseconds=1.0,
    )  # fmt: skip


def written(path: Path) -> list[dict[str, object]]:
    with closing(sqlite3.connect(path)) as connection:
        return [json.loads(row[0]) for row in connection.execute("SELECT arguments FROM traces")]


def test_one_trace_that_cannot_be_written_does_not_end_the_next(tmp_path: Path) -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no text")

    writer = TraceWriter(tmp_path / journal.FILE)
    for one in (
        trace(query="first"),
        trace(query=Odd()),
        trace(query="\udcff"),
        trace(query="last"),
    ):
        writer.add(one)
    writer.close()
    assert [one["query"] for one in written(tmp_path / journal.FILE)] == ["first", "\udcff", "last"]
    assert writer.lost == 1


def test_closing_does_not_wait_for_a_queue_that_nobody_empties(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "TRACES_WAITING", 3)
    monkeypatch.setattr(journal, "FLUSH_SECONDS", 0.01)
    hold = threading.Event()

    def stuck(path: Path) -> sqlite3.Connection:
        hold.wait()
        raise sqlite3.OperationalError(f"{path} is locked")

    monkeypatch.setattr(journal, "open_journal", stuck)
    writer = TraceWriter(tmp_path / journal.FILE)
    for number in range(9):
        writer.add(trace(query=number))
    writer.close()
    assert writer.lost >= 5
    hold.set()


def test_question_that_fails_is_traced_with_its_error(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": "text"}) as opened:
        scope = scope_of(opened)
        with suppress(WellreadError):
            opened.read("none.md", scope=scope, today=TODAY)
        with suppress(WellreadError):
            opened.find_exact("(?=x)", scope=scope, today=TODAY, regex=True)
        opened.search("text", scope=scope, today=TODAY)
    with closing(sqlite3.connect(tmp_path / ".wellread" / journal.FILE)) as connection:
        rows = connection.execute("SELECT tool, outcome FROM traces ORDER BY id").fetchall()
    assert rows == [("read", "NotFound"), ("find_exact", "UsageError"), ("search", "found")]

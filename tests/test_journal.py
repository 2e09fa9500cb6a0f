"""Traces: written whatever they hold, never waited for, and what of failed questions is kept."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.shelf import TODAY, library, scope_of
from wellread.config import load
from wellread.errors import WellreadError
from wellread.library import Library
from wellread.store import journal, misses, schema
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


VERSION_1 = """
CREATE TABLE runs (id INTEGER PRIMARY KEY, started_at TEXT NOT NULL, log TEXT NOT NULL);
CREATE TABLE traces (
  id INTEGER PRIMARY KEY, at TEXT NOT NULL, subject TEXT NOT NULL, tool TEXT NOT NULL,
  arguments TEXT NOT NULL, returned TEXT NOT NULL, outcome TEXT NOT NULL,
  left_out INTEGER NOT NULL, milliseconds REAL NOT NULL
);
CREATE INDEX traces_by_subject ON traces (subject);
CREATE TABLE commit_times (root TEXT PRIMARY KEY, cached TEXT NOT NULL);
INSERT INTO traces VALUES
  (1, '2026-06-01T09:00:00.000+00:00', 'ann', 'search', '{"query": "per diem"}',
   '["travel.md#per-diem"]', 'found', 3, 4.5);
INSERT INTO commit_times VALUES ('/docs', '{}');
PRAGMA user_version = 1;
"""


def old_journal(path: Path) -> Path:
    """A journal as version 1 made it, in WAL mode, closed."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(VERSION_1)
    return path


def test_a_journal_of_version_1_is_migrated_with_all_that_it_holds(tmp_path: Path) -> None:
    path = old_journal(tmp_path / journal.FILE)
    for _ in range(2):  # once migrated, it stays as it is
        with closing(journal.open_journal(path)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (schema.JOURNAL_VERSION,)
            (kept,) = journal.traces(connection)
            assert (kept.subject, kept.returned) == ("ann", ("travel.md#per-diem",))
            assert (kept.tokens, kept.session) == (None, "")
            assert connection.execute("SELECT root FROM commit_times").fetchone() == ("/docs",)
            assert misses.misses(connection) == ()


def test_a_journal_of_version_1_is_read_as_it_is(tmp_path: Path) -> None:
    path = old_journal(tmp_path / journal.FILE)
    before = path.read_bytes()
    with closing(schema.open_for_reading(path)) as connection:
        assert [one.subject for one in journal.traces(connection)] == ["ann"]
        assert journal.lost_traces(connection).traces == 0
        assert misses.misses(connection) == ()
        assert misses.find(connection, 1) is None
    assert path.read_bytes() == before


def test_two_processes_that_migrate_at_once_do_it_once(tmp_path: Path) -> None:
    path = old_journal(tmp_path / journal.FILE)
    errors, ready = list[BaseException](), threading.Barrier(4)

    def migrate() -> None:
        ready.wait()
        try:
            journal.open_journal(path).close()
        except BaseException as error:  # noqa: BLE001 - shown by the test
            errors.append(error)

    threads = [threading.Thread(target=migrate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_a_migrated_journal_is_the_same_as_a_fresh_one(tmp_path: Path) -> None:
    def columns(path: Path) -> dict[str, list[tuple[str, str]]]:
        with closing(journal.open_journal(path)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {
                name: [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({name})")]
                for (name,) in tables.fetchall()
            }

    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    old = columns(old_journal(tmp_path / "old" / journal.FILE))
    assert old == columns(tmp_path / "new" / journal.FILE)


def test_lost_traces_are_noted_once_the_journal_takes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, refusals = journal.open_journal, iter([True, True])

    def sometimes(path: Path) -> sqlite3.Connection:
        if next(refusals, False):
            raise sqlite3.OperationalError("database is locked")
        return real(path)

    monkeypatch.setattr(journal, "open_journal", sometimes)
    writer = TraceWriter(tmp_path / journal.FILE)
    for number in range(3):
        writer.add(trace(query=number))
    writer.close()
    with closing(schema.open_for_reading(tmp_path / journal.FILE)) as connection:
        assert len(journal.traces(connection)) == 1
        assert journal.lost_traces(connection).traces == writer.lost == 2


def test_retention_deletes_old_traces_and_settled_misses_and_keeps_open_ones(
    tmp_path: Path,
) -> None:
    old, now = "2026-01-01T09:00:00.000+00:00", datetime(2026, 6, 15, tzinfo=UTC)
    with closing(journal.open_journal(old_journal(tmp_path / journal.FILE))) as connection:
        for question in ("open", "settled"):
            misses.report(
                connection, at=old, subject="ann", question=question, looked_for="", tried=()
            )
        one, two = misses.misses(connection)
        misses.decide(connection, two, "dismissed")
        assert journal.expire(connection, 7, now) == 2
        assert misses.misses(connection) == (one,)
        assert journal.traces(connection) == ()


def test_forgetting_a_subject_takes_traces_and_misses_of_nobody_else(tmp_path: Path) -> None:
    with closing(journal.open_journal(old_journal(tmp_path / journal.FILE))) as connection:
        for subject in ("ann", "bob"):
            misses.report(
                connection, at="2026-06-15", subject=subject, question="Where?", looked_for="",
                tried=("x",),
            )  # fmt: skip
        assert misses.misses(connection)[0].subjects == ("ann", "bob")
        assert journal.forget(connection, "ann") == 2
        assert misses.misses(connection)[0].subjects == ("bob",)


def test_traces_say_which_run_of_a_server_they_are_of(tmp_path: Path) -> None:
    library(tmp_path, {"a.md": "text"}).close()
    with Library(load(None, {}, tmp_path), session="run-1") as opened:
        opened.search("text", scope=scope_of(opened), today=TODAY)
    with Library(load(None, {}, tmp_path)) as opened:
        (kept,) = opened.traces(scope=scope_of(opened))
        assert kept.session == "run-1"

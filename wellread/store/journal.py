"""``journal.db``: what happened — runs and traces; migrated, never rebuilt

Apart from the catalog, so that a trace never waits for an index run (m: in one file it waits,
then fails with "database is locked").
"""

from __future__ import annotations

import json
import queue
import sqlite3
import threading
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sqlite3 import Connection as Connection
from typing import TYPE_CHECKING

from wellread.errors import StoreUnavailable
from wellread.store import schema
from wellread.trace import Lost, Trace

if TYPE_CHECKING:
    from wellread.documents import Run

FILE = schema.JOURNAL_FILE

TRACES_WAITING = 1000
"""Traces that may wait to be written; more are dropped and counted, since a read never waits."""

FLUSH_SECONDS = 2.0
"""How long closing waits for the last traces."""


def open_journal(path: Path) -> sqlite3.Connection:
    """The journal for writing, made or migrated where need be."""
    connection = schema.create(path)
    try:
        connection.execute("PRAGMA busy_timeout = 2000")
        if _version(connection) < schema.JOURNAL_VERSION:
            _migrate(connection)
    except sqlite3.Error as error:
        connection.close()
        raise schema.unavailable(path, error) from error
    return connection


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _migrate(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # Read again under the lock: another process may have migrated meanwhile.
    for step in schema.JOURNAL_STEPS[_version(connection) :]:
        for statement in step:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {schema.JOURNAL_VERSION}")
    connection.execute("COMMIT")


def add_run(connection: sqlite3.Connection, run: Run) -> None:
    """Log a run."""
    log = json.dumps(asdict(run), ensure_ascii=False)
    connection.execute("INSERT INTO runs (started_at, log) VALUES (?, ?)", (run.started_at, log))


def last_runs(connection: sqlite3.Connection, count: int) -> tuple[Run, ...]:
    """The latest runs, newest first."""
    rows = connection.execute("SELECT log FROM runs ORDER BY id DESC LIMIT ?", (count,))
    from wellread.documents import Run

    return tuple(Run(**json.loads(row[0])) for row in rows)


def forget(connection: sqlite3.Connection, subject: str) -> int:
    """Delete a subject's traces and reported misses; returns how many there were."""
    deleted = 0
    for table in ("traces", "misses"):
        deleted += connection.execute(f"DELETE FROM {table} WHERE subject = ?", (subject,)).rowcount
    connection.execute("VACUUM")
    return deleted


def expire(connection: sqlite3.Connection, days: int, now: datetime) -> int:
    """Delete traces older than so many days, and as old misses that are settled; returns how
    many there were. An open miss waits for its answer."""
    before = ((now - timedelta(days=days)).isoformat(),)
    connection.execute("DELETE FROM lost_traces WHERE at < ?", before)
    misses = "DELETE FROM misses WHERE status <> 'open' AND last_at < ?"
    return (
        connection.execute("DELETE FROM traces WHERE at < ?", before).rowcount
        + connection.execute(misses, before).rowcount
    )


def traces(
    connection: sqlite3.Connection,
    *,
    subject: str | None = None,
    since: str | None = None,
    limit: int | None = None,
) -> tuple[Trace, ...]:
    """Traces, newest first; ``since`` is as ``Trace.at``."""
    added = "tokens, session" if _version(connection) > 1 else "NULL, ''"
    rows = connection.execute(
        "SELECT at, subject, tool, arguments, returned, outcome, left_out, milliseconds, "
        f"{added} FROM traces WHERE (?1 IS NULL OR subject = ?1) AND (?2 IS NULL OR at >= ?2) "
        "ORDER BY id DESC LIMIT ?3",
        (subject, since, -1 if limit is None else limit),
    )
    return tuple(
        Trace(
            at=at,
            subject=who,
            tool=tool,
            arguments=json.loads(arguments),
            returned=tuple(json.loads(returned)),
            outcome=outcome,
            left_out=left_out,
            milliseconds=milliseconds,
            tokens=tokens,
            session=session,
        )
        for (
            at, who, tool, arguments, returned, outcome, left_out, milliseconds, tokens, session,
        ) in rows
    )  # fmt: skip


def lost_traces(connection: sqlite3.Connection) -> Lost:
    """Traces that were lost and whose loss could be noted."""
    if _version(connection) < 2:
        return Lost(traces=0, since=None)
    count, since = connection.execute("SELECT sum(traces), min(at) FROM lost_traces").fetchone()
    return Lost(traces=count or 0, since=since)


class TraceWriter:
    """Writes traces from a thread of its own; ``lost`` counts those that could not be."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lost = 0
        self._noted = 0
        self._waiting: queue.Queue[Trace | None] = queue.Queue(TRACES_WAITING)
        self._thread: threading.Thread | None = None
        self._guard = threading.Lock()

    def add(self, trace: Trace) -> None:
        """Queue a trace; never waits, never raises."""
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._write_all, name="wellread-traces", daemon=True
                )
                self._thread.start()
        try:
            self._waiting.put_nowait(trace)
        except queue.Full:
            self.lost += 1

    def close(self) -> None:
        """Write what waits, for a moment at most."""
        with self._guard:
            thread, self._thread = self._thread, None
        if thread is None:
            return
        try:
            self._waiting.put(None, timeout=FLUSH_SECONDS)
        except queue.Full:
            self.lost += self._waiting.qsize()
            _warn("%d traces could not be written in time", self.lost)
            return
        thread.join(FLUSH_SECONDS)
        if thread.is_alive():
            self.lost += self._waiting.qsize()

    def _write_all(self) -> None:
        connection = None
        while (trace := self._waiting.get()) is not None:
            try:
                if connection is None:
                    connection = open_journal(self.path)
                _add(connection, trace)
                self._note_lost(connection)
            except Exception as error:  # noqa: BLE001 - whatever one trace holds, the next is written
                self.lost += 1
                _warn("a trace could not be written: %s", error)
        try:
            if self.lost > self._noted:
                if connection is None:
                    connection = open_journal(self.path)
                self._note_lost(connection)
        except (sqlite3.Error, StoreUnavailable) as error:
            _warn("%d traces were lost, and it could not be noted: %s", self.lost, error)
        if connection is not None:
            connection.close()

    def _note_lost(self, connection: sqlite3.Connection) -> None:
        """Leave a note of what was lost, for ``wellread traces``, once the journal takes it."""
        lost = self.lost
        if lost > self._noted:
            connection.execute(
                "INSERT INTO lost_traces (at, traces) VALUES (?, ?)",
                (datetime.now(UTC).isoformat(timespec="milliseconds"), lost - self._noted),
            )
            self._noted = lost


def _add(connection: sqlite3.Connection, trace: Trace) -> None:
    connection.execute(
        "INSERT INTO traces (at, subject, tool, arguments, returned, outcome, left_out, "
        "milliseconds, tokens, session) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            trace.at,
            trace.subject,
            trace.tool,
            json.dumps(trace.arguments, default=str),
            json.dumps(trace.returned),
            trace.outcome,
            trace.left_out,
            trace.milliseconds,
            trace.tokens,
            trace.session,
        ),
    )


def _warn(message: str, *values: object) -> None:
    """Say it in the log, which is imported only then: a cold search has nothing to say."""
    import logging

    logging.getLogger(__name__).warning(message, *values)

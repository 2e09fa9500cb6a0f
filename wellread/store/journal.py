"""``journal.db``: what happened — runs and traces. Migrated, never rebuilt.

Apart from the catalog, so that a trace never waits for an index run (m: in one file it waits,
then fails with "database is locked").
"""

from __future__ import annotations

import json
import logging
import queue
import sqlite3
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from sqlite3 import Connection as Connection

from wellread.store import schema
from wellread.types import Run

logger = logging.getLogger(__name__)

FILE = schema.JOURNAL_FILE

TRACES_WAITING = 1000
"""Traces that may wait to be written; more are dropped and counted, since a read never waits."""

FLUSH_SECONDS = 2.0
"""How long closing waits for the last traces."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """One question and what came back: arguments and handles, never text."""

    at: str
    subject: str
    tool: str
    arguments: Mapping[str, object]
    returned: tuple[str, ...]
    outcome: str
    left_out: int
    milliseconds: float


def open_journal(path: Path) -> sqlite3.Connection:
    """The journal for writing, made or migrated where need be."""
    connection = schema.create(path)
    try:
        connection.execute("PRAGMA busy_timeout = 2000")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version < schema.JOURNAL_VERSION:
            connection.executescript(schema.JOURNAL)
            connection.execute(f"PRAGMA user_version = {schema.JOURNAL_VERSION}")
    except sqlite3.Error as error:
        raise schema.unavailable(path, error) from error
    return connection


def add_run(connection: sqlite3.Connection, run: Run) -> None:
    """Log a run."""
    log = json.dumps(asdict(run), ensure_ascii=False)
    connection.execute("INSERT INTO runs (started_at, log) VALUES (?, ?)", (run.started_at, log))


def last_runs(connection: sqlite3.Connection, count: int) -> tuple[Run, ...]:
    """The latest runs, newest first."""
    rows = connection.execute("SELECT log FROM runs ORDER BY id DESC LIMIT ?", (count,))
    return tuple(Run(**json.loads(row[0])) for row in rows)


def forget(connection: sqlite3.Connection, subject: str) -> int:
    """Delete a subject's traces; returns how many there were."""
    cursor = connection.execute("DELETE FROM traces WHERE subject = ?", (subject,))
    connection.execute("VACUUM")
    return cursor.rowcount


def expire(connection: sqlite3.Connection, days: int, now: datetime) -> int:
    """Delete traces older than so many days; returns how many there were."""
    before = (now - timedelta(days=days)).isoformat()
    return connection.execute("DELETE FROM traces WHERE at < ?", (before,)).rowcount


class TraceWriter:
    """Writes traces from a thread of its own; ``lost`` counts those that could not be."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lost = 0
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
            logger.warning("%d traces could not be written in time", self.lost)
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
                connection.execute(
                    "INSERT INTO traces (at, subject, tool, arguments, returned, outcome, "
                    "left_out, milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        trace.at,
                        trace.subject,
                        trace.tool,
                        json.dumps(trace.arguments, default=str),
                        json.dumps(trace.returned),
                        trace.outcome,
                        trace.left_out,
                        trace.milliseconds,
                    ),
                )
            except Exception as error:  # noqa: BLE001 - whatever one trace holds, the next is written
                self.lost += 1
                logger.warning("a trace could not be written: %s", error)
        if connection is not None:
            connection.close()

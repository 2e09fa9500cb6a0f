"""Reported misses: kept for anybody who asks, seen and settled by the local owner alone"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from wellread.errors import NotFound, UsageError
from wellread.store import journal, schema
from wellread.store import misses as kept
from wellread.trace import Miss, MissStatus, subject_of
from wellread.types import Caller


@contextmanager
def writable(path: Path) -> Iterator[sqlite3.Connection]:
    """The journal for writing. Raises ``StoreUnavailable``."""
    with closing(journal.open_journal(path)) as connection:
        try:
            yield connection
        except sqlite3.Error as error:
            raise schema.unavailable(path, error) from error


def report_miss(
    path: Path, question: str, *, caller: Caller, looked_for: str, tried: tuple[str, ...]
) -> int:
    """Keep a report. See ``Library.report_miss``."""
    question = " ".join(question.split())
    if not question:
        raise UsageError("there is no question: say what was asked and not found")
    phrases = (" ".join(phrase.split()) for phrase in tried)
    with writable(path) as connection:
        return kept.report(
            connection,
            at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            subject=subject_of(caller),
            question=question,
            looked_for=" ".join(looked_for.split()),
            tried=[phrase for phrase in phrases if phrase],
        )


def list_misses(path: Path, status: MissStatus | None) -> tuple[Miss, ...]:
    """What was reported. See ``Library.misses``."""
    with readable(path) as connection:
        return kept.misses(connection, status)


def open_miss(path: Path, number: int) -> Miss:
    """The miss of a report, if it is still open. Raises ``NotFound`` and ``UsageError``."""
    with readable(path) as connection:
        one = kept.find(connection, number)
    if one is None:
        raise NotFound(f"there is no miss {number}: wellread misses lists them")
    if one.status != "open":
        raise UsageError(f"miss {number} was {one.status} already: {one.question}")
    return one


def settle(path: Path, miss: Miss, status: MissStatus, expect: tuple[str, ...] = ()) -> Miss:
    """Accept or dismiss a miss for everybody who reported it; returns it as it is now."""
    with writable(path) as connection:
        kept.decide(connection, miss, status, expect)
    return replace(miss, status=status, expect=expect)


@contextmanager
def readable(path: Path) -> Iterator[sqlite3.Connection]:
    """The journal for reading. Raises ``NoIndex`` and ``StoreUnavailable``."""
    with closing(schema.open_for_reading(path)) as connection:
        try:
            yield connection
        except sqlite3.Error as error:
            raise schema.unavailable(path, error) from error

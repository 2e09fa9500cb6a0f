"""Reported misses: kept for anybody who asks, seen and settled by the local owner alone"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from wellread.errors import UsageError
from wellread.store import journal, schema
from wellread.store import misses as kept
from wellread.trace import subject_of
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

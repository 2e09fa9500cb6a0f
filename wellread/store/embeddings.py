"""Vectors in ``journal.db``, by model and hash of the text: paid for once, kept through rebuilds.

A vector is its float16 numbers as bytes. Each batch is written as soon as it is there, so that
whatever ends a run, what was done stays done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

AT_ONCE = 500
"""Hashes asked for in one statement; SQLite takes 32,766 parameters, and 500 are as fast."""

BYTES_A_NUMBER = 2


def known(connection: sqlite3.Connection, model: str, hashes: Iterable[bytes]) -> set[bytes]:
    """Which of these texts have a vector of the model."""
    return {
        bytes(row[0]) for row in _rows(connection, "SELECT hash FROM embeddings", model, hashes)
    }


def vectors(
    connection: sqlite3.Connection, model: str, hashes: Iterable[bytes]
) -> dict[bytes, bytes]:
    """The vectors of those of these texts that have one."""
    rows = _rows(connection, "SELECT hash, vector FROM embeddings", model, hashes)
    return {bytes(row[0]): bytes(row[1]) for row in rows}


def dimensions(connection: sqlite3.Connection, model: str) -> int:
    """Numbers in a vector of the model; 0 where there is none."""
    row = connection.execute(
        "SELECT length(vector) FROM embeddings WHERE model = ? LIMIT 1", (model,)
    ).fetchone()
    return int(row[0]) // BYTES_A_NUMBER if row else 0


def add(connection: sqlite3.Connection, model: str, rows: Sequence[tuple[bytes, bytes]]) -> None:
    """Keep vectors, each with the hash of its text; all or none of them."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(
            "INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?)",
            [(model, digest, vector) for digest, vector in rows],
        )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def discard(connection: sqlite3.Connection, model: str) -> None:
    """Delete the vectors of a model."""
    connection.execute("DELETE FROM embeddings WHERE model = ?", (model,))


def keep_only(connection: sqlite3.Connection, hashes: Collection[bytes]) -> int:
    """Delete the vectors, of whatever model, of texts that the library no longer has; returns
    how many there were."""
    gone = [
        (model, digest)
        for model, digest in connection.execute("SELECT model, hash FROM embeddings")
        if bytes(digest) not in hashes
    ]
    if gone:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("DELETE FROM embeddings WHERE model = ? AND hash = ?", gone)
        connection.execute("COMMIT")
    return len(gone)


def _rows(
    connection: sqlite3.Connection, select: str, model: str, hashes: Iterable[bytes]
) -> Iterator[tuple[bytes, ...]]:
    waiting = iter(hashes)
    while batch := list(islice(waiting, AT_ONCE)):
        marks = ",".join("?" * len(batch))
        yield from connection.execute(
            f"{select} WHERE model = ? AND hash IN ({marks})", [model, *batch]
        )

"""Reported misses in ``journal.db``: one row for each question of each subject

Rows stay apart by subject, so that forgetting one takes nothing of the others; they are joined
where they are read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from wellread.access import fold
from wellread.trace import Miss, MissStatus

_END = " \t\n?!.…"


def folded(question: str) -> str:
    """What two wordings of one question have in common: case, spaces and end marks aside."""
    return fold(question.rstrip(_END)) or fold(question)


def report(
    connection: sqlite3.Connection,
    *,
    at: str,
    subject: str,
    question: str,
    looked_for: str,
    tried: Sequence[str],
) -> int:
    """Keep a report, joined with an earlier one of the same subject; returns its number. What
    was decided of a question holds for those who report it later."""
    key = folded(question)
    connection.execute("BEGIN IMMEDIATE")
    try:
        row = connection.execute(
            "SELECT id, tried FROM misses WHERE folded = ? AND subject = ?", (key, subject)
        ).fetchone()
        if row is not None:
            number = int(row[0])
            connection.execute(
                "UPDATE misses SET last_at = ?, times = times + 1, tried = ?, "
                "looked_for = CASE WHEN ?3 = '' THEN looked_for ELSE ?3 END WHERE id = ?4",
                (at, json.dumps(_once([*json.loads(row[1]), *tried])), looked_for, number),
            )
        else:
            decided = connection.execute(
                "SELECT status, expect FROM misses WHERE folded = ? LIMIT 1", (key,)
            ).fetchone()
            status, expect = decided or ("open", "[]")
            cursor = connection.execute(
                "INSERT INTO misses (at, last_at, subject, question, folded, looked_for, tried, "
                "times, status, expect) VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
                (at, at, subject, question, key, looked_for, json.dumps(_once(tried)), status,
                 expect),
            )  # fmt: skip
            number = int(cursor.lastrowid or 0)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return number


def misses(connection: sqlite3.Connection, status: MissStatus | None = None) -> tuple[Miss, ...]:
    """Misses by question, the first reported first."""
    if connection.execute("PRAGMA user_version").fetchone()[0] < 2:
        return ()
    rows = connection.execute(
        "SELECT folded, id, at, last_at, subject, question, looked_for, tried, times, status, "
        "expect FROM misses WHERE ?1 IS NULL OR status = ?1 ORDER BY id",
        (status,),
    )
    groups: dict[str, list[tuple[int, str, str, str, str, str, str, int, MissStatus, str]]] = {}
    for key, *row in rows:
        groups.setdefault(key, []).append(tuple(row))
    return tuple(_joined(group) for group in groups.values())


def _joined(
    rows: Sequence[tuple[int, str, str, str, str, str, str, int, MissStatus, str]],
) -> Miss:
    number, at, _, _, question, _, _, _, status, expect = rows[0]
    return Miss(
        id=number,
        at=at,
        last_at=max(row[2] for row in rows),
        subjects=_once(row[3] for row in rows),
        question=question,
        looked_for="; ".join(_once(row[5] for row in rows if row[5])),
        tried=_once(phrase for row in rows for phrase in json.loads(row[6])),
        times=sum(row[7] for row in rows),
        status=status,
        expect=tuple(json.loads(expect)),
    )


def find(connection: sqlite3.Connection, number: int) -> Miss | None:
    """The miss to which a report of this number belongs."""
    if connection.execute("PRAGMA user_version").fetchone()[0] < 2:
        return None
    row = connection.execute("SELECT folded FROM misses WHERE id = ?", (number,)).fetchone()
    if row is None:
        return None
    return next(one for one in misses(connection) if folded(one.question) == row[0])


def decide(
    connection: sqlite3.Connection, miss: Miss, status: MissStatus, expect: Sequence[str] = ()
) -> None:
    """Settle a question for everybody who reported it."""
    connection.execute(
        "UPDATE misses SET status = ?, expect = ? WHERE folded = ?",
        (status, json.dumps(list(expect)), folded(miss.question)),
    )


def _once(phrases: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(phrases))

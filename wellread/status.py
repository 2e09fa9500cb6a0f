"""What a library holds and how its last runs went, as far as the caller may know."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from wellread.access import from_canonical
from wellread.documents import Run
from wellread.errors import NoIndex
from wellread.freshness import GONE, changed_files
from wellread.standing import standings
from wellread.store import journal, schema
from wellread.store.base import Coverage
from wellread.store.snapshot import EmbeddedSnapshot
from wellread.trace import NONE_LOST, Lost
from wellread.types import EVERYONE, Acl, Filters, Scope

Noted = TypeVar("Noted")

RUNS_SHOWN = 5
FILES_SHOWN = 20
"""So many of both fit a screen with the rest of the status; the counts are whole."""

STALE = "changed since it was indexed"

NEVER_MEANT = frozenset({"not a document type", "already listed"})
"""Reasons of files that nobody misses: pictures, scripts, second links to a document."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileNote:
    """A file with something to say about it."""

    path: str
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AclNote:
    """An acl in words, and how many documents have it."""

    readers: str
    documents: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """Counts are of documents in the caller's scope. Runs, files left out and acls are known
    to the local owner alone, as are lost traces, and empty for everybody else. ``stale`` are
    documents whose file has changed or gone since it was indexed. ``skipped`` counts every file
    that is no document by reason; ``skipped_files`` are those that were probably meant to be
    one. ``vectors`` counts the passages in scope that have one, where a model is set."""

    documents: int
    types: Mapping[str, int]
    states: Mapping[str, int]
    languages: Mapping[str, int]
    standings: Mapping[str, int]
    indexed_at: str | None
    error: str | None
    held_back: int
    behind: bool
    runs: tuple[Run, ...]
    stale: tuple[FileNote, ...]
    stale_count: int
    skipped: Mapping[str, int]
    failed: tuple[FileNote, ...]
    failed_count: int
    acls: tuple[AclNote, ...]
    skipped_files: tuple[FileNote, ...] = ()
    skipped_files_count: int = 0
    lost_traces: Lost = NONE_LOST
    vectors: Coverage | None = None


def status(
    snapshot: EmbeddedSnapshot,
    journal_path: Path,
    *,
    scope: Scope,
    today: date,
    vectors: bool = False,
) -> Status:
    """The status for one caller; ``vectors`` where a model for them is set."""
    owner = scope.caller.owner
    ids = snapshot.document_ids(scope=scope, filters=Filters())
    records = list(snapshot.documents(ids, scope=scope).values())
    by_path = {record.path: record for record in records}
    standing = standings(
        records,
        today,
        find=by_path.get,
        superseders=lambda path: (one.path for one in snapshot.superseders(path, scope=scope)),
    )
    stale = [
        FileNote(path=path, message="the file is gone" if how == GONE else STALE)
        for path, how in changed_files(snapshot, ids, scope=scope).items()
    ]
    left = snapshot.left_files() if owner else []
    skipped = [
        FileNote(path=file.path, message=file.message)
        for file in left
        if not file.failed and file.reason not in NEVER_MEANT
    ]
    failed = [FileNote(path=file.path, message=file.message) for file in left if file.failed]
    return Status(
        documents=len(records),
        types=counted(record.type for record in records),
        states=counted(record.lifecycle.state for record in records),
        languages=counted(record.language for record in records),
        standings=counted(one.name for one in standing.values()),
        indexed_at=snapshot.state.indexed_at,
        error=snapshot.state.error if owner else None,
        held_back=snapshot.state.held_back if owner else 0,
        behind=snapshot.behind,
        runs=recent_runs(journal_path) if owner else (),
        stale=tuple(stale[:FILES_SHOWN]),
        stale_count=len(stale),
        skipped=counted(file.reason for file in left if not file.failed),
        failed=tuple(failed[:FILES_SHOWN]),
        failed_count=len(failed),
        acls=acl_notes(snapshot) if owner else (),
        skipped_files=tuple(skipped[:FILES_SHOWN]),
        skipped_files_count=len(skipped),
        lost_traces=lost_traces(journal_path) if owner else NONE_LOST,
        vectors=snapshot.coverage(scope=scope) if vectors else None,
    )


def counted(names: Iterable[str]) -> dict[str, int]:
    """Counts by name, most first."""
    return dict(Counter(names).most_common())


def recent_runs(path: Path) -> tuple[Run, ...]:
    """The latest runs, newest first; none where the journal is missing."""
    return _of_journal(path, lambda connection: journal.last_runs(connection, RUNS_SHOWN), ())


def lost_traces(path: Path) -> Lost:
    """Traces that could not be written; none where the journal is missing."""
    return _of_journal(path, journal.lost_traces, NONE_LOST)


def _of_journal(path: Path, ask: Callable[[sqlite3.Connection], Noted], missing: Noted) -> Noted:
    try:
        with closing(schema.open_for_reading(path)) as connection:
            return ask(connection)
    except NoIndex:
        return missing
    except sqlite3.Error as error:
        raise schema.unavailable(path, error) from error


def acl_notes(snapshot: EmbeddedSnapshot) -> tuple[AclNote, ...]:
    """Every acl in use in words, most documents first."""
    return tuple(
        AclNote(readers=in_words(from_canonical(canonical)), documents=documents)
        for canonical, documents in snapshot.acl_counts()
    )


def in_words(acl: Acl) -> str:
    """An acl as a person would say it."""
    if any(not clause for clause in acl.clauses):
        return "nobody but the local owner"
    clauses = [" or ".join(sorted(clause)) for clause in acl.clauses if EVERYONE not in clause]
    if len(clauses) > 1:
        clauses = [f"({clause})" for clause in clauses]
    words = " and ".join(clauses) or EVERYONE
    return f"{words}, not {' or '.join(sorted(acl.deny))}" if acl.deny else words

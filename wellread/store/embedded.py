"""The embedded store: ``catalog.db`` and a BM25 index, kept one behind the other by generation.

A run commits the catalog first and the index second. Between the two, and after a crash
there, the index is a generation behind: hits are then resolved through the catalog under the
caller's scope and counted there, so nothing is leaked, invented or counted twice; the next
run replays what is missing from the catalog's own texts.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from wellread.errors import Cancelled, NoIndex
from wellread.store import schema
from wellread.store.base import DocumentRecord, Weights
from wellread.store.catalog import CatalogReader, CatalogState, GenerationFacts
from wellread.store.lexical import LexicalSearcher
from wellread.store.snapshot import EmbeddedSnapshot
from wellread.store.tantivy_index import TANTIVY_SCHEMA_VERSION, TantivyIndex

if TYPE_CHECKING:
    from wellread.vectors import Matrix

IDLE_CONNECTIONS = 8
"""Read connections kept open between requests; more are opened under load and then closed.
The MCP clients that we know ask for at most a handful of things at once."""

STEPS_BETWEEN_LOOKS = 20_000
"""Steps of SQLite's machine between two looks at whether the answer is still wanted: about a
millisecond."""

FileKey = tuple[int, int]
"""Device and inode of a ``catalog.db``: another file at the same path is another catalog."""


class _Known:
    """What is kept in memory of one catalog. Ids and generations mean nothing in another."""

    def __init__(self, catalog: str) -> None:
        self.catalog = catalog
        self.records: dict[int, DocumentRecord] = {}
        self.facts = GenerationFacts()
        self.tantivy: TantivyIndex | None = None
        self.loaded_generation = -1
        self.vectors: tuple[str, Matrix] | None = None

    def matrix_of(self, library: Path, state: CatalogState) -> Callable[[], Matrix | None]:
        """Opens the matrix of vectors that holds when it is first asked for, and keeps it."""

        def opened() -> Matrix | None:
            from wellread.vectors import current_version, open_matrix, vectors_folder

            folder = vectors_folder(library, state.library_id)
            version = current_version(folder)
            known = self.vectors
            if version is None:
                return None
            if known is None or known[0] != version:
                matrix = open_matrix(folder)
                if matrix is None:
                    return None
                known = self.vectors = (matrix.folder.name, matrix)
            return known[1]

        return cache(opened)

    def facts_of(self, generation: int) -> GenerationFacts:
        # A request of an older generation keeps the facts that it has begun with.
        facts = self.facts
        if facts.generation != generation:
            facts = self.facts = GenerationFacts(generation=generation)
        return facts


class EmbeddedStore:
    """A library folder opened for reading. Safe to share between threads."""

    def __init__(self, folder: Path, *, weights: Weights | None = None) -> None:
        self.folder = folder
        self.weights = weights or Weights()
        self._known = _Known("")
        self._idle: list[tuple[sqlite3.Connection, FileKey]] = []
        self._guard = threading.Lock()
        self._closed = False
        connection, key = self._connect()
        check_version(connection, folder)
        self._idle.append((connection, key))

    @contextmanager
    def snapshot(self, stop: threading.Event | None = None) -> Iterator[EmbeddedSnapshot]:
        """One request's view: one catalog transaction and one searcher. Once ``stop`` is set,
        what is asked of it raises ``Cancelled``, a running statement included."""
        connection, key = self._take()
        try:
            if stop is not None:
                connection.set_progress_handler(stop.is_set, STEPS_BETWEEN_LOOKS)
            connection.execute("BEGIN")
            catalog = CatalogReader(connection, {})
            state = catalog.state()
            known = self._known_of(f"{state.library_id}:{key[0]}:{key[1]}")
            catalog.cache = known.records
            catalog.facts = known.facts_of(state.generation)
            searcher = self._searcher(connection, state, known)
            matrix = known.matrix_of(self.folder, state)
            yield EmbeddedSnapshot(catalog, state, searcher, known.catalog, matrix, stop)
        except sqlite3.Error as error:
            if stop is not None and stop.is_set():
                raise Cancelled("The question was taken back.") from error
            raise schema.unavailable(self.folder / "catalog.db", error) from error
        finally:
            if stop is not None:
                connection.set_progress_handler(None, 0)
            self._give_back(connection, key)

    def _known_of(self, catalog: str) -> _Known:
        known = self._known
        if known.catalog != catalog:
            known = self._known = _Known(catalog)
        return known

    def close(self) -> None:
        """Close the idle connections now, and each of those in use when it is given back."""
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _take(self) -> tuple[sqlite3.Connection, FileKey]:
        """A connection to the catalog that is there now: an idle one to a file that has since
        been replaced would go on serving the old library."""
        now = self._file_key()
        while True:
            with self._guard:
                if not self._idle:
                    break
                connection, key = self._idle.pop()
            if key == now:
                return connection, key
            connection.close()
        connection, key = self._connect()
        check_version(connection, self.folder)
        return connection, key

    def _connect(self) -> tuple[sqlite3.Connection, FileKey]:
        while True:
            before = self._file_key()
            connection = schema.open_for_reading(self.folder / "catalog.db")
            if before is not None and before == self._file_key():
                return connection, before
            connection.close()  # replaced in that very moment

    def _file_key(self) -> FileKey | None:
        try:
            status = os.stat(self.folder / "catalog.db")
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def _give_back(self, connection: sqlite3.Connection, key: FileKey) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._guard:
            if not self._closed and len(self._idle) < IDLE_CONNECTIONS:
                self._idle.append((connection, key))
                return
        connection.close()

    def _searcher(
        self, connection: sqlite3.Connection, state: CatalogState, known: _Known
    ) -> LexicalSearcher:
        if state.lexical == "fts5":
            from wellread.store.fts5_index import Fts5Searcher

            return Fts5Searcher(connection, state.generation, self.weights)
        with self._guard:
            if known.tantivy is None:
                folder = tantivy_folder(self.folder, state.library_id)
                known.tantivy = TantivyIndex(folder, create=False)
            searcher = known.tantivy.searcher(reload=known.loaded_generation != state.generation)
            known.loaded_generation = searcher.generation
        return searcher


def tantivy_folder(library: Path, library_id: str) -> Path:
    """Where the text index is: named by library and schema version, so that another version
    or a replaced library never opens the wrong one."""
    return library / f"tantivy-{library_id}-{TANTIVY_SCHEMA_VERSION}"


def read_version(connection: sqlite3.Connection) -> int | None:
    """The catalog's schema version, or ``None`` where it has no tables."""
    try:
        row = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    except sqlite3.OperationalError as error:
        # Of a folder that cannot be written, SQLite says something else, and so must we.
        if "no such table" not in str(error):
            raise
        return None
    return int(json.loads(row[0])) if row else None


def check_version(connection: sqlite3.Connection, folder: Path) -> None:
    """Raise ``NoIndex`` where the catalog was made by another version, or is unfinished."""
    try:
        version = read_version(connection)
    except sqlite3.DatabaseError as error:
        raise schema.unavailable(folder / "catalog.db", error) from error
    if version is None:
        raise NoIndex(
            f"The index at {folder} was begun and never finished. Run `wellread index` again."
        )
    if version != schema.SCHEMA_VERSION:
        age = "a newer" if version > schema.SCHEMA_VERSION else "an older"
        step = (
            "Update wellread"
            if version > schema.SCHEMA_VERSION
            else "Run `wellread index` to rebuild it from its sources"
        )
        raise NoIndex(
            f"The index at {folder} was made by {age} version of wellread (schema {version}, "
            f"this one reads {schema.SCHEMA_VERSION}). {step}."
        )

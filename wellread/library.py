"""The public API: a configuration wired to its store and to the paths that read and write."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wellread.access import AclTable, resolve
from wellread.config import Config, SourceConfig
from wellread.errors import NoIndex
from wellread.store.embedded import EmbeddedStore
from wellread.store.journal import Trace, TraceWriter
from wellread.store.snapshot import EmbeddedSnapshot
from wellread.types import Caller, ExactResult, Filters, ReadResult, Run, Scope, SearchResult

if TYPE_CHECKING:
    from wellread.index import Progress
    from wellread.search import Detail
    from wellread.status import Status
    from wellread.types import Problem

JOURNAL = "journal.db"

NO_FILTERS = Filters()


class Library:
    """Everything that one index holds. Nothing is opened before it is needed; reading needs
    an index (``NoIndex``), ``index`` makes one. Safe to share between threads.

    Every reading method takes ``scope``, from ``library.scope(caller)``; it is resolved anew
    where the library has changed since. ``today`` is the day that standing is computed for.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self._store: EmbeddedStore | None = None
        self._acls: tuple[tuple[str, int], AclTable] | None = None
        self._guard = threading.Lock()
        self._traces = TraceWriter(config.library / JOURNAL) if config.trace else None

    @classmethod
    def open(cls, config: Config | str | Path | None = None) -> Library:
        """The library of a configuration: an object, the path of a ``wellread.toml``, or
        ``None`` for the nearest one upward. Raises ``ConfigError``."""
        if not isinstance(config, Config):
            from wellread.config import load_here

            config = load_here(Path(config) if config is not None else None)
        return cls(config)

    def close(self) -> None:
        """Write waiting traces and close the store."""
        if self._traces is not None:
            self._traces.close()
        with self._guard:
            store, self._store = self._store, None
        if store is not None:
            store.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- reading -----------------------------------------------------------------------

    def scope(self, caller: Caller) -> Scope:
        """What a caller may read now. Raises ``NoIndex``."""
        with self._snapshot() as snapshot:
            return self._resolve(caller, snapshot)

    def search(
        self,
        text: str,
        *,
        scope: Scope,
        today: date,
        filters: Filters = NO_FILTERS,
        limit: int = 8,
        page: str | None = None,
        detail: Detail = "snippet",
        explain: bool = False,
    ) -> SearchResult:
        """The passages about an idea, best first: see ``search.search``.

        ``limit`` counts hits, 1 to 100. Raises ``UsageError`` for an empty text, ``NoIndex``
        and ``StoreUnavailable``.
        """
        from wellread.search import search

        started = time.perf_counter()
        with self._snapshot() as snapshot:
            scope = self._current(scope, snapshot)
            result = search(
                snapshot,
                text,
                scope=scope,
                today=today,
                filters=filters,
                limit=limit,
                page=page,
                detail=detail,
                explained=explain,
            )
            result = self._with_file_notes(result, snapshot, scope)
        self._trace(
            scope,
            "search",
            {"query": text, **filters_as_json(filters), "limit": limit, "page": page},
            tuple(hit.section for hit in result.hits),
            result.outcome,
            result.left_out,
            started,
        )
        return result

    def find_exact(
        self,
        text: str,
        *,
        scope: Scope,
        today: date,
        filters: Filters = NO_FILTERS,
        regex: bool = False,
        ignore_case: bool = False,
        limit: int = 20,
    ) -> ExactResult:
        """The lines that hold an exact string: see ``exact.find_exact``.

        ``limit`` counts lines; the counts of the result are exact whatever it is. Raises
        ``UsageError`` for an empty text or a pattern that cannot be run.
        """
        from wellread.exact import find_exact

        started = time.perf_counter()
        with self._snapshot() as snapshot:
            scope = self._current(scope, snapshot)
            result = find_exact(
                snapshot,
                text,
                scope=scope,
                filters=filters,
                regex=regex,
                ignore_case=ignore_case,
                limit=limit,
            )
        self._trace(
            scope,
            "find_exact",
            {"text": text, "regex": regex, "ignore_case": ignore_case, **filters_as_json(filters)},
            tuple(f"{match.path}:{match.line}" for match in result.matches),
            result.outcome,
            result.left_out,
            started,
        )
        return result

    grep = find_exact

    def read(
        self,
        handle: str,
        *,
        scope: Scope,
        today: date,
        lines: tuple[int, int] | None = None,
        outline: bool = False,
        max_chars: int | None = None,
    ) -> ReadResult:
        """A document, a section or a range of lines: see ``read.read``.

        Raises ``NotFound`` for what is missing or not readable, with one wording for both.
        """
        from wellread.read import read

        started = time.perf_counter()
        with self._snapshot() as snapshot:
            scope = self._current(scope, snapshot)
            result = read(
                snapshot,
                handle,
                scope=scope,
                today=today,
                lines=lines,
                outline=outline,
                max_chars=max_chars,
            )
        if result.attachments:
            result = self._with_sizes(result)
        self._trace(
            scope,
            "read",
            {"handle": handle, "lines": lines, "outline": outline},
            (result.path,),
            "found",
            0,
            started,
        )
        return result

    def status(self, *, scope: Scope, today: date) -> Status:
        """Counts within the scope, and for the local owner runs, failures and acls."""
        from wellread.status import status

        with self._snapshot() as snapshot:
            scope = self._current(scope, snapshot)
            return status(snapshot, self.config.library / JOURNAL, scope=scope, today=today)

    def lint(self, *, scope: Scope) -> tuple[Problem, ...]:
        """Every mistake in the documents in scope, by path and line. Files that are no
        documents have no readers of their own: only the local owner is told of missing ones."""
        from wellread.lint import lint
        from wellread.sources.places import located

        owner = scope.caller.owner
        exists = (lambda path: located(self.config, path) is not None) if owner else None
        with self._snapshot() as snapshot:
            return lint(snapshot, scope=self._current(scope, snapshot), exists=exists)

    # --- writing -----------------------------------------------------------------------

    def index(
        self,
        sources: Sequence[SourceConfig] | None = None,
        *,
        full: bool = False,
        verify: bool = False,
        allow_mass_delete: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> Run:
        """Bring the library up to its sources: see ``indexing.index_library``.

        ``sources`` stand in place of the configured ones, and are remembered where there is
        no configuration. Raises ``RunRefused`` where nothing was seen or all failed,
        ``StoreUnavailable`` where the library cannot be written.
        """
        from wellread.indexing import index_library

        run = index_library(
            self.config,
            sources,
            full=full,
            verify=verify,
            allow_mass_delete=allow_mass_delete,
            progress=progress,
        )
        with self._guard:
            store, self._store = self._store, None
        if store is not None:
            store.close()
        return run

    def forget(self, subject: str) -> int:
        """Delete the traces of a subject; returns how many there were. Raises ``NoIndex``
        where nothing was ever indexed."""
        from wellread.store import journal

        if not (self.config.library / JOURNAL).is_file():
            raise NoIndex(
                f"No index at {self.config.library}. There is nothing to forget before "
                "`wellread index`."
            )
        connection = journal.open_journal(self.config.library / JOURNAL)
        try:
            return journal.forget(connection, subject)
        finally:
            connection.close()

    def backup(self, file: Path) -> int:
        """Write the library into a new file; returns its size in bytes. See ``backup``."""
        from wellread.backup import back_up

        return back_up(self.config.library, file)

    @staticmethod
    def restore(file: Path, library: Path) -> None:
        """Make a library folder from such a file, where there is none yet. See ``backup``."""
        from wellread.backup import restore

        restore(file, library)

    # --- within ------------------------------------------------------------------------

    @contextmanager
    def _snapshot(self) -> Iterator[EmbeddedSnapshot]:
        with self._guard:
            if self._store is None:
                self._store = EmbeddedStore(self.config.library)
            store = self._store
        with store.snapshot() as snapshot:
            yield snapshot

    def _resolve(self, caller: Caller, snapshot: EmbeddedSnapshot) -> Scope:
        known = self._acls
        version = (snapshot.key, snapshot.generation)
        if known is None or known[0] != version:
            known = (version, AclTable(dict(snapshot.acls())))
            self._acls = known
        return resolve(caller, known[1], snapshot.generation, snapshot.key)

    def _current(self, scope: Scope, snapshot: EmbeddedSnapshot) -> Scope:
        """The scope of the same caller in this snapshot's catalog and generation."""
        if (scope.catalog, scope.generation) == (snapshot.key, snapshot.generation):
            return scope
        return self._resolve(scope.caller, snapshot)

    def _with_file_notes(
        self, result: SearchResult, snapshot: EmbeddedSnapshot, scope: Scope
    ) -> SearchResult:
        """Say where a shown document's file has changed or gone since it was indexed."""
        from dataclasses import replace

        found = snapshot.find_all({hit.path for hit in result.hits}, scope=scope)
        stamps = snapshot.files([record.id for record in found.values()], scope=scope)
        paths = {record.id: record.path for record in found.values()}
        changed = []
        for document_id, stamp in stamps.items():
            try:
                now = os.stat(stamp.location)
            except OSError:
                changed.append(f"{paths[document_id]} (gone)")
                continue
            if (now.st_size, now.st_mtime_ns) != (stamp.size, stamp.mtime_ns):
                changed.append(paths[document_id])
        if not changed:
            return result
        note = (
            f"Changed since indexed: {', '.join(sorted(changed))}. "
            "Run `wellread index` to bring the library up to date."
        )
        return replace(result, notes=(*result.notes, note))

    def _with_sizes(self, result: ReadResult) -> ReadResult:
        """Add the sizes of the attached files, which belong to a document just read."""
        from dataclasses import replace

        from wellread.sources.places import located

        sizes = tuple(
            replace(one, size=place.stat().st_size if place is not None else None)
            for one in result.attachments
            for place in [located(self.config, one.path)]
        )
        return replace(result, attachments=sizes)

    def _trace(
        self,
        scope: Scope,
        tool: str,
        arguments: dict[str, object],
        returned: tuple[str, ...],
        outcome: str,
        left_out: int,
        started: float,
    ) -> None:
        if self._traces is None:
            return
        caller = scope.caller
        self._traces.add(
            Trace(
                at=datetime.now(UTC).isoformat(timespec="milliseconds"),
                subject=caller.subject or ("(local owner)" if caller.owner else "(everyone)"),
                tool=tool,
                arguments={key: value for key, value in arguments.items() if value},
                returned=returned,
                outcome=outcome,
                left_out=left_out,
                milliseconds=(time.perf_counter() - started) * 1000,
            )
        )


def filters_as_json(filters: Filters) -> dict[str, object]:
    """The filters that were given, for the trace."""
    given: dict[str, object] = {
        "type": filters.types,
        "state": filters.states,
        "owner": filters.owners,
        "tag": filters.tags,
        "path": filters.paths,
        "since": filters.since.isoformat() if filters.since else None,
        "until": filters.until.isoformat() if filters.until else None,
    }
    return {name: value for name, value in given.items() if value}


def retention_start(days: int, now: datetime) -> str:
    """The moment before which traces are forgotten."""
    return (now - timedelta(days=days)).isoformat()

"""One index run on a configured library: locks, sources, store and journal put together."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from wellread.config import Config, SourceConfig, remember_sources
from wellread.documents import EmbeddingRun, Run
from wellread.errors import (
    ConfigError,
    MissingExtra,
    ModelUnavailable,
    RunRefused,
    StoreUnavailable,
    VectorsRefused,
)
from wellread.index import IndexRun, Progress, RunOptions, RunRules, SourceDates
from wellread.locks import WAIT_SECONDS, WriterLock
from wellread.mounts import network_filesystem
from wellread.prepare import stored_terms
from wellread.sources import git
from wellread.sources.folder import FolderSource
from wellread.store import journal, schema
from wellread.store.base import Weights
from wellread.store.embedded_writer import EmbeddedWriter, prepare_folder, standing_engine

if TYPE_CHECKING:
    from wellread.embedding import EmbeddingProgress

LOCK = "writer.lock"


def index_library(
    config: Config,
    sources: Sequence[SourceConfig] | None,
    *,
    full: bool,
    verify: bool,
    allow_mass_delete: bool,
    reembed: bool,
    progress: Callable[[Progress], None] | None,
    embedding_progress: Callable[[EmbeddingProgress], None] | None,
    weights: Weights,
    wait: float | None = None,
) -> Run:
    """One run, from the lock to the log, and then vectors, where a model is set. See
    ``Library.index``."""
    run = _index(
        config,
        sources,
        RunOptions(full=full, verify=verify, allow_mass_delete=allow_mass_delete),
        progress,
        weights,
        wait,
    )
    if config.embeddings is None:
        return run
    return replace(run, vectors=embed(config, anew=reembed, progress=embedding_progress))


def embed(
    config: Config,
    *,
    anew: bool,
    progress: Callable[[EmbeddingProgress], None] | None,
) -> EmbeddingRun:
    """Give every passage a vector. What cannot be done is told in the result: the words are
    indexed whatever becomes of the vectors."""
    from wellread.embed import name_of

    assert config.embeddings is not None
    try:
        from wellread.embedding import EmbeddingPass

        return EmbeddingPass(config.library, config.embeddings, anew=anew, progress=progress).run()
    except (ModelUnavailable, VectorsRefused, MissingExtra, ConfigError) as error:
        from wellread.vectors import vectors_found

        found = vectors_found(config.library)
        known, passages = (found.rows, found.passages) if found is not None else (0, 0)
        return EmbeddingRun(
            model=name_of(config.embeddings),
            embedded=0,
            known=known,
            passages=passages,
            problem=str(error),
        )


def _index(
    config: Config,
    sources: Sequence[SourceConfig] | None,
    options: RunOptions,
    progress: Callable[[Progress], None] | None,
    weights: Weights,
    wait: float | None = None,
) -> Run:
    wanted = tuple(sources) if sources is not None else config.sources
    if not wanted:
        raise RunRefused(
            "There is no source to index. Name a folder, `wellread index FOLDER`, or add "
            "[[sources]] to wellread.toml."
        )
    refuse_network(config.library)
    try:
        prepare_folder(config.library)
    except OSError as error:
        raise StoreUnavailable(
            f"The library folder {config.library} cannot be made: {error.strerror}. Make its "
            "parent writable, or name another with WELLREAD_LIBRARY."
        ) from error
    lock = WriterLock(config.library / LOCK).acquire(timeout=WAIT_SECONDS if wait is None else wait)
    with lock, _errors_of(config.library / journal.FILE):
        with closing(journal.open_journal(config.library / journal.FILE)) as log:
            try:
                run = _run(
                    config,
                    folder_sources(config, wanted),
                    options,
                    log,
                    progress,
                    weights,
                )
            except RunRefused as error:
                if error.run is not None:
                    journal.add_run(log, error.run)
                raise
            journal.add_run(log, run)
            if config.trace_days:
                journal.expire(log, config.trace_days, datetime.now(UTC))
        if config.file is None and sources is not None:
            remember_sources(config.library, wanted)
    return run


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """What SQLite says of the journal, as our own error."""
    try:
        yield
    except sqlite3.Error as error:
        raise schema.unavailable(path, error) from error


def _run(
    config: Config,
    sources: Sequence[FolderSource],
    options: RunOptions,
    log: journal.Connection,
    progress: Callable[[Progress], None] | None,
    weights: Weights,
) -> Run:
    last = journal.last_runs(log, 1)
    last_started = datetime.fromisoformat(last[0].started_at) if last else None

    def begun(lexical: str, *, full: bool) -> IndexRun:
        return IndexRun(
            sources,
            EmbeddedWriter(
                config.library,
                lexical=lexical,
                reanalyze=stored_terms,
                full=full,
                weights=weights,
            ),
            RunRules(
                parse=config.parse_rules,
                access=config.access,
                workers=config.workers or os.cpu_count() or 1,
            ),
            options=options,
            commit_dates=lambda source: GitDates(source, log),
            last_started_ns=int(last_started.timestamp() * 1e9) if last_started else 0,
            progress=progress,
        )

    try:
        return begun(config.lexical, full=options.full).run()
    except RunRefused:
        # The documents stay as they were, but who may read them is for today's rules to say.
        lexical = standing_engine(config.library)
        if lexical is not None:
            begun(lexical, full=False).apply_access()
        raise


def folder_sources(config: Config, wanted: Sequence[SourceConfig]) -> tuple[FolderSource, ...]:
    """The configured folders as sources; with more than one, paths start with the name."""
    several = len(wanted) > 1
    return tuple(
        FolderSource(
            name=source.name,
            root=source.path,
            prefix=source.name if several else "",
            exclude=(*config.exclude, *source.exclude),
            max_bytes=config.max_file_size,
        )
        for source in wanted
    )


def refuse_network(library: Path) -> None:
    """SQLite's WAL mode needs shared memory, which network file systems do not have."""
    kind = network_filesystem(library)
    if kind is not None:
        raise StoreUnavailable(
            f"The library {library} is on a network file system ({kind}), where SQLite would "
            "damage it. Name a local folder with [library] path or WELLREAD_LIBRARY; the "
            "sources themselves may be on the network."
        )


class GitDates(SourceDates):
    """The commit days of a source in a git checkout, cached in the journal by HEAD."""

    def __init__(self, source: FolderSource, log: journal.Connection) -> None:
        self.source = source
        self.skip = len(source.prefix) + 1 if source.prefix else 0
        root = str(source.root)
        row = log.execute("SELECT cached FROM commit_times WHERE root = ?", (root,)).fetchone()
        cached = git.CachedTimes.from_json(json.loads(row[0])) if row else None
        self.times = git.load(source.root, cached)
        if self.times is not None and self.times != cached:
            log.execute(
                "INSERT OR REPLACE INTO commit_times VALUES (?, ?)",
                (root, json.dumps(self.times.as_json())),
            )
        self._modified: frozenset[str] | None = None
        self._asked = False

    def committed(self, path: str) -> date | None:
        """The day of the last commit of a library path, changed since or not."""
        return self.times.committed(path[self.skip :]) if self.times is not None else None

    def modified(self, path: str) -> bool:
        """Whether the file differs from its last commit, or git cannot say."""
        if not self._asked:
            self._asked = True
            self._modified = git.modified(self.source.root)
        return self._modified is None or path[self.skip :] in self._modified

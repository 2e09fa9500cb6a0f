"""One file to the rows of its document: read, parse, split, analyse. Runs in the worker
processes of an index run, or in the run's own process where there is little to do."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from hashlib import blake2b
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait

from wellread.analyze import analyze_document
from wellread.documents import Document, FileEntry, RawFile
from wellread.errors import RunRefused, SkippedFile
from wellread.kinds import kind_of
from wellread.parse import parse, parse_converted
from wellread.sources.folder import FolderSource
from wellread.split import split
from wellread.store.base import DocumentText
from wellread.store.rows import DocumentRows, TermsRow, terms_row, to_rows
from wellread.types import ParseRules

DIGEST_BYTES = 16

UNREADABLE = "unreadable"
"""The one reason of a source that counts as a failure: the file is there and cannot be read."""

SMALL_RUN = 150
"""Up to this many files are prepared in the run's own process: starting two workers takes
as long (m: 0.4 s, a file 2 ms)."""

BATCH_FILES = 24
"""Files sent to a worker at once: large enough that the queue does not count, small enough
that a run ends evenly and the memory of what is under way stays in the tens of megabytes."""

BATCHES_UNDER_WAY = 3
"""For each worker."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """A file to prepare; where its digest is still ``known``, nothing more is done."""

    entry: FileEntry
    known: bytes | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """What became of a file: rows, or ``None`` where the digest was the known one, or the
    reason why it is left out (``failed`` where it should have been readable)."""

    entry: FileEntry
    digest: bytes = b""
    rows: DocumentRows | None = None
    reason: str | None = None
    message: str = ""
    failed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Preparation:
    """What a worker needs to know: the sources by name, and the rules of parsing."""

    sources: Mapping[str, FolderSource]
    rules: ParseRules


def prepare(task: Task, how: Preparation) -> Prepared:
    """Read one file and make its rows. Never raises for what is wrong with the file."""
    entry = task.entry
    try:
        content = how.sources[entry.source].read(entry)
        digest = blake2b(content, digest_size=DIGEST_BYTES).digest()
        if digest == task.known:
            return Prepared(entry=entry, digest=digest)
        document = to_document(entry, content, how)
        rows = to_rows(analyze_document(document, split(document)))
    except SkippedFile as error:
        return left_out(entry, error.reason, str(error), failed=error.reason == UNREADABLE)
    except Exception as error:  # noqa: BLE001
        # Whatever one file does to a parser, a converter or a native library, it is that
        # file's failure, said by name and counted: the rest of the run goes on.
        kind = type(error).__name__
        return left_out(entry, "unreadable content", f"{entry.path}: {kind}: {error}", failed=True)
    return Prepared(entry=entry, digest=digest, rows=rows)


def to_document(entry: FileEntry, content: bytes, how: Preparation) -> Document:
    """Parse a file by its kind."""
    root = how.sources[entry.source].prefix
    if kind_of(entry.path) == "office":
        from wellread.convert import convert

        return parse_converted(entry, convert(entry.path, content), how.rules, root=root)
    return parse(RawFile(entry=entry, content=content), how.rules, root=root)


def left_out(entry: FileEntry, reason: str, message: str, *, failed: bool) -> Prepared:
    """A file that does not become a document."""
    return Prepared(entry=entry, reason=reason, message=message, failed=failed)


def stored_terms(text: DocumentText) -> Sequence[TermsRow]:
    """The terms of a stored document's passages, made anew."""
    record = text.record
    document = Document(
        path=record.path,
        title=record.title,
        type="reference",
        type_written=record.type_written,
        language=record.language,
        body=text.body,
        body_line=record.body_line,
        lifecycle=record.lifecycle,
        domain=record.domain,
        client=record.client,
        aliases=record.aliases,
        tags=record.tags,
        headings=text.headings,
        sections=text.sections,
    )
    analyzed = analyze_document(document, text.passages)
    return [terms_row(passage.terms) for passage in analyzed.passages]


# --- worker processes ----------------------------------------------------------------------

_how: Preparation | None = None


def _start_worker(how: Preparation) -> None:
    global _how
    _how = how
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A document is thousands of objects with few cycles: collecting after each batch instead
    # of whenever there are 700 spares a fifth of a worker's time (m: 6.7 s become 5.5).
    gc.freeze()
    gc.disable()
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """A worker whose run was killed must not outlive it."""
    wait([sentinel])
    os._exit(1)


def _prepare_batch(tasks: Sequence[Task]) -> list[Prepared]:
    assert _how is not None
    prepared = [prepare(task, _how) for task in tasks]
    gc.collect(0)
    return prepared


def by_name(task: Task) -> tuple[str, str]:
    """Files of one name together: versions of a page share most of their passages, and a
    worker that has just analysed a passage need not do it again."""
    path = task.entry.path
    return path.rpartition("/")[2], path


def prepare_all(tasks: Sequence[Task], how: Preparation, *, workers: int) -> Iterator[Prepared]:
    """Prepare files, in an order of its own; in worker processes where there are many."""
    tasks = sorted(tasks, key=by_name)
    if len(tasks) <= SMALL_RUN or workers < 2:
        for task in tasks:
            yield prepare(task, how)
        return
    batches = [tasks[start : start + BATCH_FILES] for start in range(0, len(tasks), BATCH_FILES)]
    yield from _in_processes(batches, how, workers)


def _in_processes(
    batches: Sequence[Sequence[Task]], how: Preparation, workers: int
) -> Iterator[Prepared]:
    position = 0
    while position < len(batches):
        pool = _pool(how, workers)
        pending: list[Future[list[Prepared]]] = []
        submitted = position
        try:
            while position < len(batches):
                while submitted < len(batches) and len(pending) < workers * BATCHES_UNDER_WAY:
                    pending.append(pool.submit(_prepare_batch, batches[submitted]))
                    submitted += 1
                yield from pending.pop(0).result()
                position += 1
        except BrokenProcessPool:
            # A file that kills its reader (memory, a fault in a native library) is found by
            # preparing the batch that was due file by file, in a process that ends with it.
            yield from _one_by_one(batches[position], how)
            position += 1
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _one_by_one(tasks: Sequence[Task], how: Preparation) -> Iterator[Prepared]:
    pool = _pool(how, 1)
    try:
        for task in tasks:
            try:
                yield from pool.submit(_prepare_batch, [task]).result()
            except BrokenProcessPool:
                message = f"{task.entry.path}: the process that read it died; look at the file"
                yield left_out(task.entry, "crashed its reader", message, failed=True)
                pool.shutdown(wait=False, cancel_futures=True)
                pool = _pool(how, 1)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _pool(how: Preparation, workers: int) -> ProcessPoolExecutor:
    # Spawned, not forked: the run's own process has threads (Tantivy's), and locks with them.
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_start_worker, initargs=(how,)
    )
    try:
        pool.submit(_prepare_batch, []).result()
    except BrokenProcessPool as error:
        raise RunRefused(
            "The worker processes cannot start. In a script, index below "
            'if __name__ == "__main__":, since each worker imports the script; or set '
            "[index] workers = 1."
        ) from error
    return pool

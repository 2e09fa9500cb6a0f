"""Giving every passage a vector: after the words are indexed, and beside whoever searches.

A pass asks the model only for texts that no passage had before, writes each batch into the
journal at once, and puts the matrix together from there. It holds a lock of its own, so that
documents can be indexed while it goes on, for hours where the model is slow.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from wellread.access import AclTable, resolve
from wellread.analyze import embedded_text
from wellread.documents import EmbeddingRun
from wellread.embed import EmbeddingSettings, embedder_of, name_of
from wellread.errors import VectorsRefused
from wellread.locks import WriterLock
from wellread.store import embeddings, journal
from wellread.store.base import PassageRow
from wellread.store.embedded import EmbeddedStore
from wellread.store.snapshot import EmbeddedSnapshot, another_model
from wellread.types import Caller, Scope
from wellread.vectors import (
    HASH_BYTES,
    Matrix,
    current_version,
    open_matrix,
    read_meta,
    remove_other_matrices,
    vectors_folder,
    write_matrix,
)

if TYPE_CHECKING:
    from wellread.embed import Embedder

LOCK = "vectors.lock"
COMMAND = "wellread index, embedding"

BETWEEN_MATRICES = 60.0
"""Seconds after which what is there is made searchable while a pass goes on: writing the matrix
of 149k passages takes two to three of them."""

DOCUMENTS_AT_ONCE = 64
"""Documents whose texts are read in one look at the catalog: it is never held open for long."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingProgress:
    """How far a pass is: texts that have a vector now, of those that had none. ``seconds`` is
    an estimate of what is left, ``None`` before there is anything to go by."""

    done: int
    total: int
    seconds: float | None


class EmbeddingPass:
    """One pass over a library folder."""

    def __init__(
        self,
        library: Path,
        settings: EmbeddingSettings,
        *,
        anew: bool = False,
        progress: Callable[[EmbeddingProgress], None] | None = None,
        embedder: Callable[[EmbeddingSettings], Embedder] = embedder_of,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``anew`` lets vectors of another model or length give way. ``embedder`` makes the
        model where one is needed; ``clock`` gives seconds that only grow."""
        self.library = library
        self.settings = settings
        self.name = name_of(settings)
        self.anew = anew
        self.progress = progress
        self.clock = clock
        self._make = embedder
        self._hashes: dict[int, bytes] = {}
        self._embedded = 0

    def run(self) -> EmbeddingRun:
        """Embed what has no vector. Where another process is at it, it does the work and this
        one leaves at once. Raises ``VectorsRefused``, ``ModelUnavailable``, ``MissingExtra``;
        what was embedded until then is kept and can be searched."""
        with closing(EmbeddedStore(self.library)) as store:
            folder = self._folder(store)
            done = None if self.anew else self._complete(store, folder)
            if done is not None:
                return done
            lock = WriterLock(self.library / LOCK, command=COMMAND)
            if not lock.try_acquire():
                return self._left_to(str(lock.holder() or "another process"), folder)
            try:
                with closing(journal.open_journal(self.library / journal.FILE)) as log:
                    return self._run(store, folder, log)
            finally:
                lock.release()

    def _run(self, store: EmbeddedStore, folder: Path, log: sqlite3.Connection) -> EmbeddingRun:
        self._refuse_another(folder)
        if self.anew:
            embeddings.discard(log, self.name)
        while True:
            before = open_matrix(folder)
            with store.snapshot() as snapshot:
                generation = snapshot.generation
                rows = snapshot.catalog.passage_rows()
                self._hash(snapshot, rows, before)
            wanted = {self._hashes[row.id] for row in rows}
            missing = wanted - embeddings.known(log, self.name, wanted)
            try:
                self._embed(
                    store, log, missing, partial(self._write, folder, log, generation, rows)
                )
            finally:
                # Whatever stops a pass, what is there is searchable.
                written = self._write(folder, log, generation, rows)
            with store.snapshot() as snapshot:
                moved = snapshot.generation != generation
            if not moved:
                embeddings.keep_only(log, wanted)
                remove_other_matrices(self.library, but=folder)
                return replace(written, embedded=self._embedded)

    def _folder(self, store: EmbeddedStore) -> Path:
        with store.snapshot() as snapshot:
            return vectors_folder(self.library, snapshot.state.library_id)

    def _complete(self, store: EmbeddedStore, folder: Path) -> EmbeddingRun | None:
        """The result where there is nothing to do, without numpy and without the model."""
        version = current_version(folder)
        meta = read_meta(folder, version) if version is not None else None
        if meta is None or meta.model != self.name or meta.rows < meta.passages:
            return None
        with store.snapshot() as snapshot:
            if snapshot.generation != meta.generation:
                return None
        return EmbeddingRun(model=self.name, embedded=0, known=meta.rows, passages=meta.passages)

    def _left_to(self, holder: str, folder: Path) -> EmbeddingRun:
        version = current_version(folder)
        meta = read_meta(folder, version) if version is not None else None
        return EmbeddingRun(
            model=self.name,
            embedded=0,
            known=meta.rows if meta else 0,
            passages=meta.passages if meta else 0,
            problem=f"Vectors are being made by {holder}; what is new is left to it.",
        )

    def _refuse_another(self, folder: Path) -> None:
        version = current_version(folder)
        meta = read_meta(folder, version) if version is not None else None
        if meta is not None and meta.rows and meta.model != self.name and not self.anew:
            raise VectorsRefused(another_model(meta.model, self.name))

    def _hash(
        self, snapshot: EmbeddedSnapshot, rows: Sequence[PassageRow], before: Matrix | None
    ) -> None:
        """The hash of every passage's text: of those that a matrix has seen, from there."""
        known = self._hashes
        if before is not None:
            stored = before.hashes.tobytes()
            for place, passage in enumerate(before.ids.tolist()):
                known[passage] = stored[place * HASH_BYTES : (place + 1) * HASH_BYTES]
        new = dict.fromkeys(row.document_id for row in rows if row.id not in known)
        scope = everything(snapshot)
        for document_id in new:
            for passage, text in texts_of(snapshot, document_id, scope):
                known[passage] = digest(text)

    def _embed(
        self,
        store: EmbeddedStore,
        log: sqlite3.Connection,
        missing: set[bytes],
        write: Callable[[], object],
    ) -> None:
        if not missing:
            return
        model = self._make(self.settings)
        self._refuse_length(log, model.dimensions)
        total, left, started, written = len(missing), set(missing), self.clock(), self.clock()
        self._report(0, total, 0.0)
        batch: dict[bytes, str] = {}
        for digest_of, text in self._missing_texts(store, left):
            batch[digest_of] = text
            if len(batch) >= model.batch:
                self._keep(log, model, batch)
                batch = {}
                self._report(total - len(left), total, self.clock() - started)
                if self.clock() - written >= BETWEEN_MATRICES:
                    write()
                    written = self.clock()
        if batch:
            self._keep(log, model, batch)
        self._report(total, total, self.clock() - started)

    def _missing_texts(self, store: EmbeddedStore, left: set[bytes]) -> Iterator[tuple[bytes, str]]:
        """The texts of these hashes, each once, taken from ``left``. Those of documents that
        are gone by now are left out."""
        with store.snapshot() as snapshot:
            rows = snapshot.catalog.passage_rows()
        documents = list(
            dict.fromkeys(row.document_id for row in rows if self._hashes.get(row.id) in left)
        )
        for start in range(0, len(documents), DOCUMENTS_AT_ONCE):
            found: list[tuple[bytes, str]] = []
            with store.snapshot() as snapshot:
                scope = everything(snapshot)
                for document_id in documents[start : start + DOCUMENTS_AT_ONCE]:
                    for _, text in texts_of(snapshot, document_id, scope):
                        hashed = digest(text)
                        if hashed in left:
                            left.discard(hashed)
                            found.append((hashed, text))
            yield from found

    def _keep(self, log: sqlite3.Connection, model: Embedder, batch: Mapping[bytes, str]) -> None:
        rows = model.embed_documents(list(batch.values())).astype("float16")
        kept = [(hashed, row.tobytes()) for hashed, row in zip(batch, rows, strict=True)]
        self._refuse_length(log, int(rows.shape[1]))
        embeddings.add(log, self.name, kept)
        self._embedded += len(kept)

    def _refuse_length(self, log: sqlite3.Connection, found: int) -> None:
        stored = embeddings.dimensions(log, self.name)
        if stored and stored != found:
            raise VectorsRefused(
                f"The model {self.name} answers with {found} dimensions, the vectors of the "
                f"library have {stored}. Run `wellread index --reembed` to embed all passages anew."
            )

    def _report(self, done: int, total: int, seconds: float) -> None:
        if self.progress is not None:
            left = seconds / done * (total - done) if done else None
            self.progress(EmbeddingProgress(done=done, total=total, seconds=left))

    def _write(
        self, folder: Path, log: sqlite3.Connection, generation: int, rows: Sequence[PassageRow]
    ) -> EmbeddingRun:
        """Put the matrix of these passages together from what there is."""
        before = None if self.anew else open_matrix(folder)
        stored = set(before.ids.tolist()) if before and before.meta.model == self.name else set()
        new = {self._hashes[row.id] for row in rows if row.id not in stored}
        meta = write_matrix(
            folder,
            model=self.name,
            dimensions=embeddings.dimensions(log, self.name),
            generation=generation,
            rows=rows,
            hashes=self._hashes,
            vectors=embeddings.vectors(log, self.name, new),
            before=before,
        )
        return EmbeddingRun(
            model=self.name, embedded=self._embedded, known=meta.rows, passages=meta.passages
        )


def everything(snapshot: EmbeddedSnapshot) -> Scope:
    """The scope of the pass itself, which is the local owner's."""
    table = AclTable(dict(snapshot.acls()))
    return resolve(Caller(subject=None, owner=True), table, snapshot.generation, snapshot.key)


def texts_of(
    snapshot: EmbeddedSnapshot, document_id: int, scope: Scope
) -> Iterator[tuple[int, str]]:
    """The passages of a document with the texts that are made vectors."""
    text = snapshot.text(document_id, scope=scope)
    if text is not None:
        ids = snapshot.catalog.passage_ids(document_id)
        for passage_id, passage in zip(ids, text.passages, strict=True):
            yield passage_id, embedded_text(text.record, passage, text.body)


def digest(text: str) -> bytes:
    """What a text is known by in the journal."""
    return blake2b(text.encode(), digest_size=HASH_BYTES).digest()

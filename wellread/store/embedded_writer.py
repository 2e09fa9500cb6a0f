"""Writing the embedded store: one index run, and the mending of what a crash has left.

A module apart from reading, which a cold command pays for: none of this is imported by a search.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import uuid
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, replace
from pathlib import Path

from wellread.access import AclTable, resolve
from wellread.errors import RunRefused, StoreUnavailable
from wellread.store import schema
from wellread.store.base import DocumentText, LeftFile, Weights
from wellread.store.catalog import CatalogReader, CatalogState
from wellread.store.catalog_writer import CatalogWriter, stored_documents, write_meta
from wellread.store.embedded import read_version, tantivy_folder
from wellread.store.lexical import LexicalDocument, LexicalWriter
from wellread.store.rows import TermsRow, joined
from wellread.store.tantivy_index import TantivyIndex, unwritable
from wellread.store.texts import create as create_texts
from wellread.types import Caller, Scope

logger = logging.getLogger(__name__)

Reanalyze = Callable[[DocumentText], Sequence[TermsRow]]
"""Makes a stored document's terms anew, in the order of its passages."""


def standing_engine(folder: Path) -> str | None:
    """The engine of the library that stands, or ``None`` where this version cannot use it."""
    with closing(schema.open_for_reading(folder / "catalog.db")) as connection:
        if read_version(connection) != schema.SCHEMA_VERSION:
            return None
        return CatalogReader(connection, {}).state().lexical


def prepare_folder(folder: Path) -> None:
    """Make the library folder: private, and ignored by git."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")


class EmbeddedWriter:
    """One index run on a library whose writer lock the caller holds.

    Opening it repairs what a crash has left; then ``commit``, ``keep`` or ``rollback``.
    """

    def __init__(
        self, folder: Path, *, lexical: str, reanalyze: Reanalyze, full: bool, weights: Weights
    ) -> None:
        prepare_folder(folder)
        self.folder = folder
        self.weights = weights
        self.reanalyze = reanalyze
        self.engine: LexicalWriter | None = None
        try:
            self._open(lexical, full=full)
        except StoreUnavailable as error:
            # Without its high bits, in which SQLite says which part is corrupt.
            code = (getattr(error.__cause__, "sqlite_errorcode", None) or 0) & 0xFF
            if not full or code not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise
            # Everything in a catalog comes from the sources, and a full run was asked for.
            for ending in ("", "-wal", "-shm"):
                (folder / f"catalog.db{ending}").unlink(missing_ok=True)
            self._open(lexical, full=full)

    def _open(self, lexical: str, *, full: bool) -> None:
        self.connection = schema.create(self.folder / "catalog.db")
        try:
            self._begin(lexical, full=full)
        except sqlite3.Error as error:
            self.rollback()
            raise schema.unavailable(self.folder / "catalog.db", error) from error
        except OSError as error:
            self.rollback()
            raise unwritable(error) from error
        except BaseException:
            self.rollback()
            raise

    def _begin(self, lexical: str, *, full: bool) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        version = read_version(self.connection)
        if version is not None and version > schema.SCHEMA_VERSION and not full:
            raise RunRefused(
                f"The index at {self.folder} was made by a newer version of wellread (schema "
                f"{version}, this one writes {schema.SCHEMA_VERSION}) and is left as it is. Update "
                "wellread, or run `wellread index --full` to build it anew with this version."
            )
        self.fresh = full or version != schema.SCHEMA_VERSION
        previous = None
        if version == schema.SCHEMA_VERSION:
            previous = CatalogReader(self.connection, {}).state()
            self.fresh = self.fresh or previous.lexical != lexical
        if self.fresh:
            next_ids = None
            if previous is not None:
                # Ids are counted on whatever the reason to build anew: a reader that stays open
                # keeps records by id.
                next_ids = self.connection.execute(
                    "SELECT value FROM meta WHERE key = 'next_ids'"
                ).fetchone()
            self._create(lexical, previous, next_ids)
        self.before = CatalogReader(self.connection, {}).state()
        self.generation = self.before.generation + 1
        self.engine = engine = self._engine()
        self.catalog = CatalogWriter(self.connection, engine, self.generation)
        self._replay(engine)

    def _create(
        self, lexical: str, previous: CatalogState | None, next_ids: tuple[str] | None
    ) -> None:
        drop_all(self.connection)
        for statement in schema.CATALOG.split(";"):
            if statement.strip():
                self.connection.execute(statement)
        create_texts(self.connection)
        if lexical == "fts5":
            from wellread.store.fts5_index import create_tables

            create_tables(self.connection)
        write_meta(self.connection, "schema", schema.SCHEMA_VERSION)
        if next_ids:
            self.connection.execute("INSERT INTO meta VALUES ('next_ids', ?)", next_ids)
        state = previous or CatalogState(
            library_id=uuid.uuid4().hex[:12],
            generation=0,
            indexed_at=None,
            rebuilt=0,
            lexical=lexical,
            documents=0,
            error=None,
            failed_at=None,
            held_back=0,
        )
        rebuilt = replace(state, lexical=lexical, rebuilt=state.generation + 1)
        write_meta(self.connection, "state", asdict(rebuilt))

    def _engine(self) -> LexicalWriter:
        if self.before.lexical == "fts5":
            from wellread.store.fts5_index import Fts5Writer

            self.behind: int | None = None
            return Fts5Writer(self.connection, self.weights)
        index = open_or_replace(tantivy_folder(self.folder, self.before.library_id))
        self.behind = index.searcher(reload=True).generation
        return index.writer(self.weights)

    def _replay(self, engine: LexicalWriter) -> None:
        """Bring a text index that is not at the catalog's generation up to it: what was
        written or removed since, or everything where the catalog was built anew since."""
        self.replayed = self.fresh
        if self.fresh:
            engine.clear()
        elif self.behind is not None and self.behind != self.before.generation:
            self.replayed = True
            after = self.behind
            if not self.before.rebuilt <= after < self.before.generation:
                engine.clear()
                after = -1
            for (document_id,) in self.connection.execute("SELECT document_id FROM tombstones"):
                engine.delete(document_id)
            reader = CatalogReader(self.connection, {})
            scope = writer_scope(self.connection)
            for document_id, acl_id in list(stored_documents(self.connection, after)):
                text = reader.text(document_id, scope=scope)
                if text is not None:
                    engine.delete(document_id)
                    engine.add(self._stored(text, document_id, acl_id))
        self.connection.execute(
            "DELETE FROM tombstones WHERE generation <= ?", (self.behind or self.generation,)
        )

    def _stored(self, text: DocumentText, document_id: int, acl_id: int) -> LexicalDocument:
        record = text.record
        ids = self.connection.execute(
            "SELECT id FROM passages WHERE document_id = ? ORDER BY id", (document_id,)
        ).fetchall()
        terms = self.reanalyze(text)
        updated = record.lifecycle.updated
        return LexicalDocument(
            document_id=document_id,
            path=record.path,
            acl_id=acl_id,
            type=record.type,
            state=record.lifecycle.state,
            owner=record.owner.casefold(),
            tags=record.tags,
            updated=updated.toordinal() if updated else None,
            passages=[(row[0], joined(one)) for row, one in zip(ids, terms, strict=True)],
        )

    def move_to_acl(self, document_id: int, acl_id: int) -> None:
        """Write a stored document anew under another acl, from the catalog's own text."""
        scope = writer_scope(self.connection)
        text = CatalogReader(self.connection, {}).text(document_id, scope=scope)
        engine = self.engine
        assert text is not None
        assert engine is not None
        engine.delete(document_id)
        self.connection.execute(
            "UPDATE documents SET acl_id = ?, generation = ? WHERE id = ?",
            (acl_id, self.generation, document_id),
        )
        engine.add(self._stored(text, document_id, acl_id))

    def commit(self, state: CatalogState, *, changed: bool) -> None:
        """Commit the catalog, then the index. Where nothing has changed, the generation
        stays, and the index need not be written."""
        if not changed and not self.replayed:
            state = replace(state, generation=self.before.generation)
        try:
            self.catalog.finish(state)
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.rollback()
            raise schema.unavailable(self.folder / "catalog.db", error) from error
        try:
            if state.generation == self.generation and self.engine is not None:
                self.engine.commit(state.generation)
                self.engine = None
            with suppress(sqlite3.Error):  # a log that stays as it is harms nothing
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self.rollback()
        keep = None
        if state.lexical == "tantivy":
            keep = tantivy_folder(self.folder, state.library_id)
        remove_tantivy_folders(self.folder, but=keep)

    def keep(self, error: str, failed_at: str, left: Sequence[LeftFile]) -> None:
        """Undo the run's changes and note only what went wrong, for ``status`` and results:
        the error, and the files that were left out."""
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self.connection.execute("BEGIN IMMEDIATE")
            version = read_version(self.connection)
            if version is None:
                # The first run of all: an empty library can say why it is empty.
                self._create(self.before.lexical, self.before, None)
            if version in (None, schema.SCHEMA_VERSION):
                # What was undone may have been another engine's tables: the state that is
                # noted is the one that stands, not the one that the run began to make.
                standing = CatalogReader(self.connection, {}).state()
                noted = replace(standing, error=error, failed_at=failed_at)
                write_meta(self.connection, "state", asdict(noted))
                self.catalog.replace_left_files(left)
            self.connection.execute("COMMIT")
        except sqlite3.Error as failure:
            raise schema.unavailable(self.folder / "catalog.db", failure) from failure
        finally:
            self.rollback()

    def rollback(self) -> None:
        """Undo everything since the last commit and let go of the library; doing so twice, as
        where an interruption comes at the very end, is doing it once."""
        engine, self.engine = self.engine, None
        try:
            if engine is not None:
                engine.rollback()
        except StoreUnavailable as error:
            # A text index that could not be written cannot be rolled back either. Nothing of
            # it was committed, and the next run opens it anew.
            logger.warning("the text index was left as it is: %s", str(error))
        finally:
            # SQLite undoes an open transaction, and moves its log into the database.
            self.connection.close()


def writer_scope(connection: sqlite3.Connection) -> Scope:
    """The scope of the index run itself, which is the local owner's: every acl there is."""
    table = AclTable(dict(connection.execute("SELECT id, canonical FROM acls").fetchall()))
    return resolve(Caller(subject=None, owner=True), table, 0)


def drop_all(connection: sqlite3.Connection) -> None:
    """Drop every table, within the transaction; virtual tables take their own along."""
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY sql LIKE 'CREATE VIRTUAL%' "
        "DESC"
    ).fetchall()
    for (name,) in names:
        if not name.startswith("sqlite_"):
            connection.execute(f'DROP TABLE IF EXISTS "{name}"')


def open_or_replace(folder: Path) -> TantivyIndex:
    """The text index for writing; one that cannot be opened is made anew, since it is derived
    and will be replayed."""
    try:
        return TantivyIndex(folder, create=True)
    except StoreUnavailable:
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise  # it may be sound: what is wrong is for somebody else to mend
        shutil.rmtree(folder, ignore_errors=True)
        return TantivyIndex(folder, create=True)


def remove_tantivy_folders(folder: Path, *, but: Path | None) -> None:
    """Remove text indexes that no catalog refers to any more."""
    for entry in os.scandir(folder):
        if entry.is_dir() and entry.name.startswith("tantivy-") and Path(entry.path) != but:
            shutil.rmtree(entry.path)

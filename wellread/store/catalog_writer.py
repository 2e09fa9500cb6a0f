"""Writing ``catalog.db``: one transaction per run, every document under a fresh id.

A changed document is a new row: whatever refers to an id is then either right or dangling,
never half right. Ids of documents, sections and passages are counted on in ``meta``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import date
from typing import NamedTuple

from wellread.documents import FileEntry
from wellread.store.base import LeftFile
from wellread.store.catalog import CatalogState
from wellread.store.lexical import LexicalDocument, LexicalWriter
from wellread.store.rows import SEPARATOR, DocumentRows, joined
from wellread.store.texts import TextWriter


class ManifestRow(NamedTuple):
    """What the catalog knows of a file, to tell whether it changed: in the order of the columns
    that ``manifest`` reads, since every run makes one for every file."""

    document_id: int
    path: str
    source: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    digest: bytes
    fingerprint: str
    acl_id: int
    access: str
    dated: bool
    updated: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class FileState:
    """What the run knows of a document beside its rows; ``updated`` is the day that holds and
    ``dated`` whether the document says so itself. ``access`` is what its acl was made from."""

    entry: FileEntry
    digest: bytes
    fingerprint: str
    acl_id: int
    access: str
    dated: bool
    updated: date | None
    indexed_at: str


class CatalogWriter:
    """The writing side of one run, within a transaction that the store has begun."""

    def __init__(
        self, connection: sqlite3.Connection, lexical: LexicalWriter, generation: int
    ) -> None:
        self.connection = connection
        self.lexical = lexical
        self.generation = generation
        self.texts = TextWriter(connection)
        self.words: set[str] = set()
        self.passages = 0
        row = connection.execute("SELECT value FROM meta WHERE key = 'next_ids'").fetchone()
        self.next_ids: dict[str, int] = (
            json.loads(row[0]) if row else {"document": 1, "section": 1, "passage": 1}
        )
        self.acls: dict[str, int] = {
            canonical: acl_id
            for acl_id, canonical in connection.execute("SELECT id, canonical FROM acls")
        }

    def manifest(self) -> dict[str, ManifestRow]:
        """Every document's file state, by path."""
        rows = self.connection.execute(
            "SELECT id, path, source, size, mtime_ns, ctime_ns, inode, digest, fingerprint, "
            "acl_id, access, dated, updated FROM documents"
        )
        return {row[1]: ManifestRow._make(row) for row in rows}

    def intern(self, canonical: str) -> int:
        """The id of an acl, the same for the same canonical form."""
        acl_id = self.acls.get(canonical)
        if acl_id is None:
            acl_id = max(self.acls.values(), default=0) + 1
            self.connection.execute("INSERT INTO acls VALUES (?, ?)", (acl_id, canonical))
            self.acls[canonical] = acl_id
        return acl_id

    def put(self, rows: DocumentRows, state: FileState) -> int:
        """Write a document under a fresh id; the old one at its path must be removed before."""
        document_id = self._take("document", 1)
        first_section = self._take("section", len(rows.sections))
        first_passage = self._take("passage", len(rows.passages))
        entry = state.entry
        updated = state.updated.toordinal() if state.updated else None
        self.connection.execute(
            "INSERT INTO documents (id, path, source, location, size, mtime_ns, ctime_ns, inode, "
            "digest, fingerprint, generation, acl_id, access, dated, type, state, owner, updated, "
            "language, title, total_lines, indexed_at, record, headings) "
            f"VALUES ({','.join('?' * 24)})",
            (
                document_id,
                rows.path,
                entry.source,
                entry.location,
                entry.size,
                entry.mtime_ns,
                entry.ctime_ns,
                entry.inode,
                state.digest,
                state.fingerprint,
                self.generation,
                state.acl_id,
                state.access,
                state.dated,
                rows.type,
                rows.state,
                rows.owner,
                updated,
                rows.language,
                rows.title,
                rows.total_lines,
                state.indexed_at,
                rows.record,
                rows.headings,
            ),
        )
        many = self.connection.executemany
        many(
            "INSERT INTO sections VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (first_section + index, document_id, *section)
                for index, section in enumerate(rows.sections)
            ),
        )
        many(
            "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (first_passage + index, document_id, first_section + passage[0], *passage[1:])
                for index, passage in enumerate(rows.passages)
            ),
        )
        for table, values in (
            ("links VALUES (?, ?, ?, ?, ?, ?)", rows.links),
            ("attachments VALUES (?, ?, ?, ?, ?)", rows.attachments),
            ("document_tags VALUES (?, ?)", [(tag,) for tag in rows.tags]),
            (
                "supersessions VALUES (?, ?)",
                [(target,) for target in dict.fromkeys(rows.supersedes)],
            ),
            ("governing VALUES (?)", [()] if rows.governing else []),
        ):
            if values:
                many(f"INSERT INTO {table}", ((document_id, *value) for value in values))
        self.texts.put(document_id, rows.text)
        self._index(document_id, state.acl_id, rows, updated, first_passage)
        self.passages += len(rows.passages)
        return document_id

    def _index(
        self,
        document_id: int,
        acl_id: int,
        rows: DocumentRows,
        updated: int | None,
        first_passage: int,
    ) -> None:
        terms = [joined(row) for row in rows.terms]
        self.words.update(filter(None, rows.words.split(" ")))
        self.lexical.add(
            LexicalDocument(
                document_id=document_id,
                path=rows.path,
                acl_id=acl_id,
                type=rows.type,
                state=rows.state,
                owner=rows.owner,
                tags=rows.tags,
                updated=updated,
                passages=[(first_passage + index, row) for index, row in enumerate(terms)],
            )
        )

    def remove(self, document_id: int) -> None:
        """Remove a document with everything of it, and leave a tombstone for the index."""
        self.lexical.delete(document_id)
        self.texts.delete(document_id)
        for table in (
            "sections",
            "passages",
            "links",
            "attachments",
            "document_tags",
            "supersessions",
            "governing",
        ):
            self.connection.execute(f"DELETE FROM {table} WHERE document_id = ?", (document_id,))
        self.connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))
        self.connection.execute(
            "INSERT INTO tombstones VALUES (?, ?)", (document_id, self.generation)
        )

    def touch(self, document_id: int, entry: FileEntry) -> None:
        """Note a file's new times where its bytes are the same."""
        self.connection.execute(
            "UPDATE documents SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, location = ? "
            "WHERE id = ?",
            (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode, entry.location, document_id),
        )

    def replace_left_files(self, left: Iterable[LeftFile]) -> None:
        """Replace what is known of the files that the sources left out. A run is over all
        sources: what was known of any other is of a source that is no longer one."""
        self.connection.execute("DELETE FROM left_files")
        self.connection.executemany(
            "INSERT OR REPLACE INTO left_files VALUES (?, ?, ?, ?, ?)",
            ((file.path, file.source, file.failed, file.reason, file.message) for file in left),
        )

    def count(self) -> int:
        """Documents in the catalog."""
        return int(self.connection.execute("SELECT COUNT(*) FROM documents").fetchone()[0])

    def finish(self, state: CatalogState) -> None:
        """Write the vocabulary, the counters and the state; the store then commits."""
        self.connection.executemany(
            "INSERT OR IGNORE INTO words VALUES (?, ?, ?)",
            (
                (word, term, word[::-1])
                for word, _, term in (one.partition(SEPARATOR) for one in sorted(self.words))
            ),
        )
        write_meta(self.connection, "next_ids", self.next_ids)
        write_meta(self.connection, "state", asdict(state))

    def _take(self, kind: str, count: int) -> int:
        first = self.next_ids[kind]
        self.next_ids[kind] = first + count
        return first


def write_meta(connection: sqlite3.Connection, key: str, value: object) -> None:
    """Write one JSON value of ``meta``."""
    connection.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, json.dumps(value)),
    )


def stored_documents(
    connection: sqlite3.Connection, after_generation: int
) -> Iterator[tuple[int, int]]:
    """Id and acl id of the documents written after a generation, for replay."""
    yield from connection.execute(
        "SELECT id, acl_id FROM documents WHERE generation > ? ORDER BY id", (after_generation,)
    )

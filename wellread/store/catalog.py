"""Reading ``catalog.db``: documents, sections and passages, always under a scope."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from wellread.paths import spellings
from wellread.store.base import (
    DocumentRecord,
    DocumentText,
    FileStamp,
    LeftFile,
    LinkRecord,
    PassagePlace,
    PassageRecord,
    PassageRow,
)
from wellread.store.codec import load_headings, load_lifecycle, load_path
from wellread.store.conditions import document_condition
from wellread.store.lexical import Restriction
from wellread.store.texts import TextReader
from wellread.types import Attachment, Filters, Scope

if TYPE_CHECKING:
    from wellread.documents import Passage, Problem, Section

RECORD_CACHE_SIZE = 20_000
"""Documents kept in memory: about 1 kB each. Ids are never reused and rows never change, so
an entry is right for as long as it is kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CatalogState:
    """What the last run left: the generation, when, and what is wrong since. ``rebuilt`` is
    the generation in which the catalog was last built anew."""

    library_id: str
    generation: int
    rebuilt: int
    indexed_at: str | None
    lexical: str
    documents: int
    error: str | None
    failed_at: str | None
    held_back: int


REMEMBERED_SCOPES = 256
"""Scopes whose languages are kept: one for each set of acls that callers come with."""


@dataclass(kw_only=True, slots=True)
class GenerationFacts:
    """What holds for a whole generation and every search asks for: the paths that any
    document supersedes, the languages of each scope met so far, and the passages of each acl."""

    generation: int = -1
    superseded: frozenset[str] | None = None
    languages: dict[frozenset[int], tuple[str, ...]] = field(default_factory=dict)
    passages: dict[int, int] | None = None


class CatalogReader:
    """Queries on one read transaction. Every method but ``state``, ``acls``,
    ``acls_by_path``, ``paths`` and ``places`` takes the scope and answers as if nothing else
    existed. ``facts`` are those of the transaction's generation."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        cache: dict[int, DocumentRecord],
        facts: GenerationFacts | None = None,
    ) -> None:
        self.connection = connection
        self.cache = cache
        self.facts = facts or GenerationFacts()
        self.texts = TextReader(connection)

    def state(self) -> CatalogState:
        """The state row."""
        row = self.connection.execute("SELECT value FROM meta WHERE key = 'state'").fetchone()
        return CatalogState(**json.loads(row[0]))

    def acls(self) -> list[tuple[int, str]]:
        """The acls in use, in canonical form."""
        return self.connection.execute(
            "SELECT id, canonical FROM acls WHERE id IN (SELECT acl_id FROM documents)"
        ).fetchall()

    def acls_by_path(self) -> dict[str, str]:
        """Every document's path and acl: for an audit, never for an answer."""
        rows = self.connection.execute(
            "SELECT d.path, a.canonical FROM documents d JOIN acls a ON a.id = d.acl_id"
        )
        return dict(rows.fetchall())

    def places(self, ids: Sequence[int]) -> dict[int, PassagePlace]:
        """Where passages belong, of any scope; those that are gone are left out."""
        rows = self.connection.execute(
            f"SELECT id, document_id, section_id FROM passages WHERE id IN ({marks(ids)})",
            list(ids),
        )
        return {row[0]: PassagePlace._make(row) for row in rows}

    def passage_rows(self) -> list[PassageRow]:
        """Every passage with what a vector search must know of it, of any scope, by id."""
        rows = self.connection.execute(
            "SELECT p.id, p.document_id, d.acl_id, d.language FROM passages p "
            "JOIN documents d ON d.id = p.document_id ORDER BY p.id"
        )
        return [PassageRow._make(row) for row in rows]

    def passage_counts(self) -> dict[int, int]:
        """The number of passages of each acl."""
        if self.facts.passages is None:
            rows = self.connection.execute(
                "SELECT d.acl_id, COUNT(*) FROM passages p JOIN documents d "
                "ON d.id = p.document_id GROUP BY d.acl_id"
            )
            self.facts.passages = dict(rows.fetchall())
        return self.facts.passages

    def passage_ids(self, document_id: int) -> list[int]:
        """The ids of a document's passages, in order; of a document found in scope."""
        rows = self.connection.execute(
            "SELECT id FROM passages WHERE document_id = ? ORDER BY id", (document_id,)
        )
        return [row[0] for row in rows]

    def passages(self, ids: Sequence[int], *, scope: Scope) -> dict[int, PassageRecord]:
        """Passages by id; those outside the scope, or gone, are left out."""
        rows = self.connection.execute(
            "SELECT p.id, p.document_id, p.section_id, s.slug, p.heading, p.char_start, "
            "p.char_end, p.line_start, p.line_end, p.page, d.acl_id "
            f"FROM passages p JOIN sections s ON s.id = p.section_id "
            f"JOIN documents d ON d.id = p.document_id WHERE p.id IN ({marks(ids)})",
            list(ids),
        )
        return {
            row[0]: PassageRecord(
                id=row[0],
                document_id=row[1],
                section_id=row[2],
                section_slug=row[3],
                heading=load_path(row[4]),
                char_start=row[5],
                char_end=row[6],
                line_start=row[7],
                line_end=row[8],
                page=row[9],
            )
            for row in rows
            if row[10] in scope.allowed
        }

    def live_passages(self, ids: Sequence[int], *, scope: Scope) -> set[int]:
        """Which of these passages exist in scope; ids may be many."""
        rows = self.connection.execute(
            "SELECT p.id, d.acl_id FROM json_each(?) wanted JOIN passages p ON p.id = wanted.value "
            "JOIN documents d ON d.id = p.document_id",
            (json.dumps(list(ids)),),
        )
        return {passage_id for passage_id, acl_id in rows if acl_id in scope.allowed}

    def documents(self, ids: Iterable[int], *, scope: Scope) -> dict[int, DocumentRecord]:
        """Documents by id; those outside the scope, or gone, are left out."""
        wanted = list(ids)
        live = self.connection.execute(
            f"SELECT id, acl_id FROM documents WHERE id IN ({AMONG})", (json.dumps(wanted),)
        ).fetchall()
        readable = [document_id for document_id, acl_id in live if acl_id in scope.allowed]
        # Another request may clear what is kept at any time: what is asked for is held here.
        known = {document_id: self.cache.get(document_id) for document_id in readable}
        missing = [document_id for document_id, record in known.items() if record is None]
        loaded = self._load(missing) if missing else {}
        return {
            document_id: loaded[document_id] if record is None else record
            for document_id, record in known.items()
        }

    def find(self, path: str, *, scope: Scope) -> DocumentRecord | None:
        """The document at a path."""
        row = self.connection.execute("SELECT id FROM documents WHERE path = ?", (path,)).fetchone()
        return self.documents([row[0]], scope=scope).get(row[0]) if row else None

    def find_all(self, paths: Iterable[str], *, scope: Scope) -> dict[str, DocumentRecord]:
        """The documents at these paths, those in scope."""
        wanted = list(paths)
        rows = self.connection.execute(
            f"SELECT id FROM documents WHERE path IN ({AMONG})", (json.dumps(wanted),)
        )
        found = self.documents([row[0] for row in rows], scope=scope)
        return {record.path: record for record in found.values()}

    def text(self, document_id: int, *, scope: Scope) -> DocumentText | None:
        """A document with its text and structure."""
        from wellread.documents import Link

        record = self.documents([document_id], scope=scope).get(document_id)
        if record is None:
            return None
        headings, body = self.connection.execute(
            "SELECT d.headings, t.body FROM documents d JOIN texts t ON t.document_id = d.id "
            "WHERE d.id = ?",
            (document_id,),
        ).fetchone()
        return DocumentText(
            record=record,
            body=bytes(body).decode(),
            headings=load_headings(headings),
            sections=self.sections(document_id),
            passages=self.passages_of(document_id),
            links=tuple(
                Link(target=target, anchor=anchor, line=line, image=bool(image), written=written)
                for target, anchor, line, image, written in self.connection.execute(
                    "SELECT target, anchor, line, image, written FROM links "
                    "WHERE document_id = ? ORDER BY rowid",
                    (document_id,),
                )
            ),
            attachments=tuple(
                Attachment(path=path, kind=kind, title=title, line=line)
                for path, kind, title, line in self.connection.execute(
                    "SELECT path, kind, title, line FROM attachments "
                    "WHERE document_id = ? ORDER BY rowid",
                    (document_id,),
                )
            ),
        )

    def body(self, document_id: int, *, scope: Scope) -> str:
        """A document's text alone; empty where it is missing or outside the scope."""
        row = self.connection.execute(
            "SELECT t.body, d.acl_id FROM texts t JOIN documents d ON d.id = t.document_id "
            "WHERE d.id = ?",
            (document_id,),
        ).fetchone()
        if row is None or row[1] not in scope.allowed:
            return ""
        return bytes(row[0]).decode()

    def first_passages(self, document_id: int, *, scope: Scope) -> list[int]:
        """The id of a document's first passage, in a list of one or none."""
        rows = self.connection.execute(
            "SELECT MIN(p.id), d.acl_id FROM passages p JOIN documents d ON d.id = p.document_id "
            "WHERE d.id = ? GROUP BY d.id",
            (document_id,),
        )
        return [passage_id for passage_id, acl_id in rows if acl_id in scope.allowed]

    def passes(self, document_id: int, where: Restriction) -> bool:
        """Whether a document is in scope and passes the filters."""
        condition, values = document_condition(where)
        row = self.connection.execute(
            f"SELECT 1 FROM documents d WHERE d.id = ? AND {condition}", [document_id, *values]
        ).fetchone()
        return row is not None

    def files(self, ids: Iterable[int], *, scope: Scope) -> dict[int, FileStamp]:
        """Where documents in scope come from, and the file's size and time when indexed."""
        wanted = list(ids)
        rows = self.connection.execute(
            f"SELECT id, acl_id, location, size, mtime_ns FROM documents WHERE id IN ({AMONG})",
            (json.dumps(wanted),),
        )
        return {
            row[0]: FileStamp(location=row[2], size=row[3], mtime_ns=row[4])
            for row in rows
            if row[1] in scope.allowed
        }

    def sections(self, document_id: int) -> tuple[Section, ...]:
        """The sections of a document that has been found in scope."""
        from wellread.documents import Section

        return tuple(
            Section(
                slug=row[0],
                level=row[1],
                heading=load_path(row[2]),
                char_start=row[3],
                char_end=row[4],
                line_start=row[5],
                line_end=row[6],
                page=row[7],
            )
            for row in self.connection.execute(
                "SELECT slug, level, heading, char_start, char_end, line_start, line_end, page "
                "FROM sections WHERE document_id = ? ORDER BY id",
                (document_id,),
            )
        )

    def passages_of(self, document_id: int) -> tuple[Passage, ...]:
        """The passages of a document that has been found in scope, in order."""
        from wellread.documents import Passage

        return tuple(
            Passage(
                section=row[0],
                heading=load_path(row[1]),
                char_start=row[2],
                char_end=row[3],
                line_start=row[4],
                line_end=row[5],
                page=row[6],
            )
            for row in self.connection.execute(
                "SELECT section_id - (SELECT MIN(id) FROM sections WHERE document_id = ?1), "
                "heading, char_start, char_end, line_start, line_end, page "
                "FROM passages WHERE document_id = ?1 ORDER BY id",
                (document_id,),
            )
        )

    def languages(self, *, scope: Scope) -> tuple[str, ...]:
        """The languages of the documents in scope, sorted."""
        known = self.facts.languages
        found = known.get(scope.allowed)
        if found is None:
            rows = self.connection.execute("SELECT DISTINCT acl_id, language FROM documents")
            found = tuple(sorted({language for acl, language in rows if acl in scope.allowed}))
            if len(known) >= REMEMBERED_SCOPES:
                known.clear()
            known[scope.allowed] = found
        return found

    def document_ids(self, where: Restriction, among: Collection[int] | None) -> list[int]:
        """Documents in scope and filters, in path order; only those of ``among``, if given."""
        condition, values = document_condition(where)
        if among is not None:
            condition += " AND d.id IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(sorted(among)))
        rows = self.connection.execute(
            f"SELECT d.id FROM documents d WHERE {condition} ORDER BY d.path", values
        )
        return [row[0] for row in rows]

    def left_files(self) -> list[LeftFile]:
        """The files that are not in the library, by path."""
        rows = self.connection.execute(
            "SELECT path, source, failed, reason, message FROM left_files ORDER BY path"
        )
        return [
            LeftFile(path=row[0], source=row[1], failed=bool(row[2]), reason=row[3],
                     message=row[4])
            for row in rows
        ]  # fmt: skip

    def acl_counts(self) -> list[tuple[str, int]]:
        """Acls in canonical form with their number of documents, most first."""
        return self.connection.execute(
            "SELECT a.canonical, COUNT(*) AS n FROM documents d JOIN acls a ON a.id = d.acl_id "
            "GROUP BY a.id ORDER BY n DESC, a.canonical"
        ).fetchall()

    def problems(self, *, scope: Scope) -> Iterator[Problem]:
        """The mistakes noted in the documents in scope, in path order."""
        from wellread.documents import Problem

        rows = self.connection.execute(
            "SELECT d.path, d.acl_id, p.value FROM documents d, "
            "json_each(d.record, '$.problems') p ORDER BY d.path, p.key"
        )
        for path, acl_id, problem in rows:
            if acl_id in scope.allowed:
                line, code, message = json.loads(problem)
                yield Problem(path=path, line=line, code=code, message=message)

    def count_documents(self, *, scope: Scope) -> int:
        """Documents in scope."""
        condition, values = document_condition(Restriction(scope=scope, filters=Filters()))
        row = self.connection.execute(
            f"SELECT COUNT(*) FROM documents d WHERE {condition}", values
        ).fetchone()
        return int(row[0])

    def count_passages(self, *, scope: Scope) -> int:
        """Passages of the documents in scope."""
        condition, values = document_condition(Restriction(scope=scope, filters=Filters()))
        row = self.connection.execute(
            "SELECT COUNT(*) FROM passages p JOIN documents d ON d.id = p.document_id "
            f"WHERE {condition}",
            values,
        ).fetchone()
        return int(row[0])

    def governing(self, *, scope: Scope) -> tuple[DocumentRecord, ...]:
        """The documents in scope that are always on or have triggers, by path."""
        ids = [row[0] for row in self.connection.execute("SELECT document_id FROM governing")]
        found = self.documents(ids, scope=scope)
        return tuple(sorted(found.values(), key=lambda record: record.path))

    def paths(self) -> list[tuple[int, str]]:
        """Every document's id and path, for globs; what is made of it is a condition of a
        query that carries the scope as well."""
        return self.connection.execute("SELECT id, path FROM documents").fetchall()

    def links_to(self, path: str, *, scope: Scope) -> tuple[LinkRecord, ...]:
        """The documents in scope that link to a path, by path."""
        targets = spellings(path)
        rows = self.connection.execute(
            f"SELECT DISTINCT document_id FROM links WHERE target IN ({marks(targets)})", targets
        ).fetchall()
        found = self.documents([row[0] for row in rows], scope=scope)
        return tuple(
            LinkRecord(path=record.path, title=record.title)
            for record in sorted(found.values(), key=lambda record: record.path)
        )

    def superseders(self, path: str, *, scope: Scope) -> tuple[DocumentRecord, ...]:
        """The documents in scope that say they supersede a path, by path."""
        if self.facts.superseded is None:
            targets = self.connection.execute("SELECT DISTINCT target FROM supersessions")
            self.facts.superseded = frozenset(row[0] for row in targets)
        if path not in self.facts.superseded:
            return ()
        rows = self.connection.execute(
            "SELECT document_id FROM supersessions WHERE target = ?", (path,)
        ).fetchall()
        found = self.documents([row[0] for row in rows], scope=scope)
        return tuple(sorted(found.values(), key=lambda record: record.path))

    def near_words(self, word: str) -> list[tuple[str, str]]:
        """Words of the whole library with their terms that share the first or the last half
        with ``word``: one edit leaves one of the halves as it is. The caller looks for each
        within its scope."""
        half = len(word) // 2
        first, last = word[:half], word[half:][::-1]
        # An edit at the border may fall into either half, so the later half is a letter shorter.
        last = last[:-1] if len(last) > 1 else last
        rows = self.connection.execute(
            "SELECT word, term FROM words WHERE word >= ? AND word < ? "
            "UNION SELECT word, term FROM words WHERE mirrored >= ? AND mirrored < ?",
            (first, first + LAST_CHARACTER, last, last + LAST_CHARACTER),
        )
        return rows.fetchall()

    def _load(self, ids: Sequence[int]) -> dict[int, DocumentRecord]:
        loaded: dict[int, DocumentRecord] = {}
        rows = self.connection.execute(
            "SELECT d.id, d.path, d.source, d.title, d.type, d.language, d.acl_id, "
            "d.total_lines, d.indexed_at, d.updated, d.record, "
            "(SELECT COUNT(*) FROM attachments a WHERE a.document_id = d.id), "
            "EXISTS (SELECT 1 FROM sections s WHERE s.document_id = d.id AND s.page NOTNULL) "
            f"FROM documents d WHERE d.id IN ({AMONG})",
            (json.dumps(ids),),
        )
        for row in rows:
            record = json.loads(row[10])
            updated = date.fromordinal(row[9]) if row[9] is not None else None
            loaded[row[0]] = DocumentRecord(
                id=row[0],
                path=row[1],
                source=row[2],
                title=row[3],
                type=row[4],
                type_written=record["type_written"],
                language=row[5],
                owner=record["owner"],
                domain=record["domain"],
                always_on=record["always_on"],
                triggers=tuple(record["triggers"]),
                client=record["client"],
                aliases=tuple(record["aliases"]),
                tags=tuple(record["tags"]),
                sensitivity=record["sensitivity"],
                about=record["about"],
                lifecycle=load_lifecycle(record, updated),
                key_lines=record["key_lines"],
                metadata=record["metadata"],
                body_line=record["body_line"],
                total_lines=row[7],
                paged=bool(row[12]),
                indexed_at=row[8],
                attachments=row[11],
            )
        if len(self.cache) + len(loaded) > RECORD_CACHE_SIZE:
            self.cache.clear()
        self.cache.update(loaded)
        return loaded


LAST_CHARACTER = "\U0010ffff"


AMONG = "SELECT value FROM json_each(?)"
"""An IN list that may be long: a page may have more links than SQLite takes parameters."""


def marks(values: Sequence[object]) -> str:
    """Question marks for an IN list of few values: those of one page, or of one path."""
    return ",".join("?" * len(values))

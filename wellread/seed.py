"""The plain recipe that everything is measured against: one FTS5 table of sections, words
joined with OR, ``bm25()`` with weights, eight hits."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wellread.audit import Audit
from wellread.evaluate import Answer
from wellread.library import NO_FILTERS, Library
from wellread.tokens import estimate
from wellread.types import Caller

LIMIT = 8
RANK = "bm25(sections, 0, 5, 3, 1)"
READABLE = "AND substr(handle, 1, instr(handle, '#') - 1) IN (SELECT path FROM readable)"

TOKENIZERS = {"en": "porter unicode61", "ru": "unicode61 remove_diacritics 2"}
"""By the script of the question: Russian has no stemmer in SQLite."""

CUT = 2
SHORTEST = 4
"""Letters that a Russian word loses at its end before it is looked for as a prefix, and those
that it keeps: most case endings have one or two."""

_WORD = re.compile(r"\w+")
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionText:
    """A section as the recipe keeps it."""

    handle: str
    title: str
    heading: str
    body: str


class Seed:
    """The recipe over the sections of a library, in a database of its own; ``audit`` says
    which documents each caller may read, since the recipe knows of no access."""

    def __init__(self, file: Path, sections: Iterable[SectionText], audit: Audit) -> None:
        self.file = file
        self.audit = audit
        self.connection = sqlite3.connect(file)
        rows = [(one.handle, one.title, one.heading, one.body) for one in sections]
        for language, tokenizer in TOKENIZERS.items():
            self.connection.execute(
                f"CREATE VIRTUAL TABLE {language} USING fts5"
                f"(handle UNINDEXED, title, heading, body, tokenize='{tokenizer}')"
            )
            self.connection.executemany(f"INSERT INTO {language} VALUES (?, ?, ?, ?)", rows)
        self.connection.execute("CREATE TABLE readable (path TEXT PRIMARY KEY) WITHOUT ROWID")
        self.connection.commit()
        self.reader: Caller | None = None
        self.readable = ""

    def ask(self, text: str, caller: Caller) -> Answer:
        """The best eight sections of what the caller may read."""
        self._read_as(caller)
        started = time.perf_counter()
        language = "ru" if _CYRILLIC.search(text) else "en"
        wanted = expression(text, language)
        rows: Sequence[tuple[str, str, str, str]] = ()
        if wanted:
            rows = self.connection.execute(
                f"SELECT handle, title, heading, snippet({language}, 3, '«', '»', '…', 60) "
                f"FROM {language} WHERE {language} MATCH ? "
                f"{self.readable} "
                f"ORDER BY {RANK.replace('sections', language)} LIMIT {LIMIT}",
                (wanted,),
            ).fetchall()
        milliseconds = (time.perf_counter() - started) * 1000
        ranking = tuple(dict.fromkeys(handle.partition("#")[0] for handle, *_ in rows))
        return Answer(
            handles=tuple(handle for handle, *_ in rows),
            named=ranking,
            ranking=ranking,
            tokens=estimate("\n".join("\n".join(row) for row in rows)),
            milliseconds=milliseconds,
        )

    def close(self) -> None:
        """Let go of the database."""
        self.connection.close()

    def _read_as(self, caller: Caller) -> None:
        if self.reader == caller:
            return
        paths = [(path,) for path in self.audit.acls if self.audit.admits(caller, path)]
        self.connection.execute("DELETE FROM readable")
        self.connection.executemany("INSERT INTO readable VALUES (?)", paths)
        everything = len(paths) == len(self.audit.acls)
        self.readable = "" if everything else READABLE
        self.reader = caller


def expression(text: str, language: str) -> str:
    """The words of a question as an FTS5 expression: joined with OR, each in quotes; Russian
    ones without their endings and as prefixes. Empty where there are none."""
    return " OR ".join(term(word, language) for word in _WORD.findall(text))


def term(word: str, language: str) -> str:
    """A word as a term of FTS5."""
    if language == "ru" and _CYRILLIC.search(word):
        return f'"{word[: max(len(word) - CUT, SHORTEST)]}"*'
    return f'"{word}"'


def sections_of(library: Library) -> list[SectionText]:
    """Every section of a library, whoever may read it."""
    scope = library.scope(Caller(subject=None, owner=True))
    found = []
    with library.snapshot() as snapshot:
        for document_id in snapshot.document_ids(scope=scope, filters=NO_FILTERS):
            text = snapshot.text(document_id, scope=scope)
            if text is None:
                continue
            found += [
                SectionText(
                    handle=f"{text.record.path}#{section.slug}",
                    title=text.record.title,
                    heading=" › ".join(section.heading),
                    body=text.body[section.char_start : section.char_end],
                )
                for section in text.sections
            ]
    return found

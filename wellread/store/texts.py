"""The texts of the documents in the catalog, and the index that narrows an exact search.

A body is kept as UTF-8 bytes (NFC, ``\\n``). The index has two levels: the distinct words of
the library, with an FTS5 trigram index over them, and for every document the set of its words,
in FTS5 as well. A needle is cut into the same words; those at its open ends may be parts of
longer ones, which the trigrams find. The answer is a superset: the caller verifies it on the
text. Measured on 147 MB of markdown: 69,431
words, 4.5 million pairs of word and document, 7 MB. An FTS5 trigram index over the distinct
space-separated words of each document took 23 s and 25 MB there.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

# Letters whose lower-case form still has a sibling under Unicode's simple case folding
# (CaseFolding.txt, status C): final sigma, long s, the Greek symbol forms, old Cyrillic forms.
# With them two letters that a regular expression takes for equal, ignoring case, fold to one.
_SIBLINGS = {
    0x00B5: "μ",
    0x017F: "s",
    0x03C2: "σ",
    0x03D0: "β",
    0x03D1: "θ",
    0x03D5: "φ",
    0x03D6: "π",
    0x03F0: "κ",
    0x03F1: "ρ",
    0x03F5: "ε",
    0x1E9B: "ṡ",
    0x1FBE: "ι",
    0x0345: "ι",
    0x1C80: "в",
    0x1C81: "д",
    0x1C82: "о",
    0x1C83: "с",
    0x1C84: "т",
    0x1C85: "т",
    0x1C86: "ъ",
    0x1C87: "ѣ",
    0x1C88: "ꙋ",
}

_SIBLING = re.compile("[" + "".join(map(chr, _SIBLINGS)) + "]")

# Word characters: ASCII letters, digits, "_" and "-" (so that INV-2026-0041 is one word), and
# every byte of a character outside ASCII.
_WORD_BYTES = bytes(
    byte if byte >= 0x80 or chr(byte).isalnum() or byte in b"_-" else 0x20 for byte in range(256)
)

# Rows fetched by one statement: keeps the JSON list of ids small; the rows themselves stream.
_IDS_PER_STATEMENT = 4096

# A part of a needle that stands for more words than this does not narrow: reading all texts
# is as fast (25-45 ms for 147 MB) as uniting that many lists.
_MOST_WORDS = 400

# The same once another part has narrowed: `in order to` took 10.0 ms and gave 2,966 documents
# with 400, and 1.4 ms and 2,994 with 32.
_MOST_FURTHER_WORDS = 32

_TABLES = (
    """CREATE TABLE texts (
        document_id INTEGER PRIMARY KEY,
        body BLOB NOT NULL,
        folded BLOB
    )""",
    "CREATE TABLE text_words (word TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE UNIQUE INDEX text_words_id ON text_words(id)",
    """CREATE VIRTUAL TABLE text_word_grams USING fts5(
        word, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')""",
    """CREATE VIRTUAL TABLE text_grams USING fts5(
        words, content='', columnsize=0, detail=none, tokenize='ascii')""",
    # 16 MiB of pending entries instead of 1: a full build writes few segments.
    "INSERT INTO text_grams(text_grams, rank) VALUES('hashsize', 16777216)",
)


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, inside the caller's transaction."""
    for statement in _TABLES:
        connection.execute(statement)


def fold(text: str) -> str:
    """The text without difference of case, such that ``a in b`` implies
    ``fold(a) in fold(b)``. Never adds or removes a line break."""
    lowered = text.lower()
    # Looking for one first: translating every text costs 40 times the search (m: 3 ms each).
    if text.isascii() or not _SIBLING.search(lowered):
        return lowered
    return lowered.translate(_SIBLINGS)


def _words(folded: bytes) -> set[bytes]:
    return set(folded.translate(_WORD_BYTES).split())


@dataclass(frozen=True, kw_only=True, slots=True)
class TextRow:
    """A body as it is stored: UTF-8, its folded form where that is not ``bytes.lower`` of it,
    and its distinct words, separated by spaces. Made in the worker processes."""

    body: bytes
    folded: bytes | None
    words: bytes


@lru_cache(maxsize=16)
def text_row(body: str) -> TextRow:
    """The row of a body (NFC, ``\\n``)."""
    content = body.encode()
    lowered = content.lower()
    folded = lowered if len(content) == len(body) else fold(body).encode()
    return TextRow(
        body=content,
        folded=None if folded == lowered else folded,
        words=b" ".join(_words(folded)),
    )


class TextWriter:
    """Writes texts and their index inside one transaction of the caller.

    It remembers the word ids it has handed out: make a new one for each transaction, and
    drop it when that transaction is rolled back.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._codes: dict[bytes, str] = {}
        row = connection.execute("SELECT coalesce(max(id), 0) FROM text_words").fetchone()
        self._last = int(row[0])
        self._complete = self._last == 0

    def put(self, document_id: int, row: TextRow) -> None:
        """Store the text of a document that has none yet."""
        self._connection.execute(
            "INSERT INTO texts(document_id, body, folded) VALUES(?, ?, ?)",
            (document_id, row.body, row.folded),
        )
        words = row.words.split()
        self._learn([word for word in words if word not in self._codes], new=True)
        self._connection.execute(
            "INSERT INTO text_grams(rowid, words) VALUES(?, ?)", (document_id, self._row(words))
        )

    def delete(self, document_id: int) -> None:
        """Remove a document's text, exactly; nothing happens where there is none."""
        row = self._connection.execute(
            "SELECT coalesce(folded, body), folded IS NULL FROM texts WHERE document_id = ?",
            (document_id,),
        ).fetchone()
        if row is None:
            return
        words = _words(row[0].lower() if row[1] else row[0])
        self._learn([word for word in words if word not in self._codes], new=False)
        self._connection.execute(
            "INSERT INTO text_grams(text_grams, rowid, words) VALUES('delete', ?, ?)",
            (document_id, self._row(words)),
        )
        self._connection.execute("DELETE FROM texts WHERE document_id = ?", (document_id,))

    def _row(self, words: Iterable[bytes]) -> str:
        codes = self._codes
        return " ".join([codes[word] for word in words])

    def _learn(self, words: Sequence[bytes], *, new: bool) -> None:
        """Look up the ids of words not met in this transaction; ``new`` ones get an id."""
        if not self._complete and words:
            rows = self._connection.execute(
                "SELECT word, id FROM text_words WHERE word IN (SELECT value FROM json_each(?))",
                (json.dumps([word.decode() for word in words]),),
            )
            self._codes.update((word.encode(), f"{number:x}") for word, number in rows)
            words = [word for word in words if word not in self._codes]
        if not words:
            return
        if not new:
            raise sqlite3.DatabaseError(f"the word index misses {len(words)} words of a text")
        rows_new: list[tuple[str, int]] = []
        for word in sorted(words):
            self._last += 1
            self._codes[word] = f"{self._last:x}"
            rows_new.append((word.decode(), self._last))
        self._connection.executemany("INSERT INTO text_words(word, id) VALUES(?, ?)", rows_new)
        self._connection.executemany(
            "INSERT INTO text_word_grams(word, rowid) VALUES(?, ?)", rows_new
        )


class TextReader:
    """Reads texts and candidates on one connection. It knows nothing of scopes: the catalog
    hands it only ids that the caller may read, and narrows the candidates it returns."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def body(self, document_id: int) -> str | None:
        """One document's body, or ``None`` where there is none."""
        row = self._connection.execute(
            "SELECT body FROM texts WHERE document_id = ?", (document_id,)
        ).fetchone()
        return None if row is None else row[0].decode()

    def bodies(self, ids: Collection[int], *, folded: bool = False) -> Iterator[tuple[int, bytes]]:
        """The bodies of these documents as UTF-8, in no set order, one in memory at a time;
        ``folded`` gives ``fold(body)`` instead, which has the same lines."""
        ordered = sorted(ids)
        for first in range(0, len(ordered), _IDS_PER_STATEMENT):
            among = json.dumps(ordered[first : first + _IDS_PER_STATEMENT])
            if not folded:
                yield from self._connection.execute(
                    "SELECT document_id, body FROM texts"
                    " WHERE document_id IN (SELECT value FROM json_each(?))",
                    (among,),
                )
                continue
            for document_id, text, plain in self._connection.execute(
                "SELECT document_id, coalesce(folded, body), folded IS NULL FROM texts"
                " WHERE document_id IN (SELECT value FROM json_each(?))",
                (among,),
            ):
                yield document_id, text.lower() if plain else text

    def holders(self, word: str) -> list[int]:
        """Ids of all documents with this very word (folded, of letters alone)."""
        row = self._connection.execute(
            "SELECT id FROM text_words WHERE word = ?", (word,)
        ).fetchone()
        if row is None:
            return []
        rows = self._connection.execute(
            "SELECT rowid FROM text_grams WHERE text_grams MATCH ?", (f'"{row[0]:x}"',)
        )
        return [found[0] for found in rows]

    def candidates(self, needle: str) -> list[int] | None:
        """Ids of all documents that may hold the needle (one line, in whatever case), in
        ascending order; ``None`` where the index cannot narrow: look at every text."""
        wanted: list[str] = []
        for part, opens, closes in _parts(needle):
            most = _MOST_FURTHER_WORDS if wanted else _MOST_WORDS
            codes = self._codes(part, opens=opens, closes=closes, most=most)
            if codes is None:
                continue
            if not codes:
                return []
            wanted.append("(" + " OR ".join(f'"{code:x}"' for code in codes) + ")")
        if not wanted:
            return None
        rows = self._connection.execute(
            "SELECT rowid FROM text_grams WHERE text_grams MATCH ? ORDER BY rowid",
            (" AND ".join(wanted),),
        )
        return [row[0] for row in rows]

    def _codes(self, part: str, *, opens: bool, closes: bool, most: int) -> list[int] | None:
        """Ids of the words that a part of a needle may stand in; ``None`` where they are more
        than ``most``. ``opens``: the word may go on to the left of the part, ``closes``: to the
        right."""
        if not opens and not closes:
            statement, values = "SELECT id FROM text_words WHERE word = ?", [part]
        elif not opens and part[-1] != "\U0010ffff":
            statement = "SELECT id FROM text_words WHERE word >= ? AND word < ?"
            values = [part, _after(part)]
        elif len(part) >= 3:
            grams = {part[i : i + 3] for i in range(len(part) - 2)}
            statement = "SELECT rowid FROM text_word_grams WHERE text_word_grams MATCH ?"
            values = [" AND ".join(f'"{gram}"' for gram in sorted(grams))]
        else:
            return None
        rows = self._connection.execute(f"{statement} LIMIT {most + 1}", values).fetchall()
        return None if len(rows) > most else [row[0] for row in rows]


def _after(prefix: str) -> str:
    """The least text, in the order of code points, greater than all that start so."""
    last = ord(prefix[-1])
    return prefix[:-1] + chr(0xE000 if last == 0xD7FF else last + 1)


def _parts(needle: str) -> Iterator[tuple[str, bool, bool]]:
    """The words of a needle, whole ones and longer ones first, each with whether it may be the
    end and the beginning of a longer word of the text."""
    masked = fold(needle).encode().translate(_WORD_BYTES).decode()
    words = masked.split(" ")
    found = [
        (word, place == 0, place == len(words) - 1) for place, word in enumerate(words) if word
    ]
    return iter(sorted(set(found), key=lambda part: (part[1] or part[2], -len(part[0]))))

"""Texts in the catalog and the index that narrows an exact search."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wellread.store import texts
from wellread.store.texts import TextReader, TextWriter, fold, text_row


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(tmp_path / "catalog.db")
    texts.create(made)
    yield made
    made.close()


def written(connection: sqlite3.Connection, *bodies: str) -> TextReader:
    with connection:
        writer = TextWriter(connection)
        for number, body in enumerate(bodies, start=1):
            writer.put(number, text_row(body))
    return TextReader(connection)


def test_body_comes_back_as_it_was_written(connection: sqlite3.Connection) -> None:
    reader = written(connection, "Ёлка\n経費精算\n", "")
    assert reader.body(1) == "Ёлка\n経費精算\n"
    assert reader.body(2) == ""
    assert reader.body(3) is None


def test_bodies_gives_only_the_documents_asked_for(connection: sqlite3.Connection) -> None:
    reader = written(connection, "one", "two", "three")
    assert dict(reader.bodies([3, 1, 99])) == {1: b"one", 3: b"three"}


def test_folded_bodies_are_lower_case_in_every_script(connection: sqlite3.Connection) -> None:
    reader = written(connection, "ABC é", "ДОГОВОР Σίσυφος", "ÉCOLE")
    assert dict(reader.bodies([1, 2, 3], folded=True)) == {
        1: "abc é".encode(),
        2: "договор σίσυφοσ".encode(),
        3: "école".encode(),
    }


def test_folded_text_is_kept_only_where_ascii_rules_do_not_give_it(
    connection: sqlite3.Connection,
) -> None:
    written(connection, "ASCII Only", "schon klein: é", "GROẞ")
    kept = connection.execute("SELECT document_id FROM texts WHERE folded IS NOT NULL").fetchall()
    assert kept == [(3,)]


def test_candidates_narrow_to_the_document_with_the_identifier(
    connection: sqlite3.Connection,
) -> None:
    reader = written(
        connection, "see INV-2026-0041 there", "see INV-2026-0141 there", "version v2.13.0"
    )
    assert reader.candidates("INV-2026-0041") == [1]
    assert reader.candidates("2026-0") == [1, 2]
    assert reader.candidates("v2.13.0") == [3]
    assert reader.candidates("absent-word") == []


def test_candidates_ignore_case(connection: sqlite3.Connection) -> None:
    reader = written(connection, "Северсталь-Сервис", "other")
    assert reader.candidates("СЕВЕРСТАЛЬ") == [1]


def test_candidates_of_a_short_needle_are_everything(connection: sqlite3.Connection) -> None:
    reader = written(connection, "ab", "cd")
    assert reader.candidates("a") is None
    assert reader.candidates("::") is None


def test_candidates_of_a_part_of_very_many_words_are_everything(
    connection: sqlite3.Connection,
) -> None:
    reader = written(connection, " ".join(f"word{number}" for number in range(500)))
    assert reader.candidates("word") is None
    assert reader.candidates("word499") == [1]


def test_parts_of_hundreds_of_words_are_united(connection: sqlite3.Connection) -> None:
    reader = written(connection, *(f"name{number:03}x" for number in range(390)))
    assert reader.candidates("name") == list(range(1, 391))


def test_deleted_document_is_no_candidate(connection: sqlite3.Connection) -> None:
    reader = written(connection, "shared alpha", "shared beta")
    with connection:
        TextWriter(connection).delete(1)
    assert reader.candidates("shared") == [2]
    assert reader.candidates("alpha") == []
    assert reader.body(1) is None
    connection.execute("INSERT INTO text_grams(text_grams) VALUES('integrity-check')")


def test_text_of_a_removed_document_is_found_no_more(connection: sqlite3.Connection) -> None:
    reader = written(connection, "before ДО")
    with connection:
        TextWriter(connection).delete(1)
        TextWriter(connection).put(1, text_row("after ПОСЛЕ"))
    assert reader.candidates("before") == []
    assert reader.candidates("before ДО") == []
    assert reader.candidates("после") == [1]


def test_writer_of_a_later_transaction_knows_the_words(connection: sqlite3.Connection) -> None:
    reader = written(connection, "common first")
    with connection:
        TextWriter(connection).put(2, text_row("common second"))
    assert reader.candidates("common") == [1, 2]
    assert connection.execute("SELECT count(*), count(DISTINCT id) FROM text_words").fetchone() == (
        3,
        3,
    )


def test_fold_takes_siblings_of_a_letter_for_one() -> None:
    assert fold("ΣΊΣΥΦΟΣ") == fold("σίσυφος")
    assert fold("ſ") == "s"
    assert fold("\u212a") == "k"


ALPHABET = "abAB -_.\"'\n\t\0éÉßẞςΣσİı経費жЖ\u0301\u0345"


@given(text=st.text(ALPHABET, max_size=30), first=st.integers(0, 30), last=st.integers(0, 30))
def test_fold_keeps_substrings_and_lines(text: str, first: int, last: int) -> None:
    assert fold(text[first:last]) in fold(text)
    assert fold(text).count("\n") == text.count("\n")


@settings(max_examples=150, deadline=None)
@given(bodies=st.lists(st.text(ALPHABET, max_size=40), min_size=1, max_size=5), data=st.data())
def test_candidates_miss_no_document_that_holds_the_needle(
    bodies: list[str], data: st.DataObject
) -> None:
    bodies = [unicodedata.normalize("NFC", body) for body in bodies]
    connection = sqlite3.connect(":memory:")
    texts.create(connection)
    reader = written(connection, *bodies)
    source = data.draw(st.sampled_from(bodies))
    first = data.draw(st.integers(0, len(source)))
    needle = source[first : first + data.draw(st.integers(1, 8))].split("\n")[0]
    candidates = reader.candidates(needle)
    if candidates is not None:
        holders = {n for n, body in enumerate(bodies, 1) if fold(needle) in fold(body)}
        assert holders <= set(candidates)
    connection.close()

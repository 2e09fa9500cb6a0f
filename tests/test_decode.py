from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.decode import decode
from wellread.errors import SkippedFile

RUSSIAN = "Политика отпусков: 28 дней.\nОплата — в течение 30 дней, «Северсталь»."
WRITTEN = st.text(st.characters(exclude_categories=["C"], include_characters="\t\n\r"))


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1251", "koi8_r"],
)
def test_russian_text_is_read_right_in_every_common_encoding(encoding: str) -> None:
    text = RUSSIAN.replace("«", '"').replace("»", '"').replace("—", "-")
    assert decode(text.encode(encoding), "a.md") == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Café résumé naïve, it’s here – yes", "cp1252"),
        ("Größe und Maß für die Übung", "cp1252"),
        ("Zażółć gęślą jaźń dla każdego", "cp1250"),
        ("経費精算の手続き。領収書を添付してください。", "shift_jis"),
        ("Договор", "cp1251"),
    ],
)
def test_legacy_encodings_are_recognised_from_short_texts(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding), "a.md") == text


def test_line_ends_of_every_system_become_newlines_and_others_are_text() -> None:
    assert decode(b"a\r\nb\rc\nd\r\r\ne", "a.md") == "a\nb\nc\nd\n\ne"
    assert decode("a\u2028b\u0085c\x0bd".encode(), "a.md") == "a\u2028b\u0085c\x0bd"


def test_decomposed_letters_are_composed() -> None:
    assert decode("и\u0306".encode(), "a.md") == "\u0439"


def test_mostly_valid_utf8_keeps_its_text_and_marks_the_damage() -> None:
    assert decode(RUSSIAN.encode() + b"\xd0", "a.md") == RUSSIAN + "�"


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)),
        b"PK\x03\x04" + bytes(200),
        b"text with a \x00 in it.",
        bytes(range(1, 32)) * 20,
    ],
)
def test_a_binary_named_md_is_skipped_with_its_reason(content: bytes) -> None:
    with pytest.raises(SkippedFile) as skipped:
        decode(content, "notes/logo.md")
    assert skipped.value.reason == "binary"
    assert "notes/logo.md" in str(skipped.value)


def test_a_mark_that_lies_is_undecodable() -> None:
    with pytest.raises(SkippedFile) as skipped:
        decode(b"\xff\xfe" + b"\x00\xd8" * 3, "a.md")
    assert skipped.value.reason == "undecodable"


@given(WRITTEN)
def test_utf8_text_survives_with_as_many_lines_as_an_editor_shows(text: str) -> None:
    decoded = decode(text.encode(), "a.md")
    expected = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    assert decoded == unicodedata.normalize("NFC", expected)
    assert decoded.count("\n") == expected.count("\n")


@given(st.binary(max_size=300))
def test_any_bytes_become_clean_text_or_a_counted_skip(content: bytes) -> None:
    try:
        text = decode(content, "a.md")
    except SkippedFile as skipped:
        assert skipped.reason in ("binary", "undecodable")  # noqa: PT017
    else:
        assert "\r" not in text
        assert "\x00" not in text
        assert unicodedata.is_normalized("NFC", text)

"""What nobody sees is taken out of texts, and written out in handles."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.handles import meant_handle, shown_handle
from wellread.visible import one_line, visible

HIDDEN = [
    "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e", "\u034f", "\u3164",
    "\u202a", "\u202e", "\u2066", "\u2069", "\u061c", "\u200e", "\U000e0001", "\U000e0041",
    "\U000e007f", "\ufe0f", "\U000e0100", "\U000e01ef", "\x00", "\x1b", "\x7f", "\x9b", "\ufff9",
]  # fmt: skip


@pytest.mark.parametrize("hidden", HIDDEN, ids=lambda one: f"U+{ord(one):04X}")
def test_what_nobody_sees_is_taken_out(hidden: str) -> None:
    assert visible(f"a{hidden}b") == "ab"
    assert shown_handle(f"a{hidden}b.md").isprintable()
    assert meant_handle(shown_handle(f"a{hidden}b.md")) == f"a{hidden}b.md"


def test_every_format_and_control_character_is_taken_out_but_visible_marks() -> None:
    left = {
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in {"Cf", "Cc"} and visible(chr(code)).strip()
    }
    drawn = {one for one in left if "ARABIC" in unicodedata.name(one, "") or one in "\u070f\u08e2"}
    names = sorted(unicodedata.name(one, hex(ord(one))) for one in left - drawn)
    assert all("KAITHI" in name or "EGYPTIAN" in name or "SHORTHAND" in name for name in names)


def test_what_others_take_for_the_end_of_a_line_is_none() -> None:
    for separator in "\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029":
        assert visible(f"a{separator}b") == "a b"
    assert visible("a\n\tb") == "a\n\tb"


@given(st.text(max_size=50))
def test_a_cleaned_text_is_clean_and_has_lines_at_breaks_alone(text: str) -> None:
    clean = visible(text)
    assert visible(clean) == clean
    assert clean.splitlines() == clean.removesuffix("\n").split("\n")[: len(clean.splitlines())]
    assert "\n" not in one_line(text, 20)
    assert len(one_line(text, 20)) <= 20


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_a_handle_that_is_shown_is_read_back(handle: str) -> None:
    # One that looks as if it had been shown so already cannot be told from one that was.
    if "%" not in handle:
        assert meant_handle(shown_handle(handle)) == handle


def test_what_is_seen_is_not_read_back() -> None:
    assert meant_handle("100%25 plan%20.md#a%41") == "100%25 plan%20.md#a%41"

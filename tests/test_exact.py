"""Exact search: lines, counts and spans, against the plainest loop that gives them."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import cast

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from wellread import exact, regex
from wellread.errors import UsageError
from wellread.exact import LONGEST_SHOWN, Cancelled, around, find_exact
from wellread.regex import compile_pattern
from wellread.store import texts
from wellread.store.base import DocumentRecord
from wellread.store.texts import TextReader, TextWriter, fold, text_row
from wellread.types import Caller, Filters, Scope
from wellread.views import ExactResult, LineMatch

EVERYTHING = Scope(
    caller=Caller(subject=None, owner=True),
    generation=1,
    allowed=frozenset({1}),
    hidden=frozenset(),
)


@dataclass(frozen=True)
class Record:
    path: str
    body_line: int = 1


class Library:
    """A catalog of texts alone: document n has path ``paths[n - 1]``; ``readable`` and
    ``dated`` stand for scope and filters."""

    indexed_at = "2026-06-01T10:00:00Z"

    def __init__(self, *bodies: str, paths: Sequence[str] = (), body_line: int = 1) -> None:
        connection = sqlite3.connect(":memory:")
        texts.create(connection)
        writer = TextWriter(connection)
        for number, body in enumerate(bodies, start=1):
            writer.put(number, text_row(unicodedata.normalize("NFC", body)))
        self.reader = TextReader(connection)
        self.records = {
            number: Record(paths[number - 1] if paths else f"{number:03}.md", body_line)
            for number in range(1, len(bodies) + 1)
        }
        self.readable = set(self.records)
        self.dated = set(self.records)
        self.read: set[int] = set()

    def document_ids(
        self, *, scope: Scope, filters: Filters, among: Collection[int] | None = None
    ) -> Sequence[int]:
        chosen = self.readable & self.dated if filters.since else self.readable
        if among is not None:
            chosen = chosen.intersection(among)
        return sorted(chosen, key=lambda number: self.records[number].path)

    def documents(self, ids: Iterable[int], *, scope: Scope) -> dict[int, DocumentRecord]:
        return {number: cast(DocumentRecord, self.records[number]) for number in ids}

    def candidates(self, needle: str) -> Sequence[int] | None:
        return self.reader.candidates(needle)

    def bodies(self, ids: Collection[int], *, folded: bool = False) -> Iterator[tuple[int, bytes]]:
        self.read.update(ids)
        return self.reader.bodies(ids, folded=folded)


def found(
    library: Library,
    text: str,
    *,
    filters: Filters = Filters(),  # noqa: B008  (frozen)
    regex: bool = False,
    ignore_case: bool = False,
    limit: int = 20,
) -> ExactResult:
    return find_exact(
        library,
        text,
        scope=EVERYTHING,
        filters=filters,
        regex=regex,
        ignore_case=ignore_case,
        limit=limit,
    )


def lines_of(body: str) -> list[str]:
    lines = unicodedata.normalize("NFC", body).split("\n")
    return lines if lines[-1] else lines[:-1]


def test_line_numbers_are_those_of_the_file() -> None:
    library = Library("first\nsee INV-2026-0041\n", body_line=9)
    match = found(library, "INV-2026-0041").matches[0]
    assert (match.path, match.line, match.text) == ("001.md", 10, "see INV-2026-0041")
    assert match.spans == ((4, 17),)


def test_matches_come_by_path_then_line_and_counts_are_of_all() -> None:
    library = Library("x\nx\n", "x", "nothing", "x\n\nx", paths=["d.md", "a.md", "b.md", "c.md"])
    result = found(library, "x", limit=3)
    assert [(match.path, match.line) for match in result.matches] == [
        ("a.md", 1),
        ("c.md", 1),
        ("c.md", 3),
    ]
    assert (result.lines, result.documents, result.left_out) == (5, 3, 2)
    assert result.outcome == "found"
    assert result.indexed_at == library.indexed_at


def test_limit_of_nothing_still_counts() -> None:
    result = found(Library("x\nx"), "x", limit=0)
    assert (result.matches, result.lines, result.left_out) == ((), 2, 2)


def test_document_out_of_scope_is_not_read_or_counted() -> None:
    library = Library("secret word", "open word", "word")
    library.readable = {2}
    for pattern in (False, True):
        result = found(library, "word", regex=pattern)
        assert (result.lines, result.documents) == (1, 1)
    assert found(library, "secret").outcome == "nothing-found"
    assert found(library, "o").lines == 1
    assert library.read == {2}


def test_filter_that_removed_all_is_named_with_its_lines() -> None:
    library = Library("word\nword")
    library.dated = set()
    result = found(library, "word", filters=Filters(since=date(2026, 1, 1), tags=("a",)))
    assert result.outcome == "nothing-with-filters"
    assert result.without_filters == (("date", 2), ("any", 2))


def test_decomposed_needle_finds_composed_text_and_the_reverse() -> None:
    library = Library("caf\u00e9", "cafe\u0301")
    assert found(library, "cafe\u0301").documents == 2
    assert found(library, "caf\u00e9").documents == 2
    assert found(library, "cafe\u0301$", regex=True).documents == 2


def test_ignoring_case_shows_the_original_line_with_its_spans() -> None:
    library = Library("ПО ДОГОВОРУ", "İstanbul", "straße", "Straße")
    match = found(library, "договор", ignore_case=True).matches[0]
    assert (match.text, match.spans) == ("ПО ДОГОВОРУ", ((3, 10),))
    assert found(library, "STANBUL", ignore_case=True).matches[0].spans == ((1, 8),)
    assert found(library, "STRAßE", ignore_case=True).documents == 2
    assert found(library, "Straße").documents == 1


@pytest.mark.parametrize("pattern", [False, True])
def test_empty_needle_is_refused(pattern: bool) -> None:
    with pytest.raises(UsageError, match="empty"):
        found(Library("x"), "", regex=pattern)


def test_needle_with_a_line_break_is_refused_with_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"line break.*one by one"):
        found(Library("a\nb"), "a\nb")


def test_negative_limit_is_refused() -> None:
    with pytest.raises(UsageError, match="-1"):
        found(Library("a"), "a", limit=-1)


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(?=x)y", "look-around"),
        ("(?<!x)y", "look-around"),
        (r"(a)\1", "back-references"),
        ("a(b", "missing \\)"),
        ("a)(b", "unexpected \\)"),
        ("*", "no argument"),
        ("[z-a]", "range"),
        ("(((a{1000}){1000}){1000})", "not a regular expression"),
    ],
)
def test_pattern_that_cannot_be_used_is_explained(
    pattern: str, says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match=says) as raised:
        found(Library("x"), pattern, regex=True)
    assert pattern in str(raised.value)
    assert "plain text" in str(raised.value)
    assert capfd.readouterr().err == ""


def test_pattern_never_reaches_over_a_line_break() -> None:
    library = Library("foo\nbar\n")
    for pattern in (r"foo\s+bar", r"foo[^x]bar", r"foo(?s:.)bar", r"foo\nbar", r"foo\W*bar"):
        assert found(library, pattern, regex=True).lines == 0, pattern


def test_anchors_hold_for_every_line() -> None:
    library = Library("# one\ntext # two\n# three")
    assert found(library, "^# ", regex=True).lines == 2
    assert found(library, r"\A# ", regex=True).lines == 2
    assert found(library, "e$", regex=True).lines == 2
    assert found(library, r"e\z", regex=True).lines == 2


def test_hostile_pattern_is_done_in_linear_time() -> None:
    # A backtracking engine would need 2^5000 steps here.
    assert found(Library("a" * 5000 + "!"), "(a+)+$", regex=True).lines == 0


@pytest.mark.parametrize("pattern", [False, True])
def test_cancelled_search_stops_before_the_next_batch(pattern: bool) -> None:
    library = Library("x")
    with pytest.raises(Cancelled):
        find_exact(
            library,
            "x",
            scope=EVERYTHING,
            filters=Filters(),
            regex=pattern,
            cancelled=lambda: True,
        )


def test_frequent_byte_is_counted_by_lines() -> None:
    library = Library(*(["e\nbee\n\nx\ne"] * 40))
    assert found(library, "e").lines == 120


ALPHABET = "aAbB e\u0301éςΣσİßſ-_.№ж\n\n"
BODIES = st.lists(st.text(ALPHABET, max_size=30), max_size=6)
NEEDLES = st.text(ALPHABET.replace("\n", ""), min_size=1, max_size=4)


@settings(max_examples=300, deadline=None)
@given(
    bodies=BODIES,
    needle=NEEDLES,
    ignore_case=st.booleans(),
    dense=st.booleans(),
    limit=st.integers(0, 5),
)
def test_lines_equal_those_of_a_plain_loop(
    bodies: list[str], needle: str, ignore_case: bool, dense: bool, limit: int
) -> None:
    def plain(text: str) -> str:
        return fold(text) if ignore_case else text

    wanted = plain(unicodedata.normalize("NFC", needle))
    expected = [
        (f"{place:03}.md", number, line)
        for place, body in enumerate(bodies, start=1)
        for number, line in enumerate(lines_of(body), start=1)
        if wanted in plain(line)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_DENSE_BYTE", -1 if dense else 1)
        result = found(Library(*bodies), needle, ignore_case=ignore_case, limit=limit)
    assert result.lines == len(expected)
    assert result.documents == len({path for path, _, _ in expected})
    assert [(m.path, m.line, m.text) for m in result.matches] == expected[:limit]
    for match in result.matches:
        assert match.spans
        for start, end in match.spans:
            assert wanted in plain(match.text[start:end])


ATOMS = st.sampled_from(
    [
        *("a", "A", "b", "é", "ж", ".", "-", " ", "№", "|", "^", "$", "aaa", r"\.", r"\x61"),
        *(r"\w", r"\s", r"\S", r"\W", r"\d", r"\b", r"\pL", r"\A", r"\z", r"\Qa"),
        *("[^-a]", "[aé]", "[^ab]", "[a-z_]", "[[:space:]]"),
        *("(?:ab|b)", "(a|^)", "(?i)", "(?-m)", "(?s)", "(?s:.)"),
    ]
)
PATTERNS = st.lists(
    st.tuples(ATOMS, st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{0}", "*?"])),
    min_size=1,
    max_size=5,
).map(lambda pairs: "".join(atom + repeat for atom, repeat in pairs))
PATTERNS = st.one_of(PATTERNS, PATTERNS.map(lambda pattern: "^" + pattern))


@settings(max_examples=400, deadline=None)
@given(
    bodies=BODIES,
    pattern=PATTERNS,
    ignore_case=st.booleans(),
    dense=st.booleans(),
    many=st.sampled_from([1, 2, 32]),
)
def test_pattern_lines_equal_those_of_a_plain_loop(
    bodies: list[str], pattern: str, ignore_case: bool, dense: bool, many: int
) -> None:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        plain = re2.compile(pattern, options)
    except re2.error:
        with pytest.raises(UsageError):
            found(Library(*bodies), pattern, regex=True)
        return
    expected = [
        (f"{place:03}.md", number, line)
        for place, body in enumerate(bodies, start=1)
        for number, line in enumerate(lines_of(body), start=1)
        if plain.search(line)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "_BATCH", 20)
        patch.setattr(exact, "_DENSE_PATTERN", -1 if dense else 1)
        patch.setattr(exact, "_DENSE_AFTER_BREAK", -1 if dense else 1)
        patch.setattr(regex, "LINES_AT_ONCE", many)
        result = found(Library(*bodies), pattern, regex=True, ignore_case=ignore_case)
    assert result.lines == len(expected)
    assert result.documents == len({path for path, _, _ in expected})
    assert [(m.path, m.line, m.text) for m in result.matches] == expected[:20]


def test_patterns_of_plain_syntax_go_many_lines_at_once() -> None:
    for pattern in (r"\w+ing\b", "^#+ ", "the", r"https?://[^ )]+", "(?:a|b)c", r"\d{4}-\d\d"):
        assert compile_pattern(pattern, ignore_case=False).many is not None, pattern


def test_required_strings_are_those_of_each_alternative() -> None:
    def choices(pattern: str) -> tuple[tuple[str, ...], ...]:
        return compile_pattern(pattern, ignore_case=False).choices

    assert choices(r"database\w+ name") == (("database", " name"),)
    assert choices("names?") == (("name",),)
    assert choices("names+by") == (("names",),)
    assert choices("(names)+abcy*") == (("abc",),)
    assert choices("foobar|barfoo") == (("foobar",), ("barfoo",))
    assert choices("foobar|x") == (("foobar",), ())
    assert choices("(foobar|x)?abc") == (("abc",),)
    assert choices(r"INV-\d{4}-0041") == (("INV-", "-0041"),)
    assert choices("(?i)abc") == ((),)


def test_alternatives_read_only_the_documents_that_may_match() -> None:
    library = Library("foobar", "other", "barfoo")
    assert found(library, "foobar|barfoo", regex=True).documents == 2
    assert library.read == {1, 3}


def test_letters_that_a_pattern_takes_for_equal_fold_to_one() -> None:
    options = re2.Options()
    options.case_sensitive = False
    for code in [*range(0x20, 0x2200), *range(0x2C00, 0x2E00), *range(0xA640, 0xABC0)]:
        letter = chr(code)
        for other in {letter.lower(), letter.upper(), letter.casefold(), letter.title()}:
            if len(other) == 1 and re2.fullmatch(re2.escape(letter), other, options):
                assert fold(letter) == fold(other), (letter, other)


def test_very_long_line_is_shown_around_its_match() -> None:
    text = "x" * 5000 + "needle" + "y" * 5000
    shown = around(LineMatch(path="a.md", line=1, text=text, spans=((5000, 5006),)))
    assert len(shown.text) == LONGEST_SHOWN + 2
    assert shown.text[0] == shown.text[-1] == "…"
    (low, high), *_ = shown.spans
    assert shown.text[low:high] == "needle"

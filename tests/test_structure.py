from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from wellread.structure import plain, structure

LINES = st.sampled_from(
    [
        *("", " ", "text", "    indented", "\tTab", "# One", "## Two ##", "###Three", "#", "==="),
        *("---", "- item", "  - # in item", "1. first", "2) second", "* * *", "> quote"),
        *("> # In quote", ">> deep", "```", "````", "~~~ sql", "   ```", "    ```", "<div>"),
        *("</div>", "<!-- c", "-->", "[a]: /b", "[a]:", "[link](x.md)", "+ plus", "+", "_ _ _"),
        *("lazy | row", "--|--", "\\# no", "<script>", "</script>", "- ", "10. ten"),
        *("   # three spaces", "   ==="),
    ]
)


@given(st.lists(LINES, max_size=14).map("\n".join))
def test_our_shortcuts_change_nothing_of_what_the_library_sees(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (token.tag, tokens[index + 1].content, token.map, token.level > 0)
        for index, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    found = structure(text)
    assert [
        (f"h{heading.level}", heading.source, heading.line, heading.nested)
        for heading in found.headings
    ] == [(tag, content, lines[0], nested) for tag, content, lines, nested in expected if lines]
    assert list(found.code) == [
        tuple(token.map) for token in tokens if token.type in ("fence", "code_block") and token.map
    ]


@given(st.text(max_size=200))
def test_any_text_has_a_structure(text: str) -> None:
    found = structure(text)
    assert found.line_starts[0] == 0
    assert all(text[start - 1] == "\n" for start in found.line_starts[1:])


@pytest.mark.parametrize(
    "line", ["> " * 5000, "- " * 5000, "[" * 50_000, "`" * 100_000, "# " + "*" * 20_000]
)
def test_hostile_lines_are_survived(line: str) -> None:
    for heading in structure(f"# {line}\n\n{line}\n\n# end\n").headings:
        plain(heading.source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("C#", "C#"),
        ("**Bold** and `code`", "Bold and code"),
        ("[Link](x.md) to *it*", "Link to it"),
        ("[Ref] and [none]", "Ref and [none]"),
        ("![Logo](a.png) Us", "Logo Us"),
        ("snake_case_name stays", "snake_case_name stays"),
        ("A &amp; B \\* <br> C", "A & B * C"),
        ("~~old~~ new", "old new"),
        ("two\nlines", "two lines"),
        ("`a_b` &lt;T&gt;", "a_b <T>"),
    ],
)  # fmt: skip
def test_headings_are_shown_without_inline_markup(source: str, expected: str) -> None:
    assert plain(source, {"REF": "x.md"}) == expected

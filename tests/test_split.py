from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.documents import Converted, ConvertedPage, Document, FileEntry, RawFile
from wellread.parse import parse, parse_converted
from wellread.split import PASSAGE_CHARACTERS, STUB_CHARACTERS, split
from wellread.types import ParseRules

RULES = ParseRules()
ENTRY = FileEntry(
    path="a.md", location="a.md", source="docs", size=0, mtime_ns=0, ctime_ns=0, inode=0
)
SENTENCE = "The plan is agreed with the lead of the team before the first day. "
FULL_MARK = "経費精算の手続きは月末までに行う。"


def document(text: str) -> Document:
    return parse(RawFile(entry=ENTRY, content=text.encode()), RULES)


def texts(text: str) -> list[str]:
    found = document(text)
    return [found.body[item.char_start : item.char_end] for item in split(found)]


def paragraph(length: int, word: str = "word") -> str:
    return (f"{word} " * (length // (len(word) + 1) + 1))[:length].strip()


def test_a_short_section_is_one_passage_without_blank_edges() -> None:
    assert texts("\n\n# A\n\ntext\n\n\n# B\n") == ["# A\n\ntext", "# B"]


def test_paragraphs_are_packed_up_to_the_limit() -> None:
    parts = [paragraph(450, f"p{n}") for n in range(6)]
    found = texts("# A\n\n" + "\n\n".join(parts))
    assert [text.count("\n\n") for text in found] == [3, 2]
    assert all(any(part in text for text in found) for part in parts)


def test_no_stub_is_left_at_the_end() -> None:
    parts = [paragraph(700, f"p{n}") for n in range(2)] + ["A last word."]
    found = texts("# A\n\n" + "\n\n".join([*parts, paragraph(90, "tail")]))
    assert min(map(len, found)) >= STUB_CHARACTERS


def test_a_long_paragraph_is_cut_at_sentences() -> None:
    for passage in texts(SENTENCE * 100)[:-1]:
        assert passage.endswith("first day.")
    assert all(text.endswith("。") for text in texts(FULL_MARK * 400))


def test_an_abbreviation_ends_no_sentence() -> None:
    text = "Costs of travel, e.g. hotels and trains and others that are listed there " * 60
    assert not any(passage.endswith("e.g.") for passage in texts(text))


def test_a_long_sentence_is_cut_at_white_space() -> None:
    found = texts(paragraph(5000, "abcdefg"))
    assert {word for text in found for word in text.split()} <= {
        "abcdefg",
        "abcde",
        "abcdef",
        "abc",
    }


@pytest.mark.parametrize(
    "block",
    [
        "```sql\n" + "SELECT 1;\n\nSELECT 2;\n" * 50 + "```",
        "~~~~\n" + "~~~\n\n# x\n" * 100 + "~~~~",
        "| a | b |\n|---|---|\n" + "| one | two |\n" * 75,
        "a | b\n---|---\n" + "one | two\n" * 100,
        "- item one\n\n  more of it\n" * 40,
        "1. step\n   ```\n   code\n   ```\n" * 35,
    ],
)
@pytest.mark.parametrize("before", [100, 400, 900, 1400])
def test_fences_tables_and_lists_stay_whole_while_they_fit(block: str, before: int) -> None:
    block = block.strip()
    assert 900 < len(block) <= PASSAGE_CHARACTERS
    text = f"# A\n\n{paragraph(before)}\n\n{block}\n\n{paragraph(before)}\n"
    assert sum(block in passage for passage in texts(text)) == 1


def test_a_long_list_is_cut_between_its_items() -> None:
    item = "- " + paragraph(200) + "\n  - sub " + paragraph(100) + "\n"
    for passage in texts("# A\n\n" + item * 20)[1:]:
        assert passage.startswith("- word")


def test_a_long_table_is_cut_between_rows() -> None:
    row = "| " + paragraph(100) + " | b |\n"
    for passage in texts("# A\n\n| a | b |\n|---|---|\n" + row * 50):
        assert passage.endswith("|")


def test_a_heading_stays_with_what_follows_it() -> None:
    text = "## A\n\n" + "".join(f"### H{n}\n\n{paragraph(420, f'w{n}')}\n\n" for n in range(12))
    for passage in texts(text):
        assert not passage.splitlines()[-1].startswith("#")


def test_passages_know_the_deeper_headings_in_force_where_they_start() -> None:
    text = "# T\n\n## A\n\n### B\n\n" + f"{paragraph(1000)}\n\n" * 3 + "#### C\n\n" + (
        f"{paragraph(1000)}\n\n" * 3
    )  # fmt: skip
    found = split(document(text))
    assert [item.heading for item in found] == [
        ("T",),
        ("T", "A"),
        ("T", "A", "B"),
        ("T", "A", "B"),
        ("T", "A", "B", "C"),
        ("T", "A", "B", "C"),
        ("T", "A", "B", "C"),
    ]


def test_pages_keep_their_number_in_passages() -> None:
    text = "one " * 1000 + "\n" + "two " * 10
    pages = tuple(
        ConvertedPage(label=str(n), kind="page", number=n, char_start=start, char_end=end)
        for n, start, end in ((1, 0, 4001), (2, 4001, len(text)))
    )
    found = split(parse_converted(ENTRY, Converted(text=text, pages=pages), RULES))
    assert [item.page for item in found] == [1, 1, 1, 2]
    assert [item.line_start for item in found] == [1, 1, 1, 2]


@pytest.mark.parametrize(
    "line",
    ["x" * 200_000, "word " * 40_000, SENTENCE * 3_000, "[" * 200_000, "](" * 100_000,
     "<a " * 66_000, "`" * 200_000, "![" * 100_000, "[[" * 100_000, "> " * 100_000,
     "- " * 100_000, "|" * 200_000, "*" * 200_000, " " * 200_000 + "x", "[a](b " * 30_000,
     "[a](<b " * 30_000, "`a` [b](c.md) " * 14_000, ". " * 100_000, "#" * 200_000,
     "# " + "*a" * 100_000, "# " + "[" * 200_000, "]: " * 66_000, "{#" * 100_000,
     "![[[[[[]](a" * 20_000, " ".join("`" * n for n in range(600)) + " [a](b.md)" * 2_000,
     "<!--" * 50_000, "- [a]: " * 30_000, "<img src='" * 20_000],
    ids=lambda line: line[:8],
)  # fmt: skip
def test_a_line_of_200_000_characters_is_split_in_linear_time(line: str) -> None:
    started = time.process_time()
    found = document(line)
    passages = split(found)
    # Linear work takes 0.1 s; anything quadratic takes minutes.
    assert time.process_time() - started < 10
    assert all(item.char_end - item.char_start <= PASSAGE_CHARACTERS for item in passages)
    assert sum(len(found.body[i.char_start : i.char_end].split()) for i in passages) >= 1


LINE = st.sampled_from(
    ["", "# One", "## Two", "### Three", "- item", "  - sub item", "```", "~~~", "| a | b |",
     "|---|---|", "    code", "> quote", SENTENCE, SENTENCE * 12, "x" * 1600, "word " * 400,
     FULL_MARK * 120, "   ", "\u3000", "1. one", "- " + SENTENCE * 30]
)  # fmt: skip


@given(st.lists(LINE, max_size=25), st.sampled_from(["", "---\ntitle: x\n---\n"]))
def test_passages_cover_their_section_once_in_order_within_the_limit(
    lines: list[str], front: str
) -> None:
    text = front + "\n".join(lines)
    found = document(text)
    body = found.body
    file_lines = text.split("\n")
    passages = split(found)
    assert [item.section for item in passages] == sorted(item.section for item in passages)
    for index, section in enumerate(found.sections):
        own = [item for item in passages if item.section == index]
        position = section.char_start
        for item in own:
            inside = body[item.char_start : item.char_end]
            assert not body[position : item.char_start].strip()
            assert 0 < len(inside) <= PASSAGE_CHARACTERS
            assert inside.strip()
            assert inside == inside.rstrip()
            assert inside.split("\n")[0] in file_lines[item.line_start - 1]
            assert inside.split("\n")[-1] in file_lines[item.line_end - 1]
            assert item.line_end - item.line_start == inside.count("\n")
            position = item.char_end
        assert not body[position : section.char_end].strip()
        assert (own[0].line_start, own[-1].line_end) == (section.line_start, section.line_end)

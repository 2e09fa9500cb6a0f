"""Document → Passages: slices of sections, small enough to be found and quoted."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from wellread.documents import Document, Heading, Passage, Section

SPLITTER_VERSION = 1
"""Raised whenever a document would be split differently: part of its fingerprint."""

PASSAGE_CHARACTERS = 1_500
"""The longest passage: about half a page. Measured on whole-document questions, passages of
this size do at least as well as whole documents, and far better on long ones."""

STUB_CHARACTERS = PASSAGE_CHARACTERS // 4
"""A slice shorter than this says too little by itself; it is avoided where anything else fits."""

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_DELIMITER_ROW = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*\|[-:| \t]*$", re.MULTILINE)
_SENTENCE = re.compile(
    # An end mark, closing quotes, a blank and no small letter after it ("e.g. this" goes on);
    # or an East Asian end mark.
    r"""[.!?…]["'»”’)\]*_]*\s+(?![a-zа-яё])(?=\S)|[。！？][」』）”]*"""
)
_TEXT = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    kind: str


def split(document: Document) -> tuple[Passage, ...]:
    """The passages of a document, in order. Together the passages of a section hold each of
    its characters that is not blank, once; none is longer than ``PASSAGE_CHARACTERS``."""
    body = document.body
    passages = []
    line, counted = document.body_line, 0
    for index, section in enumerate(document.sections):
        deeper = _deeper(document.headings, section)
        above: list[Heading] = []
        passed = 0
        for start, end in _slices(body, section.char_start, section.char_end):
            line += body.count("\n", counted, start)
            first = line
            line += body.count("\n", start, end)
            counted = end
            while passed < len(deeper) and deeper[passed].char_start <= start:
                while above and above[-1].level >= deeper[passed].level:
                    above.pop()
                above.append(deeper[passed])
                passed += 1
            inside = tuple(item.text for item in above if item.text)
            passages.append(
                Passage(
                    section=index,
                    heading=section.heading + inside,
                    char_start=start,
                    char_end=end,
                    line_start=first,
                    line_end=line,
                    page=section.page,
                )
            )
    return tuple(passages)


def _deeper(headings: tuple[Heading, ...], section: Section) -> list[Heading]:
    low = bisect_right(headings, section.char_start, key=lambda heading: heading.char_start)
    found = []
    for heading in headings[low:]:
        if heading.char_start >= section.char_end:
            break
        if heading.level > section.level:
            found.append(heading)
    return found


def _slices(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges without blank edges, but with the indentation of a first line."""
    end = start + len(body[start:end].rstrip())
    if end <= start:
        return
    if end - start <= PASSAGE_CHARACTERS:
        yield start, end
        return
    blocks = _blocks(body, start, end)
    starts = [block.start for block in blocks]
    position = start
    while end - position > PASSAGE_CHARACTERS:
        cut = _cut(body, blocks, starts, position, end)
        text = body[position:cut].rstrip()
        if text.strip():
            yield position, position + len(text)
        found = _TEXT.search(body, cut, end)
        if found is None:
            return
        following = found.start()
        newline = body.rfind("\n", max(cut - 1, position), following)
        position = newline + 1 if newline >= 0 else following
        if following - position >= STUB_CHARACTERS:
            position = following  # an indentation as wide as a page is not kept
    yield position, end


def _cut(body: str, blocks: list[_Block], starts: list[int], position: int, end: int) -> int:
    """Where the slice that starts at ``position`` ends, when the rest is too long for one."""
    lowest = position + STUB_CHARACTERS
    highest = min(position + PASSAGE_CHARACTERS, end - STUB_CHARACTERS)
    crossing = bisect_right(starts, highest) - 1
    index = crossing
    while index > 0 and blocks[index - 1].kind == "heading":
        index -= 1  # a heading stays with what it heads
    border = starts[index]
    if border >= lowest:
        return border
    block = blocks[crossing]
    block_end = starts[crossing + 1] if crossing + 1 < len(starts) else end
    whole = len(body[max(border, position) : block_end].rstrip()) <= PASSAGE_CHARACTERS
    if block.kind in ("code", "table", "list") and whole:
        return border if border > position else block_end
    return _cut_inside(body, block, position, lowest, highest)


def _cut_inside(body: str, block: _Block, position: int, lowest: int, highest: int) -> int:
    if block.kind == "list":
        indent = _indent(body, block.start)
        border = -1
        line = highest + 1
        while (line := body.rfind("\n", lowest, line)) >= 0:
            if line < highest and _ITEM.match(body, line + 1) and _indent(body, line + 1) <= indent:
                border = line + 1
                break
        if border > 0:
            return border
    if block.kind == "code":
        gap = body.rfind("\n\n", lowest, highest)
        if gap >= 0:
            return gap + 2
    if block.kind != "text":
        newline = body.rfind("\n", lowest, highest)
        if newline >= 0:
            return newline + 1
    sentence = -1
    for found in _SENTENCE.finditer(body, lowest, highest):
        sentence = found.end()
    if sentence > 0:
        return sentence
    blank = max(body.rfind(character, lowest, highest) for character in " \n\t　")
    return blank + 1 if blank >= 0 else highest


def _indent(body: str, start: int) -> int:
    position = start
    while body[position : position + 1] in (" ", "\t"):
        position += 1
    return position - start


def _blocks(body: str, start: int, end: int) -> list[_Block]:
    """Where paragraphs, headings, lists, tables and fences start, told by their lines alone.

    The document's structure is known by now; this only says where a slice may end.
    """
    blocks: list[_Block] = []
    fence = ""
    kind = ""
    after_blank = True
    following = start
    for line in body[start:end].split("\n"):
        begin = following
        following += len(line) + 1
        text = line.strip()
        if fence:
            closing = text.lstrip("> ")
            if closing.startswith(fence) and not closing.strip(fence[0]):
                fence = ""
                after_blank = after_blank or kind == "code"
            continue
        if not text:
            after_blank = True
            continue
        first = text[0]
        indented = line[0] in " \t"
        opened = ""
        if first in "`~>" and (fenced := _FENCE.match(line)):
            fence = fenced[1]
            opened = "" if kind == "list" and indented else "code"
        elif first == "#" and _HEADING.match(line):
            opened = "heading"
        elif (first in "-*+" or first.isdigit()) and _ITEM.match(line):
            opened = "" if kind == "list" else "list"
        elif kind == "list" and (indented or not after_blank):
            pass
        elif first == "|":
            opened = "" if kind == "table" and not after_blank else "table"
        elif after_blank or kind in ("heading", "table"):
            opened = "text"
        if opened:
            blocks.append(_Block(begin, opened))
            kind = opened
        after_blank = False
    return [
        _Block(block.start, "table") if _is_table(body, blocks, index, end) else block
        for index, block in enumerate(blocks)
    ]


def _is_table(body: str, blocks: list[_Block], index: int, end: int) -> bool:
    """Whether a block of text is a table without outer bars."""
    block = blocks[index]
    if block.kind != "text":
        return False
    block_end = blocks[index + 1].start if index + 1 < len(blocks) else end
    return "-|" in body[block.start : block_end].replace(" ", "") and bool(
        _DELIMITER_ROW.search(body, block.start, block_end)
    )

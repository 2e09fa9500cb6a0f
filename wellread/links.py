"""Links and images of a text that point to files of the library."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from wellread.documents import Link
from wellread.kinds import kind_of
from wellread.paths import attachment_kind, resolve
from wellread.structure import Structure, normalized_label
from wellread.types import Attachment

# Runs are bounded so that a hostile line stays linear.
_INLINE = re.compile(
    r"\]\([ \t\n]{0,8}(?:<([^<>\n]{1,1000})>"
    r"|([^\s()<>]{1,1000}(?:\([^\s()]{0,200}\)[^\s()<>]{0,200}){0,3}))"
)
_TAG = re.compile(
    r"<(img|a)\b[^<>]{0,1000}?\s(?:src|href)[ \t]*=[ \t]*"
    r"""(?:"([^"<>\n]{1,1000})"|'([^'<>\n]{1,1000})')""",
    re.IGNORECASE,
)
_WIKI = re.compile(r"(!?)\[\[([^\[\]|\n]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]")
_REFERENCE = re.compile(
    r"(?P<image>!?)\[(?P<text>[^\[\]]{1,300})\](?:\[(?P<label>[^\[\]]{0,300})\])?(?![(:])"
)
_ELSEWHERE = ("https://", "http://", "#", "mailto:")
"""How most destinations that are no files start: passed over before anything is looked up."""

_TICKS = re.compile("`+")


def find_links(
    text: str, found: Structure, path: str, first_line: int, root: str
) -> tuple[Link, ...]:
    """Every link and image to a file, in the order of the text, code left out.

    The text's first line is ``first_line`` of the file. Addresses, anchors within the
    page and template placeholders are no links.
    """
    code = [edge for start_end in found.code for edge in start_end]
    links = []
    ticks = "`" in text
    starts = found.line_starts
    spans: list[int] = []
    spans_row = -1
    for position, written, image, wiki in _written(text, found):
        if written.startswith(_ELSEWHERE):
            continue
        row = bisect_right(starts, position) - 1
        if bisect_right(code, row) % 2:
            continue
        if ticks and row != spans_row:
            end = starts[row + 1] if row + 1 < len(starts) else len(text)
            spans, spans_row = _code_spans(text[starts[row] : end]), row
        if spans and bisect_right(spans, position - starts[row]) % 2:
            continue
        target, _, anchor = written.partition("#")
        target = target.partition("?")[0]
        resolved = resolve(target, path, root)
        if resolved is None:
            continue
        if wiki and "." not in resolved.rpartition("/")[2]:
            resolved += ".md"
        links.append(
            Link(
                target=resolved,
                anchor=unquote(anchor.strip()),
                line=first_line + row,
                image=image,
                written=written,
            )
        )
    return tuple(links)


def linked_attachments(links: Sequence[Link], known: Sequence[Attachment]) -> list[Attachment]:
    """The linked files that are no documents, each once, without those already ``known``."""
    seen = {attachment.path for attachment in known}
    found = []
    for link in links:
        name = link.target.rpartition("/")[2]
        if link.target in seen or "." not in name.strip(".") or kind_of(link.target):
            continue
        seen.add(link.target)
        found.append(
            Attachment(
                path=link.target, kind=attachment_kind(link.target), title="", line=link.line
            )
        )
    return found


def _written(text: str, found: Structure) -> Iterator[tuple[int, str, bool, bool]]:
    """Position, destination as written, whether an image, whether a wiki link."""
    results = []
    if "](" in text:
        images = "![" in text
        for match in _INLINE.finditer(text):
            start = match.start()
            image = images and _is_image(text, start)
            results.append((start, match[1] or match[2], image, False))
    if "<a" in text or "<img" in text or "<A" in text or "<I" in text:
        for match in _TAG.finditer(text):
            image = match[1].lower() == "img"
            results.append((match.start(), match[2] or match[3], image, False))
    if "[[" in text:
        results += [
            (match.start(), match[2].strip(), bool(match[1]), True)
            for match in _WIKI.finditer(text)
        ]
    if found.references:
        labels: dict[str, str | None] = {}
        for match in _REFERENCE.finditer(text):
            label = match["label"] or match["text"]
            if label not in labels:
                labels[label] = found.references.get(normalized_label(label))
            destination = labels[label]
            if destination:
                results.append((match.start(), destination, bool(match["image"]), False))
    results.sort(key=lambda result: result[0])
    return iter(results)


_NESTED_BRACKETS = 16
"""Opening brackets looked back over, more than any label holds."""


def _is_image(text: str, closing: int) -> bool:
    """Whether ``](`` at ``closing`` ends the ``![`` of an image."""
    depth = 0
    position = closing
    lowest = max(0, closing - 1000)
    for _ in range(_NESTED_BRACKETS):
        opening = text.rfind("[", lowest, position)
        if opening < 0:
            return False
        depth += text.count("]", opening, position)
        if depth == 0:
            return text[opening - 1 : opening] == "!"
        depth -= 1
        position = opening
    return False


def _code_spans(line: str) -> list[int]:
    """The edges of the code spans of a line: a run of backticks up to the next of its length."""
    runs = [found.span() for found in _TICKS.finditer(line)]
    following: dict[int, int] = {}
    closing = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closing[index] = following.get(length, -1)
        following[length] = index
    edges = []
    index = 0
    while index < len(runs):
        if closing[index] < 0:
            index += 1
            continue
        edges += [runs[index][0], runs[closing[index]][1]]
        index = closing[index] + 1
    return edges

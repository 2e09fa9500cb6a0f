"""Links and images of a text that point to files of the library."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from wellread.paths import is_document, kind_of, resolve
from wellread.structure import Structure, normalized_label
from wellread.types import Attachment, Link

_LINK = re.compile(
    # An inline destination, <in brackets> or with one level of parentheses; an HTML attribute;
    # a wiki link. Runs are bounded so that a hostile line stays linear.
    r"\]\([ \t\n]{0,8}(?:<(?P<angle>[^<>\n]{1,1000})>"
    r"|(?P<inline>[^\s()<>]{1,1000}(?:\([^\s()]{0,200}\)[^\s()<>]{0,200}){0,3}))"
    r"|<(?P<tag>img|a)\b[^<>]{0,1000}?\s(?:src|href)[ \t]*=[ \t]*"
    r"""(?:"(?P<double>[^"<>\n]{1,1000})"|'(?P<single>[^'<>\n]{1,1000})')"""
    r"|(?P<embed>!?)\[\[(?P<wiki>[^\[\]|\n]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"(?P<image>!?)\[(?P<text>[^\[\]]{1,300})\](?:\[(?P<label>[^\[\]]{0,300})\])?(?![(:])"
)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def find_links(
    text: str, found: Structure, line_starts: Sequence[int], path: str, first_line: int, root: str
) -> tuple[Link, ...]:
    """Every link and image to a file, in the order of the text, code left out.

    ``line_starts`` are the offsets of the text's lines, the first of which is ``first_line``
    of the file. Addresses, anchors within the page and template placeholders are no links.
    """
    code = [edge for start_end in found.code for edge in start_end]
    links = []
    for position, written, image, wiki in _written(text, found):
        row = bisect_right(line_starts, position) - 1
        if bisect_right(code, row) % 2 or _in_code_span(text, position):
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
        if link.target in seen or "." not in name.strip(".") or is_document(link.target):
            continue
        seen.add(link.target)
        found.append(
            Attachment(path=link.target, kind=kind_of(link.target), title="", line=link.line)
        )
    return found


def _written(text: str, found: Structure) -> Iterator[tuple[int, str, bool, bool]]:
    """Position, destination as written, whether an image, whether a wiki link."""
    results = []
    if "](" in text or "[[" in text or "<" in text:
        for match in _LINK.finditer(text):
            written = match["angle"] or match["inline"] or match["double"] or match["single"]
            if match["wiki"]:
                results.append((match.start(), match["wiki"].strip(), bool(match["embed"]), True))
            elif match["tag"]:
                results.append((match.start(), written, match["tag"].lower() == "img", False))
            else:
                results.append((match.start(), written, _is_image(text, match.start()), False))
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


def _is_image(text: str, closing: int) -> bool:
    """Whether ``](`` at ``closing`` ends the ``![`` of an image."""
    depth = 0
    position = closing
    lowest = max(0, closing - 1000)
    while position > lowest:
        opening = text.rfind("[", lowest, position)
        if opening < 0:
            return False
        depth += text.count("]", opening, position)
        if depth == 0:
            return text[opening - 1 : opening] == "!"
        depth -= 1
        position = opening
    return False


def _in_code_span(text: str, position: int) -> bool:
    start = text.rfind("\n", 0, position) + 1
    tick = text.find("`", start, position)
    if tick < 0:
        return False
    end = text.find("\n", position)
    line = text[max(start, position - 2000) : len(text) if end < 0 else min(end, position + 2000)]
    offset = position - max(start, position - 2000)
    return any(span.start() < offset < span.end() for span in _CODE_SPAN.finditer(line))

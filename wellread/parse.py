"""A file's bytes, or the text made from an office file → Document with headings, sections
and links. No I/O."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from wellread.conventions import with_remarks
from wellread.decode import decode, normalize
from wellread.documents import (
    Converted,
    ConvertedPage,
    Document,
    FileEntry,
    Heading,
    Link,
    RawFile,
    Section,
)
from wellread.fields import Fields, read_fields
from wellread.frontmatter import Frontmatter, split_frontmatter
from wellread.languages import detect_language
from wellread.links import find_links, linked_attachments
from wellread.notices import remarks
from wellread.paths import name_without_ending
from wellread.slugs import Slugs, page_slug, slug
from wellread.structure import RawHeading, Structure, line_starts, plain, structure
from wellread.types import ParseRules

PARSER_VERSION = 3
"""Raised whenever a document would be parsed differently: part of its fingerprint."""

SECTION_LEVEL = 2
"""Headings down to this level start a section, where there are any."""

_CUSTOM_ID = re.compile(r"\s*\{:?\s*#(?P<id>[\w:.-]+)[^{}]*\}\s*$")


def parse(raw: RawFile, rules: ParseRules, *, root: str = "") -> Document:
    """A text file as a document. ``root`` is the source's folder in the library (its name, or
    ``""`` where there is one source): links that start with ``/`` count from it.

    ``lifecycle.updated`` is what frontmatter says, else ``None``. Raises ``SkippedFile`` for a
    file that is not text; mistakes in the text are in ``Document.problems``.
    """
    path = raw.entry.path
    text = decode(raw.content, path)
    front = split_frontmatter(text, path)
    fields = read_fields(front, path, rules, root)
    body = text[front.body_start :]
    said = remarks(body, rules.standing)
    fields = with_remarks(fields, said, path=path, root=root, first_line=front.body_line)
    found = structure(body)
    starts = found.line_starts
    headings = _headings(found, body, starts, front.body_line)
    links = find_links(body, found, path, front.body_line, root)
    return _document(
        path=path,
        fields=fields,
        title=None,
        body=body,
        body_line=front.body_line,
        headings=tuple(heading for heading, _ in headings),
        sections=_sections(headings, body, starts, front.body_line),
        links=links,
    )


def parse_converted(
    entry: FileEntry, converted: Converted, rules: ParseRules, *, root: str = ""
) -> Document:
    """The text of an office file as a document: every page, slide or sheet is a section; a
    file without pages is read as Markdown. Lines count those of the text. ``root`` as above."""
    path = entry.path
    body, pages = _normalized(converted)
    fields = read_fields(Frontmatter(), path, rules, root)
    said = remarks(body, rules.standing)
    fields = with_remarks(fields, said, path=path, root=root, first_line=1)
    links: tuple[Link, ...] = ()
    if pages:
        headings, sections = _paged(body, pages, line_starts(body.split("\n"))[:-1])
    else:
        found = structure(body)
        starts = found.line_starts
        nested = _headings(found, body, starts, 1)
        headings = tuple(heading for heading, _ in nested)
        sections = _sections(nested, body, starts, 1)
        links = find_links(body, found, path, 1, root)
    return _document(
        path=path,
        fields=fields,
        title=converted.title,
        body=body,
        body_line=1,
        headings=headings,
        sections=sections,
        links=links,
        # A page's label is no title of the file.
        heading_title=not pages,
    )


def _document(
    *,
    path: str,
    fields: Fields,
    title: str | None,
    body: str,
    body_line: int,
    headings: tuple[Heading, ...],
    sections: tuple[Section, ...],
    links: tuple[Link, ...],
    heading_title: bool = True,
) -> Document:
    title = fields.title or (title and " ".join(title.split()))
    if not title and heading_title:
        title = next((item.text for item in headings if item.level == 1 and item.text), None)
    return Document(
        path=path,
        title=title or name_without_ending(path),
        type=fields.type,
        type_written=fields.type_written,
        language=detect_language(body, fields.language),
        body=body,
        body_line=body_line,
        lifecycle=fields.lifecycle,
        own_access=fields.written.access,
        own_deny=fields.written.deny,
        sealed=fields.written.sealed,
        owner=fields.owner,
        author=fields.author,
        domain=fields.domain,
        client=fields.client,
        about=fields.about,
        sensitivity=fields.sensitivity,
        always_on=fields.always_on,
        triggers=fields.triggers,
        aliases=fields.aliases,
        tags=fields.tags,
        translation_of=fields.translation_of,
        key_lines=fields.key_lines,
        metadata=fields.metadata,
        headings=headings,
        sections=sections,
        links=links,
        attachments=(*fields.attachments, *linked_attachments(links, fields.attachments)),
        problems=fields.problems,
    )


# --- headings and sections of Markdown -----------------------------------------------------


def _headings(
    found: Structure, body: str, starts: Sequence[int], first_line: int
) -> list[tuple[Heading, bool]]:
    """The headings with their slugs, and whether each is nested in a list or quotation."""
    slugs = Slugs()
    ends = _heading_ends(found.headings, len(body), starts)
    result = []
    for raw, end in zip(found.headings, ends, strict=True):
        source, custom = raw.source, None
        if source.endswith("}") and (match := _CUSTOM_ID.search(source)):
            source, custom = source[: match.start()], match["id"]
        text = plain(source, found.references)
        heading = Heading(
            level=raw.level,
            text=text,
            slug=slugs.unique(custom or slug(text)),
            char_start=starts[raw.line],
            char_end=end,
            line=first_line + raw.line,
        )
        result.append((heading, raw.nested))
    return result


def _heading_ends(headings: Sequence[RawHeading], length: int, starts: Sequence[int]) -> list[int]:
    """Where the next heading of the same or a higher level starts; a nested one ends at the
    next heading of any kind, and ends none that stands outside its list."""
    ends = [length] * len(headings)
    next_start = length
    of_level = [length] * 8
    for index in range(len(headings) - 1, -1, -1):
        heading = headings[index]
        start = starts[heading.line]
        ends[index] = next_start if heading.nested else of_level[heading.level]
        if not heading.nested:
            for level in range(heading.level, 8):
                of_level[level] = start
        next_start = start
    return ends


def _sections(
    headings: Sequence[tuple[Heading, bool]], body: str, starts: Sequence[int], first_line: int
) -> tuple[Section, ...]:
    outer = [heading for heading, nested in headings if not nested]
    deepest = max(SECTION_LEVEL, min((heading.level for heading in outer), default=1))
    opening = [heading for heading in outer if heading.level <= deepest]
    edges = [heading.char_start for heading in opening]
    edges.append(len(body))
    sections = []
    start = _first_text_line(body, edges[0])
    if start is not None:
        sections.append(_section(body, starts, first_line, "", 0, (), start, edges[0]))
    above: list[Heading] = []
    for index, heading in enumerate(opening):
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        names = tuple(item.text for item in above if item.text)
        sections.append(
            _section(
                body,
                starts,
                first_line,
                heading.slug,
                heading.level,
                names,
                heading.char_start,
                edges[index + 1],
            )
        )
    return tuple(sections)


def _first_text_line(body: str, end: int) -> int | None:
    """Where the first line that is not blank starts, ``None`` where all before ``end`` are."""
    text = body[:end]
    stripped = text.lstrip()
    if not stripped:
        return None
    return text.rfind("\n", 0, len(text) - len(stripped)) + 1


def _section(
    body: str,
    starts: Sequence[int],
    first_line: int,
    name: str,
    level: int,
    heading: tuple[str, ...],
    start: int,
    end: int,
    page: int | None = None,
) -> Section:
    last = start + max(len(body[start:end].rstrip()) - 1, 0)
    return Section(
        slug=name,
        level=level,
        heading=heading,
        char_start=start,
        char_end=end,
        line_start=first_line + bisect_right(starts, start) - 1,
        line_end=first_line + bisect_right(starts, last) - 1,
        page=page,
    )


# --- pages, slides and sheets --------------------------------------------------------------


def _normalized(converted: Converted) -> tuple[str, tuple[ConvertedPage, ...]]:
    """Text and pages with NFC and ``\\n`` line ends, the pages' offsets moved along, the
    pages ascending and without overlap."""
    text = converted.text
    pages = sorted(converted.pages, key=lambda page: page.char_start)
    edges = [0]
    for page in pages:
        edges += [max(page.char_start, edges[-1]), max(page.char_end, edges[-1])]
    edges = [min(edge, len(text)) for edge in edges] + [len(text)]
    pieces = [normalize(text[a:b]) for a, b in pairwise(edges)]
    offsets = [0]
    for piece in pieces:
        offsets.append(offsets[-1] + len(piece))
    moved = tuple(
        ConvertedPage(
            label=normalize(page.label),
            kind=page.kind,
            number=page.number,
            char_start=offsets[2 * index + 1],
            char_end=offsets[2 * index + 2],
        )
        for index, page in enumerate(pages)
    )
    return "".join(pieces), moved


def _paged(
    body: str, pages: Sequence[ConvertedPage], starts: Sequence[int]
) -> tuple[tuple[Heading, ...], tuple[Section, ...]]:
    slugs = Slugs()
    headings = []
    sections = []
    first = _first_text_line(body, pages[0].char_start)
    if first is not None:
        sections.append(_section(body, starts, 1, "", 0, (), first, pages[0].char_start))
    edges = [page.char_start for page in pages] + [len(body)]
    for page, start, end in zip(pages, edges[:-1], edges[1:], strict=True):
        name = slugs.unique(page_slug(page))
        label = " ".join(page.label.split())
        headings.append(
            Heading(
                level=1,
                text=label,
                slug=name,
                char_start=start,
                char_end=end,
                line=bisect_right(starts, start),
            )
        )
        # "Page 12" as a heading would match every question about twelve pages.
        heading = (label,) if page.kind != "page" and label else ()
        number = page.number if page.kind == "page" else None
        if body[start:end].strip():
            sections.append(_section(body, starts, 1, name, 1, heading, start, end, number))
    return tuple(headings), tuple(sections)

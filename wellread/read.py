"""Reading a document, a section or a range of lines, with links within the caller's scope."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from datetime import date

from wellread.decode import encodable
from wellread.documents import Section
from wellread.errors import NotFound, UsageError
from wellread.outcome import index_notes
from wellread.paths import candidates
from wellread.standing import standings_in
from wellread.store.base import DocumentRecord, DocumentText, Snapshot
from wellread.types import Scope
from wellread.views import AttachmentView, LinkView, OutlineEntry, ReadResult

NO_SUCH = "No such document for you: {handle}. Search for it, or check the spelling."
"""The one wording for what is missing and what is forbidden."""


def read(
    snapshot: Snapshot,
    handle: str,
    *,
    scope: Scope,
    today: date,
    lines: tuple[int, int] | None = None,
    outline: bool = False,
    max_chars: int | None = None,
) -> ReadResult:
    """Read what a handle names: ``path``, ``path#section`` (any heading, ``#page-7``), or
    ``path#`` for the text before the first heading.

    ``lines`` are file lines, first and last, and narrow the document. ``max_chars`` ends the
    text at a line; ``more`` then says how to go on. ``outline`` leaves the text out.

    Raises ``NotFound`` for a missing or forbidden document, and for a section it lacks.
    """
    document, slug = resolve(snapshot, handle, scope=scope)
    if lines is not None and (lines[0] < 1 or lines[1] < lines[0]):
        raise UsageError(
            f"Lines {lines[0]}-{lines[1]} are no range. Write the first and the last line, "
            "counted from 1, as in 10-40."
        )
    record = document.record
    entries = outline_of(document)
    span = Span(document)
    before = after = None
    page: int | None = None
    if slug is not None:
        start, end, page = place(document, slug, handle)
        span.narrow(start, end)
        before, after = neighbours(entries, slug, record.path)
    if lines is not None:
        there = span.lines
        span.narrow_to_lines(*lines)
        if not span.text and document.body:
            raise UsageError(
                f"There is no text in lines {lines[0]}-{lines[1]} of {handle}. "
                f"Its text is in lines {there[0]}-{there[1]}; ask for some of these."
            )
    if outline:
        span.empty()
    elif max_chars is not None:
        span.cut(max_chars)
    standing = standings_in(snapshot, [record], scope=scope, today=today)[record.path]
    return ReadResult(
        path=record.path,
        section=slug,
        title=record.title,
        type=record.type,
        lines=span.lines,
        total_lines=record.total_lines,
        text=span.text,
        more=span.more,
        before=before,
        after=after,
        outline=entries,
        links=link_views(snapshot, document, scope=scope),
        backlinks=tuple(
            LinkView(path=link.path, title=link.title)
            for link in snapshot.links_to(record.path, scope=scope)
            if link.path != record.path
        ),
        attachments=tuple(
            AttachmentView(path=one.path, kind=one.kind, title=one.title, size=None)
            for one in document.attachments
        ),
        state=record.lifecycle.state,
        state_explicit=record.lifecycle.state_explicit,
        standing=standing,
        updated=record.lifecycle.updated,
        indexed_at=record.indexed_at,
        pdf_page=page,
        notes=(*index_notes(snapshot), *cut_notes(span, max_chars)),
    )


def cut_notes(span: Span, max_chars: int | None) -> tuple[str, ...]:
    """What is to be said of a line that was cut."""
    if span.cut_line is None:
        return ()
    line, length = span.cut_line
    note = (
        f"Line {line} has {length:,} characters and is cut after {max_chars:,}; look for what is "
        "behind with an exact search."
    )
    return (note,)


def resolve(snapshot: Snapshot, handle: str, *, scope: Scope) -> tuple[DocumentText, str | None]:
    """The document and the section slug that a handle names: the longest existing path
    before a ``#``, and what follows it (``None`` without a ``#``)."""
    wanted = unicodedata.normalize("NFC", handle).removeprefix("./")
    if not encodable(wanted):
        raise NotFound(NO_SUCH.format(handle=handle.encode(errors="replace").decode()))
    cuts = [len(wanted)] + [at for at in range(len(wanted) - 1, -1, -1) if wanted[at] == "#"]
    for cut in cuts:
        record = snapshot.find(wanted[:cut], scope=scope)
        document = snapshot.text(record.id, scope=scope) if record is not None else None
        if document is not None:
            return document, wanted[cut + 1 :] if cut < len(wanted) else None
    raise NotFound(NO_SUCH.format(handle=handle))


def place(document: DocumentText, slug: str, handle: str) -> tuple[int, int, int | None]:
    """Where a section or a deeper heading lies in the body, and its page."""
    for section in document.sections:
        if section.slug == slug:
            return section.char_start, section.char_end, section.page
    for heading in document.headings:
        if heading.slug == slug:
            return heading.char_start, heading.char_end, None
    known = ", ".join(f"#{section.slug}" for section in document.sections[:8])
    raise NotFound(
        f"No section '#{slug}' in {document.record.path} ({handle}). "
        f"It has {known or 'no sections'}; see the outline for all."
    )


def outline_of(document: DocumentText) -> tuple[OutlineEntry, ...]:
    """Every heading of a document, or every page, with its handle and lines."""
    path = document.record.path
    if not document.headings or document.record.paged:
        return tuple(
            OutlineEntry(
                level=section.level,
                text=section_name(section),
                handle=f"{path}#{section.slug}",
                lines=(section.line_start, section.line_end),
            )
            for section in document.sections
        )
    ends = line_ends(document)
    return tuple(
        OutlineEntry(
            level=heading.level,
            text=heading.text,
            handle=f"{path}#{heading.slug}",
            lines=(heading.line, ends(heading.char_end)),
        )
        for heading in document.headings
    )


def section_name(section: Section) -> str:
    """A section without a heading goes by its page or its place."""
    if section.heading:
        return section.heading[-1]
    return f"p. {section.page}" if section.page is not None else "(before the first heading)"


def line_ends(document: DocumentText) -> Callable[[int], int]:
    """From a body offset to the file line that ends before it."""
    first = document.record.body_line

    def line_before(offset: int) -> int:
        return first + document.body.count("\n", 0, max(offset - 1, 0))

    return line_before


def neighbours(
    entries: tuple[OutlineEntry, ...], slug: str, path: str
) -> tuple[str | None, str | None]:
    """The handles before and after a section."""
    handles = [entry.handle for entry in entries]
    wanted = f"{path}#{slug}"
    if wanted not in handles:
        return None, handles[0] if handles else None
    at = handles.index(wanted)
    return (
        handles[at - 1] if at > 0 else None,
        handles[at + 1] if at + 1 < len(handles) else None,
    )


def link_views(snapshot: Snapshot, document: DocumentText, *, scope: Scope) -> tuple[LinkView, ...]:
    """The links of a document to other documents in scope, each once, in the text's order."""
    found = link_targets(snapshot, [link.target for link in document.links], scope=scope)
    own = document.record.path
    return tuple(
        LinkView(path=path, title=title)
        for path, title in dict.fromkeys((one.path, one.title) for one in found.values())
        if path != own
    )


def link_targets(
    snapshot: Snapshot, targets: Iterable[str], *, scope: Scope
) -> dict[str, DocumentRecord]:
    """The documents in scope that link targets mean, by target; sites leave endings out."""
    meant = {target: candidates(target) for target in dict.fromkeys(targets)}
    every = {path for paths in meant.values() for path in paths}
    known = snapshot.find_all(every, scope=scope)
    return {
        target: next(known[path] for path in paths if path in known)
        for target, paths in meant.items()
        if any(path in known for path in paths)
    }


class Span:
    """A range of whole lines of a document, narrowed step by step."""

    def __init__(self, document: DocumentText) -> None:
        self.body = document.body
        self.first_line = document.record.body_line
        self.start = 0
        self.end = len(self.body)
        self.cut_line: tuple[int, int] | None = None
        self.next_start = 0

    def narrow(self, start: int, end: int) -> None:
        """To a range of the body."""
        self.start, self.end = start, end

    def narrow_to_lines(self, first: int, last: int) -> None:
        """To file lines, within what is left."""
        start = self._offset(max(first, self.first_line) - self.first_line)
        end = self._offset(max(last, self.first_line - 1) - self.first_line + 1)
        self.start = min(max(self.start, start), self.end)
        self.end = max(min(self.end, end), self.start)

    def empty(self) -> None:
        """To nothing: only the outline was asked for."""
        self.end = self.start

    def cut(self, max_chars: int) -> None:
        """To at most so many characters, at a line end. Of a line that is longer than that
        the rest is left out: ``cut_line`` then says which it is, and its length."""
        if self.end - self.start <= max_chars:
            return
        at = self.body.rfind("\n", self.start, self.start + max_chars)
        if at > self.start:
            self.end = at + 1
            return
        line_end = self.body.find("\n", self.start)
        line_end = self.end if line_end < 0 else min(line_end, self.end)
        self.cut_line = (self.lines[0], line_end - self.start)
        self.end = self.start + max_chars
        self.next_start = line_end + 1

    @property
    def text(self) -> str:
        """The text, without its last line end."""
        return self.body[self.start : self.end].removesuffix("\n")

    @property
    def lines(self) -> tuple[int, int]:
        """First and last file line of the text."""
        first = self.first_line + self.body.count("\n", 0, self.start)
        return first, first + self.text.count("\n")

    @property
    def more(self) -> str | None:
        """The file lines that follow, to the end of the document."""
        following = self.end if self.cut_line is None else self.next_start
        if not self.body[following:].strip():
            return None
        next_line = self.first_line + self.body.count("\n", 0, following)
        last = self.first_line + self.body.rstrip("\n").count("\n")
        return f"{next_line}-{last}"

    def _offset(self, lines_down: int) -> int:
        offset = 0
        for _ in range(lines_down):
            offset = self.body.find("\n", offset) + 1
            if offset == 0:
                return len(self.body)
        return offset

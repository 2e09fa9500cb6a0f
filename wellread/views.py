"""What ``find_exact`` and ``read`` answer

Apart from ``types`` for the reason given in ``documents``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from wellread.types import DocumentType, Outcome, Standing, State


@dataclass(frozen=True, kw_only=True, slots=True)
class LineMatch:
    """A line of the text that holds the exact string; ``spans`` are character ranges in it."""

    path: str
    line: int
    text: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ExactResult:
    """What ``find_exact`` returns: matching lines, and exact counts within the scope."""

    outcome: Outcome
    matches: tuple[LineMatch, ...]
    lines: int
    documents: int
    left_out: int
    indexed_at: str | None
    without_filters: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkView:
    """A link as a reader may see it: the other document's path and title."""

    path: str
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AttachmentView:
    """An attachment as a reader may see it; ``size`` in bytes, ``None`` where it is missing."""

    path: str
    kind: str
    title: str
    size: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class OutlineEntry:
    """A heading of a document, or a page: what ``read --outline`` lists."""

    level: int
    text: str
    handle: str
    lines: tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadResult:
    """What ``read`` returns. ``lines`` are file lines of ``text``, first and last; ``more`` is
    the handle or line range to go on with. ``before`` and ``after`` name the neighbouring
    sections where a section was asked for. ``indexed_at`` is when this text was taken up, and
    ``as_of`` when the library last looked at its sources."""

    path: str
    section: str | None
    title: str
    type: DocumentType
    lines: tuple[int, int]
    total_lines: int
    text: str
    more: str | None
    before: str | None
    after: str | None
    outline: tuple[OutlineEntry, ...]
    links: tuple[LinkView, ...]
    backlinks: tuple[LinkView, ...]
    attachments: tuple[AttachmentView, ...]
    state: State
    state_explicit: bool
    standing: Standing
    updated: date | None
    indexed_at: str
    pdf_page: int | None = None
    notes: tuple[str, ...] = ()
    as_of: str | None = None

"""The shapes of the write path: from a file that a source has seen to a document with its passages

Apart from ``types``, since making a frozen dataclass costs about 0.4 ms and a search needs
none of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from wellread.types import About, Acl, Attachment, DocumentType, Lifecycle, Sensitivity


@dataclass(frozen=True, kw_only=True, slots=True)
class FileEntry:
    """One file a source has seen, before its bytes are read.

    ``path`` is the library path (POSIX, NFC); ``location`` is where the source finds it.
    ``imported`` holds restrictions that came with the source (a wiki's page tree).
    """

    path: str
    location: str
    source: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    imported: Acl | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedEntry:
    """A file or folder that a source has seen and does not read.

    ``reason`` is a short stable phrase for counting, as in ``SkippedFile``; ``folder`` says
    that everything below ``path`` is skipped with it.
    """

    path: str
    reason: str
    message: str
    folder: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RawFile:
    """A file's bytes with what the source knows about it."""

    entry: FileEntry
    content: bytes
    committed: date | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConvertedPage:
    """A page, slide or sheet of a converted file: where its text lies in ``Converted.text``.

    ``label`` is what a handle is made of: ``page-493``, ``slide-3``, or a sheet's name.
    ``number`` counts from 1 in the original file.
    """

    label: str
    kind: Literal["page", "slide", "sheet"]
    number: int
    char_start: int
    char_end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Converted:
    """The markdown text of an office file. ``pages`` is empty where the format has none, else
    they follow one another and cover every non-blank character."""

    text: str
    pages: tuple[ConvertedPage, ...] = ()
    title: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """A mistake in a document, worth a line of ``lint``; the document is indexed all the same."""

    path: str
    line: int
    code: str
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Heading:
    """A heading of the body, of any level, with the slug that ``read`` accepts.

    ``char_end`` is where the next heading of the same or a higher level starts.
    """

    level: int
    text: str
    slug: str
    char_start: int
    char_end: int
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of a document under one heading: the unit of delivery.

    ``slug`` is unique in the document and empty for text before the first heading.
    ``heading`` is the path of headings down to it, outermost first; ``page`` is a PDF page.
    """

    slug: str
    level: int
    heading: tuple[str, ...]
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    page: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A section or a slice of a long one: the unit of retrieval.

    ``section`` is the index into ``Document.sections``; ``heading`` includes headings
    deeper than the section's own that are in force where the passage starts.
    """

    section: int
    heading: tuple[str, ...]
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    page: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """A link or image of the text to a file of the library; ``anchor`` has no ``#``."""

    target: str
    anchor: str
    line: int
    image: bool
    written: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """A parsed document. ``body`` is the text without frontmatter; ``body_line`` is the file
    line of its first line. ``own_access`` and ``own_deny`` are the written lists, or ``None``
    where the key is absent; ``sealed`` means unreadable access: nobody but the local owner.
    None of the three knows of ``[[defaults]]``, which are evaluated on every run.
    ``key_lines`` says where known keys are written;
    ``metadata`` keeps every frontmatter key, known or not, as JSON values.
    """

    path: str
    title: str
    type: DocumentType
    type_written: str
    language: str
    body: str
    body_line: int
    lifecycle: Lifecycle
    own_access: tuple[str, ...] | None = None
    own_deny: tuple[str, ...] = ()
    sealed: bool = False
    owner: str = ""
    author: str = ""
    domain: str = ""
    client: str = ""
    about: About = "ours"
    sensitivity: Sensitivity = "internal"
    always_on: bool = False
    triggers: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    translation_of: str | None = None
    key_lines: Mapping[str, int] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)
    headings: tuple[Heading, ...] = ()
    sections: tuple[Section, ...] = ()
    links: tuple[Link, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingRun:
    """What giving passages vectors came to: texts embedded now, and how many of the passages
    have a vector. ``problem`` says why some have none, or why none was made now."""

    model: str
    embedded: int
    known: int
    passages: int
    problem: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """The log of one index run. ``skipped`` and ``failed`` map a reason to its count;
    ``held_back`` counts deletions that wait for ``--allow-mass-delete``. ``vectors`` is what
    embedding came to, where there is a model; it is done after the run is logged."""

    started_at: str
    finished_at: str
    seen: int
    added: int
    changed: int
    unchanged: int
    removed: int
    held_back: int
    passages: int
    seconds: float
    generation: int
    skipped: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None
    vectors: EmbeddingRun | None = None

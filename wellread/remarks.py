"""What a text says of itself, and the documents that it names by it. No I/O."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from wellread.types import StandingWord


@dataclass(frozen=True, kw_only=True, slots=True)
class Reference:
    """A document as it is named: a link, counted from the page's folder; a path as in
    frontmatter; or the number of a page that is called like this one."""

    kind: Literal["link", "path", "number"]
    written: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Remark:
    """One thing that a text says of itself, and on which of its lines, counted from 0.
    ``standing`` is ``None`` where it only names other documents. ``words`` are those that say it,
    without the documents named: a reason must not name what its reader may not read."""

    source: Literal["header", "notice"]
    line: int
    words: str
    standing: StandingWord | None = None
    successors: tuple[Reference, ...] = ()
    replaces: tuple[Reference, ...] = ()
    title: str = ""


_ENDINGS = r"(?:md|markdown|mdx|txt|html?|docx|pdf|pptx|xlsx|rst)"
_REFERENCE = re.compile(
    r"!?\[[^\[\]\n]{0,200}\]\(\s*<?(?P<link>[^()\s<>]{1,500})"
    r"|\[\[(?P<wiki>[^\[\]|\n]{1,200})"
    rf"|(?P<path>(?<![\w/:.])[\w./+-]{{1,200}}\.{_ENDINGS})\b"
    r"|:(?:pep|rfc):`~?(?P<role>\d{1,5})\b"
    r"|\b(?:PEP|RFC|ADR|RFD|КБ|KB)[ -–]?(?P<number>\d{1,5})\b",
    re.IGNORECASE,
)


def references(text: str, *, numbers: bool = False) -> tuple[Reference, ...]:
    """The documents that a text names; with ``numbers`` bare numbers count too."""
    found: list[Reference] = []
    for match in _REFERENCE.finditer(text):
        if match["link"]:
            found.append(Reference(kind="link", written=match["link"]))
        elif match["wiki"]:
            found.append(Reference(kind="path", written=match["wiki"].strip()))
        elif match["path"]:
            found.append(Reference(kind="path", written=match["path"]))
        else:
            found.append(Reference(kind="number", written=match["role"] or match["number"]))
    if not found and numbers:
        found = [Reference(kind="number", written=one) for one in re.findall(r"\d{1,5}", text)]
    return tuple(dict.fromkeys(found))

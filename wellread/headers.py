"""Headers as PEPs and decision records have them: ``Status:``, ``Superseded-By:`` and
``Replaces:`` at the top of a text. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from wellread.remarks import Remark, references
from wellread.types import StandingRules
from wellread.vocabulary import standing_word

_KEYS: Mapping[str, str] = {
    "status": "status",
    "state": "status",
    "статус": "status",
    "superseded-by": "successors",
    "obsoleted-by": "successors",
    "replaced-by": "successors",
    "deprecated-by": "successors",
    "заменен": "successors",
    "заменено": "successors",
    "заменен на": "successors",
    "replaces": "replaces",
    "supersedes": "replaces",
    "obsoletes": "replaces",
    "заменяет": "replaces",
    "title": "title",
    "название": "title",
}
HEADER_STEMS = ("status", "state", "supersede", "obsolete", "replace", "статус", "замен")
"""A text without any of these has no header."""
_FIELD = re.compile(
    r"^(?:[-*+]\s+)?(?P<mark>\*\*|__|)(?P<key>[^\W\d_][\w -]{0,30}?)(?:(?P=mark)\s*:|:\s*(?P=mark))"
    r"(?:\s+(?P<value>.*))?$"
)
_ROW = re.compile(r"^\|\s*\**(?P<key>[^|*]{1,40}?)\**:?\s*\|\s*(?P<value>[^|]*?)\s*\|\s*$")
_RULE = re.compile(r"^\|[\s:|-]+\|\s*$")
_VALUE_ENDS = re.compile(r"\s+(?:by|in|with|на)\b|[(\[,;:`*<]", re.IGNORECASE)
FENCE = re.compile(r"^\s{0,3}(?P<fence>```+|~~~+)")
HEADING = re.compile(r"^#{1,6}\s")
_UNDERLINE = re.compile(r"^(?:=+|-+)\s*$")


def read_header(lines: list[str], rules: StandingRules) -> tuple[list[Remark], int]:
    """What a header at the top says, and the line behind it. A heading may stand above it, and
    it may be fenced, indented, a list, or a table of two columns."""
    at = _first_text(lines, 0)
    if at < len(lines) and HEADING.match(lines[at]):
        at = _first_text(lines, at + 1)
    elif at + 1 < len(lines) and lines[at].strip() and _UNDERLINE.match(lines[at + 1]):
        at = _first_text(lines, at + 2)
    fence = FENCE.match(lines[at]) if at < len(lines) else None
    start = at + 1 if fence else at
    fields: list[tuple[int, str, str]] = []
    end = start
    while end < len(lines):
        line = lines[end]
        text = line.strip()
        if not text or (fence and text.startswith(fence["fence"])):
            break
        match = _ROW.match(text) or _FIELD.match(text)
        if match:
            fields.append((end, match["key"].strip(), (match["value"] or "").strip()))
        elif line[0] in " \t" and fields:
            number, key, value = fields[-1]
            fields[-1] = (number, key, f"{value} {text}")
        elif not _RULE.match(text):
            return [], 0  # prose
        end += 1
    found = [one for field in fields for one in _field(*field, rules)]
    if not any(one.standing or one.successors or one.replaces for one in found):
        return [], 0
    return found, end + 1


def _field(number: int, key: str, value: str, rules: StandingRules) -> Iterator[Remark]:
    name = _KEYS.get(key.casefold().replace("ё", "е").replace("_", "-").replace(" by", "-by"))
    words = f"{key}:"
    if name == "title":
        yield Remark(source="header", line=number, words=words, title=value)
    elif name == "successors" and value:
        named = references(value, numbers=True)
        yield Remark(
            source="header", line=number, words=words, standing="superseded", successors=named
        )
    elif name == "replaces" and value:
        named = references(value, numbers=True)
        yield Remark(source="header", line=number, words=words, replaces=named)
    elif name == "status":
        standing = standing_word(value, rules.words)
        named = references(value) if standing in ("superseded", "deprecated") else ()
        if standing is not None:
            words += f" {_VALUE_ENDS.split(value, maxsplit=1)[0].strip()}"
            yield Remark(
                source="header", line=number, words=words, standing=standing, successors=named
            )


def _first_text(lines: list[str], start: int) -> int:
    while start < len(lines) and not lines[start].strip():
        start += 1
    return start

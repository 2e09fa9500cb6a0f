"""What gives a section its meaning: the scope, definitions and exceptions of its document, and
the place where a term that it uses was defined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from wellread.documents import Section
from wellread.store.base import DocumentText

CompanionKind = Literal["scope", "definitions", "exceptions", "definition"]

HEADINGS: dict[CompanionKind, tuple[str, ...]] = {
    "scope": (
        "scope", "applies to", "applicability", "who this applies to", "область применения",
        "сфера действия", "на кого распространяется", "применимость",
    ),
    "definitions": (
        "definitions", "terms", "terminology", "glossary", "определения", "термины",
        "термины и определения", "понятия", "глоссарий",
    ),
    "exceptions": (
        "exceptions", "exclusions", "exemptions", "what is not covered", "исключения",
        "особые случаи", "на что не распространяется",
    ),
}  # fmt: skip
"""Headings that say what a section is, compared in lower case; a heading that starts or ends with
one of them counts too."""

BRIEF = 600
"""Characters of a companion: a definition or two, a scope in a paragraph."""

SHORTEST_TERM = 4
LONGEST_TERM_WORDS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Companion:
    """A part of the same document, as a range of characters of its body."""

    kind: CompanionKind
    section: Section
    char_start: int
    char_end: int
    term: str = ""


def companions(document: DocumentText, section: Section) -> list[Companion]:
    """The companions of a section: exceptions first, since they change what it says."""
    found: list[Companion] = []
    for kind in ("exceptions", "scope", "definitions"):
        for other in document.sections:
            if other != section and _is_about(other, kind):
                end = _brief_end(document.body, other.char_start, other.char_end)
                found.append(
                    Companion(kind=kind, section=other, char_start=other.char_start, char_end=end)
                )
    text = document.body[section.char_start : section.char_end]
    found += _definitions(document, section, text, found)
    return found


def _is_about(section: Section, kind: CompanionKind) -> bool:
    if not section.heading:
        return False
    words = re.sub(r"^[\d.\s]+", "", section.heading[-1]).strip(" :.").casefold()
    return any(
        words == known or words.startswith(f"{known} ") or words.endswith(f" {known}")
        for known in HEADINGS[kind]
    )


@cache
def _defining() -> re.Pattern[str]:
    term = r"(?P<term>[^\W\d_][\w\-/]*(?: [\w\-/]+){0,4}?)"
    return re.compile(
        r"(?m)(?:^|(?<=[.!?;:*\n] )|(?<=[-*] ))[\s*_>\-]*"
        rf"(?:(?:an?|the|by|под)\s+)?[\"«“*_]*{term}[\"»”*_]*\s*(?:\([^)\n]{{1,40}}\)\s*)?"
        r"(?:is an?\b|is any\b|is one (?:who|that)\b|are (?:those|all|any)\b|means\b|refers to\b"
        r"|stands for\b|we mean\b|(?:—|–|-)\s(?:это\b|любой\b|лицо\b)|называ(?:ется|ются|ем)\b"
        r"|означает\b|понимается\b)",
        re.IGNORECASE,
    )


def _definitions(
    document: DocumentText, section: Section, text: str, known: Sequence[Companion]
) -> Iterator[Companion]:
    """Sentences elsewhere in the document that define a term which the section uses."""
    used = text.casefold()
    covered = [(one.char_start, one.char_end) for one in known]
    covered.append((section.char_start, section.char_end))
    seen: set[str] = set()
    for match in _defining().finditer(document.body):
        term = " ".join(match["term"].casefold().split())
        at = match.start("term")
        if term in seen or len(term) < SHORTEST_TERM or term not in used:
            continue
        if any(start <= at < end for start, end in covered):
            continue
        if " " not in term and "-" not in term and not _marked(document.body, match):
            continue  # "Support is a …" defines nothing; “Support” is a … does
        home = next((one for one in document.sections if one.char_start <= at < one.char_end), None)
        if home is None:
            continue
        seen.add(term)
        start, end = _sentence(document.body, at)
        yield Companion(kind="definition", section=home, char_start=start, char_end=end, term=term)


def _marked(body: str, match: re.Match[str]) -> bool:
    """Whether a term stands in quotes, or is set off: then its sentence defines it."""
    before = body[max(0, match.start("term") - 1) : match.start("term")]
    return before in ('"', "«", "“", "*", "_")


def _sentence(body: str, at: int) -> tuple[int, int]:
    """The sentence around a place, within its line."""
    line = body.rfind("\n", 0, at) + 1
    ends = [found.end() for found in re.finditer(r"[.!?]\s+", body[line:at])]
    start = line + (ends[-1] if ends else 0)
    line_end = body.find("\n", at)
    line_end = len(body) if line_end < 0 else line_end
    found = re.compile(r"[.!?](?=\s|$)").search(body, at, line_end)
    return start, found.end() if found is not None else line_end


def _brief_end(body: str, start: int, end: int) -> int:
    """The end of what is delivered in brief: whole paragraphs while they fit."""
    if end - start <= BRIEF:
        return end
    cut = body.rfind("\n\n", start, start + BRIEF)
    return cut if cut > start else body.rfind(" ", start, start + BRIEF)

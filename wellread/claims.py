"""What a text claims: its sentences with the quantities and permissions in them, and what each
is about, in terms. English and Russian; no model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from wellread.languages import detect_language
from wellread.quantities import Quantity, quantities
from wellread.stems import content_terms
from wellread.terms import tokens

Permission = Literal["allowed", "forbidden", "required", "not required"]

PERMISSIONS: tuple[tuple[Permission, str], ...] = (
    (
        "not required",
        r"(?:need|do(?:es)?|is|are|be)(?: not|n't) (?:need(?:ed)?|required?|have to|necessary)"
        r"|needn't|need not|not (?:required|necessary|mandatory|obliged)|no need|optional"
        r"|no (?:\w+ ){0,2}(?:is |are )?(?:needed|required|necessary)|without (?:approval|asking)"
        r"|не (?:требуется|требуются|обязан\w*|обязательн\w*|нужн[оаы]?|нужен|надо|необходимо)"
        r"|необязательн\w*|без согласования",
    ),
    (
        "forbidden",
        r"(?:must|may|can|should|shall|will)(?: not|n't|not)\b|cannot|can't|mustn't|never"
        r"|(?:is|are|be)(?: not|n't) (?:allowed|permitted|possible|accepted|refundable)"
        r"|not (?:allowed|permitted)|prohibited|forbidden|banned|do not|don't|no longer|disallowed"
        r"|нельзя|запрещ\w+|запрет\w*|не (?:допуска\w+|разреша\w+|вправе|может|могут|можем|долж\w+"
        r"|следует|возвраща\w+|принима\w+|предоставля\w+|положен\w*)|недопустим\w*|никогда",
    ),
    (
        "required",
        r"must|shall|required|mandatory|has to|have to|obliged|needs? (?:to|an?|the)|compulsory"
        r"|always|долж[еоан]\w*|обязан\w*|обязательн\w*|требу\w+|необходим\w*|нужн[оаы]|нужен|надо",
    ),
    (
        "allowed",
        r"may|can|allowed|permitted|entitled|welcome to|free to|possible|acceptable|fine to"
        r"|можно|может|могут|можете|разреш\w+|допуска\w+|вправе|имеет право|имеют право|дозвол\w+",
    ),
)
"""Words of permission, the negative ones first: what they hold is not read again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """A sentence with its place (character offsets) and what it is about: its content terms,
    without those of its quantities and words of permission."""

    text: str
    start: int
    end: int
    terms: frozenset[str]
    quantities: tuple[Quantity, ...]
    permissions: tuple[tuple[Permission, str], ...]


_SENTENCE = re.compile(
    r"(?:[^.!?\n]|[.!?](?=[\w,;)\]»\"])|\.(?=\s?[a-zа-яё\d%])|\n(?!\s*(?:\n|[-*+|>#]|\d+[.)]\s)))+[.!?]*"
)


@cache
def _permission_patterns() -> tuple[tuple[Permission, re.Pattern[str]], ...]:
    return tuple(
        (name, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE))
        for name, words in PERMISSIONS
    )


def sentences(text: str, language: str | None = None) -> Iterator[Sentence]:
    """The sentences of a text that claim something: hold a quantity, or permit or forbid."""
    spoken = language or detect_language(text)
    for match in _SENTENCE.finditer(text):
        written = match[0].strip()
        if not written:
            continue
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        found = quantities(written)
        allowed, rest = _permissions(written)
        if found or allowed:
            bare = _blank(rest, [(one.start, one.end) for one in found])
            yield Sentence(
                text=" ".join(written.split()),
                start=start,
                end=start + len(written),
                terms=subject(bare, spoken),
                quantities=tuple(found),
                permissions=allowed,
            )


def subject(text: str, language: str) -> frozenset[str]:
    """The content terms of a text."""
    terms = [token.term for token in tokens(text, language)]
    return frozenset(
        term for term in content_terms(terms, language) if len(term) > 1 and not term.isdigit()
    )


def _permissions(text: str) -> tuple[tuple[tuple[Permission, str], ...], str]:
    """What a sentence permits or forbids, as it is written, and the sentence without it."""
    found: list[tuple[Permission, str]] = []
    for name, pattern in _permission_patterns():
        for match in pattern.finditer(text):
            found.append((name, match[0]))
        text = _blank(text, [match.span() for match in pattern.finditer(text)])
    return tuple(found), text


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text

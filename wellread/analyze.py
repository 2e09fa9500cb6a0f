"""Documents to terms: what the write path hands to a store for each passage."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from wellread.folding import fold
from wellread.languages import detect_language
from wellread.stems import pairs, stem, stems
from wellread.store.base import (
    AnalyzedDocument,
    AnalyzedPassage,
    DocumentRecord,
    PassageRecord,
    PassageTerms,
    Weights,
)
from wellread.terms import ANALYZER_VERSION, Scan, Token, index_terms, scan, tokens

if TYPE_CHECKING:
    from wellread.documents import Document, Passage

__all__ = [
    "ANALYZER_VERSION",
    "Scan",
    "Token",
    "analyze_document",
    "context_line",
    "detect_language",
    "fold",
    "index_terms",
    "pairs",
    "scan",
    "stem",
    "stems",
    "tokens",
]

_Terms = tuple[str, str, str]
_HEADING = re.compile(r"\s*(?:#{1,6}[ \t][^\n]*|[^\n]+\n {0,3}(?:=+|-+)[ \t]*)(?:\n|\Z)")


# 4,096 texts of 1,500 characters with their terms and pairs are about 60 MB. Versions of one
# page (three quarters of the passages of scale-docs-18k) are often near each other.
@lru_cache(maxsize=4096)
def _analyze(text: str, language: str) -> _Terms:
    # The words of an address are nobody's words: it is found whole, and by its parts.
    prose, destinations = without_destinations(text)
    terms, identifiers = index_terms(prose, language)
    if destinations:
        identifiers = [*identifiers, *index_terms(" ".join(destinations), language)[1]]
    return " ".join(terms), " ".join(identifiers), " ".join(pairs(terms, language))


# Destinations look like one: `handlers[name](event)` in code is none.
_DESTINATION = re.compile(
    r"(?<=\])\((?=[^()\n]*[/.#:{])([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)"
    r"|(?m:^ {0,3}\[[^\]\n]+\]:([^\n]*)$)"
)


def without_destinations(text: str) -> tuple[str, list[str]]:
    """A text as a reader sees it, without where its links lead, and those destinations."""
    if "](" not in text and "]:" not in text:
        return text, []
    destinations: list[str] = []

    def take(match: re.Match[str]) -> str:
        destinations.append(match[1] or match[2] or "")
        return ""

    return _DESTINATION.sub(take, text), destinations


def heading_path(
    document: Document | DocumentRecord, passage: Passage | PassageRecord
) -> tuple[str, ...]:
    """The headings above a passage, outermost first, without one that repeats the title."""
    headings = passage.heading
    if headings and fold(headings[0]) == fold(document.title):
        return headings[1:]
    return headings


def context_line(document: Document | DocumentRecord, passage: Passage | PassageRecord) -> str:
    """Where a passage comes from: title › heading path, client, domain, aliases, tags."""
    path = " › ".join((document.title, *heading_path(document, passage)))
    return " · ".join((path, *besides(document)))


def besides(document: Document | DocumentRecord) -> list[str]:
    """What a context line says beside title and headings."""
    parts = []
    if document.client:
        parts.append(f"client: {document.client}")
    if document.domain:
        parts.append(f"domain: {document.domain}")
    if document.aliases:
        parts.append(f"also: {', '.join(document.aliases)}")
    if document.tags:
        parts.append(f"tags: {', '.join(document.tags)}")
    return parts


def text_start(body: str, start: int, end: int) -> int:
    """Where the text of a passage starts: behind the heading it opens with, if it has more."""
    heading = _HEADING.match(body, start, end)
    if heading is None or not body[heading.end() : end].strip():
        return start
    return heading.end()


def heading_alone(body: str, start: int, end: int) -> bool:
    """Whether a passage is a heading and nothing else."""
    heading = _HEADING.match(body, start, end)
    return heading is not None and not body[heading.end() : end].strip()


def embedded_text(
    document: Document | DocumentRecord, passage: Passage | PassageRecord, body: str
) -> str:
    """What of a passage is made a vector: its context line, and its text without the heading it
    opens with, which that line has. ``body`` is the document's whole text.

    A line without a letter, as of a file called 17.md, is left out: it turns each vector its
    own way (m: cosine .991 to .998 to the vector without it, in a model whose passages lie
    .1 apart).
    """
    start = text_start(body, passage.char_start, passage.char_end)
    text = body[start : passage.char_end].strip()
    line = context_line(document, passage)
    return f"{line}\n{text}" if any(map(str.isalpha, line)) else text


def joined(*parts: str) -> str:
    """Lists of terms as one."""
    return " ".join(part for part in parts if part)


def analyze_document(document: Document, passages: tuple[Passage, ...]) -> AnalyzedDocument:
    """The terms of every passage of a document, by the language of the document.

    A heading that opens a passage is counted as heading, not as text as well. Identifiers of
    the title and the headings are repeated by the weights of their places, since all share
    one field.
    """
    weights = Weights()
    language = document.language
    starts = {heading.char_start for heading in document.headings}
    title, title_names, title_pairs = _analyze(document.title, language)
    # Title and headings count by weights of their own: the context is what is said besides.
    context = _analyze(
        " ".join([document.client, document.domain, *document.aliases, *document.tags]), language
    )[0]
    analyzed: list[AnalyzedPassage] = []
    for passage in passages:
        heading, heading_names, heading_pairs = _analyze(
            "\n".join(heading_path(document, passage)), language
        )
        start = passage.char_start
        bare = False
        if start in starts:
            start = text_start(document.body, start, passage.char_end)
            bare = len(passages) > 1 and heading_alone(document.body, start, passage.char_end)
        body, body_names, body_pairs = _analyze(document.body[start : passage.char_end], language)
        if bare:
            # Nothing but a heading, which the passages below it repeat: it can be found by
            # its words, but does not stand for a text that has them.
            terms = PassageTerms(
                title="", heading="", body=body, context="", identifiers=body_names, pairs=""
            )
            analyzed.append(AnalyzedPassage(passage=passage, terms=terms))
            continue
        analyzed.append(
            AnalyzedPassage(
                passage=passage,
                terms=PassageTerms(
                    title=title,
                    heading=heading,
                    body=body,
                    context=context,
                    identifiers=joined(
                        *[title_names] * weights.title,
                        *[heading_names] * weights.heading,
                        body_names,
                    ),
                    pairs=joined(title_pairs, heading_pairs, body_pairs),
                ),
            )
        )
    return AnalyzedDocument(document=document, passages=tuple(analyzed))

"""Candidates for the dictionary, from what documents say of themselves; a person accepts them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from wellread.stems import folded_function_words
from wellread.store.base import DocumentRecord, Snapshot
from wellread.synonyms import Synonyms, Terms, terms_of, vanishes
from wellread.types import Filters, Scope

LONGEST_PHRASE = 6
"""Words: a longer title is a sentence, and nobody's word for anything."""

_BRACKETS = re.compile(r"([^()]+?)\s*\(([^()]+)\)")
_SHORT = re.compile(r"[A-ZА-ЯЁ](?:[&/.]?[A-ZА-ЯЁ]){1,7}s?")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """Phrases that may mean the same, and the place that says so."""

    phrases: tuple[str, ...]
    source: Literal["title", "aliases"]
    path: str
    line: int


def suggest(snapshot: Snapshot, synonyms: Synonyms, *, scope: Scope) -> tuple[Candidate, ...]:
    """Candidates from the documents in scope that the dictionary does not have yet, each once,
    in the order of paths."""
    languages = snapshot.languages(scope=scope) or ("en",)
    known = [frozenset(terms_of(one.text, languages) for one in group) for group in synonyms.groups]
    for rule in synonyms.one_way:
        phrases = (rule.needle, *rule.replacements)
        known.append(frozenset(terms_of(one.text, languages) for one in phrases))
    found: list[Candidate] = []
    ids = snapshot.document_ids(scope=scope, filters=Filters())
    records = snapshot.documents(ids, scope=scope)
    for record in sorted(records.values(), key=lambda one: one.path):
        for candidate in of_document(record):
            distinct: dict[Terms, str] = {}
            for phrase in candidate.phrases:
                if not vanishes(phrase) and len(terms_of(phrase, languages)) <= LONGEST_PHRASE:
                    distinct.setdefault(terms_of(phrase, languages), phrase)
            said = frozenset(distinct)
            if len(said) > 1 and not any(said <= other for other in known):
                known.append(said)
                found.append(
                    Candidate(
                        phrases=tuple(distinct.values()),
                        source=candidate.source,
                        path=candidate.path,
                        line=candidate.line,
                    )
                )
    return tuple(found)


def of_document(record: DocumentRecord) -> Iterator[Candidate]:
    """What a title with a bracketed abbreviation and ``aliases`` say."""
    lines = record.key_lines
    for phrases in abbreviations(record.title):
        yield Candidate(
            phrases=phrases,
            source="title",
            path=record.path,
            line=lines.get("title", record.body_line),
        )
    if record.aliases:
        title = _BRACKETS.sub(r"\1", record.title).strip()
        yield Candidate(
            phrases=(title, *record.aliases),
            source="aliases",
            path=record.path,
            line=lines.get("aliases", 1),
        )


def abbreviations(title: str) -> Iterator[tuple[str, str]]:
    """The full form and the short one for each pair of brackets that spells one out:
    ``Paid time off (PTO)``, ``PTO (paid time off)``."""
    for before, inside in _BRACKETS.findall(title):
        before, inside = before.strip(), inside.strip()
        if _SHORT.fullmatch(inside):
            full, short = _spelt_out(before, inside), inside
        else:
            short = before.split()[-1] if before else ""
            full = _spelt_out(inside, short) if _SHORT.fullmatch(short) else None
            full = full if full == inside else None
        if full is not None:
            yield full, short.removesuffix("s")


def _spelt_out(text: str, short: str) -> str | None:
    """The last words of a text whose initials are those letters, function words left out
    (``Налог на добавленную стоимость``, НДС), or else counted (``Terms of reference``, TOR)."""
    skipped = folded_function_words("en") | folded_function_words("ru")
    words = list(_WORD.finditer(text))
    content = [word for word in words if word.group().casefold() not in skipped]
    for counted in (content, words):
        letters = [one.casefold() for one in short.removesuffix("s") if one.isalpha()]
        last = counted[-len(letters) :]
        if [word.group()[0].casefold() for word in last] == letters:
            return text[last[0].start() :].strip()
    return None

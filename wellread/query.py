"""A caller's words to what a store is asked: groups of weighted terms, phrases, pairs.

Words are joined with OR; a "quoted phrase" is required; nothing else is an operator.
Whatever is looked up in the library on the way (is the word there? what is spelt like it?)
is looked up within the caller's scope and filters.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wellread.decode import encodable
from wellread.errors import UsageError
from wellread.lookups import Lookups
from wellread.query_words import (
    MAX_WORDS,
    Unit,
    bounded,
    distinct,
    languages_of,
    literal,
    query_function_words,
    units_of,
)
from wellread.relatives import relatives
from wellread.stems import PAIR_SEPARATOR, function_terms, stem
from wellread.steps import DEFAULT_QUERY_WEIGHTS, QueryWeights
from wellread.store.base import Alternative, Phrase, Snapshot, StoreQuery, TermGroup
from wellread.terms import Compound, compounds, index_terms
from wellread.types import Filters, Scope

if TYPE_CHECKING:
    from wellread.expand import Added
    from wellread.synonyms import Synonyms

MAX_TEXT = 16_384
"""Characters of a query that are read, about 2,500 words."""

MAX_EXPANDED = 8
"""Words of one query that look for relatives: a vocabulary lookup costs milliseconds."""

_QUOTED = re.compile(r'"([^"]+)"|«([^«»]+)»|“([^“”„]+)”|„([^“”„]+)[“”]')


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """What finding a term means: the group it belongs to, and its weight there."""

    group: int
    weight: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """An understood query.

    ``store`` is what the store is asked; ``words`` are the words that count, as written;
    ``effective_query`` are lines for a reader; ``suggestions`` are spellings that exist in
    scope, for words that do not. ``matches`` and ``identifiers`` say what each term stands
    for, and ``pairs`` which terms are better together: what a snippet is chosen by.
    ``exact`` are the groups of codes and of rare names, which nothing else stands for.
    ``languages`` are those that the words may be in; none where there are only codes.
    ``synonyms`` are lines like ``day off → unpaid leave`` for what a dictionary added.
    """

    text: str
    store: StoreQuery
    words: tuple[str, ...] = ()
    effective_query: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    matches: Mapping[str, Match] = field(default_factory=dict)
    identifiers: Mapping[str, Match] = field(default_factory=dict)
    pairs: frozenset[str] = frozenset()
    exact: tuple[TermGroup, ...] = ()
    languages: frozenset[str] = frozenset()
    synonyms: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for: the text was punctuation alone."""
        return not self.store.groups and not self.store.phrases


def build_query(
    text: str,
    *,
    snapshot: Snapshot,
    scope: Scope,
    filters: Filters,
    synonyms: Synonyms | None = None,
    weights: QueryWeights = DEFAULT_QUERY_WEIGHTS,
) -> Query:
    """Understands a query, with the words that a dictionary adds; a weight of 0 for pairs asks
    for none. Raises ``UsageError`` where there is no text at all; punctuation alone gives an
    empty query, which finds nothing."""
    if not text.strip():
        raise UsageError('The query is empty: write what to look for, for example "payment terms".')
    if not encodable(text):
        raise UsageError("The query is not valid Unicode; give it in UTF-8.")
    notes: list[str] = []
    if len(text) > MAX_TEXT:
        notes.append(f"only the first {MAX_TEXT:,} of {len(text):,} characters were read")
        text = text[:MAX_TEXT]
    within = Lookups(snapshot, scope, filters)
    languages = within.languages(text)
    found = compounds(text)
    function = query_function_words(found, languages)
    units = units_of(found, function, languages, within, weights)
    units, left_out = bounded(units, within)
    if left_out:
        notes.append(f"{left_out} more common or later words were left out ({MAX_WORDS} are kept)")

    added = _added(synonyms, found, units, languages, within, weights) if synonyms else None
    if added is not None and added.left_out:
        kept = f"{len(added.used)} are kept"
        notes.append(f"{added.left_out} more synonyms were left out ({kept})")
    beside = added.beside if added is not None else {}

    groups: list[TermGroup] = []
    exact: list[TermGroup] = []
    lines: list[str] = []
    suggestions: list[str] = []
    expanded = 0
    for number, unit in enumerate(units):
        alternatives = unit.alternatives
        if whole := literal(unit, within, function):
            exact.append(TermGroup(alternatives=whole))
        if unit.expandable and expanded < MAX_EXPANDED and within.rare(alternatives):
            expanded += 1
            more, spellings = relatives(unit, within, weights)
            alternatives = (*alternatives, *more)
            if number not in beside:  # a word of the dictionary is not misspelt
                suggestions.extend(spellings)
        alternatives = distinct((*alternatives, *beside.get(number, ())))
        groups.append(TermGroup(alternatives=alternatives, counted=unit.counted))
        lines.append(_line(unit.written, alternatives))
    if added is not None:
        groups += added.groups
        lines += [_line(label, distinct(terms)) for label, terms in added.shown]
    pair_groups = _pair_groups(found, units, languages, weights.pair) if weights.pair else []
    phrases, phrase_lines = _phrases(text, languages)
    lines += [_line("pair", group.alternatives) for group in pair_groups]
    return Query(
        text=text,
        store=StoreQuery(groups=(*groups, *pair_groups), phrases=phrases),
        words=tuple(unit.written for unit in units if unit.counted),
        effective_query=(*lines, *phrase_lines, *notes),
        suggestions=tuple(dict.fromkeys(suggestions)),
        matches=_matches(groups, "word"),
        identifiers=_matches(groups, "identifier"),
        pairs=frozenset(
            alternative.term
            for group in (*groups, *pair_groups)
            for alternative in group.alternatives
            if alternative.kind == "pair"
        ),
        synonyms=added.used if added is not None else (),
        exact=tuple(exact),
        languages=languages_of(found, languages),
    )


# --- synonyms ------------------------------------------------------------------------------


def _added(
    synonyms: Synonyms,
    found: list[Compound],
    units: list[Unit],
    languages: tuple[str, ...],
    within: Lookups,
    weights: QueryWeights,
) -> Added:
    """What the dictionary adds to the words that are asked for."""
    from wellread.expand import Part, Understood, expand

    words = [word for compound in found for word in compound.words]
    asked = {position: number for number, unit in enumerate(units) for position in unit.positions}

    def understand(text: str) -> Understood:
        found = compounds(text)
        function = query_function_words(found, languages)
        parts = units_of(found, function, languages, within, weights)
        return Understood(
            parts=[Part(part.folded or part.written, part.alternatives) for part in parts],
            whole=_whole(_pair_groups(found, parts, languages, weights.pair), parts, within),
        )

    return expand(
        synonyms.find(words, asked, languages),
        asked=asked,
        written=frozenset(a.term for unit in units for a in unit.alternatives if a.kind == "word"),
        understand=understand,
        weight=weights.synonym,
    )


def _whole(
    pair_groups: list[TermGroup], parts: list[Unit], within: Lookups
) -> tuple[Alternative, ...]:
    """What stands for several words together: the rarest of their pairs that is there."""
    if len(parts) == 1:
        return parts[0].alternatives
    counted = [
        (within.most(group.alternatives, None), number) for number, group in enumerate(pair_groups)
    ]
    present = [pair for pair in counted if pair[0]]
    return pair_groups[min(present)[1]].alternatives if present else ()


# --- pairs and phrases ---------------------------------------------------------------------


def _pair_groups(
    found: list[Compound], units: list[Unit], languages: tuple[str, ...], weight: float
) -> list[TermGroup]:
    """Neighbouring words as the index pairs them, where both are asked for."""
    words = [word for compound in found for word in compound.words]
    asked = {position: unit for unit in units for position in unit.positions}
    wanted: dict[tuple[int, int], dict[str, None]] = {}
    for language in languages:
        function = function_terms(language)
        terms = [
            (position, term)
            for position, term in enumerate(stem(word, language) for word in words)
            if term not in function
        ]
        for (left, first), (right, second) in itertools.pairwise(terms):
            if left in asked and right in asked and asked[left] is not asked[right]:
                wanted.setdefault((left, right), {})[f"{first}{PAIR_SEPARATOR}{second}"] = None
    distinct = dict.fromkeys(tuple(terms) for terms in wanted.values())
    return [
        TermGroup(
            alternatives=tuple(
                Alternative(kind="pair", term=term, weight=weight) for term in terms
            ),
            counted=False,
        )
        for terms in distinct
    ]


def _phrases(text: str, languages: tuple[str, ...]) -> tuple[tuple[Phrase, ...], list[str]]:
    phrases: list[Phrase] = []
    lines: list[str] = []
    for match in _QUOTED.finditer(text):
        quoted = next(group for group in match.groups() if group)
        variants = dict.fromkeys(tuple(index_terms(quoted, language)[0]) for language in languages)
        if all(variants):
            phrases.append(Phrase(variants=tuple(variants)))
            lines.append(f'required: "{" ".join(quoted.split())}"')
    return tuple(dict.fromkeys(phrases)), lines


# --- what is shown -------------------------------------------------------------------------


def _matches(groups: list[TermGroup], kind: str) -> dict[str, Match]:
    matches: dict[str, Match] = {}
    for number, group in enumerate(groups):
        for alternative in group.alternatives:
            known = matches.get(alternative.term)
            if alternative.kind == kind and (known is None or known.weight < alternative.weight):
                matches[alternative.term] = Match(group=number, weight=alternative.weight)
    return matches


def _line(written: str, alternatives: tuple[Alternative, ...]) -> str:
    """One line of the effective query; ``=`` marks what is compared whole, ``+`` a pair."""
    shown = []
    for alternative in alternatives:
        term = alternative.term
        if alternative.kind == "identifier":
            term = f"={term}"
        elif alternative.kind == "pair":
            term = term.replace(PAIR_SEPARATOR, "+")
        shown.append(term if alternative.weight == 1.0 else f"{term} ×{alternative.weight:g}")
    return f"{written} → {', '.join(shown)}"

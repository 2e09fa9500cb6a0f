"""A caller's words to what a store is asked: groups of weighted terms, phrases, pairs.

Words are joined with OR; a "quoted phrase" is required; nothing else is an operator.
Whatever is looked up in the library on the way (is the word there? what is spelt like it?)
is looked up within the caller's scope and filters.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wellread.decode import encodable
from wellread.errors import UsageError
from wellread.languages import (
    SCRIPT_DEFAULT,
    detect_language,
    language_for,
    script_of,
    script_of_language,
    vote,
)
from wellread.stems import PAIR_SEPARATOR, folded_function_words, function_terms, stem, stems
from wellread.steps import PAIR_WEIGHT
from wellread.store.base import (
    Alternative,
    Phrase,
    Snapshot,
    StoreQuery,
    TermGroup,
    VocabularyTerm,
)
from wellread.terms import Compound, compounds, index_terms
from wellread.types import Filters, Scope

if TYPE_CHECKING:
    from wellread.expand import Added
    from wellread.synonyms import Synonyms

# The parts of a code must never outweigh the code itself: a part that stands five times in a
# title scores at most 2.2 times its idf, the code once in a long passage 0.45 times its own,
# larger, idf. 2.0 · 0.45 > 0.3 · 2.2.
WHOLE_WEIGHT = 2.0
SEGMENT_WEIGHT = 0.6
CODE_PAIR_WEIGHT = 0.5
PART_WEIGHT = 0.3
HYPHENATED_WEIGHT = 0.5
"""A hyphenated word kept whole, beside its parts at full weight; at 1 it costs Cranfield .008."""

RARE = 8
"""A word in fewer passages than one page of results shows also looks for its relatives."""

UNKNOWN_WEIGHTS = (0.5, 0.6)
"""Longer words, and spellings one edit away, where the word itself is nowhere in scope."""

RARE_WEIGHTS = (0.35, 0.25)
"""The same where the word is there, but rare: it was probably meant as written."""

MIN_RELATIVE = 4
"""Letters of a stem from which it has relatives: shorter ones are near too much else."""

MAX_RELATIVES = 8
"""Of each kind, for each word: a page of results cannot show more."""

MAX_TEXT = 16_384
"""Characters of a query that are read, about 2,500 words."""

MAX_CONSIDERED = 256
"""Distinct words whose rarity is looked up when there are too many: about 0.1 ms each."""

MAX_WORDS = 64
"""Distinct words that are asked for. The longest of 2,965 judged questions has 37."""

MAX_EXPANDED = 8
"""Words of one query that look for relatives: a vocabulary lookup costs milliseconds."""

_QUOTED = re.compile(r'"([^"]+)"|«([^«»]+)»|“([^“”„]+)”|„([^“”„]+)[“”]')
_HYPHENATED = re.compile(r"[^\W\d_]+(?:[-‐‑‒–/&][^\W\d_]+)+")


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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Unit:
    """One group in the making: what was written, and the terms that may stand for it."""

    written: str
    alternatives: tuple[Alternative, ...]
    counted: bool = True
    expandable: bool = False
    folded: str = ""
    positions: tuple[int, ...] = ()


class _InScope:
    """What the query may ask of a snapshot: always within one scope and the same filters."""

    def __init__(self, snapshot: Snapshot, scope: Scope, filters: Filters) -> None:
        self._snapshot = snapshot
        self._scope = scope
        self._filters = filters
        self._counts: dict[tuple[str, str, int | None], int] = {}

    def languages(self, text: str) -> tuple[str, ...]:
        return self._snapshot.languages(scope=self._scope) or (detect_language(text),)

    def count(self, alternative: Alternative, enough: int | None = RARE) -> int:
        """Passages with a term; ``enough`` of them are counted no further."""
        key = (alternative.kind, alternative.term, enough)
        if key not in self._counts:
            self._counts[key] = self._snapshot.count(
                alternative, scope=self._scope, filters=self._filters, enough=enough
            )
        return self._counts[key]

    def most(self, alternatives: Iterable[Alternative], enough: int | None = RARE) -> int:
        return max((self.count(one, enough) for one in alternatives), default=0)

    def rare(self, alternatives: Iterable[Alternative]) -> bool:
        return all(self.count(alternative) < RARE for alternative in alternatives)

    def longer(self, term: str) -> list[str]:
        found = self._snapshot.terms(prefix=term, scope=self._scope, filters=self._filters)
        ranked = sorted(found, key=lambda v: (len(v.term), -v.passages, v.term))
        return [v.term for v in ranked if v.term != term][:MAX_RELATIVES]

    def near(self, words: Iterable[str]) -> list[VocabularyTerm]:
        """Terms of words one edit from any of these, the commonest first."""
        found = {
            near.term: near
            for word in words
            for near in self._snapshot.terms(near=word, scope=self._scope, filters=self._filters)
        }
        ranked = sorted(found.values(), key=lambda v: (-v.passages, v.term))
        return ranked[:MAX_RELATIVES]


def build_query(
    text: str,
    *,
    snapshot: Snapshot,
    scope: Scope,
    filters: Filters,
    synonyms: Synonyms | None = None,
    pair_weight: float = PAIR_WEIGHT,
) -> Query:
    """Understands a query, with the words that a dictionary adds; a ``pair_weight`` of 0 asks
    for no word pairs. Raises ``UsageError`` where there is no text at all; punctuation alone
    gives an empty query, which finds nothing."""
    if not text.strip():
        raise UsageError('The query is empty: write what to look for, for example "payment terms".')
    if not encodable(text):
        raise UsageError("The query is not valid Unicode; give it in UTF-8.")
    notes: list[str] = []
    if len(text) > MAX_TEXT:
        notes.append(f"only the first {MAX_TEXT:,} of {len(text):,} characters were read")
        text = text[:MAX_TEXT]
    within = _InScope(snapshot, scope, filters)
    languages = within.languages(text)
    found = compounds(text)
    function = _function_words(found, languages)
    units = _units(found, function, languages, within)
    units, left_out = _bounded(units, within)
    if left_out:
        notes.append(f"{left_out} more common or later words were left out ({MAX_WORDS} are kept)")

    added = _added(synonyms, found, units, languages, within) if synonyms else None
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
        if literal := _literal(unit, within, function):
            exact.append(TermGroup(alternatives=literal))
        if unit.expandable and expanded < MAX_EXPANDED and within.rare(alternatives):
            expanded += 1
            relatives, spellings = _relatives(unit, within)
            alternatives = (*alternatives, *relatives)
            if number not in beside:  # a word of the dictionary is not misspelt
                suggestions.extend(spellings)
        alternatives = _distinct((*alternatives, *beside.get(number, ())))
        groups.append(TermGroup(alternatives=alternatives, counted=unit.counted))
        lines.append(_line(unit.written, alternatives))
    if added is not None:
        groups += added.groups
        lines += [_line(label, _distinct(terms)) for label, terms in added.shown]
    pair_groups = _pair_groups(found, units, languages, pair_weight) if pair_weight else []
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
        languages=_languages_of(found, languages),
    )


# --- words ---------------------------------------------------------------------------------


def _function_words(found: list[Compound], languages: tuple[str, ...]) -> frozenset[str]:
    """The function words of the language that the query seems to be in, in each script."""
    function: set[str] = set()
    written = [compound.written.casefold() for compound in found]
    for script in dict.fromkeys((*map(script_of_language, languages), "latin", "cyrillic")):
        own = tuple(name for name in languages if script_of_language(name) == script)
        default = SCRIPT_DEFAULT[script] if not own or SCRIPT_DEFAULT[script] in own else own[0]
        candidates = tuple(dict.fromkeys((*own, SCRIPT_DEFAULT[script])))
        function |= folded_function_words(vote(written, candidates, default))
    return frozenset(function)


def _units(
    found: list[Compound], function: frozenset[str], languages: tuple[str, ...], within: _InScope
) -> list[_Unit]:
    """One unit for each distinct thing that was asked for, in order."""
    shouted = not any(character.islower() for compound in found for character in compound.written)
    units: dict[str, _Unit] = {}
    function_units: dict[str, _Unit] = {}
    position = 0
    for compound in found:
        positions = range(position, position + len(compound.words))
        position = positions.stop
        for unit in _compound_units(compound, positions, languages, within):
            acronym = len(unit.written) > 1 and unit.written.isupper() and not shouted
            ordinary = unit.folded in function and not acronym
            kept = function_units if ordinary else units
            key = unit.folded or unit.written
            known = kept.get(key)
            if known is not None:
                unit = _Unit(
                    written=known.written,
                    alternatives=known.alternatives,
                    counted=known.counted,
                    expandable=known.expandable,
                    folded=known.folded,
                    positions=known.positions + unit.positions,
                )
            kept[key] = unit
    return list((units or function_units).values())


def _compound_units(
    compound: Compound, positions: range, languages: tuple[str, ...], within: _InScope
) -> list[_Unit]:
    words = [
        _word(word, compound, position, languages)
        for word, position in zip(compound.words, positions, strict=True)
    ]
    if not compound.identifiers:
        return words
    if _HYPHENATED.fullmatch(compound.written):
        whole = Alternative(
            kind="identifier", term=compound.identifiers[0], weight=HYPHENATED_WEIGHT
        )
        return [*words, _Unit(written=compound.written, alternatives=(whole,), counted=False)]
    wholes = [Alternative(kind="identifier", term=name) for name in compound.identifiers]
    camel = compound.written.isalnum()
    if camel:
        # GitHub is also written github: then it is a word.
        wholes += [Alternative(kind="word", term=t) for t in stems(wholes[0].term, languages)]
    known = next((number for number, whole in enumerate(wholes) if within.count(whole)), None)
    if known is None:
        return words
    alternatives = [
        Alternative(
            kind=whole.kind,
            term=whole.term,
            weight=1.0 if camel else WHOLE_WEIGHT if number <= known else SEGMENT_WEIGHT,
        )
        for number, whole in enumerate(wholes)
    ]
    for language in languages:
        terms = [stem(word, language) for word in compound.words]
        alternatives += [
            Alternative(kind="pair", term=f"{left}{PAIR_SEPARATOR}{right}", weight=CODE_PAIR_WEIGHT)
            for left, right in itertools.pairwise(terms)
        ]
        alternatives += [Alternative(kind="word", term=t, weight=PART_WEIGHT) for t in terms]
    return [
        _Unit(
            written=compound.written,
            alternatives=_distinct(alternatives),
            positions=tuple(positions),
        )
    ]


def _word(word: str, compound: Compound, position: int, languages: tuple[str, ...]) -> _Unit:
    alternatives = [Alternative(kind="word", term=term) for term in stems(word, languages)]
    if word.isalpha() and len(word) >= MIN_RELATIVE and script_of(word) != "other":
        # javascript in a query is JavaScript in most texts.
        alternatives.append(Alternative(kind="identifier", term=word))
    whole = len(compound.words) == 1
    return _Unit(
        written=compound.written if whole else word,
        alternatives=tuple(alternatives),
        expandable=not word.isdigit(),
        folded=word,
        positions=(position,),
    )


def _bounded(units: list[_Unit], within: _InScope) -> tuple[list[_Unit], int]:
    """The units that are asked for, and the number of those that are not: of too many, the
    rarest of the first that occur at all."""
    if len(units) <= MAX_WORDS:
        return units, 0
    counts = [within.most(unit.alternatives, None) for unit in units[:MAX_CONSIDERED]]
    ranked = sorted(range(len(counts)), key=lambda n: (counts[n] == 0, counts[n], n))
    return [units[n] for n in sorted(ranked[:MAX_WORDS])], len(units) - MAX_WORDS


def _literal(unit: _Unit, within: _InScope, function: frozenset[str]) -> tuple[Alternative, ...]:
    """What a passage holds that holds a code as it is written, or a rare name; empty for words
    that are neither."""
    if not unit.counted or unit.folded in function:
        return ()
    # What is made of a code is not expandable; a word's identifier is only another spelling.
    whole = tuple(one for one in unit.alternatives if one.weight >= 1.0)
    if not unit.expandable and any(one.kind == "identifier" for one in whole):
        return whole
    # A name of its own: written with a capital, where the script has them, and known to few
    # passages.
    first = unit.written[:1]
    if (
        (first.isupper() or (first.upper() == first.lower() and first.isalpha()))
        and within.most(unit.alternatives)
        and within.rare(unit.alternatives)
    ):
        return unit.alternatives
    return ()


def _languages_of(found: list[Compound], languages: tuple[str, ...]) -> frozenset[str]:
    """The languages that the words of a query may be in: the one whose function words they
    have, else all that the library holds in their script. Codes are in no language."""
    words = [word for one in found if not one.identifiers for word in one.words]
    scripts = Counter(script_of(word) for word in words if word.isalpha())
    if not scripts:
        return frozenset()
    script = scripts.most_common(1)[0][0]
    own = tuple(name for name in languages if script_of_language(name) == script)
    voted = vote([word for word in words if script_of(word) == script], own, "") if own else ""
    if voted:
        return frozenset({voted})
    return frozenset(own) or frozenset({detect_language(" ".join(words))})


# --- synonyms ------------------------------------------------------------------------------


def _added(
    synonyms: Synonyms,
    found: list[Compound],
    units: list[_Unit],
    languages: tuple[str, ...],
    within: _InScope,
) -> Added:
    """What the dictionary adds to the words that are asked for."""
    from wellread.expand import Part, Understood, expand

    words = [word for compound in found for word in compound.words]
    asked = {position: number for number, unit in enumerate(units) for position in unit.positions}

    def understand(text: str) -> Understood:
        found = compounds(text)
        parts = _units(found, _function_words(found, languages), languages, within)
        return Understood(
            parts=[Part(part.folded or part.written, part.alternatives) for part in parts],
            whole=_whole(_pair_groups(found, parts, languages, PAIR_WEIGHT), parts, within),
        )

    return expand(
        synonyms.find(words, asked, languages),
        asked=asked,
        written=frozenset(a.term for unit in units for a in unit.alternatives if a.kind == "word"),
        understand=understand,
    )


def _whole(
    pair_groups: list[TermGroup], parts: list[_Unit], within: _InScope
) -> tuple[Alternative, ...]:
    """What stands for several words together: the rarest of their pairs that is there."""
    if len(parts) == 1:
        return parts[0].alternatives
    counted = [
        (within.most(group.alternatives, None), number) for number, group in enumerate(pair_groups)
    ]
    present = [pair for pair in counted if pair[0]]
    return pair_groups[min(present)[1]].alternatives if present else ()


# --- relatives -----------------------------------------------------------------------------


def _relatives(unit: _Unit, within: _InScope) -> tuple[list[Alternative], list[str]]:
    """Longer words and spellings one edit away that exist in scope, and the spellings to
    suggest where the word itself does not exist."""
    unknown = within.most(unit.alternatives) == 0
    longer_weight, near_weight = UNKNOWN_WEIGHTS if unknown else RARE_WEIGHTS
    own = [a.term for a in unit.alternatives if a.kind == "word"]
    has_digit = any(character.isdigit() for character in unit.folded)
    unspaced = script_of(unit.folded) == "other"
    relatives: dict[str, Alternative] = {}
    spellings: list[str] = []
    for term in own:
        if len(term) >= MIN_RELATIVE or (unspaced and len(term) == 1):
            for longer in within.longer(term):
                relatives.setdefault(
                    longer, Alternative(kind="word", term=longer, weight=longer_weight)
                )
    # A slip may be in the ending, which the stem does not have, or the ending may be another.
    slips = [] if has_digit or unspaced else dict.fromkeys([*own, unit.folded])
    for near in within.near(word for word in slips if len(word) >= MIN_RELATIVE):
        if near.term not in own and not any(character.isdigit() for character in near.term):
            alternative = Alternative(kind="word", term=near.term, weight=near_weight)
            relatives.setdefault(near.term, alternative)
            if unknown:
                spellings.append(_readable(near, unit.folded))
    return [a for a in relatives.values() if a.term not in own], spellings[:MAX_RELATIVES]


def _readable(near: VocabularyTerm, word: str) -> str:
    """A spelling to suggest: the word that was found, or else its term with the ending of the
    word that was written (``custom`` as ``customer`` for ``cusotmer``)."""
    if near.word and near.word != near.term:
        return near.word
    language = language_for(script_of(near.term), "en")
    endings = (word[at:] for at in range(len(near.term), len(word)))
    fitting = (near.term + end for end in endings if stem(near.term + end, language) == near.term)
    return next(fitting, near.term)


# --- pairs and phrases ---------------------------------------------------------------------


def _pair_groups(
    found: list[Compound], units: list[_Unit], languages: tuple[str, ...], weight: float
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


def _distinct(alternatives: Iterable[Alternative]) -> tuple[Alternative, ...]:
    """Each term once, at its largest weight, in order."""
    best: dict[tuple[str, str], Alternative] = {}
    for alternative in alternatives:
        key = (alternative.kind, alternative.term)
        if key not in best or best[key].weight < alternative.weight:
            best[key] = alternative
    return tuple(best.values())


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

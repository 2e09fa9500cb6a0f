"""The words of a query: each distinct thing asked for, and the terms that may stand for it."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from wellread.languages import (
    SCRIPT_DEFAULT,
    detect_language,
    script_of,
    script_of_language,
    vote,
)
from wellread.lookups import Lookups
from wellread.stems import PAIR_SEPARATOR, folded_function_words, stem, stems
from wellread.steps import QueryWeights
from wellread.store.base import Alternative
from wellread.terms import Compound

MIN_RELATIVE = 4
"""Letters of a stem from which it has relatives: shorter ones are near too much else."""

MAX_CONSIDERED = 256
"""Distinct words whose rarity is looked up when there are too many: about 0.1 ms each."""

MAX_WORDS = 64
"""Distinct words that are asked for. The longest of 2,965 judged questions has 37."""

_HYPHENATED = re.compile(r"[^\W\d_]+(?:[-‐‑‒–/&][^\W\d_]+)+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """One group in the making: what was written, and the terms that may stand for it."""

    written: str
    alternatives: tuple[Alternative, ...]
    counted: bool = True
    expandable: bool = False
    folded: str = ""
    positions: tuple[int, ...] = ()


def query_function_words(found: list[Compound], languages: tuple[str, ...]) -> frozenset[str]:
    """The function words of the language that the query seems to be in, in each script."""
    function: set[str] = set()
    written = [compound.written.casefold() for compound in found]
    for script in dict.fromkeys((*map(script_of_language, languages), "latin", "cyrillic")):
        own = tuple(name for name in languages if script_of_language(name) == script)
        default = SCRIPT_DEFAULT[script] if not own or SCRIPT_DEFAULT[script] in own else own[0]
        candidates = tuple(dict.fromkeys((*own, SCRIPT_DEFAULT[script])))
        function |= folded_function_words(vote(written, candidates, default))
    return frozenset(function)


def units_of(
    found: list[Compound],
    function: frozenset[str],
    languages: tuple[str, ...],
    within: Lookups,
    weights: QueryWeights,
) -> list[Unit]:
    """One unit for each distinct thing that was asked for, in order."""
    shouted = not any(character.islower() for compound in found for character in compound.written)
    units: dict[str, Unit] = {}
    function_units: dict[str, Unit] = {}
    position = 0
    for compound in found:
        positions = range(position, position + len(compound.words))
        position = positions.stop
        for unit in _compound_units(compound, positions, languages, within, weights):
            acronym = len(unit.written) > 1 and unit.written.isupper() and not shouted
            ordinary = unit.folded in function and not acronym
            kept = function_units if ordinary else units
            key = unit.folded or unit.written
            known = kept.get(key)
            if known is not None:
                unit = Unit(
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
    compound: Compound,
    positions: range,
    languages: tuple[str, ...],
    within: Lookups,
    weights: QueryWeights,
) -> list[Unit]:
    words = [
        _word(word, compound, position, languages)
        for word, position in zip(compound.words, positions, strict=True)
    ]
    if not compound.identifiers:
        return words
    if _HYPHENATED.fullmatch(compound.written):
        whole = Alternative(
            kind="identifier", term=compound.identifiers[0], weight=weights.hyphenated
        )
        return [*words, Unit(written=compound.written, alternatives=(whole,), counted=False)]
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
            weight=1.0 if camel else weights.code if number <= known else weights.segment,
        )
        for number, whole in enumerate(wholes)
    ]
    for language in languages:
        terms = [stem(word, language) for word in compound.words]
        alternatives += [
            Alternative(
                kind="pair", term=f"{left}{PAIR_SEPARATOR}{right}", weight=weights.code_pair
            )
            for left, right in itertools.pairwise(terms)
        ]
        alternatives += [Alternative(kind="word", term=t, weight=weights.part) for t in terms]
    return [
        Unit(
            written=compound.written,
            alternatives=distinct(alternatives),
            positions=tuple(positions),
        )
    ]


def _word(word: str, compound: Compound, position: int, languages: tuple[str, ...]) -> Unit:
    alternatives = [Alternative(kind="word", term=term) for term in stems(word, languages)]
    if word.isalpha() and len(word) >= MIN_RELATIVE and script_of(word) != "other":
        # javascript in a query is JavaScript in most texts.
        alternatives.append(Alternative(kind="identifier", term=word))
    whole = len(compound.words) == 1
    return Unit(
        written=compound.written if whole else word,
        alternatives=tuple(alternatives),
        expandable=not word.isdigit(),
        folded=word,
        positions=(position,),
    )


def bounded(units: list[Unit], within: Lookups) -> tuple[list[Unit], int]:
    """The units that are asked for, and the number of those that are not: of too many, the
    rarest of the first that occur at all."""
    if len(units) <= MAX_WORDS:
        return units, 0
    counts = [within.most(unit.alternatives, None) for unit in units[:MAX_CONSIDERED]]
    ranked = sorted(range(len(counts)), key=lambda n: (counts[n] == 0, counts[n], n))
    return [units[n] for n in sorted(ranked[:MAX_WORDS])], len(units) - MAX_WORDS


def literal(unit: Unit, within: Lookups, function: frozenset[str]) -> tuple[Alternative, ...]:
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


def languages_of(found: list[Compound], languages: tuple[str, ...]) -> frozenset[str]:
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


def distinct(alternatives: Iterable[Alternative]) -> tuple[Alternative, ...]:
    """Each term once, at its largest weight, in order."""
    best: dict[tuple[str, str], Alternative] = {}
    for alternative in alternatives:
        key = (alternative.kind, alternative.term)
        if key not in best or best[key].weight < alternative.weight:
            best[key] = alternative
    return tuple(best.values())

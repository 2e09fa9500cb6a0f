"""Relatives of a word that is unknown or rare in scope: longer ones, and those one edit away."""

from __future__ import annotations

from wellread.languages import language_for, script_of
from wellread.lookups import MAX_RELATIVES, Lookups
from wellread.query_words import MIN_RELATIVE, Unit
from wellread.stems import stem
from wellread.steps import QueryWeights
from wellread.store.base import Alternative, VocabularyTerm


def relatives(
    unit: Unit, within: Lookups, weights: QueryWeights
) -> tuple[list[Alternative], list[str]]:
    """Longer words and spellings one edit away that exist in scope, and the spellings to
    suggest where the word itself does not exist."""
    unknown = within.most(unit.alternatives) == 0
    longer_weight, near_weight = (
        (weights.longer, weights.near) if unknown else (weights.longer_rare, weights.near_rare)
    )
    own = [a.term for a in unit.alternatives if a.kind == "word"]
    has_digit = any(character.isdigit() for character in unit.folded)
    unspaced = script_of(unit.folded) == "other"
    found: dict[str, Alternative] = {}
    spellings: list[str] = []
    for term in own:
        if len(term) >= MIN_RELATIVE or (unspaced and len(term) == 1):
            for longer in within.longer(term):
                found.setdefault(
                    longer, Alternative(kind="word", term=longer, weight=longer_weight)
                )
    # A slip may be in the ending, which the stem does not have, or the ending may be another.
    slips = [] if has_digit or unspaced else dict.fromkeys([*own, unit.folded])
    for near in within.near(word for word in slips if len(word) >= MIN_RELATIVE):
        if near.term not in own and not any(character.isdigit() for character in near.term):
            alternative = Alternative(kind="word", term=near.term, weight=near_weight)
            found.setdefault(near.term, alternative)
            if unknown:
                spellings.append(_readable(near, unit.folded))
    return [a for a in found.values() if a.term not in own], spellings[:MAX_RELATIVES]


def _readable(near: VocabularyTerm, word: str) -> str:
    """A spelling to suggest: the word that was found, or else its term with the ending of the
    word that was written (``custom`` as ``customer`` for ``cusotmer``)."""
    if near.word and near.word != near.term:
        return near.word
    language = language_for(script_of(near.term), "en")
    endings = (word[at:] for at in range(len(near.term), len(word)))
    fitting = (near.term + end for end in endings if stem(near.term + end, language) == near.term)
    return next(fitting, near.term)

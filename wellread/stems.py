"""Folded words to terms: Snowball stems, the terms of function words, pairs of neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise

import Stemmer

from wellread.folding import fold
from wellread.languages import (
    SCRIPT_DEFAULT,
    SNOWBALL,
    function_words,
    language_for,
    script_of,
    script_of_language,
)

MAX_WORD = 64
"""Characters of a word that are kept. Longer runs are encoded data; the longest word of
scale-docs-18k that a person would type has 58."""

PAIR_SEPARATOR = "_"
"""Joins the words of a pair; no word holds it, since it separates words."""


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """What cuts a folded word of the language's own script to its term."""
    algorithm = SNOWBALL.get(language)
    if algorithm is None or algorithm not in Stemmer.algorithms():
        return str
    # Our lexicon is the cache; Stemmer's own (10,000 words) would be looked up for nothing.
    once: Callable[[str], str] = Stemmer.Stemmer(algorithm, 0).stemWord
    if language != "ru":
        return once

    def to_the_end(word: str) -> str:
        # Кузнецов is cut to кузнец, Кузнецову only to кузнецов: cut again until nothing
        # gives, so that a surname is one term in all its cases.
        while (stem := once(word)) != word:
            word = stem
        return stem

    return to_the_end


def stem(word: str, language: str) -> str:
    """The term of a folded word in a document of a language, by the rules of its script."""
    return stemmer(language_for(script_of(word), language))(word[:MAX_WORD])


def stems(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """The distinct terms that a folded word has in documents of these languages."""
    return tuple(dict.fromkeys(stem(word, language) for language in languages))


@cache
def folded_function_words(language: str) -> frozenset[str]:
    """The folded function words of the language."""
    return frozenset(fold(word) for word in function_words(language))


@cache
def function_terms(language: str) -> frozenset[str]:
    """The terms of function words in a document of the language, other scripts included."""
    own = script_of_language(language)
    return frozenset(
        stem(word, language)
        for name in {language} | {v for k, v in SCRIPT_DEFAULT.items() if k != own}
        for word in folded_function_words(name)
    )


def content_terms(terms: Iterable[str], language: str) -> list[str]:
    """The terms that are not those of function words."""
    function = function_terms(language)
    return [term for term in terms if term not in function]


def pairs(terms: Iterable[str], language: str) -> list[str]:
    """Neighbouring content words as terms of their own; function words between are skipped."""
    content = content_terms(terms, language)
    return [f"{left}{PAIR_SEPARATOR}{right}" for left, right in pairwise(content)]

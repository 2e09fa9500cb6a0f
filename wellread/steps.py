"""Which steps retrieval takes: one value, so that an evaluation can leave a step out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wellread.store.base import Weights


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryWeights:
    """What the terms of a query count beside a word as it is written, which counts 1.

    ``pair`` is for neighbouring words together, ``synonym`` for what a dictionary adds, ``longer``
    and ``near`` for longer words and spellings one edit away where the word itself is nowhere in
    scope, and ``longer_rare`` and ``near_rare`` where it is there but rare: it was probably
    meant as written. ``hyphenated`` is for such a word kept whole, beside its parts.

    ``code`` is for an identifier as it is written, ``segment`` for what it holds where the
    whole is nowhere, ``code_pair`` and ``part`` for its words. The parts of a code must never
    outweigh the code itself: a part that stands five times in a title scores at most 2.2 times
    its idf, the code once in a long passage 0.45 times its own, larger, idf, and
    2.0 · 0.45 > 0.3 · 2.2.

    Measured: nDCG@10 with pairs at 0, .1, .2, .3: SciFact .689 .696 .696 .693, XQuAD-ru .961 .963
    .964 .964, deep-rag-gitlab (whole pages) .777 .802 .822 .825. Synonyms at .2, .3, .5, .7, 1:
    mean reciprocal rank of the example company .928 .933 .938 .938 .938 (.922 without); nDCG@10
    with wide groups of 30 common words, SciFact .704 .704 .706 .703 .697 (.703), XQuAD-en .974
    throughout (.974), XQuAD-ru .966 .966 .965 .965 .963 (.966). A hyphenated word kept whole at 1
    costs Cranfield .008.
    """

    pair: float = 0.2
    synonym: float = 0.5
    longer: float = 0.5
    near: float = 0.6
    longer_rare: float = 0.35
    near_rare: float = 0.25
    hyphenated: float = 0.5
    code: float = 2.0
    segment: float = 0.6
    code_pair: float = 0.5
    part: float = 0.3


PRESETS: Mapping[str, Weights] = {
    "5/3/1": Weights(),
    "3/2/1": Weights(title=3, heading=2),
    "8/4/1": Weights(title=8, heading=4),
    "1/1/1": Weights(title=1, heading=1),
}
"""How often a word of the title, of a heading and of the body counts, by name. docs/quality.md has
what they give; the first is what a library does."""

DEFAULT_WEIGHTS = PRESETS["5/3/1"]
DEFAULT_QUERY_WEIGHTS = QueryWeights()


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalSteps:
    """``weights`` hold for the index and take a build of their own; ``query`` are those of the
    terms of a query; ``synonyms`` says whether a query takes the words that the library's
    dictionary adds."""

    weights: Weights = DEFAULT_WEIGHTS
    query: QueryWeights = DEFAULT_QUERY_WEIGHTS
    synonyms: bool = True


DEFAULT_STEPS = RetrievalSteps()
"""What a library does unless it is told otherwise."""

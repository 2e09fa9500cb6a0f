"""Which steps retrieval takes: one value, so that an evaluation can leave a step out."""

from __future__ import annotations

from dataclasses import dataclass

from wellread.store.base import Weights

PAIR_WEIGHT = 0.2
"""nDCG@10 at 0, 0.1, 0.2, 0.3: SciFact .689 .696 .696 .693, XQuAD-ru .961 .963 .964 .964,
deep-rag-gitlab (whole pages) .777 .802 .822 .825."""

DEFAULT_WEIGHTS = Weights()


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalSteps:
    """``weights`` hold for the index and take a build of their own; ``pair_weight`` holds for
    a query, 0 asks for no word pairs; ``synonyms`` says whether a query takes the words that
    the library's dictionary adds."""

    weights: Weights = DEFAULT_WEIGHTS
    pair_weight: float = PAIR_WEIGHT
    synonyms: bool = True


DEFAULT_STEPS = RetrievalSteps()
"""What a library does unless it is told otherwise."""

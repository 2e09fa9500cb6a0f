"""The rungs of the ladder: which steps of retrieval are measured, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from wellread.config import Config
from wellread.rank import RRF_FUSED, RRF_K
from wellread.steps import DEFAULT_STEPS, QueryWeights, RetrievalSteps
from wellread.store.base import Weights

CONTEXT_LINE = "+ context line"
BY_SUM = "+ vectors, by the calibrated sum"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rung:
    """A configuration of the ladder: ``steps``, or ``None`` for the plain recipe; how
    ``vectors`` are put beside the words, and whether a model reads the first hits. ``missing``
    says why it cannot be measured here, where it cannot."""

    name: str
    about: str
    steps: RetrievalSteps | None
    vectors: Literal["", "rrf", "sum"] = ""
    rerank: bool = False
    missing: str = ""

    @property
    def words_alone(self) -> bool:
        """Whether it asks no model."""
        return not self.vectors and not self.rerank


def rungs(config: Config) -> tuple[Rung, ...]:
    """The steps in their order, each with all those before it; what the configuration lacks is
    said."""
    words = RetrievalSteps(
        weights=Weights(context=0, pairs=0), query=QueryWeights(pair=0), synonyms=False
    )
    pairs = RetrievalSteps(weights=Weights(context=0), synonyms=False)
    dictionary = config.synonyms is not None and config.synonyms.is_file()
    return (
        Rung(
            name="seed",
            about="the plain recipe: FTS5 bm25(…, 0, 5, 3, 1) over sections, OR, 8 hits",
            steps=None,
        ),
        Rung(name="bm25", about="our BM25 over passages: title, heading, body", steps=words),
        Rung(name="+ word pairs", about="neighbouring words as terms of their own", steps=pairs),
        Rung(
            name="+ synonyms",
            about="words of the house looked for under what the documents call them",
            steps=replace(pairs, synonyms=True),
            missing="" if dictionary else "There is no dictionary: see docs/synonyms.md.",
        ),
        Rung(
            name=CONTEXT_LINE,
            about="client, domain, aliases and tags as text of the passage",
            steps=DEFAULT_STEPS,
        ),
        *model_rungs(config, DEFAULT_STEPS),
    )


def model_rungs(config: Config, steps: RetrievalSteps) -> tuple[Rung, ...]:
    """The rungs that ask models, on top of these steps."""
    no_vectors = "" if config.embeddings else "[embeddings] names no model: see docs/vectors.md."
    no_reranker = "" if config.rerank else "[rerank] names no model: see docs/vectors.md."
    return (
        Rung(
            name="+ vectors, by ranks",
            about=f"reciprocal rank fusion, k = {RRF_K}, {RRF_FUSED} of each list",
            steps=steps,
            vectors="rrf",
            missing=no_vectors,
        ),
        Rung(
            name=BY_SUM,
            about=f"words count {config.lexical_share:g}, vectors the rest",
            steps=steps,
            vectors="sum",
            missing=no_vectors,
        ),
        Rung(
            name="+ reranker",
            about="a model reads the question with each of the first passages",
            steps=steps,
            vectors="sum" if config.embeddings else "",
            rerank=True,
            missing=no_reranker,
        ),
    )

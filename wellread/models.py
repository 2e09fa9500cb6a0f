"""The models of a configuration, made when first asked, and what stands in for one that fails."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from wellread.errors import ConfigError, MissingExtra, ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wellread.config import Config
    from wellread.embed import Embedder
    from wellread.ranking import Meaning
    from wellread.rerank import Reranker
    from wellread.store.base import QueryVector

KEPT = 256
"""Vectors of queries that are kept: further pages, and the same question again, need no model."""

UNUSABLE = (ConfigError, MissingExtra, ModelUnavailable)
"""What makes a search go on without a model, and say so."""


class Models:
    """What one library asks of models. Safe to share between threads; without a model in the
    configuration it is nothing, and imports nothing."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._guard = threading.Lock()
        self._embedder: Embedder | None = None
        self._reranker: Reranker | None = None
        self._vectors: OrderedDict[str, QueryVector] = OrderedDict()

    @property
    def name(self) -> str | None:
        """The model for vectors that is set, by the name that its vectors have."""
        if self.config.embeddings is None:
            return None
        from wellread.embed import name_of

        return name_of(self.config.embeddings)

    def meaning(self, text: str) -> Meaning | None:
        """A query's vector, or why there is none; ``None`` where no model is set."""
        settings = self.config.embeddings
        if settings is None:
            return None
        from wellread.embed import name_of
        from wellread.ranking import Meaning
        from wellread.store.snapshot import another_model
        from wellread.vectors import vectors_found

        # The model is asked only where it can help: making one takes a second or two.
        found = vectors_found(self.config.library)
        if found is None or not found.rows:
            note = "degraded: no passage has a vector yet; `wellread index` makes them."
            return Meaning(vector=None, note=note)
        if found.model != name_of(settings):
            problem = another_model(found.model, name_of(settings))
            return Meaning(vector=None, note=f"degraded: no vectors. {problem}")
        if not text.strip():
            return None  # which is told as an empty query
        try:
            vector = self._vector(text)
        except UNUSABLE as error:
            return Meaning(
                vector=None, note=f"degraded: these are the hits by words alone. {error}"
            )
        return Meaning(vector=vector, fusion=self.config.fusion, share=self.config.lexical_share)

    def reranker(self) -> Reranker | None:
        """The model that ranks anew, where one is set; one that cannot be had says so when it
        is asked."""
        settings = self.config.rerank
        if settings is None:
            return None
        with self._guard:
            if self._reranker is None:
                from wellread.rerank import reranker_of

                try:
                    self._reranker = reranker_of(settings)
                except UNUSABLE as error:
                    return _Unusable(str(error))
            return self._reranker

    def _vector(self, text: str) -> QueryVector:
        from wellread.store.base import QueryVector

        with self._guard:
            known = self._vectors.get(text)
            if known is not None:
                self._vectors.move_to_end(text)
                return known
            if self._embedder is None:
                from wellread.embed import embedder_of

                assert self.config.embeddings is not None
                self._embedder = embedder_of(self.config.embeddings)
            model = self._embedder
        vector = QueryVector(model=model.name, values=model.embed_query(text))
        with self._guard:
            self._vectors[text] = vector
            while len(self._vectors) > KEPT:
                self._vectors.popitem(last=False)
        return vector


class _Unusable:
    """Stands in for a reranker that cannot be made."""

    name = ""
    first = 1

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Says why there are none."""
        raise ModelUnavailable(self.reason)

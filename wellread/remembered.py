"""A model that is not asked twice: vectors that a library or an earlier measurement has are taken
from there, and what the others cost is timed."""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wellread.embed import EmbeddingSettings, embedder_of, name_of
from wellread.embedding import digest
from wellread.store import embeddings, journal

if TYPE_CHECKING:
    from wellread.embed import Embedder, Vectors

TIMED = 8
"""Passages, and queries, that a model is timed on where no more are new to it: some five seconds
of the slowest local one."""


class Remembered:
    """The model of ``settings``, made when first needed; an ``Embedder`` itself.

    ``known`` is a journal whose vectors are taken, the library's own, and is only read; ``kept``
    is one that also gets what is new, queries too, so that the next measurement finds it.
    ``make`` makes the model.
    """

    def __init__(
        self,
        settings: EmbeddingSettings,
        *,
        known: Path | None = None,
        kept: Path | None = None,
        make: Callable[[EmbeddingSettings], Embedder] = embedder_of,
    ) -> None:
        self.settings = settings
        self.name = name_of(settings)
        self.batch = settings.batch
        self._make = make
        self._model: Embedder | None = None
        self._kept = journal.open_journal(kept) if kept is not None else None
        self._journals = [] if self._kept is None else [self._kept]
        if known is not None and known.is_file():
            self._journals.append(sqlite3.connect(f"{known.absolute().as_uri()}?mode=ro", uri=True))
        self._queries: dict[str, Vectors] = {}
        self._document_seconds: list[float] = []
        self._query_seconds: list[float] = []

    def close(self) -> None:
        """Let go of the journals."""
        for one in self._journals:
            one.close()

    @property
    def model(self) -> Embedder:
        """The model itself. Raises what making it raises."""
        if self._model is None:
            self._model = self._make(self.settings)
        return self._model

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        stored = (embeddings.dimensions(one, self.name) for one in self._journals)
        return next(filter(None, stored), 0) or self.model.dimensions

    @property
    def embedded(self) -> int:
        """Passages that the model was asked for."""
        return len(self._document_seconds)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row for each text. Raises ``ModelUnavailable``."""
        hashes = [digest(text) for text in texts]
        found = self._stored(self.name, hashes)
        new = {one: text for one, text in zip(hashes, texts, strict=True) if one not in found}
        if new:
            started = time.perf_counter()
            rows = self.model.embed_documents(list(new.values()))
            each = (time.perf_counter() - started) / len(new)
            self._document_seconds += [each] * len(new)
            made = {one: _packed(row) for one, row in zip(new, rows, strict=True)}
            self._keep(self.name, made)
            found |= made
        return _rows([found[one] for one in hashes])

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query. Raises ``ModelUnavailable``."""
        if text not in self._queries:
            name, hashed = f"{self.name}, queries", digest(text)
            stored = self._stored(name, [hashed])
            if not stored:
                stored = {hashed: _packed(self._timed_query(text))}
                self._keep(name, stored)
            self._queries[text] = _rows([stored[hashed]])[0]
        return self._queries[text]

    def seconds_each(self, texts: Sequence[str]) -> float:
        """Seconds that the model takes for a passage: of those it was asked for, or of the
        first ``TIMED`` of these texts."""
        if len(self._document_seconds) >= TIMED:
            return statistics.fmean(self._document_seconds)
        sample = list(texts[:TIMED])
        if not sample:
            return 0.0
        self.model.embed_query(sample[0])  # what a model loads at its first text is no text's cost
        started = time.perf_counter()
        self.model.embed_documents(sample)
        return (time.perf_counter() - started) / len(sample)

    def query_milliseconds(self, texts: Sequence[str]) -> float:
        """The median milliseconds of a query's vector, timed on these texts where fewer than
        ``TIMED`` were new."""
        for text in texts[: max(0, TIMED + 1 - len(self._query_seconds))]:
            self._timed_query(text)
        return statistics.median(self._query_seconds[1:] or [0.0]) * 1000

    def _timed_query(self, text: str) -> Vectors:
        model = self.model
        started = time.perf_counter()
        vector = model.embed_query(text)
        self._query_seconds.append(time.perf_counter() - started)
        return vector

    def _stored(self, name: str, hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        for one in self._journals:
            missing = [hashed for hashed in hashes if hashed not in found]
            found |= embeddings.vectors(one, name, missing)
        return found

    def _keep(self, name: str, made: dict[bytes, bytes]) -> None:
        if self._kept is not None:
            embeddings.add(self._kept, name, list(made.items()))


def _packed(row: Vectors) -> bytes:
    return row.astype("float16").tobytes()


def _rows(packed: Sequence[bytes]) -> Vectors:
    import numpy as np

    return np.stack([np.frombuffer(one, dtype="float16") for one in packed]).astype("float32")

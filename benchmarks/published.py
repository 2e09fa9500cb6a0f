"""What others have published on the same collections, with where it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """nDCG@10 of a system on a collection, and its source."""

    collection: str
    system: str
    value: float
    source: str


BM25S = "Lù, BM25S: orders of magnitude faster lexical search via eager sparse scoring, 2024"
BREWING = "Kamalloo et al., Resources for Brewing BEIR, 2023 (BM25, flat)"
E5 = "Wang et al., Multilingual E5 Text Embeddings, 2024; results of the model in MTEB"
MTEB = "results of the model in MTEB"
BY_HAND = "the library bm25s run over the same paragraphs, outside this product"

PUBLISHED = (
    Published(collection="scifact", system="bm25s", value=0.687, source=BM25S),
    Published(collection="scifact", system="Anserini BM25", value=0.679, source=BREWING),
    Published(collection="scifact", system="multilingual-e5-small", value=0.676, source=E5),
    Published(collection="scifact", system="bge-small-en", value=0.713, source=MTEB),
    Published(collection="scifact", system="bge-base-en", value=0.741, source=MTEB),
    Published(
        collection="cranfield",
        system="bm25s with a Snowball stemmer",
        value=0.373,
        source="the library bm25s run over the same abstracts, outside this product",
    ),
    Published(collection="xquad-en", system="bm25s", value=0.965, source=BY_HAND),
    Published(collection="xquad-ru", system="BM25 without a stemmer", value=0.871, source=BY_HAND),
    Published(
        collection="xquad-ru", system="BM25 with a Russian stemmer", value=0.953, source=BY_HAND
    ),
    Published(collection="xquad-ru", system="bge-m3", value=0.960, source=MTEB),
)

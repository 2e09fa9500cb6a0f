"""Where the libraries of a ladder are built: in a temporary folder, one for each set of weights."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Literal

from wellread.audit import Audit
from wellread.config import Config
from wellread.embedding import EmbeddingPass, EmbeddingProgress, everything, texts_of
from wellread.errors import ConfigError, MissingExtra, ModelUnavailable, VectorsRefused
from wellread.evaluate import LibrarySearcher, Searcher, library_facts
from wellread.library import Library
from wellread.questions import Question
from wellread.remembered import TIMED, Remembered
from wellread.rerank import reranker_of
from wellread.rungs import Rung
from wellread.seed import Seed, sections_of
from wellread.steps import RetrievalSteps
from wellread.store import journal
from wellread.store.base import Weights
from wellread.store.embedded import EmbeddedStore

WARM_UP = 5.0
"""Seconds: a shorter first build is repeated, since what a process loads at its first (0.2 s) is no
step's cost."""

CANNOT = (ConfigError, MissingExtra, ModelUnavailable, VectorsRefused)
"""What leaves a rung out that asks a model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VectorCost:
    """What vectors cost: ``passages`` that have one, ``embedded`` of them now, the others' were
    there; ``seconds`` for all of them at the pace that was timed; bytes on ``disk``; the median
    ``milliseconds`` of a query's own vector."""

    passages: int
    embedded: int
    seconds: float
    disk: int
    milliseconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Built:
    """What a rung asks, the seconds that its index took, and its bytes; ``vectors`` as in
    ``Cost``."""

    searcher: Searcher
    library: Library
    seconds: float
    disk: int
    vectors: VectorCost | None = None


class Workshop:
    """Where the indexes of a ladder are built: one for each set of weights."""

    def __init__(
        self,
        config: Config,
        folder: Path,
        today: date,
        opened: ExitStack,
        embedding: Callable[[EmbeddingProgress], None] | None = None,
        model: Remembered | None = None,
    ) -> None:
        self.config = config
        self.folder = folder
        self.today = today
        self.opened = opened
        self.embedding = embedding
        self.model = model
        self.built: dict[Weights, tuple[Path, float]] = {}
        self.vectors: dict[Path, VectorCost] = {}
        self.problem: Exception | None = None
        self.audit = Audit(acls={})

    def build(self, rung: Rung, questions: Sequence[Question]) -> Built | None:
        """What a rung asks, with its costs; ``None`` where something is missing. Raises what is
        in ``CANNOT`` where a model cannot be had."""
        if rung.missing:
            return None
        if rung.steps is None:
            return self._seed()
        path, seconds = self._index(rung.steps)
        if rung.rerank and self.config.rerank is not None:
            reranker_of(self.config.rerank)  # one that cannot be had is no rung
        cost = self._embed(path, questions) if rung.vectors else None
        library = self._open(path, rung.steps, vectors=rung.vectors, rerank=rung.rerank)
        return Built(
            searcher=LibrarySearcher(library, self.today),
            library=library,
            seconds=seconds + (cost.seconds if cost else 0.0),
            disk=size_of(path),
            vectors=cost,
        )

    def _seed(self) -> Built:
        steps = RetrievalSteps(weights=Weights(context=0, pairs=0))
        path, _ = self._index(steps)
        library = self._open(path, steps)
        file = self.folder / "seed.db"
        started = time.perf_counter()
        seed = Seed(file, sections_of(library), self.audit)
        seconds = time.perf_counter() - started
        self.opened.callback(seed.close)
        disk = file.stat().st_size // 2  # two tables, of which a house has one
        return Built(searcher=seed, library=library, seconds=seconds, disk=disk)

    def _index(self, steps: RetrievalSteps) -> tuple[Path, float]:
        if steps.weights not in self.built:
            path = self.folder / str(len(self.built))
            library = self._open(path, steps)
            started = time.perf_counter()
            library.index()
            seconds = time.perf_counter() - started
            if not self.built and seconds < WARM_UP:
                started = time.perf_counter()
                library.index(full=True)
                seconds = time.perf_counter() - started
            self.built[steps.weights] = path, seconds
            self.audit = library_facts(library)[0]
        return self.built[steps.weights]

    def _embed(self, path: Path, questions: Sequence[Question]) -> VectorCost:
        """Vectors of all passages and questions, from what is known and else by the model."""
        if self.problem is not None:
            raise self.problem  # an endpoint that is out is not waited for twice
        if path not in self.vectors:
            try:
                self.vectors[path] = self._embedded(path, questions)
            except CANNOT as error:
                self.problem = error
                raise
        return self.vectors[path]

    def _embedded(self, path: Path, questions: Sequence[Question]) -> VectorCost:
        model = self._model()
        before = size_of(path), model.embedded
        run = EmbeddingPass(
            path, model.settings, progress=self.embedding, embedder=lambda _: model
        ).run()
        texts = [question.text for question in questions]
        for text in texts:
            model.embed_query(text)
        return VectorCost(
            passages=run.known,
            embedded=model.embedded - before[1],
            seconds=model.seconds_each(sample_of(path)) * run.known,
            disk=size_of(path) - before[0],
            milliseconds=model.query_milliseconds(texts),
        )

    def _model(self) -> Remembered:
        if self.model is None:
            assert self.config.embeddings is not None
            self.model = Remembered(
                self.config.embeddings, known=self.config.library / journal.FILE
            )
            self.opened.callback(self.model.close)
        return self.model

    def _open(
        self,
        path: Path,
        steps: RetrievalSteps,
        *,
        vectors: Literal["", "rrf", "sum"] = "",
        rerank: bool = False,
    ) -> Library:
        config = replace(
            self.config,
            library=path,
            trace=False,
            embeddings=self.config.embeddings if vectors else None,
            fusion=vectors or "sum",
            rerank=self.config.rerank if rerank else None,
        )
        library = Library(config, steps=steps, embedder=self.model if vectors else None)
        return self.opened.enter_context(library)


def sample_of(library: Path) -> list[str]:
    """Texts of passages that a model is timed on: the first of documents spread evenly."""
    with closing(EmbeddedStore(library)) as store, store.snapshot() as snapshot:
        scope = everything(snapshot)
        documents = list(dict.fromkeys(row.document_id for row in snapshot.catalog.passage_rows()))
        texts = (
            next(texts_of(snapshot, one, scope), None)
            for one in documents[:: max(1, len(documents) // TIMED)]
        )
        return [found[1] for found in texts if found is not None]


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())

"""A model that reads the query with each of the first passages and puts them in order anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Literal, Protocol

from wellread.embed import fetched, imported
from wellread.errors import ConfigError, ModelUnavailable

RerankProvider = Literal["endpoint", "sentence-transformers", "fastembed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RerankSettings:
    """``[rerank]`` of the configuration; ``key`` is the secret itself and is never shown.
    ``seconds`` is the time limit of one call."""

    provider: RerankProvider
    model: str = ""
    endpoint: str | None = None
    key: str | None = field(default=None, repr=False)
    first: int = 40
    seconds: float = 2.0
    download: bool = False


class Reranker(Protocol):
    """A model that says how well each text answers a query. ``first`` is how many it is given."""

    name: str
    first: int

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A number from 0 to 1 for each text. Raises ``ModelUnavailable`` where the model fails
        or takes longer than its time limit."""
        ...


def reranker_of(settings: RerankSettings) -> Reranker:
    """The model that a configuration names. Raises ``MissingExtra``, ``ConfigError``, and
    ``ModelUnavailable`` where it would have to be downloaded."""
    if not settings.model:
        raise ConfigError(
            f"[rerank] provider {settings.provider!r} needs a model: write model = "
            '"…", for example BAAI/bge-reranker-base, or rerank-v3.5 of an endpoint'
        )
    match settings.provider:
        case "endpoint":
            return RerankEndpoint(settings)
        case "sentence-transformers":
            return CrossEncoder(settings)
        case "fastembed":
            return FastEmbedCrossEncoder(settings)


class RerankEndpoint:
    """``POST /v1/rerank`` as Cohere and Jina (``results``) and Voyage (``data``) serve it."""

    def __init__(self, settings: RerankSettings) -> None:
        from wellread.endpoint import Endpoint

        if settings.endpoint is None:
            raise ConfigError(
                "[rerank] endpoint is not set: write the address of the model, for example "
                'endpoint = "https://api.cohere.com/v2/rerank"'
            )
        self.settings = settings
        self.name = f"{settings.provider}/{settings.model}"
        self.first = settings.first
        self._endpoint = Endpoint(settings.endpoint, key=settings.key, extra="rerank")

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A number for each text; one that the answer leaves out has 0."""
        body = {"model": self.settings.model, "query": query, "documents": list(texts)}
        answer = self._endpoint.post(body, within=self.settings.seconds, tries=1)
        written = answer.get("results", answer.get("data"))
        found = [0.0] * len(texts)
        known = 0
        for item in written if isinstance(written, list) else ():
            index = item.get("index") if isinstance(item, dict) else None
            score = item.get("relevance_score") if isinstance(item, dict) else None
            if (
                isinstance(index, int)
                and 0 <= index < len(texts)
                and isinstance(score, int | float)
            ):
                # Voyage and Cohere give shares; where a server gives logits, they become shares.
                found[index] = float(score)
                known += 1
        if not known and texts:
            raise ModelUnavailable(f"{self.settings.endpoint} answered without a score.")
        return as_shares(found)


class _InThread:
    """A model in this process, whose time limit is kept by not waiting any longer."""

    def __init__(self, settings: RerankSettings) -> None:
        self.settings = settings
        self.name = f"{settings.provider}/{settings.model}"
        self.first = settings.first
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="wellread-rerank")
        self._last: Future[list[float]] | None = None
        self._guard = Lock()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A number for each text."""
        with self._guard:
            if self._last is not None and not self._last.done():
                raise ModelUnavailable(f"{self.name} is still busy with an earlier query.")
            self._last = last = self._thread.submit(self._ranked, query, list(texts))
        try:
            return as_shares(last.result(self.settings.seconds))
        except OutOfTime:
            raise ModelUnavailable(
                f"{self.name} was not done within {self.settings.seconds:g} seconds."
            ) from None
        except (RuntimeError, ValueError, OSError) as error:
            raise ModelUnavailable(f"{self.name} failed: {error}") from error

    def _ranked(self, query: str, texts: list[str]) -> list[float]:
        raise NotImplementedError


class CrossEncoder(_InThread):
    """A cross-encoder of ``sentence-transformers``, by its name or folder."""

    def __init__(self, settings: RerankSettings) -> None:
        super().__init__(settings)
        package = imported("sentence_transformers", "sentence-transformers")
        self._model = fetched(
            lambda: package.CrossEncoder(settings.model, local_files_only=not settings.download),
            settings.model,
            download=settings.download,
            table="rerank",
        )

    def _ranked(self, query: str, texts: list[str]) -> list[float]:
        found = self._model.predict([(query, text) for text in texts], show_progress_bar=False)
        return [float(score) for score in found]


class FastEmbedCrossEncoder(_InThread):
    """A cross-encoder of ``fastembed`` (ONNX, no torch), by its name."""

    def __init__(self, settings: RerankSettings) -> None:
        super().__init__(settings)
        package: Any = imported("fastembed.rerank.cross_encoder", "fastembed")
        self._model = fetched(
            lambda: package.TextCrossEncoder(
                model_name=settings.model, local_files_only=not settings.download
            ),
            settings.model,
            download=settings.download,
            table="rerank",
        )

    def _ranked(self, query: str, texts: list[str]) -> list[float]:
        rank: Callable[[str, list[str]], Any] = self._model.rerank
        return [float(score) for score in rank(query, texts)]


def as_shares(scores: Sequence[float]) -> list[float]:
    """Scores from 0 to 1: as they are where all lie there, else through the logistic function,
    as scores of models without one are logits."""
    if not all(math.isfinite(score) for score in scores):
        raise ModelUnavailable("the model for ranking answered with what is no number.")
    if all(0.0 <= score <= 1.0 for score in scores):
        return list(scores)
    return [0.5 * (1.0 + math.tanh(score / 2.0)) for score in scores]

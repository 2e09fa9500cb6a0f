"""The steps of retrieval, each measured against the one before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shelf import OWNER, TODAY, groups, library, page, scope_of
from wellread.audit import Audit
from wellread.evaluate import library_facts
from wellread.ladder import Ladder, Rung, climb, rungs
from wellread.library import Library
from wellread.questions import Question
from wellread.seed import Seed, expression, sections_of
from wellread.steps import QueryWeights, RetrievalSteps
from wellread.store.base import Weights
from wellread.types import Caller

FILES = {
    "offers/steel.md": page("# Offer\n\nPrices hold for a month.", client="Northern Steel"),
    "offers/wood.md": page("# Offer\n\nPrices hold for a week."),
    "hr/pay.md": page("# Pay\n\nWages are paid monthly, prices are not.", access="[hr]"),
    "ru/leave.md": page("# Отпуск\n\nСотрудникам положено двадцать дней отпуска."),
}
QUESTIONS = (
    Question(id="q1", text="northern steel", expect={"offers/steel.md": 3}, category="client"),
    Question(id="q2", text="prices for a week", expect={"offers/wood.md": 3}, category="text"),
    Question(id="q3", text="wages", expect={}, must_not_find=("hr/pay.md",), subject="boris"),
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    settings = groups({"ann": ["hr"], "boris": ["sales"]}) + "[index]\nworkers = 1\n"
    with library(tmp_path_factory.mktemp("ladder"), FILES, settings) as opened:
        yield opened


@pytest.fixture(scope="module")
def ladder(shelf: Library) -> Ladder:
    return climb(QUESTIONS, shelf.config, caller=OWNER, today=TODAY)


def test_the_first_step_is_the_plain_recipe_and_the_last_what_a_library_does(
    shelf: Library,
) -> None:
    first, *_, last = rungs(shelf.config)
    assert (first.name, first.steps) == ("seed", None)
    assert last.steps == RetrievalSteps()
    names = [rung.name for rung in rungs(shelf.config)]
    assert len(set(names)) == len(names)


def test_each_step_is_compared_with_the_one_before(ladder: Ladder) -> None:
    values = {step.rung.name: step.evaluation.means["success@5"] for step in ladder.steps}
    assert values["+ word pairs"] == 0.5
    assert [rung.name for rung in ladder.left_out] == ["+ synonyms"]
    assert values["+ context line"] == 1.0
    assert ladder.steps[0].changes == {}
    last = ladder.steps[-1].changes["success@5"]
    assert (last.mean, last.better, last.worse, last.questions) == (0.5, 1, 0, 2)


def test_every_step_has_its_costs_and_its_leak_rate(ladder: Ladder) -> None:
    for step in ladder.steps:
        assert step.cost.disk > 0
        assert step.cost.seconds > 0
        assert step.cost.milliseconds > 0
        assert step.evaluation.leak_rate == 0
        assert step.evaluation.clean_controls == 1


def test_a_ladder_leaves_the_library_and_its_folder_alone(shelf: Library) -> None:
    generation = shelf.scope(OWNER).generation
    before = sorted(shelf.config.library.iterdir())
    climb(QUESTIONS[:1], shelf.config, caller=OWNER, today=TODAY, table=rungs(shelf.config)[:2])
    assert sorted(shelf.config.library.iterdir()) == before
    assert shelf.scope(OWNER).generation == generation


def test_control_questions_alone_climb_without_a_difference_to_tell(shelf: Library) -> None:
    from wellread.report_eval import ladder_lines

    found = climb(
        QUESTIONS[2:], shelf.config, caller=OWNER, today=TODAY, table=rungs(shelf.config)[1:3]
    )
    assert [step.changes for step in found.steps] == [{}, {}]
    assert any("Costs: " in text for line in ladder_lines(found) for text, _ in line.spans)


def test_a_rung_that_lacks_something_is_left_out_and_said(shelf: Library) -> None:
    lacking = Rung(name="+ x", about="", steps=RetrievalSteps(), missing="Install it.")
    table = (*rungs(shelf.config)[1:2], lacking)
    found = climb(QUESTIONS[:2], shelf.config, caller=OWNER, today=TODAY, table=table)
    assert [step.rung.name for step in found.steps] == ["bm25"]
    assert found.left_out == (lacking,)


def test_a_dictionary_is_a_step_of_its_own(tmp_path: Path) -> None:
    files = {"a.md": page("# Unpaid leave\n\nAsk your lead."), "b.md": page("# Office\n\nDoors.")}
    (tmp_path / "synonyms.yaml").write_text("groups:\n  - [sabbatical, unpaid leave]\n")
    asked = Question(id="q1", text="sabbatical", expect={"a.md": 3})
    with library(tmp_path, files, "[index]\nworkers = 1\n") as opened:
        found = climb([asked], opened.config, caller=OWNER, today=TODAY)
    values = {step.rung.name: step.evaluation.means["success@5"] for step in found.steps}
    assert values == {
        "seed": 0,
        "bm25": 0,
        "+ word pairs": 0,
        "+ synonyms": 1,
        "+ context line": 1,
    }


@pytest.mark.parametrize("engine", ["tantivy", "fts5"])
def test_an_index_without_pairs_has_none_to_find(tmp_path: Path, engine: str) -> None:
    files = {"a.md": page("# A\n\nsteel service"), "b.md": page("# B\n\nservice of steel")}
    settings = f'[search]\nlexical = "{engine}"\n'
    opened = library(tmp_path, files, settings)

    def scores(steps: RetrievalSteps) -> dict[str, float]:
        with Library(opened.config, steps=steps) as measured:
            measured.index(full=True)
            result = measured.search("steel service", scope=scope_of(measured), today=TODAY)
        return {hit.path: hit.score for hit in result.hits}

    plain = scores(RetrievalSteps(weights=Weights(pairs=0)))
    asked_for_none = scores(RetrievalSteps(query=QueryWeights(pair=0)))
    with_pairs = scores(RetrievalSteps())
    # FTS5 counts pairs into the length of a row.
    assert plain == pytest.approx(asked_for_none, rel=0.05 if engine == "fts5" else 1e-6)
    assert with_pairs["a.md"] > plain["a.md"]
    assert with_pairs["b.md"] == pytest.approx(plain["b.md"], rel=0.05)


# --- the plain recipe ------------------------------------------------------------------------


def test_words_of_the_recipe_are_joined_with_or_and_russian_ones_cut() -> None:
    assert expression("day off?", "en") == '"day" OR "off"'
    assert expression("отпуска VPN", "ru") == '"отпус"* OR "VPN"'
    assert expression("дом", "ru") == '"дом"*'
    assert expression("?!", "en") == ""


@pytest.fixture
def seed(shelf: Library, tmp_path: Path) -> Iterator[Seed]:
    made = Seed(tmp_path / "seed.db", sections_of(shelf), library_facts(shelf)[0])
    yield made
    made.close()


def test_the_recipe_finds_english_stems_and_russian_beginnings(seed: Seed) -> None:
    assert seed.ask("price", OWNER).ranking[0].startswith(("offers/", "hr/"))
    assert seed.ask("отпусков сотрудника", OWNER).ranking == ("ru/leave.md",)
    assert seed.ask("?!", OWNER).ranking == ()


def test_the_recipe_answers_within_the_scope_of_each_caller(seed: Seed) -> None:
    ann = Caller(subject="ann", groups=frozenset({"hr"}))
    boris = Caller(subject="boris", groups=frozenset({"sales"}))
    assert "hr/pay.md" in seed.ask("wages prices", ann).ranking
    assert "hr/pay.md" not in seed.ask("wages prices", boris).ranking
    assert "hr/pay.md" in seed.ask("wages prices", ann).ranking


def test_the_recipe_shows_eight_sections_at_most(shelf: Library, tmp_path: Path) -> None:
    many = [one for one in sections_of(shelf) if "Prices" in one.body] * 10
    acls = dict.fromkeys((one.handle.partition("#")[0] for one in many), "everyone")
    made = Seed(tmp_path / "seed.db", many, Audit(acls=acls))
    assert len(made.ask("prices", OWNER).handles) == 8
    made.close()

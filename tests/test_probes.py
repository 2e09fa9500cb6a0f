"""The probe table through the whole of it: files, an index run, a search, both engines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.probes import PROBES, Probe
from tests.shelf import TODAY, library, scope_of

ENGINES = ("tantivy", "fts5")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_probe_leads_among_its_near_misses(probe: Probe, engine: str, tmp_path: Path) -> None:
    files = {
        one.path: f"---\ntitle: {json.dumps(one.title, ensure_ascii=False)}\n"
        f"language: {one.language}\n---\n{one.body}\n"
        for one in probe.documents
    }
    with library(tmp_path, files, f'[search]\nlexical = "{engine}"\n') as opened:
        found = opened.search(probe.query, scope=scope_of(opened), today=TODAY)
    paths = list(dict.fromkeys(hit.path for hit in found.hits))
    assert probe.expect in paths[: probe.within], paths
    assert not set(probe.absent) & set(paths)


@pytest.mark.parametrize("engine", ENGINES)
def test_absent_word_does_not_empty_the_result(engine: str, tmp_path: Path) -> None:
    with library(
        tmp_path, {"a.md": "# Leave\n\nParental leave."}, f'[search]\nlexical = "{engine}"'
    ) as opened:
        found = opened.search("parental zyzzyva leave", scope=scope_of(opened), today=TODAY)
    assert [hit.path for hit in found.hits] == ["a.md"]
    assert (found.counts.all_words, found.counts.any_word) == (0, 1)


@pytest.mark.parametrize("query", ["!!!", "--", "* : -", "«»", "( ) ?"])
def test_query_of_punctuation_has_an_outcome(query: str, tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": "# Leave\n\nParental leave."}) as opened:
        found = opened.search(query, scope=scope_of(opened), today=TODAY)
    assert found.outcome == "nothing-found"
    assert found.hits == ()

from __future__ import annotations

import pytest

from tests.memory import OWNER, MemorySnapshot, make_document
from tests.probes import PROBES, Probe
from wellread.errors import UsageError
from wellread.query import MAX_WORDS, PAIR_WEIGHT, Query, build_query
from wellread.types import Caller, Filters, Scope


def ask(snapshot: MemorySnapshot, text: str, scope: Scope = OWNER) -> Query:
    return build_query(text, snapshot=snapshot, scope=scope, filters=Filters())


def library(*texts: str, language: str = "en") -> MemorySnapshot:
    return MemorySnapshot(
        [make_document(f"{n}.md", f"Page {n}", text, language) for n, text in enumerate(texts)]
    )


def found(snapshot: MemorySnapshot, query: Query, scope: Scope = OWNER) -> list[str]:
    result = snapshot.lexical(query.store, scope=scope, filters=Filters(), limit=10)
    return [snapshot.documents_by_id[hit.passage_id].path for hit in result.hits]


@pytest.mark.parametrize("probe", PROBES, ids=[probe.name for probe in PROBES])
def test_probe_puts_the_right_document_first(probe: Probe) -> None:
    snapshot = MemorySnapshot(
        [make_document(d.path, d.title, d.body, d.language) for d in probe.documents]
    )
    hits = found(snapshot, ask(snapshot, probe.query))
    assert probe.expect in hits[: probe.within], hits
    assert not set(probe.absent) & set(hits)

"""What is like a section: in other documents, within the scope, with vectors and without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shelf import TODAY, groups, library, page, scope_of
from wellread.errors import NotFound, UsageError
from wellread.library import Library

INCIDENTS = {
    "incidents/1.md": page(
        "## What happened\n\nThe database failed over and replicas lagged behind for minutes.\n\n"
        "## Follow-up\n\nAlert on lag.",
        title="Incident one",
    ),
    "incidents/2.md": page(
        "## What happened\n\nAfter a failover of the database the replicas lagged.",
        title="Incident two",
    ),
    "incidents/3.md": page(
        "## What happened\n\nA certificate expired and the shop was unreachable.",
        title="Incident three",
    ),
    "canteen.md": page("Lunch is served at noon in the hall.", title="Canteen"),
}


def alike(opened: Library, handle: str, subject: str | None = None) -> list[str]:
    found = opened.search(similar_to=handle, scope=scope_of(opened, subject), today=TODAY)
    return list(dict.fromkeys(hit.path for hit in found.hits))


@pytest.mark.parametrize("handle", ["incidents/1.md", "incidents/1.md#what-happened"])
def test_alike_by_words_leads_and_the_document_itself_is_left_out(
    handle: str, tmp_path: Path
) -> None:
    with library(tmp_path, INCIDENTS) as opened:
        found = alike(opened, handle)
    assert found[0] == "incidents/2.md"
    assert "incidents/1.md" not in found


def test_what_is_alike_is_within_the_scope_and_weighed_by_it(tmp_path: Path) -> None:
    settings = groups({"ann": ["sales"], "bob": ["ops"]})
    hidden = {
        "incidents/2.md": page(
            "After a failover of the database the replicas lagged.", access="[ops]"
        )
    }
    with library(tmp_path, {**INCIDENTS, **hidden}, settings) as opened:
        assert alike(opened, "incidents/1.md", "bob")[0] == "incidents/2.md"
        assert "incidents/2.md" not in alike(opened, "incidents/1.md", "ann")
        with pytest.raises(NotFound):
            alike(opened, "incidents/2.md", "ann")


def test_handle_of_nothing_is_not_found(tmp_path: Path) -> None:
    with library(tmp_path, INCIDENTS) as opened:
        for handle in ("missing.md", "canteen.md#missing"):
            with pytest.raises(NotFound):
                alike(opened, handle)


def test_words_and_a_handle_are_not_both_asked_for(tmp_path: Path) -> None:
    with library(tmp_path, INCIDENTS) as opened:
        for asked in ({}, {"text": "lunch", "similar_to": "canteen.md"}):
            with pytest.raises(UsageError):
                opened.search(scope=scope_of(opened), today=TODAY, **asked)  # type: ignore[arg-type]


def test_pages_of_what_is_alike_go_on(tmp_path: Path) -> None:
    files = {f"{n}.md": page(f"Terms of payment, number {n}.") for n in range(6)}
    with library(tmp_path, files) as opened:
        scope = scope_of(opened)
        first = opened.search(similar_to="0.md", scope=scope, today=TODAY, limit=3)
        second = opened.search(
            similar_to="0.md", scope=scope, today=TODAY, limit=3, page=first.next_page
        )
    found = [hit.path for hit in (*first.hits, *second.hits)]
    assert sorted(found) == [f"{n}.md" for n in range(1, 6)]


def test_alike_by_vectors_where_there_are_any(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="the extra [vectors] is not installed")
    from tests.test_fusion import shelf

    with shelf(tmp_path, INCIDENTS) as opened:
        found = opened.search(
            similar_to="incidents/1.md#what-happened", scope=scope_of(opened), today=TODAY,
            explain=True,
        )  # fmt: skip
    assert found.hits[0].path == "incidents/2.md"
    assert "incidents/1.md" not in {hit.path for hit in found.hits}
    explanation = found.hits[0].explanation
    assert explanation is not None
    assert [part.label for part in explanation.parts] == ["vectors"]
    assert explanation.parts[0].value == pytest.approx(found.hits[0].score)


def test_without_vectors_yet_it_goes_by_words_and_says_so(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="the extra [vectors] is not installed")
    from tests.test_fusion import shelf

    with shelf(tmp_path, INCIDENTS, embed=False) as opened:
        found = opened.search(similar_to="incidents/1.md", scope=scope_of(opened), today=TODAY)
    assert found.hits[0].path == "incidents/2.md"
    assert found.notes[0].startswith("degraded: it has no vector")

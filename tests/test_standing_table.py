"""Each row of the table of standings holds, for search, for context and for the verdict."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.shelf import OWNER, TODAY, groups, library, page, scope_of
from wellread.delivery import ContextResult
from wellread.library import Library

TASK = "parental leave weeks"
TEXT = "Parental leave is {} weeks of paid leave for every parent."
NEWER = {"new.md": page(TEXT.format(20), type="policy", state="approved")}


def found(opened: Library, today: date = TODAY) -> list[tuple[str, str]]:
    hits = opened.search(TASK, scope=opened.scope(OWNER), today=today).hits
    return [(hit.path, hit.standing.name) for hit in hits]


def delivered(opened: Library, stakes: str = "normal", today: date = TODAY) -> ContextResult:
    return opened.context(TASK, scope=opened.scope(OWNER), today=today, stakes=stakes)


def verdict(result: ContextResult) -> str | None:
    return result.verdict.name if result.verdict is not None else None


class Row(NamedTuple):
    """A page by its frontmatter, and what becomes of it: its standing, whether it comes below a
    current one, its use, and the verdict at normal and at high stakes."""

    front: dict[str, str]
    name: str
    below: bool
    use: str | None
    normal: str | None
    high: str | None


ROWS = [
    Row({}, "current", False, "rules", "answer", "answer"),
    Row({"valid_from": "2026-07-01"}, "not-yet-valid", False, "background", "escalate", "escalate"),
    Row({"review_by": "2026-06-14"}, "overdue", False, "rules", "caution", "caution"),
    Row({"state": "in-review"}, "in-review", True, "rules", "caution", "escalate"),
    Row({"state": "draft"}, "draft", True, "rules", "caution", "escalate"),
    Row({"valid_until": "2026-06-14"}, "expired", True, "background", "escalate", "escalate"),
    Row({"superseded_by": "gone.md"}, "superseded", True, None, None, "escalate"),
    Row({"state": "deprecated"}, "deprecated", True, None, None, "escalate"),
    Row({"state": "archived"}, "archived", True, None, None, "escalate"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_stands_alone_is_marked_and_delivered_by_its_standing(
    tmp_path: Path, row: Row
) -> None:
    old = page(TEXT.format(16), **{"type": "policy", "state": "approved", **row.front})
    with library(tmp_path, {"a.md": old}) as opened:
        assert found(opened) == [("a.md", row.name)]
        result = delivered(opened)
        assert [(one.use, one.standing.name) for one in result.pieces] == (
            [(row.use, row.name)] if row.use else []
        )
        words = {"caution": "answer-with-caution"}
        assert verdict(result) == words.get(row.normal or "", row.normal)
        assert verdict(delivered(opened, "high")) == words.get(row.high or "", row.high)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_beside_what_is_current_the_weaker_comes_below_or_not_at_all(
    tmp_path: Path, row: Row
) -> None:
    strong = {"type": "policy", "state": "approved", "authority": "5"}
    old = page(TEXT.format(16), **{**strong, **row.front})
    with library(tmp_path, {"a.md": old, **NEWER}) as opened:
        # Its authority puts it first, where standing does not put it below.
        order = [path for path, _ in found(opened)]
        assert order == (["new.md", "a.md"] if row.below else ["a.md", "new.md"])
        pieces = {one.path for one in delivered(opened).pieces}
        assert pieces == ({"new.md"} if row.below else {"a.md", "new.md"})


def test_superseded_and_deprecated_pages_have_their_successor_in_their_place(
    tmp_path: Path,
) -> None:
    files = {
        "old.md": page(TEXT.format(16) + " Leave leave.", superseded_by="new.md"),
        "older.md": page(TEXT.format(12), state="deprecated", superseded_by="new.md"),
        "new.md": page("Time off for parents: 20 weeks.", type="policy", state="approved"),
    }
    with library(tmp_path, files) as opened:
        assert found(opened) == [
            ("new.md", "current"),
            ("old.md", "superseded"),
            ("older.md", "deprecated"),
        ]
        assert [one.path for one in delivered(opened).pieces] == ["new.md"]


def test_a_hidden_successor_changes_neither_search_nor_context(tmp_path: Path) -> None:
    files = {
        "old.md": page(TEXT.format(16), type="policy", state="approved"),
        "new.md": page(TEXT.format(20), access="[hr]", supersedes="[old.md]"),
    }
    with library(tmp_path, files, groups({"ann": ["sales"]})) as opened:
        scope = scope_of(opened, "ann")
        (hit,) = opened.search(TASK, scope=scope, today=TODAY).hits
        assert (hit.path, hit.standing.name, hit.standing.reasons) == ("old.md", "current", ())
        result = opened.context(TASK, scope=scope, today=TODAY)
        assert [one.standing.name for one in result.pieces] == ["current"]
        assert verdict(result) == "answer"


def test_another_day_has_another_answer(tmp_path: Path) -> None:
    files = {
        "a.md": page(TEXT.format(16), type="policy", state="approved", valid_until="2026-05-31"),
        "b.md": page(TEXT.format(20), type="policy", state="approved", valid_from="2026-06-01"),
    }
    with library(tmp_path, files) as opened:
        for day, holds in ((date(2026, 5, 31), "a.md"), (date(2026, 6, 1), "b.md")):
            assert dict(found(opened, day))[holds] == "current"
            result = delivered(opened, today=day)
            assert [one.path for one in result.pieces if one.use == "rules"] == [holds]
            assert (result.as_of, verdict(result)) == (day, "answer")


def test_age_does_not_count_against_what_is_not_time_sensitive(tmp_path: Path) -> None:
    files = {
        "a.md": page(
            TEXT.format(16), state="approved", updated="2019-01-01", time_sensitive="false"
        ),
        "b.md": page(TEXT.format(20), state="draft", updated="2026-06-14"),
        "c.md": page(TEXT.format(20), state="approved", updated="2026-06-14"),
    }
    with library(tmp_path, files) as opened:
        assert [path for path, _ in found(opened)] == ["a.md", "c.md", "b.md"]


def test_versions_between_stand_newer_before_older(tmp_path: Path) -> None:
    files = {
        "v1.md": page("Refund refund refund refund.", superseded_by="v3.md"),
        "v2.md": page("Refund, and more of it.", superseded_by="v3.md", supersedes="[v1.md]"),
        "v3.md": page("Refund, as it was for a while, and on.", superseded_by="v4.md"),
        "v4.md": page("Refund, as it holds now and for all who ask."),
    }
    with library(tmp_path, files) as opened:
        hits = opened.search("refund", scope=opened.scope(OWNER), today=TODAY).hits
    assert [hit.path for hit in hits] == ["v4.md", "v3.md", "v2.md", "v1.md"]

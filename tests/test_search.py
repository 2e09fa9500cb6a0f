"""Search end to end: the "in search" column of standing, outcomes, pages, explanations."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.shelf import OWNER, TODAY, library, page, scope_of
from wellread.errors import UsageError
from wellread.library import Library
from wellread.types import Caller, Explanation, Filters

BODY = "Refunds are paid within fourteen days of the request."


def search_paths(opened: Library, query: str = "refunds", **filters: tuple[str, ...]) -> list[str]:
    found = opened.search(
        query,
        scope=scope_of(opened),
        today=TODAY,
        filters=Filters(**filters),  # type: ignore[arg-type]
    )
    return [hit.path for hit in found.hits]


def standings(opened: Library, query: str = "refunds") -> dict[str, str]:
    found = opened.search(query, scope=scope_of(opened), today=TODAY)
    return {hit.path: hit.standing.name for hit in found.hits}


def test_successor_stands_in_the_place_of_what_it_superseded(tmp_path: Path) -> None:
    files = {
        "v2.md": page(f"# Refunds refunds\n\n{BODY} {BODY}", title="Refunds v2"),
        "v3.md": page("# Money back\n\nWe pay within ten days.", title="v3", supersedes="[v2.md]"),
        "v4.md": page(
            "# Returns\n\nWe pay within a week.",
            title="v4", supersedes="[v3.md]", state="approved", approved_on="2026-02-01",
            approved_by="legal",
        ),
    }  # fmt: skip
    with library(tmp_path, files) as opened:
        found = opened.search("refunds", scope=scope_of(opened), today=TODAY, explain=True)
    assert [hit.path for hit in found.hits] == ["v4.md", "v2.md"]
    assert found.hits[1].standing.name == "superseded"
    assert found.hits[1].standing.reasons == ("superseded by v4.md, approved 2026-02-01 by legal",)
    for hit in found.hits:
        assert hit.explanation is not None
        check_sums(hit.explanation)
    assert found.hits[0].explanation is not None
    assert [part.label for part in found.hits[0].explanation.parts] == [
        "in place of v2.md",
        "authority 4: signed off",
    ]


def test_successor_that_the_filters_exclude_is_not_put_in(tmp_path: Path) -> None:
    files = {
        "old/v1.md": page(f"# Refunds\n\n{BODY}", superseded_by="/v2.md", type="reference"),
        "v2.md": page("# Returns\n\nPaid at once.", type="guideline"),
    }
    with library(tmp_path, files) as opened:
        assert search_paths(opened) == ["v2.md", "old/v1.md"]
        assert search_paths(opened, types=("reference",)) == ["old/v1.md"]
        assert search_paths(opened, paths=("old/**",)) == ["old/v1.md"]


def test_hidden_successor_has_no_effect_but_the_pages_own_word(tmp_path: Path) -> None:
    files = {
        "a.md": page(f"# Refunds\n\n{BODY}"),
        "b.md": page(f"# Refunds\n\n{BODY}", superseded_by="secret.md"),
        "secret.md": page("# Board\n\nNew.", supersedes="[a.md]", access="[board]"),
    }
    with library(tmp_path, files) as opened:
        found = opened.search("refunds", scope=opened.scope(Caller(subject="ann")), today=TODAY)
        seen = {hit.path: hit.standing for hit in found.hits}
        assert set(seen) == {"a.md", "b.md"}
        assert seen["a.md"].name == "current"
        assert (seen["b.md"].name, seen["b.md"].successor) == ("superseded", None)
        assert "secret" not in repr(found)
        assert standings(opened)["a.md"] == "superseded"


def test_circle_of_successors_ends(tmp_path: Path) -> None:
    files = {
        "a.md": page(f"# Refunds\n\n{BODY}", supersedes="[b.md]"),
        "b.md": page(f"# Refunds\n\n{BODY}", supersedes="[a.md]"),
    }
    with library(tmp_path, files) as opened:
        assert set(search_paths(opened)) == {"a.md", "b.md"}
        assert [one.code for one in opened.lint(scope=scope_of(opened), today=TODAY)] == [
            "supersession-circle"
        ] * 2


def test_draft_and_expired_stand_below_current_of_like_relevance(tmp_path: Path) -> None:
    files = {
        "a-expired.md": page(f"# Refunds\n\n{BODY}", valid_until="2026-01-01"),
        "b-draft.md": page(f"# Refunds\n\n{BODY}", state="draft"),
        "c-current.md": page(f"# Refunds\n\n{BODY}"),
        "d-overdue.md": page(f"# Refunds\n\n{BODY}", review_by="2026-01-01"),
    }
    with library(tmp_path, files) as opened:
        assert search_paths(opened)[2:] == ["b-draft.md", "a-expired.md"]
        assert standings(opened) == {
            "c-current.md": "current",
            "d-overdue.md": "overdue",
            "b-draft.md": "draft",
            "a-expired.md": "expired",
        }


def test_draft_far_more_relevant_stays_above(tmp_path: Path) -> None:
    files = {
        "draft.md": page(f"# Refunds\n\n{BODY} refunds refunds", title="Refunds", state="draft"),
        "current.md": page("# Office\n\nPlants, and once refunds.", title="Office"),
    }
    with library(tmp_path, files) as opened:
        assert search_paths(opened) == ["draft.md", "current.md"]


def test_deprecated_and_archived_go_to_the_end(tmp_path: Path) -> None:
    files = {
        "archived.md": page(f"# Refunds\n\n{BODY}", title="Refunds refunds", state="archived"),
        "deprecated.md": page(f"# Refunds\n\n{BODY}", title="Refunds refunds", state="deprecated"),
        "current.md": page("# Office\n\nPlants, and once refunds.", title="Office"),
    }
    with library(tmp_path, files) as opened:
        assert search_paths(opened)[0] == "current.md"
        assert set(search_paths(opened)[1:]) == {"archived.md", "deprecated.md"}


def test_authority_then_freshness_decide_among_equals(tmp_path: Path) -> None:
    files = {
        "old.md": page(f"# Refunds\n\n{BODY}", updated="2020-01-01"),
        "new.md": page(f"# Refunds\n\n{BODY}", updated="2026-01-01"),
        "canon.md": page(f"# Refunds\n\n{BODY}", updated="2019-01-01", authority="5"),
        "timeless.md": page(f"# Refunds\n\n{BODY}", updated="2018-01-01", time_sensitive="false"),
    }
    with library(tmp_path, files) as opened:
        assert search_paths(opened) == ["canon.md", "timeless.md", "new.md", "old.md"]


def test_pages_show_every_hit_exactly_once(tmp_path: Path) -> None:
    files = {f"{number:02}.md": f"# Refunds {number}\n\n{BODY}" for number in range(23)}
    with library(tmp_path, files) as opened:
        scope = scope_of(opened)
        seen: list[str] = []
        cursor = None
        while True:
            found = opened.search("refunds", scope=scope, today=TODAY, limit=5, page=cursor)
            seen += [hit.path for hit in found.hits]
            assert found.left_out == 23 - len(seen)
            cursor = found.next_page
            if cursor is None:
                break
    assert sorted(seen) == sorted(files)
    assert not found.more_exist


def test_successor_lower_in_the_window_moves_up_and_says_why(tmp_path: Path) -> None:
    files = {
        "old.md": page(
            f"# Refunds\n\n{BODY} refunds refunds", title="Refunds", superseded_by="/new.md"
        ),
        "new.md": page("# Office\n\nPlants, and once refunds.", title="Office"),
    }
    with library(tmp_path, files) as opened:
        found = opened.search("refunds", scope=scope_of(opened), today=TODAY, explain=True)
    assert [hit.path for hit in found.hits] == ["new.md", "old.md"]
    assert found.hits[0].score == found.hits[1].score
    assert found.hits[0].explanation is not None
    check_sums(found.hits[0].explanation)
    assert "in place of old.md" in [part.label for part in found.hits[0].explanation.parts]


def test_successor_of_a_deprecated_page_is_named_and_not_put_in(tmp_path: Path) -> None:
    files = {
        "old.md": page("# Walrus\n\nThe walrus.", state="deprecated", superseded_by="/new.md"),
        "new.md": page("# Office\n\nPlants.", title="Office"),
    }
    with library(tmp_path, files) as opened:
        found = opened.search("walrus", scope=scope_of(opened), today=TODAY)
    assert [hit.path for hit in found.hits] == ["old.md"]
    assert found.hits[0].standing.successor == "new.md"


def test_score_of_other_callers_is_the_share_of_the_first_hit(tmp_path: Path) -> None:
    files = {
        "draft.md": page(f"# Refunds\n\n{BODY} refunds", state="draft"),
        "current.md": page(f"# Refunds\n\n{BODY} refund"),
        "old.md": page("# Office\n\nOnce refunds.", superseded_by="/new.md"),
        "new.md": page("# Desk\n\nPlants."),
    }
    with library(tmp_path, files) as opened:
        found = opened.search("refunds", scope=opened.scope(Caller(subject="ann")), today=TODAY)
    assert found.hits[0].score == 1.0


def test_exactly_a_window_of_passages_is_not_more(tmp_path: Path) -> None:
    files = {f"{number}.md": f"# Refunds {number}\n\n{BODY}" for number in range(200)}
    with library(tmp_path, files) as opened:
        assert not opened.search("refunds", scope=scope_of(opened), today=TODAY).more_exist


@pytest.mark.parametrize("page_", ["x" * 20, base64.b64encode(b"[" * 100_000).decode(), "%", ""])
def test_cursor_that_is_none_is_refused(page_: str, tmp_path: Path) -> None:
    with (
        library(tmp_path, {"a.md": BODY}) as opened,
        pytest.raises(UsageError, match="not one of this query"),
    ):
        opened.search("refunds", scope=scope_of(opened), today=TODAY, page=page_)


def test_window_that_is_full_says_that_more_exist(tmp_path: Path) -> None:
    files = {f"{number:03}.md": f"# Refunds {number}\n\n{BODY}" for number in range(230)}
    with library(tmp_path, files) as opened:
        found = opened.search("refunds", scope=scope_of(opened), today=TODAY)
    assert found.more_exist
    assert found.counts.any_word == 230
    assert found.left_out == 200 - len(found.hits)


def test_document_shows_three_hits_and_counts_the_others(tmp_path: Path) -> None:
    sections = "\n\n".join(f"## Part {number}\n\n{BODY}" for number in range(7))
    with library(tmp_path, {"long.md": sections, "short.md": "# Else\n\nOnce: refunds."}) as opened:
        found = opened.search("refunds", scope=scope_of(opened), today=TODAY)
    long = [hit for hit in found.hits if hit.path == "long.md"]
    assert len(long) == 3
    assert {hit.further for hit in long} == {4}


@pytest.mark.parametrize("engine", ["tantivy", "fts5"])
@pytest.mark.parametrize("owner", [True, False])
@pytest.mark.parametrize(
    "query", ["refunds paid request", '"fourteen days" refunds', "ERR-4412 refunds"]
)
def test_parts_of_the_explanation_sum_to_the_score(
    query: str, owner: bool, engine: str, tmp_path: Path
) -> None:
    files = {
        "a.md": f"# Refunds\n\n{BODY} See ERR-4412.",
        "b.md": "# Payment\n\nRefunds are paid. ERR-4413 means a late request.",
        "c.md": "# Other\n\nFourteen days of holidays.",
        "d.md": page("# Later\n\nRefund of a request.", supersedes="[b.md]"),
        **{f"filler/{number}.md": "# Plants\n\nWater them." for number in range(12)},
    }
    with library(tmp_path, files, f'[search]\nlexical = "{engine}"\n') as opened:
        scope = opened.scope(OWNER if owner else Caller(subject="ann"))
        found = opened.search(query, scope=scope, today=TODAY, explain=True)
    assert found.effective_query
    assert found.hits
    for hit in found.hits:
        assert hit.explanation is not None
        assert hit.explanation.value == pytest.approx(hit.score)
        check_sums(hit.explanation)
    assert found.hits[0].score > 0.1
    if not owner:
        assert found.hits[0].score == pytest.approx(1.0)


def check_sums(part: Explanation) -> None:
    if part.parts:
        values = [one.value for one in part.parts]
        wanted = sum(values) if part.op == "sum" else max(values)
        assert part.value == pytest.approx(wanted, rel=1e-4)
    for one in part.parts:
        check_sums(one)


def test_nothing_with_the_filters_says_how_many_without_each(tmp_path: Path) -> None:
    files = {
        "a.md": page(f"# Refunds\n\n{BODY}", type="guideline", updated="2026-01-01"),
        "b.md": page(f"# Refunds\n\n{BODY}", type="brief", updated="2025-01-01"),
        "c.md": page("# Else\n\nNothing of it.", type="playbook", updated="2026-05-01"),
    }
    with library(tmp_path, files) as opened:
        found = opened.search(
            "refunds",
            scope=scope_of(opened),
            today=TODAY,
            filters=Filters(types=("guideline",), since=TODAY.replace(day=1)),
        )
    assert found.outcome == "nothing-with-filters"
    assert dict(found.without_filters) == {"date": 1, "any": 2}


def test_misspelt_word_is_suggested_from_what_the_caller_may_read(tmp_path: Path) -> None:
    files = {
        "a.md": "# Vacation\n\nThe vacation is long.",
        "b.md": page("# Vacations\n\nThe vocation is secret.", access="[hr]"),
    }
    with library(tmp_path, files) as opened:
        scope = opened.scope(Caller(subject="ann"))
        found = opened.search("vocatoin vacatoin", scope=scope, today=TODAY)
    assert found.suggestions == ("vacation",)


def test_empty_library_and_empty_query_are_said(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": page("text", access="[hr]")}) as opened:
        found = opened.search("text", scope=opened.scope(Caller(subject="ann")), today=TODAY)
        assert found.outcome == "index-empty"
        with pytest.raises(UsageError):
            opened.search("   ", scope=scope_of(opened), today=TODAY)


def test_deleted_file_is_not_served_in_silence(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": f"# Refunds\n\n{BODY}"}) as opened:
        (tmp_path / "docs" / "a.md").unlink()
        found = opened.search("refunds", scope=scope_of(opened), today=TODAY)
    assert found.notes == (
        "Changed since indexed: a.md (gone). Run `wellread index` to bring the library up to date.",
    )


def test_passage_detail_gives_the_whole_passage(tmp_path: Path) -> None:
    text = " ".join(f"Sentence {number} of refunds." for number in range(40))
    with library(tmp_path, {"a.md": f"# Refunds\n\n{text}"}) as opened:
        found = opened.search("refunds", scope=scope_of(opened), today=TODAY, detail="passage")
    assert found.hits[0].snippet.endswith("Sentence 39 of refunds.")

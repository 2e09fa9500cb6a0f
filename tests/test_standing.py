"""What a document is worth on a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.standing import WORST_FIRST, own_standing, standings
from wellread.types import Lifecycle, Standing

TODAY = date(2026, 3, 16)
YESTERDAY, TOMORROW = date(2026, 3, 15), date(2026, 3, 17)


@dataclass(frozen=True)
class FakePage:
    path: str
    lifecycle: Lifecycle


def library(**pages: dict[str, Any]) -> list[FakePage]:
    """Pages by name, ``v1`` standing for ``v1.md``."""
    return [FakePage(f"{name}.md", Lifecycle(**fields)) for name, fields in pages.items()]


def all_standings(pages: list[FakePage], today: date = TODAY) -> dict[str, Standing]:
    """As seen by a caller for whom these pages are all there is."""
    by_path = {page.path: page for page in pages}

    def superseders(path: str) -> tuple[str, ...]:
        return tuple(p.path for p in pages if path in p.lifecycle.supersedes)

    return standings(pages, today, find=by_path.get, superseders=superseders)


@pytest.mark.parametrize(
    ("fields", "name", "reasons"),
    [
        ({}, "current", ()),
        ({"state": "approved", "state_explicit": True}, "current", ()),
        ({"state": "draft"}, "draft", ("draft",)),
        ({"state": "in-review"}, "in-review", ("in review",)),
        ({"state": "deprecated"}, "deprecated", ("deprecated",)),
        ({"state": "archived"}, "archived", ("archived",)),
        ({"superseded_by": "secret.md"}, "superseded", ("superseded",)),
        ({"valid_until": YESTERDAY}, "expired", ("expired: valid until 2026-03-15",)),
        ({"valid_until": TODAY}, "current", ()),
        ({"valid_from": TOMORROW}, "not-yet-valid", ("not valid before 2026-03-17",)),
        ({"valid_from": TODAY}, "current", ()),
        ({"review_by": YESTERDAY}, "overdue", ("overdue: review was due by 2026-03-15",)),
        ({"review_by": TODAY}, "current", ()),
        ({"review_by": YESTERDAY, "time_sensitive": False}, "current", ()),
        (
            {"valid_until": YESTERDAY, "time_sensitive": False},
            "expired",
            ("expired: valid until 2026-03-15",),
        ),
        (
            {"state": "draft", "valid_until": YESTERDAY, "review_by": YESTERDAY},
            "expired",
            (
                "expired: valid until 2026-03-15",
                "draft",
                "overdue: review was due by 2026-03-15",
            ),
        ),
        (
            {"state": "archived", "superseded_by": "x.md", "valid_until": YESTERDAY},
            "archived",
            ("archived", "superseded", "expired: valid until 2026-03-15"),
        ),
        (
            {"state": "deprecated", "superseded_by": "x.md"},
            "deprecated",
            ("deprecated", "superseded"),
        ),
        (
            {"superseded_by": "x.md", "valid_until": YESTERDAY},
            "superseded",
            ("superseded", "expired: valid until 2026-03-15"),
        ),
        (
            {"state": "in-review", "valid_from": TOMORROW},
            "in-review",
            ("in review", "not valid before 2026-03-17"),
        ),
        (
            {"valid_from": TOMORROW, "review_by": YESTERDAY},
            "not-yet-valid",
            ("not valid before 2026-03-17", "overdue: review was due by 2026-03-15"),
        ),
    ],
)
def test_a_page_is_worth_what_it_says_of_itself(
    fields: dict[str, Any], name: str, reasons: tuple[str, ...]
) -> None:
    expected = Standing(name=name, reasons=reasons)  # type: ignore[arg-type]
    assert own_standing(Lifecycle(**fields), TODAY) == expected
    assert all_standings(library(page=fields))["page.md"] == expected


def test_the_order_of_standings_is_that_of_the_design() -> None:
    assert WORST_FIRST == (
        "archived",
        "deprecated",
        "superseded",
        "expired",
        "draft",
        "in-review",
        "not-yet-valid",
        "overdue",
        "current",
    )


def test_a_superseded_page_names_its_successor_with_day_and_signer() -> None:
    found = all_standings(
        library(
            v3={},
            v4={"supersedes": ("v3.md",), "approved_on": date(2026, 2, 1), "approved_by": "legal"},
        )
    )
    assert found["v3.md"] == Standing(
        name="superseded",
        reasons=("superseded by v4.md, approved 2026-02-01 by legal",),
        successor="v4.md",
    )
    assert found["v4.md"] == Standing(name="current")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "superseded by v4.md"),
        ({"approved_on": TODAY}, "superseded by v4.md, approved 2026-03-16"),
        ({"approved_by": "legal"}, "superseded by v4.md, approved by legal"),
        ({"state": "archived", "approved_by": "x"}, "superseded by v4.md (archived)"),
        ({"state": "in-review"}, "superseded by v4.md (in review)"),
    ],
)
def test_the_reason_says_of_a_successor_what_is_known(fields: dict[str, Any], words: str) -> None:
    found = all_standings(library(v3={"superseded_by": "v4.md"}, v4=fields))
    assert found["v3.md"].reasons == (words,)


def test_a_chain_is_followed_to_its_end_by_either_key() -> None:
    found = all_standings(
        library(
            v1={"superseded_by": "v2.md"},
            v2={},
            v3={"supersedes": ("v2.md",), "superseded_by": "v4.md"},
            v4={"supersedes": ("v3.md",)},
        )
    )
    assert {path: standing.successor for path, standing in found.items()} == {
        "v1.md": "v4.md",
        "v2.md": "v4.md",
        "v3.md": "v4.md",
        "v4.md": None,
    }
    assert found["v1.md"].reasons == ("superseded by v4.md",)


def test_a_deprecated_or_archived_page_names_its_successor_too() -> None:
    for state in ("deprecated", "archived"):
        found = all_standings(library(old={"state": state}, new={"supersedes": ("old.md",)}))
        assert found["old.md"] == Standing(
            name=state,  # type: ignore[arg-type]
            reasons=(state, "superseded by new.md"),
            successor="new.md",
        )


def test_a_hidden_successor_has_no_effect() -> None:
    assert all_standings(library(v3={}))["v3.md"] == Standing(name="current")


def test_the_pages_own_word_counts_without_naming_what_is_not_readable() -> None:
    hidden = all_standings(library(v3={"superseded_by": "board/secret.md"}))["v3.md"]
    assert hidden == Standing(name="superseded", reasons=("superseded",))
    missing = all_standings(library(v3={"superseded_by": "nowhere.md"}))["v3.md"]
    assert missing == hidden


def test_a_hidden_end_of_a_chain_leaves_the_last_readable_page() -> None:
    found = all_standings(
        library(v2={}, v3={"supersedes": ("v2.md",), "superseded_by": "secret.md"})
    )
    assert found["v2.md"].successor == "v3.md"
    assert found["v3.md"] == Standing(name="superseded", reasons=("superseded",))


@pytest.mark.parametrize(
    "fields", [{"state": "draft"}, {"state": "in-review"}, {"valid_from": TOMORROW}]
)
def test_what_is_not_in_force_yet_replaces_nothing_by_its_own_word(fields: dict[str, Any]) -> None:
    found = all_standings(library(v4={}, v5={"supersedes": ("v4.md",), **fields}))
    assert found["v4.md"] == Standing(name="current")
    named = all_standings(library(v4={"superseded_by": "v5.md"}, v5=fields))
    assert named["v4.md"].successor == "v5.md"


def test_what_has_ended_has_replaced_its_predecessor_for_good() -> None:
    for fields in ({"state": "archived"}, {"valid_until": YESTERDAY}, {"state": "deprecated"}):
        found = all_standings(library(v4={}, v5={"supersedes": ("v4.md",), **fields}))
        assert found["v4.md"].name == "superseded"


def test_two_pages_that_supersede_each_other_stay_what_they_are() -> None:
    found = all_standings(library(a={"supersedes": ("b.md",)}, b={"supersedes": ("a.md",)}))
    assert found == {"a.md": Standing(name="current"), "b.md": Standing(name="current")}


def test_two_pages_superseded_by_each_other_name_no_successor() -> None:
    found = all_standings(library(a={"superseded_by": "b.md"}, b={"superseded_by": "a.md"}))
    unknown = Standing(name="superseded", reasons=("superseded",))
    assert found == {"a.md": unknown, "b.md": unknown}


def test_a_chain_that_runs_into_a_circle_ends_where_the_circle_starts() -> None:
    found = all_standings(
        library(
            v1={"superseded_by": "a.md"},
            a={"supersedes": ("b.md",)},
            b={"supersedes": ("a.md",)},
        )
    )
    assert found["v1.md"].successor == "a.md"


def test_a_page_that_leaves_a_circle_is_found_from_within() -> None:
    found = all_standings(
        library(
            a={"supersedes": ("b.md",)},
            b={"supersedes": ("a.md",)},
            c={"supersedes": ("a.md",)},
        )
    )
    assert found["a.md"].successor == "c.md"
    assert found["c.md"] == Standing(name="current")


def test_a_page_that_names_itself_is_not_its_own_successor() -> None:
    found = all_standings(
        library(a={"supersedes": ("a.md",)}, b={"superseded_by": "b.md"}),
    )
    assert found["a.md"] == Standing(name="current")
    assert found["b.md"] == Standing(name="superseded", reasons=("superseded",))


def test_of_several_successors_the_pages_own_word_then_the_latest_counts() -> None:
    pages = {
        "v1": {},
        "early": {"supersedes": ("v1.md",), "approved_on": date(2025, 1, 1)},
        "late": {"supersedes": ("v1.md",), "updated": date(2026, 1, 1)},
        "undated": {"supersedes": ("v1.md",)},
    }
    assert all_standings(library(**pages))["v1.md"].successor == "late.md"
    pages["v1"] = {"superseded_by": "undated.md"}
    assert all_standings(library(**pages))["v1.md"].successor == "undated.md"


NAMES = [f"{name}.md" for name in "abcdef"]
lifecycles = st.builds(
    Lifecycle,
    state=st.sampled_from(["approved", "approved", "draft", "archived"]),
    supersedes=st.lists(st.sampled_from(NAMES), max_size=2).map(tuple),
    superseded_by=st.none() | st.sampled_from(NAMES),
)


@given(st.dictionaries(st.sampled_from(NAMES), lifecycles, min_size=1))
def test_any_tangle_of_pages_gets_an_answer_about_pages_in_scope(
    tangle: dict[str, Lifecycle],
) -> None:
    found = all_standings([FakePage(path, lifecycle) for path, lifecycle in tangle.items()])
    for path, standing in found.items():
        assert standing.successor != path
        assert standing.successor is None or standing.successor in tangle
        if tangle[path].superseded_by is not None:
            assert standing.name in {"superseded", "archived"}
        assert bool(standing.reasons) == (standing.name != "current")
        hidden = set(NAMES) - set(tangle)
        assert not any(name in reason for name in hidden for reason in standing.reasons)

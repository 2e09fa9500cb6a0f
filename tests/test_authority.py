"""How much a document's word counts, by open rules."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.shelf import OWNER, library, page
from wellread.authority import SHIPPED, AuthorityFacts, authority_of
from wellread.config import load
from wellread.errors import ConfigError

TODAY = date(2026, 3, 16)


@pytest.mark.parametrize(
    ("facts", "authority"),
    [
        ({}, 3),
        ({"type": ("guideline",), "approved_by": "Legal", "approved": True}, 5),
        ({"type": ("guideline",), "approved_by": "Юристы", "approved": True}, 5),
        ({"type": ("guideline",), "approved_by": "Legal"}, 3),  # a draft takes it back
        ({"type": ("playbook",), "approved_by": "ops", "approved": True}, 4),
        ({"author": "Intern Bob"}, 2),
        ({"author": "Ann, intern"}, 2),
        ({"owner": "стажёр"}, 2),
        ({"author": "International sales"}, 3),
        ({"author": "Slack thread"}, 1),
        ({"author": "Slack thread", "approved": True}, 1),
    ],
)
def test_shipped_rules_rank_by_who_answers_for_a_page(
    facts: dict[str, object], authority: int
) -> None:
    assert authority_of(AuthorityFacts(path="a.md", **facts), SHIPPED)[0] == authority  # type: ignore[arg-type]


def test_the_rule_is_shown_and_the_pages_own_number_wins(tmp_path: Path) -> None:
    files = {
        "intern.md": page("Refund within 30 days.", author="intern Bob"),
        "legal.md": page("Refund within 14 days.", type="policy", approved_by="Legal"),
        "own.md": page("Refund within 9 days.", author="intern Bob", authority="4"),
    }
    with library(tmp_path, files) as opened:
        hits = opened.search("refund", scope=opened.scope(OWNER), today=TODAY, explain=True).hits
    shown = {
        hit.path: [part.label for part in hit.explanation.parts if "authority" in part.label]
        for hit in hits
        if hit.explanation
    }
    assert [hit.path for hit in hits] == ["legal.md", "own.md", "intern.md"]
    assert shown == {
        "legal.md": ["authority 5: a guideline signed off by Legal"],
        "own.md": [],
        "intern.md": ["authority 2: written by a newcomer"],
    }


def config(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "wellread.toml"
    file.write_text(f'{text}\n[[sources]]\npath = "docs"\n', encoding="utf-8")
    return file


def test_rules_of_the_house_come_first_and_the_shipped_can_be_left_out(tmp_path: Path) -> None:
    text = '[[authority.rules]]\nname = "board"\nauthority = 5\napproved_by = ["*Board*"]\n'
    rules = load(config(tmp_path, text), {}, tmp_path).parse_rules.authority
    assert rules[0].approved_by == ("*board*",)
    assert rules[1:] == SHIPPED
    alone = load(config(tmp_path, text + "[authority]\nshipped = false\n"), {}, tmp_path)
    assert [rule.name for rule in alone.parse_rules.authority] == ["board"]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('name = "x"\nauthority = 6\napproved = true', "authority is 6"),
        ('name = "x"\nauthority = 5', "asks for nothing"),
        ('name = "x"\nauthority = 5\nowned_by = ["y"]', "unknown key 'owned_by'"),
    ],
)
def test_a_bad_rule_is_refused_in_words(tmp_path: Path, rule: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(config(tmp_path, f"[[authority.rules]]\n{rule}\n"), {}, tmp_path)


@pytest.mark.parametrize(
    ("files", "stands", "why"),
    [
        (
            {
                "howto.md": page(
                    "# Refunds\n\nA customer may ask for a refund within 30 days.",
                    author="intern Bob",
                ),
                "policy.md": page(
                    "# Refunds\n\nA customer may ask for a refund within 14 days.",
                    type="policy",
                    approved_by="Legal",
                ),
            },
            "policy.md",
            (
                "its authority is 5 (a guideline signed off by Legal), the other's 2 "
                "(written by a newcomer)"
            ),
        ),
        (
            {
                "runbook.md": page(
                    "# Refunds\n\nA customer may ask for a refund within 14 days.",
                    type="runbook",
                    author="Ann",
                    approved_by="Boris",
                ),
                "thread.md": page(
                    "# Refunds\n\nA customer may ask for a refund within 30 days.",
                    author="Slack thread in #support",
                ),
            },
            "runbook.md",
            "its authority is 4 (signed off), the other's 1 (a chat pasted into a page)",
        ),
    ],
)
def test_of_two_that_disagree_the_better_signed_stands_and_why_is_said(
    tmp_path: Path, files: dict[str, str], stands: str, why: str
) -> None:
    with library(tmp_path, files) as opened:
        scope = opened.scope(OWNER)
        hits = opened.search("refund", scope=scope, today=TODAY).hits
        (conflict,) = opened.context(
            "when may a customer refund", scope=scope, today=TODAY
        ).conflicts
    assert hits[0].path == stands
    assert (conflict.stands, conflict.why) == (stands, why)


def test_what_its_author_signs_himself_is_not_signed_off(tmp_path: Path) -> None:
    files = {
        "own.md": page("Refund within 30 days.", author="Ann", approved_by="ann"),
        "other.md": page("Refund within 14 days.", author="Ann", approved_by="Boris"),
    }
    with library(tmp_path, files) as opened:
        hits = opened.search("refund", scope=opened.scope(OWNER), today=TODAY, explain=True).hits
    labels = [
        [part.label for part in hit.explanation.parts if part.label.startswith("authority")]
        for hit in hits
        if hit.explanation
    ]
    assert [hit.path for hit in hits] == ["other.md", "own.md"]
    assert labels == [["authority 4: signed off"], []]

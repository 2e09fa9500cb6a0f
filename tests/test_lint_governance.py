"""Mistakes of governance, each by path and line, with the value and what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shelf import OWNER, TODAY, groups, library, page, scope_of
from wellread.documents import Problem

Files = dict[str, str]


def problems(folder: Path, files: Files, settings: str = "") -> list[Problem]:
    with library(folder, files, settings) as opened:
        return list(opened.lint(scope=opened.scope(OWNER), today=TODAY))


MISTAKES: list[tuple[str, Files, tuple[str, int], str]] = [
    (
        "supersedes-itself",
        {"a.md": page("text", title="A", supersedes="[a.md]")},
        ("a.md", 3),
        "'supersedes' names the page itself in a.md:3. Name the other page",
    ),
    (
        "supersedes-itself",
        {"a.md": page("text", superseded_by="a.md")},
        ("a.md", 2),
        "'superseded_by' names the page itself",
    ),
    (
        "successor-not-in-force",
        {"a.md": page("text", superseded_by="b.md"), "b.md": page("text", state="deprecated")},
        ("a.md", 2),
        "leads to b.md, which is deprecated",
    ),
    (
        "successor-not-in-force",
        {
            "a.md": page("text", superseded_by="b.md"),
            "b.md": page("text", superseded_by="gone.md"),
        },
        ("a.md", 2),
        "leads to b.md, which is superseded",
    ),
    (
        "review-overdue",
        {"a.md": page("text", owner="ann", review_by="2026-06-14")},
        ("a.md", 3),
        "due by 2026-06-14 in a.md:3. Review it and write the next day; its owner is ann.",
    ),
    (
        "review-overdue",
        {"a.md": page("text", last_reviewed_on="2025-01-01", review_in="6 months")},
        ("a.md", 2),
        "due by 2025-07-01",
    ),
    (
        "expired-but-linked",
        {"a.md": page("text", valid_until="2026-06-14"), "b.md": page("[x](a.md)")},
        ("a.md", 2),
        "Expired on 2026-06-14, still approved, and linked from b.md in a.md:2.",
    ),
    (
        "approval-unsigned",
        {"a.md": page("text", type="policy", state="approved")},
        ("a.md", 3),
        "there is no 'approved_by'",
    ),
    (
        "approval-unsigned",
        {"a.md": page("text", approved_on="2026-01-31")},
        ("a.md", 2),
        "Name who signed it off",
    ),
    (
        "approval-in-future",
        {"a.md": page("text", approved_by="ann", approved_on="2026-06-16")},
        ("a.md", 3),
        "is 2026-06-16, after today, 2026-06-15",
    ),
    (
        "approval-before-created",
        {"a.md": page("t", created="2026-02-01", approved_by="ann", approved_on="2026-01-31")},
        ("a.md", 4),
        "is 2026-01-31, before 'created', 2026-02-01",
    ),
    (
        "dates-crossed",
        {"a.md": page("text", valid_from="2026-02-01", valid_until="2026-01-31")},
        ("a.md", 3),
        "(2026-01-31) is before 'valid_from' (2026-02-01)",
    ),
    (
        "always-on-nowhere",
        {"a.md": page("text", always_on="true")},
        ("a.md", 2),
        "without a 'domain' holds nowhere",
    ),
    (
        "always-on-unfit",
        {"a.md": page("text", always_on="true", domain="all", type="brief")},
        ("a.md", 2),
        "is a brief",
    ),
    (
        "always-on-unfit",
        {"a.md": page("text", always_on="true", domain="all", state="draft")},
        ("a.md", 2),
        "is draft",
    ),
    (
        "trigger-vanishes",
        {"a.md": page("text", triggers="[refund, the]")},
        ("a.md", 2),
        "The trigger 'the' has only words that are in every task",
    ),
    (
        "trigger-too-common",
        {
            "a.md": page("text", triggers="[refund]"),
            **{f"b{at}.md": f"refund {at}" if at < 11 else f"text {at}" for at in range(104)},
        },
        ("a.md", 2),
        "The trigger 'refund' is in 11 of 105 passages",
    ),
    (
        "value-unreadable",
        {"a.md": page("text", authority="6")},
        ("a.md", 2),
        "'authority' is '6' in a.md:2. Write a number from 1",
    ),
    (
        "sensitivity-unknown",
        {"a.md": page("text", sensitivity="secret")},
        ("a.md", 2),
        "Unknown sensitivity 'secret'",
    ),
    (
        "sensitive-open",
        {"a.md": page("text", sensitivity="personal")},
        ("a.md", 2),
        "sensitivity: personal, and everyone may read it in a.md:2. Limit it with access",
    ),
    (
        "broken-translation-of",
        {"a.md": page("text", translation_of="gone.md")},
        ("a.md", 2),
        "'translation_of' names gone.md, which is no document",
    ),
    (
        "translation-same-language",
        {
            "a.md": page("text", language="en", translation_of="b.md"),
            "b.md": page("text", language="en"),
        },
        ("a.md", 3),
        "'translation_of' names b.md, which is in the same language, 'en'",
    ),
    (
        "title-repeated",
        {
            "a.md": page("text", title="Refunds", state="approved"),
            "b.md": page("other", title="Refunds", state="approved"),
        },
        ("b.md", 2),
        "The title 'Refunds' is that of a.md too",
    ),
]


@pytest.mark.parametrize(("code", "files", "place", "words"), MISTAKES)
def test_a_mistake_of_governance_is_named(
    tmp_path: Path, code: str, files: Files, place: tuple[str, int], words: str
) -> None:
    found = [one for one in problems(tmp_path, files) if one.code == code]
    assert [(one.path, one.line) for one in found] == [place]
    assert words in found[0].message


def test_the_page_on_governance_names_each_mistake() -> None:
    told = (Path(__file__).parents[1] / "docs" / "governance.md").read_text(encoding="utf-8")
    assert [code for code, *_ in MISTAKES if f"`{code}`" not in told] == []


SOUND: Files = {
    "old.md": page("text", superseded_by="mid.md"),
    "mid.md": page("text", superseded_by="new.md"),
    "new.md": page(
        "text", title="R", type="policy", state="approved", approved_by="ann", language="en"
    ),
    "new.ru.md": page("текст", title="R", state="approved", translation_of="new.md", language="ru"),
    "acme.md": page("text", title="R", state="approved", client="ACME"),
    "draft.md": page("text", title="R", state="draft"),
    "aged.md": page("text", review_by="2020-01-01", time_sensitive="false"),
    "ended.md": page("text", valid_until="2026-01-31"),
    "today.md": page("text", approved_by="ann", approved_on="2026-06-15", review_by="2026-06-15"),
    "safe.md": page("text", always_on="true", domain="all", triggers="[refund]"),
    "health.md": page("text", sensitivity="regulated"),
    "pay.md": page("text", sensitivity="personal", access="[hr]"),
}


def test_what_is_in_order_is_no_problem(tmp_path: Path) -> None:
    assert problems(tmp_path, SOUND, groups({"ann": ["hr"]})) == []


def test_sensitive_pages_that_a_folder_rule_limits_are_in_order(tmp_path: Path) -> None:
    rule = '[[access.rules]]\npath = "pay/**"\nallow = ["hr"]\n'
    files = {"pay/a.md": page("text", sensitivity="personal")}
    assert problems(tmp_path, files, groups({"ann": ["hr"]}) + rule) == []


def test_hidden_pages_are_missing_ones(tmp_path: Path) -> None:
    files = {
        "a.md": page("text", title="R", state="approved"),
        "b.md": page("text", title="R", state="approved", access="[hr]"),
    }
    with library(tmp_path, files, groups({"ann": ["sales"], "vera": ["hr"]})) as opened:
        assert opened.lint(scope=scope_of(opened, "ann"), today=TODAY) == ()
        (one,) = opened.lint(scope=scope_of(opened, "vera"), today=TODAY)
        assert one.code == "title-repeated"


def test_rule_of_authority_that_decides_nothing_is_reported(tmp_path: Path) -> None:
    rules = "\n".join(
        f'[[authority.rules]]\nname = "{name}"\nauthority = 5\nowner = ["{name}"]\n'
        for name in ("board", "nobody")
    )
    (one,) = problems(tmp_path, {"a.md": page("text", owner="board")}, rules)
    assert (one.path, one.code) == ("wellread.toml", "rule-without-documents")
    assert "'nobody' gives no document of the library its authority" in one.message

"""What the first lines of a page say of the page, and what they say of its subject only."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shelf import OWNER, library, page
from wellread.conventions import numbered
from wellread.documents import Document, FileEntry, RawFile
from wellread.frontmatter import Frontmatter
from wellread.notices import remarks
from wellread.parse import parse
from wellread.standing import own_standing
from wellread.types import ParseRules, StandingRules

TODAY = date(2026, 3, 16)

SAID = [
    # English
    ("> **Warning:** This page is deprecated, use [v4](refunds-v4.md).", "deprecated", "refunds-v4.md"),
    ("# Refunds\n\n**DEPRECATED** — see [v4](refunds-v4.md)", "deprecated", "refunds-v4.md"),
    ("# [DEPRECATED] Refunds\n\nText.", "deprecated", None),
    ('!!! warning "Deprecated"\n    Use [x](y.md) instead.', "deprecated", "y.md"),
    ("> [!WARNING]\n> This document has been superseded by [v2](v2.md).", "superseded", "v2.md"),
    ("This policy has been superseded.", "superseded", None),
    ("This page has moved to [x](../a/b.md).", "superseded", "../a/b.md"),
    ("This guide is no longer maintained. See `guides/new.md` instead.", "deprecated", "guides/new.md"),
    ("This runbook is now archived.", "archived", None),
    ("This page is obsolete. The current version is [[refunds-v4]].", "deprecated", "refunds-v4"),
    ("DRAFT\n\nText.", "draft", None),
    ("This document is a draft.", "draft", None),
    ("This policy is under review.", "in-review", None),
    (".. superseded:: 292\n\nText.", "superseded", "292"),
    (".. withdrawn::\n\n   It has been superseded by :pep:`287`.", "superseded", "287"),
    # Russian
    ("Эта страница устарела, см. [новую](новая.md).", "deprecated", "новая.md"),
    ("> Внимание! Документ утратил силу. Используйте `policies/x.md`.", "deprecated", "policies/x.md"),
    ("Этот регламент заменён на [новый](new.md).", "superseded", "new.md"),
    ("УСТАРЕЛО. Смотрите [новый порядок](new.md).", "deprecated", "new.md"),
    ("Данная инструкция больше не действует.", "deprecated", None),
    ("Страница перенесена в архив.", "archived", None),
    ("Черновик\n\nТекст.", "draft", None),
    ("Этот документ находится на согласовании.", "in-review", None),
    # Headers
    ("PEP: 241\nStatus: Rejected\nCreated: 2001\n\nText.", "deprecated", None),
    ("PEP: 241\nStatus: Superseded\nSuperseded-By: 314\n\nText.", "superseded", "314"),
    ("# A\n\n* Status: superseded by [ADR-0012](0012-x.md)\n* Date: 2020", "superseded", "0012-x.md"),
    ("| Status | Deprecated |\n|---|---|\n| Owner | ann |\n\nText.", "deprecated", None),
    ("```\nPEP: 1\nStatus: Withdrawn\n```\n\nText.", "deprecated", None),
    ("**Статус:** на согласовании\n\nТекст.", "in-review", None),
    ("**Статус:** утратил силу\n**Заменён на:** [новый](b.md)\n\nТекст.", "deprecated", "b.md"),
]  # fmt: skip

SILENT = [
    "The old API is deprecated; use [v2](v2.md).",
    "If this page is outdated, tell us in [x](y.md).",
    "Tell us when this page is outdated.",
    "This document is superseded when a new version is approved.",
    "This policy is replaced every year.",
    "This policy is superseded by local law where that is stricter.",
    'Put "This page is deprecated, use X" at the top of such a page.',
    "Write `This page is deprecated` there.",
    "The statements on this page are deprecated.",
    "The features on this page is deprecated.",
    "This page is not deprecated.",
    "This page lists deprecated features.",
    "Deprecated features are listed here.",
    "Deprecated: the `--plan` flag.",
    "Archived projects live here.",
    "Draft beer is served on Fridays.",
    "Status: pending payment\n\nText.",
    "Order status: the state of an order.\n\nText.",
    "```\nThis page is deprecated.\n```\n\nText.",
    "Title: Metadata\nAuthor: Ann\n\nText.",
    "How do we know that this document is obsolete?",
    "Документ не устарел.",
    "Когда документ устарел, напишите владельцу.",
    "Устаревшие методы API описаны ниже.",
    "Если эта страница неактуальна, сообщите нам.",
    "Мы считаем, что документ устарел, если прошёл год.",
    "Архивные проекты лежат здесь.",
    "Порядок согласования черновика описан ниже.",
]


@pytest.mark.parametrize(("text", "standing", "successor"), SAID)
def test_a_page_that_speaks_of_itself_is_heard(
    text: str, standing: str, successor: str | None
) -> None:
    found = remarks(text + "\n", StandingRules())
    assert standing in [one.standing for one in found]
    named = [ref.written for one in found for ref in one.successors]
    assert named == ([successor] if successor else [])


@pytest.mark.parametrize("text", SILENT)
def test_a_page_that_speaks_of_its_subject_says_nothing_of_itself(text: str) -> None:
    assert remarks(text + "\n", StandingRules()) == ()


def test_a_notice_counts_in_the_first_lines_only() -> None:
    text = "Prose goes on.\n\n" * 12 + "This page is deprecated.\n"
    assert remarks(text, StandingRules()) == ()
    assert remarks(text, StandingRules(notice_lines=13)) != ()


def test_headers_and_notices_can_be_switched_off() -> None:
    text = "Status: Rejected\n\nThis page is deprecated.\n"
    assert [one.source for one in remarks(text, StandingRules(notices=False))] == ["header"]
    assert [one.source for one in remarks(text, StandingRules(headers=False))] == ["notice"]


def test_words_and_phrases_of_the_house_are_understood() -> None:
    rules = StandingRules(
        words={"under construction": "draft"}, phrases={"do not use": "deprecated"}
    )
    (header,) = remarks("Status: Under construction\n\nText.\n", rules)
    (notice,) = remarks("Do not use: see [x](y.md)\n", rules)
    assert (header.standing, notice.standing) == ("draft", "deprecated")
    assert remarks("Do not useful things.\n", rules) == ()


@given(st.text(max_size=400), st.sampled_from(["", "Status: Draft\n", "This page is deprecated, "]))
def test_no_text_is_too_odd(text: str, before: str) -> None:
    for one in remarks(before + text, StandingRules()):
        assert 0 <= one.line <= (before + text).count("\n")


# --- what becomes of it ----------------------------------------------------------------------


def parsed(text: str, path: str = "a/refunds-v3.md", rules: ParseRules | None = None) -> Document:
    entry = FileEntry(
        source="docs", path=path, location=path, size=len(text), mtime_ns=0, ctime_ns=0, inode=0
    )
    return parse(RawFile(entry=entry, content=text.encode()), rules or ParseRules())


def reasons(document: Document) -> tuple[str, tuple[str, ...]]:
    standing = own_standing(document.lifecycle, TODAY)
    return standing.name, standing.reasons


def test_a_notice_gives_state_successor_line_and_reason() -> None:
    document = parsed(
        "---\nowner: ann\n---\n# R\n\nThis page is deprecated, use [v4](refunds-v4.md).\n"
    )
    assert document.lifecycle.superseded_by == "a/refunds-v4.md"
    assert document.key_lines["superseded_by"] == 6
    assert reasons(document) == (
        "deprecated",
        (
            "deprecated (notice in line 6: 'This page is deprecated')",
            "superseded (notice in line 6: 'This page is deprecated')",
        ),
    )


def test_a_header_gives_title_versions_and_reason() -> None:
    text = (
        "PEP: 314\nTitle: Metadata\nStatus: Superseded\nReplaces: 241\nSuperseded-By: 345\n\nText\n"
    )
    document = parsed(text, "peps/pep-0314.md")
    assert document.title == "Metadata"
    assert document.lifecycle.supersedes == ("peps/pep-0241.md",)
    assert document.lifecycle.superseded_by == "peps/pep-0345.md"
    assert reasons(document) == (
        "superseded",
        ("superseded (header in line 5: 'Superseded-By:')",),
    )


def test_frontmatter_wins_over_a_header_and_the_worst_of_it_and_a_notice_holds() -> None:
    header = parsed("---\nstate: approved\n---\nStatus: Rejected\nOwner: x\n\nText\n")
    assert (header.lifecycle.state, header.problems) == ("approved", ())
    notice = parsed("---\nstate: approved\n---\nThis page is deprecated.\n")
    assert notice.lifecycle.state == "deprecated"
    assert [(one.line, one.code) for one in notice.problems] == [(4, "state-contradicted")]
    better = parsed("---\nstate: archived\n---\nThis page is a draft.\n")
    assert (better.lifecycle.state, better.problems) == ("archived", ())


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("status: WIP", "draft (status: WIP)"),
        ("status: Superseded", "superseded (status: Superseded)"),
        ("deprecated: true", "deprecated (deprecated: true)"),
        ("state: draft", "draft"),
        ("expires: 2026-01-31", "expired: valid until 2026-01-31 (expires)"),
        ("valid_until: 2026-01-31", "expired: valid until 2026-01-31"),
        (
            "last_reviewed_on: 2025-01-01\nreview_in: 6 months",
            "overdue: review was due by 2025-07-01 (last reviewed on 2025-01-01, review in 6 months)",
        ),
    ],
)
def test_each_convention_is_shown_as_the_reason(front: str, reason: str) -> None:
    assert reasons(parsed(f"---\n{front}\n---\nText\n"))[1] == (reason,)


def test_a_number_names_the_page_that_is_called_alike() -> None:
    assert numbered("peps/pep-0241.md", "314") == "peps/pep-0314.md"
    assert numbered("0007.md", "12") == "0012.md"
    assert numbered("adr/0007-postgres.md", "12") is None


def test_nothing_is_made_of_an_address_elsewhere() -> None:
    document = parsed("This page is deprecated, see [x](https://example.com/x.md).\n")
    assert (document.lifecycle.state, document.lifecycle.superseded_by) == ("deprecated", None)


def test_a_frontmatter_without_anything_is_no_remark() -> None:
    assert Frontmatter().values == {}
    assert parsed("Text\n").lifecycle.said == {}


def test_search_puts_the_successor_of_a_notice_in_its_place(tmp_path: Path) -> None:
    files = {
        "old.md": page("This page has been superseded by [the new one](new.md).\n\nRefund refund."),
        "new.md": page("Refund: within 30 days."),
    }
    with library(tmp_path, files) as opened:
        hits = opened.search("refund", scope=opened.scope(OWNER), today=TODAY).hits
    assert [(hit.path, hit.standing.name) for hit in hits] == [
        ("new.md", "current"),
        ("old.md", "superseded"),
    ]
    assert hits[1].standing.reasons == (
        "superseded by new.md (notice in line 1: 'This page has been superseded')",
    )

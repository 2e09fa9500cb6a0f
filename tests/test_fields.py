from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import pytest

from wellread.fields import Fields, read_fields
from wellread.frontmatter import split_frontmatter
from wellread.types import Attachment, DefaultRule, ParseRules

PATH = "hr/leave.md"


def fields(block: str, *, rules: ParseRules | None = None, path: str = PATH) -> Fields:
    front = split_frontmatter(f"---\n{block}\n---\nText\n", path)
    return read_fields(front, path, rules or ParseRules())


def defaults(path: str, values: Mapping[str, object]) -> ParseRules:
    return ParseRules(defaults=(DefaultRule(path=path, values=values),))


def codes(found: Fields) -> list[str]:
    return [problem.code for problem in found.problems]


def test_every_field_of_the_format_is_typed() -> None:
    found = fields(
        """\
title: "Contract: Northern Steel Service"
type: reference
access: [sales, management]
deny: contractors
state: approved
owner: legal@example.com
author: [Ann, Bob]
authority: 5
domain: sales
always_on: yes
triggers: refund, chargeback
about: third-party
updated: 2026-03-02
review_by: 2026-12-31
valid_from: 2026-01-01
valid_until: 2027-01-01
time_sensitive: false
supersedes: [contracts/northern-steel-2024.md]
superseded_by: newer.md
translation_of: ../en/leave.md
sensitivity: confidential
client: Northern Steel Service
aliases: [PTO]
tags: contract
odd: {x: [1, two]}"""
    )
    assert found.problems == ()
    assert found.title == "Contract: Northern Steel Service"
    assert (found.own_access, found.own_deny, found.sealed) == (
        ("sales", "management"),
        ("contractors",),
        False,
    )
    life = found.lifecycle
    assert (life.state, life.state_explicit, life.authority) == ("approved", True, 5)
    assert (life.updated, life.review_by) == (date(2026, 3, 2), date(2026, 12, 31))
    assert (life.valid_from, life.valid_until) == (date(2026, 1, 1), date(2027, 1, 1))
    assert life.time_sensitive is False
    assert life.supersedes == ("contracts/northern-steel-2024.md",)
    assert life.superseded_by == "hr/newer.md"
    assert found.translation_of == "en/leave.md"
    assert (found.owner, found.author, found.client) == (
        "legal@example.com",
        "Ann, Bob",
        "Northern Steel Service",
    )
    assert (found.domain, found.always_on) == ("sales", True)
    assert (found.about, found.sensitivity) == ("third-party", "confidential")
    assert found.triggers == ("refund", "chargeback")
    assert (found.aliases, found.tags) == (("PTO",), ("contract",))
    assert found.metadata["odd"] == {"x": ["1", "two"]}


def test_nothing_written_gives_the_defaults_of_the_format() -> None:
    found = fields("unknown: 1")
    assert (found.type, found.type_written, found.problems) == ("reference", "reference", ())
    assert (found.lifecycle.state, found.lifecycle.state_explicit) == ("approved", False)
    assert (found.lifecycle.authority, found.lifecycle.time_sensitive) == (3, True)
    assert (found.own_access, found.own_deny, found.sealed) == (None, (), False)
    assert found.metadata == {"unknown": "1"}


@pytest.mark.parametrize(
    "written",
    [
        "access:",
        "access: []",
        "access: ''",
        "access: null",
        "access: {group: hr}",
        "access: [hr, '']",
        "access: [[hr]]",
        "access: [user: ann@example.com]",
        "access: ['user:']",
        "deny:",
        "deny: []",
        "access: [hr]\naccess: [everyone]",
    ],
)
def test_empty_or_unreadable_access_seals_the_document(written: str) -> None:
    found = fields(f"title: x\n{written}")
    assert found.sealed
    assert found.problems


@pytest.mark.parametrize(
    "key",
    ["acess", "Access", "ACCESS", "accesss", "accses", "acccess", "dany", "Deny", "dney", "den",
     "аccess", "ａｃｃｅｓｓ", "access "],
)  # fmt: skip
def test_a_key_within_one_edit_of_access_or_deny_seals_the_document(key: str) -> None:
    found = fields(f'title: x\n"{key}": [hr]')
    assert found.sealed
    assert codes(found) == ["access-misspelt"]
    assert found.problems[0].line == 3
    assert f"{PATH}:3" in found.problems[0].message


@pytest.mark.parametrize("key", ["accessible", "excess2", "denying", "process", "tag"])
def test_other_words_do_not_seal(key: str) -> None:
    found = fields(f"{key}: [hr]")
    assert not found.sealed
    assert found.own_access is None


def test_misspelt_access_beside_a_right_one_seals_too() -> None:
    assert fields("access: [hr]\ndenny: [bob]").sealed


def test_broken_frontmatter_seals_and_is_reported_once() -> None:
    found = fields("title: a: b\naccess: [hr]")
    assert found.sealed
    assert codes(found) == ["frontmatter-broken"]


def test_access_may_be_one_word_or_several_with_commas() -> None:
    assert fields("access: hr").own_access == ("hr",)
    assert fields("access: hr, user:ann@example.com").own_access == ("hr", "user:ann@example.com")


@pytest.mark.parametrize(
    ("word", "type_"),
    [
        ("Guideline", "guideline"),
        ("policy", "guideline"),
        ("standard", "guideline"),
        ("runbook", "playbook"),
        ("Procedure", "playbook"),
        ("памятка", "brief"),
    ],
)
def test_words_for_types_are_mapped_and_the_written_word_is_kept(word: str, type_: str) -> None:
    found = fields(f"type: {word}", rules=ParseRules(type_aliases={"памятка": "brief"}))
    assert (found.type, found.type_written, found.problems) == (type_, word, ())


def test_the_house_decides_over_built_in_words() -> None:
    assert fields("type: policy", rules=ParseRules(type_aliases={"policy": "brief"})).type == (
        "brief"
    )


def test_an_unknown_type_is_reported_with_what_is_known() -> None:
    found = fields("title: x\ntype: memo")
    assert (found.type, found.type_written) == ("reference", "memo")
    assert found.problems[0].message == (
        "Unknown type 'memo' in hr/leave.md:3. Known: guideline, playbook, reference, template, "
        "brief; map others in [types.aliases]."
    )


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("state: drfat", "state-unknown"),
        ("authority: 6", "value-unreadable"),
        ("authority: high", "value-unreadable"),
        ("about: us", "about-unknown"),
        ("sensitivity: secret", "sensitivity-unknown"),
        ("always_on: maybe", "value-unreadable"),
        ("updated: yesterday", "date-unreadable"),
        ("updated: 2026-02-31", "date-unreadable"),
        ("review_by: [2026-01-01, 2026-01-02]", "value-unreadable"),
        ("approved_on: soon", "date-unreadable"),
        ("review_in: often", "period-unreadable"),
        ("review_in: 6 months", "period-without-start"),
        ("valid_from: 2026-02-01\nvalid_until: 2026-01-01", "dates-crossed"),
        ("title: {a: b}", "value-unreadable"),
        ("tags: {a: b}", "value-unreadable"),
        ("domain: [a, b]", "value-unreadable"),
        ("supersedes: https://example.com/a", "path-unreadable"),
        ("superseded_by: [a.md, b.md]", "path-unreadable"),
        ("attachments: [{title: x}]", "attachment-unreadable"),
        ("attachments: [{path: a.sh, kind: tool}]", "attachment-kind-unknown"),
        ("title: a\ntitle: b", "key-repeated"),
    ],
)
def test_a_value_that_cannot_be_understood_is_reported_by_path_and_line(
    written: str, code: str
) -> None:
    found = fields(written)
    assert codes(found) == [code]
    (problem,) = found.problems
    assert f"{PATH}:{problem.line}" in problem.message
    assert problem.message.endswith(".")
    assert not found.sealed


def test_conventions_of_others_are_understood() -> None:
    assert fields("status: draft").lifecycle.state == "draft"
    assert fields("status: open").lifecycle.state_explicit is False
    assert fields("status: open").problems == ()
    assert fields("state: approved\nstatus: draft").lifecycle.state == "approved"
    assert fields("deprecated: true").lifecycle.state == "deprecated"
    assert fields("draft: false").lifecycle.state_explicit is False
    assert fields("expires: 2026-05-01").lifecycle.valid_until == date(2026, 5, 1)
    reviewed = fields("last_reviewed_on: 2026-08-31\nreview_in: 6 months").lifecycle
    assert reviewed.review_by == date(2027, 2, 28)
    assert fields("Superseded-By: b.md\nReview By: 2026-01-01").lifecycle.superseded_by == (
        "hr/b.md"
    )


@pytest.mark.parametrize(
    "written",
    ["2026-03-02", "2026-03-02T10:00:00Z", "2026-03-02 10:00", "2026/03/02", "02.03.2026",
     "2 March 2026", "March 2, 2026", "Mar 2 2026"],
)  # fmt: skip
def test_dates_are_understood_as_people_write_them(written: str) -> None:
    assert fields(f"updated: {written}").lifecycle.updated == date(2026, 3, 2)


@pytest.mark.parametrize(
    ("period", "day"),
    [
        ("90 days", date(2026, 5, 1)),
        ("2 weeks", date(2026, 2, 14)),
        ("1 month", date(2026, 2, 28)),
        ("P1Y", date(2027, 1, 31)),
        ("6 месяцев", date(2026, 7, 31)),
    ],
)
def test_periods_are_added_to_the_last_review(period: str, day: date) -> None:
    block = f"last_reviewed_on: 2026-01-31\nreview_in: {period}"
    assert fields(block).lifecycle.review_by == day


def test_attachments_are_resolved_beside_the_document_and_get_a_kind() -> None:
    block = (
        "attachments:\n  - {path: checklist.csv, kind: reference, title: Checklist}\n"
        "  - ../img/a.png\n  - {path: /tools/run.sh}"
    )
    assert fields(block).attachments == (
        Attachment(path="hr/checklist.csv", kind="reference", title="Checklist", line=2),
        Attachment(path="img/a.png", kind="image", title="", line=2),
        Attachment(path="tools/run.sh", kind="script", title="", line=2),
    )


def test_defaults_set_any_key_by_folder_and_the_documents_own_value_wins() -> None:
    rules = defaults(
        "hr/**", {"type": "policy", "access": ["hr"], "authority": 4, "always_on": True}
    )
    found = fields("type: brief", rules=rules)
    assert (found.type, found.own_access) == ("brief", ("hr",))
    assert (found.lifecycle.authority, found.always_on) == (4, True)
    assert found.metadata["type"] == "brief"
    assert fields("type:", rules=rules).type == "guideline"
    assert fields("a: b", rules=rules, path="sales/a.md").own_access is None
    assert fields("access: [sales]", rules=rules).own_access == ("sales",)


def test_an_empty_access_is_not_filled_by_a_default() -> None:
    assert fields("access:", rules=defaults("hr/**", {"access": ["everyone"]})).sealed


def test_a_mistake_in_a_default_names_the_default() -> None:
    found = fields("a: b", rules=defaults("hr/**", {"state": "fine"}))
    assert "[[defaults]] path = 'hr/**'" in found.problems[0].message


def test_access_written_twice_is_said_to_admit_nobody_else() -> None:
    found = fields("access: [hr]\naccess: [everyone]")
    assert found.sealed
    (problem,) = found.problems
    assert "only the local owner" in problem.message
    assert "The last one holds" not in problem.message

"""The example company keeps its promises: what README.md in examples/company says of it is so.

These tests read the files alone and know nothing of the package.
"""

from __future__ import annotations

import csv
import datetime
import importlib.util
import json
import re
import sqlite3
import tomllib
import unicodedata
import zlib
from collections import Counter
from functools import cache
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

import pytest
import yaml

COMPANY = Path(__file__).parents[1] / "examples" / "company"
DOCS = COMPANY / "docs"
TODAY = datetime.date(2026, 6, 15)

TYPES = {"guideline", "playbook", "reference", "template", "brief"}
STATES = {"draft", "in-review", "approved", "deprecated", "archived"}
KEYS = {
    "question",
    "expect",
    "as",
    "language",
    "category",
    "must_not_find",
    "must_not_lead",
    "answer",
    "note",
}
CATEGORIES = {"exact", "own-words", "other-language", "similar", "browse", "control"}
FORBIDDEN = re.compile(
    r"\bquit(s|ted|ting|ter|ters)?\b|\bdays?[\s-]+off\b|\bотгул|\bувол(ь|и|ю|е|я)", re.IGNORECASE
)
SENTENCE = "refunds over $500 require manager approval"


@cache
def documents() -> dict[str, tuple[dict[str, Any], str]]:
    """Path → frontmatter and text of every document."""
    found = {}
    for file in sorted(DOCS.rglob("*.md")):
        head, _, text = file.read_text(encoding="utf-8").removeprefix("---\n").partition("\n---\n")
        path = unicodedata.normalize("NFC", file.relative_to(DOCS).as_posix())
        found[path] = (yaml.safe_load(head), text)
    return found


@cache
def questions() -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = yaml.safe_load(
        (COMPANY / "questions.yaml").read_text(encoding="utf-8")
    )
    return asked


@cache
def groups() -> dict[str, list[str]]:
    people: dict[str, list[str]] = yaml.safe_load(
        (COMPANY / "groups.yaml").read_text(encoding="utf-8")
    )
    return people


@cache
def config() -> dict[str, Any]:
    return tomllib.loads((COMPANY / "wellread.toml").read_text(encoding="utf-8"))


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, COMPANY / f"{name}.py")
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def names(question: dict[str, Any]) -> str:
    return f"{question['question']} (as {question['as']})"


def expected(question: dict[str, Any]) -> dict[str, int]:
    expect = question["expect"]
    return dict(expect) if isinstance(expect, dict) else dict.fromkeys(expect, 3)


def path_of(handle: str) -> str:
    return handle.partition("#")[0]


def slugs(text: str) -> set[str]:
    """The slugs of the headings that start a section: level one and two, outside code."""
    outside = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    found: Counter[str] = Counter()
    made = set()
    for heading in re.findall(r"^#{1,2} (.+)$", outside, flags=re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        made.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return made


def language(text: str) -> str:
    cyrillic = len(re.findall("[а-яё]", text, re.IGNORECASE))
    latin = len(re.findall("[a-z]", text, re.IGNORECASE))
    return "ru" if cyrillic > latin else "en"


def type_of(path: str) -> str:
    head = documents()[path][0]
    written = head.get("type")
    if written is None:
        for default in config().get("defaults", []):
            if PurePosixPath(path).is_relative_to(default["path"].removesuffix("/**")):
                written = default.get("type", written)
    return str(config()["types"]["aliases"].get(written, written or "reference"))


def may_read(subject: str, path: str) -> bool:
    mine = set(groups()[subject])
    head = documents()[path][0]
    allows = [head["access"]] if "access" in head else []
    denies = set(head.get("deny", []))
    for rule in config()["access"]["rules"]:
        if PurePosixPath(path).is_relative_to(rule["path"].removesuffix("/**")):
            denies |= set(rule.get("deny", []))
            if "allow" in rule:
                allows.append(rule["allow"])
    return not mine & denies and all(mine & set(allow) for allow in allows)


# --- documents -----------------------------------------------------------------------------------


def test_frontmatter_of_every_document_is_a_mapping_with_a_title() -> None:
    assert len(documents()) >= 45
    for path, (head, text) in documents().items():
        assert isinstance(head, dict) and isinstance(head["title"], str), path
        assert text.strip(), path


def test_types_and_states_are_those_of_the_format_or_words_of_the_house() -> None:
    assert set(config()["types"]["aliases"].values()) <= TYPES
    for path, (head, _) in documents().items():
        assert type_of(path) in TYPES, path
        assert head.get("state", "approved") in STATES, path
    assert {type_of(path) for path in documents()} == TYPES


def test_half_of_the_documents_are_russian() -> None:
    counts = Counter(language(text) for _, text in documents().values())
    assert 0.42 <= counts["ru"] / counts.total() <= 0.58, counts


def test_nothing_was_written_after_the_fixed_day() -> None:
    for path, (head, _) in documents().items():
        for key in ("updated", "approved_on"):
            if key in head:
                assert head[key] <= TODAY, (path, key)
    draft = documents()["product/refund-policy-proposal.md"][0]
    assert draft["state"] == "draft"
    assert draft["updated"] == TODAY - datetime.timedelta(days=14)


def test_words_that_only_questions_use_stand_in_no_document_and_no_attachment() -> None:
    for file in DOCS.rglob("*"):
        name = unicodedata.normalize("NFC", file.relative_to(DOCS).as_posix())
        assert not FORBIDDEN.search(name.replace("/", " ")), name
        if file.is_file() and file.suffix != ".png":
            hit = FORBIDDEN.search(unicodedata.normalize("NFC", file.read_text(encoding="utf-8")))
            assert hit is None, (name, hit)
    asked = " ".join(question["question"] for question in questions())
    for word in ("day off", "quit", "отгул", "уволиться"):
        assert word in asked and FORBIDDEN.search(word)


def test_references_between_documents_lead_to_documents() -> None:
    for path, (head, _) in documents().items():
        supersedes = head.get("supersedes", [])
        assert isinstance(supersedes, list), path
        for target in [
            *supersedes,
            *filter(None, [head.get("superseded_by"), head.get("translation_of")]),
        ]:
            assert target in documents(), (path, target)
            assert target != path


def test_a_translation_is_in_the_other_language_and_for_the_same_readers() -> None:
    pairs = {
        path: head["translation_of"]
        for path, (head, _) in documents().items()
        if "translation_of" in head
    }
    assert len(pairs) >= 6
    for path, original in pairs.items():
        assert {language(documents()[path][1]), language(documents()[original][1])} == {
            "en",
            "ru",
        }, path
        for key in ("access", "deny", "type", "approved_on", "sensitivity"):
            assert documents()[path][0].get(key) == documents()[original][0].get(key), (path, key)


def test_attachments_and_links_in_the_text_exist() -> None:
    for path, (head, text) in documents().items():
        folder = (DOCS / path).parent
        for attachment in head.get("attachments", []):
            assert (folder / attachment["path"]).is_file(), (path, attachment)
            assert attachment["kind"] in {
                "script",
                "template",
                "config",
                "schema",
                "reference",
                "image",
            }, path
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            assert (folder / target).resolve().is_relative_to(DOCS.resolve()), (path, target)
            assert (folder / target).is_file(), (path, target)


def test_the_runbook_carries_every_kind_of_attachment_but_a_template() -> None:
    head = documents()["engineering/on-call/runbook.md"][0]
    assert {item["kind"] for item in head["attachments"]} == {
        "script",
        "config",
        "schema",
        "reference",
        "image",
    }
    folder = DOCS / "engineering" / "on-call"
    assert set(yaml.safe_load((folder / "alerts.yaml").read_text(encoding="utf-8"))["alerts"]) >= {
        "payment_errors_high"
    }
    assert (
        json.loads((folder / "alert-event.schema.json").read_text(encoding="utf-8"))["type"]
        == "object"
    )
    with (folder / "handover-checklist.csv").open(encoding="utf-8", newline="") as lines:
        assert {len(row) for row in csv.reader(lines)} == {3}
    assert (folder / "collect-diagnostics.sh").read_text(encoding="utf-8").startswith("#!/bin/sh\n")


def test_the_images_are_what_their_script_draws() -> None:
    images = module("make_images")
    folder = DOCS / "engineering" / "on-call"

    def pixels(png: bytes) -> bytes:
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        start = png.index(b"IDAT")
        return zlib.decompress(
            png[start + 4 : start + 4 + int.from_bytes(png[start - 4 : start], "big")]
        )

    assert pixels((folder / "alert-screen.png").read_bytes()) == pixels(images.alert_screen())
    assert (folder / "payment-latency-2026-05-19.svg").read_text(
        encoding="utf-8"
    ) == images.latency_chart()


# --- situations ----------------------------------------------------------------------------------


def test_the_sentence_about_500_dollars_is_once_a_rule_and_once_background() -> None:
    places = Counter({path: text.count(SENTENCE) for path, (_, text) in documents().items()})
    found = {type_of(path): count for path, count in places.items() if count}
    assert found == {"guideline": 1, "brief": 1}
    assert sum(places.values()) == 2


def test_refunds_are_superseded_twice_and_the_last_is_approved_by_legal() -> None:
    memo, third, fourth = (
        "legal/archive/refund-memo-2022.md",
        "legal/archive/refund-policy-v3.md",
        "legal/refund-policy-v4.md",
    )
    assert documents()[third][0]["supersedes"] == [memo]
    assert documents()[fourth][0]["supersedes"] == [third]
    assert documents()[third][0]["superseded_by"] == fourth
    assert documents()[fourth][0]["approved_on"] == datetime.date(2026, 2, 1)
    assert documents()["legal/refund-principles.md"][0]["time_sensitive"] is False
    assert documents()["legal/refund-principles.md"][0]["approved_on"].year == 2019


def test_enterprise_pricing_is_there_four_times_and_once_ours_and_current() -> None:
    pricing = {
        path: head for path, (head, _) in documents().items() if "pricing" in head.get("tags", [])
    }
    assert Counter((head["about"], head["state"]) for head in pricing.values()) == {
        ("ours", "approved"): 1,
        ("ours", "deprecated"): 1,
        ("third-party", "approved"): 1,
        ("hypothetical", "approved"): 1,
    }


def test_two_approved_documents_disagree_and_nothing_decides() -> None:
    legal, sales = documents()["legal/contract-standards.md"], documents()["sales/renewals.md"]
    for key in ("type", "state", "authority", "updated", "approved_on", "review_by"):
        assert legal[0][key] == sales[0][key], key
    assert legal[0]["owner"] != sales[0]["owner"]
    assert re.search(r"notice\s+of non-renewal at least 60 days", legal[1])
    assert re.search(r"notice of non-renewal at least 30 days", sales[1])


def test_the_contract_has_its_figures_in_both_languages() -> None:
    english = documents()["contracts/northern-steel.md"]
    russian = documents()["contracts/northern-steel.ru.md"]
    for part in (
        "30 % upfront",
        "50 %",
        "20 %",
        "30 calendar days",
        "at the first plant",
        "at all three plants",
    ):
        assert part in english[1], part
    for part in (
        "30 % авансом",
        "50 %",
        "20 %",
        "30 календарных дней",
        "на первом заводе",
        "на всех трёх заводах",
    ):
        assert part in russian[1], part
    assert english[0]["access"] == russian[0]["access"] == ["sales", "management"]


def test_the_march_incident_has_no_details_anywhere() -> None:
    for path, (_, text) in documents().items():
        for line in text.splitlines():
            if re.search(r"\bin March\b|\bв марте\b", line) and path.startswith("engineering/"):
                assert path in {
                    "engineering/incidents/2026-05-19-payment-service.md",
                    "engineering/slack-err-4412.md",
                }
    assert not list((DOCS / "engineering" / "incidents").glob("2026-03*"))


def test_figures_of_pay_stand_only_where_pay_may_be_read() -> None:
    for path, (_, text) in documents().items():
        if re.search(r"6[.,]8 %", text):
            assert documents()[path][0]["access"] == ["hr", "management"], path


@pytest.mark.parametrize(
    ("needle", "path"),
    [
        ("INV-2026-0041", "finance/invoices/inv-2026-0041.md"),
        ("INV-2026-0141", "finance/invoices/inv-2026-0141.md"),
        ("2026-041", "contracts/northern-steel.md"),
        ("ERR-4412", "engineering/on-call/runbook.md"),
        ("provision-tenant --plan", "sales/onboarding/enterprise-customer.md"),
        ("NS-40/2-A", "engineering/hardware/ns-40-2-a.md"),
        ("4.2.1", "legal/contract-standards.md"),
        ("Гречишкину", "support/requests/req-1203-kaspiy.md"),
        ("Осташовой", "travel/business-travel.ru.md"),
        ("Северсталь-Сервис", "contracts/northern-steel.ru.md"),
    ],
)
def test_identifiers_that_people_look_for_stand_in_the_text(needle: str, path: str) -> None:
    assert needle in documents()[path][1]


def test_there_are_pages_overdue_expired_not_yet_valid_and_always_on() -> None:
    heads = [head for head, _ in documents().values()]
    assert any(head.get("valid_from", TODAY) > TODAY for head in heads)
    assert any(head.get("review_by", TODAY) < TODAY for head in heads)
    assert any(head.get("valid_until", TODAY) < TODAY for head in heads)
    assert any(head.get("always_on") for head in heads)


# --- questions -----------------------------------------------------------------------------------


def test_questions_have_only_the_documented_keys() -> None:
    assert len(questions()) >= 60
    for question in questions():
        assert set(question) <= KEYS, names(question)
        assert set(question) >= {"question", "expect", "as", "language", "category"}, names(
            question
        )
        assert question["category"] in CATEGORIES, names(question)
        assert question["as"] in groups(), names(question)
        assert isinstance(question.get("answer", ""), str), names(question)
        assert all(grade in {1, 2, 3} for grade in expected(question).values()), names(question)


def test_no_question_is_asked_twice_by_the_same_caller() -> None:
    asked = Counter((question["question"], question["as"]) for question in questions())
    assert [pair for pair, count in asked.items() if count > 1] == []


def test_questions_are_balanced_by_category_and_language() -> None:
    categories = Counter(question["category"] for question in questions())
    assert all(categories[category] >= 6 for category in CATEGORIES), categories
    languages = Counter(question["language"] for question in questions())
    assert 0.35 <= languages["ru"] / languages.total() <= 0.65, languages
    assert set(languages) == {"en", "ru"}
    for question in questions():
        if question["category"] in {"own-words", "other-language", "similar", "browse"}:
            assert language(question["question"]) == question["language"], names(question)


def test_every_place_that_a_question_names_exists() -> None:
    for question in questions():
        for handle in [
            *expected(question),
            *question.get("must_not_find", []),
            *question.get("must_not_lead", []),
        ]:
            path, _, section = handle.partition("#")
            assert path in documents(), (names(question), path)
            if section:
                assert section in slugs(documents()[path][1]), (names(question), handle)


def test_control_questions_expect_nothing_and_the_others_something() -> None:
    for question in questions():
        if question["category"] == "control":
            assert question["expect"] == [] and question["must_not_find"], names(question)
        else:
            assert expected(question), names(question)
            decoys = set(question.get("must_not_lead", []))
            governing = {
                path_of(handle) for handle, grade in expected(question).items() if grade > 1
            }
            assert not decoys & governing, names(question)


def test_callers_may_read_what_they_should_find_and_nothing_they_must_not() -> None:
    for question in questions():
        for handle in [*expected(question), *question.get("must_not_lead", [])]:
            assert may_read(question["as"], path_of(handle)), (names(question), handle)
        for path in question.get("must_not_find", []):
            assert not may_read(question["as"], path), (names(question), path)


def test_the_answer_stands_in_a_place_that_is_expected() -> None:
    def plain(text: str) -> str:
        return re.sub(r"\s+", " ", text.replace("**", "").replace("`", "")).lower()

    for question in questions():
        if "answer" in question:
            texts = [plain(documents()[path_of(handle)][1]) for handle in expected(question)]
            assert any(plain(question["answer"]) in text for text in texts), names(question)


def test_a_page_in_the_other_language_is_what_other_language_questions_expect() -> None:
    for question in questions():
        if question["category"] == "other-language":
            best = [handle for handle, grade in expected(question).items() if grade == 3]
            for handle in best:
                assert language(documents()[path_of(handle)][1]) != question["language"], names(
                    question
                )


def test_groups_hold_somebody_of_every_group_that_documents_name() -> None:
    people = {group for mine in groups().values() for group in mine}
    named = {
        group
        for head, _ in documents().values()
        for key in ("access", "deny")
        for group in head.get(key, [])
    }
    assert named <= people
    assert people == {"sales", "support", "hr", "management", "legal", "engineering", "contractors"}


# --- database ------------------------------------------------------------------------------------


def test_the_database_is_the_same_every_time(tmp_path: Path) -> None:
    script = module("make_company_db")
    assert TODAY.isoformat() == script.TODAY
    for name in ("one.db", "two.db", "two.db"):
        script.make(tmp_path / name)
    assert (tmp_path / "one.db").read_bytes() == (tmp_path / "two.db").read_bytes()


def test_the_database_holds_the_deals_of_northern_steel(tmp_path: Path) -> None:
    module("make_company_db").make(tmp_path / "company.db")
    connection = sqlite3.connect(tmp_path / "company.db")
    try:
        deals = connection.execute(
            "SELECT status, closed_on, amount, contract FROM deals JOIN clients ON clients.id = client_id"
            " WHERE name = 'Northern Steel Service' ORDER BY closed_on"
        ).fetchall()
        assert deals == [
            ("won", "2025-06-17", 85_000, "2025-022"),
            ("won", "2026-02-03", 480_000, "2026-041"),
            ("lost", "2026-03-24", 60_000, None),
        ]
        for view, amount in [("earned_by_client", 480_000), ("received_by_client", 144_000)]:
            assert connection.execute(
                f"SELECT * FROM {view} WHERE client = 'Northern Steel Service' AND year = '2026'"
            ).fetchall() == [("Northern Steel Service", "2026", amount)]
        assert {status for (status,) in connection.execute("SELECT status FROM deals")} == {
            "won",
            "lost",
            "open",
        }
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    finally:
        connection.close()


def test_the_database_says_who_may_see_each_table_and_keeps_pay_to_hr_and_management(
    tmp_path: Path,
) -> None:
    module("make_company_db").make(tmp_path / "company.db")
    connection = sqlite3.connect(tmp_path / "company.db")
    try:
        allowed = dict(connection.execute("SELECT name, allowed FROM table_access"))
        tables = {
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
            )
        }
        assert set(allowed) == tables - {"table_access"}
        assert allowed["salaries"] == allowed["current_salaries"] == "hr management"
        dates = [
            day
            for column, table in [
                ("closed_on", "deals"),
                ("paid_on", "payments"),
                ("valid_from", "salaries"),
            ]
            for (day,) in connection.execute(
                f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL"
            )
        ]
        assert max(dates) <= TODAY.isoformat()
    finally:
        connection.close()


def test_invoices_say_the_same_in_the_database_and_on_their_pages(tmp_path: Path) -> None:
    module("make_company_db").make(tmp_path / "company.db")
    connection = sqlite3.connect(tmp_path / "company.db")
    try:
        for number in ("INV-2026-0041", "INV-2026-0141"):
            issued, due, paid, amount = connection.execute(
                "SELECT issued_on, due_on, paid_on, amount FROM payments WHERE invoice = ?",
                (number,),
            ).fetchone()
            text = (
                documents()[f"finance/invoices/{number.lower()}.md"][1]
                .replace(" ", "")
                .replace(",", "")
            )
            assert issued in text and due in text and str(amount) in text
            assert paid is None or paid in text
    finally:
        connection.close()

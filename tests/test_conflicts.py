"""Where documents disagree, and which side holds."""

from __future__ import annotations

from datetime import date
from time import process_time

import pytest

from tests.company import caller_named, company
from tests.pages import found, page
from tests.shelf import TODAY, scope_of
from wellread.bearing import Bearing, Bearings
from wellread.conflicts import find_conflicts
from wellread.delivery import Conflict
from wellread.library import Library
from wellread.query import build_query
from wellread.store.base import DocumentText
from wellread.types import Filters

RULE = "A customer may ask for a refund within {} of the payment. No reason has to be given."


def refunds(
    path: str, within: str = "14 days", title: str = "Refunds", **more: object
) -> DocumentText:
    return page(path, title, RULE.format(within), **more)


def only(*pages: DocumentText) -> Conflict:
    (conflict,) = find_conflicts(found(*pages))
    return conflict


# --- what is a conflict --------------------------------------------------------------------


def test_other_value_for_the_same_thing_is_named_with_both_places_and_values() -> None:
    legal = page("legal/refunds.md", "Refunds", "\n\n" + RULE.format("14 days"), body_line=5)
    sales = page("sales/promise.md", "What we promise", RULE.format("30 days"))
    conflict = only(legal, sales)
    assert (conflict.kind, conflict.attribute) == ("values", "duration")
    assert (conflict.left.path, conflict.left.lines, conflict.left.value) == (
        "legal/refunds.md", (7, 7), "14 days",
    )  # fmt: skip
    assert (conflict.right.path, conflict.right.lines, conflict.right.value) == (
        "sales/promise.md", (1, 1), "30 days",
    )  # fmt: skip
    assert conflict.left.sentence.startswith("A customer may ask")


@pytest.mark.parametrize(
    ("one", "other"), [("14 days", "two weeks"), ("30 days", "one month"), ("14 days", "14 days")]
)
def test_same_value_in_other_words_is_no_conflict(one: str, other: str) -> None:
    assert find_conflicts(found(refunds("a.md", one), refunds("b.md", other))) == []


@pytest.mark.parametrize(
    ("one", "other", "attribute"),
    [
        ("The dinner with a client is paid up to $80.", "For a client dinner we pay up to $120.", "amount"),
        ("Resellers keep 20 % of renewals.", "Of renewals resellers keep a quarter of it.", "percentage"),
        ("Budgets are due on 15 September.", "The budgets are due by 30 September 2026.", "date"),
        ("A change needs two approvals.", "Each change needs 3 approvals.", "count"),
        ("Флешки подключать запрещено.", "Подключать флешки можно.", "permission"),
        ("Deploys on Friday are allowed.", "Nobody deploys on Friday.", "permission"),
        ("Отчёт сдают каждые 30 дней.", "Отчёт сдают ежеквартально.", "duration"),
    ],
)  # fmt: skip
def test_attributes_are_compared_in_both_languages(one: str, other: str, attribute: str) -> None:
    conflict = only(page("a.md", "One page", one), page("b.md", "The other", other))
    assert conflict.attribute == attribute


def test_permission_that_hangs_on_the_same_thing_is_no_conflict() -> None:
    allowed = page("a.md", "Logos", "A customer's logo may be shown only with written consent.")
    banned = page("b.md", "Marks", "A customer's logo must not be shown without written consent.")
    assert find_conflicts(found(allowed, banned)) == []


def test_question_is_no_claim_and_its_answer_is_one() -> None:
    banned = page("a.md", "Media", "USB sticks must not be connected to company computers.")
    asked = "May I connect a USB stick to my computer? {}. Use the portal."
    no, yes = (page(f"{word}.md", "Questions", asked.format(word)) for word in ("No", "Yes"))
    assert find_conflicts(found(banned, no)) == []
    assert only(banned, yes).attribute == "permission"


def test_value_for_another_case_is_no_conflict() -> None:
    starter = page("a.md", "The Starter plan", "Starter has 5 seats and one workspace.")
    team = page("b.md", "The Team plan", "Team has 50 seats and ten workspaces.")
    assert find_conflicts(found(starter, team)) == []


def test_what_is_said_of_others_is_no_conflict_with_ours() -> None:
    ours = page("a.md", "Price", "The Team plan costs $12 a seat.")
    theirs = page("b.md", "Price", "The Team plan costs $9 a seat.", about="third-party")
    assert find_conflicts(found(ours, theirs)) == []


def test_terms_of_different_clients_are_no_conflict() -> None:
    one = refunds("a.md", "14 days", client="Northwind")
    other = refunds("b.md", "30 days", client="Halvorsen")
    assert find_conflicts(found(one, other)) == []


def test_one_document_does_not_disagree_with_itself() -> None:
    (one,) = found(page("a.md", "Refunds", f"{RULE.format('14 days')} {RULE.format('30 days')}"))
    assert find_conflicts([one, one]) == []


def test_parallel_translation_is_a_conflict_only_with_other_values() -> None:
    english = page("a.md", "Notice", "The notice is 60 days. Data is returned in ten working days.")
    russian = "Срок предупреждения — {} дней. Данные возвращаются за десять рабочих дней."
    same, other = (
        page(f"{days}.md", "Срок", russian.format(days), metadata={"translation_of": "a.md"})
        for days in (60, 90)
    )
    assert find_conflicts(found(english, same)) == []
    conflict = only(english, other)
    assert (conflict.left.value, conflict.right.value) == ("60 days", "90 дней")
    assert conflict.stands == "a.md"


def test_pages_in_two_languages_that_translate_nothing_are_not_compared() -> None:
    english = page("a.md", "Notice", "The notice is 60 days.")
    russian = page("b.md", "Срок", "Срок предупреждения — 90 дней.")
    assert find_conflicts(found(english, russian)) == []


# --- which side holds ----------------------------------------------------------------------


def test_successor_holds_and_the_reason_names_it() -> None:
    old = refunds("old.md", "30 days", superseded_by="new.md")
    conflict = only(old, refunds("new.md", "14 days"))
    assert (conflict.kind, conflict.stands) == ("superseded", "new.md")
    assert "superseded by new.md" in conflict.why


def test_what_is_in_force_holds_against_a_draft_however_new() -> None:
    draft = refunds("draft.md", "45 days", "Proposal", state="draft", updated=date(2026, 6, 1))
    conflict = only(draft, refunds("policy.md"))
    assert (conflict.stands, conflict.why) == ("policy.md", "the other is draft")


def test_authority_holds_among_those_in_force() -> None:
    conflict = only(refunds("note.md", "30 days", "A note"), refunds("policy.md", authority=5))
    assert (conflict.stands, conflict.why) == ("policy.md", "its authority is 5, the other's 3")


def test_newer_page_holds_within_one_owner_and_one_title_alone() -> None:
    old, new = date(2024, 1, 1), date(2026, 1, 1)
    ours = only(
        refunds("a.md", "30 days", "Promise", owner="legal", updated=old),
        refunds("b.md", owner="legal", updated=new),
    )
    titled = only(refunds("a.md", "30 days", updated=old), refunds("b.md", updated=new))
    others = only(
        refunds("a.md", "30 days", "Promise", owner="sales", updated=old),
        refunds("b.md", owner="legal", updated=new),
    )
    assert (ours.stands, titled.stands, others.stands) == ("b.md", "b.md", None)
    assert "2026-01-01" in ours.why
    assert others.why == "both are as good, and of different owners"


def test_age_never_counts_against_a_page_that_says_so() -> None:
    timeless = refunds("a.md", "30 days", updated=date(2019, 1, 1), time_sensitive=False)
    conflict = only(timeless, refunds("b.md", updated=date(2026, 1, 1)))
    assert conflict.stands is None
    assert "a.md" in conflict.why


def test_what_is_gone_is_compared_with_its_own_versions_alone() -> None:
    memo = "You may ask for a refund within 30 days of payment, as we said at the fair."
    archived = page("old.md", "Memo of 2022", memo, state="archived")
    in_force = page("old.md", "Memo of 2022", memo)
    assert find_conflicts(found(archived, refunds("new.md"))) == []
    assert only(in_force, refunds("new.md")).attribute == "duration"


def test_undecided_conflicts_come_first() -> None:
    pages = (refunds("a.md"), refunds("draft.md", "45 days", "Idea", state="draft"),
             refunds("b.md", "30 days", "Promise", owner="sales"))  # fmt: skip
    stands = [conflict.stands for conflict in find_conflicts(found(*pages))]
    assert None in stands
    assert stands == sorted(stands, key=lambda one: one is not None)


def test_hundred_passages_of_sixty_documents_are_compared_in_time() -> None:
    pages = [
        page(
            f"{at}.md",
            f"Page {at % 60}",
            f"Team {chr(97 + at % 26)}{at} pays {at + 10} dollars for item{at % 9} "
            f"within {at % 30 + 1} days. Nobody may change part{at % 7} of it.",
        )
        for at in range(100)
    ]
    bearings = found(*pages)
    find_conflicts(bearings)
    began = process_time()
    find_conflicts(bearings)
    assert process_time() - began < 0.5, "ten times what it takes on an idle machine"


# --- the example company -------------------------------------------------------------------


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return company(tmp_path_factory.mktemp("company"))


def bearing_on(library: Library, task: str, subject: str) -> list[Bearing]:
    scope = library.scope(caller_named(library, subject))
    with library.snapshot() as snapshot:
        query = build_query(task, snapshot=snapshot, scope=scope, filters=Filters())
        return Bearings(query, snapshot=snapshot, scope=scope, as_of=TODAY, domain=None).gather()


def between(conflicts: list[Conflict], *paths: str) -> list[Conflict]:
    return [one for one in conflicts if {one.left.path, one.right.path} == set(paths)]


def test_two_approved_documents_of_the_company_disagree_and_nothing_decides(
    library: Library,
) -> None:
    task = "how much notice of non-renewal does an annual subscription need?"
    conflicts = find_conflicts(bearing_on(library, task, "ann"))
    (conflict,) = between(conflicts, "legal/contract-standards.md", "sales/renewals.md")
    values = {place.path: place.value for place in (conflict.left, conflict.right)}
    assert values == {"legal/contract-standards.md": "60 days", "sales/renewals.md": "30 days"}
    assert conflict.stands is None
    assert conflict.why == "both are as good, and of different owners"


def test_refund_policy_holds_against_the_draft_of_the_product_manager(library: Library) -> None:
    task = "refund policy for enterprise customers: what may an account executive approve?"
    paths = ("legal/refund-policy-v4.md", "product/refund-policy-proposal.md")
    conflicts = between(find_conflicts(bearing_on(library, task, "ann")), *paths)
    assert {("$10,000", "$60,000")} <= {
        tuple(sorted((one.left.value, one.right.value))) for one in conflicts
    }
    assert {(one.stands, one.why) for one in conflicts} == {
        ("legal/refund-policy-v4.md", "the other is draft")
    }


def test_who_may_not_read_one_side_sees_no_conflict(library: Library) -> None:
    task = "refund policy for enterprise customers: what may an account executive approve?"
    seen = find_conflicts(bearing_on(library, task, "carl"))
    assert not [one for one in seen if "refund-policy" in one.left.path + one.right.path]


def test_translations_of_the_company_say_the_same(library: Library) -> None:
    pairs = {
        "legal/refund-policy-v4.md", "legal/personal-and-health-data.md",
        "contracts/northern-steel.md", "travel/business-travel.md", "people/vacation.md",
        "people/compensation/compensation-policy-2026.md", "people/termination-of-employment.md",
    }  # fmt: skip
    scope = scope_of(library)
    with library.snapshot() as snapshot:
        for path in sorted(pairs):
            both = [
                snapshot.find(each, scope=scope) for each in (path, path.replace(".md", ".ru.md"))
            ]
            texts = [snapshot.text(one.id, scope=scope) for one in both if one is not None]
            pages = [one for one in texts if one is not None]
            assert len(pages) == 2
            assert find_conflicts(found(*pages)) == [], path

"""What texts claim: values and permissions, each with what it is said of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.claims import Claim, claims
from wellread.permissions import Permission


def one(text: str, title: str = "") -> Claim:
    (claim,) = claims(text, title).claims
    return claim


def said(text: str) -> list[Permission | None]:
    return [claim.permission for claim in claims(text).claims if claim.permission]


@pytest.mark.parametrize(
    ("text", "permission"),
    [
        ("Guests may park in the yard.", "allowed"),
        ("Guests may not park in the yard.", "forbidden"),
        ("Nobody parks in the yard.", "forbidden"),
        ("Do not park in the yard.", "forbidden"),
        ("Guests may park in the yard only with a badge.", "conditional"),
        ("Guests must not park in the yard without a badge.", "conditional"),
        ("A badge is required in the yard.", "required"),
        ("No badge is needed in the yard.", "not required"),
        ("Taxi rides are reimbursed.", "allowed"),
        ("Taxi rides are not reimbursed.", "forbidden"),
        ("Гостям можно парковаться во дворе.", "allowed"),
        ("Гостям нельзя парковаться во дворе.", "forbidden"),
        ("Не паркуйте машины во дворе.", "forbidden"),
        ("Парковаться во дворе можно только с пропуском.", "conditional"),
        ("Без пропуска парковаться нельзя.", "conditional"),
        ("Во дворе обязателен пропуск.", "required"),
        ("Пропуск во дворе не нужен.", "not required"),
        ("Поездки на такси не компенсируем.", "forbidden"),
    ],
)
def test_permission_is_read_in_both_languages(text: str, permission: Permission) -> None:
    assert said(text) == [permission]


def test_what_is_supposed_permits_and_forbids_nothing() -> None:
    assert said("If you do not have a key, ask the guard.") == []
    assert said("Guests who cannot find the yard ask the guard.") == []


def test_question_is_no_claim_and_its_answer_is_of_what_was_asked() -> None:
    (claim,) = claims("May guests park in the yard? No.").claims
    assert (claim.permission, claim.value) == ("forbidden", "No")
    assert {"park", "yard"} <= claim.terms


def test_sentence_that_refers_back_is_of_the_same_thing() -> None:
    claim = one("The stick is in the bag. It costs $20.")
    assert "stick" in claim.referred
    assert "stick" not in claim.terms


def test_value_belongs_to_its_clause() -> None:
    partner, renewal = claims("Partners keep 30 % of the first sale, and 15 % of renewals.").claims
    assert "sale" in partner.clause and "sale" not in renewal.clause
    assert "renew" in renewal.clause


def test_place_is_that_of_the_sentence() -> None:
    text = "Nothing here.\n\n- A trial lasts 30 days.\n- Nothing there."
    claim = one(text)
    assert text[claim.start : claim.end] == "- A trial lasts 30 days."


def test_names_and_kinds_are_the_case_that_a_claim_is_made_for() -> None:
    assert "german" in one("The notice in Germany is three months.").kinds
    assert "premiu" in one("On the premium plan an engineer answers in 4 hours.").kinds


def test_addresses_code_and_headings_claim_nothing() -> None:
    assert claims("See [the page](https://example.com/?id=18%3A1) and `5 days`.").claims == ()
    assert claims("# Three rules\n\nNothing else.").claims == ()


@given(st.text(alphabet="abcя 5%$.,?!\n-#|«»", max_size=80))
def test_any_text_is_read_and_places_lie_in_it(text: str) -> None:
    for claim in claims(text).claims:
        assert 0 <= claim.start < claim.end <= len(text)

"""Quantities as people write them, in English and Russian."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.quantities import Quantity, elided, number, quantities, same


def one(text: str) -> Quantity:
    (found,) = quantities(text)
    return found


@pytest.mark.parametrize(
    ("written", "worth"),
    [
        ("1,200", 1200), ("1.200", 1200), ("1 200", 1200), ("1 200,50", 1200.5),
        ("1,200.50", 1200.5), ("12.5", 12.5), ("12,5", 12.5), ("50 000", 50_000),
        ("thirty", 30), ("тридцати", 30), ("Двух", 2), ("7", 7),
    ],
)  # fmt: skip
def test_numbers_are_read_in_either_notation_and_in_words(written: str, worth: float) -> None:
    assert number(written) == worth


@pytest.mark.parametrize(
    ("text", "kind", "low", "high", "unit", "bound"),
    [
        ("a refund of $50K today", "money", 50_000, 50_000, "USD", "exact"),
        ("refunds over $500 need approval", "money", 500, 500, "USD", "at-least"),
        ("USD 1,250.50 in all", "money", 1250.5, 1250.5, "USD", "exact"),
        ("не более 50 000 ₽ за раз", "money", 50_000, 50_000, "RUB", "at-most"),
        ("премия 1,5 млн рублей", "money", 1_500_000, 1_500_000, "RUB", "exact"),
        ("до 300 тыс. руб. в год", "money", 300_000, 300_000, "RUB", "at-most"),
        ("€ 99 a seat", "money", 99, 99, "EUR", "exact"),
        ("100 евро в сутки", "money", 100, 100, "EUR", "exact"),
        ("30 % upfront", "percent", 30, 30, "%", "exact"),
        ("a raise of 4–6%", "percent", 4, 6, "%", "exact"),
        ("надбавка двадцать процентов", "percent", 20, 20, "%", "exact"),
        ("within 30 calendar days", "duration", 30, 30, "days", "at-most"),
        ("two weeks of notice", "duration", 14, 14, "days", "exact"),
        ("one month of notice", "duration", 28, 31, "days", "exact"),
        ("не позднее 14 дней", "duration", 14, 14, "days", "at-most"),
        ("в течение 10 рабочих дней", "duration", 10, 16, "days", "at-most"),
        ("a 30-day trial", "duration", 30, 30, "days", "exact"),
        ("at least 5 business days", "duration", 5, 9, "days", "at-least"),
        ("three plants", "count", 3, 3, "plants", "exact"),
        ("пяти сотрудников", "count", 5, 5, "сотрудников", "exact"),
    ],
)
def test_quantity_is_read_with_its_unit_and_bound(
    text: str, kind: str, low: float, high: float, unit: str, bound: str
) -> None:
    found = one(text)
    assert (found.kind, found.low, found.high, found.unit, found.bound) == (
        kind, pytest.approx(low), pytest.approx(high), unit, bound,
    )  # fmt: skip
    assert " ".join(text[found.start : found.end].split()) == found.written


@pytest.mark.parametrize(
    "text",
    ["2026-03-02", "02.03.2026", "2 March 2026", "March 2, 2026", "2 марта 2026", "2nd Mar 2026"],
)
def test_a_day_is_the_same_however_it_is_written(text: str) -> None:
    found = one(f"valid from {text} on")
    assert found.kind == "date"
    assert same(found, one("2026-03-02"))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("14 days", "2 weeks", True),
        ("14 дней", "two weeks", True),
        ("30 days", "one month", True),
        ("10 working days", "2 weeks", True),
        ("12 months", "a term of one year", True),
        ("90 days", "one quarter", True),
        ("14 days", "15 days", False),
        ("30 days", "2 months", False),
        ("$500", "500 dollars", True),
        ("$500", "€500", False),
        ("$0.5K", "$500", True),
        ("30 %", "30 days", False),
        ("2 марта", "March 2", True),
        ("2 марта", "March 3", False),
    ],
)
def test_units_are_converted_before_values_are_compared(
    left: str, right: str, expected: bool
) -> None:
    assert same(one(left), one(right)) is expected
    assert same(one(right), one(left)) is expected


@pytest.mark.parametrize(
    "text",
    ["INV-2026-0041", "ERR-4412", "version 2.13.0", "section 4.2.1", "see page-17", "no numbers",
     "a day", "one", "room 301"],
)  # fmt: skip
def test_codes_and_bare_numbers_are_no_quantities(text: str) -> None:
    assert quantities(text) == []


@given(st.text(alphabet="0123456789 $€%.,-daysдней рубKmonth\n", max_size=60))
def test_any_text_has_quantities_in_order_that_do_not_overlap(text: str) -> None:
    found = quantities(text)
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert all(one.low <= one.high for one in found)


@given(st.text(alphabet="0123456789 .,'-$%kдней days:", max_size=40))
def test_any_row_of_figures_is_read_without_an_error(text: str) -> None:
    assert all(one.low <= one.high for one in quantities(text))


def test_numbers_side_by_side_stay_two() -> None:
    found = quantities("between $10,000 180.5 km away and 5 days")
    assert (found[0].kind, found[0].low) == ("money", 10_000)


@pytest.mark.parametrize(
    ("text", "kind", "low"),
    [
        ("a fifth of the revenue", "percent", 20),
        ("четверть суммы", "percent", 25),
        ("half of the price", "percent", 50),
        ("twenty-five seats", "count", 25),
        ("one and a half million dollars", "money", 1_500_000),
        ("сто пятьдесят рублей", "money", 150),
        ("раз в сутки", "duration", 1),
        ("every week", "duration", 7),
        ("within a week", "duration", 7),
        ("a fortnight, that is one fortnight", "duration", 14),
        ("за неделю до конца", "duration", 7),
        ("дважды в неделю", "duration", 3.5),
        ("on the tenth of each month", "date", 10),
        ("до 10-го числа", "date", 10),
        ("until 3 pm", "time", 15),
        ("до трёх часов дня", "time", 15),
        ("by 17:30", "time", 17.5),
        ("a couple of reviewers", "count", 2),
    ],
)
def test_what_is_said_without_figures_is_read_too(text: str, kind: str, low: float) -> None:
    found = one(text)
    assert (found.kind, found.low) == (kind, low)


def test_half_a_year_and_six_months_may_be_the_same() -> None:
    assert same(one("полгода"), one("six months"))
    assert not same(one("полгода"), one("90 дней"))


def test_day_without_a_year_is_the_same_in_any_year() -> None:
    assert same(one("31 March"), one("2027-03-31"))
    assert not same(one("31 March"), one("2027-06-30"))


def test_number_without_a_unit_is_of_the_kind_that_its_sentence_speaks_of() -> None:
    text = "С первой сделки 30 %, с каждого продления — 20."
    (bare,) = elided(text, len(text), quantities(text))
    assert (bare.kind, bare.low, bare.written) == ("percent", 20, "20")

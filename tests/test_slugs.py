from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.documents import ConvertedPage
from wellread.slugs import Slugs, page_slug, slug


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Payment terms", "payment-terms"),
        ("C#", "c"),
        ("What's new? (v2.13.0)", "whats-new-v2130"),
        ("Запрос № 1: «Срочно»", "запрос--1-срочно"),
        ("snake_case and kebab-case", "snake_case-and-kebab-case"),
        ("A & B", "a--b"),
        ("経費精算 の手続き", "経費精算-の手続き"),
        ("हिन्दी", "हिन्दी"),
        ("🎉", "section"),
        ("", "section"),
    ],
)
def test_slugs_follow_the_rules_of_github(heading: str, expected: str) -> None:
    assert slug(heading) == expected


def test_repeats_get_numbers_that_never_collide() -> None:
    slugs = Slugs()
    wanted = ["a", "a", "a-1", "a", "b"]
    assert [slugs.unique(name) for name in wanted] == ["a", "a-1", "a-1-1", "a-2", "b"]


@given(st.lists(st.sampled_from(["a", "a-1", "a-1-1", "b", "section"]), max_size=20))
def test_slugs_of_one_document_are_unique(wanted: list[str]) -> None:
    slugs = Slugs()
    made = [slugs.unique(name) for name in wanted]
    assert len(set(made)) == len(made)


def test_pages_slides_and_sheets_have_slugs_of_their_kind() -> None:
    def page(kind: str, label: str, number: int) -> ConvertedPage:
        return ConvertedPage(
            label=label,
            kind=kind,  # type: ignore[arg-type]
            number=number,
            char_start=0,
            char_end=0,
        )

    assert page_slug(page("page", "493", 493)) == "page-493"
    assert page_slug(page("slide", "Our plan", 3)) == "slide-3"
    assert page_slug(page("sheet", "Q1 Prices", 1)) == "q1-prices"

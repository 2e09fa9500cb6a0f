from __future__ import annotations

from dataclasses import replace

from tests.memory import make_document, whole_passage
from wellread.analyze import ANALYZER_VERSION, analyze_document, context_line, text_start
from wellread.documents import Document, Heading, Passage


def document(body: str, title: str = "Travel") -> Document:
    made = make_document("travel.md", title, body, "en")
    if body.startswith("#"):
        heading = Heading(
            level=2, text="Per diem", slug="per-diem", char_start=0, char_end=len(body), line=1
        )
        return replace(made, headings=(heading,))
    return made


def passage(made: Document, *heading: str) -> Passage:
    return replace(whole_passage(made), heading=heading)


def test_title_heading_and_text_keep_their_terms_apart() -> None:
    made = document("## Per diem\n\nSpain pays 60 euros.\n", title="Travels abroad")
    (analyzed,) = analyze_document(made, (passage(made, "Per diem"),)).passages
    assert analyzed.terms.title.split() == ["travel", "abroad"]
    assert analyzed.terms.heading.split() == ["per", "diem"]
    assert analyzed.terms.body.split() == ["spain", "pay", "60", "euro"]
    assert analyzed.terms.pairs.split() == [
        "travel_abroad",
        "per_diem",
        "spain_pay",
        "pay_60",
        "60_euro",
    ]


def test_heading_that_repeats_the_title_is_not_counted_twice() -> None:
    made = document("Text.", title="Travel")
    (analyzed,) = analyze_document(made, (passage(made, "TRAVEL", "Per diem"),)).passages
    assert analyzed.terms.heading.split() == ["per", "diem"]


def test_identifiers_of_the_title_count_as_the_title_does() -> None:
    made = document("ERR-1 and ERR-2", title="ERR-1")
    (analyzed,) = analyze_document(made, (passage(made, "ERR-2"),)).passages
    assert analyzed.terms.identifiers.split().count("err-1") == 5 + 1
    assert analyzed.terms.identifiers.split().count("err-2") == 3 + 1


def test_context_line_says_where_a_passage_comes_from() -> None:
    made = replace(
        document("Text."),
        client="Northern Steel",
        domain="sales",
        aliases=("PTO",),
        tags=("a", "b"),
    )
    assert context_line(made, passage(made, "Travel", "Per diem")) == (
        "Travel › Per diem · client: Northern Steel · domain: sales · also: PTO · tags: a, b"
    )


def test_text_starts_behind_its_heading_unless_that_is_all() -> None:
    assert text_start("# A\nb", 0, 5) == 4
    assert text_start("A\n---\nb", 0, 7) == 6
    assert text_start("# A\n", 0, 4) == 0
    assert text_start("a\nb", 0, 3) == 0


def test_version_names_what_the_terms_depend_on() -> None:
    assert "snowball" in ANALYZER_VERSION
    assert "unicode" in ANALYZER_VERSION

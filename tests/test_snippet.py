from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.memory import OWNER, MemorySnapshot, make_document
from wellread.query import Query, build_query
from wellread.snippet import WORDS, Snippet, render, snippet, visible
from wellread.types import Filters

FILLER = "Nothing of interest is said in this sentence about lunch. "


def query(text: str, *bodies: str, language: str = "en") -> Query:
    snapshot = MemorySnapshot(
        [make_document(f"{n}.md", "Page", b, language) for n, b in enumerate(bodies or ("x",))]
    )
    return build_query(text, snapshot=snapshot, scope=OWNER, filters=Filters())


def cut(body: str, text: str, language: str = "en") -> Snippet:
    asked = query(text, body, language=language)
    return snippet(body, 0, len(body), asked, language=language)


def test_matches_are_marked_in_any_form_of_the_word() -> None:
    assert render(cut("Payments are due in May.", "payment")) == "«Payments» are due in May."
    assert render(cut("Срок оплаты — май.", "оплата", "ru")) == "Срок «оплаты» — май."


def test_identifier_is_marked_as_a_whole() -> None:
    text = "See INV-2026-0041.pdf and INV-2026-0141."
    assert render(cut(text, "INV-2026-0041")) == "See «INV-2026-0041».pdf and INV-2026-0141."


def test_window_is_where_most_distinct_words_are() -> None:
    body = (
        "payment payment payment. "
        + FILLER * 20
        + "The payment terms of steel are strict. "
        + FILLER * 20
    )
    shown = render(cut(body, "payment terms steel"))
    assert "«payment» «terms» of «steel»" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")


def test_window_has_about_sixty_words_and_ends_on_word_borders() -> None:
    body = FILLER * 20 + "The payment is due. " + FILLER * 20
    result = cut(body, "payment")
    words = result.text.strip("… ").split()
    assert len(words) == WORDS
    assert set(words) <= set(body.split())


def test_text_without_a_match_starts_at_the_beginning() -> None:
    shown = cut("## Terms\n\n" + FILLER * 20, "zebra")
    assert shown.text.startswith("Nothing of interest")
    assert shown.text.endswith("…")
    assert shown.spans == ()


def test_the_heading_that_opens_a_passage_is_not_repeated() -> None:
    assert cut("## Payment terms\n\nDue in May.", "payment").text == "Due in May."
    assert cut("Payment\n=======\n\nDue in May.", "payment").text == "Due in May."
    assert cut("## Payment terms", "payment").text == "Payment terms"


def test_fence_markers_are_never_shown() -> None:
    body = (
        "Run this:\n\n```python title=run\nprovision(tenant)\n```\n\nThen wait.\n\n~~~\nmore\n~~~\n"
    )
    assert render(cut(body, "tenant python")) == "Run this: provision(«tenant») Then wait. more"


def test_tables_stay_readable_on_one_line() -> None:
    body = "| Country | Per diem |\n|---|:---:|\n| Spain | 60 |\n| Japan | 80 |\n"
    assert render(cut(body, "Spain")) == "Country | Per diem | «Spain» | 60 | Japan | 80"


def test_hidden_characters_are_removed() -> None:
    body = "Pay\u200bment is \u202edue\u202c now.\U000e0041\U000e0042"
    assert render(cut(body, "payment")) == "«Payment» is due now."
    assert visible("a\u2066b\u00ad\ufeffc") == "abc"


def test_text_without_spaces_is_cut_and_marked() -> None:
    body = "経" * 300 + "領収書を添付" + "費" * 300
    result = cut(body, "領収書", "ja")
    assert "«領収書»" in render(result)
    assert len(result.text) <= 2 * WORDS + 4


def test_a_very_long_line_is_cut() -> None:
    assert len(cut("x" * 200_000, "payment").text) <= 81 * WORDS


def test_overlapping_passage_range_is_respected() -> None:
    body = "secret payment. The payment is due. Other secret."
    start, end = body.index("The"), body.index("Other")
    asked = query("payment", body)
    assert render(snippet(body, start, end, asked, language="en")) == "The «payment» is due."


@given(
    body=st.text(alphabet="payment terms \n|-`~#>*_.,«»領収書\u200bé", max_size=400),
    text=st.sampled_from(("payment", "pay terms", "領収書", "t.e")),
)
def test_spans_are_ordered_and_inside_one_line_without_hidden_characters(
    body: str, text: str
) -> None:
    result = cut(body, text)
    assert "\n" not in result.text
    assert "\u200b" not in result.text
    last = 0
    for start, end in result.spans:
        assert last <= start < end <= len(result.text)
        last = end


def test_address_of_a_link_is_not_shown_unless_it_was_looked_for() -> None:
    body = "See the [travel guide](https://example.com/guides/ERR-4412.md) before you book a train."
    shown = render(cut(body, "travel"))
    assert "example.com" not in shown
    assert "[«travel» guide] before" in shown
    assert "«ERR-4412»" in render(cut(body, "ERR-4412"))

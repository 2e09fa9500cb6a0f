from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wellread.folding import fold
from wellread.stems import MAX_WORD, function_terms, pairs, stem, stems
from wellread.terms import MAX_IDENTIFIER, Lexicon, compounds, index_terms, lexicon, scan, tokens

TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from("abzABZ019 \n\t-_./\\:@#&=?+,'’«»\"()|*`"),
        st.sampled_from("ёйЁЙкузнецовіїў"),
        st.sampled_from("經費精算がｶﾞ領収한국กขิ\u0301\u0308\u0306\u3099\u00ad\u200bßﬁæøåİⅣ½①²"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=60,
)
LANGUAGE = st.sampled_from(("en", "ru", "de", "fr", "ja", "el", "ar", "xx"))


def words(text: str, language: str = "en") -> list[str]:
    return index_terms(text, language)[0]


def identifiers(text: str, language: str = "en") -> list[str]:
    return index_terms(text, language)[1]


@given(text=TEXT, language=LANGUAGE)
@example(text="ERR-4412 \ufdfa x", language="en")
def test_indexing_and_scanning_see_the_same_terms(text: str, language: str) -> None:
    found = scan(text, language)
    assert index_terms(text, language) == (
        [token.term for token in found.words],
        [token.term for token in found.identifiers],
    )


@given(text=TEXT, language=LANGUAGE)
def test_offsets_lie_in_the_given_text_and_positions_count_up(text: str, language: str) -> None:
    found = scan(text, language)
    assert [token.position for token in found.words] == list(range(len(found.words)))
    for token in (*found.words, *found.identifiers):
        assert 0 <= token.start < token.end <= len(text)
        assert token.term
        assert not any(character.isspace() for character in token.term)
    starts = [token.start for token in found.words]
    assert starts == sorted(starts)


@given(text=TEXT, language=LANGUAGE)
def test_text_at_a_words_offsets_gives_the_word_again(text: str, language: str) -> None:
    for token in tokens(text, language):
        part = text[token.start : token.end]
        # A mark is no word where it has no letter to stand on.
        if (len(part) == 1 and unicodedata.category(part)[0] != "M") or part.isascii():
            assert token.term in words(part, language)


@given(text=st.text(alphabet="éèüñçåäöйёўїабвABCabc -_.", max_size=40), language=LANGUAGE)
@example(text="ä--A", language="en")
def test_composed_and_decomposed_text_are_the_same(text: str, language: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    decomposed = unicodedata.normalize("NFD", text)
    assert index_terms(composed, language) == index_terms(decomposed, language)


@given(word=st.text(alphabet=st.characters(categories=("L",)), min_size=1, max_size=12))
def test_folding_twice_changes_nothing_more(word: str) -> None:
    assert fold(fold(word)) == fold(word)


@given(text=TEXT, language=LANGUAGE)
def test_a_full_lexicon_gives_the_same_terms(text: str, language: str) -> None:
    fresh = Lexicon(language)
    assert [term for piece in text.split() for term in fresh[piece]] == words(text, language)


@pytest.mark.parametrize(
    ("text", "expected_words", "expected_identifiers"),
    [
        ("ERR-4412", ["err", "4412"], ["err-4412"]),
        ("err 4412", ["err", "4412"], []),
        ("--plan", ["plan"], ["--plan"]),
        ("--plan=gold", ["plan", "gold"], ["--plan=gold", "--plan"]),
        ("snake_case", ["snake", "case"], ["snake_case"]),
        ("camelCaseName", ["camel", "case", "name"], ["camelcasename"]),
        ("HTTPServer", ["http", "server"], ["httpserver"]),
        ("mRNA iPhone PhD", ["mrna", "iphon", "phd"], []),
        ("v2.13.0", ["v2", "13", "0"], ["v2.13.0", "2.13.0"]),
        ("4.2.1", ["4", "2", "1"], ["4.2.1"]),
        ("§4.2.1", ["4", "2", "1"], ["4.2.1"]),
        ("2026-041", ["2026", "041"], ["2026-041"]),
        ("2026\u2013041", ["2026", "041"], ["2026-041"]),
        ("a::b", ["a", "b"], ["a::b"]),
        ("health.base.", ["health", "base"], ["health.base"]),
        ("NS-40/2-A", ["ns", "40", "2", "a"], ["ns-40/2-a", "ns-40", "2-a"]),
        (
            "INV-2026-0041.pdf",
            ["inv", "2026", "0041", "pdf"],
            ["inv-2026-0041.pdf", "inv-2026-0041"],
        ),
        (
            "mailto:ann@example.com",
            ["mailto", "ann", "exampl", "com"],
            ["mailto:ann@example.com", "ann@example.com", "example.com"],
        ),
        (
            "https://ex.com/err-4412?x=1",
            ["https", "ex", "com", "err", "4412", "x", "1"],
            ["https://ex.com/err-4412?x=1", "ex.com/err-4412?x=1", "ex.com", "err-4412"],
        ),
        ("C++ C# .NET", ["c", "c", "net"], ["c++", "c#", ".net"]),
        ("1,000", ["1", "000"], ["1,000"]),
        ("**bold**text", ["bold", "text"], []),
        ("__init__ _it_", ["init", "it"], []),
        ("[text](../a/b.md)", ["text", "a", "b", "md"], ["a/b.md", "b.md"]),
        ("company's", ["compani"], []),
        ("l'homme", ["l", "homm"], []),
    ],
)
def test_compounds_are_kept_whole_and_split(
    text: str, expected_words: list[str], expected_identifiers: list[str]
) -> None:
    assert index_terms(text, "en") == (expected_words, expected_identifiers)


def test_scripts_without_spaces_become_bigrams() -> None:
    assert words("経費精算") == ["経費", "費精", "精算"]
    assert words("税") == ["税"]
    assert words("x税込y") == ["x", "税込", "y"]
    assert words("한국어") == ["한국", "국어"]


def test_half_width_signs_map_to_their_places() -> None:
    assert [(t.term, t.start, t.end) for t in tokens("ｶﾞｷﾞ", "ja")] == [("ガギ", 0, 4)]


def test_yo_is_ye_and_short_i_stays() -> None:
    assert fold("Ёлка") == "елка"
    assert fold("й") == fold("и\u0306") == "й"
    assert fold("за\u0301мок") == "замок"
    assert fold("Їжак") == "їжак"


def test_latin_letters_lose_their_diacritics() -> None:
    assert fold("Ångström naïve señor Größe Łódź søk") == "angstrom naive senor grosse lodz sok"


def test_characters_that_are_not_shown_do_not_tell_words_apart() -> None:
    assert words("pay\u00admen\u200bts") == words("payments") == ["payment"]


def test_a_surname_is_one_term_in_all_its_cases() -> None:
    forms = ("Кузнецов", "Кузнецова", "Кузнецову", "Кузнецовым", "Кузнецове", "Кузнецовой")
    assert {words(form, "ru")[0] for form in forms} == {"кузнец"}


def test_script_decides_where_the_documents_language_is_written_otherwise() -> None:
    assert words("payments оплаты", "ru") == ["payment", "оплат"]
    assert words("payments оплаты", "en") == ["payment", "оплат"]
    assert stems("zahlungen", ("de", "ru")) == (stem("zahlungen", "de"), stem("zahlungen", "en"))


def test_pairs_join_content_words_across_function_words() -> None:
    assert pairs(words("the payment of an invoice"), "en") == ["payment_invoic"]
    assert pairs(words("оплата по договору", "ru"), "ru") == ["оплат_договор"]
    assert "the" in function_terms("en")


def test_very_long_words_and_compounds_are_cut_to_a_bounded_term() -> None:
    blob = "a" * 200_000
    assert [len(term) for term in words(blob)] == [MAX_WORD]
    path = "/".join(["part-1"] * 100)
    assert max(map(len, identifiers(path))) <= MAX_IDENTIFIER
    assert "part-1" in identifiers(path)


def test_lexicon_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wellread.terms.LEXICON_SIZE", 10)
    for number in range(40):
        index_terms(f"word{number} other-{number}", "eo")
    assert len(lexicon("eo")) <= 13
    assert len(lexicon("eo").identifiers) <= 13


def test_query_compounds_are_folded_and_not_stemmed() -> None:
    (compound,) = compounds("«Payments»")
    assert (compound.written, compound.words, compound.identifiers) == (
        "Payments",
        ("payments",),
        (),
    )

from __future__ import annotations

import pytest

from tests.memory import OWNER, MemorySnapshot, make_document
from tests.probes import PROBES, Probe
from wellread.errors import UsageError
from wellread.query import Query, build_query
from wellread.query_words import MAX_WORDS
from wellread.steps import DEFAULT_QUERY_WEIGHTS
from wellread.types import Caller, Filters, Scope


def ask(snapshot: MemorySnapshot, text: str, scope: Scope = OWNER) -> Query:
    return build_query(text, snapshot=snapshot, scope=scope, filters=Filters())


def library(*texts: str, language: str = "en") -> MemorySnapshot:
    return MemorySnapshot(
        [make_document(f"{n}.md", f"Page {n}", text, language) for n, text in enumerate(texts)]
    )


def found(snapshot: MemorySnapshot, query: Query, scope: Scope = OWNER) -> list[str]:
    result = snapshot.lexical(query.store, scope=scope, filters=Filters(), limit=10)
    return [snapshot.documents_by_id[hit.passage_id].path for hit in result.hits]


@pytest.mark.parametrize("probe", PROBES, ids=[probe.name for probe in PROBES])
def test_probe_puts_the_right_document_first(probe: Probe) -> None:
    snapshot = MemorySnapshot(
        [make_document(d.path, d.title, d.body, d.language) for d in probe.documents]
    )
    hits = found(snapshot, ask(snapshot, probe.query))
    assert probe.expect in hits[: probe.within], hits
    assert not set(probe.absent) & set(hits)


def test_empty_query_is_a_usage_error_and_punctuation_is_not() -> None:
    snapshot = library("payment terms")
    with pytest.raises(UsageError, match="empty"):
        ask(snapshot, "  \n")
    query = ask(snapshot, '?! -- * «» ""')
    assert query.empty
    assert found(snapshot, query) == []


def test_function_words_weigh_nothing_unless_there_is_nothing_else() -> None:
    snapshot = library("who is who", "the payment")
    assert ask(snapshot, "who pays for the payment?").words == ("pays", "payment")
    assert ask(snapshot, "who is who").words == ("who", "is")


def test_function_word_in_capitals_is_an_acronym() -> None:
    snapshot = library("The IT department", "it is here")
    assert ask(snapshot, "IT department").words == ("IT", "department")
    assert ask(snapshot, "it department").words == ("department",)


def test_function_words_of_another_language_are_content() -> None:
    german = library("Die Reise ist gebucht und die Rechnung bezahlt.", language="de")
    assert ask(german, "die Rechnung").words == ("Rechnung",)
    assert "die" in ask(library("The die is cast."), "a die for the casting").words


def test_word_takes_the_stems_of_every_language_in_its_script() -> None:
    snapshot = MemorySnapshot(
        [
            make_document("de.md", "Reise", "Die Zahlungen sind fällig.", "de"),
            make_document("en.md", "Trip", "The payments are due.", "en"),
            make_document("ru.md", "Оплата", "Оплата по счёту.", "ru"),
        ]
    )
    (group,) = ask(snapshot, "Zahlungen").store.groups
    assert {a.term for a in group.alternatives if a.kind == "word"} == {"zahlung", "zahlungen"}
    (group,) = ask(snapshot, "оплаты").store.groups
    assert [a.term for a in group.alternatives if a.kind == "word"] == ["оплат"]


def test_pairs_are_not_counted_and_weigh_a_fifth() -> None:
    groups = ask(library("payment terms", "terms", "payment"), "payment terms").store.groups
    (pair,) = [group for group in groups if not group.counted]
    assert [(a.kind, a.term, a.weight) for a in pair.alternatives] == [
        ("pair", "payment_term", DEFAULT_QUERY_WEIGHTS.pair)
    ]


def test_counts_are_of_passages_with_all_and_any_of_the_words() -> None:
    snapshot = library("payment terms", "terms of use", "payment by card", "nothing")
    query = ask(snapshot, "payment terms")
    result = snapshot.lexical(query.store, scope=OWNER, filters=Filters(), limit=10)
    assert (result.all_groups, result.any_group) == (1, 3)


def test_words_with_digits_get_no_near_spellings() -> None:
    snapshot = library("code abcd1 is wrong", "code abcd2 is right")
    terms = {a.term for g in ask(snapshot, "abcd3").store.groups for a in g.alternatives}
    assert not {"abcd1", "abcd2"} & terms


def test_pure_digits_get_no_longer_numbers() -> None:
    snapshot = library("room 20260411 is large")
    assert found(snapshot, ask(snapshot, "20260")) == []


def test_unknown_word_suggests_a_spelling_that_exists() -> None:
    snapshot = library("a new customer arrives")
    query = ask(snapshot, "cusotmer")
    assert query.suggestions == ("customer",)
    assert found(snapshot, query) == ["0.md"]


def test_relatives_and_suggestions_come_from_the_callers_scope_alone() -> None:
    texts = ("a new customer arrives", "lunch at noon")
    documents = [
        make_document(f"{number}.md", f"Page {number}", text, "en")
        for number, text in enumerate(texts)
    ]
    snapshot = MemorySnapshot(documents, acls=[2, 1])
    scope = Scope(
        caller=Caller(subject="ann"),
        generation=1,
        allowed=frozenset((1,)),
        hidden=frozenset((2,)),
    )
    query = ask(snapshot, "cusotmer", scope)
    assert query.suggestions == ()
    assert query.effective_query
    assert all("custom" not in line for line in query.effective_query)
    assert found(snapshot, query, scope) == []


def test_common_word_gets_no_relatives() -> None:
    snapshot = library(*["payment here"] * 9, "payments-office", "paymentology")
    (group,) = ask(snapshot, "payment").store.groups
    assert "paymentolog" not in {a.term for a in group.alternatives}


def test_absent_code_falls_back_to_its_parts() -> None:
    snapshot = library("The service says ERR once.", "Nothing of the kind.")
    query = ask(snapshot, "ERR-9999")
    assert found(snapshot, query) == ["0.md"]
    assert query.words == ("err", "9999")


def test_ten_thousand_words_are_answered_from_the_rarest() -> None:
    snapshot = library("alpha beta", *["common text"] * 3)
    text = " ".join(f"word{number}x" for number in range(200)) + " alpha " + "common " * 10_000
    query = ask(snapshot, text)
    assert len(query.words) == MAX_WORDS
    assert "alpha" in query.words
    assert any("left out" in line for line in query.effective_query)
    assert any("were read" in line for line in query.effective_query)


def test_effective_query_reads_word_by_word() -> None:
    lines = ask(
        library("Refund INV-2026-0041 now"), 'refunds INV-2026-0041 "refund now"'
    ).effective_query
    assert lines[0].startswith("refunds → refund")
    assert lines[1].startswith("INV-2026-0041 → =inv-2026-0041 ×2, inv+2026 ×0.5")
    assert 'required: "refund now"' in lines


def test_unbalanced_quotes_are_ordinary_characters() -> None:
    assert ask(library("a 5 inch disk"), '5" disk').store.phrases == ()


def test_phrase_has_a_variant_for_each_language() -> None:
    snapshot = MemorySnapshot(
        [
            make_document("en.md", "Terms", "The payment terms hold.", "en"),
            make_document("de.md", "Regeln", "Die payment terms gelten.", "de"),
        ]
    )
    query = ask(snapshot, '"payment terms"')
    assert found(snapshot, query) in (["en.md", "de.md"], ["de.md", "en.md"])

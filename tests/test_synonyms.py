"""The dictionary: what is found under which other words, for whom, and what lint says of it."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.memory import OWNER as EVERYTHING
from tests.memory import MemorySnapshot, make_document
from tests.shelf import OWNER, TODAY, groups, library, page, scope_of, write
from wellread.cli import main
from wellread.config import load
from wellread.documents import Problem
from wellread.errors import ConfigError
from wellread.expand import MAX_SYNONYMS
from wellread.library import Library
from wellread.lint_synonyms import FEWEST_PASSAGES
from wellread.query import Query, build_query
from wellread.steps import DEFAULT_QUERY_WEIGHTS
from wellread.store import journal
from wellread.suggest import abbreviations
from wellread.synonyms import BrokenDictionary, Synonyms, parse
from wellread.types import Caller, Filters, SearchResult

HOUSE = """
# what people say, and what the pages call it
groups:
  - [PTO, paid time off, vacation]  # both ways
one_way:
  day off: [unpaid leave, paid time off]
  quit: termination of the employment contract
  отгул: отпуск без сохранения
  IT: information technology
"""


def dictionary(text: str = HOUSE) -> Synonyms:
    return parse(text, "synonyms.yaml")


def shelf(*texts: str, language: str = "en") -> MemorySnapshot:
    return MemorySnapshot(
        [make_document(f"{n}.md", f"Page {n}", text, language) for n, text in enumerate(texts)]
    )


def ask(snapshot: MemorySnapshot, text: str, synonyms: Synonyms | None = None) -> Query:
    return build_query(
        text,
        snapshot=snapshot,
        scope=EVERYTHING,
        filters=Filters(),
        synonyms=dictionary() if synonyms is None else synonyms,
    )


def found(snapshot: MemorySnapshot, query: Query) -> set[str]:
    result = snapshot.lexical(query.store, scope=EVERYTHING, filters=Filters(), limit=100)
    return {snapshot.documents_by_id[hit.passage_id].path for hit in result.hits}


# --- in a query ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "used"),
    [
        ("can I take a day off?", ["day off → unpaid leave", "day off → paid time off"]),
        ("two days off", ["day off → unpaid leave", "day off → paid time off"]),
        ("day-off", ["day off → unpaid leave", "day off → paid time off"]),
        ("how much paid time off", ["paid time off → PTO", "paid time off → vacation"]),
        ("pto", ["PTO → paid time off", "PTO → vacation"]),
        ("quitting", ["quit → termination of the employment contract"]),
        ("нет отгулов", ["отгул → отпуск без сохранения"]),
        ("IT department", ["IT → information technology"]),
        ("is it true", []),
        ("the day is off the calendar", []),
        ("holiday offer", []),
    ],
)
def test_a_phrase_is_found_in_any_form_and_as_whole_words(asked: str, used: list[str]) -> None:
    assert list(ask(shelf("anything at all"), asked).synonyms) == used


def test_the_longest_phrase_wins_where_two_overlap() -> None:
    both = dictionary("one_way: {time off: holiday, paid time off: vacation}")
    query = ask(shelf("text"), "my paid time off", both)
    assert query.synonyms == ("paid time off → vacation",)


def test_one_step_is_taken_and_no_second() -> None:
    chain = dictionary("one_way: {alpha: beta, beta: gamma}")
    assert ask(shelf("text"), "alpha", chain).synonyms == ("alpha → beta",)


def test_one_way_leads_one_way() -> None:
    assert ask(shelf("text"), "unpaid leave").synonyms == ()


def test_a_page_that_says_it_otherwise_is_found_and_counts_as_one_with_all_words() -> None:
    snapshot = shelf("Booking of unpaid leave.", "Booking a table.", "Leave the table alone.")
    query = ask(snapshot, "booking a day off")
    result = snapshot.lexical(query.store, scope=EVERYTHING, filters=Filters(), limit=9)
    paths = [snapshot.documents_by_id[hit.passage_id].path for hit in result.hits]
    assert paths[0] == "0.md"
    assert (result.all_groups, result.any_group) == (1, 3)
    assert query.words == ("booking", "day", "off")


def test_a_page_that_says_it_in_other_words_again_is_reached_by_one_of_them() -> None:
    snapshot = shelf("День без сохранения зарплаты", "Обед в полдень", language="ru")
    assert found(snapshot, ask(snapshot, "отгул")) == {"0.md"}
    assert found(snapshot, ask(snapshot, "отгул", Synonyms())) == set()


def test_added_words_weigh_less_and_are_shown() -> None:
    query = ask(shelf("A vacation here"), "PTO")
    weights = {a.term: a.weight for a in query.store.groups[0].alternatives}
    assert weights["pto"] == 1.0
    assert weights["vacat"] == DEFAULT_QUERY_WEIGHTS.synonym
    assert "synonym of PTO: vacation → vacat ×0.5, =vacation ×0.5" in query.effective_query


def test_words_that_were_asked_for_themselves_are_not_asked_for_again() -> None:
    query = ask(shelf("unpaid leave"), "an unpaid day off")
    groups_of_unpaid = [
        group for group in query.store.groups if "unpaid" in {a.term for a in group.alternatives}
    ]
    assert len(groups_of_unpaid) == 1


def test_a_word_of_the_dictionary_is_not_called_misspelt() -> None:
    near = dictionary("one_way: {cusotmer: client}")
    assert ask(shelf("a new customer arrives"), "cusotmer", Synonyms()).suggestions == ("customer",)
    assert ask(shelf("a new customer arrives"), "cusotmer", near).suggestions == ()


def test_no_more_than_so_many_phrases_are_added_and_it_is_said() -> None:
    words = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    query = ask(shelf("text"), words[0], dictionary(f"groups: [[{', '.join(words)}]]"))
    assert len(query.synonyms) == MAX_SYNONYMS
    assert any("9 more synonyms were left out" in line for line in query.effective_query)


WORDS = ("leave", "unpaid", "day", "off", "time", "контракт", "отпуск", "PTO", "err-1")
_phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
_files = st.builds(
    lambda together, ways: json.dumps({"groups": together, "one_way": ways}, ensure_ascii=False),
    st.lists(st.lists(_phrases, min_size=2, max_size=3), max_size=3),
    st.dictionaries(_phrases, st.lists(_phrases, min_size=1, max_size=2), max_size=3),
)


@given(st.lists(_phrases, min_size=1, max_size=6), _phrases, _files)
def test_an_expansion_never_removes_a_hit_and_never_lowers_a_count(
    texts: Sequence[str], asked: str, file: str
) -> None:
    snapshot = shelf(*texts)
    plain = ask(snapshot, asked, Synonyms())
    rich = ask(snapshot, asked, dictionary(file))
    assert found(snapshot, plain) <= found(snapshot, rich)
    counts = [
        snapshot.lexical(one.store, scope=EVERYTHING, filters=Filters(), limit=9)
        for one in (plain, rich)
    ]
    assert counts[0].all_groups <= counts[1].all_groups
    assert counts[0].any_group <= counts[1].any_group


# --- the file --------------------------------------------------------------------------------


def test_a_file_without_entries_is_an_empty_dictionary() -> None:
    assert not dictionary("")
    assert not dictionary("# nothing yet\ngroups:\none_way:\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [("groups: [", 1), ("\n- a\n- b\n", 2), ("just words", 1), ("[" * 5000, 1)],
)
def test_a_file_that_is_no_mapping_is_broken(text: str, line: int) -> None:
    with pytest.raises(BrokenDictionary) as caught:
        dictionary(text)
    assert caught.value.line >= line


def test_no_and_1_stay_words() -> None:
    assert [r.needle.text for r in dictionary("groups: [[no, 1, on]]").rules()] == ["no", "1", "on"]


def test_a_wrong_entry_is_left_out_and_the_others_hold() -> None:
    read = dictionary(
        "group: []\ngroups:\n  - [alone]\n  - [a, {b: c}]\n  - [time off, holiday]\n"
        "one_way:\n  quit: []\n  leave: [[x]]\n  day: date\n"
    )
    assert [(p.line, p.code) for p in read.problems] == [
        (1, "synonyms-unknown-key"),
        (3, "synonyms-lonely"),
        (4, "synonyms-not-understood"),
        (7, "synonyms-not-understood"),
        (8, "synonyms-not-understood"),
    ]
    assert "Did you mean groups?" in read.problems[0].message
    assert [rule.needle.text for rule in read.rules()] == ["time off", "holiday", "day"]


# --- in a library ----------------------------------------------------------------------------

PAGES = {
    "leave.md": page("Unpaid leave is approved by the manager.", title="Unpaid leave"),
    "open.md": page("The canteen opens at noon.", title="Canteen"),
    "secret.md": page("Unpaid leave of Max.", title="A case of unpaid leave", access="[hr]"),
}


@pytest.fixture(params=["tantivy", "fts5"])
def shelved(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Library]:
    settings = f'[search]\nlexical = "{request.param}"\n'
    settings += groups({"ann": [], "vera": ["hr"]})
    write(tmp_path, {"synonyms.yaml": "one_way: {day off: unpaid leave}\n"})
    with library(tmp_path, PAGES, settings) as opened:
        yield opened


def search(opened: Library, text: str, subject: str | None = None, **more: bool) -> SearchResult:
    return opened.search(text, scope=scope_of(opened, subject), today=TODAY, **more)


def paths(result: SearchResult) -> set[str]:
    return {hit.path for hit in result.hits}


def test_synonyms_reach_no_further_than_the_caller(shelved: Library) -> None:
    everything, ann = search(shelved, "day off"), search(shelved, "day off", "ann")
    assert paths(everything) == {"leave.md", "secret.md"}
    assert paths(ann) == {"leave.md"}
    assert (ann.counts.all_words, ann.counts.any_word) == (1, 1)
    assert paths(search(shelved, "day off", "vera")) == {"leave.md", "secret.md"}


def test_parts_of_an_explanation_sum_to_the_score(shelved: Library) -> None:
    (first, *_) = search(shelved, "day off", explain=True).hits
    assert first.explanation is not None
    assert sum(part.value for part in first.explanation.parts) == pytest.approx(
        first.score, rel=1e-4
    )


def test_the_trace_says_which_synonyms_were_used(shelved: Library) -> None:
    search(shelved, "day off")
    search(shelved, "canteen")
    file = shelved.config.library / journal.FILE
    shelved.close()
    connection = journal.open_journal(file)
    rows = connection.execute("SELECT arguments FROM traces ORDER BY id").fetchall()
    connection.close()
    arguments = [json.loads(row[0]) for row in rows]
    assert arguments[0]["synonyms"] == ["day off → unpaid leave"]
    assert "synonyms" not in arguments[1]


def test_a_changed_file_holds_at_once_and_a_broken_one_keeps_the_last(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "synonyms.yaml"
    with library(tmp_path, PAGES) as opened:
        assert paths(search(opened, "sabbatical")) == set()
        file.write_text("groups: [[sabbatical, unpaid leave]]")
        assert "leave.md" in paths(search(opened, "sabbatical"))
        file.write_text("groups: [[sabbatical, canteen]]")
        assert paths(search(opened, "sabbatical")) == {"open.md"}
        with caplog.at_level(logging.WARNING):
            file.write_text("groups: [[sabbatical, ]]: xxxxxx")
            broken = search(opened, "sabbatical")
            search(opened, "sabbatical")
        assert paths(broken) == {"open.md"}
        assert broken.notes[0].startswith("synonyms.yaml:1 is not valid YAML: ")
        assert broken.notes[0].endswith("; the last good version is used.")
        assert len(caplog.records) == 1
        (problem,) = opened.lint(scope=opened.scope(OWNER), today=TODAY)
        assert (problem.path, problem.line, problem.code) == ("synonyms.yaml", 1, "synonyms-broken")
        stat = file.stat()
        other = tmp_path / "other.yaml"
        other.write_text("groups: [[sabbatical,leave]]".ljust(stat.st_size))
        os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        other.replace(file)  # of the same size and time: another file all the same
        assert paths(search(opened, "sabbatical")) == {"leave.md", "secret.md"}
        file.unlink()
        assert paths(search(opened, "sabbatical")) == set()


def test_a_file_that_is_broken_from_the_start_is_said_and_search_goes_on(tmp_path: Path) -> None:
    (tmp_path / "synonyms.yaml").write_bytes(b"groups: \xff")
    with library(tmp_path, PAGES) as opened:
        result = search(opened, "canteen")
    assert paths(result) == {"open.md"}
    assert result.notes == ("synonyms.yaml:1 is not UTF-8 (byte 8); no synonyms are used.",)


def test_the_file_may_be_called_otherwise_and_must_be_there_when_named(tmp_path: Path) -> None:
    settings = '[search]\nsynonyms = "words.yaml"\n'
    write(tmp_path, {"wellread.toml": settings})
    with pytest.raises(ConfigError, match=r"words\.yaml, which is not there"):
        load(tmp_path / "wellread.toml", {}, tmp_path)
    write(tmp_path, {"words.yaml": "groups: [[sabbatical, unpaid leave]]"})
    with library(tmp_path, PAGES, settings) as opened:
        assert "leave.md" in paths(search(opened, "sabbatical"))


# --- lint ------------------------------------------------------------------------------------


def problems(tmp_path: Path, text: str, files: dict[str, str] | None = None) -> list[Problem]:
    write(tmp_path, {"synonyms.yaml": text})
    with library(tmp_path, files or PAGES) as opened:
        assert opened.lint(scope=opened.scope(Caller(subject="ann")), today=TODAY) == ()
        return list(opened.lint(scope=opened.scope(OWNER), today=TODAY))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one_way:\n  a1: b1\n  b1: [c1, d1]\n  c1: a1\n", ["2 circle", "3 circle", "4 circle"]),
        ("one_way:\n  a1: b1\n  b1: c1\n", []),
        ("groups:\n  - [the, refund]\n  - ['—', payment]\n", ["2 vanishes", "3 vanishes"]),
        ("groups:\n  - [IT, technology]\n", []),
        ("groups:\n  - [refund, refunds]\n", ["2 duplicate"]),
        ("groups:\n  - [refund, money]\n  - [return, refunds]\n", ["3 duplicate"]),
        ("one_way:\n  quit: leave\n  quits: go away\n", ["3 duplicate"]),
        ("one_way:\n  quit: [leave, leaves]\n", ["2 duplicate"]),
        ("one_way:\n  quit: quits\n", ["2 duplicate"]),
        ("groups:\n  - [a1, b1]\none_way:\n  a1: b1\n", ["4 duplicate"]),
        ("oneway:\n  a1: b1\n", ["1 unknown-key"]),
    ],
)
def test_lint_names_each_mistake_of_the_dictionary_by_line(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    said = [f"{one.line} {one.code.removeprefix('synonyms-')}" for one in problems(tmp_path, text)]
    assert said == expected


def test_lint_names_what_a_tenth_of_the_library_holds(tmp_path: Path) -> None:
    files = {
        f"{n}.md": page("About invoices." if n < 11 else f"About {n}.", title=f"Page {n}")
        for n in range(FEWEST_PASSAGES)
    }
    (problem,) = problems(tmp_path, "one_way:\n  bill: [receipt, invoice]\n", files)
    assert (problem.line, problem.code) == (2, "synonyms-too-common")
    assert f"is in 11 of {FEWEST_PASSAGES} passages" in problem.message


# --- suggest ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "pairs"),
    [
        ("Paid time off (PTO)", [("Paid time off", "PTO")]),
        ("Guide to paid time off (PTO) in Tallinn", [("paid time off", "PTO")]),
        ("Research and development (R&D)", [("Research and development", "R&D")]),
        ("Multi-factor authentication (MFA)", [("Multi-factor authentication", "MFA")]),
        ("Terms of reference (TOR)", [("Terms of reference", "TOR")]),
        ("Non-disclosure agreements (NDAs)", [("Non-disclosure agreements", "NDA")]),
        ("SLA (service level agreement)", [("service level agreement", "SLA")]),
        ("Налог на добавленную стоимость (НДС)", [("Налог на добавленную стоимость", "НДС")]),
        ("Refund policy (DRAFT)", []),
        ("Offices (Tallinn)", []),
        ("Plan (2026)", []),
        ("(PTO)", []),
    ],
)
def test_brackets_count_where_they_spell_the_words_before_them(
    title: str, pairs: list[tuple[str, str]]
) -> None:
    assert list(abbreviations(title)) == pairs


SPOKEN = {
    "sla.md": page("text", title="Service level agreement (SLA)"),
    "leave.md": page("text", title="Annual leave", aliases="[vacation, holidays]"),
    "known.md": page("text", title="Paid time off (PTO)"),
    "secret.md": page("text", title="Fast exit plan (FEP)", access="[hr]"),
    "long.md": page("text", title="How we think about all of the many things", aliases="[ideas]"),
}


def test_suggestions_are_new_and_from_what_the_caller_may_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"synonyms.yaml": HOUSE})
    library(tmp_path, SPOKEN, groups({"ann": []})).close()
    monkeypatch.chdir(tmp_path)
    for name in ("WELLREAD_AS", "WELLREAD_CONFIG", "WELLREAD_LIBRARY"):
        monkeypatch.delenv(name, raising=False)
    assert main(["synonyms", "suggest", "--as", "ann"]) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[1:] == [
        "groups:",
        "  - [Annual leave, vacation, holidays]  # aliases of leave.md:3",
        "  - [Service level agreement, SLA]  # title of sla.md:2",
    ]
    pasted = parse(printed, "synonyms.yaml")
    assert [len(group) for group in pasted.groups] == [3, 2]
    assert not pasted.problems
    assert main(["synonyms", "suggest", "--json"]) == 0
    candidates = json.loads(capsys.readouterr().out)["candidates"]
    assert candidates[-1] == {
        "phrases": ["Service level agreement", "SLA"],
        "source": "title",
        "path": "sla.md",
        "line": 2,
    }
    assert ["Fast exit plan", "FEP"] in [one["phrases"] for one in candidates]


def test_what_was_accepted_is_not_proposed_again(tmp_path: Path) -> None:
    with library(tmp_path, SPOKEN) as opened:
        scope = opened.scope(OWNER)
        proposed = opened.suggest_synonyms(scope=scope)
        assert len(proposed) == 4
        lines = [f"  - {json.dumps(list(one.phrases))}" for one in proposed]
        write(tmp_path, {"synonyms.yaml": "\n".join(["groups:", *lines])})
        assert opened.suggest_synonyms(scope=scope) == ()


def test_an_unknown_action_is_named_with_the_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["synonyms", "sugest"]) == 2
    assert "Known: suggest" in capsys.readouterr().err


# --- the example company ---------------------------------------------------------------------

COMPANY = Path(__file__).resolve().parent.parent / "examples" / "company"
OWN_WORDS = (
    ("can I take a day off without pay?", "boris", "people/vacation.md", 1),
    ("I want to quit, how much notice do I have to give?", "ann", "termination-of-employment", 1),
    ("как взять отгул на один день", "igor", "people/день-без-сохранения-зарплаты.md", 1),
    ("хочу уволиться, за сколько предупредить", "boris", "termination-of-employment.ru.md", 5),
)


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    home = tmp_path_factory.mktemp("synonyms") / "company"
    shutil.copytree(COMPANY, home, ignore=shutil.ignore_patterns(".wellread"))
    with Library(load(home / "wellread.toml", {}, home)) as opened:
        opened.index()
        yield opened


@pytest.mark.parametrize(("question", "subject", "expected", "within"), OWN_WORDS)
def test_questions_in_peoples_own_words_reach_the_page_in_the_companys(
    company: Library, question: str, subject: str, expected: str, within: int
) -> None:
    result = search(company, question, subject)
    documents = list(dict.fromkeys(hit.path for hit in result.hits))
    assert any(expected in path for path in documents[:within]), documents
    assert result.synonyms


def test_the_dictionary_of_the_example_has_no_mistake(company: Library) -> None:
    found = company.lint(scope=company.scope(OWNER), today=TODAY)
    assert [one for one in found if one.code.startswith("synonyms-")] == []

"""Every question is asked as its caller, and its answer judged by what came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shelf import OWNER, TODAY, groups, library, page
from wellread.access import canonical
from wellread.audit import Audit, named_paths
from wellread.errors import UnknownSubject
from wellread.evaluate import (
    Answer,
    Evaluation,
    LibrarySearcher,
    evaluate_library,
    judged,
    library_facts,
)
from wellread.library import Library
from wellread.questions import Question
from wellread.types import Acl, Caller

FILES = {
    "hr/leave.md": page("# Leave\n\nTwenty vacation days.\n\n## Unpaid\n\nA day without pay."),
    "hr/pay.md": page("# Pay\n\nThe vacation bonus is paid in June.", access="[hr]"),
    "hr/old.md": page("# Leave\n\nFifteen vacation days.", superseded_by="hr/leave.md"),
    "it/vpn.md": page("# VPN\n\nThe address is vpn.example.com."),
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    settings = groups({"ann": ["hr"], "boris": ["sales"]})
    with library(tmp_path_factory.mktemp("evaluate"), FILES, settings) as opened:
        yield opened


def asked(shelf: Library, *questions: Question) -> Evaluation:
    return evaluate_library(questions, shelf, caller=OWNER, today=TODAY)


def question(text: str, *expect: str, name: str = "q1", **more: object) -> Question:
    return Question(id=name, text=text, expect=dict.fromkeys(expect, 3), **more)  # type: ignore[arg-type]


def test_each_question_is_asked_by_its_own_caller(shelf: Library) -> None:
    ann, boris = asked(
        shelf,
        question("vacation bonus", "hr/pay.md", name="q1", subject="ann"),
        question("vacation bonus", "hr/pay.md", name="q2", subject="boris"),
    ).results
    assert ann.measures["success@5"] == 1
    assert ann.answer.ranking[0] == "hr/pay.md"
    assert boris.measures["success@5"] == 0
    assert "hr/pay.md" not in boris.answer.named


def test_a_question_without_a_caller_is_asked_by_that_of_the_evaluation(shelf: Library) -> None:
    one = question("vacation bonus", "hr/pay.md")
    nobody = evaluate_library([one], shelf, caller=Caller(subject=None), today=TODAY)
    assert nobody.results[0].failed
    assert nobody.unreadable == (one,)
    assert not asked(shelf, one).results[0].failed


def test_an_unknown_caller_is_refused_before_anything_is_asked(shelf: Library) -> None:
    with pytest.raises(UnknownSubject, match="nobody"):
        asked(shelf, question("x", "hr/pay.md", subject="nobody"))


def test_a_question_that_failed_shows_what_came_instead(shelf: Library) -> None:
    (result,) = asked(shelf, question("vpn address", "hr/leave.md")).results
    assert result.failed
    assert result.answer.handles[0].startswith("it/vpn.md#")
    assert result.answer.tokens > 10
    assert result.answer.milliseconds > 0


def test_a_control_question_is_counted_apart_and_clean_without_a_trace(shelf: Library) -> None:
    found = asked(
        shelf,
        question("vpn address", "it/vpn.md", name="q1"),
        question("bonus in June", name="q2", subject="boris", must_not_find=("hr/pay.md",)),
        question("bonus in June", name="q3", subject="ann", must_not_find=("hr/pay.md",)),
    )
    assert found.means["success@5"] == 1
    assert len(found.controls) == 2
    assert found.clean_controls == 1
    assert [one.forbidden for one in found.results] == [(), (), ("hr/pay.md",)]
    assert found.results[2].failed
    assert found.leak_rate == 0


def test_a_section_that_must_not_be_found_is_told_from_its_document(shelf: Library) -> None:
    (result,) = asked(
        shelf,
        question("vacation", "hr/leave.md", must_not_find=("hr/leave.md#unpaid", "hr/leave.md#no")),
    ).results
    assert set(result.forbidden) <= {"hr/leave.md#unpaid"}


@pytest.mark.parametrize(
    ("ranking", "led"),
    [
        (("decoy.md", "right.md"), True),
        (("right.md", "decoy.md"), False),
        (("other.md", "decoy.md"), True),
        (("other.md",), False),
    ],
)
def test_a_decoy_leads_where_it_stands_above_all_that_is_expected(
    ranking: tuple[str, ...], led: bool
) -> None:
    one = question("x", "right.md", must_not_lead=("decoy.md#part",))
    found = of_ranking(one, ranking)
    assert found.results[0].decoy_led is led
    assert found.decoy_rate == float(led)


def of_ranking(one: Question, ranking: tuple[str, ...], caller: Caller = OWNER) -> Evaluation:
    answer = Answer(handles=(), named=ranking, ranking=ranking, tokens=1, milliseconds=1.0)
    acls = {path: canonical(Acl(clauses=(frozenset({"hr"}),))) for path in ranking}
    return judged([one], {one.id: answer}, callers={one.subject: caller}, audit=Audit(acls=acls))


def test_an_answer_outside_the_scope_is_a_leak_however_good_it_is() -> None:
    one = question("x", "right.md", subject="boris")
    boris = Caller(subject="boris", groups=frozenset({"sales"}))
    found = of_ranking(one, ("right.md", "other.md"), boris)
    assert found.means["success@5"] == 1
    assert found.leak_rate == 1
    assert found.results[0].failed


def test_the_audit_agrees_with_the_scope_for_every_caller_and_document(shelf: Library) -> None:
    audit, _ = library_facts(shelf)
    assert set(audit.acls) == set(FILES)
    for caller in (
        OWNER,
        Caller(subject=None),
        Caller(subject="ann", groups=frozenset({"hr"})),
        Caller(subject="boris", groups=frozenset({"sales"})),
    ):
        scope = shelf.scope(caller)
        with shelf.snapshot() as snapshot:
            readable = {path for path in FILES if snapshot.find(path, scope=scope)}
        assert {path for path in FILES if audit.admits(caller, path)} == readable


def test_the_audit_knows_clauses_denials_and_missing_documents() -> None:
    both = Acl(clauses=(frozenset({"hr"}), frozenset({"staff"})))
    denied = Acl(clauses=(frozenset({"everyone"}),), deny=frozenset({"user:ann"}))
    audit = Audit(acls={"both.md": canonical(both), "denied.md": canonical(denied)})
    ann = Caller(subject="Ann", groups=frozenset({"hr", "staff"}))
    boris = Caller(subject="boris", groups=frozenset({"hr"}))
    assert audit.outside(ann, ["both.md", "denied.md", "none.md"]) == ("denied.md", "none.md")
    assert audit.outside(boris, ["both.md", "denied.md"]) == ("both.md",)


def test_a_successor_that_an_answer_names_is_audited_too(shelf: Library) -> None:
    result = shelf.search("fifteen vacation days", scope=shelf.scope(OWNER), today=TODAY)
    assert {"hr/old.md", "hr/leave.md"} <= set(named_paths(result))


def test_what_the_library_does_not_have_is_reported(shelf: Library) -> None:
    found = asked(
        shelf,
        question("x", "hr/holidays.md", "people/leave.md", "hr/leave.md#unpaid", "it/vpn.md#port"),
    )
    assert [(one.place, one.near) for one in found.misplaced] == [
        ("hr/holidays.md", ()),
        ("people/leave.md", ("hr/leave.md",)),
        ("it/vpn.md#port", ()),
    ]


def test_a_ranking_holds_more_documents_than_one_page_shows(tmp_path: Path) -> None:
    files = {f"{number}.md": page(f"# Page {number}\n\nvacation") for number in range(14)}
    with library(tmp_path, files) as opened:
        answer = LibrarySearcher(opened, TODAY).ask("vacation", OWNER)
    assert len(answer.handles) == 8
    assert len(answer.ranking) == 14

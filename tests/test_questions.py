"""Questions are read with their lines, and what they name in vain is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from wellread.errors import UsageError
from wellread.questions import Question, key_of, misplaced, read_questions

COMPANY = Path(__file__).parents[1] / "examples" / "company" / "questions.yaml"


def asked(tmp_path: Path, text: str) -> tuple[Question, ...]:
    file = tmp_path / "questions.yaml"
    file.write_text(text, encoding="utf-8")
    return read_questions(file)


def test_questions_of_the_example_company_are_read_with_their_lines() -> None:
    questions = read_questions(COMPANY)
    lines = COMPANY.read_text(encoding="utf-8").splitlines()
    assert len(questions) == len({question.id for question in questions}) > 100
    for question in questions:
        assert lines[question.line - 1].startswith("- question:")
    assert {question.language for question in questions} == {"en", "ru"}
    assert [one.control for one in questions] == [one.category == "control" for one in questions]


def test_a_place_without_a_grade_counts_three_and_a_section_stands_for_its_document(
    tmp_path: Path,
) -> None:
    listed, graded = asked(
        tmp_path,
        "- question: one\n  expect: [a.md#x]\n"
        "- question: two\n  expect: {a.md: 1, a.md#y: 2, b.md: 1}\n",
    )
    assert listed.expect == {"a.md#x": 3}
    assert listed.documents == {"a.md": 3}
    assert graded.documents == {"a.md": 2, "b.md": 1}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("- question: x\n  expects: [a.md]\n", "unknown key 'expects'. Did you mean expect?"),
        ("- question: x\n", "`expect` is missing"),
        ("- question: ''\n  expect: [a.md]\n", "`question` is missing or empty"),
        ("- question: x\n  expect: {a.md: 4}\n", "the grade of a.md is 4"),
        ("- question: x\n  expect: {a.md: true}\n", "the grade of a.md is True"),
        ("- question: x\n  expect: []\n", "expects nothing and forbids nothing"),
        ("- question: x\n  expect: [1]\n", "`expect` is [1]. Write a list of paths"),
        ("- question: x\n  expect: [a.md]\n  as: [ann]\n", "`as` is ['ann']"),
        ("- x\n", "an entry is not a mapping"),
    ],
)
def test_a_mistake_is_named_by_its_line(tmp_path: Path, entry: str, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        asked(tmp_path, "- question: fine\n  expect: [a.md]\n" + entry)
    assert words in str(raised.value)
    assert "questions.yaml:3: " in str(raised.value)


@pytest.mark.parametrize("text", ["", "question: x\n", "[]\n", "- question: [\n"])
def test_a_file_without_a_list_of_questions_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError):
        asked(tmp_path, text)


def test_norwegian_stays_a_language(tmp_path: Path) -> None:
    (question,) = asked(tmp_path, "- question: x\n  expect: [a.md]\n  language: no\n")
    assert question.language == "no"


def test_a_renamed_document_and_a_lost_section_are_reported_with_what_they_may_be_now() -> None:
    question = Question(
        id="q1",
        text="x",
        expect={"hr/vacation.md#days": 3, "hr/pay.md": 3, "it/vpn.md#how-to-conect": 1},
        must_not_lead=("gone/away.md",),
    )
    known = {"people/vacation.md": ("days",), "hr/pay.md": (), "it/vpn.md": ("how-to-connect",)}
    found = {one.place: one.near for one in misplaced([question], known)}
    assert found == {
        "hr/vacation.md#days": ("people/vacation.md",),
        "it/vpn.md#how-to-conect": ("it/vpn.md#how-to-connect",),
        "gone/away.md": (),
    }


def test_questions_are_the_same_however_they_are_typed_but_not_for_another_caller() -> None:
    known = Question(id="q1", text="How many days off?", expect={"a.md": 3}, subject="ann")
    again = Question(id="m1", text="how  many days OFF", expect={"b.md": 2}, subject="Ann")
    other = Question(id="m2", text="How many days off?", expect={"b.md": 2}, subject="boris")
    assert key_of(known) == key_of(again) != key_of(other)

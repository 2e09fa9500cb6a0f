"""Wrong answers are told apart: not retrieved, or retrieved and misused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wellread.errors import UsageError
from wellread.judged_answers import label, read_answers
from wellread.questions import Question

QUESTIONS = (
    Question(id="q1", text="How many days off?", expect={"hr/leave.md#days": 3}, subject="ann"),
    Question(id="q2", text="VPN address", expect={"it/vpn.md": 3, "it/old.md": 1}),
)


def answer(question: str, right: bool, *returned: str, **more: Any) -> dict[str, Any]:
    trace = [{"tool": "search", "returned": list(returned)}, {"tool": "read", "returned": []}]
    return {"question": question, "right": right, "trace": trace, **more}


def labels(tmp_path: Path, *entries: dict[str, Any]) -> list[str]:
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in entries))
    return [one.label for one in label(read_answers(file), QUESTIONS)]


def test_each_answer_gets_its_label(tmp_path: Path) -> None:
    assert labels(
        tmp_path,
        answer("how many days off", True, "hr/leave.md#other"),
        answer("how many days off", True, "hr/pay.md#leave"),
        answer("how many days off", False, "hr/pay.md", "it/vpn.md:12"),
        answer("vpn address", False, "x.md#a", "it/vpn.md:12"),
        answer("vpn address", False, "it/old.md#"),
        answer("who is who", False, "x.md"),
    ) == [
        "right",
        "right by luck",
        "not retrieved",
        "retrieved and misused",
        "retrieved and misused",
        "unknown",
    ]


def test_the_places_of_an_answer_itself_come_before_those_of_the_question(tmp_path: Path) -> None:
    entry = answer("vpn address", False, "it/vpn.md", expect=["it/new.md"])
    assert labels(tmp_path, entry) == ["not retrieved"]


def test_yaml_and_json_lists_are_read_alike(tmp_path: Path) -> None:
    entry = answer("vpn address", False, "it/vpn.md")
    (tmp_path / "a.json").write_text(json.dumps([entry]))
    (tmp_path / "a.yaml").write_text(
        "- question: vpn address\n  right: false\n  trace:\n    - returned: [it/vpn.md]\n"
    )
    first = read_answers(tmp_path / "a.json")
    assert first == read_answers(tmp_path / "a.yaml")
    assert first[0].returned == ("it/vpn.md",)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"right": True, "trace": []}, "`question` is missing"),
        ({"question": "x", "right": "no", "trace": []}, "`right` is 'no'"),
        ({"question": "x", "right": True}, "`trace` is missing"),
        ({"question": "x", "right": True, "trace": ["a"]}, "a call of `trace` is 'a'"),
        ({"question": "x", "right": True, "trace": [{"returned": [1]}]}, "`returned` is [1]"),
    ],
)
def test_a_mistake_is_named_by_its_line(tmp_path: Path, entry: Any, words: str) -> None:
    with pytest.raises(UsageError, match=r"answers\.jsonl:1: ") as raised:
        labels(tmp_path, entry)
    assert words in str(raised.value)

"""Judged answers with the calls behind them: was the right place not retrieved, or misused?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from wellread.errors import UsageError
from wellread.questions import Question, document_of, key_of

Label = Literal["right", "right by luck", "not retrieved", "retrieved and misused", "unknown"]

LABELS: dict[Label, str] = {
    "right": "the answer is right, and a place that is expected was retrieved",
    "right by luck": "the answer is right, but nothing that is expected was retrieved",
    "not retrieved": "the answer is wrong, and no place that is expected was retrieved",
    "retrieved and misused": "the answer is wrong, though a place that is expected was retrieved",
    "unknown": "the question is not among those with expected places",
}

_LINE = re.compile(r":\d+(?:-\d+)?$")


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedAnswer:
    """An answer that somebody judged; ``returned`` are the places that its calls gave, as
    traces have them: ``path``, ``path#section`` or ``path:line``."""

    question: str
    subject: str | None
    right: bool
    returned: tuple[str, ...]
    expect: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    """An answer with what went wrong, and the expected documents that were retrieved."""

    answer: JudgedAnswer
    label: Label
    retrieved: tuple[str, ...] = ()


def read_answers(file: Path) -> tuple[JudgedAnswer, ...]:
    """Answers from JSON Lines (``.jsonl``), or a list in YAML or JSON. Raises ``UsageError``."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"The answers {file} cannot be read: {reason}.") from error
    entries = _lines(file, text) if file.suffix == ".jsonl" else _list(file, text)
    return tuple(_answer(entry, where) for where, entry in entries)


def _lines(file: Path, text: str) -> list[tuple[str, Any]]:
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                found.append((f"{file}:{number}", json.loads(line)))
            except ValueError as error:
                raise UsageError(f"{file}:{number}: not valid JSON: {error}.") from error
    return found


def _list(file: Path, text: str) -> list[tuple[str, Any]]:
    import yaml

    try:
        entries = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"{file} is not valid YAML: {error}") from error
    if not isinstance(entries, list):
        raise UsageError(
            f"{file} is not a list of answers: write entries with `question`, `right` and `trace` "
            "(docs/evaluation.md)."
        )
    return [(f"{file}, answer {number}", entry) for number, entry in enumerate(entries, start=1)]


def _answer(entry: Any, where: str) -> JudgedAnswer:
    if not isinstance(entry, dict) or not isinstance(entry.get("question"), str):
        raise UsageError(f"{where}: `question` is missing. Write the text that was asked.")
    if not isinstance(entry.get("right"), bool):
        raise UsageError(f"{where}: `right` is {entry.get('right')!r}. Write true or false.")
    calls = entry.get("trace")
    if not isinstance(calls, list):
        raise UsageError(
            f"{where}: `trace` is missing. Write the list of calls, each with the places that it "
            "`returned`; an empty list where there was none."
        )
    subject = entry.get("as")
    return JudgedAnswer(
        question=entry["question"],
        subject=str(subject) if subject is not None else None,
        right=entry["right"],
        returned=tuple(place for call in calls for place in _returned(call, where)),
        expect=_texts(entry.get("expect", []), "expect", where),
    )


def _returned(call: Any, where: str) -> tuple[str, ...]:
    if not isinstance(call, dict):
        raise UsageError(f"{where}: a call of `trace` is {call!r}. Write its `returned` places.")
    return _texts(call.get("returned", []), "returned", where)


def _texts(value: Any, key: str, where: str) -> tuple[str, ...]:
    listed = list(value) if isinstance(value, list | dict) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise UsageError(f"{where}: `{key}` is {value!r}. Write a list of places.")
    return tuple(listed)


def label(answers: Iterable[JudgedAnswer], questions: Sequence[Question]) -> tuple[Labelled, ...]:
    """What went wrong in each answer. Expected places are the answer's own, else those of the
    question with the same words and caller, else of the same words."""
    exact = {key_of(question): question for question in questions}
    alike = {key_of(question)[0]: question for question in questions if not question.control}
    return tuple(_labelled(answer, exact, alike) for answer in answers)


def _labelled(
    answer: JudgedAnswer, exact: dict[tuple[str, str], Question], alike: dict[str, Question]
) -> Labelled:
    asked = Question(id="", text=answer.question, expect={}, subject=answer.subject)
    question = exact.get(key_of(asked)) or alike.get(key_of(asked)[0])
    expected = {document_of(place) for place in answer.expect}
    if not expected and question is not None:
        expected = set(question.documents)
    if not expected:
        return Labelled(answer=answer, label="unknown")
    returned = {document_of(_LINE.sub("", place)) for place in answer.returned}
    retrieved = tuple(sorted(expected & returned))
    if answer.right:
        return Labelled(
            answer=answer, label="right" if retrieved else "right by luck", retrieved=retrieved
        )
    found: Label = "retrieved and misused" if retrieved else "not retrieved"
    return Labelled(answer=answer, label=found, retrieved=retrieved)

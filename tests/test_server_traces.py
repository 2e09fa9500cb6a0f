"""What is kept of calls that came to nothing, and who may go on asking."""

from __future__ import annotations

import io
import json
import logging
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.shelf import OWNER, library, page, scope_of
from tests.shelf import groups as members
from wellread.answers import FAILED, Answer
from wellread.config import load
from wellread.library import Library
from wellread.output import emit
from wellread.report_journal import miss_lines, trace_lines
from wellread.server import Serving, answer_call
from wellread.trace import Trace
from wellread.types import Caller
from wellread.usage import usage

FILES = {"open.md": "open to all\n", "hr.md": page("# Bands\n\nfor hr\n", access="[hr]")}
ANN, CARL = ({"ann": ["sales"]}, {"carl": ["contractors"]})


def asked(opened: Library, name: str, arguments: Any, subject: str | None = "ann") -> Answer:
    caller = Caller(subject=subject)
    return answer_call(
        Serving(library=opened, caller=caller), caller, name, arguments, threading.Event()
    )


def traced(folder: Path, calls: list[tuple[str, Any]]) -> tuple[list[Answer], list[Trace]]:
    with library(folder, FILES, members(ANN)) as opened:
        answers = [asked(opened, name, arguments) for name, arguments in calls]
    with Library(opened.config) as again:
        return answers, list(again.traces(scope=scope_of(again)))[::-1]


def test_a_refused_call_is_traced_with_the_names_of_its_arguments_alone(tmp_path: Path) -> None:
    secret = "hunter2" * 10
    answers, traces = traced(
        tmp_path,
        [
            ("search", {"query": "x", "limit": secret}),
            ("read", {"handel": secret, "x" * 5000: secret, **{f"a{n}": 1 for n in range(50)}}),
            ("search", secret),
            (secret, {"query": "x"}),
        ],
    )
    assert all(answer.is_error for answer in answers)
    assert [(one.subject, one.tool, one.outcome) for one in traces] == [
        ("ann", "search", "UsageError"),
        ("ann", "read", "UsageError"),
        ("ann", "search", "UsageError"),
        ("ann", "(unknown)", "UsageError"),
    ]
    assert traces[0].arguments == {"given": ["query", "limit"]}
    assert "hunter2" not in repr(traces)
    assert len(repr(traces[1])) < 700
    assert [one.tokens for one in traces] == [answer.told.tokens for answer in answers]


def test_a_refused_search_is_no_search_that_was_rephrased(tmp_path: Path) -> None:
    _, traces = traced(
        tmp_path,
        [
            ("search", {"query": "prices", "limit": 0}),
            ("search", {"query": "prices"}),
            ("find_exact", {"text": "(", "regex": True}),
        ],
    )
    summed = usage(traces)
    assert (summed.calls, summed.searches, summed.rephrased, summed.empty) == (3, 1, 0, 1)
    assert sum(tool.refused for tool in summed.tools) == 2


def test_an_error_is_traced_with_the_tokens_of_its_words(tmp_path: Path) -> None:
    answers, traces = traced(
        tmp_path,
        [
            ("read", {"handle": "hr.md"}),
            ("find_exact", {"text": "(", "regex": True}),
            ("search", {"query": "open", "page": "somebody else's"}),
        ],
    )
    assert all(answer.is_error for answer in answers)
    assert [one.outcome for one in traces] == ["NotFound", "UsageError", "UsageError"]
    assert [one.tokens for one in traces] == [answer.told.tokens for answer in answers]
    assert all(one.tokens for one in traces)


def test_a_reported_miss_is_traced_and_is_no_empty_answer(tmp_path: Path) -> None:
    arguments = {"question": "Who may?", "tried": ["may"]}
    (answer,), (trace,) = traced(tmp_path, [("report_miss", arguments)])
    assert (trace.subject, trace.tool, trace.outcome) == ("ann", "report_miss", "recorded")
    assert trace.arguments == arguments
    assert trace.tokens == answer.told.tokens
    summed = usage([trace])
    assert (summed.tools[0].empty, summed.tools[0].refused) == (0, 0)


def test_who_asks_can_write_no_lines_into_the_list_of_traces_and_misses(tmp_path: Path) -> None:
    forged = "x\n2026-06-15T09:00:00  boss  read  hr.md\u202e\u2028y"
    calls = [
        ("search", {"query": forged}),
        ("search", {"query": "x", "tag": [forged]}),
        ("read", {"handle": forged}),
        ("find_exact", {"text": "y", "path": [forged]}),
        ("report_miss", {"question": forged, "looked_for": forged, "tried": [forged]}),
    ]
    _, traces = traced(tmp_path, calls)
    with Library(load(tmp_path / "wellread.toml", {}, tmp_path)) as again:
        misses = again.misses(scope=again.scope(OWNER))
    stream = io.StringIO()
    emit(trace_lines(traces), stream)
    assert len(stream.getvalue().splitlines()) == len(calls)
    emit(miss_lines(misses), stream)
    assert "\u202e" not in stream.getvalue()
    assert not any(line.startswith("2026-06-15") for line in stream.getvalue().splitlines())


def test_a_failure_that_nobody_expected_is_traced_by_its_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("text of a document")

    monkeypatch.setattr("wellread.read.read", fail)
    (answer,), (trace,) = traced(tmp_path, [("read", {"handle": "open.md"})])
    assert answer.text == FAILED
    assert trace.outcome == "RuntimeError"
    assert "text of a document" not in repr(trace)


def test_no_trace_is_left_where_traces_are_off(tmp_path: Path) -> None:
    with library(tmp_path, FILES, members(ANN) + "[trace]\nenabled = false\n") as opened:
        asked(opened, "serch", {})
        asked(opened, "report_miss", {"question": "Who may?"})
    with Library(opened.config) as again:
        assert again.traces(scope=scope_of(again)) == ()


def test_a_question_without_a_library_begins_none(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".wellread").mkdir()
    (tmp_path / "wellread.toml").write_text(members(ANN), encoding="utf-8")
    with Library(load(tmp_path / "wellread.toml", {}, tmp_path)) as opened:
        assert asked(opened, "search", {"query": "x"}).is_error
        assert asked(opened, "search", {}).is_error
    assert list((tmp_path / ".wellread").iterdir()) == []
    assert caplog.text == ""


def test_the_owner_is_told_of_lost_traces_and_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.shelf import TODAY
    from wellread.store import journal

    real, refusals = journal._add, iter([True])

    def once(*arguments: Any) -> None:
        if next(refusals, False):
            raise OSError("the disk is full")
        real(*arguments)

    with library(tmp_path, FILES, members(ANN)) as opened:
        monkeypatch.setattr(journal, "_add", once)
        asked(opened, "read", {"handle": "open.md"})
        asked(opened, "read", {"handle": "open.md"})
    with Library(opened.config) as again:
        assert again.status(scope=again.scope(OWNER), today=TODAY).lost_traces.traces == 1
        ann = scope_of(again, "ann")
        assert again.status(scope=ann, today=TODAY).lost_traces.traces == 0


# --- groups while serving ------------------------------------------------------------------------


def test_a_list_of_groups_that_is_written_while_serving_is_noticed(tmp_path: Path) -> None:
    with library(tmp_path, FILES) as opened:
        assert asked(opened, "read", {"handle": "hr.md"}).is_error
        (tmp_path / "groups.yaml").write_text("ann: [hr]\n", encoding="utf-8")
        assert not asked(opened, "read", {"handle": "hr.md"}).is_error


def test_who_is_in_no_list_any_more_reads_nothing_rather_than_what_was_denied(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without groups, a caller would be let in where one of them is denied."""
    denied = page("for those inside\n", deny="[contractors]")
    with library(tmp_path, {"inside.md": denied}):
        pass
    lists = tmp_path / "groups.yaml"
    lists.write_text("carl: [contractors]\n", encoding="utf-8")
    with Library(load(tmp_path / "wellread.toml", {}, tmp_path)) as opened:
        assert asked(opened, "read", {"handle": "inside.md"}, "carl").is_error
        for left in ("ann: [sales]\n", "ann: [", None):
            if left is None:
                lists.unlink()
            else:
                lists.write_text(left, encoding="utf-8")
            with caplog.at_level(logging.WARNING):
                answer = asked(opened, "read", {"handle": "inside.md"}, "carl")
            assert answer.text == FAILED, left
            assert "those inside" not in json.dumps(caplog.text)
        assert "carl is not in [groups] or groups.yaml any more" in caplog.text

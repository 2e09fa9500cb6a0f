"""What agents do, summed up from tables of traces."""

from __future__ import annotations

import pytest

from wellread.trace import Trace
from wellread.usage import Usage, is_whole_question, usage

# (minute, session, subject, tool, asked, returned, outcome, tokens)
Row = tuple[float, str, str, str, str, tuple[str, ...], str, int | None]


def traces(*rows: Row) -> list[Trace]:
    name = {"search": "query", "find_exact": "text", "read": "handle"}
    return [
        Trace(
            at=f"2026-06-15T09:{int(minute):02}:{minute % 1 * 60:06.3f}+00:00",
            subject=subject, tool=tool, arguments={name[tool]: asked}, returned=returned,
            outcome=outcome, left_out=0, milliseconds=10.0, tokens=tokens, session=session,
        )
        for minute, session, subject, tool, asked, returned, outcome, tokens in rows
    ]  # fmt: skip


def found(minute: float, asked: str, *returned: str, who: str = "ann", session: str = "s") -> Row:
    outcome = "found" if returned else "nothing-found"
    return (minute, session, who, "search", asked, returned, outcome, None)


def read(minute: float, path: str, who: str = "ann", session: str = "s") -> Row:
    return (minute, session, who, "read", path, (path.partition("#")[0],), "found", None)


def of(*rows: Row, gap: float = 30.0) -> Usage:
    return usage(traces(*rows), gap_minutes=gap)


@pytest.mark.parametrize(
    ("query", "whole"),
    [
        ("per diem Berlin", False),
        ("per diem?", True),
        ("what do we pay per day in Berlin", True),
        ("refund policy enterprise customers 2026", False),
        ("какие суточные в командировке?", True),
        ("出張手当はいくらですか？", True),
        ("", False),
    ],
)
def test_a_question_is_told_from_key_words(query: str, whole: bool) -> None:
    assert is_whole_question(query) is whole


@pytest.mark.parametrize(
    ("rows", "led"),
    [
        ((found(0, "a", "x.md#s"), read(1, "x.md#s")), 1),
        ((found(0, "a", "x.md#s"), read(1, "x.md")), 1),
        ((found(0, "a", "x.md#s"), read(1, "y.md")), 0),
        ((read(0, "x.md"), found(1, "a", "x.md#s")), 0),
        # The latest search that returned it has led there; another one has not.
        ((found(0, "a", "x.md#s"), found(1, "b", "x.md#t"), read(2, "x.md")), 1),
        ((found(0, "a", "x.md#s", "y.md#s"), read(1, "x.md"), read(2, "y.md")), 1),
        # What another subject, or another session, reads is another task.
        ((found(0, "a", "x.md#s"), read(1, "x.md", who="bob")), 0),
        ((found(0, "a", "x.md#s"), read(1, "x.md", session="t")), 0),
    ],
)
def test_a_search_leads_to_a_read_of_what_it_returned(rows: tuple[Row, ...], led: int) -> None:
    assert of(*rows).led_to_read == led


def test_lines_of_an_exact_search_lead_to_their_document() -> None:
    exact = (0, "s", "ann", "find_exact", "ERR-4412", ("a:b.md:12",), "found", None)
    assert of(exact, read(1, "a:b.md")).led_to_read == 1


@pytest.mark.parametrize(
    ("rows", "rephrased"),
    [
        ((found(0, "a"), found(1, "b", "x.md#")), 1),
        ((found(0, "a"), found(1, "A")), 0),
        ((found(0, "a", "x.md#s"), read(1, "x.md"), found(2, "b")), 0),
        ((found(0, "a", "x.md#s"), found(1, "b", "y.md#s"), read(2, "x.md")), 1),
        ((found(0, "a"), found(1, "b"), found(2, "c")), 2),
        ((found(0, "a"), found(31, "b")), 0),
    ],
)
def test_a_search_is_rephrased_if_the_next_one_comes_before_a_read(
    rows: tuple[Row, ...], rephrased: int
) -> None:
    assert of(*rows).rephrased == rephrased


@pytest.mark.parametrize(("gap", "tasks"), [(30.0, 2), (60.0, 1), (5.0, 3)])
def test_a_pause_ends_a_task(gap: float, tasks: int) -> None:
    summed = of(found(0, "a"), found(10, "b"), found(50, "c"), gap=gap)
    assert summed.tasks == tasks
    assert summed.searches_per_task == pytest.approx(3 / tasks)


def test_a_task_without_a_search_does_not_lower_the_searches_of_a_task() -> None:
    summed = of(found(0, "a"), found(1, "b"), read(2, "x.md", who="bob"))
    assert (summed.tasks, summed.searches_per_task) == (2, 2.0)


def test_a_further_page_is_part_of_its_search() -> None:
    rows = traces(found(0, "a", "x.md#s"), found(1, "a", "y.md#s"), read(2, "y.md"))
    rows[1].arguments["page"] = "cursor"  # type: ignore[index]
    summed = usage(rows)
    assert (summed.searches, summed.led_to_read, summed.rephrased) == (1, 1, 0)


def test_empty_and_refused_are_different_things() -> None:
    refused = (0, "s", "ann", "search", "", (), "UsageError", None)
    summed = of(refused, found(1, "a"), found(2, "b", "x.md#s"))
    (tool,) = summed.tools
    assert (tool.calls, tool.empty, tool.refused) == (3, 1, 1)
    assert summed.empty == 1


def test_tokens_are_averaged_where_they_were_counted() -> None:
    rows = [(0.0, "s", "ann", "search", "a", ("x.md#",), "found", n) for n in (None, 100, 300)]
    assert of(*rows).tools[0].tokens == 200
    assert of(*rows[:1]).tools[0].tokens is None


def test_tools_come_by_use() -> None:
    summed = of(read(0, "x.md"), found(1, "a"), read(2, "x.md"))
    assert [tool.tool for tool in summed.tools] == ["read", "search"]


def test_nothing_is_summed_up_to_nothing() -> None:
    summed = of()
    assert (summed.calls, summed.tasks, summed.searches_per_task) == (0, 0, None)

"""How a library is used, summed up from its traces: what agents ask, and what comes of it

The words are defined in docs/traces.md. Nothing but handles is needed to tell whether an
answer was of use: a search led to a read if something that it returned was read afterwards.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from wellread.trace import REPORT, Trace

GAP_MINUTES = 30.0
"""Pause that ends a task. People's: sessions on the early web ended after 25.5 minutes (Catledge
and Pitkow 1995), since then rounded to 30. No figure for agents is known to us; they pause for
less, so tasks may be joined, never torn apart."""

SHORT_WORDS = 5
"""The most words of a short query: the tool asks for two to five."""

SEARCHES = ("search", "find_exact")


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolUse:
    """Calls of one tool. ``tokens`` is the mean of the calls where they were counted, ``None``
    where none was; ``milliseconds`` the median; ``refused`` calls ended in an error."""

    tool: str
    calls: int
    empty: int
    refused: int
    tokens: float | None
    milliseconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Sums over traces. ``searches`` are those of both kinds, further pages not counted;
    ``whole_questions`` and ``short_queries`` are of ranked searches alone."""

    calls: int
    subjects: int
    tasks: int
    tools: tuple[ToolUse, ...]
    searches: int
    whole_questions: int
    short_queries: int
    led_to_read: int
    empty: int
    rephrased: int
    searches_per_task: float | None


@dataclass(slots=True)
class _Search:
    """A search of a task, and what became of it; ``at`` and ``read_at`` count its calls."""

    tool: str
    text: str
    at: int
    empty: bool
    documents: set[str] = field(default_factory=set)
    read_at: int | None = None


def usage(traces: Iterable[Trace], *, gap_minutes: float = GAP_MINUTES) -> Usage:
    """Sum traces up. Those of one moment are taken in the order in which they come."""
    ordered = sorted(traces, key=lambda trace: trace.at)
    tasks = _tasks(ordered, timedelta(minutes=gap_minutes))
    found = [_searches(task) for task in tasks]
    searches = [search for task in found for search in task]
    ranked = [search for search in searches if search.tool == "search"]
    whole = sum(is_whole_question(search.text) for search in ranked)
    searching = [task for task in found if task]
    return Usage(
        calls=len(ordered),
        subjects=len({trace.subject for trace in ordered}),
        tasks=len(tasks),
        tools=_tools(ordered),
        searches=len(searches),
        whole_questions=whole,
        short_queries=len(ranked) - whole,
        led_to_read=sum(search.read_at is not None for search in searches),
        empty=sum(search.empty for search in searches),
        rephrased=sum(_rephrased(one, two) for task in found for one, two in pairwise(task)),
        searches_per_task=len(searches) / len(searching) if searching else None,
    )


def is_whole_question(text: str) -> bool:
    """Whether a query is a sentence rather than a few key words: it ends in a question mark,
    or has more words than a short one."""
    return text.rstrip().endswith(("?", "？")) or len(text.split()) > SHORT_WORDS


def is_empty(trace: Trace) -> bool:
    """Whether a question was answered, with nothing. Errors are answers of another kind, and a
    report of a miss asks for nothing."""
    return not trace.returned and not is_refused(trace) and trace.tool != REPORT


def is_refused(trace: Trace) -> bool:
    """Whether a question ended in an error: its outcome is then the error's class."""
    return not trace.outcome or trace.outcome[0].isupper()


def _tasks(ordered: Sequence[Trace], gap: timedelta) -> list[list[Trace]]:
    """Traces of one subject in one session, cut where nothing was asked for a while."""
    tasks: list[list[Trace]] = []
    latest: dict[tuple[str, str], list[Trace]] = {}
    for trace in ordered:
        key = (trace.session, trace.subject)
        task = latest.get(key)
        if task is None or _time(trace) - _time(task[-1]) > gap:
            task = latest[key] = []
            tasks.append(task)
        task.append(trace)
    return tasks


def _time(trace: Trace) -> datetime:
    return datetime.fromisoformat(trace.at)


def _searches(task: Sequence[Trace]) -> list[_Search]:
    searches: list[_Search] = []
    for at, trace in enumerate(task):
        if trace.tool in SEARCHES and not is_refused(trace):
            text = str(trace.arguments.get("query") or trace.arguments.get("text") or "")
            documents = {_document(handle, trace.tool) for handle in trace.returned}
            same = searches[-1] if searches and searches[-1].text == text else None
            if trace.arguments.get("page") and same is not None:
                same.documents |= documents
                continue
            searches.append(
                _Search(
                    tool=trace.tool, text=text, at=at, empty=is_empty(trace), documents=documents
                )
            )
        elif trace.tool == "read" and trace.returned:
            led = next(
                (one for one in reversed(searches) if trace.returned[0] in one.documents), None
            )
            if led is not None and led.read_at is None:
                led.read_at = at
    return searches


def _document(handle: str, tool: str) -> str:
    """The document of ``path#section``, or of ``path:line``."""
    return handle.rpartition(":" if tool == "find_exact" else "#")[0] or handle


def _rephrased(one: _Search, two: _Search) -> bool:
    """Whether the next search asks in other words before anything found was read."""
    return one.text.casefold() != two.text.casefold() and (
        one.read_at is None or one.read_at > two.at
    )


def _tools(ordered: Sequence[Trace]) -> tuple[ToolUse, ...]:
    by_tool: dict[str, list[Trace]] = {}
    for trace in ordered:
        by_tool.setdefault(trace.tool, []).append(trace)
    return tuple(
        _tool_use(tool, calls)
        for tool, calls in sorted(by_tool.items(), key=lambda item: (-len(item[1]), item[0]))
    )


def _tool_use(tool: str, calls: Sequence[Trace]) -> ToolUse:
    tokens = [call.tokens for call in calls if call.tokens is not None]
    return ToolUse(
        tool=tool,
        calls=len(calls),
        empty=sum(map(is_empty, calls)),
        refused=sum(map(is_refused, calls)),
        tokens=statistics.fmean(tokens) if tokens else None,
        milliseconds=statistics.median(call.milliseconds for call in calls),
    )

"""What ``traces`` and ``misses`` show, as lines"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wellread.output import BLANK, Line, line, plural
from wellread.visible import one_line

if TYPE_CHECKING:
    from wellread.trace import Lost, Miss, Trace
    from wellread.usage import ToolUse, Usage


LONGEST = 1000
"""Characters of what somebody asked that are shown: as many as a query may have."""


def trace_lines(traces: Sequence[Trace]) -> Iterator[Line]:
    """A line for each question: when, who, with which tool, what, and what came back."""
    if not traces:
        yield line("No traces")
        return
    who = max(len(trace.subject) for trace in traces)
    tool = max(len(trace.tool) for trace in traces)
    for trace in traces:
        asked = ", ".join(_argument(name, value) for name, value in trace.arguments.items())
        yield line(
            (f"{trace.at[:19]}  ", "quiet"),
            f"{trace.subject:<{who}}  {trace.tool:<{tool}}  {asked}",
            (f"  {_answer(trace)}", "quiet"),
        )


def _argument(name: str, value: object) -> str:
    """An argument on one line: whoever asks writes it, and could write lines of their own."""
    if value is True:
        return name
    shown = one_line(",".join(map(str, value)) if isinstance(value, list) else f"{value}", LONGEST)
    return shown if name in ("query", "text", "handle") else f"{name}={shown}"


def _answer(trace: Trace) -> str:
    parts = [f"{len(trace.returned)} returned" if trace.returned else trace.outcome]
    if trace.left_out:
        parts.append(f"{trace.left_out:,} left out")
    if trace.tokens is not None:
        parts.append(f"{trace.tokens:,} {plural(trace.tokens, 'token')}")
    parts.append(f"{trace.milliseconds:,.0f} ms")
    return ", ".join(parts)


def lost_lines(lost: Lost) -> Iterator[Line]:
    """What the journal lacks, where something is known to."""
    if lost.traces:
        since = (lost.since or "")[:10]
        text = f"{lost.traces:,} {plural(lost.traces, 'trace')} could not be written since {since}"
        yield line((text, "warning"))


def usage_lines(usage: Usage) -> Iterator[Line]:
    """Tools by use, then what became of searches."""
    if not usage.calls:
        yield line("No traces")
        return
    yield line(
        f"{usage.calls:,} {plural(usage.calls, 'call')} of {usage.subjects:,} "
        f"{plural(usage.subjects, 'subject')} in {usage.tasks:,} {plural(usage.tasks, 'task')}"
    )
    yield BLANK
    head = ("tool", "calls", "share", "empty", "refused", "tokens", "ms")
    rows = [head, *(_tool_row(tool, usage.calls) for tool in usage.tools)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    for number, row in enumerate(rows):
        first = f"{row[0]:<{widths[0]}}"
        rest = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        text = "  ".join((first, *rest))
        yield line((text, "quiet")) if number == 0 else line(text)
    yield BLANK
    ranked = usage.whole_questions + usage.short_queries
    per_task = usage.searches_per_task
    for name, value in (
        ("searches per task", f"{per_task:.1f}" if per_task is not None else "none"),
        ("led to a read", _share(usage.led_to_read, usage.searches)),
        ("empty", _share(usage.empty, usage.searches)),
        ("rephrased", _share(usage.rephrased, usage.searches)),
        ("whole questions", _share(usage.whole_questions, ranked)),
        ("short queries", _share(usage.short_queries, ranked)),
    ):
        yield line((f"{name:<19}", "quiet"), value)


def _tool_row(tool: ToolUse, calls: int) -> tuple[str, ...]:
    return (
        tool.tool,
        f"{tool.calls:,}",
        f"{tool.calls / calls:.0%}",
        f"{tool.empty:,}",
        f"{tool.refused:,}",
        f"{tool.tokens:,.0f}" if tool.tokens is not None else "-",
        f"{tool.milliseconds:,.0f}",
    )


def _share(count: int, total: int) -> str:
    return f"{count:,} of {total:,} ({count / total:.0%})" if total else "none"


def miss_lines(misses: Sequence[Miss]) -> Iterator[Line]:
    """A paragraph for each miss."""
    if not misses:
        yield line("No misses")
        return
    for number, miss in enumerate(misses):
        if number:
            yield BLANK
        status = f"  [{miss.status}]" if miss.status != "open" else ""
        yield line(
            (f"{miss.id}  ", "path"), (one_line(miss.question, LONGEST), "title"), (status, "quiet")
        )
        if miss.looked_for:
            yield line(("looked for: ", "quiet"), one_line(miss.looked_for, LONGEST), indent=4)
        if miss.tried:
            yield line(("tried: ", "quiet"), one_line("; ".join(miss.tried), LONGEST), indent=4)
        if miss.expect:
            yield line(("expected: ", "quiet"), ", ".join(miss.expect), indent=4)
        times = f", {miss.times} times since {miss.at[:10]}" if miss.times > 1 else ""
        text = f"{', '.join(miss.subjects)} on {miss.last_at[:10]}{times}"
        yield line((text, "quiet"), indent=4)

"""What people and programs read: results as lines, coloured on a terminal and plain in a pipe,
or as JSON. No other module prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from wellread.types import (
        ExactResult,
        Explanation,
        Hit,
        Problem,
        ReadResult,
        Run,
        SearchResult,
        Standing,
    )

Span = tuple[str, str]
"""A piece of text and the name of its style, empty for none."""

_STYLES = {
    "path": "cyan",
    "title": "bold",
    "match": "bold yellow",
    "quiet": "dim",
    "warning": "yellow",
    "bad": "bold red",
}
# Documents must not drive the reader's terminal: all control characters but tab and line end.
_CONTROL = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160))}
del _CONTROL[9], _CONTROL[10]


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line to print; ``indent`` in blanks, kept where a terminal wraps it."""

    spans: tuple[Span, ...]
    indent: int = 0


def line(*parts: str | Span, indent: int = 0) -> Line:
    """A line of texts and styled texts."""
    spans = tuple((part, "") if isinstance(part, str) else part for part in parts)
    return Line(spans=spans, indent=indent)


BLANK = line()


def emit(lines: Iterable[Line], stream: TextIO) -> None:
    """Prints lines: with colour on a terminal, plainly anywhere else."""
    if stream.isatty():
        _emit_styled(lines, stream)
        return
    for each in lines:
        text = "".join(text for text, _ in each.spans).translate(_CONTROL)
        margin = " " * each.indent
        for row in text.split("\n"):
            stream.write(f"{margin}{row}".rstrip() + "\n" if row else "\n")


def _emit_styled(lines: Iterable[Line], stream: TextIO) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    for each in lines:
        text = Text()
        for piece, style in each.spans:
            text.append(piece.translate(_CONTROL), style=_STYLES.get(style, ""))
        console.print(
            Padding(text, (0, 0, 0, each.indent), expand=False), soft_wrap=not each.indent
        )


def emit_json(value: Mapping[str, Any], stream: TextIO) -> None:
    """Prints one JSON value, in the characters it is written in."""
    import json

    stream.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


# --- search ----------------------------------------------------------------------------------


def search_json(result: SearchResult, *, explain: bool) -> dict[str, Any]:
    """A search as documented in docs/command-line.md."""
    answer: dict[str, Any] = {
        "outcome": result.outcome,
        "hits": [_hit_json(hit, explain=explain) for hit in result.hits],
        "counts": {"all_words": result.counts.all_words, "any_word": result.counts.any_word},
        "left_out": result.left_out,
        "more_exist": result.more_exist,
        "next_page": result.next_page,
        "indexed_at": result.indexed_at,
        "suggestions": list(result.suggestions),
        "without_filters": dict(result.without_filters),
        "notes": list(result.notes),
    }
    if explain:
        answer["effective_query"] = list(result.effective_query)
    return answer


def _hit_json(hit: Hit, *, explain: bool) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "path": hit.path,
        "section": hit.section,
        "lines": list(hit.lines),
        "pdf_page": hit.pdf_page,
        "title": hit.title,
        "heading": list(hit.heading),
        "snippet": hit.snippet,
        "score": hit.score,
        "type": hit.type,
        "state": hit.state,
        "state_explicit": hit.state_explicit,
        "standing": _standing_json(hit.standing),
        "updated": plain(hit.updated),
        "indexed_at": hit.indexed_at,
        "attachments": hit.attachments,
        "further": hit.further,
    }
    if explain:
        answer["explanation"] = plain(hit.explanation)
    return answer


def _standing_json(standing: Standing) -> dict[str, Any]:
    return {
        "name": standing.name,
        "reasons": list(standing.reasons),
        "successor": standing.successor,
    }


def search_lines(result: SearchResult, *, first: int, explain: bool) -> Iterator[Line]:
    """A search for people. ``first`` is the number of its first hit."""
    if explain:
        yield line(("query", "quiet"))
        for part in result.effective_query:
            yield line(part, indent=2)
        yield BLANK
    for number, hit in enumerate(result.hits, start=first):
        yield from _hit_lines(number, hit, explain=explain)
        yield BLANK
    if not result.hits:
        yield from _nothing_lines(result)
    else:
        shown = f"{len(result.hits)} {_plural(len(result.hits), 'hit')}"
        if result.left_out:
            more = "more than " if result.more_exist else ""
            shown += f", {more}{result.left_out} left out"
        yield line((f"{shown}. {_counted(result)}{_as_of(result.indexed_at)}", "quiet"))
        if result.next_page:
            yield line(("The next: the same with --page ", "quiet"), result.next_page)
    yield from _note_lines(result.notes)


def _counted(result: SearchResult) -> str:
    counts = result.counts
    return (
        f"{counts.all_words} {_plural(counts.all_words, 'passage')} with all words, "
        f"{counts.any_word} with any. "
    )


def _hit_lines(number: int, hit: Hit, *, explain: bool) -> Iterator[Line]:
    place = (
        f"p. {hit.pdf_page}" if hit.pdf_page is not None else f"lines {hit.lines[0]}-{hit.lines[1]}"
    )
    yield line(f"{number}. ", (hit.section.removesuffix("#"), "path"), (f"  {place}", "quiet"))
    heading = [part for part in hit.heading if part != hit.title]
    yield line((hit.title, "title"), *(f" › {part}" for part in heading), indent=3)
    yield line(*_badges(hit), indent=3)
    for reason in hit.standing.reasons:
        yield line((reason, "warning"), indent=3)
    if hit.snippet:
        yield line(*_marked(hit.snippet), indent=3)
    if hit.further:
        yield line((f"{hit.further} more in this document", "quiet"), indent=3)
    if explain and hit.explanation is not None:
        yield from _explanation_lines(hit.explanation, 3)


def _badges(hit: Hit | ReadResult) -> list[Span]:
    parts: list[Span] = [(hit.type, "quiet")]
    written = getattr(hit, "type_written", "")
    if written and written.casefold() != hit.type:
        parts[0] = (f"{hit.type} ({written})", "quiet")
    if hit.state_explicit:
        parts.append((hit.state.replace("-", " "), "quiet"))
    name = hit.standing.name
    if name not in {"current", hit.state}:
        parts.append((name.replace("-", " "), "warning"))
    if hit.updated is not None:
        parts.append((f"updated {hit.updated}", "quiet"))
    attached = hit.attachments if isinstance(hit.attachments, int) else len(hit.attachments)
    if attached:
        parts.append((f"{attached} {_plural(attached, 'attachment')}", "quiet"))
    joined: list[Span] = []
    for part in parts:
        joined += [(" · ", "quiet"), part] if joined else [part]
    return joined


def _marked(text: str) -> list[Span]:
    """A snippet, its «matches» in a style of their own; the marks stay."""
    parts = re.split(r"(«[^«»]*»)", text)
    return [(part, "match" if index % 2 else "") for index, part in enumerate(parts) if part]


def _explanation_lines(part: Explanation, indent: int) -> Iterator[Line]:
    how = "" if part.op == "term" else f" ({'largest' if part.op == 'max' else part.op} of)"
    yield line(
        (f"{part.value:9.4f}  {part.label}{how if part.parts else ''}", "quiet"), indent=indent
    )
    for below in part.parts:
        yield from _explanation_lines(below, indent + 2)


def _nothing_lines(result: SearchResult | ExactResult) -> Iterator[Line]:
    as_of = _as_of(result.indexed_at)
    match result.outcome:
        case "index-empty":
            yield line(("The index is empty. ", "bad"), "Fill it from its sources: wellread index")
        case "index-failed":
            yield line(
                ("There is nothing to search: the last index run failed. ", "bad"),
                "See why with wellread status, then run wellread index",
            )
        case "nothing-with-filters":
            yield line("Nothing found with these filters. ", as_of)
        case _:
            yield line("Nothing found. ", as_of)
    for name, count in result.without_filters:
        filters = "any filter" if name == "any" else f"the {name} filter"
        yield line(f"Without {filters}: {count}", indent=2)
    suggestions = getattr(result, "suggestions", ())
    if suggestions:
        yield line(f"Near spellings: {', '.join(suggestions)}", indent=2)


# --- grep ------------------------------------------------------------------------------------


def exact_json(result: ExactResult) -> dict[str, Any]:
    """An exact search as documented in docs/command-line.md."""
    return {
        "outcome": result.outcome,
        "matches": [
            {"path": match.path, "line": match.line, "text": match.text} for match in result.matches
        ],
        "counts": {"lines": result.lines, "documents": result.documents},
        "left_out": result.left_out,
        "indexed_at": result.indexed_at,
        "without_filters": dict(result.without_filters),
        "notes": list(result.notes),
    }


def exact_lines(result: ExactResult) -> Iterator[Line]:
    """An exact search for people: a line each as ``path:line: text``."""
    for match in result.matches:
        yield line((f"{match.path}:{match.line}", "path"), ": ", *_spans(match.text, match.spans))
    if not result.matches:
        yield from _nothing_lines(result)
    else:
        left = f", {result.left_out} left out (--limit)" if result.left_out else ""
        lines, documents = result.lines, result.documents
        yield BLANK
        yield line(
            (
                f"{lines} {_plural(lines, 'line')} in {documents} "
                f"{_plural(documents, 'document')}{left}. {_as_of(result.indexed_at)}",
                "quiet",
            )
        )
    yield from _note_lines(result.notes)


def _spans(text: str, ranges: Sequence[tuple[int, int]]) -> list[Span]:
    parts: list[Span] = []
    at = 0
    for start, end in ranges:
        parts += [(text[at:start], ""), (text[start:end], "match")]
        at = end
    return [*parts, (text[at:], "")]


# --- read ------------------------------------------------------------------------------------


def read_json(result: ReadResult) -> dict[str, Any]:
    """A reading as documented in docs/command-line.md."""
    return {
        "path": result.path,
        "section": result.section,
        "title": result.title,
        "type": result.type,
        "state": result.state,
        "state_explicit": result.state_explicit,
        "standing": _standing_json(result.standing),
        "updated": plain(result.updated),
        "indexed_at": result.indexed_at,
        "pdf_page": result.pdf_page,
        "lines": list(result.lines),
        "total_lines": result.total_lines,
        "text": result.text,
        "more": result.more,
        "before": result.before,
        "after": result.after,
        "outline": plain(result.outline),
        "links": plain(result.links),
        "backlinks": plain(result.backlinks),
        "attachments": plain(result.attachments),
    }


def read_lines(result: ReadResult, *, outline: bool) -> Iterator[Line]:
    """A document or a part of it for people, its lines numbered as in the file."""
    handle = result.path if result.section is None else f"{result.path}#{result.section}"
    first, last = result.lines
    place = f"p. {result.pdf_page}, " if result.pdf_page is not None else ""
    where = "" if outline else f"lines {first}-{last} of "
    yield line((handle, "path"), (f"  {place}{where}{result.total_lines}", "quiet"))
    yield line((result.title, "title"))
    yield line(*_badges(result), (f" · indexed {result.indexed_at}", "quiet"))
    for reason in result.standing.reasons:
        yield line((reason, "warning"))
    yield BLANK
    if outline:
        for entry in result.outline:
            margin = "  " * (entry.level - 1)
            yield line(
                f"{margin}{entry.text}  ",
                (entry.handle, "path"),
                (f"  {entry.lines[0]}-{entry.lines[1]}", "quiet"),
            )
    else:
        width = len(str(last))
        for number, row in enumerate(result.text.split("\n"), start=first):
            yield line((f"{number:>{width}}  ", "quiet"), row)
    after = list(_around_lines(result))
    if after:
        yield BLANK
        yield from after


def _around_lines(result: ReadResult) -> Iterator[Line]:
    if result.more is not None:
        yield line(
            ("goes on: ", "quiet"),
            f"wellread read {_quoted(result.path)} ",
            f"--lines {result.more}",
        )
    for label, handle in (("before: ", result.before), ("after: ", result.after)):
        if handle is not None:
            yield line((label, "quiet"), (handle, "path"))
    for label, links in (("links to: ", result.links), ("linked from: ", result.backlinks)):
        for link in links:
            yield line((label, "quiet"), (link.path, "path"), f"  {link.title}")
    for one in result.attachments:
        size = f", {_size(one.size)}" if one.size is not None else ""
        title = f"  {one.title}" if one.title else ""
        yield line(("attachment: ", "quiet"), (one.path, "path"), f"{title} ({one.kind}{size})")


# --- runs, lint, status ----------------------------------------------------------------------


def run_lines(run: Run) -> Iterator[Line]:
    """What an index run did, in one line, and warnings below it."""
    text = (
        f"{run.seen} {_plural(run.seen, 'file')} seen: {run.added} added, {run.changed} changed, "
        f"{run.unchanged} unchanged, {run.removed} removed"
    )
    for label, reasons in (("skipped", run.skipped), ("failed", run.failed)):
        if reasons:
            which = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
            text += f", {sum(reasons.values())} {label} ({which})"
    passages = f"{run.passages} {_plural(run.passages, 'passage')}"
    yield line(f"{text}. {passages}, {run.seconds:.1f} s")


def held_back(run: Run) -> str | None:
    """The warning of a run that has not removed what seems to be gone."""
    if not run.held_back:
        return None
    return (
        f"{run.held_back} {_plural(run.held_back, 'document')} seem to be gone and are kept for "
        "now, as they are more than half of a source. Check the source; if they are to go, run "
        "wellread index --allow-mass-delete"
    )


def lint_lines(problems: Sequence[Problem]) -> Iterator[Line]:
    """Mistakes by path and line, and their number."""
    for problem in problems:
        yield line(
            (f"{problem.path}:{problem.line}", "path"),
            f": {problem.message} ",
            (f"[{problem.code}]", "quiet"),
        )
    documents = len({problem.path for problem in problems})
    if problems:
        yield BLANK
        yield line(
            f"{len(problems)} {_plural(len(problems), 'problem')} in {documents} "
            f"{_plural(documents, 'document')}"
        )
    else:
        yield line("No problems")


def status_lines(status: object) -> Iterator[Line]:
    """Any typed report for people: numbers in a column, counts in one line, lists below."""
    entries = [(name.replace("_", " "), value) for name, value in _fields(status)]
    width = max((len(name) for name, _ in entries), default=0)
    for name, value in entries:
        label = (f"{name:<{width}}  ", "quiet")
        rows = list(_rows(value))
        if len(rows) == 1 and not _is_list(value):
            yield line(label, rows[0])
        elif rows:
            yield line((name, "quiet"))
            for row in rows:
                yield line(row, indent=2)


def _rows(value: object) -> Iterator[str]:
    from wellread.types import Problem, Run

    if value is None or value == "":
        return
    if isinstance(value, Run):
        text = next(iter(run_lines(value))).spans[0][0]
        yield f"{value.finished_at}: {text}" + (f". Failed: {value.error}" if value.error else "")
    elif isinstance(value, Problem):
        yield f"{value.path}:{value.line}: {value.message}"
    elif is_dataclass(value):
        yield ", ".join(
            f"{name.replace('_', ' ')} {_short(one)}"
            for name, one in _fields(value)
            if one not in (None, "", ())
        )
    elif isinstance(value, Mapping):
        if value:
            yield ", ".join(f"{key} {_short(count)}" for key, count in value.items())
    elif _is_list(value):
        for one in value:  # type: ignore[attr-defined]
            yield from _rows(one)
    else:
        yield _short(value)


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset)


def _short(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if _is_list(value):
        return ", ".join(map(str, value))  # type: ignore[call-overload]
    return str(value)


def _fields(value: object) -> list[tuple[str, object]]:
    return [(each.name, getattr(value, each.name)) for each in fields(value)]  # type: ignore[arg-type]


# --- shared ----------------------------------------------------------------------------------


def plain(value: object) -> Any:
    """A typed value as JSON values: dataclasses as objects, days as ISO 8601, sets sorted."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(plain(one) for one in value)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if is_dataclass(value):
        return {name: plain(one) for name, one in _fields(value)}
    return str(value)


def _note_lines(notes: Sequence[str]) -> Iterator[Line]:
    for note in notes:
        yield line((note, "warning"))


def _as_of(indexed_at: str | None) -> str:
    return f"As of {indexed_at}." if indexed_at else ""


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"


def _size(size: int) -> str:
    for unit, bytes_ in (("MiB", 2**20), ("KiB", 2**10)):
        if size >= bytes_:
            return f"{size / bytes_:.1f} {unit}"
    return f"{size} B"


def _quoted(path: str) -> str:
    import shlex

    return shlex.quote(path)

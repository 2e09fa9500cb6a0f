"""What ``search``, ``grep`` and ``read`` show, as lines and as the documented JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from wellread.output import BLANK, Line, Span, line, plain, plural

if TYPE_CHECKING:
    from wellread.types import Explanation, Hit, SearchResult, Standing
    from wellread.views import ExactResult, ReadResult


# --- search ----------------------------------------------------------------------------------


def search_json(result: SearchResult, *, explain: bool) -> dict[str, Any]:
    """A search as documented in docs/json.md."""
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


def search_lines(result: SearchResult, *, explain: bool) -> Iterator[Line]:
    """A search for people."""
    if explain:
        yield line(("query", "quiet"))
        for part in result.effective_query:
            yield line(part, indent=2)
        yield BLANK
    for number, hit in enumerate(result.hits, start=1):
        yield from _hit_lines(number, hit, explain=explain)
        yield BLANK
    if not result.hits:
        yield from _nothing_lines(result)
    else:
        shown = f"{len(result.hits)} {plural(len(result.hits), 'hit')}"
        if result.left_out:
            more = "more than " if result.more_exist else ""
            shown += f", {more}{result.left_out} left out"
        elif result.more_exist:
            shown += ", and more that were not looked at: say more, or filter"
        yield line((f"{shown}. {_counted(result)}{_as_of(result.indexed_at)}", "quiet"))
        if result.next_page:
            yield line(("The next: the same with --page ", "quiet"), result.next_page)
    yield from _note_lines(result.notes)


def _counted(result: SearchResult) -> str:
    counts = result.counts
    return (
        f"{counts.all_words} {plural(counts.all_words, 'passage')} with all words, "
        f"{counts.any_word} with any. "
    )


def _hit_lines(number: int, hit: Hit, *, explain: bool) -> Iterator[Line]:
    place = f"p. {hit.pdf_page}" if hit.pdf_page is not None else lines_in_words(*hit.lines)
    yield line(f"{number}. ", (hit.section.removesuffix("#"), "path"), (f"  {place}", "quiet"))
    heading = [part for part in hit.heading if part not in {hit.title, place}]
    yield line((hit.title, "title"), *(f" › {part}" for part in heading), indent=3)
    yield line(*badges(hit, own_type(hit)), indent=3)
    yield from _reason_lines(hit, 3)
    if hit.snippet:
        yield line(*_marked(hit.snippet), indent=3)
    if hit.further:
        yield line((f"{hit.further} more in this document", "quiet"), indent=3)
    if explain and hit.explanation is not None:
        yield from explanation_lines(hit.explanation, 3)


def lines_in_words(first: int, last: int) -> str:
    """A range of lines."""
    return f"line {first}" if first == last else f"lines {first}-{last}"


def own_type(hit: Hit | ReadResult) -> str:
    """The type in the document's own word, where that is another."""
    written: str = getattr(hit, "type_written", "")
    return written if written.casefold() != hit.type else ""


def badges(hit: Hit | ReadResult, written: str = "") -> list[Span]:
    """What a document is, in a few words; ``written`` is the type in its own word."""
    parts: list[Span] = [(f"{hit.type} ({written})" if written else hit.type, "quiet")]
    if hit.state_explicit:
        style = "quiet" if hit.state == "approved" else "warning"
        parts.append((_in_words(hit.state), style))
    if hit.updated is not None:
        parts.append((f"updated {hit.updated}", "quiet"))
    attached = hit.attachments if isinstance(hit.attachments, int) else len(hit.attachments)
    if attached:
        parts.append((f"{attached} {plural(attached, 'attachment')}", "quiet"))
    joined: list[Span] = []
    for part in parts:
        joined += [(" · ", "quiet"), part] if joined else [part]
    return joined


def reasons(hit: Hit | ReadResult) -> list[str]:
    """Why a document is worth less than it seems, but for what its badge says already."""
    return [reason for reason in hit.standing.reasons if reason != _in_words(hit.state)]


def _reason_lines(hit: Hit | ReadResult, indent: int) -> Iterator[Line]:
    found = reasons(hit)
    if found:
        yield line(("; ".join(found), "warning"), indent=indent)


def _in_words(name: str) -> str:
    return name.replace("-", " ")


def _marked(text: str) -> list[Span]:
    """A snippet, its «matches» in a style of their own; the marks stay."""
    parts = re.split(r"(«[^«»]*»)", text)
    return [(part, "match" if index % 2 else "") for index, part in enumerate(parts) if part]


def explanation_lines(part: Explanation, indent: int) -> Iterator[Line]:
    """What a score is made of, a line a part."""
    how = "" if part.op == "term" else f" ({'largest' if part.op == 'max' else part.op} of)"
    yield line(
        (f"{part.value:9.4f}  {part.label}{how if part.parts else ''}", "quiet"), indent=indent
    )
    for below in part.parts:
        yield from explanation_lines(below, indent + 2)


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
    """An exact search as documented in docs/json.md."""
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
        where = f"{documents} {plural(documents, 'document')}{left}. {_as_of(result.indexed_at)}"
        yield line((f"{lines} {plural(lines, 'line')} in {where}", "quiet"))
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
    """A reading as documented in docs/json.md."""
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
        "notes": list(result.notes),
    }


def read_lines(result: ReadResult, *, outline: bool) -> Iterator[Line]:
    """A document or a part of it for people, its lines numbered as in the file."""
    handle = result.path if result.section is None else f"{result.path}#{result.section}"
    first, last = result.lines
    place = f"p. {result.pdf_page}, " if result.pdf_page is not None else ""
    where = "" if outline else f"{lines_in_words(first, last)} of "
    size = f"{result.total_lines} {plural(result.total_lines, 'line')}" if outline else ""
    yield line((handle, "path"), (f"  {place}{where}{size or result.total_lines}", "quiet"))
    yield line((result.title, "title"))
    yield line(*badges(result), (f" · indexed {result.indexed_at}", "quiet"))
    yield from _reason_lines(result, 0)
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
    after = list(_around_lines(result, outline=outline))
    if after:
        yield BLANK
        yield from after


def _around_lines(result: ReadResult, *, outline: bool) -> Iterator[Line]:
    if result.more is not None and not outline:
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
        size = f", {size_in_words(one.size)}" if one.size is not None else ""
        title = f"  {one.title}" if one.title else ""
        yield line(("attachment: ", "quiet"), (one.path, "path"), f"{title} ({one.kind}{size})")
    yield from _note_lines(result.notes)


# --- shared ----------------------------------------------------------------------------------


def _note_lines(notes: Sequence[str]) -> Iterator[Line]:
    for note in notes:
        yield line((note, "warning"))


def _as_of(indexed_at: str | None) -> str:
    return f"As of {indexed_at}." if indexed_at else ""


def size_in_words(size: int) -> str:
    """A number of bytes."""
    for unit, bytes_ in (("MiB", 2**20), ("KiB", 2**10)):
        if size >= bytes_:
            return f"{size / bytes_:.1f} {unit}"
    return f"{size} B"


def _quoted(path: str) -> str:
    import shlex

    return shlex.quote(path)

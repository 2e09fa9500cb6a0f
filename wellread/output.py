"""Lines for people, coloured on a terminal and plain in a pipe, and JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from typing import Any, TextIO

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
_CONTROL = dict.fromkeys((*range(32), *range(127, 160)), "\N{REPLACEMENT CHARACTER}")
del _CONTROL[9], _CONTROL[10]

# A file may be named with a line end, and must not look like another line of the answer.
_CONTROL_IN = dict.fromkeys(("path", "title"), _CONTROL | {9: " ", 10: "\N{REPLACEMENT CHARACTER}"})


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
        text = "".join(_harmless(piece, style) for piece, style in each.spans)
        margin = " " * each.indent
        for row in text.split("\n"):
            stream.write(f"{margin}{row}".rstrip() + "\n" if row else "\n")


def _harmless(text: str, style: str) -> str:
    return text.translate(_CONTROL_IN.get(style, _CONTROL))


def _emit_styled(lines: Iterable[Line], stream: TextIO) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    for each in lines:
        text = Text()
        for piece, style in each.spans:
            text.append(_harmless(piece, style), style=_STYLES.get(style, ""))
        if each.indent:
            console.print(Padding(text, (0, 0, 0, each.indent), expand=False))
        else:
            console.print(text, soft_wrap=True)  # a line to copy stays one line


def emit_json(value: Mapping[str, Any], stream: TextIO) -> None:
    """Prints one JSON value, in the characters it is written in."""
    import json

    stream.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


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
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    return str(value)


def plural(count: int, word: str) -> str:
    """A word for so many things."""
    return word if count == 1 else f"{word}s"


def sentence(message: str) -> str:
    """The message as a sentence: with a capital, and an end; it may name a file of any name."""
    text = (message[:1].upper() + message[1:]).translate(_CONTROL)
    return text if text.endswith((".", "?", "!")) else f"{text}."

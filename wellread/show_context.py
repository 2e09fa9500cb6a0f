"""A governed delivery for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wellread.context_text import context_lines
from wellread.delivery import ContextResult
from wellread.output import BLANK, Line, line, plain
from wellread.show import explanation_lines


def context_json(result: ContextResult, *, explain: bool) -> dict[str, Any]:
    """A delivery as documented in docs/json.md."""
    answer: dict[str, Any] = plain(result)
    if not explain:
        for piece in answer["pieces"]:
            del piece["explanation"]
    return answer


def context_shown(result: ContextResult, *, explain: bool) -> Iterator[Line]:
    """A delivery as an agent reads it, its frame told from the text of documents by colour."""
    for each in context_lines(result):
        if each.startswith("|"):
            yield line(("| ", "quiet"), each[1:].removeprefix(" "))
        elif each.startswith("#"):
            yield line((each, "title"))
        elif each.startswith("Verdict: ") and not each.startswith("Verdict: answer."):
            yield line((each, "warning"))
        elif each.startswith("["):
            handle, _, rest = each.partition(" (")
            yield line((handle, "path"), (f" ({rest}", "quiet"))
        else:
            yield line(each)
    if explain:
        for piece in result.pieces:
            yield BLANK
            yield line((piece.section, "path"))
            if piece.explanation is not None:
                yield from explanation_lines(piece.explanation, 2)
    yield BLANK
    yield line((f"{result.tokens:,} of {result.budget:,} tokens.", "quiet"))

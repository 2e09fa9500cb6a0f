"""Markdown's block structure: headings, code, link definitions, as CommonMark sees them.

The block rules are markdown-it-py's; inline parsing is off. Two things are ours, for speed
only (a block parser that tries every rule on every line is half of an index run): a rule is
tried only where the line's first character can begin it, and paragraphs leave no tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


@dataclass(frozen=True, kw_only=True, slots=True)
class RawHeading:
    """A heading as written. ``line`` counts body lines from 0; ``nested`` headings are inside
    a list or a quotation."""

    level: int
    source: str
    line: int
    nested: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Structure:
    """What one pass over a text finds. ``line_starts`` are the offsets of all lines; ``code``
    holds half-open line ranges of fences and indented code, ascending; ``references`` maps a
    normalized label to a destination."""

    line_starts: tuple[int, ...]
    headings: tuple[RawHeading, ...]
    code: tuple[tuple[int, int], ...]
    references: dict[str, str]


# Versions of a page are often the same to the letter (of 18,023 in scale-docs-18k, 7,856 are
# distinct), and a run prepares files of one name one after the other.
@lru_cache(maxsize=16)
def structure(text: str) -> Structure:
    """The block structure of a text with ``\\n`` line ends. Never raises for any text."""
    environment: dict[str, Any] = {}
    tokens: list[Any] = []
    md = _markdown()
    starts: Any = md.block.parse(text, md, environment, tokens)
    headings = []
    code = []
    for index, token in enumerate(tokens):
        kind = token.type
        if kind == "heading_open":
            headings.append(
                RawHeading(
                    level=int(token.tag[1]),
                    source=tokens[index + 1].content,
                    line=token.map[0],
                    nested=token.level > 0,
                )
            )
        elif kind in ("fence", "code_block"):
            code.append((token.map[0], token.map[1]))
    references = {
        label: str(found["href"]) for label, found in environment.get("references", {}).items()
    }
    return Structure(
        line_starts=starts, headings=tuple(headings), code=tuple(code), references=references
    )


def line_starts(lines: list[str]) -> list[int]:
    """The offsets of lines that ``split("\\n")`` gave, and one past the end."""
    return list(accumulate([len(line) + 1 for line in lines], initial=0))


def plain(source: str, references: Mapping[str, str] = MappingProxyType({})) -> str:
    """A heading's text as a reader sees it: emphasis, code, links, images and tags removed.
    ``references`` are those of the ``Structure``."""
    if len(source) > _LONGEST_HEADING or not _has_markup(source):
        return source
    used: tuple[str, ...] = ()
    if references and "[" in source:
        labels = {normalized_label(label) for label in _LABEL.findall(source)}
        used = tuple(sorted(label for label in labels if label in references))
    return _plain(source, used)


def normalized_label(label: str) -> str:
    """A link label in the form in which ``Structure.references`` holds it."""
    from markdown_it.common.utils import normalizeReference

    return normalizeReference(label)


_LABEL = re.compile(r"\[([^\[\]]+)\]")

_LONGEST_HEADING = 1_000
"""Characters; inline parsing takes quadratic time, and nobody reads a longer heading."""


def _has_markup(source: str) -> bool:
    return any(character in source for character in "*_`[<&\\!~\n")


@lru_cache(maxsize=4096)
def _plain(source: str, labels: tuple[str, ...]) -> str:
    md = _markdown()
    environment = {"references": {label: {"href": "", "title": ""} for label in labels}}
    tokens: list[Any] = []
    md.inline.parse(source, md, environment, tokens)
    pieces: list[str] = []
    for token in tokens:
        if token.type in ("text", "code_inline", "text_special"):
            pieces.append(token.content)
        elif token.type == "image":
            pieces.append(token.content)  # the alternative text
        elif token.type in ("softbreak", "hardbreak"):
            pieces.append(" ")
    return " ".join("".join(pieces).split())


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    # Imported here: the read path needs none of it (35 ms).
    from markdown_it import MarkdownIt

    md = MarkdownIt("commonmark")
    md.enable("strikethrough")
    md.block = _block_parser()
    return md


def _block_parser() -> Any:
    from markdown_it.parser_block import ParserBlock
    from markdown_it.rules_block import (
        blockquote,
        code,
        fence,
        heading,
        hr,
        html_block,
        list_block,
        reference,
    )
    from markdown_it.rules_block.state_block import StateBlock

    class State(StateBlock):
        """The library's state, with its marks made line by line instead of by character."""

        def __init__(self, src: str, md: Any, env: Any, tokens: Any) -> None:
            super().__init__("", md, env, tokens)
            self.src = src
            self.may_define = "]:" in src
            lines = src.split("\n")
            self.line_starts = tuple(line_starts(lines)[:-1])
            if not lines[-1].strip(" \t"):
                lines.pop()
            begins = list(self.line_starts[: len(lines)])
            self.eMarks = [begin + len(line) for begin, line in zip(begins, lines, strict=True)]
            shifts = [0] * (len(lines) + 1)
            indents = [0] * (len(lines) + 1)
            for index, line in enumerate(lines):
                if line[:1] in (" ", "\t"):
                    blank = line[: len(line) - len(line.lstrip(" \t"))]
                    shifts[index] = len(blank)
                    indents[index] = len(blank.expandtabs(4))
            self.bMarks = [*begins, len(src)]
            self.eMarks.append(len(src))
            self.tShift = shifts
            self.sCount = indents
            self.bsCount = [0] * len(shifts)
            self.lineMax = len(lines)

    def text_block(state: Any, start: int, end: int, silent: bool) -> bool:
        """A paragraph or a setext heading, in one walk over its lines."""
        # A paragraph's lines may go on past the end of a list item (lazy continuation), a
        # setext heading's may not.
        source, begins, ends = state.src, state.bMarks, state.eMarks
        shifts, indents, indent = state.tShift, state.sCount, state.blkIndent
        previous = state.parentType
        state.parentType = "paragraph"
        last = state.lineMax
        line = start + 1
        level = 0
        while line < last:
            position = begins[line] + shifts[line]
            if position >= ends[line]:
                break
            depth = indents[line]
            if depth - indent > 3:
                line += 1
                continue
            first = source[position]
            if line < end and depth >= indent and first in "-=":
                rest = source[position : ends[line]].rstrip(" \t")
                if not rest.strip(first):
                    level = 1 if first == "=" else 2
                    break
            if depth < 0:
                line += 1
                continue
            ending = interrupting.get(first)
            if ending and (
                ending[0](state, line, last, True) or ending[-1](state, line, last, True)
            ):
                break
            line += 1
        state.parentType = previous
        state.line = line
        if level:
            content = state.getLines(start, line, indent, False).strip()
            state.line = line + 1
            opening = state.push("heading_open", f"h{level}", 1)
            opening.map = [start, line + 1]
            state.push("inline", "", 0).content = content
            state.push("heading_close", f"h{level}", -1)
        return True

    def definition(state: Any, start: int, end: int, silent: bool) -> bool:
        # Most lines that start with a bracket are links; a definition needs this pair.
        return state.may_define and reference(state, start, end, silent)

    bullet = (list_block, text_block)
    by_first: dict[str, tuple[Any, ...]] = {
        "`": (fence, text_block),
        "~": (fence, text_block),
        ">": (blockquote, text_block),
        "-": (hr, list_block, text_block),
        "*": (hr, list_block, text_block),
        "_": (hr, text_block),
        "+": bullet,
        "[": (definition, text_block),
        "<": (html_block, text_block),
        "#": (heading, text_block),
        **dict.fromkeys("0123456789", bullet),
    }
    interrupting: dict[str, tuple[Any, ...]] = {  # one rule, or two
        "`": (fence,),
        "~": (fence,),
        ">": (blockquote,),
        "-": (hr, list_block),
        "*": (hr, list_block),
        "_": (hr,),
        "+": (list_block,),
        "<": (html_block,),
        "#": (heading,),
        **dict.fromkeys("0123456789", (list_block,)),
    }
    anything = (text_block,)
    indented = (code, definition, list_block, text_block)

    class Dispatching(ParserBlock):
        def parse(self, src: str, md: Any, env: Any, outTokens: Any) -> Any:  # noqa: N803
            state = State(src, md, env, outTokens)
            self.tokenize(state, 0, state.lineMax)
            return state.line_starts

        def tokenize(self, state: Any, startLine: int, endLine: int) -> None:  # noqa: N803
            nesting = state.md.options.maxNesting
            had_empty = False
            line = startLine
            while line < endLine:
                line = state.skipEmptyLines(line)
                state.line = line
                if line >= endLine or state.sCount[line] < state.blkIndent:
                    break
                if state.level >= nesting:
                    state.line = endLine
                    break
                if state.sCount[line] - state.blkIndent >= 4:
                    rules = indented
                else:
                    first = state.src[state.bMarks[line] + state.tShift[line]]
                    rules = by_first.get(first, anything)
                for rule in rules:
                    if rule(state, line, endLine, False):
                        break
                state.tight = not had_empty
                line = state.line
                if (line - 1) < endLine and state.isEmpty(line - 1):
                    had_empty = True
                if line < endLine and state.isEmpty(line):
                    had_empty = True
                    line += 1
                    state.line = line

    return Dispatching()

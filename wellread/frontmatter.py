"""Frontmatter: YAML between ``---`` or TOML between ``+++`` at the start of a file.

Every value keeps the text that was written: ``2026-05-26``, ``1.10`` and ``no`` are strings.
What cannot be read seals the document, because its access may stand in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any

from wellread.documents import Problem

_INVISIBLE = "\ufeff\u200b\u2060"
_OPENING = re.compile(
    # Blank lines, a small indent and invisible characters in front must not turn an access
    # list into text.
    rf"[\s{_INVISIBLE}]*?(?:^|(?<=[{_INVISIBLE}]))[^\S\n]{{0,3}}(---|\+\+\+)[ \t]*$",
    re.MULTILINE,
)
_YAML_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_TOML_CLOSING = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)
_KEY_LINE = re.compile(
    r"""^[ \t]*(?:-[ \t]+)?["']?[^\W\d][\w .-]*["']?[ \t]*[:=](?:[ \t]|$)"""
    r"""|^\W*(?:access|deny)\W*[:=\[(]""",
    re.MULTILINE | re.IGNORECASE,
)
_TOML_KEY = re.compile(r"""^[ \t]*(?:\[+[ \t]*)?["']?([^\s"'=\[\].]+)["']?""")
_PLAIN_LINE = re.compile(
    # A key and a value in which no character means anything to YAML, as most lines are.
    r"([A-Za-z][A-Za-z0-9_.-]*):[ \t]+([A-Za-z0-9(/][^\n:#\t\"'{}\[\]&*!|>%@`]*)"
)

_POSSIBLE = frozenset("-+" + _INVISIBLE)

MAX_VALUES = 10_000
"""Values in one frontmatter, each use of an alias counted: a page has tens, a bomb has 10⁹."""
MAX_DEPTH = 32
"""Nesting of lists and mappings in one frontmatter."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Frontmatter:
    """What stands above a text. ``lines`` maps a top-level key to its file line; ``repeated``
    are keys written more than once (the last holds). ``broken``: it could not be read."""

    values: Mapping[str, object] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    repeated: frozenset[str] = frozenset()
    body_start: int = 0
    body_line: int = 1
    broken: bool = False
    problems: tuple[Problem, ...] = ()


class _Unreadable(Exception):
    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def split_frontmatter(text: str, path: str) -> Frontmatter:
    """The frontmatter of a decoded text, and where its body starts.

    A ``---`` that never closes is a thematic break, unless a ``key:`` follows it: then the
    closing line was forgotten. A closed block without any key is text between two breaks.
    """
    first = text[:1]
    if first not in _POSSIBLE and not first.isspace():
        return Frontmatter()
    opening = _OPENING.match(text)
    if opening is None:
        return Frontmatter()
    fence = opening[1]
    first_line = text.count("\n", 0, opening.end()) + 2
    start = opening.end() + 1
    yaml = fence == "---"
    closing = (_YAML_CLOSING if yaml else _TOML_CLOSING).search(text, start)
    if closing is None:
        paragraph = text[start:].split("\n\n", 1)[0]
        if not _KEY_LINE.match(paragraph):
            return Frontmatter()
        return _broken(
            path,
            first_line - 1,
            f"The frontmatter that starts here is not closed by {fence}",
            body_start=0,
            body_line=1,
        )
    inner = text[start : closing.start()]
    body_start = min(closing.end() + 1, len(text))
    body_line = text.count("\n", 0, closing.start()) + 2
    try:
        values, lines, repeated = (_read_yaml if yaml else _read_toml)(inner, first_line)
    except _Unreadable as problem:
        if not _KEY_LINE.search(inner):
            return Frontmatter()
        return _broken(
            path,
            problem.line,
            f"Frontmatter cannot be read: {problem}",
            body_start=body_start,
            body_line=body_line,
        )
    return Frontmatter(
        values=values,
        lines=lines,
        repeated=repeated,
        body_start=body_start,
        body_line=body_line,
    )


def _broken(path: str, line: int, fact: str, *, body_start: int, body_line: int) -> Frontmatter:
    problem = Problem(
        path=path,
        line=line,
        code="frontmatter-broken",
        message=f"{fact} in {path}:{line}. Until it is mended only the local owner can read it.",
    )
    return Frontmatter(body_start=body_start, body_line=body_line, broken=True, problems=(problem,))


_Read = tuple[dict[str, object], dict[str, int], frozenset[str]]


def _read_yaml(inner: str, first_line: int) -> _Read:
    return _read_plain(inner, first_line) or _YamlReader(first_line).read(inner)


def _read_plain(inner: str, first_line: int) -> _Read | None:
    """Reads frontmatter in which every line is a plain ``key: value``; else ``None``.

    The same as YAML says, without loading it (30 against 200 µs).
    """
    values: dict[str, object] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(inner.split("\n"), first_line):
        if not line:
            continue
        found = _PLAIN_LINE.fullmatch(line)
        if found is None or found[1] in values or not found[2].isprintable():
            return None
        value = found[2].rstrip(" ")
        if value == "null":
            return None
        values[found[1]] = value
        lines[found[1]] = number
    return values, lines, frozenset()


@lru_cache(maxsize=1)
def _yaml() -> Any:
    # Imported here: a search never needs it (12 ms).
    import yaml

    return yaml


class _YamlReader:
    """Builds values from parser events: no tag is resolved, no recursion, aliases counted."""

    def __init__(self, first_line: int) -> None:
        self._first_line = first_line
        self._anchors: dict[str, tuple[object, int, int]] = {}
        self._count = 0

    def read(self, inner: str) -> _Read:
        yaml = _yaml()
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            return self._mapping(yaml.parse(inner, Loader=loader))
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
            line = self._first_line + (mark.line if mark else 0)
            # A mark at the very end points behind the block.
            line = min(line, self._first_line + inner.count("\n"))
            fact = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
            hint = ""
            if "mapping values are not allowed" in fact:
                hint = "; quote a value that holds a colon"
            elif "cannot start any token" in fact:
                hint = "; indent with spaces, and quote a value that starts with a sign"
            raise _Unreadable(f"{fact}{hint}", line) from None

    def _fail(self, message: str, event: Any) -> _Unreadable:
        return _Unreadable(message, self._first_line + event.start_mark.line)

    def _mapping(self, events: Iterable[Any]) -> _Read:
        yaml = _yaml()
        lines: dict[str, int] = {}
        repeated: set[str] = set()
        root: object = None
        documents = 0
        # One frame per open collection: the value, its pending key, its anchor, and the
        # number of values before it.
        frames: list[list[Any]] = []
        for event in events:
            kind = type(event)
            if kind is yaml.ScalarEvent:
                value: object = event.value
                if not event.style and event.value in ("", "~", "null"):
                    value = None
                self._add(1, event)
                if event.anchor:
                    self._anchors[event.anchor] = (value, 1, 0)
            elif kind is yaml.AliasEvent:
                if event.anchor not in self._anchors:
                    raise self._fail(f"the alias *{event.anchor} names nothing", event)
                value, size, depth = self._anchors[event.anchor]
                self._add(size, event)
                if len(frames) + depth > MAX_DEPTH:
                    raise self._fail(f"values are nested more than {MAX_DEPTH} deep", event)
            elif kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
                if len(frames) >= MAX_DEPTH:
                    raise self._fail(f"values are nested more than {MAX_DEPTH} deep", event)
                self._add(1, event)
                opened: object = {} if kind is yaml.MappingStartEvent else []
                if frames and type(frames[-1][0]) is dict and frames[-1][1] is None:
                    raise self._fail("a key must be a single word or line", event)
                frames.append([opened, None, event.anchor, self._count - 1])
                continue
            elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
                value, _, anchor, before = frames.pop()
                if anchor:
                    self._anchors[anchor] = (value, self._count - before, _depth(value))
            else:
                if kind is yaml.DocumentStartEvent:
                    documents += 1
                    if documents > 1:
                        raise self._fail("more than one YAML document", event)
                continue
            if not frames:
                root = value
                if value is not None and not isinstance(value, dict):
                    raise self._fail("a list of `key: value` lines was expected", event)
                continue
            frame = frames[-1]
            if type(frame[0]) is list:
                frame[0].append(value)
            elif frame[1] is None:
                if isinstance(value, dict | list):
                    raise self._fail("a key must be a single word or line", event)
                key = event.value if kind is yaml.ScalarEvent else str(value)
                frame[1] = (key,)
                if len(frames) == 1:
                    if key in lines:
                        repeated.add(key)
                    lines[key] = self._first_line + event.start_mark.line
            else:
                frame[0][frame[1][0]] = value
                frame[1] = None
        values = root if isinstance(root, dict) else {}
        return self._merged(values, lines), lines, frozenset(repeated)

    def _merged(self, values: dict[str, object], lines: dict[str, int]) -> dict[str, object]:
        """Values with those of the merge key ``<<`` (YAML 1.1): a key of its own wins, then the
        first mapping that has it. An access list may stand there and nowhere else."""
        given = values.pop("<<", None)
        if given is None:
            return values
        for mapping in given if isinstance(given, list) else [given]:
            if not isinstance(mapping, dict):
                raise _Unreadable("<< merges mappings only", lines["<<"])
            for key, value in mapping.items():
                if key not in values:
                    values[key] = value
                    lines[key] = lines["<<"]
        return values

    def _add(self, size: int, event: Any) -> None:
        self._count += size
        if self._count > MAX_VALUES:
            raise self._fail(f"more than {MAX_VALUES:,} values", event)


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0


def _read_toml(inner: str, first_line: int) -> _Read:
    import tomllib

    try:
        raw = tomllib.loads(inner, parse_float=str)
        values = {key: _written(value) for key, value in raw.items()}
    except RecursionError:
        raise _Unreadable("values are nested too deep", first_line) from None
    except ValueError as error:  # TOMLDecodeError, and numbers too long for Python
        found = re.search(r"at line (\d+)", str(error))
        line = first_line + (int(found[1]) - 1 if found else 0)
        fact = re.sub(r" \(at (?:line \d+, column \d+|end of document)\)$", "", str(error))
        raise _Unreadable(fact, line) from None
    lines: dict[str, int] = {}
    for number, line_text in enumerate(inner.split("\n"), first_line):
        key = _TOML_KEY.match(line_text)
        if key and key[1] in values:
            lines.setdefault(key[1], number)
    for key_text in values:
        lines.setdefault(key_text, first_line)
    return values, lines, frozenset()


def _written(value: object) -> object:
    if isinstance(value, dict):
        return {key: _written(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)

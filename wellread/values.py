"""The values of a frontmatter as they are written, read into words, dates and paths; each
mistake is noted by path and line, and counts as left out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TypeVar

from wellread import globs
from wellread.dates import read_date
from wellread.documents import Problem
from wellread.frontmatter import Frontmatter
from wellread.paths import resolve_document
from wellread.types import ParseRules
from wellread.vocabulary import known_name, misspelt_access

_T = TypeVar("_T", bound=str)
_TRUE = frozenset(("true", "yes", "on"))
_FALSE = frozenset(("false", "no", "off"))


class Values:
    """The known keys of one document: its own values over the defaults for its path."""

    def __init__(self, front: Frontmatter, path: str, rules: ParseRules, root: str) -> None:
        self.path = path
        self.root = root
        self.front = front
        self.problems: list[Problem] = list(front.problems)
        self.lines: dict[str, int] = {}
        self.from_default: dict[str, str] = {}
        self.given: dict[str, object] = {}
        self.misspelt: list[tuple[str, str]] = []
        self.metadata: dict[str, object] = {}
        for rule in rules.defaults:
            if globs.matches(rule.path, path):
                for key, value in rule.values.items():
                    self._take(key, _as_written(value), 1, rule.path)
        own: set[str] = set()
        for key, value in front.values.items():
            # The exact spelling wins over another one of the same key in the same page; not of
            # the keys of access, where either may be the one that was meant.
            name = known_name(key)
            if name and name != key and name in front.values and not misspelt_access(key):
                self.metadata[key] = value
                continue
            if value is None and name not in ("access", "deny"):
                self.metadata.setdefault(key, None)
                continue  # nothing is written after the colon: as if it were left out
            if name and name not in own:
                self._forget(name)
                own.add(name)
            self._take(key, value, front.lines.get(key, 1), None)

    def _take(self, key: str, value: object, line: int, default: str | None) -> None:
        self.metadata[key] = value
        meant = misspelt_access(key)
        if meant:
            self.misspelt.append((key, meant))
            self.lines[key] = line
            return
        name = known_name(key)
        if name is None:
            return
        self.given[name] = value
        self.lines[name] = line
        if default is not None:
            self.from_default[name] = default

    def _forget(self, name: str) -> None:
        """Drops what a default said: the document's own value wins."""
        self.from_default.pop(name, None)
        for key in [key for key in self.metadata if known_name(key) == name]:
            del self.metadata[key]

    def report(self, key: str, code: str, fact: str, advice: str) -> None:
        """Note a mistake: the fact, where it stands, and what to write instead."""
        line = self.lines.get(key, 1)
        default = self.from_default.get(key)
        where = f"{self.path}:{line}" if default is None else f"[[defaults]] path = {default!r}"
        self.problems.append(
            Problem(path=self.path, line=line, code=code, message=f"{fact} in {where}. {advice}")
        )

    def text(self, key: str, *, one: bool = False) -> str:
        """One line of text, "" where left out; with ``one``, a list of several is a mistake."""
        value = self.given.get(key)
        if value is None:
            return ""
        if isinstance(value, str):
            return " ".join(value.split())
        if (
            isinstance(value, list)
            and (not one or len(value) == 1)
            and all(isinstance(item, str) for item in value)
        ):
            return ", ".join(" ".join(item.split()) for item in value)
        self.report(key, "value-unreadable", f"{key!r} is not a text", "Write one line of text.")
        return ""

    def choice(self, key: str, words: tuple[_T, ...], default: _T) -> _T:
        """One of these words, whatever its case."""
        written = self.text(key, one=True)
        if not written:
            return default
        for value in words:
            if value == written.casefold():
                return value
        self.report(key, f"{key}-unknown", f"Unknown {key} {written!r}", known(words))
        return default

    def flag(self, key: str, default: bool) -> bool:
        """Yes or no."""
        written = self.text(key, one=True).casefold()
        if not written:
            return default
        if written in _TRUE or written in _FALSE:
            return written in _TRUE
        self.report(key, "value-unreadable", f"{key!r} is {written!r}", "Write true or false.")
        return default

    def day(self, key: str) -> date | None:
        """A day."""
        written = self.text(key, one=True)
        found = read_date(written) if written else None
        if written and found is None:
            self.report(
                key,
                "date-unreadable",
                f"{key!r} is {written!r}, which is no date",
                "Write it as 2026-12-31.",
            )
        return found

    def words(self, key: str) -> tuple[str, ...]:
        """A list of words, or one text with commas."""
        words = _listed(self.given.get(key))
        if words is None:
            self.report(
                key, "value-unreadable", f"{key!r} is not a list of words", f"Write {key}: [a, b]."
            )
            return ()
        return tuple(dict.fromkeys(" ".join(word.split()) for word in words))

    def document(self, key: str) -> str | None:
        """The library path of a document."""
        return next(iter(self.documents(key, one=True)), None)

    def documents(self, key: str, *, one: bool = False) -> tuple[str, ...]:
        """The library paths of documents, resolved against this one."""
        value = self.given.get(key)
        written = _paths(value)
        found = [resolve_document(item, self.path, self.root) for item in written or ()]
        if written is None or None in found or (one and len(found) > 1):
            self.report(
                key,
                "path-unreadable",
                f"{key!r} is not {'the path of a document' if one else 'a list of paths'}",
                f"Write {key}: "
                + ("policies/refunds.md." if one else "[policies/refunds-2024.md]."),
            )
        return tuple(dict.fromkeys(path for path in found[: 1 if one else None] if path))


def known(words: tuple[object, ...]) -> str:
    """The words that would have been understood, in a sentence."""
    return f"Known: {', '.join(map(str, words))}."


def _listed(value: object) -> list[str] | None:
    """A list of words from a list, or from one text with commas; ``None`` for anything else."""
    if value is None:
        return []
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return None
    words = [item for item in value if item is not None]
    if not all(isinstance(item, str) for item in words):
        return None
    return [word for word in words if word.strip()]


def _paths(value: object) -> list[str] | None:
    """As ``_listed``, but a comma is part of a path."""
    return _listed([value] if isinstance(value, str) else value)


def _as_written(value: object) -> object:
    """A default from ``wellread.toml`` in the form frontmatter has: every scalar a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return [_as_written(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _as_written(item) for key, item in value.items()}
    return None if value is None else str(value)

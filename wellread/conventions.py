"""What a page's own header and notices add to its frontmatter, which wins over a header; of
states the worst holds. No I/O."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from wellread.documents import Problem
from wellread.fields import Fields
from wellread.kinds import kind_of
from wellread.paths import resolve, resolve_document
from wellread.remarks import Reference, Remark
from wellread.standing import WORST_FIRST
from wellread.types import State

_WORST_FIRST: tuple[str, ...] = (*WORST_FIRST, "approved")
_NUMBERED = re.compile(r"(?P<name>.*\D|)(?P<number>\d+)$", re.DOTALL)


def with_remarks(
    fields: Fields, remarks: Sequence[Remark], *, path: str, root: str, first_line: int
) -> Fields:
    """The fields of a document with what its text says of itself. ``first_line`` is the line of
    the file at which the text starts; ``root`` as in ``parse``."""
    if not remarks:
        return fields
    heard = _Heard(fields, path, root, first_line)
    for remark in remarks:
        heard.take(remark)
    return heard.fields()


class _Heard:
    """The fields in the making, remark by remark."""

    def __init__(self, fields: Fields, path: str, root: str, first_line: int) -> None:
        self._before = fields
        self._path = path
        self._root = root
        self._first_line = first_line
        life = fields.lifecycle
        self._title = fields.title
        self._own_state = life.state_explicit and "state" not in fields.defaulted
        self._state = life.state
        self._explicit = life.state_explicit
        self._successor = None if "superseded_by" in fields.defaulted else life.superseded_by
        self._supersedes = list(life.supersedes)
        self._said = dict(life.said)
        self._lines = dict(fields.key_lines)
        self._problems = list(fields.problems)

    def take(self, remark: Remark) -> None:
        """Add what a remark says and nothing better has said."""
        line = self._first_line + remark.line
        words = f"{remark.source} in line {line}: {remark.words!r}"
        self._title = self._title or remark.title or None
        named = self._others(remark.successors)
        if named and self._successor is None:
            self._successor = named[0]
            self._lines["superseded_by"] = line
            self._said["superseded"] = words
        if remark.standing == "superseded":
            self._said.setdefault("superseded", words)
        elif remark.standing is not None and self._counts(remark.source, remark.standing):
            if remark.source == "notice" and self._own_state:
                self._problems.append(_contradiction(self._path, line, remark, self._state))
            self._state, self._explicit = remark.standing, True
            self._said["state"] = words
            self._lines["state"] = line
        replaced = [one for one in self._others(remark.replaces) if one not in self._supersedes]
        if replaced:
            self._supersedes += replaced
            self._lines.setdefault("supersedes", line)

    def _counts(self, source: Literal["header", "notice"], state: State) -> bool:
        """Whether a state holds beside what is known: a header's where the frontmatter has
        none, a notice's where it is the worse of the two."""
        if source == "header":
            return not self._own_state
        return _WORST_FIRST.index(state) < _WORST_FIRST.index(self._state)

    def _others(self, named: Sequence[Reference]) -> list[str]:
        """The library paths of documents that are named, without the document itself."""
        found = [_path_of(one, self._path, self._root) for one in named]
        return [one for one in found if one is not None and one != self._path]

    def fields(self) -> Fields:
        """The fields with all that was taken."""
        life = self._before.lifecycle
        return replace(
            self._before,
            title=self._title,
            lifecycle=replace(
                life,
                state=self._state,
                state_explicit=self._explicit,
                superseded_by=self._successor or life.superseded_by,
                supersedes=tuple(self._supersedes),
                said=self._said,
            ),
            key_lines=self._lines,
            problems=tuple(self._problems),
        )


def _contradiction(path: str, line: int, remark: Remark, state: State) -> Problem:
    return Problem(
        path=path,
        line=line,
        code="state-contradicted",
        message=f"{remark.words!r} in {path}:{line} contradicts the state {state!r} of the "
        "frontmatter, and the worse of the two holds. Correct one of them.",
    )


def _path_of(named: Reference, path: str, root: str) -> str | None:
    if named.kind == "number":
        return numbered(path, named.written)
    written = named.written.partition("#")[0].partition("?")[0]
    if not written:
        return None
    resolver = resolve if named.kind == "link" else resolve_document
    target = resolver(written, path, root)
    if target is None or target.startswith("../"):
        return None
    if kind_of(target) is None and "." not in posixpath.basename(target):
        target += ".md"  # a site leaves it out of its links
    return target


def numbered(path: str, number: str) -> str | None:
    """The page that is called like this one, with another number: ``pep-0314.md`` for 314 in
    ``pep-0241.md``. ``None`` where no number ends this one's name."""
    folder, name = posixpath.split(path)
    stem, ending = posixpath.splitext(name)
    match = _NUMBERED.fullmatch(stem)
    if match is None:
        return None
    digits = number.lstrip("0") or "0"
    return posixpath.join(folder, f"{match['name']}{digits.zfill(len(match['number']))}{ending}")

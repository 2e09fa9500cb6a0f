"""What a page's own header and notices add to its frontmatter, which wins over a header; of
states the worst holds. No I/O."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace

from wellread.documents import Problem
from wellread.fields import Fields
from wellread.kinds import kind_of
from wellread.paths import resolve, resolve_document
from wellread.remarks import Reference, Remark
from wellread.types import State

_WORST_FIRST: tuple[State, ...] = ("archived", "deprecated", "draft", "in-review", "approved")
_NUMBERED = re.compile(r"(?P<name>.*\D|)(?P<number>\d+)$", re.DOTALL)


def with_remarks(
    fields: Fields, remarks: Sequence[Remark], *, path: str, root: str, first_line: int
) -> Fields:
    """The fields of a document with what its text says of itself. ``first_line`` is the line of
    the file at which the text starts; ``root`` as in ``parse``."""
    if not remarks:
        return fields
    life = fields.lifecycle
    said = dict(life.said)
    lines = dict(fields.key_lines)
    own = {"state"} - fields.defaulted if life.state_explicit else set()
    state, explicit, title = life.state, life.state_explicit, fields.title
    successor = None if "superseded_by" in fields.defaulted else life.superseded_by
    supersedes = list(life.supersedes)
    problems = list(fields.problems)
    for remark in remarks:
        line = first_line + remark.line
        place = "header" if remark.source == "header" else "notice"
        words = f"{place} in line {line}: {remark.words!r}"
        title = title or remark.title or None
        standing = remark.standing
        named = [one for one in _resolved(remark.successors, path, root) if one != path]
        if named and successor is None:
            successor = named[0]
            lines["superseded_by"] = line
            said["superseded"] = words
        if standing == "superseded":
            said.setdefault("superseded", words)
        elif standing is not None and (
            "state" not in own
            if remark.source == "header"
            else _WORST_FIRST.index(standing) < _WORST_FIRST.index(state)
        ):
            if remark.source == "notice" and "state" in own:
                problems.append(_contradiction(path, line, remark, state))
            if not (remark.source == "header" and "state" in said and explicit and own):
                state, explicit = standing, True
                said["state"] = words
                lines["state"] = line
        for one in _resolved(remark.replaces, path, root):
            if one != path and one not in supersedes:
                supersedes.append(one)
                lines.setdefault("supersedes", line)
    return replace(
        fields,
        title=title,
        lifecycle=replace(
            life,
            state=state,
            state_explicit=explicit,
            superseded_by=successor or life.superseded_by,
            supersedes=tuple(supersedes),
            said=said,
        ),
        key_lines=lines,
        problems=tuple(problems),
    )


def _contradiction(path: str, line: int, remark: Remark, state: State) -> Problem:
    return Problem(
        path=path,
        line=line,
        code="state-contradicted",
        message=f"{remark.words!r} in {path}:{line} contradicts the state {state!r} of the "
        "frontmatter, and the worse of the two holds. Correct one of them.",
    )


def _resolved(named: Sequence[Reference], path: str, root: str) -> list[str]:
    found = [_path(one, path, root) for one in named]
    return [one for one in found if one is not None]


def _path(named: Reference, path: str, root: str) -> str | None:
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

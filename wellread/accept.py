"""A reported miss as a question of the evaluation set, appended to its file

The file is somebody's own: it is never written anew, only added to, so that comments, anchors
and the way it is written stay; and what is there afterwards is read and compared first.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wellread.access import Groups, fold, identify
from wellread.errors import NotFound, UsageError
from wellread.languages import detect_language
from wellread.read import place, resolve
from wellread.store.misses import folded
from wellread.store.snapshot import EmbeddedSnapshot
from wellread.trace import EVERYONE, OWNER, Miss
from wellread.types import Caller, Scope

CATEGORY = "own-words"
"""What a miss mostly is: asked in words that the documents do not have."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AcceptedQuestion:
    """An entry of ``questions.yaml``; ``subject`` is ``None`` where nobody is named."""

    question: str
    expect: tuple[str, ...]
    subject: str | None
    language: str
    category: str
    note: str


def accepted_question(
    miss: Miss,
    snapshot: EmbeddedSnapshot,
    *,
    scope: Scope,
    scope_of: Callable[[Caller], Scope],
    groups: Callable[[], Groups],
    expect: Sequence[str],
    asked_as: str | None,
    category: str,
    language: str | None,
) -> AcceptedQuestion:
    """The question, with its expected places checked. See ``Library.accept_miss``."""
    if not expect:
        raise UsageError("there is nothing to expect: name what should have been found, --expect")
    subject = _asker(miss, asked_as)
    places = tuple(dict.fromkeys(_place(one, snapshot, scope) for one in expect))
    if subject is not None:
        caller = identify(subject, None, None, transport="cli", groups=groups)
        theirs = scope_of(caller)
        for one in places:
            try:
                _place(one, snapshot, theirs)
            except NotFound:
                raise UsageError(
                    f"{subject} may not read {one}, and so cannot find it: open the document "
                    "to them, or name another with --asked-as"
                ) from None
    return AcceptedQuestion(
        question=miss.question,
        expect=places,
        subject=subject,
        language=language or detect_language(miss.question),
        category=category or CATEGORY,
        note=f"reported as missing on {miss.at[:10]}",
    )


def _asker(miss: Miss, asked_as: str | None) -> str | None:
    if asked_as is not None:
        return asked_as
    named = [subject for subject in miss.subjects if subject not in (OWNER, EVERYONE)]
    if len(named) > 1:
        raise UsageError(f"{', '.join(named)} reported this miss: choose who asks with --asked-as")
    return named[0] if named else None


def _place(handle: str, snapshot: EmbeddedSnapshot, scope: Scope) -> str:
    """The document or section of a handle, as hits name it: a deeper heading is in a section.
    Raises ``NotFound``."""
    document, slug = resolve(snapshot, handle, scope=scope)
    path = document.record.path
    if slug is None:
        return path
    start, _, _ = place(document, slug, handle)
    around = [one for one in document.sections if one.char_start <= start]
    section = next((one for one in around if one.slug == slug), around[-1])
    return f"{path}#{section.slug}"


def append_question(file: Path, question: AcceptedQuestion) -> None:
    """Add an entry at the end of a file of questions, made where it is missing; all or nothing.

    Raises ``UsageError`` where the file is no list of questions, has the question already, or
    cannot be read or written.
    """
    target = file.resolve()  # a link stays a link
    try:
        text = target.read_bytes().decode() if target.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    entries, indent = _entries(text, file)
    for entry in entries:
        same = isinstance(entry, dict) and folded(str(entry.get("question", "")))
        if same == folded(question.question) and fold(str(entry.get("as") or "")) == fold(
            question.subject or ""
        ):
            raise UsageError(
                f"{file} has this question already: {entry['question']}. Add what it should "
                "find there, and dismiss the miss"
            )
    added = _entry(question, indent)
    if text.strip():
        added = text + ("\n" if text.endswith("\n") else "\n\n") + added
    after, _ = _entries(added, file)
    if after[:-1] != entries or len(after) != len(entries) + 1:
        raise UsageError(
            f"{file} does not end as a list does, so that nothing was written: add the entry "
            f"by hand:\n{_entry(question, indent)}"
        )
    _replace(target, file, added)


def _entries(text: str, file: Path) -> tuple[list[Any], int]:
    """The entries, and by how many blanks the list is indented."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        entries = yaml.safe_load(text)
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())
        raise UsageError(f"{file} is not YAML: {said}") from error
    if root is None:
        return [], 0
    if not isinstance(root, yaml.SequenceNode) or root.flow_style:
        raise UsageError(f"{file} is not a list of questions, each as `- question: …`")
    return entries, root.start_mark.column


def _entry(question: AcceptedQuestion, indent: int) -> str:
    lines = [
        f"question: {_scalar(question.question)}",
        f"expect: [{', '.join(_scalar(place, flow=True) for place in question.expect)}]",
    ]
    if question.subject is not None:
        lines.append(f"as: {_scalar(question.subject)}")
    lines += [
        f"language: {_scalar(question.language)}",
        f"category: {_scalar(question.category)}",
        f"note: {_scalar(question.note)}",
    ]
    margin = " " * indent
    return "".join(
        f"{margin}{'- ' if number == 0 else '  '}{line}\n" for number, line in enumerate(lines)
    )


def _scalar(text: str, *, flow: bool = False) -> str:
    """A text as a YAML value on one line: plain where it stays itself, else quoted, as JSON
    does it (YAML 1.2 reads every JSON string)."""
    import yaml

    try:
        plain = yaml.safe_load(f"[{text}]" if flow else f"k: {text}")
    except yaml.YAMLError:
        plain = None
    if plain == ([text] if flow else {"k": text}):
        return text
    return json.dumps(text, ensure_ascii=False)


def _replace(target: Path, file: Path, text: str) -> None:
    name = ""
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        fd, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with open(fd, "w", encoding="utf-8", newline="") as stream:
            os.fchmod(stream.fileno(), mode)
            stream.write(text)
        os.replace(name, target)
    except OSError as error:
        if name:
            with suppress(OSError):
                os.unlink(name)
        raise UsageError(f"{file} cannot be written: {error}; nothing was changed") from error

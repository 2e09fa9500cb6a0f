"""Questions with what should be found: ``questions.yaml``, read and checked."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wellread.errors import UsageError

FULL = 3
"""The grade of an expected place that is listed without one."""

GRADES = range(1, 4)

FEW = 20
"""Below so many questions one of them is worth more than five points of success@5."""

KEYS = (
    "question",
    "expect",
    "as",
    "language",
    "category",
    "must_not_find",
    "must_not_lead",
    "answer",
    "note",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question and what it is judged by. ``expect`` maps places (``path`` or
    ``path#section``) to grades from 1 to 3, and is empty for a control question; ``subject``
    is who asks, ``None`` for the caller of the evaluation. ``id`` is unique in its set,
    without white space."""

    id: str
    text: str
    expect: Mapping[str, int]
    subject: str | None = None
    language: str = ""
    category: str = ""
    must_not_find: tuple[str, ...] = ()
    must_not_lead: tuple[str, ...] = ()
    answer: str = ""
    note: str = ""
    line: int = 0

    @property
    def control(self) -> bool:
        """Whether nothing is to be found: only what must not be counts."""
        return not self.expect

    @property
    def documents(self) -> dict[str, int]:
        """The expected documents: sections stand for theirs, with the best of their grades."""
        found: dict[str, int] = {}
        for place, grade in self.expect.items():
            path = document_of(place)
            found[path] = max(grade, found.get(path, 0))
        return found


@dataclass(frozen=True, kw_only=True, slots=True)
class Misplaced:
    """A place that a question names and the library does not have: the document was renamed
    or removed, or has lost the section. ``near`` is what it may be called now."""

    question: Question
    place: str
    near: tuple[str, ...] = field(default=())


def document_of(place: str) -> str:
    """The document of ``path`` or ``path#section``."""
    return place.partition("#")[0]


def read_questions(file: Path) -> tuple[Question, ...]:
    """The questions of a file, in order. Raises ``UsageError`` with the line of a mistake."""
    import yaml

    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"The questions {file} cannot be read: {reason}.") from error
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = yaml.compose(text, Loader=loader)
        entries = yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        raise UsageError(f"{file} is not valid YAML: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise UsageError(
            f"{file} is not a list of questions: write entries of `- question: …` with "
            "`expect: [path]` (docs/evaluation.md)"
        )
    lines = [node.start_mark.line + 1 for node in root.value] if root is not None else []
    width = len(str(len(entries)))
    return tuple(
        _question(entry, f"q{number:0{width}}", line, f"{file}:{line}")
        for number, (entry, line) in enumerate(zip(entries, lines, strict=True), start=1)
    )


def _question(entry: Any, name: str, line: int, where: str) -> Question:
    if not isinstance(entry, dict):
        raise UsageError(f"{where}: an entry is not a mapping. Write `- question: …`.")
    unknown = [str(key) for key in entry if key not in KEYS]
    if unknown:
        near = difflib.get_close_matches(unknown[0], KEYS, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(KEYS)}."
        raise UsageError(f"{where}: unknown key {unknown[0]!r}. {hint}")
    text = entry.get("question")
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"{where}: `question` is missing or empty. Quote it if it is a number.")
    if "expect" not in entry:
        raise UsageError(
            f"{where}: `expect` is missing. Name the right paths, or write `expect: []` with "
            "`must_not_find` for a control question."
        )
    expect = _expected(entry["expect"], where)
    must_not_find = _places(entry.get("must_not_find"), "must_not_find", where)
    if not expect and not must_not_find:
        raise UsageError(
            f"{where}: the question expects nothing and forbids nothing. Name what it must find "
            "in `expect`, or what it must not in `must_not_find`."
        )
    return Question(
        id=name,
        text=text,
        expect=expect,
        subject=_text(entry, "as", where) or None,
        language=_text(entry, "language", where),
        category=_text(entry, "category", where),
        must_not_find=must_not_find,
        must_not_lead=_places(entry.get("must_not_lead"), "must_not_lead", where),
        answer=_text(entry, "answer", where),
        note=_text(entry, "note", where),
        line=line,
    )


def _text(entry: Mapping[str, Any], key: str, where: str) -> str:
    value = entry.get(key)
    if value is None:
        return ""
    if key == "language" and value is False:
        return "no"  # Norwegian, which YAML takes for a negation
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise UsageError(f"{where}: `{key}` is {value!r}. Write one text, in quotes if need be.")
    return str(value)


def _expected(value: Any, where: str) -> dict[str, int]:
    if isinstance(value, dict):
        for place, grade in value.items():
            if isinstance(grade, bool) or not isinstance(grade, int) or grade not in GRADES:
                raise UsageError(
                    f"{where}: the grade of {place} is {grade!r}. Write 3 for what answers "
                    "fully, 2 for what answers in part, 1 for what helps."
                )
        return dict(zip(_places(list(value), "expect", where), value.values(), strict=True))
    return dict.fromkeys(_places(value, "expect", where), FULL)


def _places(value: Any, key: str, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise UsageError(f"{where}: `{key}` is {value!r}. Write a list of paths.")
    return tuple(unicodedata.normalize("NFC", one) for one in listed)


def misplaced(
    questions: Iterable[Question], known: Mapping[str, Collection[str]]
) -> list[Misplaced]:
    """What the questions name and a library does not have; ``known`` maps its paths to the
    slugs of their headings."""
    by_name: dict[str, list[str]] = {}
    for path in known:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    found = []
    for question in questions:
        for place in (*question.expect, *question.must_not_find, *question.must_not_lead):
            path, mark, slug = place.partition("#")
            if path not in known:
                same = by_name.get(path.rpartition("/")[2], [])
                near = same or difflib.get_close_matches(path, list(known), n=1, cutoff=0.8)
                found.append(Misplaced(question=question, place=place, near=tuple(near)))
            elif mark and slug and slug not in known[path]:
                near = difflib.get_close_matches(slug, list(known[path]), n=1)
                renamed = tuple(f"{path}#{one}" for one in near)
                found.append(Misplaced(question=question, place=place, near=renamed))
    return found


def key_of(question: Question) -> tuple[str, str]:
    """What makes two questions one: the words, however they are typed, and who asks."""
    text = unicodedata.normalize("NFKC", question.text).casefold()
    return " ".join(text.split()).rstrip("?!. "), (question.subject or "").casefold()

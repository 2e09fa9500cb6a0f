"""Documents to catalog columns and back. JSON, so that a person can look into a library."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from wellread.types import Lifecycle

if TYPE_CHECKING:
    from wellread.documents import Document, Heading

SEPARATORS = (",", ":")

LIFECYCLE_DATES = tuple(one.name for one in fields(Lifecycle) if "date" in str(one.type))

PLAIN_FIELDS = (
    "owner",
    "author",
    "domain",
    "client",
    "about",
    "sensitivity",
    "type_written",
    "translation_of",
    "always_on",
    "body_line",
    "sealed",
)
TUPLE_FIELDS = ("triggers", "aliases", "tags", "own_deny")


def dump_record(document: Document) -> str:
    """Everything of a document but its text, structure, links and attachments, as JSON."""
    life = document.lifecycle
    lifecycle: dict[str, Any] = {
        one.name: getattr(life, one.name) for one in fields(life) if one.name not in LIFECYCLE_DATES
    }
    for name in LIFECYCLE_DATES:
        value: date | None = getattr(life, name)
        if value is not None:
            lifecycle[name] = value.isoformat()
    record: dict[str, Any] = {name: getattr(document, name) for name in PLAIN_FIELDS}
    record.update({name: getattr(document, name) for name in TUPLE_FIELDS})
    record["own_access"] = document.own_access
    record["lifecycle"] = lifecycle
    record["key_lines"] = document.key_lines
    record["metadata"] = document.metadata
    record["problems"] = [
        (problem.line, problem.code, problem.message) for problem in document.problems
    ]
    return json.dumps(record, ensure_ascii=False, separators=SEPARATORS, default=str)


def load_lifecycle(record: dict[str, Any], updated: date | None) -> Lifecycle:
    """The lifecycle of a loaded record; ``updated`` is the day that holds, whoever said it."""
    values = dict(record["lifecycle"])
    for name in LIFECYCLE_DATES:
        if name in values:
            values[name] = date.fromisoformat(values[name])
    values["supersedes"] = tuple(values["supersedes"])
    values["updated"] = updated
    return Lifecycle(**values)


def dump_headings(headings: tuple[Heading, ...]) -> str:
    """All headings of a document, outline order."""
    return json.dumps(
        [
            (heading.level, heading.text, heading.slug, heading.char_start, heading.char_end,
             heading.line)
            for heading in headings
        ],
        ensure_ascii=False,
        separators=SEPARATORS,
    )  # fmt: skip


def load_headings(text: str) -> tuple[Heading, ...]:
    """The reverse of ``dump_headings``."""
    from wellread.documents import Heading

    return tuple(
        Heading(level=level, text=words, slug=slug, char_start=start, char_end=end, line=line)
        for level, words, slug, start, end, line in json.loads(text)
    )


@lru_cache(maxsize=4096)
def dump_path(heading: tuple[str, ...]) -> str:
    """A heading path as one column."""
    return json.dumps(heading, ensure_ascii=False, separators=SEPARATORS) if heading else ""


def load_path(text: str) -> tuple[str, ...]:
    """The reverse of ``dump_path``."""
    return tuple(json.loads(text)) if text else ()

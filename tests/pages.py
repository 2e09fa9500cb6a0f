"""Pages as they are found for a task, made from a few words: for tests of what is done with
what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from tests.shelf import TODAY
from wellread.bearing import Bearing
from wellread.documents import Passage, Section
from wellread.languages import detect_language
from wellread.relevance import Relevance
from wellread.standing import standings
from wellread.store.base import DocumentRecord, DocumentText
from wellread.types import Explanation, Lifecycle

BLANK = DocumentRecord(
    id=0,
    path="",
    source="",
    title="",
    type="guideline",
    type_written="guideline",
    language="en",
    owner="",
    domain="",
    always_on=False,
    triggers=(),
    client="",
    aliases=(),
    tags=(),
    sensitivity="internal",
    about="ours",
    lifecycle=Lifecycle(state_explicit=True, updated=date(2026, 1, 1)),
    body_line=1,
    total_lines=0,
    paged=False,
    indexed_at="",
    attachments=0,
    key_lines={},
    metadata={},
)


def page(path: str, title: str, text: str, **more: Any) -> DocumentText:
    """A page of one section. Keys of a lifecycle go into the page's, others into its record."""
    life = {key: more.pop(key) for key in list(more) if key in Lifecycle.__dataclass_fields__}
    given = {"language": detect_language(text), **more}
    record = replace(
        BLANK,
        path=path,
        title=title,
        total_lines=text.count("\n") + 1,
        lifecycle=replace(BLANK.lifecycle, **life),
        **given,
    )
    end = text.count("\n") + record.body_line
    passage = Passage(
        section=0, heading=(), char_start=0, char_end=len(text),
        line_start=record.body_line, line_end=end,
    )  # fmt: skip
    section = Section(
        slug="", level=0, heading=(), char_start=0, char_end=len(text),
        line_start=record.body_line, line_end=end,
    )  # fmt: skip
    return DocumentText(
        record=record, body=text, headings=(), sections=(section,), passages=(passage,),
        links=(), attachments=(),
    )  # fmt: skip


def found(*pages: DocumentText, today: date = TODAY) -> list[Bearing]:
    """Every section of the pages, by its first passage, as what bears on a task; their standing
    is that among each other."""
    numbered = [
        replace(one, record=replace(one.record, id=at)) for at, one in enumerate(pages, start=1)
    ]
    records: Mapping[str, DocumentRecord] = {one.record.path: one.record for one in numbered}
    standing = standings(
        records.values(),
        today,
        find=records.get,
        superseders=lambda path: (
            one.path for one in records.values() if path in one.lifecycle.supersedes
        ),
    )
    return [
        Bearing(
            document=one,
            section=one.sections[passage.section],
            passage=passage,
            standing=standing[one.record.path],
            reach="retrieved",
            relevance=Relevance(similarity=1.0, present=frozenset()),
            overlap=1.0,
            score=Explanation(label="given", value=1.0),
        )
        for one in numbered
        for passage in {passage.section: passage for passage in reversed(one.passages)}.values()
    ]

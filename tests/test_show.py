"""What people read, as golden files, and the JSON that programs read."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import get_args

import pytest

from wellread.cli import COMMANDS
from wellread.documents import Problem, Run
from wellread.output import Line, emit, emit_json, line, plain
from wellread.report import lint_lines, run_lines, status_lines
from wellread.show import (
    exact_json,
    exact_lines,
    read_json,
    read_lines,
    search_json,
    search_lines,
)
from wellread.status import AclNote, FileNote, Status
from wellread.trace import Lost
from wellread.types import Counts, Explanation, Hit, Outcome, SearchResult, Standing, StandingName
from wellread.views import (
    AttachmentView,
    ExactResult,
    LineMatch,
    LinkView,
    OutlineEntry,
    ReadResult,
)

AT = "2026-06-15T09:00:00Z"
Golden = Callable[[str, str], None]

CONTRACT = Hit(
    path="contracts/steel.md",
    section="contracts/steel.md#payment-terms",
    lines=(12, 30),
    pdf_page=None,
    title="Contract: Northern Steel",
    heading=("Contract: Northern Steel", "Payment terms"),
    snippet="… 30 % «upfront» on signing,\nthe rest later …",
    score=7.5,
    type="reference",
    type_written="reference",
    state="approved",
    state_explicit=True,
    standing=Standing(name="current"),
    updated=date(2026, 3, 2),
    indexed_at=AT,
    attachments=1,
    further=2,
    context_line="Contract: Northern Steel › Payment terms",
    explanation=Explanation(
        label="score",
        value=7.5,
        op="sum",
        parts=(
            Explanation(
                label="word upfront",
                value=5.0,
                op="max",
                parts=(Explanation(label="upfront", value=5.0),),
            ),
            Explanation(label="word terms", value=2.5),
        ),
    ),
)
OLD = replace(
    CONTRACT,
    path="manual.pdf",
    section="manual.pdf#page-7",
    pdf_page=7,
    title="Руководство",
    heading=("p. 7",),
    snippet="«аванс»",
    type="guideline",
    type_written="Policy",
    state_explicit=False,
    standing=Standing(
        name="superseded",
        reasons=(
            "superseded by new.md, approved 2026-02-01",
            "overdue: review was due by 2026-01-01",
        ),
        successor="new.md",
    ),
    updated=None,
    attachments=0,
    further=0,
    explanation=None,
)
DRAFT = replace(
    CONTRACT,
    path="ideas.md",
    section="ideas.md#",
    lines=(1, 1),
    title="Ideas",
    heading=(),
    snippet="",
    state="draft",
    standing=Standing(name="draft", reasons=("draft",)),
    further=0,
    attachments=2,
    explanation=None,
)
FOUND = SearchResult(
    outcome="found",
    hits=(CONTRACT, OLD, DRAFT),
    counts=Counts(all_words=1, any_word=40),
    left_out=12,
    more_exist=True,
    next_page="CURSOR",
    indexed_at=AT,
    notes=("Deletions are held back since the last run.",),
    effective_query=("upfront → upfront", "terms → term"),
)
NOTHING = replace(
    FOUND,
    outcome="nothing-found",
    hits=(),
    counts=Counts(all_words=0, any_word=0),
    left_out=0,
    more_exist=False,
    next_page=None,
    notes=(),
    suggestions=("upfront", "upright"),
)
READ = ReadResult(
    path="contracts/steel.md",
    section="payment-terms",
    title="Contract: Northern Steel",
    type="reference",
    lines=(9, 11),
    total_lines=80,
    text="## Payment terms\n\n30 % upfront",
    more="12-40",
    before="contracts/steel.md#scope",
    after="contracts/steel.md#acceptance",
    outline=(
        OutlineEntry(level=1, text="Contract", handle="contracts/steel.md#contract", lines=(1, 80)),
        OutlineEntry(
            level=2, text="Payment terms", handle="contracts/steel.md#payment-terms", lines=(9, 40)
        ),
    ),
    links=(LinkView(path="legal/terms.md", title="Terms"),),
    backlinks=(LinkView(path="sales/steel dossier.md", title="Dossier"),),
    attachments=(
        AttachmentView(path="contracts/plan.csv", kind="reference", title="Plan", size=2048),
        AttachmentView(path="contracts/gone.csv", kind="reference", title="", size=None),
    ),
    state="approved",
    state_explicit=True,
    standing=Standing(name="overdue", reasons=("overdue: review was due by 2026-05-31",)),
    updated=date(2026, 3, 2),
    indexed_at=AT,
)
EXACT = ExactResult(
    outcome="found",
    matches=(
        LineMatch(path="a.md", line=3, text="pay INV-2026-0041 now", spans=((4, 17),)),
        LineMatch(path="б.md", line=10, text="INV-2026-0041", spans=((0, 13),)),
    ),
    lines=3,
    documents=2,
    left_out=1,
    indexed_at=AT,
)
RUN = Run(
    started_at="2026-06-15T08:59:59Z",
    finished_at=AT,
    seen=60,
    added=1,
    changed=2,
    unchanged=50,
    removed=3,
    held_back=4,
    passages=340,
    seconds=0.94,
    generation=7,
    skipped={"binary": 1, "too large": 3},
    failed={"unreadable content": 1},
)
STATUS = Status(
    documents=54,
    types={"guideline": 40, "brief": 14},
    states={"approved": 54},
    languages={"en": 30, "ru": 24},
    standings={"current": 50, "overdue": 4},
    indexed_at=AT,
    error="The source 'docs' is missing.",
    held_back=4,
    behind=True,
    runs=(RUN, replace(RUN, error="No document was seen.", skipped={}, failed={})),
    stale=(FileNote(path="a.md", message="changed since it was indexed"),),
    stale_count=3,
    skipped={"binary": 1},
    failed=(FileNote(path="b.docx", message="not a zip file"),),
    failed_count=1,
    acls=(AclNote(readers="everyone", documents=50), AclNote(readers="hr", documents=4)),
    lost_traces=Lost(traces=3, since="2026-06-14T08:00:00.000+00:00"),
)


def text_of(lines: Iterable[Line]) -> str:
    stream = io.StringIO()
    emit(lines, stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("search.txt", lambda: search_lines(FOUND, explain=False)),
        ("search-explain.txt", lambda: search_lines(FOUND, explain=True)),
        ("search-nothing.txt", lambda: search_lines(NOTHING, explain=False)),
        ("grep.txt", lambda: exact_lines(EXACT)),
        ("read.txt", lambda: read_lines(READ, outline=False)),
        ("read-outline.txt", lambda: read_lines(READ, outline=True)),
        ("run.txt", lambda: run_lines(RUN)),
        ("status.txt", lambda: status_lines(STATUS)),
    ],
)
def test_what_people_read_is_the_golden_file(
    golden: Golden, name: str, lines: Callable[[], Iterable[Line]]
) -> None:
    golden(name, text_of(lines()))


def test_filters_that_leave_nothing_are_named_with_what_they_leave_out() -> None:
    result = replace(
        NOTHING,
        outcome="nothing-with-filters",
        suggestions=(),
        without_filters=(("date", 5), ("any", 9)),
    )
    assert text_of(search_lines(result, explain=False)) == (
        f"Nothing found with these filters. As of {AT}.\n"
        "  Without the date filter: 5\n"
        "  Without any filter: 9\n"
    )


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("index-empty", "The index is empty."),
        ("index-failed", "the last index run failed"),
        ("index-stale", "Nothing found."),
    ],
)
def test_an_index_without_an_answer_says_why(outcome: str, words: str) -> None:
    result = replace(NOTHING, outcome=outcome)  # type: ignore[arg-type]
    assert words in text_of(search_lines(result, explain=False))
    exact = replace(EXACT, outcome=outcome, matches=(), lines=0)  # type: ignore[arg-type]
    assert words in text_of(exact_lines(exact))


def test_lint_lists_problems_by_path_and_line() -> None:
    problems = (
        Problem(path="a.md", line=3, code="broken-link", message="Broken link 'x.md'."),
        Problem(path="a.md", line=9, code="bad-date", message="Not a day: 'soon'."),
    )
    assert text_of(lint_lines(problems)) == (
        "a.md:3: Broken link 'x.md'. [broken-link]\n"
        "a.md:9: Not a day: 'soon'. [bad-date]\n"
        "\n2 problems in 1 document\n"
    )
    assert text_of(lint_lines(())) == "No problems\n"


def test_the_implicit_state_shows_no_badge() -> None:
    shown = text_of(search_lines(replace(FOUND, hits=(OLD,)), explain=False))
    assert "approved ·" not in shown
    assert "guideline (Policy)\n" in shown


def test_a_document_cannot_drive_the_readers_terminal() -> None:
    hostile = line("before\x1b]0;title\x07\x9b31m\rafter\ttab")
    assert text_of([hostile]) == "before�]0;title��31m�after\ttab\n"
    terminal = Terminal()
    emit([hostile], terminal)
    assert "\x1b]" not in terminal.getvalue()
    assert "\x9b" not in terminal.getvalue()


def test_a_file_name_with_a_line_end_cannot_pose_as_another_result() -> None:
    forged = LineMatch(path="x\ncontracts/steel.md", line=3, text="90 % upfront", spans=())
    for stream in (io.StringIO(), Terminal()):
        emit(exact_lines(replace(EXACT, matches=(forged,))), stream)
        assert "\ncontracts/steel.md" not in stream.getvalue()


def test_a_full_window_is_told_where_every_hit_of_it_is_shown() -> None:
    whole = replace(FOUND, left_out=0, next_page=None)
    told = "3 hits, and more that were not looked at"
    assert told in text_of(search_lines(whole, explain=False))
    assert told not in text_of(search_lines(replace(whole, more_exist=False), explain=False))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colour_and_whole_lines_and_a_pipe_gets_neither(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    emit(search_lines(replace(FOUND, next_page="C" * 80), explain=False), terminal)
    shown = terminal.getvalue()
    assert "\x1b[1;33m«upfront»" in shown
    assert "C" * 80 in shown
    assert "\n\n" in shown
    assert "\x1b" not in text_of(search_lines(FOUND, explain=False))


def test_the_json_of_search_has_the_documented_keys() -> None:
    answer = search_json(FOUND, explain=False)
    assert set(answer) == {
        "outcome",
        "hits",
        "counts",
        "left_out",
        "more_exist",
        "next_page",
        "indexed_at",
        "suggestions",
        "without_filters",
        "notes",
    }
    hit = answer["hits"][1]
    assert hit == {
        "path": "manual.pdf",
        "section": "manual.pdf#page-7",
        "lines": [12, 30],
        "pdf_page": 7,
        "title": "Руководство",
        "heading": ["p. 7"],
        "snippet": "«аванс»",
        "score": 7.5,
        "type": "guideline",
        "state": "approved",
        "state_explicit": False,
        "standing": {
            "name": "superseded",
            "reasons": [
                "superseded by new.md, approved 2026-02-01",
                "overdue: review was due by 2026-01-01",
            ],
            "successor": "new.md",
        },
        "updated": None,
        "indexed_at": AT,
        "attachments": 0,
        "further": 0,
    }
    explained = search_json(FOUND, explain=True)
    assert explained["effective_query"] == ["upfront → upfront", "terms → term"]
    assert explained["hits"][0]["explanation"]["parts"][1]["value"] == 2.5


def test_the_json_of_grep_and_read_has_the_documented_keys() -> None:
    assert exact_json(EXACT) == {
        "outcome": "found",
        "matches": [
            {"path": "a.md", "line": 3, "text": "pay INV-2026-0041 now"},
            {"path": "б.md", "line": 10, "text": "INV-2026-0041"},
        ],
        "counts": {"lines": 3, "documents": 2},
        "left_out": 1,
        "indexed_at": AT,
        "without_filters": {},
        "notes": [],
    }
    answer = read_json(READ)
    assert answer["lines"] == [9, 11]
    assert answer["links"] == [{"path": "legal/terms.md", "title": "Terms"}]
    assert answer["standing"]["name"] == "overdue"
    assert answer["attachments"][0]["size"] == 2048
    assert {"path", "title", "total_lines", "text", "more", "backlinks", "indexed_at"} <= set(
        answer
    )


def test_json_is_written_in_its_own_characters_and_read_back() -> None:
    stream = io.StringIO()
    emit_json(search_json(FOUND, explain=True), stream)
    assert "Руководство" in stream.getvalue()
    assert json.loads(stream.getvalue())["hits"][0]["updated"] == "2026-03-02"
    assert plain({"a": frozenset({"y", "x"}), "b": (date(2026, 1, 2),)}) == {
        "a": ["x", "y"],
        "b": ["2026-01-02"],
    }


def test_the_documented_json_has_the_keys_that_are_printed() -> None:
    docs = Path(__file__).parent.parent / "docs"
    text = (docs / "json.md").read_text(encoding="utf-8")
    search, grep, read = map(json.loads, re.findall(r"```json\n(.*?)```", text, re.DOTALL)[:3])
    for documented, printed in (
        (search, search_json(FOUND, explain=False)),
        (search["hits"][0], search_json(FOUND, explain=False)["hits"][0]),
        (grep, exact_json(EXACT)),
        (read, read_json(READ)),
        (read["outline"][0], read_json(READ)["outline"][0]),
        (read["attachments"][0], read_json(READ)["attachments"][0]),
    ):
        assert list(documented) == list(printed)
    for name in (*get_args(Outcome), *get_args(StandingName)):
        assert f"`{name}`" in text
    commands = (docs / "command-line.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"`wellread {name}" in commands

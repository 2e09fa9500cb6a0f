"""Reading: handles, lines, long lines, links, attachments, and what is said of the index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shelf import OWNER, TODAY, library, page, scope_of
from wellread.errors import NotFound, RunRefused, UsageError
from wellread.library import Library
from wellread.types import Caller
from wellread.views import ReadResult

TEXT = page("# Leave\n\nintro\n\n## Paid\n\ntwenty days\n\n### How\n\nask\n\n## Unpaid\n\nask too")


def read(opened: Library, handle: str, **options: object) -> ReadResult:
    return opened.read(handle, scope=scope_of(opened), today=TODAY, **options)  # type: ignore[arg-type]


def test_handle_names_a_document_a_section_a_deeper_heading_and_what_comes_before(
    tmp_path: Path,
) -> None:
    files = {"a.md": "before\n\n" + TEXT, "b#c.md": "# B\n\ntext"}
    with library(tmp_path, files) as opened:
        assert read(opened, "a.md").lines == (1, 17)
        assert read(opened, "a.md#paid").text.splitlines() == [
            "## Paid", "", "twenty days", "", "### How", "", "ask",
        ]  # fmt: skip
        assert read(opened, "a.md#how").lines == (11, 14)
        assert read(opened, "a.md#").text == "before\n"
        assert read(opened, "b#c.md").title == "B"
        assert read(opened, "b#c.md#b").text == "# B\n\ntext"
        assert (read(opened, "a.md#paid").before, read(opened, "a.md#paid").after) == (
            "a.md#leave",
            "a.md#how",
        )
        with pytest.raises(NotFound, match=r"No section '#none' in a\.md"):
            read(opened, "a.md#none")


def test_lines_count_as_in_the_file_and_stop_where_they_are_told(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": page("# A\n\none\ntwo", title="A")}) as opened:
        found = read(opened, "a.md", lines=(6, 6))
        assert (found.text, found.lines, found.more) == ("one", (6, 6), "7-7")
        assert read(opened, "a.md").total_lines == 7


@pytest.mark.parametrize("lines", [(50, 60), (1, 2), (8, 9)])
def test_lines_without_text_are_refused_with_those_that_have_some(
    lines: tuple[int, int], tmp_path: Path
) -> None:
    with (
        library(tmp_path, {"a.md": page("# A\n\none\ntwo", title="A")}) as opened,
        pytest.raises(UsageError, match="Its text is in lines 4-7"),
    ):
        read(opened, "a.md", lines=lines)


def test_reading_on_gets_past_a_very_long_line(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": "# A\n" + "x" * 5000 + "\nend\n"}) as opened:
        seen = ""
        lines = (1, 3)
        for _ in range(5):
            found = read(opened, "a.md", lines=lines, max_chars=500)
            seen += found.text
            if "x" in found.text:
                assert found.notes[0].startswith("Line 2 has 5,000 characters and is cut after 500")
            if found.more is None:
                break
            first, last = map(int, found.more.split("-"))
            lines = (first, last)
    assert seen == "# A" + "x" * 500 + "end"


def test_path_that_is_no_text_is_no_document(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": "text"}) as opened:
        with pytest.raises(NotFound, match="No such document for you"):
            read(opened, "a\udcff.md")
        with pytest.raises(UsageError, match="not valid Unicode"):
            opened.find_exact("\udcff", scope=scope_of(opened), today=TODAY)
        with pytest.raises(UsageError, match="not valid Unicode"):
            opened.search("\udcff text", scope=scope_of(opened), today=TODAY)


def test_size_is_told_of_attachments_that_the_caller_could_read(tmp_path: Path) -> None:
    files = {
        "a.md": "See [s](secret.md), [x](closed/x.yaml), [y](open/y.yaml), [n](open/none.yaml).\n"
        "\n![p](open/p.png)",
        "b.md": page("text", attachments="[{path: secret.md}, {path: absent.md}, {path: c.md}]"),
        "c.md": "open",
        "secret.md": page("secret", access="[hr]"),
        "closed/x.yaml": "key: 1\n",
        "open/y.yaml": "key: 1\n",
        "open/p.png": "png",
    }
    rules = '[[access.rules]]\npath = "closed/**"\nallow = ["hr"]\n'
    with library(tmp_path, files, rules) as opened:
        ann, owner = opened.scope(Caller(subject="ann")), opened.scope(OWNER)

        def sizes(handle: str, scope: object) -> dict[str, int | None]:
            found = opened.read(handle, scope=scope, today=TODAY)  # type: ignore[arg-type]
            return {one.path: one.size for one in found.attachments}

        assert sizes("a.md", ann) == {
            "closed/x.yaml": None, "open/y.yaml": 7, "open/none.yaml": None, "open/p.png": 3,
        }  # fmt: skip
        assert sizes("a.md", owner)["closed/x.yaml"] == 7
        assert sizes("b.md", ann) == {"secret.md": None, "absent.md": None, "c.md": 4}
        assert sizes("b.md", owner)["secret.md"] is not None


def test_every_way_of_reading_says_what_is_wrong_with_the_index(tmp_path: Path) -> None:
    files = {f"{number}.md": f"# Zebra {number}\n\nzebra" for number in range(24)}
    with library(tmp_path, files) as opened:
        scope = opened.scope(OWNER)
        for number in range(20):
            (tmp_path / "docs" / f"{number}.md").unlink()
        opened.index()
        held = "Deletions are held back since the last run"
        assert opened.search("zebra", scope=scope, today=TODAY).notes[0].startswith(held)
        assert opened.find_exact("zebra", scope=scope, today=TODAY).notes[0].startswith(held)
        found = opened.read("3.md", scope=scope, today=TODAY)
        assert found.notes[0].startswith(held)
        assert found.notes[1].startswith("Changed since indexed: 3.md (gone).")
        for number in range(20, 24):
            (tmp_path / "docs" / f"{number}.md").unlink()
        with pytest.raises(RunRefused):
            opened.index()
        assert opened.find_exact("nowhere", scope=scope, today=TODAY).outcome == "index-stale"
        assert opened.search("nowhere", scope=scope, today=TODAY).outcome == "index-stale"
        runs = opened.status(scope=scope, today=TODAY).runs
        assert runs[0].error is not None
        assert [run.error is None for run in runs] == [False, True, True]


def test_exact_search_of_a_library_that_never_was_filled_says_so(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    with pytest.raises(RunRefused):
        library(tmp_path, {})
    with Library.open(tmp_path / "wellread.toml") as opened:
        scope = opened.scope(OWNER)
        assert opened.find_exact("a", scope=scope, today=TODAY).outcome == "index-failed"
        assert opened.search("a", scope=scope, today=TODAY).outcome == "index-failed"

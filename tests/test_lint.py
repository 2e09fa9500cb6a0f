"""What lint says of documents in each other's company, by path and line."""

from __future__ import annotations

from pathlib import Path

from tests.shelf import OWNER, TODAY, library, page
from wellread.types import Caller


def test_every_mistake_is_named_by_its_line(tmp_path: Path) -> None:
    files = {
        "a.md": page("text", title="A", owner="x", supersedes="[none.md]"),
        "b.md": page("See [x](none.md), [y](c.md#no), [z](none.png).", title="B"),
        "c.md": page("# Yes", superseded_by="gone.md"),
        "d.md": page("text", title="D", superseded_by="e.md"),
        "e.md": page("text", superseded_by="d.md"),
        "f.md": page("text", attachments="[{path: lost.yaml}]"),
    }
    with library(tmp_path, files) as opened:
        found = opened.lint(scope=opened.scope(OWNER), today=TODAY)
        assert [(one.path, one.line, one.code) for one in found] == [
            ("a.md", 4, "broken-supersedes"),
            ("b.md", 4, "broken-anchor"),
            ("b.md", 4, "broken-link"),
            ("b.md", 4, "broken-link"),
            ("c.md", 2, "broken-superseded-by"),
            ("d.md", 3, "supersession-circle"),
            ("e.md", 2, "supersession-circle"),
            ("f.md", 2, "broken-attachment"),
        ]
        others = opened.lint(scope=opened.scope(Caller(subject="ann")), today=TODAY)
        # Of files that are no documents only the owner is told.
        assert {one.code for one in found} - {one.code for one in others} == {"broken-attachment"}

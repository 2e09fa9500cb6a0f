"""Runs put together: what a failed one leaves, dates, workers, and how long traces stay."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from wellread import prepare as prepare_module
from wellread.config import load
from wellread.documents import FileEntry, Run
from wellread.errors import RunRefused, SkippedFile
from wellread.library import Library
from wellread.prepare import Preparation, Prepared, Task
from wellread.sources.folder import FolderSource
from wellread.store import journal
from wellread.types import Caller, SearchResult

OWNER = Caller(subject=None, owner=True)
ANN = Caller(subject="ann", groups=frozenset({"sales"}))
TODAY = date(2026, 6, 15)
LONG_AGO_NS = 1_600_000_000 * 10**9


class Home:
    """A folder ``docs``, a configuration beside it, and the library made of both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.docs = folder / "docs"
        self.docs.mkdir()
        self.configure("")

    def configure(self, text: str, sources: str = '[[sources]]\npath = "docs"\n') -> None:
        (self.folder / "wellread.toml").write_text(sources + text, encoding="utf-8")

    def write(self, path: str, text: str, *, old: bool = True) -> Path:
        file = self.docs / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if old:
            os.utime(file, ns=(LONG_AGO_NS, LONG_AGO_NS))
        return file

    def pages(self, count: int) -> list[Path]:
        return [self.write(f"p{n:02}.md", f"# Page {n}\n\nZebra {n}.\n") for n in range(count)]

    def library(self) -> Library:
        return Library(load(None, {}, self.folder))

    def index(self, *, full: bool = False, verify: bool = False, allow: bool = False) -> Run:
        with self.library() as library:
            return library.index(full=full, verify=verify, allow_mass_delete=allow)

    def search(self, text: str, caller: Caller = OWNER) -> SearchResult:
        with self.library() as library:
            return library.search(text, scope=library.scope(caller), today=TODAY, limit=100)

    def found(self, text: str, caller: Caller = OWNER) -> list[str]:
        return sorted({hit.path for hit in self.search(text, caller).hits})

    def updated(self, path: str) -> date | None:
        with self.library() as library:
            return library.read(path, scope=library.scope(OWNER), today=TODAY).updated


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_first_run_that_fails_leaves_a_library_that_says_so(home: Home) -> None:
    with pytest.raises(RunRefused):
        home.index()
    assert home.search("zebra").outcome == "index-failed"
    home.pages(1)
    home.index()
    assert home.search("zebra").outcome == "found"


@pytest.mark.parametrize("how", ["emptied", "missing", "unreadable"])
@pytest.mark.parametrize("engine", ["tantivy", "fts5"])
def test_tightened_access_applies_even_where_the_run_is_refused(
    home: Home, monkeypatch: pytest.MonkeyPatch, how: str, engine: str
) -> None:
    files = home.pages(3)
    home.index()
    assert len(home.found("zebra", ANN)) == 3
    home.configure(
        f'[search]\nlexical = "{engine}"\n[[access.rules]]\npath = "**"\nallow = ["hr"]\n'
    )
    if how == "emptied":
        for file in files:
            file.unlink()
    elif how == "missing":
        home.docs.rename(home.folder / "elsewhere")
    else:
        monkeypatch.setattr(FolderSource, "read", refused)
    with pytest.raises(RunRefused):
        home.index()
    assert home.found("zebra", ANN) == []
    assert home.search("zebra", ANN).counts.any_word == 0
    assert len(home.found("zebra")) == 3
    assert "The last index run failed" in home.search("zebra").notes[0]


def refused(source: FolderSource, entry: FileEntry) -> bytes:
    raise SkippedFile("unreadable", f"{entry.path} cannot be read.")


def test_a_switch_of_engine_that_fails_leaves_the_old_one_in_use(home: Home) -> None:
    files = home.pages(2)
    home.index()
    for file in files:
        file.unlink()
    home.configure('[search]\nlexical = "fts5"\n')
    with pytest.raises(RunRefused):
        home.index()
    assert len(home.found("zebra")) == 2


def test_an_interrupted_run_leaves_the_last_committed_state(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.pages(3)
    first = home.index()
    home.write("p00.md", "# Okapi\n", old=False)

    def interrupted(task: Task, how: Preparation) -> Prepared:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(prepare_module, "prepare", interrupted)
        with pytest.raises(KeyboardInterrupt):
            home.index()
    assert len(home.found("zebra")) == 3
    assert home.found("okapi") == []
    run = home.index()
    assert run.generation == first.generation + 1
    assert home.found("okapi") == ["p00.md"]


def git(folder: Path, *arguments: str, on: str = "2024-03-05") -> None:
    moment = f"{on}T12:00:00+00:00"
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.com", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment},
    )


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_dates_are_those_of_frontmatter_then_commit_then_file(home: Home) -> None:
    home.write("said.md", "---\nupdated: 2020-01-02\n---\n# Zebra\n")
    file = home.write("committed.md", "# Zebra\n")
    git(home.docs, "init", "-q")
    git(home.docs, "add", ".")
    git(home.docs, "commit", "-qm", "one")
    home.write("loose.md", "# Zebra\n")
    home.index()
    assert home.updated("said.md") == date(2020, 1, 2)
    assert home.updated("committed.md") == date(2024, 3, 5)
    assert home.updated("loose.md") == date(2020, 9, 13)
    file.write_text("# Zebra and more\n", encoding="utf-8")
    home.index()
    assert home.updated("committed.md") == date.fromtimestamp(file.stat().st_mtime)
    git(home.docs, "commit", "-qam", "two", on="2025-04-06")
    home.index()
    assert home.updated("committed.md") == date(2025, 4, 6)


def test_a_file_that_breaks_its_reader_fails_alone(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.pages(3)
    original = prepare_module.parse

    def parse(raw: object, *rest: object, **named: object) -> object:
        if raw.entry.path == "p01.md":  # type: ignore[attr-defined]
            raise ZeroDivisionError("a fault of the parser")
        return original(raw, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(prepare_module, "parse", parse)
    run = home.index()
    assert (run.added, run.failed) == (2, {"unreadable content": 1})
    assert home.found("zebra") == ["p00.md", "p02.md"]


def test_many_files_are_prepared_alike_in_processes_and_in_one(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.pages(10)
    home.index()
    alone = rows(home)
    monkeypatch.setattr(prepare_module, "SMALL_RUN", 0)
    monkeypatch.setattr(prepare_module, "BATCH_FILES", 3)
    home.configure("[index]\nworkers = 2\n")
    home.index(full=True)
    assert rows(home) == alone


def rows(home: Home) -> Sequence[object]:
    connection = sqlite3.connect(home.folder / ".wellread" / "catalog.db")
    try:
        return connection.execute(
            "SELECT d.path, d.digest, d.title, p.heading, p.char_start, p.char_end FROM documents d "
            "JOIN passages p ON p.document_id = d.id ORDER BY d.path, p.char_start"
        ).fetchall()
    finally:
        connection.close()


def test_traces_are_kept_for_the_days_that_are_set_and_no_longer(home: Home) -> None:
    home.pages(1)
    home.configure("[trace]\nretention_days = 30\n")
    home.index()
    now = datetime.now(UTC)
    with closing(journal.open_journal(home.folder / ".wellread" / "journal.db")) as log:
        for days in (1, 29, 31, 400):
            log.execute(
                "INSERT INTO traces (at, subject, tool, arguments, returned, outcome, left_out, "
                "milliseconds) VALUES (?, 'ann', 'search', '{}', '[]', 'found', ?, 1)",
                ((now - timedelta(days=days)).isoformat(timespec="milliseconds"), days),
            )
    home.index()
    with closing(journal.open_journal(home.folder / ".wellread" / "journal.db")) as log:
        kept = log.execute("SELECT left_out FROM traces ORDER BY left_out").fetchall()
    assert kept == [(1,), (29,)]


def test_script_without_a_main_guard_is_told_so(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(200):
        (docs / f"{number}.md").write_text(f"# Page {number}\n\ntext")
    (tmp_path / "wellread.toml").write_text('[index]\nworkers = 2\n\n[[sources]]\npath = "docs"\n')
    script = tmp_path / "script.py"
    script.write_text(
        f"from wellread import Library\nLibrary.open({str(tmp_path / 'wellread.toml')!r}).index()\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )  # fmt: skip
    assert done.returncode != 0
    assert 'index below if __name__ == "__main__":' in done.stderr

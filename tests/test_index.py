"""Incremental runs: what is read anew, what goes, what is held back, and what is said."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from wellread import index as index_module
from wellread import prepare as prepare_module
from wellread.config import load
from wellread.errors import RunRefused
from wellread.library import Library
from wellread.prepare import Preparation, Prepared, Task
from wellread.sources.folder import FolderSource
from wellread.types import Caller, FileEntry, Run, SearchResult

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


def counts(run: Run) -> tuple[int, int, int, int]:
    return run.added, run.changed, run.unchanged, run.removed


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths whose bytes are read, in order."""
    paths: list[str] = []
    original = FolderSource.read

    def noted(source: FolderSource, entry: FileEntry) -> bytes:
        paths.append(entry.path)
        return original(source, entry)

    monkeypatch.setattr(FolderSource, "read", noted)
    return paths


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes files written just now count as written long before the last run."""

    def settle() -> None:
        monkeypatch.setattr(index_module, "RACY_NS", -(10**12))

    return settle


# --- what is read anew -----------------------------------------------------------------------


def test_a_file_that_is_the_same_is_not_read_again(
    home: Home, read: list[str], settled: Callable[[], None]
) -> None:
    home.pages(3)
    assert counts(home.index()) == (3, 0, 0, 0)
    settled()
    read.clear()
    assert counts(home.index()) == (0, 0, 3, 0)
    assert read == []


def test_a_file_touched_since_the_last_run_began_is_hashed(home: Home, read: list[str]) -> None:
    home.pages(2)
    home.index()
    read.clear()
    assert counts(home.index()) == (0, 0, 2, 0)
    assert read == ["p00.md", "p01.md"]


def test_a_racy_change_of_the_same_size_and_times_is_seen(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home.write("a.md", "The zebra.\n")
    home.index()
    before = file.stat()
    file.write_text("The okapi.\n", encoding="utf-8")
    pretend(
        monkeypatch, size=before.st_size, mtime_ns=before.st_mtime_ns, ctime_ns=before.st_ctime_ns
    )
    assert counts(home.index()) == (0, 1, 0, 0)
    assert home.found("okapi") == ["a.md"]
    assert home.found("zebra") == []


def pretend(monkeypatch: pytest.MonkeyPatch, **values: int) -> None:
    """Every file that is listed has these values."""
    original = FolderSource.scan

    def scan(source: FolderSource) -> list[object]:
        return [
            replace(found, **values) if isinstance(found, FileEntry) else found  # type: ignore[arg-type]
            for found in original(source)
        ]

    monkeypatch.setattr(FolderSource, "scan", scan)


@pytest.mark.parametrize("what", ["size", "mtime_ns", "ctime_ns", "inode"])
def test_each_of_size_times_and_inode_has_a_file_looked_at(
    home: Home,
    what: str,
    read: list[str],
    settled: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home.write("p00.md", "---\nupdated: 2026-01-02\n---\n# Zebra\n")
    home.index()
    settled()
    read.clear()
    pretend(monkeypatch, **{what: 12345})
    assert counts(home.index()) == (0, 0, 1, 0)
    assert read == ["p00.md"]
    read.clear()
    assert counts(home.index()) == (0, 0, 1, 0)
    assert read == []


def test_verify_finds_a_change_that_no_stamp_tells(
    home: Home, settled: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home.write("a.md", "The zebra.\n")
    home.index()
    before = file.stat()
    file.write_text("The okapi.\n", encoding="utf-8")
    settled()
    pretend(
        monkeypatch, size=before.st_size, mtime_ns=before.st_mtime_ns, ctime_ns=before.st_ctime_ns
    )
    assert counts(home.index()) == (0, 0, 1, 0)
    assert home.found("zebra") == ["a.md"]
    assert counts(home.index(verify=True)) == (0, 1, 0, 0)
    assert home.found("okapi") == ["a.md"]


def test_verify_changes_nothing_where_the_bytes_are_the_same(home: Home) -> None:
    home.pages(2)
    first = home.index()
    again = home.index(verify=True)
    assert counts(again) == (0, 0, 2, 0)
    assert again.generation == first.generation


@pytest.mark.parametrize("version", ["PARSER_VERSION", "SPLITTER_VERSION", "ANALYZER_VERSION"])
def test_another_version_of_a_step_makes_every_document_anew(
    home: Home, version: str, settled: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    home.pages(2)
    home.index()
    settled()
    monkeypatch.setattr(index_module, version, 99)
    assert counts(home.index()) == (0, 2, 0, 0)
    assert counts(home.index()) == (0, 0, 2, 0)


def test_defaults_reach_the_documents_they_name_and_no_others(
    home: Home, settled: Callable[[], None]
) -> None:
    home.write("a/one.md", "# Zebra\n")
    home.write("b/two.md", "# Zebra\n")
    home.index()
    settled()
    home.configure('[[defaults]]\npath = "a/**"\nowner = "legal"\n')
    assert counts(home.index()) == (0, 1, 1, 0)
    home.configure('[[defaults]]\npath = "a/**"\nowner = "sales"\n')
    assert counts(home.index()) == (0, 1, 1, 0)
    home.configure("")
    assert counts(home.index()) == (0, 1, 1, 0)


def test_another_alias_of_a_type_makes_documents_anew(
    home: Home, settled: Callable[[], None]
) -> None:
    home.write("a.md", "---\ntype: ritual\n---\n# Zebra\n")
    home.index()
    settled()
    assert home.search("zebra").hits[0].type == "reference"
    home.configure('[types.aliases]\nritual = "playbook"\n')
    assert counts(home.index()) == (0, 1, 0, 0)
    assert home.search("zebra").hits[0].type == "playbook"


def test_full_makes_everything_anew_and_gives_the_same(home: Home) -> None:
    home.pages(3)
    first = home.index()
    before = home.found("zebra")
    again = home.index(full=True)
    assert counts(again) == (3, 0, 0, 0)
    assert again.generation > first.generation
    assert home.found("zebra") == before


def test_nothing_changed_is_fine_and_keeps_the_generation(home: Home) -> None:
    home.pages(1)
    first = home.index()
    second = home.index()
    assert second.generation == first.generation
    assert second.error is None
    assert home.search("zebra").notes == ()


# --- access ----------------------------------------------------------------------------------


def test_rules_of_access_hold_from_the_next_run_without_any_file_changed(
    home: Home, settled: Callable[[], None]
) -> None:
    home.write("pay/a.md", "# Zebra\n")
    home.write("b.md", "# Zebra\n")
    home.index()
    settled()
    assert home.found("zebra", ANN) == ["b.md", "pay/a.md"]
    home.configure('[[access.rules]]\npath = "pay/**"\nallow = ["hr"]\n')
    home.index()
    assert home.found("zebra", ANN) == ["b.md"]
    assert home.search("zebra", ANN).counts.any_word == 1
    home.configure('[[access.rules]]\npath = "pay/**"\nallow = ["hr", "sales"]\n')
    home.index()
    assert home.found("zebra", ANN) == ["b.md", "pay/a.md"]
    home.configure('[access]\ndefault = ["hr"]\n')
    home.index()
    assert home.found("zebra", ANN) == []


# --- what goes -------------------------------------------------------------------------------


def test_a_file_renamed_with_its_old_time_is_found_under_its_new_name_only(home: Home) -> None:
    file = home.write("a.md", "# Zebra\n")
    home.index()
    file.rename(home.docs / "b.md")
    assert (home.docs / "b.md").stat().st_mtime_ns == LONG_AGO_NS
    assert counts(home.index()) == (1, 0, 0, 1)
    assert home.found("zebra") == ["b.md"]


def test_a_moved_folder_moves_its_documents(home: Home) -> None:
    home.write("old/a.md", "# Zebra\n")
    home.index()
    (home.docs / "old").rename(home.docs / "new")
    home.index()
    assert home.found("zebra") == ["new/a.md"]


def test_a_file_that_takes_anothers_place_with_its_times_is_read(
    home: Home, settled: Callable[[], None]
) -> None:
    home.write("a.md", "The zebra.\n")
    other = home.write("b.md", "The okapi.\n")
    home.index()
    settled()
    other.replace(home.docs / "a.md")
    home.index()
    assert home.found("okapi") == ["a.md"]
    assert home.found("zebra") == []


def test_a_deleted_file_is_gone_from_every_answer(home: Home) -> None:
    home.pages(2)
    home.index()
    (home.docs / "p00.md").unlink()
    assert counts(home.index()) == (0, 0, 1, 1)
    result = home.search("zebra")
    assert [hit.path for hit in result.hits] == ["p01.md"]
    assert result.counts.any_word == 1


def test_a_document_that_became_a_folder_is_gone(home: Home) -> None:
    home.pages(2)
    home.index()
    (home.docs / "p00.md").unlink()
    (home.docs / "p00.md").mkdir()
    assert home.index().removed == 1
    assert home.found("zebra") == ["p01.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_no_longer_be_read_is_gone_and_named(home: Home) -> None:
    home.pages(2)
    home.index()
    (home.docs / "p00.md").chmod(0)
    run = home.index()
    assert (run.removed, run.failed) == (1, {"unreadable": 1})
    assert home.found("zebra") == ["p01.md"]


def test_a_file_that_cannot_be_read_any_more_is_gone_and_named(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.pages(2)
    home.index()
    unreadable(monkeypatch, "p00.md")
    run = home.index(verify=True)
    assert (run.removed, run.unchanged, run.failed) == (1, 1, {"unreadable": 1})
    assert home.found("zebra") == ["p01.md"]
    with home.library() as library:
        status = library.status(scope=library.scope(OWNER), today=TODAY)
    assert [note.path for note in status.failed] == ["p00.md"]
    assert "p00.md" in status.failed[0].message


def unreadable(monkeypatch: pytest.MonkeyPatch, *paths: str) -> None:
    from wellread.errors import SkippedFile

    original = FolderSource.read

    def refused(source: FolderSource, entry: FileEntry) -> bytes:
        if not paths or entry.path in paths:
            raise SkippedFile("unreadable", f"{entry.path} cannot be read (Permission denied).")
        return original(source, entry)

    monkeypatch.setattr(FolderSource, "read", refused)


# --- what is held back -----------------------------------------------------------------------


def test_a_missing_root_is_refused_and_nothing_is_lost(home: Home) -> None:
    home.pages(2)
    home.index()
    home.docs.rename(home.folder / "elsewhere")
    with pytest.raises(RunRefused, match=r"docs does not exist"):
        home.index()
    result = home.search("zebra")
    assert len(result.hits) == 2
    assert "The last index run failed" in result.notes[0]
    (home.folder / "elsewhere").rename(home.docs)
    home.index()
    assert home.search("zebra").notes == ()


def test_losing_most_of_a_source_is_held_back_and_said_until_it_is_allowed(home: Home) -> None:
    files = home.pages(20)
    home.index()
    for file in files[:11]:
        file.unlink()
    run = home.index()
    assert (run.held_back, run.removed) == (11, 0)
    result = home.search("zebra")
    assert len({hit.path for hit in result.hits}) == 20
    assert any("held back" in note for note in result.notes)
    with home.library() as library:
        assert library.status(scope=library.scope(OWNER), today=TODAY).held_back == 11
    run = home.index(allow=True)
    assert (run.held_back, run.removed) == (0, 11)
    assert len(home.found("zebra")) == 9
    assert not any("held back" in note for note in home.search("zebra").notes)


@pytest.mark.parametrize(("pages", "lost"), [(20, 10), (19, 18)])
def test_losing_half_or_most_of_a_small_source_is_not_held_back(
    home: Home, pages: int, lost: int
) -> None:
    files = home.pages(pages)
    home.index()
    for file in files[:lost]:
        file.unlink()
    run = home.index()
    assert (run.held_back, run.removed) == (0, lost)


def test_tightened_access_applies_at_once_to_what_is_held_back(home: Home) -> None:
    files = home.pages(20)
    home.index()
    for file in files[1:]:
        file.unlink()
    home.configure('[[access.rules]]\npath = "**"\nallow = ["hr"]\n')
    assert home.index().held_back == 19
    assert home.found("zebra", ANN) == []
    assert home.search("zebra", ANN).counts.any_word == 0
    assert len(home.found("zebra")) == 20


def test_one_source_that_is_lost_does_not_hold_the_others(home: Home) -> None:
    other = home.folder / "other"
    other.mkdir()
    home.configure("", '[[sources]]\npath = "docs"\n[[sources]]\npath = "other"\n')
    for file in home.pages(20):
        shutil.copy(file, other / file.name)
    home.index()
    assert home.found("zebra")[0] == "docs/p00.md"
    for number in range(15):
        (home.docs / f"p{number:02}.md").unlink()
    (other / "p00.md").unlink()
    run = home.index()
    assert run.removed == 1
    assert "other/p00.md" not in home.found("zebra")


# --- runs that fail --------------------------------------------------------------------------


def test_a_run_that_sees_nothing_is_refused_and_said_until_mended(home: Home) -> None:
    file = home.write("a.md", "# Zebra\n")
    home.index()
    file.unlink()
    with pytest.raises(RunRefused, match="No document was seen") as refused:
        home.index()
    assert refused.value.exit_code == 5
    assert home.found("zebra") == ["a.md"]
    assert home.search("quagga").outcome == "index-stale"
    home.write("b.md", "# Zebra\n")
    home.index()
    assert home.search("quagga").outcome == "nothing-found"
    assert home.found("zebra") == ["b.md"]


def test_a_run_in_which_all_fails_is_refused_and_said_until_mended(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.pages(2)
    (home.docs / "sheet.bin").write_bytes(b"\0")
    home.index()
    with monkeypatch.context() as patched:
        unreadable(patched)
        with pytest.raises(RunRefused, match=r"All 2 documents failed.*p00\.md cannot be read"):
            home.index(verify=True)
    assert len(home.found("zebra")) == 2
    assert "The last index run failed" in home.search("zebra").notes[0]
    home.index()
    assert home.search("zebra").notes == ()


def test_a_first_run_that_fails_leaves_a_library_that_says_so(home: Home) -> None:
    with pytest.raises(RunRefused):
        home.index()
    assert home.search("zebra").outcome == "index-failed"
    home.pages(1)
    home.index()
    assert home.search("zebra").outcome == "found"


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


# --- engines, sources, dates, log ------------------------------------------------------------


def test_switching_the_engine_builds_anew_and_back(home: Home) -> None:
    home.pages(3)
    home.index()
    with home.library() as reader:
        reader.search("zebra", scope=reader.scope(OWNER), today=TODAY)
        for engine in ("fts5", "tantivy"):
            home.configure(f'[search]\nlexical = "{engine}"\n')
            home.write("p00.md", f"# Zebra {engine}\n")
            assert counts(home.index()) == (3, 0, 0, 0)
            assert home.found("zebra") == ["p00.md", "p01.md", "p02.md"]
            # A reader that stays open is never given a record of another build.
            result = reader.search(engine, scope=reader.scope(OWNER), today=TODAY)
            assert [(hit.path, hit.title) for hit in result.hits] == [("p00.md", f"Zebra {engine}")]
    assert len(list((home.folder / ".wellread").glob("tantivy-*"))) == 1


def test_several_sources_are_told_apart_by_their_names(home: Home) -> None:
    other = home.folder / "other"
    other.mkdir()
    (other / "a.md").write_text("# Zebra\n", encoding="utf-8")
    home.write("a.md", "# Zebra\n")
    home.configure(
        "", '[[sources]]\npath = "docs"\nname = "wiki"\n[[sources]]\npath = "other"\nname = "hr"\n'
    )
    home.index()
    assert home.found("zebra") == ["hr/a.md", "wiki/a.md"]


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


def test_the_log_of_a_run_says_what_was_done(home: Home) -> None:
    home.pages(3)
    (home.docs / "binary.md").write_bytes(b"\0\1\2" * 500)
    (home.docs / "logo.png").write_bytes(b"png")
    home.index()
    (home.docs / "p00.md").unlink()
    home.write("p01.md", "# Okapi\n\nOkapi.\n")
    home.write("new.md", "# New\n")
    run = home.index()
    assert (run.seen, run.added, run.changed, run.unchanged, run.removed) == (4, 1, 1, 1, 1)
    assert run.skipped == {"binary": 1, "not a document type": 1}
    assert run.failed == {}
    assert run.passages == 2
    assert run.seconds > 0
    assert run.started_at <= run.finished_at
    with home.library() as library:
        assert library.status(scope=library.scope(OWNER), today=TODAY).runs[0] == run


# --- workers ---------------------------------------------------------------------------------


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


def test_a_file_that_kills_its_worker_is_named_and_the_rest_is_indexed(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.pages(8)
    monkeypatch.setattr(prepare_module, "SMALL_RUN", 0)
    monkeypatch.setattr(prepare_module, "BATCH_FILES", 4)
    monkeypatch.setattr(prepare_module, "_start_worker", start_mortal_worker)
    home.configure("[index]\nworkers = 2\n")
    run = home.index()
    assert (run.added, run.failed) == (7, {"crashed its reader": 1})
    assert home.found("zebra") == [f"p{n:02}.md" for n in range(8) if n != 5]
    with home.library() as library:
        failed = library.status(scope=library.scope(OWNER), today=TODAY).failed
    assert [note.path for note in failed] == ["p05.md"]
    assert "look at the file" in failed[0].message


def start_mortal_worker(how: Preparation) -> None:
    """As the real one, in a process that p05.md kills."""
    prepare_module._how = how
    original = prepare_module.prepare

    def mortal(task: Task, how: Preparation) -> Prepared:
        if task.entry.path == "p05.md":
            os._exit(9)
        return original(task, how)

    prepare_module.prepare = mortal


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

"""Incremental runs: what is read again, what goes, and what is held back."""

from __future__ import annotations

import os
import sqlite3
from datetime import date
from pathlib import Path

import pytest

from wellread import index as index_module
from wellread import prepare
from wellread.config import load
from wellread.documents import FileEntry, Run
from wellread.errors import RunRefused, SkippedFile, WellreadError
from wellread.library import Library
from wellread.report import held_back, status_lines
from wellread.sources.folder import FolderSource
from wellread.status import Status
from wellread.types import Caller

TODAY = date(2026, 6, 15)
OWNER = Caller(subject=None, owner=True)
ANN = Caller(subject="ann", groups=frozenset({"ann"}))
LONG_AGO = 1_700_000_000_000_000_000


class Home:
    """A folder with documents, a configuration and its library."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.docs = folder / "docs"
        self.docs.mkdir()
        self.read: list[str] = []
        self.configure()
        whole = FolderSource.read

        def noted(source: FolderSource, entry: FileEntry) -> bytes:
            self.read.append(entry.path)
            return whole(source, entry)

        monkeypatch.setattr(FolderSource, "read", noted)

    def configure(self, more: str = "", *, sources: str = '[[sources]]\npath = "docs"\n') -> None:
        (self.folder / "wellread.toml").write_text(sources + more, encoding="utf-8")

    def write(self, path: str, text: str, *, mtime_ns: int | None = None) -> Path:
        file = self.docs / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if mtime_ns is not None:
            os.utime(file, ns=(mtime_ns, mtime_ns))
        return file

    def library(self) -> Library:
        return Library(load(None, {}, self.folder))

    def run(self, **options: bool) -> Run:
        self.read.clear()
        with self.library() as library:
            return library.index(**options)

    def found(self, text: str, caller: Caller = OWNER) -> list[str]:
        with self.library() as library:
            scope = library.scope(caller)
            result = library.search(text, scope=scope, today=TODAY, limit=100)
            exact = library.find_exact(text, scope=scope, today=TODAY, limit=100)
        paths = sorted({hit.path for hit in result.hits})
        assert {match.path for match in exact.matches} <= set(paths)
        return paths

    def notes(self) -> str:
        with self.library() as library:
            result = library.search("zebra", scope=library.scope(OWNER), today=TODAY)
        return " ".join(result.notes)

    def status(self) -> Status:
        with self.library() as library:
            return library.status(scope=library.scope(OWNER), today=TODAY)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return Home(tmp_path, monkeypatch)


@pytest.fixture
def settled(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Documents that no run takes for freshly touched: a ctime cannot be set, so that the
    window in which a file counts as touched is moved instead."""
    monkeypatch.setattr(index_module, "RACY_NS", -3_600_000_000_000)
    home.write("a.md", "# A\n\nThe zebra.\n", mtime_ns=LONG_AGO)
    home.write("b.md", "# B\n\nThe okapi.\n", mtime_ns=LONG_AGO)
    home.run()
    return home


def counts(run: Run) -> tuple[int, int, int, int]:
    return run.added, run.changed, run.unchanged, run.removed


# --- what is read again ----------------------------------------------------------------------


def test_a_run_in_which_nothing_changed_reads_nothing_and_is_fine(settled: Home) -> None:
    run = settled.run()
    assert counts(run) == (0, 0, 2, 0)
    assert run.seen == 2
    assert run.error is None
    assert settled.read == []


def test_the_log_says_what_a_run_did(home: Home) -> None:
    home.write("a.md", "# A\n\nThe zebra.\n")
    home.write("picture.png", "no document")
    (home.docs / "binary.md").write_bytes(b"\x00\x01\x02" * 400)
    run = home.run()
    assert (run.seen, *counts(run)) == (2, 1, 0, 0, 0)
    assert sum(run.skipped.values()) + sum(run.failed.values()) == 2
    assert run.passages == 1
    assert run.seconds > 0
    assert home.status().runs == (run,)


@pytest.mark.parametrize("what", ["size", "mtime", "ctime", "inode"])
def test_a_file_is_read_again_where_one_of_its_marks_has_changed(settled: Home, what: str) -> None:
    file = settled.docs / "a.md"
    text = file.read_text(encoding="utf-8")
    if what == "size":
        settled.write("a.md", text + "More.\n", mtime_ns=LONG_AGO)
    elif what == "mtime":
        os.utime(file, ns=(LONG_AGO + 1, LONG_AGO + 1))
    elif what == "ctime":
        # Same size and mtime, other bytes: as `cp --preserve` over the file leaves it.
        settled.write("a.md", text.replace("zebra", "quokk"), mtime_ns=LONG_AGO)
    else:
        other = settled.write("other.md", text, mtime_ns=LONG_AGO)
        other.replace(file)
    run = settled.run()
    assert settled.read == ["a.md"]
    same = what in {"mtime", "inode"}
    assert counts(run) == (0, 0 if same else 1, 2 if same else 1, 0)
    settled.run()
    assert settled.read == []


def test_files_touched_since_the_last_run_began_are_hashed(home: Home) -> None:
    home.write("a.md", "# A\n\nThe zebra.\n")
    home.run()
    run = home.run()
    assert home.read == ["a.md"]
    assert counts(run) == (0, 0, 1, 0)


def test_a_save_that_leaves_every_mark_is_found_by_verify(
    settled: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled.write("a.md", "# A\n\nThe quokk.\n", mtime_ns=LONG_AGO)
    forget_marks(settled)
    assert counts(settled.run()) == (0, 0, 2, 0)
    assert settled.found("zebra") == ["a.md"]
    run = settled.run(verify=True)
    assert sorted(settled.read) == ["a.md", "b.md"]
    assert counts(run) == (0, 1, 1, 0)
    assert settled.found("quokk") == ["a.md"]


def forget_marks(home: Home) -> None:
    """Make the catalog believe that it has seen the files as they are."""
    connection = sqlite3.connect(home.folder / ".wellread" / "catalog.db")
    with connection:
        for file in home.docs.iterdir():
            now = file.stat()
            connection.execute(
                "UPDATE documents SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ? "
                "WHERE path = ?",
                (now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino, file.name),
            )
    connection.close()


@pytest.mark.parametrize("version", ["PARSER_VERSION", "SPLITTER_VERSION", "ANALYZER_VERSION"])
def test_a_new_version_of_a_step_builds_every_document_anew(
    settled: Home, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr(index_module, version, 10_000)
    assert counts(settled.run()) == (0, 2, 0, 0)
    assert counts(settled.run()) == (0, 0, 2, 0)


def test_new_defaults_reach_the_documents_they_are_for_and_no_other(settled: Home) -> None:
    settled.configure('[[defaults]]\npath = "a.md"\nowner = "legal@example.com"\n')
    assert counts(settled.run()) == (0, 1, 1, 0)
    assert settled.read == ["a.md"]
    with settled.library() as library:
        scope = library.scope(OWNER)
        found = library.search("zebra", scope=scope, today=TODAY)
        assert found.hits[0].path == "a.md"


def test_new_aliases_of_types_reach_every_document(settled: Home) -> None:
    settled.configure('[types.aliases]\nhandbook = "guideline"\n')
    assert counts(settled.run()) == (0, 2, 0, 0)


def test_access_rules_are_evaluated_on_every_run(settled: Home) -> None:
    assert settled.found("zebra", ANN) == ["a.md"]
    settled.configure('[[access.rules]]\npath = "a.md"\nallow = ["hr"]\n')
    assert counts(settled.run()) == (0, 1, 1, 0)
    assert settled.found("zebra", ANN) == []
    assert settled.found("zebra") == ["a.md"]
    settled.configure()
    settled.run()
    assert settled.found("zebra", ANN) == ["a.md"]


def test_full_builds_everything_anew(settled: Home) -> None:
    run = settled.run(full=True)
    assert counts(run) == (2, 0, 0, 0)
    assert sorted(settled.read) == ["a.md", "b.md"]
    assert settled.found("zebra") == ["a.md"]


def test_switching_the_engine_rebuilds_and_never_uses_an_id_twice(settled: Home) -> None:
    with settled.library() as staying:
        for engine in ("fts5", "tantivy", "fts5"):
            before = staying.search("zebra", scope=staying.scope(OWNER), today=TODAY)
            taken = ids(settled)
            settled.configure(f'[search]\nlexical = "{engine}"\n')
            assert counts(settled.run()) == (2, 0, 0, 0)
            assert not taken & ids(settled)
            after = staying.search("zebra", scope=staying.scope(OWNER), today=TODAY)
            assert [hit.path for hit in after.hits] == [hit.path for hit in before.hits]
            assert settled.found("okapi") == ["b.md"]
            assert counts(settled.run()) == (0, 0, 2, 0)
    assert not list((settled.folder / ".wellread").glob("tantivy-*"))


def ids(home: Home) -> set[int]:
    connection = sqlite3.connect(home.folder / ".wellread" / "catalog.db")
    found = {row[0] for row in connection.execute("SELECT id FROM passages")}
    connection.close()
    return found


# --- what goes -------------------------------------------------------------------------------


def test_a_renamed_file_with_its_old_time_has_one_place(settled: Home) -> None:
    (settled.docs / "a.md").rename(settled.docs / "c.md")
    run = settled.run()
    assert counts(run) == (1, 0, 1, 1)
    assert settled.found("zebra") == ["c.md"]


def test_a_moved_a_deleted_and_an_emptied_file_leave_at_once(settled: Home) -> None:
    (settled.docs / "deep").mkdir()
    (settled.docs / "a.md").rename(settled.docs / "deep" / "a.md")
    (settled.docs / "b.md").unlink()
    settled.run()
    assert settled.found("zebra") == ["deep/a.md"]
    assert settled.found("okapi") == []


def test_a_file_put_in_the_place_of_another_is_told_from_it(settled: Home) -> None:
    (settled.docs / "b.md").replace(settled.docs / "a.md")
    settled.run()
    assert settled.found("okapi") == ["a.md"]
    assert settled.found("zebra") == []


def test_a_file_that_can_no_longer_be_read_leaves_in_the_same_run(
    settled: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(settled.docs / "a.md", ns=(LONG_AGO + 1, LONG_AGO + 1))
    opened = os.open

    def refuse(path: str, flags: int, *rest: object, **named: object) -> int:
        if str(path).endswith("a.md"):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, flags, *rest, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        run = settled.run()
    assert run.failed == {"unreadable": 1}
    assert run.removed == 1
    assert settled.found("zebra") == []
    assert settled.found("okapi") == ["b.md"]
    assert settled.run().added == 1
    assert settled.found("zebra") == ["a.md"]


def test_what_is_below_a_folder_that_is_closed_leaves_in_the_same_run(
    settled: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(25):
        settled.write(f"closed/{number}.md", f"# Zebra {number}\n")
    settled.run()
    listed = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refuse)
        run = settled.run()
    assert (run.removed, run.held_back) == (25, 0)
    assert settled.found("zebra") == ["a.md"]


def test_one_document_beside_one_closed_folder_is_not_all_failed(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.write("a.md", "# A\n\nThe zebra.\n")
    home.write("closed/b.md", "# B\n")
    listed = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    run = home.run()
    assert (run.added, run.failed) == (1, {"unreadable": 1})


def test_a_file_that_kills_its_reader_is_left_out_and_named(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        home.write(f"{number}.md", f"# Zebra {number}\n")
    home.write("killer.md", "# A page that kills whoever reads it\n")
    home.configure("[index]\nworkers = 2\n")
    monkeypatch.setattr(prepare, "SMALL_RUN", 0)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
    monkeypatch.setattr(prepare, "_prepare_batch", kill_at_killer)
    run = home.run()
    assert run.failed == {"crashed its reader": 1}
    assert run.added == 30
    status = home.status()
    assert [note.path for note in status.failed] == ["killer.md"]
    assert "look at the file" in status.failed[0].message


def kill_at_killer(tasks: list[prepare.Task]) -> list[prepare.Prepared]:
    """Stands in for a fault in a native library; runs in a worker, which imports it by name."""
    if any(task.entry.path == "killer.md" for task in tasks):
        os.kill(os.getpid(), 9)
    assert prepare._how is not None
    return [prepare.prepare(task, prepare._how) for task in tasks]


# --- what is refused and what is held back ---------------------------------------------------


def test_a_missing_root_is_an_error_that_changes_nothing_and_is_said_until_mended(
    settled: Home,
) -> None:
    settled.docs.rename(settled.folder / "away")
    with pytest.raises(RunRefused, match="does not exist; nothing was changed") as refused:
        settled.run()
    assert refused.value.exit_code == 5
    assert settled.found("zebra") == ["a.md"]
    assert "The last index run failed" in settled.notes()
    assert "does not exist" in (settled.status().error or "")
    (settled.folder / "away").rename(settled.docs)
    assert counts(settled.run()) == (0, 0, 2, 0)
    assert settled.notes() == ""
    assert settled.status().error is None


def test_a_run_that_sees_nothing_is_refused_and_said_until_mended(settled: Home) -> None:
    (settled.docs / "a.md").rename(settled.folder / "a.md")
    (settled.docs / "b.md").unlink()
    with pytest.raises(RunRefused, match="No document was seen"):
        settled.run()
    assert settled.found("zebra") == ["a.md"]
    assert "The last index run failed" in settled.notes()
    assert "No document was seen" in (settled.status().error or "")
    (settled.folder / "a.md").rename(settled.docs / "a.md")
    settled.run()
    assert settled.notes() == ""
    assert settled.found("okapi") == []


def test_a_run_in_which_all_failed_is_refused_and_said_until_mended(settled: Home) -> None:
    for name in ("a.md", "b.md"):
        os.utime(settled.docs / name, ns=(LONG_AGO + 5, LONG_AGO + 5))

    def fail(source: FolderSource, entry: FileEntry) -> bytes:
        raise SkippedFile("unreadable", f"{entry.path} cannot be read; check its permissions.")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(FolderSource, "read", fail)
        with pytest.raises(RunRefused, match="All 2 documents failed"):
            settled.run()
    assert settled.found("zebra") == ["a.md"]
    assert "The last index run failed" in settled.notes()
    assert "All 2 documents failed" in (settled.status().error or "")
    settled.run()
    assert settled.notes() == ""


def many(home: Home, count: int = 24) -> None:
    for number in range(count):
        home.write(f"many/{number}.md", f"# Zebra {number}\n", mtime_ns=LONG_AGO)
    home.run()


def lose(home: Home, count: int) -> None:
    for number in range(count):
        (home.docs / "many" / f"{number}.md").unlink()


def test_a_run_that_would_remove_most_of_a_source_holds_back_and_says_so(settled: Home) -> None:
    many(settled)
    lose(settled, 20)
    for _ in range(2):
        run = settled.run()
        assert (run.removed, run.held_back) == (0, 20)
        assert len(settled.found("zebra")) == 25
        assert "Deletions are held back" in settled.notes()
        status = settled.status()
        assert (status.held_back, status.stale_count) == (20, 20)
        said = " ".join(str(line) for line in status_lines(status))
        assert str(held_back(20)) in said
        assert "--allow-mass-delete" in said
    settled.write("new.md", "# A new zebra\n")
    assert settled.run().added == 1
    assert "new.md" in settled.found("zebra")
    run = settled.run(allow_mass_delete=True)
    assert (run.removed, run.held_back) == (20, 0)
    assert len(settled.found("zebra")) == 6
    assert settled.notes() == ""


def test_half_of_a_source_and_all_of_a_small_one_may_go(settled: Home) -> None:
    many(settled, 18)
    lose(settled, 10)
    assert settled.run().held_back == 0
    many(settled, 10)
    lose(settled, 10)
    assert settled.run().held_back == 0


def test_tightened_access_reaches_what_is_held_back(settled: Home) -> None:
    many(settled)
    lose(settled, 20)
    settled.configure('[[access.rules]]\npath = "many/**"\nallow = ["hr"]\n')
    run = settled.run()
    assert run.held_back == 20
    assert settled.found("zebra", ANN) == ["a.md"]
    assert len(settled.found("zebra")) == 25
    assert settled.run().held_back == 20
    assert settled.found("zebra", ANN) == ["a.md"]


def test_a_folder_that_moved_is_no_mass_deletion_and_leaves_its_old_place(settled: Home) -> None:
    many(settled)
    settled.configure('[[access.rules]]\npath = "secret/**"\nallow = ["hr"]\n')
    (settled.docs / "many").rename(settled.docs / "secret")
    run = settled.run()
    assert (run.added, run.removed, run.held_back) == (24, 24, 0)
    assert settled.found("zebra", ANN) == ["a.md"]


# --- several sources -------------------------------------------------------------------------

TWO = '[[sources]]\npath = "docs"\n[[sources]]\npath = "wiki"\n'


def test_sources_are_told_apart_by_name_and_held_back_one_by_one(settled: Home) -> None:
    (settled.folder / "wiki").mkdir()
    (settled.folder / "wiki" / "a.md").write_text("# A\n\nA zebra too.\n", encoding="utf-8")
    settled.configure(sources=TWO)
    settled.run()
    assert settled.found("zebra") == ["docs/a.md", "wiki/a.md"]
    many(settled)
    lose(settled, 20)
    (settled.folder / "wiki" / "a.md").unlink()
    run = settled.run()
    assert (run.removed, run.held_back) == (1, 20)
    assert "wiki/a.md" not in settled.found("zebra")


def test_one_missing_root_of_two_changes_nothing_in_either(settled: Home) -> None:
    (settled.folder / "wiki").mkdir()
    (settled.folder / "wiki" / "a.md").write_text("# A\n\nA zebra too.\n", encoding="utf-8")
    settled.configure(sources=TWO)
    settled.run()
    (settled.folder / "wiki").rename(settled.folder / "away")
    settled.write("c.md", "# Another zebra\n")
    with pytest.raises(WellreadError, match="'wiki'"):
        settled.run()
    assert settled.found("zebra") == ["docs/a.md", "wiki/a.md"]


def test_a_source_that_is_no_longer_one_leaves_with_its_failures(settled: Home) -> None:
    (settled.folder / "wiki").mkdir()
    (settled.folder / "wiki" / "a.md").write_text("# A\n\nA zebra too.\n", encoding="utf-8")
    (settled.folder / "wiki" / "b.md").write_bytes(b"\x00\x01" * 900)
    settled.configure(sources=TWO)
    settled.run()
    settled.configure()
    settled.run()
    assert settled.found("zebra") == ["a.md"]
    status = settled.status()
    assert status.skipped == {}
    assert status.failed_count == 0

"""Disks that fill up step by step, folders of somebody else, two indexers: nothing is lost."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from wellread import cli, indexing
from wellread.store import embedded_writer, schema, tantivy_index
from wellread.store.catalog_writer import CatalogWriter

ROOT = Path(__file__).parent.parent
NOBODY = 65534


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    def says(self, *words: str) -> bool:
        missing = [word for word in words if word not in self.out + self.err]
        assert not missing, (missing, self.out, self.err)
        return True


class Home:
    """A folder in which the command is run."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Answer:
        self._capsys.readouterr()
        code = cli.main(arguments)
        out, err = self._capsys.readouterr()
        assert "Traceback" not in err
        assert "a mistake in wellread" not in err.lower()
        return Answer(code, out, err)

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def refused(self, code: int, *arguments: str) -> Answer:
        """An answer of one line on stderr with this exit code."""
        answer = self(*arguments)
        assert answer.code == code, (answer.code, answer.err)
        assert answer.out == ""
        assert answer.err.startswith("wellread: ")
        assert answer.err.count("\n") == 1, answer.err
        return answer

    def whole(self) -> None:
        """The library that `library` has made is there, and the next run finds nothing to do."""
        assert self("search", "zebra").says("a.md", "b.md")
        run = self("index")
        assert run.code == 0, run.err
        assert self("search", "zebra").says("a.md", "b.md")
        assert self("grep", "stripes").says("a.md:3")


@pytest.fixture
def empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Home:
    for name in [name for name in os.environ if name.startswith("WELLREAD_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return Home(tmp_path, capsys)


@pytest.fixture
def library(empty: Home) -> Home:
    empty.write("wellread.toml", '[[sources]]\npath = "docs"\n')
    empty.write("docs/a.md", "# A\n\nA zebra has stripes.\n")
    empty.write("docs/b.md", "---\naccess: [hr]\n---\n# B\n\nA zebra of few.\n")
    assert empty("index").code == 0
    return empty


# --- the disk --------------------------------------------------------------------------------


def test_a_full_disk_under_the_catalog_loses_nothing(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        library.write(f"docs/more/{number}.md", f"# More {number}\n\n" + "words of it " * 2000)
    create = schema.create

    def full(path: Path) -> sqlite3.Connection:
        connection = create(path)
        if path.name == "catalog.db":
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(schema, "create", full)
        answer = library.refused(4, "index")
    assert answer.says("full", str(library.folder / ".wellread"), "Free some space", "index")
    assert library("search", "more").code == 1
    library.whole()
    assert library("search", "more").says("more/")


@pytest.mark.parametrize("step", ["add", "delete", "commit"])
@pytest.mark.parametrize("error", [ValueError, OSError])
def test_a_full_disk_under_the_text_index_loses_nothing(
    library: Home, monkeypatch: pytest.MonkeyPatch, step: str, error: type[Exception]
) -> None:
    library.write("docs/a.md", "# A\n\nA zebra has stripes.\n\nAnd a tail.\n")
    with monkeypatch.context() as patched:
        patched.setattr(tantivy_index, "TantivyWriter", full_writer(step, error))
        answer = library.refused(4, "index")
    assert answer.says("text index", "No space left", "wellread index")
    # After the catalog's commit the changed page may be missing for a moment, and that is said.
    found = library("search", "zebra")
    assert found.says("b.md")
    assert found.says("catching up" if step == "commit" else "a.md")
    assert library("index").code == 0
    library.whole()
    assert library("search", "tail").says("a.md")


def full_writer(step: str, error: type[Exception]) -> type:
    """A writer under which the disk is full at one step, and from there on."""
    names = {
        "add": ("add_document",),
        "delete": ("delete_documents_by_term",),
        "commit": ("commit", "rollback"),
    }[step]

    class Full:
        def __init__(self, inner: object) -> None:
            self.inner = inner

        def __getattr__(self, name: str) -> object:
            if name in names:
                return self.refuse
            return getattr(self.inner, name)

        def refuse(self, *_: object) -> None:
            raise error("An IO error occurred: 'No space left on device (os error 28)'")

    class FullWriter(tantivy_index.TantivyWriter):
        def __init__(self, schema: object, writer: object, weights: object) -> None:
            super().__init__(schema, Full(writer), weights)  # type: ignore[arg-type]

    return FullWriter


def test_a_full_disk_under_the_journal_loses_no_document(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.write("docs/c.md", "# C\n\nA zebra of the third page.\n")

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(indexing.journal, "add_run", full)
        answer = library.refused(4, "index")
    assert answer.says("disk is full", "Free some space")
    library.whole()
    assert library("search", "third").says("c.md")


def test_a_full_disk_while_a_refusal_is_noted_is_said(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library.folder / "docs").rename(library.folder / "away")

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(embedded_writer, "write_meta", full)
        assert library.refused(4, "index").says("disk is full")
    (library.folder / "away").rename(library.folder / "docs")
    library.whole()


def test_an_error_of_the_catalog_in_the_middle_of_a_run_is_no_mistake_of_the_program(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.write("docs/c.md", "# C\n")

    def broken(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patched:
        patched.setattr(CatalogWriter, "put", broken)
        assert library.refused(4, "index").says("disk I/O error", "wellread")
    library.whole()


READ_ONLY = """
import contextlib, io, os, sys, tempfile
from wellread import cli
# Everything is imported first: the interpreter's own files may be closed to a stranger.
with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
    os.chdir(folder)
    open("wellread.toml", "w").write('[[sources]]\\npath = "."\\n')
    open("a.md", "w").write("# Zebra\\n")
    cli.main(["index"]), cli.main(["search", "zebra"]), cli.main(["status"])
    os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
sys.exit(cli.main(sys.argv[3:]))
"""


def as_nobody(folder: Path, *arguments: str) -> Answer:
    """Run the command as a user without rights to the folder, who owns nothing."""
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, str(folder), str(NOBODY), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Answer(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def open_to_all(library: Home) -> Home:
    """Folders that a stranger may look into: pytest's own are private."""
    folder = library.folder
    while folder != folder.parent and os.stat(folder).st_uid == os.geteuid():
        if folder.stat().st_mode & 0o055 != 0o055 and str(folder).count("/") > 1:
            folder.chmod(0o755)
        folder = folder.parent
    return library


def test_a_folder_that_cannot_be_written(open_to_all: Home) -> None:
    library = open_to_all
    inside = library.folder / ".wellread"
    for folder in (inside, *(file for file in inside.iterdir() if file.is_dir())):
        folder.chmod(0o555)
    for file in inside.rglob("*"):
        if file.is_file():
            file.chmod(0o444)
    try:
        answer = as_nobody(library.folder, "index")
        assert answer.code == 4, answer
        assert answer.says(str(inside), "writable", "WELLREAD_LIBRARY")
        answer = as_nobody(library.folder, "search", "zebra")
        if answer.code == 4:  # SQLite of some versions reads it all the same
            assert answer.says(str(inside), "writable")
        else:
            assert answer.says("a.md")
    finally:
        for file in (inside, *inside.rglob("*")):
            file.chmod(0o755)
    library.whole()


def test_a_library_folder_that_cannot_be_made(open_to_all: Home) -> None:
    library = open_to_all
    library.folder.chmod(0o555)
    library.write("wellread.toml", '[[sources]]\npath = "docs"\n[library]\npath = "other"\n')
    answer = as_nobody(library.folder, "index")
    assert answer.code == 4
    assert answer.says("other", "cannot be made", "Permission denied", "WELLREAD_LIBRARY")
    library.folder.chmod(0o755)
    library.write("wellread.toml", '[[sources]]\npath = "docs"\n')
    library.whole()


# --- two at once -----------------------------------------------------------------------------


def test_two_indexers_at_once_both_end_well(library: Home) -> None:
    for number in range(60):
        library.write(f"docs/more/{number}.md", f"# More {number}\n\nText of it.\n")
    two = [
        subprocess.Popen(
            [sys.executable, "-m", "wellread.cli", "index"],
            cwd=library.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for _ in range(2)
    ]
    said = [one.communicate() for one in two]
    assert [one.returncode for one in two] == [0, 0], said
    assert sorted(out.split(" added")[0].split()[-1] for out, _ in said) == ["0", "60"]
    library.whole()

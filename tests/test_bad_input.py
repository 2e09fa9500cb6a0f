"""Every kind of bad input: one message with the fact, the value and the next step, the right
exit code, and nothing lost."""

from __future__ import annotations

import errno
import functools
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from wellread import cli, indexing, locks
from wellread.locks import WriterLock
from wellread.store import embedded_writer, schema, tantivy_index
from wellread.store.base import Weights

ROOT = Path(__file__).parent.parent
PAGES = {
    "travel.md": "# Travel\n\nThe per diem abroad is 60 euros, said the zebra.\n",
    "pay/raise.md": "---\naccess: [hr]\n---\n# Raise\n\nThe zebra raise is 6.8 %.\n",
}


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


class Home:
    """A folder with an index of two pages, in which commands are run."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.docs = folder / "docs"
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Answer:
        self._capsys.readouterr()
        code = cli.main(arguments)
        out, err = self._capsys.readouterr()
        assert "Traceback" not in err
        assert "mistake in wellread itself" not in err
        return Answer(code, out, err)

    def write(self, path: str, text: str) -> Path:
        file = self.docs / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def found(self, *words: str) -> list[str]:
        answer = self("search", "--json", *words)
        return sorted({hit["path"] for hit in json.loads(answer.out)["hits"]})

    def whole(self) -> bool:
        """Whether the library still answers as it did at first."""
        return self.found("zebra") == ["pay/raise.md", "travel.md"]


@pytest.fixture
def empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Home:
    for name in [name for name in os.environ if name.startswith("WELLREAD_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    home = Home(tmp_path, capsys)
    for path, text in PAGES.items():
        home.write(path, text)
    (tmp_path / "wellread.toml").write_text('[[sources]]\npath = "docs"\n', encoding="utf-8")
    (tmp_path / "groups.yaml").write_text("eve: [contractors]\n", encoding="utf-8")
    return home


@pytest.fixture
def home(empty: Home) -> Home:
    assert empty("index").code == 0
    return empty


def one_message(answer: Answer, code: int, *words: str) -> None:
    assert answer.code == code, answer
    assert answer.err.startswith("wellread: ")
    assert answer.err.count("\n") == 1, answer.err
    for word in words:
        assert word in answer.err, answer.err


# --- the index -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [("search", "zebra"), ("grep", "x"), ("read", "a.md"), ("status",)]
)
def test_no_index_yet(empty: Home, arguments: tuple[str, ...]) -> None:
    one_message(empty(*arguments), 3, "No index at", str(empty.folder), "Run `wellread index")
    assert not (empty.folder / ".wellread").exists()


def set_schema(home: Home, version: int) -> None:
    with sqlite3.connect(home.folder / ".wellread" / "catalog.db") as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (json.dumps(version),))
    connection.close()


def test_an_index_of_an_older_version_is_rebuilt_from_its_sources(home: Home) -> None:
    set_schema(home, schema.SCHEMA_VERSION - 1)
    answer = home("search", "zebra")
    one_message(
        answer, 3, "an older version", f"schema {schema.SCHEMA_VERSION - 1}", "`wellread index`"
    )
    assert home("index").code == 0
    assert home.whole()


def test_an_index_of_a_newer_version_is_left_as_it_is(home: Home) -> None:
    newer = schema.SCHEMA_VERSION + 1
    set_schema(home, newer)
    one_message(home("search", "zebra"), 3, "a newer version", f"schema {newer}", "Update wellread")
    one_message(home("index"), 5, "a newer version", f"schema {newer}", "Update", "--full")
    set_schema(home, schema.SCHEMA_VERSION)
    assert home.whole()
    set_schema(home, newer)
    assert home("index", "--full").code == 0
    assert home.whole()


@pytest.mark.parametrize(
    "content", [b"not a database" * 999, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_damaged_index_is_named_and_mended_from_the_sources(home: Home, content: bytes) -> None:
    library = home.folder / ".wellread"
    for name in ("catalog.db-wal", "catalog.db-shm"):
        (library / name).unlink(missing_ok=True)
    (library / "catalog.db").write_bytes(content)
    one_message(home("search", "zebra"), 4, str(library), "--full")
    assert home("index", "--full").code == 0
    assert home.whole()


def test_a_damaged_journal_is_named_and_the_step_that_mends_it_does(home: Home) -> None:
    library = home.folder / ".wellread"
    for ending in ("-wal", "-shm"):
        (library / f"journal.db{ending}").unlink(missing_ok=True)
    (library / "journal.db").write_bytes(b"not a database" * 999)
    one_message(home("index"), 4, str(library / "journal.db"), "Move", "wellread index")
    assert home("search", "zebra").code == 0
    (library / "journal.db").unlink()
    assert home("index").code == 0
    assert home.whole()


@pytest.mark.parametrize("code", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CORRUPT_INDEX])
def test_a_full_run_mends_damage_wherever_sqlite_finds_it(
    home: Home, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    drop_all = embedded_writer.drop_all

    def damaged(connection: sqlite3.Connection) -> None:
        monkeypatch.setattr(embedded_writer, "drop_all", drop_all)
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = code
        raise error

    monkeypatch.setattr(embedded_writer, "drop_all", damaged)
    assert home("index", "--full").code == 0
    assert home.whole()


def test_a_text_index_that_is_gone_is_made_anew(home: Home) -> None:
    import shutil

    for folder in (home.folder / ".wellread").glob("tantivy-*"):
        shutil.rmtree(folder)
    one_message(home("search", "zebra"), 4, "The text index", "`wellread index")
    assert home("index").code == 0
    assert home.whole()


# --- configuration and arguments -------------------------------------------------------------


def test_an_unknown_key_is_named_with_the_nearest(home: Home) -> None:
    file = home.folder / "wellread.toml"
    written = file.read_text(encoding="utf-8")
    file.write_text(written + "[index]\nmax_file_siz = 5\n", encoding="utf-8")
    one_message(home("index"), 2, "max_file_siz", "max_file_size", str(file))
    file.write_text(written, encoding="utf-8")
    assert home.whole()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--type", "novel"), ("--type 'novel' is unknown", "guideline", "playbook")),
        (("--state", "ready"), ("--state 'ready' is unknown", "draft", "approved")),
        (("--since", "yesterday"), ("--since 'yesterday' is not a day", "2026-03-16")),
        (("--limit", "0"), ("0", "1 to 100")),
    ],
)
def test_an_unknown_filter_value_lists_what_is_known(
    home: Home, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    one_message(home("search", "zebra", *arguments), 2, *words)


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
@pytest.mark.parametrize("command", ["search", "grep"])
def test_an_empty_query_is_refused(home: Home, command: str, text: str) -> None:
    one_message(home(command, text), 2, "nothing to look for", f"wellread {command}")


def test_a_query_of_punctuation_has_an_outcome(home: Home) -> None:
    answer = home("search", "--json", "?!…")
    assert answer.code == 1
    assert json.loads(answer.out)["outcome"] == "nothing-found"


def test_a_query_of_ten_thousand_words_is_answered(home: Home) -> None:
    words = " ".join(f"word{number}" for number in range(9_999))
    started = time.perf_counter()
    assert home.found(f"zebra {words}") == ["pay/raise.md", "travel.md"]
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*)*x", "((a*)*)*b"])
def test_a_hostile_pattern_is_done_in_linear_time(home: Home, pattern: str) -> None:
    home.write("hostile.md", "# H\n\n" + "a" * 50_000 + "!\n")
    assert home("index").code == 0
    started = time.perf_counter()
    assert home("grep", "--regex", pattern).code in (0, 1)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    "pattern", ["(", "a{2,1}", r"(a)\1", "(?=a)", "[z-a]", "(((a{500}){500}){500})"]
)
def test_a_pattern_that_cannot_be_run_is_explained(home: Home, pattern: str) -> None:
    answer = home("grep", "--regex", pattern)
    assert answer.code == 2
    assert answer.err.startswith("wellread: ")


@pytest.mark.parametrize(
    "handle",
    [
        "../secret.txt",
        "/etc/passwd",
        "docs/../../secret.txt",
        "travel.md\0",
        "a\0b",
        "link.md",
        "pay/raise.md",
    ],
)
def test_what_is_outside_is_no_such_document_like_what_is_missing(home: Home, handle: str) -> None:
    secret = home.folder / "secret.txt"
    secret.write_text("outside zebra\n", encoding="utf-8")
    (home.docs / "link.md").symlink_to(secret)
    assert home("index").code == 0
    missing = home("read", "missing.md", "--as", "eve")
    answer = home("read", handle, "--as", "eve")
    one_message(answer, 1)
    assert answer.out == missing.out == ""
    shown = handle.replace("\0", "")
    assert "outside" not in answer.err.replace(shown, "")
    assert answer.err.split()[:3] == missing.err.split()[:3]
    assert home("grep", "outside zebra").code == 1


# --- files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "front",
    [
        "title: [unclosed",
        "a: b: c",
        "\ttabs: 1",
        "access: [hr",
    ],
)
def test_broken_frontmatter_seals_the_document_and_is_told_by_line(home: Home, front: str) -> None:
    home.write("broken.md", f"---\n{front}\n---\n# Broken\n\nOkapi.\n")
    answer = home("index")
    assert answer.code == 0, answer
    lint = home("lint")
    assert lint.code == 6
    assert "broken.md:" in lint.out
    assert "broken.md" in home.found("okapi")
    if "access" in front:
        assert home.found("okapi", "--as", "eve") == []
    assert home.whole()


def test_a_file_of_200_megabytes_is_skipped_without_being_read(home: Home) -> None:
    with (home.docs / "huge.md").open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    answer = home("index")
    assert answer.code == 0
    assert "1 skipped (too large 1)" in answer.out
    assert "too large" in home("status").out
    assert home.whole()


def test_a_binary_file_named_md_is_skipped_with_the_reason(home: Home) -> None:
    (home.docs / "image.md").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 20)
    answer = home("index")
    assert answer.code == 0
    assert "binary" in answer.out
    assert home.whole()


def test_a_line_of_200_000_characters_is_indexed_and_shown_in_part(home: Home) -> None:
    home.write("line.md", "# Line\n\n" + "okapi " * 33_334 + "quagga\n")
    started = time.perf_counter()
    assert home("index").code == 0
    assert home.found("quagga") == ["line.md"]
    answer = home("search", "quagga")
    assert len(answer.out) < 10_000
    assert json.loads(home("grep", "--json", "quagga").out)["counts"]["lines"] == 1
    assert time.perf_counter() - started < 20
    assert home.whole()


# --- the system ------------------------------------------------------------------------------


def test_a_full_disk_stops_the_run_and_loses_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        home.write(f"new{number}.md", f"# Okapi {number}\n\n" + f"word{number} text " * 500)
    create = schema.create

    def full(path: Path) -> sqlite3.Connection:
        connection = create(path)
        if path.name == "catalog.db":
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(schema, "create", full)
        one_message(home("index"), 4, "disk is full", "Free some space", "nothing was lost")
    assert home.whole()
    assert home.found("okapi") == []
    assert home("index").code == 0
    assert len(home.found("okapi", "--limit", "100")) == 40
    assert home.whole()


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), ValueError("No space left")]
)
def test_a_disk_that_is_full_when_the_text_index_is_written_loses_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    home.write("new.md", "# Okapi\n")

    with monkeypatch.context() as patched:
        refuse(patched, "commit", error)
        one_message(home("index"), 4, "text index", "No space left", "`wellread index`")
    assert home.whole()
    assert home("index").code == 0
    assert home.found("okapi") == ["new.md"]
    assert home.whole()


def test_a_text_index_that_cannot_take_a_document_loses_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.write("new.md", "# Okapi\n")

    with monkeypatch.context() as patched:
        refuse(patched, "add_document", ValueError("IO error: 'No space left on device'"))
        one_message(home("index"), 4, "No space left", "`wellread index`")
    assert home.whole()
    assert home("index").code == 0
    assert home.found("okapi") == ["new.md"]


def refuse(patched: pytest.MonkeyPatch, name: str, error: Exception) -> None:
    """Tantivy's writer answers one of its calls with an error."""
    original = tantivy_index.TantivyIndex.writer

    class Refusing:
        def __init__(self, writer: object) -> None:
            self.writer = writer

        def __getattr__(self, called: str) -> object:
            if called != name:
                return getattr(self.writer, called)

            def refused(*_: object) -> None:
                raise error

            return refused

    def writer(index: tantivy_index.TantivyIndex, weights: Weights) -> tantivy_index.TantivyWriter:
        made = original(index, weights)
        made.writer = Refusing(made.writer)  # type: ignore[assignment]
        return made

    patched.setattr(tantivy_index.TantivyIndex, "writer", writer)


def test_a_file_in_the_place_of_the_library_folder_is_named(
    empty: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = empty.folder / "taken"
    place.write_text("mine\n", encoding="utf-8")
    monkeypatch.setenv("WELLREAD_LIBRARY", str(place))
    one_message(empty("index"), 4, str(place), "WELLREAD_LIBRARY")
    assert place.read_text(encoding="utf-8") == "mine\n"


def test_a_folder_that_cannot_be_written_is_named(
    empty: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr(indexing, "prepare_folder", refuse)
    one_message(empty("index"), 4, ".wellread", "Permission denied", "WELLREAD_LIBRARY")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_library_is_named_and_stays(home: Home) -> None:
    library = home.folder / ".wellread"
    home.write("new.md", "# Okapi\n")
    library.chmod(0o500)
    try:
        one_message(home("index"), 4, str(library), "writable")
        one_message(home("search", "zebra"), 4, str(library), "writable")
    finally:
        library.chmod(0o700)
    assert home.whole()


def test_a_library_whose_log_cannot_be_made_is_not_called_unfinished(home: Home) -> None:
    library = home.folder / ".wellread"
    for name in ("catalog.db-wal", "catalog.db-shm"):
        (library / name).unlink(missing_ok=True)
    (library / "catalog.db-wal").mkdir()
    for arguments in (("search", "zebra"), ("status",), ("index",)):
        one_message(home(*arguments), 4, str(library), "unable to open", "writable")
    (library / "catalog.db-wal").rmdir()
    assert home.whole()


def test_a_library_on_a_network_share_is_refused(
    empty: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "network_filesystem", lambda path: "nfs4")
    one_message(
        empty("index"), 4, "network file system (nfs4)", str(empty.folder), "WELLREAD_LIBRARY"
    )
    assert not (empty.folder / ".wellread").exists()


def test_a_second_indexer_names_the_first(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write("new.md", "# Okapi\n")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home.folder / ".wellread" / "writer.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    with holder:
        assert holder.stdout.readline() == "held\n"
        waits: list[float] = []
        clock = iter(range(0, 1000, 6))
        patient: Callable[..., WriterLock] = WriterLock.acquire
        with monkeypatch.context() as patched:
            hurried = functools.partialmethod(
                patient, clock=lambda: float(next(clock)), sleep=waits.append
            )
            patched.setattr(WriterLock, "acquire", hurried)
            one_message(home("index"), 4, "is being written by", f"pid {holder.pid}", "wait")
        assert waits, "it waits before it gives up"
        assert locks.WAIT_SECONDS == 10
        assert home.whole(), "readers are not held up"
        holder.stdin.close()
        holder.wait(10)
    assert home("index").code == 0
    assert home.found("okapi") == ["new.md"]


HOLDER = """
import sys
from pathlib import Path
from wellread.locks import WriterLock
with WriterLock(Path(sys.argv[1])).acquire():
    print("held", flush=True)
    sys.stdin.read()
"""

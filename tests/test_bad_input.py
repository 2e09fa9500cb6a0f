"""Bad input, through the command line: the fact, the value, the next step, and nothing lost."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from wellread import cli, indexing, locks
from wellread.locks import WriterLock
from wellread.store import embedded, schema, tantivy_index
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

    def meta(self, key: str, value: object) -> None:
        connection = sqlite3.connect(self.folder / ".wellread" / "catalog.db")
        with connection:
            connection.execute("UPDATE meta SET value = ? WHERE key = ?", (json.dumps(value), key))
        connection.close()

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


# --- the index -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [["search", "x"], ["grep", "x"], ["read", "x"], ["status"], ["lint"]]
)
def test_no_index_yet(empty: Home, arguments: list[str]) -> None:
    answer = empty.refused(3, *arguments)
    assert answer.says("No index at", str(empty.folder), "wellread index")
    assert not (empty.folder / ".wellread").exists()


def test_an_index_of_an_older_version_is_named_and_rebuilt(library: Home) -> None:
    library.meta("schema", schema.SCHEMA_VERSION - 1)
    answer = library.refused(3, "search", "zebra")
    assert answer.says("an older version", f"schema {schema.SCHEMA_VERSION - 1}", "wellread index")
    assert library("index").says("2 added")
    library.whole()


def test_an_index_of_a_newer_version_is_named_and_left_alone(library: Home) -> None:
    newer = schema.SCHEMA_VERSION + 1
    library.meta("schema", newer)
    assert library.refused(3, "search", "zebra").says("a newer", f"schema {newer}", "Update")
    assert library.refused(5, "index").says("newer version", f"schema {newer}", "Update", "--full")
    library.meta("schema", schema.SCHEMA_VERSION)
    library.whole()
    library.meta("schema", newer)
    assert library("index", "--full").says("2 added")
    library.whole()


def test_a_damaged_catalog_is_named_with_what_mends_it(library: Home) -> None:
    catalog = library.folder / ".wellread" / "catalog.db"
    catalog.write_bytes(b"not a database at all" * 1000)
    assert library.refused(4, "search", "zebra").says("not a database", "wellread")


def test_a_damaged_text_index_is_named_and_built_anew(library: Home) -> None:
    (folder,) = (library.folder / ".wellread").glob("tantivy-*")
    (folder / "meta.json").write_text("{", encoding="utf-8")
    assert library.refused(4, "search", "zebra").says("text index", "wellread index")
    assert library("index").code == 0
    library.whole()


# --- the configuration and the request -------------------------------------------------------


def test_an_unknown_key_is_named_with_the_nearest(library: Home) -> None:
    library.write("wellread.toml", '[[sources]]\npath = "docs"\n[search]\nlexial = "fts5"\n')
    for command in (["search", "zebra"], ["index"]):
        answer = library.refused(2, *command)
        assert answer.says("lexial", "lexical", "wellread.toml")
    library.write("wellread.toml", '[[sources]]\npath = "docs"\n')
    library.whole()


def test_a_configuration_that_is_no_toml_is_named_by_line(library: Home) -> None:
    library.write("wellread.toml", '[[sources]]\npath = "docs\n')
    assert library.refused(2, "search", "zebra").says("wellread.toml", "line 2")


@pytest.mark.parametrize(
    ("option", "value", "known"),
    [("--type", "playbok", "playbook"), ("--state", "aproved", "approved")],
)
def test_an_unknown_filter_value_lists_the_known(
    library: Home, option: str, value: str, known: str
) -> None:
    for command in ("search", "grep"):
        assert library.refused(2, command, "zebra", option, value).says(option, value, known)


def test_an_empty_query(library: Home) -> None:
    for text in ("", "  \n\t"):
        assert library.refused(2, "search", text).says("nothing to look for", "wellread search")
    assert library.refused(2, "grep", "").says("nothing to look for", "wellread grep")


def test_a_query_of_nothing_but_punctuation_has_an_outcome(library: Home) -> None:
    for text in ("!!!", '"', "«»", "\x00", "💥", "-" * 5000):
        answer = library("search", "--", text)
        assert answer.code == 1, answer.err
        assert answer.says("Nothing found")


def test_a_query_of_10_000_words_is_answered(library: Home) -> None:
    begun = time.perf_counter()
    for text in (
        "zebra " + " ".join(f"word{number}" for number in range(10_000)),
        " ".join(["zebra"] * 10_000),
        '"' + "zebra " * 10_000 + '" zebra',
    ):
        answer = library("search", text)
        assert answer.code in {0, 1}, answer.err
    assert library("search", "zebra " + "word " * 10_000).says("a.md")
    assert library("grep", "zebra " * 10_000).code == 1
    # Far from what a quadratic step would take, even on a slow machine.
    assert time.perf_counter() - begun < 30


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(", ["missing )"]),
        ("[z-a]", ["z-a"]),
        ("a{1,1000}{1,1000}{1,1000}", ["{1,1000}"]),
        ("(?=a)b", ["look-around"]),
        (r"(a)\1", [r"\1"]),
        ("(((((a{100}){100}){100}){100}){100})", ["a{100}"]),
    ],
)
def test_a_regular_expression_that_cannot_be_run(
    library: Home, pattern: str, words: list[str]
) -> None:
    assert library.refused(2, "grep", "--regex", pattern).says("The pattern", pattern, *words)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)*b", "(.*)*(.*)*(.*)*x", "^(([a-z])+.)+[A-Z]"]
)
def test_a_hostile_regular_expression_takes_linear_time(library: Home, pattern: str) -> None:
    library.write("docs/long.md", "# Long\n\n" + "a" * 100_000 + "!\n")
    assert library("index").code == 0
    begun = time.perf_counter()
    assert library("grep", "--regex", pattern).code in {0, 1}
    assert time.perf_counter() - begun < 20


@pytest.mark.parametrize("limits", [["--limit", "0"], ["--limit", "-1"], ["--page", "zzz"]])
def test_a_limit_or_a_page_that_is_none(library: Home, limits: list[str]) -> None:
    assert library.refused(2, "search", "zebra", *limits).says(limits[1])


def test_outside_the_library_is_no_such_document_like_missing_and_forbidden(
    library: Home,
) -> None:
    outside = library.write("secret.md", "# Secret\n")
    (library.folder / "docs" / "link.md").symlink_to(outside)
    library("index")
    wordings = set()
    for handle in (
        "missing.md",
        "../secret.md",
        "../../etc/passwd",
        str(outside),
        "/etc/passwd",
        "link.md",
        "docs/../../secret.md",
        "a.md\x00",
        "..",
        "%2e%2e/secret.md",
        "b.md",  # of hr alone
        "b.md#b",
    ):
        answer = reader(library, handle)
        assert answer.code == 1, handle
        assert answer.out == ""
        wordings.add(answer.err.split(":")[1])
    assert wordings == {" No such document for you"}


def reader(library: Home, handle: str) -> Answer:
    """What somebody outside every group gets."""
    library.write("groups.yaml", "ann: [sales]\n")
    library.write("wellread.toml", '[[sources]]\npath = "docs"\n[access]\ngroups = "groups.yaml"\n')
    return library("read", handle, "--as", "ann")


# --- the documents ---------------------------------------------------------------------------


def test_broken_yaml_is_named_by_line_and_only_the_owner_reads_the_page(library: Home) -> None:
    library.write("docs/broken.md", "---\ntitle: [a\n---\n# Zebra in ruins\n")
    assert library("index").code == 0
    answer = library("lint")
    assert answer.code == 6
    assert answer.says("broken.md:", "Frontmatter cannot be read", "only the local owner")
    assert library("search", "ruins").says("broken.md")
    reader(library, "a.md")
    assert library("search", "ruins", "--as", "ann").code == 1
    library.whole()


def test_a_file_of_200_mb_is_skipped_unread_and_named(library: Home) -> None:
    file = library.write("docs/huge.md", "")
    os.truncate(file, 200 * 1024 * 1024)
    begun = time.perf_counter()
    assert library("index").says("1 skipped", "too large 1")
    assert time.perf_counter() - begun < 20
    assert library("status").says("huge.md", "209,715,200 bytes", "max_file_size")
    library.whole()


def test_a_binary_with_the_name_of_a_document_is_skipped_and_named(library: Home) -> None:
    library.write("docs/program.md", b"\x7fELF\x02\x01\x00" + bytes(range(256)) * 40)
    assert library("index").says("1 skipped", "binary 1")
    assert library("status").says("program.md", "not a text file", "Exclude it")
    assert library("grep", "ELF").code == 1
    library.whole()


def test_a_line_of_200_000_characters_is_found_and_read(library: Home) -> None:
    library.write("docs/long.md", "# Long\n\n" + "word " * 40_000 + "quagga\n")
    assert library("index").code == 0
    answer = library("search", "quagga")
    assert answer.says("long.md")
    assert len(answer.out) < 2_000
    assert library("grep", "quagga").says("long.md:3")
    assert library("read", "long.md").code == 0
    library.whole()


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
        patched.setattr(embedded, "write_meta", full)
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


def test_a_library_on_a_network_file_system_is_refused(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(indexing, "network_filesystem", lambda path: "nfs4")
        answer = library.refused(4, "index")
    assert answer.says(
        "network file system (nfs4)", ".wellread", "local folder", "WELLREAD_LIBRARY"
    )
    library.whole()


# --- two at once -----------------------------------------------------------------------------


def test_the_second_of_two_indexers_waits_and_then_names_the_first(
    library: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.write("docs/c.md", "# C\n\nA zebra of the third page.\n")
    waited: list[float] = []
    now = 0.0

    def acquire(lock: WriterLock, **_: object) -> WriterLock:
        nonlocal now

        def sleep(seconds: float) -> None:
            nonlocal now
            now += seconds
            waited.append(seconds)

        return taken(lock, clock=lambda: now, sleep=sleep)

    taken = WriterLock.acquire
    with WriterLock(library.folder / ".wellread" / indexing.LOCK), monkeypatch.context() as patched:
        patched.setattr(WriterLock, "acquire", acquire)
        answer = library.refused(4, "index")
    assert answer.says("wellread index", f"pid {os.getpid()}", "since", "wait", "stop it")
    assert sum(waited) == pytest.approx(locks.WAIT_SECONDS)
    library.whole()
    assert library("search", "third").says("c.md")


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

"""A library as one file, and back."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from datetime import date
from pathlib import Path

import pytest

from wellread.backup import restore
from wellread.config import load
from wellread.errors import NoIndex, RunRefused, StoreUnavailable, UsageError
from wellread.library import Library
from wellread.locks import WriterLock
from wellread.types import Caller

OWNER = Caller(subject=None, owner=True)
TODAY = date(2026, 6, 15)


def library_of(folder: Path, lexical: str = "tantivy") -> Library:
    docs = folder / "docs"
    docs.mkdir(parents=True)
    (docs / "a.md").write_text("# Zebra\n\nThe zebra has stripes.\n", encoding="utf-8")
    (docs / "b.md").write_text("---\naccess: [hr]\n---\n# Okapi\n\nAlso.\n", encoding="utf-8")
    (folder / "wellread.toml").write_text(
        f'[[sources]]\npath = "docs"\n[search]\nlexical = "{lexical}"\n', encoding="utf-8"
    )
    library = Library(load(None, {}, folder))
    library.index()
    return library


def seen(library: Library) -> object:
    """Everything a reader gets, and the library's own words about itself."""
    scope = library.scope(OWNER)
    return (
        library.search("zebra stripes", scope=scope, today=TODAY),
        library.find_exact("Also", scope=scope, today=TODAY),
        library.read("b.md", scope=scope, today=TODAY),
        library.status(scope=scope, today=TODAY),
        library.scope(Caller(subject="ann")).allowed,
    )


@pytest.mark.parametrize("lexical", ["tantivy", "fts5"])
def test_what_is_restored_is_the_same_library(tmp_path: Path, lexical: str) -> None:
    with library_of(tmp_path / "here", lexical) as library:
        before = seen(library)
        size = library.backup(tmp_path / "kept.tar.gz")
        assert size == (tmp_path / "kept.tar.gz").stat().st_size
        assert (tmp_path / "kept.tar.gz").stat().st_mode & 0o077 == 0
    config = load(None, {"WELLREAD_LIBRARY": str(tmp_path / "new")}, tmp_path / "here")
    Library.restore(tmp_path / "kept.tar.gz", tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    with Library(config) as restored:
        assert seen(restored) == before
        run = restored.index()
        assert (run.added, run.changed, run.unchanged) == (0, 0, 2)
    assert not list((tmp_path / "new").glob(".restoring-*"))
    assert {path.name for path in tmp_path.iterdir()} == {"here", "kept.tar.gz", "new"}


def test_remembered_sources_are_restored(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n", encoding="utf-8")
    config = load(None, {}, tmp_path)
    from wellread.config import named_sources

    with Library(config) as library:
        library.index(named_sources([Path("docs")], tmp_path))
        library.backup(tmp_path / "kept")
    (tmp_path / ".wellread").rename(tmp_path / "gone")
    restore(tmp_path / "kept", tmp_path / ".wellread")
    assert load(None, {}, tmp_path).sources[0].path == tmp_path / "docs"


def test_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    with library_of(tmp_path / "here") as library:
        library.backup(tmp_path / "kept")
        kept = (tmp_path / "kept").read_bytes()
        with pytest.raises(UsageError, match="exists and is left as it is"):
            library.backup(tmp_path / "kept")
        assert (tmp_path / "kept").read_bytes() == kept
        with pytest.raises(RunRefused, match=r"a library at .* already"):
            Library.restore(tmp_path / "kept", library.config.library)
        assert library.scope(OWNER).allowed


def test_a_backup_needs_a_library_and_a_place(tmp_path: Path) -> None:
    with pytest.raises(NoIndex, match="nothing to back up"):
        Library(load(None, {}, tmp_path)).backup(tmp_path / "kept")
    with (
        library_of(tmp_path / "here") as library,
        pytest.raises(StoreUnavailable, match="cannot be written: No such file"),
    ):
        library.backup(tmp_path / "nowhere" / "kept")


def test_a_backup_waits_for_the_run_that_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with library_of(tmp_path / "here") as library:
        lock = WriterLock(library.config.library / "writer.lock")
        monkeypatch.setattr(WriterLock, "acquire", lambda self: lock_or_refuse(self))

        def lock_or_refuse(mine: WriterLock) -> WriterLock:
            if not mine.try_acquire():
                raise StoreUnavailable("held")
            return mine

        assert lock.try_acquire()
        with pytest.raises(StoreUnavailable, match="held"):
            library.backup(tmp_path / "kept")
        lock.release()
        assert library.backup(tmp_path / "kept") > 0


def archive_of(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


LABEL = {"wellread-backup.json": json.dumps({"format": 1}).encode()}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a whole backup"),
        (b"not an archive at all" * 100, "not a whole backup"),
        (gzip.compress(b"x" * 2000, mtime=0), "not a whole backup"),
        (archive_of({"catalog.db": b"x"}), "not made by wellread"),
        (archive_of(LABEL), "without a catalog"),
        (archive_of({"wellread-backup.json": b'{"format": 9}'}), "format 9"),
        (archive_of({"wellread-backup.json": b"{"}), "not a whole backup"),
        (archive_of({**LABEL, "../evil": b"x"}), "unexpected '../evil'"),
        (archive_of({**LABEL, "/tmp/evil": b"x"}), "unexpected '/tmp/evil'"),
        (archive_of({**LABEL, "tantivy-1/../../evil": b"x"}), "unexpected"),
        (archive_of({**LABEL, "tantivy-1/..": b"x"}), "unexpected"),
        (archive_of({**LABEL, "catalog.db": b"x" * 9999})[:-40], "not a whole backup"),
    ],
)
def test_what_is_not_a_whole_backup_is_refused_and_makes_no_library(
    tmp_path: Path, content: bytes, words: str
) -> None:
    (tmp_path / "kept").write_bytes(content)
    with pytest.raises(UsageError, match=words):
        restore(tmp_path / "kept", tmp_path / "new")
    assert not (tmp_path / "new" / "catalog.db").exists()
    assert not (tmp_path / "evil").exists()


def test_a_missing_backup_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        restore(tmp_path / "nowhere", tmp_path / "new")
    assert not (tmp_path / "new").exists()

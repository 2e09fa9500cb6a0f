"""A library as one file, and back: a tar archive of its databases and its text index."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from wellread.errors import NoIndex, RunRefused, StoreUnavailable, UsageError
from wellread.locks import WriterLock
from wellread.store.embedded_writer import prepare_folder
from wellread.store.schema import unavailable

FORMAT = 1
LABEL = "wellread-backup.json"
CATALOG, JOURNAL, SOURCES = "catalog.db", "journal.db", "sources.json"
LOCK = "writer.lock"
TEXT_INDEX = "tantivy-"
_DAMAGED = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError, KeyError)
COMPRESSION = 1  # gzip's fastest: the files are written once and read rarely


def back_up(library: Path, file: Path) -> int:
    """Writes a library into a new file and returns its size in bytes. Waits for a run that is
    under way; readers are not held up.

    Raises ``NoIndex``, ``UsageError`` where the file exists, and ``StoreUnavailable``.
    """
    if not (library / CATALOG).is_file():
        raise NoIndex(f"No index at {library}. There is nothing to back up.")
    if file.exists():
        raise UsageError(f"{file} exists and is left as it is. Name a new file.")
    try:
        with (
            WriterLock(library / LOCK, command="wellread backup").acquire(),
            tempfile.TemporaryDirectory(dir=file.parent, prefix=".wellread-") as apart,
        ):
            unfinished = Path(apart) / "archive"
            with tarfile.open(unfinished, "w:gz", compresslevel=COMPRESSION) as archive:
                label = Path(apart) / LABEL
                label.write_text(json.dumps({"format": FORMAT}), encoding="utf-8")
                archive.add(label, LABEL)
                for member, path in _members(library, Path(apart)):
                    archive.add(path, member)
            unfinished.chmod(0o600)
            unfinished.replace(file)
    except sqlite3.Error as error:
        raise unavailable(library / CATALOG, error) from error
    except OSError as error:
        raise StoreUnavailable(
            f"The backup {file} cannot be written: {error.strerror}. Name a file on a disk with "
            "room, in a folder that you may write to."
        ) from error
    return file.stat().st_size


def restore(file: Path, library: Path) -> None:
    """Makes a library from a file that ``back_up`` has written, where there is none yet.

    Raises ``UsageError`` for a file that is not a whole backup, ``RunRefused`` where there is a
    library already, and ``StoreUnavailable``.
    """
    if (library / CATALOG).exists():
        raise RunRefused(
            f"There is a library at {library} already. Move it away, or name another place in "
            "WELLREAD_LIBRARY."
        )
    if not file.is_file():
        raise UsageError(f"There is no file {file}. Name one that wellread backup has written.")
    try:
        prepare_folder(library)
        with (
            WriterLock(library / LOCK, command="wellread restore").acquire(),
            tempfile.TemporaryDirectory(dir=library, prefix=".restoring-") as apart,
        ):
            members = _extract(file, Path(apart))
            # The catalog comes last: without it there is no library, whatever else there is.
            for member in sorted(members, key=lambda member: member == CATALOG):
                target = library / member
                target.parent.mkdir(mode=0o700, exist_ok=True)
                (Path(apart) / member).replace(target)
    except _DAMAGED as error:
        raise UsageError(
            f"{file} is not a whole backup ({error}). Name one that wellread backup has finished."
        ) from error
    except OSError as error:
        raise StoreUnavailable(
            f"The library {library} cannot be restored: {error.strerror or error}. Make room and "
            "the folder writable, and restore again."
        ) from error


def _members(library: Path, apart: Path) -> Iterator[tuple[str, Path]]:
    """The files of a library by their place in it; databases as consistent copies."""
    for name in (CATALOG, JOURNAL):
        if (library / name).is_file():
            copy = apart / name
            with (
                closing(sqlite3.connect(library / name)) as source,
                closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
            yield name, copy
            copy.unlink()
    if (library / SOURCES).is_file():
        yield SOURCES, library / SOURCES
    for folder in sorted(library.glob(f"{TEXT_INDEX}*")):
        for path in sorted(folder.iterdir()):
            if not path.name.endswith(".lock"):
                yield f"{folder.name}/{path.name}", path


def _extract(file: Path, apart: Path) -> list[str]:
    """Unpacks the known members of an archive, and nothing else it may hold."""
    found: list[str] = []
    with tarfile.open(file, "r:gz") as archive:
        for member in archive:
            if member.name == LABEL:
                stream = archive.extractfile(member)
                made = json.load(stream)["format"] if stream is not None else None
                if made != FORMAT:
                    raise ValueError(f"format {made}, this version reads {FORMAT}")
            elif not found and not _labelled(archive):
                raise ValueError("not made by wellread")
            elif not member.isfile() or not _known(member.name):
                raise ValueError(f"unexpected {member.name!r} in it")
            else:
                target = apart / member.name
                target.parent.mkdir(mode=0o700, exist_ok=True)
                stream = archive.extractfile(member)
                assert stream is not None
                with target.open("wb") as written:
                    while block := stream.read(1 << 20):
                        written.write(block)
                found.append(member.name)
    if CATALOG not in found:
        raise ValueError("without a catalog")
    return found


def _labelled(archive: tarfile.TarFile) -> bool:
    return archive.getmembers()[0].name == LABEL


def _known(name: str) -> bool:
    if name in {CATALOG, JOURNAL, SOURCES}:
        return True
    folder, slash, rest = name.partition("/")
    plain = bool(rest) and "/" not in rest and os.sep not in rest and rest not in {".", ".."}
    return bool(slash) and folder.startswith(TEXT_INDEX) and plain

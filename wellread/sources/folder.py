"""A folder of files as a source: what is in it, and the bytes of one file."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from unicodedata import normalize

from wellread.documents import FileEntry, SkippedEntry
from wellread.errors import RunRefused, SkippedFile
from wellread.kinds import ENDINGS, kind_of
from wellread.sources.exclude import (
    DEFAULT_EXCLUDE,
    LIBRARY_FOLDER,
    Excluded,
    compile_exclude,
)

MAX_BYTES = 5 * 1024 * 1024
"""The largest file that is read where nothing else is configured (the design's figure)."""

_NAME = attrgetter("name")

_Entry = FileEntry | SkippedEntry

_SETTERS: tuple[Callable[[FileEntry, object], None], ...] = tuple(
    getattr(FileEntry, name).__set__
    for name in (
        "path",
        "location",
        "source",
        "size",
        "mtime_ns",
        "ctime_ns",
        "inode",
        "imported",
    )
)


@dataclass(frozen=True, kw_only=True, slots=True)
class FolderSource:
    """The documents below ``root``.

    ``prefix`` is put before every path (``handbook``, or empty with a single source).
    ``exclude`` holds patterns as in a ``.gitignore`` at the root; they follow
    ``DEFAULT_EXCLUDE``. What they exclude is neither listed nor counted. A file over
    ``max_bytes`` is skipped without being read.
    """

    name: str
    root: Path
    prefix: str = ""
    exclude: tuple[str, ...] = ()
    max_bytes: int = MAX_BYTES

    def scan(self) -> Iterator[FileEntry | SkippedEntry]:
        """Every document, and everything else that was seen, with the reason it is skipped.

        Folder by folder in the order of names. A file is listed once: under its own path, or
        under a link only where it is itself hidden (a link never reaches what ``exclude``
        names). Links that lead out of the root are not followed. Of two names that differ
        only in their Unicode form the composed one is kept.

        Raises ``RunRefused`` at once where the root is missing or cannot be listed.
        """
        root = os.path.realpath(self.root)
        try:
            with os.scandir(root):
                pass
        except OSError as error:
            raise RunRefused(_no_root(self.name, self.root, error)) from error
        return _Scan(
            source=self,
            root=root,
            excluded=compile_exclude((*DEFAULT_EXCLUDE, *self.exclude)),
            forbidden=compile_exclude(self.exclude),
        ).entries()

    def read(self, entry: FileEntry) -> bytes:
        """The bytes of a file that ``scan`` has listed.

        Raises ``SkippedFile`` where it has since become unreadable, too large, or a link that
        leads out of the root.
        """
        real = os.path.realpath(entry.location)
        root = os.path.realpath(self.root)
        if not real.startswith(root.rstrip("/") + "/"):
            raise SkippedFile("link out of the source", _leads_out(entry.path, real))
        try:
            # Without O_NONBLOCK, opening a pipe that took the file's place would hang.
            fd = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(fd, "rb") as file:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    raise SkippedFile("not a regular file", f"{entry.path} is no longer a file.")
                content = file.read(self.max_bytes + 1)
        except OSError as error:
            raise SkippedFile("unreadable", _unreadable(entry.path, error)) from error
        if len(content) > self.max_bytes:
            raise SkippedFile("too large", _too_large(entry.path, None, self.max_bytes))
        return content


@dataclass(kw_only=True, slots=True)
class _Scan:
    """The state of one walk."""

    source: FolderSource
    root: str
    folders: set[tuple[int, int]] = field(default_factory=set)
    files: dict[int, str] = field(default_factory=dict)
    composed: set[str] = field(default_factory=set)
    links: list[tuple[str, str, str]] = field(default_factory=list)
    excluded: Excluded
    forbidden: Excluded

    def entries(self) -> Iterator[_Entry]:
        prefix = normalize("NFC", self.source.prefix.strip("/"))
        yield from self._walk(self.root, f"{prefix}/" if prefix else "", "")
        # Links come last, so that a file is listed under its own path where it has one.
        while self.links:
            location, path, below = self.links.pop(0)
            yield from self._follow(location, path, below)

    def _walk(self, top: str, base: str, below: str) -> Iterator[_Entry]:
        # The hot loop. What is asked of every name is asked in C, in the order that settles an
        # ordinary document first; pathlib, pathspec and normalize stay out of it.
        source, limit, files = self.source.name, self.source.max_bytes, self.files
        excluded = self.excluded
        # The __init__ of a frozen dataclass costs as much as all the rest of the loop (measured:
        # 3.8 us against 1.2 us for the same through its slots), hence the setters.
        new = object.__new__
        set_path, set_location, set_source, set_size = _SETTERS[:4]
        set_mtime, set_ctime, set_inode, set_imported = _SETTERS[4:]
        always, starts, ends, names = excluded.slow, excluded.starts, excluded.ends, excluded.names
        stack = [(top, base, below)]
        while stack:
            folder, base, below = stack.pop()
            try:
                status = os.stat(folder)
                with os.scandir(folder) as listing:
                    found = sorted(listing, key=_NAME)
            except OSError as error:
                path = base.rstrip("/")
                yield _skip(path, "unreadable", _unreadable(path, error), folder=True)
                continue
            key = (status.st_dev, status.st_ino)
            if key in self.folders:
                continue
            self.folders.add(key)
            if not "".join(map(_NAME, found)).isascii():
                found.sort(key=_composed_first)
            deeper = []
            for entry in found:
                name = entry.name
                try:
                    is_file = entry.is_file(follow_symlinks=False)
                    if (
                        always
                        or not is_file
                        or name.startswith(starts)
                        or name.endswith(ends)
                        or name in names
                        or not name.isascii()
                    ) and excluded(name, below + name, entry.is_dir(follow_symlinks=False)):
                        continue
                    path = base + name
                    if not path.isascii():
                        path, problem = self._settle(path, entry)
                        if problem is not None:
                            yield problem
                            continue
                    if not is_file:
                        if entry.is_symlink():
                            self.links.append((entry.path, path, below + name))
                        elif entry.is_dir(follow_symlinks=False):
                            deeper.append((entry.path, path + "/", below + name + "/"))
                        elif kind_of(name) is None:
                            yield _skip(path, "not a document type", _no_type(path))
                        else:
                            yield _skip(path, "not a regular file", _irregular(path))
                        continue
                    if not name.endswith(ENDINGS) and kind_of(name) is None:
                        yield _skip(path, "not a document type", _no_type(path))
                        continue
                    status = entry.stat(follow_symlinks=False)
                    inode, size = status.st_ino, status.st_size
                    files[inode] = location = entry.path
                except OSError as error:
                    path = normalize("NFC", _escaped(base + name))
                    yield _skip(path, "unreadable", _unreadable(path, error))
                    continue
                if size > limit:
                    yield _skip(path, "too large", _too_large(path, size, limit))
                    continue
                seen = new(FileEntry)
                set_path(seen, path)
                set_location(seen, location)
                set_source(seen, source)
                set_size(seen, size)
                set_mtime(seen, status.st_mtime_ns)
                set_ctime(seen, status.st_ctime_ns)
                set_inode(seen, inode)
                set_imported(seen, None)
                yield seen
            deeper.reverse()
            stack.extend(deeper)

    def _settle(self, path: str, entry: os.DirEntry[str]) -> tuple[str, SkippedEntry | None]:
        """The composed form of a path beyond ASCII, and what is wrong with it, if anything."""
        shown = normalize("NFC", _escaped(path))
        if shown != normalize("NFC", path):
            return shown, _skip(shown, "undecodable name", _undecodable(shown))
        if entry.is_file(follow_symlinks=False) and kind_of(shown) is not None:
            if shown in self.composed:
                return shown, _skip(shown, "same path twice", _twice(shown))
            self.composed.add(shown)
        return shown, None

    def _follow(self, location: str, path: str, below: str) -> Iterator[_Entry]:
        real = os.path.realpath(location)
        if real != self.root and not real.startswith(self.root.rstrip("/") + "/"):
            yield _skip(path, "link out of the source", _leads_out(path, real))
            return
        try:
            status = os.stat(location)
        except OSError as error:
            yield _skip(path, "broken link", _unreadable(path, error))
            return
        if self._forbidden(real[len(self.root.rstrip("/")) + 1 :], stat.S_ISDIR(status.st_mode)):
            return
        if stat.S_ISDIR(status.st_mode):
            if (status.st_dev, status.st_ino) in self.folders:
                yield _skip(path, "already listed", _already(path, real), folder=True)
            elif not self.excluded(os.path.basename(below), below, True):
                yield from self._walk(real, path + "/", below + "/")
            return
        if kind_of(path) is None or kind_of(real) is None:
            yield _skip(path, "not a document type", _no_type(path))
        elif not stat.S_ISREG(status.st_mode):
            yield _skip(path, "not a regular file", _irregular(path))
        elif self._listed(real, status):
            yield _skip(path, "already listed", _already(path, real))
        elif status.st_size > self.source.max_bytes:
            yield _skip(path, "too large", _too_large(path, status.st_size, self.source.max_bytes))
        elif path in self.composed:
            yield _skip(path, "same path twice", _twice(path))
        else:
            self.files[status.st_ino] = real
            yield FileEntry(
                path=path,
                location=location,
                source=self.source.name,
                size=status.st_size,
                mtime_ns=status.st_mtime_ns,
                ctime_ns=status.st_ctime_ns,
                inode=status.st_ino,
            )

    def _forbidden(self, target: str, is_folder: bool) -> bool:
        """Whether the configuration excludes what a link leads to; merely hidden places are
        the normal home of link targets (mounted ConfigMaps, git-sync) and may be read."""
        parts = target.split("/") if target else []
        if LIBRARY_FOLDER in parts:
            return True
        return any(
            self.forbidden(name, "/".join(parts[: at + 1]), is_folder or at + 1 < len(parts))
            for at, name in enumerate(parts)
        )

    def _listed(self, real: str, status: os.stat_result) -> bool:
        known = self.files.get(status.st_ino)
        if known is None:
            return False
        # Two file systems below one root may share an inode number.
        try:
            return known == real or os.path.samestat(os.stat(known), status)
        except OSError:
            return False


def _composed_first(entry: os.DirEntry[str]) -> tuple[str, bool]:
    composed = normalize("NFC", entry.name)
    return composed, composed != entry.name


def _escaped(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _skip(path: str, reason: str, message: str, *, folder: bool = False) -> SkippedEntry:
    return SkippedEntry(path=path, reason=reason, message=message, folder=folder)


def _no_root(name: str, root: Path, error: OSError) -> str:
    fact = "is not a folder" if isinstance(error, NotADirectoryError) else None
    if isinstance(error, FileNotFoundError):
        fact = "does not exist"
    return (
        f"Source {name!r}: {root} {fact or f'cannot be listed ({error.strerror})'}; nothing was "
        f"changed. Mount or create it, or correct `path` of this source ([[sources]] in "
        f"wellread.toml)."
    )


def _unreadable(path: str, error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{path or 'The source'} cannot be read ({reason}); check its permissions."


def _too_large(path: str, size: int | None, limit: int) -> str:
    fact = f"has {size:,} bytes, more than" if size is not None else "has grown beyond"
    return (
        f"{path} {fact} the limit of {limit:,}; split it, or raise `max_file_size` ([index] in "
        "wellread.toml)."
    )


def _no_type(path: str) -> str:
    return f"{path} is not of a type that is read as a document."


def _irregular(path: str) -> str:
    return f"{path} is not a regular file."


def _undecodable(path: str) -> str:
    return f"The name of {path} is not UTF-8; rename it."


def _twice(path: str) -> str:
    return (
        f"{path} exists twice, under names that differ only in their Unicode form (NFC, NFD); "
        f"rename one of them."
    )


def _leads_out(path: str, real: str) -> str:
    return (
        f"{path} is a link to {real}, outside the source, and is not followed; add that folder "
        f"as a source of its own."
    )


def _already(path: str, real: str) -> str:
    return f"{path} is a link to {real}, which is listed already."

"""Which names of a folder are left out, told by patterns as in a ``.gitignore``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from unicodedata import normalize

from wellread.errors import ConfigError

DEFAULT_EXCLUDE: tuple[str, ...] = (".*", "~$*", "node_modules/", "__pycache__/")
"""Left out of every folder, before the patterns of the configuration, which may bring them
back (``!.github/``): hidden files and folders, the owner files that office programs put
beside an open document, and folders of installed or generated code."""

LIBRARY_FOLDER = ".wellread"
"""A library is never a source, whatever the patterns say."""

_WILD = re.compile(r"[*?\[\]\\!]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Excluded:
    """Compiled ``.gitignore`` patterns; made by ``compile_exclude``.

    Plain names, ``start*`` and ``*end`` are looked up, which the walk does by itself; only
    other wildcards and slashes cost a regular expression (``slow``), and pathspec is asked
    only where a ``!`` pattern might bring a name back.
    """

    names: frozenset[str]
    folders: frozenset[str]
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    matchers: tuple[Callable[[str], object], ...]
    whole: Callable[[str], bool | None] | None

    @property
    def slow(self) -> bool:
        """Whether a name alone does not settle the matter."""
        return bool(self.matchers)

    def __call__(self, name: str, path: str, is_folder: bool) -> bool:
        """Whether what is called ``name``, at ``path`` below the root, is excluded."""
        if not name.isascii():
            name = normalize("NFC", name)
        hit = (
            name == LIBRARY_FOLDER
            or name.startswith(self.starts)
            or name.endswith(self.ends)
            or name in self.names
            or (is_folder and name in self.folders)
        )
        if name == LIBRARY_FOLDER or (hit and self.whole is None):
            return True
        if not hit and not self.matchers:
            return False
        asked = path if path.isascii() else normalize("NFC", path)
        if is_folder:
            asked += "/"
        hit = hit or any(match(asked) for match in self.matchers)
        return bool(self.whole(asked)) if hit and self.whole is not None else hit


def compile_exclude(patterns: tuple[str, ...]) -> Excluded:
    """A check for ``.gitignore`` patterns, the last matching one deciding.

    Raises ``ConfigError`` for a pattern that cannot be understood.
    """
    lines = [normalize("NFC", line.strip()) for line in patterns]
    lines = [line for line in lines if line and not line.startswith("#")]
    names: set[str] = set()
    folders: set[str] = set()
    starts: list[str] = []
    ends: list[str] = []
    slow: list[str] = []
    for line in lines:
        plain, only_folder = line.removesuffix("/"), line.endswith("/")
        wild = _WILD.search(plain)
        if "/" in plain or not plain or (wild and only_folder):
            slow.append(line)
        elif wild is None:
            (folders if only_folder else names).add(plain)
        elif plain[-1] == "*" and not _WILD.search(plain[:-1]):
            starts.append(plain[:-1])
        elif plain[0] == "*" and not _WILD.search(plain[1:]):
            ends.append(plain[1:])
        else:
            slow.append(line)
    matchers: tuple[Callable[[str], object], ...] = ()
    whole: Callable[[str], bool | None] | None = None
    if slow:
        from pathspec import GitIgnoreSpec

        try:
            spec = GitIgnoreSpec.from_lines(lines)
            part = GitIgnoreSpec.from_lines(line for line in slow if line[0] != "!")
        except ValueError as error:
            raise ConfigError(
                f"An exclude pattern cannot be understood: {error}; write it as in a .gitignore."
            ) from error
        matchers = tuple(each.regex.match for each in part.patterns if each.include and each.regex)
        if any(line[0] == "!" for line in slow):

            def whole(path: str) -> bool | None:
                return spec.check_file(path).include

    return Excluded(
        names=frozenset(names),
        folders=frozenset(folders),
        starts=tuple(starts),
        ends=tuple(ends),
        matchers=matchers,
        whole=whole,
    )

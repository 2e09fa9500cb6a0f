"""Libraries for tests: files by path, indexed like anybody's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from wellread.access import identify
from wellread.config import load
from wellread.library import Library
from wellread.types import Caller, Scope

TODAY = date(2026, 6, 15)
OWNER = Caller(subject=None, owner=True)


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def library(folder: Path, files: Mapping[str, str], settings: str = "") -> Library:
    """A library of these files, indexed; ``settings`` are more of ``wellread.toml``."""
    write(folder / "docs", files)
    (folder / "wellread.toml").write_text(
        f'{settings}\n[[sources]]\npath = "docs"\n', encoding="utf-8"
    )
    opened = Library(load(folder / "wellread.toml", {}, folder))
    opened.index()
    return opened


def groups(members: Mapping[str, Iterable[str]]) -> str:
    """``[groups]`` of a configuration."""
    lines = [f'"{name}" = {list(held)!r}'.replace("'", '"') for name, held in members.items()]
    return "[groups]\n" + "\n".join(lines) + "\n"


def scope_of(opened: Library, subject: str | None = None) -> Scope:
    """The scope of a subject of the configuration, or of the local owner."""
    caller = identify(subject, None, None, transport="cli", groups=opened.config.groups)
    return opened.scope(caller)


def page(text: str, **front: str) -> str:
    """A document with frontmatter."""
    lines = "".join(f"{key.rstrip('_')}: {value}\n" for key, value in front.items())
    return f"---\n{lines}---\n{text}\n" if front else f"{text}\n"

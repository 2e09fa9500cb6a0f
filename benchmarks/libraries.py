"""Libraries made the way a user makes them: a folder, a configuration, ``Library.index``."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import sys
from datetime import date
from pathlib import Path

from benchmarks.data import WORK, files
from benchmarks.measure import Spent, run
from wellread.library import Library
from wellread.types import Caller, Scope

TODAY = date(2026, 7, 1)
SEED = 18
OWNER = Caller(subject=None, owner=True)


def configure(name: str, root: Path, *more: str) -> Path:
    """A folder with a configuration for a source, without an index; returns the file."""
    folder = WORK / "libraries" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    text = f"[[sources]]\npath = {json.dumps(str(root))}\n" + "".join(f"{line}\n" for line in more)
    (folder / "wellread.toml").write_text(text, encoding="utf-8")
    return folder / "wellread.toml"


def index(config: Path, *options: str) -> Spent:
    """``wellread index`` in a process of its own."""
    return run([sys.executable, "-m", "wellread.cli", "index", "--config", str(config), *options])


def catalog(config: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{config.parent / '.wellread' / 'catalog.db'}?mode=ro", uri=True)


def owner(library: Library) -> Scope:
    return library.scope(OWNER)


def title_queries(config: Path, count: int) -> list[str]:
    """Titles of pages, each once, in a fixed random order."""
    rows = catalog(config).execute("SELECT DISTINCT title FROM documents ORDER BY title")
    titles = [row[0] for row in rows if any(character.isalpha() for character in row[0])]
    return random.Random(SEED).sample(titles, min(count, len(titles)))


def sample_of(root: Path, count: int, target: Path) -> Path:
    """Some files of a collection in a folder of their own."""
    shutil.rmtree(target, ignore_errors=True)
    for path in random.Random(SEED).sample(files(root), count):
        copy = target / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return target.resolve()


def with_acls(root: Path, count: int, target: Path) -> Path:
    """The same files, each with one of so many lists of readers in its frontmatter. A third
    of the lists name the group ``third``."""
    shutil.rmtree(target, ignore_errors=True)
    for number, path in enumerate(files(root)):
        acl = number % count
        readers = f"access: [group-{acl}{', third' if acl % 3 == 0 else ''}]\n"
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        if text.startswith((b"---\n", b"---\r\n")):
            first, rest = text.split(b"\n", 1)
            text = first + b"\n" + readers.encode() + rest
        else:
            text = f"---\n{readers}---\n".encode() + text
        copy = target / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(text)
    return target.resolve()

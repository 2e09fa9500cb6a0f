"""Where the measured collections are: folders or archives in ``WELLREAD_DATA``.

``WELLREAD_DATA`` names a folder that holds collections as folders or as ``NAME.tar.xz``; left
out it is ``.data``, then ``../shared/data``. Archives are unpacked into ``.data`` once.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from wellread.beir import read_collection, write_files
from wellread.questions import Question

UNPACKED = Path(".data")
WORK = Path(".bench")
"""Libraries and written-out files; may be deleted at any time."""

PARTS = {"scale-docs-18k": ("cockroach-docs", "ms-powershell")}
"""Collections that are several folders."""


class Missing(Exception):
    """A collection is nowhere; the rows that need it are left out, and that is said."""


def places() -> list[Path]:
    named = os.environ.get("WELLREAD_DATA")
    return [Path(named)] if named else [UNPACKED, Path("../shared/data")]


def collection(name: str) -> Path:
    """The folder of a collection. Raises ``Missing``."""
    target = UNPACKED / name
    if target.is_dir():
        return target.resolve()
    for place in places():
        if (place / name).is_dir():
            return (place / name).resolve()
        if (place / f"{name}.tar.xz").is_file():
            return unpacked(place / f"{name}.tar.xz", target)
        parts = [place / part for part in PARTS.get(name, ())]
        if parts and all(part.is_dir() for part in parts):
            return joined(parts, target)
    looked = ", ".join(str(place) for place in places())
    raise Missing(f"{name} is neither a folder nor {name}.tar.xz in {looked}")


def unpacked(archive: Path, target: Path) -> Path:
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        tar.extractall(partial, filter="data")
    partial.rename(target)
    return target.resolve()


def joined(parts: list[Path], target: Path) -> Path:
    """The folders side by side in a new one, by hard links where the disk allows."""
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    for part in parts:
        shutil.copytree(part, partial / part.name, copy_function=link)
    partial.rename(target)
    return target.resolve()


def link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def files(root: Path) -> list[Path]:
    """Every markdown file below a folder, in path order."""
    return sorted(path for path in root.rglob("*.md") if path.is_file())


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A judged set, written out as files, with the questions to them."""

    root: Path
    documents: int
    questions: tuple[Question, ...]


def judged(name: str) -> Judged:
    """A judged set as a user would have it: one markdown file for each document. A set that
    brings its own pages keeps them."""
    source = holder(collection(name), "corpus.jsonl")
    root = WORK / "files" / name
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    paths = write_files(source, root)
    questions = read_collection(source, paths)
    return Judged(root=root.resolve(), documents=len(paths), questions=questions)


def holder(folder: Path, name: str) -> Path:
    """The folder that holds a file: the archive's own or one below it."""
    found = folder if (folder / name).is_file() else next(folder.glob(f"*/{name}")).parent
    return found

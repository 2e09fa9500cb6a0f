"""The example company as a library, the same wherever and whenever it is made."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from tests.shelf import TODAY
from wellread.access import identify
from wellread.config import load
from wellread.library import Library
from wellread.server import Serving
from wellread.types import Caller

COMPANY = Path(__file__).parents[1] / "examples" / "company"
MIDNIGHT = 1_780_000_000  # 28 May 2026: what a file without a date of its own was changed on


def company(folder: Path, settings: str = "") -> Library:
    """The example company, copied and indexed."""
    shutil.copytree(COMPANY, folder, dirs_exist_ok=True)
    for file in folder.rglob("*"):
        os.utime(file, (MIDNIGHT, MIDNIGHT))
    toml = folder / "wellread.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + settings, encoding="utf-8")
    library = Library(load(toml, {}, folder))
    library.index()
    return library


def caller_named(library: Library, subject: str | None) -> Caller:
    """A subject of the groups; everyone for none."""
    return identify(subject, None, None, transport="stdio", groups=library.config.groups)


def serving(library: Library, subject: str | None = None, **more: Any) -> Serving:
    """The library served to a subject on the company's day."""
    caller = more.pop("caller", caller_named(library, subject))
    return Serving(library=library, caller=caller, today=lambda: TODAY, **more)


def timeless(text: str) -> str:
    """A text without the moment at which the library was indexed."""
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-06-15T09:00:00Z", text)

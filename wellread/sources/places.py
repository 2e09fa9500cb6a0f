"""Where the file of a library path is: below the root of its source, or nowhere."""

from __future__ import annotations

import os
from pathlib import Path

from wellread.config import Config


def located(config: Config, path: str) -> Path | None:
    """The file at a library path; ``None`` where there is none, or a link leads out of the
    source."""
    several = len(config.sources) > 1
    for source in config.sources:
        prefix = f"{source.name}/" if several else ""
        if not path.startswith(prefix):
            continue
        root = os.path.realpath(source.path)
        real = os.path.realpath(os.path.join(root, path.removeprefix(prefix)))
        if real.startswith(root.rstrip("/") + "/") and os.path.isfile(real):
            return Path(real)
    return None


def file_size(config: Config, path: str) -> int | None:
    """The bytes of the file at a library path; ``None`` where there is none."""
    place = located(config, path)
    try:
        return place.stat().st_size if place is not None else None
    except OSError:
        return None

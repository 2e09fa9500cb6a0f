"""Company knowledge that AI agents can search, read and trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wellread.library import Library as Library
    from wellread.types import Caller as Caller
    from wellread.types import Filters as Filters

__version__ = "0.1.0"

__all__ = ["Caller", "Filters", "Library", "__version__"]


def __getattr__(name: str) -> object:
    """The public names, imported when they are asked for: `wellread --version` needs none."""
    if name == "Library":
        from wellread.library import Library

        return Library
    if name in ("Caller", "Filters"):
        from wellread import types

        return getattr(types, name)
    raise AttributeError(f"module 'wellread' has no attribute {name!r}")

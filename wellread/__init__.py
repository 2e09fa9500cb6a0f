"""Company knowledge that AI agents can search, read and trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wellread.library import Library
    from wellread.types import Caller, Filters

__all__ = ["Caller", "Filters", "Library", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """The public names, imported when first used: the command line needs none of them."""
    if name == "Library":
        from wellread.library import Library

        return Library
    if name in ("Caller", "Filters"):
        from wellread import types

        return getattr(types, name)
    raise AttributeError(f"module 'wellread' has no attribute '{name}'")

"""Handles as they are shown to a model, and read back: exact, with nothing that nobody sees

A path may hold any character, and without the invisible ones it would be another path; so these
are written as in a URL, such as ``%E2%80%8B``, and these alone are read back.
"""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import unquote

from wellread.visible import SEPARATORS, UNSEEN

_WRITTEN = re.compile(r"(?:%[0-9A-F]{2})+")


@cache
def _unseen() -> re.Pattern[str]:
    ranges = (f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in UNSEEN)
    return re.compile(f"[\n\t{''.join(map(chr, SEPARATORS))}{''.join(ranges)}]")


def shown_handle(handle: str) -> str:
    """A handle to show."""
    if handle.isascii() and handle.isprintable():
        return handle
    return _unseen().sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), handle
    )


def meant_handle(shown: str) -> str:
    """The handle that was shown so."""

    def back(found: re.Match[str]) -> str:
        text = unquote(found[0], errors="replace")
        return text if not _unseen().sub("", text) else found[0]

    return _WRITTEN.sub(back, shown) if "%" in shown else shown

"""Slugs: the part of a handle after ``#``, by GitHub's rules in Unicode."""

from __future__ import annotations

import re
import unicodedata

from wellread.documents import ConvertedPage

_ASCII_REMOVED = re.compile(r"[^a-z0-9_ -]")
_KEPT = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
_UNNAMED = "section"


def slug(text: str) -> str:
    """Lower case; letters, marks, digits, ``_`` and ``-`` stay, a space becomes ``-``.

    A text without any of these (an emoji) has the slug ``section``: an empty one names the
    text before the first heading.
    """
    lowered = text.strip().lower()
    if lowered.isascii():
        kept = _ASCII_REMOVED.sub("", lowered)
    else:
        # Lower-casing can decompose (İ becomes i and a dot), so NFC comes after it.
        kept = "".join(
            character
            for character in unicodedata.normalize("NFC", lowered)
            if character in " -" or unicodedata.category(character) in _KEPT
        )
    return kept.replace(" ", "-") or _UNNAMED


def page_slug(page: ConvertedPage) -> str:
    """``page-493``, ``slide-3``, or the slug of a sheet's name."""
    return slug(page.label) if page.kind == "sheet" else f"{page.kind}-{page.number}"


class Slugs:
    """Makes the slugs of one document unique: the second of a kind gets ``-1``, and so on."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def unique(self, wanted: str) -> str:
        """``wanted``, or the first free ``wanted-N``."""
        result = wanted
        taken = self._taken
        while result in taken:
            taken[wanted] += 1
            result = f"{wanted}-{taken[wanted]}"
        taken[result] = 0
        return result

"""Characters as the analyzer compares them: case, diacritics and compatibility forms folded."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

IGNORED = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e01ef"
)
"""Soft hyphens, zero-width and directional characters, variation selectors, tags: not shown,
so they neither separate words nor tell them apart."""

DASHES = "\u2010\u2011\u2012\u2013"

_LETTERS = frozenset("йўїѓќ")
"""Letters that decompose into a base and a mark, and are letters all the same."""

_PLAIN = {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "æ": "ae", "œ": "oe", "ı": "i"} | dict.fromkeys(
    DASHES, "-"
)


@cache
def _dropped() -> re.Pattern[str]:
    return re.compile(
        f"[{IGNORED}\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
        "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
        "\ufe20-\ufe2f\\s]"
    )


class _Folding(dict[int, str]):
    """What a composed, casefolded character becomes; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in _LETTERS:
            folded = character
        elif character in _PLAIN:
            folded = _PLAIN[character]
        else:
            bare = _dropped().sub("", unicodedata.normalize("NFD", character))
            folded = unicodedata.normalize("NFC", bare)
        self[code] = folded
        return folded


_FOLDING = _Folding()


def fold(text: str) -> str:
    """NFKC, casefolded, without diacritics except where they make a letter of Cyrillic.

    Latin letters lose theirs in every language (``å`` → ``a``, ``ñ`` → ``n``, ``ø`` → ``o``):
    names are typed on keyboards that lack them. ``ß`` becomes ``ss``, ``ё`` ``е``.
    """
    if text.isascii():
        return text.lower()
    parts = text.split()
    if len(parts) > 1:
        return " ".join(map(fold, parts))
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return composed.translate(_FOLDING)

"""The parts of a text around words worth a look, so that slow patterns see little of it."""

from __future__ import annotations

import re
from collections.abc import Collection

BEGINNING = 4
"""Letters of a word by which it is looked up: enough to pass over most, and to hold every
ending."""

_WORD = re.compile(r"\w+")


def beginnings(words: Collection[str]) -> frozenset[str]:
    """The beginnings of words, by which ``windows`` finds them."""
    return frozenset(word[:BEGINNING].casefold() for word in words)


def windows(
    text: str, begin: Collection[str], *, before: int, after: int, digits: bool = False
) -> list[tuple[int, int]]:
    """Spans of a text that reach so many characters to either side of the words with one of
    these beginnings, and of numbers where ``digits``; spans that meet are one."""
    found: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        word = match[0][:BEGINNING]
        if not ((digits and word[0].isdigit()) or word.casefold() in begin):
            continue
        start, end = max(0, match.start() - before), min(len(text), match.end() + after)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found

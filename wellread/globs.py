"""Path patterns, in the manner of ``.gitignore``: for access rules, defaults and ``--path``.

A pattern without a slash matches any file or folder name at any depth (``*.md``, ``people``);
one with a slash is matched from the library's root (``contracts/2024.md``; ``/travel.md``).
``**`` crosses folders; ``*``, ``?`` and ``[…]`` do not. A folder matched by its whole name
covers everything below it (``people``, ``people/``, ``teams/people``), so that a rule for a
folder cannot miss a page by its spelling; where the last name of a pattern with a slash holds
a wildcard, it matches that name alone (``contracts/*`` is the folder's own files).
Patterns and paths compare in NFC and by case. A ``!`` in front has no meaning here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

_WILD = re.compile(r"[*?\[\\]")
_BELOW = r"(?:/.*)?"


def matches(pattern: str, path: str) -> bool:
    """Whether a library path is matched. Raises ``ValueError`` for an empty pattern."""
    return matcher(pattern)(path)


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Callable[[str], bool]:
    """The test for one pattern. Raises ``ValueError`` for an empty pattern.

    Folders by literal name, the common case, are compared without a regular expression
    (0.3 against 0.4 to 0.9 µs a path).
    """
    pattern = re.sub(r"^\.(?=/)|(?<=/)/+", "", unicodedata.normalize("NFC", pattern.strip()))
    anchored = pattern.lstrip("/")
    if not anchored:
        raise ValueError(f"the pattern {pattern!r} is empty; ** matches every document")
    literal = anchored.removesuffix("/**").rstrip("/")
    if "/" in anchored and literal and not _WILD.search(literal):
        folder = literal + "/"
        if anchored.endswith("/**"):
            return lambda path: _nfc(path).startswith(folder)
        if pattern.startswith("/") or "/" in literal:
            return lambda path: (found := _nfc(path)) == literal or found.startswith(folder)
    compiled = re.compile(_translate(pattern), re.DOTALL).fullmatch
    return lambda path: compiled(_nfc(path)) is not None


@lru_cache(maxsize=1024)
def any_of(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """The test for alternatives; no pattern at all matches nothing."""
    tests = tuple(matcher(pattern) for pattern in patterns)
    if len(tests) == 1:
        return tests[0]
    return lambda path: any(test(path) for test in tests)


def _nfc(path: str) -> str:
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def _translate(pattern: str) -> str:
    """A regular expression in which all that precedes a wildcard is atomic: the first match of
    it is as good as any, so a hostile pattern of many stars stays quadratic in the path."""
    names = [name for name in pattern.split("/") if name]
    if "/" not in pattern.rstrip("/"):  # a name at any depth
        return ".+" if names == ["**"] else rf"(?:[^/]+/)*?{_name(names[0])}{_BELOW}"
    blocks: list[list[str]] = [[]]
    for name in names:
        if name == "**":
            if len(blocks) == 1 or blocks[-1]:
                blocks.append([])
        else:
            blocks[-1].append(_name(name))
    first, *middle = ("/".join(block) for block in blocks)
    covers = pattern.endswith("/") or not _WILD.search(names[-1])
    ending = _BELOW if covers else ""
    if not middle:
        return first + ending
    last = middle.pop()
    text = f"{first}/" if first else ""
    text += "".join(rf"(?>(?:[^/]+/)*?{block}/)" for block in middle)
    return text + (rf"(?:[^/]+/)*?{last}{ending}" if last else ".+")


def _name(name: str) -> str:
    """One path component; an unclosed bracket and a trailing backslash stand for themselves."""
    pieces: list[str] = []
    runs: list[str] = []  # the text between stars
    stars = 0
    index = 0
    while index < len(name):
        letter = name[index]
        index += 1
        if letter == "*":
            stars += 1
            runs.append("".join(pieces))
            pieces = []
            while index < len(name) and name[index] == "*":
                index += 1
        elif letter == "?":
            pieces.append("[^/]")
        elif letter == "\\" and index < len(name):
            pieces.append(re.escape(name[index]))
            index += 1
        elif letter == "[" and (closing := _closing(name, index)):
            pieces.append(_class(name[index:closing]))
            index = closing + 1
        else:
            pieces.append(re.escape(letter))
    if not stars:
        return "".join(pieces)
    middle = "".join(rf"(?>[^/]*?{run})" for run in runs[1:] if run)
    return f"{runs[0]}{middle}[^/]*{''.join(pieces)}"


def _closing(name: str, start: int) -> int:
    """Where the bracket opened before ``start`` closes, or 0."""
    index = start + 1 if name[start : start + 1] in {"!", "^"} else start
    return max(name.find("]", index + 1), 0)


def _class(inside: str) -> str:
    negated = inside[0] in "!^"
    members = inside[1:] if negated else inside
    text = ""
    index = 0
    while index < len(members):
        if members[index + 1 : index + 2] == "-" and index + 2 < len(members):
            low, high = members[index], members[index + 2]
            if low <= high:
                text += f"{re.escape(low)}-{re.escape(high)}"
            index += 3
        else:
            text += re.escape(members[index])
            index += 1
    if not text:  # only reversed ranges: nothing, or anything
        return "[^/]" if negated else r"(?!)"
    return f"(?!/)[{'^' if negated else ''}{text}]"

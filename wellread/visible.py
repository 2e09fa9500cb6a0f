"""Texts on their way out, without the characters that nobody sees

What is not shown could say other things to a machine than to a reader: zero-width and
bidi-control characters, Unicode tags and variation selectors (both can spell whole sentences
that no font draws), fillers, controls. Separators of lines that are no line breaks to us become
blanks, so that a line is a line to every reader.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

_BLANK = dict.fromkeys((0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029), " ")
_HIDDEN: dict[int, str | None] = {
    **dict.fromkeys(
        (
            *(code for code in range(0x20) if code not in (0x09, 0x0A)),
            *range(0x7F, 0xA0),
            0x00AD,
            0x034F,
            0x061C,
            0x115F,
            0x1160,
            0x17B4,
            0x17B5,
            *range(0x180B, 0x1810),
            *range(0x200B, 0x2010),
            *range(0x202A, 0x202F),
            *range(0x2060, 0x2070),
            0x3164,
            *range(0xFE00, 0xFE10),
            0xFEFF,
            0xFFA0,
            *range(0xFFF0, 0xFFFC),
            *range(0x1D173, 0x1D17B),
            *range(0xE0000, 0xE1000),
        )
    ),
    **_BLANK,
}
"""Unicode's default-ignorable code points, bidi controls, controls and interlinear marks."""

_UNSEEN = re.compile("[" + "".join(re.escape(chr(code)) for code in (*_HIDDEN, 0x0A, 0x09)) + "]")
_WRITTEN = re.compile(r"(?:%[0-9A-F]{2})+")


def visible(text: str) -> str:
    """A text without characters that are not shown."""
    return text if text.isascii() and text.isprintable() else text.translate(_HIDDEN)


def one_line(text: str, longest: int) -> str:
    """A text as one line of at most so many characters, without characters that are not shown."""
    line = " ".join(visible(text[: 4 * longest]).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def shown_handle(handle: str) -> str:
    """A handle to show: what nobody sees in a path is written as in a URL, such as ``%E2%80%8B``,
    because without it the handle would be another."""
    if handle.isprintable() and handle.isascii():
        return handle
    return _UNSEEN.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode(errors="replace")), handle
    )


def meant_handle(shown: str) -> str:
    """The handle that was shown so: only what nobody sees is read back."""

    def back(found: re.Match[str]) -> str:
        text = unquote(found[0], errors="replace")
        return text if _UNSEEN.fullmatch(text) or not _UNSEEN.sub("", text) else found[0]

    return _WRITTEN.sub(back, shown) if "%" in shown else shown

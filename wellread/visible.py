"""Texts on their way out, without the characters that nobody sees

What is not shown could say other things to a machine than to a reader: zero-width and
bidi-control characters, Unicode tags and variation selectors (both can spell whole sentences
that no font draws), fillers, controls. Separators of lines that are no line breaks to us become
blanks, so that a line is a line to every reader.
"""

from __future__ import annotations

SEPARATORS = (0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029)
"""What some readers take for the end of a line."""

UNSEEN = (
    (0x00, 0x08),
    (0x0E, 0x1B),
    (0x1F, 0x1F),
    (0x7F, 0x84),
    (0x86, 0x9F),
    (0xAD, 0xAD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""Ranges, first and last: Unicode's default-ignorable code points, bidi controls, controls and
interlinear marks."""

_WITHOUT: dict[int, str | None] = dict.fromkeys(SEPARATORS, " ")
for _first, _last in UNSEEN:
    _WITHOUT.update(dict.fromkeys(range(_first, _last + 1)))


def visible(text: str) -> str:
    """A text without characters that are not shown."""
    return text if text.isascii() and text.isprintable() else text.translate(_WITHOUT)


def one_line(text: str, longest: int) -> str:
    """A text as one line of at most so many characters, without characters that are not shown."""
    line = " ".join(visible(text[: 4 * longest]).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"

"""Regular expressions over lines, in linear time: what of a pattern can be made fast.

RE2 matches line by line; ``never_nl`` keeps a match inside its line. One call per matching line
costs about 1 microsecond, which a pattern that matches every fifth line of 147 MB pays 300,000
times, so a pattern of plain syntax also gets a form that passes ``LINES_AT_ONCE`` matching
lines in one call. Syntax that this module does not know well gets the slow, certain way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from wellread.errors import UsageError

# Measured on 147 MB (`the`, `\\w+ing\\b`, `^#+ `): 4 lines at once .37 s, 16 .30-.36, 64 .29-.32;
# beyond that the automaton of a longer pattern outgrows RE2's memory.
LINES_AT_ONCE = 32

# \\A, \\z and a flag group that changes what ^ means speak of the whole text, not of a line;
# \\Q quotes what we would append; \\C is a byte.
_OF_THE_TEXT = re.compile(r"\\[AzZQC]|\(\?[A-Za-z-]*m[A-Za-z-]*[:)]")

# The syntax that is understood here, one alternative per kind of atom.
_ATOM = re.compile(
    r"""(?P<group>\((?:\?:|\?P?<\w+>)?(?!\?))
    | (?P<close>\))
    | (?P<bar>\|)
    | (?P<class>\[(?P<not>\^?)(?P<members>
        (?:[\w\ .,:;/\#@%&+=~"'<>!?*(){}$|-]|\\[wd.\-\]\[\\/^])+)\])
    | (?P<space>\\s)
    | (?P<set>\\[wdS]|\.|\\p[LN](?![a-z]))
    | (?P<place>[\^$]|\\[bB])
    | \\(?P<quoted>[^\w\s])
    | (?P<plain>[^\\\[\](){}*+?.^$|\n])""",
    re.VERBOSE,
)
_REPEAT = re.compile(r"[*+?]\??|\{(?P<least>\d+)(?:,\d*)?\}\??")

_STARTS_LINE = re.compile(r"\^(?![*+?{])")


@dataclass(frozen=True, kw_only=True, slots=True)
class LinePattern:
    """A compiled pattern. ``line`` (an RE2 object) finds a match in one line or, where
    ``multiline``, in a text of lines; ``many`` passes ``LINES_AT_ONCE`` matching lines, each
    with its line break, from the start of a line. ``after_break`` finds a match of a pattern
    that starts with ``^`` by the line break before it, which RE2 can leap to. Every match holds
    all the strings of one of ``choices``, but for case where it is ignored."""

    line: Any
    many: Any | None
    after_break: Any | None
    multiline: bool
    choices: tuple[tuple[str, ...], ...]


def compile_pattern(pattern: str, *, ignore_case: bool) -> LinePattern:
    """Compile an RE2 pattern, or say in a ``UsageError`` what is wrong with it."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    options.never_capture = True
    options.never_nl = True
    try:
        # Alone first, so that nothing around it can complete half a pattern.
        line = re2.compile(pattern, options)
        multiline = _OF_THE_TEXT.search(pattern) is None
        if multiline:
            line = re2.compile("(?m)" + pattern, options)
    except re2.error as error:
        raise UsageError(_explain(pattern, error)) from None
    plain = _read(pattern) if multiline else None
    many = after_break = None
    if plain is not None:
        options.never_nl = False
        try:
            many = re2.compile(f"(?m:(?s:.*?)(?:{plain[0]})[^\\n]*\\n){{{LINES_AT_ONCE}}}", options)
        except re2.error:
            many = None  # too large 32 times over: one line at a time then
        if _STARTS_LINE.match(plain[0]) and len(plain[1]) == 1:
            after_break = re2.compile("(?m)\\n" + plain[0][1:], options)
    return LinePattern(
        line=line._regexp,
        many=None if many is None else many._regexp,
        after_break=None if after_break is None else after_break._regexp,
        multiline=multiline,
        choices=((),) if plain is None else plain[1],
    )


def _explain(pattern: str, error: Exception) -> str:
    said = error.args[0] if error.args else "not understood"
    message = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    if re.search(r"\(\?(<?[=!]|>)", pattern):
        reason = "look-around and atomic groups are not supported"
    elif re.search(r"\\[1-9]|\\k<|\(\?P=", pattern):
        reason = "back-references are not supported"
    else:
        return (
            f'The pattern "{pattern}" is not a regular expression: {message}. '
            "Correct it, or search for it as plain text, without the regex option."
        )
    return (
        f'The pattern "{pattern}" cannot be used: {reason}, because they would make the time '
        "of a search unbounded (RE2 syntax). Write it without them, or search for the fixed "
        "part as plain text."
    )


def _read(pattern: str) -> tuple[str, tuple[tuple[str, ...], ...]] | None:
    """The pattern in a form that cannot match a line break, and the required strings of each
    of its alternatives; ``None`` where it holds syntax not known here."""
    out: list[str] = []
    choices: list[list[str]] = [[""]]
    depth = 0
    position = 0
    while position < len(pattern):
        atom = _ATOM.match(pattern, position)
        if atom is None:
            return None
        position = atom.end()
        repeat = _REPEAT.match(pattern, position)
        text = atom[0]
        if atom["space"]:
            text = r"[\t\f\r ]"
        elif atom["class"]:
            text = _without_line_break(text, atom["members"])
        depth += 1 if atom["group"] else -1 if atom["close"] else 0
        if atom["bar"] and depth == 0:
            choices.append([])
        letter = atom["quoted"] or atom["plain"]
        repeated = repeat[0] if repeat is not None else ""
        position += len(repeated)
        if letter and repeated.startswith("+"):
            # x+ as xx*: what RE2 leaps to, and what is required, gains a character.
            text, repeated = text + text, "*" + repeated[1:]
        elif repeated:
            letter = None
        if letter and depth == 0:
            choices[-1][-1] += letter
        if not letter or depth or repeated:
            choices[-1].append("")
        out.append(text + repeated)
    # Two characters narrow nothing.
    long = tuple(tuple(run for run in runs if len(run) >= 3) for runs in choices)
    return "".join(out), long


def _without_line_break(written: str, members: str) -> str:
    if not written.startswith("[^"):
        return written
    # A leading "-" stands for itself; after the line break it would make a range.
    return "[^\\n" + ("\\" if members.startswith("-") else "") + members + "]"

"""The best window of a passage around a query's terms, fit for one line of a result."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from wellread.analyze import text_start, without_destinations
from wellread.query import Query
from wellread.stems import PAIR_SEPARATOR
from wellread.terms import lexicon
from wellread.visible import visible

WORDS = 60
"""Words of a snippet: about four lines of a terminal, enough to judge a hit by."""

_UNIT = 80
"""Characters after which text without white space is cut all the same: a line of a terminal."""

_LEAD = 0.3
"""The share of the free words that goes before the matches: what follows explains more."""

_SENTENCE_REACH = 8
"""Words that a window may start earlier in order to start with a sentence."""

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Noncharacters of Unicode: no text may hold them, so they can mark matches meanwhile."""

_PIECE = re.compile(r"\S+")
_MARKUP = "|-=:`~#*>_+"
_UNSPACED_FROM = "\u2e80"
_FENCE = re.compile(r"(?m)^[ >]*(?:`{3,}[^`\n]*|~{3,}[^\n]*)$")
_RULE = re.compile(r"(?m)^[ >]*+(?:(?=[^\n]*--)[|:\-+ ]++|={3,}+ ?)$")
_BLANKS = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_ROW = re.compile(r"(?m)^[ >]*\|(.*?)\|? ?$")
_OPENING = re.compile(r"(?m)^ ?(?:#{1,6} |>[ >]*)")
_PIPES = re.compile(r"(?:\|\s*){2,}")
_MARK = re.compile(f"[{_OPEN}{_CLOSE}]")
_SENTENCE_END = (".", "!", "?", "…", "。", ":", ";")


@cache
def _part() -> re.Pattern[str]:
    return re.compile(rf"[\u2e80-\uffdc]{{1,2}}|[^\u2e80-\uffdc]{{1,{_UNIT}}}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Snippet:
    """One line of text; ``spans`` are the character ranges of the matches in it."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()


class _Found(NamedTuple):
    """A match: where it is, which group it serves and how well, and its term."""

    start: int
    end: int
    group: int
    weight: float
    term: str


_START = attrgetter("start")


def render(snippet: Snippet, opening: str = "«", closing: str = "»") -> str:
    """The snippet with its matches between the given marks."""
    parts: list[str] = []
    last = 0
    for start, end in snippet.spans:
        parts += (snippet.text[last:start], opening, snippet.text[start:end], closing)
        last = end
    return "".join((*parts, snippet.text[last:]))


def snippet(
    body: str, start: int, end: int, query: Query, *, language: str, words: int = WORDS
) -> Snippet:
    """The window of ``body[start:end]`` that says most about the query.

    It prefers many distinct query words, then their weight, then words that stand together
    as they do in the query; without any match it is the beginning. Cut ends are marked ``…``.
    """
    written = body[text_start(body, start, end) : end]
    text, hidden = without_destinations(written)
    pieces = _pieces(text)
    found = _find(pieces, query, language)
    if hidden and not found:  # an address may be what was looked for
        text, pieces = written, _pieces(written)
        found = _find(pieces, query, language)
    units = _units(pieces)
    if not units:
        return Snippet(text="")
    low, high = _window(text, units, found, query, words)
    cut_start, cut_end = units[low][0], units[high - 1][1]
    return _clean(
        text[cut_start:cut_end],
        [
            (match.start - cut_start, match.end - cut_start)
            for match in found
            if cut_start <= match.start < cut_end
        ],
        before=low > 0,
        after=high < len(units),
        lines_start=cut_start == 0 or text[:cut_start].rstrip(" \t").endswith("\n"),
    )


def _pieces(text: str) -> list[tuple[str, int]]:
    return [(match.group(), match.start()) for match in _PIECE.finditer(text)]


def _units(pieces: list[tuple[str, int]]) -> list[tuple[int, int]]:
    """The words that a reader would count: none in markup alone, one for every two signs of
    a script without spaces."""
    units: list[tuple[int, int]] = []
    for piece, offset in pieces:
        size = len(piece)
        if size > _UNIT or not (piece.isascii() or max(piece) < _UNSPACED_FROM):
            units += [(offset + m.start(), offset + m.end()) for m in _part().finditer(piece)]
        elif piece[0] not in _MARKUP or piece.strip(_MARKUP):
            units.append((offset, offset + size))
    return units


def _find(pieces: list[tuple[str, int]], query: Query, language: str) -> list[_Found]:
    """What of the query stands in the pieces, in order."""
    known = lexicon(language)
    known.trim()
    matches, identifiers = query.matches, query.identifiers
    wanted = frozenset(matches).isdisjoint
    wanted_whole = frozenset(identifiers).isdisjoint
    whole = known.identifiers
    found: list[_Found] = []
    for piece, offset in [
        place
        for place in pieces
        if not wanted(known[place[0]]) or (place[0] in whole and not wanted_whole(whole[place[0]]))
    ]:
        spans, name_spans = known.analyse(piece)
        for table, places in ((identifiers, name_spans), (matches, spans)):
            for term, start, end in places:
                if (match := table.get(term)) is not None:
                    place = offset + start
                    found.append(_Found(place, offset + end, match.group, match.weight, term))
    # Where the word itself stands, its parts, endings and near spellings elsewhere are noise.
    best: dict[int, float] = {}
    for each in found:
        best[each.group] = max(best.get(each.group, 0.0), each.weight)
    return sorted((f for f in found if f.weight == best[f.group]), key=_START)


def _window(
    text: str, units: list[tuple[int, int]], found: list[_Found], query: Query, words: int
) -> tuple[int, int]:
    """The first unit of the window and the one behind its last."""
    if len(units) <= words or not found:
        return 0, min(words, len(units))
    places: list[int] = []
    unit = 0
    for match in found:
        while unit + 1 < len(units) and units[unit + 1][0] <= match.start:
            unit += 1
        places.append(unit)
    best = _best_run(found, places, query, words)
    low, high = places[best[0]], places[best[1]] + 1
    low = max(0, low - int((words - (high - low)) * _LEAD))
    # Starting with a sentence or a line reads better than starting in the middle of one.
    for earlier in range(low, max(-1, low - _SENTENCE_REACH), -1):
        if high - earlier > words:
            break
        if earlier == 0 or _starts_sentence(text, units, earlier):
            low = earlier
            break
    low = max(0, min(low, len(units) - words))
    return low, min(len(units), low + words)


def _starts_sentence(text: str, units: list[tuple[int, int]], unit: int) -> bool:
    before = text[units[unit - 1][1] - 1 : units[unit][0]]
    return before.startswith(_SENTENCE_END) or "\n\n" in before


def _best_run(found: list[_Found], places: list[int], query: Query, words: int) -> tuple[int, int]:
    """The first and the last of the matches that one window should show: distinct words with
    their weights decide, then pairs and repetitions."""
    together = [
        f"{left.term}{PAIR_SEPARATOR}{right.term}" in query.pairs for left, right in pairwise(found)
    ]
    held: dict[tuple[int, float], int] = {}
    weight, joined, last = 0.0, 0, -1
    best, best_score = (0, 0), (-1.0, 0.0)
    for first, place in enumerate(places):
        while last + 1 < len(places) and places[last + 1] < place + words:
            last += 1
            joined += last > first and together[last - 1]
            key = (found[last].group, min(found[last].weight, 1.0))
            held[key] = held.get(key, 0) + 1
            weight += key[1] if held[key] == 1 else 0.0
        score = (round(weight, 6), joined + 0.1 * (last - first))
        if score > best_score:
            best, best_score = (first, last), score
        key = (found[first].group, min(found[first].weight, 1.0))
        held[key] -= 1
        weight -= 0.0 if held[key] else key[1]
        joined -= first < last and together[first]
    return best


def _clean(
    text: str,
    spans: list[tuple[int, int]],
    *,
    before: bool,
    after: bool,
    lines_start: bool,
) -> Snippet:
    """One readable line of a cut of markdown, with the places of the matches in it."""
    marked = text.replace(_OPEN, " ").replace(_CLOSE, " ")
    for start, end in reversed(_merged(spans, len(text))):
        marked = marked[:start] + _OPEN + marked[start:end] + _CLOSE + marked[end:]
    if not lines_start:
        # What opens the cut is not the opening of a line: keep it from being read as markup.
        marked = "\ufdd2" + marked
    marked = _BLANKS.sub(" ", marked)
    if "```" in marked or "~~~" in marked:
        marked = _FENCE.sub("", marked)
    if "--" in marked or "==" in marked:
        marked = _RULE.sub("", marked)
    if "|" in marked:
        marked = _PIPES.sub("| ", _ROW.sub(r"\1 |", marked))
    marked = _OPENING.sub("", marked)
    marked = " ".join(marked.replace("\ufdd2", "").split()).strip(" |")
    if before:
        marked = "… " + marked
    if after:
        marked += " …"
    # Part by part: without the marks most are ASCII, where there is nothing to look for.
    parts = [visible(part) for part in _MARK.split(marked)]
    places: list[tuple[int, int]] = []
    length = 0
    for number, part in enumerate(parts):
        if number % 2 and part:
            places.append((length, length + len(part)))
        length += len(part)
    return Snippet(text="".join(parts), spans=tuple(places))


def _merged(spans: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """The spans within the text, in order, those that touch as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted((max(0, a), min(length, b)) for a, b in spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged

"""Text to terms, the same for documents and queries.

A text is cut at white space into pieces; a piece holds compounds (``INV-2026-0041.pdf``),
a compound holds words. Words become terms, one per position; compounds are also kept whole,
as identifiers. Language is Zipfian, so pieces are looked up in a bounded lexicon per
language and analysed only when they are new.

Offsets always refer to the text as it was given, whatever folding does to its length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

import Stemmer

from wellread.folding import DASHES, IGNORED, fold
from wellread.languages import (
    language_for,
)
from wellread.stems import MAX_WORD, stem, stemmer

ANALYZER_VERSION = f"2/snowball-{Stemmer.version()}/unicode-{unicodedata.unidata_version}"
"""Changes whenever the same text could give other terms; an index made by another is rebuilt."""

MAX_IDENTIFIER = 128
"""Characters of a compound that is kept whole; longer ones are kept in their segments only."""

LEXICON_SIZE = 200_000
"""Pieces held per language, and half as many compounds."""


class Token(NamedTuple):
    """A term with its position (counted in words) and its place in the given text."""

    term: str
    position: int
    start: int
    end: int


class Scan(NamedTuple):
    """Everything the analyzer finds in a text: words, and whole identifiers, whose position
    is that of their first word."""

    words: list[Token]
    identifiers: list[Token]


# --- characters ----------------------------------------------------------------------------

_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u0816-\u082d\u0900-\u0963\u0971-\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1"
    "\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f71-\u0f84\u102b-\u103e\u1056-\u109d\u17b4-\u17d3\u17dd"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
)
"""Combining marks: parts of words that ``\\w`` leaves out."""

_UNSPACED = (
    "\u0e01-\u0e3e\u0e40-\u0e4e\u0e81-\u0ecf\u1000-\u103f\u1050-\u109d\u1100-\u11ff\u1780-\u17d3"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u309f\u30a1-\u30fa"
    "\u30fc-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\uff66-\uffdc\U00020000-\U0003ffff"
)
"""Scripts whose texts have no spaces between words, and Hangul: indexed as bigrams."""

_JOINERS = r"\-./\\:@#&=?+"


def _compound(word: str, joiners: str) -> re.Pattern[str]:
    return re.compile(  # an optional --flag, -x or .gitignore, the word, C++ or C#
        r"(?:(?<![\w\-.\u0300-\u036f])(?:--?|\.)(?=[A-Za-z](?![\u0300-\u036f])))?"
        rf"{word}(?:(?:://|::|:\\|\\\\|/\.|(?<=\d),(?=\d)|[{joiners}]){word})*"
        r"(?:\+\+|#)?"  # C++, C#
    )


_ASCII_COMPOUND = _compound("[A-Za-z0-9_]+", _JOINERS)
_ASCII_RUN = re.compile("[A-Za-z0-9]+")
_SIMPLE = re.compile("[(\\[{\"'*«“„‘]*([A-Za-z]+|[А-Яа-яЁё]+)[)\\]}\"'*»”’.,;:!?…]*")


# Classes that reach far into Unicode take milliseconds to compile, more than a search in a
# library of ASCII may spend on them: they are made when the first text needs them.
@cache
def _any_compound() -> re.Pattern[str]:
    return _compound(rf"\w[\w{_MARKS}{IGNORED}]*", _JOINERS + DASHES)


@cache
def _any_run() -> re.Pattern[str]:
    return re.compile(rf"[^\W_](?:[^\W_]|[{_MARKS}{IGNORED}])*")


@cache
def _unspaced_run() -> re.Pattern[str]:
    return re.compile(rf"([{_UNSPACED}][{_UNSPACED}{_MARKS}{IGNORED}]*)")


@cache
def _cluster() -> re.Pattern[str]:
    return re.compile(
        "[\u1100-\u115f\ua960-\ua97f]+[\u1160-\u11a7\ud7b0-\ud7c6]*[\u11a8-\u11ff\ud7cb-\ud7fb]*"
        f"|.[\u3099\u309a\uff9e\uff9f{IGNORED}]*",
        re.DOTALL,
    )


_STRONG = re.compile(r"[/\\:@?&#=]+")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_NUMBERED = re.compile(r"(?<![\d.])\d+(?:\.\d+)+")
_JOINED = re.compile(rf"[{_JOINERS}{DASHES}_,]")
# Letters with a mark are no borders, so that composed and decomposed text are cut alike.
_LOWER, _UPPER = "a-zа-ик-я", "A-ZА-ИК-Я"
_CAMEL = re.compile(
    rf"(?<=[{_LOWER}])(?=[{_UPPER}](?![\u0300-\u036f]))"
    rf"|(?<=[{_UPPER}])(?=[{_UPPER}][{_LOWER}](?![\u0300-\u036f]))"
)
_PLURAL_ACRONYM = re.compile(r"[A-ZА-ЯЁ]{2,}s")
_POSSESSIVE = frozenset(("'s", "’s", "'S", "’S"))


# --- pieces --------------------------------------------------------------------------------

_Span = tuple[str, int, int]
_Analysis = tuple[list[_Span], list[_Span]]


def _bigrams(run: str, offset: int) -> Iterator[_Span]:
    """Overlapping pairs of the characters of a run, by their places in the text."""
    characters: list[_Span] = []
    for match in _cluster().finditer(run):
        start, end = match.span()
        characters.extend((c, offset + start, offset + end) for c in fold(match.group()))
    if len(characters) == 1:
        yield characters[0]
    for (left, start, _), (right, _, end) in pairwise(characters):
        yield left + right, start, end


def _camel(word: str) -> list[str]:
    """The parts of ``camelCaseName``; one part for mRNA, iPhone and PhD, whose pieces are
    too short to be words."""
    if word.islower() or word[1:].islower() or word.isupper() or len(word) > MAX_WORD:
        return [word]
    if _PLURAL_ACRONYM.fullmatch(word):
        return [word]
    parts = _CAMEL.split(word)
    return parts if all(len(part) > 1 for part in parts) else [word]


def _pieces_by_script(run: str) -> list[str]:
    """A run cut into spaced (even) and unspaced (odd) scripts."""
    if run.isascii() or max(run) < "\u0e01":
        return [run]
    return _unspaced_run().split(run)


def _words(compound: str) -> _Analysis:
    """The folded words of a compound, and its camelCase words whole."""
    words: list[_Span] = []
    wholes: list[_Span] = []
    ascii_only = compound.isascii()
    for run in (_ASCII_RUN if ascii_only else _any_run()).finditer(compound):
        word = run.group()
        place, end = run.span()
        if ascii_only and (word.isdigit() or word.islower()):
            words.append((word, place, end))
            continue
        for number, piece in enumerate(_pieces_by_script(word)):
            if number % 2:
                words.extend(_bigrams(piece, place))
            elif piece:
                parts = _camel(piece)
                if len(parts) > 1:
                    wholes.append((fold(piece), place, place + len(piece)))
                at = place
                for part in parts:
                    if folded := fold(part):
                        words.append((folded, at, at + len(part)))
                    at += len(part)
            place += len(piece)
    return words, wholes


def _segments(compound: str) -> Iterator[tuple[int, int]]:
    """The parts of a compound that may be identifiers themselves, the whole first."""
    cuts = [0, *chain.from_iterable(m.span() for m in _STRONG.finditer(compound)), len(compound)]
    borders = list(zip(cuts[::2], cuts[1::2], strict=True))
    if len(borders) > 1:
        yield 0, len(compound)
        # mailto:ann@example.com: what follows a scheme is a whole of its own.
        if compound[borders[0][1]] == ":":
            yield borders[1][0], len(compound)
    for start, end in borders:
        yield start, end
        segment = compound[start:end]
        if "." in segment:
            if extension := _EXTENSION.search(segment):
                yield start, start + extension.start()
            for number in _NUMBERED.finditer(segment):
                yield start + number.start(), start + number.end()


def _identifiers(compound: str) -> list[_Span]:
    size = len(compound)
    if "." not in compound and size <= MAX_IDENTIFIER and not _STRONG.search(compound):
        written = compound.strip("_")
        return [(fold(written), 0, size)] if _JOINED.search(written) else []
    found: dict[str, _Span] = {}
    for start, end in _segments(compound):
        if 1 < end - start <= MAX_IDENTIFIER:
            written = compound[start:end].strip("_")
            if _JOINED.search(written):
                name = fold(written)
                if name not in found:
                    found[name] = (name, start, end)
    return list(found.values())


def _split(compound: str) -> _Analysis:
    """The folded words and the identifiers of a compound."""
    words, wholes = _words(compound)
    if not words or not _JOINED.search(compound):
        return words, wholes
    identifiers = _identifiers(compound)
    if wholes:
        known = {name for name, _, _ in identifiers}
        identifiers += [whole for whole in wholes if whole[0] not in known]
    return words, identifiers


def _compounds(piece: str) -> list[_Span]:
    """The compounds of a piece of text without white space."""
    if simple := _SIMPLE.fullmatch(piece):
        return [(simple.group(1), *simple.span(1))]
    pattern = _ASCII_COMPOUND if piece.isascii() else _any_compound()
    found = [(match.group(), *match.span()) for match in pattern.finditer(piece)]
    if "'" in piece or "’" in piece:
        # The s of "company's" is no word.
        return [
            (compound, start, end)
            for compound, start, end in found
            if end - start > 1 or start < 2 or piece[start - 1 : end] not in _POSSESSIVE
        ]
    return found


class Compound(NamedTuple):
    """A compound of a query as it was written, with its folded, unstemmed words."""

    written: str
    words: tuple[str, ...]
    identifiers: tuple[str, ...]


def compounds(text: str) -> list[Compound]:
    """The compounds of a text in order: what a query is made from."""
    found: list[Compound] = []
    for piece in text.split():
        for written, _, _ in _compounds(piece):
            words, identifiers = _split(written)
            if words:
                found.append(
                    Compound(
                        written,
                        tuple([word[0] for word in words]),
                        tuple([name[0] for name in identifiers]),
                    )
                )
    return found


class Lexicon(dict[str, tuple[str, ...]]):
    """The terms of every piece met so far in documents of one language; ``identifiers`` has
    the pieces that hold some, ``compounds`` the analyses that pieces are made of. All are
    dropped when they are full."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language
        self._latin = stemmer(language_for("latin", language))
        self.identifiers: dict[str, tuple[str, ...]] = {}
        self.compounds: dict[str, _Analysis] = {}

    def __missing__(self, piece: str) -> tuple[str, ...]:
        words, identifiers = self.analyse(piece)
        terms = tuple([word[0] for word in words])
        self[piece] = terms
        if identifiers:
            self.identifiers[piece] = tuple([identifier[0] for identifier in identifiers])
        return terms

    def analyse(self, piece: str) -> _Analysis:
        """The terms and the identifiers of a piece of text without white space."""
        terms: list[_Span] = []
        names: list[_Span] = []
        for compound, start, _ in _compounds(piece):
            analysis = self.compounds.get(compound)
            if analysis is None:
                analysis = self._analyse_compound(compound)
                self.compounds[compound] = analysis
            if start:
                terms += [(term, start + a, start + b) for term, a, b in analysis[0]]
                names += [(name, start + a, start + b) for name, a, b in analysis[1]]
            else:
                terms += analysis[0]
                names += analysis[1]
        return terms, names

    def _analyse_compound(self, compound: str) -> _Analysis:
        latin, language = self._latin, self.language
        if compound.isascii():
            if compound.isalpha() and len(_camel(compound)) == 1:
                return [(latin(compound.lower()[:MAX_WORD]), 0, len(compound))], []
            words, identifiers = _split(compound)
            return [(latin(word[:MAX_WORD]), a, b) for word, a, b in words], identifiers
        words, identifiers = _split(compound)
        return [(stem(word, language), a, b) for word, a, b in words], identifiers

    def trim(self) -> None:
        """Empties what is full; never in the middle of a text."""
        if len(self) > LEXICON_SIZE:
            self.clear()
            self.identifiers.clear()
        if len(self.compounds) > LEXICON_SIZE // 2:
            self.compounds.clear()


@cache
def lexicon(language: str) -> Lexicon:
    """The lexicon of a language in this process."""
    return Lexicon(language)


def index_terms(text: str, language: str) -> tuple[list[str], list[str]]:
    """The terms of a text, one per position, and its whole identifiers."""
    known = lexicon(language)
    known.trim()
    pieces = text.split()
    terms = list(chain.from_iterable(map(known.__getitem__, pieces)))
    whole = known.identifiers
    named = filter(whole.__contains__, pieces)
    return terms, list(chain.from_iterable(map(whole.__getitem__, named)))


_PIECE = re.compile(r"\S+")


def scan(text: str, language: str) -> Scan:
    """The same as ``index_terms``, with places in the text."""
    words: list[Token] = []
    identifiers: list[Token] = []
    known = lexicon(language)
    known.trim()
    for piece in _PIECE.finditer(text):
        offset = piece.start()
        terms, names = known.analyse(piece.group())
        first = len(words)
        for term, start, end in terms:
            words.append(Token(term, len(words), offset + start, offset + end))
        for name, start, end in names:
            position = first + sum(1 for _, begin, _ in terms if begin < start)
            identifiers.append(Token(name, position, offset + start, offset + end))
    return Scan(words, identifiers)


def tokens(text: str, language: str) -> list[Token]:
    """The terms of a text with their positions and places, without the identifiers."""
    return scan(text, language).words

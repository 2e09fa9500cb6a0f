"""Quantities in running text, English and Russian: money, shares, durations, dates, times, counts.

Each is brought to one unit of its kind, as a range: a month is 28 to 31 days, so that 30 days
and one month are near, while 14 days and two weeks are the same. Nothing is guessed from the
words around a number but the unit right beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal, NamedTuple

from wellread.quantity_words import (
    AFTERNOON,
    ALONE,
    CURRENCIES,
    DURATIONS,
    HALVES,
    MONTHS,
    MORNING,
    NOON,
    NUMBER_WORDS,
    ORDINALS,
    RHYTHMS,
    SCALES,
    SHARES,
    WORKING_DAYS,
    Range,
)
from wellread.windows import BEGINNING, beginnings

Kind = Literal["money", "percent", "duration", "date", "time", "count"]
Bound = Literal["exact", "at-most", "at-least"]

ANY_YEAR = 4
"""A day without a year is the same day of any year: of the year 4, which has 366."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """A quantity with its place in the text, half-open character offsets.

    ``low`` and ``high`` are in the unit of the kind: a currency's unit, percent, days, the
    ordinal of a date, things. ``unit`` is the currency, or what is counted, in lower case.
    """

    kind: Kind
    low: float
    high: float
    unit: str
    bound: Bound
    written: str
    start: int
    end: int


def same(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities of one kind may be the same: their ranges meet, and so do their
    units. Days without a year are the same in any year."""
    if one.kind != other.kind or (one.kind == "money" and one.unit != other.unit):
        return False
    if one.kind == "date" and one.unit != other.unit:
        if "day of the month" in (one.unit, other.unit):
            return False
        return _in_any_year(one) == _in_any_year(other)
    return one.low <= other.high and other.low <= one.high


def _in_any_year(one: Quantity) -> int:
    return date.fromordinal(int(one.low)).replace(year=ANY_YEAR).toordinal()


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text in their order; where readings overlap, the earlier kind holds."""
    spots = _spots(text)
    found: list[Quantity] = []
    for reading in (_dates, _times, _money, _percents, _durations, _counts):
        for quantity in reading(text, spots):
            if all(quantity.end <= one.start or quantity.start >= one.end for one in found):
                found.append(quantity)
    return sorted(found, key=lambda one: one.start)


class _Spots(NamedTuple):
    """Where quantities may begin: at a number or the sign of a currency, or at a word.
    Patterns are tried there alone: tried at every character, they take ten times as long."""

    numbers: list[int]
    words: list[int]
    all: list[int]


_WORD_OR_SIGN = re.compile(r"[$€£₽]|\w+")


def _spots(text: str) -> _Spots:
    numbers, words = _number_beginnings(), _word_beginnings()
    spots = _Spots([], [], [])
    for match in _WORD_OR_SIGN.finditer(text):
        word = match[0]
        beginning = word[:BEGINNING].casefold()
        is_number, is_word = word[0].isdigit() or beginning in numbers, beginning in words
        if is_number:
            spots.numbers.append(match.start())
        if is_word:
            spots.words.append(match.start())
        if is_number or is_word:
            spots.all.append(match.start())
    return spots


@cache
def _number_beginnings() -> frozenset[str]:
    return beginnings((*NUMBER_WORDS, "$", "€", "£", "₽", "us", "usd", "eur", "gbp", "rub"))


@cache
def _word_beginnings() -> frozenset[str]:
    first = re.compile(r"(?<![\w\\])[a-zа-яё]+", re.IGNORECASE)
    written = " ".join((ALONE, NOON, "twice дважды", *SHARES, *(f"пол{half}" for half in HALVES)))
    return beginnings((*RHYTHMS, *MONTHS, *ORDINALS, *first.findall(written)))


def _at(pattern: re.Pattern[str], text: str, spots: list[int]) -> Iterator[re.Match[str]]:
    """The matches that begin at one of the spots, none within another."""
    end = 0
    for spot in spots:
        if spot >= end and (match := pattern.match(text, spot)):
            yield match
            end = match.end()


# --- numbers -------------------------------------------------------------------------------

# Thousands are set apart by one sign throughout, or "10,000 180.5" would be one number.
_FIGURES = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?(?!\d)|\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?(?!\d)"
    r"|\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)"
    r"|\d{1,3}(?:'\d{3})+(?:\.\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?)"
)
_WORD = rf"(?:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})"
_WORDS = rf"\b{_WORD}(?:(?:-| (?:and )?){_WORD})*\b(?: and a half\b)?"
_NUMBER = rf"(?:{_FIGURES}|{_WORDS})"
_DASH = r"\s?(?:[-–—]|to|до)\s?"
_SCALE = "|".join(sorted(SCALES, key=len, reverse=True))
AT_MOST = tuple(
    f" {words}"
    for words in (
        "up to", "at most", "no more than", "not more than", "no later than", "not later than",
        "no longer than", "not longer than", "within", "maximum", "maximum of", "below", "under",
        "less than", "не более", "не позднее", "не позже", "не больше", "не дольше", "до",
        "в течение", "в пределах", "максимум", "менее", "меньше",
    )
)  # fmt: skip
AT_LEAST = tuple(
    f" {words}"
    for words in (
        "at least", "no less than", "not less than", "no fewer than", "not fewer than",
        "no earlier than", "not earlier than", "minimum", "minimum of", "over", "above",
        "more than", "from", "не менее", "не ранее", "не раньше", "не меньше", "от", "свыше",
        "более", "больше", "минимум",
    )
)  # fmt: skip
"""What stands before a quantity that is a bound."""


def number(written: str) -> float:
    """What a number is worth, be it in figures of either notation or in words."""
    word = written.strip().casefold()
    if word[0].isalpha():
        return _in_words(word)
    plain = re.sub(r"[ \u00a0\u202f']", "", word)
    grouped = re.fullmatch(r"(\d{1,3}(?:[.,]\d{3})+)([.,]\d{1,2})?", plain)
    if grouped:
        whole = re.sub(r"[.,]", "", grouped[1])
        return float(whole + (grouped[2] or "").replace(",", "."))
    return float(plain.replace(",", "."))


def _in_words(written: str) -> float:
    whole, half, _ = written.partition(" and a half")
    worth = 0.5 if half else 0.0
    for word in re.split(r"[- ]", whole):
        if word == "hundred" and worth:
            worth *= 100
        elif word != "and":
            worth += NUMBER_WORDS[word]
    return worth


def _bound(text: str, start: int) -> Bound:
    before = f" {' '.join(text[max(0, start - 32) : start].casefold().split())}"
    before = before.rstrip(" $€£₽").removesuffix(" чем")
    most = max((len(each) for each in AT_MOST if before.endswith(each)), default=0)
    least = max((len(each) for each in AT_LEAST if before.endswith(each)), default=0)
    # The longer one holds: "not more than" ends as "more than" does.
    return "at-most" if most > least else "at-least" if least else "exact"


# --- readings ------------------------------------------------------------------------------


@cache
def _money_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    signs = r"US\$|[$€£₽]|\b(?:USD|EUR|GBP|RUB)\b"
    names = "|".join(
        re.escape(name) for name in sorted(CURRENCIES, key=len, reverse=True) if name[0].isalpha()
    )
    scale = rf"(?:\s?(?P<scale>{_SCALE})\b\.?)?"
    return (
        re.compile(rf"(?P<unit>{signs})\s?(?P<number>{_FIGURES}){scale}", re.IGNORECASE),
        re.compile(
            rf"(?<![\w.,])(?P<number>{_NUMBER}){scale}\s?(?P<unit>[$€£₽]|\b(?:{names})\b\.?)",
            re.IGNORECASE,
        ),
    )


def _money(text: str, spots: _Spots) -> list[Quantity]:
    found = []
    for pattern in _money_patterns():
        for match in _at(pattern, text, spots.numbers):
            unit = CURRENCIES[match["unit"].casefold().rstrip(".")]
            worth = number(match["number"]) * SCALES.get((match["scale"] or "").casefold(), 1)
            found.append(_quantity("money", (worth, worth), unit, text, match))
    return found


@cache
def _percent_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.,])(?P<number>{_NUMBER})(?:{_DASH}(?P<upto>{_FIGURES}))?\s?"
        r"(?:%|per ?cent\b|процент(?:а|ов|у)?\b)",
        re.IGNORECASE,
    )


@cache
def _share_patterns() -> tuple[tuple[re.Pattern[str], float], ...]:
    return tuple(
        (re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE), worth)
        for words, worth in SHARES.items()
    )


def _percents(text: str, spots: _Spots) -> list[Quantity]:
    found = [
        _quantity("percent", _numbers(match), "%", text, match)
        for match in _at(_percent_pattern(), text, spots.numbers)
    ]
    for pattern, worth in _share_patterns():
        # A third is 33 % as people write it.
        span = (int(worth), worth)
        found += [
            _quantity("percent", span, "%", text, one) for one in _at(pattern, text, spots.words)
        ]
    return found


@cache
def _duration_pattern() -> re.Pattern[str]:
    units = "|".join(
        f"(?P<u{at}>{unit})" for at, unit in enumerate((WORKING_DAYS, *(u for u, _ in DURATIONS)))
    )
    return re.compile(
        rf"(?<![\w.,$€£₽])(?:(?P<number>{_NUMBER})(?:\s?\(\s?\w+\s?\))?"
        rf"(?:{_DASH}(?P<upto>{_NUMBER}))?[\s\u00a0-]?|\b(?P<alone>{ALONE}) "
        rf"|\b(?:(?P<twice>twice|дважды)|(?P<times>{_NUMBER}) (?:times|раза?))"
        r" (?:an?|per|each|every|в) )"
        rf"(?:{units})(?!\w)",
        re.IGNORECASE,
    )


@cache
def _rhythm_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:(?P<rhythm>{'|'.join(RHYTHMS)})|пол(?P<half>{'|'.join(HALVES)}))\b", re.IGNORECASE
    )


def _durations(text: str, spots: _Spots) -> list[Quantity]:
    found = []
    for match in _at(_duration_pattern(), text, spots.all):
        at = next(at for at in range(len(DURATIONS) + 1) if match[f"u{at}"])
        if match["twice"] or match["times"]:
            low = 0.5 if match["twice"] else 1 / max(number(match["times"]), 1)
        elif match["alone"]:
            low = 0.5 if "half" in match["alone"].casefold() else 1.0
        else:
            low = number(match["number"])
        high = number(match["upto"]) if match["upto"] else low
        if at == 0:
            span = (low, high * 7 / 5 + 2)
        else:
            shortest, longest = DURATIONS[at - 1][1]
            span = (low * shortest, high * longest)
        found.append(_quantity("duration", span, "days", text, match))
    for match in _at(_rhythm_pattern(), text, spots.words):
        if match["rhythm"]:
            span = RHYTHMS[match["rhythm"].casefold()]
        else:
            shortest, longest = HALVES[match["half"].casefold()]
            span = (shortest / 2, longest / 2)
        found.append(_quantity("duration", span, "days", text, match))
    return found


@cache
def _time_pattern() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w.,:])(?:(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?![\d:])"
        r"(?:\s?(?P<half>[ap]m\b))?"
        rf"|(?P<number>{_NUMBER})(?: ?час(?:а|ов)?)? ?(?:(?P<late>{AFTERNOON})|{MORNING})(?!\w)"
        rf"|(?P<noon>{NOON})(?!\w))",
        re.IGNORECASE,
    )


def _times(text: str, spots: _Spots) -> list[Quantity]:
    found = []
    for match in _at(_time_pattern(), text, spots.all):
        hour, minute, late = 12.0, 0.0, False
        if match["hour"]:
            hour, minute = float(match["hour"]), float(match["minute"])
            late = (match["half"] or "").casefold() == "pm"
        elif match["number"]:
            hour, late = number(match["number"]), bool(match["late"])
        if hour > 24:
            continue
        hour += (12 if late and hour < 12 else 0) + minute / 60
        found.append(_quantity("time", (hour, hour), "hour", text, match))
    return found


@cache
def _date_pattern() -> re.Pattern[str]:
    names = "|".join(sorted(MONTHS, key=len, reverse=True))
    return re.compile(
        r"(?<![\w.])(?:(?P<iso>\d{4}-\d{2}-\d{2})|(?P<dotted>\d{1,2}\.\d{1,2}\.\d{4})"
        rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{names})\.?"
        r"(?:,? (?P<year>\d{4}))?"
        rf"|(?P<month2>{names})\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b"
        r"(?:,? (?P<year2>\d{4}))?)(?!\w)",
        re.IGNORECASE,
    )


@cache
def _day_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:(?P<day>\d{{1,2}})(?:-?(?:го|е|ого)|st|nd|rd|th)?|(?P<word>{'|'.join(ORDINALS)}))"
        r"(?: числа| of (?:each|every|the) (?:following |next )?month)\b",
        re.IGNORECASE,
    )


def _dates(text: str, spots: _Spots) -> list[Quantity]:
    found = []
    for match in _at(_date_pattern(), text, spots.all):
        if match["iso"]:
            year, month, day = map(int, match["iso"].split("-"))
        elif match["dotted"]:
            day, month, year = map(int, match["dotted"].split("."))
        else:
            day = int(match["day"] or match["day2"])
            month = MONTHS[(match["month"] or match["month2"]).casefold()]
            year = int(match["year"] or match["year2"] or 0)
        try:
            ordinal = date(year or ANY_YEAR, month, day).toordinal()
        except ValueError:
            continue
        unit = "date" if year else "day of the year"
        found.append(_quantity("date", (ordinal, ordinal), unit, text, match))
    for match in _at(_day_pattern(), text, spots.all):
        day = int(match["day"]) if match["day"] else ORDINALS[match["word"].casefold()]
        found.append(_quantity("date", (day, day), "day of the month", text, match))
    return found


@cache
def _count_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.,$€£₽#№/-])(?P<number>{_NUMBER})(?:{_DASH}(?P<upto>{_FIGURES}))?"
        r"[ \u00a0](?:of )?(?P<unit>[^\W\d_]{3,})",
        re.IGNORECASE,
    )


def _counts(text: str, spots: _Spots) -> list[Quantity]:
    return [
        _quantity("count", _numbers(match), match["unit"].casefold(), text, match)
        for match in _at(_count_pattern(), text, spots.numbers)
    ]


_BARE = re.compile(
    rf"(?:[—–:]|\band|\bto|\bи|\bа) ?(?P<number>{_NUMBER})(?=[.,;)]|\s*$)", re.IGNORECASE
)


def elided(text: str, end: int, found: Sequence[Quantity]) -> list[Quantity]:
    """Numbers without a unit after one of the only kind that a sentence, which ends
    at ``end``, speaks of: «30 % с продажи, с продления — 20»."""
    kinds = {(one.kind, one.unit) for one in found}
    more: list[Quantity] = []
    if len(kinds) != 1 or found[0].kind not in ("money", "percent"):
        return more
    ((kind, unit),) = kinds
    for match in _BARE.finditer(text, found[0].start, end):
        first, last = match.span("number")
        if all(last <= one.start or first >= one.end for one in found):
            worth = number(match["number"])
            more.append(
                Quantity(
                    kind=kind, low=worth, high=worth, unit=unit, bound=_bound(text, first),
                    written=match["number"], start=first, end=last,
                )
            )  # fmt: skip
    return more


def _numbers(match: re.Match[str]) -> Range:
    """A number, or two of them with a dash between."""
    low = number(match["number"])
    return low, number(match["upto"]) if match["upto"] else low


def _quantity(kind: Kind, span: Range, unit: str, text: str, match: re.Match[str]) -> Quantity:
    return Quantity(
        kind=kind,
        low=min(span),
        high=max(span),
        unit=unit,
        bound=_bound(text, match.start()),
        written=" ".join(match[0].split()),
        start=match.start(),
        end=match.end(),
    )

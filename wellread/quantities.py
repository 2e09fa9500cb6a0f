"""Quantities in running text, English and Russian: money, shares, durations, dates, counts.

Each is brought to one unit of its kind, as a range: a month is 28 to 31 days, so that 30 days
and one month are near, while 14 days and two weeks are the same. Nothing is guessed from the
words around a number but the unit right beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal

Kind = Literal["money", "percent", "duration", "date", "count"]
Bound = Literal["exact", "at-most", "at-least"]

NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fourteen": 14, "fifteen": 15,
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
    "hundred": 100, "один": 1, "одна": 1, "одного": 1, "одной": 1, "одну": 1, "два": 2, "две": 2,
    "двух": 2, "три": 3, "трех": 3, "трёх": 3, "четыре": 4, "четырех": 4, "четырёх": 4,
    "пять": 5, "пяти": 5, "шесть": 6, "шести": 6, "семь": 7, "семи": 7, "восемь": 8,
    "восьми": 8, "девять": 9, "девяти": 9, "десять": 10, "десяти": 10, "двенадцать": 12,
    "двенадцати": 12, "четырнадцать": 14, "четырнадцати": 14, "пятнадцать": 15,
    "пятнадцати": 15, "двадцать": 20, "двадцати": 20, "тридцать": 30, "тридцати": 30,
    "сорок": 40, "сорока": 40, "пятьдесят": 50, "пятидесяти": 50, "шестьдесят": 60,
    "шестидесяти": 60, "девяносто": 90, "сто": 100, "ста": 100,
}  # fmt: skip
"""Numbers that policies write out. A lone article is no number."""

CURRENCIES = {
    "$": "USD", "usd": "USD", "us$": "USD", "dollar": "USD", "dollars": "USD", "bucks": "USD",
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "евро": "EUR",
    "£": "GBP", "gbp": "GBP", "pound": "GBP", "pounds": "GBP",
    "₽": "RUB", "rub": "RUB", "р": "RUB", "руб": "RUB", "рубль": "RUB", "рубля": "RUB",
    "рублей": "RUB", "рублям": "RUB", "рублях": "RUB", "рублями": "RUB", "roubles": "RUB",
    "rubles": "RUB", "доллар": "USD", "доллара": "USD", "долларов": "USD", "долларам": "USD",
}  # fmt: skip

SCALES = {
    "k": 1e3, "thousand": 1e3, "тыс": 1e3, "тысяч": 1e3, "тысяча": 1e3, "тысячи": 1e3,
    "тысячу": 1e3, "m": 1e6, "mn": 1e6, "mln": 1e6, "million": 1e6, "млн": 1e6,
    "миллион": 1e6, "миллиона": 1e6, "миллионов": 1e6, "bn": 1e9, "billion": 1e9, "млрд": 1e9,
}  # fmt: skip

Range = tuple[float, float]

# Days: the Gregorian calendar's shortest and longest month, quarter and year; a working week
# has five days of seven, and a stretch of working days may meet one week-end more.
_HOUR: Range = (1 / 24, 1 / 24)
_DAY: Range = (1, 1)
_WEEK: Range = (7, 7)
_MONTH: Range = (28, 31)
_QUARTER: Range = (90, 92)
_YEAR: Range = (365, 366)
_MINUTE: Range = (1 / 1440, 1 / 1440)
DURATIONS: tuple[tuple[str, Range], ...] = (
    (r"minutes?|mins?|минут[аыу]?|мин\.", _MINUTE),
    (r"hours?|hrs?|час(?:а|ов|у)?|ч\.", _HOUR),
    (r"(?:calendar )?days?|(?:календарн\w+ )?(?:дн(?:я|ей|и|ям|ях)|день|сут(?:ки|ок))", _DAY),
    (r"weeks?|недел(?:я|и|ь|ю)", _WEEK),
    (r"months?|месяц(?:а|ев|ам)?|мес\.", _MONTH),
    (r"quarters?|квартал(?:а|ов)?", _QUARTER),
    (r"years?|год(?:а|у)?|лет", _YEAR),
)
WORKING_DAYS = r"(?:working|business) days?|(?:рабоч\w+|банковск\w+) (?:дн(?:я|ей|и)|день)"

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan января январь", "february feb февраля февраль",
            "march mar марта март", "april apr апреля апрель", "may мая май",
            "june jun июня июнь", "july jul июля июль", "august aug августа август",
            "september sep sept сентября сентябрь", "october oct октября октябрь",
            "november nov ноября ноябрь", "december dec декабря декабрь",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip


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
    units."""
    if one.kind != other.kind or (one.kind == "money" and one.unit != other.unit):
        return False
    return one.low <= other.high and other.low <= one.high


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text in their order; where readings overlap, the longer holds."""
    found: list[Quantity] = []
    for reading in (_dates, _money, _percents, _durations, _counts):
        for quantity in reading(text):
            if all(quantity.end <= one.start or quantity.start >= one.end for one in found):
                found.append(quantity)
    return sorted(found, key=lambda one: one.start)


# --- numbers -------------------------------------------------------------------------------

_FIGURES = r"\d{1,3}(?:[ \u00a0\u202f,.']\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?"
_WORDS = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_NUMBER = rf"(?:{_FIGURES}|\b(?:{_WORDS})\b)"
_DASH = r"\s?(?:[-–—]|to|до)\s?"
_SCALE = "|".join(sorted(SCALES, key=len, reverse=True))
_AT_MOST = re.compile(
    r"(?:up to|at most|not? (?:more|later|longer) than|within|maximum(?: of)?|below|under|less than"
    r"|не (?:более|позднее|позже|больше|дольше)(?: чем)?|до|в течение|максимум|менее|меньше)"
    r"\s*(?:чем )?(?:[$€£₽]\s?)?$",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"(?:at least|not? (?:less|fewer|earlier) than|minimum(?: of)?|over|above|more than|from"
    r"|не (?:менее|ранее|раньше|меньше)(?: чем)?|от|свыше|более|больше|минимум)"
    r"\s*(?:чем )?(?:[$€£₽]\s?)?$",
    re.IGNORECASE,
)


def number(written: str) -> float:
    """What a number is worth, be it in figures of either notation or in words."""
    word = written.strip().casefold()
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    plain = re.sub(r"[ \u00a0\u202f']", "", word)
    grouped = re.fullmatch(r"(\d{1,3}(?:[.,]\d{3})+)([.,]\d{1,2})?", plain)
    if grouped:
        whole = re.sub(r"[.,]", "", grouped[1])
        return float(whole + (grouped[2] or "").replace(",", "."))
    return float(plain.replace(",", "."))


def _bound(text: str, start: int) -> Bound:
    before = text[max(0, start - 32) : start]
    if _AT_MOST.search(before):
        return "at-most"
    return "at-least" if _AT_LEAST.search(before) else "exact"


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


def _money(text: str) -> list[Quantity]:
    found = []
    for pattern in _money_patterns():
        for match in pattern.finditer(text):
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


def _percents(text: str) -> list[Quantity]:
    found = []
    for match in _percent_pattern().finditer(text):
        low = number(match["number"])
        high = number(match["upto"]) if match["upto"] else low
        found.append(_quantity("percent", (low, high), "%", text, match))
    return found


@cache
def _duration_pattern() -> re.Pattern[str]:
    units = "|".join(
        f"(?P<u{at}>{unit})" for at, unit in enumerate((WORKING_DAYS, *(u for u, _ in DURATIONS)))
    )
    return re.compile(
        rf"(?<![\w.,$€£₽])(?P<number>{_NUMBER})(?:\s?\(\s?\w+\s?\))?(?:{_DASH}(?P<upto>{_NUMBER}))?"
        rf"[\s\u00a0-]?(?:{units})(?!\w)",
        re.IGNORECASE,
    )


def _durations(text: str) -> list[Quantity]:
    found = []
    for match in _duration_pattern().finditer(text):
        at = next(at for at in range(len(DURATIONS) + 1) if match[f"u{at}"])
        low = number(match["number"])
        high = number(match["upto"]) if match["upto"] else low
        if at == 0:
            span = (low, high * 7 / 5 + 2)
        else:
            shortest, longest = DURATIONS[at - 1][1]
            span = (low * shortest, high * longest)
        found.append(_quantity("duration", span, "days", text, match))
    return found


@cache
def _date_pattern() -> re.Pattern[str]:
    names = "|".join(sorted(MONTHS, key=len, reverse=True))
    return re.compile(
        r"(?<![\w.])(?:(?P<iso>\d{4}-\d{2}-\d{2})|(?P<dotted>\d{1,2}\.\d{1,2}\.\d{4})"
        rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?P<month>{names})\.?(?:,? (?P<year>\d{{4}}))?"
        rf"|(?P<month2>{names})\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b"
        r"(?:,? (?P<year2>\d{4}))?)(?!\w)",
        re.IGNORECASE,
    )


def _dates(text: str) -> list[Quantity]:
    found = []
    for match in _date_pattern().finditer(text):
        if match["iso"]:
            year, month, day = map(int, match["iso"].split("-"))
        elif match["dotted"]:
            day, month, year = map(int, match["dotted"].split("."))
        else:
            day = int(match["day"] or match["day2"])
            month = MONTHS[(match["month"] or match["month2"]).casefold()]
            year = int(match["year"] or match["year2"] or 0)
        try:
            # A day without a year is the same day of any year: of the year 4, which has 366.
            ordinal = date(year or 4, month, day).toordinal()
        except ValueError:
            continue
        unit = "date" if year else "day of the year"
        found.append(_quantity("date", (ordinal, ordinal), unit, text, match))
    return found


@cache
def _count_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.,$€£₽#№/-])(?P<number>{_NUMBER})(?:{_DASH}(?P<upto>{_FIGURES}))?"
        r"[ \u00a0](?P<unit>[^\W\d_]{3,})",
        re.IGNORECASE,
    )


def _counts(text: str) -> list[Quantity]:
    found = []
    for match in _count_pattern().finditer(text):
        low = number(match["number"])
        high = number(match["upto"]) if match["upto"] else low
        found.append(_quantity("count", (low, high), match["unit"].casefold(), text, match))
    return found


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

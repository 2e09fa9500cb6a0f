"""Dates and periods as authors write them."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ].*)?", re.DOTALL)
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_NAMED = re.compile(r"(?:(\d{1,2})\s+)?([A-Za-z]{3,9})\.?(?:\s+(\d{1,2}))?,?\s+(\d{4})")
_PERIOD = re.compile(r"(\d{1,4})\s*-?\s*([^\W\d_]+)\.?")
_ISO_PERIOD = re.compile(r"P(\d{1,4})([DWMY])", re.IGNORECASE)
_UNITS = {
    "D": ("d", "day", "days", "день", "дня", "дней"),
    "W": ("w", "week", "weeks", "неделя", "недели", "неделю", "недель"),
    "M": ("m", "month", "months", "mo", "месяц", "месяца", "месяцев"),
    "Y": ("y", "year", "years", "yr", "год", "года", "лет"),
}
_UNIT = {word: unit for unit, words in _UNITS.items() for word in words}
_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name} | {
    name.lower(): number for number, name in enumerate(calendar.month_abbr) if name
}


def read_date(text: str) -> date | None:
    """``2026-03-02`` (a time of day is dropped), ``2026/03/02``, ``02.03.2026``,
    ``2 March 2026`` or ``March 2, 2026``; ``None`` for anything else."""
    text = text.strip()
    try:
        if found := _ISO.fullmatch(text):
            return date(int(found[1]), int(found[3]), int(found[4]))
        if found := _DAY_FIRST.fullmatch(text):
            return date(int(found[3]), int(found[2]), int(found[1]))
        if found := _NAMED.fullmatch(text):
            month = _MONTHS.get(found[2].lower())
            day = found[1] or found[3]
            if month and day and not (found[1] and found[3]):
                return date(int(found[4]), month, int(day))
    except ValueError:  # 31 February
        return None
    return None


def read_period(text: str) -> tuple[int, str] | None:
    """A number and ``D``, ``W``, ``M`` or ``Y`` from ``6 months``, ``90d``, ``P1Y`` or
    «6 месяцев»; ``None`` for anything else."""
    text = text.strip()
    if found := _ISO_PERIOD.fullmatch(text):
        return int(found[1]), found[2].upper()
    found = _PERIOD.fullmatch(text)
    unit = _UNIT.get(found[2].lower()) if found else None
    return (int(found[1]), unit) if found and unit else None


def add_period(start: date, period: tuple[int, str]) -> date | None:
    """The day that much later, the month's last where it is shorter; ``None`` past year 9999."""
    number, unit = period
    try:
        if unit in ("D", "W"):
            return start + timedelta(days=number * (7 if unit == "W" else 1))
        months = start.year * 12 + start.month - 1 + number * (12 if unit == "Y" else 1)
        year, month = divmod(months, 12)
        day = min(start.day, calendar.monthrange(year, month + 1)[1])
        return date(year, month + 1, day)
    except (ValueError, OverflowError):
        return None

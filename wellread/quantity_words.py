"""The words of quantities in English and Russian: numbers, currencies, units, months, shares."""

from __future__ import annotations

NUMBER_WORDS = {
    word: worth
    for worth, words in {
        1: "one single один одна одно одного одной одну одному",
        1.5: "полтора полторы полутора",
        2: "two couple два две двух двумя двум пара пары пару",
        3: "three три трех трёх тремя трем",
        4: "four четыре четырех четырёх четырьмя",
        5: "five пять пяти пятью", 6: "six шесть шести шестью", 7: "seven семь семи семью",
        8: "eight восемь восьми", 9: "nine девять девяти", 10: "ten десять десяти десятью",
        11: "eleven одиннадцать одиннадцати", 12: "twelve dozen двенадцать двенадцати дюжина",
        13: "thirteen тринадцать тринадцати", 14: "fourteen четырнадцать четырнадцати",
        15: "fifteen пятнадцать пятнадцати", 16: "sixteen шестнадцать шестнадцати",
        17: "seventeen семнадцать семнадцати", 18: "eighteen восемнадцать восемнадцати",
        19: "nineteen девятнадцать девятнадцати", 20: "twenty двадцать двадцати",
        30: "thirty тридцать тридцати", 40: "forty сорок сорока",
        50: "fifty пятьдесят пятидесяти", 60: "sixty шестьдесят шестидесяти",
        70: "seventy семьдесят семидесяти", 80: "eighty восемьдесят восьмидесяти",
        90: "ninety девяносто девяноста", 100: "hundred сто ста", 200: "двести двухсот",
        300: "триста трехсот трёхсот", 400: "четыреста четырехсот", 500: "пятьсот пятисот",
        600: "шестьсот шестисот", 700: "семьсот семисот", 800: "восемьсот восьмисот",
        900: "девятьсот девятисот",
    }.items()
    for word in words.split()
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
    (r"fortnights?", (14, 14)),
    (r"weeks?|недел(?:я|и|ь|ю)", _WEEK),
    (r"months?|месяц(?:а|ев|ам)?|мес\.", _MONTH),
    (r"quarters?|квартал(?:а|ов)?", _QUARTER),
    (r"years?|год(?:а|у)?|лет", _YEAR),
)
ALONE = (
    r"(?:with)?in an?|after an?|for an?|every|each|once (?:an?|every|per)|(?:for )?half an?"
    r"|через|за(?= \w+ (?:до|перед))|спустя|на|в течение|кажд\w+|раз в"
)
"""Words after which a unit alone is a duration of one, or a half, of it."""

RHYTHMS = {
    "hourly": _HOUR, "daily": _DAY, "weekly": _WEEK, "monthly": _MONTH, "quarterly": _QUARTER,
    "yearly": _YEAR, "annually": _YEAR, "ежечасно": _HOUR, "ежедневно": _DAY,
    "еженедельно": _WEEK, "ежемесячно": _MONTH, "ежеквартально": _QUARTER, "ежегодно": _YEAR,
}  # fmt: skip
HALVES = {"час": _HOUR, "года": _YEAR, "месяца": _MONTH, "дня": _DAY}
"""What пол- is put before: полгода."""

SHARES = {
    r"half(?: of| the)\b|one half\b|половин[ауыой]+": 50,
    r"(?:a|one) third\b|треть|трети|третью": 100 / 3,
    r"(?:a|one) quarter of\b|четверть|четверти|четвертью": 25,
    r"(?:a|one) fifth\b|пят(?:ая|ую|ой) част[ьи]": 20,
    r"(?:a|one) tenth of\b|десят(?:ая|ую|ой) част[ьи]": 10,
}
"""Shares that are said in words, in percent."""

ORDINALS = {
    word: day
    for day, words in {
        1: "first первого", 2: "second второго", 3: "third третьего", 5: "fifth пятого",
        10: "tenth десятого", 15: "fifteenth пятнадцатого", 20: "twentieth двадцатого",
        25: "twenty-fifth", 30: "тридцатого",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Days of a month that are written out."""

NOON = r"noon|midday|полдень|полудня"
AFTERNOON = r"in the (?:afternoon|evening)|p\.?m\b\.?|дня|вечера"
MORNING = r"in the morning|a\.?m\b\.?|утра|ночи"

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

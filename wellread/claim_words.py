"""The words by which claims are told apart: what speaks of the sentence before, what names the
case a claim is made for, and what says little. English and Russian."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from wellread.terms import tokens

BACKWARD = (
    r"it|its|they|them|their|this|these|those|such|he|she|his|her|the same"
    r"|он|она|оно|они|его|её|ее|их|им|ей|ему|это|этот|эту|эти|этим|такой|такие|таков|там|тогда"
)
"""Words among the first of a sentence that speak of the sentence before."""

HEADS = (
    "plan tier tariff edition package level customer client employee contractor partner region "
    "country entity office site subsidiary system environment team staff contract account "
    "billing license priority severity class grade "
    "тариф план пакет редакция уровень клиент заказчик сотрудник работник подрядчик партнёр "
    "регион страна юрлицо офис площадка филиал система среда договор контракт оплата лицензия "
    "приоритет категория класс грейд учреждение заведение"
)
"""What comes in kinds: the word before one of these names the kind."""

CONTRASTS: tuple[tuple[str, ...], ...] = (
    (
        (
            r"(?:bill|pa[iy])\w* (?:by the month|monthly)|monthly (?:bill|pay|plan)\w*"
            r"|помесячн\w+|ежемесячн\w+ оплат\w+|месячн\w+ (?:тариф|оплат|подписк)\w*"
        ),
        r"annual|annually|yearly|by the year|годов\w+|на год|за год вперёд",
    ),
    (
        r"intern(?:s|ship)?|trainees?|стаж[её]р\w*",
        r"staff|permanent|managers?|штатн\w+|постоянн\w+",
    ),
    (
        r"contractors?|freelancers?|подрядчик\w*|самозанят\w+",
        r"employees?|сотрудник\w*|работник\w*",
    ),
    (r"full[- ]time|полн\w+ (?:день|дня|ставк\w+)", r"part[- ]time|неполн\w+|частичн\w+|полставки"),
    (r"internal(?:ly)?|внутренн\w+", r"external(?:ly)?|public|внешн\w+|публичн\w+"),
    (
        r"domestic(?:ally)?|(?:inside|within) the country|внутри страны|по россии",
        r"abroad|international\w*|overseas|за границ\w+|зарубеж\w+",
    ),
    (
        r"new (?:customer|client)s?|нов\w+ (?:клиент|заказчик)\w*",
        r"existing|renewals?|действующ\w+|постоянн\w+",
    ),
    (r"production|prod|боев\w+", r"staging|test|sandbox|тестов\w+"),
    (r"weekdays?|working days|будн\w+", r"weekends?|holidays?|выходн\w+|праздничн\w+"),
    (
        r"consumers?|private individuals?|физическ\w+|физлиц\w*",
        r"compan(?:y|ies)|business customers?|юридическ\w+|юрлиц\w*",
    ),
    (r"juniors?|младш\w+", r"seniors?|старш\w+"),
    (r"digital|software|электронн\w+", r"physical|hardware|paper|бумажн\w+"),
)
"""Cases that exclude each other, a regular expression for each."""

LIGHT = (
    "person people everyone each every per year month week day hour time company employee we our "
    "within after before until around under below above less more least most also still even "
    "enough "
    "customer page get give need apply use work make take new first last "
    "человек каждый год месяц неделя день час раз время компания сотрудник клиент наш свой "
    "после течение пределы не позднее более менее больше меньше также достаточно "
    "получать давать нужный новый первый последний рабочий"
)
"""Words that say little of what is spoken of: they stand in sentences about anything."""


@cache
def stems_of(words: str, language: str) -> frozenset[str]:
    """The terms of a list of words in a document of a language."""
    return frozenset(root(one.term) for one in tokens(words, language))


ROOT = 6
"""Letters of a term that count: a stemmer leaves привилегия and привилегированный apart."""


def root(term: str) -> str:
    """What a term has in common with its kin: its first letters, ц read as ч (месяц, месячный)."""
    return term[:ROOT].replace("ц", "ч")


@cache
def light() -> frozenset[str]:
    """The terms that say little of what is spoken of."""
    return stems_of(LIGHT, "en") | stems_of(LIGHT, "ru")


@cache
def _contrasts() -> tuple[tuple[re.Pattern[str], ...], ...]:
    return tuple(
        tuple(re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for words in group)
        for group in CONTRASTS
    )


@lru_cache(maxsize=4096)
def cases(sentence: str) -> frozenset[tuple[int, int]]:
    """The cases of ``CONTRASTS`` that a sentence names: group and member."""
    return frozenset(
        (at, to)
        for at, group in enumerate(_contrasts())
        for to, pattern in enumerate(group)
        if pattern.search(sentence)
    )

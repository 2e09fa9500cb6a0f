"""What a text claims: each quantity and permission in it, with what it is said of, in terms.
English and Russian; no model."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from wellread.languages import detect_language
from wellread.permissions import Permission, answered, permissions
from wellread.quantities import Quantity, quantities
from wellread.stems import function_terms
from wellread.terms import tokens

Terms = frozenset[str]

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
        r"(?:billed|paid|pay(?:ing|ment)?|billing) (?:by the month|monthly)|monthly (?:bill|pay|plan)\w*"
        r"|помесячн\w+|ежемесячн\w+ оплат\w+|на месячном|месячн\w+ (?:тариф|оплат|подписк)\w*",
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
        r"domestic(?:ally)?|внутри страны|по россии",
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
    "within after before until around under below above less more least most also still even enough "
    "customer page get give need apply use work make take new first last "
    "человек каждый год месяц неделя день час раз время компания сотрудник клиент наш свой "
    "после течение пределы не позднее более менее больше меньше также достаточно "
    "получать давать нужный новый первый последний рабочий"
)
"""Words that say little of what is spoken of: they stand in sentences about anything."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A value with what it is said of. Places are character offsets into the text, of the
    sentence. ``clause`` holds the terms of the clause, ``terms`` those of the sentence,
    ``inherited`` those of the sentence that it refers back to, ``around`` those of its neighbours, ``kinds`` those that name the
    case it is said for. ``condition`` holds the terms that a permission hangs on."""

    sentence: str
    start: int
    end: int
    value: str
    clause: Terms
    terms: Terms
    inherited: Terms
    around: Terms
    kinds: Terms
    quantity: Quantity | None = None
    unit: Terms = frozenset()
    permission: Permission | None = None
    condition: Terms = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Claims:
    """The claims of a text, and the terms of its title and of all of it."""

    language: str
    title: Terms
    terms: Terms
    claims: tuple[Claim, ...]


_BOUNDARY = re.compile(
    r"[.!?…]+[»\"”')\]*_]*\s+(?=[\"«“(\[*_—–-]*\s?[A-ZА-ЯЁ0-9$€£₽])"
    r"|\n(?=\s*(?:\n|[-*+|>#]|\d+[.)]\s))|\n[ \t]*\n"
)
_CLAUSE = re.compile(
    r"[;:()|]|,(?!\d)| [—–-] |\s(?:and|but|while|unless|if|when|и|а|но|если|когда)\s", re.IGNORECASE
)
_BACKWARD = re.compile(rf"(?:\W*\w+){{0,2}}?\W*\b(?:{BACKWARD})\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[\w,;:)] )[«\"“]?[A-ZА-ЯЁ][\w-]+|[«\"“][A-ZА-ЯЁ][\w-]+")


@lru_cache(maxsize=2048)
def claims(text: str, title: str = "", language: str | None = None) -> Claims:
    """What a text claims. A passage is read once, however many questions it bears on."""
    spoken = language or detect_language(text)
    words = _Words(text, spoken)
    named = _Words(title, spoken).among(0, len(title))
    spans = list(_sentences(text))
    bags = [words.among(*span) for span in spans]
    found: list[Claim] = []
    before: Terms = frozenset()
    asked = False
    for at, (start, end) in enumerate(spans):
        written = text[start:end]
        question = written.rstrip("»\"”') ").endswith("?")
        own = bags[at]
        short = len(own) < 2
        inherited = before if asked or short or _BACKWARD.match(written) else frozenset[str]()
        if not question:
            near = frozenset().union(*bags[max(0, at - 1) : at + 2])
            found += _of_sentence(words, (start, end), inherited, near, named, asked)
        before, asked = (own if not short else own | inherited), question
    return Claims(
        language=spoken, title=named, terms=words.among(0, len(text)) | named, claims=tuple(found)
    )


def _of_sentence(
    words: _Words, span: tuple[int, int], inherited: Terms, near: Terms, title: Terms, asked: bool
) -> Iterator[Claim]:
    start, end = span
    written = words.text[start:end]
    values, said = quantities(written), permissions(written)
    answer = answered(written) if asked else None
    if not (values or said or answer):
        return
    sentence = " ".join(written.split())
    taken = [(one.start + start, one.end + start) for one in (*values, *said)]
    cuts = [start, *(start + one.start() for one in _CLAUSE.finditer(written)), end]
    kinds = words.kinds(start, end, title)
    subject = words.among(start, end, but=taken)

    def clause(place: int) -> Terms:
        at = bisect_left(cuts, place + start + 1)
        return words.among(cuts[at - 1], cuts[at], but=taken)

    for value in values:
        unit = frozenset[str]()
        if value.kind == "count":
            unit = words.among(value.end + start - len(value.unit), value.end + start)
            if not unit:
                continue
        yield Claim(
            sentence=sentence, start=start, end=end, value=value.written,
            clause=clause(value.start) | unit, terms=subject | unit, inherited=inherited,
            around=near, kinds=kinds,
            quantity=value, unit=unit,
        )  # fmt: skip
    if answer is not None:
        yield Claim(
            sentence=sentence, start=start, end=end, value=answer.written,
            clause=subject, terms=subject, inherited=inherited, around=near, kinds=kinds, permission=answer.name,
        )  # fmt: skip
        return
    for one in said:
        hangs = one.condition and (one.condition + start, _next(cuts, one.condition + start))
        yield Claim(
            sentence=sentence, start=start, end=end, value=one.written, clause=clause(one.start),
            terms=subject, inherited=inherited, around=near, kinds=kinds, permission=one.name,
            condition=words.among(*hangs) if hangs else frozenset(),
        )  # fmt: skip


def _next(cuts: Sequence[int], place: int) -> int:
    return next(cut for cut in cuts if cut > place or cut == cuts[-1])


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _BOUNDARY.finditer(text):
        end = match.end()
        if text[start:end].strip():
            yield start, start + len(text[start:end].rstrip())
        start = end
    if text[start:].strip():
        yield start, start + len(text[start:].rstrip())


class _Words:
    """The content terms of a text by their places."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self._language = language
        function = function_terms(language)
        self._found = [
            (one.start, one.end, root(one.term))
            for one in tokens(text, language)
            if one.term not in function and len(one.term) > 1 and not one.term.isdigit()
        ]
        self._starts = [start for start, _, _ in self._found]

    def among(self, start: int, end: int, but: Sequence[tuple[int, int]] = ()) -> Terms:
        """The terms between two places, without those in the spans ``but``."""
        found = self._found[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        return frozenset(term for at, _, term in found if not any(a <= at < b for a, b in but))

    def kinds(self, start: int, end: int, title: Terms) -> Terms:
        """The terms of a sentence that name the case it is said for: names, words of the
        title, and what stands before a word of things that come in kinds."""
        found = self._found[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        heads = stems_of(HEADS, self._language)
        named = {term for _, _, term in found} & title
        for (_, end_before, before), (start_after, _, after) in pairwise(found):
            if after in heads and start_after - end_before <= 2:
                named.add(before)
        for match in _NAME.finditer(self.text, start, end):
            named |= self.among(match.start(), match.end())
        return frozenset(named)


@cache
def stems_of(words: str, language: str) -> Terms:
    """The terms of a list of words in a document of a language."""
    return frozenset(root(one.term) for one in tokens(words, language))


ROOT = 6
"""Letters of a term that count: a stemmer leaves привилегия and привилегированный apart."""


def root(term: str) -> str:
    """What a term has in common with its kin: its first letters, ц read as ч (месяц, месячный)."""
    return term[:ROOT].replace("ц", "ч")


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

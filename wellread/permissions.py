"""What a text permits, forbids, demands or leaves free, in words of English and Russian."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from wellread.windows import beginnings, windows

Permission = Literal["allowed", "conditional", "forbidden", "required", "not required"]
"""``conditional`` is allowed in one case only: "only with consent", "not without consent"."""

# What a company does or does not do for somebody is a permission in other words.
_GRANTED = r"accepted|reimburs(?:ed|able)|covered|refund(?:ed|able)|eligible|included|available"
_GRANTS = r"(?:возвраща|предоставля|компенсиру|возмеща|оплачива|выда[её])\w+"

WORDS: dict[Permission, str] = {
    "not required": (
        r"(?:do(?:es)?|is|are|be)(?: not|n['’]t) (?:need(?:ed)?|required?|have to|necessary)"
        r"|needn['’]t|need not|not (?:required|necessary|mandatory|obliged|needed)|no need"
        r"|no (?:\w+ ){0,2}(?:is |are )?(?:needed|required|necessary)|optional"
        r"|no \w+ (?:has|have|needs?) to"
        r"|не (?:требу\w+|обязан\w*|обязател[ье]н\w*|нужн[оаы]?|нужен|надо|необходим\w*)"
        r"|не (?:по)?надобится|необязател[ье]н\w*|по желанию"
    ),
    "forbidden": (
        r"(?:must|may|can|should|shall|will|could)(?: not|n['’]t|not) ?(?:be )?|cannot|can['’]t"
        rf"|(?:is|are|be)(?: not|n['’]t) (?:allowed|permitted|possible|entitled|{_GRANTED})"
        r"|not (?:allowed|permitted|entitled)|prohibit\w*|forbid\w*|banned|never|nobody|no one"
        r"|do(?:es)? not|don['’]t|no longer|disallowed|off limits|out of bounds|not an option"
        r"|нельзя|запрещ\w+|запрет\w*|не (?:допуска\w+|допустим\w*|разреш\w+|вправе|может)"
        r"|не (?:могут|можем|можете|долж\w+|следует|положен\w*|получится)|недопустим\w*"
        r"|никогда|никто|никому|ни в коем случае|исключен[оаы]?|не \w+(?:[аяеиую]й|и|ь)те(?:сь)?"
        rf"|не {_GRANTS}|не (?:принима|пуска|подключа|использу|отправля|храни|переда[её])\w+"
    ),
    "required": (
        r"must|shall|required?s?|mandatory|has to|have to|obliged|needs? (?:to|an?|the)|always"
        r"|compulsory|долж[еоан]\w*|обязан\w*|обязател[ье]н\w*|требу\w+|необходим\w*|нужн[оаы]"
        r"|нужен|надо"
    ),
    "allowed": (
        r"may|can|(?<!to )allow(?:ed|s)?|(?<!to )permit(?:ted|s)?|entitled|welcome|free to"
        rf"|possible|acceptable|fine|feel free|okay|(?:is|are) (?:\w+ )?(?:{_GRANTED})"
        r"|we (?:reimburse|accept|cover|refund|pay for)"
        r"|можно|может|могут|можете|разреш\w+|допуска\w+|допустим\w*|вправе|имее\w+ право"
        rf"|имеют право|дозвол\w+|позволя\w+|{_GRANTS}"
    ),
}
"""Words of permission, the negative ones first: what they hold is not read again."""

ONLY = r"only|solely|exclusively|только|лишь|исключительно"
UNLESS = r"without|unless|except|outside|until|before|без|кроме|пока не|вне|помимо"
WITH = r"with|after|once|given|с|со|после|при|по"
YES = r"yes|sure|of course|certainly|да|конечно"
NO = r"no|not|sorry|unfortunately|нет|нельзя|увы|к сожалению"

OPPOSITE: frozenset[frozenset[Permission]] = frozenset(
    {
        frozenset({"allowed", "forbidden"}),
        frozenset({"allowed", "conditional"}),
        frozenset({"conditional", "forbidden"}),
        frozenset({"required", "not required"}),
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A word of permission at its place, and where the words begin that it hangs on."""

    name: Permission
    written: str
    start: int
    end: int
    condition: int | None = None


@cache
def _patterns() -> tuple[tuple[Permission, re.Pattern[str]], ...]:
    return tuple(
        (name, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE))
        for name, words in WORDS.items()
    )


@cache
def _word(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


def permissions(text: str) -> list[Said]:
    """What a text permits or forbids, in its order."""
    spans = windows(text, _beginnings(), before=REACH, after=REACH)
    found: list[Said] = []
    for name, pattern in _patterns():
        for match in (match for span in spans for match in pattern.finditer(text, *span)):
            if all(match.end() <= one.start or match.start() >= one.end for one in found):
                start, end = match.span()
                found.append(Said(name=name, written=match[0].strip(), start=start, end=end))
    return sorted(found, key=lambda one: one.start)


REACH = 40
"""Characters around a word of permission that belong to it: "no written approval is needed"."""

_LEAD = re.compile(r"(?<![\w\\])[a-zа-яё]+", re.IGNORECASE)


@cache
def _beginnings() -> frozenset[str]:
    # Auxiliaries are of permission only beside a "not", which is looked for itself.
    words = (word for written in WORDS.values() for word in _LEAD.findall(written))
    return beginnings([word for word in words if word not in AUXILIARIES])


AUXILIARIES = frozenset(
    {"do", "does", "is", "are", "be", "w", "s", "to", "an", "a", "the", "has", "have", "off", "out"}
)


def conditioned(one: Said, text: str, start: int, end: int) -> Said:
    """A word of permission with what it hangs on in its sentence, from ``start`` to ``end``."""
    if one.name == "allowed" and (only := _word(ONLY).search(text, start, end)):
        return replace(one, name="conditional", condition=only.end())
    if one.name == "allowed" and (given := _word(WITH).search(text, one.end, end)):
        return replace(one, condition=given.end())
    if one.name == "forbidden" and (unless := _word(UNLESS).search(text, start, end)):
        return replace(one, name="conditional", condition=unless.end())
    return one


def answered(text: str) -> Said | None:
    """The yes or no that a sentence which answers a question begins with."""
    answers: tuple[tuple[Permission, str], ...] = (("forbidden", NO), ("allowed", YES))
    for name, words in answers:
        match = re.match(rf"\W*(?:[^\W\d_]+ )?({words})(?!\w)", text, re.IGNORECASE)
        if match:
            return Said(name=name, written=match[1], start=match.start(1), end=match.end(1))
    return None

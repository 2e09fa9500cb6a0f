"""What a text claims: each quantity and permission in it, with what it is said of, in terms.
English and Russian; no model."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

from wellread.claim_words import BACKWARD, HEADS, root, stems_of
from wellread.languages import detect_language
from wellread.permissions import Permission, Said, answered, conditioned, permissions
from wellread.quantities import Quantity, elided, quantities
from wellread.stems import function_terms
from wellread.terms import tokens

Terms = frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A value with what it is said of, in terms.

    ``start`` and ``end`` are character offsets into the text, of the sentence. ``clause``
    holds the terms of the clause and ``terms`` those of the sentence, ``referred`` also those
    of the sentence that it refers back to; ``wide`` adds the title to the sentence, ``around``
    also its neighbours. ``kinds`` name the case the value is said for, ``unit`` what is
    counted, ``condition`` what a permission hangs on.
    """

    sentence: str
    start: int
    end: int
    value: str
    clause: Terms
    terms: Terms
    referred: Terms
    wide: Terms
    around: Terms
    kinds: Terms
    quantity: Quantity | None = None
    unit: Terms = frozenset()
    permission: Permission | None = None
    condition: Terms = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Claims:
    """The claims of a text, and the terms of its title and of all of it."""

    title: Terms
    terms: Terms
    claims: tuple[Claim, ...]


_ADDRESS = re.compile(r"\]\([^()\s]*\)|https?://[^\s)>]+|`[^`\n]*`|<!--.*?-->", re.DOTALL)
_BOUNDARY = re.compile(
    r"[.!?…]+[»\"”')\]*_]*\s+(?=[\"«“(\[*_—–-]*\s?[A-ZА-ЯЁ0-9$€£₽])"
    r"|\n(?=\s*(?:\n|[-*+|>#]|\d+[.)]\s))|\n[ \t]*\n"
)
_CLAUSE = re.compile(
    r"[;:()|]|,(?!\d)| [—–-] |\s(?:and|but|while|unless|if|when|и|а|но|если|когда)\s", re.IGNORECASE
)
_BACKWARD = re.compile(rf"(?:\W*\w+){{0,2}}?\W*\b(?:{BACKWARD})\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:if|when|who|which|that|whether|если|когда|кто|котор\w+|ли)\b", re.IGNORECASE
)
"""What opens a clause that supposes or describes: "if you do not have access" forbids nothing."""
_NAME = re.compile(r"(?<=[\w,;] )[«\"“]?[A-ZА-ЯЁ][\w-]+|[«\"“][A-ZА-ЯЁ][\w-]+")


@lru_cache(maxsize=2048)
def claims(text: str, title: str = "", language: str | None = None) -> Claims:
    """What a text claims. A passage is read once, however many questions it bears on."""
    spoken = language or detect_language(text)
    bare = _ADDRESS.sub(_spaces, text)
    values, said = quantities(bare), permissions(bare)
    named = _Words(title, spoken, ()).all
    if not (values or said):
        return Claims(title=named, terms=named, claims=())
    taken = sorted(
        [(one.start, one.end) for one in values] + [(one.start, one.end) for one in said]
    )
    words = _Words(bare, spoken, taken)
    found: list[Claim] = []
    before: _Sentence | None = None
    sentences = [_Sentence(words, start, end) for start, end in _sentences(bare)]
    for at, one in enumerate(sentences):
        one.refer(before)
        ours = _within(values, one), _within(said, one)
        asked = before is not None and before.question
        if not one.aside and (asked or any(ours)):
            near = (each.terms for each in sentences[max(0, at - 1) : at + 2])
            found += _of_sentence(one, *ours, named, frozenset().union(named, *near), asked)
        before = one
    return Claims(title=named, terms=words.all | named, claims=tuple(found))


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match[0])


class _Sentence:
    """A sentence of a text, with the terms of what it speaks of."""

    def __init__(self, words: _Words, start: int, end: int) -> None:
        self.words, self.start, self.end = words, start, end
        self.written = words.text[start:end]
        self.question = self.written.rstrip("»\"”') ").endswith("?")
        self.aside = self.question or self.written.startswith("#")
        self.terms = words.among(start, end)
        self.inherited: Terms = frozenset()

    def refer(self, before: _Sentence | None) -> None:
        """Take over what the sentence before speaks of, where this one refers back to it."""
        if before is not None and (
            before.question or len(self.terms) < 2 or _BACKWARD.match(self.written)
        ):
            self.inherited = before.terms
            if len(before.terms) < 2:
                self.inherited |= before.inherited


_Placed = TypeVar("_Placed", Quantity, Said)


def _within(placed: Sequence[_Placed], sentence: _Sentence) -> list[_Placed]:
    return [one for one in placed if sentence.start <= one.start < sentence.end]


def _of_sentence(
    sentence: _Sentence,
    values: Sequence[Quantity],
    said: Sequence[Said],
    title: Terms,
    around: Terms,
    asked: bool,
) -> Iterator[Claim]:
    words, start, end = sentence.words, sentence.start, sentence.end
    answer = answered(sentence.written) if asked else None
    if not (values or said or answer):
        return
    text = " ".join(sentence.written.split())
    cuts = [start, *(start + one.start() for one in _CLAUSE.finditer(sentence.written)), end]
    kinds = words.kinds(start, end, title)
    subject = words.among(start, end, subject=True)
    if asked:  # an answer is of what was asked
        subject |= sentence.inherited

    def claim(value: str, place: int, unit: Terms = frozenset(), **more: Any) -> Claim:
        at = bisect_left(cuts, place + 1)
        terms = subject | unit
        return Claim(
            sentence=text,
            start=start,
            end=end,
            value=value,
            clause=words.among(cuts[at - 1], cuts[at], subject=True) | unit,
            terms=terms,
            referred=terms | sentence.inherited,
            wide=terms | title,
            around=terms | sentence.inherited | around,
            kinds=kinds,
            unit=unit,
            **more,
        )

    for value in (*values, *elided(words.text, end, values)):
        if value.kind != "count":
            yield claim(value.written, value.start, quantity=value)
        elif unit := words.among(value.end - len(value.unit), value.end):
            yield claim(value.written, value.start, unit, quantity=value)
    if answer is not None:
        reply = claim(answer.written, start, permission=answer.name)
        yield replace(reply, clause=subject)
        return
    for each in said:
        one = conditioned(each, words.text, start, end)
        clause = words.text[cuts[bisect_left(cuts, one.start + 1) - 1] : one.start]
        if _SUPPOSED.search(clause):
            continue
        condition: Terms = frozenset()
        if one.condition is not None:
            last = _next(cuts, one.condition)
            condition = words.among(one.condition, last, subject=True)
            if not words.text[one.condition : last].strip(" .!"):  # "by admins only"
                condition = subject
        # "Only until 18:00" hangs on nothing that could be met.
        name = one.name if condition else each.name
        yield claim(one.written, one.start, permission=name, condition=condition)


def _next(cuts: Sequence[int], place: int) -> int:
    return next((cut for cut in cuts if cut > place), cuts[-1])


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in (*(match.end() for match in _BOUNDARY.finditer(text)), len(text)):
        written = text[start:end]
        if bare := written.strip():
            first = start + len(written) - len(written.lstrip())
            yield first, first + len(bare)
        start = end


class _Words:
    """The content terms of a text by their places. ``taken`` are the spans of quantities and
    words of permission, which are no subject."""

    def __init__(self, text: str, language: str, taken: Sequence[tuple[int, int]]) -> None:
        self.text = text
        self._heads = stems_of(HEADS, language)
        function = function_terms(language)
        self._places: list[tuple[int, int]] = []
        self._terms: list[str] = []
        self._subject: list[str] = []
        spans = iter([*taken, (len(text), len(text))])
        span = next(spans)
        for term, _, start, end in tokens(text, language):
            if term in function or len(term) < 2 or term.isdigit():
                continue
            while span[1] <= start and span[0] < len(text):
                span = next(spans)
            self._places.append((start, end))
            self._terms.append(root(term))
            self._subject.append("" if span[0] <= start else root(term))
        self.all = frozenset(self._terms)

    def among(self, start: int, end: int, *, subject: bool = False) -> Terms:
        """The terms between two places; those that tell the subject alone."""
        first, last = bisect_left(self._places, (start,)), bisect_left(self._places, (end,))
        return frozenset((self._subject if subject else self._terms)[first:last]) - _NONE

    def kinds(self, start: int, end: int, title: Terms) -> Terms:
        """The terms of a sentence that name the case it is said for: names, words of the
        title, and what stands before a word of things that come in kinds."""
        first, last = bisect_left(self._places, (start,)), bisect_left(self._places, (end,))
        named = title.intersection(self._subject[first:last])
        more = {
            self._subject[at - 1]
            for at in range(first + 1, last)
            if self._terms[at] in self._heads and self._places[at][0] - self._places[at - 1][1] <= 2
        }
        for match in _NAME.finditer(self.text, start, end):
            more |= self.among(match.start(), match.end(), subject=True)
        return (named | more) - _NONE


_NONE = frozenset({""})

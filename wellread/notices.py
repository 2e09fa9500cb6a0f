"""What the first lines of a text say of the text itself: a header like that of a PEP, and
notices such as "this page is deprecated, use X" or «страница устарела, см. X». No I/O.

A notice must speak of the page, not of its subject: it has "this page" (or a word like it) for
its subject, or is a line of its own. Conditions, quotations and code are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from wellread.headers import FENCE, HEADER_STEMS, HEADING, read_header
from wellread.notice_words import (
    BANNER,
    BANNERS,
    CONDITION,
    CONDITION_BEHIND,
    DECORATION,
    DIRECTIVE,
    DIRECTIVE_WORD,
    ELSEWHERE,
    LABEL,
    MARKUP,
    POINTER,
    PREDICATES,
    SENTENCE,
    STEMS,
    SUBJECT,
    SUCCEEDED,
    SYMBOLS,
    TITLE_MARK,
)
from wellread.remarks import Reference, Remark, references
from wellread.types import StandingRules, StandingWord

_BOXES = ("!!!", "???", ".. ")

HEAD_CHARACTERS = 2500
"""How far into a text its first lines are looked for, a screen and a half."""

REST_CHARACTERS = 400
"""How far behind a notice the page that it points to is looked for: a few sentences."""


def remarks(body: str, rules: StandingRules) -> tuple[Remark, ...]:
    """What a text says of itself, in the order of its lines."""
    head = body[:HEAD_CHARACTERS]
    found: list[Remark] = []
    behind = 0
    if rules.headers and _holds_any(head, HEADER_STEMS):
        header, behind = read_header(head.split("\n"), rules)
        found += header
    stems = (*STEMS, *rules.phrases)
    if rules.notices and _holds_any(head, stems):
        paragraphs = list(_paragraphs(head.split("\n"), behind, rules.notice_lines))
        for index, (start, text, is_heading) in enumerate(paragraphs):
            if not _holds_any(text, stems):
                continue
            bare = DIRECTIVE.fullmatch(text)
            if bare and not bare["rest"] and index + 1 < len(paragraphs):
                text = f"{text}\n{paragraphs[index + 1][1]}"
            found += _notices(start, text, is_heading, rules)
    return tuple(found)


def _holds_any(text: str, stems: Iterable[str]) -> bool:
    folded = text.casefold().replace("ё", "е")
    return any(stem in folded for stem in stems)


def _paragraphs(lines: list[str], start: int, most: int) -> Iterator[tuple[int, str, bool]]:
    """Each paragraph that begins in the first lines, with the number of its first line and
    whether it is a heading; its lines joined by line ends, marks of quotations and boxes gone."""
    taken = 0
    first = start
    paragraph: list[str] = []
    for number, line in (*_prose(lines, start), (len(lines), "")):
        heading = HEADING.match(line) is not None
        if paragraph and (not line.strip() or heading or DIRECTIVE.match(line)):
            yield first, "\n".join(paragraph), False
            paragraph = []
        if taken >= most and not paragraph:
            return
        if heading:
            yield number, line.lstrip("# ").strip(), True
        elif line.strip():
            taken += 1
            text = _plain(line)
            if text and not paragraph:
                first = number
            if text or paragraph:
                paragraph.append(text)


def _prose(lines: list[str], start: int) -> Iterator[tuple[int, str]]:
    """Each line with its number, empty where it is code: fenced, or indented and neither the
    content of a box nor the rest of a paragraph."""
    fence = ""
    boxed = in_paragraph = False
    for number in range(start, len(lines)):
        line = lines[number]
        mark = FENCE.match(line)
        if fence or mark:
            if mark and not fence:
                fence = mark["fence"]
            elif line.strip().startswith(fence):
                fence = ""
            line = ""
        if line.strip() and not (boxed and line[0] in " \t"):
            boxed = line.lstrip().startswith(_BOXES)
        if line.startswith(("    ", "\t")) and not boxed and not in_paragraph:
            line = ""
        in_paragraph = bool(line.strip())
        yield number, line


def _plain(line: str) -> str:
    if DIRECTIVE.match(line):
        return line.strip()
    text = DECORATION.sub("", line, count=1)
    text = MARKUP.sub("", text)
    text = SYMBOLS.sub("", text)
    return SYMBOLS.sub("", LABEL.sub("", text, count=1)).rstrip(' \t"*_')


def _notices(
    first: int, paragraph: str, is_heading: bool, rules: StandingRules
) -> Iterator[Remark]:
    text = paragraph.replace("ё", "е").replace("Ё", "Е")
    if is_heading:
        mark = TITLE_MARK.search(text)
        if mark:
            word = (mark["bracket"] or mark["word"]).casefold()
            yield Remark(source="notice", line=first, words=text, standing=BANNERS[word])
        return
    found = _directive(text) or _framed(text) or _banner(text, rules)
    if found is None:
        return
    standing, start, behind = found
    rest = text[start : behind + REST_CHARACTERS]
    named = _pointed(rest, directive=text.startswith(".. "))
    if standing == "deprecated" and named and SUCCEEDED.search(rest):
        standing = "superseded"
    yield Remark(
        source="notice",
        line=first + paragraph.count("\n", 0, start),
        words=" ".join(paragraph[start:behind].split()),
        standing=standing,
        successors=named if standing in ("superseded", "deprecated", "archived") else (),
    )


def _directive(text: str) -> tuple[StandingWord, int, int] | None:
    match = DIRECTIVE.match(text)
    return (DIRECTIVE_WORD[match["word"].casefold()], 0, match.end("word")) if match else None


def _framed(text: str) -> tuple[StandingWord, int, int] | None:
    """The first sentence that says of the page what has become of it."""
    edges = [0, *(match.end() for match in SENTENCE.finditer(text)), len(text)]
    for start, end in pairwise(edges):
        sentence = text[start:end]
        for subject in SUBJECT.finditer(sentence):
            if not _speaks(sentence, subject):
                continue
            for standing, predicate in PREDICATES.items():
                said = predicate.match(sentence, subject.end())
                if said is None or CONDITION_BEHIND.match(sentence[said.end() :]):
                    continue
                if standing == "superseded" and not _succeeds(said, text[start + said.start() :]):
                    continue
                return standing, start + subject.start(), start + said.end()
    return None


def _speaks(sentence: str, subject: re.Match[str]) -> bool:
    """Whether a subject begins a statement: not a condition, a quotation or code, and in
    Russian, without «этот», only at the start of its sentence."""
    before = sentence[: subject.start()]
    if CONDITION.search(before) or ELSEWHERE.search(before) or before.count("`") % 2:
        return False
    demonstrative = re.match(r"this|эт|данн|настоящ", subject[0], re.IGNORECASE)
    return demonstrative is not None or not before.strip()


def _succeeds(said: re.Match[str], rest: str) -> bool:
    """Whether a replacement is a thing of the past: it names the page that took the place, or
    nothing at all, or says "has been"."""
    if _pointed(rest[:REST_CHARACTERS]):
        return True
    if re.search(r"moved|перенес|переехал", said[0], re.IGNORECASE):
        return False
    bare = re.match(r"\s*[.!]?\s*$", said.string[said.end() :])
    return bool(bare) or re.search(r"has\s+been|was", said[0], re.IGNORECASE) is not None


def _banner(text: str, rules: StandingRules) -> tuple[StandingWord, int, int] | None:
    folded = text.casefold()
    for phrase, standing in rules.phrases.items():
        if folded.startswith(phrase) and not folded[len(phrase) : len(phrase) + 1].isalnum():
            return standing, 0, len(phrase)
    match = BANNER.match(text)
    if match is None:
        return None
    first, _, _ = text.partition("\n")
    rest = first[match.end("word") :].strip(' \t].:!,;—–-"*_')
    standing = BANNERS[match["word"].casefold()]
    said = (
        not rest
        or POINTER.match(rest)
        or re.match(
            r"(?:this|please|do\s+not|don't|by|in\s+favou?r|эт[аои]|данн|не\s|на\s|документом"
            r"|страницей)",
            rest,
            re.IGNORECASE,
        )
    )
    if not said or (standing == "superseded" and rest and not _pointed(text)):
        return None
    return standing, 0, match.end("word")


def _pointed(text: str, *, directive: bool = False) -> tuple[Reference, ...]:
    """The document that a notice sends its reader to: the first one behind a word that points."""
    if directive:
        return references(text, numbers=text.casefold().startswith(".. superseded"))[:1]
    pointer = POINTER.search(text)
    return references(text[pointer.start() :])[:1] if pointer else ()

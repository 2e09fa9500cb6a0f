"""What the first lines of a text say of the text itself: a header like that of a PEP, and
notices such as "this page is deprecated, use X" or «страница устарела, см. X». No I/O.

A notice must speak of the page, not of its subject: it has "this page" (or a word like it) for
its subject, or is a line of its own. Conditions, quotations and code are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from wellread.headers import HEADER_STEMS, read_header
from wellread.remarks import Reference, Remark, references
from wellread.types import StandingRules, StandingWord

_FENCE = re.compile(r"^\s{0,3}(?P<fence>```+|~~~+)")
_HEADING = re.compile(r"^#{1,6}\s")

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
    stems = (*_STEMS, *rules.phrases)
    if rules.notices and _holds_any(head, stems):
        paragraphs = list(_paragraphs(head.split("\n"), behind, rules.notice_lines))
        for index, (start, text, is_heading) in enumerate(paragraphs):
            if not _holds_any(text, stems):
                continue
            bare = _DIRECTIVE.fullmatch(text)
            if bare and not bare["rest"] and index + 1 < len(paragraphs):
                text = f"{text}\n{paragraphs[index + 1][1]}"
            found += _notices(start, text, is_heading, rules)
    return tuple(found)


def _holds_any(text: str, stems: Iterable[str]) -> bool:
    folded = text.casefold().replace("ё", "е")
    return any(stem in folded for stem in stems)


_PAGE_EN = (
    r"(?:web\s?page|page|document|doc|article|policy|guide|guideline|runbook|playbook|handbook"
    r"|procedure|process|template|standard|specification|spec|proposal|pep|rfc|adr|wiki|file"
    r"|how-?to|faq|manual|text)"
)
_PAGE_RU = (
    r"(?:страниц\w|стать\w|документ\w?|регламент\w?|инструкци\w|политик\w|положени\w|руководств\w"
    r"|процедур\w|процесс\w?|шаблон\w?|приказ\w?|правил\w|гайд\w?|заметк\w|памятк\w|методик\w"
    r"|стандарт\w?)"
)
_BE = (
    r"(?:is|was|has\s+been|got)"
    r"(?:\s+(?:now|already|officially|currently|considered|being|hereby|therefore|since|long"
    r"|formally|fully|completely|still|only))*"
)
_GONE_EN = (
    r"deprecated|obsolete|outdated|out[ -]of[ -]date|retired|withdrawn|rescinded|revoked"
    r"|rejected|abandoned"
    r"|no\s+longer\s+(?:maintained|valid|in\s+use|in\s+force|in\s+effect|current|used|applicable"
    r"|supported|updated|accurate|relevant|up\s+to\s+date)"
)
_GONE_RU = (
    r"устарел\w?|неактуал\w+|не\s+актуал\w+|утратил\w?\s+(?:силу|актуальность)|не\s+действует"
    r"|недействител\w+|отменен\w?|отозван\w?|не\s+поддерживается|не\s+используется"
    r"|не\s+применяется|не\s+обновляется"
)
_SUBJECT_RU = rf"(?:(?:эт(?:а|от|о|и)|данн\w\w|настоящ\w\w)\s+(?:\w+\s+)?)?{_PAGE_RU}"
_NOW_RU = (
    r"(?:\s+(?:уже|больше|более|теперь|официально|давно|сильно|полностью|была?|был[ои]|[—–-]))*"
)
_SUBJECT = re.compile(
    rf"\bthis\s+(?:\w+\s+)?{_PAGE_EN}\b|(?<!\w){_SUBJECT_RU}(?!\w)|^это(?=\s+черновик)",
    re.IGNORECASE,
)
_PREDICATES: Mapping[StandingWord, re.Pattern[str]] = {
    "superseded": re.compile(
        rf"\s+{_BE}\s+(?:superseded|replaced|obsoleted)\b"
        r"|\s+(?:has\s+|was\s+|is\s+)?(?:been\s+)?(?:now\s+)?moved\s+to\b"
        rf"|{_NOW_RU}\s+(?:заменен\w?|перенесен\w?\s+(?:в|на)(?!\s+архив)|переехал\w?)(?!\w)",
        re.IGNORECASE,
    ),
    "deprecated": re.compile(
        rf"\s+(?:{_BE}\s+(?:{_GONE_EN})|no\s+longer\s+appl(?:y|ies))\b"
        rf"|{_NOW_RU}\s+(?:{_GONE_RU})(?!\w)",
        re.IGNORECASE,
    ),
    "archived": re.compile(
        rf"\s+{_BE}\s+archived\b"
        rf"|{_NOW_RU}\s+(?:архивн\w\w|в\s+архиве|перенесен\w?\s+в\s+архив|находится\s+в\s+архиве)"
        r"(?!\w)",
        re.IGNORECASE,
    ),
    "draft": re.compile(
        rf"\s+{_BE}\s+(?:an?\s+(?:\w+\s+)?draft|in\s+draft|an?\s+work\s+in\s+progress)(?!\s+of)\b"
        rf"|{_NOW_RU}\s+черновик(?!\w)",
        re.IGNORECASE,
    ),
    "in-review": re.compile(
        rf"\s+{_BE}\s+(?:in|under)\s+review\b"
        rf"|{_NOW_RU}\s+(?:находится\s+)?на\s+согласовании(?!\w)",
        re.IGNORECASE,
    ),
}
"""What is said right behind the subject."""

_BANNERS: Mapping[str, StandingWord] = {
    "deprecated": "deprecated",
    "obsolete": "deprecated",
    "outdated": "deprecated",
    "retired": "deprecated",
    "withdrawn": "deprecated",
    "archived": "archived",
    "superseded": "superseded",
    "draft": "draft",
    "work in progress": "draft",
    "wip": "draft",
    "устарело": "deprecated",
    "устарел": "deprecated",
    "устарела": "deprecated",
    "устаревший документ": "deprecated",
    "устаревшая страница": "deprecated",
    "неактуально": "deprecated",
    "не актуально": "deprecated",
    "утратило силу": "deprecated",
    "утратил силу": "deprecated",
    "утратила силу": "deprecated",
    "архив": "archived",
    "в архиве": "archived",
    "заменено": "superseded",
    "заменен": "superseded",
    "заменена": "superseded",
    "черновик": "draft",
}
_BANNER = re.compile(
    rf"^\[?(?P<word>{'|'.join(sorted(_BANNERS, key=len, reverse=True))})\]?"
    r"(?P<more>\s*$|\s*[.:!,;—–]|\s+-\s|\s+(?:by|in\s+favou?r|see|use|please|на|документом"
    r"|страницей|см\.|используйте)(?!\w))",
    re.IGNORECASE,
)
_TITLE_MARK = re.compile(
    rf"\[(?P<bracket>(?i:{'|'.join(_BANNERS)}))\]|^(?P<word>DEPRECATED|OBSOLETE|ARCHIVED|DRAFT|УСТАРЕЛО"
    r"|УСТАРЕЛ|УСТАРЕЛА|АРХИВ|ЧЕРНОВИК)(?:\s*[:—–]|\s+-\s)"
)
_DIRECTIVE = re.compile(
    r"^\.\.\s+(?P<word>superseded|withdrawn|rejected|deferred)::\s*(?P<rest>.*)$", re.IGNORECASE
)
_DIRECTIVE_WORD: Mapping[str, StandingWord] = {
    "superseded": "superseded",
    "withdrawn": "deprecated",
    "rejected": "deprecated",
    "deferred": "draft",
}
_SUCCEEDED = re.compile(
    r"\b(?:superseded|replaced|obsoleted)\s+(?:by|with)\b|\bin\s+favou?r\s+of\b"
    r"|(?<!\w)(?:заменен\w?|замещен\w?)(?!\w)|в\s+пользу",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"\b(?:use|see|read|refer\s+to|go\s+to|consult|follow|check|visit|(?:superseded|replaced"
    r"|obsoleted)\s+(?:by|with)|in\s+favou?r\s+of|moved\s+to|merged\s+into|(?:current|latest|new"
    r"|newer|updated|up-to-date)\s+(?:version|page|document|policy|one)|now\s+(?:at|in|lives))\b"
    r"|(?<!\w)(?:см\.|смотрите|смотри|используйте|пользуйтесь|читайте|руководствуйтесь|обращайтесь"
    r"|заменен\w?|перенесен\w?|переехал\w?|теперь|в\s+пользу|вместо\s+не\w+"
    r"|(?:актуальн|нов|действующ)\w+\s+(?:верси|страниц|документ|редакци|регламент|политик)\w*)",
    re.IGNORECASE,
)
_STEMS = (
    "deprecat",
    "obsolet",
    "outdat",
    "supersed",
    "replaced",
    "archiv",
    "retired",
    "withdrawn",
    "rejected",
    "draft",
    "rescinded",
    "revoked",
    "abandoned",
    "longer",
    "moved",
    "review",
    "progress",
    "wip",
    "deferred::",
    "out-of-date",
    "устар",
    "актуал",
    "утрат",
    "действует",
    "недейств",
    "отмен",
    "отозван",
    "замен",
    "перенес",
    "переехал",
    "архив",
    "чернов",
    "согласован",
    "поддерживается",
    "используется",
    "применяется",
    "обновляется",
    "out of date",
)
"""A text without any of these holds no notice: one look at each spares most of them the rest."""

_CONDITION = re.compile(
    r"(?:^|\W)(?:if|when|whenever|until|unless|once|whether|before|after|in\s+case|suppose|should"
    r"|as\s+soon\s+as|where|assume|that"
    r"|если|когда|пока|как\s+только|в\s+случае|чтобы|ли|после|до\s+того|что)(?:\W|$)",
    re.IGNORECASE,
)
_CONDITION_BEHIND = re.compile(
    r"^[\s,]*(?:when|if|once|whenever|unless|until|as\s+soon|after|before|every|each|annually|only"
    r"|если|когда|пока|как\s+только|в\s+случае|после|кажд\w+|ежегодно)(?!\w)|^\s*\?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_DECORATION = re.compile(
    r"^\s*(?:(?:>|!!!|\?\?\?|:::|[-*+](?=\s))\s*)*(?:\{\w+\}\s*)?"
    r"(?:\.\.\s+(?:note|warning|attention|caution|danger|important|admonition)::\s*)?"
    r"(?:\[!\w+\]\s*)?(?::\w+:\s*)?",
)
_LABEL = re.compile(
    r"^(?:note|warning|attention|caution|danger|important|info|nb|notice|tip|внимание|важно"
    r"|примечание)(?:\s*[:!.—–-]\s*|\s+(?=\")|$)",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*\*|__|</?[A-Za-z][^<>]{0,300}>|<!--.*?(?:-->|$)")
_SYMBOLS = re.compile(r"^[\s\u2190-\u2bff\ufe0f\U0001f000-\U0001faff\"*_]+")
_ELSEWHERE = re.compile(
    r"[\"“«„'‘`]\s*$|(?:^|\W)(?:on|in|of|from|by|with|for|to|at|about|under|parts?|на|в|из|по|к|от)\s+$",
    re.IGNORECASE,
)
"""Before "this page": what is quoted, or something of the page and not the page itself."""


def _paragraphs(lines: list[str], start: int, most: int) -> Iterator[tuple[int, str, bool]]:
    """Each paragraph that begins in the first lines, with the number of its first line and
    whether it is a heading; its lines joined by line ends, marks of quotations and boxes gone."""
    taken = 0
    fence = ""
    first = start
    paragraph: list[str] = []
    boxed = False
    for number in range(start, len(lines)):
        line = lines[number]
        match = _FENCE.match(line)
        if fence or match:
            if not fence and match:
                fence = match["fence"]
            elif line.strip().startswith(fence):
                fence = ""
            line = ""
        indented = line.startswith(("    ", "\t")) and not paragraph and not boxed
        if line.strip() and not boxed:
            boxed = line.lstrip().startswith(("!!!", "???", ".. "))
        elif line.strip() and line[0] not in " \t":
            boxed = line.startswith(("!!!", "???", ".. "))
        text = _plain(line) if not indented else ""
        ends = not line.strip() or _HEADING.match(line) is not None
        directive = _DIRECTIVE.match(line) is not None
        if paragraph and (ends or directive):
            yield first, "\n".join(paragraph), False
            paragraph = []
        if taken >= most and not paragraph:
            return
        if _HEADING.match(line):
            yield number, line.lstrip("# ").strip(), True
        elif line.strip() and (text or paragraph):
            if not paragraph:
                first = number
            paragraph.append(text)
            taken += 1
        elif line.strip():
            taken += 1
    if paragraph:
        yield first, "\n".join(paragraph), False


def _plain(line: str) -> str:
    if _DIRECTIVE.match(line):
        return line.strip()
    text = _DECORATION.sub("", line, count=1)
    text = _MARKUP.sub("", text)
    text = _SYMBOLS.sub("", text)
    return _SYMBOLS.sub("", _LABEL.sub("", text, count=1)).rstrip(' \t"*_')


def _notices(
    first: int, paragraph: str, is_heading: bool, rules: StandingRules
) -> Iterator[Remark]:
    text = paragraph.replace("ё", "е").replace("Ё", "Е")
    if is_heading:
        mark = _TITLE_MARK.search(text)
        if mark:
            word = (mark["bracket"] or mark["word"]).casefold()
            yield Remark(source="notice", line=first, words=text, standing=_BANNERS[word])
        return
    found = _directive(text) or _framed(text) or _banner(text, rules)
    if found is None:
        return
    standing, start, behind = found
    rest = text[start : behind + REST_CHARACTERS]
    named = _pointed(rest, directive=text.startswith(".. "))
    if standing == "deprecated" and named and _SUCCEEDED.search(rest):
        standing = "superseded"
    yield Remark(
        source="notice",
        line=first + paragraph.count("\n", 0, start),
        words=" ".join(paragraph[start:behind].split()),
        standing=standing,
        successors=named if standing in ("superseded", "deprecated", "archived") else (),
    )


def _directive(text: str) -> tuple[StandingWord, int, int] | None:
    match = _DIRECTIVE.match(text)
    return (_DIRECTIVE_WORD[match["word"].casefold()], 0, match.end("word")) if match else None


def _framed(text: str) -> tuple[StandingWord, int, int] | None:
    """The first sentence that says of the page what has become of it."""
    edges = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    for start, end in pairwise(edges):
        sentence = text[start:end]
        for subject in _SUBJECT.finditer(sentence):
            if not _speaks(sentence, subject):
                continue
            for standing, predicate in _PREDICATES.items():
                said = predicate.match(sentence, subject.end())
                if said is None or _CONDITION_BEHIND.match(sentence[said.end() :]):
                    continue
                if standing == "superseded" and not _succeeds(said, text[start + said.start() :]):
                    continue
                return standing, start + subject.start(), start + said.end()
    return None


def _speaks(sentence: str, subject: re.Match[str]) -> bool:
    """Whether a subject begins a statement: not a condition, a quotation or code, and in
    Russian, without «этот», only at the start of its sentence."""
    before = sentence[: subject.start()]
    if _CONDITION.search(before) or _ELSEWHERE.search(before) or before.count("`") % 2:
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
    match = _BANNER.match(text)
    if match is None:
        return None
    first, _, _ = text.partition("\n")
    rest = first[match.end("word") :].strip(' \t].:!,;—–-"*_')
    standing = _BANNERS[match["word"].casefold()]
    said = (
        not rest
        or _POINTER.match(rest)
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
    pointer = _POINTER.search(text)
    return references(text[pointer.start() :])[:1] if pointer else ()

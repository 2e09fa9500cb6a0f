"""The words by which a page says in its first lines what has become of it, in English and
Russian, and those that show that it speaks of something else."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wellread.types import StandingWord

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
SUBJECT = re.compile(
    rf"\bthis\s+(?:\w+\s+)?{_PAGE_EN}\b|(?<!\w){_SUBJECT_RU}(?!\w)|^это(?=\s+черновик)",
    re.IGNORECASE,
)
PREDICATES: Mapping[StandingWord, re.Pattern[str]] = {
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

BANNERS: Mapping[str, StandingWord] = {
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
BANNER = re.compile(
    rf"^\[?(?P<word>{'|'.join(sorted(BANNERS, key=len, reverse=True))})\]?"
    r"(?P<more>\s*$|\s*[.:!,;—–]|\s+-\s|\s+(?:by|in\s+favou?r|see|use|please|на|документом"
    r"|страницей|см\.|используйте)(?!\w))",
    re.IGNORECASE,
)
TITLE_MARK = re.compile(
    rf"\[(?P<bracket>(?i:{'|'.join(BANNERS)}))\]|^(?P<word>DEPRECATED|OBSOLETE|ARCHIVED|DRAFT|УСТАРЕЛО"
    r"|УСТАРЕЛ|УСТАРЕЛА|АРХИВ|ЧЕРНОВИК)(?:\s*[:—–]|\s+-\s)"
)
DIRECTIVE = re.compile(
    r"^\.\.\s+(?P<word>superseded|withdrawn|rejected|deferred)::\s*(?P<rest>.*)$", re.IGNORECASE
)
DIRECTIVE_WORD: Mapping[str, StandingWord] = {
    "superseded": "superseded",
    "withdrawn": "deprecated",
    "rejected": "deprecated",
    "deferred": "draft",
}
SUCCEEDED = re.compile(
    r"\b(?:superseded|replaced|obsoleted)\s+(?:by|with)\b|\bin\s+favou?r\s+of\b"
    r"|(?<!\w)(?:заменен\w?|замещен\w?)(?!\w)|в\s+пользу",
    re.IGNORECASE,
)
POINTER = re.compile(
    r"\b(?:use|see|read|refer\s+to|go\s+to|consult|follow|check|visit|(?:superseded|replaced"
    r"|obsoleted)\s+(?:by|with)|in\s+favou?r\s+of|moved\s+to|merged\s+into|(?:current|latest|new"
    r"|newer|updated|up-to-date)\s+(?:version|page|document|policy|one)|now\s+(?:at|in|lives))\b"
    r"|(?<!\w)(?:см\.|смотрите|смотри|используйте|пользуйтесь|читайте|руководствуйтесь|обращайтесь"
    r"|заменен\w?|перенесен\w?|переехал\w?|теперь|в\s+пользу|вместо\s+не\w+"
    r"|(?:актуальн|нов|действующ)\w+\s+(?:верси|страниц|документ|редакци|регламент|политик)\w*)",
    re.IGNORECASE,
)
STEMS = (
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

CONDITION = re.compile(
    r"(?:^|\W)(?:if|when|whenever|until|unless|once|whether|before|after|in\s+case|suppose|should"
    r"|as\s+soon\s+as|where|assume|that"
    r"|если|когда|пока|как\s+только|в\s+случае|чтобы|ли|после|до\s+того|что)(?:\W|$)",
    re.IGNORECASE,
)
CONDITION_BEHIND = re.compile(
    r"^[\s,]*(?:when|if|once|whenever|unless|until|as\s+soon|after|before|every|each|annually|only"
    r"|если|когда|пока|как\s+только|в\s+случае|после|кажд\w+|ежегодно)(?!\w)|^\s*\?",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?…])\s+")
DECORATION = re.compile(
    r"^\s*(?:(?:>|!!!|\?\?\?|:::|[-*+](?=\s))\s*)*(?:\{\w+\}\s*)?"
    r"(?:\.\.\s+(?:note|warning|attention|caution|danger|important|admonition)::\s*)?"
    r"(?:\[!\w+\]\s*)?(?::\w+:\s*)?",
)
LABEL = re.compile(
    r"^(?:note|warning|attention|caution|danger|important|info|nb|notice|tip|внимание|важно"
    r"|примечание)(?:\s*[:!.—–-]\s*|\s+(?=\")|$)",
    re.IGNORECASE,
)
MARKUP = re.compile(r"\*\*|__|</?[A-Za-z][^<>]{0,300}>|<!--.*?(?:-->|$)")
SYMBOLS = re.compile(r"^[\s\u2190-\u2bff\ufe0f\U0001f000-\U0001faff\"*_]+")
ELSEWHERE = re.compile(
    r"[\"“«„'‘`]\s*$|(?:^|\W)(?:on|in|of|from|by|with|for|to|at|about|under|parts?|на|в|из|по|к|от)\s+$",
    re.IGNORECASE,
)
"""Before "this page": what is quoted, or something of the page and not the page itself."""

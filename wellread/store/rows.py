"""A document as the rows it becomes: made in the worker processes, plain tuples throughout,
since frozen dataclasses are slow to send between processes (m: five times)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from wellread.folding import fold
from wellread.stems import stem
from wellread.store.base import AnalyzedDocument, PassageTerms
from wellread.store.codec import dump_headings, dump_path, dump_record
from wellread.store.texts import TextRow, text_row

SectionRow = tuple[str, int, str, int, int, int, int, int | None]
PassageRow = tuple[int, str, int, int, int, int, int | None]
LinkRow = tuple[str, str, int, bool, str]
AttachmentRow = tuple[str, str, str, int]
TermsRow = tuple[str, str, str, str, str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentRows:
    """Everything of one document that the store writes, but what only the run knows: ids,
    times, the acl. ``updated`` is what the document itself says, as an ordinal; ``words`` are
    those that may be looked for by near spelling, once each. ``governing`` documents are
    always on or have triggers: they may bear on a task whose words they lack."""

    path: str
    type: str
    state: str
    owner: str
    updated: int | None
    language: str
    title: str
    text: TextRow
    words: str
    total_lines: int
    record: str
    headings: str
    own_access: tuple[str, ...] | None
    own_deny: tuple[str, ...]
    sealed: bool
    tags: tuple[str, ...]
    sections: tuple[SectionRow, ...]
    passages: tuple[PassageRow, ...]
    terms: tuple[TermsRow, ...]
    links: tuple[LinkRow, ...]
    attachments: tuple[AttachmentRow, ...]
    supersedes: tuple[str, ...]
    governing: bool


def to_rows(analyzed: AnalyzedDocument) -> DocumentRows:
    """The rows of an analysed document."""
    document = analyzed.document
    life = document.lifecycle
    return DocumentRows(
        path=document.path,
        type=document.type,
        state=life.state,
        owner=document.owner.casefold(),
        updated=life.updated.toordinal() if life.updated else None,
        language=document.language,
        title=document.title,
        text=text_row(document.body),
        words=" ".join(distinct_words(analyzed)),
        total_lines=document.body_line - 1 + count_lines(document.body),
        record=dump_record(document),
        headings=dump_headings(document.headings),
        own_access=document.own_access,
        own_deny=document.own_deny,
        sealed=document.sealed,
        tags=tuple(dict.fromkeys(tag.casefold() for tag in document.tags)),
        sections=tuple(
            (
                section.slug,
                section.level,
                dump_path(section.heading),
                section.char_start,
                section.char_end,
                section.line_start,
                section.line_end,
                section.page,
            )
            for section in document.sections
        ),
        passages=tuple(
            (
                passage.section,
                dump_path(passage.heading),
                passage.char_start,
                passage.char_end,
                passage.line_start,
                passage.line_end,
                passage.page,
            )
            for passage in (analysed.passage for analysed in analyzed.passages)
        ),
        terms=tuple(terms_row(analysed.terms) for analysed in analyzed.passages),
        links=tuple(
            (link.target, link.anchor, link.line, link.image, link.written)
            for link in document.links
        ),
        attachments=tuple(
            (attachment.path, attachment.kind, attachment.title, attachment.line)
            for attachment in document.attachments
        ),
        supersedes=life.supersedes,
        governing=document.always_on or bool(document.triggers),
    )


SEPARATOR = "\x1f"
SHORTEST_SPELLABLE = 3
LONGEST_SPELLABLE = 40


def distinct_words(analyzed: AnalyzedDocument) -> set[str]:
    """What a misspelt word may have meant: the words of a document and their stems, of
    letters and long enough, each with its term behind the unit separator."""
    words: set[str] = set()
    for passage in analyzed.passages:
        words.update(passage.terms.body.split(" "))
    if analyzed.passages:
        words.update(analyzed.passages[0].terms.title.split(" "))
    spelt = {f"{word}{SEPARATOR}{word}" for word in words if spellable(word)}
    language = analyzed.document.language
    for word in text_row(analyzed.document.body).words.decode().split():
        if spellable(word) and (spelt_so := spelling(word, language)):
            spelt.add(spelt_so)
    return spelt


def spellable(word: str) -> bool:
    """Whether a word may be looked for by near spelling."""
    return SHORTEST_SPELLABLE <= len(word) <= LONGEST_SPELLABLE and word.isalpha()


# As many words as a large library has in one language; the words of a document are few of them.
@lru_cache(maxsize=100_000)
def spelling(word: str, language: str) -> str:
    """A word with its term; nothing for a word with other letters than it is compared by
    (``ё``, ``é``), since the texts know it by its own."""
    return f"{word}{SEPARATOR}{stem(word, language)}" if fold(word) == word else ""


def count_lines(body: str) -> int:
    """Lines as an editor counts them: a final line end starts no line of its own."""
    return body.count("\n") + (0 if body.endswith("\n") or not body else 1)


def terms_row(terms: PassageTerms) -> TermsRow:
    """Terms as a plain tuple, in the order of ``PassageTerms``."""
    return (
        terms.title,
        terms.heading,
        terms.body,
        terms.context,
        terms.identifiers,
        terms.pairs,
    )


def joined(row: TermsRow) -> PassageTerms:
    """The reverse of ``terms_row``."""
    title, heading, body, context, identifiers, pairs = row
    return PassageTerms(
        title=title,
        heading=heading,
        body=body,
        context=context,
        identifiers=identifiers,
        pairs=pairs,
    )

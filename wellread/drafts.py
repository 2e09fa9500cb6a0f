"""Pieces in the making: each section that is delivered, in every form it may take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wellread.bearing import Bearing
from wellread.budget import Sized
from wellread.companions import Companion, companions
from wellread.context_text import piece_tokens
from wellread.delivery import USE_ORDER, Form, Piece, Use
from wellread.documents import Section
from wellread.store.base import DocumentText
from wellread.types import DocumentType

SHORT_DOCUMENT = 1500
"""Characters of a document that is delivered whole: those of one passage (DESIGN, section 3)."""

_USES: dict[DocumentType, Use] = {
    "guideline": "rules",
    "playbook": "procedure",
    "reference": "facts",
    "template": "scaffold",
    "brief": "background",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A piece in every form it may take, the largest first. ``handle`` tells drafts apart;
    ``exception_to`` is that of the rule that this one is an exception to."""

    handle: str
    forms: tuple[Piece, ...]
    exception_to: str | None = None

    @property
    def sized(self) -> Sized:
        """What the budget needs to know."""
        first = self.forms[0]
        return Sized(
            handle=self.handle,
            use=first.use,
            score=first.score,
            tokens=tuple((piece.form, piece.tokens) for piece in self.forms),
            exception_to=self.exception_to,
        )


def make_drafts(delivered: Sequence[Bearing]) -> list[Draft]:
    """Sections become drafts, in the order of delivery, with what gives them their meaning. A
    document goes whole where it is short, or where several of its sections qualify that are
    most of it."""
    drafts: list[Draft] = []
    by_document: dict[int, list[Bearing]] = {}
    for one in delivered:
        by_document.setdefault(one.record.id, []).append(one)
    for group in by_document.values():
        body = group[0].document.body
        held = sum(one.section.char_end - one.section.char_start for one in group)
        if len(body) <= SHORT_DOCUMENT or (len(group) > 1 and held * 2 > len(body)):
            drafts.append(_draft(group[0], "document"))
        else:
            drafts += [_draft(one, "section") for one in group]
            drafts += _companion_drafts(group)
    return sorted(
        drafts, key=lambda one: (USE_ORDER.index(one.forms[0].use), -one.forms[0].score, one.handle)
    )


def gated(draft: Draft, purpose: str | None, purposes: Mapping[str, tuple[str, ...]]) -> Draft:
    """A draft whose text may be handed over for the stated purpose; a pointer otherwise. This
    gates ``context`` alone: who may read a document may ``read`` it."""
    allowed = purposes.get(draft.forms[0].sensitivity)
    if allowed is None or (purpose is not None and _named(purpose, allowed)):
        return draft
    pointer = replace(draft.forms[-1], withheld=f"for {', '.join(allowed)} only")
    return replace(draft, forms=(replace(pointer, tokens=piece_tokens(pointer)),))


def pointed(draft: Draft) -> Draft:
    """A draft as a pointer alone."""
    return replace(draft, forms=draft.forms[-1:])


def use_of(one: Bearing) -> Use:
    """How a piece is to be used: what is not ours or not in force is background."""
    if one.record.about != "ours" or one.standing.name in ("not-yet-valid", "expired"):
        return "background"
    return _USES[one.record.type]


def _named(purpose: str, allowed: Sequence[str]) -> bool:
    return purpose.strip().casefold() in {one.casefold() for one in allowed}


def _draft(one: Bearing, form: Form) -> Draft:
    """A section or document, its best passage where that is less, and a pointer to it."""
    section, passage = one.section, one.passage
    if form == "document":
        span = (0, len(one.document.body))
        lines = (one.record.body_line, one.record.total_lines)
    else:
        span = (section.char_start, section.char_end)
        lines = (section.line_start, section.line_end)
    forms = [_piece(one, form, span, lines)]
    best = (passage.char_start, passage.char_end)
    if best != span and best[1] - best[0] < span[1] - span[0]:
        forms.append(_piece(one, "passage", best, (passage.line_start, passage.line_end)))
    forms.append(_piece(one, "pointer", (0, 0), lines))
    return Draft(handle=forms[0].section, forms=tuple(forms))


def _companion_drafts(group: Sequence[Bearing]) -> list[Draft]:
    """The companions of the delivered sections of one document, each once, in brief."""
    delivered = {one.section.char_start for one in group}
    found: dict[int, Draft] = {}
    for one in group:
        for companion in companions(one.document, one.section):
            start = companion.char_start
            if companion.kind == "definition" and _inside(companion, group):
                continue
            if start not in delivered and start not in found:
                found[start] = _companion_draft(one, companion)
    return list(found.values())


def _inside(companion: Companion, group: Sequence[Bearing]) -> bool:
    return any(
        one.section.char_start <= companion.char_start < one.section.char_end for one in group
    )


def _companion_draft(one: Bearing, companion: Companion) -> Draft:
    body = one.document.body
    start, end = companion.char_start, companion.char_end
    first = companion.section.line_start + body.count("\n", companion.section.char_start, start)
    lines = (first, first + body.count("\n", start, max(end - 1, start)))
    home = replace(one, section=companion.section, reach="companion")
    handle = f"{one.record.path}#{companion.section.slug}"
    whole = end >= companion.section.char_end and companion.kind != "definition"
    forms = [
        _piece(home, "section" if whole else "passage", (start, end), lines),
        _piece(home, "pointer", (0, 0), lines),
    ]
    if companion.kind == "definition":
        handle = f"{handle}:{lines[0]}"
    return Draft(
        handle=handle,
        forms=tuple(replace(piece, companion_of=one.handle) for piece in forms),
        exception_to=one.handle if companion.kind == "exceptions" else None,
    )


def _piece(one: Bearing, form: Form, span: tuple[int, int], lines: tuple[int, int]) -> Piece:
    document, section, record = one.document, one.section, one.record
    before, after = _around(document, section)
    piece = Piece(
        path=record.path,
        section=one.handle,
        title=record.title,
        heading=section.heading,
        lines=lines,
        pdf_page=section.page,
        use=use_of(one),
        form=form,
        reach=one.reach,
        text=document.body[span[0] : span[1]].strip("\n"),
        tokens=0,
        type=record.type,
        type_written=record.type_written,
        state=record.lifecycle.state,
        state_explicit=record.lifecycle.state_explicit,
        about=record.about,
        sensitivity=record.sensitivity,
        standing=one.standing,
        authority=record.lifecycle.authority,
        owner=record.owner,
        updated=record.lifecycle.updated,
        similarity=one.relevance.similarity,
        score=one.score.value,
        before=before,
        after=after,
        explanation=one.score,
    )
    if form == "document":
        piece = replace(piece, section=record.path, heading=())
    return replace(piece, tokens=piece_tokens(piece))


def _around(document: DocumentText, section: Section) -> tuple[str | None, str | None]:
    """The headings before and after a section."""
    at = document.sections.index(section)
    before = document.sections[at - 1] if at else None
    after = document.sections[at + 1] if at + 1 < len(document.sections) else None
    names = [one.heading[-1] if one and one.heading else None for one in (before, after)]
    return names[0], names[1]

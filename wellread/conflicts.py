"""Where documents disagree, found among everything that may bear on a task, and which side
holds. No model: values and permissions that differ where the words around them agree.

Only what is in the caller's scope is ever compared, since only that is given.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from wellread.bearing import Bearing
from wellread.claim_words import light
from wellread.claims import Claim, Claims, claims
from wellread.delivery import Conflict, Place
from wellread.disagree import Disagreement, Relation, attribute, disagreements
from wellread.documents import Section
from wellread.folding import fold
from wellread.languages import script_of_language
from wellread.paths import resolve_document
from wellread.rank import CLASS
from wellread.standing import NEVER_DELIVERED
from wellread.store.base import DocumentRecord
from wellread.types import StandingName

COMMON = 24
"""Claims of one kind that may share a term for it to bring pairs together: a term that more
share is what the task is about, and tells no two of them from the others."""

NEAR_DUPLICATE = 0.6
"""The share of common terms, among all, from which two passages are versions of one."""

SAME_TITLE = 0.15
"""The same for pages of one title, which "Overview" and "FAQ" are alike: two versions of one page
of the pairs have .33 and more in common."""

_VERSION = re.compile(r"\(?\b(?:v(?:er(?:sion)?)?\.?\s?\d[\d.]*|\d{4}|версия \d+)\b\)?")


def find_conflicts(found: Sequence[Bearing]) -> list[Conflict]:
    """Where two documents of those found give different values for the same thing, or one
    permits what the other forbids. What nothing decides comes first."""
    read = [_read(one) for one in found if one.record.about == "ours"]
    documents = len({one.bearing.record.id for one in read})
    conflicts: dict[tuple[object, ...], tuple[float, Conflict]] = {}
    for one, other, relation in (*_pairs(read), *_parallel(read)):
        for each in disagreements(one.claims, other.claims, relation.of_texts, documents):
            conflict = _conflict(one, other, relation, each)
            key = (conflict.left.path, conflict.right.path, conflict.attribute,
                   conflict.left.value, conflict.right.value)  # fmt: skip
            if key not in conflicts or conflicts[key][0] < each.likeness:
                conflicts[key] = (each.likeness, conflict)
    ordered = sorted(conflicts.values(), key=lambda one: (one[1].stands is not None, -one[0]))
    return [conflict for _, conflict in ordered]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """What a passage or a section claims; ``start`` is where it starts in the body."""

    bearing: Bearing
    section: Section
    start: int
    claims: Claims


def _read(one: Bearing, section: Section | None = None) -> _Read:
    """The claims of a bearing's passage, or of a whole section of its document."""
    part, heading = (
        (one.passage, one.passage.heading) if section is None else (section, section.heading)
    )
    return _Read(
        bearing=one,
        section=section or one.section,
        start=part.char_start,
        claims=claims(
            one.document.body[part.char_start : part.char_end],
            " ".join((one.record.title, *heading)),
            one.record.language,
        ),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Relation:
    """How two documents are related. ``successor`` is the path of the one that replaces the
    other, ``original`` that of the one the other translates."""

    of_texts: Relation
    same_title: bool = False
    successor: str | None = None
    original: str | None = None


# --- which passages are compared -----------------------------------------------------------


def _pairs(read: Sequence[_Read]) -> Iterator[tuple[_Read, _Read, _Relation]]:
    """Passages of different documents with claims that may be about the same thing: of one
    kind, with terms in common that are not everybody's."""
    by_term: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for at, one in enumerate(read):
        for claim in one.claims.claims:
            for term in claim.wide - light():
                by_term[attribute(claim), term].append(at)
    together: set[tuple[int, int]] = set()
    for places in by_term.values():
        if len(places) <= COMMON:
            together.update(combinations(sorted(set(places)), 2))
    for a, b in sorted(together):
        one, other = read[a], read[b]
        if one.bearing.record.id == other.bearing.record.id:
            continue
        if (relation := _relation(one, other)) is not None:
            yield one, other, relation


def _parallel(read: Sequence[_Read]) -> Iterator[tuple[_Read, _Read, _Relation]]:
    """The sections of documents that are translations of each other, side by side: all that
    bear on the task in one of the two."""
    documents: dict[str, list[Bearing]] = {}
    for one in read:
        documents.setdefault(one.bearing.record.path, []).append(one.bearing)
    for ours in documents.values():
        theirs = next(
            (documents[path] for path in originals(ours[0].record) if path in documents), []
        )
        sections = [each[0].document.sections for each in (ours, theirs) if each]
        if len(sections) < 2 or len(sections[0]) != len(sections[1]):
            continue
        original = _Relation(of_texts="translation", original=theirs[0].record.path)
        for at in sorted({one.passage.section for one in (*ours, *theirs)}):
            yield _read(theirs[0], sections[1][at]), _read(ours[0], sections[0][at]), original


def _relation(one: _Read, other: _Read) -> _Relation | None:
    """How two documents are related; ``None`` where they are not to be compared: of different
    clients, none in force, or in different scripts."""
    ours, theirs = one.bearing.record, other.bearing.record
    if fold(ours.client) != fold(theirs.client):
        return None
    if _foreign(ours, theirs):
        return None
    successor = next(
        (
            new.path
            for old, new, standing in (
                (ours, theirs, one.bearing.standing), (theirs, ours, other.bearing.standing),
            )
            if new.path in (standing.successor, old.lifecycle.superseded_by)
            or old.path in new.lifecycle.supersedes
        ),
        None,
    )  # fmt: skip
    common = _common(one.claims, other.claims)
    same_title = _title(ours) == _title(theirs) != "" and common >= SAME_TITLE
    alike = same_title or successor is not None or common >= NEAR_DUPLICATE
    if not _of_today(one.bearing, other.bearing, alike):
        return None
    return _Relation(
        of_texts="same" if alike else "other", same_title=same_title, successor=successor
    )


def _of_today(one: Bearing, other: Bearing, versions: bool) -> bool:
    """Whether what two documents disagree on is worth a word: what is gone, and will not be
    delivered, counts only against a version of itself that is in force."""
    names = (one.standing.name, other.standing.name)
    gone = not NEVER_DELIVERED.isdisjoint(names)
    return not gone or (versions and any(CLASS.get(name) == 0 for name in names))


def _foreign(one: DocumentRecord, other: DocumentRecord) -> bool:
    """Whether two documents have no words to compare. The script tells: the language of a
    short page is a guess."""
    if one.path in originals(other) or other.path in originals(one):
        return True
    return script_of_language(one.language) != script_of_language(other.language)


def originals(record: DocumentRecord) -> tuple[str, ...]:
    """The paths that the document which this one translates may have: below the root of the
    library, or of its source."""
    written = record.metadata.get("translation_of")
    if not isinstance(written, str):
        return ()
    paths = (resolve_document(written, record.path, root) for root in ("", record.source))
    return tuple(dict.fromkeys(path for path in paths if path))


def _title(record: DocumentRecord) -> str:
    return " ".join(_VERSION.sub(" ", fold(record.title)).split())


def _common(one: Claims, other: Claims) -> float:
    every = len(one.terms | other.terms)
    return len(one.terms & other.terms) / every if every else 0.0


# --- what is said of them ------------------------------------------------------------------


def _conflict(one: _Read, other: _Read, relation: _Relation, each: Disagreement) -> Conflict:
    stands, why = _holds(one.bearing, other.bearing, relation)
    return Conflict(
        kind="superseded"
        if relation.successor
        else "same-title"
        if relation.same_title
        else "values",
        attribute=ATTRIBUTES.get(each.attribute, each.attribute),
        left=_place(one, each.left),
        right=_place(other, each.right),
        stands=stands,
        why=why,
    )


ATTRIBUTES: Mapping[str, str] = {"money": "amount", "percent": "percentage"}
"""Kinds of quantities in the words of readers."""


def _place(one: _Read, claim: Claim) -> Place:
    body, record = one.bearing.document.body, one.bearing.record
    first = body.count("\n", 0, one.start + claim.start)
    last = first + body.count("\n", one.start + claim.start, one.start + claim.end)
    return Place(
        path=record.path,
        section=f"{record.path}#{one.section.slug}",
        lines=(record.body_line + first, record.body_line + last),
        value=claim.value,
        sentence=claim.sentence,
    )


def _holds(one: Bearing, other: Bearing, relation: _Relation) -> tuple[str | None, str]:
    """Which of two documents holds, by path, and why: what replaces the other, then standing,
    the original before its translation, authority, and the date where it says anything."""
    if relation.successor is not None:
        old = other if one.record.path == relation.successor else one
        if old.standing.name in NEVER_DELIVERED:
            return relation.successor, f"the other is {', '.join(old.standing.reasons)}"
    ranks = [_rank(each.standing.name) for each in (one, other)]
    if ranks[0] != ranks[1]:
        better, worse = (one, other) if ranks[0] < ranks[1] else (other, one)
        reason = ", ".join(worse.standing.reasons) or worse.standing.name
        return better.record.path, f"the other is {reason}"
    if relation.original is not None:
        return relation.original, "the other is its translation"
    ours, theirs = one.record.lifecycle, other.record.lifecycle
    if ours.authority != theirs.authority:
        better, worse = (one, other) if ours.authority > theirs.authority else (other, one)
        return (
            better.record.path,
            f"its authority is {_authority(better)}, the other's {_authority(worse)}",
        )
    return _newer(one, other, relation)


def _rank(standing: StandingName) -> int:
    """As in a search, but what is not valid yet holds against nothing that is."""
    return CLASS["draft"] if standing == "not-yet-valid" else CLASS.get(standing, len(CLASS))


def _authority(bearing: Bearing) -> str:
    """How much a document's word counts, with the rule that says so."""
    life = bearing.record.lifecycle
    rule = life.said.get("authority")
    return f"{life.authority} ({rule})" if rule else str(life.authority)


def _newer(one: Bearing, other: Bearing, relation: _Relation) -> tuple[str | None, str]:
    """A newer date decides among pages of one owner or of one title, where age counts: what
    somebody else wrote later is no correction."""
    owners = {fold(each.record.owner) for each in (one, other)}
    if not relation.same_title and (len(owners) > 1 or "" in owners):
        return None, "both are as good, and of different owners"
    days = [each.record.lifecycle.updated for each in (one, other)]
    if days[0] is None or days[1] is None or days[0] == days[1]:
        return None, "both are as good, and neither is newer"
    newer, older = (one, other) if days[0] > days[1] else (other, one)
    if not older.record.lifecycle.time_sensitive:
        return None, f"both are as good, and age does not count against {older.record.path}"
    day, before = newer.record.lifecycle.updated, older.record.lifecycle.updated
    return newer.record.path, f"it is newer ({day}, the other {before})"

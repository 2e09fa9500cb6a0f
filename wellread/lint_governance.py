"""What is wrong with how documents are governed: succession, review, approval, what is always
on, triggers, sensitivity, translations and titles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from wellread.conflicts import originals
from wellread.dates import read_date
from wellread.documents import Problem
from wellread.folding import fold
from wellread.lint_synonyms import FEWEST_PASSAGES, LARGEST_SHARE, passages_with
from wellread.store.base import DocumentRecord, Snapshot
from wellread.synonyms import vanishes
from wellread.types import Scope, Sensitivity, Standing

FOR_FEW: frozenset[Sensitivity] = frozenset({"confidential", "personal"})
"""What not everybody should read. A rule about regulated matters, such as health data, is for
all to know."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Governance:
    """What documents are looked at with: the caller's view on a day, what each document by path
    is worth then, the ids of those that everybody may read, and how many passages there are."""

    snapshot: Snapshot
    scope: Scope
    today: date
    standings: Mapping[str, Standing]
    open_to_all: Collection[int]
    passages: int


def of_governance(view: Governance, records: Iterable[DocumentRecord]) -> Iterator[Problem]:
    """The mistakes of all these documents."""
    approved: list[DocumentRecord] = []
    for record in records:
        standing = view.standings[record.path]
        yield from of_succession(view, record, standing)
        yield from of_dates(view, record)
        yield from of_approval(record, view.today)
        yield from of_always_on(record)
        yield from of_triggers(view, record)
        yield from of_sensitivity(view, record)
        yield from of_translation(view, record)
        if record.lifecycle.state_explicit and standing.name in ("current", "overdue"):
            approved.append(record)
    yield from of_titles(approved)


def of_succession(
    view: Governance, record: DocumentRecord, standing: Standing
) -> Iterator[Problem]:
    """A page that replaces itself, or is replaced by what is not in force."""
    life = record.lifecycle
    for key, named in (
        ("supersedes", life.supersedes),
        ("superseded_by", (life.superseded_by,)),
    ):
        if record.path in named:
            yield _problem(
                record,
                key,
                "supersedes-itself",
                f"{key!r} names the page itself",
                "Name the other page, or remove it.",
            )
    if standing.successor is None or life.superseded_by is None:
        return
    worth = view.standings.get(standing.successor)
    if worth is not None and worth.name not in ("current", "overdue"):
        yield _problem(
            record,
            "superseded_by",
            "successor-not-in-force",
            f"'superseded_by' leads to {standing.successor}, which is {worth.reasons[0]}",
            "Name the page that holds now, or archive this one.",
        )


def of_dates(view: Governance, record: DocumentRecord) -> Iterator[Problem]:
    """A review that is overdue; an end that has passed unnoticed."""
    life = record.lifecycle
    if life.state != "approved":
        return
    if life.review_by and life.time_sensitive and life.review_by < view.today:
        key = "review_by" if "review_by" in record.key_lines else "last_reviewed_on"
        yield _problem(
            record,
            key,
            "review-overdue",
            f"Review was due by {life.review_by}",
            f"Review it and write the next day; its owner is {record.owner or 'not named'}.",
        )
    if life.valid_until and life.valid_until < view.today:
        links = [one.path for one in view.snapshot.links_to(record.path, scope=view.scope)]
        if links := [path for path in links if path != record.path]:
            more = f" and {len(links) - 1} more" if len(links) > 1 else ""
            yield _problem(
                record,
                "valid_until" if "valid_until" in record.key_lines else "expires",
                "expired-but-linked",
                f"Expired on {life.valid_until}, still approved, and linked from {links[0]}{more}",
                "Archive it, name its successor, or prolong it.",
            )


def of_approval(record: DocumentRecord, today: date) -> Iterator[Problem]:
    """A sign-off without a signer, and one on an impossible day."""
    life = record.lifecycle
    rule = record.type == "guideline" and life.state_explicit and life.state == "approved"
    if not life.approved_by and (life.approved_on or rule):
        key = "approved_on" if life.approved_on else "state"
        yield _problem(
            record,
            key,
            "approval-unsigned",
            "Approved by nobody: there is no 'approved_by'",
            "Name who signed it off.",
        )
    if life.approved_on is None:
        return
    created = read_date(str(record.metadata.get("created", "")))
    if life.approved_on > today:
        yield _problem(
            record,
            "approved_on",
            "approval-in-future",
            f"'approved_on' is {life.approved_on}, after today, {today}",
            "Correct the day, or write state: in-review until then.",
        )
    elif created is not None and life.approved_on < created:
        yield _problem(
            record,
            "approved_on",
            "approval-before-created",
            f"'approved_on' is {life.approved_on}, before 'created', {created}",
            "Correct one of the two.",
        )


def of_always_on(record: DocumentRecord) -> Iterator[Problem]:
    """What is delivered with every task must say of which domain, and be fit to be acted on."""
    if not record.always_on:
        return
    if not record.domain:
        yield _problem(
            record,
            "always_on",
            "always-on-nowhere",
            "'always_on' without a 'domain' holds nowhere",
            "Name the domain, or write domain: all.",
        )
    state = record.lifecycle.state
    unfit = "a brief" if record.type == "brief" else "" if state == "approved" else state
    if unfit:
        yield _problem(
            record,
            "always_on",
            "always-on-unfit",
            f"'always_on' for what is {unfit}: each task of its domain pays for it",
            "Take always_on out, or approve it as a guideline.",
        )


def of_triggers(view: Governance, record: DocumentRecord) -> Iterator[Problem]:
    """Triggers that call a page for everything, or for nothing."""
    for trigger in record.triggers:
        if vanishes(trigger):
            yield _problem(
                record,
                "triggers",
                "trigger-vanishes",
                f"The trigger {trigger!r} has only words that are in every task, or none",
                "Name a word of the subject.",
            )
            continue
        if view.passages < FEWEST_PASSAGES:
            continue
        count = passages_with(trigger, view.snapshot, view.scope)
        if count > LARGEST_SHARE * view.passages:
            yield _problem(
                record,
                "triggers",
                "trigger-too-common",
                f"The trigger {trigger!r} is in {count} of {view.passages} passages",
                "Name something rarer: this calls the page for tasks that it is not about.",
            )


def of_sensitivity(view: Governance, record: DocumentRecord) -> Iterator[Problem]:
    """What is for few, and yet readable by everyone."""
    if record.sensitivity in FOR_FEW and record.id in view.open_to_all:
        yield _problem(
            record,
            "sensitivity",
            "sensitive-open",
            f"sensitivity: {record.sensitivity}, and everyone may read it",
            "Limit it with access: [GROUP]; sensitivity is no access rule.",
        )


def of_translation(view: Governance, record: DocumentRecord) -> Iterator[Problem]:
    """A translation of nothing, or into the language of its original."""
    paths = originals(record)
    if not paths:
        return
    found = view.snapshot.find_all(paths, scope=view.scope)
    original = next((found[path] for path in paths if path in found), None)
    if original is None:
        yield _problem(
            record,
            "translation_of",
            "broken-translation-of",
            f"'translation_of' names {paths[-1]}, which is no document",
            "Write its path as search shows it.",
        )
    elif original.language == record.language:
        yield _problem(
            record,
            "translation_of",
            "translation-same-language",
            f"'translation_of' names {original.path}, which is in the same language, "
            f"{record.language!r}",
            "Write supersedes if one replaces the other, or correct 'language'.",
        )


def of_titles(approved: Iterable[DocumentRecord]) -> Iterator[Problem]:
    """Two pages of one title, of which both are explicitly approved and in force."""
    first: dict[tuple[str, str, str], DocumentRecord] = {}
    for record in approved:
        key = (fold(record.title), record.language, fold(record.client))
        other = first.setdefault(key, record)
        if other is not record:
            yield _problem(
                record,
                "title",
                "title-repeated",
                f"The title {record.title!r} is that of {other.path} too, and both are approved "
                "and in force",
                "Write supersedes into the one that holds, or tell them apart by title.",
            )


def _problem(record: DocumentRecord, key: str, code: str, fact: str, remedy: str) -> Problem:
    line = record.key_lines.get(key, 1)
    message = f"{fact} in {record.path}:{line}. {remedy}"
    return Problem(path=record.path, line=line, code=code, message=message)

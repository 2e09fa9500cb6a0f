"""Every mistake in the documents, by path and line: what parsing noted, and what only shows
in the company of the others. Within the caller's scope, a hidden target is a missing one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import date
from typing import TYPE_CHECKING

from wellread.documents import Link, Problem
from wellread.kinds import kind_of
from wellread.lint_governance import Governance, of_governance
from wellread.read import link_targets
from wellread.standing import standings_in
from wellread.store.base import DocumentRecord, DocumentText, Snapshot
from wellread.types import Filters, Scope

if TYPE_CHECKING:
    from wellread.synonyms import Synonyms

FileExists = Callable[[str], bool]
"""Whether a library path that is no document is a file of its source."""


def lint(
    snapshot: Snapshot,
    *,
    scope: Scope,
    today: date,
    open_to_all: Collection[int],
    exists: FileExists | None,
    synonyms: tuple[str, Synonyms] | None = None,
) -> tuple[Problem, ...]:
    """All problems of the documents in scope and of a dictionary with the name of its file,
    sorted by path, line and code. ``open_to_all`` are the ids of the documents that everybody may
    read. Without ``exists`` nothing is said of files that are no documents."""
    problems = list(snapshot.problems(scope=scope))
    records: list[DocumentRecord] = []
    passages = 0
    for document_id in snapshot.document_ids(scope=scope, filters=Filters()):
        document = snapshot.text(document_id, scope=scope)
        if document is not None:
            problems += of_document(snapshot, document, scope=scope)
            problems += of_files(document, exists)
            records.append(document.record)
            passages += len(document.passages)
    view = Governance(
        snapshot=snapshot,
        scope=scope,
        today=today,
        standings=standings_in(snapshot, records, scope=scope, today=today),
        open_to_all=open_to_all,
        passages=passages,
    )
    problems += of_governance(view, records)
    if synonyms is not None:
        from wellread.lint_synonyms import of_synonyms

        name, dictionary = synonyms
        problems += of_synonyms(dictionary, snapshot, scope=scope, name=name, passages=passages)
    return tuple(sorted(problems, key=lambda one: (one.path, one.line, one.code, one.message)))


def of_files(document: DocumentText, exists: FileExists | None) -> Iterator[Problem]:
    """Links and attachments to files that are not there."""
    path = document.record.path
    if exists is None:
        return
    said: set[str] = set()
    for link in document.links:
        if not is_page(link.target) and not exists(link.target):
            said.add(link.target)
            yield broken_link(path, link, f"No file {link.target}")
    for one in document.attachments:
        if one.path not in said and not exists(one.path):
            yield Problem(
                path=path,
                line=one.line,
                code="broken-attachment",
                message=f"Missing attachment '{one.path}' in {path}:{one.line}. No such file; "
                "correct its path, or remove it.",
            )


def is_page(target: str) -> bool:
    """Whether a link target means a document: by its ending, or for want of one."""
    return kind_of(target) is not None or "." not in target.rpartition("/")[2]


def broken_link(path: str, link: Link, fact: str) -> Problem:
    """A link that leads nowhere."""
    return Problem(
        path=path,
        line=link.line,
        code="broken-link",
        message=f"Broken link '{link.written}' in {path}:{link.line}. {fact}; correct the "
        "path, or remove the link.",
    )


def of_document(snapshot: Snapshot, document: DocumentText, *, scope: Scope) -> Iterator[Problem]:
    """What is wrong between a document and the others."""
    path = document.record.path
    life = document.record.lifecycle
    meant = link_targets(snapshot, [link.target for link in document.links], scope=scope)
    anchors: dict[int, frozenset[str]] = {}
    for link in document.links:
        target = meant.get(link.target)
        if target is None:
            if is_page(link.target):
                yield broken_link(path, link, f"No document {link.target}")
        elif link.anchor:
            if target.id not in anchors:
                anchors[target.id] = slugs_of(snapshot, target.id, scope=scope)
            if link.anchor.casefold() not in anchors[target.id]:
                yield Problem(
                    path=path,
                    line=link.line,
                    code="broken-anchor",
                    message=f"Broken anchor '{link.written}' in {path}:{link.line}. "
                    f"{target.path} has no heading '#{link.anchor}'; see "
                    f"`wellread read {target.path} --outline`.",
                )
    named = {*life.supersedes, *([life.superseded_by] if life.superseded_by else [])}
    found = snapshot.find_all(named, scope=scope)
    for key, names in (
        ("supersedes", life.supersedes),
        ("superseded_by", (life.superseded_by,) if life.superseded_by else ()),
    ):
        line = document.record.key_lines.get(key, 1)
        for name in names:
            if name not in found:
                yield Problem(
                    path=path,
                    line=line,
                    code=f"broken-{key.replace('_', '-')}",
                    message=f"'{key}' in {path}:{line} names {name}, which is no document. "
                    "Write its path as search shows it.",
                )
    yield from circle(snapshot, document.record, scope=scope)


def slugs_of(snapshot: Snapshot, document_id: int, *, scope: Scope) -> frozenset[str]:
    """Every anchor of a document, casefolded: headings, sections and pages."""
    target = snapshot.text(document_id, scope=scope)
    if target is None:
        return frozenset()
    slugs = [heading.slug for heading in target.headings]
    slugs += [section.slug for section in target.sections]
    return frozenset(slug.casefold() for slug in slugs)


def circle(snapshot: Snapshot, record: DocumentRecord, *, scope: Scope) -> Iterator[Problem]:
    """A document that in the end replaces itself, whichever of the pages says so."""
    seen: set[str] = set()
    waiting = replacing(snapshot, record, scope=scope)
    while waiting:
        other = waiting.pop()
        if other.path == record.path:
            lines = record.key_lines
            line = lines.get("supersedes", lines.get("superseded_by", 1))
            yield Problem(
                path=record.path,
                line=line,
                code="supersession-circle",
                message=f"{record.path} replaces itself by way of others, so which of them holds "
                "cannot be known. Remove one 'supersedes' or 'superseded_by' of the circle.",
            )
            return
        if other.path not in seen:
            seen.add(other.path)
            waiting += replacing(snapshot, other, scope=scope)


def replacing(snapshot: Snapshot, record: DocumentRecord, *, scope: Scope) -> list[DocumentRecord]:
    """The other documents that replace one directly, by its own word or by theirs."""
    found = list(snapshot.superseders(record.path, scope=scope))
    own = record.lifecycle.superseded_by
    named = snapshot.find(own, scope=scope) if own else None
    everyone = [*found, named] if named is not None else found
    return [one for one in everyone if one.path != record.path]

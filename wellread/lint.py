"""Every mistake in the documents, by path and line: what parsing noted, and what only shows
in the company of the others. Within the caller's scope, a hidden target is a missing one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from wellread.store.base import DocumentText, Snapshot
from wellread.types import Filters, Problem, Scope


def lint(snapshot: Snapshot, *, scope: Scope, today: date) -> tuple[Problem, ...]:
    """All problems of the documents in scope, sorted by path, line and code."""
    problems = list(snapshot.problems(scope=scope))
    for document_id in snapshot.document_ids(scope=scope, filters=Filters()):
        document = snapshot.text(document_id, scope=scope)
        if document is not None:
            problems += of_document(snapshot, document, scope=scope, today=today)
    return tuple(sorted(problems, key=lambda one: (one.path, one.line, one.code, one.message)))


def of_document(
    snapshot: Snapshot, document: DocumentText, *, scope: Scope, today: date
) -> Iterator[Problem]:
    """What is wrong between a document and the others."""
    path = document.record.path
    life = document.record.lifecycle
    targets = {link.target for link in document.links} | set(life.supersedes)
    if life.superseded_by:
        targets.add(life.superseded_by)
    found = snapshot.find_all(targets, scope=scope)
    for link in document.links:
        if link.target not in found:
            yield Problem(
                path=path,
                line=link.line,
                code="broken-link",
                message=f"Broken link '{link.written}' in {path}:{link.line}. No document "
                f"{link.target}; correct the path, or remove the link.",
            )
        elif link.anchor and not anchored(snapshot, found[link.target].id, link.anchor, scope):
            yield Problem(
                path=path,
                line=link.line,
                code="broken-anchor",
                message=f"Broken anchor '{link.written}' in {path}:{link.line}. {link.target} "
                f"has no heading '#{link.anchor}'; see `wellread read {link.target} --outline`.",
            )
    for key, names in (
        ("supersedes", life.supersedes),
        ("superseded_by", (life.superseded_by,) if life.superseded_by else ()),
    ):
        for name in names:
            if name not in found:
                yield Problem(
                    path=path,
                    line=1,
                    code=f"broken-{key.replace('_', '-')}",
                    message=f"'{key}' in {path} names {name}, which is no document. Write its "
                    "path as search shows it.",
                )
    yield from circle(snapshot, path, life.supersedes, scope=scope)


def anchored(snapshot: Snapshot, document_id: int, anchor: str, scope: Scope) -> bool:
    """Whether a document has a heading, a section or a page of that slug."""
    target = snapshot.text(document_id, scope=scope)
    if target is None:
        return False
    slugs = {heading.slug for heading in target.headings}
    slugs.update(section.slug for section in target.sections)
    return anchor in slugs or anchor.casefold() in {slug.casefold() for slug in slugs}


def circle(
    snapshot: Snapshot, path: str, supersedes: Iterable[str], *, scope: Scope
) -> Iterator[Problem]:
    """A document that in the end supersedes itself."""
    seen: set[str] = set()
    waiting = list(supersedes)
    while waiting:
        name = waiting.pop()
        if name == path:
            yield Problem(
                path=path,
                line=1,
                code="supersession-circle",
                message=f"{path} supersedes itself by way of others, so none of them is "
                "superseded. Remove one of the 'supersedes'.",
            )
            return
        if name in seen:
            continue
        seen.add(name)
        record = snapshot.find(name, scope=scope)
        if record is not None:
            waiting += record.lifecycle.supersedes

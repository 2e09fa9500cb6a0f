"""Rules of the configuration that hold for no document: a misspelt folder protects nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wellread.authority import SHIPPED
from wellread.documents import Problem
from wellread.globs import matcher
from wellread.store.base import DocumentRecord
from wellread.types import AccessRules, AuthorityRule, DefaultRule


def idle_rules(
    access: AccessRules, defaults: Sequence[DefaultRule], paths: Sequence[str], *, name: str
) -> Iterator[Problem]:
    """Rules whose path matches none of these; ``name`` is the file that they stand in."""
    for table, patterns in (
        ("access.rules", [rule.path for rule in access.rules]),
        ("defaults", [rule.path for rule in defaults]),
    ):
        for pattern in dict.fromkeys(patterns):
            if not any(map(matcher(pattern), paths)):
                yield Problem(
                    path=name,
                    line=1,
                    code="rule-without-documents",
                    message=f"[[{table}]] path = {pattern!r} matches no document of the library, "
                    "so it changes nothing. Correct the path, or take the rule out.",
                )


def idle_authority(
    rules: Sequence[AuthorityRule], documents: Iterable[DocumentRecord], *, name: str
) -> Iterator[Problem]:
    """Rules of authority of the house that decide for none of these documents."""
    deciding = {record.lifecycle.said.get("authority") for record in documents}
    for rule in rules:
        if rule not in SHIPPED and rule.name not in deciding:
            yield Problem(
                path=name,
                line=1,
                code="rule-without-documents",
                message=f"[[authority.rules]] {rule.name!r} gives no document of the library its "
                "authority. Correct what it asks for, move it up, or take it out.",
            )

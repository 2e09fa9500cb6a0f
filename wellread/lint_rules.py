"""Rules of the configuration that hold for no document: a misspelt folder protects nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wellread.documents import Problem
from wellread.globs import matcher
from wellread.types import AccessRules, DefaultRule


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

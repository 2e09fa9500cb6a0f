"""How much a document's word counts, 1 to 5, by open rules over who owns, wrote and signed it,
where it does not say so itself. The first rule that fits decides. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from wellread import globs
from wellread.types import AuthorityRule

DEFAULT = 3
"""The authority of what no rule fits (DESIGN, section 3)."""

SHIPPED: tuple[AuthorityRule, ...] = (
    AuthorityRule(
        name="a chat pasted into a page",
        authority=1,
        by=("*slack*", "*telegram*", "*whatsapp*", "chat", "chat *", "* chat", "чат", "чат *"),
    ),
    AuthorityRule(
        name="a guideline signed off by Legal",
        authority=5,
        type=("guideline",),
        approved_by=("*legal*", "*counsel*", "*compliance*", "*юрист*", "*юридич*", "*комплаенс*"),
    ),
    AuthorityRule(name="signed off", authority=4, approved=True),
    AuthorityRule(
        name="written by a newcomer",
        authority=2,
        by=("intern", "intern *", "* intern", "* intern *", "*trainee*", "*стаж[её]р*"),
    ),
)
"""Rules that hold after those of ``wellread.toml``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AuthorityFacts:
    """What rules look at: the type by its name and as it is written, and the texts of the keys
    of the same names. ``approved``: somebody else than the author, or some day, is named for it,
    and its state does not take it back."""

    path: str
    type: tuple[str, ...] = ()
    owner: str = ""
    author: str = ""
    approved_by: str = ""
    approved_under: str = ""
    approved: bool = False


def authority_of(facts: AuthorityFacts, rules: Sequence[AuthorityRule]) -> tuple[int, str]:
    """The authority of a document, and the name of the rule that gives it, ``""`` for none."""
    for rule in rules:
        if fits(rule, facts):
            return rule.authority, rule.name
    return DEFAULT, ""


def fits(rule: AuthorityRule, facts: AuthorityFacts) -> bool:
    """Whether a document is all that a rule asks for."""
    return (
        (rule.approved is None or rule.approved == facts.approved)
        and _any(rule.type, *facts.type)
        and _any(rule.owner, facts.owner)
        and _any(rule.author, facts.author)
        and _any(rule.by, facts.owner, facts.author)
        and _any(rule.approved_by, facts.approved_by if facts.approved else "")
        and _any(rule.approved_under, facts.approved_under)
        and (rule.path is None or globs.matches(rule.path, facts.path))
    )


def _any(patterns: tuple[str, ...] | None, *texts: str) -> bool:
    if patterns is None:
        return True
    folded = [text.casefold() for text in texts if text]
    return any(fnmatchcase(text, pattern) for text in folded for pattern in patterns)

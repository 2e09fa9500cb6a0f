"""The words of the format: its keys, and other words for types and states."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from wellread.types import STATES, DocumentType, StandingWord, State

KEYS: tuple[str, ...] = (
    "title",
    "type",
    "access",
    "deny",
    "state",
    "owner",
    "author",
    "approved_by",
    "approved_on",
    "approved_under",
    "authority",
    "domain",
    "always_on",
    "triggers",
    "about",
    "updated",
    "review_by",
    "last_reviewed_on",
    "review_in",
    "valid_from",
    "valid_until",
    "time_sensitive",
    "supersedes",
    "superseded_by",
    "translation_of",
    "sensitivity",
    "client",
    "aliases",
    "tags",
    "attachments",
    "language",
    "status",
    "draft",
    "deprecated",
    "archived",
    "expires",
)
"""Every key that is understood; all others are metadata."""

TYPE_ALIASES: Mapping[str, DocumentType] = {
    "policy": "guideline",
    "standard": "guideline",
    "rule": "guideline",
    "rules": "guideline",
    "runbook": "playbook",
    "procedure": "playbook",
    "process": "playbook",
    "how-to": "playbook",
    "howto": "playbook",
    "sop": "playbook",
    "faq": "reference",
    "glossary": "reference",
    "form": "template",
    "background": "brief",
}
"""Words for a type that are understood everywhere; ``[types.aliases]`` adds to them."""

STATE_ALIASES: Mapping[str, State] = {
    "wip": "draft",
    "in review": "in-review",
    "in_review": "in-review",
    "review": "in-review",
    "active": "approved",
    "final": "approved",
    "published": "approved",
    "obsolete": "deprecated",
}
"""Words for a state, of ``state`` and of ``status``."""

STATUS_WORDS: Mapping[str, StandingWord] = {
    "accepted": "approved",
    "provisional": "approved",
    "proposed": "in-review",
    "deferred": "draft",
    "rejected": "deprecated",
    "withdrawn": "deprecated",
    "outdated": "deprecated",
    "retired": "deprecated",
    "superseded": "superseded",
    "replaced": "superseded",
    "черновик": "draft",
    "на согласовании": "in-review",
    "действует": "approved",
    "утвержден": "approved",
    "утверждено": "approved",
    "устарел": "deprecated",
    "устарело": "deprecated",
    "отменен": "deprecated",
    "утратил силу": "deprecated",
    "архив": "archived",
    "в архиве": "archived",
    "заменен": "superseded",
    "заменено": "superseded",
}
"""Further words of ``status`` and of a header's ``Status:``: those of PEPs and of decision
records, and Russian ones."""

_KNOWN = frozenset(KEYS)


def state_of(written: str) -> State | None:
    """The state that a word means, ``None`` for any other word."""
    word = written.strip().casefold()
    return next((state for state in STATES if state == word), None) or STATE_ALIASES.get(word)


_FIRST_WORDS = re.compile(r"\s+(?:by|in|since|on|с|от|на|документом)\b|[(\[,;:.]")


def standing_word(written: str, words: Mapping[str, StandingWord]) -> StandingWord | None:
    """What the words of a status mean, by ``words`` first; what follows ("by ADR-12", "since
    May", a bracket) is left out. ``None`` for any other."""
    whole = " ".join(written.casefold().replace("ё", "е").split()).strip("*_`\"'")
    for word in (whole, _FIRST_WORDS.split(whole, maxsplit=1)[0].strip("*_`\"' ")):
        found = words.get(word) or state_of(word) or STATUS_WORDS.get(word)
        if found is not None:
            return found
    return None


@lru_cache(maxsize=4096)
def known_name(key: str) -> str | None:
    """The key that is meant: case, ``-`` and blanks for ``_`` make no difference."""
    if key in _KNOWN:
        return key
    name = unicodedata.normalize("NFKC", key).strip().casefold().replace("-", "_")
    name = name.replace(" ", "_")
    return name if name in _KNOWN else None


@lru_cache(maxsize=4096)
def misspelt_access(key: str) -> str | None:
    """``access`` or ``deny`` where the key is another spelling of it, by case or one edit."""
    if key in _KNOWN:
        return None
    # Imported here: a search never needs it (6 ms).
    from rapidfuzz.distance import OSA

    word = unicodedata.normalize("NFKC", key).strip().casefold()
    for meant in ("access", "deny"):
        if abs(len(word) - len(meant)) <= 1 and OSA.distance(word, meant) <= 1:
            return meant
    return None

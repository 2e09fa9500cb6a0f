"""Frontmatter → typed values, each mistake reported by path and line.

A value that cannot be understood counts as left out, except in ``access`` and ``deny``:
there it seals the document (nobody but the local owner reads it).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import get_args

from wellread.authority import AuthorityFacts, authority_of
from wellread.dates import add_period, read_period
from wellread.documents import Problem
from wellread.frontmatter import Frontmatter
from wellread.paths import KINDS, attachment_kind, resolve
from wellread.types import (
    SENSITIVITIES,
    STATES,
    TYPES,
    About,
    Attachment,
    DocumentType,
    Lifecycle,
    ParseRules,
    Sensitivity,
    State,
)
from wellread.values import Values, known
from wellread.vocabulary import TYPE_ALIASES, known_name, standing_word, state_of

_ABOUT: tuple[About, ...] = get_args(About)


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenAccess:
    """What a document itself says of its readers, or what defaults say of them alone:
    ``access`` is ``None`` and ``deny`` empty where the key is absent."""

    access: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    sealed: bool = False

    def over(self, defaults: WrittenAccess) -> WrittenAccess:
        """This where it says something, the defaults elsewhere. Defaults that cannot be
        understood seal whatever they are meant for."""
        return WrittenAccess(
            access=self.access if self.access is not None else defaults.access,
            deny=self.deny or defaults.deny,
            sealed=self.sealed or defaults.sealed,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Fields:
    """What a document's frontmatter and the defaults for its path say, typed."""

    title: str | None
    type: DocumentType
    type_written: str
    language: str | None
    lifecycle: Lifecycle
    own_access: tuple[str, ...] | None
    own_deny: tuple[str, ...]
    sealed: bool
    written: WrittenAccess
    owner: str
    author: str
    domain: str
    client: str
    about: About
    sensitivity: Sensitivity
    always_on: bool
    triggers: tuple[str, ...]
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    translation_of: str | None
    attachments: tuple[Attachment, ...]
    key_lines: Mapping[str, int] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    defaulted: frozenset[str] = frozenset()
    """The keys whose values come from ``[[defaults]]``."""


def read_fields(front: Frontmatter, path: str, rules: ParseRules, root: str = "") -> Fields:
    """The typed values of one document. ``root`` is the source's folder in the library, ``""``
    where there is one source. Never raises: what is wrong is in ``problems``."""
    return _fields(Values(front, path, rules, root), rules)


def default_access(path: str, rules: ParseRules) -> WrittenAccess:
    """What ``[[defaults]]`` say of the readers of a path."""
    fields = read_fields(Frontmatter(), path, rules)
    return WrittenAccess(access=fields.own_access, deny=fields.own_deny, sealed=fields.sealed)


def _fields(values: Values, rules: ParseRules) -> Fields:
    if not values.given and not values.misspelt and not values.front.broken:
        return _nothing(values, rules)
    for key in sorted(values.front.repeated, key=lambda key: values.front.lines.get(key, 1)):
        name = known_name(key) or key
        values.lines.setdefault(name, values.front.lines.get(key, 1))
        holds = "The last one holds."
        if name in ("access", "deny"):
            holds = "Write it once; until then only the local owner can read the document."
        values.report(name, "key-repeated", f"{key!r} is written twice", holds)
    access, deny, sealed, itself = _access(values)
    type_, written = _type(values, rules)
    owner, author = values.text("owner"), values.text("author")
    lifecycle = _lifecycle(values, rules)
    if "authority" not in values.given:
        facts = AuthorityFacts(
            path=values.path,
            type=(type_, written),
            owner=owner,
            author=author,
            approved_by=lifecycle.approved_by,
            approved_under=values.text("approved_under"),
            approved=_signed_off(lifecycle, author),
        )
        lifecycle = _with_authority(lifecycle, facts, rules)
    else:
        values.text("approved_under")  # kept as metadata; a mistake in it is told all the same
    return Fields(
        title=values.text("title") or None,
        type=type_,
        type_written=written,
        language=_language(values),
        lifecycle=lifecycle,
        own_access=access,
        own_deny=deny,
        sealed=sealed,
        written=itself,
        owner=owner,
        author=author,
        domain=values.text("domain", one=True),
        client=values.text("client"),
        about=values.choice("about", _ABOUT, "ours"),
        sensitivity=values.choice("sensitivity", SENSITIVITIES, "internal"),
        always_on=values.flag("always_on", False),
        triggers=values.words("triggers"),
        aliases=values.words("aliases"),
        tags=values.words("tags"),
        translation_of=values.document("translation_of"),
        attachments=_attachments(values),
        key_lines=values.lines,
        metadata=values.metadata,
        problems=tuple(sorted(values.problems, key=lambda problem: problem.line)),
        defaulted=frozenset(values.from_default),
    )


def _signed_off(lifecycle: Lifecycle, author: str) -> bool:
    """Whether somebody, or some day, is named for it: somebody else than who wrote it."""
    signer = lifecycle.approved_by.casefold()
    return (
        lifecycle.state == "approved"
        and bool(signer or lifecycle.approved_on)
        and not (signer and signer == author.casefold())
    )


def _with_authority(lifecycle: Lifecycle, facts: AuthorityFacts, rules: ParseRules) -> Lifecycle:
    """By the rules, where any fits."""
    authority, name = authority_of(facts, rules.authority)
    if not name:
        return lifecycle
    return replace(lifecycle, authority=authority, said={**lifecycle.said, "authority": name})


def _access(values: Values) -> tuple[tuple[str, ...] | None, tuple[str, ...], bool, WrittenAccess]:
    sealed = self_sealed = values.front.broken
    for key, meant in values.misspelt:
        sealed = True
        self_sealed = self_sealed or key in values.front.values
        values.report(
            key,
            "access-misspelt",
            f"{key!r} looks like {meant!r}",
            f"Write it {meant}; until then only the local owner can read the document.",
        )
    lists: dict[str, tuple[str, ...] | None] = {}
    for key in ("access", "deny"):
        lists[key] = None
        if key not in values.given:
            continue
        principals = _principals(values.given[key])
        if principals is None or key in values.front.repeated:
            sealed = True
            self_sealed = self_sealed or key not in values.from_default
        if principals is None:
            shown = "is empty" if _is_empty(values.given[key]) else "cannot be understood"
            values.report(
                key,
                "access-unreadable",
                f"{key!r} {shown}",
                f"List groups or user:NAME, as in {key}: [sales, user:ann@example.com]; "
                "until then only the local owner can read the document.",
            )
        lists[key] = principals
    own = lists["access"]
    if own is None and "access" in values.given:
        own = ()
    deny = lists["deny"] or ()
    written = WrittenAccess(
        access=None if "access" in values.from_default else own,
        deny=() if "deny" in values.from_default else deny,
        sealed=self_sealed,
    )
    return own, deny, sealed, written


def _type(values: Values, rules: ParseRules) -> tuple[DocumentType, str]:
    written = values.text("type", one=True)
    if not written:
        return "reference", "reference"
    word = unicodedata.normalize("NFC", written).casefold()
    found = rules.type_aliases.get(word)
    if found is None:
        found = next((name for name in TYPES if name == word), None) or TYPE_ALIASES.get(word)
    if found is None:
        values.report(
            "type",
            "type-unknown",
            f"Unknown type {written!r}",
            f"{known(TYPES)[:-1]}; map others in [types.aliases].",
        )
    return found or "reference", written


def _language(values: Values) -> str | None:
    """A two-letter code, of ``en``, ``en-GB`` or ``en_US``; other words are not ours."""
    value = values.given.get("language")
    if not isinstance(value, str):
        return None
    code = value.strip().casefold().replace("_", "-").split("-")[0]
    return code if len(code) == 2 and code.isascii() and code.isalpha() else None


def _authority(values: Values) -> int:
    written = values.text("authority", one=True)
    if written in ("1", "2", "3", "4", "5"):
        return int(written)
    if written:
        values.report(
            "authority",
            "value-unreadable",
            f"'authority' is {written!r}",
            "Write a number from 1 (personal note) to 5 (signed-off canon).",
        )
    return 3


def _attachments(values: Values) -> tuple[Attachment, ...]:
    value = values.given.get("attachments")
    if value is None:
        return ()
    line = values.lines.get("attachments", 1)
    found = []
    for item in value if isinstance(value, list) else [value]:
        entry = item if isinstance(item, dict) else {"path": item}
        written = entry.get("path")
        path = resolve(written, values.path, values.root) if isinstance(written, str) else None
        if path is None:
            values.report(
                "attachments",
                "attachment-unreadable",
                f"An attachment has no path of a file: {item!r}",
                "Write - {path: checklist.csv, kind: reference, title: Checklist}.",
            )
            continue
        kind = str(entry.get("kind") or "").strip().casefold()
        if kind and kind not in KINDS:
            values.report(
                "attachments",
                "attachment-kind-unknown",
                f"Unknown kind {kind!r} of the attachment {written}",
                known(tuple(KINDS)),
            )
            kind = ""
        title = entry.get("title")
        found.append(
            Attachment(
                path=path,
                kind=kind or attachment_kind(path),
                title=title.strip() if isinstance(title, str) else "",
                line=line,
            )
        )
    return tuple(found)


def _lifecycle(values: Values, rules: ParseRules) -> Lifecycle:
    said: dict[str, str] = {}
    state = _state(values, rules, said)
    valid_from = values.day("valid_from")
    valid_until = values.day("valid_until") or values.day("expires")
    key = "valid_until" if "valid_until" in values.given else "expires"
    if valid_until and key == "expires":
        said["valid_until"] = "expires"
    if valid_from and valid_until and valid_from > valid_until:
        values.report(
            key,
            "dates-crossed",
            f"{key!r} ({valid_until}) is before 'valid_from' ({valid_from})",
            "Exchange them or correct one.",
        )
    return Lifecycle(
        state=state or "approved",
        state_explicit=state is not None,
        authority=_authority(values),
        time_sensitive=values.flag("time_sensitive", True),
        updated=values.day("updated"),
        review_by=_review_by(values, said),
        valid_from=valid_from,
        valid_until=valid_until,
        supersedes=values.documents("supersedes"),
        superseded_by=values.document("superseded_by"),
        approved_by=values.text("approved_by") or "",
        approved_on=values.day("approved_on"),
        said=said,
    )


def _state(values: Values, rules: ParseRules, said: dict[str, str]) -> State | None:
    written = values.text("state", one=True)
    state = state_of(written)
    if written and state is None:
        values.report("state", "state-unknown", f"Unknown state {written!r}", known(STATES))
    if state is None and isinstance(status := values.given.get("status"), str):
        # A common word for other things: not understood is fine.
        meant = standing_word(status, rules.standing.words)
        words = f"status: {' '.join(status.split())[:40]}"
        if meant == "superseded":
            said["superseded"] = words
        elif meant is not None:
            said["state"] = words
            return meant
    if state is None:
        marks: tuple[State, ...] = ("archived", "deprecated", "draft")
        for key in marks:
            if values.flag(key, False):
                said["state"] = f"{key}: true"
                return key
    return state


def _review_by(values: Values, said: dict[str, str]) -> date | None:
    explicit = values.day("review_by")
    start = values.day("last_reviewed_on")
    written = values.text("review_in", one=True)
    period = read_period(written) if written else None
    if written and period is None:
        values.report(
            "review_in",
            "period-unreadable",
            f"'review_in' is {written!r}, which is no period",
            "Write it as 6 months, 90 days or 1 year.",
        )
    if explicit is None and period and start is None and "last_reviewed_on" not in values.given:
        values.report(
            "review_in",
            "period-without-start",
            "'review_in' has no 'last_reviewed_on' to count from",
            "Add last_reviewed_on: 2026-01-31, or write review_by.",
        )
    if explicit is None and start and period:
        said["review_by"] = f"last reviewed on {start}, review in {written}"
        return add_period(start, period)
    return explicit


def _nothing(values: Values, rules: ParseRules) -> Fields:
    facts = AuthorityFacts(path=values.path, type=("reference",))
    return Fields(
        title=None,
        type="reference",
        type_written="reference",
        language=None,
        lifecycle=_with_authority(Lifecycle(), facts, rules),
        own_access=None,
        own_deny=(),
        sealed=False,
        written=WrittenAccess(),
        owner="",
        author="",
        domain="",
        client="",
        about="ours",
        sensitivity="internal",
        always_on=False,
        triggers=(),
        aliases=(),
        tags=(),
        translation_of=None,
        attachments=(),
        metadata=values.metadata,
    )


def _principals(value: object) -> tuple[str, ...] | None:
    """Groups and ``user:NAME``, or ``None`` where the value is empty or anything else."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list) or not value:
        return None
    found = []
    for item in value:
        if not isinstance(item, str):
            return None
        name = item.strip()
        kind, colon, rest = name.partition(":")
        if not name or (colon and kind.strip().casefold() == "user" and not rest.strip()):
            return None
        found.append(name)
    return tuple(dict.fromkeys(found))


def _is_empty(value: object) -> bool:
    return value in (None, "", [], {}) or (isinstance(value, str) and not value.strip())

"""Frontmatter → typed values, each mistake reported by path and line.

A value that cannot be understood counts as left out, except in ``access`` and ``deny``:
there it seals the document (nobody but the local owner reads it).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar, get_args

from wellread import globs
from wellread.dates import add_period, read_date, read_period
from wellread.frontmatter import Frontmatter
from wellread.paths import KINDS, attachment_kind, resolve, resolve_document
from wellread.types import (
    STATES,
    TYPES,
    About,
    Attachment,
    DocumentType,
    Lifecycle,
    ParseRules,
    Problem,
    Sensitivity,
    State,
)
from wellread.vocabulary import TYPE_ALIASES, known_name, misspelt_access, state_of

_T = TypeVar("_T", bound=str)
_TRUE = frozenset(("true", "yes", "on"))
_FALSE = frozenset(("false", "no", "off"))
_ABOUT: tuple[About, ...] = get_args(About)
_SENSITIVITIES: tuple[Sensitivity, ...] = get_args(Sensitivity)


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


def read_fields(front: Frontmatter, path: str, rules: ParseRules, root: str = "") -> Fields:
    """The typed values of one document. ``root`` is the source's folder in the library, ``""``
    where there is one source. Never raises: what is wrong is in ``problems``."""
    return _Reader(front, path, rules, root).read()


def default_access(path: str, rules: ParseRules) -> WrittenAccess:
    """What ``[[defaults]]`` say of the readers of a path."""
    fields = read_fields(Frontmatter(), path, rules)
    return WrittenAccess(access=fields.own_access, deny=fields.own_deny, sealed=fields.sealed)


class _Reader:
    def __init__(self, front: Frontmatter, path: str, rules: ParseRules, root: str) -> None:
        self._path = path
        self._root = root
        self._rules = rules
        self._front = front
        self._problems: list[Problem] = list(front.problems)
        self._lines: dict[str, int] = {}
        self._from_default: dict[str, str] = {}
        self._values: dict[str, object] = {}
        self._misspelt: list[tuple[str, str]] = []
        self.metadata: dict[str, object] = {}
        for rule in rules.defaults:
            if globs.matches(rule.path, path):
                for key, value in rule.values.items():
                    self._take(key, _as_written(value), 1, rule.path)
        own: set[str] = set()
        for key, value in front.values.items():
            # The exact spelling wins over another one of the same key in the same page; not of
            # the keys of access, where either may be the one that was meant.
            name = known_name(key)
            if name and name != key and name in front.values and not misspelt_access(key):
                self.metadata[key] = value
                continue
            if value is None and name not in ("access", "deny"):
                self.metadata.setdefault(key, None)
                continue  # nothing is written after the colon: as if it were left out
            if name and name not in own:
                self._forget(name)
                own.add(name)
            self._take(key, value, front.lines.get(key, 1), None)

    def _take(self, key: str, value: object, line: int, default: str | None) -> None:
        self.metadata[key] = value
        meant = misspelt_access(key)
        if meant:
            self._misspelt.append((key, meant))
            self._lines[key] = line
            return
        name = known_name(key)
        if name is None:
            return
        self._values[name] = value
        self._lines[name] = line
        if default is not None:
            self._from_default[name] = default

    def _forget(self, name: str) -> None:
        """Drops what a default said: the document's own value wins."""
        self._from_default.pop(name, None)
        for key in [key for key in self.metadata if known_name(key) == name]:
            del self.metadata[key]

    def _report(self, key: str, code: str, fact: str, advice: str) -> None:
        line = self._lines.get(key, 1)
        default = self._from_default.get(key)
        where = f"{self._path}:{line}" if default is None else f"[[defaults]] path = {default!r}"
        self._problems.append(
            Problem(path=self._path, line=line, code=code, message=f"{fact} in {where}. {advice}")
        )

    def read(self) -> Fields:
        if not self._values and not self._misspelt and not self._front.broken:
            return _nothing(self.metadata)
        for key in sorted(self._front.repeated, key=lambda key: self._front.lines.get(key, 1)):
            name = known_name(key) or key
            self._lines.setdefault(name, self._front.lines.get(key, 1))
            self._report(name, "key-repeated", f"{key!r} is written twice", "The last one holds.")
        access, deny, sealed, itself = self._access()
        type_, written = self._type()
        owner = self._text("owner")
        return Fields(
            title=self._text("title") or None,
            type=type_,
            type_written=written,
            language=self._language(),
            lifecycle=self._lifecycle(),
            own_access=access,
            own_deny=deny,
            sealed=sealed,
            written=itself,
            owner=owner,
            author=self._text("author"),
            domain=self._text("domain", one=True),
            client=self._text("client"),
            about=self._choice("about", _ABOUT, "ours"),
            sensitivity=self._choice("sensitivity", _SENSITIVITIES, "internal"),
            always_on=self._flag("always_on", False),
            triggers=self._words("triggers"),
            aliases=self._words("aliases"),
            tags=self._words("tags"),
            translation_of=self._document("translation_of"),
            attachments=self._attachments(),
            key_lines=self._lines,
            metadata=self.metadata,
            problems=tuple(sorted(self._checked(), key=lambda problem: problem.line)),
        )

    def _checked(self) -> list[Problem]:
        self._text("approved_under")
        return self._problems

    # --- access --------------------------------------------------------------------------

    def _access(
        self,
    ) -> tuple[tuple[str, ...] | None, tuple[str, ...], bool, WrittenAccess]:
        sealed = self_sealed = self._front.broken
        for key, meant in self._misspelt:
            sealed = True
            self_sealed = self_sealed or key in self._front.values
            self._report(
                key,
                "access-misspelt",
                f"{key!r} looks like {meant!r}",
                f"Write it {meant}; until then only the local owner can read the document.",
            )
        lists: dict[str, tuple[str, ...] | None] = {}
        for key in ("access", "deny"):
            lists[key] = None
            if key not in self._values:
                continue
            principals = _principals(self._values[key])
            if principals is None or key in self._front.repeated:
                sealed = True
                self_sealed = self_sealed or key not in self._from_default
            if principals is None:
                shown = "is empty" if _is_empty(self._values[key]) else "cannot be understood"
                self._report(
                    key,
                    "access-unreadable",
                    f"{key!r} {shown}",
                    f"List groups or user:NAME, as in {key}: [sales, user:ann@example.com]; "
                    "until then only the local owner can read the document.",
                )
            lists[key] = principals
        own = lists["access"]
        if own is None and "access" in self._values:
            own = ()
        deny = lists["deny"] or ()
        written = WrittenAccess(
            access=None if "access" in self._from_default else own,
            deny=() if "deny" in self._from_default else deny,
            sealed=self_sealed,
        )
        return own, deny, sealed, written

    # --- single values -------------------------------------------------------------------

    def _text(self, key: str, *, one: bool = False) -> str:
        value = self._values.get(key)
        if value is None:
            return ""
        if isinstance(value, str):
            return " ".join(value.split())
        if (
            isinstance(value, list)
            and (not one or len(value) == 1)
            and all(isinstance(item, str) for item in value)
        ):
            return ", ".join(" ".join(item.split()) for item in value)
        self._report(key, "value-unreadable", f"{key!r} is not a text", "Write one line of text.")
        return ""

    def _choice(self, key: str, known: tuple[_T, ...], default: _T) -> _T:
        written = self._text(key, one=True)
        if not written:
            return default
        for value in known:
            if value == written.casefold():
                return value
        self._report(key, f"{key}-unknown", f"Unknown {key} {written!r}", _known(known))
        return default

    def _type(self) -> tuple[DocumentType, str]:
        written = self._text("type", one=True)
        if not written:
            return "reference", "reference"
        word = unicodedata.normalize("NFC", written).casefold()
        found = self._rules.type_aliases.get(word)
        if found is None:
            found = next((name for name in TYPES if name == word), None) or TYPE_ALIASES.get(word)
        if found is None:
            self._report(
                "type",
                "type-unknown",
                f"Unknown type {written!r}",
                f"{_known(TYPES)[:-1]}; map others in [types.aliases].",
            )
        return found or "reference", written

    def _language(self) -> str | None:
        """A two-letter code, of ``en``, ``en-GB`` or ``en_US``; other words are not ours."""
        value = self._values.get("language")
        if not isinstance(value, str):
            return None
        code = value.strip().casefold().replace("_", "-").split("-")[0]
        return code if len(code) == 2 and code.isascii() and code.isalpha() else None

    def _flag(self, key: str, default: bool) -> bool:
        written = self._text(key, one=True).casefold()
        if not written:
            return default
        if written in _TRUE or written in _FALSE:
            return written in _TRUE
        self._report(key, "value-unreadable", f"{key!r} is {written!r}", "Write true or false.")
        return default

    def _authority(self) -> int:
        written = self._text("authority", one=True)
        if written in ("1", "2", "3", "4", "5"):
            return int(written)
        if written:
            self._report(
                "authority",
                "value-unreadable",
                f"'authority' is {written!r}",
                "Write a number from 1 (personal note) to 5 (signed-off canon).",
            )
        return 3

    def _date(self, key: str) -> date | None:
        written = self._text(key, one=True)
        found = read_date(written) if written else None
        if written and found is None:
            self._report(
                key,
                "date-unreadable",
                f"{key!r} is {written!r}, which is no date",
                "Write it as 2026-12-31.",
            )
        return found

    # --- lists and paths -----------------------------------------------------------------

    def _words(self, key: str) -> tuple[str, ...]:
        words = _listed(self._values.get(key))
        if words is None:
            self._report(
                key, "value-unreadable", f"{key!r} is not a list of words", f"Write {key}: [a, b]."
            )
            return ()
        return tuple(dict.fromkeys(" ".join(word.split()) for word in words))

    def _document(self, key: str) -> str | None:
        return next(iter(self._documents(key, one=True)), None)

    def _documents(self, key: str, *, one: bool = False) -> tuple[str, ...]:
        value = self._values.get(key)
        written = _paths(value)
        found = [resolve_document(item, self._path, self._root) for item in written or ()]
        if written is None or None in found or (one and len(found) > 1):
            self._report(
                key,
                "path-unreadable",
                f"{key!r} is not {'the path of a document' if one else 'a list of paths'}",
                f"Write {key}: "
                + ("policies/refunds.md." if one else "[policies/refunds-2024.md]."),
            )
        return tuple(dict.fromkeys(path for path in found[: 1 if one else None] if path))

    def _attachments(self) -> tuple[Attachment, ...]:
        value = self._values.get("attachments")
        if value is None:
            return ()
        line = self._lines.get("attachments", 1)
        found = []
        for item in value if isinstance(value, list) else [value]:
            entry = item if isinstance(item, dict) else {"path": item}
            written = entry.get("path")
            path = resolve(written, self._path, self._root) if isinstance(written, str) else None
            if path is None:
                self._report(
                    "attachments",
                    "attachment-unreadable",
                    f"An attachment has no path of a file: {item!r}",
                    "Write - {path: checklist.csv, kind: reference, title: Checklist}.",
                )
                continue
            kind = str(entry.get("kind") or "").strip().casefold()
            if kind and kind not in KINDS:
                self._report(
                    "attachments",
                    "attachment-kind-unknown",
                    f"Unknown kind {kind!r} of the attachment {written}",
                    _known(tuple(KINDS)),
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

    # --- lifecycle -----------------------------------------------------------------------

    def _lifecycle(self) -> Lifecycle:
        state = self._state()
        valid_from = self._date("valid_from")
        valid_until = self._date("valid_until") or self._date("expires")
        if valid_from and valid_until and valid_from > valid_until:
            key = "valid_until" if "valid_until" in self._values else "expires"
            self._report(
                key,
                "dates-crossed",
                f"{key!r} ({valid_until}) is before 'valid_from' ({valid_from})",
                "Exchange them or correct one.",
            )
        return Lifecycle(
            state=state or "approved",
            state_explicit=state is not None,
            authority=self._authority(),
            time_sensitive=self._flag("time_sensitive", True),
            updated=self._date("updated"),
            review_by=self._review_by(),
            valid_from=valid_from,
            valid_until=valid_until,
            supersedes=self._documents("supersedes"),
            superseded_by=self._document("superseded_by"),
            approved_by=self._text("approved_by") or "",
            approved_on=self._date("approved_on"),
        )

    def _state(self) -> State | None:
        written = self._text("state", one=True)
        state = state_of(written)
        if written and state is None:
            self._report("state", "state-unknown", f"Unknown state {written!r}", _known(STATES))
        if state is None and isinstance(status := self._values.get("status"), str):
            state = state_of(status)  # a common word for other things: not understood is fine
        if state is None:
            marks: tuple[State, ...] = ("archived", "deprecated", "draft")
            for key in marks:
                if self._flag(key, False):
                    return key
        return state

    def _review_by(self) -> date | None:
        explicit = self._date("review_by")
        start = self._date("last_reviewed_on")
        written = self._text("review_in", one=True)
        period = read_period(written) if written else None
        if written and period is None:
            self._report(
                "review_in",
                "period-unreadable",
                f"'review_in' is {written!r}, which is no period",
                "Write it as 6 months, 90 days or 1 year.",
            )
        if explicit is None and period and start is None and "last_reviewed_on" not in self._values:
            self._report(
                "review_in",
                "period-without-start",
                "'review_in' has no 'last_reviewed_on' to count from",
                "Add last_reviewed_on: 2026-01-31, or write review_by.",
            )
        return explicit or (add_period(start, period) if start and period else None)


def _nothing(metadata: Mapping[str, object]) -> Fields:
    return Fields(
        title=None,
        type="reference",
        type_written="reference",
        language=None,
        lifecycle=Lifecycle(),
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
        metadata=metadata,
    )


def _known(words: tuple[object, ...]) -> str:
    return f"Known: {', '.join(map(str, words))}."


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


def _listed(value: object) -> list[str] | None:
    """A list of words from a list, or from one text with commas; ``None`` for anything else."""
    if value is None:
        return []
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return None
    words = [item for item in value if item is not None]
    if not all(isinstance(item, str) for item in words):
        return None
    return [word for word in words if word.strip()]


def _paths(value: object) -> list[str] | None:
    """As ``_listed``, but a comma is part of a path."""
    return _listed([value] if isinstance(value, str) else value)


def _as_written(value: object) -> object:
    """A default from ``wellread.toml`` in the form frontmatter has: every scalar a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return [_as_written(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _as_written(item) for key, item in value.items()}
    return None if value is None else str(value)

"""Who may read what: acls of documents, callers, and the only maker of ``Scope``.

An acl is an AND of ORs: the document's own list (or the default policy), the rules of its
folders, and what came with its source must each admit the caller; a denied name beats all.
Names are groups or ``user:NAME``, compared without regard to case or Unicode form.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import chain
from typing import Literal

from wellread.errors import UnknownSubject, UsageError
from wellread.globs import matcher
from wellread.types import EVERYONE, AccessRules, Acl, Caller, Scope

Transport = Literal["cli", "stdio", "http"]
Groups = Mapping[str, frozenset[str]]
"""Who belongs to what: a subject's groups, both folded."""

USER = "user:"
REMEMBERED_CALLERS = 64  # at 18,000 acls a split takes about 2 MB: at most 128 MB in all

_Turned = tuple[
    dict[str, list[int]],
    dict[int, list[int]],
    dict[int, list[int]],
    dict[int, int],
    dict[str, list[int]],
]

NOBODY = Acl(clauses=(frozenset(),))
"""The acl of a document that only the local owner reads."""


@lru_cache(maxsize=65536)
def fold(name: str) -> str:
    """A name of a group, a subject or a principal as it is compared: caseless, NFC, every run of
    white space one blank and none around it.

    The normal forms around the case folding make it canonical caseless matching (Unicode
    Standard, section 3.13, D145).
    """
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold()).casefold()
    folded = " ".join(unicodedata.normalize("NFC", folded).split())
    if folded.startswith(USER):
        folded = USER + folded[len(USER) :].strip()
    return folded


def principals(names: Iterable[str]) -> frozenset[str]:
    """Folded names without the empty ones: ``user:`` alone names nobody either."""
    return frozenset(name for name in map(fold, names) if name and name != USER)


def effective_acl(
    *,
    own_access: tuple[str, ...] | None,
    own_deny: tuple[str, ...],
    sealed: bool,
    path: str,
    imported: Acl | None,
    rules: AccessRules,
) -> Acl:
    """Who may read the document at a library path.

    ``own_access`` is ``None`` where the document names no readers: the default policy then
    stands in its place; empty, it admits nobody. ``sealed`` admits nobody at all.
    Cheap enough for every document on every run (1 µs, and 0.4 µs for each rule).
    """
    if sealed:
        return NOBODY
    held = tuple(index for index, rule in enumerate(rules.rules) if matcher(rule.path)(path))
    own = rules.default if own_access is None else own_access
    return _combined(own, own_deny, imported, rules, held)


@lru_cache(maxsize=16384)
def _combined(
    own: tuple[str, ...],
    own_deny: tuple[str, ...],
    imported: Acl | None,
    rules: AccessRules,
    held: tuple[int, ...],
) -> Acl:
    clauses = [principals(own)]
    deny = principals(own_deny)
    for index in held:
        rule = rules.rules[index]
        if rule.allow is not None:
            clauses.append(principals(rule.allow))
        deny |= principals(rule.deny)
    if imported is not None:
        clauses += [principals(clause) for clause in imported.clauses]
        deny |= principals(imported.deny)
    return _simplest(clauses, deny)


def _simplest(clauses: Iterable[frozenset[str]], deny: frozenset[str]) -> Acl:
    """The one shape of an acl among those that admit the same callers and name the same
    readers, so that few distinct ones are kept: what another clause implies is dropped."""
    distinct = {frozenset({EVERYONE}) if EVERYONE in clause else clause for clause in clauses}
    if frozenset() in distinct or EVERYONE in deny:
        return NOBODY
    if len(distinct) > 1:
        distinct.discard(frozenset({EVERYONE}))
        distinct = {one for one in distinct if not any(other < one for other in distinct)}
    return Acl(clauses=tuple(sorted(distinct, key=sorted)), deny=deny)


@lru_cache(maxsize=16384)
def canonical(acl: Acl) -> str:
    """The text under which an acl is interned: equal acls, equal text. A line for each clause,
    its names separated by tabs; denied names follow a form feed. Folded names hold neither.
    (m: read 8 times as fast as JSON.) Raises ``ValueError`` for an acl without a clause.
    """
    simple = _simplest(acl.clauses, acl.deny)
    if not simple.clauses:
        raise ValueError("an acl without a clause would admit everybody")
    text = "\n".join("\t".join(sorted(clause)) for clause in simple.clauses)
    return f"{text}\f" + "\t".join(sorted(simple.deny)) if simple.deny else text


def from_canonical(text: str) -> Acl:
    """The acl of a text made by ``canonical``."""
    clauses, _, deny = text.partition("\f")
    return Acl(clauses=tuple(_names(clause) for clause in clauses.split("\n")), deny=_names(deny))


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split("\t")) if text else frozenset()


class AclTable:
    """The acls in use in one catalog generation, turned around on first use: from a principal
    to the clauses that name it, and from a clause to its acls, so that a caller is resolved
    without a look at what does not concern it.

    Measured at 18,000 distinct acls with ``benchmarks/access.py``.
    """

    def __init__(self, rows: Mapping[int, str]) -> None:
        """``rows`` maps an acl's id to its canonical text."""
        self.ids = frozenset(rows)
        self._rows = rows
        self._splits: dict[frozenset[str], tuple[frozenset[int], frozenset[int]]] = {}

    @cached_property
    def _turned(self) -> _Turned:
        numbers: dict[str, int] = {}  # the text of a clause -> its number
        alone: dict[int, list[int]] = {}  # a clause -> the acls of which it is the only one
        among: dict[int, list[int]] = {}  # a clause -> the acls of which it is one of several
        asked: dict[int, int] = {}  # such an acl -> the number of its clauses
        denied: dict[str, list[int]] = {}
        number = numbers.setdefault
        for acl_id, text in self._rows.items():
            if "\f" in text:
                text, _, deny = text.partition("\f")
                for name in deny.split("\t"):
                    denied.setdefault(name, []).append(acl_id)
            if "\n" in text:
                clauses = text.split("\n")
                asked[acl_id] = len(clauses)
                for clause in clauses:
                    among.setdefault(number(clause, len(numbers)), []).append(acl_id)
            else:
                alone.setdefault(number(text, len(numbers)), []).append(acl_id)
        named: dict[str, list[int]] = {}
        for clause, numbered in numbers.items():
            for name in clause.split("\t"):
                if name in named:
                    named[name].append(numbered)
                else:
                    named[name] = [numbered]
        return named, alone, among, asked, denied

    def split(self, names: frozenset[str]) -> tuple[frozenset[int], frozenset[int]]:
        """The ids that admit a caller of these principals, and the others; kept for the callers
        that come back."""
        found = self._splits.get(names)
        if found is None:
            if len(self._splits) >= REMEMBERED_CALLERS:
                self._splits.clear()
            allowed = frozenset(self.admitting(names))
            found = self._splits[names] = (allowed, self.ids - allowed)
        return found

    def admitting(self, names: frozenset[str]) -> set[int]:
        """The ids of the acls that admit a caller of these principals."""
        named, alone, among, asked, denied = self._turned
        met: set[int] = set()
        for name in names:
            met.update(named.get(name, ()))
        allowed: set[int] = set()
        for clause in met & alone.keys():
            allowed.update(alone[clause])
        counts = Counter(chain.from_iterable(among[clause] for clause in met & among.keys()))
        allowed.update([acl_id for acl_id, count in counts.items() if count == asked[acl_id]])
        for name in names:
            allowed.difference_update(denied.get(name, ()))
        return allowed


def caller_principals(caller: Caller) -> frozenset[str]:
    """Every name by which an acl can admit or deny a caller. A group that poses as a user, as
    one out of a foreign token might, counts for nothing."""
    names = {name for name in map(fold, caller.groups) if not name.startswith(USER)}
    names.add(EVERYONE)
    names.discard("")
    if caller.subject:
        names.add(fold(USER + caller.subject))
    return frozenset(names)


def resolve(caller: Caller, table: AclTable, generation: int, catalog: str = "") -> Scope:
    """What a caller may read in the generation of the catalog that the table was built from."""
    admitted = table.ids if caller.owner else table.admitting(caller_principals(caller))
    allowed = frozenset(admitted)
    return Scope(
        caller=caller,
        generation=generation,
        allowed=allowed,
        hidden=table.ids - allowed,
        catalog=catalog,
    )


def open_to(caller: Caller, path: str, rules: AccessRules) -> bool:
    """Whether the rules of its folders admit a caller to a file that is no document of its
    own: what else it takes to read it is for the document that it belongs to."""
    acl = effective_acl(
        own_access=(EVERYONE,), own_deny=(), sealed=False, path=path, imported=None, rules=rules
    )
    return bool(resolve(caller, AclTable({1: canonical(acl)}), 0).allowed)


def identify(
    as_: str | None,
    environ_as: str | None,
    configured: str | None,
    *,
    transport: Transport,
    local_owner: bool = False,
    groups: Callable[[], Groups],
) -> Caller:
    """Who a process speaks for: ``--as`` or ``WELLREAD_AS``, else ``[identity] subject``; with
    none, the local owner on the command line, everyone over stdio. Over HTTP every request
    brings its own caller, so that only who has brought none is said here: everyone.

    ``groups`` is asked only where there is a subject. Raises ``UsageError`` where the answers
    contradict each other, and ``UnknownSubject``.
    """
    for written, source in ((as_, "--as"), (environ_as, "WELLREAD_AS")):
        if written is not None and not fold(written):
            raise UsageError(f"{source} is empty: name a subject, or leave it out")
    if as_ is not None and environ_as is not None and fold(as_) != fold(environ_as):
        raise UsageError(
            f"--as {as_} and WELLREAD_AS={environ_as} name two different subjects: "
            "leave one of them out"
        )
    asked = as_ if as_ is not None else environ_as
    source = "--as" if as_ is not None else "WELLREAD_AS"
    if transport == "http":
        if asked is not None or local_owner:
            raise UsageError(
                f"{source if asked is not None else '--local-owner'} has no meaning over HTTP, "
                "where every request says who is asking: leave it out"
            )
        return Caller(subject=None)
    if asked is None:
        asked, source = configured, "[identity] subject"
    if asked is None:
        return Caller(subject=None, owner=transport == "cli" or local_owner)
    if local_owner:
        raise UsageError(
            f"--local-owner and {source} ({asked}) contradict each other: leave one of them out"
        )
    subject = fold(asked)
    if subject == EVERYONE:
        return Caller(subject=None)
    known = groups()
    if subject not in known:
        raise UnknownSubject(
            f"{source} names an unknown subject, {asked!r}: "
            + (
                "check the spelling, or add it to [groups] or groups.yaml"
                if known
                else "no subject is known yet; list them in [groups] or groups.yaml"
            )
        )
    return Caller(subject=subject, groups=known[subject])

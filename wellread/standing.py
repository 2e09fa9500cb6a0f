"""What a document is worth on a day, with the reasons in words.

Only documents in the caller's scope take part: whoever may not read a successor sees no trace
of it. The page's own ``superseded_by`` counts in any case, without naming what is not readable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import TYPE_CHECKING, Protocol

from wellread.types import Lifecycle, Standing, StandingName, State

if TYPE_CHECKING:
    from wellread.store.base import Snapshot
    from wellread.types import Scope

WORST_FIRST: tuple[StandingName, ...] = (
    "archived",
    "deprecated",
    "superseded",
    "expired",
    "draft",
    "in-review",
    "not-yet-valid",
    "overdue",
    "current",
)


NEVER_DELIVERED: frozenset[StandingName] = frozenset({"superseded", "deprecated", "archived"})
"""What gives way to a successor, or to nothing (DESIGN, section 6)."""


class Governed(Protocol):
    """What standing needs to know of a document."""

    @property
    def path(self) -> str:
        """The library path."""
        ...

    @property
    def lifecycle(self) -> Lifecycle:
        """What the document says of itself."""
        ...


Lookup = Callable[[str], Governed | None]
Superseders = Callable[[str], Iterable[str]]


def own_standing(lifecycle: Lifecycle, today: date) -> Standing:
    """What a document says of itself, with no other looked at.

    Days named are inclusive: valid on ``valid_until``, and not overdue on ``review_by``.
    """
    return _worst(_own_reasons(lifecycle, today))


def standings(
    documents: Iterable[Governed], today: date, *, find: Lookup, superseders: Superseders
) -> dict[str, Standing]:
    """The standing of each document by path. ``find`` gives the document at a path, and
    ``superseders`` the paths of those that name a path in their ``supersedes``; both answer
    within the caller's scope.
    """
    succession = _Succession(today, find, superseders)
    return {one.path: succession.standing(one) for one in documents}


def standings_in(
    snapshot: Snapshot, documents: Iterable[Governed], *, scope: Scope, today: date
) -> dict[str, Standing]:
    """The standing of each document by path, with the others looked up in a snapshot."""
    return standings(
        documents,
        today,
        find=lambda path: snapshot.find(path, scope=scope),
        superseders=lambda path: (one.path for one in snapshot.superseders(path, scope=scope)),
    )


_Reason = tuple[StandingName, str]


def _own_reasons(lifecycle: Lifecycle, today: date) -> list[_Reason]:
    reasons: list[_Reason] = []
    state = lifecycle.state
    if state != "approved":
        reasons.append((state, _in_words(state) + _as_said(lifecycle, "state")))
    if lifecycle.superseded_by is not None or "superseded" in lifecycle.said:
        reasons.append(("superseded", "superseded" + _as_said(lifecycle, "superseded")))
    if lifecycle.valid_until is not None and today > lifecycle.valid_until:
        words = f"expired: valid until {lifecycle.valid_until}"
        reasons.append(("expired", words + _as_said(lifecycle, "valid_until")))
    if lifecycle.valid_from is not None and today < lifecycle.valid_from:
        reasons.append(("not-yet-valid", f"not valid before {lifecycle.valid_from}"))
    due = lifecycle.review_by if lifecycle.time_sensitive else None
    if due is not None and today > due:
        words = f"overdue: review was due by {due}"
        reasons.append(("overdue", words + _as_said(lifecycle, "review_by")))
    return reasons


_CURRENT = Standing(name="current")


def _worst(reasons: list[_Reason], successor: str | None = None) -> Standing:
    if not reasons:
        return _CURRENT
    ordered = sorted(reasons, key=lambda reason: WORST_FIRST.index(reason[0]))
    return Standing(
        name=ordered[0][0],
        reasons=tuple(words for _, words in ordered),
        successor=successor,
    )


def _as_said(lifecycle: Lifecycle, key: str) -> str:
    """In which words a document says so, where not in those of this format."""
    words = lifecycle.said.get(key)
    return f" ({words})" if words else ""


def _in_words(state: State) -> str:
    return "in review" if state == "in-review" else state


class _Succession:
    """Who replaces whom, for the pages of one request."""

    def __init__(self, today: date, find: Lookup, superseders: Superseders) -> None:
        self._today = today
        self._find = find
        self._superseders = superseders
        self._known: dict[str, tuple[Governed, ...]] = {}

    def standing(self, page: Governed) -> Standing:
        reasons = _own_reasons(page.lifecycle, self._today)
        nearer = self._replacing(page)
        if not nearer:
            return _worst(reasons)
        last = self._last(nearer)
        others = [reason for reason in reasons if reason[0] != "superseded"]
        words = _named(last) + _as_said(page.lifecycle, "superseded")
        return _worst([*others, ("superseded", words)], last.path)

    def _nearer(self, page: Governed) -> tuple[Governed, ...]:
        """The pages that replace a page directly, the likeliest first: the one that it names
        itself, then the one signed off or changed last."""
        if page.path not in self._known:
            own = page.lifecycle.superseded_by
            superseders = tuple(self._superseders(page.path))
            if own is None and not superseders:
                self._known[page.path] = ()
                return ()
            named = self._find(own) if own is not None else None
            found = {
                other.path: other
                for path in superseders
                if (other := self._find(path)) is not None and self._in_force(other.lifecycle)
            }
            if named is not None:
                found.pop(named.path, None)
            others = sorted(found.values(), key=lambda other: other.path)
            others.sort(key=lambda other: _age(other.lifecycle), reverse=True)
            everyone = (named, *others) if named is not None else tuple(others)
            self._known[page.path] = tuple(one for one in everyone if one.path != page.path)
        return self._known[page.path]

    def _in_force(self, lifecycle: Lifecycle) -> bool:
        """A draft, or what is not valid yet, replaces nothing by its own word; what has been in
        force and ended has replaced its predecessor for good."""
        return lifecycle.state not in {"draft", "in-review"} and not (
            lifecycle.valid_from is not None and self._today < lifecycle.valid_from
        )

    def _replacing(self, page: Governed) -> tuple[Governed, ...]:
        """The direct successors from which the page is not reached again: which of the pages of
        a circle replaces the others cannot be known."""
        return tuple(other for other in self._nearer(page) if not self._reaches(other, page.path))

    def _reaches(self, start: Governed, path: str) -> bool:
        seen = {start.path}
        waiting = [start]
        while waiting:
            for other in self._nearer(waiting.pop()):
                if other.path == path:
                    return True
                if other.path not in seen:
                    seen.add(other.path)
                    waiting.append(other)
        return False

    def _last(self, nearer: tuple[Governed, ...]) -> Governed:
        """The end of the chain. It ends, since no step leads back."""
        while nearer:
            last = nearer[0]
            nearer = self._replacing(last)
        return last


def _age(lifecycle: Lifecycle) -> date:
    return lifecycle.approved_on or lifecycle.updated or date.min


def _named(page: Governed) -> str:
    lifecycle = page.lifecycle
    words = f"superseded by {page.path}"
    if lifecycle.state != "approved":
        return f"{words} ({_in_words(lifecycle.state)})"
    if lifecycle.approved_on is not None or lifecycle.approved_by:
        words += ", approved"
    if lifecycle.approved_on is not None:
        words += f" {lifecycle.approved_on}"
    if lifecycle.approved_by:
        words += f" by {lifecycle.approved_by}"
    return words

"""What an answer is, in a word, and what a reader of any answer must know of the index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wellread.store.base import Snapshot
from wellread.types import Filters, Outcome, Scope

BEHIND = "The text index is catching up: a hit may be missing for a moment."
"""While a run is between its two stores; after a full one every hit may be."""


def outcome_of(snapshot: Snapshot, found: bool, *, scope: Scope) -> Outcome:
    """The outcome of a search of either kind, filters apart."""
    if found:
        return "found"
    if snapshot.count_documents(scope=scope) == 0:
        return "index-failed" if snapshot.state.error else "index-empty"
    return "index-stale" if snapshot.state.error else "nothing-found"


def index_notes(snapshot: Snapshot) -> tuple[str, ...]:
    """What is wrong with the index, in sentences."""
    state = snapshot.state
    notes = []
    if state.error is not None:
        notes.append(
            f"The last index run failed at {state.failed_at}; this is the library as of "
            f"{state.indexed_at or 'never'}. Run `wellread status` for the reason."
        )
    if state.held_back:
        notes.append(
            "Deletions are held back since the last run: some of these documents may be gone. "
            "Run `wellread status`."
        )
    if snapshot.behind:
        notes.append(BEHIND)
    return tuple(notes)


def fewer_filters(filters: Filters) -> Iterator[tuple[str, Filters]]:
    """The filters without each one that is set, by its name, and without any of several."""
    apart = [
        (name, fewer)
        for name, fewer in (
            ("type", replace(filters, types=())),
            ("state", replace(filters, states=())),
            ("owner", replace(filters, owners=())),
            ("tag", replace(filters, tags=())),
            ("path", replace(filters, paths=())),
            ("date", replace(filters, since=None, until=None)),
        )
        if fewer != filters
    ]
    yield from apart
    if len(apart) > 1:
        yield "any", Filters()

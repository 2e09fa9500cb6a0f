"""What a caller narrows a search to, in the words of the house, read into `Filters`"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

from wellread.errors import UsageError
from wellread.types import STATES, TYPES, DocumentType, Filters, State


def make_filters(
    *,
    types: Sequence[str] = (),
    states: Sequence[str] = (),
    owners: Sequence[str] = (),
    tags: Sequence[str] = (),
    paths: Sequence[str] = (),
    since: str | None = None,
    until: str | None = None,
    aliases: Mapping[str, DocumentType],
    named: Callable[[str], str],
) -> Filters:
    """Filters of written values. ``aliases`` are words of the house for types, and ``named``
    gives the name that a filter goes by where it was written. Raises ``UsageError``."""
    from wellread.globs import matcher

    known: dict[str, DocumentType] = {**aliases, **{name: name for name in TYPES}}
    states_known: dict[str, State] = {name: name for name in STATES}
    first, last = day(since, named("since")), day(until, named("until"))
    if first and last and first > last:
        raise UsageError(
            f"{named('since')} {first} is after {named('until')} {last}: no day is in between"
        )
    for pattern in paths:
        try:
            matcher(pattern)
        except ValueError as error:
            raise UsageError(f"{named('path')}: {error}") from None
    return Filters(
        types=tuple(known[word] for word in _words(types, named("type"), known, TYPES)),
        states=tuple(
            states_known[word] for word in _words(states, named("state"), states_known, STATES)
        ),
        owners=tuple(owners),
        tags=tuple(tags),
        paths=tuple(paths),
        since=first,
        until=last,
    )


def _words(
    written: Sequence[str], name: str, known: Mapping[str, object], shown: Sequence[str]
) -> Iterator[str]:
    """Known words, with commas between several and however they are spelt."""
    from wellread.access import fold

    for word in (part for value in written for part in value.split(",")):
        wanted = fold(word)
        if wanted not in known:
            wanted = wanted.replace(" ", "-").replace("_", "-")
        if wanted not in known:
            raise UsageError(f"{name} {word.strip()!r} is unknown. Known: {', '.join(shown)}")
        yield wanted


def day(written: str | None, name: str) -> date | None:
    """A day as it is written. Raises ``UsageError``."""
    if written is None:
        return None
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise UsageError(
            f"{name} {written!r} is not a day: write year, month and day, as 2026-03-16"
        ) from None


def line_range(written: str | None, name: str) -> tuple[int, int] | None:
    """The first and the last line of a range as it is written. Raises ``UsageError``."""
    if written is None:
        return None
    first, dash, last = written.partition("-")
    if not first.isdecimal() or not (last if dash else first).isdecimal():
        raise UsageError(f"{name} {written!r} is no range: write the first and last, as 10-40")
    return int(first), int(last if dash else first)

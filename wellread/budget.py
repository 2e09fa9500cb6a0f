"""Fitting a delivery into a token budget: what is made smaller first, and what is dropped.

Pieces shrink a form at a time, from a whole section to its best passage, to a one-line
pointer. Background shrinks first, then scaffolds and facts, procedures after them, rules last;
within a group the weaker before the stronger. Only when every piece is a pointer are pointers
dropped, in the same order. What shrank for nothing, since a later step made room, grows again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wellread.delivery import USE_ORDER, Form, Use

SHRINKS: tuple[Use, ...] = USE_ORDER[::-1]
"""The order in which groups give way."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sized:
    """A piece by what it would take in each form, largest form first; ``tokens`` of a form
    include the piece's own frame. ``exception_to`` names the piece that it is an exception to:
    it never gives way before that one."""

    handle: str
    use: Use
    score: float
    tokens: tuple[tuple[Form, int], ...]
    exception_to: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Fitted:
    """The form of each piece, ``None`` where it is dropped, and the tokens of the whole.
    ``rules_gave_way`` says that the rules alone are more than the budget holds."""

    forms: Mapping[str, Form | None]
    tokens: int
    rules_gave_way: bool


def fit(pieces: Sequence[Sized], budget: int, frame: Callable[[Collection[Use]], int]) -> Fitted:
    """The largest forms that fit. ``frame`` gives the tokens of everything around pieces of
    these groups. Where not even the frame fits, everything is dropped."""
    levels = {piece.handle: 0 for piece in pieces}
    by_handle = {piece.handle: piece for piece in pieces}

    def total() -> int:
        held = [(by_handle[one], level) for one, level in levels.items()]
        shown = [(piece, level) for piece, level in held if level < len(piece.tokens)]
        uses = {piece.use for piece, _ in shown}
        return frame(uses) + sum(piece.tokens[level][1] for piece, level in shown)

    def dropped(handle: str) -> bool:
        return levels[handle] == len(by_handle[handle].tokens)

    exceptions: dict[str, list[Sized]] = {}
    for piece in pieces:
        if piece.exception_to is not None:
            exceptions.setdefault(piece.exception_to, []).append(piece)
    ordered = _giving_way(pieces)
    taken: list[str] = []
    for piece in _steps(ordered):
        if total() <= budget:
            break
        levels[piece.handle] += 1
        taken.append(piece.handle)
    for handle in reversed(taken):
        levels[handle] -= 1
        if total() > budget or any(dropped(one.handle) for one in exceptions.get(handle, ())):
            levels[handle] += 1
    forms: dict[str, Form | None] = {}
    for piece in pieces:
        level = levels[piece.handle]
        forms[piece.handle] = piece.tokens[level][0] if level < len(piece.tokens) else None
    rules = [piece for piece in pieces if piece.use == "rules"]
    alone = sum(piece.tokens[0][1] for piece in rules) + frame({"rules"})
    return Fitted(forms=forms, tokens=total(), rules_gave_way=bool(rules) and alone > budget)


def _giving_way(pieces: Sequence[Sized]) -> list[Sized]:
    """The pieces in the order in which they give way; an exception right after its rule."""
    leading = _leading(pieces)

    def key(piece: Sized) -> tuple[int, float, str, int]:
        lead = leading[piece.handle]
        return (SHRINKS.index(lead.use), lead.score, lead.handle, int(lead is not piece))

    return sorted(pieces, key=key)


def _steps(ordered: Sequence[Sized]) -> Iterator[Sized]:
    """Each piece once for every form it loses: all become pointers before any is dropped."""
    leading = _leading(ordered)
    for use in SHRINKS:
        group = [piece for piece in ordered if leading[piece.handle].use == use]
        deepest = max((len(piece.tokens) for piece in group), default=0)
        for level in range(deepest - 1):
            yield from (piece for piece in group if len(piece.tokens) - 1 > level)
    yield from ordered


def _leading(pieces: Sequence[Sized]) -> dict[str, Sized]:
    """By handle the piece that each gives way with: an exception with its rule, others alone."""
    held = {piece.handle: piece for piece in pieces}
    return {piece.handle: held.get(piece.exception_to or "", piece) for piece in pieces}

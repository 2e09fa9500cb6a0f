"""The governed score: how near a piece is to the task, and what the company says governs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from wellread.types import Explanation

SIMILARITY_SHARE = 0.8
OVERLAP_SHARE = 0.2
ALWAYS_ON = 0.15
TRIGGER = 0.04
MOST_TRIGGERS = 0.20
"""The numbers of DESIGN, section 6: the same for documents and sections."""

STEM_SHARE = 0.5
"""What a trigger counts where the task holds another form of its word."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TriggerMatch:
    """A trigger that the task holds: as written, or in another form of the word."""

    trigger: str
    exact: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Signals:
    """What a score is made of. ``similarity`` and ``overlap`` are between 0 and 1;
    ``measure`` says what similarity was measured by: the vectors, or the words alone."""

    similarity: float
    overlap: float
    measure: Literal["vectors", "words"]
    always_on: bool = False
    triggers: tuple[TriggerMatch, ...] = ()


def governed_score(signals: Signals) -> Explanation:
    """The score with its parts, which sum to it (DESIGN, section 6)."""
    parts = [
        Explanation(
            label=f"similarity by {signals.measure}", value=SIMILARITY_SHARE * signals.similarity
        ),
        Explanation(label="keyword overlap", value=OVERLAP_SHARE * signals.overlap),
    ]
    if signals.always_on:
        parts.append(Explanation(label="always on in this domain", value=ALWAYS_ON))
    room = MOST_TRIGGERS
    for match in sorted(signals.triggers, key=lambda one: (not one.exact, one.trigger)):
        value = min(TRIGGER if match.exact else TRIGGER * STEM_SHARE, room)
        if value <= 0:
            break
        room -= value
        how = "" if match.exact else " (another form)"
        parts.append(Explanation(label=f"trigger {match.trigger!r}{how}", value=value))
    total = sum(part.value for part in parts)
    return Explanation(label="governed score", value=total, op="sum", parts=tuple(parts))


def overlap(present: Iterable[str], idf: Mapping[str, float]) -> float:
    """The share of the task's words that are present, weighted by idf; 0 where the task has
    no words. ``idf`` holds every word of the task."""
    whole = sum(idf.values())
    if whole <= 0:
        return 0.0
    return sum(idf[word] for word in set(present) if word in idf) / whole

"""What is kept of a question: who asked what and what came back, and what was reported missing"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from wellread.types import Caller

MissStatus = Literal["open", "accepted", "dismissed"]
MISS_STATUSES: tuple[MissStatus, ...] = get_args(MissStatus)

REPORT = "report_miss"
UNKNOWN_TOOL = "(unknown)"
"""What is traced of a tool that there is not: whoever asks could call it anything."""

OWNER, EVERYONE = "(local owner)", "(everyone)"
"""Who asked where nobody is named. No subject of a group list is in parentheses by accident."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """One question and what came back: arguments and handles, never text.

    ``at`` is UTC, ISO 8601, to the millisecond. ``tokens`` is the estimate for what was
    returned, ``None`` where nobody counted. ``session`` is a server's run, empty on the command
    line.
    """

    at: str
    subject: str
    tool: str
    arguments: Mapping[str, object]
    returned: tuple[str, ...]
    outcome: str
    left_out: int
    milliseconds: float
    tokens: int | None = None
    session: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Miss:
    """A question that found nothing, of everybody who reported it.

    ``at`` and ``last_at`` are the first and the last report, ``times`` how many there were,
    ``tried`` the phrasings without repeats. ``expect`` is what an accepted one should have found.
    """

    id: int
    at: str
    last_at: str
    subjects: tuple[str, ...]
    question: str
    looked_for: str
    tried: tuple[str, ...]
    times: int
    status: MissStatus
    expect: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Lost:
    """Traces that could not be written, as far as it was noted later: how many, since when."""

    traces: int
    since: str | None


NONE_LOST = Lost(traces=0, since=None)


def subject_of(caller: Caller) -> str:
    """The name under which a caller's questions are kept."""
    return caller.subject or (OWNER if caller.owner else EVERYONE)

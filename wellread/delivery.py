"""The shapes of a governed delivery: what ``context`` hands over, and how to use each piece.

Frozen, keyword-only, and free of behaviour, as in ``types``. Lines are those of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal, get_args

from wellread.types import About, DocumentType, Explanation, Outcome, Sensitivity, Standing, State

Use = Literal["rules", "procedure", "facts", "scaffold", "background"]
"""How a piece is to be used: by the type of its document, or ``background`` where the document
speaks of somebody else, of nothing real, or cannot carry an answer today."""

USE_ORDER: tuple[Use, ...] = get_args(Use)
"""The order of delivery; a budget takes from the last first."""

Form = Literal["document", "section", "passage", "pointer"]
"""How much of a piece is delivered, from most to least."""

Reach = Literal["retrieved", "always-on", "triggered", "companion", "successor"]
"""Why a piece is a candidate at all."""

StakesName = Literal["low", "normal", "high"]
VerdictName = Literal["answer", "answer-with-caution", "escalate"]
Mode = Literal["fast", "deep"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A part of a document as it is delivered.

    ``section`` is the handle that ``read`` takes. ``text`` is empty for a pointer. ``before``
    and ``after`` are the headings around a section. ``similarity`` is between 0 and 1,
    ``score`` the governed score, whose parts are in ``explanation``. ``companion_of`` names
    the handle of the piece that this one gives its meaning to. ``tokens`` are estimated, the
    piece's frame included. ``withheld`` says what the text would be handed over for, where it
    is gated; ``attachments`` are the paths of files tied to the document.
    """

    path: str
    section: str
    title: str
    heading: tuple[str, ...]
    lines: tuple[int, int]
    pdf_page: int | None
    use: Use
    form: Form
    reach: Reach
    text: str
    tokens: int
    type: DocumentType
    type_written: str
    state: State
    state_explicit: bool
    about: About
    sensitivity: Sensitivity
    standing: Standing
    authority: int
    owner: str
    updated: date | None
    similarity: float
    score: float
    before: str | None = None
    after: str | None = None
    companion_of: str | None = None
    withheld: str = ""
    attachments: tuple[str, ...] = ()
    explanation: Explanation | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reduced:
    """A piece that was made smaller, or dropped (``form`` is ``None``), and why."""

    section: str
    form: Form | None
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where one side of a conflict stands, and what it says there."""

    path: str
    section: str
    lines: tuple[int, int]
    value: str
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Conflict:
    """Two places that disagree about the same thing. ``stands`` is the path of the side that
    holds and ``why`` the reason; ``None`` where nothing decides."""

    kind: Literal["superseded", "same-title", "values"]
    attribute: str
    left: Place
    right: Place
    stands: str | None
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Stakes:
    """How much hangs on the answer, and what that was taken from; ``sensitivity`` is that of
    the task's own words."""

    name: StakesName
    reason: str
    sensitivity: Sensitivity = "public"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """How far to trust the delivery; ``ask`` lists the owners to ask, nearest first."""

    name: VerdictName
    reasons: tuple[str, ...]
    ask: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextResult:
    """What ``context`` returns: pieces in the order of delivery, rules first.

    ``verdict`` is ``None`` where the library has nothing that answers, and the stakes are
    not high. ``tokens`` estimates the whole answer, the frame counted; it is never above
    ``budget``. ``domain`` is empty where none was given or found, and ``domain_from`` says
    where it comes from. ``coverage`` is the share of the task's words, weighted by their idf
    in scope, that the delivered text holds.
    """

    outcome: Outcome
    task: str
    pieces: tuple[Piece, ...]
    conflicts: tuple[Conflict, ...]
    reduced: tuple[Reduced, ...]
    verdict: Verdict | None
    stakes: Stakes
    mode: Mode
    mode_reason: str
    domain: str
    domain_from: str
    coverage: float
    tokens: int
    budget: int
    as_of: date
    indexed_at: str | None
    notes: tuple[str, ...] = ()

"""How far a delivery can be trusted: answer, answer with caution, or escalate to a person.

Pure: what was delivered, where it disagrees, and how much hangs on it go in; a verdict with
its reasons comes out. The text of a document changes none of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wellread.delivery import Conflict, Piece, Stakes, Verdict, VerdictName
from wellread.standing import NEVER_DELIVERED
from wellread.types import SENSITIVE

COVERED = 0.5
"""The share of a task's words, by idf, that evidence must hold to answer it at all."""

AUTHORITY_AT_HIGH_STAKES = 3
"""Authority that a document needs to carry an answer at high stakes, unless set otherwise."""

NEVER_CARRIES = NEVER_DELIVERED | {"expired", "not-yet-valid"}
NOT_AT_HIGH_STAKES = frozenset({"draft", "in-review"})

_ORDER: tuple[VerdictName, ...] = ("answer", "answer-with-caution", "escalate")


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What a verdict is made from. ``coverage`` is the idf-weighted share of the task's words
    that the delivered text holds, 0 to 1; ``rules_gave_way`` that rules had to shrink to fit
    the budget."""

    pieces: Sequence[Piece]
    conflicts: Sequence[Conflict]
    stakes: Stakes
    coverage: float
    rules_gave_way: bool = False


class _Reasons:
    """The reasons so far, and the worst of what they call for."""

    def __init__(self) -> None:
        self.name: VerdictName = "answer"
        self.reasons: list[str] = []

    def add(self, name: VerdictName, reason: str) -> None:
        self.name = max(self.name, name, key=_ORDER.index)
        if reason not in self.reasons:
            self.reasons.append(reason)


def judge(
    evidence: Evidence,
    *,
    covered: float = COVERED,
    authority: int = AUTHORITY_AT_HIGH_STAKES,
) -> Verdict | None:
    """The verdict, or ``None`` where the library has nothing that answers and little hangs
    on it. Reasons come in the order in which they were found, the missing evidence first."""
    high = evidence.stakes.name == "high"
    found = _Reasons()
    carriers = [piece for piece in evidence.pieces if carries(piece)]
    if not evidence.pieces or evidence.coverage < covered:
        if not high:
            return None
        found.add("escalate", "the library has nothing that answers this, and the stakes are high")
        return _verdict(found, evidence.pieces, ())
    if high:
        _at_high_stakes(found, carriers, authority)
    else:
        _otherwise(found, evidence, carriers)
    for conflict in evidence.conflicts:
        if conflict.stands is None:
            found.add(
                "escalate" if high else "answer-with-caution",
                f"{conflict.left.path} and {conflict.right.path} disagree on "
                f"{conflict.attribute} ({conflict.left.value} against {conflict.right.value}), "
                "and nothing decides",
            )
    for piece in carriers:
        if piece.standing.name == "overdue":
            found.add("answer-with-caution", f"{piece.path} is overdue for review")
    _sensitive(found, evidence)
    if evidence.rules_gave_way:
        found.add("answer-with-caution", "the rules are more than the budget holds: read them")
    if not found.reasons:
        found.add("answer", _carried_by(carriers))
    return _verdict(found, carriers or evidence.pieces, evidence.conflicts)


def carries(piece: Piece) -> bool:
    """Whether a piece may carry an answer at all: ours, in force, and no scaffold."""
    return (
        piece.use in ("rules", "procedure", "facts")
        and piece.about == "ours"
        and piece.standing.name not in NEVER_CARRIES
    )


def tells(piece: Piece) -> bool:
    """Whether a piece is background that tells what was: ours, and in force."""
    return (
        piece.type == "brief" and piece.about == "ours" and piece.standing.name not in NEVER_CARRIES
    )


def _at_high_stakes(found: _Reasons, carriers: Sequence[Piece], authority: int) -> None:
    """High stakes need a current, explicitly approved guideline or reference."""
    sound = [
        piece
        for piece in carriers
        if piece.type in ("guideline", "reference")
        and piece.standing.name not in NOT_AT_HIGH_STAKES
    ]
    approved = [piece for piece in sound if piece.state_explicit and piece.state == "approved"]
    strong = [piece for piece in approved if piece.authority >= authority]
    if not carriers:
        found.add("escalate", "nothing in force says this, and the stakes are high")
    elif not sound:
        found.add("escalate", "no guideline or reference in force says this, at high stakes")
    elif not approved:
        paths = _paths(sound)
        found.add("escalate", f"{paths} is not explicitly approved, and the stakes are high")
    elif not strong:
        found.add("escalate", f"{_paths(approved)} has too little authority for high stakes")


def _otherwise(found: _Reasons, evidence: Evidence, carriers: Sequence[Piece]) -> None:
    told = [piece for piece in evidence.pieces if tells(piece)]
    if not carriers and told:
        found.add("answer-with-caution", f"only {_paths(told)}, which is background, tells of this")
    elif not carriers:
        low = evidence.stakes.name == "low"
        found.add(
            "answer-with-caution" if low else "escalate",
            f"only {_paths(evidence.pieces)} speaks of this, which cannot carry an answer",
        )
    elif all(piece.standing.name in NOT_AT_HIGH_STAKES for piece in carriers):
        found.add("answer-with-caution", f"{_paths(carriers)} is not approved yet")


def _sensitive(found: _Reasons, evidence: Evidence) -> None:
    for piece in evidence.pieces:
        if piece.sensitivity in SENSITIVE and piece.form != "pointer":
            found.add("answer-with-caution", f"{piece.path} is {piece.sensitivity}")
    if evidence.stakes.sensitivity in SENSITIVE:
        found.add("answer-with-caution", f"the task asks for {evidence.stakes.sensitivity} matters")


def _carried_by(carriers: Sequence[Piece]) -> str:
    best = max(carriers, key=lambda piece: piece.score)
    said = "approved" if best.state_explicit and best.state == "approved" else "in force"
    return f"{best.path} is {said} and says it"


def _verdict(found: _Reasons, asked: Iterable[Piece], conflicts: Iterable[Conflict]) -> Verdict:
    """The owners of what disagrees come first, then those of what was delivered."""
    pieces = sorted(asked, key=lambda piece: -piece.score)
    sides = {
        place.path for one in conflicts if one.stands is None for place in (one.left, one.right)
    }
    owners = [piece.owner for piece in pieces if piece.path in sides]
    owners += [piece.owner for piece in pieces]
    return Verdict(
        name=found.name,
        reasons=tuple(found.reasons),
        ask=tuple(dict.fromkeys(owner for owner in owners if owner)),
    )


def _paths(pieces: Iterable[Piece]) -> str:
    return ", ".join(dict.fromkeys(piece.path for piece in pieces))

"""How far a delivery is trusted, situation by situation."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from wellread.delivery import Conflict, Piece, Place, Stakes, Use
from wellread.types import Standing, StandingName
from wellread.verdict import Evidence, judge

USES: dict[str, Use] = {
    "guideline": "rules", "playbook": "procedure", "reference": "facts",
    "template": "scaffold", "brief": "background",
}  # fmt: skip


def piece(type_: str = "guideline", standing: StandingName = "current", **more: Any) -> Piece:
    values: dict[str, Any] = {
        "path": "a.md", "section": "a.md#x", "title": "A", "heading": ("A",), "lines": (1, 2),
        "pdf_page": None, "use": USES[type_], "form": "section", "reach": "retrieved",
        "text": "text", "tokens": 10, "type": type_, "type_written": type_, "state": "approved",
        "state_explicit": True, "about": "ours", "sensitivity": "internal",
        "standing": Standing(name=standing, reasons=(standing,)), "authority": 3,
        "owner": "legal@example.com", "updated": None, "similarity": 0.5, "score": 0.5,
    }  # fmt: skip
    return Piece(**(values | more))


def verdict(*pieces: Piece, stakes: str = "normal", **more: Any) -> str | None:
    values: dict[str, Any] = {"conflicts": (), "coverage": 1.0} | more
    found = judge(
        Evidence(pieces=pieces, stakes=Stakes(name=stakes, reason="given"), **values)  # type: ignore[arg-type]
    )
    return found.name if found is not None else None


def disagreement(stands: str | None) -> Conflict:
    left, right = (
        Place(path=path, section=path, lines=(1, 1), value=value, sentence=value)
        for path, value in (("a.md", "30 days"), ("b.md", "14 days"))
    )
    return Conflict(
        kind="values", attribute="duration", left=left, right=right, stands=stands, why="since"
    )


NEVER = ("superseded", "deprecated", "archived", "expired", "not-yet-valid")
LEVELS = ("low", "normal", "high")


@pytest.mark.parametrize(
    ("type_", "stakes", "expected"),
    [
        *((t, s, "answer") for t in ("guideline", "reference") for s in LEVELS),
        ("playbook", "low", "answer"), ("playbook", "normal", "answer"),
        ("playbook", "high", "escalate"),
        *((t, "high", "escalate") for t in ("template", "brief")),
        ("template", "normal", "escalate"), ("brief", "normal", "answer-with-caution"),
        *((t, "low", "answer-with-caution") for t in ("template", "brief")),
    ],
)  # fmt: skip
def test_type_decides_what_may_carry_an_answer(type_: str, stakes: str, expected: str) -> None:
    assert verdict(piece(type_), stakes=stakes) == expected


@pytest.mark.parametrize(("standing", "stakes"), list(product(NEVER, LEVELS)))
def test_what_is_not_in_force_carries_no_answer(standing: StandingName, stakes: str) -> None:
    expected = "answer-with-caution" if stakes == "low" else "escalate"
    assert verdict(piece(standing=standing), stakes=stakes) == expected


@pytest.mark.parametrize("standing", ["draft", "in-review"])
@pytest.mark.parametrize(
    ("stakes", "expected"),
    [("low", "answer-with-caution"), ("normal", "answer-with-caution"), ("high", "escalate")],
)
def test_draft_is_used_with_caution_and_never_at_high_stakes(
    standing: StandingName, stakes: str, expected: str
) -> None:
    assert verdict(piece(standing=standing), stakes=stakes) == expected


@pytest.mark.parametrize("stakes", LEVELS)
def test_overdue_page_makes_cautious(stakes: str) -> None:
    assert verdict(piece(standing="overdue"), stakes=stakes) == "answer-with-caution"


@pytest.mark.parametrize(
    ("stakes", "expected"), [("low", "answer"), ("normal", "answer"), ("high", "escalate")]
)
def test_high_stakes_need_an_explicit_approval(stakes: str, expected: str) -> None:
    assert verdict(piece(state_explicit=False), stakes=stakes) == expected


@pytest.mark.parametrize(("authority", "stakes"), list(product(range(1, 6), LEVELS)))
def test_high_stakes_need_authority(authority: int, stakes: str) -> None:
    expected = "escalate" if stakes == "high" and authority < 3 else "answer"
    assert verdict(piece(authority=authority), stakes=stakes) == expected


@pytest.mark.parametrize(
    ("stands", "stakes", "expected"),
    [
        *((None, stakes, "answer-with-caution") for stakes in ("low", "normal")),
        (None, "high", "escalate"),
        *(("a.md", stakes, "answer") for stakes in LEVELS),
    ],
)
def test_disagreement_counts_where_nothing_decides(
    stands: str | None, stakes: str, expected: str
) -> None:
    assert verdict(piece(), stakes=stakes, conflicts=(disagreement(stands),)) == expected


@pytest.mark.parametrize("about", ["third-party", "hypothetical"])
@pytest.mark.parametrize("stakes", LEVELS)
def test_what_is_not_ours_carries_no_answer(about: str, stakes: str) -> None:
    expected = "answer-with-caution" if stakes == "low" else "escalate"
    assert verdict(piece(about=about, use="background"), stakes=stakes) == expected


@pytest.mark.parametrize("sensitivity", ["confidential", "personal", "regulated"])
@pytest.mark.parametrize("stakes", LEVELS)
def test_sensitive_text_makes_cautious(sensitivity: str, stakes: str) -> None:
    assert verdict(piece(sensitivity=sensitivity), stakes=stakes) == "answer-with-caution"


@pytest.mark.parametrize("sensitivity", ["public", "internal"])
def test_what_everybody_inside_may_know_needs_no_caution(sensitivity: str) -> None:
    assert verdict(piece(sensitivity=sensitivity)) == "answer"


@pytest.mark.parametrize(
    ("coverage", "stakes", "expected"),
    [
        (0.49, "low", None), (0.49, "normal", None), (0.49, "high", "escalate"),
        (0.0, "low", None), (0.0, "normal", None), (0.0, "high", "escalate"),
        (0.5, "normal", "answer"), (1.0, "high", "answer"),
    ],
)  # fmt: skip
def test_nothing_that_covers_the_task_is_no_answer(
    coverage: float, stakes: str, expected: str | None
) -> None:
    assert verdict(piece(), stakes=stakes, coverage=coverage) == expected


@pytest.mark.parametrize(("stakes", "expected"), [("low", None), ("high", "escalate")])
def test_no_piece_at_all_is_no_answer(stakes: str, expected: str | None) -> None:
    assert verdict(stakes=stakes) == expected


@pytest.mark.parametrize("stakes", LEVELS)
def test_rules_beyond_the_budget_allow_caution_at_most(stakes: str) -> None:
    assert verdict(piece(), stakes=stakes, rules_gave_way=True) == "answer-with-caution"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("current", "draft", "answer"), ("draft", "current", "answer"),
        ("expired", "current", "answer"), ("overdue", "current", "answer-with-caution"),
    ],
)  # fmt: skip
def test_one_sound_page_is_enough_beside_a_weak_one(
    first: StandingName, second: StandingName, expected: str
) -> None:
    pieces = (piece(standing=first), piece(standing=second, path="b.md"))
    assert verdict(*pieces) == expected


def test_owners_of_what_disagrees_are_asked_first() -> None:
    pieces = (
        piece(owner="top@example.com", path="c.md", score=0.9),
        piece(owner="legal@example.com", path="a.md"),
        piece(owner="sales@example.com", path="b.md", score=0.4),
    )
    found = judge(
        Evidence(
            pieces=pieces,
            conflicts=(disagreement(None),),
            stakes=Stakes(name="high", reason="given"),
            coverage=1.0,
        )
    )
    assert found is not None
    assert found.ask == ("legal@example.com", "sales@example.com", "top@example.com")
    assert "a.md and b.md disagree on duration (30 days against 14 days)" in found.reasons[0]

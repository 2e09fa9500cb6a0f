"""What gives way to a token budget, and in which order."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import given
from hypothesis import strategies as st

from wellread.budget import SHRINKS, Fitted, Sized, fit
from wellread.delivery import Form, Use

ORDER: tuple[Form, ...] = ("document", "section", "passage", "pointer")


def frame(uses: Collection[Use]) -> int:
    return 10 + 12 * len(uses)


def sized(
    handle: str,
    use: Use,
    score: float = 0.5,
    section: int = 300,
    passage: int = 120,
    exception_to: str | None = None,
) -> Sized:
    return Sized(
        handle=handle,
        use=use,
        score=score,
        tokens=(("section", section), ("passage", passage), ("pointer", 20)),
        exception_to=exception_to,
    )


@st.composite
def deliveries(draw: st.DrawFn) -> list[Sized]:
    pieces: list[Sized] = []
    for number in range(draw(st.integers(0, 12))):
        whole = draw(st.integers(40, 900))
        forms: list[tuple[Form, int]] = [("section", whole)]
        if draw(st.booleans()):
            forms.append(("passage", draw(st.integers(30, whole))))
        forms.append(("pointer", draw(st.integers(8, 30))))
        rules = [piece.handle for piece in pieces if piece.exception_to is None]
        pieces.append(
            Sized(
                handle=f"{number}.md",
                use=draw(st.sampled_from(SHRINKS)),
                score=draw(st.floats(0, 1)),
                tokens=tuple(forms),
                exception_to=draw(st.sampled_from([None, *rules])),
            )
        )
    return pieces


def total(pieces: list[Sized], fitted: Fitted) -> int:
    shown = [piece for piece in pieces if fitted.forms[piece.handle] is not None]
    return frame({piece.use for piece in shown}) + sum(
        dict(piece.tokens)[form] for piece in shown if (form := fitted.forms[piece.handle])
    )


def rank(form: Form | None) -> int:
    return ORDER.index(form) if form is not None else len(ORDER)


@given(deliveries(), st.integers(0, 4000))
def test_delivery_is_never_above_the_budget(pieces: list[Sized], budget: int) -> None:
    fitted = fit(pieces, budget, frame)
    assert fitted.tokens == total(pieces, fitted)
    assert fitted.tokens <= max(budget, frame(()))


@given(deliveries(), st.integers(0, 4000))
def test_exception_never_gives_way_before_its_rule(pieces: list[Sized], budget: int) -> None:
    forms = fit(pieces, budget, frame).forms
    for piece in pieces:
        if piece.exception_to is not None and forms[piece.handle] is None:
            assert forms[piece.exception_to] is None


@given(deliveries())
def test_what_fits_is_left_whole(pieces: list[Sized]) -> None:
    enough = frame({piece.use for piece in pieces}) + sum(piece.tokens[0][1] for piece in pieces)
    fitted = fit(pieces, enough, frame)
    assert all(fitted.forms[piece.handle] == piece.tokens[0][0] for piece in pieces)
    assert not fitted.rules_gave_way


@given(deliveries(), st.integers(0, 4000))
def test_nothing_could_grow_by_a_form_and_still_fit(pieces: list[Sized], budget: int) -> None:
    fitted = fit(pieces, budget, frame)
    for piece in pieces:
        forms = [form for form, _ in piece.tokens]
        form = fitted.forms[piece.handle]
        level = forms.index(form) if form is not None else len(forms)
        exceptions = [one for one in pieces if one.exception_to == piece.handle]
        if level and all(fitted.forms[one.handle] is not None for one in exceptions):
            larger = dict(fitted.forms) | {piece.handle: forms[level - 1]}
            grown = Fitted(forms=larger, tokens=0, rules_gave_way=False)
            assert total(pieces, grown) > budget


def test_background_and_facts_become_pointers_first_procedures_then_and_rules_last() -> None:
    pieces = [sized(use, use) for use in SHRINKS]
    seen = []
    for budget in range(1700, 100, -10):
        forms = fit(pieces, budget, frame).forms
        for use, form in forms.items():
            if form == "pointer" and use not in seen:
                seen.append(use)
    assert seen == list(SHRINKS)


def test_weaker_piece_of_a_group_gives_way_first() -> None:
    pieces = [sized("weak.md", "facts", 0.3), sized("strong.md", "facts", 0.8)]
    assert fit(pieces, 450, frame).forms == {"weak.md": "passage", "strong.md": "section"}
    assert fit(pieces, 200, frame).forms == {"weak.md": "pointer", "strong.md": "passage"}


def test_rules_that_alone_exceed_the_budget_become_pointers_and_say_so() -> None:
    pieces = [sized("rule.md", "rules", section=900, passage=800), sized("fact.md", "facts")]
    fitted = fit(pieces, 100, frame)
    assert fitted.rules_gave_way
    assert fitted.forms == {"rule.md": "pointer", "fact.md": "pointer"}


def test_pointers_are_dropped_when_even_they_are_too_many() -> None:
    pieces = [sized(f"{number}.md", "facts", number / 10) for number in range(9)]
    forms = fit(pieces, 70, frame).forms
    assert [handle for handle, form in forms.items() if form is not None] == ["7.md", "8.md"]

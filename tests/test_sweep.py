"""What falls short of the better list, and which share of the words is proposed."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.output import emit
from wellread.questions import Question
from wellread.ranking import Fusion
from wellread.report_sweep import (
    marked,
    proposal_json,
    proposal_lines,
    sweep_json,
    sweep_lines,
    too_low,
    verdict,
)
from wellread.sweep import CONSTANTS, SHARES, Sweep, Way
from wellread.tune import FOLDS, GRID, best, chosen_from, dealt


def questions(count: int, *categories: str) -> tuple[Question, ...]:
    names = categories or ("",)
    return tuple(
        Question(id=f"q{n}", text=f"words {n}", expect={"a.md": 3}, category=names[n % len(names)])
        for n in range(count)
    )


ASKED = questions(12, "exact", "own-words")


def way(fusion: Fusion, exact: float, own: float) -> Way:
    values = {one.id: exact if one.category == "exact" else own for one in ASKED}
    return Way(fusion=fusion, values=values)


def swept(ranks: tuple[float, float], total: tuple[float, float]) -> Sweep:
    return Sweep(
        questions=ASKED,
        words=way(Fusion(by="words"), 1.0, 0.4),
        vectors=way(Fusion(by="vectors"), 0.5, 0.8),
        ranks=tuple(way(Fusion(by="rrf", k=k), *ranks) for k in CONSTANTS),
        sums=tuple(way(Fusion(by="sum", share=one), *total) for one in SHARES),
        share=0.6,
    )


def text_of(lines: object) -> str:
    stream = io.StringIO()
    emit(lines, stream)  # type: ignore[arg-type]
    return stream.getvalue()


def test_better_list_is_that_of_the_larger_mean() -> None:
    sweep = swept((0.6, 0.6), (0.9, 0.8))
    assert sweep.better is sweep.words
    assert sweep.by_ranks.fusion.k == 60


def test_what_falls_short_is_told_over_all_and_by_category() -> None:
    sweep = swept((0.6, 0.6), (0.9, 0.8))
    short = sweep.short_of(sweep.by_ranks)
    assert short == pytest.approx({"": 0.1, "exact": 0.4, "own-words": 0.2})
    assert sweep.short_of(sweep.by_sum) == pytest.approx({"exact": 0.1})
    assert too_low(sweep, sweep.by_ranks)
    assert not too_low(sweep, sweep.by_sum)
    assert verdict(sweep, sweep.by_sum) == "no worse than the better list; below it in exact −.100."
    assert marked(sweep, sweep.by_ranks) == ".600 (−.100)"


def test_a_hundredth_below_is_allowed() -> None:
    sweep = swept((0.695, 0.695), (0.685, 0.685))
    assert verdict(sweep, sweep.by_ranks).startswith(".005 below the better list, within .010")
    assert verdict(sweep, sweep.by_sum).startswith(".015 below the better list, which is more")


def test_categories_of_few_questions_are_not_told() -> None:
    sweep = swept((0.6, 0.6), (0.9, 0.8))
    few = Sweep(
        questions=ASKED[:4],
        words=sweep.words,
        vectors=sweep.vectors,
        ranks=sweep.ranks,
        sums=sweep.sums,
        share=0.6,
    )
    assert set(few.short_of(few.by_ranks)) == {""}


def test_the_sweep_is_as_people_read_it(golden: Callable[[str, str], None]) -> None:
    sweep = swept((0.6, 0.6), (0.9, 0.8))
    golden("eval-sweep.txt", text_of(sweep_lines(sweep)))
    assert sweep_json(sweep)["ranks"]["60"] == pytest.approx(0.6)
    assert sweep_json(sweep)["short_of_the_better"]["sum"] == pytest.approx({"exact": 0.1})


# --- the share of the words --------------------------------------------------------------------


def tried(asked: tuple[Question, ...], value: Callable[[int, float], float]) -> list[Way]:
    return [
        Way(
            fusion=Fusion(by="sum", share=share),
            values={one.id: value(n, share) for n, one in enumerate(asked)},
        )
        for share in GRID
    ]


def test_share_that_is_better_everywhere_is_proposed_with_its_line() -> None:
    asked = questions(100)
    found = chosen_from(tried(asked, lambda n, share: 1 - abs(share - 0.3) - n / 1e4), asked, 0.6)
    assert (found.share, found.chosen, found.worth_it) == (0.3, (0.3,) * FOLDS, True)
    assert found.held_out.mean == pytest.approx(0.3)
    shown = text_of(proposal_lines(found))
    assert "lexical_share = 0.3" in shown
    assert proposal_json(found)["worth_it"] is True


def test_share_that_fits_chance_alone_is_not_proposed() -> None:
    asked = questions(40)
    noise: Mapping[tuple[int, float], float] = {
        (n, share): ((n * 7919 + round(share * 100) * 104729) % 1000) / 1000
        for n in range(40)
        for share in GRID
    }
    found = chosen_from(tried(asked, lambda n, share: noise[n, share]), asked, 0.6)
    assert found.share != 0.6
    assert not found.worth_it
    shown = text_of(proposal_lines(found))
    assert "Leave 0.6" in shown
    assert "[search]" not in shown
    assert "Below 100 questions" in shown


def test_equal_shares_leave_what_is_set() -> None:
    asked = questions(20)
    found = chosen_from(tried(asked, lambda *_: 0.5), asked, 0.6)
    assert found.share == 0.6
    assert "leave it" in text_of(proposal_lines(found))


def test_each_question_is_judged_by_a_share_that_it_had_no_say_in() -> None:
    asked = questions(5)
    # Each question is best at a share of its own, and worth nothing at the others'.
    own = tried(asked, lambda n, share: 1.0 if share == GRID[n] else 0.0)
    found = chosen_from(own, asked, 0.6)
    assert found.held_out.mean == 0.0


@given(st.lists(st.sampled_from(["exact", "own-words", "browse"]), min_size=5, max_size=60))
def test_every_question_is_dealt_once_and_categories_evenly(categories: list[str]) -> None:
    asked = [
        Question(id=f"q{n}", text="x", expect={"a.md": 3}, category=name)
        for n, name in enumerate(categories)
    ]
    parts = dealt(asked)
    assert sorted(one.id for part in parts for one in part) == sorted(one.id for one in asked)
    for name in set(categories):
        counts = [sum(one.category == name for one in part) for part in parts]
        assert max(counts) - min(counts) <= 1


def test_nearest_of_equal_shares_is_the_best() -> None:
    values = {share: {"q": 1.0 if share != 0.5 else 0.0} for share in (0.0, 0.5, 1.0)}
    assert best(values, ["q"], 0.7) == 1.0

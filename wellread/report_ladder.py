"""What a ladder shows, as lines and as the documented JSON: each step, what it bought and cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wellread.ladder import Ladder, Step
from wellread.measures import DECIDES, MEASURES
from wellread.output import BLANK, Line, line
from wellread.report_eval import NAMES, degraded_text, difference_text, share, signed
from wellread.report_sweep import sweep_json, sweep_lines
from wellread.workshop import VectorCost


def ladder_lines(ladder: Ladder) -> Iterator[Line]:
    """A table of the rungs, and in words what each bought and cost."""
    width = max((len(step.rung.name) for step in ladder.steps), default=0)
    heads = "  ".join(f"{NAMES[name]:>9}" for name in MEASURES)
    yield line((f"{'step':<{width}}  {heads}  leaks  index s  disk MB  search ms  tokens", "quiet"))
    for step in ladder.steps:
        cost = step.cost
        values = "  ".join(f"{share(value):>9}" for value in step.evaluation.means.values())
        yield line(
            f"{step.rung.name:<{width}}  {values}  {share(step.evaluation.leak_rate):>5}  "
            f"{cost.seconds:>7.1f}  {cost.disk / 1e6:>7.1f}  {cost.milliseconds:>9.1f}  "
            f"{cost.tokens:>6.0f}"
        )
    yield BLANK
    for before, step in zip(ladder.steps, ladder.steps[1:], strict=False):
        yield from _step_lines(before, step)
    for rung in ladder.left_out:
        yield line((f"{rung.name}: left out. {rung.missing}", "warning"))
    if ladder.sweep is not None:
        yield from sweep_lines(ladder.sweep)


def _step_lines(before: Step, step: Step) -> Iterator[Line]:
    yield line((step.rung.name, "title"), (f"  {step.rung.about}", "quiet"))
    if step.changes:
        yield line(bought(step), indent=2)
    yield line(cost_of(before, step), indent=2)
    if step.evaluation.degraded:
        yield line((degraded_text(step.evaluation), "warning"), indent=2)
    if step.categories:
        parts = [f"{name} {difference_text(one)}" for name, one in step.categories.items()]
        yield line("By category: " + "; ".join(parts) + ".", indent=2)
    yield BLANK


def bought(step: Step) -> str:
    """What a step bought, in words."""
    change = step.changes[DECIDES]
    first = step.changes["success@5"]
    if not change.proven:
        verdict = "No difference is shown"
    else:
        verdict = "Better" if change.mean > 0 else "Worse"
    told = (
        f"{verdict}: {NAMES[DECIDES]} {difference_text(change)}, success@5 {signed(first.mean)}; "
        f"{change.better} questions better, {change.worse} worse, of {change.questions}."
    )
    if step.to_words is not None:
        told += f" Against words alone: {difference_text(step.to_words)}."
    return told


def cost_of(before: Step, step: Step) -> str:
    """What a step costs, in words."""
    old, new = before.cost, step.cost
    told = (
        f"Costs: index {old.seconds:.1f} → {new.seconds:.1f} s, disk {old.disk / 1e6:.1f} → "
        f"{new.disk / 1e6:.1f} MB, a search {old.milliseconds:.1f} → {new.milliseconds:.1f} ms, "
        f"an answer {old.tokens:.0f} → {new.tokens:.0f} tokens."
    )
    if new.vectors is not None and old.vectors is None:
        told += f" Of these, {vectors_cost(new.vectors)}"
    return told


def vectors_cost(cost: VectorCost) -> str:
    """What of a step's costs is that of vectors, in words."""
    now = "all of them now"
    if cost.embedded < cost.passages:
        now = f"{cost.embedded:,} of them now, the others were there and count at the same pace"
    return (
        f"embedding {cost.passages:,} passages takes {cost.seconds:.1f} s ({now}), "
        f"vectors take {cost.disk / 1e6:.1f} MB, and a query's own vector "
        f"{cost.milliseconds:.1f} ms."
    )


def ladder_json(ladder: Ladder) -> dict[str, Any]:
    """A ladder as documented in docs/json.md."""
    from wellread.output import plain

    return {
        "steps": [
            {
                "name": step.rung.name,
                "about": step.rung.about,
                "measures": step.evaluation.means,
                "leak_rate": step.evaluation.leak_rate,
                "degraded": len(step.evaluation.degraded),
                "cost": plain(step.cost),
                "changes": plain(step.changes),
                "categories": plain(step.categories),
                "to_words": plain(step.to_words),
            }
            for step in ladder.steps
        ],
        "left_out": [{"name": rung.name, "why": rung.missing} for rung in ladder.left_out],
        "sweep": sweep_json(ladder.sweep) if ladder.sweep is not None else None,
    }

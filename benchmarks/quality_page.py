"""docs/quality.md, made of what was measured and of what others have published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from benchmarks.published import PUBLISHED
from wellread import __version__
from wellread.evaluate import grouped, means
from wellread.ladder import DECIDES, Ladder, Step
from wellread.report_eval import bought, cost_of, difference_text, share

ABOUT = {
    "scifact": "claims against abstracts of papers, English",
    "cranfield": "questions against abstracts on aerodynamics, English, graded",
    "deep-rag-gitlab": "questions against pages of a company handbook, English",
    "xquad-en": "questions against paragraphs, English",
    "xquad-ru": "the same in Russian",
    "xquad-mixed-enru": "both languages in one library; the paragraph counts in both",
    "xquad-x-ru2en": "Russian questions against English paragraphs",
    "xquad-x-en2ru": "English questions against Russian paragraphs",
}

DETAILED = ("deep-rag-gitlab", "scifact", "xquad-ru")
"""Sets whose ladders are told step by step: company pages, scientific prose, Russian."""


MADE = """Made by `make eval` with {made}; not to be edited.
How to measure your own library is in [evaluation.md](evaluation.md)."""
HOW = """Every collection goes the way of a user's files: each document is written out as a file,
parsed, split, indexed, and searched through `Library.search`. A document ranks by its best passage.
Figures are nDCG@10, computed by `ir-measures` as `trec_eval` does. Only the example company names
clients, domains, aliases or tags, so the context line is measured there alone."""
STEPS = """Each step is compared with the one before on the same questions: the mean difference in
nDCG@10, its 95 % bootstrap interval, and the p-value of a paired randomisation test."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A set with its ladder; ``fts5`` is nDCG@10 with the other engine, ``target`` the least
    that is asked of the last step."""

    name: str
    documents: int
    ladder: Ladder
    fts5: float | None
    target: float | None

    @property
    def last(self) -> Step:
        """The step that is what the product does."""
        return self.ladder.steps[-1]


def page(measured: Sequence[Measured], company: Measured) -> str:
    """The whole page."""
    made = f"wellread {__version__} on {date.today().isoformat()}"
    parts = [
        "# Quality, measured",
        MADE.format(made=made),
        HOW,
        "\n".join(_collections(measured)),
        "Times are those of the machine that made this page, other work included.",
        "## Beside published figures",
        "\n".join(_published(measured)),
        "## The example company",
        _company(company),
        "## What each step buys",
        STEPS,
    ]
    for one in [company, *(one for one in measured if one.name in DETAILED)]:
        name = "the example company" if one.name == "company" else one.name
        parts += [f"### {name[0].upper()}{name[1:]}", "\n".join(_steps(one.ladder))]
    return "\n\n".join(parts) + "\n"


def _collections(measured: Sequence[Measured]) -> Iterator[str]:
    names = [step.rung.name for step in measured[0].ladder.steps]
    heads = ["collection", "documents", "questions", *names, "with FTS5", "target", "success@5",
             "ms a search"]  # fmt: skip
    yield _row(heads)
    yield "|---|" + "--:|" * (len(heads) - 1)
    for one in measured:
        last = one.last
        yield _row(
            [
                f"{one.name}: {ABOUT[one.name]}",
                f"{one.documents:,}",
                f"{len(last.evaluation.asked):,}",
                *(share(step.evaluation.means[DECIDES]) for step in one.ladder.steps),
                share(one.fts5) if one.fts5 is not None else "",
                f"≥ {share(one.target)}" if one.target is not None else "",
                share(last.evaluation.means["success@5"]),
                f"{last.cost.milliseconds:.1f}",
            ]
        )


def _published(measured: Sequence[Measured]) -> Iterator[str]:
    ours = {one.name: one.last.evaluation.means[DECIDES] for one in measured}
    yield _row(["collection", "system", "nDCG@10", "wellread", "source"])
    yield "|---|---|--:|--:|---|"
    for one in PUBLISHED:
        yield _row(
            [one.collection, one.system, share(one.value), share(ours[one.collection]), one.source]
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
        _row(["category", "questions", "success@5", "recall@5", "MRR", "nDCG@10"]),
        "|---|--:|--:|--:|--:|--:|",
    ]
    groups = {"all": evaluation.asked, **grouped(evaluation.asked, lambda q: q.category)}
    lines += [
        _row([name, str(len(found)), *map(share, means(found).values())])
        for name, found in groups.items()
    ]
    return "\n".join(lines)


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


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"

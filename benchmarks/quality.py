"""Quality on judged sets, through the product: files, index, ``Library.search``.

``python -m benchmarks.quality [SET …]`` climbs the ladder on every set and on the example
company, and writes docs/quality.md; with sets named it only prints what it measured.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from benchmarks.data import WORK, Missing, judged
from benchmarks.libraries import OWNER, TODAY, configure
from benchmarks.measure import Row, Table
from benchmarks.quality_page import Measured, page
from wellread.config import load
from wellread.errors import MissingExtra
from wellread.ladder import CONTEXT_LINE, Ladder, climb, rungs
from wellread.output import emit
from wellread.questions import read_questions
from wellread.report_eval import ladder_lines

PAGE = Path("docs/quality.md")
COMPANY = Path("examples/company")
COMPANY_DAY = date(2026, 6, 15)
"""Its fixed day: see examples/company/README.md."""

SETS = (
    "scifact", "cranfield", "deep-rag-gitlab", "xquad-en", "xquad-ru", "xquad-mixed-enru",
    "xquad-x-ru2en", "xquad-x-en2ru",
)  # fmt: skip

TARGETS = {"scifact": 0.70, "xquad-ru": 0.955, "deep-rag-gitlab": 0.845, "cranfield": 0.385}
"""nDCG@10 of the lexical steps together."""

BOTH_ENGINES = ("scifact", "xquad-ru")
ENGINES = 0.01
"""The two engines may differ by so much at most."""


def main(wanted: Sequence[str]) -> int:
    unknown = [name for name in wanted if name not in SETS]
    if unknown:
        print(f"unknown set {unknown[0]!r}; known: {', '.join(SETS)}", file=sys.stderr)
        return 2
    measured, missing = [], []
    for name in wanted or SETS:
        try:
            measured.append(climbed(name))
        except Missing as error:
            missing.append(name)
            print(f"{name}: not measured. {error}", flush=True)
    if missing or wanted:
        print(f"{PAGE} is left as it is: it is written when every set is measured")
        return 0
    PAGE.write_text(page(measured, company()), encoding="utf-8")
    print(f"{PAGE} is written")
    return 0


def climbed(name: str) -> Measured:
    """The ladder on a judged set, and the same on the other engine."""
    # A context line is made of clients, domains, aliases and tags, which no judged set names.
    ladder, documents = on_engine(name, "tantivy", but=(CONTEXT_LINE,))
    fts5 = None
    if name in BOTH_ENGINES:
        other, _ = on_engine(name, "fts5", last=True)
        fts5 = other.steps[-1].evaluation.means["ndcg@10"]
    print(f"\n{name}", flush=True)
    emit(ladder_lines(ladder), sys.stdout)
    sys.stdout.flush()
    return Measured(
        name=name,
        documents=documents,
        ladder=ladder,
        fts5=fts5,
        target=TARGETS.get(name),
    )


def on_engine(
    name: str, engine: str, *, but: Sequence[str] = (), last: bool = False
) -> tuple[Ladder, int]:
    """A ladder with one engine, all of it but some rungs or the last rung only, and how many
    documents the set has. Rungs that a set has nothing for are no part of it."""
    judgements = judged(name)
    file = configure(
        f"{name}-{engine}", judgements.root, "[search]", f'lexical = "{engine}"'
    ).resolve()
    config = load(file, {}, file.parent)
    table = [one for one in rungs(config) if not one.missing and one.name not in but]
    table = table[-1:] if last else table
    ladder = climb(judgements.questions, config, caller=OWNER, today=TODAY, table=table)
    return ladder, judgements.documents


def company() -> Measured:
    """The ladder on the example company, in a copy."""
    home = WORK / "company"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(COMPANY, home)
    file = (home / "wellread.toml").resolve()
    config = replace(load(file, {}, file.parent), library=home.resolve() / "library")
    questions = read_questions(home / "questions.yaml")
    ladder = climb(questions, config, caller=OWNER, today=COMPANY_DAY)
    print("\nthe example company", flush=True)
    emit(ladder_lines(ladder), sys.stdout)
    documents = len(list((home / "docs").rglob("*.md")))
    return Measured(name="company", documents=documents, ladder=ladder, fts5=None, target=None)


def quality(table: Table) -> None:
    """The rows of ``benchmarks.bench``: the last step of the ladder against its target."""
    for name in TARGETS:
        for engine in ("tantivy", "fts5") if name in BOTH_ENGINES else ("tantivy",):
            what = f"{name}, {engine}, nDCG@10"
            try:
                ladder, _ = on_engine(name, engine, last=True)
            except (Missing, MissingExtra) as error:
                target = f"≥ {TARGETS[name]}"
                table.add(
                    Row(
                        what=what,
                        figure="not measured",
                        reference=str(error),
                        target=target,
                        met=None,
                    )
                )
                continue
            value = ladder.steps[-1].evaluation.means["ndcg@10"]
            if engine == "tantivy":
                first = value
                bound, reference, met = f"≥ {TARGETS[name]}", "", value >= TARGETS[name]
            else:
                bound, reference = f"within {ENGINES}", f"tantivy {first:.4f}"
                met = abs(value - first) <= ENGINES
            table.add(
                Row(what=what, figure=f"{value:.4f}", reference=reference, target=bound, met=met)
            )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

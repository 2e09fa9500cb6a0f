"""What ``wellread eval`` shows, as lines and as the documented JSON."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from wellread.evaluate import SEEN_FIRST, Evaluation, Result, grouped, means
from wellread.judged_answers import LABELS, Labelled
from wellread.measures import MEASURES
from wellread.output import BLANK, Line, line, plural
from wellread.questions import FEW, Misplaced, Question
from wellread.significance import Difference

NAMES = {"success@5": "success@5", "recall@5": "recall@5", "mrr": "MRR", "ndcg@10": "nDCG@10"}
"""The measures as people write them."""

CAME_INSTEAD = 3
"""Hits shown of a question that failed."""


def share(value: float) -> str:
    """A measure with three digits, without the leading zero."""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def signed(value: float) -> str:
    """A difference with its sign."""
    return ("+" if value >= 0 else "−") + share(abs(value))


# --- one evaluation --------------------------------------------------------------------------


def evaluation_lines(evaluation: Evaluation) -> Iterator[Line]:
    """The measures, what they are by category and language, and what failed."""
    asked, controls = evaluation.asked, evaluation.controls
    total = len(evaluation.results)
    also = f", {len(controls)} of them controls" if controls else ""
    yield line((f"{total} {plural(total, 'question')}{also}", "title"))
    yield BLANK
    yield from _measure_lines(evaluation)
    if asked:
        yield BLANK
        yield from _group_lines("category", grouped(asked, lambda one: one.question.category))
        yield from _group_lines("language", grouped(asked, lambda one: one.question.language))
    failed = [one for one in evaluation.results if one.failed]
    if failed:
        yield line((f"Failed ({len(failed)})", "title"))
        for result in failed:
            yield from _failed_lines(result)
        yield BLANK
    yield from _warning_lines(evaluation)


def _measure_lines(evaluation: Evaluation) -> Iterator[Line]:
    asked = evaluation.asked
    for name, value in evaluation.means.items():
        of = ""
        if name == "success@5":
            found = sum(one.measures[name] > 0 for one in asked)
            of = (
                f"   {found} of {len(asked)} with an expected document among the first {SEEN_FIRST}"
            )
        yield _row(NAMES[name], share(value), of)
    if evaluation.decoy_rate is not None:
        having = [one for one in evaluation.results if one.decoy_led is not None]
        led = sum(bool(one.decoy_led) for one in having)
        yield _row(
            "decoy rate", share(evaluation.decoy_rate), f"   {led} of {len(having)} led by a decoy"
        )
    if evaluation.controls:
        clean, total = evaluation.clean_controls, len(evaluation.controls)
        yield _row(
            "controls", f"{clean} of {total}", "   without a trace of what must not be found"
        )
    leaked = sum(len(one.leaked) for one in evaluation.results)
    named = sum(len(one.answer.named) for one in evaluation.results)
    style = "bad" if leaked else ""
    yield line(
        f"{'leak rate':<13}",
        (share(evaluation.leak_rate), style),
        f"   {leaked} of {named} documents named were outside the caller's scope",
    )
    tokens = [one.answer.tokens for one in evaluation.results]
    spent = sorted(one.answer.milliseconds for one in evaluation.results)
    yield _row(
        "tokens",
        f"{statistics.median(tokens):.0f}",
        f"   an answer in the median, {max(tokens)} most",
    )
    slow = spent[min(len(spent) - 1, int(len(spent) * 0.95))]
    yield _row(
        "milliseconds", f"{statistics.median(spent):.1f}", f"   in the median, {slow:.1f} at 95 %"
    )


def _row(name: str, value: str, more: str = "") -> Line:
    return line(f"{name:<13}", (value, "title"), (more, "quiet"))


def _group_lines(kind: str, groups: Mapping[str, Sequence[Result]]) -> Iterator[Line]:
    if not groups:
        return
    width = max(len(kind), *map(len, groups))
    heads = "  ".join(f"{NAMES[name]:>9}" for name in MEASURES)
    yield line((f"{kind:<{width}}  {'n':>4}  {heads}", "quiet"))
    for name, results in groups.items():
        values = "  ".join(f"{share(value):>9}" for value in means(results).values())
        yield line(f"{name:<{width}}  {len(results):>4}  {values}")
    yield BLANK


def _failed_lines(result: Result) -> Iterator[Line]:
    question = result.question
    who = f" ({question.subject})" if question.subject else ""
    where = f"  line {question.line}" if question.line else ""
    yield line(f"{question.id}  ", (question.text, "title"), who, (where, "quiet"))
    if result.leaked:
        yield line(("outside the scope: " + ", ".join(result.leaked), "bad"), indent=3)
    if result.forbidden:
        yield line(("must not be found: " + ", ".join(result.forbidden), "bad"), indent=3)
    if question.control or result.measures["success@5"]:
        return
    yield line(("expected  ", "quiet"), (", ".join(question.expect), "path"), indent=3)
    came = result.answer.handles[:CAME_INSTEAD]
    yield line(("came      ", "quiet"), ", ".join(came) or "nothing", indent=3)


def _warning_lines(evaluation: Evaluation) -> Iterator[Line]:
    total = len(evaluation.results)
    if total < FEW:
        few = f"Only {total} {plural(total, 'question')}: below {FEW} chance decides."
        yield line((f"{few} Add the questions that people asked.", "warning"))
    if evaluation.degraded:
        yield line((degraded_text(evaluation), "warning"))
    for one in evaluation.misplaced:
        yield line((misplaced_text(one), "warning"))
    for question in evaluation.unreadable:
        yield line((unreadable_text(question), "warning"))


def degraded_text(evaluation: Evaluation) -> str:
    """How many answers lack what the configuration asks for, and what the first of them says."""
    degraded = evaluation.degraded
    of = f"{len(degraded)} of {len(evaluation.results)} answers"
    return f"{of} were {degraded[0].answer.degraded[0]}"


def unreadable_text(question: Question) -> str:
    """A question that nobody could answer for its caller."""
    return (
        f"{question.id}: {question.subject or 'the caller'} may read none of what the question "
        "expects: it cannot succeed, unless `expect` or `as` is mended."
    )


def misplaced_text(one: Misplaced) -> str:
    """What a question names in vain, and what it may be called now."""
    where = f" (line {one.question.line})" if one.question.line else ""
    now = f" Is it now {' or '.join(one.near)}?" if one.near else ""
    return f"{one.question.id}{where}: {one.place} is not in the library: renamed or removed.{now}"


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation as documented in docs/json.md."""
    spent = [one.answer.milliseconds for one in evaluation.results]
    return {
        "questions": len(evaluation.results),
        "measures": evaluation.means,
        "decoy_rate": evaluation.decoy_rate,
        "controls": len(evaluation.controls),
        "controls_clean": evaluation.clean_controls,
        "leak_rate": evaluation.leak_rate,
        "tokens": statistics.median(one.answer.tokens for one in evaluation.results),
        "milliseconds": round(statistics.median(spent), 2),
        "degraded": len(evaluation.degraded),
        "categories": _groups_json(grouped(evaluation.asked, lambda one: one.question.category)),
        "languages": _groups_json(grouped(evaluation.asked, lambda one: one.question.language)),
        "results": [_result_json(one) for one in evaluation.results],
        "misplaced": [
            {"id": one.question.id, "place": one.place, "near": list(one.near)}
            for one in evaluation.misplaced
        ],
        "unreadable": [question.id for question in evaluation.unreadable],
    }


def _groups_json(groups: Mapping[str, Sequence[Result]]) -> dict[str, Any]:
    return {name: {"questions": len(found), **means(found)} for name, found in groups.items()}


def _result_json(result: Result) -> dict[str, Any]:
    question = result.question
    return {
        "id": question.id,
        "question": question.text,
        "as": question.subject,
        "failed": result.failed,
        "measures": dict(result.measures),
        "decoy_led": result.decoy_led,
        "forbidden": list(result.forbidden),
        "leaked": list(result.leaked),
        "expect": dict(question.expect),
        "hits": list(result.answer.handles),
        "tokens": result.answer.tokens,
        "milliseconds": round(result.answer.milliseconds, 2),
    }


# --- differences -----------------------------------------------------------------------------


def difference_text(change: Difference) -> str:
    """A difference with its interval and its p-value."""
    return (
        f"{signed(change.mean)} ({signed(change.low)} to {signed(change.high)}, "
        f"{probability(change.p)})"
    )


def probability(p: float) -> str:
    """A p-value, as far as it is known."""
    return "p < .001" if p < 0.001 else f"p {share(p)}"


def comparison_lines(name: str, changes: Mapping[str, Difference]) -> Iterator[Line]:
    """This evaluation against the run of a file, as differences."""
    yield line((f"Against {name}", "title"))
    for measure, change in changes.items():
        yield _row(
            NAMES[measure],
            difference_text(change),
            f"   {change.better} better, {change.worse} worse, of {change.questions}",
        )
    yield BLANK


def answers_lines(labelled: Sequence[Labelled]) -> Iterator[Line]:
    """How many answers went wrong and why, and each of them."""
    total = len(labelled)
    yield line((f"{total} judged {plural(total, 'answer')}", "title"))
    for name, count in counted(labelled).items():
        if count:
            yield line(f"{count:>4}  {name}  ", (LABELS[name], "quiet"))  # type: ignore[index]
    yield BLANK
    for one in labelled:
        if one.label in ("not retrieved", "retrieved and misused"):
            got = f"  {', '.join(one.retrieved)}" if one.retrieved else ""
            yield line((one.label, "warning"), "  ", (one.answer.question, "title"), (got, "path"))


def counted(labelled: Iterable[Labelled]) -> dict[str, int]:
    """How many answers have each label."""
    found: dict[str, int] = dict.fromkeys(LABELS, 0)
    for one in labelled:
        found[one.label] += 1
    return found


def answers_json(labelled: Sequence[Labelled]) -> dict[str, Any]:
    """Judged answers as documented in docs/json.md."""
    return {
        "answers": len(labelled),
        "labels": counted(labelled),
        "results": [
            {
                "question": one.answer.question,
                "as": one.answer.subject,
                "label": one.label,
                "retrieved": list(one.retrieved),
            }
            for one in labelled
        ],
    }

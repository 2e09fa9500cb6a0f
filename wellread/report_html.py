"""An evaluation as one self-contained page: measures, the ladder as a chart, every question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from wellread.evaluate import Evaluation, Result, grouped, means
from wellread.ladder import Ladder, Step
from wellread.measures import DECIDES, MEASURES
from wellread.report_eval import (
    CAME_INSTEAD,
    NAMES,
    degraded_text,
    difference_text,
    misplaced_text,
    share,
    unreadable_text,
)
from wellread.report_ladder import bought, cost_of
from wellread.report_sweep import marked, verdict
from wellread.sweep import Sweep

BARS = ("success@5", DECIDES)
"""What the chart shows of each rung."""

WIDTH, LABEL, ROW, BAR = 800, 230, 46, 16
"""Of the chart, in pixels: the whole, the names of the rungs, a rung, a bar."""

CAPTION = (
    '<p class="soft">The line across a bar is the 95 % interval of the difference to the step '
    "before.</p>"
)

STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #d9d9e0;
  --page: #fff; --one: #3a5ba0; --two: #c2742a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #b0b4ba; --line: #363a3f;
  --page: #111113; --one: #8da4ef; --two: #ffa057; --bad: #ff9592; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 1080px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { color: var(--soft); font-weight: 500; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scroll { overflow-x: auto; } .soft { color: var(--soft); } .bad { color: var(--bad); }
code { font-size: .9em; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 13px system-ui; }
svg .axis { stroke: var(--line); } svg .soft { fill: var(--soft); }
.bar0 { fill: var(--one); } .bar1 { fill: var(--two); } .range { stroke: var(--ink); }
#failed:checked ~ .scroll tr.fine { display: none; }
"""


def report(evaluation: Evaluation, *, title: str, day: str, ladder: Ladder | None = None) -> str:
    """The page, as HTML that asks for nothing else: no script, no font, no image."""
    body = "\n".join(
        [
            f"<h1>{escape(title)}</h1>",
            f'<p class="soft">Standing as of {escape(day)}.</p>',
            _summary(evaluation),
            _warnings(evaluation),
            _ladder(ladder) if ladder is not None else "",
            _groups(evaluation),
            _questions(evaluation),
        ]
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" href="data:,">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _table(heads: Iterable[tuple[str, bool]], rows: Iterable[str], name: str) -> str:
    """A table; each head says whether its column holds numbers."""
    head = "".join(_cell(text, number, "th") for text, number in heads)
    return (
        f'<div class="scroll"><table id="{name}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(text: str, number: bool = False, tag: str = "td") -> str:
    mark = ' class="n"' if number else ""
    return f"<{tag}{mark}>{escape(text)}</{tag}>"


def _summary(evaluation: Evaluation) -> str:
    controls = evaluation.controls
    facts = [(NAMES[name], share(value)) for name, value in evaluation.means.items()]
    if evaluation.decoy_rate is not None:
        facts.append(("decoy rate", share(evaluation.decoy_rate)))
    if controls:
        facts.append(("controls", f"{evaluation.clean_controls} of {len(controls)} clean"))
    facts.append(("leak rate", share(evaluation.leak_rate)))
    facts.append(("questions", str(len(evaluation.results))))
    heads = [(name, True) for name, _ in facts]
    row = "<tr>" + "".join(_cell(value, True) for _, value in facts) + "</tr>"
    return _table(heads, [row], "summary")


def _warnings(evaluation: Evaluation) -> str:
    texts = [degraded_text(evaluation)] if evaluation.degraded else []
    texts += [misplaced_text(one) for one in evaluation.misplaced]
    texts += map(unreadable_text, evaluation.unreadable)
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul class="bad">{items}</ul>' if items else ""


# --- the ladder ------------------------------------------------------------------------------


def _ladder(ladder: Ladder) -> str:
    parts = ["<h2>Ladder</h2>", chart(ladder.steps), CAPTION]
    for before, step in zip(ladder.steps, ladder.steps[1:], strict=False):
        parts.append(
            f"<p><b>{escape(step.rung.name)}</b> "
            f'<span class="soft">{escape(step.rung.about)}</span>{_bought(step)}<br>'
            f"{escape(cost_of(before, step))}</p>"
        )
        if step.categories:
            rows = (
                f"<tr>{_cell(name)}{_cell(difference_text(one), True)}"
                f"{_cell(str(one.better), True)}{_cell(str(one.worse), True)}</tr>"
                for name, one in step.categories.items()
            )
            heads = (("category", False), (NAMES[DECIDES], True), ("better", True), ("worse", True))
            table = _table(heads, rows, f"step-{ladder.steps.index(step)}")
            parts.append(f"<details><summary>By category</summary>{table}</details>")
    parts += [
        f'<p class="soft">{escape(rung.name)}: left out. {escape(rung.missing)}</p>'
        for rung in ladder.left_out
    ]
    if ladder.sweep is not None:
        parts.append(_sweep(ladder.sweep))
    return "\n".join(parts)


def _sweep(sweep: Sweep) -> str:
    """Each list alone and both together, with other constants, and what falls short."""
    ways = [("words alone", sweep.words), ("vectors alone", sweep.vectors)]
    ways += [(f"by ranks, k = {way.fusion.k}", way) for way in sweep.ranks]
    ways += [(f"by the sum, lexical_share = {way.fusion.share:g}", way) for way in sweep.sums]
    rows = (f"<tr>{_cell(name)}{_cell(marked(sweep, way), True)}</tr>" for name, way in ways)
    table = _table((("way", False), (NAMES[DECIDES], True)), rows, "sweep")
    verdicts = "".join(
        f"<p>{name}: {escape(verdict(sweep, way))}</p>"
        for name, way in (("By ranks", sweep.by_ranks), ("By the sum", sweep.by_sum))
    )
    return f"<h3>Words and vectors together</h3>{verdicts}{table}"


def _bought(step: Step) -> str:
    return f"<br>{escape(bought(step))}" if step.changes else ""


def chart(steps: Iterable[Step]) -> str:
    """A bar for each measure of ``BARS`` and each rung, as inline SVG; the line across a bar of
    ``DECIDES`` is the 95 % interval of its difference to the rung before."""
    steps = tuple(steps)
    height = ROW * len(steps) + 44
    room = WIDTH - LABEL - 60
    marks = "".join(
        f'<line class="axis" x1="{LABEL + room * tick / 4:.1f}" y1="4" '
        f'x2="{LABEL + room * tick / 4:.1f}" y2="{height - 40}"/>'
        f'<text class="soft" x="{LABEL + room * tick / 4:.1f}" y="{height - 24}" '
        f'text-anchor="middle">{tick / 4:g}</text>'
        for tick in range(5)
    )
    legend = "".join(
        f'<rect class="bar{at}" x="{LABEL + 130 * at}" y="{height - 14}" width="12" height="12"/>'
        f'<text x="{LABEL + 130 * at + 18}" y="{height - 3}">{NAMES[name]}</text>'
        for at, name in enumerate(BARS)
    )
    rungs = "".join(_bars(step, at * ROW + 6, room) for at, step in enumerate(steps))
    return (
        f'<svg id="ladder" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{NAMES[BARS[0]]} and {NAMES[BARS[1]]} of each step">'
        f"{marks}{rungs}{legend}</svg>"
    )


def _bars(step: Step, top: int, room: int) -> str:
    parts = [f'<text x="0" y="{top + BAR + 5}">{escape(step.rung.name)}</text>']
    for at, name in enumerate(BARS):
        value = step.evaluation.means.get(name, 0.0)
        y, width = top + at * (BAR + 2), max(value, 0.0) * room
        parts.append(
            f'<rect class="bar{at} value" x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR}">'
            f"<title>{escape(step.rung.name)}, {NAMES[name]} {share(value)}</title></rect>"
            f'<text x="{WIDTH - 50}" y="{y + BAR - 3}">{share(value)}</text>'
        )
        change = step.changes.get(name)
        if change is not None and name == DECIDES:
            base = value - change.mean
            ends = (min(max(base + end, 0.0), 1.0) for end in (change.low, change.high))
            low, high = (LABEL + room * end for end in ends)
            middle = y + BAR / 2
            parts.append(
                f'<line class="range" x1="{low:.1f}" y1="{middle}" x2="{high:.1f}" y2="{middle}"/>'
            )
    return "".join(parts)


# --- questions -------------------------------------------------------------------------------


def _groups(evaluation: Evaluation) -> str:
    parts = []
    for kind in ("category", "language"):
        groups = grouped(evaluation.asked, lambda one: str(getattr(one.question, kind)))  # noqa: B023
        if not groups:
            continue
        heads = ((kind, False), ("n", True), *((NAMES[name], True) for name in MEASURES))
        rows = (
            f"<tr>{_cell(name)}{_cell(str(len(results)), True)}"
            + "".join(_cell(share(value), True) for value in means(results).values())
            + "</tr>"
            for name, results in groups.items()
        )
        parts.append(f"<h2>By {kind}</h2>" + _table(heads, rows, kind))
    return "".join(parts)


def _questions(evaluation: Evaluation) -> str:
    heads = (
        ("question", False), ("as", False), ("category", False), ("success@5", True),
        (NAMES[DECIDES], True), ("tokens", True), ("ms", True), ("expected, and what came", False),
    )  # fmt: skip
    table = _table(heads, map(_question, evaluation.results), "questions")
    return (
        '<h2>Questions</h2><input type="checkbox" id="failed"> <label for="failed">only those '
        f"that failed ({sum(one.failed for one in evaluation.results)})</label>{table}"
    )


def _question(result: Result) -> str:
    question, answer = result.question, result.answer
    values = [
        share(result.measures[name]) if result.measures else "–" for name in ("success@5", DECIDES)
    ]
    return (
        f'<tr class="{"failed" if result.failed else "fine"}" id="{escape(question.id)}">'
        f"{_cell(question.text)}{_cell(question.subject or '')}{_cell(question.category)}"
        f"{''.join(_cell(value, True) for value in values)}"
        f"{_cell(str(answer.tokens), True)}{_cell(f'{answer.milliseconds:.1f}', True)}"
        f"<td>{''.join(_places(result))}</td></tr>"
    )


def _places(result: Result) -> Iterator[str]:
    for label, places in (
        ("outside the scope", result.leaked),
        ("must not be found", result.forbidden),
    ):
        if places:
            yield f'<div class="bad">{label}: {_codes(places)}</div>'
    if result.question.expect:
        yield f"<div>{_codes(result.question.expect)}</div>"
    came = result.answer.handles[:CAME_INSTEAD]
    yield f'<div class="soft">{_codes(came) if came else "nothing came"}</div>'


def _codes(places: Iterable[str]) -> str:
    return ", ".join(f"<code>{escape(place)}</code>" for place in places)

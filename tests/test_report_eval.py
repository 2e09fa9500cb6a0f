"""Reports of an evaluation: what people read on a terminal, and in a real browser."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from wellread.audit import Audit
from wellread.evaluate import Answer, Evaluation, judged
from wellread.ladder import Cost, Ladder, Rung, Step, change
from wellread.measures import MEASURES
from wellread.output import emit
from wellread.questions import Misplaced, Question
from wellread.report_eval import (
    evaluation_lines,
    ladder_lines,
    probability,
    share,
    signed,
)
from wellread.report_html import report
from wellread.types import Caller

OWNER = Caller(subject=None, owner=True)
HOSTILE = 'Days <script>document.title = "taken"</script> & "more"'
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

QUESTIONS = (
    Question(
        id="q1",
        text=HOSTILE,
        expect={"hr/leave.md#days": 3},
        category="own-words",
        language="en",
        must_not_lead=("hr/old.md",),
        line=3,
    ),
    Question(
        id="q2", text="адрес VPN", expect={"it/vpn.md": 3}, category="exact", language="ru", line=9
    ),
    Question(id="q3", text="pay", expect={}, must_not_find=("hr/pay.md",), line=14),
)


def evaluation(first: tuple[str, ...], second: tuple[str, ...]) -> Evaluation:
    rankings = {"q1": first, "q2": second, "q3": ("hr/pay.md",)}
    answers = {
        name: Answer(
            handles=tuple(f"{path}#x" for path in ranking),
            named=ranking,
            ranking=ranking,
            tokens=100,
            milliseconds=2.5,
        )
        for name, ranking in rankings.items()
    }
    paths = {path for ranking in rankings.values() for path in ranking}
    audit = Audit(acls=dict.fromkeys(paths, "everyone"))
    return judged(QUESTIONS, answers, callers={None: OWNER}, audit=audit)


BEFORE = evaluation(("hr/old.md",), ("it/vpn.md",))
AFTER = evaluation(("hr/old.md", "hr/leave.md"), ("it/vpn.md",))


def ladder() -> Ladder:
    cost = Cost(seconds=1.0, disk=1_000_000, milliseconds=2.0, tokens=100)
    dearer = Cost(seconds=2.0, disk=3_000_000, milliseconds=2.5, tokens=120)
    return Ladder(
        steps=(
            Step(rung=Rung(name="seed", about="plain", steps=None), evaluation=BEFORE, cost=cost),
            Step(
                rung=Rung(name="+ <b>", about="more", steps=None),
                evaluation=AFTER,
                cost=dearer,
                changes={name: change(AFTER, BEFORE, name) for name in MEASURES},
                categories={"own-words": change(AFTER, BEFORE, "ndcg@10", "own-words")},
            ),
        ),
        left_out=(Rung(name="+ vectors", about="", steps=None, missing="Install them."),),
    )


def text_of(lines: object) -> str:
    stream = io.StringIO()
    emit(lines, stream)  # type: ignore[arg-type]
    return stream.getvalue()


def test_the_report_is_as_people_read_it(golden: Callable[[str, str], None]) -> None:
    from dataclasses import replace

    shown = replace(
        BEFORE,
        misplaced=(
            Misplaced(question=QUESTIONS[0], place="hr/leave.md#days", near=("hr/leave.md#day",)),
        ),
        unreadable=(QUESTIONS[1],),
    )
    golden("eval.txt", text_of(evaluation_lines(shown)))


def test_the_ladder_is_as_people_read_it(golden: Callable[[str, str], None]) -> None:
    golden("eval-ladder.txt", text_of(ladder_lines(ladder())))


def test_numbers_are_written_as_in_the_literature() -> None:
    assert [share(one) for one in (0.0, 0.9, 1.0)] == [".000", ".900", "1.000"]
    assert [signed(one) for one in (0.0123, -0.5)] == ["+.012", "−.500"]
    assert [probability(one) for one in (0.0002, 0.04)] == ["p < .001", "p .040"]


def test_the_page_asks_for_nothing_and_holds_no_script() -> None:
    page = report(AFTER, title="A <title>", day="2026-06-15", ladder=ladder())
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?!data:,)[^"]*"', page) == []
    assert "http" not in page
    assert "url(" not in page


PROBE = """<script>
const box = (one) => one.getBoundingClientRect();
const shown = () => [...document.querySelectorAll('#questions tbody tr')]
  .filter((row) => box(row).height > 0).length;
const all = shown();
document.querySelector('#failed').click();
const found = {
  title: document.title,
  bars: [...document.querySelectorAll('#ladder rect.value')].map((bar) => box(bar).width),
  labels: [...document.querySelectorAll('#ladder > text:not(.soft)')].map((t) => t.textContent),
  outside: [...document.querySelectorAll('#ladder *')].filter((one) =>
    box(one).right > box(document.querySelector('#ladder')).right + 1).map((one) => one.outerHTML),
  rows: all, failed: shown(),
  first: document.querySelector('#questions tbody td').textContent,
  width: document.documentElement.scrollWidth <= window.innerWidth,
};
document.body.innerHTML = '<pre id="found"></pre>';
document.querySelector('#found').textContent = JSON.stringify(found);
</script>"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine: apt install chromium")
def test_a_browser_shows_the_ladder_and_every_question(tmp_path: Path) -> None:
    html = report(AFTER, title="Evaluation", day="2026-06-15", ladder=ladder())
    file = tmp_path / "report.html"
    file.write_text(html.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    shown = subprocess.run(
        [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1000,1400",
         f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", file.as_uri()],
        capture_output=True, text=True, check=True, timeout=120,
    ).stdout  # fmt: skip
    found = re.search(r'<pre id="found">(.*?)</pre>', shown, re.DOTALL)
    assert found, shown[-500:]
    from html import unescape

    values = json.loads(unescape(found[1]))
    assert values["title"] == "Evaluation"
    first_before, _, first_after, _ = values["bars"]
    assert first_after == pytest.approx(2 * first_before, rel=0.01)  # success@5 from .5 to 1
    assert {"seed", "+ <b>"} <= set(values["labels"])
    assert values["outside"] == []
    assert (values["rows"], values["failed"]) == (3, 1)
    assert values["first"] == HOSTILE
    assert values["width"]

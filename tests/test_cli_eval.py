"""``wellread eval`` on the command line: measures, exit codes, files written and read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.shelf import groups, library, page
from wellread.cli import main

FILES = {
    "leave.md": page("# Leave\n\nTwenty vacation days a year."),
    "vpn.md": page("# VPN\n\nThe address is vpn.example.com."),
    "pay.md": page("# Pay\n\nThe bonus is secret.", access="[hr]"),
}
QUESTIONS = """\
- {question: vacation days, expect: [leave.md], as: boris, language: en, category: exact}
- {question: vpn address, expect: [vpn.md], as: boris, language: en, category: exact}
- {question: the laptop, expect: [laptop.md], as: ann, language: en, category: own-words}
- {question: bonus, expect: [], must_not_find: [pay.md], as: boris, category: control}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    library(tmp_path, FILES, groups({"ann": ["hr"], "boris": ["sales"]})).close()
    (tmp_path / "questions.yaml").write_text(QUESTIONS)
    monkeypatch.chdir(tmp_path)
    for name in ("WELLREAD_AS", "WELLREAD_CONFIG", "WELLREAD_LIBRARY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def answer(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def run(*arguments: str) -> dict[str, Any]:
        code = main(["eval", "--today", "2026-06-15", "--json", *arguments])
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        return printed | {"code": code}

    return run


def test_questions_beside_the_configuration_are_found_and_measured(answer: Any) -> None:
    found = answer()
    assert found["code"] == 0
    assert found["questions"] == 4
    assert found["measures"]["success@5"] == pytest.approx(2 / 3)
    assert (found["controls"], found["controls_clean"], found["leak_rate"]) == (1, 1, 0)
    assert found["categories"]["exact"]["success@5"] == 1
    assert found["misplaced"] == [{"id": "q3", "place": "laptop.md", "near": []}]
    assert [one["failed"] for one in found["results"]] == [False, False, True, False]


def test_the_report_puts_success_first_and_warns_of_few_questions(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "questions.yaml"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "4 questions, 1 of them controls"
    assert lines[2].startswith("success@5    .667   2 of 3")
    assert any(line.startswith("leak rate    .000") for line in lines)
    assert any(line.startswith("Only 4 questions: below 20 chance decides") for line in lines)
    assert any("laptop.md is not in the library: renamed or removed" in line for line in lines)


@pytest.mark.parametrize(
    ("least", "code"),
    [
        (["success@5=0.6"], 0),
        (["success@5=0.7"], 6),
        (["Success@5=0.6", "controls=1"], 0),
        (["success@5=0.6", "mrr=0.99"], 6),
    ],
)
def test_the_exit_code_tells_what_falls_short(answer: Any, least: list[str], code: int) -> None:
    arguments = [part for one in least for part in ("--min", one)]
    found = answer(*arguments)
    assert found["code"] == code
    assert bool(found["missed"]) == (code == 6)


@pytest.mark.parametrize("least", ["success=0.9", "success@5", "success@5=9", "success@5=much"])
def test_a_bound_that_is_none_is_refused(answer: Any, least: str) -> None:
    found = answer("--min", least)
    assert found["code"] == 2
    assert "--min" in found["error"]


def test_a_leak_fails_the_command_whatever_is_asked(
    answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wellread.audit import Audit

    monkeypatch.setattr(Audit, "admits", lambda self, caller, path: path != "vpn.md")
    found = answer()
    assert found["code"] == 6
    assert found["leak_rate"] > 0
    assert found["results"][1]["leaked"] == ["vpn.md"]


def test_a_run_that_was_written_is_compared_with_what_is_measured_now(
    home: Path, answer: Any
) -> None:
    answer("--run", "before.txt")
    assert (home / "before.txt").read_text().splitlines()[0].split()[:3] == ["q1", "Q0", "leave.md"]
    again = answer("--compare", "before.txt")["compared"]["changes"]["success@5"]
    assert (again["mean"], again["better"], again["worse"]) == (0, 0, 0)
    (home / "other.txt").write_text("q1 Q0 vpn.md 1 1 other\nq2 Q0 vpn.md 1 1 other\n")
    other = answer("--compare", "other.txt")["compared"]["changes"]["success@5"]
    assert other["mean"] == pytest.approx(1 / 3)
    assert (other["better"], other["worse"], other["questions"]) == (1, 0, 3)


def test_control_questions_alone_have_nothing_to_compare(home: Path, answer: Any) -> None:
    (home / "controls.yaml").write_text(QUESTIONS.splitlines()[3] + "\n")
    (home / "run.txt").write_text("")
    found = answer("controls.yaml", "--compare", "run.txt")
    assert found["code"] == 2
    assert "nothing to compare" in found["error"]


def test_a_measurement_leaves_no_trace(home: Path, answer: Any) -> None:
    import sqlite3

    answer()
    connection = sqlite3.connect(home / ".wellread" / "journal.db")
    assert connection.execute("SELECT COUNT(*) FROM traces").fetchone() == (0,)
    connection.close()


def test_the_page_and_the_ladder_are_made(home: Path, answer: Any) -> None:
    found = answer("--ladder", "--html", "report.html")
    assert [step["name"] for step in found["ladder"]["steps"]][:2] == ["seed", "bm25"]
    page = (home / "report.html").read_text(encoding="utf-8")
    assert '<svg id="ladder"' in page
    assert page.count("<tr class=") == 4


def test_a_page_that_cannot_be_written_is_said(answer: Any) -> None:
    found = answer("--html", "nowhere/report.html")
    assert found["code"] == 2
    assert "nowhere/report.html cannot be written" in found["error"]


def test_a_judged_collection_is_indexed_like_any_files_and_measured(
    home: Path, answer: Any
) -> None:
    source = home / "set"
    (source / "qrels").mkdir(parents=True)
    documents = [{"_id": f"d{n}", "title": f"Page {n}", "text": f"word{n} text"} for n in range(3)]
    (source / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents))
    (source / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": "word2"}) + "\n")
    (source / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\td2\t1\n")
    before = sorted(home.rglob("*"))
    found = answer("--beir", "set")
    assert found["measures"]["ndcg@10"] == 1
    assert sorted(home.rglob("*")) == before


def test_wrong_answers_are_told_apart(home: Path, answer: Any) -> None:
    entries = [
        {"question": "vacation days", "right": False, "trace": [{"returned": ["leave.md#leave"]}]},
        {"question": "vpn address", "right": False, "trace": []},
    ]
    (home / "answers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in entries))
    found = answer("--answers", "answers.jsonl")
    assert [one["label"] for one in found["results"]] == ["retrieved and misused", "not retrieved"]
    assert found["labels"]["not retrieved"] == 1


def test_without_questions_the_next_step_is_said(home: Path, answer: Any) -> None:
    (home / "questions.yaml").unlink()
    found = answer()
    assert found["code"] == 2
    assert "wellread eval FILE" in found["error"]


def test_without_an_index_that_is_said(home: Path, answer: Any) -> None:
    shutil.rmtree(home / ".wellread")
    assert answer()["code"] == 3

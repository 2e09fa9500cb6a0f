"""``wellread traces`` and ``wellread misses``, run as a person runs them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.shelf import TODAY, groups, library, page, scope_of
from wellread import cli
from wellread.config import load
from wellread.library import Library

PAGES = {
    "travel.md": "# Travel\n\n## Per diem\n\nSixty euros.\n\n## Trains\n\nSecond class.\n\n### Sleepers\n\nNo.\n",
    "pay.md": page("# Pay\n\nSecret zebra.", access="[hr]"),
}
PEOPLE = groups({"ann": ["sales"], "bob": ["hr"]})
QUESTIONS = """\
# Ours: kept as it is.
- question: trains   # a comment
  expect: &trains [travel.md#trains]
  as: ann

- question: "second class"
  expect: *trains"""


class Home:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.file = folder / "questions.yaml"
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        code = cli.main(arguments)
        out, err = self._capsys.readouterr()
        return code, out, err

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json")[1])

    def miss(self, question: str, subject: str | None = "ann", **more: Any) -> int:
        with Library(load(None, {}, self.folder)) as opened:
            return opened.report_miss(question, scope=scope_of(opened, subject), **more)

    def status(self) -> list[str]:
        return [one["status"] for one in self.json("misses", "--all")["misses"]]


@pytest.fixture
def home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Home:
    library(tmp_path, PAGES, PEOPLE).close()
    for name in ("WELLREAD_AS", "WELLREAD_CONFIG", "WELLREAD_LIBRARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return Home(tmp_path, capsys)


def ask(home: Home) -> None:
    with Library(load(None, {}, home.folder), session="one") as opened:
        ann = scope_of(opened, "ann")
        opened.search("what is paid for a day abroad?", scope=ann, today=TODAY)
        opened.search("per diem", scope=ann, today=TODAY)
        opened.read("travel.md#per-diem", scope=ann, today=TODAY)
        opened.find_exact("Zebra-4412", scope=scope_of(opened), today=TODAY)


def test_traces_are_shown_to_people_and_programs(
    home: Home, golden: Callable[[str, str], None]
) -> None:
    ask(home)
    shown = home("traces")[1] + "\n" + home("traces", "--tools")[1]
    shown = re.sub(r"\d{4}-\d\d-\d\dT[\d:]{8}", "2026-06-15T09:00:00", shown)
    shown = re.sub(r"\d+ ms", "5 ms", shown)
    golden("traces.txt", re.sub(r"(?m) +\d+$", "     5", shown))
    printed = home.json("traces", "--subject", "ANN", "--limit", "2")
    assert [one["tool"] for one in printed["traces"]] == ["read", "search"]
    assert printed["traces"][0]["session"] == "one"
    assert home.json("traces", "--tools")["usage"]["led_to_read"] == 1


def test_traces_hold_no_text_and_leave_none_where_none_is_wanted(home: Home) -> None:
    home("search", "second", "--no-trace")
    home("grep", "Second", "--no-trace")
    home("read", "travel.md", "--no-trace")
    assert home("traces")[:2] == (1, "No traces\n")
    home("read", "travel.md")
    assert "Sixty" not in home("traces", "--json")[1]


@pytest.mark.parametrize(
    "command",
    [("traces",), ("traces", "--tools"), ("misses",), ("misses", "dismiss", "1"),
     ("misses", "accept", "1", "--expect", "travel.md")],
)  # fmt: skip
def test_only_the_local_owner_is_told(home: Home, command: tuple[str, ...]) -> None:
    home.miss("Where?")
    code, out, err = home(*command, "--as", "ann")
    assert (code, out) == (2, "")
    assert "for the local owner" in err
    assert home.status() == ["open"]


def test_misses_are_listed_with_who_looked_for_what(
    home: Home, golden: Callable[[str, str], None]
) -> None:
    home.miss("What is the per diem?", looked_for="a table of rates", tried=("per diem", "rates"))
    home.miss("what is the per diem", "bob", tried=("allowance",))
    home.miss("Who approves trips?", None)
    home("misses", "dismiss", "3")
    shown = re.sub(r"\d{4}-\d\d-\d\d", "2026-06-15", home("misses", "--all")[1])
    golden("misses.txt", shown)
    assert "approves" not in home("misses")[1]
    assert home("forget", "--subject", "ann")[1] == "2 records of ann deleted\n"
    assert home.json("misses")["misses"][0]["subjects"] == ["bob"]


def test_an_accepted_miss_is_appended_and_the_rest_of_the_file_stays(home: Home) -> None:
    home.file.write_text(QUESTIONS, encoding="utf-8")
    number = home.miss("Сколько платят: day #1?")
    code, out, err = home("misses", "accept", str(number), "--expect", "travel.md#per-diem")
    assert (code, err) == (0, "")
    assert str(home.file) in out
    text = home.file.read_text(encoding="utf-8")
    assert text.startswith(QUESTIONS + "\n\n- question: ")
    entry = yaml.safe_load(text)[-1]
    assert re.fullmatch(r"reported as missing on \d{4}-\d\d-\d\d", entry.pop("note"))
    assert entry == {
        "question": "Сколько платят: day #1?",
        "expect": ["travel.md#per-diem"],
        "as": "ann",
        "language": "ru",
        "category": "own-words",
    }
    assert home.status() == ["accepted"]
    again = home("misses", "accept", str(number), "--expect", "travel.md")
    assert again[0] == 2
    assert "was accepted already" in again[2]


def test_a_file_is_made_where_there_is_none(home: Home) -> None:
    number = str(home.miss("Trains?", None))
    home("misses", "accept", number, "--expect", "travel.md", "--to", "more.yaml")
    (entry,) = yaml.safe_load((home.folder / "more.yaml").read_text(encoding="utf-8"))
    assert "as" not in entry
    assert entry["expect"] == ["travel.md"]


@pytest.mark.parametrize(
    ("file", "options", "said"),
    [
        (QUESTIONS, ("--expect", "none.md"), "none.md"),
        (QUESTIONS, ("--expect", "travel.md#none"), "travel.md#none"),
        (QUESTIONS, ("--expect", "pay.md"), "may not read pay.md"),
        (QUESTIONS, ("--expect", "travel.md", "--asked-as", "zoe"), "zoe"),
        (QUESTIONS, (), "nothing to expect"),
        ("- question: TRAINS!\n  as: Ann\n", ("--expect", "travel.md"), "has this question already"),
        ("questions: []\n", ("--expect", "travel.md"), "not a list"),
        ("[{question: x}]\n", ("--expect", "travel.md"), "not a list"),
        ("- {\n", ("--expect", "travel.md"), "not YAML"),
        ("- question: |\n    x\n  expect: []\n...\n", ("--expect", "travel.md"), "YAML"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_question_is_refused_and_nothing_changed(
    home: Home, file: str, options: tuple[str, ...], said: str
) -> None:
    home.file.write_text(file, encoding="utf-8")
    number = home.miss("Trains?")
    code, _, err = home("misses", "accept", str(number), *options)
    assert code in (1, 2)
    assert said in err
    assert home.file.read_text(encoding="utf-8") == file
    assert home.status() == ["open"]


def test_a_list_that_is_indented_goes_on_as_it_is(home: Home) -> None:
    home.file.write_text("  - question: other\n    expect: []\n", encoding="utf-8")
    home("misses", "accept", str(home.miss("Trains?")), "--expect", "travel.md")
    assert len(yaml.safe_load(home.file.read_text(encoding="utf-8"))) == 2


def test_a_deeper_heading_is_expected_as_the_section_that_hits_name(home: Home) -> None:
    home("misses", "accept", str(home.miss("Sleepers?")), "--expect", "travel.md#sleepers")
    (entry,) = yaml.safe_load(home.file.read_text(encoding="utf-8"))
    assert entry["expect"] == ["travel.md#trains"]


def test_an_unknown_miss_is_said(home: Home) -> None:
    code, _, err = home("misses", "dismiss", "7")
    assert code == 1
    assert "no miss 7" in err
    assert home("misses", "burn", "7")[0] == 2
    assert home("misses", "accept")[0] == 2


def test_a_decision_holds_for_who_reports_it_later(home: Home) -> None:
    home("misses", "dismiss", str(home.miss("Trains?")))
    home.miss("trains", "bob")
    assert home("misses")[:2] == (1, "No misses\n")

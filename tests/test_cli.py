"""The command line, run as a person runs it: messages, exit codes, and nothing lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from wellread import cli, cli_write
from wellread.settings import template

ROOT = Path(__file__).parent.parent
GROUPS = "ann: [sales]\neve: [contractors]\n"
CONFIG = '[[sources]]\npath = "docs"\n[[access.rules]]\npath = "pay/**"\nallow = ["hr"]\n'
PAGES = {
    "travel.md": "---\ntitle: Travel\nstate: approved\ntype: policy\nowner: hr@example.com\n"
    "updated: 2026-02-01\n---\n# Travel\n\n## Per diem\n\nThe per diem abroad is 60 euros.\n",
    "refunds.md": "---\nstate: draft\nupdated: 2026-05-01\n---\n# Refunds\n\nRefunds take 14 days.\n"
    "Code ERR-4412 is a refund.\n",
    "pay/raise.md": "# Raise\n\nThe average raise is 6.8 %. Secret zebra.\n",
}


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Home:
    """A folder in which the command is run."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Answer:
        self._capsys.readouterr()
        code = cli.main(arguments)
        out, err = self._capsys.readouterr()
        assert "Traceback" not in err
        return Answer(code, out, err)


@pytest.fixture
def empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Home:
    for name in [name for name in os.environ if name.startswith("WELLREAD_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return Home(tmp_path, capsys)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small library, made once; tests that change it make their own."""
    folder = tmp_path_factory.mktemp("company")
    write_library(folder)
    done = command(folder, "index")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def company(empty: Home, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.chdir(indexed)
    return Home(indexed, empty._capsys)


def write_library(folder: Path) -> None:
    for path, text in PAGES.items():
        file = folder / "docs" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "wellread.toml").write_text(CONFIG, encoding="utf-8")
    (folder / "groups.yaml").write_text(GROUPS, encoding="utf-8")


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WELLREAD_")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "wellread.cli", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )


# --- arguments -------------------------------------------------------------------------------


def test_without_a_command_the_help_is_printed(empty: Home) -> None:
    answer = empty()
    assert answer.code == 0
    for name in cli.COMMANDS:
        assert f"\n    {name} " in answer.out
    assert "wellread index FOLDER" in answer.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serch", "x"], ["There is no command 'serch'. Did you mean search?"]),
        (["search", "--limt", "3", "x"], ["--limt", "Did you mean --limit?"]),
        (["grep", "--zzz"], ["--zzz", "put -- before it", "--help"]),
        (["search"], ["nothing to look for: wellread search 'a few words'"]),
        (["search", "  "], ["nothing to look for"]),
        (["grep", ""], ["nothing to look for: wellread grep"]),
        (["search", "x", "--limit", "many"], ["--limit", "'many'"]),
        (["grep", "x", "--limit", "0"], ["--limit 0"]),
        (["search", "x", "--type", "polcy"], ["--type 'polcy' is unknown", "guideline, playbook"]),
        (["search", "x", "--state", "done"], ["--state 'done' is unknown", "draft, in-review"]),
        (["search", "x", "--since", "soon"], ["--since 'soon' is not a day", "2026-03-16"]),
        (["grep", "x", "--until", "2026-02-30"], ["--until '2026-02-30' is not a day"]),
        (["search", "x", "--today", "now"], ["--today 'now' is not a day"]),
        (
            ["search", "x", "--since", "2026-02-01", "--until", "2026-01-01"],
            ["--since 2026-02-01 is after --until 2026-01-01"],
        ),
        (["search", "x", "--path", ""], ["--path", "is empty"]),
        (["search", "x", "--detail", "all"], ["--detail 'all'", "snippet, passage"]),
        (["read", "x", "--lines", "ten"], ["--lines 'ten' is no range", "10-40"]),
        (["read"], ["PATH[#SECTION]"]),
        (["completion", "tcsh"], ["'tcsh'", "bash, zsh, fish"]),
        (["search", "x", "--config", "no.toml"], ["no.toml", "does not exist", "wellread init"]),
        (["forget"], ["--subject"]),
    ],
)
def test_a_wrong_argument_is_named_with_what_to_write_instead(
    empty: Home, arguments: list[str], words: list[str]
) -> None:
    answer = empty(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.count("\n") == 1
    assert [word for word in words if word not in answer.err] == [], answer.err


def test_a_wrong_argument_is_json_where_json_was_asked_for(empty: Home) -> None:
    answer = empty("search", "x", "--state", "done", "--json")
    assert answer.code == 2
    assert answer.json["exit_code"] == 2
    assert "'done' is unknown" in answer.json["error"]
    assert "'done' is unknown" in answer.err


def test_options_may_stand_before_the_command(company: Home) -> None:
    before = company("--json", "--config", "wellread.toml", "search", "refunds")
    after = company("search", "refunds", "--json", "--config", "wellread.toml")
    assert before.json == after.json


def test_every_command_takes_json(company: Home, tmp_path: Path) -> None:
    for arguments in (
        ["search", "refunds"],
        ["grep", "ERR-4412"],
        ["read", "travel.md"],
        ["status"],
        ["lint"],
        ["forget", "--subject", "nobody"],
        ["completion", "bash"],
        ["init", "--config", str(tmp_path / "new.toml")],
    ):
        assert isinstance(company(*arguments, "--json").json, dict), arguments


# --- init, index -----------------------------------------------------------------------------


def test_init_writes_the_template_and_nothing_else_and_never_over_a_file(empty: Home) -> None:
    answer = empty("init")
    assert answer.code == 0
    assert [file.name for file in empty.folder.iterdir()] == ["wellread.toml"]
    file = empty.folder / "wellread.toml"
    assert file.read_text(encoding="utf-8") == template()
    file.write_text("mine", encoding="utf-8")
    again = empty("init")
    assert again.code == 2
    assert "exists and is left as it is" in again.err
    assert file.read_text(encoding="utf-8") == "mine"


def test_what_init_writes_can_be_indexed_and_searched_at_once(empty: Home) -> None:
    (empty.folder / "page.md").write_text("# A page about zebras\n", encoding="utf-8")
    assert empty("init").code == 0
    assert empty("index").code == 0
    assert "page.md" in empty("search", "zebras").out


def test_a_folder_is_indexed_without_a_configuration_and_remembered(
    empty: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = empty.folder / "docs" / "deep"
    below.mkdir(parents=True)
    (below / "a.md").write_text("# Zebra\n", encoding="utf-8")
    answer = empty("index", "docs")
    assert answer.code == 0
    assert answer.out.startswith("1 file seen: 1 added, ")
    assert answer.out.count("\n") == 1
    (below / "b.md").write_text("# Quagga\n", encoding="utf-8")
    monkeypatch.chdir(below)
    again = empty("index", "--json")
    assert again.json["added"] == 1
    assert again.json["unchanged"] == 1
    assert "deep/b.md" in empty("search", "quagga").out


def test_sources_that_are_set_cannot_be_replaced_in_passing(empty: Home) -> None:
    write_library(empty.folder)
    (empty.folder / "other").mkdir()
    answer = empty("index", "other")
    assert answer.code == 2
    assert "wellread.toml" in answer.err
    assert empty("index", "docs").code == 0


def test_nothing_to_index_is_refused(empty: Home) -> None:
    assert empty("index").code == 5
    assert empty("index", "nowhere").code == 5
    (empty.folder / "hollow").mkdir()
    assert empty("index", "hollow").code == 5


# --- reading ---------------------------------------------------------------------------------


def test_search_prints_hits_and_exits_1_where_there_is_none(company: Home) -> None:
    found = company("search", "per", "diem", "abroad", "--today", "2026-06-15")
    assert found.code == 0
    assert found.err == ""
    assert found.out.startswith("1. travel.md#per-diem")
    assert "guideline (policy) · approved · updated 2026-02-01" in found.out
    nothing = company("search", "xylophone")
    assert nothing.code == 1
    assert nothing.out.startswith("Nothing found.")
    assert company("search", "xylophone", "--json").json["outcome"] == "nothing-found"


def test_filters_narrow_and_say_what_they_leave_out(company: Home) -> None:
    for given, expected in (
        (["--type", "policy"], {"travel.md"}),
        (["--type", "reference,brief"], {"refunds.md", "pay/raise.md"}),
        (["--state", "Draft"], {"refunds.md"}),
        (["--owner", "hr"], {"travel.md"}),
        (["--path", "pay/**"], {"pay/raise.md"}),
        (["--until", "2026-03-01"], {"travel.md"}),
    ):
        answer = company("search", "per diem refunds raise", "--json", *given)
        assert {hit["path"] for hit in answer.json["hits"]} == expected, given
    none = company("search", "refunds", "--state", "archived")
    assert none.code == 1
    assert "Nothing found with these filters" in none.out
    assert "Without the state filter: " in none.out


def test_standing_is_that_of_the_day_that_is_named(empty: Home) -> None:
    text = "---\nvalid_until: 2026-03-01\n---\n# Zebra\n"
    (empty.folder / "a.md").write_text(text, encoding="utf-8")
    assert empty("index", ".").code == 0
    for today, standing in (("2026-03-01", "current"), ("2026-03-02", "expired")):
        answer = empty("search", "zebra", "--json", "--today", today).json
        assert answer["hits"][0]["standing"]["name"] == standing


def test_pages_follow_one_another(company: Home) -> None:
    first = company("search", "per diem refunds raise", "--limit", "1", "--json").json
    assert first["left_out"] >= 2
    second = company(
        "search", "per diem refunds raise", "--limit", "1", "--json", "--page", first["next_page"]
    ).json
    assert second["hits"][0]["section"] != first["hits"][0]["section"]


def test_explain_shows_the_query_and_parts_that_sum_to_the_score(company: Home) -> None:
    answer = company("search", "refunds", "--explain", "--json").json
    explanation = answer["hits"][0]["explanation"]
    assert explanation["value"] == pytest.approx(answer["hits"][0]["score"])
    assert sum(part["value"] for part in explanation["parts"]) == pytest.approx(
        explanation["value"]
    )
    assert company("search", "refunds", "--explain").out.startswith("query\n")


def test_grep_finds_text_that_starts_with_a_dash_behind_two_dashes(company: Home) -> None:
    assert company("grep", "ERR-4412").out.startswith("refunds.md:8: Code ERR-4412 is")
    assert company("grep", "--ignore-case", "err-4412").code == 0
    assert company("grep", "--regex", r"ERR-\d+").code == 0
    assert company("grep", "--", "-4412").code == 0
    assert company("grep", "--", "--none").code == 1
    bad = company("grep", "--regex", "(")
    assert bad.code == 2
    assert "regular expression" in bad.err


def test_read_shows_numbered_lines_of_the_file(company: Home) -> None:
    answer = company("read", "travel.md#per-diem")
    assert answer.code == 0
    assert "\n12  The per diem abroad is 60 euros.\n" in answer.out
    assert company("read", "travel.md", "--lines", "12", "--json").json["text"] == (
        "The per diem abroad is 60 euros."
    )
    assert "travel.md#per-diem" in company("read", "travel.md", "--outline").out


@pytest.mark.parametrize(
    "handle", ["nope.md", "../wellread.toml", "/etc/passwd", "docs/../travel.md", "a\x00b", "#"]
)
def test_what_is_not_in_the_library_is_no_such_document(company: Home, handle: str) -> None:
    missing = company("read", handle)
    assert missing.code == 1
    assert "No such document for you" in missing.err
    forbidden = company("read", "pay/raise.md", "--as", "ann")
    assert forbidden.code == 1
    shown = handle.replace("\x00", "\N{REPLACEMENT CHARACTER}")
    assert forbidden.err == missing.err.replace(shown, "pay/raise.md")


def test_a_caller_outside_the_group_gets_no_trace(company: Home) -> None:
    assert company("search", "zebra").code == 0
    for arguments in (
        ["search", "zebra secret raise"],
        ["grep", "zebra"],
        ["status"],
        ["lint"],
        ["read", "travel.md"],
    ):
        answer = company(*arguments, "--as", "ann", "--json")
        assert "raise.md" not in answer.out + answer.err, arguments
        assert "zebra" not in (answer.out + answer.err).replace(arguments[-1], ""), arguments


def test_an_identity_that_is_unknown_or_said_twice_is_refused(
    company: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert company("search", "x", "--as", "zoe").code == 2
    monkeypatch.setenv("WELLREAD_AS", "ann")
    assert company("search", "zebra").code == 1
    assert company("search", "zebra", "--as", "ANN").code == 1
    different = company("search", "zebra", "--as", "eve")
    assert different.code == 2
    assert "different" in different.err


def test_status_counts_what_the_caller_may_read(company: Home) -> None:
    owner = company("status", "--json").json
    assert owner["documents"] == 3
    assert owner["runs"]
    ann = company("status", "--json", "--as", "ann").json
    assert ann["documents"] == 2
    assert ann["runs"] == []
    assert company("status").out.startswith("documents")


def test_lint_exits_6_with_problems_and_0_without(empty: Home) -> None:
    write_library(empty.folder)
    travel = empty.folder / "docs" / "travel.md"
    signed = travel.read_text(encoding="utf-8").replace(
        "state: approved", "state: approved\napproved_by: Ann Berg"
    )
    travel.write_text(signed, encoding="utf-8")
    assert empty("index").code == 0
    assert empty("lint").code == 0
    file = empty.folder / "docs" / "bad.md"
    file.write_text("---\nreview_by: soon\n---\n# Bad\n", encoding="utf-8")
    assert empty("index").code == 0
    answer = empty("lint")
    assert answer.code == 6
    assert answer.out.startswith("bad.md:2: ")


def test_before_the_first_index_every_reading_command_says_what_to_run(empty: Home) -> None:
    for arguments in (["search", "x"], ["grep", "x"], ["read", "x"], ["status"], ["lint"]):
        answer = empty(*arguments)
        assert answer.code == 3
        assert "wellread index" in answer.err
        assert list(empty.folder.iterdir()) == []


# --- as a process ----------------------------------------------------------------------------


def test_a_closed_pipe_is_quiet(indexed: Path) -> None:
    program = f"{sys.executable} -m wellread.cli completion zsh | :; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", program],
        cwd=indexed,
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout.strip() in {"0", "141"}  # 0 where all was written before it was closed


def test_a_full_device_is_an_error_in_one_line(indexed: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m wellread.cli status > /dev/full"],
        cwd=indexed,
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 4
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_interrupting_a_watching_index_is_quiet_and_keeps_the_library(tmp_path: Path) -> None:
    write_library(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "wellread.cli", "index", "--watch"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("3 files seen: 3 added")
    (tmp_path / "docs" / "new.md").write_text("# Okapi\n", encoding="utf-8")
    assert process.stdout.readline().startswith("4 files seen: 1 added")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "watching by" in err
    assert "new.md" in command(tmp_path, "search", "okapi").stdout


def test_a_mistake_of_the_program_is_one_message_and_debug_shows_where(
    empty: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> int:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr(cli_write, "init", broken)
    answer = empty("init")
    assert answer.code == 5
    assert "mistake in wellread itself, ZeroDivisionError: by nought" in answer.err
    assert answer.err.count("\n") == 1
    with pytest.raises(ZeroDivisionError):
        cli.main(["init", "--debug"])


def test_an_interruption_exits_130_without_a_word(
    empty: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_write, "init", interrupted)
    answer = empty("init")
    assert (answer.code, answer.out, answer.err) == (130, "", "")


@pytest.mark.parametrize("arguments", [["search", "refunds"], ["grep", "ERR-4412"]])
def test_a_search_in_a_pipe_imports_nothing_heavy(indexed: Path, arguments: list[str]) -> None:
    program = (
        "import sys; from wellread.cli import main; code = main(sys.argv[1:]); "
        "print(sorted(name for name in sys.modules if '.' not in name), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=indexed,
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    heavy = {
        "yaml",
        "rich",
        "markdown_it",
        "pathspec",
        "charset_normalizer",
        "watchfiles",
        "asyncio",
        "difflib",
        "multiprocessing",
    }
    assert [name for name in heavy if f"'{name}'" in done.stderr] == []


def test_backup_and_restore_keep_the_library(empty: Home) -> None:
    write_library(empty.folder)
    assert empty("index").code == 0
    assert empty("backup", "kept").out == "Wrote kept\n"
    assert empty("backup", "kept").code == 2
    assert empty("restore", "kept").code == 5
    (empty.folder / ".wellread").rename(empty.folder / "old")
    assert empty("search", "refunds").code == 3
    assert empty("restore", "kept").code == 0
    assert empty("search", "refunds").code == 0


def test_forgetting_where_nothing_was_indexed_says_what_to_do(empty: Home) -> None:
    answer = empty("forget", "--subject", "ann")
    assert answer.code == 3
    assert "wellread index" in answer.err
    assert list(empty.folder.iterdir()) == []


def test_a_forgotten_subject_leaves_no_trace_behind(company: Home) -> None:
    assert company("search", "refunds", "--as", "eve").code == 0
    assert company("forget", "--subject", "Eve", "--json").json["forgotten"] >= 1
    assert company("forget", "--subject", "eve", "--json").json["forgotten"] == 0

"""What the pages in docs/ say of commands and JSON is so."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import pytest

from wellread.arguments import build_parser
from wellread.cli import COMMANDS, main
from wellread.sources.exclude import DEFAULT_EXCLUDE
from wellread.types import STATES

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
PERMISSIVE = re.compile(r"MIT|BSD|Apache")
WEAK_COPYLEFT = {"pathspec"}
"""MPL-2.0: by file, so that code which only imports it is free of it."""


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def commands(text: str) -> list[str]:
    """The lines of shell examples that start with ``wellread``, where such a command exists."""
    blocks = re.findall(r"^```(?:console|sh)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^(?:\$ )?wellread (.+)$", "\n".join(blocks), re.MULTILINE)
    spans = re.findall(r"`wellread (\w[^`…\n]*)`", text)
    return [line for line in [*lines, *spans] if not re.search(r"[A-Z]{4,}|\|", line)]


EXAMPLES = [
    (one.name, line)
    for one in PAGES
    if one.name != "clients.md"  # compared with what is printed, in test_connect.py
    for line in commands(one.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("name", "line"), EXAMPLES)
def test_a_command_that_is_shown_is_understood(name: str, line: str) -> None:
    words = shlex.split(line)
    assert words[0] in COMMANDS or words[0].startswith("-"), f"{name}: {line}"
    if words[0] in COMMANDS and len(words) > 1:
        assert build_parser().parse_args(words)


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_links_of_a_page_resolve(file: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", file.read_text(encoding="utf-8")):
        if "://" not in target and file.name != "document-format.md":
            assert (file.parent / target).exists(), f"{file.name}: {target}"


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("docs") / "company"
    shutil.copytree(ROOT / "examples" / "company", home)
    return home


@pytest.fixture
def ask(company: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(company)
    for name in ("WELLREAD_AS", "WELLREAD_CONFIG", "WELLREAD_LIBRARY"):
        monkeypatch.delenv(name, raising=False)
    main(["index"])
    capsys.readouterr()

    def answer(*arguments: str) -> dict[str, Any]:
        main([*arguments, "--json"])
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        return printed

    return answer


@pytest.mark.parametrize(
    ("heading", "arguments"),
    [
        ("search", ("search", "payment terms northern steel", "--today", "2026-06-15")),
        ("grep", ("grep", "INV-2026-0041")),
        ("read", ("read", "engineering/on-call/runbook.md", "--today", "2026-06-15")),
        ("index", ("index",)),
        ("status", ("status", "--today", "2026-06-15")),
        ("lint", ("lint",)),
        ("eval", ("eval", "--today", "2026-06-15")),
    ],
)
def test_documented_keys_are_those_that_the_example_company_prints(
    ask: Any, heading: str, arguments: tuple[str, ...]
) -> None:
    section = re.search(rf"^## `{heading}`\n.*?```json\n(.*?)```", page("json.md"), re.M | re.S)
    assert section
    documented, printed = json.loads(section[1]), ask(*arguments)
    assert list(documented) == list(printed)
    for key in ("hits", "matches", "outline", "links", "attachments", "acls", "results"):
        if documented.get(key):
            assert printed[key], key
            assert set(documented[key][0]) == set(printed[key][0]), key
    if heading == "status":
        assert list(printed["runs"][0]) == list(ask("index"))


def test_the_page_names_what_is_left_out_of_every_source() -> None:
    text = page("configuration.md")
    for pattern in DEFAULT_EXCLUDE:
        assert f"`{pattern.removesuffix('*')}`" in text


def test_the_search_page_names_every_state_that_changes_standing() -> None:
    text = page("search.md")
    assert [state for state in STATES if state != "approved" and f"`{state}`" not in text] == []


@pytest.mark.parametrize("name", ["configuration.md", "serving.md"])
def test_toml_examples_of_a_page_are_read(tmp_path: Path, name: str) -> None:
    from wellread.config import load

    examples = re.findall(r"```toml\n(.*?)```", page(name), re.DOTALL)
    assert examples
    for number, example in enumerate(examples):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "wellread.toml").write_text(example, encoding="utf-8")
        config = load(None, {}, folder)
        config.groups()
        config.auth()


def test_dependencies_have_permissive_licences() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    groups = (project["dependencies"], extras["office"], extras["server"], extras["eval"])
    wanted = [requirement for group in groups for requirement in group]
    for requirement in wanted:
        name = re.split(r"[\[<>=~! ]", requirement)[0]
        about = metadata(name)
        licence = " ".join(
            [
                about.get("License-Expression") or "",
                about.get("License") or "",
                *(one for one in about.get_all("Classifier") or [] if "License" in one),
            ]
        )
        assert PERMISSIVE.search(licence) or name in WEAK_COPYLEFT, f"{name}: {licence}"

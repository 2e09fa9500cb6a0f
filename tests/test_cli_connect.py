"""``wellread connect`` as a person runs it: absolute paths, a known identity, nothing overwritten."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.shelf import groups, library
from wellread import cli
from wellread.connect import CLIENTS


class Home:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        code = cli.main(["connect", *arguments])
        out, err = self._capsys.readouterr()
        return code, out, err

    def entry(self, name: str = "wellread") -> Any:
        found = json.loads((self.folder / ".mcp.json").read_text(encoding="utf-8"))
        return found["mcpServers"][name]


@pytest.fixture
def home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Home:
    library(tmp_path, {"a.md": "text"}, groups({"ann": ["sales"]})).close()
    for name in ("WELLREAD_AS", "WELLREAD_CONFIG", "WELLREAD_LIBRARY", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    installed = tmp_path / "bin" / "wellread"
    installed.parent.mkdir()
    installed.touch(mode=0o755)
    monkeypatch.setenv("PATH", f"{installed.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return Home(tmp_path, capsys)


def test_an_entry_has_absolute_paths_and_the_identity(home: Home) -> None:
    code, out, err = home("claude-code", "--as", "Ann", "--write")
    assert (code, err) == (0, "")
    assert str(home.folder / ".mcp.json") in out
    entry = home.entry()
    assert Path(entry["command"]).is_absolute()
    assert entry["env"] == {
        "WELLREAD_CONFIG": str(home.folder / "wellread.toml"),
        "WELLREAD_AS": "ann",
    }


@pytest.mark.parametrize("client", [one for one in CLIENTS if one != "chatgpt"])
def test_printing_changes_nothing(home: Home, client: str) -> None:
    before = sorted(home.folder.rglob("*"))
    code, out, _ = home(client)
    assert code == 0
    assert str(home.folder / "wellread.toml") in out
    assert sorted(home.folder.rglob("*")) == before


def test_a_second_writing_says_that_it_is_there(home: Home) -> None:
    home("claude-code", "--write")
    before = (home.folder / ".mcp.json").read_bytes()
    code, out, _ = home("claude-code", "--write")
    assert code == 0
    assert "already" in out
    assert (home.folder / ".mcp.json").read_bytes() == before


def test_another_entry_of_that_name_is_an_error_and_another_name_is_not(home: Home) -> None:
    home("claude-code", "--write")
    code, _, err = home("claude-code", "--as", "ann", "--write")
    assert code == 2
    assert "another entry named 'wellread'" in err
    assert home("claude-code", "--as", "ann", "--name", "ann-reads", "--write")[0] == 0
    assert home.entry("ann-reads")["env"]["WELLREAD_AS"] == "ann"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("emacs",), "Known: claude-code"),
        (("cursor", "--as", "zoe"), "unknown subject"),
        (("cursor", "--as", "ann", "--local-owner"), "contradict"),
        (("cursor", "--env", "PATH=/bin"), "nknown variable PATH"),
        (("cursor", "--env", "WELLREAD_AS"), "NAME=VALUE"),
        (("cursor", "--env", "WELLREAD_LIBRARY=lib"), "absolute path"),
        (("cursor", "--url", "https://w.example/mcp", "--as", "ann"), "no meaning over HTTP"),
        (("chatgpt",), "--url"),
        (("chatgpt", "--url", "https://w.example/mcp", "--write"), "no file"),
        (("claude-desktop", "--url", "https://w.example/mcp", "--write"), "Connectors"),
    ],
)
def test_what_would_not_work_is_refused_and_nothing_written(
    home: Home, arguments: tuple[str, ...], said: str
) -> None:
    before = sorted(home.folder.rglob("*"))
    code, out, err = home(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert sorted(home.folder.rglob("*")) == before


def test_the_identity_of_the_environment_travels(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WELLREAD_AS", "ann")
    home("claude-code", "--write")
    assert home.entry()["env"]["WELLREAD_AS"] == "ann"


def test_a_library_without_configuration_is_named_itself(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home.folder / "wellread.toml").unlink()
    home("claude-code", "--local-owner", "--write")
    assert home.entry()["env"] == {"WELLREAD_LIBRARY": str(home.folder / ".wellread")}
    assert home.entry()["args"] == ["serve", "--local-owner"]
    (home.folder / "elsewhere").mkdir()
    monkeypatch.setenv("WELLREAD_LIBRARY", str(home.folder / "elsewhere" / "none"))
    code, _, err = home("cursor")
    assert code == 2
    assert "There is no library at" in err


def test_a_library_that_the_environment_names_travels_beside_the_configuration(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WELLREAD_LIBRARY", str(home.folder / "other"))
    home("claude-code", "--write")
    assert home.entry()["env"]["WELLREAD_LIBRARY"] == str(home.folder / "other")


def test_json_says_what_is_to_be_done(home: Home) -> None:
    code, out, _ = home("vscode", "--json")
    assert code == 0
    assert set(json.loads(out)) == {"client", "file", "text"}

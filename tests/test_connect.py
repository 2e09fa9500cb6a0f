"""What connects a client, and what a merge leaves alone."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import pytest

from wellread.connect import (
    CLIENTS,
    Client,
    Connection,
    Environment,
    config_path,
    instructions,
    merge,
    render,
    write,
)
from wellread.errors import UsageError

ANN = Connection(
    command="/opt/wellread/bin/wellread", config="/srv/company/wellread.toml", subject="ann"
)
REMOTE = Connection(url="https://wellread.example/mcp")
DOCS = (Path(__file__).parent.parent / "docs/clients.md").read_text(encoding="utf-8")
FILES: list[Client] = ["claude-code", "claude-desktop", "cursor", "vscode"]
HOME = PurePosixPath("/home/ann")
LINUX = Environment(system="linux", home=HOME, folder=PurePosixPath("/srv/project"))
MACOS = replace(LINUX, system="macos")
WINDOWS = Environment(
    system="windows",
    home=PureWindowsPath("C:/Users/ann"),
    folder=PureWindowsPath("C:/project"),
    appdata=PureWindowsPath("C:/Users/ann/AppData/Roaming"),
)


def documented(heading: str, language: str = "json") -> str:
    section = DOCS.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found, heading
    return found[1]


@pytest.mark.parametrize(
    ("heading", "client", "connection"),
    [
        ("Claude Code", "claude-code", ANN),
        ("Claude Desktop", "claude-desktop", ANN),
        ("Cursor", "cursor", ANN),
        ("VS Code", "vscode", ANN),
        ("A server for many people", "claude-code", REMOTE),
    ],
)
def test_the_manual_shows_what_is_rendered(
    heading: str, client: Client, connection: Connection
) -> None:
    assert documented(heading) == render(client, connection)


def test_the_manual_shows_claude_codes_one_line() -> None:
    path = config_path("claude-code", LINUX)
    assert documented("Claude Code", "sh").strip() in instructions("claude-code", ANN, path)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_manual_names_every_client(client: Client) -> None:
    assert f"`{client}`" in DOCS


@pytest.mark.parametrize(
    ("client", "environment", "path"),
    [
        ("claude-code", LINUX, "/srv/project/.mcp.json"),
        ("cursor", MACOS, "/home/ann/.cursor/mcp.json"),
        ("vscode", LINUX, "/home/ann/.config/Code/User/mcp.json"),
        ("vscode", replace(LINUX, xdg_config=PurePosixPath("/x")), "/x/Code/User/mcp.json"),
        ("vscode", MACOS, "/home/ann/Library/Application Support/Code/User/mcp.json"),
        ("vscode", WINDOWS, r"C:\Users\ann\AppData\Roaming\Code\User\mcp.json"),
        (
            "vscode",
            replace(WINDOWS, appdata=None),
            r"C:\Users\ann\AppData\Roaming\Code\User\mcp.json",
        ),
        ("claude-desktop", LINUX, "/home/ann/.config/Claude/claude_desktop_config.json"),
        (
            "claude-desktop",
            MACOS,
            "/home/ann/Library/Application Support/Claude/claude_desktop_config.json",
        ),
        (
            "claude-desktop",
            WINDOWS,
            r"C:\Users\ann\AppData\Roaming\Claude\claude_desktop_config.json",
        ),
    ],
)
def test_each_client_has_its_file(client: Client, environment: Environment, path: str) -> None:
    assert str(config_path(client, environment)) == path


def entry(client: Client, connection: Connection) -> dict[str, Any]:
    key = "servers" if client == "vscode" else "mcpServers"
    found: dict[str, Any] = json.loads(render(client, connection))[key][connection.name]
    return found


@pytest.mark.parametrize("client", FILES)
def test_the_identity_travels_with_the_entry(client: Client) -> None:
    assert entry(client, ANN)["env"]["WELLREAD_AS"] == "ann"
    nobody = replace(ANN, subject=None)
    assert "WELLREAD_AS" not in entry(client, nobody)["env"]
    assert entry(client, nobody)["args"] == ["serve"]
    owner = replace(ANN, subject=None, local_owner=True)
    assert entry(client, owner)["args"] == ["serve", "--local-owner"]


@pytest.mark.parametrize("client", FILES)
def test_a_merge_keeps_everything_else_in_its_order(client: Client) -> None:
    key = "servers" if client == "vscode" else "mcpServers"
    before = {
        "zoom": 1.5,
        key: {"b": {"command": "x", "unknown": [1, None]}},
        "имя": "Анна",
        "a": {},
    }
    text = json.dumps(before, indent=4, ensure_ascii=False)
    merged = merge(text, client, ANN)
    after = json.loads(merged.text)
    assert not merged.already
    assert list(after) == list(before)
    assert list(after[key]) == ["b", "wellread"]
    assert after[key].pop("wellread") == entry(client, ANN)
    assert after == before
    assert merged.text.startswith(text.split(f'"{key}"')[0]), "indentation and letters are kept"


@pytest.mark.parametrize("client", FILES)
@pytest.mark.parametrize("existing", [None, "", " \n", "{}", '{"other": 1}'])
def test_a_second_merge_finds_it_there(client: Client, existing: str | None) -> None:
    once = merge(existing, client, ANN)
    again = merge(once.text, client, ANN)
    assert again.already
    assert again.text == once.text


@pytest.mark.parametrize("client", FILES)
@pytest.mark.parametrize(
    "other", [replace(ANN, subject="boris"), replace(ANN, config="/elsewhere.toml"), REMOTE]
)
def test_a_different_entry_is_never_overwritten(client: Client, other: Connection) -> None:
    if client == "claude-desktop" and other is REMOTE:
        pytest.skip("takes no address")
    there = render(client, other)
    with pytest.raises(UsageError, match=r"another entry named 'wellread'.*--name"):
        merge(there, client, ANN)
    named = merge(there, client, replace(ANN, name="handbook"))
    assert set(json.loads(named.text).popitem()[1]) == {"wellread", "handbook"}


@pytest.mark.parametrize(
    "existing",
    [
        '{"mcpServers": {} // mine\n}',
        '{"mcpServers": {},}',
        '{"mcpServers": {}, "mcpServers": {}}',
        '{"mcpServers": []}',
        '{"mcpServers": null}',
        "[]",
        "not json",
        "{" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_a_file_that_could_not_be_kept_is_refused(existing: str) -> None:
    with pytest.raises(UsageError):
        merge(existing, "cursor", ANN)


@pytest.mark.parametrize(
    ("connection", "said"),
    [
        (replace(ANN, variables={"WELLREAD_WHO": "ann"}), "unknown variable WELLREAD_WHO"),
        (replace(ANN, variables={"PATH": "/bin"}), "unknown variable PATH"),
        (replace(ANN, variables={"WELLREAD_AS": "boris"}), "given twice: ann and boris"),
        (replace(ANN, config="${HOME}/wellread.toml"), "unknown variable"),
        (replace(ANN, subject="${USER}"), "unknown variable"),
        (replace(ANN, command="wellread"), "not an absolute path"),
        (replace(ANN, config="wellread.toml"), "not an absolute path"),
        (replace(ANN, library="../x"), "not an absolute path"),
        (replace(ANN, subject=" "), "WELLREAD_AS is empty"),
        (replace(ANN, local_owner=True), "contradict"),
        (
            replace(ANN, subject=None, local_owner=True, variables={"WELLREAD_AS": "ann"}),
            "contradict",
        ),
        (replace(ANN, command=None), "not found"),
        (replace(REMOTE, subject="ann"), "--as has no meaning over HTTP"),
        (replace(REMOTE, local_owner=True), "--local-owner has no meaning over HTTP"),
        (replace(REMOTE, url="wellread.example/mcp"), "not an http"),
        (replace(REMOTE, url="file:///mcp"), "not an http"),
        (replace(REMOTE, url="https://${HOST}/mcp"), "not an http"),
    ],
)
@pytest.mark.parametrize("client", ["claude-code", "cursor", "vscode"])
def test_what_would_not_work_is_refused(client: Client, connection: Connection, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        render(client, connection)


def test_chatgpt_is_told_in_words() -> None:
    text = instructions("chatgpt", REMOTE, config_path("chatgpt", LINUX))
    assert "https://wellread.example/mcp" in text
    assert "--profile openai" in text
    with pytest.raises(UsageError, match="no file to write"):
        render("chatgpt", REMOTE)
    for connection, said in (
        (ANN, "needs the address"),
        (replace(REMOTE, url="http://x/mcp"), "https"),
    ):
        with pytest.raises(UsageError, match=said):
            instructions("chatgpt", connection, None)


def test_claude_desktop_takes_addresses_in_its_settings() -> None:
    text = instructions("claude-desktop", REMOTE, config_path("claude-desktop", LINUX))
    assert "Connectors" in text
    with pytest.raises(UsageError, match="takes no address"):
        render("claude-desktop", REMOTE)


def test_a_file_is_written_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a folder" / "mcp.json"
    assert not write(path, "cursor", ANN).already
    assert path.read_text(encoding="utf-8") == render("cursor", ANN)
    assert path.stat().st_mode & 0o777 == 0o600
    assert write(path, "cursor", ANN).already
    before = path.read_text(encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(f"{path}: there is another entry")):
        write(path, "cursor", replace(ANN, subject="boris"))
    assert path.read_text(encoding="utf-8") == before
    assert [each.name for each in path.parent.iterdir()] == ["mcp.json"]


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.json", tmp_path / "mcp.json"
    real.write_text("\ufeff{}", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    write(link, "cursor", ANN)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert json.loads(real.read_text(encoding="utf-8"))["mcpServers"]["wellread"]


def test_a_file_that_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe{}")
    with pytest.raises(UsageError, match="cannot be read"):
        write(binary, "cursor", ANN)
    with pytest.raises(UsageError, match="cannot be read"):
        write(tmp_path, "cursor", ANN)
    with pytest.raises(UsageError, match="cannot be written"):
        write(binary / "mcp.json", "cursor", ANN)
    assert os.listdir(tmp_path) == ["binary.json"]

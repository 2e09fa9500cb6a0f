"""The configuration that connects an MCP client: which file, and what goes into it.

Clients start a server in some directory, often ``/``, with little environment, so every path
is absolute, and the configuration file and the identity travel as variables of the entry.
A merge keeps every other key in its order; a file that is not plain JSON (one with comments,
or with a key twice) is refused, because it could not be kept as it is.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from wellread.errors import UsageError

Client = Literal["claude-code", "claude-desktop", "cursor", "vscode", "chatgpt"]
System = Literal["linux", "macos", "windows"]
CLIENTS: tuple[Client, ...] = get_args(Client)
VARIABLES = ("WELLREAD_CONFIG", "WELLREAD_LIBRARY", "WELLREAD_AS")
"""The variables that an entry may set."""

_TITLES: Mapping[Client, str] = {
    "claude-code": "Claude Code",
    "claude-desktop": "Claude Desktop",
    "cursor": "Cursor",
    "vscode": "VS Code",
    "chatgpt": "ChatGPT",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Connection:
    """How a client reaches the server: by starting ``command``, an absolute path, or by ``url``.

    ``config`` and ``library`` are absolute paths; ``subject`` is who asks, ``None`` for what the
    configuration says; ``local_owner`` asks for everything. ``variables`` are further ones.
    ``name`` is the entry's.
    """

    command: str | None = None
    url: str | None = None
    config: str | None = None
    library: str | None = None
    subject: str | None = None
    local_owner: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    name: str = "wellread"


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """Where a user's files are. ``folder`` is the project that Claude Code is opened in."""

    system: System
    home: PurePath
    folder: PurePath
    appdata: PurePath | None = None
    xdg_config: PurePath | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Merged:
    """A file's text with the entry in it; ``already`` says that it was there."""

    text: str
    already: bool


def config_path(client: Client, environment: Environment) -> PurePath | None:
    """The file in which a client looks for its servers; ``None`` where it is set up by hand."""
    home, system = environment.home, environment.system
    if client == "claude-code":
        return environment.folder / ".mcp.json"
    if client == "cursor":
        return home / ".cursor" / "mcp.json"
    if client == "chatgpt":
        return None
    if system == "macos":
        base = home / "Library" / "Application Support"
    elif system == "windows":
        base = environment.appdata or home / "AppData" / "Roaming"
    else:
        base = environment.xdg_config or home / ".config"
    if client == "vscode":
        return base / "Code" / "User" / "mcp.json"
    return base / "Claude" / "claude_desktop_config.json"


def render(client: Client, connection: Connection) -> str:
    """The whole text of a client's file that has no other server. Raises ``UsageError``."""
    return merge(None, client, connection).text


def merge(existing: str | None, client: Client, connection: Connection) -> Merged:
    """A client's file with the entry added; ``existing`` is its text, ``None`` where there is none.

    Raises ``UsageError`` where the text is not plain JSON, or has another entry of that name.
    """
    entry, key, name = _entry(client, connection), _key(client), connection.name
    if existing is None or not existing.strip():
        return Merged(text=_text({key: {name: entry}}, "  "), already=False)
    found = _plain(existing)
    servers = found.setdefault(key, {})
    if not isinstance(servers, dict):
        raise UsageError(f'"{key}" is not an object there: mend the file, then try again')
    if name in servers:
        if servers[name] == entry:
            return Merged(text=existing, already=True)
        raise UsageError(
            f"there is another entry named {name!r} already: {json.dumps(servers[name])}; "
            "remove it, or choose another name with --name"
        )
    servers[name] = entry
    indent = re.search(r"\n([ \t]+)\S", existing)
    return Merged(text=_text(found, indent[1] if indent else "  "), already=False)


def instructions(client: Client, connection: Connection, path: PurePath | None) -> str:
    """What to do, in words and with the text to paste, ending in a line end."""
    title = _TITLES[client]
    if client == "chatgpt":
        return (
            "ChatGPT keeps its servers in its own settings. Start the server with\n"
            "wellread serve --http ADDRESS --profile openai, make it reachable as the address\n"
            "below, then add an app with that address in ChatGPT's developer mode, and sign\n"
            "in when asked:\n\n"
            f"    {_checked_url(connection, secure=True)}\n"
        )
    if client == "claude-desktop" and connection.url is not None:
        return (
            "Claude Desktop keeps remote servers in its own settings: under Connectors, add a\n"
            "custom connector with this address, and sign in when asked:\n\n"
            f"    {_checked_url(connection, secure=True)}\n"
        )
    text = f"Put this into {path} and restart {title}:\n\n{render(client, connection)}"
    if client == "claude-code":
        text += f"\nOr, for all your projects: {_claude_line(connection)}\n"
    return text


def write(path: Path, client: Client, connection: Connection) -> Merged:
    """Merge the entry into a file, all or nothing. Raises ``UsageError`` and names the file."""
    target = path.resolve()  # a link stays a link
    try:
        existing = target.read_text(encoding="utf-8-sig") if target.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    try:
        merged = merge(existing, client, connection)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error
    if merged.already:
        return merged
    beside = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(merged.text.encode())
        os.replace(beside, target)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise UsageError(f"{path} cannot be written: {error}; nothing was changed") from error
    return merged


# --- one entry -----------------------------------------------------------------------------


def _key(client: Client) -> str:
    return "servers" if client == "vscode" else "mcpServers"


def _entry(client: Client, connection: Connection) -> dict[str, Any]:
    if client == "chatgpt":
        raise UsageError("ChatGPT has no file to write: add the address in its settings")
    if connection.url is not None:
        if client == "claude-desktop":
            raise UsageError(
                "Claude Desktop takes no address from its file: add it under Settings, Connectors"
            )
        url = _checked_url(connection, secure=False)
        return {"url": url} if client == "cursor" else {"type": "http", "url": url}
    command, env = _checked_command(connection)
    args = ["serve", "--local-owner"] if connection.local_owner else ["serve"]
    entry: dict[str, Any] = {"command": command, "args": args, "env": env}
    return entry if client == "claude-desktop" else {"type": "stdio", **entry}


def _checked_url(connection: Connection, *, secure: bool) -> str:
    url = connection.url
    if url is None:
        raise UsageError(
            "this client needs the address of a server: pass --url https://…/mcp, and start the "
            "server with wellread serve --http"
        )
    try:
        parts = urlsplit(url)
        good = bool(parts.hostname) and parts.scheme in (
            ("https",) if secure else ("https", "http")
        )
    except ValueError:
        good = False
    if not good or "${" in url:
        raise UsageError(f"--url {url} is not an {'https' if secure else 'http(s)'} address")
    for name, value in (
        ("--as", connection.subject),
        ("--local-owner", connection.local_owner),
        *((each, "set") for each in connection.variables),
    ):
        if value:
            raise UsageError(f"{name} has no meaning over HTTP, where each request says who asks")
    return url


def _checked_command(connection: Connection) -> tuple[str, dict[str, str]]:
    if connection.command is None:
        raise UsageError("the wellread command was not found: pass its absolute path")
    if connection.subject is not None and connection.local_owner:
        raise UsageError("--as and --local-owner contradict each other: leave one of them out")
    env: dict[str, str] = {}
    for name, value in (
        ("WELLREAD_CONFIG", connection.config),
        ("WELLREAD_LIBRARY", connection.library),
        ("WELLREAD_AS", connection.subject),
        *connection.variables.items(),
    ):
        if name not in VARIABLES:
            raise UsageError(f"unknown variable {name}: known are {', '.join(VARIABLES)}")
        if value is not None and env.setdefault(name, value) != value:
            raise UsageError(f"{name} is given twice: {env[name]} and {value}")
    if connection.local_owner and "WELLREAD_AS" in env:
        raise UsageError("WELLREAD_AS and --local-owner contradict each other: leave one out")
    for what, value in (("the command", connection.command), *env.items()):
        if "${" in value:
            raise UsageError(f"{what} holds an unknown variable, {value!r}: write it out")
        if what != "WELLREAD_AS" and not _absolute(value):
            raise UsageError(f"{what}, {value!r}, is not an absolute path")
        if not value.strip():
            raise UsageError(f"{what} is empty: leave it out")
    return connection.command, env


def _absolute(path: str) -> bool:
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()


def _claude_line(connection: Connection) -> str:
    start = ["claude", "mcp", "add", "--scope", "user"]
    entry = _entry("claude-code", connection)
    if "url" in entry:
        return shlex.join([*start, "--transport", "http", connection.name, entry["url"]])
    env = [part for name, value in entry["env"].items() for part in ("--env", f"{name}={value}")]
    return shlex.join([*start, connection.name, *env, "--", entry["command"], *entry["args"]])


# --- the file ------------------------------------------------------------------------------


def _plain(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"not plain JSON ({error}), so that nothing was written: add the entry by hand"
        ) from error
    if not isinstance(found, dict):
        raise UsageError("not a JSON object, so that nothing was written: mend the file")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _text(value: object, indent: str) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False) + "\n"

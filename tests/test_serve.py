"""`wellread serve` as a client starts it: a process of its own, with nothing but pipes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.company import company
from tests.shelf import groups, library, page
from wellread.cli import main
from wellread.library import Library

ERAS = pytest.mark.parametrize("mode", ["legacy", "auto"])
SERVE = [sys.executable, "-m", "wellread.cli", "serve", "--no-watch"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("company")
    company(folder).close()
    return folder


def environment(home: Path, **more: str) -> dict[str, str]:
    """As little as clients give, and where the package is."""
    package = str(Path(__file__).parents[1])
    return {"PYTHONPATH": package, "WELLREAD_CONFIG": str(home / "wellread.toml"), **more}


def start(
    home: Path,
    *arguments: str,
    program: str | None = None,
    watch: bool = False,
    **more: str,
) -> subprocess.Popen[str]:
    command = SERVE[:-1] if watch else SERVE
    return subprocess.Popen(
        [*(command if program is None else [sys.executable, "-c", program]), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(home, **more),
        cwd="/",
    )


def send(
    server: subprocess.Popen[str], method: str, number: int | None = None, **params: Any
) -> Any:
    """Send a message; of a request, the answer."""
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(message if number is None else {**message, "id": number}) + "\n")
    server.stdin.flush()
    if number is None:
        return None
    while True:
        answer = json.loads(server.stdout.readline())
        if answer.get("id") == number:
            return answer


def greet(server: subprocess.Popen[str], version: str = "2025-11-25") -> Any:
    """Shake hands as a client of a version does, and be answered in it. The older versions that
    the SDK speaks are each used by one of the tests below."""
    client = {"name": "test", "version": "0"}
    answer = send(
        server, "initialize", 1, protocolVersion=version, capabilities={}, clientInfo=client
    )
    send(server, "notifications/initialized")
    assert answer["result"]["protocolVersion"] == version
    return answer["result"]


def ended(server: subprocess.Popen[str]) -> tuple[str, str, int]:
    """What was still written to stdout and stderr, and the exit code."""
    out, err = server.communicate(timeout=60)
    return out, err, server.returncode


@ERAS
def test_a_client_asks_over_stdio(home: Path, mode: str) -> None:
    async def steps() -> None:
        from mcp.client.client import Client
        from mcp.client.stdio import StdioServerParameters, stdio_client

        parameters = StdioServerParameters(
            command=SERVE[0], args=[*SERVE[1:], "--as", "timur"], env=environment(home), cwd="/"
        )
        with anyio.fail_after(60):
            async with Client(stdio_client(parameters), mode=mode) as client:
                assert len((await client.list_tools()).tools) == 4
                result = await client.call_tool("search", {"query": "refund approval"})
                assert "legal/refund-policy-v4.md#approval-limits" in result.content[0].text
                result = await client.call_tool("read", {"handle": "contracts/northern-steel.md"})
                assert not result.is_error

    anyio.run(steps)


def test_stdout_carries_the_protocol_alone_whatever_is_printed(home: Path) -> None:
    program = (
        "import os, sys, wellread.server as server\n"
        "from wellread.cli import main\n"
        "before = server.answer_call\n"
        "def loud(*arguments):\n"
        "    print('printed by a library')\n"
        "    os.write(1, b'written by a library\\n')\n"
        "    os.system('echo said by a child')\n"
        "    return before(*arguments)\n"
        "server.answer_call = loud\n"
        "sys.exit(main(['serve', '--no-watch', *sys.argv[1:]]))\n"
    )
    with start(home, "--as", "timur", program=program) as server:
        greet(server, "2024-11-05")
        answer = send(server, "tools/call", 2, name="search", arguments={"query": "refund"})
        assert "legal/refund-policy-v4.md" in answer["result"]["content"][0]["text"]
        out, err, code = ended(server)
    assert (out, code) == ("", 0), "it ends with its client"
    assert "Traceback" not in err
    for words in ("printed by a library", "written by a library", "said by a child"):
        assert words in err


def test_sigterm_ends_it_before_it_has_heard_of_a_client(home: Path) -> None:
    with start(home, "--as", "timur") as server:
        assert server.stderr is not None
        server.stderr.readline()  # it has said for whom it serves
        wait_for_handler(server)
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
        assert "Traceback" not in server.stderr.read()


@pytest.mark.parametrize("how", ["end of stdin", "SIGTERM"])
def test_a_call_under_way_is_stopped_with_the_server(home: Path, how: str) -> None:
    program = (
        "import sys, wellread.server as server\n"
        "from wellread.cli import main\n"
        "def slow(serving, caller, name, arguments, stop):\n"
        "    print('began', file=sys.stderr, flush=True)\n"
        "    assert stop.wait(60)\n"
        "    print('stopped', file=sys.stderr, flush=True)\n"
        "server.answer_call = slow\n"
        "sys.exit(main(['serve', '--no-watch', *sys.argv[1:]]))\n"
    )
    with start(home, "--as", "timur", program=program) as server:
        greet(server)
        assert server.stdin is not None
        assert server.stderr is not None
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "search"}}
        server.stdin.write(json.dumps(call) + "\n")
        server.stdin.flush()
        while "began" not in server.stderr.readline():
            pass
        if how == "SIGTERM":
            server.send_signal(signal.SIGTERM)
            assert server.wait(30) == 0
        _, err, code = ended(server)
        assert code == 0
        assert "stopped" in err


def wait_for_handler(server: subprocess.Popen[str]) -> None:
    """Until the process handles SIGTERM itself."""
    status = Path(f"/proc/{server.pid}/status")
    while True:
        caught = next(row for row in status.read_text().split("\n") if row.startswith("SigCgt"))
        if int(caught.split()[1], 16) & 1 << (signal.SIGTERM - 1):
            return


def traces(home: Path) -> list[tuple[Any, ...]]:
    import sqlite3

    with sqlite3.connect(home / ".wellread" / "journal.db") as connection:
        rows = connection.execute(
            "SELECT subject, tool, returned, tokens, session FROM traces"
        ).fetchall()
    connection.close()
    return rows


def test_sigterm_ends_it_while_its_client_is_silent_and_traces_are_written(home: Path) -> None:
    before = len(traces(home))
    with start(home, "--as", "timur") as server:
        greet(server)
        arguments = {"query": "refund approval", "limit": 3}
        send(server, "tools/call", 2, name="search", arguments=arguments)
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()
    subject, tool, returned, tokens, session = traces(home)[before]
    assert (subject, tool) == ("timur", "search")
    assert len(json.loads(returned)) == 3
    assert 100 < tokens < 2000
    assert session


def test_a_server_without_an_index_says_so_and_finds_it_once_it_is_there(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Prices\n\nprices\n", encoding="utf-8")
    (tmp_path / "wellread.toml").write_text('[[sources]]\npath = "docs"\n', encoding="utf-8")
    with start(tmp_path) as server:
        greet(server)
        call = {"name": "search", "arguments": {"query": "prices"}}
        answer = send(server, "tools/call", 2, **call)["result"]
        assert answer["isError"]
        assert "There is no usable index" in answer["content"][0]["text"]
        with Library.open(tmp_path / "wellread.toml") as opened:
            opened.index()
        answer = send(server, "tools/call", 3, **call)["result"]
        assert "a.md#prices" in answer["content"][0]["text"]
        ended(server)


def test_nothing_need_be_writable(tmp_path: Path) -> None:
    """A library that is only read, a home that does not exist, `/` as the current folder."""
    company(tmp_path).close()
    before = traces(tmp_path)
    with start(tmp_path, "--no-trace", HOME="/nonexistent", TMPDIR="/nonexistent") as server:
        greet(server, "2025-03-26")
        answer = send(server, "tools/call", 2, name="search", arguments={"query": "vacation"})
        assert "people/vacation" in answer["result"]["content"][0]["text"]
        assert ended(server)[2] == 0
    assert traces(tmp_path) == before


def test_a_server_follows_its_sources_by_itself(tmp_path: Path) -> None:
    """A new file is found, and a deleted one served no more, with nobody running the index."""
    with library(tmp_path, {"a.md": "# Prices\n\nprices of tin\n"}):
        pass

    def text(server: subprocess.Popen[str], number: int) -> str:
        call = {"name": "search", "arguments": {"query": "prices"}}
        return str(send(server, "tools/call", number, **call)["result"]["content"][0]["text"])

    with start(tmp_path, watch=True) as server:
        greet(server)
        assert "a.md#prices" in text(server, 2)
        (tmp_path / "docs" / "b.md").write_text("# Copper\n\nprices of copper\n", encoding="utf-8")
        number = 3
        while "b.md#copper" not in text(server, number):
            number += 1
        (tmp_path / "docs" / "a.md").unlink()
        while "a.md#prices" in text(server, number):
            number += 1
        assert "1 hit" in text(server, number)
        out, err, code = ended(server)
    assert (out, code) == ("", 0)
    assert "Traceback" not in err


# --- who asks ----------------------------------------------------------------------------------


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Path]:
    members = groups({"ann": ["hr"], "bob": ["sales"]})
    files = {
        "open.md": "open\n",
        "hr.md": page("for hr\n", access="[hr]"),
        "sales.md": page("for sales\n", access="[sales]"),
        "more.md": page("more for sales\n", access="[sales]"),
    }
    with library(tmp_path, files, members):
        yield tmp_path


WHO = [
    # --as, WELLREAD_AS, [identity], --local-owner → who it is said to serve, how many left out
    (None, None, None, False, "everyone", 3),
    (None, None, None, True, "the local owner", 0),
    (None, None, "bob", False, "bob, in sales", 1),
    (None, None, "bob", True, "--local-owner and [identity] subject (bob) contradict", None),
    (None, "ann", None, False, "ann, in hr", 2),
    (None, "ann", None, True, "--local-owner and WELLREAD_AS (ann) contradict", None),
    (None, "ann", "bob", False, "ann, in hr", 2),
    (None, "ann", "bob", True, "--local-owner and WELLREAD_AS (ann) contradict", None),
    ("ann", None, None, False, "ann, in hr", 2),
    ("ann", None, None, True, "--local-owner and --as (ann) contradict", None),
    ("ann", None, "bob", False, "ann, in hr", 2),
    ("ann", None, "bob", True, "--local-owner and --as (ann) contradict", None),
    ("ann", "ann", None, False, "ann, in hr", 2),
    ("ann", "ann", None, True, "--local-owner and --as (ann) contradict", None),
    ("ann", "ann", "bob", False, "ann, in hr", 2),
    ("ann", "ann", "bob", True, "--local-owner and --as (ann) contradict", None),
    ("ann", "bob", None, False, "name two different subjects", None),
    ("ann", "bob", None, True, "name two different subjects", None),
    ("ann", "bob", "bob", False, "name two different subjects", None),
    ("ann", "bob", "bob", True, "name two different subjects", None),
    ("everyone", None, "bob", False, "everyone", 3),
    ("eve", None, None, False, "--as names an unknown subject, 'eve'", None),
    (None, "eve", None, False, "WELLREAD_AS names an unknown subject, 'eve'", None),
    (None, None, "eve", False, "[identity] subject names an unknown subject, 'eve'", None),
    ("", None, None, False, "--as is empty", None),
    (None, "", None, False, "WELLREAD_AS is empty", None),
]


@pytest.mark.parametrize(("as_", "variable", "configured", "owner", "said", "left_out"), WHO)
def test_who_a_server_over_stdio_speaks_for(
    shelf: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    as_: str | None,
    variable: str | None,
    configured: str | None,
    owner: bool,
    said: str,
    left_out: int | None,
) -> None:
    toml = shelf / "wellread.toml"
    if configured is not None:
        text = toml.read_text(encoding="utf-8")
        toml.write_text(f'[identity]\nsubject = "{configured}"\n{text}', encoding="utf-8")
    for name in ("WELLREAD_AS", "WELLREAD_LIBRARY", "WELLREAD_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    if variable is not None:
        monkeypatch.setenv("WELLREAD_AS", variable)
    served: list[Any] = []
    monkeypatch.setattr("wellread.server.serve_stdio", served.append)
    arguments = ["--config", str(toml), "serve", "--no-watch"]
    arguments += ["--as", as_] if as_ is not None else []
    arguments += ["--local-owner"] if owner else []
    code = main(arguments)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err
    if left_out is None:
        assert (code, served) == (2, [])
        return
    assert code == 0
    assert served[0].caller.owner is owner
    assert ("left out" in printed.err) is (left_out > 0)
    assert not left_out or f"{left_out} document" in printed.err


def test_the_number_left_out_never_reaches_the_client(shelf: Path) -> None:
    with start(shelf) as server:
        told = json.dumps(greet(server, "2025-06-18"))
        told += json.dumps(send(server, "tools/list", 2))
        call = {"name": "search", "arguments": {"query": "open sales"}}
        told += json.dumps(send(server, "tools/call", 3, **call))
        out, err, _ = ended(server)
    assert "3 documents left out" in err
    assert "3 documents" not in told + out
    assert "sales.md" not in told + out


def test_an_unknown_profile_is_refused_with_the_known_ones(
    shelf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(
            ["--config", str(shelf / "wellread.toml"), "serve", "--no-watch", "--profile", "claude"]
        )
        == 2
    )
    assert "Known: default, openai" in capsys.readouterr().err


def test_without_the_extra_the_error_names_it(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel.server", None)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    assert main(["--config", str(shelf / "wellread.toml"), "serve", "--no-watch"]) == 5
    assert "pip install 'wellread[server]'" in capsys.readouterr().err

"""``wellread serve --http``: what it refuses to start with, and how it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
import uvicorn

from tests.shelf import library, page
from tests.web import Web, ask, client
from wellread.cli import main
from wellread.library import Library
from wellread.types import Caller

AUTH = '[auth]\nissuer = "https://id.example.com"\naudience = "https://wellread.example/mcp"\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    files = {"open.md": page("# Plan\n\nOpen plan."), "hr.md": page("# Pay", access="[hr]")}
    library(tmp_path, files).close()
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "environ_as", "said"),
    [
        (["--http", "127.0.0.1:0"], None, "--no-auth"),
        (["--http", "0.0.0.0:0", "--no-auth"], None, "from other machines"),
        (["--http", "127.0.0.1", "--no-auth"], None, "write host and port"),
        (["--http", "127.0.0.1:0", "--no-auth", "--as", "ann"], None, "--as has no meaning"),
        (["--http", "127.0.0.1:0", "--no-auth"], "ann", "WELLREAD_AS has no meaning"),
        (["--http", "127.0.0.1:0", "--no-auth", "--local-owner"], None, "--local-owner has no"),
        (["--http", "127.0.0.1:0", "--no-auth", "--profile", "openai"], None, "base_url"),
        (["--no-auth"], None, "add --http"),
        (["--allow-host", "wellread.example"], None, "add --http"),
    ],
)
def test_what_would_serve_the_wrong_people_is_refused(
    home: Path,
    arguments: list[str],
    environ_as: str | None,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(home)
    monkeypatch.delenv("WELLREAD_AS", raising=False)
    if environ_as is not None:
        monkeypatch.setenv("WELLREAD_AS", environ_as)
    assert main(["serve", *arguments]) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert told.out == ""


def test_tokens_and_no_auth_contradict_each_other(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home)
    monkeypatch.delenv("WELLREAD_AS", raising=False)
    (home / "wellread.toml").write_text(AUTH + '[[sources]]\npath = "docs"\n', encoding="utf-8")
    assert main(["serve", "--http", "127.0.0.1:0", "--no-auth"]) == 2
    assert "contradicts" in capsys.readouterr().err
    assert main(["serve", "--http", "0.0.0.0:0"]) == 2
    assert "--allow-host" in capsys.readouterr().err


@contextmanager
def started(home: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The command in a process of its own, and the address that it says it serves."""
    environ = {name: value for name, value in os.environ.items() if name != "WELLREAD_AS"}
    environ["PYTHONPATH"] = str(Path(__file__).parent.parent)
    config = str(home / "wellread.toml")
    process = subprocess.Popen(
        [sys.executable, "-m", "wellread", "serve", "--config", config, *arguments],
        cwd="/",
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr
        line = process.stderr.readline()
        assert " at http://" in line, line + process.stderr.read()
        yield line, process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("address", "end"), [("127.0.0.1:0", signal.SIGTERM), ("[::1]:0", signal.SIGINT)]
)
def test_it_serves_everyone_on_loopback_and_ends_when_told(
    home: Path, address: str, end: signal.Signals
) -> None:
    with started(home, "--http", address, "--no-auth") as (line, process):
        assert "what everyone may read" in line
        url = line.split(" at ")[1].strip()
        web = Web(url=url, server=uvicorn.Server(uvicorn.Config("x:y")))

        async def play() -> None:
            async with client(web, None) as anybody:
                assert "Open plan" in await ask(anybody, "read", handle="open.md")
                assert "# Pay" not in await ask(anybody, "read", handle="hr.md")

        asyncio.run(play())
        assert httpx2.get(web.base + "/healthz").json() == {"status": "ok"}
        process.send_signal(end)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert out == ""
    assert "Traceback" not in err
    with Library.open(home / "wellread.toml") as opened:
        traces = opened.traces(scope=opened.scope(Caller(subject=None, owner=True)))
    assert [trace.subject for trace in traces] == ["(everyone)", "(everyone)"]
    assert len({trace.session for trace in traces} - {""}) == 1, "a run is a session"


def test_without_an_index_it_starts_and_says_so(home: Path) -> None:
    (home / "wellread.toml").write_text("", encoding="utf-8")
    (home / ".wellread").rename(home / "elsewhere")
    with started(home, "--http", "127.0.0.1:0", "--no-auth", "--no-watch") as (line, _):
        base = line.split(" at ")[1].strip().removesuffix("/mcp")
        answer = httpx2.get(base + "/healthz")
    assert (answer.status_code, answer.json()) == (503, {"status": "no index"})

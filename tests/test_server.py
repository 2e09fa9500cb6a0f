"""The MCP server through a client of the SDK: both eras of the protocol, in memory."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from tests.company import caller_named, company, serving, timeless
from tests.shelf import groups, library, page
from wellread.answers import FAILED
from wellread.library import Library
from wellread.server import Serving, _caller, answer_call, mcp_server
from wellread.tools import INSTRUCTIONS
from wellread.types import Caller

ERAS = pytest.mark.parametrize("mode", ["legacy", "auto"])
Steps = Callable[[Any], Awaitable[None]]


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with company(tmp_path_factory.mktemp("company")) as opened:
        yield opened


def play(served: Serving, mode: str, steps: Steps) -> None:
    """Run a client's steps against the server, in one process."""

    async def main() -> None:
        from mcp.client.client import Client

        with anyio.fail_after(60):
            async with Client(mcp_server(served), mode=mode) as client:
                await steps(client)

    anyio.run(main)


async def text_of(client: Any, name: str, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    assert result.structured_content is None
    assert [item.type for item in result.content] == ["text"]
    return str(result.content[0].text)


@ERAS
def test_a_client_is_told_how_to_use_the_tools(books: Library, mode: str) -> None:
    async def steps(client: Any) -> None:
        assert client.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
        assert client.server_info.name == "wellread"
        assert client.instructions == INSTRUCTIONS
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == [
            "search",
            "find_exact",
            "read",
            "report_miss",
        ]
        assert len(listed.model_dump_json(by_alias=True, exclude_none=True)) <= 4500

    play(serving(books, "timur"), mode, steps)


@ERAS
def test_a_client_gets_the_text_of_the_answer_once(books: Library, mode: str) -> None:
    served = serving(books, "timur")
    asked = [
        ("search", {"query": "refund approval"}),
        ("find_exact", {"text": "INV-2026-0041"}),
        ("read", {"handle": "legal/refund-policy-v4.md#approval-limits"}),
        ("read", {"handle": "nowhere.md"}),
        ("serch", {"query": "x"}),
        ("search", {"q": "x"}),
    ]

    async def steps(client: Any) -> None:
        for name, arguments in asked:
            result = await client.call_tool(name, arguments)
            assert served.caller is not None
            expected = answer_call(served, served.caller, name, arguments, threading.Event())
            assert result.content[0].text == expected.text
            assert result.is_error is expected.is_error
            assert result.structured_content is None
            assert len(result.content) == 1

    play(served, mode, steps)


@ERAS
def test_a_slow_call_shows_signs_of_life_and_is_stopped_when_its_time_is_up(
    books: Library, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()

    def slow(*_: object, stop: threading.Event, **__: object) -> None:
        assert stop.wait(20)
        stopped.set()

    monkeypatch.setattr(books, "search", slow)
    monkeypatch.setattr("wellread.server.SECONDS_BETWEEN_SIGNS", 0.02)

    async def steps(client: Any) -> None:
        seen: list[float] = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            assert (total, message) == (0.4, "still looking")
            seen.append(done)

        result = await client.call_tool("search", {"query": "x"}, progress_callback=progress)
        assert result.is_error
        assert "Stopped after 0.4 seconds" in result.content[0].text
        assert seen == sorted(seen)
        assert len(seen) >= 2
        assert await anyio.to_thread.run_sync(stopped.wait, 20)

    play(serving(books, "timur", seconds=0.4), mode, steps)


@ERAS
def test_a_call_that_the_client_takes_back_stops_the_work(
    books: Library, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, stopped = threading.Event(), threading.Event()

    def slow(*_: object, stop: threading.Event, **__: object) -> None:
        began.set()
        assert stop.wait(20)
        stopped.set()

    monkeypatch.setattr(books, "find_exact", slow)

    async def steps(client: Any) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "find_exact", {"text": "x"})
            assert await anyio.to_thread.run_sync(began.wait, 20)
            tasks.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(stopped.wait, 20)
        text = await text_of(client, "read", handle="people/offices.md")
        assert text.startswith("people/offices.md ("), "and the server is good for more"

    play(serving(books, "timur"), mode, steps)


@ERAS
def test_no_text_of_an_exception_reaches_the_client_or_the_log(
    books: Library, mode: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the salary of Ann is 4,000")

    monkeypatch.setattr("wellread.server._called", fail)

    async def steps(client: Any) -> None:
        assert await text_of(client, "search", query="x") == FAILED

    with caplog.at_level(logging.INFO):
        play(serving(books, "timur"), mode, steps)
    assert "RuntimeError" in caplog.text
    assert "salary" not in caplog.text


@ERAS
def test_a_miss_is_handed_to_the_library_with_who_asked(
    books: Library, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[Any] = []

    def report(question: str, **more: Any) -> int:
        got.append((question, more["scope"].caller.subject, more["looked_for"], more["tried"]))
        more["told"](12)
        return 12

    monkeypatch.setattr(books, "report_miss", report, raising=False)

    async def steps(client: Any) -> None:
        text = await text_of(
            client,
            "report_miss",
            question="Who may?",
            looked_for="a rule",
            tried=["may", "allowed"],
        )
        assert text.startswith("Recorded as miss 12.")

    play(serving(books, "timur"), mode, steps)
    assert got == [("Who may?", "timur", "a rule", ("may", "allowed"))]


@ERAS
def test_the_connector_is_the_pair_of_the_contract(books: Library, mode: str) -> None:
    async def steps(client: Any) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["search", "fetch"]
        found = json.loads(await text_of(client, "search", query="refund"))["results"]
        fetched = json.loads(await text_of(client, "fetch", id=found[0]["id"]))
        assert fetched["url"] == found[0]["url"]

    base = "https://docs.example.com"
    play(serving(books, "timur", profile="openai", base_url=base), mode, steps)


# --- who asks ----------------------------------------------------------------------------------


def request_of(caller: object) -> Any:
    return SimpleNamespace(request=SimpleNamespace(state=SimpleNamespace(caller=caller)))


def test_over_http_the_caller_of_the_request_asks_and_never_the_local_owner(
    books: Library,
) -> None:
    served = serving(books, caller=None)
    ann = Caller(subject="ann", groups=frozenset({"sales"}))
    everyone = Caller(subject=None)
    assert _caller(served, request_of(ann)) == ann
    assert _caller(served, request_of(Caller(subject=None, owner=True))) == everyone
    assert _caller(served, request_of("ann")) == everyone
    assert _caller(served, SimpleNamespace(request=SimpleNamespace(state=SimpleNamespace()))) == (
        everyone
    )
    assert _caller(served, SimpleNamespace(request=None)) == everyone


def test_over_stdio_no_request_can_say_who_asks(books: Library) -> None:
    served = serving(books, "timur")
    assert _caller(served, request_of(Caller(subject="vera"))) == served.caller


def test_who_belongs_to_no_group_reads_what_everyone_reads(books: Library) -> None:
    async def steps(client: Any) -> None:
        text = await text_of(
            client, "read", handle="people/compensation/compensation-policy-2026.md"
        )
        assert "No such document for you" in text

    play(serving(books, None), "auto", steps)


# --- nothing leaks -----------------------------------------------------------------------------

CANARIES = {
    "hr": "zanzibar",
    "sales": "quixotry",
    "legal": "bamboozle",
    None: "everyday",
}


def guarded_files() -> dict[str, str]:
    files = {}
    for group, canary in CANARIES.items():
        front = {"access": f"[{group}]"} if group else {}
        links = "".join(f"[{other}]({other}.md) " for other in CANARIES if other != group)
        files[f"{group or 'everyone'}.md"] = page(
            f"# Title {canary}\n\n## Section {canary}\n\nshared words {canary} {links}\n",
            title=f"Title {canary}", tags=f"[{canary}]", owner=f"{canary}@example.com",
            attachments=f"[{{path: {canary}.csv, kind: reference, title: {canary}}}]", **front,
        )  # fmt: skip
        files[f"old-{group or 'everyone'}.md"] = page(
            "# Old\n\nshared words\n", superseded_by=f"{group or 'everyone'}.md"
        )
    return files


@ERAS
@pytest.mark.parametrize("subject", ["hr-ann", "sales-bob", "nobody"])
def test_no_tool_count_or_error_tells_of_what_the_caller_may_not_read(
    tmp_path_factory: pytest.TempPathFactory, mode: str, subject: str
) -> None:
    """Once with the hidden documents and once without them: the same answers to the letter."""
    mine = subject.partition("-")[0] if "-" in subject else None
    members = groups({"hr-ann": ["hr"], "sales-bob": ["sales"], "nobody": []})
    hidden = {group for group in CANARIES if group not in {mine, None}}
    files = guarded_files()
    without = {name: text for name, text in files.items() if name.removesuffix(".md") not in hidden}
    calls: list[tuple[str, dict[str, Any]]] = [
        *(("search", {"query": f"{word} shared", "limit": 50}) for word in CANARIES.values()),
        *(("search", {"query": word[:-1]}) for word in CANARIES.values()),
        *(("search", {"query": "shared", "tag": [word]}) for word in CANARIES.values()),
        *(
            ("search", {"query": "shared", "owner": [word], "limit": 1})
            for word in CANARIES.values()
        ),
        *(("find_exact", {"text": word}) for word in ("shared", *CANARIES.values())),
        *(("find_exact", {"text": f"{word[:4]}.*", "regex": True}) for word in CANARIES.values()),
        *(("read", {"handle": name}) for name in files),
        *(("read", {"handle": f"{name}#x"}) for name in files),
        *(("read", {"handle": name, "outline": True}) for name in files),
        *(("read", {"handle": name, "lines": "900-901"}) for name in files),
        ("read", {"handle": "missing.md"}),
        ("grep", {"text": "zanzibar"}),
    ]

    def answers(documents: dict[str, str]) -> list[str]:
        found: list[str] = []

        async def steps(client: Any) -> None:
            for name, arguments in calls:
                text = timeless(await text_of(client, name, **arguments))
                found.append(re.sub(r'page="[^"]*"', "", text))
            listed = await client.list_tools()
            found.append(listed.model_dump_json() + str(client.instructions))

        with library(tmp_path_factory.mktemp("guarded"), documents, members) as opened:
            served = serving(opened, subject)
            assert served.caller == caller_named(opened, subject)
            play(served, mode, steps)
        return found

    seen = answers(files)
    for (name, arguments), text in zip([*calls, ("tools/list", {})], seen, strict=True):
        for group in hidden:
            canary = CANARIES[group]
            told = text.replace(json.dumps(arguments.get("text", ""))[1:-1], "")
            assert canary not in told, (name, arguments, text)
    assert seen == answers(without)


@pytest.mark.parametrize("subject", ["hr-ann", "sales-bob", "nobody"])
def test_connector_tells_nothing_of_what_the_caller_may_not_read(
    tmp_path: Path, subject: str
) -> None:
    mine = subject.partition("-")[0] if "-" in subject else None
    members = groups({"hr-ann": ["hr"], "sales-bob": ["sales"], "nobody": []})
    files = guarded_files()
    calls = [
        *(("search", {"query": f"{word} shared"}) for word in CANARIES.values()),
        *(("fetch", {"id": name}) for name in (*files, "missing.md")),
    ]
    with library(tmp_path, files, members) as opened:
        served = serving(opened, subject, profile="openai", base_url="https://docs.example.com/")
        assert served.caller is not None
        for name, arguments in calls:
            text = answer_call(served, served.caller, name, arguments, threading.Event()).text
            for group, canary in CANARIES.items():
                if group not in {mine, None}:
                    assert canary not in text, (name, arguments)

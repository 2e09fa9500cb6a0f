"""Real clients over HTTP, with tokens of a real provider: each sees what its user may read."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest
from pytest_iam import Server, iam_configuration, iam_server, iam_server_port

from tests.shelf import TODAY, library, page
from tests.web import ERAS, Web, ask, client, serve
from wellread.auth import AuthConfig
from wellread.config import HttpConfig
from wellread.library import Library
from wellread.server import Serving, mcp_server

__all__ = ["iam_configuration", "iam_server", "iam_server_port"]  # fixtures

AUDIENCE = "https://wellread.example/mcp"
OFTEN = HttpConfig(requests_per_minute=0)
Mint = Callable[..., str]

# A word per group that stands nowhere else, in the title, the text, the path, owner and tags.
CANARIES = {"sales": "quillfeather", "hr": "brambleknot", "finance": "otterstone"}
PEOPLE = {"ann": ("sales",), "boris": ("hr", "finance"), "eve": ()}
OPEN = 14


def documents() -> dict[str, str]:
    files = {
        f"open/page-{number:02}.md": page(
            f"# Travel {number}\n\nTravel needs a plan. See [x](x.md)."
        )
        for number in range(OPEN)
    }
    for group, word in CANARIES.items():
        files[f"{group}/{word}.md"] = page(
            f"# The {word} plan\n\nTravel of {word}: code {word.upper()}-77.\n\n"
            f"## Details of {word}\n\nMore {word}, and see [travel](../open/page-00.md).",
            access=f"[{group}]",
            owner=f"{word}@example.com",
            tags=f"[{word}]",
            aliases=f"[{word} alias]",
        )
    return files


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with library(tmp_path_factory.mktemp("http"), documents()) as opened:
        yield opened


@pytest.fixture(scope="module")
def issuer(iam_server: Server) -> str:
    answer = httpx2.get(iam_server.url + ".well-known/openid-configuration")
    found: str = answer.raise_for_status().json()["issuer"]
    return found


@pytest.fixture(scope="module")
def mint(iam_configuration: dict[str, Any], issuer: str) -> Mint:
    """Access tokens, signed with the key that the provider publishes."""
    key = iam_configuration["CANAILLE_OIDC"]["ACTIVE_JWKS"][0]

    def make(subject: str, groups: Any = None, **other: Any) -> str:
        claims = {
            "iss": issuer,
            "aud": AUDIENCE,
            "sub": subject,
            "exp": int(time.time()) + 300,
            "groups": list(PEOPLE.get(subject, ())) if groups is None else groups,
            **other,
        }
        private = jwt.PyJWK(key).key
        return jwt.encode(claims, private, "RS256", headers={"kid": key["kid"], "typ": "at+jwt"})

    return make


@pytest.fixture(scope="module")
def auth(issuer: str) -> AuthConfig:
    return AuthConfig(issuer=issuer, audience=AUDIENCE)


@pytest.fixture(scope="module")
def web(shelf: Library, auth: AuthConfig) -> Iterator[Web]:
    with serve(mcp_server(served(shelf)), auth=auth, http=OFTEN) as running:
        yield running


def served(shelf: Library, **other: Any) -> Serving:
    return Serving(library=shelf, caller=None, today=lambda: TODAY, **other)


# --- both eras, each user ----------------------------------------------------------------------


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_of_either_era_lists_and_calls_the_tools(web: Web, mint: Mint, mode: str) -> None:
    async def play() -> None:
        async with client(web, mint("ann"), mode) as ann:
            assert ann.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
            names = [tool.name for tool in (await ann.list_tools()).tools]
            assert names[:3] == ["search", "find_exact", "read"]
            assert "sales/quillfeather.md" in await ask(ann, "search", query="quillfeather plan")
            assert "sales/quillfeather.md" in await ask(ann, "find_exact", text="QUILLFEATHER-77")
            assert "Travel of quillfeather" in await ask(
                ann, "read", handle="sales/quillfeather.md"
            )

    asyncio.run(play())


@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26", "2024-11-05"])
def test_a_client_of_an_older_version_is_served(web: Web, mint: Mint, version: str) -> None:
    about = {"clientInfo": {"name": "old", "version": "1"}, "capabilities": {}}

    def post(method: str, **params: Any) -> str:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"mcp-protocol-version": version}
        answer = web.post(mint("ann"), json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.text

    assert f'"protocolVersion":"{version}"' in post("initialize", protocolVersion=version, **about)
    arguments = {"handle": "sales/quillfeather.md"}
    assert "Travel of quillfeather" in post("tools/call", name="read", arguments=arguments)


@pytest.mark.parametrize("mode", ERAS)
def test_two_users_see_different_documents(web: Web, mint: Mint, mode: str) -> None:
    async def found(user: str) -> set[str]:
        async with client(web, mint(user), mode) as connected:
            text = await ask(connected, "search", query="travel plan", limit=50)
            return {word for word in CANARIES.values() if f"{word}.md" in text}

    async def play() -> None:
        ann, boris, eve = await asyncio.gather(found("ann"), found("boris"), found("eve"))
        assert ann == {"quillfeather"}
        assert boris == {"brambleknot", "otterstone"}
        assert eve == set()

    asyncio.run(play())


def test_groups_are_those_of_the_token_at_hand(web: Web, mint: Mint) -> None:
    async def play() -> None:
        for groups, found in ((["sales"], True), ([], False), (["HR"], False), (["Sales"], True)):
            async with client(web, mint("ann", groups)) as ann:
                text = await ask(ann, "read", handle="sales/quillfeather.md")
                assert ("Travel of quillfeather" in text) is found, groups

    asyncio.run(play())


def test_groups_of_the_configuration_are_not_those_of_a_token(
    tmp_path: Path, auth: AuthConfig, mint: Mint
) -> None:
    files = {"hr.md": page("# Pay\n\nPay bands.", access="[hr]")}
    settings = '[groups]\n"ann" = ["hr"]\n[identity]\nsubject = "ann"\n'

    async def play(web: Web) -> None:
        async with client(web, mint("ann", [])) as ann:
            assert "Pay bands" not in await ask(ann, "read", handle="hr.md")

    with library(tmp_path, files, settings) as shelf:
        assert len(shelf.config.groups()) == 1
        with serve(mcp_server(served(shelf)), auth=auth, http=OFTEN) as running:
            asyncio.run(play(running))


# --- nothing leaks -----------------------------------------------------------------------------

# Near the canaries, so that a suggestion would name one; none holds one.
PROBES: tuple[tuple[str, dict[str, Any]], ...] = (
    *((tool, {key: text}) for tool, key in (("search", "query"), ("find_exact", "text"))
      for text in ("travel", "plan", "quillfeathr", "bramblekno", "otterston", "-77", "zzzz")),
    ("search", {"query": "travel", "limit": 50, "detail": "passage"}),
    ("search", {"query": "travel", "path": ["hr/**", "sales/**", "finance/**"]}),
    ("search", {"query": "travel", "type": ["brief"]}),
    ("search", {"query": '"plan of travel nowhere"'}),
    ("find_exact", {"text": "[A-Z]+-77", "regex": True}),
    ("find_exact", {"text": "(", "regex": True}),
    ("find_exact", {"text": ".", "regex": True, "limit": 200}),
    *(("read", {"handle": handle}) for handle in
      ("hr", "hr/", "hr/bramblekno.md", "sales/quillfeathe.md", "open/page-00.md", "open/x.md")),
    ("read", {"handle": "open/page-00.md", "outline": True}),
    ("read", {"handle": "open/page-00.md", "lines": "1-900"}),
    ("read", {}),
    ("search", {"query": "travel", "page": "x"}),
    ("serch", {"query": "travel"}),
    ("search", {"query": "travel", "owner": ["brambleknt"]}),
    ("search", {"query": "travel", "tag": ["otterstne"]}),
)  # fmt: skip


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("user", PEOPLE)
def test_no_answer_of_any_tool_holds_a_canary_of_others(
    web: Web, mint: Mint, user: str, mode: str
) -> None:
    hidden = [word for group, word in CANARIES.items() if group not in PEOPLE[user]]

    async def play() -> None:
        async with client(web, mint(user), mode) as connected:
            for tool, arguments in PROBES:
                text = (await ask(connected, tool, **arguments)).casefold()
                assert [word for word in hidden if word in text] == [], (tool, arguments)

    asyncio.run(play())


def test_what_is_hidden_answers_like_what_is_not_there(web: Web, mint: Mint) -> None:
    """Word for word and number for number, for a caller who has no group."""
    pairs = [
        ("read", "handle", "hr/brambleknot.md", "hr/brambleknit.md"),
        ("read", "handle", "hr/brambleknot.md#details-of-brambleknot", "hr/b.md#details-of-b"),
        ("search", "query", "otterstone", "otterstane"),
        ("find_exact", "text", "OTTERSTONE-77", "OTTERSTANE-77"),
        ("find_exact", "text", "otterstone", "otterstane"),
    ]

    async def play() -> None:
        async with client(web, mint("eve")) as eve:
            for tool, key, hidden, missing in pairs:
                one = await ask(eve, tool, **{key: hidden})
                other = await ask(eve, tool, **{key: missing})
                assert one.replace(hidden, "·") == other.replace(missing, "·"), tool

    asyncio.run(play())


def test_a_cursor_of_one_subject_is_refused_for_another(web: Web, mint: Mint) -> None:
    async def play() -> None:
        async with client(web, mint("eve")) as eve, client(web, mint("mallory", [])) as other:
            first = await ask(eve, "search", query="travel", limit=3)
            cursor = re.search(r'page[=: ]+"?([\w.-]{6,})', first)
            assert cursor, first
            again = {"query": "travel", "limit": 3, "page": cursor[1]}
            assert "open/page" in await ask(eve, "search", **again)
            assert "open/page" not in await ask(other, "search", **again)

    asyncio.run(play())


# --- slow calls, and the end ---------------------------------------------------------------------


class Slow(Library):
    """A library in which one query waits until it is let go."""

    begun: threading.Semaphore
    go: threading.Event

    def search(self, text: str, **other: Any) -> Any:
        if text == "slow":
            self.begun.release()
            assert self.go.wait(20)
        return super().search(text, **other)


@pytest.fixture
def slow(shelf: Library) -> Iterator[Slow]:
    opened = Slow(shelf.config)
    opened.begun, opened.go = threading.Semaphore(0), threading.Event()
    with opened:
        yield opened
        opened.go.set()


@pytest.mark.parametrize("mode", ERAS)
def test_slow_calls_of_one_caller_do_not_hold_up_another(
    slow: Slow, auth: AuthConfig, mint: Mint, mode: str
) -> None:
    async def play(web: Web) -> None:
        async with client(web, mint("ann"), mode) as ann, client(web, mint("boris"), mode) as boris:
            waiting = [asyncio.create_task(ask(ann, "search", query="slow")) for _ in range(50)]
            assert await asyncio.to_thread(slow.begun.acquire, True, 10)
            for _ in range(5):
                assert "open/page" in await ask(boris, "search", query="travel")
            assert not any(task.done() for task in waiting)
            slow.go.set()
            await asyncio.gather(*waiting)

    with serve(mcp_server(served(slow)), auth=auth, http=OFTEN) as running:
        asyncio.run(play(running))


@pytest.mark.parametrize("mode", ERAS)
def test_a_call_that_runs_when_the_server_is_stopped_is_answered(
    slow: Slow, auth: AuthConfig, mint: Mint, mode: str
) -> None:
    def closed(web: Web) -> None:
        """Wait until nobody is let in any more."""
        address = ("127.0.0.1", int(web.url.split(":")[2].split("/")[0]))
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                socket.create_connection(address, timeout=1).close()
            except OSError:
                return
        raise AssertionError("still listening")

    async def play(web: Web) -> str:
        async with client(web, mint("ann"), mode) as ann:
            await ann.list_tools()  # or the client would ask for them after the call
            task = asyncio.create_task(ask(ann, "search", query="slow"))
            assert await asyncio.to_thread(slow.begun.acquire, True, 10)
            web.server.should_exit = True
            await asyncio.to_thread(closed, web)
            assert not task.done()
            slow.go.set()
            return await task

    with serve(mcp_server(served(slow)), auth=auth, http=OFTEN) as running:
        assert "nothing" in asyncio.run(play(running)).casefold()


def test_a_call_that_takes_too_long_is_given_up(slow: Slow, auth: AuthConfig, mint: Mint) -> None:
    async def play(web: Web) -> str:
        async with client(web, mint("ann")) as ann:
            return await ask(ann, "search", query="slow")

    with serve(mcp_server(served(slow, seconds=0.2)), auth=auth, http=OFTEN) as running:
        assert "0.2" in asyncio.run(play(running))
        slow.go.set()

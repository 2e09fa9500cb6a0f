"""A server over HTTP for tests: real uvicorn on a free port, and real clients that ask it."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from wellread.auth import AuthConfig, TokenChecker
from wellread.config import HttpConfig
from wellread.http_app import http_app, uvicorn_config
from wellread.listening import bind, listening

ERAS = ("legacy", "auto")
"""With the ``initialize`` handshake (2025-11-25), and without it (2026-07-28)."""

PLAIN = HttpConfig()
ACCEPT = {"accept": "application/json, text/event-stream"}


@dataclass(frozen=True)
class Web:
    """A running server; ``url`` is that of ``/mcp``."""

    url: str
    server: uvicorn.Server

    @property
    def base(self) -> str:
        return self.url.removesuffix("/mcp")

    def post(self, token: str | bytes | None = None, **other: Any) -> httpx2.Response:
        """One ``tools/list``, as a client of any era could send it."""
        headers = {**ACCEPT, **other.pop("headers", {})}
        if token is not None:
            written = token.encode() if isinstance(token, str) else token
            headers["authorization"] = (b"Bearer " + written).rstrip()
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        return httpx2.post(self.url, **{"json": body, **other}, headers=headers)


@contextmanager
def serve(
    server: Any,
    *,
    auth: AuthConfig | None = None,
    http: HttpConfig = PLAIN,
    checker: TokenChecker | None = None,
    ready: Callable[[], bool] = lambda: True,
) -> Iterator[Web]:
    """Serve until the block ends."""
    where = listening("127.0.0.1:0", http=http, auth=auth, no_auth=auth is None)
    app = http_app(server, where, ready=ready, checker=checker)
    running = uvicorn.Server(uvicorn_config(app))
    started = threading.Event()
    original = running.startup

    async def startup(**arguments: Any) -> None:
        await original(**arguments)
        started.set()

    running.startup = startup  # type: ignore[method-assign]
    with bind(where.host, where.port) as bound:
        port = bound.getsockname()[1]
        thread = threading.Thread(target=running.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            assert started.wait(10)
            yield Web(url=f"http://127.0.0.1:{port}/mcp", server=running)
        finally:
            running.should_exit = True
            thread.join(10)
            assert not thread.is_alive()


@asynccontextmanager
async def client(web: Web, token: str | None, mode: str = "auto") -> AsyncIterator[Client]:
    """A client of the SDK that sends a token."""
    headers = {"authorization": f"Bearer {token}"} if token is not None else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(web.url, http_client=http), mode=mode) as connected,
    ):
        yield connected


async def ask(connected: Client, tool: str, **arguments: Any) -> str:
    """The text of an answer."""
    answer = await connected.call_tool(tool, arguments)
    return "\n".join(part.text for part in answer.content if part.type == "text")

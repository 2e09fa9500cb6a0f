"""Streamable HTTP around an MCP server: who may ask, how often, and addressed to whom

Every request is checked before the SDK sees it: its host and origin, its bearer token, how many
its sender has sent. The token is read from ``Authorization`` alone, stays here, and is never
logged or passed on; what the server gets is the caller, in ``request.state.caller``. Headers
that a proxy would set (``X-Forwarded-…``) are believed of nobody, as nothing here needs them.
"""

from __future__ import annotations

import asyncio
import logging
import math
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wellread.auth import AuthConfig, InvalidToken, TokenChecker, challenge
from wellread.config import HttpConfig
from wellread.errors import MissingExtra
from wellread.listening import PATH, Listening, bind, written
from wellread.types import Caller

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

METADATA = "/.well-known/oauth-protected-resource"
HEALTH = "/healthz"
GRACE_SECONDS = 5
"""For calls that run when the server is told to stop: most take milliseconds, and who stops a
service (systemd, Kubernetes) waits for 30 to 90 s before it kills."""


BODY_SECONDS = 10.0
"""For the body of a request, which is small: the SDK waits for it without end, and whoever sends
one byte now and then would hold what it takes for ever."""


def http_app(
    server: Server[Any],
    listening: Listening,
    *,
    ready: Callable[[], bool],
    checker: TokenChecker | None = None,
) -> ASGIApp:
    """The whole application: ``/mcp``, ``/healthz`` and the metadata of RFC 9728.

    ``ready`` says whether there is an index to ask; it may block, and is asked for ``/healthz``.
    ``checker`` stands in for the one that fetches keys. Raises ``MissingExtra``.
    """
    try:
        from mcp.server.transport_security import TransportSecuritySettings
        from starlette.middleware.cors import CORSMiddleware
        from starlette.routing import Route
    except ImportError as error:
        raise MissingExtra("the server needs mcp: pip install 'wellread[server]'") from error
    http, auth = listening.http, listening.auth
    routes = [Route(HEALTH, _health(ready))]
    if auth is not None:
        metadata = _metadata(listening.url, auth)
        paths = dict.fromkeys((METADATA, METADATA + PATH, _metadata_path(listening.url)))
        routes += [Route(path, metadata) for path in paths]
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=http.max_request_size,
        # Checked by _Guard, for every path.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=routes,
    )
    if auth is not None and checker is None:
        checker = TokenChecker(auth)
    open_paths = frozenset(route.path for route in routes)
    app: ASGIApp = _Guard(inner, listening, checker, open_paths)
    if http.allowed_origins:
        app = CORSMiddleware(
            app,
            allow_origins=list(http.allowed_origins),
            allow_methods=["POST", "GET"],
            allow_headers=["*"],
            expose_headers=["WWW-Authenticate", "Retry-After"],
        )
    return _HostCheck(app, http)


def serve_http(
    server: Server[Any],
    listening: Listening,
    *,
    ready: Callable[[], bool],
    bound: Callable[[str], None] = lambda _: None,
) -> None:
    """Listen until SIGTERM or SIGINT; calls that run then are given a moment to end. ``bound``
    is told the address once clients can connect. Raises ``StoreUnavailable`` where it cannot
    be had."""
    try:
        import uvicorn
        from sse_starlette.sse import AppStatus
    except ImportError as error:
        raise MissingExtra("the server needs mcp: pip install 'wellread[server]'") from error
    app = http_app(server, listening, ready=ready)
    # Streams are answers that are being worked on: they end by themselves, or with the grace.
    AppStatus.enable_automatic_graceful_drain = False
    running = uvicorn.Server(uvicorn_config(app))

    def end(*_: object) -> None:
        running.should_exit = True

    # For a signal that comes before uvicorn listens to them, and as it raises them once more
    # when it has ended.
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, end)
    with bind(listening.host, listening.port) as listener:
        bound(f"{written(listening.host)}:{listener.getsockname()[1]}")
        running.run(sockets=[listener])


def uvicorn_config(app: ASGIApp) -> Any:
    """How the application is run: nothing is logged of a request, and no header is believed."""
    import uvicorn

    return uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


# --- what is checked -------------------------------------------------------------------------


class _HostCheck:
    """Refuses requests that are addressed to another host, or sent by a script of a page that is
    not allowed: a browser would send those on behalf of any page (DNS rebinding). ``/healthz``
    is open, as probes call it by whatever address."""

    def __init__(self, app: ASGIApp, http: HttpConfig) -> None:
        self._app = app
        self._http = http

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] != HEALTH:
            refusal = self._refusal(scope)
            if refusal is not None:
                return await refusal(scope, receive, send)
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        hosts = _header(scope, b"host")
        if len(hosts) != 1 or not _host_fits(hosts[0].lower(), self._http.allowed_hosts):
            return _refused(421, "this host is not among [server] allowed_hosts", {})
        itself = tuple(f"{scheme}://{hosts[0].lower()}" for scheme in ("http", "https"))
        allowed = (*self._http.allowed_origins, *itself)
        if any(origin.lower() not in allowed for origin in _header(scope, b"origin")):
            return _refused(403, "this origin is not among [server] allowed_origins", {})
        return None


class _Guard:
    """Lets a request through with its caller, or says why not. What is open is named, and all
    else needs a caller: a router may take a path for ``/mcp`` that is spelt otherwise."""

    def __init__(
        self,
        app: ASGIApp,
        listening: Listening,
        checker: TokenChecker | None,
        open_paths: frozenset[str],
    ) -> None:
        self._app = app
        self._open = open_paths
        self._auth = listening.auth
        self._checker = checker
        self._metadata_url = _metadata_url(listening.url)
        self._max_request_size = listening.http.max_request_size
        self._allowance = _Allowance(listening.http.requests_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._open:
            return await self._app(scope, receive, send)
        try:
            caller = await self._caller(scope)
        except InvalidToken as error:
            return await self._refused(error)(scope, receive, send)
        if caller is None:
            return await self._refused(None)(scope, receive, send)
        wait = self._allowance.wait(caller.subject)
        if wait:
            words = f"too many requests: try again in {wait} s"
            return await _refused(429, words, {"Retry-After": str(wait)})(scope, receive, send)
        if scope["method"] != "POST":
            # There is nothing to follow and no session to end: each request stands alone.
            return await _refused(405, "send a POST", {"Allow": "POST"})(scope, receive, send)
        state = {**scope.get("state", {}), "caller": caller}
        headers = [(key, value) for key, value in scope["headers"] if key != b"authorization"]
        try:
            body = await _body(scope, receive, self._max_request_size)
        except asyncio.CancelledError:
            # The grace is over. Let through, it is logged with a traceback for each connection.
            return await _refused(503, "the server is stopping", {})(scope, receive, send)
        if body is None:
            words = f"the request was not there within {BODY_SECONDS:g} s"
            return await _refused(408, words, {"Connection": "close"})(scope, receive, send)
        if body and body[-1]["type"] != "http.request":
            return None  # the client has gone
        again = _replayed(body, receive)
        await self._app({**scope, "headers": headers, "state": state}, again, send)

    async def _caller(self, scope: Scope) -> Caller | None:
        """Who sends a request; ``None`` without a token. Raises ``InvalidToken``."""
        if self._auth is None or self._checker is None:
            return Caller(subject=None)
        written = _header(scope, b"authorization")
        if not written:
            return None
        scheme, _, token = written[0].partition(" ")
        if len(written) > 1:
            raise InvalidToken("the request has more than one token")
        if scheme.lower() != "bearer":
            return None
        return (await self._checker.check(token.strip(" "))).caller

    def _refused(self, error: InvalidToken | None) -> Response:
        status = 401 if error is None else error.status
        words = "a bearer token is needed" if error is None else str(error)
        headers = {"Retry-After": "30"}
        if status != 503:
            scope = self._auth.scope if self._auth is not None else None
            value = challenge(error, metadata_url=self._metadata_url, scope=scope)
            headers = {"WWW-Authenticate": value}
        elif error is not None:
            logger.warning("%s (%s)", error, error.__cause__)
        return _refused(status, words, headers)


async def _body(scope: Scope, receive: Receive, most: int) -> list[Message] | None:
    """The messages of a body, ``None`` where it does not come in time; of one that is too large,
    which the SDK refuses, no more than it takes to tell."""
    import anyio

    declared = next(iter(_header(scope, b"content-length")), "")
    if declared.isdecimal() and int(declared) > most:
        return []
    messages: list[Message] = []
    size = 0
    with anyio.move_on_after(BODY_SECONDS):
        while not messages or (messages[-1].get("more_body", False) and size <= most):
            messages.append(await receive())
            size += len(messages[-1].get("body", b""))
        return messages
    return None


def _replayed(messages: Sequence[Message], receive: Receive) -> Receive:
    waiting = iter(messages)

    async def received() -> Message:
        message = next(waiting, None)
        return await receive() if message is None else message

    return received


class _Allowance:
    """How many requests each subject has sent in the last minute, approximately: the library
    weighs two windows."""

    def __init__(self, per_minute: int) -> None:
        from limits import RateLimitItemPerMinute
        from limits.storage import MemoryStorage
        from limits.strategies import SlidingWindowCounterRateLimiter

        self._item = RateLimitItemPerMinute(per_minute) if per_minute else None
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def wait(self, subject: str | None) -> int:
        """Seconds until the subject may send again, 0 where it may now, which counts."""
        key = "(everyone)" if subject is None else f"user:{subject}"
        if self._item is None or self._limiter.hit(self._item, key):
            return 0
        reset = self._limiter.get_window_stats(self._item, key).reset_time
        return max(1, math.ceil(reset - time.time()))


def _header(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _host_fits(host: str, allowed: Sequence[str]) -> bool:
    name, colon, port = host.rpartition(":")
    wild = f"{name}:*" if colon and port.isdecimal() else f"{host}:*"
    return "*" not in host and (host in allowed or wild in allowed)


def _refused(status: int, words: str, headers: dict[str, str]) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse({"error": words}, status, headers={"Cache-Control": "no-store", **headers})


# --- what is told ----------------------------------------------------------------------------


def _health(ready: Callable[[], bool]) -> Callable[[Request], Awaitable[Response]]:
    async def health(_: Request) -> Response:
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import JSONResponse

        good = await run_in_threadpool(ready)
        return JSONResponse({"status": "ok" if good else "no index"}, 200 if good else 503)

    return health


def _metadata(url: str, auth: AuthConfig) -> Callable[[Request], Awaitable[Response]]:
    """RFC 9728, written by hand: clients compare the addresses character by character."""
    told: dict[str, object] = {
        "resource": url,
        "authorization_servers": [auth.issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": "wellread",
    }
    if auth.scope:
        told["scopes_supported"] = auth.scope.split()

    async def metadata(_: Request) -> Response:
        from starlette.responses import JSONResponse

        return JSONResponse(told, headers={"Cache-Control": "max-age=3600"})

    return metadata


def _metadata_path(url: str) -> str:
    return METADATA + urlsplit(url).path.rstrip("/")


def _metadata_url(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{_metadata_path(url)}"

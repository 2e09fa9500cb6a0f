"""Where a server listens over HTTP and to whom, from options and settings that must agree

What would serve people who were not meant is refused before anything listens: tokens may be left
out on loopback alone, and a server that others can reach is told its names.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from wellread.auth import AuthConfig
from wellread.config import HttpConfig
from wellread.errors import ConfigError, StoreUnavailable, UsageError
from wellread.jwks import secure_url

PATH = "/mcp"
BACKLOG = 2048  # uvicorn's own


@dataclass(frozen=True, kw_only=True, slots=True)
class Listening:
    """Where a server listens and whom it listens to, checked: see ``listening``. ``auth`` is
    ``None`` where everybody on this machine may ask, as ``everyone``. ``url`` is the address
    that clients use."""

    host: str
    port: int
    url: str
    http: HttpConfig
    auth: AuthConfig | None

    @property
    def loopback(self) -> bool:
        """Whether only programs of this machine can connect."""
        return _loopback(self.host)


def listening(
    address: str,
    *,
    http: HttpConfig,
    auth: AuthConfig | None,
    no_auth: bool = False,
    allowed_hosts: Sequence[str] = (),
) -> Listening:
    """What ``--http ADDRESS``, its other options and the configuration come to. An address is
    ``HOST:PORT``, with brackets around one of IPv6. Raises ``UsageError`` or ``ConfigError``
    where that would serve people who were not meant."""
    host, port = _host_and_port(address)
    loopback = _loopback(host)
    if no_auth and not loopback:
        raise UsageError(
            f"--no-auth answers whoever can connect, and {address} can be reached from other "
            "machines: configure [auth], or listen on 127.0.0.1"
        )
    if no_auth and auth is not None:
        raise UsageError(
            "--no-auth contradicts the table [auth] of the configuration: leave one of them out"
        )
    if auth is None and not no_auth:
        raise UsageError(
            "--http needs the table [auth], which says whose tokens are accepted "
            "(docs/serving.md). To try it on this machine alone, add --no-auth: then everybody "
            "here reads what everyone may read"
        )
    named = [urlsplit(http.url).netloc] if http.url else []
    hosts = tuple(map(str.lower, dict.fromkeys((*http.allowed_hosts, *allowed_hosts, *named))))
    for each in allowed_hosts:
        if "/" in each or each in ("", "*"):
            raise UsageError(f"--allow-host {each!r} is no host name: write wellread.example")
    if not loopback and not hosts:
        raise UsageError(
            f"{address} can be reached from other machines, so the names that clients call this "
            "server by must be given: --allow-host wellread.example, or [server] allowed_hosts"
        )
    if loopback:
        hosts = (*hosts, f"{written(host).lower()}:{port or '*'}", f"localhost:{port or '*'}")
    url = http.url or (auth.audience if auth and secure_url(auth.audience) else None)
    if url is None and auth is not None:
        raise ConfigError(
            f"[server] url is needed, the address that clients use, as [auth] audience = "
            f"{auth.audience!r} is none: write for example https://wellread.example{PATH}"
        )
    if url is not None and (not secure_url(url) or urlsplit(url).query or "#" in url):
        raise ConfigError(
            f"[server] url = {url!r} is not an https address (http is for this machine only)"
        )
    return Listening(
        host=host,
        port=port,
        url=url or f"http://{written(host)}:{port}{PATH}",
        http=replace(http, allowed_hosts=hosts),
        auth=auth,
    )


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; port 0 takes a free one. Raises
    ``StoreUnavailable``."""
    bound = None
    try:
        (family, kind, protocol, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(BACKLOG)
    except OSError as error:
        if bound is not None:
            bound.close()
        raise StoreUnavailable(
            f"nothing can listen at {host}, port {port} ({error.strerror or error}): choose "
            "another address for --http"
        ) from error
    return bound


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not bare or not port.isdecimal() or int(port) > 65535 or (":" in bare and bare == host):
        raise UsageError(
            f"--http {address!r} is no address: write host and port, as 127.0.0.1:8000 or "
            "[::1]:8000"
        )
    return bare, int(port)


def written(host: str) -> str:
    """A host as it is written before a port: one of IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"

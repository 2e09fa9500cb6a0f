"""The public keys of an identity provider: fetched, cached, and asked for by token headers.

The address comes from the configuration, or from the discovery document of the configured
issuer; nothing in a token (``jku``, ``x5u``, ``jwk``) is ever followed. Redirects are not
followed either: keys come from where the operator said, or not at all.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from wellread.errors import WellreadError

if TYPE_CHECKING:
    from jwt import PyJWK
    from jwt.algorithms import AllowedPublicKeys

# The lifespan and cool-down of PyJWT's own (blocking) client.
FRESH_SECONDS = 300.0
COOLDOWN_SECONDS = 30.0
# While the provider is down, known keys go on working for as long as access tokens commonly live.
STALE_SECONDS = 3600.0
TIMEOUT_SECONDS = 5.0
MOST_BYTES = 256 * 1024  # a set of some ten keys with certificate chains has about 40 KiB
MOST_KEYS = 100

# What a key must be for an algorithm (RFC 7518, section 3.1; RFC 8037).
KEY_OF_ALGORITHM: Mapping[str, tuple[str, str | None]] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", None)),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}
"""The algorithms that may be pinned: signatures that need a private key to make."""


class KeysUnavailable(WellreadError):
    """The provider's keys cannot be fetched; ``unknown key`` is not this but ``UnknownKey``."""

    exit_code = 4


class UnknownKey(WellreadError):
    """The provider publishes no such key."""

    exit_code = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class _Key:
    kid: str | None
    kind: str
    curve: str | None
    algorithm: str | None
    key: AllowedPublicKeys


def secure_url(url: str) -> bool:
    """Whether keys may be fetched from an address: https, or http on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.scheme == "https":
        return bool(host)
    return parts.scheme == "http" and host in ("localhost", "127.0.0.1", "::1")


class KeySet:
    """The keys that one issuer signs with. One set serves all requests of one event loop.

    ``url`` is the address of the set; without it, the issuer's discovery document names it.
    ``clock`` gives seconds that only grow. ``transport`` stands in for the network in tests.
    """

    def __init__(
        self,
        *,
        issuer: str,
        url: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        transport: Any = None,
    ) -> None:
        self._issuer = issuer
        self._url = url
        self._clock = clock
        self._transport = transport
        self._keys: tuple[_Key, ...] = ()
        self._fetched: float | None = None
        self._tried: float | None = None
        self._failure = ""
        self._lock = asyncio.Lock()

    async def find(self, kid: str | None, algorithm: str) -> AllowedPublicKeys:
        """The key that a token names and that fits its algorithm; a token that names none gets
        the only one that fits.

        A set older than five minutes, or one without the key, is fetched again, at most every 30
        seconds, whether that worked or not. Raises ``UnknownKey`` or ``KeysUnavailable``.
        """
        found = self._found(kid, algorithm)
        if found is not None and (self._age() < FRESH_SECONDS or self._lock.locked()):
            return found
        async with self._lock:
            if self._found(kid, algorithm) is None or self._age() >= FRESH_SECONDS:
                await self._refresh()
        found = self._found(kid, algorithm)
        if found is not None:
            return found
        if self._failure:
            raise KeysUnavailable(f"the keys of {self._issuer} cannot be had: {self._failure}")
        raise UnknownKey(f"{self._issuer} publishes no such key for {algorithm}")

    def _age(self) -> float:
        return float("inf") if self._fetched is None else self._clock() - self._fetched

    def _found(self, kid: str | None, algorithm: str) -> AllowedPublicKeys | None:
        if self._age() >= STALE_SECONDS:
            return None
        kind, curve = KEY_OF_ALGORITHM[algorithm]
        fitting = [
            each
            for each in self._keys
            if each.kind == kind
            and (curve is None or each.curve == curve)
            and each.algorithm in (None, algorithm)
            and (kid is None or each.kid == kid)
        ]
        return fitting[0].key if len(fitting) == 1 else None

    async def _refresh(self) -> None:
        now = self._clock()
        if self._tried is not None and now - self._tried < COOLDOWN_SECONDS:
            return
        self._tried = now
        import httpx2

        try:
            async with httpx2.AsyncClient(
                timeout=TIMEOUT_SECONDS, follow_redirects=False, transport=self._transport
            ) as client:
                async with asyncio.timeout(2 * TIMEOUT_SECONDS):
                    self._keys = await self._fetch(client)
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError, ValueError) as error:
            self._failure = str(error) or type(error).__name__
            return
        self._fetched, self._failure = self._clock(), ""

    async def _fetch(self, client: Any) -> tuple[_Key, ...]:
        url = self._url
        if url is None:
            where = self._issuer.rstrip("/") + "/.well-known/openid-configuration"
            found = await _json(client, where)
            if found.get("issuer") != self._issuer:
                raise ValueError(f"{where} is about another issuer")
            url = found.get("jwks_uri")
            if not isinstance(url, str) or not secure_url(url):
                raise ValueError(f"{where} names no https address of keys")
        written = (await _json(client, url)).get("keys")
        if not isinstance(written, list) or len(written) > MOST_KEYS:
            raise ValueError(f"{url} holds no list of at most {MOST_KEYS} keys")
        keys = tuple(key for each in written if (key := _usable(each)) is not None)
        if not keys:
            raise ValueError(f"{url} holds no key for signatures")
        return keys


async def _json(client: Any, url: str) -> dict[str, Any]:
    async with client.stream("GET", url, headers={"accept": "application/json"}) as response:
        if response.status_code != 200:
            raise ValueError(f"{url} answered {response.status_code}")
        content = b""
        async for part in response.aiter_bytes():
            content += part
            if len(content) > MOST_BYTES:
                raise ValueError(f"{url} answered more than {MOST_BYTES // 1024} KiB")
    try:
        found = json.loads(content)
    except RecursionError:
        raise ValueError(f"{url} answered no readable JSON") from None
    if not isinstance(found, dict):
        raise ValueError(f"{url} answered no JSON object")
    return found


def _usable(written: object) -> _Key | None:
    """A published key, unless it is secret, meant for encryption, or of a kind unknown here."""
    if not isinstance(written, dict):
        return None
    kind, use, operations = written.get("kty"), written.get("use"), written.get("key_ops")
    if kind not in {kind for kind, _ in KEY_OF_ALGORITHM.values()} or use not in (None, "sig"):
        return None
    if operations is not None and not (isinstance(operations, list) and "verify" in operations):
        return None
    kid, algorithm, curve = written.get("kid"), written.get("alg"), written.get("crv")
    if algorithm is not None and algorithm not in KEY_OF_ALGORITHM:
        return None
    if kid is not None and not isinstance(kid, str):
        return None
    public = _public(written)
    if public is None:
        return None
    return _Key(kid=kid, kind=str(kind), curve=curve, algorithm=algorithm, key=public.key)


def _public(written: dict[str, Any]) -> PyJWK | None:
    import jwt

    private = {"d", "p", "q", "dp", "dq", "qi", "oth"}
    try:
        return jwt.PyJWK({name: value for name, value in written.items() if name not in private})
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None

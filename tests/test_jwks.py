"""The provider's keys: where they come from, how long they hold, what is never followed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from wellread import jwks
from wellread.jwks import KeySet, KeysUnavailable, UnknownKey, secure_url

ISSUER = "https://id.example.com/realms/company"
CERTS = ISSUER + "/certs"
DISCOVERY = ISSUER + "/.well-known/openid-configuration"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())


def jwk(key: Any = RSA, **other: Any) -> dict[str, Any]:
    kind = jwt.algorithms.RSAAlgorithm if key is RSA else jwt.algorithms.ECAlgorithm
    found = {**json.loads(kind.to_jwk(key.public_key())), "kid": "one", "use": "sig", **other}
    return {name: value for name, value in found.items() if value is not ...}


class Provider:
    """An identity provider in memory that counts what it is asked."""

    def __init__(self, *keys: dict[str, Any]) -> None:
        self.now = 0.0
        self.asked: list[str] = []
        self.answers: dict[str, httpx2.Response | Exception] = {}
        self.publish(*keys)

    def publish(self, *keys: dict[str, Any]) -> None:
        self.answers[CERTS] = httpx2.Response(200, json={"keys": list(keys)})

    async def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(str(request.url))
        await asyncio.sleep(0)
        answer = self.answers.get(str(request.url), httpx2.Response(404))
        if isinstance(answer, Exception):
            raise answer
        return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def keys(self, url: str | None = CERTS) -> KeySet:
        return KeySet(
            issuer=ISSUER,
            url=url,
            clock=lambda: self.now,
            transport=httpx2.MockTransport(self),
        )


def find(keys: KeySet, kid: str | None = "one", algorithm: str = "RS256") -> Any:
    return asyncio.run(keys.find(kid, algorithm))


def test_keys_are_fetched_once_and_kept() -> None:
    provider = Provider(jwk())
    keys = provider.keys()
    for _ in range(5):
        assert find(keys).public_numbers() == RSA.public_key().public_numbers()
    assert provider.asked == [CERTS]


def test_many_requests_at_once_make_one_fetch() -> None:
    provider = Provider(jwk())
    keys = provider.keys()

    async def all_at_once() -> list[Any]:
        return await asyncio.gather(*(keys.find("one", "RS256") for _ in range(20)))

    assert len(asyncio.run(all_at_once())) == 20
    assert provider.asked == [CERTS]


def test_a_new_key_is_found_after_the_cooldown() -> None:
    provider = Provider(jwk())
    keys = provider.keys()
    find(keys)
    provider.publish(jwk(), jwk(kid="two"))
    with pytest.raises(UnknownKey):
        find(keys, "two")
    provider.now = jwks.COOLDOWN_SECONDS
    assert find(keys, "two")
    assert provider.asked == [CERTS, CERTS]


def test_unknown_keys_do_not_hammer_the_provider() -> None:
    provider = Provider(jwk())
    keys = provider.keys()
    for number in range(50):
        with pytest.raises(UnknownKey):
            find(keys, f"kid-{number}")
    assert provider.asked == [CERTS]


def test_a_failure_is_not_repeated_before_the_cooldown() -> None:
    provider = Provider()
    provider.answers[CERTS] = httpx2.ConnectError("refused")
    keys = provider.keys()
    for _ in range(10):
        with pytest.raises(KeysUnavailable, match="refused"):
            find(keys)
    assert provider.asked == [CERTS]
    provider.publish(jwk())
    provider.now = jwks.COOLDOWN_SECONDS
    assert find(keys)


def test_a_withdrawn_key_is_gone_at_the_next_fetch() -> None:
    provider = Provider(jwk())
    keys = provider.keys()
    find(keys)
    provider.publish(jwk(kid="two"))
    provider.now = jwks.FRESH_SECONDS
    with pytest.raises(UnknownKey):
        find(keys)


def test_known_keys_outlive_a_provider_that_is_down_but_not_for_ever() -> None:
    provider = Provider(jwk())
    keys = provider.keys()
    find(keys)
    provider.answers[CERTS] = httpx2.Response(503)
    provider.now = jwks.STALE_SECONDS - 1
    assert find(keys)
    with pytest.raises(KeysUnavailable):
        find(keys, "two")
    provider.now = jwks.STALE_SECONDS
    with pytest.raises(KeysUnavailable, match="503"):
        find(keys)


def test_others_use_known_keys_while_one_request_fetches() -> None:
    provider = Provider(jwk())
    keys = provider.keys()
    find(keys)
    provider.now = jwks.FRESH_SECONDS
    order: list[str] = []

    async def ask(name: str) -> None:
        await keys.find("one", "RS256")
        order.append(name)

    async def both() -> None:
        await asyncio.gather(ask("fetches"), ask("does not wait"))

    asyncio.run(both())
    assert order == ["does not wait", "fetches"]
    assert provider.asked == [CERTS, CERTS]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda: httpx2.Response(302, headers={"location": CERTS + "2"}), "answered 302"),
        (lambda: httpx2.Response(500), "answered 500"),
        (lambda: httpx2.Response(200, text="<html>"), "Expecting value"),
        (lambda: httpx2.Response(200, json=[]), "no JSON object"),
        (lambda: httpx2.Response(200, json={"keys": {}}), "no list"),
        (lambda: httpx2.Response(200, json={"keys": [{}] * 101}), "at most 100"),
        (lambda: httpx2.Response(200, json={"keys": []}), "no key for signatures"),
        (lambda: httpx2.Response(200, content=b"[" * 100_000), "no readable JSON"),
        (lambda: httpx2.Response(200, content=b" " * 300_000), "more than 256 KiB"),
        (lambda: httpx2.ReadTimeout("too slow"), "too slow"),
    ],
)
def test_what_is_no_set_of_keys_is_not_taken_for_one(
    answer: Callable[[], httpx2.Response | Exception], said: str
) -> None:
    provider = Provider()
    provider.answers[CERTS] = answer()
    provider.answers[CERTS + "2"] = httpx2.Response(200, json={"keys": [jwk()]})
    with pytest.raises(KeysUnavailable, match=said):
        find(provider.keys())
    assert provider.asked == [CERTS]


@pytest.mark.parametrize(
    "unfit",
    [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "one", "alg": "HS256"},
        jwk(use="enc"),
        jwk(key_ops=["encrypt"]),
        jwk(alg="RSA-OAEP"),
        jwk(n=...),
        jwk(n="!"),
        jwk(kid=7),
        "no key",
        None,
    ],
)
def test_keys_of_other_uses_are_left_aside(unfit: Any) -> None:
    provider = Provider(unfit, jwk(kid="good"))
    keys = provider.keys()
    with pytest.raises(UnknownKey):
        find(keys)
    assert find(keys, "good")


def test_a_key_serves_only_the_algorithm_it_is_for() -> None:
    provider = Provider(jwk(alg="RS256"), jwk(EC, kid="two"))
    keys = provider.keys()
    for kid, algorithm in (("one", "RS512"), ("one", "ES256"), ("two", "RS256"), ("two", "ES384")):
        with pytest.raises(UnknownKey):
            find(keys, kid, algorithm)
    assert find(keys, "two", "ES256")


def test_a_token_that_names_no_key_gets_the_only_one_that_fits() -> None:
    assert find(Provider(jwk(), jwk(EC, kid="two")).keys(), None)
    with pytest.raises(UnknownKey):
        find(Provider(jwk(), jwk(kid="two")).keys(), None)


def test_a_published_private_part_is_not_kept() -> None:
    private = {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(RSA)), "key_ops": ["verify"]}
    assert not hasattr(find(Provider({**private, "kid": "one"}).keys()), "private_numbers")


def test_the_issuer_names_its_keys_itself() -> None:
    provider = Provider(jwk())
    provider.answers[DISCOVERY] = httpx2.Response(200, json={"issuer": ISSUER, "jwks_uri": CERTS})
    assert find(provider.keys(None))
    assert provider.asked == [DISCOVERY, CERTS]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"issuer": ISSUER + "/", "jwks_uri": CERTS}, "another issuer"),
        ({"issuer": ISSUER}, "no https address"),
        ({"issuer": ISSUER, "jwks_uri": "http://id.example.com/certs"}, "no https address"),
        ({"issuer": ISSUER, "jwks_uri": "file:///etc/passwd"}, "no https address"),
        ({"issuer": ISSUER, "jwks_uri": ["x"]}, "no https address"),
    ],
)
def test_a_discovery_document_is_not_believed_blindly(document: Any, said: str) -> None:
    provider = Provider(jwk())
    provider.answers[DISCOVERY] = httpx2.Response(200, json=document)
    with pytest.raises(KeysUnavailable, match=said):
        find(provider.keys(None))
    assert provider.asked == [DISCOVERY]


def test_plain_http_is_for_this_machine_only() -> None:
    assert secure_url("https://id.example.com/keys")
    assert secure_url("http://127.0.0.1:8180/realms/company")
    assert secure_url("http://[::1]:8180/x")
    for url in (
        "http://id.example.com",
        "https://",
        "//x",
        "ftp://x/",
        "http://localhost.evil/",
        "http://127.0.0.1@evil.example/",
        "http://[::1",
        "",
    ):
        assert not secure_url(url), url

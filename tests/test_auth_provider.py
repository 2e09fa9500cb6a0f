"""Tokens of a small identity provider that really listens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
import pytest
from pytest_iam import Server, iam_configuration, iam_server, iam_server_port

from wellread.auth import AuthConfig, InvalidToken, TokenChecker
from wellread.types import Caller

__all__ = ["iam_configuration", "iam_server", "iam_server_port"]  # fixtures

BACK = "http://localhost/callback"


@pytest.fixture(scope="module")
def issuer(iam_server: Server) -> str:
    answer = httpx2.get(iam_server.url + ".well-known/openid-configuration")
    found: str = answer.raise_for_status().json()["issuer"]
    return found


@pytest.fixture(scope="module")
def tokens(iam_server: Server, issuer: str) -> Iterator[dict[str, Any]]:
    """What a client gets by authorization code for Ann, who is in sales."""
    backend, models = iam_server.backend, iam_server.models
    with iam_server.app.app_context():
        user = iam_server.random_user(user_name="ann", password="ann")
        group = iam_server.random_group(display_name="sales", members=[user])
        client = models.Client(
            client_id="wellread-cli",
            client_secret="secret",
            client_name="wellread",
            client_uri="http://localhost",
            redirect_uris=[BACK],
            grant_types=["authorization_code"],
            response_types=["code"],
            token_endpoint_auth_method="client_secret_basic",
            scope=["openid", "profile", "groups"],
        )
        backend.save(client)
        client.audience = [client]
        backend.save(client)
        iam_server.login(user)
        iam_server.consent(user, client)
        back = iam_server.test_client.get(
            "/oauth/authorize",
            query_string={
                "client_id": "wellread-cli",
                "response_type": "code",
                "redirect_uri": BACK,
                "scope": "openid profile groups",
                "nonce": "once",
                "state": "here",
            },
        ).headers["location"]
        iam_server.logout()
    answer = httpx2.post(
        f"{issuer}/oauth/token",
        auth=("wellread-cli", "secret"),
        data={
            "grant_type": "authorization_code",
            "code": parse_qs(urlsplit(back).query)["code"][0],
            "redirect_uri": BACK,
        },
    )
    yield answer.raise_for_status().json()
    with iam_server.app.app_context():
        for each in (client, group, user):
            backend.delete(each)


def check(token: str, config: AuthConfig) -> Caller:
    return asyncio.run(TokenChecker(config).check(token)).caller


def configured(issuer: str, **other: Any) -> AuthConfig:
    return AuthConfig(
        **{"issuer": issuer, "audience": "wellread-cli", "algorithms": ("RS512",), **other}
    )


def test_an_access_token_is_checked_with_the_keys_that_its_issuer_publishes(
    issuer: str, tokens: dict[str, Any]
) -> None:
    found = check(tokens["access_token"], configured(issuer))
    assert found == Caller(subject="ann", groups=frozenset({"sales"}))


def test_an_id_token_is_no_access_token(issuer: str, tokens: dict[str, Any]) -> None:
    with pytest.raises(InvalidToken, match="not an access token"):
        check(tokens["id_token"], configured(issuer))


def test_the_providers_algorithm_must_be_pinned(issuer: str, tokens: dict[str, Any]) -> None:
    with pytest.raises(InvalidToken, match="algorithm"):
        check(tokens["access_token"], AuthConfig(issuer=issuer, audience="wellread-cli"))


def test_a_token_for_the_client_is_none_for_the_server(issuer: str, tokens: dict[str, Any]) -> None:
    with pytest.raises(InvalidToken, match="another audience"):
        check(tokens["access_token"], configured(issuer, audience="https://wellread.example"))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({}, None),
        ({"groups": ["/hr"]}, None),
        ({"aud": "elsewhere"}, "another audience"),
        ({"exp": 1}, "expired"),
        ({"groups": "hr"}, "not a list"),
        ({"_claim_names": {"groups": "src1"}}, "too many"),
    ],
)
def test_access_tokens_signed_by_the_provider(
    iam_configuration: dict[str, Any],
    iam_server: Server,
    issuer: str,
    other: dict[str, Any],
    said: str | None,
) -> None:
    key = iam_configuration["CANAILLE_OIDC"]["ACTIVE_JWKS"][0]
    claims = {"iss": issuer, "aud": "mcp", "sub": "ann", "exp": int(time.time()) + 60, **other}
    token = jwt.encode(
        claims, jwt.PyJWK(key).key, "RS256", headers={"kid": key["kid"], "typ": "at+jwt"}
    )
    config = AuthConfig(issuer=issuer, audience="mcp")
    if said is None:
        assert check(token, config).subject == "ann"
    else:
        with pytest.raises(InvalidToken, match=said):
            check(token, config)


def test_keys_of_another_address_do_not_fit(issuer: str, tokens: dict[str, Any]) -> None:
    wrong = configured(issuer, jwks_url=issuer + "/oauth/nothing")
    with pytest.raises(InvalidToken, match="cannot be checked now") as refused:
        check(tokens["access_token"], wrong)
    assert refused.value.status == 503

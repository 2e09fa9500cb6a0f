"""Real access tokens of a real provider, up to two people who see different documents over HTTP.
Run by ``tests/keycloak/run.sh``, which starts the provider."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import html
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from tests.shelf import TODAY, library, page
from tests.web import ERAS, Web, ask, client, serve
from wellread.auth import AuthConfig, CheckedToken, InvalidToken, TokenChecker
from wellread.server import Serving, mcp_server

REALM = os.environ.get("WELLREAD_TEST_KEYCLOAK", "")
pytestmark = pytest.mark.skipif(
    not REALM, reason="no Keycloak: tests/keycloak/run.sh starts one (it needs Java and Maven)"
)
CONFIG = AuthConfig(
    issuer=REALM or "https://id.example.com",
    audience="https://wellread.example/mcp",
    subject_claim="preferred_username",
)
CLIENT = "wellread-cli"
BACK = "http://127.0.0.1/callback"


def a_browser(*, follow_redirects: bool = False) -> httpx2.Client:
    """A browser, which takes 127.0.0.1 for as safe as https where cookies are concerned."""

    def trust(_response: httpx2.Response) -> None:
        for cookie in browser.cookies.jar:
            cookie.secure = False

    browser = httpx2.Client(follow_redirects=follow_redirects, event_hooks={"response": [trust]})
    return browser


def sign_in(browser: httpx2.Client, page: httpx2.Response, user: str) -> httpx2.Response:
    """Fill in the form of Keycloak's sign-in page; each user's password is the name."""
    form = re.search(r'<form id="kc-form-login"[^>]*action="([^"]+)"', page.text)
    assert form, page.text[:500]
    return browser.post(html.unescape(form[1]), data={"username": user, "password": user})


def by_authorization_code(user: str) -> dict[str, Any]:
    """The tokens that a client gets by authorization code with PKCE (RFC 7636)."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    with a_browser() as browser:
        page = browser.get(
            f"{REALM}/protocol/openid-connect/auth",
            params={
                "client_id": CLIENT,
                "response_type": "code",
                "redirect_uri": BACK,
                "scope": "openid",
                "state": "here",
                "code_challenge": challenge.rstrip(b"=").decode(),
                "code_challenge_method": "S256",
            },
        )
        back = sign_in(browser, page, user).headers["location"]
        assert back.startswith(BACK)
        answer = browser.post(
            f"{REALM}/protocol/openid-connect/token",
            data={
                "grant_type": "authorization_code",
                "client_id": CLIENT,
                "redirect_uri": BACK,
                "code": parse_qs(urlsplit(back).query)["code"][0],
                "code_verifier": verifier,
            },
        )
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def by_device(user: str) -> dict[str, Any]:
    """The tokens that a program without a browser gets by the device flow (RFC 8628)."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    with httpx2.Client() as program, a_browser(follow_redirects=True) as browser:
        asked = program.post(
            f"{REALM}/protocol/openid-connect/auth/device",
            data={
                "client_id": CLIENT,
                "scope": "openid",
                "code_challenge": challenge.rstrip(b"=").decode(),
                "code_challenge_method": "S256",
            },
        )
        device = asked.raise_for_status().json()
        page = browser.get(device["verification_uri_complete"])
        page = sign_in(browser, page, user)
        grant = re.search(r'action="([^"]+)"', page.text)
        if grant and "consent" in grant[1]:
            code = re.search(r'name="code" value="([^"]+)"', page.text)
            assert code
            where = str(page.url.join(html.unescape(grant[1])))
            browser.post(where, data={"code": code[1], "accept": "Yes"})
        answer = program.post(
            f"{REALM}/protocol/openid-connect/token",
            data={
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                "client_id": CLIENT,
                "device_code": device["device_code"],
                "code_verifier": verifier,
            },
        )
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def check(token: str, config: AuthConfig = CONFIG) -> CheckedToken:
    return asyncio.run(TokenChecker(config).check(token))


@pytest.mark.parametrize("flow", [by_authorization_code, by_device])
@pytest.mark.parametrize(("user", "groups"), [("ann", {"sales"}), ("boris", {"hr", "finance"})])
def test_an_access_token_tells_who_it_is_and_their_groups(
    flow: Any, user: str, groups: set[str]
) -> None:
    found = check(flow(user)["access_token"])
    assert found.caller.subject == user
    assert found.caller.groups == groups
    assert found.client == CLIENT
    assert not found.caller.owner


def test_two_people_are_two_subjects_by_default() -> None:
    by_sub = replace(CONFIG, subject_claim="sub")
    ann, boris = (
        check(by_authorization_code(user)["access_token"], by_sub) for user in ("ann", "boris")
    )
    assert ann.caller.subject != boris.caller.subject


def test_tokens_that_are_not_for_servers_are_refused() -> None:
    tokens = by_authorization_code("ann")
    for name in ("id_token", "refresh_token"):
        with pytest.raises(InvalidToken):
            check(tokens[name])
    with pytest.raises(InvalidToken, match="not an access token"):
        check(tokens["id_token"], replace(CONFIG, audience=CLIENT))


def test_a_token_is_good_for_its_own_audience_and_realm_only() -> None:
    token = by_authorization_code("ann")["access_token"]
    with pytest.raises(InvalidToken, match="another audience"):
        check(token, replace(CONFIG, audience="https://other.example/mcp"))
    master = REALM.replace("/realms/company", "/realms/master")
    with pytest.raises(InvalidToken):
        check(token, replace(CONFIG, issuer=master))


def test_groups_are_mapped() -> None:
    token = by_authorization_code("boris")["access_token"]
    mapped = replace(CONFIG, groups={"hr": ("people",), "/finance": ("ledger",)})
    assert check(token, mapped).caller.groups == {"people", "ledger"}


def test_nested_groups_count_as_their_parents_where_said() -> None:
    token = by_authorization_code("boris")["access_token"]
    paths = replace(CONFIG, groups_claim="paths.groups")
    assert check(token, paths).caller.groups == {"hr", "management/finance"}
    with_parents = replace(paths, parents=True)
    assert check(token, with_parents).caller.groups == {"hr", "management/finance", "management"}


# --- the whole flow: sign in, connect, read ------------------------------------------------


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    files = {
        "handbook.md": page("# Handbook\n\nPlans for everyone."),
        "sales.md": page("# Price plans\n\nRebate QUILL-77.", access="[sales]"),
        "hr.md": page("# Pay plans\n\nBand BRAMBLE-77.", access="[hr]"),
        "finance.md": page("# Budget plans\n\nBudget OTTER-77.", access="[finance]"),
    }
    folder = tmp_path_factory.mktemp("keycloak")
    settings = (
        f'[auth]\nissuer = "{REALM}"\naudience = "https://wellread.example/mcp"\n'
        'subject_claim = "preferred_username"\n'
    )
    with library(folder, files, settings) as shelf:
        server = mcp_server(Serving(library=shelf, caller=None, today=lambda: TODAY))
        with serve(server, auth=shelf.config.auth()) as running:
            yield running


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("flow", [by_authorization_code, by_device])
def test_two_people_who_sign_in_see_different_documents(web: Web, flow: Any, mode: str) -> None:
    async def seen(user: str) -> set[str]:
        token = await asyncio.to_thread(flow, user)
        async with client(web, token["access_token"], mode) as connected:
            text = await ask(connected, "search", query="plans", limit=20)
            text += await ask(connected, "find_exact", text="-77")
            for name in ("sales", "hr", "finance"):
                text += await ask(connected, "read", handle=f"{name}.md")
            return set(re.findall(r"QUILL-77|BRAMBLE-77|OTTER-77|handbook", text))

    async def play() -> None:
        assert await seen("ann") == {"handbook", "QUILL-77"}
        assert await seen("boris") == {"handbook", "BRAMBLE-77", "OTTER-77"}

    asyncio.run(play())


def test_a_client_finds_the_provider_from_the_refusal(web: Web) -> None:
    refused = web.post()
    assert refused.status_code == 401
    named = re.search(r'resource_metadata="([^"]+)"', refused.headers["www-authenticate"])
    assert named
    metadata = httpx2.get(web.base + urlsplit(named[1]).path).json()
    (issuer,) = metadata["authorization_servers"]
    found = httpx2.get(f"{issuer}/.well-known/openid-configuration").json()
    assert found["issuer"] == issuer
    assert found["device_authorization_endpoint"].startswith(REALM)


def test_other_tokens_of_a_person_open_nothing(web: Web) -> None:
    tokens = by_authorization_code("ann")
    assert web.post(tokens["access_token"]).status_code == 200
    for name in ("id_token", "refresh_token"):
        assert web.post(tokens[name]).status_code == 401

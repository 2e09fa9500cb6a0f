"""Who is let through to the server over HTTP, and what the others are told."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.server.lowlevel.server import Server

from tests.test_auth import AUDIENCE, CONFIG, HOSTILE, ISSUER, KEYS, claims, raw, signed
from tests.web import ACCEPT, Web, serve
from wellread.auth import AuthConfig, TokenChecker
from wellread.config import HttpConfig
from wellread.errors import ConfigError, StoreUnavailable, UsageError
from wellread.jwks import KeysUnavailable
from wellread.listening import bind, listening
from wellread.types import Caller

METADATA = "https://wellread.example/.well-known/oauth-protected-resource/mcp"


def told_who() -> Server[Any]:
    """A server that answers with who asks, and with every header that it got to see."""

    async def list_tools(context: Any, _: Any) -> Any:
        caller = context.request.state.caller
        seen = {"subject": caller.subject, "groups": sorted(caller.groups), "owner": caller.owner}
        headers = dict(context.request.headers)
        tool = types.Tool(
            name="who",
            description=json.dumps({"caller": seen, "headers": headers}),
            input_schema={"type": "object"},
        )
        return types.ListToolsResult(tools=[tool])

    return Server("told-who", on_list_tools=list_tools)


def seen(answer: httpx2.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    text = answer.text
    if answer.headers["content-type"].startswith("text/event-stream"):
        text = next(line[5:] for line in text.splitlines() if line.startswith("data:"))
    found: dict[str, Any] = json.loads(json.loads(text)["result"]["tools"][0]["description"])
    return found


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    http = HttpConfig(
        allowed_hosts=("wellread.example",),
        allowed_origins=("https://tools.example",),
        requests_per_minute=0,
    )
    with serve(told_who(), auth=CONFIG, http=http, checker=TokenChecker(CONFIG, KEYS)) as running:
        yield running


# --- tokens ----------------------------------------------------------------------------------


def test_a_good_token_brings_its_caller(web: Web) -> None:
    assert seen(web.post(signed()))["caller"] == {
        "subject": "ann",
        "groups": ["sales"],
        "owner": False,
    }


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_token_is_refused_over_http(web: Web, name: str) -> None:
    make, reason = HOSTILE[name]
    answer = web.post(make())
    assert answer.status_code in (401, 403)
    assert reason in answer.json()["error"]
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith('Bearer error="invalid_token", error_description="')
    assert challenge.endswith(f'resource_metadata="{METADATA}"')
    assert "ann" not in answer.text


@pytest.mark.parametrize("written", [None, "", "Basic YW5uOmFubg==", "Token abc", "bearer"])
def test_without_a_token_a_client_is_told_where_to_get_one(web: Web, written: str | None) -> None:
    headers = {"authorization": written} if written is not None else {}
    answer = web.post(headers=headers)
    assert answer.status_code == 401
    assert f'resource_metadata="{METADATA}"' in answer.headers["www-authenticate"]


def test_without_a_token_no_error_is_named(web: Web) -> None:
    assert web.post().headers["www-authenticate"] == f'Bearer resource_metadata="{METADATA}"'


def test_a_token_counts_in_its_header_alone(web: Web) -> None:
    token = signed()
    for other in (
        {"params": {"access_token": token}},
        {"headers": {"cookie": f"access_token={token}"}},
        {"headers": {"x-forwarded-authorization": f"Bearer {token}"}},
        {"headers": {"mcp-authorization": f"Bearer {token}"}},
    ):
        assert web.post(**other).status_code == 401, other


def test_two_tokens_are_none(web: Web) -> None:
    headers = [*ACCEPT.items(), *[("authorization", f"Bearer {signed()}")] * 2]
    answer = httpx2.post(web.url, json={}, headers=headers)
    assert answer.status_code == 401
    assert "more than one" in answer.text


def test_headers_that_a_proxy_sets_say_nothing(web: Web) -> None:
    forged = {
        "x-forwarded-user": "boris",
        "x-remote-user": "boris",
        "x-forwarded-host": "evil.example",
        "x-forwarded-for": "10.0.0.1",
        "forwarded": "host=evil.example",
    }
    assert seen(web.post(signed(), headers=forged))["caller"]["subject"] == "ann"


def test_a_token_goes_no_further_than_the_check(web: Web) -> None:
    headers = seen(web.post(signed()))["headers"]
    assert "content-type" in headers
    assert "authorization" not in headers


@pytest.mark.parametrize(
    "path", ["/mcp/", "/mcp%0A", "//mcp", "/%6dcp", "/mcp;x", "/MCP", "/", "/x"]
)
def test_no_spelling_of_the_path_goes_around_the_token(web: Web, path: str) -> None:
    assert httpx2.post(web.base + path, json={}, headers=ACCEPT).status_code == 401


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"])
def test_only_posts_are_answered_and_others_need_a_token_too(web: Web, method: str) -> None:
    assert httpx2.request(method, web.url).status_code == 401
    headers = {"authorization": f"Bearer {signed()}"}
    answer = httpx2.request(method, web.url, headers=headers)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_nothing_is_logged_of_a_token(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    tokens = [signed(), signed(exp=1), raw({"alg": "none"}, claims()), "opaque-secret-token"]
    with caplog.at_level(logging.DEBUG):
        for token in tokens:
            web.post(token)
    logged = caplog.text + "".join(str(record.args) for record in caplog.records)
    assert "mcp.server" in logged  # what the server does is there
    for token in tokens:
        assert [part for part in token.split(".") if part in logged and len(part) > 3] == []


class Away:
    async def find(self, kid: str | None, algorithm: str) -> Any:
        raise KeysUnavailable("connection refused by 10.0.0.7")


def test_where_keys_are_unavailable_the_service_is() -> None:
    with serve(told_who(), auth=CONFIG, checker=TokenChecker(CONFIG, Away())) as running:  # type: ignore[arg-type]
        answer = running.post(signed())
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "30"
    assert "www-authenticate" not in answer.headers
    assert "10.0.0.7" not in answer.text


def test_a_missing_scope_is_asked_for() -> None:
    auth = AuthConfig(issuer=ISSUER, audience=AUDIENCE, scope="wellread:read")
    with serve(told_who(), auth=auth, checker=TokenChecker(auth, KEYS)) as running:
        without, wrong = running.post(), running.post(signed(scope="openid"))
        right = running.post(signed(scope="openid wellread:read"))
        metadata = httpx2.get(running.base + "/.well-known/oauth-protected-resource/mcp")
    assert without.headers["www-authenticate"].startswith('Bearer scope="wellread:read", ')
    assert wrong.status_code == 403
    assert 'error="insufficient_scope"' in wrong.headers["www-authenticate"]
    assert 'scope="wellread:read"' in wrong.headers["www-authenticate"]
    assert right.status_code == 200
    assert metadata.json()["scopes_supported"] == ["wellread:read"]


def test_the_metadata_names_the_resource_and_its_issuer_as_configured(web: Web) -> None:
    for path in ("", "/mcp"):
        answer = httpx2.get(f"{web.base}/.well-known/oauth-protected-resource{path}")
        assert answer.json() == {
            "resource": AUDIENCE,
            "authorization_servers": [ISSUER],
            "bearer_methods_supported": ["header"],
            "resource_name": "wellread",
        }


# --- without tokens --------------------------------------------------------------------------


def test_without_auth_everybody_is_everyone_whatever_they_send() -> None:
    with serve(told_who()) as running:
        for token in (None, signed(), "x"):
            caller = seen(running.post(token))["caller"]
            assert caller == {"subject": None, "groups": [], "owner": False}
        metadata = httpx2.get(running.base + "/.well-known/oauth-protected-resource")
    assert metadata.status_code == 405


# --- hosts, origins, sizes, rates ------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("wellread.example", 200),
        ("WellRead.Example", 200),
        ("localhost:1234", 200),
        ("evil.example", 421),
        ("wellread.example:8000", 421),
        ("wellread.example.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("127.0.0.1:*", 421),
        ("127.0.0.1:80@evil.example", 421),
        ("", 421),
    ],
)
def test_requests_for_another_host_are_refused(web: Web, host: str, status: int) -> None:
    assert web.post(signed(), headers={"host": host}).status_code == status


def test_no_path_but_health_is_served_under_another_name(web: Web) -> None:
    evil = {"host": "evil.example"}
    for path in ("/mcp", "/.well-known/oauth-protected-resource", "/", "/healthz/"):
        assert httpx2.get(web.base + path, headers=evil).status_code == 421
    assert httpx2.get(web.base + "/healthz", headers=evil).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://tools.example",
        "https://tools.example:8443",
        "file://",
    ],
)
def test_scripts_of_other_pages_are_refused(web: Web, origin: str) -> None:
    answer = web.post(signed(), headers={"origin": origin})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_a_page_of_the_server_itself_is_no_other_page(web: Web) -> None:
    assert web.post(signed(), headers={"origin": web.base}).status_code == 200
    rebound = {"origin": "http://evil.example", "host": "evil.example"}
    assert web.post(signed(), headers=rebound).status_code == 421


def test_scripts_of_an_allowed_page_can_ask(web: Web) -> None:
    origin = {"origin": "https://tools.example"}
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "x"}
    before = httpx2.options(web.url, headers={**origin, **asked})
    assert before.status_code == 200
    answer = web.post(signed(), headers=origin)
    assert answer.headers["access-control-allow-origin"] == "https://tools.example"
    refused = web.post(headers=origin)
    assert refused.status_code == 401
    assert "WWW-Authenticate" in refused.headers["access-control-expose-headers"]


def test_large_requests_are_refused_declared_or_not(web: Web) -> None:
    large = b" " * (64 * 1024 + 1)
    plain = {"content-type": "application/json"}
    for content in (large, iter([large[:1000]] * 70)):
        answer = web.post(signed(), json=None, content=content, headers=plain)
        assert answer.status_code == 413


def test_a_body_that_does_not_come_is_not_waited_for(
    web: Web, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("wellread.http_app.BODY_SECONDS", 0.05)
    host, _, port = web.base.removeprefix("http://").partition(":")
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {signed()}\r\n"
        "Accept: application/json, text/event-stream\r\n"
        "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
    )
    with socket.create_connection((host, int(port)), timeout=10) as slow:
        slow.sendall(head.encode())
        answer = slow.recv(4096)
    assert b" 40" in answer.split(b"\r\n")[0], answer
    assert [one for one in caplog.records if one.levelno > logging.INFO] == []
    assert web.post(signed()).status_code == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 60_000])
def test_what_is_no_request_is_a_mistake_of_the_client(web: Web, body: bytes) -> None:
    plain = {"content-type": "application/json"}
    answer = web.post(signed(), json=None, content=body, headers=plain)
    assert answer.status_code == 400


def test_each_subject_has_an_allowance_of_its_own() -> None:
    http = HttpConfig(requests_per_minute=3)
    with serve(told_who(), auth=CONFIG, http=http, checker=TokenChecker(CONFIG, KEYS)) as running:
        statuses = [running.post(signed()).status_code for _ in range(3)]
        refused = running.post(signed(jti="another"))
        other = running.post(signed(sub="boris"))
        unknown = [running.post(signed(exp=1)).status_code for _ in range(5)]
    assert statuses == [200, 200, 200]
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 120
    assert other.status_code == 200
    assert unknown == [401] * 5


def test_health_tells_whether_there_is_an_index_and_nothing_else() -> None:
    for good, status, words in ((True, 200, "ok"), (False, 503, "no index")):
        with serve(told_who(), auth=CONFIG, ready=lambda good=good: good) as running:
            answer = httpx2.get(running.base + "/healthz")
        assert (answer.status_code, answer.json()) == (status, {"status": words})


# --- what is served where --------------------------------------------------------------------


def place(address: str, **other: Any) -> Any:
    return listening(address, **{"http": HttpConfig(), "auth": CONFIG, **other})


@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        ("127.0.0.1:8000", {"127.0.0.1:8000", "localhost:8000"}),
        ("localhost:8000", {"localhost:8000"}),
        ("[::1]:8000", {"[::1]:8000", "localhost:8000"}),
        ("127.8.0.1:0", {"127.8.0.1:*", "localhost:*"}),
    ],
)
def test_a_loopback_server_answers_to_its_own_address(address: str, hosts: set[str]) -> None:
    assert set(place(address).http.allowed_hosts) == hosts


@pytest.mark.parametrize(
    "address", ["0.0.0.0:8000", "[::]:8000", "10.0.0.7:8000", "wellread.example:443"]
)
def test_a_server_that_others_can_reach_needs_names_and_tokens(address: str) -> None:
    with pytest.raises(UsageError, match="--allow-host"):
        place(address)
    with pytest.raises(UsageError, match="from other machines"):
        place(address, auth=None, no_auth=True, allowed_hosts=["wellread.example"])
    found = place(address, allowed_hosts=["Wellread.example"])
    assert found.http.allowed_hosts == ("wellread.example",)
    named = HttpConfig(url="https://wellread.example/mcp")
    assert place(address, http=named).http.allowed_hosts == ("wellread.example",)


def test_without_auth_it_must_be_said() -> None:
    with pytest.raises(UsageError, match=r"\[auth\].*--no-auth"):
        place("127.0.0.1:8000", auth=None)
    with pytest.raises(UsageError, match="contradicts"):
        place("127.0.0.1:8000", no_auth=True)
    assert place("127.0.0.1:8000", auth=None, no_auth=True).auth is None


@pytest.mark.parametrize(
    "address", ["", "8000", ":8000", "::1:8000", "[::1]", "a:b", "a:70000", "a:-1"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="write host and port"):
        place(address)


@pytest.mark.parametrize("host", ["", "*", "https://wellread.example"])
def test_what_is_no_host_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match="no host name"):
        place("127.0.0.1:8000", allowed_hosts=[host])


def test_where_the_audience_is_no_address_one_is_needed() -> None:
    auth = AuthConfig(issuer=ISSUER, audience="api://wellread")
    with pytest.raises(ConfigError, match=r"\[server\] url is needed"):
        place("127.0.0.1:8000", auth=auth)
    for wrong in ("http://wellread.example/mcp", "wellread.example", "https://x/mcp?a=b"):
        with pytest.raises(ConfigError, match="not an https address"):
            place("127.0.0.1:8000", auth=auth, http=HttpConfig(url=wrong))
    found = place("127.0.0.1:8000", auth=auth, http=HttpConfig(url="https://w.example/a/mcp"))
    assert found.url == "https://w.example/a/mcp"


def test_an_address_that_is_taken_is_said() -> None:
    with bind("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(StoreUnavailable, match=f"port {port}.*another address"):
            bind("127.0.0.1", port)


def test_the_caller_of_http_is_never_the_owner() -> None:
    assert not Caller(subject=None).owner


def test_who_still_sends_when_the_server_stops_leaves_no_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("wellread.http_app.GRACE_SECONDS", 1)
    with serve(told_who()) as running:
        host, _, port = running.base.removeprefix("http://").partition(":")
        slow = socket.create_connection((host, int(port)), timeout=10)
        head = f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 9\r\n\r\n{{"
        slow.sendall(head.encode())
        assert running.post().status_code == 200
    slow.close()
    assert "Cancel 1 running task" in caplog.text
    assert "Traceback" not in caplog.text

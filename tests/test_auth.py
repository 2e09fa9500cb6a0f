"""Whose token is accepted, and who its bearer is."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from hypothesis import given, settings
from hypothesis import strategies as st

from wellread.access import caller_principals
from wellread.auth import (
    MOST_TOKEN_CHARACTERS,
    AuthConfig,
    CheckedToken,
    InvalidToken,
    TokenChecker,
    challenge,
)
from wellread.errors import ConfigError
from wellread.jwks import KeysUnavailable, UnknownKey
from wellread.types import Caller

ISSUER = "https://id.example.com/realms/company"
AUDIENCE = "https://wellread.example/mcp"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
P384 = ec.generate_private_key(ec.SECP384R1())
ED = ed25519.Ed25519PrivateKey.generate()
PUBLIC_PEM = RSA.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
)
CONFIG = AuthConfig(issuer=ISSUER, audience=AUDIENCE)


class Keys:
    """A key set that needs no network."""

    def __init__(self, keys: dict[tuple[str | None, str], Any]) -> None:
        self.keys = keys

    async def find(self, kid: str | None, algorithm: str) -> Any:
        if (kid, algorithm) not in self.keys:
            raise UnknownKey("no such key")
        return self.keys[kid, algorithm]


KEYS = Keys(
    {
        ("one", "RS256"): RSA.public_key(),
        (None, "RS256"): RSA.public_key(),
        ("two", "ES256"): EC.public_key(),
        ("three", "EdDSA"): ED.public_key(),
    }
)


def claims(**other: Any) -> dict[str, Any]:
    now = int(time.time())
    found = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "ann",
        "groups": ["sales"],
        "iat": now,
        "exp": now + 300,
        **other,
    }
    return {name: value for name, value in found.items() if value is not ...}


def signed(
    key: Any = RSA,
    algorithm: str = "RS256",
    headers: dict[str, Any] | None = None,
    **other: Any,
) -> str:
    return jwt.encode(claims(**other), key, algorithm, headers={"kid": "one", **(headers or {})})


def part(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def raw(header: object, payload: object, sign: Callable[[bytes], bytes] | None = None) -> str:
    """A token of whatever text, signed with the provider's own key unless said otherwise."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    def by_provider(content: bytes) -> bytes:
        return RSA.sign(content, padding.PKCS1v15(), hashes.SHA256())

    content = f"{part(header)}.{part(payload)}"
    signature = (sign or by_provider)(content.encode())
    return f"{content}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def hmac_with_public_key(content: bytes) -> bytes:
    return hmac.new(PUBLIC_PEM, content, hashlib.sha256).digest()


def embedded_key() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(OTHER.public_key()))
    return found


def check(token: str, config: AuthConfig = CONFIG, keys: Any = KEYS) -> CheckedToken:
    return asyncio.run(TokenChecker(config, keys).check(token))


def caller(config: AuthConfig = CONFIG, **other: Any) -> Caller:
    return check(signed(**other), config).caller


RS = {"alg": "RS256", "kid": "one"}
NOW = int(time.time())

HOSTILE: dict[str, tuple[Callable[[], str], str]] = {
    "nothing": (lambda: "", "not a signed JWT"),
    "an opaque token": (lambda: "f3b1c0de-opaque", "not a signed JWT"),
    "two parts": (lambda: ".".join(signed().split(".")[:2]), "not a signed JWT"),
    "no signature": (lambda: signed().rpartition(".")[0] + ".", "not a signed JWT"),
    "an encrypted JWT": (lambda: signed() + ".a.b", "not a signed JWT"),
    "no JSON": (lambda: raw("no json", claims()), "not a readable JWT"),
    "a list for a header": (lambda: raw([1], claims()), "not a readable JWT"),
    "a list for claims": (lambda: raw(RS, [1, 2]), "not a readable JWT"),
    "no base64": (lambda: "!!!." + signed().partition(".")[2], "not a readable JWT"),
    "unicode for a token": (lambda: signed() + "ё", "not a signed JWT"),
    "a huge token": (lambda: signed(junk="x" * 20_000), "characters"),
    "deep nesting": (lambda: raw(RS, '{"a":' + "[" * 5000 + "]" * 5000 + "}"), "readable"),
    "a huge number": (lambda: raw(RS, '{"exp":' + "9" * 5000 + "}"), "readable"),
    "NaN for exp": (lambda: raw(RS, '{"exp": NaN}'), "readable"),
    "a wrong audience": (lambda: signed(aud="https://other.example/mcp"), "another audience"),
    "an audience with a slash": (lambda: signed(aud=AUDIENCE + "/"), "another audience"),
    "an audience in capitals": (lambda: signed(aud=AUDIENCE.upper()), "another audience"),
    "a longer audience": (lambda: signed(aud=[AUDIENCE + ".evil.example"]), "another audience"),
    "no audience": (lambda: signed(aud=...), "lacks the claim aud"),
    "an empty audience": (lambda: signed(aud=[]), "lacks the claim aud"),
    "an object for audience": (lambda: signed(aud={AUDIENCE: 1}), "another audience"),
    "numbers among audiences": (lambda: signed(aud=[AUDIENCE, 1]), "another audience"),
    "a wrong issuer": (lambda: signed(iss="https://evil.example"), "another issuer"),
    "an issuer with a slash": (lambda: signed(iss=ISSUER + "/"), "another issuer"),
    "no issuer": (lambda: signed(iss=...), "lacks the claim iss"),
    "a list for issuer": (lambda: raw(RS, claims(iss=[ISSUER])), "issuer"),
    "another's key": (lambda: signed(OTHER), "signature"),
    "another's key, sent along": (
        lambda: signed(OTHER, headers={"jwk": embedded_key()}),
        "signature",
    ),
    "another's key by jku": (
        lambda: signed(OTHER, headers={"jku": "https://evil.example/keys"}),
        "signature",
    ),
    "another's key by x5u": (
        lambda: signed(OTHER, headers={"x5u": "https://evil.example/cert"}),
        "signature",
    ),
    "claims changed after signing": (
        lambda: ".".join(
            [signed().split(".")[0], part(claims(groups=["hr"])), signed().split(".")[2]]
        ),
        "signature",
    ),
    "alg none": (
        lambda: f"{part({'alg': 'none'})}.{part(claims())}.",
        "not a signed JWT",
    ),
    "alg none with a signature": (lambda: raw({"alg": "none"}, claims()), "algorithm"),
    "alg NoNe": (lambda: raw({"alg": "NoNe", "kid": "one"}, claims()), "algorithm"),
    "HS256 with the public key": (
        lambda: raw({"alg": "HS256", "kid": "one"}, claims(), hmac_with_public_key),
        "algorithm",
    ),
    "RS512, which is not pinned": (lambda: signed(algorithm="RS512"), "algorithm"),
    "no alg": (lambda: raw({"kid": "one"}, claims()), "algorithm"),
    "a list for alg": (lambda: raw({"alg": ["RS256"], "kid": "one"}, claims()), "algorithm"),
    "ES256 by the key of RS256": (lambda: signed(EC, "ES256"), "unknown key"),
    "an unknown kid": (lambda: signed(headers={"kid": "elsewhere"}), "unknown key"),
    "a path for kid": (lambda: signed(headers={"kid": "../../dev/null"}), "unknown key"),
    "a number for kid": (lambda: raw({"alg": "RS256", "kid": 1}, claims()), "key"),
    "a critical extension": (
        lambda: raw({**RS, "crit": ["exp"], "exp": 1}, claims()),
        "extension",
    ),
    "an unencoded payload": (lambda: raw({**RS, "b64": False}, claims()), "not acceptable"),
    "a logout token": (lambda: signed(headers={"typ": "logout+jwt"}), "not an access token"),
    "Keycloak's ID token": (lambda: signed(typ="ID"), "not an access token"),
    "an ID token": (lambda: signed(at_hash="x", nonce="once"), "not an access token"),
    "Keycloak's refresh token": (lambda: signed(typ="Refresh"), "not an access token"),
    "a token bound to a key": (lambda: signed(cnf={"jkt": "abc"}), "bound to a key"),
    "an expired token": (lambda: signed(exp=NOW - 120), "expired"),
    "a token of 1970": (lambda: signed(exp=0), "expired"),
    "no exp": (lambda: signed(exp=...), "lacks the claim exp"),
    "null for exp": (lambda: signed(exp=None), "lacks the claim exp"),
    "a float for exp": (lambda: signed(exp=NOW + 300.5), "whole number"),
    "a string for exp": (lambda: signed(exp=str(NOW + 300)), "whole number"),
    "true for exp": (lambda: signed(exp=True), "expired"),
    "infinity for exp": (
        lambda: raw(
            RS, json.dumps(claims(exp=1)).replace(": 1,", ": 1e999,").replace(": 1}", ": 1e999}")
        ),
        "not acceptable",
    ),
    "a list for exp": (lambda: signed(exp=[NOW + 300]), "not acceptable"),
    "not valid yet": (lambda: signed(nbf=NOW + 600), "not valid yet"),
    "issued in the future": (lambda: signed(iat=NOW + 600), "not valid yet"),
    "a string for nbf": (lambda: signed(nbf=str(NOW)), "whole number"),
    "words for nbf": (lambda: signed(nbf="yesterday"), "not acceptable"),
    "no subject": (lambda: signed(sub=...), "lacks the claim sub"),
    "an empty subject": (lambda: signed(sub=""), "usable name"),
    "a blank subject": (lambda: signed(sub="  "), "usable name"),
    "a number for subject": (lambda: raw(RS, claims(sub=7)), "not acceptable"),
    "a subject with a line end": (lambda: signed(sub="ann\nboris"), "usable name"),
    "a subject with a hidden character": (lambda: signed(sub="ann\u200b"), "usable name"),
    "a subject turned around": (lambda: signed(sub="\u202enna"), "usable name"),
    "half a character for subject": (lambda: signed(sub="ann\ud800"), "usable name"),
    "a subject of 10,000 letters": (lambda: signed(sub="a" * 10_000), "usable name"),
    "a claim given twice": (
        lambda: raw(RS, json.dumps(claims())[:-1] + ', "groups": ["hr"]}'),
        "twice",
    ),
    "a header given twice": (
        lambda: raw('{"alg": "RS256", "kid": "one", "alg": "RS256"}', claims()),
        "twice",
    ),
    "a list for scope": (lambda: signed(scope=["read"]), "scope"),
    "an object for scp": (lambda: signed(scp={"read": True}), "scope"),
    "a string for groups": (lambda: signed(groups="hr"), "not a list"),
    "an object for groups": (lambda: signed(groups={"hr": True}), "not a list"),
    "objects among groups": (lambda: signed(groups=["sales", {"name": "hr"}]), "not a list"),
    "a number for groups": (lambda: signed(groups=3), "not a list"),
    "too many groups, by claim sources": (
        lambda: signed(
            groups=...,
            _claim_names={"groups": "src1"},
            _claim_sources={"src1": {"endpoint": "https://evil.example/groups"}},
        ),
        "too many",
    ),
    "too many groups, by hasgroups": (lambda: signed(groups=..., hasgroups=True), "too many"),
    "too many groups, with an empty list": (
        lambda: signed(groups=[], _claim_names={"groups": "src1"}),
        "too many",
    ),
    "too many groups, unreadable": (lambda: signed(groups=..., _claim_names="src1"), "too many"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_token_is_refused(name: str) -> None:
    make, reason = HOSTILE[name]
    token = make()
    with pytest.raises(InvalidToken, match=reason) as refused:
        check(token)
    assert refused.value.status in (401, 403)
    assert not token or token not in str(refused.value)
    assert "evil" not in str(refused.value)


@settings(max_examples=100)
@given(
    st.one_of(
        st.text(),
        st.builds(
            raw,
            st.dictionaries(st.sampled_from(["alg", "kid", "typ", "b64"]), st.text() | st.none()),
            st.recursive(
                st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
                lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            ),
        ),
    )
)
def test_whatever_is_sent_it_is_refused_and_nothing_else_happens(token: str) -> None:
    with pytest.raises(InvalidToken):
        check(token)


@settings(max_examples=100)
@given(
    st.sampled_from(["exp", "nbf", "iat", "aud", "iss", "sub", "groups", "scope", "scp", "typ"]),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
)
def test_a_claim_of_any_shape_is_accepted_or_refused(name: str, value: object) -> None:
    try:
        found = check(raw(RS, claims(**{name: value})))
    except InvalidToken:
        return
    assert isinstance(found.caller.subject, str)
    assert all(isinstance(group, str) for group in found.caller.groups)


def test_the_provider_being_away_is_not_the_tokens_fault() -> None:
    class Away:
        async def find(self, kid: str | None, algorithm: str) -> Any:
            raise KeysUnavailable("connection refused by 10.0.0.7")

    with pytest.raises(InvalidToken, match="cannot be checked now") as refused:
        check(signed(), keys=Away())
    assert refused.value.status == 503
    assert "10.0.0.7" not in str(refused.value)


# --- accepted ------------------------------------------------------------------------------


def test_a_good_token_names_its_caller() -> None:
    found = check(signed(azp="wellread-cli", scope="openid profile"))
    assert found.caller == Caller(subject="ann", groups=frozenset({"sales"}))
    assert found.expires_at > time.time()
    assert found.scopes == {"openid", "profile"}
    assert found.client == "wellread-cli"


@pytest.mark.parametrize(
    "token",
    [
        lambda: signed(EC, "ES256", headers={"kid": "two"}),
        lambda: raw({"alg": "RS256"}, claims()),
        lambda: signed(aud=["account", AUDIENCE]),
        lambda: signed(headers={"typ": "at+jwt"}),
        lambda: signed(exp=int(time.time()) - 5),
        lambda: signed(nbf=int(time.time()) + 5),
        lambda: signed(sub="Анна Петрова"),
        lambda: signed(junk="x" * (MOST_TOKEN_CHARACTERS // 2)),
    ],
)
def test_an_unusual_but_right_token_is_accepted(token: Callable[[], str]) -> None:
    assert check(token()).caller.groups == {"sales"}


def test_an_algorithm_is_accepted_only_where_it_is_pinned() -> None:
    token = signed(ED, "EdDSA", headers={"kid": "three"})
    pinned = AuthConfig(issuer=ISSUER, audience=AUDIENCE, algorithms=("EdDSA",))
    assert check(token, pinned).caller.subject == "ann"
    with pytest.raises(InvalidToken, match="algorithm"):
        check(token)
    with pytest.raises(InvalidToken, match="algorithm"):
        check(signed(), pinned)


def test_a_short_key_is_not_trusted() -> None:
    weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    keys = Keys({("one", "RS256"): weak.public_key()})
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        token = signed(weak)
    with pytest.raises(InvalidToken):
        check(token, keys=keys)


def configured(**other: Any) -> AuthConfig:
    return AuthConfig(issuer=ISSUER, audience=AUDIENCE, **other)


def test_the_subject_may_be_another_claim() -> None:
    config = configured(subject_claim="preferred_username")
    assert caller(config, preferred_username="boris").subject == "boris"
    with pytest.raises(InvalidToken, match="lacks the claim preferred_username"):
        caller(config)


def test_an_address_that_nobody_verified_names_nobody() -> None:
    config = configured(subject_claim="email")
    assert caller(config, email="ann@example.com").subject == "ann@example.com"
    assert caller(config, email="ann@example.com", email_verified=True).subject
    for value in (False, "true", 1, None):
        with pytest.raises(InvalidToken, match="not verified"):
            caller(config, email="ann@example.com", email_verified=value)


@pytest.mark.parametrize(
    "groups", [..., None, [], [""], ["  "], ["user:boris"], ["/"], ["x" * 300]]
)
def test_a_token_without_usable_groups_has_no_groups(groups: object) -> None:
    assert caller(groups=groups).groups == frozenset()


def test_a_group_cannot_pose_as_a_user() -> None:
    poses = ["user:boris", "/user:boris", " USER: boris", "/ user:boris/x", "sales"]
    found = caller(configured(parents=True), groups=poses)
    assert caller_principals(found) == {"sales", "everyone", "user:ann"}


@pytest.mark.parametrize(
    ("claim", "sent"),
    [
        ("realm_access.roles", {"realm_access": {"roles": ["hr"]}}),
        ("a.b.c", {"a": {"b": {"c": ["hr"]}}}),
        ("https://example.com/groups", {"https://example.com/groups": ["hr"]}),
        ("resource_access.my.client.roles", {"resource_access": {"my.client": {"roles": ["hr"]}}}),
    ],
)
def test_groups_may_be_in_another_claim(claim: str, sent: dict[str, Any]) -> None:
    assert caller(configured(groups_claim=claim), **sent).groups == {"hr"}
    assert caller(configured(groups_claim=claim)).groups == frozenset()


def test_a_claim_inside_something_else_is_no_claim() -> None:
    config = configured(groups_claim="realm_access.roles")
    for value in ("roles", ["roles"], None, 7):
        assert caller(config, realm_access=value).groups == frozenset()


def test_a_nested_group_counts_as_its_parents_only_where_said() -> None:
    sent = ["/management/finance", "/hr"]
    assert caller(groups=sent).groups == {"management/finance", "hr"}
    with_parents = configured(parents=True)
    assert caller(with_parents, groups=sent).groups == {"management/finance", "management", "hr"}
    assert caller(with_parents, groups=["/a//b/"]).groups == {"a//b", "a"}


def test_mapped_groups_are_the_only_ones_that_count() -> None:
    config = configured(
        groups={
            "0f8e…-guid": ("hr",),
            "/management/finance": ("finance", "management"),
            "Vertrieb": ("sales",),
        }
    )
    sent = ["0F8E…-GUID", "management/finance", "vertrieb", "legal"]
    assert caller(config, groups=sent).groups == {"hr", "finance", "management", "sales"}
    assert caller(config, groups=["hr"]).groups == frozenset()


def test_parents_are_mapped_too() -> None:
    config = configured(groups={"management": ("leads",)}, parents=True)
    assert caller(config, groups=["/management/finance"]).groups == {"leads"}


def test_other_claims_may_point_elsewhere() -> None:
    assert caller(_claim_names={"address": "src1"}, groups=...).groups == frozenset()
    assert caller(configured(groups_claim="roles"), hasgroups=True).groups == frozenset()


def test_a_required_scope_is_asked_for() -> None:
    config = configured(scope="wellread:read")
    for sent in (
        {"scope": "openid wellread:read"},
        {"scp": "wellread:read"},
        {"scp": ["wellread:read", "x"]},
    ):
        assert caller(config, **sent).subject == "ann"
    for sent in ({}, {"scope": "wellread:readall"}, {"scp": []}, {"scope": "Wellread:Read"}):
        with pytest.raises(InvalidToken, match="lacks the scope") as refused:
            caller(config, **sent)
        assert (refused.value.status, refused.value.code) == (403, "insufficient_scope")


# --- configuration and challenge -----------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"issuer": ""}, "issuer is empty"),
        ({"audience": ""}, "audience is empty"),
        ({"issuer": "http://id.example.com"}, "not an https address"),
        ({"jwks_url": "ftp://id.example.com/keys"}, "not an https address"),
        ({"jwks_url": "file:///etc/keys"}, "not an https address"),
        ({"algorithms": ()}, "choose among"),
        ({"algorithms": ("none",)}, "choose among"),
        ({"algorithms": ("RS256", "HS256")}, "shared secrets"),
        ({"leeway": 3600}, "leeway = 3600"),
    ],
)
def test_a_configuration_that_would_not_protect_is_refused(
    wrong: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        AuthConfig(**{"issuer": ISSUER, "audience": AUDIENCE, **wrong})


def test_a_challenge_tells_where_to_get_a_token() -> None:
    metadata = "https://wellread.example/.well-known/oauth-protected-resource/mcp"
    assert challenge(None, metadata_url=metadata, scope="wellread:read") == (
        f'Bearer scope="wellread:read", resource_metadata="{metadata}"'
    )
    refused = InvalidToken('the "x" is wrong')
    assert challenge(refused, metadata_url=metadata, scope=None) == (
        'Bearer error="invalid_token", error_description="the \\"x\\" is wrong", '
        f'resource_metadata="{metadata}"'
    )

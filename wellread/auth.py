"""From a bearer token to a caller: a JWT, checked against its issuer's keys.

Signatures and registered claims are checked by PyJWT, which the MCP SDK brings along. What it
lets pass and a careful reader would not is checked here: claims given twice, times that are no
whole numbers, tokens made for another use, a token bound to a key that nobody asks for.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from wellread.access import USER, fold
from wellread.errors import ConfigError, WellreadError
from wellread.jwks import KEY_OF_ALGORITHM, KeySet, KeysUnavailable, UnknownKey, secure_url
from wellread.types import Caller

MOST_TOKEN_CHARACTERS = 16 * 1024  # a token with 200 groups by id, Entra's limit, has about 12,000
MOST_NAME_CHARACTERS = 256

Status = Literal[401, 403, 503]
ErrorCode = Literal["invalid_token", "insufficient_scope", "temporarily_unavailable"]

# RFC 9068 and what providers write; others (logout+jwt, dpop+jwt …) are no access tokens.
_ACCESS_TOKEN_TYPES = ("", "jwt", "at+jwt", "application/at+jwt")
# Keycloak's claim ``typ`` for the tokens that are not for servers. (``at_hash`` is in the ID tokens
# of OpenID Connect that come with an access token, and in nothing else.)
_OTHER_USES = ("id", "refresh", "offline", "logout", "registrationaccesstoken")


class InvalidToken(WellreadError):
    """A token that is not accepted. The message is the reason, holds nothing out of the token,
    and may be shown to whoever sent it; ``status`` is the HTTP status to answer with."""

    exit_code = 2

    def __init__(
        self, reason: str, *, status: Status = 401, code: ErrorCode = "invalid_token"
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.code = code


@dataclass(frozen=True, kw_only=True, slots=True)
class AuthConfig:
    """``[auth]``: whose tokens are accepted, and what they say about the caller.

    ``issuer`` and ``audience`` are compared character by character. Without ``jwks_url`` the
    issuer's discovery document is asked. ``subject_claim`` and ``groups_claim`` name a claim,
    or one inside another with dots (``realm_access.roles``). ``groups`` maps the provider's
    names, or paths, to groups of the library: where it is not empty, other names count for
    nothing. ``parents`` lets a member of ``/management/finance`` count as one of ``management``
    too. ``leeway`` is in seconds; ``scope`` is required of every token, where given.
    """

    issuer: str
    audience: str
    jwks_url: str | None = None
    algorithms: tuple[str, ...] = ("RS256", "ES256")
    subject_claim: str = "sub"
    groups_claim: str = "groups"
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parents: bool = False
    leeway: int = 30
    scope: str | None = None

    def __post_init__(self) -> None:
        for name in ("issuer", "audience", "subject_claim", "groups_claim"):
            if not getattr(self, name):
                raise ConfigError(f"[auth] {name} is empty: tokens cannot be checked without it")
        for name, url in (("issuer", self.issuer), ("jwks_url", self.jwks_url)):
            if url is not None and not secure_url(url):
                raise ConfigError(
                    f"[auth] {name} = {url!r} is not an https address (http is for this machine "
                    "only)"
                )
        unknown = [name for name in self.algorithms if name not in KEY_OF_ALGORITHM]
        if unknown or not self.algorithms:
            raise ConfigError(
                f"[auth] algorithms = {list(self.algorithms)!r}: choose among "
                f"{', '.join(KEY_OF_ALGORITHM)}; shared secrets and unsigned tokens are not "
                "accepted"
            )
        if not 0 <= self.leeway <= 300:
            raise ConfigError(
                f"[auth] leeway = {self.leeway}: seconds between 0 and 300, for clocks that differ"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedToken:
    """What an accepted token says. ``expires_at`` is in seconds since 1970, UTC; ``client`` is
    the program that got the token, where the provider says so."""

    caller: Caller
    expires_at: int
    scopes: frozenset[str]
    client: str | None


class TokenChecker:
    """Checks tokens of one issuer for one audience."""

    def __init__(self, config: AuthConfig, keys: KeySet | None = None) -> None:
        self._config = config
        self._keys = keys or KeySet(issuer=config.issuer, url=config.jwks_url)

    async def check(self, token: str) -> CheckedToken:
        """Who sent a token. Raises ``InvalidToken``, and nothing else."""
        try:
            header, _ = _unverified(token)
            algorithm, kid = _checked_header(header, self._config)
            key = await self._keys.find(kid, algorithm)
            return _checked_claims(_verified(token, key, algorithm, self._config), self._config)
        except InvalidToken:
            raise
        except KeysUnavailable as error:
            raise InvalidToken(
                "tokens cannot be checked now: the identity provider's keys are unavailable",
                status=503,
                code="temporarily_unavailable",
            ) from error
        except UnknownKey as error:
            raise InvalidToken("the token is signed with an unknown key") from error
        except Exception as error:  # closed to whatever a hostile token brings about
            raise InvalidToken("the token cannot be read") from error


def challenge(error: InvalidToken | None, *, metadata_url: str, scope: str | None) -> str:
    """The ``WWW-Authenticate`` value (RFC 6750, RFC 9728) for a refused token, or for none."""
    parts: list[tuple[str, str]] = []
    if error is not None:
        parts += [("error", error.code), ("error_description", str(error))]
    if scope:
        parts.append(("scope", scope))
    parts.append(("resource_metadata", metadata_url))
    quoted = ((name, text.replace("\\", "\\\\").replace('"', '\\"')) for name, text in parts)
    return "Bearer " + ", ".join(f'{name}="{text}"' for name, text in quoted)


# --- the token -----------------------------------------------------------------------------


def _unverified(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and claims, read strictly and believed by nobody yet."""
    if len(token) > MOST_TOKEN_CHARACTERS:
        raise InvalidToken(f"the token has more than {MOST_TOKEN_CHARACTERS} characters")
    parts = token.split(".")
    if len(parts) != 3 or not token.isascii() or not all(parts):
        raise InvalidToken("the token is not a signed JWT")
    try:
        return _object(parts[0]), _object(parts[1])
    except (ValueError, RecursionError) as error:
        raise InvalidToken("the token is not a readable JWT") from error


def _object(part: str) -> dict[str, Any]:
    content = base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    found = json.loads(content, object_pairs_hook=_once, parse_constant=_no_constant)
    if not isinstance(found, dict):
        raise ValueError("no JSON object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidToken("the token says one thing twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _checked_header(header: dict[str, Any], config: AuthConfig) -> tuple[str, str | None]:
    algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ", "")
    if not isinstance(algorithm, str) or algorithm not in config.algorithms:
        raise InvalidToken("the token is signed by an algorithm that is not accepted here")
    if not isinstance(kind, str) or kind.lower() not in _ACCESS_TOKEN_TYPES:
        raise InvalidToken("the token is not an access token")
    if "crit" in header:
        raise InvalidToken("the token asks for an extension that is not understood here")
    if kid is not None and not isinstance(kid, str):
        raise InvalidToken("the token names its key in no readable way")
    return algorithm, kid


def _verified(token: str, key: Any, algorithm: str, config: AuthConfig) -> dict[str, Any]:
    """The claims of a token whose signature, issuer, audience and times are right."""
    import jwt

    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=config.audience,
            issuer=config.issuer,
            leeway=config.leeway,
            options={"require": ["exp", "iss", "aud"], "enforce_minimum_key_length": True},
        )
    except jwt.ExpiredSignatureError as error:
        raise InvalidToken("the token has expired") from error
    except jwt.ImmatureSignatureError as error:
        raise InvalidToken("the token is not valid yet") from error
    except jwt.InvalidAudienceError as error:
        raise InvalidToken("the token is for another audience") from error
    except jwt.InvalidIssuerError as error:
        raise InvalidToken("the token is from another issuer") from error
    except jwt.MissingRequiredClaimError as error:
        raise InvalidToken(f"the token lacks the claim {error.claim}") from error
    except jwt.InvalidSignatureError as error:
        raise InvalidToken("the token's signature is wrong") from error
    except jwt.PyJWTError as error:
        raise InvalidToken("the token is not acceptable") from error
    return claims


# --- the claims ----------------------------------------------------------------------------


def _checked_claims(claims: dict[str, Any], config: AuthConfig) -> CheckedToken:
    for name in ("exp", "nbf", "iat"):
        value = claims.get(name)
        if name in claims and (not isinstance(value, int) or isinstance(value, bool)):
            raise InvalidToken(f"the token's {name} is not a whole number of seconds")
    kind = claims.get("typ")
    if (isinstance(kind, str) and kind.lower() in _OTHER_USES) or "at_hash" in claims:
        raise InvalidToken("the token is not an access token")
    if claims.get("cnf") is not None:
        raise InvalidToken("the token is bound to a key; only plain bearer tokens are accepted")
    scopes = _scopes(claims)
    if config.scope is not None and not set(config.scope.split()) <= scopes:
        raise InvalidToken(
            f"the token lacks the scope {config.scope}", status=403, code="insufficient_scope"
        )
    client = claims.get("azp") or claims.get("client_id")
    return CheckedToken(
        caller=Caller(subject=_subject(claims, config), groups=_groups(claims, config)),
        expires_at=claims["exp"],
        scopes=scopes,
        client=client if isinstance(client, str) else None,
    )


def _scopes(claims: dict[str, Any]) -> frozenset[str]:
    """``scope`` is a string (RFC 8693); ``scp``, Entra's and Okta's, a string or a list."""
    scope, scp = claims.get("scope", ""), claims.get("scp", "")
    if isinstance(scp, list) and all(isinstance(each, str) for each in scp):
        scp = " ".join(scp)
    if not isinstance(scope, str) or not isinstance(scp, str):
        raise InvalidToken("the token's scope is not a text")
    return frozenset(scope.split()) | frozenset(scp.split())


def _subject(claims: dict[str, Any], config: AuthConfig) -> str:
    subject = _claim(claims, config.subject_claim)
    if subject is None:
        raise InvalidToken(f"the token lacks the claim {config.subject_claim}")
    if (
        not isinstance(subject, str)
        or len(subject) > MOST_NAME_CHARACTERS
        or not subject.isprintable()
        or not fold(subject)
    ):
        raise InvalidToken(f"the token's {config.subject_claim} is not a usable name")
    # A provider may let people write any address into their profile.
    if config.subject_claim == "email" and claims.get("email_verified", True) is not True:
        raise InvalidToken("the token's e-mail address is not verified by the provider")
    return subject


def _groups(claims: dict[str, Any], config: AuthConfig) -> frozenset[str]:
    written = _claim(claims, config.groups_claim)
    if not written and _elsewhere(claims, config.groups_claim):
        raise InvalidToken(
            "the token does not list the caller's groups but points elsewhere, because there are "
            "too many: have the provider send only the groups assigned to this application"
        )
    if written is None:
        return frozenset()
    if not isinstance(written, list) or not all(isinstance(each, str) for each in written):
        raise InvalidToken(f"the token's {config.groups_claim} is not a list of names")
    names = {name for each in written for name in _names(each, parents=config.parents)}
    if config.groups:
        mapping: dict[str, list[str]] = {}
        for theirs, ours in config.groups.items():
            mapping.setdefault(_bare(theirs), []).extend(map(fold, ours))
        names = {ours for name in names for ours in mapping.get(name, ())}
    return frozenset(name for name in names if name and not name.startswith(USER))


def _elsewhere(claims: dict[str, Any], claim: str) -> bool:
    """Whether the provider holds the groups back: Entra's overage claims, which are OpenID
    Connect's distributed claims (Core, section 5.6.2), or its short form ``hasgroups``. A
    pointer that cannot be read may well be one to the groups."""
    pointed = claims.get("_claim_names")
    if isinstance(pointed, dict):
        return claim in pointed or claim.partition(".")[0] in pointed
    if claim == "groups" and ("groups:src1" in claims or claims.get("hasgroups", False)):
        return True
    return pointed is not None or claims.get("_claim_sources") is not None


def _bare(name: str) -> str:
    """A provider's group as it is compared: a path has no slash at either end."""
    return fold(name.strip().strip("/"))


def _names(written: str, *, parents: bool) -> Iterator[str]:
    if len(written) > MOST_NAME_CHARACTERS:
        return
    name = _bare(written)
    yield name
    while parents and "/" in name:
        name = name.rpartition("/")[0].rstrip("/")
        yield name


def _claim(value: Any, path: str) -> Any:
    """The value of a claim, or ``None``. A dot may also belong to a claim's name, as in
    ``https://example.com/groups``: the longest name that exists goes first."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        name = ".".join(parts[:count])
        if isinstance(value, dict) and name in value:
            rest = ".".join(parts[count:])
            return _claim(value[name], rest) if rest else value[name]
    return None

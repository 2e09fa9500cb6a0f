"""A model behind an HTTP address: one JSON request, tried again where that may help.

A rate limit and an outage are waited for as long as the server asks, or longer each time; what
cannot get better (a wrong key, an unknown model) is told at once. Keys are sent in one header
and stand in no message.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from wellread.errors import MissingExtra, ModelUnavailable

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Answers after which the same request may succeed: RFC 9110 and RFC 6585, and 529, which
some model servers send when overloaded."""

FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
"""Seconds before the second try, doubled before each further one up to a minute, the window
over which the rate limits of the common APIs are counted."""

LONGEST_ASKED = 600.0
"""A server that asks for more patience than this is out of quota rather than busy."""

MOST_SHOWN = 200


class Endpoint:
    """An address that takes and answers JSON. Safe to share between threads.

    ``sleep`` and ``clock`` (seconds that only grow) are parameters for the tests' sake.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        extra: str,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        try:
            import httpx2
        except ImportError as error:
            raise MissingExtra(
                f"An HTTP client is not installed: pip install 'wellread[{extra}]'."
            ) from error
        headers = {"accept": "application/json"}
        if key is not None:
            headers["authorization"] = f"Bearer {key}"
        self.url = url
        self._sleep = sleep
        self._clock = clock
        self._client = httpx2.Client(headers=headers, follow_redirects=False)
        # Connections are kept from query to query, and go when nobody can ask any more.
        weakref.finalize(self, self._client.close)

    def post(self, body: Mapping[str, Any], *, within: float, tries: int) -> dict[str, Any]:
        """What the server answers to a body. ``within`` bounds one try, in seconds, and with a
        single try the whole. Raises ``ModelUnavailable`` with the last failure."""
        wait = FIRST_WAIT
        for attempt in range(1, tries + 1):
            failure, asked = self._once(body, within)
            if isinstance(failure, dict):
                return failure
            if asked is None or asked > LONGEST_ASKED or attempt == tries:
                times = f" ({attempt} tries)" if attempt > 1 else ""
                raise ModelUnavailable(f"{self.url} {failure}{times}.")
            self._sleep(max(min(wait, LONGEST_WAIT), asked))
            wait *= 2
        raise AssertionError("there is at least one try")

    def _once(
        self, body: Mapping[str, Any], within: float
    ) -> tuple[dict[str, Any] | str, float | None]:
        """The answer; or what went wrong, with the seconds to wait where another try may help."""
        import httpx2

        started = self._clock()
        try:
            # The client's own limit holds for each part of an exchange, not for the whole: a
            # server that drips its answer is stopped by the clock.
            with self._client.stream("POST", self.url, json=dict(body), timeout=within) as answer:
                content = b""
                for part in answer.iter_bytes():
                    content += part
                    if self._clock() - started > within:
                        return f"did not answer within {within:g} seconds", 0.0
        except httpx2.TimeoutException:
            return f"did not answer within {within:g} seconds", 0.0
        except httpx2.HTTPError as error:
            return f"cannot be reached: {str(error) or type(error).__name__}", 0.0
        except (httpx2.InvalidURL, ValueError) as error:
            return f"is no address that can be asked: {error}", None
        status = answer.status_code
        if status in TRANSIENT:
            said = f"answered {status}{_said(content)}"
            return said, _asked_wait(answer.headers.get("retry-after"))
        if status != 200:
            return f"answered {status}{_said(content)}{_advice(status)}", None
        found = _object(content)
        if found is None:
            return "answered no JSON object", 0.0
        return found, None


def _object(content: bytes) -> dict[str, Any] | None:
    import json

    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _said(content: bytes) -> str:
    """The server's own words, cut short: most answer ``error.message`` or ``detail``."""
    found = _object(content) or {}
    error = found.get("error")
    words = error.get("message") if isinstance(error, dict) else error or found.get("detail")
    if not isinstance(words, str) or not words.strip():
        return ""
    words = " ".join(words.split())
    return f": {words if len(words) <= MOST_SHOWN else words[: MOST_SHOWN - 1] + '…'}"


def _advice(status: int) -> str:
    if status in (401, 403):
        return "; check the key in the variable that key_variable names"
    if status in (404, 405):
        return "; check endpoint and model"
    return ""


def _asked_wait(header: str | None) -> float:
    """Seconds that ``Retry-After`` asks for, a number or a date; 0 without one."""
    if header is None:
        return 0.0
    try:
        return max(float(header), 0.0)
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)

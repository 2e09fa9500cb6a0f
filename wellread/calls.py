"""Running the calls of many callers at once: in threads, so many for each subject, for so long

A slow call of one caller holds up none of another's: every subject has threads of its own, and a
call that is cancelled, or whose time is up, is told to stop by a flag that long loops look at.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

Result = TypeVar("Result")

CALLS_AT_ONCE = 4
"""Of one subject. An agent asks for a handful of things at once; two cores are busy with two."""

REMEMBERED_SUBJECTS = 1024
"""Subjects whose limit is kept while they are idle."""


class Calls:
    """Runs blocking work for subjects. Belongs to one event loop."""

    def __init__(self, at_once: int = CALLS_AT_ONCE) -> None:
        import anyio

        self._at_once = at_once
        self._limits: OrderedDict[str | None, Any] = OrderedDict()
        self._threads = anyio.CapacityLimiter(math.inf)

    async def run(
        self, subject: str | None, work: Callable[[threading.Event], Result], *, seconds: float
    ) -> Result:
        """What ``work`` returns or raises, in a thread; it gets the flag that tells it to stop.
        Raises ``TimeoutError`` after so many seconds, waiting for a turn included."""
        import anyio

        with anyio.fail_after(seconds):
            return await self._run(subject, work)

    async def _run(self, subject: str | None, work: Callable[[threading.Event], Result]) -> Result:
        import anyio.to_thread

        limit = self._limit(subject)
        turn = _Turn(limit)
        await limit.acquire_on_behalf_of(turn)
        stop = threading.Event()
        try:
            return await anyio.to_thread.run_sync(
                partial(turn.take, work, stop), abandon_on_cancel=True, limiter=self._threads
            )
        finally:
            stop.set()
            turn.end()

    def _limit(self, subject: str | None) -> Any:
        import anyio

        limit = self._limits.pop(subject, None)
        if limit is None:
            limit = anyio.CapacityLimiter(self._at_once)
            if len(self._limits) > REMEMBERED_SUBJECTS:
                self._forget_idle()
        self._limits[subject] = limit
        return limit

    def _forget_idle(self) -> None:
        for name, limit in list(self._limits.items()):
            if not limit.borrowed_tokens and not limit.statistics().tasks_waiting:
                del self._limits[name]


class _Turn:
    """A subject's turn, taken until the thread has ended: whoever cancels one call after the
    other does not get more threads by it."""

    def __init__(self, limit: Any) -> None:
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._guard = threading.Lock()
        self._state = "waiting"

    def take(self, work: Callable[[threading.Event], Result], stop: threading.Event) -> Result:
        """Do the work, in its thread."""
        with self._guard:
            if self._state == "over":
                raise asyncio.CancelledError
            self._state = "working"
        try:
            return work(stop)
        finally:
            with suppress(RuntimeError):  # the loop has ended, and the limit with it
                self._loop.call_soon_threadsafe(self._limit.release_on_behalf_of, self)

    def end(self) -> None:
        """Give the turn back where the work was never begun."""
        with self._guard:
            never = self._state == "waiting"
            if never:
                self._state = "over"
        if never:
            self._limit.release_on_behalf_of(self)

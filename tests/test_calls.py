"""Calls of many callers at once: none waits for another's, and a call that is over stops."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from wellread.calls import REMEMBERED_SUBJECTS, Calls


def run(steps: Callable[[Calls], Awaitable[None]]) -> None:
    async def main() -> None:
        with anyio.fail_after(20):
            await steps(Calls(at_once=2))

    anyio.run(main)


def until_stopped(began: threading.Semaphore) -> Callable[[threading.Event], str]:
    def work(stop: threading.Event) -> str:
        began.release()
        assert stop.wait(20)
        return "stopped"

    return work


async def began_all(began: threading.Semaphore, count: int) -> None:
    for _ in range(count):
        assert await anyio.to_thread.run_sync(began.acquire, True, 20)


def test_what_the_work_returns_or_raises_comes_back() -> None:
    async def steps(calls: Calls) -> None:
        assert await calls.run("ann", lambda _: 3, seconds=5) == 3

        def fail(_: threading.Event) -> None:
            raise KeyError("x")

        with pytest.raises(KeyError):
            await calls.run("ann", fail, seconds=5)

    run(steps)


def test_a_slow_caller_holds_up_nobody_else() -> None:
    async def steps(calls: Calls) -> None:
        began = threading.Semaphore(0)
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(lambda: calls.run("slow", until_stopped(began), seconds=30))
            await began_all(began, 2)
            assert await calls.run("quick", lambda _: "answer", seconds=5) == "answer"
            assert not began.acquire(blocking=False), "a third call of one caller has begun"
            tasks.cancel_scope.cancel()

    run(steps)


def test_a_call_whose_time_is_up_is_told_to_stop() -> None:
    async def steps(calls: Calls) -> None:
        ended = threading.Event()

        def work(stop: threading.Event) -> None:
            assert stop.wait(20)
            ended.set()

        with pytest.raises(TimeoutError):
            await calls.run("ann", work, seconds=0.05)
        assert await anyio.to_thread.run_sync(ended.wait, 20)

    run(steps)


def test_a_cancelled_call_is_told_to_stop_and_its_turn_is_over_when_it_has_ended() -> None:
    async def steps(calls: Calls) -> None:
        began, may_end = threading.Semaphore(0), threading.Event()

        def work(_: threading.Event) -> None:  # heeds no flag
            began.release()
            may_end.wait(20)

        for _ in range(2):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: calls.run("ann", work, seconds=30))
                await began_all(began, 1)
                tasks.cancel_scope.cancel()
        with pytest.raises(TimeoutError):  # both turns are still taken
            await calls.run("ann", lambda _: 1, seconds=0.05)
        may_end.set()
        assert await calls.run("ann", lambda _: 1, seconds=20) == 1

    run(steps)


def test_a_call_that_never_began_gives_its_turn_back() -> None:
    async def steps(calls: Calls) -> None:
        for _ in range(10):
            with anyio.CancelScope() as scope:
                scope.cancel()
                await calls.run("ann", lambda _: pytest.fail("was run"), seconds=5)
        assert await calls.run("ann", lambda _: 1, seconds=5) == 1

    run(steps)


def test_idle_subjects_are_forgotten() -> None:
    async def steps(calls: Calls) -> None:
        for number in range(REMEMBERED_SUBJECTS + 50):
            await calls._run(f"subject {number}", lambda _: None)
        assert len(calls._limits) <= REMEMBERED_SUBJECTS + 2

    run(steps)


def test_a_limit_outlives_being_forgotten_while_it_is_in_use() -> None:
    async def steps(calls: Calls) -> None:
        began = threading.Semaphore(0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: calls.run("slow", until_stopped(began), seconds=30))
            await began_all(began, 1)
            limit: Any = calls._limits["slow"]
            calls._forget_idle()
            assert calls._limits["slow"] is limit
            tasks.cancel_scope.cancel()

    run(steps)

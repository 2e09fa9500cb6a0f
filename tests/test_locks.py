from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wellread.errors import StoreUnavailable
from wellread.locks import Holder, WatcherLock, WriterLock

ROOT = Path(__file__).resolve().parent.parent

HOLD = """
import sys
from pathlib import Path
from wellread.locks import WatcherLock, WriterLock
lock = {kind}(Path(sys.argv[1]), command="wellread index")
assert lock.try_acquire()
print("held", flush=True)
sys.stdin.read()
lock.release()
"""


@contextmanager
def another_process(code: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has printed its first line, and goes on until its stdin is closed."""
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        assert child.stdout.readline().strip() == "held"
        yield child
    finally:
        child.stdin.close()
        child.wait(timeout=30)
        child.stdout.close()


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sleeps = 0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.sleeps += 1


def test_a_waiting_writer_names_who_holds_the_library(tmp_path: Path) -> None:
    path, clock = tmp_path / "writer.lock", Clock()
    with another_process(HOLD.format(kind="WriterLock"), path) as child:
        with pytest.raises(StoreUnavailable) as raised:
            WriterLock(path).acquire(timeout=10, clock=clock, sleep=clock.sleep)
        message = str(raised.value)
        assert f"is being written by wellread index (pid {child.pid}) since 20" in message
        assert str(tmp_path) in message
        assert "wait until it is done, or stop it" in message
    assert clock.now == pytest.approx(10)
    assert 10 <= clock.sleeps <= 1000


def test_a_writer_gets_the_lock_as_soon_as_it_is_free(tmp_path: Path) -> None:
    path, clock = tmp_path / "writer.lock", Clock()
    with another_process(HOLD.format(kind="WriterLock"), path) as child:

        def sleep(seconds: float) -> None:
            clock.sleep(seconds)
            assert child.stdin is not None
            child.stdin.close()
            child.wait(timeout=30)

        lock = WriterLock(path).acquire(timeout=10, clock=clock, sleep=sleep)
        assert lock.held
        assert clock.sleeps == 1
        lock.release()


def test_a_killed_writer_leaves_the_lock_free(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    with another_process(HOLD.format(kind="WriterLock"), path) as child:
        assert not WriterLock(path).try_acquire()
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=30)
        assert WriterLock(path).try_acquire()


def test_a_worker_that_outlives_its_killed_writer_does_not_keep_the_lock(tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from wellread.locks import WriterLock
lock = WriterLock(Path(sys.argv[1]))
assert lock.try_acquire()
ready, told = os.pipe()
if os.fork() == 0:
    assert not lock.held
    os.write(told, b"x")
    sys.stdin.read()
    os._exit(0)
os.read(ready, 1)
print("held", flush=True)
sys.stdin.read()
"""
    path = tmp_path / "writer.lock"
    with another_process(code, path) as child:
        assert not WriterLock(path).try_acquire()
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=30)
        assert WriterLock(path).try_acquire()


def test_the_lock_is_free_after_the_run_even_if_the_run_failed(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    lock = WriterLock(path)

    def failing_run() -> None:
        with lock.acquire():
            assert not WriterLock(path).try_acquire()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing_run()
    assert not lock.held
    assert WriterLock(path).try_acquire()


def test_the_file_names_its_holder_and_nobody_after_release(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    lock = WriterLock(path, command="wellread index docs")
    lock.acquire()
    holder = lock.holder()
    assert holder is not None
    assert (holder.pid, holder.command) == (os.getpid(), "wellread index docs")
    lock.release()
    assert lock.holder() is None


def test_a_holder_on_another_machine_is_named_with_its_machine() -> None:
    holder = Holder(pid=7, host="elsewhere", command="wellread index", since="2026-06-01T08:00:00Z")
    assert str(holder) == "wellread index (pid 7 on elsewhere) since 2026-06-01T08:00:00Z"


@pytest.mark.parametrize("text", ["", "{", "[]", json.dumps({"pid": 1})])
def test_a_name_that_cannot_be_read_is_another_process(tmp_path: Path, text: str) -> None:
    path, clock = tmp_path / "writer.lock", Clock()
    with WriterLock(path).acquire():
        path.write_text(text)
        with pytest.raises(StoreUnavailable, match="is being written by another process"):
            WriterLock(path).acquire(timeout=1, clock=clock, sleep=clock.sleep)


def test_a_missing_folder_is_said_with_the_path(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match=r"absent cannot be locked.*check that the folder"):
        WriterLock(tmp_path / "absent" / "writer.lock").acquire()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into a read-only folder")
def test_a_read_only_folder_is_said_with_what_to_do(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreUnavailable, match="make the folder writable"):
        WriterLock(tmp_path / "writer.lock").acquire()


def test_a_watcher_is_elected_and_replaced_when_it_dies(tmp_path: Path) -> None:
    path = tmp_path / "watcher.lock"
    with another_process(HOLD.format(kind="WatcherLock"), path) as child:
        candidate = WatcherLock(path)
        assert not candidate.try_acquire()
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=30)
        assert candidate.try_acquire()
        assert candidate.try_acquire()
        assert not WatcherLock(path).try_acquire()


def test_watching_and_writing_do_not_exclude_each_other(tmp_path: Path) -> None:
    with WriterLock(tmp_path / "writer.lock").acquire():
        assert WatcherLock(tmp_path / "watcher.lock").try_acquire()

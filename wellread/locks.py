"""Two locks beside the library: who writes, and who watches.

Both are ``flock`` on a small file, so the kernel frees them when their holder dies, however
it dies. The file names its holder for whoever has to wait; the name is only for reading,
the lock itself is what counts.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
import weakref
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from wellread.errors import LibraryBusy, StoreUnavailable

WAIT_SECONDS = 10.0
"""How long a writer waits for another one before it gives up (the design's figure)."""

POLL_SECONDS = 0.05
"""Pause between two attempts: 20 system calls a second, and a wait no person notices."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Holder:
    """The process that holds a lock; ``since`` is UTC, ISO 8601, to the second."""

    pid: int
    host: str
    command: str
    since: str

    def __str__(self) -> str:
        place = "" if self.host == os.uname().nodename else f" on {self.host}"
        return f"{self.command} (pid {self.pid}{place}) since {self.since}"


_held: weakref.WeakSet[_FileLock] = weakref.WeakSet()


def _forget_in_child() -> None:
    # A forked worker shares the lock with its parent. Were it to keep its copy, a worker that
    # outlives a killed parent would hold the library for ever.
    for lock in list(_held):
        lock._drop()


os.register_at_fork(after_in_child=_forget_in_child)


class _FileLock:
    def __init__(self, path: Path, *, command: str) -> None:
        self.path = path
        self.command = command
        self._fd: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._fd is not None

    def try_acquire(self) -> bool:
        """Take the lock if it is free, without waiting. True if it is now held.

        Raises ``StoreUnavailable`` where the lock file cannot be made or locked at all.
        """
        if self._fd is not None:
            return True
        fd = -1
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if fd >= 0:
                os.close(fd)
            if error.errno == errno.EWOULDBLOCK:
                return False
            raise StoreUnavailable(_cannot_lock(self.path, error)) from error
        self._fd = fd
        _held.add(self)
        self._sign(fd)
        return True

    def release(self) -> None:
        """Give the lock back; nothing happens where it is not held."""
        fd, self._fd = self._fd, None
        if fd is None:
            return
        _held.discard(self)
        try:
            os.ftruncate(fd, 0)
        finally:
            os.close(fd)

    def holder(self) -> Holder | None:
        """Who wrote its name into the lock file last, or ``None`` where no name is there."""
        try:
            return Holder(**json.loads(self.path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            # Empty after a release, half-written at this very moment, or not ours: no name.
            return None

    def _sign(self, fd: int) -> None:
        holder = Holder(
            pid=os.getpid(),
            host=os.uname().nodename,
            command=self.command,
            since=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        try:
            os.ftruncate(fd, 0)
            os.pwrite(fd, json.dumps(asdict(holder)).encode(), 0)
        except OSError as error:
            self._drop()
            raise StoreUnavailable(_cannot_lock(self.path, error)) from error

    def _drop(self) -> None:
        fd, self._fd = self._fd, None
        _held.discard(self)
        if fd is not None:
            os.close(fd)


class WriterLock(_FileLock):
    """Held for one run by whoever writes to the library; ``command`` is shown to who waits.

    ``with WriterLock(path, command="wellread index"): …`` takes it, unless it was taken
    before (``acquire`` has another timeout), and gives it back.
    """

    def __init__(self, path: Path, *, command: str = "wellread index") -> None:
        super().__init__(path, command=command)

    def acquire(
        self,
        *,
        timeout: float = WAIT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> WriterLock:
        """Take the lock, waiting up to ``timeout`` seconds.

        Raises ``LibraryBusy``, which names the holder, where it stays taken.
        """
        deadline = clock() + timeout
        while not self.try_acquire():
            left = deadline - clock()
            if left <= 0:
                holder = self.holder()
                named = str(holder) if holder else "another process"
                raise LibraryBusy(
                    f"The library {self.path.parent} is being written by {named}; "
                    f"wait until it is done, or stop it."
                )
            sleep(min(POLL_SECONDS, left))
        return self

    def __enter__(self) -> WriterLock:
        return self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class WatcherLock(_FileLock):
    """The election among servers on one library: whoever holds it watches the sources.

    ``try_acquire`` never waits. A server that was not elected tries again from time to time,
    and succeeds once the holder has let go or died.
    """

    def __init__(self, path: Path, *, command: str = "wellread serve") -> None:
        super().__init__(path, command=command)


def _cannot_lock(path: Path, error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
        advice = "keep the library on a local disk (WELLREAD_LIBRARY), not on a network share"
    elif error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        advice = "make the folder writable for this user, or set WELLREAD_LIBRARY to one that is"
    elif error.errno in (errno.ENOSPC, errno.EDQUOT):
        advice = "free some space on that disk"
    else:
        advice = "check that the folder exists and is writable"
    return f"The library {path.parent} cannot be locked ({path.name}: {reason}); {advice}."

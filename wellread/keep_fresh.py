"""Keeping a library fresh: one process among all that have it open watches and indexes

Whoever holds the watcher lock follows the sources and runs the index after each change; the
others only read, and one of them takes over when the holder ends or dies. A changed
configuration file is read anew, so that no run applies rules that hold no more.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from wellread.config import REMEMBERED_SOURCES, reloaded
from wellread.errors import ConfigError, LibraryBusy, RunRefused, WellreadError
from wellread.locks import POLL_SECONDS, WatcherLock

if TYPE_CHECKING:
    from wellread.documents import Run
    from wellread.index import Progress
    from wellread.library import Library
    from wellread.watch import Watching

logger = logging.getLogger(__name__)

LOCK = "watcher.lock"

RETRY_SECONDS = 2.0
"""Pause after a run that failed: the 2 s that a save may take to be found."""

ELECTION_SECONDS = 0.25
"""Pause between two attempts to become the one that watches: a failed attempt is two system
calls, and most of the 2 s is left for the first run after a takeover."""

STOP_SECONDS = 5.0
"""How long ``stop`` waits for the thread; what it does then is undone by the next run."""

Index = Callable[[Callable[["Progress"], None]], "Run"]
"""Makes one run, calls what it is given with each step, and does not wait for the lock."""

Stamp = tuple[tuple[int, int, int] | None, ...]


class _Stopped(Exception):
    """A run is given up because of ``stop``; what it had not committed is undone."""


class KeepFresh:
    """Watches the sources of a library and indexes them after each change, until stopped.

    ``start`` does it in a thread of its own, ``run`` in the caller's. ``index`` makes a run
    where it takes more than ``library.index``; ``watching``, ``ran``, ``failed`` and ``waiting``
    are told what happens, by default as lines of the log. ``first`` runs once even where another
    process watches. What cannot be done is said once, and tried again.
    """

    def __init__(
        self,
        library: Library,
        *,
        command: str = "wellread serve",
        index: Index | None = None,
        watching: Callable[[Watching], None] | None = None,
        ran: Callable[[Run], None] | None = None,
        failed: Callable[[str], None] | None = None,
        waiting: Callable[[str], None] | None = None,
        first: bool = False,
    ) -> None:
        self.library = library
        self._lock = WatcherLock(library.config.library / LOCK, command=command)
        self._index = index or self._plain_index
        self._told_watching = watching or _log_watching
        self._told_ran = ran or _log_ran
        self._told_failed = failed or _log_failed
        self._told_waiting = waiting or logger.info
        self._first = first
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._waits = False
        self._said = ""
        self._stamp = self._stamp_now()

    @property
    def elected(self) -> bool:
        """Whether it is this one that watches."""
        return self._lock.held

    def start(self) -> None:
        """Begin, in a thread that does not keep the process alive."""
        if self._thread is None:
            self._thread = threading.Thread(target=self.run, name="wellread-fresh", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End soon: a run is given up and undone. Safe to call twice, and from a signal."""
        self._stop.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(STOP_SECONDS)
            if thread.is_alive():
                logger.warning("an index run is still ending")

    def __enter__(self) -> KeepFresh:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def run(self) -> None:
        """Wait to be elected, then watch, until stopped."""
        try:
            while not self._stop.is_set():
                try:
                    self._turn()
                except _Stopped:
                    return
                except WellreadError as error:
                    self._fail(str(error))
                    self._stop.wait(RETRY_SECONDS)
                except Exception as error:  # noqa: BLE001 - a server goes on reading whatever happens here
                    # Its text may hold some of a document's; where it arose does not.
                    at = error.__traceback__
                    while at is not None and at.tb_next is not None:
                        at = at.tb_next
                    place = f"{at.tb_frame.f_code.co_name}:{at.tb_lineno}" if at else "nowhere"
                    self._fail(f"a mistake in wellread itself, {type(error).__name__} in {place}")
                    self._stop.wait(RETRY_SECONDS)
        finally:
            self._lock.release()

    # --- within --------------------------------------------------------------------------

    def _turn(self) -> None:
        """One attempt to be elected, or one time of following."""
        from wellread.store.embedded_writer import prepare_folder

        self._refresh()
        if not self.library.config.sources:
            raise RunRefused(
                f"There is no source to watch for {self.library.config.library}; name one with "
                "`wellread index FOLDER`, or add [[sources]] to wellread.toml."
            )
        with suppress(OSError):  # where it cannot be made, the lock says why
            prepare_folder(self.library.config.library)
        if self._lock.try_acquire():
            self._waits = False
            self._follow()
        elif self._first:
            self._run_until_done()
        else:
            if not self._waits:
                self._waits = True
                other = self._lock.holder() or "another process"
                self._told_waiting(f"the sources are watched by {other}; waiting for its end")
            self._stop.wait(ELECTION_SECONDS)

    def _follow(self) -> None:
        """Index after each change, until stopped, or until what is to be watched is another."""
        from wellread.watch import Watching, follow

        config, begun = self.library.config, self._stamp
        roots = [source.path for source in config.sources]
        if not all(root.is_dir() for root in roots):
            # The run says which one is missing, puts today's rules of access on what is
            # stored, and is tried again until there is something to watch.
            self._run_until_done()
            return
        until = _Until(self._stop, lambda: self._stamp_now() != begun)
        for event in follow(roots, stop=until, ignore=[config.library], exclude=config.exclude):
            if isinstance(event, Watching):
                self._told_watching(event)
            self._run_until_done()
            if until.is_set():
                return

    def _run_until_done(self) -> None:
        """A run, again after a pause where it could not be done."""
        while not self._stop.is_set():
            try:
                run = self._index(self._look)
            except LibraryBusy as error:
                self._fail(str(error))
                self._stop.wait(POLL_SECONDS)
            except WellreadError as error:
                self._fail(str(error))
                self._stop.wait(RETRY_SECONDS)
                self._refresh()
            else:
                self._first, self._said = False, ""
                self._told_ran(run)
                return

    def _plain_index(self, step: Callable[[Progress], None]) -> Run:
        return self.library.index(progress=step, wait=0)

    def _look(self, _: Progress) -> None:
        if self._stop.is_set():
            raise _Stopped

    def _fail(self, message: str) -> None:
        if message != self._said:
            self._said = message
            self._told_failed(message)

    def _refresh(self) -> None:
        """Take up a changed configuration. A broken one is said, and the last good one holds."""
        stamp = self._stamp_now()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self.library.reconfigure(reloaded(self.library.config))
        except ConfigError as error:
            self._fail(str(error))

    def _stamp_now(self) -> Stamp:
        config = self.library.config
        file = config.file or config.library / REMEMBERED_SOURCES
        return (_stamp(file),)


class _Until:
    """Set once following has to end: stopped, or something else is to be followed."""

    def __init__(self, stop: threading.Event, changed: Callable[[], bool]) -> None:
        self._stop = stop
        self._changed = changed

    def is_set(self) -> bool:
        """Whether it has."""
        return self._stop.is_set() or self._changed()


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


def _log_watching(watching: Watching) -> None:
    reason = f": {watching.reason}" if watching.reason else ""
    logger.info("watching by %s%s", watching.mode, reason)


def _log_ran(run: Run) -> None:
    if run.error or run.held_back:
        logger.warning("%s documents held back; %s", run.held_back, run.error or "no error")
    if run.added or run.changed or run.removed:
        logger.info(
            "indexed: %d added, %d changed, %d removed", run.added, run.changed, run.removed
        )


def _log_failed(message: str) -> None:
    logger.warning("the library is not being kept fresh: %s", message)

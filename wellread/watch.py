"""Following the sources: which files changed, soon after they did."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from wellread.errors import RunRefused
from wellread.mounts import network_filesystem
from wellread.sources.exclude import DEFAULT_EXCLUDE, compile_exclude

if TYPE_CHECKING:
    from watchfiles import Change

DEBOUNCE_MS = 300
"""Changes are gathered until none has come for ``QUIET_MS``, yet no longer than this: a large
checkout is one batch or a few, and a save is told well within the 2 s of the design."""

QUIET_MS = 50

POLL_MS = 800
"""Pause between two looks at a polled tree. Polling sees a save at the second look at the
latest, and has to leave most of the 2 s to the index run."""

_LOOK_UP_MS = 200
"""How often the watcher hands control back without a change."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Watching:
    """Comes first, and again where the mode changes: how changes are noticed, and why.

    From now on no change is missed; an index run that starts now closes the gap before it.
    ``reason`` is a sentence to show where ``mode`` is ``polling``, else empty.
    """

    mode: Literal["events", "polling"]
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed:
    """Something below the roots changed; ``paths`` are absolute, and hints: a run has to look
    at the whole tree, since events may be lost or merged."""

    paths: frozenset[str]


class Stop(Protocol):
    """What says that it is time to end, as a ``threading.Event`` does; asked every 50 ms."""

    def is_set(self) -> bool:
        """Whether it is."""
        ...


def follow(
    roots: Sequence[Path],
    *,
    stop: Stop,
    ignore: Sequence[Path] = (),
    exclude: tuple[str, ...] = (),
    network: Callable[[Path], str | None] = network_filesystem,
) -> Iterator[Watching | Changed]:
    """Yield ``Watching``, then ``Changed`` for each burst of changes, until ``stop`` is set.

    What ``DEFAULT_EXCLUDE`` and ``exclude`` leave out below a root wakes nobody, nor does
    anything below ``ignore``: the library must be in it, or its own writes would wake it for
    ever. Raises ``ConfigError`` for a pattern that cannot be understood.
    A root on a network share is polled, and so is everything where the system has no more
    room for watches. Raises ``RunRefused`` where a root is missing or goes away.
    """
    for root in roots:
        if not root.is_dir():
            raise RunRefused(_gone(root))
    relevant = _relevant(roots, ignore, exclude)
    shares = [(root, kind) for root in roots if (kind := network(root))]
    if not shares:
        try:
            yield from _changes(roots, relevant, stop, Watching(mode="events"))
        except OSError as error:
            reason = f"The system cannot watch all folders ({error}); on Linux, raise "
            reason += "fs.inotify.max_user_watches."
        else:
            return
    else:
        root, kind = shares[0]
        reason = f"{root} is on a network file system ({kind}), which sends no change events."
    reason += f" Files are looked through every {POLL_MS / 1000:g} s instead."
    yield from _changes(roots, relevant, stop, Watching(mode="polling", reason=reason))


def _changes(
    roots: Sequence[Path],
    relevant: Callable[[Change, str], bool],
    stop: Stop,
    watching: Watching,
) -> Iterator[Watching | Changed]:
    from watchfiles import watch

    announced = False
    try:
        batches = watch(
            *roots,
            watch_filter=relevant,
            debounce=DEBOUNCE_MS,
            step=QUIET_MS,
            stop_event=stop,
            rust_timeout=_LOOK_UP_MS,
            yield_on_timeout=True,
            force_polling=watching.mode == "polling",
            poll_delay_ms=POLL_MS,
            ignore_permission_denied=True,
        )
        for batch in batches:
            # The first batch, empty or not, says that the watches are in place.
            if not announced:
                announced = True
                yield watching
            if batch:
                yield Changed(paths=frozenset(path for _, path in batch))
            # A deleted root sends no further event of any kind.
            for root in roots:
                if not root.is_dir():
                    raise RunRefused(_gone(root))
    except FileNotFoundError as error:
        raise RunRefused(_gone(Path(error.filename or roots[0]))) from error


def _relevant(
    roots: Sequence[Path], ignore: Sequence[Path], exclude: tuple[str, ...]
) -> Callable[[Change, str], bool]:
    # Both spellings: a watcher may report the path as it was given, or the resolved one.
    tops = sorted({text for root in roots for text in _spellings(root)}, key=len, reverse=True)
    left_out = tuple({text for path in ignore for text in _spellings(path)})
    excluded = compile_exclude((*DEFAULT_EXCLUDE, *exclude))

    def relevant(change: Change, path: str) -> bool:
        if any(path == each or path.startswith(each + "/") for each in left_out):
            return False
        top = next((each for each in tops if path.startswith(each + "/")), None)
        parts = path[len(top) + 1 :].split("/") if top is not None else []
        return not any(
            excluded(name, "/".join(parts[:at]), at < len(parts))
            for at, name in enumerate(parts, start=1)
        )

    return relevant


def _spellings(path: Path) -> tuple[str, str]:
    return os.path.abspath(path), os.path.realpath(path)


def _gone(root: Path) -> str:
    return (
        f"{root} is not there (any more), so it cannot be watched; mount or create it, or correct "
        f"`path` of that source ([[sources]] in wellread.toml)."
    )

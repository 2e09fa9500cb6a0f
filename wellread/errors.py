"""Every error that reaches a person: the fact, the value, the next step.

``exit_code`` follows the table in the configuration reference: 1 nothing found, 2 usage,
3 no or empty index, 4 store unavailable, 5 run refused or failed, 6 check failed.
"""

from __future__ import annotations

from typing import Any


class WellreadError(Exception):
    """The base of all; its message is shown as it is."""

    exit_code = 2


class UsageError(WellreadError):
    """The request itself cannot be understood: an unknown filter, an empty query."""


class ConfigError(WellreadError):
    """``wellread.toml`` or the environment says something that cannot be followed."""


class UnknownSubject(UsageError):
    """The caller's subject is in no group list."""


class NotFound(WellreadError):
    """No such document, section or attachment for this caller: missing and forbidden alike."""

    exit_code = 1


class NoIndex(WellreadError):
    """There is no library here yet, or it was made by another version."""

    exit_code = 3


class StoreUnavailable(WellreadError):
    """The store cannot be opened or written: locked, read-only, full, damaged."""

    exit_code = 4


class Cancelled(WellreadError):
    """The caller went away, or its time was up, before the answer was there."""

    exit_code = 130


class LibraryBusy(StoreUnavailable):
    """Another process is writing the library: the same will work when it is done."""


class RunRefused(WellreadError):
    """An index run would not or could not do its work; the last committed state stands.

    ``run`` is its log (``types.Run``), where it got as far as to begin.
    """

    exit_code = 5
    run: Any = None


class ModelUnavailable(WellreadError):
    """A model for vectors or for ranking cannot be asked now, or does not answer as it should."""

    exit_code = 4


class VectorsRefused(WellreadError):
    """The vectors of the library are of another model or size than the configuration names."""

    exit_code = 5


class MissingExtra(WellreadError):
    """An optional dependency is not installed; the message names the extra."""

    exit_code = 5


class SkippedFile(WellreadError):
    """A file that is not indexed, and why: ``reason`` is a short stable phrase for counting
    ("binary", "too large", "needs wellread[office]"), the message has the details."""

    exit_code = 5

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

"""Tracing a question: who asked, what came back, and what was made of it for the asker."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from wellread.errors import WellreadError
from wellread.store.journal import TraceWriter
from wellread.trace import Trace, subject_of
from wellread.types import Caller, Filters, Told


class Answered:
    """What a traced question got; an outcome of an error is its class. ``told`` makes what the
    asker gets to see of a result or an error, and says how much of it that is."""

    def __init__(self, told: Callable[[Any], Told] | None) -> None:
        self.returned: tuple[str, ...] = ()
        self.outcome = ""
        self.left_out = 0
        self.tokens: int | None = None
        self._told = told

    def tell(self, result: object) -> None:
        """Have a result or an error told, where there is somebody to tell, and note how much of
        it was."""
        if self._told is None:
            return
        told = self._told(result)
        self.tokens = told.tokens
        self.left_out += max(len(self.returned) - told.shown, 0)
        self.returned = self.returned[: told.shown]


@contextmanager
def traced(
    caller: Caller,
    tool: str,
    arguments: Mapping[str, object],
    *,
    told: Callable[[Any], Told] | None,
    session: str,
    writer: Callable[[], TraceWriter | None],
) -> Iterator[Answered]:
    """Trace a question with what came back, be it an error. ``arguments`` may be added to until
    then; ``writer`` is asked at the end, and where there is none nothing is kept."""
    started = time.perf_counter()
    answered = Answered(told)
    try:
        yield answered
    except WellreadError as error:
        answered.outcome = type(error).__name__
        answered.tell(error)
        raise
    except Exception as error:
        answered.outcome = type(error).__name__
        raise
    finally:
        if (traces := writer()) is not None:
            traces.add(
                Trace(
                    at=datetime.now(UTC).isoformat(timespec="milliseconds"),
                    subject=subject_of(caller),
                    tool=tool,
                    arguments={key: value for key, value in arguments.items() if value},
                    returned=answered.returned,
                    outcome=answered.outcome,
                    left_out=answered.left_out,
                    milliseconds=(time.perf_counter() - started) * 1000,
                    tokens=answered.tokens,
                    session=session,
                )
            )


def filters_as_json(filters: Filters) -> dict[str, object]:
    """The filters that were given, for the trace."""
    given: dict[str, object] = {
        "type": filters.types,
        "state": filters.states,
        "owner": filters.owners,
        "tag": filters.tags,
        "path": filters.paths,
        "since": filters.since.isoformat() if filters.since else None,
        "until": filters.until.isoformat() if filters.until else None,
    }
    return {name: value for name, value in given.items() if value}

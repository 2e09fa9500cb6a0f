"""Clocks, the memory of a tree of processes, and the table of what was measured."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SAMPLE_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One line of the table. ``ratio`` is what the target bounds, where it is a ratio."""

    what: str
    figure: str
    reference: str = ""
    ratio: str = ""
    target: str
    met: bool | None


class Table:
    """Rows, printed as they are measured and once more together."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def add(self, row: Row) -> None:
        self.rows.append(row)
        print(f"  {row.what}: {row.figure} ({row.reference or '-'}) {verdict(row)}", flush=True)

    def at_most(
        self, what: str, figure: float, reference: float, unit: str, named: str, times: float
    ) -> None:
        """A figure that may be so many times its reference."""
        self._ratio(what, figure, reference, unit, named, f"≤ {times:g}×", figure / reference)
        self._last(figure <= times * reference)

    def faster(
        self, what: str, figure: float, reference: float, unit: str, named: str, times: float
    ) -> None:
        """A figure that must be so many times faster than its reference."""
        self._ratio(
            what, figure, reference, unit, named, f"≥ {times:g}× faster", reference / figure
        )
        self._last(figure * times <= reference)

    def _ratio(
        self,
        what: str,
        figure: float,
        reference: float,
        unit: str,
        named: str,
        target: str,
        ratio: float,
    ) -> None:
        self._pending = Row(
            what=what,
            figure=f"{figure:.2f} {unit}",
            reference=f"{named} {reference:.2f} {unit}",
            ratio=f"{ratio:.2f}×",
            target=target,
            met=None,
        )

    def _last(self, met: bool) -> None:
        row = self._pending
        self.add(
            Row(
                what=row.what,
                figure=row.figure,
                reference=row.reference,
                ratio=row.ratio,
                target=row.target,
                met=met,
            )
        )

    def show(self) -> None:
        heads = ("row", "figure", "reference", "ratio", "target", "")
        lines = [
            (row.what, row.figure, row.reference, row.ratio, row.target, verdict(row))
            for row in self.rows
        ]
        widths = [max(len(line[n]) for line in (heads, *lines)) for n in range(len(heads))]
        print()
        for line in (heads, *lines):
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
        missed = [row for row in self.rows if row.met is False]
        left = [row for row in self.rows if row.met is None]
        print(f"\n{len(missed)} of {len(self.rows)} rows missed, {len(left)} without a verdict")


def verdict(row: Row) -> Literal["met", "MISSED", "–"]:
    return "–" if row.met is None else "met" if row.met else "MISSED"


def milliseconds(
    run: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> float:
    started = clock()
    run()
    return (clock() - started) * 1000


def side_by_side(
    first: Callable[[], object], second: Callable[[], object], times: int
) -> tuple[float, float]:
    """The medians of two things done in turn, in milliseconds: what else the machine does
    then meets both alike."""
    first()
    second()
    spent = [(milliseconds(first), milliseconds(second)) for _ in range(times)]
    return statistics.median(one for one, _ in spent), statistics.median(two for _, two in spent)


def p95(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What a command took: seconds on the clock and of all processors, peak megabytes of it
    and all its children together."""

    seconds: float
    cpu: float
    peak_mb: float
    output: str


def run(command: Sequence[str], *, cwd: Path | None = None) -> Spent:
    """Run a command of this package, and watch its memory."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path[1:]])}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    peak = [0.0]
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(SAMPLE_SECONDS):
            peak[0] = max(peak[0], tree_megabytes(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    ended.set()
    watcher.join()
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {output.decode()[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(seconds=seconds, cpu=cpu, peak_mb=peak[0], output=output.decode())


def tree_megabytes(root: int) -> float:
    """The memory of a process and all below it. On Linux proportional (pages that several
    share count once), elsewhere what ``ps`` calls resident."""
    parents: dict[int, list[tuple[int, float]]] = {}
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,rss="], capture_output=True, text=True, check=False
    ).stdout
    for line in listed.splitlines():
        pid, parent, resident = map(int, line.split())
        parents.setdefault(parent, []).append((pid, resident / 1024))
    total, waiting = 0.0, [(root, 0.0)]
    while waiting:
        pid, resident = waiting.pop()
        total += proportional(pid, resident)
        waiting += parents.get(pid, [])
    return total


def proportional(pid: int, resident: float) -> float:
    try:
        with open(f"/proc/{pid}/smaps_rollup") as lines:
            for line in lines:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return resident

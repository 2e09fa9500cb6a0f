"""The write path: a full build, a small one, nothing changed, one save."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.data import WORK
from benchmarks.libraries import OWNER, TODAY, configure, index, sample_of
from benchmarks.measure import Row, Table, side_by_side
from wellread.library import Library

RATE, PEAK_MB, SMALL_SECONDS, VISIBLE_SECONDS, UNCHANGED_TIMES = 500, 1024, 1.0, 2.0, 5
CORES = 2
"""What the targets were set for; the processor time of a build is divided by it."""


def full_build(table: Table, name: str, root: Path) -> Path:
    """Index a collection; documents/s by the clock and by processor time, and memory."""
    config = configure(name, root)
    spent = index(config, "--full")
    with Library.open(config) as library:
        run = library.status(scope=library.scope(OWNER), today=TODAY).runs[0]
    documents = run.added + run.changed
    by_cpu = documents / (spent.cpu / CORES)
    table.add(
        Row(
            what=f"full index, {documents:,} documents, {run.passages:,} passages",
            figure=f"{documents / spent.seconds:.0f} documents/s",
            reference=f"{spent.seconds:.1f} s on {os.cpu_count()} cores",
            target=f"≥ {RATE} documents/s",
            met=documents / spent.seconds >= RATE,
        )
    )
    table.add(
        Row(
            what="the same by processor time of all processes",
            figure=f"{by_cpu:.0f} documents/s",
            reference=f"{spent.cpu:.1f} s of CPU on {CORES} cores",
            target=f"≥ {RATE} documents/s",
            met=by_cpu >= RATE,
        )
    )
    table.add(
        Row(
            what="peak memory of all its processes",
            figure=f"{spent.peak_mb:.0f} MiB",
            target=f"≤ {PEAK_MB} MiB",
            met=spent.peak_mb <= PEAK_MB,
        )
    )
    return config


def small_build(table: Table, root: Path) -> None:
    config = configure("hundred", sample_of(root, 100, WORK / "files" / "hundred"))
    seconds = min(index(config, "--full").seconds for _ in range(3))
    table.add(
        Row(
            what="100 documents, the whole command",
            figure=f"{seconds:.2f} s",
            target=f"< {SMALL_SECONDS:g} s",
            met=seconds < SMALL_SECONDS,
        )
    )


def walk(root: str) -> int:
    """A bare walk with ``stat``."""
    count, waiting = 0, [root]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    entry.stat()
                    count += 1
    return count


def nothing_changed(table: Table, config: Path, root: Path) -> None:
    with Library.open(config) as library:
        library.index()
        figure, reference = side_by_side(library.index, lambda: walk(str(root)), 5)
    table.at_most(
        "index, nothing changed", figure, reference, "ms", "scandir + stat", UNCHANGED_TIMES
    )


def one_save(table: Table, root: Path) -> None:
    """A save under ``index --watch``, until a search of another process finds it."""
    folder = sample_of(root, 1000, WORK / "files" / "watched")
    config = configure("watched", folder)
    index(config)
    watcher = subprocess.Popen(
        [sys.executable, "-m", "wellread.cli", "index", "--watch", "--config", str(config)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with Library.open(config) as library:
            scope = library.scope(OWNER)
            # The first save is not counted: it waits for the watcher to be up.
            seconds = [until_found(library, folder, f"zyzzyva{n}", scope) for n in range(4)][1:]
    finally:
        watcher.terminate()
        watcher.wait()
    worst = max(seconds)
    table.add(
        Row(
            what="one file saved, until it is found (worst of 3)",
            figure=f"{worst:.2f} s",
            target=f"≤ {VISIBLE_SECONDS:g} s",
            met=worst <= VISIBLE_SECONDS,
        )
    )


def until_found(library: Library, folder: Path, word: str, scope: object) -> float:
    time.sleep(2.5)
    started = time.perf_counter()
    (folder / "saved.md").write_text(f"# Saved\n\n{word}\n")
    while time.perf_counter() - started < 30:
        result = library.search(word, scope=library.scope(OWNER), today=TODAY)
        if any(re.search(word, hit.snippet) for hit in result.hits):
            break
        time.sleep(0.02)
    return time.perf_counter() - started

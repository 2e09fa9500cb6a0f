"""``wellread index --watch``: a save is found by others soon, and errors are survived."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import IO

import pytest

from wellread.config import load
from wellread.library import Library
from wellread.types import Caller

ROOT = Path(__file__).parent.parent
OWNER = Caller(subject=None, owner=True)
TODAY = date(2026, 6, 15)
PATIENCE = 30.0
"""Seconds that a machine under load may take for anything that is not timed."""


class Watch:
    """A process that watches, and the lines it prints."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: queue.Queue[str] = queue.Queue()
        assert process.stdout is not None
        self.reading = threading.Thread(target=self._read, args=(process.stdout,), daemon=True)
        self.reading.start()

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                self.lines.put(line)

    def says(self, words: str) -> str:
        """The next line with these words."""
        deadline = time.monotonic() + PATIENCE
        seen = []
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self.lines.get(timeout=left)
            except queue.Empty:
                break
            if words in line:
                return line
            seen.append(line)
        raise AssertionError(f"{words!r} was not said, but {seen}")


@contextmanager
def watching(folder: Path) -> Iterator[Watch]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WELLREAD_")}
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "wellread.cli", "index", "--watch"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**kept, "PYTHONPATH": str(ROOT)},
    )
    watch = Watch(process)
    try:
        yield watch
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        watch.reading.join(PATIENCE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Zebra\n", encoding="utf-8")
    (tmp_path / "wellread.toml").write_text('[[sources]]\npath = "docs"\n', encoding="utf-8")
    return tmp_path


def finds(library: Library, text: str) -> bool:
    result = library.search(text, scope=library.scope(OWNER), today=TODAY)
    return result.outcome == "found"


def until(condition: Callable[[], bool], seconds: float) -> float:
    """How long it takes until the condition holds."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, "it took too long"
        os.sched_yield()
    return time.monotonic() - started


def test_a_save_is_found_by_an_open_reader_within_two_seconds(folder: Path) -> None:
    with watching(folder) as watch:
        watch.says("watching by events")
        watch.says("1 added")
        with Library(load(None, {}, folder)) as reader:
            assert finds(reader, "zebra")
            took = []
            for word in ("okapi", "quagga", "tapir"):
                (folder / "docs" / "a.md").write_text(f"# The {word}\n", encoding="utf-8")
                took.append(until(lambda: finds(reader, word), PATIENCE))  # noqa: B023
                if took[-1] <= 2.0:
                    break
            # The best of three: others may use the machine at the same time.
            assert min(took) <= 2.0, took
            assert not finds(reader, "zebra")


def test_a_watch_survives_a_run_that_fails_and_says_why(folder: Path) -> None:
    with watching(folder) as watch:
        watch.says("1 added")
        (folder / "docs" / "a.md").unlink()
        watch.says("No document was seen")
        (folder / "docs" / "b.md").write_text("# Okapi\n", encoding="utf-8")
        watch.says("1 added")
        assert watch.process.poll() is None
        with Library(load(None, {}, folder)) as reader:
            assert finds(reader, "okapi")


def test_a_watch_says_nothing_where_nothing_changed(folder: Path) -> None:
    with watching(folder) as watch:
        watch.says("1 added")
        # Files of the library and files that are no documents lead to no line of their own.
        (folder / ".wellread" / "note.md").write_text("# Note\n", encoding="utf-8")
        (folder / "docs" / "logo.png").write_bytes(b"png")
        (folder / "docs" / "b.md").write_text("# Okapi\n", encoding="utf-8")
        assert "2 files seen: 1 added" in watch.lines.get(timeout=PATIENCE)

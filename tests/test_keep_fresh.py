"""Keeping fresh: one of several watches, another takes over, and what is gone is soon not served."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.shelf import TODAY, groups, library, page, scope_of, write
from wellread.config import SourceConfig, load
from wellread.documents import Run
from wellread.errors import NotFound
from wellread.index import Progress
from wellread.keep_fresh import KeepFresh
from wellread.library import Library
from wellread.locks import WatcherLock, WriterLock
from wellread.types import Caller

ROOT = Path(__file__).parent.parent
PATIENCE = 30.0
"""Seconds that a machine under load may take for anything that is not timed."""

SERVER = """
import sys
from pathlib import Path
from wellread.config import load
from wellread.keep_fresh import KeepFresh
from wellread.library import Library
folder = Path(sys.argv[1])
keeper = KeepFresh(Library(load(None, {}, folder)), ran=lambda run: print("ran", flush=True))
if __name__ == "__main__":
    with keeper:
        sys.stdin.read()
"""


class Told:
    """What a keeper has said, and a wait for it."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self._more = threading.Condition()

    def __call__(self, what: object) -> None:
        with self._more:
            self.said.append(str(what) if isinstance(what, str) else type(what).__name__)
            self._more.notify_all()

    def wait(self, words: str, times: int = 1) -> None:
        """Until something with these words was said so often."""
        with self._more:
            done = self._more.wait_for(
                lambda: sum(words in one for one in self.said) >= times, PATIENCE
            )
            assert done, f"{words!r} was not said, but {self.said}"


def until(condition: Callable[[], bool]) -> float:
    """How long it takes until the condition holds."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < PATIENCE, "it took too long"
        os.sched_yield()
    return time.monotonic() - started


@contextmanager
def server(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that keeps the library fresh, and has run once."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ran\n"
        yield process
    finally:
        process.stdin.close()
        process.wait(PATIENCE)
        process.stdout.close()


def readable(opened: Library, path: str, caller: str | None = None) -> bool:
    try:
        opened.read(path, scope=scope_of(opened, caller), today=TODAY)
    except NotFound:
        return False
    return True


def keeper(opened: Library, told: Told) -> KeepFresh:
    return KeepFresh(opened, ran=told, failed=told, watching=told, waiting=told)


def test_deleted_and_restricted_files_are_gone_from_another_process_within_two_seconds(
    tmp_path: Path,
) -> None:
    files = {f"{name}{n}.md": f"# {name} {n}" for name in ("gone", "shut") for n in range(3)}
    with library(tmp_path, files, groups({"ann": ["sales"]})) as reader, server(tmp_path):
        took = []
        for n in range(3):  # the best of three: others may use the machine at the same time
            gone, shut = f"gone{n}.md", f"shut{n}.md"
            assert readable(reader, gone, "ann")
            assert readable(reader, shut, "ann")
            write(tmp_path / "docs", {shut: page("# shut", access="[hr]")})
            (tmp_path / "docs" / gone).unlink()
            both = (gone, shut)
            took.append(until(lambda: not any(readable(reader, one, "ann") for one in both)))  # noqa: B023
            if took[-1] <= 2.0:
                break
        assert min(took) <= 2.0, took


def test_another_takes_over_when_the_holder_is_killed(tmp_path: Path) -> None:
    told = Told()
    with (
        library(tmp_path, {"a.md": "# Zebra"}) as opened,
        server(tmp_path) as holder,
        keeper(opened, told) as mine,
    ):
        told.wait(f"(pid {holder.pid})")
        assert not mine.elected
        holder.kill()
        holder.wait(PATIENCE)
        write(tmp_path / "docs", {"b.md": "# Okapi"})
        told.wait("Watching")
        assert mine.elected
        until(lambda: readable(opened, "b.md"))


def test_only_one_of_several_in_one_process_watches_and_stopping_hands_over(tmp_path: Path) -> None:
    first, second = Told(), Told()
    with library(tmp_path, {"a.md": "# Zebra"}) as opened:
        one, two = keeper(opened, first), keeper(opened, second)
        with one, two:
            until(lambda: one.elected or two.elected)
            holder, other, told = (one, two, second) if one.elected else (two, one, first)
            told.wait("waiting for its end")
            assert not other.elected
            holder.stop()
            told.wait("Run")
            assert other.elected


def test_stopping_gives_a_run_up_and_leaves_the_library_as_it_was(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": "# Zebra"}) as opened:
        begun, go_on = threading.Event(), threading.Event()

        def index(step: Callable[[Progress], None]) -> Run:
            def slow(progress: Progress) -> None:
                begun.set()
                go_on.wait(PATIENCE)
                step(progress)

            return opened.index(progress=slow, wait=0)

        told = Told()
        write(tmp_path / "docs", {"b.md": "# Okapi"})
        mine = KeepFresh(opened, index=index, ran=told, failed=told)
        mine.start()
        assert begun.wait(PATIENCE)
        threading.Timer(0, lambda: (mine._stop.wait(), go_on.set())).start()
        started = time.monotonic()
        mine.stop()
        assert time.monotonic() - started < 5
        assert told.said == []
        assert not mine.elected
        assert not readable(opened, "b.md")
        opened.index()
        assert readable(opened, "b.md")


def test_a_run_waits_for_whoever_writes_and_says_so_once(tmp_path: Path) -> None:
    told = Told()
    with library(tmp_path, {"a.md": "# Zebra"}) as opened:
        lock = WriterLock(opened.config.library / "writer.lock", command="wellread index")
        assert lock.try_acquire()
        write(tmp_path / "docs", {"b.md": "# Okapi"})
        with keeper(opened, told):
            told.wait("is being written by wellread index")
            assert not readable(opened, "b.md")
            lock.release()
            told.wait("Run")
            assert readable(opened, "b.md")
        assert sum("is being written" in one for one in told.said) == 1


def test_a_missing_root_is_said_once_and_watched_when_it_is_back(tmp_path: Path) -> None:
    told = Told()
    with library(tmp_path, {"a.md": "# Zebra"}) as opened:
        (tmp_path / "docs").rename(tmp_path / "away")
        with keeper(opened, told):
            told.wait("docs")
            write(tmp_path / "away", {"b.md": "# Okapi"})
            (tmp_path / "away").rename(tmp_path / "docs")
            told.wait("Watching")
            until(lambda: readable(opened, "b.md"))
        failures = [one for one in told.said if one not in ("Run", "Watching")]
        assert len(failures) == 1


def test_remembered_sources_are_watched_where_there_is_no_configuration(tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": "# Zebra"})
    write(tmp_path / "more", {"c.md": "# Quagga"})
    with Library(load(None, {}, tmp_path)) as opened:
        opened.index([SourceConfig(path=tmp_path / "docs", name="docs")])
    told = Told()
    with Library(load(None, {}, tmp_path)) as opened, keeper(opened, told):
        told.wait("Run")
        write(tmp_path / "docs", {"b.md": "# Okapi"})
        until(lambda: readable(opened, "b.md"))
        # Somebody names another folder: it is followed from then on.
        with Library(load(None, {}, tmp_path)) as other:
            other.index([SourceConfig(path=tmp_path / "more", name="more")])
        told.wait("Watching", times=2)
        write(tmp_path / "more", {"d.md": "# Tapir"})
        until(lambda: readable(opened, "d.md"))
        assert not readable(opened, "b.md")


def test_a_rule_changed_in_the_configuration_holds_without_a_restart(tmp_path: Path) -> None:
    told, people = Told(), groups({"ann": ["sales"]})
    with library(tmp_path, {"pay/a.md": "# Pay"}, people) as opened:
        ann = Caller(subject="ann", groups=frozenset({"sales"}))
        config = tmp_path / "wellread.toml"
        with keeper(opened, told):
            told.wait("Run")
            assert readable(opened, "pay/a.md", "ann")
            closed = '\n[[access.rules]]\npath = "pay/**"\nallow = ["hr"]\n'
            good = config.read_text(encoding="utf-8")
            config.write_text(good + "nonsense", encoding="utf-8")
            told.wait("wellread.toml")  # it is broken, and the last good one holds
            config.write_text(good + closed, encoding="utf-8")
            until(lambda: not readable(opened, "pay/a.md", "ann"))
            assert opened.scope(ann)


def test_readers_in_other_threads_are_not_hurt_by_runs(tmp_path: Path) -> None:
    told, stop, errors = Told(), threading.Event(), list[BaseException]()
    with library(tmp_path, {"a.md": "# Zebra 0"}) as opened:

        def ask() -> None:
            scope = scope_of(opened)
            while not stop.is_set():
                try:
                    result = opened.search("zebra", scope=scope, today=TODAY)
                    # Between the two commits of a run a hit may be missing, and that is said.
                    assert result.hits or "catching up" in result.notes[0]
                    assert opened.find_exact("Zebra", scope=scope, today=TODAY).lines == 1
                except BaseException as error:  # noqa: BLE001 - shown by the test
                    errors.append(error)
                    return

        askers = [threading.Thread(target=ask) for _ in range(4)]
        with keeper(opened, told):
            told.wait("Run")
            for asker in askers:
                asker.start()
            for number in range(1, 6):
                write(tmp_path / "docs", {"a.md": f"# Zebra {number}"})
                told.wait("Run", times=number + 1)
            stop.set()
            for asker in askers:
                asker.join(PATIENCE)
        assert errors == []


def test_a_mistake_of_our_own_is_said_without_the_text_of_a_document(tmp_path: Path) -> None:
    told = Told()
    with library(tmp_path, {"a.md": "# Zebra"}) as opened:

        def index(_: object) -> Run:
            raise ValueError("secret text")

        with KeepFresh(opened, index=index, ran=told, failed=told):
            told.wait("ValueError in index")
        assert not any("secret" in one for one in told.said)


def test_the_lock_of_the_watcher_is_not_that_of_the_writer(tmp_path: Path) -> None:
    with library(tmp_path, {"a.md": "# Zebra"}) as opened:
        watcher = WatcherLock(opened.config.library / "watcher.lock")
        assert watcher.try_acquire()
        assert opened.index(wait=0).unchanged == 1
        watcher.release()

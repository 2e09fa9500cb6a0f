from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from wellread.errors import RunRefused
from wellread.watch import Changed, Watching, follow

Event = Watching | Changed | Exception | None


class Follower:
    """Follows in a thread; ``next`` waits for what comes, and ``None`` is the end."""

    def __init__(
        self,
        *roots: Path,
        ignore: tuple[Path, ...] = (),
        exclude: tuple[str, ...] = (),
        network: str | None = None,
    ) -> None:
        self.stop = threading.Event()
        self.events: Queue[Event] = Queue()

        def run() -> None:
            try:
                for event in follow(
                    roots,
                    stop=self.stop,
                    ignore=ignore,
                    exclude=exclude,
                    network=lambda root: network,
                ):
                    self.events.put(event)
            except (RunRefused, OSError) as error:
                self.events.put(error)
            self.events.put(None)

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def next(self) -> Event:
        return self.events.get(timeout=20)

    def changes_until(self, path: Path) -> set[str]:
        """All paths told until ``path`` was."""
        seen: set[str] = set()
        while str(path) not in seen:
            event = self.next()
            assert isinstance(event, Changed)
            seen |= event.paths
        return seen

    def close(self) -> None:
        self.stop.set()
        self.thread.join(timeout=20)
        assert not self.thread.is_alive()


@pytest.fixture
def started() -> Iterator[Callable[..., Follower]]:
    made: list[Follower] = []

    def start(*roots: Path, **options: Any) -> Follower:
        made.append(Follower(*roots, **options))
        return made[-1]

    yield start
    for each in made:
        each.close()


Start = Callable[..., Follower]


def test_a_save_is_told_well_within_two_seconds(tmp_path: Path, started: Start) -> None:
    follower = started(tmp_path)
    assert follower.next() == Watching(mode="events")
    saved = time.monotonic()
    (tmp_path / "a.md").write_text("text")
    follower.changes_until(tmp_path / "a.md")
    assert time.monotonic() - saved < 1.5


def test_files_in_folders_made_later_are_told(tmp_path: Path, started: Start) -> None:
    follower = started(tmp_path)
    follower.next()
    (tmp_path / "new").mkdir()
    follower.changes_until(tmp_path / "new")
    (tmp_path / "new" / "a.md").write_text("text")
    follower.changes_until(tmp_path / "new" / "a.md")


def test_deleted_and_renamed_files_are_told(tmp_path: Path, started: Start) -> None:
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "b.md").write_text("text")
    follower = started(tmp_path)
    follower.next()
    (tmp_path / "a.md").unlink()
    follower.changes_until(tmp_path / "a.md")
    (tmp_path / "b.md").rename(tmp_path / "c.md")
    follower.changes_until(tmp_path / "c.md")


def test_the_library_and_hidden_files_wake_nobody(tmp_path: Path, started: Start) -> None:
    library = tmp_path / "library"
    for folder in (library, tmp_path / ".wellread"):
        folder.mkdir()
    follower = started(tmp_path, ignore=(library,))
    follower.next()
    (library / "catalog.db").write_text("x")
    (tmp_path / ".wellread" / "catalog.db").write_text("x")
    (tmp_path / ".a.md.swp").write_text("x")
    (tmp_path / "library.md").write_text("x")
    assert follower.changes_until(tmp_path / "library.md") == {str(tmp_path / "library.md")}


def test_what_the_configuration_excludes_wakes_nobody(tmp_path: Path, started: Start) -> None:
    for folder in ("drafts", "node_modules", ".github"):
        (tmp_path / folder).mkdir()
    follower = started(tmp_path, exclude=("drafts/", "!.github/"))
    follower.next()
    (tmp_path / "drafts" / "a.md").write_text("x")
    (tmp_path / "node_modules" / "a.md").write_text("x")
    (tmp_path / ".github" / "a.md").write_text("x")
    told = follower.changes_until(tmp_path / ".github" / "a.md")
    assert told == {str(tmp_path / ".github" / "a.md")}


def test_a_root_below_a_hidden_folder_is_followed(tmp_path: Path, started: Start) -> None:
    root = tmp_path / ".hidden" / "docs"
    root.mkdir(parents=True)
    follower = started(root)
    follower.next()
    (root / "a.md").write_text("text")
    follower.changes_until(root / "a.md")


def test_every_root_is_followed(tmp_path: Path, started: Start) -> None:
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        root.mkdir()
    follower = started(*roots)
    follower.next()
    for root in roots:
        (root / "a.md").write_text("text")
        follower.changes_until(root / "a.md")


def test_a_network_share_is_polled_and_that_is_said(tmp_path: Path, started: Start) -> None:
    follower = started(tmp_path, network="nfs4")
    watching = follower.next()
    assert isinstance(watching, Watching)
    assert watching.mode == "polling"
    assert f"{tmp_path} is on a network file system (nfs4)" in watching.reason
    assert "every 0.8 s" in watching.reason
    (tmp_path / "a.md").write_text("text")
    follower.changes_until(tmp_path / "a.md")


def test_without_room_for_watches_it_polls_and_says_so(
    tmp_path: Path, started: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    real = watchfiles.watch

    def watch(*roots: Path, force_polling: bool, **rest: object) -> object:
        if not force_polling:
            raise OSError("OS file watch limit reached")
        return real(*roots, force_polling=force_polling, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(watchfiles, "watch", watch)
    follower = started(tmp_path)
    watching = follower.next()
    assert isinstance(watching, Watching)
    assert watching.mode == "polling"
    assert "watch limit reached" in watching.reason
    assert "fs.inotify.max_user_watches" in watching.reason
    (tmp_path / "a.md").write_text("text")
    follower.changes_until(tmp_path / "a.md")


def test_stopping_ends_it(tmp_path: Path, started: Start) -> None:
    follower = started(tmp_path)
    follower.next()
    follower.stop.set()
    assert follower.next() is None


def test_a_missing_root_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunRefused, match="absent is not there"):
        next(iter(follow([tmp_path / "absent"], stop=threading.Event())))


def test_a_root_that_goes_away_is_said(tmp_path: Path, started: Start) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    follower = started(root)
    follower.next()
    root.rmdir()
    event = follower.next()
    while isinstance(event, Changed):
        event = follower.next()
    assert isinstance(event, RunRefused)
    assert "docs is not there" in str(event)

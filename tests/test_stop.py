"""A question that is taken back stops the work, wherever it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.shelf import OWNER, TODAY, library
from wellread.errors import Cancelled
from wellread.library import Library
from wellread.store.snapshot import EmbeddedSnapshot
from wellread.types import Filters


@pytest.fixture(scope="module", params=["tantivy", "fts5"])
def books(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Library]:
    files = {
        f"{number}.md": f"# Document {number}\n\nwords of all kinds, number {number}\n" * 20
        for number in range(40)
    }
    settings = f'[search]\nlexical = "{request.param}"\n'
    with library(tmp_path_factory.mktemp("books"), files, settings) as opened:
        yield opened


def ask(books: Library, what: str, stop: threading.Event) -> Any:
    scope = books.scope(OWNER)
    if what == "search":
        return books.search("words", scope=scope, today=TODAY, stop=stop)
    if what == "read":
        return books.read("1.md", scope=scope, today=TODAY, stop=stop)
    regex = what == "regex"
    return books.find_exact("words", scope=scope, today=TODAY, regex=regex, stop=stop)


KINDS = pytest.mark.parametrize("what", ["search", "exact", "regex", "read"])


@KINDS
def test_nothing_is_done_for_a_question_already_taken_back(books: Library, what: str) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        ask(books, what, stop)


@KINDS
def test_a_flag_that_is_never_set_changes_nothing(books: Library, what: str) -> None:
    assert ask(books, what, threading.Event()) == ask(books, what, threading.Event())


def test_a_running_statement_of_sqlite_is_interrupted(
    books: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    )
    stop, running = threading.Event(), threading.Event()

    def count(self: EmbeddedSnapshot, **_: Any) -> int:
        running.set()
        return int(self.catalog.connection.execute(endless).fetchone()[0])

    monkeypatch.setattr(EmbeddedSnapshot, "count_documents", count)
    monkeypatch.setattr(EmbeddedSnapshot, "find", count_as_find(count))

    def set_when_running() -> None:
        assert running.wait(20)
        stop.set()

    watcher = threading.Thread(target=set_when_running)
    watcher.start()
    with pytest.raises(Cancelled):
        ask(books, "read", stop)
    watcher.join()
    monkeypatch.undo()
    assert ask(books, "read", threading.Event()).path == "1.md", "the connection is good for more"


def count_as_find(count: Callable[..., int]) -> Callable[..., int]:
    return lambda self, *_, **__: count(self)


def test_a_connection_is_given_back_without_the_flag_of_the_last_question(books: Library) -> None:
    stop = threading.Event()
    ask(books, "search", stop)
    stop.set()
    result = books.search("words", scope=books.scope(OWNER), today=TODAY, filters=Filters())
    assert result.hits


def test_an_exact_search_stops_between_texts(
    books: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()
    seen = 0
    bodies = EmbeddedSnapshot.bodies

    def counted(self: EmbeddedSnapshot, *args: Any, **more: Any) -> Any:
        nonlocal seen
        for entry in bodies(self, *args, **more):
            seen += 1
            stop.set()
            yield entry

    monkeypatch.setattr(EmbeddedSnapshot, "bodies", counted)
    monkeypatch.setattr("wellread.exact._BETWEEN_LOOKS", 5)
    with pytest.raises(Cancelled):
        ask(books, "exact", stop)
    assert seen <= 6

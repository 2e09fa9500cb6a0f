"""Runs `wellread index` many times and stops it somewhere: the process that test_crash starts.

Every run, and every look at a library, happens in a forked child, so that this process never
has a thread of Tantivy's. What a run does is counted as events (statements of SQLite, calls of
the text index, the locks, the journal); a child is stopped before the n-th of them.
"""

from __future__ import annotations

import functools
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from wellread import cli, indexing, locks
from wellread.config import load
from wellread.errors import NoIndex
from wellread.library import Library
from wellread.store import catalog_writer, embedded_writer, journal, schema, tantivy_index
from wellread.types import Caller

TODAY = date(2026, 6, 15)
OWNER = Caller(subject=None, owner=True)
FILES = 60
QUERIES = ("zebra", "first edition", "second edition", "page 7", "kept", "gone", "quagga stripes")
TABLES = {
    "documents": "path, source, location, size, mtime_ns, ctime_ns, inode, digest, fingerprint, "
    "access, dated, type, state, owner, updated, language, title, total_lines, record, headings",
    "document_tags": "tag",
    "sections": "slug, level, heading, char_start, char_end, line_start, line_end, page",
    "passages": "heading, char_start, char_end, line_start, line_end, page",
    "links": "target, anchor, line, image, written",
    "attachments": "path, kind, title, line",
    "supersessions": "target",
}


# --- the documents ---------------------------------------------------------------------------


def write_first(docs: Path) -> None:
    for number in range(FILES):
        text = f"# Page {number}\n\nA zebra of the first edition.\n\n## Stripes\n\nSee [a](p{number // 2}.md).\n"
        if number % 3 == 0:
            text = f"---\naccess: [hr]\ntags: [t{number % 4}]\nupdated: 2026-01-02\n---\n# Page {number}\n\nA kept zebra.\n"
        if number % 10 == 9:
            text = f"# Page {number}\n\nGone with the quagga.\n"
        write(docs / f"f{number % 5}" / f"p{number}.md", text)


def write_second(docs: Path) -> None:
    """A third kept, a tenth gone, a tenth new, the rest changed, some in access only."""
    for number in range(FILES):
        file = docs / f"f{number % 5}" / f"p{number}.md"
        if number % 10 == 9:
            file.unlink()
            write(docs / "new" / f"n{number}.md", f"# New {number}\n\nQuagga stripes.\n")
        elif number % 3:
            write(
                file,
                f"# Page {number}\n\nA zebra of the second edition, longer.\n\n## Other\n\nMore.\n",
            )


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


# --- children --------------------------------------------------------------------------------


def in_child(work: Callable[[], object], result: Path) -> int:
    """Do something in a forked child; its answer is written as JSON. The wait status."""
    pid = os.fork()
    if pid == 0:
        try:
            result.write_text(json.dumps(work()), encoding="utf-8")
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 - a child ends here, whatever it was
            result.write_text(json.dumps({"raised": repr(error)}), encoding="utf-8")
            os._exit(99)
    return os.waitpid(pid, 0)[1]


def answer(work: Callable[[], object], result: Path) -> Any:
    status = in_child(work, result)
    value = json.loads(result.read_text(encoding="utf-8"))
    assert status == 0, value
    return value


def index(config: Path, library: Path, *arguments: str) -> int:
    os.environ["WELLREAD_LIBRARY"] = str(library)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout = nowhere
        try:
            return cli.main(["index", "--config", str(config), *arguments])
        finally:
            sys.stdout = sys.__stdout__


def looked(config: Path, library: Path) -> Any:
    """The library as rows and as answers; ``None`` where there is none yet."""
    settings = load(config, {"WELLREAD_LIBRARY": str(library)}, config.parent)
    try:
        with Library(settings) as opened:
            scope = opened.scope(OWNER)
            status = opened.status(scope=scope, today=TODAY)
            found = {}
            for query in QUERIES:
                result = opened.search(query, scope=scope, today=TODAY, limit=100)
                hits = sorted((hit.path, hit.section, hit.snippet) for hit in result.hits)
                found[query] = [result.counts.any_word, result.counts.all_words, hits]
            grepped = opened.find_exact("edition", scope=scope, today=TODAY, limit=500)
            readable = len(opened.scope(Caller(subject="ann")).allowed)
    except NoIndex:
        return None
    return {
        "rows": rows(library / "catalog.db"),
        "found": found,
        "lines": sorted((match.path, match.line, match.text) for match in grepped.matches),
        "readable": readable,
        "documents": status.documents,
        "error": status.error,
        "behind": status.behind,
    }


def rows(catalog: Path) -> dict[str, list[str]]:
    """What the catalog says, without the ids that every build counts anew."""
    connection = sqlite3.connect(f"file:{catalog}?mode=ro", uri=True)
    said = {}
    for table, columns in TABLES.items():
        named = ", ".join(f"t.{column}" for column in columns.split(", "))
        source = (
            "documents t JOIN acls ON acls.id = acl_id"
            if table == "documents"
            else (f"{table} t JOIN documents ON documents.id = t.document_id")
        )
        first = "canonical" if table == "documents" else "documents.path"
        said[table] = sorted(
            repr(row) for row in connection.execute(f"SELECT {first}, {named} FROM {source}")
        )
    said["left_files"] = sorted(repr(row) for row in connection.execute("SELECT * FROM left_files"))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    return said


# --- events ----------------------------------------------------------------------------------


class Events:
    """Counts what a run does, by name, and stops it before or after one of them."""

    def __init__(self, stop: tuple[str, int] | None, how: signal.Signals) -> None:
        self.stop = stop
        self.how = how
        self.seen: dict[str, int] = {}

    def __call__(self, name: str) -> None:
        self.seen[name] = count = self.seen.get(name, 0) + 1
        if self.stop == (name, count):
            os.kill(os.getpid(), self.how)

    def around(self, owner: Any, name: str) -> None:
        function = getattr(owner, name)

        @functools.wraps(function)
        def wrapped(*arguments: Any, **named: Any) -> Any:
            self(f"before {name}")
            value = function(*arguments, **named)
            self(f"after {name}")
            return value

        setattr(owner, name, wrapped)

    def install(self) -> None:
        events = self

        class Connection(sqlite3.Connection):
            def execute(self, statement: str, *rest: Any) -> sqlite3.Cursor:
                word = " ".join(statement.split()[:2])
                events(f"before {word}")
                cursor = super().execute(statement, *rest)
                events(f"after {word}")
                return cursor

            def executemany(self, statement: str, *rest: Any) -> sqlite3.Cursor:
                events(f"before many {' '.join(statement.split()[:3])}")
                return super().executemany(statement, *rest)

        connect = sqlite3.connect

        class Module:
            def __getattr__(self, name: str) -> Any:
                return getattr(sqlite3, name)

            @staticmethod
            def connect(*arguments: Any, **named: Any) -> Any:
                return connect(*arguments, factory=Connection, **named)

        schema.sqlite3 = Module()  # type: ignore[assignment]
        for name in ("put", "remove", "touch", "finish"):
            self.around(catalog_writer.CatalogWriter, name)
        for name in ("add", "delete", "clear", "commit", "rollback"):
            self.around(tantivy_index.TantivyWriter, name)
        for name in ("commit", "rollback"):
            self.around(embedded_writer.EmbeddedWriter, name)
        for name in ("acquire", "release"):
            self.around(locks.WriterLock, name)
        self.around(journal, "add_run")
        self.around(embedded_writer, "remove_tantivy_folders")
        self.around(indexing, "prepare_folder")


def stopped_index(
    config: Path,
    library: Path,
    arguments: tuple[str, ...],
    stop: tuple[str, int] | None,
    how: signal.Signals,
) -> Any:
    events = Events(stop, how)
    events.install()
    code = index(config, library, *arguments)
    return {"code": code, "events": events.seen}


# --- the points ------------------------------------------------------------------------------

SCENARIOS: dict[str, tuple[bool, tuple[str, ...], str]] = {
    # name: whether there is a library of the first version, arguments, engine to go to
    "first": (False, (), "tantivy"),
    "change": (True, (), "tantivy"),
    "full": (True, ("--full",), "tantivy"),
    "engine": (True, (), "fts5"),
}


def problem_at(folder: Path, result: Path, point: random.Random, how: signal.Signals) -> str | None:
    """Stop one run; afterwards everything must hold. What does not, in words."""
    name = point.choice(sorted(SCENARIOS))
    begun, arguments, engine = SCENARIOS[name]
    config = folder / f"{engine}.toml"
    events = json.loads((folder / f"events-{name}.json").read_text())
    event = point.choice(sorted(events))
    stop = (event, point.randint(1, events[event]))
    said = f"{name}, {how.name} at {stop}"
    library = folder / "lib"
    shutil.rmtree(library, ignore_errors=True)
    if begun:
        shutil.copytree(folder / "base", library)
    first, fresh = (json.loads((folder / f"{one}.json").read_text()) for one in ("first", "fresh"))
    status = in_child(lambda: stopped_index(config, library, arguments, stop, how), result)
    if how == signal.SIGKILL:
        if status != signal.SIGKILL:
            return f"{said}: was not killed, {status}"
    else:
        told = json.loads(result.read_text())
        if status != 0 or told["code"] != cli.INTERRUPTED:
            return f"{said}: ended otherwise, {told}"
    found = answer(lambda: looked(config, library), result)
    if found is None:
        if begun:
            return f"{said}: the library is gone"
    else:
        held = first if found["rows"] == first["rows"] else fresh
        if found["rows"] != held["rows"]:
            return f"{said}: neither the old nor the new library"
        for part in ("lines", "readable", "documents", "error"):
            if found[part] != held[part]:
                return f"{said}: {part} {found[part]} instead of {held[part]}"
        for query, (_, _, hits) in found["found"].items():
            expected = held["found"][query]
            if found["behind"]:
                if not {*map(tuple, hits)} <= {*map(tuple, expected[2])}:
                    return f"{said}: {query!r} finds {hits}"
            elif found["found"][query] != expected:
                return f"{said}: {query!r} finds {hits} instead of {expected}"
    code = answer(lambda: index(config, library), result)
    if code != 0:
        return f"{said}: the next run ends with {code}"
    after = answer(lambda: looked(config, library), result)
    different = [part for part in after if after[part] != fresh[part]]
    return f"{said}: then {different} differ from a fresh build" if different else None


def main(folder: Path, seed: int, points: int, how: signal.Signals) -> None:
    docs, result = folder / "docs", folder / "answer.json"
    for engine in ("tantivy", "fts5"):
        write(
            folder / f"{engine}.toml",
            f'[[sources]]\npath = "docs"\n[search]\nlexical = "{engine}"\n',
        )
    config = folder / "tantivy.toml"
    write_first(docs)
    assert answer(lambda: index(config, folder / "base"), result) == 0
    first = answer(lambda: looked(config, folder / "base"), result)
    (folder / "first.json").write_text(json.dumps(first))
    write_second(docs)
    assert answer(lambda: index(config, folder / "fresh"), result) == 0
    fresh = answer(lambda: looked(config, folder / "fresh"), result)
    (folder / "fresh.json").write_text(json.dumps(fresh))
    for name, (begun, arguments, engine) in SCENARIOS.items():
        library = folder / "lib"
        shutil.rmtree(library, ignore_errors=True)
        if begun:
            shutil.copytree(folder / "base", library)
        told = answer(
            lambda e=engine, a=arguments: stopped_index(
                folder / f"{e}.toml", folder / "lib", a, None, how
            ),
            result,
        )
        assert told["code"] == 0, told
        (folder / f"events-{name}.json").write_text(json.dumps(told["events"]))
    point = random.Random(seed)
    problems = [problem_at(folder, result, point, how) for _ in range(points)]
    print(json.dumps([problem for problem in problems if problem]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), signal.Signals[sys.argv[4]])

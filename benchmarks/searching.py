"""Ranked search against raw Tantivy and a plain FTS5 query of the same words."""

from __future__ import annotations

import os
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import tantivy

from benchmarks.data import WORK
from benchmarks.libraries import OWNER, TODAY, catalog, configure, index, title_queries, with_acls
from benchmarks.measure import Row, Table, milliseconds, p95, side_by_side
from wellread.library import Library
from wellread.stems import content_terms, folded_function_words
from wellread.terms import compounds, index_terms
from wellread.types import Caller, Scope

QUERIES = 200
REPEATS = 5
"""Each query runs so often; its figure is the median, so that one interruption is no figure."""

WINDOW = 200
OVERHEAD_MS, FTS5_TIMES, ACL_TIMES, COLD_TIMES = 5.0, 10.0, 3.0, 3.0


def in_turn(
    queries: Sequence[str],
    *ways: Callable[[str], object],
    clock: Callable[[], float] = time.perf_counter,
) -> list[list[float]]:
    """Milliseconds of each query in each way, the ways in turn."""
    for query in queries:
        for way in ways:
            way(query)
    spent: list[list[float]] = [[] for _ in ways]
    for query in queries:
        times = [
            [milliseconds(lambda w=way, q=query: w(q), clock) for way in ways]
            for _ in range(REPEATS)
        ]
        for number in range(len(ways)):
            spent[number].append(statistics.median(one[number] for one in times))
    return spent


def searching(library: Library, scope: Scope) -> Callable[[str], object]:
    return lambda query: library.search(query, scope=scope, today=TODAY)


def raw_tantivy(config: Path) -> Callable[[str], object]:
    """The same words joined with OR, straight from the library's own index: the top 200 and
    how many there are."""
    folder = next((config.parent / ".wellread").glob("tantivy-*"))
    opened = tantivy.Index.open(str(folder))
    searcher = opened.searcher()

    def search(query: str) -> object:
        terms = dict.fromkeys(content_terms(index_terms(query, "en")[0], "en"))
        parts = [
            (
                tantivy.Occur.Should,
                tantivy.Query.term_query(opened.schema, "weighted", term, index_option="freq"),
            )
            for term in terms
        ]
        return searcher.search(tantivy.Query.boolean_query(parts), WINDOW)

    return search


def plain_fts5(config: Path) -> Callable[[str], object]:
    """An FTS5 table of the passages as anyone would make it, asked for the same words."""
    file = WORK / "fts5.db"
    file.unlink(missing_ok=True)
    connection = sqlite3.connect(file)
    connection.execute("CREATE VIRTUAL TABLE passages USING fts5(title, body, tokenize='porter')")
    source = catalog(config)
    places: dict[int, list[tuple[int, int]]] = {}
    for document, start, end in source.execute(
        "SELECT document_id, char_start, char_end FROM passages"
    ):
        places.setdefault(document, []).append((start, end))
    rows = source.execute(
        "SELECT d.id, d.title, t.body FROM documents d JOIN texts t ON t.document_id = d.id"
    )
    connection.executemany(
        "INSERT INTO passages VALUES (?, ?)",
        (
            (title, text[start:end])
            for document, title, body in rows
            for text in (bytes(body).decode(),)
            for start, end in places.get(document, ())
        ),
    )
    connection.commit()
    connection.execute("INSERT INTO passages(passages) VALUES('optimize')")
    connection.commit()
    stop = folded_function_words("en")

    def search(query: str) -> object:
        words = [word for one in compounds(query) for word in one.words]
        kept = [word for word in dict.fromkeys(words) if word not in stop] or words
        wanted = " OR ".join(f'"{word}"' for word in kept)
        return connection.execute(
            "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages) LIMIT ?",
            (wanted, WINDOW),
        ).fetchall()

    return search


def warm(table: Table, config: Path) -> None:
    queries = title_queries(config, QUERIES)
    few = queries[:: max(1, len(queries) // 50)]
    clocks = (("", time.perf_counter), (", processor time", time.thread_time))
    with Library.open(config) as library:
        ours = searching(library, library.scope(Caller(subject="ann@example.com")))
        raw, fts5 = raw_tantivy(config), plain_fts5(config)
        for named, clock in clocks:
            over_raw(table, named, *in_turn(queries, ours, raw, clock=clock))
            figures, references = in_turn(few, ours, fts5, clock=clock)
            table.faster(
                f"search, warm, median of {len(few)} titles{named}",
                statistics.median(figures),
                statistics.median(references),
                "ms",
                "FTS5 ORDER BY bm25()",
                FTS5_TIMES,
            )


def over_raw(table: Table, named: str, ours: Sequence[float], raw: Sequence[float]) -> None:
    for name, one, other in (
        ("median", statistics.median(ours), statistics.median(raw)),
        ("p95", p95(ours), p95(raw)),
    ):
        bounded = name == "median"
        table.add(
            Row(
                what=f"search, warm, {name} of {len(ours)} titles{named}",
                figure=f"{one:.2f} ms",
                reference=f"raw Tantivy {other:.2f} ms",
                ratio=f"+{one - other:.2f} ms",
                target=f"≤ raw + {OVERHEAD_MS:g} ms" if bounded else "",
                met=one <= other + OVERHEAD_MS if bounded else None,
            )
        )


def many_acls(table: Table, root: Path, counts: Sequence[int]) -> None:
    """The caller is in a third of the acls; the reference is the owner, in the same library."""
    for count in counts:
        folder = with_acls(root, count, WORK / "files" / "acls")
        config = configure("acls", folder)
        index(config)
        queries = title_queries(config, QUERIES)
        with Library.open(config) as library:
            caller = Caller(subject="ann@example.com", groups=frozenset({"third"}))
            scoped, whole = in_turn(
                queries,
                searching(library, library.scope(caller)),
                searching(library, library.scope(OWNER)),
            )
            known = len(library.scope(OWNER).allowed)
        table.at_most(
            f"search, {known:,} acls, caller in a third",
            statistics.median(scoped),
            statistics.median(whole),
            "ms",
            "without scope",
            ACL_TIMES,
        )


def cold(table: Table, config: Path) -> None:
    # Compiled modules, as an installed package has them, whatever the shell says.
    environment = dict(os.environ) | {"PYTHONPYCACHEPREFIX": str((WORK / "compiled").resolve())}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def command(*arguments: str) -> None:
        subprocess.run(
            [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True
        )

    query = title_queries(config, 1)[0]
    figure, reference = side_by_side(
        lambda: command("-m", "wellread.cli", "search", query, "--config", str(config)),
        lambda: command("-c", "import sqlite3, tantivy"),
        11,
    )
    table.at_most("cold `wellread search`", figure, reference, "ms", "bare import", COLD_TIMES)

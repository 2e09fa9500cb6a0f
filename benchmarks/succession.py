"""What standing is worth on pages that replace one another: ``python -m benchmarks.succession``.

Each page of peps-lifecycle is written out as a file, and the title of each superseded one is
searched for: does its successor stand above it? The texts of the collection hold no headers:
those were cut off, and their fields survive in lifecycle.tsv alone. So there are two figures.
``texts`` is of the pages as the collection has them, where only notices speak. ``headers`` is of
pages with ``Status:``, ``Superseded-By:`` and ``Replaces:`` written back at the top *from
lifecycle.tsv*, as the published pages have them: it shows that headers are read and acted on, and
the judgements come from the same fields. Last, the pages with headers again, with headers and
notices switched off.

Measured, of 38: headers 38, texts 11, switched off 1.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import WORK, collection, holder
from benchmarks.libraries import OWNER, TODAY, configure, index
from wellread.beir import rows
from wellread.library import Library

NAME = "peps-lifecycle"
GOAL = 0.95
LIMIT = 100
HEADERS = ("Status", "Type", "Created", "Superseded-By", "Replaces")
SWITCHED_OFF = ("[standing]", "headers = false", "notices = false")


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Of the superseded pages: how many were found with a successor above them, by any of those
    judged; and of all pairs of a page and a judged successor, in how many the latter is above."""

    pages: int
    above: int
    pairs: int
    pairs_above: int
    failed: tuple[str, ...]


def main() -> int:
    source = holder(collection(NAME), "corpus.jsonl")
    questions = [row for _, row in rows(source / "queries.jsonl")]
    successors: dict[str, list[str]] = {}
    for line in (source / "qrels.tsv").read_text().splitlines():
        query, document, _ = line.split("\t")
        successors.setdefault(query, []).append(document)
    with_headers = written(source, NAME, headers=True)
    texts = written(source, f"{NAME}-texts", headers=False)
    figures = [
        ("headers (written back from lifecycle.tsv) and notices", with_headers, ()),
        ("notices alone, the texts as they are", texts, ()),
        ("standing switched off", with_headers, SWITCHED_OFF),
    ]
    for number, (what, root, settings) in enumerate(figures):
        config = configure(f"{NAME}-{number}", root, *settings)
        index(config)
        found = outcome(config, questions, successors)
        share = found.above / found.pages
        print(f"{what}: {found.above} of {found.pages} ({share:.1%})")
        print(f"  pairs: {found.pairs_above} of {found.pairs}")
        print(f"  not: {', '.join(found.failed) or 'none'}")
        if number < 2:
            print(f"  goal ≥ {GOAL:.0%}: {'met' if share >= GOAL else 'missed'}")
    return 0


def file_name(identity: str) -> str:
    return f"{identity.lower()}.md"


def written(source: Path, name: str, *, headers: bool) -> Path:
    """The pages as files, each with a header made of its row of lifecycle.tsv where wanted."""
    root = WORK / "files" / name
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    said = {
        line.split("\t")[0]: line.split("\t")[1:6]
        for line in (source / "lifecycle.tsv").read_text().splitlines()
    }
    for _, row in rows(source / "corpus.jsonl"):
        text = f"# {row['title']}\n\n{row['text']}"
        if headers:
            lines = header(row["id"], row["title"], said[row["id"]])
            text = "\n".join([f"# {row['title']}", "", *lines, "", row["text"]])
        (root / file_name(row["id"])).write_text(text, encoding="utf-8")
    return root.resolve()


def header(identity: str, title: str, values: list[str]) -> Iterator[str]:
    """The lines at the top of a page, made of its row of lifecycle.tsv."""
    yield f"PEP: {int(identity.rpartition('-')[2])}"
    yield f"Title: {title}"
    for key, value in zip(HEADERS, values, strict=False):
        if value.strip():
            yield f"{key}: {value.strip()}"


def outcome(
    config: Path, questions: list[dict[str, Any]], successors: dict[str, list[str]]
) -> Outcome:
    above = pairs = pairs_above = 0
    failed = []
    with Library.open(config) as library:
        scope = library.scope(OWNER)
        for question in questions:
            hits = library.search(question["text"], scope=scope, today=TODAY, limit=LIMIT).hits
            place = {path: at for at, path in enumerate(dict.fromkeys(hit.path for hit in hits))}
            last = len(place)
            old = place.get(file_name(question["superseded"]), last)
            ahead = [place.get(file_name(one), last) < old for one in successors[question["id"]]]
            above += any(ahead)
            pairs += len(ahead)
            pairs_above += sum(ahead)
            if not any(ahead):
                failed.append(question["superseded"])
    return Outcome(
        pages=len(questions),
        above=above,
        pairs=pairs,
        pairs_above=pairs_above,
        failed=tuple(failed),
    )


if __name__ == "__main__":
    raise SystemExit(main())

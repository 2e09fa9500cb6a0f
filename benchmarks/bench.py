"""Measure the targets of the design: ``python -m benchmarks.bench [PART …]``.

Parts: index, search, acls, exact, cold, quality; all of them where none is named. Every
figure is compared with its own reference in the same run. Collections are looked for as
``benchmarks.data`` says; what is made goes to ``.bench``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import exactly, indexing, quality, searching
from benchmarks.data import WORK, Missing, collection
from benchmarks.libraries import configure, index
from benchmarks.measure import Row, Table

PARTS = ("index", "search", "acls", "exact", "cold", "quality")
SCALE = "scale-docs-18k"
ACLS = (10, 1_000, 18_000)


def main(wanted: list[str]) -> int:
    unknown = [part for part in wanted if part not in PARTS]
    if unknown:
        print(f"unknown part {unknown[0]!r}; known: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    parts = wanted or list(PARTS)
    table = Table()
    if set(parts) - {"quality"}:
        try:
            scale(table, parts, collection(SCALE))
        except Missing as error:
            table.add(
                Row(what=SCALE, figure="not measured", reference=str(error), target="", met=None)
            )
    if "quality" in parts:
        quality.quality(table)
    table.show()
    return 0


def scale(table: Table, parts: list[str], root: Path) -> None:
    config = WORK / "libraries" / SCALE / "wellread.toml"
    if "index" in parts:
        config = indexing.full_build(table, SCALE, root)
        indexing.small_build(table, root)
        indexing.nothing_changed(table, config, root)
        indexing.one_save(table, root)
    elif not config.exists():
        index(configure(SCALE, root))
    if "search" in parts:
        searching.warm(table, config)
    if "exact" in parts:
        exactly.find_exact(table, config, root)
    if "cold" in parts:
        searching.cold(table, config)
    if "acls" in parts:
        searching.many_acls(table, root, ACLS)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

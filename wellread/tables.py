"""Rows of text → a markdown table; CSV bytes → rows."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence

ROW_LIMIT = 10_000
"""Rows of a sheet that are kept below its header; the text says where there are more. A table
of 10,000 rows and 10 columns is about 1 MB of text."""

COLUMN_LIMIT = 200
"""Columns that are kept: beyond lies formatting rather than data, and no reader."""

_HEADER_CHARS = 64 * 1024
_QUOTED = re.compile(r'"[^"]*"')
_SEPARATOR = re.compile(r"sep=(.)\r?\n")  # Excel's own first line


def markdown_table(rows: Iterable[Sequence[str]], *, limit: int | None = None) -> str:
    """A markdown table of ``rows``, the first non-empty one as its header.

    Empty rows, and columns that are empty throughout on the right, are left out. Where there
    are more than ``limit`` rows below the header, or ``COLUMN_LIMIT`` columns, a line below
    the table says so.
    """
    kept: list[list[str]] = []
    width, widest, more = 0, 0, False
    for row in rows:
        cells = [_cell(value) for value in row[:COLUMN_LIMIT]]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        if limit is not None and len(kept) > limit:
            more = True
            break
        if any(row[COLUMN_LIMIT:]):
            widest = max(widest, len(row))
        width = max(width, len(cells))
        kept.append(cells)
    if not kept:
        return ""
    lines = [_line(cells, width) for cells in kept]
    lines.insert(1, "|" + " --- |" * width)
    if more:
        lines.append(f"\nOnly the first {limit:,} rows are shown here; the file has more.")
    if widest:
        lines.append(f"\nOnly the first {COLUMN_LIMIT} of {widest:,} columns are shown here.")
    return "\n".join(lines)


def table_from_csv(text: str, *, tabs: bool = False) -> str:
    """The markdown table of a CSV file with any usual separator, or of a TSV file (``tabs``).

    Raises ``csv.Error`` for what cannot be taken apart.
    """
    return markdown_table(_rows(text, "\t" if tabs else None))


def _rows(text: str, separator: str | None) -> Iterator[list[str]]:
    import csv

    # A limit of the whole process, 128 KiB by default: less than a long cell may have.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    said = _SEPARATOR.match(text)
    if said is not None:
        text, separator = text[said.end() :], said[1]
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator or _separator(text))


def _separator(text: str) -> str:
    # csv.Sniffer guesses from the letters of prose, too; a header line is telling enough.
    header = _QUOTED.sub("", text.lstrip()[:_HEADER_CHARS]).partition("\n")[0]
    return max(",;\t|", key=header.count)


def _cell(value: str) -> str:
    return " ".join(value.split()).replace("|", "\\|")


def _line(cells: list[str], width: int) -> str:
    return "| " + " | ".join(cells + [""] * (width - len(cells))) + " |"

"""Exact search against ripgrep with two threads on the same files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from benchmarks.libraries import OWNER, TODAY
from benchmarks.measure import Row, Table, side_by_side
from wellread.library import Library


class Needle(NamedTuple):
    """What is looked for, and how many times ripgrep's time it may take."""

    kind: str
    text: str
    times: float
    regex: bool = False
    ignore_case: bool = False


NEEDLES = (
    Needle("identifier", "sql.defaults.results_buffer.size", 0.1),
    Needle("identifier", "Get-PSSessionConfiguration", 0.1),
    Needle("phrase", "the gateway node", 0.1),
    Needle("phrase", "execution policy is set to", 0.1),
    Needle("common", "the", 1.2),
    Needle("common", "cluster", 1.2),
    Needle("two characters", "5G", 2),
    Needle("one character", "Q", 2),
    Needle("ignoring case", "powershell gallery", 2, ignore_case=True),
    Needle("ignoring case", "CLUSTER", 2, ignore_case=True),
    Needle("regex", r"v2\d\.\d\.\d+-beta", 2, regex=True),
    Needle("regex", r"[Bb]ackup(s|ed)? (of|from) ", 2, regex=True),
)


def find_exact(table: Table, config: Path, root: Path) -> None:
    ripgrep = shutil.which("rg")
    with Library.open(config) as library:
        scope = library.scope(OWNER)
        for needle in NEEDLES:

            def ours(needle: Needle = needle) -> object:
                return library.find_exact(
                    needle.text,
                    scope=scope,
                    today=TODAY,
                    regex=needle.regex,
                    ignore_case=needle.ignore_case,
                )

            def theirs(needle: Needle = needle) -> object:
                flags = ["-c", "-j2", "--no-ignore"]
                flags += [] if needle.regex else ["-F"]
                flags += ["-i"] if needle.ignore_case else []
                return subprocess.run(
                    [ripgrep or "rg", *flags, "-e", needle.text, str(root)],
                    stdout=subprocess.DEVNULL,
                    check=False,
                )

            what = f"find_exact, {needle.kind}: {needle.text}"
            if ripgrep is None:
                table.add(
                    Row(
                        what=what,
                        figure="not measured",
                        reference="ripgrep (rg) is missing",
                        target=limit(needle),
                        met=None,
                    )
                )
                continue
            figure, reference = side_by_side(ours, theirs, 5)
            if needle.times < 1:
                table.faster(what, figure, reference, "ms", "rg -c -j2", 1 / needle.times)
            else:
                table.at_most(what, figure, reference, "ms", "rg -c -j2", needle.times)


def limit(needle: Needle) -> str:
    return f"≥ {1 / needle.times:g}× faster" if needle.times < 1 else f"≤ {needle.times:g}×"

"""A progress bar for an index run, where somebody is watching."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from wellread.index import Progress


@contextmanager
def shown_progress(stream: TextIO) -> Iterator[Callable[[Progress], None] | None]:
    """What to call with each step of a run: a bar on a terminal, ``None`` anywhere else."""
    if not stream.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("indexing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(file=stream), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda progress: bar.update(task, completed=progress.done, total=progress.total)

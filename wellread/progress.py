"""A progress bar for an index run, where somebody is watching."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from wellread.embedding import EmbeddingProgress
    from wellread.index import Progress


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """What to call with each step of a run, and of embedding after it; ``None`` where nobody
    is watching."""

    indexing: Callable[[Progress], None] | None = None
    embedding: Callable[[EmbeddingProgress], None] | None = None


@contextmanager
def shown_progress(stream: TextIO) -> Iterator[Shown]:
    """A bar on a terminal, and nothing anywhere else. Embedding has an estimate from its own
    average: models are slow, and steady."""
    if not stream.isatty():
        yield Shown()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Bar(*columns, console=Console(file=stream), transient=True) as bar:
        task = bar.add_task("indexing", total=None, left="")

        def embedding(progress: EmbeddingProgress) -> None:
            bar.update(
                task,
                description="embedding",
                completed=progress.done,
                total=progress.total,
                left=time_left(progress.seconds),
            )

        yield Shown(
            indexing=lambda progress: bar.update(
                task, completed=progress.done, total=progress.total
            ),
            embedding=embedding,
        )


def time_left(seconds: float | None) -> str:
    """An estimate as a person says it."""
    if seconds is None:
        return "time left unknown yet"
    if seconds < 90:
        return f"about {round(seconds)} seconds left"
    if seconds < 5400:
        return f"about {round(seconds / 60)} minutes left"
    return f"about {seconds / 3600:.1f} hours left"

"""What ``index``, ``lint`` and ``status`` show, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from wellread.output import BLANK, Line, line, plural
from wellread.report_journal import lost_lines

if TYPE_CHECKING:
    from wellread.documents import Problem, Run
    from wellread.status import FileNote, Status
    from wellread.store.base import Coverage


def run_lines(run: Run) -> Iterator[Line]:
    """What an index run did."""
    yield line(_summary(run))
    if run.vectors is not None:
        made = run.vectors
        new, passages = plural(made.embedded, "text"), plural(made.passages, "passage")
        yield line(
            f"vectors: {made.embedded:,} {new} embedded, {made.known:,} of {made.passages:,} "
            f"{passages} have one ({made.model})"
        )


def _summary(run: Run) -> str:
    text = (
        f"{run.seen} {plural(run.seen, 'file')} seen: {run.added} added, {run.changed} changed, "
        f"{run.unchanged} unchanged, {run.removed} removed"
    )
    for label, reasons in (("skipped", run.skipped), ("failed", run.failed)):
        if reasons:
            text += f", {sum(reasons.values())} {label} ({counts(reasons)})"
    return f"{text}; {run.passages} {plural(run.passages, 'passage')}, {run.seconds:.1f} s"


def held_back(count: int) -> str | None:
    """The warning of a run that has not removed what seems to be gone."""
    if not count:
        return None
    return (
        f"{count} {plural(count, 'document')} that seem to be gone are kept for now, as they are "
        "more than half of a source. Check the source; if they are to go, run "
        "wellread index --allow-mass-delete"
    )


def lint_lines(problems: Sequence[Problem]) -> Iterator[Line]:
    """Mistakes by path and line, and their number."""
    for problem in problems:
        place = (f"{problem.path}:{problem.line}", "path")
        yield line(place, f": {problem.message} ", (f"[{problem.code}]", "quiet"))
    if not problems:
        yield line("No problems")
        return
    documents = len({problem.path for problem in problems})
    yield BLANK
    yield line(
        f"{len(problems)} {plural(len(problems), 'problem')} in {documents} "
        f"{plural(documents, 'document')}"
    )


def status_lines(status: Status) -> Iterator[Line]:
    """What the library holds and how its last runs went."""
    rows = [
        ("documents", str(status.documents)),
        ("types", counts(status.types)),
        ("states", counts(status.states)),
        ("languages", counts(status.languages)),
        ("standing", counts(status.standings)),
        ("indexed", status.indexed_at or "never"),
        ("vectors", _covered(status.vectors)),
        ("skipped files", counts(status.skipped)),
    ]
    width = max(len(name) for name, _ in rows) + 2
    for name, value in rows:
        if value:
            yield line((f"{name:<{width}}", "quiet"), value)
    if status.error:
        yield line(("The last run failed: ", "bad"), status.error)
    if warning := held_back(status.held_back):
        yield line((warning, "warning"))
    if status.behind:
        yield line(("The text index is catching up with the last run.", "warning"))
    yield from lost_lines(status.lost_traces)
    if status.acls:
        yield from _titled("who may read how many documents")
        column = max(len(str(acl.documents)) for acl in status.acls)
        for acl in status.acls:
            yield line(f"{acl.documents:>{column}}  {acl.readers}", indent=2)
    yield from _files("changed since indexed", status.stale, status.stale_count)
    yield from _files("failed files", status.failed, status.failed_count)
    yield from _files("files to look at", status.skipped_files, status.skipped_files_count)
    if status.runs:
        yield from _titled("last runs")
        for run in status.runs:
            failed = f". Failed: {run.error}" if run.error else ""
            yield line(f"{run.finished_at}  {_summary(run)}{failed}", indent=2)


def _covered(vectors: Coverage | None) -> str:
    if vectors is None:
        return ""
    whole = vectors.known == vectors.passages
    return f"{'' if whole else 'degraded: '}{vectors.known:,} of {vectors.passages:,} passages"


def _titled(title: str) -> Iterator[Line]:
    yield BLANK
    yield line((title, "quiet"))


def _files(title: str, files: Sequence[FileNote], count: int) -> Iterator[Line]:
    if not count:
        return
    yield from _titled(f"{title}: {count}")
    for file in files:
        yield line((file.path, "path"), f": {file.message}", indent=2)
    if count > len(files):
        yield line((f"and {count - len(files)} more", "quiet"), indent=2)


def counts(numbers: Mapping[str, int]) -> str:
    """Counts by name, in the order given."""
    return ", ".join(f"{name} {count}" for name, count in numbers.items())

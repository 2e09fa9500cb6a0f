"""The commands that write: the configuration, the index, a backup."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, get_args

from wellread.arguments import DETAILS, SHELLS, build_parser, config_of
from wellread.errors import RunRefused, UsageError
from wellread.output import sentence

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from pathlib import Path

    from wellread.config import Config, SourceConfig
    from wellread.documents import Run
    from wellread.index import Progress
    from wellread.library import Library
    from wellread.watch import Watching


def init(args: argparse.Namespace) -> int:
    """Write a commented configuration."""
    from pathlib import Path

    from wellread.config import FILE_NAME
    from wellread.settings import template

    file = Path(args.config) if args.config is not None else Path.cwd() / FILE_NAME
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(template())
    except FileExistsError:
        raise UsageError(f"{file} exists and is left as it is: edit it, or move it away") from None
    return _done(args, {"written": str(file)}, f"Wrote {file}. Next: wellread index")


def index(args: argparse.Namespace) -> int:
    """Build or refresh the library, or follow its sources."""
    from pathlib import Path

    from wellread.library import Library

    config = config_of(args)
    sources = _sources([Path(source) for source in args.sources], config)
    with Library.open(config) as library:
        if args.watch:
            return _watch(args, library, sources)
        run = _one_run(args, library, sources)
    return _ran(args, run)


def _sources(given: list[Path], config: Config) -> tuple[SourceConfig, ...] | None:
    """The sources of the command line; ``None`` where those that are set hold. A configuration
    lists all sources of its library, so that no other can stand in for some of them."""
    from pathlib import Path

    from wellread.config import named_sources

    if not given:
        return None
    sources = named_sources(given, Path.cwd())
    if config.file is None or not config.sources:
        return sources
    if {source.path for source in sources} == {source.path for source in config.sources}:
        return None
    raise UsageError(
        f"the sources of this library are set in {config.file}: run wellread index without naming "
        "any, or change [[sources]] there"
    )


def _one_run(
    args: argparse.Namespace,
    library: Library,
    sources: tuple[SourceConfig, ...] | None,
    *,
    step: Callable[[Progress], None] | None = None,
    wait: float | None = None,
) -> Run:
    from wellread.progress import shown_progress

    with shown_progress(sys.stderr) as shown:
        bar = shown.indexing

        def told(progress: Progress) -> None:
            if step is not None:
                step(progress)
            if bar is not None:
                bar(progress)

        return library.index(
            sources,
            full=args.full,
            verify=args.verify,
            allow_mass_delete=args.allow_mass_delete,
            reembed=args.reembed,
            progress=told,
            embedding_progress=shown.embedding,
            wait=wait,
        )


def _ran(args: argparse.Namespace, run: Run) -> int:
    from wellread.output import emit, emit_json, plain
    from wellread.report import held_back, run_lines

    if args.json:
        emit_json(plain(run), sys.stdout)
    else:
        emit(run_lines(run), sys.stdout)
    if warning := held_back(run.held_back):
        print(f"wellread: {sentence(warning)}", file=sys.stderr)
    if run.error:
        print(f"wellread: {sentence(run.error)}", file=sys.stderr)
    problem = run.vectors.problem if run.vectors else None
    if problem:
        print(f"wellread: {sentence(problem)}", file=sys.stderr)
    return RunRefused.exit_code if run.error or problem else 0


def _watch(
    args: argparse.Namespace, library: Library, sources: tuple[SourceConfig, ...] | None
) -> int:
    from dataclasses import replace

    from wellread.keep_fresh import KeepFresh

    if sources is not None:
        library.reconfigure(replace(library.config, sources=sources))
    if not library.config.sources:
        return _ran(args, _one_run(args, library, sources))  # says that there is no source
    named, shown = sources, False

    def index(step: Callable[[Progress], None]) -> Run:
        nonlocal named
        run = _one_run(args, library, named, step=step, wait=0)
        # Remembered now, and built anew; from here on the library's own sources are followed.
        named, args.full, args.reembed = None, False, False
        return run

    def ran(run: Run) -> None:
        nonlocal shown
        if not shown or run.added or run.changed or run.removed or run.held_back or run.error:
            _ran(args, run)
            sys.stdout.flush()
        shown = True

    def watching(how: Watching) -> None:
        reason = f": {how.reason}" if how.reason else ""
        print(f"wellread: watching by {how.mode}{reason}", file=sys.stderr)

    KeepFresh(
        library,
        command="wellread index --watch",
        index=index,
        watching=watching,
        ran=ran,
        failed=_say,
        waiting=_say,
        first=True,
    ).run()
    return 0


def _say(message: str) -> None:
    print(f"wellread: {sentence(message)}", file=sys.stderr)


def backup(args: argparse.Namespace) -> int:
    """Write the library into one file."""
    from pathlib import Path

    from wellread.library import Library

    with Library.open(config_of(args)) as library:
        library.backup(Path(args.file))
    return _done(args, {"written": args.file}, f"Wrote {args.file}")


def restore(args: argparse.Namespace) -> int:
    """Make a library from such a file."""
    from pathlib import Path

    from wellread.library import Library

    library = config_of(args).library
    Library.restore(Path(args.file), library)
    return _done(args, {"library": str(library)}, f"Restored {library} from {args.file}")


def forget(args: argparse.Namespace) -> int:
    """Delete the traces and reported misses of a subject."""
    from wellread.access import fold
    from wellread.library import Library
    from wellread.output import plural

    with Library.open(config_of(args)) as library:
        count = library.forget(fold(args.subject))
    words = f"{count} {plural(count, 'record')} of {args.subject} deleted"
    return _done(args, {"forgotten": count}, words)


def completion(args: argparse.Namespace) -> int:
    """Print what completes commands in a shell."""
    from wellread.completion import script
    from wellread.output import emit_json
    from wellread.tools import Profile
    from wellread.types import STATES, TYPES

    if args.shell not in SHELLS:
        raise UsageError(f"the shell {args.shell!r} is unknown. Known: {', '.join(SHELLS)}")
    values = {
        "type": TYPES,
        "state": STATES,
        "detail": DETAILS,
        "profile": get_args(Profile),
        "shell": SHELLS,
    }
    text = script(args.shell, build_parser(), values)
    if args.json:
        emit_json({"script": text}, sys.stdout)
    else:
        sys.stdout.write(text)
    return 0


def _done(args: argparse.Namespace, value: dict[str, Any], words: str) -> int:
    from wellread.output import emit, emit_json, line

    if args.json:
        emit_json(value, sys.stdout)
    else:
        emit([line(words)], sys.stdout)
    return 0

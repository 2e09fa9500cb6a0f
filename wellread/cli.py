"""The command line: arguments in, lines or JSON out. What a command does is the library's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from wellread.arguments import (
    DETAILS,
    SHELLS,
    build_parser,
    day,
    filters_of,
    line_range,
    text_of,
)
from wellread.errors import NotFound, UsageError, WellreadError

if TYPE_CHECKING:
    import argparse
    from datetime import date
    from pathlib import Path

    from wellread.config import Config, SourceConfig
    from wellread.library import Library
    from wellread.types import Caller, Outcome, Run

INTERRUPTED, READER_GONE = 130, 141  # as a shell reports SIGINT and SIGPIPE
NO_INDEX, RUN_FAILED, CHECK_FAILED, STORE_UNAVAILABLE = 3, 5, 6, 4
RETRY_SECONDS = 2.0  # what a watched save may take to be found


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; see docs/configuration.md."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in arguments
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that a narrow terminal cannot show is escaped
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return READER_GONE
    except WellreadError as error:
        return _fail(str(error), error.exit_code, as_json)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        message = f"the system refused: {error.strerror or error}{where}"
        return _fail(message, STORE_UNAVAILABLE, as_json)
    except Exception as error:
        if "--debug" in arguments:
            raise
        message = (
            f"a mistake in wellread itself, {type(error).__name__}: {error}. Nothing was lost. "
            "Please report it with what the same command prints with --debug"
        )
        return _fail(message, RUN_FAILED, as_json)
    return code


def _run(arguments: list[str]) -> int:
    parser = build_parser()
    args = parser.parse_args(arguments)
    if args.command is None:
        parser.print_help()
        return 0
    for name, value in (("json", False), ("config", None), ("as_", None), ("today", None)):
        if not hasattr(args, name):
            setattr(args, name, value)
    return COMMANDS[args.command](args)


def _fail(message: str, code: int, as_json: bool) -> int:
    try:
        if as_json:
            from wellread.output import emit_json

            emit_json({"error": _sentence(message), "exit_code": code}, sys.stdout)
            sys.stdout.flush()
        print(f"wellread: {_sentence(message)}", file=sys.stderr)
    except BrokenPipeError:
        _silence_stdout()
    return code


def _sentence(message: str) -> str:
    text = message[:1].upper() + message[1:]
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _silence_stdout() -> None:
    """Keeps the interpreter from complaining about the closed pipe when it ends."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- values ----------------------------------------------------------------------------------


def _config(args: argparse.Namespace) -> Config:
    from pathlib import Path

    from wellread.config import load_here

    return load_here(Path(args.config) if args.config is not None else None)


def _caller(args: argparse.Namespace, config: Config) -> Caller:
    from wellread.access import identify

    return identify(
        args.as_, config.environ_as, config.subject, transport="cli", groups=config.groups
    )


def _today(args: argparse.Namespace) -> date:
    from datetime import date

    return day(args.today, "--today") or date.today()


# --- commands that read ----------------------------------------------------------------------


def _search(args: argparse.Namespace) -> int:
    text = text_of(args, "'a few words'")
    if args.detail not in DETAILS:
        raise UsageError(f"--detail {args.detail!r} is unknown. Known: {', '.join(DETAILS)}")
    config = _config(args)
    filters, caller, today = filters_of(args, config), _caller(args, config), _today(args)
    from wellread.library import Library

    with Library.open(config) as library:
        result = library.search(
            text,
            scope=library.scope(caller),
            today=today,
            filters=filters,
            limit=args.limit,
            page=args.page,
            detail=args.detail,
            explain=args.explain,
        )
    from wellread.output import emit, emit_json
    from wellread.show import search_json, search_lines

    if args.json:
        emit_json(search_json(result, explain=args.explain), sys.stdout)
    else:
        emit(search_lines(result, explain=args.explain), sys.stdout)
    return _outcome_code(result.outcome, bool(result.hits))


def _grep(args: argparse.Namespace) -> int:
    text = text_of(args, "'an exact string'")
    if args.limit < 1:
        raise UsageError(f"--limit {args.limit} shows nothing: write a number from 1")
    config = _config(args)
    filters, caller, today = filters_of(args, config), _caller(args, config), _today(args)
    from wellread.library import Library

    with Library.open(config) as library:
        result = library.find_exact(
            text,
            scope=library.scope(caller),
            today=today,
            filters=filters,
            regex=args.regex,
            ignore_case=args.ignore_case,
            limit=args.limit,
        )
    from wellread.output import emit, emit_json
    from wellread.show import exact_json, exact_lines

    if args.json:
        emit_json(exact_json(result), sys.stdout)
    else:
        emit(exact_lines(result), sys.stdout)
    return _outcome_code(result.outcome, bool(result.matches))


def _outcome_code(outcome: Outcome, found: bool) -> int:
    if found:
        return 0
    return NO_INDEX if outcome in {"index-empty", "index-failed"} else NotFound.exit_code


def _read(args: argparse.Namespace) -> int:
    lines = line_range(args.lines)
    config = _config(args)
    caller, today = _caller(args, config), _today(args)
    from wellread.library import Library

    with Library.open(config) as library:
        result = library.read(
            args.handle,
            scope=library.scope(caller),
            today=today,
            lines=lines,
            outline=args.outline,
        )
    from wellread.output import emit, emit_json
    from wellread.show import read_json, read_lines

    if args.json:
        emit_json(read_json(result), sys.stdout)
    else:
        emit(read_lines(result, outline=args.outline), sys.stdout)
    return 0


def _status(args: argparse.Namespace) -> int:
    from wellread.output import emit, emit_json, plain
    from wellread.report import status_lines

    config = _config(args)
    caller, today = _caller(args, config), _today(args)
    from wellread.library import Library

    with Library.open(config) as library:
        status = library.status(scope=library.scope(caller), today=today)
    if args.json:
        emit_json(plain(status), sys.stdout)
    else:
        emit(status_lines(status), sys.stdout)
    return 0 if status.documents else NO_INDEX


def _lint(args: argparse.Namespace) -> int:
    from wellread.output import emit, emit_json, plain
    from wellread.report import lint_lines

    config = _config(args)
    caller = _caller(args, config)
    from wellread.library import Library

    with Library.open(config) as library:
        problems = library.lint(scope=library.scope(caller))
    if args.json:
        emit_json({"problems": plain(problems)}, sys.stdout)
    else:
        emit(lint_lines(problems), sys.stdout)
    return CHECK_FAILED if problems else 0


# --- commands that write ---------------------------------------------------------------------


def _init(args: argparse.Namespace) -> int:
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


def _index(args: argparse.Namespace) -> int:
    from pathlib import Path

    from wellread.library import Library

    config = _config(args)
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
    args: argparse.Namespace, library: Library, sources: tuple[SourceConfig, ...] | None
) -> Run:
    from wellread.progress import shown_progress

    with shown_progress(sys.stderr) as progress:
        return library.index(
            sources,
            full=args.full,
            verify=args.verify,
            allow_mass_delete=args.allow_mass_delete,
            progress=progress,
        )


def _ran(args: argparse.Namespace, run: Run) -> int:
    from wellread.output import emit, emit_json, plain
    from wellread.report import held_back, run_lines

    if args.json:
        emit_json(plain(run), sys.stdout)
    else:
        emit(run_lines(run), sys.stdout)
    if warning := held_back(run.held_back):
        print(f"wellread: {_sentence(warning)}", file=sys.stderr)
    if run.error:
        print(f"wellread: {_sentence(run.error)}", file=sys.stderr)
    return RUN_FAILED if run.error else 0


def _watch(
    args: argparse.Namespace, library: Library, sources: tuple[SourceConfig, ...] | None
) -> int:
    import threading

    from wellread.watch import Watching, follow

    stop = threading.Event()
    roots = [source.path for source in sources or library.config.sources]
    if not roots:
        return _ran(args, _one_run(args, library, sources))  # says that there is no source
    shown = False
    ignore, exclude = [library.config.library], library.config.exclude
    for event in follow(roots, stop=stop, ignore=ignore, exclude=exclude):
        if isinstance(event, Watching):
            reason = f": {event.reason}" if event.reason else ""
            print(f"wellread: watching by {event.mode}{reason}", file=sys.stderr)
        run = _run_until_done(args, library, sources, stop)
        if not shown or run.added or run.changed or run.removed or run.held_back or run.error:
            _ran(args, run)
            sys.stdout.flush()
        shown = True
        args.full = False
    return 0


def _run_until_done(
    args: argparse.Namespace,
    library: Library,
    sources: tuple[SourceConfig, ...] | None,
    stop: Any,
) -> Run:
    """A run, again after a pause where it could not be done, as while another holds the lock."""
    said = ""
    while True:
        try:
            return _one_run(args, library, sources)
        except WellreadError as error:
            if str(error) != said:
                said = str(error)
                print(f"wellread: {_sentence(said)}", file=sys.stderr)
            stop.wait(RETRY_SECONDS)


def _backup(args: argparse.Namespace) -> int:
    from pathlib import Path

    from wellread.library import Library

    with Library.open(_config(args)) as library:
        library.backup(Path(args.file))
    return _done(args, {"written": args.file}, f"Wrote {args.file}")


def _restore(args: argparse.Namespace) -> int:
    from pathlib import Path

    from wellread.library import Library

    library = _config(args).library
    Library.restore(Path(args.file), library)
    return _done(args, {"library": str(library)}, f"Restored {library} from {args.file}")


def _forget(args: argparse.Namespace) -> int:
    from wellread.access import fold
    from wellread.library import Library
    from wellread.output import plural

    with Library.open(_config(args)) as library:
        count = library.forget(fold(args.subject))
    words = f"{count} {plural(count, 'trace')} of {args.subject} deleted"
    return _done(args, {"forgotten": count}, words)


def _completion(args: argparse.Namespace) -> int:
    from wellread.completion import script
    from wellread.output import emit_json
    from wellread.types import STATES, TYPES

    if args.shell not in SHELLS:
        raise UsageError(f"the shell {args.shell!r} is unknown. Known: {', '.join(SHELLS)}")
    values = {"type": TYPES, "state": STATES, "detail": DETAILS, "shell": SHELLS}
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


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "init": _init,
    "index": _index,
    "search": _search,
    "grep": _grep,
    "read": _read,
    "status": _status,
    "lint": _lint,
    "backup": _backup,
    "restore": _restore,
    "forget": _forget,
    "completion": _completion,
}

if __name__ == "__main__":
    sys.exit(main())

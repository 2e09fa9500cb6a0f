"""The command line: arguments in, lines or JSON out. What a command does is the library's."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from wellread.arguments import build_parser
from wellread.errors import RunRefused, StoreUnavailable, WellreadError

INTERRUPTED, READER_GONE = 130, 141  # as a shell reports SIGINT and SIGPIPE


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
        return _fail(message, StoreUnavailable.exit_code, as_json)
    except Exception as error:
        if "--debug" in arguments:
            raise
        message = (
            f"a mistake in wellread itself, {type(error).__name__}: {error}. Nothing was lost. "
            "Please report it with what the same command prints with --debug"
        )
        return _fail(message, RunRefused.exit_code, as_json)
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
    command = getattr(import_module(f"wellread.{COMMANDS[args.command]}"), args.command)
    return int(command(args))


def _fail(message: str, code: int, as_json: bool) -> int:
    from wellread.output import emit_json, sentence

    try:
        if as_json:
            emit_json({"error": sentence(message), "exit_code": code}, sys.stdout)
            sys.stdout.flush()
        print(f"wellread: {sentence(message)}", file=sys.stderr)
    except BrokenPipeError:
        _silence_stdout()
    return code


def _silence_stdout() -> None:
    """Keeps the interpreter from complaining about the closed pipe when it ends."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


COMMANDS = {
    "init": "cli_write",
    "index": "cli_write",
    "search": "cli_read",
    "grep": "cli_read",
    "read": "cli_read",
    "context": "cli_context",
    "status": "cli_read",
    "lint": "cli_read",
    "eval": "cli_eval",
    "synonyms": "cli_synonyms",
    "serve": "cli_serve",
    "traces": "cli_journal",
    "misses": "cli_journal",
    "connect": "cli_connect",
    "backup": "cli_write",
    "restore": "cli_write",
    "forget": "cli_write",
    "completion": "cli_write",
}
"""Each command is a function of its name, in a module of its own kind: only that is imported."""

if __name__ == "__main__":
    sys.exit(main())

"""The command that connects a client: what goes into its configuration, printed or merged"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from wellread.arguments import config_of
from wellread.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from wellread.config import Config
    from wellread.connect import Connection, Environment


def connect(args: argparse.Namespace) -> int:
    """Print or merge a client's configuration."""
    from pathlib import Path

    from wellread.connect import CLIENTS, config_path, instructions, write

    client = next((one for one in CLIENTS if one == args.client.strip().casefold()), None)
    if client is None:
        raise UsageError(f"the client {args.client!r} is unknown. Known: {', '.join(CLIENTS)}")
    connection = _connection(args)
    path = config_path(client, _environment())
    if not args.write:
        text = instructions(client, connection, path)
        return _shown(args, {"client": client, "file": str(path) if path else None, "text": text})
    if path is None:
        raise UsageError(f"{client} has no file to write to: leave out --write, and it is said how")
    merged = write(Path(path), client, connection)
    words = f"{path} has this entry already" if merged.already else f"Added to {path}"
    if not merged.already:
        words += f" as {connection.name}: restart the client"
    value = {"client": client, "file": str(path), "written": not merged.already}
    return _shown(args, value, f"{words}\n")


def _connection(args: argparse.Namespace) -> Connection:
    from wellread.connect import Connection

    variables = dict(_variable(one) for one in args.env)
    if args.url is not None:
        return Connection(
            url=args.url,
            subject=args.as_,
            local_owner=args.local_owner,
            variables=variables,
            name=args.name,
        )
    config = config_of(args)
    subject = _subject(args, config)
    file, library = _places(config)
    command = _command()
    return Connection(
        command=str(command) if command is not None else None,
        config=str(file) if file is not None else None,
        library=str(library) if library is not None else None,
        subject=subject,
        local_owner=args.local_owner,
        variables=variables,
        name=args.name,
    )


def _variable(written: str) -> tuple[str, str]:
    name, equals, value = written.partition("=")
    if not equals:
        raise UsageError(f"--env {written!r} has no value: write NAME=VALUE")
    return name, value


def _subject(args: argparse.Namespace, config: Config) -> str | None:
    """Who the client asks as, checked to be somebody."""
    from wellread.access import identify

    asked = args.as_ if args.as_ is not None else config.environ_as
    if asked is None:
        return None
    if args.local_owner:
        raise UsageError("--local-owner and a subject contradict each other: leave one of them out")
    caller = identify(args.as_, config.environ_as, None, transport="stdio", groups=config.groups)
    return caller.subject


def _places(config: Config) -> tuple[Path | None, Path | None]:
    """The configuration's file, and the library where the file does not say where it is."""
    from wellread.config import load

    if config.file is not None:
        own = load(config.file, {}, config.file.parent).library
        return config.file, None if own == config.library else config.library
    if not config.library.is_dir():
        raise UsageError(
            f"there is no library at {config.library}: run wellread index FOLDER first, or name "
            "the configuration with --config"
        )
    return None, config.library


def _command() -> Path | None:
    """The ``wellread`` that belongs to this Python, else the one of the search path. Links stay
    as they are: a virtual environment is found by its own."""
    import shutil
    from pathlib import Path

    beside = Path(sys.executable).absolute().parent / "wellread"
    found = str(beside) if beside.is_file() else shutil.which("wellread")
    return Path(found).absolute() if found is not None else None


def _environment() -> Environment:
    from pathlib import Path

    from wellread.config import user_folders
    from wellread.connect import Environment

    appdata, xdg_config = user_folders()
    names = {"darwin": "macos", "win32": "windows"}
    system: Any = names.get(sys.platform, "linux")
    return Environment(
        system=system,
        home=Path.home(),
        folder=Path.cwd(),
        appdata=appdata,
        xdg_config=xdg_config,
    )


def _shown(args: argparse.Namespace, value: dict[str, Any], words: str | None = None) -> int:
    from wellread.output import emit_json

    if args.json:
        emit_json(value, sys.stdout)
    else:
        sys.stdout.write(words if words is not None else value["text"])
    return 0

"""The commands about what was asked: traces, and reported misses"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from wellread.arguments import caller_of, config_of
from wellread.errors import NotFound, UsageError

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from wellread.config import Config
    from wellread.output import Line
    from wellread.trace import Miss

QUESTIONS = "questions.yaml"


def traces(args: argparse.Namespace) -> int:
    """Show who asked what, or sum it up."""
    from wellread.library import Library
    from wellread.output import plain
    from wellread.report_journal import lost_lines, trace_lines, usage_lines

    if args.limit < 1:
        raise UsageError(f"--limit {args.limit} shows nothing: write a number from 1")
    if args.gap <= 0:
        raise UsageError(f"--gap {args.gap:g} is no pause: write minutes above 0")
    config = config_of(args)
    from wellread.filters import day

    since = day(args.since, "--since")
    with Library.open(config) as library:
        scope = library.scope(caller_of(args, config))
        limit = None if args.tools else args.limit
        found = library.traces(scope=scope, subject=args.subject, since=since, limit=limit)
        lost = library.lost_traces(scope=scope)
    if args.tools:
        from wellread.usage import usage

        summed = usage(reversed(found), gap_minutes=args.gap)
        value = {"usage": plain(summed), "lost": plain(lost)}
        return _shown(args, value, [*usage_lines(summed), *lost_lines(lost)])
    value = {"traces": plain(found), "lost": plain(lost)}
    return _shown(args, value, [*trace_lines(found[::-1]), *lost_lines(lost)])


def misses(args: argparse.Namespace) -> int:
    """List what was reported as missing, or settle one."""
    from wellread.library import Library
    from wellread.output import plain
    from wellread.report_journal import miss_lines

    config = config_of(args)
    with Library.open(config) as library:
        scope = library.scope(caller_of(args, config))
        if args.what is None:
            found = library.misses(scope=scope, status=None if args.all else "open")
            return _shown(args, {"misses": plain(found)}, [*miss_lines(found)])
        if args.number is None:
            raise UsageError(f"which miss? wellread misses {args.what} NUMBER")
        if args.what == "dismiss":
            miss = library.dismiss_miss(args.number, scope=scope)
            return _settled(args, miss, f"Dismissed: {miss.question}")
        if args.what != "accept":
            raise UsageError(f"misses {args.what} is unknown. Known: accept, dismiss")
        file = _questions(args, config)
        miss = library.accept_miss(
            args.number,
            scope=scope,
            expect=args.expect,
            file=file,
            asked_as=args.asked_as,
            category=args.category or "",
            language=args.language,
        )
    return _settled(args, miss, f"Added to {file}: {miss.question}")


def _questions(args: argparse.Namespace, config: Config) -> Path:
    """The file of questions: as named, else beside the configuration, else here."""
    from pathlib import Path

    if args.to is not None:
        return Path(args.to)
    return (config.file.parent if config.file is not None else Path.cwd()) / QUESTIONS


def _settled(args: argparse.Namespace, miss: Miss, words: str) -> int:
    from wellread.output import line, plain

    return _shown(args, {"miss": plain(miss)}, [line(words)])


def _shown(args: argparse.Namespace, value: dict[str, Any], lines: list[Line]) -> int:
    from wellread.output import emit, emit_json

    if args.json:
        emit_json(value, sys.stdout)
    else:
        emit(lines, sys.stdout)
    empty = any(value.get(key) == [] for key in ("traces", "misses"))
    return NotFound.exit_code if empty else 0

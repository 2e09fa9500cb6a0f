"""The commands that read: one question each, answered in lines or JSON."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wellread.arguments import (
    DETAILS,
    caller_of,
    config_of,
    filters_of,
    text_of,
    today_of,
)
from wellread.errors import NoIndex, NotFound, UsageError

if TYPE_CHECKING:
    import argparse

    from wellread.types import Outcome

CHECK_FAILED = 6


def search(args: argparse.Namespace) -> int:
    """Search the passages about an idea."""
    if args.similar_to is not None and args.text:
        raise UsageError("give either words or --similar-to, not both")
    text = None if args.similar_to is not None else text_of(args, "'a few words'")
    if args.detail not in DETAILS:
        raise UsageError(f"--detail {args.detail!r} is unknown. Known: {', '.join(DETAILS)}")
    config = config_of(args)
    filters, caller, today = filters_of(args, config), caller_of(args, config), today_of(args)
    from wellread.library import Library

    with Library.open(config) as library:
        result = library.search(
            text,
            similar_to=args.similar_to,
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


def grep(args: argparse.Namespace) -> int:
    """Find an exact string."""
    text = text_of(args, "'an exact string'")
    if args.limit < 1:
        raise UsageError(f"--limit {args.limit} shows nothing: write a number from 1")
    config = config_of(args)
    filters, caller, today = filters_of(args, config), caller_of(args, config), today_of(args)
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
    return NoIndex.exit_code if outcome in {"index-empty", "index-failed"} else NotFound.exit_code


def read(args: argparse.Namespace) -> int:
    """Read a document, a section or lines."""
    from wellread.filters import line_range

    lines = line_range(args.lines, "--lines")
    config = config_of(args)
    caller, today = caller_of(args, config), today_of(args)
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


def status(args: argparse.Namespace) -> int:
    """Count what the library holds."""
    from wellread.output import emit, emit_json, plain
    from wellread.report import status_lines

    config = config_of(args)
    caller, today = caller_of(args, config), today_of(args)
    from wellread.library import Library

    with Library.open(config) as library:
        status = library.status(scope=library.scope(caller), today=today)
    if args.json:
        emit_json(plain(status), sys.stdout)
    else:
        emit(status_lines(status), sys.stdout)
    return 0 if status.documents else NoIndex.exit_code


def lint(args: argparse.Namespace) -> int:
    """List the mistakes in the documents."""
    from wellread.output import emit, emit_json, plain
    from wellread.report import lint_lines

    config = config_of(args)
    caller, today = caller_of(args, config), today_of(args)
    from wellread.library import Library

    with Library.open(config) as library:
        problems = library.lint(scope=library.scope(caller), today=today)
    if args.json:
        emit_json({"problems": plain(problems)}, sys.stdout)
    else:
        emit(lint_lines(problems), sys.stdout)
    return CHECK_FAILED if problems else 0

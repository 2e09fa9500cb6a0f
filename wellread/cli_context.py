"""``wellread context``: the governed delivery for a task, as an agent would get it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wellread.arguments import caller_of, config_of, text_of, today_of
from wellread.errors import NoIndex, NotFound

if TYPE_CHECKING:
    import argparse


def context(args: argparse.Namespace) -> int:
    """Deliver what bears on a task."""
    from wellread.filters import day

    task = text_of(args, "'what is to be done or answered'")
    config = config_of(args)
    caller, as_of = caller_of(args, config), day(args.as_of, "--as-of") or today_of(args)
    from wellread.library import Library

    with Library.open(config) as library:
        result = library.context(
            task,
            scope=library.scope(caller),
            today=as_of,
            budget=args.budget,
            stakes=args.stakes,
            domain=args.domain,
            purpose=args.purpose,
        )
    from wellread.output import emit, emit_json
    from wellread.show_context import context_json, context_shown

    if args.json:
        emit_json(context_json(result, explain=args.explain), sys.stdout)
    else:
        emit(context_shown(result, explain=args.explain), sys.stdout)
    if result.pieces:
        return 0
    empty = result.outcome in {"index-empty", "index-failed"}
    return NoIndex.exit_code if empty else NotFound.exit_code

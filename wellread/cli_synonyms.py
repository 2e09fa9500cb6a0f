"""The commands about the dictionary: candidates, for a person to accept."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wellread.arguments import SYNONYM_ACTIONS, caller_of, config_of
from wellread.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from wellread.output import Line
    from wellread.suggest import Candidate


def synonyms(args: argparse.Namespace) -> int:
    """Propose entries for the dictionary."""
    if args.action not in SYNONYM_ACTIONS:
        known = ", ".join(SYNONYM_ACTIONS)
        raise UsageError(f"wellread synonyms {args.action!r} is unknown. Known: {known}")
    config = config_of(args)
    caller = caller_of(args, config)
    from wellread.library import Library

    with Library.open(config) as library:
        candidates = library.suggest_synonyms(scope=library.scope(caller))
    from wellread.output import emit, emit_json, plain

    if args.json:
        emit_json({"candidates": plain(candidates)}, sys.stdout)
    else:
        emit(_lines(candidates), sys.stdout)
    return 0


def _lines(candidates: Sequence[Candidate]) -> Iterator[Line]:
    """YAML to be pasted, each entry with its source."""
    from wellread.output import line

    if not candidates:
        yield line(
            ("# Nothing to propose: no new abbreviation in a title, no new aliases.", "quiet")
        )
        return
    yield line(("# Candidates for synonyms.yaml: keep what is true, delete the rest.", "quiet"))
    yield line("groups:")
    for one in candidates:
        source = f"  # {one.source} of {one.path}:{one.line}"
        yield line(f"  - {_yaml(one.phrases)}", (source, "quiet"))


def _yaml(phrases: Sequence[str]) -> str:
    import yaml

    written: str = yaml.safe_dump(
        list(phrases), default_flow_style=True, allow_unicode=True, width=10**6
    )
    return written.strip()

"""Measures of rankings, computed by ``ir-measures`` as ``trec_eval`` does, and TREC run files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from wellread.errors import MissingExtra, UsageError

MEASURES = {"success@5": "Success@5", "recall@5": "R@5", "mrr": "RR", "ndcg@10": "nDCG@10"}
"""Our names for the measures, the first the one that counts, and those of the library."""

DEPTH = 10
"""Documents of each ranking that are judged and written to a run file: what nDCG@10 sees."""

Ranking = Sequence[str]
Qrels = Mapping[str, Mapping[str, int]]


def library_of_measures() -> Any:
    """The module ``ir_measures``. Raises ``MissingExtra``."""
    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtra(
            "Measuring needs ir-measures, which is not installed. Install wellread[eval]."
        ) from error
    return ir_measures


def measured(rankings: Mapping[str, Ranking], qrels: Qrels) -> dict[str, dict[str, float]]:
    """Each question's measures by our names. ``rankings`` map question ids to documents, best
    first; a question without one has zeroes. Questions are those of ``qrels``, whose grades
    from 1 count as relevant."""
    measures = library_of_measures()
    parsed = {measures.parse_measure(theirs): ours for ours, theirs in MEASURES.items()}
    run = {
        name: {document: float(len(ranking) - at) for at, document in enumerate(ranking)}
        for name, ranking in rankings.items()
        if ranking
    }
    found = {name: dict.fromkeys(MEASURES, 0.0) for name in qrels}
    for metric in measures.iter_calc(list(parsed), qrels, run) if run else ():
        found[metric.query_id][parsed[metric.measure]] = float(metric.value)
    return found


def write_run(file: Path, rankings: Mapping[str, Ranking], tag: str = "wellread") -> None:
    """A TREC run file: question, ``Q0``, document, rank, score, tag, separated by blanks.
    Raises ``UsageError`` where it cannot be written."""
    lines = [
        f"{name} Q0 {one_word(document)} {rank} {len(ranking) - rank + 1} {tag}\n"
        for name, ranking in rankings.items()
        for rank, document in enumerate(ranking, start=1)
    ]
    try:
        file.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The run {file} cannot be written: {error.strerror}.") from error


def one_word(document: str) -> str:
    """A path without blanks: they, and the percent sign, are written as in a URL."""
    return re.sub(r"[\s%]", lambda match: quote(match[0]), document)


def read_run(file: Path) -> dict[str, list[str]]:
    """The rankings of a TREC run file, of any system: by score, then as they stand. Raises
    ``UsageError`` with the line of a mistake."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"The run {file} cannot be read: {reason}.") from error
    scored: dict[str, list[tuple[float, str]]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            name, _, document, _, score, _ = line.split()
            scored.setdefault(name, []).append((float(score), unquote(document)))
        except ValueError as error:
            raise UsageError(
                f"{file}:{number}: not a line of a TREC run. Write: question Q0 document rank "
                "score tag."
            ) from error
    return {
        name: list(dict.fromkeys(document for _, document in sorted(rows, key=lambda r: -r[0])))
        for name, rows in scored.items()
    }

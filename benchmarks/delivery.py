"""Tokens for an answer: ``context`` against whole documents, at equal recall.

For each question ``context`` delivers within its budget; the whole-document delivery hands over
the documents of the first hits of ``search``, as many for every question as it takes to reach the
same recall. A question counts as answered where its expected section was delivered (the
example company) or the sentence that is its evidence (deep-rag-gitlab). Tokens are estimated
alike. Printed with the distribution, and with the precision of sections: the share of delivered
tokens that stand in an expected document.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchmarks.data import WORK, collection
from benchmarks.libraries import configure
from wellread.beir import read_collection, rows, write_files
from wellread.config import load
from wellread.library import Library
from wellread.questions import Question, read_questions
from wellread.tokens import estimate
from wellread.types import Caller, Scope

COMPANY = Path(__file__).parents[1] / "examples" / "company"
MOST_DOCUMENTS = 20
EVIDENCE = 80
"""Letters of a piece of evidence that are looked for: quotes differ towards their ends."""

DAY = date(2026, 6, 15)


Holds = Callable[[Question, str, str, str], bool]
"""Whether a text of a path, delivered under a handle, holds what a question expects."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivered:
    """What one question got: whether what it expects was in it, the tokens sent, and those
    of them that stand in an expected document."""

    found: bool
    tokens: int
    expected: int
    milliseconds: float


def by_context(
    opened: Library, question: Question, scope: Scope, budget: int, holds: Holds
) -> Delivered:
    """One question through ``context``."""
    started = time.perf_counter()
    result = opened.context(question.text, scope=scope, today=DAY, budget=budget)
    spent = (time.perf_counter() - started) * 1000
    whole = [piece for piece in result.pieces if piece.form != "pointer"]
    return Delivered(
        found=any(holds(question, one.path, one.section, one.text) for one in whole),
        tokens=result.tokens,
        expected=sum(one.tokens for one in whole if one.path in question.documents),
        milliseconds=spent,
    )


def by_documents(
    opened: Library, question: Question, scope: Scope, holds: Holds
) -> list[tuple[bool, int]]:
    """Whole documents in the order of search: whether each holds it, and its tokens."""
    found = opened.search(question.text, scope=scope, today=DAY, limit=100)
    paths = list(dict.fromkeys(hit.path for hit in found.hits))[:MOST_DOCUMENTS]
    texts = [opened.read(path, scope=scope, today=DAY).text for path in paths]
    return [
        (holds(question, path, path, text), estimate(text))
        for path, text in zip(paths, texts, strict=True)
    ]


def compare(
    name: str,
    opened: Library,
    questions: Sequence[Question],
    scope_of: Callable[[Question], Scope],
    holds: Holds,
    budget: int,
) -> None:
    """Print the figures of one set."""
    ours = [by_context(opened, one, scope_of(one), budget, holds) for one in questions]
    theirs = [by_documents(opened, one, scope_of(one), holds) for one in questions]
    recall = sum(one.found for one in ours) / len(ours)
    for count in range(1, MOST_DOCUMENTS + 1):
        reached = sum(any(right for right, _ in one[:count]) for one in theirs) / len(theirs)
        if reached >= recall:
            break
    tokens = [one.tokens for one in ours]
    whole = [sum(size for _, size in one[:count]) for one in theirs]
    saved = sorted(1 - a / b for a, b in zip(tokens, whole, strict=True) if b)
    quarters = statistics.quantiles(saved, n=4)
    precision = sum(one.expected for one in ours) / max(sum(tokens), 1)
    spent = sorted(one.milliseconds for one in ours)
    print(
        f"{name}: {len(ours)} questions, recall {recall:.3f} by context, {reached:.3f} by "
        f"{count} whole documents\n"
        f"  tokens: {statistics.mean(tokens):,.0f} by context, {statistics.mean(whole):,.0f} by "
        f"whole documents: {1 - sum(tokens) / sum(whole):.0%} saved (quarters "
        f"{', '.join(f'{one:.0%}' for one in quarters)})\n"
        f"  precision of sections: {precision:.2f} of the tokens stand in an expected document\n"
        f"  median {statistics.median(spent):.0f} ms, p95 {spent[int(len(spent) * 0.95)]:.0f} ms"
    )


def company(budget: int) -> None:
    """The example company: each question as whoever asks it."""
    config = configure("company-delivery", COMPANY / "docs")
    settings = (COMPANY / "wellread.toml").read_text(encoding="utf-8")
    settings = settings.replace('path = "docs"', f'path = "{COMPANY / "docs"}"')
    config.write_text(settings.replace('"groups.yaml"', f'"{COMPANY / "groups.yaml"}"'))
    opened = Library(load(config.absolute(), {}, config.parent))
    opened.index()
    questions = [one for one in read_questions(COMPANY / "questions.yaml") if one.expect]
    known = opened.config.groups()
    scopes = {
        name: opened.scope(Caller(subject=name, groups=frozenset(known.get(name or "", ()))))
        for name in {one.subject for one in questions}
    }

    def holds(question: Question, path: str, handle: str, text: str) -> bool:
        return handle in question.expect or (
            path in question.documents and ("#" not in handle or path in question.expect)
        )

    compare("example company", opened, questions, lambda one: scopes[one.subject], holds, budget)


def handbook(name: str, budget: int) -> None:
    """A judged collection with evidence, written out as files, as the local owner."""
    source = collection(name)
    root = WORK.absolute() / "delivery" / name
    paths = write_files(source, root)
    config = configure(f"{name}-delivery", root)
    opened = Library(load(config.absolute(), {}, config.parent))
    opened.index()
    scope = opened.scope(Caller(subject=None, owner=True))
    questions = read_collection(source, paths)
    evidence: dict[str, list[str]] = {}
    for _, row in rows(source / "queries.jsonl"):
        sentences = [text for each in row["evidence"] for texts in each.values() for text in texts]
        evidence[row["text"]] = [squeezed(text)[:EVIDENCE] for text in sentences]

    def holds(question: Question, path: str, handle: str, text: str) -> bool:
        return path in question.documents and any(
            one in squeezed(text) for one in evidence[question.text]
        )

    held = [one for one in questions if evidence.get(one.text)]
    compare(name, opened, held, lambda _: scope, holds, budget)


def squeezed(text: str) -> str:
    """Letters and figures alone: evidence is quoted without its markup."""
    return "".join(c for c in text.casefold() if c.isalnum())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=int, default=10_000)
    budget = parser.parse_args().budget
    company(budget)
    handbook("deep-rag-gitlab", budget)

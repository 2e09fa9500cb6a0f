"""Measure conflicts on RAMDocs: ``python -m benchmarks.contradictions``.

RAMDocs gives each question a handful of web passages: some answer it rightly, some say
something else (misinformation), some say nothing of it (noise). A right and a wrong passage of
one question are a conflict; two right ones, and any with a noisy one, are none. Most answers
are names of persons and places, which are not compared: that is part of the figure, and the
second line counts only questions whose right and wrong answers all hold a number.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from itertools import combinations

from benchmarks.data import Missing, collection, holder
from wellread.claims import claims
from wellread.disagree import disagreements

SET = "ramdocs-dev"
NUMBER = re.compile(r"\d")
Document = tuple[str, str, str]
"""Id, type (``correct``, ``misinfo`` or ``noise``) and answer."""


def main() -> int:
    try:
        folder = holder(collection(SET), "labels.tsv")
    except Missing as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 1
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        texts = {row["id"]: row["text"] for row in map(json.loads, lines)}
    questions: dict[str, list[Document]] = {}
    for line in (folder / "labels.tsv").read_text(encoding="utf-8").splitlines():
        question, document, kind, answer = line.split("\t")
        questions.setdefault(question, []).append((document, kind, answer))
    show("all questions", list(questions.values()), texts)
    numeric = [each for each in questions.values() if answered_by_numbers(each)]
    show("questions answered by numbers", numeric, texts)
    return 0


def answered_by_numbers(documents: list[Document]) -> bool:
    return all(NUMBER.search(answer) for _, kind, answer in documents if kind != "noise")


def show(what: str, questions: list[list[Document]], texts: dict[str, str]) -> None:
    """Precision and recall over all pairs of passages of one question."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for documents in questions:
        for one, other in combinations(documents, 2):
            wanted = {one[1], other[1]} == {"correct", "misinfo"}
            left, right = (claims(texts[each[0]], "", "en") for each in (one, other))
            counts[wanted, bool(disagreements(left, right, "other", len(documents)))] += 1
    found = counts[True, True] + counts[False, True]
    wanted_pairs = counts[True, True] + counts[True, False]
    print(
        f"{what}: {len(questions)} questions, {counts.total()} pairs, {wanted_pairs} conflicts; "
        f"precision {counts[True, True] / max(found, 1):.2f} ({counts[True, True]} of {found}), "
        f"recall {counts[True, True] / max(wanted_pairs, 1):.2f}"
    )


if __name__ == "__main__":
    raise SystemExit(main())

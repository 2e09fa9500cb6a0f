"""The pairs of texts for measuring contradictions: their form, and the balance of the halves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.pages import found, page
from wellread.conflicts import find_conflicts

FOLDER = Path(__file__).parent / "conflict_pairs"
FILES = ("open.yaml", "held-out.yaml")
OPEN = (0.95, 0.85)
"""Precision and recall on the pairs that the code was developed against (.966 and .875)."""
HELD_OUT = (0.8, 0.6)
"""The same on those that it was not; the goal; .955 and .656 is what is reached."""

KEYS = ["id", "language", "kind", "attribute", "shape", "left", "right", "values", "why"]
ATTRIBUTES = {"amount", "percentage", "duration", "date", "count", "permission"}
SHAPES = {
    "conflict": {
        "plain", "near-duplicate", "supersession", "translation", "units", "one-of-several",
    },
    "look-alike": {
        "same-value", "units", "near", "translation", "near-duplicate", "other-subject",
        "other-condition",
    },
}  # fmt: skip
SENTENCE_END = re.compile(r"[.!?][\"»]?(?:\s|$)")


@cache
def pairs(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    return found


def texts() -> Iterator[tuple[str, dict[str, str]]]:
    for name in FILES:
        for pair in pairs(name):
            yield pair["id"], pair["left"]
            yield pair["id"], pair["right"]


def russian(text: str) -> bool:
    return len(re.findall("[а-яё]", text, re.I)) > len(re.findall("[a-z]", text, re.I))


def by(name: str, *keys: str) -> Counter[tuple[str, ...]]:
    return Counter(tuple(pair[key] for key in keys) for pair in pairs(name))


@pytest.mark.parametrize("name", FILES)
def test_every_pair_has_the_documented_form(name: str) -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for pair in pairs(name):
        assert list(pair) == KEYS, pair["id"]
        assert pair["attribute"] in ATTRIBUTES, pair["id"]
        assert pair["shape"] in SHAPES[pair["kind"]], pair["id"]
        assert f"`{pair['shape']}`" in readme, pair["id"]
        assert pair["left"]["path"] != pair["right"]["path"], pair["id"]
        assert len(pair["values"]) == 2, pair["id"]
        assert pair["why"].endswith("."), pair["id"]


def test_texts_are_two_to_six_sentences_in_the_language_that_is_named() -> None:
    for name, side in texts():
        assert list(side) == ["path", "title", "text"], name
        assert 2 <= len(SENTENCE_END.findall(side["text"])) <= 6, (name, side["text"])
    for name in FILES:
        for pair in pairs(name):
            ours, theirs = russian(pair["left"]["text"]), russian(pair["right"]["text"])
            assert ours == (pair["language"] == "ru"), pair["id"]
            assert (ours != theirs) == (pair["shape"] == "translation"), pair["id"]


def test_ids_are_given_once_and_no_text_is_in_both_files() -> None:
    ids = [pair["id"] for name in FILES for pair in pairs(name)]
    assert len(set(ids)) == len(ids) >= 120
    opened, held_out = (
        {pair[side]["path"] for pair in pairs(name) for side in ("left", "right")} for name in FILES
    )
    assert not opened & held_out


@pytest.mark.parametrize("name", FILES)
def test_each_half_is_half_conflicts_and_half_russian(name: str) -> None:
    counts = by(name, "language", "kind")
    assert len(counts) == 4
    assert len(set(counts.values())) == 1


def test_both_halves_are_balanced_alike() -> None:
    keys = ("language", "kind", "attribute")
    opened, held_out = (by(name, *keys) for name in FILES)
    assert set(opened) == set(held_out)
    assert len(opened) == 2 * 2 * len(ATTRIBUTES)
    assert max(abs(opened[key] - held_out[key]) for key in opened) <= 1
    opened, held_out = (by(name, "kind", "shape") for name in FILES)
    assert set(opened) == set(held_out)
    assert max(abs(opened[key] - held_out[key]) for key in opened) <= 1


# --- what is found of them -----------------------------------------------------------------


def found_in(pair: dict[str, Any]) -> bool:
    """Whether a conflict is found, given of the two texts what their documents would say: that
    one translates the other, or that it names the other as its successor."""
    left, right = pair["left"], pair["right"]
    more: dict[str, Any] = {}
    if pair["shape"] == "translation":
        more = {"metadata": {"translation_of": f"/{right['path']}"}}
    sides = [
        page(
            side["path"],
            side["title"],
            side["text"],
            language="ru" if russian(side["text"]) else "en",
            superseded_by=other["path"] if names(side["text"], other["path"]) else None,
            **(more if side is left else {}),
        )
        for side, other in ((left, right), (right, left))
    ]
    return bool(find_conflicts(found(*sides)))


def names(text: str, path: str) -> bool:
    return path.rpartition("/")[2] in text


@cache
def figures(name: str) -> tuple[float, float]:
    """Precision and recall of the conflicts that are found in a file of pairs."""
    counts = Counter((pair["kind"] == "conflict", found_in(pair)) for pair in pairs(name))
    right = counts[True, True]
    return right / (right + counts[False, True]), right / (right + counts[True, False])


def test_conflicts_are_found_among_the_pairs_that_may_be_looked_at() -> None:
    precision, recall = figures("open.yaml")
    assert precision >= OPEN[0] and recall >= OPEN[1], (precision, recall)


def test_conflicts_are_found_as_well_among_the_pairs_that_nobody_opened() -> None:
    precision, recall = figures("held-out.yaml")
    assert precision >= HELD_OUT[0] and recall >= HELD_OUT[1], (precision, recall)

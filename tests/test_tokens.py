"""The token estimate against a real tokenizer."""

from __future__ import annotations

import random
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.tokens import estimate

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "examples/company/docs"
RUSSIAN = sorted([*DOCS.glob("**/*.ru.md"), *DOCS.glob("**/день*.md")])
ENGLISH = sorted(set(DOCS.glob("**/*.md")) - set(RUSSIAN))
CODE = sorted([*(ROOT / "wellread").glob("*.py"), *DOCS.glob("**/*.sh"), *DOCS.glob("**/*.json")])


def texts(paths: list[Path]) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in paths]


def tables() -> list[str]:
    """Invoices as CSV, as padded markdown and as a Russian table, and the company's own."""
    rng = random.Random(41)
    out = texts(sorted(DOCS.glob("**/*.csv")))
    for names, states, currency in (
        (["Northern Steel", "Halvorsen Cement", "Tobol"], ["paid", "open", "overdue"], "EUR"),
        (["Северсталь-Сервис", "Каспий Логистика"], ["оплачен", "просрочен"], "₽"),
    ):
        rows = [
            [
                f"INV-2026-{rng.randint(1, 999):04d}",
                rng.choice(names),
                f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
                f"{rng.randint(10_000, 9_999_999) / 100:.2f} {currency}",
                rng.choice(states),
            ]
            for _ in range(60)
        ]
        rule = ["-" * 16] * 5
        out.append("\n".join(",".join(row) for row in rows))
        out.append("\n".join("\t".join(row) for row in rows))
        out.append("\n".join(f"| {' | '.join(row)} |" for row in [rule, *rows]))
        out.append(
            "\n".join(f"| {' | '.join(cell.ljust(24) for cell in row)} |" for row in [rule, *rows])
        )
    return out


KINDS = {
    "English": texts(ENGLISH),
    "Russian": texts(RUSSIAN),
    "code": texts(CODE),
    "tables": tables(),
}


@cache
def tokenizer() -> Any:
    with warnings.catch_warnings():  # it reads its vocabulary by a function that is to go
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


def real(text: str) -> int:
    return len(tokenizer().encode_ordinary(text))


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_text_is_estimated_within_ten_percent(kind: str) -> None:
    count = sum(map(real, KINDS[kind]))
    assert count > 5_000, "too little text to say anything"
    assert sum(map(estimate, KINDS[kind])) == pytest.approx(count, rel=0.10)


@pytest.mark.parametrize("kind", KINDS)
def test_a_single_document_is_not_far_off(kind: str) -> None:
    for text in KINDS[kind]:
        assert estimate(text) == pytest.approx(real(text), rel=0.20), text[:80]


def test_nothing_takes_no_tokens_and_anything_at_least_one() -> None:
    assert estimate("") == 0
    for text in ("a", " ", "\n", "ж", "界", "🙂", "\ud800", "\x00"):
        assert estimate(text) >= 1, text


@pytest.mark.parametrize(
    ("text", "most"), [("-" * 4000, 300), (" " * 4000, 300), ("a" * 4000, 600), ("." * 4000, 900)]
)
def test_long_runs_of_one_character_are_cheap(text: str, most: int) -> None:
    assert 0 < estimate(text) <= most


@given(st.text())
def test_no_text_takes_more_tokens_than_bytes_by_much(text: str) -> None:
    size = len(text.encode("utf-8", "replace"))
    assert (size > 0) <= estimate(text) <= 1.1 * size + 1


@given(st.text(min_size=1), st.text(min_size=1))
def test_parts_sum_to_about_the_whole(one: str, other: str) -> None:
    assert abs(estimate(one + other) - estimate(one) - estimate(other)) <= 5

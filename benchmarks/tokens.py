"""Fit the weights of ``wellread.tokens`` again, or see how well they hold.

    python benchmarks/tokens.py NAME=GLOB [NAME=GLOB …]

Each NAME is a kind of text, each GLOB files of it, UTF-8; the kinds weigh alike. Prints, by
kind, the error of the weights in use, and the weights that would fit these texts best.
Needs numpy and bpe-openai, which carries the vocabulary of ``o200k_base``.
"""

from __future__ import annotations

import glob
import random
import sys
import time
from pathlib import Path

import bpe_openai
import numpy as np

from wellread import tokens

SIZES = (400, 1500, 1500, 6000)  # characters
WINDOWS = 500  # of one kind, at most


def windows(pattern: str, rng: random.Random) -> list[str]:
    """Pieces of the files, in random order."""
    pieces = []
    for name in sorted(glob.glob(pattern, recursive=True)):
        path = Path(name)
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        start = 0
        while start < len(text):
            size = rng.choice(SIZES)
            if len(text) - start > 150:
                pieces.append(text[start : start + size])
            start += size
    rng.shuffle(pieces)
    return pieces[:WINDOWS]


def counted(text: str) -> tuple[list[int], float]:
    """What the fitted weights multiply, and what the fixed ones add."""
    classes = text.encode("utf-8", "replace").translate(tokens._CLASSES, tokens._FOLLOWING)
    letters = b" " + classes.translate(tokens._LETTERS)
    fitted = [letters.count(needle) for needle, _ in tokens.WORDS + tokens.CYRILLIC]
    fitted += [classes.count(needle) for needle, _ in tokens.MARKS]
    return fitted, sum(classes.count(needle) * weight for needle, weight in tokens.OTHERS)


def main() -> None:
    encoding = bpe_openai.get_encoding("o200k_base")
    rng = random.Random(7)
    rows, fixed, real, weigh = [], [], [], []
    seconds, size = 0.0, 0
    for argument in sys.argv[1:]:
        kind, _, pattern = argument.partition("=")
        pieces = windows(pattern, rng)
        counts = np.array([len(encoding.encode_ordinary(piece)) for piece in pieces], float)
        started = time.process_time()
        guesses = np.array([tokens.estimate(piece) for piece in pieces], float)
        seconds += time.process_time() - started
        size += sum(len(piece.encode()) for piece in pieces)
        errors = np.abs(guesses / counts - 1)
        print(
            f"{kind:12} {len(pieces):4} windows  total {guesses.sum() / counts.sum() - 1:+.3f}  "
            f"mean {errors.mean():.3f}  p95 {np.quantile(errors, 0.95):.3f}"
        )
        for piece in pieces:
            row, rest = counted(piece)
            rows.append(row)
            fixed.append(rest)
            weigh.append(len(pieces) ** -0.25)
        real.extend(counts)
    print(f"{size / 1e6 / seconds:.0f} MB of UTF-8 per second of processor time")
    scale = np.array(weigh) / np.array(real)
    target = (np.array(real) - np.array(fixed)) * scale
    best = np.linalg.lstsq(np.array(rows, float) * scale[:, None], target, rcond=None)[0]
    for (needle, weight), value in zip(
        tokens.WORDS + tokens.CYRILLIC + tokens.MARKS, best, strict=True
    ):
        print(f"{needle!r:24} {weight:6.2f} in use {value:6.2f} here")


if __name__ == "__main__":
    main()

from __future__ import annotations

import re
from pathlib import Path

from wellread.decode import decode
from wellread.paths import KINDS
from wellread.split import PASSAGE_CHARACTERS
from wellread.types import STATES, TYPES
from wellread.vocabulary import KEYS, STATE_ALIASES, TYPE_ALIASES

PAGE = decode((Path(__file__).parent.parent / "docs/document-format.md").read_bytes(), "page")


def test_the_page_lists_exactly_the_keys_that_the_code_knows() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == KEYS


def test_the_page_names_every_word_that_is_understood() -> None:
    prose = re.sub(r"^```.*?^```$", "", PAGE, flags=re.DOTALL | re.MULTILINE)
    written = set(re.findall(r"`([^`]+)`", prose))
    assert {*TYPES, *STATES, *TYPE_ALIASES, *STATE_ALIASES, *KINDS} <= written


def test_the_page_gives_the_length_of_a_passage() -> None:
    assert f"{PASSAGE_CHARACTERS:,} characters" in PAGE

"""Rules that hold for no document are reported: they protect nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shelf import OWNER, TODAY, library, scope_of
from wellread.config import load
from wellread.errors import ConfigError

RULES = """
[groups]
ann = ["sales"]

[[access.rules]]
path = "pay/**"
allow = ["hr"]

[[access.rules]]
path = "salries/**"
allow = ["hr"]

[[defaults]]
path = "policys/**"
type = "guideline"
"""
FILES = {"pay/raise.md": "# Raise\n\nsix percent", "travel.md": "# Travel\n\nper diem"}


def test_rule_for_a_folder_that_is_not_there_is_reported_to_the_local_owner(tmp_path: Path) -> None:
    with library(tmp_path, FILES, RULES) as opened:
        found = [
            one
            for one in opened.lint(scope=opened.scope(OWNER), today=TODAY)
            if one.path.endswith("toml")
        ]
        assert [one.code for one in found] == ["rule-without-documents"] * 2
        assert "'salries/**' matches no document" in found[0].message
        assert "'policys/**' matches no document" in found[1].message


def test_nobody_else_is_told_of_rules(tmp_path: Path) -> None:
    with library(tmp_path, FILES, RULES) as opened:
        scope = scope_of(opened, "ann")
        assert [
            one for one in opened.lint(scope=scope, today=TODAY) if one.path.endswith("toml")
        ] == []


@pytest.mark.parametrize("paths", [("docs", "docs/sub"), ("docs/sub", "docs"), ("docs", "docs")])
def test_source_within_another_is_refused(tmp_path: Path, paths: tuple[str, str]) -> None:
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    file = tmp_path / "wellread.toml"
    written = [f'[[sources]]\npath = "{path}"\nname = "s{at}"\n' for at, path in enumerate(paths)]
    file.write_text("\n".join(written))
    with pytest.raises(ConfigError, match="lies within the source"):
        load(file, {}, tmp_path)

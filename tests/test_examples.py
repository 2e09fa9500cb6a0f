"""What docs/examples.md shows is what ``wellread context`` prints in the example company."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.company import company, timeless
from wellread.cli import main

PAGE = Path(__file__).resolve().parent.parent / "docs" / "examples.md"
COMMAND = re.compile(r"^\$ wellread (context .+)\n((?:(?!```|\$ ).*\n)*)", re.MULTILINE)


def excerpt(output: str, shown: set[str]) -> Iterator[str]:
    """An output with the lines of documents that are shown; ``| …`` stands for the others."""
    left_out = False
    for line in output.rstrip("\n").splitlines():
        if line.startswith("|") and line not in shown:
            left_out = True
        elif not line.startswith(("Before it stands", "After it stands")):
            if left_out:
                yield "| …"
            left_out = False
            yield line
    if left_out:
        yield "| …"


def test_each_example_is_what_the_command_prints(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    pytestconfig: pytest.Config,
) -> None:
    company(tmp_path / "company").close()
    monkeypatch.chdir(tmp_path / "company")
    for name in ("WELLREAD_AS", "WELLREAD_CONFIG", "WELLREAD_LIBRARY"):
        monkeypatch.delenv(name, raising=False)

    def printed(match: re.Match[str]) -> str:
        capsys.readouterr()
        main(shlex.split(match[1]))
        lines = excerpt(timeless(capsys.readouterr().out), set(match[2].splitlines()))
        return "\n".join([f"$ wellread {match[1]}", *lines, ""])

    page = PAGE.read_text(encoding="utf-8")
    real, examples = COMMAND.subn(printed, page)
    if pytestconfig.getoption("--update-golden"):
        PAGE.write_text(real, encoding="utf-8")
        page = real
    assert examples == 14
    assert page == real, "docs/examples.md differs; if it should, run pytest with --update-golden"

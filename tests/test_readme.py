"""README.md says only what works."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from wellread.arguments import build_parser
from wellread.config import load

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_example_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples" / "company", tmp_path / "company")
    monkeypatch.chdir(tmp_path / "company")
    example = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert example
    exec(compile(example[1], "README.md", "exec"), {})
    assert "contracts/northern-steel.md#payment-terms" in capsys.readouterr().out


@pytest.mark.parametrize("line", re.findall(r"^\$ wellread (.+)$", README, re.MULTILINE))
def test_command_of_the_readme_is_understood(line: str) -> None:
    import shlex

    assert build_parser().parse_args(shlex.split(line))


def test_every_dependency_is_named_with_what_it_serves() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["office"]]
    names = [re.split(r"[\[<>=~! ]", one)[0] for one in wanted]
    missing = [
        name for name in names if not re.search(rf"^\|.*\b{re.escape(name)}\b", README, re.M)
    ]
    assert missing == []


def test_example_configuration_loads() -> None:
    folder = ROOT / "examples" / "company"
    assert load(folder / "wellread.toml", {}, folder).sources[0].path == folder / "docs"

"""Completion scripts, run by the shells that are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from wellread.arguments import SHELLS, build_parser
from wellread.completion import script

VALUES = {"type": ("guideline", "brief"), "state": ("draft",), "shell": SHELLS}


def shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def completed(tmp_path: Path, *words: str) -> set[str]:
    """What bash offers for the last word."""
    file = tmp_path / "wellread.bash"
    file.write_text(script("bash", build_parser(), VALUES), encoding="utf-8")
    quoted = " ".join(f"'{word}'" for word in words)
    program = (
        f"source {file}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _wellread; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [shell("bash"), "--norc", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_completes_commands_options_and_values(tmp_path: Path) -> None:
    assert completed(tmp_path, "wellread", "sea") == {"search"}
    assert {"init", "index", "read", "completion"} <= completed(tmp_path, "wellread", "")
    assert completed(tmp_path, "wellread", "search", "--st") == {"--state"}
    assert completed(tmp_path, "wellread", "search", "--type", "") == {"guideline", "brief"}
    assert completed(tmp_path, "wellread", "search", "--owner", "") == set()
    assert completed(tmp_path, "wellread", "completion", "f") == {"fish"}
    assert "--debug" not in completed(tmp_path, "wellread", "search", "--")


def test_bash_completes_files_where_a_file_is_meant(tmp_path: Path) -> None:
    (tmp_path / "kept.toml").touch()
    assert completed(tmp_path, "wellread", "status", "--config", "ke") == {"kept.toml"}
    assert completed(tmp_path, "wellread", "restore", "ke") == {"kept.toml"}
    assert completed(tmp_path, "wellread", "search", "ke") == set()


def test_zsh_reads_the_script_and_defines_the_completion(tmp_path: Path) -> None:
    text = script("zsh", build_parser(), VALUES)
    assert text.startswith("#compdef wellread\n")
    file = tmp_path / "_wellread"
    file.write_text(text, encoding="utf-8")
    program = f"autoload -Uz compinit; compinit -u -D; source {file}; print ${{_comps[wellread]}}"
    done = subprocess.run(
        [shell("zsh"), "-f", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "_wellread"
    assert done.stderr == ""


def test_fish_completes_commands_options_and_values(tmp_path: Path) -> None:
    file = tmp_path / "wellread.fish"
    file.write_text(script("fish", build_parser(), VALUES), encoding="utf-8")

    def offered(words: str) -> set[str]:
        done = subprocess.run(
            [shell("fish"), "--no-config", "-c", f"source {file}; complete -C '{words}'"],
            capture_output=True,
            text=True,
            check=True,
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        )
        return {row.split("\t")[0] for row in done.stdout.splitlines()}

    assert offered("wellread sea") == {"search"}
    assert offered("wellread search --type ") == {"guideline", "brief"}
    assert offered("wellread search --sta") == {"--state"}
    assert offered("wellread completion z") == {"zsh"}


@pytest.mark.parametrize("name", SHELLS)
def test_every_command_and_option_is_in_every_script(name: str) -> None:
    text = script(name, build_parser(), VALUES)
    for command in ("init", "index", "search", "grep", "read", "status", "lint", "forget"):
        assert command in text
    for option in ("allow-mass-delete", "ignore-case", "explain", "subject", "outline"):
        assert option in text

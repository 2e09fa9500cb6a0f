from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from datetime import date
from pathlib import Path
from unicodedata import normalize

import pytest

from wellread.sources import git
from wellread.sources.git import CachedTimes, load, modified

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


class Repository:
    """A throwaway checkout whose commits carry the days they are told."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, day: str = "2026-01-01") -> str:
        settings = ("user.name=Ann", "user.email=ann@example.com", "commit.gpgSign=false")
        done = subprocess.run(
            ["git", *(part for each in settings for part in ("-c", each)), *arguments],
            cwd=self.root,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.root.parent),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_COMMITTER_DATE": f"{day}T12:00:00+0000",
                "GIT_AUTHOR_DATE": "1999-01-01T12:00:00+0000",
            },
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self, day: str, **files: str | None) -> None:
        self.commit_paths(day, {name.replace("_", "."): text for name, text in files.items()})

    def commit_paths(self, day: str, files: dict[str, str | None]) -> None:
        for name, text in files.items():
            path = self.root / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change", day=day)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "checkout")


def loaded(root: Path, cached: CachedTimes | None = None) -> CachedTimes:
    times = load(root, cached)
    assert times is not None
    return times


def count_logs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    spans: list[str] = []
    real = git._last_days

    def spy(*arguments: object) -> object:
        spans.append(str(arguments[1]))
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(git, "_last_days", spy)
    return spans


def test_each_file_has_the_day_of_its_last_commit(repository: Repository) -> None:
    repository.commit("2025-01-01", a_md="1", b_md="1", c_png="1")
    repository.commit("2025-02-02", b_md="2")
    repository.commit("2025-03-03")
    times = loaded(repository.root)
    assert times.days == {"a.md": "2025-01-01", "b.md": "2025-02-02"}
    assert times.committed("b.md") == date(2025, 2, 2)


def test_a_file_without_a_commit_has_no_day(repository: Repository) -> None:
    repository.commit("2025-01-01", a_md="1")
    (repository.root / "new.md").write_text("1")
    assert loaded(repository.root).committed("new.md") is None


def test_a_file_modified_since_has_no_day(repository: Repository) -> None:
    repository.commit("2025-01-01", a_md="1", b_md="1", c_md="1")
    (repository.root / "a.md").write_text("22")
    (repository.root / "b.md").write_text("22")
    repository.git("add", "b.md")
    os.utime(repository.root / "c.md", (1, 1))  # touched, yet the same
    changed = modified(repository.root)
    assert changed == {"a.md", "b.md"}
    times = loaded(repository.root)
    assert times.committed("a.md", changed) is None
    assert times.committed("c.md", changed) == date(2025, 1, 1)


def test_a_subfolder_of_the_checkout_is_a_root_of_its_own(repository: Repository) -> None:
    repository.commit_paths("2025-01-01", {"a.md": "1", "docs/a.md": "1", "docs/sub/b.md": "1"})
    repository.commit_paths("2025-02-02", {"a.md": "2", "docs/sub/b.md": "2"})
    (repository.root / "docs/a.md").write_text("22")
    (repository.root / "a.md").write_text("33")
    docs = repository.root / "docs"
    assert loaded(docs).days == {"a.md": "2025-01-01", "sub/b.md": "2025-02-02"}
    assert modified(docs) == {"a.md"}


@pytest.mark.parametrize(
    "name",
    ["a b.md", 'a"b.md', "a\\b.md", "\na.md", "a\tb.md", "*.md", ":(top)a.md", "-a.md", "é.md"],
)
def test_any_file_name_is_understood(repository: Repository, name: str) -> None:
    repository.commit_paths("2025-01-01", {f"[x]*/{name}": "1", "z.md": "1"})
    assert loaded(repository.root / "[x]*").days == {name: "2025-01-01"}
    (repository.root / "[x]*" / name).write_text("22")
    assert modified(repository.root / "[x]*") == {name}


def test_decomposed_names_are_found_composed(repository: Repository) -> None:
    repository.commit_paths("2025-01-01", {normalize("NFD", "йод.md"): "1"})
    assert loaded(repository.root).days == {normalize("NFC", "йод.md"): "2025-01-01"}


def test_an_unchanged_head_reads_no_history(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("2025-01-01", a_md="1")
    times = loaded(repository.root)
    spans = count_logs(monkeypatch)
    assert loaded(repository.root, times) is times
    assert spans == []


def test_after_new_commits_only_they_are_read(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("2025-01-01", a_md="1", b_md="1", gone_md="1")
    old = loaded(repository.root)
    repository.commit("2025-02-02", b_md="2", new_md="1", gone_md=None)
    spans = count_logs(monkeypatch)
    new = loaded(repository.root, old)
    assert spans == [f"{old.head}..{new.head}"]
    assert new.days == {"a.md": "2025-01-01", "b.md": "2025-02-02", "new.md": "2025-02-02"}
    assert new == loaded(repository.root)


def test_a_rewritten_history_is_read_anew(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("2025-01-01", a_md="1")
    repository.commit("2025-02-02", a_md="2")
    old = loaded(repository.root)
    repository.git("reset", "-q", "--hard", "HEAD^")
    repository.commit("2025-03-03", b_md="1")
    spans = count_logs(monkeypatch)
    new = loaded(repository.root, old)
    assert spans == [new.head]
    assert new.days == {"a.md": "2025-01-01", "b.md": "2025-03-03"}


def test_times_of_another_folder_are_not_reused(repository: Repository) -> None:
    repository.commit_paths("2025-01-01", {"a.md": "1", "docs/a.md": "1"})
    repository.commit_paths("2025-02-02", {"a.md": "2"})
    top = loaded(repository.root)
    assert loaded(repository.root / "docs", top).days == {"a.md": "2025-01-01"}


def test_a_merged_branch_brings_its_own_days(repository: Repository) -> None:
    repository.commit("2025-01-01", a_md="1")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("2025-02-02", b_md="1")
    repository.git("checkout", "-q", "main")
    repository.commit("2025-03-03", a_md="2")
    repository.git("merge", "-q", "--no-ff", "side", "-m", "merge", day="2025-04-04")
    assert loaded(repository.root).days == {"a.md": "2025-03-03", "b.md": "2025-02-02"}


def test_times_survive_json(repository: Repository) -> None:
    repository.commit("2025-01-01", a_md="1")
    times = loaded(repository.root)
    assert CachedTimes.from_json(json.loads(json.dumps(times.as_json()))) == times


@pytest.mark.parametrize("value", [None, [], {}, {"format": 0, "head": "a", "top": "", "days": {}}])
def test_times_of_another_version_are_read_anew(value: object) -> None:
    assert CachedTimes.from_json(value) is None


def test_outside_a_checkout_there_are_no_commit_times(tmp_path: Path) -> None:
    said: list[str] = []
    assert load(tmp_path, report=said.append) is None
    assert modified(tmp_path) is None
    assert said == []


def test_a_checkout_without_a_commit_has_no_commit_times(repository: Repository) -> None:
    assert load(repository.root) is None


def test_a_missing_folder_is_no_error_here(tmp_path: Path) -> None:
    assert load(tmp_path / "absent") is None


def test_without_git_there_are_no_commit_times(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("2025-01-01", a_md="1")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert load(repository.root) is None
    assert modified(repository.root) is None


def test_a_shallow_clone_has_no_commit_times_and_says_so(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit("2025-01-01", a_md="1")
    repository.commit("2025-02-02", b_md="1")
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.root}", "../shallow")
    said: list[str] = []
    assert load(tmp_path / "shallow", report=said.append) is None
    assert "git fetch --unshallow" in said[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_checkout_of_another_user_falls_back_and_says_so(repository: Repository) -> None:
    repository.commit("2025-01-01", a_md="1")
    for path in (repository.root, repository.root / ".git"):
        os.chown(path, 12345, 12345)
    said: list[str] = []
    assert load(repository.root, report=said.append) is None
    assert "safe.directory" in said[0]


def test_nothing_that_the_repository_configures_is_executed(
    repository: Repository, tmp_path: Path
) -> None:
    marker = tmp_path / "executed"
    repository.commit_paths("2025-01-01", {"a.md": "1", ".gitattributes": "*.md filter=x diff=x\n"})
    run = f"touch '{marker}'; cat"
    for key in (
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "filter.a=b.clean",
        "diff.x.textconv",
        "diff.x.command",
        "diff.external",
        "core.fsmonitor",
        "core.pager",
        "gpg.program",
        "core.sshCommand",
    ):
        repository.git("config", key, run)
    repository.git("config", "filter.x.required", "true")
    repository.git("config", "log.showSignature", "true")
    (repository.root / "a.md").write_text("2")
    assert loaded(repository.root).days == {"a.md": "2025-01-01"}
    assert modified(repository.root) == {"a.md"}
    assert not marker.exists()
    # The same question without our precautions does execute it.
    with contextlib.suppress(subprocess.CalledProcessError):
        repository.git("status", "--short")
    assert marker.exists()


def test_a_folder_that_poses_as_a_bare_repository_is_not_one(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit("2025-01-01", a_md="1")
    repository.git("clone", "-q", "--bare", str(repository.root), "../posing")
    assert load(tmp_path / "posing") is None


def test_a_history_that_takes_too_long_is_given_up_and_said(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Impatient:
        def __init__(self, seconds: float, stop: object) -> None:
            self.stop = stop

        def start(self) -> None:
            self.stop()  # type: ignore[operator]

        def cancel(self) -> None: ...

    repository.commit("2025-01-01", a_md="1")
    monkeypatch.setattr(git.threading, "Timer", Impatient)
    said: list[str] = []
    assert load(repository.root, report=said.append) is not None
    assert "took longer than" in said[0]

"""When each file of a checkout was last committed: read once, then only what is new.

The repository may belong to somebody else, so nothing that its configuration could make git
execute is allowed to run: no hooks, pagers, signature checks, external diffs, text
conversions, content filters, file system monitors, or fetches of missing objects.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from unicodedata import normalize

from wellread.kinds import kind_of

FORMAT = 1
"""Goes up whenever ``CachedTimes`` comes to mean something else; older ones are read anew."""

HISTORY_SECONDS = 120.0
"""How long reading the whole history may take: 18,000 files over 9,000 commits took 0.8 s."""

_ANSWER_SECONDS = 30.0
_HEADER = re.compile(rb"\x01(\d{4}-\d\d-\d\d)")

Report = Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class CachedTimes:
    """The day on which each document below a folder was last committed, as of ``head``.

    Keys of ``days`` are paths below that folder (POSIX, NFC), values are ISO days in the
    committer's own time zone. ``top`` is the folder's path within the checkout.
    """

    head: str
    top: str
    days: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """What ``from_json`` takes."""
        return {"format": FORMAT, "head": self.head, "top": self.top, "days": dict(self.days)}

    @classmethod
    def from_json(cls, value: object) -> CachedTimes | None:
        """The times that ``as_json`` gave, or ``None`` where another version wrote them."""
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            return None
        head, top, days = value.get("head"), value.get("top"), value.get("days")
        if isinstance(head, str) and isinstance(top, str) and isinstance(days, dict):
            return cls(head=head, top=top, days=days)
        return None

    def committed(self, path: str, modified: frozenset[str] = frozenset()) -> date | None:
        """The day of the last commit of ``path`` (below the folder), or ``None`` where it was
        never committed or is among ``modified``: then the file's own time counts."""
        day = None if path in modified else self.days.get(path)
        return date.fromisoformat(day) if day else None


def load(
    root: Path, cached: CachedTimes | None = None, *, report: Report | None = None
) -> CachedTimes | None:
    """The commit times of the documents below ``root``, which may be part of a checkout.

    ``cached`` is returned as it is while HEAD stays the same, and only new commits are read
    where they follow it. ``None`` where git or a full history is missing, or this is no
    checkout; where that is worth knowing, ``report`` gets a sentence.
    """
    say = report or (lambda sentence: None)
    git = _Git.at(root)
    if git is None:
        return None
    answer = git.run("rev-parse", "--show-prefix", "--is-shallow-repository", "HEAD")
    if answer.returncode != 0:
        if b"dubious ownership" in answer.stderr:
            say(
                f"{root} is a git checkout of another user, which git refuses to read; file times "
                f"are used instead. To use commit times: git config --global --add "
                f"safe.directory {root}"
            )
        return None
    *prefix, shallow, head = os.fsdecode(answer.stdout).removesuffix("\n").split("\n")
    top = "\n".join(prefix)
    if shallow != "false":
        say(
            f"{root} is a shallow clone, whose history does not tell when files changed; file "
            f"times are used instead. To use commit times: git fetch --unshallow"
        )
        return None
    if cached is not None and (cached.head, cached.top) == (head, top):
        return cached
    tracked = git.run("ls-tree", "-r", "-z", "--name-only", "HEAD")
    if tracked.returncode != 0:
        return None
    wanted = {path: name for path in tracked.stdout.split(b"\0") if (name := _document(path))}
    old: Mapping[str, str] = {}
    span = head
    if cached is not None and cached.top == top and git.follows(cached.head, head):
        span, old = f"{cached.head}..{head}", cached.days
    new = dict(_last_days(git, span, wanted, say))
    days = {name: day for name in wanted.values() if (day := new.get(name) or old.get(name))}
    return CachedTimes(head=head, top=top, days=days)


def modified(root: Path) -> frozenset[str] | None:
    """The tracked files below ``root`` that differ from HEAD (POSIX, NFC, below ``root``), or
    ``None`` where git cannot say: then no commit time can be trusted.

    Costs a ``stat`` of every tracked file, so ask only when something has to be parsed.
    """
    git = _Git.at(root)
    if git is None:
        return None
    answer = git.without_filters().run(
        "diff", "--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff",
        "--no-textconv", "--ignore-submodules=all", "HEAD", "--", ".",
    )  # fmt: skip
    if answer.returncode != 0:
        return None
    return frozenset(name for path in answer.stdout.split(b"\0") if (name := _document(path)))


def _last_days(
    git: _Git, span: str, wanted: Mapping[bytes, str], say: Report
) -> Iterator[tuple[str, str]]:
    """For each wanted file that a commit of ``span`` touches: its name, and that last day."""
    # Merges have no diff of their own here: what they bring was committed on a branch.
    command = git.command(
        "log", "-z", "--name-only", "--format=%x01%cs", "--relative", "--no-renames", "--no-merges",
        "--diff-filter=AMT", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-notes",
        "--ignore-submodules=all", span, "--", ".",
    )  # fmt: skip
    left = dict(wanted)
    day = ""
    with subprocess.Popen(
        command,
        cwd=git.root,
        env=git.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(HISTORY_SECONDS, stop)
        timer.start()
        try:
            for token in _tokens(process):
                header = _HEADER.fullmatch(token)
                if header is not None:
                    day = header[1].decode()
                    continue
                # The first path after a header starts with a line end.
                name = left.pop(token.removeprefix(b"\n"), None) or left.pop(token, None)
                if name is not None:
                    yield name, day
                    if not left:
                        break
        finally:
            timer.cancel()
            process.kill()
    if late.is_set():
        say(
            f"The git history of {git.root} took longer than {HISTORY_SECONDS:.0f} s to read; "
            f"{len(left):,} files keep their file times."
        )


def _tokens(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    assert process.stdout is not None
    rest = b""
    while block := process.stdout.read(1 << 16):
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
    if rest:
        yield rest


def _document(path: bytes) -> str | None:
    """The library's spelling of a path that git knows, where it is a document's."""
    try:
        name = path.decode()
    except UnicodeDecodeError:
        return None
    if kind_of(name) is None:
        return None
    return name if name.isascii() else normalize("NFC", name)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Git:
    """The git program, to be run in one folder with nothing of its surroundings but HOME."""

    program: str
    root: str
    env: Mapping[str, str]

    @classmethod
    def at(cls, root: Path) -> _Git | None:
        program = shutil.which("git")
        if program is None:
            return None
        env = {
            "PATH": os.pathsep.join((os.path.dirname(program), os.defpath)),
            "HOME": os.path.expanduser("~"),  # where safe.directory is written
            "LC_ALL": "C",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_PAGER": "cat",
        }
        return cls(program=program, root=str(root), env={**env, **_settings(_SAFE)})

    def command(self, *arguments: str) -> list[str]:
        return [self.program, "--no-pager", "--literal-pathspecs", *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = self.command(*arguments)
        try:
            return subprocess.run(
                command,
                cwd=self.root,
                env=self.env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_ANSWER_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return subprocess.CompletedProcess(command, 1, b"", str(error).encode())

    def follows(self, old: str, new: str) -> bool:
        """Whether every commit of ``old`` is in ``new``."""
        return self.run("merge-base", "--is-ancestor", old, new).returncode == 0

    def without_filters(self) -> _Git:
        """The same with every content filter off that the configuration defines: needed
        wherever git reads files of the working tree."""
        found = self.run("config", "-z", "--name-only", "--get-regexp", r"^filter\.")
        off = dict(_SAFE)
        for key in os.fsdecode(found.stdout).split("\0"):
            if key:
                driver = key.rpartition(".")[0]
                off |= {f"{driver}.{verb}": "" for verb in ("clean", "smudge", "process")}
                off[f"{driver}.required"] = "false"
        return replace(self, env={**self.env, **_settings(off)})


_SAFE = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.untrackedCache": "false",
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",
}


def _settings(values: Mapping[str, str]) -> dict[str, str]:
    """Configuration by environment, which takes any characters in a key."""
    result = {"GIT_CONFIG_COUNT": str(len(values))}
    for at, (key, value) in enumerate(values.items()):
        result |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    return result

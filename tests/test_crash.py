"""What stops a run in the middle leaves the last committed library, and the next run mends it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from tests import crash_driver
from wellread.config import load
from wellread.library import Library
from wellread.types import Caller

ROOT = Path(__file__).parent.parent
TODAY = date(2026, 6, 15)
OWNER = Caller(subject=None, owner=True)
EDITIONS = 8
PAGES = 12


def started(*arguments: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WELLREAD_")}
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**kept, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize(
    ("how", "points"),
    [("SIGKILL", (25, 25)), ("SIGINT", (8, 8))],
    ids=["kill -9 at 50 points", "Ctrl-C at 16 points"],
)
def test_a_stopped_run_leaves_the_old_library_or_the_new_and_the_next_run_a_fresh_build(
    tmp_path: Path, how: str, points: tuple[int, ...]
) -> None:
    drivers = []
    for seed, count in enumerate(points):
        folder = tmp_path / str(seed)
        folder.mkdir()
        drivers.append(started("-m", "tests.crash_driver", str(folder), str(seed), str(count), how))
    for driver in drivers:
        out, err = driver.communicate(timeout=300)
        assert driver.returncode == 0, err
        assert json.loads(out) == []


INDEXER = """
import sys
from pathlib import Path
from wellread import cli
docs, editions, pages = Path(sys.argv[1]) / "docs", int(sys.argv[2]), int(sys.argv[3])
for edition in range(1, editions + 1):
    for page in range(pages):
        text = f"# Page {page}\\n\\nA zebra of edition{edition} indeed.\\n"
        (docs / f"p{page}.md").write_text(text, encoding="utf-8")
    assert cli.main(["index", "--config", f"{sys.argv[1]}/wellread.toml"]) == 0
"""


@pytest.mark.parametrize("lexical", ["tantivy", "fts5"])
def test_a_reader_beside_an_indexer_sees_no_error_and_no_mixture(
    tmp_path: Path, lexical: str
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "wellread.toml").write_text(
        f'[[sources]]\npath = "docs"\n[search]\nlexical = "{lexical}"\n', encoding="utf-8"
    )
    for page in range(PAGES):
        text = f"# Page {page}\n\nA zebra of edition0 indeed.\n"
        (tmp_path / "docs" / f"p{page}.md").write_text(text, encoding="utf-8")
    config = load(None, {}, tmp_path)
    with Library(config) as library:
        library.index()
    indexer = started("-c", INDEXER, str(tmp_path), str(EDITIONS), str(PAGES))
    seen: set[str] = set()
    with Library(config) as staying:
        while indexer.poll() is None or not seen:
            with Library(config) as passing:
                for library in (staying, passing):
                    seen |= one_edition(library)
        seen |= one_edition(staying)
    _, err = indexer.communicate()
    assert indexer.returncode == 0, err
    assert f"edition{EDITIONS}" in seen
    assert len(seen) > 2, "the reader was too slow to read beside the indexer"


def one_edition(library: Library) -> set[str]:
    """What one search and one exact search show; each shows one edition, and nothing twice."""
    scope = library.scope(OWNER)
    result = library.search("zebra", scope=scope, today=TODAY, limit=50)
    editions = {edition_of(hit.snippet) for hit in result.hits}
    assert len(editions) <= 1
    assert len({hit.path for hit in result.hits}) == len(result.hits) <= PAGES
    assert result.counts.any_word == len(result.hits)
    exact = library.find_exact("zebra of", scope=scope, today=TODAY, limit=50)
    assert len(exact.matches) == PAGES
    assert len({edition_of(match.text) for match in exact.matches}) == 1
    assert library.status(scope=scope, today=TODAY).documents == PAGES
    return editions


def edition_of(text: str) -> str:
    return next(word for word in text.split() if word.startswith("edition"))


@pytest.mark.parametrize("lexical", ["tantivy", "fts5"])
def test_a_restored_backup_has_the_same_rows_and_answers(tmp_path: Path, lexical: str) -> None:
    crash_driver.write_first(tmp_path / "docs")
    config = tmp_path / "wellread.toml"
    config.write_text(
        f'[[sources]]\npath = "docs"\n[search]\nlexical = "{lexical}"\n', encoding="utf-8"
    )
    with Library(load(config, {}, tmp_path)) as library:
        library.index()
        crash_driver.write_second(tmp_path / "docs")
        library.index()
        library.backup(tmp_path / "kept")
        Library.restore(tmp_path / "kept", tmp_path / "new")
    here = crash_driver.looked(config, tmp_path / ".wellread")
    assert here["documents"] == crash_driver.FILES
    assert crash_driver.looked(config, tmp_path / "new") == here

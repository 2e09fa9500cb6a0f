from __future__ import annotations

import os
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wellread.documents import FileEntry, SkippedEntry
from wellread.errors import ConfigError, RunRefused, SkippedFile
from wellread.kinds import kind_of
from wellread.sources.exclude import DEFAULT_EXCLUDE, compile_exclude
from wellread.sources.folder import FolderSource

ROOT_USER = os.geteuid() == 0


def write(root: Path, *names: str, text: str = "text") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def source(root: Path, *exclude: str, prefix: str = "", max_bytes: int = 1000) -> FolderSource:
    return FolderSource(name="docs", root=root, prefix=prefix, exclude=exclude, max_bytes=max_bytes)


def listed(src: FolderSource) -> list[str]:
    return [entry.path for entry in src.scan() if isinstance(entry, FileEntry)]


def skipped(src: FolderSource) -> dict[str, str]:
    return {entry.path: entry.reason for entry in src.scan() if isinstance(entry, SkippedEntry)}


def entry_of(src: FolderSource, path: str) -> FileEntry:
    return next(e for e in src.scan() if isinstance(e, FileEntry) and e.path == path)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "markdown"),
        ("a.MD", "markdown"),
        ("a.markdown", "markdown"),
        ("a.mdx", "markdown"),
        ("a.md.erb", "markdown"),
        ("dir.v2/a.md.J2", "markdown"),
        ("a.txt", "text"),
        ("a.PDF", "office"),
        ("a.csv", "office"),
        ("a.html.erb", None),
        ("a.md.bak", None),
        ("a.erb", None),
        ("md.erb", None),
        ("md", None),
        ("README", None),
        ("a.png", None),
    ],
)
def test_a_name_says_how_a_file_is_read(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind


def test_documents_are_listed_below_the_prefix_with_what_tells_them_apart(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/c.txt", "a/b/d.pdf")
    src = source(tmp_path, prefix="handbook")
    assert listed(src) == ["handbook/b.md", "handbook/a/c.txt", "handbook/a/b/d.pdf"]
    entry, status = entry_of(src, "handbook/b.md"), (tmp_path / "b.md").stat()
    assert entry.source == "docs"
    assert (entry.size, entry.inode) == (status.st_size, status.st_ino)
    assert (entry.mtime_ns, entry.ctime_ns) == (status.st_mtime_ns, status.st_ctime_ns)
    assert src.read(entry) == b"text"


def test_a_listed_file_is_an_ordinary_entry(tmp_path: Path) -> None:
    # The walk fills the slots by itself: a field it forgets would be missing here.
    write(tmp_path, "a.md")
    entry, status = entry_of(source(tmp_path), "a.md"), (tmp_path / "a.md").stat()
    assert entry == FileEntry(
        path="a.md",
        location=os.path.join(os.path.realpath(tmp_path), "a.md"),
        source="docs",
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        ctime_ns=status.st_ctime_ns,
        inode=status.st_ino,
    )


def test_other_files_are_skipped_with_a_reason(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "logo.png", "Makefile")
    src = source(tmp_path)
    assert listed(src) == ["a.md"]
    assert skipped(src) == {
        "logo.png": "not a document type",
        "Makefile": "not a document type",
    }


def test_a_pipe_named_like_a_document_is_skipped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    assert skipped(source(tmp_path)) == {"a.md": "not a regular file"}


def test_hidden_files_installed_code_and_the_library_are_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        "a.md",
        ".hidden.md",
        ".git/x.md",
        "sub/node_modules/x.md",
        "__pycache__/x.md",
        ".wellread/x.md",
        "~$report.docx",
    )
    src = source(tmp_path)
    assert listed(src) == ["a.md"]
    assert skipped(src) == {}


def test_a_pattern_may_bring_hidden_folders_back_but_never_the_library(tmp_path: Path) -> None:
    write(tmp_path, ".github/a.md", ".wellread/b.md", ".other/c.md")
    assert listed(source(tmp_path, "!.github/", "!.wellread/")) == [".github/a.md"]


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [
        ("drafts", ["a.md", "sub/a.md"]),
        ("drafts/", ["a.md", "sub/a.md", "sub/drafts.md"]),
        ("/drafts/", ["a.md", "sub/a.md", "sub/drafts.md", "sub/drafts/x.md"]),
        ("drafts*", ["a.md", "sub/a.md"]),
        ("*.md", []),
        ("sub/*.md", ["a.md", "drafts/x.md", "sub/drafts/x.md"]),
        ("**/x.md", ["a.md", "sub/a.md", "sub/drafts.md"]),
        ("?.md", ["sub/drafts.md"]),
        ("# drafts", ["a.md", "drafts/x.md", "sub/a.md", "sub/drafts.md", "sub/drafts/x.md"]),
    ],
)
def test_patterns_mean_what_they_mean_in_a_gitignore(
    tmp_path: Path, pattern: str, kept: list[str]
) -> None:
    write(tmp_path, "a.md", "drafts/x.md", "sub/a.md", "sub/drafts.md", "sub/drafts/x.md")
    if pattern == "drafts":
        kept = [*kept, "sub/drafts.md"]
    assert sorted(listed(source(tmp_path, pattern))) == sorted(kept)


NAMES = st.sampled_from(["a", "b.md", "~$c", ".d", "node_modules", "ab", "é.md"])
PATTERNS = st.sampled_from(
    ["a", "a/", "/a", "*.md", "a*", "!b.md", "!.d", "a/b.md", "**/ab", "?b", "é*", "[ab]", "\\a"]
)


@given(parts=st.lists(NAMES, min_size=1, max_size=3), patterns=st.lists(PATTERNS, max_size=4))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_fast_check_agrees_with_pathspec_at_every_level(
    parts: list[str], patterns: list[str]
) -> None:
    from pathspec import GitIgnoreSpec

    lines = (*DEFAULT_EXCLUDE, *patterns)
    check, spec = compile_exclude(lines), GitIgnoreSpec.from_lines(lines)
    for at in range(len(parts)):
        path = "/".join(parts[: at + 1])
        folder = at + 1 < len(parts)
        expected = bool(spec.check_file(path + "/" if folder else path).include)
        assert check(parts[at], path, folder) == expected
        if expected:
            break  # the walk goes no deeper


def test_a_pattern_that_cannot_be_understood_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="exclude pattern cannot be understood"):
        source(tmp_path, "!").scan()


def test_link_loops_end(tmp_path: Path) -> None:
    write(tmp_path, "a/x.md")
    (tmp_path / "a" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a" / "self").symlink_to("self")
    src = source(tmp_path)
    assert listed(src) == ["a/x.md"]
    assert skipped(src) == {"a/up": "already listed", "a/self": "broken link"}


def test_a_linked_file_is_listed_once_under_its_own_path(tmp_path: Path) -> None:
    # A folder rule for hr/ must hold for its files, whoever links to them.
    write(tmp_path, "hr/pay.md")
    (tmp_path / "a.md").symlink_to("hr/pay.md")
    (tmp_path / "all").symlink_to("hr", target_is_directory=True)
    src = source(tmp_path)
    assert listed(src) == ["hr/pay.md"]
    assert skipped(src) == {"a.md": "already listed", "all": "already listed"}


def test_a_link_to_a_hidden_folder_is_followed(tmp_path: Path) -> None:
    write(tmp_path, ".store/v2/x.md", ".store/v2/sub/y.md")
    (tmp_path / "current").symlink_to(".store/v2", target_is_directory=True)
    (tmp_path / "x.md").symlink_to("current/x.md")
    src = source(tmp_path)
    assert listed(src) == ["current/x.md", "current/sub/y.md"]
    assert src.read(entry_of(src, "current/sub/y.md")) == b"text"


def test_a_link_does_not_reach_what_the_configuration_excludes(tmp_path: Path) -> None:
    write(tmp_path, "private/deep/x.md", ".wellread/y.md", "a.md")
    (tmp_path / "open").symlink_to("private/deep", target_is_directory=True)
    (tmp_path / "x.md").symlink_to("private/deep/x.md")
    (tmp_path / "library").symlink_to(".wellread", target_is_directory=True)
    assert listed(source(tmp_path, "private/")) == ["a.md"]


def test_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md", "root/a.md", "root-2/x.md")
    (tmp_path / "root" / "all").symlink_to(tmp_path / "outside")
    (tmp_path / "root" / "secret.md").symlink_to(tmp_path / "outside" / "secret.md")
    (tmp_path / "root" / "sibling").symlink_to(tmp_path / "root-2")
    src = source(tmp_path / "root")
    assert listed(src) == ["a.md"]
    assert set(skipped(src).values()) == {"link out of the source"}
    assert len(skipped(src)) == 3


def test_a_file_swapped_for_a_link_after_the_scan_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", "root/a.md")
    src = source(tmp_path / "root")
    entry = entry_of(src, "a.md")
    (tmp_path / "root" / "a.md").unlink()
    (tmp_path / "root" / "a.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(SkippedFile) as raised:
        src.read(entry)
    assert raised.value.reason == "link out of the source"


def test_a_root_that_is_a_link_is_read(tmp_path: Path) -> None:
    write(tmp_path, "real/a.md")
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    src = source(tmp_path / "link")
    assert src.read(entry_of(src, "a.md")) == b"text"


def test_a_large_file_is_skipped_without_being_read(tmp_path: Path) -> None:
    write(tmp_path, "a.md", text="x" * 1001)
    write(tmp_path, "b.md", text="x" * 1000)
    (tmp_path / "a.md").chmod(0)
    src = source(tmp_path)
    assert listed(src) == ["b.md"]
    (entry,) = (e for e in src.scan() if isinstance(e, SkippedEntry))
    assert entry.reason == "too large"
    assert "has 1,001 bytes" in entry.message
    assert "the limit of 1,000" in entry.message


def test_a_file_that_grew_after_the_scan_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    src = source(tmp_path)
    entry = entry_of(src, "a.md")
    write(tmp_path, "a.md", text="x" * 1001)
    with pytest.raises(SkippedFile, match="has grown beyond the limit") as raised:
        src.read(entry)
    assert raised.value.reason == "too large"


def test_a_file_that_went_away_after_the_scan_is_unreadable(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    src = source(tmp_path)
    entry = entry_of(src, "a.md")
    (tmp_path / "a.md").unlink()
    with pytest.raises(SkippedFile) as raised:
        src.read(entry)
    assert raised.value.reason == "unreadable"


def test_a_pipe_that_took_a_files_place_does_not_hang(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    src = source(tmp_path)
    entry = entry_of(src, "a.md")
    (tmp_path / "a.md").unlink()
    os.mkfifo(tmp_path / "a.md")
    with pytest.raises(SkippedFile) as raised:
        src.read(entry)
    assert raised.value.reason == "not a regular file"


def test_an_unreadable_folder_is_reported_as_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.md", "closed/b.md")
    real = os.scandir

    def scandir(path: str) -> object:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    src = source(tmp_path)
    assert listed(src) == ["a.md"]
    (entry,) = (e for e in src.scan() if isinstance(e, SkippedEntry))
    assert (entry.path, entry.reason, entry.folder) == ("closed", "unreadable", True)
    assert "Permission denied" in entry.message


@pytest.mark.skipif(ROOT_USER, reason="root reads files without permission")
def test_an_unreadable_file_is_said_to_be_unreadable(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "a.md").chmod(0)
    src = source(tmp_path)
    with pytest.raises(SkippedFile) as raised:
        src.read(entry_of(src, "a.md"))
    assert raised.value.reason == "unreadable"


def test_a_missing_root_refuses_the_run_before_anything_is_listed(tmp_path: Path) -> None:
    with pytest.raises(RunRefused) as raised:
        source(tmp_path / "absent").scan()
    message = str(raised.value)
    assert "'docs'" in message
    assert f"{tmp_path / 'absent'} does not exist" in message
    assert "`path` of this source" in message


def test_a_root_that_is_a_file_refuses_the_run(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    with pytest.raises(RunRefused, match="is not a folder"):
        source(tmp_path / "a.md").scan()


def test_paths_are_composed_whatever_the_file_system_says(tmp_path: Path) -> None:
    write(tmp_path, normalize("NFD", "Кафе́й/йод.md"))
    src = source(tmp_path, prefix=normalize("NFD", "й"))
    (path,) = listed(src)
    assert path == normalize("NFC", "й/Кафе́й/йод.md")
    assert src.read(entry_of(src, path)) == b"text"


def test_of_two_names_that_differ_in_unicode_form_the_composed_one_is_kept(tmp_path: Path) -> None:
    write(tmp_path, normalize("NFD", "é.md"), text="decomposed")
    write(tmp_path, normalize("NFC", "é.md"), text="composed")
    if len(os.listdir(tmp_path)) < 2:
        pytest.skip("this file system takes both names for one")
    src = source(tmp_path)
    assert listed(src) == ["é.md"]
    assert src.read(entry_of(src, "é.md")) == b"composed"
    assert skipped(src) == {"é.md": "same path twice"}


def test_folders_that_differ_in_unicode_form_share_their_paths(tmp_path: Path) -> None:
    write(tmp_path, normalize("NFD", "é/a.md"), normalize("NFD", "é/b.md"))
    write(tmp_path, normalize("NFC", "é/a.md"))
    if len(os.listdir(tmp_path)) < 2:
        pytest.skip("this file system takes both names for one")
    src = source(tmp_path)
    assert listed(src) == ["é/a.md", "é/b.md"]
    assert skipped(src) == {"é/a.md": "same path twice"}


def test_a_name_that_is_not_utf8_is_reported_and_can_be_printed(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("text")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    src = source(tmp_path)
    assert listed(src) == []
    assert skipped(src) == {"caf\ufffd.md": "undecodable name"}


@pytest.mark.parametrize("name", ["a b.md", "a'b.md", 'a"b.md', "a\\b.md", "a\nb.md", "#a.md"])
def test_unusual_names_keep_their_spelling(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    assert listed(source(tmp_path)) == [name]


def test_two_scans_of_one_tree_agree(tmp_path: Path) -> None:
    write(tmp_path, *(f"{a}/{b}.md" for a in "zaq" for b in "xмb"))
    assert listed(source(tmp_path)) == listed(source(tmp_path))
    assert listed(source(tmp_path))[:3] == ["a/b.md", "a/x.md", "a/м.md"]

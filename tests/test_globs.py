"""Path patterns of access rules, defaults and ``--path``."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wellread.globs import any_of, matcher, matches

TABLE = [
    # pattern, what it matches, what it does not
    ("contracts/**", ["contracts/a.md", "contracts/2024/a.md"], ["contracts.md", "x/contracts/a"]),
    ("**/x.md", ["x.md", "a/x.md", "a/b/x.md"], ["ax.md", "a/x.mdx"]),
    ("*.md", ["a.md", "a/b.md"], ["a.txt", "a.md.txt"]),
    ("/*.md", ["a.md"], ["a/b.md"]),
    ("contracts/*", ["contracts/a.md"], ["contracts/2024/a.md", "contracts"]),
    ("contracts/*.md", ["contracts/a.md"], ["contracts/2024/a.md", "contracts/a.txt"]),
    ("contracts/steel.md", ["contracts/steel.md"], ["a/contracts/steel.md", "contracts/steel.mdx"]),
    ("/travel.md", ["travel.md"], ["de/travel.md"]),
    ("travel.md", ["travel.md", "de/travel.md"], ["travel.mdx"]),
    ("people", ["people/a.md", "people/hr/a.md", "teams/people/a.md"], ["people.md"]),
    ("people/", ["people/a.md", "teams/people/a.md"], ["people.md", "peoples/a.md"]),
    ("/people", ["people/a.md"], ["teams/people/a.md", "people.md"]),
    ("/people/", ["people/a.md"], ["teams/people/a.md"]),
    ("teams/people", ["teams/people/a.md"], ["x/teams/people/a.md", "teams/people2/a.md"]),
    ("a/**/b.md", ["a/b.md", "a/x/b.md", "a/x/y/b.md"], ["b.md", "a/xb.md"]),
    ("a/**/b/**", ["a/b/c", "a/x/b/c/d"], ["a/b", "a/xb/c"]),
    ("**/b/**/c", ["b/c", "x/b/y/c", "x/b/y/c/below"], ["b/cc", "bc"]),
    ("**", ["a", "a/b/c.md"], []),
    ("/**", ["a", "a/b/c.md"], []),
    ("*", ["a", "a/b/c.md"], []),
    ("draft?.md", ["draft1.md", "x/drafts.md"], ["draft.md", "draft10.md"]),
    ("v[0-9].md", ["v1.md"], ["va.md", "v10.md"]),
    ("v[!0-9].md", ["va.md"], ["v1.md"]),
    ("v[^0-9].md", ["va.md"], ["v1.md"]),
    ("a[b", ["a[b"], ["ab"]),
    ("a[]]b", ["a]b"], ["ab"]),
    ("a[z-a]b", [], ["azb", "aab"]),
    (r"a\*b.md", ["a*b.md"], ["axb.md"]),
    ("c++/(x).md", ["c++/(x).md"], ["ccc/x.md"]),
    ("!people", ["!people/a.md"], ["people/a.md", "other.md"]),
    (" people/** ", ["people/a.md"], []),
    ("Договоры/**", ["Договоры/сталь.md"], ["договоры/сталь.md"]),
    ("a//b/**", ["a/b/c"], ["a/c"]),
    ("./people/**", ["people/a.md"], ["x/people/a.md"]),
]


@pytest.mark.parametrize(("pattern", "yes", "no"), TABLE, ids=[row[0] for row in TABLE])
def test_patterns_match_as_documented(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [path for path in yes if not matches(pattern, path)] == []
    assert [path for path in no if matches(pattern, path)] == []


def test_patterns_compare_in_one_unicode_form() -> None:
    composed, decomposed = "café/й.md", unicodedata.normalize("NFD", "café/й.md")
    assert composed != decomposed
    for pattern in ("café/**", "café/*", "й.md"):
        for form in ("NFC", "NFD"):
            spelt = unicodedata.normalize(form, pattern)  # type: ignore[arg-type]
            assert matches(spelt, composed)
            assert matches(spelt, decomposed)


@pytest.mark.parametrize("pattern", ["", "  ", "/", "//"])
def test_an_empty_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="is empty"):
        matcher(pattern)


def test_alternatives_match_where_one_does_and_none_match_nothing() -> None:
    test = any_of(("hr/**", "*.pdf"))
    assert test("hr/a.md")
    assert test("x/a.pdf")
    assert not test("x/a.md")
    assert not any_of(())("a.md")


def names_match(pattern: str, name: str) -> bool:
    """The plain definition for one component of stars, question marks and letters."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return names_match(pattern[1:], name) or (bool(name) and names_match(pattern, name[1:]))
    return bool(name) and pattern[0] in {"?", name[0]} and names_match(pattern[1:], name[1:])


def parts_match(pattern: list[str], path: list[str], covers: bool) -> bool:
    if not pattern:
        return not path or covers
    if pattern[0] == "**":
        if len(pattern) == 1:
            return bool(path)
        return parts_match(pattern[1:], path, covers) or (
            bool(path) and parts_match(pattern, path[1:], covers)
        )
    return (
        bool(path)
        and names_match(pattern[0], path[0])
        and parts_match(pattern[1:], path[1:], covers)
    )


def plain(pattern: str, path: str) -> bool:
    parts = [part for part in pattern.split("/") if part]
    if "/" not in pattern.rstrip("/"):
        return parts == ["**"] or parts_match(["**", *parts], path.split("/"), True)
    covers = pattern.endswith("/") or not set(parts[-1]) & set("*?")
    return parts_match(parts, path.split("/"), covers)


part = st.one_of(st.just("**"), st.text(alphabet="ab*?", min_size=1, max_size=4))
slash = st.sampled_from(["", "/"])
patterns = st.builds(
    lambda head, parts, tail: head + "/".join(parts) + tail,
    slash,
    st.lists(part, min_size=1, max_size=5),
    slash,
)
paths = st.lists(st.text(alphabet="ab", min_size=1, max_size=4), min_size=1, max_size=5).map(
    "/".join
)


@given(patterns, paths)
@example("/**/a*b/**/*a/**/b", "a/ab/ba/a/b")
@example("**a", "ba")
def test_matching_equals_the_plain_definition(pattern: str, path: str) -> None:
    assert matches(pattern, path) == plain(pattern, path)


def test_a_hostile_pattern_stays_cheap() -> None:
    path = "/".join(["a" * 60] * 8)
    started = time.perf_counter()
    assert not matches("*a" * 30 + "b", path)
    assert not matches("/" + "**/*a/" * 20 + "b", path)
    assert not matches("x/" + "**/a*a*a*a/" * 10 + "b?", "x/" + path)
    # A backtracking translation of the first alone runs for hours.
    assert time.perf_counter() - started < 2

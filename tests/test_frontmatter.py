from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from wellread.frontmatter import MAX_VALUES, split_frontmatter


def body_of(text: str) -> str:
    return text[split_frontmatter(text, "a.md").body_start :]


@pytest.mark.parametrize("written", ["2026-05-26", "1.10", "no", "0x1F", "1_000", "12:30", "true"])
def test_values_keep_the_text_that_was_written(written: str) -> None:
    front = split_frontmatter(f"---\ntitle: {written}\ntags: [{written}]\n---\n", "a.md")
    assert front.values == {"title": written, "tags": [written]}


def test_keys_have_their_line_in_the_file_and_the_body_its_first() -> None:
    text = "---\n# note\ntitle: A\n\naccess:\n  - hr\n---\nBody\n"
    front = split_frontmatter(text, "a.md")
    assert front.lines == {"title": 3, "access": 5}
    assert front.body_line == 8
    assert text[front.body_start :] == "Body\n"


def test_toml_between_pluses_is_read_with_native_dates_as_text() -> None:
    text = '+++\ntitle = "A"\nupdated = 2026-03-02\nat = 2026-03-02T10:00:00Z\nn = 1.10\n+++\nBody'
    front = split_frontmatter(text, "a.md")
    assert front.values == {
        "title": "A",
        "updated": "2026-03-02",
        "at": "2026-03-02 10:00:00+00:00",
        "n": "1.10",
    }
    assert front.lines == {"title": 2, "updated": 3, "at": 4, "n": 5}
    assert front.body_line == 7


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA thematic break starts this page.\n",
        "---\nJust prose after a break.\n",
        "---\nProse between two breaks\n---\nmore",
        "Text\n---\ntitle: x\n---\n",
        "----\ntitle: x\n----\n",
        "",
        "   \n",
        "- a list",
    ],
)
def test_a_thematic_break_is_not_frontmatter(text: str) -> None:
    front = split_frontmatter(text, "a.md")
    assert (front.values, front.body_start, front.broken) == ({}, 0, False)


def test_frontmatter_may_be_empty_or_follow_blank_lines() -> None:
    assert body_of("---\n---\nBody") == "Body"
    front = split_frontmatter("\n \n---\naccess: [hr]\n---\nBody", "a.md")
    assert front.values == {"access": ["hr"]}
    assert front.lines == {"access": 4}
    assert split_frontmatter("\u200b---\naccess: [hr]\n---\n", "a.md").values == {"access": ["hr"]}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\ntitle: Contract: Northern\n---\nBody", 2),
        ("---\ntitle: x\n\taccess: [hr]\n---\nBody", 3),
        ("---\ntitle: x\naccess: [hr\n---\nBody", 4),
        ("---\naccess:[hr]\n---\nBody", 2),
        ("---\n- access: [hr]\n---\nBody", 2),
        ("---\n? [a, b]\n: c\ntitle: x\n---\nBody", 2),
        ("---\na: *missing\n---\nBody", 2),
        ("+++\ntitle = \n+++\nBody", 2),
        ("+++\na = 1\na = 2\n+++\nBody", 3),
    ],
)
def test_what_cannot_be_read_is_broken_and_its_text_is_kept(text: str, line: int) -> None:
    front = split_frontmatter(text, "hr/leave.md")
    assert front.broken
    assert text[front.body_start :] == "Body"
    (problem,) = front.problems
    assert (problem.code, problem.path) == ("frontmatter-broken", "hr/leave.md")
    assert f"hr/leave.md:{problem.line}" in problem.message
    assert abs(problem.line - line) <= 1


def test_a_forgotten_closing_line_is_broken_not_public() -> None:
    front = split_frontmatter("---\naccess: [hr]\n\n# Pay\n", "a.md")
    assert front.broken
    assert front.body_start == 0
    assert "not closed by ---" in front.problems[0].message


def test_a_bomb_of_aliases_is_refused_quickly() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    front = split_frontmatter("---\n" + "\n".join(lines) + "\n---\n", "a.md")
    assert front.broken
    assert f"{MAX_VALUES:,}" in front.problems[0].message


@pytest.mark.parametrize(
    "block", ["a: " + "[" * 50_000, "a: " + "[" * 40 + "]" * 40, "a: &x [*x]", "a: &x {b: *x}"]
)
def test_deep_or_endless_nesting_is_refused(block: str) -> None:
    assert split_frontmatter(f"---\n{block}\n---\n", "a.md").broken


def test_deep_toml_is_refused() -> None:
    assert split_frontmatter("+++\na = " + "[" * 50_000 + "\n+++\n", "a.md").broken


def test_an_alias_used_a_few_times_is_fine() -> None:
    front = split_frontmatter("---\na: &x [1, 2]\nb: *x\nc: &y z\nd: *y\n---\n", "a.md")
    assert front.values == {"a": ["1", "2"], "b": ["1", "2"], "c": "z", "d": "z"}


def test_repeated_keys_are_named_and_the_last_holds() -> None:
    front = split_frontmatter("---\ntitle: A\ntitle: B\n---\n", "a.md")
    assert front.values == {"title": "B"}
    assert front.repeated == {"title"}
    assert front.lines == {"title": 3}


VALUE = st.text(st.sampled_from("aZ9 .,-()/:#'\"[]{}&*!|>%@`~_=\\é?\t"), max_size=12)


@given(st.dictionaries(st.sampled_from(["title", "a-b", "x_y", "k.1"]), VALUE, max_size=4))
def test_plain_lines_are_read_as_yaml_reads_them(pairs: dict[str, str]) -> None:
    block = "\n".join(f"{key}: {value}" for key, value in pairs.items())
    front = split_frontmatter(f"---\n{block}\n---\n", "a.md")
    try:
        expected = yaml.load(block, Loader=yaml.CBaseLoader)
    except yaml.composer.ComposerError:
        return  # an anchor twice over, or none: nothing is lost by taking what is written
    except yaml.YAMLError:
        assert front.broken or not front.values
        return
    if isinstance(expected, dict) and not front.broken:
        shown = {key: "" if value is None else value for key, value in front.values.items()}
        assert shown == {
            key: "" if value in ("~", "null") else value for key, value in expected.items()
        }


def test_what_a_merge_key_brings_in_holds_as_if_it_were_written() -> None:
    front = split_frontmatter(
        "---\nbase: &b {access: [hr], title: A}\n<<: [*b, {title: B, owner: C}]\ntitle: D\n---\n",
        "a.md",
    )
    assert front.values == {
        "base": {"access": ["hr"], "title": "A"}, "title": "D", "access": ["hr"], "owner": "C",
    }  # fmt: skip
    assert front.lines["access"] == 3
    assert front.lines["title"] == 4


def test_a_merge_key_that_is_no_mapping_seals() -> None:
    assert split_frontmatter("---\n<<: [hr]\ntitle: A\n---\n", "a.md").broken


@pytest.mark.parametrize("indent", [" ", "   ", "\u00a0", "\n "])
def test_an_indented_fence_does_not_turn_an_access_list_into_text(indent: str) -> None:
    closed = split_frontmatter(f"{indent}---\naccess: [hr]\n---\ntext", "a.md")
    assert closed.values == {"access": ["hr"]}
    assert split_frontmatter(f"{indent}---\naccess: [hr]\n{indent}---\ntext", "a.md").broken

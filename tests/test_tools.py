"""What the tools announce, and how a call of theirs is checked."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.errors import UsageError
from wellread.server import _announced
from wellread.tools import (
    INSTRUCTIONS,
    OPENAI_INSTRUCTIONS,
    OPENAI_TOOLS,
    TOOLS,
    ExactCall,
    MissCall,
    Profile,
    ReadCall,
    SearchCall,
    read_call,
    tools_of,
)
from wellread.types import Filters

PINNED = {
    "default": "18f41bff0351c9a5",
    "openai": "090cd925dbda2dd9",
}


def listed(profile: Profile) -> str:
    """``tools/list`` as it goes over the wire."""
    tools = [_announced(tool) for tool in tools_of(profile)]
    shapes = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools]
    return json.dumps({"tools": shapes}, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("profile", ["default", "openai"])
def test_a_change_of_what_is_announced_is_seen(profile: Profile) -> None:
    told = {"default": INSTRUCTIONS, "openai": OPENAI_INSTRUCTIONS}[profile]
    seen = hashlib.sha256((listed(profile) + told).encode()).hexdigest()[:16]
    assert seen == PINNED[profile], f"{profile} is {seen}: if it was meant, write it here"


def test_the_list_of_tools_is_small_with_room_for_one_more() -> None:
    assert len(listed("default")) <= 4400  # the frame of the protocol comes on top: 4,500 with it
    assert len(listed("openai")) <= 1000
    assert len(INSTRUCTIONS) <= 1300


def test_only_what_is_built_is_announced() -> None:
    assert [tool.name for tool in TOOLS] == ["search", "find_exact", "read", "report_miss"]
    assert [tool.name for tool in OPENAI_TOOLS] == ["search", "fetch"]
    assert "similar_to" not in listed("default")
    assert "context" not in [tool.name for tool in TOOLS]


def test_every_schema_takes_what_it_names_and_nothing_else() -> None:
    for tool in (*TOOLS, *OPENAI_TOOLS):
        assert tool.schema["additionalProperties"] is False
        assert set(tool.schema["required"]) <= set(tool.schema["properties"])


def test_annotations_are_true() -> None:
    for tool in map(_announced, (*TOOLS, *OPENAI_TOOLS)):
        reads = tool.name != "report_miss"
        assert tool.annotations.read_only_hint is reads
        assert tool.annotations.idempotent_hint is reads
        assert tool.annotations.destructive_hint is (None if reads else False)
        assert tool.annotations.open_world_hint is False


def test_the_tools_import_nothing_heavy() -> None:
    program = (
        "import sys, wellread.tools;"
        "print(sorted({'mcp', 'pydantic', 'anyio', 'asyncio', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_search_with_everything_is_read() -> None:
    call = read_call(
        "search",
        {
            "query": "refund limits",
            "type": ["guideline", "playbook"],
            "state": "approved",
            "owner": ["legal"],
            "tag": ["refund"],
            "path": ["legal/**"],
            "since": "2026-01-01",
            "limit": 3.0,
            "page": "",
            "detail": "passage",
            "until": None,
        },
    )
    assert isinstance(call, SearchCall)
    assert (call.query, call.limit, call.page, call.detail) == ("refund limits", 3, None, "passage")
    assert call.filters.types == ("guideline", "playbook")
    assert call.filters.states == ("approved",)
    assert call.filters.paths == ("legal/**",)
    assert str(call.filters.since) == "2026-01-01"
    assert call.filters.until is None


def test_types_are_understood_in_the_words_of_the_house() -> None:
    call = read_call("search", {"query": "x", "type": ["policy"]}, aliases={"policy": "guideline"})
    assert isinstance(call, SearchCall)
    assert call.filters.types == ("guideline",)


def test_the_other_calls_are_read() -> None:
    assert read_call("find_exact", {"text": " a ", "regex": True}) == ExactCall(
        text=" a ", regex=True
    )
    assert read_call("read", {"handle": "a.md#b", "lines": "3-9", "outline": False}) == ReadCall(
        handle="a.md#b", lines=(3, 9)
    )
    assert read_call("report_miss", {"question": "q", "tried": ["a", "b"]}) == MissCall(
        question="q", tried=("a", "b")
    )
    assert read_call("fetch", {"id": "a.md"}, profile="openai") == ReadCall(handle="a.md")
    assert read_call("search", {"query": "q"}, profile="openai") == SearchCall(
        query="q", filters=Filters()
    )


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("serch", {}, "There is no tool 'serch'. Did you mean search? The tools are search, fi"),
        ("context", {}, "There is no tool 'context'. The tools are"),
        ("search", None, "search needs query: Key words"),
        ("search", [], "search takes an object with query, type"),
        ("search", {"query": "  "}, "search needs query"),
        ("search", {"qeury": "x"}, "search has no argument 'qeury'. Did you mean query? It takes"),
        ("search", {"query": 3}, "search: query is 3. It must be a text."),
        ("search", {"query": "x" * 1001}, "search: query has 1,001 characters. It may have 1,000"),
        ("search", {"query": "x", "limit": 51}, "limit is 51. It must be a whole number from 1 to"),
        ("search", {"query": "x", "limit": True}, "limit is True. It must be a whole number"),
        ("search", {"query": "x", "limit": float("nan")}, "limit is nan. It must be a whole"),
        ("search", {"query": "x", "limit": float("inf")}, "limit is inf. It must be a whole"),
        ("search", {"query": "x", "detail": "full"}, "'full'. It must be one of snippet, passage."),
        ("search", {"query": "x", "type": "memo"}, "type 'memo' is unknown. Known: guideline, pl"),
        ("search", {"query": "x", "tag": [1]}, "tag is [1]. It must be a list of texts."),
        ("search", {"query": "x", "tag": ["y"] * 101}, "It must be at most 100 texts"),
        ("search", {"query": "x", "since": "March"}, "since 'March' is not a day: write year"),
        (
            "search",
            {"query": "x", "since": "2026-02-02", "until": "2026-01-01"},
            "since 2026-02-02 is after until 2026-01-01",
        ),
        ("find_exact", {"query": "x"}, "find_exact has no argument 'query'. It takes text, regex"),
        ("find_exact", {"text": "x", "regex": "yes"}, "regex is 'yes'. It must be true or false."),
        ("read", {"path": "x"}, "read has no argument 'path'. It takes handle, lines, outline."),
        ("read", {"handle": "x", "lines": "1:2"}, "lines '1:2' is no range"),
        ("report_miss", {"tried": []}, "report_miss needs question: What the user wanted to know"),
    ],
)
def test_what_is_wrong_is_refused_by_name_with_what_is_right(
    name: str, arguments: Any, words: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read_call(name, arguments)
    assert words in str(refused.value)


def test_a_tool_of_the_other_profile_is_unknown() -> None:
    with pytest.raises(UsageError, match=r"no tool 'read'.*search, fetch"):
        read_call("read", {"handle": "x"}, profile="openai")
    with pytest.raises(UsageError, match="no argument 'limit'"):
        read_call("search", {"query": "x", "limit": 3}, profile="openai")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
NAMES = st.sampled_from([*{n for tool in TOOLS for n in tool.schema["properties"]}, "x", "", "é"])


@given(
    st.sampled_from([tool.name for tool in TOOLS]),
    st.one_of(VALUES, st.dictionaries(NAMES, VALUES, max_size=4)),
)
def test_no_argument_makes_the_check_fail_otherwise(name: str, arguments: Any) -> None:
    with suppress(UsageError):
        call = read_call(name, arguments)
        assert isinstance(call, SearchCall | ExactCall | ReadCall | MissCall)

"""The two tools of the ChatGPT connector contract: what `search` and `fetch` answer, as JSON

The contract (developers.openai.com, "Building MCP servers for ChatGPT") fixes the shapes:
``results`` of ``id``, ``title`` and ``url``; and ``id``, ``title``, ``text``, ``url`` and
``metadata``; each as the JSON text of a single item. Ids are handles.
"""

from __future__ import annotations

import json
from urllib.parse import quote

from wellread.answers import CHARACTERS_A_TOKEN, Answer, as_answer, most, within
from wellread.errors import UsageError
from wellread.handles import shown_handle
from wellread.show import reasons
from wellread.tokens import estimate
from wellread.types import Hit, SearchResult
from wellread.views import ReadResult
from wellread.visible import one_line, visible

LONGEST_TITLE = 200
UNSEARCHABLE = {
    "index-empty": "There is nothing to search: the index holds no document that this user may "
    "read. Tell the user.",
    "index-failed": "There is nothing to search: building the index failed. Tell the user.",
}


def url_of(base: str, handle: str) -> str:
    """The address of a document or section below a base that is an https address."""
    path, _, section = handle.partition("#")
    anchor = f"#{quote(section)}" if section else ""
    return f"{base.rstrip('/')}/{quote(path)}{anchor}"


def results_answer(result: SearchResult, *, base: str, cap: int) -> Answer:
    """The hits of a search. Raises ``UsageError`` where there was nothing to search: an empty
    list would say that nothing was found."""
    if not result.hits and result.outcome in UNSEARCHABLE:
        raise UsageError(UNSEARCHABLE[result.outcome])
    entries = [_entry(hit, base) for hit in result.hits]

    def text(kept: int) -> str:
        return json.dumps({"results": entries[:kept]}, ensure_ascii=False)

    kept = most(len(entries), lambda kept: estimate(text(kept)) <= cap)
    return as_answer(text(kept), shown=kept)


def _entry(hit: Hit, base: str) -> dict[str, str]:
    handle = hit.section.removesuffix("#")
    heading = [part for part in hit.heading if part != hit.title]
    title = one_line(" › ".join([hit.title, *heading]), LONGEST_TITLE)
    if hit.standing.name != "current":
        title += f" ({hit.standing.name.replace('-', ' ')})"
    return {"id": shown_handle(handle), "title": title, "url": url_of(base, handle)}


def document_answer(result: ReadResult, *, base: str, cap: int) -> Answer:
    """A document or section with its text, as much as fits, and what it is worth."""
    handle = result.path if result.section is None else f"{result.path}#{result.section}"
    every = result.text.split("\n")
    rows = [visible(row) for row in within(every, cap * CHARACTERS_A_TOKEN)]
    metadata = {
        "type": result.type,
        "state": result.state if result.state_explicit else "",
        "standing": one_line("; ".join(reasons(result)), LONGEST_TITLE),
        "superseded_by": shown_handle(result.standing.successor or ""),
        "updated": str(result.updated or ""),
        "as_of": result.as_of or "",
        "before": shown_handle(result.before or ""),
        "after": shown_handle(result.after or ""),
        "note": one_line(" ".join(result.notes), 3 * LONGEST_TITLE),
    }

    def text(kept: int) -> str:
        cut = kept < len(every)
        first = result.lines[0]
        left = {
            "left_out": f"after line {first + kept - 1} of {result.total_lines}: fetch a section"
        }
        return json.dumps(
            {
                "id": shown_handle(handle),
                "title": one_line(result.title, LONGEST_TITLE),
                "text": "\n".join(rows[:kept]),
                "url": url_of(base, handle),
                "metadata": {
                    name: value
                    for name, value in {**metadata, **(left if cut else {})}.items()
                    if value
                },
            },
            ensure_ascii=False,
        )

    kept = most(len(rows), lambda kept: estimate(text(kept)) <= cap)
    return as_answer(text(kept), shown=1)

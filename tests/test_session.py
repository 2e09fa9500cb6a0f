"""docs/session.md is what a client gets over stdio, to the letter: `pytest --update-golden` of
this file writes it anew."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio

from tests.company import company, timeless

HEAD = """\
# A session

What an AI client sees of the example company, asked twice what average raise is budgeted for 2026:
as Vera of People (group `hr`), who may read the compensation policy, and as Ann, an account executive
(group `sales`), who may not. The client is that of the MCP package, the server a
`wellread serve` of its own for each of the two, on 15 June 2026. A test plays the session and compares
it with this page; cursors, which are of no interest, are written as `…`.

To a model, a page that it may not read is one that does not exist: nothing in an answer, a count or a
refusal says otherwise.
"""

POLICY = "people/compensation/compensation-policy-2026.md"
QUERY: tuple[str, dict[str, Any]] = ("search", {"query": "average raise budget 2026", "limit": 2})
SESSIONS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "vera": [QUERY, ("read", {"handle": f"{POLICY}#budget-for-raises"})],
    "ann": [
        QUERY,
        ("find_exact", {"text": "average raise", "ignore_case": True}),
        ("read", {"handle": f"{POLICY}#budget-for-raises"}),
        (
            "report_miss",
            {
                "question": "What average raise is budgeted for 2026?",
                "tried": ["average raise budget 2026", "average raise"],
            },
        ),
    ],
}

# The server of the command, on the company's day.
SERVE = """\
import functools, sys, datetime, wellread.server as server
day = functools.partial(datetime.date, 2026, 6, 15)
server.Serving = functools.partial(server.Serving, today=day)
from wellread.cli import main
sys.exit(main(["serve", "--no-watch", *sys.argv[1:]]))
"""


async def played(home: Path, subject: str) -> str:
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    environment = {
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "WELLREAD_CONFIG": str(home / "wellread.toml"),
        "WELLREAD_AS": subject,
    }
    parameters = StdioServerParameters(
        command=sys.executable, args=["-c", SERVE], env=environment, cwd="/"
    )
    lines = [f"\n## As {subject}"]
    with anyio.fail_after(60):
        async with Client(stdio_client(parameters)) as client:
            for name, arguments in SESSIONS[subject]:
                result = await client.call_tool(name, arguments)
                text = re.sub(r'page="[^"]*"', 'page="…"', timeless(result.content[0].text))
                asked = json.dumps(arguments, ensure_ascii=False)
                error = ", an error" if result.is_error else ""
                lines += [f"\n`{name}` with `{asked}`{error}:\n", f"```text\n{text}\n```"]
    return "\n".join(lines) + "\n"


def test_the_session_that_is_shown_is_what_a_client_gets(
    tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    company(tmp_path).close()
    by_subject = {subject: anyio.run(played, tmp_path, subject) for subject in SESSIONS}
    assert "**average raise of 6.8 %**" in by_subject["vera"]
    for hidden in ("6.8", "15 %", "Compensation policy", "18 December"):
        assert hidden not in by_subject["ann"]
    golden("../../docs/session.md", "".join([HEAD, *by_subject.values()]))

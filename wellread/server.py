"""The MCP server: tool calls in, the library asked in the caller's scope, texts out

Built on the low-level ``Server`` of the SDK, which serves both eras of the protocol and checks
nothing: not arguments, not the names of tools, not what exceptions say. All of it is done here,
so that no text of an exception and no text of a document reaches a client or a log unasked.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from wellread.answers import (
    FAILED,
    Answer,
    as_answer,
    error_answer,
    exact_answer,
    late_answer,
    miss_answer,
    read_answer,
    search_answer,
)
from wellread.calls import Calls
from wellread.connector import document_answer, results_answer
from wellread.errors import Cancelled, ConfigError, MissingExtra, WellreadError
from wellread.handles import meant_handle
from wellread.tools import (
    INSTRUCTIONS,
    OPENAI_INSTRUCTIONS,
    Call,
    ExactCall,
    MissCall,
    Profile,
    ReadCall,
    SearchCall,
    Tool,
    read_call,
    tools_of,
)
from wellread.trace import UNKNOWN_TOOL
from wellread.types import Caller, Scope, Told
from wellread.visible import one_line

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

    from wellread.library import Library

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_SIGNS = 1.0
"""Of life, while a call takes long: what a person notices as waiting (Nielsen, 1993)."""

HITS_OF_A_CONNECTOR = 10
LONGEST_NAME = 40
MOST_NAMES = 20
"""Characters and number of the names of arguments that are traced of a refused call: the longest
of ours has 11, and no tool takes more than 11."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Serving:
    """What a server serves, and to whom. ``caller`` is ``None`` over HTTP, where each request
    brings its own in ``request.state.caller``; nobody is ever made the local owner there.
    ``seconds`` is the time limit of a call, ``max_tokens`` the cap of an answer."""

    library: Library
    caller: Caller | None
    profile: Profile = "default"
    today: Callable[[], date] = date.today
    max_tokens: int = 6000
    seconds: float = 30
    base_url: str | None = None


def serving_of(library: Library, caller: Caller | None, profile: Profile = "default") -> Serving:
    """What the configuration of a library says of serving it. Raises ``ConfigError``."""
    config = library.config
    if profile == "openai" and config.base_url is None:
        raise ConfigError(
            "--profile openai needs [server] base_url, the https address that citations start "
            "with: add one, such as https://docs.example.com/"
        )
    return Serving(
        library=library,
        caller=caller,
        profile=profile,
        max_tokens=config.max_tokens,
        seconds=config.time_limit,
        base_url=config.base_url,
    )


def mcp_server(serving: Serving) -> Server[Any]:
    """The server of the SDK, to be run over any transport; the library stays open with it.
    Raises ``MissingExtra``."""
    try:
        import mcp_types as types
        from mcp.server.lowlevel.server import Server
    except ImportError as error:
        raise MissingExtra("the server needs mcp: pip install 'wellread[server]'") from error
    import anyio

    from wellread import __version__

    tools = [_announced(tool) for tool in tools_of(serving.profile)]
    calls = Calls()

    async def on_list_tools(_: Any, __: Any) -> Any:
        return types.ListToolsResult(tools=tools)

    async def on_call_tool(context: Any, params: Any) -> Any:
        caller = _caller(serving, context)
        answer = as_answer(FAILED, is_error=True)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_signs_of_life, context, serving.seconds)
                answer = await _called(serving, calls, caller, params.name, params.arguments)
                tasks.cancel_scope.cancel()
        except* Exception as errors:  # noqa: BLE001 - the SDK would send its text to the client
            _log(params.name, errors)
        return types.CallToolResult(
            content=[types.TextContent(text=answer.text)], is_error=answer.is_error
        )

    server: Server[Any] = Server(
        "wellread",
        version=__version__,
        instructions=INSTRUCTIONS if serving.profile == "default" else OPENAI_INSTRUCTIONS,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
    )
    server.middleware.clear()  # nothing is sent anywhere, spans included
    return server


def serve_stdio(serving: Serving) -> None:
    """Serve one client over this process's stdin and stdout until it goes or SIGTERM comes.
    Nothing but the protocol is written to stdout."""
    import anyio

    server = mcp_server(serving)
    anyio.run(_over_stdio, server)


async def _over_stdio(server: Server[Any]) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    out = sys.stdout
    end = _end_of_stdin() if sys.platform != "win32" else None
    async with stdio_server() as (reading, writing):
        # What is printed meanwhile would wait in a buffer and reach the client at the end.
        sys.stdout = sys.stderr
        try:
            async with anyio.create_task_group() as tasks:
                if end is not None:
                    tasks.start_soon(_on_sigterm, end)
                await server.run(reading, writing, server.create_initialization_options())
                tasks.cancel_scope.cancel()
        finally:
            sys.stdout = out


async def _on_sigterm(end: Callable[[], None]) -> None:
    import anyio

    with anyio.open_signal_receiver(signal.SIGTERM) as signals:
        async for _ in signals:
            end()


def _end_of_stdin() -> Callable[[], None]:
    """What ends stdin, as if the client had gone: a thread that waits for the client could not
    be stopped, so stdin is read by one that nobody waits for, and handed on."""
    source = os.dup(0)
    inward, outward = socket.socketpair()
    os.dup2(inward.fileno(), 0)
    inward.close()

    def end() -> None:
        with suppress(OSError):  # it has ended already
            outward.shutdown(socket.SHUT_RDWR)

    def hand_on() -> None:
        with suppress(OSError):
            while data := os.read(source, 65536):
                outward.sendall(data)
        end()

    threading.Thread(target=hand_on, name="wellread-stdin", daemon=True).start()
    return end


def _announced(tool: Tool) -> Any:
    import mcp_types as types

    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=dict(tool.schema),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.reads,
            destructive_hint=None if tool.reads else False,
            idempotent_hint=tool.reads,
            open_world_hint=False,
        ),
    )


def _caller(serving: Serving, context: Any) -> Caller:
    """Who asks. A request without a caller of its own is anybody's."""
    if serving.caller is not None:
        return serving.caller
    found = getattr(getattr(context.request, "state", None), "caller", None)
    if not isinstance(found, Caller) or found.owner:
        return Caller(subject=None)
    return found


def _member_now(serving: Serving, caller: Caller) -> Caller:
    """A caller fixed when the server began, with the groups of this moment: whoever is taken
    out of one reads its documents no more. Whoever is in no list any more reads nothing: without
    groups, what is denied to one of them would be open. Raises ``ConfigError``."""
    if serving.caller is None or caller.owner or caller.subject is None:
        return caller
    groups = serving.library.config.groups().get(caller.subject)
    if groups is None:
        raise ConfigError(
            f"{caller.subject} is not in [groups] or groups.yaml any more: add it again, or end "
            "this server"
        )
    return replace(caller, groups=groups)


async def _signs_of_life(context: Any, seconds: float) -> None:
    """Progress, for a client that asked for it, while its call takes long."""
    import anyio

    elapsed = 0.0
    while True:
        await anyio.sleep(SECONDS_BETWEEN_SIGNS)
        elapsed += SECONDS_BETWEEN_SIGNS
        await context.session.report_progress(elapsed, seconds, "still looking")


async def _called(
    serving: Serving, calls: Calls, caller: Caller, name: str, arguments: Any
) -> Answer:
    subject = "(local owner)" if caller.owner else caller.subject

    def work(stop: threading.Event) -> Answer:
        return answer_call(serving, caller, name, arguments, stop)

    try:
        return await calls.run(subject, work, seconds=serving.seconds)
    except TimeoutError:
        return late_answer(serving.seconds)


def answer_call(
    serving: Serving, caller: Caller, name: str, arguments: Any, stop: threading.Event
) -> Answer:
    """One call of a tool, answered in words whatever happens; blocking. Once ``stop`` is set it
    ends soon, and its answer is of no interest."""
    try:
        try:
            call = read_call(
                name,
                arguments,
                profile=serving.profile,
                aliases=serving.library.config.parse_rules.type_aliases,
            )
            scope = serving.library.scope(_member_now(serving, caller))
        except WellreadError as error:
            serving.library.refuse(
                error, caller=caller, told=_told_error, **_refused_call(serving, name, arguments)
            )
        return _answer(serving, call, scope, stop)
    except Cancelled:
        return late_answer(serving.seconds)
    except WellreadError as error:
        answer = error_answer(error)
        if answer.text == FAILED:
            logger.warning("a call failed: %s", error)
        return answer
    except Exception as error:  # noqa: BLE001 - the SDK would send its text to the client
        _log(name, error)
        return as_answer(FAILED, is_error=True)


def _told_error(error: WellreadError) -> Told:
    return error_answer(error).told


def _refused_call(serving: Serving, name: str, arguments: Any) -> dict[str, Any]:
    """What is traced of a call that was refused: the tool if there is one, and the names of its
    arguments. Values that did not pass the check may be of any size, and are not kept."""
    known = any(tool.name == name for tool in tools_of(serving.profile))
    given = arguments if isinstance(arguments, dict) else {}
    names = [one_line(str(each), LONGEST_NAME) for each in list(given)[:MOST_NAMES]]
    tool = "read" if name == "fetch" else name  # as what is not refused is traced
    return {"tool": tool if known else UNKNOWN_TOOL, "arguments": {"given": names}}


def _answer(serving: Serving, call: Call, scope: Scope, stop: threading.Event) -> Answer:
    library, cap, today = serving.library, serving.max_tokens, serving.today()
    made: list[Answer] = []

    def told_of(answer_of: Callable[[Any], Answer]) -> Callable[[Any], Told]:
        def told(result: Any) -> Told:
            if isinstance(result, WellreadError):
                return _told_error(result)
            made.append(answer_of(result))
            return made[-1].told

        return told

    match call:
        case SearchCall():
            from wellread.search import page_after

            connected = serving.base_url if serving.profile == "openai" else None

            def after(shown: int) -> str:
                return page_after(
                    call.query, call.filters, scope=scope, page=call.page, shown=shown
                )

            library.search(
                call.query,
                scope=scope,
                today=today,
                filters=call.filters,
                limit=HITS_OF_A_CONNECTOR if connected else call.limit,
                page=call.page,
                detail=call.detail,
                stop=stop,
                told=told_of(
                    lambda result: (
                        results_answer(result, base=connected, cap=cap)
                        if connected
                        else search_answer(result, call, cap=cap, page_after=after)
                    )
                ),
            )
        case ExactCall():
            library.find_exact(
                call.text,
                scope=scope,
                today=today,
                filters=call.filters,
                regex=call.regex,
                ignore_case=call.ignore_case,
                limit=call.limit,
                stop=stop,
                told=told_of(lambda result: exact_answer(result, call, cap=cap)),
            )
        case ReadCall():
            connected = serving.base_url if serving.profile == "openai" else None
            library.read(
                meant_handle(call.handle),
                scope=scope,
                today=today,
                lines=call.lines,
                outline=call.outline,
                stop=stop,
                told=told_of(
                    lambda result: (
                        document_answer(result, base=connected, cap=cap)
                        if connected
                        else read_answer(result, call, cap=cap)
                    )
                ),
            )
        case MissCall():
            library.report_miss(
                call.question,
                scope=scope,
                looked_for=call.looked_for,
                tried=call.tried,
                told=told_of(miss_answer),
            )
    return made[0]


def _log(name: str, error: BaseException) -> None:
    """An unexpected error, by its class and where it came from: what it says may be the text of
    a document."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            _log(name, one)
        return
    frames = traceback.extract_tb(error.__traceback__)[-5:]
    where = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
    logger.error("the tool %.40r failed: %s at %s", name, type(error).__name__, where)

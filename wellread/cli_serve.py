"""The command that serves: a library to AI clients over MCP"""

from __future__ import annotations

import logging
import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from wellread.arguments import config_of
from wellread.errors import NoIndex, StoreUnavailable, UsageError

if TYPE_CHECKING:
    import argparse

    from wellread.config import Config
    from wellread.library import Library
    from wellread.types import Caller


def serve(args: argparse.Namespace) -> int:
    """Serve over stdin and stdout, or over HTTP."""
    from wellread.tools import Profile

    if args.profile not in get_args(Profile):
        known = ", ".join(get_args(Profile))
        raise UsageError(f"--profile {args.profile!r} is unknown. Known: {known}")
    config = config_of(args)
    if args.no_trace:
        config = replace(config, trace=False)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="wellread: %(message)s")
    if args.http is not None:
        return serve_over_http(args, config)
    for option, given in (("--no-auth", args.no_auth), ("--allow-host", args.allow_host)):
        if given:
            raise UsageError(f"{option} is for HTTP: add --http HOST:PORT, or leave it out")
    caller = caller_over_stdio(args, config)
    from secrets import token_hex

    from wellread.keep_fresh import KeepFresh
    from wellread.library import Library
    from wellread.server import serve_stdio, serving_of

    with Library(config, session=token_hex(4)) as library:
        serving = serving_of(library, caller, args.profile)
        say_who(library, caller)
        with nullcontext() if args.no_watch else KeepFresh(library):
            serve_stdio(serving)
    return 0


def serve_over_http(args: argparse.Namespace, config: Config) -> int:
    """Serve many callers, each by a token; with ``--no-auth``, whoever is on this machine, as
    everyone."""
    from secrets import token_hex

    from wellread.access import identify
    from wellread.http_app import serve_http
    from wellread.keep_fresh import KeepFresh
    from wellread.library import Library
    from wellread.listening import listening
    from wellread.server import mcp_server, serving_of

    identify(
        args.as_,
        config.environ_as,
        config.subject,
        transport="http",
        local_owner=args.local_owner,
        groups=config.groups,
    )
    where = listening(
        args.http,
        http=config.http,
        auth=config.auth(),
        no_auth=args.no_auth,
        allowed_hosts=args.allow_host,
    )
    with Library(config, session=token_hex(4)) as library:
        server = mcp_server(serving_of(library, None, args.profile))
        if where.auth is None:
            who = "everybody on this machine what everyone may read, as no token is asked for"
        else:
            who = f"whoever has a token of {where.auth.issuer}"

        def bound(address: str) -> None:
            print(f"wellread serves {who}, at http://{address}/mcp", file=sys.stderr, flush=True)

        with nullcontext() if args.no_watch else KeepFresh(library):
            serve_http(server, where, ready=lambda: has_index(library), bound=bound)
    return 0


def has_index(library: Library) -> bool:
    """Whether there is anything to ask."""
    from wellread.types import Caller

    try:
        library.scope(Caller(subject=None))
    except (NoIndex, StoreUnavailable):
        return False
    return True


def caller_over_stdio(args: argparse.Namespace, config: Config) -> Caller:
    """Who asks over stdio. Raises ``UsageError``."""
    from wellread.access import identify

    return identify(
        args.as_,
        config.environ_as,
        config.subject,
        transport="stdio",
        local_owner=args.local_owner,
        groups=config.groups,
    )


def say_who(library: Library, caller: Caller) -> None:
    """Tell whoever started the server for whom it answers. How much it leaves out is for them
    alone, so it goes to stderr."""
    if caller.owner:
        who = "the local owner, who reads everything"
    elif caller.subject is not None:
        who = f"{caller.subject}, in {', '.join(sorted(caller.groups)) or 'no group'}"
    else:
        who = "everyone (no identity: --as NAME, or --local-owner)"
    from wellread.output import plural

    try:
        left_out = library.left_out(caller)
    except NoIndex as error:
        print(f"wellread serves {who}. {error}", file=sys.stderr)
        return
    documents = f"{left_out} {plural(left_out, 'document')}"
    hidden = f"; {documents} left out" if left_out else ""
    print(f"wellread serves {who}{hidden}.", file=sys.stderr, flush=True)

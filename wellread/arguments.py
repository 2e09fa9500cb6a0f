"""The commands of ``wellread`` and what they take."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

from wellread.errors import UsageError

if TYPE_CHECKING:
    from datetime import date

    from wellread.config import Config
    from wellread.types import Caller, Filters

SHELLS = ("bash", "zsh", "fish")
DETAILS = ("snippet", "passage")
SYNONYM_ACTIONS = ("suggest",)


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are errors like any other."""

    def error(self, message: str) -> NoReturn:
        """Raises ``UsageError`` with the message and what to do next."""
        hint = f"See {self.prog} --help"
        unknown = message.removeprefix("unrecognized arguments: ")
        if unknown != message and unknown.startswith("-"):
            near = _nearest(unknown.split()[0], self)
            if near is not None:
                hint = f"Did you mean {near}? {hint}"
            else:
                hint = f"To look for text that starts with a dash, put -- before it. {hint}"
        elif "invalid choice: " in message:
            word = message.split("'")[1]
            near = _nearest(word, self)
            message = f"there is no command {word!r}"
            hint = f"Did you mean {near}? {hint}" if near is not None else hint
        raise UsageError(f"{message}. {hint}")


def _nearest(word: str, parser: argparse.ArgumentParser) -> str | None:
    """The option or command that a word seems to mean."""
    from difflib import get_close_matches

    parsers, known = [parser], set[str]()
    for each in parsers:
        for action in each._actions:
            known.update(action.option_strings)
            if isinstance(action, argparse._SubParsersAction):
                known.update(action.choices)
                parsers.extend(action.choices.values())
    alike = [name for name in known if name.startswith("-") == word.startswith("-")]
    near = get_close_matches(word.split("=")[0], sorted(alike), n=1, cutoff=0.7)
    return near[0] if near else None


def build_parser() -> argparse.ArgumentParser:
    """The whole tree of commands and options; ``completion`` is made from it."""
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--config", metavar="FILE", help="the configuration file to use")
    common.add_argument("--json", action="store_true", help="print JSON")
    common.add_argument("--debug", action="store_true", help=argparse.SUPPRESS)
    reading = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    reading.add_argument("--as", dest="as_", metavar="SUBJECT", help="ask as this subject")
    reading.add_argument(
        "--today", metavar="DAY", help="the day that standing is meant for, as 2026-03-16"
    )
    filters = _Parser(add_help=False)
    _add_filters(filters)

    parser = _Parser(
        prog="wellread",
        description="Company knowledge that AI agents can search, read and trust.",
        epilog="Start with: wellread index FOLDER, then wellread search WORDS",
        parents=[common],
    )
    parser.add_argument("--version", action="version", version=f"wellread {_version()}")
    traced = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    traced.add_argument("--no-trace", action="store_true", help="leave no trace of this")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")

    def command(name: str, about: str, *parents: _Parser) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.",
            parents=[common, *parents],
        )

    command("init", "write a commented wellread.toml")

    index = command("index", "build or refresh the library from its sources")
    index.add_argument("sources", nargs="*", metavar="SOURCE", help="folders, where none are set")
    index.add_argument("--full", action="store_true", help="build everything anew")
    index.add_argument("--verify", action="store_true", help="compare the content of every file")
    index.add_argument(
        "--allow-mass-delete",
        action="store_true",
        help="let more than half of a source disappear",
    )
    index.add_argument(
        "--reembed", action="store_true", help="make all vectors anew, by the model that is set"
    )
    index.add_argument("--watch", action="store_true", help="go on, following the file system")

    search = command("search", "find passages about an idea", reading, traced, filters)
    search.add_argument("text", nargs="*", metavar="WORDS", help="a few words; a question is fine")
    search.add_argument(
        "--similar-to", metavar="PATH[#SECTION]", help="what is like this, in place of words"
    )
    search.add_argument("--limit", type=int, default=8, metavar="N", help="hits a page (8)")
    search.add_argument("--page", metavar="CURSOR", help="a further page, as an answer named it")
    search.add_argument(
        "--detail", default="snippet", metavar="HOW", help="snippet, or the whole passage"
    )
    search.add_argument("--explain", action="store_true", help="show the query and every score")

    grep = command("grep", "find an exact string", reading, traced, filters)
    grep.add_argument("text", nargs="*", metavar="STRING", help="the characters to find")
    grep.add_argument("--regex", action="store_true", help="a regular expression (RE2)")
    grep.add_argument("--ignore-case", "-i", action="store_true", help="ignore case")
    grep.add_argument("--limit", type=int, default=20, metavar="N", help="lines shown (20)")

    read = command("read", "read a document, a section or some lines", reading, traced)
    read.add_argument("handle", metavar="PATH[#SECTION]", help="what a hit named")
    read.add_argument("--lines", metavar="FIRST-LAST", help="only these lines of the file")
    read.add_argument("--outline", action="store_true", help="the headings instead of the text")

    context = command("context", "everything that bears on a task, within a budget", reading)
    context.add_argument("text", nargs="*", metavar="TASK", help="what is to be done or answered")
    context.add_argument("--budget", type=int, metavar="TOKENS", help="the most to deliver (10000)")
    context.add_argument("--stakes", metavar="LEVEL", help="low, normal or high; else inferred")
    context.add_argument("--domain", metavar="DOMAIN", help="whose always-on rules hold")
    context.add_argument("--purpose", metavar="WORDS", help="what gated documents are wanted for")
    context.add_argument("--as-of", metavar="DAY", help="the day to answer for (today)")
    context.add_argument("--explain", action="store_true", help="what each score is made of")

    command("status", "what the library holds and how its runs went", reading)
    command("lint", "every mistake in the documents, by path and line", reading)

    measure = command("eval", "measure retrieval by questions whose answers are known", reading)
    measure.add_argument("questions", nargs="?", metavar="FILE", help="questions.yaml")
    measure.add_argument("--beir", metavar="DIR", help="a judged collection instead of the library")
    measure.add_argument(
        "--ladder", action="store_true", help="measure the steps of retrieval one after the other"
    )
    measure.add_argument(
        "--min", action="append", default=[], metavar="MEASURE=N", help="fail below: success@5=0.9"
    )
    measure.add_argument("--html", metavar="FILE", help="write a report as one page")
    measure.add_argument("--run", metavar="FILE", help="write the rankings as a TREC run")
    measure.add_argument("--compare", metavar="FILE", help="compare with such a run")
    measure.add_argument("--answers", metavar="FILE", help="say what went wrong in judged answers")
    synonyms = command("synonyms", "propose entries for the dictionary", reading)
    synonyms.add_argument("action", metavar="ACTION", help=", ".join(SYNONYM_ACTIONS))

    serve = command("serve", "serve the library to AI clients (MCP)")
    serve.add_argument(
        "--http", metavar="HOST:PORT", help="over HTTP, as 127.0.0.1:8000; else one over stdin"
    )
    serve.add_argument(
        "--no-auth", action="store_true", help="with --http on this machine: ask no tokens"
    )
    serve.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="with --http: a name that clients call the server by",
    )
    serve.add_argument(
        "--as", dest="as_", default=None, metavar="SUBJECT", help="ask as this subject"
    )
    serve.add_argument(
        "--local-owner", action="store_true", help="ask as the local owner, who reads everything"
    )
    serve.add_argument(
        "--profile", default="default", metavar="NAME", help="openai: search and fetch alone"
    )
    serve.add_argument("--no-trace", action="store_true", help="keep no record of the calls")
    serve.add_argument(
        "--no-watch", action="store_true", help="leave following the sources to others"
    )

    traces = command("traces", "who asked what, and what came back", reading)
    traces.add_argument("--tools", action="store_true", help="sum up which tools are used, and how")
    traces.add_argument("--subject", metavar="SUBJECT", help="what this subject asked")
    traces.add_argument("--since", metavar="DAY", help="on this day (UTC) or later")
    traces.add_argument("--limit", type=int, default=50, metavar="N", help="the latest N (50)")
    traces.add_argument(
        "--gap", type=float, default=30.0, metavar="MINUTES", help="pause that ends a task (30)"
    )

    misses = command("misses", "what was reported as missing", reading)
    misses.add_argument("what", nargs="?", metavar="accept|dismiss", help="settle one of them")
    misses.add_argument("number", nargs="?", type=int, metavar="NUMBER", help="which")
    misses.add_argument("--all", action="store_true", help="also those that are settled")
    misses.add_argument(
        "--expect", action="append", default=[], metavar="PATH[#SECTION]",
        help="what should have been found; repeat it for several",
    )  # fmt: skip
    misses.add_argument("--to", metavar="FILE", help="the questions (questions.yaml)")
    misses.add_argument("--asked-as", metavar="SUBJECT", help="who asks, if not who reported it")
    misses.add_argument("--category", metavar="WORD", help="of the question (own-words)")
    misses.add_argument("--language", metavar="CODE", help="of the question, if not as guessed")

    connect = command("connect", "the configuration that connects a client")
    connect.add_argument(
        "client", metavar="CLIENT", help="claude-code, claude-desktop, cursor, vscode or chatgpt"
    )
    connect.add_argument("--write", action="store_true", help="merge it into the client's file")
    connect.add_argument(
        "--as", dest="as_", default=None, metavar="SUBJECT", help="who the client asks as"
    )
    connect.add_argument("--local-owner", action="store_true", help="ask for all there is")
    connect.add_argument("--url", metavar="URL", help="the address of a server that runs")
    connect.add_argument("--name", default="wellread", metavar="NAME", help="of the entry")
    connect.add_argument(
        "--env", action="append", default=[], metavar="NAME=VALUE", help="a further variable"
    )

    backup = command("backup", "write the library into one file")
    backup.add_argument("file", metavar="FILE", help="a new file")
    restore = command("restore", "make the library from such a file")
    restore.add_argument("file", metavar="FILE", help="what backup has written")
    forget = command("forget", "delete the traces and reported misses of a subject")
    forget.add_argument("--subject", required=True, metavar="SUBJECT", help="whose traces")
    completion = command("completion", "print a completion script for a shell")
    completion.add_argument("shell", metavar="SHELL", help=", ".join(SHELLS))
    return parser


def _add_filters(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "filters", "Values of one filter are alternatives; repeat it to give several."
    )
    group.add_argument("--type", action="append", default=[], help="guideline, playbook, …")
    group.add_argument("--state", action="append", default=[], help="approved, draft, …")
    group.add_argument(
        "--owner", action="append", default=[], help="all of it, or the part before @"
    )
    group.add_argument("--tag", action="append", default=[], help="a tag")
    group.add_argument("--path", action="append", default=[], help="a pattern: 'contracts/**'")
    group.add_argument("--since", metavar="DAY", help="updated on this day or later")
    group.add_argument("--until", metavar="DAY", help="updated on this day or earlier")


def _version() -> str:
    from wellread import __version__

    return __version__


def filters_of(args: argparse.Namespace, config: Config) -> Filters:
    """The filters of the options, types in the words of the house. Raises ``UsageError``."""
    from wellread.filters import make_filters

    return make_filters(
        types=args.type,
        states=args.state,
        owners=args.owner,
        tags=args.tag,
        paths=args.path,
        since=args.since,
        until=args.until,
        aliases=config.parse_rules.type_aliases,
        named="--{}".format,
    )


def text_of(args: argparse.Namespace, what: str) -> str:
    """The words of the command, as one text. Raises ``UsageError`` where there are none."""
    text = " ".join(args.text)
    if not text.strip():
        raise UsageError(f"there is nothing to look for: wellread {args.command} {what}")
    return text


def config_of(args: argparse.Namespace) -> Config:
    """The configuration that the command line points at. Raises ``ConfigError``."""
    from dataclasses import replace
    from pathlib import Path

    from wellread.config import load_here

    config = load_here(Path(args.config) if args.config is not None else None)
    return replace(config, trace=False) if getattr(args, "no_trace", False) else config


def caller_of(args: argparse.Namespace, config: Config) -> Caller:
    """Who asks, by ``--as``, the environment or the configuration. Raises ``UsageError``."""
    from wellread.access import identify

    return identify(
        args.as_, config.environ_as, config.subject, transport="cli", groups=config.groups
    )


def today_of(args: argparse.Namespace) -> date:
    """The day that standing is computed for."""
    from datetime import date

    from wellread.filters import day

    return day(args.today, "--today") or date.today()

"""Completion scripts for shells, made from the tree of commands and options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FILES = {"config", "file", "sources"}
"""Arguments that are completed as files."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """An option of a command; ``takes`` says whether a value follows, ``values`` which."""

    flags: tuple[str, ...]
    about: str
    takes: bool
    files: bool
    values: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A command with its options; ``values`` and ``files`` complete its arguments."""

    name: str
    about: str
    options: tuple[Option, ...]
    files: bool
    values: tuple[str, ...]


def script(shell: str, parser: argparse.ArgumentParser, values: Mapping[str, Sequence[str]]) -> str:
    """The script for bash, zsh or fish. ``values`` lists the known words of an argument by its
    name in the parser."""
    commands = _commands(parser, values)
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)


def _commands(
    parser: argparse.ArgumentParser, values: Mapping[str, Sequence[str]]
) -> tuple[Command, ...]:
    tree = next(
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    )
    abouts = {choice.dest: choice.help or "" for choice in tree._choices_actions}
    return tuple(
        _command(name, abouts[name], below, values) for name, below in tree.choices.items()
    )


def _command(
    name: str,
    about: str,
    parser: argparse.ArgumentParser,
    values: Mapping[str, Sequence[str]],
) -> Command:
    positional = [action for action in parser._actions if not action.option_strings]
    return Command(
        name=name,
        about=about,
        options=tuple(
            Option(
                flags=tuple(action.option_strings),
                about=action.help or "",
                takes=action.nargs != 0,
                files=action.dest in FILES,
                values=tuple(values.get(action.dest, ())),
            )
            for action in parser._actions
            if action.option_strings and action.help is not argparse.SUPPRESS
        ),
        files=any(action.dest in FILES for action in positional),
        values=tuple(word for action in positional for word in values.get(action.dest, ())),
    )


def _bash(commands: Sequence[Command]) -> str:
    names = [each.name for each in commands]
    lines = [
        "# wellread: source <(wellread completion bash)",
        "_wellread() {",
        '    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
        '    local command="" word',
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        f"        case $word in {'|'.join(names)}) command=$word; break;; esac",
        "    done",
        "    COMPREPLY=()",
        '    case "$command $previous" in',
    ]
    for each in commands:
        for option in each.options:
            if option.takes:
                patterns = "|".join(f'"{each.name} {flag}"' for flag in option.flags)
                lines.append(f"        {patterns}) {_bash_values(option)}; return;;")
    lines += ["    esac", "    case $command in"]
    for each in commands:
        flags = " ".join(flag for option in each.options for flag in option.flags)
        answers = " ".join((flags, *each.values))
        files = "-f " if each.files else ""
        lines.append(
            f"        {each.name}) COMPREPLY=($(compgen {files}-W '{answers}' -- \"$current\"));;"
        )
    words = " ".join((*names, "--help", "--version"))
    lines += [
        f"        *) COMPREPLY=($(compgen -W '{words}' -- \"$current\"));;",
        "    esac",
        "}",
        "complete -o filenames -F _wellread wellread",
    ]
    return "\n".join(lines) + "\n"


def _bash_values(option: Option) -> str:
    if option.values:
        return f"COMPREPLY=($(compgen -W '{' '.join(option.values)}' -- \"$current\"))"
    return 'COMPREPLY=($(compgen -f -- "$current"))' if option.files else ":"


def _zsh(commands: Sequence[Command]) -> str:
    lines = [
        "#compdef wellread",
        "# wellread: source <(wellread completion zsh)",
        "_wellread() {",
        "    local -a commands",
        "    commands=(",
        *(f"        {_quoted(f'{each.name}:{each.about}')}" for each in commands),
        "    )",
        "    if (( CURRENT == 2 )); then",
        "        _describe command commands",
        "        return",
        "    fi",
        "    case ${words[2]} in",
    ]
    for each in commands:
        specs = [_zsh_option(option) for option in each.options]
        if each.values:
            specs.append(_quoted(f"*:value:({' '.join(each.values)})"))
        elif each.files:
            specs.append("'*:file:_files'")
        joined = " \\\n            ".join(specs)
        lines.append(f"    {each.name})\n        shift words; (( CURRENT-- ))")
        lines.append(f"        _arguments \\\n            {joined};;")
    lines += ["    esac", "}", "compdef _wellread wellread"]
    return "\n".join(lines) + "\n"


def _zsh_option(option: Option) -> str:
    about = option.about.replace("[", "(").replace("]", ")").replace(":", r"\:")
    action = ""
    if option.takes:
        action = ":value:"
        action += f"({' '.join(option.values)})" if option.values else ""
        action += "_files" if option.files else ""
    return " ".join(_quoted(f"*{flag}[{about}]{action}") for flag in option.flags)


def _fish(commands: Sequence[Command]) -> str:
    lines = ["# wellread: wellread completion fish | source", "complete -c wellread -f"]
    for each in commands:
        lines.append(
            f"complete -c wellread -n __fish_use_subcommand -a {each.name} -d {_quoted(each.about)}"
        )
        seen = f"-n '__fish_seen_subcommand_from {each.name}'"
        for option in each.options:
            names = " ".join(
                f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
                for flag in option.flags
            )
            value = "" if not option.takes else " -r" if option.files else " -x"
            value += f" -a {_quoted(' '.join(option.values))}" if option.values else ""
            value += " -F" if option.files else ""
            lines.append(f"complete -c wellread {seen} {names}{value} -d {_quoted(option.about)}")
        if each.values:
            lines.append(f"complete -c wellread {seen} -a {_quoted(' '.join(each.values))}")
        if each.files:
            lines.append(f"complete -c wellread {seen} -F")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A word in single quotes, as zsh and fish both read it."""
    return "'" + text.replace("'", "’") + "'"

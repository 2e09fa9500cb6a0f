"""Which files are documents, by their names alone."""

from __future__ import annotations

from typing import Literal

Kind = Literal["markdown", "text", "office"]

_KINDS: dict[str, Kind] = {
    "md": "markdown",
    "markdown": "markdown",
    "mdx": "markdown",
    "txt": "text",
    "html": "office",
    "htm": "office",
    "docx": "office",
    "pdf": "office",
    "pptx": "office",
    "xlsx": "office",
    "csv": "office",
    "tsv": "office",
}

# Endings that template languages put behind the real one: "page.md.erb" is markdown.
_TEMPLATE = frozenset(
    {"ejs", "erb", "hbs", "j2", "jinja", "jinja2", "liquid", "mustache", "tmpl", "tpl"}
)

ENDINGS: tuple[str, ...] = tuple(f".{ending}" for ending in _KINDS)
"""The file endings that are read, in lower case; a name may have them in any case."""


def kind_of(name: str) -> Kind | None:
    """How the file of that name or path is read, or ``None`` where it is no document."""
    stem, dot, ending = name.rpartition(".")
    if not dot:
        return None
    kind = _KINDS.get(ending)
    if kind is not None:
        return kind
    ending = ending.lower()
    if ending in _TEMPLATE:
        inner = _KINDS.get(stem.rpartition(".")[2].lower())
        return "markdown" if inner == "markdown" and "." in stem else None
    return _KINDS.get(ending)

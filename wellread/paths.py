"""Library paths written inside documents: resolved as POSIX paths, in NFC."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from urllib.parse import unquote

from wellread.kinds import ENDINGS

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_TEMPLATE = re.compile(r"\{[{%]|<%|\$\{")

KINDS: dict[str, tuple[str, ...]] = {
    "image": (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".tif", ".tiff"),
    "script": (".sh", ".bash", ".ps1", ".py", ".rb", ".js", ".ts", ".sql", ".bat", ".pl", ".go"),
    "config": (".yaml", ".yml", ".toml", ".ini", ".conf", ".cfg", ".env", ".properties", ".json"),
    "schema": (".xsd", ".proto", ".avsc", ".graphql", ".schema.json", ".schema.yaml"),
    "template": (".tmpl", ".tpl", ".j2", ".jinja", ".dotx", ".potx", ".xltx"),
    "reference": (),
}
"""Kinds of attachments, with the endings that tell them where none is written."""

_KIND_BY_ENDING = {ending: kind for kind, endings in KINDS.items() for ending in endings}


def resolve(written: str, path: str, root: str = "", *, from_root: bool = False) -> str | None:
    """The library path that ``written`` in the document ``path`` points to.

    Relative to the document's folder; with a leading ``/`` (or ``from_root``, unless it
    starts with a dot) to ``root``, the source's folder in the library. ``None`` where it is no
    path: an address, an anchor, a template's placeholder. A path that leaves the library
    starts with ``../`` and names nothing.
    """
    written = written.strip()
    if not written or written[0] == "#" or _SCHEME.match(written) or _TEMPLATE.search(written):
        return None
    if "%" in written:
        written = unquote(written)
    if not written.isascii():
        written = unicodedata.normalize("NFC", written)
    if written[0] == "/" or (from_root and not written.startswith(("./", "../"))):
        base = root
        written = written.lstrip("/")
    else:
        base = posixpath.dirname(path)
    resolved = posixpath.normpath(posixpath.join(base, written))
    return None if resolved == "." else resolved


def resolve_document(written: str, path: str, root: str = "") -> str | None:
    """The path of a document named in frontmatter: beside this one where it is a bare name,
    from the source's root where it holds a ``/`` and does not start with a dot."""
    return resolve(written, path, root, from_root="/" in written)


def candidates(target: str) -> tuple[str, ...]:
    """The paths that a link to ``target`` may mean, best first: sites leave ``.md`` and
    ``index`` out, and link to the ``.html`` that is made from a page."""
    stem, ending = posixpath.splitext(target)
    found = [target]
    if ending.lower() in (".html", ".htm"):
        found.append(stem + ".md")
    elif ending.lower() not in ENDINGS:
        found += [target + ".md", *(f"{target}/{name}" for name in _FOLDER_PAGES)]
    return tuple(found)


_FOLDER_PAGES = ("index.md", "README.md", "_index.md")


def spellings(path: str) -> tuple[str, ...]:
    """The reverse of ``candidates``: the targets by which links may mean ``path``."""
    stem, ending = posixpath.splitext(path)
    if ending.lower() != ".md":
        return (path,)
    found = [path, stem, f"{stem}.html", f"{stem}.htm"]
    folder, name = posixpath.split(path)
    if name in _FOLDER_PAGES and folder:
        found.append(folder)
    return tuple(found)


def attachment_kind(path: str) -> str:
    """The kind of an attachment by its ending; ``reference`` where it tells nothing."""
    name = posixpath.basename(path).lower()
    stem, ending = posixpath.splitext(name)
    double = posixpath.splitext(stem)[1] + ending
    return _KIND_BY_ENDING.get(double) or _KIND_BY_ENDING.get(ending) or "reference"


def name_without_ending(path: str) -> str:
    """The file's name without its endings; for a folder's own page, the folder's name."""
    folder, name = posixpath.split(path)
    stem, ending = posixpath.splitext(name)
    inner, second = posixpath.splitext(stem)
    if second.lower() in ENDINGS and ending:
        stem = inner
    if stem.lower() in ("index", "readme", "_index") and folder:
        return posixpath.basename(folder)
    return stem or name

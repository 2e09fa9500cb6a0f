"""``wellread.toml`` and the environment, read into a ``Config``: the only reader of either."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from wellread import authority
from wellread.access import Groups, fold
from wellread.configfile import ConfigFile, absolute
from wellread.errors import ConfigError
from wellread.groups import checked_groups, read_groups
from wellread.settings import TYPE_ALIASES
from wellread.types import (
    SENSITIVE,
    TYPES,
    AccessRule,
    AccessRules,
    AuthorityRule,
    DefaultRule,
    DocumentType,
    ParseRules,
    StandingRules,
    StandingWord,
)

if TYPE_CHECKING:
    from wellread.auth import AuthConfig
    from wellread.context import ContextSettings
    from wellread.embed import EmbeddingSettings
    from wellread.rerank import RerankSettings

FILE_NAME = "wellread.toml"
LIBRARY_NAME = ".wellread"
SYNONYMS_NAME = "synonyms.yaml"
REMEMBERED_SOURCES = "sources.json"
_HTTP = ("url", "allowed_hosts", "allowed_origins", "max_request_size", "requests_per_minute")


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceConfig:
    """A folder of documents; ``path`` is absolute, and may not exist."""

    path: Path
    name: str
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpConfig:
    """Whom a server listens to over HTTP. ``url`` is the address that clients use, where it is
    said; ``allowed_hosts`` are values of ``Host``, ``NAME:*`` for any port, ``allowed_origins``
    of ``Origin``. ``max_request_size`` is in bytes; ``requests_per_minute`` is for each subject,
    and 0 sets no limit."""

    url: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    max_request_size: int = 64 * 1024
    requests_per_minute: int = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Config:
    """Everything that can be set. ``file`` is ``None`` without a ``wellread.toml``; paths are
    absolute. ``max_file_size`` is in bytes; ``workers`` 0 means one for each core, and
    ``trace_days`` 0 that traces are kept. ``environ_as`` is ``WELLREAD_AS`` as it is set.
    ``groups_file`` need not be there yet, unless it is expected. ``auth_values`` is what
    ``[auth]`` says, where it is there: see ``auth``."""

    file: Path | None
    library: Path
    sources: tuple[SourceConfig, ...]
    max_file_size: int
    exclude: tuple[str, ...]
    workers: int
    parse_rules: ParseRules
    access: AccessRules
    inline_groups: Groups | None
    groups_file: Path | None
    groups_expected: bool
    subject: str | None
    environ_as: str | None
    lexical: Literal["tantivy", "fts5"]
    synonyms: Path | None
    trace: bool
    trace_days: int
    max_tokens: int
    time_limit: int
    base_url: str | None
    http: HttpConfig
    auth_values: Mapping[str, Any] | None
    context_values: Mapping[str, Any]
    fusion: Literal["sum", "rrf"] = "sum"
    lexical_share: float = 0.6
    embeddings: EmbeddingSettings | None = None
    rerank: RerankSettings | None = None

    def auth(self) -> AuthConfig | None:
        """Whose tokens are accepted over HTTP; ``None`` without ``[auth]``. Raises
        ``ConfigError``."""
        if self.auth_values is None:
            return None
        from wellread.auth import AuthConfig

        return AuthConfig(**self.auth_values)

    def context(self) -> ContextSettings:
        """What holds for ``context``."""
        from wellread.context import ContextSettings

        return ContextSettings(**self.context_values)

    def groups(self) -> Groups:
        """The groups of every known subject, folded. Reads ``groups.yaml`` where that is where
        they are. Raises ``ConfigError``."""
        if self.inline_groups is not None:
            return self.inline_groups
        if self.groups_file is None:
            return {}
        try:
            status = self.groups_file.stat()
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not self.groups_expected:
                return {}
            return read_groups(self.groups_file)  # which says what is wrong
        return _groups_as_of(self.groups_file, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _groups_as_of(file: Path, _mtime_ns: int, _size: int) -> Groups:
    """A server asks on every call: the file is read once for each of its states."""
    return read_groups(file)


def load(explicit: Path | None, environ: Mapping[str, str], cwd: Path) -> Config:
    """The configuration that holds in a folder: of ``explicit`` (``--config``), else of
    ``WELLREAD_CONFIG``, else of the nearest ``wellread.toml`` upward. Without one, the library is
    the nearest ``.wellread`` upward, with the sources it remembers, else one to be made here.

    Raises ``ConfigError``.
    """
    path = _find(explicit, environ, cwd)
    file = ConfigFile(path, path.parent if path is not None else cwd, environ)
    library = _library(file, environ, cwd)
    inline_groups, groups_file = _groups(file)
    index, trace, server, search = (
        file.values(name) for name in ("index", "trace", "server", "search")
    )
    for key, least in (("max_tokens", LEAST_TOKENS), ("time_limit", 1)):
        if server[key] < least:
            remedy = f"write at least {least}"
            raise file.refuse(f"[server] {key}", server[key], "enough to answer with", remedy)
    return Config(
        file=path,
        library=library,
        sources=_sources(file) if path is not None else remembered_sources(library),
        max_file_size=index["max_file_size"],
        exclude=index["exclude"],
        workers=index["workers"],
        parse_rules=_parse_rules(file),
        access=_access(file),
        inline_groups=inline_groups,
        groups_file=groups_file,
        groups_expected=groups_file is not None and groups_file.exists(),
        subject=file.values("identity")["subject"],
        environ_as=environ.get("WELLREAD_AS"),
        lexical=search["lexical"],
        fusion=search["fusion"],
        lexical_share=search["lexical_share"],
        embeddings=_embeddings(file, environ),
        rerank=_rerank(file, environ),
        synonyms=_synonyms(file),
        trace=trace["enabled"],
        trace_days=trace["retention_days"],
        max_tokens=server["max_tokens"],
        time_limit=server["time_limit"],
        base_url=_base_url(file),
        http=_http(file),
        auth_values=_auth(file),
        context_values=_context(file),
    )


def load_here(explicit: Path | None = None) -> Config:
    """``load`` with this process's environment and folder. Raises ``ConfigError``."""
    return load(explicit, os.environ, Path.cwd())


def reloaded(config: Config) -> Config:
    """The configuration as its file says now, or with the sources that its library remembers
    now. What was switched off for this process, traces, stays off. Raises ``ConfigError``."""
    if config.file is None:
        return replace(config, sources=remembered_sources(config.library) or config.sources)
    fresh = load_here(config.file)
    return replace(fresh, trace=fresh.trace and config.trace)


def user_folders() -> tuple[Path | None, Path | None]:
    """Where programs of this user keep their settings, where the system says so: ``APPDATA``
    and ``XDG_CONFIG_HOME``. A relative one is to be ignored (XDG Base Directory Specification)."""
    named = (os.environ.get(name) for name in ("APPDATA", "XDG_CONFIG_HOME"))
    appdata, xdg = (Path(one) if one and os.path.isabs(one) else None for one in named)
    return appdata, xdg


def named_sources(paths: Sequence[Path], cwd: Path) -> tuple[SourceConfig, ...]:
    """Folders given on the command line as sources, each named as its folder is.

    Raises ``ConfigError`` where two would have one name.
    """
    return _distinct(
        [SourceConfig(path=absolute(path, cwd), name=_folder_name(cwd / path)) for path in paths],
        f"configure them in a {FILE_NAME} (wellread init), with a name each",
    )


def remembered_sources(library: Path) -> tuple[SourceConfig, ...]:
    """The sources of a library that has no configuration. Raises ``ConfigError``."""
    import json

    file = library / REMEMBERED_SOURCES
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
        return tuple(
            SourceConfig(
                path=absolute(Path(entry["path"]), library.parent),
                name=entry["name"],
                exclude=tuple(entry["exclude"]),
            )
            for entry in entries
        )
    except FileNotFoundError:
        return ()
    except NotADirectoryError:
        raise ConfigError(
            f"the library {library} is not a folder: name another one in WELLREAD_LIBRARY"
        ) from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigError(
            f"the sources of the library cannot be read from {file} ({error}): "
            "name them again with wellread index SOURCE…"
        ) from error


def remember_sources(library: Path, sources: Iterable[SourceConfig]) -> None:
    """Writes the sources of a library that has no configuration into it, relative to where it
    lies where they are below that, so that a folder can be moved with its library."""
    import json

    entries = [
        {
            "path": str(
                source.path.relative_to(library.parent)
                if source.path.is_relative_to(library.parent)
                else source.path
            ),
            "name": source.name,
            "exclude": list(source.exclude),
        }
        for source in sources
    ]
    fresh = library / f"{REMEMBERED_SOURCES}.new"
    fresh.write_text(json.dumps(entries, ensure_ascii=False, indent=1), encoding="utf-8")
    fresh.replace(library / REMEMBERED_SOURCES)


LEAST_TOKENS = 500
"""A hit with its frame has about 150, and what is left out has to be said too."""


# --- the parts of the file -------------------------------------------------------------------


def _find(explicit: Path | None, environ: Mapping[str, str], cwd: Path) -> Path | None:
    named, source = explicit, "--config"
    if named is None and environ.get("WELLREAD_CONFIG"):
        named, source = Path(environ["WELLREAD_CONFIG"]), "WELLREAD_CONFIG"
    if named is None:
        upward = (folder / FILE_NAME for folder in (cwd, *cwd.parents))
        return next((file for file in upward if file.is_file()), None)
    file = absolute(named, cwd, environ)
    if not file.is_file():
        what = "is a folder, not a file" if file.is_dir() else "does not exist"
        raise ConfigError(
            f"the configuration {file} that {source} names {what}: "
            "correct the path, or write one with wellread init"
        )
    return file


def _base_url(file: ConfigFile) -> str | None:
    written: str | None = file.values("server")["base_url"]
    if written is None or re.fullmatch(r"https://[^\s/?#]+(/[^\s?#]*)?", written):
        return written
    raise file.refuse(
        "[server] base_url", written, "an https address", "write https://docs.example.com/"
    )


def _library(file: ConfigFile, environ: Mapping[str, str], cwd: Path) -> Path:
    if environ.get("WELLREAD_LIBRARY"):
        return absolute(Path(environ["WELLREAD_LIBRARY"]), cwd, environ)
    if file.path is not None:
        path: Path = file.values("library")["path"]
        return path
    upward = (folder / LIBRARY_NAME for folder in (cwd, *cwd.parents))
    return next((folder for folder in upward if folder.is_dir()), cwd / LIBRARY_NAME)


def _folder_name(path: Path) -> str:
    return unicodedata.normalize("NFC", path.resolve().name) or "root"


def _distinct(sources: Iterable[SourceConfig], remedy: str) -> tuple[SourceConfig, ...]:
    by_name: dict[str, SourceConfig] = {}
    for source in sources:
        other = by_name.setdefault(source.name, source)
        if other is not source:
            raise ConfigError(
                f"two sources are called {source.name!r}, {other.path} and {source.path}: {remedy}"
            )
    _apart(list(by_name.values()))
    return tuple(by_name.values())


def _apart(sources: Sequence[SourceConfig]) -> None:
    """A file below two sources would be in the library twice, and a rule for one of its paths
    would not cover the other."""
    for source in sources:
        for other in sources:
            if source is not other and source.path.resolve().is_relative_to(other.path.resolve()):
                raise ConfigError(
                    f"the source {source.path} lies within the source {other.path}, so its files "
                    "would be there twice: leave one of the two out"
                )


def _sources(file: ConfigFile) -> tuple[SourceConfig, ...]:
    found = []
    for values in file.all_values("sources"):
        name = values["name"]
        if name is not None and ("/" in name or name in {".", ".."}):
            raise file.refuse(
                "[[sources]] name", name, "a name for a folder", "leave slashes and dots out"
            )
        found.append(
            SourceConfig(
                path=values["path"],
                name=unicodedata.normalize("NFC", name or _folder_name(values["path"])),
                exclude=values["exclude"],
            )
        )
    return _distinct(found, f"give one of them another name in {file.path}")


def _parse_rules(file: ConfigFile) -> ParseRules:
    words, phrases = (_standing_words(file, f"standing.{name}") for name in ("words", "phrases"))
    return ParseRules(
        type_aliases=_aliases(file),
        defaults=_defaults(file),
        standing=StandingRules(**file.values("standing"), words=words, phrases=phrases),
        authority=_authority(file),
    )


def _standing_words(file: ConfigFile, name: str) -> dict[str, StandingWord]:
    known: tuple[StandingWord, ...] = get_args(StandingWord)
    meanings = _meanings(file, name, "status", known)
    return {word.casefold().replace("ё", "е"): meant for word, meant in meanings}


def _authority(file: ConfigFile) -> tuple[AuthorityRule, ...]:
    """Those of the file, then those shipped."""
    rules = []
    for values in file.all_values("authority.rules"):
        where = f"[[authority.rules]] {values['name']!r}"
        if not 1 <= values["authority"] <= 5:
            remedy = "write 1 (a personal note) to 5 (signed-off canon)"
            raise file.refuse(f"{where} authority", values["authority"], "an authority", remedy)
        if all(value is None for key, value in values.items() if key not in ("name", "authority")):
            raise ConfigError(
                f"{where} asks for nothing, so that every document fits it ({file.path}): add "
                'what it is for, such as approved_by = ["*legal*"], or write path = "**"'
            )
        for key, value in values.items():
            if isinstance(value, tuple):
                values[key] = tuple(one.casefold() for one in value)
        rules.append(AuthorityRule(**values))
    shipped = authority.SHIPPED if file.values("authority")["shipped"] else ()
    return (*rules, *shipped)


def _aliases(file: ConfigFile) -> dict[str, DocumentType]:
    """Those of the file over those shipped."""
    known: dict[str, DocumentType] = {name: name for name in TYPES}
    shipped = {word: known[kind] for word, kind in TYPE_ALIASES.items()}
    written = _meanings(file, "types.aliases", "type", TYPES)
    return shipped | {fold(word): kind for word, kind in written}


_Meaning = TypeVar("_Meaning", bound=str)


def _meanings(
    file: ConfigFile, table: str, what: str, known: Sequence[_Meaning]
) -> Iterator[tuple[str, _Meaning]]:
    """The words of the house in a table, each with which of the known ones it means."""
    by_name = {name: name for name in known}
    for entry in file.entries(table):
        for word, meant in entry.items():
            where = f"[{table}] {word}"
            if not isinstance(meant, str):
                raise file.refuse(where, meant, f"a {what}", f"choose {', '.join(known)}")
            if meant not in by_name:
                raise file.unknown(what, meant, where, known)
            yield word, by_name[meant]


def _defaults(file: ConfigFile) -> tuple[DefaultRule, ...]:
    """A key one letter off ``access`` or ``deny`` is refused: a library must not be open for
    want of a letter."""
    rules = []
    for entry, values in zip(file.entries("defaults"), file.all_values("defaults"), strict=True):
        for key in entry:
            if _misspells_access(key):
                raise file.unknown("key", key, "[[defaults]]", ["access", "deny"])
        others = {key: value for key, value in entry.items() if key != "path"}
        rules.append(DefaultRule(path=values["path"], values=others))
    return tuple(rules)


def _misspells_access(key: str) -> bool:
    """Whether a key is ``access`` or ``deny`` but for case or one edit (a swap of neighbours is
    one). Own code, as the library that tells distances costs 6 ms of a cold search."""
    word = unicodedata.normalize("NFKC", key).strip().casefold()
    return any(key != meant and _one_edit(word, meant) for meant in ("access", "deny"))


def _one_edit(one: str, other: str) -> bool:
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])


def _embeddings(file: ConfigFile, environ: Mapping[str, str]) -> EmbeddingSettings | None:
    """The model for vectors, with its key from the environment; ``None`` without a provider."""
    values = file.values("embeddings")
    if values["provider"] is None:
        return None
    from wellread.embed import EmbeddingSettings

    if not values["batch"]:
        raise file.refuse("[embeddings] batch", 0, "a whole number from 1", "write batch = 32")
    return EmbeddingSettings(
        provider=values["provider"],
        model=values["model"] or "",
        endpoint=_endpoint(file, "embeddings", values, environ),
        key=environ.get(values["key_variable"]) or None,
        query_prefix=values["query_prefix"] or "",
        document_prefix=values["document_prefix"] or "",
        batch=values["batch"],
        download=values["download"],
    )


def _rerank(file: ConfigFile, environ: Mapping[str, str]) -> RerankSettings | None:
    """The model that ranks anew, likewise."""
    values = file.values("rerank")
    if values["provider"] is None:
        return None
    from wellread.rerank import RerankSettings

    if not 1 <= values["first"] <= 50:
        wanted, remedy = "a whole number from 1 to 50", "write first = 40"
        raise file.refuse("[rerank] first", values["first"], wanted, remedy)
    return RerankSettings(
        provider=values["provider"],
        model=values["model"] or "",
        endpoint=_endpoint(file, "rerank", values, environ),
        key=environ.get(values["key_variable"]) or None,
        first=values["first"],
        seconds=values["time_limit_ms"] / 1000,
        download=values["download"],
    )


def _endpoint(
    file: ConfigFile, table: str, values: Mapping[str, Any], environ: Mapping[str, str]
) -> str | None:
    """The address of a model: any of one's own, but no key in the clear to another machine."""
    url: str | None = values["endpoint"]
    if url is None or url.startswith("https://"):
        return url
    where, remedy = f"[{table}] endpoint", "write for example https://models.example.com/v1/…"
    if not url.startswith("http://"):
        raise file.refuse(where, url, "an address of https or http", remedy)
    if environ.get(values["key_variable"]):
        from wellread.jwks import secure_url

        if not secure_url(url):
            wanted = f"https, while {values['key_variable']} holds a key"
            raise file.refuse(where, url, wanted, "use https, or unset the variable")
    return url


def _access(file: ConfigFile) -> AccessRules:
    rules = []
    for values in file.all_values("access.rules"):
        if values["allow"] is None and not values["deny"]:
            raise ConfigError(
                f"the rule of [[access.rules]] for {values['path']!r} neither allows nor denies "
                f"anybody ({file.path}): add allow = [...] or deny = [...]"
            )
        rules.append(AccessRule(path=values["path"], allow=values["allow"], deny=values["deny"]))
    return AccessRules(default=file.values("access")["default"], rules=tuple(rules))


def _synonyms(file: ConfigFile) -> Path | None:
    """The file of synonyms, which may come and go under the name that is looked for anyway;
    one that was called otherwise must be there."""
    if file.path is None:
        return None
    found: Path = file.values("search")["synonyms"]
    written = [entry["synonyms"] for entry in file.entries("search") if "synonyms" in entry]
    if written not in ([], [SYNONYMS_NAME]) and not found.is_file():
        raise ConfigError(
            f"[search] synonyms names {found}, which is not there ({file.path}): "
            "correct the path, or write the file (see docs/synonyms.md)"
        )
    return found


def _context(file: ConfigFile) -> Mapping[str, Any]:
    """``[context]``, ``[stakes]`` and ``[sensitivity.…]`` as the fields of its settings."""
    stakes = file.values("stakes")
    if not 1 <= stakes["authority"] <= 5:
        remedy = "write a number from 1 to 5"
        raise file.refuse("[stakes] authority", stakes["authority"], "an authority", remedy)
    purposes = {}
    for level in SENSITIVE:
        for entry in file.all_values(f"sensitivity.{level}"):
            if entry["purposes"] is not None:
                purposes[level] = entry["purposes"]
    rules = {"rules": stakes["rules"]} if stakes["rules"] is not None else {}
    return {
        "budget": file.values("context")["budget"],
        "amount": stakes["amount"],
        "authority": stakes["authority"],
        "purposes": purposes,
        **rules,
    }


def _http(file: ConfigFile) -> HttpConfig:
    """Hosts are compared as clients write them, in small letters; origins have no path."""
    values = {name: value for name, value in file.values("server").items() if name in _HTTP}
    for key, wrong, remedy in (
        ("allowed_hosts", ("/", "://"), "write a name, such as wellread.example"),
        ("allowed_origins", ("*",), "write an origin, such as https://tools.example"),
    ):
        for value in values[key]:
            if not value.strip() or value == "*" or any(part in value for part in wrong):
                raise file.refuse(f"[server] {key}", value, f"one of {key}", remedy)
    values["allowed_hosts"] = tuple(host.lower() for host in values["allowed_hosts"])
    values["allowed_origins"] = tuple(
        origin.lower().rstrip("/") for origin in values["allowed_origins"]
    )
    return HttpConfig(**values)


def _auth(file: ConfigFile) -> Mapping[str, Any] | None:
    if not file.entries("auth"):
        return None
    mapped: dict[str, tuple[str, ...]] = {}
    for entry in file.entries("auth.groups"):
        for theirs, ours in entry.items():
            names = [ours] if isinstance(ours, str) else ours
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                remedy = 'write for example ["finance"]'
                raise file.refuse(f"[auth.groups] {theirs}", ours, "a list of groups", remedy)
            mapped[theirs] = tuple(names)
    return {**_given(file.values("auth")), "groups": mapped}


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _groups(file: ConfigFile) -> tuple[Groups | None, Path | None]:
    """The groups that are written in the file itself, or the file that holds them, which may be
    written later: a server notices."""
    if file.path is None:
        return None, None
    apart: Path = file.values("access")["groups"]
    named = any("groups" in entry for entry in file.entries("access"))
    for entry in file.entries("groups"):
        if named or apart.is_file():
            raise ConfigError(
                f"groups are given twice, in [groups] of {file.path} and in {apart}: "
                "keep one of them"
            )
        return checked_groups((*line, str(file.path)) for line in entry.items()), None
    if named and not apart.is_file():
        raise ConfigError(
            f"[access] groups names {apart}, which is not there ({file.path}): "
            "correct the path, or write the file with lines like ann: [sales, hr]"
        )
    return None, apart

"""A parsed ``wellread.toml``, checked against the table of settings, with errors in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os.path import normpath
from pathlib import Path
from typing import Any

from wellread.errors import ConfigError
from wellread.globs import matcher
from wellread.settings import DOCS, TABLES, Setting, Table, toml

_UNITS = {
    "": 1,
    "b": 1,
    "kb": 1000,
    "mb": 1000**2,
    "gb": 1000**3,
    "kib": 1024,
    "mib": 1024**2,
    "gib": 1024**3,
}
_BY_NAME = {table.name: table for table in TABLES}


class ConfigFile:
    """What is written in a file; empty where there is none. Every method raises ``ConfigError``
    with the fact, the value and what to write instead."""

    def __init__(self, path: Path | None, base: Path, environ: Mapping[str, str]) -> None:
        """``base`` is the folder that relative paths start from."""
        self.path = path
        self._base = base
        self._environ = environ
        self.written = _parse(path) if path is not None else {}
        self._check()

    def refuse(self, where: str, value: object, wanted: str, remedy: str) -> ConfigError:
        """The error for a value that is not what is wanted."""
        return ConfigError(f"{where} is {shown(value)}, not {wanted} ({self.path}): {remedy}")

    def unknown(self, what: str, key: str, where: str, known: Iterable[str]) -> ConfigError:
        """The error for a key or word that is not known, with the nearest that is."""
        from difflib import get_close_matches

        names = sorted(known)
        near = get_close_matches(key.lower(), names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}."
        return ConfigError(f"unknown {what} {key!r} in {where} ({self.path}): {hint} See {DOCS}")

    def entries(self, name: str) -> list[Mapping[str, Any]]:
        """The entries of a table as they are written; none where it is absent, and one where it
        is not an array of tables."""
        table = _BY_NAME[name]
        value: Any = self.written
        for part in name.split("."):
            if part not in value:
                return []
            value = value[part]
            if not isinstance(value, Mapping | list):
                break
        found = value if table.many else [value]
        if not isinstance(found, list) or not all(isinstance(entry, Mapping) for entry in found):
            wanted = "a list of tables" if table.many else "a table"
            remedy = f"write its keys below a line {table.heading}"
            raise self.refuse(name, value, wanted, remedy)
        return found

    def all_values(self, name: str) -> list[dict[str, Any]]:
        """The values of each entry of a table, with defaults for what is left out."""
        table = _BY_NAME[name]
        return [
            {
                setting.key: self._value(table, setting, entry.get(setting.key, setting.default))
                for setting in table.settings
            }
            for entry in self.entries(name) or ([] if table.many else [{}])
        ]

    def values(self, name: str) -> dict[str, Any]:
        """The values of a table that there is one of, with defaults for what is left out."""
        return self.all_values(name)[0]

    def _check(self) -> None:
        """Every table and key is a known one, and what is required is there."""
        top = {name.split(".")[0] for name in _BY_NAME}
        for key in self.written:
            if key not in top:
                raise self.unknown("table or key", key, "the file", top)
        for parent in {name.split(".")[0] for name in _BY_NAME} - set(_BY_NAME):
            tables = [name.split(".")[1] for name in _BY_NAME if name.startswith(f"{parent}.")]
            for word in self.entries_of(parent):
                if word not in tables:
                    raise self.unknown("key", word, f"[{parent}]", tables)
        for name, table in _BY_NAME.items():
            below = {other[len(name) + 1 :] for other in _BY_NAME if other.startswith(f"{name}.")}
            known = {setting.key for setting in table.settings} | below
            for entry in self.entries(name):
                for key in entry:
                    if key not in known and not table.free:
                        raise self.unknown("key", key, table.heading, known)
                for setting in table.settings:
                    if setting.required and setting.key not in entry:
                        raise ConfigError(
                            f"{table.heading} has no {setting.key} ({self.path}): "
                            f"add one, such as {setting.key} = {shown(setting.example)}"
                        )

    def entries_of(self, key: str) -> Mapping[str, Any]:
        """What a table that only holds others has."""
        value = self.written.get(key, {})
        if not isinstance(value, Mapping):
            raise self.refuse(f"[{key}]", value, "a table", f"write its keys below [{key}]")
        return value

    def _value(self, table: Table, setting: Setting, value: Any) -> Any:
        """One value as the program uses it; ``None`` where there is neither one nor a default."""
        if value is None:
            return None
        wanted, found = self._converted(table, setting, value)
        if found is None:
            example = setting.example if setting.example is not None else setting.default
            remedy = f"write for example {setting.key} = {shown(example)}"
            raise self.refuse(f"{table.heading} {setting.key}", value, wanted, remedy)
        return found

    def _converted(self, table: Table, setting: Setting, value: Any) -> tuple[str, Any]:
        """What a setting wants, in words, and the value, or ``None`` where it is not that."""
        match setting.kind:
            case "flag":
                return "true or false", value if isinstance(value, bool) else None
            case "count":
                whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
                return "a whole number from 0", value if whole else None
            case "share":
                number = isinstance(value, int | float) and not isinstance(value, bool)
                return "a number from 0 to 1", value if number and 0 <= value <= 1 else None
            case "size":
                return "a number of bytes or a size", _size(value)
            case "names":
                return "a list of texts", _names(value)
        if not isinstance(value, str) or not value.strip():
            return "a text", None
        if setting.choices and value not in setting.choices:
            return f"one of {', '.join(setting.choices)}", None
        match setting.kind:
            case "path":
                return "a path", absolute(Path(value), self._base, self._environ)
            case "pattern":
                try:
                    matcher(value)
                except ValueError:
                    return "a pattern", None
        return "a text", value


def absolute(path: Path, base: Path, environ: Mapping[str, str] | None = None) -> Path:
    """A path from a folder, with ``~`` for the home folder; symbolic links stay as they are."""
    text = str(path)
    home = environ.get("HOME") if environ else None
    if home and (text == "~" or text.startswith("~/")):
        text = home + text[1:]
    return Path(normpath(base / text))


def shown(value: object) -> str:
    """A value for a message, cut short."""
    text = "a table" if isinstance(value, Mapping) else toml(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _parse(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{file} is not UTF-8 (byte {error.start}): save it in that encoding"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}. Correct it there") from error
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}. Check its mode") from error


def _size(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if value > 0 else None
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    digits = text.rstrip("bkmgi ")
    try:
        size = round(float(digits) * _UNITS[text[len(digits) :].strip()])
    except (ValueError, KeyError, OverflowError):
        return None
    return size if size > 0 else None


def _names(value: object) -> tuple[str, ...] | None:
    """A list of texts; a single text is a list of one, unless it looks like several."""
    if isinstance(value, str) and value.strip() and "," not in value:
        return (value,)
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return tuple(value)
    return None

"""Who belongs to what: ``[groups]``, or a ``groups.yaml`` of lines like ``ann: [sales, hr]``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wellread.access import USER, Groups, fold
from wellread.errors import ConfigError
from wellread.types import EVERYONE


def checked_groups(lines: Iterable[tuple[str, object, str]]) -> Groups:
    """Folded subjects with their folded groups, from what is written and where."""
    found: dict[str, frozenset[str]] = {}
    for subject, groups, where in lines:
        name = fold(subject)
        if not name or name == EVERYONE or name.startswith(USER):
            raise ConfigError(
                f"{subject!r} cannot be a subject ({where}): write a plain name, such as ann"
            )
        if name in found:
            raise ConfigError(
                f"the subject {subject!r} is listed twice ({where}): put its groups in one list"
            )
        written = [groups] if isinstance(groups, str) else groups
        if not isinstance(written, list) or not all(isinstance(group, str) for group in written):
            raise ConfigError(
                f"the groups of {subject!r} are not a list of names ({where}): "
                f"write {subject}: [sales, hr]"
            )
        folded = frozenset(map(fold, written)) - {""}
        for group in folded:
            if group.startswith(USER):
                raise ConfigError(
                    f"{group!r} cannot be a group of {subject!r} ({where}): it names a user"
                )
        found[name] = folded
    return found


def read_groups(file: Path) -> Groups:
    """The groups of a YAML file. Raises ``ConfigError`` with the line."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # leaves `no` and `1` as written
    try:
        root = yaml.compose(file.read_text(encoding="utf-8-sig"), Loader=loader)
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}): check its mode") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} is not valid YAML: {error}") from error
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{file} is not a list of subjects: write lines like ann: [sales, hr]")
    return checked_groups(
        (_plain(key), _plain(value), f"{file}:{key.start_mark.line + 1}")
        for key, value in root.value
    )


def _plain(node: Any) -> Any:
    """A YAML node as a text or a list of texts; anything else stays a node, and is refused."""
    if node.id == "scalar":
        return node.value
    if node.id == "sequence" and all(item.id == "scalar" for item in node.value):
        return [item.value for item in node.value]
    return node

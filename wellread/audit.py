"""Whether an answer stays within what its caller may read, found out another way than answers
are made: from each document's own acl, without the sets of ids that queries filter by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wellread.access import caller_principals, from_canonical
from wellread.types import Caller, SearchResult


@dataclass(frozen=True, kw_only=True, slots=True)
class Audit:
    """The acl of every document by path, as ``access.canonical`` writes it."""

    acls: Mapping[str, str]

    def outside(self, caller: Caller, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of the paths that the caller may not read, or that no document has."""
        return tuple(path for path in dict.fromkeys(paths) if not self.admits(caller, path))

    def admits(self, caller: Caller, path: str) -> bool:
        """Whether the caller may read the document at a path."""
        text = self.acls.get(path)
        if text is None:
            return False
        if caller.owner:
            return True
        names = caller_principals(caller)
        acl = from_canonical(text)
        return not names & acl.deny and all(names & clause for clause in acl.clauses)


def named_paths(result: SearchResult) -> tuple[str, ...]:
    """Every document that an answer names: its hits and their successors."""
    found: dict[str, None] = {}
    for hit in result.hits:
        found[hit.path] = None
        if hit.standing.successor is not None:
            found[hit.standing.successor] = None
    return tuple(found)

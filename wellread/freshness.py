"""Documents whose file is no longer as it was when it was indexed."""

from __future__ import annotations

import os
from collections.abc import Iterable

from wellread.store.base import Snapshot
from wellread.types import Scope

GONE = "gone"
CHANGED = "changed"


def changed_files(snapshot: Snapshot, ids: Iterable[int], *, scope: Scope) -> dict[str, str]:
    """Of these documents those whose file has changed or gone since, by path, in order."""
    changed: dict[int, str] = {}
    for document_id, stamp in snapshot.files(ids, scope=scope).items():
        try:
            now = os.stat(stamp.location)
        except OSError:
            changed[document_id] = GONE
            continue
        if (now.st_size, now.st_mtime_ns) != (stamp.size, stamp.mtime_ns):
            changed[document_id] = CHANGED
    records = snapshot.documents(changed, scope=scope)
    return dict(sorted((record.path, changed[one]) for one, record in records.items()))


def freshness_notes(snapshot: Snapshot, paths: Iterable[str], *, scope: Scope) -> tuple[str, ...]:
    """What to say of documents that are shown, where their files are others by now."""
    found = snapshot.find_all(set(paths), scope=scope)
    changed = changed_files(snapshot, [record.id for record in found.values()], scope=scope)
    if not changed:
        return ()
    named = ", ".join(path + (" (gone)" if how == GONE else "") for path, how in changed.items())
    return (
        f"Changed since indexed: {named}. Run `wellread index` to bring the library up to date.",
    )

"""The write path: sources → parse → split → analyse → store, and the log of each run."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from hashlib import blake2b
from typing import Protocol

from wellread.access import canonical, effective_acl, from_canonical
from wellread.analyze import ANALYZER_VERSION
from wellread.documents import FileEntry, Run, SkippedEntry
from wellread.errors import RunRefused, StoreUnavailable
from wellread.fields import WrittenAccess, default_access
from wellread.globs import matches
from wellread.parse import PARSER_VERSION
from wellread.prepare import UNREADABLE, Preparation, Prepared, Task, prepare_all
from wellread.sources.folder import FolderSource
from wellread.split import SPLITTER_VERSION
from wellread.store import schema
from wellread.store.base import LeftFile
from wellread.store.catalog_writer import FileState, ManifestRow
from wellread.store.embedded_writer import EmbeddedWriter
from wellread.types import AccessRules, ParseRules

MASS_DELETE_FLOOR = 20
"""Sources of fewer documents may lose any number of them in a run."""

EPOCH = date(1970, 1, 1).toordinal()
DAY_NS = 86_400 * 1_000_000_000

RACY_NS = 2_000_000_000
"""Files touched this near to the last run's beginning are hashed even where nothing seems
to have changed: file systems keep times as coarse as two seconds (FAT)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """How far a run is: files done of those to do."""

    done: int
    total: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOptions:
    """``full`` builds everything anew, ``verify`` hashes every file, and
    ``allow_mass_delete`` lets a run remove more than half of a source."""

    full: bool = False
    verify: bool = False
    allow_mass_delete: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRules:
    """What of the configuration a run follows."""

    parse: ParseRules
    access: AccessRules
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)


class SourceDates(Protocol):
    """When the files of a source were last committed, where it is in a git checkout."""

    def committed(self, path: str) -> date | None:
        """The day of the last commit of a library path, whether changed since or not."""
        ...

    def modified(self, path: str) -> bool:
        """Whether the file differs from its last commit; slow when first asked."""
        ...


CommitDates = Callable[[FolderSource], SourceDates]
Dates = Mapping[str, SourceDates]


class IndexRun:
    """One run, from the scan to the commit."""

    def __init__(
        self,
        sources: Sequence[FolderSource],
        writer: EmbeddedWriter,
        rules: RunRules,
        *,
        options: RunOptions,
        commit_dates: CommitDates,
        last_started_ns: int,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.sources = sources
        self.writer = writer
        self.catalog = writer.catalog
        self.rules = rules
        self.options = options
        self.commit_dates = commit_dates
        self.last_started_ns = last_started_ns
        self.progress = progress
        self.started = datetime.now(UTC)
        self.clock = time.perf_counter()
        self.left: list[LeftFile] = []
        self.closed_folders: list[str] = []
        self.moved = False
        self.digests: set[bytes] = set()
        self.counts: Counter[str] = Counter()
        self.fingerprints: dict[tuple[int, ...], str] = {}
        self.acl_ids: dict[tuple[str, tuple[int, ...], tuple[int, ...]], int] = {}

    def run(self) -> Run:
        """Do it all; on any error the last committed state stands."""
        entries: dict[str, FileEntry] = {}
        try:
            manifest = self.catalog.manifest()
            entries = self._scan()
            dates = self._dates()
            if not entries:
                raise RunRefused(self._nothing_seen())
            tasks = [
                task
                for path in sorted(entries)
                if (task := self._compare(entries[path], manifest.get(path), dates)) is not None
            ]
            self._prepare(tasks, manifest, dates)
            failed = [file for file in self.left if file.failed and file.path in entries]
            if len(failed) == len(entries):
                raise RunRefused(
                    f"All {len(entries)} documents failed; the last index stands. "
                    f"The first reason: {failed[0].message}"
                )
            held_back = self._remove(entries, manifest)
            return self._commit(len(entries), held_back)
        except RunRefused as error:
            self._refuse(error, len(entries))
            raise
        except sqlite3.Error as error:
            self.writer.rollback()
            raise schema.unavailable(self.writer.folder / "catalog.db", error) from error
        except OSError as error:
            self.writer.rollback()
            raise StoreUnavailable(
                f"The run stopped: {error}. Nothing was lost; mend the cause and run "
                "`wellread index` again."
            ) from error
        except BaseException:
            self.writer.rollback()
            raise

    def apply_access(self) -> None:
        """Put today's access rules on all that is stored, and do nothing else."""
        try:
            for row in self.catalog.manifest().values():
                self._move(row)
            self.writer.commit(
                replace(self.writer.before, generation=self.writer.generation), changed=self.moved
            )
        except sqlite3.Error as error:
            self.writer.rollback()
            raise schema.unavailable(self.writer.folder / "catalog.db", error) from error
        except BaseException:
            self.writer.rollback()
            raise

    def _scan(self) -> dict[str, FileEntry]:
        entries: dict[str, FileEntry] = {}
        for source in self.sources:
            for found in source.scan():
                if isinstance(found, SkippedEntry):
                    failed = found.reason == UNREADABLE
                    self._leave(source.name, found.path, found.reason, found.message, failed=failed)
                    if found.folder:
                        self.closed_folders.append(f"{found.path}/")
                elif found.path in entries:
                    message = f"{found.path} is in two sources; give each a name of its own"
                    self._leave(source.name, found.path, "path taken", message)
                else:
                    entries[found.path] = found
        return entries

    def _dates(self) -> Dates:
        return {source.name: self.commit_dates(source) for source in self.sources}

    def _compare(self, entry: FileEntry, row: ManifestRow | None, dates: Dates) -> Task | None:
        """What to do about a file: nothing, or read it, with the digest that would spare
        the rest."""
        if row is None:
            return Task(entry=entry, known=None)
        current = (
            row.fingerprint == self._fingerprint(entry.path)
            and row.acl_id == self._acl_id(row.access, entry.path)
            and self._same_day(entry, row, dates)
        )
        if not current:
            return Task(entry=entry, known=None)
        same = (
            row.size == entry.size
            and row.mtime_ns == entry.mtime_ns
            and row.ctime_ns == entry.ctime_ns
            and row.inode == entry.inode
        )
        touched = max(entry.mtime_ns, entry.ctime_ns) >= self.last_started_ns - RACY_NS
        if same and not touched and not self.options.verify:
            self.counts["unchanged"] += 1
            return None
        return Task(entry=entry, known=row.digest)

    def _prepare(
        self,
        tasks: Sequence[Task],
        manifest: Mapping[str, ManifestRow],
        dates: Dates,
    ) -> None:
        report = self.progress
        how = Preparation(
            sources={source.name: source for source in self.sources}, rules=self.rules.parse
        )
        prepared = prepare_all(tasks, how, workers=self.rules.workers)
        for done, result in enumerate(prepared, start=1):
            self._take(result, manifest.get(result.entry.path), dates)
            if report is not None:
                report(Progress(done=done, total=len(tasks)))

    def _take(self, result: Prepared, row: ManifestRow | None, dates: Dates) -> None:
        entry = result.entry
        if result.reason is not None:
            self._leave(
                entry.source, entry.path, result.reason, result.message, failed=result.failed
            )
            if row is not None:
                self.catalog.remove(row.document_id)
                self.counts["removed"] += 1
            return
        if result.rows is None:
            assert row is not None
            self.catalog.touch(row.document_id, entry)
            self.counts["unchanged"] += 1
            return
        if row is not None:
            self.catalog.remove(row.document_id)
        rows = result.rows
        access = json.dumps([rows.own_access, rows.own_deny, rows.sealed, imported_text(entry)])
        own = date.fromordinal(rows.updated) if rows.updated is not None else None
        self.digests.add(result.digest)
        self.catalog.put(
            rows,
            FileState(
                entry=entry,
                digest=result.digest,
                fingerprint=self._fingerprint(entry.path),
                acl_id=self._acl_id(access, entry.path),
                access=access,
                dated=own is not None,
                updated=own or self._day(entry, dates),
                indexed_at=timestamp(self.started),
            ),
        )
        self.counts["changed" if row is not None else "added"] += 1

    def _remove(
        self,
        entries: Mapping[str, FileEntry],
        manifest: Mapping[str, ManifestRow],
    ) -> int:
        """Remove what is gone, or hold it back where that is most of a source."""
        skipped = {file.path for file in self.left}
        totals: Counter[str] = Counter(row.source for row in manifest.values())
        # A file whose bytes are elsewhere now has moved and is not lost: it goes at once, all
        # the more as its new place may have other readers.
        gone: dict[str, list[ManifestRow]] = {}
        for path, row in manifest.items():
            if path in entries:
                continue
            closed = path in skipped or path.startswith(tuple(self.closed_folders))
            if closed or row.digest in self.digests:
                self.catalog.remove(row.document_id)
                self.counts["removed"] += 1
            else:
                gone.setdefault(row.source, []).append(row)
        held_back = 0
        for source, rows in gone.items():
            total = totals[source]
            most = total >= MASS_DELETE_FLOOR and len(rows) * 2 > total
            if most and not self.options.allow_mass_delete:
                held_back += len(rows)
                for row in rows:
                    self._move(row)
            else:
                for row in rows:
                    self.catalog.remove(row.document_id)
                self.counts["removed"] += len(rows)
        return held_back

    def _move(self, row: ManifestRow) -> None:
        """Apply today's access rules to a document that stays, though its file was not seen."""
        acl_id = self._acl_id(row.access, row.path)
        if acl_id != row.acl_id:
            self.writer.move_to_acl(row.document_id, acl_id)
            self.moved = True

    def _commit(self, seen: int, held_back: int) -> Run:
        before = self.writer.before
        changed = self.moved or any(self.counts[name] for name in ("added", "changed", "removed"))
        self.catalog.replace_left_files(self.left)
        generation = self.writer.generation if changed else before.generation
        run = self._log(seen, generation, held_back=held_back)
        self.writer.commit(
            replace(
                before,
                generation=self.writer.generation,
                indexed_at=run.finished_at,
                documents=self.catalog.count(),
                error=None,
                failed_at=None,
                held_back=held_back,
            ),
            changed=changed,
        )
        return run

    def _log(
        self, seen: int, generation: int, *, held_back: int = 0, error: str | None = None
    ) -> Run:
        """The log of the run so far; of one that is refused nothing but its files counts."""
        done = self.counts if error is None else Counter[str]()
        return Run(
            started_at=timestamp(self.started),
            finished_at=timestamp(datetime.now(UTC)),
            seen=seen,
            added=done["added"],
            changed=done["changed"],
            unchanged=done["unchanged"],
            removed=done["removed"],
            held_back=held_back,
            passages=self.catalog.passages if error is None else 0,
            seconds=time.perf_counter() - self.clock,
            generation=generation,
            skipped=dict(Counter(file.reason for file in self.left if not file.failed)),
            failed=dict(Counter(file.reason for file in self.left if file.failed)),
            error=error,
        )

    def _refuse(self, error: RunRefused, seen: int) -> None:
        """Note a refused run, its log and the files that it could not read."""
        error.run = self._log(seen, self.writer.before.generation, error=str(error))
        self.writer.keep(str(error), error.run.finished_at, self.left)

    def _leave(
        self, source: str, path: str, reason: str, message: str, *, failed: bool = False
    ) -> None:
        self.left.append(
            LeftFile(path=path, source=source, failed=failed, reason=reason, message=message)
        )
        self.counts["failed" if failed else "skipped"] += 1

    def _nothing_seen(self) -> str:
        roots = ", ".join(str(source.root) for source in self.sources)
        skipped = Counter(file.reason for file in self.left)
        reasons = ", ".join(f"{count} {reason}" for reason, count in skipped.most_common(3))
        detail = f" ({reasons})" if reasons else ""
        return (
            f"No document was seen in {roots}{detail}; the last index stands. "
            "Check the folder and the excludes in wellread.toml."
        )

    def _day(self, entry: FileEntry, dates: Dates) -> date:
        source = dates[entry.source]
        committed = source.committed(entry.path)
        if committed is not None and not source.modified(entry.path):
            return committed
        return date.fromordinal(EPOCH + entry.mtime_ns // DAY_NS)

    def _same_day(self, entry: FileEntry, row: ManifestRow, dates: Dates) -> bool:
        """Whether the day that holds is the one that is stored. Where that is the day of the
        last commit, git need not be asked for changes: a changed file has another time."""
        if row.dated:
            return True
        committed = dates[entry.source].committed(entry.path)
        if committed is None:
            return EPOCH + entry.mtime_ns // DAY_NS == row.updated
        if committed.toordinal() == row.updated:
            return True
        return self._day(entry, dates).toordinal() == row.updated

    def _fingerprint(self, path: str) -> str:
        rules = self.rules.parse
        matching = tuple(
            index for index, rule in enumerate(rules.defaults) if matches(rule.path, path)
        )
        if matching not in self.fingerprints:
            others = repr((rules.standing, rules.authority))
            values = [sorted(rules.type_aliases.items()), others] + [
                sorted((key, repr(value)) for key, value in rules.defaults[index].values.items())
                for index in matching
            ]
            digest = blake2b(repr(values).encode(), digest_size=8).hexdigest()
            versions = f"{PARSER_VERSION}.{SPLITTER_VERSION}.{ANALYZER_VERSION}"
            self.fingerprints[matching] = f"{versions}.{digest}"
        return self.fingerprints[matching]

    def _acl_id(self, access: str, path: str) -> int:
        """The interned acl of a document under today's rules and defaults: one for all that
        say the same of their readers and are under the same ones."""
        rules, defaults = self.rules.access.rules, self.rules.parse.defaults
        key = (
            access,
            tuple(index for index, rule in enumerate(rules) if matches(rule.path, path)),
            tuple(index for index, rule in enumerate(defaults) if matches(rule.path, path)),
        )
        acl_id = self.acl_ids.get(key)
        if acl_id is None:
            acl_id = self.acl_ids[key] = self._interned(access, path)
        return acl_id

    def _interned(self, access: str, path: str) -> int:
        own_access, own_deny, sealed, imported = json.loads(access)
        own = WrittenAccess(
            access=None if own_access is None else tuple(own_access),
            deny=tuple(own_deny),
            sealed=sealed,
        ).over(default_access(path, self.rules.parse))
        acl = effective_acl(
            own_access=own.access,
            own_deny=own.deny,
            sealed=own.sealed,
            path=path,
            imported=from_canonical(imported) if imported else None,
            rules=self.rules.access,
        )
        return self.catalog.intern(canonical(acl))


def imported_text(entry: FileEntry) -> str | None:
    """Restrictions that came with the source, as text."""
    return canonical(entry.imported) if entry.imported is not None else None


def timestamp(moment: datetime) -> str:
    """A moment as results show it: ISO 8601, UTC, to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

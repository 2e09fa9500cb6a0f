"""The tables of ``catalog.db`` and ``journal.db``, and how their connections are opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from wellread.errors import NoIndex, StoreUnavailable

SCHEMA_VERSION = 2
"""Of the catalog: another one means that it is rebuilt from the sources."""

JOURNAL_FILE = "journal.db"

JOURNAL_VERSION = 3
"""Of the journal: it is migrated, never rebuilt."""

PAGE_SIZE = 32_768
"""Most documents then fit one page (m: reading 18,023 texts of 147 MB takes 38 ms instead of
44 ms with 4 KiB pages, 25 ms through the memory map)."""

MMAP_BYTES = 4 << 30
"""Address space, not memory: pages are mapped as they are read."""

CATALOG = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE acls (id INTEGER PRIMARY KEY, canonical TEXT NOT NULL UNIQUE);
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL,
  location TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  digest BLOB NOT NULL,
  fingerprint TEXT NOT NULL,
  generation INTEGER NOT NULL,
  acl_id INTEGER NOT NULL REFERENCES acls (id),
  access TEXT NOT NULL,
  dated INTEGER NOT NULL,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  owner TEXT NOT NULL,
  updated INTEGER,
  language TEXT NOT NULL,
  title TEXT NOT NULL,
  total_lines INTEGER NOT NULL,
  indexed_at TEXT NOT NULL,
  record TEXT NOT NULL,
  headings TEXT NOT NULL
);
CREATE INDEX documents_by_acl ON documents (acl_id, language);
CREATE INDEX documents_by_generation ON documents (generation);
CREATE TABLE document_tags (
  document_id INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (document_id, tag)
) WITHOUT ROWID;
CREATE TABLE sections (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  slug TEXT NOT NULL,
  level INTEGER NOT NULL,
  heading TEXT NOT NULL,
  char_start INTEGER NOT NULL,
  char_end INTEGER NOT NULL,
  line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL,
  page INTEGER
);
CREATE INDEX sections_by_document ON sections (document_id);
CREATE TABLE passages (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  section_id INTEGER NOT NULL,
  heading TEXT NOT NULL,
  char_start INTEGER NOT NULL,
  char_end INTEGER NOT NULL,
  line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL,
  page INTEGER
);
CREATE INDEX passages_by_document ON passages (document_id);
CREATE TABLE links (
  document_id INTEGER NOT NULL,
  target TEXT NOT NULL,
  anchor TEXT NOT NULL,
  line INTEGER NOT NULL,
  image INTEGER NOT NULL,
  written TEXT NOT NULL
);
CREATE INDEX links_by_document ON links (document_id);
CREATE INDEX links_by_target ON links (target);
CREATE TABLE attachments (
  document_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  line INTEGER NOT NULL
);
CREATE INDEX attachments_by_document ON attachments (document_id);
CREATE TABLE supersessions (
  document_id INTEGER NOT NULL, target TEXT NOT NULL, PRIMARY KEY (target, document_id)
) WITHOUT ROWID;
CREATE TABLE governing (document_id INTEGER PRIMARY KEY);
CREATE TABLE left_files (
  path TEXT PRIMARY KEY, source TEXT NOT NULL, failed INTEGER NOT NULL,
  reason TEXT NOT NULL, message TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE words (
  word TEXT NOT NULL, term TEXT NOT NULL, mirrored TEXT NOT NULL, PRIMARY KEY (word, term)
) WITHOUT ROWID;
CREATE INDEX words_mirrored ON words (mirrored);
CREATE TABLE tombstones (document_id INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
"""

JOURNAL_STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE IF NOT EXISTS runs (
          id INTEGER PRIMARY KEY, started_at TEXT NOT NULL, log TEXT NOT NULL
        )""",
        """CREATE TABLE IF NOT EXISTS traces (
          id INTEGER PRIMARY KEY,
          at TEXT NOT NULL,
          subject TEXT NOT NULL,
          tool TEXT NOT NULL,
          arguments TEXT NOT NULL,
          returned TEXT NOT NULL,
          outcome TEXT NOT NULL,
          left_out INTEGER NOT NULL,
          milliseconds REAL NOT NULL
        )""",
        "CREATE INDEX IF NOT EXISTS traces_by_subject ON traces (subject)",
        "CREATE TABLE IF NOT EXISTS commit_times (root TEXT PRIMARY KEY, cached TEXT NOT NULL)",
    ),
    (
        "ALTER TABLE traces ADD COLUMN tokens INTEGER",
        "ALTER TABLE traces ADD COLUMN session TEXT NOT NULL DEFAULT ''",
        """CREATE TABLE misses (
          id INTEGER PRIMARY KEY,
          at TEXT NOT NULL,
          last_at TEXT NOT NULL,
          subject TEXT NOT NULL,
          question TEXT NOT NULL,
          folded TEXT NOT NULL,
          looked_for TEXT NOT NULL,
          tried TEXT NOT NULL,
          times INTEGER NOT NULL,
          status TEXT NOT NULL,
          expect TEXT NOT NULL,
          UNIQUE (folded, subject)
        )""",
        """CREATE TABLE lost_traces (
          id INTEGER PRIMARY KEY, at TEXT NOT NULL, traces INTEGER NOT NULL
        )""",
    ),
    (
        """CREATE TABLE embeddings (
          model TEXT NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL,
          PRIMARY KEY (model, hash)
        ) WITHOUT ROWID""",
    ),
)
"""What each version of the journal adds to the one before it, the first to nothing. (The first
says IF NOT EXISTS because a crash could leave its tables without their version.)"""


def create(path: Path) -> sqlite3.Connection:
    """Open a database for writing, in WAL mode, making the file where it is missing."""
    try:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        connection.execute("PRAGMA journal_mode = WAL")
        # WAL with NORMAL loses no committed run at kill -9; at a power cut the last run may be
        # gone, and the database is whole (SQLite documentation, PRAGMA synchronous).
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA mmap_size = {MMAP_BYTES}")
        connection.execute("PRAGMA cache_size = -65536")
    except sqlite3.Error as error:
        raise unavailable(path, error) from error
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open a database that exists, read-only: no DDL, no migration, nothing created."""
    if not path.exists():
        raise NoIndex(
            f"No index at {path.parent}. Run `wellread index FOLDER` first, "
            "or name its configuration with --config."
        )
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.execute("PRAGMA query_only = ON")
        connection.execute(f"PRAGMA mmap_size = {MMAP_BYTES}")
        connection.execute("PRAGMA busy_timeout = 2000")
    except sqlite3.Error as error:
        raise unavailable(path, error) from error
    return connection


def unavailable(path: Path, error: sqlite3.Error) -> StoreUnavailable:
    """What SQLite said, with the next step."""
    said = str(error)
    if "full" in said:
        advice = "Free some space on its disk and run `wellread index` again; nothing was lost."
    elif "locked" in said:
        advice = "Another process holds it: wait for it, or stop it."
    elif "readonly" in said or "unable to open" in said:
        advice = (
            "SQLite in WAL mode needs a writable folder, also for reading; "
            "make it writable or copy the library elsewhere."
        )
    elif path.name == JOURNAL_FILE and ("malformed" in said or "not a database" in said):
        advice = (
            f"Move {path} and its -wal and -shm away: only past runs and traces are in it. Then "
            "run `wellread index`, or `wellread restore FILE` into another folder."
        )
    elif "disk I/O" in said:
        advice = (
            "Its disk cannot be written or read: see whether there is room, and whether a quota or "
            "a limit on the size of files is reached; then run the same again. Nothing was lost."
        )
    elif "malformed" in said or "not a database" in said:
        advice = "Run `wellread index --full` to build it anew, or `wellread restore FILE`."
    else:
        advice = "Try again; if that does not help, run `wellread index --full` to build it anew."
    return StoreUnavailable(f"The library at {path.parent} cannot be used: {said}. {advice}")

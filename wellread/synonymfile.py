"""The file of synonyms as it is now: read again when it changes, the last good one kept."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from wellread.synonyms import NONE, BrokenDictionary, Synonyms, parse
from wellread.types import Problem

logger = logging.getLogger(__name__)


class SynonymFile:
    """One file, looked at before every search (a ``stat``, m: 2 µs). Safe to share between
    threads. Without a file, and where it is gone, there are no synonyms."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self._guard = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._synonyms = NONE
        self._broken: BrokenDictionary | None = None

    def current(self) -> tuple[Synonyms, tuple[str, ...]]:
        """The dictionary, and notes for a reader where the file cannot be used as it is."""
        if self.file is None:
            return NONE, ()
        with self._guard:
            self._refresh(self.file)
            if self._broken is None:
                return self._synonyms, ()
            kept = "the last good version is used" if self._synonyms else "no synonyms are used"
            note = f"{self.file.name}:{self._broken.line} is {self._broken}; {kept}."
            return self._synonyms, (note,)

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the file as a whole, as it is now."""
        self.current()
        broken, file = self._broken, self.file
        if broken is None or file is None:
            return ()
        message = f"The dictionary {file.name}:{broken.line} is {broken}. Correct it there."
        return (Problem(path=file.name, line=broken.line, code="synonyms-broken", message=message),)

    def _refresh(self, file: Path) -> None:
        try:
            stat = file.stat()
        except FileNotFoundError:
            self._seen, self._synonyms, self._broken = None, NONE, None
            return
        except OSError as error:
            self._fail(BrokenDictionary(1, f"not readable ({error.strerror})"))
            return
        seen = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        if seen == self._seen:
            return
        try:
            self._synonyms = parse(file.read_text(encoding="utf-8-sig"), file.name)
        except BrokenDictionary as error:
            self._fail(error)
        except UnicodeDecodeError as error:
            self._fail(BrokenDictionary(1, f"not UTF-8 (byte {error.start})"))
        except OSError as error:
            self._fail(BrokenDictionary(1, f"not readable ({error.strerror})"))
            return  # looked at again next time: it may be a matter of rights alone
        else:
            self._broken = None
        self._seen = seen

    def _fail(self, error: BrokenDictionary) -> None:
        if self._broken is None or str(self._broken) != str(error):
            logger.warning("%s:%d is %s", self.file, error.line, error)
        self._broken = error

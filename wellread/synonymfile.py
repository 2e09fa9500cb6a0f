"""The file of synonyms as it is now: read again when it changes, the last good one kept."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wellread.documents import Problem
    from wellread.synonyms import Synonyms

logger = logging.getLogger(__name__)


class SynonymFile:
    """One file, looked at before every search. Safe to share between threads. Without a file,
    and where it is gone, there are no synonyms, and nothing is imported to read them."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self._guard = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._synonyms: Synonyms | None = None
        self._broken: tuple[int, str] | None = None

    def current(self) -> tuple[Synonyms | None, tuple[str, ...]]:
        """The dictionary, and notes for a reader where the file cannot be used as it is."""
        synonyms, broken = self._state()
        if broken is None or self.file is None:
            return synonyms, ()
        kept = "the last good version is used" if synonyms else "no synonyms are used"
        return synonyms, (f"{self.file.name}:{broken[0]} is {broken[1]}; {kept}.",)

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the file as a whole, as it is now."""
        _, broken = self._state()
        if broken is None or self.file is None:
            return ()
        name, (line, what) = self.file.name, broken
        message = f"The dictionary {name}:{line} is {what}. Correct it there."
        from wellread.documents import Problem

        return (Problem(path=name, line=line, code="synonyms-broken", message=message),)

    def _state(self) -> tuple[Synonyms | None, tuple[int, str] | None]:
        with self._guard:
            if self.file is not None:
                self._refresh(self.file)
            return self._synonyms, self._broken

    def _refresh(self, file: Path) -> None:
        try:
            stat = file.stat()
        except (FileNotFoundError, NotADirectoryError):
            self._seen, self._synonyms, self._broken = None, None, None
            return
        except OSError as error:
            self._fail(1, f"not readable ({error.strerror})")
            return
        seen = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        if seen == self._seen:
            return
        from wellread.synonyms import BrokenDictionary, parse

        try:
            self._synonyms = parse(file.read_text(encoding="utf-8-sig"), file.name)
        except BrokenDictionary as error:
            self._fail(error.line, str(error))
        except UnicodeDecodeError as error:
            self._fail(1, f"not UTF-8 (byte {error.start})")
        except OSError as error:
            self._fail(1, f"not readable ({error.strerror})")
            return  # looked at again next time: it may be a matter of rights alone
        else:
            self._broken = None
        self._seen = seen

    def _fail(self, line: int, what: str) -> None:
        if self._broken != (line, what):
            logger.warning("%s:%d is %s", self.file, line, what)
        self._broken = line, what

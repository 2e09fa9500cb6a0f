"""Bytes → text: the encoding is found, line ends become ``\\n``, Unicode becomes NFC.

Line counts never change: only ``\\n``, ``\\r`` and ``\\r\\n`` end a line, here as in an editor.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

from wellread.errors import SkippedFile

_BOMS = (
    # UTF-32 first: its little-endian mark starts with that of UTF-16.
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_CONTROL = re.compile(r"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]")
"""Control characters that no text editor writes (backspace, tab, line ends, form feed and
the escape of terminal colours are left out)."""

_LEGACY = (
    "cp1251",
    "koi8_r",
    "cp866",
    "mac_cyrillic",
    "cp1252",
    "cp1250",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "shift_jis",
    "euc_jp",
    "gb18030",
    "big5",
    "euc_kr",
)
"""Encodings of office files and exports before UTF-8; the ones charset-normalizer may choose."""

_SAMPLE = 64 * 1024
"""Bytes looked at to name a legacy encoding; all bytes are then decoded with it."""

_CYRILLIC_ENCODINGS = ("cp1251", "koi8_r", "cp866")


def decode(content: bytes, path: str) -> str:
    """The text of a file: NFC, ``\\n`` line ends, no byte-order mark.

    Raises ``SkippedFile`` with reason ``binary`` (NUL bytes, control characters) or
    ``undecodable`` (no known encoding fits).
    """
    text = content.decode("ascii") if content.isascii() else _decode_unicode(content, path)
    if "\x00" in text:
        text = _wide_without_mark(content, path)
    _refuse_controls(text, path)
    return normalize(text)


def normalize(text: str) -> str:
    """The same text with ``\\n`` line ends, in NFC."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)


def _decode_unicode(content: bytes, path: str) -> str:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            try:
                return content[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                if encoding == "utf-8":
                    content = content[len(mark) :]
                    break
                raise _undecodable(path, f"its mark says {encoding}: {error.reason}") from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_legacy(content, path)


def _decode_legacy(content: bytes, path: str) -> str:
    if b"\x00" in content:
        return _wide_without_mark(content, path)
    damaged = _damaged_utf8(content)
    if damaged is not None:
        return damaged
    _refuse_controls(content[:_SAMPLE].decode("latin-1"), path)
    sample = content[:_SAMPLE]
    encoding = _cyrillic(sample) or _western(sample)
    if encoding is None:
        # Imported here: it costs 15 ms, and a folder of UTF-8 never needs it.
        from charset_normalizer import from_bytes

        best = from_bytes(sample, cp_isolation=list(_LEGACY)).best()
        if best is None:
            raise _undecodable(path, "no known encoding fits")
        encoding = best.encoding
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        pass
    if encoding == "cp1252":  # its five holes are controls in the files that use them
        return content.decode("cp1252", errors="replace")
    raise _undecodable(path, f"it looked like {encoding} at first")


def _damaged_utf8(content: bytes) -> str | None:
    """UTF-8 with a few broken bytes (a cut, a pasted byte), shown as U+FFFD; else ``None``.

    Valid multi-byte sequences must outnumber the damage 20 to 1: in a legacy encoding two
    neighbouring letters form such a sequence by accident only.
    """
    text = content.decode("utf-8", errors="replace")
    broken = text.count("�")
    valid = len(text) - broken - _ascii_bytes(content)
    return text if valid >= 20 * broken else None


def _ascii_bytes(content: bytes) -> int:
    return len(content) - len(content.translate(None, bytes(range(0x80))))


def _cyrillic(sample: bytes) -> str | None:
    """The Cyrillic encoding under which the sample reads as words: small letters, a capital
    only at a word's start. Detectors confuse these encodings on short texts; letter case tells
    them apart, because each keeps its small letters where another has capitals or lines."""
    best, best_score = None, 0.0
    for encoding in _CYRILLIC_ENCODINGS:
        try:
            text = sample.decode(encoding)
        except UnicodeDecodeError:
            continue
        high = [character for character in text if character > "\x7f"]
        small = sum("а" <= c <= "я" or c == "ё" for c in high)
        capital_inside = len(re.findall(r"[а-яё][А-ЯЁ]", text))
        score = (small - 3 * capital_inside) / len(high)
        words = len(re.findall(r"[А-Яа-яё]{2,}", text))
        if words and score > best_score:
            best, best_score = encoding, score
    # Western text in these encodings is single letters inside Latin words, never this share
    # of small Cyrillic letters in whole words.
    if best is not None and best_score >= 0.7 and _mostly_cyrillic_words(sample.decode(best)):
        return best
    return None


_WESTERN = "àâäåæçéêëîïñóôöúûüßáíœÀÂÄÅÆÇÉÊËÎÏÑÓÔÖÚÛÜÁÍŒ"
"""Letters that the Western and the Central European encoding share or only the former has in
words; the rest of its letters are what Czech, Turkish or Icelandic turn into."""


def _western(sample: bytes) -> str | None:
    """``cp1252`` where accented letters stand alone in Latin words, as in French or German."""
    text = sample.decode("cp1252", errors="replace")
    letters = [c for c in text if c > "\x7f" and c.isalpha()]
    if not letters or any(c not in _WESTERN for c in letters):
        return None
    # Three in a row are Greek or Hebrew; a sign inside a word is a Polish letter.
    strange = re.search(rf"[{_WESTERN}]{{3}}|[a-z{_WESTERN}][¡-¿\ufffd]|[¡-©¬-¿\ufffd][a-z]", text)
    return None if strange else "cp1252"


def _mostly_cyrillic_words(text: str) -> bool:
    whole = re.findall(r"(?<![A-Za-z])[А-Яа-яЁё]{2,}(?![A-Za-z])", text)
    mixed = re.findall(r"[A-Za-z][А-Яа-яЁё]|[А-Яа-яЁё][A-Za-z]", text)
    return len(whole) > 2 * len(mixed)


def _wide_without_mark(content: bytes, path: str) -> str:
    """UTF-16 without a byte-order mark, told by which half of the units is zero."""
    if len(content) % 2 == 0:
        candidates = []
        for encoding in ("utf-16-le", "utf-16-be"):
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError:
                continue
            if _is_written_text(text):
                candidates.append((sum(text.count(c) for c in " \n\r.,"), text))
        if candidates:
            return max(candidates)[1]
    raise SkippedFile(
        "binary", f"{path} holds NUL bytes: not a text file. Exclude it, or rename it by its kind."
    )


def _is_written_text(text: str) -> bool:
    if _CONTROL.search(text):
        return False
    # ASCII text with a stray NUL turns into Han signs; Latin, Greek, Cyrillic, Hebrew and
    # Arabic all lie below U+0700, their punctuation above U+2000.
    alphabetic = sum(c < "\u0700" or "\u2000" <= c <= "\u20cf" for c in text)
    if alphabetic < 0.9 * len(text):
        return False
    # Unassigned, private-use and surrogate code points: what random bytes turn into.
    return not any(unicodedata.category(c) in ("Cn", "Co", "Cs") for c in set(text))


def _refuse_controls(text: str, path: str) -> None:
    found = len(_CONTROL.findall(text[:_SAMPLE]))
    # One in a hundred: a stray control character in a pasted log is not a binary.
    if found * 100 > len(text[:_SAMPLE]):
        raise SkippedFile(
            "binary",
            f"{path} holds {found} control characters near its start: not a text file. "
            "Exclude it, or rename it by its kind.",
        )


def _undecodable(path: str, detail: str) -> SkippedFile:
    return SkippedFile(
        "undecodable", f"{path} cannot be decoded ({detail}). Save it as UTF-8 and index again."
    )


def encodable(text: str) -> bool:
    """Whether a text is one at all: half a surrogate pair, as a terminal in another encoding
    sends it, is in no document."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

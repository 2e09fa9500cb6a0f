"""Office files, PDF and HTML → markdown text, with the places of pages, slides and sheets.

The libraries that read them come with ``wellread[office]`` and are imported only when a file
needs one. Whatever they raise for a damaged file becomes ``SkippedFile``.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, NoReturn
from unicodedata import normalize

from wellread.decode import decode
from wellread.documents import Converted, ConvertedPage
from wellread.errors import SkippedFile
from wellread.tables import ROW_LIMIT, markdown_table, table_from_csv

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

UNPACKED_LIMIT = 100 * 1024 * 1024
"""Bytes that an office file may have unpacked: 20 times the largest file that is read. Office
files unpacked to 1.4 to 6.7 times their size (markitdown's test files)."""

PARTS_LIMIT = 10_000
"""Parts that an office file may have; a presentation has about ten for each slide."""

# Not part of a page's text: code, and what leads around the site.
_NO_TEXT = (
    "script", "style", "noscript", "template", "nav", "svg", "iframe", "object", "canvas",
    "button", "select", "input", "head",
)  # fmt: skip

# Titles that programs write by themselves: no title is better (the file name then serves).
_NO_TITLE = re.compile(
    r"^(untitled.*|\(?anonymous\)?|document\d*|microsoft (word|powerpoint|excel) - .*|word document"
    r"|powerpoint presentation|presentation\d*|slide 1|без названия.*|презентация powerpoint"
    r"|документ\d*|.*\.(docx?|pptx?|xlsx?|pdf|indd|tex|dvi|qxd|qxp))$",
    re.IGNORECASE,
)

# PDFium is not thread-safe (pypdfium2, "Thread incompatibility").
_pdfium = threading.Lock()


def convert(path: str, content: bytes) -> Converted:
    """The text of the file at ``path``, told by its ending, which is one of ``kinds``' "office".

    The text is NFC with ``\\n`` line ends; headings and tables are those of markdown. A CSV
    needs no extra. Raises ``SkippedFile`` with one of the reasons ``needs wellread[office]``,
    ``damaged``, ``encrypted``, ``no text layer``, ``unpacks too large`` or ``not converted``.
    """
    ending = path.rpartition(".")[2].lower()
    converter = _CONVERTERS.get(ending)
    if converter is None:
        raise SkippedFile("not converted", f"{path} has no ending that can be converted.")
    try:
        result = converter(path, content)
    except ModuleNotFoundError as error:
        raise SkippedFile(
            "needs wellread[office]",
            f"{path} needs an optional library ({error.name}): pip install 'wellread[office]'",
        ) from error
    except SkippedFile:
        raise
    except RecursionError as error:
        raise SkippedFile("damaged", f"{path} is nested too deeply to be read.") from error
    except Exception as error:
        # Six parsers with errors of their own, fed with files that anybody made: none of them
        # may end a run, and the reason is reported.
        raise SkippedFile(
            "damaged",
            f"{path} cannot be read as .{ending} ({type(error).__name__}: {error}); open it in "
            f"its program and save it again.",
        ) from error
    return result


# --- HTML and Word -------------------------------------------------------------------------


def _html(path: str, content: bytes) -> Converted:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(content, "html.parser")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    return Converted(text=_markdown(soup), pages=(), title=_clean_title(title))


def _docx(path: str, content: bytes) -> Converted:
    import mammoth
    from bs4 import BeautifulSoup

    properties = _check_archive(path, content)
    styles = "p[style-name='Title'] => h1.title:fresh\np[style-name='Subtitle'] => p:fresh"
    result = mammoth.convert_to_html(
        io.BytesIO(content),
        style_map=styles,
        # Without this every picture becomes a line of base64.
        convert_image=mammoth.images.img_element(lambda image: {"src": ""}),
    )
    soup = BeautifulSoup(result.value, "html.parser")
    heading = soup.find("h1", class_="title")
    title = heading.get_text(" ", strip=True) if heading else properties
    return Converted(text=_markdown(soup), pages=(), title=_clean_title(title))


def _markdown(soup: BeautifulSoup) -> str:
    from markdownify import MarkdownConverter

    for tag in soup.find_all(_NO_TEXT):
        tag.decompose()
    for tag in soup.select("[role=navigation]"):
        tag.decompose()
    mains = [tag for tag in soup.select("main, [role=main]") if tag.get_text(strip=True)]
    # Where a page says what its content is, the site around it is not part of the text.
    content = mains[0] if len(mains) == 1 else soup
    for tag in soup.find_all("img"):
        source = str(tag.get("src") or "")
        if source.startswith("data:") or not source:
            tag.replace_with(str(tag.get("alt") or ""))
    for tag in soup.find_all("a"):
        if _is_permalink(tag):
            tag.decompose()
        elif str(tag.get("href") or "").lower().startswith(("javascript:", "data:")):
            tag.unwrap()
        elif tag.has_attr("title"):
            del tag["title"]
    converter = MarkdownConverter(
        heading_style="atx",
        bullets="-",
        # Escapes would stand between a reader and the exact string: snake\_case.
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
        table_infer_header=True,
        code_language_callback=_language,
    )
    return _tidy(converter.convert_soup(content))


def _is_permalink(tag: Tag) -> bool:
    """Whether a link is the ``¶`` that generators put behind a heading."""
    text = tag.get_text().strip().strip("\u200b\u200c\ufeff¶#")
    return not text and str(tag.get("href") or "").startswith("#") and tag.find("img") is None


def _language(tag: Tag) -> str | None:
    for each in (tag, *tag.find_all("code", limit=1)):
        for name in each.get("class") or ():
            if name.startswith(("language-", "highlight-source-")):
                return str(name.rpartition("-")[2])
    return None


# --- PDF -----------------------------------------------------------------------------------


def _pdf(path: str, content: bytes) -> Converted:
    import pypdfium2

    with _pdfium:
        try:
            document = pypdfium2.PdfDocument(content)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise SkippedFile(
                    "encrypted", f"{path} asks for a password; save a copy without one."
                ) from error
            raise
        try:
            pages = []
            for page in document:
                text = page.get_textpage()
                pages.append(text.get_text_range())
                text.close()
                page.close()
            title = document.get_metadata_value("Title")
        finally:
            document.close()
    whole = "\n".join(pages)
    if not whole.strip():
        raise SkippedFile(
            "no text layer",
            f"{path} holds pictures of pages without text; run it through text recognition (OCR).",
        )
    known = known_words(whole)
    return _paged(
        [
            (f"page-{number}", "page", number, join_hyphens(text, known))
            for number, text in enumerate(pages, start=1)
        ],
        title,
    )


# PDFium writes U+FFFE (older versions U+0002) for a hyphen at a line end, and no line end.
_WORD = re.compile(r"\w+(?:-\w+)*")
_BREAK = re.compile(
    r"(\w+)([-\u00ad\u2010\ufffe\x02])(?:[ \t]*\r?\n[ \t]*|(?<=[\ufffe\x02]))(\w+)(\S*)"
    r"(?:[ \t]*\r?\n|[ \t]+|$)"
)


def known_words(text: str) -> frozenset[str]:
    """The words, hyphenated ones included, that ``text`` spells without a line end in them."""
    return frozenset(_WORD.findall(_BREAK.sub(" ", text)))


def join_hyphens(text: str, known: frozenset[str]) -> str:
    """``text`` with words joined that a line end cuts; the line then ends behind the word.

    The hyphen stays before a capital or a digit, and where the document (``known_words``)
    spells the word with it, or both parts as words of their own, and never the whole without.
    """

    def joined(match: re.Match[str]) -> str:
        first, mark, second, tail = match.groups()
        together, apart = first + second, f"{first}-{second}"
        keep = not (first[-1].islower() and second[0].islower()) or (
            together not in known and (apart in known or (first in known and second in known))
        )
        return (apart if keep and mark != "\u00ad" else together) + tail + "\n"

    return _BREAK.sub(joined, text)


# --- PowerPoint ----------------------------------------------------------------------------


def _pptx(path: str, content: bytes) -> Converted:
    import pptx

    _check_archive(path, content)
    presentation = pptx.Presentation(io.BytesIO(content))
    slides = []
    for number, slide in enumerate(presentation.slides, start=1):
        title = slide.shapes.title
        parts = []
        if title is not None and title.text_frame.text.strip():
            parts.append("# " + " ".join(title.text_frame.text.split()))
        rest = [each for each in slide.shapes if title is None or each.shape_id != title.shape_id]
        parts += _shapes(rest)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = slide.notes_slide.notes_text_frame.text.strip()
            if notes:
                parts.append(f"Notes: {notes}")
        slides.append((f"slide-{number}", "slide", number, "\n\n".join(parts)))
    return _paged(slides, presentation.core_properties.title)


def _shapes(shapes: Sequence[Any]) -> Iterator[str]:
    # As a reader's eye goes: from top to bottom, then from left to right.
    for shape in sorted(shapes, key=lambda each: (each.top or 0, each.left or 0)):
        if hasattr(shape, "shapes"):
            yield from _shapes(list(shape.shapes))
        elif getattr(shape, "has_table", False):
            yield markdown_table([[cell.text for cell in row.cells] for row in shape.table.rows])
        elif getattr(shape, "has_chart", False):
            yield from _chart(shape.chart)
        elif getattr(shape, "has_text_frame", False):
            lines = [
                "  " * paragraph.level + "- " + " ".join(paragraph.text.split())
                for paragraph in shape.text_frame.paragraphs
                if paragraph.text.strip()
            ]
            if len(lines) == 1:
                yield lines[0].strip().removeprefix("- ")
            elif lines:
                yield "\n".join(lines)


def _chart(chart: Any) -> Iterator[str]:
    if chart.has_title and chart.chart_title.has_text_frame:
        yield chart.chart_title.text_frame.text
    plots = list(chart.plots)
    if plots:
        names = [str(series.name) for series in plots[0].series]
        values = [list(series.values) for series in plots[0].series]
        rows = [
            [str(category), *(_cell(each[at]) if at < len(each) else "" for each in values)]
            for at, category in enumerate(plots[0].categories)
        ]
        yield markdown_table([["", *names], *rows])


# --- Excel and CSV -------------------------------------------------------------------------


def _xlsx(path: str, content: bytes) -> Converted:
    import warnings

    import openpyxl

    _check_archive(path, content)
    with warnings.catch_warnings():
        # "… extension is not supported and will be removed": nothing that we would show.
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        try:
            sheets = []
            for number, sheet in enumerate(book.worksheets, start=1):
                if sheet.sheet_state != "visible":
                    continue
                # Some programs write a wrong size; without it every row is read.
                sheet.reset_dimensions()
                rows = (
                    [_cell(value) for value in row] for row in sheet.iter_rows(values_only=True)
                )
                table = markdown_table(rows, limit=ROW_LIMIT)
                sheets.append((sheet.title, "sheet", number, f"# {sheet.title}\n\n{table}"))
            title = book.properties.title
        finally:
            book.close()
    return _paged(sheets, title)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def _csv(path: str, content: bytes) -> Converted:
    return Converted(
        text=_tidy(table_from_csv(decode(content, path), tabs=path[-4:].lower() == ".tsv")),
        pages=(),
        title=None,
    )


# --- what they share -----------------------------------------------------------------------

_CONVERTERS: dict[str, Callable[[str, bytes], Converted]] = {
    "html": _html,
    "htm": _html,
    "docx": _docx,
    "pdf": _pdf,
    "pptx": _pptx,
    "xlsx": _xlsx,
    "csv": _csv,
    "tsv": _csv,
}

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_BLANKS = re.compile(r"[ \t]+\n")
_GAPS = re.compile(r"\n{3,}")


def _tidy(text: str) -> str:
    text = normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _CONTROL.sub("", text.replace("\x0b", "\n").replace("\x0c", "\n"))
    text = _GAPS.sub("\n\n", _BLANKS.sub("\n", text)).strip("\n").rstrip()
    return text + "\n" if text else ""


def _paged(pages: Sequence[tuple[str, Any, int, str]], title: str | None) -> Converted:
    text, places = "", []
    parts: list[str] = []
    length = 0
    for label, kind, number, raw in pages:
        part = _tidy(raw)
        if parts and part:
            parts.append("\n")
            length += 1
        places.append(
            ConvertedPage(
                label=label,
                kind=kind,
                number=number,
                char_start=length,
                char_end=length + len(part),
            )
        )
        parts.append(part)
        length += len(part)
    text = "".join(parts)
    return Converted(text=text, pages=tuple(places), title=_clean_title(title))


def _clean_title(title: str | None) -> str | None:
    text = " ".join(_CONTROL.sub("", normalize("NFC", title or "")).split())
    return None if not text or _NO_TITLE.match(text) else text


def _check_archive(path: str, content: bytes) -> str | None:
    """Refuse what is no office archive, or unpacks too large; its title property otherwise."""
    import html
    import zipfile

    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except zipfile.BadZipFile as error:
        if content.startswith(b"\xd0\xcf\x11\xe0"):
            # The older container: what Office writes for a file with a password.
            raise SkippedFile(
                "encrypted",
                f"{path} has a password or an older format; save a copy without a password.",
            ) from error
        raise
    with archive:
        parts = archive.infolist()
        # zipfile unpacks no more than the size that is declared here.
        size = sum(part.file_size for part in parts)
        if size > UNPACKED_LIMIT or len(parts) > PARTS_LIMIT:
            _too_large(path, size, len(parts))
        if "docProps/core.xml" not in archive.namelist():
            return None
        core = archive.read("docProps/core.xml").decode("utf-8", "replace")
    found = re.search(r"<dc:title>([^<]*)</dc:title>", core)
    if found is None:
        return None
    return html.unescape(found[1])


def _too_large(path: str, size: int, parts: int) -> NoReturn:
    raise SkippedFile(
        "unpacks too large",
        f"{path} unpacks to {size:,} bytes in {parts:,} parts, more than {UNPACKED_LIMIT:,} or "
        f"{PARTS_LIMIT:,}; split it.",
    )

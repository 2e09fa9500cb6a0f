from __future__ import annotations

import builtins
import io
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread import convert as module
from wellread.convert import convert, join_hyphens, known_words
from wellread.decode import decode
from wellread.documents import Converted
from wellread.errors import SkippedFile
from wellread.tables import COLUMN_LIMIT, markdown_table, table_from_csv

WHY = "needs wellread[office]"


def reason_of(path: str, content: bytes) -> str:
    with pytest.raises(SkippedFile) as raised:
        convert(path, content)
    assert path in str(raised.value)
    return raised.value.reason


def page_texts(converted: Converted) -> list[str]:
    return [converted.text[page.char_start : page.char_end] for page in converted.pages]


# --- fixtures made by hand -----------------------------------------------------------------


def make_pdf(*pages: str, title: str = "") -> bytes:
    """A PDF with a line of Helvetica for each line of each page."""
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>"
        % (len(pages), b" ".join(b"%d 0 R" % (5 + 2 * at) for at in range(len(pages)))),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (%s) >>" % title.encode(),
    ]
    for at, page in enumerate(pages):
        lines = b"".join(b"(%s) Tj 0 -14 Td " % line.encode() for line in page.split("\n") if line)
        stream = b"BT /F1 12 Tf 72 720 Td " + lines + b"ET"
        bodies.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (6 + 2 * at)
        )
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size, start = len(bodies) + 1, len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\n" % size
    return out + b"startxref\n%d\n%%%%EOF\n" % start


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def make_docx(body: str, *, title: str = "", extra: dict[str, bytes] | None = None) -> bytes:
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    # Style ids as a Russian Word writes them: the names are what counts.
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/></w:style>'
        for key, name in (("1", "heading 1"), ("2", "heading 2"), ("a3", "Title"))
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{word}.document.main+xml"/>'
        f'<Override PartName="/word/styles.xml" ContentType="{word}.styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="word/document.xml"/>'
        "</Relationships>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/styles" Target="styles.xml"/></Relationships>',
        "word/styles.xml": f"<w:styles {W}>{styles}</w:styles>",
        "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
        "docProps/core.xml": f"<x><dc:title>{title}</dc:title></x>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
        for name, content in (extra or {}).items():
            archive.writestr(name, content)
    return buffer.getvalue()


def make_xlsx(fill: Callable[[Any], None]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl", reason=WHY)
    book = openpyxl.Workbook()
    fill(book)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


# --- HTML ----------------------------------------------------------------------------------

HTML = """<!doctype html><html><head><title>Travel &amp; per diem</title><style>p{}</style>
<script>var secret_script = 1</script></head><body><nav><a href="/">Home</a></nav>
<h1>Travel</h1><p>Use <code>snake_case_name</code> and * stars. <a href="visa.md#eu">Visa</a></p>
<h2 id="x">Per diem<a href="#x">¶</a></h2>
<table><tr><th>Country</th><th>EUR</th></tr><tr><td>Serbia</td><td>50</td></tr></table>
<h3>Trains</h3><pre><code class="language-sh">ls  -l
rm x</code></pre><ul><li>one<ul><li>two</li></ul></li></ul>
<img src="data:image/png;base64,AAAA" alt="A chart"><img src="map.png" alt="Map">
</body></html>"""


@pytest.fixture
def html() -> Converted:
    pytest.importorskip("bs4", reason=WHY)
    pytest.importorskip("markdownify", reason=WHY)
    return convert("a/travel.HTML", HTML.encode())


def test_html_headings_and_tables_survive_as_markdown(html: Converted) -> None:
    lines = html.text.split("\n")
    assert "# Travel" in lines
    assert "## Per diem" in lines
    assert "### Trains" in lines
    at = lines.index("| Country | EUR |")
    assert lines[at : at + 3] == ["| Country | EUR |", "| --- | --- |", "| Serbia | 50 |"]


def test_html_keeps_its_title_and_has_no_pages(html: Converted) -> None:
    assert html.title == "Travel & per diem"
    assert html.pages == ()


def test_html_code_and_site_menus_are_dropped(html: Converted) -> None:
    for gone in ("secret_script", "p{}", "Home", "¶", "base64"):
        assert gone not in html.text


def test_html_keeps_exact_strings_links_images_and_code(html: Converted) -> None:
    assert "`snake_case_name` and * stars" in html.text
    assert "[Visa](visa.md#eu)" in html.text
    assert "A chart" in html.text
    assert "![Map](map.png)" in html.text
    assert "```sh\nls  -l\nrm x\n```" in html.text
    assert "- one\n  - two" in html.text


def test_html_that_names_its_content_is_read_without_the_site_around_it() -> None:
    pytest.importorskip("markdownify", reason=WHY)
    page = "<body><div>Banner</div><main><h1>Real</h1></main><footer>Imprint</footer></body>"
    assert convert("a.html", page.encode()).text == "# Real\n"
    empty = "<body><div>Banner</div><main> </main></body>"
    assert convert("a.html", empty.encode()).text == "Banner\n"


def test_html_in_another_encoding_is_read_right() -> None:
    pytest.importorskip("markdownify", reason=WHY)
    page = '<html><head><meta charset="windows-1251"></head><body><p>Отпуск</p></body></html>'
    assert convert("a.htm", page.encode("windows-1251")).text == "Отпуск\n"


def test_html_nested_without_end_is_damaged() -> None:
    pytest.importorskip("markdownify", reason=WHY)
    assert reason_of("a.html", b"<div>" * 3_000 + b"x") == "damaged"


# --- Word ----------------------------------------------------------------------------------


def test_docx_headings_and_tables_survive_as_markdown() -> None:
    pytest.importorskip("mammoth", reason=WHY)
    cells = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("Страна", "EUR"))
    row = "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("Сербия", "50"))
    body = paragraph("Отпуск", "1") + paragraph("28 дней.") + paragraph("Перенос", "2")
    body += f"<w:tbl><w:tr>{cells}</w:tr><w:tr>{row}</w:tr></w:tbl>"
    converted = convert("a.docx", make_docx(body, title="Правила &amp; отпуск"))
    assert converted.text == (
        "# Отпуск\n\n28 дней.\n\n## Перенос\n\n| Страна | EUR |\n| --- | --- |\n| Сербия | 50 |\n"
    )
    assert converted.title == "Правила & отпуск"
    assert converted.pages == ()


def test_a_docx_title_paragraph_beats_the_property() -> None:
    pytest.importorskip("mammoth", reason=WHY)
    converted = convert("a.docx", make_docx(paragraph("Real", "a3"), title="Copied"))
    assert (converted.title, converted.text) == ("Real", "# Real\n")


@pytest.mark.parametrize(
    "title", ["", "Document1", "Microsoft Word - a.doc", "report.docx", "Untitled"]
)
def test_a_title_that_a_program_wrote_is_none(title: str) -> None:
    pytest.importorskip("mammoth", reason=WHY)
    assert convert("a.docx", make_docx(paragraph("x"), title=title)).title is None


def test_an_archive_that_unpacks_too_large_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mammoth", reason=WHY)
    monkeypatch.setattr(module, "UNPACKED_LIMIT", 1_000_000)
    bomb = make_docx(paragraph("x"), extra={"word/media/x.bin": bytes(2_000_000)})
    assert len(bomb) < 10_000
    assert reason_of("a.docx", bomb) == "unpacks too large"


def test_an_archive_of_too_many_parts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mammoth", reason=WHY)
    monkeypatch.setattr(module, "PARTS_LIMIT", 5)
    assert reason_of("a.docx", make_docx(paragraph("x"))) == "unpacks too large"


@pytest.mark.parametrize(
    ("name", "library"), [("a.docx", "mammoth"), ("a.xlsx", "openpyxl"), ("a.pptx", "pptx")]
)
def test_an_office_file_with_a_password_is_encrypted(name: str, library: str) -> None:
    pytest.importorskip(library, reason=WHY)
    assert reason_of(name, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)) == "encrypted"


@pytest.mark.parametrize(
    ("name", "library"),
    [("a.docx", "mammoth"), ("a.xlsx", "openpyxl"), ("a.pptx", "pptx"), ("a.pdf", "pypdfium2")],
)
@pytest.mark.parametrize("content", [b"", b"not this format", b"PK\x03\x04broken", b"%PDF-1.4"])
def test_a_damaged_file_is_skipped_with_that_reason(
    name: str, library: str, content: bytes
) -> None:
    pytest.importorskip(library, reason=WHY)
    assert reason_of(name, content) == "damaged"


# --- PDF -----------------------------------------------------------------------------------


def test_pdf_pages_keep_their_numbers_and_places() -> None:
    pytest.importorskip("pypdfium2", reason=WHY)
    converted = convert("a.pdf", make_pdf("First page\nsecond line", "", "Third", title="Terms"))
    assert [(page.label, page.kind, page.number) for page in converted.pages] == [
        ("page-1", "page", 1),
        ("page-2", "page", 2),
        ("page-3", "page", 3),
    ]
    assert page_texts(converted) == ["First page\nsecond line\n", "", "Third\n"]
    assert converted.title == "Terms"


def test_a_scan_without_text_is_said_to_have_no_text_layer() -> None:
    pytest.importorskip("pypdfium2", reason=WHY)
    assert reason_of("scan.pdf", make_pdf("", "")) == "no text layer"


def test_an_encrypted_pdf_is_said_to_be_encrypted() -> None:
    pytest.importorskip("pypdfium2", reason=WHY)
    locked = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (b"00" * 32, b"11" * 32)
    content = make_pdf("secret").replace(
        b"/Info 4 0 R", b"/Info 4 0 R /ID [<00> <00>] /Encrypt " + locked
    )
    assert reason_of("a.pdf", content) == "encrypted"


@pytest.mark.parametrize(
    ("text", "elsewhere", "joined"),
    [
        ("pay-\nment terms", "", "payment\nterms"),
        ("pay\ufffement terms", "", "payment\nterms"),
        ("pay\u00ad\r\nment, terms", "", "payment,\nterms"),
        ("опла-\r\nты по счёту", "", "оплаты\nпо счёту"),
        ("a well-\nread company", "is well-read.", "a well-read\ncompany"),
        ("chat-\noptimized models", "optimized for chat", "chat-optimized\nmodels"),
        ("pro-\ngram runs", "a program; pro gram", "program\nruns"),
        ("INV-2026-\n0041 is due", "", "INV-2026-0041\nis due"),
        ("GPT-\n4 costs", "", "GPT-4\ncosts"),
        ("Anne-\nMarie came", "", "Anne-Marie\ncame"),
        ("- one\n- two", "", "- one\n- two"),
        ("sum -\nnext", "", "sum -\nnext"),
        ("pay-\nment\nnext", "", "payment\nnext"),
    ],
)
def test_words_cut_by_a_line_end_are_joined_sensibly(
    text: str, elsewhere: str, joined: str
) -> None:
    assert join_hyphens(text, known_words(f"{elsewhere}\n{text}")) == joined


# --- PowerPoint ----------------------------------------------------------------------------


def test_pptx_slides_have_titles_lists_tables_and_notes() -> None:
    pptx = pytest.importorskip("pptx", reason=WHY)
    deck = pptx.Presentation()
    deck.core_properties.title = "Quarter"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Revenue"
    frame = slide.placeholders[1].text_frame
    frame.text = "Up by 4 %"
    below = frame.add_paragraph()
    below.text, below.level = "in Serbia", 1
    slide.notes_slide.notes_text_frame.text = "Say thanks."
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Plan"
    table = second.shapes.add_table(2, 2, 0, 2_000_000, 1_000_000, 1_000_000).table
    for row in range(2):
        for column in range(2):
            table.cell(row, column).text = f"{row}|{column}"
    buffer = io.BytesIO()
    deck.save(buffer)
    converted = convert("a.pptx", buffer.getvalue())
    assert [(page.label, page.kind) for page in converted.pages] == [
        ("slide-1", "slide"),
        ("slide-2", "slide"),
    ]
    assert page_texts(converted) == [
        "# Revenue\n\n- Up by 4 %\n  - in Serbia\n\nNotes: Say thanks.\n",
        "# Plan\n\n| 0\\|0 | 0\\|1 |\n| --- | --- |\n| 1\\|0 | 1\\|1 |\n",
    ]
    assert converted.title == "Quarter"


# --- Excel and CSV -------------------------------------------------------------------------


def test_xlsx_sheets_are_tables_under_their_names() -> None:
    def fill(book: Any) -> None:
        sheet = book.active
        sheet.title = "Per diem"
        sheet.append(["Country", "EUR", "Since"])
        sheet.append([])
        sheet.append(["Serbia", 50.0, date(2026, 3, 1)])
        sheet.append(["Цена|нетто\nвсего", 0.1, datetime(2026, 3, 1, 12, 30)])
        sheet.append([True, None, None])
        hidden = book.create_sheet("Salaries")
        hidden.append(["secret"])
        hidden.sheet_state = "hidden"
        book.create_sheet("Empty")

    converted = convert("a.xlsx", make_xlsx(fill))
    assert [(page.label, page.kind, page.number) for page in converted.pages] == [
        ("Per diem", "sheet", 1),
        ("Empty", "sheet", 3),
    ]
    assert page_texts(converted) == [
        (
            "# Per diem\n\n| Country | EUR | Since |\n| --- | --- | --- |\n"
            "| Serbia | 50 | 2026-03-01 |\n| Цена\\|нетто всего | 0.1 | 2026-03-01 12:30:00 |\n"
            "| TRUE |  |  |\n"
        ),
        "# Empty\n",
    ]


def test_a_long_sheet_says_that_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROW_LIMIT", 3)

    def fill(book: Any) -> None:
        for number in range(10):
            book.active.append([f"row {number}"])

    text = convert("a.xlsx", make_xlsx(fill)).text
    assert "| row 3 |" in text
    assert "row 4" not in text
    assert "Only the first 3 rows are shown here; the file has more." in text


def test_a_sheet_of_exactly_the_limit_is_whole() -> None:
    rows = [["head"], ["1"], ["2"], [""], []]
    assert "Only the first" not in markdown_table(rows, limit=2)
    assert "Only the first 1 rows" in markdown_table(rows, limit=1)


def test_columns_beyond_the_limit_are_said() -> None:
    table = markdown_table([["x"] * (COLUMN_LIMIT + 5)])
    assert f"Only the first {COLUMN_LIMIT} of {COLUMN_LIMIT + 5} columns" in table


@pytest.mark.parametrize(
    "content",
    [
        b'name,note\nAnn,"a, b\nc"\n',
        "\ufeffname;note\r\nAnn;a, b c\r\n".encode(),
        b"name\tnote\nAnn\ta, b c\n",
        b"sep=|\nname|note\nAnn|a, b c\n",
        "name;note\nAnn;a, b c\n".encode("utf-16"),
    ],
)
def test_csv_of_any_usual_dialect_is_a_table(content: bytes) -> None:
    converted = convert("a.csv", content)
    assert converted.text == "| name | note |\n| --- | --- |\n| Ann | a, b c |\n"
    assert converted.pages == ()


def test_tsv_is_split_at_tabs_alone() -> None:
    assert "| a, b | c |" in convert("a.tsv", b"x, y, z\tk\na, b\tc\n").text


def test_csv_in_windows_1251_is_read_right() -> None:
    rows = "Страна;Суточные\nСербия;50 евро в сутки\nГермания;60 евро в сутки\n"
    assert "| Германия | 60 евро в сутки |" in table_from_csv(
        decode(rows.encode("windows-1251"), "rates.csv")
    )


def test_a_very_long_cell_is_kept_whole() -> None:
    assert "x" * 200_000 in convert("a.csv", b"a,b\n" + b"x" * 200_000 + b",1\n").text


def test_a_csv_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    without_extra(monkeypatch)
    assert convert("a.csv", b"a,b\n1,2\n").text == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"


@given(st.lists(st.lists(st.text(max_size=5), max_size=4), max_size=6))
def test_every_table_is_rectangular_and_loses_no_cell(rows: list[list[str]]) -> None:
    table = markdown_table(rows)
    lines = table.split("\n") if table else []
    assert len({line.replace("\\|", "").count("|") for line in lines}) <= 1
    for row in rows:
        for cell in row:
            assert " ".join(cell.split()).replace("|", "\\|") in table


# --- all -----------------------------------------------------------------------------------


def without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__
    libraries = {"bs4", "mammoth", "markdownify", "openpyxl", "pypdfium2", "pptx"}

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] in libraries:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)


@pytest.mark.parametrize("ending", ["html", "htm", "docx", "pdf", "pptx", "xlsx"])
def test_without_the_extra_a_file_is_skipped_with_the_install_hint(
    ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_extra(monkeypatch)
    with pytest.raises(SkippedFile, match=r"pip install 'wellread\[office\]'") as raised:
        convert(f"a.{ending}", b"anything")
    assert raised.value.reason == "needs wellread[office]"


def test_an_ending_that_nothing_converts_is_said() -> None:
    assert reason_of("a.odt", b"") == "not converted"

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.documents import Converted, ConvertedPage, Document, FileEntry, RawFile
from wellread.fields import default_access
from wellread.parse import parse, parse_converted
from wellread.types import DefaultRule, ParseRules

RULES = ParseRules()


def entry(path: str) -> FileEntry:
    return FileEntry(
        path=path, location=path, source="docs", size=0, mtime_ns=0, ctime_ns=0, inode=0
    )


def document(text: str, path: str = "hr/leave.md", root: str = "") -> Document:
    return parse(RawFile(entry=entry(path), content=text.encode()), RULES, root=root)


def section_texts(found: Document) -> list[tuple[str, str]]:
    return [(item.slug, found.body[item.char_start : item.char_end]) for item in found.sections]


# --- titles ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("---\ntitle: 2026-05-26\n---\n# H\n", "a.md", "2026-05-26"),
        ("Intro\n\n## Two\n\n# **One** thing\n", "a.md", "One thing"),
        ("Title\n=====\n", "a.md", "Title"),
        ("## Only two\n", "x/payment-terms.md", "payment-terms"),
        ("```\n# not a heading\n```\n", "x/page.html.md", "page"),
        ("text", "x/page.md.erb", "page"),
        ("text", "teams/people/README.md", "people"),
        ("text", "README.md", "README"),
        ("---\ntitle:\n---\ntext", "v1.2-notes.md", "v1.2-notes"),
    ],
)
def test_a_title_is_frontmatter_else_first_heading_else_file_name(
    text: str, path: str, title: str
) -> None:
    assert document(text, path).title == title


# --- headings and sections -------------------------------------------------------------------

GUIDE = """\
---
title: Guide
---
Before.

# Guide

## C#

### Deep

#### Deeper

Setext
------

```
## not a heading
```

~~~~
~~~
## nor this
~~~~

    ## nor that

## Closing ##
## Closing
"""


def test_headings_are_those_that_commonmark_sees() -> None:
    found = document(GUIDE)
    assert [(item.level, item.text, item.slug, item.line) for item in found.headings] == [
        (1, "Guide", "guide", 6),
        (2, "C#", "c", 8),
        (3, "Deep", "deep", 10),
        (4, "Deeper", "deeper", 12),
        (2, "Setext", "setext", 14),
        (2, "Closing", "closing", 28),
        (2, "Closing", "closing-1", 29),
    ]


def test_sections_start_at_levels_one_and_two_and_keep_their_path_and_lines() -> None:
    found = document(GUIDE)
    assert [(x.slug, x.heading, x.line_start, x.line_end) for x in found.sections] == [
        ("", (), 4, 4),
        ("guide", ("Guide",), 6, 6),
        ("c", ("Guide", "C#"), 8, 12),
        ("setext", ("Guide", "Setext"), 14, 26),
        ("closing", ("Guide", "Closing"), 28, 28),
        ("closing-1", ("Guide", "Closing"), 29, 29),
    ]  # fmt: skip


def test_without_levels_one_and_two_the_shallowest_level_makes_sections() -> None:
    found = document("#### A\n\n##### B\n\n#### C\n")
    assert section_texts(found) == [("a", "#### A\n\n##### B\n\n"), ("c", "#### C\n")]


def test_a_heading_reaches_to_the_next_of_its_level_or_a_higher_one() -> None:
    found = document("# A\n## B\n### C\n## D\n# E\n")
    spans = {item.slug: found.body[item.char_start : item.char_end] for item in found.headings}
    assert spans == {
        "a": "# A\n## B\n### C\n## D\n",
        "b": "## B\n### C\n",
        "c": "### C\n",
        "d": "## D\n",
        "e": "# E\n",
    }


def test_headings_inside_lists_and_quotations_can_be_read_but_start_no_section() -> None:
    found = document("## A\n\n- # Item\n\n> ## Quoted\n\n### B\n\ntext\n\n## C\n")
    assert [item.slug for item in found.headings] == ["a", "item", "quoted", "b", "c"]
    assert [item.slug for item in found.sections] == ["a", "c"]
    assert found.headings[0].char_end == found.headings[-1].char_start


def test_a_custom_id_is_the_slug_and_not_shown() -> None:
    found = document("## Payment terms {#pay-when}\n\n## Other {: #o2 .x }\n\n## Set {a}\n")
    assert [(item.text, item.slug) for item in found.headings] == [
        ("Payment terms", "pay-when"),
        ("Other", "o2"),
        ("Set {a}", "set-a"),
    ]


def test_a_blank_document_has_no_section() -> None:
    assert document("---\ntitle: x\n---\n\n  \n").sections == ()
    assert document("").sections == ()


def test_crlf_and_mark_do_not_move_lines() -> None:
    raw = "\ufeff---\r\ntitle: x\r\n---\r\n\r\n# A\r\n\r\ntext\r\n".encode()
    found = parse(RawFile(entry=entry("a.md"), content=raw), RULES)
    assert (found.title, found.body_line, found.headings[0].line) == ("x", 4, 5)
    assert found.sections[0].line_end == 7


def test_broken_frontmatter_seals_but_the_text_is_parsed() -> None:
    found = document("---\ntitle: a: b\n---\n# Leave\n")
    assert found.sealed
    assert found.title == "Leave"
    assert found.problems[0].line == 2


# --- links -----------------------------------------------------------------------------------


def targets(text: str, path: str = "hr/leave.md", root: str = "") -> list[tuple[str, str, int]]:
    return [(item.target, item.anchor, item.line) for item in document(text, path, root).links]


def test_links_are_resolved_beside_the_document_with_their_anchor_and_line() -> None:
    text = (
        "---\ntitle: x\n---\n[a](pay.md#terms) and\n[b](../it/setup.md) ![c](img/c.png 'C')\n"
        "[d](/it/x.md) [e](<two words.md>) [f](f%20g.md?v=1#%D0%B0) [g](a_(b).md)\n"
    )
    assert targets(text) == [
        ("hr/pay.md", "terms", 4),
        ("it/setup.md", "", 5),
        ("hr/img/c.png", "", 5),
        ("it/x.md", "", 6),
        ("hr/two words.md", "", 6),
        ("hr/f g.md", "а", 6),
        ("hr/a_(b).md", "", 6),
    ]


def test_links_from_the_root_stay_in_their_source() -> None:
    assert targets("[a](/b.md)", "handbook/x/a.md", "handbook") == [("handbook/b.md", "", 1)]


def test_reference_links_html_and_wiki_links_are_links_too() -> None:
    text = (
        "[a][one] [one] [Two][] [none][]\n<img alt='x' src='i.png'> <A HREF=\"h.md\">h</A>\n"
        "[[Page]] [[other.md#part|shown]] ![[pic.png]]\n\n[one]: r.md#x\n[two]: <s.md> 'T'\n"
    )
    assert targets(text, "a.md") == [
        ("r.md", "x", 1),
        ("r.md", "x", 1),
        ("s.md", "", 1),
        ("i.png", "", 2),
        ("h.md", "", 2),
        ("Page.md", "", 3),
        ("other.md", "part", 3),
        ("pic.png", "", 3),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://example.com/a.md) [b](mailto:a@b.c) [c](//host/x) [d](#here)",
        "`[a](b.md)` and ``[a](b.md) ` `` ` [x] `",
        "```\n[a](b.md)\n```\n",
        "text\n\n    [a](b.md)\n",
        "[a]({% link b.md %}) [b]({{ url }}/b.md)",
        "[]() [a]( )",
    ],
)
def test_addresses_code_and_placeholders_are_no_links(text: str) -> None:
    assert targets(text) == []


def test_an_image_in_a_link_gives_both() -> None:
    found = document("[![logo [x]](l.png)](home.md) [plain](p.md)", "a.md").links
    assert [(item.target, item.image) for item in found] == [
        ("l.png", True),
        ("home.md", False),
        ("p.md", False),
    ]


def test_linked_files_that_are_no_documents_become_attachments_once() -> None:
    text = (
        "---\nattachments: [run.sh]\n---\n[s](run.sh) [s](deploy.yaml) ![c](c.png) [c](c.png)\n"
        "[d](d.pdf) [e](e.md) [f](folder) [g](../x.md.erb)\n"
    )
    assert [(item.path, item.kind) for item in document(text, "a/b.md").attachments] == [
        ("a/run.sh", "script"),
        ("a/deploy.yaml", "config"),
        ("a/c.png", "image"),
    ]


# --- language --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The refund is paid within 14 days.", "en"),
        ("Отпуск согласуется с руководителем, см. vacation policy.", "ru"),
        ("Відпустка погоджується з керівником її відділу.", "uk"),
        ("Die Krankmeldung ist mit dem Formular für die Abteilung einzureichen.", "de"),
        ("経費精算の手続き。領収書を添付してください。", "ja"),
        ("x = 1", "en"),
        ("Книги: [раз](https://example.com/a-very-long-address-of-a-book-shop).", "ru"),
        ("---\nlanguage: de-AT\n---\nx", "de"),
    ],
)
def test_the_language_is_what_most_of_the_text_is_written_in(text: str, language: str) -> None:
    assert document(text).language == language


# --- converted files -------------------------------------------------------------------------


def page(kind: str, number: int, start: int, end: int, label: str = "") -> ConvertedPage:
    return ConvertedPage(
        label=label or str(number),
        kind=kind,  # type: ignore[arg-type]
        number=number,
        char_start=start,
        char_end=end,
    )


def test_pages_are_sections_with_their_number() -> None:
    text = "First page.\n\nSecond # page.\n\n   \n"
    pages = (page("page", 1, 0, 11), page("page", 2, 13, 27), page("page", 3, 29, 32))
    found = parse_converted(entry("a/report.pdf"), Converted(text=text, pages=pages), RULES)
    assert [(item.slug, item.page, item.heading, item.line_start) for item in found.sections] == [
        ("page-1", 1, (), 1),
        ("page-2", 2, (), 3),
    ]
    assert [item.slug for item in found.headings] == ["page-1", "page-2", "page-3"]
    assert found.title == "report"


def test_slides_and_sheets_are_named_and_have_no_pdf_page() -> None:
    text = "a\nb\nc\n"
    slides = (page("slide", 1, 0, 2, "Plan"), page("slide", 2, 2, 4, "Plan"))
    found = parse_converted(
        entry("d.pptx"), Converted(text=text, pages=slides, title="Deck"), RULES
    )
    assert [(item.slug, item.heading, item.page) for item in found.sections] == [
        ("slide-1", ("Plan",), None),
        ("slide-2", ("Plan",), None),
    ]
    assert found.title == "Deck"
    sheets = (page("sheet", 1, 0, 2, "Цены 2026"), page("sheet", 2, 2, 6, "Цены 2026"))
    found = parse_converted(entry("d.xlsx"), Converted(text=text, pages=sheets), RULES)
    assert [item.slug for item in found.sections] == ["цены-2026", "цены-2026-1"]


def test_converted_text_is_normalized_and_pages_move_along() -> None:
    text = "и\u0306\r\n1\nи\u0306 2\n"
    assert not unicodedata.is_normalized("NFC", text)
    cut = text.index("1") + 2
    found = parse_converted(
        entry("a.pdf"),
        Converted(text=text, pages=(page("page", 1, 0, cut), page("page", 2, cut, len(text)))),
        RULES,
    )
    assert section_texts(found) == [("page-1", "й\n1\n"), ("page-2", "й 2\n")]


def test_a_converted_file_without_pages_is_markdown_and_gets_defaults() -> None:
    rules = ParseRules(defaults=(DefaultRule(path="hr/**", values={"access": ["hr"]}),))
    converted = Converted(text="# Leave\n\nSee [pay](pay.docx).\n\n## Days\n")
    found = parse_converted(entry("hr/leave.docx"), converted, rules)
    assert [item.slug for item in found.sections] == ["leave", "days"]
    assert found.links[0].target == "hr/pay.docx"
    assert (found.title, found.own_access) == ("Leave", None)
    assert default_access("hr/leave.docx", rules).access == ("hr",)


# --- properties ------------------------------------------------------------------------------

LINES = st.sampled_from(
    ["", "text", "# One", "## Two", "### Three", "Under", "---", "===", "- item", "  # x", "```",
     "    code", "> # q", "\u2028", "\x0b", "\u3000", "## 🎉", "[a](b.md)", "и\u0306"]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=20).map("\n".join) | st.text(max_size=300)
FRONT = st.sampled_from(["", "---\ntitle: x\naccess: [hr]\n---\n", "+++\na = 1\n+++\n", "\n\n"])


@given(FRONT, TEXTS, st.sampled_from(["\n", "\r\n", "\r"]))
def test_every_character_is_in_one_section_and_lines_are_those_of_an_editor(
    front: str, text: str, ending: str
) -> None:
    text = text.translate({0: None, 0xFEFF: None, 13: None})
    text = "".join(
        c for c in text if unicodedata.category(c) not in ("Cs", "Cc") or c in "\n\t\x0b"
    )
    whole = unicodedata.normalize("NFC", front + text)
    content = whole.replace("\n", ending).encode()
    found = parse(RawFile(entry=entry("a.md"), content=content), RULES)
    lines = whole.split("\n")
    body = found.body
    assert whole.endswith(body)
    assert body.split("\n") == lines[found.body_line - 1 :] or not body
    position = 0
    for item in found.sections:
        assert not body[position : item.char_start].strip()
        position = item.char_end
        inside = body[item.char_start : item.char_end]
        assert inside.strip()
        assert lines[item.line_start - 1].startswith(inside.split("\n")[0])
        assert lines[item.line_end - 1] == inside.rstrip().split("\n")[-1] or lines[
            item.line_end - 1
        ].startswith(inside.rstrip().split("\n")[-1])
    assert not body[position:].strip()
    slugs = [item.slug for item in found.headings]
    assert len(set(slugs)) == len(slugs)
    for heading in found.headings:
        assert body[heading.char_start :].startswith(lines[heading.line - 1])

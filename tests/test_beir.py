"""Judged collections, however they are laid out, become files and questions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from wellread.beir import read_collection, read_qrels, write_files
from wellread.errors import UsageError


def rows(file: Path, entries: Iterable[object]) -> None:
    file.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in entries))


def collection(folder: Path, key: str = "_id") -> Path:
    folder.mkdir()
    rows(
        folder / "corpus.jsonl",
        [
            {key: "d 1", "title": "Leave", "text": "Twenty days a year."},
            {key: "hr/pay.md", "title": "Pay", "text": "---\ntitle: Pay\n---\nMonthly."},
            {key: "../out.md", "title": "", "text": "Outside."},
        ],
    )
    rows(
        folder / "queries.jsonl",
        [{key: "q 1", "text": "holidays", "lang": "en"}, {key: "q2", "text": "unjudged"}],
    )
    return folder


@pytest.mark.parametrize("key", ["_id", "id"])
def test_documents_are_written_as_a_user_has_them(tmp_path: Path, key: str) -> None:
    root = tmp_path / "docs"
    paths = write_files(collection(tmp_path / "set", key), root)
    assert paths == {"d 1": "0/0.md", "hr/pay.md": "hr/pay.md", "../out.md": "0/2.md"}
    assert (root / "0/0.md").read_text() == "# Leave\n\nTwenty days a year."
    assert (root / "hr/pay.md").read_text() == "---\ntitle: Pay\n---\nMonthly."
    assert (root / "0/2.md").read_text() == "Outside."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qrels.tsv", "q 1\td 1\t2\nq 1\thr/pay.md\t0\nq 1\tmissing\t1\n"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq 1\td 1\t2\n"),
        ("qrels.tsv", "q 1\t0\td 1\t2\n"),
    ],
)
def test_judgements_are_found_in_both_places_with_and_without_headings(
    tmp_path: Path, name: str, text: str
) -> None:
    source = collection(tmp_path / "set")
    (source / name).parent.mkdir(exist_ok=True)
    (source / name).write_text(text)
    (question,) = read_collection(source, write_files(source, tmp_path / "docs"))
    assert (question.id, question.text, question.language) == ("q_1", "holidays", "en")
    assert question.expect == {"0/0.md": 2}


def test_a_collection_without_judgements_says_which_file_is_missing(tmp_path: Path) -> None:
    source = collection(tmp_path / "set")
    with pytest.raises(UsageError, match=r"no judgements: qrels/test\.tsv or qrels\.tsv"):
        read_collection(source, {})


def test_a_line_that_is_no_judgement_is_named(tmp_path: Path) -> None:
    file = tmp_path / "qrels.tsv"
    file.write_text("q1\td1\t1\nq1\td2\n")
    with pytest.raises(UsageError, match=r"qrels\.tsv:2: no judgement"):
        read_qrels(file)


@pytest.mark.parametrize(
    ("line", "words"),
    [("{", "not valid JSON"), ("[]", "not a JSON object"), ("{}", "neither `_id` nor `id`")],
)
def test_a_broken_row_is_named(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "corpus.jsonl").write_text(line + "\n")
    with pytest.raises(UsageError, match=r"corpus\.jsonl:1: ") as raised:
        write_files(tmp_path, tmp_path / "docs")
    assert words in str(raised.value)

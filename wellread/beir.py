"""Judged collections in the common layout of BEIR, made into files and questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from wellread.errors import UsageError
from wellread.questions import Question

IN_FOLDER = 1000
"""Files of a folder: some systems grow slow with more."""

QRELS = ("qrels/test.tsv", "qrels.tsv")
QUERIES = "queries.jsonl"
CORPUS = "corpus.jsonl"


def write_files(collection: Path, root: Path) -> dict[str, str]:
    """Write a collection's documents below ``root`` as a user would have them: markdown, the
    title as the first heading. Those whose id is the path of a markdown file keep that name
    and their text. Returns paths by id. Raises ``UsageError``."""
    paths: dict[str, str] = {}
    for number, (where, row) in enumerate(rows(collection / CORPUS)):
        name, text = identity(row, where), str(row.get("text", ""))
        own = page_path(name)
        if own is None and row.get("title"):
            text = f"# {row['title']}\n\n{text}"
        path = own or f"{number // IN_FOLDER}/{number}.md"
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        paths[name] = path
    return paths


def page_path(name: str) -> str | None:
    """An id that is the relative path of a markdown file."""
    path = PurePosixPath(name)
    inside = not path.is_absolute() and ".." not in path.parts and path.as_posix() == name
    return name if inside and path.suffix == ".md" else None


def read_collection(
    collection: Path, paths: dict[str, str], *, qrels: str | None = None, queries: str = QUERIES
) -> tuple[Question, ...]:
    """The judged questions of a collection, which expect the files of their documents.
    Questions without a relevant document are left out. ``qrels`` and ``queries`` name other
    files than the usual ones. Raises ``UsageError``."""
    names = (qrels,) if qrels is not None else QRELS
    file = next((collection / name for name in names if (collection / name).is_file()), None)
    if file is None:
        raise UsageError(
            f"{collection} has no judgements: {' or '.join(names)} is needed, a line of question, "
            "document and grade, separated by tabs."
        )
    judgements = read_qrels(file)
    questions = []
    for where, row in rows(collection / queries):
        name = identity(row, where)
        expect = {
            paths[document]: grade
            for document, grade in judgements.get(name, {}).items()
            if document in paths
        }
        if expect:
            language = str(row.get("lang", ""))
            questions.append(
                Question(
                    id="_".join(name.split()),
                    text=str(row["text"]),
                    expect=expect,
                    language=language,
                    category=str(row.get("type", "")),
                    answer=str(row.get("answer", "")),
                )
            )
    return tuple(questions)


def read_qrels(file: Path) -> dict[str, dict[str, int]]:
    """Grades above 0 by question and document; a first line of headings is skipped, and a
    second column of zeroes as TREC has it understood. Raises ``UsageError``."""
    found: dict[str, dict[str, int]] = {}
    for number, line in enumerate(read(file).splitlines(), start=1):
        if not line.strip():
            continue
        columns = line.split("\t") if "\t" in line else line.split()
        if len(columns) == 4:
            columns = [columns[0], *columns[2:]]
        grade = columns[2].strip() if len(columns) == 3 else ""
        if grade.lstrip("-").isdecimal():
            if int(grade) > 0:
                found.setdefault(columns[0], {})[columns[1]] = int(grade)
        elif number > 1:
            raise UsageError(
                f"{file}:{number}: no judgement. Write question, document and grade, separated "
                "by tabs."
            )
    return found


def rows(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON Lines file, each with its place. Raises ``UsageError``."""
    for number, line in enumerate(read(file).split("\n"), start=1):
        if line.strip():
            where = f"{file}:{number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                raise UsageError(f"{where}: not valid JSON: {error}.") from error
            if not isinstance(row, dict):
                raise UsageError(f"{where}: not a JSON object. Write {{…}} on each line.")
            yield where, row


def identity(row: dict[str, Any], where: str) -> str:
    """``_id``, as BEIR has it, or ``id``. Raises ``UsageError``."""
    for key in ("_id", "id"):
        if row.get(key) is not None:
            return str(row[key])
    raise UsageError(f"{where}: neither `_id` nor `id` is given. Every row needs one.")


def read(file: Path) -> str:
    """A file of a collection. Raises ``UsageError``."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"{file} cannot be read: {reason}.") from error

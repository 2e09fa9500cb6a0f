"""The BM25 index in SQLite's FTS5, inside ``catalog.db``: one engine, no second index.

It ranks by SQLite's own ``bm25()`` with column weights: another idf for words that are in
most passages, and unweighted lengths (m: SciFact nDCG@10 .693 against .691 of the weighted
frequency). The alternatives of a word are asked for apart, and the best of them counts.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from wellread.store.base import (
    Alternative,
    LexicalResult,
    Phrase,
    ScoredPassage,
    StoreQuery,
    TermGroup,
    VocabularyTerm,
    Weights,
)
from wellread.store.conditions import document_condition
from wellread.store.lexical import (
    LexicalDocument,
    Restriction,
    attainable,
    best_of,
    describe,
    describe_phrase,
)
from wellread.types import Explanation

TOKEN_CHARACTERS = "".join(
    chr(code) for code in range(1, 127) if not chr(code).isspace() and not chr(code).isalnum()
) + "\x1f"  # fmt: skip
"""All of ASCII but white space: the tokenizer must not split what the analyzer has made."""

COLUMNS = "title, heading, body, context, identifiers, pairs"

PAIR_FACTOR = 1.5
"""Pairs weigh half as much again as in the other engine: ``bm25()`` counts their column into
the length of the row, so that they are worth less here."""


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the full-text table and the view of its vocabulary."""
    characters = TOKEN_CHARACTERS.replace("'", "''").replace('"', '""')
    connection.execute(
        f"CREATE VIRTUAL TABLE passage_terms USING fts5({COLUMNS}, "
        f"tokenize = \"ascii tokenchars '{characters}'\")"
    )
    connection.execute(
        "CREATE VIRTUAL TABLE passage_vocabulary USING fts5vocab(passage_terms, 'row')"
    )


def quoted(term: str) -> str:
    """A term as an FTS5 string."""
    return '"' + term.replace('"', '""') + '"'


class Fts5Writer:
    """Writes within the catalog's own transaction; commit and rollback are the catalog's."""

    def __init__(self, connection: sqlite3.Connection, weights: Weights) -> None:
        self.connection = connection
        self.weights = weights

    def add(self, document: LexicalDocument) -> None:
        """Index a document's passages."""
        self.connection.executemany(
            f"INSERT INTO passage_terms (rowid, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (passage_id, terms.title, terms.heading, terms.body, terms.context,
                 terms.identifiers, terms.pairs if self.weights.pairs else "")
                for passage_id, terms in document.passages
            ],
        )  # fmt: skip

    def delete(self, document_id: int) -> None:
        """Remove a document's passages; called before their catalog rows go."""
        self.connection.execute(
            "DELETE FROM passage_terms WHERE rowid IN "
            "(SELECT id FROM passages WHERE document_id = ?)",
            (document_id,),
        )

    def clear(self) -> None:
        """Remove every document."""
        self.connection.execute("DELETE FROM passage_terms")

    def commit(self, generation: int) -> None:
        """Nothing of its own to do."""

    def rollback(self) -> None:
        """Nothing of its own to do."""


class Fts5Searcher:
    """One request's view: the catalog's own read transaction."""

    def __init__(self, connection: sqlite3.Connection, generation: int, weights: Weights) -> None:
        self.connection = connection
        self.generation = generation
        self.rank = (
            f"-bm25(passage_terms, {weights.title}, {weights.heading}, {weights.body}, "
            f"{weights.context}, {weights.identifier}, {PAIR_FACTOR})"
        )

    def search(self, query: StoreQuery, where: Restriction, limit: int) -> LexicalResult:
        """The best passages, and the two counts."""
        condition, values = self._condition(where, query.phrases)
        asked = self._asked(query)
        parts = [
            f"SELECT rowid AS id, {number} AS part, {weight} * {self.rank} AS score "
            "FROM passage_terms WHERE passage_terms MATCH ?"
            for number, weight, _ in asked
        ]
        # Materialized: of a single part, SQLite would make one query with what is around it,
        # where bm25() cannot be used.
        rows = self.connection.execute(
            "WITH found AS MATERIALIZED ("
            + " UNION ALL ".join(parts)
            + "), best AS (SELECT id, part, MAX(score) AS score FROM found GROUP BY id, part) "
            f"SELECT found.id, SUM(found.score) AS total FROM best AS found {JOIN} "
            f"WHERE {condition} GROUP BY found.id ORDER BY total DESC, found.id LIMIT ?",
            [*(match for _, _, match in asked), *values, limit],
        ).fetchall()
        groups = [self._group(group) for group in query.groups]
        counted = [self._group(group) for group in query.groups if group.counted]
        phrases = [self._phrase(phrase) for phrase in query.phrases]
        return LexicalResult(
            hits=tuple(ScoredPassage(passage_id=row[0], score=row[1]) for row in rows),
            any_group=self._count(" OR ".join(phrases or groups), condition, values),
            all_groups=self._count(" AND ".join([*phrases, *counted]), condition, values),
        )

    def _asked(self, query: StoreQuery) -> list[tuple[int, float, str]]:
        """What is asked for: the part of the score, the weight, and the FTS5 expression. The
        best expression of a part counts. Groups of one alternative and one weight are asked
        for at once, since ``bm25()`` adds up what it finds."""
        together: dict[float, list[str]] = {}
        asked: list[tuple[int, float, str]] = []
        for number, group in enumerate(query.groups):
            if len(group.alternatives) == 1:
                alone = group.alternatives[0]
                together.setdefault(alone.weight, []).append(self._term(alone))
            else:
                asked += [(number, one.weight, self._term(one)) for one in group.alternatives]
        if query.phrases:
            together.setdefault(1.0, []).extend(map(self._phrase, query.phrases))
        first = len(query.groups)
        asked += [
            (first + number, weight, " OR ".join(terms))
            for number, (weight, terms) in enumerate(together.items())
        ]
        return asked

    def attainable(self, query: StoreQuery) -> float:
        """The largest score that any passage could have, by the idf of SQLite's ``bm25()``:
        next to nothing for a word in half of the passages or more."""
        passages = self.connection.execute("SELECT COUNT(*) FROM passages").fetchone()[0]

        def idf(holders: int) -> float:
            return max(math.log(max(passages - holders + 0.5, 0.5) / (holders + 0.5)), 1e-6)

        def holders(one: Alternative) -> int:
            row = self.connection.execute(
                "SELECT COUNT(*) FROM passage_terms WHERE passage_terms MATCH ?", (self._term(one),)
            ).fetchone()
            return int(row[0])

        return attainable(query, cache(holders), idf)

    def count(self, alternative: Alternative, where: Restriction, enough: int | None = None) -> int:
        """Passages that hold the term."""
        condition, values = self._condition(where, ())
        return self._count(self._term(alternative), condition, values)

    def with_prefix(self, prefix: str, where: Restriction) -> list[VocabularyTerm]:
        """Words with this prefix and their counts, none of them 0."""
        rows = self.connection.execute(
            "SELECT term FROM passage_vocabulary WHERE term >= ? AND term < ?",
            (prefix, prefix + "\U0010ffff"),
        ).fetchall()
        counted = [
            VocabularyTerm(
                term=term, passages=self.count(Alternative(kind="word", term=term), where)
            )
            for (term,) in rows
        ]
        return [found for found in counted if found.passages]

    def group_scores(
        self, group: TermGroup, where: Restriction, passage_ids: Iterable[int]
    ) -> dict[int, Explanation]:
        """What one group adds to the score of these passages, by alternative."""
        narrowed = replace(where, passage_ids=frozenset(passage_ids))
        condition, values = self._condition(narrowed, ())
        parts: dict[int, list[Explanation]] = {}
        for alternative in group.alternatives:
            rows = self._scores(self._term(alternative), alternative.weight, condition, values)
            for passage_id, score in rows:
                parts.setdefault(passage_id, []).append(
                    Explanation(label=describe(alternative), value=score)
                )
        return {passage_id: best_of(found) for passage_id, found in parts.items()}

    def phrase_scores(
        self, phrase: Phrase, where: Restriction, passage_ids: Iterable[int]
    ) -> dict[int, Explanation]:
        """What one phrase adds to the score of these passages."""
        condition, values = self._condition(replace(where, passage_ids=frozenset(passage_ids)), ())
        rows = self._scores(self._phrase(phrase), 1.0, condition, values)
        label = describe_phrase(phrase)
        return {row[0]: Explanation(label=label, value=row[1]) for row in rows}

    def _scores(
        self, match: str, weight: float, condition: str, values: list[object]
    ) -> sqlite3.Cursor:
        return self.connection.execute(
            f"WITH found AS MATERIALIZED (SELECT rowid AS id, {weight} * {self.rank} AS score "
            "FROM passage_terms WHERE passage_terms MATCH ?) "
            f"SELECT found.id, found.score FROM found {JOIN} WHERE {condition}",
            [match, *values],
        )

    def _count(self, match: str, condition: str, values: list[object]) -> int:
        if not match:
            return 0
        row = self.connection.execute(
            "SELECT COUNT(*) FROM (SELECT rowid AS id FROM passage_terms "
            f"WHERE passage_terms MATCH ?) AS found {JOIN} WHERE {condition}",
            [match, *values],
        ).fetchone()
        return int(row[0])

    def _term(self, alternative: Alternative) -> str:
        if alternative.kind == "pair":
            return f"pairs : {quoted(alternative.term)}"
        if alternative.kind == "identifier":
            return f"identifiers : {quoted(alternative.term)}"
        return f"{{title heading body context}} : {quoted(alternative.term)}"

    def _group(self, group: TermGroup) -> str:
        return "(" + " OR ".join(map(self._term, group.alternatives)) + ")"

    def _phrase(self, phrase: Phrase) -> str:
        variants = (
            f"{{title heading body}} : {quoted(' '.join(words))}" for words in phrase.variants
        )
        return "(" + " OR ".join(variants) + ")"

    def _condition(
        self, where: Restriction, phrases: tuple[Phrase, ...]
    ) -> tuple[str, list[object]]:
        condition, values = document_condition(where)
        if where.passage_ids is not None:
            condition += " AND p.id IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(sorted(where.passage_ids)))
        for phrase in phrases:
            condition += (
                " AND p.id IN (SELECT rowid FROM passage_terms WHERE passage_terms MATCH ?)"
            )
            values.append(self._phrase(phrase))
        return condition, values


JOIN = "JOIN passages p ON p.id = found.id JOIN documents d ON d.id = p.document_id"

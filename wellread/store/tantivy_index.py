"""The BM25 index in Tantivy.

One field holds the terms repeated by weight, so that one idf and one weighted length hold
for title, heading and body alike; a second, unrepeated one has positions for phrases.
Scope and filters are clauses of the query with a score of zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import tantivy
from tantivy import FieldType, Occur, Query

from wellread.errors import StoreUnavailable
from wellread.store.base import (
    Alternative,
    LexicalResult,
    PassageTerms,
    Phrase,
    ScoredPassage,
    StoreQuery,
    TermGroup,
    VocabularyTerm,
    Weights,
)
from wellread.store.lexical import (
    LexicalDocument,
    Restriction,
    attainable,
    best_of,
    describe,
    describe_phrase,
    folders,
    owner_keys,
)
from wellread.types import Explanation

TANTIVY_SCHEMA_VERSION = 1

HEAP_BYTES = 100_000_000
"""For one writer thread: larger segments at the first build, within the memory target."""

FEW_IDS = 8
"""So many ids are asked for one by one: a set is made a bitmap of all passages first."""

LOOKED_AT_FIRST = 300
"""Passages of a term that are looked at to see whether there are enough in scope."""

MOST_LOOKED_AT = 10_000
"""Passages of a term whose acls are looked at one by one to count those in scope: for so many
it takes as long as meeting them with a set of 6,000 ids (m: 3 ms)."""

SETS_KEPT = 32
"""Sets of ids kept as queries: a caller asks with the same scope again and again, and building
one of 6,000 ids takes 2.4 ms."""

MARKER = -1
"""The passage id of the marker document that carries the generation."""

IDENTIFIER_MARK = "="
"""Before whole identifiers in the weighted field, so that they are not taken for words."""

MOST_EXPLAINED = 1000
"""More passages than a page has are never explained at once."""

SEPARATOR = "\x1f"
"""Stands for the blanks within a facet."""

GAP = "\x02"
"""Between title, heading and body in the phrase field: no phrase runs across."""


IdSets = dict[tuple[str, frozenset[int]], Query]


def build_schema() -> tantivy.Schema:
    """The fields; see the module's text."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("weighted", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("pairs", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("phrases", tokenizer_name="whitespace", index_option="position")
    # All filters in one field, each value under its kind: a call for each costs more than
    # indexing it does (m: ten fields of a passage 3.4 s of 18,023 documents).
    builder.add_text_field("facets", tokenizer_name="whitespace", index_option="basic")
    # Integer, not unsigned: tantivy-py deletes nothing, silently, by an unsigned term.
    builder.add_integer_field("passage", indexed=True, fast=True)
    builder.add_integer_field("document", indexed=True)
    builder.add_integer_field("acl", indexed=True, fast=True)
    builder.add_integer_field("updated", indexed=True, fast=True)
    builder.add_integer_field("generation", fast=True)
    return builder.build()


class TantivyIndex:
    """The index in its folder, opened once per process."""

    def __init__(self, folder: Path, *, create: bool) -> None:
        if create:
            folder.mkdir(parents=True, exist_ok=True)
        try:
            if create:
                self.index = tantivy.Index(build_schema(), str(folder))
            else:
                self.index = tantivy.Index.open(str(folder))
        except ValueError as error:
            raise StoreUnavailable(
                f"The text index at {folder} cannot be opened: {error}. "
                "Run `wellread index --full` to build it anew."
            ) from error
        self.schema = self.index.schema
        self.index.config_reader("manual")
        self._sets: IdSets = {}

    def searcher(self, *, reload: bool) -> TantivySearcher:
        """The current view; ``reload`` looks for a commit of another process first."""
        if reload:
            self.index.reload()
        return TantivySearcher(self.schema, self.index.searcher(), self._sets)

    def writer(self, weights: Weights) -> TantivyWriter:
        """The only writer; its holder has the library's writer lock."""
        try:
            writer = self.index.writer(HEAP_BYTES, 1)
        except ValueError as error:
            raise StoreUnavailable(
                f"The text index cannot be written: {error}. Another process may be writing; "
                "wait for it, or stop it."
            ) from error
        return TantivyWriter(self.schema, writer, weights)


class TantivyWriter:
    """Adds and deletes whole documents; one commit per run."""

    def __init__(
        self, schema: tantivy.Schema, writer: tantivy.IndexWriter, weights: Weights
    ) -> None:
        self.schema = schema
        self.writer = writer
        self.weights = weights

    def add(self, document: LexicalDocument) -> None:
        """Index a document's passages."""
        facets = " ".join(facets_of(document))
        for passage_id, terms in document.passages:
            fields = tantivy.Document()
            fields.add_text("weighted", weighted_text(terms, self.weights))
            if self.weights.pairs:
                fields.add_text("pairs", terms.pairs)
            fields.add_text("phrases", f"{terms.title} {GAP} {terms.heading} {GAP} {terms.body}")
            fields.add_text("facets", facets)
            fields.add_integer("passage", passage_id)
            fields.add_integer("document", document.document_id)
            fields.add_integer("acl", document.acl_id)
            if document.updated is not None:
                fields.add_integer("updated", document.updated)
            with writing():
                self.writer.add_document(fields)

    def delete(self, document_id: int) -> None:
        """Remove a document's passages."""
        with writing():
            self.writer.delete_documents_by_term("document", document_id)

    def clear(self) -> None:
        """Remove every document."""
        with writing():
            self.writer.delete_all_documents()

    def commit(self, generation: int) -> None:
        """Replace the marker document and commit, in one step."""
        marker = tantivy.Document()
        marker.add_integer("passage", MARKER)
        marker.add_integer("generation", generation)
        with writing():
            self.writer.delete_documents_by_term("passage", MARKER)
            self.writer.add_document(marker)
            self.writer.commit()
            self.writer.wait_merging_threads()

    def rollback(self) -> None:
        """Forget everything since the last commit, and let go of the writer."""
        try:
            with writing():
                self.writer.rollback()
                self.writer.wait_merging_threads()
        finally:
            # Tantivy gives its lock back when the writer goes; whoever still holds this object,
            # as the traceback of an error does, must not hold the lock with it.
            del self.writer


@contextmanager
def writing() -> Iterator[None]:
    """Say what stopped the text index as our own error."""
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:  # RuntimeError: a writer that is done
        raise unwritable(error) from error


def unwritable(error: Exception) -> StoreUnavailable:
    """What stopped the text index, with the next step."""
    return StoreUnavailable(
        f"The text index could not be written: {error}. Nothing is lost: mend the cause (room "
        "on the disk, the folder's permissions) and run `wellread index` again."
    )


def facet(kind: str, value: str) -> str:
    """A value that filters may name, as one token: blanks give way to the unit separator."""
    return f"{kind}:" + SEPARATOR.join(value.split())


def facets_of(document: LexicalDocument) -> Iterator[str]:
    """Everything by which filters find a document."""
    yield facet("type", document.type)
    yield facet("state", document.state)
    yield facet("path", document.path)
    for folder in folders(document.path):
        yield facet("folder", folder)
    if document.owner:
        for owner in owner_keys(document.owner):
            yield facet("owner", owner)
    for tag in document.tags:
        yield facet("tag", tag.casefold())


def weighted_text(terms: PassageTerms, weights: Weights) -> str:
    """All terms of a passage, each as often as its place weighs."""
    parts = [terms.title] * weights.title
    parts += [terms.heading] * weights.heading
    parts += [terms.body] * weights.body
    parts += [terms.context] * weights.context
    if terms.identifiers and weights.identifier:
        marked = IDENTIFIER_MARK + terms.identifiers.replace(" ", " " + IDENTIFIER_MARK)
        parts += [marked] * weights.identifier
    return " ".join(parts)


class TantivySearcher:
    """One request's view."""

    def __init__(self, schema: tantivy.Schema, searcher: tantivy.Searcher, sets: IdSets) -> None:
        self.schema = schema
        self.searcher = searcher
        self.generation = self._read_generation()
        self._sets = sets

    def _read_generation(self) -> int:
        marker = Query.term_query(self.schema, "passage", MARKER)
        hits = self.searcher.search(marker, 1, count=False).hits
        if not hits:
            return 0
        value = self.searcher.fast_field_values("generation", [hits[0][1]])[0]
        return int(value or 0)

    def search(self, query: StoreQuery, where: Restriction, limit: int) -> LexicalResult:
        """The best passages, and the two counts."""
        restriction = self._restriction(where)
        required = [self._phrase(phrase) for phrase in query.phrases]
        groups = [self._group(group) for group in query.groups]
        wanted = self._combine(required, groups, restriction)
        found = self.searcher.search(wanted, limit, count=True)
        addresses = [address for _, address in found.hits]
        ids = self.searcher.fast_field_values("passage", addresses)
        scores = [score for score, _ in found.hits]
        hits = tuple(map(ScoredPassage, cast("list[int]", ids), scores))
        counted = [self._group(group) for group in query.groups if group.counted]
        any_group = counted_hits(found)
        if len(counted) <= 1 and len(counted) == len(groups):
            all_groups = any_group
        else:
            every = Query.const_score_query(
                Query.boolean_query(
                    [(Occur.Must, part) for part in (*required, *counted, *restriction.must)]
                    + [(Occur.MustNot, part) for part in restriction.must_not]
                ),
                1.0,
            )
            all_groups = self._count(every)
        return LexicalResult(hits=hits, any_group=any_group, all_groups=all_groups)

    def attainable(self, query: StoreQuery) -> float:
        """The largest score that any passage could have."""
        passages = self.searcher.num_docs

        def idf(holders: int) -> float:
            # Deleted passages count until their segment is merged.
            return math.log(1 + (max(passages - holders, 0) + 0.5) / (holders + 0.5))

        return attainable(query, lambda one: self.searcher.doc_freq(*field_and_term(one)), idf)

    def count(self, alternative: Alternative, where: Restriction, enough: int | None = None) -> int:
        """Passages that hold the term; of many acls no more than ``enough`` are looked for."""
        if not self._present(alternative):
            return 0
        scope = where.scope
        many = min(len(scope.hidden), len(scope.allowed)) > FEW_IDS
        only_scope = not where.filters and where.places is None and where.passage_ids is None
        if many and only_scope:
            holders = self.searcher.doc_freq(*field_and_term(alternative))
            looked_at = holders if enough is None else min(holders, LOOKED_AT_FIRST)
            if looked_at <= MOST_LOOKED_AT:
                found = self.searcher.search(self._term(alternative), looked_at, count=False).hits
                acls = self.searcher.fast_field_values("acl", [address for _, address in found])
                readable = sum(acl in scope.allowed for acl in acls)
                if looked_at == holders or (enough is not None and readable >= enough):
                    return readable
        restriction = self._restriction(where)
        wanted = self._combine([self._term(alternative)], [], restriction)
        return self._count(Query.const_score_query(wanted, 1.0))

    def with_prefix(self, prefix: str, where: Restriction) -> list[VocabularyTerm]:
        """Words with this prefix and their counts, none of them 0."""
        restriction = self._restriction(where)
        # Without a query the counts are those of the dictionary, with passages that were removed.
        everything = not restriction.must and not restriction.must_not
        only = Query.all_query() if everything else self._combine([], [], restriction)
        found = self.searcher.terms_with_prefix("weighted", prefix, filter_query=only)
        return [
            VocabularyTerm(term=term, passages=passages) for term, passages in found if passages
        ]

    def group_scores(
        self, group: TermGroup, where: Restriction, passage_ids: Iterable[int]
    ) -> dict[int, Explanation]:
        """What one group adds to the score of these passages, by alternative."""
        narrowed = self._restriction(replace(where, passage_ids=frozenset(passage_ids)))
        parts: dict[int, list[Explanation]] = {}
        for alternative in group.alternatives:
            wanted = self._combine([], [self._alternative(alternative)], narrowed)
            for passage_id, score in self._scores(wanted):
                parts.setdefault(passage_id, []).append(
                    Explanation(label=describe(alternative), value=score)
                )
        return {passage_id: best_of(found) for passage_id, found in parts.items()}

    def phrase_scores(
        self, phrase: Phrase, where: Restriction, passage_ids: Iterable[int]
    ) -> dict[int, Explanation]:
        """What one phrase adds to the score of these passages."""
        narrowed = self._restriction(replace(where, passage_ids=frozenset(passage_ids)))
        wanted = self._combine([self._phrase(phrase)], [], narrowed)
        label = describe_phrase(phrase)
        return {
            passage_id: Explanation(label=label, value=score)
            for passage_id, score in self._scores(wanted)
        }

    def _scores(self, query: Query) -> Iterator[tuple[int, float]]:
        hits = self.searcher.search(query, MOST_EXPLAINED, count=False).hits
        ids = self.searcher.fast_field_values("passage", [address for _, address in hits])
        for passage_id, (score, _) in zip(ids, hits, strict=True):
            yield int(passage_id or 0), score

    def _count(self, query: Query) -> int:
        return counted_hits(self.searcher.search(query, 1, count=True))

    # --- queries -----------------------------------------------------------------------

    def _term(self, alternative: Alternative) -> Query:
        return Query.term_query(self.schema, *field_and_term(alternative), index_option="freq")

    def _present(self, alternative: Alternative) -> bool:
        """Whether any passage of the index has the term, deleted ones included."""
        return self.searcher.doc_freq(*field_and_term(alternative)) > 0

    def _alternative(self, alternative: Alternative) -> Query:
        term = self._term(alternative)
        return term if alternative.weight == 1.0 else Query.boost_query(term, alternative.weight)

    def _group(self, group: TermGroup) -> Query:
        # Terms that no passage has add nothing but work: a disjunction of one is a plain term.
        present = [one for one in group.alternatives if self._present(one)]
        members = [self._alternative(one) for one in present or group.alternatives[:1]]
        return members[0] if len(members) == 1 else Query.disjunction_max_query(members)

    def _phrase(self, phrase: Phrase) -> Query:
        variants = [
            Query.term_query(self.schema, "phrases", words[0])
            if len(words) == 1
            else Query.phrase_query(self.schema, "phrases", list(words))
            for words in phrase.variants
        ]
        return variants[0] if len(variants) == 1 else Query.disjunction_max_query(variants)

    def _combine(
        self, required: list[Query], optional: list[Query], restriction: _Clauses
    ) -> Query:
        clauses = [(Occur.Must, part) for part in required]
        if optional and not required:
            clauses.append(
                (
                    Occur.Must,
                    Query.boolean_query([(Occur.Should, part) for part in optional]),
                )
            )
        else:
            clauses += [(Occur.Should, part) for part in optional]
        clauses += [(Occur.Must, part) for part in restriction.must]
        clauses += [(Occur.MustNot, part) for part in restriction.must_not]
        if not restriction.must and len(clauses) == 1 and clauses[0][0] is Occur.Must:
            return clauses[0][1]
        if not any(occur is Occur.Must for occur, _ in clauses):
            clauses.append((Occur.Must, Query.const_score_query(Query.all_query(), 0.0)))
        return Query.boolean_query(clauses)

    def _restriction(self, where: Restriction) -> _Clauses:
        clauses = _Clauses()
        scope, filters = where.scope, where.filters
        if not scope.everything:
            if len(scope.hidden) <= len(scope.allowed):
                clauses.must_not.append(self._among("acl", scope.hidden))
            else:
                clauses.add(self._among("acl", scope.allowed))
        for field, values in (
            ("type", filters.types),
            ("state", filters.states),
            ("owner", tuple(value.casefold() for value in filters.owners)),
            ("tag", tuple(value.casefold() for value in filters.tags)),
        ):
            if values:
                clauses.add(self._facets(field, values))
        if filters.since or filters.until:
            clauses.add(
                Query.range_query(
                    self.schema,
                    "updated",
                    FieldType.Integer,
                    filters.since.toordinal() if filters.since else None,
                    filters.until.toordinal() if filters.until else None,
                )
            )
        if where.places is not None:
            places = where.places
            clauses.add(
                Query.boolean_query(
                    [
                        (Occur.Should, self._facets("folder", places.folders)),
                        (Occur.Should, self._facets("path", places.paths)),
                        (Occur.Should, self._among("document", places.documents)),
                    ]
                )
            )
        if where.passage_ids is not None:
            clauses.add(self._among("passage", where.passage_ids))
        return clauses

    def _facets(self, kind: str, values: Iterable[str]) -> Query:
        return Query.term_set_query(self.schema, "facets", [facet(kind, value) for value in values])

    def _among(self, field: str, values: Iterable[int]) -> Query:
        wanted = list(values)
        if 0 < len(wanted) <= FEW_IDS:
            terms = [Query.term_query(self.schema, field, value) for value in wanted]
            return Query.boolean_query([(Occur.Should, term) for term in terms])
        if isinstance(values, frozenset):
            known = self._sets.get((field, values))
            if known is None:
                known = Query.term_set_query(self.schema, field, wanted)
                if len(self._sets) >= SETS_KEPT:
                    self._sets.clear()
                self._sets[field, values] = known
            return known
        return Query.term_set_query(self.schema, field, wanted)


def field_and_term(alternative: Alternative) -> tuple[str, str]:
    """Where an alternative is looked for, and as what."""
    if alternative.kind == "pair":
        return "pairs", alternative.term
    if alternative.kind == "identifier":
        return "weighted", IDENTIFIER_MARK + alternative.term
    return "weighted", alternative.term


def counted_hits(result: tantivy.SearchResult) -> int:
    """All hits of a search made with ``count=True``; the type stubs lack the attribute."""
    return int(cast(Any, result).count)


class _Clauses:
    """The clauses of a restriction; those that must hold score zero."""

    def __init__(self) -> None:
        self.must: list[Query] = []
        self.must_not: list[Query] = []

    def add(self, query: Query) -> None:
        self.must.append(Query.const_score_query(query, 0.0))

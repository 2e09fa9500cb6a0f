"""One request's view of the embedded store: one catalog transaction and one searcher."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from wellread.errors import Cancelled, VectorsRefused
from wellread.globs import any_of
from wellread.store.base import (
    Alternative,
    Coverage,
    DenseResult,
    DocumentRecord,
    DocumentText,
    FileStamp,
    LeftFile,
    LexicalResult,
    LinkRecord,
    PassagePlace,
    PassageRecord,
    Phrase,
    QueryVector,
    StoreQuery,
    TermGroup,
    VocabularyTerm,
)
from wellread.store.catalog import CatalogReader, CatalogState
from wellread.store.lexical import LexicalSearcher, Places, Restriction
from wellread.types import Explanation, Filters, Scope

if TYPE_CHECKING:
    from wellread.documents import Problem

if TYPE_CHECKING:
    from wellread.vectors import Columns, Matrix

WILDCARD = re.compile(r"[*?\[\\]")

ALL_PASSAGES = 10_000_000
"""A limit that no library reaches: used while the text index is behind the catalog."""


class EmbeddedSnapshot:
    """See ``base.Snapshot`` for what each method answers."""

    def __init__(
        self,
        catalog: CatalogReader,
        state: CatalogState,
        searcher: LexicalSearcher,
        key: str,
        matrix: Callable[[], Matrix | None],
        stop: threading.Event | None = None,
    ) -> None:
        self.catalog = catalog
        self._open_matrix = matrix
        self.state = state
        self.searcher = searcher
        self.generation = state.generation
        self.key = key
        self._stop = stop

    def _look(self) -> None:
        """Raise ``Cancelled`` where nobody waits for the answer any more."""
        if self._stop is not None and self._stop.is_set():
            raise Cancelled("The question was taken back.")

    @property
    def behind(self) -> bool:
        """Whether the text index has not yet seen the catalog's last run."""
        return self.searcher.generation != self.generation

    def lexical(
        self,
        query: StoreQuery,
        *,
        scope: Scope,
        filters: Filters,
        limit: int,
        within: frozenset[int] | None = None,
    ) -> LexicalResult:
        """The best passages, and the two counts."""
        self._look()
        if not query.groups and not query.phrases:
            return LexicalResult(hits=(), any_group=0, all_groups=0)
        where = self._where(scope, filters)
        if within is not None:
            where = replace(where, places=Places(documents=within))
        if not self.behind:
            return self.searcher.search(query, where, limit)
        return self._through_catalog(query, where, limit)

    def attainable(self, query: StoreQuery) -> float:
        """The largest score that any passage could have for a query."""
        return self.searcher.attainable(query)

    def dense(
        self,
        query: QueryVector,
        *,
        scope: Scope,
        filters: Filters,
        limit: int,
        also: Sequence[int] = (),
    ) -> DenseResult | None:
        """The nearest passages by their vectors."""
        matrix = self._open_matrix()
        if matrix is None:
            return None
        if matrix.meta.model != query.model:
            raise VectorsRefused(another_model(matrix.meta.model, query.model))
        if not matrix.meta.rows:
            return None
        documents = None
        if filters:
            documents = self.document_ids(scope=scope, filters=filters)
        return matrix.search(
            query.values,
            self._columns(matrix),
            acls=None if scope.everything else scope.allowed,
            documents=documents,
            limit=limit,
            also=also,
        )

    def coverage(self, *, scope: Scope) -> Coverage:
        """How far the passages in scope have vectors."""
        matrix = self._open_matrix()
        known = 0
        if matrix is not None:
            counts = matrix.counts(self._columns(matrix))
            known = sum(count for acl, count in counts.items() if acl in scope.allowed)
            if (matrix.meta.generation, matrix.meta.passages) == (
                self.generation,
                matrix.meta.rows,
            ):
                return Coverage(known=known, passages=known)
        passages = self.catalog.passage_counts()
        return Coverage(
            known=known,
            passages=sum(count for acl, count in passages.items() if acl in scope.allowed),
        )

    def mean_vector(self, ids: Sequence[int], *, scope: Scope) -> QueryVector | None:
        """Where the passages of these that are in scope lie together."""
        matrix = self._open_matrix()
        if matrix is None:
            return None
        mean = matrix.mean_of(sorted(self.catalog.live_passages(ids, scope=scope)))
        return None if mean is None else QueryVector(model=matrix.meta.model, values=mean)

    def _columns(self, matrix: Matrix) -> Columns:
        """What is known of each row, as of this catalog."""
        if matrix.meta.generation == self.generation:
            return matrix.columns
        return matrix.columns_at(self.generation, self.catalog.passage_rows)

    def _through_catalog(self, query: StoreQuery, where: Restriction, limit: int) -> LexicalResult:
        """Search an index of another generation: only passages that the catalog still holds,
        in this scope, are hits and are counted. Counting all words takes one search each."""
        scope = where.scope
        found = self.searcher.search(query, where, ALL_PASSAGES)
        live = self.catalog.live_passages([hit.passage_id for hit in found.hits], scope=scope)
        hits = tuple(hit for hit in found.hits if hit.passage_id in live)
        every = set(live)
        for group in query.groups:
            if group.counted:
                self._look()
                alone = StoreQuery(groups=(group,), phrases=query.phrases)
                matching = self.searcher.search(alone, where, ALL_PASSAGES)
                every &= {hit.passage_id for hit in matching.hits}
        return LexicalResult(hits=hits[:limit], any_group=len(hits), all_groups=len(every))

    def terms(
        self,
        *,
        prefix: str | None = None,
        near: str | None = None,
        scope: Scope,
        filters: Filters,
    ) -> list[VocabularyTerm]:
        """Words by prefix, or within one edit, with their counts in scope and filters."""
        self._look()
        where = self._where(scope, filters)
        if prefix is not None:
            found = self.searcher.with_prefix(prefix, where)
            if not self.behind:
                return found
            spelt = {term.term: "" for term in found}
        else:
            spelt = self._spelt_like(near or "", where)
        counted = (
            VocabularyTerm(
                term=term,
                passages=self.count(
                    Alternative(kind="word", term=term), scope=scope, filters=filters
                ),
                word=word,
            )
            for term, word in spelt.items()
        )
        return [term for term in counted if term.passages]

    def _spelt_like(self, near: str, where: Restriction) -> dict[str, str]:
        """The terms of words one edit away, and such a word that a document in scope and
        filters holds. A term is its own word; whether it is in scope its count will tell."""
        spelt: dict[str, str] = {}
        for word, term in within_one_edit(near, self.catalog.near_words(near)):
            if term in spelt and spelt[term] != term:
                continue
            if word == term:
                spelt.setdefault(term, term)
            elif self.catalog.document_ids(where, self.catalog.texts.holders(word)):
                spelt[term] = word
        return spelt

    def count(
        self,
        alternative: Alternative,
        *,
        scope: Scope,
        filters: Filters,
        enough: int | None = None,
    ) -> int:
        """Passages in scope and filters that hold the term, or ``enough`` of them."""
        self._look()
        where = self._where(scope, filters)
        if not self.behind:
            return self.searcher.count(alternative, where, enough)
        query = StoreQuery(groups=(TermGroup(alternatives=(alternative,)),))
        return self._through_catalog(query, where, 1).any_group

    def group_scores(
        self, group: TermGroup, ids: Iterable[int], *, scope: Scope, filters: Filters
    ) -> dict[int, Explanation]:
        """What one group of a query adds to the score of each passage."""
        self._look()
        return self.searcher.group_scores(group, self._where(scope, filters), ids)

    def phrase_scores(
        self, phrase: Phrase, ids: Iterable[int], *, scope: Scope, filters: Filters
    ) -> dict[int, Explanation]:
        """What one phrase of a query adds to the score of each passage."""
        self._look()
        return self.searcher.phrase_scores(phrase, self._where(scope, filters), ids)

    def places(self, ids: Sequence[int]) -> dict[int, PassagePlace]:
        """Where passages belong, of any scope: ``documents`` narrows them."""
        return self.catalog.places(ids)

    def passages(self, ids: Sequence[int], *, scope: Scope) -> dict[int, PassageRecord]:
        """Passages by id."""
        return self.catalog.passages(ids, scope=scope)

    def documents(self, ids: Iterable[int], *, scope: Scope) -> dict[int, DocumentRecord]:
        """Documents by id."""
        return self.catalog.documents(ids, scope=scope)

    def find(self, path: str, *, scope: Scope) -> DocumentRecord | None:
        """The document at a path."""
        return self.catalog.find(path, scope=scope)

    def text(self, document_id: int, *, scope: Scope) -> DocumentText | None:
        """A document with its text."""
        self._look()
        return self.catalog.text(document_id, scope=scope)

    def body(self, document_id: int, *, scope: Scope) -> str:
        """A document's text alone; empty where it is missing or outside the scope."""
        self._look()
        return self.catalog.body(document_id, scope=scope)

    def passage_ids(self, document_id: int, *, scope: Scope) -> list[int]:
        """The ids of a document's passages, in order."""
        readable = document_id in self.catalog.documents([document_id], scope=scope)
        return self.catalog.passage_ids(document_id) if readable else []

    def first_passages(self, document_id: int, *, scope: Scope) -> list[int]:
        """The id of a document's first passage, in a list of one or none."""
        return self.catalog.first_passages(document_id, scope=scope)

    def passes(self, document_id: int, *, scope: Scope, filters: Filters) -> bool:
        """Whether a document is in scope and passes the filters."""
        where = self._where(scope, filters)
        return self.catalog.passes(document_id, where)

    def count_documents(self, *, scope: Scope) -> int:
        """Documents in scope."""
        return self.catalog.count_documents(scope=scope)

    def count_passages(self, *, scope: Scope) -> int:
        """Passages of the documents in scope."""
        return self.catalog.count_passages(scope=scope)

    def governing(self, *, scope: Scope) -> tuple[DocumentRecord, ...]:
        """The documents in scope that are always on or have triggers, by path."""
        return self.catalog.governing(scope=scope)

    def find_all(self, paths: Iterable[str], *, scope: Scope) -> dict[str, DocumentRecord]:
        """The documents at these paths, those in scope."""
        return self.catalog.find_all(paths, scope=scope)

    def files(self, ids: Iterable[int], *, scope: Scope) -> dict[int, FileStamp]:
        """Where documents in scope come from, and the file's size and time when indexed."""
        return self.catalog.files(ids, scope=scope)

    def languages(self, *, scope: Scope) -> tuple[str, ...]:
        """The languages in scope."""
        return self.catalog.languages(scope=scope)

    def links_to(self, path: str, *, scope: Scope) -> tuple[LinkRecord, ...]:
        """The documents in scope that link to a path."""
        return self.catalog.links_to(path, scope=scope)

    def superseders(self, path: str, *, scope: Scope) -> tuple[DocumentRecord, ...]:
        """The documents in scope that say they supersede a path."""
        return self.catalog.superseders(path, scope=scope)

    def acls(self) -> list[tuple[int, str]]:
        """The acls in use, for ``access`` to make a scope of."""
        return self.catalog.acls()

    def acls_by_path(self) -> dict[str, str]:
        """Every document's path and acl: for an audit, never for an answer."""
        return self.catalog.acls_by_path()

    @property
    def indexed_at(self) -> str | None:
        """When the last good run ended."""
        return self.state.indexed_at

    def document_ids(
        self, *, scope: Scope, filters: Filters, among: Collection[int] | None = None
    ) -> Sequence[int]:
        """Documents in scope and filters, in path order; only those of ``among``, if given."""
        return self.catalog.document_ids(self._where(scope, filters), among)

    def candidates(self, needle: str) -> Sequence[int] | None:
        """Documents that may hold a needle, of any scope: the caller narrows them."""
        return self.catalog.texts.candidates(needle)

    def bodies(self, ids: Collection[int], *, folded: bool = False) -> Iterator[tuple[int, bytes]]:
        """The texts of documents that ``document_ids`` has given."""
        return self.catalog.texts.bodies(ids, folded=folded)

    def paths(self) -> list[str]:
        """Every document's path, whoever may read it: for the local owner."""
        return [path for _, path in self.catalog.paths()]

    def left_files(self) -> list[LeftFile]:
        """The files that are not in the library, and why: for the local owner."""
        return self.catalog.left_files()

    def acl_counts(self) -> list[tuple[str, int]]:
        """Acls in canonical form with their number of documents: for the local owner."""
        return self.catalog.acl_counts()

    def problems(self, *, scope: Scope) -> Iterator[Problem]:
        """The mistakes noted in the documents in scope, in path order."""
        return self.catalog.problems(scope=scope)

    def _where(self, scope: Scope, filters: Filters) -> Restriction:
        places = self._places(filters.paths) if filters.paths else None
        return Restriction(scope=scope, filters=filters, places=places)

    def _places(self, patterns: tuple[str, ...]) -> Places:
        folders: list[str] = []
        paths: list[str] = []
        globs: list[str] = []
        for pattern in patterns:
            plain = pattern.strip("/")
            if plain.endswith("/**") and not WILDCARD.search(plain[:-3]):
                folders.append(plain[:-3])
            elif WILDCARD.search(plain) or "/" not in plain:
                globs.append(pattern)
            else:
                folders.append(plain)
                paths.append(plain)
        documents: frozenset[int] = frozenset()
        if globs:
            test = any_of(tuple(globs))
            documents = frozenset(
                document_id for document_id, path in self.catalog.paths() if test(path)
            )
        return Places(folders=tuple(folders), paths=tuple(paths), documents=documents)


def another_model(stored: str, asked: str) -> str:
    """Vectors of two models cannot be compared: what to do about it."""
    return (
        f"The vectors of the library are of {stored}, [embeddings] names {asked}. Run `wellread "
        "index --reembed` to embed all passages anew, or name the other model again."
    )


def within_one_edit(word: str, candidates: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Those whose word differs from the given one by one edit, where a swap of neighbours is
    one (optimal string alignment)."""
    distance = osa_distance()
    for candidate in candidates:
        if distance(word, candidate[0], score_cutoff=1) == 1:
            yield candidate


@lru_cache(maxsize=1)
def osa_distance() -> Callable[..., int]:
    """The distance function, imported where a word is unknown, since most never are."""
    from rapidfuzz.distance import OSA

    return OSA.distance

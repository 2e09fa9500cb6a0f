"""What a store is asked, and what it answers. Never text: terms, filters and a scope."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from wellread.types import (
    About,
    Attachment,
    DocumentType,
    Explanation,
    Filters,
    Lifecycle,
    Scope,
    Sensitivity,
)

if TYPE_CHECKING:
    from wellread.documents import Document, Heading, Link, Passage, Problem, Section

TermKind = Literal["word", "identifier", "pair"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """How often a term of each place counts towards a passage's weighted frequency. Word pairs
    have a field of their own: 1 for an index with them, 0 for one without."""

    title: int = 5
    heading: int = 3
    body: int = 1
    identifier: int = 1
    context: int = 1
    pairs: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageTerms:
    """The analysed text of one passage as the store keeps it: terms in the order of the text,
    separated by spaces (no term contains one). Titles, headings and the body have one term
    for each position; identifiers are repeated by the weight of their place."""

    title: str
    heading: str
    body: str
    context: str
    identifiers: str
    pairs: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalyzedPassage:
    """A passage with its terms, ready to be written."""

    passage: Passage
    terms: PassageTerms


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalyzedDocument:
    """A document with its analysed passages: what the write path hands to a store."""

    document: Document
    passages: tuple[AnalyzedPassage, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Alternative:
    """One term that may stand for a query word, with its weight."""

    kind: TermKind
    term: str
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class TermGroup:
    """One query word: the best of its alternatives scores. Groups that are not ``counted``
    (word pairs, words of synonyms) add to the score, but need not match."""

    alternatives: tuple[Alternative, ...]
    counted: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrase:
    """Terms that must stand next to each other, in one of several analyses of the words."""

    variants: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class StoreQuery:
    """Groups joined with OR; every phrase is required."""

    groups: tuple[TermGroup, ...]
    phrases: tuple[Phrase, ...] = ()


class ScoredPassage(NamedTuple):
    """A passage id with its lexical score."""

    passage_id: int
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class LexicalResult:
    """The best passages in scope, and how many match any group and all of the counted ones."""

    hits: tuple[ScoredPassage, ...]
    any_group: int
    all_groups: int


class PassageRow(NamedTuple):
    """What scope, filters and the order of hits need to know of a passage with a vector."""

    id: int
    document_id: int
    acl_id: int
    language: str


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryVector:
    """A vector of length one, as a float32 array, with the name of the model that made it:
    only vectors of one model can be compared."""

    model: str
    values: Any


class DenseHit(NamedTuple):
    """A passage with the cosine of its vector to the query's, and its document's language."""

    passage_id: int
    cosine: float
    language: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DenseResult:
    """The nearest passages in scope and filters, the nearest first; ``others`` are passages that
    were asked about whatever their rank; ``medians`` the median cosine of each language's
    passages in scope; ``rows`` how many passages are in scope and filters."""

    hits: tuple[DenseHit, ...]
    others: Mapping[int, DenseHit]
    medians: Mapping[str, float]
    rows: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """How many of the passages in scope have a vector."""

    known: int
    passages: int


@dataclass(frozen=True, kw_only=True, slots=True)
class VocabularyTerm:
    """A term of the library with the number of passages in scope and filters that hold it;
    ``word`` is how it is written, where it was found by its spelling."""

    term: str
    passages: int
    word: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentRecord:
    """A document as the catalog knows it, without its text."""

    id: int
    path: str
    source: str
    title: str
    type: DocumentType
    type_written: str
    language: str
    owner: str
    domain: str
    always_on: bool
    triggers: tuple[str, ...]
    client: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    sensitivity: Sensitivity
    about: About
    lifecycle: Lifecycle
    body_line: int
    total_lines: int
    paged: bool
    indexed_at: str
    attachments: int
    key_lines: Mapping[str, int]
    metadata: Mapping[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class FileStamp:
    """A document's file as it was when indexed; ``size`` in bytes."""

    location: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftFile:
    """A file that is not in the library, and why."""

    path: str
    source: str
    failed: bool
    reason: str
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkRecord:
    """The other end of a link."""

    path: str
    title: str


class PassagePlace(NamedTuple):
    """Where a passage belongs: all that ordering hits takes."""

    id: int
    document_id: int
    section_id: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageRecord:
    """A passage resolved to its section and document."""

    id: int
    document_id: int
    section_id: int
    section_slug: str
    heading: tuple[str, ...]
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    page: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentText:
    """A document's text with everything that ``read`` shows of it."""

    record: DocumentRecord
    body: str
    headings: tuple[Heading, ...]
    sections: tuple[Section, ...]
    passages: tuple[Passage, ...]
    links: tuple[Link, ...]
    attachments: tuple[Attachment, ...]


class SnapshotState(Protocol):
    """What is known of the library as a whole, without a word of its documents."""

    @property
    def generation(self) -> int:
        """Counts the runs that changed something."""
        ...

    @property
    def indexed_at(self) -> str | None:
        """When the last good run ended, ISO 8601 in UTC."""
        ...

    @property
    def error(self) -> str | None:
        """Why the last run failed, until one succeeds."""
        ...

    @property
    def failed_at(self) -> str | None:
        """When it failed."""
        ...

    @property
    def held_back(self) -> int:
        """Deletions that wait for somebody's word."""
        ...


class Snapshot(Protocol):
    """One request's view: one searcher and one catalog state. Every method that touches
    documents takes the scope, and answers as if nothing else existed."""

    @property
    def state(self) -> SnapshotState:
        """The library's state."""
        ...

    @property
    def behind(self) -> bool:
        """Whether a part of the store has not yet seen the last run."""
        ...

    def acls(self) -> list[tuple[int, str]]:
        """The acls in use, in canonical form, for ``access`` to make a scope of."""
        ...

    def lexical(
        self,
        query: StoreQuery,
        *,
        scope: Scope,
        filters: Filters,
        limit: int,
        within: frozenset[int] | None = None,
    ) -> LexicalResult:
        """The ``limit`` best passages by BM25, and the two counts, within scope and filters;
        ``within`` stands in place of the path filter and names documents."""
        ...

    def attainable(self, query: StoreQuery) -> float:
        """The largest score that any passage could have for a query: every word at saturated
        frequency, a word that the library lacks with the largest idf there is. 0 of nothing."""
        ...

    def dense(
        self,
        query: QueryVector,
        *,
        scope: Scope,
        filters: Filters,
        limit: int,
        also: Sequence[int] = (),
    ) -> DenseResult | None:
        """The nearest passages by their vectors, and the cosines of the passages ``also``;
        ``None`` where the library has no vectors. Raises ``VectorsRefused`` where they are of
        another model or length."""
        ...

    def coverage(self, *, scope: Scope) -> Coverage:
        """How far the passages in scope have vectors."""
        ...

    def mean_vector(self, ids: Sequence[int], *, scope: Scope) -> QueryVector | None:
        """Where passages lie together; ``None`` where none of those in scope has a vector."""
        ...

    def group_scores(
        self, group: TermGroup, ids: Iterable[int], *, scope: Scope, filters: Filters
    ) -> dict[int, Explanation]:
        """What one group of a query adds to the score of each passage."""
        ...

    def phrase_scores(
        self, phrase: Phrase, ids: Iterable[int], *, scope: Scope, filters: Filters
    ) -> dict[int, Explanation]:
        """What one phrase of a query adds to the score of each passage."""
        ...

    def terms(
        self,
        *,
        prefix: str | None = None,
        near: str | None = None,
        scope: Scope,
        filters: Filters,
    ) -> list[VocabularyTerm]:
        """Terms that start with ``prefix``, or of words within one edit of ``near`` (a swap of
        neighbours is one), with their number of passages in scope and filters (never 0)."""
        ...

    def count(
        self,
        alternative: Alternative,
        *,
        scope: Scope,
        filters: Filters,
        enough: int | None = None,
    ) -> int:
        """Passages in scope and filters that hold the term; where there are ``enough``, a
        store may stop counting and answer with any number from there on."""
        ...

    def places(self, ids: Sequence[int]) -> dict[int, PassagePlace]:
        """Where passages belong; those that are gone are left out. Of any scope: ``documents``
        then tells which of them the caller may read."""
        ...

    def passages(self, ids: Sequence[int], *, scope: Scope) -> dict[int, PassageRecord]:
        """Passages by id; those outside the scope, or gone, are left out."""
        ...

    def passage_ids(self, document_id: int, *, scope: Scope) -> list[int]:
        """The ids of a document's passages, in order; none where it is outside the scope."""
        ...

    def first_passages(self, document_id: int, *, scope: Scope) -> list[int]:
        """The id of a document's first passage, in a list of one or none."""
        ...

    def documents(self, ids: Iterable[int], *, scope: Scope) -> dict[int, DocumentRecord]:
        """Documents by id; those outside the scope, or gone, are left out."""
        ...

    def passes(self, document_id: int, *, scope: Scope, filters: Filters) -> bool:
        """Whether a document is in scope and passes the filters."""
        ...

    def count_documents(self, *, scope: Scope) -> int:
        """Documents in scope."""
        ...

    def count_passages(self, *, scope: Scope) -> int:
        """Passages of the documents in scope."""
        ...

    def governing(self, *, scope: Scope) -> tuple[DocumentRecord, ...]:
        """The documents in scope that are always on or have triggers, by path."""
        ...

    def find(self, path: str, *, scope: Scope) -> DocumentRecord | None:
        """The document at a library path, or ``None`` where missing or outside the scope."""
        ...

    def find_all(self, paths: Iterable[str], *, scope: Scope) -> dict[str, DocumentRecord]:
        """The documents at these paths, those in scope."""
        ...

    def text(self, document_id: int, *, scope: Scope) -> DocumentText | None:
        """A document with its text and structure, or ``None`` as for ``find``."""
        ...

    def body(self, document_id: int, *, scope: Scope) -> str:
        """A document's text alone; empty where it is missing or outside the scope."""
        ...

    def files(self, ids: Iterable[int], *, scope: Scope) -> dict[int, FileStamp]:
        """Where documents in scope come from, and the file's size and time when indexed."""
        ...

    def links_to(self, path: str, *, scope: Scope) -> tuple[LinkRecord, ...]:
        """The documents in scope that link to a path, by path."""
        ...

    def superseders(self, path: str, *, scope: Scope) -> tuple[DocumentRecord, ...]:
        """The documents in scope that say they supersede a path, by path."""
        ...

    def languages(self, *, scope: Scope) -> tuple[str, ...]:
        """The languages of the documents in scope, by ISO 639-1 code, sorted."""
        ...

    @property
    def indexed_at(self) -> str | None:
        """When the last good run ended, ISO 8601 in UTC."""
        ...

    def document_ids(
        self, *, scope: Scope, filters: Filters, among: Collection[int] | None = None
    ) -> Sequence[int]:
        """Documents in scope and filters, in path order; only those of ``among``, if given."""
        ...

    def candidates(self, needle: str) -> Sequence[int] | None:
        """Documents that may hold a needle, of any scope: the caller narrows them. ``None``
        where every text has to be looked at."""
        ...

    def bodies(self, ids: Collection[int], *, folded: bool = False) -> Iterator[tuple[int, bytes]]:
        """The texts of documents that ``document_ids`` has given, as UTF-8."""
        ...

    def problems(self, *, scope: Scope) -> Iterator[Problem]:
        """The mistakes noted in the documents in scope, in path order."""
        ...

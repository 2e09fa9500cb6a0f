"""The shapes that travel between modules: frozen, keyword-only, and free of behaviour.

Offsets are character offsets into ``Document.body`` (NFC, ``\\n`` line ends), half-open.
Lines are those an editor shows, counted from 1, frontmatter included. Dates are days.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, get_args

DocumentType = Literal["guideline", "playbook", "reference", "template", "brief"]
State = Literal["draft", "in-review", "approved", "deprecated", "archived"]
StandingWord = Literal["draft", "in-review", "approved", "deprecated", "archived", "superseded"]
About = Literal["ours", "third-party", "hypothetical"]
Sensitivity = Literal["public", "internal", "confidential", "personal", "regulated"]
StandingName = Literal[
    "current",
    "overdue",
    "not-yet-valid",
    "draft",
    "in-review",
    "expired",
    "superseded",
    "deprecated",
    "archived",
]
Outcome = Literal[
    "found",
    "nothing-found",
    "nothing-with-filters",
    "nothing-answers",
    "index-empty",
    "index-stale",
    "index-failed",
]

TYPES: tuple[DocumentType, ...] = ("guideline", "playbook", "reference", "template", "brief")
STATES: tuple[State, ...] = ("draft", "in-review", "approved", "deprecated", "archived")

SENSITIVITIES: tuple[Sensitivity, ...] = get_args(Sensitivity)
"""From the least to the most."""

SENSITIVE: tuple[Sensitivity, ...] = ("confidential", "personal", "regulated")
"""Those that are shown, make cautious, and may be kept for a purpose."""

EVERYONE = "everyone"
"""The reserved group that every signed-in caller belongs to."""


# --- documents -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Acl:
    """Who may read a document: every clause must admit the caller, and no denied name may.

    A clause is a set of principals (groups, or ``user:NAME``), NFC and casefolded; an empty
    clause admits nobody. No clause at all would admit everybody and is never built.
    """

    clauses: tuple[frozenset[str], ...]
    deny: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class DefaultRule:
    """A ``[[defaults]]`` entry: frontmatter values for the documents whose path matches."""

    path: str
    values: Mapping[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingRules:
    """Which conventions of others are read in the text of a page: ``headers`` like those of
    PEPs, and ``notices`` that begin in the first ``notice_lines`` lines of text. ``words`` maps a
    casefolded word of a status to what it means, ``phrases`` one that begins a notice."""

    headers: bool = True
    notices: bool = True
    notice_lines: int = 12
    words: Mapping[str, StandingWord] = field(default_factory=dict)
    phrases: Mapping[str, StandingWord] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class AuthorityRule:
    """An ``[[authority.rules]]`` entry: the authority, 1 to 5, of a document that fits all that
    is said. Texts are casefolded patterns, of which one must fit; ``None`` asks nothing.
    ``approved``: whether somebody has signed it off."""

    name: str
    authority: int
    type: tuple[str, ...] | None = None
    owner: tuple[str, ...] | None = None
    author: tuple[str, ...] | None = None
    by: tuple[str, ...] | None = None
    approved_by: tuple[str, ...] | None = None
    approved_under: tuple[str, ...] | None = None
    approved: bool | None = None
    path: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ParseRules:
    """What of the configuration changes how a file is parsed: part of a document's
    fingerprint. ``type_aliases`` maps a casefolded word to a type; the first of ``authority``
    that fits decides."""

    type_aliases: Mapping[str, DocumentType] = field(default_factory=dict)
    defaults: tuple[DefaultRule, ...] = ()
    standing: StandingRules = field(default_factory=StandingRules)
    authority: tuple[AuthorityRule, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessRule:
    """An ``[[access.rules]]`` entry. ``allow`` is ``None`` where the key is absent; an empty one
    admits nobody. Names as written."""

    path: str
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessRules:
    """The access policy of a library: who reads a document without ``access``, and the rules of
    folders, all of which must admit a caller."""

    default: tuple[str, ...] = (EVERYONE,)
    rules: tuple[AccessRule, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Attachment:
    """A file tied to a document; ``path`` is a library path."""

    path: str
    kind: str
    title: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Lifecycle:
    """What standing is computed from, as the document itself says it.

    ``supersedes`` and ``superseded_by`` are library paths, resolved against the document.
    ``state_explicit`` is false where the state was left out and ``approved`` was assumed.
    ``approved_by`` and ``approved_on`` are for the words of a reason only. ``said`` tells for
    ``state``, ``superseded``, ``valid_until``, ``review_by`` and ``authority`` in which words the
    document said so, where not in those keys.
    """

    state: State = "approved"
    state_explicit: bool = False
    authority: int = 3
    time_sensitive: bool = True
    updated: date | None = None
    review_by: date | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    approved_by: str = ""
    approved_on: date | None = None
    said: Mapping[str, str] = field(default_factory=dict)


# --- callers -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Who asks. ``owner`` is the local owner, who reads everything."""

    subject: str | None
    groups: frozenset[str] = frozenset()
    owner: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """What one caller may read in one generation of one catalog: a set of acl ids. Another
    catalog, be it at the same place, counts its ids and generations anew.

    Made only by ``access``. ``hidden`` is the complement among the acls in use, so that a
    store can send the shorter list; ``everything`` means that no filter is needed.
    """

    caller: Caller
    generation: int
    allowed: frozenset[int]
    hidden: frozenset[int]
    catalog: str = ""

    @property
    def everything(self) -> bool:
        """Whether no document in use is hidden from the caller."""
        return not self.hidden


# --- queries and answers -------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """Narrows a search; values of one field are alternatives, fields are joined with AND.

    ``paths`` are globs (``**`` crosses folders); ``since`` and ``until`` are inclusive and
    compare with ``updated``; an ``owner`` matches the whole value or the part before ``@``.
    """

    types: tuple[DocumentType, ...] = ()
    states: tuple[State, ...] = ()
    owners: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None

    def __bool__(self) -> bool:
        return bool(
            self.types
            or self.states
            or self.owners
            or self.tags
            or self.paths
            or self.since
            or self.until
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What a document is worth today; ``reasons`` lists all that hold, the worst first.

    ``successor`` is the path that stands in its place, where the caller may read it.
    """

    name: StandingName
    reasons: tuple[str, ...] = ()
    successor: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One result of ``search``. ``score`` is raw for a caller who reads everything, for
    others the share of the first hit's. ``further`` counts more hits of the same document.
    """

    path: str
    section: str
    lines: tuple[int, int]
    pdf_page: int | None
    title: str
    heading: tuple[str, ...]
    snippet: str
    score: float
    type: DocumentType
    type_written: str
    state: State
    state_explicit: bool
    standing: Standing
    updated: date | None
    indexed_at: str
    attachments: int
    further: int
    context_line: str
    explanation: Explanation | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """A named part of a score; the values of ``parts`` sum to ``value`` where ``op`` is
    ``sum``, and the largest of them is ``value`` where it is ``max``."""

    label: str
    value: float
    op: Literal["term", "sum", "max"] = "term"
    parts: tuple[Explanation, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """Passages in scope and filters that match all words of the query, and any of them."""

    all_words: int
    any_word: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """What ``search`` returns. ``left_out`` counts hits beyond this page; ``more_exist`` says
    that the window was full. ``without_filters`` counts what the filters removed, where they
    removed all: the filter's name, and passages in scope without it. ``notes`` are sentences
    for the reader: what was expanded, what is held back. ``synonyms`` are lines like
    ``day off → unpaid leave`` for what the dictionary added."""

    outcome: Outcome
    hits: tuple[Hit, ...]
    counts: Counts
    left_out: int
    more_exist: bool
    next_page: str | None
    indexed_at: str | None
    suggestions: tuple[str, ...] = ()
    without_filters: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    effective_query: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What was made of a result for whoever asked: its tokens, and how many of the hits or
    lines are in it."""

    tokens: int
    shown: int

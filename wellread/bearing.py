"""Everything in scope that may bear on a task: what was retrieved, what is always on, what has
a trigger in the task, and what stands in the place of another. Nothing is judged here yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from wellread.delivery import Reach
from wellread.documents import Passage, Section
from wellread.folding import fold
from wellread.governed import Signals, TriggerMatch, governed_score, overlap
from wellread.languages import detect_language
from wellread.query import Query
from wellread.relevance import PassageText, Relevance, Weigher
from wellread.standing import standings_in
from wellread.stems import stem
from wellread.store.base import DocumentRecord, DocumentText, Snapshot
from wellread.terms import index_terms
from wellread.types import Explanation, Filters, Scope, Standing

CONSIDERED = 100
"""Passages weighed, half the window of a search: the rest is far below the floor."""

ALL_DOMAINS = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Bearing:
    """A section that may bear on the task, with its best passage. ``score`` is governed."""

    document: DocumentText
    section: Section
    passage: Passage
    standing: Standing
    reach: Reach
    relevance: Relevance
    overlap: float
    score: Explanation

    @property
    def record(self) -> DocumentRecord:
        """The document without its text."""
        return self.document.record

    @property
    def handle(self) -> str:
        """What ``read`` takes."""
        return f"{self.record.path}#{self.section.slug}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Domain:
    """The domain of a task, empty where there is none, and how it was found."""

    name: str
    found_by: str


class Bearings:
    """Gathers what bears on one task, for one caller, on one day."""

    def __init__(
        self, query: Query, *, snapshot: Snapshot, scope: Scope, as_of: date, domain: str | None
    ) -> None:
        self._query = query
        self._snapshot = snapshot
        self._scope = scope
        self._as_of = as_of
        self._weigher = Weigher(query, snapshot=snapshot, scope=scope)
        self._texts: dict[int, DocumentText] = {}
        self._governing = snapshot.governing(scope=scope)
        self._triggers = {
            record.id: matches
            for record in self._governing
            if (matches := triggers_in(query.text, record.triggers))
        }
        self.idf = self._weigher.idf
        self.domain = Domain(name="", found_by="")
        self._given_domain = domain

    def gather(self) -> list[Bearing]:
        """Sections that may bear on the task, best first, each with its standing. Documents
        that are superseded or deprecated are among them, and so are their successors."""
        ids = self._retrieved()
        passages = self._passages(ids)
        self.domain = self._domain(passages)
        reached: dict[int, Reach] = {one.record.id: "retrieved" for one, _ in passages}
        for record in self._governing:
            if record.id in self._triggers:
                reached.setdefault(record.id, "triggered")
            elif self._always_on(record):
                reached.setdefault(record.id, "always-on")
        records = self._snapshot.documents(reached, scope=self._scope)
        standing = self._standings(records.values())
        for successor in dict.fromkeys(one.successor for one in standing.values() if one.successor):
            found = self._snapshot.find(successor, scope=self._scope)
            if found is not None and found.id not in records:
                records[found.id] = found
                reached[found.id] = "successor"
        standing |= self._standings(records.values())
        retrieved = {one.record.id for one, _ in passages}
        for identity in reached:
            if identity not in retrieved:
                passages += self._all_passages(identity)
        return self._sections(passages, standing, reached)

    # --- where passages come from --------------------------------------------------------

    def _retrieved(self) -> list[int]:
        if self._query.empty:
            return []
        found = self._snapshot.lexical(
            self._query.store, scope=self._scope, filters=Filters(), limit=CONSIDERED
        )
        return [hit.passage_id for hit in found.hits]

    def _passages(self, ids: Sequence[int]) -> list[tuple[DocumentText, Passage]]:
        found = []
        records = self._snapshot.passages(ids, scope=self._scope)
        for identity in ids:
            record = records.get(identity)
            document = self._text(record.document_id) if record is not None else None
            if record is None or document is None:
                continue
            place = (record.char_start, record.char_end)
            passage = next(
                (one for one in document.passages if (one.char_start, one.char_end) == place), None
            )
            if passage is not None:
                found.append((document, passage))
        return found

    def _all_passages(self, document_id: int) -> list[tuple[DocumentText, Passage]]:
        document = self._text(document_id)
        return [(document, one) for one in document.passages] if document is not None else []

    def _text(self, document_id: int) -> DocumentText | None:
        if document_id not in self._texts:
            document = self._snapshot.text(document_id, scope=self._scope)
            if document is None:
                return None
            self._texts[document_id] = document
        return self._texts[document_id]

    def _standings(self, records: Iterable[DocumentRecord]) -> dict[str, Standing]:
        return standings_in(self._snapshot, records, scope=self._scope, today=self._as_of)

    # --- what they are worth --------------------------------------------------------------

    def _sections(
        self,
        passages: Sequence[tuple[DocumentText, Passage]],
        standing: dict[str, Standing],
        reached: dict[int, Reach],
    ) -> list[Bearing]:
        weighed = self._weigher.weigh([passage_text(*one) for one in passages])
        best: dict[tuple[int, int], Bearing] = {}
        for (document, passage), relevance in zip(passages, weighed, strict=True):
            record = document.record
            share = overlap(relevance.present, self.idf)
            bearing = Bearing(
                document=document,
                section=document.sections[passage.section],
                passage=passage,
                standing=standing[record.path],
                reach=reached[record.id],
                relevance=relevance,
                overlap=share,
                score=governed_score(
                    Signals(
                        similarity=relevance.similarity,
                        overlap=share,
                        measure="words",
                        always_on=self._always_on(record),
                        triggers=self._triggers.get(record.id, ()),
                    )
                ),
            )
            key = (record.id, passage.section)
            if key not in best or bearing.score.value > best[key].score.value:
                best[key] = bearing
        return sorted(best.values(), key=lambda one: (-one.score.value, one.handle))

    def _always_on(self, record: DocumentRecord) -> bool:
        return record.always_on and (
            fold(record.domain) == ALL_DOMAINS
            or bool(self.domain.name and fold(record.domain) == fold(self.domain.name))
        )

    def _domain(self, passages: Sequence[tuple[DocumentText, Passage]]) -> Domain:
        """Given by the caller, else that of most triggers, else that of most of the first hits."""
        if self._given_domain:
            return Domain(name=self._given_domain, found_by="as given")
        triggered = [record.domain for record in self._governing if record.id in self._triggers]
        first = list(dict.fromkeys(one.record.id for one, _ in passages))[:FIRST_DOCUMENTS]
        near = [self._texts[identity].record.domain for identity in first]
        for domains, how in ((triggered, "triggers"), (near, "the best hits")):
            named = [one for one in domains if one and fold(one) != ALL_DOMAINS]
            if named:
                most = max(dict.fromkeys(named), key=named.count)
                if how == "triggers" or named.count(most) * 2 > len(near):
                    return Domain(name=most, found_by=f"from {how}")
        return Domain(name="", found_by="no trigger, and the best hits name no common one")


FIRST_DOCUMENTS = 5
"""Documents whose domains are looked at: those of a first page, of which most must agree."""


def passage_text(document: DocumentText, passage: Passage) -> PassageText:
    """What a passage is weighed by."""
    return PassageText(
        title=document.record.title,
        heading=" ".join(passage.heading),
        text=document.body[passage.char_start : passage.char_end],
        language=document.record.language,
    )


def triggers_in(task: str, triggers: Sequence[str]) -> tuple[TriggerMatch, ...]:
    """The triggers that a task holds, as written or in another form of their words."""
    language = detect_language(task)
    said = f" {' '.join(_folded(task))} "
    stems = f" {' '.join(index_terms(task, language)[0])} "
    found = []
    for trigger in triggers:
        words = _folded(trigger)
        if not words:
            continue
        if f" {' '.join(words)} " in said:
            found.append(TriggerMatch(trigger=trigger, exact=True))
        elif f" {' '.join(stem(word, language) for word in words)} " in stems:
            found.append(TriggerMatch(trigger=trigger, exact=False))
    return tuple(found)


def _folded(text: str) -> list[str]:
    """The words of a text, folded and unstemmed."""
    return [fold(word) for word in "".join(c if c.isalnum() else " " for c in text).split()]

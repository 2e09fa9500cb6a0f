"""Questions asked, and their answers judged: each question by its own caller."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol, TypeVar

from wellread.access import identify
from wellread.audit import Audit, named_paths
from wellread.config import Config
from wellread.library import NO_FILTERS, Library
from wellread.measures import DEPTH, MEASURES, measured
from wellread.output import Line
from wellread.questions import Misplaced, Question, document_of, misplaced
from wellread.show import search_lines
from wellread.tokens import estimate
from wellread.types import Caller

SHOWN = 8
"""Hits of a page, as an agent gets it: what tokens and milliseconds are measured on."""

SEEN_FIRST = 5
"""Documents among which success is looked for, as in success@5."""

DEEP = 30
"""Hits that hold ten documents for certain: a document has three at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a search gave: the handles of the first page as they were shown; every document
    that the answer names; the documents of a longer page by their best passages; tokens of
    the first page, and milliseconds that it took. ``degraded`` says what it had to do without."""

    handles: tuple[str, ...]
    named: tuple[str, ...]
    ranking: tuple[str, ...]
    tokens: int
    milliseconds: float
    degraded: tuple[str, ...] = ()


class Searcher(Protocol):
    """Something that can be asked a question; a library, or another recipe."""

    def ask(self, text: str, caller: Caller) -> Answer:
        """Search as the caller."""
        ...


class LibrarySearcher:
    """A library as what is measured."""

    def __init__(self, library: Library, today: date) -> None:
        self.library = library
        self.today = today

    def ask(self, text: str, caller: Caller) -> Answer:
        """One page as an agent gets it, and a longer one to rank documents by."""
        library = self.library
        scope = library.scope(caller)
        started = time.perf_counter()
        page = library.search(text, scope=scope, today=self.today, limit=SHOWN)
        milliseconds = (time.perf_counter() - started) * 1000
        deep = page
        if page.left_out:
            # Nobody reads this one, and whole passages spare it the snippets (m: 6 for 24 ms).
            deep = library.search(text, scope=scope, today=self.today, limit=DEEP, detail="passage")
        return Answer(
            handles=tuple(hit.section for hit in page.hits),
            named=tuple(dict.fromkeys((*named_paths(page), *named_paths(deep)))),
            ranking=tuple(dict.fromkeys(hit.path for hit in deep.hits)),
            tokens=estimate(text_of(search_lines(page, explain=False))),
            milliseconds=milliseconds,
            degraded=tuple(note for note in page.notes if note.startswith("degraded")),
        )


def text_of(lines: Iterable[Line]) -> str:
    """Lines as the text that somebody reads."""
    return "\n".join("".join(text for text, _ in line.spans) for line in lines)


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """A question with its answer. ``measures`` are those of ``measures.MEASURES``, none for a
    control question; ``decoy_led`` is ``None`` without decoys; ``forbidden`` are places
    that must not be found and were; ``leaked`` are documents outside the caller's scope."""

    question: Question
    answer: Answer
    measures: Mapping[str, float] = field(default_factory=dict)
    decoy_led: bool | None = None
    forbidden: tuple[str, ...] = ()
    leaked: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether a person should look at it: nothing expected among the first five
        documents, or something that must not be there."""
        missed = not self.question.control and not self.measures["success@5"]
        return missed or bool(self.forbidden or self.leaked)


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """All results, and what is wrong with the questions: places that the library does not
    have, and questions whose caller may read nothing of what they expect."""

    results: tuple[Result, ...]
    misplaced: tuple[Misplaced, ...] = ()
    unreadable: tuple[Question, ...] = ()

    @property
    def asked(self) -> list[Result]:
        """The results of questions that expect something."""
        return [one for one in self.results if not one.question.control]

    @property
    def controls(self) -> list[Result]:
        """The results of control questions."""
        return [one for one in self.results if one.question.control]

    @property
    def degraded(self) -> list[Result]:
        """The results that lack a model that the configuration names, or vectors of passages."""
        return [one for one in self.results if one.answer.degraded]

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure over the questions that expect something."""
        return means(self.asked)

    @property
    def decoy_rate(self) -> float | None:
        """The share of questions with decoys where one stands above all that is expected."""
        led = [one.decoy_led for one in self.results if one.decoy_led is not None]
        return sum(led) / len(led) if led else None

    @property
    def leak_rate(self) -> float:
        """The share of named documents that lie outside their callers' scopes; 0 is right."""
        named = sum(len(one.answer.named) for one in self.results)
        return sum(len(one.leaked) for one in self.results) / named if named else 0.0

    @property
    def clean_controls(self) -> int:
        """Control questions whose answers have no trace of what must not be found."""
        return sum(not one.forbidden and not one.leaked for one in self.controls)

    @property
    def rankings(self) -> dict[str, tuple[str, ...]]:
        """The first documents of every question that expects something, by its id."""
        return {one.question.id: one.answer.ranking[:DEPTH] for one in self.asked}


def means(results: Sequence[Result]) -> dict[str, float]:
    """The mean of each measure; empty for no results."""
    if not results:
        return {}
    return {name: statistics.fmean(one.measures[name] for one in results) for name in MEASURES}


Grouped = TypeVar("Grouped")


def grouped(found: Iterable[Grouped], key: Callable[[Grouped], str]) -> dict[str, list[Grouped]]:
    """Results or questions by a property, in the order of its first appearance; those without
    it are left out."""
    groups: dict[str, list[Grouped]] = {}
    for one in found:
        if key(one):
            groups.setdefault(key(one), []).append(one)
    return groups


def callers_of(
    questions: Iterable[Question], config: Config, default: Caller
) -> dict[str | None, Caller]:
    """The caller of each subject that asks; ``default`` where a question names none. Raises
    ``UnknownSubject``."""
    groups = config.groups()
    return {None: default} | {
        question.subject: identify(
            question.subject, None, None, transport="cli", groups=lambda: groups
        )
        for question in questions
        if question.subject is not None
    }


def evaluate(
    questions: Sequence[Question],
    searcher: Searcher,
    *,
    callers: Mapping[str | None, Caller],
    audit: Audit,
    asked: Callable[[int], None] | None = None,
) -> Evaluation:
    """Every question asked once. ``asked`` is told how many have been. Raises
    ``MissingExtra`` before the first, where the library of measures is not installed."""
    measured({}, {})
    answers = {}
    for number, question in enumerate(questions, start=1):
        answers[question.id] = searcher.ask(question.text, callers[question.subject])
        if asked is not None:
            asked(number)
    return judged(questions, answers, callers=callers, audit=audit)


def judged(
    questions: Sequence[Question],
    answers: Mapping[str, Answer],
    *,
    callers: Mapping[str | None, Caller],
    audit: Audit,
) -> Evaluation:
    """Answers held against what the questions expect and forbid."""
    values = measured(
        {name: answer.ranking for name, answer in answers.items()},
        {question.id: question.documents for question in questions if not question.control},
    )
    return Evaluation(
        results=tuple(
            Result(
                question=question,
                answer=answers[question.id],
                measures=values.get(question.id, {}),
                decoy_led=decoy_led(question, answers[question.id].ranking),
                forbidden=forbidden_in(question, answers[question.id]),
                leaked=audit.outside(callers[question.subject], answers[question.id].named),
            )
            for question in questions
        ),
        unreadable=tuple(
            question
            for question in questions
            if not question.control
            and any(path in audit.acls for path in question.documents)
            and not any(audit.admits(callers[question.subject], p) for p in question.documents)
        ),
    )


def decoy_led(question: Question, ranking: Sequence[str]) -> bool | None:
    """Whether a decoy stands above everything that is expected; ``None`` without decoys."""
    decoys = {document_of(place) for place in question.must_not_lead}
    if not decoys:
        return None
    for path in ranking:
        if path in question.documents:
            return False
        if path in decoys:
            return True
    return False


def forbidden_in(question: Question, answer: Answer) -> tuple[str, ...]:
    """What must not be found and is named by the answer; a section only by its handle."""
    return tuple(
        place
        for place in question.must_not_find
        if (place in answer.handles if "#" in place else place in answer.named)
    )


def library_facts(library: Library) -> tuple[Audit, dict[str, tuple[str, ...]]]:
    """For an audit and a check of the questions: every document's acl, and the slugs of its
    headings and sections. Raises ``NoIndex``."""
    scope = library.scope(Caller(subject=None, owner=True))
    known: dict[str, tuple[str, ...]] = {}
    with library.snapshot() as snapshot:
        acls = snapshot.acls_by_path()
        for document_id in snapshot.document_ids(scope=scope, filters=NO_FILTERS):
            text = snapshot.text(document_id, scope=scope)
            if text is not None:
                slugs = (*(one.slug for one in text.headings), *(s.slug for s in text.sections))
                known[text.record.path] = slugs
    return Audit(acls=acls), known


def evaluate_library(
    questions: Sequence[Question],
    library: Library,
    *,
    caller: Caller,
    today: date,
    asked: Callable[[int], None] | None = None,
) -> Evaluation:
    """A library asked all questions; ``caller`` asks those that name nobody. Raises
    ``UnknownSubject``, ``NoIndex`` and ``MissingExtra``."""
    from dataclasses import replace

    callers = callers_of(questions, library.config, caller)
    audit, known = library_facts(library)
    evaluation = evaluate(
        questions, LibrarySearcher(library, today), callers=callers, audit=audit, asked=asked
    )
    return replace(evaluation, misplaced=tuple(misplaced(questions, known)))

"""How near passages are to a task, by words alone, weighed within one caller's scope.

A store ranks by the idf of the whole library, which hidden documents may move. What ``context``
delivers must not depend on them, so passages are weighed anew here: BM25 with the idf of
the scope, over the most that the task's words could attain (DESIGN, section 6: ``L``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wellread.query import Query
from wellread.store.base import Snapshot, TermGroup, Weights
from wellread.terms import index_terms
from wellread.types import Filters, Scope

K1 = 1.2
B = 0.75
"""Those of every engine (DESIGN, section 5)."""

_WEIGHTS = Weights()


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageText:
    """What a passage is weighed by; ``heading`` is its heading path in one text."""

    title: str
    heading: str
    text: str
    language: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Relevance:
    """``similarity`` is ``L``, 0 to 1; ``present`` are the words of the task that the passage
    holds, as written."""

    similarity: float
    present: frozenset[str]


class Weigher:
    """The words of one task with their idf in one scope."""

    def __init__(self, query: Query, *, snapshot: Snapshot, scope: Scope) -> None:
        self._query = query
        self._passages = snapshot.count_passages(scope=scope)
        counted = [at for at, group in enumerate(query.store.groups) if group.counted]
        self._written = dict(zip(counted, query.words, strict=True))
        self._idf = {at: self._idf_of(query.store.groups[at], snapshot, scope) for at in counted}

    @property
    def idf(self) -> Mapping[str, float]:
        """The idf of each word of the task, as written."""
        return {self._written[at]: idf for at, idf in self._idf.items()}

    def weigh(self, passages: Sequence[PassageText]) -> list[Relevance]:
        """The relevance of each passage, in their order. Lengths are taken against the mean
        of these passages, which are all in scope."""
        counted = [_Counted(passage, self._query) for passage in passages]
        mean = sum(one.length for one in counted) / len(counted) if counted else 1.0
        most = sum(self._idf.values()) * (K1 + 1)
        return [self._weigh(one, mean or 1.0, most) for one in counted]

    def _weigh(self, passage: _Counted, mean: float, most: float) -> Relevance:
        score = 0.0
        norm = K1 * (1 - B + B * passage.length / mean)
        for at, (frequency, weight) in passage.groups.items():
            if at in self._idf:
                score += weight * self._idf[at] * frequency * (K1 + 1) / (frequency + norm)
        present = frozenset(self._written[at] for at in passage.groups if at in self._written)
        return Relevance(similarity=min(score / most, 1.0) if most else 0.0, present=present)

    def _idf_of(self, group: TermGroup, snapshot: Snapshot, scope: Scope) -> float:
        held = max(
            (
                snapshot.count(one, scope=scope, filters=Filters())
                for one in group.alternatives
                if one.weight >= max(each.weight for each in group.alternatives)
            ),
            default=0,
        )
        held = min(held, self._passages)
        return math.log(1 + (self._passages - held + 0.5) / (held + 0.5))


class _Counted:
    """A passage's weighted length, and for each group the frequency and weight of the term
    that counts most."""

    def __init__(self, passage: PassageText, query: Query) -> None:
        self.length = 0.0
        self.groups: dict[int, tuple[float, float]] = {}
        frequencies: Counter[tuple[int, str, float]] = Counter()
        for text, times in (
            (passage.title, _WEIGHTS.title),
            (passage.heading, _WEIGHTS.heading),
            (passage.text, _WEIGHTS.body),
        ):
            words, identifiers = index_terms(text, passage.language)
            self.length += times * len(words)
            for terms, known in ((words, query.matches), (identifiers, query.identifiers)):
                for term in terms:
                    match = known.get(term)
                    if match is not None:
                        frequencies[(match.group, term, match.weight)] += times
        for (group, _, weight), frequency in frequencies.items():
            best = self.groups.get(group)
            if best is None or weight * frequency > best[1] * best[0]:
                self.groups[group] = (float(frequency), weight)

"""What is wrong with a dictionary: entries that mislead, repeat each other or do nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wellread.documents import Problem
from wellread.query import build_query
from wellread.store.base import Snapshot
from wellread.synonyms import Rule, Synonyms, Terms, Written, terms_of, vanishes
from wellread.types import Filters, Scope

LARGEST_SHARE = 0.1
"""Of all passages: what a query of other words then finds is no longer about it."""

FEWEST_PASSAGES = 100
"""Below, a tenth is what any word of a small folder's subject is in."""


def of_synonyms(
    synonyms: Synonyms, snapshot: Snapshot, *, scope: Scope, name: str, passages: int
) -> Iterator[Problem]:
    """Mistakes of a dictionary, under the name of its file; ``passages`` is their number in
    the library."""
    yield from synonyms.problems
    languages = snapshot.languages(scope=scope) or ("en",)

    def key(phrase: Written) -> Terms:
        return terms_of(phrase.text, languages)

    def problem(phrase: Written, code: str, fact: str, remedy: str) -> Problem:
        return Problem(
            path=name,
            line=phrase.line,
            code=f"synonyms-{code}",
            message=f"{phrase.text!r} in {name}:{phrase.line} {fact}. {remedy}",
        )

    for phrase in _phrases(synonyms):
        if vanishes(phrase.text):
            yield problem(
                phrase,
                "vanishes",
                "has no word that is looked for",
                "Write more of it, or an acronym in capitals.",
            )
    yield from _repeated(synonyms, key, problem)
    yield from _circles(synonyms, key, problem)
    if passages >= FEWEST_PASSAGES:
        for phrase in _looked_for(synonyms, key):
            count = passages_with(phrase.text, snapshot, scope)
            if count > LARGEST_SHARE * passages:
                yield problem(
                    phrase,
                    "too-common",
                    f"is in {count} of {passages} passages",
                    "Name something rarer: this finds too much for the words it stands beside.",
                )


_Key = Callable[[Written], Terms]
_Made = Callable[[Written, str, str, str], Problem]


def _phrases(synonyms: Synonyms) -> Iterator[Written]:
    for group in synonyms.groups:
        yield from group
    for rule in synonyms.one_way:
        yield rule.needle
        yield from rule.replacements


def _looked_for(synonyms: Synonyms, key: _Key) -> Iterator[Written]:
    """What queries of other words are expanded with, each once."""
    seen: set[Terms] = set()
    for rule in synonyms.rules():
        for phrase in rule.replacements:
            if key(phrase) not in seen and not vanishes(phrase.text):
                seen.add(key(phrase))
                yield phrase


def passages_with(phrase: str, snapshot: Snapshot, scope: Scope) -> int:
    """Passages with all words of a phrase."""
    query = build_query(phrase, snapshot=snapshot, scope=scope, filters=Filters())
    found = snapshot.lexical(query.store, scope=scope, filters=Filters(), limit=1)
    return found.all_groups


def _repeated(synonyms: Synonyms, key: _Key, problem: _Made) -> Iterator[Problem]:
    """The same phrase, by its terms, where it says nothing new."""
    remedy = "Remove one, or join the two."
    grouped: dict[Terms, tuple[int, Written]] = {}
    for number, group in enumerate(synonyms.groups):
        for phrase in group:
            other = grouped.setdefault(key(phrase), (number, phrase))
            if other[1] is not phrase:
                same = "the same group" if other[0] == number else "another group"
                fact = f"is in {same} already, as {other[1].text!r} in line {other[1].line}"
                yield problem(phrase, "duplicate", fact, remedy)
    rules: dict[Terms, Rule] = {}
    for rule in synonyms.one_way:
        first = rules.setdefault(key(rule.needle), rule)
        if first is not rule:
            yield problem(
                rule.needle, "duplicate", f"has a rule in line {first.needle.line}", remedy
            )
        known: set[Terms] = {key(rule.needle)}
        for phrase in rule.replacements:
            ours = grouped.get(key(rule.needle))
            theirs = grouped.get(key(phrase))
            if key(phrase) in known:
                yield problem(phrase, "duplicate", "is said twice in one rule", remedy)
            elif ours and theirs and ours[0] == theirs[0]:
                fact = f"is in one group with {rule.needle.text!r} in line {theirs[1].line}"
                yield problem(phrase, "duplicate", fact, "Remove the rule: groups hold both ways.")
            known.add(key(phrase))


def _circles(synonyms: Synonyms, key: _Key, problem: _Made) -> Iterator[Problem]:
    """One-way rules that lead back to where they began."""
    leads: dict[Terms, dict[Terms, None]] = {}
    for rule in synonyms.one_way:
        targets = leads.setdefault(key(rule.needle), {})
        targets.update((key(phrase), None) for phrase in rule.replacements)
    for rule in synonyms.one_way:
        start = key(rule.needle)
        seen: set[Terms] = set()
        waiting = [one for one in leads[start] if one != start]
        while waiting:
            at = waiting.pop()
            if at == start:
                yield problem(
                    rule.needle,
                    "circle",
                    "leads back to itself by way of other rules",
                    "Make a group of what means the same; what leads one way must end somewhere.",
                )
                break
            if at not in seen:
                seen.add(at)
                waiting += leads.get(at, ())

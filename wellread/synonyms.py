"""The dictionary: which other words a query's words are also looked for under.

``groups`` hold phrases that mean the same; ``one_way`` leads from the words people use to the
words of the documents. A phrase is found in a query by its terms, so in any inflected form and
as whole words. A step is taken once: what a replacement leads to is not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wellread.stems import folded_function_words, stems
from wellread.terms import compounds

if TYPE_CHECKING:
    from wellread.documents import Problem

KEYS = ("groups", "one_way")
EXAMPLE = "groups: [[paid time off, PTO]] or one_way: {day off: unpaid leave}"

Terms = tuple[frozenset[str], ...]
"""A phrase word by word: the terms that each may have in the languages of a library."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A phrase as it stands in the file, with its line."""

    text: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """A phrase with what it is also looked for under. ``group`` is the number of the group
    that it comes from, ``None`` for a one-way rule."""

    needle: Written
    replacements: tuple[Written, ...]
    group: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A phrase of the dictionary in a query: word positions, half-open, and what else to look
    for, each once."""

    start: int
    stop: int
    needle: str
    replacements: tuple[str, ...]


class BrokenDictionary(ValueError):
    """A file of synonyms that says nothing that can be followed; ``line`` from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Synonyms:
    """A dictionary as it was read. ``problems`` are those of single entries, which are left
    out; their path is the name that was given. Safe to share between threads."""

    def __init__(
        self,
        groups: Sequence[tuple[Written, ...]] = (),
        one_way: Sequence[Rule] = (),
        problems: Sequence[Problem] = (),
    ) -> None:
        self.groups = tuple(groups)
        self.one_way = tuple(one_way)
        self.problems = tuple(problems)
        self._indexes: dict[tuple[str, ...], dict[str, list[tuple[Terms, Rule]]]] = {}

    def __bool__(self) -> bool:
        return bool(self.groups or self.one_way)

    def rules(self) -> Iterator[Rule]:
        """Every phrase with its replacements, in the order of the file."""
        for number, group in enumerate(self.groups):
            for needle in group:
                others = tuple(one for one in group if one is not needle)
                yield Rule(needle=needle, replacements=others, group=number)
        yield from self.one_way

    def find(
        self, words: Sequence[str], asked: Collection[int], languages: tuple[str, ...]
    ) -> list[Found]:
        """The phrases of the dictionary among the folded words of a query, in its order; the
        longest wins where they overlap. ``asked`` are the positions that are looked for at all:
        a phrase with none of them (``it`` for ``IT``) is none."""
        index = self._index(languages)
        if not index:
            return []
        terms = [frozenset(stems(word, languages)) for word in words]
        matches: dict[tuple[int, int], list[Rule]] = {}
        for start, first in enumerate(terms):
            for needle, rule in (entry for term in first for entry in index.get(term, ())):
                stop = start + len(needle)
                fits = stop <= len(terms) and all(
                    not wanted.isdisjoint(there)
                    for wanted, there in zip(needle, terms[start:stop], strict=True)
                )
                if fits and any(position in asked for position in range(start, stop)):
                    rules = matches.setdefault((start, stop), [])
                    if rule not in rules:
                        rules.append(rule)
        taken: set[int] = set()
        found: list[Found] = []
        for (start, stop), rules in sorted(
            matches.items(), key=lambda one: (one[0][0] - one[0][1], one[0][0])
        ):
            if taken.isdisjoint(range(start, stop)):
                taken.update(range(start, stop))
                others = (other.text for rule in rules for other in rule.replacements)
                found.append(
                    Found(
                        start=start,
                        stop=stop,
                        needle=rules[0].needle.text,
                        replacements=tuple(dict.fromkeys(others)),
                    )
                )
        return sorted(found, key=lambda one: one.start)

    def _index(self, languages: tuple[str, ...]) -> dict[str, list[tuple[Terms, Rule]]]:
        known = self._indexes.get(languages)
        if known is None:
            known = {}
            for rule in self.rules():
                terms = terms_of(rule.needle.text, languages)
                for term in terms[0] if terms else ():
                    known.setdefault(term, []).append((terms, rule))
            self._indexes[languages] = known
        return known


NONE = Synonyms()
"""A library without a dictionary."""


def terms_of(phrase: str, languages: tuple[str, ...]) -> Terms:
    """A phrase word by word, as it is compared."""
    return tuple(
        frozenset(stems(word, languages)) for one in compounds(phrase) for word in one.words
    )


def vanishes(phrase: str) -> bool:
    """Whether nothing of a phrase is ever looked for: it has no words, or only function words.
    Capitals are an acronym (``IT``)."""
    found = compounds(phrase)
    function = folded_function_words("en") | folded_function_words("ru")
    return all(
        word in function and not (len(one.written) > 1 and one.written.isupper())
        for one in found
        for word in one.words
    )


# --- the file --------------------------------------------------------------------------------


def parse(text: str, name: str) -> Synonyms:
    """The dictionary of a YAML text. What is wrong with one entry leaves that entry out and is
    among the ``problems``, under ``name``. Raises ``BrokenDictionary`` where there is no
    mapping at all."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # leaves `no` and `1` as written
    try:
        root = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        about = getattr(error, "problem", None) or str(error)
        raise BrokenDictionary(mark.line + 1 if mark else 1, f"not valid YAML: {about}") from error
    except RecursionError:
        raise BrokenDictionary(1, "nested too deeply for YAML") from None
    if root is None:
        return NONE
    if not isinstance(root, yaml.MappingNode):
        raise BrokenDictionary(_line(root), f"not a mapping: write {EXAMPLE}")
    reader = _Reader(name)
    for key, value in root.value:
        reader.part(key, value)
    return Synonyms(reader.groups, reader.one_way, reader.problems)


class _Reader:
    """What has been read of a file so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.groups: list[tuple[Written, ...]] = []
        self.one_way: list[Rule] = []
        self.problems: list[Problem] = []

    def part(self, key: Any, value: Any) -> None:
        if key.value == "groups":
            self._each(value, "sequence", "a list of lists", self._group)
        elif key.value == "one_way":
            self._each(value, "mapping", "lines like day off: unpaid leave", self._rule)
        else:
            from difflib import get_close_matches

            near = get_close_matches(str(key.value).lower(), KEYS, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]}?" if near else f"Known are {' and '.join(KEYS)}."
            self._wrong(key, "synonyms-unknown-key", f"Unknown key {str(key.value)[:40]!r}", hint)

    def _each(self, node: Any, kind: str, wanted: str, take: Callable[[Any], None]) -> None:
        if node.id == kind:
            for one in node.value:
                take(one)
        elif node.id != "scalar" or node.value:
            fact = "There is something else than entries"
            self._wrong(node, "synonyms-not-understood", fact, f"Write {wanted}.")

    def _group(self, node: Any) -> None:
        phrases = self._phrases(node)
        if len(phrases) > 1:
            self.groups.append(phrases)
        elif phrases:
            self._wrong(
                node,
                "synonyms-lonely",
                f"{phrases[0].text!r} is alone in its group",
                "Add a phrase that means the same, or remove the line.",
            )

    def _rule(self, pair: Any) -> None:
        key, value = pair
        needle = self._phrases(key)
        replacements = self._phrases(value)
        if len(needle) == 1 and replacements:
            self.one_way.append(Rule(needle=needle[0], replacements=replacements))

    def _phrases(self, node: Any) -> tuple[Written, ...]:
        """The phrases of a text or a list of texts; none where there is something else."""
        nodes = node.value if node.id == "sequence" else [node]
        wrong = [one for one in nodes if one.id != "scalar" or not one.value.strip()]
        if wrong or not nodes:
            self._wrong(
                wrong[0] if wrong else node,
                "synonyms-not-understood",
                "There is something else than a phrase",
                f"Write words, as in {EXAMPLE}.",
            )
            return ()
        return tuple(Written(text=" ".join(one.value.split()), line=_line(one)) for one in nodes)

    def _wrong(self, node: Any, code: str, fact: str, remedy: str) -> None:
        line = _line(node)
        message = f"{fact} in {self.name}:{line}. {remedy}"
        from wellread.documents import Problem  # a search needs none

        self.problems.append(Problem(path=self.name, line=line, code=code, message=message))


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1

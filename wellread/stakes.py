"""How much hangs on the answer to a task: said by the caller, or inferred by open rules."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast, get_args

from wellread.analyze import tokens
from wellread.delivery import Stakes, StakesName
from wellread.errors import ConfigError
from wellread.quantities import quantities
from wellread.types import SENSITIVITIES, Sensitivity

SHIPPED = Path(__file__).with_name("stakes.toml")

_ENGLISH = "en"  # Cyrillic words are cut by the rules of Russian in a text of any other language
_KEYS = {"name", "stakes", "reason", "words", "amount", "sensitivity"}


@dataclass(frozen=True, kw_only=True, slots=True)
class StakesRule:
    """One ``[[rule]]``: the terms of each of its words, in sequence; or an amount."""

    name: str
    stakes: Literal["low", "high"]
    reason: str
    words: tuple[tuple[str, ...], ...] = ()
    amount: bool = False
    sensitivity: Sensitivity = "public"


@cache
def load_rules(file: Path = SHIPPED) -> tuple[StakesRule, ...]:
    """The rules of a file. Raises ``ConfigError``."""
    try:
        with file.open("rb") as stream:
            written = tomllib.load(stream)
    except OSError as error:
        raise ConfigError(
            f"The rules of stakes cannot be read: {file} ({error.strerror}). Correct "
            "[stakes] rules, or leave it out for the shipped ones."
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is no TOML: {error}.") from error
    rules = written.get("rule")
    if not isinstance(rules, list) or set(written) != {"rule"}:
        raise ConfigError(f"{file} must hold [[rule]] tables and nothing else.")
    return tuple(_rule(rule, file) for rule in rules)


def stakes_of(
    task: str, *, given: str | None, rules: Sequence[StakesRule], amount: float
) -> Stakes:
    """The stakes of a task. What is given holds; else the first high rule that fits, else the
    first low one. ``amount`` is in units of whatever currency is named. Raises ``UsageError``
    for a name that is none."""
    fitting = [(rule, found) for rule in rules if (found := _fits(rule, task, amount))]
    sensitive: list[Sensitivity] = ["public", *(rule.sensitivity for rule, _ in fitting)]
    sensitivity = max(sensitive, key=SENSITIVITIES.index)
    if given is not None:
        return Stakes(name=stakes_name(given), reason="as given", sensitivity=sensitivity)
    for name in ("high", "low"):
        for rule, found in fitting:
            if rule.stakes == name:
                reason = f"{rule.reason} ({found!r})"
                return Stakes(name=rule.stakes, reason=reason, sensitivity=sensitivity)
    return Stakes(name="normal", reason="no rule of stakes fits", sensitivity=sensitivity)


def stakes_name(written: str) -> StakesName:
    """The name as it is meant. Raises ``UsageError``."""
    from wellread.errors import UsageError

    known = get_args(StakesName)
    if written.casefold() not in known:
        raise UsageError(f"Unknown stakes {written!r}. Known: {', '.join(known)}.")
    return cast("StakesName", written.casefold())


def _fits(rule: StakesRule, task: str, amount: float) -> str | None:
    """What in the task a rule fits, as it is written."""
    if rule.amount:
        sums = (one for one in quantities(task) if one.kind == "money" and one.high >= amount)
        return next((one.written for one in sums), None)
    said = tokens(task, _ENGLISH)
    terms = tuple(token.term for token in said)
    for words in rule.words:
        for at in range(len(terms) - len(words) + 1):
            if terms[at : at + len(words)] == words:
                return task[said[at].start : said[at + len(words) - 1].end]
    return None


def _terms(text: str) -> tuple[str, ...]:
    return tuple(token.term for token in tokens(text, _ENGLISH))


def _rule(written: Any, file: Path) -> StakesRule:
    if not isinstance(written, dict) or not set(written) <= _KEYS:
        raise ConfigError(
            f"A [[rule]] of {file} holds something else than {', '.join(sorted(_KEYS))}: "
            f"{written!r}."
        )
    name, stakes = written.get("name"), written.get("stakes")
    words, amount = written.get("words", []), written.get("amount", False)
    if not isinstance(name, str) or stakes not in ("low", "high"):
        raise ConfigError(
            f"The [[rule]] {name!r} of {file} has stakes {stakes!r}. Write a name, and stakes of "
            '"low" or "high".'
        )
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ConfigError(f"The words of [[rule]] {name!r} of {file} are no list of texts.")
    terms = tuple(_terms(word) for word in words)
    if not (terms or amount is True) or not all(terms):
        raise ConfigError(
            f"The [[rule]] {name!r} of {file} fits nothing: give it words, or amount = true."
        )
    return StakesRule(
        name=name,
        stakes=cast("Literal['low', 'high']", stakes),
        reason=str(written.get("reason", name)),
        words=terms,
        amount=amount is True,
        sensitivity=_sensitivity(written.get("sensitivity", "public"), name, file),
    )


def _sensitivity(written: object, name: str, file: Path) -> Sensitivity:
    for known in SENSITIVITIES:
        if known == written:
            return known
    raise ConfigError(
        f"The [[rule]] {name!r} of {file} has sensitivity {written!r}. Known: "
        f"{', '.join(SENSITIVITIES)}."
    )

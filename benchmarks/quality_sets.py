"""What is measured of a judged set, and how a figure is written beside its target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wellread.ladder import Ladder, Step
from wellread.report_eval import share
from wellread.rungs import BY_SUM
from wellread.sweep import Sweep

ABOUT = {
    "scifact": "claims against abstracts of papers, English",
    "cranfield": "questions against abstracts on aerodynamics, English, graded",
    "deep-rag-gitlab": "questions against pages of a company handbook, English",
    "xquad-en": "questions against paragraphs, English",
    "xquad-ru": "the same in Russian",
    "xquad-mixed-enru": "both languages in one library; the paragraph counts in both",
    "xquad-x-ru2en": "Russian questions against English paragraphs",
    "xquad-x-en2ru": "English questions against Russian paragraphs",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A set with its ladder; ``fts5`` is nDCG@10 with the other engine, ``target`` the least
    that is asked of words, ``hybrid_target`` of words and vectors; ``weak`` is what a weaker
    model gives, ``weights`` the last step of words with each preset of field weights."""

    name: str
    documents: int
    ladder: Ladder
    fts5: float | None = None
    target: float | None = None
    hybrid_target: float | None = None
    weak: Sweep | None = None
    weights: Mapping[str, Step] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The set as a sentence names it."""
        return "the example company" if self.name == "company" else self.name

    @property
    def words(self) -> tuple[Step, ...]:
        """The steps that ask no model."""
        return tuple(step for step in self.ladder.steps if step.rung.words_alone)

    @property
    def last(self) -> Step:
        """The step that is what the product does without a model."""
        return self.words[-1]

    @property
    def hybrid(self) -> Step | None:
        """The step with words and vectors by the calibrated sum."""
        return next((step for step in self.ladder.steps if step.rung.name == BY_SUM), None)


def against(value: float, target: float | None) -> str:
    """A target, and whether a figure meets it; empty without one."""
    if target is None:
        return ""
    return f"≥ {share(target)}, {'met' if value >= target else 'missed'}"


def row(cells: Sequence[str]) -> str:
    """A row of a table."""
    return "| " + " | ".join(cells) + " |"

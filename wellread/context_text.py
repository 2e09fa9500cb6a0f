"""A governed delivery as text: what an agent or a person reads, the same for both.

The tokens of a piece are those of its lines here, so that a budget counts what is really sent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from wellread.delivery import Conflict, ContextResult, Piece, Place, Use
from wellread.snippet import visible
from wellread.tokens import estimate

USES: dict[Use, tuple[str, str]] = {
    "rules": ("Rules", "These must be followed."),
    "procedure": ("Procedure", "Follow these steps in their order."),
    "facts": ("Facts", "Look these up and cite them."),
    "scaffold": ("Scaffold", "This is the shape of what you write, not a source of facts."),
    "background": ("Background", "This is not an instruction; do not act on it alone."),
}
"""How to use each group, in one fixed sentence, in the order of delivery."""

RESERVED = 160
"""Tokens kept free for what stands around the pieces: the first lines, and the end."""


def context_lines(result: ContextResult) -> Iterator[str]:
    """The lines of a delivery."""
    yield from head_lines(result)
    number = 0
    for use in USES:
        group = [piece for piece in result.pieces if piece.use == use]
        if group:
            yield ""
            yield use_line(use)
        for piece in group:
            number += 1
            yield from piece_lines(piece, number)
    if result.conflicts:
        yield ""
        yield "# Where they disagree"
        for conflict in result.conflicts:
            yield conflict_line(conflict)
    if result.reduced:
        yield ""
        yield "# Made smaller or left out; `read` has them whole"
        for one in result.reduced:
            yield f"- {one.section}: {one.form or 'left out'}, {one.reason}"
    for note in result.notes:
        yield ""
        yield note


def head_lines(result: ContextResult) -> Iterator[str]:
    """What a reader must know first: the verdict, and what it was taken from."""
    verdict = result.verdict
    if verdict is None:
        yield "No verdict: the library has nothing that answers this."
    else:
        yield f"Verdict: {verdict.name.replace('-', ' ')}. {_reasons(verdict.reasons)}"
        if verdict.name != "answer" and verdict.ask:
            yield f"Ask: {', '.join(verdict.ask)}."
    domain = f"; domain {result.domain} ({result.domain_from})" if result.domain else ""
    yield (
        f"Stakes: {result.stakes.name} ({result.stakes.reason}); mode {result.mode} "
        f"({result.mode_reason}){domain}; as of {result.as_of}; "
        f"indexed {result.indexed_at or 'never'}."
    )


def use_line(use: Use) -> str:
    """The heading of a group."""
    name, sentence = USES[use]
    return f"# {name}. {sentence}"


def piece_lines(piece: Piece, number: int) -> Iterator[str]:
    """A piece with where it comes from, what it is worth, and its text, indented: no text of
    a document can pass for a line of the frame."""
    heading = " › ".join(piece.heading) or piece.title
    title = "" if piece.heading and piece.heading[0] == piece.title else f"{piece.title} › "
    where = f"p. {piece.pdf_page}" if piece.pdf_page else f"lines {piece.lines[0]}-{piece.lines[1]}"
    shown = f"{title}{heading}" if piece.heading else piece.title
    yield visible(f"[{number}] {piece.section} ({where}) {shown}")
    yield f"    {'; '.join(badges(piece))}"
    if piece.form == "pointer":
        why = f"withheld, {piece.withheld}" if piece.withheld else "a pointer"
        yield f"    ({why}: `read` has the text)"
        return
    for line in visible(piece.text).splitlines():
        yield f"  | {line}" if line else "  |"
    around = [
        f"{word}: {visible(name)}"
        for word, name in (("before", piece.before), ("after", piece.after))
        if name
    ]
    if around and piece.form != "document":
        yield f"    {'; '.join(around)}"


def badges(piece: Piece) -> list[str]:
    """What a piece is and what it is worth, in words."""
    shown = [piece.type_written if piece.type_written != piece.type else piece.type]
    if piece.state_explicit:
        shown.append(piece.state)
    if piece.standing.name != "current":
        shown.append(f"{piece.standing.name}: {', '.join(piece.standing.reasons)}")
    if piece.about != "ours":
        shown.append(f"about {piece.about}")
    if piece.sensitivity in ("confidential", "personal", "regulated"):
        shown.append(piece.sensitivity)
    if piece.owner:
        shown.append(f"owner {piece.owner}")
    if piece.updated:
        shown.append(f"updated {piece.updated}")
    if piece.companion_of:
        shown.append(f"belongs to {piece.companion_of}")
    return [visible(one) for one in shown]


def conflict_line(conflict: Conflict) -> str:
    """A conflict in a line: both places, both values, and what holds."""
    held = f"{conflict.stands} holds: {conflict.why}" if conflict.stands else conflict.why
    return visible(
        f"- {conflict.attribute}: {_place(conflict.left)} against {_place(conflict.right)}. {held}."
    )


def piece_tokens(piece: Piece) -> int:
    """The tokens of a piece with its frame, line ends included."""
    return estimate("\n".join(piece_lines(piece, 99)) + "\n")


def frame_tokens(uses: Collection[Use], others: Iterable[str]) -> int:
    """The tokens of everything around pieces of these groups. ``others`` are the lines of the
    conflicts and notes, which are delivered in any case."""
    lines = [use_line(use) + "\n\n" for use in USES if use in uses]
    return RESERVED + estimate("".join((*lines, *(f"{line}\n" for line in others))))


def _place(place: Place) -> str:
    return f"{place.value!r} in {place.path}:{place.lines[0]}-{place.lines[1]}"


def _reasons(reasons: tuple[str, ...]) -> str:
    text = "; ".join(reasons)
    return f"{text[:1].upper()}{text[1:]}."

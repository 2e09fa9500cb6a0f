"""What a caller may not read leaves no trace; what it may read is never lost.

Two hundred random callers over random acls: every answer is compared with the answer of a
library that holds the readable documents alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.shelf import OWNER, TODAY, library, page, scope_of
from wellread.errors import NotFound, RunRefused, UsageError
from wellread.library import Library
from wellread.status import Status
from wellread.store import conditions
from wellread.store.lexical import Restriction
from wellread.store.tantivy_index import TantivySearcher, _Clauses
from wellread.types import Caller, Explanation, Filters, Scope

GROUPS = ("sales", "hr", "legal", "support", "ops")
SUBJECTS = ("ann", "boris", "vera")
WORDS = ("refund", "invoice", "vacation", "contract", "incident", "pricing", "travel")
ENGINES = ("tantivy", "fts5")
LIBRARIES = 10
CALLERS = 10
"""For each engine: 200 callers in all."""


@dataclass(frozen=True)
class Written:
    """A document of a random library with what decides who reads it."""

    path: str
    text: str
    access: tuple[str, ...] | None
    deny: tuple[str, ...]
    sealed: bool

    @property
    def mark(self) -> str:
        """The word that is in no other document."""
        return canary(int(self.path.rpartition("-")[2].removesuffix(".md")))


@dataclass(frozen=True)
class Shelf:
    """A random library: its documents, and who reads those that do not say."""

    documents: tuple[Written, ...]
    policy: tuple[str, ...]

    def settings(self, engine: str) -> str:
        named = ", ".join(f'"{name}"' for name in self.policy)
        return f'[search]\nlexical = "{engine}"\n\n[access]\ndefault = [{named}]\n{SETTINGS}'


RULES = {
    "closed/": (("hr", "legal"), ("ops",)),
    "closed/inner/": (("hr", "sales"), ()),
}
DEFAULTS = {"open/": (("sales", "user:vera"), ("ops",))}
SETTINGS = """
[[access.rules]]
path = "closed/**"
allow = ["hr", "legal"]
deny = ["ops"]

[[access.rules]]
path = "closed/inner/**"
allow = ["hr", "sales"]

[[defaults]]
path = "open/**"
access = ["sales", "user:vera"]
deny = ["ops"]
"""


def canary(number: int) -> str:
    """A word of one document alone, far from every other by spelling."""
    letters = "bcdfghjklm"
    return "qu" + "".join(letters[int(digit)] * 2 for digit in f"{number:03d}") + "ax"


PRINCIPALS = st.sampled_from([*GROUPS, *(f"user:{one}" for one in SUBJECTS), "everyone"])
SEALING = st.sampled_from(["acces: [hr]", "access: []", "Deny: ops\ndeny: [ops]", "access: {a: b}"])


@st.composite
def written(draw: st.DrawFn, number: int, others: tuple[str, ...]) -> Written:
    """One document: who reads it, and what it has to do with the others."""
    folder = draw(st.sampled_from(["", "open/", "closed/", "closed/inner/"]))
    front = [f"title: Page {number} {draw(st.sampled_from(WORDS))}"]
    access: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    sealed = draw(st.integers(0, 19)) == 7
    if sealed:
        front.append(draw(SEALING))
    else:
        if draw(st.booleans()):
            access = tuple(draw(st.lists(PRINCIPALS, min_size=1, max_size=3, unique=True)))
            front.append(f"access: [{', '.join(access)}]")
        if draw(st.integers(0, 3)) == 0:
            deny = tuple(
                draw(st.lists(st.sampled_from([*GROUPS, "user:ann"]), min_size=1, max_size=2))
            )
            front.append(f"deny: [{', '.join(deny)}]")
    links = ""
    if others:
        other = st.sampled_from(others)
        links = f"\n\nSee [another page](/{draw(other)})."
        if draw(st.integers(0, 3)) == 0:
            key = draw(st.sampled_from(["supersedes: [/{}]", "superseded_by: /{}"]))
            front.append(key.format(draw(other)))
        if draw(st.integers(0, 3)) == 0:
            front.append(f"attachments: [{{path: /{draw(other)}}}]")
    words = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=4, max_size=12)))
    text = f"## {canary(number)} {draw(st.sampled_from(WORDS))}\n\n{words} {canary(number)}.{links}"
    return Written(
        path=f"{folder}page-{number}.md",
        text="---\n" + "\n".join(front) + f"\n---\n{text}\n",
        access=access,
        deny=deny,
        sealed=sealed,
    )


@st.composite
def shelves(draw: st.DrawFn) -> Shelf:
    documents: tuple[Written, ...] = ()
    for number in range(draw(st.integers(12, 20))):
        paths = tuple(one.path for one in documents)
        documents += (draw(written(number, paths)),)
    policy = draw(st.sampled_from([("everyone",), ("hr", "sales"), ("user:boris",)]))
    return Shelf(documents=documents, policy=policy)


CALLER = st.builds(
    Caller,
    subject=st.sampled_from([*SUBJECTS, None]),
    groups=st.frozensets(st.sampled_from(GROUPS), max_size=3),
)


def may_read(caller: Caller, document: Written, policy: tuple[str, ...]) -> bool:
    """The access model, said as plainly as can be."""
    if caller.owner:
        return True
    if document.sealed:
        return False
    names = {*caller.groups, "everyone", f"user:{caller.subject}"}
    access, deny = document.access, document.deny
    for folder, (default_access, default_deny) in DEFAULTS.items():
        if document.path.startswith(folder):
            access = access if access is not None else default_access
            deny = deny or default_deny
    if names & set(deny) or not names & set(access if access is not None else policy):
        return False
    for folder, (allow, refused) in RULES.items():
        if document.path.startswith(folder) and (names & set(refused) or not names & set(allow)):
            return False
    return True


REPLACING = "in place of "


def labels(part: Explanation | None) -> list[str]:
    """What an explanation names. Which part weighs most depends on the whole library, and so
    does whether a successor had a place of its own: both are order."""
    if part is None:
        return []
    inner = [label for one in part.parts for label in labels(one)]
    named = [part.label] if not part.label.startswith(REPLACING) else []
    return sorted([*named, *inner])


def replaced(part: Explanation | None) -> list[str]:
    """The pages that an explanation says a hit stands in the place of."""
    if part is None:
        return []
    inner = [path for one in part.parts for path in replaced(one)]
    return (
        [*inner, part.label.removeprefix(REPLACING)] if part.label.startswith(REPLACING) else inner
    )


def answers(opened: Library, caller: Caller, hidden: list[str]) -> dict[str, object]:
    """Everything that a caller can get to see, by question; scores left out, since idf is the
    whole library's."""
    scope = opened.scope(caller)
    seen: dict[str, object] = {}
    named: set[str] = set()
    questions = [*WORDS, "refnud", "invo", "contract incident", '"refund"', *hidden[:4]]
    for question in questions:
        for filters in (Filters(), Filters(paths=("closed/**",)), Filters(types=("template",))):
            found = opened.search(
                question, scope=scope, today=TODAY, filters=filters, limit=100, explain=True
            )
            seen[f"search {question} {filters}"] = (
                found.outcome,
                sorted(
                    (
                        hit.section,
                        hit.lines,
                        hit.pdf_page,
                        hit.title,
                        hit.heading,
                        hit.snippet,
                        hit.type,
                        hit.state,
                        hit.standing,
                        hit.updated,
                        hit.attachments,
                        hit.further,
                        hit.context_line,
                        labels(hit.explanation),
                    )
                    for hit in found.hits
                ),
                found.counts,
                found.left_out,
                found.more_exist,
                found.suggestions,
                found.without_filters,
                found.notes,
                found.effective_query,
            )
            for hit in found.hits:
                named.update(replaced(hit.explanation))
            exact = opened.find_exact(
                question.strip('"'), scope=scope, today=TODAY, filters=filters
            )
            seen[f"grep {question} {filters}"] = (
                exact.outcome, exact.matches, exact.lines, exact.documents, exact.left_out,
                exact.notes, exact.without_filters,
            )  # fmt: skip
    status: Status = opened.status(scope=scope, today=TODAY)
    seen["status"] = (
        status.documents, status.types, status.states, status.standings, status.languages,
        status.runs, status.acls, status.failed, status.skipped,
    )  # fmt: skip
    seen["lint"] = [
        (one.path, one.line, one.code, one.message) for one in opened.lint(scope=scope, today=TODAY)
    ]
    assert all(opened.read(path, scope=scope, today=TODAY) for path in named)
    return seen


def pages(opened: Library, caller: Caller, documents: list[Written]) -> dict[str, object]:
    """Every page as a caller reads it, or the error, with the asked path taken out."""
    scope = opened.scope(caller)
    seen: dict[str, object] = {}
    for document in documents:
        try:
            page = opened.read(document.path, scope=scope, today=TODAY)
        except NotFound as error:
            seen[document.path] = str(error).replace(document.path, "PATH")
        else:
            seen[document.path] = (
                page.text, page.links, page.backlinks, page.standing, page.outline,
                page.attachments, page.more, page.before, page.after, page.notes,
            )  # fmt: skip
        try:
            opened.read(f"{document.path}#nowhere", scope=scope, today=TODAY)
        except NotFound as error:
            seen[f"{document.path}#nowhere"] = str(error).replace(document.path, "PATH")
    return seen


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=LIBRARIES, suppress_health_check=list(HealthCheck))
@given(shelf=shelves(), callers=st.lists(CALLER, min_size=CALLERS, max_size=CALLERS))
def test_caller_sees_what_a_library_of_the_readable_alone_would_show(
    engine: str, shelf: Shelf, callers: list[Caller]
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        rules = shelf.settings(engine)
        every = {one.path: one.text for one in shelf.documents}
        whole = library(folder / "whole", every, rules)
        alone: dict[frozenset[str], Library] = {}
        for caller in callers:
            readable = [one for one in shelf.documents if may_read(caller, one, shelf.policy)]
            hidden = [one for one in shelf.documents if one not in readable]
            marks = [one.mark for one in hidden]
            got = answers(whole, caller, marks)
            for mark in marks:
                # A caller's own words come back in the effective query; nothing else may.
                assert mark not in repr(
                    [value for asked, value in got.items() if mark not in asked]
                )
            read = pages(whole, caller, list(shelf.documents))
            for one in hidden:
                assert (
                    read[one.path] == read[f"{one.path}#nowhere"].replace("#nowhere", "") == MISSING
                )  # type: ignore[attr-defined]
            if not readable:
                outcomes = {
                    value[0]
                    for asked, value in got.items()
                    if asked != "lint" and asked != "status"
                }  # type: ignore[index]
                assert outcomes == {"index-empty"}
                continue
            key = frozenset(one.path for one in readable)
            if key not in alone:
                kept = {one.path: one.text for one in readable}
                alone[key] = library(folder / f"alone-{len(alone)}", kept, rules)
            wanted = answers(alone[key], caller, marks)
            for asked in wanted:
                assert differences(got[asked], wanted[asked]) == [], asked
            here = {path: text for path, text in read.items() if path.partition("#")[0] in key}
            assert here == pages(alone[key], caller, readable)
        for opened in (whole, *alone.values()):
            opened.close()


def differences(one: object, other: object) -> list[object]:
    """What differs, as near to the leaves as may be, so that a failure can be read."""
    if one == other:
        return []
    if isinstance(one, tuple | list) and isinstance(other, tuple | list) and len(one) == len(other):
        return [found for pair in zip(one, other, strict=True) for found in differences(*pair)]
    return [(one, other)]


MISSING = "No such document for you: PATH. Search for it, or check the spelling."


@pytest.mark.parametrize("engine", ENGINES)
def test_two_hundred_unreadable_documents_change_nothing_but_order(
    engine: str, tmp_path: Path
) -> None:
    folders = ["", "open/", "closed/", "closed/inner/"]
    documents = {
        f"{folders[number % 4]}page-{number}.md": page(
            f"## {canary(number)} {WORDS[number % 7]}\n\n"
            f"{' '.join(WORDS[number % 5 :])} {canary(number)}. See [x](/page-{number - 4}.md).",
            title=f"Page {number} {WORDS[number % 6]}",
            access="[sales, hr]",
            **({"supersedes": f"[/page-{number - 8}.md]"} if number % 8 == 0 and number else {}),
        )
        for number in range(24)
    }
    hidden = {
        f"vault/{number}.md": f"---\naccess: [board]\nsupersedes: [/page-{number % 24}.md]\n---\n"
        f"# Refund invoice {canary(number)}\n\n[x](/page-0.md) refund invoices contractual "
        "incidents travels refunc contrac\n"
        for number in range(200, 400)
    }
    rules = Shelf(documents=(), policy=("everyone",)).settings(engine)
    before = library(tmp_path / "before", documents, rules)
    after = library(tmp_path / "after", {**documents, **hidden}, rules)
    caller = Caller(subject="ann", groups=frozenset({"sales", "hr"}))
    questions = [canary(number) for number in range(200, 204)]
    assert answers(before, caller, questions) == answers(after, caller, questions)
    for path in documents:
        seen = [one.read(path, scope=one.scope(caller), today=TODAY) for one in (before, after)]
        assert replace(seen[0], indexed_at="", as_of="") == replace(
            seen[1], indexed_at="", as_of=""
        )


@contextmanager
def no_scope_in_tantivy(patch: pytest.MonkeyPatch) -> Iterator[None]:
    restrict = TantivySearcher._restriction

    def without(self: TantivySearcher, where: Restriction) -> _Clauses:
        scope = everything_like(where)
        return restrict(self, scope)

    with patch.context() as patched:
        patched.setattr(TantivySearcher, "_restriction", without)
        yield


def everything_like(where: Restriction) -> Restriction:
    return replace(where, scope=replace(where.scope, hidden=frozenset()))


@pytest.mark.parametrize("engine", ENGINES)
def test_without_the_scope_in_the_text_index_counts_leak(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "open.md": "# Refunds\n\nrefund policy",
        "secret.md": "---\naccess: [board]\n---\n# Refunds\n\nrefund salaries",
    }
    opened = library(tmp_path, files, f'[search]\nlexical = "{engine}"\n')
    scope = opened.scope(Caller(subject="ann"))
    assert opened.search("refund", scope=scope, today=TODAY).counts.any_word == 1
    condition = conditions.document_condition
    with no_scope_in_tantivy(monkeypatch):
        monkeypatch.setattr(
            "wellread.store.fts5_index.document_condition",
            lambda where: condition(everything_like(where)),
        )
        assert opened.search("refund", scope=scope, today=TODAY).counts.any_word == 2


def test_without_the_scope_in_the_catalog_lines_leak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "open.md": "# Refunds\n\nrefund policy",
        "secret.md": "---\naccess: [board]\n---\n# Refunds\n\nrefund salaries",
    }
    opened = library(tmp_path, files)
    scope = opened.scope(Caller(subject="ann"))
    assert opened.find_exact("refund", scope=scope, today=TODAY).documents == 1
    condition = conditions.document_condition
    monkeypatch.setattr(
        "wellread.store.catalog.document_condition", lambda where: condition(everything_like(where))
    )
    with opened.snapshot() as snapshot:
        assert len(snapshot.document_ids(scope=scope, filters=Filters())) == 2


@pytest.mark.parametrize(
    "asked",
    [
        "../wellread.toml",
        "/etc/passwd",
        "a\0b.md",
        "docs/../open.md",
        "out.md",
        "nowhere.md",
        "%2e%2e/x",
        "closed.md",
    ],
)
def test_missing_forbidden_and_outside_are_one_answer(asked: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("# Outside\n\nnot ours", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "out.md").symlink_to(outside)
    opened = library(tmp_path, {"open.md": "text", "closed.md": "---\naccess: [hr]\n---\ntext"})
    with pytest.raises(NotFound) as caught:
        opened.read(asked, scope=opened.scope(Caller(subject="ann")), today=TODAY)
    assert str(caught.value) == (
        f"No such document for you: {asked}. Search for it, or check the spelling."
    )
    assert caught.value.exit_code == 1


def test_page_cursor_is_good_for_one_query_and_one_caller(tmp_path: Path) -> None:
    files = {f"{number}.md": f"# Refund {number}\n\nrefund" for number in range(12)}
    opened = library(tmp_path, files)
    ann = opened.scope(Caller(subject="ann"))
    cursor = opened.search("refund", scope=ann, today=TODAY, limit=5).next_page
    assert cursor is not None
    again = opened.search("refund", scope=ann, today=TODAY, limit=5, page=cursor)
    assert len(again.hits) == 5
    for scope, query in ((opened.scope(Caller(subject="boris")), "refund"), (ann, "refunds")):
        with pytest.raises(UsageError, match="not one of this query"):
            opened.search(query, scope=scope, today=TODAY, limit=5, page=cursor)


def test_scope_of_an_older_generation_is_resolved_anew(tmp_path: Path) -> None:
    opened = library(tmp_path, {"a.md": "# Refund\n\nrefund rules"})
    scope = opened.scope(Caller(subject="ann"))
    (tmp_path / "docs" / "a.md").write_text("---\naccess: [hr]\n---\n# Refund\n\nrefund rules")
    opened.index()
    assert opened.search("refund", scope=scope, today=TODAY).hits == ()
    assert opened.search("refund", scope=opened.scope(OWNER), today=TODAY).hits
    assert scope_of(opened).caller.owner


TWO = {
    "a.md": "---\naccess: [sales]\n---\n# A\n\nzebra alpha",
    "b.md": "---\naccess: [hr]\n---\n# B\n\nzebra secret",
}
ANN = Caller(subject="ann", groups=frozenset({"sales"}))


def see(opened: Library, scope: Scope) -> list[tuple[str, str]]:
    """What a caller finds, over an idle connection and over one more."""
    found = opened.search("zebra", scope=scope, today=TODAY).hits
    with opened.snapshot():
        assert opened.search("zebra", scope=scope, today=TODAY).hits == found
    return [(hit.path, hit.snippet) for hit in found]


def test_library_replaced_under_an_open_one_gives_nothing_of_another_callers(
    tmp_path: Path,
) -> None:
    opened = library(tmp_path, TWO, "[trace]\nenabled = false\n")
    scope = opened.scope(ANN)
    assert see(opened, scope) == [("a.md", "«zebra» alpha")]
    shutil.rmtree(tmp_path / ".wellread")
    (tmp_path / "docs" / "a.md").rename(tmp_path / "docs" / "z.md")  # ids are dealt otherwise
    other = Library.open(tmp_path / "wellread.toml")
    other.index()
    for asked in (opened, other):
        for held in (scope, asked.scope(ANN)):
            assert see(asked, held) == [("z.md", "«zebra» alpha")]


def test_damaged_catalog_made_anew_gives_nothing_of_another_callers(tmp_path: Path) -> None:
    opened = library(tmp_path, TWO)
    scope = opened.scope(ANN)
    with open(tmp_path / ".wellread" / "catalog.db", "r+b") as file:
        file.write(b"garbage!" * 4096)
    for ending in ("-wal", "-shm"):
        (tmp_path / ".wellread" / f"catalog.db{ending}").unlink(missing_ok=True)
    (tmp_path / "docs" / "a.md").rename(tmp_path / "docs" / "z.md")
    Library.open(tmp_path / "wellread.toml").index(full=True)
    assert see(opened, scope) == see(opened, opened.scope(ANN)) == [("z.md", "«zebra» alpha")]


@pytest.mark.parametrize("lost", [20, 24], ids=["held back", "refused"])
def test_tightened_defaults_hold_for_documents_whose_files_are_not_seen(
    lost: int, tmp_path: Path
) -> None:
    files = {f"{number}.md": f"# Zebra\n\nzebra {number}" for number in range(24)}
    opened = library(tmp_path, files)
    assert opened.search("zebra", scope=opened.scope(ANN), today=TODAY).counts.any_word == 24
    for number in range(lost):
        (tmp_path / "docs" / f"{number}.md").unlink()
    (tmp_path / "wellread.toml").write_text(
        '[[defaults]]\npath = "**"\naccess = ["hr"]\n\n[[sources]]\npath = "docs"\n'
    )
    after = Library.open(tmp_path / "wellread.toml")
    with suppress(RunRefused):
        assert after.index().held_back == lost
    assert after.search("zebra", scope=after.scope(ANN), today=TODAY).counts.any_word == 0
    assert after.search("zebra", scope=after.scope(OWNER), today=TODAY).counts.any_word == 24

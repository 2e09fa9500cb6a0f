"""What a caller may not read leaves no trace; what it may read is never lost.

Two hundred random callers over random acls: every answer is compared with the answer of a
library that holds the readable documents alone.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.shelf import OWNER, TODAY, library, scope_of
from wellread.errors import NotFound, RunRefused, UsageError
from wellread.library import Library
from wellread.status import Status
from wellread.store import conditions
from wellread.store.lexical import Restriction
from wellread.store.tantivy_index import TantivySearcher, _Clauses
from wellread.types import Caller, Filters, Scope

GROUPS = ("sales", "hr", "legal", "support", "ops")
SUBJECTS = ("ann", "boris", "vera")
WORDS = ("refund", "invoice", "vacation", "contract", "incident", "pricing", "travel")
LIBRARIES = 20
CALLERS = 10


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


RULES = {
    "closed/": (("hr", "legal"), ("ops",)),
    "closed/inner/": (("hr", "sales"), ()),
}
SETTINGS = """
[[access.rules]]
path = "closed/**"
allow = ["hr", "legal"]
deny = ["ops"]

[[access.rules]]
path = "closed/inner/**"
allow = ["hr", "sales"]
"""


def canary(number: int) -> str:
    """A word of one document alone, far from every other by spelling."""
    letters = "bcdfghjklm"
    return "qu" + "".join(letters[int(digit)] * 2 for digit in f"{number:03d}") + "ax"


def random_documents(seed: int) -> list[Written]:
    chance = random.Random(seed)
    documents = []
    for number in range(24):
        folder = chance.choice(["", "open/", "closed/", "closed/inner/"])
        access: tuple[str, ...] | None = None
        sealed = chance.random() < 0.05
        front = [f"title: Page {number} {chance.choice(WORDS)}"]
        if sealed:
            front.append(chance.choice(["acces: [hr]", "access: []", "Deny: ops\ndeny: [ops]"]))
        elif chance.random() < 0.7:
            names = [*GROUPS, *(f"user:{one}" for one in SUBJECTS), "everyone"]
            access = tuple(chance.sample(names, chance.randint(1, 3)))
            front.append(f"access: [{', '.join(access)}]")
        deny: tuple[str, ...] = ()
        if not sealed and chance.random() < 0.3:
            deny = tuple(chance.sample([*GROUPS, "user:ann"], chance.randint(1, 2)))
            front.append(f"deny: [{', '.join(deny)}]")
        if documents and chance.random() < 0.3:
            front.append(f"supersedes: [/{chance.choice(documents).path}]")
        words = " ".join(chance.choices(WORDS, k=12))
        links = ""
        if documents:
            other = chance.choice(documents)
            links = f"\n\nSee [the other page](/{other.path})."
        text = f"## {canary(number)} {chance.choice(WORDS)}\n\n{words} {canary(number)}.{links}"
        documents.append(
            Written(
                path=f"{folder}page-{number}.md",
                text="---\n" + "\n".join(front) + f"\n---\n{text}\n",
                access=access,
                deny=deny,
                sealed=sealed,
            )
        )
    return documents


def may_read(caller: Caller, document: Written) -> bool:
    """The access model, said as plainly as can be."""
    if caller.owner:
        return True
    if document.sealed:
        return False
    names = {*caller.groups, "everyone", f"user:{caller.subject}"}
    if names & set(document.deny):
        return False
    if document.access is not None and not names & set(document.access):
        return False
    for folder, (allow, deny) in RULES.items():
        if document.path.startswith(folder) and (names & set(deny) or not names & set(allow)):
            return False
    return True


def random_caller(chance: random.Random) -> Caller:
    groups = frozenset(chance.sample(GROUPS, chance.randint(0, 3)))
    return Caller(subject=chance.choice([*SUBJECTS, None]), groups=groups)


def answers(opened: Library, caller: Caller, hidden: list[str]) -> dict[str, object]:
    """Everything that a caller can get to see, by question; scores left out, since idf is the
    whole library's."""
    scope = opened.scope(caller)
    seen: dict[str, object] = {}
    questions = [*WORDS, "refnud", "invo", "contract incident", '"refund"', *hidden[:4]]
    for question in questions:
        for filters in (Filters(), Filters(paths=("closed/**",)), Filters(types=("template",))):
            found = opened.search(
                question, scope=scope, today=TODAY, filters=filters, limit=100, explain=True
            )
            seen[f"search {question} {filters}"] = (
                found.outcome,
                sorted(
                    (hit.section, hit.lines, hit.snippet, hit.standing, hit.further)
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
            exact = opened.find_exact(
                question.strip('"'), scope=scope, today=TODAY, filters=filters
            )
            seen[f"grep {question} {filters}"] = (
                exact.outcome, exact.matches, exact.lines, exact.documents, exact.without_filters,
            )  # fmt: skip
    status: Status = opened.status(scope=scope, today=TODAY)
    seen["status"] = (
        status.documents, status.types, status.states, status.standings, status.languages,
        status.runs, status.acls, status.failed, status.skipped,
    )  # fmt: skip
    seen["lint"] = [(one.path, one.line, one.code, one.message) for one in opened.lint(scope=scope)]
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
            )  # fmt: skip
    return seen


@pytest.mark.parametrize("seed", range(LIBRARIES))
def test_caller_sees_what_a_library_of_the_readable_alone_would_show(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(1000 + seed)
    documents = random_documents(seed)
    whole = library(tmp_path / "whole", {one.path: one.text for one in documents}, SETTINGS)
    alone: dict[frozenset[str], Library] = {}
    for _ in range(CALLERS):
        caller = random_caller(chance)
        readable = frozenset(one.path for one in documents if may_read(caller, one))
        hidden = [one for one in documents if one.path not in readable]
        got = answers(whole, caller, [one.mark for one in hidden])
        for one in hidden:
            mark = one.mark
            # The caller's own words come back in the effective query; nothing else may.
            others = {question: value for question, value in got.items() if mark not in question}
            assert mark not in repr(others)
        read = pages(whole, caller, documents)
        for one in hidden:
            assert (
                read[one.path]
                == "No such document for you: PATH. Search for it, or check the spelling."
            )
        if not readable:
            assert {value[0] for key, value in got.items() if key.startswith("search")} <= {
                "index-empty"
            }  # type: ignore[index]
            continue
        if readable not in alone:
            kept = {one.path: one.text for one in documents if one.path in readable}
            alone[readable] = library(tmp_path / f"alone-{len(alone)}", kept, SETTINGS)
        wanted = answers(
            alone[readable],
            caller,
            [one.mark for one in hidden],
        )
        for question in wanted:
            assert got[question] == wanted[question], question
        assert {path: read[path] for path in readable} == pages(
            alone[readable], caller, [one for one in documents if one.path in readable]
        )


def test_two_hundred_unreadable_documents_change_nothing_but_order(tmp_path: Path) -> None:
    documents = {one.path: one.text for one in random_documents(77)}
    caller = Caller(subject="ann", groups=frozenset({"sales", "hr"}))
    before = library(tmp_path / "before", documents, SETTINGS)
    hidden = {
        f"vault/{number}.md": f"---\naccess: [board]\n---\n# Refund invoice {canary(number)}\n\n"
        f"refund invoices contractual incidents travels refunc contrac\n"
        for number in range(200, 400)
    }
    after = library(tmp_path / "after", {**documents, **hidden}, SETTINGS)
    questions = [canary(number) for number in range(200, 204)]
    assert answers(before, caller, questions) == answers(after, caller, questions)


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
    from dataclasses import replace

    return replace(where, scope=replace(where.scope, hidden=frozenset()))


def test_without_the_scope_in_the_text_index_counts_leak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "open.md": "# Refunds\n\nrefund policy",
        "secret.md": "---\naccess: [board]\n---\n# Refunds\n\nrefund salaries",
    }
    opened = library(tmp_path, files)
    scope = opened.scope(Caller(subject="ann"))
    assert opened.search("refund", scope=scope, today=TODAY).counts.any_word == 1
    with no_scope_in_tantivy(monkeypatch):
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
    with opened._snapshot() as snapshot:
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
    with opened._snapshot():
        assert opened.search("zebra", scope=scope, today=TODAY).hits == found
    return [(hit.path, hit.snippet) for hit in found]


def test_library_replaced_under_an_open_one_gives_nothing_of_another_callers(
    tmp_path: Path,
) -> None:
    opened = library(tmp_path, TWO)
    scope = opened.scope(ANN)
    assert see(opened, scope) == [("a.md", "«zebra» alpha")]
    shutil.rmtree(tmp_path / ".wellread")
    (tmp_path / "docs" / "a.md").rename(tmp_path / "docs" / "z.md")  # ids are dealt otherwise
    other = Library.open(tmp_path / "wellread.toml")
    other.index()
    for asked in (opened, other):
        for given in (scope, asked.scope(ANN)):
            assert see(asked, given) == [("z.md", "«zebra» alpha")]


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

"""One contract for every engine of the embedded store, through its snapshot."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.shelf import OWNER, library, page
from wellread.library import Library
from wellread.store import catalog
from wellread.store.base import Alternative, Phrase, StoreQuery, TermGroup, Weights
from wellread.store.snapshot import EmbeddedSnapshot
from wellread.types import Caller, Filters, Scope

ENGINES = ("tantivy", "fts5")
NO_FILTERS = Filters()
EVERY = 100

FILES = {
    "title.md": page("# Alpha", title="Zebra rules"),
    "heading.md": page("## Zebra\n\nalpha beta gamma", title="Rules"),
    "body.md": page("## Rules\n\nalpha zebra beta", title="Rules"),
    "sales/plan.md": page(
        "## Plan\n\nzebra crossing near the office door",
        title="Plan", type="playbook", state="draft", owner="legal@example.com",
        tags="[Travel, Money]", updated="2026-03-01", access="[sales]",
    ),
    "sales/deep/plan.md": page(
        "## Other\n\ncrossing zebra by the door of the office",
        title="Deep", type="template", owner="Ann", updated="2026-05-01", access="[hr]",
    ),
    **{f"filler/{number}.md": page("Water the plants.", title="Plants") for number in range(12)},
    "words.md": page("## Words\n\npayment payments paying payroll ERR-4412 customer", title="W"),
}  # fmt: skip


@pytest.fixture(scope="module", params=ENGINES)
def shelf(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp(request.param)
    opened = library(folder, FILES, f'[search]\nlexical = "{request.param}"\n')
    yield opened
    opened.close()


@pytest.fixture
def view(shelf: Library) -> Iterator[EmbeddedSnapshot]:
    with shelf.snapshot() as snapshot:
        yield snapshot


@pytest.fixture
def everything(shelf: Library) -> Scope:
    return shelf.scope(OWNER)


def word(term: str, weight: float = 1.0) -> Alternative:
    return Alternative(kind="word", term=term, weight=weight)


def asks(*groups: tuple[Alternative, ...], phrases: tuple[Phrase, ...] = ()) -> StoreQuery:
    return StoreQuery(groups=tuple(TermGroup(alternatives=one) for one in groups), phrases=phrases)


def paths(
    view: EmbeddedSnapshot, query: StoreQuery, scope: Scope, filters: Filters = NO_FILTERS
) -> list[str]:
    found = view.lexical(query, scope=scope, filters=filters, limit=EVERY)
    records = view.passages([hit.passage_id for hit in found.hits], scope=scope)
    documents = view.documents({one.document_id for one in records.values()}, scope=scope)
    return [documents[records[hit.passage_id].document_id].path for hit in found.hits]


def test_title_counts_more_than_heading_and_heading_more_than_text(
    view: EmbeddedSnapshot, everything: Scope
) -> None:
    found = paths(view, asks((word("zebra"),)), everything)
    assert found[:3] == ["title.md", "heading.md", "body.md"]


def test_group_is_scored_by_its_best_member(view: EmbeddedSnapshot, everything: Scope) -> None:
    alone = view.lexical(asks((word("zebra"),)), scope=everything, filters=NO_FILTERS, limit=1)
    both = view.lexical(
        asks((word("zebra"), word("zebra", 0.5))), scope=everything, filters=NO_FILTERS, limit=1
    )
    assert both.hits[0].passage_id == alone.hits[0].passage_id
    assert both.hits[0].score == pytest.approx(alone.hits[0].score)


def test_counts_are_of_any_and_all_groups(view: EmbeddedSnapshot, everything: Scope) -> None:
    found = view.lexical(
        asks((word("zebra"),), (word("cross"),)), scope=everything, filters=NO_FILTERS, limit=1
    )
    assert (found.any_group, found.all_groups) == (5, 2)
    assert len(found.hits) == 1


def test_group_that_is_not_counted_scores_only(view: EmbeddedSnapshot, everything: Scope) -> None:
    query = StoreQuery(
        groups=(
            TermGroup(alternatives=(word("zebra"),)),
            TermGroup(alternatives=(Alternative(kind="pair", term="zebra_cross"),), counted=False),
        )
    )
    found = view.lexical(query, scope=everything, filters=NO_FILTERS, limit=EVERY)
    assert (found.any_group, found.all_groups) == (5, 5)
    assert paths(view, query, everything).index("sales/plan.md") < paths(
        view, query, everything
    ).index("sales/deep/plan.md")


def test_phrase_is_required_and_adjacent(view: EmbeddedSnapshot, everything: Scope) -> None:
    phrase = Phrase(variants=(("zebra", "cross"),))
    query = asks((word("zebra"),), (word("cross"),), phrases=(phrase,))
    assert paths(view, query, everything) == ["sales/plan.md"]
    assert view.lexical(query, scope=everything, filters=NO_FILTERS, limit=9).any_group == 1


def test_phrase_does_not_run_from_the_title_into_the_text(
    view: EmbeddedSnapshot, everything: Scope
) -> None:
    across = Phrase(variants=(("rule", "alpha"),))
    assert paths(view, asks((word("alpha"),), phrases=(across,)), everything) == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(types=("playbook",)), {"sales/plan.md"}),
        (Filters(types=("playbook", "template")), {"sales/plan.md", "sales/deep/plan.md"}),
        (Filters(states=("draft",)), {"sales/plan.md"}),
        (Filters(owners=("legal",)), {"sales/plan.md"}),
        (Filters(owners=("LEGAL@example.com",)), {"sales/plan.md"}),
        (Filters(owners=("ann",)), {"sales/deep/plan.md"}),
        (Filters(tags=("travel",)), {"sales/plan.md"}),
        (Filters(paths=("sales/**",)), {"sales/plan.md", "sales/deep/plan.md"}),
        (Filters(paths=("sales/*.md",)), {"sales/plan.md"}),
        (Filters(paths=("plan.md",)), {"sales/plan.md", "sales/deep/plan.md"}),
        (Filters(paths=("sales/deep/plan.md", "title.md")), {"sales/deep/plan.md", "title.md"}),
        (Filters(paths=("sales/deep",)), {"sales/deep/plan.md"}),
        (Filters(since=date(2026, 3, 1), until=date(2026, 4, 1)), {"sales/plan.md"}),
        (Filters(until=date(2026, 5, 1), types=("template",)), {"sales/deep/plan.md"}),
        (Filters(types=("template",), states=("draft",)), set()),
    ],
)
def test_filter_narrows_hits_counts_and_texts_alike(
    filters: Filters, expected: set[str], view: EmbeddedSnapshot, everything: Scope
) -> None:
    query = asks((word("zebra"),))
    assert set(paths(view, query, everything, filters)) == expected
    found = view.lexical(query, scope=everything, filters=filters, limit=1)
    assert found.any_group == found.all_groups == len(expected)
    assert view.count(word("zebra"), scope=everything, filters=filters) == len(expected)
    ids = view.document_ids(scope=everything, filters=filters)
    assert {one.path for one in view.documents(ids, scope=everything).values()} >= expected


@pytest.mark.parametrize("groups", [set(), {"sales"}, {"hr"}, {"sales", "hr"}])
def test_scope_narrows_hits_counts_and_terms(
    groups: set[str], shelf: Library, view: EmbeddedSnapshot
) -> None:
    scope = shelf.scope(Caller(subject="ann", groups=frozenset(groups)))
    readable = {"title.md", "heading.md", "body.md"}
    readable |= {"sales/plan.md"} if "sales" in groups else set()
    readable |= {"sales/deep/plan.md"} if "hr" in groups else set()
    assert set(paths(view, asks((word("zebra"),)), scope)) == readable
    assert view.count(word("zebra"), scope=scope, filters=NO_FILTERS) == len(readable)
    crossing = len(readable) - 3
    terms = view.terms(prefix="cros", scope=scope, filters=NO_FILTERS)
    assert [(one.term, one.passages) for one in terms] == (
        [("cross", crossing)] if crossing else []
    )


def test_terms_come_by_prefix_and_by_one_edit(view: EmbeddedSnapshot, everything: Scope) -> None:
    by_prefix = view.terms(prefix="pay", scope=everything, filters=NO_FILTERS)
    assert {one.term for one in by_prefix} >= {"payment", "pay", "payrol"}
    for near in ("paymetn", "paymen", "apyment", "paymentt", "poyment"):
        found = view.terms(near=near, scope=everything, filters=NO_FILTERS)
        assert [(one.term, one.passages) for one in found] == [("payment", 1)], near
    assert view.terms(near="zzzz", scope=everything, filters=NO_FILTERS) == []


def test_parts_of_an_explanation_sum_to_the_score(
    view: EmbeddedSnapshot, everything: Scope
) -> None:
    query = asks((word("zebra"),), (word("cross"), word("door", 0.5)), (word("offic"),))
    found = view.lexical(query, scope=everything, filters=NO_FILTERS, limit=EVERY)
    ids = [hit.passage_id for hit in found.hits]
    sums = dict.fromkeys(ids, 0.0)
    for group in query.groups:
        for passage_id, part in view.group_scores(
            group, ids, scope=everything, filters=NO_FILTERS
        ).items():
            sums[passage_id] += part.value
    assert sums == pytest.approx({hit.passage_id: hit.score for hit in found.hits}, rel=1e-4)
    assert max(sums.values()) > 0


def test_tantivy_ranks_by_one_bm25_over_weighted_frequencies(tmp_path: Path) -> None:
    """Against the formula itself: k1 1.2, b 0.75, one idf, weights 5, 3, 1 (short texts, whose
    lengths the engine's one byte keeps exactly)."""
    texts = {
        "a.md": page("kappa iota", title="zebra"),
        "b.md": page("## zebra\n\nkappa iota tau", title="omega"),
        "c.md": page("zebra kappa", title="omega"),
        "d.md": page("kappa kappa", title="omega"),
    }
    with library(tmp_path, texts) as opened, opened.snapshot() as view:
        found = view.lexical(
            asks((word("zebra"),)), scope=opened.scope(OWNER), filters=NO_FILTERS, limit=9
        )
    weights = Weights()
    lengths = {"a": 5 + 2, "b": 5 + 3 + 3, "c": 5 + 2, "d": 5 + 2}
    frequency = {"a": weights.title, "b": weights.heading, "c": weights.body}
    # The marker of the generation is a document of length 0.
    total = len(lengths) + 1
    average = sum(lengths.values()) / total
    idf = math.log(1 + (total - 3 + 0.5) / (3 + 0.5))
    wanted = sorted(
        (
            idf * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * lengths[name] / average))
            for name, tf in frequency.items()
        ),
        reverse=True,
    )
    assert [hit.score for hit in found.hits] == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("engine", ENGINES)
def test_removed_document_is_gone_and_its_ids_are_never_used_again(
    engine: str, tmp_path: Path
) -> None:
    settings = f'[search]\nlexical = "{engine}"\n'
    with library(
        tmp_path, {"a.md": "This is the zebra.", "b.md": "This is the other zebra."}, settings
    ) as opened:
        seen: set[int] = set()
        for round_ in range(3):
            with opened.snapshot() as view:
                found = view.lexical(
                    asks((word("zebra"),)), scope=opened.scope(OWNER), filters=NO_FILTERS, limit=9
                )
            ids = {hit.passage_id for hit in found.hits}
            assert len(ids) == 2
            assert found.any_group == 2
            fresh = ids - seen
            assert len(fresh) == (2 if round_ == 0 else 1)
            seen |= ids
            (tmp_path / "docs" / "b.md").write_text(f"This is the zebra of {round_}.")
            opened.index()


def test_text_index_a_generation_behind_neither_leaks_nor_counts_nor_invents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "stays.md": "zebra stays",
        "goes.md": "zebra goes",
        "closes.md": "zebra closes",
        "changes.md": "zebra changes",
    }
    opened = library(tmp_path, files)
    docs = tmp_path / "docs"
    (docs / "goes.md").unlink()
    (docs / "closes.md").write_text("---\naccess: [hr]\n---\nzebra closes")
    (docs / "changes.md").write_text("a horse, changed")
    (docs / "new.md").write_text("zebra new")
    with monkeypatch.context() as patch:
        patch.setattr(
            "wellread.store.tantivy_index.TantivyWriter.commit", lambda self, generation: None
        )
        opened.index()
    scope = opened.scope(Caller(subject="ann"))
    with opened.snapshot() as view:
        assert view.behind
        query = asks((word("zebra"),))
        assert paths(view, query, scope) == ["stays.md"]
        found = view.lexical(query, scope=scope, filters=NO_FILTERS, limit=1)
        assert (found.any_group, found.all_groups) == (1, 1)
        assert view.count(word("zebra"), scope=scope, filters=NO_FILTERS) == 1
        assert [
            one.passages for one in view.terms(prefix="zeb", scope=scope, filters=NO_FILTERS)
        ] == [1]
    opened.index()
    with opened.snapshot() as view:
        assert not view.behind
        assert set(paths(view, query, opened.scope(Caller(subject="ann")))) == {
            "stays.md",
            "new.md",
        }
        assert set(paths(view, query, opened.scope(OWNER))) == {"stays.md", "new.md", "closes.md"}


def test_records_are_told_though_what_is_kept_is_cleared_meanwhile(
    shelf: Library, everything: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "RECORD_CACHE_SIZE", 3)
    with shelf.snapshot() as snapshot:
        ids = list(snapshot.document_ids(scope=everything, filters=NO_FILTERS))
        snapshot.catalog.cache.clear()
        for count in range(1, len(ids) + 1):
            assert snapshot.documents(ids[:count], scope=everything).keys() == set(ids[:count])


def test_a_page_may_have_more_links_than_sqlite_takes_parameters(
    shelf: Library, everything: Scope
) -> None:
    with shelf.snapshot() as snapshot:
        connection = snapshot.catalog.connection
        most = connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 10)
        try:
            paths = [f"no/{number}.md" for number in range(50)] + list(FILES)
            found = snapshot.find_all(paths, scope=everything)
            ids = [record.id for record in found.values()]
            assert found.keys() == set(FILES)
            snapshot.catalog.cache.clear()
            assert len(snapshot.documents(ids, scope=everything)) == len(FILES)
            assert len(snapshot.files(ids, scope=everything)) == len(FILES)
        finally:
            connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, most)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_word_that_left_with_its_document_is_no_words_relative(
    tmp_path: Path, engine: str
) -> None:
    files = {**FILES, "gone.md": page("zyxwvutonic rocks")}
    with library(tmp_path, files, f'[search]\nlexical = "{engine}"\n') as opened:
        scope = opened.scope(OWNER)
        with opened.snapshot() as snapshot:
            found = snapshot.terms(prefix="zyxwvu", scope=scope, filters=NO_FILTERS)
            assert [term.passages for term in found] == [1]
        (tmp_path / "docs" / "gone.md").unlink()
        opened.index()
        scope = opened.scope(OWNER)
        with opened.snapshot() as snapshot:
            assert snapshot.terms(prefix="zyxwvu", scope=scope, filters=NO_FILTERS) == []

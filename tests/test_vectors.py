"""The matrix of vectors against the same done by hand: scope and filters before the nearest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellread.errors import StoreUnavailable, VectorsRefused
from wellread.store.base import PassageRow

np = pytest.importorskip("numpy", reason="the extra [vectors] is not installed")

from wellread.vectors import (  # noqa: E402
    Matrix,
    current_version,
    largest,
    medians,
    open_matrix,
    write_matrix,
)

LANGUAGES = ("en", "ru", "de")


def unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def made(folder: Path, count: int = 600, dimensions: int = 24, seed: int = 1) -> Matrix:
    """Random vectors; passage ids with gaps, two passages a document, seven acls."""
    random = np.random.default_rng(seed)
    vectors = unit(random.standard_normal((count, dimensions))).astype(np.float16)
    rows = [
        PassageRow(id=3 * n + 1, document_id=n // 2, acl_id=n % 7, language=LANGUAGES[n % 3])
        for n in range(count)
    ]
    hashes = {row.id: row.id.to_bytes(16, "big") for row in rows}
    write_matrix(
        folder, model="m", dimensions=dimensions, generation=1, rows=rows, hashes=hashes,
        vectors={hashes[row.id]: vector.tobytes() for row, vector in zip(rows, vectors, strict=True)},
        before=None,
    )  # fmt: skip
    found = open_matrix(folder)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return made(tmp_path_factory.mktemp("vectors"))


@given(
    seed=st.integers(0, 1000),
    acls=st.none() | st.frozensets(st.integers(0, 8)),
    documents=st.none() | st.frozensets(st.integers(0, 320), max_size=300),
    limit=st.integers(1, 60),
)
def test_nearest_are_those_of_scope_and_filters_and_no_others(
    matrix: Matrix, seed: int, acls: Any, documents: Any, limit: int
) -> None:
    query = unit(np.random.default_rng(seed).standard_normal(24)).astype(np.float32)
    found = matrix.search(query, matrix.columns, acls=acls, documents=documents, limit=limit)
    cosines = matrix.vectors.astype(np.float32) @ query
    rows = [
        n
        for n in range(len(matrix.ids))
        if (acls is None or n % 7 in acls) and (documents is None or n // 2 in documents)
    ]
    expected = sorted(rows, key=lambda n: -cosines[n])[:limit]
    assert found.rows == len(rows)
    # Half precision may swap neighbours that are as good as equal.
    got = [hit.cosine for hit in found.hits]
    assert got == pytest.approx([float(cosines[n]) for n in expected], abs=2e-3)
    assert {(hit.passage_id - 1) // 3 for hit in found.hits} <= set(rows)
    for hit in found.hits:
        assert hit.language == LANGUAGES[(hit.passage_id - 1) // 3 % 3]


def test_passages_asked_about_have_their_cosines_only_where_they_are_in_scope(
    matrix: Matrix,
) -> None:
    query = unit(np.ones(24)).astype(np.float32)
    also = [1, 4, 7, 2, 99_999]  # the first three exist, of acls 0, 1 and 2
    found = matrix.search(query, matrix.columns, acls={0, 2}, documents=None, limit=1, also=also)
    assert sorted(found.others) == [1, 7]
    cosine = float(matrix.vectors[0].astype(np.float32) @ query)
    assert found.others[1].cosine == pytest.approx(cosine, abs=2e-3)


def test_median_is_of_the_scope_and_not_of_what_a_filter_leaves(matrix: Matrix) -> None:
    query = unit(np.ones(24)).astype(np.float32)
    whole = matrix.search(query, matrix.columns, acls={1, 2}, documents=None, limit=5)
    narrow = matrix.search(query, matrix.columns, acls={1, 2}, documents={1, 4}, limit=5)
    assert narrow.medians == pytest.approx(whole.medians, abs=1e-6)


def test_language_of_few_passages_has_the_median_of_all() -> None:
    cosines = np.linspace(0, 1, 101, dtype=np.float32)
    languages = np.array([0] * 96 + [1] * 5)
    found = medians(cosines, languages, ("en", "ru"))
    assert found["en"] == pytest.approx(0.475)
    assert found["ru"] == pytest.approx(0.5)


def test_of_equal_values_the_first_come_first() -> None:
    assert largest(np.array([1.0, 3.0, 3.0, 2.0, 3.0]), 4).tolist() == [1, 2, 4, 3]
    assert largest(np.array([1.0]), 4).tolist() == [0]
    assert largest(np.array([]), 4).tolist() == []


def test_query_of_another_length_is_refused_with_the_command_that_helps(matrix: Matrix) -> None:
    with pytest.raises(VectorsRefused, match=r"24 dimensions.*has 8.*--reembed"):
        matrix.search(np.ones(8), matrix.columns, acls=None, documents=None, limit=1)


def test_catalog_that_has_moved_on_decides_what_is_there_and_whose_it_is(matrix: Matrix) -> None:
    query = unit(np.ones(24)).astype(np.float32)
    now = [PassageRow(id=1, document_id=0, acl_id=50, language="en")]
    columns = matrix.columns_at(2, lambda: now)
    everything = matrix.search(query, columns, acls=None, documents=None, limit=50)
    assert [hit.passage_id for hit in everything.hits] == [1]
    assert matrix.search(query, columns, acls={0}, documents=None, limit=50).hits == ()
    assert matrix.counts(columns) == {50: 1}


def test_rows_of_before_are_copied_and_those_that_are_gone_are_not(tmp_path: Path) -> None:
    before = made(tmp_path, count=10)
    rows = [PassageRow(id=one, document_id=0, acl_id=0, language="en") for one in (4, 7, 1000)]
    new = np.ones(24, dtype=np.float16)
    write_matrix(
        tmp_path, model="m", dimensions=24, generation=2, rows=rows,
        hashes={1000: b"n" * 16}, vectors={b"n" * 16: new.tobytes()}, before=before,
    )  # fmt: skip
    after = open_matrix(tmp_path)
    assert after is not None
    assert after.ids.tolist() == [4, 7, 1000]
    assert np.array_equal(after.vectors[:2], before.vectors[1:3])
    assert np.array_equal(after.vectors[2], new)
    assert after.hashes[0].tobytes() == (4).to_bytes(16, "big")
    # The version that a reader still has goes on to answer.
    query = unit(np.ones(24)).astype(np.float32)
    assert len(before.search(query, before.columns, acls=None, documents=None, limit=50).hits) == 10
    assert len([one for one in tmp_path.iterdir() if one.is_dir()]) == 1


def test_mean_lies_between_its_passages(matrix: Matrix) -> None:
    mean = matrix.mean_of([1, 4])
    expected = unit(matrix.vectors[:2].astype(np.float32).mean(axis=0))
    assert np.allclose(mean, expected, atol=1e-3)
    assert matrix.mean_of([2]) is None


def test_matrix_that_cannot_be_read_says_what_to_do(tmp_path: Path) -> None:
    made(tmp_path, count=4)
    version = current_version(tmp_path)
    assert version is not None
    (tmp_path / version / "ids.npy").write_bytes(b"not an array")
    with pytest.raises(StoreUnavailable, match="run `wellread index`"):
        open_matrix(tmp_path)


def test_matrix_without_a_row_is_one(tmp_path: Path) -> None:
    rows = [PassageRow(id=1, document_id=1, acl_id=1, language="en")]
    write_matrix(
        tmp_path, model="m", dimensions=0, generation=1, rows=rows, hashes={1: b"x" * 16},
        vectors={}, before=None,
    )  # fmt: skip
    found = open_matrix(tmp_path)
    assert found is not None
    assert (found.meta.rows, found.meta.passages) == (0, 1)

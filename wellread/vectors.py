"""Searching by vectors: every passage's vector in one matrix, memory-mapped.

The matrix is derived: rows are copied from the journal's embeddings and follow a generation of
the catalog. Its columns say for each row which passage it is, of which document, acl and language,
so that scope and filters hold before the nearest are taken. Where the catalog has moved on, those
columns are read from the catalog instead: a row may be missing for a moment, never misplaced.

A version of the matrix is a folder of its own that never changes; ``current`` names it.
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wellread.errors import StoreUnavailable, VectorsRefused
from wellread.store.base import DenseHit, DenseResult, PassageRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.int64]
    Rows = NDArray[np.float16]
    Mask = NDArray[np.bool_]

CURRENT = "current"
META = "meta.json"

HASH_BYTES = 16

SAMPLE = 2_000
"""Passages of a language whose cosines give the median: with 2,000 of a normal distribution its
standard error is 0.03 of the spread."""

FEW_OF_A_LANGUAGE = 20
"""Of fewer passages no median is taken; all languages together give it then."""

GATHERED_SHARE = 8
"""Below this share of the rows (an eighth) they are copied together first: copying a row costs
about as much as reading it twice."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixMeta:
    """What a version of the matrix is of. ``passages`` counts those of the catalog, with or
    without a vector; ``dimensions`` is 0 where there is no vector at all."""

    model: str
    dimensions: int
    generation: int
    passages: int
    rows: int
    languages: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Columns:
    """For each row: the passage's document, acl and language (an index into ``languages``);
    ``live`` is ``None`` where every row is in the catalog."""

    documents: Column
    acls: Column
    languages: Column
    names: tuple[str, ...]
    live: Mask | None = None


class Matrix:
    """One version, opened for reading. Safe to share between threads."""

    def __init__(self, folder: Path, meta: MatrixMeta) -> None:
        import numpy as np

        def column(name: str) -> Any:
            return np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)

        self.folder = folder
        self.meta = meta
        self.ids: Column = column("ids")
        self.hashes: NDArray[np.uint8] = column("hashes")
        self.vectors: Rows = column("vectors")
        self.columns = Columns(
            documents=column("documents"),
            acls=column("acls"),
            languages=column("languages"),
            names=meta.languages,
        )
        self._followed: tuple[int, Columns] | None = None
        self._counted: tuple[Columns, dict[int, int]] | None = None

    def columns_at(self, generation: int, rows: Callable[[], Iterable[PassageRow]]) -> Columns:
        """The columns as of another generation, from the catalog's rows."""
        known = self._followed
        if known is not None and known[0] == generation:
            return known[1]
        columns = follow(self.ids, rows())
        self._followed = (generation, columns)
        return columns

    def counts(self, columns: Columns) -> dict[int, int]:
        """How many rows of each acl there are."""
        import numpy as np

        known = self._counted
        if known is None or known[0] is not columns:
            acls = columns.acls if columns.live is None else columns.acls[columns.live]
            values, counts = np.unique(acls, return_counts=True)
            known = columns, dict(zip(values.tolist(), counts.tolist(), strict=True))
            self._counted = known
        return known[1]

    def search(
        self,
        query: Any,
        columns: Columns,
        *,
        acls: Collection[int] | None,
        documents: Collection[int] | None,
        limit: int,
        also: Sequence[int] = (),
    ) -> DenseResult:
        """The nearest rows among those of ``acls`` and ``documents`` (``None``: all), and the
        median cosine of each language among those of ``acls``; ``also`` names passages whose
        cosines are wanted whatever their rank. Raises ``VectorsRefused`` for a query of another
        length."""
        import numpy as np

        if query.shape != (self.meta.dimensions,):
            raise VectorsRefused(
                f"The vectors of the library have {self.meta.dimensions} dimensions, the query's "
                f"has {query.shape[0]}. Run `wellread index --reembed` to embed all passages anew."
            )
        mask = allowed(columns, acls, documents)
        rows = None if mask is None else np.flatnonzero(mask)
        if rows is not None and not len(rows):
            return DenseResult(hits=(), others={}, medians={}, rows=0)
        sampled = None if documents is None else self._sampled(query, columns, acls)
        if rows is not None and len(rows) * GATHERED_SHARE >= len(self.ids):
            cosines = dots(query, self.vectors)[rows]
        elif rows is not None:
            cosines = dots(query, self.vectors[rows])
        else:
            cosines = dots(query, self.vectors)
        languages = columns.languages if rows is None else columns.languages[rows]
        best = largest(cosines, limit)
        return DenseResult(
            hits=self._hits(best, rows, cosines, columns),
            others=self._others(also, rows, cosines, columns),
            medians=sampled or medians(cosines, languages, columns.names),
            rows=len(cosines),
        )

    def _sampled(
        self, query: Any, columns: Columns, acls: Collection[int] | None
    ) -> dict[str, float]:
        """The medians of all in scope, whatever the filters: of the few that a filter leaves,
        half would be below their own median."""
        import numpy as np

        mask = allowed(columns, acls, None)
        rows = np.arange(len(self.ids)) if mask is None else np.flatnonzero(mask)
        languages = columns.languages[rows]
        chosen = [
            of_one[:: max(1, len(of_one) // SAMPLE)]
            for number in range(len(columns.names))
            if len(of_one := rows[languages == number])
        ]
        sample = np.concatenate(chosen)
        cosines = dots(query, self.vectors[sample])
        return medians(cosines, columns.languages[sample], columns.names)

    def mean_of(self, passages: Sequence[int]) -> Any:
        """The direction in which the vectors of these passages lie together, of length one;
        ``None`` where none has a vector."""
        import numpy as np

        rows = self._rows_of(passages)
        if not len(rows):
            return None
        mean = self.vectors[rows].astype(np.float32).mean(axis=0)
        length = float(np.linalg.norm(mean))
        return mean / length if length else None

    def _rows_of(self, passages: Sequence[int]) -> Column:
        """The rows of those of the passages that have one."""
        import numpy as np

        wanted = np.asarray(passages, dtype=np.int64)
        if not len(self.ids) or not len(wanted):
            return np.empty(0, dtype=np.int64)
        found = np.searchsorted(self.ids, wanted)
        found[found == len(self.ids)] = 0
        rows: Column = found[self.ids[found] == wanted]
        return rows

    def _others(
        self, also: Sequence[int], rows: Column | None, cosines: Any, columns: Columns
    ) -> dict[int, DenseHit]:
        import numpy as np

        wanted = self._rows_of(also)
        if rows is not None:
            found = np.searchsorted(rows, wanted)
            found[found == len(rows)] = 0
            wanted = found[rows[found] == wanted]
        return {hit.passage_id: hit for hit in self._hits(wanted, rows, cosines, columns)}

    def _hits(
        self, places: Any, rows: Column | None, cosines: Any, columns: Columns
    ) -> tuple[DenseHit, ...]:
        """Hits for places among the cosines."""
        at = places if rows is None else rows[places]
        return tuple(
            DenseHit(passage_id=passage, cosine=cosine, language=columns.names[language])
            for passage, cosine, language in zip(
                self.ids[at].tolist(),
                cosines[places].tolist(),
                columns.languages[at].tolist(),
                strict=True,
            )
        )


def allowed(
    columns: Columns, acls: Collection[int] | None, documents: Collection[int] | None
) -> Mask | None:
    """Which rows count; ``None`` for all of them."""
    import numpy as np

    mask = columns.live
    for column, wanted in ((columns.acls, acls), (columns.documents, documents)):
        if wanted is not None:
            values = np.fromiter(wanted, dtype=np.int64, count=len(wanted))
            # By a table of all ids: they are small numbers (m: 149k rows against 6,000 ids
            # 0.4 ms, by sorting 9).
            inside = np.isin(column, values, kind="table" if len(values) else None)
            mask = inside if mask is None else mask & inside
    return mask


def dots(query: Any, vectors: Any) -> Any:
    """The dot product of a vector with every row, as float32."""
    import numkong
    import numpy as np

    if not len(vectors):
        return np.empty(0, dtype=np.float32)
    wide = query.astype(np.float16).reshape(1, -1)
    found = numkong.cdist(wide, np.ascontiguousarray(vectors), metric="dot")
    return np.asarray(found, dtype=np.float32).reshape(-1)


def largest(values: Any, limit: int) -> Any:
    """Where the largest values are, the largest first; of equal ones the first first."""
    import numpy as np

    if limit < len(values):
        bound = np.partition(values, len(values) - limit)[len(values) - limit]
        places = np.flatnonzero(values >= bound)
    else:
        places = np.arange(len(values))
    return places[np.argsort(-values[places], kind="stable")][:limit]


def medians(cosines: Any, languages: Any, names: Sequence[str]) -> dict[str, float]:
    """The median cosine of a sample of each language's passages."""
    import numpy as np

    def median(values: Any) -> float:
        return float(np.median(values[:: max(1, len(values) // SAMPLE)]))

    overall = median(cosines) if len(cosines) else 0.0
    counts = np.bincount(languages, minlength=len(names))
    one_language = int((counts > 0).sum()) == 1
    return {
        name: median(cosines[languages == number])
        if count >= FEW_OF_A_LANGUAGE and not one_language
        else overall
        for number, (name, count) in enumerate(zip(names, counts.tolist(), strict=True))
        if count
    }


def follow(ids: Column, rows: Iterable[PassageRow]) -> Columns:
    """Columns for the rows of these ids as the catalog has them now."""
    import numpy as np

    now = {row.id: row for row in rows}
    names = tuple(sorted({row.language for row in now.values()})) or ("en",)
    number = {name: place for place, name in enumerate(names)}
    gone = PassageRow(id=-1, document_id=0, acl_id=0, language=names[0])
    found = [now.get(passage, gone) for passage in ids.tolist()]
    return Columns(
        documents=np.array([row.document_id for row in found], dtype=np.int64),
        acls=np.array([row.acl_id for row in found], dtype=np.int64),
        languages=np.array([number[row.language] for row in found], dtype=np.int64),
        names=names,
        live=np.array([row.id >= 0 for row in found], dtype=np.bool_),
    )


# --- files ---------------------------------------------------------------------------------


def vectors_folder(library: Path, library_id: str) -> Path:
    """Where the matrix of a library is, named so that a replaced library never finds another's."""
    return library / f"vectors-{library_id}"


def current_version(folder: Path) -> str | None:
    """The name of the version that holds now, or ``None`` where there is none."""
    try:
        return (folder / CURRENT).read_text(encoding="ascii").strip() or None
    except FileNotFoundError:
        return None


def read_meta(folder: Path, version: str) -> MatrixMeta | None:
    """What a version is of; ``None`` where it is gone. Takes no numpy."""
    try:
        written = json.loads((folder / version / META).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return MatrixMeta(**{**written, "languages": tuple(written["languages"])})


def vectors_found(library: Path) -> MatrixMeta | None:
    """What the matrix in a library folder is of, whichever catalog's it is. Takes no numpy."""
    for folder in library.glob("vectors-*"):
        version = current_version(folder)
        if version is not None:
            return read_meta(folder, version)
    return None


def open_matrix(folder: Path) -> Matrix | None:
    """The version that holds now, or ``None``. Raises ``StoreUnavailable``."""
    while (version := current_version(folder)) is not None:
        try:
            meta = read_meta(folder, version)
            if meta is not None:
                return Matrix(folder / version, meta)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise StoreUnavailable(
                f"The vectors at {folder / version} cannot be read: {error}. Delete that folder "
                "and run `wellread index`: they are in the journal, and are put together anew."
            ) from error
        if current_version(folder) == version:  # not replaced while it was being opened
            return None
    return None


def write_matrix(
    folder: Path,
    *,
    model: str,
    dimensions: int,
    generation: int,
    rows: Sequence[PassageRow],
    hashes: Mapping[int, bytes],
    vectors: Mapping[bytes, bytes],
    before: Matrix | None,
) -> MatrixMeta:
    """Write a version and make it the current one. ``rows`` are all passages of the catalog in
    the order of their ids, ``hashes`` those of their texts; ``vectors`` are float16 bytes by
    hash, for passages that ``before`` does not have. Passages with neither have no row."""
    import numpy as np

    old: dict[int, int] = {}
    if before is not None and before.meta.model == model:
        old = {passage: row for row, passage in enumerate(before.ids.tolist())}
    kept = [row for row in rows if row.id in old or hashes.get(row.id) in vectors]
    names = tuple(sorted({row.language for row in kept}))
    number = {name: place for place, name in enumerate(names)}
    digests = dict(hashes)
    if before is not None:
        for row in kept:
            if row.id not in digests:
                digests[row.id] = before.hashes[old[row.id]].tobytes()
    partial = folder / f"new-{uuid.uuid4().hex[:8]}"
    try:
        partial.mkdir(parents=True, mode=0o700)
        if kept:
            matrix = np.lib.format.open_memmap(
                partial / "vectors.npy", mode="w+", dtype=np.float16, shape=(len(kept), dimensions)
            )
            copied = [place for place, row in enumerate(kept) if row.id in old]
            if before is not None:
                matrix[copied] = before.vectors[[old[kept[place].id] for place in copied]]
            for place, row in enumerate(kept):
                if row.id not in old:
                    matrix[place] = np.frombuffer(vectors[digests[row.id]], dtype=np.float16)
            matrix.flush()
            del matrix
        else:
            np.save(partial / "vectors.npy", np.empty((0, dimensions), dtype=np.float16))
        columns: dict[str, Any] = {
            "ids": np.array([row.id for row in kept], dtype=np.int64),
            "documents": np.array([row.document_id for row in kept], dtype=np.int64),
            "acls": np.array([row.acl_id for row in kept], dtype=np.int64),
            "languages": np.array([number[row.language] for row in kept], dtype=np.int64),
            "hashes": np.frombuffer(
                b"".join(digests[row.id] for row in kept), dtype=np.uint8
            ).reshape(len(kept), HASH_BYTES),
        }
        for name, column in columns.items():
            np.save(partial / f"{name}.npy", column)
        meta = MatrixMeta(
            model=model,
            dimensions=dimensions,
            generation=generation,
            passages=len(rows),
            rows=len(kept),
            languages=names,
        )
        (partial / META).write_text(json.dumps(asdict(meta)), encoding="utf-8")
        version = f"{generation}-{partial.name[4:]}"
        partial.rename(folder / version)
        pointer = folder / f"{CURRENT}.new"
        pointer.write_text(version, encoding="ascii")
        pointer.replace(folder / CURRENT)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise StoreUnavailable(
            f"The vectors could not be written: {error}. Nothing is lost: mend the cause (room on "
            "the disk, the folder's permissions) and run `wellread index` again."
        ) from error
    _remove_versions(folder, but=version)
    return meta


def _remove_versions(folder: Path, *, but: str) -> None:
    """Remove older versions; a reader that has one open keeps it until it lets go."""
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != but:
            with suppress(OSError):
                shutil.rmtree(entry)


def remove_other_matrices(library: Path, *, but: Path) -> None:
    """Remove the matrices of catalogs that are no more."""
    for entry in library.iterdir():
        if entry.is_dir() and entry.name.startswith("vectors-") and entry != but:
            shutil.rmtree(entry, ignore_errors=True)

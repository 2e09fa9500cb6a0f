"""nDCG@10 on judged sets, through the product: files, index, ``Library.search``."""

from __future__ import annotations

from benchmarks.data import Missing, judged
from benchmarks.libraries import OWNER, TODAY, configure, index
from benchmarks.measure import Row, Table
from wellread.library import Library

SETS = (
    ("scifact", "tantivy", 0.70),
    ("scifact", "fts5", None),
    ("xquad-ru", "tantivy", 0.955),
    ("xquad-ru", "fts5", None),
    ("xquad-en", "tantivy", None),
    ("cranfield", "tantivy", None),
    ("deep-rag-gitlab", "tantivy", 0.845),
)
"""Set, engine and target. The two engines may differ by ``ENGINES`` at most."""

ENGINES = 0.01
HITS = 50
"""A page that holds ten documents for certain: a document has three hits at most."""


def quality(table: Table) -> None:
    known: dict[str, float] = {}
    for name, engine, target in SETS:
        try:
            value = measured(name, engine)
        except (Missing, ImportError) as error:
            table.add(
                Row(
                    what=f"{name}, {engine}, nDCG@10",
                    figure="not measured",
                    reference=str(error),
                    target="" if target is None else f"≥ {target}",
                    met=None,
                )
            )
            continue
        reference, bound, met = "", "", None
        if target is not None:
            bound, met = f"≥ {target}", value >= target
        elif name in known:
            reference = f"tantivy {known[name]:.4f}"
            bound, met = f"within {ENGINES}", abs(value - known[name]) <= ENGINES
        known.setdefault(name, value)
        table.add(
            Row(
                what=f"{name}, {engine}, nDCG@10",
                figure=f"{value:.4f}",
                reference=reference,
                target=bound,
                met=met,
            )
        )


def measured(name: str, engine: str) -> float:
    import ir_measures

    judgements = judged(name)
    config = configure(f"{name}-{engine}", judgements.root, "[search]", f'lexical = "{engine}"')
    index(config)
    found: dict[str, dict[str, float]] = {}
    with Library.open(config) as library:
        scope = library.scope(OWNER)
        for query, text in judgements.queries.items():
            hits = library.search(text, scope=scope, today=TODAY, limit=HITS).hits
            paths = dict.fromkeys(hit.path for hit in hits)
            found[query] = {
                judgements.names[path]: float(len(paths) - rank)
                for rank, path in enumerate(paths)
                if path in judgements.names
            }
    measure = ir_measures.parse_measure("nDCG@10")
    return float(ir_measures.calc_aggregate([measure], judgements.qrels, found)[measure])

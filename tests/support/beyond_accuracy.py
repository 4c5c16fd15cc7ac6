"""Measure strings and random inputs of measures beyond accuracy."""

from typing import Any

import pandas as pd
from hypothesis import strategies as st

from ltr_sql.catalogue.functions import TABLES
from ltr_sql.catalogue.measures import Definition
from support.case_folders import Row

DOCUMENTS = ["a", "b", "c", "d", "e", "f"]
OTHER_VALUES: dict[str, list[Any]] = {
    "k": [1, 3, 20],
    "universe": ["shown"],
    "features": ["vector"],
    "empty": ["skip"],
    "base": ["2"],
    "divisor": ["shown"],
    "least": [2],
    "queries": ["history"],
    "cold": ["skip", "zero"],
    "frequency": ["rows"],
    "outside": ["count"],
    "popularity": ["documents"],
    "tail": [0.3, 0],
    "alpha": [0.5, 1],
    "divergence": ["js"],
    "exposure": ["log1", "rbp", "geometric"],
    "p": [0.3],
    "depth": [3],
    "counts": ["all"],
    "per": ["relevance"],
}


def strings_of(definition: Definition) -> list[str]:
    """Return measure strings with defaults, and with another value of each parameter."""
    required: dict[str, Any] = {"k": 2} if definition.cutoff == "required" else {}
    changes: list[dict[str, Any]] = [
        {},
        *({p.name: value} for p in definition.parameters for value in OTHER_VALUES[p.name]),
    ]
    texts = []
    for change in changes:
        values = required | change
        at = f"@{values.pop('k')}" if "k" in values else ""
        texts.append(f"{definition.name}({', '.join(f'{name}={value}' for name, value in values.items())}){at}")
    return list(dict.fromkeys(texts))


GROUPS_OF_A_DOCUMENT: list[list[tuple[str | None, float | None]]] = [
    [(None, None)],
    [("A", None)],
    [("B", 1.0)],
    [("A", 0.25), ("B", 0.75)],
    [("A", 0.5), (None, 0.5)],
    [("A", 0.0), ("B", 1.0)],
]
TARGETS_OF: st.SearchStrategy[list[str | None]] = st.sampled_from([[None], ["q1", "q2", "q3"]])


@st.composite
def inputs(draw: st.DrawFn) -> dict[str, list[Row]]:
    """Draw a run of two systems and tables, with documents that the tables lack, and queries without history."""
    some = st.lists(st.sampled_from(DOCUMENTS), max_size=5, unique=True)
    categories: st.SearchStrategy[list[str | None]] = st.sampled_from([[None], ["u"], ["v"], ["u", "w"]])
    lists = {(s, q): draw(some) for s in "xy" for q in ("q1", "q2", "q3")}
    documents = [
        {
            "doc_id": d,
            "category": category,
            "popularity": popularity,
            "group": group,
            "weight": weight,
            "vector": vector,
        }
        for d in draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True))
        for popularity, groups, vector in [
            (
                draw(st.sampled_from([None, 0.0, 1.5, 3.0])),
                draw(st.sampled_from(GROUPS_OF_A_DOCUMENT)),
                draw(st.sampled_from([None, [1.0, 0.0], [-0.5, 0.1], [2.0, 2.0]])),
            )
        ]
        for group, weight in groups
        for category in draw(categories)
    ]
    # Targets of all queries, or of each query.
    shares = {query: draw(st.sampled_from([0.0, 0.25, 0.5])) for query in draw(TARGETS_OF)}
    return {
        "run": [
            {"system": s, "query_id": q, "doc_id": d, "rank": i}
            for (s, q), found in lists.items()
            for i, d in enumerate(found, start=1)
        ],
        "documents": documents,
        "history": [{"query_id": q, "doc_id": d} for q in ("q1", "q2", "q4") for d in draw(some)],
        "targets": [
            {"query_id": query, "group": group, "share": part}
            for query, share in shares.items()
            for group, part in {"A": share, "B": 0.75 - share, "C": 0.25}.items()
        ],
        "qrels": [
            {"query_id": q, "doc_id": d, "relevance": draw(st.sampled_from([None, -1, 0, 1, 2.5]))}
            for q in ("q1", "q3", "q5")
            for d in draw(some)
        ],
        "baseline": [
            {"query_id": q, "doc_id": d, "rank": i} for q in ("q1", "q2") for i, d in enumerate(draw(some), 1)
        ],
    }


COLUMNS = {"run": ["system", "query_id", "doc_id", "rank"]} | {
    name: [*ids, *types] for name, (ids, types) in TABLES.items() if name != "baseline"
}
COLUMNS["baseline"] = ["query_id", "doc_id", "rank"]
KINDS = {"rank": "Int64"} | dict.fromkeys(["popularity", "share", "relevance", "weight"], "Float64")


def frame_of(rows: list[Row], columns: list[str]) -> pd.DataFrame:
    kinds = {name: "object" if name == "vector" else KINDS.get(name, "str") for name in columns}
    return pd.DataFrame({n: pd.Series([row[n] for row in rows], dtype=kind) for n, kind in kinds.items()})

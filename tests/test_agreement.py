"""Rankings compared with each other: `ltr_sql.agreement` and `ltr.compare_rankings`, against the oracle."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import ltr_sql
from ltr_sql import oracle
from ltr_sql.verification import TOLERANCE, difference

MEASURES = ["KendallTau", "RBO(p=0.8)", "Overlap@5", "Jaccard@5", "Spearman", "Footrule@10", "FaginK@10"]
SYSTEMS = ("bm25", "dense", "mixed")


def runs(seed: int, queries: int = 12) -> dict[str, pd.DataFrame]:
    """Runs of several systems over much the same queries and documents, with tied scores."""
    rng = np.random.default_rng(seed)
    found = {}
    for number, system in enumerate(SYSTEMS):
        rows = [
            (f"q{query}", f"d{document}", float(rng.integers(0, 20)))
            for query in range(number, queries)
            for document in rng.choice(40, size=int(rng.integers(0, 30)), replace=False)
        ]
        found[system] = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    return found


def ranks(run: pd.DataFrame, query: str) -> dict[str, int]:
    """The ranks of a query's documents: score descending, then doc_id descending."""
    rows = run[run["query_id"] == query]
    ordered = sorted(zip(rows["score"], rows["doc_id"], strict=True), reverse=True)
    return {document: place for place, (_, document) in enumerate(ordered, 1)}


def expected(a: pd.DataFrame, b: pd.DataFrame) -> dict[str, list[float]]:
    """The values of MEASURES for each query of either run, from the oracle."""
    values = {}
    for query in {*a["query_id"], *b["query_id"]}:
        in_a, in_b = ranks(a, query), ranks(b, query)
        documents = [*in_a, *(document for document in in_b if document not in in_a)]
        places = [in_a.get(d) for d in documents], [in_b.get(d) for d in documents]
        values[query] = [
            oracle.kendall_tau(*places),
            oracle.rbo(*places, p=0.8),
            oracle.overlap(*places, k=5),
            oracle.jaccard(*places, k=5),
            oracle.spearman(*places),
            oracle.footrule(*places, k=10),
            oracle.fagin_k(*places, k=10),
        ]
    return values


def check(rows: Iterable[Sequence[Any]], values: dict[str, list[float]]) -> None:
    found = list(rows)
    assert {row[0] for row in found} == values.keys()
    assert len(found) == len(values)
    for query, *row in found:
        for text, value, right in zip(MEASURES, row, values[query], strict=True):
            assert difference(value, right) <= TOLERANCE, (query, text, value, right)


@pytest.mark.parametrize("seed", range(5))
def test_two_runs(seed: int) -> None:
    made = runs(seed)
    a, b = made["bm25"], made["dense"]
    values = expected(a, b)
    by_query = ltr_sql.agreement(a, b, MEASURES, by_query=True)
    check(by_query.itertuples(index=False, name=None), values)
    means = ltr_sql.agreement(a, b, MEASURES)
    assert means["queries"].tolist() == [len(values)]
    for text in MEASURES:
        assert means[text][0] == pytest.approx(by_query[text].mean(), abs=TOLERANCE)
    with duckdb.connect() as con:
        ltr_sql.register(con)
        con.register("a", a)
        con.register("b", b)
        check(con.execute("from ltr.compare_rankings('a', 'b', ?)", [MEASURES]).fetchall(), values)


def test_every_two_of_several_systems() -> None:
    made = runs(9)
    found = ltr_sql.agreement(made, measures=MEASURES, by_query=True)
    for a, b in combinations(SYSTEMS, 2):
        rows = found[(found["system_a"] == a) & (found["system_b"] == b)]
        check(
            rows.drop(columns=["system_a", "system_b"]).itertuples(index=False, name=None), expected(made[a], made[b])
        )
    means = ltr_sql.agreement(made, measures=["RBO"])
    assert list(zip(means["system_a"], means["system_b"], strict=True)) == list(combinations(SYSTEMS, 2))


def test_one_table_of_several_systems_and_folds_with_ranks() -> None:
    made = runs(3)
    tables = []
    for fold, seed in (("x", 3), ("y", 4)):
        for system, run in runs(seed).items():
            rank = [ranks(run, query)[document] for query, document in zip(run["query_id"], run["doc_id"], strict=True)]
            tables.append(run.drop(columns="score").assign(rank=rank, system=system, fold=fold))
    found = ltr_sql.agreement(pd.concat(tables), measures=MEASURES, keys=["fold"], by_query=True)
    rows = found[(found["fold"] == "x") & (found["system_a"] == "bm25") & (found["system_b"] == "mixed")]
    check(
        rows.drop(columns=["system_a", "system_b", "fold"]).itertuples(index=False, name=None),
        expected(made["bm25"], made["mixed"]),
    )
    assert set(found["fold"]) == {"x", "y"}


def test_two_dicts_of_systems_are_compared_by_name() -> None:
    before, after = runs(1), runs(2)
    found = ltr_sql.agreement(before, after, ["Overlap@5", "RBO"])
    assert found["system"].tolist() == list(SYSTEMS)
    for system in SYSTEMS:
        alone = ltr_sql.agreement(before[system], after[system], ["Overlap@5", "RBO"])
        # Means of twelve queries, which threads may add up in another order.
        assert alone["RBO"][0] == pytest.approx(found.set_index("system")["RBO"][system], rel=0, abs=TOLERANCE)


def test_numbers_and_text_are_the_same_ids_and_polars_comes_back() -> None:
    a = pl.DataFrame({"query_id": [1, 1, 1], "doc_id": [7, 8, 9], "score": [3.0, 2.0, 1.0]})
    b = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["8", "7"], "rank": [1, 2]})
    found = ltr_sql.agreement(a, b, ["KendallTau", "Overlap@2"])
    assert isinstance(found, pl.DataFrame)
    assert found.rows() == [(1, -1.0, 1.0)]


RUN = {"q1": {"d1": 2.0, "d2": 1.0}}


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((RUN,), {}, "nothing to compare with: pass a second run, a dict of runs, or a table of several with a column"),
        (({"bm25": RUN},), {}, "the column system names 1 system: pass at least two"),
        ((RUN, RUN, ["AP"]), {}, "measure 'AP' needs relevance: pass the run to evaluate, with judgments"),
        ((RUN, RUN, ["RBO"]), {"ties": "worst"}, "ties must be 'docid_desc', 'docid_asc'"),
        ((RUN, RUN, ["RBO"]), {"keys": ["fold"]}, "key 'fold' is not a column"),
        ((RUN, pd.DataFrame({"query_id": [1], "score": [1.0]})), {}, "the second run lacks the column doc_id"),
        (
            (RUN, pd.DataFrame({"query_id": [1], "doc_id": [1]})),
            {},
            r"the second run \(no column rank\) lacks the column",
        ),
        (({"bm25": RUN}, RUN), {}, "key 'system' is not a column"),
    ],
)
def test_what_cannot_be_compared(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ltr_sql.LtrSqlError, match=message):
        ltr_sql.agreement(*arguments, **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("'a', 'a', ['AP']", "measure 'AP' needs relevance: two rankings have measures of agreement only"),
        ("'a', 'a', ['RBO'], ties := 'best'", "ltr.pair: ties must be"),
        ("'a', 'a', ['RBO'], keys := ['fold']", "keys must be columns of the input"),
        ("'a', '__ltr_paired', ['RBO']", "names that start with __ltr_"),
        ("'a', 'none of these', ['RBO']", "none of these does not exist"),
        ("'a', 'a''b', ['RBO']", "a'b does not exist"),
    ],
)
def test_what_the_macro_refuses(call: str, message: str) -> None:
    with duckdb.connect() as con:
        ltr_sql.register(con)
        con.execute("create table a as select 'q' as query_id, 'd' as doc_id, 1.0 as score")
        with pytest.raises(duckdb.Error, match=message):
            con.execute(f"from ltr.compare_rankings({call})").fetchall()

"""`worst`: the losses of documents are those of the definition, and sum to the loss of the query."""

import json
import math
import random
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from support.places import EXAMPLE_DATA
from support.strategies import drawn, joined, rankings

import ltr_sql
from ltr_sql import oracle
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import definitions
from ltr_sql.command_line.main import main
from ltr_sql.oracle.losses import contributions, ideal_ranks, losses

QRELS, BM25, DENSE = (str(EXAMPLE_DATA / f"{name}.txt") for name in ("qrels", "bm25", "dense"))

EXPLAINED = [definition.example for definition in definitions().values() if definition.discount is not None]
VARIANTS = ["nDCG", "nDCG(gain=exponential)@5", "nDCG(ideal=full)@5", "nDCG(ideal=whole)@3", "AP(rel=2)", "AP@4"]
VARIANTS += ["AP(divisor=reachable)@3", "AP(divisor=found)", "P(rel=2)@3", "Success(rel=2)@9", "RBP(p=0.5)@4", "RR@2"]
VARIANTS += ["ERR(max_grade=4, gain=linear)@6", "R(rel=3)@5", "Bpref(rel=2)", "RprecMult@1.5", "CG", "PWA@20", "R@3"]
VARIANTS += ["nDCG(discount=rank)@5", "nDCG(level=2)@5", "AP(empty=1)", "RR(empty=none_retrieved)"]
VARIANTS += ["nDCG(ideal=returned)@5", "nDCG(ideal=returned)"]
MEASURES = [*dict.fromkeys([*EXPLAINED, *VARIANTS])]
near = partial(pytest.approx, rel=0, abs=1e-12)


def as_rank(rank: Any) -> float:
    return math.nan if pd.isna(rank) else float(rank)


def cutoff(measure: str) -> int | None:
    k: int | None = dict[str, Any](parse_measure(measure).values).get("k")
    return k


def gain_class(measure: str, grade: float) -> float:
    """Return a number that orders grades as the gains of a measure do, with equal numbers for equal gains."""
    values = dict(parse_measure(measure).values)
    if math.isnan(grade) or grade < float(values.get("level") or 0):
        return 0.0
    if "rel" in values:
        return float(grade >= float(values["rel"] or 1))
    return max(grade, 0.0)


def valued(measure: str, grades: list[float]) -> Any:
    """Return the measure as a function of ranks. A query where it is undefined has no losses."""
    parsed = parse_measure(measure)
    values = dict(parsed.values)
    if "empty" in values:
        values["empty"] = "skip"
    function = partial(getattr(oracle, parsed.definition.macro), relevance=grades, **values)
    return lambda ranks: float(np.nan_to_num(function(ranks)))


def valued_for(measure: str, grades: list[float], returned: int) -> Any:
    """Return nDCG(ideal=returned) as a function of ranks, for a number of retrieved documents."""
    k = cutoff(measure)
    best = oracle.idcg(grades, grades, k=min(k or returned, returned)) if returned else 0
    return lambda ranks: oracle.dcg(ranks, grades, k=k) / best if best else 0.0


def expected(measure: str, rows: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Return the ideal rank and the loss of each document of a query by the oracle."""
    rows = rows.sort_values("doc_id", key=lambda ids: ids.map(str.encode))
    grades = [as_rank(grade) for grade in rows["relevance"]]
    ranks = [as_rank(rank) for rank in rows["rank"]]
    target = ideal_ranks(ranks, [gain_class(measure, grade) for grade in grades])
    if "ideal=returned" in measure:
        returned = int(np.nanmax([0, *ranks]))
        target = [rank if rank <= returned else math.nan for rank in target]
        value = valued_for(measure, grades, returned)
    else:
        value = valued(measure, grades)
    found = losses(ranks, target, value)
    return dict(zip(rows["doc_id"], zip(target, found, strict=True), strict=True))


def check_losses(measure: str, frame: pd.DataFrame) -> int:
    """Compare `worst` with the oracle, query by query. Returns the number of queries with a loss."""
    found = ltr_sql.worst(frame, measure, keys=["system"], n=1000)
    values = ltr_sql.evaluate(frame, [measure], keys=["system"], by_query=True)
    of_query = {key: rows for key, rows in found.groupby(["system", "query_id"], dropna=False)}
    by_query = {key: rows for key, rows in frame.groupby(["system", "query_id"], dropna=False)}
    for system, query, value in values.itertuples(index=False):
        rows = by_query[system, query]
        theirs = expected(measure, rows)
        total = math.fsum(loss for _, loss in theirs.values())
        if not total > 1e-12:
            assert (system, query) not in of_query
            continue
        ours = of_query[system, query]
        assert ours["value"].tolist() == near([value] * len(ours))
        assert ours["query_loss"].tolist() == near([total] * len(ours))
        assert ours["loss"].sum() == near(total)
        lost = {doc: entry for doc, entry in theirs.items() if abs(entry[1]) > 1e-12}
        assert set(ours["doc_id"]) == set(lost)
        for row in ours.itertuples():
            ideal, loss = lost[row.doc_id]
            assert as_rank(row.ideal_rank) == near(ideal, nan_ok=True)
            assert row.loss == near(loss)
            graded = rows[(rows["relevance"] >= 0) & rows["rank"].notna()]
            last = row.rank - 1 if not pd.isna(row.rank) else rows["rank"].max()
            above = min(0 if pd.isna(last) else last, cutoff(measure) or math.inf)
            assert row.unjudged_above == above - (graded["rank"] <= above).sum()
    return len(of_query)


def frame_of(examples: int) -> pd.DataFrame:
    rows = joined([[row for row in rows if row["system"] == "a"] for rows in drawn(rankings(), examples)])
    frame = pd.DataFrame(rows).assign(system=lambda f: f.pop("example"))
    return frame.astype({"rank": "Int64", "relevance": "float64"})


def two_systems() -> pd.DataFrame:
    """Return random rankings of two systems over the same judgments, with gaps, unjudged and missed documents."""
    rng, rows = random.Random(38), []
    for number in range(16):
        example, query = str(number // 2), f"q{number % 2}"
        grades = [rng.choice([None, -1, 0, 1, 1, 2, 3]) for _ in range(8)]
        for system in "ab":
            ranks = rng.sample([None, None, None, *range(1, 9)], len(grades))
            rows += [(example, system, query, f"d{d}", ranks[d], grade) for d, grade in enumerate(grades)]
    frame = pd.DataFrame(rows, columns=["example", "system", "query_id", "doc_id", "rank", "relevance"])
    return frame.astype({"rank": "Int64", "relevance": "float64"})


@pytest.mark.default("nDCG@10")
@pytest.mark.parametrize("measure", MEASURES)
def test_against_the_oracle(measure: str) -> None:
    """Losses sum to what they claim."""
    assert check_losses(measure, frame_of(12)) > 5


@pytest.mark.default("Bpref")
@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "RR", "Bpref", "P(rel=2)@2"])
def test_losses_against_a_baseline(measure: str) -> None:
    """What b lost that a had: contributions in a minus contributions in b, which sum to the difference."""
    frame = two_systems()
    found = ltr_sql.worst(frame, measure, keys=["example", "system"], baseline="a", n=1000)
    values = ltr_sql.evaluate(frame, [measure], keys=["example", "system"], by_query=True)
    value_of = {(e, s, q): value for e, s, q, value in values.itertuples(index=False)}
    lost = 0
    for (example, query), rows_of_query in frame.groupby(["example", "query_id"]):
        sides = {s: side.set_index("doc_id") for s, side in rows_of_query.groupby("system")}
        ours = found[(found["example"] == example) & (found["query_id"] == query)]
        if not {"a", "b"} <= sides.keys() or value_of[example, "a", query] - value_of[example, "b", query] <= 1e-12:
            assert ours.empty
            continue
        lost += 1
        added = {
            s: dict(
                zip(
                    side.index,
                    contributions([*map(as_rank, side["rank"])], valued(measure, [*map(as_rank, side["relevance"])])),
                    strict=True,
                )
            )
            for s, side in sides.items()
        }
        theirs = {d: added["a"].get(d, 0) - added["b"].get(d, 0) for d in {*added["a"], *added["b"]}}
        theirs = {doc: loss for doc, loss in theirs.items() if abs(loss) > 1e-12}
        assert dict(zip(ours["doc_id"], ours["loss"], strict=True)) == near(theirs)
        assert ours["query_loss"].tolist() == near(
            [value_of[example, "a", query] - value_of[example, "b", query]] * len(ours)
        )
        for row in ours.itertuples():
            of_a = sides["a"]["rank"].get(row.doc_id)
            assert as_rank(row.baseline_rank) == near(as_rank(of_a), nan_ok=True)
    assert lost > 2


def test_on_paper(con: duckdb.DuckDBPyConnection) -> None:
    """The ideal ranking is b, d, a: each document is at a wrong rank, and rank 2 holds an unjudged document."""
    con.execute(
        """create or replace table judged as
        from (values ('q', 'a', 1, 1), ('q', 'b', 3, 3), ('q', 'd', null, 2), ('r', 'a', 1, 1))
            as t(query_id, doc_id, rank, relevance)"""
    )
    rows = con.sql("select doc_id, rank, ideal_rank, loss, unjudged_above from ltr.worst('judged', 'DCG@5')").fetchall()
    second, third = 1 / math.log2(3), 0.5
    assert rows == [
        ("b", 3, 1, near(3 - 3 * third), 1),
        ("d", None, 2, near(2 * second), 1),
        ("a", 1, 3, near(third - 1), 0),
    ]


def test_equal_grades_keep_their_order() -> None:
    """AP: documents with equal gains take the ideal ranks in the order of their ranks, whatever their grades."""
    frame = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "rank": [2, 4], "relevance": [1, 3]})
    found = ltr_sql.worst(frame, "AP")
    assert dict(zip(found["doc_id"], found["ideal_rank"], strict=True)) == {"a": 1, "b": 2}
    assert dict(zip(found["doc_id"], found["loss"], strict=True)) == near({"a": 0.25, "b": 0.25})
    assert ltr_sql.worst(frame, "RR")[["doc_id", "loss"]].to_numpy().tolist() == [["a", 0.5]]


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "nDCG(ideal=returned)@5"])
def test_macro_and_function_agree(measure: str, con: duckdb.DuckDBPyConnection) -> None:
    frame = two_systems()
    con.register("rankings", frame)
    con.execute(
        "create or replace table weights as select distinct query_id, ascii(query_id[2]) as weight from rankings"
    )
    weights = {"q0": ord("0"), "q1": ord("1")}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("n := 3", {"n": 3}),
        ("baseline := 'a'", {"baseline": "a"}),
        ("weights := 'weights', n := 1", {"weights": weights, "n": 1}),
    ]
    for options, given in calls:
        keys = ["example"] if "baseline" in options else ["example", "system"]
        in_sql = con.sql(f"from ltr.worst('rankings', '{measure}', keys := {keys}, {options})").df()
        found = ltr_sql.worst(frame, measure, keys=["system", "example"], **given)
        order = ["example", "system", "query_id", "doc_id"]
        in_sql, found = (f.sort_values(order).reset_index(drop=True) for f in (in_sql, found))
        assert len(found) > 4
        pd.testing.assert_frame_equal(in_sql, found[in_sql.columns], check_dtype=False)


def test_weights_and_texts(tmp_path: Path) -> None:
    texts = {"q1": "running shoes", "q9": "unknown"}
    found = ltr_sql.worst(BM25, "nDCG@5", qrels=QRELS, n=1, queries=texts, documents={"d104": "a shoe"})
    assert found["query"].unique().tolist() == ["running shoes"]
    assert [text for text in found["document"] if not pd.isna(text)] == ["a shoe"]
    assert list(found.columns)[:3] == ["query_id", "query", "value"]
    weights = dict.fromkeys(["q1", "q2", "q3", "q4", "q5", "q6"], 1.0) | {"q3": 50.0, "q1": 0.0}
    weighted = ltr_sql.worst(BM25, "nDCG@5", qrels=QRELS, weights=weights)
    assert weighted["query_id"].iloc[0] == "q3"
    assert "q1" not in set(weighted["query_id"])
    assert weighted["weight"].iloc[0] == 50


def test_frames_and_missing_queries() -> None:
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}, "s": {"a": 1}}
    assert set(ltr_sql.worst(run, "RR", qrels=qrels)["query_id"]) == {"q", "s"}
    assert set(ltr_sql.worst(run, "RR", qrels=qrels, missing="skip")["query_id"]) == {"q"}
    scored = pl.DataFrame({"query_id": [7] * 3, "score": [0.1, 0.5, 0.3], "relevance": [1, 0, 2], "doc_id": [*"abc"]})
    lines = ltr_sql.worst(scored, "nDCG")
    assert isinstance(lines, pl.DataFrame)
    assert lines["doc_id"].to_list() == ["c", "a"]


@pytest.mark.default("alpha_nDCG@10")
@pytest.mark.parametrize("measure", ["SetP", "Judged@10", "alpha_nDCG@10", "OPA"])
def test_measures_without_a_split(measure: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create or replace table judged as select 'q' as query_id, 1 as rank, 1 as relevance, 'd' as doc_id")
    with pytest.raises(ltr_sql.MeasureError, match="has no per-rank breakdown: choose one of AP, BinG"):
        ltr_sql.worst("judged", measure, con=con)
    with pytest.raises(duckdb.Error, match="has no per-rank breakdown: choose one of AP, BinG"):
        con.execute(f"from ltr.worst('judged', '{measure}')")


@pytest.mark.default("n := null-n must not be NULL")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("n := 0", "n must be an integer from 1, got 0"),
        ("baseline := 'c', keys := ['system']", "the rankings lack the baseline c: pass one of the systems"),
        ("baseline := 'a', compared := 'other'", r"other \(of the keys"),
        ("n := null", "n must not be NULL"),
    ],
)
def test_errors_of_the_macro(options: str, message: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        """create or replace table judged as
        select unnest(['a', 'b']) as system, 'q' as query_id, 2 as rank, 1 as relevance, 'd' as doc_id"""
    )
    with pytest.raises(duckdb.Error, match=message):
        con.execute(f"from ltr.worst('judged', 'RR', {options})").fetchall()


def test_errors() -> None:
    with pytest.raises(ltr_sql.InputError, match="n must be an integer from 1"):
        ltr_sql.worst(BM25, "AP", qrels=QRELS, n=0)
    with pytest.raises(ltr_sql.InputError, match="baseline names a system, and there is only one"):
        ltr_sql.worst(BM25, "AP", qrels=QRELS, baseline="bm25")
    with pytest.raises(ltr_sql.InputError, match="the rankings lack the baseline c"):
        ltr_sql.worst({"a": BM25, "b": DENSE}, "AP", qrels=QRELS, baseline="c")


def test_command() -> None:
    words = ["worst", QRELS, BM25, DENSE, "-m", "nDCG@5", "-n", "2", "--baseline", "bm25", "--format", "json"]
    rows = json.loads(CliRunner().invoke(main, words).stdout)
    frame = ltr_sql.worst({"bm25": BM25, "dense": DENSE}, "nDCG@5", qrels=QRELS, n=2, baseline="bm25")
    assert [row["doc_id"] for row in rows] == frame["doc_id"].tolist()
    assert [row["loss"] for row in rows] == frame["loss"].tolist()

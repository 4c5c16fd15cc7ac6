"""`ltr_sql.tune_fusion`, `ltr.tune_fusion` and `ltr-sql tune-fusion`: oracle, ranx, each option, bad input."""

import json
import random
from collections.abc import Mapping
from math import isnan
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from support.places import EXAMPLE_DATA
from support.reference_values import DATA, VALUES, needs, read_table
from support.strategies import Row

import ltr_sql
from ltr_sql import InputError, InputWarning
from ltr_sql.command_line.main import main
from ltr_sql.comparison.tuning import TunedFusion
from ltr_sql.oracle import comparison
from ltr_sql.oracle import tuning as oracle
from ltr_sql.verification import TOLERANCE

ROBUST03 = DATA / "robust03"
QUERIES = 12
NAMES = ("b", "A", "c")


def runs_and_qrels(names: tuple[str, ...] = NAMES, queries: int = QUERIES) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return random runs with ties, of which some lack a query, and judgments of all queries but the last."""
    draw = random.Random(3)
    rows: list[Row] = [
        {"system": name, "query_id": f"q{query}", "doc_id": f"d{doc}", "score": draw.choice([4.0, 3.0, 2.5, 1.0, 1.0])}
        for name in names
        for query in range(queries)
        for doc in draw.sample(range(9), 6)
        if (name, query) != (names[0], 2)
    ]
    judged = [
        {"query_id": f"q{query}", "doc_id": f"d{doc}", "relevance": draw.choice([0, 0, 1, 2])}
        for query in range(queries - 1)
        for doc in range(9)
    ]
    return pd.DataFrame(rows), pd.DataFrame(judged)


RUNS, QRELS = runs_and_qrels()


@pytest.fixture(scope="module")
def con(module_con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    module_con.register("runs", RUNS)
    module_con.register("qrels", QRELS)
    return module_con


CASES: list[dict[str, Any]] = [
    {"measure": "nDCG@3", "step": 0.5},
    {"measure": "AP", "methods": ["rrf", "comb_max", "comb_mnz"], "norms": ["zmuv", None], "k": [5, 60], "step": 0.5},
    {"measure": "Hole@3", "methods": ["borda"], "step": 0.5, "folds": 3, "seed": 11},
    {"measure": "RR", "step": 0.25, "holdout": 0.3, "depth": 4},
]


def grid_of(options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments of `fuse` for each configuration of a grid, from the definitions."""
    names = sorted(NAMES)
    points = [dict(zip(names, point, strict=True)) for point in oracle.simplex(3, round(1 / options["step"]))]
    found: list[dict[str, Any]] = []
    for method in options.get("methods", ["comb_sum"]):
        of_ranks = method in ("rrf", "isr", "rbc", "borda")
        for norm in [None] if of_ranks else options.get("norms", ["min_max"]):
            for k in options.get("k", [60]) if method == "rrf" else [None]:
                own = {"method": method, "norm": norm, "k": k}
                found += [{**own, "weights": weights} for weights in ([None] if method == "comb_max" else points)]
    return found


def values_of(runs: Any, measure: str) -> dict[str, float]:
    found = ltr_sql.evaluate(runs, [measure], qrels=QRELS, by_query=True)
    return dict(zip(found["query_id"], found[measure], strict=True))


def fused_values(arguments: dict[str, Any], options: dict[str, Any]) -> dict[str, float]:
    given = {name: value for name, value in arguments.items() if value is not None}
    return values_of(ltr_sql.fuse(RUNS, **given, depth=options.get("depth")), options["measure"])


def in_sql(con: duckdb.DuckDBPyConnection, options: dict[str, Any]) -> list[Row]:
    """Return the rows of the macro."""
    given = [f"{name} := {str(value).replace('None', 'null')}" for name, value in options.items() if name != "measure"]
    call = f"ltr.tune_fusion('runs', 'qrels', '{options['measure']}', {', '.join(given)})"
    cursor = con.execute(f"from {call}")
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def without_nan(row: Mapping[Any, Any]) -> Row:
    """Return a row of pandas with None for missing values."""
    return {str(name): None if isinstance(value, float) and isnan(value) else value for name, value in row.items()}


def check_macro(found: TunedFusion, rows: list[Row]) -> None:
    """Compare the rows of the macro with the tables of Python."""
    for ours, row in zip(map(without_nan, found.table.to_dict("records")), rows, strict=False):
        assert {name: row[name] for name in ours} == {
            name: pytest.approx(value, rel=TOLERANCE) if isinstance(value, float) else value
            for name, value in ours.items()
        }
    compared = {row["against"]: row for row in rows if row["against"] is not None}
    assert len(compared) + len(found.table) == len(rows)
    assert [*compared] == ["equal weights", *sorted(NAMES)]
    columns = {
        "mean_b": "mean",
        "difference": "difference",
        "low": "difference_low",
        "high": "difference_high",
        "p_adjusted": "p_adjusted",
    }
    for ours in map(without_nan, found.comparison.to_dict("records")):
        row = compared[ours["system_a"]]
        assert row["verdict"] == ours["verdict"]
        for name, column in columns.items():
            assert row[column] == pytest.approx(ours[name], rel=TOLERANCE, abs=TOLERANCE), name


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.default("nDCG@3")
@pytest.mark.parametrize("options", CASES, ids=lambda options: options["measure"])
def test_choice_and_worth_are_those_of_the_oracle(options: dict[str, Any], con: duckdb.DuckDBPyConnection) -> None:
    grid = grid_of(options)
    values = [fused_values(arguments, options) for arguments in grid]
    weights = [[*arguments["weights"].values()] if arguments["weights"] else [1 / 3] * 3 for arguments in grid]
    own = {name: options[name] for name in ("folds", "holdout", "seed") if name in options}
    lower = options["measure"] == "Hole@3"
    expected = oracle.tune(values, weights, **own, lower=lower)
    found = ltr_sql.tune_fusion(RUNS, qrels=QRELS, **options)
    check_macro(found, in_sql(con, options))
    table = found.table
    rows = [without_nan(row) for row in table.to_dict("records")]
    assert [{name: row[name] for name in grid[0]} for row in rows] == grid
    assert [*table["mean"]] == pytest.approx(expected.means, rel=TOLERANCE, abs=TOLERANCE)
    assert [*table["folds"]] == expected.folds
    assert [i for i, chosen in enumerate(table["chosen"]) if chosen] == [expected.choice]
    chosen = {name: value for name, value in grid[expected.choice].items() if value is not None}
    assert found.arguments == {**chosen, **({"depth": 4} if "depth" in options else {})}
    assert found.weights == chosen.get("weights")
    first: dict[str, Any] = {name: grid[0][name] for name in ("method", "norm", "k")}
    systems: dict[str, dict[str, Any]] = {
        "tuned": expected.tested,
        "equal weights": fused_values(first, options),
        **{name: values_of(RUNS[RUNS["system"] == name], options["measure"]) for name in NAMES},
    }
    values_to_compare = [
        (q, name, of_system[q]) for name, of_system in systems.items() for q in expected.tested if q in of_system
    ]
    measure = options["measure"]
    compared = comparison.compare(
        {measure: values_to_compare}, baseline=[*systems][1:], lower_is_better=[measure] if lower else []
    )
    differences = {row["system_a"]: row for row in found.comparison.to_dict("records")}
    assert {*differences} == {*systems} - {"tuned"}
    for row in compared:
        same = without_nan(differences[row.system_a])
        assert (same["system_b"], same["verdict"]) == ("tuned", row.verdict)
        for name in ("mean_b", "difference", "low", "high", "p_adjusted"):
            assert same[name] == pytest.approx(getattr(row, name), rel=1e-9, abs=TOLERANCE), (row.system_a, name)


def test_equal_means_choose_the_weights_nearest_to_equal(con: duckdb.DuckDBPyConnection) -> None:
    ids = [(f"q{query}", doc) for query in range(5) for doc in "ab"]
    runs = pd.DataFrame(
        [(name, q, doc, float((doc == "a") == (name == "bm25"))) for name in ("bm25", "dense") for q, doc in ids],
        columns=["system", "query_id", "doc_id", "score"],
    )
    qrels = pd.DataFrame({"query_id": [q for q, _ in ids[::2]], "doc_id": "b", "relevance": 1})
    found = ltr_sql.tune_fusion(runs, "RR", qrels=qrels, step=0.25)
    # From 0.5 on, each weight of dense puts b first: equal scores are ordered by descending doc_id.
    assert [*found.table["mean"]] == [1, 1, 1, 0.5, 0.5]
    assert found.weights == {"bm25": 0.5, "dense": 0.5}
    assert found.sentence.startswith("the tuned weights have the values of equal weights: +0.0000 RR, ")
    con.register("tied_runs", runs)
    con.register("tied_qrels", qrels)
    query = "select weights from ltr.tune_fusion('tied_runs', 'tied_qrels', 'RR', step := 0.25) where chosen"
    assert con.execute(query).fetchall() == [({"bm25": 0.5, "dense": 0.5},)]


def test_warnings_name_runs_and_no_configurations() -> None:
    with pytest.warns(ltr_sql.InputWarning) as caught:
        ltr_sql.tune_fusion(RUNS[RUNS["query_id"] != "q1"], "RR", qrels=QRELS, step=0.5)
    texts = [str(warning.message) for warning in caught]
    assert any("such as system=A, query_id=q1" in text for text in texts)
    assert not any("point" in text for text in texts)


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_the_arguments_are_those_of_fuse() -> None:
    found = ltr_sql.tune_fusion(RUNS, "AP", qrels=QRELS, methods=["rrf"], k=[10, 60], step=0.5)
    chosen = found.table[found.table["chosen"]]
    mean = ltr_sql.evaluate(ltr_sql.fuse(RUNS, **found.arguments), ["AP"], qrels=QRELS)["AP"][0]
    assert mean == pytest.approx(chosen["mean"].iloc[0], rel=TOLERANCE)


@needs(ROBUST03, VALUES / "tune")
@pytest.mark.slow
def test_the_grid_of_ranx() -> None:
    runs = {name: str(ROBUST03 / f"run.{name}.txt.gz") for name in ("InexpC2", "aplrob03a")}
    expected = read_table("tune/expected.csv")
    for measure in ("nDCG@10", "RR@10"):
        found = ltr_sql.tune_fusion(
            runs, measure, qrels=str(ROBUST03 / "qrels.txt.gz"), norms=["min_max", "zmuv"], check=False
        )
        rows = [
            (row["norm"].replace("_", "-"), *row["weights"].values(), row["mean"])
            for row in found.table.to_dict("records")
        ]
        assert rows == [
            (row["norm"], float(row["weight_0"]), float(row["weight_1"]), pytest.approx(float(row[measure]), abs=1e-12))
            for row in expected
        ]


# Bad options, and the message in the words that Python and SQL share.
BAD: list[tuple[dict[str, Any], str]] = [
    ({"folds": 1}, "folds must be an integer from 2 to 1,000,000, got 1"),
    ({"folds": 12}, "fewer labelled queries than folds, only 11: label more queries, or pass fewer folds"),
    ({"holdout": 0}, "holdout must be between 0 and 1, such as 0.3, got 0"),
    ({"holdout": 1.0}, "holdout must be between 0 and 1, such as 0.3, got 1.0"),
    ({"folds": 3, "holdout": 0.3}, "folds and holdout are two ways to measure the choice on other queries: pass one"),
    ({"step": 0.3}, "step must divide 1, as 0.1, 0.05 and 0.25 do, got 0.3"),
    ({"step": 0}, "step must be a number above 0 to 1, got 0"),
    ({"step": 0.01, "methods": ["rrf"]}, "the grid has too many weights, 5151: pass a larger step, such as step"),
    ({"seed": -1}, "seed must be an integer from 0 to 2,147,483,647, got -1"),
    ({"confidence": 1.0}, "confidence must be between 0 and 1, such as 0.95, got 1.0"),
    ({"methods": []}, "methods is empty: pass at least one, or leave it out"),
    ({"methods": ["rrf", "rrf"]}, "methods repeats a value: pass each of"),
    ({"methods": ["alpha"]}, "must be"),
    ({"norms": ["alpha"]}, "must be"),
    ({"k": [-1], "methods": ["rrf"]}, "k must be a number from 0, got -1"),
    ({"k": [], "methods": ["rrf"]}, "k is empty: pass at least one, or leave it out"),
    ({"depth": 0}, "depth must be an integer from 1"),
]


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize(("options", "message"), BAD, ids=str)
def test_bad_options(options: dict[str, Any], message: str, con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(InputError) as in_python:
        ltr_sql.tune_fusion(RUNS, "AP", qrels=QRELS, **options)
    assert message in str(in_python.value)
    with pytest.raises(duckdb.Error) as raised:
        in_sql(con, {"measure": "AP", **options})
    assert message in str(raised.value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_bad_runs_and_labels(con: duckdb.DuckDBPyConnection) -> None:
    one = RUNS[RUNS["system"] == "A"]
    elsewhere = QRELS.assign(query_id="x" + QRELS["query_id"])
    named = RUNS.replace({"system": {"A": "tuned"}})
    first = QRELS[QRELS["query_id"] == "q0"]
    for runs, qrels, message in [
        (one, QRELS, "there is only one run, so there are no weights to tune: pass two runs or more"),
        (RUNS, elsewhere, "no query of the run is judged"),
        (
            named,
            QRELS,
            "there is a run named tuned, as the comparison names the tuned fusion or equal weights: rename the run",
        ),
        (RUNS, first, "there are fewer labelled queries than folds"),
    ]:
        with pytest.raises(InputError, match=message):
            ltr_sql.tune_fusion(runs, "AP", qrels=qrels)
        con.register("bad_runs", runs)
        con.register("bad_qrels", qrels)
        with pytest.raises(duckdb.Error, match=message):
            con.execute("from ltr.tune_fusion('bad_runs', 'bad_qrels', 'AP')").fetchall()
    with pytest.raises(InputError, match="there is only one labelled query"):
        ltr_sql.tune_fusion(RUNS, "AP", qrels=first, holdout=0.5)
    with pytest.raises(InputError, match="there is only one run: pass a dict of runs"):
        ltr_sql.tune_fusion(one.drop(columns="system"), "AP", qrels=QRELS)
    ranked = RUNS.assign(rank=RUNS.groupby(["system", "query_id"]).cumcount() + 1).drop(columns="score")
    assert ltr_sql.tune_fusion(ranked, "AP", qrels=QRELS, methods=["rrf"], step=0.5).arguments["method"] == "rrf"
    with pytest.raises(InputError, match="method='comb_sum' reads scores"):
        ltr_sql.tune_fusion(ranked, "AP", qrels=QRELS, methods=["rrf", "comb_sum"], norms=[None])
    with pytest.raises(InputError, match="labelled queries choose the weights: pass qrels="):
        ltr_sql.tune_fusion(RUNS, "AP")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_the_order_of_rows_and_runs_has_no_influence() -> None:
    found = ltr_sql.tune_fusion(RUNS, "AP", qrels=QRELS, step=0.5)
    shuffled = ltr_sql.tune_fusion(RUNS.sample(frac=1, random_state=1), "AP", qrels=QRELS[::-1], step=0.5)
    pd.testing.assert_frame_equal(found.table, shuffled.table)
    pd.testing.assert_frame_equal(found.comparison, shuffled.comparison)
    assert str(found) == str(shuffled)


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_few_held_out_queries() -> None:
    with pytest.warns(InputWarning, match=r"only \d+ queries are held out: pass folds, which measure on all queries"):
        ltr_sql.tune_fusion(RUNS, "AP", qrels=QRELS, step=0.5, holdout=0.5)


def test_the_command_prints_what_python_returns() -> None:
    paths = [str(EXAMPLE_DATA / name) for name in ("qrels.txt", "bm25.txt", "dense.txt")]
    words = ["tune-fusion", *paths, "-m", "nDCG@5", "--method", "rrf,comb_sum", "--norm", "none", "--k", "10,60"]
    words += ["--step", "0.5", "--folds", "3"]
    runs = dict(zip(("bm25", "dense"), paths[1:], strict=True))
    found = ltr_sql.tune_fusion(
        runs, "nDCG@5", qrels=paths[0], methods=["rrf", "comb_sum"], norms=[None], k=[10, 60], step=0.5, folds=3
    )
    shown = CliRunner().invoke(main, [*words, "--format", "json"])
    rows = json.loads(shown.stdout)
    grid = [without_nan(row) for row in found.table.to_dict("records")]
    assert [{name: row[name] for name in grid[0]} for row in rows if row["against"] is None] == grid
    compared = {row["system_a"]: row["difference"] for row in found.comparison.to_dict("records")}
    assert {row["against"]: row["difference"] for row in rows if row["against"] is not None} == compared
    table = CliRunner().invoke(main, words).stdout
    assert str(found) in table
    weights = "".join(f" --run-weight {name}={weight}" for name, weight in (found.weights or {}).items())
    chosen = "".join(f" --{name} {value}" for name, value in found.arguments.items() if name != "weights")
    # The tuned weights are not better, so equal weights with the first method come first.
    fuse = f"ltr-sql fuse {' '.join(paths[1:])}"
    equal = f"Fuse with equal weights: {fuse} --method rrf --k 10.0"
    assert table.endswith(f"\n\n{equal}\nWith the tuned weights: {fuse}{chosen}{weights}\n")
    for wrong, message in [
        (["--k", "x"], "write numbers, as in 10,60, got 'x'"),
        (["--holdout", "2"], "holdout must be between 0 and 1, such as 0.3, got 2.0"),
    ]:
        refused = CliRunner().invoke(main, [*words[:6], *wrong])
        assert refused.exit_code == 2
        assert message in refused.stderr
    alone = CliRunner().invoke(main, [*words[:2], "-m", "AP"])
    assert "also pass the runs, as in: ltr-sql tune-fusion" in alone.stderr

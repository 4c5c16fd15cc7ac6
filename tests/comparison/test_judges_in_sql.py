"""`ltr.compare` with people's judgments and with clusters, against Python; messages for bad and degenerate input."""

import math
import re
import warnings
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from support.judged_samples import runs_and_judgments, sample

import ltr_sql
from ltr_sql import InputError, InputWarning, MeasureError

# Each comparison takes about half a second.
pytestmark = pytest.mark.slow


def test_rankings_are_compared_as_in_python() -> None:
    runs, llm, people = runs_and_judgments(24)
    of_query = {query: int(query[1:]) // 4 for query in llm["query_id"]}
    con = ltr_sql.register(duckdb.connect())
    for name, judgments in (("llm", llm), ("people", people), ("partly", people.drop(people.index[2]))):
        con.register(f"{name}_qrels", judgments)
        con.register("runs", pd.concat([run.assign(system=system) for system, run in runs.items()]))
        con.execute(
            f'create table {name} as select j.*, cast(j.query_id[2:] as integer) // 4 as "ses\'sion" '
            f"from ltr.judge('runs', '{name}_qrels', keys := ['system']) as j "
            f"where j.query_id in (select query_id from {name}_qrels)"
        )
    call = "from ltr.compare('llm', ['nDCG@2,3'], human := 'people', cluster := 'ses''sion', details := true)"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        by_python = ltr_sql.compare(runs, ["nDCG@2,3"], qrels=llm, human=people, cluster=of_query, details=True)
    pd.testing.assert_frame_equal(con.sql(call).df(), by_python, check_dtype=False)
    message = (
        r"people judged only some documents of 1 query: q00 \(83% of 100%\). Their values are too low, and so is every "
        "correction: let people judge all documents that the systems show, or leave these queries out of human"
    )
    with pytest.raises(duckdb.Error, match=message):
        con.sql("from ltr.compare('llm', ['AP'], human := 'partly')").fetchall()
    con.execute("update llm set \"ses'sion\" = 9 where query_id = 'q03' and system = 'b'")
    with pytest.raises(duckdb.Error, match="query q03 is in two clusters, 0 and 9: give each query one cluster"):
        con.sql("from ltr.compare('llm', ['AP'], cluster := 'ses''sion')").fetchall()


VALUES, PEOPLE = sample()
RUNS, LLM, JUDGED = runs_and_judgments(30)
FEW = {"human": PEOPLE[:2]}
SAME = dict.fromkeys(VALUES["query_id"], "s")
HALVES = {query: query < "q030" for query in VALUES["query_id"]}
RATED = pd.concat([VALUES.assign(rater="llm"), PEOPLE.assign(rater="human")])
CHOSEN = VALUES.sort_values("nDCG")["query_id"].drop_duplicates()[:60]
# In a pandas frame, NaN would be NULL.
NANS = pl.from_dict({"query_id": [*PEOPLE["query_id"]], "system": [*PEOPLE["system"]], "nDCG": [math.nan] * 120})
GRADES = JUDGED.assign(rater="a")

# Each row of the tables of bad and degenerate input of human, cluster, sequential, agreement and bias: the options, and
# what is refused, warned of or found.
ROWS: dict[str, tuple[dict[str, Any], Any]] = {
    "the sample was not random": (
        {"human": VALUES[VALUES["query_id"].isin(CHOSEN)].assign(nDCG=lambda v: v["nDCG"] / 2)},
        InputWarning("the queries that people judged differ from the others"),
    ),
    "queries that the judge lacks": (
        {"human": PEOPLE.assign(query_id="x" + PEOPLE["query_id"])},
        InputError("human has 120 values that the judge has not, such as that of query xq000 of system a"),
    ),
    "n < 2": (FEW, {"verdict": "too few judged queries", "low": None, "judged": 1}),
    "n = 2": ({"human": PEOPLE[:4]}, {"llm_weight": 0.0, "df": 1.0, "verdict": "too few judged queries"}),
    "n < 50": ({"human": PEOPLE[:40]}, InputWarning("people judged 20 queries. Below 50")),
    "m < 2": ({"human": sample(119, 1)[1], "values": sample(119, 1)[0]}, {"llm_weight": 0.0, "judged": 119}),
    "the judge gives all the same": (
        {"human": PEOPLE, "values": VALUES.assign(nDCG=0.5)},
        InputWarning("the judge gives every ranking the value 0.5, and corrects nothing"),
    ),
    "the judge is opposed": ({"human": PEOPLE.assign(nDCG=1 - VALUES["nDCG"][:120])}, {"llm_weight": 0.0}),
    "all of people's differences are equal": (
        {"human": PEOPLE.assign(nDCG=[0.2, 0.3] * 60)},
        {"p": None, "difference": pytest.approx(0.1), "verdict": "better"},
    ),
    "one of a pair has no value": ({"human": PEOPLE.drop(PEOPLE.index[1])}, {"judged": 59}),
    "NaN": ({"human": NANS}, InputError("is not a finite number: correct it")),
    "infinity": ({"human": PEOPLE.assign(nDCG=math.inf)}, InputError("is not a finite number: correct it")),
    "too few clusters of people": ({"human": PEOPLE, "cluster": SAME}, {"verdict": "too few clusters", "low": None}),
    "the same table twice": (
        {"human": VALUES[:120]},
        InputWarning("people's values equal the judge's: check that human holds people's judgments"),
    ),
    "one cluster": ({"cluster": SAME}, {"verdict": "too few clusters", "p": None}),
    "df < 4": ({"cluster": HALVES}, InputWarning("2 clusters leave 1 degrees of freedom")),
    "a query without a cluster": ({"cluster": {"q000": "s"}}, InputError("cluster has no cluster of the query q001")),
    "a query in two clusters": (
        {"cluster": pd.DataFrame({"query_id": ["q000", "q000"], "cluster": [1, 2]})},
        InputError("a query is in two clusters: give each query one cluster. It is q000"),
    ),
    "repeats with one value per query": (
        {"values": VALUES.assign(session=VALUES["query_id"]), "repeats": ["session"]},
        InputWarning("repeats session: nothing is averaged, because each query of a system has only one row"),
    ),
    "sequential, few queries": (
        {"values": VALUES[:60], "test": "sequential", "planned": 100},
        {"verdict": "too few queries"},
    ),
    "sequential, equal values": (
        {"values": VALUES.assign(nDCG=0.5), "test": "sequential", "planned": 100},
        {"verdict": "equal"},
    ),
    "another test": ({"human": PEOPLE, "test": "sign"}, InputError("human applies to the t and the sequential test")),
}


@pytest.mark.parametrize("row", ROWS)
def test_rows_of_bad_and_degenerate_input(row: str) -> None:
    options, expected = ROWS[row]
    options = {"values": VALUES, **options}
    given = options.pop("values")
    if isinstance(expected, InputWarning):
        with pytest.warns(InputWarning, match=re.escape(str(expected))):
            ltr_sql.compare(given, ["nDCG"], values=True, **options)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        if isinstance(expected, InputError):
            with pytest.raises(InputError, match=re.escape(str(expected))):
                ltr_sql.compare(given, ["nDCG"], values=True, **options)
            return
        found = ltr_sql.compare(given, ["nDCG"], values=True, details=True, **options).astype(object)
    (record,) = found.where(found.notna(), None).to_dict("records")
    assert {name: record.get(name) for name in expected} == expected


def test_runs_and_raters_that_are_refused_or_undefined() -> None:
    """Rows of the tables that concern runs, kappa and bias."""
    partly = JUDGED[~((JUDGED["query_id"] == "q03") & (JUDGED["doc_id"] == "d2"))]
    calls: dict[str, Any] = {
        "judged only some documents of 1 query": lambda: ltr_sql.compare(
            RUNS, ["AP"], qrels=LLM, human=partly, details=True
        ),
        "'Gini' has one value for a run: leave out human": lambda: ltr_sql.compare(
            RUNS, ["Gini", "AP"], qrels=LLM, human=JUDGED, details=True
        ),
        "the run has no column system": lambda: ltr_sql.leaderboard(RUNS["a"], ["AP"], qrels=LLM),
        "one rater": lambda: ltr_sql.rater_agreement(GRADES),
        "two values of one rater": lambda: ltr_sql.rater_bias(pd.concat([RATED, RATED[:1]]), ["nDCG"]),
        "a finite number": lambda: ltr_sql.rater_bias(RATED.assign(nDCG=math.inf), ["nDCG"]),
    }
    for message, call in calls.items():
        with pytest.raises((InputError, MeasureError), match=message):
            call()
    constant = ltr_sql.rater_agreement({"a": JUDGED.assign(relevance=1), "b": JUDGED.assign(relevance=1)})
    of_pair = constant[constant["rater_a"].notna()].iloc[0]
    assert all(math.isnan(of_pair[f"cohen_kappa{end}"]) for end in ("", "_stderr", "_low", "_high"))
    one = ltr_sql.rater_bias(RATED[RATED["query_id"] == "q000"], ["nDCG"]).iloc[0]
    assert one["queries"] == 1 and math.isnan(one["bias_low"]) and math.isnan(one["p"])

"""Bias of raters, and errors of kappa: golden values, and the inputs of `rater_bias`."""

from typing import Any

import duckdb
import pandas as pd
import pytest
from support.reference_values import read_table

import ltr_sql
from ltr_sql import InputError, oracle

GOLDEN = 1e-9
OF_SYSTEMS = {
    "mean_a": "human_mean",
    "mean_b": "llm_mean",
    "place_a": "human_place",
    "place_b": "llm_place",
    "bias": "bias",
    "bias_low": "bias_low",
    "bias_high": "bias_high",
    "favour": "favour",
    "favour_low": "favour_low",
    "favour_high": "favour_high",
    "p": "favour_p",
}


@pytest.fixture(scope="module")
def connection() -> Any:
    with duckdb.connect() as con:
        yield con


def rated() -> pd.DataFrame:
    """Return the values of the golden systems by rater."""
    rows = read_table("judges/judge_systems_input.csv")
    return pd.DataFrame(
        [(r["system"], r["query_id"], rater, float(r[rater])) for r in rows for rater in ("llm", "human")],
        columns=["system", "query_id", "rater", "nDCG"],
    )


def test_biases_are_those_of_scipy(connection: duckdb.DuckDBPyConnection) -> None:
    expected = {row["system"]: row for row in read_table("judges/judge_systems_expected.csv")}
    values = rated()
    found = ltr_sql.rater_bias(values, con=connection)
    of_oracle = oracle.rater_bias(values[["query_id", "system", "rater", "nDCG"]].itertuples(index=False, name=None))
    assert found[["measure", "rater_a", "rater_b"]].drop_duplicates().to_numpy().tolist() == [["nDCG", "human", "llm"]]
    assert len(found) == 8
    for row in found.to_dict("records"):
        for column, name in OF_SYSTEMS.items():
            wanted = float(expected[row["system"]][name])
            assert row[column] == pytest.approx(wanted, rel=GOLDEN, abs=GOLDEN)
            assert getattr(of_oracle["human", "llm", row["system"]], column) == pytest.approx(wanted, abs=GOLDEN)
    favoured = found[found["p_adjusted"] < 0.05]
    assert favoured["system"].tolist() == ["s5"]


@pytest.mark.slow
def test_errors_of_kappa_are_those_of_statsmodels(connection: duckdb.DuckDBPyConnection) -> None:
    rows = read_table("judges/judge_input.csv")
    columns = ["case", "query_id", "doc_id", "rater", "relevance"]
    listed = [(r["case"], r["query_id"], r["doc_id"], name, float(r[name])) for r in rows for name in ("llm", "human")]
    found = ltr_sql.rater_agreement(pd.DataFrame(listed, columns=columns), keys=["case"], con=connection)
    by_case = found[found["rater_a"].notna()].set_index("case")
    names = {"nominal": "cohen_kappa", "linear": "kappa_linear", "quadratic": "kappa_quadratic"}
    for row in read_table("judges/judge_expected.csv"):
        name = names[row["weight"]]
        of_case = [values[1:] for values in listed if values[0] == row["case"]]
        # By document, the errors are those of the formula of Fleiss, Cohen & Everitt without a correction of n.
        alone = oracle.rater_agreement([(q + d, d, rater, grade) for q, d, rater, grade in of_case])[0]["human", "llm"]
        for column, golden in (("", "kappa"), ("_stderr", "stderr_queries"), ("_low", "low"), ("_high", "high")):
            value = by_case.loc[row["case"], name + column]
            assert pd.isna(value) if not row[golden] else value == pytest.approx(float(row[golden]), abs=GOLDEN)
        if row["stderr_documents"]:
            n = len(of_case) // 2
            error = getattr(alone, f"{name}_stderr") * ((n - 1) / n) ** 0.5
            assert error == pytest.approx(float(row["stderr_documents"]), abs=GOLDEN)


def judgments() -> tuple[dict[str, pd.DataFrame], dict[str, pd.DataFrame]]:
    """Return two runs, and the judgments of two raters: the LLM likes what b ranks first."""
    runs = {
        "a": pd.DataFrame([(f"q{q}", d, 9 - i) for q in range(6) for i, d in enumerate("xyz")]),
        "b": pd.DataFrame([(f"q{q}", d, 9 - i) for q in range(6) for i, d in enumerate("zyx")]),
    }
    runs = {name: run.set_axis(["query_id", "doc_id", "score"], axis=1) for name, run in runs.items()}
    ids = runs["a"][["query_id", "doc_id"]]
    human = ids.assign(relevance=[1, 0, 0] * 3 + [0, 1, 0] * 3)
    llm = ids.assign(relevance=[0, 0, 1] * 2 + [0, 1, 0] * 2 + [1, 0, 1] * 2)
    return runs, {"llm": llm, "human": human}


@pytest.mark.slow
def test_bias_of_runs_is_that_of_their_values(connection: duckdb.DuckDBPyConnection) -> None:
    runs, qrels = judgments()
    found = ltr_sql.rater_bias(runs, ["RR", "P@1"], qrels=qrels, con=connection)
    values = pd.concat(
        ltr_sql.evaluate(runs, ["RR", "P@1"], qrels=given, by_query=True, con=connection).assign(rater=rater)
        for rater, given in qrels.items()
    )
    pd.testing.assert_frame_equal(found, ltr_sql.rater_bias(values, ["RR", "P@1"], con=connection))
    b = found[(found["system"] == "b") & (found["measure"] == "P@1")].iloc[0]
    assert (b["rater_a"], b["rater_b"], b["queries"]) == ("human", "llm", 6)
    assert b["bias"] == pytest.approx(4 / 6) and b["favour"] > b["bias"]


@pytest.mark.slow
def test_unfit_values_are_refused(connection: duckdb.DuckDBPyConnection) -> None:
    row = {"query_id": ["q", "q"], "system": ["s", "s"], "rater": ["a", "b"], "value": [0.5, 0.25]}

    def refused(message: str, measures: str | None = None, **columns: Any) -> None:
        with pytest.raises(InputError, match=message):
            ltr_sql.rater_bias(pd.DataFrame(row | columns), measures, con=connection)

    refused("the values name one rater", rater=["a", "a"], query_id=["q", "r"])
    refused("no query of a system has values of two raters", query_id=["q", "r"])
    refused("two values of one rater", rater=["a", "a"])
    refused("NULL in query_id, system or rater", rater=["a", None])
    refused("finite number", value=[float("inf"), 0.5])
    refused("missing column nDCG", "nDCG")
    refused("no numeric column", value=["x", "y"])
    runs, _ = judgments()
    with pytest.raises(InputError, match="qrels is an empty dict"):
        ltr_sql.rater_bias(runs, ["RR"], qrels={}, con=connection)

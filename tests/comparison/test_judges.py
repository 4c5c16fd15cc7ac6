"""Comparisons with people's values for a sample of the queries, and with clusters of queries."""

import math
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from support.judged_samples import runs_and_judgments, sample
from support.reference_values import file_of, needs, read_table
from support.strategies import drawn

import ltr_sql
from ltr_sql import InputError, InputWarning
from ltr_sql.command_line.main import main
from ltr_sql.oracle import comparison as oracle

GOLDEN = 1e-9
MEANS = file_of("judges/ppi_input.csv")


def number(text: str) -> float | None:
    """Return a number of the golden values; None for an empty field."""
    return float(text) if text else None


def close(found: Any, expected: Any) -> bool:
    if expected is None:
        return found is None or math.isnan(found)
    return bool(found == pytest.approx(expected, rel=GOLDEN, abs=GOLDEN))


def by_case(name: str) -> dict[str, list[dict[str, str]]]:
    """Return the rows of a file of golden values by their case."""
    found = defaultdict(list)
    for row in read_table(f"judges/{name}.csv"):
        found[row["case"]].append(row)
    return found


# If the input is absent, one test is skipped, not each of them.
@needs(MEANS)
@pytest.mark.parametrize(
    "expected",
    read_table("judges/ppi_expected.csv")[: None if MEANS.exists() else 1],
    ids=lambda row: "-".join([*row.values()][:2]),
)
def test_oracle_gives_the_means_of_ppi_python(expected: dict[str, str]) -> None:
    rows = by_case("ppi_input")[expected["case"]]
    llm, human = [float(row["llm"]) for row in rows], [number(row["human"]) for row in rows]
    given_weight = number(expected["lambda_given"])
    found = oracle.prediction_powered_mean(llm, human, llm_weight=given_weight)
    published = oracle.prediction_powered_mean(llm, human, llm_weight=given_weight, as_published=True)
    sessions = oracle.prediction_powered_mean(
        llm, human, clusters=[row["session"] for row in rows], llm_weight=given_weight
    )
    weighted = oracle.prediction_powered_mean(
        llm, human, weights=[float(row["weight"]) for row in rows], llm_weight=given_weight
    )
    low, high = found.interval() or (None, None)
    values = {
        "lambda": found.llm_weight,
        "estimate": found.mean,
        "stderr": published.stderr,
        "t_stderr": found.stderr,
        "t_df": found.df,
        "t_p": found.p(),
        "session_stderr": sessions.stderr,
        "session_df": sessions.df,
        "weighted_lambda": weighted.llm_weight,
        "weighted_estimate": weighted.mean,
        "weighted_stderr": weighted.stderr,
        **({"t_low": low, "t_high": high} if found.stderr else {}),
    }
    wrong = {name: value for name, value in values.items() if not close(value, number(expected[name]))}
    assert not wrong, expected


def pairs_with_zero(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return values of system b, which are those of a column, and of system a, which are 0."""
    kept = rows[rows[column].notna()]
    b = kept.assign(system="b", value=kept[column])
    return pd.concat([b, b.assign(system="a", value=0.0)])


def compared(values: pd.DataFrame, **options: Any) -> pd.DataFrame:
    """Return the comparison of b with a by case, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ltr_sql.compare(
            values,
            ["value"],
            values=True,
            keys=["case"],
            baseline="a",
            allow_empty=True,
            adjust="none",
            details=True,
            **options,
        )
    return pd.DataFrame(found.astype(object).where(found.notna(), None).set_index("case"))


@pytest.mark.default("weighted_-options2-columns2")
@needs(MEANS)
@pytest.mark.parametrize(
    ("prefix", "options", "columns"),
    [
        ("t_", {}, {"df": "t_df", "p": "t_p", "llm_weight": "lambda", "difference": "estimate"}),
        ("session_", {"cluster": "session"}, {"df": "session_df", "llm_weight": "lambda", "difference": "estimate"}),
        ("weighted_", {"weights": "weight"}, {"llm_weight": "weighted_lambda", "difference": "weighted_estimate"}),
    ],
)
def test_sql_gives_the_means_of_ppi_python(prefix: str, options: dict[str, str], columns: dict[str, str]) -> None:
    rows = pd.DataFrame(read_table("judges/ppi_input.csv"))
    rows = rows.assign(**{name: pd.to_numeric(rows[name]) for name in ("llm", "human", "weight")})
    listed = ["case", "query_id", "system", "value", *options.values()]
    human = pairs_with_zero(rows, "human")
    found = compared(pairs_with_zero(rows, "llm")[listed], human=human[listed[:4]], **options)
    expected = [row for row in read_table("judges/ppi_expected.csv") if not row["lambda_given"]]
    assert len(found) == len(expected) == 23
    for row in expected:
        named = {"low": f"{prefix}low", "high": f"{prefix}high", "judged": "judged", "queries": "queries", **columns}
        for column, name in named.items():
            # Without variance there is no p, as in any comparison of equal differences.
            assert close(found.loc[row["case"], column], number(row[name])), (row["case"], column)


def test_sql_gives_the_differences_of_ppi_python() -> None:
    rows = pd.DataFrame(read_table("judges/ppi_pairs_input.csv"))
    rows = rows.assign(value=pd.to_numeric(rows["llm"]), human=pd.to_numeric(rows["human"]))
    columns = ["case", "query_id", "system", "value"]
    human = rows[rows["human"].notna()].assign(value=lambda judged: judged["human"])
    found = compared(rows[columns], human=human[columns])
    same = {
        "difference": "estimate",
        "low": "t_low",
        "high": "t_high",
        "p": "t_p",
        "df": "t_df",
        "llm_weight": "lambda",
    }
    names = ["llm_difference", "human_difference", "favour", "favour_low", "favour_high", "judged", "queries"]
    for row in read_table("judges/ppi_pairs_expected.csv"):
        for column, name in {**same, **{name: name for name in names}}.items():
            assert close(found.loc[row["case"], column], number(row[name])), (row["case"], column)
        of = found.loc[row["case"]]
        assert of["mean_b"] - of["mean_a"] == pytest.approx(of["difference"], abs=1e-12)


@pytest.mark.slow
def test_clusters_have_the_errors_of_statsmodels() -> None:
    rows = pd.DataFrame(read_table("judges/clusters_input.csv"))
    rows = rows.assign(difference=pd.to_numeric(rows["difference"]), weight=pd.to_numeric(rows["weight"]))
    columns = ["case", "query_id", "system", "value", "session"]
    values = pairs_with_zero(rows, "difference")
    plain, weighted = (
        compared(values[columns], cluster="session"),
        compared(values[[*columns, "weight"]], cluster="session", weights="weight"),
    )
    for row in read_table("judges/clusters_expected.csv"):
        of_case = rows[rows["case"] == row["case"]]
        equal = of_case["weight"].nunique() == 1
        found = (plain if equal else weighted).loc[row["case"]]
        weights = None if equal else of_case["weight"].tolist()
        by_oracle = oracle.clustered_mean(of_case["difference"].tolist(), of_case["session"].tolist(), weights)
        error = by_oracle.stderr
        assert error is not None
        assert close(error, number(row["cr2" if equal else "cr1"]))
        assert close(found["difference"] / found["statistic"], error)
        assert close(by_oracle.df, number(row["cr2_df"]) if equal else int(row["clusters"]) - 1)
        assert close(found["df"], by_oracle.df)
        assert close(by_oracle.design_effect, number(row["design_effect"]))
        assert close(found["design_effect"], by_oracle.design_effect)
        assert found["clusters"] == int(row["clusters"])
        if not equal:
            assert close(found["low"], number(row["cr1_low"]))
            assert close(found["high"], number(row["cr1_high"]))
            assert close(found["p"], number(row["cr1_p"]))


# Values with ties, and with zeros, halves and ones more often than others.
VALUE = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1, width=32))


@st.composite
def judged_queries(draw: st.DrawFn) -> pd.DataFrame:
    """Return the values of two systems under two judges, of which the second has judged some queries."""
    n = draw(st.integers(2, 14))
    of = [draw(st.lists(VALUE, min_size=n, max_size=n)) for _ in range(4)]
    judged = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return pd.DataFrame(
        {
            "query_id": [f"q{i}" for i in range(n)],
            "llm_a": of[0],
            "llm_b": of[1],
            "human_a": [v if j else None for v, j in zip(of[2], judged, strict=True)],
            "human_b": [v if j else None for v, j in zip(of[3], judged, strict=True)],
            "session": [f"s{i}" for i in draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))],
            "weight": draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n)),
        }
    )


def long(samples: list[pd.DataFrame], judge: str, *columns: str) -> pd.DataFrame:
    """Return values of a judge with one row per sample, system and query."""
    parts = [
        queries[["query_id", *columns]].assign(
            sample=number, system=system, value=queries[f"{judge}_{system}"].astype(float)
        )
        for number, queries in enumerate(samples)
        for system in "ab"
    ]
    return pd.concat(parts).dropna(subset=["value"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", ["human", "cluster", "human cluster", "human weight", "cluster weight", "human cluster weight"]
)
def test_sql_equals_the_oracle(connection: duckdb.DuckDBPyConnection, options: str) -> None:
    """One call compares the systems of all samples, which are keys."""
    with_human, with_clusters, with_weights = (name in options for name in ("human", "cluster", "weight"))
    samples = [q for q in drawn(judged_queries(), 16) if not with_human or q["human_a"].notna().any()]
    assert len(samples) > 8
    columns = [*(["session"] if with_clusters else []), *(["weight"] if with_weights else [])]
    given: dict[str, Any] = {"human": long(samples, "human")} if with_human else {}
    given |= {"cluster": "session"} if with_clusters else {}
    given |= {"weights": "weight"} if with_weights else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = long(samples, "llm", *columns)
        rows = ltr_sql.compare(
            values, ["value"], values=True, keys=["sample"], allow_empty=True, con=connection, details=True, **given
        )
    found = rows.astype(object).to_dict("records")
    assert [row["sample"] for row in found] == [*range(len(samples))]
    for row, queries in zip(found, samples, strict=True):
        check_sample(row, queries, with_human, with_clusters, with_weights)


def check_sample(
    found: dict[str, Any], queries: pd.DataFrame, with_human: bool, with_clusters: bool, with_weights: bool
) -> None:
    """Compare the row of a sample with the oracle."""
    llm = (queries["llm_b"] - queries["llm_a"]).tolist()
    human = [None if math.isnan(d) else d for d in (queries["human_b"] - queries["human_a"]).astype(float)]
    clusters = queries["session"].tolist() if with_clusters else None
    weights = queries["weight"].tolist() if with_weights else None
    if with_human:
        expected = oracle.prediction_powered_mean(llm, human, weights=weights, clusters=clusters)
        judged = [d for d in human if d is not None]
        assert found["judged"] == len(judged)
        assert found["llm_weight"] == pytest.approx(expected.llm_weight, abs=1e-12)
    else:
        expected, judged = oracle.clustered_mean(llm, clusters or [], weights), llm
    assert found["queries"] == len(llm)
    assert found["difference"] == pytest.approx(expected.mean, abs=1e-12)
    if expected.df is None or len(judged) < 2:
        assert math.isnan(found["low"])
    elif np.ptp(np.round(judged, 12)) > 0 and expected.stderr is not None:
        low, high = expected.interval() or (0.0, 0.0)
        assert found["low"] == pytest.approx(low, abs=1e-9, rel=1e-9)
        assert found["high"] == pytest.approx(high, abs=1e-9, rel=1e-9)
        assert found["df"] == pytest.approx(expected.df, rel=1e-9)
        if expected.stderr > 1e-9:
            assert found["p"] == pytest.approx(expected.p(), abs=1e-9)


@pytest.fixture(scope="module")
def connection() -> Any:
    with duckdb.connect() as con:
        yield con


@pytest.mark.slow
def test_macros_give_the_values_of_python(connection: duckdb.DuckDBPyConnection) -> None:
    values, people = sample()
    values = values.assign(session=[i // 8 for i in range(len(values))])
    ltr_sql.register(connection)
    connection.register("llm_values", values)
    connection.register("people", people)
    for call, options in (
        ("human := 'people'", {"human": people}),
        ("cluster := 'session'", {"cluster": "session"}),
        ("human := 'people', cluster := 'session'", {"human": people, "cluster": "session"}),
    ):
        for macro, function in (("compare_values", ltr_sql.compare), ("leaderboard", ltr_sql.leaderboard)):
            by_macro = connection.sql(f"from ltr.{macro}('llm_values', ['nDCG'], {call})").df()
            by_python = function(values, ["nDCG"], values=True, con=connection, **options)
            pd.testing.assert_frame_equal(by_macro, by_python)


def refused(message: str, values: pd.DataFrame, **options: Any) -> None:
    with pytest.raises(InputError, match=message):
        ltr_sql.compare(values, ["nDCG"], values=True, **options)


@pytest.mark.slow
def test_unfit_options_and_input_are_refused(connection: duckdb.DuckDBPyConnection) -> None:
    values, people = sample()
    for option, name in (("test", "sign"), ("ci", "abc"), ("adjust", "tukey")):
        refused(
            f"human applies to the t and the sequential test, not to {option}='{name}'",
            values,
            human=people,
            **{option: name},
        )
    refused("cluster applies to the t and the sequential test", values, cluster={"q000": "s"}, test="wilcoxon")
    unknown = pd.concat([people, people[:2].assign(query_id="other")])
    refused("human has 2 values that the judge has not, such as that of query other of system a", values, human=unknown)
    refused("human: missing column nDCG", values, human=people.drop(columns="nDCG"))
    refused("not a finite number", values, human=people.assign(nDCG=math.inf))
    refused("cluster has no cluster of the query q001", values, cluster={"q000": "s"})
    grouped = values.assign(session=[i // 4 for i in range(len(values))])
    refused(
        "query q000 is in two clusters, 0 and 9",
        grouped.assign(session=[9, *grouped["session"][1:]]),
        cluster="session",
    )
    refused(
        "a query is in two clusters: give each query one cluster. It is q000",
        values,
        cluster=pd.DataFrame({"query_id": ["q000", "q000"], "cluster": [1, 2]}),
    )
    refused(
        "cluster has no cluster of the query",
        grouped.assign(session=pd.Series([None, *grouped["session"][1:]], dtype=object)),
        cluster="session",
    )
    refused(
        "the clusters need the columns query_id and cluster",
        values,
        cluster=pd.DataFrame({"query_id": ["q000"], "session": [1]}),
    )


def verdict_of(values: pd.DataFrame, **options: Any) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (row,) = (
            ltr_sql.compare(values, ["nDCG"], values=True, details=True, **options).astype(object).to_dict("records")
        )
    return {
        str(name): None if pd.api.types.is_scalar(value) and pd.isna(value) else value for name, value in row.items()
    }


@pytest.mark.slow
def test_degenerate_samples() -> None:
    values, people = sample()
    one = verdict_of(values, human=people[:2])
    assert (one["verdict"], one["low"], one["p"], one["judged"]) == ("too few judged queries", None, None, 1)
    two = verdict_of(values, human=people[:4])
    assert (two["llm_weight"], two["df"], two["verdict"]) == (0.0, 1.0, "too few judged queries")
    assert two["low"] < two["difference"] < two["high"]
    # People judged all queries, or all but one: the result is that of people alone.
    for judged in (119, 120):
        values, people = sample(judged, 120 - judged)
        row = verdict_of(values, human=people)
        alone = verdict_of(people)
        assert row["llm_weight"] == 0
        for name in ("difference", "low", "high", "p"):
            assert row[name] == pytest.approx(alone[name], abs=1e-12)
        assert row["verdict"] == alone["verdict"]
    values, people = sample()
    constant = verdict_of(values.assign(nDCG=[0.2, 0.3] * 120), human=people)
    assert constant["llm_weight"] == 0 and constant["low"] == pytest.approx(verdict_of(people)["low"], abs=1e-12)
    opposed = verdict_of(values, human=people.assign(nDCG=1 - values["nDCG"][: len(people)]))
    assert opposed["llm_weight"] == 0
    equal = verdict_of(values, human=people.assign(nDCG=[0.2, 0.3] * 60))
    assert (equal["llm_weight"], equal["p"], equal["low"], equal["verdict"]) == (
        0.0,
        None,
        pytest.approx(0.1),
        "better",
    )
    ties = verdict_of(values, human=people.assign(nDCG=0.5))
    assert (ties["difference"], ties["verdict"]) == (0.0, "equal")
    one_sided = people.drop(people.index[1])
    assert verdict_of(values, human=one_sided)["judged"] == 59
    same = verdict_of(values, human=values[:120])
    assert same["llm_weight"] == pytest.approx(0.5, abs=0.05) and same["favour"] == 0


@pytest.mark.slow
def test_few_clusters() -> None:
    values, people = sample()
    assert verdict_of(values, cluster=dict.fromkeys(values["query_id"], "s"))["verdict"] == "too few clusters"
    two = {query: query < "q030" for query in values["query_id"]}
    with pytest.warns(InputWarning, match="2 clusters leave 1 degrees of freedom"):
        row = ltr_sql.compare(values, ["nDCG"], values=True, cluster=two, details=True).iloc[0]
    assert row["clusters"] == 2 and row["df"] < 4
    assert (
        verdict_of(values, human=people, cluster=dict.fromkeys(values["query_id"], "s"))["verdict"]
        == "too few clusters"
    )


@pytest.mark.slow
def test_doubts_about_the_judge_and_the_sample() -> None:
    values, people = sample()

    def warned(pattern: str, values: pd.DataFrame, people: pd.DataFrame) -> None:
        with pytest.warns(InputWarning, match=pattern):
            ltr_sql.compare(values, ["nDCG"], values=True, human=people)

    warned("people judged 20 queries. Below 50", values, people[:40])
    warned("the judge gives every ranking the value 0.5, and corrects nothing", values.assign(nDCG=0.5), people)
    warned("people's values equal the judge's", values, values[:120])
    chosen = values.sort_values("nDCG")["query_id"].drop_duplicates()[:60]
    warned(
        "the queries that people judged differ from the others",
        values,
        values[values["query_id"].isin(chosen)].assign(nDCG=lambda v: v["nDCG"] / 2),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ltr_sql.compare(values, ["nDCG"], values=True, human=people)


@pytest.mark.slow
def test_runs_with_judgments_of_people(connection: duckdb.DuckDBPyConnection) -> None:
    runs, llm, people = runs_and_judgments()
    options: dict[str, Any] = {"con": connection, "qrels": llm}
    measures = ["nDCG@3", "AP"]
    with pytest.warns(InputWarning, match="people judged 30 queries"):
        found = ltr_sql.compare(runs, measures, human=people, **options)
    values, judged = (
        ltr_sql.evaluate(runs, measures, qrels=qrels, by_query=True, check=False, con=connection)
        for qrels in (llm, people)
    )
    judged = judged[judged["query_id"].isin(people["query_id"])]
    with pytest.warns(InputWarning, match="people judged 30 queries"):
        pd.testing.assert_frame_equal(
            found, ltr_sql.compare(values, measures, values=True, human=judged, con=connection)
        )
    assert found["judged"].tolist() == [30, 30]
    # People left out the last document of each ranking of two queries.
    some = people[~(people["query_id"].isin(["q03", "q07"]) & (people["doc_id"] == "d2"))]
    with pytest.raises(
        InputError, match=r"judged only some documents of 2 queries \(Judged\): q03 \(83% of 100%\), q07"
    ):
        ltr_sql.compare(runs, measures, human=some, **options)
    with pytest.warns(InputWarning, match="people judged 30 queries"):
        assert ltr_sql.compare(runs, measures, human=some, allow_unjudged=True, **options)["judged"].tolist() == [
            30,
            30,
        ]


@pytest.mark.slow
def test_clusters_of_runs(connection: duckdb.DuckDBPyConnection) -> None:
    runs, llm, _ = runs_and_judgments()
    of_query = {query: int(query[1:]) // 6 for query in llm["query_id"].unique()}
    by_dict = ltr_sql.compare(runs, ["nDCG@3"], qrels=llm, cluster=of_query, con=connection)
    both = pd.concat([run.assign(system=name) for name, run in runs.items()])
    both = both.assign(session=both["query_id"].map(of_query))
    by_column = ltr_sql.compare(both, ["nDCG@3"], qrels=llm, cluster="session", con=connection)
    pd.testing.assert_frame_equal(by_dict, by_column)
    assert by_dict["clusters"].tolist() == [10]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write two runs, the judgments of an LLM and of people, and clusters of queries."""
    runs, llm, people = runs_and_judgments()
    for name, run in runs.items():
        run.to_csv(tmp_path / f"{name}.csv", index=False)
    llm.to_csv(tmp_path / "llm.csv", index=False)
    people.to_csv(tmp_path / "people.csv", index=False)
    people[people["query_id"] < "q05"].to_csv(tmp_path / "few.csv", index=False)
    queries = sorted(set(llm["query_id"]))
    clusters = pd.DataFrame({"query_id": queries, "cluster": [int(query[1:]) // 6 for query in queries]})
    clusters.to_csv(tmp_path / "clusters.csv", index=False)
    clusters.assign(cluster="one").to_csv(tmp_path / "one.csv", index=False)
    return tmp_path


def called(files: Path, *arguments: str) -> Result:
    paths = [str(files / argument) if argument.endswith(".csv") else argument for argument in arguments]
    judged = [str(files / name) for name in ("llm.csv", "a.csv", "b.csv")]
    return CliRunner().invoke(main, ["compare", *judged, "-m", "nDCG@3", "--baseline", "a", *paths])


@pytest.mark.slow
def test_the_command_corrects_and_decides_gates(files: Path) -> None:
    gate = ["--fail-if", "nDCG@3 significantly worse"]
    shown = called(files, "--human", "people.csv", "--format", "csv", *gate)
    assert shown.exit_code == 1, shown.output
    assert "60 queries, 30 judged by people (worth " in shown.output
    assert "; the judge favours " in shown.output and "(nDCG@3): a true difference of" in shown.output
    assert "failed: nDCG@3 significantly worse: b " in shown.output
    runs, llm, people = runs_and_judgments()
    with pytest.warns(InputWarning, match="people judged 30 queries"):
        expected = ltr_sql.compare(runs, ["nDCG@3"], qrels=llm, human=people, baseline="a").iloc[0]
    (line,) = [line for line in shown.output.splitlines() if line.startswith("nDCG@3,a,b")]
    header = next(line for line in shown.output.splitlines() if line.startswith("measure,"))
    found = dict(zip(header.split(","), line.split(","), strict=True))
    for name in ("difference", "low", "high", "favour_low", "worth"):
        assert float(found[name]) == pytest.approx(expected[name], rel=1e-9)
    few = called(files, "--human", "few.csv", *gate)
    assert few.exit_code == 2 and "people judged fewer than 10 queries" in few.output
    clusters = called(files, "--cluster", "clusters.csv", *gate)
    assert clusters.exit_code == 1 and "9 clusters" not in clusters.output, clusters.output
    one = called(files, "--cluster", "one.csv", *gate)
    assert one.exit_code == 2 and "all queries are in one cluster" in one.output


@pytest.mark.slow
def test_the_command_refuses_documents_that_people_left_out(files: Path) -> None:
    people = pd.read_csv(files / "people.csv")
    people[(people["query_id"] != "q03") | (people["doc_id"] < "d2")].to_csv(files / "people.csv", index=False)
    refused = called(files, "--human", "people.csv")
    assert refused.exit_code == 2 and "people judged only some documents of 1 query (Judged@3): q03" in refused.output
    assert called(files, "--human", "people.csv", "--allow-unjudged").exit_code == 0
    other = called(files, "--human", "people.csv", "--test", "sign")
    assert other.exit_code == 2 and "human applies to the t and the sequential test" in other.output


@pytest.mark.slow
def test_the_command_reads_judgments_of_people_in_trec_format(files: Path) -> None:
    people = pd.read_csv(files / "people.csv").assign(iteration=0)
    columns = ["query_id", "iteration", "doc_id", "relevance"]
    people[columns].to_csv(files / "people.qrels", sep=" ", index=False, header=False)
    as_csv, as_trec = (called(files, "--human", str(files / name)) for name in ("people.csv", "people.qrels"))
    assert as_trec.exit_code == 0 and as_trec.stdout == as_csv.stdout, as_trec.output


BAD_PEOPLE: list[tuple[str, Callable[[pd.DataFrame], pd.DataFrame], str]] = [
    (
        "other name",
        lambda p: p.rename(columns={"relevance": "people"}),
        r"columns=\{'human': \{'people': 'relevance'\}\}",
    ),
    (
        "name of grades",
        lambda p: p.rename(columns={"relevance": "rel"}),
        r"columns=\{'human': \{'rel': 'relevance'\}\}",
    ),
    ("weights", lambda p: p.assign(weight=1), "a column weight is not read, because the correction needs queries"),
    ("no ids", lambda p: p.drop(columns="doc_id"), r"people's judgments: missing column doc_id"),
    ("twice", lambda p: pd.concat([p, p[:1]]), r"judged more than once for one query \(1\): query_id=q00, doc_id=d0"),
    ("texts", lambda p: p.assign(relevance="good"), r"'good' \(180\): pass their numbers as grades"),
]


@pytest.mark.default("name of grades")
@pytest.mark.parametrize(("change", "message"), [row[1:] for row in BAD_PEOPLE], ids=[row[0] for row in BAD_PEOPLE])
def test_judgments_of_people_are_checked(
    change: Callable[[pd.DataFrame], pd.DataFrame], message: str, connection: duckdb.DuckDBPyConnection
) -> None:
    runs, llm, people = runs_and_judgments()
    bad = change(people)
    with pytest.raises(InputError, match=message):
        ltr_sql.compare(runs, ["nDCG@3"], qrels=llm, human=bad)
    with pytest.raises(InputError, match=message):
        ltr_sql.evaluate(runs, ["nDCG@3"], qrels=llm, human=bad, ci="t")


@pytest.mark.slow
def test_judgments_of_people_have_names_of_their_own() -> None:
    runs, llm, people = runs_and_judgments()
    with pytest.warns(InputWarning, match="people judged 30 queries"):
        expected = ltr_sql.compare(runs, ["nDCG@3"], qrels=llm, human=people)
    named: dict[str, Any] = {"qrels": llm.rename(columns={"relevance": "llm"}), "qrels_columns": {"llm": "relevance"}}
    own = {"human": people.rename(columns={"relevance": "said"}), "columns": {"human": {"said": "relevance"}}}
    same = {"human": people.rename(columns={"relevance": "llm"})}
    for by_people in (own, same, {"human": people}):
        with pytest.warns(InputWarning, match="people judged 30 queries"):
            pd.testing.assert_frame_equal(ltr_sql.compare(runs, ["nDCG@3"], **named, **by_people), expected)


def test_the_command_reads_tables_of_values_of_people(tmp_path: Path) -> None:
    values, people = sample()
    values.to_csv(tmp_path / "values.csv", index=False)
    people.to_csv(tmp_path / "people.csv", index=False)
    paths = [str(tmp_path / "values.csv"), "--human", str(tmp_path / "people.csv")]
    shown = CliRunner().invoke(main, ["compare", "--values", *paths])
    assert shown.exit_code == 0, shown.output
    assert "120 queries, 60 judged by people" in shown.output

"""Comparisons by measures that have one value for a run: values and bootstrap intervals against the oracle."""

import math
from pathlib import Path
from statistics import stdev
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql import InputError, InputWarning, MeasureError
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.command_line.main import main
from ltr_sql.oracle.comparison import by_text, random_draws, t_quantile
from ltr_sql.verification import TOLERANCE, difference, oracle_values

Row = dict[str, Any]

# Queries that one system lacks, which compare warns of.
pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

MEASURES = [
    "Gini@2",
    "Coverage@3",
    "Entropy",
    "Herfindahl@2",
    "Personalization@3",
    "EED",
    "EEL(counts=all)",
    "AttentionParity@2",
    "ExposureRatio",
]
DOCUMENTS = pd.DataFrame({"doc_id": list("abcdef"), "group": list("ABABAB"), "category": list("uvwuvw")})
TARGETS = pd.DataFrame({"group": ["A", "B"], "share": [0.25, 0.75]})


def random_run(seed: int, queries: int, segments: str = "") -> pd.DataFrame:
    """Return a run with lists of 1 to 4 documents, for the queries 10, 9, ... (10 precedes 9 as text)."""
    random = np.random.default_rng(seed)
    rows = [
        (segment, query, d, i)
        for segment in segments or "-"
        for query in range(11 - queries, 11)
        for i, d in enumerate(random.permutation(list("abcdef"))[: random.integers(1, 5)], start=1)
    ]
    return pd.DataFrame(rows, columns=["segment", "query_id", "doc_id", "rank"])


QRELS = pd.DataFrame(
    [(q, d, float((q + i) % 3)) for q in range(12) for i, d in enumerate("abcdef") if (q * i) % 4],
    columns=["query_id", "doc_id", "relevance"],
)


def rows_of(table: pd.DataFrame) -> list[Row]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


TABLES = {"documents": rows_of(DOCUMENTS), "targets": rows_of(TARGETS)}


def value(measure: str, run: list[Row], qrels: list[Row]) -> float:
    found = oracle_values(parse_measure(measure), run, {**TABLES, "qrels": qrels})
    assert isinstance(found, float)
    return found


def drawn(rows: list[Row], queries: list[int]) -> list[Row]:
    """Return the rows of the drawn queries. Each draw of a query gets its own query_id."""
    return [{**row, "query_id": f"{q} no. {n}"} for n, q in enumerate(queries) for row in rows if row["query_id"] == q]


@pytest.mark.slow
def test_values_and_intervals_equal_the_oracle() -> None:
    runs = {"x": random_run(1, 7, "st"), "y": random_run(2, 6, "st")}
    found = ltr_sql.compare(
        runs,
        ["ILD", *MEASURES],
        qrels=QRELS,
        documents=DOCUMENTS,
        targets=TARGETS,
        keys=["segment"],
        resamples=100,
        seed=3,
        details=True,
    )
    assert found["measure"].tolist() == ["ILD", *MEASURES] * 2
    assert found["verdict"].tolist()[1:10] == ["no test"] * 9
    rows = found.set_index(["segment", "measure"])
    qrels = rows_of(QRELS)
    for segment in "st":
        x, y = (rows_of(run[run["segment"] == segment]) for run in runs.values())
        ids = by_text([*{row["query_id"] for row in [*x, *y]}])
        samples = [[ids[i] for i in random_draws(len(ids), b, 3)] for b in range(100)]
        resampled = [[drawn(rows, sample) for rows in (x, y, qrels)] for sample in samples]
        for measure in MEASURES[segment == "t" :: 2]:
            row = rows.loc[segment, measure]
            a, b = value(measure, x, qrels), value(measure, y, qrels)
            differences = [value(measure, ys, judged) - value(measure, xs, judged) for xs, ys, judged in resampled]
            reach = t_quantile(0.05, len(ids) - 1) * stdev(d for d in differences if not math.isnan(d))
            expected = (a, b, b - a, b - a - reach, b - a + reach)
            of_row = row[["mean_a", "mean_b", "difference", "low", "high"]]
            assert all(map(lambda f, e: difference(f, e) <= TOLERANCE, of_row, expected)), (measure, of_row, expected)
            assert (row["queries"], row["only_a"], row["only_b"]) == (6, 1, 0)
            assert row[["p", "wins", "sd", "mde"]].isna().all()


@pytest.mark.slow
def test_baseline_repeats_and_equal_systems() -> None:
    run, documents = random_run(1, 5).drop(columns="segment"), DOCUMENTS
    systems = {"x": run, "y": run, "z": random_run(3, 5).drop(columns="segment")}
    found = ltr_sql.compare(systems, ["Gini"], documents=documents, baseline="z", resamples=100)
    assert found[["system_a", "system_b"]].to_numpy().tolist() == [["z", "x"], ["z", "y"]]
    (row,) = ltr_sql.compare({"x": run, "y": run}, ["Gini"], documents=documents, resamples=100).to_dict("records")
    assert (row["difference"], row["low"], row["high"]) == (0, 0, 0)
    table = pd.concat([systems[s].assign(system=name, seed=seed) for name, s, seed in ("axs", "azt", "bys", "bzt")])
    (row,) = ltr_sql.compare(table, ["Gini"], documents=documents, repeats=["seed"], resamples=100).to_dict("records")
    values = [ltr_sql.evaluate(systems[s], ["Gini"], documents=documents)["Gini"].item() for s in "xz"]
    assert row["mean_a"] == pytest.approx(sum(values) / 2, abs=1e-15)
    with pytest.warns(InputWarning, match="repeats seed: nothing is averaged, because each system has only one row"):
        ltr_sql.compare(table[table["seed"] == "s"], ["Gini"], documents=documents, repeats=["seed"], resamples=100)
    with pytest.raises(InputError, match=r"no system is called w: the systems are"):
        ltr_sql.compare(systems, ["Gini"], documents=documents, baseline="w")
    with pytest.raises(InputError, match="pass at least two"):
        ltr_sql.compare({"x": run}, ["Gini"], documents=documents)
    with pytest.raises(InputError, match="Gini of x or y is NULL"):
        ltr_sql.compare({"x": run, "y": run}, ["Gini"], documents=documents.assign(doc_id=documents["group"] + "0"))
    with pytest.raises(MeasureError, match="needs documents="):
        ltr_sql.compare(systems, ["Gini"])


def test_queries_without_a_list_have_no_interval() -> None:
    run = random_run(1, 5).drop(columns="segment")
    (row,) = ltr_sql.compare(
        {"x": run, "y": run[run["query_id"] != 9]}, ["QueryCoverage"], qrels=QRELS, resamples=100
    ).to_dict("records")
    assert (row["mean_a"], row["mean_b"]) == (4 / 9, 3 / 9)
    assert math.isnan(row["low"])
    assert row["verdict"] == "no test"


@pytest.mark.slow
def test_command_line(tmp_path: Path) -> None:
    for name, seed in (("x", 1), ("y", 2)):
        run = random_run(seed, 6).drop(columns="segment")
        run.to_csv(tmp_path / f"{name}.csv", index=False)
    QRELS.to_csv(tmp_path / "qrels.csv", index=False)
    DOCUMENTS.to_csv(tmp_path / "documents.csv", index=False)

    def called(*options: str) -> Any:
        files = [str(tmp_path / name) for name in ("qrels.csv", "x.csv", "y.csv")]
        documents = ["--documents", str(tmp_path / "documents.csv"), "--resamples", "100"]
        return CliRunner().invoke(main, ["compare", *files, *documents, *options])

    result = called("-m", "P@1", "-m", "Gini@2", "-m", "ILD@2", "--format", "csv")
    assert result.exit_code == 0, result.output
    lines = [line.split(",") for line in result.stdout.splitlines()]
    assert [line[0] for line in lines[1:]] == ["P@1", "Gini@2", "ILD@2"]
    assert lines[2][-1] == "no test"
    for style in ("table", "json", "markdown", "latex"):
        result = called("-m", "Gini@2", "--format", style)
        assert result.exit_code == 0, result.output
        assert "Gini@2" in result.stdout
    result = called("-m", "P@1", "-m", "Gini@2", "--baseline", "x", "--fail-if", "Gini@2 worse")
    assert result.exit_code == 2
    assert "Gini@2 has one value for a run" in result.output
    saved = str(tmp_path / "saved.parquet")
    assert called("-m", "P@1", "-m", "Gini@2", "--save-values", saved).exit_code == 0
    result = called("-m", "Gini@2", "--baseline", saved)
    assert result.exit_code == 2
    assert "pass the run of the baseline instead" in result.output

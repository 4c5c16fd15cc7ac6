"""Measures beyond accuracy: case folders, random runs against the oracle, invariants, errors.

A case folder holds run.csv, the tables that the measure reads, and expected.csv: one row per query, or one row without
query_id for a measure over runs.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from support.beyond_accuracy import COLUMNS, DOCUMENTS, frame_of, inputs, strings_of
from support.case_folders import BEYOND_ACCURACY, Row, arithmetic, case_id, cases_of, distance, header_of, rows_of
from support.strategies import drawn

import ltr_sql
from ltr_sql import InputError, MeasureError
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import all_definitions, beyond_accuracy_definitions
from ltr_sql.rendering.dialects import string
from ltr_sql.verification import TOLERANCE, difference, oracle_values, verify_comparison

TYPES = {"rank": "bigint", "vector": "double[]"} | dict.fromkeys(
    ["score", "popularity", "share", "relevance", "weight"], "double"
)
FOLDERS = [folder for name in BEYOND_ACCURACY for folder in cases_of(name)]

# Documents that the catalogue lacks, which evaluate warns of.
pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")


# Case folders


def read_case(con: duckdb.DuckDBPyConnection, folder: Path) -> list[str]:
    """Load the run and the tables of a case, and return the names of the tables."""
    names = [path.stem for path in sorted(folder.glob("*.csv")) if path.stem != "expected"]
    for name in names:
        types = {column: TYPES.get(column, "varchar") for column in header_of(folder / f"{name}.csv")}
        listed = ", ".join(f"{string(column)}: {string(kind)}" for column, kind in types.items())
        path = string(str(folder / f"{name}.csv"))
        con.execute(f"create or replace table {name} as from read_csv({path}, header = true, types = {{{listed}}})")
    assert names.pop(names.index("run")) == "run"
    return names


def expected_of(folder: Path) -> dict[str, dict[str | None, float]]:
    """Return the expected values by measure string and query; the query is None for a measure over runs."""
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    return {
        text: {row.get("query_id"): arithmetic(row[text]) if row[text].strip() else math.nan for row in rows}
        for text in rows[0]
        if text != "query_id"
    }


def check(found: Mapping[Any, float | None], expected: Mapping[Any, float]) -> None:
    assert found.keys() == expected.keys()
    wrong = {
        query: (found[query], expected[query]) for query in found if distance(found[query], expected[query]) > TOLERANCE
    }
    assert not wrong


def sql_of(value: Any) -> str:
    return "null" if value is None else string(value) if isinstance(value, str) else repr(value)


def called(con: duckdb.DuckDBPyConnection, text: str, tables: Sequence[str], keys: Sequence[str] = ()) -> list[Row]:
    """Call the macro of a measure string."""
    measure = parse_measure(text)
    read = [f"{name} := '{name}'" for name in tables if name in measure.definition.row_source.tables]
    options = [f"{name} := {sql_of(value)}" for name, value in measure.values]
    arguments = ", ".join(["'run'", *read, *options, f"keys := {[*keys]}"])
    return rows_of(con, f"from ltr.{measure.definition.macro}({arguments})")


def by_query(rows: list[Row], column: str) -> dict[Any, Any]:
    found = {row.get("query_id"): row[column] for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.mark.default("novelty/small")
@pytest.mark.parametrize("folder", FOLDERS, ids=case_id)
def test_case(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    definition, tables = all_definitions()[folder.parent.name], read_case(con, folder)
    assert set(tables) <= set(definition.row_source.tables)
    given = [f"{name} := '{name}'" for name in tables]
    expected = expected_of(folder)
    assert {parse_measure(text).definition for text in expected} == {definition}
    over_queries = definition.over == "query"
    arguments = ", ".join(["'run'", f"{[*expected]}", *given, f"by_query := {over_queries}"])
    in_sql = rows_of(con, f"from ltr.beyond_accuracy({arguments})")
    frames: dict[str, Any] = {name: con.table(name).df() for name in ["run", *tables]}
    run = frames.pop("run")
    in_python = ltr_sql.evaluate(run, expected, by_query=over_queries, **frames).to_dict("records")
    rows = {name: rows_of(con, f"from {name}") for name in tables}
    ranked_run = run.to_dict("records") if "rank" in run else ranked(con)
    for text, values in expected.items():
        check(by_query(in_sql, text), values)
        check(by_query(in_python, text), values)
        value = oracle_values(parse_measure(text), ranked_run, rows)
        check(value if isinstance(value, dict) else {None: value}, values)
    check(by_query(called(con, text, tables), definition.macro), values)


def ranked(con: duckdb.DuckDBPyConnection) -> list[Row]:
    """Return the run with ranks made from its scores."""
    order = "partition by query_id order by score desc, doc_id desc"
    return rows_of(con, f"select *, row_number() over ({order}) as rank from run")


@pytest.mark.parametrize("name", BEYOND_ACCURACY)
def test_every_measure_has_a_case(name: str) -> None:
    assert cases_of(name), f"sql/beyond_accuracy/ has {name}.sql, tests/cases/{name}/ has no case"


# Random runs against the oracle


@pytest.mark.default("0")
@pytest.mark.parametrize("example", range(12))
def test_evaluate_equals_the_oracle(example: int, con: duckdb.DuckDBPyConnection) -> None:
    given = drawn(inputs(), 12)[example]
    # Each example tests every third measure string. Three examples together test all of them.
    texts = [text for d in beyond_accuracy_definitions().values() for text in strings_of(d)][example % 3 :: 3]
    frames: dict[str, Any] = {name: frame_of(rows, COLUMNS[name]) for name, rows in given.items()}
    run = frames.pop("run")
    if run.empty:
        return
    for by_query in (True, False):
        # Three examples also test means over queries, and that a measure over runs has no value of a query.
        chosen = (
            texts if example < 3 else [t for t in texts if by_query == (parse_measure(t).definition.over == "query")]
        )
        found = ltr_sql.evaluate(run, chosen, keys=["system"], by_query=by_query, **frames).to_dict("records")
        for row in found:
            rows = [r for r in given["run"] if r["system"] == row["system"]]
            for text in chosen:
                value = oracle_values(parse_measure(text), rows, given)
                if not isinstance(value, dict):
                    expected = math.nan if by_query else value
                elif by_query:
                    expected = value[row["query_id"]]
                else:
                    defined = [v for v in value.values() if not math.isnan(v)]
                    expected = math.fsum(defined) / len(defined) if defined else math.nan
                assert difference(row[text], expected) <= TOLERANCE, (text, row, expected)
    if example == 0:
        for name, frame in {"run": run, **frames}.items():
            con.register("given", frame)
            con.execute(f"create table {name} as from given")
        named = ", ".join(f"{name} := '{name}'" for name in frames)
        in_sql = rows_of(con, f"from ltr.beyond_accuracy('run', {texts}, {named}, keys := ['system']) order by system")
        for row, other in zip(in_sql, found, strict=True):
            assert all(difference(row[text], other[text]) <= TOLERANCE for text in texts)


@pytest.mark.slow
def test_lists_that_need_no_order_are_not_sorted(con: duckdb.DuckDBPyConnection) -> None:
    # Scores must give the values of ranks, whichever lists are sorted: those longer than the smallest cutoff, or all.
    run = lists(q1="dcab", q2="bda", q3="c")
    frames: dict[str, Any] = {
        "documents": table(
            doc_id=list("abcdef"),
            category=list("uuvvwu"),
            popularity=[3.0, 1.0, 2.0, 0.0, 5.0, 4.0],
            group=list("ABABAC"),
            vector=[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [-1.0, 3.0], [0.5, 0.5]],
        ),
        "history": table(query_id=["q1", "q1", "q2", "q4"], doc_id=list("abdc")),
        "targets": table(group=list("ABC"), share=[0.5, 0.25, 0.25]),
        "qrels": table(query_id=["q1", "q1", "q2", "q3"], doc_id=list("dbac"), relevance=[1, 2, 1, 1]),
        "baseline": lists(q1="abdc", q2="ad", q3="ec"),
    }
    groups: dict[tuple[str, bool], list[str]] = {}
    for text in [text for d in beyond_accuracy_definitions().values() for text in strings_of(d)]:
        measure = parse_measure(text)
        has_cutoff = dict(measure.values).get("k") is not None
        groups.setdefault((measure.definition.row_source.name, has_cutoff), []).append(text)
    (expected,) = ltr_sql.evaluate(run, [t for texts in groups.values() for t in texts], **frames).to_dict("records")
    scored = run.assign(score=-run["rank"]).drop(columns="rank")
    for name, frame in {"run": scored, **frames}.items():
        con.register(name, frame)
    named = ", ".join(f"{name} := '{name}'" for name in frames)
    for texts in groups.values():
        (found,) = ltr_sql.evaluate(scored, texts, **frames).to_dict("records")
        (in_sql,) = rows_of(con, f"from ltr.beyond_accuracy('run', {texts}, {named})")
        for text in texts:
            assert difference(found[text], expected[text]) <= TOLERANCE, text
            assert difference(in_sql[text], expected[text]) <= TOLERANCE, text


# Invariants


def value_of(measure: str, run: Any, **tables: Any) -> float:
    (value,) = ltr_sql.evaluate(run, [measure], **tables)[measure]
    return float(value)


def lists(**documents: str) -> pd.DataFrame:
    """Return the run whose lists are words: each letter is a document."""
    rows = [(query, d, i) for query, word in documents.items() for i, d in enumerate(word, start=1)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "rank"])


def table(**columns: Sequence[Any]) -> pd.DataFrame:
    return pd.DataFrame(columns)


def test_equal_exposure_has_gini_0_and_the_largest_entropy() -> None:
    run, documents = lists(q1="abc", q2="bca", q3="cab"), table(doc_id=list("abc"))
    assert value_of("Gini@2", run, documents=documents) == pytest.approx(0, abs=1e-15)
    assert value_of("Entropy@2", run) == pytest.approx(math.log(3), abs=1e-15)
    assert value_of("Herfindahl@2", run) == pytest.approx(1 / 3, abs=1e-15)


@pytest.mark.slow
def test_values_follow_from_the_definitions() -> None:
    groups = table(doc_id=list("abcdef"), group=list("ABABAB"))
    for given in drawn(inputs(), 4):
        run = frame_of(given["run"], COLUMNS["run"])
        run = run[run["system"] == "x"]
        if run.empty:
            continue
        documents = frame_of(given["documents"], COLUMNS["documents"])
        coverages = [value_of(f"Coverage@{k}", run, documents=documents) for k in (1, 2, 3, 9)]
        assert coverages == sorted(coverages)
        assert value_of("Entropy", run) <= math.log(len(DOCUMENTS)) + 1e-12
        # Each user twice.
        twice = pd.concat([run, run.assign(query_id=run["query_id"] + "'")])
        targets = table(group=["A", "B"], share=[0.5, 0.5])
        for measure in ("ILD", "AWRF", "NDKL@3", "Entropy", "Herfindahl", "Gini", "EED(counts=all)"):
            tables = {"documents": groups.assign(category=groups["group"]), "targets": targets}
            read = {
                name: tables[name] for name in {n.table for n in parse_measure(measure).definition.needs} & {*tables}
            }
            assert difference(value_of(measure, twice, **read), value_of(measure, run, **read)) <= TOLERANCE, measure


def test_ndkl_is_0_if_every_prefix_meets_the_targets() -> None:
    # Each document belongs to both groups.
    documents = table(doc_id=list("aabb"), group=list("ABAB"), weight=[0.25, 0.75, 0.25, 0.75])
    met, missed = (table(group=["A", "B"], share=shares) for shares in ([0.25, 0.75], [0.5, 0.5]))
    assert value_of("NDKL", lists(q1="ab"), documents=documents, targets=met) == pytest.approx(0, abs=1e-15)
    assert value_of("AWRF", lists(q1="ab"), documents=documents, targets=met) == pytest.approx(1, abs=1e-15)
    divergence = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    assert value_of("NDKL", lists(q1="ab"), documents=documents, targets=missed) == pytest.approx(divergence, rel=1e-12)


# Two families in one call


@pytest.mark.slow
def test_measures_of_two_families_form_one_frame() -> None:
    run = lists(q1="ab", q2="ca", q3="b")
    qrels = table(query_id=["q1", "q2", "q9"], doc_id=["a", "c", "a"], relevance=[1, 0, 1])
    documents = table(doc_id=list("abcd"), category=list("uvuv"))
    measures = ["nDCG@2", "Coverage@2", "P@1", "ILD@2"]
    (row,) = ltr_sql.evaluate(run, measures, qrels=qrels, documents=documents).to_dict("records")
    assert row == {"queries": 3, "nDCG@2": 1 / 3, "Coverage@2": 0.75, "P@1": 1 / 3, "ILD@2": pytest.approx(1 / 3)}
    rows = ltr_sql.evaluate(run, measures, qrels=qrels, documents=documents, by_query=True)
    assert list(rows.columns) == ["query_id", *measures]
    assert rows["query_id"].tolist() == ["q1", "q2", "q3", "q9"]
    assert rows["ILD@2"].tolist()[:3] == [1, 0, 0]
    assert rows["Coverage@2"].isna().all()
    assert rows["P@1"].isna().tolist() == [False, False, True, False]
    systems = ltr_sql.evaluate({"y": run, "x": run}, measures, qrels=qrels, documents=documents)
    assert systems["system"].tolist() == ["y", "x"]
    assert systems.drop(columns="system").to_dict("records") == [row, row]


def test_ids_of_different_types_are_compared_as_text() -> None:
    run = lists(q1="12", q2="13")
    documents = table(doc_id=[1, 2, 3, 4])
    assert value_of("Coverage", run, documents=documents) == 0.75


def test_files_and_tables_of_a_connection(tmp_path: Path, con: duckdb.DuckDBPyConnection) -> None:
    run, documents = lists(q1="ab", q2="ca"), table(doc_id=list("abcd"), category=list("uvuv"))
    con.execute("create table shown as from run")
    con.execute("create table items as from documents")
    documents.to_csv(tmp_path / "documents.csv", index=False)
    run.to_parquet(tmp_path / "run.parquet")
    expected = value_of("ILD", run, documents=documents)
    assert value_of("ILD", "shown", documents="items", con=con) == expected
    assert value_of("ILD", tmp_path / "run.parquet", documents=tmp_path / "documents.csv") == expected


@pytest.mark.slow
def test_systems_are_compared_by_measures_over_queries(con: duckdb.DuckDBPyConnection) -> None:
    documents = table(doc_id=list("abcd"), category=list("uvuv"))
    systems = {"x": lists(q1="ab", q2="ca", q3="bd"), "y": lists(q1="ac", q2="ca", q3="ab")}
    (row,) = ltr_sql.compare(systems, ["ILD@2"], documents=documents, details=True).to_dict("records")
    assert (row["mean_a"], row["mean_b"], row["queries"]) == (1 / 3, 1 / 3, 3)
    con.register("run", pd.concat([run.assign(system=name) for name, run in systems.items()]))
    con.register("documents", documents)
    con.execute(
        "create table by_query as from ltr.beyond_accuracy("
        "'run', ['ILD@2'], documents := 'documents', keys := ['system'], by_query := true)"
    )
    (in_sql,) = rows_of(con, "from ltr.compare_values('by_query', details := true)")
    for name in ("mean_a", "mean_b", "difference", "low", "high", "p", "verdict"):
        assert in_sql[name] == row[name]
    for refused in (
        lambda: ltr_sql.leaderboard(systems, ["Gini"], documents=documents),
        lambda: ltr_sql.wins(systems, "x", "y", "Gini", documents=documents),
        lambda: ltr_sql.variance(systems, "Gini", documents=documents),
        lambda: verify_comparison(systems, ["Gini"], documents=documents),
    ):
        with pytest.raises(MeasureError, match="'Gini' has one value for a run and none for a query, so no test"):
            refused()


@pytest.mark.slow
def test_the_baseline_of_churn_is_a_run_and_that_of_compare_a_system() -> None:
    systems = {"x": lists(q1="ab", q2="ca", q3="bd"), "y": lists(q1="ac", q2="ca", q3="ab")}
    for call in (ltr_sql.compare, ltr_sql.report):
        with pytest.raises(
            MeasureError, match=r"'Churn@2' needs baseline=.* In compare and report, baseline names a s"
        ):
            call(systems, ["Churn@2"], baseline="x")
    values = ltr_sql.evaluate(systems, ["Churn@2"], baseline=systems["x"], by_query=True)
    (row,) = ltr_sql.compare(values, values=True, baseline="x").to_dict("records")
    assert (row["mean_a"], row["mean_b"]) == (0, pytest.approx(1 / 3))


@pytest.mark.slow
def test_verify_compares_every_measure_with_the_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    given = next(given for given in drawn(inputs(), 12) if all(given.values()))
    frames: dict[str, Any] = {name: frame_of(rows, COLUMNS[name]) for name, rows in given.items()}
    run = frames.pop("run")
    # Ties that the doc_id breaks.
    run = run.assign(score=5 // run["rank"]).drop(columns="rank")
    measures = [d.example for d in beyond_accuracy_definitions().values()]
    found = ltr_sql.verify(run, [*measures, "P@2"], keys=["system"], **frames)
    assert found["measure"].tolist() == [*measures, "P@2"]
    assert {*found["verdict"]} == {"equal"}
    found = ltr_sql.verify(run, keys=["system"], documents=frames["documents"])
    assert {"Gini@10", "ILD@10", "Entropy@10"} <= {*found["measure"]}
    assert not {"Novelty@10", "EED", "nDCG@10"} & {*found["measure"]}
    monkeypatch.setattr("ltr_sql.oracle.entropy", lambda *columns, **options: 0.25)
    (row,) = ltr_sql.verify(run, ["Entropy"], keys=["system"]).to_dict("records")
    assert row["verdict"] == "different"


# Errors

RUN = lists(q1="ab", q2="ca")
CATEGORIES = table(doc_id=list("abc"), category=list("uvu"))
GROUPS = table(doc_id=list("abc"), group=list("ABA"))


@pytest.mark.parametrize(
    ("measure", "tables", "message"),
    [
        ("ILD@2", {}, "measure 'ILD@2' needs documents=, a table with doc_id and category"),
        ("ILD(features=vector)", {}, "needs documents=, a table with doc_id and vector"),
        ("Coverage", {}, "needs documents=, a table with doc_id"),
        ("Novelty", {}, "needs history=, a table with query_id and doc_id"),
        ("AWRF", {"documents": GROUPS}, "needs targets=, a table with group and share"),
        ("Churn", {}, "measure 'Churn' needs a cutoff"),
        ("Churn@2", {}, "needs baseline=, a table with query_id and doc_id"),
        ("QueryCoverage", {}, "needs qrels=, a table with query_id and doc_id"),
    ],
)
def test_a_missing_table_is_named(measure: str, tables: dict[str, Any], message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        ltr_sql.evaluate(RUN, [measure], **tables)


TARGETS = table(group=["A", "B"], share=[0.5, 0.5])
JUDGED_TWICE = table(query_id=["q1", "q1", "q1"], doc_id=list("aab"), relevance=[1, 1, 1])


@pytest.mark.parametrize(
    ("measure", "tables", "message"),
    [
        ("ILD", {"documents": GROUPS}, "missing column category"),
        ("AWRF", {"documents": GROUPS, "targets": TARGETS.assign(share=[0.5, 0.6])}, "sum to 1"),
        ("AWRF", {"documents": GROUPS, "targets": table(group=["A"], share=[1.0])}, "has no target"),
        ("AWRF", {"documents": GROUPS, "targets": table(group=["A", "A"], share=[0.5, 0.5])}, "one row for each group"),
        ("AWRF", {"documents": pd.concat([GROUPS, GROUPS.assign(group="B")]), "targets": TARGETS}, "two groups"),
        ("ILD(features=vector)", {"documents": table(doc_id=["a"], vector=[[0.0, 0.0]])}, "is all zeros"),
        (
            "ILD(features=vector)",
            {"documents": table(doc_id=["a"], vector=[[1.0, None]])},
            "an element that is NULL, NaN or infinite",
        ),
        ("ARP(popularity=documents)", {"documents": table(doc_id=["a", "a"], popularity=[1, 2])}, "two popularities"),
        ("APLT(popularity=documents)", {"documents": table(doc_id=["a"], popularity=[math.inf])}, "infinite"),
        ("ILD(features=vector)", {"documents": table(doc_id=["a", "b"], vector=[[1.0], [1.0, 2.0]])}, "dimensions"),
        ("ILD(features=vector)", {"documents": table(doc_id=["a", "a"], vector=[[1.0], [2.0]])}, "two vectors"),
        ("ExposureRatio", {"documents": GROUPS, "qrels": JUDGED_TWICE}, "judged more than once"),
        ("AttentionParity", {"documents": GROUPS, "qrels": JUDGED_TWICE}, "judged more than once"),
        ("EEL", {"documents": GROUPS, "targets": TARGETS, "qrels": JUDGED_TWICE}, "judged more than once"),
    ],
)
def test_invalid_tables_are_refused(measure: str, tables: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ltr_sql.evaluate(RUN, [measure], **tables)


GROUPED = {"documents": GROUPS, "targets": TARGETS}
JUDGED = table(query_id=["q1"], doc_id=["a"], relevance=[1.0])


@pytest.mark.default(
    "AttentionParity-tables3-relevance must hold numbers, got-the table qrels has text where a number must be",
)
@pytest.mark.parametrize(
    ("measure", "tables", "in_python", "in_sql"),
    [
        *(
            (measure, {**GROUPED, "qrels": JUDGED.assign(relevance=value)}, message, message)
            for measure, value in [("AttentionParity", math.inf), ("EEL", math.inf), ("AttentionParity", -math.inf)]
            for message in ["relevance in the judgments must be a finite number, got "]
        ),
        *(
            (
                measure,
                tables,
                f"{column} must hold numbers, got",
                f"the table {name} has text where a number must be",
            )
            for measure, name, column, tables in [
                ("AttentionParity", "qrels", "relevance", {**GROUPED, "qrels": JUDGED.assign(relevance="many")}),
                ("AWRF", "documents", "weight", {**GROUPED, "documents": GROUPS.assign(weight="all")}),
                ("AWRF", "targets", "share", {**GROUPED, "targets": TARGETS.assign(share="half")}),
                (
                    "ARP(popularity=documents)",
                    "documents",
                    "popularity",
                    {"documents": GROUPS.assign(popularity="x")},
                ),
                ("ILD(features=vector)", "documents", "vector", {"documents": GROUPS.assign(vector="[x]")}),
            ]
        ),
        *(
            ("AWRF", {**GROUPED, "documents": GROUPS.assign(weight=weights)}, message, message)
            for weights in ([1, 1, 0.5], [1, 1, -1], [1, 1, math.inf])
            for message in ["weights that are negative or do not sum to 1.*the document is c"]
        ),
        *(
            ("AWRF", {**GROUPED, "documents": documents}, message, message)
            for documents, message in [
                (
                    pd.concat([GROUPS.assign(weight=1, category="u"), GROUPS.assign(weight=0.5, category="v")]),
                    "two weights for one group",
                ),
                (table(doc_id=["a"], group=["C"]), "has no target.*the group is C"),
            ]
        ),
        *(
            ("AWRF", {**GROUPED, "targets": targets}, message, message)
            for targets, message in [
                (TARGETS.assign(query_id="q1"), "no row for a query of the run: .*the query is q2"),
                (
                    pd.concat([TARGETS, TARGETS.assign(query_id="q1")]),
                    "a row of the table of targets has no query_id",
                ),
                (
                    pd.concat([TARGETS.assign(query_id="q1"), TARGETS.assign(query_id="q2", share=[0.5, 0.4])]),
                    "sum to 1, in each query",
                ),
                (
                    pd.concat([TARGETS.assign(query_id="q1"), table(query_id=["q2"], group=["A"], share=[1.0])]),
                    "has no target.*the group is B",
                ),
            ]
        ),
    ],
)
def test_invalid_values_are_refused_in_python_and_sql(
    measure: str, tables: dict[str, Any], in_python: str, in_sql: str, con: duckdb.DuckDBPyConnection
) -> None:
    read = {n.table for n in parse_measure(measure).definition.needed(dict(parse_measure(measure).values))}
    tables = {name: frame for name, frame in tables.items() if name in read}
    with pytest.raises(InputError, match=in_python):
        ltr_sql.evaluate(RUN, [measure], **tables)
    for name, frame in {"run": RUN, **tables}.items():
        con.register("given", frame)
        con.execute(f"create table {name} as from given")
    named = ", ".join(f"{name} := '{name}'" for name in tables)
    with pytest.raises(duckdb.Error, match=in_sql):
        con.execute(f"from ltr.beyond_accuracy('run', ['{measure}'], {named})").fetchall()


@pytest.mark.slow
def test_invalid_calls_are_refused(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table run as from RUN")
    with pytest.raises(InputError, match=r"the run: .*more than once"):
        ltr_sql.evaluate(pd.concat([RUN, RUN]), ["Entropy"])
    with pytest.raises(InputError, match="only measures beyond accuracy, such as Gini@10, read documents="):
        ltr_sql.evaluate(RUN.assign(relevance=1), ["AP"], documents=CATEGORIES)
    with pytest.raises(InputError, match="key 'country' is a column of the judgments"):
        qrels = table(query_id=["q1"], doc_id=["a"], relevance=[1], country=["x"])
        ltr_sql.evaluate(RUN, ["Entropy", "AP"], qrels=qrels, keys=["country"])
    for query, message in {
        "from ltr.beyond_accuracy('run', ['ILD@2'])": "needs documents := a table with doc_id and category",
        "from ltr.beyond_accuracy('run', ['AP'])": "needs judged rankings: call ltr.evaluate",
        "from ltr.evaluate('run', ['Entropy'])": "is beyond accuracy and needs a run: call ltr.beyond_accuracy",
        "from ltr.beyond_accuracy('run', ['ILD'], documents := 'run')": "category (the input has query_id",
        "from ltr.beyond_accuracy('run', ['Entropy'], ties := 'best')": "ties must be 'docid_desc'",
        "with twice as (from run union all from run) from ltr.entropy('twice')": "more than once",
        "from ltr.gini('run', universe := 'all')": "universe must be 'documents' or 'shown'",
        **{
            f"with base as (select 'q1' as query_id, unnest(['a', 'a', 'd']) as doc_id, unnest({ranks}) as {column}) "
            f"from ltr.churn('run', baseline := 'base', k := {k})": "more than once"
            for column, ranks in {"score": "[2, 2, 1]", '"rank"': "[1, 2, 3]"}.items()
            for k in (1, 5)
        },
    }.items():
        with pytest.raises(duckdb.Error) as caught:
            con.execute(query)
        assert message in str(caught.value)


@pytest.mark.default("gini")
@pytest.mark.parametrize("macro", beyond_accuracy_definitions())
def test_every_parameter_of_every_measure_is_checked(macro: str, con: duckdb.DuckDBPyConnection) -> None:
    definition = beyond_accuracy_definitions()[macro]
    con.execute("create table run as from RUN")
    con.execute(
        'create table others as select *, doc_id as category, 1.0 as popularity, doc_id as "group", '
        "1.0 as share, 1 as relevance from run"
    )
    tables = "".join(f", {name} := 'others'" for name in dict.fromkeys(need.table for need in definition.needs))
    for parameter in definition.parameters:
        more = "".join(f", {p.name} := 1" for p in definition.required if p != parameter)
        for value in ("'x'",) if parameter.type == "choice" else ("-7", "'nan'::double"):
            with pytest.raises(duckdb.Error, match=f"{parameter.name} must be "):
                con.execute(f"from ltr.{macro}('run'{tables}, {parameter.name} := {value}{more})").fetchall()


def test_documents_outside_the_catalogue_are_a_warning() -> None:
    with pytest.warns(ltr_sql.InputWarning, match=r"shows documents that the table of documents lacks \(1\): 'c'"):
        assert value_of("Coverage", RUN, documents=table(doc_id=["a", "b"])) == 1


def test_spark_is_rendered() -> None:
    for definition in beyond_accuracy_definitions().values():
        text = ltr_sql.render(definition.example, "spark", has_rank="run baseline")
        assert "[]" not in text
        assert definition.example in text
    # The columns of tables are unknown, so options name the tables that have optional columns.
    assert "null as double) as `weight`" in ltr_sql.render("AWRF", "spark")
    text = ltr_sql.render("AWRF", "spark", has_weight="documents", has_query_id="targets")
    assert "cast(j.`weight` as double) as `weight`" in text
    assert "cast(j.`query_id` as string) as `query_id`" in text
    with pytest.raises(ltr_sql.LtrSqlError, match="has_weight=, has_query_id=, not has_color"):
        ltr_sql.render("AWRF", has_color="documents")
    with pytest.raises(ltr_sql.LtrSqlError, match="render it apart"):
        ltr_sql.render(["Entropy", "AP"])

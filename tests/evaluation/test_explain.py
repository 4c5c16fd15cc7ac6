"""`explain`: compare the contribution of each rank with the oracle's values of the ranking cut off at each rank."""

import json
import math
import random
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from support.places import EXAMPLE_DATA

import ltr_sql
from ltr_sql import oracle
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import definitions
from ltr_sql.command_line.main import main

QRELS, BM25 = str(EXAMPLE_DATA / "qrels.txt"), str(EXAMPLE_DATA / "bm25.txt")

EXPLAINED = [definition for definition in definitions().values() if definition.discount is not None]
VARIANTS = ["nDCG", "nDCG@3", "nDCG(gain='exponential')@5", "DCG(gain='exponential')", "ERR(max_grade=4)", "RR@2"]
VARIANTS += ["AP(rel=2)", "AP@4", "P(rel=2)@3", "Success(rel=2)@9", "RBP(p=0.5)@4", "PFound(max_grade=4, decay=0.5)"]
VARIANTS += ["ERR(max_grade=4, gain='linear')@6", "R(rel=3)", "Bpref(rel=2)", "RprecMult@1.5", "CG", "PWA@20"]
MEASURES = [*dict.fromkeys([*(definition.example for definition in EXPLAINED), *VARIANTS])]


def near(value: Any) -> Any:
    return pytest.approx(value, rel=0, abs=1e-12)


def random_rankings(seed: int) -> pd.DataFrame:
    """Return rankings with gaps, and with unjudged, missed and negatively graded documents."""
    rng = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for query in range(4):
        ranks = sorted(rng.sample(range(1, 15), rng.randint(0, 10)))
        grades = [rng.choice([None, -1, 0, 0, 1, 2, 3, 4]) for _ in range(len(ranks) + 4)]
        for number, grade in enumerate([*grades, 0]):
            rank = ranks[number] if number < len(ranks) else None
            rows.append({"query_id": query, "doc_id": f"d{number}", "rank": rank, "relevance": grade})
    frame = pd.DataFrame(rows).dropna(subset=["rank", "relevance"], how="all")
    return frame.astype({"rank": "Int64", "relevance": "float64"}).sample(frac=1, random_state=seed)


def value_of(measure: str, rows: pd.DataFrame, ranks: Any) -> float:
    parsed = parse_measure(measure)
    function = getattr(oracle, parsed.definition.macro)
    relevance = rows["relevance"].astype(float).tolist()
    return float(
        function([math.nan if pd.isna(rank) else float(rank) for rank in ranks], relevance, **dict(parsed.values))
    )


def folds() -> pd.DataFrame:
    """Return eight rankings of one query as folds, so that one call explains all of them."""
    rankings = pd.concat({seed: random_rankings(seed) for seed in (0, 1)}, names=["seed"]).reset_index("seed")
    return rankings.assign(fold=rankings["seed"] * 4 + rankings["query_id"], query_id="q").drop(columns="seed")


FOLDS = folds()


@pytest.fixture(scope="module")
def values() -> pd.DataFrame:
    frame: pd.DataFrame = ltr_sql.evaluate(FOLDS, MEASURES, keys=["fold"], by_query=True)
    return frame.set_index("fold")


@pytest.mark.default("nDCG")
@pytest.mark.parametrize("measure", MEASURES)
def test_against_the_oracle(measure: str, values: pd.DataFrame, con: duckdb.DuckDBPyConnection) -> None:
    con.register("rankings", FOLDS)
    cutoff = float(dict(parse_measure(measure).values).get("k") or math.inf)
    explained = ltr_sql.explain("rankings", "q", measure, keys=["fold"], con=con)
    for fold, rows in FOLDS.groupby("fold"):
        lines = explained[explained["fold"] == fold]
        retrieved = rows[(rows["rank"] <= cutoff).fillna(False)].sort_values("rank")
        given = lines[lines["doc_id"].notna()]
        assert given["rank"].tolist() == retrieved["rank"].tolist()
        assert given["doc_id"].tolist() == retrieved["doc_id"].tolist()
        # Compute the ideal ranking of the documents with a gain.
        ordered = rows.sort_values("relevance", ascending=False, na_position="last")
        positions = pd.Series(range(1, len(rows) + 1), index=ordered.index).where(ordered["relevance"] > 0)
        ideal = lines[lines["ideal_doc_id"].notna()]
        assert ideal["ideal_relevance"].tolist() == ordered[(positions <= cutoff)]["relevance"].tolist()
        for line in lines.itertuples():
            cut = rows["rank"].where(rows["rank"] <= line.rank)
            assert line.running == near(value_of(measure, rows, cut))
            best = value_of(measure, ordered, positions.where(positions <= line.rank))
            assert line.ideal_running == near(best)
            assert line.contribution >= -1e-12
            assert line.gain or not line.contribution or math.isnan(line.gain)
        if len(lines):
            assert lines["running"].iloc[-1] == near(values[measure][fold])
            assert lines["contribution"].sum() == near(values[measure][fold])
            assert lines["ideal_contribution"].sum() == near(lines["ideal_running"].iloc[-1])


@pytest.mark.default("nDCG@10")
@pytest.mark.parametrize(
    "measure", ["DCG", "nDCG@10", "nDCG(gain='exponential')", "RBP", "P@4", "FilteredDCG", "R", "PWA@9"]
)
def test_contributions_are_discounted_gains(measure: str) -> None:
    for query in (1, 2):
        lines = ltr_sql.explain(random_rankings(3), query, measure)
        parts = [
            *(lines["contribution"] / (lines["gain"] * lines["discount"])),
            *(lines["ideal_contribution"] / (lines["ideal_gain"] * lines["discount"])),
        ]
        divisors = [part for part in parts if math.isfinite(part)]
        assert divisors == near(divisors[:1] * len(divisors))


@pytest.mark.slow
def test_a_long_ranking(con: duckdb.DuckDBPyConnection) -> None:
    """Explain 30,000 relevant documents, where a row for each pair of ranks would need gigabytes."""
    con.execute(
        """create or replace table judged as
        select 'q' as query_id, i + 1 as rank, 1 as relevance from range(30000) as t(i)"""
    )
    for measure, running in (("AP", "rank / 30000"), ("RBP(p=0.5)", "1 - 0.5 ** rank")):
        wrong = f"abs(running - ({running})) > 1e-12 or abs(ideal_running - running) > 1e-12"
        found = con.execute(f"select count(*), count(*) filter ({wrong}) from ltr.explain('judged', 'q', '{measure}')")
        assert found.fetchall() == [(30000, 0)]
        assert abs(ltr_sql.explain("judged", "q", measure, con=con)["contribution"].sum() - 1) < 1e-9


@pytest.mark.default("AP(empty='1')-1")
@pytest.mark.parametrize(
    ("measure", "value"), [("AP(empty='1')", 1), ("nDCG(empty='1')", 1), ("R(rel=2, empty='1')", 1), ("AP(rel=2)", 0)]
)
def test_a_measure_that_is_undefined_for_the_query(measure: str, value: float, con: duckdb.DuckDBPyConnection) -> None:
    """The value of `empty` is the value at each rank, as in `evaluate`."""
    relevance = 1 if "rel=2" in measure else 0
    con.execute(
        f"""create or replace table judged as
        select 'q' as query_id, i as rank, {relevance} as relevance from range(1, 3) as t(i)"""
    )
    assert ltr_sql.evaluate("judged", [measure], con=con)[measure][0] == value
    for frame in (
        ltr_sql.explain("judged", "q", measure, con=con),
        con.sql("from ltr.explain('judged', 'q', ?)", params=[measure]).df(),
    ):
        assert (frame["running"] == value).all()
        assert frame["contribution"].sum() == value


def test_on_paper(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        """create or replace table judged as
        from (values ('q', 1, 0), ('q', 2, 3), ('q', 4, 1), ('q', null, 2), ('q', 3, null))
            as t(query_id, rank, relevance)"""
    )
    rows = con.sql("from ltr.explain('judged', 'q', 'DCG(gain=''exponential'')@4')")
    third = 1 / math.log2(3)
    names = ["rank", "gain", "discount", "contribution", "running", "ideal_relevance", "ideal_gain", "ideal_running"]
    expected = [
        (1, 0.0, 1.0, 0.0, 0.0, 3.0, 7.0, 7.0),
        (2, 7.0, third, 7 * third, 7 * third, 2.0, 3.0, 7 + 3 * third),
        (3, 0.0, 0.5, 0.0, 7 * third, 1.0, 1.0, 7.5 + 3 * third),
        (4, 1.0, 1 / math.log2(5), 1 / math.log2(5), 7 * third + 1 / math.log2(5), None, None, 7.5 + 3 * third),
    ]
    for row, values in zip(rows.select(*names).fetchall(), expected, strict=True):
        assert row == tuple(None if value is None else near(value) for value in values)
    assert rows.columns[:4] == ["query_id", "rank", "doc_id", "relevance"]


@pytest.mark.slow
def test_macro_and_function_agree(con: duckdb.DuckDBPyConnection) -> None:
    rankings = pd.concat([random_rankings(seed).assign(fold=f"f{seed % 2}{seed}'") for seed in (1, 2)])
    con.register("rankings", rankings)
    for measure in ("nDCG@5", "AP", "Bpref"):
        in_sql = con.sql(f"from ltr.explain('rankings', 2, '{measure}', keys := ['fold'])").df()
        frame = ltr_sql.explain("rankings", 2, measure, keys=["fold"], con=con)
        pd.testing.assert_frame_equal(in_sql, frame)
        assert set(frame["fold"]) == set(rankings["fold"])
        for fold, rows in frame.groupby("fold"):
            alone = ltr_sql.explain(rankings[rankings["fold"] == fold], 2, measure)
            of_fold = rows.drop(columns="fold").reset_index(drop=True)
            pd.testing.assert_frame_equal(of_fold.astype(object).fillna(""), alone.astype(object).fillna(""))


def test_run_and_judgments() -> None:
    run = {"q": {"a": 3.0, "b": 2.0, "c": 2.0}, "r": {"a": 1.0}}
    qrels = {"q": {"b": 1, "x": 2, "c": 0}, "s": {"a": 1}}
    lines = ltr_sql.explain(run, "q", "AP", qrels=qrels)
    # c and b are tied, and ties are broken by descending doc_id; a is not judged.
    assert lines["doc_id"].tolist() == ["a", "c", "b"]
    assert lines["contribution"].tolist() == [0, 0, near(1 / 3 / 2)]
    assert lines["ideal_doc_id"].tolist()[:2] == ["x", "b"]
    assert lines["relevance"].isna().tolist() == [True, False, False]
    assert ltr_sql.explain(run, "q", "AP", qrels=qrels, ties="docid_asc")["doc_id"].tolist() == ["a", "b", "c"]
    systems = ltr_sql.explain({"one": run, "two": {"q": {"x": 1.0}}}, "q", "RR", qrels=qrels)
    assert systems.groupby("system")["running"].last().to_dict() == {"one": near(1 / 3), "two": 1}
    # A missing query has only an ideal ranking.
    (row,) = ltr_sql.explain(run, "s", "nDCG", qrels=qrels).to_dict("records")
    assert (row["rank"], row["contribution"], row["running"], row["ideal_running"]) == (1, 0, 0, 1)


def test_frames_and_scored_tables() -> None:
    scored = pl.DataFrame(
        {"query_id": [7, 7, 7], "score": [0.1, 0.5, 0.3], "relevance": [1, 0, 2], "doc_id": ["a", "b", "c"]}
    )
    lines = ltr_sql.explain(scored, 7, "nDCG")
    assert isinstance(lines, pl.DataFrame)
    assert lines["doc_id"].to_list() == ["b", "c", "a"]
    assert lines["running"][-1] == near(ltr_sql.evaluate(scored, ["nDCG"])["nDCG"][0])


def test_judgments_by_subtopic() -> None:
    run = pd.DataFrame({"query_id": ["q"] * 2, "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    qrels = pd.DataFrame(
        {"query_id": ["q"] * 3, "doc_id": ["a", "a", "b"], "subtopic": ["s", "t", "s"], "relevance": [0, 2, 1]}
    )
    lines = ltr_sql.explain(run, "q", "DCG", qrels=qrels)
    assert lines["relevance"].tolist() == [2, 1]


# Errors


NOT_EXPLAINED = "has no per-rank breakdown: choose one of AP, BinG, "
OTHERS = [definition.macro for definition in definitions().values() if definition.discount is None]


@pytest.mark.default("alpha_dcg", "jaccard", "strecall")
@pytest.mark.parametrize("macro", OTHERS)
def test_other_measures(macro: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create or replace table judged as select 'q' as query_id, 1 as rank, 1 as relevance, 'd' as doc_id")
    example = definitions()[macro].example
    with pytest.raises(ltr_sql.MeasureError, match=NOT_EXPLAINED):
        ltr_sql.explain("judged", "q", example, con=con)


@pytest.mark.parametrize("example", ["SetP", "NumRet", "alpha_nDCG@10", "KendallTau"])
def test_other_measures_in_sql(example: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create or replace table judged as select 'q' as query_id, 1 as rank, 1 as relevance, 'd' as doc_id")
    with pytest.raises(duckdb.Error, match=NOT_EXPLAINED):
        con.execute(f"from ltr.explain('judged', 'q', '{example}')")


def test_unknown_queries(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create or replace table judged as select 'q1' as query_id, 1 as rank, 1 as relevance")
    text = r"query 'q2' is not in the rankings \(query ids: 1\); the most similar: q1"
    with pytest.raises(ltr_sql.InputError, match=text):
        ltr_sql.explain("judged", "q2", "AP", con=con)
    with pytest.raises(ltr_sql.InputError, match="query 'q2' is not in the judgments"):
        ltr_sql.explain({"q2": {"a": 1.0}}, "q2", "AP", qrels={"q1": {"a": 1}})
    con.execute("update judged set query_id = repeat('q', 100_000)")
    with pytest.raises(ltr_sql.InputError, match=r"query 'q{99}1' is not in the rankings .* similar: q{100}$"):
        ltr_sql.explain("judged", "q" * 99 + "1", "AP", con=con)
    con.execute("create or replace table judged as select 'q1' as query_id, 1 as rank, 1 as relevance")
    with pytest.raises(duckdb.Error, match="the rankings do not contain this query"):
        con.execute("from ltr.explain('judged', 'q2', 'AP')")
    for query in ("it's", "{name}", "{keys}"):
        with pytest.raises(duckdb.Error, match="the rankings do not contain this query"):
            con.execute("from ltr.explain('judged', '" + query.replace("'", "''") + "', 'AP')")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("'judged', 'q', 'APP'", "unknown measure 'APP'"),
        ("'judged', 'q', 'P'", "measure 'P' needs a cutoff"),
        ("'judged', 'q', 'AP(k=2)'", "has no parameter 'k'"),
        ("'judged', 'q', null", "measure strings without NULL"),
        ("'judged', 'q', 'AP', keys := ['none']", r"none \(of the keys; the input has query_id, rank, relevance\)"),
        ("'__ltr_given', 'q', 'AP'", "names that start with __ltr_"),
        ("'by_subtopic', 'q', 'AP'", "one row per document, and the input has one per subtopic"),
    ],
)
def test_errors_of_the_macro(call: str, message: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create or replace table judged as select 'q' as query_id, 1 as rank, 1 as relevance")
    con.execute(
        """create or replace table by_subtopic as
        select 'q' as query_id, 1 as rank, 1 as relevance, 'd' as doc_id, unnest([1, 2]) as subtopic"""
    )
    with pytest.raises(duckdb.Error, match=message):
        con.execute(f"from ltr.explain({call})")


# The command line


def test_command() -> None:
    words = ["explain", QRELS, BM25, "-q", "q2", "-m", "nDCG@5"]
    result = CliRunner().invoke(main, [*words, "--format", "json"])
    rows = json.loads(result.stdout)
    frame = ltr_sql.explain(BM25, "q2", "nDCG@5", qrels=QRELS)
    assert [row["doc_id"] for row in rows] == frame["doc_id"].tolist()
    assert [row["running"] for row in rows] == frame["running"].tolist()
    table = CliRunner().invoke(main, words).stdout.splitlines()
    assert (len(table), table[2].split()[:2]) == (7, ["1", "d204"])
    wrong = CliRunner().invoke(main, [*words[:-1], "SetP"])
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "measure 'SetP' has no per-rank breakdown" in wrong.stderr

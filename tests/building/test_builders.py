"""Judgments from clicks, position bias, interleaving, pools, raters and off-policy estimates against their oracle.

One call of a macro computes many random inputs, which the key `example` distinguishes.
"""

import csv
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner
from support.builder_inputs import (
    EM,
    INPUTS,
    PARENTS,
    PROPENSITIES,
    QRELS,
    calls_of,
    is_table,
    logs,
    stored,
    tolerance_of,
    without_divergence,
)
from support.built import BUILDERS, check_rows, expected_rows, macro_rows, oracle_rows, python_rows
from support.case_folders import BUILDER_CASES, arithmetic, case_id, load, rows_of
from support.reference_values import DATA, file_of, needs
from support.strategies import Row, drawn, joined

import ltr_sql
from ltr_sql import InputError, InputWarning, LtrSqlError
from ltr_sql.catalogue.functions import builders
from ltr_sql.command_line.main import main
from ltr_sql.oracle.clicks import Impression, _position_based

BEYOND = file_of("beyond")
ROBUST03 = DATA / "robust03"
EXAMPLES = 25


# Random inputs against the oracle


@pytest.mark.default("position_bias pivot")
@pytest.mark.parametrize("builder", BUILDERS, ids=" ".join)
def test_macro_against_oracle(builder: tuple[str, str], con: duckdb.DuckDBPyConnection) -> None:
    name, method = builder
    examples = without_divergence(drawn(INPUTS[name], EXAMPLES), method)
    table = stored(con, "given_rows", joined(examples))
    stored(con, "propensities", PROPENSITIES)
    stored(con, "parents", PARENTS)
    stored(con, "qrels", QRELS)
    for options in calls_of(name, method):
        in_sql = {option: option if is_table(option, value) else value for option, value in options.items()}
        found = macro_rows(con, name, table, in_sql, ["example"])
        check_rows(found, expected_rows(name, examples, options), tolerance_of(method), ["example"])


def test_rater_that_is_right_against_oracle(con: duckdb.DuckDBPyConnection) -> None:
    # In a third of the documents, r1 gives no grade: the other raters decide.
    examples = [
        [row for row in rows if row["rater"] != "r1" or row["doc_id"] != "a"]
        for rows in drawn(INPUTS["merge_judgments"], EXAMPLES)
    ]
    table = stored(con, "given_rows", joined(examples))
    options = {"method": "dawid_skene", "truth": "r1"}
    expected = expected_rows("merge_judgments", examples, options)
    assert len({row["probability"] for row in expected}) > 5
    check_rows(macro_rows(con, "merge_judgments", table, options, ["example"]), expected, keys=["example"])
    with pytest.warns(InputWarning, match="few documents"):
        found = python_rows("merge_judgments", pd.DataFrame(joined(examples)), options, ["example"])
    check_rows(found, expected, keys=["example"])


def judged_by_human_and_llm(con: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """Return the grades of a language model for 300 documents, and those of people for the first 100."""
    return con.execute(
        """
        select 'q' as query_id, 'd' || i as doc_id, 'llm' as rater, i % 3 as relevance
        from range(300) as r(i)
        union all
        select 'q', 'd' || i, 'human', case when i % 10 < 7 then i % 3 else (i + 1) % 3 end
        from range(100) as r(i)
        """
    ).df()


def test_probability_of_a_grade_is_what_people_confirm(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    ratings = judged_by_human_and_llm(con)
    grades = ratings.pivot(index="doc_id", columns="rater", values="relevance")
    both = grades.dropna()
    confirmed = (both["human"] == both["llm"]).groupby(both["llm"]).mean()
    assert confirmed.between(0.69, 0.71).all()
    found = ltr_sql.merge_judgments(ratings, "dawid_skene", truth="human").set_index("doc_id")
    unseen = found.loc[grades.index[grades["human"].isna()]]
    assert (unseen["relevance"] == grades["llm"][unseen.index]).all()
    # Error rates are at least 1e-10.
    assert unseen["probability"].tolist() == pytest.approx(confirmed[unseen["relevance"]].tolist(), abs=1e-9)
    people = found.loc[both.index]
    assert (people["relevance"] == both["human"]).all()
    assert (people["probability"] == 1).all()
    assert found["finding"].isna().all()
    # The other interfaces return the same, and a name is text wherever it stands.
    ratings.replace({"rater": {"human": "it's {human}"}}).to_csv(tmp_path / "ratings.csv", index=False)
    path = tmp_path / "ratings.csv"
    options = ["merge-judgments", str(path), "--method", "dawid_skene", "--truth", "it's {human}", "--format", "json"]
    printed = pd.DataFrame(json.loads(CliRunner().invoke(main, options).output)).set_index("doc_id")
    load(con, path)
    macro = con.execute("from ltr.merge_judgments('ratings', 'dawid_skene', truth := 'it''s {human}')").df()
    for other in (printed, macro.set_index("doc_id")):
        assert other["probability"][found.index].tolist() == pytest.approx(found["probability"].tolist(), abs=1e-12)
        assert other["relevance"][found.index].tolist() == found["relevance"].tolist()


@pytest.mark.slow
def test_findings_of_dawid_skene(con: duckdb.DuckDBPyConnection) -> None:
    two = judged_by_human_and_llm(con)
    with pytest.warns(InputWarning, match="^dawid_skene: two raters: .* name the rater that is right as truth"):
        found = ltr_sql.merge_judgments(two, "dawid_skene")
    assert found["finding"].str.startswith("two raters").all()
    # Three raters at random: the iterations are far from their end. Raters that are mostly right converge at once.
    raters = con.execute(
        """
        select 'q' as query_id, 'd' || i as doc_id, 'r' || j as rater, hash(i * 10 + j) % 2 as relevance
        from range(30) as r(i), range(3) as s(j)
        """
    ).df()
    with pytest.warns(InputWarning, match=r"not converged: the last of 50 iterations changed a probability by 0\.0"):
        ltr_sql.merge_judgments(raters, "dawid_skene")
    number = raters["doc_id"].str[1:].astype(int)
    raters["relevance"] = (number + (number % 5 == raters["rater"].str[1:].astype(int))) % 2
    assert ltr_sql.merge_judgments(raters, "dawid_skene")["finding"].isna().all()
    alone = pd.concat([raters, pd.DataFrame([["q", "z", "r9", 1]], columns=raters.columns)])
    with pytest.warns(InputWarning, match="has a second rating, so its error rates are unknown: r9"):
        ltr_sql.merge_judgments(alone, "dawid_skene")
    with pytest.warns(InputWarning, match="a rater has only 20 in common with the rater truth"):
        ltr_sql.merge_judgments(two[(two["rater"] == "llm") | (two.index < 320)], "dawid_skene", truth="human")
    assert ltr_sql.merge_judgments(two, "median")["finding"].isna().all()


@pytest.mark.default(
    "merge_judgments max",
    "rater_confusion ",
    "click_judgments cascade",
    "click_judgments pbm",
    "position_bias ctr",
    "group_documents rrf",
    "off_policy switch_dr",
)
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("builder", BUILDERS, ids=" ".join)
def test_python_against_oracle(builder: tuple[str, str]) -> None:
    name, method = builder
    examples = without_divergence(drawn(INPUTS[name], 5), method)
    options = calls_of(name, method)[-1]
    in_python = {option: pd.DataFrame(value) if is_table(option, value) else value for option, value in options.items()}
    found = python_rows(name, pd.DataFrame(joined(examples)), in_python, ["example"])
    check_rows(found, expected_rows(name, examples, options), tolerance_of(method), ["example"])


def test_every_method_is_documented() -> None:
    for builder in builders().values():
        assert builder.summary.endswith(".")
        for method in builder.methods.values():
            assert method.summary.endswith("."), method.name
            assert method.reference


def test_pools_rank_by_score() -> None:
    frame = pd.DataFrame(
        {
            "system": ["s"] * 3 + ["t"],
            "query_id": ["q"] * 4,
            "doc_id": ["a", "b", "c", "c"],
            "score": [1.0, 2.0, 2.0, 5.0],
        }
    )
    found = ltr_sql.pool(frame, depth=2)
    # c precedes b, because equal scores are ordered by descending doc_id.
    assert found[["doc_id", "priority", "best_rank", "runs"]].values.tolist() == [["b", 2, 2, 1], ["c", 1, 1, 2]]


# Cases


@dataclass(frozen=True)
class Case:
    """A case folder: the input, expected.csv with arithmetic, and options.csv; options that are tables are files."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.parent.name

    @property
    def table(self) -> Path:
        return self.folder / f"{builders()[self.name].inputs[0]}.csv"

    @property
    def tables(self) -> list[Path]:
        others = {"expected", "options", *builders()[self.name].inputs}
        return [path for path in self.folder.iterdir() if path.stem not in others]

    @property
    def options(self) -> dict[str, Any]:
        path = self.folder / "options.csv"
        if not path.exists():
            return {}
        with path.open(encoding="utf-8", newline="") as file:
            given = {row["option"]: row["value"] for row in csv.DictReader(file, strict=True)}
        numbers = {option.name for option in builders()[self.name].options if option.type in ("integer", "number")}
        return {
            name: [value] if name == "estimators" else json.loads(value) if name in numbers else value
            for name, value in given.items()
        }

    @property
    def method(self) -> str:
        given = self.options.get(builders()[self.name].option, builders()[self.name].default or "")
        return str(given[0] if isinstance(given, list) else given)

    def expected(self) -> list[Row]:
        with (self.folder / "expected.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
        return [{name: self.value(name, text) for name, text in row.items()} for row in rows]

    def value(self, name: str, text: str) -> Any:
        if name in ("query_id", "doc_id", "system", "rater_a", "rater_b", "estimator"):
            return text or None
        return {"true": True, "false": False}[text] if name == "judged" else arithmetic(text) if text else None


CASES_OF_BUILDERS = [Case(folder) for folder in BUILDER_CASES]


@pytest.mark.parametrize("case", CASES_OF_BUILDERS, ids=lambda case: case_id(case.folder))
def test_case(case: Case, con: duckdb.DuckDBPyConnection) -> None:
    table = load(con, case.table)
    tables = {path.stem: load(con, path) for path in case.tables}
    check_rows(macro_rows(con, case.name, table, {**case.options, **tables}), case.expected())
    loaded = {name: rows_of(con, f"from {name}") for name in [table, *tables]}
    for row in loaded[table]:
        row["relevance"] = None if row.get("relevance") is None else float(row["relevance"])
    options = {**case.options, **{name: loaded[name] for name in tables}}
    check_rows(oracle_rows(case.name, loaded[table], options), case.expected())


@pytest.mark.parametrize(("name", "method"), BUILDERS)
def test_every_method_has_a_case(name: str, method: str) -> None:
    assert method in {case.method for case in CASES_OF_BUILDERS if case.name == name}


# Invalid input


def log_of(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"session_id": ["s"], "query_id": ["q"], "doc_id": ["d"], "rank": [1], "click": [1]} | columns)


def ratings_of(**columns: Any) -> pd.DataFrame:
    given = {"query_id": ["q", "q"], "doc_id": ["d", "d"], "rater": ["a", "b"], "relevance": [1, 0]}
    return pd.DataFrame(given | columns)


def rounds(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"query_id": ["q"], "reward": [1.0], "propensity": [0.5], "target": [0.5]} | columns)


TWICE = {"session_id": ["s", "s"], "query_id": ["q", "q"], "doc_id": ["d", "e"], "rank": [1, 1], "click": [1, 0]}
RUNS = pd.DataFrame({"system": ["s", "s"], "query_id": ["q", "q"], "doc_id": ["d", "d"], "rank": [1, 2]})
ERRORS: dict[str, tuple[Callable[[], Any], str]] = {
    "click": (lambda: ltr_sql.click_judgments(log_of(click=[2])), r"click must be 0 or 1: .* got 2\.0"),
    "click NULL": (lambda: ltr_sql.click_judgments(log_of(click=[None])), "click must be 0 or 1: .* got NULL"),
    "id NULL": (lambda: ltr_sql.click_judgments(log_of(doc_id=[None])), "NULL in query_id, doc_id or session_id"),
    "rank 0": (lambda: ltr_sql.click_judgments(log_of(rank=[0])), "rank must be a whole number from 1"),
    "column": (lambda: ltr_sql.click_judgments(log_of().drop(columns="click")), "the log .* missing column click"),
    "empty log": (lambda: ltr_sql.click_judgments(log_of().head(0)), "the log has no rows"),
    "model": (lambda: ltr_sql.click_judgments(log_of(), "dbn"), "model must be one of cascade, coec, .*, got 'dbn'"),
    "option": (lambda: ltr_sql.click_judgments(log_of(), prior_views=1), "coec does not read prior_views"),
    "no propensities": (lambda: ltr_sql.click_judgments(log_of(), "ips"), "ips needs propensities"),
    "propensity 0": (
        lambda: ltr_sql.click_judgments(log_of(), "ips", propensities=pd.DataFrame({"rank": [1], "propensity": [0.0]})),
        "a propensity must be above 0",
    ),
    "propensity lacking": (
        lambda: ltr_sql.click_judgments(log_of(), "ips", propensities=pd.DataFrame({"rank": [2], "propensity": [1.0]})),
        r"the propensities lack a rank of the log.* 1\.0",
    ),
    "propensities twice": (
        lambda: ltr_sql.click_judgments(
            log_of(), "ips", propensities=pd.DataFrame({"rank": [1, 1], "propensity": [1.0, 0.5]})
        ),
        "several rows for one rank",
    ),
    "rank twice": (lambda: ltr_sql.click_judgments(pd.DataFrame(TWICE), "sdbn"), "give each list its own session_id"),
    "iterations": (lambda: ltr_sql.position_bias(log_of(), "em", iterations=0), "iterations must be an integer from 1"),
    "team": (lambda: ltr_sql.interleaving(log_of(team=["c"])), "team must be a, b or NULL, got c"),
    "key": (lambda: ltr_sql.click_judgments(log_of(), keys=["device"]), "key 'device' is not a column"),
    "one rater": (lambda: ltr_sql.rater_agreement(ratings_of(rater=["a", "a"], doc_id=["d", "e"])), "name one rater"),
    "rated twice": (lambda: ltr_sql.merge_judgments(ratings_of(rater=["a", "a"])), "judged a document twice.* a"),
    "rater NULL": (lambda: ltr_sql.merge_judgments(ratings_of(rater=["a", None])), "query_id, doc_id or rater"),
    "infinite": (lambda: ltr_sql.merge_judgments(ratings_of(relevance=[1, math.inf])), "relevance must be a finite"),
    "rule": (
        lambda: ltr_sql.merge_judgments(ratings_of(), "mode"),
        "method must be one of dawid_skene, .*, got 'mode'",
    ),
    "merged from one rater": (
        lambda: ltr_sql.merge_judgments(ratings_of(rater=["a", "a"], doc_id=["d", "e"]), "dawid_skene"),
        "dawid_skene compares raters, but the judgments name one: .*; the rater is a",
    ),
    "no document twice": (
        lambda: ltr_sql.merge_judgments(ratings_of(doc_id=["d", "e"]), "dawid_skene"),
        "no document has two ratings",
    ),
    "unknown truth": (
        lambda: ltr_sql.merge_judgments(ratings_of(), "dawid_skene", truth="c"),
        r"truth must name a rater of the judgments .*, got c",
    ),
    "nothing in common with truth": (
        lambda: ltr_sql.merge_judgments(ratings_of(doc_id=["d", "e"]), "dawid_skene", truth="a"),
        "judged no document that the rater truth judged.*; the rater is b",
    ),
    "truth and iterations": (
        lambda: ltr_sql.merge_judgments(ratings_of(), "dawid_skene", truth="a", iterations=5),
        "with truth, dawid_skene does not read iterations: leave it out",
    ),
    "truth of a majority": (
        lambda: ltr_sql.merge_judgments(ratings_of(), truth="a"),
        "majority does not read truth: leave it out",
    ),
    "raters": (lambda: ltr_sql.merge_judgments({"q": {"d": 1}}), "must be rater -> qrels"),
    "empty pool": (lambda: ltr_sql.pool(RUNS.head(0)), "the rankings have no rows"),
    "no system": (lambda: ltr_sql.pool(RUNS.drop(columns="system")), "missing column system"),
    "document twice": (lambda: ltr_sql.pool(RUNS), "a document is in one ranking more than once"),
    "depth": (lambda: ltr_sql.pool(RUNS, depth=0), "depth must be an integer from 1, got 0"),
    "logged with 0": (
        lambda: ltr_sql.off_policy(rounds(propensity=[0.0]), "ips"),
        r"propensity must be above 0.* 0\.0",
    ),
    "above 1": (
        lambda: ltr_sql.off_policy(rounds(propensity=[1.5]), "ips"),
        "propensity must be above 0 and at most 1",
    ),
    "target": (lambda: ltr_sql.off_policy(rounds(target=[-0.5]), "ips"), "target must be a probability"),
    "reward": (
        lambda: ltr_sql.off_policy(rounds(reward=[None]), "ips"),
        "reward must be a finite number, up to 1e100; got NULL",
    ),
    "no model": (lambda: ltr_sql.off_policy(rounds(), "dr"), "missing columns q_hat, v_hat"),
    "estimator": (lambda: ltr_sql.off_policy(rounds(), ["ips", "mips"]), "estimators must be one of .*, got 'mips'"),
    "one round": (
        lambda: ltr_sql.off_policy(pd.concat([rounds(), rounds()]), "ips"),
        "two rows have the same query_id: .* query_id is q",
    ),
    "no round": (lambda: ltr_sql.off_policy(rounds(query_id=[None]), "ips"), "a row of the log has a NULL in query_id"),
    "shrinkage": (
        lambda: ltr_sql.off_policy(rounds(), "sg_ips", shrinkage=3),
        "shrinkage must be a number from 0 to 1",
    ),
    "no shrinkage": (lambda: ltr_sql.off_policy(rounds(), "ips", shrinkage=1), "ips does not read shrinkage"),
    "priors": (
        lambda: ltr_sql.click_judgments(log_of(), "ctr", prior_clicks=3, prior_views=1),
        "prior_clicks must be at most prior_views, .* prior_views is 1",
    ),
    "no estimator": (lambda: ltr_sql.off_policy(rounds(), []), "estimators is empty"),
    "no clip": (lambda: ltr_sql.off_policy(rounds(q_hat=[1.0], v_hat=[1.0]), "switch_dr"), "switch_dr needs clip"),
    "stochastic": (lambda: ltr_sql.off_policy(rounds(), "replay"), "replay needs a deterministic target"),
    "slate": (
        lambda: ltr_sql.off_policy(pd.concat([rounds(rank=[1]), rounds(rank=[1])]), "slate_ips"),
        "two rows of a query have the same rank",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_invalid_input_is_named(name: str) -> None:
    call, message = ERRORS[name]
    with pytest.raises(InputError, match=message):
        call()


SPARK_GAPS = {"pbm", "em", "dawid_skene"}


@pytest.mark.parametrize(("name", "method"), BUILDERS)
def test_spark(name: str, method: str) -> None:
    chosen: dict[str, Any] = {builders()[name].option: method} if method else {}
    if method == "ips" and name == "click_judgments":
        chosen["propensities"] = "p"
    if name in ("off_policy", "interleaving", "rater_bias") or method in SPARK_GAPS:
        with pytest.raises(LtrSqlError, match="is not available on spark"):
            ltr_sql.render(name, "spark", **chosen)
        return
    text = ltr_sql.render(name, "spark", keys=["device"], **chosen)
    assert "`device`" in text
    for banned in ("::", "list_", "lambda", "struct_pack"):
        assert banned not in text


# Values of other tools


def golden(*names: str) -> list[Row]:
    return [row for name in names for row in cast("list[Row]", pd.read_csv(BEYOND / name).to_dict("records"))]


def impressions(log: pd.DataFrame) -> list[Impression]:
    columns = ["session_id", "query_id", "doc_id", "rank", "click"]
    return [Impression(*row) for row in log[columns].itertuples(index=False, name=None)]


def clicks_log() -> pd.DataFrame:
    return pd.read_csv(BEYOND / "clicks" / "log.csv")


MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "PBM (EMInference, 50 iterations)": ("pbm", {}),
    "DCM": ("dcm", {}),
    "SDBN": ("sdbn", {}),
    "CM": ("cascade", {}),
    "DCTR": ("ctr", {"prior_clicks": 1, "prior_views": 2}),
    "CTR": ("ctr", {}),
    "COEC": ("coec", {}),
    "IPS p = 1, .6, .4, .25": (
        "ips",
        {"propensities": pd.DataFrame({"rank": [1, 2, 3, 4], "propensity": [1, 0.6, 0.4, 0.25]})},
    ),
}
# PyClick's attraction of the simplified DBN is that of the dependent click model.
PARAMETERS = {"CM": "attr", "DCM": "attr", "DCTR": "ctr", "SDBN": "predict_relevance"}


@pytest.mark.parametrize("model", MODELS)
def test_models_of_pyclick_and_numpy(model: str) -> None:
    ours, options = MODELS[model]
    found = ltr_sql.click_judgments(clicks_log(), ours, **options).set_index("doc_id")["relevance"]
    rows = [
        row
        for row in golden("clicks/expected.pyclick.csv", "clicks/expected.numpy.csv")
        if row["model"] == model and isinstance(row["doc_id"], str)
        if model not in PARAMETERS or row["parameter"] == PARAMETERS[model]
    ]
    assert len(rows) > 1
    for row in rows:
        assert found[row["doc_id"]] == pytest.approx(row["value"], abs=tolerance_of(ours), rel=0), row


BIASES: dict[str, tuple[str, dict[str, Any]]] = {
    "rank CTR relative to rank 1": ("ctr", {}),
    "pivot rank 1, every document of both ranks once": ("pivot", {}),
    "pivot rank 1, weight min(n1, nk)": ("pivot", {"weight": "views"}),
}


@pytest.mark.parametrize("name", BIASES)
def test_position_bias_of_numpy(name: str) -> None:
    method, options = BIASES[name]
    found = ltr_sql.position_bias(clicks_log(), method, **options).set_index("rank")["propensity"]
    rows = [row for row in golden("clicks/expected.numpy.csv") if row["model"] == name]
    assert rows
    for row in rows:
        assert found[int(row["rank"])] == pytest.approx(row["value"], abs=1e-12, rel=0)


def test_examination_of_pyclick() -> None:
    (row,) = [
        row for row in golden("clicks/expected.pyclick.csv") if row["parameter"] == "exam" and "PBM" in row["model"]
    ]
    _, examination = _position_based(impressions(clicks_log()), 50)
    assert examination[row["rank"]] == pytest.approx(row["value"], abs=1e-12, rel=0)
    found = ltr_sql.position_bias(clicks_log(), "em").set_index("rank")["propensity"]
    assert found[row["rank"]] * examination[1] == pytest.approx(row["value"], abs=EM, rel=0)


AGREEMENTS = {
    "CohenKappa weights=None": "cohen_kappa",
    "CohenKappa weights=linear": "kappa_linear",
    "CohenKappa weights=quadratic": "kappa_quadratic",
    "observed agreement": "agreement",
    "mean absolute difference": "mean_absolute_difference",
    "overlap of relevant (|and|/|or|, rel=1)": "overlap",
    "KrippendorffAlpha nominal": "alpha_nominal",
    "KrippendorffAlpha ordinal": "alpha_ordinal",
    "KrippendorffAlpha interval": "alpha_interval",
    "KrippendorffAlpha ratio": "alpha_ratio",
    "FleissKappa (documents that all four rated)": "fleiss_kappa",
}


def test_agreement_of_sklearn_krippendorff_and_statsmodels() -> None:
    found = ltr_sql.rater_agreement(BEYOND / "judgments" / "judgments.csv")
    rows = golden("judgments/expected.agreement.csv")
    compared = 0
    for row in rows:
        if row["measure"] in AGREEMENTS:
            common = not isinstance(row["rater_a"], str)
            of = (
                found["rater_a"].isna()
                if common
                else (found["rater_a"] == row["rater_a"]) & (found["rater_b"] == row["rater_b"])
            )
            (value,) = found.loc[of, AGREEMENTS[row["measure"]]]
            assert value == pytest.approx(row["value"], abs=1e-12, rel=0), row
            compared += 1
    assert compared == len(rows) - 4


@pytest.mark.default("majority")
@pytest.mark.filterwarnings("ignore:dawid_skene. not converged:ltr_sql.InputWarning")
@pytest.mark.parametrize("method", ["majority", "dawid_skene"])
def test_merged_judgments_of_crowd_kit(method: str) -> None:
    tool = {"majority": "MajorityVote", "dawid_skene": "DawidSkene"}[method]
    rows = [row for row in golden("judgments/expected.merged.csv") if tool in row["tool"]]
    found = ltr_sql.merge_judgments(BEYOND / "judgments" / "judgments.csv", method).set_index("doc_id")
    assert len(found) == 40
    of_grade = found["agreement" if method == "majority" else "probability"]
    for row in rows:
        probability = of_grade[row["doc_id"]]
        if found["relevance"][row["doc_id"]] == row["relevance"]:
            assert probability == pytest.approx(row["probability"], abs=EM, rel=0)
        else:
            assert row["probability"] <= probability + EM


OBP = {
    "ipw": "ips",
    "snipw": "snips",
    "dm": "dm",
    "dr": "dr",
    "sndr": "sndr",
    "switch-dr": "switch_dr",
    "dr-os": "dr_os",
    "sg-ipw": "sg_ips",
    "sg-dr": "sg_dr",
    "sips": "slate_ips",
    "iips": "iips",
    "rips": "rips",
    "sniips": "sniips",
    "snrips": "snrips",
    "snsips": "slate_snips",
    "cascade-dr": "cascade_dr",
}


@pytest.mark.slow
def test_estimates_of_obp() -> None:
    calls: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in golden("ope/expected.obp057.csv"):
        name, _, parameter = row["estimator"].partition(" lambda=")
        # obp ignores lambda in snipw, see docs/off_policy.md. The next test compares the effective sample size.
        assert name in OBP or name.startswith("ESS "), name
        if name in OBP and not (name == "snipw" and parameter):
            option = "shrinkage" if name in ("dr-os", "sg-ipw", "sg-dr") else "clip"
            calls.setdefault((row["data"], option, parameter), {})[OBP[name]] = row["value"]
    for (data, option, parameter), values in calls.items():
        log = pd.read_csv(BEYOND / "ope" / data).rename(columns={"click": "reward"})
        options: dict[str, Any] = {option: float(parameter)} if parameter else {}
        found = ltr_sql.off_policy(log, [*values], **options).set_index("estimator")["estimate"]
        for estimator, value in values.items():
            assert found[estimator] == pytest.approx(value, abs=1e-12, rel=0), (estimator, parameter)
    assert len({estimator for values in calls.values() for estimator in values}) >= 10


def test_effective_sample_size() -> None:
    (row,) = [row for row in golden("ope/expected.obp057.csv") if row["estimator"].startswith("ESS")]
    log = pd.read_csv(BEYOND / "ope" / "log.csv").rename(columns={"click": "reward"})
    (found,) = ltr_sql.off_policy(log, "ips")["effective_n"]
    assert found == pytest.approx(row["value"], rel=1e-12)


@pytest.mark.slow
@needs(ROBUST03)
def test_pools_of_robust03() -> None:
    names = ("InexpC2", "NLPR03vb10", "aplrob03a")
    tables = {name: ROBUST03 / f"run.{name}.txt.gz" for name in names}
    qrels = ROBUST03 / "qrels.txt.gz"
    pools = pd.read_csv(BEYOND / "fusion_robust03" / "expected.pools.csv", dtype={"query_id": str})
    unique = pd.read_csv(BEYOND / "fusion_robust03" / "expected.unique.csv")
    top = cut(tables, 100)
    for depth in sorted({*pools["depth"], *unique["depth"]}):
        found = ltr_sql.pool(top, depth=int(depth), qrels=qrels)
        for row in pools[pools["depth"] == depth].itertuples():
            of_query = found[found["query_id"] == row.query_id]
            assert (len(of_query), of_query["judged"].sum()) == (row.pool, row.judged)
        alone = ltr_sql.unique_documents(top, depth=int(depth), qrels=qrels)
        for row in unique[unique["depth"] == depth].itertuples():
            of_system = alone[alone["system"] == row.system]
            relevant = (of_system["relevance"] > 0).sum()
            assert (len(of_system), relevant) == (row.documents_of_no_other_system, row.of_them_relevant)


def cut(tables: dict[str, Any], depth: int) -> pd.DataFrame:
    """Return the best documents of TREC runs as one table."""
    parts = []
    for name, path in tables.items():
        columns = ["query_id", "q0", "doc_id", "place", "score", "run"]
        frame = pd.read_csv(path, sep=r"\s+", names=columns, dtype={"query_id": str})
        ordered = frame.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
        parts.append(ordered.groupby("query_id").head(depth).assign(system=name))
    return pd.concat(parts)[["system", "query_id", "doc_id", "score"]]


# Properties


@pytest.mark.slow
def test_raters_who_agree_are_merged_to_their_judgments() -> None:
    rows = [
        {"query_id": "q", "doc_id": str(doc), "rater": rater, "relevance": doc % 3}
        for doc in range(9)
        for rater in "abc"
    ]
    for method in builders()["merge_judgments"].methods:
        found = ltr_sql.merge_judgments(pd.DataFrame(rows), method)
        assert found["relevance"].tolist() == [doc % 3 for doc in range(9)]
        assert (found["agreement"] == 1).all()


def test_a_rater_agrees_with_itself() -> None:
    one = {"q": {str(doc): doc % 3 for doc in range(9)}}
    pair, common = ltr_sql.rater_agreement({"a": one, "b": one}).to_dict("records")
    for name in ("agreement", "cohen_kappa", "kappa_linear", "kappa_quadratic", "overlap"):
        assert pair[name] == 1
    for name in ("fleiss_kappa", "alpha_nominal", "alpha_ordinal", "alpha_interval", "alpha_ratio"):
        assert common[name] == 1


def test_the_likelihood_never_falls() -> None:
    """The smoothing by 1 click in 2 views is the prior Beta(2, 2), so EM maximises likelihood times prior."""
    drawn_logs = joined(drawn(logs(), 40))
    log = pd.DataFrame([{**row, "session_id": f"{row['example']} {row['session_id']}"} for row in drawn_logs])
    rows = impressions(log)

    def objective(iterations: int) -> float:
        attraction, examination = _position_based(rows, iterations)
        for row in ltr_sql.click_judgments(log, "pbm", iterations=iterations).itertuples():
            assert row.relevance == pytest.approx(attraction[row.query_id, row.doc_id], abs=EM)
        likelihood = sum(
            math.log(p if row.click else 1 - p)
            for row in rows
            for p in [attraction[row.document] * examination[row.rank]]
        )
        return likelihood + sum(math.log(v * (1 - v)) for v in [*attraction.values(), *examination.values()])

    values = [objective(iterations) for iterations in (1, 2, 3, 5, 10, 20)]
    assert all(later >= earlier for earlier, later in pairwise(values)), values
    assert values[0] < values[-1]


@pytest.mark.parametrize("estimator", ["ips", "snips", "slate_ips", "slate_snips"])
def test_the_logging_policy_earned_its_rewards(estimator: str) -> None:
    rewards = [0.0, 1.0, 1.0, 0.5, 2.0, 0.0]
    log = pd.DataFrame(
        {"query_id": range(6), "rank": 1, "reward": rewards, "propensity": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}
    )
    (row,) = ltr_sql.off_policy(log.assign(target=log["propensity"]), estimator).to_dict("records")
    assert row["estimate"] == pytest.approx(sum(rewards) / 6, rel=1e-15)
    assert row["effective_n"] == pytest.approx(6)
    assert row["finding"] is None


@pytest.mark.slow
def test_findings_of_poor_overlap() -> None:
    n = 200
    log = pd.DataFrame({"query_id": range(n), "reward": 1.0, "propensity": 0.5, "target": [1.0] + [1e-6] * (n - 1)})
    with pytest.warns(InputWarning, match=r"^ips: poor overlap"):
        (row,) = ltr_sql.off_policy(log, "ips").to_dict("records")
    assert row["effective_n"] < 2
    with pytest.warns(InputWarning, match="no overlap"):
        (row,) = ltr_sql.off_policy(log.assign(target=0.0), ["ips"]).to_dict("records")
    assert (row["estimate"], row["effective_n"]) == (0, 0)
    with pytest.warns(InputWarning, match="no overlap: all weights are 0$"):
        ltr_sql.off_policy(log.assign(target=1.0, q_hat=0.5, v_hat=0.5), "switch_dr", clip=1)
    with pytest.warns(
        InputWarning, match="mean of target / propensity is not 1: the propensities may not belong to this log"
    ):
        ltr_sql.off_policy(log.assign(target=[0.4, 0.2] * (n // 2)), "snips")


def test_frames_are_of_the_callers_kind() -> None:
    columns = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "rank": [1, 2], "click": [1, 0]}
    assert isinstance(ltr_sql.click_judgments(pl.DataFrame(columns)), pl.DataFrame)
    assert isinstance(ltr_sql.position_bias(pa.table(columns)), pa.Table)
    assert isinstance(
        ltr_sql.click_judgments(
            pd.DataFrame(columns).rename(columns={"click": "clicked"}), columns={"clicked": "click"}
        ),
        pd.DataFrame,
    )


def test_judgments_from_clicks_are_qrels() -> None:
    log = pd.DataFrame(
        {"query_id": ["q"] * 4, "doc_id": ["a", "b", "b", "a"], "rank": [1, 2, 1, 2], "click": [1, 0, 1, 1]}
    )
    qrels = ltr_sql.click_judgments(log)
    run = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    assert ltr_sql.evaluate(run, ["nDCG"], qrels=qrels)["nDCG"][0] == pytest.approx(1)


def test_a_judgment_without_grade_is_not_judged(con: duckdb.DuckDBPyConnection) -> None:
    runs = pd.DataFrame({"system": "s", "query_id": "q", "doc_id": ["a", "b", "c"], "rank": [1, 2, 3]})
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "relevance": [None, 0.0]})
    con.register("runs", runs)
    con.register("qrels", qrels)
    in_sql = con.sql("select doc_id from ltr.pool('runs', qrels := 'qrels') where judged").fetchall()
    pooled = ltr_sql.pool(runs, qrels=qrels)
    assert in_sql == [("b",)]
    assert [*pooled[pooled["judged"]]["doc_id"]] == ["b"]


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize(("estimator", "shrinkage"), [("sg_ips", 1), ("sg_dr", 1), ("dr_os", 0)])
def test_a_target_of_0_has_the_weight_0(estimator: str, shrinkage: float) -> None:
    log = pd.DataFrame({"query_id": [1, 2, 3], "reward": [1.0, 1.0, 0.0], "propensity": 0.5, "target": [0.0, 0.5, 0.5]})
    (row,) = ltr_sql.off_policy(log.assign(q_hat=0.0, v_hat=0.0), estimator, shrinkage=shrinkage).to_dict("records")
    assert row["estimate"] == pytest.approx(0 if estimator == "dr_os" else 1 / 3)
    assert row["mean_weight"] == pytest.approx(0 if estimator == "dr_os" else 2 / 3)

"""Ranges of measures: a mean or a difference beyond them is impossible, so tables cut intervals there, and say so."""

import json
import math
import re
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql.catalogue.measures import all_definitions
from ltr_sql.catalogue.ranges import bounds_of, bounds_of_difference, cut, possible_differences
from ltr_sql.command_line.main import main

NONE = (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("column", "of_mean", "of_difference"),
    [
        ("RR", (0, 1), (-1, 1)),
        ("nDCG(gain=exponential)@10", (0, 1), (-1, 1)),
        ("KendallTau", (-1, 1), (-2, 2)),
        ("Success@5", (0, 1), (-1, 1)),
        ("RankingLoss", (0, 1), (-1, 1)),
        ("DCG@10", (0, math.inf), NONE),
        ("alpha_nDCG@10", (0, math.inf), NONE),
        ("GMAP", (0, 1), NONE),
        ("SDCG", (0, 1), (-1, 1)),
        ("revenue", NONE, NONE),
        ("rr per day", NONE, NONE),
    ],
)
def test_bounds(column: str, of_mean: tuple[float, float], of_difference: tuple[float, float]) -> None:
    assert (bounds_of(column), bounds_of_difference(column)) == (of_mean, of_difference)


def test_every_bound_is_in_the_range_of_its_measure() -> None:
    bounded = 0
    for definition in all_definitions().values():
        found = bounds_of(definition.example)
        for bound in found:
            assert math.isinf(bound) or re.search(rf"(?<![\\d.]){bound:g}(?![\\d.])", definition.range), definition.name
        bounded += math.isfinite(found[1])
    assert bounded > 60


def test_values_beyond_the_range_are_those_of_something_else() -> None:
    """A column of percentages may be called RR."""
    assert cut((-0.5, 1.5), (0, 1), 0.5, None) == (0, 1)
    assert cut((31.2, 37.4), (0, 1), 34.3) == (31.2, 37.4)
    assert possible_differences("RR", [0.5, 1, 7]) == [0.5, 1]
    assert possible_differences("DCG", [0.5, 7]) == [0.5, 7]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write two weeks of two queries, and two runs on three queries, with values so few that intervals are wide."""
    folder = tmp_path_factory.mktemp("ranges")
    run = [(week, f"q{week}{i}", f"d{k}", 3 - k) for week in (1, 2) for i in range(2) for k in range(3)]
    pd.DataFrame(run, columns=["week", "query_id", "doc_id", "score"]).to_csv(folder / "weeks.csv", index=False)
    qrels = [(f"q{week}{i}", f"d{0 if i else 2}", 1) for week in (1, 2) for i in range(2)]
    pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]).to_csv(folder / "qrels.csv", index=False)
    values = [("a", "q1", 1.0, 10), ("a", "q2", 0.5, 20), ("b", "q1", 0.2, 1), ("b", "q2", 0.6, 50)]
    pd.DataFrame(values, columns=["system", "query_id", "RR", "m"]).to_csv(folder / "values.csv", index=False)
    return folder


def printed(folder: Path, *words: str) -> str:
    paths = [str(folder / word) if word.endswith(".csv") else word for word in words]
    result = CliRunner().invoke(main, paths)
    return result.stderr + result.stdout


NOTE = "\N{DAGGER} cut at the range of the measure\n"


def test_the_trend_is_cut_and_marked(folder: Path) -> None:
    words = ["trend", "qrels.csv", "weeks.csv", "-m", "RR,DCG"]
    for options in ([], ["--format", "markdown"]):
        text = printed(folder, *words, *options)
        assert text.count("0.0000\N{DAGGER}") == 4, text
        assert text.count("1.0000\N{DAGGER}") == 2
        assert text.endswith(NOTE)
    assert "-1.0000\N{DAGGER}" in printed(folder, *words, "--wide")
    for row in json.loads(printed(folder, *words, "--format", "json")):
        assert row["low"] < 0
        assert row["high"] > 1


def test_the_intervals_of_means_are_cut_and_marked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["evaluate", "qrels.csv", "weeks.csv", "-m", "RR,DCG", "--ci", "t", "--missing", "skip", "--keys", "week"]
    text = printed(folder, *words)
    assert text.count("0.0000\N{DAGGER}") == 4
    assert text.count("1.0000\N{DAGGER}") == 2
    assert text.endswith(NOTE)
    monkeypatch.setattr("ltr_sql.command_line.evaluate.is_terminal", lambda: True)
    pd.read_csv(folder / "weeks.csv").assign(system="s").to_csv(folder / "systems.csv", index=False)
    text = printed(folder, "evaluate", "qrels.csv", "systems.csv", "-m", "RR", "--ci", "t", "--keys", "system,week")
    assert text.endswith(f"* best\n{NOTE}")


@pytest.mark.slow
def test_comparisons_are_cut_and_marked(folder: Path) -> None:
    words = ["compare", "--values", "values.csv", "--baseline", "a"]
    text = printed(folder, *words)
    assert "-0.3500 [-1.0000, +1.0000]\N{DAGGER}" in text
    assert "+10.5000 [-237.2710, +258.2710]" in text
    assert (
        "2 queries: a true difference of 275 (m) is found 4 times out of 5, a smaller one less often; too few to"
        in text
    )
    assert "find any possible difference of RR so often" in text
    assert text.endswith(NOTE)
    assert printed(folder, *words, "--wide", "--details").count("\N{DAGGER}") == 6
    alone = printed(folder, *words, "-m", "RR")
    assert "2 queries: too few to find any possible difference of RR 4 times out of 5" in alone


@pytest.mark.slow
def test_the_smallest_difference_of_some_pairs_is_impossible(tmp_path: Path) -> None:
    """The pair of c needs a difference beyond the range of RR: the sentence ends there."""
    values = {"a": (0.1, 0.5, 0.3), "b": (0.2, 0.62, 0.4), "c": (0.9, 0.05, 0.7), "d": (0.2, 0.62, 0.44)}
    rows = [(system, f"q{i}", value) for system, queries in values.items() for i, value in enumerate(queries)]
    pd.DataFrame(rows, columns=["system", "query_id", "RR"]).to_csv(tmp_path / "values.csv", index=False)
    first, *_ = printed(tmp_path, "compare", "--values", "values.csv", "--baseline", "a").splitlines()
    assert first == (
        "3 queries: a true difference of 0.036 to more than 1 (RR), depending on the pair, is found 4 times out of 5, "
        "a smaller one less often"
    )


def test_gates_say_intervals_that_are_possible(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    shown = "difference -0.3500 [-1.0000, +1.0000]\N{DAGGER}, 2 queries"
    gate = "RR possibly worse by > 0.1"
    assert shown in printed(folder, "compare", "--values", "values.csv", "--baseline", "a", "--fail-if", gate)
    con.execute(f"create table seen as from read_csv('{folder / 'values.csv'}')")
    with pytest.raises(duckdb.Error, match=re.escape(shown)):
        con.execute(f"from ltr.gate('seen', ['{gate}'], 'a')")
    with pytest.raises(duckdb.Error, match=re.escape("+10.5000 [-112.6182, +133.6182], 2 queries")):
        con.execute("from ltr.gate('seen', ['m possibly worse by > 1'], 'a')")


def test_data_frames_have_the_numbers_of_the_formula(folder: Path) -> None:
    values = pd.read_csv(folder / "values.csv")
    compared = ltr_sql.compare(values, ["RR"], values=True, baseline="a")
    assert (compared["low"].item() < -1, compared["high"].item() > 1) == (True, True)

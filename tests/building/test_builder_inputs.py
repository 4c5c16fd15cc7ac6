"""Builders and `fuse` with invalid input in SQL, and their commands."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import ltr_sql
from ltr_sql.command_line.main import main

pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")


@pytest.fixture(scope="module")
def con(module_con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return module_con


# Errors in SQL

TABLES = {
    "log": "('s', 'q', 'a', 1, 1, 'a'), ('s', 'q', 'b', 2, 0, 'b')) "
    "as t(session_id, query_id, doc_id, rank, click, team",
    "ratings": "('q', 'a', 'r1', 1.0), ('q', 'a', 'r2', 0.0)) as t(query_id, doc_id, rater, relevance",
    "runs": "('s', 'q', 'a', 2.0), ('s', 'q', 'b', 1.0), ('t', 'q', 'a', 1.0)) as t(system, query_id, doc_id, score",
    "rounds": "('q', 1.0::double, 0.5::double, 0.5::double)) as t(query_id, reward, propensity, target",
    "slates": "('q', 1, 1.0, 0.5, 0.5), ('q', 2, 1.0, 0.5, 0.5)) as t(query_id, rank, reward, propensity, target",
}
# Per table: a change of a column, the call, and the message.
CHANGED: dict[str, list[tuple[str, str, str]]] = {
    "log": [
        ("2 as click", "click_judgments('given')", "click must be 0 or 1: write one row for each impression; got 2"),
        ("0.5 as click", "position_bias('given')", "click must be 0 or 1: write one row for each impression; got 0.5"),
        ("null::int as click", "interleaving('given')", "click must be 0 or 1: .* got NULL"),
        ("0 as rank", "position_bias('given')", "rank must be a whole number from 1, got 0"),
        ("'c' as team", "interleaving('given')", "team must be a, b or NULL, got c"),
        ("null as doc_id", "click_judgments('given')", "NULL in query_id, doc_id or session_id"),
        ("'a' as doc_id", "click_judgments('given', 'cascade')", "a list shows a document twice: .* session_id is s"),
        ("'a' as doc_id", "click_judgments('given', 'dcm')", "a list shows a document twice: .* session_id is s"),
        ("'a' as doc_id", "click_judgments('given', 'sdbn')", "a list shows a document twice: .* session_id is s"),
    ],
    "ratings": [
        ("'inf'::double as relevance", "merge_judgments('given')", "relevance must be a finite number.* got inf"),
        ("'nan'::double as relevance", "rater_agreement('given')", "relevance must be a finite number.* got nan"),
        ("'r' as rater", "merge_judgments('given')", "a rater judged a document twice"),
        ("null as rater", "rater_agreement('given')", "NULL in query_id, doc_id or rater"),
    ],
    "runs": [
        ("null as system", "pool('given')", "NULL in query_id, doc_id or the column of systems"),
        ("'nan'::double as score", "unique_documents('given')", "a score is NULL, NaN or infinite"),
        ("'a' as doc_id", "pool('given')", "a document is in one ranking more than once"),
        ("'a' as doc_id", "fuse('given')", "a document is in one ranking more than once"),
        ("null as system", "fuse('given')", "a row lacks the name of its run, query_id or doc_id"),
        ("'nan'::double as score", "fuse('given', 'comb_sum')", "a score is NULL"),
    ],
    "slates": [
        (
            "rank / 4 as target",
            "off_policy('given', ['slate_ips'])",
            "propensity and target .* differ in its rows: .* q$",
        ),
        ("rank / 4 as propensity", "off_policy('given', ['slate_snips'])", "of a whole list, and differ in its rows"),
        ("1 as rank", "off_policy('given', ['slate_ips'])", "two rows of a query have the same rank"),
        ("1 as rank", "off_policy('given', ['ips'])", "two rows of a query have the same rank: .* query_id is q$"),
        ("null as rank", "off_policy('given', ['ips'])", "two rows have the same query_id"),
    ],
    "rounds": [
        ("0 as propensity", "off_policy('given', ['ips'])", "propensity must be above 0 and at most 1: .* got 0"),
        ("1.5 as propensity", "off_policy('given', ['ips'])", "propensity must be above 0 and at most 1"),
        ("'nan'::double as propensity", "off_policy('given', ['ips'])", "propensity must be above 0 and at most 1"),
        ("-0.5 as target", "off_policy('given', ['snips'])", "target must be a probability from 0 to 1, got -0.5"),
        ("1.5 as target", "off_policy('given', ['snips'])", "target must be a probability from 0 to 1, got 1.5"),
        (
            "'inf'::double as target",
            "off_policy('given', ['snips'])",
            "target must be a probability from 0 to 1, got inf",
        ),
        ("'inf'::double as reward", "off_policy('given', ['ips'])", "reward must be a finite number.* got inf"),
        ("null::double as reward", "off_policy('given', ['ips'])", "reward must be a finite number.* got NULL"),
        ("null as query_id", "off_policy('given', ['ips'])", "a row of the log has a NULL in query_id"),
        ("1e-320 as propensity", "off_policy('given', ['ips'])", "target / propensity of a round, .* query_id is q"),
        ("1e-320 as propensity", "off_policy('given', ['snips'])", "target / propensity of a round, .* query_id is q"),
        ("1e-320 as propensity", "off_policy('given', ['sg_ips'], shrinkage := 1)", "target / propensity of a round"),
        ("1e-140 as propensity, 1e100 as reward", "off_policy('given', ['ips'])", "product with the reward"),
    ],
}
# Per message: a call on unchanged tables. A call may pass the table p.
CALLS = {
    "model must be one of cascade, .*, got dbn": "click_judgments('log', 'dbn')",
    "model must be one of cascade, .*, got NULL": "click_judgments('log', null)",
    "ips needs propensities": "click_judgments('log', 'ips')",
    "a propensity must be above 0 and finite: .* the rank is 1": "click_judgments('log', 'ips', propensities := 'p')",
    "coec does not read prior_views": "click_judgments('log', prior_views := 1)",
    "prior_views must be a number from 0, got -1": "click_judgments('log', 'ctr', prior_views := -1)",
    "iterations must be an integer from 1 to 10,000, got 0": "position_bias('log', 'em', iterations := 0)",
    "method must be one of dawid_skene, .*, got mode": "merge_judgments('ratings', 'mode')",
    "the judgments name one rater": "rater_agreement('one_rater')",
    "the judgments name one rater: ": "rater_confusion('one_rater')",
    "depth must be an integer from 1, got 0": "pool('runs', depth := 0)",
    "strategy must be one of depth, rbp, rrf, got best": "pool('runs', 'best')",
    "doc_id .the input has": "pool('rounds')",
    "estimators must be one of .*, got mips": "off_policy('rounds', ['ips', 'mips'])",
    "estimators must be one of .*": "off_policy('rounds', [])",
    "q_hat, v_hat .the input has": "off_policy('rounds', ['dr'])",
    "clip must be a number above 0, got 0": "off_policy('rounds', ['ips'], clip := 0)",
    "two rows have the same query_id: .* the query_id is q": "off_policy('same_round', ['dm', 'ips'])",
    "shrinkage must be .* from 0 to 1 for sg_ips and sg_dr, got 3": "off_policy('rounds', ['sg_ips'], shrinkage := 3)",
    "ips, snips do not read shrinkage: leave it out": "off_policy('rounds', ['ips', 'snips'], shrinkage := 1)",
    "replay does not read clip": "off_policy('rounds', ['replay'], clip := 2)",
    "prior_clicks must be at most prior_views, .* is 2.0": "click_judgments('log', 'dcm', prior_clicks := 3)",
    "prior_clicks must be .* prior_views is 1": "click_judgments('log', 'ctr', prior_clicks := 3, prior_views := 1)",
    "prior_clicks must be at most prior_views, .* is 0.5": "click_judgments('log', 'sdbn', prior_views := 0.5)",
    "relevance of a document is too large .* doc_id is": "click_judgments('log', 'ips', propensities := 'tiny')",
    "the fused score of a document is too large .* the doc_id is a": "fuse('runs', 'comb_mnz', gamma := 5000)",
    "confidence must be a number above 0 to 0.999999999, got 1": "off_policy('rounds', ['ips'], confidence := 1)",
    "method must be one of borda, .*, got x": "fuse('runs', 'x')",
    "norm must be one of borda, .*, got x": "fuse('runs', 'comb_sum', norm := 'x')",
    "reads ranks, to which no norm applies": "fuse('runs', 'rrf', norm := 'max')",
    "a run has no weight: .* they lack t": "fuse('runs', weights := map {'s': 1.0})",
    "not one of the runs: u": "fuse('runs', weights := map {'s': 1.0, 't': 1.0, 'u': 1.0})",
    "a weight of a run is NULL, negative, infinite": "fuse('runs', weights := map {'s': 1.0, 't': -1.0})",
    "a weight of a run is NULL, negative": "fuse('runs', weights := map {'s': 1.0, 't': null})",
    "a weight of a run is NULL": "fuse('runs', weights := map {'s': 1.0, 't': 'nan'::double})",
}


@pytest.mark.slow
def test_errors_in_sql(con: duckdb.DuckDBPyConnection) -> None:
    for name, rows in TABLES.items():
        con.execute(f"create or replace table {name} as from (values {rows})")
    con.execute("create or replace table one_rater as from ratings where rater = 'r1'")
    con.execute(
        "create or replace table same_round as select *, 1.0 as v_hat from rounds union all by name from rounds"
    )
    con.execute("create or replace table tiny as select r as rank, 1e-320 as propensity from range(1, 3) as t(r)")
    con.execute("create or replace table p as select 1 as rank, -1.0 as propensity union all select 2, 1.0")
    for name, errors in CHANGED.items():
        for change, call, message in errors:
            con.execute(f"create or replace table given as select * replace ({change}) from {name}")
            with pytest.raises(duckdb.Error, match=message):
                con.execute(f"from ltr.{call}").fetchall()
    for message, call in CALLS.items():
        with pytest.raises(duckdb.Error, match=message):
            con.execute(f"from ltr.{call}").fetchall()


@pytest.mark.slow
def test_empty_tables_have_no_result_in_sql(con: duckdb.DuckDBPyConnection) -> None:
    for name, rows in TABLES.items():
        con.execute(f"create or replace table {name} as from (values {rows}) limit 0")
    con.execute("create or replace table rankings as select 'q' as query_id, 1 as rank, 1 as relevance limit 0")
    for call in (
        *("click_judgments('log')", "position_bias('log')", "merge_judgments('ratings')", "rater_agreement('ratings')"),
        "rater_confusion('ratings')",
        *("pool('runs')", "unique_documents('runs')", "off_policy('rounds', ['ips', 'snips'])", "fuse('runs')"),
        *("interleaving('log')", "distribution('rankings', ['AP'])"),
    ):
        found = con.execute(f"from ltr.{call}")
        assert found.fetchall() == []
        assert not [column[0] for column in found.description if column[0].startswith("__ltr")]


# Commands

FILES = {
    "log.csv": "session_id,query_id,doc_id,rank,click,team\ns1,q,a,1,1,a\ns1,q,b,2,0,b\ns2,q,b,1,0,a\ns2,q,a,2,1,b\n",
    "rounds.csv": "query_id,reward,propensity,target\n1,1,0.5,0.5\n2,0,0.5,0.5\n3,1,0.25,0.5\n",
    "ratings.csv": "query_id,doc_id,rater,relevance\nq,a,r1,1\nq,a,r2,1\nq,b,r1,0\nq,b,r2,1\n",
    "one.txt": "q Q0 a 1 2.0 one\nq Q0 b 2 1.0 one\n",
    "two.txt": "q Q0 c 1 2.0 two\nq Q0 b 2 1.0 two\n",
    "qrels.txt": "q 0 a 1\nq 0 b 0\n",
}
COMMANDS = {
    "click-judgments": ["log.csv"],
    "position-bias": ["log.csv"],
    "interleaving": ["log.csv"],
    "merge-judgments": ["ratings.csv"],
    "rater-agreement": ["ratings.csv"],
    "rater-confusion": ["ratings.csv"],
    "pool": ["one.txt", "two.txt", "--qrels", "qrels.txt"],
    "unique-documents": ["one.txt", "two.txt"],
    "off-policy": ["rounds.csv", "--estimator", "ips", "--estimator", "snips"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.mark.default("click-judgments", "rater-confusion")
@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command: str, folder: Path) -> None:
    words = [command, *COMMANDS[command]]
    rows = json.loads(run(*words, "--format", "json").stdout)
    assert rows
    header, *lines = run(*words, "--format", "csv").stdout.splitlines()
    assert (header.split(","), len(lines)) == ([*rows[0]], len(rows))
    assert run(*words, "--format", "markdown").stdout.startswith("|")
    written = run(*words, "--format", "csv", "-o", "out.csv")
    assert (written.exit_code, written.stdout) == (0, "")
    assert (folder / "out.csv").read_text(encoding="utf-8").splitlines() == [header, *lines]
    for wrong, code, message in [
        ([command, "nope.csv"], 2, "File 'nope.csv' does not exist"),
        ([command], 2, "Missing argument"),
        ([*words, "--format", "xml"], 2, "Invalid value for '--format'"),
        ([*words, "-o", "nowhere/out.csv"], 74, "cannot be written"),
        ([*words, "--keys", "nope"], 2, "key 'nope' is not a column"),
    ]:
        refused = run(*wrong)
        assert (refused.exit_code, message in refused.output) == (code, True), refused.output


def test_commands_name_what_is_wrong(folder: Path) -> None:
    for words, message in {
        "click-judgments ratings.csv": "the log (click_judgments, coec): missing columns click, rank",
        "click-judgments log.csv --model ips": "ips needs propensities",
        "pool one.txt": "missing column system, which names the runs, got .* pass several files",
        "fuse one.txt one.txt": "a run is repeated",
        "fuse one.txt two.txt --run-weight one=1": "the weights lack the run 'two'",
        "fuse one.txt two.txt --norm max": "to which no norm applies",
        "off-policy rounds.csv --estimator dr": "missing columns q_hat, v_hat",
    }.items():
        refused = run(*words.split())
        assert refused.exit_code == 2
        assert re.search(message.replace("(", r"\(").replace(")", r"\)"), refused.output), refused.output
    assert run("off-policy", "rounds.csv").exit_code == 2
    assert run("fuse").exit_code == 2


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="reads /dev/stdin")
def test_commands_read_standard_input(folder: Path) -> None:
    script = "from ltr_sql.command_line.main import main; main()"
    env = {**os.environ, "PYTHONPATH": str(Path(ltr_sql.__file__).parents[1])}
    for words in (
        ["click-judgments", "log.csv"],
        ["fuse", "one.txt", "two.txt"],
        ["fuse", "one.txt", "two.txt", "--run-weight", "one=1", "--run-weight", "two=3"],
        ["off-policy", *COMMANDS["off-policy"]],
    ):
        command, first, *others = words
        done = subprocess.run(
            # A run from standard input has the name stdin.
            [sys.executable, "-c", script, command, "-", *(word.replace("one=", "stdin=") for word in others)],
            input=FILES[first].encode(),
            capture_output=True,
            check=True,
            env=env,
        )
        assert done.stdout.decode() == run(*words).stdout


TEXTS = pd.DataFrame(
    {
        "query_id": ["q"] * 5,
        "doc_id": ["a", "b", "a", "b", "c"],
        "rater": ["x", "x", "y", "y", "y"],
        "relevance": ["good", "it's {bad}", "good", "good", "3"],
    }
)
GRADES = {"good": 2, "it's {bad}": 0}


@pytest.mark.default("rater_confusion", "merge_judgments")
@pytest.mark.parametrize("name", ["rater_agreement", "rater_confusion", "merge_judgments"])
def test_ratings_that_are_texts(con: duckdb.DuckDBPyConnection, name: str) -> None:
    numbers = TEXTS.assign(relevance=[2.0, 0.0, 2.0, 2.0, 3.0])
    build = getattr(ltr_sql, name)
    expected = build(numbers)
    con.register("texts", TEXTS)
    in_sql = con.execute(f"from ltr.{name}('texts', grades := ?) order by all asc", [GRADES]).df()
    for values in (build(TEXTS, grades=GRADES), in_sql):
        pd.testing.assert_frame_equal(values, expected, check_dtype=False)
    missing = r"neither numbers nor in grades.*good"
    told = r"' \(3\), \"it's \{bad\}\" \(1\): pass their numbers as grades"
    with pytest.raises(ltr_sql.InputError, match=missing + told):
        build(TEXTS)
    con.register("others", TEXTS.replace("good", "fine"))
    with pytest.raises(duckdb.Error, match=r"neither numbers nor in grades.*fine \(3\)"):
        con.execute(f"from ltr.{name}('others', grades := ?)", [GRADES]).fetchall()


def test_grades_that_are_texts_are_refused_in_other_tables() -> None:
    qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": ["good"]})
    with pytest.raises(ltr_sql.InputError, match=r"the texts and their numbers of rows are 'good' \(1\)"):
        ltr_sql.pool({"a": {"q": {"a": 1.0}}}, depth=2, qrels=qrels)

"""`ltr-sql compare`: gates and their exit codes, saved values, formats, and refused input."""

import csv
import io
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from support.places import EXAMPLE_DATA, ROOT, TESTS

import ltr_sql
from ltr_sql import InputError
from ltr_sql.command_line.main import main
from ltr_sql.comparison.gates import FAILED, HELD, UNDECIDED, Outcome, decide, exit_code, parse_gate
from ltr_sql.inputs.readers import read_file
from ltr_sql.inputs.session import Session, session
from ltr_sql.inputs.tables import Table
from ltr_sql.macros.registration import catalogue_file
from ltr_sql.oracle.comparison import GateTest, gate_p, gates_fail
from ltr_sql.rendering.comparisons import values_of_table

QRELS, BM25, DENSE = (str(EXAMPLE_DATA / name) for name in ("qrels.txt", "bm25.txt", "dense.txt"))
MEASURES = ("-m", "nDCG@5", "-m", "RR")

pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    result = CliRunner().invoke(main, ["compare", *words], prog_name="ltr-sql")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def refused(*words: str) -> str:
    """Return the message of a command that is refused: exit code 2, one line on stderr, no output."""
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    return result.stderr.splitlines()[-1]


# The grammar


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nDCG@10 worse", ("nDCG@10", "plainly", "worse", 0, False)),
        ("  nDCG@10   plainly worse ", ("nDCG@10", "plainly", "worse", 0, False)),
        ("AP significantly different", ("AP", "significantly", "different", 0, False)),
        ("AP Possibly Worse by > 2%", ("AP", "possibly", "worse", 0.02, True)),
        ("P(rel=2, empty=0)@5 worse by >0.5 %", ("P(rel=2, empty=0)@5", "plainly", "worse", 0.005, True)),
        ("RR different by > 1e-3", ("RR", "plainly", "different", 0.001, False)),
        ("RR worse by > 0%", ("RR", "plainly", "worse", 0, False)),
        ("mean latency worse by > .5", ("mean latency", "plainly", "worse", 0.5, False)),
    ],
)
def test_a_gate_is_read(text: str, expected: tuple[object, ...]) -> None:
    gate = parse_gate(text)
    assert (gate.measure, gate.word, gate.direction, gate.margin, gate.relative) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "worse",
        "nDCG@10",
        "nDCG@10 better",
        "nDCG@10 worse by 2%",
        "nDCG@10 worse by > ",
        "nDCG@10 worse by > -1",
        "nDCG@10 worse by > 1,5",
        "nDCG@10 worse by > 100%",
        "nDCG@10 worse and RR worse than",
        "nDCG@10 possibly different",
    ],
)
def test_a_gate_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="the gate"):
        parse_gate(text)


def test_a_gate_is_short() -> None:
    with pytest.raises(InputError, match="a gate has at most 1,000 characters, got 200,005: 'a a a"):
        parse_gate("a " * 100_000 + "worse")


# Decisions: SQL against the oracle


def decided(systems: Mapping[str, Sequence[float]], texts: Sequence[str]) -> list[Outcome]:
    """Decide gates on the measures value and latency, which have equal values. The baseline is `base`."""
    with session(None) as state:
        state.con.execute("create or replace temp table v (system varchar, query_id integer, value double)")
        rows = [(name, i, float(x)) for name, row in systems.items() for i, x in enumerate(row)]
        state.con.executemany("insert into v values (?, ?, ?)", rows)
        table = "(select v.*, v.value as latency from v)"
        values = values_of_table(
            table, ["value", "latency"], compared="system", lower=["latency"], baseline=["base"], missing="skip"
        )
        outcomes = decide(
            state, [parse_gate(text) for text in texts], values, ["value", "latency"], lacking={}, alpha=0.05
        )
        state.con.execute("drop table v")
    return list(outcomes)


def gates_with(margins: Mapping[str, str]) -> list[str]:
    """Return gates of all words and directions, for each margin and its measure."""
    return [
        f"{measure} {word} {direction}{margin}"
        for margin, measure in margins.items()
        for word in ("plainly", "significantly", "possibly")
        for direction in ("worse", "different")
        if (word, direction, margin) != ("possibly", "different", "")
    ]


@pytest.mark.slow
def test_equal_systems_pass_every_gate() -> None:
    outcomes = decided(
        {"base": [0, 1], "equal": [0, 1]}, gates_with({"": "value", " by > 0.1": "value", " by > 1%": "latency"})
    )
    assert {o.gate.text: o.decision for o in outcomes if o.decision != HELD} == {}
    assert len(outcomes) == 17


@pytest.mark.slow
def test_gates_agree_with_the_oracle() -> None:
    """All words, directions and kinds of margins, on systems that are equal, shifted, noisy and constant."""
    random = np.random.default_rng(5)
    base = random.uniform(0.1, 0.9, 30).round(3)
    noise = random.normal(0, 1, (3, 30)).round(3)
    systems = {
        "base": base,
        "equal": base.copy(),
        "a_bit_worse": base - 0.01 + 0.002 * noise[0],
        "noisy": base + 0.2 * noise[1],
        "changed": base - 0.2 * noise[0].mean() + 0.1 + 0.05 * noise[2],
        "shifted": base - 0.03,
    }
    texts = gates_with({"": "value", " by > 0.03": "value", " by > 2%": "value", " by > 1.5%": "latency"})
    outcomes = decided(systems, texts)
    tests = [
        GateTest(
            list(base),
            list(systems[outcome.system_b]),
            outcome.gate.word,
            outcome.gate.direction,
            outcome.gate.margin,
            outcome.gate.relative,
            outcome.gate.measure == "latency",
        )
        for outcome in outcomes
    ]
    assert len(outcomes) == len(texts) * (len(systems) - 1)
    expected = [FAILED if fails else HELD for fails in gates_fail(tests, 0.05)]
    for outcome, test in zip(outcomes, tests, strict=True):
        assert outcome.p == (None if test.word == "plainly" else pytest.approx(gate_p(test), rel=0, abs=1e-12))
    assert [(o.gate.text, o.system_b, o.decision) for o in outcomes] == [
        (o.gate.text, o.system_b, decision) for o, decision in zip(outcomes, expected, strict=True)
    ]
    # A message names the number of queries of a one-sided test at 0.05, which equals that of a two-sided test at 0.10.
    told = [(o, re.search(r"is 0, ([0-9,]+) queries", o.reason)) for o in outcomes if o.decision == FAILED]
    noisy = {o.gate.text: match[1] for o, match in told if match and o.system_b == "noisy"}
    assert set(noisy) == {text for text in texts if re.search("possibly worse by", text)}
    sd = float(np.std(systems["noisy"] - base, ddof=1))
    needed = ltr_sql.queries_needed(sd, 0.03, confidence=0.9)
    assert noisy["value possibly worse by > 0.03"] == f"{needed:,}"
    # Each word and direction fails for some system and passes for another.
    for word in ("plainly", "significantly", "possibly"):
        for direction in ("worse", "different"):
            decisions = {o.decision for o in outcomes if (o.gate.word, o.gate.direction) == (word, direction)}
            assert decisions == {HELD, FAILED}


@pytest.mark.slow
def test_the_interval_in_the_message_decides_the_gate() -> None:
    """With several gates, Holm corrects the interval as it corrects p. A two-sided test has a two-sided interval."""
    random = np.random.default_rng(8)
    base = random.uniform(0.1, 0.9, 40)
    systems = {"base": list(base)}
    systems |= {f"s{i}": list(base - 0.01 * i + 0.1 * random.normal(0, 1, 40)) for i in range(-6, 7)}
    corrected = set()
    for margin in (0.0, 0.02):
        by = f" by > {margin}" if margin else ""
        for texts in ([f"value significantly {d}{by}"] for d in ("worse", "different")):
            for outcome in decided(systems, texts):
                found = re.search(r"\[(\S+), (\S+)\], .*interval ([\d.]+)%", outcome.reason)
                assert found
                low, high, confidence = map(float, found.groups())
                worse, better = high < -margin, low > margin
                fails = worse or (outcome.gate.direction == "different" and better)
                assert outcome.decision == (FAILED if fails else HELD), outcome.reason
                corrected.add(confidence)
    assert min(corrected) >= 90 and max(corrected) > 99


@pytest.mark.default("RR worse by > 2-False")
@pytest.mark.parametrize(
    ("gate", "allowed"),
    [
        ("RR worse by > 2", False),
        ("rr significantly worse by > 1", False),
        ("RR possibly different by > 1.5", False),
        ("RR worse by > 0.99", True),
        ("latency worse by > 5", True),
        ("DCG@10 worse by > 5", True),
        ("GMAP worse by > 5", True),
    ],
)
def test_a_margin_beyond_the_range_of_the_measure_is_refused(folder: Path, gate: str, allowed: bool) -> None:
    measure = gate.split(maxsplit=1)[0].replace("rr", "RR")
    files = [write(name, {measure: [0.1 * i for i in range(6)]}) for name in ("old", "new")]
    words = ("--values", *files, "--baseline", "old", "--fail-if", gate)
    if allowed:
        assert run(*words).exit_code == 0
    else:
        assert "can never fail: two values of RR differ by at most 1" in refused(*words)


@pytest.mark.slow
def test_a_share_of_a_mean_near_0_is_said(folder: Path) -> None:
    old, new = [-0.3, 0.3, 0.2, -0.2, 0.1, -0.099], [0.1, 0.2, 0.4, 0.3, 0.2, 0.1]
    files = [write("old", {"m": old}), write("new", {"m": new})]
    gate, share = (("--baseline", "old", *words) for words in (("--fail-if", "m worse by > 5%"), ("--margin", "5%")))
    assert "the mean of old is near 0, so a share of it is hardly a margin" in run("--values", *files, *gate).stderr
    assert "the mean m of old is near 0 (0.0001667)" in run("--values", *files, *share).stderr
    far = [write("old", {"m": [2 + x for x in old]}), files[1]]
    for words in (gate, share):
        assert "near 0" not in run("--values", *far, *words).stderr


def test_one_sided_p_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(1)
    a, b = random.uniform(0, 1, (2, 25))
    for word, direction, share, alternative in (
        ("significantly", "worse", 0.98, "less"),
        ("possibly", "worse", 0.98, "greater"),
        ("significantly", "different", 1, "two-sided"),
    ):
        margin = 1 - share
        test = GateTest(list(a), list(b), word, direction, margin, relative=True)
        assert gate_p(test) == pytest.approx(stats.ttest_rel(b, share * a, alternative=alternative).pvalue, abs=1e-12)


def test_exit_codes() -> None:
    gate = parse_gate("AP worse")

    def outcomes(*decisions: str) -> list[Outcome]:
        return [Outcome(gate, "a", "b", decision, "", None) for decision in decisions]

    assert exit_code([]) == 0
    assert exit_code(outcomes(HELD, HELD)) == 0
    assert exit_code(outcomes(HELD, FAILED)) == 1
    assert exit_code(outcomes(FAILED, UNDECIDED, HELD)) == 2


# Exit codes of the command, on tables of values that can be checked by hand. The baseline old has 0.5 for 8 queries.
# new loses 0.1 on 4 queries and gains 0.02 on 4: mean 0.46, one-sided p 0.061. Near the level, edge has p 0.034.

OLD = [0.5] * 8
M: dict[str, list[float | None]] = {
    "old": [*OLD],
    "same": [*OLD],
    "rounded": [0.5 - 5e-10] * 8,
    "new": [0.4, 0.4, 0.4, 0.4, 0.52, 0.52, 0.52, 0.52],
    "edge": [0.4, 0.4, 0.4, 0.4, 0.5, 0.5, 0.52, 0.52],
    "lost": [0.4, 0.38, 0.42, 0.4, 0.36, 0.41, 0.43, 0.4],
    "won": [0.6, 0.62, 0.58, 0.6, 0.64, 0.59, 0.57, 0.6],
    "fewer": [*OLD[:7]],
    "with_null": [None, *OLD[1:]],
    "nothing": [0.0] * 8,
}
# The contract of gates, which `--fail-if` and `ltr.gate` share.
with (TESTS / "gates.csv").open(encoding="ascii", newline="") as lines:
    GATES = [
        (row["systems"], row["options"], row["gates"].split("; "), int(row["exit_code"]), row["message"])
        for row in csv.DictReader(lines)
    ]


def write(name: str, columns: Mapping[str, Sequence[float | None]]) -> str:
    rows = enumerate(zip(*columns.values(), strict=True))
    lines = [",".join(["query_id", *columns]), *(",".join([f"q{i}", *map(str, row)]) for i, row in rows)]
    Path(f"{name}.csv").write_text("\n".join(lines).replace("None", "") + "\n", encoding="utf-8")
    return f"{name}.csv"


@pytest.mark.default("('same', '', ['m worse by 2%'], 2, 'the gate')")
@pytest.mark.parametrize("case", GATES, ids=str)
def test_exit_codes_of_gates(folder: Path, case: tuple[str, str, list[str], int, str]) -> None:
    names, options, gates, code, message = case
    old, *new = (
        write(name, {"m": M[name], "c": [q % 2 - 0.5 + 0.1 * (name != "old") for q in range(len(M[name]))]})
        for name in ("old", *names.split())
    )
    words = (word for gate in gates for word in ("--fail-if", gate))
    result = run("--values", *new, "--baseline", old, *options.split(), *words)
    assert result.exit_code == code, result.output
    assert message in " ".join(result.stderr.split())


# Options of the command, as SQL.
IN_SQL = {
    "--confidence 0.9": "confidence := 0.9",
    "--confidence 0.4": "confidence := 0.4",
    "--lower-is-better m": "lower_is_better := ['m']",
    "--missing skip": "missing := 'skip'",
    "--missing zero": "missing := 'zero'",
}


@pytest.mark.default("('same', '', ['worse'], 2, 'the gate')")
@pytest.mark.parametrize("case", GATES, ids=str)
def test_gates_in_sql(case: tuple[str, str, list[str], int, str], con: duckdb.DuckDBPyConnection) -> None:
    """`ltr.gate` has the verdicts of the command: rows, an error with the numbers, or another error."""
    names, options, gates, code, _ = case
    rows = [
        (name, f"q{i}", value, i % 2 - 0.5 + 0.1 * (name != "old"))
        for name in ("old", *names.split())
        for i, value in enumerate(M[name])
    ]
    con.execute("create or replace table of_gates (system varchar, query_id varchar, m double, c double)")
    con.executemany("insert into of_gates values (?, ?, ?, ?)", rows)
    given = f", {IN_SQL[options]}" if options in IN_SQL else ""
    call = f"select condition from ltr.gate('of_gates', {gates}, 'old'{given})"
    if code == 0:
        assert {row[0] for row in con.execute(call).fetchall()} == {" ".join(gate.split()) for gate in gates}
    else:
        with pytest.raises(duckdb.Error) as error:
            con.execute(call).fetchall()
        # The command refuses a system without a value other than 0 before it decides.
        fails = code == 1 or names == "nothing"
        assert ("the gate failed: " in str(error.value)) == fails, error.value


@pytest.mark.slow
def test_a_gate_ends_the_client_of_duckdb(tmp_path: Path) -> None:
    """A nightly job ends with status 1 if a gate fails, and with 0 if all pass."""
    client = shutil.which("duckdb", path=str(Path(sys.executable).parent))
    assert client, "the DuckDB client of the test extra (duckdb-cli) is not installed"
    script = tmp_path / "nightly.sql"
    for margin, status in (("5%", 1), ("50%", 0)):
        script.write_text(
            f"""attach '{catalogue_file()}' as ltr (read_only);
            create table v as select s as system, q as query_id, 0.5 - 0.1 * (s = 'new')::int as "RR"
            from (values ('old'), ('new')) as t(s), range(3) as r(q);
            from ltr.gate('v', 'RR worse by > {margin}', 'old');""",
            encoding="utf-8",
        )
        done = subprocess.run([client, "-f", str(script)], check=False, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        assert ("the gate failed: RR worse by > 5%: new 0.4000, old 0.5000" in done.stderr) == (status == 1)


@pytest.mark.slow
def test_gates_that_cannot_be_decided(folder: Path) -> None:
    """The exit code is 2 for a missing query, a NULL value, a system without values, a share of 0, or one query."""
    old = write("old", {"m": OLD})
    gate = ("--fail-if", "m worse by > 99%")
    fewer = write("fewer", {"m": OLD[:7]})
    with_null = write("with_null", {"m": [None, *OLD[1:]]})
    nothing = write("nothing", {"m": [0.0] * 8})
    result = run("--values", fewer, with_null, nothing, "--baseline", old, *gate, "--allow-empty")
    assert result.exit_code == 2
    # The first two lines tell the design.
    _, _, *found, last = (line for line in result.stderr.splitlines() if not line.startswith("Warning: "))
    assert last == "1 of 3 gates failed, 2 of 3 gates not decided"
    missing = "is missing or NULL in one of old and"
    assert [line.removeprefix("? gate not decided: m worse by > 99%: ").split(". ")[0] for line in found] == [
        f"1 query {missing} fewer: q7",
        "\N{BALLOT X} gate failed: m worse by > 99%: nothing 0.0000, old 0.5000, difference -0.5000, 8 queries; "
        "largest losses: q0 -0.5000, q1 -0.5000, q2 -0.5000, q3 -0.5000, q4 -0.5000",
        f"1 query {missing} with_null: q0",
    ]
    assert "m of old or nothing is 0 or NULL for every query" in refused("--values", nothing, old, "--baseline", "old")
    assert run("--values", fewer, "--baseline", old, "--missing", "zero", *gate).exit_code == 0
    zero, two = (
        write("zero", {"m": [-1.0, 1.0], "one": [0.5, None]}),
        write("two", {"m": [0.1, 0.3], "one": [0.4, None]}),
    )
    result = run("--values", two, "--baseline", zero, *gate, "--fail-if", "one significantly worse")
    assert result.exit_code == 2
    assert "a share of the mean of zero is undefined" in result.stderr
    assert "one significantly worse: a test needs at least 2 queries" in result.stderr


@pytest.mark.slow
def test_repeats_are_averaged_and_are_not_queries(folder: Path) -> None:
    rows = ["query_id,system,seed,m"]
    rows += [f"q{q},{s},{seed},{0.1 * q + 0.01 * seed * (s == 'b')}" for q in range(6) for s in "ab" for seed in (1, 2)]
    Path("seeds.csv").write_text("\n".join(rows), encoding="utf-8")
    words = ("--values", "seeds.csv", "--baseline", "a", "--fail-if", "m worse", "--format", "csv", "--details")
    assert "are given 2 times" in refused(*words, "-m", "m")
    result = run(*words, "--repeats", "seed")
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert (result.exit_code, row["measure"], row["queries"]) == (0, "m", "6")
    assert float(row["difference"]) == pytest.approx(0.015, rel=0, abs=1e-12)
    nothing = "Warning: repeats seed: nothing is averaged"
    assert nothing not in result.stderr
    Path("seeds.csv").write_text("\n".join(rows[:1] + rows[1::2]), encoding="utf-8")
    assert nothing in run(*words, "--repeats", "seed").stderr


@pytest.mark.slow
def test_equal_means_of_large_values_pass_in_any_order(folder: Path) -> None:
    # b exchanges the queries of a: the means differ in their last bits, in some orders of the rows.
    chance = random.Random(1)
    values = [[chance.randint(1, 700) / 7 * 1e12 for _ in range(3)] for _ in range(12)]
    of_systems = {"a": values, "b": values[::-1]}
    rows = [(s, f"q{i}", seed, v) for s, x in of_systems.items() for i, y in enumerate(x) for seed, v in enumerate(y)]
    table = pd.DataFrame(rows, columns=["system", "query_id", "seed", "m"])
    words = ("--values", "large.csv", "--repeats", "seed", "--baseline", "a")
    for order in range(6):
        table.sample(frac=1, random_state=order).to_csv("large.csv", index=False)
        assert run(*words, "--fail-if", "m worse").exit_code == 0


# Saved values


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="makes a named pipe")
def test_judgments_from_a_pipe_are_read_once(folder: Path) -> None:
    os.mkfifo("pipe")
    with ThreadPoolExecutor() as pool:
        pool.submit(Path("pipe").write_bytes, Path(QRELS).read_bytes())
        found = run("pipe", BM25, DENSE, "-m", "RR", "--format", "csv")
    assert found.exit_code == 0
    rows, expected = (
        list(csv.DictReader(io.StringIO(result.stdout)))
        for result in (found, run(QRELS, BM25, DENSE, "-m", "RR", "--format", "csv"))
    )
    assert numbers(rows) == numbers(expected)


@pytest.mark.slow
def test_each_file_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [line.split() for line in Path(DENSE).read_text(encoding="utf-8").splitlines()]
    lines = ["query_id,doc_id,score", *(f"{query},{doc},{score}" for query, _, doc, _, score, _ in rows)]
    Path("old.csv").write_text("\n".join(lines), encoding="utf-8")
    opened: list[str] = []

    def counted(state: Session, path: str, role: str) -> Table:
        opened.append(Path(path).name)
        return read_file(state, path, role)

    monkeypatch.setattr("ltr_sql.inputs.session.read_file", counted)
    words = ("-m", "RR", "--ties", "expected", "--format", "csv")
    result = run(QRELS, BM25, "--baseline", "old.csv", *words)
    assert result.exit_code == 0, result.output
    assert sorted(opened) == ["bm25.txt", "old.csv", "qrels.txt"]
    monkeypatch.undo()
    (row,), (expected,) = (
        numbers(list(csv.DictReader(io.StringIO(found.stdout))))
        for found in (result, run(QRELS, BM25, "--baseline", DENSE, *words))
    )
    assert {**row, "system_a": "dense"} == expected


def execute(statement: str) -> None:
    with duckdb.connect() as con:
        con.execute(statement)


def numbers(rows: list[dict[str, str]]) -> list[dict[str, object]]:
    """Return rows with their numbers to 12 digits: sums differ in the last digits between runs."""
    return [{name: round(float(text), 12) if "." in text else text for name, text in row.items()} for row in rows]


@pytest.mark.slow
def test_saved_values_are_compared_with_the_next_run(folder: Path) -> None:
    result = run(QRELS, DENSE, *MEASURES, "--save-values", "base.parquet")
    assert (result.exit_code, result.stdout) == (0, "")
    with duckdb.connect() as con:
        saved = con.execute("from 'base.parquet'").df()
    assert list(saved.columns) == ["system", "query_id", "nDCG@5", "RR", "NumRet", "Judged@10"]
    expected = ltr_sql.evaluate(DENSE, ["nDCG@5", "RR"], qrels=QRELS, by_query=True)
    assert saved["nDCG@5"].tolist() == pytest.approx(expected["nDCG@5"].tolist(), abs=1e-15)
    words = (*MEASURES, "--format", "csv", "--details")
    by_file, by_values, by_name = (
        list(csv.DictReader(io.StringIO(run(QRELS, BM25, *more, *words).stdout)))
        for more in (("--baseline", DENSE), ("--baseline", "base.parquet"), (DENSE, "--baseline", "dense"))
    )
    assert numbers(by_file) == numbers(by_name)
    assert numbers([{**row, "system_a": "dense"} for row in by_values]) == numbers(by_file)
    frame = ltr_sql.compare(
        {"bm25": BM25, "dense": DENSE}, ["nDCG@5", "RR"], qrels=QRELS, baseline="dense", details=True
    )
    assert list(by_file[0]) == list(frame.columns)
    for name in ("difference", "low", "high", "p_adjusted", "mde"):
        assert [float(row[name]) for row in by_file] == pytest.approx(frame[name].tolist(), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gate", "status"),
    [("RR worse", 1), ("RR worse by > 5%", 2), ("RR worse by > 0.9", 0)],
    ids=["failed", "not decided", "passed"],
)
def test_only_a_gate_that_passed_replaces_the_baseline(
    folder: Path, gate: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the run that failed would be the next baseline, and pass when the job is repeated."""
    saved = "select 'a' as system, 'q1' as query_id, {} as RR union all select 'a', 'q2', 0.0"
    # A mean of 0 leaves a margin that is a share undecided.
    execute(f"copy ({saved.format('0.0' if status == 2 else '0.8')}) to 'given.parquet'")
    execute(f"copy ({saved.format('0.5')}) to 'new.parquet'")
    assert run("--values", "given.parquet", "-m", "RR", "--save-values", "base.parquet").exit_code == 0
    before = Path("base.parquet").read_bytes()
    files = ("--values", str(Path("new.parquet").resolve()), "--baseline", "base.parquet", "-m", "RR")
    words = (*files, "--fail-if", gate, "--allow-empty")
    for number, target in enumerate(["symbolic.parquet", "base.parquet", "./base.parquet", "hard.parquet"]):
        Path(str(number)).mkdir()
        with monkeypatch.context() as here:
            here.chdir(str(number))
            Path("base.parquet").write_bytes(before)
            Path("symbolic.parquet").symlink_to("base.parquet")
            Path("hard.parquet").hardlink_to("base.parquet")
            result = run(*words, "--save-values", target)
            assert result.exit_code == status, result.output
            kept = f"{target} keeps its values: the gate {gate!r} {'failed' if status == 1 else 'was not decided'}"
            assert (kept in result.stderr) == (status > 0)
            assert (Path(target).read_bytes() == before) == (status > 0)
            if status == 0 or number == 0:
                other = run(*words, "--save-values", "other.parquet")
                assert other.exit_code == status, "the repeated job must decide the same"
                assert Path("other.parquet").exists()


@pytest.mark.slow
def test_a_baseline_with_other_judgments_or_rules_is_refused(folder: Path) -> None:
    assert run(QRELS, DENSE, *MEASURES, "--save-values", "base.parquet").exit_code == 0
    lines = Path(QRELS).read_text(encoding="utf-8").splitlines()
    Path("shuffled").write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
    Path("fewer").write_text("\n".join(lines[1:]) + "\n", encoding="utf-8")
    words = (BM25, "--baseline", "base.parquet", "-m", "RR")
    assert run("shuffled", *words).exit_code == 0
    assert "base.parquet was made with judgments " in refused("fewer", *words)
    assert "made with convention trec_eval, and" in refused(QRELS, *words, "--convention", "ranx")
    assert "made with tie-breaking rule docid_desc, and" in refused(QRELS, *words, "--ties", "docid_asc")
    assert "made with missing zero, and" in refused(QRELS, *words, "--missing", "skip")
    assert "has no values of AP, only of nDCG@5, RR: save it again" in refused(QRELS, *words, "-m", "AP")
    assert run(QRELS, DENSE, *MEASURES, "--save-values", "asc.parquet", "--ties", "docid_asc").exit_code == 0
    assert "tie-breaking rule" in refused("--values", "asc.parquet", "--baseline", "base.parquet")
    assert run(QRELS, DENSE, BM25, "-m", "RR", "--save-values", "both.parquet").exit_code == 0
    for several in ((QRELS, BM25, "--baseline"), ("--values", "both.parquet", "--baseline")):
        assert "both.parquet holds 2 systems (bm25, dense)" in refused(*several, "both.parquet", "-m", "RR")
    execute("copy (from 'base.parquet') to 'bare.csv'")
    stderr = run(QRELS, BM25, "--baseline", "bare.csv", "-m", "RR").stderr
    assert "bare.csv does not say which judgments and convention it was made with" in stderr


@pytest.mark.slow
def test_a_query_that_a_run_lacks_is_not_a_zero_for_a_gate(folder: Path) -> None:
    """Judged queries that one run lacks count as 0. A gate must not treat these zeros as results."""
    lines = Path(DENSE).read_text(encoding="utf-8").splitlines()
    Path("part.txt").write_text("\n".join(line for line in lines if not line.startswith("q3")), encoding="utf-8")
    assert run(QRELS, "part.txt", "-m", "RR", "--save-values", "part.parquet").exit_code == 0
    gate = ("-m", "RR", "--fail-if", "RR worse by > 90%")
    for words in ((QRELS, "part.txt", "--baseline", DENSE), (QRELS, DENSE, "--baseline", "part.parquet")):
        result = run(*words, *gate)
        assert result.exit_code == 2
        assert "1 query is missing or NULL in one of" in result.stderr
    assert run(QRELS, "part.txt", "--baseline", DENSE, *gate, "--missing", "zero").exit_code == 0
    assert "1 query is missing" in refused(QRELS, "part.txt", DENSE, "-m", "RR", "--missing", "error")
    expected = (QRELS, "part.txt", DENSE, "-m", "nDCG@5", "--ties", "expected", "--missing", "error")
    assert "1 query is missing" in refused(*expected)
    # A table that does not say how many documents were retrieved.
    assert run(QRELS, DENSE, "-m", "RR", "--save-values", "dense.parquet").exit_code == 0
    execute("copy (select query_id, RR from 'dense.parquet') to 'bare.csv'")
    assert run(QRELS, "part.txt", "--baseline", "bare.csv", *gate).exit_code == 2
    # Both systems lack the query, so they do not differ.
    assert run(QRELS, "part.txt", "--baseline", "part.parquet", *gate).exit_code == 0


# The design, printed before the results


@pytest.mark.slow
def test_the_first_line_names_the_detectable_differences(folder: Path) -> None:
    result = run(QRELS, BM25, DENSE, *MEASURES, "--baseline", "bm25")
    frame = ltr_sql.compare(
        {"bm25": BM25, "dense": DENSE}, ["nDCG@5", "RR"], qrels=QRELS, baseline="bm25", details=True
    )
    first, second = frame["mde"]
    assert result.stderr.splitlines() == [
        f"6 queries: a true difference of {first:.2f} (nDCG@5) or {second:.2f} (RR) is found 4 times out of 5, a "
        "smaller one less often",
        "Paired t test; correction by Holm within each measure",
    ]


def test_the_first_line_names_the_range_over_the_pairs(folder: Path, three: list[str]) -> None:
    result = run("--values", *three, "-m", "m@10", "--format", "json", "--details")
    mdes = [row["mde"] for row in json.loads(result.stdout)]
    low, high = f"{min(mdes):.2g}", f"{max(mdes):.2g}"
    assert low != high
    assert result.stderr.splitlines()[:2] == [
        f"20 queries: a true difference of {low} to {high} (m@10), depending on the pair, is found 4 times out of 5, a "
        "smaller one less often",
        "Paired t test; correction by Holm within each measure; low and high are corrected, too",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["docid_desc", "expected"])
def test_depths_and_unjudged_documents_are_said(folder: Path, ties: str) -> None:
    Path("qrels").write_text("".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(3) for d in range(20)), encoding="utf-8")
    deep = [f"q{q} Q0 d{d} 0 {50 - d} t\n" for q in range(3) for d in range(20)]
    Path("deep").write_text("".join(deep), encoding="utf-8")
    shallow = [f"q{q} Q0 {'x' if q + d < 3 else 'd'}{d} 0 {50 - d} t\n" for q in range(3) for d in range(10)]
    Path("shallow").write_text("".join(shallow), encoding="utf-8")
    result = run("qrels", "deep", "shallow", "-m", "AP", "--ties", ties)
    first, _, depths, unjudged, *rest = result.stderr.splitlines()
    assert first.startswith("3 queries: ")
    assert "shallow has at most 10 documents per query, the deepest run 20: AP favours deeper runs" in depths
    assert "unjudged documents of the top 10 (deep 0.0%, shallow 20.0%)" in unjudged
    assert rest == []
    assert " p " in result.stdout
    for call in (ltr_sql.compare, partial(ltr_sql.wins, a="deep", b="shallow"), ltr_sql.leaderboard, ltr_sql.variance):
        with pytest.warns(ltr_sql.InputWarning) as warned:
            call({"deep": "deep", "shallow": "shallow"}, measures=["AP"], qrels="qrels", ties=ties)
        assert [f"Warning: {w.message}" for w in warned] == [depths, unjudged]
        assert {w.filename for w in warned} == {__file__}


# Formats


@pytest.mark.slow
def test_formats(folder: Path) -> None:
    assert run(QRELS, DENSE, *MEASURES, "--save-values", "base.parquet").exit_code == 0
    words = (QRELS, BM25, *MEASURES, "--baseline", "base.parquet")
    gates = ("--fail-if", "nDCG@5 worse by > 1%", "--fail-if", "RR possibly worse by > 90%", "--fail-if", "RR worse")
    rows = json.loads(run(*words, "--format", "json", "--details").stdout)
    assert [(row["measure"], row["system_a"], row["verdict"]) for row in rows] == [
        ("nDCG@5", "base", "undecided"),
        ("RR", "base", "undecided"),
    ]
    assert rows[0]["p_equivalent"] is None
    result = run(*words, *gates, "--format", "markdown", "-n", "2", "-o", "report.md")
    assert (result.exit_code, result.stdout) == (1, "")
    shown = Path("report.md").read_text(encoding="utf-8").split("\n\n")
    assert [len(table.strip().splitlines()) for table in shown] == [2 + 2, 2 + 4, 2 + 3, 1]
    assert "| nDCG@5 worse by > 1%" in shown[2]

    saved = 'select system, query_id, "nDCG@5", RR, 0 * RR as "zero&" from '
    execute(f"copy ({saved} 'base.parquet') to 'old.csv'")
    assert run(QRELS, BM25, *MEASURES, "--save-values", "new.parquet").exit_code == 0
    execute(f"copy ({saved} 'new.parquet') to 'new.csv'")
    tables = ("--values", "new.csv", "--baseline", "old.csv", "--allow-empty", "--fail-if", "zero& worse")
    result = run(*tables, *gates, "--format", "junit", "-o", "gates.xml")
    assert result.exit_code == 2
    root = ET.parse("gates.xml").getroot()
    (suite,) = root
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["4", "1", "1"]
    assert [(case.get("classname"), [child.tag for child in case]) for case in suite] == [
        ("zero&", ["error"]),
        ("nDCG@5", ["failure"]),
        ("RR", ["system-out"]),
        ("RR", ["system-out"]),
    ]
    if shutil.which("xmllint"):
        subprocess.run(["xmllint", "--noout", "gates.xml"], check=True)
    # The library of xmllint.
    pytest.importorskip("lxml.etree").parse("gates.xml")


@pytest.fixture
def three(folder: Path) -> Iterator[list[str]]:
    random = np.random.default_rng(3)
    base = random.uniform(0.3, 0.6, 20).round(3)
    yield [
        write("a_1", {"m@10": list(base), "latency": list(10 * base)}),
        write("b&c", {"m@10": list((base + 0.1 + random.normal(0, 0.01, 20)).round(3)), "latency": list(10 * base)}),
        write("d", {"m@10": list((base + 0.001 * random.normal(0, 1, 20)).round(6)), "latency": list(20 * base)}),
    ]


@pytest.mark.slow
def test_latex_with_a_baseline(three: list[str]) -> None:
    text = run("--values", *three, "--baseline", "a_1", "--format", "latex", "--lower-is-better", "latency").stdout
    assert r"\begin{tabular}{lrr}" in text
    assert all(rule in text for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
    assert (
        r"Significance: $^{\dagger}$ better and $^{\ddagger}$ worse, compared with a\_1 (Paired t test; correction by "
        r"Holm within each measure; $p \leq 0.05$)."
    ) in text
    cells = {line.split(" & ")[0].strip(): line.strip(" \\").split(" & ")[1:] for line in text.splitlines()}
    assert cells["System"] == ["m@10", "latency"]
    assert cells[r"b\&c"][0].startswith(r"\textbf{0.") and cells[r"b\&c"][0].endswith(r"}$^{\dagger}$")
    # Lower latency is better, and two systems share the best.
    assert cells[r"a\_1"][1].startswith(r"\textbf{")
    assert cells["d"][1].endswith(r"$^{\ddagger}$") and "textbf" not in cells["d"][1]
    compiled(text)


def test_latex_of_all_pairs_names_the_systems_that_are_worse(three: list[str]) -> None:
    text = run("--values", *three, "--format", "latex", "--lower-is-better", "latency").stdout
    assert r"b\&c (b) & \textbf{" in text
    assert r"$^{\mathrm{ac}}$" in text
    assert "Letters name the systems that are significantly worse" in text
    compiled(text)


@pytest.mark.slow
def test_latex_in_other_layouts(three: list[str]) -> None:
    words = ("--values", *three, "--format", "latex", "--lower-is-better", "latency")

    def means(measure: str) -> list[float]:
        text = run(*words, "--sort", measure).stdout
        rows = [
            re.findall(r"\d+\.\d{4}", line) for line in text.splitlines() if re.match(r"    \S+ \([abc]\) & ", line)
        ]
        return [float(row[measure == "latency"]) for row in rows]

    assert len(means("m@10")) == 3
    assert means("m@10") == sorted(means("m@10"), reverse=True)
    assert means("latency") == sorted(means("latency"))
    text = run(*words, "--caption", r"Three \emph{runs}.", "--label", "tab:runs", "--longtable").stdout
    lines = text.splitlines()
    assert lines[:4] == [
        r"% Needs \usepackage{booktabs,longtable}.",
        r"\begin{longtable}{lrr}",
        r"  \caption{Three \emph{runs}.}",
        r"  \label{tab:runs} \\",
    ]
    assert r"    \endhead" in lines and lines[-1] == r"\end{longtable}"
    compiled(text)
    for refused in ((*words, "--sort", "AP"), ("--values", *three, "--sort", "m@10")):
        assert run(*refused).exit_code == 2


def test_latex_of_names_that_tex_reads_as_commands(folder: Path) -> None:
    names = ["a", "[run]", "*star", "&%#$_~^{}\\<x>|", "x--y"]
    numbers = range(1, 9)
    rows = [f"{name},{q},{(q * step + 1) % 7 / 7}" for step, name in enumerate(names) for q in numbers]
    Path("names.csv").write_text("\n".join(["system,query_id,RR", *rows, ""]), encoding="utf-8")
    text = run("--values", "names.csv", "--format", "latex").stdout
    assert "    {[}run] (" in text and "    {*}star (" in text and "    x-{}-y (" in text
    compiled(text)


def compiled(table: str) -> None:
    """Compile a table, if TeX is installed."""
    program = shutil.which("tectonic") or shutil.which("pdflatex")
    if program:
        page = (
            f"\\documentclass{{article}}\\usepackage{{booktabs,longtable}}\\begin{{document}}{table}\\end{{document}}"
        )
        Path("page.tex").write_text(page, encoding="utf-8")
        subprocess.run([program, "page.tex"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


@pytest.mark.slow
def test_the_job_of_the_guide(folder: Path) -> None:
    """The gates of the guide pass, and fail when the runs are exchanged."""
    text = (ROOT / "docs" / "guides" / "search_engineer.md").read_text(encoding="utf-8")
    (job,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(job.splitlines()) <= 12
    command = shlex.split(job.partition("- run: >\n")[2])
    assert command[:2] == ["ltr-sql", "compare"]
    shutil.copy(QRELS, "qrels.txt")
    for old, new, code in ((BM25, DENSE, 0), (DENSE, BM25, 1)):
        assert run("qrels.txt", old, "-m", "nDCG@5", "--save-values", "main.parquet").exit_code == 0
        shutil.copy(new, "new.txt")
        result = run(*command[2:])
        assert result.exit_code == code, result.output


# What is refused


@pytest.mark.default(
    "words9-unknown measure 'nDGC@5'; did you mean",
    "words10---lower-is-better names 'AP', which is not one of the measures: RR",
)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([QRELS], "pass judgments and at least one run"),
        ([QRELS, BM25, BM25], "a run is repeated"),
        ([QRELS, BM25, "--fail-if", "RR worse"], "--fail-if needs --baseline"),
        ([QRELS, BM25, "--baseline", DENSE, "--fail-if", "RR better"], "the gate 'RR better' cannot be read"),
        ([QRELS, BM25, "--baseline", "splade"], "the baseline 'splade' is neither a run nor a file: the runs are bm25"),
        ([QRELS, BM25, "--baseline", "bm25", "-m", "RR"], "there is nothing to compare"),
        ([QRELS, BM25, DENSE, "--format", "junit"], "--format junit prints gates: pass --fail-if"),
        ([QRELS, BM25, DENSE, "--format", "csv", "-n", "3"], "--number needs --format table or markdown"),
        ([QRELS, BM25, DENSE, "--format", "latex", "--margin", "1%"], "--format latex with --margin needs --baseline"),
        ([QRELS, BM25, DENSE, "-m", "nDGC@5"], "unknown measure 'nDGC@5'; did you mean"),
        (
            [QRELS, BM25, DENSE, "-m", "RR", "--lower-is-better", "AP"],
            "--lower-is-better names 'AP', which is not one of the measures: RR",
        ),
        ([QRELS, BM25, DENSE, "--confidence", "95"], "confidence must be between 0 and 1"),
        ([QRELS, BM25, DENSE, "--margin", "x"], "margin must be a number above 0"),
        ([QRELS, BM25, DENSE, "--adjust", "tukey", "--test", "sign"], "corrects the t test"),
        (["--values", BM25, DENSE], "is a run, not a table of values per query"),
        ([QRELS, BM25, DENSE, "--repeats", "seed"], "--repeats names columns of tables: pass --values"),
        (["--values", BM25, "--ties", "docid_asc"], "--ties, --convention and --gains do not apply to --values"),
    ],
)
def test_refusals(folder: Path, words: list[str], message: str) -> None:
    assert message in refused(*words)


@pytest.mark.slow
def test_an_output_that_cannot_be_written_is_refused(folder: Path) -> None:
    words = (QRELS, BM25, DENSE, "-m", "RR")
    for option in ("-o", "--save-values"):
        result = run(*words, option, "nowhere/written")
        assert (result.exit_code, result.stdout) == (74, "")
        assert "nowhere/written cannot be written: there is no folder" in result.stderr


@pytest.mark.slow
def test_gates_on_custom_gains(folder: Path) -> None:
    """Differences are those of the values of `evaluate` with the same gains."""
    gains = ("--gains", "1=0,2=5,3=20")
    rows = json.loads(run(QRELS, BM25, DENSE, "-m", "nDCG@5", *gains, "--format", "json").stdout)
    means = ltr_sql.evaluate({"bm25": BM25, "dense": DENSE}, ["nDCG@5"], qrels=QRELS, gains={1: 0, 2: 5, 3: 20})
    assert [rows[0]["mean_a"], rows[0]["mean_b"]] == pytest.approx(list(means["nDCG@5"]), abs=1e-12)
    plain = json.loads(run(QRELS, BM25, DENSE, "-m", "nDCG@5", "--format", "json").stdout)
    assert plain[0]["mean_a"] != rows[0]["mean_a"]
    gate = ("--baseline", BM25, "--fail-if", "nDCG@5 worse by > 90%")
    assert run(QRELS, DENSE, "-m", "nDCG@5", *gains, *gate).exit_code == 0
    assert "leave --gains out" in refused(QRELS, DENSE, "-m", "nDCG@5", *gains, "--save-values", "x.parquet")
    assert run(QRELS, BM25, "-m", "nDCG@5", "--save-values", "base.parquet").exit_code == 0
    base = ("--baseline", "base.parquet")
    assert "base.parquet does not say its gains" in refused(QRELS, DENSE, "-m", "nDCG@5", *gains, *base)

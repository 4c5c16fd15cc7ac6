"""Compare `ltr-sql trec_eval` with the output of trec_eval, byte for byte, and with pytrec_eval on random data."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import duckdb
import pytest
import pytrec_eval
from click.testing import CliRunner, Result
from support.places import EXAMPLE_DATA
from support.reference_values import DATA, needs
from support.trec_eval_outputs import TREC_EVAL, read_text

from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.command_line.main import main
from ltr_sql.command_line.trec_eval_outputs import decimals, measures_of
from ltr_sql.evaluation.accuracy import bind
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.session import Session, with_warnings

QRELS, BM25, DENSE = (str(EXAMPLE_DATA / f"{name}.txt") for name in ("qrels", "bm25", "dense"))

golden = needs(DATA)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["trec_eval", *words], prog_name="ltr-sql")


def printed(*words: str) -> str:
    result = run(*words)
    assert result.exception is None, result.output
    # Warnings of queries that only one file has are no part of trec_eval's output.
    assert all(line.startswith("Warning: ") for line in result.stderr.splitlines())
    assert result.exit_code == 0
    return result.stdout


def fields(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield measure, query and value of each line."""
    for line in text.splitlines():
        name, query, value = line.split("\t")
        yield name.rstrip(), query, value


# Regression tests of trec_eval: the command that wrote each file, and the lines that differ, with the reason.

RBP = "labels above 1 divide rbp in trec_eval 10, here it is binary"
PARAMETERS = "iprec_at_recall..10,.20,.25,.75,.50 P.5,7,3 recall.20,2000 Rprec_mult.5.0,0.2,0.35 utility.2,-1,0,0"
GAINS = "ndcg.1=3,2=9,4=4.5 11pt_avg..25,.5,.75 ndcg_cut.10,20,23 success.2,5,20"
COMMANDS: dict[str, tuple[str, dict[tuple[str, str], str]]] = {
    "official": ("", {}),
    "a": ("-m all_trec", {}),
    "aq": ("-m all_trec -q", {}),
    "aqc": ("-m all_trec -q -c", {}),
    "aqcM": ("-m all_trec -qc -M100", {}),
    "aql": ("-m all_trec -m relstring.20 -q -l2", {("rbp", "301"): RBP, ("rbp", "all"): RBP}),
    "meas_params": (
        " ".join(f"-m{name}" for name in f"{PARAMETERS} {GAINS}".split()) + " -q",
        {},
    ),
}


@pytest.mark.default("official")
@golden
@pytest.mark.parametrize("options", COMMANDS)
def test_byte_for_byte(options: str) -> None:
    words, listed = COMMANDS[options]
    name = f"trec6/expected.trec_eval10.{options}.txt"
    made = TREC_EVAL[name]
    lines = printed(*words.split(), str(DATA / made.qrels), str(DATA / made.run)).splitlines(keepends=True)
    expected = read_text(name).splitlines(keepends=True)

    def compared(lines: list[str]) -> list[str]:
        return [line for line in lines if next((name, query) for name, query, _ in fields(line)) not in listed]

    assert compared(lines) == compared(expected)
    # All listed lines exist and differ.
    different = {(name, query) for line in expected if line not in lines for name, query, _ in fields(line)}
    assert different == listed.keys()


# Whole runs: the files contain all digits of each value, and the command prints four.

TEXTS = {"runid", "relstring"}
WHOLE = [
    "robust03/expected.InexpC2.trec_eval10-c.txt.gz",
    "robust03/expected.NLPR03vb10.trec_eval10-c.txt.gz",
    "robust03/expected.aplrob03a.trec_eval10-c.txt.gz",
    "web2014/expected.trec_eval10-c.txt.gz",
    "core18/expected.title_rm3.trec_eval10-c.txt.gz",
    "core18/expected.title_rm3.trec_eval10-c.rbp_dcg_yaap.txt.gz",
    "core18/expected.title_rm3.trec_eval9-J.txt.gz",
    "core18/expected.title_rm3.trec_eval9-M100.txt.gz",
    "core18/expected.title_rm3.trec_eval9-l2.txt.gz",
    "core18/expected.title_rm3.trec_eval9-gains.1=1,2=3.txt.gz",
]


@pytest.mark.slow
@golden
@pytest.mark.parametrize("name", WHOLE)
def test_whole_runs(name: str) -> None:
    made = TREC_EVAL[name]
    words = ["-m", "all_trec", *(f"-m{name}" for name in ("yaap", "dcg", "ideal_dcg", "rbp_resid"))]
    if "rbp_dcg" in name:
        words = ["-mdcg", "-mideal_dcg", "-myaap", "-mrbp_resid.p=0.8", "-mrbp.p=0.8,1=0.5,2=1.0"]
    if "gains" in name:
        words = [f"-m{name}.1=1,2=3" for name in ("ndcg", "G", "ndcg_rel", "Rndcg")]
    words += ["-q", *(["-c"] if made.complete else []), *(["-J"] if made.judged_only else [])]
    words += [f"-l{made.rel}", *([f"-M{made.depth}"] if made.depth else [])]
    values = {
        (name, query): value
        for name, query, value in fields(printed(*words, str(DATA / made.qrels), str(DATA / made.run)))
    }
    lines = list(fields(read_text(name)))
    wrong = [
        (name, query, value, values[name, query])
        for name, query, value in lines
        if values[name, query] != (value if name in TEXTS or name.startswith("num_") else decimals(float(value)))
    ]
    assert {name for name, *_ in wrong} == different_in(name, made.version)
    assert len(wrong) < len(lines) / 20
    assert len(lines) > 200


def different_in(name: str, version: int) -> set[str]:
    """Return measures that differ by a defect (rbp, Rndcg with -l) or between versions of trec_eval."""
    if "rbp_dcg" in name:
        # Without negative gains, trec_eval takes uninitialised memory as the smallest gain: values differ by up to
        # 0.000005.
        return {"rbp_p=0.8,1=0.5,2=1.0"}
    if "gains" in name:
        return set()
    if version == 10:
        return {"rbp"}
    levels = {"11pt_avg", *(f"iprec_at_recall_{tenth / 10:3.2f}" for tenth in range(1, 10) if tenth != 5)}
    return {*levels, "Rndcg"} if name.endswith("-l2.txt.gz") else levels


# Random data


@pytest.mark.default("3")
@pytest.mark.parametrize("seed", range(4))
def test_random_data(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    documents = [f"d{number}" for number in range(12)] + ["Z", "a-b", "é", "文"]
    level = rng.choice([1, 2])
    # These scores are exact in the single precision of pytrec_eval.
    scores = {
        str(query): {d: rng.randint(1, 6) / 2 for d in rng.sample(documents, rng.randint(1, 14))} for query in range(8)
    }
    qrels = {
        str(query): {d: rng.choice([-1, 0, 0, 1, 2, 3]) for d in ["d0", *rng.sample(documents[1:], 8)]}
        for query in range(2, 11)
    }
    # trec_eval stops if all grades are negative.
    qrels = {query: {**grades, "d0": 0} for query, grades in qrels.items()}
    write(tmp_path / "qrels", qrels, "{query} 0 {doc_id} {value}\n")
    write(tmp_path / "run", scores, "{query} Q0 {doc_id} 1 {value} random\n")
    measures = {"map", "Rprec", "bpref", "recip_rank", "infAP", "binG", "G", "ndcg", "ndcg_rel", "set_P", "set_map"}
    measures |= {"P", "recall", "ndcg_cut", "map_cut", "success", "relative_P", "num_ret", "num_rel_ret", "set_F"}
    expected = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=level).evaluate(scores)
    words = [f"-m{name}" for name in sorted(measures)]
    lines = list(fields(printed("-q", f"-l{level}", *words, str(tmp_path / "qrels"), str(tmp_path / "run"))))
    ours = {(query, name): value for name, query, value in lines if query != "all"}
    assert ours == {
        (query, name): decimals(value) if "." in ours[query, name] else str(int(value))
        for query, values in expected.items()
        for name, value in values.items()
    }
    assert [query for _, query, _ in lines] == [*sorted(query for query, _ in ours), *["all"] * len(values_of(lines))]


def values_of(lines: list[tuple[str, str, str]]) -> list[str]:
    return [value for _, query, value in lines if query == "all"]


def write(path: Path, values: Mapping[str, Mapping[str, float]], line: str) -> None:
    text = "".join(
        line.format(query=query, doc_id=doc_id, value=value)
        for query, of_query in values.items()
        for doc_id, value in of_query.items()
    )
    path.write_text(text, encoding="utf-8")


def test_all_measures_of_all_trec_read_the_tables_as_often_as_one() -> None:
    """All measures together read the run once, and once more to count its documents."""
    measures = measures_of("all_trec")
    assert len(measures) > 90

    def scans(measures: list[str]) -> Counter[str]:
        def plan(state: Session) -> tuple[str, list[str]]:
            options = EvaluationOptions(tuple(parse_measures(measures)), "docid_desc", "zero", check=False)
            query = bind(state, "run", "qrels", options).query(options.measures, averaged=True)
            return str(state.con.execute(f"explain (format json) {query}").fetchall()[0][1]), []

        return Counter(re.findall(r'"Table": "[^"]*?(\w+)"', with_warnings(con, plan)))

    with duckdb.connect() as con:
        con.execute(
            "create table run as select 'q' as query_id, 'd' || i as doc_id, i + 1 as rank from range(100) as t(i)"
        )
        con.execute("create table qrels as select query_id, doc_id, rank % 3 as relevance from run where rank % 4 < 2")
        assert scans(["AP"])["run"] == 1
        assert scans(["AP", "num_ret"])["run"] == 2
        assert scans(measures) == scans(["AP", "num_ret"])


# Options


@pytest.mark.slow
def test_options_together() -> None:
    summary = printed(QRELS, BM25)
    assert summary.startswith("runid                 \tall\tbm25\nnum_q                 \tall\t6\n")
    assert printed("-q", QRELS, BM25).endswith(summary)
    assert printed("-n", QRELS, BM25) == ""
    assert printed("-q", "-n", QRELS, BM25) + summary == printed("-q", QRELS, BM25)
    assert printed("-m", "official", QRELS, BM25) == summary
    # Each query once, in byte order, then all queries.
    lines = list(fields(printed("-qc", "-mnum_q", "-mmap", QRELS, BM25)))
    assert [(name, query) for name, query, _ in lines] == [
        *(("map", query) for query in ("q1", "q2", "q3", "q4", "q5", "q6")),
        ("num_q", "all"),
        ("map", "all"),
    ]


def test_measures_are_printed_once_and_in_the_order_of_trec_eval() -> None:
    words = ["-m", "success.10,1", "-m", "P.5", "-m", "map", "-m", "P.1,5", "-m", "set", "-m", "map"]
    names = [name for name, _, _ in fields(printed(*words, QRELS, BM25))]
    assert names == [
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "P_1", "P_5", "utility"),
        *("success_1", "success_10", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    ]


def test_depth_cuts_before_unjudged_documents_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 b 1\nq 0 c 1\nq 0 d -1\n", encoding="utf-8")
    text = "".join(f"q Q0 {doc_id} 0 {4 - number} r\n" for number, doc_id in enumerate("abdc"))
    (tmp_path / "run").write_text(text + "p Q0 a 0 1 r\n", encoding="utf-8")
    words = [
        "-n",
        "-q",
        "-m",
        "num_ret",
        "-m",
        "map",
        "-m",
        "relstring",
        str(tmp_path / "qrels"),
        str(tmp_path / "run"),
    ]

    def values(*options: str) -> list[str]:
        return [value for _, _, value in fields(printed(*options, *words))]

    assert values() == ["4", "0.5000", "'-1.1'"]
    assert values("-J") == ["2", "1.0000", "'11'"]
    assert values("-M3") == ["3", "0.2500", "'-1.'"]
    assert values("-J", "-M3") == ["1", "0.5000", "'1'"]
    # All documents of the query are removed, but the query counts.
    assert values("-J", "-M1") == ["0", "0.0000", "''"]


def test_queries_that_the_run_lacks(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\nq2 0 b 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("q1 Q0 a 0 1 r\nq3 Q0 a 0 1 r\n", encoding="utf-8")
    words = ["-q", "-mset_P", "-mnum_rel", "-mgm_map", str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert list(fields(printed(*words))) == [
        ("num_rel", "q1", "1"),
        ("set_P", "q1", "1.0000"),
        ("num_rel", "all", "1"),
        ("gm_map", "all", "1.0000"),
        ("set_P", "all", "1.0000"),
    ]
    assert list(fields(printed("-c", *words))) == [
        ("num_rel", "q1", "1"),
        ("set_P", "q1", "1.0000"),
        ("num_rel", "q2", "2"),
        ("set_P", "q2", "0.0000"),
        ("num_rel", "all", "3"),
        ("gm_map", "all", f"{(1 * 1e-5) ** 0.5:.4f}"),
        ("set_P", "all", "0.5000"),
    ]


def test_other_files_and_ids(tmp_path: Path) -> None:
    """Ranks of a table are used unchanged, and the run has the name of its file."""
    (tmp_path / "mine.csv").write_text("query_id,doc_id,rank\n10,a,2\n10,b,1\n9,a,1\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("10 0 a 1\n9 0 a 1\n", encoding="utf-8")
    words = ["-q", "-mrunid", "-mrecip_rank", str(tmp_path / "qrels"), str(tmp_path / "mine.csv")]
    assert printed(*words).splitlines() == [
        "recip_rank            \t10\t0.5000",
        "recip_rank            \t9\t1.0000",
        "runid                 \tall\tmine",
        "recip_rank            \tall\t0.7500",
    ]


# Errors


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mapp", "unknown measure 'mapp'; did you mean map"),
        ("P_5", "unknown measure 'P_5'; did you mean P? Write parameters after a point, as in P.5,10"),
        ("ndcg_cut_10", "did you mean ndcg_cut"),
        ("xyzzy", "unknown measure 'xyzzy'; choose one of official, set, all_trec, runid"),
        ("all_trec.5", "unknown measure 'all_trec.5'"),
        ("P.five", "P takes numbers, as in P.5,10"),
        ("P.2.5", "k must be an integer from 1, got 2.5"),
        ("P.0", "k must be an integer from 1, got 0"),
        ("relstring.x", "relstring takes a number of documents, as in relstring.10, got 'x'"),
        ("map.5", "map.5: map takes no list of numbers"),
        ("set_F.1,2", "set_F takes at most 1 parameter: beta_squared"),
        ("rbp.q=0.5", "RBP has no parameter 'q'"),
        ("map.1=2", "map.1=2: only G, dcg, ideal_dcg, ndcg, ndcg_rel, Rndcg, rbp take gains"),
        ("ndcg_cut.1=3", "ndcg_cut takes numbers, as in ndcg_cut.5,10"),
        ("ndcg.1=-2", "ndcg.1=-2: write a gain as GRADE=GAIN, with numbers from 0, got '1=-2'"),
        ("ndcg.-1=2", "ndcg.-1=2: write a gain as GRADE=GAIN, with numbers from 0, got '-1=2'"),
        ("rbp.1=x", "rbp.1=x: write a gain as GRADE=GAIN, with numbers from 0, got '1=x'"),
        ("11pt_avg.a", "11pt_avg takes levels of recall, as in 11pt_avg.0.2,0.5"),
        ("11pt_avg..5,.2", "11pt_avg..5,.2: give the levels of recall in ascending order"),
        ("11pt_avg.0.5,2", "recall must be a number from 0 to 1, got 2"),
    ],
)
def test_unknown_measures(name: str, message: str) -> None:
    result = run("-m", name, QRELS, BM25)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_nothing_in_common(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("other 0 a 1\n", encoding="utf-8")
    result = run(str(tmp_path / "qrels"), BM25)
    assert result.exit_code == 2
    assert "no query of the run is judged" in result.stderr


# Comments, fractions, options


@pytest.mark.parametrize("blank", [" ", "  "])
def test_comments_and_fractions_of_grades(blank: str, tmp_path: Path) -> None:
    lines = {
        "run": ["# a run", "#q Q0 a 1 9.0 t", "q Q0 a 1 2.0 t", "#", "q Q0 b 2 1.0 t"],
        "qrels": ["# judgments", "q 0 a 0.9", "q 0 b 1.7", "#q 0 b 1", "q 0 c -0.5"],
    }
    for name, texts in lines.items():
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts).replace(" ", blank), encoding="utf-8")
    found = [value for *_, value in fields(printed(str(tmp_path / "qrels"), str(tmp_path / "run"), "-mmap", "-mndcg"))]
    assert found == ["0.5000", "0.6309"]
    (tmp_path / "run").write_text("# a run\nq Q0 a 1 2.0\n", encoding="utf-8")
    assert "run, line 2: 5 columns" in run(str(tmp_path / "qrels"), str(tmp_path / "run")).stderr


def test_long_options() -> None:
    short = ["-q", "-c", "-n", "-J", "-l", "2", "-M", "3", "-m", "map"]
    long = ["--query_eval_wanted", "--complete_rel_info_wanted", "--nosummary", "--Judged_docs_only"]
    long += ["--level_for_rel", "2", "--Max_retrieved_docs_per_topic", "3", "--measure", "map"]
    assert printed(QRELS, BM25, *long) == printed(QRELS, BM25, *short)


def test_the_number_of_documents_in_the_collection() -> None:
    found = {
        size: [float(value) for *_, value in fields(printed(QRELS, BM25, "-q", "-mutility.0,0,0,1", "-N", size))]
        for size in ("1000", "2000")
    }
    assert [b - a for a, b in zip(found["1000"], found["2000"], strict=True)] == [1000.0] * len(found["1000"])

"""Golden values of trec_eval, ndeval, gdeval and learning-to-rank libraries on real runs.

The data are not part of the project: they are read from ../shared/data next to the checkout, or from LTR_SQL_DATA.
Every file there is an input, is compared value by value, or is listed in NOT_COMPARED with the reason. Every measure
and column of a file is compared, or listed as one without a measure in ltr_sql. Anything else fails.
"""

import csv
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import duckdb
import pandas as pd
import pytest
from support.reference_values import DATA, needs
from support.trec_eval_outputs import TREC_EVAL, TrecEval, read_text

import ltr_sql
from ltr_sql.catalogue.conventions import conventions
from ltr_sql.catalogue.measures import definitions
from ltr_sql.rendering.measure_columns import Column, Pairs
from ltr_sql.rendering.renderer import measures_query
from ltr_sql.rendering.templates import CallTime, SqlValue

EXACT = 1e-12
MEAN = "all"

pytestmark = [
    needs(DATA),
    # Runs here lack judged queries and have queries without judgments, which test_check.py tests.
    pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning"),
]


# Reading the files


@cache
def read_run(name: str) -> pd.DataFrame:
    """Read a TREC run with its ranks. Text after the sixth column is ignored, as in trec_eval."""
    fields = [line.split() for line in read_text(name).splitlines()]
    frame = pd.DataFrame([line[:6] for line in fields], columns=["query_id", "q0", "doc_id", "rank", "score", "_"])
    return frame[["query_id", "doc_id", "rank", "score"]].astype({"rank": "int64", "score": "float64"})


@cache
def read_qrels(name: str) -> pd.DataFrame:
    fields = [line.split() for line in read_text(name).splitlines()]
    frame = pd.DataFrame(fields, columns=["query_id", "iteration", "doc_id", "relevance"])
    return frame[["query_id", "doc_id", "relevance"]].astype({"relevance": "float64"})


@dataclass(frozen=True)
class Printed:
    """A value that a tool printed for a topic; `all` is the mean over topics."""

    measure: str
    topic: str
    value: str


def read_trec_eval(name: str) -> list[Printed]:
    """Parse the lines of a file of trec_eval: measure, blanks, tab, topic, tab, value."""
    lines = []
    for number, line in enumerate(read_text(name).splitlines(), start=1):
        match = re.fullmatch(r"(?P<measure>\S+) *\t(?P<topic>\S+)\t(?P<value>\S+)", line)
        assert match is not None, f"{name}:{number}: not a line of trec_eval: {line!r}"
        lines.append(Printed(**match.groupdict()))
    return lines


def read_table(name: str) -> tuple[list[str], list[dict[str, str]]]:
    """Return the columns and rows of a CSV file."""
    reader = csv.DictReader(read_text(name).splitlines(), strict=True)
    rows = list(reader)
    columns = list(reader.fieldnames or [])
    assert len(set(columns)) == len(columns), f"{name}: repeated columns {columns}"
    assert all(None not in row and None not in row.values() for row in rows), f"{name}: rows of unequal length"
    return columns, rows


# Comparing


def evaluate_topics(
    run: Any,
    qrels: Any,
    measures: Mapping[str, str],
    convention: str,
    mean_over: str | None = None,
    topics_of: str | None = None,
) -> dict[tuple[str, str], float]:
    """Return our value for each topic and for the mean, by the tool's measure name and topic.

    - `measures`: our measure string for each name of the tool; `convention`: the tool.
    - `mean_over`, `topics_of`: treatment of missing topics in the mean, and in the printed topics.
    """
    given: dict[str, Any] = {"qrels": qrels, "convention": convention}
    topics = ltr_sql.evaluate(run, list(measures.values()), by_query=True, missing=topics_of, **given)
    means = ltr_sql.evaluate(run, list(measures.values()), missing=mean_over, **given)
    assert len(means) == 1
    values = {
        (name, str(topic)): float(value)
        for name, text in measures.items()
        for topic, value in zip(topics["query_id"], topics[text], strict=True)
    }
    values.update({(name, MEAN): float(means[text].iloc[0]) for name, text in measures.items()})
    assert values.get(("num_q", MEAN), means["queries"].iloc[0]) == means["queries"].iloc[0]
    return values


def compare(
    expected: Iterable[Printed], values: Mapping[tuple[str, str], float], tolerance: float
) -> tuple[int, float]:
    """Compare values to a tolerance. Return their number and the largest difference."""
    differences = []
    for printed in expected:
        name = (printed.measure, printed.topic)
        assert name in values, f"no value for {name}"
        value, other = values[name], float(printed.value)
        # Compare values above 1 relatively, because they are printed with fewer decimals.
        differences.append((abs(value - other) / max(1.0, abs(other)), name, value, printed.value))
    # NaN is never within the tolerance.
    wrong = [difference for difference in differences if not difference[0] <= tolerance]
    assert not wrong, f"{len(wrong)} of {len(differences)} values differ: {sorted(wrong, reverse=True)[:5]}"
    return len(differences), max(difference for difference, *_ in differences)


# trec_eval

# Names as printed by trec_eval. The text after the last underscore of these names is a cutoff or a level.
AT = re.compile(
    r"(?P<stem>P|recall|map_cut|ndcg_cut|success|relative_P|unj|iprec_at_recall|Rprec_mult)_(?P<at>[0-9.]+)"
)
BINARY = {
    *("P", "recall", "map_cut", "success", "relative_P", "iprec_at_recall", "Rprec_mult", "map", "gm_map", "Rprec"),
    *("recip_rank", "11pt_avg", "bpref", "gm_bpref", "infAP", "binG", "yaap", "utility", "rbp"),
    *("set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    *("num_rel", "num_rel_ret", "num_nonrel_judged_ret"),
}
OTHERS = {"unj", "ndcg_cut", "ndcg", "dcg", "ideal_dcg", "G", "ndcg_rel", "Rndcg", "rbp_resid", "num_q", "num_ret"}
ONLY_MEANS = {"num_q", "gm_map", "gm_bpref"}
GAINS = r"(?P<stem>ndcg|G|ndcg_rel|Rndcg)_[0-9]+=[0-9.]+(?:,[0-9]+=[0-9.]+)+"
GIVEN = {"utility_2,-1,0,0": ("utility", ["rel_ret=2"]), "rbp_resid_p=0.8": ("rbp_resid", ["p=0.8"])}
# Printed values without a measure in ltr_sql.
NOT_HELD = {
    **dict.fromkeys(["runid", "relstring", "relstring_20"], "a text"),
    "11pt_avg_.25,.5,.75": "custom levels, which only the command supports (test_trec_eval_command.py)",
    "rbp_p=0.8,1=0.5,2=1.0": "RBP with gains, which only the command supports (test_trec_eval_command.py)",
}
RESCALED = (
    "trec_eval 10 divides rbp by the largest gain, which it reads from uninitialised memory. On these runs, the "
    "divisor is about the number of relevant documents retrieved. Our RBP has no divisor."
)
BY_LEVEL = "-l sets Rndcg to 0 if no label reaches the level, and does not affect it otherwise"
SCALED_BY_LABEL = "with labels above 1, trec_eval 10 divides each by the largest; RBP is binary"


def measure_string(name: str, made: TrecEval) -> str:
    """Convert a name of trec_eval to a measure string, under the options of a file."""
    stem, given = GIVEN.get(name, (name, []))
    at = ""
    if match := AT.fullmatch(stem):
        stem, at = match["stem"], f"@{match['at']}"
    if match := re.fullmatch(GAINS, stem):
        stem = match["stem"]
    assert stem in BINARY | OTHERS, f"unknown measure {name}"
    # The relevance level affects binary measures only.
    if stem in BINARY and made.rel != 1:
        given = [*given, f"rel={made.rel}"]
    return f"{stem}({', '.join(given)}){at}"


def defect(line: Printed, name: str) -> str | None:
    """Return the reason why our value must differ from trec_eval's, or None."""
    if line.measure == "rbp" and not name.startswith("trec6/"):
        return RESCALED
    if line.measure == "rbp" and name.endswith("aql.txt") and line.topic in ("301", MEAN):
        return SCALED_BY_LABEL
    if line.measure == "Rndcg" and name.endswith("-l2.txt.gz") and line.topic in ("414", MEAN):
        return BY_LEVEL
    return None


def with_gains(qrels: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Map the grades of judgments to the gains in a measure's name, as in ndcg_1=1,2=3."""
    gains = {float(label): float(gain) for label, gain in re.findall(r"([0-9]+)=([0-9.]+)", measure)}
    return qrels.assign(relevance=qrels["relevance"].map(lambda label: gains.get(label, label)))


def changed_ranking(made: TrecEval) -> pd.DataFrame:
    """Rank the run with `ltr.rank_by_score`, and apply -J (remove unjudged documents) and -M (cut after sorting)."""
    run = read_run(made.run).drop(columns="rank")
    if made.judged_only:
        qrels = read_qrels(made.qrels)
        run = run.merge(qrels[qrels["relevance"] >= 0][["query_id", "doc_id"]], on=["query_id", "doc_id"])
    with duckdb.connect() as con:
        ltr_sql.register(con)
        con.register("run", run)
        ranked: pd.DataFrame = con.execute(
            "select query_id, doc_id, rank from ltr.rank_by_score('run', ties := $ties) where rank <= $depth",
            {"ties": conventions()[made.convention].ties, "depth": made.depth or len(run)},
        ).df()
    return ranked


def rankings_of(made: TrecEval) -> Any:
    """Return the rankings to evaluate: the file, unless an option changes the ranking or lines have extra columns."""
    if made.depth is not None or made.judged_only:
        return changed_ranking(made)
    if made.run == "trec6/run.truncated.txt":
        return read_run(made.run).drop(columns="rank")
    return str(DATA / made.run)


def number_held(lines: Sequence[Printed], by_topic: bool) -> int:
    """Return how many values a file must hold: each measure once per topic, and once as the mean."""
    measures = {line.measure for line in lines} - NOT_HELD.keys()
    topics = {line.topic for line in lines} - {MEAN}
    return sum(len(topics) + 1 if by_topic and name not in ONLY_MEANS else 1 for name in measures)


@pytest.mark.default("trec6/expected.trec_eval9.official.txt")
@pytest.mark.parametrize("name", TREC_EVAL)
def test_trec_eval(name: str) -> None:
    made = TREC_EVAL[name]
    lines = read_trec_eval(name)
    assert made.by_topic == any(line.topic != MEAN for line in lines)

    held = [line for line in lines if line.measure not in NOT_HELD]
    measures = {line.measure: measure_string(line.measure, made) for line in held}
    gains = [measure for measure in measures if re.fullmatch(GAINS, measure)]
    run = rankings_of(made)
    values: dict[tuple[str, str], float] = {}
    for qrels, group in [
        (str(DATA / made.qrels), {n: text for n, text in measures.items() if n not in gains}),
        *((with_gains(read_qrels(made.qrels), n), {n: measures[n]}) for n in gains),
    ]:
        if group:
            values |= evaluate_topics(run, qrels, group, made.convention, made.mean_over, made.topics_of)
    if made.by_topic:
        assert {topic for _, topic in values} == {line.topic for line in lines}

    compared = [line for line in held if not defect(line, name)]
    count, largest = compare(compared, values, EXACT if made.printed_exactly else 0.5e-4 + EXACT)
    print(f"{name}: {count} values compared, largest difference {largest:.1e}; {len(lines) - count} listed")
    assert len(held) == number_held(lines, made.by_topic)
    assert count > 0


@pytest.mark.slow
def test_names_of_trec_eval_that_are_not_compared_name_no_measure() -> None:
    names = {line.measure for name in TREC_EVAL for line in read_trec_eval(name)}
    assert names >= NOT_HELD.keys()
    for name in NOT_HELD:
        with pytest.raises(ltr_sql.MeasureError):
            ltr_sql.evaluate({"q": {"d": 1.0}}, [name], qrels={"q": {"d": 1}})


# ndeval and gdeval: one row per topic, and the mean


@dataclass(frozen=True)
class Diversity:
    """Options of ndeval: ranking by the run's ranks, or with -traditional -c by score over all judged topics."""

    alpha: float
    by_score: bool


NDEVAL: dict[str, Diversity] = {
    "web2014/expected.ndeval.alpha0.5.csv": Diversity(0.5, by_score=False),
    "web2014/expected.ndeval.alpha0.9.csv": Diversity(0.9, by_score=False),
    "web2014/expected.ndeval.traditional-c.alpha0.5.csv": Diversity(0.5, by_score=True),
    "web2014/expected.ndeval.traditional-c.alpha0.9.csv": Diversity(0.9, by_score=True),
}
NOTHING = re.compile(r"(?!)")
# ndeval's columns: those that depend on alpha, and the others. At rank 1, which these files lack, ndeval does not
# normalise alpha-DCG and ERR-IA (tests/evaluation/test_peers.py).
NDEVAL_CUTOFFS = ("5", "10", "20")
NDEVAL_BY_ALPHA = (
    *(f"{name}@{k}" for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG") for k in NDEVAL_CUTOFFS),
    *("NRBP", "nNRBP"),
)
NDEVAL_OTHERS = ("MAP-IA", *(f"{name}@{k}" for name in ("P-IA", "strec") for k in NDEVAL_CUTOFFS))
GDEVAL: dict[str, int] = {"web2014/expected.gdeval10.csv": 10, "web2014/expected.gdeval20.csv": 20}


def read_by_topic(name: str, held: re.Pattern[str], not_held: re.Pattern[str]) -> list[Printed]:
    """Read a table with one row per topic, and return the values of the columns in `held`."""
    columns, rows = read_table(name)
    assert columns[:2] == ["runid", "topic"]
    measures = columns[2:]
    unknown = [column for column in measures if not held.fullmatch(column) and not not_held.fullmatch(column)]
    assert not unknown, f"{name}: unknown columns {unknown}"
    topics = [MEAN if row["topic"] == "amean" else row["topic"] for row in rows]
    assert len(set(topics)) == len(topics)
    assert topics[-1] == MEAN
    return [
        Printed(measure, topic, row[measure])
        for topic, row in zip(topics, rows, strict=True)
        for measure in measures
        if held.fullmatch(measure)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("by_score", [False, True])
def test_ndeval(by_score: bool) -> None:
    """One call evaluates the measures of two files, whose alpha differs."""
    measures = {column: column for column in NDEVAL_OTHERS}
    columns: dict[str, dict[str, str]] = {}
    for name, made in NDEVAL.items():
        if made.by_score == by_score:
            columns[name] = {column: column for column in NDEVAL_OTHERS}
            for column in NDEVAL_BY_ALPHA:
                stem, at, k = column.partition("@")
                columns[name][column] = f"{stem}(alpha={made.alpha}){at}{k}"
            measures |= {text: text for text in columns[name].values()}
    run = str(DATA / "web2014/run.txt.gz") if by_score else read_run("web2014/run.txt.gz")
    rule = "zero" if by_score else "skip"
    qrels = str(DATA / "web2014/qrels.subtopics.txt.gz")
    found = evaluate_topics(run, qrels, measures, "ndeval", rule, rule)
    topics = {topic for _, topic in found}

    assert len(columns) == 2
    for name, texts in columns.items():
        values = {(column, topic): found[text, topic] for column, text in texts.items() for topic in topics}
        expected = read_by_topic(name, re.compile("|".join(texts)), NOTHING)
        count, largest = compare(expected, values, EXACT)
        print(f"{name}: {count} values compared, largest difference {largest:.1e}")
        assert topics == {printed.topic for printed in expected}
        assert count == len(texts) * len(topics)


@pytest.mark.default("web2014/expected.gdeval10.csv")
@pytest.mark.parametrize("name", GDEVAL)
def test_gdeval(name: str) -> None:
    k = GDEVAL[name]
    expected = read_by_topic(name, re.compile(rf"ndcg@{k}|err@{k}"), re.compile("never"))
    measures = {measure: measure for measure in (f"ndcg@{k}", f"err@{k}")}
    run, qrels = (str(DATA / f"web2014/{file}.txt.gz") for file in ("run", "qrels"))
    values = evaluate_topics(run, qrels, measures, "gdeval")

    count, largest = compare(expected, values, EXACT)
    print(f"{name}: {count} values compared, largest difference {largest:.1e}")
    topics = {topic for _, topic in values if not math.isnan(values[f"ndcg@{k}", topic])} - {MEAN}
    assert count == 2 * (len(topics) + 1)
    assert {printed.topic for printed in expected} == topics | {MEAN}


# Learning-to-rank libraries, each by the convention of its name. No query of this table is empty.

LAMBDARANK = "lambdarank/expected.libraries.csv"
DISTINCT, TIED = "distinct", "tied"
SCORES = {DISTINCT: "score", TIED: "score_tied"}
UNSTABLE = "ties by an unstable sort"


@dataclass(frozen=True)
class Library:
    """A measure under a convention, which reproduces a row of the table.

    - `binary`: labels are `label > 0`.
    - `shared`: tied documents share a rank, which the measure treats as a tie.
    - `ties`: tie-breaking rule that overrides the convention.
    """

    measure: str
    convention: str
    binary: bool = False
    shared: bool = False
    ties: str | None = None
    columns: Sequence[str] = field(default=(DISTINCT, TIED))


LIBRARIES: dict[str, Library] = {
    **{f"lightgbm {name}@{k}": Library(f"{name}@{k}", "lightgbm") for name in ("ndcg", "map") for k in (1, 5, 10, 50)},
    **{
        f"xgboost {name}": Library(name, "xgboost")
        for name in ("ndcg", "ndcg-", "ndcg@1", "ndcg@5", "ndcg@5-", "ndcg@10")
    },
    **{f"xgboost linear ndcg@{k}": Library(f"ndcg(gain=linear)@{k}", "xgboost") for k in (5, 10)},
    **{
        f"xgboost(bin) {name}": Library(name, "xgboost", binary=True)
        for name in ("map", "map@5", "map@5-", "pre@5", "pre@10")
    },
    **{f"catboost NDCG:top={k}": Library(f"NDCG@{k}", "catboost") for k in (5, 10)},
    **{f"catboost NDCG:top={k};type=Exp": Library(f"NDCG(gain=exponential)@{k}", "catboost") for k in (5, 10)},
    "catboost NDCG:top=5;type=Exp;denominator=Position": Library("NDCG(gain=exponential, discount=rank)@5", "catboost"),
    "catboost DCG:top=5;type=Exp": Library("DCG(gain=exponential)@5", "catboost"),
    "catboost QueryAUC:type=Ranking": Library("OPA(tied=0.5)", "catboost", shared=True),
    "catboost(bin) QueryAUC:type=Classic": Library("QueryAUC", "catboost", binary=True, shared=True),
    **{
        f"catboost(bin) {name}{f':top={k}' if k else ''}": Library(
            f"{measure}@{k}" if k else measure, "catboost", binary=True
        )
        for name, measure, k in [
            ("MRR", "MRR", None),
            ("MRR", "MRR", 5),
            ("MAP", "MAP", 5),
            ("ERR", "ERR", 5),
            ("PFound", "PFound", 5),
            ("PrecisionAt", "PrecisionAt", 5),
            ("RecallAt", "Recall", 5),
        ]
    },
    "sklearn LRAP(bin)": Library("LRAP", "sklearn", binary=True, shared=True, ties="docid_desc"),
    **{f"sklearn ndcg@{k}": Library(f"ndcg@{k}", "sklearn") for k in (5, 10)},
    **{f"sklearn ndcg@{k} exp gains": Library(f"ndcg(gain=exponential)@{k}", "sklearn") for k in (5, 10)},
    # The two tied `distinct` scores have equal labels, so their order does not matter.
    **{
        f"sklearn ndcg@{k} ignore_ties": Library(f"ndcg@{k}", "sklearn", ties="row_order", columns=(DISTINCT,))
        for k in (5, 10)
    },
}

# Deliberately not compared: FILE, or FILE: ROW, or FILE: ROW, COLUMN.
NOT_COMPARED: dict[str, str] = {
    **{f"{LAMBDARANK}: sklearn ndcg@{k} ignore_ties, {TIED}": UNSTABLE for k in (5, 10)},
}


def scored_table(library: Library, column: str) -> pd.DataFrame:
    """Return the input of the libraries as a scored table."""
    columns, rows = read_table("lambdarank/scored.csv")
    assert columns == ["query_id", "doc_id", "label", "score", "score_tied"]
    frame = pd.DataFrame(rows).astype(
        {"doc_id": "int64", "label": "int64", "score": "float64", "score_tied": "float64"}
    )
    relevance = (frame["label"] > 0).astype("int64") if library.binary else frame["label"]
    score = frame[SCORES[column]]
    shared = score.groupby(frame["query_id"]).rank(method="min", ascending=False).astype("int64")
    return pd.DataFrame(
        {
            "query_id": frame["query_id"],
            "doc_id": frame["doc_id"],
            "row_order": frame["doc_id"],
            "relevance": relevance,
            **({"rank": shared} if library.shared else {"score": score}),
        }
    )


@pytest.mark.slow
def test_learning_to_rank_libraries() -> None:
    columns, rows = read_table(LAMBDARANK)
    assert columns == ["", DISTINCT, TIED]
    expected, not_compared = [], set()
    for row in rows:
        for column in (DISTINCT, TIED):
            reasons = {f"{LAMBDARANK}: {row['']}", f"{LAMBDARANK}: {row['']}, {column}"} & NOT_COMPARED.keys()
            compared = row[""] in LIBRARIES and column in LIBRARIES[row[""]].columns
            assert compared == (not reasons), f"{row['']}, {column}: compared {compared}, reasons {reasons}"
            not_compared |= reasons
            if compared:
                expected.append(Printed(row[""], column, row[column]))
    values = {
        (name, column): float(
            ltr_sql.evaluate(
                scored_table(library, column),
                [library.measure],
                ties=library.ties,
                convention=library.convention,
            )[library.measure].iloc[0]
        )
        for name, library in LIBRARIES.items()
        for column in library.columns
    }

    count, _ = compare(expected, values, EXACT)
    assert count == len(values)
    assert not_compared == {name for name in NOT_COMPARED if name.startswith(LAMBDARANK)}


def test_assumptions_about_the_table_of_libraries() -> None:
    table = scored_table(LIBRARIES["lightgbm ndcg@5"], DISTINCT)
    queries = table.groupby("query_id")
    assert queries["relevance"].max().min() > 0
    assert (queries.size().min(), queries.size().max()) == (6, 24)
    tied = table[table.duplicated(["query_id", "score"], keep=False)]
    assert (tied.groupby(["query_id", "score"])["relevance"].nunique() == 1).all()


# Rank-biased overlap

RBO_FILE = "rbo/expected.csv"
RBO_TOLERANCE = 1e-10


def read_ranking(text: str) -> dict[str, int]:
    """Return the rank of each item. Items in parentheses are tied, and share the first of their positions."""
    ranks: dict[str, int] = {}
    for group in re.findall(r"\(([^)]*)\)|(\S+)", text):
        start = len(ranks) + 1
        ranks.update(dict.fromkeys((group[0] or group[1]).split(), start))
    return ranks


def read_pairs_of_rankings() -> tuple[pd.DataFrame, list[dict[str, str]]]:
    """Return the rankings of all rows as pairs, with the row number as query_id, and the rows."""
    _, rows = read_table(RBO_FILE)
    pairs = []
    for number, row in enumerate(rows):
        x, y = read_ranking(row["x"]), read_ranking(row["y"])
        pairs += [(number, float(row["p"]), item, x.get(item), y.get(item)) for item in x.keys() | y.keys()]
    frame = pd.DataFrame(pairs, columns=["query_id", "p", "doc_id", "rank_a", "rank_b"])
    return frame.astype({"rank_a": "Int64", "rank_b": "Int64"}), rows


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["w", "a", "b"])
def test_rank_biased_overlap(ties: str) -> None:
    pairs, rows = read_pairs_of_rankings()
    assert len({row["p"] for row in rows}) == len(rows) == 10_000
    kinds = ("ext", "min", "max", "res")
    definition = definitions()["rbo"]
    # Each row has a different p: make p a grouping column, so that the template can read it.
    values: dict[str, SqlValue] = {"k": None, "p": CallTime("d.__ltr_key_1"), "ties": ties}
    columns = [Column(definition, {**values, "kind": kind}, kind) for kind in kinds]
    query = measures_query(columns, Pairs("pairs", stored=True), ("p",), averaged=False)
    with duckdb.connect() as con:
        con.register("pairs", pairs)
        found = con.execute(f"select query_id, {', '.join(kinds)} from ({query}) order by query_id").fetchall()
    assert [number for number, *_ in found] == list(range(len(rows)))
    wrong = [
        (number, kind, value, row[f"{ties}.{kind}"])
        for (number, *of_kinds), row in zip(found, rows, strict=True)
        for kind, value in zip(kinds, of_kinds, strict=True)
        if not abs(value - float(row[f"{ties}.{kind}"])) <= RBO_TOLERANCE
    ]
    assert not wrong, f"{len(wrong)} values differ: {wrong[:5]}"


# All files


def test_every_file_is_read_or_named() -> None:
    inputs = {
        "README.md",
        "lambdarank/scored.csv",
        "web2014/qrels.subtopics.txt.gz",
        *(made.run for made in TREC_EVAL.values()),
        *(made.qrels for made in TREC_EVAL.values()),
    }
    compared = {*TREC_EVAL, *NDEVAL, *GDEVAL, LAMBDARANK, RBO_FILE}
    named = {name for name in NOT_COMPARED if not name.startswith(LAMBDARANK)}
    files = {path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if path.is_file()}
    assert files == inputs | compared | named


# Acceptance test of the first release

ACCEPTED = {
    "AP": 0.29981778028296097,
    "nDCG@10": 0.44087380114947661,
    "RR": 0.68590386687534088,
    "P@10": 0.451,
    "R@1000": 0.82259556657622102,
    "Success@1": 0.57,
}


@pytest.mark.slow
def test_acceptance_in_python() -> None:
    result = ltr_sql.evaluate(
        str(DATA / "robust03/run.aplrob03a.txt.gz"), list(ACCEPTED), qrels=str(DATA / "robust03/qrels.txt.gz")
    )
    assert list(result.columns) == ["queries", *ACCEPTED]
    assert result["queries"].tolist() == [100]
    assert {name: result[name].iloc[0] for name in ACCEPTED} == pytest.approx(ACCEPTED, rel=0, abs=EXACT)


@pytest.mark.slow
def test_acceptance_in_sql() -> None:
    run, qrels = DATA / "robust03/run.aplrob03a.txt.gz", DATA / "robust03/qrels.txt.gz"
    text = "header = false, quote = '', escape = '', auto_detect = false"
    with duckdb.connect() as con:
        ltr_sql.register(con)
        con.execute(
            f"""
            create table run as
            select query_id, doc_id, score
            from read_csv('{run}', delim = '\t', {text}, columns = {{'query_id': 'varchar', 'q0': 'varchar',
                'doc_id': 'varchar', 'given_rank': 'integer', 'score': 'double', 'run_id': 'varchar'}})
            """
        )
        con.execute(
            f"""
            create table qrels as
            select query_id, doc_id, relevance
            from read_csv('{qrels}', delim = ' ', {text}, columns = {{'query_id': 'varchar', 'iteration': 'varchar',
                'doc_id': 'varchar', 'relevance': 'integer'}})
            """
        )
        con.execute("create table judged as from ltr.judge('run', 'qrels')")
        row = con.execute("from ltr.evaluate('judged', $measures)", {"measures": list(ACCEPTED)}).fetchone()
        alone = con.execute(
            """
            select
                (select avg(ap) from ltr.ap('judged')),
                (select avg(ndcg) from ltr.ndcg('judged', k := 10)),
                (select avg(rr) from ltr.rr('judged')),
                (select avg(p) from ltr.p('judged', k := 10)),
                (select avg(r) from ltr.r('judged', k := 1000)),
                (select avg(success) from ltr.success('judged', k := 1))
            """
        ).fetchone()
    assert row is not None
    assert row == pytest.approx((100, *ACCEPTED.values()), rel=0, abs=EXACT)
    assert alone == pytest.approx(tuple(ACCEPTED.values()), rel=0, abs=EXACT)


# cwl_eval and the program of Compat's authors, to 6 digits: one query with 8 retrieved and 3 further judged documents


def test_a_thousand_ranks() -> None:
    grades = [1, 0, None, 3, 2, 0, -1, 1]
    rows = [("q", rank, grade) for rank, grade in enumerate(grades, 1)] + [("q", None, grade) for grade in (2, 0, 1)]
    table = pd.DataFrame(rows, columns=["query_id", "rank", "relevance"]).astype({"rank": "Int64"})
    expected = {
        "INST(max_rel=3)": 0.251823,
        "INST(T=2, max_rel=3)": 0.218467,
        "INSQ(max_rel=3)": 0.226680,
        "NERR10(p=0.9, max_rel=3)": 0.312008,
        "NERR11(max_rel=3)": 0.280321,
        "Compat(depth=1000)": 0.445047,
    }
    values = ltr_sql.evaluate(table, list(expected)).iloc[0]
    assert {name: round(values[name], 6) for name in expected} == expected

"""Compare rankings by `ltr_sql.agreement` and `ltr.compare_rankings`, and check them against the oracle."""

import math
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import combinations, pairwise, permutations
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from support.strategies import drawn, frame, joined, pairs

import ltr_sql
from ltr_sql import oracle
from ltr_sql.verification import TOLERANCE, difference

MEASURES = ["KendallTau", "RBO(p=0.8)", "Overlap@5", "Jaccard@5", "Spearman", "Footrule@10", "FaginK@10", "Pearson@9"]
SYSTEMS = ("bm25", "dense", "mixed")


def runs(seed: int, queries: int = 12) -> dict[str, pd.DataFrame]:
    """Return runs of several systems over similar queries and documents, with tied scores."""
    rng = np.random.default_rng(seed)
    found = {}
    for number, system in enumerate(SYSTEMS):
        rows = [
            (f"q{query}", f"d{document}", float(rng.integers(0, 20)))
            for query in range(number, queries)
            for document in rng.choice(40, size=int(rng.integers(0, 30)), replace=False)
        ]
        found[system] = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    return found


def ranks(run: pd.DataFrame, query: str) -> dict[str, int]:
    """Rank the documents of a query by descending score, then descending doc_id."""
    rows = run[run["query_id"] == query]
    ordered = sorted(zip(rows["score"], rows["doc_id"], strict=True), reverse=True)
    return {document: place for place, (_, document) in enumerate(ordered, 1)}


def scores_of(run: pd.DataFrame, query: str) -> dict[str, float]:
    rows = run[run["query_id"] == query]
    return dict(zip(rows["doc_id"], rows["score"], strict=True))


def expected(a: pd.DataFrame, b: pd.DataFrame) -> dict[str, list[float]]:
    """Return the oracle's values of MEASURES for each query of either run."""
    values = {}
    for query in {*a["query_id"], *b["query_id"]}:
        in_a, in_b = ranks(a, query), ranks(b, query)
        documents = [*in_a, *(document for document in in_b if document not in in_a)]
        positions = [in_a.get(d) for d in documents], [in_b.get(d) for d in documents]
        scores = [[scores_of(run, query).get(d) for d in documents] for run in (a, b)]
        values[query] = [
            oracle.kendall_tau(*positions),
            oracle.rbo(*positions, p=0.8),
            oracle.overlap(*positions, k=5),
            oracle.jaccard(*positions, k=5),
            oracle.spearman(*positions),
            oracle.footrule(*positions, k=10),
            oracle.fagin_k(*positions, k=10),
            oracle.pearson(*positions, *scores, k=9),
        ]
    return values


def check(rows: Iterable[Sequence[Any]], values: dict[str, list[float]]) -> None:
    found = list(rows)
    assert {row[0] for row in found} == values.keys()
    assert len(found) == len(values)
    for query, *row in found:
        for text, value, right in zip(MEASURES, row, values[query], strict=True):
            assert difference(value, right) <= TOLERANCE, (query, text, value, right)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_two_runs(seed: int, con: duckdb.DuckDBPyConnection) -> None:
    made = runs(seed)
    a, b = made["bm25"], made["dense"]
    values = expected(a, b)
    by_query = ltr_sql.agreement(a, b, MEASURES, by_query=True)
    check(by_query.itertuples(index=False, name=None), values)
    means = ltr_sql.agreement(a, b, MEASURES)
    assert means["queries"].tolist() == [len(values)]
    for text in MEASURES:
        assert means[text][0] == pytest.approx(by_query[text].mean(), abs=TOLERANCE)
    con.register("a", a)
    con.register("b", b)
    check(con.execute("from ltr.compare_rankings('a', 'b', ?)", [MEASURES]).fetchall(), values)


@pytest.mark.slow
def test_every_two_of_several_systems() -> None:
    made = runs(9)
    found = ltr_sql.agreement(made, measures=MEASURES, by_query=True)
    for a, b in combinations(SYSTEMS, 2):
        rows = found[(found["system_a"] == a) & (found["system_b"] == b)]
        check(
            rows.drop(columns=["system_a", "system_b"]).itertuples(index=False, name=None), expected(made[a], made[b])
        )
    means = ltr_sql.agreement(made, measures=["RBO"])
    assert list(zip(means["system_a"], means["system_b"], strict=True)) == list(combinations(SYSTEMS, 2))


@pytest.mark.slow
def test_batches_of_pairs_give_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [ltr_sql.agreement(runs(9), measures=MEASURES, by_query=by_query) for by_query in (False, True)]
    monkeypatch.setattr(import_module("ltr_sql.evaluation.agreement"), "_ROWS_OF_A_BATCH", 300)
    for by_query, values in zip((False, True), whole, strict=True):
        pd.testing.assert_frame_equal(ltr_sql.agreement(runs(9), measures=MEASURES, by_query=by_query), values)


@pytest.mark.slow
def test_one_table_of_several_systems_and_folds_with_ranks() -> None:
    made = runs(3)
    tables = []
    for fold, seed in (("x", 3), ("y", 4)):
        for system, run in runs(seed).items():
            rank = [ranks(run, query)[document] for query, document in zip(run["query_id"], run["doc_id"], strict=True)]
            tables.append(run.assign(rank=rank, system=system, fold=fold))
    found = ltr_sql.agreement(pd.concat(tables), measures=MEASURES, keys=["fold"], by_query=True)
    rows = found[(found["fold"] == "x") & (found["system_a"] == "bm25") & (found["system_b"] == "mixed")]
    check(
        rows.drop(columns=["system_a", "system_b", "fold"]).itertuples(index=False, name=None),
        expected(made["bm25"], made["mixed"]),
    )
    assert set(found["fold"]) == {"x", "y"}


@pytest.mark.slow
def test_two_dicts_of_systems_are_compared_by_name() -> None:
    before, after = runs(1), runs(2)
    found = ltr_sql.agreement(before, after, ["Overlap@5", "RBO"])
    assert found["system"].tolist() == list(SYSTEMS)
    for system in SYSTEMS:
        alone = ltr_sql.agreement(before[system], after[system], ["Overlap@5", "RBO"])
        # Threads may sum the twelve queries in another order.
        assert alone["RBO"][0] == pytest.approx(found.set_index("system")["RBO"][system], rel=0, abs=TOLERANCE)


@pytest.mark.default("ranked2")
@pytest.mark.parametrize("ranked", [(True, False), (False, True), (True, True)])
def test_ranks_and_scores_of_one_run_are_both_kept(ranked: tuple[bool, bool], con: duckdb.DuckDBPyConnection) -> None:
    """Ranks may differ from the order of the scores: ranks define the top k, scores the correlation."""
    rng = np.random.default_rng(4)
    frames, columns = [], []
    for has_rank in ranked:
        score = rng.permutation(30).astype(float)
        rank = rng.permutation(30) + 1 if has_rank else (30 - score).astype(int)
        run = pd.DataFrame({"query_id": "q", "doc_id": [f"d{i}" for i in range(30)], "score": score, "rank": rank})
        frames.append(run if has_rank else run.drop(columns="rank"))
        columns.append((rank.tolist(), score.tolist()))
    (rank_a, score_a), (rank_b, score_b) = columns
    texts = ["Pearson", "Pearson@20", "KendallTau@20"]
    right = [
        oracle.pearson(rank_a, rank_b, score_a, score_b),
        oracle.pearson(rank_a, rank_b, score_a, score_b, k=20),
        oracle.kendall_tau(rank_a, rank_b, k=20),
    ]
    found = ltr_sql.agreement(frames[0], frames[1], texts)
    assert found[texts].to_numpy()[0] == pytest.approx(right, rel=0, abs=TOLERANCE)
    for name, run in zip("ab", frames, strict=True):
        con.register(name, run)
    ((_, *values),) = con.execute("from ltr.compare_rankings('a', 'b', ?)", [texts]).fetchall()
    assert values == pytest.approx(right, rel=0, abs=TOLERANCE)
    with_rank = " ".join(f"run_{name}" for name, has_rank in zip("ab", ranked, strict=True) if has_rank)
    pair = ltr_sql.render("pair", run_a="a", run_b="b", has_rank=with_rank, has_score="run_a run_b")
    con.execute(f"create table p as {pair}")
    ((_, *values),) = con.execute(ltr_sql.render(texts, pairs="p")).fetchall()
    assert values == pytest.approx(right, rel=0, abs=TOLERANCE)


@pytest.mark.slow
def test_shares_stay_within_0_and_1_with_ties(con: duckdb.DuckDBPyConnection) -> None:
    cuts = ["", "@1", "@2", "@5", "@40"]
    names = [f"{name}{cut}" for name in ("Overlap", "AverageOverlap", "Jaccard", "RBO") for cut in cuts]
    rows = joined(drawn(pairs(), 100))
    table = frame(rows, ["example", "query_id", "rank_a", "rank_b"])
    found = ltr_sql.evaluate(table, names, keys=["example"], by_query=True, check=False, con=con)
    assert len(found) > 100
    values = found[names].to_numpy().ravel()
    values = values[~np.isnan(values)]
    assert ((values >= 0) & (values <= 1 + TOLERANCE)).all()


def test_a_ranking_with_ties_overlaps_fully_with_itself() -> None:
    ranks = [1, 1, 1, 4, 4, 6]
    tied = pd.DataFrame({"query_id": "q", "rank_a": ranks, "rank_b": ranks})
    names = [f"{name}@{k}" for name in ("Overlap", "AO", "Jaccard") for k in range(1, 7)]
    assert ltr_sql.evaluate(tied, names)[names].to_numpy().ravel() == pytest.approx(1, rel=0, abs=TOLERANCE)


def test_average_overlap_far_below_the_documents() -> None:
    """A rank of one million must not create one million rows."""
    pairs_far = pd.DataFrame({"query_id": "q", "rank_a": [1, 10, 10**6], "rank_b": [2, 10, 10**6]})
    depths = np.arange(1, 10**6 + 1)
    overlap = (depths >= 2).astype(float) + (depths >= 10) + (depths >= 10**6)
    (value,) = ltr_sql.evaluate(pairs_far, ["AO"])["AO"]
    assert value == pytest.approx((overlap / depths).mean(), rel=1e-12, abs=0)


# Definitions by brute force

Lists = dict[str, tuple[list[str], list[str]]]


def top_lists(seed: int) -> Lists:
    """Return two top-k lists per query, of different lengths, with few to many common items."""
    rng = np.random.default_rng(seed)
    found = {}
    for query in range(60):
        items = [f"d{i}" for i in range(int(rng.integers(1, 40)))]
        a, b = (rng.permutation(items)[: int(rng.integers(0, 25))].tolist() for _ in range(2))
        found[f"q{query}"] = (a, b)
    return {query: lists for query, lists in found.items() if lists[0] or lists[1]}


def as_pairs(lists: Lists) -> pd.DataFrame:
    rows = [
        (query, *(ranked.index(item) + 1 if item in ranked else None for ranked in (a, b)))
        for query, (a, b) in lists.items()
        for item in {*a, *b}
    ]
    return pd.DataFrame(rows, columns=["query_id", "rank_a", "rank_b"]).astype({"rank_a": "Int64", "rank_b": "Int64"})


def fagin_of_four_cases(a: list[str], b: list[str], p: float) -> float:
    """Compute the distance from the four cases of Fagin, Kumar and Sivakumar 2003, section 3.1."""
    total = 0.0
    for pair in combinations(sorted({*a, *b}), 2):
        in_a, in_b = ([item for item in pair if item in ranked] for ranked in (a, b))
        if len(in_a) == len(in_b) == 2:
            total += (a.index(pair[0]) < a.index(pair[1])) != (b.index(pair[0]) < b.index(pair[1]))
        elif len(in_a) == len(in_b) == 1:
            total += in_a != in_b
        elif 2 in (len(in_a), len(in_b)) and 1 in (len(in_a), len(in_b)):
            whole, (known,) = (a, in_b) if len(in_a) == 2 else (b, in_a)
            other = next(item for item in pair if item != known)
            total += whole.index(other) < whole.index(known)
        else:
            total += p
    return total


def footrule_with_location(a: list[str], b: list[str], location: int) -> float:
    def place(ranked: list[str], item: str) -> int:
        return ranked.index(item) + 1 if item in ranked else location

    return float(sum(abs(place(a, item) - place(b, item)) for item in {*a, *b}))


def tau_ap_in_order(a: list[str], b: list[str]) -> float:
    """Compute tau_AP of Yilmaz, Aslam and Robertson 2008, over the items of both lists; b is the reference."""
    shared = [item for item in a if item in b]
    if len(shared) < 2:
        return math.nan
    right = [
        sum(b.index(above) < b.index(item) for above in shared[:i]) / i for i, item in enumerate(shared[1:], start=1)
    ]
    return 2 * sum(right) / (len(shared) - 1) - 1


def signs(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Return, for each pair of items, 1 if it is concordant, -1 if it is discordant, 0 if it is tied."""
    return [float(np.sign((x - y) * (v - w))) for (x, v), (y, w) in combinations(list(zip(a, b, strict=True)), 2)]


def gamma_by_pairs(a: Sequence[float], b: Sequence[float]) -> float:
    untied = [sign for sign in signs(a, b) if sign]
    return sum(untied) / len(untied) if untied else math.nan


def assert_values(found: pd.DataFrame, column: str, right: dict[str, float]) -> None:
    values = dict(zip(found["query_id"], found[column], strict=True))
    assert values.keys() == right.keys()
    for query, value in values.items():
        assert difference(value, right[query]) <= TOLERANCE, (query, column, value, right[query])


@pytest.mark.default("2")
@pytest.mark.parametrize("seed", range(3))
def test_measures_of_top_lists_equal_their_definitions(seed: int) -> None:
    lists = top_lists(seed)
    assert any(set(a) & set(b) and set(a) ^ set(b) for a, b in lists.values())
    texts = [
        *(f"FaginK(p={p})" for p in (0, 0.5, 1)),
        "Footrule(location=26)",
        "Footrule@7",
        "TauAP",
        "TauAP(variant=b)",
    ]
    found = ltr_sql.evaluate(as_pairs(lists), [*texts, "Gamma"], by_query=True)
    for p in (0, 0.5, 1):
        assert_values(found, f"FaginK(p={p})", {q: fagin_of_four_cases(a, b, p) for q, (a, b) in lists.items()})
    assert_values(found, "Footrule(location=26)", {q: footrule_with_location(a, b, 26) for q, (a, b) in lists.items()})
    assert_values(found, "Footrule@7", {q: footrule_with_location(a[:7], b[:7], 8) for q, (a, b) in lists.items()})
    one_way = {q: tau_ap_in_order(a, b) for q, (a, b) in lists.items()}
    assert_values(found, "TauAP", one_way)
    both_ways = {q: (one_way[q] + tau_ap_in_order(b, a)) / 2 for q, (a, b) in lists.items()}
    assert_values(found, "TauAP(variant=b)", both_ways)
    shared = {q: [item for item in a if item in b] for q, (a, b) in lists.items()}
    gamma = {q: gamma_by_pairs(range(len(s)), [lists[q][1].index(item) for item in s]) for q, s in shared.items()}
    assert_values(found, "Gamma", gamma)


def test_ties_equal_their_definitions() -> None:
    """tau_AP is the mean over all orders of tied documents; its variant b and gamma follow their formulas."""
    rng = np.random.default_rng(5)
    rows, mean, as_equals, gamma = [], {}, {}, {}
    for query in range(40):
        n = int(rng.integers(2, 7))
        levels = rng.integers(1, 4, size=n)
        tied = [1 + int((levels < level).sum()) for level in levels]
        truth = (rng.permutation(n) + 1).tolist()
        coarse = [1 + (rank - 1) // 2 * 2 for rank in truth]
        rows += [(f"q{query}", a, b, c) for a, b, c in zip(tied, truth, coarse, strict=True)]
        orders = {o for o in permutations(range(n)) if all(tied[x] <= tied[y] for x, y in pairwise(o))}
        by_truth = [str(i) for i in np.argsort(truth)]
        taus = [tau_ap_in_order([str(i) for i in order], by_truth) for order in orders]
        constant = len(set(tied)) == 1
        mean[f"q{query}"] = math.nan if constant else sum(taus) / len(taus)
        as_equals[f"q{query}"] = tau_ap_of_equals(tied, coarse)
        gamma[f"q{query}"] = gamma_by_pairs(tied, coarse)
    table = pd.DataFrame(rows, columns=["query_id", "rank_a", "rank_b", "coarse"])
    assert_values(ltr_sql.evaluate(table, ["TauAP"], by_query=True), "TauAP", mean)
    both = table.drop(columns="rank_b").rename(columns={"coarse": "rank_b"})
    found = ltr_sql.evaluate(both, ["TauAP(variant=b)", "Gamma"], by_query=True)
    assert_values(found, "TauAP(variant=b)", as_equals)
    assert_values(found, "Gamma", gamma)


def tau_ap_of_equals(a: list[int], b: list[int]) -> float:
    """Compute variant b of Urbano and Marrero 2017: the mean of both directions, over items that have others above."""
    if len(set(a)) == 1 or len(set(b)) == 1:
        return math.nan
    items, ways = list(zip(a, b, strict=True)), []
    for side in (0, 1):
        shares = []
        for item in items:
            above = [other for other in items if other[side] < item[side]]
            if above:
                shares.append(sum(x < item[0] and y < item[1] for x, y in above) / len(above))
        ways.append(2 * sum(shares) / len(shares) - 1)
    return sum(ways) / 2


def test_integer_and_text_ids_match_and_polars_is_returned() -> None:
    a = pl.DataFrame({"query_id": [1, 1, 1], "doc_id": [7, 8, 9], "score": [3.0, 2.0, 1.0]})
    b = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["8", "7"], "rank": [1, 2]})
    found = ltr_sql.agreement(a, b, ["KendallTau", "Overlap@2"])
    assert isinstance(found, pl.DataFrame)
    assert found.rows() == [(1, -1.0, 1.0)]


RUN = {"q1": {"d1": 2.0, "d2": 1.0}}


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((RUN,), {}, "there is only one run: pass a second one, a dict of runs, or a table of several runs with a"),
        (({"bm25": RUN},), {}, "the column system names 1 system: pass at least two"),
        ((RUN, RUN, ["AP"]), {}, "measure 'AP' needs relevance: call evaluate with a run and judgments"),
        ((RUN, RUN, ["RBO"]), {"ties": "worst"}, "ties must be 'docid_desc', 'docid_asc'"),
        ((RUN, RUN, ["RBO"]), {"keys": ["fold"]}, "key 'fold' is not a column"),
        ((RUN, pd.DataFrame({"query_id": [1], "score": [1.0]})), {}, "the second run: missing column doc_id"),
        (
            (RUN, pd.DataFrame({"query_id": [1], "doc_id": [1]})),
            {},
            r"the second run \(no column rank\): missing column",
        ),
        (({"bm25": RUN}, RUN), {}, "key 'system' is not a column"),
    ],
)
def test_invalid_calls(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ltr_sql.LtrSqlError, match=message):
        ltr_sql.agreement(*arguments, **options)


def a_run(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [2.0, 1.0]} | columns)


TWICE = (
    r"a document is in one ranking more than once \(1\): {}query_id=q1, doc_id=d1 \(2 rows\)\. "
    "What to do: if its rows are chunks"
)
ALONE = [
    ("twice", a_run(doc_id=["d1", "d1"]), TWICE.format("")),
    ("twice where the other has none", a_run(doc_id=["d9", "d9"]), TWICE.format("").replace("d1", "d9")),
    ("twice with ranks", a_run(doc_id=["d1", "d1"], rank=[1, 2]), TWICE.format("")),
    ("systems", a_run(doc_id=["d1", "d1"], model=["x", "y"]), ".*pass the column that names the system as keys"),
    ("no query", a_run(query_id=["q1", None]), r"an id is NULL \(1\): query_id=NULL, doc_id=d2.*What to do: fill in"),
    ("no document", a_run(doc_id=["d1", None]), r"an id is NULL \(1\): query_id=q1, doc_id=NULL"),
    ("NaN", a_run(score=[1.0, math.nan]), r"a score is NULL, NaN or infinite \(1\): query_id=q1, doc_id=d2"),
    ("infinite", a_run(score=[math.inf, 1.0]), r"a score is NULL, NaN or infinite \(1\): query_id=q1, doc_id=d1"),
    ("text", a_run(score=["1", "x"]), r"a rank, score or grade is not a number \(1\): query_id=q1, .*score=x"),
    ("from 0", a_run(rank=[0, 1]), r"a rank is below 1 or above 1,000,000,000 \(1\): query_id=q1, doc_id=d1, rank=0"),
    ("no rank", a_run(rank=["1", "x"]), r"a rank, score or grade is not a number \(1\): query_id=q1, .*rank=x"),
]


@pytest.mark.default("NaN", "from 0", "infinite", "no query", "no document", "no rank", "text")
@pytest.mark.parametrize(("run", "message"), [case[1:] for case in ALONE], ids=[case[0] for case in ALONE])
def test_invalid_runs(run: pd.DataFrame, message: str) -> None:
    for runs, which in (((run, a_run()), "first"), ((a_run(), run), "second")):
        with pytest.raises(ltr_sql.InputError, match=f"the {which} run: (.*\n)?{message}"):
            ltr_sql.agreement(*runs, ["RBO"])


def test_invalid_runs_of_several_systems() -> None:
    runs = pd.concat([a_run(system="a"), a_run(system="b", doc_id=["d1", "d1"])])
    with pytest.raises(ltr_sql.InputError, match="the runs: " + TWICE.format("system=b, ")):
        ltr_sql.agreement(runs, measures=["RBO"])


def test_keys_separate_duplicates_and_the_check_can_be_disabled() -> None:
    run = a_run(doc_id=["d1", "d1"], fold=[1, 2])
    assert ltr_sql.agreement(run, run, ["Overlap@1"], keys=["fold"])["Overlap@1"].tolist() == [1, 1]
    assert ltr_sql.agreement(run, a_run(), ["Overlap@2"], check=False)["queries"].tolist() == [1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("'a', 'a', ['AP']", "measure 'AP' needs relevance: pairs of rankings allow only measures of agreement"),
        ("'a', 'a', ['RBO'], ties := 'best'", "ltr.pair: ties must be"),
        ("'a', 'a', ['RBO'], keys := ['fold']", r"fold \(of the keys; the input has query_id, "),
        ("'a', '__ltr_paired', ['RBO']", "names that start with __ltr_"),
        ("'a', 'none of these', ['RBO']", "none of these does not exist"),
        ("'a', 'a''b', ['RBO']", "a'b does not exist"),
    ],
)
def test_errors_of_the_macro(call: str, message: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table a as select 'q' as query_id, 'd' as doc_id, 1.0 as score")
    with pytest.raises(duckdb.Error, match=message):
        con.execute(f"from ltr.compare_rankings({call})").fetchall()


def test_runs_of_different_queries_are_refused() -> None:
    with pytest.raises(ltr_sql.InputError, match="the runs have no query in common"):
        ltr_sql.agreement({"q1": {"a": 1.0}}, {"q2": {"a": 1.0}}, ["KendallTau"])

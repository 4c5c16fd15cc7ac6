"""Large runs: ranks that are counted, and batches of queries."""

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ltr_sql
from ltr_sql.catalogue.measure_strings import resolve_options
from ltr_sql.evaluation import accuracy
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.session import session
from ltr_sql.validation import checks

MEASURES = ["nDCG@5", "AP", "RR", "Bpref", "NumRet"]


@pytest.fixture
def data(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Tables run and qrels: 40 queries of 30 documents with many ties. Some queries are in one table only."""
    con.execute("select setseed(0.5)")
    con.execute("""
        create or replace table run as
        select q as query_id, 'd' || i as doc_id, floor(random() * 12) as score
        from range(40) as t(q), range(30) as u(i)
        order by q, random()
    """)
    con.execute("""
        create or replace table qrels as
        select q as query_id, 'd' || i as doc_id, (q + i) % 4 as relevance, q % 3 as country
        from range(2, 45) as t(q), range(0, 34, 3) as u(i)
    """)
    return con


@pytest.fixture
def in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small accuracy, small parts, and ranks that are counted."""
    monkeypatch.setattr(accuracy, "_COUNTED", 1)
    monkeypatch.setattr(accuracy, "_JUDGED", 100)
    monkeypatch.setattr(accuracy, "_PART", 40)
    monkeypatch.setattr(accuracy, "_ROWS", 100)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"by_query": True},
    {"missing": "skip"},
    {"keys": ["country"]},
    {"gains": {1: 3, 2: 5}},
    {"ties": "docid_asc", "by_query": True},
]


@pytest.mark.default("a_view-{'missing': 'skip'}")
@pytest.mark.parametrize(
    ("run", "options"),
    [
        *(("run.parquet", options) for options in OPTIONS),
        *((run, OPTIONS[number]) for number, run in enumerate(["run", "shuffled.parquet", "a_view", "ranked"])),
        ("shuffled.parquet", {"keys": ["country"], "by_query": True}),
    ],
    ids=str,
)
def test_batches_equal_one_evaluation(
    run: str,
    options: dict[str, Any],
    data: duckdb.DuckDBPyConnection,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    data.execute(f"set temp_directory = '{tmp_path / 'spilled'}'")
    data.execute("create or replace view a_view as from run order by hash(doc_id, query_id)")
    order = "row_number() over (partition by query_id order by score desc, doc_id desc)"
    data.execute(f"create or replace table ranked as select query_id, doc_id, {order} as rank from run")
    if run.endswith(".parquet"):
        source = "a_view" if run.startswith("shuffled") else "run"
        data.execute(f"copy {source} to '{tmp_path / run}'")
        run = str(tmp_path / run)
    expected, expected_warnings = values_and_warnings(run, data, options)
    request.getfixturevalue("in_batches")
    found, found_warnings = values_and_warnings(run, data, options)
    assert found_warnings == expected_warnings != []
    assert list(found.columns) == list(expected.columns)
    assert len(found) == len(expected) > 0
    for name in expected.columns:
        assert found[name].tolist() == pytest.approx(expected[name].tolist(), abs=1e-12)
    assert not (tmp_path / "spilled").exists()


@pytest.mark.default("a_dict-{'by_query': True}")
@pytest.mark.parametrize(
    ("form", "options"),
    [
        *(("a_table", options) for options in OPTIONS),
        ("a_dict", {"by_query": True}),
        ("a_dict", {"keys": ["country"], "totals": True}),
        ("parts", {"weights": {query: query for query in range(45)}}),
    ],
    ids=str,
)
def test_batches_of_several_systems_equal_one_evaluation(
    form: str,
    options: dict[str, Any],
    data: duckdb.DuckDBPyConnection,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    """Two systems need batches of queries of their own, and lack some queries. The small ones share a batch."""
    data.execute(f"set temp_directory = '{tmp_path / 'spilled'}'")
    data.execute("""
        create or replace table systems as
        select s as system, r.query_id, r.doc_id, r.score * (1 + hash(s, r.doc_id) % 3) as score
        from run as r
        cross join (values ('z', 0, 31), ('a', 7, 40), ('m', 3, 6), (null, 9, 12), ('it''s', 0, 5)) as v(s, low, high)
        where r.query_id >= low and r.query_id < high
        order by hash(s, r.query_id, r.doc_id)
    """)
    run: Any = "systems"
    if form == "a_dict":
        names = ("z", "a", "m", "it's")
        run = {
            name: data.sql("select query_id, doc_id, score from systems where system = $1", params=[name]).df()
            for name in names
        }
    elif form == "parts":
        for name in ("z", "a", "m"):
            rows = f"select query_id, doc_id, score from systems where system = '{name}' order by query_id"
            data.execute(f"copy ({rows}) to '{tmp_path / name}.parquet'")
        run = str(tmp_path / "*.parquet")
    keys = [*options.get("keys", []), *(["system"] if form == "a_table" else [])]
    expected, expected_warnings = values_and_warnings(run, data, {**options, "keys": keys})
    request.getfixturevalue("in_batches")
    found, found_warnings = values_and_warnings(run, data, {**options, "keys": keys})
    assert found_warnings == expected_warnings
    assert list(found.columns) == list(expected.columns)
    assert len(found) == len(expected) > 2
    for name in expected.columns:
        left, right = (
            frame[name].astype(object).where(frame[name].notna(), None).tolist() for frame in (found, expected)
        )
        assert left == (right if name in (*keys, "system") else pytest.approx(right, abs=1e-12))
    assert not (tmp_path / "spilled").exists()


def test_a_large_system_is_split_and_small_ones_share_a_batch(con: duckdb.DuckDBPyConnection) -> None:
    """80 rows in 4 batches of 20: 'a' needs two, and two small systems share one."""
    con.execute("""
        create table systems as
        select s as system, i as query_id
        from (values ('a', 35), ('b', 20), (null, 10), ('c', 8), ('d', 7)) as v(s, rows)
        cross join range(35) as t(i)
        where i < rows
    """)
    with session(con) as state:
        run = state.bind("systems", "run")
        shares = accuracy.shares_of(state, run, 4)
        counts = [state.rows(f"select count(*) from {share.run.sql}") for share in shares]
    assert [(share.system, share.batches) for share in shares] == [
        ("cast('a' as VARCHAR)", 2),
        ("cast('b' as VARCHAR)", 1),
        ("", 1),
        ("cast('d' as VARCHAR)", 1),
    ]
    assert counts == [[(35,)], [(20,)], [(18,)], [(7,)]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ties", "order"),
    [
        ("docid_desc", "doc_id::varchar desc"),
        ("docid_asc", "doc_id::varchar asc"),
        ("row_order", "row_order asc, doc_id::varchar desc"),
        ("worst", "coalesce(relevance, 0) asc, doc_id::varchar desc"),
        ("best", "coalesce(relevance, 0) desc, doc_id::varchar desc"),
    ],
)
@pytest.mark.parametrize("doc_id", ["'d' || i", "i"])
def test_every_counted_rank_equals_row_number(
    con: duckdb.DuckDBPyConnection, in_batches: None, ties: str, order: str, doc_id: str
) -> None:
    """Ties of 1 to 60 documents. Each judged document has its own grade, so 1 / RR is the rank of the best one."""
    con.execute("select setseed(0.25)")
    con.execute(f"""
        create or replace table run as
        select q as query_id, {doc_id} as doc_id, floor(random() * (1 + q * q)) as score, (i * 37) % 60 as row_order
        from range(24) as t(q), range(60) as u(i)
        order by random()
    """)
    con.execute("""
        create or replace table judged as
        select r.query_id, r.doc_id, row_number() over (partition by r.query_id order by hash(r.doc_id, 1)) as relevance
        from run as r
        where hash(r.doc_id, r.query_id) % 4 = 0
    """)
    grades = range(1, 20)
    expected = con.execute(f"""
        with ranked as (
            select
                r.query_id,
                j.relevance,
                row_number() over (partition by r.query_id order by score desc, {order}) as rank
            from run as r
            left join judged as j using (query_id, doc_id)
        )
        select query_id, {", ".join(f"coalesce(1 / min(rank) filter (relevance >= {g}), 0)" for g in grades)}
        from ranked
        where query_id in (select query_id from judged)
        group by query_id
        order by query_id
    """).fetchall()
    measures = [f"RR(rel={grade})" for grade in grades]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ltr_sql.evaluate("run", measures, qrels="judged", ties=ties, by_query=True, con=con)
    assert len(expected) == 24
    assert [tuple(row) for row in found.to_numpy().tolist()] == [pytest.approx(row, abs=1e-15) for row in expected]


@pytest.mark.parametrize(
    ("measures", "how"), [(["R@100"], "sorted"), (["R@100", "P@101"], "counted"), (["AP"], "counted")]
)
def test_deep_cutoffs_are_counted(
    measures: list[str], how: str, data: duckdb.DuckDBPyConnection, in_batches: None
) -> None:
    """Sorting the top of each ranking is faster for shallow cutoffs only."""
    options = EvaluationOptions(*resolve_options(measures, None, None, None))
    with session(data) as state:
        tables = state.bind("run", "run"), state.bind("qrels", "qrels")
        assert accuracy._ranking(state, *tables, (), options) == how


@pytest.mark.parametrize(("judged", "how"), [(4, "counted"), (2, "sorted")])
def test_counting_needs_few_judged_documents(
    judged: int, how: str, con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of four or one of two documents is judged. The scores are not stored in rank order."""
    monkeypatch.setattr(accuracy, "_COUNTED", 1)
    con.execute("create or replace table run as select 1 as query_id, i as doc_id, i as score from range(300) as t(i)")
    con.execute(f"create or replace table qrels as select *, 1 as relevance from run where doc_id % {judged} = 0")
    with session(con) as state:
        assert accuracy.ranking(con, state.bind("run", "run"), state.bind("qrels", "qrels"), (), True) == how


@pytest.mark.parametrize("scores_checked", [True, False])
@pytest.mark.parametrize(
    ("tied", "judged", "how"),
    [(1, 20, "counted"), (10, 20, "counted"), (10, 5, "sorted"), (100, 100, "counted"), (100, 20, "sorted")],
)
def test_counting_needs_few_ties_with_judged_documents(
    tied: int,
    judged: int,
    how: str,
    scores_checked: bool,
    con: duckdb.DuckDBPyConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`tied` documents have each score, and one of `judged` is judged. Calls with and without checks rank alike."""
    monkeypatch.setattr(accuracy, "_COUNTED", 1)
    con.execute(f"""
        create or replace table run as
        select i % 5 as query_id, i as doc_id, (i // 5) % ({1000 // tied}) as score
        from range(5000) as t(i)
    """)
    con.execute(f"create or replace table qrels as select *, 1 as relevance from run where doc_id % {judged} = 0")
    with session(con) as state:
        tables = state.bind("run", "run"), state.bind("qrels", "qrels")
        assert accuracy.ranking(con, *tables, (), scores_checked) == how


@pytest.mark.parametrize(
    ("score", "how"),
    [
        ("i", "counted"),
        ("i + 0.5e0", "counted"),
        ("i % 200", "counted"),
        ("i % 7", "sorted"),
        ("hash(i) % 1000", "counted"),
        ("case when i = 200 then 'nan'::double else i end", "sorted"),
        ("case when i = 200 then 'inf'::double else i end", "sorted"),
        ("case when i <> 200 then i end", "sorted"),
    ],
)
def test_finite_scores_are_counted_without_checks(
    score: str, how: str, con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise, a call without checks would sort, which takes longer than the checks."""
    monkeypatch.setattr(accuracy, "_COUNTED", 1)
    con.execute(
        f"create or replace table run as select 1 as query_id, i as doc_id, {score} as score from range(300) as t(i)"
    )
    con.execute("create or replace table qrels as select *, 1 as relevance from run where doc_id % 5 = 0")
    with session(con) as state:
        assert accuracy.ranking(con, state.bind("run", "run"), state.bind("qrels", "qrels"), (), False) == how


@pytest.mark.parametrize("ties", ["docid_desc", "worst"])
def test_values_without_checks_are_those_with_checks(
    ties: str, data: duckdb.DuckDBPyConnection, in_batches: None
) -> None:
    given: dict[str, Any] = {"qrels": "qrels", "ties": ties, "con": data, "by_query": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unchecked, checked = (ltr_sql.evaluate("run", ["AP", "RR"], check=check, **given) for check in (False, True))
    assert unchecked.equals(checked)


def values_and_warnings(run: str, data: duckdb.DuckDBPyConnection, options: dict[str, Any]) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = ltr_sql.evaluate(run, MEASURES, qrels="qrels", con=data, **options)
    return found, [str(warning.message) for warning in caught]


def test_a_run_is_read_in_parts_or_copied(data: duckdb.DuckDBPyConnection, in_batches: None) -> None:
    with session(data) as state:
        judgments = state.bind("qrels", "qrels")
        with accuracy.batches(state, state.bind("run", "run"), judgments, 5) as parts:
            assert len(parts) == 5
            assert not any("read_parquet" in run.sql for run, _ in parts)
        data.execute("create or replace table run as from run order by hash(query_id)")
        with accuracy.batches(state, state.bind("run", "run"), judgments, 5) as parts:
            assert all("read_parquet" in run.sql for run, _ in parts)


@pytest.mark.skipif(duckdb.__version__ < "2", reason="DuckDB 1.5 does not count the row groups that it reads")
def test_a_view_of_sorted_files_is_read_in_parts(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """A view has no positions of rows, so the row groups that some queries need show how its files are stored."""
    con.execute(
        "create or replace table judged as select q as query_id, 1 as doc_id, 1 as relevance from range(40) t(q)"
    )

    def relations(name: str, order: str) -> list[str]:
        for first in (0, 20):
            con.execute(f"""
                copy (
                    select q as query_id, d as doc_id, d as score
                    from range({first}, {first + 20}) as a(q), range(1000) as b(d)
                    order by {order}
                ) to '{tmp_path}/{name}-{first}.parquet' (row_group_size 2048)
            """)
        con.execute(f"create or replace view run as from '{tmp_path}/{name}-*.parquet'")
        with (
            session(con) as state,
            accuracy.batches(state, state.bind("run", "run"), state.bind("judged", "qrels"), 3) as parts,
        ):
            assert sum(con.execute(f"select count(*) from {run.sql}").fetchall()[0][0] for run, _ in parts) == 40_000
            return [run.sql for run, _ in parts]

    assert not any("__ltr_part" in sql for sql in relations("sorted", "q, hash(d)"))
    assert all("__ltr_part" in sql for sql in relations("shuffled", "hash(q, d)"))


@pytest.mark.slow
def test_a_duplicate_in_a_later_batch_is_refused(
    data: duckdb.DuckDBPyConnection, in_batches: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The query of each batch finds it: only a sample of a large run is searched before."""
    monkeypatch.setattr(checks, "_SEARCHED_FOR_DUPLICATES", 1)
    data.execute("insert into run values (38, 'd3', 100)")
    with pytest.raises(ltr_sql.InputError, match="a document is in one ranking more than once"):
        ltr_sql.evaluate("run", ["AP"], qrels="qrels", con=data)


def test_batches_without_judgments(data: duckdb.DuckDBPyConnection, in_batches: None) -> None:
    data.execute("delete from qrels")
    found = ltr_sql.evaluate("run", ["NumRet"], qrels="qrels", con=data, check=False)
    assert found["queries"].tolist() == [0]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["query_id < 30", "query_id >= 20"])
def test_batches_without_a_retrieved_document(where: str, data: duckdb.DuckDBPyConnection, in_batches: None) -> None:
    """Queries of a batch that the run lacks count as 0."""
    data.execute(f"delete from run where not ({where})")
    with pytest.warns(ltr_sql.InputWarning):
        found = ltr_sql.evaluate("run", ["AP"], qrels="qrels", con=data, by_query=True)
    judged = {row[0] for row in data.execute("select distinct query_id from qrels").fetchall()}
    assert set(found["query_id"]) == judged
    kept = {row[0] for row in data.execute("select distinct query_id from run").fetchall()}
    assert not any(found[~found["query_id"].isin(kept)]["AP"])


def test_interrupted_batches_leave_no_file(
    data: duckdb.DuckDBPyConnection, in_batches: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data.execute(f"set temp_directory = '{tmp_path / 'spilled'}'")
    data.execute("create or replace table run as from run order by hash(doc_id, query_id)")

    def interrupted(*_: Any) -> None:
        raise duckdb.InterruptException("Interrupted!")

    monkeypatch.setattr(accuracy, "_copied", interrupted)
    with pytest.raises((KeyboardInterrupt, duckdb.InterruptException)):
        ltr_sql.evaluate("run", ["AP"], qrels="qrels", con=data)
    assert not (tmp_path / "spilled").exists()
    assert not data.execute("select table_name from duckdb_tables() where temporary").fetchall()


FULL = """
import resource
import duckdb, ltr_sql
from ltr_sql.evaluation import accuracy

con = duckdb.connect()
con.execute("create table run as select i % 9000 as query_id, i as doc_id, i % 70 as score from range(90000) as t(i)")
con.execute("create table qrels as select query_id, doc_id, 1 as relevance from run")
con.execute("set temp_directory = 'spilled'")
accuracy._ROWS = 30_000
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    ltr_sql.evaluate("run", ["AP"], qrels="qrels", con=con)
except ltr_sql.InputError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files")
def test_a_copy_that_cannot_be_written_is_removed(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk."""
    found = subprocess.run(
        [sys.executable, "-c", FULL], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    assert "and " + str(tmp_path / "spilled") + " cannot hold the copy: File too large. What to do: " in found.stdout, (
        found.stderr
    )
    assert not list(tmp_path.iterdir())


def test_a_copy_needs_a_folder(data: duckdb.DuckDBPyConnection, in_batches: None, tmp_path: Path) -> None:
    (tmp_path / "a_file").touch()
    data.execute("create or replace table run as from run order by hash(doc_id, query_id)")
    data.execute(f"set temp_directory = '{tmp_path / 'a_file'}'")
    try:
        with pytest.raises(ltr_sql.InputError, match="a_file cannot hold the copy: File exists"):
            ltr_sql.evaluate("run", ["AP"], qrels="qrels", con=data)
    finally:
        data.execute("reset temp_directory")

"""The parameter `empty`: with `none_retrieved`, a query without an answer is right if nothing was returned."""

import re
from typing import Any

import duckdb
import pytest
from support.places import ROOT

import ltr_sql
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import Definition, definitions

# silent and noisy have no relevant document. Nothing is returned for silent; what noisy returns is not judged.
QRELS = {"found": {"a": 1, "b": 0}, "silent": {"x": 0}, "noisy": {"y": 0}}
RUN = {"found": {"b": 2.0, "a": 1.0}, "noisy": {"z": 1.0, "w": 0.5}}
EXPECTED = {"found": 0.5, "silent": 1.0, "noisy": 0.0}
MEASURES = ["P(empty=none_retrieved)@2", "RR(empty=none_retrieved)", "AP(empty=none_retrieved)@2"]

RANKINGS = """
create table rankings as
from (values
    ('found', 'b', 1, 0), ('found', 'a', 2, 1),
    ('silent', 'x', null, 0),
    ('noisy', 'y', null, 0), ('noisy', 'z', 1, null)
) as t (query_id, doc_id, rank, relevance)
"""
# The rows that ltr.judge makes: unjudged documents are in num_ret only.
COUNTED = """
create table counted as
from (values ('found', 1, 0, 2), ('found', 2, 1, 2), ('silent', null, 0, 0), ('noisy', null, 0, 2))
as t (query_id, rank, relevance, num_ret)
"""


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    con = ltr_sql.register(duckdb.connect())
    con.execute(RANKINGS)
    con.execute(COUNTED)
    return con


def values(frame: Any, measure: str) -> dict[str, float]:
    return dict(zip(frame["query_id"], frame[measure], strict=True))


@pytest.mark.default("1")
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("copies", [1, 3])
def test_a_run(copies: int) -> None:
    """One system takes the path of dicts, several that of tables."""
    run = RUN if copies == 1 else {str(number): RUN for number in range(copies)}
    found = ltr_sql.evaluate(run, MEASURES, qrels=QRELS, by_query=True)
    for measure in MEASURES:
        assert values(found, measure) == EXPECTED
    assert ltr_sql.evaluate(run, MEASURES, qrels=QRELS)[MEASURES[0]].tolist() == [0.5] * copies
    with ltr_sql.Evaluator(MEASURES, QRELS) as evaluator:
        assert evaluator.evaluate(run)[MEASURES[0]].tolist() == [0.5] * copies


@pytest.mark.slow
@pytest.mark.parametrize("table", ["rankings", "counted"])
def test_sql(con: duckdb.DuckDBPyConnection, table: str) -> None:
    for measure in MEASURES:
        assert values(con.execute(f"from ltr.per_query('{table}', {MEASURES})").df(), measure) == EXPECTED
    assert values(con.execute(f"from ltr.p('{table}', k := 2, empty := 'none_retrieved')").df(), "p") == EXPECTED
    assert values(con.execute(f"from ltr.rr('{table}', empty := 'none_retrieved')").df(), "rr") == EXPECTED
    assert values(ltr_sql.evaluate(table, MEASURES, by_query=True, con=con), MEASURES[0]) == EXPECTED


@pytest.mark.slow
def test_measures_of_other_rows(con: duckdb.DuckDBPyConnection) -> None:
    """Measures that read pairs, or expected positions, find out as well whether documents were retrieved."""
    found = ltr_sql.evaluate(
        "rankings", ["OPA(empty=none_retrieved)", "expected_RR(empty=none_retrieved)"], by_query=True, con=con
    )
    assert values(found, "OPA(empty=none_retrieved)") == {"found": 0.0, "silent": 1.0, "noisy": 0.0}
    assert values(found, "expected_RR(empty=none_retrieved)") == EXPECTED


@pytest.mark.slow
def test_explain(con: duckdb.DuckDBPyConnection) -> None:
    """A measure has its value at each rank. Of silent only the ideal ranking of rel=2 has a rank."""
    con.execute("update rankings set relevance = 1 where query_id = 'silent'")
    for query, expected in (("noisy", 0.0), ("silent", 1.0)):
        found = con.execute(f"from ltr.explain('rankings', '{query}', 'AP(rel=2, empty=none_retrieved)')").df()
        assert found["running"].tolist() == [expected]


OF_RELEVANCE = [d for d in definitions().values() if not d.paired]
# Rows by subtopic: answers that were found or not, and queries without an answer.
BY_SUBTOPIC = """
from (values
    ('found', 'a', 1, 1, 's'), ('found', 'b', 2, 0, 's'), ('missed', 'a', null, 1, 's'), ('missed', 'c', 1, 0, 's'),
    ('absent', 'a', null, 1, 's'), ('silent', 'x', null, 0, 's'), ('noisy', 'y', null, 0, 's'),
    ('noisy', 'z', 1, 0, 's')
) as t (query_id, doc_id, rank, relevance, subtopic)
"""


def string(definition: Definition, empty: str) -> str:
    """Return a measure string with a value of `empty`."""
    name, _, at = definition.example.partition("@")
    given = re.findall(r"\w+=\w+", name)
    return f"{definition.name}({', '.join([*given, f'empty={empty}'])}){f'@{at}' if at else ''}"


FEW = ["rbp", "bpref", "set_f", "strecall", "alpha_ndcg", "infndcg"]


@pytest.mark.slow
@pytest.mark.parametrize("empty", ["none_retrieved", "1", "skip"])
@pytest.mark.parametrize("macros", [FEW, pytest.param([*definitions()], marks=pytest.mark.slow)], ids=["few", "all"])
def test_each_measure_of_relevance(macros: list[str], empty: str, con: duckdb.DuckDBPyConnection) -> None:
    """`empty` is the value of queries without an answer, and changes no other query."""
    con.execute(f"create table covered as {BY_SUBTOPIC}")
    taking = [d for d in OF_RELEVANCE if d.macro in macros and (p := d.parameter("empty")) and p.allows(empty)]
    asked = [string(definition, empty) for definition in taking]
    zeros = [string(definition, "0") for definition in taking]
    expected = {"1": (1.0, 1.0), "skip": (None, None), "none_retrieved": (1.0, 0.0)}[empty]
    for found in (
        ltr_sql.evaluate("covered", asked + zeros, by_query=True, check=False, con=con),
        con.execute("from ltr.per_query('covered', ?)", [asked + zeros]).df(),
    ):
        rows = found.astype(object).where(found.notna(), None).set_index("query_id")
        for definition, text, zero in zip(taking, asked, zeros, strict=True):
            assert (rows[text]["silent"], rows[text]["noisy"]) == expected, text
            assert (rows[zero]["silent"], rows[zero]["noisy"]) == (0, 0), zero
            # Without a retrieved relevant document, these have no pairs or no positions.
            if definition.macro not in ("auc", "gauc", "opa", "pair_accuracy", "ranking_loss", "arelpos"):
                for query in ("found", "missed", "absent"):
                    assert rows[text][query] == rows[zero][query], (text, query)


def test_defaults_and_refusals() -> None:
    """The default is the value in the measure's header. The documentation names the measures without `empty`."""
    for definition in OF_RELEVANCE:
        parameter = definition.parameter("empty")
        if parameter is not None:
            assert parameter.default == ("skip" if definition.empty is None else f"{definition.empty:.0f}")
            assert (parameter.allows("none_retrieved")) == (definition.better == "higher")
    without = [d.name for d in OF_RELEVANCE if d.parameter("empty") is None]
    text = ROOT.joinpath("docs", "which_documents_count.md").read_text(encoding="utf-8")
    listed = re.search(r"have no `empty`:\s+([^.]*)\.", text)
    assert listed is not None
    assert sorted(re.findall(r"\w+", listed[1])) == sorted(without)
    for name in without:
        with pytest.raises(ltr_sql.MeasureError, match="which only measures that need relevant documents have"):
            parse_measure(f"{name}(empty=1)")


@pytest.mark.default("1")
@pytest.mark.parametrize("copies", [1, 3])
def test_the_warning_says_what_missing_queries_count_as(copies: int) -> None:
    run = RUN if copies == 1 else {str(number): RUN for number in range(copies)}
    for measure, count in (
        ("P@2", "they count as 0"),
        (MEASURES[0], f"they count as 0, or as empty says in {MEASURES[0]}"),
    ):
        with pytest.warns(ltr_sql.InputWarning, match=re.escape(f"are not in the run: {count} (")):
            ltr_sql.evaluate(run, [measure], qrels=QRELS)

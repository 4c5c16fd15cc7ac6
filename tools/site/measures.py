"""Render the page of each measure, with an example that runs in the browser."""

from collections.abc import Iterable
from typing import Any

import duckdb
from latex2mathml.converter import convert
from markupsafe import Markup

from ltr_sql.catalogue.conventions import conventions, settings_of
from ltr_sql.catalogue.functions import LISTS
from ltr_sql.catalogue.measures import Definition, Need
from ltr_sql.errors import LtrSqlError, MeasureError
from ltr_sql.evaluation.evaluate import evaluate
from ltr_sql.rendering.dialects import string
from ltr_sql.rendering.render import render
from tools.documentation import average_of, path_of
from tools.site.layout import REPOSITORY, Content, environment
from tools.site.markdown import highlighted

# Tables that the examples of measures read. EXAMPLE_TABLES maps inputs of row sources to them.
RANKINGS = """\
create or replace table judged as
from (values
    ('q1', 1, 3), ('q1', 2, 2), ('q1', 3, 3), ('q1', 4, 0), ('q1', 5, 1),
    ('q2', 1, 0), ('q2', 2, 1), ('q2', null, 1)
) as t(query_id, rank, relevance);
"""
COVERS = """\
create or replace table judged as
from (values
    ('q1', 'a', 1, 1, 's1'), ('q1', 'a', 1, 1, 's2'), ('q1', 'b', 2, 1, 's1'), ('q1', 'c', 3, 1, 's3'),
    ('q2', 'd', 1, 0, 's1'), ('q2', 'e', 2, 1, 's2')
) as t(query_id, doc_id, rank, relevance, subtopic);
"""
PAIRS = """\
create or replace table pairs as
from (values
    ('q1', 'a', 1, 2, 3.2, 2.5), ('q1', 'b', 2, 1, 2.9, 2.9), ('q1', 'c', 3, 4, 1.4, 0.3), ('q1', 'd', 4, 3, 0.2, 0.4),
    ('q2', 'a', 1, 1, 0.9, 0.8), ('q2', 'b', 2, 3, 0.4, 0.1), ('q2', 'c', 3, 2, 0.3, 0.7)
) as t(query_id, doc_id, rank_a, rank_b, score_a, score_b);
"""
EXAMPLE_TABLES = {"rankings": RANKINGS, "covers": COVERS, "pairs": PAIRS, "scored_pairs": PAIRS}
RUN = """\
create or replace table run as
from (values
    ('u1', 'a', 1), ('u1', 'b', 2), ('u1', 'c', 3),
    ('u2', 'a', 1), ('u2', 'd', 2), ('u2', 'b', 3)
) as t(query_id, doc_id, rank);
"""
# Tables that measures beyond accuracy may read in addition to the run.
OTHER_TABLES = {
    "documents": """\
create or replace table documents as
from (values
    ('a', 'rock', 9, 'large', 1.0, [1.0, 0.0]), ('b', 'jazz', 4, 'small', 1.0, [0.0, 1.0]),
    ('c', 'rock', 2, 'large', 1.0, [0.8, 0.6]), ('d', 'folk', 1, 'small', 1.0, [0.6, 0.8]),
    ('e', 'folk', 1, 'small', 1.0, [0.0, 1.0])
) as t(doc_id, category, popularity, "group", weight, vector);
""",
    "history": """\
create or replace table history as
from (values ('u1', 'c'), ('u1', 'a'), ('u2', 'e'), ('u2', 'a'), ('u3', 'a')) as t(query_id, doc_id);
""",
    "targets": """\
create or replace table targets as
from (values ('large', 0.5), ('small', 0.5)) as t("group", share);
""",
    "qrels": """\
create or replace table qrels as
from (values ('u1', 'b', 1), ('u1', 'd', 1), ('u2', 'a', 1), ('u2', 'e', 1)) as t(query_id, doc_id, relevance);
""",
    "baseline": """\
create or replace table baseline as
from (values
    ('u1', 'a', 1), ('u1', 'e', 2), ('u1', 'c', 3),
    ('u2', 'b', 1), ('u2', 'd', 2), ('u2', 'a', 3)
) as t(query_id, doc_id, rank);
""",
}
# Values of parameters in the examples. LARGEST_GRADE stands for any other required parameter.
EXAMPLE_VALUES = {"k": "3", "recall": "0.5", "multiple": "2"}
LARGEST_GRADE = "3"


def measure_page(definition: Definition, con: duckdb.DuckDBPyConnection, live: bool) -> Content:
    """Return the page of a measure. `live` adds a button that runs the example."""
    sql = example_of(definition)
    con.execute(sql)
    names, rows = [column[0] for column in con.description or []], con.fetchall()
    body = environment.get_template("measure.html").render(
        measure=definition,
        formula=Markup(convert(definition.tex, display="block")) if definition.tex else definition.formula,
        empty=_empty(definition),
        average=average_of(definition),
        names=", ".join([*definition.aliases, *definition.named, *(f"{n} without a cutoff" for n in definition.uncut)]),
        sql=highlighted(sql, "sql"),
        live=live,
        chips=chips_of(definition),
        result_names=names,
        result_rows=rows,
        parameters=[
            [p.name, "required" if p in definition.required else p.default_in_sql, p.allowed, p.summary]
            for p in definition.parameters
        ],
        conventions=list(_values_by_convention(definition, con)),
        source=path_of(definition.macro),
        vocabulary=f"{REPOSITORY}/VOCABULARY.md",
        source_link=f"{REPOSITORY}/{path_of(definition.macro)}",
        definition=highlighted(definition.body, "sql+jinja"),
        query=_query(definition),
        root="../",
        shown=_shown,
    )
    path = f"measures/{definition.macro}.html"
    return Content(path, definition.name, Markup(body), definition.summary, source=path_of(definition.macro))


def chips_of(definition: Definition) -> list[str]:
    """Return what a measure needs or is, in a word or two each, for the filter of measures."""
    input_ = definition.row_source.input
    graded = definition.gains or (definition.parameter("empty") and not definition.parameter("rel"))
    needs = definition.needed({p.name: p.default for p in definition.parameters}) if definition.beyond_accuracy else []
    return [
        *(["grades"] if graded and not definition.beyond_accuracy else []),
        *(["relevant or not"] if definition.parameter("rel") else []),
        *(["two rankings"] if definition.paired else []),
        *(["scores"] if definition.by_score else []),
        *(["doc_id"] if input_ in ("covers", LISTS) else []),
        *(["strata" if definition.row_source.strata else "subtopics"] if definition.by_subtopic else []),
        *dict.fromkeys(need.column if need.table == "documents" and need.column else need.table for need in needs),
        *(["no judgments"] if definition.paired or (definition.beyond_accuracy and not _judged(needs)) else []),
        *(["one value per run"] if definition.over == "run" else []),
        *(["lower is better"] if definition.better == "lower" else []),
    ]


def _judged(needs: Iterable[Need]) -> bool:
    return any(need.table == "qrels" for need in needs)


def _query(definition: Definition) -> str:
    measures = [definition.example]
    if definition.beyond_accuracy:
        return render(measures)
    return render(measures, pairs="pairs") if definition.paired else render(measures, rankings="judged")


def example_of(definition: Definition) -> str:
    """Return the SQL of the example of a measure: its tables and a call of the macro."""
    options = {p.name: EXAMPLE_VALUES.get(p.name, LARGEST_GRADE) for p in definition.required}
    if definition.parameter("k"):
        options = {"k": EXAMPLE_VALUES["k"], **options}
    if definition.beyond_accuracy:
        defaults = {p.name: p.default for p in definition.parameters}
        needed = list(dict.fromkeys(need.table for need in definition.needed(defaults)))
        table, tables = "run", RUN + "".join(OTHER_TABLES[name] for name in needed)
        options = {**{name: string(name) for name in needed}, **options}
    else:
        table, tables = "pairs" if definition.paired else "judged", EXAMPLE_TABLES[definition.row_source.input]
    arguments = ", ".join([string(table), *(f"{name} := {value}" for name, value in options.items())])
    order = "\norder by query_id" if definition.over == "query" else ""
    return f"{tables}\nfrom ltr.{definition.macro}({arguments}){order};\n"


def _values_by_convention(definition: Definition, con: duckdb.DuckDBPyConnection) -> Iterable[list[Any]]:
    """Yield name, value and settings of the default convention, then of each with settings for the measure."""
    if definition.paired or definition.beyond_accuracy:
        return
    settings = {
        c.name: ", ".join(f"{k}={v}" for name, of in settings_of(c) if name == definition.name for k, v in of.items())
        for c in conventions().values()
    }
    default, *others = settings
    for name in (default, *(n for n in others if settings[n])):
        try:
            frame = evaluate("judged", [definition.example], convention=name, con=con, check=False)
        except (LtrSqlError, MeasureError):
            continue
        yield [name, frame[definition.example][0], settings[name]]


def _empty(definition: Definition) -> str:
    if definition.parameter("empty"):
        return "set by the parameter empty"
    if definition.empty is not None:
        return f"{definition.empty:g}"
    return "NULL" if definition.over == "run" else "NULL; the query does not count"


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)

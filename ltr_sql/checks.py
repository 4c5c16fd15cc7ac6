"""What is wrong, or worth knowing, about rankings, runs and judgments: the findings in `sql/checks/`."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.binding import Bound, needs_distinct_ranks
from ltr_sql.inputs.connection import data_frame, names_and_rows
from ltr_sql.inputs.session import Session, with_session
from ltr_sql.inputs.tables import Table, check_keys
from ltr_sql.language.catalogue import SQL_FOLDER, Definition, definitions, header_and_body, relations
from ltr_sql.language.measure_strings import DEFAULT_MEASURES, Measure, parse_measures
from ltr_sql.sqltext.columns import KEYS_MESSAGE, NamedColumns
from ltr_sql.sqltext.dialects import DUCKDB, string
from ltr_sql.sqltext.render import Column, Renderer, measures_query
from ltr_sql.sqltext.sources import Facts, Rankings
from ltr_sql.sqltext.templates import SqlValue, render_template

SEVERITIES = ("error", "warning", "info")
# The columns that findings read, as text; beside the first, which stands for having none.
_FIELDS = ("__ltr_one", "query_id", "doc_id", "subtopic", "rank", "score", "relevance", "num_ret")


@dataclass(frozen=True)
class Finding:
    """A finding as its file defines it.

    `reads`: 'rankings', or a 'run' with judgments; `of_queries`: of these it reads nothing but the keys and query_id.
    """

    code: str
    severity: str
    what: str
    what_to_do: str
    reads: tuple[str, ...]
    of_queries: bool
    body: str


@cache
def findings() -> dict[str, Finding]:
    """The findings by name of their file, errors first."""
    found = [_finding(path.stem, *header_and_body(path)) for path in sorted((SQL_FOLDER / "checks").glob("*.sql"))]
    return {f.code: f for f in sorted(found, key=lambda f: SEVERITIES.index(f.severity))}


def check(
    rankings: Any,
    qrels: Any = None,
    *,
    keys: Sequence[str] = (),
    measures: Iterable[str] = DEFAULT_MEASURES,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """What is wrong with rankings, or with a run and judgments, and what is worth knowing: one row for each finding.

    `rankings`, `qrels` and `keys` as for `evaluate`; `measures` are those whose range between the worst and the best
    order of equal scores is shown.

    Returns a data frame of the kind that came in (polars, pyarrow), else pandas: `severity` ('error': `evaluate`
    refuses it, 'warning': it warns, 'info'), `what`, `how_many` rows, queries or documents, `first_rows` (the first
    of them as text) and `what_to_do`; no row if nothing was found. Raises MeasureError and InputError.
    """
    parsed = parse_measures(measures)

    def run(state: Session) -> Any:
        query = bound_query(state, rankings, qrels, keys, parsed)
        return data_frame(state.con, query, state.frame)

    return with_session(con, run)


def bound_query(
    state: Session,
    rankings: Any,
    qrels: Any,
    keys: Sequence[str],
    measures: Sequence[Measure],
) -> str:
    """The query of the findings about what a caller handed in."""
    run = state.bind(rankings, "run")
    keys = check_keys(run, keys, ())
    return _query_of(run, None if qrels is None else state.bind(qrels, "qrels"), keys, measures)


def quick_check(
    con: duckdb.DuckDBPyConnection, bound: Bound, measures: Sequence[Measure], missing: str
) -> tuple[Bound, list[str]]:
    """What can be measured with the checks that are left to its query, and what there is to warn of.

    Raises InputError for what cannot be scored. What it looks for costs little.
    """
    concerns = []
    if bound.qrels is not None:
        types = [(bound.run.columns[name], bound.qrels.columns[name]) for name in ("query_id", "doc_id")]
        concerns = ["ids_of_different_types" for pair in types if "VARCHAR" in pair and pair[0] != pair[1]]
    run, qrels = bound.comparable
    scored = "rank" not in run.columns and "score" in run.columns
    numbers = ["score"] if scored else ["rank"] if "rank" in run.columns else ["rank_a", "rank_b"]
    ranked = (
        numbers == ["rank"] and needs_distinct_ranks(measures) and (qrels is not None or not bound.source.by_subtopic)
    )
    if qrels is None and numbers != ["rank_a", "rank_b"]:
        numbers.append("relevance")
    renderer = Renderer(NamedColumns(bound.keys, DUCKDB))
    query = renderer.template(
        "entry_points/quick_check.sql",
        run=run.sql,
        qrels=None if qrels is None else qrels.sql,
        by_subtopic="subtopic" in (qrels or run).columns,
        documents={"doc_id", "relevance"} <= run.columns.keys(),
        scored=scored,
        counted=qrels is None and {"rank", "num_ret"} <= run.columns.keys(),
        numbers=numbers,
        kinds={**(qrels.kinds if qrels else {}), **run.kinds},
    )
    counts = _counts(con, query)
    unclear = bool(counts.pop("ranks_unclear", 0))
    if unclear:
        given = {"run": run.sql, "qrels": qrels is not None, "check_ranks": ranked}
        counts |= _counts(con, renderer.template("entry_points/unclear_ranks.sql", **given))
    found = {*concerns, *(code for code, count in counts.items() if count)}
    if missing == "skip":
        found.discard("queries_not_run")
    if found & {"duplicate_ranks", "duplicate_documents"}:
        found.add("mixed_systems")
    warnings = _refused(con, bound, found) if found else []
    return bound.guarded(measures, distinct_ranks=scored or (ranked and not (unclear and qrels))), warnings


def quick_check_alone(
    con: duckdb.DuckDBPyConnection, what: str, run: Table, keys: tuple[str, ...], *, twice: bool = True
) -> None:
    """Raise InputError for a run that cannot be compared with another: no ids, no numbers, or a document `twice`.

    `what` is how the caller knows the run.
    """
    query = Renderer(NamedColumns(keys, DUCKDB)).template(
        "entry_points/quick_check_run.sql",
        run=run.sql,
        scored="rank" not in run.columns,
        kinds=run.kinds,
        twice=twice,
    )
    found = {code for code, count in _counts(con, query).items() if count}
    if "duplicate_documents" in found:
        found.add("mixed_systems")
    if found:
        try:
            _refused(con, Bound(Rankings(run.sql), keys, run, None), found)
        except InputError as error:
            raise InputError(f"{what}: {error}") from None


def refuse_twice(con: duckdb.DuckDBPyConnection, bound: Bound) -> None:
    """Raise InputError for a document that is in one ranking more than once: `quick_check` leaves that to the query."""
    _refused(con, bound, {"duplicate_documents"})


def refuse_judgments_twice(con: duckdb.DuckDBPyConnection, run: Table, qrels: Table) -> None:
    """Raise InputError for a document that is judged more than once for a query."""
    _refused(con, Bound(Rankings(run.sql), (), run, qrels), {"duplicate_judgments"})


def refuse_errors(con: duckdb.DuckDBPyConnection, bound: Bound, passing: Container[str] = ()) -> None:
    """Raise InputError if there is a finding that is an error, but for some."""
    _refused(con, bound, {f.code for f in findings().values() if f.severity == "error" and f.code not in passing})


def _refused(con: duckdb.DuckDBPyConnection, bound: Bound, codes: Iterable[str]) -> list[str]:
    """The warnings among some findings, as text; raises InputError for the errors."""
    codes = set(codes)
    run, qrels = bound.comparable
    if all(findings()[code].of_queries for code in codes):
        run, qrels = run.distinct(*bound.keys, "query_id"), qrels and qrels.distinct("query_id")
    rows = con.execute(_query_of(run, qrels, bound.keys, only=codes)).fetchall()
    texts: dict[str, list[str]] = {severity: [] for severity in SEVERITIES}
    for severity, what, how_many, first_rows, what_to_do in rows:
        texts[severity].append(f"{what} ({how_many}): {first_rows}. What to do: {what_to_do}")
    if texts["error"]:
        raise InputError("\n".join(texts["error"]))
    return texts["warning"]


def _counts(con: duckdb.DuckDBPyConnection, query: str) -> dict[str, int]:
    names, (values,) = names_and_rows(con, query)
    return dict(zip(names, values, strict=True))


def _query_of(
    run: Table,
    qrels: Table | None,
    keys: Sequence[str],
    measures: Sequence[Measure] = (),
    only: Iterable[str] | None = None,
) -> str:
    listed = f"[{', '.join(map(string, keys))}]::varchar[]"
    return check_query(run.sql, None if qrels is None else qrels.sql, listed, measures, only)


class CheckParts:
    """The parts of the query of the findings that its macros share."""

    def rows(self, table: str, keys: str) -> str:
        """The rows of a table as text, in parentheses; `keys` is SQL."""
        return f"(\n{check_rows(table, keys)}\n)"

    def means(self, columns: Sequence[Column], ranked: str, has_num_ret: bool) -> str:
        """The means of measures over rankings, given as a query, for each value of `keys`."""
        source = Rankings(f"(\n{ranked}\n)", stored=False, has_num_ret=has_num_ret)
        return measures_query(columns, source, ("keys",), averaged=True)


def check_rows(table: str, keys: str) -> str:
    """The query of the rows of a table as text; `keys` is SQL."""
    return render_template(
        "entry_points/check_rows.sql",
        relation=table,
        keys=keys,
        keys_message=KEYS_MESSAGE,
        string=string,
        without_nan=lambda value: DUCKDB.without_nan.format(value=value),
        field_names=", ".join(map(string, _FIELDS)),
        field_types=", ".join(f"{name} varchar" for name in _FIELDS),
    )


def tie_columns(measures: Iterable[Measure]) -> list[Column]:
    """The measures whose values for the best and the worst order of ties the findings show."""
    return [
        Column(measure.definition, dict(measure.values), DUCKDB.identifier(measure.text))
        for measure in measures
        if not measure.definition.by_subtopic
    ]


def check_query(
    run: str,
    qrels: str | None,
    keys: str,
    measures: Sequence[Measure],
    only: Iterable[str] | None = None,
    parts: CheckParts | None = None,
) -> str:
    """The query of the findings about a run and judgments, or without these about rankings; `keys` is SQL."""
    parts = parts or CheckParts()
    columns = tie_columns(measures)
    renderer = Renderer(NamedColumns(("keys",), DUCKDB, kept=() if qrels else ("relevance",)))
    context: dict[str, Any] = {
        "qrels": qrels,
        "string": string,
        "measures": [{"text": column.name[1:-1].replace('""', '"'), "name": column.name} for column in columns],
        "negative_matters": _where_negative_grades_matter(),
        "threshold_matters": _names(d for d in definitions().values() if d.parameter("rel") is not None),
        "run_rows": parts.rows(run, keys),
        "grade_rows": parts.rows(run, keys) if qrels is None else parts.rows(qrels, "[]::varchar[]"),
    }
    reads = "rankings" if qrels is None else "run"
    asked = [f for f in findings().values() if reads in f.reads and (only is None or f.code in only)]
    if not columns:
        asked = [f for f in asked if f.code != "tie_effects"]
    rendered = [
        {
            "severity": f.severity,
            "what": renderer.text(f.what, **context),
            "what_to_do": f.what_to_do,
            "query": renderer.text(f.body, **context),
        }
        for f in asked
    ]
    judged = qrels is not None
    orders = {
        ties: parts.means(columns, _ranked(renderer, judged, ties), judged) for ties in ("best", "worst") if columns
    }
    return renderer.template("entry_points/check.sql", **context, **orders, findings=rendered)


def _ranked(renderer: Renderer, judged: bool, ties: SqlValue) -> str:
    """The query of rankings with equal scores in an order; rows that cannot be scored are left out."""
    name, inputs = (
        ("judge", {"run": "entry_points/check_run.sql", "qrels": "entry_points/check_grades.sql"})
        if judged
        else ("rank_by_score", {"scored": "entry_points/check_scored.sql"})
    )
    return renderer.relation(
        relations()[name],
        inputs={given: f"(\n{renderer.template(path)}\n)" for given, path in inputs.items()},
        has_rank=dict.fromkeys(inputs, False),
        values={"ties": ties, "missing": "zero", "unjudged": "drop"} if judged else {"ties": ties},
        facts=Facts(duplicates_checked=True),
    )


@cache
def _where_negative_grades_matter() -> str:
    return _names(d for d in definitions().values() if _tells_negative_grades(d))


def _tells_negative_grades(definition: Definition) -> bool:
    """Whether a measure takes a document of a negative grade for one that is not judged."""
    windows, (value,) = Renderer(NamedColumns((), DUCKDB)).expressions(
        [Column(definition, {p.name: 1 if p.default is None else p.default for p in definition.parameters}, "value")]
    )
    return any("relevance >= 0" in text for text in (value, *windows.values()))


def _names(of: Iterable[Definition]) -> str:
    return ", ".join(definition.name for definition in of)


def _finding(code: str, header: dict[str, Any], body: str) -> Finding:
    return Finding(
        code=code,
        severity=header["severity"],
        what=header["what"],
        what_to_do=header["what_to_do"],
        reads=tuple(header["reads"]),
        of_queries=header.get("of_queries", False),
        body=body.strip(),
    )

"""What is wrong, or worth knowing, about rankings, runs and judgments: the findings in `sql/checks/`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb

from ltr_sql.catalog import SQL_FOLDER, Definition, definitions, header_and_body, relations
from ltr_sql.columns import KEYS_MESSAGE, NamedColumns
from ltr_sql.dialects import DUCKDB, string
from ltr_sql.inputs import Session, check_keys, with_session, data_frame
from ltr_sql.measure import DEFAULT_MEASURES, Measure, parse_measures
from ltr_sql.render import Column, Input, Renderer, SqlValue, measures_query

SEVERITIES = ("error", "warning", "info")
COLUMNS = ("severity", "what", "how_many", "first_rows", "what_to_do")
# The columns that findings read, as text; beside the first, which stands for having none.
_FIELDS = ("__ltr_one", "query_id", "doc_id", "subtopic", "rank", "score", "relevance", "num_ret")


@dataclass(frozen=True)
class Finding:
    """A finding as its file defines it; `reads`: 'rankings', or a 'run' with judgments."""

    code: str
    severity: str
    what: str
    what_to_do: str
    reads: tuple[str, ...]
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
        return data_frame(state.con.sql(query), state.frame)

    return with_session(con, run)


def bound_query(
    state: Session,
    rankings: Any,
    qrels: Any,
    keys: Sequence[str],
    measures: Sequence[Measure] = (),
    only: Iterable[str] | None = None,
) -> str:
    """The query of the findings about what a caller handed in; of `only` some of them."""
    table = state.bind(rankings, "run")
    names = check_keys(table, keys, ())
    if table.systems and "system" not in names:
        names = ("system", *names)
    judgments = None if qrels is None else state.bind(qrels, "qrels").sql
    listed = f"[{', '.join(map(string, names))}]::varchar[]"
    return check_query(table.sql, judgments, listed, measures, only)


def check_query(
    run: str,
    qrels: str | None,
    keys: str,
    measures: Sequence[Measure],
    only: Iterable[str] | None = None,
) -> str:
    """The query of the findings about a run and judgments, or without these about rankings; `keys` is SQL."""
    columns = [
        Column(m.definition, dict(m.values), DUCKDB.identifier(m.text)) for m in measures if not m.definition.by_subtopic
    ]
    renderer = Renderer(NamedColumns(("keys",), DUCKDB, kept=() if qrels else ("relevance",)))
    context: dict[str, Any] = {
        "run": run,
        "qrels": qrels,
        "keys": keys,
        "keys_message": KEYS_MESSAGE,
        "string": string,
        "measures": [{"text": m.text, "name": c.name} for m, c in zip(measures, columns, strict=True)] if columns else [],
        "negative_matters": _names(d for d in definitions().values() if _tells_negative_grades(d)),
        "threshold_matters": _names(d for d in definitions().values() if d.parameter("rel") is not None),
        "field_names": ", ".join(map(string, _FIELDS)),
        "field_types": ", ".join(f"{name} varchar" for name in _FIELDS),
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
    orders = {ties: _means(renderer, columns, qrels is not None, ties) for ties in ("best", "worst") if columns}
    return renderer.template("surface/check.sql", **context, **orders, findings=rendered)


def _means(renderer: Renderer, columns: Sequence[Column], judged: bool, ties: SqlValue) -> str:
    """The means of measures with equal scores in an order; rows that cannot be scored are left out."""
    name, inputs = (
        ("judge", {"run": "surface/check_run.sql", "qrels": "surface/check_grades.sql"})
        if judged
        else ("rank_by_score", {"scored": "surface/check_scored.sql"})
    )
    query = renderer.relation(
        relations()[name],
        inputs={given: f"(\n{renderer.template(path)}\n)" for given, path in inputs.items()},
        has_rank=dict.fromkeys(inputs, False),
        values={"ties": ties, "missing": "zero", "unjudged": "drop"} if judged else {"ties": ties},
    )
    return measures_query(columns, Input(f"(\n{query}\n)", counted=judged, stored=False), ("keys",), averaged=True)


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
        body=body.strip(),
    )

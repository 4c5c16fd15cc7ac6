"""Render the findings of `sql/findings/` as one query."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ltr_sql.catalogue.files import SQL_FOLDER, header_and_body
from ltr_sql.catalogue.functions import relations
from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.catalogue.measures import Definition, definitions
from ltr_sql.catalogue.wording import in_sql
from ltr_sql.rendering.columns import KEYS_MESSAGE, CallTimeColumns, NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.measure_columns import Column, Rankings, Shortcuts
from ltr_sql.rendering.renderer import Renderer, measures_query, result_columns
from ltr_sql.rendering.templates import SqlValue, template_of

# What macros say of queries that a run lacks: they do not know the keys of the call.
OF_A_KEY = "If a key is a property of the query, such as its country, add its column to the judgments. "
SEVERITIES = ("error", "warning", "info")


# The columns that findings read, as text. The first one keeps the struct of columns from being empty.
FIELDS = ("__ltr_one", "query_id", "doc_id", "subtopic", "rank", "score", "relevance", "num_ret")


@dataclass(frozen=True)
class Finding:
    """A finding as its file defines it.

    - `code`: name of the file.
    - `severity`: one of `SEVERITIES`.
    - `what`: the finding as a clause; `what_to_do`: how to fix it. Both may be templates.
    - `reads`: 'rankings', 'run' (a run with judgments), or both; 'history' or 'order' (of the rows), which
      `check` adds.
    - `of_queries`: true if it reads only the keys and query_id.
    - `body`: template of the query that counts the offending rows and shows the first of them.
    """

    code: str
    severity: str
    what: str
    what_to_do: str
    reads: tuple[str, ...]
    body: str
    of_queries: bool = False


@cache
def findings() -> dict[str, Finding]:
    """Return the findings by code, errors first."""
    files = {path.stem: header_and_body(path) for path in sorted((SQL_FOLDER / "findings").rglob("*.sql"))}
    found = [Finding(code=code, body=body, **header) for code, (header, body) in files.items()]
    return {f.code: f for f in sorted(found, key=lambda f: SEVERITIES.index(f.severity))}


@dataclass(frozen=True)
class CheckParts:
    """Parts of the findings' query that read the tables. The macros of DuckDB replace them by calls of helper macros.

    - `judged`: true for a run with judgments, false for rankings.
    - `run_rows`, `grade_rows`: relations of the rows of the run, and of the judgments, as text: see `check_rows`. For
      rankings, both are their rows.
    - `means`: returns the query of the means of measures in an order of ties, 'best' or 'worst'. Its last argument is
      the query of the rankings in this order, with a column `keys`.
    """

    judged: bool
    run_rows: str
    grade_rows: str
    means: Callable[[Sequence[Column], str, str], str]


def means_query(columns: Sequence[Column], ranked: str, has_num_ret: bool) -> str:
    """Return the query of the means of measures over `ranked`, a query of rankings with a column `keys`."""
    source = Rankings(f"(\n{ranked}\n)", stored=False, has_num_ret=has_num_ret)
    return measures_query(columns, source, ("keys",), averaged=True)


def check_rows(table: str, keys: str, judgments: str | None = None) -> str:
    """Return the query of the rows of a table as text.

    `keys` is the SQL of a list of names. Those that are columns of the `judgments` name segments of queries.
    """
    return Renderer(CallTimeColumns(keys)).template(
        "rendering/check_rows.sql",
        relation=table,
        keys=keys,
        judgments=judgments,
        keys_message=KEYS_MESSAGE,
        string=string,
        field_names=", ".join(map(string, FIELDS)),
        field_types=", ".join(f"{name} varchar" for name in FIELDS),
    )


def tie_columns(measures: Iterable[Measure]) -> list[Column]:
    """Return the columns of the finding about ties: one per measure that reads one row per document."""
    return result_columns([measure for measure in measures if not measure.definition.by_subtopic], DUCKDB)


def check_query(
    parts: CheckParts,
    measures: Sequence[Measure],
    only: Iterable[str] | None = None,
    *,
    of_macro: bool = False,
    of_a_key: str = "",
) -> str:
    """Return the query of the findings.

    - `parts`: renders the parts of the query that read the tables.
    - `measures`: measures whose dependence on ties is shown.
    - `only`: codes of the findings; all of them by default.
    - `of_macro`: true to advise in the words of SQL, and about any key.
    - `of_a_key`: advice about a key of the call, for queries that a run lacks; see `OF_A_KEY`.
    """
    columns = tie_columns(measures)
    judged = parts.judged
    renderer = Renderer(
        NamedColumns(("keys",), DUCKDB, kept=() if judged else ("relevance",), exact=("score",), exact_from="exact_")
    )
    context: dict[str, Any] = {
        "qrels": judged,
        "string": string,
        "measures": [{"text": column.name[1:-1].replace('""', '"'), "name": column.name} for column in columns],
        "run_rows": parts.run_rows,
        # In rankings, documents without a rank are judged documents that were not retrieved.
        "every_row": "__ltr_run_rows" if judged else "__ltr_grades",
        "grade_rows": parts.grade_rows,
    }
    reads = "run" if judged else "rankings"
    selected = [f for f in findings().values() if reads in f.reads and (only is None or f.code in only)]
    if not columns:
        selected = [f for f in selected if f.code != "tie_effects"]
    rendered = []
    for finding in selected:
        what, what_to_do = words_of(finding.code, OF_A_KEY if of_macro else of_a_key)
        rendered.append(
            {
                "severity": finding.severity,
                "what": what,
                "what_to_do": in_sql(what_to_do) if of_macro else what_to_do,
                "query": renderer.text(finding.body, **context),
            }
        )
    orders = {
        ties: parts.means(columns, ties, _rankings_query(renderer, judged, ties))
        for ties in ("best", "worst")
        if columns
    }
    return renderer.template("rendering/check.sql", **context, **orders, findings=rendered)


def words_of(code: str, of_a_key: str = "") -> tuple[str, str]:
    """Return what a finding is, and what to do, in the words of Python. `of_a_key`: see `check_query`."""
    finding = findings()[code]
    what, what_to_do = (
        template_of(text).render(_names_of_measures(), of_a_key=of_a_key) for text in (finding.what, finding.what_to_do)
    )
    return what, what_to_do


@cache
def _names_of_measures() -> dict[str, str]:
    """Return the names of measures that findings concern."""
    every = definitions().values()
    return {
        "negative_matters": _listed(d for d in every if _reads_negative_grades(d)),
        "threshold_matters": _listed(d for d in every if d.parameter("rel") is not None),
        "accept_shared_ranks": _listed(d for d in every if d.shared_ranks and not d.paired),
    }


def _rankings_query(renderer: Renderer, judged: bool, ties: SqlValue) -> str:
    """Return the query of the rankings under a tie-breaking rule, without rows that cannot be scored."""
    name, inputs = (
        ("judge", {"run": "rendering/check_run.sql", "qrels": "rendering/check_grades.sql"})
        if judged
        else ("rank_by_score", {"scored": "rendering/check_scored.sql"})
    )
    return renderer.relation(
        relations()[name].body,
        inputs={table: f"(\n{renderer.template(path)}\n)" for table, path in inputs.items()},
        has_rank=dict.fromkeys(inputs, False),
        values=relations()[name].options(ties=ties),
        shortcuts=Shortcuts(duplicates_checked=True),
    )


def _reads_negative_grades(definition: Definition) -> bool:
    """Return whether a measure treats documents with a negative grade as unjudged."""
    windows, (value,) = Renderer(NamedColumns((), DUCKDB)).expressions(
        [Column(definition, {p.name: 1 if p.default is None else p.default for p in definition.parameters}, "value")]
    )
    return any("relevance >= 0" in text for text in (definition.row_source.body, value, *windows.values()))


def _listed(measures: Iterable[Definition]) -> str:
    return ", ".join(definition.name for definition in measures)

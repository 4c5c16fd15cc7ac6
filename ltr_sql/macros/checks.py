"""The macros `ltr.check_rankings` and `ltr.check_run`."""

from collections.abc import Iterable, Sequence

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, parse_measures
from ltr_sql.macros.helpers import table_name
from ltr_sql.macros.statements import statements, table_macro
from ltr_sql.rendering.findings import CheckParts, check_query, check_rows, means_query, tie_columns
from ltr_sql.rendering.measure_columns import Column


def check_macros() -> Iterable[str]:
    """Return the statements that create `ltr.check_rankings`, `ltr.check_run` and their helper macros."""
    measures = parse_measures(DEFAULT_MEASURES)
    yield statements(
        "check_helpers",
        rows=check_rows("query_table(rankings)", "keys"),
        run_rows=check_rows("query_table(rankings)", "keys", "query_table(qrels)"),
        means=means_query(tie_columns(measures), "from query_table(rankings)", has_num_ret=False),
    )
    columns = "severity, what was found, how many rows, queries or documents, the first of them, and what to do"
    yield table_macro(
        "check_rankings",
        ["rankings"],
        (),
        check_query(_parts(judged=False), measures, of_macro=True),
        f"Errors, warnings and diagnostics of rankings or a scored table. Returns one row per finding: {columns}.",
    )
    yield table_macro(
        "check_run",
        ["run", "qrels"],
        (),
        check_query(_parts(judged=True), measures, of_macro=True),
        f"Errors, warnings and diagnostics of a run with judgments. Returns one row per finding: {columns}.",
    )


def _parts(judged: bool) -> CheckParts:
    """Return the parts of the findings' query as calls of helper macros."""
    run, qrels, rankings = (table_name(table, "") for table in ("run", "qrels", "rankings"))
    rows = f"ltr.__ltr_check_rows({rankings}, keys)"

    def means(columns: Sequence[Column], ties: str, ranked: str) -> str:
        return f"with __ltr_ranked as (\n{ranked}\n)\nfrom ltr.__ltr_default_means('__ltr_ranked')"

    return CheckParts(
        judged,
        f"ltr.__ltr_check_run_rows({run}, {qrels}, keys)" if judged else rows,
        f"ltr.__ltr_check_rows({qrels}, []::varchar[])" if judged else rows,
        means,
    )

"""`ltr_sql.render`: the SQL text of measures, relations and functions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from ltr_sql.catalogue.functions import OPTIONAL_COLUMNS, TABLES, Relation, builders, relations
from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.catalogue.options import listed_keys, unknown_name
from ltr_sql.catalogue.parameters import Value
from ltr_sql.errors import LtrSqlError
from ltr_sql.rendering.builders import render_builder
from ltr_sql.rendering.columns import EXACT, NamedColumns
from ltr_sql.rendering.dialects import DIALECTS, DUCKDB, Dialect
from ltr_sql.rendering.measure_columns import Column, GivenTable, Lists, Pairs, Rankings
from ltr_sql.rendering.renderer import NEEDS_RANKINGS, Renderer, measures_query, result_columns
from ltr_sql.rendering.sql_text import qualified, translated


def render(
    what: str | Iterable[str],
    dialect: str = "duckdb",
    *,
    keys: Sequence[str] = (),
    by_query: bool = True,
    **names: Any,
) -> str:
    """Return the SQL text of measures, or of a relation such as judge.

    - `what`: a measure string, a list of measure strings, one of the relations 'rank_by_score', 'judge', 'pair' and
      'pair_with_ideal', or a function such as 'fuse', 'click_judgments', 'pool' or 'off_policy'. All measures are
      computed by one query.
    - `dialect`: 'duckdb', 'spark' or 'postgres'.
    - `keys`: grouping columns.
    - `by_query`: false for means over queries. Relations ignore it.
    - `names`: names of the tables by parameter of the macro, such as `rankings="my_rankings"`, `run=` or `qrels=`. By
      default a table has the name of its parameter. Measures beyond accuracy read run and the tables that they need,
      such as documents. `has_weight="documents"` says that these documents have a column weight, and
      `has_query_id="targets"` that these targets have a column query_id.

    The options of a relation are keyword arguments as well, such as `ties=` and `missing=`. By default a run has
    scores only. `has_rank="run"` says that this run has ranks instead, and `has_score="run"` that it has scores too.
    `asked_keys="week"` says which of the keys the table `asked` has, by default all.

    Raises MeasureError for an invalid measure or one that the engine cannot compute, and LtrSqlError for an unknown
    dialect, name or option.

    >>> sql = ltr_sql.render(["RR", "nDCG@10"])
    >>> sql.split()[0]
    'with'
    """
    target = _dialect(dialect)
    text = _rendered(what, target, keys, by_query, names)
    return qualified(text) if target is DUCKDB else translated(text, target)


def _rendered(
    what: str | Iterable[str], target: Dialect, keys: Sequence[str], by_query: bool, names: dict[str, Any]
) -> str:
    if isinstance(what, str) and what in relations():
        return _render_relation(relations()[what], target, keys, names)
    if isinstance(what, str) and what in builders():
        return render_builder(what, target, tuple(keys), names)
    measures = parse_measures([what] if isinstance(what, str) else what)
    columns = result_columns(measures, target)
    if any(column.definition.beyond_accuracy for column in columns):
        return measures_query(
            columns, _named_lists(columns, names), listed_keys(keys), averaged=not by_query, dialect=target
        )
    paired = "pairs" in names
    unknown = set(names) - {"pairs" if paired else "rankings"}
    if unknown:
        raise LtrSqlError(f"measures read rankings= or pairs=, not {', '.join(sorted(unknown))}")
    if paired and not all(column.definition.paired for column in columns):
        raise LtrSqlError("pairs of ranks have no relevance: pass rankings= for measures that need it")
    source = Pairs(names["pairs"], stored=True) if paired else Rankings(names.get("rankings", "rankings"))
    return measures_query(columns, source, listed_keys(keys), averaged=not by_query, dialect=target)


def _named_lists(columns: Sequence["Column"], names: Mapping[str, str]) -> Lists:
    """Return the run and the tables that measures beyond accuracy need, by the names that `render` is given."""
    for column in columns:
        if not column.definition.beyond_accuracy:
            raise LtrSqlError(f"measure {column.definition.name!r} {NEEDS_RANKINGS}: render it apart from the others")
    optional = {f"has_{column}": (table, column) for table, column in OPTIONAL_COLUMNS.items()}
    unknown = set(names) - {"run", *TABLES, "ties", RUN_COLUMN_OPTIONS[0], *optional}
    if unknown:
        raise LtrSqlError(
            f"measures beyond accuracy read run=, {', '.join(f'{name}=' for name in TABLES)}, and take ties= and "
            f"has_rank=, {', '.join(f'{name}=' for name in optional)}, not {', '.join(sorted(unknown))}"
        )
    ranked = names.get(RUN_COLUMN_OPTIONS[0], "").replace(",", " ").split()
    needs = [need for c in columns for need in c.definition.needed(cast("Mapping[str, Value]", c.values))]
    read = [(need.table, column) for need in needs for column in need.columns]
    read += [(table, column) for name, (table, column) in optional.items() if table in names.get(name, "")]
    return Lists(
        names.get("run", "run"),
        has_rank="run" in ranked,
        ties=names.get("ties", "docid_desc"),
        given={
            name: GivenTable(
                names.get(name, name),
                {column for table, column in read if table == name},
                has_rank=name in ranked,
            )
            for name in TABLES
            if name in {need.table for need in needs}
        },
        exact=EXACT,
    )


def _render_relation(relation: Relation, dialect: Dialect, keys: Sequence[str], names: Mapping[str, str]) -> str:
    options = {p.name: p for p in relation.parameters}
    known = [
        *relation.inputs,
        *options,
        *(["asked_keys"] if "asked" in options else []),
        *(name for name in RUN_COLUMN_OPTIONS if name in relation.body),
    ]
    unknown = set(names) - {*known}
    if unknown:
        raise LtrSqlError(f"{relation.macro} takes {', '.join(known)}, not {', '.join(sorted(unknown))}")
    for name, parameter in options.items():
        if name in names and not parameter.allows(names[name]):
            raise LtrSqlError(f"{relation.macro}: {name} must be {parameter.allowed}, got {names[name]!r}")
    with_rank, with_score = (names.get(name, "").replace(",", " ").split() for name in RUN_COLUMN_OPTIONS)
    asked = names["asked_keys"].replace(",", " ").split() if "asked_keys" in names else keys
    values = relation.options(**{name: value for name, value in names.items() if name in options})
    inputs = {name: names.get(name, name) for name in relation.inputs}
    if values.get("asked") is not None:
        inputs["asked"] = values["asked"]
    kept = _KEPT.get(relation.macro, ())
    renderer = Renderer(NamedColumns(tuple(keys), dialect, asked=tuple(asked), kept=kept), dialect)
    read = _read_judgments(renderer, inputs.get("qrels", ""), values)
    if read:
        inputs["qrels"] = "__ltr_read_qrels"
    return renderer.relation(
        relation.body,
        inputs=inputs,
        has_rank={name: name in with_rank for name in relation.inputs},
        has_score=with_score,
        # Nothing checks the scores before the query runs.
        values={**values, "finite_scores": True},
        ctes={"__ltr_read_qrels": read} if read else {},
    )


def _read_judgments(renderer: Renderer, qrels: str, values: Mapping[str, Any]) -> str:
    """Return the query of judgments that the options `grades` and `qrels_duplicates` change, else an empty text."""
    read = ""
    if values.get("grades") is not None:
        read = renderer.graded(qrels, _IDS, values["grades"])
    if values.get("qrels_duplicates", "error") != "error":
        read = renderer.highest_judgments(f"(\n{read}\n)" if read else qrels, _IDS)
    return read


# Options of `render` that name the runs with a column rank or score, because the tables are unknown.
RUN_COLUMN_OPTIONS = ("has_rank", "has_score")


# The columns of judgments besides relevance if the table is unknown.
_IDS = ("query_id", "doc_id")


# Columns that a relation outputs if the table is unknown.
_KEPT = {"rank_by_score": ("doc_id", "relevance"), "pair_with_ideal": ("doc_id", "relevance")}


def _dialect(name: str) -> Dialect:
    if name not in DIALECTS:
        raise LtrSqlError(unknown_name("dialect", name, DIALECTS))
    return DIALECTS[name]

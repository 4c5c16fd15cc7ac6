"""From measures to SQL text: Jinja puts the files of `sql/` together."""

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, cast

from ltr_sql.errors import LtrSqlError, MeasureError
from ltr_sql.language.catalogue import (
    ROWS,
    SHAPES,
    Definition,
    Relation,
    RowSource,
    definitions,
    parameters,
    relations,
)
from ltr_sql.language.measure_strings import parse_measures
from ltr_sql.sqltext.columns import Columns, NamedColumns
from ltr_sql.sqltext.dialects import DIALECTS, DUCKDB, Dialect
from ltr_sql.sqltext.sources import Facts, Pairs, Rankings, Source
from ltr_sql.sqltext.templates import (
    SqlValue,
    Symbol,
    macros_of,
    render_template,
    sql_value,
    suffix_of,
    template_of,
    variables_of,
)
from ltr_sql.sqltext.vocabulary import expression, vocabulary

# Why a measure of scores cannot be computed from rankings.
NEEDS_SCORES = "compares the scores of two runs: a ranking and its ideal order have ranks only"


# A geometric mean takes values below 0.00001 for that, as trec_eval does: 0 would make 0 of any mean.
_AVERAGES = {
    "mean": "avg({0})",
    "sum": "sum({0})",
    "geometric": "exp(avg(ln(case when {0} > 1e-5 then {0} else 1e-5 end)))",
}


@dataclass(frozen=True)
class Column:
    """A measure as a column of a result: its definition, the values of its parameters, its quoted name."""

    definition: Definition
    values: Mapping[str, SqlValue]
    name: str

    def output(self, block: str) -> str:
        """The column read from a block, with the measure's value for a query that has no row there."""
        value = f"{block}.{self.name}"
        return f"{value if self._empty is None else f'coalesce({value}, {self._empty})'} as {self.name}"

    @property
    def _empty(self) -> str | None:
        """The value for a query with nothing relevant as SQL, None if that is NULL."""
        chosen = self.values.get("empty")
        if isinstance(chosen, Symbol):
            return f"case {chosen} when '0' then 0e0 when '1' then 1e0 end"
        if chosen is not None:
            return None if chosen == "skip" else f"{chosen}e0"
        return None if self.definition.empty is None else sql_value(self.definition.empty)

    @property
    def average(self) -> str:
        """The aggregate that makes one value of the values of all queries."""
        return f"{_AVERAGES[self.definition.average].format(f'v.{self.name}')} as {self.name}"


@dataclass
class _Block:
    """The CTEs of one row source (`sql/row_sources/`), with the measures that are summed over it."""

    row_source: RowSource
    suffix: str
    values: Mapping[str, SqlValue]
    columns: list[Column] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.row_source.name}{self.suffix}"

    @property
    def shared_ranks(self) -> bool:
        """Whether its measures take documents at one rank as tied."""
        return all(column.definition.shared_ranks for column in self.columns)


def render(
    what: str | Iterable[str],
    dialect: str = "duckdb",
    *,
    keys: Sequence[str] = (),
    by_query: bool = True,
    **names: str,
) -> str:
    """The SQL text of measures, or of a relation that a ranking is made with.

    `what` is a measure string, a list of them (one query that reads the rankings once), or `rank_by_score`,
    `judge`, `pair` or `pair_with_ideal`. `names` gives the tables by the name of the macro's parameter
    (`rankings="my_rankings"`, `run=`, `qrels=`, ...; each is called like its parameter by default) and the options
    of a relation (`ties=`, `missing=`; `has_rank="run"` for a run that has ranks, not scores; runs to pair that have
    both are named in `has_score` too).
    `keys` are the columns that tell rankings apart. `by_query=False` gives means over queries.
    """
    spelling = _dialect(dialect)
    if isinstance(what, str) and what in relations():
        return _render_relation(relations()[what], spelling, keys, names)
    measures = parse_measures([what] if isinstance(what, str) else what)
    columns = [Column(m.definition, dict(m.values), spelling.identifier(m.text)) for m in measures]
    paired = "pairs" in names
    unknown = set(names) - {"pairs" if paired else "rankings"}
    if unknown:
        raise LtrSqlError(f"measures are rendered over rankings= or pairs=, not {', '.join(sorted(unknown))}")
    if paired and not all(column.definition.paired for column in columns):
        raise LtrSqlError("pairs of ranks have no relevance: only measures of agreement can be rendered over pairs=")
    if isinstance(keys, str):
        raise LtrSqlError(f"keys are a list of column names, got the string {keys!r}: write [{keys!r}]")
    source = Pairs(names["pairs"], stored=True) if paired else Rankings(names.get("rankings", "rankings"))
    return measures_query(columns, source, tuple(keys), averaged=not by_query, dialect=spelling)


def measures_query(
    columns: Sequence["Column"],
    source: Source,
    keys: tuple[str, ...],
    *,
    averaged: bool,
    dialect: Dialect = DUCKDB,
) -> str:
    """The SQL of measures over a relation of rankings, averaged over queries or one row for each.

    Raises MeasureError for a measure that the engine cannot compute, and for one of scores that there are not.
    """
    for column in columns:
        reason = dialect.gaps.get(column.definition.macro)
        if reason is not None:
            raise MeasureError(f"{column.definition.name} is not available on {dialect.name}: {reason}")
        if column.definition.by_score and not source.paired:
            raise MeasureError(f"measure {column.definition.name!r} {NEEDS_SCORES}")
    renderer = Renderer(NamedColumns(keys, dialect), dialect)
    query = renderer.query(columns, source)
    return renderer.averages(columns, query, keys) if averaged else query


def _render_relation(relation: Relation, dialect: Dialect, keys: Sequence[str], names: Mapping[str, str]) -> str:
    options = {p.name: p for p in relation.parameters}
    takes = [*relation.inputs, *options, *(has for has in HAS if has in relation.body)]
    unknown = set(names) - {*takes}
    if unknown:
        known = ", ".join(takes)
        raise LtrSqlError(f"{relation.macro} takes {known}, not {', '.join(sorted(unknown))}")
    for name, parameter in options.items():
        if name in names and not parameter.allows(names[name]):
            raise LtrSqlError(f"{relation.macro}: {name} must be {parameter.allowed}, got {names[name]!r}")
    with_rank, with_score = (names.get(has, "").replace(",", " ").split() for has in HAS)
    return Renderer(NamedColumns(tuple(keys), dialect, kept=_KEPT.get(relation.macro, ())), dialect).relation(
        relation,
        inputs={name: names.get(name, name) for name in relation.inputs},
        has_rank={name: name in with_rank for name in relation.inputs},
        has_score=with_score,
        values={name: names.get(name, parameter.default) for name, parameter in options.items()},
    )


# What names the runs that have a column of a relation when it is written out without knowing the tables.
HAS = ("has_rank", "has_score")

# The columns that a relation hands on when it is written out without knowing the table.
_KEPT = {"rank_by_score": ("doc_id", "relevance"), "pair_with_ideal": ("doc_id", "relevance")}


def _dialect(name: str) -> Dialect:
    if name not in DIALECTS:
        raise LtrSqlError(f"dialect must be one of {', '.join(DIALECTS)}, got {name!r}")
    return DIALECTS[name]


class Renderer:
    """Renders templates for one spelling of columns and one engine."""

    def __init__(self, columns: Columns, dialect: Dialect = DUCKDB) -> None:
        self.dialect = dialect
        # Columns are frozen dataclasses, which mypy does not take for hashable in a protocol.
        self._columns = cast("Hashable", columns)
        self.vocabulary = vocabulary(self._columns, dialect)

    def query(self, columns: Sequence[Column], source: Source) -> str:
        """One row for each query of the input, with a column for each measure."""
        blocks = _blocks(columns)
        shapes = {block.row_source.input for block in blocks}
        # Measures may read more of the relation than others do: subtopics of rankings, scores of pairs.
        source = replace(source, shape=next((s for s in ("covers", "scored_pairs") if s in shapes), source.shape))
        name_of = {column.name: block.name for block in blocks for column in block.columns}
        return self.query_of(
            source,
            row_sources={block.row_source for block in blocks},
            blocks=",\n".join(self.block(block, source) for block in blocks),
            outputs="".join(f",\n{column.output(name_of[column.name])}" for column in columns),
            joins="\n".join(self.join(block.name) for block in blocks),
            reads_num_ret=any(column.definition.counted for column in columns),
        )

    def query_of(
        self,
        source: Source,
        *,
        row_sources: set[RowSource],
        blocks: str,
        outputs: str,
        joins: str,
        reads_num_ret: bool,
    ) -> str:
        """Assemble a query from the rendered parts of its row sources."""
        reads_input_again = (reads_num_ret and not source.only_judged) or source.guard.reads_rows
        read_once = bool(source.queries) and len(row_sources) == 1 and not reads_input_again
        return self.template(
            "entry_points/query.sql",
            recursive="recursive " if any(rows.recursive for rows in row_sources) else "",
            input_name="paired" if source.paired else "rankings",
            input_inline=self.dialect.inline if source.stored or read_once else "",
            queries=source.queries or self.queries(source),
            input=self.rows(source, reads_num_ret),
            reads_num_ret=reads_num_ret,
            by_subtopic=source.by_subtopic and any(rows.input != "covers" for rows in row_sources),
            against_ideal=not source.paired and any(rows.paired for rows in row_sources),
            documents=_documents(source),
            blocks=blocks,
            outputs=outputs,
            joins=joins,
            keys_check=self.vocabulary["keys_check"]("q"),
            condition=source.guard.condition,
        )

    def rows(self, source: Source, reads_num_ret: bool) -> str:
        """The rows of the input: the key and the columns of its shape, numbers as doubles."""
        names = [name for name in SHAPES[source.shape] if not name.startswith("score")]
        optional = {name: True for name in SHAPES[source.shape] if name.startswith("score")}
        if reads_num_ret:
            optional["num_ret"] = source.has_num_ret
        return self.template(
            "entry_points/input.sql",
            names=names,
            optional=optional,
            relation=source.relation,
            integers=source.integers,
        )

    def queries(self, source: Source) -> str:
        """The queries of the input, for each value of the keys."""
        if source.paired and not source.stored:
            return self.template("entry_points/queries_of_stored_rows.sql")
        by_document = source.shape == "rankings"
        return self.template(
            "entry_points/queries.sql",
            relation=source.relation,
            row_check=self.vocabulary["one_row_per_document"]("r") if by_document else "",
        )

    def averages(self, columns: Sequence[Column], query: str, keys: Sequence[str]) -> str:
        """The means over queries of what `query` gives: one row for each value of the keys."""
        names = ", ".join(f"v.{self.dialect.identifier(key)}" for key in keys)
        return self.template(
            "entry_points/averages.sql",
            keys=f"{names}, " if keys else "",
            averages="".join(f",\n{column.average}" for column in columns),
            per_query=query,
            group_by=f"\ngroup by {names}" if keys else "",
        )

    def block(self, block: _Block, source: Source) -> str:
        """The CTEs of one base with the measures that are summed over it."""
        windows, expressions = self.expressions(block.columns)
        reads = min((column.definition.reads for column in block.columns), key=ROWS.index)
        return self.block_of(
            block.row_source,
            block.values,
            counts_rows=source.guard.counts_rows,
            suffix=block.suffix,
            documents=_documents(source),
            reads="all" if reads == "counted" and source.only_judged else reads,
            shared_ranks="true" if source.guard.distinct_ranks or block.shared_ranks else "false",
            windows="".join(f",\n{text} as {name}" for name, text in windows.items()),
            values="".join(
                f",\n{text} as {column.name}" for column, text in zip(block.columns, expressions, strict=True)
            ),
        )

    def expressions(self, columns: Sequence[Column]) -> tuple[dict[str, str], list[str]]:
        """The window columns that measures read, by name, and the expression of each measure."""
        rendered = [
            expression(
                self._columns,
                self.dialect,
                column.definition.macro,
                # 1 and 1.0 are equal, and written differently.
                tuple((name, type(value), value) for name, value in column.values.items()),
            )
            for column in columns
        ]
        windows = {name: text for _, columns_read in rendered for name, text in columns_read}
        return windows, [text for text, _ in rendered]

    def by_rank(self, column: Column) -> tuple[str, str]:
        """The gain of a document and the discount of its rank, as a measure counts them that is a sum over ranks.

        Raises MeasureError for any other measure.
        """
        definition = column.definition
        if definition.discount is None:
            raise MeasureError(f"measure {definition.name!r} {not_by_rank()}")
        counted = {
            name: value for name, value in column.values.items() if name in ("rel", "gain", "max_grade", "level")
        }
        discount = template_of(definition.discount).render(self.vocabulary, **column.values)
        return self.vocabulary["gain_of_document"](**counted), discount

    def block_of(
        self, row_source: RowSource, parameter_values: Mapping[str, SqlValue], counts_rows: bool = False, **parts: str
    ) -> str:
        """Assemble the CTEs of a row source from rendered parts."""
        name = f"__ltr_by_{row_source.name}{parts['suffix']}"
        return self.text(row_source.body, name=name, counts_rows=counts_rows, **parts, **parameter_values)

    def join(self, block: str) -> str:
        """The join of one block to the queries."""
        return f"left join __ltr_by_{block} as {block}\n    on {self.vocabulary['same_key'](block, 'q')}"

    def relation(
        self,
        relation: Relation,
        *,
        inputs: Mapping[str, str],
        has_rank: Mapping[str, bool | Symbol],
        values: Mapping[str, SqlValue],
        has_score: Container[str] = (),
        depth: SqlValue = None,
        with_num_ret: bool = True,
        facts: Facts = Facts(),  # noqa: B008  (immutable)
    ) -> str:
        """The query of a relation over the SQL of its inputs.

        `has_rank` says which runs have ranks, `has_score` which of these have scores as well. Ranks beyond `depth` may
        stay unknown. `with_num_ret` adds the column num_ret to judgments.
        """
        names = dict(self.vocabulary) | {
            "relations": inputs,
            "has_rank": has_rank,
            "has_score": {name: ranks is not True or name in has_score for name, ranks in has_rank.items()},
            "with_num_ret": with_num_ret,
            "in_rank_order": facts.in_rank_order,
            "scores_checked": facts.scores_checked,
            "reject_duplicates": not facts.duplicates_checked,
            **values,
        }
        names["depth"] = depth if self.dialect.smallest_of_largest else None
        names |= macros_of("shared/runs.sql", names)
        return template_of(relation.body).render(names)

    def template(self, path: str, **context: Any) -> str:
        """The text of a template."""
        return render_template(path, **{**self.vocabulary, **context})

    def text(self, text: str, **context: Any) -> str:
        """The text of a template that is not a file of its own."""
        return template_of(text).render(**{**self.vocabulary, **context})


def sums_over_ranks() -> list[Definition]:
    """The measures that are a sum over ranks."""
    return [definition for definition in definitions().values() if definition.discount is not None]


def not_by_rank() -> str:
    """Why another measure cannot be explained, in words."""
    names = ", ".join(definition.name for definition in sums_over_ranks())
    return f"cannot be explained: it is no sum of what the document at each rank adds, as are {names}"


def _documents(source: Source) -> str:
    return "__ltr_graded" if source.by_subtopic else "__ltr_rankings"


@cache
def row_source_parameters(row_source: RowSource) -> list[str]:
    """The parameters of measures that a row source depends on: measures that differ in them do not share it."""
    named = variables_of(row_source.body) & set(parameters())
    return sorted(named if row_source.paired else named - {"k"})


def _blocks(columns: Sequence[Column]) -> list[_Block]:
    blocks: dict[tuple[Any, ...], _Block] = {}
    for column in columns:
        row_source = column.definition.row_source
        values = {name: column.values.get(name) for name in row_source_parameters(row_source)}
        key = (row_source, *values.values())
        if key not in blocks:
            blocks[key] = _Block(row_source, "".join(map(suffix_of, values.values())), values)
        blocks[key].columns.append(column)
    for block in blocks.values():
        block.values = {"k": largest_cutoff(block.columns), **block.values}
    return list(blocks.values())


def largest_cutoff(columns: Iterable[Column]) -> SqlValue:
    """The largest cutoff of some measures, None if one of them has none."""
    cutoffs = [column.values.get("k") for column in columns]
    if len(cutoffs) == 1:
        return cutoffs[0]
    return None if None in cutoffs else max(k for k in cutoffs if isinstance(k, int))

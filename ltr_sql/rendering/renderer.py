"""Render measures and relations as SQL, from the templates in `sql/`."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ltr_sql.catalogue.files import read_template
from ltr_sql.catalogue.functions import ROWS, SHAPES, TABLES, RowSource
from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.catalogue.measures import definitions
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.rendering.columns import EXACT, Columns, NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, Dialect
from ltr_sql.rendering.measure_columns import (
    NUM_RET,
    Block,
    Column,
    GivenTable,
    Lists,
    Shortcuts,
    Source,
    blocks_of,
    building_blocks,
    longest_unsorted,
    row_source_parameters,
)
from ltr_sql.rendering.sql_text import closing, found_in
from ltr_sql.rendering.templates import (
    SqlValue,
    expression,
    macros_of,
    render_template,
    sql_value,
    template_of,
    vocabulary,
)


def running_value(expression: str, row_source: RowSource, key: str) -> str:
    """Return the expression of a measure over rows that are grouped by query and rank: its value down to each rank.

    Each aggregate becomes a window over the groups. Those that read ranks grow from rank to rank, because a document
    without a rank adds nothing to them. The others keep their value for the query.

    This function reads SQL, so that the bodies in `sql/measures/` can say sum(...) as SQL does. If they called a macro
    instead, the case expression in most sums would have to be a string or a block of the template language.
    """
    text, end = "", 0
    for name, start, after in _aggregates(expression):
        aggregate = expression[start:after]
        grows = any(found_in(aggregate, rf"\bd\.{row_source.by_rank['reads']}\b", DUCKDB))
        order = f" order by d.{row_source.by_rank['rank']} asc nulls last" if grows else ""
        text += f"{expression[end:start]}{name}({aggregate}) over (partition by {key}{order})"
        end = after
    return text + expression[end:]


def _aggregates(expression: str) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each aggregate that is not inside another one, where it starts and where it ends."""
    at = 0
    while found := next(found_in(expression, r"\b(?:sum|max)\s*\(", DUCKDB, at), None):
        at = closing(expression, found.end(), DUCKDB) + 1
        yield found["wanted"].rstrip("( "), found.start(), at


# The column that names systems, over which there is no total.
SYSTEM = "system"
# The column that says how many keys, from the last one, a row is a total over: 0 for a segment. A key may be NULL, so a
# NULL does not say so. Until the result, its name is one that no table of the caller has.
TOTAL, TOTAL_WITHIN = "total", "__ltr_total"
# The rows of a level of totals: `nulls` are the keys that they lack, `lacking` is their number, and `fields` are those
# that name a query.
LEVEL = (
    " union all select * replace ({nulls}, cast(struct_pack(query_id := v.query_id, {fields}) as varchar) as query_id)"
    f", cast({{lacking}} as bigint) as {TOTAL_WITHIN} from __ltr_each as v"
)
NULL = "null as {key}"
FIELD = "{key} := v.{key}"
# How means count the keys that a row is a total over.
GROUPING = "grouping({key})"


def with_totals(relation: str, segments: Sequence[str]) -> str:
    """Return SQL of a table of values, and the rows of totals over `segments`, from the last key to the first one.

    Raises InputError if there are no segments.
    """
    quoted = [DUCKDB.identifier(name) for name in refused_without(segments)]
    fields = ", ".join(FIELD.format(key=key) for key in quoted)
    levels = (
        LEVEL.format(
            nulls=", ".join(NULL.format(key=key) for key in quoted[first:]), lacking=len(quoted) - first, fields=fields
        )
        for first in range(len(quoted))
    )
    return totals_text(relation, "".join(levels))


def column_of(key: str) -> str:
    """Return the name that a key has in the result: that of the column of totals is its own."""
    return TOTAL if key == TOTAL_WITHIN else key


def totals_text(relation: str, levels: str) -> str:
    """Return SQL of a table of values and of the rows of totals, given as `levels`."""
    return render_template(
        "rendering/with_totals.sql",
        **building_blocks(DUCKDB),
        relation=relation,
        levels=levels,
        total=TOTAL_WITHIN,
    )


def grouped(keys: Sequence[str]) -> tuple[str, str]:
    """Return the SQL of the column of totals, and that after `group by` of means with totals.

    `keys`: names of columns of v.
    """
    segments = [f"v.{DUCKDB.identifier(name)}" for name in refused_without([name for name in keys if name != SYSTEM])]
    plain = [f"v.{DUCKDB.identifier(name)}" for name in keys if name == SYSTEM]
    counted = " + ".join(GROUPING.format(key=key) for key in segments)
    return f"{counted} as {TOTAL}, ", ", ".join([*plain, f"rollup({', '.join(segments)})"])


NO_SEGMENTS = "totals are the rows over all segments, and no key names segments: pass keys, such as country"
KEY_OF_TOTALS = f"totals adds a column {TOTAL}, and a key has this name: rename the key"


def refused_without(segments: Sequence[str]) -> list[str]:
    """Return the segments. Raises InputError if there are none, and if one has the name of the column of totals."""
    if not segments:
        raise InputError(NO_SEGMENTS)
    if TOTAL in (name.lower() for name in segments):
        raise InputError(KEY_OF_TOTALS)
    return [*segments]


# SQL of the condition on the grade of the documents that measures read.
READ = {"relevant": "> 0", "judged": "is not null"}

# The error for a measure of scores over rankings; the name of the measure precedes it.
NEEDS_SCORES = "compares scores, which rankings lack: pass two runs, or pairs with score_a and score_b"

# The error for weights of queries with a measure of a whole run; the name of the measure precedes it.
NO_WEIGHTS = "has one value for the whole run, which weights of queries cannot change"

# The error for other weights of queries, intervals and tests with a measure that has weights; its name precedes it.
OWN_WEIGHTS = (
    "weights the queries itself, and has no other weights, intervals or tests: pass the measure that it averages, as "
    "AUC for GAUC, and the weights of the queries (docs/recipes.md)"
)

# The errors for a measure of another family.
NEEDS_RUN = "is beyond accuracy and needs a run"
NEEDS_RANKINGS = "needs judged rankings"


def result_columns(measures: Iterable[Measure], dialect: Dialect) -> list[Column]:
    """Return the columns of a result, one per measure."""
    return [Column(m.definition, dict(m.values), dialect.identifier(m.text)) for m in measures]


def measures_query(
    columns: Sequence[Column],
    source: Source,
    keys: tuple[str, ...],
    *,
    averaged: bool,
    dialect: Dialect = DUCKDB,
) -> str:
    """Return the query of measures over a relation: with `averaged` their means, otherwise one row per query.

    Raises MeasureError as `values_query` does.
    """
    query = values_query(columns, source, keys, averaged=averaged, dialect=dialect)
    return Renderer(NamedColumns(keys, dialect), dialect).averages(columns, query, keys) if averaged else query


def values_query(
    columns: Sequence[Column],
    source: Source,
    keys: tuple[str, ...],
    *,
    averaged: bool,
    dialect: Dialect = DUCKDB,
) -> str:
    """Return the query of the values of measures: one row per query, with `averaged` also what their averages read.

    Raises MeasureError for a measure that the engine cannot compute, and for a measure of scores over rankings.
    """
    for column in columns:
        if column.definition.beyond_accuracy != isinstance(source, Lists):
            needs = f"{NEEDS_RUN}: call evaluate" if column.definition.beyond_accuracy else NEEDS_RANKINGS
            raise MeasureError(f"measure {column.definition.name!r} {needs}")
        reason = dialect.gaps.get(column.definition.macro)
        if reason is not None:
            raise MeasureError(f"{column.definition.name} is not available on {dialect.name}: {reason}")
        if column.definition.by_score and not source.paired:
            raise MeasureError(f"measure {column.definition.name!r} {NEEDS_SCORES}")
    if isinstance(source, Lists):
        source = replace(source, unsorted=longest_unsorted(columns))
    exact = source.exact if isinstance(source, Lists) else EXACT
    return Renderer(NamedColumns(keys, dialect, exact=exact), dialect).query(columns, source, averaged)


class Renderer:
    """Renderer of templates for one kind of grouping columns and one dialect."""

    # The SQL of the number of retrieved documents of a query.
    num_ret = NUM_RET

    def __init__(self, columns: Columns, dialect: Dialect = DUCKDB) -> None:
        self.dialect = dialect
        self._columns = columns
        self.vocabulary = vocabulary(columns, dialect)

    def query(self, columns: Sequence[Column], source: Source, averaged: bool = False) -> str:
        """Return the query of measures: one row per query of the input, one column per measure."""
        blocks = blocks_of(columns)
        name_of = {column.name: block.name for block in blocks for column in block.columns}
        shapes = {block.row_source.input for block in blocks}
        # Choose the shape with the most columns that a measure reads, such as subtopics or scores.
        source = replace(source, shape=next((s for s in ("covers", "scored_pairs") if s in shapes), source.shape))
        parts = {
            "blocks": ",\n".join(self.block(block, source, averaged) for block in blocks),
            "outputs": "".join(f",\n{c.output(name_of[c.name], averaged, self.num_ret)}" for c in columns),
            "joins": "\n".join(self.join(block.name, block.row_source.over) for block in blocks),
        }
        if isinstance(source, Lists):
            tables = {table for block in blocks for table in block.row_source.tables}
            return self.lists_query(source, tables=tables, **parts)
        return self.query_of(
            source,
            row_sources={block.row_source for block in blocks},
            **parts,
            reads_num_ret=any(column.reads_num_ret for column in columns),
            values_none_retrieved=any(column.values_none_retrieved for column in columns),
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
        values_none_retrieved: bool = False,
    ) -> str:
        """Assemble a query from the rendered parts of its row sources.

        - `blocks`: the CTEs of the row sources.
        - `outputs`: the columns of the result; `joins`: the joins of the blocks.
        - `reads_num_ret`: true if a measure reads the number of retrieved documents.
        - `values_none_retrieved`: true if a measure has empty = 'none_retrieved'.
        """
        if values_none_retrieved:
            blocks = f"{blocks},\n{self.template('rendering/retrieved.sql')}"
            joins = f"{joins}\n{self.join('retrieved')}"
        reads_input_again = (
            (reads_num_ret and not source.only_judged) or values_none_retrieved or source.guard.reads_rows
        )
        read_once = bool(source.queries) and len(row_sources) == 1 and not reads_input_again
        return self.template(
            "rendering/query.sql",
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
            condition=source.guard.condition,
        )

    def lists_query(self, source: Lists, *, tables: Container[str], blocks: str, outputs: str, joins: str) -> str:
        """Assemble a query of measures beyond accuracy from the rendered parts of its row sources.

        - `tables`: the tables of `TABLES` that the row sources read.
        """
        return self.template(
            "rendering/lists_query.sql",
            lists=self.lists(source, distinct_documents=True),
            given={
                name: self.given(name, source.given.get(name) or self._absent(name, source), source)
                for name in TABLES
                if name in tables
            },
            reject_duplicates=not source.shortcuts.duplicates_checked,
            blocks=blocks,
            outputs=outputs,
            joins=joins,
        )

    def absent(self, name: str, run: str) -> str:
        """Return a relation without rows in place of one of the `TABLES`. `run` is the SQL of the run."""
        ids, types = TABLES[name]
        return self.template("rendering/absent.sql", ids=ids, names=types, run=run)

    def _absent(self, name: str, source: Lists) -> GivenTable:
        return GivenTable(self.absent(name, source.relation), TABLES[name][1], has_rank=True)

    def lists(self, source: Lists, distinct_documents: bool = False) -> str:
        """Return the query of the lists of a run: one row per document, with its rank.

        With `distinct_documents`, the ranks are not checked for duplicate documents: the lists have none, or another
        part of the query rejects them.
        """
        return self.relation(
            read_template("rendering/lists.sql"),
            inputs={"run": source.relation},
            has_rank={"run": source.has_rank},
            values={"ties": source.ties, "distinct_documents": distinct_documents, "unsorted": source.unsorted},
            depth=source.depth,
            shortcuts=source.shortcuts,
        )

    def given(self, name: str, table: GivenTable, source: Lists) -> str:
        """Return the query of one of the `TABLES`."""
        if name == "baseline":
            ungrouped = Renderer(self._columns.ungrouped, self.dialect)
            baseline = replace(source, relation=table.relation, has_rank=table.has_rank, depth=None)
            # The row source of the baseline rejects duplicate documents.
            return ungrouped.lists(baseline, distinct_documents=True)
        ids, types = TABLES[name]
        kinds = {"text": self.dialect.text_type, "number": "double", "numbers": self.dialect.list_type}
        return self.template(
            "rendering/given.sql",
            table=name,
            relation=table.relation,
            ids=ids,
            fields=[(self.dialect.identifier(column), _FIELD_NAMES.get(column, column)) for column in types],
            types={column: kinds[kind] for column, kind in types.items()},
            has=table.has,
        )

    def rows(self, source: Source, reads_num_ret: bool) -> str:
        """Return the query of the rows of the input: the key and the columns of its shape, numbers as doubles."""
        names = [name for name in SHAPES[source.shape] if not name.startswith("score")]
        optional = {name: True for name in SHAPES[source.shape] if name.startswith("score")}
        if reads_num_ret:
            optional["num_ret"] = source.has_num_ret
        return self.template(
            "rendering/input.sql",
            names=[*names, *source.further_columns],
            queries_checked=source.shape == "rankings",
            optional=optional,
            relation=source.relation,
            integers={*source.integers, *source.further_columns},
        )

    def queries(self, source: Source, read: str = READ["judged"]) -> str:
        """Return the query that lists the queries of the input, with their grouping columns.

        `read` is SQL of a condition on the grade of the documents that must not have several rows.
        """
        if source.paired and not source.stored:
            return self.template("rendering/queries_of_stored_rows.sql")
        by_document = source.shape == "rankings"
        return self.template(
            "rendering/queries.sql",
            relation=source.relation,
            by_document=by_document,
            read=read,
        )

    def averages(
        self, columns: Sequence[Column], query: str, keys: Sequence[str], weighted: bool = False, totals: bool = False
    ) -> str:
        """Return SQL that averages measures over queries. `query` is SQL that returns their values per query.

        If the averages are `weighted`, the query returns the weights in a column __ltr_weight. `totals` adds the rows
        over all segments.
        """
        names = ", ".join(f"v.{self.dialect.identifier(key)}" for key in keys)
        total, group_by = grouped(keys) if totals else ("", names)
        return self.template(
            "rendering/averages.sql",
            keys=f"{names}, {total}" if keys else "",
            averages="".join(f",\n{column.weighted_average if weighted else column.average}" for column in columns),
            weighted=weighted,
            counted=f"coalesce({', '.join(f'v.{column.name}' for column in columns)})",
            per_query=query,
            group_by=f"\ngroup by {group_by}" if keys else "",
        )

    def block(self, block: Block, source: Source, averaged: bool) -> str:
        """Return the CTEs of a block, with `averaged` also the weights that measures give queries."""
        windows, expressions = self.expressions(block.columns)
        cheaper = source.windows if block.row_source.name == "documents" else {}
        reads = min((column.reads for column in block.columns), key=ROWS.index)
        return self.block_of(
            block.row_source,
            block.values,
            counts_rows=source.guard.counts_rows,
            suffix=block.suffix,
            documents=_documents(source),
            reads="all" if reads == "counted" and source.only_judged else reads,
            shared_ranks="true" if source.guard.distinct_ranks or block.shared_ranks else "false",
            windows="".join(f",\n{cheaper.get(name, text)} as {name}" for name, text in windows.items()),
            values="".join(
                self.value_columns(column, text, averaged)
                for column, text in zip(block.columns, expressions, strict=True)
            ),
        )

    def expressions(self, columns: Sequence[Column]) -> tuple[dict[str, str], list[str]]:
        """Return the SQL of the window columns that measures read, by name, and the expression of each measure."""
        rendered = [self._expression(column) for column in columns]
        return dict(window for _, windows in rendered for window in windows), [text for text, _ in rendered]

    def value_columns(self, column: Column, text: str, averaged: bool = True) -> str:
        """Return the columns of a measure in a block: its value, whose SQL is `text`, and what its average reads."""
        value = f",\n{text} as {column.name}"
        if not (averaged and column.definition.weight):
            return value
        weight, _ = self._expression(column, "weight")
        return f"{value},\n{weight} as {column.weight_name}"

    def _expression(self, column: Column, part: str = "body") -> tuple[str, tuple[tuple[str, str], ...]]:
        # Pass the types, because 1 and 1.0 are equal but written differently.
        values = tuple((name, type(value), value) for name, value in column.values.items())
        return expression(self._columns, self.dialect, column.definition.macro, values, part)

    def gain_and_discount(self, column: Column) -> tuple[str, str]:
        """Return the SQL of the gain of a document and of the discount of its rank.

        Raises MeasureError for a measure that is not a sum over ranks.
        """
        definition = column.definition
        if definition.discount is None:
            raise MeasureError(f"measure {definition.name!r} {no_breakdown_message()}")
        gain_values = {
            name: value for name, value in column.values.items() if name in ("rel", "gain", "max_grade", "level")
        }
        discount = template_of(definition.discount).render(self.vocabulary, **column.values)
        return self.vocabulary["gain_of_document"](**gain_values), discount

    def block_of(
        self, row_source: RowSource, parameter_values: Mapping[str, SqlValue], counts_rows: bool = False, **parts: str
    ) -> str:
        """Assemble the CTEs of a row source from rendered parts."""
        name = f"__ltr_by_{row_source.name}{parts['suffix']}"
        return self.text(row_source.body, name=name, counts_rows=counts_rows, by_rank="", **parts, **parameter_values)

    def block_by_rank(self, column: Column) -> str:
        """Return the CTEs of a measure for `ltr.explain`: its value down to each rank of each ranking."""
        windows, value = self.running_expression(column)
        source = column.definition.row_source
        return self.block_by_rank_of(
            source,
            {name: column.values.get(name) for name in ("k", *row_source_parameters(source))},
            reads=column.definition.reads,
            shared_ranks="true" if column.definition.shared_ranks else "false",
            windows="".join(f",\n{text} as {name}" for name, text in windows.items()),
            value=value,
        )

    def block_by_rank_of(
        self, row_source: RowSource, parameter_values: Mapping[str, SqlValue], *, value: str, **parts: str
    ) -> str:
        """Assemble the CTEs of a row source for `ltr.explain` from rendered parts."""
        rank = f"d.{row_source.by_rank['rank']}"
        return self.text(
            row_source.body,
            name="__ltr_by_rank",
            counts_rows=False,
            by_rank=f", {rank}",
            suffix="",
            documents="__ltr_explained",
            values=f",\n{rank} as rank,\n{value} as value",
            **parts,
            **parameter_values,
        )

    def running_expression(self, column: Column) -> tuple[dict[str, str], str]:
        """Return the window columns that a measure reads, and its expression as the value down to each rank."""
        windows, (value,) = Renderer(self._columns, self.dialect.with_windows).expressions([column])
        return windows, running_value(value, column.definition.row_source, self.vocabulary["key"]("d"))

    def join(self, block: str, over: str = "query") -> str:
        """Return the join of a block to the queries."""
        same = self.vocabulary["same_run" if over == "run" else "same_key"]
        return f"left join __ltr_by_{block} as {block}\n    on {same(block, 'q')}"

    def relation(
        self,
        body: str,
        *,
        inputs: Mapping[str, str],
        has_rank: Mapping[str, object],
        values: Mapping[str, SqlValue],
        has_score: Container[str] = (),
        depth: SqlValue = None,
        with_num_ret: bool = True,
        only_relevant: bool = False,
        ctes: Mapping[str, str] = MappingProxyType({}),
        shortcuts: Shortcuts = Shortcuts(),  # noqa: B008  (immutable)
    ) -> str:
        """Return the query of a relation, whose template is `body`.

        - `inputs`: the SQL of each input.
        - `has_rank`: whether an input has ranks; a `CallTime` if this is known only when the macro is called.
        - `has_score`: inputs that have scores in addition to ranks.
        - `values`: the options of the relation.
        - `depth`: the largest rank that is needed; deeper documents may get no rank.
        - `with_num_ret`: true to add the column num_ret to judged runs.
        - `only_relevant`: true if other documents need no rank.
        - `ctes`: queries of CTEs that `inputs` name.
        """
        names = dict(self.vocabulary) | {
            "relations": inputs,
            "has_rank": has_rank,
            "has_score": {name: ranks is not True or name in has_score for name, ranks in has_rank.items()},
            "with_num_ret": with_num_ret,
            "ranking": shortcuts.ranking,
            "only_relevant": shortcuts.ranking == "counted" and only_relevant,
            "ctes": ctes,
            "scores_checked": shortcuts.scores_checked,
            "finite_scores": False,
            "reject_duplicates": not shortcuts.duplicates_checked,
            "distinct_documents": shortcuts.distinct_documents,
            "unsorted": 0,
            **values,
        }
        names["depth"] = depth if self.dialect.smallest_of_largest else None
        names |= macros_of("shared/runs.sql", names)
        return template_of(body).render(names)

    def graded(self, relation: str, others: Sequence[str], grades: Mapping[str, float]) -> str:
        """Return the query of a relation with `grades` instead of texts. `others` are its columns besides relevance."""
        return self.template(
            "rendering/grades_of_texts.sql",
            relation=relation,
            others=[self.dialect.identifier(name) for name in others],
            grades=[(self.dialect.string(text), sql_value(float(grade))) for text, grade in grades.items()],
        )

    def highest_judgments(self, relation: str, others: Sequence[str]) -> str:
        """Return the query of the highest grade of each document. `others` are the columns besides relevance."""
        return self.template(
            "rendering/highest_judgments.sql",
            relation=relation,
            others=[self.dialect.identifier(name) for name in others],
            by_subtopic="subtopic" in others,
        )

    def template(self, path: str, **context: Any) -> str:
        """Render a template file."""
        return render_template(path, **{**self.vocabulary, **context})

    def text(self, text: str, **context: Any) -> str:
        """Render a text as a template."""
        return template_of(text).render(**{**self.vocabulary, **context})


# Names of columns that are keywords of SQL.
_FIELD_NAMES = {"group": "group_name"}


def no_breakdown_message() -> str:
    """Return the error for a measure that is not a sum over ranks; the name of the measure precedes it."""
    names = ", ".join(definition.name for definition in definitions().values() if definition.discount is not None)
    return f"has no per-rank breakdown: choose one of {names}"


def _documents(source: Source) -> str:
    return "__ltr_graded" if source.by_subtopic else "__ltr_rankings"

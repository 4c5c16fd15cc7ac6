"""From measures to SQL text: Jinja puts the files of `sql/` together."""

import re
import sys
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, TypeAlias, cast

import jinja2
import jinja2.bccache
import jinja2.meta

from ltr_sql.errors import LtrSqlError, MeasureError
from ltr_sql.language.catalogue import (
    PACKAGE_FOLDER,
    ROWS,
    SQL_FOLDER,
    Definition,
    Relation,
    RowSource,
    Value,
    definitions,
    parameters,
    read_template,
    relations,
)
from ltr_sql.language.measure_strings import parse_measures
from ltr_sql.sqltext.columns import Columns, NamedColumns
from ltr_sql.sqltext.dialects import DIALECTS, DUCKDB, Dialect


@dataclass(frozen=True)
class Symbol:
    """SQL that stands for a value known only when the query runs; `suffix` tells its window columns apart."""

    text: str
    suffix: str = ""

    def __str__(self) -> str:
        return self.text


SqlValue: TypeAlias = Value | Symbol

# Why a measure of scores cannot be computed of rankings, in words.
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
        return None if self.definition.empty is None else _sql(self.definition.empty)

    @property
    def average(self) -> str:
        """The aggregate that makes one value of the values of all queries."""
        return f"{_AVERAGES[self.definition.average].format(f'v.{self.name}')} as {self.name}"


@dataclass(frozen=True)
class Input:
    """The relation that a query of measures reads.

    `relation` is what stands behind `from`. `paired`: it has rank_a and rank_b, not rank and relevance. `by_score`: its
    score_a and score_b are read too. `by_subtopic`: it has a row for each document and subtopic. `counted`: it has
    num_ret. `only_judged`: documents that are not judged have no row. `stored`: reading it twice costs little.
    `queries` is the query of the keys to be measured, where that is not simply the keys of the relation. `checks` is a
    condition on its rows that stops the query, `rows_check` one on all of them together; `rows_counted`: that one reads
    how many rows the base `documents` read. `distinct_ranks`: its ranks are known to be there once in a query each, and
    need no look. `whole`: the columns that hold whole numbers, and so no NaN.
    """

    relation: str
    paired: bool = False
    by_score: bool = False
    by_subtopic: bool = False
    counted: bool = False
    only_judged: bool = False
    stored: bool = True
    queries: str = ""
    checks: str = ""
    rows_check: str = ""
    rows_counted: bool = False
    distinct_ranks: bool = False
    whole: frozenset[str] = frozenset()


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
    source = Input(names["pairs"] if paired else names.get("rankings", "rankings"), paired=paired)
    return measures_query(columns, source, tuple(keys), averaged=not by_query, dialect=spelling)


def measures_query(
    columns: Sequence["Column"],
    source: "Input",
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
    by_subtopic = source.by_subtopic or any(column.definition.by_subtopic for column in columns)
    by_score = any(column.definition.by_score for column in columns)
    query = renderer.query(columns, replace(source, by_subtopic=by_subtopic, by_score=by_score))
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
        self.words = _words(self._columns, dialect)

    def query(self, columns: Sequence[Column], source: Input) -> str:
        """One row for each query of the input, with a column for each measure."""
        blocks = _blocks(columns)
        name_of = {column.name: block.name for block in blocks for column in block.columns}
        return self.query_of(
            source,
            row_sources={block.row_source for block in blocks},
            blocks=",\n".join(self.block(block, source) for block in blocks),
            outputs="".join(f",\n{column.output(name_of[column.name])}" for column in columns),
            joins="\n".join(self.join(block.name) for block in blocks),
            counts=any(column.definition.counted for column in columns),
        )

    def query_of(
        self, source: Input, *, row_sources: set[RowSource], blocks: str, outputs: str, joins: str, counts: bool
    ) -> str:
        """The same, from the texts of its parts; `counts`: measures read how many documents were retrieved."""
        names = ["rank_a", "rank_b"] if source.paired else ["rank", "relevance"]
        optional = {"score_a": True, "score_b": True} if source.by_score else {}
        if counts:
            optional["num_ret"] = source.counted
        if source.by_subtopic:
            names += ["doc_id", "subtopic"]
        counted_apart = counts and not source.only_judged
        read_again = counted_apart or "__ltr_rankings" in source.rows_check
        read_once = bool(source.queries) and len(row_sources) == 1 and not read_again
        rows = self.template(
            "entry_points/input.sql",
            names=names,
            optional=optional,
            relation=source.relation,
            checks=source.checks,
            whole=source.whole,
        )
        return self.template(
            "entry_points/query.sql",
            recursive="recursive " if any(rows.recursive for rows in row_sources) else "",
            input_name="paired" if source.paired else "rankings",
            input_inline=self.dialect.inline if source.stored or read_once else "",
            queries=source.queries or self.queries(source),
            input=rows,
            counts=counts,
            by_subtopic=source.by_subtopic and any(rows.input != "covers" for rows in row_sources),
            against_ideal=not source.paired and any(rows.paired for rows in row_sources),
            documents=_documents(source),
            blocks=blocks,
            outputs=outputs,
            joins=joins,
            keys_check=self.words["keys_check"]("q"),
            rows_check=source.rows_check,
        )

    def queries(self, source: Input) -> str:
        """The queries of the input, for each value of the keys."""
        if source.paired and not source.stored:
            return self.template("entry_points/queries_of_stored_rows.sql")
        single = not source.paired and not source.by_subtopic
        return self.template(
            "entry_points/queries.sql",
            relation=source.relation,
            checks=source.checks,
            row_check=self.words["one_row_per_document"]("r") if single else "",
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

    def block(self, block: "_Block", source: Input) -> str:
        """The CTEs of one base with the measures that are summed over it."""
        windows, expressions = self.expressions(block.columns)
        reads = min((column.definition.reads for column in block.columns), key=ROWS.index)
        return self.block_of(
            block.row_source,
            block.values,
            rows_counted=source.rows_counted,
            suffix=block.suffix,
            documents=_documents(source),
            reads="all" if reads == "counted" and source.only_judged else reads,
            shared_ranks="true" if source.distinct_ranks or block.shared_ranks else "false",
            windows="".join(f",\n{text} as {name}" for name, text in windows.items()),
            values="".join(
                f",\n{text} as {column.name}" for column, text in zip(block.columns, expressions, strict=True)
            ),
        )

    def expressions(self, columns: Sequence[Column]) -> tuple[dict[str, str], list[str]]:
        """The window columns that measures read, by name, and the expression of each measure."""
        rendered = [
            _expression(
                self._columns,
                self.dialect,
                column.definition.macro,
                # 1 and 1.0 are equal, and written differently.
                tuple((name, type(value), value) for name, value in column.values.items()),
            )
            for column in columns
        ]
        windows = {name: text for _, columns_read in rendered for name, text in columns_read}
        return windows, [expression for expression, _ in rendered]

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
        discount = _template(definition.discount).render(self.words, **column.values)
        return self.words["gain_of_document"](**counted), discount

    def block_of(
        self, row_source: RowSource, parameter_values: Mapping[str, SqlValue], rows_counted: bool = False, **parts: str
    ) -> str:
        """The same, from the texts of its parts."""
        name = f"__ltr_by_{row_source.name}{parts['suffix']}"
        return self.text(row_source.body, name=name, rows_counted=rows_counted, **parts, **parameter_values)

    def join(self, block: str) -> str:
        """The join of one block to the queries."""
        return f"left join __ltr_by_{block} as {block}\n    on {self.words['same_key'](block, 'q')}"

    def relation(
        self,
        relation: Relation,
        *,
        inputs: Mapping[str, str],
        has_rank: Mapping[str, bool | Symbol],
        values: Mapping[str, SqlValue],
        has_score: Container[str] = (),
        depth: SqlValue = None,
        counted: bool = True,
        in_order: bool = False,
        finite: bool = False,
        once: bool = True,
    ) -> str:
        """The query of a relation over the texts of its inputs; ranks beyond `depth` may stay unknown.

        `has_score`: runs that have scores beside ranks. `counted`: judgments get num_ret. `in_order`: the run lies in
        rank order, and has its places in __ltr_position. `finite`: the scores are known to be finite.
        `once`: a document that would count twice stops the query; else that is for the caller to see.
        """
        words = dict(self.words) | {
            "relations": inputs,
            "has_rank": has_rank,
            "has_score": {name: ranks is not True or name in has_score for name, ranks in has_rank.items()},
            "counted": counted,
            "in_order": in_order,
            "finite": finite,
            "once": once,
            **values,
        }
        words["depth"] = depth if self.dialect.smallest_of_largest else None
        words |= _macros("shared/runs.sql", words)
        return _template(relation.body).render(words)

    def template(self, path: str, **context: Any) -> str:
        """The text of a template."""
        return render_template(path, **{**self.words, **context})

    def text(self, text: str, **context: Any) -> str:
        """The text of a template that is not a file of its own."""
        return _template(text).render(**{**self.words, **context})


@lru_cache(maxsize=100)
def _words(columns: Hashable, dialect: Dialect) -> Mapping[str, Any]:
    """What the templates are written in: the words of `columns` and of the dialect, and the macros of `sql/shared`."""
    words: dict[str, Any] = {name: getattr(columns, name) for name in dir(columns) if not name.startswith("_")}
    words |= {
        "inline": dialect.inline,
        "text_type": dialect.text_type,
        "error": dialect.error,
        "smallest_of_largest": lambda value, k: (dialect.smallest_of_largest or "").format(value=value, k=k),
        "without_nan": lambda value: dialect.without_nan.format(value=value),
        "larger_before": dialect.larger_before and dialect.larger_before.format,
        "numbers": lambda last: dialect.numbers.format(last=last),
        "broadcast": lambda relation: dialect.broadcast.format(relation=relation),
        "cut_first": dialect.cut_first,
    }
    for file in ("expressions", "windows", "ties", "inversions", "validation", "counts", "findings"):
        words |= _macros(f"shared/{file}.sql", words)
    return words


def _macros(path: str, words: Mapping[str, Any]) -> dict[str, Any]:
    """The macros of a template that is written in some words."""
    module = _environment().get_template(path).make_module(dict(words))
    return {name: word for name, word in vars(module).items() if not name.startswith("_")}


@lru_cache(maxsize=10_000)
def _expression(
    columns: Hashable, dialect: Dialect, macro: str, values: tuple[tuple[str, type, SqlValue], ...]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The body of a measure as an expression over its base, and the window columns that it reads with their texts."""
    bodies = _Bodies(_words(columns, dialect))
    expression = bodies.expression(definitions()[macro], {name: value for name, _, value in values})
    # A column may be called for a value that the call gives: __ltr_relevant_so_far{_rel}.
    read = set(re.findall(r"\bd\.([\w{}]+)", expression))
    return expression, tuple((name, text) for name, text in bodies.windows.items() if name in read)


class _Bodies:
    """The bodies of measures as expressions over a base; collects the window columns that they read."""

    def __init__(self, words: Mapping[str, Any]) -> None:
        self.windows: dict[str, str] = {}
        self._words = dict(words)
        for name in _window_names():
            self._words[name] = self._window_column(name, words[name])
        for definition in definitions().values():
            self._words[definition.macro] = self._measure(definition)

    def expression(self, definition: Definition, values: Mapping[str, SqlValue]) -> str:
        """The body of a measure with the values of its parameters."""
        return _template(definition.body).render(self._words, **values)

    def _measure(self, definition: Definition) -> Callable[..., str]:
        names = [parameter.name for parameter in definition.parameters]

        def measure(*values: SqlValue) -> str:
            given = dict(zip(names, values, strict=True))
            return f"({_template(definition.body).render(self._words, **given)})"

        return measure

    def _window_column(self, name: str, window: Callable[..., str]) -> Callable[..., str]:
        # Values tell window columns apart; texts, given by name, do not.
        def window_column(*values: SqlValue, **texts: str) -> str:
            column = f"__ltr_{name}{''.join(map(_suffix, values))}"
            self.windows[column] = window(*values, **texts)
            return f"d.{column}"

        return window_column


@cache
def _window_names() -> list[str]:
    """The macros of `sql/shared/windows.sql`."""
    return re.findall(r"{% macro (\w+)", read_template("shared/windows.sql"))


def sums_over_ranks() -> list[Definition]:
    """The measures that are a sum over ranks."""
    return [definition for definition in definitions().values() if definition.discount is not None]


def not_by_rank() -> str:
    """Why another measure cannot be explained, in words."""
    names = ", ".join(definition.name for definition in sums_over_ranks())
    return f"cannot be explained: it is no sum of what the document at each rank adds, as are {names}"


def _documents(source: Input) -> str:
    return "__ltr_graded" if source.by_subtopic else "__ltr_rankings"


@cache
def row_source_parameters(row_source: RowSource) -> list[str]:
    """The parameters of measures that a row source depends on: measures that differ in them do not share it."""
    syntax = _environment().parse(row_source.body)
    named = jinja2.meta.find_undeclared_variables(syntax) & set(parameters())
    return sorted(named if row_source.paired else named - {"k"})


def _blocks(columns: Sequence[Column]) -> list[_Block]:
    blocks: dict[tuple[Any, ...], _Block] = {}
    for column in columns:
        row_source = column.definition.row_source
        values = {name: column.values.get(name) for name in row_source_parameters(row_source)}
        key = (row_source, *values.values())
        if key not in blocks:
            blocks[key] = _Block(row_source, "".join(map(_suffix, values.values())), values)
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


def _suffix(value: SqlValue) -> str:
    if isinstance(value, Symbol):
        return value.suffix
    return "_" + re.sub(r"\W", "_", "all" if value is None else str(value))


def _sql(value: SqlValue) -> str:
    """A value as SQL. Numbers that are not whole are written as doubles, never as decimals."""
    if value is None:
        return "null"
    if isinstance(value, float):
        text = repr(value)
        return text if "e" in text else f"{text}e0"
    return str(value)


def render_template(template: str, **context: Any) -> str:
    """The text of a template of `sql/`."""
    return _environment().get_template(template).render(context)


class _CompiledTemplates(jinja2.FileSystemBytecodeCache):
    """Templates that are compiled, kept beside Python's compiled modules if these are kept."""

    def __init__(self) -> None:
        super().__init__(str(PACKAGE_FOLDER / "__pycache__"), f"%s.{sys.implementation.cache_tag}.jinja2")

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Keep a template; where that is not possible, it is compiled again next time."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.DictLoader(_TEXTS), jinja2.FileSystemLoader(SQL_FOLDER)]),
        bytecode_cache=_CompiledTemplates(),
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: _sql(value) if isinstance(value, float) else value,
        trim_blocks=False,
        keep_trailing_newline=False,
    )
    environment.tests["symbol"] = lambda value: isinstance(value, Symbol)
    return environment


# Texts that are templates of their own, by their hash: what has a name is compiled once, and kept.
_TEXTS: dict[str, str] = {}


@cache
def _template(text: str) -> jinja2.Template:
    name = sha256(text.encode()).hexdigest()
    _TEXTS[name] = text
    return _environment().get_template(name)

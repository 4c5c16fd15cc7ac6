"""The command trec_eval."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from ltr_sql.catalogue.functions import relations
from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.catalogue.options import Reading
from ltr_sql.command_line.options import FILE, Command, output_option, popped, reading_options, write_output
from ltr_sql.command_line.trec_eval_outputs import (
    RELSTRING,
    RELSTRING_LENGTH,
    RUN_ID,
    Output,
    line,
    measure,
    names_of_outputs,
    outputs_named,
)
from ltr_sql.errors import InputError
from ltr_sql.inputs.binding import DUPLICATES_CHECKED, Bound, Tables, bind_tables, ranked_by_score
from ltr_sql.inputs.gains import Gains
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Keys, Table, with_equal_ids
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.templates import render_template
from ltr_sql.stages import MEASURES, stage
from ltr_sql.validation.checks import look_for, quick_check_run, unmatched_queries
from ltr_sql.validation.suspicions import fractional_grades

_TIES = "docid_desc"
# What happens to judged queries that the run lacks, with and without -c.
_WITH_C, _WITHOUT_C = "they count as 0", "they are left out without -c"


@dataclass(frozen=True)
class TrecEvalOptions:
    """trec_eval's options."""

    by_query: bool = False  # -q
    complete: bool = False  # -c
    no_summary: bool = False  # -n
    level: int = 1  # -l
    depth: int | None = None  # -M
    judged_only: bool = False  # -J
    collection_size: int = 0  # -N

    @property
    def shortens_run(self) -> bool:
        """True if -M or -J leaves out documents of the run."""
        return self.depth is not None or self.judged_only


def printed_lines(
    qrels: Any, run: Any, names: Sequence[str], options: TrecEvalOptions, reading: Mapping[str, Any] | None = None
) -> list[str]:
    """Return the lines that trec_eval 10 prints for a run. The help of the command lists the few that differ.

    - `qrels`, `run`: in any form that `ltr_sql.evaluate` accepts.
    - `names`: measures and groups by trec_eval's names, with arguments after a point; by default 'official'.
    - `reading`: options of `catalogue.options.Reading`.

    Raises MeasureError for an unknown name or an invalid argument, and InputError for input that cannot be scored.
    """
    outputs = [
        output.in_collection(options.collection_size) for output in outputs_named(names or ["official"], options.level)
    ]
    measures = _measures_by_gains(outputs) or {None: [measure("num_q")]}

    def printed(state: Session) -> tuple[list[str], list[str]]:
        state.comments = True
        given = state.bind(run, "run"), state.bind(qrels, "qrels")
        texts = _note_on_fractions(state, given[1])
        whole_run, judgments = with_equal_ids(given[0], _whole_grades(given[1]))
        tables = whole_run, judgments
        quick_check_run(state.con, "the run", tables[0], ())
        look_for(state.con, Tables(*tables, Keys()), {"duplicate_judgments"})
        consequence = _WITH_C if options.complete else _WITHOUT_C
        texts += unmatched_queries(state.con, *tables, consequence=consequence)
        relstrings = [output for output in outputs if output.name == RELSTRING and options.by_query]
        ranked = _shorten_run(state, tables, options) if relstrings or options.shortens_run else tables[0]
        values_by_query: dict[Any, dict[Any, Any]] = {}
        averages: dict[Any, Any] = {} if options.no_summary else {RUN_ID: _run_id(run, tables[0])}
        for gains, group in measures.items():
            judged = (tables[0], tables[1] if gains is None else gains.replace_grades(state.con, tables[1]))
            bound = _bind_shortened_run(judged, ranked, group, options)
            for query, values in _values_by_query(state, bound, group, averages, gains):
                values_by_query.setdefault(query, {}).update(values)
        if not values_by_query:
            raise InputError("no query of the run is judged: compare the query ids of run and judgments")
        lines = []
        if options.by_query:
            shown = {output.printed: _relstring_by_query(state, ranked, tables[1], output) for output in relstrings}
            for query, values in values_by_query.items():
                values |= {name: by_query.get(query, "''") for name, by_query in shown.items()}
                lines += [line(each.printed, str(query), each.value(values)) for each in outputs if each.per_query]
        if not options.no_summary:
            lines += [line(each.printed, "all", each.value(averages)) for each in outputs if each.in_summary]
        return lines, texts

    lines: list[str] = with_warnings(None, printed, {**(reading or {}), "convention": "trec_eval"}, stacklevel=3)
    return lines


def _note_on_fractions(state: Session, qrels: Table) -> list[str]:
    """Return a warning if grades have fractions, which trec_eval does not read."""
    if "relevance" not in qrels.columns or qrels.kind("relevance") != "fraction":
        return []
    number, examples = fractional_grades(state.con, qrels)
    if not number:
        return []
    return [
        f"grades lose their fraction, as in trec_eval ({number:,}): {examples}. ltr_sql.evaluate reads them as they are"
    ]


def _whole_grades(qrels: Table) -> Table:
    """Return judgments with grades as trec_eval reads them: without their fraction."""
    qrels.require("the judgments", "query_id", "doc_id", "relevance")
    if qrels.kind("relevance") != "fraction":
        return qrels
    return qrels.replaced({"relevance": "trunc(t.relevance)"}, {})


def _run_id(run: Any, table: Table) -> str:
    """Return the run id of the first line, or the name of a file in another format."""
    return table.run_ids[0] if table.run_ids else Path(run).stem


def _measures_by_gains(outputs: Sequence[Output]) -> dict[Gains | None, list[Measure]]:
    """Group the measures by custom gains, without duplicates."""
    found: dict[Gains | None, dict[str, Measure]] = {}
    for output in outputs:
        if output.measures:
            found.setdefault(output.gains, {}).update({measure.text: measure for measure in output.measures})
    return {gains: list(measures.values()) for gains, measures in found.items()}


def _values_by_query(
    state: Session, bound: Bound, measures: Sequence[Measure], averages: dict[Any, Any], gains: Gains | None
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Yield each query with its values, by gains and measure string. Adds the values for all queries to `averages`."""
    # Sum in the order of ids as text, as trec_eval does, so that sums agree in the last bit.
    stage(MEASURES)
    query = f"from (\n{bound.query(measures, averaged=False)}\n)\norder by cast(query_id as varchar) asc"
    state.con.execute(f"create or replace temp table __ltr_values as\n{query}")
    (row,) = state.records(bound.averages(measures, "from __ltr_values"))
    averages.update({(gains, name): value for name, value in row.items()})
    for row in state.records("from __ltr_values"):
        yield row.pop("query_id"), {(gains, name): value for name, value in row.items()}


def _shorten_run(state: Session, tables: tuple[Table, Table], options: TrecEvalOptions) -> Table:
    """Rank the run and apply -M and -J."""
    run, qrels = tables
    renderer = Renderer(NamedColumns((), run.dialect, kept=("doc_id",), exact=()), run.dialect)
    by_score = ranked_by_score(renderer, run, _TIES)
    query = renderer.template(
        "command_line/shortened_run.sql",
        run=run.sql if "rank" in run.columns else f"(\n{by_score}\n)",
        depth=options.depth,
    )
    if options.judged_only:
        judged = Renderer(NamedColumns((), run.dialect, exact=()), run.dialect).relation(
            relations()["judge"].body,
            inputs={"run": f"(\n{query}\n)", "qrels": qrels.sql},
            has_rank={"run": True},
            values=relations()["judge"].options(unjudged="remove"),
            with_num_ret=False,
            shortcuts=DUPLICATES_CHECKED,
        )
        query = f"select j.query_id, j.doc_id, j.rank from (\n{judged}\n) as j where j.rank is not null"
    state.con.execute(f"create temp table __ltr_shortened as\n{query}")
    return state.table("__ltr_shortened")


def _bind_shortened_run(
    tables: tuple[Table, Table], ranked: Table, measures: Sequence[Measure], options: TrecEvalOptions
) -> Bound:
    """Bind the ranked run and the judgments. The queries come from the whole run, before -M and -J."""
    run, qrels = tables
    missing = "zero" if options.complete else "skip"
    bound = bind_tables(Tables(ranked, qrels, Keys(ranked.grouped_by)), measures, ties=_TIES, missing=missing)
    queries = Renderer(NamedColumns((), run.dialect), run.dialect).template(
        "inputs/judged_queries.sql",
        relations={"run": run.sql, "qrels": qrels.sql},
        missing=missing,
        segments={},
        counted="",
    )
    return replace(bound, source=replace(bound.source, queries=queries))


def _relstring_by_query(state: Session, ranked: Table, qrels: Table, output: Output) -> dict[Any, str]:
    """Return the grades of the top documents of each query as one text."""
    query = render_template(
        "command_line/relstring.sql", run=ranked.sql, qrels=qrels.sql, depth=int(output.argument or RELSTRING_LENGTH)
    )
    return {row["query_id"]: f"'{row['grades']}'" for row in state.records(query)}


@click.command(cls=Command, name="trec_eval")
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@click.option(
    "-m",
    "--measure",
    "names",
    multiple=True,
    metavar="MEASURE",
    shell_complete=lambda ctx, param, typed: [name for name in names_of_outputs() if name.startswith(typed)],
    help="A measure such as map or P.5,10, or a group such as official or all_trec; may be repeated.",
)
@click.option("-q", "--query_eval_wanted", "by_query", is_flag=True, help="Also print the values of each query.")
@click.option(
    "-c", "--complete_rel_info_wanted", "complete", is_flag=True, help="Judged queries that the run lacks count as 0."
)
@click.option("-n", "--nosummary", "no_summary", is_flag=True, help="Leave out the averages over all queries.")
@click.option("-l", "--level_for_rel", "level", type=click.IntRange(min=1), default=1, help="Smallest relevant grade.")
@click.option(
    "-M", "--Max_retrieved_docs_per_topic", "depth", type=click.IntRange(min=1), help="Cut each ranking at this depth."
)
@click.option(
    "-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Remove unjudged documents from the ranking."
)
@click.option(
    "-N",
    "--Number_docs_in_coll",
    "collection_size",
    type=click.IntRange(min=0),
    default=0,
    help="Number of documents in the collection, which utility reads.",
)
@reading_options
@output_option
def trec_eval(qrels: str, run: str, names: Sequence[str], output: str | None, **options: Any) -> None:
    """Print the lines of trec_eval 10 for RUN, with trec_eval's options and measure names.

    As in trec_eval, lines that start with # are comments, and grades lose their fraction.

    This command differs where trec_eval 10 has defects. Without -c, trec_eval stops at a judged query that RUN lacks;
    here it is left out. With -c and -l, trec_eval counts num_rel at level 1; here at the given level. trec_eval
    rescales rbp by uninitialised memory; here rbp is binary unless it has gains (rbp.1=0.5,2=1). With -l, trec_eval
    sets Rndcg to 0 if no grade reaches the level; here Rndcg keeps its value. trec_eval treats gains that differ by
    less than 1 as equal; here they differ. Gains must be at least 0. If the levels of 11pt_avg are not
    ascending, trec_eval reads some of them as 0; here they must be ascending.
    """
    reading = popped(Reading, options)
    lines = printed_lines(qrels, run, names, TrecEvalOptions(**options), reading)
    write_output("".join(f"{text}\n" for text in lines), output)

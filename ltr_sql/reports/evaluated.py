"""What a report is made of: systems evaluated once."""

import base64
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.comparison.values import described_values, with_datasets
from ltr_sql.errors import InputError
from ltr_sql.evaluation.accuracy import measured_table, tables_of
from ltr_sql.evaluation.options import Averaging, EvaluationOptions, Inputs, averaging_of
from ltr_sql.evaluation.values import QueryValues, corrected, judgments_of_people, measured, weighed
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table, listed_names, systems_without_documents, with_equal_ids
from ltr_sql.rendering.comparisons import Choices
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.spread import WEIGHT, spread_query
from ltr_sql.rendering.templates import render_template


@dataclass(frozen=True, kw_only=True)
class Arguments(EvaluationOptions):
    """The arguments of `report`: how its values are evaluated by query, and what it makes of them.

    - `measures`: measures with a value for each query; `of_runs`: those with one value for a run.
    - `trend`: the column of the periods of the rankings, or None.
    - `comparison`: options of `compare`, such as test, seed and weights; `choices`: these options as SQL.
    """

    inputs: Inputs
    of_runs: tuple[Measure, ...]
    convention: str | None
    baseline: str | None
    queries: Any
    title: str | None
    comparison: Mapping[str, Any]
    choices: Choices
    lists: int
    depth: int
    command: str | None
    trend: str | None

    @property
    def segments(self) -> Sequence[str]:
        """The columns that define segments: the keys after system."""
        return self.keys[1:]

    @property
    def ties_of_first(self) -> str:
        """The tie-breaking rule of the first measure, in whose order the documents of queries are listed."""
        return self.measures[0].ties or self.ties

    def rules(self, name: str) -> str:
        """Return the rule `ties` or `missing` with the measures for which the convention sets another one."""
        others = [f"{measure.text}: {rule}" for measure in self.measures if (rule := getattr(measure, name))]
        return "; ".join([getattr(self, name), *others])


@dataclass(frozen=True)
class Evaluated:
    """The evaluated systems: what the sections of a report read.

    - `run`, `qrels`, `tables`: the rankings, the judgments, and the tables that measures beyond accuracy read.
    - `values`: table of values by query, with a column per measure, `RETRIEVED` and `JUDGED`, and perhaps weights.
    - `systems`: names of the systems, in input order.
    - `baseline`: the system that the others are compared with; None if there is only one system.
    - `compared`: the values that are compared: `values`, perhaps with those of people and with clusters.
    - `people`: judgments by people for a sample of the queries, or None.
    - `warnings`: warnings of the evaluation, of the weights and of the judges.
    - `history`: the values of all periods, of which the other fields hold the latest; None without periods.
    """

    state: Session
    arguments: Arguments
    run: Table
    qrels: Table | None
    tables: Mapping[str, Table]
    values: Table
    compared: Table
    systems: list[str]
    baseline: str | None
    warnings: Sequence[str]
    people: Table | None = None
    history: Table | None = None

    @property
    def names(self) -> list[str]:
        """The names of the measures with a value for each query."""
        return [measure.text for measure in self.arguments.measures]

    @property
    def unanswered(self) -> list[str]:
        """The systems that answered each query without a document."""
        return systems_without_documents(self.state.rows, self.run)


def evaluated_systems(state: Session, arguments: Arguments, of_curves: Iterable[Measure]) -> Evaluated:
    """Bind the inputs, and evaluate the measures of the report and of its curves by query."""
    given = arguments.inputs
    run = _with_systems(state, given.rankings)
    qrels = None if given.qrels is None else state.bind(given.qrels, "qrels")
    if qrels is not None and state.database is None:
        across = arguments.comparison["across"]
        if across is not None:
            run, qrels = with_datasets(state, run, qrels, across, arguments.missing)
        run, qrels = _with_segments(state, run, qrels, arguments.segments)
    tables = _bound_tables(state, arguments)
    averaging, people = _averaging(state, arguments)
    curves = tuple(of_curves)
    read = tables_of((*arguments.measures, *curves), tables) if arguments.of_runs else tables
    history = None
    if arguments.trend is not None:
        history, run = _history(state, Inputs(run, qrels, read), arguments)

    def with_curves(state: Session, inputs: Inputs, options: EvaluationOptions) -> tuple[Table, list[str]]:
        known = {measure.text.lower() for measure in options.measures}
        others = (measure for measure in curves if measure.text.lower() not in known)
        return described_values(state, inputs, replace(options, measures=(*options.measures, *others)))

    values, warnings = measured(state, Inputs(run, qrels, read), arguments, averaging, with_curves)
    _refuse_several_rankings(state, values.table, arguments.segments)
    compared, of_judges = _judged(state, values, averaging)
    values, of_weights = _weighted(state, values, averaging)
    warnings = [*of_weights, *of_judges, *warnings]
    systems = list(run.systems) or _systems_of(state, values.table)
    return Evaluated(
        state=state,
        arguments=arguments,
        run=run,
        qrels=qrels,
        tables=tables,
        values=values.table,
        compared=compared or values.table,
        people=people,
        systems=systems,
        baseline=_baseline(arguments.baseline, systems),
        warnings=[*state.taken_notes(), *warnings],
        history=history,
    )


def _averaging(state: Session, arguments: Arguments) -> tuple[Averaging, Table | None]:
    """Return how people, clusters and weights change the comparisons, and people's judgments."""
    human = arguments.comparison["human"]
    people = None if human is None else judgments_of_people(state, human)
    return averaging_of({**arguments.comparison, "ci": "t", "human": people}), people


def _history(state: Session, inputs: Inputs, arguments: Arguments) -> tuple[Table, Table]:
    """Return the values of all periods, and the rankings of the latest one. Raises InputError for an unknown column."""
    run, by = inputs.rankings, arguments.trend
    if by is None or by not in run.columns:
        raise InputError(
            f"trend names {by!r}, which is not a column of the rankings: the columns are {listed_names(run.columns)}"
        )
    values, _ = measured_table(state, inputs, replace(arguments, keys=("system", by), check=False))
    return values, replace(_last_period(state, run, by), systems=run.systems, grouped_by=run.grouped_by)


def _last_period(state: Session, run: Table, by: str) -> Table:
    """Return the rows of a run in its last period, in which a system may have answered without a document.

    From then on, the queries that were asked are those of this period. `by` names the column of the periods.
    """
    asked = state.asked if state.asked is not None and by in state.asked.columns else None
    period = f"cast(t.{DUCKDB.identifier(by)} as {run.columns[by]})"
    periods = [run.distinct(by), *([] if asked is None else [asked.distinct(by)])]
    every = " union all ".join(f"select {period} as period from {table.sql} as t" for table in periods)
    last = f"{period} = (select max(p.period) from ({every}) as p)"
    found = run.where(last)
    if asked is None:
        return found
    state.asked, state.joined = asked.where(last), None
    unanswered = state.asked
    if "system" not in asked.columns:
        systems = f"{unanswered.sql} as a cross join {run.distinct('system').sql} as s"
        unanswered = state.table(f"(select s.system, a.* from {systems})")
    return replace(found, unanswered=unanswered)


def _refuse_several_rankings(state: Session, values: Table, keys: Sequence[str]) -> None:
    """Raise InputError if a key gives a system several values of one query, because it is a column of the run only."""
    rows = state.rows(
        f"select cast(v.system as varchar), cast(v.query_id as varchar) from {values.sql} as v "
        "group by v.system, v.query_id having count(*) > 1 order by all asc limit 1"
    )
    for system, query_id in rows if keys else []:
        raise InputError(
            f"a report compares systems by one value for each query, but system {system} has several of query "
            f"{query_id}, one for each {' and '.join(keys)}: if {' and '.join(keys)} divides the queries, make it a "
            "column of the judgments; if it names periods, pass it as trend; otherwise write one report for each, or "
            "put it into the names in system"
        )


def _with_systems(state: Session, rankings: Any) -> Table:
    """Bind rankings as a table with a column system. A single run is named by its run id, else its file, else 'run'."""
    run = state.bind(rankings, "run")
    if "system" not in run.columns and state.database is not None:
        raise InputError(
            f"a report from a database reads the names of the systems from the column system, and the table has "
            f"{listed_names(run.columns)}: make a view with this column"
        )
    if "system" not in run.columns:
        name = Path(rankings).name.partition(".")[0] if isinstance(rankings, str | os.PathLike) else "run"
        run = state.bind({run.run_ids[0] if len(run.run_ids) == 1 else name: run}, "run")
    return replace(run, grouped_by=("system",))


def _with_segments(state: Session, run: Table, qrels: Table, keys: Sequence[str]) -> tuple[Table, Table]:
    """Return the tables with the keys that only the run has as columns of the judgments, if they divide the queries.

    A judged query that no system has is in no segment.
    """
    names = [key for key in keys if key in run.columns and key not in qrels.columns]
    if not names or not {"query_id", "doc_id"} <= run.columns.keys() & qrels.columns.keys():
        return run, qrels
    run, qrels = with_equal_ids(run, qrels)
    listed = ", ".join(map(DUCKDB.identifier, names))
    segments = run.distinct("query_id", *names).sql
    if state.rows(f"select 1 from {segments} as s group by s.query_id having count(*) > 1 limit 1"):
        return run, qrels
    kept = ", ".join(f"t.{DUCKDB.identifier(name)}" for name in run.columns if name not in names)
    columns = {name: kind for name, kind in run.columns.items() if name not in names}
    sql = f"(select {kept} from {run.sql} as t)"
    joined = f"(select q.*, {listed} from {qrels.sql} as q left join {segments} as s on s.query_id = q.query_id)"
    return (
        replace(run, sql=sql, columns=columns, positions="", queries=""),
        replace(
            qrels, sql=joined, columns={**qrels.columns, **{name: run.columns[name] for name in names}}, positions=""
        ),
    )


def _bound_tables(state: Session, arguments: Arguments) -> dict[str, Table]:
    """Bind the tables that measures beyond accuracy read."""
    measures = (*arguments.measures, *arguments.of_runs)
    needed = {need.table for measure in measures for need in measure.definition.needed(dict(measure.values))}
    return {
        name: state.bind(table, name)
        for name, table in arguments.inputs.tables.items()
        if table is not None and (name in needed or name != "documents")
    }


def _judged(state: Session, values: QueryValues, averaging: Averaging) -> tuple[Table | None, list[str]]:
    """Return the values with those of people and with clusters, or None if neither is given, and warnings."""
    if not averaging.has_own_interval:
        return None, []
    judged, notes = corrected(state, values, averaging)
    judged, more = weighed(state, judged, averaging)
    return replace(state.load(judged.table.sql), positions=""), [*notes, *more]


def _weighted(state: Session, values: QueryValues, averaging: Averaging) -> tuple[QueryValues, list[str]]:
    """Return the values with the weights of the queries, if given, and notes on the weights."""
    if averaging.weights is None:
        return values, []
    weighted, warnings = weighed(state, values, averaging, values.strata)
    table = replace(weighted.table, sql=state.load(weighted.table.sql).sql)
    weighing = f"(select distinct v.query_id, v.{WEIGHT}, 1e0 as value from {table.sql} as v)"
    query = f"select d.effective_queries from (\n{spread_query(weighing, ['value'], (), weighted=True)}\n) as d"
    ((effective,),) = state.rows(query)
    if effective is None:
        raise InputError("the weights of all queries are 0: give some of them a weight above 0")
    note = (
        "Means and tests use the weights of the queries. They are about as precise as with "
        f"{effective:,.1f} queries of equal weight"
    )
    return replace(weighted, table=table), [note, *warnings]


def _systems_of(state: Session, values: Table) -> list[str]:
    rows = state.rows(f"select distinct cast(v.system as varchar) as name from {values.sql} as v order by all asc")
    return [name for (name,) in rows if name is not None]


def _baseline(given: str | None, systems: Sequence[str]) -> str | None:
    if given is not None and str(given) not in systems:
        shown = ", ".join([*systems[:10], *(["..."] if len(systems) > 10 else [])])
        raise InputError(f"the baseline {given!r} is not a system: the systems are {shown}")
    return None if len(systems) < 2 else systems[0] if given is None else str(given)


# Largest number of bytes of base64 for the values of all measures. It keeps a page for 50 systems and 7,000 queries
# below 1.5 MB.
BUDGET = 1_000_000
# Numbers of steps: the most that 16 bits hold besides NULL; 4 and 3 decimals for values from 0 to 1.
_FINEST, _FINE, _COARSE = 65_534, 10_000, 1_000
# The step of NULL.
_NULL = 65_535
# Largest number of values for which all measures have the finest steps.
_FEW = 200_000


def packed_values(evaluated: Evaluated, queries: Table, few: Sequence[str]) -> list[dict[str, Any]]:
    """Return the values of each measure, within `BUDGET`. `queries`: the table of `numbered_queries`.

    With many values, the first measure has 10,000 steps and further measures 1,000. A measure that does not fit keeps
    only the systems `few`; if it still does not fit, it is left out. Fields of each entry:

    - `measure`; `systems`: numbers of the systems;
    - `low`, `high`, `steps`: step 0 is the value `low`, step `steps` the value `high`, and step 65535 is NULL;
    - `bytes`: base64 of the deflated steps: all high bytes, then all low bytes, each ordered by system, then query.
    """
    ((count,),) = evaluated.state.rows(f"select count(*) from {queries.sql}")
    finest = count * len(evaluated.systems) * len(evaluated.names) <= _FEW
    entries: list[dict[str, Any]] = []
    left = BUDGET
    for number, measure in enumerate(evaluated.names):
        steps = _FINEST if finest else _FINE if number == 0 else _COARSE
        for systems in (evaluated.systems, few):
            entry = _packed(evaluated, queries, measure, systems, steps)
            if len(entry["bytes"]) <= left:
                left -= len(entry["bytes"])
                entries.append(entry)
                break
    return entries


def _packed(evaluated: Evaluated, queries: Table, measure: str, systems: Sequence[str], steps: int) -> dict[str, Any]:
    state, values = evaluated.state, evaluated.values
    column = DUCKDB.identifier(measure)
    bounds = f"select min(v.{column}), max(v.{column}) from {values.sql} as v"
    least, most = (float(bound or 0) for bound in state.rows(bounds)[0])
    low, high = min(0.0, least), max(1.0, most)
    query = render_template(
        "reports/steps.sql",
        measure=column,
        values=values.sql,
        queries=queries.sql,
        keys=[DUCKDB.identifier(key) for key in evaluated.arguments.segments],
        systems=DUCKDB.text_list(systems),
        low=low,
        high=high,
        steps=steps,
    )
    rows = state.rows(query)
    steps_in_bytes = b"".join(bytes(row[part]) for part in (0, 1) for row in rows)
    return {
        "measure": measure,
        "systems": [evaluated.systems.index(system) for system in systems],
        "low": low,
        "high": high,
        "steps": steps,
        "bytes": deflated(steps_in_bytes),
    }


def deflated(text: bytes) -> str:
    """Return base64 of deflated bytes."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(deflate.compress(text) + deflate.flush()).decode()


def unpacked(entry: Mapping[str, Any]) -> dict[int, list[float | None]]:
    """Return the values of an entry of `packed_values` by the number of the system, rounded to its steps."""
    steps = zlib.decompress(base64.b64decode(entry["bytes"]), -15)
    half, scale = len(steps) // 2, (entry["high"] - entry["low"]) / entry["steps"]
    numbers = [256 * high + low for high, low in zip(steps[:half], steps[half:], strict=True)]
    values = [None if step == _NULL else entry["low"] + step * scale for step in numbers]
    count = half // len(entry["systems"])
    return {system: values[i * count : (i + 1) * count] for i, system in enumerate(entry["systems"])}

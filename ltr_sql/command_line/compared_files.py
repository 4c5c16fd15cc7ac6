"""What `ltr-sql compare` reads and finds: runs, saved values and their differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure, find_convention
from ltr_sql.catalogue.measures import is_better_lower
from ltr_sql.command_line.formats import of_columns
from ltr_sql.command_line.runs import free_name, is_column, known_baseline, named_files, with_baseline
from ltr_sql.comparison.decisions import Compared, compared, decided
from ltr_sql.comparison.gates import Gate, Outcome, decide, measure_of
from ltr_sql.comparison.saved_values import (
    SavedValues,
    read_values,
    refuse_other_settings,
    save_values,
    settings_of,
    values_or_run,
)
from ltr_sql.comparison.values import (
    JUDGED,
    RETRIEVED,
    Given,
    described_values,
    evaluated_values,
    first_of_two,
    fragments_of,
    measures_among,
    notes_on_depth,
    refuse_texts,
    refuse_words,
    resolved,
)
from ltr_sql.errors import InputError
from ltr_sql.evaluation.values import QueryValues
from ltr_sql.inputs.connection import names_and_rows, records_of
from ltr_sql.inputs.run_files import RunFiles, where_missing
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table, listed_names
from ltr_sql.rendering.comparisons import Choices, hidden_columns, level_of
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.templates import render_template
from ltr_sql.stages import COMPARISON, stage

# The column of values that says that a query was asked, so that a system without documents for it answered it.
ASKED = "asked"


@dataclass(frozen=True)
class FromFiles:
    """What is compared, read from files.

    - `compared`: its table of values has the keys, system, query_id, the measures, `RETRIEVED`, `JUDGED` and perhaps
      `ASKED`.
    - `systems`: names of all systems, in the order of the output.
    - `baseline`: name of the baseline, or None.
    - `settings`: how the values were computed; see `settings_of`.
    """

    compared: Compared
    systems: list[str]
    baseline: str | None
    settings: Mapping[str, str]


def read_runs(state: Session, files: Sequence[str], given: Given, test: str) -> FromFiles:
    """Evaluate runs, and add the values of a saved baseline. The first file holds the judgments."""
    if len(files) < 2:
        raise InputError("pass judgments and at least one run, as in: ltr-sql compare QRELS RUN... --baseline FILE")
    qrels = files[0]
    runs, known = with_baseline(files[1:], given.options["baseline"], partial(values_or_run, state))
    saved = None if known is None or not isinstance(runs[known], SavedValues) else runs.pop(known)
    if given.options["missing"] == "error":
        # `lacking_queries` finds them, with the values of both systems.
        given = given.having(missing=None)
    rules = resolved(given)
    names = [measure.text for measure in rules.measures if measure.definition.over != "run"]
    if saved is not None:
        _refuse_saved_values(saved, given, [m for m in rules.measures if m.definition.over == "run"])
    # Read each file once: it may be large, or a pipe.
    judgments = state.bind(qrels, "qrels")
    bound = {name: state.bind(file, name) for name, file in given.tables.items() if file is not None}
    convention = find_convention(given.options["convention"]).name
    settings = settings_of(state, judgments, names, convention=convention, ties=rules.ties, missing=rules.missing)
    if saved is not None:
        # Check the saved values before the evaluation, which may take long.
        refuse_other_settings(saved.settings, saved.path, settings, qrels)
    run = state.bind(runs, "run")
    if not run.systems:
        # The files are parts of one run.
        run = state.bind({next(iter(runs)): run}, "run")
    systems = [*([str(known)] if saved else []), *run.systems]
    baseline = first_of_two(systems) if known is None else [known]
    given = replace(given, rankings=run).having(qrels=judgments, baseline=baseline, **bound)
    found = compared(state, given, test, partial(evaluated_values, evaluated=described_values))
    if found.values is not None:
        parts = [_with_asked(state, run, _selected(found.values.table, found.values, None))]
        texts = [*found.warnings]
        if saved is not None:
            parts.append(_saved_baseline(state, saved, found.values, str(known)))
            texts += _doubts(saved, settings)
        # The rows of a saved baseline are not in the run.
        source = found.values.source if saved is None else None
        values = replace(found.values, table=_united(state, parts), source=source)
        found = replace(found, values=values, warnings=texts)
    return FromFiles(found, systems, known, settings)


def _with_asked(state: Session, run: Table, values: str) -> str:
    """Return SQL of the values of a run, with the column `ASKED` if the input says which queries were asked."""
    if state.asked is not None:
        return f"select v.*, true as {ASKED} from ({values}) as v"
    if run.unanswered is None:
        return values
    answers = run.distinct("system", "query_id").sql
    same = "cast(a.system as varchar) = v.system and cast(a.query_id as varchar) = v.query_id"
    return f"select v.*, exists (select 1 from {answers} as a where {same}) as {ASKED} from ({values}) as v"


def _refuse_saved_values(saved: SavedValues, given: Given, over_runs: Sequence[Measure]) -> None:
    """Raise InputError if the saved values of a baseline lack what the comparison needs."""
    if over_runs:
        raise InputError(
            f"{over_runs[0].text} has one value for a run, and {saved.path} holds values of queries: pass the run of "
            "the baseline instead"
        )
    if given.gains is not None:
        raise InputError(f"--gains needs the run of the baseline, because {saved.path} does not say its gains")
    if given.averaging.human is not None:
        raise InputError(f"--human needs the run of the baseline, because {saved.path} holds values of one judge")


def read_tables(state: Session, files: Sequence[str], given: Given, test: str) -> FromFiles:
    """Read tables of values."""
    if not files:
        raise InputError("pass at least one table of values, as in: ltr-sql compare --values FILE...")
    named, baseline = named_files(files), given.options["baseline"]
    known = None
    if baseline is not None and Path(baseline).is_file() and not known_baseline(baseline, named):
        known = free_name(baseline, named)
        named = RunFiles({known: baseline, **named})
    tables = {name: read_values(state, path, [*given.strata, *given.across]) for name, path in named.items()}
    first, *others = tables.values()
    for other in others:
        refuse_other_settings(other.settings, other.path, first.settings, first.path)
    grouping = [*given.strata, *given.repeats, *given.across]
    columns = [*filter(is_column, (given.averaging.weights, given.averaging.cluster))]
    if not given.measures:
        for values in tables.values():
            refuse_words(state.rows, values.table)
    names = list(given.measures or ()) or [name for name in first.measures if name not in (*grouping, *columns)]
    if not names:
        raise InputError(
            f"{first.path} has no numeric column to compare: the columns are {listed_names(first.table.columns)}"
        )
    listed = QueryValues(first.table, names, grouping)
    parts = []
    systems: list[str] = []
    for name, values in tables.items():
        values.table.require(values.path, *names, *grouping, *columns)
        refuse_texts(values.table, names)
        found = _systems(state, values)
        if len(found) > 1 and name == known:
            raise InputError(_several(values, found))
        parts.append(_selected(values.table, listed, name if len(found) < 2 else None, columns))
        systems += found if len(found) > 1 else [name]
    if len(set(systems)) < len(systems):
        raise InputError(f"two tables have a system of the same name: {', '.join(systems)}")
    if baseline is not None and known is None:
        known = baseline if baseline in systems else known_baseline(baseline, named)
        if known is not None and known not in systems:
            raise InputError(_several(tables[known], _systems(state, tables[known])))
        if known is None:
            raise InputError(
                f"the baseline {baseline!r} is neither a system nor a file: the systems are {', '.join(systems)}; "
                f"{where_missing(baseline)}"
            )
    human = given.averaging.human
    given = replace(given, rankings=_united(state, parts), measures=names).having(
        baseline=first_of_two(systems) if known is None else [known],
        human=None if human is None else _table_of_people(state, human, listed),
    )
    return FromFiles(compared(state, given, test), systems, known, first.settings)


def _table_of_people(state: Session, path: str, values: QueryValues) -> Table:
    table = read_values(state, path).table
    table.require(path, "system", *values.measures, *values.keys)
    return _united(state, [_selected(table, values, None)])


def save(state: Session, found: FromFiles, path: str) -> None:
    """Save the values of the runs, without those of the baseline, as a Parquet file with their settings."""
    values = found.compared.values
    if values is None:
        raise InputError(
            f"--save-values saves the values of queries, and {found.compared.measures[0]} has one value for a run: "
            "leave it out, or add a measure"
        )
    table = values.table
    if found.baseline is not None and not single_system(found):
        sql = f"(select * from {table.sql} as v where v.system <> {string(found.baseline)})"
        table = replace(table, sql=sql)
    save_values(state, table, path, found.settings)


def is_same_file(path: str, other: str) -> bool:
    """Return whether two names are one file, also through links. A file that does not exist is no other file."""
    return Path(path).exists() and Path(other).exists() and Path(path).samefile(other)


def lacking_queries(state: Session, found: FromFiles) -> dict[tuple[str, str, str], str]:
    """Map (system_a, system_b, measure) to a message that names the queries which only one of them has."""
    values = found.compared.values
    if values is None:
        return {}
    given = found.compared.given
    query = render_template(
        "command_line/lacking_queries.sql",
        relation=values.table.sql,
        baseline=found.baseline,
        measures=values.measures,
        keys=[DUCKDB.identifier(name) for name in ("query_id", *given.strata, *given.across)],
        retrieved=DUCKDB.identifier(RETRIEVED),
        asked=ASKED if ASKED in values.table.columns else "",
        identifier=DUCKDB.identifier,
        string=string,
    )
    return {
        (a, b, measure): f"{count} quer{'y is' if count == 1 else 'ies are'} missing or NULL in one of {a} and {b}: "
        f"{first}{', ...' if count > 3 else ''}. Run these queries, or pass --asked if they were asked, or "
        "--missing zero to count missing ones as 0"
        for a, b, measure, count, first in state.rows(query)
    }


def _selected(table: Table, values: QueryValues, system: str | None, columns: Sequence[str] = ()) -> str:
    """Return SQL that selects the keys, the measures and the depth of `values` from a table like it.

    - `system`: the name of the system if the table holds only one, else None.
    - `columns`: more columns, such as those of weights and clusters.
    """
    names = {name.lower(): name for name in table.columns}
    described = [
        f"cast(v.{DUCKDB.identifier(names[name.lower()])} as double)"
        if name.lower() in names
        else "cast(null as double)"
        for name in (RETRIEVED, JUDGED)
    ]
    measures = values.measures
    listed = [f"v.{DUCKDB.identifier(name)}" for name in (*values.strata, *values.repeats, *columns)]
    # As doubles: beside a column of floats, DuckDB would round integers to floats.
    listed += [f"cast(v.{column} as double) as {column}" for column in map(DUCKDB.identifier, measures)]
    columns = [
        f"{'cast(v.system as varchar)' if system is None else string(system)} as system",
        "cast(v.query_id as varchar) as query_id",
        *listed,
        *(
            f"{value} as {DUCKDB.identifier(name)}"
            for name, value in zip((RETRIEVED, JUDGED), described, strict=True)
            if name.lower() not in map(str.lower, measures)
        ),
        *([f"v.{ASKED}"] if table.columns.get(ASKED) == "BOOLEAN" and ASKED not in measures else []),
    ]
    return f"select {', '.join(columns)} from {table.sql} as v"


def _united(state: Session, parts: Sequence[str]) -> Table:
    return state.load(f"({' union all by name '.join(parts)})")


def _systems(state: Session, given: SavedValues) -> list[str]:
    if "system" not in given.table.columns:
        return []
    query = f"select distinct cast(v.system as varchar) from {given.table.sql} as v order by 1 asc"
    return [name for (name,) in state.rows(query)]


def _saved_baseline(state: Session, saved: SavedValues, values: QueryValues, name: str) -> str:
    """Return SQL that selects the values of a saved baseline."""
    lacking = [column for column in (*values.measures, *values.strata) if column not in saved.table.columns]
    if lacking:
        raise InputError(
            f"the baseline {saved.path} has no values of {', '.join(lacking)}, only of {', '.join(saved.measures)}: "
            "save it again with these measures"
        )
    found = _systems(state, saved)
    if len(found) > 1:
        raise InputError(_several(saved, found))
    return _selected(saved.table, values, name)


def _several(saved: SavedValues, systems: Sequence[str]) -> str:
    return (
        f"the baseline {saved.path} holds {len(systems)} systems ({', '.join(systems)}): save the values of one run, "
        "or compare tables: pass the file with --values, and one of its systems as --baseline"
    )


def _doubts(saved: SavedValues, settings: Mapping[str, str]) -> list[str]:
    if not saved.settings:
        return [
            f"{saved.path} does not say which judgments and convention it was made with: save baselines with "
            "--save-values"
        ]
    if saved.settings.get("version") != settings["version"]:
        return [
            f"{saved.path} was made with ltr_sql {saved.settings.get('version')}, this is {settings['version']}: see "
            "'Numbers that change' in the changelog"
        ]
    return []


def single_system(found: FromFiles) -> bool:
    """Return whether there is only one system, and so nothing to compare."""
    return len(found.systems) < 2


@dataclass(frozen=True)
class FoundDifferences:
    """Comparisons of all pairs of systems.

    - `names`, `rows`: the table of the comparisons.
    - `values`: the values of queries that were compared, or None. `given`: how.
    - `lacking`: see `decide`.
    """

    names: list[str]
    rows: list[tuple[Any, ...]]
    read: FromFiles
    given: Given
    values: QueryValues | None
    lacking: Mapping[tuple[str, str, str], str]
    warnings: list[str]

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of `compare`."""
        return self.given.options

    @property
    def level(self) -> float:
        """The level of the tests."""
        return level_of(self.options["confidence"])

    @property
    def with_margin(self) -> bool:
        """True if the verdicts depend on a margin."""
        return self.options["margin"] is not None

    @property
    def measures(self) -> Sequence[str]:
        """The names of all measures, in the order of the rows."""
        return self.read.compared.measures

    @property
    def lower(self) -> list[str]:
        """The measures of which lower values are better."""
        return [name for name in self.measures if name in self.options["lower_is_better"] or is_better_lower(name)]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        return records_of(self.names, self.rows)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of systems that are compared."""
        return list(dict.fromkeys((record["system_a"], record["system_b"]) for record in self.records))

    @property
    def shown(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names and the rows of the columns that are printed."""
        hidden = hidden_columns(self.options["details"])
        return of_columns(self.names, self.rows, [name for name in self.names if name not in hidden])


def differences_of(state: Session, read: FromFiles, choices: Choices, missing: str | None) -> FoundDifferences:
    """Compare the systems. `missing`: the option of the caller. Raises InputError for empty systems."""
    owed = missing in (None, "error") and read.compared.given.options["paired"]
    lacking = lacking_queries(state, read) if owed else {}
    if lacking and missing == "error":
        raise InputError(next(iter(lacking.values())))
    stage(COMPARISON)
    given = read.compared.given.having(missing="zero" if missing == "zero" else "skip")
    found = decided(state, replace(read.compared, given=given), choices)
    names, rows = names_and_rows(state.con, f"from {found.found.sql}")
    notes = []
    if read.compared.values is not None:
        notes = notes_on_depth(state, read.compared.values.table, measures_among(read.compared.values.measures))
    return FoundDifferences(
        names=names,
        rows=rows,
        read=read,
        given=given,
        values=found.values,
        lacking=lacking,
        warnings=[*found.warnings, *notes],
    )


def outcomes_of(state: Session, found: FoundDifferences, gates: Sequence[Gate]) -> list[Outcome]:
    """Return the outcomes of the gates."""
    if not gates or found.values is None:
        return []
    return decide(
        state,
        gates,
        fragments_of(found.values, found.given),
        found.values.measures,
        lacking=found.lacking,
        alpha=found.level,
        options={name: found.options[name] for name in ("planned", "across", "generalize", "paired")},
    )


def refuse_unfit(read: FromFiles, gates: Sequence[Gate]) -> None:
    """Raise InputError for gates that do not fit the options or the measures."""
    if not gates:
        return
    confidence = read.compared.given.options["confidence"]
    if confidence <= 0.5:
        raise InputError(f"with --fail-if, --confidence must be above 0.5, got {confidence}")
    if read.compared.given.strata:
        raise InputError("--fail-if decides over all queries: leave --keys out, or call compare once more without it")
    over_runs = read.compared.over_runs[1].measures if read.compared.over_runs else ()
    for gate in gates:
        for measure in over_runs:
            if measure.text.lower() == gate.measure.lower():
                raise InputError(f"{measure.text} has one value for a run, so no test decides the gate {gate.text!r}")
        measure_of(gate, read.compared.values.measures if read.compared.values else [])

"""Read the values that `ltr-sql compare` compares, from runs with judgments and from saved tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, Measure, find_convention, resolve_options
from ltr_sql.command_line.runs import free_name, known_baseline, named_files, require_baseline
from ltr_sql.comparison.comparability import JUDGED, RETRIEVED, described_values
from ltr_sql.comparison.runs import OfRuns
from ltr_sql.comparison.saved_values import (
    SavedValues,
    read_values,
    refuse_other_settings,
    save_values,
    settings_of,
    values_or_run,
)
from ltr_sql.comparison.values import refuse_texts
from ltr_sql.errors import InputError
from ltr_sql.evaluation.families import tables_of
from ltr_sql.evaluation.judges import values_of_people, with_depth
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.answers import systems_without_documents
from ltr_sql.inputs.gains import Gains
from ltr_sql.inputs.missing_files import where_missing
from ltr_sql.inputs.run_files import RunFiles
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table, listed_names
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.templates import render_template

# The column of values that says that a query was asked, so that a system without documents for it answered it.
ASKED = "asked"


@dataclass(frozen=True)
class Compared:
    """A table of values: columns system, query_id, one per measure, `RETRIEVED`, `JUDGED` and perhaps `ASKED`.

    - `measures`: names of the measures.
    - `systems`: names of all systems, in the order of the output.
    - `baseline`: name of the baseline, or None.
    - `settings`: how the values were computed; see `settings_of`.
    - `warnings`: warnings about the input.
    - `of_runs`: measures that have one value for a run, which the table does not hold. None without such measures.
    - `human`: people's values, with the columns system, query_id and those of the measures. None without them.
    - `unanswered`: the systems that answered each query without a document.
    """

    table: Table
    measures: list[str]
    systems: list[str]
    baseline: str | None
    settings: Mapping[str, str]
    warnings: list[str]
    of_runs: OfRuns | None = None
    human: Table | None = None
    unanswered: Sequence[str] = ()


@dataclass(frozen=True)
class People:
    """File of people's judgments, or None, and whether they may judge fewer documents than the other judge."""

    file: str | None = None
    may_miss: bool = False


@dataclass(frozen=True)
class Rules:
    """Options of the evaluation. None means that the caller left the option out.

    - `tables`: files that measures beyond accuracy read, by their names in `TABLES`.
    - `gains`: custom gains of grades.
    """

    ties: str | None
    missing: str | None
    convention: str | None
    check: bool
    tables: Mapping[str, str | None]
    people: People = People()
    gains: Gains | None = None


def read_runs(
    state: Session, files: Sequence[str], measures: Sequence[str], baseline: str | None, rules: Rules
) -> Compared:
    """Evaluate runs, and add the values of a saved baseline. The first file holds the judgments."""
    if len(files) < 2:
        raise InputError("pass judgments and at least one run, as in: ltr-sql compare QRELS RUN... --baseline FILE")
    qrels = files[0]
    runs, known, saved = _runs_and_baseline(state, named_files(files[1:]), baseline)
    parsed, ties, missing = resolve_options(
        measures or DEFAULT_MEASURES, rules.convention, rules.ties, None if rules.missing == "error" else rules.missing
    )
    over_runs = [measure for measure in parsed if measure.definition.over == "run"]
    parsed = tuple(measure for measure in parsed if measure not in over_runs)
    names = [measure.text for measure in parsed]
    if saved is not None:
        _refuse_saved_values(saved, rules, over_runs)
    # Read each file once: it may be large, or a pipe.
    judgments = state.bind(qrels, "qrels")
    bound = {name: state.bind(file, name) for name, file in rules.tables.items() if file is not None}
    settings = settings_of(
        state, judgments, names, convention=find_convention(rules.convention).name, ties=ties, missing=missing
    )
    if saved is not None:
        # Check the saved values before the evaluation, which may take long.
        refuse_other_settings(saved.settings, saved.path, settings, qrels)
    run = state.bind(runs, "run")
    if not run.systems:
        # The files are parts of one run.
        run = state.bind({next(iter(runs)): run}, "run")
    tables = {**bound, "qrels": judgments}
    of_runs = OfRuns(measures=over_runs, run=run, tables=tables, ties=ties, missing=missing, check=rules.check)
    read = tables_of(parsed, bound) if over_runs else bound
    options = EvaluationOptions(parsed, ties, missing, rules.gains, by_query=True, check=rules.check)
    if rules.people.file is not None:
        options = replace(options, measures=with_depth(parsed))
    table, warning_texts = described_values(state, Inputs(run, judgments, read), options)
    human = _values_of_people(state, rules.people, Inputs(run, None, read), options, table)
    parts = [_with_asked(state, run, _selected(table, names, None))]
    if saved is not None:
        parts.append(_saved_baseline(state, saved, names, str(known)))
        warning_texts += _doubts(saved, settings)
    return Compared(
        table=_united(state, parts),
        measures=names,
        systems=[*([str(known)] if saved else []), *run.systems],
        baseline=known,
        settings=settings,
        warnings=warning_texts,
        of_runs=of_runs if over_runs else None,
        human=human,
        unanswered=systems_without_documents(state.rows, run),
    )


def _with_asked(state: Session, run: Table, values: str) -> str:
    """Return SQL of the values of a run, with the column `ASKED` if the input says which queries were asked."""
    if state.asked is not None:
        return f"select v.*, true as {ASKED} from ({values}) as v"
    if run.unanswered is None:
        return values
    answers = run.distinct("system", "query_id").sql
    same = "cast(a.system as varchar) = v.system and cast(a.query_id as varchar) = v.query_id"
    return f"select v.*, exists (select 1 from {answers} as a where {same}) as {ASKED} from ({values}) as v"


def _refuse_saved_values(saved: SavedValues, rules: Rules, over_runs: Sequence[Measure]) -> None:
    """Raise InputError if the saved values of a baseline lack what the comparison needs."""
    if over_runs:
        raise InputError(
            f"{over_runs[0].text} has one value for a run, and {saved.path} holds values of queries: pass the run of "
            "the baseline instead"
        )
    if rules.gains is not None:
        raise InputError(f"--gains needs the run of the baseline, because {saved.path} does not say its gains")
    if rules.people.file is not None:
        raise InputError(f"--human needs the run of the baseline, because {saved.path} holds values of one judge")


def _values_of_people(
    state: Session, people: People, inputs: Inputs, options: EvaluationOptions, llm: Table
) -> Table | None:
    """Return people's values of the runs, if given. Raises InputError for documents that they did not judge."""
    if people.file is None:
        return None
    return values_of_people(state, people.file, inputs, options, llm=None if people.may_miss else llm)


def _runs_and_baseline(
    state: Session, named: RunFiles, baseline: str | None
) -> tuple[RunFiles, str | None, SavedValues | None]:
    """Return the runs with that of the baseline, the name of the baseline, and its values if they were saved."""
    known = known_baseline(baseline, named)
    if baseline is None or known is not None:
        return named, known, None
    require_baseline(baseline, named)
    known = free_name(baseline, named)
    found = values_or_run(state, baseline)
    if isinstance(found, SavedValues):
        return named, known, found
    return RunFiles({known: found, **named}), known, None


def read_tables(
    state: Session,
    files: Sequence[str],
    measures: Sequence[str],
    baseline: str | None,
    repeats: Sequence[str],
    *,
    human: str | None = None,
) -> Compared:
    """Read tables of values.

    `repeats` names columns over which the values of a query will be averaged. `human` is a file of people's values.
    """
    if not files:
        raise InputError("pass at least one table of values, as in: ltr-sql compare --values FILE...")
    named = named_files(files)
    known = None
    if baseline is not None and Path(baseline).is_file() and not known_baseline(baseline, named):
        known = free_name(baseline, named)
        named = RunFiles({known: baseline, **named})
    tables = {name: read_values(state, path) for name, path in named.items()}
    first, *others = tables.values()
    for other in others:
        refuse_other_settings(other.settings, other.path, first.settings, first.path)
    names = list(measures) or [name for name in first.measures if name not in repeats]
    if not names:
        raise InputError(
            f"{first.path} has no numeric column to compare: the columns are {listed_names(first.table.columns)}"
        )
    parts = []
    systems: list[str] = []
    for name, given in tables.items():
        given.table.require(given.path, *names, *repeats)
        refuse_texts(given.table, names)
        found = _systems(state, given)
        if len(found) > 1 and name == known:
            raise InputError(_several(given, found))
        parts.append(_selected(given.table, names, name if len(found) < 2 else None, repeats))
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
    return Compared(
        table=_united(state, parts),
        measures=names,
        systems=systems,
        baseline=known,
        settings=first.settings,
        warnings=[],
        human=None if human is None else _table_of_people(state, human, names, repeats),
    )


def _table_of_people(state: Session, path: str, measures: Sequence[str], repeats: Sequence[str]) -> Table:
    table = read_values(state, path).table
    table.require(path, "system", *measures, *repeats)
    return _united(state, [_selected(table, measures, None, repeats)])


def save(state: Session, compared: Compared, path: str) -> None:
    """Save the table of values as a Parquet file, with its settings."""
    save_values(state, compared.table, path, compared.settings)


def is_same_file(path: str, other: str) -> bool:
    """Return whether two names are one file, also through links. A file that does not exist is no other file."""
    return Path(path).exists() and Path(other).exists() and Path(path).samefile(other)


def lacking_queries(state: Session, compared: Compared) -> dict[tuple[str, str, str], str]:
    """Map (system_a, system_b, measure) to a message that names the queries which only one of them has."""
    query = render_template(
        "command_line/lacking_queries.sql",
        relation=compared.table.sql,
        baseline=compared.baseline,
        measures=compared.measures,
        retrieved=DUCKDB.identifier(RETRIEVED),
        asked=ASKED if ASKED in compared.table.columns else "",
        identifier=DUCKDB.identifier,
        string=string,
    )
    return {
        (a, b, measure): f"{count} quer{'y is' if count == 1 else 'ies are'} missing or NULL in one of {a} and {b}: "
        f"{first}{', ...' if count > 3 else ''}. Run these queries, or pass --asked if they were asked, or "
        "--missing zero to count missing ones as 0"
        for a, b, measure, count, first in state.con.execute(query).fetchall()
    }


def _selected(table: Table, measures: Sequence[str], system: str | None, repeats: Sequence[str] = ()) -> str:
    """Return SQL that selects the values of a table.

    `system` is the name of the system if the table holds only one, else None.
    """
    names = {name.lower(): name for name in table.columns}
    described = [
        f"cast(v.{DUCKDB.identifier(names[name.lower()])} as double)"
        if name.lower() in names
        else "cast(null as double)"
        for name in (RETRIEVED, JUDGED)
    ]
    listed = [f"v.{DUCKDB.identifier(name)}" for name in repeats]
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
    return [name for (name,) in state.con.execute(query).fetchall()]


def _saved_baseline(state: Session, saved: SavedValues, measures: Sequence[str], name: str) -> str:
    """Return SQL that selects the values of a saved baseline."""
    lacking = [measure for measure in measures if measure not in saved.table.columns]
    if lacking:
        raise InputError(
            f"the baseline {saved.path} has no values of {', '.join(lacking)}, only of {', '.join(saved.measures)}: "
            "save it again with these measures"
        )
    found = _systems(state, saved)
    if len(found) > 1:
        raise InputError(_several(saved, found))
    return _selected(saved.table, measures, name)


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


def single_system(compared: Compared) -> bool:
    """Return whether there is only one system, and so nothing to compare."""
    return len(compared.systems) < 2


def without_baseline(compared: Compared) -> Compared:
    """Return the values without those of the baseline, as the next build needs them."""
    if compared.baseline is None or single_system(compared):
        return compared
    sql = f"(select * from {compared.table.sql} as v where v.system <> {string(compared.baseline)})"
    return replace(compared, table=replace(compared.table, sql=sql))

"""What `ltr-sql compare` finds: differences between the systems, warnings, and outcomes of gates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ltr_sql.command_line.compared_files import Compared, lacking_queries
from ltr_sql.comparison.comparability import measures_among, notes_on_depth
from ltr_sql.comparison.doubts import doubts_about, doubts_about_repeats, refuse_empty
from ltr_sql.comparison.gates import Gate, Outcome, decide
from ltr_sql.comparison.runs import Groups, with_runs
from ltr_sql.comparison.values import first_of_two
from ltr_sql.errors import InputError
from ltr_sql.evaluation.judges import doubts_about_clusters, doubts_about_judges, with_judges
from ltr_sql.inputs.connection import names_and_rows, records_of
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.inputs.weights import with_weights
from ltr_sql.rendering.choices import NO_LOOKS, level_of
from ltr_sql.rendering.comparisons import Choices, ComparedValues, comparison_query, values_of_table
from ltr_sql.rendering.parts import mode_of
from ltr_sql.rendering.renderer import NO_WEIGHTS
from ltr_sql.stages import COMPARISON, stage


@dataclass(frozen=True)
class Asked:
    """How systems are compared.

    - `options`: the options of `compare` that are flags, by name; `choices`: the same as SQL fragments.
    - `missing`: None if the caller left it out. `weights`, `cluster`: files of weights and clusters, or None.
    """

    options: Mapping[str, Any]
    choices: Choices
    missing: str | None
    gates: Sequence[Gate]
    weights: str | None
    cluster: str | None = None

    @property
    def level(self) -> float:
        """The level of the tests."""
        return level_of(self.options["confidence"])


@dataclass(frozen=True)
class Differences:
    """Comparisons of all pairs of systems.

    - `names`, `rows`: the table of the comparisons. `measures`: the names of all measures.
    - `values`: the table of values. `lacking`: see `decide`.
    """

    names: list[str]
    rows: list[tuple[Any, ...]]
    measures: list[str]
    compared: Compared
    values: ComparedValues
    lacking: Mapping[tuple[str, str, str], str]
    warnings: list[str]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        return records_of(self.names, self.rows)


def differences_of(state: Session, compared: Compared, asked: Asked) -> Differences:
    """Compare the systems. Raises InputError for options that do not fit the measures, and for empty systems."""
    refuse_unfit(compared, asked)
    table, warning_texts = compared.table, [*compared.warnings]
    if compared.human is not None or asked.cluster is not None:
        table, texts = _with_judges(state, compared, asked)
        warning_texts += texts
    if asked.weights is not None:
        table, texts = with_weights(state, asked.weights, None, table, ())
        warning_texts += texts
    values = values_of_table(
        table.sql,
        compared.measures,
        compared="system",
        repeats=asked.options["repeats"],
        lower=asked.options["lower_is_better"],
        baseline=_baseline(compared),
        missing="zero" if asked.missing == "zero" else "skip",
        unanswered=compared.unanswered,
        mode=mode_of(*(given is not None for given in (asked.weights, compared.human, asked.cluster))),
    )
    lacking = lacking_queries(state, compared) if compared.measures and asked.missing in (None, "error") else {}
    if lacking and asked.missing == "error":
        raise InputError(next(iter(lacking.values())))
    stage(COMPARISON)
    measures = [*compared.measures, *(m.text for m in (compared.of_runs.measures if compared.of_runs else ()))]
    of_queries = comparison_query(values, asked.choices) if compared.measures else ""
    groups = Groups(baseline=_baseline(compared))
    query, of_runs = with_runs(state, of_queries, compared.of_runs, asked.choices, groups=groups, measures=measures)
    found = state.load(f"(\n{query}\n)")
    if not asked.options["allow_empty"]:
        refuse_empty(state.rows, found.sql, warning_texts)
    names, rows = names_and_rows(state.con, f"from {found.sql}")
    warning_texts += of_runs
    warning_texts += notes_on_depth(state, compared.table, measures_among(compared.measures))
    warning_texts += doubts_about(state.rows, found.sql, asked.options["margin"])
    if asked.cluster is not None:
        warning_texts += doubts_about_clusters(state.rows, found.sql)
    warning_texts += doubts_about_repeats(state.rows, compared.table, ("system", "query_id"), asked.options["repeats"])
    return Differences(
        names=names,
        rows=rows,
        measures=measures,
        compared=compared,
        values=values,
        lacking=lacking,
        warnings=warning_texts,
    )


def _with_judges(state: Session, compared: Compared, asked: Asked) -> tuple[Table, list[str]]:
    """Return the values with those of people and with clusters, and warnings."""
    if compared.of_runs:
        raise InputError(
            f"{compared.of_runs.measures[0].text} has one value for a run: leave out --human and --cluster"
        )
    table = with_judges(
        state,
        compared.table,
        compared.human,
        asked.cluster,
        run=None,
        columns=["system", "query_id", *asked.options["repeats"], *compared.measures],
        weighted=asked.weights is not None,
    )
    if compared.human is None:
        return table, []
    return table, doubts_about_judges(state.rows, table, compared.measures, "system", ["query_id"])


def outcomes_of(state: Session, found: Differences, asked: Asked) -> list[Outcome]:
    """Return the outcomes of the gates."""
    if not asked.gates:
        return []
    return decide(
        state,
        asked.gates,
        found.values,
        found.compared.measures,
        lacking=found.lacking,
        alpha=asked.level,
        planned=asked.options["planned"],
    )


def refuse_unfit(compared: Compared, asked: Asked) -> None:
    """Raise InputError for options that exclude each other, or that do not fit the measures."""
    if asked.gates and asked.options["confidence"] <= 0.5:
        raise InputError(f"with --fail-if, --confidence must be above 0.5, got {asked.options['confidence']}")
    for name in asked.options["lower_is_better"]:
        if name not in compared.measures:
            raise InputError(f"--lower-is-better {name} is not one of the measures: {', '.join(compared.measures)}")
    if asked.weights is not None and compared.of_runs:
        raise InputError(f"measure {compared.of_runs.measures[0].text!r} {NO_WEIGHTS}")
    if asked.options["planned"] is not None and compared.of_runs:
        raise InputError(f"measure {compared.of_runs.measures[0].text!r} {NO_LOOKS}")
    for gate in asked.gates:
        for measure in compared.of_runs.measures if compared.of_runs else ():
            if measure.text.lower() == gate.measure.lower():
                raise InputError(f"{measure.text} has one value for a run, so no test decides the gate {gate.text!r}")


def _baseline(compared: Compared) -> list[str] | None:
    return first_of_two(compared.systems) if compared.baseline is None else [compared.baseline]

"""What `ltr-sql compare` finds: differences between the systems, warnings, and outcomes of gates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ltr_sql.command_line.compared_files import FromFiles, lacking_queries
from ltr_sql.comparison.comparability import measures_among, notes_on_depth
from ltr_sql.comparison.decisions import decided
from ltr_sql.comparison.gates import Gate, Outcome, decide, measure_of
from ltr_sql.comparison.values import Given, fragments_of
from ltr_sql.errors import InputError
from ltr_sql.evaluation.values import QueryValues
from ltr_sql.inputs.connection import names_and_rows, records_of
from ltr_sql.inputs.session import Session
from ltr_sql.rendering.choices import level_of
from ltr_sql.rendering.comparisons import Choices
from ltr_sql.stages import COMPARISON, stage


@dataclass(frozen=True)
class ComparisonCall:
    """How systems are compared: the options of `compare`, these options as SQL fragments, and gates."""

    given: Given
    choices: Choices
    gates: Sequence[Gate]

    @property
    def level(self) -> float:
        """The level of the tests."""
        return level_of(self.given.options["confidence"])


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
    def measures(self) -> Sequence[str]:
        """The names of all measures, in the order of the rows."""
        return self.read.compared.measures

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        return records_of(self.names, self.rows)


def differences_of(state: Session, read: FromFiles, asked: ComparisonCall) -> FoundDifferences:
    """Compare the systems. Raises InputError for options that do not fit the measures, and for empty systems."""
    refuse_unfit(read, asked)
    missing = asked.given.options["missing"]
    owed = missing in (None, "error") and asked.given.options["paired"]
    lacking = lacking_queries(state, read) if owed else {}
    if lacking and missing == "error":
        raise InputError(next(iter(lacking.values())))
    stage(COMPARISON)
    given = read.compared.given.having(missing="zero" if missing == "zero" else "skip")
    found = decided(state, replace(read.compared, given=given), asked.choices)
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


def outcomes_of(state: Session, found: FoundDifferences, asked: ComparisonCall) -> list[Outcome]:
    """Return the outcomes of the gates."""
    if not asked.gates or found.values is None:
        return []
    return decide(
        state,
        asked.gates,
        fragments_of(found.values, found.given),
        found.values.measures,
        lacking=found.lacking,
        alpha=asked.level,
        options={name: asked.given.options[name] for name in ("planned", "across", "generalize", "paired")},
    )


def refuse_unfit(read: FromFiles, asked: ComparisonCall) -> None:
    """Raise InputError for gates that do not fit the options or the measures."""
    if not asked.gates:
        return
    confidence = asked.given.options["confidence"]
    if confidence <= 0.5:
        raise InputError(f"with --fail-if, --confidence must be above 0.5, got {confidence}")
    if asked.given.strata:
        raise InputError("--fail-if decides over all queries: leave --keys out, or call compare once more without it")
    over_runs = read.compared.over_runs[1].measures if read.compared.over_runs else ()
    for gate in asked.gates:
        for measure in over_runs:
            if measure.text.lower() == gate.measure.lower():
                raise InputError(f"{measure.text} has one value for a run, so no test decides the gate {gate.text!r}")
        measure_of(gate, read.compared.values.measures if read.compared.values else [])

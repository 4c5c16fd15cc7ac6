"""The judge that errs in a report: how it agrees with people, and which systems it favours."""

from collections.abc import Mapping, Sequence
from typing import Any

from ltr_sql.building.call import Call, built
from ltr_sql.comparison.raters import by_measure
from ltr_sql.inputs.tables import Table
from ltr_sql.inputs.united import united
from ltr_sql.rendering.judges import HUMAN
from ltr_sql.reports.evaluated import Evaluated

# The raters, in the order of their names: differences are those of the judge from people.
_PEOPLE, _JUDGE = "human", "judge"


def judge_of(evaluated: Evaluated) -> dict[str, Any] | None:
    """Return the agreement of the judge with people, and its bias by measure and system; None without people.

    Raises InputError for documents that people judged twice.
    """
    if evaluated.people is None or evaluated.qrels is None or evaluated.state.database is not None:
        return None
    state, names, compared = evaluated.state, evaluated.names, evaluated.compared.sql
    ((queries,),) = state.rows(f"select count(distinct v.query_id) from {compared} as v where v.{HUMAN}")
    rater = f"case when v.{HUMAN} then '{_PEOPLE}' else '{_JUDGE}' end as rater"
    values = by_measure(state, state.load(f"(select {rater}, v.* from {compared} as v)"), names, ())
    level = {"confidence": evaluated.arguments.comparison["confidence"], "measure": "value"}
    bias = _rows(evaluated, "rater_bias", values, level, keys=["measure"])
    documents = state.load(united(state, {_PEOPLE: evaluated.people, _JUDGE: evaluated.qrels}, "rater"))
    agreement = next(r for r in _rows(evaluated, "rater_agreement", documents, {}) if r["rater_a"] is not None)
    order = {name: number for number, name in enumerate(names)}
    systems = {name: number for number, name in enumerate(evaluated.systems)}
    return {
        "queries": queries,
        "agreement": _without_raters(agreement),
        "systems": sorted(map(_without_raters, bias), key=lambda r: (order[r["measure"]], systems[r["system"]])),
    }


def _without_raters(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: str(value) if name == "system" else value
        for name, value in record.items()
        if name not in ("rater_a", "rater_b")
    }


def _rows(
    evaluated: Evaluated, builder: str, table: Table, values: Mapping[str, Any], keys: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the rows of a builder for a table of the session."""
    call = Call(name=builder, given=table, values=values, keys=keys, bind=lambda state, given: given)
    found, _ = built(evaluated.state, call, lambda con, query, frame: evaluated.state.records(query))
    return list(found)

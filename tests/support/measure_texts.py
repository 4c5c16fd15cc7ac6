"""Strings of each measure with other values of its parameters, and the comparison of their values with the oracle."""

from itertools import product
from typing import Any

import pandas as pd

from ltr_sql.catalogue.functions import row_sources
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import Definition, definitions
from ltr_sql.verification import TOLERANCE, difference, oracle_value
from support.strategies import Row, grouped


def sources_of(*shapes: str) -> list[str]:
    """Return the row sources that read relations of these shapes."""
    return [source.name for source in row_sources().values() if source.input in shapes]


OTHER_VALUES: dict[str, list[Any]] = {
    "k": [1, 3, 50],
    "rel": [2, 0.5],
    "gain": ["exponential", "linear", "binary"],
    "discount": ["rank"],
    "ideal": ["whole", "full", "returned"],
    "divisor": ["reachable", "found", "k"],
    "empty": ["1", "skip", "none_retrieved"],
    "alpha": [0, 0.9, 1],
    "beta": [0, 0.9, 1],
    "p": [0, 0.5, 1],
    "recall": [0, 0.25, 0.3, 1],
    "rounding": ["te9"],
    "multiple": [0.2, 1, 5],
    "beta_squared": [0, 0.25, 4],
    "rel_ret": [2.5],
    "nonrel_ret": [0, -0.5],
    "rel_missed": [-1],
    "nonrel_missed": [0.25],
    "collection_size": [100],
    "max_grade": [4, 10],
    "unit": [1, 3],
    "max_rel": [4, 2, 0.75],
    "min_rel": [0.5],
    "decay": [0, 0.5, 1],
    "T": [0.25, 0.5, 1.5, 3],
    "tied": [0.5],
    "depth": [1, 3, 50],
    "normalize": ["false"],
    "variant": ["a", "b", "c"],
    "scale": ["count"],
    "weights": ["multiplicative"],
    "location": [1, 2.5, 9],
    "level": [0.5, 1, 2],
    "ties": ["a", "b"],
    "kind": ["min", "max", "res"],
    # Only a run with judgments has another scope.
    "scope": ["query"],
    "version": ["2011"],
    "weight": ["clicks"],
}


def strings(definition: Definition) -> list[str]:
    """Return strings of a measure: all values after the @, combined with all values of each parameter."""
    pairs = product(*parts(definition))
    return [f"{definition.name}{given}{at}" for given, at in pairs if at or not needs_cutoff(definition, given)]


def some_strings(definition: Definition) -> list[str]:
    """Return fewer strings of a measure. Each value after the @ and of each parameter occurs at least once."""
    given, at = parts(definition)
    pairs = dict.fromkeys((given[i % len(given)], at[i % len(at)]) for i in range(max(len(given), len(at))))
    return list(
        dict.fromkeys(
            f"{definition.name}{arguments}{cutoff or (at[0] if needs_cutoff(definition, arguments) else '')}"
            for arguments, cutoff in pairs
        )
    )


def needs_cutoff(definition: Definition, given: str) -> bool:
    """Return whether a value in the parentheses of a measure is undefined without a cutoff."""
    return any(f"{p.name}={value}" in given for p in definition.parameters for value in p.needs_cutoff)


def parts(definition: Definition) -> tuple[list[str], list[str]]:
    """Return the texts to put in the parentheses of a measure, and after the @."""
    taken = [p.name for p in definition.parameters if p.name != definition.at]
    required = {p.name: OTHER_VALUES[p.name][0] for p in definition.required if p.name in taken}
    given = [required, *(required | {name: value} for name in taken for value in other_values(definition, name))]
    others = dict.fromkeys(f"({', '.join(f'{name}={value}' for name, value in g.items())})" if g else "" for g in given)
    at = definition.parameter(definition.at)
    cutoffs = [f"@{value}" for value in OTHER_VALUES[definition.at]] if at else []
    cutoffs += [] if at in definition.required else [""]
    return list(others), cutoffs


def other_values(definition: Definition, name: str) -> list[Any]:
    """Return values that a measure allows for a parameter."""
    parameter = definition.parameter(name)
    assert parameter is not None
    return [value for value in OTHER_VALUES[name] if parameter.allows(value)]


def strings_of(*sources: str) -> list[str]:
    return [text for d in definitions().values() if d.row_source.name in sources for text in strings(d)]


def some_strings_of(*sources: str) -> list[str]:
    return [text for d in definitions().values() if d.row_source.name in sources for text in some_strings(d)]


def check(found: list[Row], rows: list[Row], measures: list[str], keys: list[str]) -> None:
    """Assert that the result has the queries of the rows, and that all values equal the oracle's."""
    queries = grouped(rows, [*keys, "query_id"])
    values = {tuple(_none(row[name]) for name in [*keys, "query_id"]): row for row in found}
    assert len(values) == len(found), "two rows for one query"
    assert values.keys() == queries.keys()
    for key, group in queries.items():
        for text in measures:
            value, expected = _none(values[key][text]), oracle_value(parse_measure(text), group)
            assert difference(value, expected) <= TOLERANCE, (key, text, value, expected, group)


def _none(value: Any) -> Any:
    return None if pd.isna(value) else value

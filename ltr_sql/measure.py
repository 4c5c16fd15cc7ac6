"""Measure strings: `nDCG(gain='exponential')@10` <-> a measure with the values of its parameters."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ltr_sql.catalog import Definition, Parameter, Value, definitions_by_name
from ltr_sql.errors import MeasureError

# NAME, NAME@k, NAME(parameter=value, ...)@k; trec_eval writes the cutoff as NAME_k or NAME.k. What follows the @ is
# the cutoff, or what the measure's header names instead, such as a level of recall.
# DuckDB reads the same patterns in ltr.evaluate.
GRAMMAR = r"^(?P<name>[A-Za-z0-9][A-Za-z0-9_-]*?)(?:\((?P<arguments>[^()]*)\))?(?:[@_.](?P<at>[0-9]*\.?[0-9]+))?$"
ARGUMENT = r"""^(?P<name>\w+)\s*=\s*['"]?(?P<value>[\w.+-]+)['"]?$"""

# What is measured where nobody says what.
DEFAULT_MEASURES = ("AP", "RR", "nDCG@10", "P@10", "R@1000")


@dataclass(frozen=True)
class Measure:
    """A measure with the value of each of its parameters; `text` is what it was asked for as."""

    definition: Definition
    values: tuple[tuple[str, Value], ...]
    text: str

    def __str__(self) -> str:
        """The canonical measure string: defaults left out."""
        values = dict(self.values)
        at = self.definition.parameter(self.definition.at)
        value = values.pop(at.name) if at else None
        given = [
            f"{parameter.name}={values[parameter.name]!r}"
            for parameter in self.definition.parameters
            if parameter.name in values and values[parameter.name] != parameter.default
        ]
        arguments = f"({', '.join(given)})" if given else ""
        return f"{self.definition.name}{arguments}{f'@{value}' if at and value != at.default else ''}"


def parse_measure(text: str) -> Measure:
    """The measure that a string names.

    Raises MeasureError for an unknown name (with the nearest ones), an unknown parameter, a value that is
    not allowed, and a missing cutoff where the measure needs one.
    """
    if not isinstance(text, str):
        raise MeasureError(f"a measure is a string such as 'nDCG@10', got {text!r}")
    text = text.strip()
    match = re.match(GRAMMAR, text)
    if match is None:
        raise MeasureError(
            f"measure {text!r} cannot be read: write NAME, NAME@k or NAME(parameter=value)@k, as in nDCG@10"
        )
    definition = definitions_by_name().get(match["name"].lower())
    if definition is None:
        raise MeasureError(f"unknown measure {text!r}{_nearest(match['name'])}")
    values: dict[str, Value] = {p.name: p.default for p in definition.parameters}
    given: set[str] = set()
    for name, value in _arguments(text, match["arguments"] or ""):
        parameter = definition.parameter(name)
        if parameter is None or name == "k":
            allowed = ", ".join(p.name for p in definition.parameters if p.name != "k") or "none"
            raise MeasureError(
                f"measure {text!r}: {definition.name} has no parameter {name!r}, its parameters are: {allowed}"
            )
        if name in given:
            raise MeasureError(f"measure {text!r}: {name} is given twice")
        given.add(name)
        values[name] = _value(text, parameter, value)
    at = definition.parameter(definition.at)
    if match["at"] is not None:
        if at is None:
            raise MeasureError(f"measure {text!r}: {definition.name} has no cutoff")
        if at.name in given:
            raise MeasureError(f"measure {text!r}: {at.name} is given twice")
        values[at.name] = _value(text, at, match["at"])
    for parameter in definition.required:
        if values[parameter.name] is None:
            what = "a cutoff" if parameter.name == "k" else f"a value of {parameter.name}"
            raise MeasureError(f"measure {text!r} needs {what}, as in {definition.example}")
    return Measure(definition, tuple(values.items()), text)


def parse_measures(texts: Iterable[str]) -> list[Measure]:
    """The measures that strings name, each string once, in order."""
    if texts is None or not hasattr(texts, "__iter__"):
        raise MeasureError(f"measures are a list of strings such as ['nDCG@10', 'AP'], got {texts!r}")
    if isinstance(texts, str):
        raise MeasureError(f"measures are a list of strings, got the string {texts!r}: write [{texts!r}]")
    measures = list({measure.text: measure for measure in map(parse_measure, texts)}.values())
    if len({measure.text.lower() for measure in measures}) < len(measures):
        raise MeasureError("measure strings that differ only in upper and lower case make columns of one name")
    if not measures:
        raise MeasureError("no measures given: pass a list such as ['nDCG@10', 'AP']")
    return measures


def _arguments(text: str, arguments: str) -> Iterable[tuple[str, str]]:
    for argument in arguments.split(",") if arguments.strip() else []:
        match = re.match(ARGUMENT, argument.strip())
        if match is None:
            raise MeasureError(f"measure {text!r}: {argument.strip()!r} is not parameter=value")
        yield match["name"], match["value"]


def _value(text: str, parameter: Parameter, given: str) -> Value:
    value: Value = given
    if parameter.type != "choice":
        try:
            value = float(given)
        except ValueError:
            value = None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
    if not parameter.allows(value):
        raise MeasureError(f"measure {text!r}: {parameter.name} must be {parameter.allowed}, got {given}")
    return value


def _nearest(name: str) -> str:
    names = {key: definition.name for key, definition in definitions_by_name().items()}
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    if not near:
        return "; ltr_sql.measures() lists them"
    *others, last = dict.fromkeys(names[key] for key in near)
    return f"; did you mean {', '.join(others)}{' or ' if others else ''}{last}?"

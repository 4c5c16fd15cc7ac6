"""Measure strings: `nDCG(gain='exponential')@10` <-> a measure with the values of its parameters."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from ltr_sql.errors import MeasureError
from ltr_sql.language.catalogue import (
    Convention,
    Definition,
    Parameter,
    Value,
    conventions,
    definitions,
    definitions_by_name,
    spellings,
    uncut_names,
)

# NAME, NAME@k, NAME(parameter=value, ...)@k; trec_eval writes the cutoff as NAME_k or NAME.k. What follows the @ is
# the cutoff, or what the measure's header names instead, such as a level of recall. ranx' rbp.95 is 0.95, its -l2 the
# smallest grade that counts. XGBoost's `-` makes a query with nothing relevant count as 0.
# DuckDB reads the same patterns in ltr.evaluate.
GRAMMAR = (
    r"^(?P<name>[A-Za-z0-9][A-Za-z0-9_-]*?)(?:\((?P<arguments>[^()]*)\))?"
    r"(?:(?P<mark>[@_.])(?P<at>[0-9]*\.?[0-9]+))?(?:-l(?P<level>[0-9]+))?(?P<zero>-)?$"
)
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


def parse_measure(text: str, convention: Convention | None = None) -> Measure:
    """The measure that a string names, with the values of a convention where it gives none.

    Raises MeasureError for an unknown name (with the nearest ones), an unknown parameter, a value that is
    not allowed, and a missing cutoff where the measure needs one.
    """
    if not isinstance(text, str):
        raise MeasureError(f"a measure is a string such as 'nDCG@10', got {text!r}")
    return _parsed(text.strip(), convention)


@lru_cache(maxsize=10_000)
def _parsed(text: str, convention: Convention | None) -> Measure:
    match = re.match(GRAMMAR, text)
    if match is None:
        raise MeasureError(
            f"measure {text!r} cannot be read: write NAME, NAME@k or NAME(parameter=value)@k, as in nDCG@10"
        )
    definition = definitions_by_name().get(match["name"].lower())
    if definition is None:
        raise MeasureError(f"unknown measure {text!r}{_nearest(match['name'])}")
    preset = definition.named.get(match["name"].lower(), {})
    if convention is not None:
        definition = definitions()[convention.instead.get(definition.macro, definition.macro)]
        preset = {**convention.values.get(definition.macro, {}), **preset}
    if match["at"] is None:
        macro = uncut_names().get((match["name"].lower(), definition.macro), definition.macro)
        definition = definitions()[macro]
    values: dict[str, Value] = {p.name: preset.get(p.name, p.default) for p in definition.parameters}
    values |= _given(text, definition, match)
    for parameter in definition.required:
        if values[parameter.name] is None:
            what = "a cutoff" if parameter.name == "k" else f"a value of {parameter.name}"
            raise MeasureError(f"measure {text!r} needs {what}, as in {definition.example}")
    return Measure(definition, tuple(values.items()), text)


def parse_measures(texts: Iterable[str], convention: Convention | None = None) -> list[Measure]:
    """The measures that strings name, each string once, in order; a convention gives the values that they do not."""
    if texts is None or not hasattr(texts, "__iter__"):
        raise MeasureError(f"measures are a list of strings such as ['nDCG@10', 'AP'], got {texts!r}")
    if isinstance(texts, str):
        raise MeasureError(f"measures are a list of strings, got the string {texts!r}: write [{texts!r}]")
    measures = list({m.text: m for m in (parse_measure(text, convention) for text in texts)}.values())
    if len({measure.text.lower() for measure in measures}) < len(measures):
        raise MeasureError("measure strings that differ only in upper and lower case make columns of one name")
    if not measures:
        raise MeasureError("no measures given: pass a list such as ['nDCG@10', 'AP']")
    return measures


def _given(text: str, definition: Definition, match: re.Match[str]) -> dict[str, Value]:
    """The values that a measure string gives to parameters: as arguments, at the @, and by a - at the end."""
    given: dict[str, Value] = {}

    def give(parameter: Parameter, value: str) -> None:
        if parameter.name in given:
            raise MeasureError(f"measure {text!r}: {parameter.name} is given twice")
        given[parameter.name] = _value(text, parameter, value)

    for name, value in _arguments(text, match["arguments"] or ""):
        parameter = definition.parameter(name)
        if parameter is None or name == "k":
            allowed = ", ".join(p.name for p in definition.parameters if p.name != "k") or "none"
            raise MeasureError(
                f"measure {text!r}: {definition.name} has no parameter {name!r}, its parameters are: {allowed}"
            )
        give(parameter, value)
    empty, level = definition.parameter("empty"), definition.parameter("rel") or definition.parameter("level")
    if match["at"] is not None:
        name, value = _at(definition, match["mark"], match["at"])
        at = definition.parameter(name)
        if at is None:
            raise MeasureError(f"measure {text!r}: {definition.name} has no cutoff")
        give(at, value)
    if match["level"] is not None:
        if level is None:
            raise MeasureError(
                f"measure {text!r}: -l is the smallest grade that counts, which {definition.name} has not"
            )
        give(level, match["level"])
    if match["zero"] is not None:
        if empty is None:
            raise MeasureError(f"measure {text!r}: a - at the end is empty=0, which {definition.name} does not take")
        give(empty, "0")
    return given


def _at(definition: Definition, mark: str, text: str) -> tuple[str, str]:
    """The parameter that a number at the @ is for, and the number."""
    number = f"0.{text}" if mark == "." and "." not in text else text
    return (definition.fraction, number) if definition.fraction and float(number) < 1 else (definition.at, text)


def find_convention(name: str | None) -> Convention:
    """The convention of that name, the default one for None. Raises MeasureError for an unknown name."""
    if name is None:
        return next(iter(conventions().values()))
    found = conventions().get(str(name).lower())
    if found is None:
        raise MeasureError(f"convention must be one of {', '.join(conventions())}, got {name!r}")
    return found


def resolve_options(
    texts: Iterable[str], convention: str | None, ties: str | None, missing: str | None
) -> tuple[list[Measure], str, str]:
    """The measures, tie rule and rule for missing queries of a convention; what is given wins.

    Raises MeasureError for an unknown convention, and for measures that cannot be computed under the tie rule.
    """
    chosen = find_convention(convention)
    rule = chosen.ties if ties is None else ties
    return parse_measures_under(rule, texts, chosen), rule, chosen.missing if missing is None else missing


def parse_measures_under(ties: str, texts: Iterable[str], convention: Convention | None = None) -> list[Measure]:
    """The measures that strings name under a tie rule: with 'expected', expectations over all orders of tied documents.

    Raises MeasureError for a measure that has none.
    """
    measures = parse_measures(texts, convention)
    return [_expected(measure) for measure in measures] if ties == "expected" else measures


def _expected(measure: Measure) -> Measure:
    expectation = measure.definition.expectation
    if expectation is None:
        *others, last = (d.name for d in definitions().values() if d.expectation not in (None, d))
        raise MeasureError(
            f"measure {measure.text!r} is not known in expectation over the orders of tied documents: "
            f"with ties='expected' ask for {', '.join(others)} or {last}"
        )
    known = {parameter.name for parameter in expectation.parameters}
    for parameter in measure.definition.parameters:
        value = dict(measure.values)[parameter.name]
        if parameter.name not in known and value != parameter.default:
            raise MeasureError(
                f"measure {measure.text!r}: its expectation over the orders of tied documents is not known with "
                f"{parameter.name}={value}"
            )
    values = tuple((name, value) for name, value in measure.values if name in known)
    return replace(measure, definition=expectation, values=values)


def _arguments(text: str, arguments: str) -> Iterable[tuple[str, str]]:
    if re.match(r"\s*gains\s*=", arguments):
        raise MeasureError(f"measure {text!r}: gains of grades are given once for all measures, as gains= of the call")
    for argument in arguments.split(",") if arguments.strip() else []:
        match = re.match(ARGUMENT, spellings().get(re.sub(r"[\s'\"]", "", argument), argument.strip()))
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

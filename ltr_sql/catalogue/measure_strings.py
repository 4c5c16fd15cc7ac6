"""Measure strings: `nDCG(gain='exponential')@10` <-> a measure with the values of its parameters.

SQL (`ltr.evaluate`) uses the same words, names and distance.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any

from ltr_sql.catalogue.conventions import Convention, conventions
from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.catalogue.functions import reads_num_ret
from ltr_sql.catalogue.measures import (
    NONE_RETRIEVED,
    Definition,
    all_definitions,
    definitions,
    definitions_by_name,
    uncut_names,
)
from ltr_sql.catalogue.options import unknown_name
from ltr_sql.catalogue.parameters import Parameter, Value, one_of, spellings
from ltr_sql.errors import MeasureError

# The number of names that a hint lists.
MOST = 3


def folded(name: str) -> str:
    """Return a name in lower case, without _ and -."""
    return name.lower().replace("_", "").replace("-", "")


@cache
def words() -> Mapping[str, str]:
    """Map words that are no measures, as written and folded, to what the error says. Names of measures are left out."""
    entries = tomllib.loads((SQL_FOLDER / "words.toml").read_text(encoding="utf-8"))["words"]
    texts = {name: entry["hint"] for entry in entries for name in entry["names"]}
    measures = {folded(name) for name in definitions_by_name()}
    return texts | {folded(name): text for name, text in texts.items() if folded(name) not in measures}


@cache
def titles() -> Mapping[str, str]:
    """Map the folded names of measures to their spelling."""
    found: dict[str, str] = {}
    for definition in all_definitions().values():
        for name in (definition.name, *definition.aliases, *definition.named):
            found.setdefault(folded(name), name)
    return found


def word_for(name: str) -> str | None:
    """Return what the error says about a word of another trade, or None for any other name."""
    return words().get(name) or words().get(folded(name))


def nearest(name: str) -> list[str]:
    """Return up to three names of measures that differ from a name in the fewest letters, at most a quarter and one."""
    distances = {spelled: letters_between(folded(name), key) for key, spelled in titles().items()}
    least = min(distances.values())
    near = sorted(spelled for spelled, letters in distances.items() if letters == least)
    return near[:MOST] if 4 * least <= 4 + len(folded(name)) else []


def letters_between(a: str, b: str) -> int:
    """Return the Damerau-Levenshtein distance: how many letters to insert, delete, replace or swap with a neighbour."""
    # Row i + 1 and column j + 1 belong to the prefixes a[:i] and b[:j]; row and column 0 are never the smallest.
    most = len(a) + len(b)
    table = [[most] * (len(b) + 2) for _ in range(len(a) + 2)]
    last_row: dict[str, int] = {}
    for i in range(len(a) + 1):
        last_column = 0
        for j in range(len(b) + 1):
            if 0 in (i, j):
                table[i + 1][j + 1] = i + j
                continue
            row, column, equal = last_row.get(b[j - 1], 0), last_column, a[i - 1] == b[j - 1]
            table[i + 1][j + 1] = min(
                table[i][j] + (not equal),
                table[i + 1][j] + 1,
                table[i][j + 1] + 1,
                table[row][column] + (i - row - 1) + 1 + (j - column - 1),
            )
            last_column = j if equal else last_column
        if i:
            last_row[a[i - 1]] = i
    return table[-1][-1]


# The grammar of measure strings: NAME, NAME@k or NAME(parameter=value, ...)@k. Python and DuckDB (ltr.evaluate and
# others) use the patterns GRAMMAR and ARGUMENT. tests/measure_strings.csv lists strings that they accept or refuse.
#
# - Names are case-insensitive; parameters and values are case-sensitive.
# - Blanks are spaces, tabs and line breaks. They may surround the string, an argument, its = and its value.
# - A value may be quoted, by ' or ". No comma follows the last argument.
# - The number after the @ is the cutoff, or the parameter that the measure's header names (`at`), such as a level of
#   recall. trec_eval writes NAME_k or NAME.k.
# - For a measure whose header names a `fraction`, a number below 1 sets this parameter: RBP@0.95 has p=0.95, RBP@1 has
#   k=1. Digits after a point are then decimals: ranx's rbp.95 has p=0.95. For other measures they are the cutoff.
# - Several numbers after the @, separated by commas, are several measures, in lists of measure strings only.
# - ranx's -l2 at the end sets `rel` or `level` to 2, XGBoost's - sets `empty` to 0.
# - Numbers are double precision: 2, 2.0, 02 and +2e0 are one value.
# - ir_measures' cutoff=10 is @10, and its judged_only=False is left out.
# - A parameter is set once. An optional one is NULL when it is left out; null is not a value.
# - A string has at most 1,000 characters, not counting the blanks around it.
#
# The patterns name the characters that they accept, because \w, \d and \s are Unicode in Python and ASCII in DuckDB.
# Python matches them in time linear in the length of the string, because digits can be read in one way only.
# With [0-9]*\.?[0-9]+ it would try each split of the digits.
GRAMMAR = (
    r"^(?P<name>[A-Za-z0-9][A-Za-z0-9_-]*?)(?:\((?P<arguments>[^()]*)\))?"
    r"(?:(?P<mark>[@_.])(?P<at>(?:[0-9]*\.)?[0-9]+))?(?:-l(?P<level>[0-9]+))?(?P<zero>-)?$"
)
# Only texts have an underscore, because Python and DuckDB read 1_000 as a number.
_VALUE = r"(?:[+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*|[A-Za-z]+(?:_[A-Za-z]+)+)"
ARGUMENT = rf"""^(?P<name>[A-Za-z0-9_]+)[ \t\r\n]*=[ \t\r\n]*(?:(?P<value>{_VALUE})|'({_VALUE})'|"({_VALUE})")$"""
_NUMBER = r"(?:[0-9]*\.)?[0-9]+"
# A measure string with several numbers after the @, which is one measure for each: nDCG@5,10,20.
SEVERAL = rf"^(?P<head>[^\n]*[@_])(?P<numbers>{_NUMBER}(?:[ \t\r\n]*,[ \t\r\n]*{_NUMBER})+)$"
# The replacement for a match of ARGUMENT: the argument without blanks and quotes.
ASSIGNMENT = r"\1=\2\3\4"
# Arguments of other tools that name the only behaviour of ltr_sql.
IGNORED = ("judged_only=False", "relative=False")
JUDGED_ONLY = (
    "judged_only cannot be set for one measure: remove the unjudged documents from the run, or use ltr-sql trec_eval -J"
)
NO_EMPTY = ", which only measures that need relevant documents have"
_BLANKS = " \t\r\n"
LONGEST = 1000

# The measures that are computed by default.
DEFAULT_MEASURES = ("AP", "RR", "nDCG@10", "P@10", "R@1000")
# Names of several measures: the set that trec_eval prints by default.
GROUPS = {
    "official": (
        *("num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
        *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11)),
        *(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    ),
}


@dataclass(frozen=True)
class Measure:
    """A measure with the value of each of its parameters; `text` is the caller's string without surrounding blanks.

    `ties` and `missing` are the rules that a convention sets for this measure alone. Empty for those of the call.
    """

    definition: Definition
    values: tuple[tuple[str, Value], ...]
    text: str
    ties: str = ""
    missing: str = ""

    @property
    def reads(self) -> str:
        """The rows that it needs: one of `ROWS`."""
        return self.definition.reads_of(dict(self.values))

    @property
    def reads_num_ret(self) -> bool:
        """True if it reads the number of retrieved documents."""
        return reads_num_ret(self.reads) or ("empty", NONE_RETRIEVED) in self.values

    def __str__(self) -> str:
        """The canonical measure string, without values that are defaults. It parses to an equal measure."""
        values = dict(self.values)
        at = self.definition.parameter(self.definition.at)
        value = values.pop(at.name) if at else None
        given = [
            f"{parameter.name}={_shortest(values[parameter.name])!r}"
            for parameter in self.definition.parameters
            if parameter.name in values and values[parameter.name] != parameter.default
        ]
        arguments = f"({', '.join(given)})" if given else ""
        # An @ takes digits and a point, and no exponent.
        return f"{self.definition.name}{arguments}{f'@{Decimal(str(value)):f}' if at and value != at.default else ''}"


def parse_measure(text: str, convention: Convention | None = None) -> Measure:
    """Parse a measure string. A convention sets the parameters that the string does not.

    Raises MeasureError for an unknown name or parameter, a value that is not allowed, and a required cutoff or
    parameter that is missing.
    """
    if not isinstance(text, str):
        raise MeasureError(f"a measure is a string such as 'nDCG@10', got {text!r}")
    text = text.strip(_BLANKS)
    if len(text) > LONGEST:
        raise MeasureError(f"a measure string has at most {LONGEST:,} characters, got {len(text):,}: {text[:50]!r}...")
    return _parsed(text, convention)


@lru_cache(maxsize=10_000)
def _parsed(text: str, convention: Convention | None) -> Measure:
    match = re.fullmatch(GRAMMAR, text)
    if match is None:
        parts = [re.fullmatch(GRAMMAR, part) for part in text.split()]
        if len(parts) > 1 and all(part and part["name"].lower() in definitions_by_name() for part in parts):
            raise MeasureError(f"measure {text!r} holds {len(parts)} measures: pass each of them as its own string")
        raise MeasureError(
            f"measure {text!r} cannot be read: write NAME, NAME@k or NAME(parameter=value)@k, as in nDCG@10"
        )
    definition = definitions_by_name().get(match["name"].lower())
    if definition is None or match["name"] in words():
        raise _unknown(text, match["name"])
    preset = definition.preset(match["name"])
    if convention is not None:
        if convention.only and not definition.beyond_accuracy:
            raise MeasureError(
                f"convention {convention.name!r} covers only measures beyond accuracy: compute {text!r} without it"
            )
        # A convention may map a name to another measure than we do.
        macro = convention.substitutes.get(definition.macro, definition.macro)
        definition = all_definitions()[convention.substitutes.get(match["name"].lower(), macro)]
    if match["at"] is None:
        macro = uncut_names().get((match["name"].lower(), definition.macro), definition.macro)
        definition = all_definitions()[macro]
    for name, _ in _arguments(text, match["arguments"] or ""):
        definition = all_definitions()[definition.given.get(name, definition.macro)]
    if convention is not None:
        preset = {**convention.values.get(definition.macro, {}), **preset}
    values: dict[str, Value] = {p.name: preset.get(p.name, p.default) for p in definition.parameters}
    values |= _given(text, definition, match, _name_under(convention, match["name"], definition))
    for parameter in definition.required:
        if values[parameter.name] is None:
            what = "a cutoff" if parameter.name == "k" else f"a value of {parameter.name}"
            raise MeasureError(f"measure {text!r} needs {what}, as in {definition.example}")
    for parameter in definition.parameters:
        if values[parameter.name] in parameter.needs_cutoff and values["k"] is None:
            raise MeasureError(f"measure {text!r}: {parameter.name}={values[parameter.name]} needs a cutoff, as in @10")
    rules = {} if convention is None else convention.rules.get(definition.macro, {})
    return Measure(definition, tuple(values.items()), text, **rules)


def parse_measures(texts: Iterable[str], convention: Convention | None = None) -> list[Measure]:
    """Parse a list of measure strings, in order and without duplicates.

    nDCG@5,10 stands for two measures, and official for the set that trec_eval prints by default. Objects of
    ir_measures are read by their text. A convention sets the parameters that a string does not. Raises MeasureError for
    an invalid measure string (see `parse_measure`), for an empty list, and for strings that differ only in case.
    """
    if texts is None or not hasattr(texts, "__iter__"):
        raise MeasureError(f"measures must be a list of strings such as ['nDCG@10', 'AP'], got {texts!r}")
    if isinstance(texts, str):
        raise MeasureError(f"measures must be a list of strings, got the string {texts!r}: write [{texts!r}]")
    each = [single for text in texts for single in _single(text)]
    measures = list({m.text: m for m in (parse_measure(text, convention) for text in each)}.values())
    if len({measure.text.lower() for measure in measures}) < len(measures):
        raise MeasureError(
            "two measure strings differ only in case, so their columns would have one name: remove one of them"
        )
    if not measures:
        raise MeasureError("no measures given: pass a list such as ['nDCG@10', 'AP']")
    return measures


def _single(given: Any) -> list[Any]:
    """Return the measure strings that an entry of a list stands for, usually the entry itself."""
    text = str(given) if type(given).__module__.partition(".")[0] == "ir_measures" else given
    if not isinstance(text, str):
        return [text]
    text = text.strip(_BLANKS)
    match = re.fullmatch(SEVERAL, text) if "," in text and len(text) <= LONGEST else None
    if match is None:
        return [*GROUPS.get(text.lower(), (text,))]
    return [match["head"] + number.strip(_BLANKS) for number in match["numbers"].split(",")]


def _given(text: str, definition: Definition, match: re.Match[str], named: str) -> dict[str, Value]:
    """Return the values that a measure string sets: its arguments, the number at the @, -l and the - at the end.

    `named` is the name of the measure in errors.
    """
    given: dict[str, Value] = {}

    def give(parameter: Parameter, value: str) -> None:
        if parameter.name in given:
            raise MeasureError(f"measure {text!r}: {parameter.name} is given twice")
        given[parameter.name] = _value(text, parameter, value)

    for name, value in _arguments(text, match["arguments"] or ""):
        parameter = definition.parameter("k" if name == "cutoff" else name)
        if name == "judged_only":
            raise MeasureError(f"measure {text!r}: {JUDGED_ONLY}")
        if parameter is None or name == "k":
            allowed = ", ".join(p.name for p in definition.parameters if p.name != "k") or "none"
            reason = NO_EMPTY if name == "empty" else ""
            raise MeasureError(
                f"measure {text!r}: {definition.name} has no parameter {name!r}{reason}; its parameters are: {allowed}"
            )
        give(parameter, value)
    if match["at"] is not None:
        name, value = _at(definition, match["mark"], match["at"])
        at = definition.parameter(name)
        if at is None:
            raise MeasureError(f"measure {text!r}: {named} has no cutoff")
        give(at, value)
    if match["level"] is not None:
        level = definition.parameter("rel") or definition.parameter("level")
        if level is None:
            raise MeasureError(f"measure {text!r}: -l sets rel or level, and {definition.name} has neither")
        give(level, match["level"])
    if match["zero"] is not None:
        empty = definition.parameter("empty")
        if empty is None:
            raise MeasureError(
                f"measure {text!r}: the - at the end sets empty=0, and {definition.name} has no parameter empty"
                f"{NO_EMPTY}"
            )
        give(empty, "0")
    return given


def _name_under(convention: Convention | None, name: str, definition: Definition) -> str:
    """Return the name of a measure, and what it means under a convention that maps it to another measure."""
    if convention is None or definition.macro not in convention.substitutes.values():
        return definition.name
    return f"under convention {convention.name!r} {name} is {definition.name}, which"


def _at(definition: Definition, mark: str, text: str) -> tuple[str, str]:
    """Return the parameter that the number after the @ sets, and its value."""
    number = f"0.{text}" if mark == "." and "." not in text else text
    return (definition.fraction, number) if definition.fraction and float(number) < 1 else (definition.at, text)


def find_convention(name: str | None) -> Convention:
    """Return the convention with this name, or the default one for None. Raises MeasureError for an unknown name."""
    if name is None:
        return next(iter(conventions().values()))
    found = conventions().get(str(name).lower())
    if found is None:
        raise MeasureError(unknown_name("convention", name, conventions()))
    return found


def resolve_options(
    texts: Iterable[str], convention: str | None, ties: str | None, missing: str | None
) -> tuple[tuple[Measure, ...], str, str]:
    """Return the measures, the tie-breaking rule and the rule for missing queries.

    A convention supplies the options that the caller leaves out. A measure has its own rules if the convention sets
    them, and the caller does not. Raises MeasureError for an unknown convention, and for measures that cannot be
    computed under the tie-breaking rule.
    """
    chosen = find_convention(convention)
    rule, absent = chosen.ties if ties is None else ties, chosen.missing if missing is None else missing
    measures = (
        replace(
            measure,
            ties=_own(measure.ties, ties, rule),
            missing=_own(measure.missing, missing, absent),
        )
        for measure in parse_measures(texts, chosen)
    )
    return tuple(_under(rule, measure) for measure in measures), rule, absent


def _own(rule: str, given: str | None, usual: str) -> str:
    """Return the rule of a measure, or '' if the caller's or the usual rule applies."""
    return rule if given is None and rule != usual else ""


def parse_measures_under(ties: str, texts: Iterable[str]) -> list[Measure]:
    """Parse a list of measure strings.

    With ties='expected' each measure becomes its expected value over all orders of tied documents. Measures that
    define the value of tied documents, such as AUC, stay as they are. Raises MeasureError for a measure whose expected
    value is not known.
    """
    return [_under(ties, measure) for measure in parse_measures(texts)]


def _under(ties: str, measure: Measure) -> Measure:
    """Return a measure as computed under its own tie-breaking rule, or else under `ties`."""
    return _expected(measure) if (measure.ties or ties) == "expected" else measure


def _expected(measure: Measure) -> Measure:
    expectation = measure.definition.expectation
    if expectation is None and measure.definition.shared_ranks:
        # The measure itself defines the value of ties.
        return measure
    if expectation is None:
        others = one_of(d.name for d in definitions().values() if d.expectation not in (None, d))
        raise MeasureError(
            f"measure {measure.text!r} has no known expectation over the orders of tied documents: "
            f"with ties='expected' choose {others}"
        )
    known = {parameter.name for parameter in expectation.parameters}
    for parameter in measure.definition.parameters:
        value = dict(measure.values)[parameter.name]
        if parameter.name not in known and value != parameter.default:
            raise MeasureError(
                f"measure {measure.text!r} has no known expectation over the orders of tied documents with "
                f"{parameter.name}={value}"
            )
    values = tuple((name, value) for name, value in measure.values if name in known)
    return replace(measure, definition=expectation, values=values)


def _arguments(text: str, arguments: str) -> Iterable[tuple[str, str]]:
    """Return the parameters and values between the parentheses, with our spelling of other tools' values."""
    if re.match(r"[ \t\r\n]*gains[ \t\r\n]*=", arguments):
        raise MeasureError(f"measure {text!r}: gains cannot be set for one measure: pass them to the call as gains=")
    for argument in arguments.split(",") if arguments.strip(_BLANKS) else []:
        match = re.fullmatch(ARGUMENT, argument.strip(_BLANKS))
        if match is None:
            raise MeasureError(f"measure {text!r}: {argument.strip(_BLANKS)!r} is not parameter=value")
        assignment = match.expand(ASSIGNMENT)
        if assignment in IGNORED:
            continue
        name, _, value = spellings().get(assignment, assignment).partition("=")
        yield name, value


def _value(text: str, parameter: Parameter, given: str) -> Value:
    """Return the value of a parameter. Raises MeasureError if the parameter does not allow it."""
    value = given if parameter.type == "choice" else _number(given)
    if not parameter.allows(value):
        raise MeasureError(f"measure {text!r}: {parameter.name} must be {parameter.allowed}, got {given}")
    return value


def _number(text: str) -> int | float | None:
    """Parse a number, as an int if it is whole. Return None for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() else number


def _shortest(value: Value) -> Value:
    """Return a value that prints in few digits: 1e+300 for a large int."""
    return float(value) if isinstance(value, int) and abs(value) >= 1e15 else value


def _unknown(text: str, name: str) -> MeasureError:
    """Return the error for an unknown measure: a word of another trade, or the nearest names."""
    word, near = word_for(name), nearest(name)
    if word is not None:
        return MeasureError(f"unknown measure {text!r}: {word}")
    if near:
        return MeasureError(f"unknown measure {text!r}; did you mean {' or '.join(near)}?")
    return MeasureError(f"unknown measure {text!r}; to list all measures, call ltr_sql.measures()")

"""The outputs of trec_eval: its measure names, groups and arguments, and the measures that compute them."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure, parse_measure
from ltr_sql.catalogue.measures import definitions_by_name
from ltr_sql.errors import MeasureError
from ltr_sql.inputs.gains import Gains, parse_gain

_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")


_LEVELS = tuple(str(tenth / 10) for tenth in range(11))


_MULTIPLES = tuple(str(fifth / 5) for fifth in range(1, 11))


# Measures in the order in which trec_eval prints them.
_NAMES = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG"),
    *("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P"),
    *("set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "yaap", "rbp", "rbp_resid", "unj"),
)
# Their default cutoffs, levels or multiples; none for other measures.
_DEFAULTS: dict[str, tuple[str, ...]] = dict.fromkeys(_NAMES, ()) | {
    "iprec_at_recall": _LEVELS,
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P"), _CUTOFFS),
    "Rprec_mult": _MULTIPLES,
    "success": ("1", "5", "10"),
    "unj": ("5", "10", "20"),
}


_GROUPS: Mapping[str, Sequence[str]] = {
    "official": _NAMES[: _NAMES.index("P") + 1],
    "set": ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"]
    + [name for name in _NAMES if name.startswith("set_")],
    "all_trec": [name for name in _NAMES if name not in ("dcg", "ideal_dcg", "yaap")],
}


# The measure that is graded if its name is followed by gains, as in rbp.1=0.5,2=1, and binary otherwise.
_BINARY_WITHOUT_GAINS = "rbp"


# Lines with text instead of a value: the name of the run, and the grades of the top documents.
RUN_ID, RELSTRING = "runid", "relstring"


# The measure whose argument is a list of recall levels.
_MEAN_OVER_LEVELS = "11pt_avg"


RELSTRING_LENGTH = "10"


_GAIN = re.compile(r"-?\d+=")


@dataclass(frozen=True)
class Output:
    """A measure or text that is printed.

    - `printed`: name in the line, such as P_5; `name`: trec_eval's name, such as P.
    - `measures`: our measures, whose mean is printed; empty for a text.
    - `gains`: custom gains of grades.
    - `argument`: number of documents of relstring.
    """

    printed: str
    name: str
    measures: tuple[Measure, ...] = ()
    gains: Gains | None = None
    argument: str = ""

    def in_collection(self, size: int) -> "Output":
        """Return the output with the number of documents in the collection, for measures that read it."""
        name = "collection_size"
        if not size or all(measure.definition.parameter(name) is None for measure in self.measures):
            return self
        values = [tuple((each, size if each == name else value) for each, value in m.values) for m in self.measures]
        pairs = zip(self.measures, values, strict=True)
        return replace(self, measures=tuple(replace(measure, values=given) for measure, given in pairs))

    @property
    def per_query(self) -> bool:
        """True if it is printed for each query."""
        return self.name not in (RUN_ID, "num_q") and self._average != "geometric"

    @property
    def in_summary(self) -> bool:
        """True if it is printed for all queries together."""
        return self.name != RELSTRING

    @property
    def _average(self) -> str:
        return self.measures[0].definition.average if self.measures else ""

    def value(self, values: Mapping[Any, Any]) -> str:
        """Format the value. `values` maps (gains, measure string) to a value, and a printed name to a text."""
        if not self.measures:
            return str(values[self.printed])
        value = sum(values[self.gains, measure.text] for measure in self.measures) / len(self.measures)
        return str(int(value)) if self._average == "sum" else decimals(value)


def line(name: str, query: str, value: str) -> str:
    """Format a line as trec_eval does."""
    return f"{name:<22}\t{query}\t{value}"


def decimals(value: float) -> str:
    """Format a number as trec_eval does."""
    return f"{value:6.4f}"


def measures_of(group: str) -> list[str]:
    """Return the measure strings of a group of trec_eval's measures, such as all_trec."""
    return list(dict.fromkeys(measure.text for output in outputs_named([group], 1) for measure in output.measures))


def names_of_outputs() -> list[str]:
    """Return the names that -m takes: groups and measures."""
    return [*_GROUPS, *_DEFAULTS]


def outputs_named(texts: Sequence[str], level: int) -> list[Output]:
    """Parse the arguments of -m. Returns the outputs in the order of trec_eval."""
    arguments: dict[str, list[str]] = {}
    for text in texts:
        name, _, given = text.partition(".")
        for each in _GROUPS.get(name, [name]):
            if each not in _DEFAULTS or (name in _GROUPS and given):
                raise MeasureError(f"unknown measure {text!r}{_suggestions(text)}")
            arguments.setdefault(each, []).extend(filter(None, [given]))
    return [
        output for name in _DEFAULTS if name in arguments for output in _with_arguments(name, arguments[name], level)
    ]


def _suggestions(text: str) -> str:
    known = {name.lower(): name for name in (*_DEFAULTS, *_GROUPS)}
    near = [known[name] for name in difflib.get_close_matches(re.split(r"[.@_]?[0-9]", text.lower())[0], known, n=3)]
    found = f"did you mean {' or '.join(near)}?" if near else f"choose one of {', '.join([*_GROUPS, *_DEFAULTS])}."
    return f"; {found} Write parameters after a point, as in P.5,10"


def _with_arguments(name: str, given: Sequence[str], level: int) -> Iterator[Output]:
    """Yield the outputs of a measure. `given` are its arguments, one text for each time that -m names it."""
    if name == RUN_ID:
        yield Output(name, name)
    elif name == RELSTRING:
        argument = given[0] if given else ""
        if argument and not argument.isdecimal():
            raise MeasureError(f"{name} takes a number of documents, as in {name}.{RELSTRING_LENGTH}, got {argument!r}")
        yield Output("_".join(filter(None, [name, argument])), name, argument=argument)
    elif _DEFAULTS[name]:
        definition = definitions_by_name()[name.lower()]
        at = definition.parameter(definition.at)
        for value in _parse_numbers(name, ",".join(given).split(",") if given else _DEFAULTS[name]):
            shown = f"{value:.0f}" if at and at.type == "integer" else f"{value:3.2f}"
            yield Output(f"{name}_{shown}", name, (measure(name, [], level, f"@{value:g}"),))
    else:
        # If there are several lists of parameters, use the first.
        argument = given[0] if given else ""
        printed = "_".join(filter(None, [name, argument]))
        if name == _MEAN_OVER_LEVELS and argument:
            yield Output(printed, name, tuple(_at_levels(argument, level)))
        else:
            gains, others = _split_gains(name, argument)
            yield Output(printed, name, (_with_parameters(name, others, gains, level),), gains)


def _parse_numbers(name: str, texts: Sequence[str]) -> list[float]:
    try:
        return sorted({float(text) for text in texts if text})
    except ValueError:
        raise MeasureError(f"{name} takes numbers, as in {name}.{','.join(_DEFAULTS[name][:2])}") from None


def _at_levels(argument: str, level: int) -> Iterator[Measure]:
    """Yield interpolated precision at each level of a list of recall levels."""
    texts = argument.split(",")
    try:
        levels = [float(text) for text in texts]
    except ValueError:
        raise MeasureError(f"{_MEAN_OVER_LEVELS} takes levels of recall, as in {_MEAN_OVER_LEVELS}.0.2,0.5") from None
    if levels != sorted(levels):
        # trec_eval reads a level that follows a larger one as 0.
        raise MeasureError(f"{_MEAN_OVER_LEVELS}.{argument}: give the levels of recall in ascending order")
    for value in levels:
        yield measure("iprec_at_recall", [], level, f"@{value:g}")


def _split_gains(name: str, argument: str) -> tuple[Gains | None, list[str]]:
    """Split the parameters of a measure into custom gains and others."""
    texts = argument.split(",") if argument else []
    gains = [text for text in texts if _GAIN.match(text)]
    if gains and not _takes_gains(name):
        taking = ", ".join(filter(_takes_gains, _DEFAULTS))
        raise MeasureError(f"{name}.{argument}: only {taking} take gains")
    found: dict[float, float] = {}
    for text in gains:
        pair = parse_gain(text)
        if pair is None:
            raise MeasureError(f"{name}.{argument}: write a gain as GRADE=GAIN, with numbers from 0, got {text!r}")
        found.setdefault(*pair)
    return Gains(tuple(sorted(found.items()))) if found else None, [text for text in texts if not _GAIN.match(text)]


def _takes_gains(name: str) -> bool:
    """Return whether gains can follow a name. They cannot if the name takes cutoffs or levels."""
    definition = definitions_by_name().get(name.lower())
    return definition is not None and not _DEFAULTS[name] and (definition.gains or name == _BINARY_WITHOUT_GAINS)


def _with_parameters(name: str, texts: Sequence[str], gains: Gains | None, level: int) -> Measure:
    """Return our measure for trec_eval's name, parameters and gains."""
    if name == _BINARY_WITHOUT_GAINS and gains:
        return parse_measure(f"GradedRBP({', '.join([*_assignments(name, texts), 'unit=1'])})")
    return measure(name, _assignments(name, texts), level)


def _assignments(name: str, texts: Sequence[str]) -> Sequence[str]:
    """Return the parameters of a measure as NAME=VALUE. trec_eval may write them as a list of numbers."""
    if not texts or "=" in texts[0]:
        return texts
    names = [p.name for p in definitions_by_name()[name.lower()].parameters if p.type == "number" and p.name != "rel"]
    if len(texts) > len(names):
        count = f"{len(names)} parameter{'s' if len(names) > 1 else ''}"
        takes = f"at most {count}: {', '.join(names)}" if names else "no list of numbers"
        raise MeasureError(f"{name}.{','.join(texts)}: {name} takes {takes}")
    return [f"{parameter}={text}" for parameter, text in zip(names, texts, strict=False)]


def measure(name: str, assignments: Sequence[str] = (), level: int = 1, at: str = "") -> Measure:
    """Return our measure by trec_eval's name. `level` sets the smallest relevant grade of binary measures."""
    if definitions_by_name()[name.lower()].parameter("rel") and level != 1:
        assignments = [*assignments, f"rel={level}"]
    return parse_measure(f"{name}({', '.join(assignments)}){at}" if assignments else f"{name}{at}")

"""The options of functions, commands and macros, and their checks.

An option is a field of a record. A Python function unpacks the record, `takes` shows its options in `help()` and checks
their names, and editors and type checkers read it as it stands. Parameters and checks of SQL macros, flags of the
command line, functions of Spark and tables of docs follow from the same fields.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, wraps
from inspect import Signature, cleandoc, signature
from textwrap import fill
from typing import Annotated, Any, TypedDict, TypeVar, get_args, get_type_hints

import duckdb

from ltr_sql.catalogue.parameters import Parameter, choices_of
from ltr_sql.errors import InputError


def check_choice(option: str, value: object, allowed: Iterable[str]) -> None:
    """Raise InputError for a value that is not allowed."""
    Parameter(option, "choice", "", choices=tuple(allowed)).check(value)


def refuse_none(default: object, **options: object) -> None:
    """Raise InputError for an option that is None although its default is not."""
    for name, value in options.items():
        if value is None:
            raise InputError(f"{name} must not be None: leave it out for its default {default!r}")


def unknown_name(option: str, value: object, names: Iterable[str]) -> str:
    """Return the text of the error for a value that is not one of many names."""
    return f"{option} must be one of {', '.join(names)}, got {value!r}"


def listed_keys(keys: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names of keys. Raises InputError for a string, which would otherwise be a list of letters."""
    if isinstance(keys, str):
        raise InputError(f"keys must be a list of column names, got the string {keys!r}: write [{keys!r}]")
    if keys is not None and not isinstance(keys, Iterable):
        raise InputError(f"keys must be a list of column names, got {keys!r}")
    return tuple(keys or ())


def check_integer(option: str, value: object, least: int, most: int) -> None:
    """Raise InputError unless a value is an integer from `least` to `most`."""
    Parameter(option, "integer", "", minimum=least, maximum=most).check(value)


GRAMMAR = (
    r"(?P<measure>\S|\S.*?\S)(?:\s+(?P<word>plainly|significantly|possibly))?\s+(?P<direction>worse|different)"
    r"(?:\s+by\s*>\s*(?P<number>(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(?P<percent>%)?)?"
)
FORM = (
    "write MEASURE [plainly | significantly | possibly] (worse | different) [by > NUMBER[%]], "
    "as in 'nDCG@10 significantly worse by > 1%'"
)
# What is said of a gate that is refused, after "the gate 'TEXT' ".
WHOLE_SHARE = "has a margin of 100% or more: write a smaller share, or a number without %"
NEEDS_MARGIN = "needs a margin, as in 'by > 1%': no test shows a difference of exactly 0"


_Function = TypeVar("_Function", bound=Callable[..., Any])
# The types of options that are numbers, switches or lists of names, by their annotation. Others are 'text'.
_TYPES: Mapping[object, str] = {
    **dict.fromkeys((int, int | None), "integer"),
    **dict.fromkeys((float, float | None), "number"),
    bool: "switch",
    **dict.fromkeys((Sequence[str], Sequence[str | None]), "names"),
}


def said(default: Any, summary: str, **others: Any) -> Parameter:
    """Return an option whose name and type are those of its field."""
    return Parameter("", "text", summary, default, **others)


# What records have in common.
_ADJUST = said("holm", "Correction for several comparisons.", choices=choices_of("adjustments"))
_CONFIDENCE = said(
    0.95,
    "Coverage of the intervals, and 1 minus the level of the tests.",
    above=0,
    below=1,
    example="0.95",
)
_SEED = said(
    7,
    "Seed of random signs, samples and folds. Equal seeds give equal results on every machine.",
    minimum=0,
    maximum=2**31 - 1,
)
_CI = said("t", "Intervals by Student's t distribution (t), or by the bootstrap.", choices=choices_of("intervals"))
_CLUSTER = said(
    None,
    "Queries that belong together, such as those of a session: the name of a column of the input, or a table or dict "
    "of query_id -> cluster. Intervals and p then count clusters, not queries. Needs the t or the sequential test. "
    "docs/guides/judges.md has the formulas.",
)
_ALLOW_UNJUDGED = said(False, "Accept queries of which people judged fewer documents than the other judge.", sql=False)


class Reading(TypedDict, total=False):
    """How the tables of a call are read."""

    columns: Annotated[
        Mapping[str, str | Mapping[str, str]] | None,
        said(
            None,
            "Your column names -> ours for the run or log, such as {'user_id': 'query_id', 'item_id': 'doc_id'}. Other "
            "tables are also read by a name if they have this column and lack ours. The name of an argument -> names "
            "is for one table, such as {'history': {'user': 'query_id'}}.",
            sql=False,
        ),
    ]
    qrels_columns: Annotated[
        Mapping[str, str] | None,
        said(None, "Your column names -> ours for the judgments, such as {'score': 'relevance'}.", sql=False),
    ]
    ranks_from: Annotated[
        int,
        said(
            1,
            "The rank of the first document in the input: 1 or 0. With 0, one is added to each rank.",
            minimum=0,
            maximum=1,
            sql=False,
        ),
    ]
    grades: Annotated[
        Mapping[str, float] | None,
        said(
            None,
            "Numbers for texts in relevance, such as {'Exact': 3, 'Substitute': 2, 'Irrelevant': 0}. Texts of numbers "
            "need no entry; any other text without one is an error.",
            sql=False,
        ),
    ]
    qrels_duplicates: Annotated[
        str,
        said(
            "error",
            "Documents that are judged again for a query: an error, or `max` for the highest grade.",
            choices=("error", "max"),
            sql=False,
        ),
    ]
    duplicates: Annotated[
        str,
        said(
            "error",
            "Documents that a ranking lists again: an error; `first` leaves the rows out, and the documents below move "
            "up; `wasted` leaves the rows out and keeps their ranks, which count as not relevant.",
            choices=("error", "first", "wasted"),
            sql=False,
        ),
    ]
    unjudged: Annotated[
        str,
        said(
            "drop",
            "Unjudged documents of a run: `drop` counts them as not relevant; `remove` condenses each list to its "
            "judged documents (grades from 0), which then move up, as trec_eval -J does.",
            choices=("drop", "remove"),
            sql=False,
        ),
    ]
    asked: Annotated[
        Any,
        said(
            None,
            "The queries that were asked: a list of query ids, or a table with query_id and any of the keys. A query "
            "without results counts as an empty ranking, a query that was not asked does not count, and `missing` has "
            "no effect. By default, the judged queries count.",
            sql=False,
        ),
    ]


class Averages(TypedDict, total=False):
    """How values are averaged over queries."""

    weights: Annotated[
        Any,
        said(
            None,
            "Weights of queries, such as their traffic, for weighted means. A dict of query_id -> weight, a table with "
            "query_id, weight and any of the keys, or the name of a column of `rankings`, which must be constant in "
            "each query. Every query needs one; 0 leaves it out.",
        ),
    ]
    totals: Annotated[
        bool,
        said(
            False,
            "Add the rows over all segments, whose keys are None: over the values of the last key, then of the last "
            "two, and so on. The column `total` has the number of these keys, and 0 for a segment: its keys may be "
            "None as well. The key `system` is kept. Each pair of query and segment counts once.",
        ),
    ]
    ci: Annotated[str | None, replace(_CI, default=None)]
    confidence: Annotated[float, _CONFIDENCE]
    human: Annotated[
        Any,
        said(
            None,
            "With ci='t', judgments by people for a random sample of the queries. They correct the means under "
            "`qrels`, such as an LLM's judgments, and the intervals. docs/guides/judges.md explains `human` and "
            "`cluster`.",
            sql=False,
        ),
    ]
    cluster: Annotated[
        Any,
        said(
            None,
            "With ci='t', queries that belong together, such as those of a session: the name of a column of "
            "`rankings`, or a table or dict of query_id -> cluster.",
            sql=False,
        ),
    ]
    allow_unjudged: Annotated[bool, _ALLOW_UNJUDGED]


class Evaluate(Averages, Reading, total=False):
    """Options of `evaluate`."""


class Distribution(Averages, Reading, total=False):
    """Options of `distribution`."""

    ci: Annotated[str | None, replace(_CI, sql=False)]


class _Judged(TypedDict, total=False):
    """What is evaluated, and by which groups."""

    qrels: Annotated[Any, said(None, "Judgments; see `evaluate`.", sql=False)]
    keys: Annotated[Sequence[str], said((), "Grouping columns, such as segment. Each group is compared separately.")]
    ties: Annotated[str | None, said(None, "Tie-breaking rule; see `evaluate`.", sql=False)]
    convention: Annotated[str | None, said(None, "A tool; see `evaluate`.", sql=False)]
    values: Annotated[
        bool,
        said(
            False,
            "True if the input is a table of values instead: one row per system and query, with the columns query_id, "
            "system, and one per measure. `evaluate(..., by_query=True)` returns such a table.",
            sql=False,
        ),
    ]


class Values(_Judged, Reading, total=False):
    """Which values are compared."""

    compared: Annotated[str, said("system", "The column that names the systems.")]
    repeats: Annotated[
        Sequence[str],
        said(
            (),
            "Columns of the table of values, such as seed or fold. The values of a query are averaged over them first.",
            metavar="COLUMN",
        ),
    ]
    missing: Annotated[
        str | None,
        said(
            None,
            "What to do with a query that one of two systems lacks: leave it out (skip), count it as 0 (zero), or "
            "raise an error (error). A NULL value is left out, or with error it is an error. By default, runs with "
            "judgments follow the convention (zero without one), and other inputs skip.",
            choices=("skip", "zero", "error"),
            sql_default="'skip'",
        ),
    ]


class _Local(TypedDict, total=False):
    """Options that Spark lacks."""

    gains: Annotated[Any, said(None, "Custom gains of grades; see `evaluate`.", sql=False)]
    documents: Annotated[Any, said(None, "Table of documents; see `evaluate`.", sql=False)]
    history: Annotated[Any, said(None, "What users know; see `evaluate`.", sql=False)]
    targets: Annotated[Any, said(None, "Target shares; see `evaluate`.", sql=False)]
    check: Annotated[bool, said(True, "False skips input validation and its warnings.", sql=False)]
    con: Annotated[duckdb.DuckDBPyConnection | None, said(None, "A connection; see `evaluate`.", sql=False)]


class _Directed(TypedDict, total=False):
    """Which values are better."""

    lower_is_better: Annotated[
        Sequence[str],
        said(
            (),
            "Columns of a table of values where lower is better, such as latency. Measures know their direction.",
            metavar="MEASURE",
        ),
    ]


class Tests(Values, _Directed, total=False):
    """How the differences of systems are tested."""

    test: Annotated[
        str,
        said(
            "t",
            "Statistical test: t (paired t test), sign, wilcoxon, randomization (Fisher), or sequential, which may be "
            "looked at after every new query.",
            choices=choices_of("tests"),
        ),
    ]
    adjust: Annotated[str, _ADJUST]
    confidence: Annotated[float, _CONFIDENCE]
    planned: Annotated[
        int | None,
        said(
            None,
            "Number of queries of the sequential test at which its interval is narrowest. Choose it before you look.",
            minimum=1,
            maximum=1_000_000_000,
        ),
    ]
    human: Annotated[
        Any,
        said(
            None,
            "Judgments by people for a random sample of the queries, or with a table of values, people's values. The "
            "other judgments may then err, such as an LLM's: differences, intervals and p are corrected by "
            "prediction-powered inference. Needs the t or the sequential test. docs/guides/judges.md has the formulas.",
        ),
    ]
    cluster: Annotated[Any, _CLUSTER]
    allow_unjudged: Annotated[bool, _ALLOW_UNJUDGED]
    across: Annotated[
        str | None,
        said(
            None,
            "The column of the datasets, such as those of BEIR: means are then taken over datasets, each the mean over "
            "its queries. Every system needs a value in every dataset. Datasets of a table of values may share query "
            "ids. Needs the t test. docs/compare.md has the formulas.",
            metavar="COLUMN",
        ),
    ]
    generalize: Annotated[
        str,
        said(
            "queries",
            "With across, what intervals and p speak about: other queries of these datasets (queries), or other "
            "datasets like these (datasets).",
            choices=("queries", "datasets"),
        ),
    ]


class PairTests(Tests, total=False):
    """How pairs of systems are compared, on DuckDB and on Spark."""

    baseline: Annotated[
        str | Sequence[str] | None,
        said(
            None,
            "The system, or list of systems, that all others are compared with. By default, all pairs are compared.",
        ),
    ]
    family: Annotated[
        str,
        said(
            "measure",
            "The comparisons that are corrected together: those of each measure, or all.",
            choices=("measure", "all"),
        ),
    ]
    ci: Annotated[str, _CI]
    paired: Annotated[
        bool,
        said(
            True,
            "False compares systems that saw different queries, such as the arms of an A/B test or this week and the "
            "last: Welch's t test of the two means, with cluster by the delta method. Query ids are then not matched.",
        ),
    ]
    margin: Annotated[
        float | str | None,
        said(
            None,
            "A difference that does not matter, as a number such as 0.01, or as a share of the mean of system a such "
            "as 1%. With a margin, one-sided t tests against it give the verdict. The interval then has the coverage "
            "2 * confidence - 1 (by default 90 %). p and p_adjusted stay those of the test.",
            metavar="NUMBER[%]",
        ),
    ]
    details: Annotated[
        bool,
        said(
            False,
            "Add the columns behind the result: counts of queries, relative difference, uncorrected interval, effect "
            "sizes, wins, the test and its p, one-sided tests, and the numbers of queries for a decision.",
        ),
    ]
    allow_empty: Annotated[
        bool,
        said(False, "Compare systems whose values are all NULL, or 0 where higher is better.", sql=False),
    ]


class _Drawn(_Local, total=False):
    """Options of random draws and weights, which Spark lacks."""

    replicates: Annotated[
        int,
        said(
            10_000,
            "Number of random assignments of signs in the randomization test.",
            minimum=100,
            maximum=10_000_000,
        ),
    ]
    resamples: Annotated[int, said(1_000, "Number of samples of the bootstrap.", minimum=100, maximum=10_000_000)]
    seed: Annotated[int, _SEED]
    weights: Annotated[
        Any,
        said(
            None,
            "Weights of queries. A dict of query_id -> weight, a table with query_id, weight and any of the keys, or "
            "the name of a column of the input. Every query needs one; 0 leaves it out. Means are then weighted. The t "
            "and the sequential test use the linearised error of a ratio; other tests and intervals are refused. Wins, "
            "ties and losses count queries. docs/weights.md has the formulas.",
        ),
    ]


class Compare(PairTests, _Drawn, total=False):
    """Options of `compare`."""

    totals: Annotated[
        bool,
        said(
            False,
            "Add the comparisons over all segments of the keys, whose keys are NULL, and a column `total`: the number "
            "of keys that a row is a total over, 0 for a segment.",
        ),
    ]


class Leaderboard(Tests, _Drawn, total=False):
    """Options of `leaderboard`."""


class Orders(Tests, _Local, total=False):
    """Options of `system_agreement`."""


class Differences(Values, _Local, total=False):
    """Options of `wins` and `variance`."""


class Trend(_Judged, _Directed, Reading, _Local, total=False):
    """Options of `trend`."""

    by: Annotated[
        str,
        said(
            "week",
            "The column of the periods: dates, timestamps, ISO weeks such as 2026-W07, months such as 2026-02, "
            "quarters such as 2026-Q1, or numbers.",
        ),
    ]
    missing: Annotated[
        str | None,
        said(
            None,
            "What to do with a judged query that a period lacks: leave it out (skip), or count it as 0 (zero). By "
            "default, it counts as 0 if the judgments have the column of the periods, and is left out otherwise.",
            choices=("skip", "zero"),
            sql=False,
        ),
    ]
    cluster: Annotated[Any, _CLUSTER]
    adjust: Annotated[str, replace(_ADJUST, choices=tuple(name for name in _ADJUST.choices if name != "tukey"))]
    confidence: Annotated[float, _CONFIDENCE]


class Tuning(Reading, total=False):
    """Options of `tune_fusion`."""

    qrels: Annotated[Any, said(None, "Judgments; see `evaluate`.", sql=False)]
    methods: Annotated[
        Sequence[str],
        said(
            ("comb_sum",),
            "Methods to try, such as rrf; see `fuse`. A method without weights is tried once.",
            metavar="METHOD,...",
        ),
    ]
    norms: Annotated[
        Sequence[str | None],
        said(
            ("min_max",),
            "Norms to try with each method that reads scores; see `fuse`. None means raw scores.",
            metavar="NORM,...",
        ),
    ]
    k: Annotated[
        Any,
        said(60, "Constant of rrf, or a list of constants to try.", metavar="NUMBER,..."),
    ]
    step: Annotated[
        float,
        said(0.1, "Distance of the weights to try, which add up to 1. It must divide 1.", above=0, maximum=1),
    ]
    folds: Annotated[
        int | None,
        said(
            None,
            "Number of folds of the cross-validation, 5 by default. The weights that other folds choose are measured "
            "on each fold.",
            minimum=2,
            maximum=1_000_000,
        ),
    ]
    holdout: Annotated[
        float | None,
        said(
            None,
            "Share of the queries to hold out instead, such as 0.3. The others choose the weights, which are measured "
            "on those held out.",
            above=0,
            below=1,
            example="0.3",
        ),
    ]
    seed: Annotated[int, _SEED]
    depth: Annotated[
        int | None,
        said(None, "Number of documents from the top of each ranking.", minimum=1, maximum=1_000_000_000),
    ]
    confidence: Annotated[float, _CONFIDENCE]
    check: Annotated[bool, said(True, "False skips input validation and its warnings.", sql=False)]
    con: Annotated[duckdb.DuckDBPyConnection | None, said(None, "A connection; see `evaluate`.", sql=False)]


@cache
def options_of(record: type) -> Mapping[str, Parameter]:
    """Return the options of a record by name."""
    return {name: _option(name, *get_args(hint)) for name, hint in get_type_hints(record, include_extras=True).items()}


def _option(name: str, annotation: object, given: Parameter) -> Parameter:
    kind = "choice" if given.choices else _TYPES.get(annotation, "text")
    return replace(given, name=name, type=kind)


def defaults_of(record: type, **given: Any) -> dict[str, Any]:
    """Return the defaults of a record, and the options that are given."""
    return {name: option.default for name, option in options_of(record).items()} | given


def takes(record: type) -> Callable[[_Function], _Function]:
    """Complete the options of a call, refuse unknown ones, and show all of them in `help()`.

    The function takes `**options: Unpack[record]`, and reads every option there.
    """
    hints, options = get_type_hints(record), options_of(record)
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=hints[name])
        for name, option in options.items()
    ]

    def taking(function: _Function) -> _Function:
        own = [p for p in signature(function).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        own_names = {p.name for p in own}

        @wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            for name, value in named.items():
                if name not in options and name not in own_names:
                    raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
                if name in options and options[name].default is not None and options[name].type != "names":
                    refuse_none(options[name].default, **{name: value})
            switches = {
                n: options[n].switched(on) for n, on in named.items() if n in options and options[n].type == "switch"
            }
            return function(*given, **{**defaults_of(record), **named, **switches})

        returned = signature(function).return_annotation
        in_order = sorted([*own, *keywords], key=lambda p: p.kind)
        call.__signature__ = Signature(in_order, return_annotation=returned)  # type: ignore[attr-defined]
        call.record = record  # type: ignore[attr-defined]
        call.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\nOptions:\n\n{_described(options.values())}"
        return call  # type: ignore[return-value]

    return taking


def record_of(function: Callable[..., Any]) -> type:
    """Return the record whose options a function takes."""
    return function.record  # type: ignore[attr-defined, no-any-return]


def _described(options: Iterable[Parameter]) -> str:
    """Return a list of options in Markdown."""
    lines = (f"- `{o.name}`: {o.summary}{_choices(o)} Default: {o.default!r}." for o in options)
    return "".join(fill(line, 110, subsequent_indent="  ", break_on_hyphens=False) + "\n" for line in lines)


def _choices(option: Parameter) -> str:
    return f" One of {', '.join(f'`{choice}`' for choice in option.choices)}." if option.choices else ""

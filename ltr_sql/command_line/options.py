"""The options of commands, derived from those of Python, and their flags in messages."""

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial, reduce
from glob import has_magic
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import click

from ltr_sql.catalogue.conventions import conventions
from ltr_sql.catalogue.functions import relations
from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES
from ltr_sql.catalogue.measures import all_definitions
from ltr_sql.catalogue.options import Compare, Reading, options_of, record_of
from ltr_sql.catalogue.parameters import Parameter
from ltr_sql.command_line.failures import print_text
from ltr_sql.command_line.formats import ALIASES, STYLES
from ltr_sql.command_line.runs import is_column, missing_file
from ltr_sql.command_line.terminal import be_quiet, end_stages
from ltr_sql.inputs.forms import ROLES
from ltr_sql.inputs.gains import parse_gains
from ltr_sql.inputs.readers import PREFIX
from ltr_sql.outputs import write_text

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

# Headings of options, in the order of the help. Options without a heading come first.
EVALUATION = "How values are computed"
STATISTICS = "Tests and intervals"
LATEX = "With --format latex"
BEYOND_ACCURACY = "Tables that measures beyond accuracy read"
READING = "How files are read"
HEADINGS = ("", EVALUATION, STATISTICS, LATEX, BEYOND_ACCURACY, READING)


class Flag(click.Option):
    """An option with the heading under which the help of a command lists it.

    A text as `show_default` describes the default.
    """

    def __init__(self, *given: Any, heading: str = "", **others: Any) -> None:
        super().__init__(*given, **others)
        self.heading = heading

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return the default and the range. Click would enclose a described default in brackets."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra


def flag(*names: str, **others: Any) -> Callable[[_Decorated], _Decorated]:
    """Return a decorator that adds a `Flag`."""
    return click.option(*names, cls=Flag, **others)


class Command(click.Command):
    """A command whose help lists its options under headings, and whose error for a missing argument has an example."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raises UsageError with an example if one is missing."""
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            if not isinstance(error.param, click.Argument):
                raise
            raise click.UsageError(f"{error.format_message()}\nExample: {self._example(ctx)}", ctx) from None

    def _example(self, ctx: click.Context) -> str:
        """Return the first example of the help, or a call with the arguments and options that are required."""
        for line in (self.epilog or "").splitlines():
            if line.startswith("  ltr-sql "):
                return line.strip()
        words = ["ltr-sql", str(ctx.info_name)]
        for parameter in self.params:
            if isinstance(parameter, click.Argument):
                names = (parameter.metavar or parameter.human_readable_name).split()
                words += [f"{name.strip('[].').lower().replace('runs', 'run')}.csv" for name in names]
        for parameter in self.params:
            if isinstance(parameter, click.Option) and parameter.required:
                words += [parameter.opts[0], (parameter.metavar or str(parameter.name)).upper()]
        return " ".join(words)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options under their headings."""
        listed: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                listed[getattr(parameter, "heading", "")].append(record)
        for heading, records in listed.items():
            if records:
                with formatter.section(heading or "Options"):
                    formatter.write_dl(records)


Option = Callable[[Callable[..., Any]], Callable[..., Any]]


def with_options(options: Iterable[Option]) -> Option:
    """Return a decorator that adds options in this order."""
    reversed_options = [*options][::-1]
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed_options, command)


class File(click.Path):
    """Path of a file or folder, a pattern, or judgments of ir_datasets such as irds:NAME; - is standard input."""

    def __init__(self, exists: bool = True) -> None:
        super().__init__(exists=exists, allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path to read."""
        if value.startswith(PREFIX):
            return value
        missing = value != "-" and not Path(value).exists()
        if missing and has_magic(value):
            return value
        if missing and self.exists:
            self.fail(missing_file(value), param, ctx)
        path = super().convert(value, param, ctx)
        return _standard_input() if path == "-" else path


class _FileOrColumn(File):
    """Path of a file, or the name of a column of the runs or of the table of values."""

    name = "file|column"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or the name of a column, if no file has it."""
        return value if is_column(value) else super().convert(value, param, ctx)


def _standard_input() -> str:
    """Return the path of standard input, on Windows of a temporary copy."""
    if Path("/dev/stdin").exists():
        return "/dev/stdin"
    folder = TemporaryDirectory(prefix="ltr_sql-", ignore_cleanup_errors=True)
    click.get_current_context().call_on_close(folder.cleanup)
    copy = Path(folder.name) / "stdin"
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return str(copy)


class OutputFile(click.Path):
    """Path of a file to write. `refuse_overwriting` compares it with the inputs."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)


class _Baseline(click.ParamType):  # type: ignore[type-arg]
    """The name of a system, or a file of its run or values."""

    name = "name|file"


BASELINE = _Baseline()
FILE = File()
# Accept missing files: `require_files` suggests -m if a measure was passed as a run.
RUN = File(exists=False)

_OPTIONS = {parameter.name: parameter for parameter in relations()["judge"].parameters}


def measure_names(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
    """Return the names and aliases of measures that begin with the typed text."""
    names = {name for d in all_definitions().values() for name in (d.name, *d.aliases, *d.named, *d.uncut)}
    return sorted(name for name in names if name.lower().startswith(typed.lower()))


def measures_in(value: str) -> tuple[str, ...]:
    """Return the measure strings of a list. A comma outside parentheses separates two, but in nDCG@5,10 cutoffs."""
    parts, depth = [""], 0
    for i, character in enumerate(value):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0 and value[i + 1 :].lstrip()[:1].isalpha():
            parts.append("")
        else:
            parts[-1] += character
    return tuple(parts)


def united(ctx: click.Context, param: click.Parameter, given: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Return the entries of a list option: each use of the option adds some."""
    return tuple(entry for entries in given for entry in entries)


def mapping(ctx: click.Context, param: click.Parameter, given: Sequence[Sequence[tuple[str, Any]]]) -> dict[str, Any]:
    """Return the pairs of a list option as a dict. Fails for a name with two values."""
    found: dict[str, Any] = {}
    for name, value in united(ctx, param, given):
        if found.setdefault(name, value) != value:
            raise click.BadParameter(f"{name} is given twice, as {found[name]} and {value}: keep one", ctx, param)
    return found


# What is said of an option that names a method.
METHOD = "The method, which the documentation explains."
_MEASURE = "Measure string such as nDCG@10. `ltr-sql measures` lists the measures."


def measures_option(default: str = " ".join(DEFAULT_MEASURES)) -> Option:
    """Return the option for measure strings, which may be repeated. `default` describes its default in the help."""
    return flag(
        *("-m", "--measure", "measures"),
        type=measures_in,
        multiple=True,
        metavar="MEASURE,...",
        shell_complete=measure_names,
        callback=united,
        show_default=default,
        help=_MEASURE,
    )


def only_one(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> str:
    """Return the value of an option that other commands take several times. Fails for a second one."""
    if len(given) > 1:
        raise click.BadParameter(f"{ctx.info_name} takes one, got {' and '.join(given)}", ctx, param)
    return given[0]


measure_option = flag(
    *("-m", "--measure"),
    required=True,
    multiple=True,
    callback=only_one,
    metavar="MEASURE",
    shell_complete=measure_names,
    help=_MEASURE,
)


_BY_CONVENTION = "that of the convention, or without one {}"


def missing_option_of(choices: Sequence[str], default: str) -> Option:
    """Return the option for missing queries. `default` describes its default."""
    return flag(
        "--missing",
        type=click.Choice(choices),
        show_default=default,
        heading=EVALUATION,
        help="Judged queries that a run lacks: zero counts them as 0, skip leaves them out, error refuses them.",
    )


check_option = flag(
    "--check/--no-check", default=True, show_default=True, heading=EVALUATION, help="Validate the input."
)


def flag_of(option: Parameter, heading: str = "", **changes: Any) -> Option:
    """Return the flag of an option, which has its name, default, choices and meaning, except for `changes`.

    The help names a default only once.
    """
    spelled = f"--{option.flag or option.name.replace('_', '-')}"
    given: dict[str, Any] = {"heading": heading, "help": option.summary}
    if option.type == "switch":
        return flag(spelled, option.name, is_flag=True, default=option.default, **given | changes)
    several = option.type == "names"
    kinds = {"integer": click.INT, "number": click.FLOAT, "choice": click.Choice(option.choices), "table": FILE}
    given |= {
        "type": kinds.get(option.type, click.STRING),
        "multiple": several,
        "default": None if several else option.default,
        "show_default": not several and option.default is not None and "by default" not in option.summary,
        "metavar": option.metavar or None,
    }
    if several:
        given["help"] += " May be repeated."
    return flag(spelled, option.name, **given | changes)


output_option = flag("-o", "--output", type=OutputFile(), help=(_OUTPUT := "Write the output to this file."))
required_output_option = flag("-o", "--output", type=OutputFile(), required=True, help=_OUTPUT)


def format_option(*others: str, of: Sequence[str] = STYLES) -> Option:
    """Return the option for the output format: one of `of`, the first by default, or of the `others` of a command."""
    return flag(
        *("--format", "style"),
        type=_Format((*of, *others)),
        default=of[0],
        show_default=True,
        help="Output format.",
    )


class _Format(click.Choice[str]):
    """An output format, also by another spelling."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the format."""
        return super().convert(ALIASES.get(value, value), param, ctx)


wide_option = flag("--wide", is_flag=True, help="Print all columns, as csv and json always do.")


quiet_option = flag(
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=be_quiet,
    help="Print only warnings and errors on stderr.",
)

by_query_option = flag("--by-query", is_flag=True, help="One row for each query instead of means.")


def number_option(default: str | bool = False) -> Option:
    """Return the option for the number of queries to print. `default` says how many these are without it."""
    return flag(
        *("-n", "--number"),
        type=click.IntRange(min=1),
        show_default=default,
        help="Number of queries to print, those with the largest losses or differences first.",
    )


def baseline_option(default: str) -> Option:
    """Return the option for the baseline. `default` says what the runs are compared with without one."""
    return flag(
        "--baseline",
        type=BASELINE,
        metavar="NAME|FILE",
        show_default=default,
        help="The system to compare with: its name, the file of its run, or in `compare` a file that --save-values "
        "wrote.",
    )


CLUSTER = (
    "Queries that belong together, such as those of a session or user: a column of the input, or a file with query_id "
    "and cluster. A log needs a column."
)
# The tables that measures beyond accuracy read.
TABLES = {
    "documents": "Table of documents (doc_id): columns for measures such as Gini@10 (category, popularity, group, "
    "weight, vector), and texts to show (title or name, text).",
    "history": "Documents that each user already knows (query_id, doc_id).",
    "targets": "Target shares of exposure of groups (group, share; query_id if each query has its own).",
    "baseline": "The earlier run that Churn compares with.",
}
# `--baseline` is the system that others are compared with.
_FLAGS_OF_TABLES = {"baseline": "--churn-from"}


def table_option(name: str) -> Option:
    """Return the option for a table that measures beyond accuracy read."""
    return flag(_FLAGS_OF_TABLES.get(name, f"--{name}"), name, type=FILE, heading=BEYOND_ACCURACY, help=TABLES[name])


def names_in(value: str) -> tuple[str, ...]:
    """Return the names of a list, which commas separate."""
    return tuple(name.strip() for name in value.split(","))


keys_option = flag(
    "--keys",
    type=names_in,
    multiple=True,
    callback=united,
    metavar="NAME,...",
    help="Grouping columns, such as system. Each combination of their values is a separate group.",
)


class Pairs(click.ParamType):  # type: ignore[type-arg]
    """A list of NAME=VALUE, separated by commas.

    - `example`: what to write. `number`: true if the values are numbers.
    - `single`: true for one pair, whose name may have commas.
    - `tables`: true if the name of a table and a colon may stand before the list.
    """

    name = "pairs"

    def __init__(self, example: str, *, number: bool = False, single: bool = False, tables: bool = False) -> None:
        self.example, self.number, self.single, self.tables = example, number, single, tables

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[tuple[str, Any]]:
        """Return pairs of name and value. The name of the table stays before each name."""
        table, colon, listed = value.partition(":")
        if not (colon and self.tables and table in ROLES):
            table, colon, listed = "", "", value
        pairs = [pair.rpartition("=")[::2] for pair in ([listed] if self.single else listed.split(","))]
        named = all(name.strip() and text.strip() for name, text in pairs)
        with suppress(ValueError):
            if named:
                return [(table + colon + name.strip(), float(t) if self.number else t.strip()) for name, t in pairs]
        self.fail(f"write {self.example}, got {value!r}", param, ctx)


def _columns(ctx: click.Context, param: click.Parameter, given: Sequence[Sequence[tuple[str, Any]]]) -> Any:
    """Return the names of columns. Those of a table such as history stand under its name."""
    names: dict[str, Any] = {}
    for name, ours in mapping(ctx, param, given).items():
        table, colon, theirs = name.partition(":")
        if colon and table in ROLES:
            names.setdefault(table, {})[theirs] = ours
        else:
            names[name] = ours
    return names or None


def _mapping_or_none(ctx: click.Context, param: click.Parameter, given: Sequence[Sequence[tuple[str, Any]]]) -> Any:
    return mapping(ctx, param, given) or None


_COLUMNS = "THEIRS=OURS, as in user_id=query_id,item_id=doc_id"
_reading_flag = partial(flag, heading=READING)
# The options of `catalogue.options.Reading`.
_READING: dict[str, Option] = {
    "columns": _reading_flag(
        "--columns",
        type=Pairs(_COLUMNS, tables=True),
        multiple=True,
        callback=_columns,
        metavar="[TABLE:]THEIRS=OURS,...",
        help="Names of columns, such as user_id=query_id,item_id=doc_id. With history: before them, they are "
        "those of --history. May be repeated.",
    ),
    "qrels_columns": _reading_flag(
        "--qrels-columns",
        type=Pairs(_COLUMNS),
        multiple=True,
        callback=_mapping_or_none,
        metavar="THEIRS=OURS,...",
        help="Names of columns of the judgments, such as score=relevance.",
    ),
    "ranks_from": _reading_flag(
        "--ranks-from",
        type=click.IntRange(0, 1),
        default=1,
        show_default=True,
        help="The rank of the first document in the input.",
    ),
    "grades": _reading_flag(
        "--grades",
        type=Pairs("TEXT=GRADE, as in Exact=3,Substitute=2,Irrelevant=0", number=True),
        multiple=True,
        callback=_mapping_or_none,
        metavar="TEXT=GRADE,...",
        help="Grades of texts, such as Exact=3,None=0.",
    ),
    **{
        name: flag_of(option, READING, help=option.summary.replace("`", ""))
        for name, option in options_of(Reading).items()
        if option.choices
    },
    "asked": _reading_flag(
        "--asked",
        type=FILE,
        help="File of the queries that were asked (query_id and any of the keys). A query without results then counts "
        "as an empty ranking, and a query that was not asked does not count.",
    ),
}

# The options of the arguments of functions, in the order of the help. A command declares the others itself, because
# they say something else in each: `baseline`, `n`, `by` and the like.
OF_ARGUMENTS: dict[str, Option] = {
    "measures": measures_option(),
    "measure": measure_option,
    "by_query": by_query_option,
    "queries": flag("--queries", type=FILE, help="Texts of the queries: TSV, CSV, JSONL or Parquet."),
    "values": flag(
        "--values",
        is_flag=True,
        help="Read tables of values: one row per query, one column per measure, and a column system if there are "
        "several.",
    ),
    "paired": flag(
        "--paired/--unpaired",
        default=True,
        show_default=True,
        heading=STATISTICS,
        help=options_of(Compare)["paired"].summary.replace("False compares", "--unpaired compares"),
    ),
    "keys": keys_option,
    "ties": flag(
        "--ties",
        type=click.Choice(_OPTIONS["ties"].choices),
        show_default=_BY_CONVENTION.format(_OPTIONS["ties"].default),
        heading=EVALUATION,
        help="Tie-breaking rule for equal scores.",
    ),
    "missing": missing_option_of(_OPTIONS["missing"].choices, _BY_CONVENTION.format(_OPTIONS["missing"].default)),
    "convention": flag(
        "--convention",
        type=click.Choice(list(conventions())),
        metavar="TOOL",
        heading=EVALUATION,
        help="Compute measures as this tool does, such as trec_eval or ranx; `ltr-sql conventions` compares the tools. "
        "Explicit options take precedence.",
    ),
    "gains": flag(
        "--gains",
        multiple=True,
        metavar="GRADE=GAIN,...",
        callback=lambda ctx, param, given: parse_gains(",".join(given)) if given else None,
        heading=EVALUATION,
        help="Custom gains: GRADE=GAIN pairs such as 1=1,2=3, or the gains of grades 0, 1, ... such as 0,1,3.",
    ),
    "weights": flag(
        "--weights",
        type=_FileOrColumn(),
        heading=EVALUATION,
        help="File with query_id, weight and any of the keys, for weighted means; or a column of the runs or values.",
    ),
    "totals": flag(
        "--totals",
        is_flag=True,
        heading=EVALUATION,
        help="Add the rows over all segments of --keys, whose keys are empty, and a column total: the number of keys "
        "that a row is a total over, 0 for a segment.",
    ),
    "human": flag(
        "--human",
        type=FILE,
        heading=EVALUATION,
        help="Judgments by people for a random sample of the queries, which correct those of a judge that errs, such "
        "as an LLM. With --values, people's values.",
    ),
    "cluster": flag("--cluster", type=_FileOrColumn(), heading=EVALUATION, help=CLUSTER),
    **{name: table_option(name) for name in ("documents", "history", "targets")},
    "check": check_option,
    **_READING,
}
# Arguments of functions that are files of the command line, or that only Python has.
NO_OPTION = ("rankings", "qrels", "query", "compared", "con", "command")


def function_options(function: Callable[..., Any], **own: Option) -> Option:
    """Add the options of a function: one for each of its arguments, except for files and `con`.

    `own`: the options of arguments that this command declares itself. All others that `OF_ARGUMENTS` lacks follow from
    the record that the function takes, or from `Compare`: they are those of tests and intervals.
    """
    taken = options_of(record_of(function))
    tests = {**taken, **options_of(Compare), **taken}
    others = {name: option for name, option in tests.items() if name not in (*OF_ARGUMENTS, *own)}
    known = {**OF_ARGUMENTS, **{name: flag_of(option, STATISTICS) for name, option in others.items()}, **own}
    named = [name for name in signature(function).parameters if name not in NO_OPTION]
    return with_options(known[name] for name in sorted(named, key=[*known].index))


reading_options = with_options(_READING.values())


def popped(record: type, options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a record out of those of a command."""
    return {name: options.pop(name) for name in options_of(record) if name in options}


def write_output(text: str, path: str | None) -> None:
    """Print a text, or write it to a file. Raises OutputError if it cannot be written."""
    end_stages()
    if path is None:
        print_text(text)
    else:
        write_text(path, text)

"""Options of comparisons are said once: all interfaces show the fields of the records."""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import duckdb
import pytest

import ltr_sql
from ltr_sql.catalogue.functions import builders
from ltr_sql.catalogue.options import (
    Averages,
    Compare,
    Differences,
    Distribution,
    Evaluate,
    Leaderboard,
    Orders,
    Reading,
    Trend,
    options_of,
    takes,
)
from ltr_sql.command_line.compare import compare as command
from ltr_sql.command_line.main import main
from ltr_sql.command_line.options import NO_OPTION, OF_ARGUMENTS
from ltr_sql.macros.registration import script

FUNCTIONS: list[tuple[Any, type]] = [
    (ltr_sql.compare, Compare),
    (ltr_sql.leaderboard, Leaderboard),
    (ltr_sql.system_agreement, Orders),
    (ltr_sql.trend, Trend),
    (ltr_sql.wins, Differences),
    (ltr_sql.variance, Differences),
    (ltr_sql.evaluate, Evaluate),
    (ltr_sql.distribution, Distribution),
]


@pytest.mark.parametrize(("function", "record"), FUNCTIONS, ids=lambda value: value.__name__)
def test_a_function_shows_the_options_of_its_record(function: Any, record: type) -> None:
    parameters = inspect.signature(function).parameters.values()
    shown = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.name in options_of(record)}
    assert shown == {name: option.default for name, option in options_of(record).items()}
    assert [name for name in shown if f"- `{name}`: " not in function.__doc__] == []


def test_every_option_is_explained() -> None:
    for option in options_of(Compare).values():
        assert option.summary.endswith("."), option.name
        assert option.default in (None, *option.choices) or not option.choices, option.name


def test_unknown_options_are_refused_as_python_does() -> None:
    with pytest.raises(TypeError, match=r"leaderboard\(\) got an unexpected keyword argument 'family'"):
        ltr_sql.leaderboard({}, family="all")  # type: ignore[call-arg]

    @takes(Differences)
    def function(**options: Any) -> Any:
        return options["compared"], options["keys"]

    assert function(keys=["week"]) == ("system", ["week"])


@pytest.mark.parametrize(
    ("macro", "record", "others"),
    [
        ("compare_values", Compare, {"values", "measures"}),
        ("compare", Compare, {"rankings", "measures", "convention"}),
        ("leaderboard", Leaderboard, {"values", "measures"}),
        ("system_agreement", Orders, {"values", "measures"}),
        ("trend", Trend, {"values", "measures"}),
        ("wins", Differences, {"values", "a", "b", "measures"}),
        ("variance", Differences, {"values", "measures"}),
        ("evaluate", Averages, {"rankings", "measures", "keys", "convention"}),
        ("distribution", Distribution, {"rankings", "measures", "keys", "convention"}),
    ],
)
def test_a_macro_takes_the_options_of_sql(
    macro: str, record: type, others: set[str], con: duckdb.DuckDBPyConnection
) -> None:
    query = "select parameters from duckdb_functions() where database_name = 'ltr' and function_name = ?"
    ((parameters,),) = con.execute(query, [macro]).fetchall()
    expected = {name for name, option in options_of(record).items() if option.sql}
    # Rankings have measures of a known direction.
    assert {*parameters} - others == expected - ({"lower_is_better"} if macro == "compare" else set())


def test_the_command_has_the_flags_and_defaults() -> None:
    flags = {p.name: p for p in command.params if isinstance(p, click.Option)}
    for name, option in options_of(Compare).items():
        if name not in (*OF_ARGUMENTS, *NO_OPTION, "baseline"):
            assert flags[name].opts == [f"--{name.replace('_', '-')}"]
            assert flags[name].default in (option.default, None, ())
            assert str(flags[name].help).startswith(option.summary)


@pytest.mark.slow
def test_type_checkers_know_the_options(tmp_path: Path) -> None:
    wrong = {
        'ltr_sql.compare({}, test="sign")': "",
        'ltr_sql.compare({}, tset="sign")': 'Unexpected keyword argument "tset"',
        "ltr_sql.compare({}, test=3)": 'Argument "test" to "compare" has incompatible type "int"',
        'ltr_sql.leaderboard({}, family="all")': 'Unexpected keyword argument "family"',
    }
    file = tmp_path / "calls.py"
    file.write_text("import ltr_sql\n" + "\n".join(wrong), encoding="utf-8")
    call = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(file)]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    for line, message in enumerate(wrong.values(), start=2):
        found = [text for text in done.stdout.splitlines() if f"calls.py:{line}:" in text]
        assert (message in found[0]) if message else found == [], done.stdout


# `rater_bias` evaluates runs before it calls its builder, so it has the options of `evaluate`, too.
@pytest.mark.parametrize("name", sorted({*builders()} - {"rater_bias"}))
def test_a_function_of_a_builder_has_the_options_of_its_header(name: str) -> None:
    builder = builders()[name]
    shown = {p.name: p.default for p in inspect.signature(getattr(ltr_sql, name)).parameters.values()}
    expected = [
        *builder.inputs,
        *([builder.option] if builder.option else []),
        *(p.name for p in builder.options if p.sql),
    ]
    assert {*shown} - {"keys", "con", "values", "check", *options_of(Reading)} == {*expected}
    for option in [option for option in builder.options if option.sql]:
        # None stands for the default of the header, or of the method.
        assert shown[option.name] in (option.default, None), option.name
    if builder.option and not builder.many:
        assert shown[builder.option] in (builder.default, inspect.Parameter.empty)


# Options that mean another thing in some functions, or whose default there belongs to the function.
OWN_DEFAULTS = {"ci", "keys", "convention", "ties", "missing", "measures", "by_query", "method", "p", "depth"}


def defaults(function: Any) -> dict[str, Any]:
    return {p.name: p.default for p in inspect.signature(function).parameters.values() if p.default is not p.empty}


def test_an_option_has_one_default_in_all_functions() -> None:
    found: dict[str, set[str]] = {}
    for name in ltr_sql.__all__:
        value = getattr(ltr_sql, name)
        if inspect.isfunction(value) or value is ltr_sql.Evaluator:
            for option, default in defaults(value).items():
                found.setdefault(option, set()).add(repr(default))
    assert {name for name, values in found.items() if len(values) > 1} == OWN_DEFAULTS


def test_flags_have_the_defaults_of_the_functions() -> None:
    context = click.Context(main)
    compared = 0
    for name in main.list_commands(context):
        function = getattr(ltr_sql, name.replace("-", "_"), None)
        for flag in getattr(main.get_command(context, name), "params", ()) if inspect.isfunction(function) else ():
            # A flag without a default passes None.
            without = flag.default is None or repr(flag.default).startswith("Sentinel")
            if isinstance(flag, click.Option) and flag.name in defaults(function) and not without:
                assert flag.default == defaults(function)[str(flag.name)], f"{name} --{flag.name}"
                compared += 1
    assert compared > 20


# What only functions take, and what only commands take.
OF_FUNCTIONS = {
    **dict.fromkeys(("rankings", "runs", "run", "qrels", "judgments", "log"), "the arguments of the command"),
    "con": "a command opens a connection of its own",
    "command": "a command knows how it was called",
    **dict.fromkeys(("method", "model", "strategy", "estimators"), "the name of the option is --method"),
    "n": "the option is --number",
}
OF_COMMANDS = {
    **dict.fromkeys(("files", "runs", "run"), "the arguments of the command"),
    **dict.fromkeys(("style", "output", "wide", "quiet", "caption", "label", "longtable", "sort"), "the output"),
    "methods": "the name of the option in the function",
}
# The others, by command.
OF_ONE = {
    "compare": {
        "compared": "files are systems, and tables have the column system",
        "gates": "a failed gate sets the exit code; ltr.gate has them in SQL",
        "number": "wins() lists queries",
        "saved_to": "evaluate(by_query=True) returns values that any library saves",
    },
    "worst": {"number": "the name of n"},
    "rater-bias": {
        "measure": "the name of measures",
        **dict.fromkeys(("measures", "convention", "ties", "missing"), "the command evaluates by the usual rules"),
    },
    "fuse": {
        **dict.fromkeys(("compared", "keys"), "files are systems, and hold one list for each query"),
        "name": "the run id in the file that it writes",
    },
    "conventions": dict.fromkeys(
        ("qrels", "measures", *options_of(Reading)), "the function lists the conventions; the command applies them"
    ),
}


def test_a_command_has_the_options_of_its_function() -> None:
    context = click.Context(main)
    pairs = 0
    for name in main.list_commands(context):
        function, command = getattr(ltr_sql, name.replace("-", "_"), None), main.get_command(context, name)
        if not inspect.isfunction(function) or command is None:
            continue
        pairs += 1
        of_function, of_command = {*inspect.signature(function).parameters}, {str(p.name) for p in command.params}
        known = {*OF_ONE.get(name, {})}
        assert of_function - of_command <= known | {*OF_FUNCTIONS}, name
        assert of_command - of_function <= known | {*OF_COMMANDS}, name
        assert known <= of_function ^ of_command, f"{name}: the list names what both have"
    assert pairs > 20


def test_a_flag_has_one_meaning_in_all_commands() -> None:
    context = click.Context(main)
    found: dict[str, dict[tuple[str | None, bool], list[str]]] = {}
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command
        # trec_eval has the options of trec_eval.
        for option in command.params if name != "trec_eval" else ():
            if isinstance(option, click.Option):
                for spelled in (*option.opts, *option.secondary_opts):
                    meaning = option.help, option.is_flag
                    found.setdefault(spelled, {}).setdefault(meaning, []).append(name)
    assert {spelled: meanings for spelled, meanings in found.items() if len(meanings) > 1} == {}
    assert [spelled for spelled, meanings in found.items() for text, _ in meanings if not text] == []
    # A singular and its plural would be one word.
    assert [spelled for spelled in found if f"{spelled}s" in found] == []


def test_the_macro_of_a_fusion_has_the_defaults_of_the_function() -> None:
    (given,) = re.findall(r"^create or replace macro ltr\.fuse\((.*?)\) as", script(), re.MULTILINE)
    in_sql = dict(part.split(" := ") for part in re.split(r", (?=\w+ :=)", given)[1:])
    in_python = {name: default for name, default in defaults(ltr_sql.fuse).items() if name in in_sql}
    written = {None: "null", ("system",): "['system']"}
    assert in_sql == {n: written.get(d, f"'{d}'" if isinstance(d, str) else str(d)) for n, d in in_python.items()}

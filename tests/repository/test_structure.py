"""Consistency of the repository: complete measures, fresh generated files, portable SQL."""

import ast
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

import duckdb
import pytest
from support.places import ROOT, TESTS

import ltr_sql
from ltr_sql import oracle
from ltr_sql.catalogue import measures as catalogue
from ltr_sql.catalogue.files import SQL_FOLDER, header_and_body
from ltr_sql.catalogue.functions import SHAPES, TABLES, builders, relations
from ltr_sql.catalogue.measures import all_definitions, definitions_by_name
from ltr_sql.catalogue.parameters import parameters
from ltr_sql.command_line.evaluate import evaluate as evaluate_command
from ltr_sql.macros.functions import bundle
from ltr_sql.macros.registration import BUNDLE
from ltr_sql.rendering.columns import CallTimeColumns, NamedColumns
from ltr_sql.rendering.dialects import DIALECTS, DUCKDB
from ltr_sql.rendering.render import render

CASES = ROOT / "tests" / "cases"

# SQL that is not portable, which bodies must not contain.
BANNED = {
    "cast with ::": r"::",
    "power with ^ or **": r"\^|\*\*",
    "integer division or modulo": r"//|%",
    "filter clause": r"\bfilter\s*\(",
    "qualify": r"\bqualify\b",
    "columns()": r"\bcolumns\s*\(",
    "exclude": r"\bexclude\b",
    "lambda": r"\blambda\b|->",
    "lists": r"\[",
    "group by all": r"\bgroup by all\b",
    "using": r"\busing\b",
    "decimal literal": r"(?<![\w.])\d+\.\d+(?!e|\d)",
    "implicit order of NULL": r"\border by\b(?:(?!nulls last)[^)])*\)",
    "upper-case keyword": r"\b(SELECT|FROM|WHERE|GROUP|ORDER|CASE|WHEN|SUM|COUNT)\b",
}


@pytest.mark.slow
def test_the_bundle_is_fresh() -> None:
    assert BUNDLE.read_text(encoding="utf-8") == bundle(), "conftest.py writes it if it is older than its sources"


@pytest.mark.parametrize("macro", all_definitions())
def test_a_measure_is_complete(macro: str) -> None:
    definition = all_definitions()[macro]
    for text in (definition.summary, definition.formula, definition.range, definition.reference):
        assert text.strip()
    assert definition.summary.endswith(".")
    assert definition.macro == definition.name.lower() or definition.macro.replace("_", "") == definition.name.lower()
    function = cast(Callable[..., float] | None, getattr(oracle, macro, None))
    assert function is not None, f"oracle.{macro} is missing"
    columns = {"query_id", "doc_id", "rank", *definition.row_source.tables}
    given = columns if definition.beyond_accuracy else {*SHAPES[definition.row_source.input]}
    signature = inspect.signature(function).parameters
    takes = {name: parameter.default for name, parameter in signature.items() if name not in given}
    assert [*takes] == [parameter.name for parameter in definition.parameters]
    defaults = {parameter.name: parameter.default for parameter in definition.parameters}
    assert {name: None if value is inspect.Parameter.empty else value for name, value in takes.items()} == defaults
    assert function.__doc__
    assert list((CASES / macro).glob("*/expected.csv")), f"tests/cases/{macro} is missing"


def test_functions_that_read_tables_take_other_names_of_columns() -> None:
    found = {name: getattr(ltr_sql, name) for name in ltr_sql.__all__ if name not in ("register", "verify_comparison")}
    takes = {name: inspect.signature(value).parameters for name, value in found.items() if inspect.isroutine(value)}
    assert [name for name, names in takes.items() if "con" in names and "columns" not in names] == []


@pytest.mark.parametrize("table", ["documents", "history", "targets"])
def test_help_and_docstring_name_every_column_of_a_table(table: str) -> None:
    ids, others = TABLES[table]
    (option,) = (p for p in evaluate_command.params if p.name == table)
    _, _, docstring = str(ltr_sql.evaluate.__doc__).partition("- `documents`")
    for text in (getattr(option, "help", ""), docstring.partition("    - `keys`")[0]):
        assert [name for name in (*ids, *others) if not re.search(rf"\b{name}\b", text)] == []


def test_the_oracle_holds_measures_and_nothing_else() -> None:
    defined: dict[str, Callable[..., object]] = {}
    for module in pkgutil.iter_modules(oracle.__path__, f"{oracle.__name__}."):
        of_relations = [f"ltr_sql.oracle.{name}" for name in ("fusion", "joining", "losses", "spread", "tuning")]
        # test_cases.py tests that the oracle of fusion is complete. The oracle of distributions is a single function,
        # and that of tuning the parts of one.
        if not module.name.rpartition(".")[2].startswith("_") and module.name not in of_relations:
            functions = inspect.getmembers(import_module(module.name), inspect.isfunction)
            defined |= {n: f for n, f in functions if f.__module__ == module.name and not n.startswith("_")}
    assert set(defined) == {*all_definitions(), *builders(), "rank_by_score", "pair_with_ideal", "gauc_weight"} - {
        "fuse"
    }
    assert {name: getattr(oracle, name, None) for name in defined} == defined


def test_the_oracle_imports_nothing_else_of_the_package() -> None:
    paths = sorted(Path(oracle.__file__).parent.rglob("*.py"))
    assert len(paths) > 5
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
                assert node.level == 0
            else:
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                library = name.partition(".")[0] in ("numpy", *sys.stdlib_module_names)
                assert library or name.startswith("ltr_sql.oracle."), f"{path}: {name}"


def test_public_names_have_the_types_of_their_modules() -> None:
    statements = ast.walk(ast.parse(Path(ltr_sql.__file__).read_text(encoding="utf-8")))
    typed = {
        (alias.name, node.module)
        for node in statements
        if isinstance(node, ast.ImportFrom)
        and str(node.module).startswith("ltr_sql")
        and node.module != "ltr_sql.version"
        for alias in node.names
    }
    places = {(name, f"ltr_sql.{module}") for name, module in ltr_sql._MODULES.items()}
    # Names of modules are imported from the packages that hold them.
    modules = {
        ("oracle", "ltr_sql.oracle"): ("oracle", "ltr_sql"),
        ("plot", "ltr_sql.reports.plot"): ("plot", "ltr_sql.reports"),
    }
    assert typed == {modules.get(place, place) for place in places}
    assert all(hasattr(ltr_sql, name) for name in ltr_sql.__all__)
    assert not hasattr(ltr_sql, "nDCG")
    assert set(ltr_sql.__all__) <= {*dir(ltr_sql)}


def test_no_module_hides_a_public_name() -> None:
    modules = {module.name for module in pkgutil.iter_modules(ltr_sql.__path__)}
    assert modules & {*ltr_sql.__all__} == {"oracle"}


@pytest.mark.parametrize("path", catalogue.measure_paths(), ids=lambda path: path.stem)
def test_a_header_states_no_default(path: Path) -> None:
    header, _ = header_and_body(path)
    assert [
        name for name, value in header.items() if name in catalogue.DEFAULTS and value == catalogue.DEFAULTS[name]
    ] == []


def test_names_are_unique() -> None:
    names = [name.lower() for d in all_definitions().values() for name in {d.name, d.macro, *d.aliases, *d.named}]
    assert len(definitions_by_name()) == len(set(names))


def test_every_parameter_is_used() -> None:
    used = {p.name for definition in all_definitions().values() for p in definition.parameters}
    used |= {p.name for relation in relations().values() for p in relation.parameters}
    assert used == set(parameters())


def test_catalogue_in_sql_is_the_catalogue_in_python() -> None:
    with duckdb.connect() as con:
        ltr_sql.register(con)
        in_sql = con.execute("from ltr.measures()").df()
    assert in_sql.to_dict("records") == ltr_sql.measures().to_dict("records")


def test_the_hosted_ci_runs_every_stage() -> None:
    (stages,) = re.findall(r"^all_stages=\((.*)\)$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    hosted = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert f"matrix: {{stage: [{', '.join(stages.split())}]}}" in hosted


@pytest.mark.slow
def test_every_template_is_used(tmp_path: Path) -> None:
    script = TESTS / "support" / "unused_templates.py"
    environment = os.environ | {"PYTHONPATH": str(Path(ltr_sql.__file__).parents[1])}
    call = [sys.executable, "-W", "ignore", str(script)]
    done = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["0", "2"])
def test_the_summary_of_pytest_is_the_last_line(processes: str) -> None:
    """See `gc.callbacks` in conftest.py."""
    with_hypothesis = "tests/evaluation/test_fuzz.py::test_repeated_columns_are_refused"
    call = [sys.executable, "-m", "pytest", with_hypothesis, "-m", "", "-n", processes, "-p", "no:cacheprovider"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(call, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert re.fullmatch(r"1 passed in [\d.]+s", done.stdout.splitlines()[-1]), done.stdout
    assert (done.stderr, done.returncode) == ("", 0)


def test_templates_call_the_same_methods_of_both_kinds_of_columns() -> None:
    known = {name for name, _ in inspect.getmembers(NamedColumns, inspect.isroutine) if not name.startswith("_")}
    assert len(known) > 40
    assert [name for name in known if not callable(getattr(CallTimeColumns, name, None))] == []


@pytest.mark.parametrize("macro", all_definitions())
def test_bodies_stay_in_the_portable_subset(macro: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The sums over sorted lists are DuckDB's own: other engines have a window instead.
    monkeypatch.setitem(DIALECTS, "duckdb", DUCKDB.with_windows)
    definition = all_definitions()[macro]
    example = definition.example
    if definition.beyond_accuracy:
        # Spark writes the type of a vector without brackets.
        text = render(example, "spark", keys=["system"], has_rank="run baseline")
    else:
        text = render(example, keys=["system"], pairs="p") if definition.by_score else render(example, keys=["system"])
    text = re.sub(r'"[^"]*"', "name", text).replace("not materialized ", "")
    assert {name: re.findall(pattern, text) for name, pattern in BANNED.items() if re.search(pattern, text)} == {}


def test_every_cte_is_prefixed() -> None:
    text = BUNDLE.read_text(encoding="utf-8")
    ctes = re.findall(r"(?:\bwith(?: recursive)? |,\n\s*)(\w+) as (?:not materialized )?\(", text)
    assert len(ctes) > 50
    # Macros read the CTEs of ltr.tune_fusion by name, and refuse names that start with __ltr_.
    assert [name for name in ctes if not name.startswith(("__ltr_", "ltr_tuning_"))] == []


def test_row_sources_name_their_ctes_differently() -> None:
    """A query may hold several row sources with equal parameters."""
    texts = {d.row_source.name: d.row_source.body for d in all_definitions().values() if d.beyond_accuracy}
    ctes = [name for text in texts.values() for name in re.findall(r"^(__ltr_\w+){{ suffix }} as", text, re.MULTILINE)]
    assert len(ctes) > 20
    assert len(set(ctes)) == len(ctes)


# The docs read the signature of a macro from one line.
MAY_BE_LONG = ("comment on ", "create or replace macro ")


def test_lines_of_bodies_have_at_most_160_characters() -> None:
    paths = [path for path in SQL_FOLDER.rglob("*.sql") if path != BUNDLE]
    bodies = {path: re.sub(r"\A/\*\n.*?\*/\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL) for path in paths}
    long = [(str(path), line) for path, body in bodies.items() for line in body.splitlines() if len(line) > 160]
    assert [(path, line) for path, line in long if not line.lstrip().startswith(MAY_BE_LONG)] == []


def test_no_star_crosses_a_join() -> None:
    for path in SQL_FOLDER.rglob("*.sql"):
        if path != BUNDLE:
            assert not re.search(r"select \*[^()]*\bjoin\b", path.read_text(encoding="utf-8"), re.DOTALL), path


@pytest.mark.parametrize("relation", relations())
def test_relations_render(relation: str) -> None:
    assert relations()[relation].summary.endswith(".")
    assert "__ltr_" in render(relation)


@pytest.mark.parametrize(
    ("line", "wrong", "message"),
    [
        ('range = "[0, 1]"', 'ranges = "[0, 1]"', "ap.sql: unknown fields: ranges. sql/README.md lists the fields"),
        ('range = "[0, 1]"', "", "ap.sql: missing fields: range"),
        (
            'range = "[0, 1]"',
            'range = "[0, 1]"\nrow_source = "document"',
            "ap.sql: row_source must be one of all_pairs, ",
        ),
        ('"rel"', '"real"', "AP: the parameter real is not in sql/parameters.toml"),
    ],
)
def test_a_wrong_header_is_named(line: str, wrong: str, message: str, tmp_path: Path) -> None:
    text = (SQL_FOLDER / "measures" / "ap.sql").read_text(encoding="utf-8")
    assert line in text
    (tmp_path / "ap.sql").write_text(text.replace(line, wrong), encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(message)):
        catalogue._definition(tmp_path / "ap.sql")

"""The layout of the repository: packages in layers, few flat modules, small folders and files."""

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from support.places import ROOT, TESTS

from tools.layers import LAYERS

PACKAGE = ROOT / "ltr_sql"
TEMPLATES = ROOT / "sql" / "templates"

LAYER = {package: number for number, names in enumerate((*LAYERS, ("__init__",))) for package in names}
# Modules that import by name: the façade `ltr_sql`, the start of the command, and the table of commands.
IMPORT_BY_NAME = ("__init__.py", "command_line/__main__.py", "command_line/main.py")

MOST_FLAT_MODULES = 8
MOST_FLAT_FILES = 30
MOST_BYTES = 100_000
# Only these tracked files may be larger, besides data of tests and pictures.
LARGE_FILES = ("docs/functions.md", "docs/measures.md")
PICTURES = (".png", ".svg", ".gif", ".jpg")


def modules() -> dict[str, Path]:
    """Return the files of `ltr_sql` by the names of their modules."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in paths}


def package_of(path: Path) -> str:
    """Return the key in LAYER of a file in `ltr_sql`: its package, or the flat module itself."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


@cache
def syntax_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions_of(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def imported(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Return the line and the name of each import. An imported name may be a module or a member of one."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


@cache
def arrows() -> list[tuple[str, str, str]]:
    """Return each import of a module of `ltr_sql` in another: the place, the importing and the imported module."""
    found = modules()
    listed = []
    for module, path in found.items():
        for line, name in imported(ast.walk(syntax_of(path))):
            target = name if name in found else name.rpartition(".")[0]
            if target in found:
                listed.append((f"{path.relative_to(ROOT).as_posix()}:{line}", module, target))
    return listed


@pytest.mark.slow
def test_imports_point_down() -> None:
    paths = modules()
    assert {package_of(path) for path in paths.values()} == {*LAYER}
    upwards = []
    for place, module, target in arrows():
        here, there = package_of(paths[module]), package_of(paths[target])
        if here != there and LAYER[there] >= LAYER[here]:
            upwards.append(f"{place}: {here} imports {target}")
    assert upwards == []


@pytest.mark.slow
def test_modules_import_each_other_in_no_circle() -> None:
    graph: dict[str, set[str]] = {}
    for _, module, target in arrows():
        # The façade names modules for type checkers only.
        if module != PACKAGE.name:
            graph.setdefault(module, set()).add(target)
    assert len(graph) > 50
    graphlib.TopologicalSorter(graph).prepare()


@pytest.mark.slow
def test_functions_import_only_third_party_packages() -> None:
    """These may be missing, or take long to load."""
    hidden = []
    for path in modules().values():
        for function in functions_of(syntax_of(path)):
            for line, name in imported(ast.walk(function)):
                if name.partition(".")[0] in (PACKAGE.name, *sys.stdlib_module_names):
                    hidden.append(f"{path.relative_to(ROOT).as_posix()}:{line}: {name}")
    assert hidden == []


def test_only_the_facade_and_the_commands_import_by_name() -> None:
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in modules().values()}
    assert tuple(name for name, text in texts.items() if re.search(r"import_module|__import__", text)) == IMPORT_BY_NAME


def test_every_package_states_its_contract() -> None:
    """The docstring of `__init__` starts with one line that says what the package does."""
    packages = [path for path in modules().values() if path.name == "__init__.py"]
    assert len(packages) > 10
    contracts = {path: (ast.get_docstring(syntax_of(path)) or "").partition("\n")[0] for path in packages}
    assert [path for path, text in contracts.items() if len(text.split()) < 4 or not text.endswith(".")] == []


def test_few_modules_are_flat() -> None:
    flat = [path.name for path in PACKAGE.glob("*.py") if path.name != "__init__.py"]
    assert len(flat) <= MOST_FLAT_MODULES, flat


def test_folders_of_sql_are_small() -> None:
    """A folder that has more files is split into families; the measures are one family."""
    folders = {path.parent for path in (ROOT / "sql").rglob("*.*")} - {ROOT / "sql" / "measures"}
    sizes = {folder: sum(path.is_file() for path in folder.iterdir()) for folder in folders}
    assert {folder.relative_to(ROOT).as_posix(): n for folder, n in sizes.items() if n > MOST_FLAT_FILES} == {}


def test_no_module_of_the_tests_imports_a_test_module() -> None:
    """A test can then move, be renamed or be removed, and its file runs without any other."""
    paths = sorted(TESTS.glob("*/*.py"))
    assert len(paths) > 100
    wrong = [
        f"{path.relative_to(TESTS).as_posix()}:{line}: {text.strip()}"
        for path in paths
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.match(r"\s*(from|import)\s(.*[\s.,])?test_", text)
    ]
    assert wrong == [], "put what modules share in tests/support"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="reads the files that git tracks")
def test_tracked_files_are_small() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, encoding="utf-8")
    names = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    assert "pyproject.toml" in names
    data = [name for name in names if name.startswith("tests/") and not name.endswith(".py")]
    pictures = [name for name in names if name.endswith(PICTURES)]
    others = sorted({*names} - {*data, *pictures, *LARGE_FILES})
    assert {name: size for name in others if (size := (ROOT / name).stat().st_size) > MOST_BYTES} == {}


def owner(folder: str) -> str:
    """Return the package that owns a folder of `sql/templates/`."""
    return "rendering" if folder == "shared" else folder


def opened_templates() -> Iterator[tuple[str, str, str]]:
    """Return where templates are opened: the place, the package that opens one, and the folder of the template.

    Python names a template in a literal such as "rendering/query.sql" or f"rendering/{name}.sql"; a template names
    another in `import` or `include`.
    """
    for path in modules().values():
        for node in ast.walk(syntax_of(path)):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if match := re.fullmatch(r"(\w+)/([\w/]*(\.sql)?)?", text):
                yield f"{path.relative_to(ROOT).as_posix()}:{getattr(node, 'lineno', 0)}", package_of(path), match[1]
    for path in sorted(TEMPLATES.rglob("*.*")):
        text = path.read_text(encoding="utf-8")
        for folder in re.findall(r"{%-?\s*(?:from|import|include|extends)\s+[\"'](\w+)/", text):
            yield path.relative_to(ROOT).as_posix(), owner(path.relative_to(TEMPLATES).parts[0]), folder


@pytest.mark.slow
def test_templates_are_opened_by_their_package_or_from_above() -> None:
    folders = {path.name for path in TEMPLATES.iterdir()}
    assert {owner(folder) for folder in folders} <= {*LAYER}
    opened = [found for found in opened_templates() if found[2] in folders]
    assert {folder for _, _, folder in opened} == folders
    found = [
        f"{place}: {package} opens a template of {folder}"
        for place, package, folder in opened
        if package != owner(folder) and LAYER[package] <= LAYER[owner(folder)]
    ]
    assert found == []


MOST_LINES_OF_A_FILE, MOST_LINES_OF_A_BODY, MOST_POSITIONAL = 800, 50, 5


def test_files_are_short() -> None:
    of_oracle = PACKAGE / "oracle"
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    assert [p for p, n in lines.items() if n > MOST_LINES_OF_A_FILE and of_oracle not in p.parents] == []


def test_functions_are_short_and_take_few_positional_arguments() -> None:
    long = []
    for path in modules().values():
        for function in functions_of(syntax_of(path)):
            body = function.body[1:] if ast.get_docstring(function) else function.body
            lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            arguments = [*function.args.posonlyargs, *function.args.args]
            positional = [a.arg for a in arguments if a.arg not in ("self", "cls")]
            is_command = any("click." in ast.unparse(decorator) for decorator in function.decorator_list)
            if PACKAGE / "oracle" in path.parents:
                continue
            if lines > MOST_LINES_OF_A_BODY or (len(positional) > MOST_POSITIONAL and not is_command):
                long.append(f"{path.relative_to(PACKAGE)}: {function.name}")
    assert long == []


def test_calls_name_their_arguments() -> None:
    long = [
        f"{path.relative_to(PACKAGE)}:{call.lineno}"
        for path in modules().values()
        for call in ast.walk(syntax_of(path))
        if isinstance(call, ast.Call) and len(call.args) > MOST_POSITIONAL and PACKAGE / "oracle" not in path.parents
    ]
    assert long == []

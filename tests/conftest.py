"""Shared fixtures: build the macros once per test run, and load them once per process."""

import atexit
import gc
import os
import shutil
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

import duckdb
import pytest

import ltr_sql
from ltr_sql.inputs.connection import own_connection
from ltr_sql.macros import registration as bundle_file

# Tests import programs of the repository.
sys.path.append(str(Path(__file__).parents[1]))

from tools.generate import write_script_if_stale

pytest.register_assert_rewrite("support")

# Python clears the functions of `gc.callbacks` last, and with them all that they refer to. Hypothesis leaves one there,
# from which DuckDB's types can be reached. DuckDB would print a page about them after the summary of pytest.
atexit.register(gc.callbacks.clear)

# Keep compiled modules: pytest rewrites the assertions of all tests, which takes seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

CATALOGUE_FOLDER = "LTR_SQL_TEST_CATALOGUE"
_numbers = count()


def pytest_configure(config: pytest.Config) -> None:
    """Build the script of all macros if it is stale, and their catalogue unless it is installed.

    `register` copies the catalogue instead of parsing the script.

    The tests read it from a separate folder, because a test that builds a wheel rewrites the installed one.
    """
    # pytest-xdist fills the cores: threads of one process would wait for threads of another.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    own_connection().execute("set threads = 1")
    if CATALOGUE_FOLDER not in os.environ:
        write_script_if_stale()
        folder = os.environ[CATALOGUE_FOLDER] = mkdtemp(prefix="ltr_sql-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        installed = bundle_file.catalogue_file()
        if installed.is_file():
            shutil.copy(installed, folder)
    bundle_file.CATALOGUES = Path(os.environ[CATALOGUE_FOLDER])
    if not bundle_file.catalogue_file().is_file():
        bundle_file.write_package_catalogue(bundle_file.CATALOGUES, bundle_file.script())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cases of a test slow, except those that its mark `default` names: texts in the brackets of ids.

    A name without a case is an error, unless the caller selects tests: then a copy of the tests may lack cases.
    """
    cases: dict[str, tuple[set[str], set[str]]] = {}
    for item in items:
        if mark := item.get_closest_marker("default"):
            test, _, case = item.nodeid.removesuffix("]").partition("[")
            named, found = cases.setdefault(test, ({*mark.args}, set()))
            found.add(case)
            if case not in named:
                item.add_marker(pytest.mark.slow)
    unknown = [f"{test}[{case}]" for test, (named, found) in cases.items() for case in named - found]
    selected = config.option.keyword or any("[" in argument for argument in config.args)
    if unknown and not selected:
        raise pytest.UsageError(f"the mark default names unknown cases: {', '.join(sorted(unknown))}")


@pytest.fixture(scope="session")
def registered() -> Iterator[duckdb.DuckDBPyConnection]:
    """Connection with the macros for the whole test run. Tests must not change its tables and settings."""
    with duckdb.connect(config={"threads": 1}) as connection:
        yield ltr_sql.register(connection)


@pytest.fixture(scope="module")
def module_con(registered: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Connection with the macros to an empty database, one per module."""
    yield from _database(registered)


@pytest.fixture
def con(registered: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Connection with the macros to an empty database, one per test."""
    yield from _database(registered)


def _database(registered: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    name = f"test_{next(_numbers)}"
    with registered.cursor() as connection:
        connection.execute(f"attach ':memory:' as {name}; use {name}")
        yield connection
    registered.execute(f"detach {name}")

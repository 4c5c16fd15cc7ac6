"""Runs, types of scores and comparisons of calls, for tests of evaluators."""

import decimal
import faulthandler
import os
import random
import sys
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ltr_sql


def table(queries: int, depth: int, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a run with tied scores, and judgments of half of its documents."""
    rng = random.Random(seed)
    rows = [(f"q{query}", f"d{document}") for query in range(queries) for document in range(depth)]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id"]).assign(score=[rng.randint(0, 20) / 4 for _ in rows])
    judged = [(*row, rng.randint(-1, 3)) for row in rows[::2]]
    return run, pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"])


RUN, QRELS = table(8, 12)


def outcome(function: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, list[str]]:
    """Return the rows of a call or the text of its error, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found: Any = function(*arguments, **options).to_dict("list")
        except ltr_sql.LtrSqlError as error:
            found = (type(error), str(error))
    return found, [str(warning.message) for warning in caught]


def assert_same(found: tuple[Any, list[str]], expected: tuple[Any, list[str]]) -> None:
    assert found[1] == expected[1]
    if isinstance(expected[0], dict):
        assert found[0] == {name: pytest.approx(values, abs=1e-12, nan_ok=True) for name, values in expected[0].items()}
    else:
        assert found[0] == expected[0]


def as_type(name: str) -> Callable[[np.ndarray], Any]:
    return lambda values: values.astype(name)


def as_extension(name: str) -> Callable[[np.ndarray], Any]:
    def convert(values: np.ndarray) -> Any:
        kind: Any = name
        return pd.array(values.astype(int), dtype=kind)

    return convert


SCORE_TYPES: dict[str, Callable[[np.ndarray], Any]] = {
    **{name: as_type(name) for name in ("float64", "float32", "int8", "int32", "int64", "uint8", "float16", "bool")},
    **{name: as_extension(name) for name in ("Int64", "Float64", "Int32", "float64[pyarrow]")},
    "object": lambda values: values.astype(int).astype(object),
    "decimal": lambda values: np.array([decimal.Decimal(int(value)) / 2 for value in values], dtype=object),
    "text": lambda values: np.array([str(value) for value in values], dtype=object),
    "NaN": lambda values: np.where(values > 3, np.nan, values),
    "beyond doubles": lambda values: values.astype("int64") + 2**60,
}


def in_fork(function: Callable[[], None]) -> bool:
    """Return whether a function ends without an error in a forked process, within a minute."""
    child = os.fork()
    if not child:
        faulthandler.dump_traceback_later(50)
        try:
            function()
        except BaseException:
            traceback.print_exc(file=sys.stderr)
            os._exit(1)
        os._exit(0)
    with ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(os.waitpid, child, 0).result(timeout=60)[1] == 0
        except TimeoutError:
            os.kill(child, 9)
            return False

"""The examples of docstrings print what they say."""

import doctest

import pandas as pd
import pytest

import ltr_sql
from tools.functions import example_of, functions

NAMES = [name for name in functions() if example_of(name)]


def test_the_main_functions_have_examples() -> None:
    assert {"evaluate", "compare", "explain", "worst", "fuse", "from_lists"} <= {*NAMES}


@pytest.mark.default(
    "evaluate", "from_lists", "fuse", "distribution", "group_documents", "agreement", "wins", "explain"
)
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("name", NAMES)
def test_an_example_prints_what_it_says(name: str) -> None:
    example = doctest.DocTestParser().get_doctest(f"{example_of(name)}\n", {"ltr_sql": ltr_sql}, name, None, 0)
    with pd.option_context("display.width", 200):
        assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example).failed == 0

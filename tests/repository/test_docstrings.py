"""The examples of docstrings print what they say."""

import doctest

import pandas as pd
import pytest

import ltr_sql
from tools.functions import example_of, functions, functions_page, returns_of

NAMES = [name for name in functions() if example_of(name)]


# Functions whose examples need a model, files, or seconds: their pages link to a guide.
LONG = {"lightgbm_feval", "xgboost_metric", "xgboost_early_stopping", "scorer"}
LONG |= {"run_files", "rater_bias", "verify_comparison"}


def test_functions_have_examples() -> None:
    assert {*functions()} - {*NAMES} == LONG


def test_pages_of_functions_say_what_comes_back() -> None:
    page = functions_page()
    silent = [
        name for name in functions() if "eturn" not in returns_of(name) + page.partition(f"\n## {name}\n")[2][:40]
    ]
    assert silent == []
    # A column that is called like an argument is described, and an argument is not.
    assert "- `weights`: a dict of name -> weight; `arguments`:" in returns_of("tune_fusion")
    assert "`rankings`:" not in returns_of("compare")
    # Types are written with the options, and paths of pages are links.
    assert "| `confidence=0.95` *float* | `--confidence` | `confidence := 0.95` |" in page
    assert "docs/" not in page


@pytest.mark.default(
    "evaluate", "from_lists", "fuse", "distribution", "group_documents", "agreement", "wins", "explain"
)
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("name", NAMES)
def test_an_example_prints_what_it_says(name: str) -> None:
    example = doctest.DocTestParser().get_doctest(f"{example_of(name)}\n", {"ltr_sql": ltr_sql}, name, None, 0)
    with pd.option_context("display.width", 200):
        assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example).failed == 0

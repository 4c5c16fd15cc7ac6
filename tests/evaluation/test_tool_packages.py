"""Random runs, evaluated by RecTools, recommenders and MLflow themselves.

`LTR_SQL_TOOLS` is a folder with RecTools and recommenders. They pin older versions of pandas and numpy than ours and
depend on large packages, which their metrics do not need, so `.ci/run` installs them without dependencies.
"""

import json
import os
import random
import subprocess
import sys
from typing import Any

import pandas as pd
import pytest
from support.places import TESTS

import ltr_sql

pytestmark = [pytest.mark.clients, pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")]

ITEMS = [f"d{i}" for i in range(15)]


def drawn(seed: int) -> dict[str, Any]:
    """Draw a run without ties, judgments and a cutoff. Some users have no list, others no relevant item."""
    rng = random.Random(seed)
    run = {f"u{u}": {i: rng.random() for i in rng.sample(ITEMS, rng.randint(1, 12))} for u in range(15) if u % 6}
    grades = {u: [0] if u % 4 == 3 else [0, 1, 1, 2, 3] for u in range(15)}
    qrels = {
        f"u{u}": {i: rng.choice(grades[u]) for i in rng.sample(ITEMS, rng.randint(3, 10))} for u in range(15) if u != 7
    }
    return {"run": run, "qrels": qrels, "k": rng.choice([1, 2, 3, 5, 10, 20])}


def test_rectools_and_recommenders() -> None:
    tools = os.environ.get("LTR_SQL_TOOLS")
    assert tools, "RecTools and recommenders are not installed: set LTR_SQL_TOOLS"
    cases = [drawn(seed) for seed in range(40)]
    script = TESTS / "support" / "tool_values.py"
    path = os.pathsep.join([tools, os.environ.get("PYTHONPATH", "")])
    result = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)],
        input=json.dumps(cases),
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    compared = 0
    for case, of_tools in zip(cases, json.loads(result.stdout), strict=True):
        for tool, values in of_tools.items():
            expected = {f"{name}@{case['k']}": value for name, value in values.items()}
            found = ltr_sql.evaluate(case["run"], [*expected], qrels=case["qrels"], convention=tool).iloc[0]
            assert {text: found[text] for text in expected} == pytest.approx(expected, abs=1e-12), (tool, case)
            compared += len(expected)
    assert compared == 40 * (9 + 7)


@pytest.mark.filterwarnings("ignore:.*is deprecated since 3.4.0:FutureWarning")
def test_mlflow() -> None:
    metrics = pytest.importorskip("mlflow.metrics", exc_type=ImportError)
    for seed in range(40):
        case = drawn(seed)
        run, k = case["run"], case["k"]
        # Lists without results and without an answer.
        qrels = {**case["qrels"], "u98": {"d0": 0}, "u99": {"d0": 0}}
        run["u99"] = {"d0": 1.0}
        lists = [sorted(run.get(u, {}), key=lambda d, u=u: -run[u][d]) for u in qrels]  # type: ignore[misc]
        answers = [[d for d, grade in grades.items() if grade > 0] for grades in qrels.values()]
        given = pd.Series(lists), pd.Series(answers)
        expected = {
            f"nDCG@{k}": metrics.ndcg_at_k(k).eval_fn(*given).aggregate_results["mean"],
            f"P@{k}": metrics.precision_at_k(k).eval_fn(*given).aggregate_results["mean"],
            f"R@{k}": metrics.recall_at_k(k).eval_fn(*given).aggregate_results["mean"],
        }
        found = ltr_sql.evaluate(run, [*expected], qrels=qrels, convention="mlflow").iloc[0]
        assert {text: found[text] for text in expected} == pytest.approx(expected, abs=1e-12), case

"""The example for dbt builds, adds new days, and fails where it should.

`LTR_SQL_DBT` names the command dbt, in an environment with dbt-duckdb and ltr_sql.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest
from support.places import EXAMPLES

import ltr_sql
from ltr_sql.macros.registration import catalogue_file

pytestmark = pytest.mark.clients

EXAMPLE = EXAMPLES / "dbt"
LAST_DAY = "2026-11-02"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    shutil.copytree(EXAMPLE, folder)
    shutil.copy(catalogue_file(), folder / "ltr.duckdb")
    return folder


def dbt(project: Path, *arguments: str) -> tuple[int, str]:
    """Return the exit code and output of dbt."""
    command = os.environ.get("LTR_SQL_DBT") or shutil.which("dbt")
    assert command, "dbt is not installed: set LTR_SQL_DBT"
    environment = {**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "NO_COLOR": "1"}
    done = subprocess.run(
        [command, *arguments, "--profiles-dir", ".", "--no-use-colors"],
        check=False,
        capture_output=True,
        text=True,
        cwd=project,
        env=environment,
    )
    return done.returncode, done.stdout + done.stderr


def edit(project: Path, file: str, old: str, new: str) -> None:
    text = (project / file).read_text(encoding="utf-8")
    assert old in text
    (project / file).write_text(text.replace(old, new), encoding="utf-8")


def rows(project: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(project / "evaluation.duckdb", read_only=True) as con:
        return con.execute(query).fetchall()


@pytest.mark.parametrize("target", ["attach", "plugin"])
def test_build(project: Path, target: str) -> None:
    code, output = dbt(project, "build", "--target", target)
    assert (code, "PASS=9 WARN=0 ERROR=0" in output) == (0, True), output
    expected = ltr_sql.evaluate(
        str(project / "seeds" / "runs.csv"),
        ["nDCG@10", "AP", "R@10"],
        qrels=str(project / "seeds" / "qrels.csv"),
        keys=["day", "system"],
    )
    found = rows(
        project, 'select cast(day as varchar), system, queries, "nDCG@10", "AP", "R@10" from metrics order by all'
    )
    assert len(found) == 4
    for row, values in zip(found, sorted(expected.itertuples(index=False, name=None)), strict=True):
        assert row[:3] == values[:3]
        assert row[3:] == pytest.approx(values[3:], abs=1e-12)
    assert rows(project, "select count(*) from metrics_by_segment") == [(4,)]
    assert rows(project, "select distinct system_a, system_b from comparison") == [("bm25", "dense")]


def test_a_second_build_adds_the_new_day(project: Path) -> None:
    assert dbt(project, "build")[0] == 0
    before = rows(project, "from metrics order by all")
    seeds = (project / "seeds" / "runs.csv").read_text(encoding="utf-8")
    header, *lines = seeds.splitlines()
    # Scores of the earlier days change, too, but their means stay.
    new = [line.replace(LAST_DAY, "2026-11-03") for line in lines if line.startswith(LAST_DAY)]
    old = [line for line in lines if not line.startswith(f"{LAST_DAY},dense,q1,")]
    (project / "seeds" / "runs.csv").write_text("\n".join([header, *old, *new, ""]), encoding="utf-8")
    code, output = dbt(project, "build")
    assert code == 0, output
    assert rows(project, "from metrics where day <= '2026-11-02' order by all") == before
    assert rows(project, "select count(*) from metrics") == [(6,)]


@pytest.mark.parametrize(
    ("file", "old", "new", "failed"),
    [
        ("dbt_project.yml", "minimum: 0.5", "minimum: 0.95", "ltr_at_least_metrics_nDCG_10"),
        (
            "models/schema.yml",
            "baseline: bm25, candidate: dense",
            "baseline: dense, candidate: bm25",
            "dense_is_not_worse",
        ),
        ("models/schema.yml", "candidate: dense", "candidate: typo", "dense_is_not_worse_than_bm25"),
        ("seeds/runs.csv", "2026-11-02,dense,q1,d103,", "2026-11-02,dense,q1,d105,", "ltr_no_findings_runs"),
    ],
    ids=["minimum", "regression", "no such system", "document twice"],
)
def test_a_build_fails(project: Path, file: str, old: str, new: str, failed: str) -> None:
    edit(project, file, old, new)
    code, output = dbt(project, "build")
    assert code == 1
    assert re.search(rf"FAIL \d+ {failed}", output), output


def test_a_column_that_the_contract_lacks_fails(project: Path) -> None:
    edit(project, "models/metrics.sql", "'R@10'", "'R@5'")
    code, output = dbt(project, "build")
    assert code == 1
    assert "This model has an enforced contract that failed" in output

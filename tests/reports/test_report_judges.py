"""Reports on systems whose judge errs: corrected numbers, and the panel about the judge."""

import random
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql import InputError, InputWarning
from ltr_sql.command_line.main import main


@pytest.mark.slow
def test_a_report_corrects_the_judge_and_shows_its_bias(tmp_path: Path) -> None:
    drawn, rows = random.Random(8), []
    for query in range(60):
        for document in range(8):
            grade = drawn.choices([0, 1, 2], [4, 2, 1])[0]
            a, b = grade + drawn.gauss(0, 1), grade + drawn.gauss(0, 1.2)
            rows.append((f"q{query}", f"d{document}", a, b, min(2, grade + (b > 1.5)), grade))
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "a", "b", "judge", "human"])
    ids = table[["query_id", "doc_id"]]
    runs = {name: ids.assign(score=table[name]) for name in "ab"}
    llm, people = (ids.assign(relevance=table[name]) for name in ("judge", "human"))
    people = people[people["query_id"].isin([f"q{i}" for i in range(0, 60, 3)])]
    clusters = {f"q{i}": f"s{i // 2}" for i in range(60)}
    measures = ["nDCG@5", "AP"]
    options: dict[str, Any] = {"qrels": llm, "human": people, "cluster": clusters}
    data = ltr_sql.report(runs, measures, **options).data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        compared = ltr_sql.compare(runs, measures, baseline="a", **options, details=True).to_dict("records")
        bias = ltr_sql.rater_bias(runs, measures, qrels={"human": people, "judge": llm}).to_dict("records")
    agreement = ltr_sql.rater_agreement({"human": people, "judge": llm}).to_dict("records")
    standings = {r["measure"]: r for r in data["standings"] if r["system"] == "b"}
    for row in compared:
        found = standings[row["measure"]]
        names = {"difference": "difference", "low": "difference_low", "high": "difference_high", "p": "p"}
        names |= {
            name: name for name in ("judged", "llm_weight", "worth", "clusters", "design_effect", "mde", "verdict")
        }
        assert {name: found[other] for name, other in names.items()} == pytest.approx({n: row[n] for n in names})
    of_pair = next(r for r in agreement if r["rater_a"] == "human")
    kappas = ("documents", "cohen_kappa", "cohen_kappa_low", "kappa_quadratic_high", "mean_difference")
    assert data["judge"]["queries"] == 20
    assert [data["judge"]["agreement"][name] for name in kappas] == pytest.approx([of_pair[name] for name in kappas])
    by_system = {(r["measure"], r["system"]): r for r in bias}
    assert [(r["measure"], r["system"]) for r in data["judge"]["systems"]] == [(m, s) for m in measures for s in "ab"]
    for row in data["judge"]["systems"]:
        expected = by_system[row["measure"], row["system"]]
        for name in ("mean_a", "mean_b", "bias", "bias_low", "favour", "favour_high", "p_adjusted"):
            assert row[name] == pytest.approx(expected[name])
    assert any("people judged 20 queries" in note for note in data["notes"])
    assert "of 20 queries that people judged" in data["verdict"]["evidence"]
    assert data["about"]["power"].startswith("With 60 queries, a true difference of b of ")
    page, text = ltr_sql.report(runs, measures, **options).html, ltr_sql.report(runs, measures, **options).markdown
    assert '<section id="judge"' in page and "@software{ltr_sql" in page
    assert "## The judge" in text and "| nDCG@5 | a |" in text
    paths = {name: str(tmp_path / f"{name}.csv") for name in ("judge", "human", "a", "b", "clusters")}
    for name, frame in {"judge": llm, "human": people, **runs}.items():
        frame.to_csv(paths[name], index=False)
    pd.DataFrame({"query_id": clusters.keys(), "cluster": clusters.values()}).to_csv(paths["clusters"], index=False)
    arguments = [paths["judge"], paths["a"], paths["b"], "-m", "nDCG@5", "-m", "AP", "--cluster", paths["clusters"]]
    shown = CliRunner().invoke(main, ["report", *arguments, "--human", paths["human"], "--format", "markdown"])
    assert shown.exit_code == 0, shown.output
    assert shown.output.replace(".csv", "").splitlines()[:20] == text.splitlines()[:20]
    refused: dict[str, dict[str, Any]] = {
        "people judged only some documents of 1 query": {"human": people.iloc[1:]},
        "human applies to the t and the sequential test": {"human": people, "test": "sign"},
    }
    for message, given in refused.items():
        with pytest.raises(InputError, match=message):
            ltr_sql.report(runs, measures, **{**options, **given})

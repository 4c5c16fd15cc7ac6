"""A report as a LaTeX table."""

from collections.abc import Mapping
from typing import Any

from ltr_sql.comparison.latex import ComparisonTable, latex, latex_of_one


def latex_text(data: Mapping[str, Any]) -> str:
    """Return the leaderboard as a LaTeX table, with the best means in bold and significant differences marked."""
    baseline = data["baseline"]
    if baseline is None:
        one = data["standings"]
        return latex_of_one(one[0]["system"], {r["measure"]: r["mean"] for r in one}, [r["queries"] for r in one])
    means = {(r["measure"], r["system"]): r["mean"] for r in data["standings"]}
    counts = {(r["measure"], r["system"]): r["queries"] for r in data["standings"]}
    records = [
        {
            **record,
            "system_a": baseline,
            "system_b": record["system"],
            "mean_a": means[record["measure"], baseline],
            "mean_b": record["mean"],
            "queries": record["common_queries"],
            "queries_of_means": [counts[record["measure"], baseline], record["queries"]],
        }
        for record in data["standings"]
        if record["system"] != baseline
    ]
    test = data["test"]
    corrected = f"; correction by {test['correction']}" if test["correction"] else ""
    return latex(
        ComparisonTable(
            records=records,
            measures=[measure["name"] for measure in data["measures"]],
            systems=[
                record["system"] for record in data["standings"] if record["measure"] == data["measures"][0]["name"]
            ],
            baseline=baseline,
            lower=[measure["name"] for measure in data["measures"] if measure["better"] == "lower"],
            procedure=f"{test['name']}{corrected}",
            alpha=test["alpha"],
            with_margin=False,
        )
    )

"""The function `report` and its result."""

import html
import json
import os
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import duckdb

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, resolve_options
from ltr_sql.catalogue.options import Compare, Reading, check_integer, defaults_of, listed_keys, takes
from ltr_sql.comparison.latex import ComparisonTable, latex, latex_of_one
from ltr_sql.errors import InputError
from ltr_sql.evaluation.options import Inputs
from ltr_sql.inputs.databases import is_database
from ltr_sql.inputs.gains import read_gains
from ltr_sql.inputs.session import with_warnings
from ltr_sql.outputs import write_text
from ltr_sql.rendering.comparisons import comparison_choices
from ltr_sql.reports.contents import contents
from ltr_sql.reports.evaluated import Arguments
from ltr_sql.reports.markdown import markdown_text
from ltr_sql.reports.page import page


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


# Largest values of the arguments `lists` and `depth`.
_MOST_LISTS, _DEEPEST = 1_000, 100
# Number of characters of a line of the printed verdict.
_COLUMNS = 80


@dataclass(frozen=True)
class Report:
    """An evaluation as one offline HTML file, and as data.

    - `data`: the contents as a dict that JSON can hold; docs/report.md lists its fields.

    Jupyter and marimo display the report in an isolated frame.
    """

    data: dict[str, Any]

    @cached_property
    def html(self) -> str:
        """Return the report as an HTML page."""
        return page(self.data)

    @property
    def json(self) -> str:
        """Return the data as JSON text."""
        return f"{json.dumps(self.data, indent=2, ensure_ascii=False)}\n"

    @property
    def markdown(self) -> str:
        """Return verdicts, power, notes, leaderboards, the worst queries and findings as Markdown."""
        return markdown_text(self.data)

    @property
    def latex(self) -> str:
        """Return the leaderboard as a LaTeX table."""
        return latex_text(self.data)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the HTML page to a file and return its path. Raises OutputError if it cannot be written."""
        write_text(path, self.html)
        return Path(path)

    def _repr_html_(self) -> str:
        """Return an HTML frame that isolates style and script of the report from the notebook."""
        return (
            f'<iframe title="{html.escape(self.data["title"])}" sandbox="allow-scripts" '
            f'srcdoc="{html.escape(self.html)}" width="100%" height="800" '
            'style="border: 1px solid #8884; border-radius: 8px; background: white"></iframe>'
        )

    def __repr__(self) -> str:
        said = self.data["title"], self.data["verdict"]["claim"]
        return "\n".join(textwrap.fill(text, _COLUMNS) for text in said)


@takes(Reading)
def report(
    rankings: Any,
    measures: Iterable[str] | None = None,
    *,
    qrels: Any = None,
    queries: Any = None,
    documents: Any = None,
    history: Any = None,
    targets: Any = None,
    baseline: str | None = None,
    title: str | None = None,
    keys: Sequence[str] = (),
    trend: str | None = None,
    test: str = "t",
    adjust: str = "holm",
    seed: int = 7,
    weights: Any = None,
    human: Any = None,
    cluster: Any = None,
    allow_unjudged: bool = False,
    across: str | None = None,
    generalize: str = "queries",
    convention: str | None = None,
    gains: Any = None,
    ties: str | None = None,
    missing: str | None = None,
    lists: int = 60,
    depth: int = 10,
    check: bool = True,
    con: duckdb.DuckDBPyConnection | None = None,
    command: str | None = None,
    **reading: Unpack[Reading],
) -> Report:
    """Return a report on one or several systems: leaderboard, significance tests, differing queries and data findings.

    - `rankings`: one or several systems in any form that `evaluate` accepts: a dict of name -> run, a table with a
      column `system`, or a single run.
    - `measures`: measure strings, by default AP, RR, nDCG@10, P@10 and R@1000. The first measure determines the verdict
      and the queries whose documents are listed.
    - `qrels`, `convention`, `gains`, `ties`, `missing`, `check`, `con`: see `evaluate`.
    - `queries`: texts by id, as a dict, a data frame, or a file (CSV, TSV, JSONL, Parquet).
    - `documents`: the table of documents. The page shows its texts (columns such as text, below title or name), and
      measures beyond accuracy read category, group and others; see `evaluate`. A table with only ids and texts may have
      any form that `queries` accepts.
    - `history`, `targets`: tables that measures beyond accuracy read; see `evaluate`.
    - `baseline`: the system to compare the others with, by default the first one.
    - `title`: the title of the page.
    - `keys`: columns that divide queries into segments, which the page can select. They are columns of the judgments,
      of rankings with relevance, or of runs in which each query has one value.
    - `trend`: the column of the rankings that holds the periods, such as week. The report is then about the latest one,
      and shows how the means changed; see `trend`. A judged query that a period lacks is left out by default.
    - `test`, `adjust`: see `compare`.
    - `seed`: seed of the randomization test, and of the intervals of measures over runs.
    - `weights`: weights of queries, for weighted means and t tests; see `compare`.
    - `human`: judgments by people for a random sample of the queries, which correct means, differences and tests under
      `qrels`, such as an LLM's judgments. The page then shows how the two agree, and which systems the judge favours.
    - `allow_unjudged`: true accepts queries of which people judged fewer documents than the other judge.
    - `cluster`: queries that belong together, such as those of a session; see `compare`.
    - `across`, `generalize`: means over datasets in the leaderboard and the verdict; see `compare`. The datasets are
      segments, too. Other sections count queries.
    - `lists`: number of queries whose documents are listed, from 0 to 1,000.
    - `depth`: number of documents of each list, from 1 to 100.
    - `command`: the command that made the report, shown on the page.
    - With a connection to Postgres, the values of the queries are computed there. The tables stay there, so the report
      lists no documents and has no findings about the input.

    Returns a `Report`: `.save(path)` writes the page, `.data` is a dict, and `.html`, `.json`, `.markdown` and `.latex`
    are texts.

    Raises MeasureError for an invalid measure, and InputError for input that cannot be evaluated or compared. The
    report contains the warnings of `evaluate`.

    >>> old, new = {"q": {"a": 2.0, "b": 1.0}, "r": {"c": 1.0}}, {"q": {"b": 2.0, "a": 1.0}, "r": {"c": 1.0}}
    >>> report = ltr_sql.report({"old": old, "new": new}, ["RR"], qrels={"q": {"b": 1}, "r": {"c": 1}})
    >>> report.html[:15]
    '<!doctype html>'
    """
    stays = is_database(con)
    if trend is not None and convention is None:
        missing = missing or "skip"
    parsed, rule, absent = resolve_options(measures or DEFAULT_MEASURES, convention, ties, missing)
    for measure in parsed:
        if measure.definition.paired:
            raise InputError(f"{measure.text!r} compares two rankings, and a report shows measures of one ranking")
    if all(measure.definition.over == "run" for measure in parsed):
        raise InputError(
            f"{parsed[0].text!r} has one value for a run, and a report shows values of queries: pass another measure, "
            "such as nDCG@10, too"
        )
    check_integer("lists", lists, 0, _MOST_LISTS)
    check_integer("depth", depth, 1, _DEEPEST)
    segments = _segments(listed_keys(keys), across, trend)
    judges = {"human": human, "cluster": cluster, "allow_unjudged": allow_unjudged}
    means = {"across": across, "generalize": generalize}
    comparison = defaults_of(Compare, test=test, adjust=adjust, seed=seed, weights=weights, **judges, **means)
    arguments = Arguments(
        inputs=Inputs(rankings, qrels, {"documents": documents, "history": history, "targets": targets}),
        measures=tuple(measure for measure in parsed if measure.definition.over == "query"),
        of_runs=tuple(measure for measure in parsed if measure.definition.over == "run"),
        ties=rule,
        missing=absent,
        convention=convention,
        gains=None if gains is None else read_gains(gains),
        baseline=baseline,
        keys=("system", *segments),
        by_query=True,
        queries=queries,
        title=title,
        comparison=comparison,
        choices=comparison_choices(**comparison),
        lists=0 if stays else lists,
        depth=depth,
        command=command,
        check=check,
        trend=trend,
    )

    read_as = {**reading, "keys": list(dict.fromkeys([*keys, *segments])), "convention": convention}
    return Report(with_warnings(con, lambda state: (contents(state, arguments), []), read_as, elsewhere=True))


def _segments(keys: Sequence[str], across: str | None, trend: str | None) -> list[str]:
    """Return the columns of the segments, to which datasets belong. Raises InputError for a trend across datasets."""
    if across is not None and trend is not None:
        raise InputError("a trend of a report is over queries: leave out across, or trend")
    return [key for key in dict.fromkeys([*keys, *([] if across is None else [across])]) if key != "system"]

"""Print the templates of sql/ that are never opened. test_structure.py runs this in a new process."""

import contextlib
import sys
from pathlib import Path
from typing import Any

# Only the tests of Postgres and Spark open these.
OF_OTHER_ENGINES = ("errors.sql", "numbers_of_texts.sql")
opened: set[str] = set()
sys.addaudithook(lambda event, arguments: opened.add(str(arguments[0])) if event == "open" else None)

import duckdb  # noqa: E402
import pandas as pd  # noqa: E402  (imports may open templates)
from click.testing import CliRunner  # noqa: E402

import ltr_sql  # noqa: E402
from ltr_sql.catalogue.files import SQL_FOLDER  # noqa: E402
from ltr_sql.command_line.main import main  # noqa: E402
from ltr_sql.evaluation import accuracy  # noqa: E402
from ltr_sql.macros.functions import bundle  # noqa: E402
from ltr_sql.validation import checks  # noqa: E402


def use_everything() -> None:
    """Use all macros, inputs, gains, judgments, checks, comparisons and options of trec_eval."""
    bundle()
    run, irregular, qrels = Path("run.txt"), Path("irregular.txt"), Path("qrels.txt")
    run.write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n", encoding="utf-8")
    irregular.write_text("q Q0  a 1 2 t\n", encoding="utf-8")
    qrels.write_text("q 0 a 1\nq 0 b 0\n", encoding="utf-8")
    ltr_sql.evaluate({"q": {"a": 2.0, "b": 1.0}}, ["AP"], qrels={"q": {"a": 1, "b": 0}})
    ltr_sql.evaluate(
        {"q": ["a"], "p": []}, ["AP"], qrels=pd.DataFrame({"query_id": ["q", "p"], "doc_id": "a", "relevance": 1})
    )
    tied = Path("tied.txt")
    tied.write_text("q Q0 a 1 1 t\nq Q0 b 2 1 t\n", encoding="utf-8")
    ranked = pd.DataFrame({"query_id": ["q", "q"], "rank": [1, 2], "relevance": [1, 0]})
    gained: list[dict[str, Any]] = [{}, {"gains": {1: 2}}]
    for options in gained:
        for rankings in (run, irregular):
            ltr_sql.evaluate(rankings, ["AP", "DCG"], qrels=qrels, **options)
        ltr_sql.evaluate(ranked, ["AP", "DCG"], **options)
    with contextlib.suppress(ltr_sql.InputError):
        ltr_sql.evaluate(ranked.assign(rank=1), ["AP"])
    frame = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    judged = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1, 2]})
    # A run whose duplicates are looked for in a sample.
    checks._SEARCHED_FOR_DUPLICATES = 1
    duckdb.from_df(frame).write_parquet("run.parquet")
    ltr_sql.evaluate("run.parquet", ["AP"], qrels=judged)
    with ltr_sql.Evaluator(["AP", "DCG"], judged) as evaluator:
        for by_query in (False, True) * 3:
            evaluator.evaluate(frame, by_query=by_query)
    ltr_sql.evaluate(run, ["AP", "Entropy"], qrels=qrels)
    ltr_sql.evaluate(run, ["Hole(scope=collection)@2"], qrels=qrels)
    ltr_sql.evaluate(run, ["AP"], qrels=qrels, weights={"q": 2})
    ltr_sql.evaluate(run, ["AP"], qrels=qrels, ci="t")
    ltr_sql.distribution(run, ["AP"], qrels=qrels, cluster={"q": "session"})
    ltr_sql.compare({"a": run, "b": irregular}, ["AP", "Entropy"], qrels=qrels, ci="percentile")
    people = pd.DataFrame({"system": ["a", "b"] * 3, "query_id": [*"ppqqrr"], "RR": [0.1, 0.2, 0.4, 0.3, 0.5, 0.1]})
    ltr_sql.compare(people, ["RR"], values=True, human=people)
    # Judgments that do not name the datasets of their queries.
    boards = pd.concat([frame.assign(system=system, dataset="d") for system in "ab"])
    ltr_sql.compare(boards, ["RR"], qrels=judged, across="dataset")
    # Ranks that are counted if few scores are tied.
    accuracy._COUNTED = 1
    ltr_sql.evaluate(
        pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "c"], "score": [1, 3, 2]}), ["AP"], qrels=qrels
    )
    judged_in_ways: list[dict[str, Any]] = [
        {"qrels": qrels, "asked": ["q", "p"]},
        {"qrels": qrels, "unjudged": "remove"},
        {"qrels": pd.concat([judged, judged]), "qrels_duplicates": "max"},
        {"qrels": judged.assign(relevance=["good", "bad"]), "grades": {"good": 1, "bad": 0}},
    ]
    for given in judged_in_ways:
        ltr_sql.evaluate(run, ["AP(empty=none_retrieved)", "nDCG(ideal=returned)"], **given)
    ltr_sql.check(run, qrels=qrels, history=pd.DataFrame({"query_id": ["q"], "doc_id": ["a"]}))
    ltr_sql.fuse({"a": run, "b": run})
    ltr_sql.agreement({"a": run, "b": run}, measures=["RBO"])
    compared = ["compare", str(qrels), str(run), "-m", "RR", "--save-values", "values.parquet"]
    gated = ["compare", str(qrels), str(irregular), "-m", "RR", "--baseline", "values.parquet", "--fail-if", "RR worse"]
    for arguments in (compared, gated):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
    ltr_sql.report({"a": run, "b": irregular, "c": tied}, ["AP"], qrels=qrels).html  # noqa: B018
    for words in ("-J -m all_trec", "-q -m relstring"):
        result = CliRunner().invoke(main, ["trec_eval", *words.split(), str(qrels), str(run)])
        assert result.exit_code == 0, result.output


if __name__ == "__main__":
    use_everything()
    for path in sorted(SQL_FOLDER.rglob("*/*.sql")):
        if str(path) not in opened and path.name not in OF_OTHER_ENGINES:
            print(path.relative_to(SQL_FOLDER))

"""Contenders: ltr_sql, and the queries that it is compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from benchmarks.data import Data
from benchmarks.processes import Contender

MEASURES = ("AP", "RR", "nDCG@10", "nDCG", "P@10", "R@100", "R@1000")
_TREC_COLUMNS = {
    "query_id": "varchar",
    "q0": "varchar",
    "doc_id": "varchar",
    "given_rank": "integer",
    "score": "double",
    "run_id": "varchar",
}


class Source(StrEnum):
    """Where a run and judgments are stored."""

    TABLES = "DuckDB tables"
    PARQUET = "Parquet"
    TREC = "TREC text"
    PANDAS = "pandas"
    POLARS = "polars"


def evaluation(
    data: Data, source: Source, form: str, measures: Sequence[str] = MEASURES, *, settings: Any = None, **how: Any
) -> Contender:
    """Evaluate the run with ranks or scores.

    `form` is 'ranks' or 'scores'. `settings` are settings of the connection. `how` sets `repetitions` and `fresh` of
    the contender.
    """
    arguments = {
        "rankings": _input_of(data, source, f"run_{form}"),
        "qrels": _input_of(data, source, "qrels"),
        "frames": source if source in (Source.PANDAS, Source.POLARS) else None,
        "settings": settings,
        "measures": measures,
        **_database(data, source),
    }
    return Contender(f"ltr_sql, {form}, {source}", "evaluate", arguments, **how)


def evaluation_of_rankings(data: Data, source: Source) -> Contender:
    """Evaluate the stored rankings."""
    arguments = {"rankings": _input_of(data, source, "rankings"), "qrels": None, "measures": MEASURES}
    return Contender(f"ltr_sql, rankings, {source}", "evaluate", {**arguments, **_database(data, source)})


def unchecked(contender: Contender) -> Contender:
    """Return the contender without input validation."""
    return replace(contender, name=f"{contender.name}, check=False", arguments={**contender.arguments, "check": False})


def evaluation_of_systems(data: Data, form: str, one: bool) -> Contender:
    """Evaluate a table of many systems, or with `one` the system that they are made from."""
    arguments = {
        "rankings": f"{'run' if one else 'systems'}_{form}",
        "qrels": "qrels",
        "keys": [] if one else ["system"],
        "measures": MEASURES,
        "database": data.systems,
    }
    return Contender(f"{'one system' if one else 'all systems'}, {form}", "evaluate", arguments)


def join_alone(data: Data, source: Source, form: str) -> Contender:
    """Join the run with the judgments, and count the rows."""
    run, qrels = _relation(data, source, f"run_{form}"), _relation(data, source, "qrels")
    sql = f"select count(*) from {run} join {qrels} using (query_id, doc_id)"
    return _query(f"join alone, {form}", data, source, sql)


def join_and_rank(data: Data) -> Contender:
    """Rank the run by score with `rank()`, and join it with the judgments."""
    rank = "rank() over (partition by query_id order by score desc)"
    ranked = f"select query_id, doc_id, {rank} as rank from run_scores"
    sql = f"select count(*), sum(r.rank) from ({ranked}) as r join qrels using (query_id, doc_id)"
    return _query("join and rank()", data, Source.TABLES, sql)


def row_number_alone(data: Data, source: Source) -> Contender:
    """Rank the run by score."""
    run = _relation(data, source, "run_scores")
    rank = "row_number() over (partition by query_id order by score desc, doc_id desc)"
    return _query("row_number alone", data, source, f"select max(rank) from (select {rank} as rank from {run})")


def scan_alone(data: Data, source: Source) -> Contender:
    """Scan the columns of the relevant rows of the rankings."""
    columns = "count(query_id), sum(rank), sum(relevance)"
    relation = _relation(data, source, "rankings")
    return _query("scan alone", data, source, f"select {columns} from {relation} where relevance > 0")


def read_csv_alone(data: Data) -> Contender:
    """Read all columns of the run in TREC format."""
    columns = ", ".join(f"count({name})" for name in _TREC_COLUMNS)
    options = "delim = ' ', header = false, quote = '', escape = '', auto_detect = false"
    file = f"read_csv('{data.trec('run_scores')}', {options}, columns = {_TREC_COLUMNS})"
    return _query("read_csv alone", data, Source.TREC, f"select {columns} from {file}")


def _query(name: str, data: Data, source: Source, sql: str) -> Contender:
    return Contender(f"{name}, {source}", "query", {"sql": sql, **_database(data, source)})


def _database(data: Data, source: Source) -> Mapping[str, str]:
    return {"database": data.database} if source is Source.TABLES else {}


def _input_of(data: Data, source: Source, table: str) -> str:
    """Return the argument of `evaluate`: the name of a table, or a path."""
    if source is Source.TABLES:
        return table
    if source is Source.TREC:
        return data.trec(table)
    return data.parquet(table)


def _relation(data: Data, source: Source, table: str) -> str:
    """Return the SQL of a table, as it follows `from`."""
    return table if source is Source.TABLES else f"'{data.parquet(table)}'"

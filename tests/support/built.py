"""Rows of builders such as `ltr.click_judgments`: by the macro, by the Python function, and by the oracle."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import asdict
from typing import Any, cast

import duckdb
import pandas as pd

import ltr_sql
from ltr_sql import oracle
from ltr_sql.catalogue.functions import Builder, builders
from ltr_sql.oracle.chunks import Chunk
from ltr_sql.oracle.clicks import Impression
from ltr_sql.oracle.off_policy import Round
from ltr_sql.rendering.dialects import string
from support.case_folders import Row

Options = Mapping[str, Any]
# Columns that identify a row of a result.
IDS = ("query_id", "doc_id", "rank", "rater_a", "rater_b", "relevance_a", "relevance_b", "estimator", "system")
SCOPES = {"iips": "_item", "sniips": "_item", "rips": "_cascade", "snrips": "_cascade", "cascade_dr": "_cascade"}


def sql_of(value: Any) -> str:
    return (
        f"[{', '.join(map(sql_of, value))}]"
        if isinstance(value, list)
        else string(value)
        if isinstance(value, str)
        else repr(value)
    )


def macro_rows(
    con: duckdb.DuckDBPyConnection, name: str, table: str, options: Options, keys: Sequence[str] = ()
) -> list[Row]:
    """Call the macro. Options that are tables are names."""
    arguments = [string(table), *(f"{option} := {sql_of(value)}" for option, value in options.items())]
    listed = f"[{', '.join(map(string, keys))}]::varchar[]"
    cursor = con.execute(f"from ltr.{name}({', '.join(arguments)}, keys := {listed})")
    columns = [column[0] for column in cursor.description or []]
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def python_rows(name: str, table: pd.DataFrame, options: Options, keys: Sequence[str] = ()) -> list[Row]:
    """Call the Python function. Options that are tables are data frames."""
    found = getattr(ltr_sql, name)(table, **options, keys=keys).astype(object)
    rows = found.where(found.map(lambda value: isinstance(value, Sized) or pd.notna(value)), None)
    return cast("list[Row]", rows.to_dict("records"))


def oracle_rows(name: str, table: Sequence[Row], options: Options) -> list[Row]:
    """Return the rows that the oracle computes. Options that are tables are lists of rows."""
    given = dict(options)
    return list(_ORACLES[name](table, given))


def _log(table: Iterable[Row]) -> list[Impression]:
    return [
        Impression(
            row.get("session_id"),
            row["query_id"],
            row.get("doc_id"),
            int(row.get("rank") or 1),
            int(row["click"]),
            row.get("team"),
            row.get("user_id"),
        )
        for row in table
    ]


def _click_judgments(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    if "propensities" in options:
        options["propensities"] = {int(row["rank"]): row["propensity"] for row in options["propensities"]}
    log = _log(table)
    for (query_id, doc_id), relevance in oracle.click_judgments(log, options.pop("model", "coec"), **options).items():
        clicks = [row.click for row in log if row.document == (query_id, doc_id)]
        yield {
            "query_id": query_id,
            "doc_id": doc_id,
            "relevance": relevance,
            "impressions": len(clicks),
            "clicks": sum(clicks),
        }


def _position_bias(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    log = _log(table)
    for rank, propensity in oracle.position_bias(log, options.pop("method", "ctr"), **options).items():
        clicks = [row.click for row in log if row.rank == rank]
        yield {"rank": rank, "propensity": propensity, "impressions": len(clicks), "clicks": sum(clicks)}


def _interleaving(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    by_cluster = options.pop("cluster", None) is not None
    yield asdict(oracle.interleaving(_log(table), by_cluster=by_cluster, **options))


def _ratings(table: Sequence[Row]) -> list[tuple[Any, Any, str, float]]:
    return [
        (row["query_id"], row["doc_id"], row["rater"], float(row["relevance"]))
        for row in table
        if row["relevance"] is not None
    ]


def _rater_agreement(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    pairs, common = oracle.rater_agreement(_ratings(table), **options)
    empty = dict.fromkeys(("fleiss_kappa", "alpha_nominal", "alpha_ordinal", "alpha_interval", "alpha_ratio"))
    for (a, b), agreement in pairs.items():
        yield {"rater_a": a, "rater_b": b, **asdict(agreement), **empty}
    yield {
        "rater_a": None,
        "rater_b": None,
        "agreement": None,
        **{
            f"{name}{end}": None
            for name in ("cohen_kappa", "kappa_linear", "kappa_quadratic")
            for end in ("", "_stderr", "_low", "_high")
        },
        "overlap": None,
        "mean_difference": None,
        "mean_absolute_difference": None,
        **asdict(common),
    }


def _rater_bias(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    values = [
        (row["query_id"], row["system"], row["rater"], float(row["value"])) for row in table if row["value"] is not None
    ]
    for (a, b, system), bias in oracle.rater_bias(values, **options).items():
        yield {"rater_a": a, "rater_b": b, "system": system, **asdict(bias)}


def _rater_confusion(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    names = ("rater_a", "rater_b", "relevance_a", "relevance_b")
    for ids, documents in oracle.rater_confusion(_ratings(table)).items():
        yield {**dict(zip(names, ids, strict=True)), "documents": documents}


def _merge_judgments(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    merged = oracle.merge_judgments(_ratings(table), options.pop("method", "majority"), **options)
    for (query_id, doc_id), judgment in merged.items():
        yield {"query_id": query_id, "doc_id": doc_id, **asdict(judgment)}


def _contributions(table: Sequence[Row]) -> list[tuple[str, Any, str, int]]:
    return [(row["system"], row["query_id"], row["doc_id"], int(row["rank"])) for row in table]


def _pool(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    judged = {(row["query_id"], row["doc_id"]) for row in options.pop("qrels", ())}
    for (query_id, doc_id), found in oracle.pool(_contributions(table), **options).items():
        yield {
            "query_id": query_id,
            "doc_id": doc_id,
            "priority": found.priority,
            "best_rank": found.best_rank,
            "runs": len(found.systems),
            "systems": [*found.systems],
            "judged": (query_id, doc_id) in judged,
        }


def _unique_documents(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    grades = {(row["query_id"], row["doc_id"]): row["relevance"] for row in options.pop("qrels", ())}
    for (query_id, doc_id), (system, rank) in oracle.unique_documents(_contributions(table), **options).items():
        yield {
            "query_id": query_id,
            "system": system,
            "doc_id": doc_id,
            "rank": rank,
            "relevance": grades.get((query_id, doc_id)),
        }


def _group_documents(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    documents = {row["chunk_id"]: row["doc_id"] for row in options.pop("parents", ())}
    parent = options.pop("parent", "doc_id")
    for query_id in {row["query_id"] for row in table}:
        chunks = [
            Chunk(row["doc_id"], documents.get(row["doc_id"]) or row[parent], row.get("rank"), row.get("score"))
            for row in table
            if row["query_id"] == query_id
        ]
        for rank, found in enumerate(oracle.group_documents(chunks, **options), start=1):
            yield {
                "query_id": query_id,
                "doc_id": found.document,
                "rank": rank,
                "score": found.score,
                "chunks": found.chunks,
            }


def rounds_of(table: Sequence[Row], estimator: str) -> list[Round]:
    """Return the rows of a log as the oracle of an estimator reads them."""
    scope = SCOPES.get(estimator, "")
    names = {"query_id": "query_id", "rank": "rank", "reward": "reward", "q_hat": "q_hat", "v_hat": "v_hat"}
    names |= {"propensity": f"propensity{scope}", "target": f"target{scope}"}
    return [
        Round(**{name: row[column] for name, column in names.items() if row.get(column) is not None}) for row in table
    ]


def _off_policy(table: Sequence[Row], options: dict[str, Any]) -> Iterable[Row]:
    for estimator in options.pop("estimators"):
        found = oracle.off_policy(rounds_of(table, estimator), estimator, **options)
        yield {"estimator": estimator, **asdict(found)}


_ORACLES: dict[str, Callable[[Sequence[Row], dict[str, Any]], Iterable[Row]]] = {
    "click_judgments": _click_judgments,
    "position_bias": _position_bias,
    "interleaving": _interleaving,
    "rater_agreement": _rater_agreement,
    "rater_bias": _rater_bias,
    "rater_confusion": _rater_confusion,
    "merge_judgments": _merge_judgments,
    "pool": _pool,
    "unique_documents": _unique_documents,
    "group_documents": _group_documents,
    "off_policy": _off_policy,
}


def check_rows(
    found: Iterable[Row], expected: Iterable[Row], tolerance: float = 1e-12, keys: Sequence[str] = ()
) -> None:
    """Assert that the rows are equal. Values may differ by the tolerance, relative to values above 1.

    Columns that `expected` lacks are not compared.
    """
    expected = list(expected)
    assert expected
    ids = [name for name in (*keys, *IDS) if name in expected[0]]
    by_id = {tuple(_plain(row[name]) for name in ids): row for row in found}
    assert by_id.keys() == {tuple(_plain(row[name]) for name in ids) for row in expected}
    for row in expected:
        of_id = by_id[tuple(_plain(row[name]) for name in ids)]
        for name, value in row.items():
            assert _distance(of_id[name], value) <= tolerance, f"{name} of {ids}: {of_id}, expected {row}"


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _distance(found: Any, expected: Any) -> float:
    found = [*found] if getattr(found, "shape", None) else found
    if isinstance(found, float) and math.isnan(found):
        found = None
    if found is None or expected is None or isinstance(expected, str | list | bool):
        return 0.0 if found == expected else math.inf
    return float(abs(float(found) - float(expected)) / max(1.0, abs(float(expected))))


def methods_of(builder: Builder) -> list[str]:
    return [*builder.methods] or [""]


# `fuse` has tests of its own, in test_fusion.py.
BUILDERS = [(name, m) for name, builder in builders().items() if name != "fuse" for m in methods_of(builder)]


def expected_rows(name: str, examples: Sequence[list[Row]], options: dict[str, Any]) -> list[Row]:
    return [
        {"example": str(number), **row}
        for number, rows in enumerate(examples)
        for row in oracle_rows(name, rows, options)
    ]

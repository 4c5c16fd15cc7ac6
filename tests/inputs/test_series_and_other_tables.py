"""Dicts of pandas and polars Series, lists beside scores, and tables of other libraries, against plain dicts."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.dataset as pads  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql import InputError
from ltr_sql.command_line.main import main

RUN = {"q1": {"a": 2.0, "b": 1.0, "c": 0.5}, "q2": {"b": 3.0}}
LISTS = {"q1": ["a", "b", "c"], "q2": ["b"]}
QRELS = {"q1": {"b": 2, "c": 1}, "q2": {"b": 1}}
MEASURES = ["RR", "nDCG@2", "AP", "NumRet"]
EXPECTED = ltr_sql.evaluate(RUN, MEASURES, qrels=QRELS)
ROWS = [(query, doc, score) for query, found in RUN.items() for doc, score in found.items()]
COLUMNS = dict(zip(("query_id", "doc_id", "score"), map(list, zip(*ROWS, strict=True)), strict=True))


@pytest.mark.default("pandas0", "pandas3")
@pytest.mark.parametrize(
    "run",
    [
        {query: pd.Series(found) for query, found in RUN.items()},
        {query: pd.Series(docs) for query, docs in LISTS.items()},
        {query: pl.Series(docs) for query, docs in LISTS.items()},
        {query: pd.Series(docs, index=range(5, 5 + len(docs)), dtype=object) for query, docs in LISTS.items()},
        # Columns are read by position, whatever their index.
        {
            name: pd.Series(column, index=range(place, place + 4))
            for place, (name, column) in enumerate(COLUMNS.items())
        },
        {name: pl.Series(column) for name, column in COLUMNS.items()},
        {**COLUMNS, "score": pd.Series(COLUMNS["score"])},
    ],
    ids=lambda run: type(next(iter(run.values()))).__module__.partition(".")[0],
)
def test_dicts_of_series(run: Any) -> None:
    pd.testing.assert_frame_equal(ltr_sql.evaluate(run, MEASURES, qrels=QRELS), EXPECTED)
    evaluator = ltr_sql.Evaluator(MEASURES, {query: pd.Series(found) for query, found in QRELS.items()})
    pd.testing.assert_frame_equal(evaluator.evaluate(run), EXPECTED)
    both = ltr_sql.evaluate({"x": run, "y": RUN}, MEASURES, qrels=QRELS)
    assert both[MEASURES].to_numpy().tolist() == [EXPECTED[MEASURES].iloc[0].tolist()] * 2


@pytest.mark.parametrize(
    "series", [pd.Series([7, 3]), pd.Series([1.0], index=pd.MultiIndex.from_tuples([("q1", "a")]))]
)
def test_series_of_numbers_need_ids(series: Any) -> None:
    with pytest.raises(InputError, match=r"the Series of q1 has numbers, and no ids of documents as its index: set"):
        ltr_sql.evaluate({"q1": series}, ["RR"], qrels=QRELS)


RANKS = pd.DataFrame(COLUMNS).assign(rank=[1, 2, 3, 1])


@pytest.mark.parametrize(
    "listed",
    [
        LISTS,
        RANKS.drop(columns="score"),
        # Ranks count, and not the scores beside them.
        RANKS.assign(score=[1, 2, 3, 4]),
        RANKS.drop(columns="score").astype(str).iloc[::-1],
        pl.from_pandas(RANKS.drop(columns="score")),
    ],
)
@pytest.mark.parametrize("ties", ["docid_desc", "expected", "row_order"])
def test_runs_of_ranks_beside_runs_of_scores(listed: Any, ties: str) -> None:
    runs = {"listed": listed, "scored": RUN, "float32": pd.DataFrame(COLUMNS).astype({"score": "float32"})}
    chosen = ["RR", "nDCG@2"] if ties == "expected" else MEASURES
    found = ltr_sql.evaluate(runs, chosen, qrels=QRELS, ties=ties)
    assert found[chosen].to_numpy().tolist() == [EXPECTED[chosen].iloc[0].tolist()] * 3


def test_a_list_beside_a_run_in_files(tmp_path: Path) -> None:
    (tmp_path / "lists.json").write_text('{"q1": ["a", "b", "c"], "q2": ["b"]}', encoding="utf-8")
    (tmp_path / "qrels.json").write_text('{"q1": {"b": 2, "c": 1}, "q2": {"b": 1}}', encoding="utf-8")
    pd.DataFrame(ROWS).assign(q0="Q0", rank=1, tag="t")[[0, "q0", 1, "rank", 2, "tag"]].to_csv(
        tmp_path / "scored.txt", sep=" ", header=False, index=False
    )
    files = [str(tmp_path / name) for name in ("qrels.json", "lists.json", "scored.txt")]
    result = CliRunner().invoke(main, ["evaluate", *files, "-m", "RR,NumRet", "--format", "csv"])
    assert result.stdout == "system,queries,RR,NumRet\nlists,2,0.75,4.0\nscored,2,0.75,4.0\n"


@pytest.mark.parametrize("ranks", [[1, 2, 4, 1], [0, 1, 2, 0], [1, 1, 3, 1], [1, 2.5, 3, 1], [1, 2, None, 1]])
def test_other_ranks_beside_scores_are_refused(ranks: list[float]) -> None:
    runs = {"ranked": RANKS.drop(columns="score").assign(rank=ranks), "scored": RUN}
    with pytest.raises(InputError, match="some runs have only scores, and others have ranks that are not 1, 2, 3"):
        ltr_sql.evaluate(runs, ["RR"], qrels=QRELS)


def test_values_of_scores_are_not_made_from_ranks() -> None:
    runs = {"listed": LISTS, "scored": RUN}
    fused = ltr_sql.fuse(runs, "rrf")
    pd.testing.assert_frame_equal(fused, ltr_sql.fuse({"listed": RUN, "scored": RUN}, "rrf"))
    only_ranks = ".: some runs have only ranks: pass scores for all of them"
    with pytest.raises(InputError, match=f"method='comb_sum' reads scores{only_ranks}"):
        ltr_sql.fuse(runs, "comb_sum")
    with pytest.raises(InputError, match=f"measure 'Pearson' compares scores{only_ranks}"):
        ltr_sql.agreement(runs, measures=["Pearson"])
    with pytest.raises(InputError, match="method='mean' reads the scores of chunks"):
        ltr_sql.group_documents(runs, method="mean", parents={"a": "x"})


TABLE = pa.Table.from_pandas(pd.DataFrame(COLUMNS))


class IcebergScan:
    """The scan of a table of pyiceberg, and the tables of Daft and Snowpark."""

    def to_arrow(self) -> Any:
        return TABLE


class DeltaTable:
    """A table of deltalake."""

    def to_pyarrow_dataset(self) -> Any:
        return pads.dataset(TABLE)

    def to_pyarrow_table(self) -> Any:
        raise AssertionError


class Dataset:
    """A data set of Hugging Face."""

    column_names = tuple(COLUMNS)

    def with_format(self, name: str) -> "Dataset":
        assert name == "arrow"
        return self

    def __getitem__(self, rows: slice) -> Any:
        assert rows == slice(None)
        return TABLE

    def __len__(self) -> int:
        return len(TABLE)


@pytest.mark.parametrize("table", [IcebergScan(), DeltaTable(), Dataset()], ids=lambda table: type(table).__name__)
def test_tables_of_other_libraries(table: Any) -> None:
    found = ltr_sql.evaluate(table, MEASURES, qrels=QRELS)
    pd.testing.assert_frame_equal(found, EXPECTED)
    assert ltr_sql.evaluate({"x": table}, ["RR"], qrels=QRELS)["RR"].tolist() == [0.75]
    judged = ltr_sql.evaluate(RUN, ["NumRel"], qrels=table, qrels_columns={"score": "relevance"})
    assert judged["NumRel"].tolist() == [3.0]


class DatasetDict(dict[str, Dataset]):
    """Splits of a data set of Hugging Face."""

    def with_format(self, name: str) -> "DatasetDict":
        raise AssertionError(name)


class IterableDataset:
    """A data set of Hugging Face that is streamed."""

    column_names = None

    def with_format(self, name: str) -> "IterableDataset":
        raise AssertionError(name)


SPLITS = DatasetDict(train=Dataset(), test=Dataset())


def test_splits_are_no_runs() -> None:
    """Each would be a system that lacks the queries of the others."""
    said = r" cannot be read from DatasetDict, which has the splits 'train', 'test': pass one .* as dataset\['test'\]"
    with pytest.raises(InputError, match=f"^the rankings{said}"):
        ltr_sql.evaluate(SPLITS, ["RR"], qrels=QRELS)
    with pytest.raises(InputError, match=f"^the judgments{said}"):
        ltr_sql.evaluate(RUN, ["RR"], qrels=SPLITS)
    assert ltr_sql.evaluate(SPLITS["test"], ["RR"], qrels=QRELS)["RR"].tolist() == [0.75]


@pytest.mark.slow
def test_splits_elsewhere() -> None:
    with pytest.raises(InputError, match="which has the splits 'only': pass one of them, such as dataset"):
        ltr_sql.Evaluator(["RR"], DatasetDict(only=Dataset()))
    with pytest.raises(InputError, match="the rankings cannot be read from DatasetDict"):
        ltr_sql.compare({"a": RUN, "b": SPLITS}, ["RR"], qrels=QRELS)
    with pytest.raises(InputError, match="read from IterableDataset, whose rows are streamed: pass list"):
        ltr_sql.evaluate(IterableDataset(), ["RR"], qrels=QRELS)


class Column:
    """An object whose Arrow data is no table, such as a column of polars."""

    def to_arrow(self) -> Any:
        return pa.array([1])


class IcebergTable:
    """A table of pyiceberg."""

    def scan(self) -> Any:
        return IcebergScan()


@pytest.mark.parametrize(
    ("given", "advice"), [(Column(), "pass a path"), (object(), "pass a path"), (IcebergTable(), "pass its scan\\(\\)")]
)
def test_objects_that_are_no_tables(given: Any, advice: str) -> None:
    with pytest.raises(InputError, match=f"the rankings cannot be read from {type(given).__name__}: {advice}"):
        ltr_sql.evaluate(given, ["RR"], qrels=QRELS)

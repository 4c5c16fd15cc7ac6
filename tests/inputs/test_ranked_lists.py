"""Matrices and lists of documents, and arrays of other libraries, against the dict of dicts with the same ranking."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ltr_sql
from ltr_sql import Evaluator, InputError, evaluate, from_lists

QRELS = {"u1": {"3": 1, "7": 2}, "u2": {"5": 1}, "u3": {"9": 1}}
MEASURES = ["nDCG@10", "P@2", "RR", "NumRet"]
# u2 has two documents, and u3 none.
MATRIX = np.array([[7, 1, 3], [2, 5, -1], [-1, -1, -1]])
USERS = ["u1", "u2", "u3"]
LISTS = {"u1": ["7", "1", "3"], "u2": ["2", "5"], "u3": []}
EXPECTED = {"u1": {"7": 3.0, "1": 2.0, "3": 1.0}, "u2": {"2": 2.0, "5": 1.0}}


class Tensor:
    """The part of a tensor of PyTorch that is read: an array on a device, with a gradient."""

    def __init__(self, values: Any, dtype: str = "torch.float32", device: str = "cuda", grad: bool = True) -> None:
        self._values = np.asarray(values)
        self.dtype, self.device, self.grad = dtype, device, grad
        self.shape = self._values.shape

    def detach(self) -> "Tensor":
        return Tensor(self._values, self.dtype, self.device, grad=False)

    def cpu(self) -> "Tensor":
        return Tensor(self._values, self.dtype, "cpu", self.grad)

    def float(self) -> "Tensor":
        return Tensor(self._values, "torch.float32", self.device, self.grad)

    def __len__(self) -> int:
        return len(self._values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.device != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()")
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self._values


class Shared:
    """An array that only shares its memory, by DLPack."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)
        self.shape = self._values.shape

    def __len__(self) -> int:
        return len(self._values)

    def __dlpack__(self, **options: Any) -> Any:
        return self._values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._values.__dlpack_device__()


LIBRARIES = [np.asarray, Tensor, Shared]


def _values(run: Any, qrels: Any = QRELS, **options: Any) -> pd.DataFrame:
    frame: pd.DataFrame = evaluate(run, MEASURES, qrels=qrels, missing="zero", by_query=True, check=False, **options)
    return frame


def _same(run: Any, **options: Any) -> None:
    pd.testing.assert_frame_equal(_values(run, **options), _values(EXPECTED))


@pytest.mark.parametrize("library", [*LIBRARIES, np.ndarray.tolist, lambda matrix: [*map(Tensor, matrix)]])
@pytest.mark.parametrize("queries", [USERS, np.array(USERS), pd.Series(USERS)], ids=["list", "array", "series"])
def test_matrices(library: Any, queries: Any) -> None:
    run = from_lists(library(MATRIX), queries, pad=-1)
    assert [*run.columns] == ["query_id", "doc_id", "rank"]
    assert [*run["rank"]] == [1, 2, 3, 1, 2]
    assert run["doc_id"].dtype == np.int64
    _same(run)


def test_padding_is_left_out_where_it_stands() -> None:
    run = from_lists([[None, "7", "1", float("nan"), "3"], ["2", "none", "5"]], ["u1", "u2"], pad="none")
    assert [*zip(run["doc_id"], run["rank"], strict=True)] == [("7", 1), ("1", 2), ("3", 3), ("2", 1), ("5", 2)]
    _same(run)


def test_a_matrix_with_nan_holds_integers() -> None:
    run = from_lists(np.where(MATRIX < 0, np.nan, MATRIX), USERS)
    assert run["doc_id"].tolist() == [7, 1, 3, 2, 5]
    _same(run)


def test_queries_are_numbered_by_default() -> None:
    assert from_lists([["a", "b"], ["c"]])["query_id"].tolist() == [0, 0, 1]
    assert from_lists([[], []]).empty


@pytest.mark.parametrize("library", [*LIBRARIES, np.ndarray.tolist])
def test_scores_rank_the_documents(library: Any) -> None:
    """The matrix is not in the order of the scores."""
    shuffled, scores = np.array([[1, 3, 7], [5, -1, 2]]), np.array([[2.0, 1, 3], [1, 9, 2]])
    run = from_lists(library(shuffled), USERS[:2], scores=library(scores), pad=-1)
    assert [*run.columns] == ["query_id", "doc_id", "score"]
    _same(run)


def test_tied_scores_in_the_order_of_the_list() -> None:
    run = from_lists([["7", "1", "3"], ["2", "5"]], ["u1", "u2"], scores=[[0.5, 0.5, 0.5], [1.0, 1.0]])
    _same(run, ties="row_order")


def test_systems_of_matrices() -> None:
    runs = {"als": from_lists(MATRIX, USERS, pad=-1), "lists": LISTS}
    frame = evaluate(runs, MEASURES, qrels=QRELS, check=False)
    expected = evaluate(EXPECTED, MEASURES, qrels=QRELS, check=False)
    assert frame["system"].tolist() == ["als", "lists"]
    for row in (0, 1):
        assert frame[["queries", *MEASURES]].iloc[row].tolist() == expected.iloc[0].tolist()


@pytest.mark.parametrize("listed", [list, tuple, np.array, Tensor, Shared])
def test_dicts_of_lists(listed: Any) -> None:
    _same({query: listed([*map(int, documents)]) for query, documents in LISTS.items()})


@pytest.mark.slow
def test_a_dict_of_lists_equals_a_dict_of_dicts_everywhere() -> None:
    evaluator = Evaluator(MEASURES, QRELS, missing="zero", check=False)
    pd.testing.assert_frame_equal(evaluator.evaluate(LISTS), evaluator.evaluate(EXPECTED))
    systems = [{"a": run, "b": {**run, "u3": last}} for run, last in ((LISTS, ["9"]), (EXPECTED, {"9": 1.0}))]
    compared = [ltr_sql.compare(runs, ["nDCG"], qrels=QRELS, check=False) for runs in systems]
    pd.testing.assert_frame_equal(*compared)
    shown = [evaluate(run, ["Novelty@3"], history={"u1": ["1"], "u2": {"4"}}, check=False) for run in (LISTS, EXPECTED)]
    pd.testing.assert_frame_equal(*shown)


@pytest.mark.parametrize("documents", [list, set, frozenset, tuple])
def test_judgments_as_lists_are_relevant_documents(documents: Any) -> None:
    """The form of sentence-transformers: query id -> set of relevant documents."""
    binary = {query: dict.fromkeys(found, 1) for query, found in QRELS.items()}
    relevant = {query: documents(found) for query, found in QRELS.items()}
    pd.testing.assert_frame_equal(_values(LISTS, relevant), _values(LISTS, binary))


@pytest.mark.parametrize("library", [*LIBRARIES, np.ndarray.tolist])
def test_dicts_of_columns(library: Any) -> None:
    frame = from_lists(MATRIX, USERS, pad=-1)
    _same({name: frame[name].tolist() if name == "query_id" else library(frame[name].to_numpy()) for name in frame})
    renamed = {"user": frame["query_id"].tolist(), "item": library(frame["doc_id"].to_numpy()), "rank": frame["rank"]}
    _same({**renamed, "rank": library(frame["rank"].to_numpy())}, columns={"user": "query_id", "item": "doc_id"})


def test_tensors_of_16_bits() -> None:
    columns = {"query_id": ["u1", "u1", "u2", "u2"], "doc_id": ["7", "3", "2", "5"], "score": [2.0, 1, 2, 1]}
    tensors = {**columns, "score": Tensor(columns["score"], "torch.bfloat16")}
    pd.testing.assert_frame_equal(_values(tensors), _values(columns))


@pytest.mark.default("asarray")
@pytest.mark.parametrize("library", LIBRARIES)
def test_labels(library: Any) -> None:
    labels, scores = np.array([[0, 2, 1], [1, 0, 0]]), np.array([[0.1, 0.9, 0.8], [0.3, 0.4, 0.2]])
    plain = Evaluator.from_labels(["nDCG", "RR"], labels.ravel(), [3, 3]).evaluate(scores.ravel(), by_query=True)
    matrix = Evaluator.from_labels(["nDCG", "RR"], library(labels))
    pd.testing.assert_frame_equal(matrix.evaluate(library(scores), by_query=True), plain)
    flat = Evaluator.from_labels(
        ["nDCG", "RR"], library(labels.ravel()), library(np.array([3, 3])), weights=library(np.array([1.0, 1.0]))
    )
    pd.testing.assert_frame_equal(flat.evaluate(library(scores.ravel()), by_query=True), plain)


@pytest.mark.parametrize(
    ("lists", "options", "message"),
    [
        ([["a"], ["b"]], {"queries": ["q"]}, "queries must hold one id per row of lists: it has 1 for 2 rows"),
        ([["a"], ["b"]], {"queries": ["q", "q"]}, "queries has the id q 2 times: pass one list per query"),
        (np.zeros(3), {}, r"lists must be a matrix, queries x documents, got an array of shape \(3,\)"),
        (["a", "b"], {}, "lists must be a matrix, or a list with one list per query, got list of str"),
        (np.array([[0.5]]), {}, "the matrix must hold ids, got the number 0.5: pass scores as scores="),
        (
            [["a", "b"]],
            {"scores": [[1.0]]},
            "scores must have the shape of lists, got 1 x 1 scores for 1 x 2 documents",
        ),
    ],
)
def test_wrong_matrices(lists: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        from_lists(lists, **options)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"q": {"a", "b"}}, "the documents of query q are a set, which has no order: pass a list, the best document"),
        (
            {"q": [("a", 1.0)]},
            r"the list of query q holds \('a', 1.0\), which is not the id of a document: pass a list",
        ),
        ({"q": [{"id": "a"}]}, "the list of query q holds {'id': 'a'}, which is not the id of a document"),
        ({"q": [0.5, 0.1]}, "the list of query q holds 0.5, which is not the id of a document"),
        (
            MATRIX,
            "the rankings cannot be read from ndarray: for a matrix or lists of documents, one per query, pass",
        ),
        ([["a"]], r"the rankings cannot be read from list: .* pass ltr_sql.from_lists\(lists, queries\)"),
        (
            {"query_id": np.array(USERS), "doc_id": MATRIX},
            r"the arrays of a dict must have the same length, got query_id \(3,\), doc_id \(3, 3\). For a matrix of",
        ),
        ({"query_id": ["q"], "item": [1]}, "missing columns? doc_id"),
    ],
)
def test_wrong_runs(run: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(run, ["P@1"], qrels=QRELS)


def test_wrong_labels() -> None:
    with pytest.raises(InputError, match="pass group, or labels as a matrix with one row per query"):
        Evaluator.from_labels(["RR"], [1, 0])

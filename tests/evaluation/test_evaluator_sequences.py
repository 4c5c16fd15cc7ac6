"""Random sequences of calls of an evaluator: each call returns what `evaluate` returns for its run.

A sequence draws types of scores, data frames, orders of rows, changes of inputs in place, threads, forks and copies.
"""

import copy
import os
import pickle
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from support.evaluators import SCORE_TYPES, assert_same, in_fork, outcome
from support.strategies import MORE

import ltr_sql
from ltr_sql import Evaluator
from ltr_sql.inputs.containers import column_names

MEASURES = ["AP", "nDCG@3", "P@2", "Bpref", "NumRet", "RR"]
SETTINGS = 16
# Scores of the runs: some are tied, and no two rankings are equal.
SCORES = np.random.default_rng(0).integers(0, 6, size=(4, 19)).astype(float)


KEPT_TYPES = ("float64", "float32", "int8", "int32")
LIBRARIES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "pandas objects": lambda frame: frame.astype({"query_id": object, "doc_id": object}),
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "arrays": lambda frame: {n: frame[n].to_numpy(dtype=object if "id" in n else None).copy() for n in frame.columns},
    "lists": lambda frame: frame.to_dict("list"),
    "dicts": lambda frame: {
        str(query): dict(zip(rows["doc_id"], rows.iloc[:, 2].tolist(), strict=True))
        for query, rows in frame.groupby("query_id")
    },
}


def written(frame: pd.DataFrame, folder: Path) -> str:
    frame.to_csv(folder / "qrels.csv", index=False)
    return os.path.relpath(folder / "qrels.csv")


JUDGMENTS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas": lambda frame, _: frame,
    "polars": lambda frame, _: pl.from_pandas(frame),
    "pyarrow": lambda frame, _: pa.Table.from_pandas(frame, preserve_index=False),
    "dicts": lambda frame, _: LIBRARIES["dicts"](frame),
    "reader": lambda frame, _: pa.Table.from_pandas(frame, preserve_index=False).to_reader(),
    "relation": lambda frame, _: duckdb.from_df(frame),
    "relative path": written,
}


class Setting:
    """Documents, judgments and options of an evaluator, drawn from a number. Its sequences share values."""

    def __init__(self, number: int) -> None:
        rng = random.Random(number)
        rows = [(f"q{query}", f"d{document}") for query in range(3) for document in range(rng.choice([2, 6]))]
        self.documents = pd.DataFrame(rows, columns=["query_id", "doc_id"])
        judged = self.documents.sample(frac=0.6, random_state=number)
        judged["relevance"] = [rng.choice([0, 0, 1, 2, 3]) for _ in range(len(judged))]
        self.judged = judged.reset_index(drop=True)
        self.measures = rng.sample(MEASURES, 2)
        self.options: dict[str, Any] = {"ties": rng.choice(["docid_desc", "docid_desc", "row_order", "best"])}
        self.options["missing"] = rng.choice(["zero", "skip"])
        if rng.random() < 0.4 and "nDCG@3" in self.measures:
            self.options["gains"] = {1: 1.0, 2: 4.0, 3: 9.0}
        if rng.random() < 0.2:
            self.options["weights"] = {f"q{query}": float(query + 1) for query in range(3)}
        self._values: dict[tuple[Any, ...], Any] = {}

    def values(self, run: Any, kind: str, by_query: bool) -> Any:
        """Return the outcome of `evaluate`. It is computed once for equal runs.

        `kind` is the type of the scores. Runs with scores of a type that is kept are equal if their numbers are equal.
        """
        key = (by_query, content(run), None if kind in KEPT_TYPES else (kind, type(run)))
        if key not in self._values:
            options = {name: value for name, value in self.options.items() if not (by_query and name == "weights")}
            call = comparable(ltr_sql.evaluate)
            self._values[key] = outcome(call, run, self.measures, qrels=self.judged, by_query=by_query, **options)
        return self._values[key]


@cache
def setting(number: int) -> Setting:
    return Setting(number)


@dataclass
class Sequence:
    """One sequence: an evaluator, and the inputs that it was made from.

    Most sequences take over the evaluator of an earlier sequence of their setting, with all that it keeps. Most runs
    have the same documents in the same order, so they are kept. The others differ in the documents, the type of the
    scores, or the data frame.
    """

    random: random.Random
    folder: Path
    thread: ThreadPoolExecutor
    # By setting, the sequence whose evaluator was used last.
    earlier: dict[int, "Sequence"]
    history: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.given: dict[str, Any]
        self.qrels: Any
        self.evaluator: Evaluator
        number = self.draw("setting", range(SETTINGS))
        self.setting = setting(number)
        if number in self.earlier and not self.one_in(16):
            earlier = self.earlier[number]
            self.history.append("evaluator of an earlier sequence")
            self.given, self.qrels, self.evaluator = earlier.given, earlier.qrels, earlier.evaluator
        else:
            self.given = copy.deepcopy(self.setting.options)
            kind = self.draw("judgments", JUDGMENTS)
            self.qrels = JUDGMENTS[kind](self.setting.judged.copy(), self.folder)
            self.evaluator = Evaluator(self.setting.measures, self.qrels, **self.given)
        self.earlier[number] = self
        self.library = self.draw("most runs", ["pandas", "pandas", "pandas objects", "polars", "pyarrow"])
        self.mostly_by_query = self.random.random() < 0.5
        # A fork costs more than all other calls of a sequence, and each thread keeps its own documents.
        others = [["a thread"] * 8, ["a thread", "a fork", "a copy"], [], [], [], []]
        self.places = ["here"] * 8 + self.random.choice(others)
        self.run: Any = None
        self.kind = ""

    def draw(self, what: str, choices: Any) -> Any:
        chosen = self.random.choice([*choices])
        self.history.append(f"{what}: {chosen}")
        return chosen

    def one_in(self, number: int) -> bool:
        return self.random.randrange(number) == 0

    def new_run(self) -> None:
        documents, library = self.setting.documents, self.library
        order, self.kind = "same", self.draw("scores", KEPT_TYPES)
        if self.one_in(7):
            what = self.draw("different", ["rows", "scores", "scores", "library"])
            if what == "rows":
                order = self.draw("rows", ["reversed", "shuffled", "fewer", "a document twice"])
            elif what == "scores":
                self.kind = self.draw("scores", SCORE_TYPES)
            else:
                library = self.draw("library", LIBRARIES)
        if order == "reversed":
            documents = documents.iloc[::-1]
        elif order == "shuffled":
            documents = documents.sample(frac=1, random_state=self.random.randrange(2))
        elif order == "fewer":
            documents = documents.iloc[1:]
        elif order == "a document twice":
            documents = pd.concat([documents, documents.iloc[[self.random.choice([0, -1])]]])
        documents = documents.reset_index(drop=True)
        values = SCORES[self.draw("values", range(len(SCORES)))][: len(documents)]
        frame = documents.assign(score=SCORE_TYPES[self.kind](values))
        try:
            self.run = LIBRARIES[library](frame)
        except (ValueError, TypeError, pl.exceptions.PolarsError, pa.ArrowException):
            # The library does not have this type.
            self.run = frame

    def change_run(self) -> None:
        """Change the last run in place."""
        if isinstance(self.run, pd.DataFrame):
            row, other = self.run.index[0], self.run.index[-1]
            if self.random.random() < 0.5:
                self.run.loc[row, "doc_id"] = "new"
            else:
                self.run.loc[row, "score"] = self.run.loc[other, "score"]
        elif isinstance(self.run, dict) and isinstance(self.run.get("score"), np.ndarray):
            self.run["score"][0] = self.run["score"][-1]
        self.history.append("changed run")

    def change_inputs(self) -> None:
        """Change what the evaluator was made from."""
        if isinstance(self.qrels, pd.DataFrame):
            self.qrels.loc[:, "relevance"] = 7
        elif isinstance(self.qrels, dict):
            self.qrels.clear()
        elif isinstance(self.qrels, str):
            Path(self.qrels).write_text("query_id,doc_id,relevance\nq9,d9,1\n", encoding="utf-8")
        for name in ("gains", "weights"):
            for key in self.given.get(name, {}):
                self.given[name][key] = 100.0
        self.history.append("changed inputs")

    def compare(self) -> None:
        """Compare the values of the run with those of `evaluate`."""
        by_query = self.mostly_by_query != self.one_in(5)
        wanted = self.setting.values(self.run, self.kind, by_query)
        where = self.draw("where", self.places)
        if where == "a thread":
            self.thread.submit(self.check, by_query, wanted).result()
        # The threads of polars do not exist in a forked process.
        elif where == "a fork" and hasattr(os, "fork") and not isinstance(self.run, pl.DataFrame):
            assert in_fork(lambda: self.check(by_query, wanted)), "the forked process failed"
        elif where == "a copy":
            self.evaluator = pickle.loads(pickle.dumps(self.evaluator))
        if where != "a thread":
            self.check(by_query, wanted)

    def check(self, by_query: bool, wanted: Any) -> None:
        assert_same(outcome(comparable(self.evaluator.evaluate), self.run, by_query=by_query), wanted)

    def step(self) -> None:
        if self.run is None or not self.one_in(6):
            self.new_run()
        elif self.one_in(2):
            self.change_run()
        if self.one_in(7):
            self.change_inputs()
        self.compare()


def content(run: Any) -> str:
    """Return the columns of a run as text. Equal numbers of different types have equal texts."""
    if isinstance(run, dict):
        return f"dict {run}"
    columns = {name: run[name].to_pylist() if isinstance(run, pa.Table) else [*run[name]] for name in column_names(run)}
    return repr({name: [*map(as_double, values)] for name, values in columns.items()})


def as_double(value: Any) -> Any:
    """Return a number as a double if this does not change it."""
    return float(value) if isinstance(value, int | float) and value == float(value) else value


def comparable(function: Callable[..., Any]) -> Callable[..., pd.DataFrame]:
    """Return a function whose data frames are of pandas."""

    def call(*arguments: Any, **options: Any) -> pd.DataFrame:
        found = function(*arguments, **options)
        return found if isinstance(found, pd.DataFrame) else found.to_pandas()

    return call


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.parametrize(
    "seeds",
    [range(4, 8), pytest.param(range(10_000, 10_000 + 50 * MORE), marks=pytest.mark.slow)],
    ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}",
)
def test_sequences(seeds: range, tmp_path: Path) -> None:
    earlier: dict[int, Sequence] = {}
    with ThreadPoolExecutor(1) as thread:
        for seed in seeds:
            folder = tmp_path / str(seed)
            folder.mkdir()
            found = Sequence(random.Random(seed), folder, thread, earlier)
            try:
                for _ in range(5):
                    found.step()
            except BaseException as error:
                error.add_note(f"seed {seed}: {'; '.join(found.history)}")
                raise

"""The rows that measures aggregate: `sql/row_sources/`, and the tables that these read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ltr_sql.catalogue.files import SQL_FOLDER, header_and_body

# The shapes of relations that measures read, with their columns in addition to keys and query_id.
SHAPES = {
    "rankings": ("rank", "relevance"),
    "covers": ("rank", "relevance", "doc_id", "subtopic"),
    "pairs": ("rank_a", "rank_b"),
    "scored_pairs": ("rank_a", "rank_b", "score_a", "score_b"),
}


# The shape of a run, whose lists measures beyond accuracy read.
LISTS = "lists"


# The tables that measures beyond accuracy may read besides the run: their ids, and their other columns with types.
TABLES: Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
    "documents": (
        ("doc_id",),
        {"category": "text", "popularity": "number", "group": "text", "weight": "number", "vector": "numbers"},
    ),
    "history": (("query_id", "doc_id"), {}),
    "targets": ((), {"query_id": "text", "group": "text", "share": "number"}),
    "qrels": (("query_id", "doc_id"), {"relevance": "number"}),
    "baseline": (("query_id", "doc_id"), {"rank": "number", "score": "number"}),
}


# Columns of `TABLES` that measures read if a table has them, but never require.
OPTIONAL_COLUMNS = {"documents": "weight", "targets": "query_id"}


# The rows of the row source `documents` that a measure may read, from most to fewest.
ROWS = ("all", "counted", "judged", "relevant")


def reads_num_ret(rows: str) -> bool:
    """Return whether the number of retrieved documents is read with these rows."""
    return rows in ("all", "counted")


@dataclass(frozen=True)
class RowSource:
    """The rows that measures aggregate, as defined by a file in `sql/row_sources/`.

    - `input`: shape of the relation that it reads (see `SHAPES`), or `LISTS`.
    - `rows`: sets of rows that a measure may choose from (see `ROWS`).
    - `recursive`: true if its CTEs refer to themselves.
    - `by_rank`: names of columns for breaking measures down by rank. The entry `rank` names the column with the rank of
      a row. The entry `reads` names a column. Aggregates that read it are computed down to each rank; other
      aggregates are computed over the whole query.
    - `body`: template of its CTEs.
    - `over`: 'query' if measures have a value for each query, 'run' if they have one for the whole run.
    - `tables`: the tables of `TABLES` that it reads.
    - `reads_ranks`: true if it reads the ranks of lists, and not only whether a document is in the top k.
    - `without_lists`: true if it has rows for queries without a list, which a bootstrap over lists cannot draw.
    - `strata`: true if it reads subtopics as the strata of sampled judgments.
    """

    name: str
    summary: str
    input: str
    rows: tuple[str, ...]
    recursive: bool
    by_rank: Mapping[str, str] = field(hash=False)
    body: str
    over: str = "query"
    tables: tuple[str, ...] = ()
    reads_ranks: bool = False
    without_lists: bool = False
    strata: bool = False

    @property
    def paired(self) -> bool:
        """True if it compares two rankings."""
        return self.input in ("pairs", "scored_pairs")


@cache
def row_sources() -> dict[str, RowSource]:
    """Return the row sources by name."""
    paths = sorted((SQL_FOLDER / "row_sources").rglob("*.sql"), key=lambda path: path.stem)
    return {path.stem: _row_source(path) for path in paths}


def _row_source(path: Path) -> RowSource:
    header, body = header_and_body(path)
    return RowSource(
        name=path.stem,
        summary=" ".join(header["summary"].split()),
        input=header["input"],
        rows=tuple(header.get("rows", ("relevant",))),
        recursive=header.get("recursive", False),
        by_rank=header.get("by_rank", {}),
        body=body,
        over=header.get("over", "query"),
        tables=tuple(header.get("tables", ())),
        reads_ranks=header.get("reads_ranks", False),
        without_lists=header.get("without_lists", False),
        strata=header.get("strata", False),
    )

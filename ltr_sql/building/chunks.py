"""Turn runs of chunks into runs of documents."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import duckdb

from ltr_sql.building.call import Call, build
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.inputs.dicts import is_dict_of_columns


@takes(Reading)
def group_documents(
    run: Any,
    parents: Any = None,
    *,
    parent: str | None = None,
    method: str = "max",
    keys: Sequence[str] = (),
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return a run of documents, made from a run of chunks such as passages, pages or variants of a product.

    - `run`: a run whose doc_id is a chunk, in any form that `evaluate` accepts. Rank decides the order if the run has
      rank and score; equal scores are ordered by descending doc_id.
    - `parents`: the document of each chunk: a dict of chunk -> document, or a table with the columns chunk_id and
      doc_id. It may have chunks that the run lacks.
    - `parent`: a column of the run that holds the document of each chunk, in place of `parents`. Without both, doc_id
      is the document, and each of its rows is a chunk.
    - `method`: the score of a document: 'max', 'sum' or 'mean' of the scores of its chunks; or, from their ranks,
      'first' (1 / the best rank) or 'rrf' (the sum of 1 / (60 + rank)).
    - `keys`: grouping columns. `system` is always one, if the run has it.
    - `con`, `**reading`: see `evaluate`.

    Returns a data frame that `evaluate` accepts as a run: polars or pyarrow if such a table was passed in, otherwise
    pandas. Its columns:

    - the keys, query_id;
    - rank: by descending score. Equal scores are ordered by descending doc_id, as in trec_eval;
    - doc_id: the document, as text;
    - score; chunks: number of chunks of the document in the run.

    Raises InputError for a chunk without a document or with two, for a chunk that a ranking holds twice, and for a
    method that reads scores if there are none. Source: `reference` in the headers of sql/grouping/.

    >>> chunks = {"q": {"c1": 0.9, "c2": 0.8, "c3": 0.7}}
    >>> parents = {"chunk_id": ["c1", "c2", "c3"], "doc_id": ["x", "x", "y"]}
    >>> ltr_sql.group_documents(chunks, parents=parents)
      query_id  rank doc_id  score  chunks
    0        q     1      x    0.9       2
    1        q     2      y    0.7       1
    """
    if isinstance(parents, Mapping) and not is_dict_of_columns(parents, ("chunk_id",)):
        parents = {"chunk_id": [*parents], "doc_id": [*parents.values()]}
    return build(
        Call(
            name="group_documents",
            given=run,
            methods=[method],
            tables={"parents": parents},
            values={"parent": parent},
            keys=keys,
            reading=reading,
            role="run",
        ),
        con,
    )

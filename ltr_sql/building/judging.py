"""Build judgments: pools, raters, and documents from chunks."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import duckdb

from ltr_sql.building.call import Call, build
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.inputs.containers import is_dict_of_columns


@takes(Reading)
def pool(
    runs: Any,
    *,
    depth: int = 100,
    budget: int | None = None,
    strategy: str = "depth",
    p: float | None = None,
    qrels: Any = None,
    compared: str = "system",
    keys: Sequence[str] = (),
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return the documents to judge: the pooled top documents of several runs, by priority.

    - `runs`: several systems in any form that `evaluate` accepts: a dict of name -> run, or a table with the
      column of systems that `compared` names. Equal scores are ordered by descending doc_id.
    - `depth`: the number of documents that each run contributes to a query.
    - `budget`: the largest number of documents per query. None keeps all.
    - `strategy`: the priority of documents: 'depth' (best rank first), 'rbp' (largest sum over runs of the weight in
      rank-biased precision) or 'rrf' (largest reciprocal rank fusion score).
    - `p`: persistence of 'rbp', 0.8 by default.
    - `qrels`: existing judgments, which fill the column judged.
    - `keys`: grouping columns, such as collection. Each group has its own pool.
    - `con`: see `evaluate`.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns:

    - the keys, query_id, doc_id, priority (1 = first), best_rank;
    - runs, systems: number and names of the runs that contributed the document;
    - judged: true if `qrels` has the document; false without `qrels`.

    Raises InputError for runs that cannot be pooled. Warns with InputWarning of ids in several Unicode normal forms.
    Source: Spärck Jones & van Rijsbergen 1975; Moffat, Webber & Zobel 2007, SIGIR.

    >>> runs = {"bm25": {"q": ["a", "b"]}, "dense": {"q": ["c", "a"]}}
    >>> ltr_sql.pool(runs, depth=1)[["query_id", "doc_id", "best_rank", "runs"]]
      query_id doc_id  best_rank  runs
    0        q      a          1     1
    1        q      c          1     1
    """
    options = {"depth": depth, "budget": budget, "strategy": strategy, "p": p, "qrels": qrels, "compared": compared}
    return build(Call("pool", runs, options, keys, reading), con)


@takes(Reading)
def unique_documents(
    runs: Any,
    *,
    depth: int = 100,
    qrels: Any = None,
    compared: str = "system",
    keys: Sequence[str] = (),
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return the documents that exactly one run contributed to the pool.

    Remove the unique documents of a run from the judgments to get those of a pool without this run. docs/judging.md
    shows how to evaluate with them.

    - `qrels`: judgments, which fill the column relevance.
    - Other arguments: see `pool`.

    Returns a data frame with the columns keys, query_id, system, doc_id, rank and relevance (NULL = not judged).

    Raises InputError for runs that cannot be pooled. Source: Zobel 1998, SIGIR.

    >>> runs = {"bm25": {"q": ["a", "b"]}, "dense": {"q": ["c", "a"]}}
    >>> ltr_sql.unique_documents(runs, qrels={"q": {"c": 1}})[["system", "doc_id", "rank", "relevance"]]
      system doc_id  rank  relevance
    0   bm25      b     2        NaN
    1  dense      c     1        1.0
    """
    options = {"depth": depth, "qrels": qrels, "compared": compared}
    return build(Call("unique_documents", runs, options, keys, reading), con)


@takes(Reading)
def rater_agreement(
    judgments: Any,
    *,
    rel: float = 1,
    keys: Sequence[str] = (),
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return rater agreement: a row per pair of raters, and one for all raters, where rater_a and rater_b are NULL.

    - `judgments`: a table with the columns query_id, doc_id, rater and relevance, or a dict of rater -> qrels, in any
      form that `evaluate` accepts. Rows with a NULL relevance are ignored.
    - `rel`: the smallest relevant grade, used by overlap.
    - `keys`: grouping columns. The raters of each group are compared separately.
    - `con`: see `evaluate`.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns:

    - the keys, rater_a, rater_b;
    - documents: number of documents that both judged; for all raters, of those with at least two ratings;
    - agreement: share of equal grades;
    - cohen_kappa, kappa_linear, kappa_quadratic: agreement beyond chance, unweighted, and weighted by the absolute or
      squared difference of grades;
    - overlap: number of documents relevant to both, divided by the number relevant to either;
    - mean_difference (b - a), mean_absolute_difference;
    - fleiss_kappa (over the documents that all judged), and Krippendorff's alpha_nominal, alpha_ordinal, alpha_interval
      and alpha_ratio: for all raters, otherwise NULL.

    In the row of all raters, the columns from agreement to mean_absolute_difference are NULL. Undefined values are
    NULL, such as kappa if all grades of both raters are equal.

    Raises InputError for a single rater, and for a rater who judged a document twice. Warns as `pool` does. Source:
    Cohen 1960, 1968; Fleiss 1971; Krippendorff 2004.

    >>> ratings = {"query_id": ["q"] * 4, "doc_id": ["a", "a", "b", "b"]}
    >>> ratings |= {"rater": ["ann", "ben"] * 2, "relevance": [1, 1, 0, 1]}
    >>> ltr_sql.rater_agreement(ratings)[["rater_a", "rater_b", "documents", "agreement"]]
      rater_a rater_b  documents  agreement
    0     ann     ben          2        0.5
    1     NaN     NaN          2        NaN
    """
    return build(Call("rater_agreement", judgments, {"rel": rel}, keys, reading), con)


@takes(Reading)
def rater_confusion(
    judgments: Any,
    *,
    keys: Sequence[str] = (),
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return the confusion table of each pair of raters, in long form.

    - `judgments`, `keys`, `con`: see `rater_agreement`.

    Returns a data frame with the columns keys, rater_a, rater_b, relevance_a, relevance_b, and documents: the number of
    documents to which a gave relevance_a and b gave relevance_b. Pairs of grades without documents are left out.

    Raises InputError as `rater_agreement` does. Source: Cohen 1960.

    >>> ratings = {"query_id": ["q"] * 4, "doc_id": ["a", "a", "b", "b"]}
    >>> ratings |= {"rater": ["ann", "ben"] * 2, "relevance": [1, 1, 0, 1]}
    >>> ltr_sql.rater_confusion(ratings)
      rater_a rater_b  relevance_a  relevance_b  documents
    0     ann     ben          0.0          1.0          1
    1     ann     ben          1.0          1.0          1
    """
    return build(Call("rater_confusion", judgments, {}, keys, reading), con)


@takes(Reading)
def merge_judgments(
    judgments: Any,
    method: str = "majority",
    *,
    ties: str | None = None,
    iterations: int | None = None,
    truth: str | None = None,
    keys: Sequence[str] = (),
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return one judgment for each document that one or more raters judged.

    - `judgments`, `keys`, `con`: see `rater_agreement`.
    - `method`: 'majority', 'mean', 'median', 'max', 'min' or 'dawid_skene' (the most probable grade, given the
      estimated error rates of each rater).
    - `ties`: for 'majority', the rule if several grades have the most votes: 'lower' (the default) takes the lowest,
      'higher' the highest, and 'skip' leaves the document out.
    - `iterations`: for 'dawid_skene', iterations of expectation maximisation; 50 by default.
    - `truth`: for 'dawid_skene', the name of the rater that is right by definition, such as 'human'. Its grades are
      kept, with probability 1. The error rates of the other raters, and the share of each grade, are estimated from
      the documents that it judged, without iterations.

    Returns a data frame that `evaluate` accepts as qrels. Its columns:

    - the keys, query_id, doc_id, relevance;
    - raters: number of raters; agreement: share of the raters who gave this grade;
    - probability: probability of the grade by 'dawid_skene', otherwise NULL. It assumes that raters err independently
      of each other, given the true grade, and alike on all documents. Without `truth`, it also assumes that raters are
      right more often than wrong; with `truth`, that the documents that this rater judged are a random sample.
    - finding: what to know before using the probability, such as iterations that have not converged; NULL if there is
      none.

    Raises InputError for a rater who judged a document twice, and for an option that the method does not read. With
    'dawid_skene', also raises it for a single rater, for judgments without a document that two raters judged, for a
    `truth` that is not a rater, and for a rater that judged no document of `truth`. Warns with InputWarning of
    findings. Source: Dawid & Skene 1979, Applied Statistics 28.

    >>> ratings = {"query_id": ["q"] * 3, "doc_id": ["a"] * 3, "rater": ["ann", "ben", "cy"], "relevance": [1, 1, 0]}
    >>> ltr_sql.merge_judgments(ratings)[["doc_id", "relevance", "raters", "agreement"]]
      doc_id  relevance  raters  agreement
    0      a        1.0       3   0.666667
    """
    options = {"method": method, "ties": ties, "iterations": iterations, "truth": truth}
    return build(Call("merge_judgments", judgments, options, keys, reading), con)


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
    options = {"parents": parents, "parent": parent, "method": method}
    return build(Call("group_documents", run, options, keys, reading), con)

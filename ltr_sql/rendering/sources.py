"""The relations that a query of measures can read."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from ltr_sql.catalogue.row_sources import LISTS, SHAPES
from ltr_sql.rendering.templates import SqlValue


@dataclass(frozen=True)
class Shortcuts:
    """What is known of a run and its judgments, and saves a check or a sort in the query that joins them.

    - `ranking`: how ranks are made from scores. 'sorted' is always right. 'stored' reads the positions of rows that are
      stored in rank order. 'counted' counts the rows above each judged document, which is cheaper for large runs.
    - `scores_checked`: all scores are finite numbers.
    - `duplicates_checked`: no document appears twice, or the caller detects duplicates.
    """

    ranking: str = "sorted"
    scores_checked: bool = False
    duplicates_checked: bool = False


@dataclass(frozen=True)
class Guard:
    """Validation that a query adds to the validation in its row sources.

    - `condition`: SQL in the query's last `where` that raises an error for invalid input.
    - `reads_rows`: true if the condition reads the rows of the input once more.
    - `counts_rows`: true if the row source `documents` counts the rows that it reads, because the
      condition needs this count.
    - `distinct_ranks`: true if no query of the input has a duplicate rank, so the query need not check this.
    """

    condition: str = ""
    reads_rows: bool = False
    counts_rows: bool = False
    distinct_ranks: bool = False


@dataclass(frozen=True)
class Source:
    """A relation that measures read.

    - `relation`: SQL of the relation, as it follows `from`; `shape`: one of `SHAPES`.
    - `queries`: SQL that lists the queries to be measured; empty to measure the queries of the relation.
    - `integers`: its columns of integer types, which cannot contain NaN.
    """

    relation: str
    shape: str
    queries: str = ""
    integers: frozenset[str] = frozenset()
    guard: Guard = Guard()

    @property
    def paired(self) -> bool:
        """True if its rows compare two rankings."""
        return "rank_a" in SHAPES.get(self.shape, ())

    @property
    def by_subtopic(self) -> bool:
        """True if it has one row per document and subtopic."""
        return "subtopic" in SHAPES.get(self.shape, ())

    @property
    def stored(self) -> bool:
        """True for a table or data frame in memory, which is cheap to read twice."""
        return False

    @property
    def has_num_ret(self) -> bool:
        """True if it has the column num_ret, the number of retrieved documents."""
        return False

    @property
    def only_judged(self) -> bool:
        """True if unjudged documents are left out."""
        return False

    @property
    def further_columns(self) -> tuple[str, ...]:
        """Integer columns that `windows` reads."""
        return ()

    @property
    def windows(self) -> tuple[tuple[str, str], ...]:
        """Names and cheaper SQL of window columns of `documents`, from the order or further columns of the relation."""
        return ()


@dataclass(frozen=True)
class Rankings(Source):
    """Rankings from the caller: (query_id, rank, relevance)."""

    shape: str = "rankings"
    stored: bool = True
    has_num_ret: bool = False


@dataclass(frozen=True)
class JudgedRun(Source):
    """A run joined with judgments."""

    shape: str = "rankings"
    has_num_ret: bool = False
    only_judged: bool = False
    further_columns: tuple[str, ...] = ()
    windows: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ScoredTable(Source):
    """Rankings made from a table with scores and relevance."""

    shape: str = "rankings"


@dataclass(frozen=True)
class Pairs(Source):
    """Documents of two rankings: (query_id, rank_a, rank_b)."""

    shape: str = "pairs"
    stored: bool = False


@dataclass(frozen=True)
class GivenTable:
    """A table that measures beyond accuracy read in addition to the run.

    - `relation`: its SQL, as it follows `from`.
    - `has`: names of its columns. In a macro: SQL of a list of the columns that the table must have.
    - `has_rank`: for a run, see `Lists`.
    """

    relation: str
    has: Container[str]
    has_rank: object = False


@dataclass(frozen=True)
class Lists(Source):
    """A run, whose lists measures beyond accuracy read.

    - `has_rank`: whether the run has ranks; a `CallTime` if this is known only when the macro is called.
    - `ties`: the tie-breaking rule.
    - `given`: the caller's tables by their names in `TABLES`; others are read as empty.
    - `depth`: the largest rank that is needed, or None.
    - `unsorted`: lists of at most this number of documents need no ranks, because all documents are in the top k.
      If it is None, no list needs ranks.
    - `exact`: columns that define the order of rows and may have more digits than a double.
    """

    shape: str = LISTS
    has_rank: object = False
    ties: SqlValue = "docid_desc"
    depth: SqlValue = None
    unsorted: SqlValue = 0
    given: Mapping[str, GivenTable] = field(default_factory=dict, hash=False)
    exact: tuple[str, ...] = ()
    shortcuts: Shortcuts = Shortcuts()

"""The relations that a query of measures can read, each a shape of its own."""

from dataclasses import dataclass

from ltr_sql.language.catalogue import SHAPES


@dataclass(frozen=True)
class Facts:
    """Facts about a run and its judgments. Each spares the query that joins them a check or a sort.

    - `in_rank_order`: the rows of the run are stored in rank order, and it has their positions.
    - `scores_checked`: every score is a number.
    - `duplicates_checked`: no document appears twice, or the caller of the query finds out.
    """

    in_rank_order: bool = False
    scores_checked: bool = False
    duplicates_checked: bool = False


@dataclass(frozen=True)
class Guard:
    """What stops a query besides the validation of each row source.

    `condition` is true for rows that may be measured; it stands in the query's last `where`, and `reads_rows` says that
    it reads the rows of the input once more. With `counts_rows` it compares how many rows the row source `documents`
    has read. With `distinct_ranks` no query of the input has a rank twice, so that nothing has to look.
    """

    condition: str = ""
    reads_rows: bool = False
    counts_rows: bool = False
    distinct_ranks: bool = False


@dataclass(frozen=True)
class Source:
    """A relation that measures read.

    `relation` is the SQL behind `from`, `shape` one of `SHAPES`. `queries` is the SQL of the queries to be measured,
    empty if they are those of the relation. `integers` are its columns of whole numbers, which hold no NaN.
    """

    relation: str
    shape: str
    queries: str = ""
    integers: frozenset[str] = frozenset()
    guard: Guard = Guard()

    @property
    def paired(self) -> bool:
        """Whether its rows are documents of two rankings."""
        return "rank_a" in SHAPES[self.shape]

    @property
    def by_subtopic(self) -> bool:
        """Whether it has a row for each document and subtopic."""
        return "subtopic" in SHAPES[self.shape]

    @property
    def stored(self) -> bool:
        """Whether it is a table or data frame in memory, which may be read twice at little cost."""
        return False

    @property
    def has_num_ret(self) -> bool:
        """Whether it has the column num_ret, the number of retrieved documents."""
        return False

    @property
    def only_judged(self) -> bool:
        """Whether it lacks the documents that are not judged."""
        return False


@dataclass(frozen=True)
class Rankings(Source):
    """Rankings as the caller has them: (query_id, rank, relevance)."""

    shape: str = "rankings"
    stored: bool = True
    has_num_ret: bool = False


@dataclass(frozen=True)
class JudgedRun(Source):
    """A run joined with judgments."""

    shape: str = "rankings"
    has_num_ret: bool = False
    only_judged: bool = False


@dataclass(frozen=True)
class ScoredTable(Source):
    """Rankings made from the scores of a table that has relevance as well."""

    shape: str = "rankings"


@dataclass(frozen=True)
class Pairs(Source):
    """The documents of two rankings: (query_id, rank_a, rank_b)."""

    shape: str = "pairs"
    stored: bool = False

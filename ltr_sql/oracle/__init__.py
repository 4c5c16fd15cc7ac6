"""The measures in plain numpy, written from their formulas and computed for one query at a time.

The oracle is independent of the SQL. The tests and `ltr_sql.verify` compare the two.

Each measure takes the rows of ONE query as 1-D sequences of equal length, in any order. It returns a Python float, and
`math.nan` where it is undefined. Measures beyond accuracy take the rows of a run instead. `rank_by_score` and
`pair_with_ideal` return arrays.

Columns:

- `rank`: the position of a document, counted from 1. NaN or None means judged, but not retrieved. Ranks may have gaps
  (3, 7, 20), but duplicates only in measures that treat them as ties.
- `relevance`: the grade. NaN or None means not judged.
- `doc_id`, `subtopic`: ids of the document, and of a subtopic that it covers.
- `rank_a`, `rank_b`, `score_a`, `score_b`: the ranks and scores of a document in two rankings.

Parameters of several measures (other parameters are defined where they occur):

- `k`: the cutoff. None means the whole ranking.
- `rel`: the smallest grade that counts as relevant, above 0.
- `level`: the smallest grade that has a gain. None means any grade above 0.
- `gain`: 'linear' (the grade) or 'exponential' (2**grade - 1). Missing and negative grades have the gain 0.
- `discount`: 'log2' divides the gain at rank i by log2(i + 1), 'rank' divides it by i.
- `ideal`: 'cut' cuts the ideal ranking off at k, 'whole' does not, 'returned' cuts it off at min(k, n).
- `empty`: the value of an empty query: '0', '1' or 'skip' (NaN); 'none_retrieved' is 1 if no row has a rank, else 0.

Terms of the formulas:

- A row is relevant if its grade is at least `rel`, and nonrelevant if its grade is at least 0 and below `rel`.
- A row is in the top k if its rank is at most k. A row without a rank is never in the top k.
- R is the number of relevant rows, retrieved or not. H_k is the number of relevant rows in the top k, and H the number
  of relevant rows that were retrieved.
- n is the number of retrieved documents, which is the largest rank.
- P(i) = H_i / i is the precision at rank i.
- An empty query is one without relevant rows (R = 0), unless the docstring gives another condition.
"""

# Every function of these modules is part of the oracle, so that a new measure needs no list of names.
from ltr_sql.oracle.agreement import *
from ltr_sql.oracle.beyond_accuracy import *
from ltr_sql.oracle.chunks import *
from ltr_sql.oracle.clicks import *
from ltr_sql.oracle.counts import *
from ltr_sql.oracle.diversity import *
from ltr_sql.oracle.document_pairs import *
from ltr_sql.oracle.expected import *
from ltr_sql.oracle.gain import *
from ltr_sql.oracle.judging import *
from ltr_sql.oracle.off_policy import *
from ltr_sql.oracle.ranking import *
from ltr_sql.oracle.relevance import *
from ltr_sql.oracle.sampling import *
from ltr_sql.oracle.user_models import *

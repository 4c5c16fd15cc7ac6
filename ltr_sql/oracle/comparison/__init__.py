"""Comparison of systems in plain numpy, written from the formulas and independent of the SQL.

The tests and `ltr_sql.verify_comparison` compare its results with those of the SQL. `compare`, `leaderboard`, `wins`
and `variance` return the rows of the macros with the same names. Modules:

- `probabilities`: Student's t, normal, F, binomial, studentised range, power, number of queries.
- `pairs`: tests, intervals and effect sizes of two systems.
- `resampling`: random words, Monte Carlo randomization, bootstrap.
- `systems`: adjusted p, analysis of variance, Tukey's test, letters, wins.
- `sequential`: the sequential test.
- `rows`: rows of `compare` and `leaderboard`.
- `datasets`: means over datasets, and differences of systems with queries of their own.
- `judges`: means under a judge that errs, and of queries in clusters.
- `orders`: rows of `system_agreement`.
- `trend`: rows of `trend`.
- `gates`: decisions of the gates of `ltr-sql compare`.

A system's values are a mapping of query_id to value. Undefined values are None. p is two-sided unless a docstring says
otherwise.
"""

from ltr_sql.oracle.comparison.datasets import *
from ltr_sql.oracle.comparison.gates import *
from ltr_sql.oracle.comparison.judges import *
from ltr_sql.oracle.comparison.orders import *
from ltr_sql.oracle.comparison.pairs import *
from ltr_sql.oracle.comparison.probabilities import *
from ltr_sql.oracle.comparison.resampling import *
from ltr_sql.oracle.comparison.rows import *
from ltr_sql.oracle.comparison.sequential import *
from ltr_sql.oracle.comparison.systems import *
from ltr_sql.oracle.comparison.trend import *

"""Comparison of systems in plain numpy, written from the formulas and independent of the SQL.

The tests and `ltr_sql.verify` compare the two. `compare` returns the rows of `ltr.compare`, `leaderboard` those of
`ltr.leaderboard`, `wins` those of `ltr.wins` and `variance` those of `ltr.variance`. The modules hold their parts:

- `distributions`: Student's t, normal, F, binomial, studentised range, power, number of queries.
- `pairs`: tests, intervals and effect sizes of two systems.
- `resampling`: random words, Monte Carlo randomisation, bootstrap.
- `systems`: adjusted p, analysis of variance, Tukey's test, letters, wins.
- `rows`: rows of `compare` and `leaderboard`.
- `gates`: whether the gates of `ltr-sql compare` fail.

A system's values are a mapping of query_id to value. Probabilities are two-sided unless said otherwise. An undefined
value is None.
"""

from ltr_sql.oracle.comparison.distributions import *
from ltr_sql.oracle.comparison.gates import *
from ltr_sql.oracle.comparison.pairs import *
from ltr_sql.oracle.comparison.resampling import *
from ltr_sql.oracle.comparison.rows import *
from ltr_sql.oracle.comparison.systems import *

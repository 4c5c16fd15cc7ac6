"""A run, and its values under a convention with rules of single measures.

The values are computed by hand. In the run, q1 ties its two documents, q2 is missing, and c is judged for q2 only.
"""

from math import log2

RUN = {"q1": {"a": 1.0, "b": 1.0}, "q3": {"c": 3.0, "d": 2.0, "x": 1.0}}
QRELS = {"q1": {"a": 1}, "q2": {"c": 1}, "q3": {"d": 1}}
# In descending order of ids, a has rank 2; in row order, it has rank 1.
SECOND = 1 / log2(3)
BEIR = {
    "nDCG@2": (SECOND + SECOND) / 2,
    "MAP@2": (1 / 2 + 1 / 2) / 2,
    "MRR@2": (1 + 0 + 1 / 2) / 3,
    "Accuracy@1": (1 + 0 + 0) / 3,
    "R_cap@2": (1 + 0 + 1) / 3,
    "Hole@3": (1 / 3 + 0 + 1 / 3) / 3,
    "GMAP": 1 / 2,
}

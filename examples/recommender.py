"""A recommender: two matrices of the best items of each user, against the items that users took later."""

import numpy as np

import ltr_sql

USERS = ["u1", "u2", "u3", "u4"]
# One row for each user, the best item first. Item -1 fills up short lists.
ALS = np.array([[7, 1, 3, 9], [2, 5, -1, -1], [4, 1, 8, 2], [6, 3, 1, -1]])
POPULAR = np.array([[1, 2, 3, 4]] * 4)
TAKEN = {"u1": [3, 7], "u2": [5], "u3": [9], "u4": [1, 2, 6]}

systems = {
    "als": ltr_sql.from_lists(ALS, USERS, pad=-1),
    "popular": ltr_sql.from_lists(POPULAR, USERS),
}
found = ltr_sql.evaluate(systems, ["HitRate@2", "nDCG@3", "RR"], qrels=TAKEN)
print(found.round(4).to_string(index=False))

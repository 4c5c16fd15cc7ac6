"""The measures in plain numpy, written from their formulas and computed for one query at a time.

The oracle is independent of the SQL. The tests and `ltr_sql.verify` compare the two.

Each function takes the rows of ONE query as 1-D sequences of equal length, in any order. It returns a Python float, and
`math.nan` where the measure is undefined.

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
- `ideal`: 'cut' cuts the ideal ranking off at k, 'whole' does not.
- `empty`: the value of an empty query: '0', '1' or 'skip' (NaN).

Terms of the formulas:

- A row is relevant if its grade is at least `rel`, and nonrelevant if its grade is at least 0 and below `rel`.
- A row is in the top k if its rank is at most k. A row without a rank is never in the top k.
- R is the number of relevant rows, retrieved or not. H_k is the number of relevant rows in the top k, and H the number
  of relevant rows that were retrieved.
- n is the number of retrieved documents, which is the largest rank.
- P(i) = H_i / i is the precision at rank i.
- An empty query is one without relevant rows (R = 0), unless the docstring gives another condition.
"""

from ltr_sql.oracle.agreement import (
    average_overlap,
    compat,
    fagin_k,
    footrule,
    gamma,
    jaccard,
    kendall_distance,
    kendall_tau,
    overlap,
    pearson,
    rbo,
    somers_d,
    spearman,
    tau_ap,
    weighted_tau,
)
from ltr_sql.oracle.counts import judged, num_nonrel_judged_ret, num_q, num_rel, num_rel_ret, num_ret, unj
from ltr_sql.oracle.diversity import alpha_dcg, alpha_ndcg, ap_ia, err_ia, nerr_ia, nnrbp, nrbp, p_ia, strecall
from ltr_sql.oracle.document_pairs import auc, coverage_error, lrap, opa, pair_accuracy, ranking_loss
from ltr_sql.oracle.expected import expected_ap, expected_ndcg, expected_p, expected_r, expected_rr, expected_success
from ltr_sql.oracle.gain import arelpos, average_gain, cg, dcg, filtered_dcg, g, graded_rbp, idcg, ndcg, ndcg_rel, rndcg
from ltr_sql.oracle.ranking import pair_with_ideal, rank_by_score
from ltr_sql.oracle.relevance import (
    ap,
    bin_g,
    bpref,
    f1,
    gmap,
    gmbpref,
    infap,
    iprec,
    iprec_avg,
    ncrr,
    p,
    precision_at,
    r,
    rbp,
    rbp_resid,
    rcap,
    rprec,
    rprec_mult,
    rr,
    set_ap,
    set_f,
    set_p,
    set_relative_p,
    success,
    utility,
    yaap,
)
from ltr_sql.oracle.user_models import bpm, err, insq, inst, nerr8, nerr9, nerr10, nerr11, pfound, pwa, sdcg

__all__ = [
    "alpha_dcg",
    "alpha_ndcg",
    "ap",
    "ap_ia",
    "arelpos",
    "auc",
    "average_gain",
    "average_overlap",
    "bin_g",
    "bpm",
    "bpref",
    "cg",
    "compat",
    "coverage_error",
    "dcg",
    "err",
    "err_ia",
    "expected_ap",
    "expected_ndcg",
    "expected_p",
    "expected_r",
    "expected_rr",
    "expected_success",
    "f1",
    "fagin_k",
    "filtered_dcg",
    "footrule",
    "g",
    "gamma",
    "gmap",
    "gmbpref",
    "graded_rbp",
    "idcg",
    "infap",
    "insq",
    "inst",
    "iprec",
    "iprec_avg",
    "jaccard",
    "judged",
    "kendall_distance",
    "kendall_tau",
    "lrap",
    "ncrr",
    "ndcg",
    "ndcg_rel",
    "nerr8",
    "nerr9",
    "nerr10",
    "nerr11",
    "nerr_ia",
    "nnrbp",
    "nrbp",
    "num_nonrel_judged_ret",
    "num_q",
    "num_rel",
    "num_rel_ret",
    "num_ret",
    "opa",
    "overlap",
    "p",
    "p_ia",
    "pair_accuracy",
    "pair_with_ideal",
    "pearson",
    "pfound",
    "precision_at",
    "pwa",
    "r",
    "rank_by_score",
    "ranking_loss",
    "rbo",
    "rbp",
    "rbp_resid",
    "rcap",
    "rndcg",
    "rprec",
    "rprec_mult",
    "rr",
    "sdcg",
    "set_ap",
    "set_f",
    "set_p",
    "set_relative_p",
    "somers_d",
    "spearman",
    "strecall",
    "success",
    "tau_ap",
    "unj",
    "utility",
    "weighted_tau",
    "yaap",
]

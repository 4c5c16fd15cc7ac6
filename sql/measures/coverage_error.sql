/*
name = "CoverageError"
summary = "Coverage error: the depth at which all relevant documents are found. Judged documents that were not retrieved tie at the end of the ranking."
formula = "largest rank of a relevant document, the last of the tied positions if others share it; n + |judged, not retrieved| if a relevant document was not retrieved, n = |retrieved|"
tex = '\max \{ i : r_i = 1 \}'
range = "[0, inf), lower is better"
parameters = ["rel"]
shared_ranks = true
reads = "all"
better = "lower"
empty = 0
reference = "Tsoumakas et al. 2010, Mining multi-label data; scikit-learn coverage_error"
*/
case
    when {{ num_rel(rel) }} > {{ num_rel_ret(none, rel) }}
    then {{ num_ret(none) }} + sum(case when d.rank is null and {{ graded() }} then 1e0 else 0e0 end)
    else max(case when {{ relevant(rel) }} then d.rank + {{ documents_at_rank() }} - 1 end)
end

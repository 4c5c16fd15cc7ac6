/*
name = "CoverageError"
aliases = []
summary = "How far down the ranking the last relevant document is; what was judged and not retrieved ties for the end of it."
formula = "largest rank of a relevant document, the last place of its rank where documents share one; n + |judged and not retrieved| if one was not retrieved"
range = "[0, inf), lower is better"
parameters = ["rel"]
row_source = "documents"
shared_ranks = true
reads = "all"
empty = 0
reference = "Tsoumakas et al. 2010, Mining multi-label data; scikit-learn coverage_error"
*/
case
    when {{ num_rel(rel) }} > {{ num_rel_ret(none, rel) }}
    then {{ num_ret(none) }} + sum(case when d.rank is null and {{ graded() }} then 1e0 else 0e0 end)
    else max(case when {{ relevant(rel) }} then d.rank + {{ documents_at_rank() }} - 1 end)
end

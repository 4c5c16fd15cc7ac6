/*
summary = "Documents by descending weight in rank-biased precision, summed over the runs."
formula = "sum over runs of (1 - p) * p^(rank - 1)"
reference = "Moffat, Webber & Zobel 2007, SIGIR"
*/
sum((1e0 - coalesce({{ p }}, 0.8e0)) * power(coalesce({{ p }}, 0.8e0), r.rank - 1))

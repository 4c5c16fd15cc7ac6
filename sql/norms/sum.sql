/*
summary = "(score - min) / sum of (score - min) of the run and query. Equal scores become 0."
reference = "Montague & Aslam 2001, CIKM"
*/
case when q.highest = q.lowest then 0e0 else (l.score - q.lowest) / q.sum_above_lowest end

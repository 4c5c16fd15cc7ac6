/*
summary = "z-score of the run and query: (score - mean) / population standard deviation. Equal scores become 0."
reference = "Montague & Aslam 2001, CIKM"
*/
case when q.highest = q.lowest then 0e0 else (l.score - q.mean) / q.deviation end

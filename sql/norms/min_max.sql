/*
summary = "(score - min) / (max - min) of the run and query. Equal scores become `constant`."
reference = "Lee 1997, SIGIR"
*/
case when q.highest = q.lowest then {{ constant }} else (l.score - q.lowest) / (q.highest - q.lowest) end

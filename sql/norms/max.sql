/*
summary = "score / max of the run and query. A maximum of 0 or less is an error."
reference = "Lee 1997, SIGIR"
*/
case
    when q.highest > 0 then l.score / q.highest
    else {{ error("norm := 'max' needs a score above 0 in each run and query: choose norm := 'min_max', or leave such runs out", "double") }}
end

/*
summary = "(score - min) / sum of (score - min) of the run and query. Equal scores become 0."
reference = "Montague & Aslam 2001, CIKM"
*/
case when {{ highest }} = {{ lowest }} then 0e0 else ({{ score }} - {{ lowest }}) / {{ sum_above_lowest }} end

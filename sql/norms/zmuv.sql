/*
summary = "z-score of the run and query: (score - mean) / population standard deviation. Equal scores become 0."
reference = "Montague & Aslam 2001, CIKM"
*/
case when {{ highest }} = {{ lowest }} then 0e0 else ({{ score }} - {{ mean }}) / {{ deviation }} end

/*
summary = "Documents at the best ranks first; of equal ranks, those that more runs contributed."
formula = "- best rank"
reference = "Spärck Jones & van Rijsbergen 1975, British Library report 5266"
*/
-min(r.rank)

/*
summary = "Documents at the best ranks first; among equal ranks, those from the most runs."
formula = "- best rank"
reference = "Spärck Jones & van Rijsbergen 1975, British Library report 5266"
*/
-min(r.rank)

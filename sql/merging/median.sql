/*
summary = "Median of the grades; the mean of the middle two if their number is even."
reference = "ltr_sql"
*/
{{ merged_by("median") }}

/*
summary = "Mean of the grades."
reference = "ltr_sql"
*/
{{ merged_by("avg") }}

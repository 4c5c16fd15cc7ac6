/*
summary = "The highest grade: relevant if any rater says so."
reference = "ltr_sql"
*/
{{ merged_by("max") }}

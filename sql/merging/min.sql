/*
summary = "The lowest grade: relevant only if all raters say so."
reference = "ltr_sql"
*/
{{ merged_by("min") }}

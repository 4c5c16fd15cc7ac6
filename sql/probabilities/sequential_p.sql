/*
summary = "Two-sided p of the sequential test: Robbins' normal mixture, for a mean divided by its standard error."
arguments = ["z", "information"]
reference = "Robbins 1970, Annals of Mathematical Statistics 41"
*/
{#- least ignores NULL. -#}
case when {{ z }} is not null then least(1e0, sqrt(1 + {{ information }}) * exp(-{{ z }} * {{ z }} / 2 * {{ information }} / (1 + {{ information }}))) end

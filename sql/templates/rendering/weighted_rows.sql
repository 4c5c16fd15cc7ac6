{#- Add the weight of its query to each row of a table of values. -#}
{{ weighted_rows(relation, weights, keyed) }}

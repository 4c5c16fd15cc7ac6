{#- Create ltr.distribution, which writes the query of the distribution of measures over queries, and runs it by `from query(...)`. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import
    column_of_key, fields, identifier, number, quoted, with_braces, with_parts, without_placeholders with context -%}
create or replace macro ltr.__ltr_distribution(relation, weights, keys, totals, confidence) as
{{ with_braces(replaced(with_parts(string(text), "case when weights is null then 'plain' else 'weighted' end"), {
    "{names}": "'struct_keys(struct_pack(*columns(lambda c: not list_contains(' || "
        ~ "'[' || list_aggregate(list_transform(list_concat(ltr.__ltr_grouping(keys, totals), ['query_id', '__ltr_weight']), lambda c: "
        ~ quoted("c") ~ "), 'string_agg', ', ') || ']' || ', c))))'",
    "{numbers}": "'list_value(*columns(lambda c: not list_contains(' || "
        ~ "'[' || list_aggregate(list_transform(list_concat(ltr.__ltr_grouping(keys, totals), ['query_id', '__ltr_weight']), lambda c: "
        ~ quoted("c") ~ "), 'string_agg', ', ') || ']' || ', c)))'",
    "{stratum}": fields("ltr.__ltr_grouping(keys, totals)"),
    "{strata_output}": concatenated("list_transform(ltr.__ltr_grouping(keys, totals), lambda c: 'r.stratum[' || "
        ~ quoted("c") ~ " || '] as ' || " ~ column_of_key("c") ~ " || ', ')"),
    "{relation}": without_placeholders("ltr.__ltr_with_totals(ltr.__ltr_weighted(relation, weights, keys), totals, "
        "list_filter(ltr.__ltr_key_list(keys), lambda c: c <> 'system'))"),
    "{level}": number("confidence", condition, allowed, "round(1 - try_cast(confidence as double), 12)") ~ " || '::double'",
})) }};

create or replace macro ltr.distribution(rankings, measures, keys := []::varchar[], weights := null, convention := null, totals := false, confidence := 0.95) as table
from query(list_transform(
    ['(' || ltr.__ltr_query({{ table_named("rankings") }}, measures, keys, false, convention, null, false) || ')'],
    lambda relation: ltr.__ltr_distribution(relation, weights, keys, totals, confidence)
)[1]);
comment on macro table ltr.distribution is 'Describe how measures of rankings (query_id, rank, relevance, keys) are distributed over queries. Returns one row for each combination of key values and measure: mean, standard deviation and error, quantiles, zeros, geometric mean and effective number of queries. weights: a table with query_id, weight and any of the keys. totals: adds the rows over all segments, whose keys are NULL, and a column total: the number of keys that a row is a total over, 0 for a segment. confidence: coverage of the intervals of the means.';

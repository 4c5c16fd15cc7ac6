{#- Create ltr.evaluate. Without intervals, its expression stays short, because DuckDB binds all of it. -#}
{%- from "macros/query_texts/pieces.sql" import bound, concatenated, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import argument, argument_list, identifier, with_braces, without_placeholders with context -%}
{%- macro of_measures(piece) -%}
{{ concatenated("list_transform(every, lambda m: "
    ~ replaced(string(piece), {"{before}": "case when contains(m['kind'], ' geometric ') then 'exp(' else '' end",
    "{after}": "case when contains(m['kind'], ' geometric ') then ')' else '' end",
    "{name}": "replace(m['text'], '\"', '\"\"')"}) ~ ")") }}
{%- endmacro -%}
{%- macro of_keys(piece) -%}
{{ concatenated("list_transform(ltr.__ltr_key_list(keys), lambda c: replace(" ~ string(piece) ~ ", '{key}', " ~ identifier("c") ~ "))") }}
{%- endmacro -%}
{%- macro logarithms() -%}
{{ bound("every", "list_filter(every_measure, lambda m: contains(m['kind'], ' geometric '))",
    "case when len(every) = 0 then '' else ' replace (' || substring(" ~ of_measures(logarithm) ~ ", 3) || ')' end") }}
{%- endmacro -%}
{%- macro inserted(query) -%}
{{ bound("t", query, without_placeholders("t")) }}
{%- endmacro -%}
{%- set means = "list_filter(every_measure, lambda m: not contains(m['kind'], ' sum '))" -%}
create or replace macro ltr.__ltr_with_intervals(relation, measures, keys, convention, weights, confidence) as list_transform([ltr.__ltr_measures(measures, 'rankings', keys, convention)], lambda every_measure: case
    when len(list_filter(every_measure, lambda m: contains(m['kind'], ' weighted '))) > 0
    then error('measure ''' || list_filter(every_measure, lambda m:
        contains(m['kind'], ' weighted '))[1]['text'] || ''' {{ own_weights }}')
    else {{ with_braces(replaced(string(text), {
    "{columns}": bound("every", means, "case when len(every) = 0 then error('ci is for means, and these measures are sums over queries: "
        "leave ci out') else " ~ of_measures(interval_columns) ~ " end"),
    "{outputs}": bound("every", means, of_measures(interval_outputs)),
    "{key_columns}": of_keys("i.{key}, "),
    "{same_keys}": of_keys(same_key),
    "{group_by}": "case when len(ltr.__ltr_key_list(keys)) = 0 then '' else ' group by ' || rtrim(" ~ of_keys("i.{key}, ") ~ ", ', ') end",
    "{means}": inserted("ltr.__ltr_query(relation, measures, keys, true, convention, weights, false)"),
    "{intervals}": inserted(bound("v", "'(select *' || " ~ logarithms() ~ " || ' from (' || "
        "ltr.__ltr_query(relation, measures, keys, false, convention, null, false) || ') as v)'",
        "ltr.__ltr_distribution(v, weights, keys, false, confidence)")),
})) }}
end)[1];

create or replace macro ltr.evaluate(rankings, measures, keys := []::varchar[], weights := null, convention := null, totals := false, ci := null, confidence := 0.95) as table
from query(case
    when confidence is null
    then error('confidence must not be NULL: leave it out for its default 0.95')
    when ci is null
    then ltr.__ltr_query({{ table_named("rankings") }}, measures, keys, true, convention, weights,
        case when totals is null then error('totals must not be NULL: leave it out for its default false')
        else totals end)
    when ci <> 't'
    then error('ci must be ''t'', got ' || ci
        || ': ltr_sql.evaluate and the command ltr-sql evaluate have the other intervals, and ltr.compare_values has those of differences')
    when totals
    then error('ci has no intervals of totals: leave one of them out, or call ltr.distribution with totals')
    else 'from query(ltr.__ltr_with_intervals(' || {{ argument(table_named("rankings")) }} || ', '
        || {{ argument_list("coalesce(try_cast(measures as varchar[]), [null])") }} || ', '
        || {{ argument_list("keys") }} || ', ' || {{ argument("convention") }} || ', ' || {{ argument("weights") }}
        || ', ' || {{ argument("confidence") }} || '))'
end);
comment on macro table ltr.evaluate is 'Average measures of rankings (query_id, rank, relevance, keys) over queries. Returns one row for each combination of key values, with the number of queries and a column for each measure string. weights: a table with query_id, weight and any of the keys, for weighted means. totals: adds the rows over all segments, whose keys are NULL, and a column total: the number of keys that a row is a total over, 0 for a segment. ci: ''t'' adds the interval of each mean, in columns such as nDCG@10_low and nDCG@10_high; confidence: its coverage.';

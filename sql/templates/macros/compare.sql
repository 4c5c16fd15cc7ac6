{#- Create ltr.compare and the other macros that compare systems. They write the query of a comparison, and run it by `from query(...)`. -#}
{%- from "macros/query_texts/pieces.sql" import bound, concatenated, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import argument, argument_list, chosen, column_of_key, fields, identifier,
    listed, number, one_of, quoted, with_bytewise_ids, with_parts, without_nulls, without_placeholders with context -%}

{%- set strata = "list_filter(list_concat(ltr.__ltr_key_list(keys), []::varchar[]), lambda c: c <> compared)" -%}
{%- set share = "regexp_extract(cast(margin as varchar), '^\\s*([\\d.]+)\\s*%\\s*$', 1)" -%}
{%- set excluded = "list_transform(list_concat(ltr.__ltr_key_list(keys), list_concat(repeats, [compared, 'query_id', "
    "'__ltr_weight', '__ltr_human', '__ltr_cluster', '__ltr_dataset', coalesce(cluster, 'query_id'), "
    "coalesce(across, 'query_id')])), lambda c: lower(c))" -%}
{%- set mode = "case when across is not null then 'across' when human is not null then case when cluster is null then 'human' else 'both' end when cluster is "
    "not null then 'clustered' when weights is not null then 'weighted' else 'plain' end" -%}
{%- set one_or_more = "case when measures is null then null when starts_with(typeof(measures), 'VARCHAR[') then "
    "cast(measures as varchar[]) else [cast(measures as varchar)] end" -%}
create or replace macro ltr.__ltr_measure_columns(measures, others) as case
    when measures is null then 'lambda c: not list_contains(' || {{ listed("others") }} || ', lower(c))'
    else replace({{ string(given_columns) }}, '{measures}', {{ listed("measures") }})
end;

{#- A value of a measure as a number, or an error that names its column. #}
create or replace macro ltr.__ltr_number_of_measure(x) as
case
    when regexp_matches(typeof(x), '^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BIGNUM|DECIMAL.*|FLOAT|DOUBLE|BOOLEAN|"NULL")$') then cast(x as double)
    else error('the column ' || alias(x) || ' holds ' || typeof(x) || ', not numbers: cast it, or leave it out')
end;

{#- The values of judges: people's values below those of the judge that errs, with clusters; see `judged_rows`. #}
create or replace macro ltr.__ltr_judged(relation, human, cluster, weights) as
case
    when human is null and cluster is null then relation
    else '(select *, '
        || case
            when cluster is null then 'cast(null as varchar)'
            else 'case when not __ltr_human and ' || {{ identifier("cast(cluster as varchar)") }}
                || ' is null then error(''cluster has no cluster of the query '' || coalesce(cast(query_id as varchar), ''NULL'')) else cast('
                || {{ identifier("cast(cluster as varchar)") }} || ' as varchar) end'
        end
        || ' as __ltr_cluster' || case when weights is null then ', 1e0 as __ltr_weight' else '' end
        || ' from (select *, false as __ltr_human from ' || relation || ' as v'
        || case when human is null then '' else ' union all by name select *, true as __ltr_human from ' || human || ' as v' end || '))'
end;

{#- The values with the datasets of their queries; see `of_datasets`. #}
create or replace macro ltr.__ltr_of_datasets(relation, across) as
case
    when across is null then relation
    else {{ replaced(string(of_datasets), {"{column}": identifier("cast(across as varchar)"), "{relation}": "relation"}) }}
end;

{#- The values of rankings with the clusters of their queries, a column of the rankings. #}
{%- set column = identifier("cast(cluster as varchar)") %}
{%- set ends %}cast(r.' || {{ column }} || ' as varchar){% endset %}
create or replace macro ltr.__ltr_with_clusters(relation, rankings, cluster, keys) as
list_transform([relation], lambda text: case
    when cluster is null or list_contains(keys, cluster) then text
    else '(select v.*, c.' || {{ column }} || ' from ' || text
        || ' as v left join (select r.query_id, min({{ ends }}) as ' || {{ column }}
        || ' from ' || rankings || ' as r group by r.query_id '
        || 'having case when min({{ ends }}) < max({{ ends }}) then '
        || 'error(''query '' || cast(r.query_id as varchar) || '' is in two clusters, '' || min({{ ends }}) || '' and '' || max({{ ends }}) '
        || '|| '': give each query one cluster'') else true end) as c on c.query_id = v.query_id)'
end)[1];

{#- The measure of the share of judged documents in the largest cutoff of measures; of all documents without a cutoff. #}
create or replace macro ltr.__ltr_depth_judged(measures, keys, convention) as
list_transform(
    [list_transform(ltr.__ltr_measures(measures, 'rankings', keys, convention), lambda m: m['cutoff'])],
    lambda cutoffs: case when len(list_filter(cutoffs, lambda k: k is null)) > 0 then 'Judged' else 'Judged@' || list_aggregate(cutoffs, 'max') end
)[1];

{#- The values of people, or an error that names the queries of which people judged fewer documents than the judge. `llm` and `human` are the
    rankings, and `relation` people's values. The calls are texts, which DuckDB binds only if there are people. #}
{%- macro judged_in(rankings) -%}
'(select columns(lambda c: not starts_with(c, ''Judged'')), columns(lambda c: starts_with(c, ''Judged'')) as __ltr_share from query(ltr.measures_query('
    || {{ argument(rankings) }} || ', false, [ltr.__ltr_depth_judged(' || {{ argument_list("measures") }} || ', '
    || {{ argument_list("keys") }} || ', ' || {{ argument("convention") }} || ')], ' || {{ argument_list("keys") }}
    || ', false, null)))'
{%- endmacro %}
create or replace macro ltr.__ltr_fully_judged(relation, llm, human, measures, keys, convention) as
'(with __ltr_partly as (select cast(y.query_id as varchar) as query, min(y.__ltr_share) as least, max(v.__ltr_share) as most from '
|| {{ judged_in("human") }} || ' as y join ' || {{ judged_in("llm") }} || ' as v on y.query_id = v.query_id'
|| {{ concatenated("list_transform(keys, lambda c: ' and y.' || " ~ identifier("c") ~ " || ' is not distinct from v.' || " ~ identifier("c") ~ ")") }}
|| ' where y.__ltr_share < v.__ltr_share - 1e-9 group by y.query_id) select * from ' || relation
|| ' as v where case when (select count(*) from __ltr_partly) > 0 then '
|| 'error((select ''people judged only some documents of '' || count(*) || case when count(*) = 1 then '' query: '' else '' queries: '' end '
|| '|| list_aggregate(list(p.query || '' ('' || cast(round(100 * p.least) as integer) || ''% of '' || cast(round(100 * p.most) as integer) || ''%)'' '
|| 'order by p.query asc)[1:3], ''string_agg'', '', '') '
|| '|| case when count(*) > 3 then '', ...'' else '''' end || ''. Their values are too low, and so is every correction: '
|| 'let people judge all documents that the systems show, or leave these queries out of human'' from __ltr_partly as p)) else true end)';

{#- The values of rankings, or an error if judgments without the column of the datasets were joined with rankings of datasets: each query then
    has rows in every dataset, and documents of a system in one. -#}
create or replace macro ltr.__ltr_in_datasets(relation, rankings, across) as case when across is null then relation else
{{ replaced(string("(select * from {relation} as v where case when (
    select max(q.datasets) > 1 and max(q.answered) = 1
    from (
        select
            r.query_id,
            count(distinct r.dataset) as datasets,
            count(distinct case when r.retrieved then r.dataset end) as answered
        from (
            select
                g.query_id,
                g.{across} as dataset,
                g.rank is not null as retrieved
            from {rankings} as g
        ) as r
        group by r.query_id
    ) as q
) then error('a query is judged in each ' || {name} || ', and has rankings in one: give the judgments the column ' || {name}
    || ', so that ltr.judge counts each query in its own') else true end)"),
    {"{relation}": "relation", "{rankings}": "rankings", "{across}": identifier("across"), "{name}": quoted("across")}) }} end;

{#- Say why options do not fit means over datasets, or systems that have different queries; see `_refuse_unfit`. #}
create or replace macro ltr.__ltr_unfit(columns, test, adjust, ci, missing, weights, human, cluster, totals, across, generalize, paired) as case
    when list_contains(columns, cast(across as varchar)) then 'a column can only be one of compared, keys, repeats and across'
    when across is null and generalize <> 'queries'
    then 'generalize := ''' || generalize || ''' belongs to means over datasets: pass across, or leave it out'
    when (across is not null or not paired) and (test <> 't' or ci <> 't' or adjust = 'tukey')
    then case when across is null then 'paired := false' else 'across' end
        || ' applies to the t test: pass test := ''t'', ci := ''t'', and an adjust other than ''tukey'''
    {%- for name, condition in {"across": "across is not null", "paired": "not paired"}.items() %}
    {%- for option in unfit[name] %}
    when {{ condition }} and {{ "totals" if option == "totals" else option ~ " is not null" }}
    then '{{ "paired := false" if name == "paired" else name }} applies without {{ option }}: leave one of them out'
    {%- endfor %}
    {%- endfor %}
    when not paired and missing <> 'skip'
    then 'missing := ''' || missing || ''' is about queries that both systems owe, and with paired := false each system has queries '
        || 'of its own: leave one of them out'
end;

create or replace macro ltr.__ltr_fitting(unfit, parts) as
{{ bound("reason", "unfit", "case when reason is null then parts else error(reason) end") }};

create or replace macro ltr.__ltr_comparison_parts(test, adjust, ci, result, mode, paired) as list_transform(
    [struct_pack(test := {{ chosen("test", parts["test"]) }}, adjust := {{ chosen("adjust", parts["adjust"]) }},
        ci := {{ chosen("ci", parts["ci"]) }}, result := {{ constant(parts["result"]) }}[result],
        mode := {{ constant_entry(parts["mode"], "mode") }},
        paired := {{ constant(parts["paired"]) }}[case when paired and result <> 'trend' then 'true' else 'false' end])],
    lambda p: {{ with_parts(replaced(string(comparison),
        {"{tested}": "p['test']['tested']", "{too_few}": "p['test']['too_few']",
        "{adjusted}": "p['adjust']['adjusted']", "{interval}": "p['ci']['interval']",
        "{result}": "p['result']['result']", "{unpaired}": "p['paired']['unpaired']",
        "{unpaired_sums}": "p['paired']['unpaired_sums']", "{role}": "p['result']['role']",
        "{follows}": "p['result']['follows']", "{has_values}": "p['result']['has_values']",
        "{fewest}": "p['result']['fewest']", "{estimated_pairs}": "p['mode']['estimated_pairs']",
        "{estimated_systems}": "p['mode']['estimated_systems']"}), "mode") }}
)[1];

{#- The names of the measures, or an error if `lower` names another one. #}
create or replace macro ltr.__ltr_names_with_lower(names, lower) as case
    when len(list_filter(lower, lambda c: not list_contains(names, c))) > 0
    then error('lower_is_better names ' || list_filter(lower, lambda c: not list_contains(names, c))[1]
        || ', which is not one of the measures: ' || array_to_string(names, ', '))
    else names
end;

create or replace macro ltr.__ltr_compared(text, relation, measures, keys, compared, repeats, lower_is_better, baseline, missing, cluster, across) as
{{ replaced("text", {
    "{relation}": with_bytewise_ids("'(select columns(lambda c: list_contains(' || " ~ listed(excluded)
        ~ " || ', lower(c))), ltr.__ltr_number_of_measure(columns(' || ltr.__ltr_measure_columns(measures, " ~ excluded
        ~ ") || ')) from ' || " ~ without_placeholders("relation") ~ " || ' as v)'", [identifier("compared")],
        "list_concat(" ~ strata ~ ", repeats)"),
    "{system}": identifier("compared"),
    "{compared}": quoted("compared"),
    "{stratum}": fields(strata),
    "{repeat}": fields("repeats"),
    "{strata_output}": concatenated("list_transform(" ~ strata ~ ", lambda c: 'r.stratum[' || " ~ quoted("c")
        ~ " || '] as ' || " ~ column_of_key("c") ~ " || ', ')"),
    "{strata_of_orders}": concatenated("list_transform(" ~ strata ~ ", lambda c: 'o.stratum_a[' || " ~ quoted("c")
        ~ " || '] as ' || " ~ identifier("c || '_a'") ~ " || ', o.stratum_b[' || " ~ quoted("c") ~ " || '] as ' || "
        ~ identifier("c || '_b'") ~ " || ', ')"),
    "{duplicated}": "case when len(repeats) > 0 then 'count(*) > count(distinct r.repeat)' else 'count(*) > 1' end",
    "{names}": "case when len(lower_is_better) > 0 then 'ltr.__ltr_names_with_lower(' else '(' end || "
        "'struct_keys(struct_pack(*columns(' || ltr.__ltr_measure_columns(measures, " ~ excluded ~ ") || ')))' || case "
            "when len(lower_is_better) > 0 then ', ' || " ~ listed("lower_is_better") ~ " else '' end || ')'",
    "{numbers}": "'list_value(*columns(' || ltr.__ltr_measure_columns(measures, " ~ excluded ~ ") || '))'",
    "{lower}": listed("lower_is_better"),
    "{baseline}": "case when baseline is null then 'null::varchar[]' else "
        ~ listed("case when starts_with(typeof(baseline), 'VARCHAR[') then cast(baseline as varchar[]) else [cast(baseline as varchar)] end")
        ~ " end",
    "{missing}": one_of("missing", "'skip', 'zero', 'error'"),
}) }};

{#- Write the checked value of each option that is a number or a choice. -#}
{%- set written = {} %}
{%- for option in checked %}
{%- if option.choices %}
{%- set _ = written.update({"{" ~ option.name ~ "}": one_of(option.name, "'" ~ option.choices | join("', '") ~ "'")}) %}
{%- else %}
{%- set _ = written.update({"{" ~ option.name ~ "}": number(option.name, option.condition, option.allowed)}) %}
{%- endif %}
{%- endfor %}
{%- set _ = written.update({
    "{test}": "test",
    "{adjust}": "adjust",
    "{interval_level}": "case when margin is null then '{level}' when confidence > 0.5 then '(2 * {level})' else "
        "error('with a margin, confidence must be above 0.5, got ' || cast(confidence as varchar)) end",
    "{level}": "coalesce(cast(round(1 - try_cast(confidence as double), 12) as varchar), '0') || '::double'",
    "{margin}": "case when margin is null or " ~ share ~ " <> '' then '0e0' when try_cast(margin as double) > 0 and "
        "isfinite(try_cast(margin as double)) then cast(cast(margin as double) as varchar) || '::double' else "
            "error('margin must be a number above 0, or a share such as ''1%'', got ' || cast(margin as varchar)) end",
    "{relative_margin}": "case when coalesce(" ~ share ~ ", '') = '' then '0e0' "
        "when coalesce(try_cast(" ~ share ~ " as double) between 1e-9 and 99.999999, false) "
        "then cast(cast(" ~ share ~ " as double) / 100 as varchar) || '::double' "
        "else error('margin must be a number above 0, or a share such as ''1%'', got ' || cast(margin as varchar)) end",
    "{has_margin}": "case when margin is null then 'false' else 'true' end",
    "{sequential}": "case when test = 'sequential' then 'true' else 'false' end",
    "{planned}": "case when test = 'sequential' and coalesce(" ~ planned.condition ~ ", false) "
        "then cast(planned as varchar) || 'e0' "
        "when test = 'sequential' then error('the sequential test needs planned: the number of queries "
        "at which its interval is narrowest, " ~ planned.allowed ~ ", got ' || coalesce(cast(planned as varchar), 'NULL')) "
        "when planned is null then '1e0' else error('planned belongs to the sequential test: "
        "pass test := ''sequential'', or leave planned := ' || cast(planned as varchar) || ' out') end",
}) -%}
{#- Each step reads the relation of the step before. -#}
{%- set steps = [
    "ltr.__ltr_judged(r, human, cluster, weights)",
    "ltr.__ltr_weighted(r, weights, " ~ strata ~ ")",
    "ltr.__ltr_with_totals(r, totals, " ~ strata ~ ")",
    "ltr.__ltr_of_datasets(r, across)",
] -%}
{%- set found = namespace(rows="relation") -%}
{%- for step in steps %}{% set found.rows = bound("r", found.rows, step) %}{% endfor -%}
{%- set rows = "ltr.__ltr_fitting(ltr.__ltr_unfit(list_concat(ltr.__ltr_key_list(keys), repeats, [compared]), test, adjust, ci, missing, "
    "weights, human, cluster, totals, across, generalize, paired), " ~ found.rows ~ ")" -%}
{%- set parts_of_call = "case when adjust = 'tukey' and test <> 't' then error('adjust := ''tukey'' corrects the t test: pass test := ''t''') "
    "when coalesce(weights, human, cluster) is not null and (test not in ('t', 'sequential') or ci <> 't' or adjust = 'tukey') "
    "then error(case when weights is not null then 'weights apply' "
    "when human is not null then 'human applies' else 'cluster applies' end "
    "|| ' to the t and the sequential test: pass one of them, ci := ''t'', and an adjust other than ''tukey''') "
    "when test = 'sequential' and ci <> 't' then error('the sequential test has an interval of its own: leave ci := ''' || ci || ''' out') "
    "else ltr.__ltr_comparison_parts(test, adjust, ci, case when details then 'comparison_details' else result end, " ~ mode ~ ", paired) end" -%}
create or replace macro ltr.__ltr_comparison(relation, measures, {{ parameters | join(", ") }}, result) as
replace({{ replaced(
    bound("g", "{'text': " ~ parts_of_call ~ ", 'rows': " ~ rows ~ ", 'keys': ltr.__ltr_grouping(keys, totals)}",
        "ltr.__ltr_compared(g['text'], g['rows'], measures, g['keys'], compared, repeats, lower_is_better, baseline, missing, cluster, across)"),
    written
) }}, chr(1), '{');

{#- Return the arguments of a comparison. `human` is SQL of the text that replaces the name of people's table. -#}
{%- macro passed(record, human) -%}
{%- set found = [] -%}
{%- for argument in arguments[record] %}{% set _ = found.append("case when human is null then null else " ~ human
    ~ " end" if argument == "human" else argument) %}{% endfor -%}
{{ found | join(", ") }}
{%- endmacro -%}
{%- set grouping = "list_concat(case when list_contains(ltr.__ltr_key_list(keys), compared) then ltr.__ltr_key_list(keys) "
    "else list_concat([compared], ltr.__ltr_key_list(keys)) end, list_concat(repeats, "
    "case when across is null then []::varchar[] else [cast(across as varchar)] end))" -%}
{#- The values of rankings. The call is a text, which DuckDB binds once, although macros repeat their arguments. -#}
{%- macro evaluated(rankings) -%}
'(from query(ltr.__ltr_query(' || {{ argument(table_named(rankings)) }} || ', ' || {{ argument_list("measures") }}
    || ', ' || {{ argument_list(grouping) }} || ', false, ' || {{ argument("convention") }} || ', null, false)))'
{%- endmacro -%}
create or replace macro ltr.compare_values("values", measures := null, {{ signatures["compare"] | join(", ") }}) as table
from query({% call without_nulls(signatures["compare"]) %}ltr.__ltr_comparison({{ table_named('"values"') }},
    {{ one_or_more }}, {{ passed("compare", table_named("human")) }}, 'comparison_rows'){% endcall %});
comment on macro table ltr.compare_values is 'Compare systems statistically. Reads query_id, the compared column (system by default), keys, and one column for each measure. Returns one row for each measure and pair of systems: difference, interval, effect size, p and verdict.';

create or replace macro ltr.compare(rankings, measures, {{ signatures["compare"] | reject("equalto", "lower_is_better := []::varchar[]") | join(", ") }}, convention := null) as table
{#- DuckDB binds the texts of a lambda's argument once, and those of a macro's argument for each use. #}
from query({% call without_nulls(signatures["compare"] | reject("equalto", "lower_is_better := []::varchar[]")) %}list_transform([{
    'values': ltr.__ltr_with_clusters(ltr.__ltr_in_datasets({{ evaluated("rankings") }}, {{ table_named("rankings") }}, across),
        {{ table_named("rankings") }}, cluster, {{ grouping }}),
    'human': case when human is null then null
        else ltr.__ltr_fully_judged({{ evaluated("human") }}, {{ table_named("rankings") }}, {{ table_named("human") }}, measures, {{ grouping }}, convention)
        end
}], lambda given: ltr.__ltr_comparison(given['values'], null,
    {{ passed("compare", "given['human']") | replace("lower_is_better", "[]::varchar[]") }},
    'comparison_rows'))[1]{% endcall %});
comment on macro table ltr.compare is 'Compare systems statistically by measures of rankings (query_id, rank, relevance, the compared column, keys). Returns one row for each measure and pair of systems: difference, interval, effect size, p and verdict. ltr.compare_rankings compares two rankings without judgments.';

create or replace macro ltr.leaderboard("values", measures := null, {{ signatures["leaderboard"] | join(", ") }}) as table
from query({% call without_nulls(signatures["leaderboard"]) %}ltr.__ltr_comparison({{ table_named('"values"') }},
    {{ one_or_more }}, {{ passed("leaderboard", table_named("human")) }}, 'leaderboard'){% endcall %});
comment on macro table ltr.leaderboard is 'Rank systems by the mean of each measure. Returns one row for each measure and system: place, mean with its interval, the systems that it significantly beats, and whether the best system is not significantly better.';

create or replace macro ltr.system_agreement("values", measures := null, {{ signatures["orders"] | join(", ") }}) as table
from query({% call without_nulls(signatures["orders"]) %}ltr.__ltr_comparison({{ table_named('"values"') }},
    {{ one_or_more }}, {{ passed("orders", table_named("human")) }}, 'system_agreement'){% endcall %});
comment on macro table ltr.system_agreement is 'Compare orders of the systems: under two measures, or under one measure for two values of the keys, such as two periods or two sets of judgments. Returns one row for each pair of orders: correlations, and the pairs of systems that swap, with the tests of their differences in each order.';

create or replace macro ltr.trend("values", {{ signatures["trend"][0] }}, measures := null, {{ signatures["trend"][1:] | join(", ") }}) as table
from query({% call without_nulls(signatures["trend"]) %}case when adjust = 'tukey'
    then error('adjust := ''tukey'' corrects all pairs, and a trend compares each period with the one before: pass adjust := ''holm''')
    else ltr.__ltr_comparison({{ table_named('"values"') }}, {{ one_or_more }}, {{ passed("trend", "null") }}, 'trend')
    end{% endcall %});
comment on macro table ltr.trend is 'Describe how the means of measures change over periods, such as weeks. Reads query_id, the column of the periods, keys, and one column for each measure. Returns one row for each measure and period: the mean with its interval, and the difference from the period before, on the common queries if there are any.';

create or replace macro ltr.wins("values", a, b, measures := null, {{ signatures["differences"] | join(", ") }}) as table
from query({% call without_nulls(signatures["differences"]) %}replace(ltr.__ltr_compared({{ string(wins) }},
    {{ table_named('"values"') }}, {{ one_or_more }}, keys, compared, repeats, []::varchar[],
    [cast(a as varchar), cast(b as varchar)], missing, null, null), chr(1), '{'){% endcall %});
comment on macro table ltr.wins is 'List the common queries of two systems, the largest difference first: values, difference, running sum, leverage (the change of the mean difference without this query), and flips (whether the sign of the mean difference then changes).';

create or replace macro ltr.variance("values", measures := null, {{ signatures["differences"] | join(", ") }}) as table
from query({% call without_nulls(signatures["differences"]) %}replace(ltr.__ltr_compared({{ string(variance) }},
    {{ table_named('"values"') }}, {{ one_or_more }}, keys, compared, repeats, []::varchar[], null, missing, null, null),
    chr(1), '{'){% endcall %});
comment on macro table ltr.variance is 'Split the variance of the values into systems, queries and error (two-way analysis of variance without replication). Returns the share of each, and the generalizability of the ranking of the systems.';

create or replace macro ltr.queries_needed(sd := null, difference := null, power := {{ power }}, alpha := 0.05) as table
{{ queries_needed }};
comment on macro table ltr.queries_needed is 'Return the number of queries that a paired t test needs to find a mean difference. sd: standard deviation of the differences of the queries.';

{% include "macros/gate.sql" %}

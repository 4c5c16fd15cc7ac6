{#- Generate, in SQL, the query of a comparison. ltr.compare and ltr.compare_values run it by `from query(...)`, as in fused.sql. -#}
{%- from "entry_points/fused.sql" import concatenated, replaced, text_list, trimmed, without_placeholders with context -%}

{%- macro identifier(name) -%}
'"' || replace({{ without_placeholders(name) }}, '"', '""') || '"'
{%- endmacro -%}

{%- macro quoted(text) -%}
'''' || replace({{ without_placeholders(text) }}, '''', '''''') || ''''
{%- endmacro -%}

{%- macro listed(names) -%}
'[' || coalesce(list_aggregate(list_transform(cast({{ names }} as varchar[]), lambda c: {{ quoted("c") }}), 'string_agg', ', '), '') || ']::varchar[]'
{%- endmacro -%}

{#- Fields of a struct; it has one more, because a struct cannot be empty. -#}
{%- macro fields(names) -%}
'__ltr_one := 0' || {{ concatenated("list_transform(" ~ names ~ ", lambda c: ', ' || " ~ identifier("c") ~ " || ' := v.' || " ~ identifier("c") ~ ")") }}
{%- endmacro -%}

{%- macro chosen(option, name) -%}
coalesce({{ constant(parts[option]) }}[{{ name }}], error('{{ option }} must be one of {{ parts[option] | join(", ") }}, got ' || coalesce({{ name }}, 'NULL')))
{%- endmacro -%}

{%- macro one_of(option, allowed) -%}
case when {{ option }} in ({{ allowed }}) then {{ quoted(option) }} else error('{{ option }} must be one of ' || concat_ws(', ', {{ allowed }}) || ', got ' || coalesce({{ option }}, 'NULL')) end
{%- endmacro -%}

{%- macro number(option, condition, meaning) -%}
case when coalesce({{ condition }}, false) then cast({{ option }} as varchar) else error('{{ option }} must be {{ meaning }}, got ' || coalesce(cast({{ option }} as varchar), 'NULL')) end
{%- endmacro -%}

{%- set strata = "list_filter(list_concat(keys, []::varchar[]), lambda c: c <> compared)" -%}
{%- set share = "regexp_extract(cast(margin as varchar), '^\s*([\d.]+)\s*%\s*$', 1)" -%}
{%- set excluded = "list_transform(list_concat(keys, list_concat(repeats, [compared, 'query_id'])), lambda c: lower(c))" -%}
create or replace macro ltr.__ltr_measure_columns(measures, others) as case
    when measures is null then 'lambda c: not list_contains(' || {{ listed("others") }} || ', lower(c))'
    else replace({{ string(given_columns) }}, '{measures}', {{ listed("measures") }})
end;

create or replace macro ltr.__ltr_comparison_parts(test, adjust, ci) as list_transform(
    [struct_pack(test := {{ chosen("test", "test") }}, adjust := {{ chosen("adjust", "adjust") }}, ci := {{ chosen("ci", "ci") }})],
    lambda p: {{ replaced(string(comparison), {"{tested}": "p['test']['tested']", "{too_few}": "p['test']['too_few']", "{adjusted}": "p['adjust']['adjusted']", "{interval}": "p['ci']['interval']"}) }}
)[1];

create or replace macro ltr.__ltr_compared(text, relation, measures, keys, compared, repeats, lower_is_better, baseline, missing) as
{{ replaced("text", {
    "{relation}": without_placeholders("relation"),
    "{system}": identifier("compared"),
    "{compared}": quoted("compared"),
    "{stratum}": fields(strata),
    "{repeat}": fields("repeats"),
    "{strata_output}": concatenated("list_transform(" ~ strata ~ ", lambda c: 'r.stratum[' || " ~ quoted("c") ~ " || '] as ' || " ~ identifier("c") ~ " || ', ')"),
    "{duplicated}": "case when len(repeats) > 0 then 'count(*) > count(distinct r.repeat)' else 'count(*) > 1' end",
    "{names}": "'struct_keys(struct_pack(*columns(' || ltr.__ltr_measure_columns(measures, " ~ excluded ~ ") || ')))'",
    "{numbers}": "'list_value(*columns(' || ltr.__ltr_measure_columns(measures, " ~ excluded ~ ") || '))'",
    "{lower}": listed("lower_is_better"),
    "{baseline}": "case when baseline is null then 'null::varchar[]' else " ~ listed("case when starts_with(typeof(baseline), 'VARCHAR[') then cast(baseline as varchar[]) else [cast(baseline as varchar)] end") ~ " end",
    "{missing}": one_of("missing", "'skip', 'zero', 'error'"),
}) }};

create or replace macro ltr.__ltr_comparison(relation, measures, keys, compared, baseline, test, adjust, family, ci, confidence, margin, repeats, lower_is_better, missing, replicates, seed) as
replace({{ replaced(
    "ltr.__ltr_compared(case when adjust = 'tukey' and test <> 't' then error('adjust := ''tukey'' corrects the t test: pass test := ''t''') else ltr.__ltr_comparison_parts(test, adjust, ci) end, relation, measures, keys, compared, repeats, lower_is_better, baseline, missing)",
    {
        "{test}": "test",
        "{adjust}": "adjust",
        "{family}": one_of("family", "'measure', 'all'"),
        "{alpha}": "case when confidence > 0 and confidence < 1 then cast(round(1 - cast(confidence as double), 12) as varchar) || '::double' else error('confidence must be between 0 and 1, such as 0.95, got ' || coalesce(cast(confidence as varchar), 'NULL')) end",
        "{margin}": "case when margin is null or " ~ share ~ " <> '' then '0e0' when try_cast(margin as double) > 0 and isfinite(try_cast(margin as double)) then cast(cast(margin as double) as varchar) || '::double' else error('margin must be a number above 0, or a share such as ''1%'', got ' || cast(margin as varchar)) end",
        "{relative_margin}": "case when coalesce(" ~ share ~ ", '') = '' then '0e0' else cast(cast(" ~ share ~ " as double) / 100 as varchar) || '::double' end",
        "{has_margin}": "case when margin is null then 'false' else 'true' end",
        "{replicates}": number("replicates", "replicates between 100 and 10000000 and replicates = floor(replicates)", "an integer from 100 to 10,000,000"),
        "{seed}": number("seed", "seed between 0 and 2147483647 and seed = floor(seed)", "an integer from 0 to 2,147,483,647"),
    }
) }}, chr(1), '{');

create or replace macro ltr.compare_values("values", measures := null, keys := ['system'], compared := 'system', baseline := null, test := 't', adjust := 'holm', family := 'measure', ci := 't', confidence := 0.95, margin := null, repeats := []::varchar[], lower_is_better := []::varchar[], missing := 'skip', replicates := 10000, seed := 7) as table
from query(ltr.__ltr_comparison({{ table_named('"values"') }}, measures, keys, compared, baseline, test, adjust, family, ci, confidence, margin, repeats, lower_is_better, missing, replicates, seed));
comment on macro table ltr.compare_values is 'Compares systems statistically. Reads query_id, keys, and one column for each measure. Returns one row for each measure and pair of systems: difference, interval, effect size, p and verdict.';

create or replace macro ltr.compare(rankings, measures, keys := ['system'], compared := 'system', baseline := null, test := 't', adjust := 'holm', family := 'measure', ci := 't', confidence := 0.95, margin := null, repeats := []::varchar[], missing := 'skip', replicates := 10000, seed := 7, convention := null) as table
from query(ltr.__ltr_comparison(
    '(' || ltr.measures_query({{ table_named("rankings") }}, false, measures, list_concat(keys, repeats), false, convention) || ')',
    null, keys, compared, baseline, test, adjust, family, ci, confidence, margin, repeats, []::varchar[], missing, replicates, seed
));
comment on macro table ltr.compare is 'Compares systems statistically by measures of rankings (query_id, rank, relevance, keys). Returns one row for each measure and pair of systems: difference, interval, effect size, p and verdict. ltr.compare_rankings compares two rankings without judgments.';

create or replace macro ltr.queries_needed(sd := null, difference := null, power := {{ power }}, alpha := 0.05) as table
{{ queries_needed }};
comment on macro table ltr.queries_needed is 'Returns how many queries a paired t test needs to see a mean difference. sd: standard deviation of the differences of the queries.';

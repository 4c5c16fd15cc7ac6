{#- Create ltr.gate, which decides conditions on a table of values, and raises an error unless all of them hold. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated_by, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import listed, number, quoted, without_nulls with context -%}

{#- Read a condition; raise an error if it cannot be read. #}
create or replace macro ltr.__ltr_parsed_gate(gate) as list_transform(
    [struct_pack(
        said := 'the gate ' || coalesce('''' || left(trim(gate), 50) || '''', 'NULL') || ' ',
        condition := regexp_replace(trim(gate), '\s+', ' ', 'g'),
        part := regexp_extract(trim(gate), {{ string(grammar) }}, ['measure', 'word', 'direction', 'number', 'percent'], 'i')
    )],
    lambda g: case
        when len(gate) > {{ longest }} then error('a gate has at most {{ longest }} characters, got ' || len(gate))
        when coalesce(g['part']['direction'], '') = '' then error(g['said'] || 'cannot be read: ' || {{ string(form) }})
        when g['part']['percent'] = '%' and try_cast(g['part']['number'] as double) >= 100 then error(g['said'] || {{ string(whole_share) }})
        when lower(g['part']['word']) = 'possibly' and lower(g['part']['direction']) = 'different' and coalesce(try_cast(g['part']['number'] as double), 0) = 0
        then error(g['said'] || {{ string(needs_margin) }})
        else struct_pack(
            condition := g['condition'],
            measure := g['part']['measure'],
            word := case when g['part']['word'] = '' then 'plainly' else lower(g['part']['word']) end,
            direction := lower(g['part']['direction']),
            margin := coalesce(try_cast(g['part']['number'] as double), 0) / case when g['part']['percent'] = '%' then 100 else 1 end,
            relative := g['part']['percent'] = '%' and coalesce(try_cast(g['part']['number'] as double), 0) > 0
        )
    end
)[1];

{#- The margin of the measure of a condition. #}
{%- set margin -%}
'case when lower(g.measure) = lower(' || {{ quoted("g['measure']") }} || ') then ' || cast(g['margin'] as varchar) || '::double else 0e0 end'
{%- endset %}
{#- Compare the systems once for each condition, with its margin. #}
{%- set comparison -%}
'select ' || (i - 1) || ' as gate, ''' || g['word'] || ''' as word, ''' || g['direction'] || ''' as direction, '
    || cast(g['relative'] as varchar) || ' as relative, c.* from ('
|| {{ replaced("text", {"{margin}": "case when g['relative'] then '0e0' else " ~ margin ~ " end",
    "{relative_margin}": "case when g['relative'] then " ~ margin ~ " else '0e0' end"}) }}
|| ') as c where lower(c.measure) = lower(' || {{ quoted("g['measure']") }}
    || ') qualify dense_rank() over (order by c.measure = ' || {{ quoted("g['measure']") }} || ' desc) = 1'
{%- endset %}
create or replace macro ltr.__ltr_gated(text, gates) as
{{ concatenated_by("list_transform(gates, lambda g, i: " ~ comparison ~ ")", "' union all '") }};

{#- The options that gates do not have keep their defaults. #}
{#- Systems with queries of their own owe no others. #}
{%- set owed = "case when paired or missing <> 'error' then missing else 'skip' end" %}
{%- set compared_text = "ltr.__ltr_compared(ltr.__ltr_fitting("
    "ltr.__ltr_unfit(list_concat(repeats, [compared]), 't', 'holm', 't', " ~ owed ~ ", weights, human, cluster, false, across, generalize, paired), "
    "ltr.__ltr_comparison_parts('t', 'holm', 't', 'gated', " ~ mode ~ ", paired)), "
    "ltr.__ltr_of_datasets(ltr.__ltr_weighted(ltr.__ltr_judged(relation, human, cluster, weights), weights, []::varchar[]), across), null, "
        "[]::varchar[], compared, repeats, lower_is_better, baseline, " ~ owed ~ ", cluster, across)" %}
create or replace macro ltr.__ltr_gates(relation, gates, baseline, compared, repeats, lower_is_better, confidence, missing, weights, human, cluster, across, generalize, paired) as
replace({{ replaced(string(decided), {
    "{gated}": "ltr.__ltr_gated(" ~ replaced(compared_text, defaults) ~ ", gates)",
    "{conditions}": listed("list_transform(gates, lambda g: g['condition'])"),
    "{measures}": listed("list_transform(gates, lambda g: g['measure'])"),
    "{level}": "case when try_cast(confidence as double) > 0.5 and try_cast(confidence as double) < 1 then cast(round(1 - "
        "try_cast(confidence as double), 12) as varchar) || '::double' else error('confidence must be above 0.5 and below "
            "1, got ' || coalesce(cast(confidence as varchar), 'NULL')) end",
}) }}, chr(1), '{');

create or replace macro ltr.gate("values", conditions, baseline, compared := 'system', repeats := []::varchar[], lower_is_better := []::varchar[], confidence := 0.95, missing := 'error', weights := null, human := null, cluster := null, across := null, generalize := 'queries', paired := true) as table
from query({% call without_nulls(["compared := 'system'", "repeats := []", "lower_is_better := []", "missing := 'error'",
    "generalize := 'queries'", "paired := true"]) %}ltr.__ltr_gates(
    {{ table_named('"values"') }},
    list_transform(case when starts_with(typeof(conditions), 'VARCHAR[')
        then list_filter(cast(conditions as varchar[]), lambda c, i: list_position(cast(conditions as varchar[]), c) = i)
        else [cast(conditions as varchar)] end, lambda c: ltr.__ltr_parsed_gate(c)),
    baseline, compared, repeats, lower_is_better, confidence, missing, weights, case when human is null then null else {{ table_named("human") }} end, cluster,
    across, generalize, paired
){% endcall %});
comment on macro table ltr.gate is 'Decide gates, conditions such as ''nDCG@10 significantly worse'', on a table of values (query_id, the compared column, a column for each measure). Returns one row for each condition and system if no system is worse. Otherwise raises an error with the numbers, and another one if a condition cannot be decided.';

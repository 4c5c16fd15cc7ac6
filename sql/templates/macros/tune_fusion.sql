{#- Create ltr.tune_fusion, which writes the query of a search for the weights of a fusion, and runs it by `from query(...)`. -#}
{%- from "macros/query_texts/pieces.sql" import concatenated_by, replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import identifier, number, quoted, with_braces, without_nulls, without_placeholders with context -%}

{%- macro checked(name) -%}
{{ number(name, options[name].condition("try_cast(" ~ name ~ " as double)"), options[name].allowed) }}
{%- endmacro -%}
{%- macro checked_or_null(name) -%}
case when {{ name }} is null then 'null' else {{ checked(name) }} end
{%- endmacro -%}

{#- List the texts of an option: one, or several. #}
create or replace macro ltr.__ltr_tried(option, given) as list_transform(
    [case when right(typeof(given), 2) = '[]' then string_split(trim(cast(given as varchar), '[]'), ', ') else [cast(given as varchar)] end],
    lambda tried: case
        when coalesce(len(tried), 0) = 0 or tried = [''] then error(option || ' is empty: pass at least one, or leave it out')
        when len(list_distinct(tried)) + len(list_filter(tried, lambda t: t is null)) < len(tried)
        then error(option || ' repeats a value: pass each of ' || array_to_string(tried, ', ') || ' once')
        else list_transform(tried, lambda t: case when t = 'NULL' then null else t end)
    end
)[1];

{#- List the choices of method, norm and k. #}
create or replace macro ltr.__ltr_fusion_choices(methods, norms, ks) as flatten(list_transform(methods, lambda m: case
    when m = 'rrf' then list_transform(ks, lambda x: struct_pack(method := m, norm := null::varchar, k := x))
    when list_contains({{ constant(methods_of_ranks) }}, m) then [struct_pack(method := m, norm := null::varchar, k := null::varchar)]
    when list_contains({{ constant(methods) }}, m)
    then list_transform(norms, lambda n: struct_pack(method := m, norm := n, k := null::varchar))
    else error('methods must be of {{ methods | join(", ") }}, got ' || coalesce(m, 'NULL'))
end));

create or replace macro ltr.__ltr_choice_rows(choices) as
{{ concatenated_by("list_transform(choices, lambda c, i: '(' || i || ', ''' || c['method'] || ''', ' "
    "|| coalesce('''' || replace(c['norm'], '''', '''''') || '''', 'null') || ', ' || coalesce(c['k'] || '::double', 'null') || ', ' "
    "|| list_contains(" ~ constant(weighted_methods) ~ ", c['method']) || ')')", "', '") }};

create or replace macro ltr.__ltr_grid_of_fusions(runs, choices, depth) as
{{ concatenated_by("list_transform(choices, lambda c, i: 'select f.* from (' || ltr.__ltr_fuse_query(runs, c['method'], norm := c['norm'], "
    "k := coalesce(try_cast(c['k'] as double), case when c['k'] is null then 60 end), depth := depth, "
    "points := 'select g.configuration as point, g.name, g.weight from __ltr_tuning_grid as g where g.choice = ' || i) || ') as f')",
    "' union all '") }};

{%- set query -%}
with __ltr_tuning_grid as materialized (
    {{ grid | indent(4) }}
),
ltr_tuning_fused as materialized (
    {fused}
),
ltr_tuning_judged as (
    from ltr.judge('ltr_tuning_fused', {qrels}, keys := ['point'])
),
ltr_tuning_judged_runs as (
    from ltr.judge({runs_name}, {qrels}, keys := ['system'])
),
__ltr_tuning_values as materialized (
    from ltr.per_query('ltr_tuning_judged', [{measure}], keys := ['point']) as v(configuration, query_id, value)
),
__ltr_tuning_runs as materialized (
    from ltr.per_query('ltr_tuning_judged_runs', [{measure}], keys := ['system']) as v(system, query_id, value)
),
{{ chosen }},
ltr_tuning_compared as materialized (
    {{ compared | indent(4) }}
),
{#- The comparison has the tuned fusion as its baseline, so differences and verdicts turn round. #}
__ltr_tuning_worth as (
    select
        c.system_b as against,
        c.mean_a as mean,
        c.queries,
        -c.difference as difference,
        -c.high as low,
        -c.low as high,
        c.p_adjusted,
        case c.verdict when 'better' then 'worse' when 'worse' then 'better' else c.verdict end as verdict
    from ltr.compare_values('ltr_tuning_compared', baseline := '{{ tuned_name }}', confidence := {confidence}, details := true) as c
),
__ltr_tuning_table as (
    {{ tuned | indent(4) }}
)
{{ rows }}
{%- endset %}
create or replace macro ltr.__ltr_tuning(runs, qrels, measure, choices, step, folds, holdout, seed, depth, confidence) as
{{ with_braces(replaced(string(query), {
    "{fused}": "ltr.__ltr_grid_of_fusions(runs, choices, depth)",
    "{choices}": "ltr.__ltr_choice_rows(choices)",
    "{runs}": without_placeholders(table_named("runs")),
    "{runs_name}": quoted("cast(runs as varchar)"),
    "{qrels}": quoted("cast(qrels as varchar)"),
    "{measure}": quoted("measure"),
    "\"{value}\"": identifier("measure"),
    "{steps}": "case when abs(1 / try_cast(step as double) - round(1 / try_cast(step as double))) <= 1e-9 / try_cast(step as double) "
        "then cast(cast(round(1 / try_cast(step as double)) as bigint) as varchar) "
        "else error('step must divide 1, as 0.1, 0.05 and 0.25 do, got ' || step) end",
    "{folds}": "case when folds is not null and holdout is not null "
        "then error('folds and holdout are two ways to measure the choice on other queries: pass one of them') "
        "when folds is null then '" ~ default_folds ~ "' else " ~ checked("folds") ~ " end",
    "{holdout}": checked_or_null("holdout"),
    "{seed}": checked("seed"),
    "{level}": "cast(round(1 - try_cast(confidence as double), 12) as varchar) || '::double'",
    "{confidence}": checked("confidence"),
})) }};

create or replace macro ltr.tune_fusion(runs, qrels, measure, {{ signature | join(", ") }}) as table
from query({% call without_nulls(signature) %}ltr.__ltr_tuning(
    runs, qrels, measure,
    ltr.__ltr_fusion_choices(ltr.__ltr_tried('methods', methods), ltr.__ltr_tried('norms', norms), ltr.__ltr_tried('k', k)),
    case when {{ options["step"].condition("try_cast(step as double)") }} then step
        else error('step must be {{ options["step"].allowed }}, got ' || step) end,
    folds, holdout, seed, depth, confidence
){% endcall %});
comment on macro table ltr.tune_fusion is {{ string(comment) }};

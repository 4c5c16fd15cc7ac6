{#- List the findings of sql/checks/ about rankings, or about a run and judgments: one row per finding.
    The caller's columns are cast to text, so that any value can be shown; missing columns are NULL. -#}
{% macro rows_of(relation, keys) -%}
select
    {{ text_of("r.__ltr_keys") }} as keys,
    r.__ltr_names as names,
    r.__ltr_types as types,
    list_contains(r.__ltr_names, 'rank') as has_rank,
    r.__ltr_fields.query_id as query_id,
    r.__ltr_fields.doc_id as doc_id,
    r.__ltr_fields.subtopic as subtopic,
    r.__ltr_fields.rank as rank_text,
    r.__ltr_fields.score as score_text,
    r.__ltr_fields.relevance as relevance_text,
    {%- for name in ["rank", "score", "relevance", "num_ret"] %}
    {{ without_nan("try_cast(r.__ltr_fields." ~ name ~ " as double)") if name != "score" else "try_cast(r.__ltr_fields.score as double)" }} as {{ name }},
    {%- endfor %}
    {{ text_of("r.__ltr_others") }} as others
from (
    select
        {{ packed("c = '__ltr_one' or list_contains(" ~ keys ~ ", c)") }} as __ltr_keys,
        cast({{ packed("lower(c) in (" ~ field_names ~ ")") }} as struct({{ field_types }})) as __ltr_fields,
        list_transform(list_filter(struct_keys({{ packed("true") }}), lambda c: c <> '__ltr_one'), lambda c: case when lower(c) in ({{ field_names }}) then lower(c) else c end) as __ltr_names,
        cast(typeof({{ packed("lower(c) in ('__ltr_one', 'query_id', 'doc_id')") }}) as varchar) as __ltr_types,
        {{ packed("c = '__ltr_one' or not (lower(c) in (" ~ field_names ~ ") or list_contains(" ~ keys ~ ", c))") }} as __ltr_others
    from (
        select
            0 as __ltr_one,
            *
        from {{ relation }}
    )
) as r
where case
    when coalesce(list_has_all(r.__ltr_names, {{ keys }}), false) then true
    else error({{ string(keys_message) }} || coalesce(cast({{ keys }} as varchar), 'NULL'))
end
{%- endmacro %}

{#- Return a struct as text, without the placeholder column __ltr_one. -#}
{%- macro text_of(fields) -%}
nullif(replace(replace(cast({{ fields }} as varchar), '{''__ltr_one'': 0, ', '{'), '{''__ltr_one'': 0}', ''), '')
{%- endmacro %}

{%- macro packed(condition) -%}
struct_pack(*columns(lambda c: {{ condition }}))
{%- endmacro -%}

with __ltr_run_rows as (
    {{ rows_of(run, keys) | indent(4) }}
    {%- if not qrels %}
    {#- Rankings also have rows for documents that were not retrieved. #}
        and (r.__ltr_fields.rank is not null or not list_contains(r.__ltr_names, 'rank'))
    {%- endif %}
),
__ltr_grades as (
    {{ rows_of(qrels or run, "[]::varchar[]" if qrels else keys) | indent(4) }}
)
{%- if measures %},
__ltr_best as (
    {{ best | indent(4) }}
),
__ltr_worst as (
    {{ worst | indent(4) }}
)
{%- endif %}
select
    f.severity,
    f.what,
    f.how_many,
    f.first_rows,
    f.what_to_do
from (
    {%- for finding in findings %}
    select
        {{ loop.index }} as __ltr_number,
        {{ string(finding.severity) }} as severity,
        {{ string(finding.what) }} as what,
        n.how_many,
        n.first_rows,
        {{ string(finding.what_to_do) }} as what_to_do
    from (
        {{ finding.query | indent(8) }}
    ) as n
    {{- "" if loop.last else "\n    union all" }}
    {%- endfor %}
) as f
where f.how_many > 0
order by f.__ltr_number

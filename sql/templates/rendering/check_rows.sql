{#- Select the rows of a table for the findings, with columns cast to text, so that any value can be shown. Missing columns
    are NULL. A key that is also a column of `judgments` names segments of queries. It does not identify rankings of the run. -#}
{#- Return a struct as text, without the placeholder column __ltr_one. -#}
{%- macro text_of(fields) -%}
nullif(replace(replace(cast({{ fields }} as varchar), '{''__ltr_one'': 0, ', '{'), '{''__ltr_one'': 0}', ''), '')
{%- endmacro %}

{%- macro packed(condition) -%}
struct_pack(*columns(lambda c: {{ condition }}))
{%- endmacro -%}

{#- Return an id as text. A whole number has no fraction: a DOUBLE equals an integer. -#}
{%- macro id_of(name) -%}
case
    when regexp_matches(r.__ltr_types, '{{ name }}"? (DOUBLE|FLOAT|DECIMAL)', 'i')
    then regexp_replace(r.__ltr_fields.{{ name }}, '[.]0+$', '')
    else r.__ltr_fields.{{ name }}
end
{%- endmacro %}

{%- set is_key = "list_contains(" ~ keys ~ ", c)" ~ (" and not list_contains((*), '__ltr_also_' || c)" if judgments) -%}
select
    {{ text_of("r.__ltr_keys") }} as keys,
    r.__ltr_names as names,
    r.__ltr_types as types,
    list_contains(r.__ltr_names, 'rank') as has_rank,
    {{ id_of("query_id") | indent(4) }} as query_id,
    {{ id_of("doc_id") | indent(4) }} as doc_id,
    r.__ltr_fields.subtopic as subtopic,
    r.__ltr_fields.rank as rank_text,
    r.__ltr_fields.score as score_text,
    r.__ltr_fields.relevance as relevance_text,
    {%- for name in ["rank", "score", "relevance", "num_ret"] %}
    {{ without_nan("try_cast(r.__ltr_fields." ~ name ~ " as double)") if name != "score" else "try_cast(r.__ltr_fields.score as double)" }} as {{ name }},
    {%- endfor %}
    {{ beyond_double("r.__ltr_score") }} as exact_score,
    {{ text_of("r.__ltr_others") }} as others
from (
    select
        {{ packed("c = '__ltr_one' or " ~ is_key) }} as __ltr_keys,
        cast({{ packed("lower(c) in (" ~ field_names ~ ")") }} as struct({{ field_types }})) as __ltr_fields,
        struct_keys({{ packed("true") }}) as __ltr_all_names,
        list_transform(list_filter(struct_keys({{ packed("true") }}), lambda c: left(c, 6) <> '__ltr_'),
            lambda c: case when lower(c) in ({{ field_names }}) then lower(c) else c end) as __ltr_names,
        cast(typeof({{ packed("lower(c) in ('__ltr_one', 'query_id', 'doc_id')") }}) as varchar) as __ltr_types,
        coalesce(*columns(lambda c: lower(c) in ('score', '__ltr_none'))) as __ltr_score,
        {{ packed("c = '__ltr_one' or not (lower(c) in (" ~ field_names ~ ") or starts_with(c, '__ltr_') or " ~ is_key ~ ")") }} as __ltr_others
    from {{ with_names_of(relation, judgments) if judgments else "(select 0 as __ltr_one, null as __ltr_none, * from " ~ relation ~ ")" }}
) as r
where case
    when coalesce(list_has_all({{ "list_transform(r.__ltr_all_names, lambda n: replace(n, '__ltr_also_', ''))" if judgments else "r.__ltr_all_names" }},
        {{ keys }}), false) then true
    else error({{ string(keys_message) }} || coalesce(cast({{ keys }} as varchar), 'NULL'))
end

{#- Rows of documents that row sources read. -#}

{#- Select the judged documents, plus one row per query with the number of retrieved documents. -#}
{% macro judged_and_counted(documents) -%}
(
    select
        {{ key("r") }},
        r.rank,
        r.relevance,
        r.num_ret
    from {{ documents }} as r
    where r.relevance is not null
    union all
    select
        {{ key("r") }},
        null as rank,
        null as relevance,
        max(coalesce(r.num_ret, r.rank)) as num_ret
    from {{ documents }} as r
    group by {{ key("r") }}
    having {{ validate_ranks("r.rank", "r.relevance", "true") | indent(4) }}
        and {{ validate_num_ret("r.rank", "r.num_ret") | indent(8) }}
)
{%- endmacro %}

{#- Count the findings of sql/findings/ about a run without judgments, such as a run to fuse: one column per finding. If the
    run is `graded`, rows without a rank are judged documents that were not retrieved. -#}
{%- set name = "score" if scored else "rank" -%}
select
    {{ nulls("r", ["query_id", "doc_id"]) }} as null_ids,
    {{ not_numbers("r", ["score"], kinds) if scored else "count(r.rank) - count(" ~ rank_of("r", kinds) ~ ")" }} as no_numbers,
    {%- if twice %}
    {{ repeated(key("r") ~ ", r.doc_id") }} as duplicate_documents,
    {%- endif %}
    {%- if scored %}
    count(*) - count(case when isfinite({{ number_of("r", "score", kinds) }}) then 1 end) as scores_not_finite
    {%- else %}
    {%- if not graded %}
    count(*) - count(r.rank) as ranks_missing,
    {%- endif %}
    {{ not_whole("r", kinds) }} as ranks_not_whole,
    count(case when {{ out_of_range(rank_of("r", kinds)) }} then 1 end) as ranks_out_of_range
    {%- endif %}
from (
    select
        {{ key_definition("j") }},
        j.doc_id,
        j.{{ name }}
    from {{ run }} as j
) as r

{#- Count the findings of sql/findings/ that every evaluation looks for: one column per finding. `ranks_unclear` counts the queries
    whose checksum of ranks is not the checksum of 1 to n. validation/unclear_ranks.sql examines these queries. If `searched_part`
    is 0, validation/duplicates_in_sample.sql looks for duplicate documents, and `rows_apart` counts the queries whose rows do not
    lie together. Other costly
    checks run in the join (inputs/reject_duplicates.sql). `judged_queries` is a relation with the queries of judgments that
    have been checked, or empty. -#}
{#- Select the documents that are searched for duplicates. -#}
{% macro searched() -%}
r.doc_id is not null
{%- if read != "all" and searched_part > 1 %}
and (
    hash(r.query_id) % {{ searched_part }} = 0
    {%- if read == "relevant" %}
    or {{ number_of("r", "relevance", kinds) }} > 0
    {%- elif read %}
    or r.relevance is not null
    {%- endif %}
)
{%- endif %}
{%- endmacro -%}
with __ltr_run_queries as (
    select
        {{ key("r") }},
        {{ nulls("r", ["query_id", "doc_id"] if qrels and searched_part else ["query_id"]) }} as null_ids,
        {{ not_numbers("r", numbers, kinds) }} as no_numbers
        {%- if not searched_part %},
        max(r.__ltr_position) - min(r.__ltr_position) + 1 - count(*) as rows_between
        {%- endif %}
        {%- if scored %},
        count(*) - count({{ number_of("r", "score", kinds) }}) as no_scores,
        min({{ number_of("r", "score", kinds) }}) as lowest_score,
        max({{ number_of("r", "score", kinds) }}) as highest_score
        {%- elif "rank" in numbers %},
        {{ counted_ranks("r", kinds) | indent(8) }},
        {{ not_whole("r", kinds) }} as ranks_not_whole
        {%- if counted %},
        max({{ rank_of("r", kinds) }}) as last_rank,
        min({{ number_of("r", "num_ret", kinds) }}) as least_num_ret,
        max({{ number_of("r", "num_ret", kinds) }}) as num_ret
        {%- endif %}
        {%- endif %}
        {%- if "relevance" in numbers %},
        {{ infinite("r", "relevance", kinds) }} as grades_infinite
        {%- endif %}
        {%- if with_ids and searched_part %},
        {#- A duplicate shifts the ranks below it, even if no measure reads its grade. In a large run, look among the
            documents that the measures read, and in one of `searched_part` queries. One list for each query takes less
            time and memory than counting distinct documents of all queries. #}
        count(*) filter (where {{ searched() | indent(8) }})
        - list_unique(list(hash(r.doc_id{{ ", r.subtopic" if by_subtopic and not qrels }})) filter (where {{ searched() | indent(8) }})) as duplicates
        {%- endif %}
    from (
        select
            {{ key_definition("j") }}
            {%- if not searched_part %},
            j.__ltr_position
            {%- elif with_ids %},
            j.doc_id
            {%- if by_subtopic and not qrels %},
            j.subtopic
            {%- endif %}
            {%- endif %}
            {%- for name in numbers + (["num_ret"] if counted else []) %},
            j.{{ name }}
            {%- endfor %}
        from {{ run if searched_part else positions }} as j
    ) as r
    group by {{ key("r") }}
)
{%- if qrels %},
__ltr_judged_queries as (
    {%- if judged_queries %}
    select
        q.query_id,
        0 as null_ids,
        0 as no_numbers,
        0 as grades_infinite,
        0 as duplicates
    from {{ judged_queries }} as q
    {%- else %}
    select
        q.query_id,
        {{ nulls("q", ["query_id", "doc_id"]) }} as null_ids,
        {{ not_numbers("q", ["relevance"], kinds) }} as no_numbers,
        {{ infinite("q", "relevance", kinds) }} as grades_infinite,
        count(*) - list_unique(list(hash(q.doc_id{{ ", q.subtopic" if by_subtopic }}))) as duplicates
        {%- if text_ids %},
        count(case when {% for name in text_ids %}{{ " or " if not loop.first }}{{ beyond_ascii("q." ~ name) }}{% endfor %} then 1 end) as beyond_ascii
        {%- endif %}
    from {{ qrels }} as q
    group by q.query_id
    {%- endif %}
)
{%- endif %}
select
    coalesce(sum(r.null_ids), 0){{ " + coalesce(sum(q.null_ids), 0)" if qrels }}
    {%- if not searched_part %}
    {#- DuckDB reads this number from the footer of a Parquet file. #} + (select {{ nulls("j", ["doc_id"]) }} from {{ run }} as j)
    {%- endif %} as null_ids,
    coalesce(sum(r.no_numbers), 0){{ " + coalesce(sum(q.no_numbers), 0)" if qrels }} as no_numbers,
    case when count(r.null_ids) = 0{{ " or count(q.null_ids) = 0" if qrels }} then 1 else 0 end as no_rows
    {%- if scored %},
    count(case when r.no_scores > 0 or not isfinite(r.lowest_score) or not isfinite(r.highest_score) then 1 end) as scores_not_finite
    {%- elif "rank" in numbers %},
    {{ "coalesce(sum(r.unranked), 0)" if qrels else "0" }} as ranks_missing,
    coalesce(sum(r.ranks_not_whole), 0) as ranks_not_whole,
    count(case when {{ unclear_ranks("r", "m") }} then 1 end) as ranks_unclear
    {%- if counted %},
    count(case
        when {{ impossible_num_ret("r.least_num_ret", "r.num_ret", "r.last_rank") }}
        then 1
    end) as num_ret_impossible
    {%- endif %}
    {%- endif %}
    {%- if qrels %},
    coalesce(sum(q.grades_infinite), 0) as grades_infinite,
    {%- if text_ids %}
    {#- If this count is not 0, the finding looks for ids of the run in another Unicode form. #}
    coalesce(sum(q.beyond_ascii), 0) as ids_in_two_unicode_forms,
    {%- endif %}
    coalesce(sum(q.duplicates), 0) as duplicate_judgments,
    case when count(r.null_ids + q.null_ids) = 0 then 1 else 0 end as no_common_queries,
    count(r.query_id) - count(r.null_ids + q.null_ids) as queries_not_judged,
    {% if system("n") -%}
    count(distinct q.query_id) * (select count(*) from (select distinct {{ system("n") }} from __ltr_run_queries as n) as s)
    {%- else -%}
    count(q.null_ids)
    {%- endif %} - count(r.null_ids + q.null_ids) as queries_not_run
    {%- else %}
    {%- if "relevance" in numbers %},
    coalesce(sum(r.grades_infinite), 0) as grades_infinite
    {%- endif %}
    {%- endif %}
    {%- if not searched_part %},
    count(case when r.rows_between > 0 then 1 end) as rows_apart
    {%- elif with_ids %},
    coalesce(sum(r.duplicates), 0) as duplicate_documents
    {%- endif %}
from __ltr_run_queries as r
{%- if "rank" in numbers %}
left join {{ expected_rank_checksums("__ltr_run_queries") | indent(4) }} as m
    on m.ranks = r.ranks
{%- endif %}
{%- if qrels %}
full join __ltr_judged_queries as q
    on q.query_id = r.query_id
{%- endif %}

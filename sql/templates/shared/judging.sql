{#- Judgments of several raters. -#}

{#- Create the CTE of the ratings of a table of judgments. A NULL in relevance is not a rating. -#}
{% macro rating_rows(judgments) -%}
__ltr_given as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.rater,
        r.relevance,
        r.exact
    from (
        select
            {{ run_key_definition("j", "doc_id", "rater", "relevance") | indent(12) }},
            j.doc_id,
            j.rater,
            j.relevance as exact,
            cast(j.relevance as double) as relevance
        from {{ run_relation(judgments, "relevance") }} as j
    ) as r
    where case
        when r.relevance is null then false
        when r.query_id is null or r.doc_id is null or r.rater is null
        then {{ error("a row of the judgments has a NULL in query_id, doc_id or rater: leave the row out, or fill in the missing id or rater") }}
        when abs(r.relevance) < 9007199254740992 then true
        else {{ error_of("relevance must be a finite number below 9007199254740992, or NULL if the rater gave none; got", "r.relevance") }}
    end
    {%- if keys_check("r") %}
    and {{ keys_check("r") }}
    and {{ bytewise_check("r.doc_id", "r.rater") }}
    {%- endif %}
),
__ltr_ratings as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.rater,
        min(r.relevance) as relevance
    from __ltr_given as r
    {#- The type is known when the query is planned, so ratings that are not decimals skip this test. #}
    where (
        select case
            when count(*) = 0 then true
            else {{ error_of("two grades differ but are equal as doubles: round the column relevance; the grade is", "min(g.relevance)") }}
        end
        from (
            select g.relevance
            from __ltr_given as g
            where lower(typeof(g.exact)) like 'decimal%'
            group by g.relevance
            having min(g.exact) < max(g.exact)
        ) as g
    )
    group by {{ run_key("r") }}, r.doc_id, r.rater
    having case
        when count(*) = 1 then true
        else {{ error_of("a rater judged a document twice: keep one row, or pass the column that distinguishes them as a key; the rater is", "r.rater") }}
    end
)
{%- endmacro %}

{#- Create the CTEs of the ratings, of the number of raters, and of the documents that two raters judged. -#}
{% macro paired_ratings(judgments) -%}
{{ rating_rows(judgments) }},
__ltr_raters as (
    select
        {{ group_columns("r") }}count(distinct r.rater) as raters
    from __ltr_ratings as r
    {{ group_by_group("r") }}
    having case
        when count(*) = 0 then false
        when count(distinct r.rater) > 1 then true
        else {{ error("the judgments name one rater: pass those of at least two in the column rater") }}
    end
),
__ltr_paired as (
    select
        {{ run_key("a") }},
        a.rater as rater_a,
        b.rater as rater_b,
        a.relevance as a,
        b.relevance as b
    from __ltr_ratings as a
    join __ltr_ratings as b
        on {{ same_key("b", "a") }} and b.doc_id = a.doc_id and a.rater < b.rater
)
{%- endmacro %}

{#- Create the CTE of the grades with the most votes: one row for each document. -#}
{% macro most_votes() -%}
__ltr_votes as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.relevance,
        count(*) as votes
    from __ltr_ratings as r
    group by {{ run_key("r") }}, r.doc_id, r.relevance
),
__ltr_most_votes as (
    select
        {{ run_key("v") }},
        v.doc_id,
        min(v.relevance) as lower_grade,
        max(v.relevance) as higher_grade
    from (
        select
            {{ run_key("v") }},
            v.doc_id,
            v.relevance,
            rank() over (partition by {{ key("v") }}, v.doc_id order by v.votes desc nulls last) as place
        from __ltr_votes as v
    ) as v
    where v.place = 1
    group by {{ run_key("v") }}, v.doc_id
)
{%- endmacro %}

{#- Merge the ratings of each document by an aggregate. -#}
{% macro merged_by(aggregate) -%}
__ltr_merged as (
    select
        {{ run_key("r") }},
        r.doc_id,
        {{ aggregate }}(r.relevance) as relevance,
        cast(null as double) as probability,
        cast(null as {{ text_type }}) as finding
    from __ltr_ratings as r
    group by {{ run_key("r") }}, r.doc_id
)
{%- endmacro %}

{#- Create the CTEs of the documents that each system brings to a pool: its top `depth`, by its ranks or else by score. -#}
{% macro contributed_documents(runs, system_column, has_rank, depth) -%}
__ltr_runs as (
    select
        {{ run_key_definition("r", "doc_id") | indent(8) }},
        r.doc_id,
        r.{{ system_column }} as system,
        {{ run_fields("r", has_rank, "docid_desc", none) | indent(8) }}
    from {{ run_relation(runs, "rank", "score", "row_order") }} as r
),
__ltr_read as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.system
        {%- if has_rank is not false %},
        {{ row("r") }}.rank as rank
        {%- endif %}
        {%- if has_rank is not true %},
        {{ row("r") }}.score as score
        {%- for name in exact_columns("docid_desc") %},
        r.{{ name }}
        {%- endfor %}
        {%- endif %}
    from __ltr_runs as r
    where case
        when r.query_id is null or r.doc_id is null or r.system is null
        then {{ error("a row of the runs has a NULL in query_id, doc_id or the column of systems: leave the row out, or fill in the missing id or system") }}
        else true
    end
    {%- if has_rank is call_time %}
    and case
        when (select count({{ row("t") }}.rank) > 0 from __ltr_runs as t) then true
        when not list_contains(r.__ltr_present, 'score') then {{ error("a run needs a column rank or score") }}
        else {{ validate_score_of("r") | indent(8) }}
    end
    {%- elif not has_rank %}
    and {{ validate_score(row("r") ~ ".score") | indent(4) }}
    {%- endif %}
    {%- if keys_check("r") %}
    and {{ keys_check("r") }}
    and {{ bytewise_check("r.doc_id", "r.system") }}
    {%- endif %}
),
__ltr_ranked as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.system,
        {% if has_rank is call_time -%}
        case when (select count(t.rank) > 0 from __ltr_read as t) then {{ rank_in_run("r.rank") }} else row_number() over __ltr_ranking_order end as rank
        {%- else -%}
        {{ rank_in_run("r.rank") if has_rank else "row_number() over __ltr_ranking_order" }} as rank
        {%- endif %}
    from __ltr_read as r
    {%- if has_rank is not true %}
    window __ltr_ranking_order as (
        partition by {{ key("r") }}, r.system
        order by
            {{ ranking_order("r", "docid_desc", "r") | indent(12) }}
    )
    {%- endif %}
),
__ltr_contributed as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.system,
        min(r.rank) as rank
    from __ltr_ranked as r
    where r.rank <= {{ depth }}
    group by {{ run_key("r") }}, r.doc_id, r.system
    having case when count(*) = 1 then true else {{ reject_duplicate_document() }} end
)
{%- endmacro %}

{#- Chunks of documents. -#}

{#- Sum the values of a group in ascending order, so that the last bits of the sum do not depend on the order of rows. -#}
{% macro sum_in_order(value) -%}
{{ sum_of(sorted_elements("array_agg(" ~ value ~ ")")) }}
{%- endmacro %}

{#- Models of clicks. -#}

{#- Return the share of views with a click. NULL without views and without prior views. -#}
{% macro clicked_share(clicks, views, prior_clicks, prior_views) -%}
case
    when {{ prior_clicks }} > {{ prior_views }}
    then {{ error_of("prior_clicks must be at most prior_views, as a view has at most one click; prior_views is", prior_views, "double") }}
    else ({{ clicks }} + {{ prior_clicks }}) / nullif({{ views }} + {{ prior_views }}, 0)
end
{%- endmacro %}

{#- Create the CTE of the impressions and clicks of each document at each rank. -#}
{% macro click_counts() -%}
__ltr_counts as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.rank,
        cast(count(*) as double) as views,
        sum(r.click) as clicks
    from __ltr_log as r
    group by {{ run_key("r") }}, r.doc_id, r.rank
)
{%- endmacro %}

{#- Create the CTEs of `click_counts`, and of the click-through rate of each rank. -#}
{% macro click_shares() -%}
{{ click_counts() }},
__ltr_shares as (
    select
        {{ group_columns("c") }}c.rank,
        sum(c.clicks) / sum(c.views) as share
    from __ltr_counts as c
    {{ group_by_group("c", "c.rank") }}
)
{%- endmacro %}

{#- Create the CTE of the log with a column `examined`: 0 for rows below the first or last click of their list, else 1. -#}
{% macro examined_rows(first_or_last) -%}
__ltr_lists as (
    select
        {{ run_key("r") }},
        r.session_id,
        {{ first_or_last }}(case when r.click = 1 then r.rank end) as clicked_rank
    from __ltr_log as r
    group by {{ run_key("r") }}, r.session_id
    having case
        when count(*) = count(distinct r.rank) then true
        else {{ error("two rows of a session have the same query_id and rank: give each list its own session_id") }}
    end
    and case
        when count(*) = count(distinct r.doc_id) then true
        else {{ error_of("a list shows a document twice: keep one of its rows, or give each list its own session_id; the session_id is", "r.session_id") }}
    end
),
__ltr_examined as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.click,
        case when l.clicked_rank is null or r.rank <= l.clicked_rank then 1e0 else 0e0 end as examined,
        case when r.rank = l.clicked_rank then 1e0 else 0e0 end as at_the_click
    from __ltr_log as r
    join __ltr_lists as l
        on {{ same_key("l", "r") }} and l.session_id = r.session_id
)
{%- endmacro %}

{#- Create the CTE of the judgment of each document: the share of its views with a click. `clicks` and `views` are aggregates over its
    rows in `relation`. -#}
{% macro clicked_documents(relation, clicks, views, prior_clicks, prior_views) -%}
__ltr_modelled as (
    select
        {{ run_key("r") }},
        r.doc_id,
        {{ clicked_share(clicks, views, prior_clicks, prior_views) }} as relevance,
        count(*) as views,
        sum(r.click) as clicks
    from {{ relation }} as r
    group by {{ run_key("r") }}, r.doc_id
)
{%- endmacro %}

{#- Create the CTE of the attraction of each document: the share of its examined rows that have a click. The priors are 1 and 2 by
    default. -#}
{% macro attraction_of_examined(first_or_last, prior_clicks, prior_views) -%}
{{ examined_rows(first_or_last) }},
{{ clicked_documents("__ltr_examined", "sum(r.click * r.examined)", "sum(r.examined)",
    "coalesce(" ~ prior_clicks ~ ", 1e0)", "coalesce(" ~ prior_views ~ ", 2e0)") }}
{%- endmacro %}

{#- Create the CTEs of the position-based model: P(click) = attraction of the document * examination of the rank, by expectation
    maximisation. All attractions and examinations start at 0.5. The sums over a document or rank are smoothed by 1 click in 2
    views, and the results are at most 0.999999, as in PyClick. -#}
{% macro position_based_model(iterations) -%}
{{ click_counts() }},
{#- Number groups and documents, because whole numbers are compared faster. #}
__ltr_items as materialized (
    select
        {{ run_key("t") }},
        t.doc_id,
        row_number() over () as item,
        dense_rank() over ({{ "order by " ~ system("t") | ascending if system("t") else "" }}) as grp
    from (
        select
            {{ run_key("c") }},
            c.doc_id
        from __ltr_counts as c
        group by {{ run_key("c") }}, c.doc_id
    ) as t
),
__ltr_numbered as materialized (
    select
        i.item,
        i.grp,
        c.rank,
        c.views,
        c.clicks
    from __ltr_counts as c
    join __ltr_items as i
        on {{ same_key("i", "c") }} and i.doc_id = c.doc_id
),
__ltr_em as (
    select
        n.item,
        n.grp,
        n.rank,
        n.views,
        n.clicks,
        0.5e0 as attraction,
        0.5e0 as examination,
        0 as step
    from __ltr_numbered as n
    union all
    select
        e.item,
        e.grp,
        e.rank,
        e.views,
        e.clicks,
        i.attraction,
        p.examination,
        e.step + 1
    from __ltr_em as e
    join (
        select
            s.item,
            least((1e0 + sum(s.clicks + (s.views - s.clicks) * (1e0 - s.examination) * s.attraction / (1e0 - s.examination * s.attraction)))
                / (2e0 + sum(s.views)), 0.999999e0) as attraction
        from __ltr_em as s
        group by s.item
    ) as i
        on i.item = e.item
    join (
        select
            s.grp,
            s.rank,
            least((1e0 + sum(s.clicks + (s.views - s.clicks) * (1e0 - s.attraction) * s.examination / (1e0 - s.examination * s.attraction)))
                / (2e0 + sum(s.views)), 0.999999e0) as examination
        from __ltr_em as s
        group by s.grp, s.rank
    ) as p
        on p.grp = e.grp and p.rank = e.rank
    where e.step < {{ iterations }}
)
{%- endmacro %}

{#- Create the CTE of the rows of a log of clicks, with the columns `reads` in addition to ids and clicks. -#}
{% macro click_log(log, reads) -%}
__ltr_log as (
    select
        {{ run_key("r") }},
        r.doc_id,
        {%- for name in reads %}
        r.{{ name }},
        {%- endfor %}
        r.click
    from (
        select
            {{ run_key_definition("l", "doc_id", "click", *reads) | indent(12) }},
            l.doc_id,
            {%- for name in reads %}
            {{ "cast(l.rank as double) as rank" if name == "rank" else "l." ~ name }},
            {%- endfor %}
            cast(l.click as double) as click
        from {{ run_relation(log, "click", *(["rank"] if "rank" in reads else [])) }} as l
    ) as r
    where case
        when r.query_id is null or r.doc_id is null{% if "session_id" in reads %} or r.session_id is null{% endif %}
        then {{ error("a row of the log has a NULL in query_id, doc_id or session_id: leave the row out, or fill in the missing id") }}
        when r.click in (0, 1) then true
        else {{ error_of("click must be 0 or 1: write one row for each impression; got", "r.click") }}
    end
    {%- if "rank" in reads %}
    and case
        when r.rank >= 1 and r.rank = floor(r.rank) and r.rank < 9e15 then true
        else {{ error_of("rank must be a whole number from 1, got", "r.rank") }}
    end
    {%- endif %}
    {%- if keys_check("r") %}
    and {{ keys_check("r") }}
    and {{ bytewise_check("r.doc_id", *(["r.session_id"] if "session_id" in reads else [])) }}
    {%- endif %}
)
{%- endmacro %}

{#- Create the CTE of the ratio of click shares at each rank to those at `upper_rank`, summed over the documents shown at both
    ranks. -#}
{% macro shown_at_both(upper_rank, weight) -%}
__ltr_both as (
    select
        {{ group_columns("b") }}b.rank,
        sum({{ views_weight(weight) }} * b.clicks / b.views) / nullif(sum({{ views_weight(weight) }} * a.clicks / a.views), 0) as ratio
    from __ltr_counts as a
    join __ltr_counts as b
        on {{ same_key("b", "a") }} and b.doc_id = a.doc_id and a.rank = {{ upper_rank }}
    {{ group_by_group("b", "b.rank") }}
)
{%- endmacro %}

{#- Return the weight of a document that was shown at two ranks. -#}
{% macro views_weight(weight) -%}
case when {{ weight }} = 'views' then least(a.views, b.views) else 1e0 end
{%- endmacro %}

{#- Building blocks of the row sources of measures beyond accuracy. These read lists: the rows `r` of __ltr_lists, one for each
    document of a list. A row has the key of its list, the columns of `run_of`, doc_id and rank. The CTEs __ltr_given_NAME hold the
    caller's tables. -#}

{#- Reference the run of a row: its grouping columns without query_id. -#}
{% macro run_of(row) -%}
{{ system(row) or row ~ ".__ltr_one" }}
{%- endmacro %}

{#- Compare the runs of two rows. -#}
{% macro same_run(row, other) -%}
{{ same_system(row, other) or row ~ ".__ltr_one = " ~ other ~ ".__ltr_one" }}
{%- endmacro %}

{#- Count the rows of a document in a list, as an aggregate. A NULL doc_id counts as 2, so that callers reject it like a
    duplicate. -#}
{% macro times_in_list(doc_id) -%}
case when {{ doc_id }} is null then 2 else count(*) end
{%- endmacro %}

{#- Select the rows of the top k of each list. -#}
{% macro top_of_lists(k) -%}
(
    select
        {{ run_key("t") }},
        t.__ltr_one,
        t.doc_id,
        t.rank
    from __ltr_lists as t
    where {{ in_top(k, "t.rank") }}
)
{%- endmacro %}

{#- True if the value of a choice parameter is `choice`. -#}
{% macro chosen(value, choice) -%}
{% if value is call_time %}{{ value }}{% else %}'{{ value }}'{% endif %} = '{{ choice }}'
{%- endmacro %}

{#- Return the vector of a document as an aggregate over its rows, or raise an error if they differ. -#}
{% macro one_vector(vector) -%}
case when min({{ vector }}) = max({{ vector }}) then min({{ vector }})
    else {{ error("a document has two vectors in the table of documents: keep one of them", "double[]") }} end
{%- endmacro %}

{#- Return the popularity of a document as an aggregate over its rows, or raise an error if they differ or are infinite. -#}
{% macro one_popularity(popularity) -%}
case when min({{ popularity }}) = max({{ popularity }})
    and abs(min({{ popularity }})) < cast('inf' as double) then min({{ popularity }})
    else {{ error("a document has two popularities in the table of documents, or one that is NaN or infinite: keep one finite number", "double") }}
    end
{%- endmacro %}

{#- Return the length of a vector. Raise an error if it is 0 or not finite, or if the condition `other_dimensions` is true:
    vectors differ in their number of dimensions. -#}
{% macro length_of_vector(length, other_dimensions) -%}
case
    when {{ other_dimensions }}
        then {{ error("the vectors in the table of documents have different numbers of dimensions: pass vectors of one model", "double") }}
    when {{ length }} > 0 and {{ length }} < cast('inf' as double) then {{ length }}
    else {{ error("a vector in the table of documents is all zeros, or has an element that is NULL, NaN or infinite: its "
        "angle to other vectors is undefined; correct the vector, or set the whole vector to NULL", "double") }}
end
{%- endmacro %}

{#- Return the exposure of a document at a rank. -#}
{% macro exposure_of(rank, exposure, p) -%}
{{ choose(exposure, {
    "log": "case when " ~ rank ~ " > 2 then 1e0 / log2(" ~ rank ~ ") else 1e0 end",
    "log1": log_discount(rank),
    "rbp": reach_probability(p, rank),
    "geometric": one_minus(p) ~ " * " ~ reach_probability(p, rank),
}) }}
{%- endmacro %}

{#- Return 1 - p. -#}
{% macro one_minus(p) -%}
(1 - {{ p }})
{%- endmacro %}

{#- Select the targets of the groups, or raise an error if they are not shares of a whole. Without a column query_id, the
    query_id is '' in all rows. -#}
{% macro checked_targets() -%}
select
    t.query_id,
    t.group_name,
    t.share
from (
    select
        g.query_id,
        g.group_name,
        g.share,
        sum(g.share) over (partition by g.query_id) as total,
        count(*) over (partition by g.query_id, g.group_name) as times,
        count(*) over () as targets,
        count(g.given_query_id) over () as targets_of_queries
    from (
        select
            coalesce({{ text_of_id("t.query_id") }}, '') as query_id,
            t.query_id as given_query_id,
            t.group_name,
            t.share
        from __ltr_given_targets as t
    ) as g
) as t
where case
    when t.targets_of_queries > 0
        and t.targets_of_queries < t.targets then {{ error("a row of the table of targets has no query_id: set it in all rows, or leave the column out") }}
    when t.group_name is null or t.times > 1 then {{ error("the table of targets needs one row for each group, or for each query and group") }}
    when t.share >= 0 and abs(t.total - 1) <= 1e-9 then true
    else {{ error("the shares in the table of targets must be at least 0 and sum to 1, in each query if it has a query_id: divide them by their sum") }}
end
{%- endmacro %}

{#- Select the targets of each list, or raise an error for a list without any. -#}
{% macro targets_of_lists(targets) -%}
select
    {{ run_key("q") }},
    q.__ltr_one,
    t.group_name,
    t.share
from (
    select
        {{ run_key("q") }},
        q.__ltr_one,
        case when n.targets_of_queries > 0 then {{ text_of_id("q.query_id") }} else '' end as targets_of
    from __ltr_queries as q
    cross join (
        select count(g.query_id) as targets_of_queries
        from __ltr_given_targets as g
    ) as n
) as q
left join {{ targets }} as t
    on t.query_id = q.targets_of
where case when t.share is null then {{ error_of("the table of targets has no row for a query of the run: add its targets; the query is", "q.query_id") }}
    else true end
{%- endmacro %}

{#- Select the groups of documents with the weight of each document in them, 1 unless the table has weights. Raise an error
    for a document whose weights do not sum to 1, and for a group without a target. -#}
{% macro groups_of_documents(targets=none) -%}
select
    m.doc_id,
    m.group_name,
    m.weight
from (
    select
        m.doc_id,
        m.group_name,
        m.weight,
        m.has_two_weights,
        {%- if targets %}
        coalesce(t.queries, 0) < n.queries as lacks_a_target,
        {%- endif %}
        sum(m.weight) over (partition by m.doc_id) as total
    from (
        select
            g.doc_id,
            g.group_name,
            coalesce(min(g.weight), case when g.group_name is null then 0e0 else 1e0 end) as weight,
            min(g.weight) < max(g.weight) as has_two_weights
        from __ltr_given_documents as g
        group by g.doc_id, g.group_name
    ) as m
    {%- if targets %}
    left join (
        select
            t.group_name,
            count(*) as queries
        from {{ targets }} as t
        group by t.group_name
    ) as t
        on t.group_name = m.group_name
    cross join (
        select count(distinct t.query_id) as queries
        from {{ targets }} as t
    ) as n
    {%- endif %}
) as m
where case
    when m.group_name is null then false
    when coalesce(m.has_two_weights, false)
        then {{ error_of("a document has two weights for one group in the table of documents: keep one of them; the document is", "m.doc_id") }}
    when not (m.weight >= 0 and abs(m.total - 1) <= 1e-9) then {{ error_of("a document has two groups, or weights that "
        "are negative or do not sum to 1, in the table of documents: keep one group, make a group of their combination, "
            "or add a column weight with the share of the document that belongs to each group; the document is", "m.doc_id") }}
    {%- if targets %}
    when m.lacks_a_target
        then {{ error_of("a group of the table of documents has no target: add it to the table of targets, with the share 0 if none is due; the group is",
        "m.group_name") }}
    {%- endif %}
    else m.weight > 0
end
{%- endmacro %}

{#- Select the judgments, or raise an error for a duplicate, and for a relevance that is NaN or infinite. -#}
{% macro finite_judgments() -%}
select
    g.query_id,
    g.doc_id,
    max(g.relevance) as relevance
from __ltr_given_qrels as g
group by g.query_id, g.doc_id
having case
    when count(*) > 1 then {{ reject_duplicate_judgment() }}
    when coalesce(abs(max(g.relevance)) < cast('inf' as double), true) then true
    else {{ error_of("the relevance in the judgments must be a finite number, got", "max(g.relevance)") }}
end
{%- endmacro %}

{#- Row sources of measures beyond accuracy. They read lists: the rows `r` of __ltr_lists, one for each document of a list. A row
    has the key of its list, the columns of `run_of`, doc_id and rank. The CTEs __ltr_given_NAME hold the caller's tables. -#}

{#- Reference the run of a row: its grouping columns without query_id. -#}
{% macro run_of(row) -%}
{{ row }}.__ltr_one{% if system(row) %}, {{ system(row) }}{% endif %}
{%- endmacro %}

{#- Compare the runs of two rows. -#}
{% macro same_run(row, other) -%}
{{ row }}.__ltr_one = {{ other }}.__ltr_one{% if same_system(row, other) %} and {{ same_system(row, other) }}{% endif %}
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
{% if value is symbol %}{{ value }}{% else %}'{{ value }}'{% endif %} = '{{ choice }}'
{%- endmacro %}

{#- Return the vector of a document as an aggregate over its rows, or raise an error if they differ. -#}
{% macro one_vector(vector) -%}
case when min({{ vector }}) = max({{ vector }}) then min({{ vector }}) else {{ error("a document has two vectors in the table of documents: keep one of them") }} end
{%- endmacro %}

{#- Return the popularity of a document as an aggregate over its rows, or raise an error if they differ or are infinite. -#}
{% macro one_popularity(popularity) -%}
case when min({{ popularity }}) = max({{ popularity }}) and abs(min({{ popularity }})) < cast('inf' as double) then min({{ popularity }}) else {{ error("a document has two popularities in the table of documents, or one that is NaN or infinite: keep one finite number") }} end
{%- endmacro %}

{#- Return the length of a vector, or raise an error if it is 0 or not a number, or if vectors have `other_dimensions`. -#}
{% macro length_of_vector(length, other_dimensions) -%}
case
    when {{ other_dimensions }} then {{ error("the vectors in the table of documents have different numbers of dimensions: pass vectors of one model") }}
    when {{ length }} > 0 and {{ length }} < cast('inf' as double) then {{ length }}
    else {{ error("a vector in the table of documents has the length 0, NULL or infinity, so it has no angle to others: leave it out, or set it to NULL") }}
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

{#- Select the targets of the groups, or raise an error if they are not shares of a whole. -#}
{% macro checked_targets() -%}
select
    t.group_name,
    t.share
from (
    select
        g.group_name,
        g.share,
        sum(g.share) over () as total,
        count(*) over (partition by g.group_name) as times
    from __ltr_given_targets as g
) as t
where case
    when t.group_name is null or t.times > 1 then {{ error("the table of targets needs one row for each group") }}
    when t.share >= 0 and abs(t.total - 1) <= 1e-9 then true
    else {{ error("the shares in the table of targets must be at least 0 and sum to 1: divide them by their sum") }}
end
{%- endmacro %}

{#- Select the documents that have a group. Raise an error for a document with two groups, and for a group without a target. -#}
{% macro groups_of_documents(targets=none) -%}
select
    g.doc_id,
    min(g.group_name) as group_name
from __ltr_given_documents as g
{%- if targets %}
left join {{ targets }} as t
    on t.group_name = g.group_name
{%- endif %}
where g.group_name is not null
group by g.doc_id
having case
    when min(g.group_name) <> max(g.group_name) then {{ error("a document has two groups in the table of documents: keep one of them, or make a group of their combination") }}
    {%- if targets %}
    when count(t.group_name) < count(*) then {{ error("a group of the table of documents has no target: add it to the table of targets, with the share 0 if none is due") }}
    {%- endif %}
    else true
end
{%- endmacro %}

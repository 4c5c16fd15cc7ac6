{#- Sums over the runs that hold a document, and over the scores of a run. -#}

{#- Reference the run of a row, with its weight. -#}
{% macro system(row) -%}
{{ row }}.system{% if numbered %}, {{ row }}.weight, {{ row }}.several{% if sorted_values %}, {{ row }}.bit{% endif %}{% endif %}
{%- endmacro %}

{#- Reference the point of weights of a row, if there are points. -#}
{% macro point(row) -%}
{% if points %}{{ row }}.point, {% endif %}
{%- endmacro %}

{#- Sum a value over the runs that hold a document. Sort three values or more first: their order could change the last digit of
    the sum, and so the order of tied documents. -#}
{% macro total(value) -%}
{%- if few or not sorted_values -%} sum({{ value }})
{%- else -%} case when count(*) <= 2 then sum({{ value }}) else list_aggregate({{ sorted_values(value, " filter (where d.several)") }}, 'sum') end
{%- endif -%}
{%- endmacro %}

{#- Test that the rows of a document are of different runs. -#}
{% macro distinct_systems() -%}
{%- if few -%} count(*) = 1 or count(*) = 2 and min(d.system) < max(d.system)
{%- elif sorted_values -%} bit_count(bit_or(d.bit)) + coalesce(len(list_distinct(list(d.system) filter (where d.bit = 0))), 0) = count(*)
{%- else -%} count(distinct d.system) = count(*)
{%- endif -%}
{%- endmacro %}

{#- Return the score of a document in a run, or raise an error if it is not finite. -#}
{% macro finite_score(score) -%}
case
    when abs({{ score }}) <= 1e100 then {{ score }}
    else {{ error("this method reads scores, and a score is missing, infinite or above 1e100: leave such rows out, or choose a method of ranks such as 'rrf'",
        "double") }}
end
{%- endmacro %}

{#- Return the sort order of a fused ranking: by descending score, and by doc_id among equal scores. -#}
{% macro fused_order(ties) -%}
{{ compared_score(ties, "f") }} desc nulls last, {{ doc_id_of("f") }} {{ "asc" if ties == "docid_asc" else "desc" }} nulls last
{%- endmacro %}

{#- Select the statistics of each run and query: number of documents, and with `scores` the lowest and highest score, the sum of
    score - lowest, and the mean and population standard deviation. -#}
{% macro list_statistics(scores) -%}
{%- set by_list = fused_key("l") ~ ", " ~ system("l") -%}
{%- if scores and sorted_values -%}
select
    {{ fused_key("g") }},
    {{ system("g") }},
    g.documents,
    g.lowest,
    g.highest,
    list_aggregate(list_transform(g.scores, lambda s: s - g.lowest), 'sum') as sum_above_lowest,
    list_aggregate(g.scores, 'sum') / g.documents as mean,
    list_aggregate(g.scores, 'stddev_pop') as deviation
from (
    select
        {{ by_list }},
        count(*) as documents,
        min(l.score) as lowest,
        max(l.score) as highest,
        {{ sorted_values("l.score") }} as scores
    from __ltr_listed as l
    group by {{ by_list }}
) as g
{%- else -%}
select
    {{ by_list }},
    count(*) as documents
    {%- if scores %},
    min(l.score) as lowest,
    max(l.score) as highest,
    sum(l.score) - count(*) * min(l.score) as sum_above_lowest,
    avg(l.score) as mean,
    stddev_pop(l.score) as deviation
    {%- endif %}
from __ltr_listed as l
group by {{ by_list }}
{%- endif -%}
{%- endmacro %}

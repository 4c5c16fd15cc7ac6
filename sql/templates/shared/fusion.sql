{#- The runs of a fusion, and the values of their documents. -#}

{#- Reference the run of a row, with its weight. -#}
{% macro system(row) -%}
{{ row }}.system{% if numbered %}, {{ row }}.weight, {{ row }}.several{% if sorted_values %}, {{ row }}.bit{% endif %}{% endif %}
{%- endmacro %}

{#- Reference the point of weights of a row, if there are points. -#}
{% macro point(row) -%}
{% call(given) by("points") %}{% if given %}{{ row }}.point, {% endif %}{% endcall %}
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

{#- Test that a rank is at most a number, which may be NULL for all ranks. -#}
{% macro at_most(rank, number) -%}
{{ rank }} <= {{ number if number | int else "coalesce(" ~ number ~ ", 9e15)" }}
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

{#- Number the runs in the order of their names, with their weights. `several` is true for at least three runs.
    `bit` marks a run in sets of the first 62 runs. It is 0 for further runs. -#}
{% macro fused_systems(weighted) -%}
{%- set given -%}
select
    {{ text_of_id("w." ~ compared) }} as name,
    cast(w.weight as double) as weight
from {{ weights }} as w
{%- endset -%}
select
    s.name,
    s.number,
    {{ "w.weight" if weighted else "1e0" }} as weight,
    {%- if sorted_values %}
    case when s.number <= 62 then cast(1 as bigint) << cast(s.number - 1 as bigint) else 0 end as bit,
    {%- endif %}
    s.several
from (
    select
        n.name,
        {%- if weighted %}
        {{ text_of_id("n.name") }} as id,
        {%- endif %}
        row_number() over (order by {{ text_of_id("n.name") }} asc nulls last) as number,
        count(*) over () > 2 as several
    from (
        select
            r.__ltr_key_1 as name
        from __ltr_runs as r
        group by r.__ltr_key_1
    ) as n
) as s
{%- if weighted %}
full join (
    {{ checked_weights(given, "run") | indent(4) }}
) as w
    on w.name = s.id
{%- endif %}
where case
    {%- if weighted %}
    when s.number is null then {{ error_of("the weights name a run that is not one of the runs:", "w.name") }}
    {%- endif %}
    when s.name is null then {{ error("a row lacks the name of its run, query_id or doc_id: leave it out, or complete it") }}
    {%- if weighted %}
    when w.name is null then {{ error_of("a run has no weight: the weights must name each run; they lack", "s.id") }}
    {%- endif %}
    else true
end
{%- endmacro %}

{#- Give each document of each run a value: from its rank, or its normalised score. With `absent`, also give one to the documents that a
    run lacks. -#}
{% macro fused_values(value, absent, reads_scores=false) -%}
{%- set reads_lists = "q." in value or absent -%}
{%- set reads_queries = "p." in value or absent -%}
{%- if reads_queries -%}
with __ltr_documents as {{ materialized }}(
    select
        {{ fused_key("l") }},
        l.doc_id
    from __ltr_listed as l
    group by {{ fused_key("l") }}, l.doc_id
),
__ltr_pools as (
    select
        {{ fused_key("d") }},
        count(*) as documents
    from __ltr_documents as d
    group by {{ fused_key("d") }}
){{ "," if reads_lists }}
{% endif -%}
{%- if reads_lists -%}
{{ "" if reads_queries else "with " }}__ltr_lists as {{ materialized }}(
    {{ list_statistics(reads_scores) | indent(4) }}
)
{% endif -%}
select
    {{ fused_key("l") }},
    l.doc_id,
    {{ system("l") }},
    {%- if absent %}
    1 as held,
    {%- endif %}
    {{ value | indent(4) }} as value
from __ltr_listed as l
{%- if reads_lists %}
join __ltr_lists as q
    on {{ same_fused_key("q", "l") }} and q.system = l.system
{%- endif %}
{%- if reads_queries %}
join __ltr_pools as p
    on {{ same_fused_key("p", "l") }}
{%- endif %}
{%- if absent %}
union all
select
    {{ fused_key("d") }},
    d.doc_id,
    {{ system("q") }},
    0,
    {{ absent }}
from __ltr_documents as d
join __ltr_lists as q
    on {{ same_fused_key("q", "d") }}
join __ltr_pools as p
    on {{ same_fused_key("p", "d") }}
where not exists (
    select 1
    from __ltr_listed as l
    where {{ same_fused_key("l", "d") }} and l.doc_id = d.doc_id and l.system = q.system
)
{%- endif %}
{%- endmacro %}

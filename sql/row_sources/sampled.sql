/*
summary = """
One row per document of a pool of which a sample was judged. The column `subtopic` is its stratum, and a document with a negative grade or
NULL was not drawn. `retrieved` is 1 in the first 1,000 ranks, else 0. `weight` is the number of documents of the stratum for each judged
one, NULL if none is. `step` is what the document adds to the inferred number of relevant documents down to its rank. `documents` counts the
retrieved documents of the stratum, and `drawn` the judged ones of these. For measures with the parameter `version`, `ideal` is the DCG of
the ideal ranking of the query: each grade takes as many positions as its inferred number of documents."""
input = "covers"
rows = ["judged"]
strata = true
*/
__ltr_strata{{ suffix }} as (
    {{ strata("null" if rel is none else rel) | indent(4) }}
),
{%- if version is not none %}
__ltr_grades{{ suffix }} as (
    select
        {{ key("g") }},
        g.relevance,
        g.number,
        sum(g.number)
            over (partition by {{ key("g") }} order by g.relevance desc nulls last rows between unbounded preceding and current row)
            - g.number as above
    from (
        select
            {{ key("s") }},
            s.relevance,
            {{ choose(version, {"2012": "sum(s.size / s.sample)", "2011": "floor(sum(s.size / s.sample) + 0.500000001e0)"}) }} as number
        from __ltr_strata{{ suffix }} as s
        where s.relevance > 0
        group by {{ key("s") }}, s.relevance
    ) as g
),
__ltr_positions{{ suffix }} as (
    {{ numbers(1000) | indent(4) }}
),
__ltr_ideal_dcg{{ suffix }} as (
    select
        {{ key("g") }},
        sum(g.relevance / log2(g.above + n.rank + 1)) as ideal
    from __ltr_grades{{ suffix }} as g
    join __ltr_positions{{ suffix }} as n
        on n.rank <= g.number + 1e-9 and (n.rank = 1 or g.above + n.rank - 1 < 1000 - 1e-9)
    group by {{ key("g") }}
),
{%- endif %}
__ltr_sampled{{ suffix }} as (
    select
        r.*{{ windows | indent(8) }}
    from (
        select
            {{ key("s") }},
            s.doc_id,
            s.rank,
            s.relevance,
            s.subtopic,
            s.is_retrieved as retrieved,
            s.size / nullif(s.sample, 0) as weight,
            case
                when s.is_retrieved = 1
                then {{ inferred_relevant("s.documents", "s.drawn", "s.found") }}
                    - {{ inferred_relevant("(s.documents - 1)", "(s.drawn - s.is_drawn)", "(s.found - s.is_found)") }}
                else 0e0
            end as step,
            sum(s.is_retrieved) over (partition by {{ key("s") }}, s.subtopic) as documents,
            sum(s.is_retrieved * s.is_drawn) over (partition by {{ key("s") }}, s.subtopic) as drawn,
            {{ "cast(null as double) as ideal" if version is none else "i.ideal" }}
        from __ltr_strata{{ suffix }} as s
        {%- if version is not none %}
        left join __ltr_ideal_dcg{{ suffix }} as i
            on {{ same_key("i", "s") }}
        {%- endif %}
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_sampled{{ suffix }} as d
    group by {{ key("d") }}
    having {{ validate_covers("d.rank", "d.doc_id", "d.subtopic") | indent(4) }}
)

{#- Sampled judgments: a pool of documents is divided into strata, and a sample of each stratum is judged. -#}

{#- The documents of the pool, with the documents and judged ones of their stratum. `documents`, `drawn` and `found` count the retrieved
    documents of the stratum down to the rank, the judged and the relevant ones. Only the first 1,000 ranks count. -#}
{% macro strata(rel) -%}
select
    {{ key("r") }},
    r.doc_id,
    r.rank,
    r.relevance,
    r.subtopic,
    r.is_retrieved,
    r.is_drawn,
    r.is_found,
    count(*) over (partition by {{ key("r") }}, r.subtopic) * 1e0 as size,
    sum(r.is_drawn) over (partition by {{ key("r") }}, r.subtopic) as sample,
    sum(r.is_retrieved)
        over (partition by {{ key("r") }}, r.subtopic order by r.rank asc nulls last rows between unbounded preceding and current row) as documents,
    sum(r.is_drawn) over (partition by {{ key("r") }}, r.subtopic order by r.rank asc nulls last rows between unbounded preceding and current row) as drawn,
    sum(r.is_found) over (partition by {{ key("r") }}, r.subtopic order by r.rank asc nulls last rows between unbounded preceding and current row) as found
from (
    select
        {{ key("p") }},
        p.doc_id,
        p.rank,
        p.relevance,
        p.subtopic,
        case when p.rank <= 1000 then 1e0 else 0e0 end as is_retrieved,
        case when p.relevance >= 0 then 1e0 else 0e0 end as is_drawn,
        case when p.relevance >= {{ rel }} then 1e0 else 0e0 end as is_found
    from __ltr_rankings as p
    where p.subtopic is not null
) as r
{%- endmacro %}

{#- Infer the number of relevant documents among `documents` of a stratum, of which `drawn` were judged and `found` are relevant. -#}
{% macro inferred_relevant(documents, drawn, found) -%}
{{ documents }} * ({{ found }} + 1e-5) / ({{ drawn }} + 3e-5)
{%- endmacro %}

{#- Row source `sampled`: the inferred number of relevant documents of the query. -#}
{% macro inferred_num_rel(rel) -%}
sum(case when {{ relevant(rel) }} then d.weight end)
{%- endmacro %}

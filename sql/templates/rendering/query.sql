{#- Compute measures for every query of the input, with one block of CTEs for each row source. `queries` reads the caller's
    relation, not the first CTE of this query. A table is then read twice, which is cheap. DuckDB materialises a CTE of
    the caller, so it is computed once. -#}
with {{ recursive }}__ltr_{{ input_name }} as {{ input_inline }}(
    {{ input | indent(4) }}
),
{%- if by_subtopic %}
__ltr_graded as (
    select
        {{ key("r") }},
        r.doc_id,
        min(r.rank) as rank,
        max(r.relevance) as relevance
        {%- if reads_num_ret %},
        max(r.num_ret) as num_ret
        {%- endif %}
    from __ltr_rankings as r
    group by {{ key("r") }}, r.doc_id
),
{%- endif %}
{%- if against_ideal %}
__ltr_paired as (
    select
        {{ key("r") }},
        r.rank as rank_a,
        {{ shared_ideal_rank() }} as rank_b
    from {{ documents }} as r
    where r.relevance is not null
),
{%- endif %}
__ltr_queries as (
    {{ queries | indent(4) }}
),
{{ blocks }}
select
    {{ key_output("q") }}{{ outputs | indent(4) }}
from __ltr_queries as q
{{ joins }}
{%- if condition %}
where {{ condition }}
{%- endif %}

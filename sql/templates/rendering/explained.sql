{#- Break a measure of one query, or of all queries, down by rank. The measure is computed for the ranking cut off at each
    rank; the increase is the contribution of the document at this rank. The ideal ranking is broken down in this way too. A
    measure that is undefined for a query has the value of `empty` at each rank. -#}
{% include "rendering/by_rank.sql" %}
__ltr_defined as (
    select distinct
        v.__ltr_key.of as __ltr_key,
        true as defined
    from __ltr_by_rank as v
    where v.value is not null
),
__ltr_lines as (
    select
        {{ key("d") }},
        d.kind,
        d.rank,
        d.doc_id,
        d.relevance,
        {{ gain }} as gain,
        v.value
    from __ltr_orders as d
    left join __ltr_by_rank as v
        on v.__ltr_key.of is not distinct from {{ key("d") }} and v.__ltr_key.kind = d.kind and v.rank = d.rank
    where {{ in_top(k) }}
),
__ltr_side_by_side as (
    select
        coalesce({{ key("r") }}, {{ key("i") }}) as __ltr_key,
        coalesce(r.rank, i.rank) as rank,
        r.doc_id,
        r.relevance,
        r.gain,
        r.value,
        i.doc_id as ideal_doc_id,
        i.relevance as ideal_relevance,
        i.gain as ideal_gain,
        i.value as ideal_value,
        count(r.rank) over (partition by coalesce({{ key("r") }}, {{ key("i") }})) as num_ret
    from (
        select *
        from __ltr_lines as s
        where s.kind = 'ranking'
    ) as r
    full join (
        select *
        from __ltr_lines as s
        where s.kind = 'ideal'
    ) as i
        on {{ same_key("i", "r") }} and i.rank = r.rank
),
__ltr_running as (
    select
        d.*,
        coalesce(last_value(d.value ignore nulls) over __ltr_so_far, case when v.defined then 0e0 else {{ empty }} end) as running,
        coalesce(last_value(d.ideal_value ignore nulls) over __ltr_so_far, case when v.defined then 0e0 else {{ empty }} end) as ideal_running
    from __ltr_side_by_side as d
    left join __ltr_defined as v
        on {{ same_key("v", "d") }}
    window __ltr_so_far as (
        partition by {{ key("d") }}
        order by d.rank asc, d.doc_id asc
        rows between unbounded preceding and current row
    )
)
select
    {{ key_output("d") }},
    cast(d.rank as bigint) as rank,
    d.doc_id,
    d.relevance,
    d.gain,
    cast({{ discount }} as double) as discount,
    d.running - lag(d.running, 1, 0) over __ltr_down as contribution,
    d.running,
    d.ideal_doc_id,
    d.ideal_relevance,
    d.ideal_gain,
    d.ideal_running - lag(d.ideal_running, 1, 0) over __ltr_down as ideal_contribution,
    d.ideal_running
from __ltr_running as d
where (
    select case when count(*) > 0 then true else {{ error("the rankings do not contain this query: pass one of their query_ids") }} end
    from __ltr_given as g
)
window __ltr_down as (
    partition by {{ key("d") }}
    order by d.rank asc, d.doc_id asc
)
order by {{ key("d") | ascending }}, d.rank asc, d.doc_id asc

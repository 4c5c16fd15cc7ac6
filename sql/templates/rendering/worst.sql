{#- The queries with the largest losses, and the documents that cost them, from the rows of losses.sql. The loss of a query is the value of its
    ideal ranking, or with `baseline` the value of the baseline, minus its own. -#}
with __ltr_documents as materialized (
    select
        {{ struct_of(stratum) }} as stratum,
        {%- if with_baseline %}
        {{ struct_of(others) }} as others,
        cast(v.{{ system }} as varchar) as system,
        {%- endif %}
        v.*,
        {{ weight }} as weight
    from {{ relation }} as v
),
{%- if with_baseline %}
__ltr_compared as (
    select distinct
        d.stratum,
        d.others,
        d.query_id,
        d.weight,
        d.value
    from __ltr_documents as d
    where d.system is distinct from {{ baseline }}
),
{#- Each document adds to the baseline first, then to the system: the loss is the difference. #}
__ltr_sides as (
    select
        c.stratum,
        c.query_id,
        c.weight,
        c.value,
        b.value as baseline_value,
        b.doc_id,
        b.relevance,
        cast(null as bigint) as rank,
        b.rank as baseline_rank,
        cast(null as bigint) as ideal_rank,
        b.contribution as loss,
        cast(null as bigint) as unjudged_above
    from __ltr_compared as c
    join __ltr_documents as b
        on b.others is not distinct from c.others and b.query_id is not distinct from c.query_id and b.system = {{ baseline }}
    union all
    select
        d.stratum,
        d.query_id,
        d.weight,
        d.value,
        null as baseline_value,
        d.doc_id,
        d.relevance,
        d.rank,
        null as baseline_rank,
        d.ideal_rank,
        -d.contribution as loss,
        d.unjudged_above
    from __ltr_documents as d
    where d.system is distinct from {{ baseline }}
),
__ltr_losses as (
    select
        s.stratum,
        s.query_id,
        s.weight,
        s.value,
        max(max(s.baseline_value)) over (partition by s.stratum, s.query_id) as baseline_value,
        s.doc_id,
        max(s.relevance) as relevance,
        max(s.rank) as rank,
        max(s.baseline_rank) as baseline_rank,
        max(s.ideal_rank) as ideal_rank,
        sum(s.loss) as loss,
        max(s.unjudged_above) as unjudged_above
    from __ltr_sides as s
    group by s.stratum, s.query_id, s.weight, s.value, s.doc_id
),
{%- else %}
__ltr_losses as (
    select
        d.*,
        d.ideal_contribution - d.contribution as loss
    from __ltr_documents as d
),
{%- endif %}
__ltr_ordered as (
    select
        l.*,
        {{ "l.baseline_value" if with_baseline else "l.best" }} - l.value as query_loss,
        dense_rank() over (
            partition by l.stratum
            order by round(l.weight * ({{ "l.baseline_value" if with_baseline else "l.best" }} - l.value), 12) desc, cast(l.query_id as varchar) asc
        ) as place
    from __ltr_losses as l
    where {{ "l.baseline_value" if with_baseline else "l.best" }} - l.value > 1e-12 and abs(l.loss) > 1e-12 and l.weight > 0
)
select
    {{ strata_output }}r.query_id,
    {{ weight_output }}r.value,
    {%- if with_baseline %}
    r.baseline_value,
    {%- endif %}
    r.query_loss,
    r.doc_id,
    r.relevance,
    r.rank,
    {%- if with_baseline %}
    r.baseline_rank,
    {%- endif %}
    r.ideal_rank,
    r.loss,
    r.unjudged_above
from __ltr_ordered as r
where r.place <= {{ n }}
{%- if with_baseline %}
    and (
        select case when count(case when d.system = {{ baseline }} then 1 end) = 0 then {{ unknown_baseline }}
            when count(d.doc_id) < count(*) then {{ without_ids }} else true end
        from __ltr_documents as d
    )
{%- endif %}
order by r.stratum asc, r.place asc, round(r.loss, 12) desc, r.ideal_rank asc nulls last, r.doc_id asc

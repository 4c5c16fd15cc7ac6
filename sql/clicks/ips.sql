/*
summary = "Clicks weighted by the inverse propensity of their rank, divided by the views."
formula = "sum over clicks of 1 / max(propensity of the rank, floor) / views"
reads = ["rank"]
needs = ["propensities"]
reference = "Joachims, Swaminathan & Schnabel 2017, WSDM"
*/
__ltr_propensities as (
    select
        cast(p.rank as double) as rank,
        min(cast(p.propensity as double)) as propensity
    from {{ propensities }} as p
    group by cast(p.rank as double)
    having case
        when count(*) = 1 then true
        else {{ error_of("the propensities have several rows for one rank: pass those of one group; the rank is", "cast(p.rank as double)") }}
    end
),
{{ click_counts() }},
__ltr_weighted as (
    select
        {{ run_key("c") }},
        c.doc_id,
        c.views,
        c.clicks,
        c.rank,
        greatest(p.propensity, coalesce({{ floor }}, 0e0)) as propensity,
        p.propensity is null as lacking
    from __ltr_counts as c
    left join __ltr_propensities as p
        on p.rank = c.rank
),
__ltr_modelled as (
    select
        {{ run_key("w") }},
        w.doc_id,
        sum(w.clicks / w.propensity) / sum(w.views) as relevance,
        sum(w.views) as views,
        sum(w.clicks) as clicks
    from __ltr_weighted as w
    where case
        when w.lacking
        then {{ error_of("the propensities lack a rank of the log, or are NULL there; the rank is", "w.rank") }}
        when w.propensity > 0 and w.propensity < cast('inf' as double) then true
        else {{ error_of("a propensity must be above 0 and finite: correct it, or pass a floor; the rank is", "w.rank") }}
    end
    group by {{ run_key("w") }}, w.doc_id
)

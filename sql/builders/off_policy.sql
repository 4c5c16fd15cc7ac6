/*
summary = "Estimate from a log what another policy would have earned."
inputs = ["log"]
option = "estimators"
procedures = "estimator"
many = true
combined = """
select q.* replace (q.estimate - t.t * q.stderr as low, q.estimate + t.t * q.stderr as high)
from __ltr_queries as q
join (
    select
        d.n,
        {{ t_quantile("(1 - " ~ confidence ~ ")", "(d.n - 1)") }} as t
    from (
        select distinct
            q.n
        from __ltr_queries as q
    ) as d
) as t
    on t.n = q.n
where {{ rounds_checked_once(log, has_rank) }}
"""
columns = ["query_id"]
reads = "log: query_id, reward, keys, and what the estimator reads: propensity (probability of the logged action under the logging policy), target (its probability under the target policy), q_hat (reward of the logged action, predicted by a model), v_hat (expected reward under the target policy, predicted by a model); estimators of slates read one row for each rank, and also rank and the columns propensity_item, target_item, propensity_cascade, target_cascade"
gives = "the keys, estimator, estimate, stderr, low, high, n, effective_n, largest_weight, mean_weight, clipped_share, finding (NULL if there is none)"
[options.clip]
summary = "larger weights count as this number; with switch_dr, larger weights count as 0"
type = "number"
above = 0
[options.shrinkage]
summary = "strength of the shrinkage of weights: at least 0 for dr_os, from 0 to 1 for sg_ips and sg_dr"
type = "number"
minimum = 0
[options.confidence]
summary = "coverage of the intervals, and 1 minus the level of the tests"
type = "number"
above = 0
maximum = 0.999999999
default = 0.95
*/
{%- set slate = method.slate -%}
{%- set propensity = "propensity" ~ method.scope -%}
{%- set target = "target" ~ method.scope -%}
{%- set weighted = propensity in method.reads -%}
{#- The probabilities of a whole list are equal in all of its rows. -#}
{%- set of_lists = slate and not method.scope -%}
with __ltr_rounds as {{ inline }}(
    select
        {{ run_key("r") }},
        {%- for name in method.reads %}
        r.{{ name }},
        {%- endfor %}
        {{ "r." ~ target ~ " / r." ~ propensity if weighted else "1e0" }} as ratio
    from (
        select
            {{ run_key_definition("l", *method.reads) | indent(12) }}
            {%- for name in method.reads %},
            cast(l.{{ name }} as double) as {{ name }}
            {%- endfor %}
        from {{ run_relation(log, *method.reads) }} as l
    ) as r
    where true
    {%- for name in method.reads %}
    and case
        {%- if name == propensity %}
        when r.{{ name }} > 0 and r.{{ name }} <= 1 + 1e-6 then true
        else {{ error_of(name ~ " must be above 0 and at most 1: the logged action had a positive probability; got", "r." ~ name) }}
        {%- elif name == target %}
        when r.{{ name }} >= 0 and r.{{ name }} <= 1 + 1e-6 then true
        else {{ error_of(name ~ " must be a probability from 0 to 1, got", "r." ~ name) }}
        {%- elif name == "rank" %}
        when r.rank >= 1 and r.rank = floor(r.rank) and r.rank < 9e15 then true
        else {{ error_of("rank must be a whole number from 1, got", "r.rank") }}
        {%- else %}
        when abs(r.{{ name }}) <= 1e100 then true
        else {{ error_of(name ~ " must be a finite number, up to 1e100; got", "r." ~ name) }}
        {%- endif %}
    end
    {%- endfor %}
    and case when r.query_id is null then {{ error("a row of the log has a NULL in query_id: leave the row out, or fill in the id of its round") }}
        else true end
    and {{ keys_checked_once(log, *method.reads) | indent(4) }}
),
__ltr_weighted as {{ inline }}(
    select
        {{ run_key("r") }},
        {%- for name in method.reads %}
        r.{{ name }},
        {%- endfor %}
        r.ratio,
        {{ method.body | rendered | indent(8) }} as weight
    from __ltr_rounds as r
),
{%- if slate %}
__ltr_ordered as (
    select
        {{ run_key("r") }},
        {%- for name in method.reads %}
        r.{{ name }},
        {%- endfor %}
        r.ratio,
        r.weight,
        coalesce(lag(r.weight) over (partition by {{ key("r") }} order by r.rank asc nulls last), 1e0) as weight_above
        {%- for name in [propensity, target] if of_lists %},
        lag(r.{{ name }}) over (partition by {{ key("r") }} order by r.rank asc nulls last) <> r.{{ name }} as {{ name }}_varies
        {%- endfor %}
    from __ltr_weighted as r
),
{%- endif %}
__ltr_terms as {{ inline if not slate }}(
    select
        {{ run_key("r") }},
        {%- if slate %}
        r.rank,
        {%- endif %}
        r.ratio,
        r.weight,
        {{ method.base }} as base,
        r.weight * {{ method.residual }} as weighted
    from {{ "__ltr_ordered" if slate else "__ltr_weighted" }} as r
    where case
        {%- if of_lists %}
        when coalesce(r.{{ propensity }}_varies, false) or coalesce(r.{{ target }}_varies, false)
        then {{ error_of(propensity ~ " and " ~ target
            ~ " are the probabilities of a whole list, and differ in its rows: repeat them in each row, or choose iips or rips; the query_id is",
            "r.query_id") }}
        {%- endif %}
        {#- The sums of squares stay finite. #}
        when r.weight <= 1e140 and abs(r.weight * {{ method.residual }}) <= 1e140 then true
        else {{ error_of("the weight " ~ target ~ " / " ~ propensity
            ~ " of a round, or its product with the reward, is above 1e140: correct " ~ propensity
            ~ ", or pass clip if the estimator reads it; the query_id is", "r.query_id") }}
    end
),
{#- Sums over the rounds, at each rank of a slate. #}
__ltr_places as (
    select
        {{ group_columns("t") }}{{ "t.rank," if slate else "" }}
        cast(count(*) as double) as n,
        {%- if method.self_normalised %}
        avg(t.base) as mean_base,
        nullif(avg(t.weight), 0) as divisor,
        sum(t.weighted) / nullif(sum(t.weight), 0) as ratio_of_sums,
        {%- else %}
        avg(t.base + t.weighted) as mean,
        stddev_samp(t.base + t.weighted) as sd,
        1e0 as divisor,
        {%- endif %}
        sum(t.weight) as weights,
        sum(t.weight * t.weight) as squares,
        max(t.weight) as largest_weight,
        case when {{ clip }} is null then 0e0 else sum(case when t.ratio > {{ clip }} then 1e0 else 0e0 end) end as clipped,
        {#- The ratios have the mean 1 if the propensities belong to the log. #}
        sum(t.ratio) - count(*) as excess,
        sum((t.ratio - 1) * (t.ratio - 1)) as squared_excess
    from __ltr_terms as t
    {{ group_by_group("t", *(["t.rank"] if slate else [])) }}
    having count(*) > 0
),
{#- What each round earned, and its influence on the estimate (delta method). #}
{%- set earned = "t.base + t.weighted / p.divisor" if method.self_normalised else "t.base + t.weighted" -%}
{%- set correction = "(t.weighted - p.ratio_of_sums * t.weight) / p.divisor" %}
{%- if slate %}
__ltr_earned as (
    select
        {{ run_key("t") }},
        sum({{ earned }}) as earned,
        sum({{ "t.base + " ~ correction if method.self_normalised else earned }}) as influence
    from __ltr_terms as t
    join __ltr_places as p
        on p.rank = t.rank and {{ same_group("p", "t") }}
    group by {{ run_key("t") }}
),
{%- endif %}
__ltr_estimates as (
    select
    {%- if slate %}
        {{ group_columns("t") }}cast(count(*) as double) as n,
        avg(t.earned) as estimate,
        {{ "stddev_pop" if method.self_normalised else "stddev_samp" }}(t.influence) / sqrt(count(*)) as stderr
    from __ltr_earned as t
    {{ group_by_group("t") }}
    having count(*) > 0
    {%- elif method.self_normalised %}
        {#- The corrections have the mean 0, so the influence has the mean of the bases. #}
        {%- set deviation = "(t.base - p.mean_base + " ~ correction ~ ")" %}
        {{ group_columns("t") }}cast(count(*) as double) as n,
        max(p.mean_base + p.ratio_of_sums) as estimate,
        sqrt(sum({{ deviation }} * {{ deviation }})) / count(*) as stderr
    from __ltr_terms as t
    join __ltr_places as p
        on {{ same_group("p", "t") }}
    {{ group_by_group("t") }}
    having count(*) > 0
    {%- else %}
        {{ group_columns("p") }}p.n,
        p.mean as estimate,
        p.sd / sqrt(p.n) as stderr
    from __ltr_places as p
    {%- endif %}
),
{#- Diagnostics of the weights. The effective sample size of slates is the smallest over ranks. #}
__ltr_overlap as (
    select
        {{ group_columns("p") }}min(coalesce(p.weights * p.weights / nullif(p.squares, 0), 0)) as effective_n,
        max(p.largest_weight) as largest_weight,
        sum(p.weights) / sum(p.n) as mean_weight,
        sum(p.clipped) / sum(p.n) as clipped_share,
        max(case when abs(p.excess / p.n) > 3 * sqrt(greatest(p.squared_excess - p.excess * p.excess / p.n, 0) / nullif(p.n - 1, 0) / p.n) + 1e-9 then 1
            else 0 end) as foreign_propensities,
        count(p.divisor) = count(*) as defined
    from __ltr_places as p
    {{ group_by_group("p") }}
    having count(*) > 0
)
select
    {% if system("e") %}{{ system_output("e") }},
    {% endif -%}
    '{{ method.name }}' as estimator,
    {#- Self-normalised estimators divide by the mean weight, which is 0 if there is no overlap. #}
    {%- for name, value in {"estimate": "e.estimate", "stderr": "e.stderr", "low": "cast(null as double)", "high": "cast(null as double)"}.items() %}
    case when o.defined then {{ value }} end as {{ name }},
    {%- endfor %}
    cast(e.n as bigint) as n,
    o.effective_n,
    o.largest_weight,
    o.mean_weight,
    o.clipped_share,
    case
        when o.largest_weight = 0 then 'no overlap: all weights are 0'
        when o.effective_n < 0.1e0 * e.n then 'poor overlap: effective_n is below 10 % of the number of rounds'
        when o.foreign_propensities = 1 then 'the mean of target / propensity is not 1: the propensities may not belong to this log'
    end as finding
from __ltr_estimates as e
join __ltr_overlap as o
    on {{ same_group("o", "e") }}

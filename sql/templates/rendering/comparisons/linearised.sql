{#- Create the CTE __ltr_{of}_linearised: the mean of each {of} of `rows`, corrected by people's values, and its error. Every query has an
    influence on a mean. The squared error is the sum of the squared influences of clusters, each the sum over its queries. `rows` has
    the columns pair, query, llm, d, llm_a, a, weight, cluster and scale: the difference of the judge that errs, that of people (NULL
    if they did not judge the query), and both values of system a.

    Without people, d is llm, and the error is CR2 with Satterthwaite's degrees of freedom, or with weights CR1. Without clusters, each
    query is one. Sources: Angelopoulos, Duchi & Zrnic, arXiv 2311.01453; Bell & McCaffrey 2002, Survey Methodology 28. -#}
__ltr_{{ of }}_tuned as {{ stored }}(
    select
        u.*,
        case when u.llm_weight > 0 then 2 else 1 end as fitted,
        case when u.llm_weight > 0 then u.human + u.llm_weight * (u.llm_others - u.llm_judged) else u.human end as mean,
        case when u.llm_weight > 0 then u.human_a + u.llm_weight * (u.llm_others_a - u.llm_judged_a) else u.human_a end as mean_a
    from (
        select
            s.*,
            {#- The slope with the least variance. It is estimated, so that it costs one degree of freedom. #}
            case
                when s.units < 3 or s.other_units < 2 or round(s.shared / s.scale / s.scale, 12) <= 0 then 0e0
                else least(1e0, s.shared / ((1 + cast(s.queries as double) / s.others) * s.variance))
            end as llm_weight
        from (
            select
                d.pair,
                count(*) as common,
                count(d.d) as queries,
                count(*) - count(d.d) as others,
                {%- if clustered %}
                count(distinct case when d.d is not null then d.cluster end) as units,
                count(distinct case when d.d is null then d.cluster end) as other_units,
                {%- else %}
                count(d.d) as units,
                count(*) - count(d.d) as other_units,
                {%- endif %}
                min(d.weight) = max(d.weight) as equal_weights,
                sum(case when d.d is not null then d.weight end) as weight_judged,
                sum(case when d.d is null then d.weight end) as weight_others,
                {%- set of_judged = "sum(case when d.d is not null then d.weight end)" %}
                sum(d.weight * d.llm) / sum(d.weight) as llm_difference,
                sum(d.weight * d.d) / {{ of_judged }} as human,
                sum(d.weight * d.a) / {{ of_judged }} as human_a,
                sum(case when d.d is not null then d.weight * d.llm end) / {{ of_judged }} as llm_judged,
                sum(case when d.d is not null then d.weight * d.llm_a end) / {{ of_judged }} as llm_judged_a,
                sum(case when d.d is null then d.weight * d.llm end) / sum(case when d.d is null then d.weight end) as llm_others,
                sum(case when d.d is null then d.weight * d.llm_a end) / sum(case when d.d is null then d.weight end) as llm_others_a,
                sum(d.weight * d.d * d.llm) / {{ of_judged }} - sum(d.weight * d.d) / {{ of_judged }}
                    * sum(case when d.d is not null then d.weight * d.llm end) / {{ of_judged }} as shared,
                var_samp(d.llm) as variance,
                max(d.scale) as scale,
                {{ rounded("min(d.d)", "max(d.scale)") }} = {{ rounded("max(d.d)", "max(d.scale)") }} as constant,
                sum(case when d.d >= 5e-13 * d.scale then 1 else 0 end) as above,
                sum(case when d.d <= -5e-13 * d.scale then 1 else 0 end) as below
            from {{ rows }} as d
            group by d.pair
        ) as s
    ) as u
),
__ltr_{{ of }}_influences as (
    select
        d.pair,
        d.cluster,
        d.weight,
        case
            when d.d is not null then d.weight / t.weight_judged * (d.d - t.human - t.llm_weight * (d.llm - t.llm_judged)) * t.grown
            when t.llm_weight > 0 then d.weight / t.weight_others * t.llm_weight * (d.llm - t.llm_others) * t.grown_others
            else 0e0
        end as of_mean,
        case
            when d.d is not null then d.weight / t.weight_judged * (d.a - t.human_a - t.llm_weight * (d.llm_a - t.llm_judged_a)) * t.grown
            when t.llm_weight > 0 then d.weight / t.weight_others * t.llm_weight * (d.llm_a - t.llm_others_a) * t.grown_others
            else 0e0
        end as of_mean_a,
        case when d.d is not null then d.weight / t.weight_judged * (d.d - t.human) else 0e0 end as of_human,
        case when d.d is not null then d.weight / t.weight_judged * (d.llm - t.llm_judged - d.d + t.human) else 0e0 end as of_favour,
        case when d.d is not null then d.weight * power(d.d - t.human, 2) / t.weight_judged end as squared
        {%- if clustered %},
        {#- What the square of the influence would be without clusters. #}
        case when d.d is not null then t.alone else t.alone_others end as alone,
        case when d.d is not null then d.weight / t.weight_judged end as share,
        case when t.equal_weights then 1e0 else 0e0 end as corrected
        {%- endif %}
    from {{ rows }} as d
    join (
        select
            t.*,
            {%- if clusters_alone %}
            case when t.equal_weights then 1e0 else sqrt(cast(t.units as double) / nullif(t.units - 1, 0)) end as grown,
            1e0 as grown_others,
            case when t.equal_weights then 1e0 else (t.units - 1e0) / t.units end * t.queries / nullif(t.queries - 1, 0) as alone,
            1e0 as alone_others
            {%- else %}
            case when t.units > t.fitted then sqrt(cast(t.units as double) / (t.units - t.fitted)) end as grown,
            sqrt(cast(t.other_units as double) / nullif(t.other_units - 1, 0)) as grown_others
            {%- if clustered %},
            (t.units - t.fitted) / cast(t.units as double) * t.queries / nullif(t.queries - t.fitted, 0) as alone,
            (t.other_units - 1e0) / nullif(t.other_units, 0) * t.others / nullif(t.others - 1, 0) as alone_others
            {%- endif %}
            {%- endif %}
        from __ltr_{{ of }}_tuned as t
    ) as t
        on t.pair = d.pair
),
{%- if clustered %}
__ltr_{{ of }}_by_cluster as (
    select
        i.pair,
        sum(i.of_mean) as of_mean,
        sum(i.of_mean_a) as of_mean_a,
        sum(i.of_human) as of_human,
        sum(i.of_favour) as of_favour,
        sum(i.squared) as squared,
        sum(i.of_mean * i.of_mean * i.alone) as alone,
        sum(i.share) as share,
        max(i.corrected) as corrected
    from __ltr_{{ of }}_influences as i
    group by i.pair, i.cluster
),
{%- endif %}
__ltr_{{ of }}_linearised as {{ stored }}(
    {%- set grown = " / nullif(1 - i.corrected * i.share, 0)" if clusters_alone else "" %}
    select
        t.pair,
        t.common,
        t.queries,
        t.mean_a,
        t.mean_a + t.mean as mean_b,
        t.mean,
        t.scale,
        t.constant,
        t.above,
        t.below,
        t.human as human_difference,
        t.llm_difference,
        t.llm_weight,
        t.llm_judged - t.human as favour,
        t.units as clusters,
        t.units < 2 as lone_cluster,
        sqrt(e.squared * t.queries / nullif(t.queries - 1, 0)) as sd,
        sqrt(e.of_mean * t.queries) as spread,
        e.of_mean_a * t.queries as variance_a,
        e.of_both * t.queries as covariance,
        sqrt(e.of_human * t.units / nullif(t.units - 1, 0)) as human_error,
        sqrt(e.of_favour * t.units / nullif(t.units - 1, 0)) as favour_error,
        cast(nullif(t.units - 1, 0) as double) as favour_df,
        {%- if clusters_alone %}
        case when t.units < 2 then null when t.equal_weights then 1 / (e.shares_2 - 2 * e.shares_3 + e.shares_1 * e.shares_1) else t.units - 1e0 end as df,
        e.of_clusters * case when t.equal_weights then cast(t.units as double) / nullif(t.units - 1, 0) else 1e0 end / nullif(e.alone, 0) as design_effect
        {%- else %}
        case when t.units > t.fitted then cast(t.units - t.fitted as double) end as df,
        {{ "e.of_mean / nullif(e.alone, 0)" if clustered else "cast(null as double)" }} as design_effect
        {%- endif %}
    from __ltr_{{ of }}_tuned as t
    left join (
        select
            i.pair,
            sum(i.of_mean * i.of_mean{{ grown }}) as of_mean,
            sum(i.of_mean_a * i.of_mean_a{{ grown }}) as of_mean_a,
            sum(i.of_mean * i.of_mean_a{{ grown }}) as of_both,
            sum(i.of_human * i.of_human) as of_human,
            sum(i.of_favour * i.of_favour) as of_favour,
            {%- if clustered %}
            sum(i.of_mean * i.of_mean) as of_clusters,
            sum(i.alone) as alone,
            {%- endif %}
            {%- if clusters_alone %}
            sum(i.share * i.share / nullif(1 - i.share, 0)) as shares_1,
            sum(power(i.share / nullif(1 - i.share, 0), 2)) as shares_2,
            sum(power(i.share, 3) / nullif(power(1 - i.share, 2), 0)) as shares_3,
            {%- endif %}
            sum(i.squared) as squared
        from {{ "__ltr_" ~ of ~ ("_by_cluster" if clustered else "_influences") }} as i
        group by i.pair
    ) as e
        on e.pair = t.pair
),

{#- Create the CTE __ltr_unpaired: the difference of two systems or periods without common queries, or compared as if they had none, by
    Welch's unequal variances. With clusters, a mean is a sum divided by a count, and its error is that of the delta method (Deng, Knoblich
    & Lu 2018). Periods have its small-sample form instead, that of all means with clusters: CR2 with Satterthwaite's degrees of freedom.
    A cluster in both periods adds a covariance; a cluster in both systems is an error. The standard error is spread / sqrt(queries), as
    that of a mean difference, and `queries` is the smaller number. The variance of a single query or cluster is unknown. -#}
__ltr_arm_kind as (
    select {{ paired }} as is_period
),
{%- call if_clusters_alone() %}
{#- The influence of each cluster on the mean. #}
__ltr_arm_clusters as {{ stored }}(
    select
        c.member,
        c.cluster,
        c.mean,
        c.units,
        c.share,
        k.is_period,
        c.influence * sqrt(case when k.is_period then 1 / nullif(1 - c.share, 0) else c.units / nullif(c.units - 1e0, 0) end) as influence
    from (
        select
            v.member,
            v.cluster,
            max(v.mean) as mean,
            sum(v.weight * (v.value - v.mean)) / max(v.total) as influence,
            sum(v.weight) / max(v.total) as share,
            count(*) over (partition by v.member) as units
        from (
            select
                m.member,
                w.cluster,
                w.weight,
                v.value,
                sum(w.weight) over (partition by m.member) as total,
                sum(w.weight * v.value) over (partition by m.member) / sum(w.weight) over (partition by m.member) as mean
            from __ltr_values as v
            join __ltr_members as m
                on m.grp = v.grp and m.sys = v.sys
            join __ltr_query_weights as w
                on w.grp = v.grp and w.query = v.query
        ) as v
        group by v.member, v.cluster
    ) as c
    cross join __ltr_arm_kind as k
),
{%- endcall %}
__ltr_arms as {{ stored }}(
    {%- call if_direct() %}
    select
        m.member,
        m.mean,
        m.queries as units,
        m.queries - 1 as df,
        case when m.queries > 1 then m.sd * m.sd / m.queries end as error
    from __ltr_members as m
    {%- endcall %}
    {%- call if_clusters_alone() %}
    select
        c.member,
        max(c.mean) as mean,
        max(c.units) as units,
        case when not bool_and(c.is_period) then max(c.units) - 1e0
            else 1 / nullif(
                sum(power(c.share / nullif(1 - c.share, 0), 2)) - 2 * sum(power(c.share, 3) / nullif(power(1 - c.share, 2), 0))
                    + power(sum(c.share * c.share / nullif(1 - c.share, 0)), 2),
                0
            )
            end as df,
        case when max(c.units) < 2 then null when max(m.sd) = 0 then 0e0 else sum(c.influence * c.influence) end as error
    from __ltr_arm_clusters as c
    join __ltr_members as m
        on m.member = c.member
    group by c.member
    {%- endcall %}
),
__ltr_in_both as {{ stored }}(
    {%- call if_direct() %}
    select
        p.pair,
        0 as clusters,
        '' as first_one,
        0e0 as shared
    from __ltr_pairs as p
    {%- endcall %}
    {%- call if_clusters_alone() %}
    select
        p.pair,
        count(*) as clusters,
        min(a.cluster) as first_one,
        sum(a.influence * b.influence) as shared
    from __ltr_pairs as p
    join __ltr_arm_clusters as a
        on a.member = p.member_a
    join __ltr_arm_clusters as b
        on b.member = p.member_b and b.cluster = a.cluster
    group by p.pair
    {%- endcall %}
),
__ltr_unpaired as {{ stored }}(
    select
        u.pair,
        u.queries,
        u.mean_a,
        u.mean_b,
        u.mean_b - u.mean_a as mean,
        nullif(sqrt(greatest(u.error_a + u.error_b - 2 * u.shared, 0e0) * u.queries), 0) as spread,
        u.error_a * u.queries as variance_a,
        (u.shared - u.error_a) * u.queries as covariance,
        u.scale,
        case when u.error_a + u.error_b > 0 then least(
            power(u.error_a + u.error_b, 2) / (u.error_a * u.error_a / u.df_a + u.error_b * u.error_b / u.df_b),
            u.clusters - 1e0
        ) end as df,
        u.clusters,
        u.units_a < 2 or u.units_b < 2 as lone_cluster,
        (u.error_a + u.error_b - 2 * u.shared) / nullif(u.alone, 0) as design_effect
    from (
        select
            p.pair,
            least(p.queries_a, p.queries_b) as queries,
            a.mean as mean_a,
            b.mean as mean_b,
            a.units as units_a,
            b.units as units_b,
            a.df as df_a,
            b.df as df_b,
            a.units + b.units - coalesce(o.clusters, 0) as clusters,
            a.error as error_a,
            b.error as error_b,
            coalesce(o.shared, 0e0) as shared,
            m.sd * m.sd / m.queries + n.sd * n.sd / n.queries as alone,
            greatest(m.scale, n.scale) as scale
        from __ltr_pairs as p
        join __ltr_members as m
            on m.member = p.member_a
        join __ltr_members as n
            on n.member = p.member_b
        join __ltr_arms as a
            on a.member = p.member_a
        join __ltr_arms as b
            on b.member = p.member_b
        join __ltr_systems as s
            on s.sys = p.sys_a
        join __ltr_systems as t
            on t.sys = p.sys_b
        left join __ltr_in_both as o
            on o.pair = p.pair
        left join (
            select distinct d.pair
            from __ltr_differences as d
        ) as c
            on c.pair = p.pair
        where c.pair is null
            and p.queries_a > 0
            and p.queries_b > 0
            and case
                when not {{ paired }} and coalesce(o.clusters, 0) > 0
                then {{ error_function }}('the systems ' || {{ text("s.system") }} || ' and ' || {{ text("t.system") }} || ' share clusters ('
                    || coalesce(o.clusters, 0) || '), such as ' || coalesce(o.first_one, '')
                    || ': with paired := false, each cluster belongs to one system, so leave the shared ones out')
                else true
            end
    ) as u
),

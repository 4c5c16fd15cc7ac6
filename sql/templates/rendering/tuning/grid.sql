{#- List the grid: one row for each configuration and run. A configuration is a choice of method, norm and k, with a point of weights.
    `choices` are rows of its number, method, norm and k, and whether the method takes weights. Point 0 has equal weights: it is the only point of a
    method without weights, and of choice 1 what the tuned fusion is compared with. `distance` is 0 for equal weights. -#}
with recursive __ltr_tuning_names as (
    select
        n.name,
        row_number() over (order by n.name asc) as number,
        count(*) over () as runs
    from (
        select
            {{ text_of_id("r.system") }} as name
        from {{ runs }} as r
        group by all
    ) as n
),
{#- The whole numbers of steps of each run, which add up to `steps`. #}
__ltr_tuning_steps as (
    select
        cast(0 as bigint) as number,
        cast({{ steps }} as bigint) as remaining,
        cast([] as bigint[]) as taken
    from (
        select
            count(*) as runs,
            max(case when n.name in ('{{ tuned }}', '{{ equal }}') then n.name end) as reserved,
            list_aggregate(list_transform(range(1, count(*)), lambda i: ({{ steps }} + i) / cast(i as double)), 'product') as points
        from __ltr_tuning_names as n
    ) as n
    where case
        when n.reserved is not null then {{ error_of("there is a run named", "n.reserved", rest=", as the comparison names the tuned "
            "fusion or equal weights: rename the run") }}
        when n.runs < 2 then {{ error("there is only one run, so there are no weights to tune: pass two runs or more") }}
        when round(n.points) > {{ most }} then {{ error_of("the grid has too many weights,", "cast(round(n.points) as bigint)",
            rest=": pass a larger step, such as step := 0.25") }}
        else true
    end
    union all
    select
        s.number + 1,
        s.remaining - t.step,
        list_concat(s.taken, [t.step])
    from __ltr_tuning_steps as s
    join (
        select
            max(n.number) as runs
        from __ltr_tuning_names as n
    ) as n
        on s.number < n.runs
    join (
        select
            unnest(range(cast({{ steps }} as bigint) + 1)) as step
    ) as t
        on t.step <= s.remaining and (s.number + 1 < n.runs or t.step = s.remaining)
),
__ltr_tuning_points as (
    select
        0 as point,
        cast(null as bigint[]) as taken
    union all
    select
        row_number() over (order by s.taken asc),
        s.taken
    from __ltr_tuning_steps as s
    where s.number = (select max(n.number) from __ltr_tuning_names as n)
),
__ltr_tuning_numbered as (
    select
        row_number() over (order by c.choice asc, p.point asc) as configuration,
        c.choice,
        c.method,
        cast(c.norm as varchar) as norm,
        cast(c.k as double) as k,
        c.weighted,
        p.point > 0 or not c.weighted as candidate,
        c.choice = 1 and p.point = 0 as baseline,
        p.taken
    from (values {{ choices }}) as c(choice, method, norm, k, weighted)
    join __ltr_tuning_points as p
        on c.weighted and p.point > 0 or p.point = 0 and (c.choice = 1 or not c.weighted)
)
select
    c.configuration,
    c.choice,
    c.method,
    c.norm,
    c.k,
    c.weighted,
    c.candidate,
    c.baseline,
    n.name,
    coalesce(c.taken[n.number] / cast({{ steps }} as double), 1e0) as weight,
    sum(coalesce(power(n.runs * c.taken[n.number] - {{ steps }}, 2), 0e0)) over (partition by c.configuration) as distance
from __ltr_tuning_numbered as c
cross join __ltr_tuning_names as n

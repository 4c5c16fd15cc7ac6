{#- Create the CTE __ltr_systems: the systems of __ltr_cells, numbered, and their places in the list of baselines. Raise an error if there are
    too few, or if a baseline is not a system. The aggregate `list` ensures that the condition is evaluated even without systems. -#}
__ltr_systems as materialized (
    select
        s.system,
        s.sys,
        coalesce(list_position({{ baseline }}, cast(s.system as varchar)), 0) as base
    from (
        select
            unnest(l.systems) as system,
            unnest(range(1, len(l.systems) + 1)) as sys
        from (
            select case
                when count(*) < {{ fewest }}
                then error('there is nothing to compare: the column ' || {{ compared }} || ' names ' || count(*) || ' system' || case when count(*) = 1 then '' else 's' end || ', pass at least two')
                when not list_has_all(list(cast(d.system as varchar)), {{ baseline }})
                then error('the baseline ' || cast(list_filter({{ baseline }}, lambda b: not list_contains(list(cast(d.system as varchar)), b)) as varchar) || ' is not a system: the systems are ' || array_to_string(list(cast(d.system as varchar) order by d.system), ', '))
                else list(d.system order by d.system)
            end as systems
            from (
                select distinct c.system
                from __ltr_cells as c
            ) as d
        ) as l
    ) as s
)

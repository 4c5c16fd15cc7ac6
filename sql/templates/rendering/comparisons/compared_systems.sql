{#- Create the CTE __ltr_systems: the systems of __ltr_cells, numbered, and their places in the list of baselines. Raise an error if there are
    too few, or if a named system is unknown. The aggregates ensure that the condition is evaluated even without systems. -#}
__ltr_systems as {{ stored }}(
    select
        s.system,
        s.sys,
        coalesce(array_position({{ baseline }}, {{ text("s.system") }}), 0) as base
    from (
        select
            {{ numbered_elements("n.systems", "system", "sys") }}
        from (
            {%- set names = each("l.systems", "s", text("s")) %}
            {%- set unknown = kept(baseline, "b", "not array_contains(" ~ names ~ ", b)") %}
            select case
                when l.number < {{ fewest }}
                then {{ error_function }}('there is nothing to compare: the column ' || {{ compared }} || ' names '
                    || l.number || ' system' || case when l.number = 1 then '' else 's'
                    end || ', pass at least two. A leaderboard has the interval of one')
                when {{ size(unknown) }} > 0
                then {{ error_function }}('no system is called ' || {{ joined(unknown, " or ") }} || ': the systems are ' || {{ joined(names, ", ") }})
                else l.systems
            end as systems
            from (
                select
                    count(*) as number,
                    {{ sorted_list("d.system") }} as systems
                from (
                    select distinct c.system
                    from __ltr_cells as c
                ) as d
            ) as l
        ) as n
    ) as s
)

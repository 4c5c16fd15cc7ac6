{#- Describe how means change over periods, which are the systems of the comparison: the mean of each period with its interval, and its
    difference from the period before. -#}
,
{% include "rendering/comparisons/places.sql" %},
{#- The place of each period on the time axis: the number that it is, or that of a day. #}
{%- set text = "cast(s.system as varchar)" %}
__ltr_dated as (
    select
        s.sys,
        {{ text }} as name,
        case
            when regexp_full_match({{ text }}, '[0-9]{4}-?W[0-9]{2}') then epoch(try_strptime(replace({{ text }}, '-', '') || '1', '%GW%V%u')) / 86400e0
            when regexp_full_match({{ text }}, '[0-9]{4}-?Q[1-4]')
                then epoch(make_date(cast(left({{ text }}, 4) as integer), 3 * cast(right({{ text }}, 1) as integer) - 2, 1))
                / 86400e0
            when regexp_full_match({{ text }}, '[0-9]{4}-[0-9]{2}') then epoch(try_cast({{ text }} || '-01' as timestamp)) / 86400e0
            when isfinite(try_cast({{ text }} as double)) then try_cast({{ text }} as double)
            when isfinite(try_cast({{ text }} as timestamp)) then epoch(try_cast({{ text }} as timestamp)) / 86400e0
        end as place
    from __ltr_systems as s
),
__ltr_periods as {{ stored }}(
    select
        p.sys,
        p.place,
        min(p.step) over () as step
    from (
        select
            d.sys,
            d.name,
            d.place,
            lag(d.name) over (order by d.sys asc) as name_before,
            d.place - lag(d.place) over (order by d.sys asc) as step
        from __ltr_dated as d
    ) as p
    where case
        when p.place is null
        then {{ error_function }}('the column ' || {{ compared }} || ' holds ' || p.name
            || ', which is not a period: pass dates, timestamps, ISO weeks such as 2026-W07, months such as 2026-02, quarters such as 2026-Q1, or numbers')
        when p.step <= 0
        then {{ error_function }}('the column ' || {{ compared }} || ' holds ' || p.name_before || ' and ' || p.name
            || ', which sort in another order than that of time: write all periods in one form, and cast texts of numbers to numbers')
        else true
    end
)
select
    {{ strata_output }}r.system as {{ system }},
    r.measure,
    {% include "rendering/comparisons/mean_columns.sql" %}
    r.queries,
    a.system as previous,
    d.place - b.place > 1.5e0 * d.step as gap,
    c.pairing,
    c.common,
    1 - c.common / cast(r.queries as double) as new_queries,
    c.difference,
    c.low as difference_low,
    c.high as difference_high,
    case when c.pairing = 'paired' then case when c.only_a + c.only_b > 0 then r.mean - o.mean - c.difference else 0e0 end end as mix,
    c.p,
    c.p_adjusted,
    c.verdict
from __ltr_places as r
join __ltr_periods as d
    on d.sys = r.sys
left join (
    select
        c.*,
        case when u.pair is null then 'paired' else 'unpaired' end as pairing,
        case when u.pair is null then c.queries else 0 end as common
    from __ltr_compared as c
    left join __ltr_unpaired as u
        on u.pair = c.pair
) as c
    on c.grp = r.grp and c.sys_b = r.sys
left join __ltr_systems as a
    on a.sys = c.sys_a
left join __ltr_periods as b
    on b.sys = c.sys_a
left join __ltr_places as o
    on o.grp = r.grp and o.sys = c.sys_a
order by r.grp asc, r.sys asc

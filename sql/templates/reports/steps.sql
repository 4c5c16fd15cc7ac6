{#- Round the values of a measure to whole steps from `low` to `high`: one row per system, in the order of `systems`. The high and
    low bytes of the steps are in separate lists, which compress better. NULL is 65535. -#}
select
    list(cast(g.step >> 8 as utinyint) order by g.query asc) as high_bytes,
    list(cast(g.step % 256 as utinyint) order by g.query asc) as low_bytes
from (
    select
        s.number,
        q.query,
        coalesce(cast(round((v.{{ measure }} - {{ low }}) / {{ high - low }} * {{ steps }}) as integer), 65535) as step
    from (
        select
            unnest({{ systems }}) as system,
            unnest(range(len({{ systems }}))) as number
    ) as s
    cross join {{ queries }} as q
    left join {{ values }} as v
        on cast(v.system as varchar) = s.system
        and cast(v.query_id as varchar) = q.query_id
        {%- for key in keys %}
        and cast(v.{{ key }} as varchar) is not distinct from q.{{ key }}
        {%- endfor %}
) as g
group by g.number
order by g.number asc

{#- List findings with one more, which reads other inputs than they do. -#}
with __ltr_further as (
    {{ query | indent(4) }}
),
__ltr_found as (
    {{ found | indent(4) }}
)
select
    f.severity,
    f.what,
    f.how_many,
    f.first_rows,
    f.what_to_do
from (
    select
        row_number() over () as __ltr_number,
        g.*
    from __ltr_found as g
    union all
    select
        0,
        {{ string(severity) }},
        {{ string(what) }},
        k.how_many,
        k.first_rows,
        {{ string(what_to_do) }}
    from __ltr_further as k
    where k.how_many > 0
) as f
order by list_position({{ severities }}, f.severity) asc, f.__ltr_number asc

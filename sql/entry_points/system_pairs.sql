{#- Pair the ranks of all systems of a run, two at a time. The run is ranked only once. -#}
with __ltr_ranked as (
    {{ ranked | indent(4) }}
),
__ltr_systems as (
    select distinct r.system
    from __ltr_ranked as r
),
{% for side, other, order in [("a", "b", "<"), ("b", "a", ">")] -%}
__ltr_system_{{ side }} as (
    select
        r.* exclude (system),
        r.system as system_{{ side }},
        s.system as system_{{ other }}
    from __ltr_ranked as r
    join __ltr_systems as s
        on r.system {{ order }} s.system
){{ "," if not loop.last }}
{% endfor -%}
select p.*
from (
    {{ paired | indent(4) }}
) as p

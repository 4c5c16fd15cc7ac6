{#- Pair the ranks of a batch of pairs of systems. -#}
with {% for side in "ab" -%}
__ltr_system_{{ side }} as (
    select
        r.* exclude (system),
        p.system_a,
        p.system_b
    from {{ ranked }} as r
    join {{ pairs }} as p
        on p.system_{{ side }} = r.system and p.batch = {{ batch }}
){{ "," if not loop.last }}
{% endfor -%}
select p.*
from (
    {{ paired | indent(4) }}
) as p

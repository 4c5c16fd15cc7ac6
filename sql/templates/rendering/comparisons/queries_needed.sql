{#- Return the number of queries that a test needs to find an effect of the given size, as one row. -#}
with __ltr_effects as (
    select
        1 as pair,
        {{ effect }} as dz
),
{% include "rendering/comparisons/queries_for_power.sql" %}
select n.queries_needed
from __ltr_needed as n

{#- The columns of a place in the leaderboard: the system, and its mean with an interval. -#}
{{ strata_output }}r.measure,
    r.place,
    r.system,
    r.queries,
    {% include "rendering/comparisons/mean_columns.sql" %}

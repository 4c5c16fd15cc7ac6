{#- The columns of a place in the leaderboard: the system, and its mean with an interval. -#}
{{ strata_output }}r.measure,
    r.place,
    r.system,
    r.queries,
    r.average as mean,
    case when r.geometric then exp(r.mean - r.reach) else r.mean - r.reach end as low,
    case when r.geometric then exp(r.mean + r.reach) else r.mean + r.reach end as high,

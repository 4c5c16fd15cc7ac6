{#- The columns of a mean of __ltr_places, with its interval. -#}
r.average as mean,
    case when r.geometric then exp(r.mean - r.reach) else r.mean - r.reach end as low,
    case when r.geometric then exp(r.mean + r.reach) else r.mean + r.reach end as high,

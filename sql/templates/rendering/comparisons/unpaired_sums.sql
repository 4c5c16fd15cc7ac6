{#- Add the pairs of __ltr_unpaired to __ltr_sums. No query decides their direction: all count as above. -#}
union all
    select
        u.pair,
        {%- call if_direct() %}
        u.queries,
        u.mean_a,
        u.mean_b,
        u.mean,
        u.spread,
        u.spread,
        u.variance_a,
        u.covariance,
        0,
        u.df,
        u.scale,
        false,
        u.queries,
        0
        {%- endcall %}
        {%- call if_clusters_alone() %}
        0,
        u.queries,
        u.mean_a,
        u.mean_b,
        u.mean,
        u.scale,
        false,
        u.queries,
        0,
        {%- for name in ["human_difference", "llm_difference", "llm_weight", "favour"] %}
        cast(null as double),
        {%- endfor %}
        u.clusters,
        u.lone_cluster,
        u.spread,
        u.spread,
        u.variance_a,
        u.covariance,
        {%- for name in ["human_error", "favour_error", "favour_df"] %}
        cast(null as double),
        {%- endfor %}
        u.df,
        u.design_effect
        {%- endcall %}
    from __ltr_unpaired as u

{#- Create the CTEs __ltr_pairs and __ltr_differences: the pairs of systems, and their values for each common query. -#}
{#- Number each system as system a (`as_a`) and as system b (`as_b`) of pairs. Two systems form a pair if the `as_b` of one exceeds
    the `as_a` of the other. With a baseline, the baseline is system a. Without one, system a is the one that sorts first. The result
    may number them otherwise, and allow other pairs: see `Pairing`. #}
__ltr_roles as {{ stored }}(
    select
        m.grp,
        m.sys,
        m.member,
        m.queries,
        m.scale,
        m.has_values or array_contains({{ unanswered }}, {{ text("s.system") }}) as has_values,
        case when {{ baseline }} is null then {{ role }} when s.base > 0 then 0 end as as_a,
        case when {{ baseline }} is null then {{ role }} when s.base = 0 then 1 end as as_b
    from __ltr_members as m
    join __ltr_systems as s
        on s.sys = m.sys
),
__ltr_pairs as {{ stored }}(
    select
        {{ pair_of("a.member", "b.member") }} as pair,
        a.grp,
        a.sys as sys_a,
        b.sys as sys_b,
        a.queries as queries_a,
        b.queries as queries_b,
        a.member as member_a,
        b.member as member_b,
        {{ has_values }} as has_values
    from __ltr_roles as a
    join __ltr_roles as b
        on b.grp = a.grp and b.as_b {{ follows }} a.as_a
),
__ltr_placed as {{ stored }}(
    select
        r.grp,
        r.member,
        r.as_a,
        r.as_b,
        r.scale,
        v.query,
        v.value
        {%- call if_human() %},
        v.judged
        {%- endcall %}
        {%- call if_clusters_alone() %},
        v.value as judged
        {%- endcall %}
    from __ltr_values as v
    join __ltr_roles as r
        on r.grp = v.grp and r.sys = v.sys
),
__ltr_differences as (
    select
        {{ pair_of("a.member", "b.member") }} as pair,
        a.query,
        {%- call if_as_given() %}
        a.value as a,
        b.value as b,
        b.value - a.value as d,
        {{ rounded("(b.value - a.value)", "greatest(a.scale, b.scale)") }} as rounded,
        {%- endcall %}
        {%- call if_linearised() %}
        a.value as llm_a,
        b.value - a.value as llm,
        case when b.judged is not null then a.judged end as a,
        b.judged - a.judged as d,
        w.cluster,
        w.weight,
        {%- endcall %}
        {%- call if_weighted() %}
        w.weight,
        {%- endcall %}
        greatest(a.scale, b.scale) as scale
    from __ltr_placed as a
    join __ltr_placed as b
        on b.grp = a.grp and b.query = a.query and b.as_b {{ follows }} a.as_a
    {%- call if_weighted() %}
    join __ltr_query_weights as w
        on w.grp = a.grp and w.query = a.query
    {%- endcall %}
    {%- call if_linearised() %}
    join __ltr_query_weights as w
        on w.grp = a.grp and w.query = a.query
    {%- endcall %}
    where a.as_a is not null
        and b.as_b is not null
        and {{ paired }}
)

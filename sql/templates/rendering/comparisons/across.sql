{#- Create the CTE __ltr_{of}_across: the mean over datasets of each {of} of `rows`, and its error. The mean of a dataset is that of its
    queries, and every dataset counts the same. `rows` has the columns pair, query, d, a and scale.

    For other queries of these datasets, datasets are strata: the squared error is the sum of variance / queries over the datasets,
    divided by their squared number, with Satterthwaite's degrees of freedom. For other datasets, the means of the datasets are the
    sample. `queries` counts what the sample consists of, so that the error is spread / sqrt(queries). -#}
{%- set over_datasets = generalize ~ " = 'datasets'" -%}
__ltr_{{ of }}_datasets as {{ stored }}(
    select
        d.pair,
        q.dataset,
        count(*) as queries,
        avg(d.a) as mean_a,
        avg(d.d) as mean,
        max(d.scale) as scale,
        min(d.d) as least,
        max(d.d) as most,
        sum(case when d.d >= 5e-13 * d.scale then 1 else 0 end) as above,
        sum(case when d.d <= -5e-13 * d.scale then 1 else 0 end) as below,
        case when count(*) < 2 then null when {{ rounded("min(d.d)", "max(d.scale)") }} = {{ rounded("max(d.d)", "max(d.scale)") }} then 0e0
            else var_samp(d.d) end / count(*) as error,
        case when count(*) < 2 then null else var_samp(d.a) end / count(*) as error_a,
        case when count(*) < 2 then null else covar_samp(d.a, d.d) end / count(*) as shared
    from {{ rows }} as d
    join __ltr_numbered as q
        on q.query = d.query
    group by d.pair, q.dataset
),
{#- A mean over fewer datasets is another number, so a dataset without a value is an error. #}
__ltr_{{ of }}_lacking as {{ stored }}(
    select
        e.pair,
        count(case when d.pair is null then 1 end) as lacking,
        min(case when d.pair is null then e.dataset end) as first_one,
        count(*) as datasets,
        max(e.who) as who
    from (
        select distinct
            m.pair,
            m.who,
            q.dataset
        from (
            {%- if of == "pair" %}
            select
                p.pair,
                p.grp,
                {{ text("a.system") }} || ' and ' || {{ text("b.system") }} || ' have none for a common query' as who
            from __ltr_pairs as p
            join __ltr_systems as a
                on a.sys = p.sys_a
            join __ltr_systems as b
                on b.sys = p.sys_b
            {%- else %}
            select
                {{ pair_of("m.grp", "m.sys") }} as pair,
                m.grp,
                {{ text("s.system") }} || ' has none' as who
            from __ltr_members as m
            join __ltr_systems as s
                on s.sys = m.sys
            {%- endif %}
        ) as m
        join __ltr_given as v
            on v.grp = m.grp
        join __ltr_numbered as q
            on q.query = v.query
    ) as e
    left join __ltr_{{ of }}_datasets as d
        on d.pair = e.pair and d.dataset = e.dataset
    group by e.pair
),
__ltr_{{ of }}_across as {{ stored }}(
    select
        t.pair,
        t.common,
        t.datasets,
        t.fewest,
        t.over_datasets,
        t.queries,
        t.mean_a,
        t.mean_a + t.mean as mean_b,
        t.mean,
        case when t.error > 0 or t.constant then sqrt(t.error * t.queries) end as sd,
        sqrt(t.error * t.queries) as spread,
        t.error_a * t.queries as variance_a,
        t.shared * t.queries as covariance,
        case
            when t.error = 0 and t.constant
            then cast(nullif(t.queries - case when t.over_datasets then 1 else t.datasets end, 0) as double)
            else t.df
        end as df,
        t.scale,
        t.constant,
        t.above,
        t.below
    from (
        select
            s.pair,
            cast(sum(s.queries) as bigint) as common,
            count(*) as datasets,
            min(s.queries) as fewest,
            {{ over_datasets }} as over_datasets,
            cast(case when {{ over_datasets }} then count(*) else sum(s.queries) end as bigint) as queries,
            avg(s.mean_a) as mean_a,
            avg(s.mean) as mean,
            max(s.scale) as scale,
            case when {{ over_datasets }} then count(*) > 1 and {{ rounded("min(s.mean)", "max(s.scale)") }} = {{ rounded("max(s.mean)", "max(s.scale)") }}
                else {{ rounded("min(s.least)", "max(s.scale)") }} = {{ rounded("max(s.most)", "max(s.scale)") }} end as constant,
            sum(case when {{ over_datasets }} then case when s.mean >= 5e-13 * s.scale then 1 else 0 end else s.above end) as above,
            sum(case when {{ over_datasets }} then case when s.mean <= -5e-13 * s.scale then 1 else 0 end else s.below end) as below,
            case when {{ over_datasets }} then var_samp(s.mean) / count(*)
                when min(s.queries) > 1 then sum(s.error) / (1e0 * count(*) * count(*)) end as error,
            case when {{ over_datasets }} then var_samp(s.mean_a) / count(*)
                when min(s.queries) > 1 then sum(s.error_a) / (1e0 * count(*) * count(*)) end as error_a,
            case when {{ over_datasets }} then covar_samp(s.mean_a, s.mean) / count(*)
                when min(s.queries) > 1 then sum(s.shared) / (1e0 * count(*) * count(*)) end as shared,
            case when {{ over_datasets }} then cast(nullif(count(*) - 1, 0) as double)
                when min(s.queries) > 1 then power(sum(s.error), 2) / nullif(sum(s.error * s.error / (s.queries - 1e0)), 0) end as df
        from __ltr_{{ of }}_datasets as s
        group by s.pair
    ) as t
    join __ltr_{{ of }}_lacking as l
        on l.pair = t.pair
    where case
        when l.lacking > 0
        then {{ error_function }}('a mean over datasets needs a value in each of them, and ' || l.who || ' in ' || l.lacking || ' of '
            || l.datasets || ' datasets, such as ' || l.first_one || ': complete the values, or leave out datasets or systems')
        else true
    end
),

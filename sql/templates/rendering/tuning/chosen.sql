{#- Create CTEs: the part of each query, the mean of each configuration over the queries that choose for a part, and the choice of each part.
    A part is a fold, and the other folds choose for it; or it is the queries held out (part 0), and the others choose. The choice of
    all queries, or with held-out queries of the others, is that of part `last`. -#}
__ltr_tuning_parts as {{ materialized }}(
    select
        q.query_id,
        case
            when {{ holdout }} is null then q.place % {{ folds }}
            when q.place < least(greatest(ceil({{ holdout }} * q.queries - 1e-9), 1), q.queries - 1) then 0
        end as part
    from (
        select
            v.query_id,
            row_number() over (order by md5(concat(v.query_id, {{ seed }})) asc, cast(v.query_id as {{ text_type }}) asc) - 1 as place,
            count(*) over () as queries
        from {{ values }} as v
        where v.value is not null
        group by v.query_id
    ) as q
    where case
        when {{ holdout }} is null and q.queries < {{ folds }}
        then {{ error_of("there are fewer labelled queries than folds, only", "q.queries", rest=": label more queries, or pass fewer folds") }}
        when q.queries < 2 then {{ error("there is only one labelled query: label more queries") }}
        else true
    end
),
__ltr_tuning_configurations as (
    select
        g.configuration,
        max(g.distance) as distance
    from {{ grid }} as g
    where g.candidate
    group by g.configuration
),
__ltr_tuning_means as {{ materialized }}(
    select
        a.part,
        v.configuration,
        avg(v.value) as mean,
        stddev_samp(v.value) as sd,
        count(*) as queries
    from {{ values }} as v
    join __ltr_tuning_parts as p
        on p.query_id = v.query_id
    join (
        select distinct
            p.part
        from __ltr_tuning_parts as p
        where p.part is not null
        union all
        select
            -1
        where {{ holdout }} is null
    ) as a
        on a.part is distinct from p.part
    where v.value is not null
    group by a.part, v.configuration
),
__ltr_tuning_choices as {{ materialized }}(
    select
        m.part,
        m.configuration
    from (
        select
            m.part,
            m.configuration,
            row_number() over (
                partition by m.part
                order by case when {{ named_in(measure, lower_names) }} then 1 else -1 end * round(m.mean, 12) asc,
                    c.distance asc, m.configuration asc
            ) as place
        from __ltr_tuning_means as m
        join __ltr_tuning_configurations as c
            on c.configuration = m.configuration
    ) as m
    where m.place = 1
)

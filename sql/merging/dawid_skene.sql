/*
summary = "The most probable grade, given the error rates of each rater. Both are estimated by expectation maximisation, 50 iterations by default. Of equally probable grades, the lowest."
recursive = true
reference = "Dawid & Skene 1979, Applied Statistics 28; start from vote shares as in crowd-kit 1.4; error rates of at least 1e-10"
*/
{#- Number groups and documents, because whole numbers are compared faster. #}
__ltr_items as materialized (
    select
        {{ run_key("t") }},
        t.doc_id,
        t.ratings,
        row_number() over () as item,
        dense_rank() over ({{ "order by " ~ system("t") | ascending if system("t") else "" }}) as grp
    from (
        select
            {{ run_key("r") }},
            r.doc_id,
            cast(count(*) as double) as ratings
        from __ltr_ratings as r
        group by {{ run_key("r") }}, r.doc_id
    ) as t
),
__ltr_numbered as materialized (
    select
        i.item,
        i.grp,
        i.ratings,
        r.rater,
        r.relevance
    from __ltr_ratings as r
    join __ltr_items as i
        on {{ same_key("i", "r") }} and i.doc_id = r.doc_id
),
__ltr_grades as (
    select distinct
        n.grp,
        n.relevance
    from __ltr_numbered as n
),
{#- One row for each rating and possible grade, with the probability of that grade: at first the share of its votes. #}
__ltr_em as (
    select
        n.item,
        n.grp,
        n.ratings,
        n.rater,
        n.relevance,
        g.relevance as grade,
        sum(case when n.relevance = g.relevance then 1e0 else 0e0 end) over (partition by n.item, g.relevance) / n.ratings as probability,
        0 as step
    from __ltr_numbered as n
    join __ltr_grades as g
        on g.grp = n.grp
    union all
    select
        s.item,
        s.grp,
        s.ratings,
        s.rater,
        s.relevance,
        s.grade,
        s.likelihood / sum(s.likelihood / s.ratings) over (partition by s.item),
        s.step + 1
    from (
        select
            l.item,
            l.grp,
            l.ratings,
            l.rater,
            l.relevance,
            l.grade,
            l.step,
            exp(l.log_likelihood - max(l.log_likelihood) over (partition by l.item)) as likelihood
        from (
            select
                p.item,
                p.grp,
                p.ratings,
                p.rater,
                p.relevance,
                p.grade,
                p.step,
                ln(greatest(p.share, 1e-300)) + sum(ln(greatest(p.rate, 1e-10))) over (partition by p.item, p.grade) as log_likelihood
            from (
                select
                    e.item,
                    e.grp,
                    e.ratings,
                    e.rater,
                    e.relevance,
                    e.grade,
                    e.step,
                    sum(e.probability / e.ratings) over (partition by e.grp, e.grade) / sum(e.probability / e.ratings) over (partition by e.grp) as share,
                    coalesce(
                        sum(e.probability) over (partition by e.grp, e.rater, e.grade, e.relevance)
                        / nullif(sum(e.probability) over (partition by e.grp, e.rater, e.grade), 0),
                        0
                    ) as rate
                from __ltr_em as e
                where e.step < coalesce({{ iterations }}, 50)
            ) as p
        ) as l
    ) as s
),
__ltr_probabilities as (
    select
        e.item,
        e.grade,
        max(e.probability) as probability
    from __ltr_em as e
    where e.step = coalesce({{ iterations }}, 50)
    group by e.item, e.grade
),
__ltr_merged as (
    select
        {{ run_key("i") }},
        i.doc_id,
        p.grade as relevance,
        p.probability
    from (
        select
            p.item,
            p.grade,
            p.probability,
            {#- Round, because the last bits of sums depend on the order of summation. #}
            row_number() over (partition by p.item order by round(p.probability, 12) desc nulls last, p.grade asc nulls last) as place
        from __ltr_probabilities as p
    ) as p
    join __ltr_items as i
        on i.item = p.item
    where p.place = 1
)

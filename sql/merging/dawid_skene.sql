/*
summary = "The most probable grade, given the error rates of each rater, if raters err independently of each other. Both are estimated by expectation maximisation, 50 iterations by default, or the error rates from the documents that raters have in common with the rater truth. Of equally probable grades, the lowest."
recursive = true
reference = "Dawid & Skene 1979, Applied Statistics 28; start from vote shares as in crowd-kit 1.4; error rates of at least 1e-10"
*/
{#- With a rater that is right, one step estimates the error rates and the probabilities. -#}
{%- set steps = "case when " ~ truth ~ " is null then coalesce(" ~ iterations ~ ", 50) when " ~ iterations
    ~ " is null then 1 else " ~ error("with truth, dawid_skene does not read iterations: leave it out") ~ " end" -%}
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
        r.relevance,
        {#- The grade of the rater that is right, or NULL. #}
        max(case when cast(r.rater as {{ text_type }}) = {{ truth }} then r.relevance end) over (partition by i.item) as true_grade
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
__ltr_raters as (
    select
        n.grp,
        n.rater,
        max(n.ratings) as most_ratings,
        count(n.true_grade) as common_documents,
        max(case when cast(n.rater as {{ text_type }}) = {{ truth }} then 1 else 0 end) as is_truth
    from __ltr_numbered as n
    group by n.grp, n.rater
),
__ltr_rated as (
    select
        r.grp,
        count(*) as raters,
        max(case when r.most_ratings = 1 then cast(r.rater as {{ text_type }}) end) as alone,
        min(r.common_documents) as fewest_common
    from __ltr_raters as r
    group by r.grp
    having case
        when count(*) = 1
        then {{ error_of("dawid_skene compares raters, but the judgments name one: pass those of another in the column "
            "rater, or take another method; the rater is", "min(r.rater)") }}
        when {{ truth }} is null and max(r.most_ratings) = 1
        then {{ error("no document has two ratings, so dawid_skene cannot estimate error rates: take another method") }}
        when {{ truth }} is null then true
        when max(r.is_truth) = 0
        then {{ error_of("truth must name a rater of the judgments (of each group of the keys), got", truth) }}
        when min(r.common_documents) = 0
        then {{ error_of("a rater judged no document that the rater truth judged, so its error rates are unknown: leave "
            "the rater out, or add such documents; the rater is", "min(case when r.common_documents = 0 then r.rater end)") }}
        else true
    end
),
{#- One row for each rating and possible grade, with the probability of that grade. At first it is the share of its
    votes. With a rater that is right, it is 1 or 0, and 0 for all grades of a document that this rater did not judge. #}
__ltr_em as (
    select
        n.item,
        n.grp,
        n.ratings,
        n.rater,
        n.relevance,
        g.relevance as grade,
        n.true_grade,
        case
            when {{ truth }} is null
            then sum(case when n.relevance = g.relevance then 1e0 else 0e0 end) over (partition by n.item, g.relevance) / n.ratings
            when n.true_grade = g.relevance then 1e0
            else 0e0
        end as probability,
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
        s.true_grade,
        case
            when s.true_grade is null then s.likelihood / sum(s.likelihood / s.ratings) over (partition by s.item)
            when s.true_grade = s.grade then 1e0
            else 0e0
        end,
        s.step + 1
    from (
        select
            l.item,
            l.grp,
            l.ratings,
            l.rater,
            l.relevance,
            l.grade,
            l.true_grade,
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
                p.true_grade,
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
                    e.true_grade,
                    e.step,
                    sum(e.probability / e.ratings) over (partition by e.grp, e.grade) / sum(e.probability / e.ratings) over (partition by e.grp) as share,
                    coalesce(
                        sum(e.probability) over (partition by e.grp, e.rater, e.grade, e.relevance)
                        / nullif(sum(e.probability) over (partition by e.grp, e.rater, e.grade), 0),
                        0
                    ) as rate
                from __ltr_em as e
                where e.step < {{ steps }}
            ) as p
        ) as l
    ) as s
),
__ltr_probabilities as (
    select
        e.item,
        e.grp,
        e.grade,
        max(case when e.step = {{ steps }} then e.probability end) as probability,
        max(case when e.step = {{ steps }} - 1 then e.probability end) as previous
    from __ltr_em as e
    where e.step >= {{ steps }} - 1
    group by e.item, e.grp, e.grade
),
__ltr_findings as (
    select
        r.grp,
        nullif(
            concat_ws(
                '; ',
                case
                    when {{ truth }} is null and r.raters = 2
                    then 'two raters: where they differ, their grades alone cannot show who is right; {# -#}
                name the rater that is right as truth, or add a third rater'
                end,
                case
                    when {{ truth }} is null and r.alone is not null
                    then concat('no document of this rater has a second rating, so its error rates are unknown: ', r.alone)
                end,
                case
                    when {{ truth }} is null and p.last_change > 1e-6
                    then concat('not converged: the last of ', {{ steps }}, ' iterations changed a probability by ', p.last_change, '; set more iterations')
                end,
                case
                    when {{ truth }} is not null and r.fewest_common < 30
                    then concat('few documents to estimate error rates from: a rater has only ', r.fewest_common, ' in common with the rater truth')
                end
            ),
            ''
        ) as finding
    from __ltr_rated as r
    join (
        select
            p.grp,
            round(max(abs(p.probability - p.previous)), 7) as last_change
        from __ltr_probabilities as p
        group by p.grp
    ) as p
        on p.grp = r.grp
),
__ltr_merged as (
    select
        {{ run_key("i") }},
        i.doc_id,
        p.grade as relevance,
        p.probability,
        f.finding
    from (
        select
            p.item,
            p.grp,
            p.grade,
            p.probability,
            {#- Round, because the last bits of sums depend on the order of summation. #}
            row_number() over (partition by p.item order by round(p.probability, 12) desc nulls last, p.grade asc nulls last) as place
        from __ltr_probabilities as p
    ) as p
    join __ltr_items as i
        on i.item = p.item
    join __ltr_findings as f
        on f.grp = p.grp
    where p.place = 1
)

/*
summary = "Compare raters: one row for each pair of raters, and one for all of them, where rater_a and rater_b are NULL."
inputs = ["judgments"]
columns = ["query_id", "doc_id", "rater", "relevance"]
reads = "judgments: query_id, doc_id, rater, relevance (NULL = no rating), keys"
gives = "the keys, rater_a, rater_b, documents (judged by both raters; in the row of all raters, judged by at least two), agreement (share of equal grades), cohen_kappa, kappa_linear, kappa_quadratic, each also with _stderr, _low and _high (by query, 95 %), overlap (of the relevant documents), mean_difference (b - a), mean_absolute_difference, fleiss_kappa (over the documents that all raters judged), alpha_nominal, alpha_ordinal, alpha_interval, alpha_ratio"
reference = "Cohen 1960, Educational and Psychological Measurement 20; Cohen 1968, Psychological Bulletin 70; Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72 (errors); Fleiss 1971, Psychological Bulletin 76; Krippendorff 2004, Content Analysis; Voorhees 2000, IPM 36 (overlap)"
[options.rel]
summary = "smallest relevant grade, for the overlap"
type = "number"
default = 1
*/
with {{ paired_ratings(judgments) }},
__ltr_pairs as (
    select
        {{ group_columns("p") }}p.rater_a,
        p.rater_b,
        count(*) as documents,
        avg(case when p.a = p.b then 1e0 else 0e0 end) as agreement,
        avg(case when p.a <> p.b then 1e0 else 0e0 end) as nominal,
        avg(abs(p.a - p.b)) as linear,
        avg((p.a - p.b) * (p.a - p.b)) as quadratic,
        sum(case when p.a >= {{ rel }} and p.b >= {{ rel }} then 1e0 else 0e0 end)
            / nullif(sum(case when p.a >= {{ rel }} or p.b >= {{ rel }} then 1e0 else 0e0 end), 0) as overlap,
        avg(p.b - p.a) as mean_difference
    from __ltr_paired as p
    {{ group_by_group("p", "p.rater_a", "p.rater_b") }}
),
{%- for side in ["a", "b"] %}
__ltr_grades_{{ side }} as (
    select
        {{ group_columns("p") }}p.rater_a,
        p.rater_b,
        p.{{ side }} as grade,
        cast(count(*) as double) as documents
    from __ltr_paired as p
    {{ group_by_group("p", "p.rater_a", "p.rater_b", "p." ~ side) }}
),
{%- endfor %}
{#- The differences that two raters with these grades would have by chance. #}
__ltr_chance as (
    select
        {{ group_columns("a") }}a.rater_a,
        a.rater_b,
        sum(case when a.grade <> b.grade then a.documents * b.documents else 0e0 end) / sum(a.documents * b.documents) as nominal,
        sum(a.documents * b.documents * abs(a.grade - b.grade)) / sum(a.documents * b.documents) as linear,
        sum(a.documents * b.documents * (a.grade - b.grade) * (a.grade - b.grade)) / sum(a.documents * b.documents) as quadratic
    from __ltr_grades_a as a
    join __ltr_grades_b as b
        on {{ same_group("b", "a") }} and b.rater_a = a.rater_a and b.rater_b = a.rater_b
    {{ group_by_group("a", "a.rater_a", "a.rater_b") }}
),
{%- for side, other in [["a", "b"], ["b", "a"]] %}
{#- The mean distance of each grade of one rater from the grades of the other. #}
__ltr_from_{{ side }} as (
    select
        {{ group_columns("g") }}g.rater_a,
        g.rater_b,
        g.grade,
        sum(case when o.grade <> g.grade then o.documents else 0e0 end) / sum(o.documents) as nominal,
        sum(o.documents * abs(o.grade - g.grade)) / sum(o.documents) as linear,
        sum(o.documents * (o.grade - g.grade) * (o.grade - g.grade)) / sum(o.documents) as quadratic
    from __ltr_grades_{{ side }} as g
    join __ltr_grades_{{ other }} as o
        on {{ same_group("o", "g") }} and o.rater_a = g.rater_a and o.rater_b = g.rater_b
    {{ group_by_group("g", "g.rater_a", "g.rater_b", "g.grade") }}
),
{%- endfor %}
{#- The influence of each query on each kappa: the sum over its documents. #}
__ltr_influences as (
    select
        {{ run_key("p") }},
        p.rater_a,
        p.rater_b,
        {% for scale, distance in [["nominal", "case when p.a <> p.b then 1e0 else 0e0 end"],
            ["linear", "abs(p.a - p.b)"], ["quadratic", "(p.a - p.b) * (p.a - p.b)"]] -%}
        sum((o.{{ scale }} - {{ distance }}) / nullif(c.{{ scale }}, 0) + o.{{ scale }}
            / nullif(c.{{ scale }} * c.{{ scale }}, 0)
            * (a.{{ scale }} + b.{{ scale }} - 2 * c.{{ scale }})) as {{ scale }}{{ "" if loop.last else "," }}
        {% endfor -%}
    from __ltr_paired as p
    join __ltr_pairs as o
        on {{ same_group("o", "p") }} and o.rater_a = p.rater_a and o.rater_b = p.rater_b
    join __ltr_chance as c
        on {{ same_group("c", "p") }} and c.rater_a = p.rater_a and c.rater_b = p.rater_b
    join __ltr_from_a as a
        on {{ same_group("a", "p") }} and a.rater_a = p.rater_a and a.rater_b = p.rater_b and a.grade = p.a
    join __ltr_from_b as b
        on {{ same_group("b", "p") }} and b.rater_a = p.rater_a and b.rater_b = p.rater_b and b.grade = p.b
    group by {{ run_key("p") }}, p.rater_a, p.rater_b
),
__ltr_errors as (
    select
        e.*,
        {{ quantile_of_t("e.level", "e.df") if quantile_of_t else "cast(null as double precision)" }} as t
    from (
        select
            {{ group_columns("i") }}i.rater_a,
            i.rater_b,
            0.05e0 as level,
            cast(nullif(count(*) - 1, 0) as double) as df,
            {% for scale in ["nominal", "linear", "quadratic"] -%}
            sqrt(sum(i.{{ scale }} * i.{{ scale }}) * count(*) / nullif(count(*) - 1, 0)) as {{ scale }}{{ "" if loop.last else "," }}
            {% endfor -%}
        from __ltr_influences as i
        {{ group_by_group("i", "i.rater_a", "i.rater_b") }}
    ) as e
),
{#- How many raters gave each grade to each document. #}
__ltr_counts as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.relevance as grade,
        cast(count(*) as double) as ratings
    from __ltr_ratings as r
    group by {{ run_key("r") }}, r.doc_id, r.relevance
),
__ltr_documents as (
    select
        {{ run_key("c") }},
        c.doc_id,
        sum(c.ratings) as ratings,
        sum(c.ratings * c.ratings) as squares
    from __ltr_counts as c
    group by {{ run_key("c") }}, c.doc_id
    having sum(c.ratings) > 1
),
__ltr_rated_by_all as (
    select
        {{ run_key("d") }},
        d.doc_id,
        d.ratings,
        d.squares
    from __ltr_documents as d
    join __ltr_raters as n
        on {{ same_group("n", "d") }} and n.raters = d.ratings
),
__ltr_shares as (
    select
        {{ group_columns("c") }}c.grade,
        sum(c.ratings) as ratings
    from __ltr_counts as c
    join __ltr_rated_by_all as d
        on {{ same_key("d", "c") }} and d.doc_id = c.doc_id
    {{ group_by_group("c", "c.grade") }}
),
__ltr_fleiss as (
    select
        {{ group_columns("o") }}(o.observed - e.expected) / nullif(1 - e.expected, 0) as kappa
    from (
        select
            {{ group_columns("d") }}avg((d.squares - d.ratings) / (d.ratings * (d.ratings - 1))) as observed
        from __ltr_rated_by_all as d
        {{ group_by_group("d") }}
    ) as o
    join (
        select
            {{ group_columns("s") }}sum(s.ratings * s.ratings) / (sum(s.ratings) * sum(s.ratings)) as expected
        from __ltr_shares as s
        {{ group_by_group("s") }}
    ) as e
        on {{ same_group("e", "o") }}
),
{#- Krippendorff's alpha: the grades of documents with at least two ratings. On the ordinal scale, the distance of two grades is
    the number of ratings between their midpoints. #}
__ltr_pairable as (
    select
        {{ run_key("c") }},
        c.doc_id,
        c.grade,
        c.ratings,
        d.ratings as of_document
    from __ltr_counts as c
    join __ltr_documents as d
        on {{ same_key("d", "c") }} and d.doc_id = c.doc_id
),
__ltr_values as (
    select
        {{ group_columns("v") }}v.grade,
        v.ratings,
        sum(v.ratings)
            over ({{ partition_by_group("v") }} order by v.grade asc nulls last rows between unbounded preceding and current row)
            - 0.5e0 * v.ratings as middle,
        sum(v.ratings) over ({{ partition_by_group("v") }}) as of_all
    from (
        select
            {{ group_columns("p") }}p.grade,
            sum(p.ratings) as ratings
        from __ltr_pairable as p
        {{ group_by_group("p", "p.grade") }}
    ) as v
),
__ltr_distances as (
    select
        {{ group_columns("v") }}v.grade as grade_v,
        w.grade as grade_w,
        v.ratings * w.ratings as ratings,
        v.of_all,
        case when v.grade <> w.grade then 1e0 else 0e0 end as nominal,
        (v.middle - w.middle) * (v.middle - w.middle) as ordinal,
        (v.grade - w.grade) * (v.grade - w.grade) as squared,
        case when v.grade = w.grade then 0e0
            else (v.grade - w.grade) / nullif(v.grade + w.grade, 0) * (v.grade - w.grade) / nullif(v.grade + w.grade, 0)
            end as relative
    from __ltr_values as v
    join __ltr_values as w
        on {{ same_group("w", "v") }}
),
__ltr_observed as (
    select
        {{ group_columns("v") }}{% for scale in ["nominal", "ordinal", "squared", "relative"] -%}
        sum(v.ratings * w.ratings * d.{{ scale }} / (v.of_document - 1)) / max(d.of_all) as {{ scale }}{{ "" if loop.last else "," }}
        {% endfor -%}
    from __ltr_pairable as v
    join __ltr_pairable as w
        on {{ same_key("w", "v") }} and w.doc_id = v.doc_id
    join __ltr_distances as d
        on {{ same_group("d", "v") }} and d.grade_v = v.grade and d.grade_w = w.grade
    {{ group_by_group("v") }}
),
__ltr_expected as (
    select
        {{ group_columns("d") }}{% for scale in ["nominal", "ordinal", "squared", "relative"] -%}
        sum(d.ratings * d.{{ scale }}) / (max(d.of_all) * (max(d.of_all) - 1)) as {{ scale }}{{ "" if loop.last else "," }}
        {% endfor -%}
    from __ltr_distances as d
    {{ group_by_group("d") }}
),
__ltr_rated as (
    select
        {{ group_columns("d") }}count(*) as documents
    from __ltr_documents as d
    {{ group_by_group("d") }}
)
select
    {% if system("p") %}{{ system_output("p") }},
    {% endif -%}
    p.rater_a,
    p.rater_b,
    cast(p.documents as bigint) as documents,
    p.agreement,
    1 - p.nominal / nullif(c.nominal, 0) as cohen_kappa,
    e.nominal / p.documents as cohen_kappa_stderr,
    1 - p.nominal / nullif(c.nominal, 0) - e.t * e.nominal / p.documents as cohen_kappa_low,
    1 - p.nominal / nullif(c.nominal, 0) + e.t * e.nominal / p.documents as cohen_kappa_high,
    1 - p.linear / nullif(c.linear, 0) as kappa_linear,
    e.linear / p.documents as kappa_linear_stderr,
    1 - p.linear / nullif(c.linear, 0) - e.t * e.linear / p.documents as kappa_linear_low,
    1 - p.linear / nullif(c.linear, 0) + e.t * e.linear / p.documents as kappa_linear_high,
    1 - p.quadratic / nullif(c.quadratic, 0) as kappa_quadratic,
    e.quadratic / p.documents as kappa_quadratic_stderr,
    1 - p.quadratic / nullif(c.quadratic, 0) - e.t * e.quadratic / p.documents as kappa_quadratic_low,
    1 - p.quadratic / nullif(c.quadratic, 0) + e.t * e.quadratic / p.documents as kappa_quadratic_high,
    p.overlap,
    p.mean_difference,
    p.linear as mean_absolute_difference,
    cast(null as double) as fleiss_kappa,
    cast(null as double) as alpha_nominal,
    cast(null as double) as alpha_ordinal,
    cast(null as double) as alpha_interval,
    cast(null as double) as alpha_ratio
from __ltr_pairs as p
join __ltr_chance as c
    on {{ same_group("c", "p") }} and c.rater_a = p.rater_a and c.rater_b = p.rater_b
left join __ltr_errors as e
    on {{ same_group("e", "p") }} and e.rater_a = p.rater_a and e.rater_b = p.rater_b
union all
select
    {% if system("n") %}{{ system_output("n") }},
    {% endif -%}
    null as rater_a,
    null as rater_b,
    coalesce(cast(d.documents as bigint), 0) as documents,
    cast(null as double) as agreement,
    cast(null as double) as cohen_kappa,
    cast(null as double) as cohen_kappa_stderr,
    cast(null as double) as cohen_kappa_low,
    cast(null as double) as cohen_kappa_high,
    cast(null as double) as kappa_linear,
    cast(null as double) as kappa_linear_stderr,
    cast(null as double) as kappa_linear_low,
    cast(null as double) as kappa_linear_high,
    cast(null as double) as kappa_quadratic,
    cast(null as double) as kappa_quadratic_stderr,
    cast(null as double) as kappa_quadratic_low,
    cast(null as double) as kappa_quadratic_high,
    cast(null as double) as overlap,
    cast(null as double) as mean_difference,
    cast(null as double) as mean_absolute_difference,
    f.kappa as fleiss_kappa,
    1 - o.nominal / nullif(e.nominal, 0) as alpha_nominal,
    1 - o.ordinal / nullif(e.ordinal, 0) as alpha_ordinal,
    1 - o.squared / nullif(e.squared, 0) as alpha_interval,
    1 - o.relative / nullif(e.relative, 0) as alpha_ratio
from __ltr_raters as n
left join __ltr_rated as d
    on {{ same_group("d", "n") }}
left join __ltr_fleiss as f
    on {{ same_group("f", "n") }}
left join __ltr_observed as o
    on {{ same_group("o", "n") }}
left join __ltr_expected as e
    on {{ same_group("e", "n") }}

/*
summary = "Tell whether a rater favours a system: one row for each pair of raters and system."
inputs = ["rated_values"]
columns = ["query_id", "system", "rater"]
reads = "rated_values: query_id, system, rater, the column of the measure (NULL = no value), keys"
gives = "the keys, rater_a, rater_b, system, queries (with values of both raters), mean_a, mean_b, place_a, place_b (1 = largest mean), bias (mean of b - a) with bias_low and bias_high, favour (bias minus that of the other systems, on the same queries) with favour_low and favour_high, p of a favour of 0, p_adjusted (Holm over the systems)"
reference = "Student 1908, Biometrika 6; Holm 1979, Scandinavian Journal of Statistics 6; on judges that favour systems: Clarke & Dietz, arXiv 2412.17156"
[options.measure]
flag = "value-column"
summary = "column of the values"
type = "column"
default = "value"
[options.confidence]
summary = "coverage of the intervals, and 1 minus the level of the tests"
type = "number"
above = 0
maximum = 0.999999
default = 0.95
*/
with __ltr_given as (
    select
        {{ run_key("r") }},
        r.ranker,
        r.rater,
        r.value
    from (
        select
            {{ run_key_definition("v", "system", "rater") | indent(12) }},
            v.system as ranker,
            v.rater,
            cast(v.{{ measure }} as double) as value
        from {{ run_relation(rated_values) }} as v
    ) as r
    where case
        when r.value is null then false
        when r.query_id is null or r.ranker is null or r.rater is null
        then {{ error("a row of the values has a NULL in query_id, system or rater: leave the row out, or fill it in") }}
        when abs(r.value) <= 1e50 then true
        else {{ error_of("a value must be a finite number of at most 1e50, or NULL if it is undefined; got", "r.value") }}
    end
    {%- if keys_check("r") %}
    and {{ keys_check("r") }}
    and {{ bytewise_check("r.ranker", "r.rater") }}
    {%- endif %}
),
__ltr_rated as (
    select
        {{ run_key("r") }},
        r.ranker,
        r.rater,
        max(r.value) as value
    from __ltr_given as r
    group by {{ run_key("r") }}, r.ranker, r.rater
    having case
        when count(*) = 1 then true
        else {{ error_of("a query of a system has two values of one rater: keep one, or pass the column that distinguishes them as a key; the rater is",
            "r.rater") }}
    end
),
__ltr_raters as (
    select
        {{ group_columns("r") }}count(distinct r.rater) as raters
    from __ltr_rated as r
    {{ group_by_group("r") }}
    having case
        when count(*) = 0 then false
        when count(distinct r.rater) > 1 then true
        else {{ error("the values name one rater: pass those of at least two in the column rater") }}
    end
),
__ltr_paired as (
    select
        {{ run_key("a") }},
        a.ranker,
        a.rater as rater_a,
        b.rater as rater_b,
        a.value as a,
        b.value as b,
        b.value - a.value as d
    from __ltr_rated as a
    join __ltr_rated as b
        on {{ same_key("b", "a") }} and b.ranker = a.ranker and a.rater < b.rater
),
{#- The difference of the raters for a system, and how far it is from that for the other systems of the query. #}
__ltr_favours as (
    select
        p.*,
        p.d - (p.sum_of_all - p.d) / nullif(p.systems - 1, 0) as favour
    from (
        select
            {{ run_key("p") }},
            p.ranker,
            p.rater_a,
            p.rater_b,
            p.a,
            p.b,
            p.d,
            sum(p.d) over (partition by {{ key("p") }}, p.rater_a, p.rater_b) as sum_of_all,
            count(*) over (partition by {{ key("p") }}, p.rater_a, p.rater_b) as systems
        from __ltr_paired as p
    ) as p
),
__ltr_means as (
    select
        {{ group_columns("f") }}f.rater_a,
        f.rater_b,
        f.ranker,
        count(*) as queries,
        avg(f.a) as mean_a,
        avg(f.b) as mean_b,
        avg(f.d) as bias,
        case when round(max(f.d) - min(f.d), 12) = 0 then 0e0 else stddev_samp(f.d) end / sqrt(count(*)) as bias_error,
        cast(nullif(count(*) - 1, 0) as double) as bias_df,
        avg(f.favour) as favour,
        case when round(max(f.favour) - min(f.favour), 12) = 0 then 0e0 else stddev_samp(f.favour) end / sqrt(nullif(count(f.favour), 0)) as favour_error,
        cast(nullif(greatest(count(f.favour), 1) - 1, 0) as double) as favour_df
    from __ltr_favours as f
    {{ group_by_group("f", "f.rater_a", "f.rater_b", "f.ranker") }}
),
__ltr_levels as (
    select
        m.*,
        1 - {{ confidence }} as level,
        m.favour / nullif(m.favour_error, 0) as t
    from __ltr_means as m
),
__ltr_tested as (
    select
        l.*,
        {{ t_quantile("l.level", "l.bias_df") }} as bias_t,
        {{ t_quantile("l.level", "l.favour_df") }} as favour_t,
        {{ t_p("l.t", "l.favour_df") }} as p
    from __ltr_levels as l
),
__ltr_placed as (
    select
        t.*,
        rank() over ({{ partition_by_group("t", "t.rater_a", "t.rater_b") }} order by round(t.mean_a, 12) desc nulls last) as place_a,
        rank() over ({{ partition_by_group("t", "t.rater_a", "t.rater_b") }} order by round(t.mean_b, 12) desc nulls last) as place_b,
        row_number() over ({{ partition_by_group("t", "t.rater_a", "t.rater_b") }} order by t.p asc nulls last, t.ranker asc nulls last) as number,
        count(t.p) over ({{ partition_by_group("t", "t.rater_a", "t.rater_b") }}) as tests
    from __ltr_tested as t
)
select
    {% if system("n") %}{{ system_output("n") }},
    {% endif -%}
    r.rater_a,
    r.rater_b,
    r.ranker as system,
    r.queries,
    r.mean_a,
    r.mean_b,
    r.place_a,
    r.place_b,
    r.bias,
    r.bias - r.bias_t * r.bias_error as bias_low,
    r.bias + r.bias_t * r.bias_error as bias_high,
    r.favour,
    r.favour - r.favour_t * r.favour_error as favour_low,
    r.favour + r.favour_t * r.favour_error as favour_high,
    r.p,
    case when r.p is not null then least(1e0, max(r.p * (r.tests - r.number + 1))
        over ({{ partition_by_group("r", "r.rater_a", "r.rater_b") }} order by r.number asc rows between unbounded preceding and current row))
        end as p_adjusted
from __ltr_raters as n
left join __ltr_placed as r
    on {{ same_group("r", "n") }}
where case
    when r.ranker is not null then true
    else {{ error("no query of a system has values of two raters: compare their query ids and systems") }}
end

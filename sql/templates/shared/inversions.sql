{#- Inversions of two rankings. The inversions of a document are the documents above it in ranking a and below it in
    ranking b. A list consists of the documents of one pair of rankings.

    Each short list is joined with itself: one row per inversion. Long lists are sorted by ranking a, and
    each row counts the earlier rows with a larger rank in b. DuckDB counts them in one window. Other engines, and
    DuckDB for weighted pairs, count them bit by bit. For each bit of the rank in b, rows with equal higher bits form a
    group. A row with a 0 in this bit is inverted with all earlier rows of its group that have a 1. This takes log n rows
    per document and is exact with ties. In measurements, the window was faster than the join above 20 documents per
    list. Counting bit by bit was faster than the join above 500.

    Lists are numbered (see `list_key`), because integers sort faster than ids. Ranks in b are replaced by the number of
    documents above. -#}

{#- Create the CTE __ltr_inverted_<of>: the rows of __ltr_compared_<of> with the number of inversions of each document. -#}
{% macro with_inversions(of, windows, positions=false, weights=false) -%}
{%- set counted = larger_before is not none and not weights -%}
{%- set short = 20 if counted else 500 -%}
{%- set by_a = "r.rank_a asc nulls last, r.above_b asc nulls last" -%}
{%- set by_b = "r.rank_b asc nulls last, r.rank_a asc nulls last" -%}
{%- set positions = positions or not counted -%}
__ltr_lists_{{ of }} as (
    select
        {{ key("r") }},
        {%- if larger_before is not none %}
        cast(row_number() over (order by {{ key("r") | replace(",", " asc nulls last,") }} asc nulls last) as integer) as list,
        {%- endif %}
        count(*) as length
    from __ltr_compared_{{ of }} as r
    group by {{ key("r") }}
),
{% for length, condition in [("short", "<="), ("long", ">")] -%}
__ltr_{{ length }}_{{ of }} as (
    select
        {{ list_key("r") }},
        {%- if length == "long" and not counted %}
        r.length,
        {%- endif %}
        r.rank_a,
        r.rank_b,
        r.above_b
        {%- if positions or length == "short" %},
        row_number() over (partition by {{ list_key("r") }} order by {{ by_a }}) as position_a
        {%- endif %}
        {%- if positions %},
        row_number() over (partition by {{ list_key("r") }} order by {{ by_b }}) as position_b
        {%- endif %}
    from (
        select
            {{ list_key("n") }},
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by {{ list_key("n") }} order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_{{ of }} as c
        join __ltr_lists_{{ of }} as n
            on {{ same_key("n", "c") }} and n.length {{ condition }} {{ short }}
    ) as r
),
{% endfor -%}
__ltr_joined_{{ of }} as (
    select
        {{ list_key("y") }},
        y.rank_a,
        y.rank_b,
        y.above_b,
        {{ "y.position_a, y.position_b" if positions else "y.position_a" }},
        count(x.rank_a) as inversions
        {%- if weights %},
        sum(case when x.rank_a is null then 0e0 else 1e0 / x.position_a end) as weight_a,
        sum(case when x.rank_a is null then 0e0 else 1e0 / x.position_b end) as weight_b
        {%- endif %}
    from __ltr_short_{{ of }} as y
    left join __ltr_short_{{ of }} as x
        on {{ same_list("x", "y") }} and x.rank_a < y.rank_a and x.above_b > y.above_b
    group by {{ list_key("y") }}, y.rank_a, y.rank_b, y.above_b, {{ "y.position_a, y.position_b" if positions else "y.position_a" }}
),
{% if not counted -%}
__ltr_bits_{{ of }} as (
    select
        {{ list_key("r") }},
        r.rank_a,
        r.rank_b,
        r.above_b,
        r.position_a,
        r.position_b,
        b.value as bit,
        floor(r.above_b * b.half) as higher_bits,
        floor(r.above_b * 2 * b.half) - 2 * floor(r.above_b * b.half) as is_one
    from __ltr_long_{{ of }} as r
    join (
        select
            power(2e0, n.rank - 1) as value,
            power(2e0, -n.rank) as half
        from (
            {{ numbers(31) }}
        ) as n
    ) as b
        on b.value < r.length
),
__ltr_counted_{{ of }} as (
    select
        {{ list_key("t") }},
        t.rank_a,
        t.rank_b,
        t.above_b,
        t.position_a,
        t.position_b,
        sum(t.ones_before) as inversions
        {%- if weights %},
        sum(t.weight_a) as weight_a,
        sum(t.weight_b) as weight_b
        {%- endif %}
    from (
        select
            {{ list_key("r") }},
            r.rank_a,
            r.rank_b,
            r.above_b,
            r.position_a,
            r.position_b,
            {%- set before %} over (partition by {{ list_key("r") }}, r.bit, r.higher_bits
                order by r.position_a asc nulls last rows between unbounded preceding and current row) {%- endset %}
            (1 - r.is_one) * sum(r.is_one){{ before }} as ones_before
            {%- if weights %},
            (1 - r.is_one) * sum(r.is_one / r.position_a){{ before }} as weight_a,
            (1 - r.is_one) * sum(r.is_one / r.position_b){{ before }} as weight_b
            {%- endif %}
        from __ltr_bits_{{ of }} as r
    ) as t
    group by {{ list_key("t") }}, t.rank_a, t.rank_b, t.above_b, t.position_a, t.position_b
),
{% endif -%}
__ltr_inverted_{{ of }} as (
    {%- for counts in ("joined", "long" if counted else "counted") %}
    select
        {{ list_key("r") }},
        r.rank_a,
        r.rank_b,
        r.above_b,
        {%- if positions %}
        r.position_a,
        r.position_b,
        {%- endif %}
        {%- if weights %}
        r.weight_a,
        r.weight_b,
        {%- endif %}
        1e0 * {{ larger_before("r.above_b", list_key("r"), by_a) if counts == "long" else "r.inversions" }} as inversions{{ windows | indent(8) }}
    from __ltr_{{ counts }}_{{ of }} as r
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
)
{%- endmacro %}

{#- True if two rows belong to the same pair of rankings. -#}
{% macro same_list(row, other) -%}
{% if larger_before is none %}{{ same_key(row, other) }}{% else %}{{ row }}.list = {{ other }}.list{% endif %}
{%- endmacro %}

{#- Select the measures of each pair of rankings, aggregated over its rows `d`. -#}
{% macro summed_by_list(of, values) -%}
{%- set row = "d" if larger_before is none else "n" -%}
select
    {{ key(row) }}{{ values | indent(4) }}
from __ltr_inverted_{{ of }} as d
{%- if larger_before is not none %}
join __ltr_lists_{{ of }} as n
    on {{ same_list("n", "d") }}
{%- endif %}
group by {{ key(row) }}
{%- endmacro %}

{#- Create the CTE __ltr_inverted_<of> of the documents in the top k of both rankings. -#}
{% macro inversions_in_both(of, k, windows, positions=false, weights=false) -%}
__ltr_compared_{{ of }} as (
    select
        {{ key("r") }},
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where {{ in_both(k, "r") }}
),
{{ with_inversions(of, windows, positions, weights) }}
{%- endmacro %}

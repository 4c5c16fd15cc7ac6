/*
summary = """
One row per depth of two rankings, a shorter one s and a longer one l, plus length(s) depths beyond the end of l. Tied
documents share the positions `start_s` to `end_s` (or `start_l` to `end_l`). A prefix that ends within a tie contains
a share of each tied document. `whole` counts the documents that both prefixes contain in full. `partly_s`,
`partly_l` and `partly_both` count those that the prefix of s, of l, or of both contains in part. `others` and
`others_partly` count the documents that s lacks and the prefix of l contains in full or in part."""
input = "pairs"
*/
__ltr_sized{{ suffix }} as (
    select
        {{ key("r") }},
        case when r.length_a <= r.length_b then r.rank_a else r.rank_b end as rank_s,
        case when r.length_a <= r.length_b then r.rank_b else r.rank_a end as rank_l,
        {{ smaller("r.length_a", "r.length_b") }} as length_s,
        {{ larger("r.length_a", "r.length_b") }} as length_l
    from (
        select
            {{ key("t") }},
            t.rank_a,
            t.rank_b,
            count(t.rank_a) over (partition by {{ key("t") }}) as length_a,
            count(t.rank_b) over (partition by {{ key("t") }}) as length_b
        from (
            {{ truncated_ranks(k) | indent(12) }}
        ) as t
    ) as r
    where r.rank_a is not null or r.rank_b is not null
),
__ltr_spread{{ suffix }} as (
    select
        {{ key("r") }},
        r.length_s,
        r.length_l
        {%- for list in "sl" %}
        {%- set rank, partition = "r.rank_" ~ list, "partition by " ~ key("r") %},
        case when {{ rank }} is not null then row_number() over ({{ partition }} order by {{ rank }} asc nulls last) end as position_{{ list }},
        case when {{ rank }} is not null then rank() over ({{ partition }} order by {{ rank }} asc nulls last) end as start_{{ list }},
        case when {{ rank }} is not null then rank() over ({{ partition }} order by {{ rank }} asc nulls last) + count(*) over ({{ partition }}, {{ rank }}) - 1
            end as end_{{ list }}
        {%- endfor %}
    from __ltr_sized{{ suffix }} as r
),
{%- set enters = larger("r.start_s", "r.start_l") %}
{%- set first_end, last_end = smaller("r.end_s", "r.end_l"), larger("r.end_s", "r.end_l") %}
{%- set ends_first = {"s": "case when r.end_s < r.end_l then 1 else 0 end", "l": "case when r.end_l < r.end_s then 1 else 0 end"} %}
__ltr_steps{{ suffix }} as (
    {%- set columns = ["depth", "partly_both", "partly_s", "partly_l", "whole", "others_partly", "others", "start_s", "end_s", "start_l", "end_l"] %}
    {%- set steps = [
        ("both", {"depth": enters, "partly_both": "1"}),
        ("both", {"depth": larger(enters, first_end), "partly_both": "-1", "partly_s": ends_first.l, "partly_l": ends_first.s}),
        ("both", {"depth": last_end, "partly_s": "-" ~ ends_first.l, "partly_l": "-" ~ ends_first.s, "whole": "1"}),
        ("l_only", {"depth": "r.start_l", "others_partly": "1"}),
        ("l_only", {"depth": "r.end_l", "others_partly": "-1", "others": "1"}),
        ("s", {"depth": "r.position_s", "start_s": "r.start_s", "end_s": "r.end_s"}),
        ("l", {"depth": "r.position_l", "start_l": "r.start_l", "end_l": "r.end_l"}),
        ("s", {"depth": "r.length_l + r.position_s"}),
    ] %}
    {%- set documents = {
        "both": "r.start_s is not null and r.start_l is not null",
        "l_only": "r.start_s is null",
        "s": "r.start_s is not null",
        "l": "r.start_l is not null",
    } %}
    {%- for document, values in steps %}
    select
        {{ key("r") }},
        r.length_s,
        r.length_l
        {%- for column in columns %},
        {{ values.get(column, "cast(null as double)" if column[:5] in ("start", "end_s", "end_l") else "0") }} as {{ column }}
        {%- endfor %}
    from __ltr_spread{{ suffix }} as r
    where {{ documents[document] }}
    {%- if not loop.last %}
    union all
    {%- endif %}
    {%- endfor %}
),
__ltr_prefixes{{ suffix }} as (
    select
        {{ key("r") }},
        r.depth,
        r.length_s,
        r.length_l,
        r.start_s,
        r.end_s,
        r.start_l,
        r.end_l
        {%- for column in columns[1:7] %},
        sum(r.{{ column }}) over (partition by {{ key("r") }} order by r.depth asc nulls last rows between unbounded preceding and current row) as {{ column }}
        {%- endfor %}
    from (
        select
            {{ key("t") }},
            1e0 * t.depth as depth,
            t.length_s,
            t.length_l
            {%- for column in columns[7:] %},
            max(t.{{ column }}) as {{ column }}
            {%- endfor %}
            {%- for column in columns[1:7] %},
            sum(1e0 * t.{{ column }}) as {{ column }}
            {%- endfor %}
        from __ltr_steps{{ suffix }} as t
        group by {{ key("t") }}, t.depth, t.length_s, t.length_l
    ) as r
),
{{ name }} as (
    select
        {{ key("d") }}{{ values | indent(8) }}
    from __ltr_prefixes{{ suffix }} as d
    group by {{ key("d") }}
)

{#- What tells rows that can be scored from others: aggregates over rows `row`, whose columns hold `kinds` ('integer',
    'fraction' or 'text', by name). -#}

{% macro nulls(row, names) -%}
{% for name in names %}{{ " + " if not loop.first }}count(*) - count({{ row }}.{{ name }}){% endfor %}
{%- endmacro %}

{% macro not_numbers(row, names, kinds) -%}
{% for name in names if kinds[name] == "text" %}{{ " + " if not loop.first }}count({{ row }}.{{ name }}) - count({{ number_of(row, name, kinds) }}){% else %}0{% endfor %}
{%- endmacro %}

{% macro number_of(row, name, kinds) -%}
{{ row ~ "." ~ name if kinds[name] != "text" else "try_cast(" ~ row ~ "." ~ name ~ " as double)" }}
{%- endmacro %}

{% macro infinite(row, name, kinds) -%}
{{ "0" if kinds[name] == "integer" else "count(case when isinf(" ~ number_of(row, name, kinds) ~ ") then 1 end)" }}
{%- endmacro %}

{% macro rank_of(row, kinds) -%}
{{ row ~ ".rank" if kinds.rank == "integer" else without_nan("cast(" ~ number_of(row, "rank", kinds) ~ " as double)") }}
{%- endmacro %}

{% macro not_whole(row, kinds) -%}
{{ "0" if kinds.rank == "integer" else "count(case when " ~ rank_of(row, kinds) ~ " <> floor(" ~ rank_of(row, kinds) ~ ") then 1 end)" }}
{%- endmacro %}

{#- The ranks of a query: how many there are, how many rows have none, and all of them mixed to one number, in any order. -#}
{% macro counted_ranks(row, kinds) -%}
count({{ rank_of(row, kinds) }}) as ranks,
count(*) - count({{ rank_of(row, kinds) }}) as unranked,
bit_xor(hash(try_cast({{ rank_of(row, kinds) }} as bigint))) as rank_checksum
{%- endmacro %}

{#- What the ranks from 1 to their number are mixed to, for each number that queries have. -#}
{% macro expected_rank_checksums(queries) -%}
(
    select
        i.rank as ranks,
        bit_xor(hash(i.rank)) over (order by i.rank rows between unbounded preceding and current row) as rank_checksum
    from (
        {{ numbers("(select max(n.ranks) from " ~ queries ~ " as n)") }}
    ) as i
)
{%- endmacro %}

{#- Whether they are not 1 to their number: others are mixed to the same number by a chance of 1 to 2^64. -#}
{% macro unclear_ranks(row, mixed) -%}
xor({{ row }}.rank_checksum, case when {{ row }}.unranked % 2 = 1 then hash(cast(null as bigint)) else 0 end) <> {{ mixed }}.rank_checksum
{%- endmacro %}

{#- How many rows are one too many of their kind. Two kinds that have one hash by chance make a finding that is looked for
    once more, and not found. -#}
{% macro repeated(columns) -%}
count(*) - count(distinct hash({{ columns }}))
{%- endmacro %}

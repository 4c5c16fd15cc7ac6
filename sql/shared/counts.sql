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

{#- The ranks of a query: their number, smallest, largest, sum and exclusive or. -#}
{% macro counted_ranks(row, kinds) -%}
count({{ rank_of(row, kinds) }}) as ranks,
min({{ rank_of(row, kinds) }}) as first_rank,
max({{ rank_of(row, kinds) }}) as last_rank,
sum({{ rank_of(row, kinds) }}) as sum_of_ranks,
bit_xor({{ rank_of(row, kinds) if kinds.rank == "integer" else "try_cast(" ~ rank_of(row, kinds) ~ " as bigint)" }}) as xor_of_ranks
{%- endmacro %}

{#- Whether they are not 1 to their number, as these tell. -#}
{% macro unclear_ranks(row) -%}
{{ row }}.last_rank <> {{ row }}.ranks
    or {{ row }}.sum_of_ranks <> {{ row }}.ranks * ({{ row }}.ranks + 1) / 2
    or {{ row }}.xor_of_ranks <> case {{ row }}.ranks % 4 when 0 then {{ row }}.ranks when 1 then 1 when 2 then {{ row }}.ranks + 1 else 0 end
{%- endmacro %}

{% macro impossible_ranks(row) -%}
{{ out_of_range(row ~ ".first_rank") }} or {{ out_of_range(row ~ ".last_rank") }}
{%- endmacro %}

{#- How many rows are one too many of their kind. Two kinds that have one hash by chance make a finding that is looked for
    once more, and not found. -#}
{% macro repeated(columns) -%}
count(*) - count(distinct hash({{ columns }}))
{%- endmacro %}

{#- Aggregates that count rows which cannot be scored. `kinds` maps each column name to 'integer', 'fraction' or 'text'. -#}

{#- Count the NULLs in the named columns. -#}
{% macro nulls(row, names) -%}
{% for name in names %}{{ " + " if not loop.first }}count(*) - count({{ row }}.{{ name }}){% endfor %}
{%- endmacro %}

{#- True if a text has characters beyond ASCII, which may have several Unicode forms. -#}
{% macro beyond_ascii(text) -%}
strlen({{ text }}) > length({{ text }})
{%- endmacro %}

{#- Count the text values in the named columns that are not numbers. -#}
{% macro not_numbers(row, names, kinds) -%}
{% for name in names if kinds[name] == "text" %}{{ " + " if not loop.first -}}
    count({{ row }}.{{ name }}) - count({{ number_of(row, name, kinds) }}){% else %}0{% endfor %}
{%- endmacro %}

{#- Return a column as a number; text that is not a number becomes NULL. -#}
{% macro number_of(row, name, kinds) -%}
{{ row ~ "." ~ name if kinds[name] != "text" else "try_cast(" ~ row ~ "." ~ name ~ " as double)" }}
{%- endmacro %}

{#- Count the infinite values in a column. -#}
{% macro infinite(row, name, kinds) -%}
{{ "0" if kinds[name] == "integer" else "count(case when isinf(" ~ number_of(row, name, kinds) ~ ") then 1 end)" }}
{%- endmacro %}

{#- Return the rank as a number; text that is not a number, and NaN, become NULL. -#}
{% macro rank_of(row, kinds) -%}
{{ row ~ ".rank" if kinds.rank == "integer" else without_nan("cast(" ~ number_of(row, "rank", kinds) ~ " as double)") }}
{%- endmacro %}

{#- Count the ranks that are not whole numbers. -#}
{% macro not_whole(row, kinds) -%}
{{ "0" if kinds.rank == "integer" else "count(case when " ~ rank_of(row, kinds) ~ " <> floor(" ~ rank_of(row, kinds) ~ ") then 1 end)" }}
{%- endmacro %}

{#- Return the number of ranks of a query, the number of rows without a rank, and an order-independent checksum of the
    ranks. -#}
{% macro counted_ranks(row, kinds) -%}
count({{ rank_of(row, kinds) }}) as ranks,
count(*) - count({{ rank_of(row, kinds) }}) as unranked,
bit_xor({{ secret_hash("try_cast(" ~ rank_of(row, kinds) ~ " as bigint)") }}) as rank_checksum
{%- endmacro %}

{#- Return an unpredictable hash of a number: it depends on a secret of the process. -#}
{% macro secret_hash(number) -%}
hash(xor(hash({{ number }}), cast({{ secret }} as ubigint)))
{%- endmacro %}

{#- Select the checksum of the ranks 1 to n, for each n up to the largest number of ranks of a query. -#}
{% macro expected_rank_checksums(queries) -%}
(
    select
        i.rank as ranks,
        bit_xor({{ secret_hash("i.rank") }}) over (order by i.rank asc rows between unbounded preceding and current row) as rank_checksum
    from (
        {{ numbers("(select max(n.ranks) from " ~ queries ~ " as n)") }}
    ) as i
)
{%- endmacro %}

{#- True if the ranks of a query are not 1 to n. Another set of n ranks has an equal checksum with probability 2^-64. Without
    the secret, such a set cannot be constructed. -#}
{% macro unclear_ranks(row, expected) -%}
xor({{ row }}.rank_checksum, case when {{ row }}.unranked % 2 = 1 then {{ secret_hash("cast(null as bigint)") }} else 0 end) <> {{ expected }}.rank_checksum
{%- endmacro %}

{#- Count the rows that repeat another row in the given columns, by hash. The query that lists the rows excludes hash
    collisions. -#}
{% macro repeated(columns) -%}
count(*) - count(distinct hash({{ columns }}))
{%- endmacro %}

{#- Return the named columns of a row as text. -#}
{% macro shown_row(row, names) -%}
{% for name in names %}{{ " || ', " if not loop.first else "'" }}{{ name }}=' || coalesce(cast({{ row }}.{{ name }} as {{ text_type }}), 'NULL'){% endfor %}
{%- endmacro %}

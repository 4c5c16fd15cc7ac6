{#- Rows of some queries of a run with unsorted scores, query by query, or their judgments. `system`: the text of the
    system of a run, or none. Of 50 judgments per query, 45 are of retrieved documents, and two thirds are relevant. -#}
{%- set query_id = "'q' || lpad(cast(q as varchar), 8, '0')" if kind == "text ids" else "q" -%}
{%- set doc_id = "'doc-' || d" if kind == "text ids" else "d" -%}
{%- set number = "cast(hash(q, i) % 10000000 as bigint) * 1000 + i" -%}
{%- macro numbered(name, rows) -%}
(
    select
        cast(floor(n / {{ rows }}) as bigint) as q,
        n % {{ rows }} as {{ name }}
    from range({{ first * rows }}, {{ last * rows }}) as t(n)
)
{%- endmacro -%}
copy (
    {%- if table == "run" %}
    select
        {% if system %}{{ system }} as system,
        {% endif -%}
        {{ query_id }} as query_id,
        {{ doc_id }} as doc_id,
        {% if kind == "ranks" %}i + 1 as rank{% elif kind == "tied" %}floor(score * 100) / 100 as score{% else %}score{% endif %}
    from (
        select
            q,
            i,
            {{ number }} as d,
            (hash(q, i, {{ system or "'score'" }}) % 1000000007) / 1000000007 as score
        from {{ numbered("i", 1000) | indent(8) }}
    )
    {%- if kind == "shuffled" %}
    order by hash(q, d)
    {%- endif %}
    {%- else %}
    select
        {{ query_id }} as query_id,
        {{ doc_id }} as doc_id,
        cast(n % 3 as integer) as relevance
    from (
        select
            q,
            n,
            case when n < 45 then {{ number }} else -1 - n end as d
        from (
            select
                q,
                n,
                n * 19 as i
            from {{ numbered("n", 50) | indent(12) }}
        )
    )
    {%- endif %}
) to '{{ path }}' (format parquet)

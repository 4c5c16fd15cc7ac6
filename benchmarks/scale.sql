{#- A run with unsorted scores, and judgments. Of 50 judgments per query, 45 are of retrieved documents, and two thirds are
    relevant. -#}
{%- set query_id = "'q' || lpad(cast(q as varchar), 8, '0')" if text else "q" -%}
{%- set doc_id = "'doc-' || d" if text else "d" -%}
{%- set number = "cast(hash(q, i) % 10000000 as bigint) * 1000 + i" -%}
copy (
    select
        {{ query_id }} as query_id,
        {{ doc_id }} as doc_id,
        {% if kind == "tied" %}floor(score * 100) / 100{% else %}score{% endif %} as score
        {%- if kind == "ranks" %},
        i + 1 as rank
        {%- endif %}
    from (
        select
            q,
            i,
            {{ number }} as d,
            (hash(q, i, 'score') % 1000000007) / 1000000007 as score
        from range({{ queries }}) as a(q), range(1000) as b(i)
    )
    {%- if kind == "shuffled" %}
    order by hash(q, d)
    {%- endif %}
) to '{{ folder }}/run.parquet' (format parquet);
copy (
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
            from range({{ queries }}) as a(q), range(50) as b(n)
        )
    )
) to '{{ folder }}/qrels.parquet' (format parquet);

{#- Raise an error if one of the documents that the measures read is in the run twice. With `check_ranks`, also raise one for
    a duplicate rank. Otherwise return true. The judgments are already free of duplicates. If a query has more rows than judgments of these documents,
    the run contains one of them twice. A run without any judged document is an error too, because its ids probably do not match those of the
    judgments. -#}
{%- set nothing = error("no document of the run is judged for its query: compare the ids of the run and the judgments (ltr.check_run shows some of them)") -%}
{% if counts_rows -%}
case when documents.__ltr_num_read > q.{{ num_read }} then {{ reject_duplicate_document() }} else true end
    and (select case when sum(n.__ltr_num_retrieved) > 0 then true else {{ nothing }} end from __ltr_by_documents as n)
{%- else -%}
not exists (
    select 1
    from (
        select
            count(*) as num_read,
            count(r.rank) as num_retrieved
        from __ltr_rankings as r
        where r.relevance is not null
        {%- if system("r") %}
        group by {{ system("r") }}
        {%- endif %}
    ) as n
    where case
        when n.num_read > (select count(*) from {{ qrels }} as q) then {{ reject_duplicate_document() }}
        when n.num_retrieved = 0 then {{ nothing }}
        else false
    end
)
{%- endif %}
{%- if check_ranks %}
    and not exists (
        select 1
        from (
            select
                count(r.rank) as ranks,
                count(distinct r.rank) as distinct_ranks
            from __ltr_rankings as r
            group by {{ key("r") }}
        ) as n
        where case
            when n.ranks = n.distinct_ranks then false
            else {{ error("documents of one query share a rank: rank by row_number(); if rankings of several systems are "
                "mixed, pass the column that names the system as keys (ltr.check_run shows the rows)") }}
        end
    )
{%- endif %}

{#- Whether a run has each document once that measures read: where each judgment is there once, more rows come from the run
    alone. And whether the ranks of judged documents are there once, where that is not known.
    That a run finds nothing is not wrong in itself, and a reason to look closer. -#}
{%- set nothing = error("no document of the run is judged for its query (ltr.check_run shows some of both)") -%}
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
            else {{ error("documents of one query share a rank: rank by row_number(), and name the columns that tell rankings apart as keys (ltr.check_run shows the rows)") }}
        end
    )
{%- endif %}

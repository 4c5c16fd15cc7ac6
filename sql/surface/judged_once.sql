{#- Whether a run has each judged document once: where each judgment is there once, more rows come from the run alone.
    And whether ranks that are given are there once. -#}
not exists (
    select 1
    from (
        select count(r.relevance) as documents
        from __ltr_rankings as r
        {%- if system("r") %}
        group by {{ system("r") }}
        {%- endif %}
    ) as n
    where case
        when n.documents <= (select count(*) from {{ qrels }} as q) then false
        else {{ error("a document is in one ranking more than once: keep its best row, or name the columns that tell rankings apart as keys (ltr.check_run shows the rows)") }}
    end
)
{%- if distinct_ranks %}
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

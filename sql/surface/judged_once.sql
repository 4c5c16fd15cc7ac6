{#- Whether a run has each judged document once: where each judgment is there once, more rows come from the run alone. -#}
not exists (
    select 1
    from (
        select count(*) as documents
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

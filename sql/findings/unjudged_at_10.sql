/*
severity = "info"
what = "documents in the top 10 are not judged: they count as not relevant"
what_to_do = "report Judged@10 with the measures; judge more documents if systems differ in Judged@10"
reads = ["rankings", "run"]
*/
select
    cast(sum(f.positions - f.judged) as bigint) as how_many,
    round(100 * sum(f.positions - f.judged) / sum(f.positions), 1) || '% of the top 10: '
    || list_aggregate(min(case when f.positions > f.judged then {{ row_text("f", "query_id") }} || ' ('
        || cast(f.positions - f.judged as bigint) || ' of ' || cast(f.positions as bigint) || ')' end, 3), 'string_agg',
        '; ') as first_rows
from (
    select
        r.keys,
        r.query_id,
        least(10, greatest(max(r.position), max(r.num_ret))) as positions,
        count(case when r.position <= 10 and r.is_judged then 1 end) as judged
    from (
        select
            s.keys,
            s.query_id,
            s.num_ret,
            {%- if qrels %}
            q.doc_id is not null as is_judged,
            {%- else %}
            s.relevance is not null as is_judged,
            {%- endif %}
            case when s.has_rank then s.rank
                else row_number() over (partition by s.keys, s.query_id order by s.score desc nulls last, s.doc_id desc nulls last)
                end as position
        from __ltr_run_rows as s
        {%- if qrels %}
        left join (
            select distinct
                j.query_id,
                j.doc_id
            from __ltr_grades as j
            where j.relevance is not null
        ) as q
            on q.query_id = s.query_id and q.doc_id = s.doc_id
        where s.query_id in (
            select j.query_id
            from __ltr_grades as j
        )
        {%- else %}
        where list_contains(s.names, 'relevance')
        {%- endif %}
    ) as r
    group by r.keys, r.query_id
    having max(r.position) >= 1
) as f

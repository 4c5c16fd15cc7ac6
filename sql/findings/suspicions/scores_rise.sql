/*
severity = "warning"
what = "the scores of each query rise from its first row to its last, as ranks and distances do, and the highest score counts as the best"
what_to_do = "nothing if the last row is the best. If the scores are ranks, name their column rank; if the smallest is the best, as of distances, change their sign"
reads = ["order"]
*/
{#- Each sample holds the first rows of a run. A run that is sorted by its scores as a whole is no list of rankings. -#}
select
    cast(sum(f.rises) as bigint) as how_many,
    list_aggregate(min(f.row_text, 3), 'string_agg', '; ') as first_rows
from (
    {%- for sample in samples %}
    select
        count(case when s.score > s.above then 1 end) as rises,
        list_aggregate((list({{ labels }} || ', score=' || s.score_text order by s.position asc))[1:3], 'string_agg', '; ') as row_text
    from (
        select
            t.*,
            lag(t.score) over (partition by {{ ranking }} order by t.position asc) as above,
            lag(t.score) over (order by t.position asc) as before
        from (
            select
                row_number() over () as position,
                {{ ranking }},
                cast(r.score as varchar) as score_text,
                try_cast(r.score as double) as score
            from {{ sample }} as r
        ) as t
    ) as s
    having count(case when s.score < s.above then 1 end) = 0
        and count(case when s.score < s.before then 1 end) > 0
        and count(case when s.score > s.above then 1 end) >= 8
    {{- "" if loop.last else "\n    union all" }}
    {%- endfor %}
) as f

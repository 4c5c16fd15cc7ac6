/*
severity = "error"
what = "a column is missing"
what_to_do = "rename the column that holds these values, or select it under the missing name"
reads = ["rankings", "run"]
*/
select
    {{ count_and_first_rows("f.row_text") }}
from (
    select
        r.input || ': no column ' || n.name || ' among ' || list_aggregate(r.names, 'string_agg', ', ') as row_text
    from (
        {%- for row in ["__ltr_run_rows"] + (["__ltr_grades"] if qrels else []) %}
        (
            select
                {{ string("the rankings" if not qrels else "the run" if row == "__ltr_run_rows" else "the judgments") }} as input,
                {{ string(row) }} as relation,
                s.names
            from {{ row }} as s
            limit 1
        )
        {{- "" if loop.last else "\n        union all" }}
        {%- endfor %}
    ) as r
    join (
        values
        {%- if qrels %}
        ('__ltr_run_rows', 'query_id', ['query_id']), ('__ltr_run_rows', 'doc_id', ['doc_id']), ('__ltr_run_rows', 'rank or score', ['rank', 'score']),
        ('__ltr_grades', 'query_id', ['query_id']), ('__ltr_grades', 'doc_id', ['doc_id']), ('__ltr_grades', 'relevance', ['relevance'])
        {%- else %}
        ('__ltr_run_rows', 'query_id', ['query_id']), ('__ltr_run_rows', 'rank or score', ['rank', 'score', 'rank_a']),
        ('__ltr_run_rows', 'relevance', ['relevance', 'rank_b'])
        {%- endif %}
    ) as n(relation, name, either)
        on n.relation = r.relation and not list_has_any(r.names, n.either)
) as f

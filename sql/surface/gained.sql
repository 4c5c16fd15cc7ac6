{#- Judgments with a gain in place of each grade of a list; other grades stay. -#}
(
    select
        q.query_id,
        q.doc_id,
        case q.relevance
            {%- for grade, gain in gains %}
            when {{ grade }} then {{ gain }}
            {%- endfor %}
            else q.relevance
        end as relevance
    from {{ qrels }} as q
)

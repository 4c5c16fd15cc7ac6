{#- Return the errors of a run with judgments, or of rankings, as one text, or NULL. This is for engines that do not run sql/findings/:
    `said` maps the findings to look for to the texts around a row that is wrong. `ids` and `numbers` are the columns of the run. -#}
{#- Define numbers as doubles. -#}
{%- macro doubles(row, names) -%}
{%- for name in names %},
{% set number = "cast(" ~ row ~ "." ~ name ~ " as double)" -%}
{{ number if name == "score" else without_nan(number) }} as {{ name }}
{%- endfor %}
{%- endmacro -%}
{#- Show one of the rows that meet a condition, for each condition. -#}
{%- macro first_rows(row, conditions, names) -%}
{%- for code, condition in conditions.items() %},
min(case when {{ condition }} then {{ shown_row(row, names) }} end) as {{ code }}
{%- endfor %}
{%- endmacro -%}
{#- Show a query with an impossible column. -#}
{%- macro first_query(name, group, condition) -%}
(
        select min({{ shown_row("d", ["query_id", name]) }})
        from (
            select
                {{ key("r") }},
                max(r.{{ name }}) as {{ name }}
            from __ltr_rows as r
            {{- "\n            where " ~ searched if group }}
            group by {{ key("r") }}{{ group }}
            having {{ condition }}
        ) as d
    )
{%- endmacro -%}
{#- Count rows of a table with an id that another one has. One suffices. -#}
{%- macro common(name, relation, other) -%}
(
            select count(*)
            from (
                select 1
                from {{ relation }} as r
                where r.{{ name }} in (
                    select q.{{ name }}
                    from {{ other }} as q
                )
                {{ first_found }}
            ) as c
        )
{%- endmacro -%}
{#- Show ids of both inputs if they have none in common. -#}
{%- macro nothing_common(name) -%}
case
        when {{ common(name, run, qrels) }} = 0
        then 'the run has ' || cast(a.{{ name }} as {{ text_type }}) || ', the judgments have ' || cast(b.{{ name }} as {{ text_type }})
    end
{%- endmacro -%}
{%- set infinite = "abs(r.relevance) = cast('inf' as double)" -%}
{%- set of_run = {} -%}
{%- for code, condition in {
    "null_ids": "r.query_id is null" ~ (" or r.doc_id is null" if qrels),
    "scores_not_finite": "not coalesce(abs(r.score) < cast('inf' as double), false)",
    "ranks_missing": "r.rank is null",
    "ranks_not_whole": "r.rank <> floor(r.rank)",
    "ranks_out_of_range": out_of_range("r.rank"),
    "grades_infinite": infinite,
}.items() if code in said and not (qrels and code == "grades_infinite") %}{% set _ = of_run.update({code: condition}) %}{% endfor -%}
{#- Relevant documents, and a part of the queries that has about 200,000 rows. -#}
{%- set searched %}{{ hash_of("r.query_id") }} % (select cast(floor(count(*) / 200001e0) as bigint) + 1
    from {{ run }} as c) = 0{{ " or r.relevance > 0" if "relevance" in numbers }}{% endset -%}
{%- set by_document = "duplicate_documents" in said -%}
{%- set no_run = "" if asked else "when a.one is null then '" ~ ("the run" if qrels else "the rankings") ~ "' " -%}
{%- set found = {
    "no_rows": "case " ~ no_run ~ ("when b.one is null then 'the judgments' " if qrels) ~ "end",
    "null_ids": "coalesce(n.null_ids, 'judgment ' || q.null_ids)" if qrels else "n.null_ids",
    "grades_infinite": ("q" if qrels else "n") ~ ".grades_infinite",
    "num_ret_impossible": first_query("num_ret", "", impossible_num_ret("min(r.num_ret)", "max(r.num_ret)", "max(r.rank)")),
    "duplicate_ranks": first_query("rank", ", r.rank", "count(r.rank) > 1"),
    "no_common_queries": nothing_common("query_id"),
    "no_common_documents": nothing_common("doc_id"),
    "asked_not_judged": "case when " ~ common("query_id", asked, qrels) ~ " = 0 then (select min("
        ~ text_of_id("r.query_id") ~ ") from " ~ asked ~ " as r) end" if asked,
} -%}
with __ltr_rows as {{ inline }}(
    select
        {{ key_definition("t") }}
        {%- for name in ids if name != "query_id" %},
        t.{{ name }}
        {%- endfor %}
        {{- doubles("t", numbers) | indent(8) }}
    from {{ run }} as t
)
select
    nullif(concat_ws({{ string(".\nAlso: ") }}
    {%- for code, (before, after) in said.items() %},
        {{ string(before) }} || {{ found.get(code, "n." ~ code) }} || {{ string(after) }}
    {%- endfor %}
    ), '') as error
from (
    select
        {{ "min(case when r.documents > 1 then " ~ shown_row("r", ["query_id", "doc_id"]) ~ " end)" if by_document else "null" }} as duplicate_documents
        {%- for code in of_run %},
        min(r.{{ code }}) as {{ code }}
        {%- endfor %}
    from (
        select
            {{ key("r") }},
            {{ "r.doc_id," if by_document }}
            count({{ "r.doc_id" if by_document else "*" }}) as documents
            {{- first_rows("r", of_run, ids | reject("eq", "subtopic") | list + numbers) | indent(12) }}
        from __ltr_rows as r
        where {{ of_run.values() | join(" or ") }}{{ " or " ~ searched if by_document }}
        group by {{ key("r") }}{{ ", r.doc_id" if by_document }}{{ ", r.subtopic" if "subtopic" in ids }}
    ) as r
) as n
left join (
    select
        1 as one
        {%- for name in ids %},
        t.{{ name }}
        {%- endfor %}
    from {{ run }} as t
    limit 1
) as a
    on true
{%- if qrels %}
cross join (
    select
        count(*) as wrong
        {{- first_rows("r", {"null_ids": of_run.null_ids, "grades_infinite": infinite}, ["query_id", "doc_id", "relevance"]) | indent(8) }}
    from (
        select
            t.query_id,
            t.doc_id
            {{- doubles("t", ["relevance"]) | indent(12) }}
        from {{ qrels }} as t
    ) as r
    where {{ of_run.null_ids }} or {{ infinite }}
) as q
left join (
    select
        1 as one,
        t.query_id,
        t.doc_id
    from {{ qrels }} as t
    limit 1
) as b
    on true
{%- endif %}

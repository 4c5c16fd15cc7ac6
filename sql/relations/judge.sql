/*
name = "judge"
summary = "Join a run with judgments: one row for each judged document of each query, with its rank in the run."
inputs = ["run", "qrels"]
reads = "run: query_id, doc_id, and rank or score (rank if both exist); qrels: query_id, doc_id, relevance; a key is a column of the run (each system is evaluated on all judged queries), or of the judgments (a query belongs to one segment); a duplicate judgment, or a judged document that the run contains twice, is an error"
gives = "the keys, query_id, doc_id, rank (NULL = not retrieved), relevance (NULL = not judged), the other columns of the judgments, and num_ret (number of documents that the run retrieved for the query; the largest rank if the run has ranks)"
parameters = ["ties", "missing", "unjudged", "duplicates", "qrels_duplicates", "grades", "asked", "validate"]
[choices]
ties = ["docid_desc", "docid_asc", "docid_desc_float32", "row_order", "worst", "best", "expected"]
[summaries]
ties = "tie-breaking rule for equal scores: 'docid_desc' sorts by descending doc_id in byte order (trec_eval), 'docid_asc' by ascending doc_id, 'docid_desc_float32' by descending doc_id after rounding scores to single precision (trec_eval 9), 'row_order' by the column row_order, ascending; 'worst' sorts by ascending grade, 'best' by descending grade; 'expected' gives tied documents the first of their ranks, as the expected_ measures require"
*/
{%- set systems = system("s") != "" -%}
{#- With ties = 'expected', unjudged documents share positions with the judged documents that they tie with. -#}
{%- set judged_only = unjudged == "remove" or (unjudged == "drop" and ties != "expected") -%}
{#- A macro reads the CTEs of these options only if its call sets one: DuckDB does not bind CTEs that nothing reads. -#}
{%- set shortened = duplicates is call_time or duplicates != "error" or unjudged == "remove" -%}
{%- set repeats = duplicates ~ " <> 'error'" if duplicates is call_time else duplicates != "error" -%}
{%- macro of_options(plain, kept) -%}
{%- if duplicates is call_time -%}
query_table(case when {{ duplicates }} = 'error' and {{ unjudged }} <> 'remove' then '{{ plain }}' else '{{ kept }}' end)
{%- else -%} {{ kept if shortened else plain }}
{%- endif -%}
{%- endmacro -%}
{%- set ranked = of_options("__ltr_run_ranked", "__ltr_run_kept") -%}
{%- set segmented = segments("q") != "" and not judged_only -%}
{%- set judgments = judgments_relation(relations.qrels, relations.run) -%}
{%- set as_asked = ". If a row without doc_id says that a query has no results, pass the queries as asked :=, and then leave this row out" -%}
{#- Return a condition that the option `validate` of a macro turns off. -#}
{%- macro if_checked(condition) -%}
{{ "(not " ~ validate ~ " or " ~ condition ~ ")" if validate is call_time else condition if validate else "true" }}
{%- endmacro -%}
{%- set cut = systems or cut_first or not judged_only or reject_duplicates -%}
{#- Raise an error in a macro if run and judgments have no id of this column in common. The search stops at the first one. -#}
{%- macro common_ids(name, what) -%}
(
    select case
        when count(*) > 0 then true
        when (select t.num_rows from __ltr_run_size as t) = 0 then true
        when (select count(*) from __ltr_judged as q) = 0 then true
        else {{ error("no " ~ what ~ ": compare the ids of the run and the judgments, such as types, blanks, leading "
            "zeros, upper and lower case (ltr.check_run shows some of them). If they are right, pass validate := false") }}
    end
    from (
        select 1
        from __ltr_run as r
        where r.{{ name }} in (
            select q.{{ name }}
            from __ltr_judged as q
        )
        limit 1
    ) as n
)
{%- endmacro -%}
{#- Select the columns of the result. -#}
{%- macro columns_of(system, query_id, doc_id, rank, judgment) -%}
select
    {% if systems %}{{ system }},
    {% endif -%}
    {{ query_id }},
    {{ doc_id }},
    {{ rank }},
    {{ judgment }}
    {%- if with_num_ret %},
    coalesce(n.num_ret, 0) as num_ret
    {%- endif %}
{%- endmacro -%}
{#- Join judgments and run: for all judged queries, or with `by_asked` for the queries that were asked. -#}
{%- macro joined(by_asked) -%}
{% if judged_only -%}
{{ columns_of(broadcast("s") ~ system_output("s"), "q.query_id", "q.doc_id", "r.rank", judgment_columns("q", "r" if segmented)) }}
{% else -%}
{{ columns_of(broadcast("s") ~ either_system_output("s", "r"), "coalesce(q.query_id, r.query_id) as query_id",
    "coalesce(q.doc_id, r.doc_id) as doc_id", "r.rank", judgment_columns("q", "r" if segmented)) }}
{% endif -%}
from {{ judgments }} as q
{%- if by_asked %}
join __ltr_owed as s
    on s.query_id = q.query_id
{%- elif systems %}
cross join __ltr_systems as s
{%- endif %}
{{ "left" if judged_only else "full" }} join {{ "__ltr_retrieved" if cut else ranked }} as r
    on r.query_id = q.query_id and r.doc_id = q.doc_id{% if systems %} and {{ same_system("r", "s") }}{% endif %}
{%- if with_num_ret or (missing != "zero" and not by_asked) %}
left join {{ of_options("__ltr_run_queries", "__ltr_run_queries_kept") }} as n
    on n.query_id = {% if judged_only %}q.query_id{% if systems %} and {{ same_system("n", "s") }}{% endif %}
    {%- else %}coalesce(q.query_id, r.query_id){% if systems %} and {{ same_system_as_either("n", "s", "r") }}{% endif %}
    {%- endif %}
{%- endif %}
{%- if by_asked and not judged_only %}
where (
    s.query_id is not null
    or exists (
        select 1
        from __ltr_owed as o
        where o.query_id = r.query_id{% if systems %} and {{ same_system("o", "r") }}{% endif %}
    )
)
{%- elif missing is call_time and not by_asked %}
where ({{ missing }} = 'zero' or n.query_id is not null)
{%- elif missing != "zero" and not by_asked %}
where n.query_id is not null
{%- endif %}
{%- if missing is call_time %}
    and {{ if_checked(common_ids("query_id", "query of the run is judged")) | indent(4) }}
    and {{ if_checked(common_ids("doc_id", "document of the run is judged for any query")) | indent(4) }}
{%- endif %}
{%- endmacro -%}
{#- Select a row without a document for each query that was asked and has no judgments. -#}
{%- macro without_judgments() -%}
{{ columns_of(system_output("s"), "s.query_id", "null as doc_id", "null as rank", no_judgment_columns("s")) }}
from __ltr_owed as s
{%- if with_num_ret %}
left join {{ of_options("__ltr_run_queries", "__ltr_run_queries_kept") }} as n
    on n.query_id = s.query_id{% if systems %} and {{ same_system("n", "s") }}{% endif %}
{%- endif %}
where not exists (
    select 1
    from {{ relations.qrels }} as q
    where q.query_id = s.query_id
)
{%- endmacro -%}
{#- Select the unjudged documents that a run retrieved. -#}
{%- macro without_judgment() -%}
select
    {% if systems %}{{ system("r") }},
    {% endif %}r.query_id,
    r.doc_id,
    r.rank
    {%- if segmented %},
    {{ segments_of_query("g") }}
    {%- endif %}
from {{ ranked }} as r
{%- if segmented %}
join __ltr_segments as g
    on g.query_id = r.query_id
{%- endif %}
where {% if not segmented %}r.query_id in (
        select q.query_id
        from __ltr_judged as q
    )
    and {% endif %}not exists (
        select 1
        from __ltr_judged as q
        where q.query_id = r.query_id and q.doc_id = r.doc_id
    )
{%- endmacro -%}
with
{%- for name, query in ctes.items() %} {{ name }} as {{ inline if name.startswith("__ltr_given") }}(
    {{ query | indent(4) }}
),
{% endfor %}
{%- if cut or ranking != "sorted" %} __ltr_judged as {{ inline if not reject_duplicates }}(
    select
        q.query_id,
        q.doc_id
    {%- if reject_duplicates %}
    from (
        select
            {{ judgment_definition("q") }}
        from {{ relations.qrels }} as q
    ) as q
    group by {{ judgment("q") }}
    having case when count(*) = 1 then true else {{ reject_duplicate_judgment() }} end
        {%- if bytewise_check("q.doc_id") %}
        and {{ bytewise_check("q.query_id", "q.doc_id") }}
        and {{ if_checked(no_null_ids("q.query_id is not null and q.doc_id is not null", as_asked)) }}
        {%- endif %}
    {%- else %}
    from {{ relations.qrels }} as q
    {%- if only_relevant %}
    where cast(q.relevance as double) > 0
    {%- endif %}
    {%- endif %}
),
{% endif %}
{% if ranking == "stored" %}{{ run_in_order("run", ties) }}
{%- elif ranking == "counted" %}{{ counted_run("run", ties, "qrels") }}
{%- else %}{{ ranked_run("run", has_rank.run, ties, "qrels", repeats=repeats) }}
{%- endif %}
{%- if shortened %},
{{ shortened_run("run", has_rank.run, "qrels", duplicates, unjudged) }}
{%- endif %}
{%- if segmented %},
__ltr_segments as {{ inline }}(
    select
        q.query_id,
        {{ segments_definition("q") }}
    from {{ judgments }} as q
    group by q.query_id
)
{%- endif %}
{%- if systems %},
__ltr_systems as (
    select
        {{ system("r") }}
    from __ltr_run as r
    {%- if keys_check("r") %}
    where {{ bytewise_check("r.query_id", "r.doc_id") }}
    {%- endif %}
    group by {{ system("r") }}
    {%- if keys_check("r") %}
    {#- Without segments, the engine drops these conditions when it plans the query. #}
    having {{ run_keys_check("r", relations.qrels) }}
        and {{ if_checked(no_null_ids("count(r.query_id) = count(*) and count(r.doc_id) = count(*)", as_asked)) }}
        and not exists (
            select 1
            from __ltr_segments as q
            left join (
                select distinct
                    r.query_id,
                    r.__ltr_shared
                from __ltr_run as r
                where {{ has_segments("r.__ltr_shared") }}
            ) as r
                on r.query_id = q.query_id
            where {{ has_segments("q.__ltr_segments") }}
                and case
                    when q.num_segments > 1
                    then {{ error("the judgments of a query name several segments: give the query its own query_id in "
                        "each segment, such as segment || query_id") }}
                    when r.__ltr_shared <> q.__ltr_shared
                    then {{ error("a query has different segments in run and judgments: rename the key in the judgments if it names no segment") }}
                    else false
                end
        )
    union all
    {#- Judged queries count for each system, and a run without rows has none. #}
    select null as __ltr_system
    from __ltr_run_size as n
    where case when n.num_rows > 0{{ " or " ~ asked ~ " is not null" if asked is not none }} then false
        else {{ error("the run has no rows: check the query that they come from. If the searches returned nothing, pass them as asked :=") }}
        end
        or case when (select count(*) from (select 1 from __ltr_judged as q limit 1) as o) > 0 then false
            else {{ error("the judgments have no rows: check the query that they come from") }} end
    {%- endif %}
)
{%- endif %}
{%- if with_num_ret or missing != "zero" %},
{% if duplicates is call_time or not shortened -%}
__ltr_run_queries as (
    select
        {% if systems %}{{ system("r") }},
        {% endif %}r.query_id,
        {{ num_retrieved("r", "run", has_rank.run) }} as num_ret
    from __ltr_run as r
    group by {% if systems %}{{ system("r") }}, {% endif %}r.query_id
)
{%- endif %}
{%- if shortened %}{{ ",\n" if duplicates is call_time }}__ltr_run_queries_kept as (
    select
        {% if systems %}{{ system("r") }},
        {% endif %}r.query_id,
        {{ num_kept("r", "run", has_rank.run, duplicates, unjudged) }} as num_ret
    from __ltr_run_listed as r
    group by {% if systems %}{{ system("r") }}, {% endif %}r.query_id
)
{%- endif %}
{%- endif %}
{%- if cut %},
{#- Filter the run to its judged documents before the join by system, because they are few. #}
__ltr_{{ "found" if reject_duplicates else "retrieved" }} as (
    select
        {% if systems %}{{ system("r") }},
        {% endif %}r.query_id,
        r.doc_id,
        r.rank
        {%- if segmented %},
        {{ no_segments() }}
        {%- endif %}
    from {{ ranked }} as r
    where exists (
        select 1
        from __ltr_judged as q
        where q.query_id = r.query_id and q.doc_id = r.doc_id
    )
    {%- if not judged_only and unjudged is not call_time %}
    union all
    {{ without_judgment() | indent(4) }}
    {%- endif %}
)
{%- if unjudged is call_time %},
__ltr_found_with_unjudged as (
    from __ltr_found
    union all
    {{ without_judgment() | indent(4) }}
)
{%- endif %}
{%- if reject_duplicates %},
__ltr_retrieved as (
    select
        {% if systems %}{{ system("r") }},
        {% endif %}r.query_id,
        r.doc_id,
        min(r.rank) as rank
        {%- if segmented %},
        {{ any_segments("r") }}
        {%- endif %}
    from {% if unjudged is call_time %}query_table(case
        when {{ unjudged }} = 'keep' or {{ ties }} = 'expected' then '__ltr_found_with_unjudged' else '__ltr_found' end)
        {%- else %}__ltr_found{% endif %} as r
    group by {% if systems %}{{ system("r") }}, {% endif %}r.query_id, r.doc_id
    having case when count(*) = 1 then true else {{ reject_duplicate_document() }} end
)
{%- endif %}
{%- endif %}
{%- if asked is not none %},
{#- The queries that each system owes: those that were asked, for each combination of the keys that only the run has. #}
__ltr_owed as (
    select
        {% if systems %}{{ system("r") }},
        {% endif -%}
        {{ owed_segments("r") -}}
        r.query_id
    from (
        select
            {{ run_key_definition("j", "query_id") | indent(12) }}{{ asked_segments("j") }}
        from {{ asked_rows(relations.asked, relations.get('answers', relations.run), relations.qrels) }} as j
    ) as r
    group by {% if systems %}{{ system("r") }}, {% endif %}r.query_id
    having case when r.query_id is not null then true else {{ error("a query that was asked has no query_id: fill in its id, or leave the row out") }} end
    {%- if keys_check("r") %}
        {#- The systems check the keys. #}
        and (select count(*) from __ltr_systems as s) >= 0
    {%- endif %}
)
{%- endif %}
{%- if asked is call_time %},
__ltr_of_judged as (
    {{ joined(false) | indent(4) }}
),
__ltr_of_asked as (
    select columns(lambda c: not starts_with(c, '__ltr_'))
    from (
        {{ joined(true) | indent(8) }}
    ) as j
    union all by name
    select columns(lambda c: not starts_with(c, '__ltr_'))
    from (
        {{ without_judgments() | indent(8) }}
    ) as j
)
from query_table(case when {{ asked }} is null then '__ltr_of_judged' else '__ltr_of_asked' end)
{%- elif asked is not none %}
{{ joined(true) }}
union all
{{ without_judgments() }}
{%- else %}
{{ joined(false) }}
{%- endif %}

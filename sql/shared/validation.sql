{#- What stops a query over rows that cannot be scored. Each base checks the rows that it reads, where it groups them: nothing
    is read twice for it, and the engine cannot leave it out. What is looked at by no measure is for the findings (checks/). -#}

{#- Whether the documents of a query have ranks that can be counted with. `shared_ranks` is 'true' for measures that take
    documents at one rank as tied. -#}
{% macro validate_ranks(rank, relevance, shared_ranks="false", num_ret=none) -%}
{%- set each = "count(" ~ countable(rank) ~ ")" -%}
{%- set once = "count(distinct " ~ countable(rank) ~ ")" -%}
case
    when count({{ rank }}) <> {% if shared_ranks == "true" %}{{ each }}{% elif shared_ranks == "false" %}{{ once }}{% else %}case when {{ shared_ranks }} then {{ each }} else {{ once }} end{% endif %}
    then {{ error("ranks must be whole numbers from 1 to 1,000,000,000, each once in a query: rank by row_number(), and name the columns that tell rankings apart as keys (ltr.check_rankings shows the rows)") }}
    when max({{ relevance }}) > 1e100
    then {{ error("a grade is infinite or too large to be added up: leave out such rows, or scale the grades down") }}
    {%- if num_ret %}
    when {{ impossible_num_ret("min(" ~ num_ret ~ ")", "max(" ~ num_ret ~ ")", "max(" ~ rank ~ ")") }}
    then {{ error("num_ret is no number of documents: it must be whole, and no less than the largest rank of its query (ltr.check_rankings shows the rows)") }}
    {%- endif %}
    else true
end
{%- endmacro %}

{#- Whether the numbers of retrieved documents that the rows of a query tell are none. -#}
{% macro impossible_num_ret(least, most, last_rank) -%}
{{ most }} < {{ last_rank }} or {{ least }} < 0 or {{ too_many(most) }} or {{ most }} <> floor({{ most }})
{%- endmacro %}

{#- The judged documents, and for each query a row that says how many were retrieved: what measures count of the others. -#}
{% macro judged_and_counted(documents) -%}
(
    select
        {{ key("r") }},
        r.rank,
        r.relevance,
        r.num_ret
    from {{ documents }} as r
    where r.relevance is not null
    union all
    select
        {{ key("r") }},
        null as rank,
        null as relevance,
        max(coalesce(r.num_ret, r.rank)) as num_ret
    from {{ documents }} as r
    group by {{ key("r") }}
    having {{ validate_ranks("r.rank", "r.relevance", "true", "r.num_ret") | indent(4) }}
)
{%- endmacro %}

{#- What a document is credited twice for. -#}
{% macro reject_duplicate_document() -%}
{{ error("a document is in one ranking more than once: keep its best row, or name the columns that tell rankings apart as keys (ltr.check_run shows the rows)") }}
{%- endmacro %}

{% macro reject_duplicate_judgment() -%}
{{ error("a document is judged more than once for one query: keep one grade, such as max(relevance) (ltr.check_run shows the rows)") }}
{%- endmacro %}

{#- A rank that is whole and in range. -#}
{% macro countable(rank) -%}
case when not ({{ out_of_range(rank) }}) and {{ rank }} = floor({{ rank }}) then {{ rank }} end
{%- endmacro %}

{#- A rank as the caller gave it, if it can be one. -#}
{% macro whole_rank(rank) -%}
case
    when {{ rank }} is null then null
    when {{ countable(rank) }} is not null then cast({{ countable(rank) }} as bigint)
    else {{ error("ranks must be whole numbers from 1 to 1,000,000,000 (ltr.check_run and ltr.check_rankings show the rows)") }}
end
{%- endmacro %}

{#- Whether rows of documents and subtopics can be counted with: a document has one rank, and each subtopic once. -#}
{% macro validate_covers(row) -%}
case
    when count(distinct {{ countable(row ~ ".rank") }}) <> count(distinct case when {{ row }}.rank is not null then {{ row }}.doc_id end)
        or count(distinct case when {{ row }}.rank is null then {{ row }}.doc_id end) + count(distinct case when {{ row }}.rank is not null then {{ row }}.doc_id end) <> count(distinct {{ row }}.doc_id)
        or count({{ row }}.rank) <> count({{ countable(row ~ ".rank") }})
    then {{ error("ranks must be whole numbers from 1 to 1,000,000,000, one for each document of a query: rank by row_number(), and name the columns that tell rankings apart as keys (ltr.check_rankings shows the rows)") }}
    when count(*) <> count(distinct cast(length({{ doc_id_of(row) }}) as {{ text_type }}) || ' ' || {{ doc_id_of(row) }} || cast({{ row }}.subtopic as {{ text_type }}))
    then {{ error("a document covers a subtopic more than once in a query: keep one row for each (ltr.check_rankings shows the rows)") }}
    else true
end
{%- endmacro %}

{#- Whether the documents of both rankings have scores that can be correlated. -#}
{% macro validate_scores(row) -%}
case
    when count({{ row }}.score_a) <> count(*) or count({{ row }}.score_b) <> count(*)
    then {{ error("scores are compared: each document of both rankings needs a number as score_a and as score_b, which ltr.pair takes from a column score of the runs") }}
    when max(abs({{ row }}.score_a)) > 1e100 or max(abs({{ row }}.score_b)) > 1e100
    then {{ error("a score is infinite or too large to be added up: leave out such rows, or scale the scores down") }}
    else true
end
{%- endmacro %}

/*
summary = "Turn a run of chunks into a run of the documents that they belong to, each with one score for its chunks."
inputs = ["run"]
option = "method"
procedures = "grouping"
default = "max"
columns = ["query_id", "doc_id"]
reads = "run: query_id, doc_id (the chunk; without parents and parent, its document), keys, and rank or score (rank decides the order if both exist; equal scores are ordered by descending doc_id); parents: chunk_id, doc_id (the document of the chunk)"
gives = "the keys, query_id, rank (by score; equal scores are ordered by descending doc_id), doc_id (the document, as text), score, chunks (how many of them the run holds)"
reference = "Callan 1994, SIGIR; Dai & Callan 2019, SIGIR (first, max and sum)"
[options.parents]
summary = "table of chunks: their chunk_id and the doc_id of their document"
type = "table"
[options.parent]
flag = "parent-column"
summary = "column of the run that holds the document of each chunk"
type = "column"
*/
{%- set reads_scores = "score" in method.reads -%}
{%- set has_chunk_ids = "(" ~ has_parents ~ " or " ~ has_parent ~ ")" -%}
with __ltr_parents as (
    select
        {{ text_of_id("p.chunk_id") }} as chunk_id,
        min({{ text_of_id("p.doc_id") }}) as doc_id
    from {{ parents }} as p
    group by {{ text_of_id("p.chunk_id") }}
    having case
        when count(p.doc_id) < count(*)
        then {{ error_of("parents: a chunk has no doc_id: name its document, or leave out the row; the chunk_id is", "min(" ~ text_of_id("p.chunk_id") ~ ")") }}
        when min({{ text_of_id("p.doc_id") }}) < max({{ text_of_id("p.doc_id") }})
        then {{ error_of("parents: a chunk belongs to two documents: keep one of them; the chunk_id is", "min(" ~ text_of_id("p.chunk_id") ~ ")") }}
        else true
    end
),
__ltr_run as (
    select
        {{ run_key_definition("r", "doc_id") | indent(8) }},
        r.doc_id,
        cast({{ parent }} as {{ text_type }}) as parent,
        {{ run_fields("r", has_rank, "docid_desc", reads_scores) | indent(8) }}
    from {{ run_relation(run, "rank", "score", "row_order") }} as r
),
__ltr_read as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.parent
        {%- if has_rank is not false %},
        {{ row("r") }}.rank as rank
        {%- endif %}
        {%- if has_rank is not true or reads_scores %},
        {{ row("r") }}.score as score
        {%- endif %}
        {%- if has_rank is not true %}
        {%- for name in exact_columns("docid_desc") %},
        r.{{ name }}
        {%- endfor %}
        {%- endif %}
    from __ltr_run as r
    where case
        when r.query_id is null or r.doc_id is null
        then {{ error("a row of the run has a NULL in query_id or doc_id: leave the row out, or fill in the missing id") }}
        else true
    end
    {%- if has_rank is call_time %}
    and case
        when {{ "false" if reads_scores else "(select count(" ~ row("t") ~ ".rank) > 0 from __ltr_run as t)" }} then true
        when not list_contains(r.__ltr_present, 'score')
            then {{ error("max, sum and mean read the scores of chunks, and the run has no column score: add it, or take first or rrf")
            if reads_scores else error("a run needs a column rank or score") }}
        else {{ validate_score_of("r") | indent(8) }}
    end
    {%- elif reads_scores or not has_rank %}
    and {{ validate_score(row("r") ~ ".score") | indent(4) }}
    {%- endif %}
    {%- if reads_scores %}
    {#- Integers of 64 bits, such as times in nanoseconds, have digits that a double lacks. #}
    and case
        when abs({{ row("r") }}.score) >= 9007199254740992e0 and abs({{ row("r") }}.score) <= 18446744073709551616e0
        then {{ error_of("doubles round scores from 2^53, and max, sum and mean compute doubles: take first or rrf, which read "
            ~ "only the order, or pass scores below 2^53; a score is", "cast(" ~ row("r") ~ ".score as " ~ text_type ~ ")") }}
        else true
    end
    {%- endif %}
    {%- if keys_check("r") %}
    and {{ keys_check("r") }}
    and {{ bytewise_check("r.doc_id") }}
    {%- endif %}
),
__ltr_chunks as (
    select
        {{ run_key("r") }},
        case
            when {{ has_parents }} and p.doc_id is null
            then {{ error_of("parents has no row for a chunk of the run: add it; the doc_id is", text_of_id("r.doc_id"), text_type) }}
            when {{ has_parents }} then p.doc_id
            when {{ has_parent }} and r.parent is null
            then {{ error_of("the column parent is NULL for a chunk of the run: name its document; the doc_id is", text_of_id("r.doc_id"), text_type) }}
            when {{ has_parent }} then r.parent
            else {{ text_of_id("r.doc_id") }}
        end as document,
        {% if has_rank is call_time -%}
        case when (select count(t.rank) > 0 from __ltr_read as t) then {{ rank_in_run("r.rank") }} else row_number() over __ltr_ranking_order end as rank,
        {%- else -%}
        {{ rank_in_run("r.rank") if has_rank else "row_number() over __ltr_ranking_order" }} as rank,
        {%- endif %}
        {% if reads_scores %}r.score,
        {% endif -%}
        count(*) over (partition by {{ key("r") }}, {{ text_of_id("r.doc_id") }}) as copies
    from __ltr_read as r
    left join __ltr_parents as p
        on p.chunk_id = {{ text_of_id("r.doc_id") }}
    {%- if has_rank is not true %}
    window __ltr_ranking_order as (
        partition by {{ key("r") }}
        order by
            {{ ranking_order("r", "docid_desc", "r") | indent(12) }}
    )
    {%- endif %}
),
__ltr_grouped as (
    select
        {{ run_key("r") }},
        r.document,
        {{ method.body | rendered }} as score,
        count(*) as chunks
    from __ltr_chunks as r
    where case
        when {{ has_parents }} and {{ has_parent }}
        then {{ error("parents and parent both name the documents of the chunks: leave out one of them") }}
        when r.copies > 1 and {{ has_chunk_ids }}
        then {{ error_of("a chunk is in one ranking more than once: keep its best row, and if rankings of several systems "
            "are mixed, pass the column that names the system as keys; the chunk is of document", "r.document") }}
        else true
    end
    group by {{ run_key("r") }}, r.document
)
select
    {{ key_output("g") }},
    row_number() over (partition by {{ key("g") }} order by g.score desc nulls last, g.document desc nulls last) as rank,
    g.document as doc_id,
    g.score,
    g.chunks
from __ltr_grouped as g

{#- Create the CTEs that rank the judged documents of a run that is stored in rank order. Ranks follow from row positions, so
    the run is not sorted. DuckDB 1.5 takes several times longer for `exists` than for a semi join. -#}
{% macro run_in_order(name, ties) -%}
{#- inputs/in_rank_order.sql tests for rank order. The CTE __ltr_<name>_ties breaks ties by doc_id. -#}
__ltr_{{ name }} as {{ inline }}(
    select
        {{ run_key_definition("j") | indent(8) }},
        j.doc_id,
        {{ run_fields("j", false, ties, false) | indent(8) }},
        j.__ltr_position as position
    from {{ run_relation(relations[name]) }} as j
),
__ltr_{{ name }}_starts as (
    select
        {{ run_key("r") }},
        min(r.position) as position
    from __ltr_{{ name }} as r
    group by {{ run_key("r") }}
),
__ltr_{{ name }}_judged as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.score,
        r.position
    from __ltr_{{ name }} as r
    semi join __ltr_judged as q
        on q.query_id = r.query_id and q.doc_id = r.doc_id
),
__ltr_{{ name }}_ties as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.position,
        min(t.position) as first_position,
        sum(case when {{ doc_id_of("t") }} {{ "<" if ties == "docid_asc" else ">" }} {{ doc_id_of("r") }} then 1 else 0 end) as above,
        sum(case when {{ doc_id_of("t") }} = {{ doc_id_of("r") }} then 1 else 0 end) as same
    from __ltr_{{ name }}_judged as r
    join __ltr_{{ name }} as t
        on {{ same_key("t", "r") }} and {{ compared_score(ties, "t") }} = {{ compared_score(ties, "r") }}
    group by {{ run_key("r") }}, r.doc_id, r.position
),
__ltr_{{ name }}_ranked as (
    select
        {{ run_key("t") }},
        t.doc_id,
        {{ require_unique_order("t.same = 1", "t.first_position - s.position + 1 + t.above") | indent(8) }} as rank
    from __ltr_{{ name }}_ties as t
    join __ltr_{{ name }}_starts as s
        on {{ same_key("s", "t") }}
)
{%- endmacro %}

{#- Create the CTEs that rank the judged documents of a run without sorting it. For each query, `histogram` counts the rows
    with the score of a judged document and the rows between two such scores. Only the rows that tie with a judged document are sorted.
    DuckDB 1.5 compares all pairs of rows if a left join has a condition on one side. -#}
{% macro counted_run(name, ties, qrels) -%}
{#- The bounds of a query are the scores of its judged documents and, for each of them, the next smaller number. A
    score with one row is then a bound with one row. `unnest` repeats the bounds of a query for each row without copying them.
    Rows that tie with few judged documents are compared with each of them, which costs less than sorting the rows. -#}
{%- set paired_at_most = 4 %}
__ltr_{{ name }} as {{ inline }}(
    select
        {{ run_key_definition("j") | indent(8) }},
        j.doc_id,
        {{ run_fields("j", false, ties, false) | indent(8) }}
    from {{ run_relation(relations[name]) }} as j
),
__ltr_{{ name }}_judged as materialized (
    select
        {{ run_key("r") }},
        r.doc_id,
        cast({{ compared_score(ties, "r") }} as double) as score
    from __ltr_{{ name }} as r
    semi join __ltr_judged as q
        on q.query_id = r.query_id and q.doc_id = r.doc_id
),
__ltr_{{ name }}_bounds as materialized (
    select
        {{ run_key("r") }},
        list_sort(list_append(
            list_concat(list(r.score), list(nextafter(r.score, cast('-inf' as double)))),
            cast('inf' as double)
        ), 'asc') as bounds
    from __ltr_{{ name }}_judged as r
    group by {{ run_key("r") }}
),
__ltr_{{ name }}_scores as (
    select
        {{ run_key("r") }},
        list(cast({{ compared_score(ties, "r") }} as double)) as scores
    from __ltr_{{ name }} as r
    {%- if ties == "row_order" %}
    where {{ validate_tie_column("r", none, ties) | indent(8) }}
    {%- endif %}
    group by {{ run_key("r") }}
),
__ltr_{{ name }}_counts as (
    select
        {{ run_key("u") }},
        histogram(u.score, u.bounds) as counts
    from (
        select
            {{ run_key("b") }},
            b.bounds,
            unnest(s.scores) as score
        from __ltr_{{ name }}_scores as s
        join __ltr_{{ name }}_bounds as b
            on {{ same_key("b", "s") }}
    ) as u
    group by {{ run_key("u") }}
),
__ltr_{{ name }}_places as (
    select
        {{ run_key("u") }},
        u.score,
        u.documents,
        coalesce(sum(u.documents) over (partition by {{ run_key("u") }} order by u.score desc nulls last rows between unbounded preceding and 1 preceding),
            0) as above
    from (
        select
            {{ run_key("c") }},
            unnest(map_keys(c.counts)) as score,
            cast(unnest(map_values(c.counts)) as bigint) as documents
        from __ltr_{{ name }}_counts as c
    ) as u
),
__ltr_{{ name }}_placed as materialized (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.score,
        p.above,
        p.documents > 1 as tied
    from __ltr_{{ name }}_judged as r
    join __ltr_{{ name }}_places as p
        on {{ same_key("p", "r") }} and p.score = r.score
),
{%- set by_pairs = ties in ["docid_desc", "docid_asc", "docid_desc_float32"] and not exact_columns(ties) %}
__ltr_{{ name }}_tied as materialized (
    select
        {{ run_key("p") }},
        p.doc_id,
        p.score,
        {%- if by_pairs %}
        {#- Numbers are grouped faster than texts. #}
        row_number() over () as number,
        {%- endif %}
        {{ "count(*) over (partition by " ~ run_key("p") ~ ", p.score) <= " ~ paired_at_most if by_pairs else "false" }} as paired
    from __ltr_{{ name }}_placed as p
    where p.tied
),
__ltr_{{ name }}_tied_with_many as (
    select
        {{ run_key("p") }},
        p.score
    from __ltr_{{ name }}_tied as p
    where not p.paired
),
__ltr_{{ name }}_places_in_ties as (
    select
        {{ run_key("r") }},
        r.doc_id,
        {{ rank_by_score(ties) | indent(8) }} as place
    from (
        {{ rows_by_score(name, ties, qrels, selected="\nsemi join __ltr_" ~ name ~ "_tied_with_many as p\n    on "
            ~ same_key("p", "t") ~ " and p.score = " ~ compared_score(ties, "t")) | indent(8) }}
    ) as r
    window __ltr_ranking_order as (
        partition by {{ run_key("r") }}, {{ compared_score(ties, "r") }}
        order by
            {%- if "__ltr_exact_score" in exact_columns(ties) and ties != "docid_desc_float32" %}
            {{ beyond_double("r.__ltr_exact_score") }} desc nulls last,
            {%- endif %}
            {{ order_of_ties("r", ties, "r") | indent(12) }}
    )
    {%- if by_pairs %}
    union all
    select
        {{ run_key("p") }},
        p.doc_id,
        {{ require_unique_order("s.same = 1", "s.place") | indent(8) }} as place
    from (
        select
            p.number,
            1 + sum(case when {{ doc_id_of("t") }} {{ "<" if ties == "docid_asc" else ">" }} {{ doc_id_of("p") }} then 1 else 0 end) as place,
            sum(case when {{ doc_id_of("t") }} = {{ doc_id_of("p") }} then 1 else 0 end) as same
        from __ltr_{{ name }}_tied as p
        join __ltr_{{ name }} as t
            on {{ same_key("p", "t") }} and p.score = {{ compared_score(ties, "t") }}
        where p.paired
        group by p.number
    ) as s
    join __ltr_{{ name }}_tied as p
        on p.number = s.number
    {%- endif %}
),
__ltr_{{ name }}_ranked as (
    select
        {{ run_key("p") }},
        p.doc_id,
        cast(p.above + coalesce(case when p.tied then t.place end, 1) as bigint) as rank
    from __ltr_{{ name }}_placed as p
    left join __ltr_{{ name }}_places_in_ties as t
        on {{ same_key("t", "p") }} and t.doc_id = p.doc_id
)
{%- endmacro %}

{#- Select the rows `t` of a run with what their order depends on. Judgments give the grades for ties = 'worst' and 'best'. -#}
{% macro rows_by_score(name, ties, qrels=none, selected="") -%}
{%- set by_grade = qrels and (ties is call_time or ties in ["worst", "best"]) -%}
select
    {{ run_key("t") }},
    t.doc_id,
    {{ row("t") }}.score as score
    {%- for name in exact_columns(ties) %},
    t.{{ name }}
    {%- endfor %}
    {%- if ties is call_time or ties == "row_order" %},
    {{ row("t") }}.row_order as row_order
    {%- endif %}
    {%- if ties is call_time %},
    {{ row("t") }}.rank as rank
    {%- endif %}
    {%- if by_grade %},
    g.relevance as relevance
    {%- elif ties is call_time %},
    cast(null as double) as relevance
    {%- endif %}
from __ltr_{{ name }} as t
{{- selected }}
{%- if by_grade %}
left join (
    select
        q.query_id,
        q.doc_id,
        max(cast(q.relevance as double)) as relevance
    from (
        select
            {{ judgment_definition("q") | indent(12) }},
            q.relevance
        from {{ relations[qrels] }} as q
    ) as q
    group by q.query_id, q.doc_id
) as g
    on g.query_id = t.query_id and g.doc_id = t.doc_id{% if ties is call_time %} and {{ ties }} in ('worst', 'best'){% endif %}
{%- endif %}
{%- endmacro %}

{#- Return SQL of whether a run has ranks, if only the call of the macro decides. -#}
{% macro is_ranked(name) -%}
(select t.num_ranks > 0 from __ltr_{{ name }}_size as t)
{%- endmacro %}

{#- Create the CTEs that rank a run: by its column `rank` if it has one, else by `score`. -#}
{% macro ranked_run(name, has_rank, ties, qrels=none, has_score=none, repeats=false) -%}
{#- `has_rank` is true, false, or a symbol if only the call of the macro decides. `has_score` is none to leave scores out,
    and true if a run with ranks also has scores. With a `depth`, rows that score below the `depth` best rows are not
    sorted. Lists of at most `unsorted` documents are not sorted either: each of their documents has rank 1. If
    `unsorted` is none, no list is sorted. `repeats` is true, or SQL, if a document may have several rows. -#}
__ltr_{{ name }} as {{ inline }}(
    select
        {{ run_key_definition("j") | indent(8) }},
        j.doc_id,
        {{ run_fields("j", has_rank, ties, has_score) | indent(8) }}
    from {{ run_relation(relations[name], "rank", "score", "row_order", judgments=relations[qrels] if qrels else "") }} as j
),
{% if has_rank is call_time -%}
__ltr_{{ name }}_size as (
    select
        count(*) as num_rows,
        count({{ row("t") }}.rank) as num_ranks
    from __ltr_{{ name }} as t
),
{% endif -%}
{% if has_rank is not true and unsorted -%}
__ltr_{{ name }}_lengths as (
    select
        {{ run_key("t") }},
        count(*) as documents
    from __ltr_{{ name }} as t
    group by {{ run_key("t") }}
),
{% endif -%}
{% if has_rank is false and depth is not none -%}
__ltr_{{ name }}_floor as (
    select
        {{ key("t") }},
        case
            when count({{ compared_score(ties, "t") }}) >= {{ depth }}
            then {{ smallest_of_largest(compared_score(ties, "t"), depth) }}
            {%- if scores_checked %}
            else cast('-inf' as double)
            {%- endif %}
        end as score
    from __ltr_{{ name }} as t
    {{- lists_of_length(name, ">") | indent(4) if unsorted }}
    group by {{ key("t") }}
),
{% endif -%}
{% if has_rank is not true and unsorted is not none -%}
__ltr_{{ name }}_by_score as {{ inline }}(
    select
        {{ run_key("r") }},
        r.doc_id,
        {%- if has_score is not none %}
        r.score,
        {%- endif %}
        {{ rank_by_score(ties, distinct_documents, repeats) | indent(8) }} as rank
    from (
        {{ rows_by_score(name, ties, qrels, selected=rows_to_sort(name, has_rank, ties)) | indent(8) }}
        {{- rows_to_rank(name, has_rank, ties) | indent(8) }}
    ) as r
    window __ltr_ranking_order as (
        partition by {{ key("r") }}
        order by
            {{ ranking_order("r", ties, "r") | indent(12) }}
    )
),
{% endif -%}
__ltr_{{ name }}_ranked as {{ inline }}(
    {%- if has_rank is not false %}
    select
        {{ run_key("r") }},
        r.doc_id,
        {%- if has_score is not none %}
        {{ row("r") ~ ".score" if has_score else "cast(null as double)" }} as score,
        {%- endif %}
        {{ rank_in_run(row("r") ~ ".rank") if has_rank is call_time else row("r") ~ ".rank" }} as rank
    from __ltr_{{ name }} as r
    {%- endif %}
    {%- if has_rank is call_time %}
    where {{ is_ranked(name) }}
    union all
    {%- endif %}
    {%- if has_rank is not true and unsorted is not none %}
    select
        {{ run_key("r") }},
        r.doc_id,
        {%- if has_score is not none %}
        r.score,
        {%- endif %}
        r.rank
    from __ltr_{{ name }}_by_score as r
    {%- if unsorted %}
    union all
    {%- endif %}
    {%- endif %}
    {%- if has_rank is not true and (unsorted or unsorted is none) %}
    select
        {{ run_key("t") }},
        t.doc_id,
        1 as rank
    from __ltr_{{ name }} as t
    {{- lists_of_length(name, "<=") | indent(4) if unsorted }}
    {{- rows_to_rank(name, has_rank, ties) | indent(4) }}
    {%- endif %}
)
{%- endmacro %}

{#- Keep the rows `t` of a run that need to be sorted: those of long lists, and with a `depth` those that score above its
    floor. -#}
{% macro rows_to_sort(name, has_rank, ties) -%}
{{- lists_of_length(name, ">") if unsorted }}
{%- if has_rank is false and depth is not none %}
join __ltr_{{ name }}_floor as f
    {#- Stored scores that are known to be finite can be filtered by the scan. #}
    on {{ same_key("f", "t") }}
        and {% if scores_checked and ties != "docid_desc_float32" %}t.score >= f.score{% else %}(f.score is null
        or {{ compared_score(ties, "t") }} >= f.score){% endif %}
{%- endif %}
{%- endmacro %}

{#- Keep the rows `t` of lists with more than ('>') or at most ('<=') `unsorted` documents. -#}
{% macro lists_of_length(name, comparison) %}
join __ltr_{{ name }}_lengths as l
    on {{ same_key("l", "t") }} and l.documents {{ comparison }} {{ unsorted }}
{%- endmacro %}

{#- Select the rows `t` of a run to rank by score: all or none of them. Raise an error for a row that cannot be ranked. -#}
{% macro rows_to_rank(name, has_rank, ties) -%}
{%- if has_rank is call_time %}
where not {{ is_ranked(name) }}
    and case
        when {{ is_ranked(name) }} then true
        when not list_contains(t.__ltr_present, 'score') then {{ error("a run needs a column rank or score") }}
        else {{ validate_score_of("t") | indent(8) }} and {{ validate_tie_column(row("t"), none, ties) | indent(8) }}
    end
{%- elif not scores_checked or ties == "row_order" %}
where {{ validate_score("t.score", finite=finite_scores) if not scores_checked else "true" }}
    {%- if ties == "row_order" %}
    and {{ validate_tie_column("t", none, ties) | indent(4) }}
    {%- endif %}
{%- endif %}
{%- endmacro %}

{#- Return the number of documents that a run retrieved for a query: the number of its rows, or the largest rank if the run has
    ranks. -#}
{% macro num_retrieved(r, name, has_rank) -%}
{%- if has_rank is call_time -%} case when {{ is_ranked(name) }}
    then cast(max({{ countable(row(r) ~ ".rank") }}) as bigint) else count(*) end
{%- elif has_rank -%} max({{ row(r) }}.rank)
{%- else -%} count(*)
{%- endif -%}
{%- endmacro %}

{#- Create the CTEs of a ranked run without the rows that the options `duplicates` and `unjudged` leave out. -#}
{% macro shortened_run(name, has_rank, qrels, duplicates, unjudged) -%}
{#- __ltr_<name>_listed has all rows. `counted` is 1 unless unjudged = 'remove' leaves the row out. `repeated` is 1 if a
    row above has its document. -#}
{%- set removes = unjudged ~ " = 'remove'" if unjudged is call_time else unjudged == "remove" %}
{%- set moves_up = duplicates ~ " = 'first'" if duplicates is call_time else duplicates == "first" %}
{%- set above = "over (partition by " ~ key("r") ~ " order by r.rank asc nulls last range between unbounded preceding and 1 preceding)" -%}
__ltr_{{ name }}_listed as (
    select
        {{ run_key("r") }},
        r.doc_id,
        r.rank,
        {% if removes is false %}1{% else %}case when {{ "not (" ~ removes ~ ") or " if removes is not true }}g.doc_id is not null then 1
            else 0 end{% endif %} as counted,
        case when row_number() over (partition by {{ key("r") }}, r.doc_id order by r.rank asc nulls last) > 1 then 1 else 0 end as repeated
    from __ltr_{{ name }}_ranked as r
    {%- if removes is not false %}
    left join (
        select distinct
            q.query_id,
            q.doc_id
        from {{ relations[qrels] }} as q
        where cast(q.relevance as double) >= 0
    ) as g
        on g.query_id = r.query_id and g.doc_id = r.doc_id
    {%- endif %}
),
__ltr_{{ name }}_kept as (
    select
        {{ run_key("r") }},
        r.doc_id,
        {{ "cast(" if has_rank is not true or removes is true }}
        {%- if removes is true %}1 + r.counted_above
        {%- elif removes is false %}r.rank
        {%- else %}case when {{ removes }} then 1 + r.counted_above else r.rank end
        {%- endif %}
        {%- if moves_up is true %} - r.repeated_above
        {%- elif moves_up is not false %} - case when {{ moves_up }} then r.repeated_above else 0 end
        {%- endif %}
        {{- " as bigint)" if has_rank is not true or removes is true }} as rank
    from (
        select
            {{ run_key("r") }},
            r.doc_id,
            r.rank,
            r.counted,
            r.repeated,
            coalesce(sum(r.counted) {{ above }}, 0) as counted_above,
            coalesce(sum(r.counted * r.repeated) {{ above }}, 0) as repeated_above
        from __ltr_{{ name }}_listed as r
    ) as r
    where r.counted = 1
    {%- if duplicates != "error" %} and {{ "(" ~ duplicates ~ " = 'error' or r.repeated = 0)" if duplicates is call_time else "r.repeated = 0" }}{% endif %}
)
{%- endmacro %}

{#- Return the number of documents of a query in __ltr_<name>_listed, as `num_retrieved` does, without the rows that are left out. -#}
{% macro num_kept(r, name, has_rank, duplicates, unjudged) -%}
{%- set removes = unjudged ~ " = 'remove'" if unjudged is call_time else unjudged == "remove" %}
{%- set moves_up = duplicates ~ " = 'first'" if duplicates is call_time else duplicates == "first" %}
{%- set counted = "sum(" ~ r ~ ".counted)" %}
{%- set last = "max(" ~ r ~ ".rank)" %}
{%- set all -%}
{%- if removes is true or has_rank is false -%} {{ counted }}
{%- elif has_rank is true -%} {{ last }}
{%- else -%} case when {{ removes }} or not {{ is_ranked(name) }} then {{ counted }} else {{ last }} end
{%- endif -%}
{%- endset -%}
cast({{ all }}{% if moves_up is true %} - sum({{ r }}.counted * {{ r }}.repeated){% elif moves_up is not false %}
    - case when {{ moves_up }} then sum({{ r }}.counted * {{ r }}.repeated) else 0 end{% endif %} as bigint)
{%- endmacro %}

{#- Raise an error for an id that is NULL, unless the ids are complete. `advice` follows the usual one. -#}
{% macro no_null_ids(complete, advice="") -%}
case when {{ complete }} then true else {{ error("an id is NULL: fill in the id where the table is made (ltr.check_run shows the rows)" ~ advice) }} end
{%- endmacro %}

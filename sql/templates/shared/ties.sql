{#- Ranking by score, with tie-breaking by the rule `ties`. -#}

{#- Return a value if its type has more digits than a double, such as BIGINT, else NULL. -#}
{% macro beyond_double(value) -%}
{%- set kind = "lower(typeof(" ~ value ~ "))" -%}
case when {{ kind }} in ('bigint', 'ubigint', 'hugeint', 'uhugeint', 'bignum') or {{ kind }} like 'decimal%' then {{ value }} end
{%- endmacro %}

{#- Return the sort order of a ranking: by descending score, and by the rule `ties` among equal scores. `alias` names
    the rows with the exact scores of types such as BIGINT. -#}
{% macro ranking_order(row, ties, alias) -%}
{%- set exact = exact_columns(ties) -%}
{%- if ties is call_time and ties.order -%}
{{ ties.order }}
{%- elif ties is call_time -%}
case when {{ ties }} = 'docid_desc_float32' then {{ single_precision(row ~ ".score") }} else {{ row }}.score end desc nulls last,
case when {{ ties }} <> 'docid_desc_float32' then {{ beyond_double(alias ~ ".__ltr_exact_score") }} end desc nulls last,
case {{ ties }}
    when 'worst' then coalesce({{ row }}.relevance, 0)
    when 'best' then -coalesce({{ row }}.relevance, 0)
    when 'row_order' then {{ row }}.row_order
    when 'rank' then {{ row }}.rank
end asc nulls last,
case when {{ ties }} = 'row_order' then {{ beyond_double(alias ~ ".__ltr_exact_row_order") }} end asc nulls last,
case when {{ ties }} = 'docid_asc' then {{ doc_id_of(row) }} end asc nulls last,
case when {{ ties }} <> 'expected' then {{ doc_id_of(row) }} end desc nulls last
{%- else -%}
{{ compared_score(ties, row) }} desc nulls last
{%- if "__ltr_exact_score" in exact and ties != "docid_desc_float32" %},
{{ beyond_double(alias ~ ".__ltr_exact_score") }} desc nulls last
{%- endif -%}
{%- if ties != "expected" %},
{{ order_of_ties(row, ties, alias) }}
{%- endif -%}
{%- endif -%}
{%- endmacro %}

{#- Return the sort order of rows with equal scores. -#}
{% macro order_of_ties(row, ties, alias) -%}
{% if ties == "worst" -%} coalesce({{ row }}.relevance, 0) asc nulls last,
{% elif ties == "best" -%} coalesce({{ row }}.relevance, 0) desc nulls last,
{% elif ties == "row_order" -%} {{ row }}.row_order asc nulls last,
{% if "__ltr_exact_row_order" in exact_columns(ties) -%} {{ beyond_double(alias ~ ".__ltr_exact_row_order") }} asc nulls last,
{% endif -%}
{% elif ties == "rank" -%} {{ row }}.rank asc nulls last,
{% endif -%}
{{ doc_id_of(row) }} {{ "asc" if ties == "docid_asc" else "desc" }} nulls last
{%- endmacro %}

{#- Raise an error if the tie-breaking rule reads a column that is missing, or that lacks a number in some row. Else return
    true. -#}
{% macro validate_tie_column(row, present, ties) -%}
{%- set message = error("ties := 'row_order' and ties := 'rank' need the column of that name, with a number in each row") -%}
{%- if ties is not call_time and ties not in ["row_order", "rank"] -%} true
{%- elif ties is not call_time -%}
case when {{ row }}.{{ ties }} <= cast('inf' as double) then true else {{ message }} end
{%- else -%}
case
    when {{ ties }} in ('row_order', 'rank')
        and not coalesce(case when {{ ties }} = 'rank' then {{ row }}.rank else {{ row }}.row_order end <= cast('inf' as double), false)
    then {{ message }}
    {%- if present %}
    when {{ ties }} in ('worst', 'best') and not list_contains({{ present }}, 'relevance')
    then {{ error("ties := 'worst' and ties := 'best' need a column relevance") }}
    {%- endif %}
    else true
end
{%- endif -%}
{%- endmacro %}

{#- Return the score that the tie-breaking rule compares: the score itself, or its single-precision value. -#}
{% macro compared_score(ties, row) -%}
{{ single_precision(row ~ ".score") if ties == "docid_desc_float32" else row ~ ".score" }}
{%- endmacro %}

{#- Raise an error for a score that is NULL or NaN, or infinite unless the caller turned off its checks. Else return
    true. -#}
{% macro validate_score(score, finite=true) -%}
{#- NaN compares as larger than infinity. -#}
{%- set infinity = "cast('inf' as double)" -%}
case
    when {{ score ~ " < " ~ infinity ~ " and " ~ score ~ " > -" ~ infinity if finite else score ~ " <= " ~ infinity }} then true
    else {{ error("a score is NULL" ~ (", NaN or infinite: give the document a finite score" if finite
        else " or NaN: give the document a score") ~ "; if it was not retrieved, pass run and judgments as two tables, and "
        "leave it out of the run (ltr.check_run and ltr.check_rankings show the rows)") }}
end
{%- endmacro %}

{#- Raise an error for a row of a run of a macro that cannot be ranked by score, else return true. -#}
{% macro validate_score_of(alias) -%}
{{ validate_score(row(alias) ~ ".score") }} and {{ exact_check(alias ~ ".__ltr_exact_score") }}
{%- endmacro %}

{#- Return the score in single precision, or infinity if it overflows. -#}
{% macro single_precision(score) -%}
case when abs({{ score }}) > 3.4028234663852886e38 then {{ score }} * cast('inf' as double) else cast({{ score }} as float) end
{%- endmacro %}

{#- Return the doc_id as text, so that ids compare in byte order. -#}
{% macro doc_id_of(row) -%}
{{ text_of_id(row ~ ".doc_id") }}
{%- endmacro %}

{#- Return an id as text, because text compares by bytes. -#}
{% macro text_of_id(id) -%}
{{ bytewise("cast(" ~ id ~ " as " ~ text_type ~ ")") }}
{%- endmacro %}

{#- Return the rank of a row by score; with ties = 'expected', tied rows share the first of their positions. Distinct
    documents need no check, because their ids break all ties. `repeats` is true, or SQL, if rows of one document may share
    a rank. -#}
{% macro rank_by_score(ties, distinct_documents=false, repeats=false) -%}
{%- set shared = "rank() over __ltr_ranking_order" -%}
{#- The count includes all rows tied with this one. The error is then raised at each of them, and no filter can drop it. -#}
{%- set unique = shared ~ " = count(*) over __ltr_ranking_order" ~ (" or " ~ repeats if repeats is string) -%}
{%- set checked = require_unique_order(unique, shared) if repeats is not true else shared -%}
{%- set alone = "row_number() over __ltr_ranking_order" if distinct_documents else checked -%}
{%- if ties is call_time -%} case when {{ ties }} = 'expected' then {{ shared }} else {{ alone }} end
{%- else -%} {{ shared if ties == "expected" else alone }}
{%- endif -%}
{%- endmacro %}

{#- Return the rank, or raise an error if two rows are still tied after tie-breaking. -#}
{% macro require_unique_order(condition, rank) -%}
case
    when {{ condition }} then {{ rank }}
    else {{ error("two rows of a query are tied after tie-breaking: give each document its own doc_id, or add a column "
        "row_order and set ties := 'row_order', or ties := 'expected' for measures that define the value of ties, such as AUC", "bigint") }}
end
{%- endmacro %}

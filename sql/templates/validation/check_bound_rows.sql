{#- Select the rows of a bound table for the findings, with the columns of check_rows.sql. Names, types and missing columns are constants,
    so the engine skips findings that cannot occur. Numbers of types other than double and integers are converted through text, to be shown as given. -#}
{%- macro text_of(names) -%}
{%- if names -%}
cast(struct_pack({% for name in names %}{{ identifier(name) }} := r.{{ identifier(name) }}{{ ", " if not loop.last }}{% endfor %}) as varchar)
{%- else -%}
cast(null as varchar)
{%- endif -%}
{%- endmacro -%}

select
    {{ text_of(keys) }} as keys,
    [{% for name in columns %}{{ string(name) }}{{ ", " if not loop.last }}{% endfor %}]::varchar[] as names,
    {{ string(types) }} as types,
    {{ "true" if "rank" in columns else "false" }} as has_rank,
    {%- for name in ["query_id", "doc_id", "subtopic", "rank", "score", "relevance"] %}
    cast({{ "r." ~ name if name in columns else "null" }} as varchar) as {{ name }}{{ "_text" if name in ("rank", "score", "relevance") }},
    {%- endfor %}
    {%- for name in ["rank", "score", "relevance", "num_ret"] %}
    {%- set number = "cast(null as double)" if name not in columns else "try_cast(cast(r." ~ name
        ~ " as varchar) as double)" if name in parsed else "cast(r." ~ name ~ " as double)" %}
    {{ number if name == "score" or name not in columns else without_nan(number) }} as {{ name }},
    {%- endfor %}
    {{ "r.score" if exact else "cast(null as double)" }} as exact_score,
    {{ text_of(others) }} as others
from {{ relation }} as r

{#- Row sources of measures beyond accuracy. They read lists: the rows `r` of __ltr_lists, one for each document of a list. A row
    has the key of its list, the columns of `run_of`, doc_id and rank. The CTEs __ltr_given_NAME hold the caller's tables. -#}

{#- Reference the run of a row: its grouping columns without query_id. -#}
{% macro run_of(row) -%}
{{ row }}.__ltr_one{% if system(row) %}, {{ system(row) }}{% endif %}
{%- endmacro %}

{#- Compare the runs of two rows. -#}
{% macro same_run(row, other) -%}
{{ row }}.__ltr_one = {{ other }}.__ltr_one{% if same_system(row, other) %} and {{ same_system(row, other) }}{% endif %}
{%- endmacro %}

{#- Select the rows of the top k of each list. -#}
{% macro top_of_lists(k) -%}
(
    select
        {{ run_key("t") }},
        t.__ltr_one,
        t.doc_id,
        t.rank
    from __ltr_lists as t
    where {{ in_top(k, "t.rank") }}
)
{%- endmacro %}

{#- True if the parameter `features` has a value. -#}
{% macro features_are(features, value) -%}
{% if features is symbol %}{{ features }}{% else %}'{{ features }}'{% endif %} = '{{ value }}'
{%- endmacro %}

{#- Return the vector of a document as an aggregate over its rows, or raise an error if they differ. -#}
{% macro one_vector(vector) -%}
case when min({{ vector }}) = max({{ vector }}) then min({{ vector }}) else {{ error("a document has two vectors in the table of documents: keep one of them") }} end
{%- endmacro %}

{#- Return the length of a vector, or raise an error if it is 0 or not a number, or if vectors have `other_dimensions`. -#}
{% macro length_of_vector(length, other_dimensions) -%}
case
    when {{ other_dimensions }} then {{ error("the vectors in the table of documents have different numbers of dimensions: pass vectors of one model") }}
    when {{ length }} > 0 and {{ length }} < cast('inf' as double) then {{ length }}
    else {{ error("a vector in the table of documents has the length 0, NULL or infinity, so it has no angle to others: leave it out, or set it to NULL") }}
end
{%- endmacro %}

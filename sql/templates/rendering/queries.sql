{#- Select the queries of a relation, for each combination of key values. -#}
{%- set row_check = one_row_per_document("r", read, reject_duplicate_document()) if by_document -%}
select
    {{ key("r") }}
from (
    select
        {{ key_definition("j", *(["rank", "relevance"] if row_check else [])) }}
        {%- if row_check %},
        {{ document_definition("j") | indent(8) }}
        {%- endif %}
    from {{ checked_relation(relation, *(["rank"] if row_check else [])) }} as j
) as r
group by {{ key("r") }}
{%- if row_check and keys_check("r") %}
having {{ keys_check("r") }} and {{ row_check }}
{%- elif row_check or keys_check("r") %}
having {{ row_check or keys_check("r") }}
{%- endif %}

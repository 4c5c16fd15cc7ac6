{#- Select the queries of a relation, for each combination of key values. -#}
{%- set document = document_definition("j") -%}
{%- set row_check = one_row_per_document("r", read, reject_duplicate_document()) if by_document -%}
select
    {{ key("r") }}
    {%- if document %},
    max(coalesce(try_cast(r.__ltr_num_ret as double), try_cast(r.__ltr_rank as double))) as num_ret
    {%- endif %}
from (
    select
        {{ key_definition("j", *(["rank", "relevance"] if row_check else [])) }}
        {%- if document %},
        {{ document | indent(8) }}
        {%- endif %}
    from {{ checked_relation(relation, *(["rank"] if row_check else [])) }} as j
) as r
group by {{ key("r") }}
{%- if row_check and keys_check("r") %}
having {{ keys_check("r") }} and {{ row_check }}
{%- elif row_check or keys_check("r") %}
having {{ row_check or keys_check("r") }}
{%- endif %}

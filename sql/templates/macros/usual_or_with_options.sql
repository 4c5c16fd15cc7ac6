{#- Read the rows of a relation from its usual query, or from a helper macro if the call sets an option that this query lacks. -#}
with __ltr_usual as (
    {{ usual | indent(4) }}
),
__ltr_with_options as (
    from ltr.{{ helper }}({{ arguments | join(", ") }})
)
from query_table(case
    when duplicates = 'error' and qrels_duplicates = 'error' and grades is null and asked is null and unjudged <> 'remove' and validate
    then '__ltr_usual'
    else '__ltr_with_options'
end)

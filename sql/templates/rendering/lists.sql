{#- Select the lists of a run: one row for each document, with its rank. -#}
with {{ ranked_run("run", has_rank.run, ties) }}
select
    {{ run_key("r") }},
    0 as __ltr_one,
    r.doc_id,
    r.rank
from __ltr_run_ranked as r
where r.rank is not null
{%- if keys_check("r") %}
    and {{ keys_check("r") }} and {{ bytewise_check("r.doc_id") }}
{%- endif %}

{# Fail with the rows whose mean is NULL or below the minimum. #}
{% test ltr_at_least(model, measure, min) %}
select *
from {{ model }}
where not coalesce({{ adapter.quote(measure) }} >= {{ min }} - 1e-9, false)
{% endtest %}

{# Fail if the candidate's mean is more than max_drop below the baseline's, or if one of them lacks queries that the other has.
   `model` holds rankings with the column `key`. With `significant`, a drop fails only if it is also significant. #}
{% test ltr_no_regression(
    model, measure, baseline, candidate, key='system', max_drop=0, significant=false, lower_is_better=false, where_sql='true'
) %}
with __rankings as (
    select * from {{ model }} where {{ where_sql }}
),
__compared as (
    select system_a, system_b, queries, only_a, only_b, mean_a, mean_b, difference, p_adjusted, verdict
    from ltr.compare('__rankings', ['{{ measure }}'], keys := ['{{ key }}'], baseline := '{{ baseline }}', details := true)
    where system_b = '{{ candidate }}'
)
select '{{ candidate }}' as candidate, c.*
from (select 1) as one
left join __compared as c on true
where c.system_b is null
    or c.only_a + c.only_b > 0
    or c.verdict = 'no values'
    or (
        not coalesce({{ '-' if lower_is_better }}c.difference >= -{{ max_drop }} - 1e-9, false)
        {% if significant %}and c.verdict = 'worse'{% endif %}
    )
{% endtest %}

{# Fail with the findings of ltr.check_run: errors, or with severity='warning' errors and warnings. #}
{% test ltr_no_findings(model, qrels, keys=['system'], severity='error') %}
select severity, what, how_many, what_to_do
from ltr.check_run('{{ model }}', '{{ qrels }}', keys := {{ keys }})
where severity in ('error', '{{ severity }}')
{% endtest %}

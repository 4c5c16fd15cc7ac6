-- Means of each day and system. A build adds the days that are new.
{{ config(materialized='incremental', unique_key=['day', 'system'], incremental_strategy='delete+insert', on_schema_change='fail') }}
with new_days as (
    select *
    from {{ ref('judged') }}
    {% if is_incremental() %}
    where day > (select max(day) from {{ this }})
    {% endif %}
)
select *
from ltr.evaluate('new_days', ['nDCG@10', 'AP', 'R@10'], keys := ['day', 'system'])

{%- from "macros/query_texts/arguments.sql" import without_nulls with context -%}
create or replace macro ltr.compare_rankings(run_a, run_b, measures, ties := {{ ties }}, keys := []::varchar[]) as table
from query({% call without_nulls(["ties := " ~ ties, "keys := []"]) %}ltr.measures_query(
    'ltr.pair(' || {{ quoted("run_a") }} || ', ' || {{ quoted("run_b") }} || ', ties := ' || {{ quoted("ties") }}
        || ', keys := ['
            || coalesce(list_aggregate(list_transform(ltr.__ltr_key_list(keys), lambda c: {{ quoted("c") }}), 'string_agg', ', '), '')
            || ']::varchar[])',
    true,
    measures,
    keys,
    false,
    null
){% endcall %});
comment on macro table ltr.compare_rankings is {{ string(comment) }};

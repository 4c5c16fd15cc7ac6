{%- from "entry_points/fused.sql" import fused, result_text with context -%}
create or replace macro ltr.measures_query(relation, paired, measures, keys, averaged, convention) as
{{ fused(result_text) }};
comment on macro ltr.measures_query is 'The text of the query that ltr.per_query, ltr.evaluate and ltr.compare_rankings run: measures over what stands behind from, rankings or pairs of ranks, of each query or averaged.';

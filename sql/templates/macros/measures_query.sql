{%- from "macros/query_text.sql" import filled, measures_read, result_text, written with context -%}
create or replace macro ltr.__ltr_measures(measures, shape, keys, convention) as
{{ measures_read() }};

create or replace macro ltr.measures_query(relation, paired, measures, keys, averaged, convention, weights := null) as
{{ written(result_text, filled("ltr.__ltr_measures(measures, case when paired then 'pairs' else 'rankings' end, keys, convention)")) }};
comment on macro ltr.measures_query is 'Return the text of the query that ltr.per_query, ltr.evaluate, ltr.compare_rankings, ltr.compare and ltr.distribution run. `relation` is SQL of rankings or of pairs of ranks, as it stands after the keyword FROM.';

create or replace macro ltr.conventions() as table
select
    c.row.convention,
    c.row.measure,
    c.row.switch,
    c.row.value,
    c.row.summary
from (
    select unnest({{ constant(rows) }}) as row
) as c;
comment on macro table ltr.conventions is 'List the conventions of evaluation tools: one row for each setting; an empty measure means all measures.';

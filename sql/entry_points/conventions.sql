create or replace macro ltr.conventions() as table
select
    c.row.convention,
    c.row.measure,
    c.row.switch,
    c.row.value,
    c.row.summary
from (
    select unnest({{ rows }}) as row
) as c;
comment on macro table ltr.conventions is 'The conventions of the field''s tools: a row for each setting, of one measure or, where none is named, of all.';

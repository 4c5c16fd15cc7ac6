create or replace macro ltr.measures() as table
select
    m.row.name,
    m.row.macro,
    m.row.parameters,
    m.row.aliases,
    m.row.summary,
    m.row.formula,
    m.row.range,
    m.row.reference
from (
    select unnest({{ constant(rows) }}) as row
) as m;
comment on macro table ltr.measures is 'List the measures: names, parameters with defaults, formula, range and reference.';

create or replace macro ltr.measures() as table
select
    m.name,
    m.macro,
    m.parameters,
    m.aliases,
    m.summary,
    m.formula,
    m.range,
    m.reference
from (
    values
    {%- for row in rows %}
    ({{ row | map("string") | join(", ") }}){{ "" if loop.last else "," }}
    {%- endfor %}
) as m(name, macro, parameters, aliases, summary, formula, range, reference);
comment on macro table ltr.measures is 'The measures: names, parameters with defaults, formula, range and source.';

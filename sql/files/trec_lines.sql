{#- Read a TREC file line by line, with columns separated by one or more blanks. A line with too few columns is an error;
    with `more_allowed`, extra columns are ignored. -#}
select
    {% for name in kept -%}
    cast(f.fields[{{ columns.index(name) + 1 }}] as {{ "double" if name in numbers else "varchar" }}) as {{ name }}{{ "" if loop.last else "," }}
    {% endfor -%}
from (
    select string_split_regex(trim(l.line, chr(32) || chr(9) || chr(13)), '\s+') as fields
    from read_csv(
        {{ file }},
        delim = '\n',
        header = false,
        quote = '',
        escape = '',
        auto_detect = false,
        strict_mode = false,
        columns = {'line': 'varchar'}
    ) as l
    where trim(l.line, chr(32) || chr(9) || chr(13)) <> ''
) as f
where case
    when len(f.fields) {{ ">=" if more_allowed else "=" }} {{ columns | length }} and f.fields[1] <> '#' then true
    else error({{ string(path ~ ": a line must have the " ~ columns | length ~ " columns " ~ columns | join(" ") ~ ", not: ") }} || array_to_string(f.fields, ' '))
end

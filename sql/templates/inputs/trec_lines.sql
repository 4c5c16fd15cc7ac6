{#- Read a TREC file line by line, with columns separated by one or more blanks. A line with too few columns is an error.
    A line of a run may have extra columns if its rank is a number. If tabs separate the columns, only the last column may
    contain other blanks. -#}
{%- set blanks = "chr(32) || chr(9) || chr(11) || chr(12) || chr(13)" -%}
{%- set last = columns | length - 1 -%}
select
    {% for name in kept -%}
    cast(f.fields[{{ columns.index(name) + 1 }}] as {{ "double" if name in numbers else "varchar" }}) as {{ name }}{{ "" if loop.last else "," }}
    {% endfor -%}
    {%- if role == "run" %},
    f.fields[{{ columns | length }}] as system
    {%- endif %}
from (
    select
        l.line,
        string_split_regex(l.line, '[ \t\v\f\r]+') as fields,
        case
            when not contains(l.line, chr(9)) then []
            else list_filter(
                list_transform(string_split(l.line, chr(9)), lambda x: trim(x, {{ blanks }})), lambda x: x <> ''
            )
        end as between_tabs
    from (
        select
            r.line as whole_line,
            trim(r.line, {{ blanks }}) as line
        from read_csv(
            {{ file }},
            delim = '\n',
            header = false,
            quote = '',
            escape = '',
            auto_detect = false,
            strict_mode = false,
            columns = {'line': 'varchar'}
        ) as r
    ) as l
    where l.line <> ''
    {%- if comments %}
        and not starts_with(l.whole_line, '#')
    {%- endif %}
) as f
where case
    when f.fields[1] = '#'
    then error({{ string(path ~ ": a line is a comment: TREC files have no comments") }})
    when contains(f.line, chr(0))
    then error({{ string(path ~ " has NUL bytes: the file is damaged, or is not text in UTF-8") }})
    when len(f.between_tabs) > {{ last }} and f.between_tabs[1:{{ last }}] <> f.fields[1:{{ last }}]
    then error({{ string(path ~ ": a field has a blank, which separates columns: ") }} || array_to_string(f.between_tabs, ' | '))
    when len(f.fields) = {{ columns | length }} then true
    {%- if role == "run" %}
    when len(f.fields) > {{ columns | length }}
        and (len(f.between_tabs) = 0 or len(f.between_tabs) > {{ last }})
        and try_cast(f.fields[{{ columns.index("given_rank") + 1 }}] as double) is not null
    then true
    {%- endif %}
    else error({{ string(path ~ ": a line must have the " ~ columns | length ~ " columns " ~ columns | join(" ") ~ ", not: ") }}
        || array_to_string(f.fields, ' '))
end

{#- A TREC file whose columns are all separated by the same one blank. An empty field is a blank too many: such a line
    has its columns elsewhere. -#}
select
    {{ kept | join(",\n    ") }}
from read_csv(
    {{ file }},
    delim = {{ string(separator) }},
    header = false,
    quote = '',
    escape = '',
    auto_detect = false,
    columns = {
        {%- for name in columns %}
        {{ string(name) }}: '{{ "double" if name in numbers else "varchar" }}'{{ "" if loop.last else "," }}
        {%- endfor %}
    }
) as f
where case
    when f.query_id = '#'
    then error({{ string(path ~ ": a line is a comment, which TREC files do not have") }})
    when {% for name in columns %}f.{{ name }} is not null{{ "" if loop.last else " and " }}{% endfor %} then true
    else error({{ string(path ~ ": a line has an empty field") }})
end

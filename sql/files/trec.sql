{#- A TREC file whose columns are all separated by the same one blank. -#}
select
    {{ kept | join(",\n    ") }}
from read_csv(
    {{ string(path) }},
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
)

{#- Read a file without a header whose columns are separated by single blanks or tabs, or by another character. An empty field comes from a repeated separator,
    which shifts the columns of its line. If `run_id` is set, a line with another run id is an error. -#}
select
    {{ kept | join(",\n    ") }}
    {%- if role == "run" and not run_id %},
    run_id as system
    {%- endif %}
from read_csv(
    {{ file }},
    delim = {{ string(separator) }},
    header = false,
    quote = {{ string("" if separator in (" ", "\t") else '"') }},
    escape = {{ string("" if separator in (" ", "\t") else '"') }},
    auto_detect = false,
    columns = {
        {%- for name in columns %}
        {{ string(name) }}: '{{ "double" if name in numbers else "varchar" }}'{{ "" if loop.last else "," }}
        {%- endfor %}
    }
) as f
where case
    when {{ "starts_with(f.query_id, '#')" if comments else "f.query_id = '#'" }}
    then error({{ string(path ~ ": a line is a comment: TREC files have no comments") }})
    {%- if run_id %}
    when f.run_id <> {{ string(run_id) }}
    then error({{ string(path ~ ": lines have several run ids") }})
    {%- endif %}
    when {% for name in columns %}f.{{ name }} is not null{{ "" if loop.last else " and " }}{% endfor %} then true
    else error({{ string(path ~ ": a line has an empty field: separate columns by one blank or tab") }})
end

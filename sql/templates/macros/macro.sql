create or replace macro ltr.{{ name }}({{ signature | join(", ") }}) as table
{{ query }};
comment on macro table ltr.{{ name }} is {{ string(comment) }};

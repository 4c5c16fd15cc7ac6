{#- Parse measure strings, the first three of the steps from measure strings to the text of a query. checked.sql, filled.sql and
    assembled.sql hold the others. Each step is an expression over a list of structs, one per measure. The structs are flat, because
    DuckDB allocates a whole inner struct for each access to one of its fields. Write m['name'], because DuckDB takes the m of m.name
    for a table here. Do not use nullif, array_to_string and split_part: they are macros of DuckDB that contain an argument twice, so
    it binds the argument twice. -#}

{#- 1. Split each measure string into its parts. Drop duplicates. -#}
{% macro read(given) -%}
{%- set strings = "t" -%}
list_transform([{{ each(given) }}], lambda t: list_transform(
    list_filter(
        case
            when len({{ strings }}) > 0 and len(list_filter({{ strings }}, lambda m: m is null)) = 0
            then list_transform({{ strings }}, lambda m: {{ trimmed("m") }})
            else error('measures must be a list of measure strings without NULL, such as [''nDCG@10'', ''AP'']')
        end,
        lambda m, i: i = list_position(list_transform({{ strings }}, lambda n: {{ trimmed("n") }}), m)
    ),
    lambda m: struct_concat({'text': m}, regexp_extract(
        case when length(m) > {{ longest }}
            then error('a measure string has at most {{ "{:,}".format(longest) }} characters, got ' || length(m) || ': ' || left(m, 50) || '...')
            else m end,
        {{ string(grammar) }}, ['called', 'listed', 'mark', 'number', 'level', 'zero']
    ))
))[1]
{%- endmacro %}

{#- The measure strings that a list stands for: nDCG@5,10 are two. -#}
{% macro each(given) -%}
flatten(list_transform(try_cast({{ given }} as varchar[]), lambda m: case
    when regexp_full_match({{ trimmed("m") }}, {{ string(several) }})
    then list_transform(string_split(regexp_extract({{ trimmed("m") }}, {{ string(several) }}, 2), ','),
        lambda n: regexp_extract({{ trimmed("m") }}, {{ string(several) }}, 1) || {{ trimmed("n") }})
    else [m]
end))
{%- endmacro %}

{#- Text without blanks at its ends: spaces, tabs and line breaks, as in the grammar. -#}
{% macro trimmed(text) -%}
trim({{ text }}, e' \t\r\n')
{%- endmacro %}

{#- A name in lower case, without _ and -. -#}
{% macro folded(name) -%}
lower(replace(replace({{ name }}, '_', ''), '-', ''))
{%- endmacro %}

{#- The end of the error for an unknown name: what a word of another trade means, or the names that differ from it in the fewest
    letters. -#}
{% macro hint(name) -%}
coalesce(
    ': ' || coalesce({{ constant(words) }}[{{ name }}], {{ constant(words) }}[{{ folded(name) }}]),
    '; did you mean ' || list_aggregate(list_transform(list_transform(
        [list_sort(list_filter(
            list_transform(map_entries({{ constant(titles) }}), lambda e: {'letters': damerau_levenshtein({{ folded(name) }}, e['key']), 'name': e['value']}),
            lambda e: 4 * e['letters'] <= 4 + length({{ folded(name) }})
        ), 'asc')],
        lambda s: list_filter(s, lambda e: e['letters'] = s[1]['letters'])
    )[1][1:{{ most_names }}], lambda e: e['name']), 'string_agg', ' or ') || '?',
    ': to list all measures, run: from ltr.measures()'
)
{%- endmacro %}

{#- The macro that a measure string means: its name in the catalogue, or the substitute under the convention. -#}
{% macro macro_of(measure) -%}
list_transform(list_transform([coalesce(case when {{ constant(words) }}[{{ measure }}['called']] is null
    then {{ constant(names) }}[lower({{ measure }}['called'])] end, error(case
        when {{ measure }}['called'] = '' then 'measure ''' || {{ measure }}['text']
            || ''' cannot be read: write NAME, NAME@k or NAME(parameter=value)@k, as in nDCG@10'
        else 'unknown measure ''' || {{ measure }}['text'] || '''' || {{ hint(measure ~ "['called']") }}
    end))], lambda n: coalesce({{ constant(substitutes) }}[{{ convention }} || '.' || lower({{ measure }}['called'])],
        {{ constant(substitutes) }}[{{ convention }} || '.' || n], n)),
        lambda n: coalesce(case when {{ measure }}['number'] = ''
        then {{ constant(uncut) }}[lower({{ measure }}['called']) || '.' || n] end
    {%- for (macro, parameter), other in given.items() %}, case when n = '{{ macro }}'
        and regexp_matches({{ measure }}['listed'], '(^|,)[ \t\r\n]*{{ parameter }}[ \t\r\n]*=') then '{{ other }}' end{% endfor %},
        n))[1]
{%- endmacro %}

{#- 2. Look up the definition of each measure in the catalogue. -#}
{% macro looked_up(measures) -%}
list_transform({{ measures }}, lambda m: struct_concat({
    'text': m['text'],
    'number': m['number'],
    'number_as_fraction': case when m['mark'] = '.' and not contains(m['number'], '.') then '0.' || m['number'] else m['number'] end,
    'level': m['level'],
    'zero': m['zero'],
    'preset': lower(m['called']),
    'assigned': case when {{ trimmed("m['listed']") }} = '' then [] else list_transform(
        list_filter(
            list_transform(string_split(m['listed'], ','), lambda a: regexp_replace({{ trimmed("a") }}, {{ string(argument) }}, {{ string(assignment) }})),
            lambda a: not list_contains({{ constant(ignored) }}, a)
        ),
        lambda a: coalesce({{ constant(spellings) }}[a], a)
    ) end
}, {{ constant_entry(definitions, macro_of("m")) }}))
{%- endmacro %}

{#- 3. Collect the parameter values of each measure string: its arguments, the number at the @, -l, and the - at the end. -#}
{% macro with_values(measures) -%}
list_transform({{ measures }}, lambda m: struct_concat(m, {
    'refused': list_filter(
        m['assigned'],
        lambda a: not coalesce(
            list_contains(m['arguments'], regexp_extract(a, {{ string(argument) }}, 1))
                or regexp_extract(a, {{ string(argument) }}, 1) = 'cutoff' and list_contains(m['parameters'], 'k'),
            false
        )
    ),
    'given': list_concat(
        list_transform(
            list_transform(m['assigned'], lambda a: regexp_extract(a, {{ string(argument) }}, ['name', 'value'])),
            lambda g: {'name': case g['name'] when 'cutoff' then 'k' else g['name'] end, 'value': g['value']}
        ),
        case
            when m['number'] = '' then []
            when m['fraction'] <> '' and try_cast(m['number_as_fraction'] as double) < 1
            then [{'name': m['fraction'], 'value': m['number_as_fraction']}]
            else [{'name': m['at'], 'value': m['number']}]
        end,
        case when m['level'] = '' then [] else [{'name': case when list_contains(m['parameters'], 'rel') then 'rel' else 'level' end, 'value': m['level']}] end,
        case when m['zero'] = '' then [] else [{'name': 'empty', 'value': '0'}] end
    )
}))
{%- endmacro %}

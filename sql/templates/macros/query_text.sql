{#- Generate, in SQL, the query of a list of measures. ltr.per_query, ltr.evaluate and ltr.compare_rankings run it by
    `from query(...)`. DuckDB evaluates the expression to a text before it binds the query. Write m['name'], because DuckDB
    takes the m of m.name for a table here. Each step below is an expression over a list of structs, one per measure. The structs are
    flat, because DuckDB allocates a whole inner struct for each access to one of its fields. Do not use nullif,
    array_to_string and split_part: they are macros of DuckDB that contain an argument twice, so it binds the argument twice.
    Placeholders such as {k} are filled only with values that match the grammar of measure strings. -#}

{%- set chosen = "coalesce(convention, '" ~ conventions[0] ~ "')" -%}
{#- 1. Parse the measure strings, without duplicates. -#}
{% macro read(given) -%}
{%- set strings = "try_cast(" ~ given ~ " as varchar[])" -%}
list_transform(
    list_filter(
        case
            when len({{ strings }}) > 0 and len(list_filter({{ strings }}, lambda m: m is null)) = 0
            then list_transform({{ strings }}, lambda m: {{ trimmed("m") }})
            else error('measures must be a list of measure strings without NULL, such as [''nDCG@10'', ''AP'']')
        end,
        lambda m, i: i = list_position(list_transform({{ strings }}, lambda n: {{ trimmed("n") }}), m)
    ),
    lambda m: struct_concat({'text': m}, regexp_extract(
        case when length(m) > {{ longest }} then error('a measure string has at most {{ "{:,}".format(longest) }} characters, got ' || length(m) || ': ' || left(m, 50) || '...') else m end,
        {{ string(grammar) }}, ['called', 'listed', 'mark', 'number', 'level', 'zero']
    ))
)
{%- endmacro %}

{#- Text without blanks at its ends: spaces, tabs and line breaks, as in the grammar. -#}
{% macro trimmed(text) -%}
trim({{ text }}, e' \t\r\n')
{%- endmacro %}

{#- The end of the error for an unknown name: the names that differ from it in few letters. -#}
{% macro nearest(name) -%}
coalesce(
    '; did you mean ' || list_aggregate(list_distinct(list_transform(
        list_sort(list_filter(
            list_transform(map_entries({{ constant(titles) }}), lambda e: {'letters': damerau_levenshtein(lower({{ name }}), e['key']), 'name': e['value']}),
            lambda e: e['letters'] <= 1 + length({{ name }}) // 4
        ))[1:3],
        lambda e: e['name']
    )), 'string_agg', ' or ') || '?',
    ': to list all measures, run: from ltr.measures()'
)
{%- endmacro %}

{#- The macro that a measure string means: its name in the catalogue, or the substitute under the convention. -#}
{% macro macro_of(measure) -%}
list_transform(list_transform([coalesce({{ constant(names) }}[lower({{ measure }}['called'])], error(case
        when {{ measure }}['called'] = '' then 'measure ''' || {{ measure }}['text'] || ''' cannot be read: write NAME, NAME@k or NAME(parameter=value)@k, as in nDCG@10'
        else 'unknown measure ''' || {{ measure }}['text'] || '''' || {{ nearest(measure ~ "['called']") }}
    end))], lambda n: coalesce({{ constant(substitutes) }}[{{ chosen }} || '.' || lower({{ measure }}['called'])], {{ constant(substitutes) }}[{{ chosen }} || '.' || n], n)), lambda n: coalesce(case when {{ measure }}['number'] = '' then {{ constant(uncut) }}[lower({{ measure }}['called']) || '.' || n] end
    {%- for (macro, parameter), other in given.items() %}, case when n = '{{ macro }}' and regexp_matches({{ measure }}['listed'], '(^|,)[ \t\r\n]*{{ parameter }}[ \t\r\n]*=') then '{{ other }}' end{% endfor %}, n))[1]
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
            lambda a: not list_contains({{ text_list(ignored) }}, a)
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

{#- 4. Resolve each parameter: the given value, else the value of the alias or convention, else the default. -#}
{% macro checked(measures) -%}
list_transform({{ measures }}, lambda m: struct_concat(m, {
    'name': case
        when len(m['refused']) > 0
        then error('measure ''' || m['text'] || '''' || case
            when starts_with(m['refused'][1], 'judged_only=')
            then {{ string(": " ~ judged_only) }}
            when regexp_matches(m['refused'][1], {{ string(argument) }})
            then ' has no parameter ''' || string_split(m['refused'][1], '=')[1] || '''; its parameters are: ' || coalesce(list_aggregate(m['arguments'], 'string_agg', ', '), 'none')
            else ': ''' || m['refused'][1] || ''' is not parameter=value'
        end)
        when len(list_distinct(list_transform(m['given'], lambda g: g['name']))) < len(m['given'])
        then error('measure ''' || m['text'] || ''': a parameter is given twice')
        when not list_has_all(m['parameters'], list_transform(m['given'], lambda g: g['name']))
        then error('measure ''' || m['text'] || '''' || case list_filter(m['given'], lambda g: not list_contains(m['parameters'], g['name']))[1]['name']
            when 'level' then ': -l sets rel or level, and the measure has neither'
            when 'empty' then ': the - at the end sets empty=0, and the measure has no parameter empty'
            else case
                when m['macro'] <> {{ constant(names) }}[m['preset']] and list_contains(map_values({{ constant(substitutes) }}), m['macro'])
                then ': under convention ''' || {{ chosen }} || ''' ' || m['preset'] || ' is ' || m['macro'] || ', which'
                else ''
            end || ' has no cutoff'
        end)
        when not list_contains({{ text_list(conventions) }}, {{ chosen }})
        then error('convention must be one of {{ conventions | join(", ") }}, got ' || {{ chosen }})
        when m['input'] <> 'lists' and list_contains({{ text_list(conventions_of_lists) }}, {{ chosen }})
        then error('convention ''' || {{ chosen }} || ''' covers only measures beyond accuracy: compute ''' || m['text'] || ''' without it')
        when shape <> 'lists' and m['input'] = 'lists'
        then error('measure ''' || m['text'] || ''' ' || {{ string(needs_run) }} || ': call ltr.beyond_accuracy')
        when shape = 'lists' and m['input'] <> 'lists'
        then error('measure ''' || m['text'] || ''' ' || {{ string(needs_rankings) }} || ': call ltr.evaluate')
        when shape = 'pairs' and not list_contains(['pairs', 'scored_pairs'], m['input'])
        then error('measure ''' || m['text'] || ''' needs relevance: pairs of rankings allow only measures of agreement')
        when shape = 'rankings' and m['input'] = 'scored_pairs'
        then error('measure ''' || m['text'] || ''' ' || {{ string(needs_scores) }})
        when {{ wrong_keys }}
        then error({{ string(keys_message) }} || coalesce(cast(keys as varchar), 'NULL'))
        when list_has_any(list_transform(keys, lambda c: lower(c)), [lower(m['text']), 'queries'])
        then error('a key has the name of a column of the result (queries or a measure string): rename it; got keys ' || cast(keys as varchar))
        else '"' || replace(m['text'], '"', '""') || '"'
    end,
    'values': list_transform(
        m['domains'],
        lambda p: struct_concat(p, {'given': list_contains(list_transform(m['given'], lambda g: g['name']), p['name']), 'text': coalesce(list_filter(m['given'], lambda g: g['name'] = p['name'])[1]['value'], {{ constant(presets) }}[m['preset'] || '.' || p['name']], {{ constant(presets) }}[{{ chosen }} || '.' || m['macro'] || '.' || p['name']], p['default'])})
    )
}))
{%- endmacro %}

{#- 5. Validate the values, and convert them to texts for the placeholders: as SQL, and as part of a name. -#}
{% macro with_placeholders(measures) -%}
list_transform({{ measures }}, lambda m: struct_concat(m, {
    'chosen': list_aggregate(list_concat([m['macro']], list_transform(m['choices'], lambda c: list_filter(m['values'], lambda v: v['name'] = c)[1]['text'])), 'string_agg', ','),
    'cutoff': try_cast(list_filter(m['values'], lambda v: v['name'] = 'k')[1]['text'] as integer),
    'placeholders': list_concat(
        [['{name}', m['name']]],
        flatten(list_transform(
            list_transform(m['values'], lambda v: {'name': v['name'], 'sql': case
                when v['text'] = 'null' and not v['given']
                then case
                    when v['required'] = 'false' then 'null'
                    else error('measure ''' || m['text'] || ''' needs ' || case v['name'] when 'k' then 'a cutoff' else 'a value of ' || v['name'] end)
                end
                when not coalesce({{ allowed('v', "v['text']") }}, false)
                then error('measure ''' || m['text'] || ''': ' || v['name'] || ' must be ' || v['allowed'] || ', got ' || v['text'])
                when v['type'] = 'choice' then '''' || v['text'] || ''''
                else {{ number_text("cast(v['text'] as double)") }}
            end}),
            lambda v: [
                ['{' || v['name'] || '}', v['sql']],
                ['{_' || v['name'] || '}', '_' || regexp_replace(v['sql'], '\W', '_', 'g')]
            ]
        )),
        {#- Parameters of the row source that the measure does not have. #}
        {{ constant(unset) }}
    )
}))
{%- endmacro %}

{#- Write a double as SQL; 2, 2.0 and 2e0 become one text. Without an exponent, 0.5 would be a decimal. -#}
{% macro number_text(number) -%}
case
    when {{ number }} = floor({{ number }}) and abs({{ number }}) < 1e15 then cast(cast({{ number }} as bigint) as varchar)
    when contains(cast({{ number }} as varchar), 'e') then replace(cast({{ number }} as varchar), '+', '')
    else cast({{ number }} as varchar) || 'e0'
end
{%- endmacro %}

{% macro allowed(parameter, value) -%}
{%- set number = "try_cast(" ~ value ~ " as double)" -%}
case when {{ parameter }}['type'] = 'choice' then list_contains({{ parameter }}['choices'], {{ value }})
else isfinite({{ number }})
    and ({{ parameter }}['type'] = 'number' or {{ number }} = floor({{ number }}))
    and coalesce({{ number }} >= {{ parameter }}['least'], true)
    and coalesce({{ number }} > {{ parameter }}['above'], true)
    and coalesce({{ number }} <= {{ parameter }}['most'], true)
end
{%- endmacro %}

{#- 6. Look up the SQL of each measure by its choice parameters, and fill the placeholders in its texts. Also keep
    these `fields` and fill these `further` texts. -#}
{% macro filled(measures, fields=[], further=[]) -%}
{%- set names = ["block", "value", "output", "join", "average", "weighted"] + further -%}
list_transform(
    list_transform(
        list_transform({{ measures }}, lambda m: struct_concat(m, {{ constant_entry(texts, "m['chosen']") }})),
        lambda m: struct_concat(m, {'filled': {{ fill_all("list_concat([m['" ~ names | join("'], m['") ~ "']], m['windows'])", "list_concat([['{block}', m['block']]], m['placeholders'])") }}})
    ),
    lambda m: {
        'text': m['text'],
        {%- for name in fields %}
        '{{ name }}': m['{{ name }}'],
        {%- endfor %}
        'input': m['input'],
        'row_source': m['row_source'],
        'reads': m['reads'],
        'shared_ranks': m['shared_ranks'],
        'cutoff': m['cutoff'],
        'placeholders': m['placeholders'],
        {%- for name in names %}
        '{{ name }}': m['filled'][{{ loop.index }}],
        {%- endfor %}
        'windows': m['filled'][{{ names | length + 1 }}:]
    }
)
{%- endmacro %}

{#- Replace the placeholders in a list of texts. A placeholder is a list of its name and the text that replaces it. -#}
{% macro fill_all(texts, placeholders) -%}
list_reduce(list_concat([{{ texts }}], {{ placeholders }}), lambda f, p: list_transform(f, lambda t: replace(t, p[1], p[2])))
{%- endmacro %}

{% macro fill(text, placeholders) -%}
{{ fill_all("[" ~ text ~ "]", placeholders) }}[1]
{%- endmacro %}

{#- 7. Group the measures into blocks that share a row source, and return the CTEs of all blocks. -#}
{% macro block_texts(measures) -%}
list_aggregate(list_transform(
    list_sort(list_distinct(list_transform({{ measures }}, lambda m: m['block']))),
    lambda b: list_transform([list_filter({{ measures }}, lambda m: m['block'] = b)], lambda members: {{ block_text("members", "b") }})[1]
), 'string_agg', ',' || chr(10))
{%- endmacro %}

{#- Return the CTEs of a block, which reads all rows that any of its measures needs. -#}
{% macro block_text(members, name) -%}
{%- set placeholders = {
    "{suffix}": name ~ "[len(" ~ members ~ "[1]['row_source']) + 1:]",
    "{windows}": concatenated("list_sort(list_distinct(flatten(list_transform(" ~ members ~ ", lambda m: m['windows']))))"),
    "{values}": concatenated("list_transform(" ~ members ~ ", lambda m: m['value'])"),
    "{shared_ranks}": "list_min(list_transform(" ~ members ~ ", lambda m: m['shared_ranks']))",
    "{k}": "case when len(list_filter(" ~ members ~ ", lambda m: m['cutoff'] is null)) > 0 then 'null' else cast(list_max(list_transform(" ~ members ~ ", lambda m: m['cutoff'])) as varchar) end",
} -%}
{{ fill(replaced(
    constant_entry(blocks, members ~ "[1]['row_source'] || ' ' || " ~ text_list(rows) ~ "[list_min(list_transform(" ~ members ~ ", lambda m: list_position(" ~ text_list(rows) ~ ", m['reads'])))]"),
    placeholders
), members ~ "[1]['placeholders']") }}
{%- endmacro %}

{% macro joins_of(measures) -%}
{{ concatenated("list_sort(list_distinct(list_transform(" ~ measures ~ ", lambda m: m['join'])))") }}
{%- endmacro %}

{#- 8. Assemble the query from its blocks. -#}
{% macro query_text(measures) -%}
{%- set shapes = "list_transform(" ~ measures ~ ", lambda m: m['input'])" -%}
{%- set by_subtopic = "list_contains(" ~ shapes ~ ", 'covers')" -%}
{%- set by_score = "list_contains(" ~ shapes ~ ", 'scored_pairs')" -%}
{{ replaced(
    constant_entry(queries, "case when paired and " ~ by_score ~ " then 'scored_pairs' when paired then 'pairs' when " ~ by_subtopic ~ " then 'covers' else 'rankings' end || case when not paired and list_contains(" ~ shapes ~ ", 'pairs') then ' against ideal' else '' end"),
    {
        "{blocks}": block_texts(measures),
        "{joins}": joins_of(measures),
        "{outputs}": concatenated("list_transform(" ~ measures ~ ", lambda m: m['output'])"),
        "{documents}": "case when " ~ by_subtopic ~ " then '__ltr_graded' else '__ltr_rankings' end",
        "{keys}": list_of("keys"),
        "{relation}": without_placeholders("relation"),
    }
) }}
{%- endmacro %}

{#- 9. Average the measures over queries if `averaged` is true, with the weights of queries unless they are NULL. -#}
{% macro result_text(measures, per_query=query_text) -%}
{%- set of_runs = "list_filter(" ~ measures ~ ", lambda m: m['weighted'] = '')" -%}
{%- set key_names = "list_transform(keys, lambda c: 'v.\"' || replace(" ~ without_placeholders("c") ~ ", '\"', '\"\"') || '\"')" -%}
{{ replaced("case
    when not averaged then '{per_query}'
    when weights is null then " ~ string(averages) ~ "
    when len(" ~ of_runs ~ ") > 0 then error('measure ''' || " ~ of_runs ~ "[1]['text'] || ''' " ~ no_weights ~ "')
    else " ~ string(weighted_averages) ~ "
end", {
    "{averages}": concatenated("list_transform(" ~ measures ~ ", lambda m: case when weights is null then m['average'] else m['weighted'] end)"),
    "{keyed}": "ltr.__ltr_keyed(keys)",
    "{weights}": "coalesce('query_table(''' || " ~ quotable("cast(weights as varchar)") ~ " || ''')', '')",
    "{per_query}": per_query(measures),
    "{keys}": concatenated("list_transform(" ~ key_names ~ ", lambda c: c || ', ')"),
    "{group_by}": "case when len(keys) = 0 then '' else ' group by ' || " ~ concatenated_by(key_names, "', '") ~ " end",
}) }}
{%- endmacro %}

{#- Look up the SQL that breaks measures down by rank; NULL if a measure is no sum over ranks. -#}
{% macro with_texts(measures) -%}
list_transform({{ measures }}, lambda m: struct_concat(m, {'texts': {{ constant_entry(texts_by_rank, "m['chosen']") }}}))
{%- endmacro %}

{#- Break a measure of one query down by rank. -#}
{% macro explained_text(measure) -%}
{{ replaced(
    fill(
        replaced(string(explained), {
            "{gain_of_document}": measure ~ "['texts']['gain']",
            "{discount_of_rank}": "case when " ~ measure ~ "['texts']['discount'] <> '' then " ~ measure ~ "['texts']['discount'] else error('measure ''' || measure || ''' ' || " ~ string(not_by_rank) ~ ") end",
            "{empty_value}": measure ~ "['texts']['empty']",
            "{block}": constant_entry(blocks_by_rank, measure ~ "['texts']['row_source'] || ' ' || " ~ measure ~ "['texts']['reads']"),
            "{windows}": concatenated(measure ~ "['texts']['windows']"),
            "{value}": measure ~ "['texts']['running']",
            "{shared_ranks}": measure ~ "['texts']['shared_ranks']",
        }),
        measure ~ "['placeholders']"
    ),
    {
        "{cutoff}": "coalesce(cast(" ~ measure ~ "['cutoff'] as varchar), 'null')",
        "{keys}": list_of("keys"),
        "{relation}": without_placeholders(table_named("rankings")),
        "{query}": quotable("cast(query as varchar)"),
    }
) }}
{%- endmacro %}

{#- Escape a text of the caller for a string literal. -#}
{% macro quotable(text) -%}
replace({{ without_placeholders(text) }}, '''', '''''')
{%- endmacro %}

{% macro list_of(keys) -%}
'[' || {{ concatenated_by("list_transform(" ~ keys ~ ", lambda c: '''' || " ~ quotable("c") ~ " || '''')", "', '") }} || ']::varchar[]'
{%- endmacro %}

{#- Hide the braces in a name of the caller, so that they are not read as placeholders; `written` restores them. -#}
{% macro without_placeholders(name) -%}
replace(
    {{ name }},
    '{',
    case when contains({{ name }}, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
)
{%- endmacro %}

{#- Apply steps 1 to 5 to the parameters of ltr.__ltr_measures. -#}
{% macro measures_read() -%}
{{ with_placeholders(checked(with_values(looked_up(read("measures"))))) }}
{%- endmacro %}

{#- Apply `text` to parsed measures, and restore the braces in names of the caller. -#}
{% macro written(text, measures) -%}
replace(
    list_transform(
        [{{ measures }}],
        lambda every: {{ text("every") }}
    )[1],
    chr(1),
    '{'
)
{%- endmacro %}

{% macro concatenated(list) -%}
{{ concatenated_by(list, "''") }}
{%- endmacro %}

{% macro concatenated_by(list, separator) -%}
coalesce(list_aggregate({{ list }}, 'string_agg', {{ separator }}), '')
{%- endmacro %}

{% macro text_list(texts) -%}
{{ constant(texts) }}
{%- endmacro %}

{% macro replaced(text, placeholders) -%}
{%- for _ in placeholders %}replace({% endfor %}{{ text }}{% for placeholder, value in placeholders.items() %}, {{ string(placeholder) }}, {{ value }}){% endfor -%}
{%- endmacro %}

{#- Check parsed measures, and the values of their parameters. -#}

{#- 4. Resolve each parameter: the given value, else the value of the alias or convention, else the default. -#}
{% macro checked(measures) -%}
list_transform({{ measures }}, lambda m: struct_concat(m, {
    'name': case
        when len(m['refused']) > 0
        then error('measure ''' || m['text'] || '''' || case
            when starts_with(m['refused'][1], 'judged_only=')
            then {{ string(": " ~ judged_only) }}
            when regexp_matches(m['refused'][1], {{ string(argument) }})
            then ' has no parameter ''' || string_split(m['refused'][1], '=')[1] || ''''
                || case when regexp_matches(m['refused'][1], '^empty *=') then {{ string(no_empty) }} else ''
                end || '; its parameters are: ' || coalesce(list_aggregate(m['arguments'], 'string_agg', ', '), 'none')
            else ': ''' || m['refused'][1] || ''' is not parameter=value'
        end)
        when len(list_distinct(list_transform(m['given'], lambda g: g['name']))) < len(m['given'])
        then error('measure ''' || m['text'] || ''': a parameter is given twice')
        when not list_has_all(m['parameters'], list_transform(m['given'], lambda g: g['name']))
        then error('measure ''' || m['text'] || '''' || case list_filter(m['given'], lambda g: not list_contains(m['parameters'], g['name']))[1]['name']
            when 'level' then ': -l sets rel or level, and the measure has neither'
            when 'empty' then ': the - at the end sets empty=0, and the measure has no parameter empty' || {{ string(no_empty) }}
            else case
                when m['macro'] <> {{ constant(names) }}[m['preset']] and list_contains(map_values({{ constant(substitutes) }}), m['macro'])
                then ': under convention ''' || {{ convention }} || ''' ' || m['preset'] || ' is ' || m['macro'] || ', which'
                else ''
            end || ' has no cutoff'
        end)
        when not list_contains({{ constant(conventions) }}, {{ convention }})
        then error('convention must be one of {{ conventions | join(", ") }}, got ' || {{ convention }})
        when m['input'] <> 'lists' and list_contains({{ constant(conventions_of_lists) }}, {{ convention }})
        then error('convention ''' || {{ convention }} || ''' covers only measures beyond accuracy: compute ''' || m['text'] || ''' without it')
        when {{ constant(own_rules) }}[{{ convention }} || '.' || m['macro']] is not null
        then error('measure ''' || m['text'] || '''' || {{ constant(own_rules) }}[{{ convention }} || '.' || m['macro']])
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
        when list_has_any(list_transform(ltr.__ltr_key_list(keys), lambda c: lower(c)), [lower(m['text']), 'queries'])
        then error('a key has the name of a column of the result (queries or a measure string): rename it; got keys ' || cast(keys as varchar))
        else '"' || replace(m['text'], '"', '""') || '"'
    end,
    'values': list_transform(
        m['domains'],
        lambda p: struct_concat(p, {'given': list_contains(list_transform(m['given'], lambda g: g['name']), p['name']),
            'text': coalesce(list_filter(m['given'], lambda g: g['name'] = p['name'])[1]['value'],
            {{ constant(presets) }}[m['preset'] || '.' || p['name']],
            {{ constant(presets) }}[{{ convention }} || '.' || m['macro'] || '.' || p['name']], p['default'])})
    )
}))
{%- endmacro %}

{#- 5. Validate the values, and convert them to texts for the placeholders: as SQL, and as part of a name. -#}
{% macro with_placeholders(measures) -%}
list_transform({{ measures }}, lambda m: struct_concat(m, {
    'chosen': list_aggregate(list_concat([m['macro']], list_transform(m['choices'], lambda c: list_filter(m['values'], lambda v: v['name'] = c)[1]['text'])),
        'string_agg', ','),
    'cutoff': try_cast(list_filter(m['values'], lambda v: v['name'] = 'k')[1]['text'] as integer),
    'placeholders': list_concat(
        [['{name}', m['name']], ['{name weight}', left(m['name'], -1) || ' weight"']],
        flatten(list_transform(
            list_transform(m['values'], lambda v: {'name': v['name'], 'sql': case
                when v['text'] = 'null' and not v['given']
                then case
                    when v['required'] = 'false' then 'null'
                    else error('measure ''' || m['text'] || ''' needs ' || case v['name'] when 'k' then 'a cutoff' else 'a value of ' || v['name'] end)
                end
                when not coalesce({{ allowed('v', "v['text']") }}, false)
                then error('measure ''' || m['text'] || ''': ' || v['name'] || ' must be ' || v['allowed'] || ', got ' || v['text'])
                when list_contains({{ constant(needs_cutoff) }}, v['name'] || '=' || v['text'])
                    and list_filter(m['values'], lambda c: c['name'] = 'k')[1]['text'] = 'null'
                then error('measure ''' || m['text'] || ''': ' || v['name'] || '=' || v['text'] || ' needs a cutoff, as in @10')
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

{#- Create ltr.fuse, which writes the query of a fusion of runs, and runs it by `from query(...)`. -#}
{%- from "macros/query_texts/pieces.sql" import replaced with context -%}
{%- from "macros/query_texts/arguments.sql" import chosen, identifier, number, quoted, with_braces, with_bytewise_ids,
    without_nulls, without_placeholders with context -%}

{%- macro optional_number(option, condition, meaning) -%}
case when {{ option }} is null then 'cast(''inf'' as double)' else {{ number(option, condition, meaning) }} end
{%- endmacro -%}

{%- macro double(option, condition, meaning) -%}
'(' || {{ number(option, condition, meaning, "cast(" ~ option ~ " as double)") }} || ')::double'
{%- endmacro -%}

{%- set by_rank = "list_contains(" ~ constant(methods_of_ranks) ~ ", method)" -%}
{#- With `pointed`, the weights belong to points, and each point gives a fused run. #}
create or replace macro ltr.__ltr_fusion_parts(method, norm, ties, weights, pointed) as list_transform(
    [struct_pack(
        query := case when pointed then {{ string(pointed_query) }} else {{ string(query) }} end,
        method := case when pointed then {{ chosen("method", pointed_methods) }} else {{ chosen("method", methods) }} end,
        source := case
            when {{ by_rank }} and norm is not null
            then error('method := ''' || method
                || ''' reads ranks, to which no norm applies: leave norm out, or choose a method of scores such as ''comb_sum''')
            else coalesce(
                {{ constant(sources) }}[case when {{ by_rank }} then 'rank ' || method else 'score ' || coalesce(norm, '') end],
                error('norm must be one of {{ norms | join(", ") }}, or NULL for the scores themselves, got ' || coalesce(norm, 'NULL'))
            )
        end,
        ties := coalesce(
            {{ constant(ties) }}[ties || case when {{ by_rank }} then ' ranks' else ' scores' end],
            error('ties must be one of {{ rules | join(", ") }}, got ' || coalesce(ties, 'NULL'))
        ),
        systems := case
            when weights is null then {{ string(systems) }}
            when list_contains({{ constant(weighted_methods) }}, method) then {{ string(weighted_systems) }}
            else error('method := ''' || method || ''' takes no weights: leave them out, or choose a weighted method such as ''comb_sum''')
        end
    )],
    lambda c: {{ replaced("c['query']", {
        "{ranked}": "c['ties']['ranked']",
        "{scores}": "c['ties']['scores']",
        "{order}": "c['ties']['order']",
        "{systems}": "c['systems']",
        "{values}": "c['source']['values']",
        "{runs}": "c['source']['runs']",
        "{fused}": "c['method']",
    }) }}
)[1];

create or replace macro ltr.__ltr_fusion(relation, method, norm, k, weights, weights_relation, compared, p, gamma, constant, depth, top, ties, keys, pointed) as
{{ with_braces(replaced(
    "case
        when " ~ wrong_keys ~ " then error(" ~ string(keys_message) ~ " || coalesce(cast(keys as varchar), 'NULL'))
        else ltr.__ltr_fusion_parts(method, norm, ties, weights, pointed)
    end",
    dict(group_texts, **{
        "{weights}": "weights_relation",
        "{relation}": "'(select * from (select ' || case when len(" ~ groups
            ~ ") = 0 then 'null' else 'struct_pack(' || list_aggregate(list_transform(" ~ groups ~ ", lambda c: "
            ~ identifier("c") ~ " || ' := r.' || " ~ identifier("c")
            ~ "), 'string_agg', ', ') || ')' end || ' as __ltr_group, null as __ltr_none, r.* from ' || "
            ~ with_bytewise_ids(without_placeholders("relation"), ["'doc_id'", identifier("compared")], groups)
            ~ " || ' as r) where ltr.__ltr_number(columns(lambda c: lower(c) in (''__ltr_none'', ''rank'', ''score''))) '
            || 'and ltr.__ltr_exact(columns(lambda c: lower(c) in (''__ltr_none'', ''score''))))'",
        "\"{by}\"": identifier("compared"),
        "{k}": double("k", "k >= 0 and isfinite(cast(k as double))", "a number from 0"),
        "{p}": double("p", "p between 0 and 1", "a number from 0 to 1"),
        "{gamma}": double("gamma", "isfinite(cast(gamma as double))", "a number"),
        "{constant}": double("constant", "isfinite(cast(constant as double))", "a number"),
        "{depth}": optional_number("depth", "depth >= 1 and depth = floor(depth)", "an integer from 1"),
        "{top}": optional_number("top", "top >= 1 and top = floor(top)", "an integer from 1"),
    })
)) }};

{% set signature = ["runs", "method := 'rrf'", "norm := null", "k := 60", "weights := null", "keys := ['system']",
    "compared := 'system'", "depth := null", "p := 0.8", "gamma := 1", "constant := 0", "top := null",
    "ties := 'docid_desc'"] -%}
create or replace macro ltr.fuse({{ signature | join(", ") }}) as table
from query({% call without_nulls(signature) %}ltr.__ltr_fusion(
    {{ table_named("runs") }}, method, norm, k, weights,
    case
        when weights is null then ''
        when starts_with(typeof(weights), 'MAP(')
        then 'select unnest(map_keys(m.weights)) as name, unnest(map_values(m.weights)) as weight from (select cast('
            || {{ quoted("cast(weights as varchar)") }} || ' as map(varchar, double)) as weights) as m'
        else 'select cast(t.' || {{ identifier("compared") }}
            || ' as varchar) collate "C" as name, cast(t.weight as double) as weight from query_table('
            || {{ quoted("cast(weights as varchar)") }} || ') as t'
    end,
    compared, p, gamma, constant, depth, top, ties, keys, false
){% endcall %});
comment on macro table ltr.fuse is {{ string(comment) }};

{#- List the macros by question, or the parameters of one macro. Its first row is the macro itself, with an example. -#}
create or replace macro ltr.__ltr_help_rows() as {{ constant(rows) }};
create or replace macro ltr.help() as table (
    select
        h.row.question,
        h.row.macro,
        h.row.example,
        regexp_extract(h.row.meaning, '^(.*?[.])(?: |$)', 1) as what
    from (
        select unnest(r.rows) as row
        from (
            select ltr.__ltr_help_rows() as rows
        ) as r
    ) as h
    where h.row.parameter is null
    order by h.row.number asc
), (name) as table (
    select
        coalesce(h.row.parameter, 'ltr.' || h.row.macro) as parameter,
        case when h.row.parameter is null then h.row.example else h.row."default" end as "default",
        h.row.meaning
    from (
        select unnest(r.rows) as row
        from (
            select
                list_filter(
                    ltr.__ltr_help_rows(),
                    lambda m: m['macro'] = lower(replace(cast(name as varchar), 'ltr.', ''))
                ) as found,
                case
                    when len(found) > 0 then found
                    else error('there is no macro ltr.' || coalesce(cast(name as varchar), 'NULL') || ': to list all macros, run: from ltr.help()')
                end as rows
        ) as r
    ) as h
    order by h.row.number asc
);
comment on macro table ltr.help is {{ string(comment) }};

-- ltr_sql: ranking evaluation as SQL. The macros of ltr_sql for DuckDB 1.5 and later, in schema ltr.
-- Generated from the templates in sql/; do not edit.
create schema if not exists ltr;

create or replace macro ltr.__ltr_table(name) as case
    when starts_with(ltrim(lower(name), '"'), '__ltr_')
    then error('names that start with __ltr_ are reserved: rename ' || name)
    else name
end;
create or replace macro ltr.__ltr_check_k(macro, value) as case
    when try_cast(value as double) >= 1 and try_cast(value as double) = floor(try_cast(value as double)) and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': k must be an integer from 1, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_alpha(macro, value) as case
    when try_cast(value as double) >= 0 and try_cast(value as double) <= 1 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': alpha must be a number from 0 to 1, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_rel(macro, value) as case
    when try_cast(value as double) > 0 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': rel must be a number above 0, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_k_or_null(macro, value) as case
    when value is null or (try_cast(value as double) >= 1 and try_cast(value as double) = floor(try_cast(value as double)) and isfinite(try_cast(value as double)))
    then true
    else error('ltr.' || macro || ': k must be an integer from 1, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_divisor(macro, value) as case
    when value in ('relevant', 'reachable', 'found')
    then ''
    else error('ltr.' || macro || ': divisor must be ''relevant'', ''reachable'' or ''found'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_empty(macro, value) as case
    when value in ('0', '1', 'skip')
    then ''
    else error('ltr.' || macro || ': empty must be ''0'', ''1'' or ''skip'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_T(macro, value) as case
    when try_cast(value as double) >= 0.25 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': T must be a number from 0.25, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_min_rel(macro, value) as case
    when try_cast(value as double) >= 0 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': min_rel must be a number from 0, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_max_rel(macro, value) as case
    when try_cast(value as double) > 0 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': max_rel must be a number above 0, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_p(macro, value) as case
    when try_cast(value as double) >= 0 and try_cast(value as double) <= 1 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': p must be a number from 0 to 1, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_depth_or_null(macro, value) as case
    when value is null or (try_cast(value as double) >= 1 and try_cast(value as double) = floor(try_cast(value as double)) and isfinite(try_cast(value as double)))
    then true
    else error('ltr.' || macro || ': depth must be an integer from 1, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_normalize(macro, value) as case
    when value in ('true', 'false')
    then ''
    else error('ltr.' || macro || ': normalize must be ''true'' or ''false'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_gain(macro, value) as case
    when value in ('linear', 'exponential')
    then ''
    else error('ltr.' || macro || ': gain must be ''linear'' or ''exponential'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_discount(macro, value) as case
    when value in ('log2', 'rank')
    then ''
    else error('ltr.' || macro || ': discount must be ''log2'' or ''rank'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_level_or_null(macro, value) as case
    when value is null or (try_cast(value as double) > 0 and isfinite(try_cast(value as double)))
    then true
    else error('ltr.' || macro || ': level must be a number above 0, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_max_grade(macro, value) as case
    when try_cast(value as double) > 0 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': max_grade must be a number above 0, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_ideal(macro, value) as case
    when value in ('cut', 'whole')
    then ''
    else error('ltr.' || macro || ': ideal must be ''cut'' or ''whole'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_location_or_null(macro, value) as case
    when value is null or (try_cast(value as double) > 0 and isfinite(try_cast(value as double)))
    then true
    else error('ltr.' || macro || ': location must be a number above 0, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_unit(macro, value) as case
    when try_cast(value as double) > 0 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': unit must be a number above 0, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_recall(macro, value) as case
    when try_cast(value as double) >= 0 and try_cast(value as double) <= 1 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': recall must be a number from 0 to 1, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_rounding(macro, value) as case
    when value in ('te10', 'te9')
    then ''
    else error('ltr.' || macro || ': rounding must be ''te10'' or ''te9'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_scale(macro, value) as case
    when value in ('share', 'count')
    then ''
    else error('ltr.' || macro || ': scale must be ''share'' or ''count'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_variant(macro, value) as case
    when value in ('a', 'b', 'c')
    then ''
    else error('ltr.' || macro || ': variant must be ''a'', ''b'' or ''c'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_beta(macro, value) as case
    when try_cast(value as double) >= 0 and try_cast(value as double) <= 1 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': beta must be a number from 0 to 1, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_tied(macro, value) as case
    when try_cast(value as double) >= 0 and try_cast(value as double) <= 1 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': tied must be a number from 0 to 1, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_decay(macro, value) as case
    when try_cast(value as double) >= 0 and try_cast(value as double) <= 1 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': decay must be a number from 0 to 1, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_kind(macro, value) as case
    when value in ('ext', 'min', 'max', 'res')
    then ''
    else error('ltr.' || macro || ': kind must be ''ext'', ''min'', ''max'' or ''res'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_ties_w_a_b(macro, value) as case
    when value in ('w', 'a', 'b')
    then ''
    else error('ltr.' || macro || ': ties must be ''w'', ''a'' or ''b'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_multiple(macro, value) as case
    when try_cast(value as double) > 0 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': multiple must be a number above 0, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_beta_squared(macro, value) as case
    when try_cast(value as double) >= 0 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': beta_squared must be a number from 0, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_variant_a_b(macro, value) as case
    when value in ('a', 'b')
    then ''
    else error('ltr.' || macro || ': variant must be ''a'' or ''b'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_rel_ret(macro, value) as case
    when isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': rel_ret must be a number, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_nonrel_ret(macro, value) as case
    when isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': nonrel_ret must be a number, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_rel_missed(macro, value) as case
    when isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': rel_missed must be a number, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_nonrel_missed(macro, value) as case
    when isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': nonrel_missed must be a number, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_collection_size(macro, value) as case
    when try_cast(value as double) >= 0 and isfinite(try_cast(value as double))
    then true
    else error('ltr.' || macro || ': collection_size must be a number from 0, got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_weights(macro, value) as case
    when value in ('additive', 'multiplicative')
    then ''
    else error('ltr.' || macro || ': weights must be ''additive'' or ''multiplicative'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_ties_docid_desc_docid_asc_docid_desc_float32_row_order_worst_best_expected(macro, value) as case
    when value in ('docid_desc', 'docid_asc', 'docid_desc_float32', 'row_order', 'worst', 'best', 'expected')
    then ''
    else error('ltr.' || macro || ': ties must be ''docid_desc'', ''docid_asc'', ''docid_desc_float32'', ''row_order'', ''worst'', ''best'' or ''expected'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_missing(macro, value) as case
    when value in ('zero', 'skip')
    then ''
    else error('ltr.' || macro || ': missing must be ''zero'' or ''skip'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_unjudged(macro, value) as case
    when value in ('drop', 'keep')
    then ''
    else error('ltr.' || macro || ': unjudged must be ''drop'' or ''keep'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_ties_docid_desc_docid_asc_docid_desc_float32_row_order(macro, value) as case
    when value in ('docid_desc', 'docid_asc', 'docid_desc_float32', 'row_order')
    then ''
    else error('ltr.' || macro || ': ties must be ''docid_desc'', ''docid_asc'', ''docid_desc_float32'' or ''row_order'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_ties(macro, value) as case
    when value in ('docid_desc', 'docid_asc', 'docid_desc_float32', 'row_order', 'rank', 'worst', 'best', 'expected')
    then ''
    else error('ltr.' || macro || ': ties must be ''docid_desc'', ''docid_asc'', ''docid_desc_float32'', ''row_order'', ''rank'', ''worst'', ''best'' or ''expected'', got ' || coalesce(cast(value as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_keys(names, query_id, keys) as case when coalesce(list_has_all(names, keys), false) and list_contains(list_transform(names, lambda c: lower(c)), 'query_id') and not coalesce((keys is null or len(list_filter(keys, lambda c: c is null)) > 0 or len(list_distinct(list_transform(keys, lambda c: lower(c)))) <> len(keys) or list_has_any(list_transform(keys, lambda c: lower(c)), ['query_id', 'doc_id', 'rank', 'relevance', 'score'])), true) then case when case when true then 'a' else cast(query_id as varchar) end < 'B' or case when true then chr(233) else cast(query_id as varchar) end = 'e' or case when true then chr(233) else cast(query_id as varchar) end = case when true then 'e' || chr(769) else cast(query_id as varchar) end then error('ids are compared by a collation, which may take different ids for one: reset default_collation, or select the columns with collate "C"') else true end else error('keys must be columns of the input, each named once, and not query_id, doc_id, rank, relevance, score; got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
create or replace macro ltr.__ltr_discount_divisor(discount, rank) as case discount when 'log2' then log2(rank + 1) when 'rank' then rank end;

create or replace macro ltr.__ltr_exponential_gain(relevance) as case when relevance > 300 then error('a grade is above 300, too large for gain := ''exponential''') else power(2e0, relevance) - 1 end;

create or replace macro ltr.__ltr_gain_of(relevance, gain) as case gain when 'linear' then relevance when 'exponential' then case when relevance > 300 then error('a grade is above 300, too large for gain := ''exponential''') else power(2e0, relevance) - 1 end end;

create or replace macro ltr.__ltr_has_gain(level, relevance) as relevance > 0 and (level is null or relevance >= level);

create or replace macro ltr.__ltr_satisfaction(relevance, max_grade, gain) as case when relevance > 0 then case gain when 'linear' then relevance when 'exponential' then case when relevance > 300 then error('a grade is above 300, too large for gain := ''exponential''') else power(2e0, relevance) - 1 end end / case gain when 'linear' then max_grade when 'exponential' then power(2e0, max_grade) end else 0e0 end;

create or replace macro ltr.__ltr_reject_duplicate_document() as error('a document is in one ranking more than once: keep its best row, or pass grouping columns such as system as keys (ltr.check_run shows the rows)');

create or replace macro ltr.__ltr_reject_duplicate_judgment() as error('a document is judged more than once for one query: keep one grade, such as max(relevance) (ltr.check_run shows the rows)');

create or replace macro ltr.__ltr_validate_covers(rank, doc_id, subtopic) as case
    when count(distinct case when not (rank < 1 or rank > 1000000000) and rank = floor(rank) then rank end) <> count(distinct case when rank is not null then doc_id end)
        or count(distinct case when rank is null then doc_id end) + count(distinct case when rank is not null then doc_id end) <> count(distinct doc_id)
        or count(rank) <> count(case when not (rank < 1 or rank > 1000000000) and rank = floor(rank) then rank end)
    then error('ranks must be whole numbers from 1 to 1,000,000,000, one for each document of a query: rank by row_number(), and pass grouping columns such as system as keys (ltr.check_rankings shows the rows)')
    when count(*) <> count(distinct cast(length(cast(doc_id as varchar)) as varchar) || ' ' || cast(doc_id as varchar) || cast(subtopic as varchar))
    then error('a document has more than one row for a subtopic of a query: keep one row per document and subtopic (ltr.check_rankings shows the rows)')
    else true
end;

create or replace macro ltr.__ltr_validate_ranks(rank, relevance, shared_ranks, num_ret) as case
    when count(rank) <> case when shared_ranks then count(case when not (rank < 1 or rank > 1000000000) and rank = floor(rank) then rank end) else count(distinct case when not (rank < 1 or rank > 1000000000) and rank = floor(rank) then rank end) end
    then error('ranks must be whole numbers from 1 to 1,000,000,000, without duplicates in a query: rank by row_number(), and pass grouping columns such as system as keys (ltr.check_rankings shows the rows)')
    when max(relevance) > 1e100
    then error('a grade is infinite or above 1e100: leave out such rows, or scale the grades down')
    when max(num_ret) < max(rank) or min(num_ret) < 0 or max(num_ret) > 1000000000 or max(num_ret) <> floor(max(num_ret))
    then error('num_ret must be a whole number of documents from the largest rank of its query to 1,000,000,000: count the retrieved documents, or leave the column out (ltr.check_rankings shows the rows)')
    else true
end;

create or replace macro ltr.__ltr_validate_scores(score_a, score_b) as case
    when count(score_a) <> count(*) or count(score_b) <> count(*)
    then error('each document of both rankings needs a number in score_a and score_b: ltr.pair reads them from a column score of each run')
    when max(abs(score_a)) > 1e100 or max(abs(score_b)) > 1e100
    then error('a score is infinite or above 1e100: leave out such rows, or scale the scores down')
    else true
end;

create or replace macro ltr.__ltr_whole_rank(rank) as case
    when rank is null then null
    when case when not (rank < 1 or rank > 1000000000) and rank = floor(rank) then rank end is not null then cast(case when not (rank < 1 or rank > 1000000000) and rank = floor(rank) then rank end as bigint)
    else error('ranks must be whole numbers from 1 to 1,000,000,000 (ltr.check_run and ltr.check_rankings show the rows)')
end;


create or replace macro ltr.__ltr_rankings(rankings, keys) as table
select
    struct_pack(*columns(case when len(list_filter(['query_id', 'rank', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'rank', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
    nullif(cast(j.rank as double), cast('nan' as double)) as rank,
    nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
from query_table(rankings) as j;

create or replace macro ltr.__ltr_rankings_with_num_ret(rankings, keys) as table
select
    r.__ltr_key,
    r.rank,
    r.relevance,
    nullif(r.__ltr_row.num_ret, cast('nan' as double)) as num_ret
from (
select
    struct_pack(*columns(case when len(list_filter(['query_id', 'rank', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'rank', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
    nullif(cast(j.rank as double), cast('nan' as double)) as rank,
    nullif(cast(j.relevance as double), cast('nan' as double)) as relevance,
    cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'num_ret'))) as struct(rank double, num_ret double)) as __ltr_row
from query_table(rankings) as j
) as r;

create or replace macro ltr.__ltr_covers(rankings, keys) as table
select
    struct_pack(*columns(case when len(list_filter(['query_id', 'rank', 'relevance', 'doc_id', 'subtopic'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'rank', 'relevance', 'doc_id', 'subtopic'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
    nullif(cast(j.rank as double), cast('nan' as double)) as rank,
    nullif(cast(j.relevance as double), cast('nan' as double)) as relevance,
    j.doc_id,
    j.subtopic
from query_table(rankings) as j;

create or replace macro ltr.__ltr_pairs(rankings, keys) as table
select
    struct_pack(*columns(case when len(list_filter(['query_id', 'rank_a', 'rank_b'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'rank_a', 'rank_b'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
    nullif(cast(j.rank_a as double), cast('nan' as double)) as rank_a,
    nullif(cast(j.rank_b as double), cast('nan' as double)) as rank_b
from query_table(rankings) as j;

create or replace macro ltr.__ltr_scored_pairs(rankings, keys) as table
select
    r.__ltr_key,
    r.rank_a,
    r.rank_b,
    nullif(r.__ltr_row.score_a, cast('nan' as double)) as score_a,
    nullif(r.__ltr_row.score_b, cast('nan' as double)) as score_b
from (
select
    struct_pack(*columns(case when len(list_filter(['query_id', 'rank_a', 'rank_b'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'rank_a', 'rank_b'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
    nullif(cast(j.rank_a as double), cast('nan' as double)) as rank_a,
    nullif(cast(j.rank_b as double), cast('nan' as double)) as rank_b,
    cast(struct_pack(*columns(lambda c: lower(c) in ('rank_a', 'score_a', 'score_b'))) as struct(rank_a double, score_a double, score_b double)) as __ltr_row
from query_table(rankings) as j
) as r;

create or replace macro ltr.__ltr_queries_of_documents(rankings, keys) as table
select
    r.__ltr_key
from (
    select
        struct_pack(*columns(case when len(list_filter(['query_id', 'rank', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'rank', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
        cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank double, doc_id varchar, subtopic varchar)) as __ltr_row
    from query_table(rankings) as j
) as r
group by r.__ltr_key
having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row per document, and the input has one per subtopic: group it by doc_id first') end;

create or replace macro ltr.__ltr_queries(rankings, keys) as table
select
    r.__ltr_key
from (
    select
        struct_pack(*columns(case when len(list_filter(['query_id'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key
    from query_table(rankings) as j
) as r
group by r.__ltr_key;

create or replace macro ltr.judge(run, qrels, ties := 'docid_desc', missing := 'zero', unjudged := 'drop', keys := []::varchar[]) as table
select columns(lambda c: not starts_with(c, '__ltr_'))
from (
with __ltr_judged as (
    select
        q.query_id,
        q.doc_id
    from (
        select
            struct_pack(*columns(case when len(list_filter(['query_id', 'doc_id', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'doc_id', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
q.query_id,
q.doc_id,
cast(struct_pack(*columns(lambda c: lower(c) in ('doc_id', 'subtopic'))) as struct(doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(ltr.__ltr_table(qrels)) as q
    ) as q
    group by q.query_id, q.doc_id, q.__ltr_row.subtopic
    having case when count(*) = 1 then true else ltr.__ltr_reject_duplicate_judgment() end
        and case when case when true then 'a' else cast(q.query_id as varchar) end < 'B' or case when true then chr(233) else cast(q.query_id as varchar) end = 'e' or case when true then chr(233) else cast(q.query_id as varchar) end = case when true then 'e' || chr(769) else cast(q.query_id as varchar) end then error('ids are compared by a collation, which may take different ids for one: reset default_collation, or select the columns with collate "C"') else true end and case when case when true then 'a' else cast(q.doc_id as varchar) end < 'B' or case when true then chr(233) else cast(q.doc_id as varchar) end = 'e' or case when true then chr(233) else cast(q.doc_id as varchar) end = case when true then 'e' || chr(769) else cast(q.doc_id as varchar) end then error('ids are compared by a collation, which may take different ids for one: reset default_collation, or select the columns with collate "C"') else true end
),

__ltr_run as not materialized (
    select
        struct_pack(*columns(case when len(list_filter(['query_id', 'doc_id'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'doc_id'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and not list_contains((*), '__ltr_also_' || c))) as __ltr_system,
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and list_contains((*), '__ltr_also_' || c))) as __ltr_shared,
        j.query_id,
        j.doc_id,
        cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'score', 'row_order', '__ltr_one'))) as struct(rank double, score double, row_order double, __ltr_one double)) as __ltr_row,
        list_transform(struct_keys(struct_pack(*columns(lambda c: lower(c) in ('__ltr_one', 'rank', 'score', 'row_order')))), lambda c: lower(c)) as __ltr_present,
        coalesce(*columns(lambda c: lower(c) in ('score', '__ltr_none'))) as __ltr_exact_score,
        coalesce(*columns(lambda c: lower(c) in ('row_order', '__ltr_none'))) as __ltr_exact_row_order
    from (select 0 as __ltr_one, null as __ltr_none, t.*, n.* from query_table(ltr.__ltr_table(run) || ltr.__ltr_check_ties_docid_desc_docid_asc_docid_desc_float32_row_order_worst_best_expected('judge', ties) || ltr.__ltr_check_missing('judge', missing) || ltr.__ltr_check_unjudged('judge', unjudged)) as t left join (select columns(lambda c: c = '__ltr_none' or list_contains(keys, c)) as '__ltr_also_\0' from (select null as __ltr_none, * from query_table(ltr.__ltr_table(qrels))) limit 0) as n on false) as j
),
__ltr_run_by_score as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        case when ties = 'expected' then rank() over __ltr_ranking_order else case
            when rank() over __ltr_ranking_order = count(*) over __ltr_ranking_order then rank() over __ltr_ranking_order
            else error('two rows of a query are tied after tie-breaking: give each document its own doc_id, or add a column row_order and set ties := ''row_order''')
        end end as rank
    from (
        select
            t.__ltr_key, t.__ltr_system, t.query_id,
            t.doc_id,
            t.__ltr_row.score as score,
            t.__ltr_exact_score,
            t.__ltr_exact_row_order,
            t.__ltr_row.row_order as row_order,
            t.__ltr_row.rank as rank,
            g.relevance as relevance
        from __ltr_run as t
        left join (
            select
                q.query_id,
                q.doc_id,
                max(cast(q.relevance as double)) as relevance
            from (
                select
                    struct_pack(*columns(case when len(list_filter(['query_id', 'doc_id', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'doc_id', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
                    q.query_id,
                    q.doc_id,
                    cast(struct_pack(*columns(lambda c: lower(c) in ('doc_id', 'subtopic'))) as struct(doc_id varchar, subtopic varchar)) as __ltr_row,
                    q.relevance
                from query_table(ltr.__ltr_table(qrels)) as q
            ) as q
            group by q.query_id, q.doc_id
        ) as g
            on g.query_id = t.query_id and g.doc_id = t.doc_id and ties in ('worst', 'best')
        where (select count(t.__ltr_row.rank) = 0 from __ltr_run as t)
            and case
                when (select count(t.__ltr_row.rank) > 0 from __ltr_run as t) then true
                when not list_contains(t.__ltr_present, 'score') then error('a run needs a column rank or score')
                else case
                    when t.__ltr_row.score <= cast('inf' as double) then true
                    else error('a score is NULL or NaN: leave the row out if the document was not retrieved, or give it a score (ltr.check_run shows the rows)')
                end and case
                    when ties in ('row_order', 'rank')
                        and not coalesce(case when ties = 'rank' then t.__ltr_row.rank else t.__ltr_row.row_order end <= cast('inf' as double), false)
                    then error('ties := ''row_order'' and ties := ''rank'' need the column of that name, with a number in each row')
                    else true
                end
            end
    ) as r
    window __ltr_ranking_order as (
        partition by r.__ltr_key
        order by
            case when ties = 'docid_desc_float32' then case when abs(r.score) > 3.4028234663852886e38 then r.score * cast('inf' as double) else cast(r.score as float) end else r.score end desc nulls last,
            case when ties <> 'docid_desc_float32' then case when lower(typeof(r.__ltr_exact_score)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(r.__ltr_exact_score)) like 'decimal%' then r.__ltr_exact_score end end desc nulls last,
            case ties
                when 'worst' then coalesce(r.relevance, 0)
                when 'best' then -coalesce(r.relevance, 0)
                when 'row_order' then r.row_order
                when 'rank' then r.rank
            end asc nulls last,
            case when ties = 'row_order' then case when lower(typeof(r.__ltr_exact_row_order)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(r.__ltr_exact_row_order)) like 'decimal%' then r.__ltr_exact_row_order end end asc nulls last,
            case when ties = 'docid_asc' then cast(r.doc_id as varchar) end asc nulls last,
            case when ties <> 'expected' then cast(r.doc_id as varchar) end desc nulls last
    )
),
__ltr_run_ranked as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        ltr.__ltr_whole_rank(r.__ltr_row.rank) as rank
    from __ltr_run as r
    where (select count(t.__ltr_row.rank) > 0 from __ltr_run as t)
    union all
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.rank
    from __ltr_run_by_score as r
),
__ltr_segments as not materialized (
    select
        q.query_id,
        min(q.__ltr_segments) as __ltr_segments,
min(q.__ltr_shared) as __ltr_shared,
count(distinct q.__ltr_segments) as num_segments
    from (select struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and true)) as __ltr_segments, struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and list_contains((*), '__ltr_also_' || c))) as __ltr_shared, * from (select 0 as __ltr_one, null as __ltr_none, t.*, n.* from query_table(ltr.__ltr_table(qrels)) as t left join (select columns(lambda c: c = '__ltr_none' or list_contains(keys, c)) as '__ltr_also_\0' from (select null as __ltr_none, * from query_table(ltr.__ltr_table(run) || ltr.__ltr_check_ties_docid_desc_docid_asc_docid_desc_float32_row_order_worst_best_expected('judge', ties) || ltr.__ltr_check_missing('judge', missing) || ltr.__ltr_check_unjudged('judge', unjudged))) limit 0) as n on false)) as q
    group by q.query_id
),
__ltr_systems as (
    select
        r.__ltr_system
    from __ltr_run as r
    where case when case when true then 'a' else cast(r.query_id as varchar) end < 'B' or case when true then chr(233) else cast(r.query_id as varchar) end = 'e' or case when true then chr(233) else cast(r.query_id as varchar) end = case when true then 'e' || chr(769) else cast(r.query_id as varchar) end then error('ids are compared by a collation, which may take different ids for one: reset default_collation, or select the columns with collate "C"') else true end and case when case when true then 'a' else cast(r.doc_id as varchar) end < 'B' or case when true then chr(233) else cast(r.doc_id as varchar) end = 'e' or case when true then chr(233) else cast(r.doc_id as varchar) end = case when true then 'e' || chr(769) else cast(r.doc_id as varchar) end then error('ids are compared by a collation, which may take different ids for one: reset default_collation, or select the columns with collate "C"') else true end
    group by r.__ltr_system
    having ltr.__ltr_check_keys(list_concat(['query_id'], struct_keys(r.__ltr_system), (select struct_keys(struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c)))) from (select 0 as __ltr_one) as o left join (from query_table(ltr.__ltr_table(qrels)) limit 0) as q on false)), '', keys)
        and not exists (
            select 1
            from __ltr_segments as q
            left join (
                select distinct
                    r.query_id,
                    r.__ltr_shared
                from __ltr_run as r
                where typeof(r.__ltr_shared) <> typeof(struct_pack(__ltr_one := 0))
            ) as r
                on r.query_id = q.query_id
            where typeof(q.__ltr_segments) <> typeof(struct_pack(__ltr_one := 0))
                and case
                    when q.num_segments > 1
                    then error('the judgments of a query name several segments: give the query its own query_id in each segment, such as segment || query_id')
                    when r.__ltr_shared <> q.__ltr_shared
                    then error('a query has different segments in run and judgments: rename the key in the judgments if it names no segment')
                    else false
                end
        )
),
__ltr_run_queries as (
    select
        r.__ltr_system,
        r.query_id,
        case when (select count(t.__ltr_row.rank) > 0 from __ltr_run as t) then cast(max(case when not (r.__ltr_row.rank < 1 or r.__ltr_row.rank > 1000000000) and r.__ltr_row.rank = floor(r.__ltr_row.rank) then r.__ltr_row.rank end) as bigint) else count(*) end as num_ret
    from __ltr_run as r
    group by r.__ltr_system, r.query_id
),
__ltr_found as (
    select
        r.__ltr_system,
        r.query_id,
        r.doc_id,
        r.rank,
        null as __ltr_segments
    from __ltr_run_ranked as r
    where exists (
        select 1
        from __ltr_judged as q
        where q.query_id = r.query_id and q.doc_id = r.doc_id
    )
    union all
    select
        r.__ltr_system,
        r.query_id,
        r.doc_id,
        r.rank,
        g.__ltr_segments
    from __ltr_run_ranked as r
    join __ltr_segments as g
        on g.query_id = r.query_id
    where (unjudged = 'keep' or ties = 'expected')
        and not exists (
            select 1
            from __ltr_judged as q
            where q.query_id = r.query_id and q.doc_id = r.doc_id
        )
),
__ltr_retrieved as (
    select
        r.__ltr_system,
        r.query_id,
        r.doc_id,
        min(r.rank) as rank,
        min(r.__ltr_segments) as __ltr_segments
    from __ltr_found as r
    group by r.__ltr_system, r.query_id, r.doc_id
    having case when count(*) = 1 then true else ltr.__ltr_reject_duplicate_document() end
)
select
    unnest(coalesce(s.__ltr_system, r.__ltr_system)),
    coalesce(q.query_id, r.query_id) as query_id,
    coalesce(q.doc_id, r.doc_id) as doc_id,
    r.rank,
    columns(lambda c: not (lower(c) in ('query_id', 'doc_id', 'rank', 'num_ret') or starts_with(c, '__ltr_') or coalesce(list_contains(keys, c), false))),
unnest(coalesce(q.__ltr_segments, r.__ltr_segments)),
    coalesce(n.num_ret, 0) as num_ret
from (select struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and true)) as __ltr_segments, struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and list_contains((*), '__ltr_also_' || c))) as __ltr_shared, * from (select 0 as __ltr_one, null as __ltr_none, t.*, n.* from query_table(ltr.__ltr_table(qrels)) as t left join (select columns(lambda c: c = '__ltr_none' or list_contains(keys, c)) as '__ltr_also_\0' from (select null as __ltr_none, * from query_table(ltr.__ltr_table(run) || ltr.__ltr_check_ties_docid_desc_docid_asc_docid_desc_float32_row_order_worst_best_expected('judge', ties) || ltr.__ltr_check_missing('judge', missing) || ltr.__ltr_check_unjudged('judge', unjudged))) limit 0) as n on false)) as q
cross join __ltr_systems as s
full join __ltr_retrieved as r
    on r.query_id = q.query_id and r.doc_id = q.doc_id and r.__ltr_system = s.__ltr_system
left join __ltr_run_queries as n
    on n.query_id = coalesce(q.query_id, r.query_id) and n.__ltr_system = coalesce(s.__ltr_system, r.__ltr_system)
where missing = 'zero' or n.query_id is not null
);
comment on macro table ltr.judge is 'Joins a run with judgments: one row for each judged document of each query, with its rank in the run. Reads run: query_id, doc_id, and rank or score (rank if both exist); qrels: query_id, doc_id, relevance; a key is a column of the run (each system owes all judged queries), or of the judgments (a query belongs to one segment); a duplicate judgment, or a judged document that the run contains twice, is an error. Returns the keys, query_id, doc_id, rank (NULL = not retrieved), relevance (NULL = not judged), the other columns of the judgments, and num_ret (number of documents that the run retrieved for the query). ties: tie-breaking rule for equal scores: ''docid_desc'' sorts by descending doc_id in byte order (trec_eval), ''docid_asc'' by ascending doc_id, ''docid_desc_float32'' by descending doc_id after rounding scores to single precision (trec_eval 9); ''row_order'' and ''rank'' sort by the column of that name, ascending; ''worst'' sorts by ascending grade, ''best'' by descending grade; ''expected'' gives tied documents the first of their ranks, as the expected_ measures require. missing: judged queries missing from the run: ''zero'' scores them 0, ''skip'' leaves them out. unjudged: unjudged retrieved documents: ''drop'' leaves them out; ''keep'' adds a row without relevance for each. Most measures do not need these rows, because num_ret counts them. ties := ''expected'' always keeps them.';

create or replace macro ltr.pair(run_a, run_b, ties := 'docid_desc', keys := []::varchar[]) as table
with __ltr_run_a as not materialized (
    select
        struct_pack(*columns(case when len(list_filter(['query_id', 'doc_id'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'doc_id'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and not list_contains((*), '__ltr_also_' || c))) as __ltr_system,
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and list_contains((*), '__ltr_also_' || c))) as __ltr_shared,
        j.query_id,
        j.doc_id,
        cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'score', 'row_order', '__ltr_one'))) as struct(rank double, score double, row_order double, __ltr_one double)) as __ltr_row,
        list_transform(struct_keys(struct_pack(*columns(lambda c: lower(c) in ('__ltr_one', 'rank', 'score', 'row_order')))), lambda c: lower(c)) as __ltr_present,
        coalesce(*columns(lambda c: lower(c) in ('score', '__ltr_none'))) as __ltr_exact_score,
        coalesce(*columns(lambda c: lower(c) in ('row_order', '__ltr_none'))) as __ltr_exact_row_order
    from (select 0 as __ltr_one, null as __ltr_none, * from query_table(ltr.__ltr_table(run_a) || ltr.__ltr_check_ties_docid_desc_docid_asc_docid_desc_float32_row_order('pair', ties))) as j
),
__ltr_run_a_by_score as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.score,
        case when ties = 'expected' then rank() over __ltr_ranking_order else case
            when rank() over __ltr_ranking_order = count(*) over __ltr_ranking_order then rank() over __ltr_ranking_order
            else error('two rows of a query are tied after tie-breaking: give each document its own doc_id, or add a column row_order and set ties := ''row_order''')
        end end as rank
    from (
        select
            t.__ltr_key, t.__ltr_system, t.query_id,
            t.doc_id,
            t.__ltr_row.score as score,
            t.__ltr_exact_score,
            t.__ltr_exact_row_order,
            t.__ltr_row.row_order as row_order,
            t.__ltr_row.rank as rank,
            cast(null as double) as relevance
        from __ltr_run_a as t
        where (select count(t.__ltr_row.rank) = 0 from __ltr_run_a as t)
            and case
                when (select count(t.__ltr_row.rank) > 0 from __ltr_run_a as t) then true
                when not list_contains(t.__ltr_present, 'score') then error('a run needs a column rank or score')
                else case
                    when t.__ltr_row.score <= cast('inf' as double) then true
                    else error('a score is NULL or NaN: leave the row out if the document was not retrieved, or give it a score (ltr.check_run shows the rows)')
                end and case
                    when ties in ('row_order', 'rank')
                        and not coalesce(case when ties = 'rank' then t.__ltr_row.rank else t.__ltr_row.row_order end <= cast('inf' as double), false)
                    then error('ties := ''row_order'' and ties := ''rank'' need the column of that name, with a number in each row')
                    else true
                end
            end
    ) as r
    window __ltr_ranking_order as (
        partition by r.__ltr_key
        order by
            case when ties = 'docid_desc_float32' then case when abs(r.score) > 3.4028234663852886e38 then r.score * cast('inf' as double) else cast(r.score as float) end else r.score end desc nulls last,
            case when ties <> 'docid_desc_float32' then case when lower(typeof(r.__ltr_exact_score)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(r.__ltr_exact_score)) like 'decimal%' then r.__ltr_exact_score end end desc nulls last,
            case ties
                when 'worst' then coalesce(r.relevance, 0)
                when 'best' then -coalesce(r.relevance, 0)
                when 'row_order' then r.row_order
                when 'rank' then r.rank
            end asc nulls last,
            case when ties = 'row_order' then case when lower(typeof(r.__ltr_exact_row_order)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(r.__ltr_exact_row_order)) like 'decimal%' then r.__ltr_exact_row_order end end asc nulls last,
            case when ties = 'docid_asc' then cast(r.doc_id as varchar) end asc nulls last,
            case when ties <> 'expected' then cast(r.doc_id as varchar) end desc nulls last
    )
),
__ltr_run_a_ranked as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.__ltr_row.score as score,
        ltr.__ltr_whole_rank(r.__ltr_row.rank) as rank
    from __ltr_run_a as r
    where (select count(t.__ltr_row.rank) > 0 from __ltr_run_a as t)
    union all
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.score,
        r.rank
    from __ltr_run_a_by_score as r
),
__ltr_run_b as not materialized (
    select
        struct_pack(*columns(case when len(list_filter(['query_id', 'doc_id'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'doc_id'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and not list_contains((*), '__ltr_also_' || c))) as __ltr_system,
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and list_contains((*), '__ltr_also_' || c))) as __ltr_shared,
        j.query_id,
        j.doc_id,
        cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'score', 'row_order', '__ltr_one'))) as struct(rank double, score double, row_order double, __ltr_one double)) as __ltr_row,
        list_transform(struct_keys(struct_pack(*columns(lambda c: lower(c) in ('__ltr_one', 'rank', 'score', 'row_order')))), lambda c: lower(c)) as __ltr_present,
        coalesce(*columns(lambda c: lower(c) in ('score', '__ltr_none'))) as __ltr_exact_score,
        coalesce(*columns(lambda c: lower(c) in ('row_order', '__ltr_none'))) as __ltr_exact_row_order
    from (select 0 as __ltr_one, null as __ltr_none, * from query_table(ltr.__ltr_table(run_b))) as j
),
__ltr_run_b_by_score as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.score,
        case when ties = 'expected' then rank() over __ltr_ranking_order else case
            when rank() over __ltr_ranking_order = count(*) over __ltr_ranking_order then rank() over __ltr_ranking_order
            else error('two rows of a query are tied after tie-breaking: give each document its own doc_id, or add a column row_order and set ties := ''row_order''')
        end end as rank
    from (
        select
            t.__ltr_key, t.__ltr_system, t.query_id,
            t.doc_id,
            t.__ltr_row.score as score,
            t.__ltr_exact_score,
            t.__ltr_exact_row_order,
            t.__ltr_row.row_order as row_order,
            t.__ltr_row.rank as rank,
            cast(null as double) as relevance
        from __ltr_run_b as t
        where (select count(t.__ltr_row.rank) = 0 from __ltr_run_b as t)
            and case
                when (select count(t.__ltr_row.rank) > 0 from __ltr_run_b as t) then true
                when not list_contains(t.__ltr_present, 'score') then error('a run needs a column rank or score')
                else case
                    when t.__ltr_row.score <= cast('inf' as double) then true
                    else error('a score is NULL or NaN: leave the row out if the document was not retrieved, or give it a score (ltr.check_run shows the rows)')
                end and case
                    when ties in ('row_order', 'rank')
                        and not coalesce(case when ties = 'rank' then t.__ltr_row.rank else t.__ltr_row.row_order end <= cast('inf' as double), false)
                    then error('ties := ''row_order'' and ties := ''rank'' need the column of that name, with a number in each row')
                    else true
                end
            end
    ) as r
    window __ltr_ranking_order as (
        partition by r.__ltr_key
        order by
            case when ties = 'docid_desc_float32' then case when abs(r.score) > 3.4028234663852886e38 then r.score * cast('inf' as double) else cast(r.score as float) end else r.score end desc nulls last,
            case when ties <> 'docid_desc_float32' then case when lower(typeof(r.__ltr_exact_score)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(r.__ltr_exact_score)) like 'decimal%' then r.__ltr_exact_score end end desc nulls last,
            case ties
                when 'worst' then coalesce(r.relevance, 0)
                when 'best' then -coalesce(r.relevance, 0)
                when 'row_order' then r.row_order
                when 'rank' then r.rank
            end asc nulls last,
            case when ties = 'row_order' then case when lower(typeof(r.__ltr_exact_row_order)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(r.__ltr_exact_row_order)) like 'decimal%' then r.__ltr_exact_row_order end end asc nulls last,
            case when ties = 'docid_asc' then cast(r.doc_id as varchar) end asc nulls last,
            case when ties <> 'expected' then cast(r.doc_id as varchar) end desc nulls last
    )
),
__ltr_run_b_ranked as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.__ltr_row.score as score,
        ltr.__ltr_whole_rank(r.__ltr_row.rank) as rank
    from __ltr_run_b as r
    where (select count(t.__ltr_row.rank) > 0 from __ltr_run_b as t)
    union all
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.score,
        r.rank
    from __ltr_run_b_by_score as r
),
__ltr_pairs as (
    select
        coalesce(a.__ltr_key, b.__ltr_key) as __ltr_key,
        coalesce(a.doc_id, b.doc_id) as doc_id,
        a.rank as rank_a,
        b.rank as rank_b,
        a.score as score_a,
        b.score as score_b,
        case when a.doc_id is null or b.doc_id is null then coalesce(a.doc_id, b.doc_id) end as __ltr_alone
    from __ltr_run_a_ranked as a
    full join __ltr_run_b_ranked as b
        on a.__ltr_key is not distinct from b.__ltr_key and a.doc_id = b.doc_id
    where (a.doc_id is null or ltr.__ltr_check_keys(struct_keys(a.__ltr_key), a.__ltr_key.query_id, keys) and case when case when true then 'a' else cast(a.doc_id as varchar) end < 'B' or case when true then chr(233) else cast(a.doc_id as varchar) end = 'e' or case when true then chr(233) else cast(a.doc_id as varchar) end = case when true then 'e' || chr(769) else cast(a.doc_id as varchar) end then error('ids are compared by a collation, which may take different ids for one: reset default_collation, or select the columns with collate "C"') else true end)
        and (b.doc_id is null or ltr.__ltr_check_keys(struct_keys(b.__ltr_key), b.__ltr_key.query_id, keys) and case when case when true then 'a' else cast(b.doc_id as varchar) end < 'B' or case when true then chr(233) else cast(b.doc_id as varchar) end = 'e' or case when true then chr(233) else cast(b.doc_id as varchar) end = case when true then 'e' || chr(769) else cast(b.doc_id as varchar) end then error('ids are compared by a collation, which may take different ids for one: reset default_collation, or select the columns with collate "C"') else true end)
)
select
    unnest(p.__ltr_key),
    p.doc_id,
    p.rank_a,
    p.rank_b,
    p.score_a,
    p.score_b
from __ltr_pairs as p
where case
    when (select count(r.rank_a) from __ltr_pairs as r) > (select count(*) from query_table(ltr.__ltr_table(run_a) || ltr.__ltr_check_ties_docid_desc_docid_asc_docid_desc_float32_row_order('pair', ties)) as r)
        or (select count(r.rank_b) from __ltr_pairs as r) > (select count(*) from query_table(ltr.__ltr_table(run_b)) as r)
        or exists (
            select 1
            from __ltr_pairs as r
            where r.__ltr_alone is not null
            group by r.__ltr_key, r.__ltr_alone
            having count(*) > 1
        )
    then ltr.__ltr_reject_duplicate_document()
    else true
end;
comment on macro table ltr.pair is 'Pairs two runs: one row for each document of each query that either run retrieved, with its rank and score in both. Reads query_id, doc_id, keys, and rank or score (rank if both exist); a duplicate document in a run is an error. Returns the keys, query_id, doc_id, rank_a, rank_b (NULL = not in that run), score_a, score_b (NULL also if the run has no column score). ties: tie-breaking rule for equal scores: ''docid_desc'' sorts by descending doc_id in byte order (trec_eval), ''docid_asc'' by ascending doc_id, ''docid_desc_float32'' by descending doc_id after rounding scores to single precision (trec_eval 9); ''row_order'' and ''rank'' sort by the column of that name, ascending; ''worst'' sorts by ascending grade, ''best'' by descending grade; ''expected'' gives tied documents the first of their ranks, as the expected_ measures require.';

create or replace macro ltr.pair_with_ideal(rankings, keys := []::varchar[]) as table
with __ltr_rankings as (
    select
        struct_pack(*columns(case when len(list_filter(['query_id', 'rank', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'rank', 'relevance'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
        j.*
    from query_table(ltr.__ltr_table(rankings)) as j
)
select
    columns(lambda c: lower(c) not in ('rank', 'rank_a', 'rank_b') and not starts_with(c, '__ltr_')),
    r.rank as rank_a,
    rank() over (partition by r.__ltr_key order by r.relevance desc nulls last) as rank_b
from __ltr_rankings as r
where r.relevance is not null and ltr.__ltr_check_keys(struct_keys(r.__ltr_key), r.__ltr_key.query_id, keys);
comment on macro table ltr.pair_with_ideal is 'Pairs a ranking with its ideal order: the judged documents of the query by descending relevance, where equal grades share a rank. Reads query_id, rank, relevance, keys; unjudged documents are left out. Returns the other columns of the input, rank_a (the rank), rank_b (1 + number of judged documents with a higher grade).';

create or replace macro ltr.rank_by_score(scored, ties := 'docid_desc', keys := []::varchar[]) as table
with __ltr_scored as (
    select
        struct_pack(*columns(case when len(list_filter(['query_id', 'score'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter(['query_id', 'score'], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), ', ') || ' (the input has ' || array_to_string(list_filter((*), lambda c: not starts_with(c, '__ltr_')), ', ') || '; rename the column that holds it, or select it under that name)'] else list_filter((*), lambda c: lower(c) = 'query_id' or list_contains(keys, c)) end)) as __ltr_key,
        cast(struct_pack(*columns(lambda c: lower(c) in ('score', 'doc_id', 'relevance', 'row_order', 'rank'))) as struct(score double, doc_id varchar, relevance double, row_order double, rank double)) as __ltr_row,
        list_transform(struct_keys(struct_pack(*columns(lambda c: lower(c) in ('score', 'doc_id', 'relevance', 'row_order', 'rank')))), lambda c: lower(c)) as __ltr_present,
        coalesce(*columns(lambda c: lower(c) in ('score', '__ltr_none'))) as __ltr_exact_score,
        coalesce(*columns(lambda c: lower(c) in ('row_order', '__ltr_none'))) as __ltr_exact_row_order,
        j.*
    from (select 0 as __ltr_one, null as __ltr_none, * from query_table(ltr.__ltr_table(scored) || ltr.__ltr_check_ties('rank_by_score', ties))) as j
)
select
    columns(lambda c: lower(c) not in ('rank') and not starts_with(c, '__ltr_')),
    case when ties = 'expected' then rank() over __ltr_ranking_order else case
        when rank() over __ltr_ranking_order = count(*) over __ltr_ranking_order then rank() over __ltr_ranking_order
        else error('two rows of a query are tied after tie-breaking: give each document its own doc_id, or add a column row_order and set ties := ''row_order''')
    end end as rank
from __ltr_scored as s
where case
    when s.__ltr_row.score <= cast('inf' as double) then true
    else error('a score is NULL or NaN: leave the row out if the document was not retrieved, or give it a score (ltr.check_run shows the rows)')
end
    and ltr.__ltr_check_keys(struct_keys(s.__ltr_key), s.__ltr_key.query_id, keys)
    and case
        when ties in ('row_order', 'rank')
            and not coalesce(case when ties = 'rank' then s.__ltr_row.rank else s.__ltr_row.row_order end <= cast('inf' as double), false)
        then error('ties := ''row_order'' and ties := ''rank'' need the column of that name, with a number in each row')
        when ties in ('worst', 'best') and not list_contains(s.__ltr_present, 'relevance')
        then error('ties := ''worst'' and ties := ''best'' need a column relevance')
        else true
    end
window __ltr_ranking_order as (
    partition by s.__ltr_key
    order by
        case when ties = 'docid_desc_float32' then case when abs(s.__ltr_row.score) > 3.4028234663852886e38 then s.__ltr_row.score * cast('inf' as double) else cast(s.__ltr_row.score as float) end else s.__ltr_row.score end desc nulls last,
        case when ties <> 'docid_desc_float32' then case when lower(typeof(s.__ltr_exact_score)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(s.__ltr_exact_score)) like 'decimal%' then s.__ltr_exact_score end end desc nulls last,
        case ties
            when 'worst' then coalesce(s.__ltr_row.relevance, 0)
            when 'best' then -coalesce(s.__ltr_row.relevance, 0)
            when 'row_order' then s.__ltr_row.row_order
            when 'rank' then s.__ltr_row.rank
        end asc nulls last,
        case when ties = 'row_order' then case when lower(typeof(s.__ltr_exact_row_order)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(s.__ltr_exact_row_order)) like 'decimal%' then s.__ltr_exact_row_order end end asc nulls last,
        case when ties = 'docid_asc' then cast(s.__ltr_row.doc_id as varchar) end asc nulls last,
        case when ties <> 'expected' then cast(s.__ltr_row.doc_id as varchar) end desc nulls last
);
comment on macro table ltr.rank_by_score is 'Ranks the rows of each query by descending score. Reads query_id, score, keys, and the column that the tie-breaking rule needs: doc_id, relevance, row_order or rank. Returns the columns of the input, and rank. ties: tie-breaking rule for equal scores: ''docid_desc'' sorts by descending doc_id in byte order (trec_eval), ''docid_asc'' by ascending doc_id, ''docid_desc_float32'' by descending doc_id after rounding scores to single precision (trec_eval 9); ''row_order'' and ''rank'' sort by the column of that name, ascending; ''worst'' sorts by ascending grade, ''best'' by descending grade; ''expected'' gives tied documents the first of their ranks, as the expected_ measures require.';

create or replace macro ltr.alpha_dcg(rankings, k := null, alpha := 0.5, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_covers(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('alpha_dcg', k)
        and ltr.__ltr_check_alpha('alpha_dcg', alpha)
        and ltr.__ltr_check_rel('alpha_dcg', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries(rankings, keys)
    where ltr.__ltr_check_k('alpha_dcg', k)
        and ltr.__ltr_check_alpha('alpha_dcg', alpha)
        and ltr.__ltr_check_rel('alpha_dcg', rel)
),
__ltr_coverage as (
    select
        r.__ltr_key,
        r.doc_id,
        r.rank,
        r.subtopic,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above
    from __ltr_rankings as r
    where r.relevance >= cast(rel as double) and r.subtopic is not null
),
__ltr_by_coverage as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then power(1e0 - cast(alpha as double), d.__ltr_times_covered_above) * 1e0 / log2(d.rank + 1) else 0e0 end)
        / (count(distinct d.subtopic) * (select sum(power(1e0 - cast(alpha as double), n.rank - 1) * 1e0 / log2(n.rank + 1)) from (select unnest(range(1, cast(k as bigint) + 1)) as rank) as n)) as alpha_dcg
    from __ltr_coverage as d
    group by d.__ltr_key
    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
)
select
    unnest(q.__ltr_key),
    coalesce(coverage.alpha_dcg, 0.0e0) as alpha_dcg
from __ltr_queries as q
left join __ltr_by_coverage as coverage
    on coverage.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.alpha_dcg is 'DCG for diversity. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain. alpha_DCG = (sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / log2(i + 1)) / (|subtopics| sum over i <= k of (1 - alpha)^(i - 1) / log2(i + 1)). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. alpha: each document above that covers a subtopic reduces the gain of that subtopic by this share. rel: smallest grade that counts as relevant. Clarke et al. 2008, Novelty and diversity in information retrieval evaluation; ndeval alpha-DCG, which is not normalised at k = 1.';

create or replace macro ltr.alpha_ndcg(rankings, k := null, alpha := 0.5, rel := 1, keys := []::varchar[]) as table
with recursive __ltr_rankings as not materialized (
    from ltr.__ltr_covers(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('alpha_ndcg', k)
        and ltr.__ltr_check_alpha('alpha_ndcg', alpha)
        and ltr.__ltr_check_rel('alpha_ndcg', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries(rankings, keys)
    where ltr.__ltr_check_k_or_null('alpha_ndcg', k)
        and ltr.__ltr_check_alpha('alpha_ndcg', alpha)
        and ltr.__ltr_check_rel('alpha_ndcg', rel)
),
__ltr_covers as (
    select
        r.__ltr_key,
        cast(r.doc_id as varchar) as doc_id,
        r.rank,
        r.subtopic
    from __ltr_rankings as r
    where r.relevance >= cast(rel as double) and r.subtopic is not null
),
__ltr_greedy as (
    select
        c.__ltr_key,
        c.doc_id,
        c.subtopic,
        0 as covered,
        0 as position,
        false as chosen
    from __ltr_covers as c
    union all
    select
        s.__ltr_key,
        s.doc_id,
        s.subtopic,
        s.covered + max(case when s.doc_id = s.best_doc_id then 1 else 0 end) over (partition by s.__ltr_key, s.subtopic) as covered,
        s.position + 1 as position,
        s.doc_id = s.best_doc_id as chosen
    from (
        select
            n.__ltr_key,
            n.doc_id,
            n.subtopic,
            n.covered,
            n.position,
            first_value(n.doc_id) over (partition by n.__ltr_key order by n.novelty desc nulls last, n.doc_id desc nulls last) as best_doc_id
        from (
            select
                g.__ltr_key,
                g.doc_id,
                g.subtopic,
                g.covered,
                g.position,
                round(sum(power(1e0 - cast(alpha as double), g.covered)) over (partition by g.__ltr_key, g.doc_id), 12) as novelty
            from __ltr_greedy as g
            where not g.chosen and (g.position + 1) <= coalesce(k, (g.position + 1))
        ) as n
    ) as s
),
__ltr_ideal as (
    select
        g.__ltr_key,
        g.doc_id,
        g.position
    from __ltr_greedy as g
    where g.chosen
    group by g.__ltr_key, g.doc_id, g.position
),
__ltr_covers_with_ideal_rank as (
    select
        c.__ltr_key,
        c.doc_id,
        c.rank,
        c.subtopic,
        i.position as ideal_rank
    from __ltr_covers as c
    left join __ltr_ideal as i
        on i.__ltr_key is not distinct from c.__ltr_key and i.doc_id = c.doc_id
),
__ltr_subtopics as (
    select
        r.__ltr_key,
        r.doc_id,
        r.rank,
        r.subtopic,
        r.ideal_rank,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.ideal_rank asc nulls last) - 1 as __ltr_times_covered_above_in_ideal
    from __ltr_covers_with_ideal_rank as r
),
__ltr_by_subtopics as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then power(1e0 - cast(alpha as double), d.__ltr_times_covered_above) * 1e0 / log2(d.rank + 1) else 0e0 end)
        / nullif(sum(case when d.ideal_rank <= coalesce(k, d.ideal_rank) then power(1e0 - cast(alpha as double), d.__ltr_times_covered_above_in_ideal) * 1e0 / log2(d.ideal_rank + 1) else 0e0 end), 0) as alpha_ndcg
    from __ltr_subtopics as d
    group by d.__ltr_key
    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
)
select
    unnest(q.__ltr_key),
    coalesce(subtopics.alpha_ndcg, 0.0e0) as alpha_ndcg
from __ltr_queries as q
left join __ltr_by_subtopics as subtopics
    on subtopics.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.alpha_ndcg is 'nDCG for diversity. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain. alpha_nDCG = A / A of the greedy ideal ranking, A = sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / log2(i + 1). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. alpha: each document above that covers a subtopic reduces the gain of that subtopic by this share. rel: smallest grade that counts as relevant. Clarke et al. 2008, Novelty and diversity in information retrieval evaluation; ndeval alpha-nDCG.';

create or replace macro ltr.ap(rankings, k := null, rel := 1, divisor := 'relevant', empty := '0', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_divisor('ap', divisor) || ltr.__ltr_check_empty('ap', empty), keys)
    where ltr.__ltr_check_k_or_null('ap', k)
        and ltr.__ltr_check_rel('ap', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('ap', k)
        and ltr.__ltr_check_rel('ap', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then d.__ltr_relevant_so_far / d.rank else 0e0 end)
        / nullif(case divisor when 'relevant' then (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) when 'reachable' then case when k < (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) then k else (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) end when 'found' then case when (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) > 0 then (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) else (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) end end, 0) as ap
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.ap, case empty when '0' then 0e0 when '1' then 1e0 end) as ap
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.ap is 'Average precision: the sum of the precision at each relevant document of the top k, divided by the number of relevant documents. The parameter divisor chooses another divisor. AP = (1 / divisor) sum over relevant documents of rank i <= k of |relevant with rank <= i| / i, divisor = |relevant|, min(k, |relevant|) or |relevant in top k|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. divisor: divisor of the sum: ''relevant'' is |relevant|, ''reachable'' is min(k, |relevant|), ''found'' is |relevant in top k|. empty: value of a query without relevant documents; ''skip'' returns NULL and leaves the query out of the mean. Harman 1992, Evaluation issues in information retrieval; trec_eval map, map_cut.';

create or replace macro ltr.ap_ia(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_covers(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('ap_ia', k)
        and ltr.__ltr_check_rel('ap_ia', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries(rankings, keys)
    where ltr.__ltr_check_k_or_null('ap_ia', k)
        and ltr.__ltr_check_rel('ap_ia', rel)
),
__ltr_coverage as (
    select
        r.__ltr_key,
        r.doc_id,
        r.rank,
        r.subtopic,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above,
        count(*) over (partition by r.__ltr_key, r.subtopic) as __ltr_documents_of_subtopic
    from __ltr_rankings as r
    where r.relevance >= cast(rel as double) and r.subtopic is not null
),
__ltr_by_coverage as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then (d.__ltr_times_covered_above + 1) / d.rank / d.__ltr_documents_of_subtopic else 0e0 end)
        / count(distinct d.subtopic) as ap_ia
    from __ltr_coverage as d
    group by d.__ltr_key
    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
)
select
    unnest(q.__ltr_key),
    coalesce(coverage.ap_ia, 0.0e0) as ap_ia
from __ltr_queries as q
left join __ltr_by_coverage as coverage
    on coverage.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.ap_ia is 'Intent-aware average precision: AP for each subtopic, averaged over the subtopics. AP_IA = (1 / |subtopics|) sum over subtopics s of AP@k with the documents that cover s as relevant. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. Agrawal et al. 2009, Diversifying search results; ndeval MAP-IA.';

create or replace macro ltr.arelpos(rankings, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank is not null and d.relevance > 0 then d.rank * d.relevance else 0e0 end)
        / nullif((sum(case when d.rank is not null and d.relevance > 0 then d.relevance else 0e0 end)), 0) as arelpos
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    documents.arelpos as arelpos
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.arelpos is 'Average relevance position: the mean rank of the retrieved documents, weighted by grade. ARelPos = (sum over ranks i of i relevance) / (sum of relevance) over retrieved documents; NULL if nothing relevant was retrieved. TF-Ranking ARPMetric.';

create or replace macro ltr.auc(rankings, rel := 1, empty := 'skip', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_empty('auc', empty), keys)
    where ltr.__ltr_check_rel('auc', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('auc', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= 0 and r.relevance < cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_nonrelevant_through_rank,
        sum(case when r.relevance >= 0 and r.relevance < cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as __ltr_nonrelevant_at_rank
    from __ltr_rankings as r
    where r.relevance is not null
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        1 - (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then d.__ltr_nonrelevant_through_rank - 0.5e0 * d.__ltr_nonrelevant_at_rank else 0e0 end)
        / nullif((sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) * sum(case when d.rank is not null and d.relevance >= 0 and d.relevance < cast(rel as double) then 1e0 else 0e0 end), 0)) as auc
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.auc, case empty when '0' then 0e0 when '1' then 1e0 end) as auc
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.auc is 'Area under the ROC curve: the share of (relevant, nonrelevant) document pairs that the ranking orders correctly. Only judged, retrieved documents count; a tie counts half. AUC = (pairs with the relevant document above + pairs at one rank / 2) / pairs; NULL without pairs. rel: smallest grade that counts as relevant. empty: value of a query without pairs; ''skip'' returns NULL and leaves the query out of the mean. Hanley and McNeil 1982, The meaning and use of the area under a ROC curve; CatBoost QueryAUC type=Classic.';

create or replace macro ltr.auprc(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('auprc', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('auprc', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_relevant_through_rank,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as __ltr_relevant_at_rank,
        count(*) over (partition by r.__ltr_key, r.rank) as __ltr_documents_at_rank
    from __ltr_rankings as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank is not null and d.relevance >= cast(rel as double) then (d.__ltr_relevant_through_rank / (d.rank + d.__ltr_documents_at_rank - 1) + case when d.rank > 1 then (d.__ltr_relevant_through_rank - d.__ltr_relevant_at_rank) / (d.rank - 1) else 1e0 end) / 2 else 0e0 end)
        / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0) as auprc
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, d.num_ret)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.auprc, 0.0e0) as auprc
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.auprc is 'Area under the precision-recall curve by the trapezoidal rule. It is usually larger than AP. Tied documents count together. The precision at recall 0 is 1. Every retrieved document needs a row, judged or not. AUPRC = sum over ranks of (recall at the rank - recall above it) (precision at the rank + precision above it) / 2, where tied documents all take the last of their positions. rel: smallest grade that counts as relevant. Davis and Goadrich 2006, The relationship between precision-recall and ROC curves; scikit-learn auc of precision_recall_curve.';

create or replace macro ltr.average_gain(rankings, k := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('average_gain', k)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('average_gain', k)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance > 0 then d.relevance else 0e0 end)) / nullif((coalesce(case when k < max(d.num_ret) then k else max(d.num_ret) end, 0)), 0) as average_gain
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.average_gain, 0.0e0) as average_gain
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.average_gain is 'Mean grade of the top k, or of all retrieved documents if there are fewer. AverageGain = CG@k / min(k, n), n = |retrieved|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. CatBoost AverageGain, QueryAverage.';

create or replace macro ltr.average_overlap(pairs, k := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs), keys)
    where ltr.__ltr_check_k_or_null('average_overlap', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('average_overlap', k)
),
__ltr_in_tops as (
    select
        r.__ltr_key,
        ceil(r.rank_a) as rank_a,
        ceil(r.rank_b) as rank_b,
        row_number() over (partition by r.__ltr_key order by r.rank_a asc nulls last, r.rank_b asc nulls last) as position,
        coalesce(k, ceil(max(case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end) over (partition by r.__ltr_key))) as last
    from (
        select
            p.__ltr_key,
            case when p.rank_a <= coalesce(k, p.rank_a) then case when p.rank_a < 1 or p.rank_a > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_a end end as rank_a,
            case when p.rank_b <= coalesce(k, p.rank_b) then case when p.rank_b < 1 or p.rank_b > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_b end end as rank_b
        from __ltr_paired as p
    ) as r
    where r.rank_a is not null or r.rank_b is not null
),
__ltr_entries as (
    select
        r.__ltr_key,
        r.last,
        r.position as depth,
        0 as in_a,
        0 as in_b,
        0 as in_both
    from __ltr_in_tops as r
    where r.position <= r.last
    union all
    select
        r.__ltr_key,
        r.last,
        r.rank_a as depth,
        1 as in_a,
        0 as in_b,
        0 as in_both
    from __ltr_in_tops as r
    where r.rank_a is not null
    union all
    select
        r.__ltr_key,
        r.last,
        r.rank_b as depth,
        0 as in_a,
        1 as in_b,
        0 as in_both
    from __ltr_in_tops as r
    where r.rank_b is not null
    union all
    select
        r.__ltr_key,
        r.last,
        case when r.rank_a > r.rank_b then r.rank_a else r.rank_b end as depth,
        0 as in_a,
        0 as in_b,
        1 as in_both
    from __ltr_in_tops as r
    where r.rank_a is not null and r.rank_b is not null
),
__ltr_tops as (
    select
        r.__ltr_key,
        r.last,
        1e0 * r.depth as depth,
        1e0 * sum(r.in_a) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as size_a,
        1e0 * sum(r.in_b) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as size_b,
        1e0 * sum(r.in_both) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as overlap,
        coalesce(min(r.depth) over (partition by r.__ltr_key order by r.depth asc nulls last rows between 1 following and 1 following) - 1, r.last) as until
    from (
        select
            t.__ltr_key,
            t.last,
            t.depth,
            sum(t.in_a) as in_a,
            sum(t.in_b) as in_b,
            sum(t.in_both) as in_both
        from __ltr_entries as t
        group by t.__ltr_key, t.last, t.depth
    ) as r
),
__ltr_by_depth_overlap as (
    select
        d.__ltr_key,
        sum(d.overlap * case when d.until > d.depth then (ln((d.until + 16.5e0)) + 1 / (24 * power((d.until + 16.5e0), 2)) - 7 / (960 * power((d.until + 16.5e0), 4)) + 31 / (8064 * power((d.until + 16.5e0), 6)) - 127 / (30720 * power((d.until + 16.5e0), 8)) - 1e0 / (d.until + 1) - 1e0 / (d.until + 2) - 1e0 / (d.until + 3) - 1e0 / (d.until + 4) - 1e0 / (d.until + 5) - 1e0 / (d.until + 6) - 1e0 / (d.until + 7) - 1e0 / (d.until + 8) - 1e0 / (d.until + 9) - 1e0 / (d.until + 10) - 1e0 / (d.until + 11) - 1e0 / (d.until + 12) - 1e0 / (d.until + 13) - 1e0 / (d.until + 14) - 1e0 / (d.until + 15) - 1e0 / (d.until + 16) - (ln(((d.depth - 1) + 16.5e0)) + 1 / (24 * power(((d.depth - 1) + 16.5e0), 2)) - 7 / (960 * power(((d.depth - 1) + 16.5e0), 4)) + 31 / (8064 * power(((d.depth - 1) + 16.5e0), 6)) - 127 / (30720 * power(((d.depth - 1) + 16.5e0), 8)) - 1e0 / ((d.depth - 1) + 1) - 1e0 / ((d.depth - 1) + 2) - 1e0 / ((d.depth - 1) + 3) - 1e0 / ((d.depth - 1) + 4) - 1e0 / ((d.depth - 1) + 5) - 1e0 / ((d.depth - 1) + 6) - 1e0 / ((d.depth - 1) + 7) - 1e0 / ((d.depth - 1) + 8) - 1e0 / ((d.depth - 1) + 9) - 1e0 / ((d.depth - 1) + 10) - 1e0 / ((d.depth - 1) + 11) - 1e0 / ((d.depth - 1) + 12) - 1e0 / ((d.depth - 1) + 13) - 1e0 / ((d.depth - 1) + 14) - 1e0 / ((d.depth - 1) + 15) - 1e0 / ((d.depth - 1) + 16))) else 1 / ((case when d.depth > d.size_a then d.depth else d.size_a end + case when d.depth > d.size_b then d.depth else d.size_b end) / 2e0) end / d.last) as average_overlap
    from __ltr_tops as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    depth_overlap.average_overlap as average_overlap
from __ltr_queries as q
left join __ltr_by_depth_overlap as depth_overlap
    on depth_overlap.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.average_overlap is 'Average overlap: the overlap of the top d of two rankings, averaged over the depths d <= k. Tied documents are all in the top d if their rank is at most d. AverageOverlap = (1 / k) sum over d <= k of |in both top d| / size_d, size_d = mean of max(d, |top d of a|) and max(d, |top d of b|) (d without ties). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. Fagin, Kumar and Sivakumar 2003, Comparing top k lists; Wu and Crestani 2003; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap.';

create or replace macro ltr.bin_g(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('bin_g', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('bin_g', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1 / log2(case when 2e0 > 2 + d.rank - d.__ltr_relevant_so_far then 2e0 else 2 + d.rank - d.__ltr_relevant_so_far end) else 0e0 end)
        / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0) as bin_g
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.bin_g, 0.0e0) as bin_g
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.bin_g is 'Binary G: discounts each relevant document by the number of other documents above it that are not relevant. BinG = (1 / |relevant|) sum over relevant documents of rank i of 1 / log2(2 + i - |relevant in top i|). rel: smallest grade that counts as relevant. trec_eval binG.';

create or replace macro ltr.bpm(rankings, k := null, T := 1, min_rel := 0, max_rel := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('bpm', k)
        and ltr.__ltr_check_T('bpm', T)
        and ltr.__ltr_check_min_rel('bpm', min_rel)
        and ltr.__ltr_check_max_rel('bpm', max_rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('bpm', k)
        and ltr.__ltr_check_T('bpm', T)
        and ltr.__ltr_check_min_rel('bpm', min_rel)
        and ltr.__ltr_check_max_rel('bpm', max_rel)
),
__ltr_all_ranks as (
    select unnest(range(1, cast(k as bigint) + 1)) as rank
),
__ltr_gains as (
    select
        r.__ltr_key,
        r.rank,
        case
            when cast(max_rel as double) is null then r.relevance
            when cast(max_rel as double) <= cast(min_rel as double) then error('max_rel must be larger than min_rel')
            when r.relevance >= cast(max_rel as double) then 1e0
            else (r.relevance - cast(min_rel as double)) / (1e0 * cast(max_rel as double) - cast(min_rel as double))
        end as gain
    from __ltr_rankings as r
    where r.relevance > coalesce(cast(min_rel as double), 0)
),
__ltr_ranks as (
    select
        r.__ltr_key,
        r.rank,
        r.gain,
        exp(coalesce(sum(ln(case when case when r.gain_so_far < cast(T as double) then 1e0 else 0e0 end > 1e-300 then case when r.gain_so_far < cast(T as double) then 1e0 else 0e0 end else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_bpm
    from (
        select
            q.__ltr_key,
            n.rank,
            coalesce(g.gain, 0e0) as gain,
            sum(coalesce(g.gain, 0e0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
        from (
            select
                g.__ltr_key
            from __ltr_gains as g
            group by g.__ltr_key
            having ltr.__ltr_validate_ranks(g.rank, g.gain, false, null)
        ) as q
        cross join __ltr_all_ranks as n
        left join __ltr_gains as g
            on g.__ltr_key is not distinct from q.__ltr_key and g.rank = n.rank
    ) as r
),
__ltr_by_ranks as (
    select
        d.__ltr_key,
        sum(case when d.rank <= k then d.__ltr_view_probability_bpm * d.gain else 0e0 end) / sum(case when d.rank <= k then d.__ltr_view_probability_bpm else 0e0 end) as bpm
    from __ltr_ranks as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(ranks.bpm, 0.0e0) as bpm
from __ltr_queries as q
left join __ltr_by_ranks as ranks
    on ranks.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.bpm is 'Static bejeweled player model: the mean gain of the ranks viewed by a user who stops at a total gain of T or after k ranks. BPM = (gain of ranks 1 to m) / m, m = first rank with a total gain of at least T, or k if there is none. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. T: total gain that the user wants. min_rel: largest grade with gain 0; grades from min_rel to max_rel are rescaled to gains from 0 to 1. max_rel: smallest grade with gain 1. Zhang et al. 2017, Evaluating web search with a bejeweled player model; cwl_eval BPM-Static.';

create or replace macro ltr.bpref(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('bpref', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('bpref', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= 0 and r.relevance < cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_nonrelevant_so_far,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query,
        sum(case when r.relevance >= 0 and r.relevance < cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_nonrelevant_of_query
    from __ltr_rankings as r
    where r.relevance is not null
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1 - coalesce(case when d.__ltr_nonrelevant_so_far < d.__ltr_relevant_of_query then d.__ltr_nonrelevant_so_far else d.__ltr_relevant_of_query end / nullif(case when d.__ltr_nonrelevant_of_query < d.__ltr_relevant_of_query then d.__ltr_nonrelevant_of_query else d.__ltr_relevant_of_query end, 0), 0) else 0e0 end)
        / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0) as bpref
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.bpref, 0.0e0) as bpref
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.bpref is 'Binary preference: penalises judged nonrelevant documents ranked above relevant ones; unjudged documents are ignored. Bpref = (1 / R) sum over relevant retrieved documents of 1 - min(|nonrelevant above|, R) / min(N, R), R = |relevant|, N = |judged nonrelevant|. rel: smallest grade that counts as relevant. Buckley and Voorhees 2004, Retrieval evaluation with incomplete information; trec_eval bpref.';

create or replace macro ltr.cg(rankings, k := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('cg', k)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('cg', k)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) and d.relevance > 0 then d.relevance else 0e0 end) as cg
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.cg, 0.0e0) as cg
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.cg is 'Cumulative gain: the sum of the grades in the top k. CG = sum of relevance over ranks <= k. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques.';

create or replace macro ltr.compat(rankings, p := 0.95, depth := null, normalize := 'true', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings) || ltr.__ltr_check_normalize('compat', normalize), keys)
    where ltr.__ltr_check_p('compat', p)
        and ltr.__ltr_check_depth_or_null('compat', depth)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_p('compat', p)
        and ltr.__ltr_check_depth_or_null('compat', depth)
),
__ltr_ideal_order as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        row_number() over (partition by r.__ltr_key order by case when r.relevance > 0 then r.relevance else 0e0 end desc nulls last, r.rank asc nulls last) as ideal_rank,
        max(coalesce(r.num_ret, ltr.__ltr_whole_rank(r.rank))) over (partition by r.__ltr_key) as num_ret
    from __ltr_rankings as r
),
__ltr_compared as (
    select
        r.__ltr_key,
        max(r.ideal_rank) as num_rel,
        coalesce(depth, case when max(r.num_ret) > max(r.ideal_rank) then max(r.num_ret) else max(r.ideal_rank) end) as last
    from __ltr_ideal_order as r
    where r.relevance > 0
    group by r.__ltr_key
    having ltr.__ltr_validate_ranks(r.rank, r.relevance, false, r.num_ret)
),
__ltr_all_depths as (
    select unnest(range(1, cast((select max(q.last) from __ltr_compared as q) as bigint) + 1)) as rank
),
__ltr_found as (
    select
        t.__ltr_key,
        t.depth,
        count(*) as documents
    from (
        select
            r.__ltr_key,
            case when r.rank > r.ideal_rank then r.rank else r.ideal_rank end as depth
        from __ltr_ideal_order as r
        where r.relevance > 0 and r.rank is not null
    ) as t
    group by t.__ltr_key, t.depth
),
__ltr_depths as (
    select
        q.__ltr_key,
        n.rank as depth,
        1e0 * sum(coalesce(f.documents, 0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as overlap,
        1e0 * case when n.rank < q.num_rel then n.rank else q.num_rel end as ideal_overlap
    from __ltr_compared as q
    join __ltr_all_depths as n
        on n.rank <= q.last
    left join __ltr_found as f
        on f.__ltr_key is not distinct from q.__ltr_key and f.depth = n.rank
),
__ltr_by_depths as (
    select
        d.__ltr_key,
        sum(d.overlap / d.depth * power(cast(p as double), d.depth - 1))
        / case normalize when 'true' then sum(d.ideal_overlap / d.depth * power(cast(p as double), d.depth - 1)) else sum(1e0 * power(cast(p as double), d.depth - 1)) end as compat
    from __ltr_depths as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(depths.compat, 0.0e0) as compat
from __ltr_queries as q
left join __ltr_by_depths as depths
    on depths.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.compat is 'Compatibility: the rank-biased overlap of the ranking with its ideal, as a share of the largest possible value. Compat = RBO(ranking, ideal) / RBO(ideal, ideal), RBO = (sum over d <= depth of p^(d - 1) overlap_d / d) / (sum over d <= depth of p^(d - 1)), overlap_d = |in both top d|. p: persistence: probability that the user continues to the next rank. depth: depth to which the rankings are compared; NULL means the length of the longer ranking. normalize: ''true'' divides by the RBO of the ideal ranking with itself. Clarke et al. 2021, Assessing top-k preferences; ir_measures Compat; the authors'' program (depth = 1000).';

create or replace macro ltr.coverage_error(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('coverage_error', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('coverage_error', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret,
        count(*) over (partition by r.__ltr_key, r.rank) as __ltr_documents_at_rank
    from __ltr_rankings as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        case
            when (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) > (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end))
            then (coalesce(max(d.num_ret), 0)) + sum(case when d.rank is null and d.relevance >= 0 then 1e0 else 0e0 end)
            else max(case when d.relevance >= cast(rel as double) then d.rank + d.__ltr_documents_at_rank - 1 end)
        end as coverage_error
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, d.num_ret)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.coverage_error, 0.0e0) as coverage_error
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.coverage_error is 'Coverage error: the depth at which all relevant documents are found. Judged documents that were not retrieved tie at the end of the ranking. CoverageError = largest rank of a relevant document, the last of the tied positions if others share it; n + |judged, not retrieved| if a relevant document was not retrieved, n = |retrieved|. rel: smallest grade that counts as relevant. Tsoumakas et al. 2010, Mining multi-label data; scikit-learn coverage_error.';

create or replace macro ltr.dcg(rankings, k := null, gain := 'linear', discount := 'log2', level := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_gain('dcg', gain) || ltr.__ltr_check_discount('dcg', discount), keys)
    where ltr.__ltr_check_k_or_null('dcg', k)
        and ltr.__ltr_check_level_or_null('dcg', level)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('dcg', k)
        and ltr.__ltr_check_level_or_null('dcg', level)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) and ltr.__ltr_has_gain(cast(level as double), d.relevance) then ltr.__ltr_gain_of(d.relevance, gain) / ltr.__ltr_discount_divisor(discount, d.rank) else 0e0 end) as dcg
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.dcg, 0.0e0) as dcg
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.dcg is 'Discounted cumulative gain: the sum of the gains in the top k, each divided by log2(rank + 1), or by the rank. DCG = sum over ranks i <= k of gain / log2(i + 1). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. gain: gain of a grade: ''linear'' is the grade, ''exponential'' is 2^grade - 1. discount: divisor of a gain: ''log2'' is log2(rank + 1), ''rank'' is the rank. level: smallest grade that has a gain; NULL means any grade above 0. Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; Burges et al. 2005 (exponential gain).';

create or replace macro ltr.err(rankings, k := null, max_grade := null, gain := 'exponential', empty := '0', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_gain('err', gain) || ltr.__ltr_check_empty('err', empty), keys)
    where ltr.__ltr_check_k_or_null('err', k)
        and ltr.__ltr_check_max_grade('err', max_grade)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('err', k)
        and ltr.__ltr_check_max_grade('err', max_grade)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        exp(coalesce(sum(ln(case when 1 - ltr.__ltr_satisfaction(r.relevance, cast(max_grade as double), gain) > 1e-300 then 1 - ltr.__ltr_satisfaction(r.relevance, cast(max_grade as double), gain) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_not_satisfied_above
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        case when max(d.relevance) > cast(max_grade as double) then error('a grade is above max_grade: set max_grade to the largest grade of the scale') else case when max(d.relevance) > 0 then sum(case when d.rank <= coalesce(k, d.rank) then d.__ltr_not_satisfied_above * ltr.__ltr_satisfaction(d.relevance, cast(max_grade as double), gain) / d.rank else 0e0 end) end end as err
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.err, case empty when '0' then 0e0 when '1' then 1e0 end) as err
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.err is 'Expected reciprocal rank of the document that satisfies a user who reads the ranking from the top. ERR = sum over ranks i <= k of (1 / i) s_i prod over j < i of (1 - s_j), s = (2^relevance - 1) / 2^max_grade, or relevance / max_grade with gain = ''linear''. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. max_grade: largest grade of the scale; a higher grade is an error. gain: gain of a grade: ''linear'' is the grade, ''exponential'' is 2^grade - 1. empty: value of a query without relevant documents; ''skip'' returns NULL and leaves the query out of the mean. Chapelle et al. 2009, Expected reciprocal rank for graded relevance; gdeval ERR (max_grade = 4); CatBoost ERR (max_grade = 1, gain = ''linear'').';

create or replace macro ltr.err_ia(rankings, k := null, alpha := 0.5, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_covers(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('err_ia', k)
        and ltr.__ltr_check_alpha('err_ia', alpha)
        and ltr.__ltr_check_rel('err_ia', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries(rankings, keys)
    where ltr.__ltr_check_k('err_ia', k)
        and ltr.__ltr_check_alpha('err_ia', alpha)
        and ltr.__ltr_check_rel('err_ia', rel)
),
__ltr_coverage as (
    select
        r.__ltr_key,
        r.doc_id,
        r.rank,
        r.subtopic,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above
    from __ltr_rankings as r
    where r.relevance >= cast(rel as double) and r.subtopic is not null
),
__ltr_by_coverage as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then power(1e0 - cast(alpha as double), d.__ltr_times_covered_above) * 1e0 / d.rank else 0e0 end)
        / (count(distinct d.subtopic) * (select sum(power(1e0 - cast(alpha as double), n.rank - 1) * 1e0 / n.rank) from (select unnest(range(1, cast(k as bigint) + 1)) as rank) as n)) as err_ia
    from __ltr_coverage as d
    group by d.__ltr_key
    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
)
select
    unnest(q.__ltr_key),
    coalesce(coverage.err_ia, 0.0e0) as err_ia
from __ltr_queries as q
left join __ltr_by_coverage as coverage
    on coverage.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.err_ia is 'Intent-aware expected reciprocal rank. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain. ERR_IA = (sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / i) / (|subtopics| sum over i <= k of (1 - alpha)^(i - 1) / i). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. alpha: each document above that covers a subtopic reduces the gain of that subtopic by this share. rel: smallest grade that counts as relevant. Chapelle et al. 2009, Expected reciprocal rank for graded relevance; ndeval ERR-IA, which is not normalised at k = 1.';

create or replace macro ltr.expected_ap(rankings, k := null, rel := 1, empty := '0', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings) || ltr.__ltr_check_empty('expected_ap', empty), keys)
    where ltr.__ltr_check_k_or_null('expected_ap', k)
        and ltr.__ltr_check_rel('expected_ap', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('expected_ap', k)
        and ltr.__ltr_check_rel('expected_ap', rel)
),
__ltr_tied_positions as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        r.above_in_tie,
        r.num_tied,
        r.relevant_tied,
        r.relevant_above
    from (
        select
            t.__ltr_key,
            t.rank + t.above_in_tie as rank,
            t.rank as shared_rank,
            t.relevance,
            t.above_in_tie,
            t.num_tied,
            t.relevant_tied,
            t.relevant_through_rank - t.relevant_tied as relevant_above
        from (
            select
                r.__ltr_key,
                r.rank,
                r.relevance,
                row_number() over (partition by r.__ltr_key order by r.rank asc nulls last) - rank() over (partition by r.__ltr_key order by r.rank asc nulls last) as above_in_tie,
                count(*) over (partition by r.__ltr_key, r.rank) as num_tied,
                sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as relevant_tied,
                sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as relevant_through_rank
            from __ltr_rankings as r
        ) as t
    ) as r
),
__ltr_by_tied_positions as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then d.relevant_tied / d.num_tied * (d.relevant_above + 1 + coalesce(d.above_in_tie * (d.relevant_tied - 1) / nullif(d.num_tied - 1, 0), 0)) / d.rank else 0e0 end)
        / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0) as expected_ap
    from __ltr_tied_positions as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, null)
)
select
    unnest(q.__ltr_key),
    coalesce(tied_positions.expected_ap, case empty when '0' then 0e0 when '1' then 1e0 end) as expected_ap
from __ltr_queries as q
left join __ltr_by_tied_positions as tied_positions
    on tied_positions.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.expected_ap is 'Expected AP over all orders of tied documents. Every retrieved document needs a row, judged or not. expected_AP = (1 / |relevant|) sum over groups of tied documents, and over i <= n with t + i <= k, of (r / n) (a + 1 + (i - 1) (r - 1) / (n - 1)) / (t + i); the group has n documents, r of them relevant; t documents are above it, a of them relevant. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. empty: value of a query without relevant documents; ''skip'' returns NULL and leaves the query out of the mean. McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores.';

create or replace macro ltr.expected_ndcg(rankings, k := null, gain := 'linear', discount := 'log2', ideal := 'cut', empty := '0', level := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings) || ltr.__ltr_check_gain('expected_ndcg', gain) || ltr.__ltr_check_discount('expected_ndcg', discount) || ltr.__ltr_check_ideal('expected_ndcg', ideal) || ltr.__ltr_check_empty('expected_ndcg', empty), keys)
    where ltr.__ltr_check_k_or_null('expected_ndcg', k)
        and ltr.__ltr_check_level_or_null('expected_ndcg', level)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('expected_ndcg', k)
        and ltr.__ltr_check_level_or_null('expected_ndcg', level)
),
__ltr_tied_positions_all as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        r.above_in_tie,
        r.num_tied,
        r.relevant_tied,
        r.relevant_above,
        avg(case when ltr.__ltr_has_gain(cast(level as double), r.relevance) then ltr.__ltr_gain_of(r.relevance, gain) else 0e0 end) over (partition by r.__ltr_key, r.shared_rank) as __ltr_expected_gain,
        row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank
    from (
        select
            t.__ltr_key,
            t.rank + t.above_in_tie as rank,
            t.rank as shared_rank,
            t.relevance,
            t.above_in_tie,
            t.num_tied,
            t.relevant_tied,
            t.relevant_through_rank - t.relevant_tied as relevant_above
        from (
            select
                r.__ltr_key,
                r.rank,
                r.relevance,
                row_number() over (partition by r.__ltr_key order by r.rank asc nulls last) - rank() over (partition by r.__ltr_key order by r.rank asc nulls last) as above_in_tie,
                count(*) over (partition by r.__ltr_key, r.rank) as num_tied,
                sum(case when r.relevance >= null then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as relevant_tied,
                sum(case when r.relevance >= null then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as relevant_through_rank
            from __ltr_rankings as r
        ) as t
    ) as r
),
__ltr_by_tied_positions_all as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then d.__ltr_expected_gain / ltr.__ltr_discount_divisor(discount, d.rank) else 0e0 end)
        / nullif(case ideal when 'cut' then (sum(case when d.__ltr_ideal_rank <= coalesce(k, d.__ltr_ideal_rank) and ltr.__ltr_has_gain(cast(level as double), d.relevance) then ltr.__ltr_gain_of(d.relevance, gain) / ltr.__ltr_discount_divisor(discount, d.__ltr_ideal_rank) else 0e0 end)) when 'whole' then (sum(case when d.__ltr_ideal_rank is not null and ltr.__ltr_has_gain(cast(level as double), d.relevance) then ltr.__ltr_gain_of(d.relevance, gain) / ltr.__ltr_discount_divisor(discount, d.__ltr_ideal_rank) else 0e0 end)) end, 0) as expected_ndcg
    from __ltr_tied_positions_all as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, null)
)
select
    unnest(q.__ltr_key),
    coalesce(tied_positions_all.expected_ndcg, case empty when '0' then 0e0 when '1' then 1e0 end) as expected_ndcg
from __ltr_queries as q
left join __ltr_by_tied_positions_all as tied_positions_all
    on tied_positions_all.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.expected_ndcg is 'Expected nDCG over all orders of tied documents. Every retrieved document needs a row, judged or not. expected_nDCG = (sum over positions i <= k of g_i / log2(i + 1)) / IDCG@k, g_i = mean gain of the documents tied at position i. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. gain: gain of a grade: ''linear'' is the grade, ''exponential'' is 2^grade - 1. discount: divisor of a gain: ''log2'' is log2(rank + 1), ''rank'' is the rank. ideal: ideal ranking: ''cut'' at k like the ranking, or ''whole''. empty: value of a query without relevant documents; ''skip'' returns NULL and leaves the query out of the mean. level: smallest grade that has a gain; NULL means any grade above 0. McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores; scikit-learn ndcg_score.';

create or replace macro ltr.expected_p(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('expected_p', k)
        and ltr.__ltr_check_rel('expected_p', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('expected_p', k)
        and ltr.__ltr_check_rel('expected_p', rel)
),
__ltr_tied_positions as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        r.above_in_tie,
        r.num_tied,
        r.relevant_tied,
        r.relevant_above
    from (
        select
            t.__ltr_key,
            t.rank + t.above_in_tie as rank,
            t.rank as shared_rank,
            t.relevance,
            t.above_in_tie,
            t.num_tied,
            t.relevant_tied,
            t.relevant_through_rank - t.relevant_tied as relevant_above
        from (
            select
                r.__ltr_key,
                r.rank,
                r.relevance,
                row_number() over (partition by r.__ltr_key order by r.rank asc nulls last) - rank() over (partition by r.__ltr_key order by r.rank asc nulls last) as above_in_tie,
                count(*) over (partition by r.__ltr_key, r.rank) as num_tied,
                sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as relevant_tied,
                sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as relevant_through_rank
            from __ltr_rankings as r
        ) as t
    ) as r
),
__ltr_by_tied_positions as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then d.relevant_tied / d.num_tied else 0e0 end) / k as expected_p
    from __ltr_tied_positions as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, null)
)
select
    unnest(q.__ltr_key),
    coalesce(tied_positions.expected_p, 0.0e0) as expected_p
from __ltr_queries as q
left join __ltr_by_tied_positions as tied_positions
    on tied_positions.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.expected_p is 'Expected P over all orders of tied documents. Every retrieved document needs a row, judged or not. expected_P = (sum over positions i <= k of the share of relevant documents among those tied at position i) / k. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores.';

create or replace macro ltr.expected_r(rankings, k := null, rel := 1, empty := '0', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings) || ltr.__ltr_check_empty('expected_r', empty), keys)
    where ltr.__ltr_check_k_or_null('expected_r', k)
        and ltr.__ltr_check_rel('expected_r', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('expected_r', k)
        and ltr.__ltr_check_rel('expected_r', rel)
),
__ltr_tied_positions as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        r.above_in_tie,
        r.num_tied,
        r.relevant_tied,
        r.relevant_above
    from (
        select
            t.__ltr_key,
            t.rank + t.above_in_tie as rank,
            t.rank as shared_rank,
            t.relevance,
            t.above_in_tie,
            t.num_tied,
            t.relevant_tied,
            t.relevant_through_rank - t.relevant_tied as relevant_above
        from (
            select
                r.__ltr_key,
                r.rank,
                r.relevance,
                row_number() over (partition by r.__ltr_key order by r.rank asc nulls last) - rank() over (partition by r.__ltr_key order by r.rank asc nulls last) as above_in_tie,
                count(*) over (partition by r.__ltr_key, r.rank) as num_tied,
                sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as relevant_tied,
                sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as relevant_through_rank
            from __ltr_rankings as r
        ) as t
    ) as r
),
__ltr_by_tied_positions as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then d.relevant_tied / d.num_tied else 0e0 end) / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0) as expected_r
    from __ltr_tied_positions as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, null)
)
select
    unnest(q.__ltr_key),
    coalesce(tied_positions.expected_r, case empty when '0' then 0e0 when '1' then 1e0 end) as expected_r
from __ltr_queries as q
left join __ltr_by_tied_positions as tied_positions
    on tied_positions.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.expected_r is 'Expected R over all orders of tied documents. Every retrieved document needs a row, judged or not. expected_R = (sum over positions i <= k of the share of relevant documents among those tied at position i) / |relevant|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. empty: value of a query without relevant documents; ''skip'' returns NULL and leaves the query out of the mean. McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores.';

create or replace macro ltr.expected_rr(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('expected_rr', k)
        and ltr.__ltr_check_rel('expected_rr', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('expected_rr', k)
        and ltr.__ltr_check_rel('expected_rr', rel)
),
__ltr_tied_positions as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        r.above_in_tie,
        r.num_tied,
        r.relevant_tied,
        r.relevant_above,
        exp(coalesce(sum(ln(case when (r.num_tied - r.above_in_tie - r.relevant_tied) / (r.num_tied - r.above_in_tie) > 1e-300 then (r.num_tied - r.above_in_tie - r.relevant_tied) / (r.num_tied - r.above_in_tie) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_none_relevant_above
    from (
        select
            t.__ltr_key,
            t.rank + t.above_in_tie as rank,
            t.rank as shared_rank,
            t.relevance,
            t.above_in_tie,
            t.num_tied,
            t.relevant_tied,
            t.relevant_through_rank - t.relevant_tied as relevant_above
        from (
            select
                r.__ltr_key,
                r.rank,
                r.relevance,
                row_number() over (partition by r.__ltr_key order by r.rank asc nulls last) - rank() over (partition by r.__ltr_key order by r.rank asc nulls last) as above_in_tie,
                count(*) over (partition by r.__ltr_key, r.rank) as num_tied,
                sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as relevant_tied,
                sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as relevant_through_rank
            from __ltr_rankings as r
        ) as t
    ) as r
),
__ltr_by_tied_positions as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then d.__ltr_none_relevant_above * d.relevant_tied / (d.num_tied - d.above_in_tie) / d.rank else 0e0 end) as expected_rr
    from __ltr_tied_positions as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, null)
)
select
    unnest(q.__ltr_key),
    coalesce(tied_positions.expected_rr, 0.0e0) as expected_rr
from __ltr_queries as q
left join __ltr_by_tied_positions as tied_positions
    on tied_positions.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.expected_rr is 'Expected RR over all orders of tied documents. Every retrieved document needs a row, judged or not. expected_RR = sum over i with t + i <= k of C(n - i, r - 1) / C(n, r) / (t + i); the first group of tied documents with a relevant one has n documents, r of them relevant, and t documents above it. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores.';

create or replace macro ltr.expected_success(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('expected_success', k)
        and ltr.__ltr_check_rel('expected_success', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('expected_success', k)
        and ltr.__ltr_check_rel('expected_success', rel)
),
__ltr_tied_positions as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        r.above_in_tie,
        r.num_tied,
        r.relevant_tied,
        r.relevant_above,
        exp(coalesce(sum(ln(case when (r.num_tied - r.above_in_tie - r.relevant_tied) / (r.num_tied - r.above_in_tie) > 1e-300 then (r.num_tied - r.above_in_tie - r.relevant_tied) / (r.num_tied - r.above_in_tie) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_none_relevant_above
    from (
        select
            t.__ltr_key,
            t.rank + t.above_in_tie as rank,
            t.rank as shared_rank,
            t.relevance,
            t.above_in_tie,
            t.num_tied,
            t.relevant_tied,
            t.relevant_through_rank - t.relevant_tied as relevant_above
        from (
            select
                r.__ltr_key,
                r.rank,
                r.relevance,
                row_number() over (partition by r.__ltr_key order by r.rank asc nulls last) - rank() over (partition by r.__ltr_key order by r.rank asc nulls last) as above_in_tie,
                count(*) over (partition by r.__ltr_key, r.rank) as num_tied,
                sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as relevant_tied,
                sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as relevant_through_rank
            from __ltr_rankings as r
        ) as t
    ) as r
),
__ltr_by_tied_positions as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then d.__ltr_none_relevant_above * d.relevant_tied / (d.num_tied - d.above_in_tie) else 0e0 end) as expected_success
    from __ltr_tied_positions as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, null)
)
select
    unnest(q.__ltr_key),
    coalesce(tied_positions.expected_success, 0.0e0) as expected_success
from __ltr_queries as q
left join __ltr_by_tied_positions as tied_positions
    on tied_positions.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.expected_success is 'Expected Success over all orders of tied documents. Every retrieved document needs a row, judged or not. expected_Success = 1 - C(n - r, k - t) / C(n, k - t), or 1 if t + n <= k; the first group of tied documents with a relevant one has n documents, r of them relevant, and t documents above it. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores.';

create or replace macro ltr.f1(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('f1', k)
        and ltr.__ltr_check_rel('f1', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('f1', k)
        and ltr.__ltr_check_rel('f1', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        2 * ((sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / k) * ((sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0)) / nullif(((sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / k) + ((sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0)), 0) as f1
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.f1, 0.0e0) as f1
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.f1 is 'Harmonic mean of precision and recall at k. F1 = 2 P@k R@k / (P@k + R@k), 0 if both are 0. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. van Rijsbergen 1979, Information Retrieval.';

create or replace macro ltr.fagin_k(pairs, k := null, p := 0.5, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs), keys)
    where ltr.__ltr_check_k_or_null('fagin_k', k)
        and ltr.__ltr_check_p('fagin_k', p)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('fagin_k', k)
        and ltr.__ltr_check_p('fagin_k', p)
),
__ltr_compared_all_pairs as (
    select
        r.__ltr_key,
        coalesce(r.rank_a, 1e300) as rank_a,
        coalesce(r.rank_b, 1e300) as rank_b
    from (
        select
            p.__ltr_key,
            case when p.rank_a <= coalesce(k, p.rank_a) then case when p.rank_a < 1 or p.rank_a > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_a end end as rank_a,
            case when p.rank_b <= coalesce(k, p.rank_b) then case when p.rank_b < 1 or p.rank_b > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_b end end as rank_b
        from __ltr_paired as p
    ) as r
    where r.rank_a is not null or r.rank_b is not null
),
__ltr_lists_all_pairs as (
    select
        r.__ltr_key,
        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
        count(*) as length
    from __ltr_compared_all_pairs as r
    group by r.__ltr_key
),
__ltr_short_all_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_all_pairs as c
        join __ltr_lists_all_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 20
    ) as r
),
__ltr_long_all_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_all_pairs as c
        join __ltr_lists_all_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 20
    ) as r
),
__ltr_joined_all_pairs as (
    select
        y.list,
        y.rank_a,
        y.rank_b,
        y.above_b,
        y.position_a,
        count(x.rank_a) as inversions
    from __ltr_short_all_pairs as y
    left join __ltr_short_all_pairs as x
        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a
),
__ltr_inverted_all_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        1e0 * r.inversions as inversions,
        rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b,
        rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a
    from __ltr_joined_all_pairs as r
    union all
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        1e0 * (rank(order by r.above_b desc nulls last) over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last rows between unbounded preceding and current row) - 1) as inversions,
        rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b,
        rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a
    from __ltr_long_all_pairs as r
),
__ltr_by_all_pairs as (
    select
        n.__ltr_key,
        sum(d.inversions) + cast(p as double) * (2 * (1e0 * sum(d.__ltr_above_in_a_then_b)) - (1e0 * sum(d.__ltr_above_in_a)) - (1e0 * sum(d.above_b))) as fagin_k
    from __ltr_inverted_all_pairs as d
    join __ltr_lists_all_pairs as n
        on n.list = d.list
    group by n.__ltr_key
)
select
    unnest(q.__ltr_key),
    all_pairs.fagin_k as fagin_k
from __ltr_queries as q
left join __ltr_by_all_pairs as all_pairs
    on all_pairs.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.fagin_k is 'Kendall distance of two top-k lists, over the documents in the top k of either. Documents that a list lacks tie at its end; a pair tied in only one list counts p. FaginK = discordant pairs + p |pairs tied in only one list|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. p: penalty for a pair that is tied in only one list: 0 is optimistic, 0.5 neutral. Fagin, Kumar and Sivakumar 2003, Comparing top k lists; Fagin, Kumar, Mahdian, Sivakumar and Vee 2006, Comparing partial rankings.';

create or replace macro ltr.filtered_dcg(rankings, k := null, gain := 'linear', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_gain('filtered_dcg', gain), keys)
    where ltr.__ltr_check_k_or_null('filtered_dcg', k)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('filtered_dcg', k)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) and d.relevance > 0 then ltr.__ltr_gain_of(d.relevance, gain) / d.rank else 0e0 end) as filtered_dcg
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.filtered_dcg, 0.0e0) as filtered_dcg
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.filtered_dcg is 'DCG with the discount 1 / rank. CatBoost''s value requires a ranking without the documents that have a negative score. FilteredDCG = sum over ranks i <= k of gain / i. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. gain: gain of a grade: ''linear'' is the grade, ''exponential'' is 2^grade - 1. CatBoost FilteredDCG.';

create or replace macro ltr.footrule(pairs, k := null, location := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs), keys)
    where ltr.__ltr_check_k_or_null('footrule', k)
        and ltr.__ltr_check_location_or_null('footrule', location)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('footrule', k)
        and ltr.__ltr_check_location_or_null('footrule', location)
),
__ltr_lists as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b,
        case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end as lower_rank,
        max(case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end) over (partition by r.__ltr_key) as __ltr_last_rank
    from (
        select
            p.__ltr_key,
            case when p.rank_a <= coalesce(k, p.rank_a) then case when p.rank_a < 1 or p.rank_a > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_a end end as rank_a,
            case when p.rank_b <= coalesce(k, p.rank_b) then case when p.rank_b < 1 or p.rank_b > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_b end end as rank_b
        from __ltr_paired as p
    ) as r
    where r.rank_a is not null or r.rank_b is not null
),
__ltr_by_either_documents as (
    select
        d.__ltr_key,
        sum(abs(coalesce(d.rank_a, coalesce(cast(location as double), (1 + coalesce(k, d.__ltr_last_rank)))) - coalesce(d.rank_b, coalesce(cast(location as double), (1 + coalesce(k, d.__ltr_last_rank)))))) as footrule
    from __ltr_lists as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    either_documents.footrule as footrule
from __ltr_queries as q
left join __ltr_by_either_documents as either_documents
    on either_documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.footrule is 'Spearman''s footrule: the sum of absolute rank differences between two rankings, over the documents in the top k of either. A document that a ranking lacks gets the rank that the parameter location sets. Footrule = sum of |rank_a - rank_b|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. location: rank of a document that a ranking lacks; NULL means k + 1, or without k one more than the last rank of either ranking. Diaconis and Graham 1977, Spearman''s footrule as a measure of disarray; Fagin, Kumar and Sivakumar 2003, Comparing top k lists.';

create or replace macro ltr.g(rankings, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
),
__ltr_positioned as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as ideal_rank,
        count(*) over (partition by r.__ltr_key order by r.relevance desc nulls last range between unbounded preceding and current row) as last_rank_of_grade
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_gain_positions as (
    select
        r.__ltr_key,
        r.position,
        r.gain,
        r.ideal_gain,
        r.ends_grade,
        sum(case when r.ideal_gain > 1 then r.ideal_gain - 1 else 0e0 end - r.gain) over (partition by r.__ltr_key order by r.position asc nulls last range between unbounded preceding and current row) as __ltr_shortfall_so_far
    from (
        select
            p.__ltr_key,
            p.rank as position,
            case when p.relevance > 0 then p.relevance else 0e0 end as gain,
            0e0 as ideal_gain,
            false as ends_grade
        from __ltr_positioned as p
        where p.rank is not null or p.relevance is null
        union all
        select
            p.__ltr_key,
            p.ideal_rank as position,
            0e0 as gain,
            p.relevance as ideal_gain,
            p.ideal_rank = p.last_rank_of_grade as ends_grade
        from __ltr_positioned as p
        where p.relevance > 0
    ) as r
),
__ltr_by_gain_positions as (
    select
        d.__ltr_key,
        sum(case when d.gain > 0 then d.gain / log2(case when 1e0 > 2 + d.position + d.__ltr_shortfall_so_far then 1e0 else 2 + d.position + d.__ltr_shortfall_so_far end) else 0e0 end)
        / nullif(sum(d.ideal_gain), 0) as g
    from __ltr_gain_positions as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(case when d.gain > 0 then d.position end, d.gain, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(gain_positions.g, 0.0e0) as g
from __ltr_queries as q
left join __ltr_by_gain_positions as gain_positions
    on gain_positions.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.g is 'Gains discounted by how far the ranking lags behind the ideal ranking, as a share of all gains. G = (sum over ranks i of gain / log2(2 + cost_i - cg_i)) / sum of all gains, cost_i = sum over ideal ranks j <= i of max(ideal gain, 1), cg_i = sum of the gains of ranks j <= i. trec_eval G.';

create or replace macro ltr.gamma(pairs, k := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs), keys)
    where ltr.__ltr_check_k_or_null('gamma', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('gamma', k)
),
__ltr_compared_pairs as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b)
),
__ltr_lists_pairs as (
    select
        r.__ltr_key,
        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
        count(*) as length
    from __ltr_compared_pairs as r
    group by r.__ltr_key
),
__ltr_short_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_pairs as c
        join __ltr_lists_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 20
    ) as r
),
__ltr_long_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_pairs as c
        join __ltr_lists_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 20
    ) as r
),
__ltr_joined_pairs as (
    select
        y.list,
        y.rank_a,
        y.rank_b,
        y.above_b,
        y.position_a,
        count(x.rank_a) as inversions
    from __ltr_short_pairs as y
    left join __ltr_short_pairs as x
        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a
),
__ltr_inverted_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        1e0 * r.inversions as inversions,
        rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a,
        rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b
    from __ltr_joined_pairs as r
    union all
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        1e0 * (rank(order by r.above_b desc nulls last) over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last rows between unbounded preceding and current row) - 1) as inversions,
        rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a,
        rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b
    from __ltr_long_pairs as r
),
__ltr_by_pairs as (
    select
        n.__ltr_key,
        (((1e0 * sum(d.__ltr_above_in_a)) + (1e0 * sum(d.above_b)) - (1e0 * sum(d.__ltr_above_in_a_then_b))) - 2 * sum(d.inversions))
        / nullif(((1e0 * sum(d.__ltr_above_in_a)) + (1e0 * sum(d.above_b)) - (1e0 * sum(d.__ltr_above_in_a_then_b))), 0) as gamma
    from __ltr_inverted_pairs as d
    join __ltr_lists_pairs as n
        on n.list = d.list
    group by n.__ltr_key
)
select
    unnest(q.__ltr_key),
    pairs.gamma as gamma
from __ltr_queries as q
left join __ltr_by_pairs as pairs
    on pairs.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.gamma is 'Goodman and Kruskal''s gamma of two rankings, over the documents in the top k of both. Pairs tied in either ranking do not count. Gamma = (C - D) / (C + D), C = concordant pairs, D = discordant pairs. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. Goodman and Kruskal 1954, Measures of association for cross classifications.';

create or replace macro ltr.gmap(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('gmap', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('gmap', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then d.__ltr_relevant_so_far / d.rank else 0e0 end)
        / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0)) as gmap
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.gmap, 0.0e0) as gmap
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.gmap is 'Average precision, averaged over queries by the geometric mean. GMAP = AP; over queries exp(mean of ln max(AP, 0.00001)). rel: smallest grade that counts as relevant. Robertson 2006, On GMAP: and other transformations; trec_eval gm_map.';

create or replace macro ltr.gmbpref(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('gmbpref', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('gmbpref', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= 0 and r.relevance < cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_nonrelevant_so_far,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query,
        sum(case when r.relevance >= 0 and r.relevance < cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_nonrelevant_of_query
    from __ltr_rankings as r
    where r.relevance is not null
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1 - coalesce(case when d.__ltr_nonrelevant_so_far < d.__ltr_relevant_of_query then d.__ltr_nonrelevant_so_far else d.__ltr_relevant_of_query end / nullif(case when d.__ltr_nonrelevant_of_query < d.__ltr_relevant_of_query then d.__ltr_nonrelevant_of_query else d.__ltr_relevant_of_query end, 0), 0) else 0e0 end)
        / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0)) as gmbpref
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.gmbpref, 0.0e0) as gmbpref
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.gmbpref is 'Bpref, averaged over queries by the geometric mean. GMBpref = Bpref; over queries exp(mean of ln max(Bpref, 0.00001)). rel: smallest grade that counts as relevant. Robertson 2006, On GMAP: and other transformations; trec_eval gm_bpref.';

create or replace macro ltr.graded_ap(rankings, k := null, gain := 'linear', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_gain('graded_ap', gain), keys)
    where ltr.__ltr_check_k_or_null('graded_ap', k)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('graded_ap', k)
),
__ltr_positive as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_levels as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        r.level,
        r.level_below,
        count(r.rank) over (partition by r.__ltr_key, r.level order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_found_so_far
    from (
        select
            s.__ltr_key,
            s.rank,
            s.relevance,
            g.level,
            g.level_below
        from (
            select
                t.__ltr_key,
                t.level,
                coalesce(lag(t.level) over (partition by t.__ltr_key order by t.level asc nulls last), 0) as level_below
            from (
                select
                    p.__ltr_key,
                    p.relevance as level
                from __ltr_positive as p
                group by p.__ltr_key, p.relevance
            ) as t
        ) as g
        join __ltr_positive as s
            on s.__ltr_key is not distinct from g.__ltr_key and s.relevance >= g.level
    ) as r
),
__ltr_by_levels as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then (ltr.__ltr_gain_of(d.level, gain) - ltr.__ltr_gain_of(d.level_below, gain)) * d.__ltr_found_so_far / d.rank else 0e0 end)
        / nullif(sum(ltr.__ltr_gain_of(d.level, gain) - ltr.__ltr_gain_of(d.level_below, gain)), 0) as graded_ap
    from __ltr_levels as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(case when d.level_below = 0 then d.rank end, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(levels.graded_ap, 0.0e0) as graded_ap
from __ltr_queries as q
left join __ltr_by_levels as levels
    on levels.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.graded_ap is 'Graded average precision: the expected AP for a user whose smallest useful grade is unknown. Linear gains make all grades equally probable. For binary grades it equals AP. GradedAP = sum over documents of rank i <= k of (1 / i) sum over documents of rank j <= i of min(gain_i, gain_j), divided by the sum of the gains of all documents; grades below 0 have the gain 0. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. gain: gain of a grade: ''linear'' is the grade, ''exponential'' is 2^grade - 1. Robertson, Kanoulas and Yilmaz 2010, Extending average precision to graded relevance judgments.';

create or replace macro ltr.graded_rbp(rankings, k := null, p := 0.9, unit := null, level := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('graded_rbp', k)
        and ltr.__ltr_check_p('graded_rbp', p)
        and ltr.__ltr_check_unit('graded_rbp', unit)
        and ltr.__ltr_check_level_or_null('graded_rbp', level)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('graded_rbp', k)
        and ltr.__ltr_check_p('graded_rbp', p)
        and ltr.__ltr_check_unit('graded_rbp', unit)
        and ltr.__ltr_check_level_or_null('graded_rbp', level)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (1 - cast(p as double)) / cast(unit as double) * sum(case when d.rank <= coalesce(k, d.rank) and ltr.__ltr_has_gain(cast(level as double), d.relevance) then d.relevance * power(cast(p as double), d.rank - 1) else 0e0 end) as graded_rbp
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.graded_rbp, 0.0e0) as graded_rbp
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.graded_rbp is 'Rank-biased precision of graded documents: the expected gain per viewed rank of a user who continues to the next rank with probability p. GradedRBP = (1 - p) sum over ranks i <= k of (relevance / unit) p^(i - 1). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. p: persistence: probability that the user continues to the next rank. unit: grade with gain 1; a higher grade has a proportionally larger gain. level: smallest grade that has a gain; NULL means any grade above 0. Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness; ranx rbp (unit = 1).';

create or replace macro ltr.idcg(rankings, k := null, gain := 'linear', discount := 'log2', level := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_gain('idcg', gain) || ltr.__ltr_check_discount('idcg', discount), keys)
    where ltr.__ltr_check_k_or_null('idcg', k)
        and ltr.__ltr_check_level_or_null('idcg', level)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('idcg', k)
        and ltr.__ltr_check_level_or_null('idcg', level)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.__ltr_ideal_rank <= coalesce(k, d.__ltr_ideal_rank) and ltr.__ltr_has_gain(cast(level as double), d.relevance) then ltr.__ltr_gain_of(d.relevance, gain) / ltr.__ltr_discount_divisor(discount, d.__ltr_ideal_rank) else 0e0 end) as idcg
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.idcg, 0.0e0) as idcg
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.idcg is 'DCG of the ideal ranking: all judged documents of the query, retrieved or not, by descending grade. IDCG = sum over ideal ranks i <= k of gain / log2(i + 1). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. gain: gain of a grade: ''linear'' is the grade, ''exponential'' is 2^grade - 1. discount: divisor of a gain: ''log2'' is log2(rank + 1), ''rank'' is the rank. level: smallest grade that has a gain; NULL means any grade above 0. Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques.';

create or replace macro ltr.infap(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('infap', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('infap', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance is not null then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_judged_so_far,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far,
        sum(case when r.relevance >= 0 and r.relevance < cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_nonrelevant_so_far
    from __ltr_rankings as r
    where r.relevance is not null
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case
            when d.rank is not null and d.relevance >= cast(rel as double)
            then (1 + (d.__ltr_judged_so_far - 1) * (d.__ltr_relevant_so_far - 1 + 1e-5) / (d.__ltr_relevant_so_far - 1 + d.__ltr_nonrelevant_so_far + 2e-5)) / d.rank
            else 0e0
        end)
        / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0) as infap
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.infap, 0.0e0) as infap
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.infap is 'Inferred average precision: AP estimated from a sample of judgments. infAP = (1 / |relevant|) sum over relevant documents of rank i of (1 + (a + b + p) (a + e) / (a + b + 2 e)) / i; above rank i there are a relevant, b nonrelevant and p negatively graded documents; e = 0.00001. rel: smallest grade that counts as relevant. Yilmaz and Aslam 2006, Estimating average precision with incomplete and imperfect judgments; trec_eval infAP.';

create or replace macro ltr.insq(rankings, k := 1000, T := 1, min_rel := 0, max_rel := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('insq', k)
        and ltr.__ltr_check_T('insq', T)
        and ltr.__ltr_check_min_rel('insq', min_rel)
        and ltr.__ltr_check_max_rel('insq', max_rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('insq', k)
        and ltr.__ltr_check_T('insq', T)
        and ltr.__ltr_check_min_rel('insq', min_rel)
        and ltr.__ltr_check_max_rel('insq', max_rel)
),
__ltr_all_ranks as (
    select unnest(range(1, cast(k as bigint) + 1)) as rank
),
__ltr_gains as (
    select
        r.__ltr_key,
        r.rank,
        case
            when cast(max_rel as double) is null then r.relevance
            when cast(max_rel as double) <= cast(min_rel as double) then error('max_rel must be larger than min_rel')
            when r.relevance >= cast(max_rel as double) then 1e0
            else (r.relevance - cast(min_rel as double)) / (1e0 * cast(max_rel as double) - cast(min_rel as double))
        end as gain
    from __ltr_rankings as r
    where r.relevance > coalesce(cast(min_rel as double), 0)
),
__ltr_ranks as (
    select
        r.__ltr_key,
        r.rank,
        r.gain,
        exp(coalesce(sum(ln(case when power(1 - 1 / (r.rank + 2e0 * cast(T as double)), 2) > 1e-300 then power(1 - 1 / (r.rank + 2e0 * cast(T as double)), 2) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_insq
    from (
        select
            q.__ltr_key,
            n.rank,
            coalesce(g.gain, 0e0) as gain,
            sum(coalesce(g.gain, 0e0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
        from (
            select
                g.__ltr_key
            from __ltr_gains as g
            group by g.__ltr_key
            having ltr.__ltr_validate_ranks(g.rank, g.gain, false, null)
        ) as q
        cross join __ltr_all_ranks as n
        left join __ltr_gains as g
            on g.__ltr_key is not distinct from q.__ltr_key and g.rank = n.rank
    ) as r
),
__ltr_by_ranks as (
    select
        d.__ltr_key,
        sum(case when d.rank <= k then d.__ltr_view_probability_insq * d.gain else 0e0 end) / sum(case when d.rank <= k then d.__ltr_view_probability_insq else 0e0 end) as insq
    from __ltr_ranks as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(ranks.insq, 0.0e0) as insq
from __ltr_queries as q
left join __ltr_by_ranks as ranks
    on ranks.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.insq is 'INSQ: the expected gain per viewed rank of a user who wants a total gain of T and continues more readily at deeper ranks. INSQ = (sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i ((i + 2T - 1) / (i + 2T))^2. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. T: total gain that the user wants. min_rel: largest grade with gain 0; grades from min_rel to max_rel are rescaled to gains from 0 to 1. max_rel: smallest grade with gain 1. Moffat et al. 2012, Models and metrics: IR evaluation as a user process; cwl_eval INSQ-T (k = 1000).';

create or replace macro ltr.inst(rankings, k := 1000, T := 1, min_rel := 0, max_rel := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('inst', k)
        and ltr.__ltr_check_T('inst', T)
        and ltr.__ltr_check_min_rel('inst', min_rel)
        and ltr.__ltr_check_max_rel('inst', max_rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('inst', k)
        and ltr.__ltr_check_T('inst', T)
        and ltr.__ltr_check_min_rel('inst', min_rel)
        and ltr.__ltr_check_max_rel('inst', max_rel)
),
__ltr_all_ranks as (
    select unnest(range(1, cast(k as bigint) + 1)) as rank
),
__ltr_gains as (
    select
        r.__ltr_key,
        r.rank,
        case
            when cast(max_rel as double) is null then r.relevance
            when cast(max_rel as double) <= cast(min_rel as double) then error('max_rel must be larger than min_rel')
            when r.relevance >= cast(max_rel as double) then 1e0
            else (r.relevance - cast(min_rel as double)) / (1e0 * cast(max_rel as double) - cast(min_rel as double))
        end as gain
    from __ltr_rankings as r
    where r.relevance > coalesce(cast(min_rel as double), 0)
),
__ltr_ranks as (
    select
        r.__ltr_key,
        r.rank,
        r.gain,
        exp(coalesce(sum(ln(case when power(1 - 1 / (r.rank + 2e0 * cast(T as double) - r.gain_so_far), 2) > 1e-300 then power(1 - 1 / (r.rank + 2e0 * cast(T as double) - r.gain_so_far), 2) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_inst
    from (
        select
            q.__ltr_key,
            n.rank,
            coalesce(g.gain, 0e0) as gain,
            sum(coalesce(g.gain, 0e0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
        from (
            select
                g.__ltr_key
            from __ltr_gains as g
            group by g.__ltr_key
            having ltr.__ltr_validate_ranks(g.rank, g.gain, false, null)
        ) as q
        cross join __ltr_all_ranks as n
        left join __ltr_gains as g
            on g.__ltr_key is not distinct from q.__ltr_key and g.rank = n.rank
    ) as r
),
__ltr_by_ranks as (
    select
        d.__ltr_key,
        sum(case when d.rank <= k then d.__ltr_view_probability_inst * d.gain else 0e0 end) / sum(case when d.rank <= k then d.__ltr_view_probability_inst else 0e0 end) as inst
    from __ltr_ranks as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(ranks.inst, 0.0e0) as inst
from __ltr_queries as q
left join __ltr_by_ranks as ranks
    on ranks.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.inst is 'INST: the expected gain per viewed rank of a user who wants a total gain of T. The user continues more readily at deeper ranks and while more gain is missing. INST = (sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i ((i + T + T_i - 1) / (i + T + T_i))^2, T_i = T - gain of ranks 1 to i. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. T: total gain that the user wants. min_rel: largest grade with gain 0; grades from min_rel to max_rel are rescaled to gains from 0 to 1. max_rel: smallest grade with gain 1. Moffat et al. 2015, INST: an adaptive metric for information retrieval evaluation; cwl_eval INST-T (k = 1000).';

create or replace macro ltr.iprec(rankings, recall := null, rounding := 'te10', rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_rounding('iprec', rounding), keys)
    where ltr.__ltr_check_recall('iprec', recall)
        and ltr.__ltr_check_rel('iprec', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_recall('iprec', recall)
        and ltr.__ltr_check_rel('iprec', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(cast(recall as double) * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end) as iprec
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.iprec, 0.0e0) as iprec
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.iprec is 'Interpolated precision: the largest precision at any rank that reaches a level of recall. IPrec = max of P@i over ranks i with |relevant in top i| >= c, c = recall |relevant| rounded (te10), or floor(recall |relevant| + 0.9) (te9). recall: recall level, from 0 to 1. rounding: rounding of recall * |relevant| to a number of documents: ''te10'' rounds (trec_eval 10), ''te9'' is floor(x + 0.9) (trec_eval 9). rel: smallest grade that counts as relevant. Salton and McGill 1983, Introduction to Modern Information Retrieval; trec_eval iprec_at_recall.';

create or replace macro ltr.iprec_avg(rankings, rounding := 'te10', rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_rounding('iprec_avg', rounding), keys)
    where ltr.__ltr_check_rel('iprec_avg', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('iprec_avg', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (
            (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(0.0e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
            + (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(0.1e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
            + (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(0.2e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
            + (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(0.3e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
            + (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(0.4e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
            + (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(0.5e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
            + (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(0.6e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
            + (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(0.7e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
            + (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(0.8e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
            + (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(0.9e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
            + (max(case when d.rank is not null and d.relevance >= cast(rel as double) and d.__ltr_relevant_so_far >= floor(1.0e0 * d.__ltr_relevant_of_query + case rounding when 'te9' then 0.9e0 else 0.5e0 end) then d.__ltr_relevant_so_far / d.rank else 0e0 end))
        ) / 11 as iprec_avg
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.iprec_avg, 0.0e0) as iprec_avg
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.iprec_avg is 'Interpolated precision, averaged over the eleven recall levels 0, 0.1, ..., 1. IPrecAvg = mean of IPrec@x over x = 0, 0.1, ..., 1. rounding: rounding of recall * |relevant| to a number of documents: ''te10'' rounds (trec_eval 10), ''te9'' is floor(x + 0.9) (trec_eval 9). rel: smallest grade that counts as relevant. Salton and McGill 1983, Introduction to Modern Information Retrieval; trec_eval 11pt_avg.';

create or replace macro ltr.jaccard(pairs, k := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs), keys)
    where ltr.__ltr_check_k_or_null('jaccard', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('jaccard', k)
),
__ltr_lists as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b,
        case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end as lower_rank
    from (
        select
            p.__ltr_key,
            case when p.rank_a <= coalesce(k, p.rank_a) then case when p.rank_a < 1 or p.rank_a > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_a end end as rank_a,
            case when p.rank_b <= coalesce(k, p.rank_b) then case when p.rank_b < 1 or p.rank_b > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_b end end as rank_b
        from __ltr_paired as p
    ) as r
    where r.rank_a is not null or r.rank_b is not null
),
__ltr_by_either_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank_a is not null and d.rank_b is not null then 1e0 else 0e0 end) / count(*) as jaccard
    from __ltr_lists as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    either_documents.jaccard as jaccard
from __ltr_queries as q
left join __ltr_by_either_documents as either_documents
    on either_documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.jaccard is 'Jaccard index of the top k of two rankings. Jaccard = |in both top k| / |in either top k|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. Jaccard 1912, The distribution of the flora in the alpine zone.';

create or replace macro ltr.judged(rankings, k := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('judged', k)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('judged', k)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) and d.relevance is not null then 1e0 else 0e0 end) / nullif((coalesce(case when k < max(d.num_ret) then k else max(d.num_ret) end, 0)), 0) as judged
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.judged, 0.0e0) as judged
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.judged is 'Share of judged documents in the top k; a negative grade counts as judged. Judged = |judged in top k, negative grades included| / min(k, n), n = |retrieved|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. ir_measures Judged; trec_eval judged.';

create or replace macro ltr.kendall_distance(pairs, k := null, scale := 'share', keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs) || ltr.__ltr_check_scale('kendall_distance', scale), keys)
    where ltr.__ltr_check_k_or_null('kendall_distance', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('kendall_distance', k)
),
__ltr_compared_pairs as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b)
),
__ltr_lists_pairs as (
    select
        r.__ltr_key,
        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
        count(*) as length
    from __ltr_compared_pairs as r
    group by r.__ltr_key
),
__ltr_short_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_pairs as c
        join __ltr_lists_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 20
    ) as r
),
__ltr_long_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_pairs as c
        join __ltr_lists_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 20
    ) as r
),
__ltr_joined_pairs as (
    select
        y.list,
        y.rank_a,
        y.rank_b,
        y.above_b,
        y.position_a,
        count(x.rank_a) as inversions
    from __ltr_short_pairs as y
    left join __ltr_short_pairs as x
        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a
),
__ltr_inverted_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        1e0 * r.inversions as inversions
    from __ltr_joined_pairs as r
    union all
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        1e0 * (rank(order by r.above_b desc nulls last) over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last rows between unbounded preceding and current row) - 1) as inversions
    from __ltr_long_pairs as r
),
__ltr_by_pairs as (
    select
        n.__ltr_key,
        sum(d.inversions) / case scale when 'share' then nullif((count(*) * (count(*) - 1e0) / 2), 0) when 'count' then (case when count(*) > 1 then 1e0 end) end as kendall_distance
    from __ltr_inverted_pairs as d
    join __ltr_lists_pairs as n
        on n.list = d.list
    group by n.__ltr_key
)
select
    unnest(q.__ltr_key),
    pairs.kendall_distance as kendall_distance
from __ltr_queries as q
left join __ltr_by_pairs as pairs
    on pairs.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.kendall_distance is 'Share or number of document pairs that two rankings order differently, over the documents in the top k of both. KendallDistance = discordant pairs / (n (n - 1) / 2), or discordant pairs with scale = ''count''; n = |documents in both|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. scale: ''share'' returns a share of all pairs, ''count'' a number of pairs. Kendall 1938, A new measure of rank correlation; Fagin, Kumar and Sivakumar 2003, Comparing top k lists.';

create or replace macro ltr.kendall_tau(pairs, k := null, variant := 'b', keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs) || ltr.__ltr_check_variant('kendall_tau', variant), keys)
    where ltr.__ltr_check_k_or_null('kendall_tau', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('kendall_tau', k)
),
__ltr_compared_pairs as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b)
),
__ltr_lists_pairs as (
    select
        r.__ltr_key,
        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
        count(*) as length
    from __ltr_compared_pairs as r
    group by r.__ltr_key
),
__ltr_short_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_pairs as c
        join __ltr_lists_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 20
    ) as r
),
__ltr_long_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_pairs as c
        join __ltr_lists_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 20
    ) as r
),
__ltr_joined_pairs as (
    select
        y.list,
        y.rank_a,
        y.rank_b,
        y.above_b,
        y.position_a,
        count(x.rank_a) as inversions
    from __ltr_short_pairs as y
    left join __ltr_short_pairs as x
        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a
),
__ltr_inverted_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        1e0 * r.inversions as inversions,
        rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a,
        rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b
    from __ltr_joined_pairs as r
    union all
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        1e0 * (rank(order by r.above_b desc nulls last) over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last rows between unbounded preceding and current row) - 1) as inversions,
        rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a,
        rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b
    from __ltr_long_pairs as r
),
__ltr_by_pairs as (
    select
        n.__ltr_key,
        (((1e0 * sum(d.__ltr_above_in_a)) + (1e0 * sum(d.above_b)) - (1e0 * sum(d.__ltr_above_in_a_then_b))) - 2 * sum(d.inversions))
        / nullif(case variant when 'a' then (count(*) * (count(*) - 1e0) / 2) when 'b' then sqrt((1e0 * sum(d.__ltr_above_in_a)) * (1e0 * sum(d.above_b))) when 'c' then (power(count(*), 2) / 2 * (1 - 1e0 / (case when count(distinct d.__ltr_above_in_a) < count(distinct d.above_b) then count(distinct d.__ltr_above_in_a) else count(distinct d.above_b) end))) end, 0) as kendall_tau
    from __ltr_inverted_pairs as d
    join __ltr_lists_pairs as n
        on n.list = d.list
    group by n.__ltr_key
)
select
    unnest(q.__ltr_key),
    pairs.kendall_tau as kendall_tau
from __ltr_queries as q
left join __ltr_by_pairs as pairs
    on pairs.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.kendall_tau is 'Kendall''s tau of two rankings, over the documents in the top k of both. The default is tau-b. KendallTau = variant a: (C - D) / pairs; b: (C - D) / sqrt((pairs - pairs tied in a) (pairs - pairs tied in b)); c: (C - D) / (n^2 (m - 1) / (2 m)); C = concordant pairs, D = discordant pairs, m = smaller number of distinct ranks. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. variant: correction for ties: ''a'' none, ''b'' for ties in each ranking, ''c'' for the number of distinct ranks. Kendall 1945, The treatment of ties in ranking problems; Stuart 1953; scipy.stats.kendalltau.';

create or replace macro ltr.lrap(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('lrap', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('lrap', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_relevant_through_rank,
        count(*) over (partition by r.__ltr_key, r.rank) as __ltr_documents_at_rank
    from __ltr_rankings as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank is not null and d.relevance >= cast(rel as double) then d.__ltr_relevant_through_rank / (d.rank + d.__ltr_documents_at_rank - 1) else 0e0 end)
        / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0) as lrap
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, d.num_ret)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.lrap, 1.0e0) as lrap
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.lrap is 'Label ranking average precision: the mean precision at the relevant documents. Tied documents all take the last of their positions. LRAP = (1 / |relevant|) sum over relevant retrieved documents of |relevant at their rank or above| / last position of their rank; 1 if nothing is relevant. rel: smallest grade that counts as relevant. Tsoumakas et al. 2010, Mining multi-label data; scikit-learn label_ranking_average_precision_score.';

create or replace macro ltr.ncrr(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('ncrr', k)
        and ltr.__ltr_check_rel('ncrr', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('ncrr', k)
        and ltr.__ltr_check_rel('ncrr', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret,
        row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank,
        max(coalesce(r.num_ret, r.rank)) over (partition by r.__ltr_key) as __ltr_retrieved_of_query
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 / d.rank else 0e0 end)
        / nullif(sum(case when d.relevance >= cast(rel as double) and d.__ltr_ideal_rank <= case when k < d.__ltr_retrieved_of_query then k else d.__ltr_retrieved_of_query end then 1e0 / d.__ltr_ideal_rank else 0e0 end), 0) as ncrr
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.ncrr, 0.0e0) as ncrr
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.ncrr is 'Normalised cumulative reciprocal rank: the sum of 1 / rank over the relevant documents of the top k, divided by that of the ideal ranking. NCRR = (sum over relevant documents of rank i <= k of 1 / i) / (sum over i <= min(k, n, |relevant|) of 1 / i), n = |retrieved|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. cornac NCRR.';

create or replace macro ltr.ndcg(rankings, k := null, gain := 'linear', discount := 'log2', ideal := 'cut', empty := '0', level := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_gain('ndcg', gain) || ltr.__ltr_check_discount('ndcg', discount) || ltr.__ltr_check_ideal('ndcg', ideal) || ltr.__ltr_check_empty('ndcg', empty), keys)
    where ltr.__ltr_check_k_or_null('ndcg', k)
        and ltr.__ltr_check_level_or_null('ndcg', level)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('ndcg', k)
        and ltr.__ltr_check_level_or_null('ndcg', level)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank <= coalesce(k, d.rank) and ltr.__ltr_has_gain(cast(level as double), d.relevance) then ltr.__ltr_gain_of(d.relevance, gain) / ltr.__ltr_discount_divisor(discount, d.rank) else 0e0 end))
        / nullif(case ideal when 'cut' then (sum(case when d.__ltr_ideal_rank <= coalesce(k, d.__ltr_ideal_rank) and ltr.__ltr_has_gain(cast(level as double), d.relevance) then ltr.__ltr_gain_of(d.relevance, gain) / ltr.__ltr_discount_divisor(discount, d.__ltr_ideal_rank) else 0e0 end)) when 'whole' then (sum(case when d.__ltr_ideal_rank is not null and ltr.__ltr_has_gain(cast(level as double), d.relevance) then ltr.__ltr_gain_of(d.relevance, gain) / ltr.__ltr_discount_divisor(discount, d.__ltr_ideal_rank) else 0e0 end)) end, 0) as ndcg
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.ndcg, case empty when '0' then 0e0 when '1' then 1e0 end) as ndcg
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.ndcg is 'Normalised discounted cumulative gain: DCG divided by the DCG of the ideal ranking. nDCG = DCG@k / IDCG@k, or DCG@k / IDCG with ideal = ''whole''. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. gain: gain of a grade: ''linear'' is the grade, ''exponential'' is 2^grade - 1. discount: divisor of a gain: ''log2'' is log2(rank + 1), ''rank'' is the rank. ideal: ideal ranking: ''cut'' at k like the ranking, or ''whole''. empty: value of a query without relevant documents; ''skip'' returns NULL and leaves the query out of the mean. level: smallest grade that has a gain; NULL means any grade above 0. Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; trec_eval ndcg, ndcg_cut.';

create or replace macro ltr.ndcg_rel(rankings, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
),
__ltr_positioned as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as ideal_rank,
        count(*) over (partition by r.__ltr_key order by r.relevance desc nulls last range between unbounded preceding and current row) as last_rank_of_grade
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_gain_positions as (
    select
        r.__ltr_key,
        r.position,
        r.gain,
        r.ideal_gain,
        r.ends_grade,
        sum(r.gain / log2(r.position + 1)) over (partition by r.__ltr_key order by r.position asc nulls last range between unbounded preceding and current row) as __ltr_dcg_so_far,
        sum(r.ideal_gain / log2(r.position + 1)) over (partition by r.__ltr_key order by r.position asc nulls last range between unbounded preceding and current row) as __ltr_idcg_so_far
    from (
        select
            p.__ltr_key,
            p.rank as position,
            case when p.relevance > 0 then p.relevance else 0e0 end as gain,
            0e0 as ideal_gain,
            false as ends_grade
        from __ltr_positioned as p
        where p.rank is not null or p.relevance is null
        union all
        select
            p.__ltr_key,
            p.ideal_rank as position,
            0e0 as gain,
            p.relevance as ideal_gain,
            p.ideal_rank = p.last_rank_of_grade as ends_grade
        from __ltr_positioned as p
        where p.relevance > 0
    ) as r
),
__ltr_by_gain_positions as (
    select
        d.__ltr_key,
        (
            sum(case when d.gain > 0 then d.__ltr_dcg_so_far / nullif(d.__ltr_idcg_so_far, 0) else 0e0 end)
            + sum(case when d.ideal_gain > 0 then 1e0 when d.gain > 0 then -1e0 else 0e0 end) * sum(d.gain / log2(d.position + 1)) / nullif(sum(d.ideal_gain / log2(d.position + 1)), 0)
        )
        / nullif(sum(case when d.ideal_gain > 0 then 1e0 else 0e0 end), 0) as ndcg_rel
    from __ltr_gain_positions as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(case when d.gain > 0 then d.position end, d.gain, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(gain_positions.ndcg_rel, 0.0e0) as ndcg_rel
from __ltr_queries as q
left join __ltr_by_gain_positions as gain_positions
    on gain_positions.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.ndcg_rel is 'nDCG at the rank of each relevant document, averaged. A document that was not retrieved counts with the nDCG of the whole ranking. nDCG_rel = mean over documents with relevance > 0 of DCG@i / IDCG@i, i = rank of the document; DCG / IDCG if it was not retrieved. trec_eval ndcg_rel.';

create or replace macro ltr.nerr10(rankings, k := 1000, p := 0.9, min_rel := 0, max_rel := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('nerr10', k)
        and ltr.__ltr_check_p('nerr10', p)
        and ltr.__ltr_check_min_rel('nerr10', min_rel)
        and ltr.__ltr_check_max_rel('nerr10', max_rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('nerr10', k)
        and ltr.__ltr_check_p('nerr10', p)
        and ltr.__ltr_check_min_rel('nerr10', min_rel)
        and ltr.__ltr_check_max_rel('nerr10', max_rel)
),
__ltr_all_ranks as (
    select unnest(range(1, cast(k as bigint) + 1)) as rank
),
__ltr_gains as (
    select
        r.__ltr_key,
        r.rank,
        case
            when cast(max_rel as double) is null then r.relevance
            when cast(max_rel as double) <= cast(min_rel as double) then error('max_rel must be larger than min_rel')
            when r.relevance >= cast(max_rel as double) then 1e0
            else (r.relevance - cast(min_rel as double)) / (1e0 * cast(max_rel as double) - cast(min_rel as double))
        end as gain
    from __ltr_rankings as r
    where r.relevance > coalesce(cast(min_rel as double), 0)
),
__ltr_ranks as (
    select
        r.__ltr_key,
        r.rank,
        r.gain,
        exp(coalesce(sum(ln(case when (1 - r.gain) * cast(p as double) > 1e-300 then (1 - r.gain) * cast(p as double) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_nerr10
    from (
        select
            q.__ltr_key,
            n.rank,
            coalesce(g.gain, 0e0) as gain,
            sum(coalesce(g.gain, 0e0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
        from (
            select
                g.__ltr_key
            from __ltr_gains as g
            group by g.__ltr_key
            having ltr.__ltr_validate_ranks(g.rank, g.gain, false, null)
        ) as q
        cross join __ltr_all_ranks as n
        left join __ltr_gains as g
            on g.__ltr_key is not distinct from q.__ltr_key and g.rank = n.rank
    ) as r
),
__ltr_by_ranks as (
    select
        d.__ltr_key,
        sum(case when d.rank <= k then d.__ltr_view_probability_nerr10 * d.gain else 0e0 end) / sum(case when d.rank <= k then d.__ltr_view_probability_nerr10 else 0e0 end) as nerr10
    from __ltr_ranks as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(ranks.nerr10, 0.0e0) as nerr10
from __ltr_queries as q
left join __ltr_by_ranks as ranks
    on ranks.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.nerr10 is 'Normalised expected reciprocal rank, equation 10: the expected gain per viewed rank of a user who stops when satisfied, and otherwise continues with probability p. NERR10 = (sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i (1 - gain_i) p. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. p: persistence: probability that the user continues to the next rank. min_rel: largest grade with gain 0; grades from min_rel to max_rel are rescaled to gains from 0 to 1. max_rel: smallest grade with gain 1. Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq10 (k = 1000).';

create or replace macro ltr.nerr11(rankings, k := 1000, T := 1, min_rel := 0, max_rel := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('nerr11', k)
        and ltr.__ltr_check_T('nerr11', T)
        and ltr.__ltr_check_min_rel('nerr11', min_rel)
        and ltr.__ltr_check_max_rel('nerr11', max_rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('nerr11', k)
        and ltr.__ltr_check_T('nerr11', T)
        and ltr.__ltr_check_min_rel('nerr11', min_rel)
        and ltr.__ltr_check_max_rel('nerr11', max_rel)
),
__ltr_all_ranks as (
    select unnest(range(1, cast(k as bigint) + 1)) as rank
),
__ltr_gains as (
    select
        r.__ltr_key,
        r.rank,
        case
            when cast(max_rel as double) is null then r.relevance
            when cast(max_rel as double) <= cast(min_rel as double) then error('max_rel must be larger than min_rel')
            when r.relevance >= cast(max_rel as double) then 1e0
            else (r.relevance - cast(min_rel as double)) / (1e0 * cast(max_rel as double) - cast(min_rel as double))
        end as gain
    from __ltr_rankings as r
    where r.relevance > coalesce(cast(min_rel as double), 0)
),
__ltr_ranks as (
    select
        r.__ltr_key,
        r.rank,
        r.gain,
        exp(coalesce(sum(ln(case when (1 - r.gain) * power(1 - 1 / (r.rank + 2e0 * cast(T as double)), 2) > 1e-300 then (1 - r.gain) * power(1 - 1 / (r.rank + 2e0 * cast(T as double)), 2) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_nerr11
    from (
        select
            q.__ltr_key,
            n.rank,
            coalesce(g.gain, 0e0) as gain,
            sum(coalesce(g.gain, 0e0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
        from (
            select
                g.__ltr_key
            from __ltr_gains as g
            group by g.__ltr_key
            having ltr.__ltr_validate_ranks(g.rank, g.gain, false, null)
        ) as q
        cross join __ltr_all_ranks as n
        left join __ltr_gains as g
            on g.__ltr_key is not distinct from q.__ltr_key and g.rank = n.rank
    ) as r
),
__ltr_by_ranks as (
    select
        d.__ltr_key,
        sum(case when d.rank <= k then d.__ltr_view_probability_nerr11 * d.gain else 0e0 end) / sum(case when d.rank <= k then d.__ltr_view_probability_nerr11 else 0e0 end) as nerr11
    from __ltr_ranks as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(ranks.nerr11, 0.0e0) as nerr11
from __ltr_queries as q
left join __ltr_by_ranks as ranks
    on ranks.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.nerr11 is 'Normalised expected reciprocal rank, equation 11: the expected gain per viewed rank of a user who stops when satisfied, and otherwise continues as in INSQ. NERR11 = (sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i (1 - gain_i) ((i + 2T - 1) / (i + 2T))^2. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. T: total gain that the user wants. min_rel: largest grade with gain 0; grades from min_rel to max_rel are rescaled to gains from 0 to 1. max_rel: smallest grade with gain 1. Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq11 (k = 1000).';

create or replace macro ltr.nerr8(rankings, k := null, min_rel := 0, max_rel := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('nerr8', k)
        and ltr.__ltr_check_min_rel('nerr8', min_rel)
        and ltr.__ltr_check_max_rel('nerr8', max_rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('nerr8', k)
        and ltr.__ltr_check_min_rel('nerr8', min_rel)
        and ltr.__ltr_check_max_rel('nerr8', max_rel)
),
__ltr_all_ranks as (
    select unnest(range(1, cast(k as bigint) + 1)) as rank
),
__ltr_gains as (
    select
        r.__ltr_key,
        r.rank,
        case
            when cast(max_rel as double) is null then r.relevance
            when cast(max_rel as double) <= cast(min_rel as double) then error('max_rel must be larger than min_rel')
            when r.relevance >= cast(max_rel as double) then 1e0
            else (r.relevance - cast(min_rel as double)) / (1e0 * cast(max_rel as double) - cast(min_rel as double))
        end as gain
    from __ltr_rankings as r
    where r.relevance > coalesce(cast(min_rel as double), 0)
),
__ltr_ranks as (
    select
        r.__ltr_key,
        r.rank,
        r.gain,
        exp(coalesce(sum(ln(case when 1 - r.gain > 1e-300 then 1 - r.gain else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_nerr8
    from (
        select
            q.__ltr_key,
            n.rank,
            coalesce(g.gain, 0e0) as gain,
            sum(coalesce(g.gain, 0e0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
        from (
            select
                g.__ltr_key
            from __ltr_gains as g
            group by g.__ltr_key
            having ltr.__ltr_validate_ranks(g.rank, g.gain, false, null)
        ) as q
        cross join __ltr_all_ranks as n
        left join __ltr_gains as g
            on g.__ltr_key is not distinct from q.__ltr_key and g.rank = n.rank
    ) as r
),
__ltr_by_ranks as (
    select
        d.__ltr_key,
        sum(case when d.rank <= k then d.__ltr_view_probability_nerr8 * d.gain else 0e0 end) / sum(case when d.rank <= k then d.__ltr_view_probability_nerr8 else 0e0 end) as nerr8
    from __ltr_ranks as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(ranks.nerr8, 0.0e0) as nerr8
from __ltr_queries as q
left join __ltr_by_ranks as ranks
    on ranks.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.nerr8 is 'Normalised expected reciprocal rank, equation 8: the expected gain per viewed rank of a user who stops when a document satisfies them. NERR8 = (sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i (1 - gain_i). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. min_rel: largest grade with gain 0; grades from min_rel to max_rel are rescaled to gains from 0 to 1. max_rel: smallest grade with gain 1. Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq8.';

create or replace macro ltr.nerr9(rankings, k := null, min_rel := 0, max_rel := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('nerr9', k)
        and ltr.__ltr_check_min_rel('nerr9', min_rel)
        and ltr.__ltr_check_max_rel('nerr9', max_rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('nerr9', k)
        and ltr.__ltr_check_min_rel('nerr9', min_rel)
        and ltr.__ltr_check_max_rel('nerr9', max_rel)
),
__ltr_all_ranks as (
    select unnest(range(1, cast(k as bigint) + 1)) as rank
),
__ltr_gains as (
    select
        r.__ltr_key,
        r.rank,
        case
            when cast(max_rel as double) is null then r.relevance
            when cast(max_rel as double) <= cast(min_rel as double) then error('max_rel must be larger than min_rel')
            when r.relevance >= cast(max_rel as double) then 1e0
            else (r.relevance - cast(min_rel as double)) / (1e0 * cast(max_rel as double) - cast(min_rel as double))
        end as gain
    from __ltr_rankings as r
    where r.relevance > coalesce(cast(min_rel as double), 0)
),
__ltr_ranks as (
    select
        r.__ltr_key,
        r.rank,
        r.gain,
        exp(coalesce(sum(ln(case when (1 - r.gain) * r.rank / (r.rank + 1) > 1e-300 then (1 - r.gain) * r.rank / (r.rank + 1) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_nerr9
    from (
        select
            q.__ltr_key,
            n.rank,
            coalesce(g.gain, 0e0) as gain,
            sum(coalesce(g.gain, 0e0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
        from (
            select
                g.__ltr_key
            from __ltr_gains as g
            group by g.__ltr_key
            having ltr.__ltr_validate_ranks(g.rank, g.gain, false, null)
        ) as q
        cross join __ltr_all_ranks as n
        left join __ltr_gains as g
            on g.__ltr_key is not distinct from q.__ltr_key and g.rank = n.rank
    ) as r
),
__ltr_by_ranks as (
    select
        d.__ltr_key,
        sum(case when d.rank <= k then d.__ltr_view_probability_nerr9 * d.gain else 0e0 end) / sum(case when d.rank <= k then d.__ltr_view_probability_nerr9 else 0e0 end) as nerr9
    from __ltr_ranks as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(ranks.nerr9, 0.0e0) as nerr9
from __ltr_queries as q
left join __ltr_by_ranks as ranks
    on ranks.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.nerr9 is 'Normalised expected reciprocal rank, equation 9: the expected gain per viewed rank of a user who stops when satisfied, and otherwise continues more readily at deeper ranks. NERR9 = (sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i (1 - gain_i) i / (i + 1). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. min_rel: largest grade with gain 0; grades from min_rel to max_rel are rescaled to gains from 0 to 1. max_rel: smallest grade with gain 1. Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq9.';

create or replace macro ltr.nerr_ia(rankings, k := null, alpha := 0.5, rel := 1, keys := []::varchar[]) as table
with recursive __ltr_rankings as not materialized (
    from ltr.__ltr_covers(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('nerr_ia', k)
        and ltr.__ltr_check_alpha('nerr_ia', alpha)
        and ltr.__ltr_check_rel('nerr_ia', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries(rankings, keys)
    where ltr.__ltr_check_k_or_null('nerr_ia', k)
        and ltr.__ltr_check_alpha('nerr_ia', alpha)
        and ltr.__ltr_check_rel('nerr_ia', rel)
),
__ltr_covers as (
    select
        r.__ltr_key,
        cast(r.doc_id as varchar) as doc_id,
        r.rank,
        r.subtopic
    from __ltr_rankings as r
    where r.relevance >= cast(rel as double) and r.subtopic is not null
),
__ltr_greedy as (
    select
        c.__ltr_key,
        c.doc_id,
        c.subtopic,
        0 as covered,
        0 as position,
        false as chosen
    from __ltr_covers as c
    union all
    select
        s.__ltr_key,
        s.doc_id,
        s.subtopic,
        s.covered + max(case when s.doc_id = s.best_doc_id then 1 else 0 end) over (partition by s.__ltr_key, s.subtopic) as covered,
        s.position + 1 as position,
        s.doc_id = s.best_doc_id as chosen
    from (
        select
            n.__ltr_key,
            n.doc_id,
            n.subtopic,
            n.covered,
            n.position,
            first_value(n.doc_id) over (partition by n.__ltr_key order by n.novelty desc nulls last, n.doc_id desc nulls last) as best_doc_id
        from (
            select
                g.__ltr_key,
                g.doc_id,
                g.subtopic,
                g.covered,
                g.position,
                round(sum(power(1e0 - cast(alpha as double), g.covered)) over (partition by g.__ltr_key, g.doc_id), 12) as novelty
            from __ltr_greedy as g
            where not g.chosen and (g.position + 1) <= coalesce(k, (g.position + 1))
        ) as n
    ) as s
),
__ltr_ideal as (
    select
        g.__ltr_key,
        g.doc_id,
        g.position
    from __ltr_greedy as g
    where g.chosen
    group by g.__ltr_key, g.doc_id, g.position
),
__ltr_covers_with_ideal_rank as (
    select
        c.__ltr_key,
        c.doc_id,
        c.rank,
        c.subtopic,
        i.position as ideal_rank
    from __ltr_covers as c
    left join __ltr_ideal as i
        on i.__ltr_key is not distinct from c.__ltr_key and i.doc_id = c.doc_id
),
__ltr_subtopics as (
    select
        r.__ltr_key,
        r.doc_id,
        r.rank,
        r.subtopic,
        r.ideal_rank,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.ideal_rank asc nulls last) - 1 as __ltr_times_covered_above_in_ideal
    from __ltr_covers_with_ideal_rank as r
),
__ltr_by_subtopics as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then power(1e0 - cast(alpha as double), d.__ltr_times_covered_above) * 1e0 / d.rank else 0e0 end)
        / nullif(sum(case when d.ideal_rank <= coalesce(k, d.ideal_rank) then power(1e0 - cast(alpha as double), d.__ltr_times_covered_above_in_ideal) * 1e0 / d.ideal_rank else 0e0 end), 0) as nerr_ia
    from __ltr_subtopics as d
    group by d.__ltr_key
    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
)
select
    unnest(q.__ltr_key),
    coalesce(subtopics.nerr_ia, 0.0e0) as nerr_ia
from __ltr_queries as q
left join __ltr_by_subtopics as subtopics
    on subtopics.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.nerr_ia is 'Intent-aware expected reciprocal rank, divided by its value for the greedy ideal ranking. nERR_IA = E / E of the greedy ideal ranking, E = sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / i. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. alpha: each document above that covers a subtopic reduces the gain of that subtopic by this share. rel: smallest grade that counts as relevant. Chapelle et al. 2009, Expected reciprocal rank for graded relevance; ndeval nERR-IA.';

create or replace macro ltr.nnrbp(rankings, alpha := 0.5, beta := 0.5, rel := 1, keys := []::varchar[]) as table
with recursive __ltr_rankings as not materialized (
    from ltr.__ltr_covers(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_alpha('nnrbp', alpha)
        and ltr.__ltr_check_beta('nnrbp', beta)
        and ltr.__ltr_check_rel('nnrbp', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries(rankings, keys)
    where ltr.__ltr_check_alpha('nnrbp', alpha)
        and ltr.__ltr_check_beta('nnrbp', beta)
        and ltr.__ltr_check_rel('nnrbp', rel)
),
__ltr_covers as (
    select
        r.__ltr_key,
        cast(r.doc_id as varchar) as doc_id,
        r.rank,
        r.subtopic
    from __ltr_rankings as r
    where r.relevance >= cast(rel as double) and r.subtopic is not null
),
__ltr_greedy as (
    select
        c.__ltr_key,
        c.doc_id,
        c.subtopic,
        0 as covered,
        0 as position,
        false as chosen
    from __ltr_covers as c
    union all
    select
        s.__ltr_key,
        s.doc_id,
        s.subtopic,
        s.covered + max(case when s.doc_id = s.best_doc_id then 1 else 0 end) over (partition by s.__ltr_key, s.subtopic) as covered,
        s.position + 1 as position,
        s.doc_id = s.best_doc_id as chosen
    from (
        select
            n.__ltr_key,
            n.doc_id,
            n.subtopic,
            n.covered,
            n.position,
            first_value(n.doc_id) over (partition by n.__ltr_key order by n.novelty desc nulls last, n.doc_id desc nulls last) as best_doc_id
        from (
            select
                g.__ltr_key,
                g.doc_id,
                g.subtopic,
                g.covered,
                g.position,
                round(sum(power(1e0 - cast(alpha as double), g.covered)) over (partition by g.__ltr_key, g.doc_id), 12) as novelty
            from __ltr_greedy as g
            where not g.chosen and (g.position + 1) is not null
        ) as n
    ) as s
),
__ltr_ideal as (
    select
        g.__ltr_key,
        g.doc_id,
        g.position
    from __ltr_greedy as g
    where g.chosen
    group by g.__ltr_key, g.doc_id, g.position
),
__ltr_covers_with_ideal_rank as (
    select
        c.__ltr_key,
        c.doc_id,
        c.rank,
        c.subtopic,
        i.position as ideal_rank
    from __ltr_covers as c
    left join __ltr_ideal as i
        on i.__ltr_key is not distinct from c.__ltr_key and i.doc_id = c.doc_id
),
__ltr_subtopics as (
    select
        r.__ltr_key,
        r.doc_id,
        r.rank,
        r.subtopic,
        r.ideal_rank,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.ideal_rank asc nulls last) - 1 as __ltr_times_covered_above_in_ideal
    from __ltr_covers_with_ideal_rank as r
),
__ltr_by_subtopics as (
    select
        d.__ltr_key,
        sum(case when d.rank is not null then power(1e0 - cast(alpha as double), d.__ltr_times_covered_above) * power(cast(beta as double), d.rank - 1) else 0e0 end)
        / nullif(sum(case when d.ideal_rank is not null then power(1e0 - cast(alpha as double), d.__ltr_times_covered_above_in_ideal) * power(cast(beta as double), d.ideal_rank - 1) else 0e0 end), 0) as nnrbp
    from __ltr_subtopics as d
    group by d.__ltr_key
    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
)
select
    unnest(q.__ltr_key),
    coalesce(subtopics.nnrbp, 0.0e0) as nnrbp
from __ltr_queries as q
left join __ltr_by_subtopics as subtopics
    on subtopics.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.nnrbp is 'Novelty- and rank-biased precision, divided by its value for the greedy ideal ranking. nNRBP = N / N of the greedy ideal ranking, N = sum over ranks i of beta^(i - 1) (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|). alpha: each document above that covers a subtopic reduces the gain of that subtopic by this share. beta: patience: probability that the user continues to the next rank. rel: smallest grade that counts as relevant. Clarke, Kolla and Vechtomova 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval nNRBP.';

create or replace macro ltr.nrbp(rankings, alpha := 0.5, beta := 0.5, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_covers(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_alpha('nrbp', alpha)
        and ltr.__ltr_check_beta('nrbp', beta)
        and ltr.__ltr_check_rel('nrbp', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries(rankings, keys)
    where ltr.__ltr_check_alpha('nrbp', alpha)
        and ltr.__ltr_check_beta('nrbp', beta)
        and ltr.__ltr_check_rel('nrbp', rel)
),
__ltr_coverage as (
    select
        r.__ltr_key,
        r.doc_id,
        r.rank,
        r.subtopic,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above
    from __ltr_rankings as r
    where r.relevance >= cast(rel as double) and r.subtopic is not null
),
__ltr_by_coverage as (
    select
        d.__ltr_key,
        (1e0 - (1e0 - cast(alpha as double)) * cast(beta as double)) / count(distinct d.subtopic)
        * sum(case when d.rank is not null then power(1e0 - cast(alpha as double), d.__ltr_times_covered_above) * power(cast(beta as double), d.rank - 1) else 0e0 end) as nrbp
    from __ltr_coverage as d
    group by d.__ltr_key
    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
)
select
    unnest(q.__ltr_key),
    coalesce(coverage.nrbp, 0.0e0) as nrbp
from __ltr_queries as q
left join __ltr_by_coverage as coverage
    on coverage.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.nrbp is 'Novelty- and rank-biased precision: RBP for diversity. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain. NRBP = ((1 - (1 - alpha) beta) / |subtopics|) sum over ranks i of beta^(i - 1) (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|). alpha: each document above that covers a subtopic reduces the gain of that subtopic by this share. beta: patience: probability that the user continues to the next rank. rel: smallest grade that counts as relevant. Clarke, Kolla and Vechtomova 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval NRBP.';

create or replace macro ltr.num_nonrel_judged_ret(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('num_nonrel_judged_ret', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('num_nonrel_judged_ret', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance is not null
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank is not null and d.relevance >= 0 and d.relevance < cast(rel as double) then 1e0 else 0e0 end) as num_nonrel_judged_ret
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.num_nonrel_judged_ret, 0.0e0) as num_nonrel_judged_ret
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.num_nonrel_judged_ret is 'Number of retrieved documents that are judged nonrelevant. NumNonrelJudgedRet = |retrieved with 0 <= relevance < rel|. rel: smallest grade that counts as relevant. trec_eval num_nonrel_judged_ret.';

create or replace macro ltr.num_q(rankings, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        max(1e0) as num_q
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.num_q, 1.0e0) as num_q
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.num_q is 'Number of queries: 1 for each query, summed over queries. NumQ = 1. trec_eval num_q.';

create or replace macro ltr.num_rel(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('num_rel', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('num_rel', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end) as num_rel
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.num_rel, 0.0e0) as num_rel
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.num_rel is 'Number of relevant documents of the query, retrieved or not. NumRel = R = |relevant|. rel: smallest grade that counts as relevant. trec_eval num_rel.';

create or replace macro ltr.num_rel_ret(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('num_rel_ret', k)
        and ltr.__ltr_check_rel('num_rel_ret', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('num_rel_ret', k)
        and ltr.__ltr_check_rel('num_rel_ret', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end) as num_rel_ret
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.num_rel_ret, 0.0e0) as num_rel_ret
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.num_rel_ret is 'Number of relevant documents in the top k. NumRelRet = H = |relevant in top k|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. trec_eval num_rel_ret; ranx hits.';

create or replace macro ltr.num_ret(rankings, k := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('num_ret', k)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('num_ret', k)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        coalesce(case when k < max(d.num_ret) then k else max(d.num_ret) end, 0) as num_ret
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.num_ret, 0.0e0) as num_ret
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.num_ret is 'Number of retrieved documents in the top k, judged or not. NumRet = min(k, n), n = |retrieved|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. trec_eval num_ret.';

create or replace macro ltr.opa(rankings, tied := 0, empty := 'skip', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_empty('opa', empty), keys)
    where ltr.__ltr_check_tied('opa', tied)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_tied('opa', tied)
),
__ltr_graded_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.rank is not null and r.relevance >= 0
),
__ltr_grades as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        r.grade,
        sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.grade order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_lower_grades_through_rank,
        sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.grade, r.rank) as __ltr_lower_grades_at_rank,
        sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.grade) as __ltr_lower_grades_of_query
    from (
        select
            s.__ltr_key,
            s.rank,
            s.relevance,
            g.grade
        from (
            select
                t.__ltr_key,
                t.relevance as grade
            from __ltr_graded_documents as t
            group by t.__ltr_key, t.relevance
        ) as g
        join __ltr_graded_documents as s
            on s.__ltr_key is not distinct from g.__ltr_key and s.relevance <= g.grade
    ) as r
),
__ltr_by_grades as (
    select
        d.__ltr_key,
        1 - sum(case when d.relevance = d.grade then d.__ltr_lower_grades_through_rank - cast(tied as double) * d.__ltr_lower_grades_at_rank else 0e0 end)
        / nullif(sum(case when d.relevance = d.grade then d.__ltr_lower_grades_of_query else 0e0 end), 0) as opa
    from __ltr_grades as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(grades.opa, case empty when '0' then 0e0 when '1' then 1e0 end) as opa
from __ltr_queries as q
left join __ltr_by_grades as grades
    on grades.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.opa is 'Ordered pair accuracy: the share of pairs of documents with different grades that the ranking orders correctly. Only judged, retrieved documents count. OPA = (pairs with the higher grade above + tied * |pairs at one rank|) / pairs of different grades; NULL without pairs. tied: credit for a pair of documents at one rank: 0 counts it as incorrect, 0.5 as half correct. empty: value of a query without pairs; ''skip'' returns NULL and leaves the query out of the mean. TF-Ranking OPAMetric; CatBoost QueryAUC type=Ranking (tied = 0.5).';

create or replace macro ltr.overlap(pairs, k := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs), keys)
    where ltr.__ltr_check_k_or_null('overlap', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('overlap', k)
),
__ltr_lists as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b,
        case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end as lower_rank
    from (
        select
            p.__ltr_key,
            case when p.rank_a <= coalesce(k, p.rank_a) then case when p.rank_a < 1 or p.rank_a > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_a end end as rank_a,
            case when p.rank_b <= coalesce(k, p.rank_b) then case when p.rank_b < 1 or p.rank_b > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_b end end as rank_b
        from __ltr_paired as p
    ) as r
    where r.rank_a is not null or r.rank_b is not null
),
__ltr_by_either_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank_a is not null and d.rank_b is not null then 1e0 else 0e0 end) / ((case when coalesce(k, ceil(max(d.lower_rank))) > count(d.rank_a) then coalesce(k, ceil(max(d.lower_rank))) else count(d.rank_a) end + case when coalesce(k, ceil(max(d.lower_rank))) > count(d.rank_b) then coalesce(k, ceil(max(d.lower_rank))) else count(d.rank_b) end) / 2e0) as overlap
    from __ltr_lists as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    either_documents.overlap as overlap
from __ltr_queries as q
left join __ltr_by_either_documents as either_documents
    on either_documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.overlap is 'Share of the top k that two rankings have in common. The divisor is k even if the rankings are shorter, and larger if ties make the top k larger. Overlap = |in both top k| / size, size = mean of max(k, |top k of a|) and max(k, |top k of b|) (k without ties). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. Wu and Crestani 2003, Methods for ranking information retrieval systems without relevance judgments; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap.';

create or replace macro ltr.p(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('p', k)
        and ltr.__ltr_check_rel('p', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('p', k)
        and ltr.__ltr_check_rel('p', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / k as p
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.p, 0.0e0) as p
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.p is 'Precision: the share of relevant documents in the top k. The divisor is k even if fewer documents were retrieved. P = |relevant in top k| / k. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. van Rijsbergen 1979, Information Retrieval; trec_eval P.';

create or replace macro ltr.p_ia(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_covers(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('p_ia', k)
        and ltr.__ltr_check_rel('p_ia', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries(rankings, keys)
    where ltr.__ltr_check_k('p_ia', k)
        and ltr.__ltr_check_rel('p_ia', rel)
),
__ltr_coverage as (
    select
        r.__ltr_key,
        r.doc_id,
        r.rank,
        r.subtopic
    from __ltr_rankings as r
    where r.relevance >= cast(rel as double) and r.subtopic is not null
),
__ltr_by_coverage as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then 1e0 else 0e0 end) / (k * count(distinct d.subtopic)) as p_ia
    from __ltr_coverage as d
    group by d.__ltr_key
    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
)
select
    unnest(q.__ltr_key),
    coalesce(coverage.p_ia, 0.0e0) as p_ia
from __ltr_queries as q
left join __ltr_by_coverage as coverage
    on coverage.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.p_ia is 'Intent-aware precision: P for each subtopic, averaged over the subtopics. P_IA = (sum over ranks <= k of |subtopics of the document|) / (k |subtopics|). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. Agrawal et al. 2009, Diversifying search results; ndeval P-IA.';

create or replace macro ltr.pair_accuracy(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('pair_accuracy', k)
        and ltr.__ltr_check_rel('pair_accuracy', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('pair_accuracy', k)
        and ltr.__ltr_check_rel('pair_accuracy', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        1 - sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then d.rank - d.__ltr_relevant_so_far else 0e0 end)
        / nullif((sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) * ((coalesce(case when k < max(d.num_ret) then k else max(d.num_ret) end, 0)) - (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end))), 0) as pair_accuracy
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    documents.pair_accuracy as pair_accuracy
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.pair_accuracy is 'Share of (relevant, other) document pairs in the top k that the ranking orders correctly. PairAccuracy = 1 - (sum over relevant documents of rank i <= k of (i - |relevant with rank <= i|)) / (|relevant in top k| (min(k, n) - |relevant in top k|)), n = |retrieved|; NULL without such a pair. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. ir_measures Accuracy; without k the area under the ROC curve of the ranking.';

create or replace macro ltr.pearson(pairs, k := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_scored_pairs(ltr.__ltr_table(pairs), keys)
    where ltr.__ltr_check_k_or_null('pearson', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('pearson', k)
),
__ltr_centered as (
    select
        r.__ltr_key,
        r.score_a,
        r.score_b,
        r.score_a - avg(r.score_a) over (partition by r.__ltr_key) as distance_a,
        r.score_b - avg(r.score_b) over (partition by r.__ltr_key) as distance_b
    from __ltr_paired as r
    where r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b)
),
__ltr_scaled as (
    select
        r.__ltr_key,
        r.score_a,
        r.score_b,
        r.distance_a / nullif(max(abs(r.distance_a)) over (partition by r.__ltr_key), 0) as share_a,
        r.distance_b / nullif(max(abs(r.distance_b)) over (partition by r.__ltr_key), 0) as share_b
    from __ltr_centered as r
),
__ltr_scores as (
    select
        r.__ltr_key,
        r.score_a,
        r.score_b,
        r.share_a - avg(r.share_a) over (partition by r.__ltr_key) as deviation_a,
        r.share_b - avg(r.share_b) over (partition by r.__ltr_key) as deviation_b
    from __ltr_scaled as r
),
__ltr_by_scores as (
    select
        d.__ltr_key,
        case when min(d.score_a) < max(d.score_a) and min(d.score_b) < max(d.score_b) then sum(d.deviation_a * d.deviation_b) / sqrt(sum(d.deviation_a * d.deviation_a) * sum(d.deviation_b * d.deviation_b)) end as pearson
    from __ltr_scores as d
    group by d.__ltr_key
    having ltr.__ltr_validate_scores(d.score_a, d.score_b)
)
select
    unnest(q.__ltr_key),
    scores.pearson as pearson
from __ltr_queries as q
left join __ltr_by_scores as scores
    on scores.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.pearson is 'Pearson correlation of the scores of two rankings, over the documents in the top k of both. Pearson = cov(score_a, score_b) / sqrt(var(score_a) var(score_b)). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. Pearson 1895, Notes on regression and inheritance in the case of two parents; scipy.stats.pearsonr.';

create or replace macro ltr.pfound(rankings, k := null, max_grade := null, decay := 0.85, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('pfound', k)
        and ltr.__ltr_check_max_grade('pfound', max_grade)
        and ltr.__ltr_check_decay('pfound', decay)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('pfound', k)
        and ltr.__ltr_check_max_grade('pfound', max_grade)
        and ltr.__ltr_check_decay('pfound', decay)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        exp(coalesce(sum(ln(case when 1 - ltr.__ltr_satisfaction(r.relevance, cast(max_grade as double), 'linear') > 1e-300 then 1 - ltr.__ltr_satisfaction(r.relevance, cast(max_grade as double), 'linear') else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_not_satisfied_above_linear
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        case when max(d.relevance) > cast(max_grade as double) then error('a grade is above max_grade: set max_grade to the largest grade of the scale') else sum(case when d.rank <= coalesce(k, d.rank) then d.__ltr_not_satisfied_above_linear * power(cast(decay as double), d.rank - 1) * ltr.__ltr_satisfaction(d.relevance, cast(max_grade as double), 'linear') else 0e0 end) end as pfound
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.pfound, 0.0e0) as pfound
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.pfound is 'Probability that the user finds a satisfying document. After an unsatisfying document, the user continues with the probability `decay`. PFound = sum over ranks i <= k of s_i decay^(i - 1) prod over j < i of (1 - s_j), s = relevance / max_grade. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. max_grade: largest grade of the scale; a higher grade is an error. decay: probability that an unsatisfied user continues to the next rank. Yandex pFound, Gulin et al. 2009; CatBoost PFound (max_grade = 1).';

create or replace macro ltr.precision_at(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('precision_at', k)
        and ltr.__ltr_check_rel('precision_at', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('precision_at', k)
        and ltr.__ltr_check_rel('precision_at', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((coalesce(case when k < max(d.num_ret) then k else max(d.num_ret) end, 0)), 0) as precision_at
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.precision_at, 0.0e0) as precision_at
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.precision_at is 'Share of relevant documents in the top k, or among all retrieved documents if there are fewer. PrecisionAt = |relevant in top k| / min(k, n), n = |retrieved|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. CatBoost PrecisionAt; XGBoost pre.';

create or replace macro ltr.pwa(rankings, k := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('pwa', k)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('pwa', k)
),
__ltr_all_ranks_all_all as (
    select unnest(range(1, cast(k as bigint) + 1)) as rank
),
__ltr_gains_all_all as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance as gain
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_ranks_all_all as (
    select
        r.__ltr_key,
        r.rank,
        r.gain,
        exp(coalesce(sum(ln(case when 1e0 * r.rank / (r.rank + 1) > 1e-300 then 1e0 * r.rank / (r.rank + 1) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_pwa
    from (
        select
            q.__ltr_key,
            n.rank,
            coalesce(g.gain, 0e0) as gain,
            sum(coalesce(g.gain, 0e0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
        from (
            select
                g.__ltr_key
            from __ltr_gains_all_all as g
            group by g.__ltr_key
            having ltr.__ltr_validate_ranks(g.rank, g.gain, false, null)
        ) as q
        cross join __ltr_all_ranks_all_all as n
        left join __ltr_gains_all_all as g
            on g.__ltr_key is not distinct from q.__ltr_key and g.rank = n.rank
    ) as r
),
__ltr_by_ranks_all_all as (
    select
        d.__ltr_key,
        sum(case when d.rank <= k then d.__ltr_view_probability_pwa * d.gain else 0e0 end) / sum(case when d.rank <= k then d.__ltr_view_probability_pwa else 0e0 end) as pwa
    from __ltr_ranks_all_all as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(ranks_all_all.pwa, 0.0e0) as pwa
from __ltr_queries as q
left join __ltr_by_ranks_all_all as ranks_all_all
    on ranks_all_all.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.pwa is 'Position-weighted average: the mean grade of the top k, weighted by 1 / rank. PWA = (sum over ranks i <= k of relevance / i) / (sum over i <= k of 1 / i); a user continues from rank i with probability i / (i + 1). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. TF-Ranking PWAMetric.';

create or replace macro ltr.r(rankings, k := null, rel := 1, empty := '0', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings) || ltr.__ltr_check_empty('r', empty), keys)
    where ltr.__ltr_check_k_or_null('r', k)
        and ltr.__ltr_check_rel('r', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('r', k)
        and ltr.__ltr_check_rel('r', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0) as r
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.r, case empty when '0' then 0e0 when '1' then 1e0 end) as r
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.r is 'Recall: the share of the query''s relevant documents, retrieved or not, that are in the top k. R = |relevant in top k| / |relevant|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. empty: value of a query without relevant documents; ''skip'' returns NULL and leaves the query out of the mean. van Rijsbergen 1979, Information Retrieval; trec_eval recall.';

create or replace macro ltr.ranking_loss(rankings, rel := 1, tied := 0, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('ranking_loss', rel)
        and ltr.__ltr_check_tied('ranking_loss', tied)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('ranking_loss', rel)
        and ltr.__ltr_check_tied('ranking_loss', tied)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= 0 and r.relevance < cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_nonrelevant_through_rank,
        sum(case when r.relevance >= 0 and r.relevance < cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as __ltr_nonrelevant_at_rank
    from __ltr_rankings as r
    where r.relevance is not null
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        sum(case when d.rank is not null and d.relevance >= cast(rel as double) then d.__ltr_nonrelevant_through_rank - cast(tied as double) * d.__ltr_nonrelevant_at_rank else 0e0 end)
        / nullif((sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) * sum(case when d.rank is not null and d.relevance >= 0 and d.relevance < cast(rel as double) then 1e0 else 0e0 end), 0) as ranking_loss
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.ranking_loss, 0.0e0) as ranking_loss
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.ranking_loss is 'Share of (relevant, nonrelevant) document pairs that the ranking orders incorrectly. Only judged, retrieved documents count. RankingLoss = (pairs with the nonrelevant document above + (1 - tied) * |pairs at one rank|) / pairs; 0 without pairs. rel: smallest grade that counts as relevant. tied: credit for a pair of documents at one rank: 0 counts it as incorrect, 0.5 as half correct. Tsoumakas et al. 2010, Mining multi-label data; scikit-learn label_ranking_loss.';

create or replace macro ltr.rbo(pairs, k := null, p := 0.9, kind := 'ext', ties := 'w', keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs) || ltr.__ltr_check_kind('rbo', kind) || ltr.__ltr_check_ties_w_a_b('rbo', ties), keys)
    where ltr.__ltr_check_k_or_null('rbo', k)
        and ltr.__ltr_check_p('rbo', p)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('rbo', k)
        and ltr.__ltr_check_p('rbo', p)
),
__ltr_sized as (
    select
        r.__ltr_key,
        case when r.length_a <= r.length_b then r.rank_a else r.rank_b end as rank_s,
        case when r.length_a <= r.length_b then r.rank_b else r.rank_a end as rank_l,
        case when r.length_a < r.length_b then r.length_a else r.length_b end as length_s,
        case when r.length_a > r.length_b then r.length_a else r.length_b end as length_l
    from (
        select
            t.__ltr_key,
            t.rank_a,
            t.rank_b,
            count(t.rank_a) over (partition by t.__ltr_key) as length_a,
            count(t.rank_b) over (partition by t.__ltr_key) as length_b
        from (
            select
                p.__ltr_key,
                case when p.rank_a <= coalesce(k, p.rank_a) then case when p.rank_a < 1 or p.rank_a > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_a end end as rank_a,
                case when p.rank_b <= coalesce(k, p.rank_b) then case when p.rank_b < 1 or p.rank_b > 1000000000 then error('ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1') else p.rank_b end end as rank_b
            from __ltr_paired as p
        ) as t
    ) as r
    where r.rank_a is not null or r.rank_b is not null
),
__ltr_spread as (
    select
        r.__ltr_key,
        r.length_s,
        r.length_l,
        case when r.rank_s is not null then row_number() over (partition by r.__ltr_key order by r.rank_s asc nulls last) end as position_s,
        case when r.rank_s is not null then rank() over (partition by r.__ltr_key order by r.rank_s asc nulls last) end as start_s,
        case when r.rank_s is not null then rank() over (partition by r.__ltr_key order by r.rank_s asc nulls last) + count(*) over (partition by r.__ltr_key, r.rank_s) - 1 end as end_s,
        case when r.rank_l is not null then row_number() over (partition by r.__ltr_key order by r.rank_l asc nulls last) end as position_l,
        case when r.rank_l is not null then rank() over (partition by r.__ltr_key order by r.rank_l asc nulls last) end as start_l,
        case when r.rank_l is not null then rank() over (partition by r.__ltr_key order by r.rank_l asc nulls last) + count(*) over (partition by r.__ltr_key, r.rank_l) - 1 end as end_l
    from __ltr_sized as r
),
__ltr_steps as (
    select
        r.__ltr_key,
        r.length_s,
        r.length_l,
        case when r.start_s > r.start_l then r.start_s else r.start_l end as depth,
        1 as partly_both,
        0 as partly_s,
        0 as partly_l,
        0 as whole,
        0 as others_partly,
        0 as others,
        cast(null as double) as start_s,
        cast(null as double) as end_s,
        cast(null as double) as start_l,
        cast(null as double) as end_l
    from __ltr_spread as r
    where r.start_s is not null and r.start_l is not null
    union all
    select
        r.__ltr_key,
        r.length_s,
        r.length_l,
        case when case when r.start_s > r.start_l then r.start_s else r.start_l end > case when r.end_s < r.end_l then r.end_s else r.end_l end then case when r.start_s > r.start_l then r.start_s else r.start_l end else case when r.end_s < r.end_l then r.end_s else r.end_l end end as depth,
        -1 as partly_both,
        case when r.end_l < r.end_s then 1 else 0 end as partly_s,
        case when r.end_s < r.end_l then 1 else 0 end as partly_l,
        0 as whole,
        0 as others_partly,
        0 as others,
        cast(null as double) as start_s,
        cast(null as double) as end_s,
        cast(null as double) as start_l,
        cast(null as double) as end_l
    from __ltr_spread as r
    where r.start_s is not null and r.start_l is not null
    union all
    select
        r.__ltr_key,
        r.length_s,
        r.length_l,
        case when r.end_s > r.end_l then r.end_s else r.end_l end as depth,
        0 as partly_both,
        -case when r.end_l < r.end_s then 1 else 0 end as partly_s,
        -case when r.end_s < r.end_l then 1 else 0 end as partly_l,
        1 as whole,
        0 as others_partly,
        0 as others,
        cast(null as double) as start_s,
        cast(null as double) as end_s,
        cast(null as double) as start_l,
        cast(null as double) as end_l
    from __ltr_spread as r
    where r.start_s is not null and r.start_l is not null
    union all
    select
        r.__ltr_key,
        r.length_s,
        r.length_l,
        r.start_l as depth,
        0 as partly_both,
        0 as partly_s,
        0 as partly_l,
        0 as whole,
        1 as others_partly,
        0 as others,
        cast(null as double) as start_s,
        cast(null as double) as end_s,
        cast(null as double) as start_l,
        cast(null as double) as end_l
    from __ltr_spread as r
    where r.start_s is null
    union all
    select
        r.__ltr_key,
        r.length_s,
        r.length_l,
        r.end_l as depth,
        0 as partly_both,
        0 as partly_s,
        0 as partly_l,
        0 as whole,
        -1 as others_partly,
        1 as others,
        cast(null as double) as start_s,
        cast(null as double) as end_s,
        cast(null as double) as start_l,
        cast(null as double) as end_l
    from __ltr_spread as r
    where r.start_s is null
    union all
    select
        r.__ltr_key,
        r.length_s,
        r.length_l,
        r.position_s as depth,
        0 as partly_both,
        0 as partly_s,
        0 as partly_l,
        0 as whole,
        0 as others_partly,
        0 as others,
        r.start_s as start_s,
        r.end_s as end_s,
        cast(null as double) as start_l,
        cast(null as double) as end_l
    from __ltr_spread as r
    where r.start_s is not null
    union all
    select
        r.__ltr_key,
        r.length_s,
        r.length_l,
        r.position_l as depth,
        0 as partly_both,
        0 as partly_s,
        0 as partly_l,
        0 as whole,
        0 as others_partly,
        0 as others,
        cast(null as double) as start_s,
        cast(null as double) as end_s,
        r.start_l as start_l,
        r.end_l as end_l
    from __ltr_spread as r
    where r.start_l is not null
    union all
    select
        r.__ltr_key,
        r.length_s,
        r.length_l,
        r.length_l + r.position_s as depth,
        0 as partly_both,
        0 as partly_s,
        0 as partly_l,
        0 as whole,
        0 as others_partly,
        0 as others,
        cast(null as double) as start_s,
        cast(null as double) as end_s,
        cast(null as double) as start_l,
        cast(null as double) as end_l
    from __ltr_spread as r
    where r.start_s is not null
),
__ltr_prefixes as (
    select
        r.__ltr_key,
        r.depth,
        r.length_s,
        r.length_l,
        r.start_s,
        r.end_s,
        r.start_l,
        r.end_l,
        sum(r.partly_both) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as partly_both,
        sum(r.partly_s) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as partly_s,
        sum(r.partly_l) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as partly_l,
        sum(r.whole) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as whole,
        sum(r.others_partly) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as others_partly,
        sum(r.others) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as others
    from (
        select
            t.__ltr_key,
            1e0 * t.depth as depth,
            t.length_s,
            t.length_l,
            max(t.start_s) as start_s,
            max(t.end_s) as end_s,
            max(t.start_l) as start_l,
            max(t.end_l) as end_l,
            sum(1e0 * t.partly_both) as partly_both,
            sum(1e0 * t.partly_s) as partly_s,
            sum(1e0 * t.partly_l) as partly_l,
            sum(1e0 * t.whole) as whole,
            sum(1e0 * t.others_partly) as others_partly,
            sum(1e0 * t.others) as others
        from __ltr_steps as t
        group by t.__ltr_key, t.depth, t.length_s, t.length_l
    ) as r
),
__ltr_by_prefixes as (
    select
        d.__ltr_key,
        (1e0 - cast(p as double)) / nullif(cast(p as double), 0) * (case kind when 'ext' then sum(case when d.depth <= d.length_l then case ties when 'w' then (d.whole + d.partly_s + d.partly_l + d.partly_both) when 'a' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) when 'b' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) end / case ties when 'w' then ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) when 'a' then d.depth when 'b' then sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) end * power(cast(p as double), d.depth) else 0e0 end)
            + coalesce(max(case when d.depth = d.length_s then case ties when 'w' then (d.whole + d.partly_s + d.partly_l + d.partly_both) when 'a' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) when 'b' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) end / case ties when 'w' then ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) when 'a' then d.depth when 'b' then sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) end end), 0) * sum(case when d.depth <= d.length_l then case when d.depth > d.length_s then (d.depth - d.length_s) * case ties when 'w' then 1e0 when 'a' then ((d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.others_partly) / (d.others + d.others_partly)) when 'b' then ((d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.others_partly) / (d.others + d.others_partly)) end / case ties when 'w' then ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) when 'a' then d.depth when 'b' then sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) end else 0e0 end * power(cast(p as double), d.depth) else 0e0 end)
            + (max(d.whole) + (max(d.length_l) - max(d.length_s)) * coalesce(max(case when d.depth = d.length_s then case ties when 'w' then (d.whole + d.partly_s + d.partly_l + d.partly_both) when 'a' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) when 'b' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) end / case ties when 'w' then ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) when 'a' then d.depth when 'b' then sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) end end), 0)) / max(d.length_l) * power(cast(p as double), max(d.length_l) + 1) / nullif(1e0 - cast(p as double), 0) when 'min' then sum(case when d.depth <= d.length_l then case ties when 'w' then (d.whole + d.partly_s + d.partly_l + d.partly_both) when 'a' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) when 'b' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) end / case ties when 'w' then ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) when 'a' then d.depth when 'b' then sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) end * power(cast(p as double), d.depth) else 0e0 end) - max(d.whole) * (ln(nullif(1e0 - cast(p as double), 0)) + sum(case when d.depth <= d.length_l then 1 / d.depth * power(cast(p as double), d.depth) else 0e0 end)) when 'max' then sum(case when d.depth <= d.length_l then (case ties when 'w' then (d.whole + d.partly_s + d.partly_l + d.partly_both) when 'a' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) when 'b' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) end + case when d.depth > d.length_s then case ties when 'w' then (d.depth - d.length_s) when 'a' then (case when (d.depth - d.length_s) <= d.others then (d.depth - d.length_s) else d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * ((d.depth - d.length_s) - d.others) end) when 'b' then (case when (d.depth - d.length_s) <= d.others then (d.depth - d.length_s) else d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * ((d.depth - d.length_s) - d.others) end) end else 0e0 end) / case ties when 'w' then ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) when 'a' then d.depth when 'b' then sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) end * power(cast(p as double), d.depth) else 0e0 end)
            + sum(case when d.depth > d.length_l and d.depth <= d.length_l + d.length_s - d.whole then (2 * d.depth - d.length_l - d.length_s + d.whole) / d.depth * power(cast(p as double), d.depth) else 0e0 end)
            + power(cast(p as double), max(d.length_l) + max(d.length_s) - max(d.whole) + 1) / nullif(1e0 - cast(p as double), 0) when 'res' then (sum(case when d.depth <= d.length_l then (case ties when 'w' then (d.whole + d.partly_s + d.partly_l + d.partly_both) when 'a' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) when 'b' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) end + case when d.depth > d.length_s then case ties when 'w' then (d.depth - d.length_s) when 'a' then (case when (d.depth - d.length_s) <= d.others then (d.depth - d.length_s) else d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * ((d.depth - d.length_s) - d.others) end) when 'b' then (case when (d.depth - d.length_s) <= d.others then (d.depth - d.length_s) else d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * ((d.depth - d.length_s) - d.others) end) end else 0e0 end) / case ties when 'w' then ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) when 'a' then d.depth when 'b' then sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) end * power(cast(p as double), d.depth) else 0e0 end)
            + sum(case when d.depth > d.length_l and d.depth <= d.length_l + d.length_s - d.whole then (2 * d.depth - d.length_l - d.length_s + d.whole) / d.depth * power(cast(p as double), d.depth) else 0e0 end)
            + power(cast(p as double), max(d.length_l) + max(d.length_s) - max(d.whole) + 1) / nullif(1e0 - cast(p as double), 0)) - (sum(case when d.depth <= d.length_l then case ties when 'w' then (d.whole + d.partly_s + d.partly_l + d.partly_both) when 'a' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) when 'b' then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) end / case ties when 'w' then ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) when 'a' then d.depth when 'b' then sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) end * power(cast(p as double), d.depth) else 0e0 end) - max(d.whole) * (ln(nullif(1e0 - cast(p as double), 0)) + sum(case when d.depth <= d.length_l then 1 / d.depth * power(cast(p as double), d.depth) else 0e0 end))) end) as rbo
    from __ltr_prefixes as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    prefixes.rbo as rbo
from __ltr_queries as q
left join __ltr_by_prefixes as prefixes
    on prefixes.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.rbo is 'Rank-biased overlap: the agreement of the top d of two rankings, averaged over all depths d with weights that decrease as p^d. The rankings may differ in documents and length. RBO = ((1 - p) / p) sum over depths d of A_d p^d, A_d = |in both top d| / d; kind sets A_d beyond the end of the shorter ranking s and of the longer ranking l. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. p: persistence: probability that the user continues to the next rank. kind: treatment of the unseen ends of the rankings: ''ext'' extrapolates the agreement, ''min'' and ''max'' are the bounds of RBO, ''res'' is their difference. ties: treatment of ties: ''w'' tied documents share one rank, ''a'' averages over all their orders, ''b'' corrects ''a'' so that a ranking agrees fully with itself. Webber, Moffat and Zobel 2010, A similarity measure for indefinite rankings; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap.';

create or replace macro ltr.rbp(rankings, k := null, p := 0.9, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('rbp', k)
        and ltr.__ltr_check_p('rbp', p)
        and ltr.__ltr_check_rel('rbp', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('rbp', k)
        and ltr.__ltr_check_p('rbp', p)
        and ltr.__ltr_check_rel('rbp', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (1 - cast(p as double)) * sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then power(cast(p as double), d.rank - 1) else 0e0 end) as rbp
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.rbp, 0.0e0) as rbp
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.rbp is 'Rank-biased precision: the expected share of relevant documents among those viewed by a user who continues to the next rank with probability p. RBP = (1 - p) sum over relevant documents of rank i <= k of p^(i - 1). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. p: persistence: probability that the user continues to the next rank. rel: smallest grade that counts as relevant. Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness; trec_eval rbp.';

create or replace macro ltr.rbp_resid(rankings, p := 0.9, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_p('rbp_resid', p)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_p('rbp_resid', p)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        case
            when sum(case when d.rank is not null and d.relevance >= 0 then 1e0 else 0e0 end) < (coalesce(max(d.num_ret), 0))
            then 1 - (1 - cast(p as double)) * sum(case when d.rank is not null and d.relevance >= 0 then power(cast(p as double), d.rank - 1) else 0e0 end)
            else 0e0
        end as rbp_resid
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.rbp_resid, 0.0e0) as rbp_resid
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.rbp_resid is 'Residual of RBP: the increase if all unjudged documents were relevant, including those beyond the last rank. It is 0 if every retrieved document is judged. RBPResid = (1 - p) (sum over ranks i <= n without a grade >= 0 of p^(i - 1)) + p^n, n = |retrieved|; 0 if there is no such rank. p: persistence: probability that the user continues to the next rank. Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness; trec_eval rbp_resid.';

create or replace macro ltr.rcap(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('rcap', k)
        and ltr.__ltr_check_rel('rcap', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('rcap', k)
        and ltr.__ltr_check_rel('rcap', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif(case when k < (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) then k else (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) end, 0) as rcap
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.rcap, 0.0e0) as rcap
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.rcap is 'Capped recall: the number of relevant documents in the top k, divided by the largest number that the top k can hold. RCap = |relevant in top k| / min(|relevant|, k). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. trec_eval relative_P; R_cap of BEIR.';

create or replace macro ltr.rndcg(rankings, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
),
__ltr_positioned as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret,
        row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as ideal_rank,
        count(*) over (partition by r.__ltr_key order by r.relevance desc nulls last range between unbounded preceding and current row) as last_rank_of_grade
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_gain_positions as (
    select
        r.__ltr_key,
        r.position,
        r.num_ret,
        r.gain,
        r.ideal_gain,
        r.ends_grade,
        sum(r.gain / log2(r.position + 1)) over (partition by r.__ltr_key order by r.position asc nulls last range between unbounded preceding and current row) as __ltr_dcg_so_far,
        sum(r.ideal_gain / log2(r.position + 1)) over (partition by r.__ltr_key order by r.position asc nulls last range between unbounded preceding and current row) as __ltr_idcg_so_far
    from (
        select
            p.__ltr_key,
            p.rank as position,
            p.num_ret,
            case when p.relevance > 0 then p.relevance else 0e0 end as gain,
            0e0 as ideal_gain,
            false as ends_grade
        from __ltr_positioned as p
        where p.rank is not null or p.relevance is null
        union all
        select
            p.__ltr_key,
            p.ideal_rank as position,
            p.num_ret,
            0e0 as gain,
            p.relevance as ideal_gain,
            p.ideal_rank = p.last_rank_of_grade as ends_grade
        from __ltr_positioned as p
        where p.relevance > 0
    ) as r
),
__ltr_by_gain_positions as (
    select
        d.__ltr_key,
        (
            sum(case when d.ends_grade then d.__ltr_dcg_so_far / nullif(d.__ltr_idcg_so_far, 0) else 0e0 end)
            + case when max(d.num_ret) >= sum(case when d.ideal_gain > 0 then 1e0 else 0e0 end) + 2 then 1e0 else 0e0 end * sum(d.gain / log2(d.position + 1)) / nullif(sum(d.ideal_gain / log2(d.position + 1)), 0)
        )
        / (sum(case when d.ends_grade then 1e0 else 0e0 end) + case when max(d.num_ret) >= sum(case when d.ideal_gain > 0 then 1e0 else 0e0 end) + 2 then 1e0 else 0e0 end) as rndcg
    from __ltr_gain_positions as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(case when d.gain > 0 then d.position end, d.gain, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(gain_positions.rndcg, 0.0e0) as rndcg
from __ltr_queries as q
left join __ltr_by_gain_positions as gain_positions
    on gain_positions.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.rndcg is 'Mean nDCG over one cutoff per positive grade: the last position of the grade in the ideal ranking. If the ranking is at least two documents longer than the ideal ranking, the mean includes the nDCG of the whole ranking. RnDCG = mean over grades > 0 of DCG@c / IDCG@c, c = |documents of that grade or above|, and of DCG / IDCG if n >= R + 2, n = |retrieved|, R = |documents of a grade > 0|. trec_eval Rndcg.';

create or replace macro ltr.rprec(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('rprec', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('rprec', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        ((sum(case when d.rank <= d.__ltr_relevant_of_query and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0)) as rprec
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.rprec, 0.0e0) as rprec
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.rprec is 'R-precision: the precision at rank R, the number of relevant documents. Rprec = |relevant in top R| / R, R = |relevant|. rel: smallest grade that counts as relevant. trec_eval Rprec.';

create or replace macro ltr.rprec_mult(rankings, multiple := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_multiple('rprec_mult', multiple)
        and ltr.__ltr_check_rel('rprec_mult', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_multiple('rprec_mult', multiple)
        and ltr.__ltr_check_rel('rprec_mult', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank <= floor(cast(multiple as double) * d.__ltr_relevant_of_query + 0.9e0) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end))
        / nullif(floor(cast(multiple as double) * (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) + 0.9e0), 0) as rprec_mult
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.rprec_mult, 0.0e0) as rprec_mult
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.rprec_mult is 'Precision at a multiple of the number of relevant documents. RprecMult = |relevant in top c| / c, c = floor(multiple |relevant| + 0.9). multiple: cutoff as a multiple of the number of relevant documents. rel: smallest grade that counts as relevant. trec_eval Rprec_mult.';

create or replace macro ltr.rr(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('rr', k)
        and ltr.__ltr_check_rel('rr', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('rr', k)
        and ltr.__ltr_check_rel('rr', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        max(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 / d.rank else 0e0 end) as rr
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.rr, 0.0e0) as rr
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.rr is 'Reciprocal rank of the first relevant document in the top k. RR = 1 / rank of the first relevant document, 0 if none is in the top k. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. Kantor and Voorhees 2000, The TREC-5 confusion track; trec_eval recip_rank.';

create or replace macro ltr.sdcg(rankings, k := null, min_rel := 0, max_rel := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('sdcg', k)
        and ltr.__ltr_check_min_rel('sdcg', min_rel)
        and ltr.__ltr_check_max_rel('sdcg', max_rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('sdcg', k)
        and ltr.__ltr_check_min_rel('sdcg', min_rel)
        and ltr.__ltr_check_max_rel('sdcg', max_rel)
),
__ltr_all_ranks as (
    select unnest(range(1, cast(k as bigint) + 1)) as rank
),
__ltr_gains as (
    select
        r.__ltr_key,
        r.rank,
        case
            when cast(max_rel as double) is null then r.relevance
            when cast(max_rel as double) <= cast(min_rel as double) then error('max_rel must be larger than min_rel')
            when r.relevance >= cast(max_rel as double) then 1e0
            else (r.relevance - cast(min_rel as double)) / (1e0 * cast(max_rel as double) - cast(min_rel as double))
        end as gain
    from __ltr_rankings as r
    where r.relevance > coalesce(cast(min_rel as double), 0)
),
__ltr_ranks as (
    select
        r.__ltr_key,
        r.rank,
        r.gain,
        exp(coalesce(sum(ln(case when log2(r.rank + 1) / log2(r.rank + 2) > 1e-300 then log2(r.rank + 1) / log2(r.rank + 2) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_sdcg
    from (
        select
            q.__ltr_key,
            n.rank,
            coalesce(g.gain, 0e0) as gain,
            sum(coalesce(g.gain, 0e0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
        from (
            select
                g.__ltr_key
            from __ltr_gains as g
            group by g.__ltr_key
            having ltr.__ltr_validate_ranks(g.rank, g.gain, false, null)
        ) as q
        cross join __ltr_all_ranks as n
        left join __ltr_gains as g
            on g.__ltr_key is not distinct from q.__ltr_key and g.rank = n.rank
    ) as r
),
__ltr_by_ranks as (
    select
        d.__ltr_key,
        sum(case when d.rank <= k then d.__ltr_view_probability_sdcg * d.gain else 0e0 end) / sum(case when d.rank <= k then d.__ltr_view_probability_sdcg else 0e0 end) as sdcg
    from __ltr_ranks as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(ranks.sdcg, 0.0e0) as sdcg
from __ltr_queries as q
left join __ltr_by_ranks as ranks
    on ranks.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.sdcg is 'Scaled DCG: DCG divided by the DCG of k documents with the largest gain. SDCG = (sum over ranks i <= k of gain / log2(i + 1)) / (sum over i <= k of 1 / log2(i + 1)); a user continues from rank i with probability log2(i + 1) / log2(i + 2). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. min_rel: largest grade with gain 0; grades from min_rel to max_rel are rescaled to gains from 0 to 1. max_rel: smallest grade with gain 1. Moffat and Zobel 2008, Rank-biased precision; cwl_eval SDCG-k.';

create or replace macro ltr.set_ap(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('set_ap', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('set_ap', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) * (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((coalesce(max(d.num_ret), 0)) * (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0) as set_ap
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.set_ap, 0.0e0) as set_ap
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.set_ap is 'Precision of all retrieved documents, multiplied by their recall. SetAP = SetP SetR = |relevant and retrieved|^2 / (|retrieved| |relevant|). rel: smallest grade that counts as relevant. trec_eval set_map.';

create or replace macro ltr.set_f(rankings, beta_squared := 1, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_beta_squared('set_f', beta_squared)
        and ltr.__ltr_check_rel('set_f', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_beta_squared('set_f', beta_squared)
        and ltr.__ltr_check_rel('set_f', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (1 + cast(beta_squared as double)) * (((sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((coalesce(max(d.num_ret), 0)), 0))) * ((sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0))
        / nullif(cast(beta_squared as double) * (((sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((coalesce(max(d.num_ret), 0)), 0))) + ((sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0)), 0) as set_f
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.set_f, 0.0e0) as set_f
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.set_f is 'Weighted harmonic mean of the precision and recall of all retrieved documents. SetF = (1 + b) SetP SetR / (b SetP + SetR), b = beta_squared; 0 if nothing relevant was retrieved. beta_squared: weight of recall: the square of beta in F-beta. rel: smallest grade that counts as relevant. van Rijsbergen 1979, Information Retrieval; trec_eval set_F.';

create or replace macro ltr.set_p(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('set_p', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('set_p', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        ((sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif((coalesce(max(d.num_ret), 0)), 0)) as set_p
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.set_p, 0.0e0) as set_p
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.set_p is 'Share of relevant documents among all retrieved documents. SetP = |relevant and retrieved| / |retrieved|. rel: smallest grade that counts as relevant. van Rijsbergen 1979, Information Retrieval; trec_eval set_P.';

create or replace macro ltr.set_relative_p(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('set_relative_p', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('set_relative_p', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) / nullif(case when (coalesce(max(d.num_ret), 0)) < (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) then (coalesce(max(d.num_ret), 0)) else (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) end, 0) as set_relative_p
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.set_relative_p, 0.0e0) as set_relative_p
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.set_relative_p is 'Number of relevant retrieved documents, divided by the largest number that a retrieved set of this size can contain. SetRelativeP = |relevant and retrieved| / min(|retrieved|, |relevant|). rel: smallest grade that counts as relevant. trec_eval set_relative_P.';

create or replace macro ltr.somers_d(pairs, k := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs), keys)
    where ltr.__ltr_check_k_or_null('somers_d', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('somers_d', k)
),
__ltr_compared_pairs as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b)
),
__ltr_lists_pairs as (
    select
        r.__ltr_key,
        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
        count(*) as length
    from __ltr_compared_pairs as r
    group by r.__ltr_key
),
__ltr_short_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_pairs as c
        join __ltr_lists_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 20
    ) as r
),
__ltr_long_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_pairs as c
        join __ltr_lists_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 20
    ) as r
),
__ltr_joined_pairs as (
    select
        y.list,
        y.rank_a,
        y.rank_b,
        y.above_b,
        y.position_a,
        count(x.rank_a) as inversions
    from __ltr_short_pairs as y
    left join __ltr_short_pairs as x
        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a
),
__ltr_inverted_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        1e0 * r.inversions as inversions,
        rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a,
        rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b
    from __ltr_joined_pairs as r
    union all
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        1e0 * (rank(order by r.above_b desc nulls last) over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last rows between unbounded preceding and current row) - 1) as inversions,
        rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a,
        rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b
    from __ltr_long_pairs as r
),
__ltr_by_pairs as (
    select
        n.__ltr_key,
        case when min(d.rank_a) < max(d.rank_a) and min(d.rank_b) < max(d.rank_b) then (((1e0 * sum(d.__ltr_above_in_a)) + (1e0 * sum(d.above_b)) - (1e0 * sum(d.__ltr_above_in_a_then_b))) - 2 * sum(d.inversions)) / (1e0 * sum(d.__ltr_above_in_a)) end as somers_d
    from __ltr_inverted_pairs as d
    join __ltr_lists_pairs as n
        on n.list = d.list
    group by n.__ltr_key
)
select
    unnest(q.__ltr_key),
    pairs.somers_d as somers_d
from __ltr_queries as q
left join __ltr_by_pairs as pairs
    on pairs.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.somers_d is 'Somers'' D of ranking b given ranking a, over the documents in the top k of both. Pairs tied in a do not count. SomersD = (C - D) / (pairs - pairs tied in a), C = concordant pairs, D = discordant pairs. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. Somers 1962, A new asymmetric measure of association for ordinal variables; scipy.stats.somersd.';

create or replace macro ltr.spearman(pairs, k := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs), keys)
    where ltr.__ltr_check_k_or_null('spearman', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('spearman', k)
),
__ltr_shared as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b,
        rank() over (partition by r.__ltr_key order by r.rank_a asc nulls last) + (count(*) over (partition by r.__ltr_key, r.rank_a) - 1) / 2e0 as __ltr_average_rank_a,
        rank() over (partition by r.__ltr_key order by r.rank_b asc nulls last) + (count(*) over (partition by r.__ltr_key, r.rank_b) - 1) / 2e0 as __ltr_average_rank_b
    from __ltr_paired as r
    where r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b)
),
__ltr_by_common_documents as (
    select
        d.__ltr_key,
        (sum(d.__ltr_average_rank_a * d.__ltr_average_rank_b) - count(*) * power(count(*) + 1, 2) / 4)
        / nullif(sqrt((sum(d.__ltr_average_rank_a * d.__ltr_average_rank_a) - count(*) * power(count(*) + 1, 2) / 4) * (sum(d.__ltr_average_rank_b * d.__ltr_average_rank_b) - count(*) * power(count(*) + 1, 2) / 4)), 0) as spearman
    from __ltr_shared as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    common_documents.spearman as spearman
from __ltr_queries as q
left join __ltr_by_common_documents as common_documents
    on common_documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.spearman is 'Spearman''s rho: the Pearson correlation of the average ranks in two rankings, over the documents in the top k of both. Spearman = cov(rank_a, rank_b) / sqrt(var(rank_a) var(rank_b)). k: cutoff: only ranks 1 to k count; NULL means the whole ranking. Spearman 1904, The proof and measurement of association between two things; scipy.stats.spearmanr.';

create or replace macro ltr.strecall(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_covers(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('strecall', k)
        and ltr.__ltr_check_rel('strecall', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries(rankings, keys)
    where ltr.__ltr_check_k_or_null('strecall', k)
        and ltr.__ltr_check_rel('strecall', rel)
),
__ltr_coverage as (
    select
        r.__ltr_key,
        r.doc_id,
        r.rank,
        r.subtopic
    from __ltr_rankings as r
    where r.relevance >= cast(rel as double) and r.subtopic is not null
),
__ltr_by_coverage as (
    select
        d.__ltr_key,
        count(distinct case when d.rank <= coalesce(k, d.rank) then d.subtopic end) * 1e0 / count(distinct d.subtopic) as strecall
    from __ltr_coverage as d
    group by d.__ltr_key
    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
)
select
    unnest(q.__ltr_key),
    coalesce(coverage.strecall, 0.0e0) as strecall
from __ltr_queries as q
left join __ltr_by_coverage as coverage
    on coverage.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.strecall is 'Subtopic recall: the share of subtopics that the top k covers. StRecall = |subtopics of documents in the top k| / |subtopics|. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. Zhai, Cohen and Lafferty 2003, Beyond independent relevance; ndeval strec.';

create or replace macro ltr.success(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k_or_null('success', k)
        and ltr.__ltr_check_rel('success', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k_or_null('success', k)
        and ltr.__ltr_check_rel('success', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        max(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end) as success
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.success, 0.0e0) as success
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.success is '1 if a relevant document is in the top k, else 0. Success = 1 if a relevant document has rank <= k, else 0. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. rel: smallest grade that counts as relevant. trec_eval success; Accuracy@k of sentence retrieval.';

create or replace macro ltr.tau_ap(pairs, k := null, variant := 'a', keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs) || ltr.__ltr_check_variant_a_b('tau_ap', variant), keys)
    where ltr.__ltr_check_k_or_null('tau_ap', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('tau_ap', k)
),
__ltr_compared_positioned_pairs as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b)
),
__ltr_lists_positioned_pairs as (
    select
        r.__ltr_key,
        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
        count(*) as length
    from __ltr_compared_positioned_pairs as r
    group by r.__ltr_key
),
__ltr_short_positioned_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a,
        row_number() over (partition by r.list order by r.rank_b asc nulls last, r.rank_a asc nulls last) as position_b
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_positioned_pairs as c
        join __ltr_lists_positioned_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 20
    ) as r
),
__ltr_long_positioned_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a,
        row_number() over (partition by r.list order by r.rank_b asc nulls last, r.rank_a asc nulls last) as position_b
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_positioned_pairs as c
        join __ltr_lists_positioned_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 20
    ) as r
),
__ltr_joined_positioned_pairs as (
    select
        y.list,
        y.rank_a,
        y.rank_b,
        y.above_b,
        y.position_a, y.position_b,
        count(x.rank_a) as inversions
    from __ltr_short_positioned_pairs as y
    left join __ltr_short_positioned_pairs as x
        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a, y.position_b
),
__ltr_inverted_positioned_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        r.position_a,
        r.position_b,
        1e0 * r.inversions as inversions,
        rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a,
        rank() over (partition by r.list, r.above_b order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a_tied_in_b,
        avg(case when r.position_a > 1 then 1e0 / (r.position_a - 1) else 0e0 end) over (partition by r.list, r.rank_a) as __ltr_mean_reciprocal_above
    from __ltr_joined_positioned_pairs as r
    union all
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        r.position_a,
        r.position_b,
        1e0 * (rank(order by r.above_b desc nulls last) over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last rows between unbounded preceding and current row) - 1) as inversions,
        rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a,
        rank() over (partition by r.list, r.above_b order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a_tied_in_b,
        avg(case when r.position_a > 1 then 1e0 / (r.position_a - 1) else 0e0 end) over (partition by r.list, r.rank_a) as __ltr_mean_reciprocal_above
    from __ltr_long_positioned_pairs as r
),
__ltr_by_positioned_pairs as (
    select
        n.__ltr_key,
        case when min(d.rank_a) < max(d.rank_a) and min(d.rank_b) < max(d.rank_b) then case variant when 'a' then 2 * sum((d.__ltr_above_in_a - d.__ltr_above_in_a_tied_in_b - d.inversions) * d.__ltr_mean_reciprocal_above + case when d.position_a > 1 then (d.position_a - 1 - d.__ltr_above_in_a) / (2 * (d.position_a - 1e0)) else 0e0 end) / (count(*) - 1) - 1 when 'b' then avg(case when d.__ltr_above_in_a > 0 then (d.__ltr_above_in_a - d.__ltr_above_in_a_tied_in_b - d.inversions) / d.__ltr_above_in_a end) + avg(case when d.above_b > 0 then (d.__ltr_above_in_a - d.__ltr_above_in_a_tied_in_b - d.inversions) / d.above_b end) - 1 end end as tau_ap
    from __ltr_inverted_positioned_pairs as d
    join __ltr_lists_positioned_pairs as n
        on n.list = d.list
    group by n.__ltr_key
)
select
    unnest(q.__ltr_key),
    positioned_pairs.tau_ap as tau_ap
from __ltr_queries as q
left join __ltr_by_positioned_pairs as positioned_pairs
    on positioned_pairs.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.tau_ap is 'Top-weighted AP correlation of two rankings, over the documents in the top k of both. For each document, the measure takes the share of documents above it in ranking a that are also above it in ranking b. It averages these shares and scales the mean to [-1, 1]. TauAP = variant a: 2 / (n - 1) (sum over documents of rank i > 1 in ranking a of C_i / (i - 1)) - 1, C_i = number of documents above this document in both rankings, averaged over orders of documents tied in a; b: 2 / m (sum over documents with others above of C / |above|) - 1, m = number of these documents, averaged over both directions. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. variant: ''a'' takes ranking b as the reference and allows ties in ranking a only; ''b'' treats both rankings alike and allows ties in both. Yilmaz, Aslam and Robertson 2008, A new rank correlation coefficient for information retrieval; Urbano and Marrero 2017, The treatment of ties in AP correlation.';

create or replace macro ltr.threshold_ap(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('threshold_ap', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('threshold_ap', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_relevant_through_rank,
        count(*) over (partition by r.__ltr_key, r.rank) as __ltr_documents_at_rank
    from __ltr_rankings as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then d.__ltr_relevant_through_rank / (d.rank + d.__ltr_documents_at_rank - 1) else 0e0 end)
        / nullif((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)), 0)) as threshold_ap
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, d.num_ret)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.threshold_ap, 0.0e0) as threshold_ap
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.threshold_ap is 'Average precision over thresholds of the score: tied documents count together, at the last of their positions. Without ties it equals AP. Every retrieved document needs a row, judged or not. ThresholdAP = sum over ranks of (recall at the rank - recall above it) |relevant at the rank or above| / last position of the rank. rel: smallest grade that counts as relevant. scikit-learn average_precision_score; torchmetrics BinaryAveragePrecision.';

create or replace macro ltr.unj(rankings, k := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_k('unj', k)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_k('unj', k)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        ((coalesce(case when k < max(d.num_ret) then k else max(d.num_ret) end, 0)) - sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= 0 then 1e0 else 0e0 end)) / k as unj
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.unj, 0.0e0) as unj
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.unj is 'Share of unjudged documents in the top k; a negative grade counts as unjudged. Unj = |retrieved in top k without a grade >= 0| / k. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. trec_eval unj.';

create or replace macro ltr.utility(rankings, rel_ret := 1, nonrel_ret := -1, rel_missed := 0, nonrel_missed := 0, collection_size := 0, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings_with_num_ret(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel_ret('utility', rel_ret)
        and ltr.__ltr_check_nonrel_ret('utility', nonrel_ret)
        and ltr.__ltr_check_rel_missed('utility', rel_missed)
        and ltr.__ltr_check_nonrel_missed('utility', nonrel_missed)
        and ltr.__ltr_check_collection_size('utility', collection_size)
        and ltr.__ltr_check_rel('utility', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel_ret('utility', rel_ret)
        and ltr.__ltr_check_nonrel_ret('utility', nonrel_ret)
        and ltr.__ltr_check_rel_missed('utility', rel_missed)
        and ltr.__ltr_check_nonrel_missed('utility', nonrel_missed)
        and ltr.__ltr_check_collection_size('utility', collection_size)
        and ltr.__ltr_check_rel('utility', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        coalesce(r.num_ret, r.rank) as num_ret
    from (
        select
            r.__ltr_key,
            r.rank,
            r.relevance,
            r.num_ret
        from __ltr_rankings as r
        where r.relevance is not null
        union all
        select
            r.__ltr_key,
            null as rank,
            null as relevance,
            max(coalesce(r.num_ret, r.rank)) as num_ret
        from __ltr_rankings as r
        group by r.__ltr_key
        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
    ) as r
    where true
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        cast(rel_ret as double) * (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end))
        + cast(nonrel_ret as double) * ((coalesce(max(d.num_ret), 0)) - (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)))
        + cast(rel_missed as double) * ((sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) - (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)))
        + cast(nonrel_missed as double) * (cast(collection_size as double) + (sum(case when d.rank is not null and d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) - (coalesce(max(d.num_ret), 0)) - (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end))) as utility
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.utility, 0.0e0) as utility
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.utility is 'Weighted sum of the numbers of relevant and nonrelevant documents, retrieved or missed. Utility = rel_ret H + nonrel_ret (n - H) + rel_missed (R - H) + nonrel_missed (collection_size + H - n - R), H = |relevant and retrieved|, n = |retrieved|, R = |relevant|. rel_ret: weight of a retrieved relevant document. nonrel_ret: weight of a retrieved document that is not relevant. rel_missed: weight of a relevant document that was not retrieved. nonrel_missed: weight of a document that is neither relevant nor retrieved. collection_size: number of documents in the collection. rel: smallest grade that counts as relevant. trec_eval utility.';

create or replace macro ltr.weighted_tau(pairs, k := null, weights := 'additive', keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    from ltr.__ltr_pairs(ltr.__ltr_table(pairs) || ltr.__ltr_check_weights('weighted_tau', weights), keys)
    where ltr.__ltr_check_k_or_null('weighted_tau', k)
),
__ltr_queries as (
    from ltr.__ltr_queries(pairs, keys)
    where ltr.__ltr_check_k_or_null('weighted_tau', k)
),
__ltr_compared_weighted_pairs as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b
    from __ltr_paired as r
    where r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b)
),
__ltr_lists_weighted_pairs as (
    select
        r.__ltr_key,
        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
        count(*) as length
    from __ltr_compared_weighted_pairs as r
    group by r.__ltr_key
),
__ltr_short_weighted_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a,
        row_number() over (partition by r.list order by r.rank_b asc nulls last, r.rank_a asc nulls last) as position_b
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_weighted_pairs as c
        join __ltr_lists_weighted_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 500
    ) as r
),
__ltr_long_weighted_pairs as (
    select
        r.list,
        r.length,
        r.rank_a,
        r.rank_b,
        r.above_b,
        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a,
        row_number() over (partition by r.list order by r.rank_b asc nulls last, r.rank_a asc nulls last) as position_b
    from (
        select
            n.list,
            n.length,
            c.rank_a,
            c.rank_b,
            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
        from __ltr_compared_weighted_pairs as c
        join __ltr_lists_weighted_pairs as n
            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 500
    ) as r
),
__ltr_joined_weighted_pairs as (
    select
        y.list,
        y.rank_a,
        y.rank_b,
        y.above_b,
        y.position_a, y.position_b,
        count(x.rank_a) as inversions,
        sum(case when x.rank_a is null then 0e0 else 1e0 / x.position_a end) as weight_a,
        sum(case when x.rank_a is null then 0e0 else 1e0 / x.position_b end) as weight_b
    from __ltr_short_weighted_pairs as y
    left join __ltr_short_weighted_pairs as x
        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a, y.position_b
),
__ltr_bits_weighted_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        r.position_a,
        r.position_b,
        b.value as bit,
        floor(r.above_b / (2 * b.value)) as higher_bits,
        floor(r.above_b / b.value) - 2 * floor(r.above_b / (2 * b.value)) as is_one
    from __ltr_long_weighted_pairs as r
    join (
        select
            power(2e0, n.rank - 1) as value
        from (
            select unnest(range(1, cast(31 as bigint) + 1)) as rank
        ) as n
    ) as b
        on b.value < r.length
),
__ltr_counted_weighted_pairs as (
    select
        t.list,
        t.rank_a,
        t.rank_b,
        t.above_b,
        t.position_a,
        t.position_b,
        sum(t.ones_before) as inversions,
        sum(t.weight_a) as weight_a,
        sum(t.weight_b) as weight_b
    from (
        select
            r.list,
            r.rank_a,
            r.rank_b,
            r.above_b,
            r.position_a,
            r.position_b,
            (1 - r.is_one) * sum(r.is_one) over (partition by r.list, r.bit, r.higher_bits order by r.position_a asc nulls last rows between unbounded preceding and current row) as ones_before,
            (1 - r.is_one) * sum(r.is_one / r.position_a) over (partition by r.list, r.bit, r.higher_bits order by r.position_a asc nulls last rows between unbounded preceding and current row) as weight_a,
            (1 - r.is_one) * sum(r.is_one / r.position_b) over (partition by r.list, r.bit, r.higher_bits order by r.position_a asc nulls last rows between unbounded preceding and current row) as weight_b
        from __ltr_bits_weighted_pairs as r
    ) as t
    group by t.list, t.rank_a, t.rank_b, t.above_b, t.position_a, t.position_b
),
__ltr_inverted_weighted_pairs as (
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        r.position_a,
        r.position_b,
        r.weight_a,
        r.weight_b,
        1e0 * r.inversions as inversions,
        sum(1e0) over (partition by r.list) - 1e0 as __ltr_weight_of_others_number_none,
        sum(1e0 / r.position_a) over (partition by r.list) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_none,
        sum(1e0) over (partition by r.list, r.rank_a) - 1e0 as __ltr_weight_of_others_number_rank_a,
        sum(1e0 / r.position_a) over (partition by r.list, r.rank_a) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_rank_a,
        sum(1e0) over (partition by r.list, r.rank_b) - 1e0 as __ltr_weight_of_others_number_rank_b,
        sum(1e0 / r.position_a) over (partition by r.list, r.rank_b) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_rank_b,
        sum(1e0) over (partition by r.list, r.rank_a, r.above_b) - 1e0 as __ltr_weight_of_others_number_both,
        sum(1e0 / r.position_a) over (partition by r.list, r.rank_a, r.above_b) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_both,
        sum(1e0 / r.position_b) over (partition by r.list) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_none,
        sum(1e0 / r.position_b) over (partition by r.list, r.rank_a) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_rank_a,
        sum(1e0 / r.position_b) over (partition by r.list, r.rank_b) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_rank_b,
        sum(1e0 / r.position_b) over (partition by r.list, r.rank_a, r.above_b) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_both
    from __ltr_joined_weighted_pairs as r
    union all
    select
        r.list,
        r.rank_a,
        r.rank_b,
        r.above_b,
        r.position_a,
        r.position_b,
        r.weight_a,
        r.weight_b,
        1e0 * r.inversions as inversions,
        sum(1e0) over (partition by r.list) - 1e0 as __ltr_weight_of_others_number_none,
        sum(1e0 / r.position_a) over (partition by r.list) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_none,
        sum(1e0) over (partition by r.list, r.rank_a) - 1e0 as __ltr_weight_of_others_number_rank_a,
        sum(1e0 / r.position_a) over (partition by r.list, r.rank_a) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_rank_a,
        sum(1e0) over (partition by r.list, r.rank_b) - 1e0 as __ltr_weight_of_others_number_rank_b,
        sum(1e0 / r.position_a) over (partition by r.list, r.rank_b) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_rank_b,
        sum(1e0) over (partition by r.list, r.rank_a, r.above_b) - 1e0 as __ltr_weight_of_others_number_both,
        sum(1e0 / r.position_a) over (partition by r.list, r.rank_a, r.above_b) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_both,
        sum(1e0 / r.position_b) over (partition by r.list) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_none,
        sum(1e0 / r.position_b) over (partition by r.list, r.rank_a) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_rank_a,
        sum(1e0 / r.position_b) over (partition by r.list, r.rank_b) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_rank_b,
        sum(1e0 / r.position_b) over (partition by r.list, r.rank_a, r.above_b) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_both
    from __ltr_counted_weighted_pairs as r
),
__ltr_by_weighted_pairs as (
    select
        n.__ltr_key,
        case when min(d.rank_a) < max(d.rank_a) and min(d.rank_b) < max(d.rank_b) then ((case weights when 'additive' then sum(d.__ltr_weight_of_others_number_none / d.position_a) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_a_none / d.position_a) / 2) end - case weights when 'additive' then sum(d.__ltr_weight_of_others_number_rank_a / d.position_a) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_a_rank_a / d.position_a) / 2) end - case weights when 'additive' then sum(d.__ltr_weight_of_others_number_rank_b / d.position_a) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_a_rank_b / d.position_a) / 2) end + case weights when 'additive' then sum(d.__ltr_weight_of_others_number_both / d.position_a) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_a_both / d.position_a) / 2) end - 2 * case weights when 'additive' then sum(d.weight_a + d.inversions / d.position_a) when 'multiplicative' then sum(d.weight_a / d.position_a) end)
        / nullif(sqrt((case weights when 'additive' then sum(d.__ltr_weight_of_others_number_none / d.position_a) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_a_none / d.position_a) / 2) end - case weights when 'additive' then sum(d.__ltr_weight_of_others_number_rank_a / d.position_a) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_a_rank_a / d.position_a) / 2) end) * (case weights when 'additive' then sum(d.__ltr_weight_of_others_number_none / d.position_a) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_a_none / d.position_a) / 2) end - case weights when 'additive' then sum(d.__ltr_weight_of_others_number_rank_b / d.position_a) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_a_rank_b / d.position_a) / 2) end)), 0) + (case weights when 'additive' then sum(d.__ltr_weight_of_others_number_none / d.position_b) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_b_none / d.position_b) / 2) end - case weights when 'additive' then sum(d.__ltr_weight_of_others_number_rank_a / d.position_b) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_b_rank_a / d.position_b) / 2) end - case weights when 'additive' then sum(d.__ltr_weight_of_others_number_rank_b / d.position_b) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_b_rank_b / d.position_b) / 2) end + case weights when 'additive' then sum(d.__ltr_weight_of_others_number_both / d.position_b) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_b_both / d.position_b) / 2) end - 2 * case weights when 'additive' then sum(d.weight_b + d.inversions / d.position_b) when 'multiplicative' then sum(d.weight_b / d.position_b) end)
        / nullif(sqrt((case weights when 'additive' then sum(d.__ltr_weight_of_others_number_none / d.position_b) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_b_none / d.position_b) / 2) end - case weights when 'additive' then sum(d.__ltr_weight_of_others_number_rank_a / d.position_b) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_b_rank_a / d.position_b) / 2) end) * (case weights when 'additive' then sum(d.__ltr_weight_of_others_number_none / d.position_b) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_b_none / d.position_b) / 2) end - case weights when 'additive' then sum(d.__ltr_weight_of_others_number_rank_b / d.position_b) when 'multiplicative' then (sum(d.__ltr_weight_of_others_position_b_rank_b / d.position_b) / 2) end)), 0)) / 2 end as weighted_tau
    from __ltr_inverted_weighted_pairs as d
    join __ltr_lists_weighted_pairs as n
        on n.list = d.list
    group by n.__ltr_key
)
select
    unnest(q.__ltr_key),
    weighted_pairs.weighted_tau as weighted_tau
from __ltr_queries as q
left join __ltr_by_weighted_pairs as weighted_pairs
    on weighted_pairs.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.weighted_tau is 'Kendall''s tau-b with top-weighted pairs, over the documents in the top k of both rankings. WeightedTau = tau-b with pair weights w_x + w_y or w_x w_y, w = 1 / rank, averaged over the ranks in a and in b. k: cutoff: only ranks 1 to k count; NULL means the whole ranking. weights: weight of a pair: the sum (additive) or product (multiplicative) of the weights of its documents. Vigna 2015, A weighted correlation index for rankings with ties; scipy.stats.weightedtau.';

create or replace macro ltr.yaap(rankings, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    from ltr.__ltr_rankings(ltr.__ltr_table(rankings), keys)
    where ltr.__ltr_check_rel('yaap', rel)
),
__ltr_queries as (
    from ltr.__ltr_queries_of_documents(rankings, keys)
    where ltr.__ltr_check_rel('yaap', rel)
),
__ltr_documents as (
    select
        r.__ltr_key,
        r.rank,
        r.relevance,
        sum(case when r.relevance >= cast(rel as double) then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far
    from __ltr_rankings as r
    where r.relevance > 0
),
__ltr_by_documents as (
    select
        d.__ltr_key,
        ln((1 + sum(case when d.rank is not null and d.relevance >= cast(rel as double) then d.__ltr_relevant_so_far / d.rank else 0e0 end)) / (1 + (sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end)) - sum(case when d.rank is not null and d.relevance >= cast(rel as double) then d.__ltr_relevant_so_far / d.rank else 0e0 end))) as yaap
    from __ltr_documents as d
    group by d.__ltr_key
    having ltr.__ltr_validate_ranks(d.rank, d.relevance, false, null)
)
select
    unnest(q.__ltr_key),
    coalesce(documents.yaap, 0.0e0) as yaap
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, keys);
comment on macro table ltr.yaap is 'Yet another average precision: AP as the logarithm of an odds ratio. YAAP = ln((1 + S) / (1 + R - S)), S = R AP, R = |relevant|. rel: smallest grade that counts as relevant. Robertson 2012, On smoothing average precision; trec_eval yaap.';

create or replace macro ltr.__ltr_check_rows(rankings, keys) as table
select
    nullif(replace(replace(cast(r.__ltr_keys as varchar), '{''__ltr_one'': 0, ', '{'), '{''__ltr_one'': 0}', ''), '') as keys,
    r.__ltr_names as names,
    r.__ltr_types as types,
    list_contains(r.__ltr_names, 'rank') as has_rank,
    r.__ltr_fields.query_id as query_id,
    r.__ltr_fields.doc_id as doc_id,
    r.__ltr_fields.subtopic as subtopic,
    r.__ltr_fields.rank as rank_text,
    r.__ltr_fields.score as score_text,
    r.__ltr_fields.relevance as relevance_text,
    nullif(try_cast(r.__ltr_fields.rank as double), cast('nan' as double)) as rank,
    try_cast(r.__ltr_fields.score as double) as score,
    nullif(try_cast(r.__ltr_fields.relevance as double), cast('nan' as double)) as relevance,
    nullif(try_cast(r.__ltr_fields.num_ret as double), cast('nan' as double)) as num_ret,
    case when lower(typeof(r.__ltr_score)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(r.__ltr_score)) like 'decimal%' then r.__ltr_score end as exact_score,
    nullif(replace(replace(cast(r.__ltr_others as varchar), '{''__ltr_one'': 0, ', '{'), '{''__ltr_one'': 0}', ''), '') as others
from (
    select
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c))) as __ltr_keys,
        cast(struct_pack(*columns(lambda c: lower(c) in ('__ltr_one', 'query_id', 'doc_id', 'subtopic', 'rank', 'score', 'relevance', 'num_ret'))) as struct(__ltr_one varchar, query_id varchar, doc_id varchar, subtopic varchar, rank varchar, score varchar, relevance varchar, num_ret varchar)) as __ltr_fields,
        struct_keys(struct_pack(*columns(lambda c: true))) as __ltr_all_names,
        list_transform(list_filter(struct_keys(struct_pack(*columns(lambda c: true))), lambda c: left(c, 6) <> '__ltr_'), lambda c: case when lower(c) in ('__ltr_one', 'query_id', 'doc_id', 'subtopic', 'rank', 'score', 'relevance', 'num_ret') then lower(c) else c end) as __ltr_names,
        cast(typeof(struct_pack(*columns(lambda c: lower(c) in ('__ltr_one', 'query_id', 'doc_id')))) as varchar) as __ltr_types,
        coalesce(*columns(lambda c: lower(c) in ('score', '__ltr_none'))) as __ltr_score,
        struct_pack(*columns(lambda c: c = '__ltr_one' or not (lower(c) in ('__ltr_one', 'query_id', 'doc_id', 'subtopic', 'rank', 'score', 'relevance', 'num_ret') or starts_with(c, '__ltr_') or list_contains(keys, c)))) as __ltr_others
    from (select 0 as __ltr_one, null as __ltr_none, * from query_table(rankings))
) as r
where case
    when coalesce(list_has_all(r.__ltr_all_names, keys), false) then true
    else error('keys must be columns of the input, each named once, and not query_id, doc_id, rank, relevance, score; got keys ' || coalesce(cast(keys as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_check_run_rows(rankings, qrels, keys) as table
select
    nullif(replace(replace(cast(r.__ltr_keys as varchar), '{''__ltr_one'': 0, ', '{'), '{''__ltr_one'': 0}', ''), '') as keys,
    r.__ltr_names as names,
    r.__ltr_types as types,
    list_contains(r.__ltr_names, 'rank') as has_rank,
    r.__ltr_fields.query_id as query_id,
    r.__ltr_fields.doc_id as doc_id,
    r.__ltr_fields.subtopic as subtopic,
    r.__ltr_fields.rank as rank_text,
    r.__ltr_fields.score as score_text,
    r.__ltr_fields.relevance as relevance_text,
    nullif(try_cast(r.__ltr_fields.rank as double), cast('nan' as double)) as rank,
    try_cast(r.__ltr_fields.score as double) as score,
    nullif(try_cast(r.__ltr_fields.relevance as double), cast('nan' as double)) as relevance,
    nullif(try_cast(r.__ltr_fields.num_ret as double), cast('nan' as double)) as num_ret,
    case when lower(typeof(r.__ltr_score)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(r.__ltr_score)) like 'decimal%' then r.__ltr_score end as exact_score,
    nullif(replace(replace(cast(r.__ltr_others as varchar), '{''__ltr_one'': 0, ', '{'), '{''__ltr_one'': 0}', ''), '') as others
from (
    select
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c) and not list_contains((*), '__ltr_also_' || c))) as __ltr_keys,
        cast(struct_pack(*columns(lambda c: lower(c) in ('__ltr_one', 'query_id', 'doc_id', 'subtopic', 'rank', 'score', 'relevance', 'num_ret'))) as struct(__ltr_one varchar, query_id varchar, doc_id varchar, subtopic varchar, rank varchar, score varchar, relevance varchar, num_ret varchar)) as __ltr_fields,
        struct_keys(struct_pack(*columns(lambda c: true))) as __ltr_all_names,
        list_transform(list_filter(struct_keys(struct_pack(*columns(lambda c: true))), lambda c: left(c, 6) <> '__ltr_'), lambda c: case when lower(c) in ('__ltr_one', 'query_id', 'doc_id', 'subtopic', 'rank', 'score', 'relevance', 'num_ret') then lower(c) else c end) as __ltr_names,
        cast(typeof(struct_pack(*columns(lambda c: lower(c) in ('__ltr_one', 'query_id', 'doc_id')))) as varchar) as __ltr_types,
        coalesce(*columns(lambda c: lower(c) in ('score', '__ltr_none'))) as __ltr_score,
        struct_pack(*columns(lambda c: c = '__ltr_one' or not (lower(c) in ('__ltr_one', 'query_id', 'doc_id', 'subtopic', 'rank', 'score', 'relevance', 'num_ret') or starts_with(c, '__ltr_') or list_contains(keys, c) and not list_contains((*), '__ltr_also_' || c)))) as __ltr_others
    from (select 0 as __ltr_one, null as __ltr_none, t.*, n.* from query_table(rankings) as t left join (select columns(lambda c: c = '__ltr_none' or list_contains(keys, c)) as '__ltr_also_\0' from (select null as __ltr_none, * from query_table(qrels)) limit 0) as n on false)
) as r
where case
    when coalesce(list_has_all(list_transform(r.__ltr_all_names, lambda n: replace(n, '__ltr_also_', '')), keys), false) then true
    else error('keys must be columns of the input, each named once, and not query_id, doc_id, rank, relevance, score; got keys ' || coalesce(cast(keys as varchar), 'NULL'))
end;

create or replace macro ltr.__ltr_default_means(rankings) as table
select
    v."keys", count(*) as queries,
    avg(v."AP") as "AP",
    avg(v."RR") as "RR",
    avg(v."nDCG@10") as "nDCG@10",
    avg(v."P@10") as "P@10",
    avg(v."R@1000") as "R@1000"
from (
    with __ltr_rankings as (
        select
            j."keys" as __ltr_key_1, j.query_id,
            nullif(cast(j.rank as double), cast('nan' as double)) as rank,
            nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
        from (
        from query_table(rankings)
        ) as j
    ),
    __ltr_queries as (
        select
            r.__ltr_key_1, r.query_id
        from (
            select
                j."keys" as __ltr_key_1, j.query_id
            from (
        from query_table(rankings)
        ) as j
        ) as r
        group by r.__ltr_key_1, r.query_id
    ),
    __ltr_documents as (
        select
            r.__ltr_key_1, r.query_id,
            r.rank,
            r.relevance,
            sum(case when r.relevance >= 1 then 1e0 else 0e0 end) over (partition by r.__ltr_key_1, r.query_id order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far_1,
            row_number() over (partition by r.__ltr_key_1, r.query_id order by r.relevance desc nulls last) as __ltr_ideal_rank
        from __ltr_rankings as r
        where r.relevance > 0
    ),
    __ltr_by_documents as (
        select
            d.__ltr_key_1, d.query_id,
            sum(case when d.rank is not null and d.relevance >= 1 then d.__ltr_relevant_so_far_1 / d.rank else 0e0 end)
            / nullif((sum(case when d.relevance >= 1 then 1e0 else 0e0 end)), 0) as "AP",
            max(case when d.rank is not null and d.relevance >= 1 then 1e0 / d.rank else 0e0 end) as "RR",
            (sum(case when d.rank <= 10 and d.relevance > 0 then d.relevance / log2(d.rank + 1) else 0e0 end))
            / nullif((sum(case when d.__ltr_ideal_rank <= 10 and d.relevance > 0 then d.relevance / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as "nDCG@10",
            (sum(case when d.rank <= 10 and d.relevance >= 1 then 1e0 else 0e0 end)) / 10 as "P@10",
            (sum(case when d.rank <= 1000 and d.relevance >= 1 then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= 1 then 1e0 else 0e0 end)), 0) as "R@1000"
        from __ltr_documents as d
        group by d.__ltr_key_1, d.query_id
        having case
            when count(d.rank) <> count(distinct case when not (d.rank < 1 or d.rank > 1000000000) and d.rank = floor(d.rank) then d.rank end)
            then error('ranks must be whole numbers from 1 to 1,000,000,000, without duplicates in a query: rank by row_number(), and pass grouping columns such as system as keys (ltr.check_rankings shows the rows)')
            when max(d.relevance) > 1e100
            then error('a grade is infinite or above 1e100: leave out such rows, or scale the grades down')
            else true
        end
    )
    select
        q.__ltr_key_1 as "keys", q.query_id,
        coalesce(documents."AP", 0e0) as "AP",
        coalesce(documents."RR", 0.0e0) as "RR",
        coalesce(documents."nDCG@10", 0e0) as "nDCG@10",
        coalesce(documents."P@10", 0.0e0) as "P@10",
        coalesce(documents."R@1000", 0e0) as "R@1000"
    from __ltr_queries as q
    left join __ltr_by_documents as documents
        on documents.__ltr_key_1 is not distinct from q.__ltr_key_1 and documents.query_id is not distinct from q.query_id
) as v
group by v."keys";

create or replace macro ltr.check_rankings(rankings, keys := []::varchar[]) as table
with __ltr_run_rows as (
    select r.*
    from ltr.__ltr_check_rows(ltr.__ltr_table(rankings), keys) as r
    where r.rank_text is not null or not r.has_rank
),
__ltr_grades as (
    select q.*
    from ltr.__ltr_check_rows(ltr.__ltr_table(rankings), keys) as q
),
__ltr_best as (
    with __ltr_ranked as (
    with __ltr_scored as (
        select
            j."keys" as __ltr_key_1, j.query_id,
            cast(j.score as double) as score,
            j.doc_id,
            cast(j.relevance as double) as relevance,
            j.exact_score as __ltr_exact_score
        from (
    select
        r.keys,
        r.query_id,
        cast(row_number() over () as varchar) as doc_id,
        r.score,
        r.exact_score,
        r.relevance
    from __ltr_run_rows as r
    where not r.has_rank and isfinite(r.score) and not coalesce(isinf(r.relevance), false)
    ) as j
    )
    select
        s.__ltr_key_1 as "keys", s.query_id, s.relevance,
        case
            when rank() over __ltr_ranking_order = count(*) over __ltr_ranking_order then rank() over __ltr_ranking_order
            else error('two rows of a query are tied after tie-breaking: give each document its own doc_id, or add a column row_order and set ties := ''row_order''')
        end as rank
    from __ltr_scored as s
    where case
        when s.score <= cast('inf' as double) then true
        else error('a score is NULL or NaN: leave the row out if the document was not retrieved, or give it a score (ltr.check_run shows the rows)')
    end
    window __ltr_ranking_order as (
        partition by s.__ltr_key_1, s.query_id
        order by
            s.score desc nulls last,
            case when lower(typeof(s.__ltr_exact_score)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(s.__ltr_exact_score)) like 'decimal%' then s.__ltr_exact_score end desc nulls last,
            coalesce(s.relevance, 0) desc nulls last,
            cast(s.doc_id as varchar) desc nulls last
    )
    )
    from ltr.__ltr_default_means('__ltr_ranked')
),
__ltr_worst as (
    with __ltr_ranked as (
    with __ltr_scored as (
        select
            j."keys" as __ltr_key_1, j.query_id,
            cast(j.score as double) as score,
            j.doc_id,
            cast(j.relevance as double) as relevance,
            j.exact_score as __ltr_exact_score
        from (
    select
        r.keys,
        r.query_id,
        cast(row_number() over () as varchar) as doc_id,
        r.score,
        r.exact_score,
        r.relevance
    from __ltr_run_rows as r
    where not r.has_rank and isfinite(r.score) and not coalesce(isinf(r.relevance), false)
    ) as j
    )
    select
        s.__ltr_key_1 as "keys", s.query_id, s.relevance,
        case
            when rank() over __ltr_ranking_order = count(*) over __ltr_ranking_order then rank() over __ltr_ranking_order
            else error('two rows of a query are tied after tie-breaking: give each document its own doc_id, or add a column row_order and set ties := ''row_order''')
        end as rank
    from __ltr_scored as s
    where case
        when s.score <= cast('inf' as double) then true
        else error('a score is NULL or NaN: leave the row out if the document was not retrieved, or give it a score (ltr.check_run shows the rows)')
    end
    window __ltr_ranking_order as (
        partition by s.__ltr_key_1, s.query_id
        order by
            s.score desc nulls last,
            case when lower(typeof(s.__ltr_exact_score)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(s.__ltr_exact_score)) like 'decimal%' then s.__ltr_exact_score end desc nulls last,
            coalesce(s.relevance, 0) asc nulls last,
            cast(s.doc_id as varchar) desc nulls last
    )
    )
    from ltr.__ltr_default_means('__ltr_ranked')
)
select
    f.severity,
    f.what,
    f.how_many,
    f.first_rows,
    f.what_to_do
from (
    select
        1 as __ltr_number,
        'error' as severity,
        'a document is in one ranking more than once' as what,
        n.how_many,
        n.first_rows,
        'keep its best row per query_id and doc_id (min rank or max score), or pass grouping columns such as system as keys' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL')) || ' (' || count(*) || ' rows)' as row_text
            from __ltr_grades as r
            where r.query_id is not null and r.doc_id is not null
            group by r.keys, r.query_id, r.doc_id, r.subtopic
            having count(*) > 1
        ) as f
    ) as n
    union all
    select
        2 as __ltr_number,
        'error' as severity,
        'documents of one query share a rank' as what,
        n.how_many,
        n.first_rows,
        'rank by row_number(), not rank(), or pass grouping columns such as system as keys. Only AUC, CoverageError, LRAP, OPA, RankingLoss, the expected_ measures and measures of agreement accept shared ranks, as ties' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'rank=' || r.rank) || ' (' || count(*) || ' documents' || coalesce(': ' || array_to_string(min(r.doc_id, 3), ', '), '') || ')' as row_text
            from (
                select
                    s.keys,
                    s.query_id,
                    s.rank,
                    s.doc_id
                from __ltr_run_rows as s
                where s.rank is not null
                qualify s.subtopic is null or s.doc_id is null
                    or row_number() over (partition by s.keys, s.query_id, s.doc_id, s.rank order by s.subtopic) = 1
            ) as r
            group by r.keys, r.query_id, r.rank
            having count(*) > 1
        ) as f
    ) as n
    union all
    select
        3 as __ltr_number,
        'error' as severity,
        'a grade is infinite' as what,
        n.how_many,
        n.first_rows,
        'give the document a finite grade; if it is unjudged, set the grade to NULL or remove the row' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL'), 'doc_id=' || coalesce(q.doc_id, 'NULL'), 'relevance=' || coalesce(q.relevance_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_grades as q
        where isinf(q.relevance)
    ) as n
    union all
    select
        4 as __ltr_number,
        'error' as severity,
        'a column is missing' as what,
        n.how_many,
        n.first_rows,
        'rename the column that holds these values, or select it under the missing name' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                r.input || ': no column ' || n.name || ' among ' || array_to_string(r.names, ', ') as row_text
            from (
                (
                    select
                        'the rankings' as input,
                        '__ltr_run_rows' as relation,
                        s.names
                    from __ltr_run_rows as s
                    limit 1
                )
            ) as r
            join (
                values
                ('__ltr_run_rows', 'query_id', ['query_id']), ('__ltr_run_rows', 'rank or score', ['rank', 'score', 'rank_a']),
                ('__ltr_run_rows', 'relevance', ['relevance', 'rank_b'])
            ) as n(relation, name, either)
                on n.relation = r.relation and not list_has_any(r.names, n.either)
        ) as f
    ) as n
    union all
    select
        5 as __ltr_number,
        'error' as severity,
        'rankings of several systems are mixed: rows of a query with the same rank or document differ in other columns' as what,
        n.how_many,
        n.first_rows,
        'pass the column that names the system as keys' as what_to_do
    from (
        select
            case when min(f.rows_apart) then count(*) else 0 end as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'shared=' || r.shared) || ' in the rows ' || array_to_string(min(r.others, 3), ', ') as row_text,
                count(distinct r.others) = count(*) as rows_apart
            from (
                select
                    s.keys,
                    s.query_id,
                    coalesce('document ' || s.doc_id, 'rank ' || s.rank_text) as shared,
                    s.others
                from __ltr_grades as s
                where s.subtopic is null
            ) as r
            where r.shared is not null
            group by r.keys, r.query_id, r.shared
            having count(*) > 1
        ) as f
    ) as n
    union all
    select
        6 as __ltr_number,
        'error' as severity,
        'a rank, score or grade is not a number' as what,
        n.how_many,
        n.first_rows,
        'correct or remove these rows' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'rank=' || coalesce(r.rank_text, 'NULL'), 'score=' || coalesce(r.score_text, 'NULL')) as row_text
            from __ltr_run_rows as r
            where (r.rank is null and r.rank_text is not null) or (r.score is null and r.score_text is not null)
            union all
            select
                concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL'), 'doc_id=' || coalesce(q.doc_id, 'NULL'), 'relevance=' || coalesce(q.relevance_text, 'NULL')) as row_text
            from __ltr_grades as q
            where q.relevance is null and q.relevance_text is not null
        ) as f
    ) as n
    union all
    select
        7 as __ltr_number,
        'error' as severity,
        'the input has no rows' as what,
        n.how_many,
        n.first_rows,
        'check the query or file that the rows come from' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select 'the rankings' as row_text
            where not exists (from __ltr_run_rows)
        ) as f
    ) as n
    union all
    select
        8 as __ltr_number,
        'error' as severity,
        'an id is NULL' as what,
        n.how_many,
        n.first_rows,
        'give every row a query_id and a doc_id, or remove the row' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'rank=' || coalesce(r.rank_text, 'NULL'), 'score=' || coalesce(r.score_text, 'NULL')) as row_text
            from __ltr_run_rows as r
            where (list_contains(r.names, 'query_id') and r.query_id is null) or (list_contains(r.names, 'doc_id') and r.doc_id is null)
        ) as f
    ) as n
    union all
    select
        9 as __ltr_number,
        'error' as severity,
        'num_ret is negative, not whole, above 1,000,000,000, or below the largest rank of its query' as what,
        n.how_many,
        n.first_rows,
        'set num_ret to the number of documents retrieved for the query, or leave the column out' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL')) || ', num_ret=' || max(r.num_ret) || ', largest rank=' || coalesce(cast(max(r.rank) as varchar), 'NULL') as row_text
            from __ltr_run_rows as r
            where r.num_ret is not null
            group by r.keys, r.query_id
            having max(r.num_ret) < max(r.rank) or min(r.num_ret) < 0 or max(r.num_ret) > 1000000000 or max(r.num_ret) <> floor(max(r.num_ret))
        ) as f
    ) as n
    union all
    select
        10 as __ltr_number,
        'error' as severity,
        'a rank is not a whole number' as what,
        n.how_many,
        n.first_rows,
        'rank by row_number(), not by average ranks; or pass scores and choose a tie-breaking rule' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'rank=' || coalesce(r.rank_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_run_rows as r
        where r.rank <> floor(r.rank)
    ) as n
    union all
    select
        11 as __ltr_number,
        'error' as severity,
        'a rank is below 1 or above 1,000,000,000' as what,
        n.how_many,
        n.first_rows,
        'count ranks from 1: add 1 to ranks that count from 0' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'rank=' || coalesce(r.rank_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_run_rows as r
        where r.rank < 1 or r.rank > 1000000000
    ) as n
    union all
    select
        12 as __ltr_number,
        'error' as severity,
        'a score is NULL, NaN or infinite' as what,
        n.how_many,
        n.first_rows,
        'remove the row if the document was not retrieved, or give it a finite score' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'score=' || coalesce(r.score_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_run_rows as r
        where not r.has_rank and list_contains(r.names, 'score')
            and (r.score_text is null or not isfinite(r.score))
    ) as n
    union all
    select
        13 as __ltr_number,
        'info' as severity,
        'grades are negative: such documents are not relevant, and count as unjudged for AUC, Bpref, CoverageError, GMBpref, infAP, NumNonrelJudgedRet, RankingLoss, RBPResid, Unj' as what,
        n.how_many,
        n.first_rows,
        'nothing if they mark documents that were pooled but not judged, as in TREC; otherwise shift the grades' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL'), 'doc_id=' || coalesce(q.doc_id, 'NULL'), 'relevance=' || coalesce(q.relevance_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_grades as q
        where q.relevance < 0
    ) as n
    union all
    select
        14 as __ltr_number,
        'info' as severity,
        'grades are not whole numbers: documents with a grade between 0 and 1 are not relevant for alpha_DCG, alpha_nDCG, AP, AP_IA, AUC, AUPRC, BinG, Bpref, CoverageError, ERR_IA, expected_AP, expected_P, expected_R, expected_RR, expected_Success, F1, GMAP, GMBpref, infAP, IPrec, IPrecAvg, LRAP, NCRR, nERR_IA, nNRBP, NRBP, NumNonrelJudgedRet, NumRel, NumRelRet, P, P_IA, PairAccuracy, PrecisionAt, R, RankingLoss, RBP, RCap, Rprec, RprecMult, RR, SetAP, SetF, SetP, SetRelativeP, StRecall, Success, ThresholdAP, Utility, YAAP, unless rel is set to that grade or below' as what,
        n.how_many,
        n.first_rows,
        'set a threshold for these measures, such as AP(rel=0.5)' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL'), 'doc_id=' || coalesce(q.doc_id, 'NULL'), 'relevance=' || coalesce(q.relevance_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_grades as q
        where q.relevance <> floor(q.relevance)
    ) as n
    union all
    select
        15 as __ltr_number,
        'info' as severity,
        'queries have no relevant document: most measures are 0 for them, which counts in the mean' as what,
        n.how_many,
        n.first_rows,
        'remove such queries from the judgments if they should not count' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL')) as row_text
            from __ltr_grades as q
            where list_contains(q.names, 'relevance')
            group by q.keys, q.query_id
            having coalesce(max(q.relevance), 0) <= 0
        ) as f
    ) as n
    union all
    select
        16 as __ltr_number,
        'info' as severity,
        'ranks of a query have gaps, and no rank is NULL: rows may be missing' as what,
        n.how_many,
        n.first_rows,
        'nothing if the input holds the judged documents only; otherwise find out where rows were lost' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL')) || ' (' || count(distinct r.rank) || ' ranks down to ' || cast(max(r.rank) as bigint) || ')' as row_text
            from __ltr_run_rows as r
            where not exists (
                select 1
                from __ltr_run_rows as n
                where n.rank is null
            )
                and isfinite(r.rank)
            group by r.keys, r.query_id
            having max(r.rank) > count(distinct r.rank)
        ) as f
    ) as n
    union all
    select
        17 as __ltr_number,
        'info' as severity,
        'measures depend on tie-breaking: values from the worst to the best order of ties' as what,
        n.how_many,
        n.first_rows,
        'report the tie-breaking rule; differences between systems within this range may be due to ties' as what_to_do
    from (
        select
            count(*) as how_many,
            string_agg(f.row_text, '; ' order by f.row_text) as first_rows
        from (
            select
                concat_ws(', ', w."keys", 'AP' || ' ' || round(least(w."AP", b."AP"), 4) || ' to ' || round(greatest(w."AP", b."AP"), 4)) as row_text
            from __ltr_worst as w
            join __ltr_best as b
                on w."keys" is not distinct from b."keys"
            where abs(w."AP" - b."AP") > 1e-12
            union all
            select
                concat_ws(', ', w."keys", 'RR' || ' ' || round(least(w."RR", b."RR"), 4) || ' to ' || round(greatest(w."RR", b."RR"), 4)) as row_text
            from __ltr_worst as w
            join __ltr_best as b
                on w."keys" is not distinct from b."keys"
            where abs(w."RR" - b."RR") > 1e-12
            union all
            select
                concat_ws(', ', w."keys", 'nDCG@10' || ' ' || round(least(w."nDCG@10", b."nDCG@10"), 4) || ' to ' || round(greatest(w."nDCG@10", b."nDCG@10"), 4)) as row_text
            from __ltr_worst as w
            join __ltr_best as b
                on w."keys" is not distinct from b."keys"
            where abs(w."nDCG@10" - b."nDCG@10") > 1e-12
            union all
            select
                concat_ws(', ', w."keys", 'P@10' || ' ' || round(least(w."P@10", b."P@10"), 4) || ' to ' || round(greatest(w."P@10", b."P@10"), 4)) as row_text
            from __ltr_worst as w
            join __ltr_best as b
                on w."keys" is not distinct from b."keys"
            where abs(w."P@10" - b."P@10") > 1e-12
            union all
            select
                concat_ws(', ', w."keys", 'R@1000' || ' ' || round(least(w."R@1000", b."R@1000"), 4) || ' to ' || round(greatest(w."R@1000", b."R@1000"), 4)) as row_text
            from __ltr_worst as w
            join __ltr_best as b
                on w."keys" is not distinct from b."keys"
            where abs(w."R@1000" - b."R@1000") > 1e-12
        ) as f
    ) as n
    union all
    select
        18 as __ltr_number,
        'info' as severity,
        'documents of one query have the same score: the tie-breaking rule orders them' as what,
        n.how_many,
        n.first_rows,
        'set ties= to the rule of the tool that you compare with; ties=''worst'' gives a lower bound' as what_to_do
    from (
        select
            cast(sum(f.documents) as bigint) as how_many,
            array_to_string(min(concat_ws(', ', f.keys, 'query_id=' || coalesce(f.query_id, 'NULL'), 'score=' || f.score) || ' (' || f.documents || ' documents)', 3), '; ') as first_rows
        from (
            select
                r.keys,
                r.query_id,
                r.score,
                count(*) as documents
            from __ltr_run_rows as r
            where not r.has_rank and isfinite(r.score)
            group by r.keys, r.query_id, r.score, r.exact_score
            having count(*) > 1
        ) as f
    ) as n
    union all
    select
        19 as __ltr_number,
        'info' as severity,
        'documents in the top 10 are not judged: they count as not relevant' as what,
        n.how_many,
        n.first_rows,
        'report Judged@10 with the measures; judge more documents if systems differ in Judged@10' as what_to_do
    from (
        select
            cast(sum(f.positions - f.judged) as bigint) as how_many,
            round(100 * sum(f.positions - f.judged) / sum(f.positions), 1) || '% of the top 10: '
            || array_to_string(min(case when f.positions > f.judged then concat_ws(', ', f.keys, 'query_id=' || coalesce(f.query_id, 'NULL')) || ' (' || cast(f.positions - f.judged as bigint) || ' of ' || cast(f.positions as bigint) || ')' end, 3), '; ') as first_rows
        from (
            select
                r.keys,
                r.query_id,
                least(10, greatest(max(r.position), max(r.num_ret))) as positions,
                count(case when r.position <= 10 and r.is_judged then 1 end) as judged
            from (
                select
                    s.keys,
                    s.query_id,
                    s.num_ret,
                    s.relevance is not null as is_judged,
                    case when s.has_rank then s.rank else row_number() over (partition by s.keys, s.query_id order by s.score desc nulls last, s.doc_id desc nulls last) end as position
                from __ltr_run_rows as s
                where list_contains(s.names, 'relevance')
            ) as r
            group by r.keys, r.query_id
            having max(r.position) >= 1
        ) as f
    ) as n
) as f
where f.how_many > 0
order by f.__ltr_number;
comment on macro table ltr.check_rankings is 'Errors, warnings and diagnostics of rankings or a scored table. Returns one row per finding: severity, what was found, how many rows, the first of them, and what to do.';

create or replace macro ltr.check_run(run, qrels, keys := []::varchar[]) as table
with __ltr_run_rows as (
    select r.*
    from ltr.__ltr_check_run_rows(ltr.__ltr_table(run), ltr.__ltr_table(qrels), keys) as r
),
__ltr_grades as (
    select q.*
    from ltr.__ltr_check_rows(ltr.__ltr_table(qrels), []::varchar[]) as q
),
__ltr_best as (
    with __ltr_ranked as (
    with __ltr_judged as not materialized (
        select
            q.query_id,
            q.doc_id
        from (
    select
        q.query_id,
        q.doc_id,
        max(q.relevance) as relevance
    from __ltr_grades as q
    where q.query_id is not null and q.doc_id is not null and not coalesce(isinf(q.relevance), false)
    group by q.query_id, q.doc_id
    ) as q
    ),

    __ltr_run as not materialized (
        select
            j."keys" as __ltr_key_1, j.query_id,
            j.doc_id,
            cast(j.score as double) as score,
            j.exact_score as __ltr_exact_score
        from (
    select
        r.keys,
        r.query_id,
        r.doc_id,
        max(r.score) as score,
        max(r.exact_score) as exact_score
    from __ltr_run_rows as r
    where not r.has_rank and isfinite(r.score) and r.query_id is not null and r.doc_id is not null
    group by r.keys, r.query_id, r.doc_id
    ) as j
    ),
    __ltr_run_by_score as not materialized (
        select
            r.__ltr_key_1, r.query_id,
            r.doc_id,
            case
                when rank() over __ltr_ranking_order = count(*) over __ltr_ranking_order then rank() over __ltr_ranking_order
                else error('two rows of a query are tied after tie-breaking: give each document its own doc_id, or add a column row_order and set ties := ''row_order''')
            end as rank
        from (
            select
                t.__ltr_key_1, t.query_id,
                t.doc_id,
                t.score as score,
                t.__ltr_exact_score,
                g.relevance as relevance
            from __ltr_run as t
            left join (
                select
                    q.query_id,
                    q.doc_id,
                    max(cast(q.relevance as double)) as relevance
                from (
                    select
                        q.query_id, q.doc_id,
                        q.relevance
                    from (
    select
        q.query_id,
        q.doc_id,
        max(q.relevance) as relevance
    from __ltr_grades as q
    where q.query_id is not null and q.doc_id is not null and not coalesce(isinf(q.relevance), false)
    group by q.query_id, q.doc_id
    ) as q
                ) as q
                group by q.query_id, q.doc_id
            ) as g
                on g.query_id = t.query_id and g.doc_id = t.doc_id
            where case
                when t.score <= cast('inf' as double) then true
                else error('a score is NULL or NaN: leave the row out if the document was not retrieved, or give it a score (ltr.check_run shows the rows)')
            end
        ) as r
        window __ltr_ranking_order as (
            partition by r.__ltr_key_1, r.query_id
            order by
                r.score desc nulls last,
                case when lower(typeof(r.__ltr_exact_score)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(r.__ltr_exact_score)) like 'decimal%' then r.__ltr_exact_score end desc nulls last,
                coalesce(r.relevance, 0) desc nulls last,
                cast(r.doc_id as varchar) desc nulls last
        )
    ),
    __ltr_run_ranked as not materialized (
        select
            r.__ltr_key_1, r.query_id,
            r.doc_id,
            r.rank
        from __ltr_run_by_score as r
    ),
    __ltr_systems as (
        select
            r.__ltr_key_1
        from __ltr_run as r
        group by r.__ltr_key_1
    ),
    __ltr_run_queries as (
        select
            r.__ltr_key_1,
            r.query_id,
            count(*) as num_ret
        from __ltr_run as r
        group by r.__ltr_key_1, r.query_id
    ),
    __ltr_retrieved as (
        select
            r.__ltr_key_1,
            r.query_id,
            r.doc_id,
            r.rank
        from __ltr_run_ranked as r
        where exists (
            select 1
            from __ltr_judged as q
            where q.query_id = r.query_id and q.doc_id = r.doc_id
        )
    )
    select
        s.__ltr_key_1 as "keys",
        q.query_id,
        q.doc_id,
        r.rank,
        q.relevance,
        coalesce(n.num_ret, 0) as num_ret
    from (
    select
        q.query_id,
        q.doc_id,
        max(q.relevance) as relevance
    from __ltr_grades as q
    where q.query_id is not null and q.doc_id is not null and not coalesce(isinf(q.relevance), false)
    group by q.query_id, q.doc_id
    ) as q
    cross join __ltr_systems as s
    left join __ltr_retrieved as r
        on r.query_id = q.query_id and r.doc_id = q.doc_id and r.__ltr_key_1 is not distinct from s.__ltr_key_1
    left join __ltr_run_queries as n
        on n.query_id = q.query_id and n.__ltr_key_1 is not distinct from s.__ltr_key_1
    )
    from ltr.__ltr_default_means('__ltr_ranked')
),
__ltr_worst as (
    with __ltr_ranked as (
    with __ltr_judged as not materialized (
        select
            q.query_id,
            q.doc_id
        from (
    select
        q.query_id,
        q.doc_id,
        max(q.relevance) as relevance
    from __ltr_grades as q
    where q.query_id is not null and q.doc_id is not null and not coalesce(isinf(q.relevance), false)
    group by q.query_id, q.doc_id
    ) as q
    ),

    __ltr_run as not materialized (
        select
            j."keys" as __ltr_key_1, j.query_id,
            j.doc_id,
            cast(j.score as double) as score,
            j.exact_score as __ltr_exact_score
        from (
    select
        r.keys,
        r.query_id,
        r.doc_id,
        max(r.score) as score,
        max(r.exact_score) as exact_score
    from __ltr_run_rows as r
    where not r.has_rank and isfinite(r.score) and r.query_id is not null and r.doc_id is not null
    group by r.keys, r.query_id, r.doc_id
    ) as j
    ),
    __ltr_run_by_score as not materialized (
        select
            r.__ltr_key_1, r.query_id,
            r.doc_id,
            case
                when rank() over __ltr_ranking_order = count(*) over __ltr_ranking_order then rank() over __ltr_ranking_order
                else error('two rows of a query are tied after tie-breaking: give each document its own doc_id, or add a column row_order and set ties := ''row_order''')
            end as rank
        from (
            select
                t.__ltr_key_1, t.query_id,
                t.doc_id,
                t.score as score,
                t.__ltr_exact_score,
                g.relevance as relevance
            from __ltr_run as t
            left join (
                select
                    q.query_id,
                    q.doc_id,
                    max(cast(q.relevance as double)) as relevance
                from (
                    select
                        q.query_id, q.doc_id,
                        q.relevance
                    from (
    select
        q.query_id,
        q.doc_id,
        max(q.relevance) as relevance
    from __ltr_grades as q
    where q.query_id is not null and q.doc_id is not null and not coalesce(isinf(q.relevance), false)
    group by q.query_id, q.doc_id
    ) as q
                ) as q
                group by q.query_id, q.doc_id
            ) as g
                on g.query_id = t.query_id and g.doc_id = t.doc_id
            where case
                when t.score <= cast('inf' as double) then true
                else error('a score is NULL or NaN: leave the row out if the document was not retrieved, or give it a score (ltr.check_run shows the rows)')
            end
        ) as r
        window __ltr_ranking_order as (
            partition by r.__ltr_key_1, r.query_id
            order by
                r.score desc nulls last,
                case when lower(typeof(r.__ltr_exact_score)) in ('bigint', 'ubigint', 'hugeint', 'uhugeint') or lower(typeof(r.__ltr_exact_score)) like 'decimal%' then r.__ltr_exact_score end desc nulls last,
                coalesce(r.relevance, 0) asc nulls last,
                cast(r.doc_id as varchar) desc nulls last
        )
    ),
    __ltr_run_ranked as not materialized (
        select
            r.__ltr_key_1, r.query_id,
            r.doc_id,
            r.rank
        from __ltr_run_by_score as r
    ),
    __ltr_systems as (
        select
            r.__ltr_key_1
        from __ltr_run as r
        group by r.__ltr_key_1
    ),
    __ltr_run_queries as (
        select
            r.__ltr_key_1,
            r.query_id,
            count(*) as num_ret
        from __ltr_run as r
        group by r.__ltr_key_1, r.query_id
    ),
    __ltr_retrieved as (
        select
            r.__ltr_key_1,
            r.query_id,
            r.doc_id,
            r.rank
        from __ltr_run_ranked as r
        where exists (
            select 1
            from __ltr_judged as q
            where q.query_id = r.query_id and q.doc_id = r.doc_id
        )
    )
    select
        s.__ltr_key_1 as "keys",
        q.query_id,
        q.doc_id,
        r.rank,
        q.relevance,
        coalesce(n.num_ret, 0) as num_ret
    from (
    select
        q.query_id,
        q.doc_id,
        max(q.relevance) as relevance
    from __ltr_grades as q
    where q.query_id is not null and q.doc_id is not null and not coalesce(isinf(q.relevance), false)
    group by q.query_id, q.doc_id
    ) as q
    cross join __ltr_systems as s
    left join __ltr_retrieved as r
        on r.query_id = q.query_id and r.doc_id = q.doc_id and r.__ltr_key_1 is not distinct from s.__ltr_key_1
    left join __ltr_run_queries as n
        on n.query_id = q.query_id and n.__ltr_key_1 is not distinct from s.__ltr_key_1
    )
    from ltr.__ltr_default_means('__ltr_ranked')
)
select
    f.severity,
    f.what,
    f.how_many,
    f.first_rows,
    f.what_to_do
from (
    select
        1 as __ltr_number,
        'error' as severity,
        'a document is in one ranking more than once' as what,
        n.how_many,
        n.first_rows,
        'keep its best row per query_id and doc_id (min rank or max score), or pass grouping columns such as system as keys' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL')) || ' (' || count(*) || ' rows)' as row_text
            from __ltr_run_rows as r
            where r.query_id is not null and r.doc_id is not null
            group by r.keys, r.query_id, r.doc_id, r.subtopic
            having count(*) > 1
        ) as f
    ) as n
    union all
    select
        2 as __ltr_number,
        'error' as severity,
        'a document is judged more than once for one query' as what,
        n.how_many,
        n.first_rows,
        'keep one grade, such as max(relevance), grouped by query_id, doc_id (and subtopic)' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL'), 'doc_id=' || coalesce(q.doc_id, 'NULL'), 'subtopic=' || q.subtopic) || ' (grades ' || array_to_string(min(q.relevance_text, 3), ', ') || ')' as row_text
            from __ltr_grades as q
            where q.query_id is not null and q.doc_id is not null
            group by q.keys, q.query_id, q.doc_id, q.subtopic
            having count(*) > 1
        ) as f
    ) as n
    union all
    select
        3 as __ltr_number,
        'error' as severity,
        'documents of one query share a rank' as what,
        n.how_many,
        n.first_rows,
        'rank by row_number(), not rank(), or pass grouping columns such as system as keys. Only AUC, CoverageError, LRAP, OPA, RankingLoss, the expected_ measures and measures of agreement accept shared ranks, as ties' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'rank=' || r.rank) || ' (' || count(*) || ' documents' || coalesce(': ' || array_to_string(min(r.doc_id, 3), ', '), '') || ')' as row_text
            from (
                select
                    s.keys,
                    s.query_id,
                    s.rank,
                    s.doc_id
                from __ltr_run_rows as s
                where s.rank is not null
                qualify s.subtopic is null or s.doc_id is null
                    or row_number() over (partition by s.keys, s.query_id, s.doc_id, s.rank order by s.subtopic) = 1
            ) as r
            group by r.keys, r.query_id, r.rank
            having count(*) > 1
        ) as f
    ) as n
    union all
    select
        4 as __ltr_number,
        'error' as severity,
        'a grade is infinite' as what,
        n.how_many,
        n.first_rows,
        'give the document a finite grade; if it is unjudged, set the grade to NULL or remove the row' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL'), 'doc_id=' || coalesce(q.doc_id, 'NULL'), 'relevance=' || coalesce(q.relevance_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_grades as q
        where isinf(q.relevance)
    ) as n
    union all
    select
        5 as __ltr_number,
        'error' as severity,
        'a column is missing' as what,
        n.how_many,
        n.first_rows,
        'rename the column that holds these values, or select it under the missing name' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                r.input || ': no column ' || n.name || ' among ' || array_to_string(r.names, ', ') as row_text
            from (
                (
                    select
                        'the run' as input,
                        '__ltr_run_rows' as relation,
                        s.names
                    from __ltr_run_rows as s
                    limit 1
                )
                union all
                (
                    select
                        'the judgments' as input,
                        '__ltr_grades' as relation,
                        s.names
                    from __ltr_grades as s
                    limit 1
                )
            ) as r
            join (
                values
                ('__ltr_run_rows', 'query_id', ['query_id']), ('__ltr_run_rows', 'doc_id', ['doc_id']), ('__ltr_run_rows', 'rank or score', ['rank', 'score']),
                ('__ltr_grades', 'query_id', ['query_id']), ('__ltr_grades', 'doc_id', ['doc_id']), ('__ltr_grades', 'relevance', ['relevance'])
            ) as n(relation, name, either)
                on n.relation = r.relation and not list_has_any(r.names, n.either)
        ) as f
    ) as n
    union all
    select
        6 as __ltr_number,
        'error' as severity,
        'rankings of several systems are mixed: rows of a query with the same rank or document differ in other columns' as what,
        n.how_many,
        n.first_rows,
        'pass the column that names the system as keys' as what_to_do
    from (
        select
            case when min(f.rows_apart) then count(*) else 0 end as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'shared=' || r.shared) || ' in the rows ' || array_to_string(min(r.others, 3), ', ') as row_text,
                count(distinct r.others) = count(*) as rows_apart
            from (
                select
                    s.keys,
                    s.query_id,
                    coalesce('document ' || s.doc_id, 'rank ' || s.rank_text) as shared,
                    s.others
                from __ltr_run_rows as s
                where s.subtopic is null
            ) as r
            where r.shared is not null
            group by r.keys, r.query_id, r.shared
            having count(*) > 1
        ) as f
    ) as n
    union all
    select
        7 as __ltr_number,
        'error' as severity,
        'no document of the run is judged for any query' as what,
        n.how_many,
        n.first_rows,
        'compare the ids of the run and the judgments: types, blanks, leading zeros, upper and lower case; check that run and judgments are from the same collection' as what_to_do
    from (
        select
            case when count(*) > 0 then 1 else 0 end as how_many,
            'the run has ' || array_to_string(min(distinct '''' || r.doc_id || '''', 3), ', ') || '; the judgments have ' || (select array_to_string(min(distinct '''' || q.doc_id || '''', 3), ', ') from __ltr_grades as q) as first_rows
        from __ltr_run_rows as r
        where r.doc_id is not null
            and exists (from __ltr_grades as q where q.doc_id is not null)
            and not exists (
                select 1
                from __ltr_run_rows as s
                where s.doc_id in (
                    select q.doc_id
                    from __ltr_grades as q
                )
            )
    ) as n
    union all
    select
        8 as __ltr_number,
        'error' as severity,
        'no query of the run is judged' as what,
        n.how_many,
        n.first_rows,
        'compare the ids of the run and the judgments: types, blanks, leading zeros, upper and lower case; check that run and judgments are for the same topics' as what_to_do
    from (
        select
            case when count(*) > 0 then 1 else 0 end as how_many,
            'the run has ' || array_to_string(min(distinct '''' || r.query_id || '''', 3), ', ') || '; the judgments have ' || (select array_to_string(min(distinct '''' || q.query_id || '''', 3), ', ') from __ltr_grades as q) as first_rows
        from __ltr_run_rows as r
        where r.query_id is not null
            and exists (from __ltr_grades as q where q.query_id is not null)
            and not exists (
                select 1
                from __ltr_run_rows as s
                where s.query_id in (
                    select q.query_id
                    from __ltr_grades as q
                )
            )
    ) as n
    union all
    select
        9 as __ltr_number,
        'error' as severity,
        'a rank, score or grade is not a number' as what,
        n.how_many,
        n.first_rows,
        'correct or remove these rows' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'rank=' || coalesce(r.rank_text, 'NULL'), 'score=' || coalesce(r.score_text, 'NULL')) as row_text
            from __ltr_run_rows as r
            where (r.rank is null and r.rank_text is not null) or (r.score is null and r.score_text is not null)
            union all
            select
                concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL'), 'doc_id=' || coalesce(q.doc_id, 'NULL'), 'relevance=' || coalesce(q.relevance_text, 'NULL')) as row_text
            from __ltr_grades as q
            where q.relevance is null and q.relevance_text is not null
        ) as f
    ) as n
    union all
    select
        10 as __ltr_number,
        'error' as severity,
        'the input has no rows' as what,
        n.how_many,
        n.first_rows,
        'check the query or file that the rows come from' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select 'the run' as row_text
            where not exists (from __ltr_run_rows)
            union all
            select 'the judgments' as row_text
            where not exists (from __ltr_grades)
        ) as f
    ) as n
    union all
    select
        11 as __ltr_number,
        'error' as severity,
        'an id is NULL' as what,
        n.how_many,
        n.first_rows,
        'give every row a query_id and a doc_id, or remove the row' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'rank=' || coalesce(r.rank_text, 'NULL'), 'score=' || coalesce(r.score_text, 'NULL')) as row_text
            from __ltr_run_rows as r
            where (list_contains(r.names, 'query_id') and r.query_id is null) or (list_contains(r.names, 'doc_id') and r.doc_id is null)
            union all
            select
                'judgment ' || concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL'), 'doc_id=' || coalesce(q.doc_id, 'NULL'), 'relevance=' || coalesce(q.relevance_text, 'NULL')) as row_text
            from __ltr_grades as q
            where (list_contains(q.names, 'query_id') and q.query_id is null) or (list_contains(q.names, 'doc_id') and q.doc_id is null)
        ) as f
    ) as n
    union all
    select
        12 as __ltr_number,
        'error' as severity,
        'a row of a run has no rank' as what,
        n.how_many,
        n.first_rows,
        'remove the rows of documents that were not retrieved, or drop the column rank to rank by score' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'score=' || coalesce(r.score_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_run_rows as r
        where r.has_rank and r.rank_text is null
    ) as n
    union all
    select
        13 as __ltr_number,
        'error' as severity,
        'a rank is not a whole number' as what,
        n.how_many,
        n.first_rows,
        'rank by row_number(), not by average ranks; or pass scores and choose a tie-breaking rule' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'rank=' || coalesce(r.rank_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_run_rows as r
        where r.rank <> floor(r.rank)
    ) as n
    union all
    select
        14 as __ltr_number,
        'error' as severity,
        'a rank is below 1 or above 1,000,000,000' as what,
        n.how_many,
        n.first_rows,
        'count ranks from 1: add 1 to ranks that count from 0' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'rank=' || coalesce(r.rank_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_run_rows as r
        where r.rank < 1 or r.rank > 1000000000
    ) as n
    union all
    select
        15 as __ltr_number,
        'error' as severity,
        'a score is NULL, NaN or infinite' as what,
        n.how_many,
        n.first_rows,
        'remove the row if the document was not retrieved, or give it a finite score' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL'), 'doc_id=' || coalesce(r.doc_id, 'NULL'), 'score=' || coalesce(r.score_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_run_rows as r
        where not r.has_rank and list_contains(r.names, 'score')
            and (r.score_text is null or not isfinite(r.score))
    ) as n
    union all
    select
        16 as __ltr_number,
        'warning' as severity,
        'unjudged ids of the run equal judged ids in another Unicode normal form: they look alike, but their bytes differ' as what,
        n.how_many,
        n.first_rows,
        'normalise ids in run and judgments, with nfc_normalize() or unicodedata.normalize(''NFC'', id)' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                'query_id ''' || r.id || '''' as row_text
            from (
                select distinct
                    s.query_id as id,
                    nfc_normalize(s.query_id) as form
                from __ltr_run_rows as s
                where strlen(s.query_id) > length(s.query_id)
                    and s.query_id not in (
                        select t.query_id
                        from __ltr_grades as t
                        where t.query_id is not null
                    )
            ) as r
            join (
                select distinct nfc_normalize(s.query_id) as form
                from __ltr_grades as s
                where strlen(s.query_id) > length(s.query_id)
            ) as q
                on q.form = r.form
            union all
            select
                'doc_id ''' || r.id || '''' as row_text
            from (
                select distinct
                    s.doc_id as id,
                    nfc_normalize(s.doc_id) as form
                from __ltr_run_rows as s
                where strlen(s.doc_id) > length(s.doc_id)
                    and s.doc_id not in (
                        select t.doc_id
                        from __ltr_grades as t
                        where t.doc_id is not null
                    )
            ) as r
            join (
                select distinct nfc_normalize(s.doc_id) as form
                from __ltr_grades as s
                where strlen(s.doc_id) > length(s.doc_id)
            ) as q
                on q.form = r.form
        ) as f
    ) as n
    union all
    select
        17 as __ltr_number,
        'warning' as severity,
        'ids are text in one input and not in the other' as what,
        n.how_many,
        n.first_rows,
        'cast both to varchar; 7 and ''007'' are different ids' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                n.name || ': ' || r.kind || ' in the run, ' || q.kind || ' in the judgments' as row_text
            from (values ('query_id'), ('doc_id')) as n(name)
            cross join lateral (
                select regexp_extract(s.types, n.name || '"? ([A-Z]+)', 1, 'i') as kind
                from (
                    select any_value(t.types) as types
                    from __ltr_run_rows as t
                ) as s
            ) as r
            cross join lateral (
                select regexp_extract(s.types, n.name || '"? ([A-Z]+)', 1, 'i') as kind
                from (
                    select any_value(t.types) as types
                    from __ltr_grades as t
                ) as s
            ) as q
            where r.kind <> '' and q.kind <> '' and (r.kind = 'VARCHAR') <> (q.kind = 'VARCHAR')
        ) as f
    ) as n
    union all
    select
        18 as __ltr_number,
        'warning' as severity,
        'unjudged ids of the run differ from judged ids only in blanks, leading zeros, or upper and lower case' as what,
        n.how_many,
        n.first_rows,
        'spell ids the same way in run and judgments' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                'query_id ''' || r.id || ''' in the run, ''' || min(q.id) || ''' in the judgments' as row_text
            from (
                select distinct
                    s.query_id as id,
                    ltrim(lower(trim(s.query_id, ' ' || chr(9) || chr(13) || chr(160))), '0') as spelling
                from __ltr_run_rows as s
                where s.query_id not in (
                    select t.query_id
                    from __ltr_grades as t
                    where t.query_id is not null
                )
            ) as r
            join (
                select distinct
                    s.query_id as id,
                    ltrim(lower(trim(s.query_id, ' ' || chr(9) || chr(13) || chr(160))), '0') as spelling
                from __ltr_grades as s
            ) as q
                on q.spelling = r.spelling
            group by r.id
            union all
            select
                'doc_id ''' || r.id || ''' in the run, ''' || min(q.id) || ''' in the judgments' as row_text
            from (
                select distinct
                    s.doc_id as id,
                    ltrim(lower(trim(s.doc_id, ' ' || chr(9) || chr(13) || chr(160))), '0') as spelling
                from __ltr_run_rows as s
                where s.doc_id not in (
                    select t.doc_id
                    from __ltr_grades as t
                    where t.doc_id is not null
                )
            ) as r
            join (
                select distinct
                    s.doc_id as id,
                    ltrim(lower(trim(s.doc_id, ' ' || chr(9) || chr(13) || chr(160))), '0') as spelling
                from __ltr_grades as s
            ) as q
                on q.spelling = r.spelling
            group by r.id
        ) as f
    ) as n
    union all
    select
        19 as __ltr_number,
        'warning' as severity,
        'queries of the run have no judgments: they are left out' as what,
        n.how_many,
        n.first_rows,
        'nothing if they were never judged; otherwise compare their ids with those of the judgments' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min('query_id=' || f.query_id, 3), '; ') as first_rows
        from (
            select distinct r.query_id
            from __ltr_run_rows as r
            where r.query_id is not null
                and exists (from __ltr_grades as q where q.query_id is not null)
                and r.query_id not in (
                    select q.query_id
                    from __ltr_grades as q
                    where q.query_id is not null
                )
        ) as f
    ) as n
    union all
    select
        20 as __ltr_number,
        'warning' as severity,
        'judged queries are not in the run: they count as 0' as what,
        n.how_many,
        n.first_rows,
        'pass missing=''skip'' to leave them out, as trec_eval 9 does without -c' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', f.keys, 'query_id=' || coalesce(f.query_id, 'NULL')), 3), '; ') as first_rows
        from (
            select
                s.keys,
                q.query_id
            from (
                select distinct r.keys
                from __ltr_run_rows as r
            ) as s
            cross join (
                select distinct j.query_id
                from __ltr_grades as j
            ) as q
            left join (
                select distinct
                    t.keys,
                    t.query_id
                from __ltr_run_rows as t
            ) as n
                on n.keys is not distinct from s.keys and n.query_id = q.query_id
            where n.query_id is null and q.query_id is not null
        ) as f
    ) as n
    union all
    select
        21 as __ltr_number,
        'info' as severity,
        'grades are negative: such documents are not relevant, and count as unjudged for AUC, Bpref, CoverageError, GMBpref, infAP, NumNonrelJudgedRet, RankingLoss, RBPResid, Unj' as what,
        n.how_many,
        n.first_rows,
        'nothing if they mark documents that were pooled but not judged, as in TREC; otherwise shift the grades' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL'), 'doc_id=' || coalesce(q.doc_id, 'NULL'), 'relevance=' || coalesce(q.relevance_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_grades as q
        where q.relevance < 0
    ) as n
    union all
    select
        22 as __ltr_number,
        'info' as severity,
        'grades are not whole numbers: documents with a grade between 0 and 1 are not relevant for alpha_DCG, alpha_nDCG, AP, AP_IA, AUC, AUPRC, BinG, Bpref, CoverageError, ERR_IA, expected_AP, expected_P, expected_R, expected_RR, expected_Success, F1, GMAP, GMBpref, infAP, IPrec, IPrecAvg, LRAP, NCRR, nERR_IA, nNRBP, NRBP, NumNonrelJudgedRet, NumRel, NumRelRet, P, P_IA, PairAccuracy, PrecisionAt, R, RankingLoss, RBP, RCap, Rprec, RprecMult, RR, SetAP, SetF, SetP, SetRelativeP, StRecall, Success, ThresholdAP, Utility, YAAP, unless rel is set to that grade or below' as what,
        n.how_many,
        n.first_rows,
        'set a threshold for these measures, such as AP(rel=0.5)' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL'), 'doc_id=' || coalesce(q.doc_id, 'NULL'), 'relevance=' || coalesce(q.relevance_text, 'NULL')), 3), '; ') as first_rows
        from __ltr_grades as q
        where q.relevance <> floor(q.relevance)
    ) as n
    union all
    select
        23 as __ltr_number,
        'info' as severity,
        'queries have no relevant document: most measures are 0 for them, which counts in the mean' as what,
        n.how_many,
        n.first_rows,
        'remove such queries from the judgments if they should not count' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', q.keys, 'query_id=' || coalesce(q.query_id, 'NULL')) as row_text
            from __ltr_grades as q
            where list_contains(q.names, 'relevance')
            group by q.keys, q.query_id
            having coalesce(max(q.relevance), 0) <= 0
        ) as f
    ) as n
    union all
    select
        24 as __ltr_number,
        'info' as severity,
        'ranks of a query have gaps, and no rank is NULL: rows may be missing' as what,
        n.how_many,
        n.first_rows,
        'nothing if the input holds the judged documents only; otherwise find out where rows were lost' as what_to_do
    from (
        select
            count(*) as how_many,
            array_to_string(min(f.row_text, 3), '; ') as first_rows
        from (
            select
                concat_ws(', ', r.keys, 'query_id=' || coalesce(r.query_id, 'NULL')) || ' (' || count(distinct r.rank) || ' ranks down to ' || cast(max(r.rank) as bigint) || ')' as row_text
            from __ltr_run_rows as r
            where not exists (
                select 1
                from __ltr_run_rows as n
                where n.rank is null
            )
                and isfinite(r.rank)
            group by r.keys, r.query_id
            having max(r.rank) > count(distinct r.rank)
        ) as f
    ) as n
    union all
    select
        25 as __ltr_number,
        'info' as severity,
        'measures depend on tie-breaking: values from the worst to the best order of ties' as what,
        n.how_many,
        n.first_rows,
        'report the tie-breaking rule; differences between systems within this range may be due to ties' as what_to_do
    from (
        select
            count(*) as how_many,
            string_agg(f.row_text, '; ' order by f.row_text) as first_rows
        from (
            select
                concat_ws(', ', w."keys", 'AP' || ' ' || round(least(w."AP", b."AP"), 4) || ' to ' || round(greatest(w."AP", b."AP"), 4)) as row_text
            from __ltr_worst as w
            join __ltr_best as b
                on w."keys" is not distinct from b."keys"
            where abs(w."AP" - b."AP") > 1e-12
            union all
            select
                concat_ws(', ', w."keys", 'RR' || ' ' || round(least(w."RR", b."RR"), 4) || ' to ' || round(greatest(w."RR", b."RR"), 4)) as row_text
            from __ltr_worst as w
            join __ltr_best as b
                on w."keys" is not distinct from b."keys"
            where abs(w."RR" - b."RR") > 1e-12
            union all
            select
                concat_ws(', ', w."keys", 'nDCG@10' || ' ' || round(least(w."nDCG@10", b."nDCG@10"), 4) || ' to ' || round(greatest(w."nDCG@10", b."nDCG@10"), 4)) as row_text
            from __ltr_worst as w
            join __ltr_best as b
                on w."keys" is not distinct from b."keys"
            where abs(w."nDCG@10" - b."nDCG@10") > 1e-12
            union all
            select
                concat_ws(', ', w."keys", 'P@10' || ' ' || round(least(w."P@10", b."P@10"), 4) || ' to ' || round(greatest(w."P@10", b."P@10"), 4)) as row_text
            from __ltr_worst as w
            join __ltr_best as b
                on w."keys" is not distinct from b."keys"
            where abs(w."P@10" - b."P@10") > 1e-12
            union all
            select
                concat_ws(', ', w."keys", 'R@1000' || ' ' || round(least(w."R@1000", b."R@1000"), 4) || ' to ' || round(greatest(w."R@1000", b."R@1000"), 4)) as row_text
            from __ltr_worst as w
            join __ltr_best as b
                on w."keys" is not distinct from b."keys"
            where abs(w."R@1000" - b."R@1000") > 1e-12
        ) as f
    ) as n
    union all
    select
        26 as __ltr_number,
        'info' as severity,
        'documents of one query have the same score: the tie-breaking rule orders them' as what,
        n.how_many,
        n.first_rows,
        'set ties= to the rule of the tool that you compare with; ties=''worst'' gives a lower bound' as what_to_do
    from (
        select
            cast(sum(f.documents) as bigint) as how_many,
            array_to_string(min(concat_ws(', ', f.keys, 'query_id=' || coalesce(f.query_id, 'NULL'), 'score=' || f.score) || ' (' || f.documents || ' documents)', 3), '; ') as first_rows
        from (
            select
                r.keys,
                r.query_id,
                r.score,
                count(*) as documents
            from __ltr_run_rows as r
            where not r.has_rank and isfinite(r.score)
            group by r.keys, r.query_id, r.score, r.exact_score
            having count(*) > 1
        ) as f
    ) as n
    union all
    select
        27 as __ltr_number,
        'info' as severity,
        'documents in the top 10 are not judged: they count as not relevant' as what,
        n.how_many,
        n.first_rows,
        'report Judged@10 with the measures; judge more documents if systems differ in Judged@10' as what_to_do
    from (
        select
            cast(sum(f.positions - f.judged) as bigint) as how_many,
            round(100 * sum(f.positions - f.judged) / sum(f.positions), 1) || '% of the top 10: '
            || array_to_string(min(case when f.positions > f.judged then concat_ws(', ', f.keys, 'query_id=' || coalesce(f.query_id, 'NULL')) || ' (' || cast(f.positions - f.judged as bigint) || ' of ' || cast(f.positions as bigint) || ')' end, 3), '; ') as first_rows
        from (
            select
                r.keys,
                r.query_id,
                least(10, greatest(max(r.position), max(r.num_ret))) as positions,
                count(case when r.position <= 10 and r.is_judged then 1 end) as judged
            from (
                select
                    s.keys,
                    s.query_id,
                    s.num_ret,
                    q.doc_id is not null as is_judged,
                    case when s.has_rank then s.rank else row_number() over (partition by s.keys, s.query_id order by s.score desc nulls last, s.doc_id desc nulls last) end as position
                from __ltr_run_rows as s
                left join (
                    select distinct
                        j.query_id,
                        j.doc_id
                    from __ltr_grades as j
                    where j.relevance is not null
                ) as q
                    on q.query_id = s.query_id and q.doc_id = s.doc_id
                where s.query_id in (
                    select j.query_id
                    from __ltr_grades as j
                )
            ) as r
            group by r.keys, r.query_id
            having max(r.position) >= 1
        ) as f
    ) as n
) as f
where f.how_many > 0
order by f.__ltr_number;
comment on macro table ltr.check_run is 'Errors, warnings and diagnostics of a run with judgments. Returns one row per finding: severity, what was found, how many rows, the first of them, and what to do.';

create or replace macro ltr.__ltr_measures(measures, paired, keys, convention) as
list_transform(list_transform(list_transform(list_transform(list_transform(
    list_filter(
        case
            when len(try_cast(measures as varchar[])) > 0 and len(list_filter(try_cast(measures as varchar[]), lambda m: m is null)) = 0
            then list_transform(try_cast(measures as varchar[]), lambda m: trim(m, e' \t\r\n'))
            else error('measures must be a list of measure strings without NULL, such as [''nDCG@10'', ''AP'']')
        end,
        lambda m, i: i = list_position(list_transform(try_cast(measures as varchar[]), lambda n: trim(n, e' \t\r\n')), m)
    ),
    lambda m: {'text': m, 'read': regexp_extract(
        case when length(m) > 1000 then error('a measure string has at most 1,000 characters, got ' || length(m) || ': ' || left(m, 50) || '...') else m end,
        '^(?P<name>[A-Za-z0-9][A-Za-z0-9_-]*?)(?:\((?P<arguments>[^()]*)\))?(?:(?P<mark>[@_.])(?P<at>(?:[0-9]*\.)?[0-9]+))?(?:-l(?P<level>[0-9]+))?(?P<zero>-)?$', ['name', 'arguments', 'mark', 'at', 'level', 'zero']
    )}
), lambda m: {
    'text': m['text'],
    'at': m['read']['at'],
    'fraction': case when m['read']['mark'] = '.' and not contains(m['read']['at'], '.') then '0.' || m['read']['at'] else m['read']['at'] end,
    'level': m['read']['level'],
    'zero': m['read']['zero'],
    'preset': lower(m['read']['name']),
    'arguments': case when trim(m['read']['arguments'], e' \t\r\n') = '' then [] else list_transform(
        list_transform(string_split(m['read']['arguments'], ','), lambda a: regexp_replace(trim(a, e' \t\r\n'), '^(?P<name>[A-Za-z0-9_]+)[ \t\r\n]*=[ \t\r\n]*(?:(?P<value>[+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)|''([+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)''|"([+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)")$', '\1=\2\3\4')),
        lambda a: coalesce(cast('{"dcg=log2"="gain=linear", "dcg=exp-log2"="gain=exponential", "normalize=True"="normalize=true", "normalize=False"="normalize=false"}' as map(varchar, varchar))[a], a)
    ) end,
    'definition': cast(cast('{"alpha_dcg"="{\"macro\": \"alpha_dcg\", \"input\": \"covers\", \"row_source\": \"coverage\", \"block\": \"coverage{_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"alpha\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"alpha\", \"default\": \"0.5\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"alpha\", \"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then power(1e0 - {alpha}, d.__ltr_times_covered_above) * 1e0 / log2(d.rank + 1) else 0e0 end)
/ (count(distinct d.subtopic) * (select sum(power(1e0 - {alpha}, n.rank - 1) * 1e0 / log2(n.rank + 1)) from (select unnest(range(1, cast({k} as bigint) + 1)) as rank) as n)) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "alpha_ndcg"="{\"macro\": \"alpha_ndcg\", \"input\": \"covers\", \"row_source\": \"subtopics\", \"block\": \"subtopics{_alpha}{_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"alpha\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"alpha\", \"default\": \"0.5\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"alpha\", \"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above\", \",
row_number() over (partition by r.__ltr_key, r.subtopic order by r.ideal_rank asc nulls last) - 1 as __ltr_times_covered_above_in_ideal\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then power(1e0 - {alpha}, d.__ltr_times_covered_above) * 1e0 / log2(d.rank + 1) else 0e0 end)
/ nullif(sum(case when d.ideal_rank <= coalesce({k}, d.ideal_rank) then power(1e0 - {alpha}, d.__ltr_times_covered_above_in_ideal) * 1e0 / log2(d.ideal_rank + 1) else 0e0 end), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "ap"="{\"macro\": \"ap\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\", \"divisor\", \"empty\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}, {\"name\": \"divisor\", \"default\": \"relevant\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"relevant\", \"reachable\", \"found\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''relevant'', ''reachable'' or ''found''\"}, {\"name\": \"empty\", \"default\": \"0\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"0\", \"1\", \"skip\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''0'', ''1'' or ''skip''\"}], \"arguments\": [\"rel\", \"divisor\", \"empty\"], \"choices\": [\"divisor\"], \"texts\": [{\"chosen\": \"relevant\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end)
/ nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"null\"}, {\"chosen\": \"reachable\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end)
/ nullif(case when {k} < (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) then {k} else (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) end, 0) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"null\"}, {\"chosen\": \"found\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end)
/ nullif(case when (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) > 0 then (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) else (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) end, 0) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"null\"}], \"output\": \",
coalesce({block}.{name}, case {empty} when ''0'' then 0e0 when ''1'' then 1e0 end) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "ap_ia"="{\"macro\": \"ap_ia\", \"input\": \"covers\", \"row_source\": \"coverage\", \"block\": \"coverage{_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above\", \",
count(*) over (partition by r.__ltr_key, r.subtopic) as __ltr_documents_of_subtopic\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then (d.__ltr_times_covered_above + 1) / d.rank / d.__ltr_documents_of_subtopic else 0e0 end)
/ count(distinct d.subtopic) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "arelpos"="{\"macro\": \"arelpos\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [], \"values\": [], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank is not null and d.relevance > 0 then d.rank * d.relevance else 0e0 end)
/ nullif((sum(case when d.rank is not null and d.relevance > 0 then d.relevance else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "auc"="{\"macro\": \"auc\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"judged\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\", \"empty\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}, {\"name\": \"empty\", \"default\": \"skip\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"0\", \"1\", \"skip\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''0'', ''1'' or ''skip''\"}], \"arguments\": [\"rel\", \"empty\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= 0 and r.relevance < {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_nonrelevant_through_rank{_rel}\", \",
sum(case when r.relevance >= 0 and r.relevance < {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as __ltr_nonrelevant_at_rank{_rel}\"], \"value\": \",
1 - (sum(case when d.rank is not null and d.relevance >= {rel} then d.__ltr_nonrelevant_through_rank{_rel} - 0.5e0 * d.__ltr_nonrelevant_at_rank{_rel} else 0e0 end)
/ nullif((sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) * sum(case when d.rank is not null and d.relevance >= 0 and d.relevance < {rel} then 1e0 else 0e0 end), 0)) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, case {empty} when ''0'' then 0e0 when ''1'' then 1e0 end) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "auprc"="{\"macro\": \"auprc\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"all\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_relevant_through_rank{_rel}\", \",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as __ltr_relevant_at_rank{_rel}\", \",
count(*) over (partition by r.__ltr_key, r.rank) as __ltr_documents_at_rank\"], \"value\": \",
sum(case when d.rank is not null and d.relevance >= {rel} then (d.__ltr_relevant_through_rank{_rel} / (d.rank + d.__ltr_documents_at_rank - 1) + case when d.rank > 1 then (d.__ltr_relevant_through_rank{_rel} - d.__ltr_relevant_at_rank{_rel}) / (d.rank - 1) else 1e0 end) / 2 else 0e0 end)
/ nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "average_gain"="{\"macro\": \"average_gain\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance > 0 then d.relevance else 0e0 end)) / nullif((coalesce(case when {k} < max(d.num_ret) then {k} else max(d.num_ret) end, 0)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "average_overlap"="{\"macro\": \"average_overlap\", \"input\": \"pairs\", \"row_source\": \"depth_overlap\", \"block\": \"depth_overlap{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(d.overlap * case when d.until > d.depth then (ln((d.until + 16.5e0)) + 1 / (24 * power((d.until + 16.5e0), 2)) - 7 / (960 * power((d.until + 16.5e0), 4)) + 31 / (8064 * power((d.until + 16.5e0), 6)) - 127 / (30720 * power((d.until + 16.5e0), 8)) - 1e0 / (d.until + 1) - 1e0 / (d.until + 2) - 1e0 / (d.until + 3) - 1e0 / (d.until + 4) - 1e0 / (d.until + 5) - 1e0 / (d.until + 6) - 1e0 / (d.until + 7) - 1e0 / (d.until + 8) - 1e0 / (d.until + 9) - 1e0 / (d.until + 10) - 1e0 / (d.until + 11) - 1e0 / (d.until + 12) - 1e0 / (d.until + 13) - 1e0 / (d.until + 14) - 1e0 / (d.until + 15) - 1e0 / (d.until + 16) - (ln(((d.depth - 1) + 16.5e0)) + 1 / (24 * power(((d.depth - 1) + 16.5e0), 2)) - 7 / (960 * power(((d.depth - 1) + 16.5e0), 4)) + 31 / (8064 * power(((d.depth - 1) + 16.5e0), 6)) - 127 / (30720 * power(((d.depth - 1) + 16.5e0), 8)) - 1e0 / ((d.depth - 1) + 1) - 1e0 / ((d.depth - 1) + 2) - 1e0 / ((d.depth - 1) + 3) - 1e0 / ((d.depth - 1) + 4) - 1e0 / ((d.depth - 1) + 5) - 1e0 / ((d.depth - 1) + 6) - 1e0 / ((d.depth - 1) + 7) - 1e0 / ((d.depth - 1) + 8) - 1e0 / ((d.depth - 1) + 9) - 1e0 / ((d.depth - 1) + 10) - 1e0 / ((d.depth - 1) + 11) - 1e0 / ((d.depth - 1) + 12) - 1e0 / ((d.depth - 1) + 13) - 1e0 / ((d.depth - 1) + 14) - 1e0 / ((d.depth - 1) + 15) - 1e0 / ((d.depth - 1) + 16))) else 1 / ((case when d.depth > d.size_a then d.depth else d.size_a end + case when d.depth > d.size_b then d.depth else d.size_b end) / 2e0) end / d.last) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "bin_g"="{\"macro\": \"bin_g\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\"], \"value\": \",
sum(case when d.rank is not null and d.relevance >= {rel} then 1 / log2(case when 2e0 > 2 + d.rank - d.__ltr_relevant_so_far{_rel} then 2e0 else 2 + d.rank - d.__ltr_relevant_so_far{_rel} end) else 0e0 end)
/ nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"null\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "bpm"="{\"macro\": \"bpm\", \"input\": \"rankings\", \"row_source\": \"ranks\", \"block\": \"ranks{_max_rel}{_min_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"T\", \"min_rel\", \"max_rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"T\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0.25, \"above\": null, \"most\": null, \"allowed\": \"a number from 0.25\"}, {\"name\": \"min_rel\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": null, \"allowed\": \"a number from 0\"}, {\"name\": \"max_rel\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"T\", \"min_rel\", \"max_rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when case when r.gain_so_far < {T} then 1e0 else 0e0 end > 1e-300 then case when r.gain_so_far < {T} then 1e0 else 0e0 end else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_bpm{_T}\"], \"value\": \",
sum(case when d.rank <= {k} then d.__ltr_view_probability_bpm{_T} * d.gain else 0e0 end) / sum(case when d.rank <= {k} then d.__ltr_view_probability_bpm{_T} else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "bpref"="{\"macro\": \"bpref\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"judged\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= 0 and r.relevance < {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_nonrelevant_so_far{_rel}\", \",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query{_rel}\", \",
sum(case when r.relevance >= 0 and r.relevance < {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_nonrelevant_of_query{_rel}\"], \"value\": \",
sum(case when d.rank is not null and d.relevance >= {rel} then 1 - coalesce(case when d.__ltr_nonrelevant_so_far{_rel} < d.__ltr_relevant_of_query{_rel} then d.__ltr_nonrelevant_so_far{_rel} else d.__ltr_relevant_of_query{_rel} end / nullif(case when d.__ltr_nonrelevant_of_query{_rel} < d.__ltr_relevant_of_query{_rel} then d.__ltr_nonrelevant_of_query{_rel} else d.__ltr_relevant_of_query{_rel} end, 0), 0) else 0e0 end)
/ nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"null\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "cg"="{\"macro\": \"cg\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance > 0 then d.relevance else 0e0 end) as {name}\", \"gain\": \"case when d.relevance > 0 then d.relevance else 0e0 end\", \"discount\": \"1e0\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "compat"="{\"macro\": \"compat\", \"input\": \"rankings\", \"row_source\": \"depths\", \"block\": \"depths{_depth}\", \"reads\": \"all\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"p\", \"depth\", \"normalize\"], \"values\": [{\"name\": \"p\", \"default\": \"0.95\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"depth\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"normalize\", \"default\": \"true\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"true\", \"false\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''true'' or ''false''\"}], \"arguments\": [\"p\", \"depth\", \"normalize\"], \"choices\": [\"normalize\"], \"texts\": [{\"chosen\": \"true\", \"windows\": [], \"value\": \",
sum(d.overlap / d.depth * power({p}, d.depth - 1))
/ sum(d.ideal_overlap / d.depth * power({p}, d.depth - 1)) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"false\", \"windows\": [], \"value\": \",
sum(d.overlap / d.depth * power({p}, d.depth - 1))
/ sum(1e0 * power({p}, d.depth - 1)) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "coverage_error"="{\"macro\": \"coverage_error\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"all\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
count(*) over (partition by r.__ltr_key, r.rank) as __ltr_documents_at_rank\"], \"value\": \",
case
    when (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) > (sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end))
    then (coalesce(max(d.num_ret), 0)) + sum(case when d.rank is null and d.relevance >= 0 then 1e0 else 0e0 end)
    else max(case when d.relevance >= {rel} then d.rank + d.__ltr_documents_at_rank - 1 end)
end as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "dcg"="{\"macro\": \"dcg\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"gain\", \"discount\", \"level\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"gain\", \"default\": \"linear\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"linear\", \"exponential\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''linear'' or ''exponential''\"}, {\"name\": \"discount\", \"default\": \"log2\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"log2\", \"rank\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''log2'' or ''rank''\"}, {\"name\": \"level\", \"default\": \"null\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"gain\", \"discount\", \"level\"], \"choices\": [\"gain\", \"discount\"], \"texts\": [{\"chosen\": \"linear,log2\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / log2(d.rank + 1) else 0e0 end) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then d.relevance else 0e0 end\", \"discount\": \"1e0 / log2(d.rank + 1)\"}, {\"chosen\": \"linear,rank\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / d.rank else 0e0 end) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then d.relevance else 0e0 end\", \"discount\": \"1e0 / d.rank\"}, {\"chosen\": \"exponential,log2\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / log2(d.rank + 1) else 0e0 end) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end else 0e0 end\", \"discount\": \"1e0 / log2(d.rank + 1)\"}, {\"chosen\": \"exponential,rank\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / d.rank else 0e0 end) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end else 0e0 end\", \"discount\": \"1e0 / d.rank\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "err"="{\"macro\": \"err\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"max_grade\", \"gain\", \"empty\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"max_grade\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}, {\"name\": \"gain\", \"default\": \"exponential\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"linear\", \"exponential\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''linear'' or ''exponential''\"}, {\"name\": \"empty\", \"default\": \"0\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"0\", \"1\", \"skip\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''0'', ''1'' or ''skip''\"}], \"arguments\": [\"max_grade\", \"gain\", \"empty\"], \"choices\": [\"gain\"], \"texts\": [{\"chosen\": \"linear\", \"windows\": [\",
exp(coalesce(sum(ln(case when 1 - ltr.__ltr_satisfaction(r.relevance, {max_grade}, ''linear'') > 1e-300 then 1 - ltr.__ltr_satisfaction(r.relevance, {max_grade}, ''linear'') else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_not_satisfied_above{_max_grade}_linear\"], \"value\": \",
case when max(d.relevance) > {max_grade} then error(''a grade is above max_grade: set max_grade to the largest grade of the scale'') else case when max(d.relevance) > 0 then sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_not_satisfied_above{_max_grade}_linear * ltr.__ltr_satisfaction(d.relevance, {max_grade}, ''linear'') / d.rank else 0e0 end) end end as {name}\", \"gain\": \"ltr.__ltr_satisfaction(d.relevance, {max_grade}, ''linear'')\", \"discount\": \"1e0 / d.rank\"}, {\"chosen\": \"exponential\", \"windows\": [\",
exp(coalesce(sum(ln(case when 1 - ltr.__ltr_satisfaction(r.relevance, {max_grade}, ''exponential'') > 1e-300 then 1 - ltr.__ltr_satisfaction(r.relevance, {max_grade}, ''exponential'') else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_not_satisfied_above{_max_grade}_exponential\"], \"value\": \",
case when max(d.relevance) > {max_grade} then error(''a grade is above max_grade: set max_grade to the largest grade of the scale'') else case when max(d.relevance) > 0 then sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_not_satisfied_above{_max_grade}_exponential * ltr.__ltr_satisfaction(d.relevance, {max_grade}, ''exponential'') / d.rank else 0e0 end) end end as {name}\", \"gain\": \"ltr.__ltr_satisfaction(d.relevance, {max_grade}, ''exponential'')\", \"discount\": \"1e0 / d.rank\"}], \"output\": \",
coalesce({block}.{name}, case {empty} when ''0'' then 0e0 when ''1'' then 1e0 end) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "err_ia"="{\"macro\": \"err_ia\", \"input\": \"covers\", \"row_source\": \"coverage\", \"block\": \"coverage{_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"alpha\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"alpha\", \"default\": \"0.5\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"alpha\", \"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then power(1e0 - {alpha}, d.__ltr_times_covered_above) * 1e0 / d.rank else 0e0 end)
/ (count(distinct d.subtopic) * (select sum(power(1e0 - {alpha}, n.rank - 1) * 1e0 / n.rank) from (select unnest(range(1, cast({k} as bigint) + 1)) as rank) as n)) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "expected_ap"="{\"macro\": \"expected_ap\", \"input\": \"rankings\", \"row_source\": \"tied_positions\", \"block\": \"tied_positions{_rel}\", \"reads\": \"all\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\", \"empty\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}, {\"name\": \"empty\", \"default\": \"0\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"0\", \"1\", \"skip\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''0'', ''1'' or ''skip''\"}], \"arguments\": [\"rel\", \"empty\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.relevant_tied / d.num_tied * (d.relevant_above + 1 + coalesce(d.above_in_tie * (d.relevant_tied - 1) / nullif(d.num_tied - 1, 0), 0)) / d.rank else 0e0 end)
/ nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, case {empty} when ''0'' then 0e0 when ''1'' then 1e0 end) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "expected_ndcg"="{\"macro\": \"expected_ndcg\", \"input\": \"rankings\", \"row_source\": \"tied_positions\", \"block\": \"tied_positions{_rel}\", \"reads\": \"all\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"gain\", \"discount\", \"ideal\", \"empty\", \"level\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"gain\", \"default\": \"linear\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"linear\", \"exponential\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''linear'' or ''exponential''\"}, {\"name\": \"discount\", \"default\": \"log2\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"log2\", \"rank\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''log2'' or ''rank''\"}, {\"name\": \"ideal\", \"default\": \"cut\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"cut\", \"whole\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''cut'' or ''whole''\"}, {\"name\": \"empty\", \"default\": \"0\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"0\", \"1\", \"skip\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''0'', ''1'' or ''skip''\"}, {\"name\": \"level\", \"default\": \"null\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"gain\", \"discount\", \"ideal\", \"empty\", \"level\"], \"choices\": [\"gain\", \"discount\", \"ideal\"], \"texts\": [{\"chosen\": \"linear,log2,cut\", \"windows\": [\",
avg(case when ltr.__ltr_has_gain({level}, r.relevance) then r.relevance else 0e0 end) over (partition by r.__ltr_key, r.shared_rank) as __ltr_expected_gain_linear{_level}\", \",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_expected_gain_linear{_level} / log2(d.rank + 1) else 0e0 end)
/ nullif((sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"linear,log2,whole\", \"windows\": [\",
avg(case when ltr.__ltr_has_gain({level}, r.relevance) then r.relevance else 0e0 end) over (partition by r.__ltr_key, r.shared_rank) as __ltr_expected_gain_linear{_level}\", \",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_expected_gain_linear{_level} / log2(d.rank + 1) else 0e0 end)
/ nullif((sum(case when d.__ltr_ideal_rank is not null and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"linear,rank,cut\", \"windows\": [\",
avg(case when ltr.__ltr_has_gain({level}, r.relevance) then r.relevance else 0e0 end) over (partition by r.__ltr_key, r.shared_rank) as __ltr_expected_gain_linear{_level}\", \",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_expected_gain_linear{_level} / d.rank else 0e0 end)
/ nullif((sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / d.__ltr_ideal_rank else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"linear,rank,whole\", \"windows\": [\",
avg(case when ltr.__ltr_has_gain({level}, r.relevance) then r.relevance else 0e0 end) over (partition by r.__ltr_key, r.shared_rank) as __ltr_expected_gain_linear{_level}\", \",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_expected_gain_linear{_level} / d.rank else 0e0 end)
/ nullif((sum(case when d.__ltr_ideal_rank is not null and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / d.__ltr_ideal_rank else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"exponential,log2,cut\", \"windows\": [\",
avg(case when ltr.__ltr_has_gain({level}, r.relevance) then case when r.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, r.relevance) - 1 end else 0e0 end) over (partition by r.__ltr_key, r.shared_rank) as __ltr_expected_gain_exponential{_level}\", \",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_expected_gain_exponential{_level} / log2(d.rank + 1) else 0e0 end)
/ nullif((sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"exponential,log2,whole\", \"windows\": [\",
avg(case when ltr.__ltr_has_gain({level}, r.relevance) then case when r.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, r.relevance) - 1 end else 0e0 end) over (partition by r.__ltr_key, r.shared_rank) as __ltr_expected_gain_exponential{_level}\", \",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_expected_gain_exponential{_level} / log2(d.rank + 1) else 0e0 end)
/ nullif((sum(case when d.__ltr_ideal_rank is not null and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"exponential,rank,cut\", \"windows\": [\",
avg(case when ltr.__ltr_has_gain({level}, r.relevance) then case when r.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, r.relevance) - 1 end else 0e0 end) over (partition by r.__ltr_key, r.shared_rank) as __ltr_expected_gain_exponential{_level}\", \",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_expected_gain_exponential{_level} / d.rank else 0e0 end)
/ nullif((sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / d.__ltr_ideal_rank else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"exponential,rank,whole\", \"windows\": [\",
avg(case when ltr.__ltr_has_gain({level}, r.relevance) then case when r.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, r.relevance) - 1 end else 0e0 end) over (partition by r.__ltr_key, r.shared_rank) as __ltr_expected_gain_exponential{_level}\", \",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_expected_gain_exponential{_level} / d.rank else 0e0 end)
/ nullif((sum(case when d.__ltr_ideal_rank is not null and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / d.__ltr_ideal_rank else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, case {empty} when ''0'' then 0e0 when ''1'' then 1e0 end) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "expected_p"="{\"macro\": \"expected_p\", \"input\": \"rankings\", \"row_source\": \"tied_positions\", \"block\": \"tied_positions{_rel}\", \"reads\": \"all\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.relevant_tied / d.num_tied else 0e0 end) / {k} as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "expected_r"="{\"macro\": \"expected_r\", \"input\": \"rankings\", \"row_source\": \"tied_positions\", \"block\": \"tied_positions{_rel}\", \"reads\": \"all\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\", \"empty\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}, {\"name\": \"empty\", \"default\": \"0\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"0\", \"1\", \"skip\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''0'', ''1'' or ''skip''\"}], \"arguments\": [\"rel\", \"empty\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.relevant_tied / d.num_tied else 0e0 end) / nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, case {empty} when ''0'' then 0e0 when ''1'' then 1e0 end) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "expected_rr"="{\"macro\": \"expected_rr\", \"input\": \"rankings\", \"row_source\": \"tied_positions\", \"block\": \"tied_positions{_rel}\", \"reads\": \"all\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when (r.num_tied - r.above_in_tie - r.relevant_tied) / (r.num_tied - r.above_in_tie) > 1e-300 then (r.num_tied - r.above_in_tie - r.relevant_tied) / (r.num_tied - r.above_in_tie) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_none_relevant_above\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_none_relevant_above * d.relevant_tied / (d.num_tied - d.above_in_tie) / d.rank else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "expected_success"="{\"macro\": \"expected_success\", \"input\": \"rankings\", \"row_source\": \"tied_positions\", \"block\": \"tied_positions{_rel}\", \"reads\": \"all\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when (r.num_tied - r.above_in_tie - r.relevant_tied) / (r.num_tied - r.above_in_tie) > 1e-300 then (r.num_tied - r.above_in_tie - r.relevant_tied) / (r.num_tied - r.above_in_tie) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_none_relevant_above\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_none_relevant_above * d.relevant_tied / (d.num_tied - d.above_in_tie) else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "f1"="{\"macro\": \"f1\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
2 * ((sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) / {k}) * ((sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0)) / nullif(((sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) / {k}) + ((sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "fagin_k"="{\"macro\": \"fagin_k\", \"input\": \"pairs\", \"row_source\": \"all_pairs\", \"block\": \"all_pairs{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"p\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"p\", \"default\": \"0.5\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}], \"arguments\": [\"p\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b\", \",
rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a\"], \"value\": \",
sum(d.inversions) + {p} * (2 * (1e0 * sum(d.__ltr_above_in_a_then_b)) - (1e0 * sum(d.__ltr_above_in_a)) - (1e0 * sum(d.above_b))) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "filtered_dcg"="{\"macro\": \"filtered_dcg\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"gain\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"gain\", \"default\": \"linear\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"linear\", \"exponential\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''linear'' or ''exponential''\"}], \"arguments\": [\"gain\"], \"choices\": [\"gain\"], \"texts\": [{\"chosen\": \"linear\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance > 0 then d.relevance / d.rank else 0e0 end) as {name}\", \"gain\": \"case when d.relevance > 0 then d.relevance else 0e0 end\", \"discount\": \"1e0 / d.rank\"}, {\"chosen\": \"exponential\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance > 0 then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / d.rank else 0e0 end) as {name}\", \"gain\": \"case when d.relevance > 0 then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end else 0e0 end\", \"discount\": \"1e0 / d.rank\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "footrule"="{\"macro\": \"footrule\", \"input\": \"pairs\", \"row_source\": \"either_documents\", \"block\": \"either_documents{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"location\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"location\", \"default\": \"null\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"location\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
max(case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end) over (partition by r.__ltr_key) as __ltr_last_rank\"], \"value\": \",
sum(abs(coalesce(d.rank_a, coalesce({location}, (1 + coalesce({k}, d.__ltr_last_rank)))) - coalesce(d.rank_b, coalesce({location}, (1 + coalesce({k}, d.__ltr_last_rank)))))) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "g"="{\"macro\": \"g\", \"input\": \"rankings\", \"row_source\": \"gain_positions\", \"block\": \"gain_positions\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [], \"values\": [], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.ideal_gain > 1 then r.ideal_gain - 1 else 0e0 end - r.gain) over (partition by r.__ltr_key order by r.position asc nulls last range between unbounded preceding and current row) as __ltr_shortfall_so_far\"], \"value\": \",
sum(case when d.gain > 0 then d.gain / log2(case when 1e0 > 2 + d.position + d.__ltr_shortfall_so_far then 1e0 else 2 + d.position + d.__ltr_shortfall_so_far end) else 0e0 end)
/ nullif(sum(d.ideal_gain), 0) as {name}\", \"gain\": \"case when d.relevance > 0 then d.relevance else 0e0 end\", \"discount\": \"null\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "gamma"="{\"macro\": \"gamma\", \"input\": \"pairs\", \"row_source\": \"pairs\", \"block\": \"pairs{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a\", \",
rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b\"], \"value\": \",
(((1e0 * sum(d.__ltr_above_in_a)) + (1e0 * sum(d.above_b)) - (1e0 * sum(d.__ltr_above_in_a_then_b))) - 2 * sum(d.inversions))
/ nullif(((1e0 * sum(d.__ltr_above_in_a)) + (1e0 * sum(d.above_b)) - (1e0 * sum(d.__ltr_above_in_a_then_b))), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "gmap"="{\"macro\": \"gmap\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\"], \"value\": \",
(sum(case when d.rank is not null and d.relevance >= {rel} then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end)
/ nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0)) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"null\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
exp(avg(ln(case when v.{name} > 1e-5 then v.{name} else 1e-5 end))) as {name}\"}", "gmbpref"="{\"macro\": \"gmbpref\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"judged\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= 0 and r.relevance < {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_nonrelevant_so_far{_rel}\", \",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query{_rel}\", \",
sum(case when r.relevance >= 0 and r.relevance < {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_nonrelevant_of_query{_rel}\"], \"value\": \",
(sum(case when d.rank is not null and d.relevance >= {rel} then 1 - coalesce(case when d.__ltr_nonrelevant_so_far{_rel} < d.__ltr_relevant_of_query{_rel} then d.__ltr_nonrelevant_so_far{_rel} else d.__ltr_relevant_of_query{_rel} end / nullif(case when d.__ltr_nonrelevant_of_query{_rel} < d.__ltr_relevant_of_query{_rel} then d.__ltr_nonrelevant_of_query{_rel} else d.__ltr_relevant_of_query{_rel} end, 0), 0) else 0e0 end)
/ nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0)) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"null\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
exp(avg(ln(case when v.{name} > 1e-5 then v.{name} else 1e-5 end))) as {name}\"}", "graded_ap"="{\"macro\": \"graded_ap\", \"input\": \"rankings\", \"row_source\": \"levels\", \"block\": \"levels\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"gain\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"gain\", \"default\": \"linear\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"linear\", \"exponential\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''linear'' or ''exponential''\"}], \"arguments\": [\"gain\"], \"choices\": [\"gain\"], \"texts\": [{\"chosen\": \"linear\", \"windows\": [\",
count(r.rank) over (partition by r.__ltr_key, r.level order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_found_so_far\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then (d.level - d.level_below) * d.__ltr_found_so_far / d.rank else 0e0 end)
/ nullif(sum(d.level - d.level_below), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"exponential\", \"windows\": [\",
count(r.rank) over (partition by r.__ltr_key, r.level order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_found_so_far\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then (case when d.level > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.level) - 1 end - case when d.level_below > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.level_below) - 1 end) * d.__ltr_found_so_far / d.rank else 0e0 end)
/ nullif(sum(case when d.level > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.level) - 1 end - case when d.level_below > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.level_below) - 1 end), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "graded_rbp"="{\"macro\": \"graded_rbp\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"p\", \"parameters\": [\"k\", \"p\", \"unit\", \"level\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"p\", \"default\": \"0.9\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"unit\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}, {\"name\": \"level\", \"default\": \"null\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"p\", \"unit\", \"level\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
(1 - {p}) / {unit} * sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance * power({p}, d.rank - 1) else 0e0 end) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then d.relevance else 0e0 end\", \"discount\": \"power({p}, d.rank - 1)\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "idcg"="{\"macro\": \"idcg\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"gain\", \"discount\", \"level\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"gain\", \"default\": \"linear\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"linear\", \"exponential\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''linear'' or ''exponential''\"}, {\"name\": \"discount\", \"default\": \"log2\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"log2\", \"rank\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''log2'' or ''rank''\"}, {\"name\": \"level\", \"default\": \"null\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"gain\", \"discount\", \"level\"], \"choices\": [\"gain\", \"discount\"], \"texts\": [{\"chosen\": \"linear,log2\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / log2(d.__ltr_ideal_rank + 1) else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"linear,rank\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / d.__ltr_ideal_rank else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"exponential,log2\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"exponential,rank\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / d.__ltr_ideal_rank else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "infap"="{\"macro\": \"infap\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"judged\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance is not null then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_judged_so_far\", \",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\", \",
sum(case when r.relevance >= 0 and r.relevance < {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_nonrelevant_so_far{_rel}\"], \"value\": \",
sum(case
    when d.rank is not null and d.relevance >= {rel}
    then (1 + (d.__ltr_judged_so_far - 1) * (d.__ltr_relevant_so_far{_rel} - 1 + 1e-5) / (d.__ltr_relevant_so_far{_rel} - 1 + d.__ltr_nonrelevant_so_far{_rel} + 2e-5)) / d.rank
    else 0e0
end)
/ nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"null\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "insq"="{\"macro\": \"insq\", \"input\": \"rankings\", \"row_source\": \"ranks\", \"block\": \"ranks{_max_rel}{_min_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"T\", \"min_rel\", \"max_rel\"], \"values\": [{\"name\": \"k\", \"default\": \"1000\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"T\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0.25, \"above\": null, \"most\": null, \"allowed\": \"a number from 0.25\"}, {\"name\": \"min_rel\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": null, \"allowed\": \"a number from 0\"}, {\"name\": \"max_rel\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"T\", \"min_rel\", \"max_rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when power(1 - 1 / (r.rank + 2e0 * {T}), 2) > 1e-300 then power(1 - 1 / (r.rank + 2e0 * {T}), 2) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_insq{_T}\"], \"value\": \",
sum(case when d.rank <= {k} then d.__ltr_view_probability_insq{_T} * d.gain else 0e0 end) / sum(case when d.rank <= {k} then d.__ltr_view_probability_insq{_T} else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "inst"="{\"macro\": \"inst\", \"input\": \"rankings\", \"row_source\": \"ranks\", \"block\": \"ranks{_max_rel}{_min_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"T\", \"min_rel\", \"max_rel\"], \"values\": [{\"name\": \"k\", \"default\": \"1000\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"T\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0.25, \"above\": null, \"most\": null, \"allowed\": \"a number from 0.25\"}, {\"name\": \"min_rel\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": null, \"allowed\": \"a number from 0\"}, {\"name\": \"max_rel\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"T\", \"min_rel\", \"max_rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when power(1 - 1 / (r.rank + 2e0 * {T} - r.gain_so_far), 2) > 1e-300 then power(1 - 1 / (r.rank + 2e0 * {T} - r.gain_so_far), 2) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_inst{_T}\"], \"value\": \",
sum(case when d.rank <= {k} then d.__ltr_view_probability_inst{_T} * d.gain else 0e0 end) / sum(case when d.rank <= {k} then d.__ltr_view_probability_inst{_T} else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "iprec"="{\"macro\": \"iprec\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"recall\", \"fraction\": \"\", \"parameters\": [\"recall\", \"rounding\", \"rel\"], \"values\": [{\"name\": \"recall\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"rounding\", \"default\": \"te10\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"te10\", \"te9\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''te10'' or ''te9''\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"recall\", \"rounding\", \"rel\"], \"choices\": [\"rounding\"], \"texts\": [{\"chosen\": \"te10\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\", \",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query{_rel}\"], \"value\": \",
max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor({recall} * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"te9\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\", \",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query{_rel}\"], \"value\": \",
max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor({recall} * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "iprec_avg"="{\"macro\": \"iprec_avg\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rounding\", \"rel\"], \"values\": [{\"name\": \"rounding\", \"default\": \"te10\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"te10\", \"te9\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''te10'' or ''te9''\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rounding\", \"rel\"], \"choices\": [\"rounding\"], \"texts\": [{\"chosen\": \"te10\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\", \",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query{_rel}\"], \"value\": \",
(
    (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.0e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.1e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.2e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.3e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.4e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.5e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.6e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.7e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.8e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.9e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(1.0e0 * d.__ltr_relevant_of_query{_rel} + 0.5e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
) / 11 as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"te9\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\", \",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query{_rel}\"], \"value\": \",
(
    (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.0e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.1e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.2e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.3e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.4e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.5e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.6e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.7e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.8e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(0.9e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
    + (max(case when d.rank is not null and d.relevance >= {rel} and d.__ltr_relevant_so_far{_rel} >= floor(1.0e0 * d.__ltr_relevant_of_query{_rel} + 0.9e0) then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))
) / 11 as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "jaccard"="{\"macro\": \"jaccard\", \"input\": \"pairs\", \"row_source\": \"either_documents\", \"block\": \"either_documents{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank_a is not null and d.rank_b is not null then 1e0 else 0e0 end) / count(*) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "judged"="{\"macro\": \"judged\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance is not null then 1e0 else 0e0 end) / nullif((coalesce(case when {k} < max(d.num_ret) then {k} else max(d.num_ret) end, 0)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "kendall_distance"="{\"macro\": \"kendall_distance\", \"input\": \"pairs\", \"row_source\": \"pairs\", \"block\": \"pairs{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"scale\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"scale\", \"default\": \"share\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"share\", \"count\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''share'' or ''count''\"}], \"arguments\": [\"scale\"], \"choices\": [\"scale\"], \"texts\": [{\"chosen\": \"share\", \"windows\": [], \"value\": \",
sum(d.inversions) / nullif((count(*) * (count(*) - 1e0) / 2), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"count\", \"windows\": [], \"value\": \",
sum(d.inversions) / (case when count(*) > 1 then 1e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "kendall_tau"="{\"macro\": \"kendall_tau\", \"input\": \"pairs\", \"row_source\": \"pairs\", \"block\": \"pairs{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"variant\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"variant\", \"default\": \"b\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"a\", \"b\", \"c\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''a'', ''b'' or ''c''\"}], \"arguments\": [\"variant\"], \"choices\": [\"variant\"], \"texts\": [{\"chosen\": \"a\", \"windows\": [\",
rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a\", \",
rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b\"], \"value\": \",
(((1e0 * sum(d.__ltr_above_in_a)) + (1e0 * sum(d.above_b)) - (1e0 * sum(d.__ltr_above_in_a_then_b))) - 2 * sum(d.inversions))
/ nullif((count(*) * (count(*) - 1e0) / 2), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"b\", \"windows\": [\",
rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a\", \",
rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b\"], \"value\": \",
(((1e0 * sum(d.__ltr_above_in_a)) + (1e0 * sum(d.above_b)) - (1e0 * sum(d.__ltr_above_in_a_then_b))) - 2 * sum(d.inversions))
/ nullif(sqrt((1e0 * sum(d.__ltr_above_in_a)) * (1e0 * sum(d.above_b))), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"c\", \"windows\": [\",
rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a\", \",
rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b\"], \"value\": \",
(((1e0 * sum(d.__ltr_above_in_a)) + (1e0 * sum(d.above_b)) - (1e0 * sum(d.__ltr_above_in_a_then_b))) - 2 * sum(d.inversions))
/ nullif((power(count(*), 2) / 2 * (1 - 1e0 / (case when count(distinct d.__ltr_above_in_a) < count(distinct d.above_b) then count(distinct d.__ltr_above_in_a) else count(distinct d.above_b) end))), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "lrap"="{\"macro\": \"lrap\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"all\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_relevant_through_rank{_rel}\", \",
count(*) over (partition by r.__ltr_key, r.rank) as __ltr_documents_at_rank\"], \"value\": \",
sum(case when d.rank is not null and d.relevance >= {rel} then d.__ltr_relevant_through_rank{_rel} / (d.rank + d.__ltr_documents_at_rank - 1) else 0e0 end)
/ nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 1.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "ncrr"="{\"macro\": \"ncrr\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\", \",
max(coalesce(r.num_ret, r.rank)) over (partition by r.__ltr_key) as __ltr_retrieved_of_query\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 / d.rank else 0e0 end)
/ nullif(sum(case when d.relevance >= {rel} and d.__ltr_ideal_rank <= case when {k} < d.__ltr_retrieved_of_query then {k} else d.__ltr_retrieved_of_query end then 1e0 / d.__ltr_ideal_rank else 0e0 end), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "ndcg"="{\"macro\": \"ndcg\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"gain\", \"discount\", \"ideal\", \"empty\", \"level\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"gain\", \"default\": \"linear\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"linear\", \"exponential\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''linear'' or ''exponential''\"}, {\"name\": \"discount\", \"default\": \"log2\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"log2\", \"rank\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''log2'' or ''rank''\"}, {\"name\": \"ideal\", \"default\": \"cut\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"cut\", \"whole\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''cut'' or ''whole''\"}, {\"name\": \"empty\", \"default\": \"0\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"0\", \"1\", \"skip\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''0'', ''1'' or ''skip''\"}, {\"name\": \"level\", \"default\": \"null\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"gain\", \"discount\", \"ideal\", \"empty\", \"level\"], \"choices\": [\"gain\", \"discount\", \"ideal\"], \"texts\": [{\"chosen\": \"linear,log2,cut\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / log2(d.rank + 1) else 0e0 end))
/ nullif((sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then d.relevance else 0e0 end\", \"discount\": \"1e0 / log2(d.rank + 1)\"}, {\"chosen\": \"linear,log2,whole\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / log2(d.rank + 1) else 0e0 end))
/ nullif((sum(case when d.__ltr_ideal_rank is not null and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then d.relevance else 0e0 end\", \"discount\": \"1e0 / log2(d.rank + 1)\"}, {\"chosen\": \"linear,rank,cut\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / d.rank else 0e0 end))
/ nullif((sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / d.__ltr_ideal_rank else 0e0 end)), 0) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then d.relevance else 0e0 end\", \"discount\": \"1e0 / d.rank\"}, {\"chosen\": \"linear,rank,whole\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / d.rank else 0e0 end))
/ nullif((sum(case when d.__ltr_ideal_rank is not null and ltr.__ltr_has_gain({level}, d.relevance) then d.relevance / d.__ltr_ideal_rank else 0e0 end)), 0) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then d.relevance else 0e0 end\", \"discount\": \"1e0 / d.rank\"}, {\"chosen\": \"exponential,log2,cut\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / log2(d.rank + 1) else 0e0 end))
/ nullif((sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end else 0e0 end\", \"discount\": \"1e0 / log2(d.rank + 1)\"}, {\"chosen\": \"exponential,log2,whole\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / log2(d.rank + 1) else 0e0 end))
/ nullif((sum(case when d.__ltr_ideal_rank is not null and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end else 0e0 end\", \"discount\": \"1e0 / log2(d.rank + 1)\"}, {\"chosen\": \"exponential,rank,cut\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / d.rank else 0e0 end))
/ nullif((sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / d.__ltr_ideal_rank else 0e0 end)), 0) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end else 0e0 end\", \"discount\": \"1e0 / d.rank\"}, {\"chosen\": \"exponential,rank,whole\", \"windows\": [\",
row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank\"], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / d.rank else 0e0 end))
/ nullif((sum(case when d.__ltr_ideal_rank is not null and ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end / d.__ltr_ideal_rank else 0e0 end)), 0) as {name}\", \"gain\": \"case when ltr.__ltr_has_gain({level}, d.relevance) then case when d.relevance > 300 then error(''a grade is above 300, too large for gain := ''''exponential'''''') else power(2e0, d.relevance) - 1 end else 0e0 end\", \"discount\": \"1e0 / d.rank\"}], \"output\": \",
coalesce({block}.{name}, case {empty} when ''0'' then 0e0 when ''1'' then 1e0 end) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "ndcg_rel"="{\"macro\": \"ndcg_rel\", \"input\": \"rankings\", \"row_source\": \"gain_positions\", \"block\": \"gain_positions\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [], \"values\": [], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(r.gain / log2(r.position + 1)) over (partition by r.__ltr_key order by r.position asc nulls last range between unbounded preceding and current row) as __ltr_dcg_so_far\", \",
sum(r.ideal_gain / log2(r.position + 1)) over (partition by r.__ltr_key order by r.position asc nulls last range between unbounded preceding and current row) as __ltr_idcg_so_far\"], \"value\": \",
(
    sum(case when d.gain > 0 then d.__ltr_dcg_so_far / nullif(d.__ltr_idcg_so_far, 0) else 0e0 end)
    + sum(case when d.ideal_gain > 0 then 1e0 when d.gain > 0 then -1e0 else 0e0 end) * sum(d.gain / log2(d.position + 1)) / nullif(sum(d.ideal_gain / log2(d.position + 1)), 0)
)
/ nullif(sum(case when d.ideal_gain > 0 then 1e0 else 0e0 end), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "nerr10"="{\"macro\": \"nerr10\", \"input\": \"rankings\", \"row_source\": \"ranks\", \"block\": \"ranks{_max_rel}{_min_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"p\", \"min_rel\", \"max_rel\"], \"values\": [{\"name\": \"k\", \"default\": \"1000\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"p\", \"default\": \"0.9\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"min_rel\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": null, \"allowed\": \"a number from 0\"}, {\"name\": \"max_rel\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"p\", \"min_rel\", \"max_rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when (1 - r.gain) * {p} > 1e-300 then (1 - r.gain) * {p} else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_nerr10{_p}\"], \"value\": \",
sum(case when d.rank <= {k} then d.__ltr_view_probability_nerr10{_p} * d.gain else 0e0 end) / sum(case when d.rank <= {k} then d.__ltr_view_probability_nerr10{_p} else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "nerr11"="{\"macro\": \"nerr11\", \"input\": \"rankings\", \"row_source\": \"ranks\", \"block\": \"ranks{_max_rel}{_min_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"T\", \"min_rel\", \"max_rel\"], \"values\": [{\"name\": \"k\", \"default\": \"1000\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"T\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0.25, \"above\": null, \"most\": null, \"allowed\": \"a number from 0.25\"}, {\"name\": \"min_rel\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": null, \"allowed\": \"a number from 0\"}, {\"name\": \"max_rel\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"T\", \"min_rel\", \"max_rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when (1 - r.gain) * power(1 - 1 / (r.rank + 2e0 * {T}), 2) > 1e-300 then (1 - r.gain) * power(1 - 1 / (r.rank + 2e0 * {T}), 2) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_nerr11{_T}\"], \"value\": \",
sum(case when d.rank <= {k} then d.__ltr_view_probability_nerr11{_T} * d.gain else 0e0 end) / sum(case when d.rank <= {k} then d.__ltr_view_probability_nerr11{_T} else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "nerr8"="{\"macro\": \"nerr8\", \"input\": \"rankings\", \"row_source\": \"ranks\", \"block\": \"ranks{_max_rel}{_min_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"min_rel\", \"max_rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"min_rel\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": null, \"allowed\": \"a number from 0\"}, {\"name\": \"max_rel\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"min_rel\", \"max_rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when 1 - r.gain > 1e-300 then 1 - r.gain else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_nerr8\"], \"value\": \",
sum(case when d.rank <= {k} then d.__ltr_view_probability_nerr8 * d.gain else 0e0 end) / sum(case when d.rank <= {k} then d.__ltr_view_probability_nerr8 else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "nerr9"="{\"macro\": \"nerr9\", \"input\": \"rankings\", \"row_source\": \"ranks\", \"block\": \"ranks{_max_rel}{_min_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"min_rel\", \"max_rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"min_rel\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": null, \"allowed\": \"a number from 0\"}, {\"name\": \"max_rel\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"min_rel\", \"max_rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when (1 - r.gain) * r.rank / (r.rank + 1) > 1e-300 then (1 - r.gain) * r.rank / (r.rank + 1) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_nerr9\"], \"value\": \",
sum(case when d.rank <= {k} then d.__ltr_view_probability_nerr9 * d.gain else 0e0 end) / sum(case when d.rank <= {k} then d.__ltr_view_probability_nerr9 else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "nerr_ia"="{\"macro\": \"nerr_ia\", \"input\": \"covers\", \"row_source\": \"subtopics\", \"block\": \"subtopics{_alpha}{_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"alpha\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"alpha\", \"default\": \"0.5\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"alpha\", \"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above\", \",
row_number() over (partition by r.__ltr_key, r.subtopic order by r.ideal_rank asc nulls last) - 1 as __ltr_times_covered_above_in_ideal\"], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then power(1e0 - {alpha}, d.__ltr_times_covered_above) * 1e0 / d.rank else 0e0 end)
/ nullif(sum(case when d.ideal_rank <= coalesce({k}, d.ideal_rank) then power(1e0 - {alpha}, d.__ltr_times_covered_above_in_ideal) * 1e0 / d.ideal_rank else 0e0 end), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "nnrbp"="{\"macro\": \"nnrbp\", \"input\": \"covers\", \"row_source\": \"subtopics\", \"block\": \"subtopics{_alpha}{_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"alpha\", \"beta\", \"rel\"], \"values\": [{\"name\": \"alpha\", \"default\": \"0.5\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"beta\", \"default\": \"0.5\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"alpha\", \"beta\", \"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above\", \",
row_number() over (partition by r.__ltr_key, r.subtopic order by r.ideal_rank asc nulls last) - 1 as __ltr_times_covered_above_in_ideal\"], \"value\": \",
sum(case when d.rank is not null then power(1e0 - {alpha}, d.__ltr_times_covered_above) * power({beta}, d.rank - 1) else 0e0 end)
/ nullif(sum(case when d.ideal_rank is not null then power(1e0 - {alpha}, d.__ltr_times_covered_above_in_ideal) * power({beta}, d.ideal_rank - 1) else 0e0 end), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "nrbp"="{\"macro\": \"nrbp\", \"input\": \"covers\", \"row_source\": \"coverage\", \"block\": \"coverage{_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"alpha\", \"beta\", \"rel\"], \"values\": [{\"name\": \"alpha\", \"default\": \"0.5\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"beta\", \"default\": \"0.5\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"alpha\", \"beta\", \"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_times_covered_above\"], \"value\": \",
(1e0 - (1e0 - {alpha}) * {beta}) / count(distinct d.subtopic)
* sum(case when d.rank is not null then power(1e0 - {alpha}, d.__ltr_times_covered_above) * power({beta}, d.rank - 1) else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "num_nonrel_judged_ret"="{\"macro\": \"num_nonrel_judged_ret\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"judged\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank is not null and d.relevance >= 0 and d.relevance < {rel} then 1e0 else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
sum(v.{name}) as {name}\"}", "num_q"="{\"macro\": \"num_q\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [], \"values\": [], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
max(1e0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 1.0e0) as {name}\", \"average\": \",
sum(v.{name}) as {name}\"}", "num_rel"="{\"macro\": \"num_rel\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.relevance >= {rel} then 1e0 else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
sum(v.{name}) as {name}\"}", "num_rel_ret"="{\"macro\": \"num_rel_ret\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"1e0\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
sum(v.{name}) as {name}\"}", "num_ret"="{\"macro\": \"num_ret\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
coalesce(case when {k} < max(d.num_ret) then {k} else max(d.num_ret) end, 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
sum(v.{name}) as {name}\"}", "opa"="{\"macro\": \"opa\", \"input\": \"rankings\", \"row_source\": \"grades\", \"block\": \"grades\", \"reads\": \"judged\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"tied\", \"empty\"], \"values\": [{\"name\": \"tied\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"empty\", \"default\": \"skip\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"0\", \"1\", \"skip\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''0'', ''1'' or ''skip''\"}], \"arguments\": [\"tied\", \"empty\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.grade order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_lower_grades_through_rank\", \",
sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.grade, r.rank) as __ltr_lower_grades_at_rank\", \",
sum(case when r.relevance < r.grade then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.grade) as __ltr_lower_grades_of_query\"], \"value\": \",
1 - sum(case when d.relevance = d.grade then d.__ltr_lower_grades_through_rank - {tied} * d.__ltr_lower_grades_at_rank else 0e0 end)
/ nullif(sum(case when d.relevance = d.grade then d.__ltr_lower_grades_of_query else 0e0 end), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, case {empty} when ''0'' then 0e0 when ''1'' then 1e0 end) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "overlap"="{\"macro\": \"overlap\", \"input\": \"pairs\", \"row_source\": \"either_documents\", \"block\": \"either_documents{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank_a is not null and d.rank_b is not null then 1e0 else 0e0 end) / ((case when coalesce({k}, ceil(max(d.lower_rank))) > count(d.rank_a) then coalesce({k}, ceil(max(d.lower_rank))) else count(d.rank_a) end + case when coalesce({k}, ceil(max(d.lower_rank))) > count(d.rank_b) then coalesce({k}, ceil(max(d.lower_rank))) else count(d.rank_b) end) / 2e0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "p"="{\"macro\": \"p\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) / {k} as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"1e0\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "p_ia"="{\"macro\": \"p_ia\", \"input\": \"covers\", \"row_source\": \"coverage\", \"block\": \"coverage{_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
sum(case when d.rank <= coalesce({k}, d.rank) then 1e0 else 0e0 end) / ({k} * count(distinct d.subtopic)) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "pair_accuracy"="{\"macro\": \"pair_accuracy\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\"], \"value\": \",
1 - sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then d.rank - d.__ltr_relevant_so_far{_rel} else 0e0 end)
/ nullif((sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) * ((coalesce(case when {k} < max(d.num_ret) then {k} else max(d.num_ret) end, 0)) - (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end))), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "pearson"="{\"macro\": \"pearson\", \"input\": \"scored_pairs\", \"row_source\": \"scores\", \"block\": \"scores{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
case when min(d.score_a) < max(d.score_a) and min(d.score_b) < max(d.score_b) then sum(d.deviation_a * d.deviation_b) / sqrt(sum(d.deviation_a * d.deviation_a) * sum(d.deviation_b * d.deviation_b)) end as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "pfound"="{\"macro\": \"pfound\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"max_grade\", \"decay\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"max_grade\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}, {\"name\": \"decay\", \"default\": \"0.85\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}], \"arguments\": [\"max_grade\", \"decay\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when 1 - ltr.__ltr_satisfaction(r.relevance, {max_grade}, ''linear'') > 1e-300 then 1 - ltr.__ltr_satisfaction(r.relevance, {max_grade}, ''linear'') else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_not_satisfied_above{_max_grade}_linear\"], \"value\": \",
case when max(d.relevance) > {max_grade} then error(''a grade is above max_grade: set max_grade to the largest grade of the scale'') else sum(case when d.rank <= coalesce({k}, d.rank) then d.__ltr_not_satisfied_above{_max_grade}_linear * power({decay}, d.rank - 1) * ltr.__ltr_satisfaction(d.relevance, {max_grade}, ''linear'') else 0e0 end) end as {name}\", \"gain\": \"ltr.__ltr_satisfaction(d.relevance, {max_grade}, ''linear'')\", \"discount\": \"power({decay}, d.rank - 1)\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "precision_at"="{\"macro\": \"precision_at\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((coalesce(case when {k} < max(d.num_ret) then {k} else max(d.num_ret) end, 0)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "pwa"="{\"macro\": \"pwa\", \"input\": \"rankings\", \"row_source\": \"ranks\", \"block\": \"ranks{_max_rel}{_min_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when 1e0 * r.rank / (r.rank + 1) > 1e-300 then 1e0 * r.rank / (r.rank + 1) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_pwa\"], \"value\": \",
sum(case when d.rank <= {k} then d.__ltr_view_probability_pwa * d.gain else 0e0 end) / sum(case when d.rank <= {k} then d.__ltr_view_probability_pwa else 0e0 end) as {name}\", \"gain\": \"case when d.relevance > 0 then d.relevance else 0e0 end\", \"discount\": \"1e0 / d.rank\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "r"="{\"macro\": \"r\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\", \"empty\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}, {\"name\": \"empty\", \"default\": \"0\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"0\", \"1\", \"skip\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''0'', ''1'' or ''skip''\"}], \"arguments\": [\"rel\", \"empty\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"1e0\"}], \"output\": \",
coalesce({block}.{name}, case {empty} when ''0'' then 0e0 when ''1'' then 1e0 end) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "ranking_loss"="{\"macro\": \"ranking_loss\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"judged\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\", \"tied\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}, {\"name\": \"tied\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}], \"arguments\": [\"rel\", \"tied\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= 0 and r.relevance < {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_nonrelevant_through_rank{_rel}\", \",
sum(case when r.relevance >= 0 and r.relevance < {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as __ltr_nonrelevant_at_rank{_rel}\"], \"value\": \",
sum(case when d.rank is not null and d.relevance >= {rel} then d.__ltr_nonrelevant_through_rank{_rel} - {tied} * d.__ltr_nonrelevant_at_rank{_rel} else 0e0 end)
/ nullif((sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) * sum(case when d.rank is not null and d.relevance >= 0 and d.relevance < {rel} then 1e0 else 0e0 end), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "rbo"="{\"macro\": \"rbo\", \"input\": \"pairs\", \"row_source\": \"prefixes\", \"block\": \"prefixes{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"p\", \"kind\", \"ties\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"p\", \"default\": \"0.9\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"kind\", \"default\": \"ext\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"ext\", \"min\", \"max\", \"res\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''ext'', ''min'', ''max'' or ''res''\"}, {\"name\": \"ties\", \"default\": \"w\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"w\", \"a\", \"b\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''w'', ''a'' or ''b''\"}], \"arguments\": [\"p\", \"kind\", \"ties\"], \"choices\": [\"kind\", \"ties\"], \"texts\": [{\"chosen\": \"ext,w\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * (sum(case when d.depth <= d.length_l then (d.whole + d.partly_s + d.partly_l + d.partly_both) / ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) * power({p}, d.depth) else 0e0 end)
    + coalesce(max(case when d.depth = d.length_s then (d.whole + d.partly_s + d.partly_l + d.partly_both) / ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) end), 0) * sum(case when d.depth <= d.length_l then case when d.depth > d.length_s then (d.depth - d.length_s) * 1e0 / ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) else 0e0 end * power({p}, d.depth) else 0e0 end)
    + (max(d.whole) + (max(d.length_l) - max(d.length_s)) * coalesce(max(case when d.depth = d.length_s then (d.whole + d.partly_s + d.partly_l + d.partly_both) / ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) end), 0)) / max(d.length_l) * power({p}, max(d.length_l) + 1) / nullif(1e0 - {p}, 0)) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"ext,a\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * (sum(case when d.depth <= d.length_l then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) / d.depth * power({p}, d.depth) else 0e0 end)
    + coalesce(max(case when d.depth = d.length_s then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) / d.depth end), 0) * sum(case when d.depth <= d.length_l then case when d.depth > d.length_s then (d.depth - d.length_s) * ((d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.others_partly) / (d.others + d.others_partly)) / d.depth else 0e0 end * power({p}, d.depth) else 0e0 end)
    + (max(d.whole) + (max(d.length_l) - max(d.length_s)) * coalesce(max(case when d.depth = d.length_s then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) / d.depth end), 0)) / max(d.length_l) * power({p}, max(d.length_l) + 1) / nullif(1e0 - {p}, 0)) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"ext,b\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * (sum(case when d.depth <= d.length_l then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) / sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) * power({p}, d.depth) else 0e0 end)
    + coalesce(max(case when d.depth = d.length_s then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) / sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) end), 0) * sum(case when d.depth <= d.length_l then case when d.depth > d.length_s then (d.depth - d.length_s) * ((d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.others_partly) / (d.others + d.others_partly)) / sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) else 0e0 end * power({p}, d.depth) else 0e0 end)
    + (max(d.whole) + (max(d.length_l) - max(d.length_s)) * coalesce(max(case when d.depth = d.length_s then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) / sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) end), 0)) / max(d.length_l) * power({p}, max(d.length_l) + 1) / nullif(1e0 - {p}, 0)) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"min,w\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * (sum(case when d.depth <= d.length_l then (d.whole + d.partly_s + d.partly_l + d.partly_both) / ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) * power({p}, d.depth) else 0e0 end) - max(d.whole) * (ln(nullif(1e0 - {p}, 0)) + sum(case when d.depth <= d.length_l then 1 / d.depth * power({p}, d.depth) else 0e0 end))) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"min,a\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * (sum(case when d.depth <= d.length_l then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) / d.depth * power({p}, d.depth) else 0e0 end) - max(d.whole) * (ln(nullif(1e0 - {p}, 0)) + sum(case when d.depth <= d.length_l then 1 / d.depth * power({p}, d.depth) else 0e0 end))) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"min,b\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * (sum(case when d.depth <= d.length_l then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) / sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) * power({p}, d.depth) else 0e0 end) - max(d.whole) * (ln(nullif(1e0 - {p}, 0)) + sum(case when d.depth <= d.length_l then 1 / d.depth * power({p}, d.depth) else 0e0 end))) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"max,w\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * (sum(case when d.depth <= d.length_l then ((d.whole + d.partly_s + d.partly_l + d.partly_both) + case when d.depth > d.length_s then (d.depth - d.length_s) else 0e0 end) / ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) * power({p}, d.depth) else 0e0 end)
    + sum(case when d.depth > d.length_l and d.depth <= d.length_l + d.length_s - d.whole then (2 * d.depth - d.length_l - d.length_s + d.whole) / d.depth * power({p}, d.depth) else 0e0 end)
    + power({p}, max(d.length_l) + max(d.length_s) - max(d.whole) + 1) / nullif(1e0 - {p}, 0)) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"max,a\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * (sum(case when d.depth <= d.length_l then ((d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) + case when d.depth > d.length_s then (case when (d.depth - d.length_s) <= d.others then (d.depth - d.length_s) else d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * ((d.depth - d.length_s) - d.others) end) else 0e0 end) / d.depth * power({p}, d.depth) else 0e0 end)
    + sum(case when d.depth > d.length_l and d.depth <= d.length_l + d.length_s - d.whole then (2 * d.depth - d.length_l - d.length_s + d.whole) / d.depth * power({p}, d.depth) else 0e0 end)
    + power({p}, max(d.length_l) + max(d.length_s) - max(d.whole) + 1) / nullif(1e0 - {p}, 0)) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"max,b\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * (sum(case when d.depth <= d.length_l then ((d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) + case when d.depth > d.length_s then (case when (d.depth - d.length_s) <= d.others then (d.depth - d.length_s) else d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * ((d.depth - d.length_s) - d.others) end) else 0e0 end) / sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) * power({p}, d.depth) else 0e0 end)
    + sum(case when d.depth > d.length_l and d.depth <= d.length_l + d.length_s - d.whole then (2 * d.depth - d.length_l - d.length_s + d.whole) / d.depth * power({p}, d.depth) else 0e0 end)
    + power({p}, max(d.length_l) + max(d.length_s) - max(d.whole) + 1) / nullif(1e0 - {p}, 0)) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"res,w\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * ((sum(case when d.depth <= d.length_l then ((d.whole + d.partly_s + d.partly_l + d.partly_both) + case when d.depth > d.length_s then (d.depth - d.length_s) else 0e0 end) / ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) * power({p}, d.depth) else 0e0 end)
    + sum(case when d.depth > d.length_l and d.depth <= d.length_l + d.length_s - d.whole then (2 * d.depth - d.length_l - d.length_s + d.whole) / d.depth * power({p}, d.depth) else 0e0 end)
    + power({p}, max(d.length_l) + max(d.length_s) - max(d.whole) + 1) / nullif(1e0 - {p}, 0)) - (sum(case when d.depth <= d.length_l then (d.whole + d.partly_s + d.partly_l + d.partly_both) / ((coalesce(d.end_s, d.depth) + coalesce(d.end_l, d.depth)) / 2) * power({p}, d.depth) else 0e0 end) - max(d.whole) * (ln(nullif(1e0 - {p}, 0)) + sum(case when d.depth <= d.length_l then 1 / d.depth * power({p}, d.depth) else 0e0 end)))) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"res,a\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * ((sum(case when d.depth <= d.length_l then ((d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) + case when d.depth > d.length_s then (case when (d.depth - d.length_s) <= d.others then (d.depth - d.length_s) else d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * ((d.depth - d.length_s) - d.others) end) else 0e0 end) / d.depth * power({p}, d.depth) else 0e0 end)
    + sum(case when d.depth > d.length_l and d.depth <= d.length_l + d.length_s - d.whole then (2 * d.depth - d.length_l - d.length_s + d.whole) / d.depth * power({p}, d.depth) else 0e0 end)
    + power({p}, max(d.length_l) + max(d.length_s) - max(d.whole) + 1) / nullif(1e0 - {p}, 0)) - (sum(case when d.depth <= d.length_l then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) / d.depth * power({p}, d.depth) else 0e0 end) - max(d.whole) * (ln(nullif(1e0 - {p}, 0)) + sum(case when d.depth <= d.length_l then 1 / d.depth * power({p}, d.depth) else 0e0 end)))) as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"res,b\", \"windows\": [], \"value\": \",
(1e0 - {p}) / nullif({p}, 0) * ((sum(case when d.depth <= d.length_l then ((d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) + case when d.depth > d.length_s then (case when (d.depth - d.length_s) <= d.others then (d.depth - d.length_s) else d.others + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * ((d.depth - d.length_s) - d.others) end) else 0e0 end) / sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) * power({p}, d.depth) else 0e0 end)
    + sum(case when d.depth > d.length_l and d.depth <= d.length_l + d.length_s - d.whole then (2 * d.depth - d.length_l - d.length_s + d.whole) / d.depth * power({p}, d.depth) else 0e0 end)
    + power({p}, max(d.length_l) + max(d.length_s) - max(d.whole) + 1) / nullif(1e0 - {p}, 0)) - (sum(case when d.depth <= d.length_l then (d.whole + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * d.partly_s + coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_l + coalesce((d.depth - d.start_s + 1) / (d.end_s - d.start_s + 1), 1e0) * coalesce((d.depth - d.start_l + 1) / (d.end_l - d.start_l + 1), 1e0) * d.partly_both) / sqrt(coalesce(d.start_s - 1 + power(d.depth - d.start_s + 1, 2) / (d.end_s - d.start_s + 1), d.depth) * coalesce(d.start_l - 1 + power(d.depth - d.start_l + 1, 2) / (d.end_l - d.start_l + 1), d.depth)) * power({p}, d.depth) else 0e0 end) - max(d.whole) * (ln(nullif(1e0 - {p}, 0)) + sum(case when d.depth <= d.length_l then 1 / d.depth * power({p}, d.depth) else 0e0 end)))) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "rbp"="{\"macro\": \"rbp\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"p\", \"parameters\": [\"k\", \"p\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"p\", \"default\": \"0.9\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"p\", \"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
(1 - {p}) * sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then power({p}, d.rank - 1) else 0e0 end) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"power({p}, d.rank - 1)\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "rbp_resid"="{\"macro\": \"rbp_resid\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"p\"], \"values\": [{\"name\": \"p\", \"default\": \"0.9\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": 1, \"allowed\": \"a number from 0 to 1\"}], \"arguments\": [\"p\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
case
    when sum(case when d.rank is not null and d.relevance >= 0 then 1e0 else 0e0 end) < (coalesce(max(d.num_ret), 0))
    then 1 - (1 - {p}) * sum(case when d.rank is not null and d.relevance >= 0 then power({p}, d.rank - 1) else 0e0 end)
    else 0e0
end as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "rcap"="{\"macro\": \"rcap\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
(sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif(case when {k} < (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) then {k} else (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) end, 0) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"1e0\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "rndcg"="{\"macro\": \"rndcg\", \"input\": \"rankings\", \"row_source\": \"gain_positions\", \"block\": \"gain_positions\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [], \"values\": [], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(r.gain / log2(r.position + 1)) over (partition by r.__ltr_key order by r.position asc nulls last range between unbounded preceding and current row) as __ltr_dcg_so_far\", \",
sum(r.ideal_gain / log2(r.position + 1)) over (partition by r.__ltr_key order by r.position asc nulls last range between unbounded preceding and current row) as __ltr_idcg_so_far\"], \"value\": \",
(
    sum(case when d.ends_grade then d.__ltr_dcg_so_far / nullif(d.__ltr_idcg_so_far, 0) else 0e0 end)
    + case when max(d.num_ret) >= sum(case when d.ideal_gain > 0 then 1e0 else 0e0 end) + 2 then 1e0 else 0e0 end * sum(d.gain / log2(d.position + 1)) / nullif(sum(d.ideal_gain / log2(d.position + 1)), 0)
)
/ (sum(case when d.ends_grade then 1e0 else 0e0 end) + case when max(d.num_ret) >= sum(case when d.ideal_gain > 0 then 1e0 else 0e0 end) + 2 then 1e0 else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "rprec"="{\"macro\": \"rprec\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query{_rel}\"], \"value\": \",
((sum(case when d.rank <= d.__ltr_relevant_of_query{_rel} and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0)) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"1e0\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "rprec_mult"="{\"macro\": \"rprec_mult\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"multiple\", \"fraction\": \"\", \"parameters\": [\"multiple\", \"rel\"], \"values\": [{\"name\": \"multiple\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"multiple\", \"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key) as __ltr_relevant_of_query{_rel}\"], \"value\": \",
(sum(case when d.rank <= floor({multiple} * d.__ltr_relevant_of_query{_rel} + 0.9e0) and d.relevance >= {rel} then 1e0 else 0e0 end))
/ nullif(floor({multiple} * (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) + 0.9e0), 0) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"1e0\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "rr"="{\"macro\": \"rr\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
max(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 / d.rank else 0e0 end) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"1e0 / d.rank\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "sdcg"="{\"macro\": \"sdcg\", \"input\": \"rankings\", \"row_source\": \"ranks\", \"block\": \"ranks{_max_rel}{_min_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"min_rel\", \"max_rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"min_rel\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": null, \"allowed\": \"a number from 0\"}, {\"name\": \"max_rel\", \"default\": \"null\", \"required\": \"true\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"min_rel\", \"max_rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
exp(coalesce(sum(ln(case when log2(r.rank + 1) / log2(r.rank + 2) > 1e-300 then log2(r.rank + 1) / log2(r.rank + 2) else 1e-300 end)) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and 1 preceding), 0)) as __ltr_view_probability_sdcg\"], \"value\": \",
sum(case when d.rank <= {k} then d.__ltr_view_probability_sdcg * d.gain else 0e0 end) / sum(case when d.rank <= {k} then d.__ltr_view_probability_sdcg else 0e0 end) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "set_ap"="{\"macro\": \"set_ap\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
(sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) * (sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((coalesce(max(d.num_ret), 0)) * (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "set_f"="{\"macro\": \"set_f\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"beta_squared\", \"fraction\": \"\", \"parameters\": [\"beta_squared\", \"rel\"], \"values\": [{\"name\": \"beta_squared\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": null, \"allowed\": \"a number from 0\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"beta_squared\", \"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
(1 + {beta_squared}) * (((sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((coalesce(max(d.num_ret), 0)), 0))) * ((sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0))
/ nullif({beta_squared} * (((sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((coalesce(max(d.num_ret), 0)), 0))) + ((sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "set_p"="{\"macro\": \"set_p\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
((sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif((coalesce(max(d.num_ret), 0)), 0)) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "set_relative_p"="{\"macro\": \"set_relative_p\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
(sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) / nullif(case when (coalesce(max(d.num_ret), 0)) < (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) then (coalesce(max(d.num_ret), 0)) else (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) end, 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "somers_d"="{\"macro\": \"somers_d\", \"input\": \"pairs\", \"row_source\": \"pairs\", \"block\": \"pairs{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a\", \",
rank() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) - 1 as __ltr_above_in_a_then_b\"], \"value\": \",
case when min(d.rank_a) < max(d.rank_a) and min(d.rank_b) < max(d.rank_b) then (((1e0 * sum(d.__ltr_above_in_a)) + (1e0 * sum(d.above_b)) - (1e0 * sum(d.__ltr_above_in_a_then_b))) - 2 * sum(d.inversions)) / (1e0 * sum(d.__ltr_above_in_a)) end as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "spearman"="{\"macro\": \"spearman\", \"input\": \"pairs\", \"row_source\": \"common_documents\", \"block\": \"common_documents{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
rank() over (partition by r.__ltr_key order by r.rank_a asc nulls last) + (count(*) over (partition by r.__ltr_key, r.rank_a) - 1) / 2e0 as __ltr_average_rank_a\", \",
rank() over (partition by r.__ltr_key order by r.rank_b asc nulls last) + (count(*) over (partition by r.__ltr_key, r.rank_b) - 1) / 2e0 as __ltr_average_rank_b\"], \"value\": \",
(sum(d.__ltr_average_rank_a * d.__ltr_average_rank_b) - count(*) * power(count(*) + 1, 2) / 4)
/ nullif(sqrt((sum(d.__ltr_average_rank_a * d.__ltr_average_rank_a) - count(*) * power(count(*) + 1, 2) / 4) * (sum(d.__ltr_average_rank_b * d.__ltr_average_rank_b) - count(*) * power(count(*) + 1, 2) / 4)), 0) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "strecall"="{\"macro\": \"strecall\", \"input\": \"covers\", \"row_source\": \"coverage\", \"block\": \"coverage{_rel}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
count(distinct case when d.rank <= coalesce({k}, d.rank) then d.subtopic end) * 1e0 / count(distinct d.subtopic) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "success"="{\"macro\": \"success\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"rel\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
max(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) as {name}\", \"gain\": \"case when d.relevance >= {rel} then 1e0 else 0e0 end\", \"discount\": \"1e0\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "tau_ap"="{\"macro\": \"tau_ap\", \"input\": \"pairs\", \"row_source\": \"positioned_pairs\", \"block\": \"positioned_pairs{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"variant\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"variant\", \"default\": \"a\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"a\", \"b\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''a'' or ''b''\"}], \"arguments\": [\"variant\"], \"choices\": [\"variant\"], \"texts\": [{\"chosen\": \"a\", \"windows\": [\",
rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a\", \",
rank() over (partition by r.list, r.above_b order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a_tied_in_b\", \",
avg(case when r.position_a > 1 then 1e0 / (r.position_a - 1) else 0e0 end) over (partition by r.list, r.rank_a) as __ltr_mean_reciprocal_above\"], \"value\": \",
case when min(d.rank_a) < max(d.rank_a) and min(d.rank_b) < max(d.rank_b) then 2 * sum((d.__ltr_above_in_a - d.__ltr_above_in_a_tied_in_b - d.inversions) * d.__ltr_mean_reciprocal_above + case when d.position_a > 1 then (d.position_a - 1 - d.__ltr_above_in_a) / (2 * (d.position_a - 1e0)) else 0e0 end) / (count(*) - 1) - 1 end as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"b\", \"windows\": [\",
rank() over (partition by r.list order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a\", \",
rank() over (partition by r.list, r.above_b order by r.rank_a asc nulls last) - 1 as __ltr_above_in_a_tied_in_b\"], \"value\": \",
case when min(d.rank_a) < max(d.rank_a) and min(d.rank_b) < max(d.rank_b) then avg(case when d.__ltr_above_in_a > 0 then (d.__ltr_above_in_a - d.__ltr_above_in_a_tied_in_b - d.inversions) / d.__ltr_above_in_a end) + avg(case when d.above_b > 0 then (d.__ltr_above_in_a - d.__ltr_above_in_a_tied_in_b - d.inversions) / d.above_b end) - 1 end as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "threshold_ap"="{\"macro\": \"threshold_ap\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"all\", \"shared_ranks\": \"true\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as __ltr_relevant_through_rank{_rel}\", \",
count(*) over (partition by r.__ltr_key, r.rank) as __ltr_documents_at_rank\"], \"value\": \",
(sum(case when d.rank is not null and d.relevance >= {rel} then d.__ltr_relevant_through_rank{_rel} / (d.rank + d.__ltr_documents_at_rank - 1) else 0e0 end)
/ nullif((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)), 0)) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "unj"="{\"macro\": \"unj\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"true\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}], \"arguments\": [], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
((coalesce(case when {k} < max(d.num_ret) then {k} else max(d.num_ret) end, 0)) - sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= 0 then 1e0 else 0e0 end)) / {k} as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "utility"="{\"macro\": \"utility\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"counted\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel_ret\", \"nonrel_ret\", \"rel_missed\", \"nonrel_missed\", \"collection_size\", \"rel\"], \"values\": [{\"name\": \"rel_ret\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"a number\"}, {\"name\": \"nonrel_ret\", \"default\": \"-1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"a number\"}, {\"name\": \"rel_missed\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"a number\"}, {\"name\": \"nonrel_missed\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"a number\"}, {\"name\": \"collection_size\", \"default\": \"0\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": 0, \"above\": null, \"most\": null, \"allowed\": \"a number from 0\"}, {\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel_ret\", \"nonrel_ret\", \"rel_missed\", \"nonrel_missed\", \"collection_size\", \"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [], \"value\": \",
{rel_ret} * (sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end))
+ {nonrel_ret} * ((coalesce(max(d.num_ret), 0)) - (sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)))
+ {rel_missed} * ((sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) - (sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)))
+ {nonrel_missed} * ({collection_size} + (sum(case when d.rank is not null and d.relevance >= {rel} then 1e0 else 0e0 end)) - (coalesce(max(d.num_ret), 0)) - (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end))) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "weighted_tau"="{\"macro\": \"weighted_tau\", \"input\": \"pairs\", \"row_source\": \"weighted_pairs\", \"block\": \"weighted_pairs{_k}\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"k\", \"weights\"], \"values\": [{\"name\": \"k\", \"default\": \"null\", \"required\": \"false\", \"type\": \"integer\", \"choices\": [], \"least\": 1, \"above\": null, \"most\": null, \"allowed\": \"an integer from 1\"}, {\"name\": \"weights\", \"default\": \"additive\", \"required\": \"false\", \"type\": \"choice\", \"choices\": [\"additive\", \"multiplicative\"], \"least\": null, \"above\": null, \"most\": null, \"allowed\": \"''additive'' or ''multiplicative''\"}], \"arguments\": [\"weights\"], \"choices\": [\"weights\"], \"texts\": [{\"chosen\": \"additive\", \"windows\": [\",
sum(1e0) over (partition by r.list) - 1e0 as __ltr_weight_of_others_number_none\", \",
sum(1e0) over (partition by r.list, r.rank_a) - 1e0 as __ltr_weight_of_others_number_rank_a\", \",
sum(1e0) over (partition by r.list, r.rank_b) - 1e0 as __ltr_weight_of_others_number_rank_b\", \",
sum(1e0) over (partition by r.list, r.rank_a, r.above_b) - 1e0 as __ltr_weight_of_others_number_both\"], \"value\": \",
case when min(d.rank_a) < max(d.rank_a) and min(d.rank_b) < max(d.rank_b) then ((sum(d.__ltr_weight_of_others_number_none / d.position_a) - sum(d.__ltr_weight_of_others_number_rank_a / d.position_a) - sum(d.__ltr_weight_of_others_number_rank_b / d.position_a) + sum(d.__ltr_weight_of_others_number_both / d.position_a) - 2 * sum(d.weight_a + d.inversions / d.position_a))
/ nullif(sqrt((sum(d.__ltr_weight_of_others_number_none / d.position_a) - sum(d.__ltr_weight_of_others_number_rank_a / d.position_a)) * (sum(d.__ltr_weight_of_others_number_none / d.position_a) - sum(d.__ltr_weight_of_others_number_rank_b / d.position_a))), 0) + (sum(d.__ltr_weight_of_others_number_none / d.position_b) - sum(d.__ltr_weight_of_others_number_rank_a / d.position_b) - sum(d.__ltr_weight_of_others_number_rank_b / d.position_b) + sum(d.__ltr_weight_of_others_number_both / d.position_b) - 2 * sum(d.weight_b + d.inversions / d.position_b))
/ nullif(sqrt((sum(d.__ltr_weight_of_others_number_none / d.position_b) - sum(d.__ltr_weight_of_others_number_rank_a / d.position_b)) * (sum(d.__ltr_weight_of_others_number_none / d.position_b) - sum(d.__ltr_weight_of_others_number_rank_b / d.position_b))), 0)) / 2 end as {name}\", \"gain\": \"\", \"discount\": \"\"}, {\"chosen\": \"multiplicative\", \"windows\": [\",
sum(1e0 / r.position_a) over (partition by r.list) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_none\", \",
sum(1e0 / r.position_a) over (partition by r.list, r.rank_a) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_rank_a\", \",
sum(1e0 / r.position_a) over (partition by r.list, r.rank_b) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_rank_b\", \",
sum(1e0 / r.position_a) over (partition by r.list, r.rank_a, r.above_b) - 1e0 / r.position_a as __ltr_weight_of_others_position_a_both\", \",
sum(1e0 / r.position_b) over (partition by r.list) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_none\", \",
sum(1e0 / r.position_b) over (partition by r.list, r.rank_a) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_rank_a\", \",
sum(1e0 / r.position_b) over (partition by r.list, r.rank_b) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_rank_b\", \",
sum(1e0 / r.position_b) over (partition by r.list, r.rank_a, r.above_b) - 1e0 / r.position_b as __ltr_weight_of_others_position_b_both\"], \"value\": \",
case when min(d.rank_a) < max(d.rank_a) and min(d.rank_b) < max(d.rank_b) then (((sum(d.__ltr_weight_of_others_position_a_none / d.position_a) / 2) - (sum(d.__ltr_weight_of_others_position_a_rank_a / d.position_a) / 2) - (sum(d.__ltr_weight_of_others_position_a_rank_b / d.position_a) / 2) + (sum(d.__ltr_weight_of_others_position_a_both / d.position_a) / 2) - 2 * sum(d.weight_a / d.position_a))
/ nullif(sqrt(((sum(d.__ltr_weight_of_others_position_a_none / d.position_a) / 2) - (sum(d.__ltr_weight_of_others_position_a_rank_a / d.position_a) / 2)) * ((sum(d.__ltr_weight_of_others_position_a_none / d.position_a) / 2) - (sum(d.__ltr_weight_of_others_position_a_rank_b / d.position_a) / 2))), 0) + ((sum(d.__ltr_weight_of_others_position_b_none / d.position_b) / 2) - (sum(d.__ltr_weight_of_others_position_b_rank_a / d.position_b) / 2) - (sum(d.__ltr_weight_of_others_position_b_rank_b / d.position_b) / 2) + (sum(d.__ltr_weight_of_others_position_b_both / d.position_b) / 2) - 2 * sum(d.weight_b / d.position_b))
/ nullif(sqrt(((sum(d.__ltr_weight_of_others_position_b_none / d.position_b) / 2) - (sum(d.__ltr_weight_of_others_position_b_rank_a / d.position_b) / 2)) * ((sum(d.__ltr_weight_of_others_position_b_none / d.position_b) / 2) - (sum(d.__ltr_weight_of_others_position_b_rank_b / d.position_b) / 2))), 0)) / 2 end as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
{block}.{name} as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}", "yaap"="{\"macro\": \"yaap\", \"input\": \"rankings\", \"row_source\": \"documents\", \"block\": \"documents\", \"reads\": \"relevant\", \"shared_ranks\": \"false\", \"at\": \"k\", \"fraction\": \"\", \"parameters\": [\"rel\"], \"values\": [{\"name\": \"rel\", \"default\": \"1\", \"required\": \"false\", \"type\": \"number\", \"choices\": [], \"least\": null, \"above\": 0, \"most\": null, \"allowed\": \"a number above 0\"}], \"arguments\": [\"rel\"], \"choices\": [], \"texts\": [{\"chosen\": \"\", \"windows\": [\",
sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}\"], \"value\": \",
ln((1 + sum(case when d.rank is not null and d.relevance >= {rel} then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end)) / (1 + (sum(case when d.relevance >= {rel} then 1e0 else 0e0 end)) - sum(case when d.rank is not null and d.relevance >= {rel} then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end))) as {name}\", \"gain\": \"\", \"discount\": \"\"}], \"output\": \",
coalesce({block}.{name}, 0.0e0) as {name}\", \"average\": \",
avg(v.{name}) as {name}\"}"}' as map(varchar, varchar))[list_transform(list_transform([coalesce(cast('{"alpha_dcg"="alpha_dcg", "alpha-dcg"="alpha_dcg", "alpha_ndcg"="alpha_ndcg", "alpha-ndcg"="alpha_ndcg", "ap"="ap", "map"="ap", "map_cut"="ap", "ap_ia"="ap_ia", "ap-ia"="ap_ia", "map_ia"="ap_ia", "map-ia"="ap_ia", "arelpos"="arelpos", "auc"="auc", "queryauc"="auc", "roc_auc_score"="auc", "auprc"="auprc", "prauc"="auprc", "averagegain"="average_gain", "average_gain"="average_gain", "queryaverage"="average_gain", "averageoverlap"="average_overlap", "average_overlap"="average_overlap", "ao"="average_overlap", "bing"="bin_g", "bin_g"="bin_g", "bpm"="bpm", "bpref"="bpref", "cg"="cg", "compat"="compat", "coverageerror"="coverage_error", "coverage_error"="coverage_error", "dcg"="dcg", "dcg_score"="dcg", "dcg_burges"="dcg", "err"="err", "expected_reciprocal_rank"="err", "err_ia"="err_ia", "err-ia"="err_ia", "expected_ap"="expected_ap", "expected_ndcg"="expected_ndcg", "expected_p"="expected_p", "expected_r"="expected_r", "expected_rr"="expected_rr", "expected_success"="expected_success", "f1"="f1", "fagink"="fagin_k", "fagin_k"="fagin_k", "filtereddcg"="filtered_dcg", "filtered_dcg"="filtered_dcg", "footrule"="footrule", "g"="g", "gamma"="gamma", "goodmankruskal"="gamma", "gmap"="gmap", "gm_map"="gmap", "gmbpref"="gmbpref", "gm_bpref"="gmbpref", "gradedap"="graded_ap", "graded_ap"="graded_ap", "gap"="graded_ap", "gradedrbp"="graded_rbp", "graded_rbp"="graded_rbp", "idcg"="idcg", "ideal_dcg"="idcg", "infap"="infap", "insq"="insq", "inst"="inst", "iprec"="iprec", "iprec_at_recall"="iprec", "iprecavg"="iprec_avg", "iprec_avg"="iprec_avg", "11pt_avg"="iprec_avg", "jaccard"="jaccard", "judged"="judged", "judged_cut"="judged", "kendalldistance"="kendall_distance", "kendall_distance"="kendall_distance", "kendalltau"="kendall_tau", "kendall_tau"="kendall_tau", "lrap"="lrap", "label_ranking_average_precision_score"="lrap", "ncrr"="ncrr", "ndcg"="ndcg", "ndcg_cut"="ndcg", "ndcg_score"="ndcg", "ndcg_burges"="ndcg", "ndcg_rel"="ndcg_rel", "nerr10"="nerr10", "nerr11"="nerr11", "nerr8"="nerr8", "nerr9"="nerr9", "nerr_ia"="nerr_ia", "nerr-ia"="nerr_ia", "nnrbp"="nnrbp", "nrbp"="nrbp", "numnonreljudgedret"="num_nonrel_judged_ret", "num_nonrel_judged_ret"="num_nonrel_judged_ret", "numq"="num_q", "num_q"="num_q", "numrel"="num_rel", "num_rel"="num_rel", "numrelret"="num_rel_ret", "num_rel_ret"="num_rel_ret", "hits"="num_rel_ret", "numret"="num_ret", "num_ret"="num_ret", "opa"="opa", "overlap"="overlap", "p"="p", "precision"="p", "p_ia"="p_ia", "p-ia"="p_ia", "pairaccuracy"="pair_accuracy", "pair_accuracy"="pair_accuracy", "pearson"="pearson", "pearsonr"="pearson", "pfound"="pfound", "precisionat"="precision_at", "precision_at"="precision_at", "pre"="precision_at", "pwa"="pwa", "r"="r", "recall"="r", "recallat"="r", "setr"="r", "set_recall"="r", "rankingloss"="ranking_loss", "ranking_loss"="ranking_loss", "label_ranking_loss"="ranking_loss", "rbo"="rbo", "rbp"="rbp", "rbpresid"="rbp_resid", "rbp_resid"="rbp_resid", "rcap"="rcap", "relative_p"="rcap", "r_cap"="rcap", "rndcg"="rndcg", "rprec"="rprec", "r-precision"="rprec", "r_precision"="rprec", "rprecmult"="rprec_mult", "rprec_mult"="rprec_mult", "rr"="rr", "mrr"="rr", "recip_rank"="rr", "sdcg"="sdcg", "setap"="set_ap", "set_ap"="set_ap", "set_map"="set_ap", "setf"="set_f", "set_f"="set_f", "setp"="set_p", "set_p"="set_p", "setrelativep"="set_relative_p", "set_relative_p"="set_relative_p", "setrelp"="set_relative_p", "somersd"="somers_d", "somers_d"="somers_d", "spearman"="spearman", "spearmanrho"="spearman", "strecall"="strecall", "strec"="strecall", "s-recall"="strecall", "subtopic_recall"="strecall", "success"="success", "accuracy"="success", "hr"="success", "hit"="success", "hit_rate"="success", "hitrate"="success", "tauap"="tau_ap", "tau_ap"="tau_ap", "thresholdap"="threshold_ap", "threshold_ap"="threshold_ap", "average_precision_score"="threshold_ap", "unj"="unj", "utility"="utility", "weightedtau"="weighted_tau", "weighted_tau"="weighted_tau", "yaap"="yaap"}' as map(varchar, varchar))[lower(m['read']['name'])], error(case
        when m['read']['name'] = '' then 'measure ''' || m['text'] || ''' cannot be read: write NAME, NAME@k or NAME(parameter=value)@k, as in nDCG@10'
        else 'unknown measure ''' || m['text'] || ''': to list all measures, run: from ltr.measures()'
    end))], lambda n: coalesce(cast('{"ir_measures.accuracy"="pair_accuracy", "ranx.rbp"="graded_rbp", "catboost.p"="precision_at", "sklearn.ap"="threshold_ap", "elasticsearch.p"="precision_at", "opensearch.p"="precision_at", "quepid.p"="precision_at"}' as map(varchar, varchar))[coalesce(convention, 'trec_eval') || '.' || lower(m['read']['name'])], cast('{"ir_measures.accuracy"="pair_accuracy", "ranx.rbp"="graded_rbp", "catboost.p"="precision_at", "sklearn.ap"="threshold_ap", "elasticsearch.p"="precision_at", "opensearch.p"="precision_at", "quepid.p"="precision_at"}' as map(varchar, varchar))[coalesce(convention, 'trec_eval') || '.' || n], n)), lambda n: coalesce(case when m['read']['at'] = '' then cast('{"f1.f1"="set_f", "precision.p"="set_p"}' as map(varchar, varchar))[lower(m['read']['name']) || '.' || n] end, n))[1]] as struct("macro" varchar, "input" varchar, "row_source" varchar, "block" varchar, "reads" varchar, "shared_ranks" varchar, "at" varchar, "fraction" varchar, "parameters" varchar[], "values" struct("name" varchar, "default" varchar, "required" varchar, "type" varchar, "choices" varchar[], "least" double, "above" double, "most" double, "allowed" varchar)[], "arguments" varchar[], "choices" varchar[], "texts" struct("chosen" varchar, "windows" varchar[], "value" varchar, "gain" varchar, "discount" varchar)[], "output" varchar, "average" varchar))
}), lambda m: {
    'text': m['text'],
    'preset': m['preset'],
    'definition': m['definition'],
    'refused': list_filter(
        m['arguments'],
        lambda a: not coalesce(list_contains(m['definition']['arguments'], regexp_extract(a, '^(?P<name>[A-Za-z0-9_]+)[ \t\r\n]*=[ \t\r\n]*(?:(?P<value>[+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)|''([+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)''|"([+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)")$', 1)), false)
    ),
    'given': list_concat(
        list_transform(m['arguments'], lambda a: regexp_extract(a, '^(?P<name>[A-Za-z0-9_]+)[ \t\r\n]*=[ \t\r\n]*(?:(?P<value>[+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)|''([+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)''|"([+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)")$', ['name', 'value'])),
        case
            when m['at'] = '' then []
            when m['definition']['fraction'] <> '' and try_cast(m['fraction'] as double) < 1
            then [{'name': m['definition']['fraction'], 'value': m['fraction']}]
            else [{'name': m['definition']['at'], 'value': m['at']}]
        end,
        case when m['level'] = '' then [] else [{'name': case when list_contains(m['definition']['parameters'], 'rel') then 'rel' else 'level' end, 'value': m['level']}] end,
        case when m['zero'] = '' then [] else [{'name': 'empty', 'value': '0'}] end
    )
}), lambda m: {
    'text': m['text'],
    'definition': m['definition'],
    'name': case
        when len(m['refused']) > 0
        then error('measure ''' || m['text'] || '''' || case
            when regexp_matches(m['refused'][1], '^(?P<name>[A-Za-z0-9_]+)[ \t\r\n]*=[ \t\r\n]*(?:(?P<value>[+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)|''([+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)''|"([+-]?[A-Za-z0-9.][A-Za-z0-9.+-]*)")$')
            then ' has no parameter ''' || split_part(m['refused'][1], '=', 1) || '''; its parameters are: ' || coalesce(nullif(array_to_string(m['definition']['arguments'], ', '), ''), 'none')
            else ': ''' || m['refused'][1] || ''' is not parameter=value'
        end)
        when len(list_distinct(list_transform(m['given'], lambda g: g['name']))) < len(m['given'])
        then error('measure ''' || m['text'] || ''': a parameter is given twice')
        when not list_has_all(m['definition']['parameters'], list_transform(m['given'], lambda g: g['name']))
        then error('measure ''' || m['text'] || '''' || case list_filter(m['given'], lambda g: not list_contains(m['definition']['parameters'], g['name']))[1]['name']
            when 'level' then ': -l sets rel or level, and the measure has neither'
            when 'empty' then ': the - at the end sets empty=0, and the measure has no parameter empty'
            else ' has no cutoff'
        end)
        when not list_contains(['trec_eval', 'trec_eval9', 'pytrec_eval', 'ir_measures', 'ndeval', 'pyndeval', 'gdeval', 'ranx', 'beir', 'lightgbm', 'xgboost', 'catboost', 'sklearn', 'torchmetrics', 'spark', 'recommenders', 'allrank', 'ignite', 'elasticsearch', 'opensearch', 'quepid'], coalesce(convention, 'trec_eval'))
        then error('convention must be one of trec_eval, trec_eval9, pytrec_eval, ir_measures, ndeval, pyndeval, gdeval, ranx, beir, lightgbm, xgboost, catboost, sklearn, torchmetrics, spark, recommenders, allrank, ignite, elasticsearch, opensearch, quepid, got ' || coalesce(convention, 'trec_eval'))
        when paired and not list_contains(['pairs', 'scored_pairs'], m['definition']['input'])
        then error('measure ''' || m['text'] || ''' needs relevance: pairs of rankings allow only measures of agreement')
        when not paired and m['definition']['input'] = 'scored_pairs'
        then error('measure ''' || m['text'] || ''' ' || 'compares scores, which rankings lack: pass two runs, or pairs with score_a and score_b')
        when (keys is null or len(list_filter(keys, lambda c: c is null)) > 0 or len(list_distinct(list_transform(keys, lambda c: lower(c)))) <> len(keys) or list_has_any(list_transform(keys, lambda c: lower(c)), ['query_id', 'doc_id', 'rank', 'relevance', 'score']))
        then error('keys must be columns of the input, each named once, and not query_id, doc_id, rank, relevance, score; got keys ' || coalesce(cast(keys as varchar), 'NULL'))
        when list_contains(list_transform(keys, lambda c: lower(c)), lower(m['text'])) or list_contains(list_transform(keys, lambda c: lower(c)), 'queries')
        then error('a key has the name of a column of the result (queries or a measure string): rename it; got keys ' || cast(keys as varchar))
        else '"' || replace(m['text'], '"', '""') || '"'
    end,
    'values': list_transform(
        m['definition']['values'],
        lambda p: {'about': p, 'given': list_contains(list_transform(m['given'], lambda g: g['name']), p['name']), 'text': coalesce(list_filter(m['given'], lambda g: g['name'] = p['name'])[1]['value'], cast('{"dcg_burges.gain"="exponential", "ndcg_burges.gain"="exponential", "trec_eval9.iprec.rounding"="te9", "trec_eval9.iprec_avg.rounding"="te9", "pytrec_eval.iprec.rounding"="te9", "pytrec_eval.iprec_avg.rounding"="te9", "ir_measures.iprec.rounding"="te9", "ir_measures.iprec_avg.rounding"="te9", "gdeval.ndcg.k"="20", "gdeval.ndcg.gain"="exponential", "gdeval.ndcg.empty"="skip", "gdeval.err.k"="20", "gdeval.err.max_grade"="4", "gdeval.err.empty"="skip", "ranx.graded_rbp.unit"="1", "lightgbm.ndcg.gain"="exponential", "lightgbm.ndcg.empty"="1", "lightgbm.ap.rel"="0.5000000000000001", "lightgbm.ap.divisor"="reachable", "lightgbm.ap.empty"="1", "xgboost.ndcg.k"="32", "xgboost.ndcg.gain"="exponential", "xgboost.ndcg.empty"="1", "xgboost.ap.k"="32", "xgboost.ap.divisor"="reachable", "xgboost.ap.empty"="1", "xgboost.precision_at.k"="32", "catboost.ndcg.empty"="1", "catboost.ap.rel"="0.5000000000000001", "catboost.ap.divisor"="reachable", "catboost.rr.rel"="0.5000000000000001", "catboost.r.rel"="0.5000000000000001", "catboost.r.empty"="1", "catboost.precision_at.rel"="0.5000000000000001", "catboost.auc.empty"="0", "catboost.opa.empty"="0", "catboost.err.max_grade"="1", "catboost.err.gain"="linear", "catboost.pfound.max_grade"="1", "torchmetrics.ap.divisor"="found", "torchmetrics.auc.empty"="0", "spark.ndcg.gain"="exponential", "spark.ap.divisor"="reachable", "recommenders.ap.divisor"="reachable", "allrank.ndcg.gain"="exponential", "allrank.ndcg.empty"="1", "ignite.ndcg.gain"="exponential", "ignite.ndcg.empty"="skip", "elasticsearch.dcg.k"="10", "elasticsearch.dcg.gain"="exponential", "elasticsearch.ndcg.k"="10", "elasticsearch.ndcg.gain"="exponential", "elasticsearch.precision_at.k"="10", "elasticsearch.r.k"="10", "elasticsearch.rr.k"="10", "opensearch.ndcg.gain"="exponential", "quepid.ndcg.k"="10", "quepid.ndcg.gain"="exponential", "quepid.ndcg.ideal"="whole"}' as map(varchar, varchar))[m['preset'] || '.' || p['name']], cast('{"dcg_burges.gain"="exponential", "ndcg_burges.gain"="exponential", "trec_eval9.iprec.rounding"="te9", "trec_eval9.iprec_avg.rounding"="te9", "pytrec_eval.iprec.rounding"="te9", "pytrec_eval.iprec_avg.rounding"="te9", "ir_measures.iprec.rounding"="te9", "ir_measures.iprec_avg.rounding"="te9", "gdeval.ndcg.k"="20", "gdeval.ndcg.gain"="exponential", "gdeval.ndcg.empty"="skip", "gdeval.err.k"="20", "gdeval.err.max_grade"="4", "gdeval.err.empty"="skip", "ranx.graded_rbp.unit"="1", "lightgbm.ndcg.gain"="exponential", "lightgbm.ndcg.empty"="1", "lightgbm.ap.rel"="0.5000000000000001", "lightgbm.ap.divisor"="reachable", "lightgbm.ap.empty"="1", "xgboost.ndcg.k"="32", "xgboost.ndcg.gain"="exponential", "xgboost.ndcg.empty"="1", "xgboost.ap.k"="32", "xgboost.ap.divisor"="reachable", "xgboost.ap.empty"="1", "xgboost.precision_at.k"="32", "catboost.ndcg.empty"="1", "catboost.ap.rel"="0.5000000000000001", "catboost.ap.divisor"="reachable", "catboost.rr.rel"="0.5000000000000001", "catboost.r.rel"="0.5000000000000001", "catboost.r.empty"="1", "catboost.precision_at.rel"="0.5000000000000001", "catboost.auc.empty"="0", "catboost.opa.empty"="0", "catboost.err.max_grade"="1", "catboost.err.gain"="linear", "catboost.pfound.max_grade"="1", "torchmetrics.ap.divisor"="found", "torchmetrics.auc.empty"="0", "spark.ndcg.gain"="exponential", "spark.ap.divisor"="reachable", "recommenders.ap.divisor"="reachable", "allrank.ndcg.gain"="exponential", "allrank.ndcg.empty"="1", "ignite.ndcg.gain"="exponential", "ignite.ndcg.empty"="skip", "elasticsearch.dcg.k"="10", "elasticsearch.dcg.gain"="exponential", "elasticsearch.ndcg.k"="10", "elasticsearch.ndcg.gain"="exponential", "elasticsearch.precision_at.k"="10", "elasticsearch.r.k"="10", "elasticsearch.rr.k"="10", "opensearch.ndcg.gain"="exponential", "quepid.ndcg.k"="10", "quepid.ndcg.gain"="exponential", "quepid.ndcg.ideal"="whole"}' as map(varchar, varchar))[coalesce(convention, 'trec_eval') || '.' || m['definition']['macro'] || '.' || p['name']], p['default'])}
    )
}), lambda m: {
    'definition': m['definition'],
    'texts': list_filter(
        m['definition']['texts'],
        lambda t: t['chosen'] = array_to_string(list_transform(m['definition']['choices'], lambda c: list_filter(m['values'], lambda v: v['about']['name'] = c)[1]['text']), ',')
    )[1],
    'cutoff': try_cast(list_filter(m['values'], lambda v: v['about']['name'] = 'k')[1]['text'] as integer),
    'placeholders': list_concat(
        [{'placeholder': '{name}', 'text': m['name']}],
        flatten(list_transform(
            list_transform(m['values'], lambda v: {'name': v['about']['name'], 'sql': case
                when v['text'] = 'null' and not v['given']
                then case
                    when v['about']['required'] = 'false' then 'null'
                    else error('measure ''' || m['text'] || ''' needs ' || case v['about']['name'] when 'k' then 'a cutoff' else 'a value of ' || v['about']['name'] end)
                end
                when not coalesce(case when v['about']['type'] = 'choice' then list_contains(v['about']['choices'], v['text'])
else isfinite(try_cast(v['text'] as double))
    and (v['about']['type'] = 'number' or try_cast(v['text'] as double) = floor(try_cast(v['text'] as double)))
    and coalesce(try_cast(v['text'] as double) >= v['about']['least'], true)
    and coalesce(try_cast(v['text'] as double) > v['about']['above'], true)
    and coalesce(try_cast(v['text'] as double) <= v['about']['most'], true)
end, false)
                then error('measure ''' || m['text'] || ''': ' || v['about']['name'] || ' must be ' || v['about']['allowed'] || ', got ' || v['text'])
                when v['about']['type'] = 'choice' then '''' || v['text'] || ''''
                else case
    when cast(v['text'] as double) = floor(cast(v['text'] as double)) and abs(cast(v['text'] as double)) < 1e15 then cast(cast(cast(v['text'] as double) as bigint) as varchar)
    when contains(cast(cast(v['text'] as double) as varchar), 'e') then replace(cast(cast(v['text'] as double) as varchar), '+', '')
    else cast(cast(v['text'] as double) as varchar) || 'e0'
end
            end}),
            lambda v: [
                {'placeholder': '{' || v['name'] || '}', 'text': v['sql']},
                {'placeholder': '{_' || v['name'] || '}', 'text': '_' || regexp_replace(v['sql'], '\W', '_', 'g')}
            ]
        )),
        [
            {'placeholder': '{alpha}', 'text': 'null'}, {'placeholder': '{_alpha}', 'text': '_null'},
            {'placeholder': '{depth}', 'text': 'null'}, {'placeholder': '{_depth}', 'text': '_null'},
            {'placeholder': '{max_rel}', 'text': 'null'}, {'placeholder': '{_max_rel}', 'text': '_null'},
            {'placeholder': '{min_rel}', 'text': 'null'}, {'placeholder': '{_min_rel}', 'text': '_null'},
            {'placeholder': '{rel}', 'text': 'null'}, {'placeholder': '{_rel}', 'text': '_null'}
        ]
    )
});

create or replace macro ltr.measures_query(relation, paired, measures, keys, averaged, convention) as
replace(
    list_transform(
        [list_transform(ltr.__ltr_measures(measures, paired, keys, convention), lambda m: {
            'macro': m['definition']['macro'],
            'input': m['definition']['input'],
            'row_source': m['definition']['row_source'],
            'reads': m['definition']['reads'],
            'shared_ranks': m['definition']['shared_ranks'],
            'cutoff': m['cutoff'],
            'placeholders': m['placeholders'],
            'block': list_reduce(list_concat([{'placeholder': '', 'text': m['definition']['block']}], m['placeholders']), lambda t, h: {'placeholder': '', 'text': replace(t['text'], h['placeholder'], h['text'])})['text'],
            'windows': list_transform(m['texts']['windows'], lambda w: list_reduce(list_concat([{'placeholder': '', 'text': w}], m['placeholders']), lambda t, h: {'placeholder': '', 'text': replace(t['text'], h['placeholder'], h['text'])})['text']),
            'value': list_reduce(list_concat([{'placeholder': '', 'text': m['texts']['value']}], m['placeholders']), lambda t, h: {'placeholder': '', 'text': replace(t['text'], h['placeholder'], h['text'])})['text'],
            'output': list_reduce(list_concat([{'placeholder': '', 'text': replace(m['definition']['output'], '{block}', m['definition']['block'])}], m['placeholders']), lambda t, h: {'placeholder': '', 'text': replace(t['text'], h['placeholder'], h['text'])})['text'],
            'average': list_reduce(list_concat([{'placeholder': '', 'text': m['definition']['average']}], m['placeholders']), lambda t, h: {'placeholder': '', 'text': replace(t['text'], h['placeholder'], h['text'])})['text']
        })],
        lambda every: replace(replace(replace(replace(case when averaged then 'select
            {keys}count(*) as queries{averages}
        from (
            {per_query}
        ) as v{group_by}' else '{per_query}' end, '{averages}', coalesce(list_aggregate(list_transform(every, lambda m: m['average']), 'string_agg', ''), '')), '{per_query}', replace(replace(replace(replace(replace(replace(cast('{"rankings"="with __ltr_rankings as not materialized (
            select
                r.__ltr_key,
                r.rank,
                r.relevance,
                nullif(r.__ltr_row.num_ret, cast(''nan'' as double)) as num_ret
            from (
            select
                struct_pack(*columns(case when len(list_filter([''query_id'', ''rank'', ''relevance''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank'', ''relevance''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
                nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''num_ret''))) as struct(rank double, num_ret double)) as __ltr_row
            from {relation} as j
            ) as r
        ),
        __ltr_queries as (
            select
                r.__ltr_key
            from (
                select
                    struct_pack(*columns(case when len(list_filter([''query_id'', ''rank'', ''relevance''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank'', ''relevance''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                    cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''doc_id'', ''subtopic''))) as struct(rank double, doc_id varchar, subtopic varchar)) as __ltr_row
                from {relation} as j
            ) as r
            group by r.__ltr_key
            having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error(''this measure needs one row per document, and the input has one per subtopic: group it by doc_id first'') end
        ),
        {blocks}
        select
            unnest(q.__ltr_key){outputs}
        from __ltr_queries as q
        {joins}
        where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, {keys})", "rankings against ideal"="with __ltr_rankings as not materialized (
            select
                r.__ltr_key,
                r.rank,
                r.relevance,
                nullif(r.__ltr_row.num_ret, cast(''nan'' as double)) as num_ret
            from (
            select
                struct_pack(*columns(case when len(list_filter([''query_id'', ''rank'', ''relevance''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank'', ''relevance''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
                nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''num_ret''))) as struct(rank double, num_ret double)) as __ltr_row
            from {relation} as j
            ) as r
        ),
        __ltr_paired as (
            select
                r.__ltr_key,
                r.rank as rank_a,
                rank() over (partition by r.__ltr_key order by r.relevance desc nulls last) as rank_b
            from __ltr_rankings as r
            where r.relevance is not null
        ),
        __ltr_queries as (
            select
                r.__ltr_key
            from (
                select
                    struct_pack(*columns(case when len(list_filter([''query_id'', ''rank'', ''relevance''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank'', ''relevance''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                    cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''doc_id'', ''subtopic''))) as struct(rank double, doc_id varchar, subtopic varchar)) as __ltr_row
                from {relation} as j
            ) as r
            group by r.__ltr_key
            having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error(''this measure needs one row per document, and the input has one per subtopic: group it by doc_id first'') end
        ),
        {blocks}
        select
            unnest(q.__ltr_key){outputs}
        from __ltr_queries as q
        {joins}
        where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, {keys})", "covers"="with recursive __ltr_rankings as not materialized (
            select
                r.__ltr_key,
                r.rank,
                r.relevance,
                r.doc_id,
                r.subtopic,
                nullif(r.__ltr_row.num_ret, cast(''nan'' as double)) as num_ret
            from (
            select
                struct_pack(*columns(case when len(list_filter([''query_id'', ''rank'', ''relevance'', ''doc_id'', ''subtopic''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank'', ''relevance'', ''doc_id'', ''subtopic''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
                nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance,
                j.doc_id,
                j.subtopic,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''num_ret''))) as struct(rank double, num_ret double)) as __ltr_row
            from {relation} as j
            ) as r
        ),
        __ltr_graded as (
            select
                r.__ltr_key,
                r.doc_id,
                min(r.rank) as rank,
                max(r.relevance) as relevance,
                max(r.num_ret) as num_ret
            from __ltr_rankings as r
            group by r.__ltr_key, r.doc_id
        ),
        __ltr_queries as (
            select
                r.__ltr_key
            from (
                select
                    struct_pack(*columns(case when len(list_filter([''query_id''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key
                from {relation} as j
            ) as r
            group by r.__ltr_key
        ),
        {blocks}
        select
            unnest(q.__ltr_key){outputs}
        from __ltr_queries as q
        {joins}
        where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, {keys})", "covers against ideal"="with recursive __ltr_rankings as not materialized (
            select
                r.__ltr_key,
                r.rank,
                r.relevance,
                r.doc_id,
                r.subtopic,
                nullif(r.__ltr_row.num_ret, cast(''nan'' as double)) as num_ret
            from (
            select
                struct_pack(*columns(case when len(list_filter([''query_id'', ''rank'', ''relevance'', ''doc_id'', ''subtopic''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank'', ''relevance'', ''doc_id'', ''subtopic''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
                nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance,
                j.doc_id,
                j.subtopic,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''num_ret''))) as struct(rank double, num_ret double)) as __ltr_row
            from {relation} as j
            ) as r
        ),
        __ltr_graded as (
            select
                r.__ltr_key,
                r.doc_id,
                min(r.rank) as rank,
                max(r.relevance) as relevance,
                max(r.num_ret) as num_ret
            from __ltr_rankings as r
            group by r.__ltr_key, r.doc_id
        ),
        __ltr_paired as (
            select
                r.__ltr_key,
                r.rank as rank_a,
                rank() over (partition by r.__ltr_key order by r.relevance desc nulls last) as rank_b
            from __ltr_graded as r
            where r.relevance is not null
        ),
        __ltr_queries as (
            select
                r.__ltr_key
            from (
                select
                    struct_pack(*columns(case when len(list_filter([''query_id''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key
                from {relation} as j
            ) as r
            group by r.__ltr_key
        ),
        {blocks}
        select
            unnest(q.__ltr_key){outputs}
        from __ltr_queries as q
        {joins}
        where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, {keys})", "pairs"="with __ltr_paired as (
            select
                struct_pack(*columns(case when len(list_filter([''query_id'', ''rank_a'', ''rank_b''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank_a'', ''rank_b''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                nullif(cast(j.rank_a as double), cast(''nan'' as double)) as rank_a,
                nullif(cast(j.rank_b as double), cast(''nan'' as double)) as rank_b
            from {relation} as j
        ),
        __ltr_queries as (
            select
                r.__ltr_key
            from __ltr_paired as r
            group by r.__ltr_key
        ),
        {blocks}
        select
            unnest(q.__ltr_key){outputs}
        from __ltr_queries as q
        {joins}
        where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, {keys})", "pairs against ideal"="with __ltr_paired as (
            select
                struct_pack(*columns(case when len(list_filter([''query_id'', ''rank_a'', ''rank_b''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank_a'', ''rank_b''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                nullif(cast(j.rank_a as double), cast(''nan'' as double)) as rank_a,
                nullif(cast(j.rank_b as double), cast(''nan'' as double)) as rank_b
            from {relation} as j
        ),
        __ltr_queries as (
            select
                r.__ltr_key
            from __ltr_paired as r
            group by r.__ltr_key
        ),
        {blocks}
        select
            unnest(q.__ltr_key){outputs}
        from __ltr_queries as q
        {joins}
        where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, {keys})", "scored_pairs"="with __ltr_paired as (
            select
                r.__ltr_key,
                r.rank_a,
                r.rank_b,
                nullif(r.__ltr_row.score_a, cast(''nan'' as double)) as score_a,
                nullif(r.__ltr_row.score_b, cast(''nan'' as double)) as score_b
            from (
            select
                struct_pack(*columns(case when len(list_filter([''query_id'', ''rank_a'', ''rank_b''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank_a'', ''rank_b''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                nullif(cast(j.rank_a as double), cast(''nan'' as double)) as rank_a,
                nullif(cast(j.rank_b as double), cast(''nan'' as double)) as rank_b,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank_a'', ''score_a'', ''score_b''))) as struct(rank_a double, score_a double, score_b double)) as __ltr_row
            from {relation} as j
            ) as r
        ),
        __ltr_queries as (
            select
                r.__ltr_key
            from __ltr_paired as r
            group by r.__ltr_key
        ),
        {blocks}
        select
            unnest(q.__ltr_key){outputs}
        from __ltr_queries as q
        {joins}
        where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, {keys})", "scored_pairs against ideal"="with __ltr_paired as (
            select
                r.__ltr_key,
                r.rank_a,
                r.rank_b,
                nullif(r.__ltr_row.score_a, cast(''nan'' as double)) as score_a,
                nullif(r.__ltr_row.score_b, cast(''nan'' as double)) as score_b
            from (
            select
                struct_pack(*columns(case when len(list_filter([''query_id'', ''rank_a'', ''rank_b''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank_a'', ''rank_b''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                nullif(cast(j.rank_a as double), cast(''nan'' as double)) as rank_a,
                nullif(cast(j.rank_b as double), cast(''nan'' as double)) as rank_b,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank_a'', ''score_a'', ''score_b''))) as struct(rank_a double, score_a double, score_b double)) as __ltr_row
            from {relation} as j
            ) as r
        ),
        __ltr_queries as (
            select
                r.__ltr_key
            from __ltr_paired as r
            group by r.__ltr_key
        ),
        {blocks}
        select
            unnest(q.__ltr_key){outputs}
        from __ltr_queries as q
        {joins}
        where ltr.__ltr_check_keys(struct_keys(q.__ltr_key), q.__ltr_key.query_id, {keys})"}' as map(varchar, varchar))[case when paired and list_contains(list_transform(every, lambda m: m['input']), 'scored_pairs') then 'scored_pairs' when paired then 'pairs' when list_contains(list_transform(every, lambda m: m['input']), 'covers') then 'covers' else 'rankings' end || case when not paired and list_contains(list_transform(every, lambda m: m['input']), 'pairs') then ' against ideal' else '' end], '{blocks}', list_aggregate(list_transform(list_transform(
            list_sort(list_distinct(list_transform(every, lambda m: m['block']))),
            lambda b: list_transform([list_filter(every, lambda m: m['block'] = b)], lambda members: {
                'name': b,
                'text': list_reduce(list_concat([{'placeholder': '', 'text': replace(replace(replace(replace(replace(cast('{"all_pairs relevant"="__ltr_compared_all_pairs{suffix} as (
                    select
                        r.__ltr_key,
                        coalesce(r.rank_a, 1e300) as rank_a,
                        coalesce(r.rank_b, 1e300) as rank_b
                    from (
                        select
                            p.__ltr_key,
                            case when p.rank_a <= coalesce({k}, p.rank_a) then case when p.rank_a < 1 or p.rank_a > 1000000000 then error(''ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1'') else p.rank_a end end as rank_a,
                            case when p.rank_b <= coalesce({k}, p.rank_b) then case when p.rank_b < 1 or p.rank_b > 1000000000 then error(''ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1'') else p.rank_b end end as rank_b
                        from __ltr_paired as p
                    ) as r
                    where r.rank_a is not null or r.rank_b is not null
                ),
                __ltr_lists_all_pairs{suffix} as (
                    select
                        r.__ltr_key,
                        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
                        count(*) as length
                    from __ltr_compared_all_pairs{suffix} as r
                    group by r.__ltr_key
                ),
                __ltr_short_all_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a
                    from (
                        select
                            n.list,
                            n.length,
                            c.rank_a,
                            c.rank_b,
                            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
                        from __ltr_compared_all_pairs{suffix} as c
                        join __ltr_lists_all_pairs{suffix} as n
                            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 20
                    ) as r
                ),
                __ltr_long_all_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b
                    from (
                        select
                            n.list,
                            n.length,
                            c.rank_a,
                            c.rank_b,
                            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
                        from __ltr_compared_all_pairs{suffix} as c
                        join __ltr_lists_all_pairs{suffix} as n
                            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 20
                    ) as r
                ),
                __ltr_joined_all_pairs{suffix} as (
                    select
                        y.list,
                        y.rank_a,
                        y.rank_b,
                        y.above_b,
                        y.position_a,
                        count(x.rank_a) as inversions
                    from __ltr_short_all_pairs{suffix} as y
                    left join __ltr_short_all_pairs{suffix} as x
                        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
                    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a
                ),
                __ltr_inverted_all_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        1e0 * r.inversions as inversions{windows}
                    from __ltr_joined_all_pairs{suffix} as r
                    union all
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        1e0 * (rank(order by r.above_b desc nulls last) over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last rows between unbounded preceding and current row) - 1) as inversions{windows}
                    from __ltr_long_all_pairs{suffix} as r
                ),
                __ltr_by_all_pairs{suffix} as (
                    select
                        n.__ltr_key{values}
                    from __ltr_inverted_all_pairs{suffix} as d
                    join __ltr_lists_all_pairs{suffix} as n
                        on n.list = d.list
                    group by n.__ltr_key
                )", "common_documents relevant"="__ltr_shared{suffix} as (
                    select
                        r.__ltr_key,
                        r.rank_a,
                        r.rank_b{windows}
                    from __ltr_paired as r
                    where r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b)
                ),
                __ltr_by_common_documents{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_shared{suffix} as d
                    group by d.__ltr_key
                )", "coverage relevant"="__ltr_coverage{suffix} as (
                    select
                        r.__ltr_key,
                        r.doc_id,
                        r.rank,
                        r.subtopic{windows}
                    from __ltr_rankings as r
                    where r.relevance >= {rel} and r.subtopic is not null
                ),
                __ltr_by_coverage{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_coverage{suffix} as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
                )", "depth_overlap relevant"="__ltr_in_tops{suffix} as (
                    select
                        r.__ltr_key,
                        ceil(r.rank_a) as rank_a,
                        ceil(r.rank_b) as rank_b,
                        row_number() over (partition by r.__ltr_key order by r.rank_a asc nulls last, r.rank_b asc nulls last) as position,
                        coalesce({k}, ceil(max(case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end) over (partition by r.__ltr_key))) as last
                    from (
                        select
                            p.__ltr_key,
                            case when p.rank_a <= coalesce({k}, p.rank_a) then case when p.rank_a < 1 or p.rank_a > 1000000000 then error(''ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1'') else p.rank_a end end as rank_a,
                            case when p.rank_b <= coalesce({k}, p.rank_b) then case when p.rank_b < 1 or p.rank_b > 1000000000 then error(''ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1'') else p.rank_b end end as rank_b
                        from __ltr_paired as p
                    ) as r
                    where r.rank_a is not null or r.rank_b is not null
                ),
                __ltr_entries{suffix} as (
                    select
                        r.__ltr_key,
                        r.last,
                        r.position as depth,
                        0 as in_a,
                        0 as in_b,
                        0 as in_both
                    from __ltr_in_tops{suffix} as r
                    where r.position <= r.last
                    union all
                    select
                        r.__ltr_key,
                        r.last,
                        r.rank_a as depth,
                        1 as in_a,
                        0 as in_b,
                        0 as in_both
                    from __ltr_in_tops{suffix} as r
                    where r.rank_a is not null
                    union all
                    select
                        r.__ltr_key,
                        r.last,
                        r.rank_b as depth,
                        0 as in_a,
                        1 as in_b,
                        0 as in_both
                    from __ltr_in_tops{suffix} as r
                    where r.rank_b is not null
                    union all
                    select
                        r.__ltr_key,
                        r.last,
                        case when r.rank_a > r.rank_b then r.rank_a else r.rank_b end as depth,
                        0 as in_a,
                        0 as in_b,
                        1 as in_both
                    from __ltr_in_tops{suffix} as r
                    where r.rank_a is not null and r.rank_b is not null
                ),
                __ltr_tops{suffix} as (
                    select
                        r.__ltr_key,
                        r.last,
                        1e0 * r.depth as depth,
                        1e0 * sum(r.in_a) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as size_a,
                        1e0 * sum(r.in_b) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as size_b,
                        1e0 * sum(r.in_both) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as overlap,
                        coalesce(min(r.depth) over (partition by r.__ltr_key order by r.depth asc nulls last rows between 1 following and 1 following) - 1, r.last) as until{windows}
                    from (
                        select
                            t.__ltr_key,
                            t.last,
                            t.depth,
                            sum(t.in_a) as in_a,
                            sum(t.in_b) as in_b,
                            sum(t.in_both) as in_both
                        from __ltr_entries{suffix} as t
                        group by t.__ltr_key, t.last, t.depth
                    ) as r
                ),
                __ltr_by_depth_overlap{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_tops{suffix} as d
                    group by d.__ltr_key
                )", "depths all"="__ltr_ideal_order{suffix} as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance,
                        row_number() over (partition by r.__ltr_key order by case when r.relevance > 0 then r.relevance else 0e0 end desc nulls last, r.rank asc nulls last) as ideal_rank,
                        max(coalesce(r.num_ret, ltr.__ltr_whole_rank(r.rank))) over (partition by r.__ltr_key) as num_ret
                    from {documents} as r
                ),
                __ltr_compared{suffix} as (
                    select
                        r.__ltr_key,
                        max(r.ideal_rank) as num_rel,
                        coalesce({depth}, case when max(r.num_ret) > max(r.ideal_rank) then max(r.num_ret) else max(r.ideal_rank) end) as last
                    from __ltr_ideal_order{suffix} as r
                    where r.relevance > 0
                    group by r.__ltr_key
                    having ltr.__ltr_validate_ranks(r.rank, r.relevance, {shared_ranks}, r.num_ret)
                ),
                __ltr_all_depths{suffix} as (
                    select unnest(range(1, cast((select max(q.last) from __ltr_compared{suffix} as q) as bigint) + 1)) as rank
                ),
                __ltr_found{suffix} as (
                    select
                        t.__ltr_key,
                        t.depth,
                        count(*) as documents
                    from (
                        select
                            r.__ltr_key,
                            case when r.rank > r.ideal_rank then r.rank else r.ideal_rank end as depth
                        from __ltr_ideal_order{suffix} as r
                        where r.relevance > 0 and r.rank is not null
                    ) as t
                    group by t.__ltr_key, t.depth
                ),
                __ltr_depths{suffix} as (
                    select
                        q.__ltr_key,
                        n.rank as depth,
                        1e0 * sum(coalesce(f.documents, 0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as overlap,
                        1e0 * case when n.rank < q.num_rel then n.rank else q.num_rel end as ideal_overlap
                    from __ltr_compared{suffix} as q
                    join __ltr_all_depths{suffix} as n
                        on n.rank <= q.last
                    left join __ltr_found{suffix} as f
                        on f.__ltr_key is not distinct from q.__ltr_key and f.depth = n.rank
                ),
                __ltr_by_depths{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_depths{suffix} as d
                    group by d.__ltr_key
                )", "documents all"="__ltr_documents as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance,
                        coalesce(r.num_ret, r.rank) as num_ret{windows}
                    from {documents} as r
                    where true
                ),
                __ltr_by_documents{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_documents as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_ranks(d.rank, d.relevance, {shared_ranks}, d.num_ret)
                )", "documents counted"="__ltr_documents as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance,
                        coalesce(r.num_ret, r.rank) as num_ret{windows}
                    from (
                        select
                            r.__ltr_key,
                            r.rank,
                            r.relevance,
                            r.num_ret
                        from {documents} as r
                        where r.relevance is not null
                        union all
                        select
                            r.__ltr_key,
                            null as rank,
                            null as relevance,
                            max(coalesce(r.num_ret, r.rank)) as num_ret
                        from {documents} as r
                        group by r.__ltr_key
                        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
                    ) as r
                    where true
                ),
                __ltr_by_documents{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_documents as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_ranks(d.rank, d.relevance, {shared_ranks}, null)
                )", "documents judged"="__ltr_documents as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance{windows}
                    from {documents} as r
                    where r.relevance is not null
                ),
                __ltr_by_documents{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_documents as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_ranks(d.rank, d.relevance, {shared_ranks}, null)
                )", "documents relevant"="__ltr_documents as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance{windows}
                    from {documents} as r
                    where r.relevance > 0
                ),
                __ltr_by_documents{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_documents as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_ranks(d.rank, d.relevance, {shared_ranks}, null)
                )", "either_documents relevant"="__ltr_lists{suffix} as (
                    select
                        r.__ltr_key,
                        r.rank_a,
                        r.rank_b,
                        case when r.rank_a > coalesce(r.rank_b, 0) then r.rank_a else r.rank_b end as lower_rank{windows}
                    from (
                        select
                            p.__ltr_key,
                            case when p.rank_a <= coalesce({k}, p.rank_a) then case when p.rank_a < 1 or p.rank_a > 1000000000 then error(''ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1'') else p.rank_a end end as rank_a,
                            case when p.rank_b <= coalesce({k}, p.rank_b) then case when p.rank_b < 1 or p.rank_b > 1000000000 then error(''ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1'') else p.rank_b end end as rank_b
                        from __ltr_paired as p
                    ) as r
                    where r.rank_a is not null or r.rank_b is not null
                ),
                __ltr_by_either_documents{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_lists{suffix} as d
                    group by d.__ltr_key
                )", "gain_positions counted"="__ltr_positioned as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance,
                        coalesce(r.num_ret, r.rank) as num_ret,
                        row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as ideal_rank,
                        count(*) over (partition by r.__ltr_key order by r.relevance desc nulls last range between unbounded preceding and current row) as last_rank_of_grade
                    from (
                        select
                            r.__ltr_key,
                            r.rank,
                            r.relevance,
                            r.num_ret
                        from {documents} as r
                        where r.relevance is not null
                        union all
                        select
                            r.__ltr_key,
                            null as rank,
                            null as relevance,
                            max(coalesce(r.num_ret, r.rank)) as num_ret
                        from {documents} as r
                        group by r.__ltr_key
                        having ltr.__ltr_validate_ranks(r.rank, r.relevance, true, r.num_ret)
                    ) as r
                    where true
                ),
                __ltr_gain_positions as (
                    select
                        r.__ltr_key,
                        r.position,
                        r.num_ret,
                        r.gain,
                        r.ideal_gain,
                        r.ends_grade{windows}
                    from (
                        select
                            p.__ltr_key,
                            p.rank as position,
                            p.num_ret,
                            case when p.relevance > 0 then p.relevance else 0e0 end as gain,
                            0e0 as ideal_gain,
                            false as ends_grade
                        from __ltr_positioned as p
                        where p.rank is not null or p.relevance is null
                        union all
                        select
                            p.__ltr_key,
                            p.ideal_rank as position,
                            p.num_ret,
                            0e0 as gain,
                            p.relevance as ideal_gain,
                            p.ideal_rank = p.last_rank_of_grade as ends_grade
                        from __ltr_positioned as p
                        where p.relevance > 0
                    ) as r
                ),
                __ltr_by_gain_positions{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_gain_positions as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_ranks(case when d.gain > 0 then d.position end, d.gain, {shared_ranks}, null)
                )", "gain_positions relevant"="__ltr_positioned as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance,
                        row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as ideal_rank,
                        count(*) over (partition by r.__ltr_key order by r.relevance desc nulls last range between unbounded preceding and current row) as last_rank_of_grade
                    from {documents} as r
                    where r.relevance > 0
                ),
                __ltr_gain_positions as (
                    select
                        r.__ltr_key,
                        r.position,
                        r.gain,
                        r.ideal_gain,
                        r.ends_grade{windows}
                    from (
                        select
                            p.__ltr_key,
                            p.rank as position,
                            case when p.relevance > 0 then p.relevance else 0e0 end as gain,
                            0e0 as ideal_gain,
                            false as ends_grade
                        from __ltr_positioned as p
                        where p.rank is not null or p.relevance is null
                        union all
                        select
                            p.__ltr_key,
                            p.ideal_rank as position,
                            0e0 as gain,
                            p.relevance as ideal_gain,
                            p.ideal_rank = p.last_rank_of_grade as ends_grade
                        from __ltr_positioned as p
                        where p.relevance > 0
                    ) as r
                ),
                __ltr_by_gain_positions{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_gain_positions as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_ranks(case when d.gain > 0 then d.position end, d.gain, {shared_ranks}, null)
                )", "grades judged"="__ltr_graded_documents as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance
                    from {documents} as r
                    where r.rank is not null and r.relevance >= 0
                ),
                __ltr_grades as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance,
                        r.grade{windows}
                    from (
                        select
                            s.__ltr_key,
                            s.rank,
                            s.relevance,
                            g.grade
                        from (
                            select
                                t.__ltr_key,
                                t.relevance as grade
                            from __ltr_graded_documents as t
                            group by t.__ltr_key, t.relevance
                        ) as g
                        join __ltr_graded_documents as s
                            on s.__ltr_key is not distinct from g.__ltr_key and s.relevance <= g.grade
                    ) as r
                ),
                __ltr_by_grades{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_grades as d
                    group by d.__ltr_key
                )", "levels relevant"="__ltr_positive as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance
                    from {documents} as r
                    where r.relevance > 0
                ),
                __ltr_levels as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance,
                        r.level,
                        r.level_below{windows}
                    from (
                        select
                            s.__ltr_key,
                            s.rank,
                            s.relevance,
                            g.level,
                            g.level_below
                        from (
                            select
                                t.__ltr_key,
                                t.level,
                                coalesce(lag(t.level) over (partition by t.__ltr_key order by t.level asc nulls last), 0) as level_below
                            from (
                                select
                                    p.__ltr_key,
                                    p.relevance as level
                                from __ltr_positive as p
                                group by p.__ltr_key, p.relevance
                            ) as t
                        ) as g
                        join __ltr_positive as s
                            on s.__ltr_key is not distinct from g.__ltr_key and s.relevance >= g.level
                    ) as r
                ),
                __ltr_by_levels{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_levels as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_ranks(case when d.level_below = 0 then d.rank end, d.relevance, {shared_ranks}, null)
                )", "pairs relevant"="__ltr_compared_pairs{suffix} as (
                    select
                        r.__ltr_key,
                        r.rank_a,
                        r.rank_b
                    from __ltr_paired as r
                    where r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b)
                ),
                __ltr_lists_pairs{suffix} as (
                    select
                        r.__ltr_key,
                        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
                        count(*) as length
                    from __ltr_compared_pairs{suffix} as r
                    group by r.__ltr_key
                ),
                __ltr_short_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a
                    from (
                        select
                            n.list,
                            n.length,
                            c.rank_a,
                            c.rank_b,
                            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
                        from __ltr_compared_pairs{suffix} as c
                        join __ltr_lists_pairs{suffix} as n
                            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 20
                    ) as r
                ),
                __ltr_long_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b
                    from (
                        select
                            n.list,
                            n.length,
                            c.rank_a,
                            c.rank_b,
                            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
                        from __ltr_compared_pairs{suffix} as c
                        join __ltr_lists_pairs{suffix} as n
                            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 20
                    ) as r
                ),
                __ltr_joined_pairs{suffix} as (
                    select
                        y.list,
                        y.rank_a,
                        y.rank_b,
                        y.above_b,
                        y.position_a,
                        count(x.rank_a) as inversions
                    from __ltr_short_pairs{suffix} as y
                    left join __ltr_short_pairs{suffix} as x
                        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
                    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a
                ),
                __ltr_inverted_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        1e0 * r.inversions as inversions{windows}
                    from __ltr_joined_pairs{suffix} as r
                    union all
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        1e0 * (rank(order by r.above_b desc nulls last) over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last rows between unbounded preceding and current row) - 1) as inversions{windows}
                    from __ltr_long_pairs{suffix} as r
                ),
                __ltr_by_pairs{suffix} as (
                    select
                        n.__ltr_key{values}
                    from __ltr_inverted_pairs{suffix} as d
                    join __ltr_lists_pairs{suffix} as n
                        on n.list = d.list
                    group by n.__ltr_key
                )", "positioned_pairs relevant"="__ltr_compared_positioned_pairs{suffix} as (
                    select
                        r.__ltr_key,
                        r.rank_a,
                        r.rank_b
                    from __ltr_paired as r
                    where r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b)
                ),
                __ltr_lists_positioned_pairs{suffix} as (
                    select
                        r.__ltr_key,
                        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
                        count(*) as length
                    from __ltr_compared_positioned_pairs{suffix} as r
                    group by r.__ltr_key
                ),
                __ltr_short_positioned_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a,
                        row_number() over (partition by r.list order by r.rank_b asc nulls last, r.rank_a asc nulls last) as position_b
                    from (
                        select
                            n.list,
                            n.length,
                            c.rank_a,
                            c.rank_b,
                            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
                        from __ltr_compared_positioned_pairs{suffix} as c
                        join __ltr_lists_positioned_pairs{suffix} as n
                            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 20
                    ) as r
                ),
                __ltr_long_positioned_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a,
                        row_number() over (partition by r.list order by r.rank_b asc nulls last, r.rank_a asc nulls last) as position_b
                    from (
                        select
                            n.list,
                            n.length,
                            c.rank_a,
                            c.rank_b,
                            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
                        from __ltr_compared_positioned_pairs{suffix} as c
                        join __ltr_lists_positioned_pairs{suffix} as n
                            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 20
                    ) as r
                ),
                __ltr_joined_positioned_pairs{suffix} as (
                    select
                        y.list,
                        y.rank_a,
                        y.rank_b,
                        y.above_b,
                        y.position_a, y.position_b,
                        count(x.rank_a) as inversions
                    from __ltr_short_positioned_pairs{suffix} as y
                    left join __ltr_short_positioned_pairs{suffix} as x
                        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
                    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a, y.position_b
                ),
                __ltr_inverted_positioned_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        r.position_a,
                        r.position_b,
                        1e0 * r.inversions as inversions{windows}
                    from __ltr_joined_positioned_pairs{suffix} as r
                    union all
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        r.position_a,
                        r.position_b,
                        1e0 * (rank(order by r.above_b desc nulls last) over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last rows between unbounded preceding and current row) - 1) as inversions{windows}
                    from __ltr_long_positioned_pairs{suffix} as r
                ),
                __ltr_by_positioned_pairs{suffix} as (
                    select
                        n.__ltr_key{values}
                    from __ltr_inverted_positioned_pairs{suffix} as d
                    join __ltr_lists_positioned_pairs{suffix} as n
                        on n.list = d.list
                    group by n.__ltr_key
                )", "prefixes relevant"="__ltr_sized{suffix} as (
                    select
                        r.__ltr_key,
                        case when r.length_a <= r.length_b then r.rank_a else r.rank_b end as rank_s,
                        case when r.length_a <= r.length_b then r.rank_b else r.rank_a end as rank_l,
                        case when r.length_a < r.length_b then r.length_a else r.length_b end as length_s,
                        case when r.length_a > r.length_b then r.length_a else r.length_b end as length_l
                    from (
                        select
                            t.__ltr_key,
                            t.rank_a,
                            t.rank_b,
                            count(t.rank_a) over (partition by t.__ltr_key) as length_a,
                            count(t.rank_b) over (partition by t.__ltr_key) as length_b
                        from (
                            select
                                p.__ltr_key,
                                case when p.rank_a <= coalesce({k}, p.rank_a) then case when p.rank_a < 1 or p.rank_a > 1000000000 then error(''ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1'') else p.rank_a end end as rank_a,
                                case when p.rank_b <= coalesce({k}, p.rank_b) then case when p.rank_b < 1 or p.rank_b > 1000000000 then error(''ranks of pairs must be from 1 to 1,000,000,000: count ranks from 1'') else p.rank_b end end as rank_b
                            from __ltr_paired as p
                        ) as t
                    ) as r
                    where r.rank_a is not null or r.rank_b is not null
                ),
                __ltr_spread{suffix} as (
                    select
                        r.__ltr_key,
                        r.length_s,
                        r.length_l,
                        case when r.rank_s is not null then row_number() over (partition by r.__ltr_key order by r.rank_s asc nulls last) end as position_s,
                        case when r.rank_s is not null then rank() over (partition by r.__ltr_key order by r.rank_s asc nulls last) end as start_s,
                        case when r.rank_s is not null then rank() over (partition by r.__ltr_key order by r.rank_s asc nulls last) + count(*) over (partition by r.__ltr_key, r.rank_s) - 1 end as end_s,
                        case when r.rank_l is not null then row_number() over (partition by r.__ltr_key order by r.rank_l asc nulls last) end as position_l,
                        case when r.rank_l is not null then rank() over (partition by r.__ltr_key order by r.rank_l asc nulls last) end as start_l,
                        case when r.rank_l is not null then rank() over (partition by r.__ltr_key order by r.rank_l asc nulls last) + count(*) over (partition by r.__ltr_key, r.rank_l) - 1 end as end_l
                    from __ltr_sized{suffix} as r
                ),
                __ltr_steps{suffix} as (
                    select
                        r.__ltr_key,
                        r.length_s,
                        r.length_l,
                        case when r.start_s > r.start_l then r.start_s else r.start_l end as depth,
                        1 as partly_both,
                        0 as partly_s,
                        0 as partly_l,
                        0 as whole,
                        0 as others_partly,
                        0 as others,
                        cast(null as double) as start_s,
                        cast(null as double) as end_s,
                        cast(null as double) as start_l,
                        cast(null as double) as end_l
                    from __ltr_spread{suffix} as r
                    where r.start_s is not null and r.start_l is not null
                    union all
                    select
                        r.__ltr_key,
                        r.length_s,
                        r.length_l,
                        case when case when r.start_s > r.start_l then r.start_s else r.start_l end > case when r.end_s < r.end_l then r.end_s else r.end_l end then case when r.start_s > r.start_l then r.start_s else r.start_l end else case when r.end_s < r.end_l then r.end_s else r.end_l end end as depth,
                        -1 as partly_both,
                        case when r.end_l < r.end_s then 1 else 0 end as partly_s,
                        case when r.end_s < r.end_l then 1 else 0 end as partly_l,
                        0 as whole,
                        0 as others_partly,
                        0 as others,
                        cast(null as double) as start_s,
                        cast(null as double) as end_s,
                        cast(null as double) as start_l,
                        cast(null as double) as end_l
                    from __ltr_spread{suffix} as r
                    where r.start_s is not null and r.start_l is not null
                    union all
                    select
                        r.__ltr_key,
                        r.length_s,
                        r.length_l,
                        case when r.end_s > r.end_l then r.end_s else r.end_l end as depth,
                        0 as partly_both,
                        -case when r.end_l < r.end_s then 1 else 0 end as partly_s,
                        -case when r.end_s < r.end_l then 1 else 0 end as partly_l,
                        1 as whole,
                        0 as others_partly,
                        0 as others,
                        cast(null as double) as start_s,
                        cast(null as double) as end_s,
                        cast(null as double) as start_l,
                        cast(null as double) as end_l
                    from __ltr_spread{suffix} as r
                    where r.start_s is not null and r.start_l is not null
                    union all
                    select
                        r.__ltr_key,
                        r.length_s,
                        r.length_l,
                        r.start_l as depth,
                        0 as partly_both,
                        0 as partly_s,
                        0 as partly_l,
                        0 as whole,
                        1 as others_partly,
                        0 as others,
                        cast(null as double) as start_s,
                        cast(null as double) as end_s,
                        cast(null as double) as start_l,
                        cast(null as double) as end_l
                    from __ltr_spread{suffix} as r
                    where r.start_s is null
                    union all
                    select
                        r.__ltr_key,
                        r.length_s,
                        r.length_l,
                        r.end_l as depth,
                        0 as partly_both,
                        0 as partly_s,
                        0 as partly_l,
                        0 as whole,
                        -1 as others_partly,
                        1 as others,
                        cast(null as double) as start_s,
                        cast(null as double) as end_s,
                        cast(null as double) as start_l,
                        cast(null as double) as end_l
                    from __ltr_spread{suffix} as r
                    where r.start_s is null
                    union all
                    select
                        r.__ltr_key,
                        r.length_s,
                        r.length_l,
                        r.position_s as depth,
                        0 as partly_both,
                        0 as partly_s,
                        0 as partly_l,
                        0 as whole,
                        0 as others_partly,
                        0 as others,
                        r.start_s as start_s,
                        r.end_s as end_s,
                        cast(null as double) as start_l,
                        cast(null as double) as end_l
                    from __ltr_spread{suffix} as r
                    where r.start_s is not null
                    union all
                    select
                        r.__ltr_key,
                        r.length_s,
                        r.length_l,
                        r.position_l as depth,
                        0 as partly_both,
                        0 as partly_s,
                        0 as partly_l,
                        0 as whole,
                        0 as others_partly,
                        0 as others,
                        cast(null as double) as start_s,
                        cast(null as double) as end_s,
                        r.start_l as start_l,
                        r.end_l as end_l
                    from __ltr_spread{suffix} as r
                    where r.start_l is not null
                    union all
                    select
                        r.__ltr_key,
                        r.length_s,
                        r.length_l,
                        r.length_l + r.position_s as depth,
                        0 as partly_both,
                        0 as partly_s,
                        0 as partly_l,
                        0 as whole,
                        0 as others_partly,
                        0 as others,
                        cast(null as double) as start_s,
                        cast(null as double) as end_s,
                        cast(null as double) as start_l,
                        cast(null as double) as end_l
                    from __ltr_spread{suffix} as r
                    where r.start_s is not null
                ),
                __ltr_prefixes{suffix} as (
                    select
                        r.__ltr_key,
                        r.depth,
                        r.length_s,
                        r.length_l,
                        r.start_s,
                        r.end_s,
                        r.start_l,
                        r.end_l,
                        sum(r.partly_both) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as partly_both,
                        sum(r.partly_s) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as partly_s,
                        sum(r.partly_l) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as partly_l,
                        sum(r.whole) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as whole,
                        sum(r.others_partly) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as others_partly,
                        sum(r.others) over (partition by r.__ltr_key order by r.depth asc nulls last rows between unbounded preceding and current row) as others
                    from (
                        select
                            t.__ltr_key,
                            1e0 * t.depth as depth,
                            t.length_s,
                            t.length_l,
                            max(t.start_s) as start_s,
                            max(t.end_s) as end_s,
                            max(t.start_l) as start_l,
                            max(t.end_l) as end_l,
                            sum(1e0 * t.partly_both) as partly_both,
                            sum(1e0 * t.partly_s) as partly_s,
                            sum(1e0 * t.partly_l) as partly_l,
                            sum(1e0 * t.whole) as whole,
                            sum(1e0 * t.others_partly) as others_partly,
                            sum(1e0 * t.others) as others
                        from __ltr_steps{suffix} as t
                        group by t.__ltr_key, t.depth, t.length_s, t.length_l
                    ) as r
                ),
                __ltr_by_prefixes{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_prefixes{suffix} as d
                    group by d.__ltr_key
                )", "ranks relevant"="__ltr_all_ranks{suffix} as (
                    select unnest(range(1, cast({k} as bigint) + 1)) as rank
                ),
                __ltr_gains{suffix} as (
                    select
                        r.__ltr_key,
                        r.rank,
                        case
                            when {max_rel} is null then r.relevance
                            when {max_rel} <= {min_rel} then error(''max_rel must be larger than min_rel'')
                            when r.relevance >= {max_rel} then 1e0
                            else (r.relevance - {min_rel}) / (1e0 * {max_rel} - {min_rel})
                        end as gain
                    from {documents} as r
                    where r.relevance > coalesce({min_rel}, 0)
                ),
                __ltr_ranks{suffix} as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.gain{windows}
                    from (
                        select
                            q.__ltr_key,
                            n.rank,
                            coalesce(g.gain, 0e0) as gain,
                            sum(coalesce(g.gain, 0e0)) over (partition by q.__ltr_key order by n.rank asc nulls last rows between unbounded preceding and current row) as gain_so_far
                        from (
                            select
                                g.__ltr_key
                            from __ltr_gains{suffix} as g
                            group by g.__ltr_key
                            having ltr.__ltr_validate_ranks(g.rank, g.gain, {shared_ranks}, null)
                        ) as q
                        cross join __ltr_all_ranks{suffix} as n
                        left join __ltr_gains{suffix} as g
                            on g.__ltr_key is not distinct from q.__ltr_key and g.rank = n.rank
                    ) as r
                ),
                __ltr_by_ranks{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_ranks{suffix} as d
                    group by d.__ltr_key
                )", "scores relevant"="__ltr_centered{suffix} as (
                    select
                        r.__ltr_key,
                        r.score_a,
                        r.score_b,
                        r.score_a - avg(r.score_a) over (partition by r.__ltr_key) as distance_a,
                        r.score_b - avg(r.score_b) over (partition by r.__ltr_key) as distance_b
                    from __ltr_paired as r
                    where r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b)
                ),
                __ltr_scaled{suffix} as (
                    select
                        r.__ltr_key,
                        r.score_a,
                        r.score_b,
                        r.distance_a / nullif(max(abs(r.distance_a)) over (partition by r.__ltr_key), 0) as share_a,
                        r.distance_b / nullif(max(abs(r.distance_b)) over (partition by r.__ltr_key), 0) as share_b
                    from __ltr_centered{suffix} as r
                ),
                __ltr_scores{suffix} as (
                    select
                        r.__ltr_key,
                        r.score_a,
                        r.score_b,
                        r.share_a - avg(r.share_a) over (partition by r.__ltr_key) as deviation_a,
                        r.share_b - avg(r.share_b) over (partition by r.__ltr_key) as deviation_b{windows}
                    from __ltr_scaled{suffix} as r
                ),
                __ltr_by_scores{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_scores{suffix} as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_scores(d.score_a, d.score_b)
                )", "subtopics relevant"="__ltr_covers{suffix} as (
                    select
                        r.__ltr_key,
                        cast(r.doc_id as varchar) as doc_id,
                        r.rank,
                        r.subtopic
                    from __ltr_rankings as r
                    where r.relevance >= {rel} and r.subtopic is not null
                ),
                __ltr_greedy{suffix} as (
                    select
                        c.__ltr_key,
                        c.doc_id,
                        c.subtopic,
                        0 as covered,
                        0 as position,
                        false as chosen
                    from __ltr_covers{suffix} as c
                    union all
                    select
                        s.__ltr_key,
                        s.doc_id,
                        s.subtopic,
                        s.covered + max(case when s.doc_id = s.best_doc_id then 1 else 0 end) over (partition by s.__ltr_key, s.subtopic) as covered,
                        s.position + 1 as position,
                        s.doc_id = s.best_doc_id as chosen
                    from (
                        select
                            n.__ltr_key,
                            n.doc_id,
                            n.subtopic,
                            n.covered,
                            n.position,
                            first_value(n.doc_id) over (partition by n.__ltr_key order by n.novelty desc nulls last, n.doc_id desc nulls last) as best_doc_id
                        from (
                            select
                                g.__ltr_key,
                                g.doc_id,
                                g.subtopic,
                                g.covered,
                                g.position,
                                round(sum(power(1e0 - {alpha}, g.covered)) over (partition by g.__ltr_key, g.doc_id), 12) as novelty
                            from __ltr_greedy{suffix} as g
                            where not g.chosen and (g.position + 1) <= coalesce({k}, (g.position + 1))
                        ) as n
                    ) as s
                ),
                __ltr_ideal{suffix} as (
                    select
                        g.__ltr_key,
                        g.doc_id,
                        g.position
                    from __ltr_greedy{suffix} as g
                    where g.chosen
                    group by g.__ltr_key, g.doc_id, g.position
                ),
                __ltr_covers_with_ideal_rank{suffix} as (
                    select
                        c.__ltr_key,
                        c.doc_id,
                        c.rank,
                        c.subtopic,
                        i.position as ideal_rank
                    from __ltr_covers{suffix} as c
                    left join __ltr_ideal{suffix} as i
                        on i.__ltr_key is not distinct from c.__ltr_key and i.doc_id = c.doc_id
                ),
                __ltr_subtopics{suffix} as (
                    select
                        r.__ltr_key,
                        r.doc_id,
                        r.rank,
                        r.subtopic,
                        r.ideal_rank{windows}
                    from __ltr_covers_with_ideal_rank{suffix} as r
                ),
                __ltr_by_subtopics{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_subtopics{suffix} as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_covers(d.rank, d.doc_id, d.subtopic)
                )", "tied_positions all"="__ltr_tied_positions{suffix} as (
                    select
                        r.__ltr_key,
                        r.rank,
                        r.relevance,
                        r.above_in_tie,
                        r.num_tied,
                        r.relevant_tied,
                        r.relevant_above{windows}
                    from (
                        select
                            t.__ltr_key,
                            t.rank + t.above_in_tie as rank,
                            t.rank as shared_rank,
                            t.relevance,
                            t.above_in_tie,
                            t.num_tied,
                            t.relevant_tied,
                            t.relevant_through_rank - t.relevant_tied as relevant_above
                        from (
                            select
                                r.__ltr_key,
                                r.rank,
                                r.relevance,
                                row_number() over (partition by r.__ltr_key order by r.rank asc nulls last) - rank() over (partition by r.__ltr_key order by r.rank asc nulls last) as above_in_tie,
                                count(*) over (partition by r.__ltr_key, r.rank) as num_tied,
                                sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key, r.rank) as relevant_tied,
                                sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last range between unbounded preceding and current row) as relevant_through_rank
                            from {documents} as r
                        ) as t
                    ) as r
                ),
                __ltr_by_tied_positions{suffix} as (
                    select
                        d.__ltr_key{values}
                    from __ltr_tied_positions{suffix} as d
                    group by d.__ltr_key
                    having ltr.__ltr_validate_ranks(d.rank, d.relevance, true, null)
                )", "weighted_pairs relevant"="__ltr_compared_weighted_pairs{suffix} as (
                    select
                        r.__ltr_key,
                        r.rank_a,
                        r.rank_b
                    from __ltr_paired as r
                    where r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b)
                ),
                __ltr_lists_weighted_pairs{suffix} as (
                    select
                        r.__ltr_key,
                        cast(row_number() over (order by r.__ltr_key asc nulls last) as integer) as list,
                        count(*) as length
                    from __ltr_compared_weighted_pairs{suffix} as r
                    group by r.__ltr_key
                ),
                __ltr_short_weighted_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a,
                        row_number() over (partition by r.list order by r.rank_b asc nulls last, r.rank_a asc nulls last) as position_b
                    from (
                        select
                            n.list,
                            n.length,
                            c.rank_a,
                            c.rank_b,
                            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
                        from __ltr_compared_weighted_pairs{suffix} as c
                        join __ltr_lists_weighted_pairs{suffix} as n
                            on n.__ltr_key is not distinct from c.__ltr_key and n.length <= 500
                    ) as r
                ),
                __ltr_long_weighted_pairs{suffix} as (
                    select
                        r.list,
                        r.length,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        row_number() over (partition by r.list order by r.rank_a asc nulls last, r.above_b asc nulls last) as position_a,
                        row_number() over (partition by r.list order by r.rank_b asc nulls last, r.rank_a asc nulls last) as position_b
                    from (
                        select
                            n.list,
                            n.length,
                            c.rank_a,
                            c.rank_b,
                            cast(rank() over (partition by n.list order by c.rank_b asc nulls last) - 1 as integer) as above_b
                        from __ltr_compared_weighted_pairs{suffix} as c
                        join __ltr_lists_weighted_pairs{suffix} as n
                            on n.__ltr_key is not distinct from c.__ltr_key and n.length > 500
                    ) as r
                ),
                __ltr_joined_weighted_pairs{suffix} as (
                    select
                        y.list,
                        y.rank_a,
                        y.rank_b,
                        y.above_b,
                        y.position_a, y.position_b,
                        count(x.rank_a) as inversions,
                        sum(case when x.rank_a is null then 0e0 else 1e0 / x.position_a end) as weight_a,
                        sum(case when x.rank_a is null then 0e0 else 1e0 / x.position_b end) as weight_b
                    from __ltr_short_weighted_pairs{suffix} as y
                    left join __ltr_short_weighted_pairs{suffix} as x
                        on x.list = y.list and x.rank_a < y.rank_a and x.above_b > y.above_b
                    group by y.list, y.rank_a, y.rank_b, y.above_b, y.position_a, y.position_b
                ),
                __ltr_bits_weighted_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        r.position_a,
                        r.position_b,
                        b.value as bit,
                        floor(r.above_b / (2 * b.value)) as higher_bits,
                        floor(r.above_b / b.value) - 2 * floor(r.above_b / (2 * b.value)) as is_one
                    from __ltr_long_weighted_pairs{suffix} as r
                    join (
                        select
                            power(2e0, n.rank - 1) as value
                        from (
                            select unnest(range(1, cast(31 as bigint) + 1)) as rank
                        ) as n
                    ) as b
                        on b.value < r.length
                ),
                __ltr_counted_weighted_pairs{suffix} as (
                    select
                        t.list,
                        t.rank_a,
                        t.rank_b,
                        t.above_b,
                        t.position_a,
                        t.position_b,
                        sum(t.ones_before) as inversions,
                        sum(t.weight_a) as weight_a,
                        sum(t.weight_b) as weight_b
                    from (
                        select
                            r.list,
                            r.rank_a,
                            r.rank_b,
                            r.above_b,
                            r.position_a,
                            r.position_b,
                            (1 - r.is_one) * sum(r.is_one) over (partition by r.list, r.bit, r.higher_bits order by r.position_a asc nulls last rows between unbounded preceding and current row) as ones_before,
                            (1 - r.is_one) * sum(r.is_one / r.position_a) over (partition by r.list, r.bit, r.higher_bits order by r.position_a asc nulls last rows between unbounded preceding and current row) as weight_a,
                            (1 - r.is_one) * sum(r.is_one / r.position_b) over (partition by r.list, r.bit, r.higher_bits order by r.position_a asc nulls last rows between unbounded preceding and current row) as weight_b
                        from __ltr_bits_weighted_pairs{suffix} as r
                    ) as t
                    group by t.list, t.rank_a, t.rank_b, t.above_b, t.position_a, t.position_b
                ),
                __ltr_inverted_weighted_pairs{suffix} as (
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        r.position_a,
                        r.position_b,
                        r.weight_a,
                        r.weight_b,
                        1e0 * r.inversions as inversions{windows}
                    from __ltr_joined_weighted_pairs{suffix} as r
                    union all
                    select
                        r.list,
                        r.rank_a,
                        r.rank_b,
                        r.above_b,
                        r.position_a,
                        r.position_b,
                        r.weight_a,
                        r.weight_b,
                        1e0 * r.inversions as inversions{windows}
                    from __ltr_counted_weighted_pairs{suffix} as r
                ),
                __ltr_by_weighted_pairs{suffix} as (
                    select
                        n.__ltr_key{values}
                    from __ltr_inverted_weighted_pairs{suffix} as d
                    join __ltr_lists_weighted_pairs{suffix} as n
                        on n.list = d.list
                    group by n.__ltr_key
                )"}' as map(varchar, varchar))[members[1]['row_source'] || ' ' || ['all', 'counted', 'judged', 'relevant'][list_min(list_transform(members, lambda m: list_position(['all', 'counted', 'judged', 'relevant'], m['reads'])))]], '{suffix}', b[len(members[1]['row_source']) + 1:]), '{windows}', coalesce(list_aggregate(list_sort(list_distinct(flatten(list_transform(members, lambda m: m['windows'])))), 'string_agg', ''), '')), '{values}', coalesce(list_aggregate(list_transform(members, lambda m: m['value']), 'string_agg', ''), '')), '{shared_ranks}', case when len(list_filter(members, lambda m: m['shared_ranks'] = 'false')) = 0 then 'true' else 'false' end), '{k}', case when len(list_filter(members, lambda m: m['cutoff'] is null)) > 0 then 'null' else cast(list_max(list_transform(members, lambda m: m['cutoff'])) as varchar) end)}], members[1]['placeholders']), lambda t, h: {'placeholder': '', 'text': replace(t['text'], h['placeholder'], h['text'])})['text']
            })[1]
        ), lambda b: b['text']), 'string_agg', ',' || chr(10))), '{joins}', coalesce(list_aggregate(list_transform(list_sort(list_distinct(list_transform(every, lambda m: m['block']))), lambda b: replace('
        left join __ltr_by_{block} as {block}
            on {block}.__ltr_key is not distinct from q.__ltr_key', '{block}', b)), 'string_agg', ''), '')), '{outputs}', coalesce(list_aggregate(list_transform(every, lambda m: m['output']), 'string_agg', ''), '')), '{documents}', case when list_contains(list_transform(every, lambda m: m['input']), 'covers') then '__ltr_graded' else '__ltr_rankings' end), '{keys}', '[' || coalesce(list_aggregate(list_transform(keys, lambda c: '''' || replace(replace(
            c,
            '{',
            case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
        ), '''', '''''') || ''''), 'string_agg', ', '), '') || ']::varchar[]'), '{relation}', replace(
            relation,
            '{',
            case when contains(relation, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
        ))), '{keys}', coalesce(list_aggregate(list_transform(list_transform(keys, lambda c: 'v."' || replace(replace(
            c,
            '{',
            case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
        ), '"', '""') || '"'), lambda c: c || ', '), 'string_agg', ''), '')), '{group_by}', case when len(keys) = 0 then '' else ' group by ' || coalesce(list_aggregate(list_transform(keys, lambda c: 'v."' || replace(replace(
            c,
            '{',
            case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
        ), '"', '""') || '"'), 'string_agg', ', '), '') end)
    )[1],
    chr(1),
    '{'
);
comment on macro ltr.measures_query is 'Returns the text of the query that ltr.per_query, ltr.evaluate and ltr.compare_rankings run. `relation` is SQL of rankings or of pairs of ranks, as it stands after the keyword FROM.';

create or replace macro ltr.per_query(rankings, measures, keys := []::varchar[], convention := null) as table
from query(ltr.measures_query('query_table(' || '''' || replace(ltr.__ltr_table(rankings), '''', '''''') || '''' || ')', false, measures, keys, false, convention));
comment on macro table ltr.per_query is 'Computes measures of rankings (query_id, rank, relevance, keys): one row for each query, with a column for each measure string.';

create or replace macro ltr.evaluate(rankings, measures, keys := []::varchar[], convention := null) as table
from query(ltr.measures_query('query_table(' || '''' || replace(ltr.__ltr_table(rankings), '''', '''''') || '''' || ')', false, measures, keys, true, convention));
comment on macro table ltr.evaluate is 'Averages measures of rankings (query_id, rank, relevance, keys) over queries: one row for each value of the keys, with the number of queries and a column for each measure string.';

create or replace macro ltr.compare_rankings(run_a, run_b, measures, ties := 'docid_desc', keys := []::varchar[]) as table
from query(ltr.measures_query(
    'ltr.pair(' || '''' || replace(run_a, '''', '''''') || '''' || ', ' || '''' || replace(run_b, '''', '''''') || '''' || ', ties := ' || '''' || replace(ties, '''', '''''') || ''''
        || ', keys := [' || coalesce(list_aggregate(list_transform(keys, lambda c: '''' || replace(c, '''', '''''') || ''''), 'string_agg', ', '), '') || ']::varchar[])',
    true,
    measures,
    keys,
    false,
    null
));
comment on macro table ltr.compare_rankings is 'Agreement of two runs. Reads query_id, doc_id, rank or score, and keys. Returns one row per query of either run, and one column per measure string. ties: tie-breaking rule for equal scores: ''docid_desc'' sorts by descending doc_id in byte order (trec_eval), ''docid_asc'' by ascending doc_id, ''docid_desc_float32'' by descending doc_id after rounding scores to single precision (trec_eval 9); ''row_order'' and ''rank'' sort by the column of that name, ascending; ''worst'' sorts by ascending grade, ''best'' by descending grade; ''expected'' gives tied documents the first of their ranks, as the expected_ measures require.';

create or replace macro ltr.explain(rankings, query, measure, keys := []::varchar[]) as table
from query(replace(
    list_transform(
        [ltr.__ltr_measures([measure], false, keys, null)[1]],
        lambda every: replace(replace(replace(replace(replace(list_reduce(list_concat([{'placeholder': '', 'text': replace(replace('with __ltr_given as (
            select
                struct_pack(*columns(case when len(list_filter([''query_id'', ''rank'', ''relevance''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))) > 0 then [array_to_string(list_filter([''query_id'', ''rank'', ''relevance''], lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n)), '', '') || '' (the input has '' || array_to_string(list_filter((*), lambda c: not starts_with(c, ''__ltr_'')), '', '') || ''; rename the column that holds it, or select it under that name)''] else list_filter((*), lambda c: lower(c) = ''query_id'' or list_contains({keys}, c)) end)) as __ltr_key,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''relevance'', ''doc_id'', ''subtopic''))) as struct(rank double, relevance double, doc_id varchar, subtopic varchar)) as __ltr_row
            from {relation} as j
            where cast(j.query_id as varchar) = ''{query}''
        ),
        __ltr_checked as (
            select
                r.__ltr_key
            from __ltr_given as r
            group by r.__ltr_key
            having ltr.__ltr_check_keys(struct_keys(r.__ltr_key), r.__ltr_key.query_id, {keys}) and case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error(''this measure needs one row per document, and the input has one per subtopic: group it by doc_id first'') end
                and case when count(r.__ltr_row.doc_id) = count(distinct r.__ltr_row.doc_id) then true else ltr.__ltr_reject_duplicate_document() end
        ),
        __ltr_orders as (
            select
                r.__ltr_key,
                ''ranking'' as kind,
                r.__ltr_row.rank as rank,
                r.__ltr_row.doc_id as doc_id,
                r.__ltr_row.relevance as relevance
            from __ltr_given as r
            join __ltr_checked as c
                on c.__ltr_key is not distinct from r.__ltr_key
            union all
            select
                r.__ltr_key,
                ''ideal'' as kind,
                case when r.relevance > 0 then r.ideal_rank end as rank,
                r.doc_id,
                r.relevance
            from (
                select
                    g.__ltr_key,
                    g.__ltr_row.doc_id as doc_id,
                    g.__ltr_row.relevance as relevance,
                    row_number() over (partition by g.__ltr_key order by g.__ltr_row.relevance desc nulls last, g.__ltr_row.rank asc nulls last, g.__ltr_row.doc_id asc nulls last) as ideal_rank
                from __ltr_given as g
            ) as r
        ),
        __ltr_prefixes as (
            select
                struct_pack(of := p.__ltr_key, kind := p.kind, rank := p.rank) as query_id,
                case when r.rank <= p.rank then r.rank end as rank,
                r.relevance
            from (
                select
                    d.__ltr_key,
                    d.kind,
                    d.rank
                from __ltr_orders as d
                where d.relevance > 0 and d.rank <= coalesce({cutoff}, d.rank)
                group by d.__ltr_key, d.kind, d.rank
            ) as p
            join __ltr_orders as r
                on r.__ltr_key is not distinct from p.__ltr_key and r.kind = p.kind
            where r.relevance is not null
        ),
        __ltr_values as (
            {measured}
        ),
        __ltr_ranks as (
            select
                d.__ltr_key,
                d.kind,
                d.rank,
                d.doc_id,
                d.relevance,
                {gain_of_document} as gain,
                v.{name} as value
            from __ltr_orders as d
            left join __ltr_values as v
                on v.query_id.of is not distinct from d.__ltr_key and v.query_id.kind = d.kind and v.query_id.rank = d.rank
            where d.rank <= coalesce({cutoff}, d.rank)
        ),
        __ltr_side_by_side as (
            select
                coalesce(r.__ltr_key, i.__ltr_key) as __ltr_key,
                coalesce(r.rank, i.rank) as rank,
                r.doc_id,
                r.relevance,
                r.gain,
                r.value,
                i.doc_id as ideal_doc_id,
                i.relevance as ideal_relevance,
                i.gain as ideal_gain,
                i.value as ideal_value
            from (
                select *
                from __ltr_ranks as s
                where s.kind = ''ranking''
            ) as r
            full join (
                select *
                from __ltr_ranks as s
                where s.kind = ''ideal''
            ) as i
                on i.__ltr_key is not distinct from r.__ltr_key and i.rank = r.rank
        ),
        __ltr_running as (
            select
                d.*,
                coalesce(last_value(d.value ignore nulls) over __ltr_so_far, 0) as running,
                coalesce(last_value(d.ideal_value ignore nulls) over __ltr_so_far, 0) as ideal_running
            from __ltr_side_by_side as d
            window __ltr_so_far as (
                partition by d.__ltr_key
                order by d.rank, d.doc_id
                rows between unbounded preceding and current row
            )
        )
        select
            unnest(d.__ltr_key),
            cast(d.rank as bigint) as rank,
            d.doc_id,
            d.relevance,
            d.gain,
            cast({discount_of_rank} as double) as discount,
            d.running - lag(d.running, 1, 0) over __ltr_down as contribution,
            d.running,
            d.ideal_doc_id,
            d.ideal_relevance,
            d.ideal_gain,
            d.ideal_running - lag(d.ideal_running, 1, 0) over __ltr_down as ideal_contribution,
            d.ideal_running
        from __ltr_running as d
        where (
            select case when count(*) > 0 then true else error(''the rankings do not contain this query: pass one of their query_ids'') end
            from __ltr_given as g
        )
        window __ltr_down as (
            partition by d.__ltr_key
            order by d.rank, d.doc_id
        )
        order by d.__ltr_key, d.rank, d.doc_id', '{gain_of_document}', every['texts']['gain']), '{discount_of_rank}', case when every['texts']['discount'] <> '' then every['texts']['discount'] else error('measure ''' || measure || ''' ' || 'has no per-rank breakdown: choose one of AP, BinG, Bpref, CG, DCG, ERR, FilteredDCG, G, GMAP, GMBpref, GradedRBP, infAP, nDCG, NumRelRet, P, PFound, PWA, R, RBP, RCap, Rprec, RprecMult, RR, Success') end)}], every['placeholders']), lambda t, h: {'placeholder': '', 'text': replace(t['text'], h['placeholder'], h['text'])})['text'], '{cutoff}', coalesce(cast(every['cutoff'] as varchar), 'null')), '{measured}', replace(
            ltr.measures_query('__ltr_prefixes', false, [measure], []::varchar[], false, null),
            '{',
            case when contains(ltr.measures_query('__ltr_prefixes', false, [measure], []::varchar[], false, null), chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
        )), '{keys}', '[' || coalesce(list_aggregate(list_transform(keys, lambda c: '''' || replace(replace(
            c,
            '{',
            case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
        ), '''', '''''') || ''''), 'string_agg', ', '), '') || ']::varchar[]'), '{relation}', replace(
            'query_table(' || '''' || replace(ltr.__ltr_table(rankings), '''', '''''') || '''' || ')',
            '{',
            case when contains('query_table(' || '''' || replace(ltr.__ltr_table(rankings), '''', '''''') || '''' || ')', chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
        )), '{query}', replace(replace(
            cast(query as varchar),
            '{',
            case when contains(cast(query as varchar), chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
        ), '''', ''''''))
    )[1],
    chr(1),
    '{'
));
comment on macro table ltr.explain is 'Explains the value of a measure for a query: one row for each rank, with the contribution of its document, next to the ideal ranking.';

create or replace macro ltr.measures() as table
select
    m.row.name,
    m.row.macro,
    m.row.parameters,
    m.row.aliases,
    m.row.summary,
    m.row.formula,
    m.row.range,
    m.row.reference
from (
    select unnest(cast('[{"name": "alpha_DCG", "macro": "alpha_dcg", "parameters": "k, alpha := 0.5, rel := 1", "aliases": "alpha-DCG", "summary": "DCG for diversity. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain.", "formula": "(sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / log2(i + 1)) / (|subtopics| sum over i <= k of (1 - alpha)^(i - 1) / log2(i + 1))", "range": "[0, 1]", "reference": "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation; ndeval alpha-DCG, which is not normalised at k = 1"}, {"name": "alpha_nDCG", "macro": "alpha_ndcg", "parameters": "k := null, alpha := 0.5, rel := 1", "aliases": "alpha-nDCG", "summary": "nDCG for diversity. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain.", "formula": "A / A of the greedy ideal ranking, A = sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / log2(i + 1)", "range": "[0, 1], or above 1 if the greedy ideal is not the best ranking", "reference": "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation; ndeval alpha-nDCG"}, {"name": "AP", "macro": "ap", "parameters": "k := null, rel := 1, divisor := ''relevant'', empty := ''0''", "aliases": "MAP, map_cut", "summary": "Average precision: the sum of the precision at each relevant document of the top k, divided by the number of relevant documents. The parameter divisor chooses another divisor.", "formula": "(1 / divisor) sum over relevant documents of rank i <= k of |relevant with rank <= i| / i, divisor = |relevant|, min(k, |relevant|) or |relevant in top k|", "range": "[0, 1]", "reference": "Harman 1992, Evaluation issues in information retrieval; trec_eval map, map_cut"}, {"name": "AP_IA", "macro": "ap_ia", "parameters": "k := null, rel := 1", "aliases": "AP-IA, MAP_IA, MAP-IA", "summary": "Intent-aware average precision: AP for each subtopic, averaged over the subtopics.", "formula": "(1 / |subtopics|) sum over subtopics s of AP@k with the documents that cover s as relevant", "range": "[0, 1]", "reference": "Agrawal et al. 2009, Diversifying search results; ndeval MAP-IA"}, {"name": "ARelPos", "macro": "arelpos", "parameters": "", "aliases": "", "summary": "Average relevance position: the mean rank of the retrieved documents, weighted by grade.", "formula": "(sum over ranks i of i relevance) / (sum of relevance) over retrieved documents; NULL if nothing relevant was retrieved", "range": "[1, inf), lower is better", "reference": "TF-Ranking ARPMetric"}, {"name": "AUC", "macro": "auc", "parameters": "rel := 1, empty := ''skip''", "aliases": "QueryAUC, roc_auc_score", "summary": "Area under the ROC curve: the share of (relevant, nonrelevant) document pairs that the ranking orders correctly. Only judged, retrieved documents count; a tie counts half.", "formula": "(pairs with the relevant document above + pairs at one rank / 2) / pairs; NULL without pairs", "range": "[0, 1]", "reference": "Hanley and McNeil 1982, The meaning and use of the area under a ROC curve; CatBoost QueryAUC type=Classic"}, {"name": "AUPRC", "macro": "auprc", "parameters": "rel := 1", "aliases": "PRAUC", "summary": "Area under the precision-recall curve by the trapezoidal rule. It is usually larger than AP. Tied documents count together. The precision at recall 0 is 1. Every retrieved document needs a row, judged or not.", "formula": "sum over ranks of (recall at the rank - recall above it) (precision at the rank + precision above it) / 2, where tied documents all take the last of their positions", "range": "[0, 1]", "reference": "Davis and Goadrich 2006, The relationship between precision-recall and ROC curves; scikit-learn auc of precision_recall_curve"}, {"name": "AverageGain", "macro": "average_gain", "parameters": "k := null", "aliases": "QueryAverage", "summary": "Mean grade of the top k, or of all retrieved documents if there are fewer.", "formula": "CG@k / min(k, n), n = |retrieved|", "range": "[0, inf)", "reference": "CatBoost AverageGain, QueryAverage"}, {"name": "AverageOverlap", "macro": "average_overlap", "parameters": "k := null", "aliases": "AO", "summary": "Average overlap: the overlap of the top d of two rankings, averaged over the depths d <= k. Tied documents are all in the top d if their rank is at most d.", "formula": "(1 / k) sum over d <= k of |in both top d| / size_d, size_d = mean of max(d, |top d of a|) and max(d, |top d of b|) (d without ties)", "range": "[0, 1], NULL if both are empty", "reference": "Fagin, Kumar and Sivakumar 2003, Comparing top k lists; Wu and Crestani 2003; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap"}, {"name": "BinG", "macro": "bin_g", "parameters": "rel := 1", "aliases": "", "summary": "Binary G: discounts each relevant document by the number of other documents above it that are not relevant.", "formula": "(1 / |relevant|) sum over relevant documents of rank i of 1 / log2(2 + i - |relevant in top i|)", "range": "[0, 1]", "reference": "trec_eval binG"}, {"name": "BPM", "macro": "bpm", "parameters": "k, T := 1, min_rel := 0, max_rel", "aliases": "", "summary": "Static bejeweled player model: the mean gain of the ranks viewed by a user who stops at a total gain of T or after k ranks.", "formula": "(gain of ranks 1 to m) / m, m = first rank with a total gain of at least T, or k if there is none", "range": "[0, 1]", "reference": "Zhang et al. 2017, Evaluating web search with a bejeweled player model; cwl_eval BPM-Static"}, {"name": "Bpref", "macro": "bpref", "parameters": "rel := 1", "aliases": "", "summary": "Binary preference: penalises judged nonrelevant documents ranked above relevant ones; unjudged documents are ignored.", "formula": "(1 / R) sum over relevant retrieved documents of 1 - min(|nonrelevant above|, R) / min(N, R), R = |relevant|, N = |judged nonrelevant|", "range": "[0, 1]", "reference": "Buckley and Voorhees 2004, Retrieval evaluation with incomplete information; trec_eval bpref"}, {"name": "CG", "macro": "cg", "parameters": "k := null", "aliases": "", "summary": "Cumulative gain: the sum of the grades in the top k.", "formula": "sum of relevance over ranks <= k", "range": "[0, inf)", "reference": "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques"}, {"name": "Compat", "macro": "compat", "parameters": "p := 0.95, depth := null, normalize := ''true''", "aliases": "", "summary": "Compatibility: the rank-biased overlap of the ranking with its ideal, as a share of the largest possible value.", "formula": "RBO(ranking, ideal) / RBO(ideal, ideal), RBO = (sum over d <= depth of p^(d - 1) overlap_d / d) / (sum over d <= depth of p^(d - 1)), overlap_d = |in both top d|", "range": "[0, 1]", "reference": "Clarke et al. 2021, Assessing top-k preferences; ir_measures Compat; the authors'' program (depth = 1000)"}, {"name": "CoverageError", "macro": "coverage_error", "parameters": "rel := 1", "aliases": "", "summary": "Coverage error: the depth at which all relevant documents are found. Judged documents that were not retrieved tie at the end of the ranking.", "formula": "largest rank of a relevant document, the last of the tied positions if others share it; n + |judged, not retrieved| if a relevant document was not retrieved, n = |retrieved|", "range": "[0, inf), lower is better", "reference": "Tsoumakas et al. 2010, Mining multi-label data; scikit-learn coverage_error"}, {"name": "DCG", "macro": "dcg", "parameters": "k := null, gain := ''linear'', discount := ''log2'', level := null", "aliases": "dcg_score, dcg_burges", "summary": "Discounted cumulative gain: the sum of the gains in the top k, each divided by log2(rank + 1), or by the rank.", "formula": "sum over ranks i <= k of gain / log2(i + 1)", "range": "[0, inf)", "reference": "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; Burges et al. 2005 (exponential gain)"}, {"name": "ERR", "macro": "err", "parameters": "k := null, max_grade, gain := ''exponential'', empty := ''0''", "aliases": "expected_reciprocal_rank", "summary": "Expected reciprocal rank of the document that satisfies a user who reads the ranking from the top.", "formula": "sum over ranks i <= k of (1 / i) s_i prod over j < i of (1 - s_j), s = (2^relevance - 1) / 2^max_grade, or relevance / max_grade with gain = ''linear''", "range": "[0, 1]", "reference": "Chapelle et al. 2009, Expected reciprocal rank for graded relevance; gdeval ERR (max_grade = 4); CatBoost ERR (max_grade = 1, gain = ''linear'')"}, {"name": "ERR_IA", "macro": "err_ia", "parameters": "k, alpha := 0.5, rel := 1", "aliases": "ERR-IA", "summary": "Intent-aware expected reciprocal rank. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain.", "formula": "(sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / i) / (|subtopics| sum over i <= k of (1 - alpha)^(i - 1) / i)", "range": "[0, 1]", "reference": "Chapelle et al. 2009, Expected reciprocal rank for graded relevance; ndeval ERR-IA, which is not normalised at k = 1"}, {"name": "expected_AP", "macro": "expected_ap", "parameters": "k := null, rel := 1, empty := ''0''", "aliases": "", "summary": "Expected AP over all orders of tied documents. Every retrieved document needs a row, judged or not.", "formula": "(1 / |relevant|) sum over groups of tied documents, and over i <= n with t + i <= k, of (r / n) (a + 1 + (i - 1) (r - 1) / (n - 1)) / (t + i); the group has n documents, r of them relevant; t documents are above it, a of them relevant", "range": "[0, 1]", "reference": "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"}, {"name": "expected_nDCG", "macro": "expected_ndcg", "parameters": "k := null, gain := ''linear'', discount := ''log2'', ideal := ''cut'', empty := ''0'', level := null", "aliases": "", "summary": "Expected nDCG over all orders of tied documents. Every retrieved document needs a row, judged or not.", "formula": "(sum over positions i <= k of g_i / log2(i + 1)) / IDCG@k, g_i = mean gain of the documents tied at position i", "range": "[0, 1]", "reference": "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores; scikit-learn ndcg_score"}, {"name": "expected_P", "macro": "expected_p", "parameters": "k, rel := 1", "aliases": "", "summary": "Expected P over all orders of tied documents. Every retrieved document needs a row, judged or not.", "formula": "(sum over positions i <= k of the share of relevant documents among those tied at position i) / k", "range": "[0, 1]", "reference": "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"}, {"name": "expected_R", "macro": "expected_r", "parameters": "k := null, rel := 1, empty := ''0''", "aliases": "", "summary": "Expected R over all orders of tied documents. Every retrieved document needs a row, judged or not.", "formula": "(sum over positions i <= k of the share of relevant documents among those tied at position i) / |relevant|", "range": "[0, 1]", "reference": "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"}, {"name": "expected_RR", "macro": "expected_rr", "parameters": "k := null, rel := 1", "aliases": "", "summary": "Expected RR over all orders of tied documents. Every retrieved document needs a row, judged or not.", "formula": "sum over i with t + i <= k of C(n - i, r - 1) / C(n, r) / (t + i); the first group of tied documents with a relevant one has n documents, r of them relevant, and t documents above it", "range": "[0, 1]", "reference": "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"}, {"name": "expected_Success", "macro": "expected_success", "parameters": "k := null, rel := 1", "aliases": "", "summary": "Expected Success over all orders of tied documents. Every retrieved document needs a row, judged or not.", "formula": "1 - C(n - r, k - t) / C(n, k - t), or 1 if t + n <= k; the first group of tied documents with a relevant one has n documents, r of them relevant, and t documents above it", "range": "[0, 1]", "reference": "McSherry and Najork 2008, Computing information retrieval performance measures efficiently in the presence of tied scores"}, {"name": "F1", "macro": "f1", "parameters": "k, rel := 1", "aliases": "", "summary": "Harmonic mean of precision and recall at k.", "formula": "2 P@k R@k / (P@k + R@k), 0 if both are 0", "range": "[0, 1]", "reference": "van Rijsbergen 1979, Information Retrieval"}, {"name": "FaginK", "macro": "fagin_k", "parameters": "k := null, p := 0.5", "aliases": "", "summary": "Kendall distance of two top-k lists, over the documents in the top k of either. Documents that a list lacks tie at its end; a pair tied in only one list counts p.", "formula": "discordant pairs + p |pairs tied in only one list|", "range": "[0, n (n - 1) / 2] for n documents; k^2 + p k (k - 1) for two disjoint lists of k", "reference": "Fagin, Kumar and Sivakumar 2003, Comparing top k lists; Fagin, Kumar, Mahdian, Sivakumar and Vee 2006, Comparing partial rankings"}, {"name": "FilteredDCG", "macro": "filtered_dcg", "parameters": "k := null, gain := ''linear''", "aliases": "", "summary": "DCG with the discount 1 / rank. CatBoost''s value requires a ranking without the documents that have a negative score.", "formula": "sum over ranks i <= k of gain / i", "range": "[0, inf)", "reference": "CatBoost FilteredDCG"}, {"name": "Footrule", "macro": "footrule", "parameters": "k := null, location := null", "aliases": "", "summary": "Spearman''s footrule: the sum of absolute rank differences between two rankings, over the documents in the top k of either. A document that a ranking lacks gets the rank that the parameter location sets.", "formula": "sum of |rank_a - rank_b|", "range": "[0, k (k + 1)] with location k + 1", "reference": "Diaconis and Graham 1977, Spearman''s footrule as a measure of disarray; Fagin, Kumar and Sivakumar 2003, Comparing top k lists"}, {"name": "G", "macro": "g", "parameters": "", "aliases": "", "summary": "Gains discounted by how far the ranking lags behind the ideal ranking, as a share of all gains.", "formula": "(sum over ranks i of gain / log2(2 + cost_i - cg_i)) / sum of all gains, cost_i = sum over ideal ranks j <= i of max(ideal gain, 1), cg_i = sum of the gains of ranks j <= i", "range": "[0, 1]", "reference": "trec_eval G"}, {"name": "Gamma", "macro": "gamma", "parameters": "k := null", "aliases": "GoodmanKruskal", "summary": "Goodman and Kruskal''s gamma of two rankings, over the documents in the top k of both. Pairs tied in either ranking do not count.", "formula": "(C - D) / (C + D), C = concordant pairs, D = discordant pairs", "range": "[-1, 1], NULL if no pair is untied in both", "reference": "Goodman and Kruskal 1954, Measures of association for cross classifications"}, {"name": "GMAP", "macro": "gmap", "parameters": "rel := 1", "aliases": "gm_map", "summary": "Average precision, averaged over queries by the geometric mean.", "formula": "AP; over queries exp(mean of ln max(AP, 0.00001))", "range": "[0, 1]", "reference": "Robertson 2006, On GMAP: and other transformations; trec_eval gm_map"}, {"name": "GMBpref", "macro": "gmbpref", "parameters": "rel := 1", "aliases": "gm_bpref", "summary": "Bpref, averaged over queries by the geometric mean.", "formula": "Bpref; over queries exp(mean of ln max(Bpref, 0.00001))", "range": "[0, 1]", "reference": "Robertson 2006, On GMAP: and other transformations; trec_eval gm_bpref"}, {"name": "GradedAP", "macro": "graded_ap", "parameters": "k := null, gain := ''linear''", "aliases": "GAP", "summary": "Graded average precision: the expected AP for a user whose smallest useful grade is unknown. Linear gains make all grades equally probable. For binary grades it equals AP.", "formula": "sum over documents of rank i <= k of (1 / i) sum over documents of rank j <= i of min(gain_i, gain_j), divided by the sum of the gains of all documents; grades below 0 have the gain 0", "range": "[0, 1]", "reference": "Robertson, Kanoulas and Yilmaz 2010, Extending average precision to graded relevance judgments"}, {"name": "GradedRBP", "macro": "graded_rbp", "parameters": "k := null, p := 0.9, unit, level := null", "aliases": "", "summary": "Rank-biased precision of graded documents: the expected gain per viewed rank of a user who continues to the next rank with probability p.", "formula": "(1 - p) sum over ranks i <= k of (relevance / unit) p^(i - 1)", "range": "[0, largest grade / unit]", "reference": "Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness; ranx rbp (unit = 1)"}, {"name": "IDCG", "macro": "idcg", "parameters": "k := null, gain := ''linear'', discount := ''log2'', level := null", "aliases": "ideal_dcg", "summary": "DCG of the ideal ranking: all judged documents of the query, retrieved or not, by descending grade.", "formula": "sum over ideal ranks i <= k of gain / log2(i + 1)", "range": "[0, inf)", "reference": "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques"}, {"name": "infAP", "macro": "infap", "parameters": "rel := 1", "aliases": "", "summary": "Inferred average precision: AP estimated from a sample of judgments.", "formula": "(1 / |relevant|) sum over relevant documents of rank i of (1 + (a + b + p) (a + e) / (a + b + 2 e)) / i; above rank i there are a relevant, b nonrelevant and p negatively graded documents; e = 0.00001", "range": "[0, 1]", "reference": "Yilmaz and Aslam 2006, Estimating average precision with incomplete and imperfect judgments; trec_eval infAP"}, {"name": "INSQ", "macro": "insq", "parameters": "k := 1000, T := 1, min_rel := 0, max_rel", "aliases": "", "summary": "INSQ: the expected gain per viewed rank of a user who wants a total gain of T and continues more readily at deeper ranks.", "formula": "(sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i ((i + 2T - 1) / (i + 2T))^2", "range": "[0, 1]", "reference": "Moffat et al. 2012, Models and metrics: IR evaluation as a user process; cwl_eval INSQ-T (k = 1000)"}, {"name": "INST", "macro": "inst", "parameters": "k := 1000, T := 1, min_rel := 0, max_rel", "aliases": "", "summary": "INST: the expected gain per viewed rank of a user who wants a total gain of T. The user continues more readily at deeper ranks and while more gain is missing.", "formula": "(sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i ((i + T + T_i - 1) / (i + T + T_i))^2, T_i = T - gain of ranks 1 to i", "range": "[0, 1]", "reference": "Moffat et al. 2015, INST: an adaptive metric for information retrieval evaluation; cwl_eval INST-T (k = 1000)"}, {"name": "IPrec", "macro": "iprec", "parameters": "recall, rounding := ''te10'', rel := 1", "aliases": "iprec_at_recall", "summary": "Interpolated precision: the largest precision at any rank that reaches a level of recall.", "formula": "max of P@i over ranks i with |relevant in top i| >= c, c = recall |relevant| rounded (te10), or floor(recall |relevant| + 0.9) (te9)", "range": "[0, 1]", "reference": "Salton and McGill 1983, Introduction to Modern Information Retrieval; trec_eval iprec_at_recall"}, {"name": "IPrecAvg", "macro": "iprec_avg", "parameters": "rounding := ''te10'', rel := 1", "aliases": "11pt_avg", "summary": "Interpolated precision, averaged over the eleven recall levels 0, 0.1, ..., 1.", "formula": "mean of IPrec@x over x = 0, 0.1, ..., 1", "range": "[0, 1]", "reference": "Salton and McGill 1983, Introduction to Modern Information Retrieval; trec_eval 11pt_avg"}, {"name": "Jaccard", "macro": "jaccard", "parameters": "k := null", "aliases": "", "summary": "Jaccard index of the top k of two rankings.", "formula": "|in both top k| / |in either top k|", "range": "[0, 1], NULL if both are empty", "reference": "Jaccard 1912, The distribution of the flora in the alpine zone"}, {"name": "Judged", "macro": "judged", "parameters": "k := null", "aliases": "judged_cut", "summary": "Share of judged documents in the top k; a negative grade counts as judged.", "formula": "|judged in top k, negative grades included| / min(k, n), n = |retrieved|", "range": "[0, 1]", "reference": "ir_measures Judged; trec_eval judged"}, {"name": "KendallDistance", "macro": "kendall_distance", "parameters": "k := null, scale := ''share''", "aliases": "", "summary": "Share or number of document pairs that two rankings order differently, over the documents in the top k of both.", "formula": "discordant pairs / (n (n - 1) / 2), or discordant pairs with scale = ''count''; n = |documents in both|", "range": "[0, 1] or a number of pairs, NULL if n < 2", "reference": "Kendall 1938, A new measure of rank correlation; Fagin, Kumar and Sivakumar 2003, Comparing top k lists"}, {"name": "KendallTau", "macro": "kendall_tau", "parameters": "k := null, variant := ''b''", "aliases": "", "summary": "Kendall''s tau of two rankings, over the documents in the top k of both. The default is tau-b.", "formula": "variant a: (C - D) / pairs; b: (C - D) / sqrt((pairs - pairs tied in a) (pairs - pairs tied in b)); c: (C - D) / (n^2 (m - 1) / (2 m)); C = concordant pairs, D = discordant pairs, m = smaller number of distinct ranks", "range": "[-1, 1], NULL if n < 2 or, for b and c, a ranking ties all documents", "reference": "Kendall 1945, The treatment of ties in ranking problems; Stuart 1953; scipy.stats.kendalltau"}, {"name": "LRAP", "macro": "lrap", "parameters": "rel := 1", "aliases": "label_ranking_average_precision_score", "summary": "Label ranking average precision: the mean precision at the relevant documents. Tied documents all take the last of their positions.", "formula": "(1 / |relevant|) sum over relevant retrieved documents of |relevant at their rank or above| / last position of their rank; 1 if nothing is relevant", "range": "[0, 1]", "reference": "Tsoumakas et al. 2010, Mining multi-label data; scikit-learn label_ranking_average_precision_score"}, {"name": "NCRR", "macro": "ncrr", "parameters": "k := null, rel := 1", "aliases": "", "summary": "Normalised cumulative reciprocal rank: the sum of 1 / rank over the relevant documents of the top k, divided by that of the ideal ranking.", "formula": "(sum over relevant documents of rank i <= k of 1 / i) / (sum over i <= min(k, n, |relevant|) of 1 / i), n = |retrieved|", "range": "[0, 1]", "reference": "cornac NCRR"}, {"name": "nDCG", "macro": "ndcg", "parameters": "k := null, gain := ''linear'', discount := ''log2'', ideal := ''cut'', empty := ''0'', level := null", "aliases": "ndcg_cut, ndcg_score, ndcg_burges", "summary": "Normalised discounted cumulative gain: DCG divided by the DCG of the ideal ranking.", "formula": "DCG@k / IDCG@k, or DCG@k / IDCG with ideal = ''whole''", "range": "[0, 1]", "reference": "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; trec_eval ndcg, ndcg_cut"}, {"name": "nDCG_rel", "macro": "ndcg_rel", "parameters": "", "aliases": "", "summary": "nDCG at the rank of each relevant document, averaged. A document that was not retrieved counts with the nDCG of the whole ranking.", "formula": "mean over documents with relevance > 0 of DCG@i / IDCG@i, i = rank of the document; DCG / IDCG if it was not retrieved", "range": "[0, 1]", "reference": "trec_eval ndcg_rel"}, {"name": "NERR10", "macro": "nerr10", "parameters": "k := 1000, p := 0.9, min_rel := 0, max_rel", "aliases": "", "summary": "Normalised expected reciprocal rank, equation 10: the expected gain per viewed rank of a user who stops when satisfied, and otherwise continues with probability p.", "formula": "(sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i (1 - gain_i) p", "range": "[0, 1]", "reference": "Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq10 (k = 1000)"}, {"name": "NERR11", "macro": "nerr11", "parameters": "k := 1000, T := 1, min_rel := 0, max_rel", "aliases": "", "summary": "Normalised expected reciprocal rank, equation 11: the expected gain per viewed rank of a user who stops when satisfied, and otherwise continues as in INSQ.", "formula": "(sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i (1 - gain_i) ((i + 2T - 1) / (i + 2T))^2", "range": "[0, 1]", "reference": "Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq11 (k = 1000)"}, {"name": "NERR8", "macro": "nerr8", "parameters": "k, min_rel := 0, max_rel", "aliases": "", "summary": "Normalised expected reciprocal rank, equation 8: the expected gain per viewed rank of a user who stops when a document satisfies them.", "formula": "(sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i (1 - gain_i)", "range": "[0, 1]", "reference": "Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq8"}, {"name": "NERR9", "macro": "nerr9", "parameters": "k, min_rel := 0, max_rel", "aliases": "", "summary": "Normalised expected reciprocal rank, equation 9: the expected gain per viewed rank of a user who stops when satisfied, and otherwise continues more readily at deeper ranks.", "formula": "(sum over ranks i <= k of V_i gain_i) / (sum over i <= k of V_i), V_1 = 1, V_(i+1) = V_i (1 - gain_i) i / (i + 1)", "range": "[0, 1]", "reference": "Azzopardi et al. 2021, ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics; cwl_eval NERR-eq9"}, {"name": "nERR_IA", "macro": "nerr_ia", "parameters": "k := null, alpha := 0.5, rel := 1", "aliases": "nERR-IA", "summary": "Intent-aware expected reciprocal rank, divided by its value for the greedy ideal ranking.", "formula": "E / E of the greedy ideal ranking, E = sum over ranks i <= k of (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|) / i", "range": "[0, 1], or above 1 if the greedy ideal is not the best ranking", "reference": "Chapelle et al. 2009, Expected reciprocal rank for graded relevance; ndeval nERR-IA"}, {"name": "nNRBP", "macro": "nnrbp", "parameters": "alpha := 0.5, beta := 0.5, rel := 1", "aliases": "", "summary": "Novelty- and rank-biased precision, divided by its value for the greedy ideal ranking.", "formula": "N / N of the greedy ideal ranking, N = sum over ranks i of beta^(i - 1) (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|)", "range": "[0, 1], or above 1 if the greedy ideal is not the best ranking", "reference": "Clarke, Kolla and Vechtomova 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval nNRBP"}, {"name": "NRBP", "macro": "nrbp", "parameters": "alpha := 0.5, beta := 0.5, rel := 1", "aliases": "", "summary": "Novelty- and rank-biased precision: RBP for diversity. A document has a gain for each subtopic that it covers. Each higher-ranked document that covers the subtopic reduces this gain.", "formula": "((1 - (1 - alpha) beta) / |subtopics|) sum over ranks i of beta^(i - 1) (sum over subtopics s of the document at rank i of (1 - alpha)^|documents above that cover s|)", "range": "[0, 1]", "reference": "Clarke, Kolla and Vechtomova 2009, An effectiveness measure for ambiguous and underspecified queries; ndeval NRBP"}, {"name": "NumNonrelJudgedRet", "macro": "num_nonrel_judged_ret", "parameters": "rel := 1", "aliases": "", "summary": "Number of retrieved documents that are judged nonrelevant.", "formula": "|retrieved with 0 <= relevance < rel|", "range": "[0, inf)", "reference": "trec_eval num_nonrel_judged_ret"}, {"name": "NumQ", "macro": "num_q", "parameters": "", "aliases": "", "summary": "Number of queries: 1 for each query, summed over queries.", "formula": "1", "range": "1", "reference": "trec_eval num_q"}, {"name": "NumRel", "macro": "num_rel", "parameters": "rel := 1", "aliases": "", "summary": "Number of relevant documents of the query, retrieved or not.", "formula": "R = |relevant|", "range": "[0, inf)", "reference": "trec_eval num_rel"}, {"name": "NumRelRet", "macro": "num_rel_ret", "parameters": "k := null, rel := 1", "aliases": "hits", "summary": "Number of relevant documents in the top k.", "formula": "H = |relevant in top k|", "range": "[0, inf)", "reference": "trec_eval num_rel_ret; ranx hits"}, {"name": "NumRet", "macro": "num_ret", "parameters": "k := null", "aliases": "", "summary": "Number of retrieved documents in the top k, judged or not.", "formula": "min(k, n), n = |retrieved|", "range": "[0, inf)", "reference": "trec_eval num_ret"}, {"name": "OPA", "macro": "opa", "parameters": "tied := 0, empty := ''skip''", "aliases": "", "summary": "Ordered pair accuracy: the share of pairs of documents with different grades that the ranking orders correctly. Only judged, retrieved documents count.", "formula": "(pairs with the higher grade above + tied * |pairs at one rank|) / pairs of different grades; NULL without pairs", "range": "[0, 1]", "reference": "TF-Ranking OPAMetric; CatBoost QueryAUC type=Ranking (tied = 0.5)"}, {"name": "Overlap", "macro": "overlap", "parameters": "k := null", "aliases": "", "summary": "Share of the top k that two rankings have in common. The divisor is k even if the rankings are shorter, and larger if ties make the top k larger.", "formula": "|in both top k| / size, size = mean of max(k, |top k of a|) and max(k, |top k of b|) (k without ties)", "range": "[0, 1], NULL if both are empty", "reference": "Wu and Crestani 2003, Methods for ranking information retrieval systems without relevance judgments; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap"}, {"name": "P", "macro": "p", "parameters": "k, rel := 1", "aliases": "Precision", "summary": "Precision: the share of relevant documents in the top k. The divisor is k even if fewer documents were retrieved.", "formula": "|relevant in top k| / k", "range": "[0, 1]", "reference": "van Rijsbergen 1979, Information Retrieval; trec_eval P"}, {"name": "P_IA", "macro": "p_ia", "parameters": "k, rel := 1", "aliases": "P-IA", "summary": "Intent-aware precision: P for each subtopic, averaged over the subtopics.", "formula": "(sum over ranks <= k of |subtopics of the document|) / (k |subtopics|)", "range": "[0, 1]", "reference": "Agrawal et al. 2009, Diversifying search results; ndeval P-IA"}, {"name": "PairAccuracy", "macro": "pair_accuracy", "parameters": "k := null, rel := 1", "aliases": "", "summary": "Share of (relevant, other) document pairs in the top k that the ranking orders correctly.", "formula": "1 - (sum over relevant documents of rank i <= k of (i - |relevant with rank <= i|)) / (|relevant in top k| (min(k, n) - |relevant in top k|)), n = |retrieved|; NULL without such a pair", "range": "[0, 1]", "reference": "ir_measures Accuracy; without k the area under the ROC curve of the ranking"}, {"name": "Pearson", "macro": "pearson", "parameters": "k := null", "aliases": "PearsonR", "summary": "Pearson correlation of the scores of two rankings, over the documents in the top k of both.", "formula": "cov(score_a, score_b) / sqrt(var(score_a) var(score_b))", "range": "[-1, 1], NULL if n < 2 or all scores of a ranking are equal", "reference": "Pearson 1895, Notes on regression and inheritance in the case of two parents; scipy.stats.pearsonr"}, {"name": "PFound", "macro": "pfound", "parameters": "k := null, max_grade, decay := 0.85", "aliases": "", "summary": "Probability that the user finds a satisfying document. After an unsatisfying document, the user continues with the probability `decay`.", "formula": "sum over ranks i <= k of s_i decay^(i - 1) prod over j < i of (1 - s_j), s = relevance / max_grade", "range": "[0, 1]", "reference": "Yandex pFound, Gulin et al. 2009; CatBoost PFound (max_grade = 1)"}, {"name": "PrecisionAt", "macro": "precision_at", "parameters": "k := null, rel := 1", "aliases": "pre", "summary": "Share of relevant documents in the top k, or among all retrieved documents if there are fewer.", "formula": "|relevant in top k| / min(k, n), n = |retrieved|", "range": "[0, 1]", "reference": "CatBoost PrecisionAt; XGBoost pre"}, {"name": "PWA", "macro": "pwa", "parameters": "k", "aliases": "", "summary": "Position-weighted average: the mean grade of the top k, weighted by 1 / rank.", "formula": "(sum over ranks i <= k of relevance / i) / (sum over i <= k of 1 / i); a user continues from rank i with probability i / (i + 1)", "range": "[0, inf)", "reference": "TF-Ranking PWAMetric"}, {"name": "R", "macro": "r", "parameters": "k := null, rel := 1, empty := ''0''", "aliases": "Recall, RecallAt, SetR, set_recall", "summary": "Recall: the share of the query''s relevant documents, retrieved or not, that are in the top k.", "formula": "|relevant in top k| / |relevant|", "range": "[0, 1]", "reference": "van Rijsbergen 1979, Information Retrieval; trec_eval recall"}, {"name": "RankingLoss", "macro": "ranking_loss", "parameters": "rel := 1, tied := 0", "aliases": "label_ranking_loss", "summary": "Share of (relevant, nonrelevant) document pairs that the ranking orders incorrectly. Only judged, retrieved documents count.", "formula": "(pairs with the nonrelevant document above + (1 - tied) * |pairs at one rank|) / pairs; 0 without pairs", "range": "[0, 1], lower is better", "reference": "Tsoumakas et al. 2010, Mining multi-label data; scikit-learn label_ranking_loss"}, {"name": "RBO", "macro": "rbo", "parameters": "k := null, p := 0.9, kind := ''ext'', ties := ''w''", "aliases": "", "summary": "Rank-biased overlap: the agreement of the top d of two rankings, averaged over all depths d with weights that decrease as p^d. The rankings may differ in documents and length.", "formula": "((1 - p) / p) sum over depths d of A_d p^d, A_d = |in both top d| / d; kind sets A_d beyond the end of the shorter ranking s and of the longer ranking l", "range": "[0, 1], NULL if both are empty or p is not between 0 and 1", "reference": "Webber, Moffat and Zobel 2010, A similarity measure for indefinite rankings; Corsi and Urbano 2024, The treatment of ties in rank-biased overlap"}, {"name": "RBP", "macro": "rbp", "parameters": "k := null, p := 0.9, rel := 1", "aliases": "", "summary": "Rank-biased precision: the expected share of relevant documents among those viewed by a user who continues to the next rank with probability p.", "formula": "(1 - p) sum over relevant documents of rank i <= k of p^(i - 1)", "range": "[0, 1]", "reference": "Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness; trec_eval rbp"}, {"name": "RBPResid", "macro": "rbp_resid", "parameters": "p := 0.9", "aliases": "", "summary": "Residual of RBP: the increase if all unjudged documents were relevant, including those beyond the last rank. It is 0 if every retrieved document is judged.", "formula": "(1 - p) (sum over ranks i <= n without a grade >= 0 of p^(i - 1)) + p^n, n = |retrieved|; 0 if there is no such rank", "range": "[0, 1]", "reference": "Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval effectiveness; trec_eval rbp_resid"}, {"name": "RCap", "macro": "rcap", "parameters": "k, rel := 1", "aliases": "relative_P, R_cap", "summary": "Capped recall: the number of relevant documents in the top k, divided by the largest number that the top k can hold.", "formula": "|relevant in top k| / min(|relevant|, k)", "range": "[0, 1]", "reference": "trec_eval relative_P; R_cap of BEIR"}, {"name": "RnDCG", "macro": "rndcg", "parameters": "", "aliases": "", "summary": "Mean nDCG over one cutoff per positive grade: the last position of the grade in the ideal ranking. If the ranking is at least two documents longer than the ideal ranking, the mean includes the nDCG of the whole ranking.", "formula": "mean over grades > 0 of DCG@c / IDCG@c, c = |documents of that grade or above|, and of DCG / IDCG if n >= R + 2, n = |retrieved|, R = |documents of a grade > 0|", "range": "[0, 1]", "reference": "trec_eval Rndcg"}, {"name": "Rprec", "macro": "rprec", "parameters": "rel := 1", "aliases": "R-Precision, r_precision", "summary": "R-precision: the precision at rank R, the number of relevant documents.", "formula": "|relevant in top R| / R, R = |relevant|", "range": "[0, 1]", "reference": "trec_eval Rprec"}, {"name": "RprecMult", "macro": "rprec_mult", "parameters": "multiple, rel := 1", "aliases": "", "summary": "Precision at a multiple of the number of relevant documents.", "formula": "|relevant in top c| / c, c = floor(multiple |relevant| + 0.9)", "range": "[0, 1]", "reference": "trec_eval Rprec_mult"}, {"name": "RR", "macro": "rr", "parameters": "k := null, rel := 1", "aliases": "MRR, recip_rank", "summary": "Reciprocal rank of the first relevant document in the top k.", "formula": "1 / rank of the first relevant document, 0 if none is in the top k", "range": "[0, 1]", "reference": "Kantor and Voorhees 2000, The TREC-5 confusion track; trec_eval recip_rank"}, {"name": "SDCG", "macro": "sdcg", "parameters": "k, min_rel := 0, max_rel", "aliases": "", "summary": "Scaled DCG: DCG divided by the DCG of k documents with the largest gain.", "formula": "(sum over ranks i <= k of gain / log2(i + 1)) / (sum over i <= k of 1 / log2(i + 1)); a user continues from rank i with probability log2(i + 1) / log2(i + 2)", "range": "[0, 1]", "reference": "Moffat and Zobel 2008, Rank-biased precision; cwl_eval SDCG-k"}, {"name": "SetAP", "macro": "set_ap", "parameters": "rel := 1", "aliases": "set_map", "summary": "Precision of all retrieved documents, multiplied by their recall.", "formula": "SetP SetR = |relevant and retrieved|^2 / (|retrieved| |relevant|)", "range": "[0, 1]", "reference": "trec_eval set_map"}, {"name": "SetF", "macro": "set_f", "parameters": "beta_squared := 1, rel := 1", "aliases": "F1 without a cutoff", "summary": "Weighted harmonic mean of the precision and recall of all retrieved documents.", "formula": "(1 + b) SetP SetR / (b SetP + SetR), b = beta_squared; 0 if nothing relevant was retrieved", "range": "[0, 1]", "reference": "van Rijsbergen 1979, Information Retrieval; trec_eval set_F"}, {"name": "SetP", "macro": "set_p", "parameters": "rel := 1", "aliases": "Precision without a cutoff", "summary": "Share of relevant documents among all retrieved documents.", "formula": "|relevant and retrieved| / |retrieved|", "range": "[0, 1]", "reference": "van Rijsbergen 1979, Information Retrieval; trec_eval set_P"}, {"name": "SetRelativeP", "macro": "set_relative_p", "parameters": "rel := 1", "aliases": "SetRelP", "summary": "Number of relevant retrieved documents, divided by the largest number that a retrieved set of this size can contain.", "formula": "|relevant and retrieved| / min(|retrieved|, |relevant|)", "range": "[0, 1]", "reference": "trec_eval set_relative_P"}, {"name": "SomersD", "macro": "somers_d", "parameters": "k := null", "aliases": "", "summary": "Somers'' D of ranking b given ranking a, over the documents in the top k of both. Pairs tied in a do not count.", "formula": "(C - D) / (pairs - pairs tied in a), C = concordant pairs, D = discordant pairs", "range": "[-1, 1], NULL if n < 2 or a ranking ties all documents", "reference": "Somers 1962, A new asymmetric measure of association for ordinal variables; scipy.stats.somersd"}, {"name": "Spearman", "macro": "spearman", "parameters": "k := null", "aliases": "SpearmanRho", "summary": "Spearman''s rho: the Pearson correlation of the average ranks in two rankings, over the documents in the top k of both.", "formula": "cov(rank_a, rank_b) / sqrt(var(rank_a) var(rank_b))", "range": "[-1, 1], NULL if n < 2 or a ranking ties all documents", "reference": "Spearman 1904, The proof and measurement of association between two things; scipy.stats.spearmanr"}, {"name": "StRecall", "macro": "strecall", "parameters": "k := null, rel := 1", "aliases": "strec, S-recall, subtopic_recall", "summary": "Subtopic recall: the share of subtopics that the top k covers.", "formula": "|subtopics of documents in the top k| / |subtopics|", "range": "[0, 1]", "reference": "Zhai, Cohen and Lafferty 2003, Beyond independent relevance; ndeval strec"}, {"name": "Success", "macro": "success", "parameters": "k := null, rel := 1", "aliases": "Accuracy, HR, Hit, hit_rate, HitRate", "summary": "1 if a relevant document is in the top k, else 0.", "formula": "1 if a relevant document has rank <= k, else 0", "range": "0 or 1", "reference": "trec_eval success; Accuracy@k of sentence retrieval"}, {"name": "TauAP", "macro": "tau_ap", "parameters": "k := null, variant := ''a''", "aliases": "", "summary": "Top-weighted AP correlation of two rankings, over the documents in the top k of both. For each document, the measure takes the share of documents above it in ranking a that are also above it in ranking b. It averages these shares and scales the mean to [-1, 1].", "formula": "variant a: 2 / (n - 1) (sum over documents of rank i > 1 in ranking a of C_i / (i - 1)) - 1, C_i = number of documents above this document in both rankings, averaged over orders of documents tied in a; b: 2 / m (sum over documents with others above of C / |above|) - 1, m = number of these documents, averaged over both directions", "range": "[-1, 1], NULL if n < 2 or a ranking ties all documents", "reference": "Yilmaz, Aslam and Robertson 2008, A new rank correlation coefficient for information retrieval; Urbano and Marrero 2017, The treatment of ties in AP correlation"}, {"name": "ThresholdAP", "macro": "threshold_ap", "parameters": "rel := 1", "aliases": "average_precision_score", "summary": "Average precision over thresholds of the score: tied documents count together, at the last of their positions. Without ties it equals AP. Every retrieved document needs a row, judged or not.", "formula": "sum over ranks of (recall at the rank - recall above it) |relevant at the rank or above| / last position of the rank", "range": "[0, 1]", "reference": "scikit-learn average_precision_score; torchmetrics BinaryAveragePrecision"}, {"name": "Unj", "macro": "unj", "parameters": "k", "aliases": "", "summary": "Share of unjudged documents in the top k; a negative grade counts as unjudged.", "formula": "|retrieved in top k without a grade >= 0| / k", "range": "[0, 1], lower is better", "reference": "trec_eval unj"}, {"name": "Utility", "macro": "utility", "parameters": "rel_ret := 1, nonrel_ret := -1, rel_missed := 0, nonrel_missed := 0, collection_size := 0, rel := 1", "aliases": "", "summary": "Weighted sum of the numbers of relevant and nonrelevant documents, retrieved or missed.", "formula": "rel_ret H + nonrel_ret (n - H) + rel_missed (R - H) + nonrel_missed (collection_size + H - n - R), H = |relevant and retrieved|, n = |retrieved|, R = |relevant|", "range": "(-inf, inf)", "reference": "trec_eval utility"}, {"name": "WeightedTau", "macro": "weighted_tau", "parameters": "k := null, weights := ''additive''", "aliases": "", "summary": "Kendall''s tau-b with top-weighted pairs, over the documents in the top k of both rankings.", "formula": "tau-b with pair weights w_x + w_y or w_x w_y, w = 1 / rank, averaged over the ranks in a and in b", "range": "[-1, 1], NULL if n < 2 or a ranking ties all documents", "reference": "Vigna 2015, A weighted correlation index for rankings with ties; scipy.stats.weightedtau"}, {"name": "YAAP", "macro": "yaap", "parameters": "rel := 1", "aliases": "", "summary": "Yet another average precision: AP as the logarithm of an odds ratio.", "formula": "ln((1 + S) / (1 + R - S)), S = R AP, R = |relevant|", "range": "(-inf, inf), 0 if nothing is relevant", "reference": "Robertson 2012, On smoothing average precision; trec_eval yaap"}]' as struct("name" varchar, "macro" varchar, "parameters" varchar, "aliases" varchar, "summary" varchar, "formula" varchar, "range" varchar, "reference" varchar)[])) as row
) as m;
comment on macro table ltr.measures is 'Lists the measures: names, parameters with defaults, formula, range and reference.';

create or replace macro ltr.conventions() as table
select
    c.row.convention,
    c.row.measure,
    c.row.switch,
    c.row.value,
    c.row.summary
from (
    select unnest(cast('[{"convention": "trec_eval", "measure": "", "switch": "ties", "value": "docid_desc", "summary": "trec_eval 10 with -c; the default convention"}, {"convention": "trec_eval", "measure": "", "switch": "missing", "value": "zero", "summary": "trec_eval 10 with -c; the default convention"}, {"convention": "trec_eval9", "measure": "", "switch": "ties", "value": "docid_desc_float32", "summary": "trec_eval 9 without -c; compares scores in single precision"}, {"convention": "trec_eval9", "measure": "", "switch": "missing", "value": "skip", "summary": "trec_eval 9 without -c; compares scores in single precision"}, {"convention": "trec_eval9", "measure": "IPrec", "switch": "rounding", "value": "te9", "summary": "trec_eval 9 without -c; compares scores in single precision"}, {"convention": "trec_eval9", "measure": "IPrecAvg", "switch": "rounding", "value": "te9", "summary": "trec_eval 9 without -c; compares scores in single precision"}, {"convention": "pytrec_eval", "measure": "", "switch": "ties", "value": "docid_desc_float32", "summary": "pytrec_eval and pytrec_eval-terrier, which run trec_eval 9"}, {"convention": "pytrec_eval", "measure": "", "switch": "missing", "value": "skip", "summary": "pytrec_eval and pytrec_eval-terrier, which run trec_eval 9"}, {"convention": "pytrec_eval", "measure": "IPrec", "switch": "rounding", "value": "te9", "summary": "pytrec_eval and pytrec_eval-terrier, which run trec_eval 9"}, {"convention": "pytrec_eval", "measure": "IPrecAvg", "switch": "rounding", "value": "te9", "summary": "pytrec_eval and pytrec_eval-terrier, which run trec_eval 9"}, {"convention": "ir_measures", "measure": "", "switch": "ties", "value": "docid_desc_float32", "summary": "ir_measures with pytrec_eval; missing queries count as 0"}, {"convention": "ir_measures", "measure": "", "switch": "missing", "value": "zero", "summary": "ir_measures with pytrec_eval; missing queries count as 0"}, {"convention": "ir_measures", "measure": "accuracy", "switch": "measure", "value": "PairAccuracy", "summary": "ir_measures with pytrec_eval; missing queries count as 0"}, {"convention": "ir_measures", "measure": "IPrec", "switch": "rounding", "value": "te9", "summary": "ir_measures with pytrec_eval; missing queries count as 0"}, {"convention": "ir_measures", "measure": "IPrecAvg", "switch": "rounding", "value": "te9", "summary": "ir_measures with pytrec_eval; missing queries count as 0"}, {"convention": "ndeval", "measure": "", "switch": "ties", "value": "docid_desc", "summary": "ndeval -traditional"}, {"convention": "ndeval", "measure": "", "switch": "missing", "value": "skip", "summary": "ndeval -traditional"}, {"convention": "pyndeval", "measure": "", "switch": "ties", "value": "docid_asc", "summary": "pyndeval, also through ir_measures: ndeval with ties broken by ascending doc_id"}, {"convention": "pyndeval", "measure": "", "switch": "missing", "value": "skip", "summary": "pyndeval, also through ir_measures: ndeval with ties broken by ascending doc_id"}, {"convention": "gdeval", "measure": "", "switch": "ties", "value": "docid_desc", "summary": "gdeval.pl: exponential gains, grades up to 4, cutoff 20; topics without relevant documents are left out of the mean"}, {"convention": "gdeval", "measure": "", "switch": "missing", "value": "skip", "summary": "gdeval.pl: exponential gains, grades up to 4, cutoff 20; topics without relevant documents are left out of the mean"}, {"convention": "gdeval", "measure": "nDCG", "switch": "k", "value": "20", "summary": "gdeval.pl: exponential gains, grades up to 4, cutoff 20; topics without relevant documents are left out of the mean"}, {"convention": "gdeval", "measure": "nDCG", "switch": "gain", "value": "exponential", "summary": "gdeval.pl: exponential gains, grades up to 4, cutoff 20; topics without relevant documents are left out of the mean"}, {"convention": "gdeval", "measure": "nDCG", "switch": "empty", "value": "skip", "summary": "gdeval.pl: exponential gains, grades up to 4, cutoff 20; topics without relevant documents are left out of the mean"}, {"convention": "gdeval", "measure": "ERR", "switch": "k", "value": "20", "summary": "gdeval.pl: exponential gains, grades up to 4, cutoff 20; topics without relevant documents are left out of the mean"}, {"convention": "gdeval", "measure": "ERR", "switch": "max_grade", "value": "4", "summary": "gdeval.pl: exponential gains, grades up to 4, cutoff 20; topics without relevant documents are left out of the mean"}, {"convention": "gdeval", "measure": "ERR", "switch": "empty", "value": "skip", "summary": "gdeval.pl: exponential gains, grades up to 4, cutoff 20; topics without relevant documents are left out of the mean"}, {"convention": "ranx", "measure": "", "switch": "ties", "value": "docid_desc", "summary": "ranx, for runs without tied scores, because its sort is unstable"}, {"convention": "ranx", "measure": "", "switch": "missing", "value": "zero", "summary": "ranx, for runs without tied scores, because its sort is unstable"}, {"convention": "ranx", "measure": "RBP", "switch": "measure", "value": "GradedRBP", "summary": "ranx, for runs without tied scores, because its sort is unstable"}, {"convention": "ranx", "measure": "GradedRBP", "switch": "unit", "value": "1", "summary": "ranx, for runs without tied scores, because its sort is unstable"}, {"convention": "beir", "measure": "", "switch": "ties", "value": "docid_desc_float32", "summary": "BEIR, which runs pytrec_eval"}, {"convention": "beir", "measure": "", "switch": "missing", "value": "skip", "summary": "BEIR, which runs pytrec_eval"}, {"convention": "lightgbm", "measure": "", "switch": "ties", "value": "row_order", "summary": "LightGBM''s ndcg and map: ties keep their row order; a query without relevant documents counts as 1"}, {"convention": "lightgbm", "measure": "", "switch": "missing", "value": "skip", "summary": "LightGBM''s ndcg and map: ties keep their row order; a query without relevant documents counts as 1"}, {"convention": "lightgbm", "measure": "nDCG", "switch": "gain", "value": "exponential", "summary": "LightGBM''s ndcg and map: ties keep their row order; a query without relevant documents counts as 1"}, {"convention": "lightgbm", "measure": "nDCG", "switch": "empty", "value": "1", "summary": "LightGBM''s ndcg and map: ties keep their row order; a query without relevant documents counts as 1"}, {"convention": "lightgbm", "measure": "AP", "switch": "rel", "value": "0.5000000000000001", "summary": "LightGBM''s ndcg and map: ties keep their row order; a query without relevant documents counts as 1"}, {"convention": "lightgbm", "measure": "AP", "switch": "divisor", "value": "reachable", "summary": "LightGBM''s ndcg and map: ties keep their row order; a query without relevant documents counts as 1"}, {"convention": "lightgbm", "measure": "AP", "switch": "empty", "value": "1", "summary": "LightGBM''s ndcg and map: ties keep their row order; a query without relevant documents counts as 1"}, {"convention": "xgboost", "measure": "", "switch": "ties", "value": "row_order", "summary": "XGBoost''s ndcg, map and pre: cutoff 32 unless one is given; a query without relevant documents counts as 1"}, {"convention": "xgboost", "measure": "", "switch": "missing", "value": "skip", "summary": "XGBoost''s ndcg, map and pre: cutoff 32 unless one is given; a query without relevant documents counts as 1"}, {"convention": "xgboost", "measure": "nDCG", "switch": "k", "value": "32", "summary": "XGBoost''s ndcg, map and pre: cutoff 32 unless one is given; a query without relevant documents counts as 1"}, {"convention": "xgboost", "measure": "nDCG", "switch": "gain", "value": "exponential", "summary": "XGBoost''s ndcg, map and pre: cutoff 32 unless one is given; a query without relevant documents counts as 1"}, {"convention": "xgboost", "measure": "nDCG", "switch": "empty", "value": "1", "summary": "XGBoost''s ndcg, map and pre: cutoff 32 unless one is given; a query without relevant documents counts as 1"}, {"convention": "xgboost", "measure": "AP", "switch": "k", "value": "32", "summary": "XGBoost''s ndcg, map and pre: cutoff 32 unless one is given; a query without relevant documents counts as 1"}, {"convention": "xgboost", "measure": "AP", "switch": "divisor", "value": "reachable", "summary": "XGBoost''s ndcg, map and pre: cutoff 32 unless one is given; a query without relevant documents counts as 1"}, {"convention": "xgboost", "measure": "AP", "switch": "empty", "value": "1", "summary": "XGBoost''s ndcg, map and pre: cutoff 32 unless one is given; a query without relevant documents counts as 1"}, {"convention": "xgboost", "measure": "PrecisionAt", "switch": "k", "value": "32", "summary": "XGBoost''s ndcg, map and pre: cutoff 32 unless one is given; a query without relevant documents counts as 1"}, {"convention": "catboost", "measure": "", "switch": "ties", "value": "worst", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "", "switch": "missing", "value": "skip", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "P", "switch": "measure", "value": "PrecisionAt", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "nDCG", "switch": "empty", "value": "1", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "AP", "switch": "rel", "value": "0.5000000000000001", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "AP", "switch": "divisor", "value": "reachable", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "RR", "switch": "rel", "value": "0.5000000000000001", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "R", "switch": "rel", "value": "0.5000000000000001", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "R", "switch": "empty", "value": "1", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "PrecisionAt", "switch": "rel", "value": "0.5000000000000001", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "AUC", "switch": "empty", "value": "0", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "OPA", "switch": "empty", "value": "0", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "ERR", "switch": "max_grade", "value": "1", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "ERR", "switch": "gain", "value": "linear", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "catboost", "measure": "PFound", "switch": "max_grade", "value": "1", "summary": "CatBoost: worst order of ties; labels above 0.5 are relevant"}, {"convention": "sklearn", "measure": "", "switch": "ties", "value": "expected", "summary": "scikit-learn''s ndcg_score: the expectation over all orders of tied documents; average_precision_score: tied documents count together"}, {"convention": "sklearn", "measure": "", "switch": "missing", "value": "skip", "summary": "scikit-learn''s ndcg_score: the expectation over all orders of tied documents; average_precision_score: tied documents count together"}, {"convention": "sklearn", "measure": "AP", "switch": "measure", "value": "ThresholdAP", "summary": "scikit-learn''s ndcg_score: the expectation over all orders of tied documents; average_precision_score: tied documents count together"}, {"convention": "torchmetrics", "measure": "", "switch": "ties", "value": "row_order", "summary": "torchmetrics.retrieval, for positive scores without ties"}, {"convention": "torchmetrics", "measure": "", "switch": "missing", "value": "skip", "summary": "torchmetrics.retrieval, for positive scores without ties"}, {"convention": "torchmetrics", "measure": "AP", "switch": "divisor", "value": "found", "summary": "torchmetrics.retrieval, for positive scores without ties"}, {"convention": "torchmetrics", "measure": "AUC", "switch": "empty", "value": "0", "summary": "torchmetrics.retrieval, for positive scores without ties"}, {"convention": "spark", "measure": "", "switch": "ties", "value": "row_order", "summary": "Spark MLlib''s RankingMetrics, given predictions in rank order and labels sorted by relevance"}, {"convention": "spark", "measure": "", "switch": "missing", "value": "skip", "summary": "Spark MLlib''s RankingMetrics, given predictions in rank order and labels sorted by relevance"}, {"convention": "spark", "measure": "nDCG", "switch": "gain", "value": "exponential", "summary": "Spark MLlib''s RankingMetrics, given predictions in rank order and labels sorted by relevance"}, {"convention": "spark", "measure": "AP", "switch": "divisor", "value": "reachable", "summary": "Spark MLlib''s RankingMetrics, given predictions in rank order and labels sorted by relevance"}, {"convention": "recommenders", "measure": "", "switch": "ties", "value": "row_order", "summary": "Microsoft''s recommenders: map_at_k divides by min(k, |relevant|)"}, {"convention": "recommenders", "measure": "", "switch": "missing", "value": "skip", "summary": "Microsoft''s recommenders: map_at_k divides by min(k, |relevant|)"}, {"convention": "recommenders", "measure": "AP", "switch": "divisor", "value": "reachable", "summary": "Microsoft''s recommenders: map_at_k divides by min(k, |relevant|)"}, {"convention": "allrank", "measure": "", "switch": "ties", "value": "row_order", "summary": "allRank: exponential gains; a query without relevant documents counts as 1"}, {"convention": "allrank", "measure": "", "switch": "missing", "value": "skip", "summary": "allRank: exponential gains; a query without relevant documents counts as 1"}, {"convention": "allrank", "measure": "nDCG", "switch": "gain", "value": "exponential", "summary": "allRank: exponential gains; a query without relevant documents counts as 1"}, {"convention": "allrank", "measure": "nDCG", "switch": "empty", "value": "1", "summary": "allRank: exponential gains; a query without relevant documents counts as 1"}, {"convention": "ignite", "measure": "", "switch": "ties", "value": "row_order", "summary": "Ignite''s NDCG: exponential gains; queries without relevant documents are left out of the mean"}, {"convention": "ignite", "measure": "", "switch": "missing", "value": "skip", "summary": "Ignite''s NDCG: exponential gains; queries without relevant documents are left out of the mean"}, {"convention": "ignite", "measure": "nDCG", "switch": "gain", "value": "exponential", "summary": "Ignite''s NDCG: exponential gains; queries without relevant documents are left out of the mean"}, {"convention": "ignite", "measure": "nDCG", "switch": "empty", "value": "skip", "summary": "Ignite''s NDCG: exponential gains; queries without relevant documents are left out of the mean"}, {"convention": "elasticsearch", "measure": "", "switch": "ties", "value": "row_order", "summary": "Elasticsearch''s rank_eval: cutoff 10; results must contain every judged document of the ideal top k"}, {"convention": "elasticsearch", "measure": "", "switch": "missing", "value": "zero", "summary": "Elasticsearch''s rank_eval: cutoff 10; results must contain every judged document of the ideal top k"}, {"convention": "elasticsearch", "measure": "P", "switch": "measure", "value": "PrecisionAt", "summary": "Elasticsearch''s rank_eval: cutoff 10; results must contain every judged document of the ideal top k"}, {"convention": "elasticsearch", "measure": "DCG", "switch": "k", "value": "10", "summary": "Elasticsearch''s rank_eval: cutoff 10; results must contain every judged document of the ideal top k"}, {"convention": "elasticsearch", "measure": "DCG", "switch": "gain", "value": "exponential", "summary": "Elasticsearch''s rank_eval: cutoff 10; results must contain every judged document of the ideal top k"}, {"convention": "elasticsearch", "measure": "nDCG", "switch": "k", "value": "10", "summary": "Elasticsearch''s rank_eval: cutoff 10; results must contain every judged document of the ideal top k"}, {"convention": "elasticsearch", "measure": "nDCG", "switch": "gain", "value": "exponential", "summary": "Elasticsearch''s rank_eval: cutoff 10; results must contain every judged document of the ideal top k"}, {"convention": "elasticsearch", "measure": "PrecisionAt", "switch": "k", "value": "10", "summary": "Elasticsearch''s rank_eval: cutoff 10; results must contain every judged document of the ideal top k"}, {"convention": "elasticsearch", "measure": "R", "switch": "k", "value": "10", "summary": "Elasticsearch''s rank_eval: cutoff 10; results must contain every judged document of the ideal top k"}, {"convention": "elasticsearch", "measure": "RR", "switch": "k", "value": "10", "summary": "Elasticsearch''s rank_eval: cutoff 10; results must contain every judged document of the ideal top k"}, {"convention": "opensearch", "measure": "", "switch": "ties", "value": "row_order", "summary": "OpenSearch''s search relevance metrics, before their rounding to two decimals"}, {"convention": "opensearch", "measure": "", "switch": "missing", "value": "zero", "summary": "OpenSearch''s search relevance metrics, before their rounding to two decimals"}, {"convention": "opensearch", "measure": "P", "switch": "measure", "value": "PrecisionAt", "summary": "OpenSearch''s search relevance metrics, before their rounding to two decimals"}, {"convention": "opensearch", "measure": "nDCG", "switch": "gain", "value": "exponential", "summary": "OpenSearch''s search relevance metrics, before their rounding to two decimals"}, {"convention": "quepid", "measure": "", "switch": "ties", "value": "row_order", "summary": "Quepid: ndcg@10 is divided by the DCG of the whole ideal ranking"}, {"convention": "quepid", "measure": "", "switch": "missing", "value": "zero", "summary": "Quepid: ndcg@10 is divided by the DCG of the whole ideal ranking"}, {"convention": "quepid", "measure": "P", "switch": "measure", "value": "PrecisionAt", "summary": "Quepid: ndcg@10 is divided by the DCG of the whole ideal ranking"}, {"convention": "quepid", "measure": "nDCG", "switch": "k", "value": "10", "summary": "Quepid: ndcg@10 is divided by the DCG of the whole ideal ranking"}, {"convention": "quepid", "measure": "nDCG", "switch": "gain", "value": "exponential", "summary": "Quepid: ndcg@10 is divided by the DCG of the whole ideal ranking"}, {"convention": "quepid", "measure": "nDCG", "switch": "ideal", "value": "whole", "summary": "Quepid: ndcg@10 is divided by the DCG of the whole ideal ranking"}]' as struct("convention" varchar, "measure" varchar, "switch" varchar, "value" varchar, "summary" varchar)[])) as row
) as c;
comment on macro table ltr.conventions is 'Lists the conventions of evaluation tools: one row for each setting; an empty measure means all measures.';

create or replace macro ltr.version() as '0.1.0';
comment on macro ltr.version is 'Returns the version of ltr_sql that created these macros.';

create or replace macro ltr.f_p(f, df1, df2) as list_transform([struct_pack(f := cast(f as double), df1 := cast(df1 as double), df2 := cast(df2 as double))], lambda __ltr_f_p: case
    when __ltr_f_p['f'] <= 0 then 1e0
    when isinf(__ltr_f_p['f']) then 0e0
    when __ltr_f_p['f'] > 0 and __ltr_f_p['df1'] > 0 and __ltr_f_p['df2'] > 0 then list_transform([list_transform([list_transform([struct_pack(x := __ltr_f_p['df2'] / (__ltr_f_p['df2'] + __ltr_f_p['df1'] * __ltr_f_p['f']), y := __ltr_f_p['df1'] * __ltr_f_p['f'] / (__ltr_f_p['df2'] + __ltr_f_p['df1'] * __ltr_f_p['f']), a := __ltr_f_p['df2'] / 2, b := __ltr_f_p['df1'] / 2)], lambda s: case
    when s['x'] < (s['a'] + 1) / (s['a'] + s['b'] + 2)
    then struct_pack(x := s['x'], y := s['y'], a := s['a'], b := s['b'], start := 0e0)
    else struct_pack(x := s['y'], y := s['x'], a := s['b'], b := s['a'], start := 1e0)
end)[1]], lambda s: struct_pack(
    x := s['x'], y := s['y'], a := s['a'], b := s['b'], start := s['start'],
    u := (s['b'] * s['x'] - s['a'] * s['y']) / s['a'],
    v := (s['a'] * s['y'] - s['b'] * s['x']) / s['b'],
    remainders := list_transform([s['a'] + s['b'], s['a'], s['b']], lambda z: case
    when z >= 10 then ((((((6.41025641025641e-3 * (1 / (z * z)) + -1.9175269175269176e-3) * (1 / (z * z)) + 8.417508417508417e-4) * (1 / (z * z)) + -5.952380952380953e-4) * (1 / (z * z)) + 7.936507936507937e-4) * (1 / (z * z)) + -2.777777777777778e-3) * (1 / (z * z)) + 8.333333333333333e-2) / z
    else lgamma(z) - ((z - 0.5e0) * ln(z) - z + 0.9189385332046727e0)
end)
))[1]], lambda s: abs(s['start'] - case when s['x'] > 0 then exp(
    s['a'] * case when abs(s['u']) > 0.5e0 then ln((s['x'] * (s['a'] + s['b']) / s['a'])) when 1 + s['u'] = 1 then s['u'] else ln(1 + s['u']) * s['u'] / ((1 + s['u']) - 1) end
    + s['b'] * case when abs(s['v']) > 0.5e0 then ln((s['y'] * (s['a'] + s['b']) / s['b'])) when 1 + s['v'] = 1 then s['v'] else ln(1 + s['v']) * s['v'] / ((1 + s['v']) - 1) end
    + s['remainders'][1] - s['remainders'][2] - s['remainders'][3]
) * sqrt(s['b'] / (6.283185307179586e0 * s['a'] * (s['a'] + s['b'])))
    / list_reduce(
    list_transform(range(200, 0, -1), lambda i: cast(i as double)),
    lambda f, m: 1 - (s['a'] + m - 1) * (s['a'] + s['b'] + m - 1) * s['x'] / ((s['a'] + 2 * m - 2) * (s['a'] + 2 * m - 1))
        / (1 + m * (s['b'] - m) * s['x'] / ((s['a'] + 2 * m - 1) * (s['a'] + 2 * m)) / f),
    1e0
) else 0e0 end))[1]
end)[1];
comment on macro ltr.f_p is 'P(F >= f) of the F distribution: the p of an analysis of variance. NULL unless df1 and df2 are above 0. Snedecor 1934, Calculation and Interpretation of Analysis of Variance and Covariance.';

create or replace macro ltr.__ltr_normal_upper(z) as list_transform([struct_pack(z := cast(z as double))], lambda __ltr_normal_upper: case
    when abs(__ltr_normal_upper['z']) <= 0.67448975e0
    then 0.5e0 - __ltr_normal_upper['z'] * ((((0.065682337918207449113e0 * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 2.2352520354606839287e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 161.02823106855587881e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 1067.6894854603709582e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 18154.981253343561249e0) / ((((1e0 * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 47.20258190468824187e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 976.09855173777669322e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 10260.932208618978205e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 45507.789335026729956e0)
    when abs(__ltr_normal_upper['z']) > 38 then case when __ltr_normal_upper['z'] > 0 then 0e0 else 1e0 end
    else abs(
        case when __ltr_normal_upper['z'] > 0 then 0e0 else 1e0 end
        - exp(-floor(abs(__ltr_normal_upper['z']) * 16) / 16 * floor(abs(__ltr_normal_upper['z']) * 16) / 16 / 2) * exp(-(abs(__ltr_normal_upper['z']) - floor(abs(__ltr_normal_upper['z']) * 16) / 16) * (abs(__ltr_normal_upper['z']) + floor(abs(__ltr_normal_upper['z']) * 16) / 16) / 2)
        * case
            when abs(__ltr_normal_upper['z']) <= 5.656854249492381e0
            then ((((((((1.0765576773720192317e-8 * abs(__ltr_normal_upper['z']) + 0.39894151208813466764e0) * abs(__ltr_normal_upper['z']) + 8.8831497943883759412e0) * abs(__ltr_normal_upper['z']) + 93.506656132177855979e0) * abs(__ltr_normal_upper['z']) + 597.27027639480026226e0) * abs(__ltr_normal_upper['z']) + 2494.5375852903726711e0) * abs(__ltr_normal_upper['z']) + 6848.1904505362823326e0) * abs(__ltr_normal_upper['z']) + 11602.651437647350124e0) * abs(__ltr_normal_upper['z']) + 9842.7148383839780218e0) / ((((((((1e0 * abs(__ltr_normal_upper['z']) + 22.266688044328115691e0) * abs(__ltr_normal_upper['z']) + 235.38790178262499861e0) * abs(__ltr_normal_upper['z']) + 1519.377599407554805e0) * abs(__ltr_normal_upper['z']) + 6485.558298266760755e0) * abs(__ltr_normal_upper['z']) + 18615.571640885098091e0) * abs(__ltr_normal_upper['z']) + 34900.952721145977266e0) * abs(__ltr_normal_upper['z']) + 38912.003286093271411e0) * abs(__ltr_normal_upper['z']) + 19685.429676859990727e0)
            else (0.398942280401432677939946059934e0 - (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) * (((((0.023073441764940173e0 * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.21589853405795699e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.1274011611602473639e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.022235277870649807e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.001421619193227893466e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 2.9112874951168792e-5) / (((((1e0 * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 1.28426009614491121e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.468238212480865118e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.0659881378689285515e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.00378239633202758244e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 7.29751555083966205e-5)) / abs(__ltr_normal_upper['z'])
        end
    )
end)[1];

create or replace macro ltr.__ltr_normal_quantile(u) as list_transform([struct_pack(u := cast(u as double))], lambda __ltr_normal_quantile: case
    when __ltr_normal_quantile['u'] <= 0 then cast('-inf' as double)
    when __ltr_normal_quantile['u'] >= 1 then cast('inf' as double)
    when abs((__ltr_normal_quantile['u'] - 0.5e0)) <= 0.425e0
    then (__ltr_normal_quantile['u'] - 0.5e0) * (((((((2509.0809287301226727e0 * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 33430.575583588128105e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 67265.770927008700853e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 45921.953931549871457e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 13731.693765509461125e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 1971.5909503065514427e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 133.14166789178437745e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 3.3871328727963666080e0) / (((((((5226.4952788528545610e0 * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 28729.085735721942674e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 39307.895800092710610e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 21213.794301586595867e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 5394.1960214247511077e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 687.18700749205790830e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 42.313330701600911252e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 1e0)
    when sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) <= 5
    then sign((__ltr_normal_quantile['u'] - 0.5e0)) * (((((((7.74545014278341407640e-4 * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 0.0227238449892691845833e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 0.241780725177450611770e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 1.27045825245236838258e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 3.64784832476320460504e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 5.76949722146069140550e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 4.63033784615654529590e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 1.42343711074968357734e0) / (((((((1.05075007164441684324e-9 * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 5.47593808499534494600e-4) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 0.0151986665636164571966e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 0.148103976427480074590e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 0.689767334985100004550e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 1.67638483018380384940e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 2.05319162663775882187e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 1e0)
    else sign((__ltr_normal_quantile['u'] - 0.5e0)) * (((((((2.01033439929228813265e-7 * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 2.71155556874348757815e-5) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.00124266094738807843860e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.0265321895265761230930e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.296560571828504891230e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 1.78482653991729133580e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 5.46378491116411436990e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 6.65790464350110377720e0) / (((((((2.04426310338993978564e-15 * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 1.42151175831644588870e-7) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 1.84631831751005468180e-5) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 7.86869131145613259100e-4) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.0148753612908516148525e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.136929880922735805310e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.599832206555887937690e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 1e0)
end)[1];

create or replace macro ltr.__ltr_sign_p(wins, losses) as list_transform([struct_pack(wins := cast(wins as double), losses := cast(losses as double))], lambda __ltr_sign_p: case
    when __ltr_sign_p['wins'] = __ltr_sign_p['losses'] then 1e0
    else least(1e0, 2 * list_transform([list_transform([list_transform([struct_pack(x := 0.5e0, y := 0.5e0, a := greatest(__ltr_sign_p['wins'], __ltr_sign_p['losses']), b := (least(__ltr_sign_p['wins'], __ltr_sign_p['losses']) + 1))], lambda s: case
    when s['x'] < (s['a'] + 1) / (s['a'] + s['b'] + 2)
    then struct_pack(x := s['x'], y := s['y'], a := s['a'], b := s['b'], start := 0e0)
    else struct_pack(x := s['y'], y := s['x'], a := s['b'], b := s['a'], start := 1e0)
end)[1]], lambda s: struct_pack(
    x := s['x'], y := s['y'], a := s['a'], b := s['b'], start := s['start'],
    u := (s['b'] * s['x'] - s['a'] * s['y']) / s['a'],
    v := (s['a'] * s['y'] - s['b'] * s['x']) / s['b'],
    remainders := list_transform([s['a'] + s['b'], s['a'], s['b']], lambda z: case
    when z >= 10 then ((((((6.41025641025641e-3 * (1 / (z * z)) + -1.9175269175269176e-3) * (1 / (z * z)) + 8.417508417508417e-4) * (1 / (z * z)) + -5.952380952380953e-4) * (1 / (z * z)) + 7.936507936507937e-4) * (1 / (z * z)) + -2.777777777777778e-3) * (1 / (z * z)) + 8.333333333333333e-2) / z
    else lgamma(z) - ((z - 0.5e0) * ln(z) - z + 0.9189385332046727e0)
end)
))[1]], lambda s: abs(s['start'] - case when s['x'] > 0 then exp(
    s['a'] * case when abs(s['u']) > 0.5e0 then ln((s['x'] * (s['a'] + s['b']) / s['a'])) when 1 + s['u'] = 1 then s['u'] else ln(1 + s['u']) * s['u'] / ((1 + s['u']) - 1) end
    + s['b'] * case when abs(s['v']) > 0.5e0 then ln((s['y'] * (s['a'] + s['b']) / s['b'])) when 1 + s['v'] = 1 then s['v'] else ln(1 + s['v']) * s['v'] / ((1 + s['v']) - 1) end
    + s['remainders'][1] - s['remainders'][2] - s['remainders'][3]
) * sqrt(s['b'] / (6.283185307179586e0 * s['a'] * (s['a'] + s['b'])))
    / list_reduce(
    list_transform(range(200, 0, -1), lambda i: cast(i as double)),
    lambda f, m: 1 - (s['a'] + m - 1) * (s['a'] + s['b'] + m - 1) * s['x'] / ((s['a'] + 2 * m - 2) * (s['a'] + 2 * m - 1))
        / (1 + m * (s['b'] - m) * s['x'] / ((s['a'] + 2 * m - 1) * (s['a'] + 2 * m)) / f),
    1e0
) else 0e0 end))[1])
end)[1];

create or replace macro ltr.t_p(t, df) as list_transform([struct_pack(t := cast(t as double), df := cast(df as double))], lambda __ltr_t_p: case
    when isinf(__ltr_t_p['t']) then 0e0
    when __ltr_t_p['df'] > 0 then list_transform([list_transform([struct_pack(t := abs(__ltr_t_p['t']), df := __ltr_t_p['df'])], lambda s: struct_pack(t := s['t'], df := s['df'], scale := 0.3989422804014327e0 * exp(case
    when s['df'] >= 40 then (((((3.834117542613636e-3 * (4 / (s['df'] * s['df'])) + -1.681857638888889e-3) * (4 / (s['df'] * s['df'])) + 1.1858258928571429e-3) * (4 / (s['df'] * s['df'])) + -1.5625e-3) * (4 / (s['df'] * s['df'])) + 5.208333333333333e-3) * (4 / (s['df'] * s['df'])) + -0.125e0) * 2 / s['df']
    else lgamma(s['df'] / 2 + 0.5e0) - lgamma(s['df'] / 2) - ln(s['df'] / 2) / 2
end)))[1]], lambda g: list_transform([list_transform([list_transform([struct_pack(u := g['t'] * g['t'] / g['df'], x := g['df'] / (g['df'] + g['t'] * g['t']), y := g['t'] * g['t'] / (g['df'] + g['t'] * g['t']))], lambda s: struct_pack(
    slope := g['t'] * g['scale'] * exp(-(g['df'] + 1) / 2 * case when abs(s['u']) > 0.5e0 then ln((1 + s['u'])) when 1 + s['u'] = 1 then s['u'] else ln(1 + s['u']) * s['u'] / ((1 + s['u']) - 1) end),
    x := s['x'], y := s['y'], far := s['x'] < (g['df'] + 2) / (g['df'] + 5)
))[1]], lambda s: struct_pack(
    slope := s['slope'],
    start := case when s['far'] then 0e0 else 1e0 end,
    x := case when s['far'] then s['x'] else s['y'] end,
    a := case when s['far'] then g['df'] / 2 else 0.5e0 end,
    b := case when s['far'] then 0.5e0 else g['df'] / 2 end
))[1]], lambda s: struct_pack(slope := s['slope'], p := abs(s['start'] - s['slope'] / s['a'] / list_reduce(
    list_transform(range(64, 0, -1), lambda i: cast(i as double)),
    lambda f, m: 1 - (s['a'] + m - 1) * (s['a'] + s['b'] + m - 1) * s['x'] / ((s['a'] + 2 * m - 2) * (s['a'] + 2 * m - 1))
        / (1 + m * (s['b'] - m) * s['x'] / ((s['a'] + 2 * m - 1) * (s['a'] + 2 * m)) / f),
    1e0
))))[1])[1]['p']
end)[1];
comment on macro ltr.t_p is 'P(|T| >= |t|) of Student''s t distribution: the two-sided p of a t test. NULL unless df > 0. Student 1908, Biometrika 6.';

create or replace macro ltr.normal_p(z) as list_transform([struct_pack(z := cast(z as double))], lambda __ltr_normal_p: 2 * list_transform([struct_pack(z := cast(abs(__ltr_normal_p['z']) as double))], lambda __ltr_normal_upper: case
    when abs(__ltr_normal_upper['z']) <= 0.67448975e0
    then 0.5e0 - __ltr_normal_upper['z'] * ((((0.065682337918207449113e0 * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 2.2352520354606839287e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 161.02823106855587881e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 1067.6894854603709582e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 18154.981253343561249e0) / ((((1e0 * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 47.20258190468824187e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 976.09855173777669322e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 10260.932208618978205e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 45507.789335026729956e0)
    when abs(__ltr_normal_upper['z']) > 38 then case when __ltr_normal_upper['z'] > 0 then 0e0 else 1e0 end
    else abs(
        case when __ltr_normal_upper['z'] > 0 then 0e0 else 1e0 end
        - exp(-floor(abs(__ltr_normal_upper['z']) * 16) / 16 * floor(abs(__ltr_normal_upper['z']) * 16) / 16 / 2) * exp(-(abs(__ltr_normal_upper['z']) - floor(abs(__ltr_normal_upper['z']) * 16) / 16) * (abs(__ltr_normal_upper['z']) + floor(abs(__ltr_normal_upper['z']) * 16) / 16) / 2)
        * case
            when abs(__ltr_normal_upper['z']) <= 5.656854249492381e0
            then ((((((((1.0765576773720192317e-8 * abs(__ltr_normal_upper['z']) + 0.39894151208813466764e0) * abs(__ltr_normal_upper['z']) + 8.8831497943883759412e0) * abs(__ltr_normal_upper['z']) + 93.506656132177855979e0) * abs(__ltr_normal_upper['z']) + 597.27027639480026226e0) * abs(__ltr_normal_upper['z']) + 2494.5375852903726711e0) * abs(__ltr_normal_upper['z']) + 6848.1904505362823326e0) * abs(__ltr_normal_upper['z']) + 11602.651437647350124e0) * abs(__ltr_normal_upper['z']) + 9842.7148383839780218e0) / ((((((((1e0 * abs(__ltr_normal_upper['z']) + 22.266688044328115691e0) * abs(__ltr_normal_upper['z']) + 235.38790178262499861e0) * abs(__ltr_normal_upper['z']) + 1519.377599407554805e0) * abs(__ltr_normal_upper['z']) + 6485.558298266760755e0) * abs(__ltr_normal_upper['z']) + 18615.571640885098091e0) * abs(__ltr_normal_upper['z']) + 34900.952721145977266e0) * abs(__ltr_normal_upper['z']) + 38912.003286093271411e0) * abs(__ltr_normal_upper['z']) + 19685.429676859990727e0)
            else (0.398942280401432677939946059934e0 - (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) * (((((0.023073441764940173e0 * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.21589853405795699e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.1274011611602473639e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.022235277870649807e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.001421619193227893466e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 2.9112874951168792e-5) / (((((1e0 * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 1.28426009614491121e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.468238212480865118e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.0659881378689285515e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.00378239633202758244e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 7.29751555083966205e-5)) / abs(__ltr_normal_upper['z'])
        end
    )
end)[1])[1];
comment on macro ltr.normal_p is 'P(|Z| >= |z|) of the standard normal distribution: the two-sided p of a z test. Cody 1969, Mathematics of Computation 23.';

create or replace macro ltr.__ltr_t_power(n, dz, t) as list_transform([struct_pack(n := cast(n as double), dz := cast(dz as double), t := cast(t as double))], lambda __ltr_t_power: list_transform([list_transform([struct_pack(df := __ltr_t_power['n'] - 1, shift := __ltr_t_power['dz'] * sqrt(__ltr_t_power['n']), t := __ltr_t_power['t'])], lambda g: list_transform(list_transform([sqrt(2 * g['df'])], lambda r: list_transform(
    list_transform(range(cast(ceil(4 * (9 + greatest(9, 75 / r))) as bigint)), lambda i: (0.25e0 * i - greatest(9, 75 / r)) / r),
    lambda u: struct_pack(s := exp(u), weight := exp(g['df'] / 2 * (2 * u - exp(2 * u) + 1)))
))[1], lambda c: struct_pack(weight := c['weight'], above := g['t'] * c['s'] - g['shift'], below := g['t'] * c['s'] + g['shift'])))[1]], lambda nodes: list_sum(list_transform(
    list_concat(
        list_transform(nodes, lambda c: struct_pack(weight := c['weight'], z := c['above'])),
        list_transform(nodes, lambda c: struct_pack(weight := c['weight'], z := c['below']))
    ),
    lambda c: c['weight'] * list_transform([struct_pack(z := cast(c['z'] as double))], lambda __ltr_normal_upper: case
    when abs(__ltr_normal_upper['z']) <= 0.67448975e0
    then 0.5e0 - __ltr_normal_upper['z'] * ((((0.065682337918207449113e0 * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 2.2352520354606839287e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 161.02823106855587881e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 1067.6894854603709582e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 18154.981253343561249e0) / ((((1e0 * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 47.20258190468824187e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 976.09855173777669322e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 10260.932208618978205e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 45507.789335026729956e0)
    when abs(__ltr_normal_upper['z']) > 38 then case when __ltr_normal_upper['z'] > 0 then 0e0 else 1e0 end
    else abs(
        case when __ltr_normal_upper['z'] > 0 then 0e0 else 1e0 end
        - exp(-floor(abs(__ltr_normal_upper['z']) * 16) / 16 * floor(abs(__ltr_normal_upper['z']) * 16) / 16 / 2) * exp(-(abs(__ltr_normal_upper['z']) - floor(abs(__ltr_normal_upper['z']) * 16) / 16) * (abs(__ltr_normal_upper['z']) + floor(abs(__ltr_normal_upper['z']) * 16) / 16) / 2)
        * case
            when abs(__ltr_normal_upper['z']) <= 5.656854249492381e0
            then ((((((((1.0765576773720192317e-8 * abs(__ltr_normal_upper['z']) + 0.39894151208813466764e0) * abs(__ltr_normal_upper['z']) + 8.8831497943883759412e0) * abs(__ltr_normal_upper['z']) + 93.506656132177855979e0) * abs(__ltr_normal_upper['z']) + 597.27027639480026226e0) * abs(__ltr_normal_upper['z']) + 2494.5375852903726711e0) * abs(__ltr_normal_upper['z']) + 6848.1904505362823326e0) * abs(__ltr_normal_upper['z']) + 11602.651437647350124e0) * abs(__ltr_normal_upper['z']) + 9842.7148383839780218e0) / ((((((((1e0 * abs(__ltr_normal_upper['z']) + 22.266688044328115691e0) * abs(__ltr_normal_upper['z']) + 235.38790178262499861e0) * abs(__ltr_normal_upper['z']) + 1519.377599407554805e0) * abs(__ltr_normal_upper['z']) + 6485.558298266760755e0) * abs(__ltr_normal_upper['z']) + 18615.571640885098091e0) * abs(__ltr_normal_upper['z']) + 34900.952721145977266e0) * abs(__ltr_normal_upper['z']) + 38912.003286093271411e0) * abs(__ltr_normal_upper['z']) + 19685.429676859990727e0)
            else (0.398942280401432677939946059934e0 - (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) * (((((0.023073441764940173e0 * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.21589853405795699e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.1274011611602473639e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.022235277870649807e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.001421619193227893466e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 2.9112874951168792e-5) / (((((1e0 * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 1.28426009614491121e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.468238212480865118e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.0659881378689285515e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.00378239633202758244e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 7.29751555083966205e-5)) / abs(__ltr_normal_upper['z'])
        end
    )
end)[1]
)) / list_sum(list_transform(nodes, lambda c: c['weight'])))[1])[1];

create or replace macro ltr.tukey_p(q, m, df) as list_transform([struct_pack(q := cast(q as double), m := cast(m as double), df := cast(df as double))], lambda __ltr_tukey_p: case
    when __ltr_tukey_p['q'] <= 0 then 1e0
    when __ltr_tukey_p['q'] > 0 and __ltr_tukey_p['m'] >= 2 and __ltr_tukey_p['df'] > 0 then greatest(0e0, 1 - list_transform([list_transform([struct_pack(df := __ltr_tukey_p['df'])], lambda g: list_transform([sqrt(2 * g['df'])], lambda r: list_transform(
    list_transform(range(cast(ceil(4 * (9 + greatest(9, 75 / r))) as bigint)), lambda i: (0.25e0 * i - greatest(9, 75 / r)) / r),
    lambda u: struct_pack(s := exp(u), weight := exp(g['df'] / 2 * (2 * u - exp(2 * u) + 1)))
))[1])[1]], lambda nodes: list_sum(list_transform(
        nodes,
        lambda c: c['weight'] * list_sum(list_transform(
            list_transform(list_transform(range(81), lambda i: 0.2e0 * i - 8), lambda z: struct_pack(z := z, upper := list_transform([struct_pack(z := cast(z as double))], lambda __ltr_normal_upper: case
    when abs(__ltr_normal_upper['z']) <= 0.67448975e0
    then 0.5e0 - __ltr_normal_upper['z'] * ((((0.065682337918207449113e0 * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 2.2352520354606839287e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 161.02823106855587881e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 1067.6894854603709582e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 18154.981253343561249e0) / ((((1e0 * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 47.20258190468824187e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 976.09855173777669322e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 10260.932208618978205e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 45507.789335026729956e0)
    when abs(__ltr_normal_upper['z']) > 38 then case when __ltr_normal_upper['z'] > 0 then 0e0 else 1e0 end
    else abs(
        case when __ltr_normal_upper['z'] > 0 then 0e0 else 1e0 end
        - exp(-floor(abs(__ltr_normal_upper['z']) * 16) / 16 * floor(abs(__ltr_normal_upper['z']) * 16) / 16 / 2) * exp(-(abs(__ltr_normal_upper['z']) - floor(abs(__ltr_normal_upper['z']) * 16) / 16) * (abs(__ltr_normal_upper['z']) + floor(abs(__ltr_normal_upper['z']) * 16) / 16) / 2)
        * case
            when abs(__ltr_normal_upper['z']) <= 5.656854249492381e0
            then ((((((((1.0765576773720192317e-8 * abs(__ltr_normal_upper['z']) + 0.39894151208813466764e0) * abs(__ltr_normal_upper['z']) + 8.8831497943883759412e0) * abs(__ltr_normal_upper['z']) + 93.506656132177855979e0) * abs(__ltr_normal_upper['z']) + 597.27027639480026226e0) * abs(__ltr_normal_upper['z']) + 2494.5375852903726711e0) * abs(__ltr_normal_upper['z']) + 6848.1904505362823326e0) * abs(__ltr_normal_upper['z']) + 11602.651437647350124e0) * abs(__ltr_normal_upper['z']) + 9842.7148383839780218e0) / ((((((((1e0 * abs(__ltr_normal_upper['z']) + 22.266688044328115691e0) * abs(__ltr_normal_upper['z']) + 235.38790178262499861e0) * abs(__ltr_normal_upper['z']) + 1519.377599407554805e0) * abs(__ltr_normal_upper['z']) + 6485.558298266760755e0) * abs(__ltr_normal_upper['z']) + 18615.571640885098091e0) * abs(__ltr_normal_upper['z']) + 34900.952721145977266e0) * abs(__ltr_normal_upper['z']) + 38912.003286093271411e0) * abs(__ltr_normal_upper['z']) + 19685.429676859990727e0)
            else (0.398942280401432677939946059934e0 - (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) * (((((0.023073441764940173e0 * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.21589853405795699e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.1274011611602473639e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.022235277870649807e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.001421619193227893466e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 2.9112874951168792e-5) / (((((1e0 * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 1.28426009614491121e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.468238212480865118e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.0659881378689285515e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.00378239633202758244e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 7.29751555083966205e-5)) / abs(__ltr_normal_upper['z'])
        end
    )
end)[1], density := 0.2e0 * exp(-z * z / 2) / 2.5066282746310002e0)),
            lambda g: g['density'] * __ltr_tukey_p['m'] * power(greatest(0e0, list_transform([struct_pack(z := cast(g['z'] - __ltr_tukey_p['q'] * c['s'] as double))], lambda __ltr_normal_upper: case
    when abs(__ltr_normal_upper['z']) <= 0.67448975e0
    then 0.5e0 - __ltr_normal_upper['z'] * ((((0.065682337918207449113e0 * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 2.2352520354606839287e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 161.02823106855587881e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 1067.6894854603709582e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 18154.981253343561249e0) / ((((1e0 * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 47.20258190468824187e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 976.09855173777669322e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 10260.932208618978205e0) * (__ltr_normal_upper['z'] * __ltr_normal_upper['z']) + 45507.789335026729956e0)
    when abs(__ltr_normal_upper['z']) > 38 then case when __ltr_normal_upper['z'] > 0 then 0e0 else 1e0 end
    else abs(
        case when __ltr_normal_upper['z'] > 0 then 0e0 else 1e0 end
        - exp(-floor(abs(__ltr_normal_upper['z']) * 16) / 16 * floor(abs(__ltr_normal_upper['z']) * 16) / 16 / 2) * exp(-(abs(__ltr_normal_upper['z']) - floor(abs(__ltr_normal_upper['z']) * 16) / 16) * (abs(__ltr_normal_upper['z']) + floor(abs(__ltr_normal_upper['z']) * 16) / 16) / 2)
        * case
            when abs(__ltr_normal_upper['z']) <= 5.656854249492381e0
            then ((((((((1.0765576773720192317e-8 * abs(__ltr_normal_upper['z']) + 0.39894151208813466764e0) * abs(__ltr_normal_upper['z']) + 8.8831497943883759412e0) * abs(__ltr_normal_upper['z']) + 93.506656132177855979e0) * abs(__ltr_normal_upper['z']) + 597.27027639480026226e0) * abs(__ltr_normal_upper['z']) + 2494.5375852903726711e0) * abs(__ltr_normal_upper['z']) + 6848.1904505362823326e0) * abs(__ltr_normal_upper['z']) + 11602.651437647350124e0) * abs(__ltr_normal_upper['z']) + 9842.7148383839780218e0) / ((((((((1e0 * abs(__ltr_normal_upper['z']) + 22.266688044328115691e0) * abs(__ltr_normal_upper['z']) + 235.38790178262499861e0) * abs(__ltr_normal_upper['z']) + 1519.377599407554805e0) * abs(__ltr_normal_upper['z']) + 6485.558298266760755e0) * abs(__ltr_normal_upper['z']) + 18615.571640885098091e0) * abs(__ltr_normal_upper['z']) + 34900.952721145977266e0) * abs(__ltr_normal_upper['z']) + 38912.003286093271411e0) * abs(__ltr_normal_upper['z']) + 19685.429676859990727e0)
            else (0.398942280401432677939946059934e0 - (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) * (((((0.023073441764940173e0 * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.21589853405795699e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.1274011611602473639e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.022235277870649807e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.001421619193227893466e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 2.9112874951168792e-5) / (((((1e0 * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 1.28426009614491121e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.468238212480865118e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.0659881378689285515e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 0.00378239633202758244e0) * (1 / (__ltr_normal_upper['z'] * __ltr_normal_upper['z'])) + 7.29751555083966205e-5)) / abs(__ltr_normal_upper['z'])
        end
    )
end)[1] - g['upper']), __ltr_tukey_p['m'] - 1)
        ))
    )) / list_sum(list_transform(nodes, lambda c: c['weight'])))[1])
end)[1];
comment on macro ltr.tukey_p is 'P(Q >= q) of the studentised range of m means: the p of Tukey''s test of honestly significant differences. Tukey 1953, The Problem of Multiple Comparisons; computed by quadrature.';

create or replace macro ltr.t_quantile(alpha, df) as list_transform([struct_pack(alpha := cast(alpha as double), df := cast(df as double))], lambda __ltr_t_quantile: case when __ltr_t_quantile['alpha'] > 0 and __ltr_t_quantile['alpha'] < 1 and __ltr_t_quantile['df'] >= 1 then list_reduce(
    list_transform([list_transform([struct_pack(alpha := __ltr_t_quantile['alpha'], df := __ltr_t_quantile['df'])], lambda s: struct_pack(alpha := s['alpha'], df := s['df'], scale := 0.3989422804014327e0 * exp(case
    when s['df'] >= 40 then (((((3.834117542613636e-3 * (4 / (s['df'] * s['df'])) + -1.681857638888889e-3) * (4 / (s['df'] * s['df'])) + 1.1858258928571429e-3) * (4 / (s['df'] * s['df'])) + -1.5625e-3) * (4 / (s['df'] * s['df'])) + 5.208333333333333e-3) * (4 / (s['df'] * s['df'])) + -0.125e0) * 2 / s['df']
    else lgamma(s['df'] / 2 + 0.5e0) - lgamma(s['df'] / 2) - ln(s['df'] / 2) / 2
end), z := -list_transform([struct_pack(u := cast(s['alpha'] / 2 as double))], lambda __ltr_normal_quantile: case
    when __ltr_normal_quantile['u'] <= 0 then cast('-inf' as double)
    when __ltr_normal_quantile['u'] >= 1 then cast('inf' as double)
    when abs((__ltr_normal_quantile['u'] - 0.5e0)) <= 0.425e0
    then (__ltr_normal_quantile['u'] - 0.5e0) * (((((((2509.0809287301226727e0 * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 33430.575583588128105e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 67265.770927008700853e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 45921.953931549871457e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 13731.693765509461125e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 1971.5909503065514427e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 133.14166789178437745e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 3.3871328727963666080e0) / (((((((5226.4952788528545610e0 * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 28729.085735721942674e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 39307.895800092710610e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 21213.794301586595867e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 5394.1960214247511077e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 687.18700749205790830e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 42.313330701600911252e0) * (0.180625e0 - (__ltr_normal_quantile['u'] - 0.5e0) * (__ltr_normal_quantile['u'] - 0.5e0)) + 1e0)
    when sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) <= 5
    then sign((__ltr_normal_quantile['u'] - 0.5e0)) * (((((((7.74545014278341407640e-4 * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 0.0227238449892691845833e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 0.241780725177450611770e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 1.27045825245236838258e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 3.64784832476320460504e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 5.76949722146069140550e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 4.63033784615654529590e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 1.42343711074968357734e0) / (((((((1.05075007164441684324e-9 * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 5.47593808499534494600e-4) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 0.0151986665636164571966e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 0.148103976427480074590e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 0.689767334985100004550e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 1.67638483018380384940e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 2.05319162663775882187e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 1.6e0) + 1e0)
    else sign((__ltr_normal_quantile['u'] - 0.5e0)) * (((((((2.01033439929228813265e-7 * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 2.71155556874348757815e-5) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.00124266094738807843860e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.0265321895265761230930e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.296560571828504891230e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 1.78482653991729133580e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 5.46378491116411436990e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 6.65790464350110377720e0) / (((((((2.04426310338993978564e-15 * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 1.42151175831644588870e-7) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 1.84631831751005468180e-5) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 7.86869131145613259100e-4) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.0148753612908516148525e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.136929880922735805310e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 0.599832206555887937690e0) * (sqrt(-ln(least(__ltr_normal_quantile['u'], 1 - __ltr_normal_quantile['u']))) - 5) + 1e0)
end)[1]))[1]], lambda g: list_transform(range(case when g['df'] < 5 then 13 when g['df'] < 30 then 6 else 4 end), lambda i: struct_pack(t := case when i > 0 then 0e0
    else g['z'] + (g['z'] * g['z'] + 1) * g['z'] / (4 * g['df'])
        + ((5 * g['z'] * g['z'] + 16) * g['z'] * g['z'] + 3) * g['z'] / (96 * g['df'] * g['df'])
        + (((3 * g['z'] * g['z'] + 19) * g['z'] * g['z'] + 17) * g['z'] * g['z'] - 15) * g['z'] / (384 * g['df'] * g['df'] * g['df'])
    end, alpha := g['alpha'], df := g['df'], scale := g['scale'])))[1],
    lambda g, h: list_transform([list_transform([list_transform([list_transform([struct_pack(u := g['t'] * g['t'] / g['df'], x := g['df'] / (g['df'] + g['t'] * g['t']), y := g['t'] * g['t'] / (g['df'] + g['t'] * g['t']))], lambda s: struct_pack(
    slope := g['t'] * g['scale'] * exp(-(g['df'] + 1) / 2 * case when abs(s['u']) > 0.5e0 then ln((1 + s['u'])) when 1 + s['u'] = 1 then s['u'] else ln(1 + s['u']) * s['u'] / ((1 + s['u']) - 1) end),
    x := s['x'], y := s['y'], far := s['x'] < (g['df'] + 2) / (g['df'] + 5)
))[1]], lambda s: struct_pack(
    slope := s['slope'],
    start := case when s['far'] then 0e0 else 1e0 end,
    x := case when s['far'] then s['x'] else s['y'] end,
    a := case when s['far'] then g['df'] / 2 else 0.5e0 end,
    b := case when s['far'] then 0.5e0 else g['df'] / 2 end
))[1]], lambda s: struct_pack(slope := s['slope'], p := abs(s['start'] - s['slope'] / s['a'] / list_reduce(
    list_transform(range(64, 0, -1), lambda i: cast(i as double)),
    lambda f, m: 1 - (s['a'] + m - 1) * (s['a'] + s['b'] + m - 1) * s['x'] / ((s['a'] + 2 * m - 2) * (s['a'] + 2 * m - 1))
        / (1 + m * (s['b'] - m) * s['x'] / ((s['a'] + 2 * m - 1) * (s['a'] + 2 * m)) / f),
    1e0
))))[1]], lambda s: struct_pack(t := g['t'] * exp(s['p'] / (2 * s['slope']) * ln(s['p'] / g['alpha'])), alpha := g['alpha'], df := g['df'], scale := g['scale']))[1]
)['t'] end)[1];
comment on macro ltr.t_quantile is 'Two-sided quantile of Student''s t distribution: the t with P(|T| >= t) = alpha. NULL unless 0 < alpha < 1 and df >= 1. Fisher & Cornish 1960, Technometrics 2 (start); refined by Newton''s method for ln p as a function of ln t.';

create or replace macro ltr.__ltr_measure_columns(measures, others) as case
    when measures is null then 'lambda c: not list_contains(' || '[' || coalesce(list_aggregate(list_transform(cast(others as varchar[]), lambda c: '''' || replace(replace(
    c,
    '{',
    case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '''', '''''') || ''''), 'string_agg', ', '), '') || ']::varchar[]' || ', lower(c))'
    else replace('case when len(list_filter({measures}, lambda n: not list_contains((*), n))) > 0 then [array_to_string(list_filter({measures}, lambda n: not list_contains((*), n)), '', '') || '' (the values have '' || array_to_string((*), '', '') || '')''] else list_filter((*), lambda c: list_contains({measures}, c)) end', '{measures}', '[' || coalesce(list_aggregate(list_transform(cast(measures as varchar[]), lambda c: '''' || replace(replace(
    c,
    '{',
    case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '''', '''''') || ''''), 'string_agg', ', '), '') || ']::varchar[]')
end;

create or replace macro ltr.__ltr_comparison_parts(test, adjust, ci, result) as list_transform(
    [struct_pack(test := coalesce(cast('{"randomization"={"tested": "with recursive __ltr_differing as (
    select
        m.pair,
        m.above + m.below as n,
        m.above + m.below <= case when count(*) over (partition by m.grp) > 20 then 19 else 30 end as exact
    from __ltr_moments as m
),
__ltr_terms as materialized (
    select
        d.pair,
        d.d,
        row_number() over (partition by d.pair order by d.d asc, d.query asc) as i,
        n.n
    from __ltr_differences as d
    join __ltr_differing as n
        on n.pair = d.pair and n.exact
    where d.rounded <> 0
),
__ltr_bars as materialized (
    select
        t.pair,
        max(t.n) as n,
        abs(sum(t.d)) - 1e-12 * sum(abs(t.d)) as bar
    from __ltr_terms as t
    group by t.pair
),
__ltr_halves as (
    select
        b.pair,
        h.half,
        cast(case when h.half = 0 then 0 else floor(b.n / 2) end as bigint) as i,
        cast(case when h.half = 0 then floor(b.n / 2) else b.n end as bigint) as last,
        0e0 as total
    from __ltr_bars as b
    cross join (values (0), (1)) as h(half)
    union all
    select
        h.pair,
        h.half,
        h.i + 1,
        h.last,
        h.total + s.sign * t.d
    from __ltr_halves as h
    join __ltr_terms as t
        on t.pair = h.pair and t.i = h.i + 1
    cross join (values (-1e0), (1e0)) as s(sign)
    where h.i < h.last
),
__ltr_reached as (
    select
        x.pair,
        x.on_left,
        sum(x.on_right) over (partition by x.pair order by x.x desc, x.on_right desc rows between unbounded preceding and current row) as reached
    from (
        select
            h.pair,
            case when h.half = 0 then b.bar - h.total else h.total end as x,
            1 - h.half as on_left,
            h.half as on_right
        from __ltr_halves as h
        join __ltr_bars as b
            on b.pair = h.pair
        where h.i = h.last
    ) as x
),
__ltr_exact as (
    select
        r.pair,
        least(1e0, 2 * sum(cast(r.reached * r.on_left as double)) / power(2e0, max(b.n))) as p
    from __ltr_reached as r
    join __ltr_bars as b
        on b.pair = r.pair
    group by r.pair
),
__ltr_sampled as materialized (
    select
        m.pair,
        m.grp,
        m.sys_a,
        m.sys_b,
        m.only_a + m.only_b = 0 and count(*) over () > 1 as complete
    from __ltr_moments as m
    join __ltr_differing as n
        on n.pair = m.pair and not n.exact
),
__ltr_vectors as materialized (
    select
        v.grp,
        v.sys,
        cast(null as bigint) as pair,
        v.query,
        v.value
    from __ltr_values as v
    join (
        select s.grp, s.sys_a as sys
        from __ltr_sampled as s
        where s.complete
        union
        select s.grp, s.sys_b
        from __ltr_sampled as s
        where s.complete
    ) as s
        on s.grp = v.grp and s.sys = v.sys
    union all
    select
        s.grp,
        cast(null as bigint),
        d.pair,
        d.query,
        d.d
    from __ltr_differences as d
    join __ltr_sampled as s
        on s.pair = d.pair and not s.complete
),
__ltr_ids as materialized (
    select distinct cast(n.query_id as varchar) as id, n.query
    from __ltr_numbered as n
    join __ltr_vectors as v
        on v.query = n.query
),
__ltr_words_0 as (
    select
        i.id,
        r.j,
        cast((cast(md5_number_lower(i.id) as uhugeint) + cast(cast((cast(cast({seed} as ubigint) * 4294967296 + r.j + 1 as uhugeint) * cast(11400714819323198485 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_ids as i
    cross join (select unnest(range(cast(ceil({replicates} / 64e0) as bigint))) as j) as r
),
__ltr_words_1 as (
    select w.id, w.j, xor(w.z, w.z >> 30) as z
    from __ltr_words_0 as w
),
__ltr_words_2 as (
    select w.id, w.j, cast((cast(w.z as uhugeint) * cast(13787848793156543929 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_words_1 as w
),
__ltr_words_3 as (
    select w.id, w.j, xor(w.z, w.z >> 27) as z
    from __ltr_words_2 as w
),
__ltr_words_4 as (
    select w.id, w.j, cast((cast(w.z as uhugeint) * cast(10723151780598845931 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_words_3 as w
),
__ltr_words as (
    select w.id, w.j, xor(w.z, w.z >> 31) as word
    from __ltr_words_4 as w
),
__ltr_filled as materialized (
    select
        v.grp,
        v.sys,
        v.pair,
        list(coalesce(x.value, 0e0) order by i.query) as numbers,
        sum(x.value) as total,
        sum(abs(x.value)) as mass
    from (
        select distinct v.grp, v.sys, v.pair
        from __ltr_vectors as v
    ) as v
    cross join __ltr_ids as i
    left join __ltr_vectors as x
        on x.grp = v.grp and x.sys is not distinct from v.sys and x.pair is not distinct from v.pair and x.query = i.query
    group by v.grp, v.sys, v.pair
),
__ltr_signs as (
    select
        l.j * 64 + b.bit as replicate,
        list_transform(l.words, lambda w: cast(2 * cast((w >> b.bit) & 1 as integer) - 1 as double)) as signs
    from (
        select
            w.j,
            list(w.word order by i.query) as words
        from __ltr_words as w
        join __ltr_ids as i
            on i.id = w.id
        group by w.j
    ) as l
    cross join (select unnest(range(64)) as bit) as b
    where l.j * 64 + b.bit < {replicates}
),
__ltr_signed as materialized (
    select
        f.grp,
        f.sys,
        f.pair,
        f.total,
        f.mass,
        s.replicate,
        list_dot_product(s.signs, f.numbers) as signed
    from __ltr_signs as s
    cross join __ltr_filled as f
),
__ltr_hits as (
    select
        s.pair,
        sum(case when abs(b.signed - a.signed) >= abs(b.total - a.total) - 1e-13 * (a.mass + b.mass) then 1 else 0 end) as hits
    from __ltr_sampled as s
    join __ltr_signed as a
        on a.grp = s.grp and a.sys = s.sys_a
    join __ltr_signed as b
        on b.grp = s.grp and b.sys = s.sys_b and b.replicate = a.replicate
    where s.complete
    group by s.pair
    union all
    select
        s.pair,
        sum(case when abs(s.signed) >= abs(s.total) - 1e-13 * s.mass then 1 else 0 end)
    from __ltr_signed as s
    where s.pair is not null
    group by s.pair
)
select
    m.pair,
    m.difference as statistic,
    cast(null as double) as df,
    case when m.ties = m.queries then 1e0 else coalesce(e.p, (h.hits + 1) / ({replicates} + 1e0)) end as p,
    m.difference as direction
from __ltr_moments as m
join __ltr_differing as n
    on n.pair = m.pair
left join __ltr_exact as e
    on e.pair = m.pair
left join __ltr_hits as h
    on h.pair = m.pair
where m.queries > 0", "too_few": "power(2e0, 1 - m.above - m.below) > {alpha}"}, "sign"={"tested": "select
    m.pair,
    cast(m.above as double) as statistic,
    cast(null as double) as df,
    ltr.__ltr_sign_p(m.above, m.below) as p,
    m.above - m.below as direction
from __ltr_moments as m
where m.queries > 0", "too_few": "power(2e0, 1 - m.above - m.below) > {alpha}"}, "t"={"tested": "select
    m.pair,
    m.t as statistic,
    m.df,
    case when m.ties = m.queries then 1e0 else u.ps[1] end as p,
    m.difference as direction
from __ltr_moments as m
join __ltr_tails as u
    on u.pair = m.pair
where m.queries > 0", "too_few": "m.queries < 5"}, "wilcoxon"={"tested": "with recursive __ltr_sizes as materialized (
    select
        d.pair,
        abs(d.rounded) as size,
        count(*) as tied,
        sum(case when d.rounded > 0 then 1 else 0 end) as plus
    from __ltr_differences as d
    where d.rounded <> 0
    group by d.pair, abs(d.rounded)
),
__ltr_doubled as materialized (
    select
        s.pair,
        s.tied,
        s.plus,
        cast(2 * (sum(s.tied) over (partition by s.pair order by s.size asc rows between unbounded preceding and current row) - s.tied) + s.tied + 1 as bigint) as doubled
    from __ltr_sizes as s
),
__ltr_signed as materialized (
    select
        r.pair,
        cast(sum(r.tied) as bigint) as n,
        cast(sum(r.plus * r.doubled) as bigint) as plus,
        cast(sum(r.tied * r.doubled) as bigint) as total,
        sum(cast(r.tied as double) * r.tied * r.tied - r.tied) as ties,
        list(struct_pack(doubled := r.doubled, tied := r.tied) order by r.doubled) as pattern
    from __ltr_doubled as r
    group by r.pair
),
__ltr_patterns as materialized (
    select
        s.pattern,
        s.n,
        row_number() over () as id
    from (
        select distinct s.pattern, s.n
        from __ltr_signed as s
        where s.n <= case when s.ties = 0 then 50 else 25 end
    ) as s
),
__ltr_items as materialized (
    select
        e.id,
        e.item[''doubled''] as doubled,
        row_number() over (partition by e.id order by e.item[''doubled''] asc) as i
    from (
        select
            g.id,
            g.item,
            unnest(range(g.item[''tied''])) as copy
        from (
            select
                p.id,
                unnest(p.pattern) as item
            from __ltr_patterns as p
        ) as g
    ) as e
),
__ltr_subsets as (
    select
        p.id,
        cast(0 as bigint) as i,
        cast(0 as bigint) as total,
        1e0 as subsets
    from __ltr_patterns as p
    union all
    select
        s.id,
        s.i + 1,
        s.total + k.taken * d.doubled,
        sum(s.subsets)
    from __ltr_subsets as s
    join __ltr_items as d
        on d.id = s.id and d.i = s.i + 1
    cross join (values (0), (1)) as k(taken)
    group by s.id, s.i, s.total + k.taken * d.doubled
),
__ltr_exact as (
    select
        s.pair,
        sum(b.subsets) / power(2e0, max(p.n)) as tail
    from __ltr_signed as s
    join __ltr_patterns as p
        on p.pattern = s.pattern and p.n = s.n
    join __ltr_subsets as b
        on b.id = p.id and b.i = p.n and b.total <= least(s.plus, s.total - s.plus)
    group by s.pair
)
select
    m.pair,
    coalesce(s.plus, 0) / 2e0 as statistic,
    cast(null as double) as df,
    case
        when s.pair is null then 1e0
        else least(1e0, coalesce(2 * e.tail, ltr.normal_p((s.plus / 2e0 - s.total / 4e0) / sqrt(s.n * (s.n + 1e0) * (2e0 * s.n + 1) / 24 - s.ties / 48))))
    end as p,
    2 * s.plus - s.total as direction
from __ltr_moments as m
left join __ltr_signed as s
    on s.pair = m.pair
left join __ltr_exact as e
    on e.pair = m.pair
where m.queries > 0", "too_few": "power(2e0, 1 - m.above - m.below) > {alpha}"}}' as map(varchar, struct("tested" varchar, "too_few" varchar)))[test], error('test must be one of randomization, sign, t, wilcoxon, got ' || coalesce(test, 'NULL'))), adjust := coalesce(cast('{"bh"={"adjusted": "select
    r.pair,
    least(1e0, min(r.p * r.tests / r.place) over (partition by r.family order by r.place asc rows between current row and unbounded following)) as p_adjusted
from __ltr_ranked as r"}, "bonferroni"={"adjusted": "select
    r.pair,
    least(1e0, r.p * r.tests) as p_adjusted
from __ltr_ranked as r"}, "hochberg"={"adjusted": "select
    r.pair,
    least(1e0, min(r.p * (r.tests - r.place + 1)) over (partition by r.family order by r.place asc rows between current row and unbounded following)) as p_adjusted
from __ltr_ranked as r"}, "holm"={"adjusted": "select
    r.pair,
    least(1e0, max(r.p * (r.tests - r.place + 1)) over (partition by r.family order by r.place asc rows between unbounded preceding and current row)) as p_adjusted
from __ltr_ranked as r"}, "none"={"adjusted": "select
    r.pair,
    r.p as p_adjusted
from __ltr_ranked as r"}, "tukey"={"adjusted": "with __ltr_by_query as (
    select
        v.grp,
        v.query,
        count(*) as systems,
        avg(v.value) as mean
    from __ltr_values as v
    group by v.grp, v.query
),
__ltr_by_group as (
    select
        v.grp,
        avg(v.value) as mean
    from __ltr_values as v
    group by v.grp
),
__ltr_incomplete as (
    select
        m.grp,
        min(s.system) as system
    from __ltr_members as m
    join __ltr_systems as s
        on s.sys = m.sys
    where m.queries < (select count(*) from __ltr_by_query as q where q.grp = m.grp)
    group by m.grp
),
__ltr_two_way as materialized (
    select
        v.grp,
        cast(count(distinct v.sys) as double) as systems,
        cast(count(distinct v.query) as double) as queries,
        sum((m.mean - g.mean) * (m.mean - g.mean)) as ss_system,
        sum((q.mean - g.mean) * (q.mean - g.mean)) as ss_query,
        case
            when count(distinct v.query) < 2 then error(''adjust := ''''tukey'''''' || '' needs at least two queries'')
            when max(abs(round(v.value - m.mean - q.mean + g.mean, 12))) = 0 then 0e0
            else sum((v.value - m.mean - q.mean + g.mean) * (v.value - m.mean - q.mean + g.mean))
        end as ss_error
    from __ltr_values as v
    join __ltr_members as m
        on m.grp = v.grp and m.sys = v.sys
    join __ltr_by_query as q
        on q.grp = v.grp and q.query = v.query
    join __ltr_by_group as g
        on g.grp = v.grp
    left join __ltr_incomplete as i
        on i.grp = v.grp
    where case
        when i.grp is null then true
        else error(''adjust := ''''tukey'''''' || '' needs a value of every system for every query, and '' || cast(i.system as varchar) || '' lacks some: leave out these queries, or pass missing := ''''zero'''''')
    end
    group by v.grp
),
__ltr_ranges as (
    select
        m.pair,
        w.systems,
        (w.systems - 1) * (w.queries - 1) as df,
        m.ties = m.queries as equal,
        abs(m.difference) / nullif(sqrt(w.ss_error / ((w.systems - 1) * (w.queries - 1)) / w.queries), 0) as q
    from __ltr_moments as m
    join __ltr_two_way as w
        on w.grp = m.grp
),
__ltr_range_ps as (
    select
        d.systems,
        d.df,
        d.q,
        ltr.tukey_p(d.q, d.systems, d.df) as p
    from (
        select distinct r.systems, r.df, r.q
        from __ltr_ranges as r
    ) as d
)
select
    r.pair,
    case when r.equal then 1e0 else p.p end as p_adjusted
from __ltr_ranges as r
left join __ltr_range_ps as p
    on p.systems = r.systems and p.df = r.df and p.q = r.q"}}' as map(varchar, struct("adjusted" varchar)))[adjust], error('adjust must be one of bh, bonferroni, hochberg, holm, none, tukey, got ' || coalesce(adjust, 'NULL'))), ci := coalesce(cast('{"abc"={"interval": "with __ltr_skewed as (
    select
        d.pair,
        max(m.difference) as mean,
        sqrt(sum(power(d.d - m.difference, 2))) / count(*) as error,
        sum(power(d.d - m.difference, 3)) / (6 * power(sum(power(d.d - m.difference, 2)), 1.5e0)) as acceleration
    from __ltr_differences as d
    join __ltr_moments as m
        on m.pair = d.pair and m.sd > 0
    group by d.pair
),
__ltr_shifts as (
    select
        a.pair,
        a.mean,
        a.error,
        a.acceleration,
        a.acceleration - z.z as below,
        a.acceleration + z.z as above
    from __ltr_skewed as a
    cross join (
        select ltr.__ltr_normal_quantile(u.u) as z
        from (select 1 - {interval_alpha} / 2 as u) as u
    ) as z
)
select
    s.pair,
    s.mean + s.error * s.below / power(1 - s.acceleration * s.below, 2) as low,
    s.mean + s.error * s.above / power(1 - s.acceleration * s.above, 2) as high
from __ltr_shifts as s"}, "bca"={"interval": "with __ltr_paired as materialized (
    select
        d.pair,
        count(*) as n,
        list(d.d order by d.query) as numbers
    from __ltr_differences as d
    join __ltr_moments as m
        on m.pair = d.pair and m.sd > 0
    group by d.pair
),
__ltr_sizes as (
    select distinct cast(p.n as ubigint) as n
    from __ltr_paired as p
),
__ltr_ids as (
    select cast(r.replicate as varchar) as id
    from (select unnest(range({resamples})) as replicate) as r
),
__ltr_words_0 as (
    select
        i.id,
        r.j,
        cast((cast(md5_number_lower(i.id) as uhugeint) + cast(cast((cast(cast({seed} as ubigint) * 4294967296 + r.j + 1 as uhugeint) * cast(11400714819323198485 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_ids as i
    cross join (select unnest(range((select cast(ceil(max(z.n) / 2) as bigint) from __ltr_sizes as z))) as j) as r
),
__ltr_words_1 as (
    select w.id, w.j, xor(w.z, w.z >> 30) as z
    from __ltr_words_0 as w
),
__ltr_words_2 as (
    select w.id, w.j, cast((cast(w.z as uhugeint) * cast(13787848793156543929 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_words_1 as w
),
__ltr_words_3 as (
    select w.id, w.j, xor(w.z, w.z >> 27) as z
    from __ltr_words_2 as w
),
__ltr_words_4 as (
    select w.id, w.j, cast((cast(w.z as uhugeint) * cast(10723151780598845931 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_words_3 as w
),
__ltr_words as (
    select w.id, w.j, xor(w.z, w.z >> 31) as word
    from __ltr_words_4 as w
),
__ltr_draws as materialized (
    select
        w.id,
        z.n,
        list_transform(
            flatten(list_transform(w.words, lambda x: [x >> 32, x & 4294967295]))[1:z.n],
            lambda x: cast((x * z.n) >> 32 as bigint) + 1
        ) as positions
    from (
        select
            w.id,
            list(w.word order by w.j) as words
        from __ltr_words as w
        group by w.id
    ) as w
    cross join __ltr_sizes as z
),
__ltr_resampled as materialized (
    select
        p.pair,
        list_sort(list(list_sum(list_select(p.numbers, d.positions)) / p.n)) as means
    from __ltr_paired as p
    join __ltr_draws as d
        on d.n = p.n
    group by p.pair
),
__ltr_skewed as (
    select
        d.pair,
        max(m.difference) as mean,
        sqrt(sum(power(d.d - m.difference, 2))) / count(*) as error,
        sum(power(d.d - m.difference, 3)) / (6 * power(sum(power(d.d - m.difference, 2)), 1.5e0)) as acceleration
    from __ltr_differences as d
    join __ltr_moments as m
        on m.pair = d.pair and m.sd > 0
    group by d.pair
),
__ltr_shares as (
    select
        r.pair,
        r.means,
        a.acceleration,
        list_sum(list_transform(r.means, lambda x: case when x < a.mean - 1e-12 then 1e0 when x <= a.mean + 1e-12 then 0.5e0 else 0e0 end)) / len(r.means) as below
    from __ltr_resampled as r
    join __ltr_skewed as a
        on a.pair = r.pair
),
__ltr_biased as (
    select
        s.pair,
        s.means,
        s.acceleration,
        ltr.__ltr_normal_quantile(s.below) as bias
    from __ltr_shares as s
    where s.below > 0 and s.below < 1
),
__ltr_shifted as (
    select
        b.pair,
        b.means,
        b.bias + (b.bias + z.z) / (1 - b.acceleration * (b.bias + z.z)) as z,
        z.side
    from __ltr_biased as b
    cross join (
        select
            u.side,
            ltr.__ltr_normal_quantile(u.u) as z
        from (values (''low'', {interval_alpha} / 2), (''high'', 1 - {interval_alpha} / 2)) as u(side, u)
    ) as z
),
__ltr_positions as (
    select
        s.pair,
        s.means,
        s.side,
        (1 - ltr.__ltr_normal_upper(s.z)) * (len(s.means) - 1) as at
    from __ltr_shifted as s
),
__ltr_bounds as (
    select
        p.pair,
        p.side,
        p.means[cast(floor(p.at) as bigint) + 1]
            + (p.at - floor(p.at)) * (p.means[least(cast(floor(p.at) as bigint) + 2, len(p.means))] - p.means[cast(floor(p.at) as bigint) + 1]) as bound
    from __ltr_positions as p
)
select
    b.pair,
    max(case when b.side = ''low'' then b.bound end) as low,
    max(case when b.side = ''high'' then b.bound end) as high
from __ltr_bounds as b
group by b.pair"}, "percentile"={"interval": "with __ltr_paired as materialized (
    select
        d.pair,
        count(*) as n,
        list(d.d order by d.query) as numbers
    from __ltr_differences as d
    join __ltr_moments as m
        on m.pair = d.pair and m.sd > 0
    group by d.pair
),
__ltr_sizes as (
    select distinct cast(p.n as ubigint) as n
    from __ltr_paired as p
),
__ltr_ids as (
    select cast(r.replicate as varchar) as id
    from (select unnest(range({resamples})) as replicate) as r
),
__ltr_words_0 as (
    select
        i.id,
        r.j,
        cast((cast(md5_number_lower(i.id) as uhugeint) + cast(cast((cast(cast({seed} as ubigint) * 4294967296 + r.j + 1 as uhugeint) * cast(11400714819323198485 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_ids as i
    cross join (select unnest(range((select cast(ceil(max(z.n) / 2) as bigint) from __ltr_sizes as z))) as j) as r
),
__ltr_words_1 as (
    select w.id, w.j, xor(w.z, w.z >> 30) as z
    from __ltr_words_0 as w
),
__ltr_words_2 as (
    select w.id, w.j, cast((cast(w.z as uhugeint) * cast(13787848793156543929 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_words_1 as w
),
__ltr_words_3 as (
    select w.id, w.j, xor(w.z, w.z >> 27) as z
    from __ltr_words_2 as w
),
__ltr_words_4 as (
    select w.id, w.j, cast((cast(w.z as uhugeint) * cast(10723151780598845931 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_words_3 as w
),
__ltr_words as (
    select w.id, w.j, xor(w.z, w.z >> 31) as word
    from __ltr_words_4 as w
),
__ltr_draws as materialized (
    select
        w.id,
        z.n,
        list_transform(
            flatten(list_transform(w.words, lambda x: [x >> 32, x & 4294967295]))[1:z.n],
            lambda x: cast((x * z.n) >> 32 as bigint) + 1
        ) as positions
    from (
        select
            w.id,
            list(w.word order by w.j) as words
        from __ltr_words as w
        group by w.id
    ) as w
    cross join __ltr_sizes as z
),
__ltr_resampled as materialized (
    select
        p.pair,
        list_sort(list(list_sum(list_select(p.numbers, d.positions)) / p.n)) as means
    from __ltr_paired as p
    join __ltr_draws as d
        on d.n = p.n
    group by p.pair
)
select
    r.pair,
    quantile_cont(r.mean, {interval_alpha} / 2) as low,
    quantile_cont(r.mean, 1 - {interval_alpha} / 2) as high
from (
    select
        s.pair,
        unnest(s.means) as mean
    from __ltr_resampled as s
) as r
group by r.pair"}, "t"={"interval": "select
    m.pair,
    m.difference - q.t * m.sd / sqrt(m.queries) as low,
    m.difference + q.t * m.sd / sqrt(m.queries) as high
from __ltr_moments as m
join __ltr_quantiles as q
    on q.df = m.df and q.alpha = {interval_alpha}"}}' as map(varchar, struct("interval" varchar)))[ci], error('ci must be one of abc, bca, percentile, t, got ' || coalesce(ci, 'NULL'))), result := coalesce(cast('{"comparisons"={"result": "select
    {strata_output}r.measure,
    r.system_a,
    r.system_b,
    r.queries,
    r.only_a,
    r.only_b,
    r.mean_a,
    r.mean_b,
    r.difference,
    r.relative,
    r.sd,
    r.low,
    r.high,
    r.relative_low,
    r.relative_high,
    r.dz,
    r.gz,
    r.wins,
    r.ties,
    r.losses,
    r.superiority,
    r.test,
    r.statistic,
    r.df,
    r.p,
    r.p_adjusted,
    r.p_not_worse,
    r.p_worse,
    r.p_equivalent,
    r.mde,
    r.queries_needed,
    r.verdict
from __ltr_compared as r
order by r.pair"}, "leaderboard"={"result": ",
__ltr_places as (
    select
        g.stratum,
        g.grp,
        g.measure,
        g.geometric,
        rank() over (partition by m.grp order by round(g.sense * m.mean, 12) desc nulls last) as place,
        m.sys,
        s.system,
        m.queries,
        m.mean,
        q.t * m.sd / sqrt(m.queries) as reach
    from __ltr_members as m
    join __ltr_groups as g
        on g.grp = m.grp
    join __ltr_systems as s
        on s.sys = m.sys
    left join __ltr_quantiles as q
        on q.df = m.queries - 1 and q.alpha = {alpha}
),
__ltr_ordered as (
    select
        p.grp,
        p.sys,
        row_number() over (partition by p.grp order by p.place asc, p.sys asc) as number
    from __ltr_places as p
),
__ltr_outcomes as (
    select
        o.grp,
        o.of,
        o.beaten,
        o.beats,
        p.number = 1 as first,
        p.sys,
        s.system
    from (
        select
            c.grp,
            c.sys_a as of,
            c.sys_b as other,
            c.verdict = ''worse'' as beaten,
            c.verdict = ''better'' as beats
        from __ltr_compared as c
        union all
        select
            c.grp,
            c.sys_b,
            c.sys_a,
            c.verdict = ''better'',
            c.verdict = ''worse''
        from __ltr_compared as c
    ) as o
    join __ltr_ordered as p
        on p.grp = o.grp and p.sys = o.other
    join __ltr_systems as s
        on s.sys = o.other
),
__ltr_differing_pairs as (
    select
        a.grp,
        list([[least(a.number, b.number), greatest(a.number, b.number)]] order by least(a.number, b.number), greatest(a.number, b.number)) as pairs
    from __ltr_compared as c
    join __ltr_ordered as a
        on a.grp = c.grp and a.sys = c.sys_a
    join __ltr_ordered as b
        on b.grp = c.grp and b.sys = c.sys_b
    where c.verdict in (''better'', ''worse'')
    group by a.grp
),
__ltr_lettered as (
    select
        o.grp,
        list_sort(list_reduce(
            list_concat([[range(1, count(*) + 1)]], coalesce(max(d.pairs), [])),
            lambda sets, pair: list_transform(
                [list_distinct(flatten(list_transform(sets, lambda s: case
                    when list_has_all(s, pair[1]) then [list_filter(s, lambda x: x <> pair[1][1]), list_filter(s, lambda x: x <> pair[1][2])]
                    else [s]
                end)))],
                lambda split: list_filter(split, lambda s: len(list_filter(split, lambda o: o <> s and list_has_all(o, s))) = 0)
            )[1]
        )) as sets
    from __ltr_ordered as o
    left join __ltr_differing_pairs as d
        on d.grp = o.grp
    group by o.grp
),
__ltr_positions as materialized (
    select
        q.grp,
        q.query,
        row_number() over (partition by q.grp order by q.query asc) as position,
        count(*) over (partition by q.grp) as n
    from (
        select distinct v.grp, v.query
        from __ltr_values as v
    ) as q
),
__ltr_profiles as materialized (
    select
        m.grp,
        m.sys,
        max(p.n) as n,
        list(v.value order by p.position) as numbers
    from __ltr_members as m
    join __ltr_positions as p
        on p.grp = m.grp
    left join __ltr_values as v
        on v.grp = m.grp and v.sys = m.sys and v.query = p.query
    group by m.grp, m.sys
),
__ltr_sizes as (
    select distinct cast(p.n as ubigint) as n
    from __ltr_positions as p
),
__ltr_ids as (
    select cast(r.replicate as varchar) as id
    from (select unnest(range({resamples})) as replicate) as r
),
__ltr_words_0 as (
    select
        i.id,
        r.j,
        cast((cast(md5_number_lower(i.id) as uhugeint) + cast(cast((cast(cast({seed} as ubigint) * 4294967296 + r.j + 1 as uhugeint) * cast(11400714819323198485 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_ids as i
    cross join (select unnest(range((select cast(ceil(max(z.n) / 2) as bigint) from __ltr_sizes as z))) as j) as r
),
__ltr_words_1 as (
    select w.id, w.j, xor(w.z, w.z >> 30) as z
    from __ltr_words_0 as w
),
__ltr_words_2 as (
    select w.id, w.j, cast((cast(w.z as uhugeint) * cast(13787848793156543929 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_words_1 as w
),
__ltr_words_3 as (
    select w.id, w.j, xor(w.z, w.z >> 27) as z
    from __ltr_words_2 as w
),
__ltr_words_4 as (
    select w.id, w.j, cast((cast(w.z as uhugeint) * cast(10723151780598845931 as uhugeint)) & cast(18446744073709551615 as uhugeint) as ubigint) as z
    from __ltr_words_3 as w
),
__ltr_words as (
    select w.id, w.j, xor(w.z, w.z >> 31) as word
    from __ltr_words_4 as w
),
__ltr_draws as materialized (
    select
        w.id,
        z.n,
        list_transform(
            flatten(list_transform(w.words, lambda x: [x >> 32, x & 4294967295]))[1:z.n],
            lambda x: cast((x * z.n) >> 32 as bigint) + 1
        ) as positions
    from (
        select
            w.id,
            list(w.word order by w.j) as words
        from __ltr_words as w
        group by w.id
    ) as w
    cross join __ltr_sizes as z
),
__ltr_resampled_means as (
    select
        p.grp,
        p.sys,
        d.id,
        g.sense * list_avg(list_select(p.numbers, d.positions)) as mean
    from __ltr_profiles as p
    join __ltr_groups as g
        on g.grp = p.grp
    join __ltr_draws as d
        on d.n = p.n
),
__ltr_best as (
    select
        r.grp,
        r.sys,
        r.id,
        case when r.mean >= max(r.mean) over (partition by r.grp, r.id) - 1e-12 then 1e0 else 0e0 end as best
    from __ltr_resampled_means as r
),
__ltr_chances as (
    select
        s.grp,
        s.sys,
        sum(s.share) / {resamples} as p_best
    from (
        select
            b.grp,
            b.sys,
            b.best / sum(b.best) over (partition by b.grp, b.id) as share
        from __ltr_best as b
    ) as s
    group by s.grp, s.sys
),
__ltr_spreads as (
    select
        r.stratum,
        r.measure,
        r.system,
        stddev_samp(r.mean) as sd_repeats
    from (
        select
            r.stratum,
            r.measure,
            r.system,
            r.repeat,
            avg(r.value) as mean
        from __ltr_rows as r
        group by r.stratum, r.measure, r.system, r.repeat
    ) as r
    group by r.stratum, r.measure, r.system
),
__ltr_records as (
    select
        r.grp,
        r.sys,
        count(case when o.beats then 1 end) as beaten_by,
        coalesce(list(o.system order by o.sys asc) filter (where o.beaten), []) as beats,
        coalesce(bool_and(not o.first or not o.beats), true) as tied_with_best
    from __ltr_places as r
    left join __ltr_outcomes as o
        on o.grp = r.grp and o.of = r.sys
    group by r.grp, r.sys
)
select
    {strata_output}r.measure,
    r.place,
    r.system,
    r.queries,
    case when r.geometric then exp(r.mean) else r.mean end as mean,
    case when r.geometric then exp(r.mean - r.reach) else r.mean - r.reach end as low,
    case when r.geometric then exp(r.mean + r.reach) else r.mean + r.reach end as high,
    c.beats,
    c.tied_with_best,
    array_to_string(list_transform(
        list_filter(range(1, len(l.sets) + 1), lambda s: list_contains(l.sets[s], o.number)),
        lambda s: case when s > 26 then chr(cast(96 + (s - 1) // 26 as integer)) else '''' end || chr(cast(97 + (s - 1) % 26 as integer))
    ), '''') as letters,
    c.beaten_by + 1 as place_low,
    count(*) over (partition by r.grp) - len(c.beats) as place_high,
    coalesce(b.p_best, 0e0) as p_best,
    d.sd_repeats
from __ltr_places as r
join __ltr_ordered as o
    on o.grp = r.grp and o.sys = r.sys
join __ltr_records as c
    on c.grp = r.grp and c.sys = r.sys
join __ltr_lettered as l
    on l.grp = r.grp
left join __ltr_chances as b
    on b.grp = r.grp and b.sys = r.sys
left join __ltr_spreads as d
    on d.stratum = r.stratum and d.measure = r.measure and d.system = r.system
order by r.grp, o.number"}}' as map(varchar, struct("result" varchar)))[result], error('result must be one of comparisons, leaderboard, got ' || coalesce(result, 'NULL'))))],
    lambda p: replace(replace(replace(replace(replace('with __ltr_rows as (
    select
        struct_pack({stratum}) as stratum,
        v.{system} as system,
        v.query_id as query_id,
        struct_pack({repeat}) as repeat,
        unnest(range(len({names}))) as position,
        unnest({names}) as measure,
        unnest(cast({numbers} as double[])) as value
    from {relation} as v
),
__ltr_cells as materialized (
    select
        r.stratum,
        r.system,
        r.query_id,
        r.measure,
        min(r.position) as position,
        avg(r.value) as value
    from __ltr_rows as r
    group by r.stratum, r.system, r.query_id, r.measure
    having case
        when r.system is null or r.query_id is null
        then error(''a row of the values has no system or no query_id (NULL): system '' || coalesce(cast(r.system as varchar), ''NULL'') || '', query_id '' || coalesce(cast(r.query_id as varchar), ''NULL''))
        when {duplicated}
        then error(''the values of system '' || cast(r.system as varchar) || '', query '' || cast(r.query_id as varchar) || '' and measure '' || r.measure || '' are given '' || count(*) || '' times: keep one, or pass the column that distinguishes them in keys or repeats'')
        when max(case when not isfinite(r.value) then 1 end) = 1
        then error(''the value of system '' || cast(r.system as varchar) || '', query '' || cast(r.query_id as varchar) || '' and measure '' || r.measure || '' is not a finite number: correct it, or set it to NULL if it is undefined'')
        else true
    end
),
__ltr_groups as materialized (
    select
        g.stratum,
        g.measure,
        row_number() over (order by g.stratum asc, g.position asc) as grp,
        dense_rank() over (order by g.stratum asc) as stratum_number,
        case when list_contains({lower}, g.measure) or list_contains([''arelpos'', ''coverageerror'', ''coverage_error'', ''fagink'', ''fagin_k'', ''footrule'', ''kendalldistance'', ''kendall_distance'', ''rankingloss'', ''ranking_loss'', ''label_ranking_loss'', ''unj'']::varchar[], regexp_extract(lower(g.measure), ''^\w+'')) then -1 else 1 end as sense,
        list_contains([''gmap'', ''gm_map'', ''gmbpref'', ''gm_bpref'']::varchar[], regexp_extract(lower(g.measure), ''^\w+'')) as geometric
    from (
        select
            c.stratum,
            c.measure,
            min(c.position) as position
        from __ltr_cells as c
        group by c.stratum, c.measure
    ) as g
),
__ltr_systems as materialized (
    select
        s.system,
        s.sys,
        coalesce(list_position({baseline}, cast(s.system as varchar)), 0) as base
    from (
        select
            unnest(l.systems) as system,
            unnest(range(1, len(l.systems) + 1)) as sys
        from (
            select case
                when count(*) < 2
                then error(''there is nothing to compare: the column '' || {compared} || '' names '' || count(*) || '' system'' || case when count(*) = 1 then '''' else ''s'' end || '', pass at least two'')
                when not list_has_all(list(cast(d.system as varchar)), {baseline})
                then error(''the baseline '' || cast(list_filter({baseline}, lambda b: not list_contains(list(cast(d.system as varchar)), b)) as varchar) || '' is not a system: the systems are '' || array_to_string(list(cast(d.system as varchar) order by d.system), '', ''))
                else list(d.system order by d.system)
            end as systems
            from (
                select distinct c.system
                from __ltr_cells as c
            ) as d
        ) as l
    ) as s
),
__ltr_numbered as materialized (
    select
        q.query_id,
        row_number() over (order by cast(q.query_id as varchar) asc) as query
    from (
        select distinct c.query_id
        from __ltr_cells as c
    ) as q
),
__ltr_given as materialized (
    select
        g.grp,
        s.sys,
        q.query,
        case when g.geometric and c.value is not null then ln(greatest(c.value, 1e-5)) else c.value end as value,
        c.value <> 0 or g.sense < 0 as counts
    from __ltr_cells as c
    join __ltr_groups as g
        on g.stratum = c.stratum and g.measure = c.measure
    join __ltr_systems as s
        on s.system = c.system
    join __ltr_numbered as q
        on q.query_id = c.query_id
),
__ltr_values as materialized (
    select
        v.grp,
        v.sys,
        v.query,
        v.value
    from __ltr_given as v
    where v.value is not null
    union all
    select
        m.grp,
        m.sys,
        q.query,
        case when g.geometric then ln(1e-5) else 0e0 end
    from (
        select distinct v.grp, v.sys
        from __ltr_given as v
    ) as m
    join (
        select distinct v.grp, v.query
        from __ltr_given as v
    ) as q
        on q.grp = m.grp
    join __ltr_groups as g
        on g.grp = m.grp
    where {missing} = ''zero''
        and not exists (
            select 1
            from __ltr_given as v
            where v.grp = m.grp and v.sys = m.sys and v.query = q.query
        )
),
__ltr_members as materialized (
    select
        m.grp,
        m.sys,
        m.has_values,
        coalesce(n.queries, 0) as queries,
        n.mean,
        n.sd
    from (
        select
            v.grp,
            v.sys,
            coalesce(bool_or(v.counts), false) as has_values
        from __ltr_given as v
        group by v.grp, v.sys
    ) as m
    left join (
        select
            v.grp,
            v.sys,
            count(*) as queries,
            avg(v.value) as mean,
            case when max(round(v.value, 12)) = min(round(v.value, 12)) then 0e0 else stddev_samp(v.value) end as sd
        from __ltr_values as v
        group by v.grp, v.sys
    ) as n
        on n.grp = m.grp and n.sys = m.sys
),
__ltr_pairs as materialized (
    select
        row_number() over (order by a.grp asc, a.sys asc, b.sys asc) as pair,
        a.grp,
        a.sys as sys_a,
        b.sys as sys_b,
        a.queries as queries_a,
        b.queries as queries_b,
        a.has_values and b.has_values as has_values
    from __ltr_members as a
    join __ltr_members as b
        on b.grp = a.grp and b.sys <> a.sys
    join __ltr_systems as s
        on s.sys = a.sys
    join __ltr_systems as o
        on o.sys = b.sys
    where case
        when {baseline} is null then a.sys < b.sys
        else s.base > 0 and o.base = 0
    end
),
__ltr_differences as (
    select
        p.pair,
        a.query,
        a.value as a,
        b.value as b,
        b.value - a.value as d,
        round(b.value - a.value, 12) as rounded
    from __ltr_pairs as p
    join __ltr_values as a
        on a.grp = p.grp and a.sys = p.sys_a
    join __ltr_values as b
        on b.grp = p.grp and b.sys = p.sys_b and b.query = a.query
),
__ltr_sums as (
    select
        d.pair,
        count(*) as queries,
        avg(d.a) as mean_a,
        avg(d.b) as mean_b,
        case when max(abs(d.rounded)) = 0 then 0e0 else avg(d.d) end as difference,
        case when max(d.rounded) = min(d.rounded) then 0e0 else stddev_samp(d.d) end as sd,
        sum(case when d.rounded > 0 then 1 else 0 end) as above,
        sum(case when d.rounded = 0 then 1 else 0 end) as ties,
        sum(case when d.rounded < 0 then 1 else 0 end) as below,
        var_samp(d.a) as variance_a,
        covar_samp(d.a, d.d) as covariance
    from __ltr_differences as d
    group by d.pair
),
__ltr_moments as materialized (
    select
        p.pair,
        p.grp,
        p.sys_a,
        p.sys_b,
        p.has_values,
        g.sense,
        coalesce(m.queries, 0) as queries,
        p.queries_a - coalesce(m.queries, 0) as only_a,
        p.queries_b - coalesce(m.queries, 0) as only_b,
        m.mean_a,
        m.mean_b,
        m.difference,
        m.sd,
        coalesce(m.above, 0) as above,
        coalesce(m.ties, 0) as ties,
        coalesce(m.below, 0) as below,
        m.variance_a,
        m.covariance,
        m.difference / nullif(m.sd, 0) as dz,
        m.difference * sqrt(m.queries) / nullif(m.sd, 0) as t,
        cast(nullif(m.queries - 1, 0) as double) as df,
        g.sense * m.difference + g.worse + g.share * m.mean_a as excess,
        g.sense * m.difference - g.better - g.share * m.mean_a as shortfall,
        m.sd * m.sd + g.share * g.share * m.variance_a + 2 * g.share * g.sense * m.covariance as excess_variance,
        m.sd * m.sd + g.share * g.share * m.variance_a - 2 * g.share * g.sense * m.covariance as shortfall_variance
    from __ltr_pairs as p
    join (
        select
            g.grp,
            g.sense,
            case when not g.geometric then {relative_margin} else 0e0 end as share,
            {margin} + case when g.geometric then -g.sense * ln(1 - g.sense * {relative_margin}) else 0e0 end as worse,
            {margin} + case when g.geometric then g.sense * ln(1 + g.sense * {relative_margin}) else 0e0 end as better
        from __ltr_groups as g
    ) as g
        on g.grp = p.grp
    left join __ltr_sums as m
        on m.pair = p.pair
),
__ltr_tails as materialized (
    select
        t.pair,
        t.ts,
        list_transform(t.ts, lambda t: ltr.t_p(t, t.df)) as ps
    from (
        select
            m.pair,
            m.df,
            [m.t, case
    when m.queries < 2 then null
    when m.excess_variance > 0 then m.excess * sqrt(m.queries) / sqrt(m.excess_variance)
    when round(m.excess, 12) = 0 then null
    when m.excess > 0 then cast(''inf'' as double)
    else cast(''-inf'' as double)
end, case
    when m.queries < 2 then null
    when m.shortfall_variance > 0 then m.shortfall * sqrt(m.queries) / sqrt(m.shortfall_variance)
    when round(m.shortfall, 12) = 0 then null
    when m.shortfall > 0 then cast(''inf'' as double)
    else cast(''-inf'' as double)
end] as ts
        from __ltr_moments as m
    ) as t
),
__ltr_effects as (
    select
        m.pair,
        m.dz
    from __ltr_moments as m
    where m.dz <> 0 and round(m.difference, 12) <> 0
),
__ltr_normal as materialized (
    select
        n.z,
        ltr.__ltr_normal_upper(2 * n.z[1] + n.z[2]) * 2.5066282746310002e0 * exp(n.z[2] * n.z[2] / 2) as other_tail
    from (
        select list_transform([1 - {alpha} / 2, 0.8e0], lambda u: ltr.__ltr_normal_quantile(u)) as z
    ) as n
),
__ltr_starts as materialized (
    select
        e.pair,
        abs(e.dz) as dz,
        least(1e9, greatest(2, ceil(power((n.z[1] + n.z[2]) / e.dz, 2) + n.z[1] * n.z[1] / 2))) as start,
        greatest(2, ceil(power((n.z[1] + n.z[2] - n.other_tail) / e.dz, 2) + n.z[1] * n.z[1] / 2)) as centre
    from __ltr_effects as e
    cross join __ltr_normal as n
),
__ltr_candidates as materialized (
    select
        s.pair,
        s.dz,
        cast(unnest(range(
            cast(greatest(2, s.centre - case when s.centre > 20 then 3 else 20 end) as bigint),
            cast(s.centre as bigint) + 3
        )) as double) as n
    from __ltr_starts as s
    where s.start <= 10000
),
__ltr_quantiles as materialized (
    select
        d.df,
        d.alpha,
        ltr.t_quantile(d.alpha, d.df) as t
    from (
        select distinct
            c.n - 1 as df,
            {alpha} as alpha
        from __ltr_candidates as c
        union
        select
            m.df,
            a.alpha
        from __ltr_moments as m
        cross join (values ({alpha}), ({interval_alpha}), (0.4e0)) as a(alpha)
        where m.df is not null
        union
        select
            cast(m.queries - 1 as double),
            {alpha}
        from __ltr_members as m
        where m.queries > 1
    ) as d
),
__ltr_powers as materialized (
    select
        c.pair,
        c.n,
        ltr.__ltr_t_power(c.n, c.dz, q.t) as power
    from __ltr_candidates as c
    join __ltr_quantiles as q
        on q.df = c.n - 1 and q.alpha = {alpha}
),
__ltr_needed as (
    select
        s.pair,
        cast(coalesce(min(case when p.power >= 0.8e0 then p.n end), max(s.start)) as bigint) as queries_needed
    from __ltr_starts as s
    left join __ltr_powers as p
        on p.pair = s.pair
    group by s.pair
),
__ltr_tested as materialized (
    {tested}
),
__ltr_ranked as materialized (
    select
        t.pair,
        t.p,
        t.family,
        row_number() over (partition by t.family order by t.p asc, t.pair asc) as place,
        count(*) over (partition by t.family) as tests
    from (
        select
            t.pair,
            t.p,
            case when {family} = ''all'' then -g.stratum_number else g.grp end as family
        from __ltr_tested as t
        join __ltr_moments as m
            on m.pair = t.pair
        join __ltr_groups as g
            on g.grp = m.grp
        where t.p is not null
    ) as t
),
__ltr_adjusted as (
    {adjusted}
),
__ltr_intervals as (
    {interval}
),
__ltr_results as (
    select
        m.*,
        g.stratum,
        g.measure,
        g.geometric,
        a.system as system_a,
        b.system as system_b,
        t.statistic,
        t.df as test_df,
        t.p,
        t.direction,
        j.p_adjusted,
        case when m.queries > 1 then case when m.sd = 0 then m.difference else i.low end end as low,
        case when m.queries > 1 then case when m.sd = 0 then m.difference else i.high end end as high,
        n.queries_needed,
        (q.t + r.t) * m.sd / sqrt(m.queries) as mde,
        m.mean_a * m.mean_a - c.t * c.t * m.variance_a / m.queries as x,
        m.mean_a * m.difference - c.t * c.t * m.covariance / m.queries as y,
        m.difference * m.difference - c.t * c.t * m.sd * m.sd / m.queries as z,
        case when m.queries < 2 then null when u.ts[2] is null then 1e0 when u.ts[2] >= 0 then u.ps[2] / 2 else 1 - u.ps[2] / 2 end as p_not_worse,
        case when m.queries < 2 then null when -u.ts[2] is null then 1e0 when -u.ts[2] >= 0 then u.ps[2] / 2 else 1 - u.ps[2] / 2 end as p_worse,
        case when m.queries < 2 then null when -u.ts[3] is null then 1e0 when -u.ts[3] >= 0 then u.ps[3] / 2 else 1 - u.ps[3] / 2 end as p_not_better,
        case when {has_margin} then m.queries < 5 else {too_few} end as too_few
    from __ltr_moments as m
    join __ltr_groups as g
        on g.grp = m.grp
    join __ltr_systems as a
        on a.sys = m.sys_a
    join __ltr_systems as b
        on b.sys = m.sys_b
    left join __ltr_tails as u
        on u.pair = m.pair
    left join __ltr_tested as t
        on t.pair = m.pair
    left join __ltr_adjusted as j
        on j.pair = m.pair
    left join __ltr_intervals as i
        on i.pair = m.pair
    left join __ltr_needed as n
        on n.pair = m.pair
    left join __ltr_quantiles as q
        on q.df = m.df and q.alpha = {alpha}
    left join __ltr_quantiles as r
        on r.df = m.df and r.alpha = 0.4e0
    left join __ltr_quantiles as c
        on c.df = m.df and c.alpha = {interval_alpha}
),
__ltr_decided as (
    select
        r.*,
        coalesce(r.p_adjusted, case when r.sd = 0 then power(2e0, 1 - r.queries) end) as p_decisive,
        r.sense * case when r.p_adjusted is null then r.difference else r.direction end as gain
    from __ltr_results as r
),
__ltr_compared as (
    select
        r.pair,
        r.grp,
        r.sys_a,
        r.sys_b,
        r.stratum,
        r.measure,
        r.system_a,
        r.system_b,
        r.queries,
        r.only_a,
        r.only_b,
        case when r.geometric then exp(r.mean_a) else r.mean_a end as mean_a,
        case when r.geometric then exp(r.mean_b) else r.mean_b end as mean_b,
        r.difference,
        case when r.geometric then exp(r.difference) - 1 else r.difference / nullif(r.mean_a, 0) end as relative,
        r.sd,
        r.low,
        r.high,
        case when r.geometric then exp(r.low) - 1 when r.x > 0 then (r.y - sqrt(greatest(0, r.y * r.y - r.x * r.z))) / r.x end as relative_low,
        case when r.geometric then exp(r.high) - 1 when r.x > 0 then (r.y + sqrt(greatest(0, r.y * r.y - r.x * r.z))) / r.x end as relative_high,
        r.dz,
        case when r.df = 1 then 0 * r.dz when r.df > 1 then r.dz * sqrt((r.df - 1) / r.df) * 2.5066282746310002e0 * 0.3989422804014327e0 * exp(case
    when (r.df - 1) >= 40 then (((((3.834117542613636e-3 * (4 / ((r.df - 1) * (r.df - 1))) + -1.681857638888889e-3) * (4 / ((r.df - 1) * (r.df - 1))) + 1.1858258928571429e-3) * (4 / ((r.df - 1) * (r.df - 1))) + -1.5625e-3) * (4 / ((r.df - 1) * (r.df - 1))) + 5.208333333333333e-3) * (4 / ((r.df - 1) * (r.df - 1))) + -0.125e0) * 2 / (r.df - 1)
    else lgamma((r.df - 1) / 2 + 0.5e0) - lgamma((r.df - 1) / 2) - ln((r.df - 1) / 2) / 2
end) end as gz,
        cast(case when r.sense > 0 then r.above else r.below end as bigint) as wins,
        cast(r.ties as bigint) as ties,
        cast(case when r.sense > 0 then r.below else r.above end as bigint) as losses,
        (case when r.sense > 0 then r.above else r.below end + r.ties / 2) / nullif(r.queries, 0) as superiority,
        ''{test}'' as test,
        r.statistic,
        r.test_df as df,
        r.p,
        r.p_adjusted,
        r.p_not_worse,
        r.p_worse,
        case when {has_margin} then greatest(r.p_not_worse, r.p_not_better) end as p_equivalent,
        r.mde,
        r.queries_needed,
        case
            when not r.has_values or r.queries = 0 then ''no values''
            when r.ties = r.queries then ''equal''
            when r.too_few then ''too few queries''
            when {has_margin} then case
                when r.p_not_worse is null then ''undecided''
                when greatest(r.p_not_worse, r.p_not_better) <= {alpha} then ''equivalent''
                when r.p_not_worse <= {alpha} then ''not worse''
                when r.p_worse <= {alpha} then ''worse by more than the margin''
                else ''undecided''
            end
            when r.p_decisive <= {alpha} then case when r.gain > 0 then ''better'' else ''worse'' end
            else ''no difference shown''
        end as verdict
    from __ltr_decided as r
    where case
        when {missing} = ''error'' and r.only_a + r.only_b > 0
        then error(''query missing: '' || r.measure || '' of '' || cast(r.system_a as varchar) || '' and '' || cast(r.system_b as varchar) || '' have '' || r.queries || '' queries in common, '' || r.only_a || '' only in the first and '' || r.only_b || '' only in the second: pass missing := ''''skip'''' or ''''zero'''''')
        else true
    end
)
{result}', '{tested}', p['test']['tested']), '{too_few}', p['test']['too_few']), '{adjusted}', p['adjust']['adjusted']), '{interval}', p['ci']['interval']), '{result}', p['result']['result'])
)[1];

create or replace macro ltr.__ltr_compared(text, relation, measures, keys, compared, repeats, lower_is_better, baseline, missing) as
replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(text, '{relation}', replace(
    relation,
    '{',
    case when contains(relation, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
)), '{system}', '"' || replace(replace(
    compared,
    '{',
    case when contains(compared, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '"', '""') || '"'), '{compared}', '''' || replace(replace(
    compared,
    '{',
    case when contains(compared, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '''', '''''') || ''''), '{stratum}', '__ltr_one := 0' || coalesce(list_aggregate(list_transform(list_filter(list_concat(keys, []::varchar[]), lambda c: c <> compared), lambda c: ', ' || '"' || replace(replace(
    c,
    '{',
    case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '"', '""') || '"' || ' := v.' || '"' || replace(replace(
    c,
    '{',
    case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '"', '""') || '"'), 'string_agg', ''), '')), '{repeat}', '__ltr_one := 0' || coalesce(list_aggregate(list_transform(repeats, lambda c: ', ' || '"' || replace(replace(
    c,
    '{',
    case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '"', '""') || '"' || ' := v.' || '"' || replace(replace(
    c,
    '{',
    case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '"', '""') || '"'), 'string_agg', ''), '')), '{strata_output}', coalesce(list_aggregate(list_transform(list_filter(list_concat(keys, []::varchar[]), lambda c: c <> compared), lambda c: 'r.stratum[' || '''' || replace(replace(
    c,
    '{',
    case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '''', '''''') || '''' || '] as ' || '"' || replace(replace(
    c,
    '{',
    case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '"', '""') || '"' || ', '), 'string_agg', ''), '')), '{duplicated}', case when len(repeats) > 0 then 'count(*) > count(distinct r.repeat)' else 'count(*) > 1' end), '{names}', 'struct_keys(struct_pack(*columns(' || ltr.__ltr_measure_columns(measures, list_transform(list_concat(keys, list_concat(repeats, [compared, 'query_id'])), lambda c: lower(c))) || ')))'), '{numbers}', 'list_value(*columns(' || ltr.__ltr_measure_columns(measures, list_transform(list_concat(keys, list_concat(repeats, [compared, 'query_id'])), lambda c: lower(c))) || '))'), '{lower}', '[' || coalesce(list_aggregate(list_transform(cast(lower_is_better as varchar[]), lambda c: '''' || replace(replace(
    c,
    '{',
    case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '''', '''''') || ''''), 'string_agg', ', '), '') || ']::varchar[]'), '{baseline}', case when baseline is null then 'null::varchar[]' else '[' || coalesce(list_aggregate(list_transform(cast(case when starts_with(typeof(baseline), 'VARCHAR[') then cast(baseline as varchar[]) else [cast(baseline as varchar)] end as varchar[]), lambda c: '''' || replace(replace(
    c,
    '{',
    case when contains(c, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '''', '''''') || ''''), 'string_agg', ', '), '') || ']::varchar[]' end), '{missing}', case when missing in ('skip', 'zero', 'error') then '''' || replace(replace(
    missing,
    '{',
    case when contains(missing, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '''', '''''') || '''' else error('missing must be one of ' || concat_ws(', ', 'skip', 'zero', 'error') || ', got ' || coalesce(missing, 'NULL')) end);

create or replace macro ltr.__ltr_comparison(relation, measures, keys, compared, baseline, test, adjust, family, ci, confidence, margin, repeats, lower_is_better, missing, replicates, resamples, seed, result) as
replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(ltr.__ltr_compared(case when adjust = 'tukey' and test <> 't' then error('adjust := ''tukey'' corrects the t test: pass test := ''t''') else ltr.__ltr_comparison_parts(test, adjust, ci, result) end, relation, measures, keys, compared, repeats, lower_is_better, baseline, missing), '{test}', test), '{adjust}', adjust), '{family}', case when family in ('measure', 'all') then '''' || replace(replace(
    family,
    '{',
    case when contains(family, chr(1)) then error('a name has the control character 1: rename it') else chr(1) end
), '''', '''''') || '''' else error('family must be one of ' || concat_ws(', ', 'measure', 'all') || ', got ' || coalesce(family, 'NULL')) end), '{interval_alpha}', case when margin is null then '{alpha}' when confidence > 0.5 then '(2 * {alpha})' else error('with a margin, confidence must be above 0.5, got ' || cast(confidence as varchar)) end), '{alpha}', case when confidence > 0 and confidence < 1 then cast(round(1 - cast(confidence as double), 12) as varchar) || '::double' else error('confidence must be between 0 and 1, such as 0.95, got ' || coalesce(cast(confidence as varchar), 'NULL')) end), '{margin}', case when margin is null or regexp_extract(cast(margin as varchar), '^\s*([\d.]+)\s*%\s*$', 1) <> '' then '0e0' when try_cast(margin as double) > 0 and isfinite(try_cast(margin as double)) then cast(cast(margin as double) as varchar) || '::double' else error('margin must be a number above 0, or a share such as ''1%'', got ' || cast(margin as varchar)) end), '{relative_margin}', case when coalesce(regexp_extract(cast(margin as varchar), '^\s*([\d.]+)\s*%\s*$', 1), '') = '' then '0e0' when coalesce(try_cast(regexp_extract(cast(margin as varchar), '^\s*([\d.]+)\s*%\s*$', 1) as double) between 1e-9 and 99.999999, false) then cast(cast(regexp_extract(cast(margin as varchar), '^\s*([\d.]+)\s*%\s*$', 1) as double) / 100 as varchar) || '::double' else error('margin must be a number above 0, or a share such as ''1%'', got ' || cast(margin as varchar)) end), '{has_margin}', case when margin is null then 'false' else 'true' end), '{replicates}', case when coalesce(replicates between 100 and 10000000 and replicates = floor(replicates), false) then cast(replicates as varchar) else error('replicates must be an integer from 100 to 10,000,000, got ' || coalesce(cast(replicates as varchar), 'NULL')) end), '{resamples}', case when coalesce(resamples between 100 and 10000000 and resamples = floor(resamples), false) then cast(resamples as varchar) else error('resamples must be an integer from 100 to 10,000,000, got ' || coalesce(cast(resamples as varchar), 'NULL')) end), '{seed}', case when coalesce(seed between 0 and 2147483647 and seed = floor(seed), false) then cast(seed as varchar) else error('seed must be an integer from 0 to 2,147,483,647, got ' || coalesce(cast(seed as varchar), 'NULL')) end), chr(1), '{');

create or replace macro ltr.compare_values("values", measures := null, keys := []::varchar[], compared := 'system', baseline := null, test := 't', adjust := 'holm', family := 'measure', ci := 't', confidence := 0.95, margin := null, repeats := []::varchar[], lower_is_better := []::varchar[], missing := 'skip', replicates := 10000, resamples := 1000, seed := 7) as table
from query(ltr.__ltr_comparison('query_table(' || '''' || replace(ltr.__ltr_table("values"), '''', '''''') || '''' || ')', case when measures is null then null when starts_with(typeof(measures), 'VARCHAR[') then cast(measures as varchar[]) else [cast(measures as varchar)] end, keys, compared, baseline, test, adjust, family, ci, confidence, margin, repeats, lower_is_better, missing, replicates, resamples, seed, 'comparisons'));
comment on macro table ltr.compare_values is 'Compares systems statistically. Reads query_id, keys, and one column for each measure. Returns one row for each measure and pair of systems: difference, interval, effect size, p and verdict.';

create or replace macro ltr.compare(rankings, measures, keys := []::varchar[], compared := 'system', baseline := null, test := 't', adjust := 'holm', family := 'measure', ci := 't', confidence := 0.95, margin := null, repeats := []::varchar[], missing := 'skip', replicates := 10000, resamples := 1000, seed := 7, convention := null) as table
from query(ltr.__ltr_comparison(
    '(' || ltr.measures_query('query_table(' || '''' || replace(ltr.__ltr_table(rankings), '''', '''''') || '''' || ')', false, measures, list_concat(case when list_contains(keys, compared) then keys else list_concat([compared], keys) end, repeats), false, convention) || ')',
    null, keys, compared, baseline, test, adjust, family, ci, confidence, margin, repeats, []::varchar[], missing, replicates, resamples, seed, 'comparisons'
));
comment on macro table ltr.compare is 'Compares systems statistically by measures of rankings (query_id, rank, relevance, keys). Returns one row for each measure and pair of systems: difference, interval, effect size, p and verdict. ltr.compare_rankings compares two rankings without judgments.';

create or replace macro ltr.leaderboard("values", measures := null, keys := []::varchar[], compared := 'system', test := 't', adjust := 'holm', confidence := 0.95, repeats := []::varchar[], lower_is_better := []::varchar[], missing := 'skip', replicates := 10000, resamples := 1000, seed := 7) as table
from query(ltr.__ltr_comparison('query_table(' || '''' || replace(ltr.__ltr_table("values"), '''', '''''') || '''' || ')', case when measures is null then null when starts_with(typeof(measures), 'VARCHAR[') then cast(measures as varchar[]) else [cast(measures as varchar)] end, keys, compared, null, test, adjust, 'measure', 't', confidence, null, repeats, lower_is_better, missing, replicates, resamples, seed, 'leaderboard'));
comment on macro table ltr.leaderboard is 'Ranks systems by the mean of each measure. Returns one row for each measure and system: place, mean with its interval, the systems that it significantly beats, and whether the best system does not beat it.';

create or replace macro ltr.wins("values", a, b, measures := null, keys := []::varchar[], compared := 'system', repeats := []::varchar[], missing := 'skip') as table
from query(replace(ltr.__ltr_compared('with __ltr_rows as (
    select
        struct_pack({stratum}) as stratum,
        v.{system} as system,
        v.query_id as query_id,
        struct_pack({repeat}) as repeat,
        unnest(range(len({names}))) as position,
        unnest({names}) as measure,
        unnest(cast({numbers} as double[])) as value
    from {relation} as v
),
__ltr_cells as materialized (
    select
        r.stratum,
        r.system,
        r.query_id,
        r.measure,
        min(r.position) as position,
        avg(r.value) as value
    from __ltr_rows as r
    group by r.stratum, r.system, r.query_id, r.measure
    having case
        when r.system is null or r.query_id is null
        then error(''a row of the values has no system or no query_id (NULL): system '' || coalesce(cast(r.system as varchar), ''NULL'') || '', query_id '' || coalesce(cast(r.query_id as varchar), ''NULL''))
        when {duplicated}
        then error(''the values of system '' || cast(r.system as varchar) || '', query '' || cast(r.query_id as varchar) || '' and measure '' || r.measure || '' are given '' || count(*) || '' times: keep one, or pass the column that distinguishes them in keys or repeats'')
        when max(case when not isfinite(r.value) then 1 end) = 1
        then error(''the value of system '' || cast(r.system as varchar) || '', query '' || cast(r.query_id as varchar) || '' and measure '' || r.measure || '' is not a finite number: correct it, or set it to NULL if it is undefined'')
        else true
    end
),
__ltr_groups as materialized (
    select
        g.stratum,
        g.measure,
        row_number() over (order by g.stratum asc, g.position asc) as grp,
        dense_rank() over (order by g.stratum asc) as stratum_number,
        case when list_contains({lower}, g.measure) or list_contains([''arelpos'', ''coverageerror'', ''coverage_error'', ''fagink'', ''fagin_k'', ''footrule'', ''kendalldistance'', ''kendall_distance'', ''rankingloss'', ''ranking_loss'', ''label_ranking_loss'', ''unj'']::varchar[], regexp_extract(lower(g.measure), ''^\w+'')) then -1 else 1 end as sense,
        list_contains([''gmap'', ''gm_map'', ''gmbpref'', ''gm_bpref'']::varchar[], regexp_extract(lower(g.measure), ''^\w+'')) as geometric
    from (
        select
            c.stratum,
            c.measure,
            min(c.position) as position
        from __ltr_cells as c
        group by c.stratum, c.measure
    ) as g
),
__ltr_systems as materialized (
    select
        s.system,
        s.sys,
        coalesce(list_position({baseline}, cast(s.system as varchar)), 0) as base
    from (
        select
            unnest(l.systems) as system,
            unnest(range(1, len(l.systems) + 1)) as sys
        from (
            select case
                when count(*) < 2
                then error(''there is nothing to compare: the column '' || {compared} || '' names '' || count(*) || '' system'' || case when count(*) = 1 then '''' else ''s'' end || '', pass at least two'')
                when not list_has_all(list(cast(d.system as varchar)), {baseline})
                then error(''the baseline '' || cast(list_filter({baseline}, lambda b: not list_contains(list(cast(d.system as varchar)), b)) as varchar) || '' is not a system: the systems are '' || array_to_string(list(cast(d.system as varchar) order by d.system), '', ''))
                else list(d.system order by d.system)
            end as systems
            from (
                select distinct c.system
                from __ltr_cells as c
            ) as d
        ) as l
    ) as s
),
__ltr_numbered as materialized (
    select
        q.query_id,
        row_number() over (order by cast(q.query_id as varchar) asc) as query
    from (
        select distinct c.query_id
        from __ltr_cells as c
    ) as q
),
__ltr_given as materialized (
    select
        g.grp,
        s.sys,
        q.query,
        case when g.geometric and c.value is not null then ln(greatest(c.value, 1e-5)) else c.value end as value,
        c.value <> 0 or g.sense < 0 as counts
    from __ltr_cells as c
    join __ltr_groups as g
        on g.stratum = c.stratum and g.measure = c.measure
    join __ltr_systems as s
        on s.system = c.system
    join __ltr_numbered as q
        on q.query_id = c.query_id
),
__ltr_values as materialized (
    select
        v.grp,
        v.sys,
        v.query,
        v.value
    from __ltr_given as v
    where v.value is not null
    union all
    select
        m.grp,
        m.sys,
        q.query,
        case when g.geometric then ln(1e-5) else 0e0 end
    from (
        select distinct v.grp, v.sys
        from __ltr_given as v
    ) as m
    join (
        select distinct v.grp, v.query
        from __ltr_given as v
    ) as q
        on q.grp = m.grp
    join __ltr_groups as g
        on g.grp = m.grp
    where {missing} = ''zero''
        and not exists (
            select 1
            from __ltr_given as v
            where v.grp = m.grp and v.sys = m.sys and v.query = q.query
        )
),
__ltr_members as materialized (
    select
        m.grp,
        m.sys,
        m.has_values,
        coalesce(n.queries, 0) as queries,
        n.mean,
        n.sd
    from (
        select
            v.grp,
            v.sys,
            coalesce(bool_or(v.counts), false) as has_values
        from __ltr_given as v
        group by v.grp, v.sys
    ) as m
    left join (
        select
            v.grp,
            v.sys,
            count(*) as queries,
            avg(v.value) as mean,
            case when max(round(v.value, 12)) = min(round(v.value, 12)) then 0e0 else stddev_samp(v.value) end as sd
        from __ltr_values as v
        group by v.grp, v.sys
    ) as n
        on n.grp = m.grp and n.sys = m.sys
),
__ltr_changes as (
    select
        a.grp,
        a.query,
        a.value as a,
        b.value as b,
        b.value - a.value as d,
        round(b.value - a.value, 12) as rounded,
        avg(b.value - a.value) over (partition by a.grp) as mean,
        count(*) over (partition by a.grp) as queries
    from __ltr_values as a
    join __ltr_systems as s
        on s.sys = a.sys and s.base = 1
    join __ltr_values as b
        on b.grp = a.grp and b.query = a.query
    join __ltr_systems as o
        on o.sys = b.sys and o.base = 2
)
select
    {strata_output}r.measure,
    n.query_id,
    c.a,
    c.b,
    c.d as difference,
    rank() over (partition by c.grp order by abs(c.rounded) desc) as rank,
    sum(c.d) over (partition by c.grp order by abs(c.rounded) desc, c.query asc rows between unbounded preceding and current row) as running_sum,
    (c.mean - c.d) / nullif(c.queries - 1, 0) as leverage,
    sign(round(c.mean, 12)) <> sign(round(c.mean + (c.mean - c.d) / nullif(c.queries - 1, 0), 12)) as flips
from __ltr_changes as c
join __ltr_groups as r
    on r.grp = c.grp
join __ltr_numbered as n
    on n.query = c.query
order by c.grp, abs(c.rounded) desc, c.query', 'query_table(' || '''' || replace(ltr.__ltr_table("values"), '''', '''''') || '''' || ')', case when measures is null then null when starts_with(typeof(measures), 'VARCHAR[') then cast(measures as varchar[]) else [cast(measures as varchar)] end, keys, compared, repeats, []::varchar[], [cast(a as varchar), cast(b as varchar)], missing), chr(1), '{'));
comment on macro table ltr.wins is 'Lists the queries on which two systems differ, the largest difference first: values, difference, running sum, leverage (the change of the mean difference without this query), and whether its sign flips.';

create or replace macro ltr.variance("values", measures := null, keys := []::varchar[], compared := 'system', repeats := []::varchar[], missing := 'skip') as table
from query(replace(ltr.__ltr_compared('with __ltr_rows as (
    select
        struct_pack({stratum}) as stratum,
        v.{system} as system,
        v.query_id as query_id,
        struct_pack({repeat}) as repeat,
        unnest(range(len({names}))) as position,
        unnest({names}) as measure,
        unnest(cast({numbers} as double[])) as value
    from {relation} as v
),
__ltr_cells as materialized (
    select
        r.stratum,
        r.system,
        r.query_id,
        r.measure,
        min(r.position) as position,
        avg(r.value) as value
    from __ltr_rows as r
    group by r.stratum, r.system, r.query_id, r.measure
    having case
        when r.system is null or r.query_id is null
        then error(''a row of the values has no system or no query_id (NULL): system '' || coalesce(cast(r.system as varchar), ''NULL'') || '', query_id '' || coalesce(cast(r.query_id as varchar), ''NULL''))
        when {duplicated}
        then error(''the values of system '' || cast(r.system as varchar) || '', query '' || cast(r.query_id as varchar) || '' and measure '' || r.measure || '' are given '' || count(*) || '' times: keep one, or pass the column that distinguishes them in keys or repeats'')
        when max(case when not isfinite(r.value) then 1 end) = 1
        then error(''the value of system '' || cast(r.system as varchar) || '', query '' || cast(r.query_id as varchar) || '' and measure '' || r.measure || '' is not a finite number: correct it, or set it to NULL if it is undefined'')
        else true
    end
),
__ltr_groups as materialized (
    select
        g.stratum,
        g.measure,
        row_number() over (order by g.stratum asc, g.position asc) as grp,
        dense_rank() over (order by g.stratum asc) as stratum_number,
        case when list_contains({lower}, g.measure) or list_contains([''arelpos'', ''coverageerror'', ''coverage_error'', ''fagink'', ''fagin_k'', ''footrule'', ''kendalldistance'', ''kendall_distance'', ''rankingloss'', ''ranking_loss'', ''label_ranking_loss'', ''unj'']::varchar[], regexp_extract(lower(g.measure), ''^\w+'')) then -1 else 1 end as sense,
        list_contains([''gmap'', ''gm_map'', ''gmbpref'', ''gm_bpref'']::varchar[], regexp_extract(lower(g.measure), ''^\w+'')) as geometric
    from (
        select
            c.stratum,
            c.measure,
            min(c.position) as position
        from __ltr_cells as c
        group by c.stratum, c.measure
    ) as g
),
__ltr_systems as materialized (
    select
        s.system,
        s.sys,
        coalesce(list_position({baseline}, cast(s.system as varchar)), 0) as base
    from (
        select
            unnest(l.systems) as system,
            unnest(range(1, len(l.systems) + 1)) as sys
        from (
            select case
                when count(*) < 2
                then error(''there is nothing to compare: the column '' || {compared} || '' names '' || count(*) || '' system'' || case when count(*) = 1 then '''' else ''s'' end || '', pass at least two'')
                when not list_has_all(list(cast(d.system as varchar)), {baseline})
                then error(''the baseline '' || cast(list_filter({baseline}, lambda b: not list_contains(list(cast(d.system as varchar)), b)) as varchar) || '' is not a system: the systems are '' || array_to_string(list(cast(d.system as varchar) order by d.system), '', ''))
                else list(d.system order by d.system)
            end as systems
            from (
                select distinct c.system
                from __ltr_cells as c
            ) as d
        ) as l
    ) as s
),
__ltr_numbered as materialized (
    select
        q.query_id,
        row_number() over (order by cast(q.query_id as varchar) asc) as query
    from (
        select distinct c.query_id
        from __ltr_cells as c
    ) as q
),
__ltr_given as materialized (
    select
        g.grp,
        s.sys,
        q.query,
        case when g.geometric and c.value is not null then ln(greatest(c.value, 1e-5)) else c.value end as value,
        c.value <> 0 or g.sense < 0 as counts
    from __ltr_cells as c
    join __ltr_groups as g
        on g.stratum = c.stratum and g.measure = c.measure
    join __ltr_systems as s
        on s.system = c.system
    join __ltr_numbered as q
        on q.query_id = c.query_id
),
__ltr_values as materialized (
    select
        v.grp,
        v.sys,
        v.query,
        v.value
    from __ltr_given as v
    where v.value is not null
    union all
    select
        m.grp,
        m.sys,
        q.query,
        case when g.geometric then ln(1e-5) else 0e0 end
    from (
        select distinct v.grp, v.sys
        from __ltr_given as v
    ) as m
    join (
        select distinct v.grp, v.query
        from __ltr_given as v
    ) as q
        on q.grp = m.grp
    join __ltr_groups as g
        on g.grp = m.grp
    where {missing} = ''zero''
        and not exists (
            select 1
            from __ltr_given as v
            where v.grp = m.grp and v.sys = m.sys and v.query = q.query
        )
),
__ltr_members as materialized (
    select
        m.grp,
        m.sys,
        m.has_values,
        coalesce(n.queries, 0) as queries,
        n.mean,
        n.sd
    from (
        select
            v.grp,
            v.sys,
            coalesce(bool_or(v.counts), false) as has_values
        from __ltr_given as v
        group by v.grp, v.sys
    ) as m
    left join (
        select
            v.grp,
            v.sys,
            count(*) as queries,
            avg(v.value) as mean,
            case when max(round(v.value, 12)) = min(round(v.value, 12)) then 0e0 else stddev_samp(v.value) end as sd
        from __ltr_values as v
        group by v.grp, v.sys
    ) as n
        on n.grp = m.grp and n.sys = m.sys
),
__ltr_by_query as (
    select
        v.grp,
        v.query,
        count(*) as systems,
        avg(v.value) as mean
    from __ltr_values as v
    group by v.grp, v.query
),
__ltr_by_group as (
    select
        v.grp,
        avg(v.value) as mean
    from __ltr_values as v
    group by v.grp
),
__ltr_incomplete as (
    select
        m.grp,
        min(s.system) as system
    from __ltr_members as m
    join __ltr_systems as s
        on s.sys = m.sys
    where m.queries < (select count(*) from __ltr_by_query as q where q.grp = m.grp)
    group by m.grp
),
__ltr_two_way as materialized (
    select
        v.grp,
        cast(count(distinct v.sys) as double) as systems,
        cast(count(distinct v.query) as double) as queries,
        sum((m.mean - g.mean) * (m.mean - g.mean)) as ss_system,
        sum((q.mean - g.mean) * (q.mean - g.mean)) as ss_query,
        case
            when count(distinct v.query) < 2 then error(''ltr.variance'' || '' needs at least two queries'')
            when max(abs(round(v.value - m.mean - q.mean + g.mean, 12))) = 0 then 0e0
            else sum((v.value - m.mean - q.mean + g.mean) * (v.value - m.mean - q.mean + g.mean))
        end as ss_error
    from __ltr_values as v
    join __ltr_members as m
        on m.grp = v.grp and m.sys = v.sys
    join __ltr_by_query as q
        on q.grp = v.grp and q.query = v.query
    join __ltr_by_group as g
        on g.grp = v.grp
    left join __ltr_incomplete as i
        on i.grp = v.grp
    where case
        when i.grp is null then true
        else error(''ltr.variance'' || '' needs a value of every system for every query, and '' || cast(i.system as varchar) || '' lacks some: leave out these queries, or pass missing := ''''zero'''''')
    end
    group by v.grp
),
__ltr_mean_squares as (
    select
        w.*,
        w.systems - 1 as df_system,
        w.queries - 1 as df_query,
        (w.systems - 1) * (w.queries - 1) as df_error,
        w.ss_system / nullif(w.systems - 1, 0) as ms_system,
        w.ss_query / nullif(w.queries - 1, 0) as ms_query,
        w.ss_error / nullif((w.systems - 1) * (w.queries - 1), 0) as ms_error
    from __ltr_two_way as w
),
__ltr_components as (
    select
        s.*,
        greatest(0e0, (s.ms_system - s.ms_error) / s.queries) as of_system,
        greatest(0e0, (s.ms_query - s.ms_error) / s.systems) as of_query,
        s.ms_error as of_error
    from __ltr_mean_squares as s
),
__ltr_sources as (
    select
        c.grp,
        1 as number,
        ''system'' as source,
        c.df_system as df,
        c.ss_system as ss,
        c.ms_system as ms,
        c.ms_system / nullif(c.ms_error, 0) as f,
        c.df_error,
        c.of_system as variance,
        c.of_system / nullif(c.of_system + c.of_query + c.of_error, 0) as share,
        c.of_system / nullif(c.of_system + c.of_error / c.queries, 0) as generalizability
    from __ltr_components as c
    union all
    select
        c.grp,
        2 as number,
        ''query'' as source,
        c.df_query as df,
        c.ss_query as ss,
        c.ms_query as ms,
        c.ms_query / nullif(c.ms_error, 0) as f,
        c.df_error,
        c.of_query as variance,
        c.of_query / nullif(c.of_system + c.of_query + c.of_error, 0) as share,
        cast(null as double) as generalizability
    from __ltr_components as c
    union all
    select
        c.grp,
        3 as number,
        ''error'' as source,
        c.df_error as df,
        c.ss_error as ss,
        c.ms_error as ms,
        cast(null as double) as f,
        c.df_error,
        c.of_error as variance,
        c.of_error / nullif(c.of_system + c.of_query + c.of_error, 0) as share,
        cast(null as double) as generalizability
    from __ltr_components as c
)
select
    {strata_output}r.measure,
    s.source,
    s.df,
    s.ss,
    s.ms,
    s.f,
    ltr.f_p(s.f, s.df, s.df_error) as p,
    s.variance,
    s.share,
    s.generalizability
from __ltr_sources as s
join __ltr_groups as r
    on r.grp = s.grp
order by s.grp, s.number', 'query_table(' || '''' || replace(ltr.__ltr_table("values"), '''', '''''') || '''' || ')', case when measures is null then null when starts_with(typeof(measures), 'VARCHAR[') then cast(measures as varchar[]) else [cast(measures as varchar)] end, keys, compared, repeats, []::varchar[], null, missing), chr(1), '{'));
comment on macro table ltr.variance is 'Splits the variance of the values into systems, queries and error (two-way analysis of variance without replication), with the share of each, and the generalizability of the ranking of the systems.';

create or replace macro ltr.queries_needed(sd := null, difference := null, power := 0.8e0, alpha := 0.05) as table
with __ltr_effects as (
    select
        1 as pair,
        cast(difference as double) / cast(sd as double) as dz
),
__ltr_normal as materialized (
    select
        n.z,
        ltr.__ltr_normal_upper(2 * n.z[1] + n.z[2]) * 2.5066282746310002e0 * exp(n.z[2] * n.z[2] / 2) as other_tail
    from (
        select list_transform([1 - cast(alpha as double) / 2, cast(power as double)], lambda u: ltr.__ltr_normal_quantile(u)) as z
    ) as n
),
__ltr_starts as materialized (
    select
        e.pair,
        abs(e.dz) as dz,
        least(1e9, greatest(2, ceil(power((n.z[1] + n.z[2]) / e.dz, 2) + n.z[1] * n.z[1] / 2))) as start,
        greatest(2, ceil(power((n.z[1] + n.z[2] - n.other_tail) / e.dz, 2) + n.z[1] * n.z[1] / 2)) as centre
    from __ltr_effects as e
    cross join __ltr_normal as n
),
__ltr_candidates as materialized (
    select
        s.pair,
        s.dz,
        cast(unnest(range(
            cast(greatest(2, s.centre - case when s.centre > 20 then 3 else 20 end) as bigint),
            cast(s.centre as bigint) + 3
        )) as double) as n
    from __ltr_starts as s
    where s.start <= 10000
),
__ltr_quantiles as materialized (
    select
        d.df,
        d.alpha,
        ltr.t_quantile(d.alpha, d.df) as t
    from (
        select distinct
            c.n - 1 as df,
            cast(alpha as double) as alpha
        from __ltr_candidates as c
    ) as d
),
__ltr_powers as materialized (
    select
        c.pair,
        c.n,
        ltr.__ltr_t_power(c.n, c.dz, q.t) as power
    from __ltr_candidates as c
    join __ltr_quantiles as q
        on q.df = c.n - 1 and q.alpha = cast(alpha as double)
),
__ltr_needed as (
    select
        s.pair,
        cast(coalesce(min(case when p.power >= cast(power as double) then p.n end), max(s.start)) as bigint) as queries_needed
    from __ltr_starts as s
    left join __ltr_powers as p
        on p.pair = s.pair
    group by s.pair
)
select n.queries_needed
from __ltr_needed as n;
comment on macro table ltr.queries_needed is 'Returns how many queries a paired t test needs to see a mean difference. sd: standard deviation of the differences of the queries.';

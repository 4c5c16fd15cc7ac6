-- ltr_sql: ranking evaluation as SQL. The macros of ltr_sql for DuckDB 1.5 and later, in schema ltr.
-- Made from the templates in sql/; do not edit.
create schema if not exists ltr;

create or replace macro ltr.judge(run, qrels, ties := 'docid_desc', missing := 'zero', keys := []::varchar[]) as table
select * exclude (__ltr_one)
from (
with __ltr_run as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c))) as __ltr_system,
        j.query_id,
        j.doc_id,
        cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'score', 'row_order'))) as struct(rank bigint, score double, row_order double)) as __ltr_row
    from (select 0 as __ltr_one, * from query_table(case when not coalesce(ties in ('docid_desc', 'docid_asc', 'docid_desc_float32', 'row_order', 'worst', 'best'), false) then error('ltr.judge: ties must be ''docid_desc'', ''docid_asc'', ''docid_desc_float32'', ''row_order'', ''worst'' or ''best'', got ' || coalesce(cast(ties as varchar), 'NULL')) when not coalesce(missing in ('zero', 'skip'), false) then error('ltr.judge: missing must be ''zero'' or ''skip'', got ' || coalesce(cast(missing as varchar), 'NULL')) else run end)) as j
),
__ltr_run_by_score as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        case
            when rank() over __ltr_best_first = row_number() over __ltr_best_first then row_number() over __ltr_best_first
            else error('two rows of a query have the same score and nothing that orders them: give every document its own doc_id, or a row_order and ties := ''row_order''')
        end as rank
    from (
        select
            t.__ltr_key, t.__ltr_system, t.query_id,
            t.doc_id,
            t.__ltr_row.score as score,
            t.__ltr_row.row_order as row_order,
            t.__ltr_row.rank as rank,
            g.relevance as relevance
        from __ltr_run as t
        left join (
            select
                q.query_id,
                q.doc_id,
                max(q.relevance) as relevance
            from query_table(qrels) as q
            group by q.query_id, q.doc_id
        ) as g
            on g.query_id = t.query_id and g.doc_id = t.doc_id and ties in ('worst', 'best')
        where (select count(t.__ltr_row.rank) = 0 from __ltr_run as t)
            and case
                when ties = 'row_order' and t.__ltr_row.row_order is null or ties = 'rank' and t.__ltr_row.rank is null
                then error('ties := ''row_order'' and ties := ''rank'' need a number in the column of that name in each row')
                else true
            end
    ) as r
    window __ltr_best_first as (
        partition by r.__ltr_key
        order by
            case when ties = 'docid_desc_float32' then case when abs(nullif(r.score, cast('nan' as double))) > 3.4028234663852886e38 then nullif(r.score, cast('nan' as double)) * cast('inf' as double) else cast(nullif(r.score, cast('nan' as double)) as float) end else nullif(r.score, cast('nan' as double)) end desc nulls last,
            case ties
                when 'worst' then coalesce(r.relevance, 0)
                when 'best' then -coalesce(r.relevance, 0)
                when 'row_order' then r.row_order
                when 'rank' then r.rank
            end asc nulls last,
            case when ties = 'docid_asc' then cast(r.doc_id as varchar) end asc nulls last,
            cast(r.doc_id as varchar) desc nulls last
    )
),
__ltr_run_ranked as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.__ltr_row.rank as rank
    from __ltr_run as r
    where (select count(t.__ltr_row.rank) > 0 from __ltr_run as t)
    union all
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.rank
    from __ltr_run_by_score as r
),
__ltr_systems as (
    select
        r.__ltr_system
    from __ltr_run as r
    where case when coalesce(list_has_all(struct_keys(r.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(r.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end
    group by r.__ltr_system
),
__ltr_retrieved as (
    select
        r.__ltr_system,
        r.query_id,
        r.doc_id,
        r.rank
    from __ltr_run_ranked as r
    where exists (
        select 1
        from query_table(qrels) as q
        where q.query_id = r.query_id and q.doc_id = r.doc_id
    )
),
__ltr_run_queries as (
    select
        r.__ltr_system, r.query_id
    from __ltr_run as r
    where missing = 'skip'
    group by r.__ltr_system, r.query_id
)
select
    unnest(s.__ltr_system),
    q.query_id,
    q.doc_id,
    r.rank,
    q.relevance,
    q.* exclude (query_id, doc_id, relevance)
from query_table(qrels) as q
cross join __ltr_systems as s
left join __ltr_retrieved as r
    on r.query_id = q.query_id and r.doc_id = q.doc_id and r.__ltr_system = s.__ltr_system
where missing = 'zero' or exists (
    select 1
    from __ltr_run_queries as t
    where t.query_id = q.query_id and t.__ltr_system = s.__ltr_system
)
);
comment on macro table ltr.judge is 'Joins a run with judgments: one row for each judged document of each query, with the rank that the run gives it. Reads run: query_id, doc_id, rank or score (rank is used where there is such a column), keys; qrels: query_id, doc_id, relevance. Gives the keys, query_id, doc_id, rank (NULL = not retrieved), relevance, and the other columns of the judgments. ties: what comes first among equal scores: ''docid_desc'' the larger doc_id in byte order (trec_eval), ''docid_asc'' the smaller, ''docid_desc_float32'' the larger after rounding scores to single precision (trec_eval 9), ''row_order'' and ''rank'' the smaller value of that column, ''worst'' and ''best'' the lower or higher grade. missing: judged queries that the run lacks: ''zero'' scores them 0, ''skip'' leaves them out.';

create or replace macro ltr.pair(run_a, run_b, ties := 'docid_desc', keys := []::varchar[]) as table
with __ltr_run_a as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c))) as __ltr_system,
        j.query_id,
        j.doc_id,
        cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'score', 'row_order'))) as struct(rank bigint, score double, row_order double)) as __ltr_row
    from (select 0 as __ltr_one, * from query_table(case when not coalesce(ties in ('docid_desc', 'docid_asc', 'docid_desc_float32', 'row_order'), false) then error('ltr.pair: ties must be ''docid_desc'', ''docid_asc'', ''docid_desc_float32'' or ''row_order'', got ' || coalesce(cast(ties as varchar), 'NULL')) else run_a end)) as j
),
__ltr_run_a_by_score as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        case
            when rank() over __ltr_best_first = row_number() over __ltr_best_first then row_number() over __ltr_best_first
            else error('two rows of a query have the same score and nothing that orders them: give every document its own doc_id, or a row_order and ties := ''row_order''')
        end as rank
    from (
        select
            t.__ltr_key, t.__ltr_system, t.query_id,
            t.doc_id,
            t.__ltr_row.score as score,
            t.__ltr_row.row_order as row_order,
            t.__ltr_row.rank as rank,
            cast(null as double) as relevance
        from __ltr_run_a as t
        where (select count(t.__ltr_row.rank) = 0 from __ltr_run_a as t)
            and case
                when ties = 'row_order' and t.__ltr_row.row_order is null or ties = 'rank' and t.__ltr_row.rank is null
                then error('ties := ''row_order'' and ties := ''rank'' need a number in the column of that name in each row')
                else true
            end
    ) as r
    window __ltr_best_first as (
        partition by r.__ltr_key
        order by
            case when ties = 'docid_desc_float32' then case when abs(nullif(r.score, cast('nan' as double))) > 3.4028234663852886e38 then nullif(r.score, cast('nan' as double)) * cast('inf' as double) else cast(nullif(r.score, cast('nan' as double)) as float) end else nullif(r.score, cast('nan' as double)) end desc nulls last,
            case ties
                when 'worst' then coalesce(r.relevance, 0)
                when 'best' then -coalesce(r.relevance, 0)
                when 'row_order' then r.row_order
                when 'rank' then r.rank
            end asc nulls last,
            case when ties = 'docid_asc' then cast(r.doc_id as varchar) end asc nulls last,
            cast(r.doc_id as varchar) desc nulls last
    )
),
__ltr_run_a_ranked as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.__ltr_row.rank as rank
    from __ltr_run_a as r
    where (select count(t.__ltr_row.rank) > 0 from __ltr_run_a as t)
    union all
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.rank
    from __ltr_run_a_by_score as r
),
__ltr_run_b as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains(keys, c))) as __ltr_system,
        j.query_id,
        j.doc_id,
        cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'score', 'row_order'))) as struct(rank bigint, score double, row_order double)) as __ltr_row
    from (select 0 as __ltr_one, * from query_table(run_b)) as j
),
__ltr_run_b_by_score as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        case
            when rank() over __ltr_best_first = row_number() over __ltr_best_first then row_number() over __ltr_best_first
            else error('two rows of a query have the same score and nothing that orders them: give every document its own doc_id, or a row_order and ties := ''row_order''')
        end as rank
    from (
        select
            t.__ltr_key, t.__ltr_system, t.query_id,
            t.doc_id,
            t.__ltr_row.score as score,
            t.__ltr_row.row_order as row_order,
            t.__ltr_row.rank as rank,
            cast(null as double) as relevance
        from __ltr_run_b as t
        where (select count(t.__ltr_row.rank) = 0 from __ltr_run_b as t)
            and case
                when ties = 'row_order' and t.__ltr_row.row_order is null or ties = 'rank' and t.__ltr_row.rank is null
                then error('ties := ''row_order'' and ties := ''rank'' need a number in the column of that name in each row')
                else true
            end
    ) as r
    window __ltr_best_first as (
        partition by r.__ltr_key
        order by
            case when ties = 'docid_desc_float32' then case when abs(nullif(r.score, cast('nan' as double))) > 3.4028234663852886e38 then nullif(r.score, cast('nan' as double)) * cast('inf' as double) else cast(nullif(r.score, cast('nan' as double)) as float) end else nullif(r.score, cast('nan' as double)) end desc nulls last,
            case ties
                when 'worst' then coalesce(r.relevance, 0)
                when 'best' then -coalesce(r.relevance, 0)
                when 'row_order' then r.row_order
                when 'rank' then r.rank
            end asc nulls last,
            case when ties = 'docid_asc' then cast(r.doc_id as varchar) end asc nulls last,
            cast(r.doc_id as varchar) desc nulls last
    )
),
__ltr_run_b_ranked as not materialized (
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.__ltr_row.rank as rank
    from __ltr_run_b as r
    where (select count(t.__ltr_row.rank) > 0 from __ltr_run_b as t)
    union all
    select
        r.__ltr_key, r.__ltr_system, r.query_id,
        r.doc_id,
        r.rank
    from __ltr_run_b_by_score as r
)
select
    unnest(coalesce(a.__ltr_key, b.__ltr_key)),
    coalesce(a.doc_id, b.doc_id) as doc_id,
    a.rank as rank_a,
    b.rank as rank_b
from __ltr_run_a_ranked as a
full join __ltr_run_b_ranked as b
    on a.__ltr_key is not distinct from b.__ltr_key and a.doc_id = b.doc_id
where (a.doc_id is null or case when coalesce(list_has_all(struct_keys(a.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(a.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end)
    and (b.doc_id is null or case when coalesce(list_has_all(struct_keys(b.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(b.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end);
comment on macro table ltr.pair is 'Pairs two runs: one row for each document of each query that either of them retrieved, with its rank in both. Reads query_id, doc_id, rank or score (rank is used where there is such a column), keys. Gives the keys, query_id, doc_id, rank_a, rank_b (NULL = not in that run). ties: what comes first among equal scores: ''docid_desc'' the larger doc_id in byte order (trec_eval), ''docid_asc'' the smaller, ''docid_desc_float32'' the larger after rounding scores to single precision (trec_eval 9), ''row_order'' and ''rank'' the smaller value of that column, ''worst'' and ''best'' the lower or higher grade.';

create or replace macro ltr.pair_with_ideal(rankings, keys := []::varchar[]) as table
with __ltr_rankings as (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        j.*
    from query_table(rankings) as j
)
select
    columns(lambda c: lower(c) <> 'rank' and not starts_with(c, '__ltr_')),
    r.rank as rank_a,
    rank() over (partition by r.__ltr_key order by r.relevance desc nulls last) as rank_b
from __ltr_rankings as r
where r.relevance is not null and case when coalesce(list_has_all(struct_keys(r.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(r.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.pair_with_ideal is 'Pairs a ranking with its ideal order: the judged documents of the query by relevance, equal grades sharing a rank. Reads query_id, rank, relevance, keys; rows that are not judged are left out. Gives the other columns of the input, rank_a (the rank), rank_b (1 + the judged documents of a higher grade).';

create or replace macro ltr.rank_by_score(scored, ties := 'docid_desc', keys := []::varchar[]) as table
with __ltr_scored as (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        cast(struct_pack(*columns(lambda c: lower(c) in ('score', 'doc_id', 'relevance', 'row_order', 'rank'))) as struct(score double, doc_id varchar, relevance double, row_order double, rank bigint)) as __ltr_row,
        j.score as __ltr_score,
        j.*
    from query_table(case when not coalesce(ties in ('docid_desc', 'docid_asc', 'docid_desc_float32', 'row_order', 'rank', 'worst', 'best'), false) then error('ltr.rank_by_score: ties must be ''docid_desc'', ''docid_asc'', ''docid_desc_float32'', ''row_order'', ''rank'', ''worst'' or ''best'', got ' || coalesce(cast(ties as varchar), 'NULL')) else scored end) as j
)
select
    columns(lambda c: lower(c) <> 'rank' and not starts_with(c, '__ltr_')),
    case
        when rank() over __ltr_best_first = row_number() over __ltr_best_first then row_number() over __ltr_best_first
        else error('two rows of a query have the same score and nothing that orders them: give every document its own doc_id, or a row_order and ties := ''row_order''')
    end as rank
from __ltr_scored as s
where case when coalesce(list_has_all(struct_keys(s.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(s.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end
    and case
        when ties = 'row_order' and s.__ltr_row.row_order is null or ties = 'rank' and s.__ltr_row.rank is null
        then error('ties := ''row_order'' and ties := ''rank'' need a number in the column of that name in each row')
        else true
    end
window __ltr_best_first as (
    partition by s.__ltr_key
    order by
        case when ties = 'docid_desc_float32' then case when abs(nullif(s.__ltr_row.score, cast('nan' as double))) > 3.4028234663852886e38 then nullif(s.__ltr_row.score, cast('nan' as double)) * cast('inf' as double) else cast(nullif(s.__ltr_row.score, cast('nan' as double)) as float) end else nullif(s.__ltr_row.score, cast('nan' as double)) end desc nulls last,
        case ties
            when 'worst' then coalesce(s.__ltr_row.relevance, 0)
            when 'best' then -coalesce(s.__ltr_row.relevance, 0)
            when 'row_order' then s.__ltr_row.row_order
            when 'rank' then s.__ltr_row.rank
        end asc nulls last,
        case when ties = 'docid_asc' then cast(s.__ltr_row.doc_id as varchar) end asc nulls last,
        cast(s.__ltr_row.doc_id as varchar) desc nulls last
);
comment on macro table ltr.rank_by_score is 'Ranks the rows of each query by score, best first. Reads query_id, score, keys, and what the tie rule reads: doc_id, relevance, row_order or rank. Gives the columns of the input, and rank. ties: what comes first among equal scores: ''docid_desc'' the larger doc_id in byte order (trec_eval), ''docid_asc'' the smaller, ''docid_desc_float32'' the larger after rounding scores to single precision (trec_eval 9), ''row_order'' and ''rank'' the smaller value of that column, ''worst'' and ''best'' the lower or higher grade.';

create or replace macro ltr.alpha_ndcg(rankings, k := null, alpha := 0.5, rel := 1, keys := []::varchar[]) as table
with recursive __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance,
        j.doc_id,
        j.subtopic
    from query_table(rankings) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.alpha_ndcg: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (alpha >= 0 and alpha <= 1 and isfinite(cast(alpha as double))) then true else error('ltr.alpha_ndcg: alpha must be a number from 0 to 1, got ' || coalesce(cast(alpha as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.alpha_ndcg: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key
        from query_table(rankings) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.alpha_ndcg: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (alpha >= 0 and alpha <= 1 and isfinite(cast(alpha as double))) then true else error('ltr.alpha_ndcg: alpha must be a number from 0 to 1, got ' || coalesce(cast(alpha as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.alpha_ndcg: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
),
__ltr_covers as (
    select
        r.__ltr_key,
        cast(r.doc_id as varchar) as doc_id,
        r.rank,
        r.subtopic
    from __ltr_rankings as r
    where r.relevance >= cast(rel as double)
),
__ltr_greedy as (
    select
        c.__ltr_key,
        c.doc_id,
        c.subtopic,
        0 as covered,
        0 as place,
        false as placed
    from __ltr_covers as c
    union all
    select
        s.__ltr_key,
        s.doc_id,
        s.subtopic,
        s.covered + max(case when s.doc_id = s.best_doc_id then 1 else 0 end) over (partition by s.__ltr_key, s.subtopic) as covered,
        s.place + 1 as place,
        s.doc_id = s.best_doc_id as placed
    from (
        select
            n.__ltr_key,
            n.doc_id,
            n.subtopic,
            n.covered,
            n.place,
            first_value(n.doc_id) over (partition by n.__ltr_key order by n.novelty desc nulls last, n.doc_id desc nulls last) as best_doc_id
        from (
            select
                g.__ltr_key,
                g.doc_id,
                g.subtopic,
                g.covered,
                g.place,
                round(sum(power(1e0 - cast(alpha as double), g.covered)) over (partition by g.__ltr_key, g.doc_id), 12) as novelty
            from __ltr_greedy as g
            where not g.placed and (g.place + 1) <= coalesce(k, (g.place + 1))
        ) as n
    ) as s
),
__ltr_ideal as (
    select
        g.__ltr_key,
        g.doc_id,
        g.place
    from __ltr_greedy as g
    where g.placed
    group by g.__ltr_key, g.doc_id, g.place
),
__ltr_ideally_placed as (
    select
        c.__ltr_key,
        c.rank,
        c.subtopic,
        i.place as ideal_rank
    from __ltr_covers as c
    left join __ltr_ideal as i
        on i.__ltr_key is not distinct from c.__ltr_key and i.doc_id = c.doc_id
),
__ltr_subtopics as (
    select
        r.__ltr_key,
        r.rank,
        r.ideal_rank,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_covered_before,
        row_number() over (partition by r.__ltr_key, r.subtopic order by r.ideal_rank asc nulls last) - 1 as __ltr_ideal_covered_before
    from __ltr_ideally_placed as r
),
__ltr_by_subtopics as (
    select
        d.__ltr_key,
        sum(case when d.rank <= coalesce(k, d.rank) then power(1e0 - cast(alpha as double), d.__ltr_covered_before) / log2(d.rank + 1) else 0e0 end)
        / nullif(sum(case when d.ideal_rank <= coalesce(k, d.ideal_rank) then power(1e0 - cast(alpha as double), d.__ltr_ideal_covered_before) / log2(d.ideal_rank + 1) else 0e0 end), 0) as alpha_ndcg
    from __ltr_subtopics as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(subtopics.alpha_ndcg, 0.0e0) as alpha_ndcg
from __ltr_queries as q
left join __ltr_by_subtopics as subtopics
    on subtopics.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.alpha_ndcg is 'nDCG for diversity: a document gains by each subtopic that it covers, less for each document above that covers it too. alpha_nDCG = A / A of the greedy ideal, A = sum over ranks i <= k of (sum over subtopics s of the document of (1 - alpha)^(documents above that cover s)) / log2(i + 1). k: cutoff: only ranks 1 to k count; NULL is the whole ranking. alpha: share of its gain that a subtopic loses with each document above that covers it. rel: smallest grade that counts as relevant. Clarke et al. 2008, Novelty and diversity in information retrieval evaluation; ndeval alpha-nDCG.';

create or replace macro ltr.ap(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
    from query_table(rankings) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.ap: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.ap: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
            cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(rankings) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.ap: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.ap: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
    having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row for each document, and the input has one for each subtopic: group it first') end
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
        / nullif(sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end), 0) as ap
    from __ltr_documents as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(documents.ap, 0.0e0) as ap
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.ap is 'Average precision: the precision at each relevant document of the top k, summed and divided by all relevant documents. AP = (1 / |relevant|) sum over relevant documents of rank i <= k of |relevant with rank <= i| / i. k: cutoff: only ranks 1 to k count; NULL is the whole ranking. rel: smallest grade that counts as relevant. Harman 1992, Evaluation issues in information retrieval; trec_eval map, map_cut.';

create or replace macro ltr.cg(rankings, k := null, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
    from query_table(rankings) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.cg: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
            cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(rankings) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.cg: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
    having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row for each document, and the input has one for each subtopic: group it first') end
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
)
select
    unnest(q.__ltr_key),
    coalesce(documents.cg, 0.0e0) as cg
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.cg is 'Cumulative gain: the grades of the top k, summed. CG = sum of relevance over ranks <= k. k: cutoff: only ranks 1 to k count; NULL is the whole ranking. Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques.';

create or replace macro ltr.dcg(rankings, k := null, gain := 'linear', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
    from query_table(case when not coalesce(gain in ('linear', 'exponential'), false) then error('ltr.dcg: gain must be ''linear'' or ''exponential'', got ' || coalesce(cast(gain as varchar), 'NULL')) else rankings end) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.dcg: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
            cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(case when not coalesce(gain in ('linear', 'exponential'), false) then error('ltr.dcg: gain must be ''linear'' or ''exponential'', got ' || coalesce(cast(gain as varchar), 'NULL')) else rankings end) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.dcg: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
    having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row for each document, and the input has one for each subtopic: group it first') end
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
        sum(case when d.rank <= coalesce(k, d.rank) and d.relevance > 0 then case gain when 'linear' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.rank + 1) else 0e0 end) as dcg
    from __ltr_documents as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(documents.dcg, 0.0e0) as dcg
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.dcg is 'Discounted cumulative gain: the gains of the top k, each divided by log2(rank + 1). DCG = sum over ranks i <= k of gain / log2(i + 1). k: cutoff: only ranks 1 to k count; NULL is the whole ranking. gain: gain of a grade: ''linear'' is the grade, ''exponential'' is 2^grade - 1. Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; Burges et al. 2005 (exponential gain).';

create or replace macro ltr.f1(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
    from query_table(rankings) as j
    where case when (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.f1: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.f1: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
            cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(rankings) as j
        where case when (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.f1: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.f1: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
    having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row for each document, and the input has one for each subtopic: group it first') end
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
        2 * (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end) / k) * (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end) / nullif(sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end), 0)) / nullif((sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end) / k) + (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end) / nullif(sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end), 0)), 0) as f1
    from __ltr_documents as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(documents.f1, 0.0e0) as f1
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.f1 is 'Harmonic mean of precision and recall at k. F1 = 2 P@k R@k / (P@k + R@k), 0 when both are 0. k: cutoff: only ranks 1 to k count; NULL is the whole ranking. rel: smallest grade that counts as relevant. van Rijsbergen 1979, Information Retrieval.';

create or replace macro ltr.idcg(rankings, k := null, gain := 'linear', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
    from query_table(case when not coalesce(gain in ('linear', 'exponential'), false) then error('ltr.idcg: gain must be ''linear'' or ''exponential'', got ' || coalesce(cast(gain as varchar), 'NULL')) else rankings end) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.idcg: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
            cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(case when not coalesce(gain in ('linear', 'exponential'), false) then error('ltr.idcg: gain must be ''linear'' or ''exponential'', got ' || coalesce(cast(gain as varchar), 'NULL')) else rankings end) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.idcg: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
    having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row for each document, and the input has one for each subtopic: group it first') end
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
        sum(case when d.__ltr_ideal_rank <= coalesce(k, d.__ltr_ideal_rank) and d.relevance > 0 then case gain when 'linear' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end) as idcg
    from __ltr_documents as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(documents.idcg, 0.0e0) as idcg
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.idcg is 'DCG of the ideal ranking: all judged documents of the query, retrieved or not, by relevance. IDCG = sum over ideal ranks i <= k of gain / log2(i + 1). k: cutoff: only ranks 1 to k count; NULL is the whole ranking. gain: gain of a grade: ''linear'' is the grade, ''exponential'' is 2^grade - 1. Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques.';

create or replace macro ltr.kendall_distance(pairs, k := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank_a as double), cast('nan' as double)) as rank_a,
        nullif(cast(j.rank_b as double), cast('nan' as double)) as rank_b
    from query_table(pairs) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.kendall_distance: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key
        from query_table(pairs) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.kendall_distance: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
),
__ltr_shared as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b,
        row_number() over (partition by r.__ltr_key order by r.rank_a asc nulls last, r.rank_b asc nulls last) as place
    from __ltr_paired as r
    where r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b)
),
__ltr_pairs as (
    select
        x.__ltr_key,
        x.rank_a as x_a,
        x.rank_b as x_b,
        y.rank_a as y_a,
        y.rank_b as y_b
    from __ltr_shared as x
    join __ltr_shared as y
        on y.__ltr_key is not distinct from x.__ltr_key and x.place < y.place
),
__ltr_by_pairs as (
    select
        d.__ltr_key,
        sum(case when d.y_a <= coalesce(k, d.y_a) and d.x_b <= coalesce(k, d.x_b) and d.y_b <= coalesce(k, d.y_b) and d.x_a < d.y_a and d.x_b > d.y_b then 1e0 else 0e0 end) / nullif(sum(case when d.y_a <= coalesce(k, d.y_a) and d.x_b <= coalesce(k, d.x_b) and d.y_b <= coalesce(k, d.y_b) then 1e0 else 0e0 end), 0) as kendall_distance
    from __ltr_pairs as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    pairs.kendall_distance as kendall_distance
from __ltr_queries as q
left join __ltr_by_pairs as pairs
    on pairs.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.kendall_distance is 'Share of the document pairs that two rankings order differently, over the documents in the top k of both. KendallDistance = discordant pairs / (n (n - 1) / 2). k: cutoff: only ranks 1 to k count; NULL is the whole ranking. Kendall 1938, A new measure of rank correlation; Fagin, Kumar and Sivakumar 2003, Comparing top k lists.';

create or replace macro ltr.kendall_tau(pairs, k := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank_a as double), cast('nan' as double)) as rank_a,
        nullif(cast(j.rank_b as double), cast('nan' as double)) as rank_b
    from query_table(pairs) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.kendall_tau: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key
        from query_table(pairs) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.kendall_tau: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
),
__ltr_shared as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b,
        row_number() over (partition by r.__ltr_key order by r.rank_a asc nulls last, r.rank_b asc nulls last) as place
    from __ltr_paired as r
    where r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b)
),
__ltr_pairs as (
    select
        x.__ltr_key,
        x.rank_a as x_a,
        x.rank_b as x_b,
        y.rank_a as y_a,
        y.rank_b as y_b
    from __ltr_shared as x
    join __ltr_shared as y
        on y.__ltr_key is not distinct from x.__ltr_key and x.place < y.place
),
__ltr_by_pairs as (
    select
        d.__ltr_key,
        (sum(case when d.y_a <= coalesce(k, d.y_a) and d.x_b <= coalesce(k, d.x_b) and d.y_b <= coalesce(k, d.y_b) and d.x_a < d.y_a and d.x_b < d.y_b then 1e0 else 0e0 end) - sum(case when d.y_a <= coalesce(k, d.y_a) and d.x_b <= coalesce(k, d.x_b) and d.y_b <= coalesce(k, d.y_b) and d.x_a < d.y_a and d.x_b > d.y_b then 1e0 else 0e0 end))
        / nullif(sqrt(sum(case when d.y_a <= coalesce(k, d.y_a) and d.x_b <= coalesce(k, d.x_b) and d.y_b <= coalesce(k, d.y_b) and d.x_a <> d.y_a then 1e0 else 0e0 end) * sum(case when d.y_a <= coalesce(k, d.y_a) and d.x_b <= coalesce(k, d.x_b) and d.y_b <= coalesce(k, d.y_b) and d.x_b <> d.y_b then 1e0 else 0e0 end)), 0) as kendall_tau
    from __ltr_pairs as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    pairs.kendall_tau as kendall_tau
from __ltr_queries as q
left join __ltr_by_pairs as pairs
    on pairs.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.kendall_tau is 'Kendall''s tau-b of two rankings, over the documents in the top k of both. KendallTau = (concordant - discordant) / sqrt((pairs - pairs tied in a) (pairs - pairs tied in b)). k: cutoff: only ranks 1 to k count; NULL is the whole ranking. Kendall 1945, The treatment of ties in ranking problems; scipy.stats.kendalltau.';

create or replace macro ltr.ndcg(rankings, k := null, gain := 'linear', keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
    from query_table(case when not coalesce(gain in ('linear', 'exponential'), false) then error('ltr.ndcg: gain must be ''linear'' or ''exponential'', got ' || coalesce(cast(gain as varchar), 'NULL')) else rankings end) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.ndcg: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
            cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(case when not coalesce(gain in ('linear', 'exponential'), false) then error('ltr.ndcg: gain must be ''linear'' or ''exponential'', got ' || coalesce(cast(gain as varchar), 'NULL')) else rankings end) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.ndcg: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
    having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row for each document, and the input has one for each subtopic: group it first') end
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
        (sum(case when d.rank <= coalesce(k, d.rank) and d.relevance > 0 then case gain when 'linear' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.rank + 1) else 0e0 end))
        / nullif((sum(case when d.__ltr_ideal_rank <= coalesce(k, d.__ltr_ideal_rank) and d.relevance > 0 then case gain when 'linear' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as ndcg
    from __ltr_documents as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(documents.ndcg, 0.0e0) as ndcg
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.ndcg is 'DCG divided by the DCG of the ideal ranking. nDCG = DCG@k / IDCG@k. k: cutoff: only ranks 1 to k count; NULL is the whole ranking. gain: gain of a grade: ''linear'' is the grade, ''exponential'' is 2^grade - 1. Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; trec_eval ndcg, ndcg_cut.';

create or replace macro ltr.p(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
    from query_table(rankings) as j
    where case when (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.p: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.p: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
            cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(rankings) as j
        where case when (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.p: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.p: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
    having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row for each document, and the input has one for each subtopic: group it first') end
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
        sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end) / k as p
    from __ltr_documents as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(documents.p, 0.0e0) as p
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.p is 'Share of relevant documents among the top k; k counts in full when fewer were retrieved. P = |relevant in top k| / k. k: cutoff: only ranks 1 to k count; NULL is the whole ranking. rel: smallest grade that counts as relevant. van Rijsbergen 1979, Information Retrieval; trec_eval P.';

create or replace macro ltr.r(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
    from query_table(rankings) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.r: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.r: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
            cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(rankings) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.r: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.r: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
    having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row for each document, and the input has one for each subtopic: group it first') end
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
        sum(case when d.rank <= coalesce(k, d.rank) and d.relevance >= cast(rel as double) then 1e0 else 0e0 end) / nullif(sum(case when d.relevance >= cast(rel as double) then 1e0 else 0e0 end), 0) as r
    from __ltr_documents as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    coalesce(documents.r, 0.0e0) as r
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.r is 'Share of the relevant documents of the query, retrieved or not, that are in the top k. R = |relevant in top k| / |relevant|. k: cutoff: only ranks 1 to k count; NULL is the whole ranking. rel: smallest grade that counts as relevant. van Rijsbergen 1979, Information Retrieval; trec_eval recall.';

create or replace macro ltr.rr(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
    from query_table(rankings) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.rr: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.rr: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
            cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(rankings) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.rr: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.rr: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
    having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row for each document, and the input has one for each subtopic: group it first') end
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
)
select
    unnest(q.__ltr_key),
    coalesce(documents.rr, 0.0e0) as rr
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.rr is 'Reciprocal rank of the first relevant document of the top k. RR = 1 / rank of the first relevant document, 0 if none is in the top k. k: cutoff: only ranks 1 to k count; NULL is the whole ranking. rel: smallest grade that counts as relevant. Kantor and Voorhees 2000, The TREC-5 confusion track; trec_eval recip_rank.';

create or replace macro ltr.spearman(pairs, k := null, keys := []::varchar[]) as table
with __ltr_paired as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank_a as double), cast('nan' as double)) as rank_a,
        nullif(cast(j.rank_b as double), cast('nan' as double)) as rank_b
    from query_table(pairs) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.spearman: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key
        from query_table(pairs) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.spearman: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
),
__ltr_lists as (
    select
        r.__ltr_key,
        r.rank_a,
        r.rank_b,
        rank() over (partition by r.__ltr_key, case when r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b) then 1 else 0 end order by r.rank_a asc nulls last) + (count(*) over (partition by r.__ltr_key, case when r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b) then 1 else 0 end, r.rank_a) - 1) / 2e0 as __ltr_average_rank_a,
        rank() over (partition by r.__ltr_key, case when r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b) then 1 else 0 end order by r.rank_b asc nulls last) + (count(*) over (partition by r.__ltr_key, case when r.rank_a <= coalesce(k, r.rank_a) and r.rank_b <= coalesce(k, r.rank_b) then 1 else 0 end, r.rank_b) - 1) / 2e0 as __ltr_average_rank_b
    from __ltr_paired as r
),
__ltr_by_lists as (
    select
        d.__ltr_key,
        (sum(case when d.rank_a <= coalesce(k, d.rank_a) and d.rank_b <= coalesce(k, d.rank_b) then d.__ltr_average_rank_a * d.__ltr_average_rank_b else 0e0 end) - sum(case when d.rank_a <= coalesce(k, d.rank_a) and d.rank_b <= coalesce(k, d.rank_b) then 1e0 else 0e0 end) * power(sum(case when d.rank_a <= coalesce(k, d.rank_a) and d.rank_b <= coalesce(k, d.rank_b) then 1e0 else 0e0 end) + 1, 2) / 4)
        / nullif(sqrt((sum(case when d.rank_a <= coalesce(k, d.rank_a) and d.rank_b <= coalesce(k, d.rank_b) then d.__ltr_average_rank_a * d.__ltr_average_rank_a else 0e0 end) - sum(case when d.rank_a <= coalesce(k, d.rank_a) and d.rank_b <= coalesce(k, d.rank_b) then 1e0 else 0e0 end) * power(sum(case when d.rank_a <= coalesce(k, d.rank_a) and d.rank_b <= coalesce(k, d.rank_b) then 1e0 else 0e0 end) + 1, 2) / 4) * (sum(case when d.rank_a <= coalesce(k, d.rank_a) and d.rank_b <= coalesce(k, d.rank_b) then d.__ltr_average_rank_b * d.__ltr_average_rank_b else 0e0 end) - sum(case when d.rank_a <= coalesce(k, d.rank_a) and d.rank_b <= coalesce(k, d.rank_b) then 1e0 else 0e0 end) * power(sum(case when d.rank_a <= coalesce(k, d.rank_a) and d.rank_b <= coalesce(k, d.rank_b) then 1e0 else 0e0 end) + 1, 2) / 4)), 0) as spearman
    from __ltr_lists as d
    group by d.__ltr_key
)
select
    unnest(q.__ltr_key),
    lists.spearman as spearman
from __ltr_queries as q
left join __ltr_by_lists as lists
    on lists.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.spearman is 'Spearman''s rho: Pearson correlation of the average ranks in two rankings, over the documents in the top k of both. Spearman = cov(rank_a, rank_b) / sqrt(var(rank_a) var(rank_b)). k: cutoff: only ranks 1 to k count; NULL is the whole ranking. Spearman 1904, The proof and measurement of association between two things; scipy.stats.spearmanr.';

create or replace macro ltr.success(rankings, k := null, rel := 1, keys := []::varchar[]) as table
with __ltr_rankings as not materialized (
    select
        struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
        nullif(cast(j.rank as double), cast('nan' as double)) as rank,
        nullif(cast(j.relevance as double), cast('nan' as double)) as relevance
    from query_table(rankings) as j
    where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.success: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.success: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
),
__ltr_queries as (
    select
        r.__ltr_key
    from (
        select
            struct_pack(*columns(lambda c: c = 'query_id' or list_contains(keys, c))) as __ltr_key,
            cast(struct_pack(*columns(lambda c: lower(c) in ('rank', 'doc_id', 'subtopic'))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
        from query_table(rankings) as j
        where case when k is null or (k >= 1 and k = floor(k) and isfinite(cast(k as double))) then true else error('ltr.success: k must be an integer from 1, got ' || coalesce(cast(k as varchar), 'NULL')) end
        and case when (rel > 0 and isfinite(cast(rel as double))) then true else error('ltr.success: rel must be a number above 0, got ' || coalesce(cast(rel as varchar), 'NULL')) end
    ) as r
    group by r.__ltr_key
    having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error('this measure needs one row for each document, and the input has one for each subtopic: group it first') end
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
)
select
    unnest(q.__ltr_key),
    coalesce(documents.success, 0.0e0) as success
from __ltr_queries as q
left join __ltr_by_documents as documents
    on documents.__ltr_key is not distinct from q.__ltr_key
where case when coalesce(list_has_all(struct_keys(q.__ltr_key), keys), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), 'query_id') then true else error('query_id and keys must be columns of the input, got keys ' || coalesce(cast(keys as varchar), 'NULL')) end;
comment on macro table ltr.success is 'Whether a relevant document is in the top k. Success = 1 if a relevant document has rank <= k, else 0. k: cutoff: only ranks 1 to k count; NULL is the whole ranking. rel: smallest grade that counts as relevant. trec_eval success; Accuracy@k of sentence retrieval.';

create or replace macro ltr.per_query(rankings, measures, keys := []::varchar[]) as table
from query(list_transform(
    [list_transform(list_transform(list_transform(list_transform(list_transform(
        list_filter(
            case
                when len(measures) > 0 and len(list_filter(measures, lambda m: m is null)) = 0
                then list_transform(measures, lambda m: trim(m))
                else error('measures must be a list of measure strings without NULL, such as [''nDCG@10'', ''AP'']')
            end,
            lambda m, i: i = list_position(list_transform(measures, lambda n: trim(n)), m)
        ),
        lambda m: {'text': m, 'read': regexp_extract(m, '^(?P<name>[A-Za-z][A-Za-z0-9_-]*?)(?:\((?P<arguments>[^()]*)\))?(?:[@_.](?P<k>[0-9]+))?$', ['name', 'arguments', 'k'])}
    ), lambda m: {
        'text': m['text'],
        'k': m['read']['k'],
        'arguments': m['read']['arguments'],
        'definition': map {
            'alpha_ndcg': {'macro': 'alpha_ndcg', 'base': 'subtopics', 'block': 'subtopics{_alpha}{_rel}', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'alpha', 'rel']::varchar[], 'arguments': ['alpha', 'rel']::varchar[], 'windows': [',
            row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_covered_before', ',
            row_number() over (partition by r.__ltr_key, r.subtopic order by r.ideal_rank asc nulls last) - 1 as __ltr_ideal_covered_before']::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) then power(1e0 - {alpha}, d.__ltr_covered_before) / log2(d.rank + 1) else 0e0 end)
            / nullif(sum(case when d.ideal_rank <= coalesce({k}, d.ideal_rank) then power(1e0 - {alpha}, d.__ltr_ideal_covered_before) / log2(d.ideal_rank + 1) else 0e0 end), 0) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'ap': {'macro': 'ap', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': [',
            sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}']::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end)
            / nullif(sum(case when d.relevance >= {rel} then 1e0 else 0e0 end), 0) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'cg': {'macro': 'cg', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k']::varchar[], 'arguments': []::varchar[], 'windows': []::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance > 0 then d.relevance else 0e0 end) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'dcg': {'macro': 'dcg', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'gain']::varchar[], 'arguments': ['gain']::varchar[], 'windows': []::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance > 0 then case {gain} when ''linear'' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.rank + 1) else 0e0 end) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'f1': {'macro': 'f1', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'required', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': []::varchar[], 'value': ',
            2 * (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / {k}) * (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / nullif(sum(case when d.relevance >= {rel} then 1e0 else 0e0 end), 0)) / nullif((sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / {k}) + (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / nullif(sum(case when d.relevance >= {rel} then 1e0 else 0e0 end), 0)), 0) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'idcg': {'macro': 'idcg', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'gain']::varchar[], 'arguments': ['gain']::varchar[], 'windows': [',
            row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank']::varchar[], 'value': ',
            sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and d.relevance > 0 then case {gain} when ''linear'' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'kendall_distance': {'macro': 'kendall_distance', 'base': 'pairs', 'block': 'pairs', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k']::varchar[], 'arguments': []::varchar[], 'windows': []::varchar[], 'value': ',
            sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) and d.x_a < d.y_a and d.x_b > d.y_b then 1e0 else 0e0 end) / nullif(sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) then 1e0 else 0e0 end), 0) as {name}', 'output': ',
            {block}.{name} as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'kendall_tau': {'macro': 'kendall_tau', 'base': 'pairs', 'block': 'pairs', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k']::varchar[], 'arguments': []::varchar[], 'windows': []::varchar[], 'value': ',
            (sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) and d.x_a < d.y_a and d.x_b < d.y_b then 1e0 else 0e0 end) - sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) and d.x_a < d.y_a and d.x_b > d.y_b then 1e0 else 0e0 end))
            / nullif(sqrt(sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) and d.x_a <> d.y_a then 1e0 else 0e0 end) * sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) and d.x_b <> d.y_b then 1e0 else 0e0 end)), 0) as {name}', 'output': ',
            {block}.{name} as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'ndcg': {'macro': 'ndcg', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'gain']::varchar[], 'arguments': ['gain']::varchar[], 'windows': [',
            row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank']::varchar[], 'value': ',
            (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance > 0 then case {gain} when ''linear'' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.rank + 1) else 0e0 end))
            / nullif((sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and d.relevance > 0 then case {gain} when ''linear'' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'p': {'macro': 'p', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'required', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': []::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / {k} as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'r': {'macro': 'r', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': []::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / nullif(sum(case when d.relevance >= {rel} then 1e0 else 0e0 end), 0) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'rr': {'macro': 'rr', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': []::varchar[], 'value': ',
            max(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 / d.rank else 0e0 end) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'spearman': {'macro': 'spearman', 'base': 'lists', 'block': 'lists', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k']::varchar[], 'arguments': []::varchar[], 'windows': [',
            rank() over (partition by r.__ltr_key, case when r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b) then 1 else 0 end order by r.rank_a asc nulls last) + (count(*) over (partition by r.__ltr_key, case when r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b) then 1 else 0 end, r.rank_a) - 1) / 2e0 as __ltr_average_rank_a{_k}', ',
            rank() over (partition by r.__ltr_key, case when r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b) then 1 else 0 end order by r.rank_b asc nulls last) + (count(*) over (partition by r.__ltr_key, case when r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b) then 1 else 0 end, r.rank_b) - 1) / 2e0 as __ltr_average_rank_b{_k}']::varchar[], 'value': ',
            (sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then d.__ltr_average_rank_a{_k} * d.__ltr_average_rank_b{_k} else 0e0 end) - sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) * power(sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) + 1, 2) / 4)
            / nullif(sqrt((sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then d.__ltr_average_rank_a{_k} * d.__ltr_average_rank_a{_k} else 0e0 end) - sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) * power(sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) + 1, 2) / 4) * (sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then d.__ltr_average_rank_b{_k} * d.__ltr_average_rank_b{_k} else 0e0 end) - sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) * power(sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) + 1, 2) / 4)), 0) as {name}', 'output': ',
            {block}.{name} as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'success': {'macro': 'success', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': []::varchar[], 'value': ',
            max(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'}
        }[coalesce(map {
            'alpha_ndcg': 'alpha_ndcg',
            'alpha-ndcg': 'alpha_ndcg',
            'ap': 'ap',
            'map': 'ap',
            'map_cut': 'ap',
            'cg': 'cg',
            'dcg': 'dcg',
            'f1': 'f1',
            'idcg': 'idcg',
            'ideal_dcg': 'idcg',
            'kendalldistance': 'kendall_distance',
            'kendall_distance': 'kendall_distance',
            'kendalltau': 'kendall_tau',
            'kendall_tau': 'kendall_tau',
            'ndcg': 'ndcg',
            'ndcg_cut': 'ndcg',
            'p': 'p',
            'precision': 'p',
            'r': 'r',
            'recall': 'r',
            'rr': 'rr',
            'mrr': 'rr',
            'recip_rank': 'rr',
            'spearman': 'spearman',
            'spearmanrho': 'spearman',
            'success': 'success',
            'accuracy': 'success',
            'hit_rate': 'success',
            'hitrate': 'success'
        }[lower(m['read']['name'])], error('unknown measure ''' || m['text'] || ''': from ltr.measures() lists them'))]
    }), lambda m: {
        'text': m['text'],
        'definition': m['definition'],
        'refused': list_filter(
            list_transform(string_split(m['arguments'], ','), lambda a: trim(a)),
            lambda a: a <> '' and not coalesce(list_contains(m['definition']['arguments'], regexp_extract(a, '^(?P<name>\w+)\s*=\s*[''"]?(?P<value>[\w.+-]+)[''"]?$', 1)), false)
        ),
        'k': coalesce(nullif(m['k'], ''), 'null'),
        'alpha': coalesce(nullif(regexp_extract(m['arguments'], '\balpha\s*=\s*[''"]?([\w.+-]+)', 1), ''), '0.5'),
        'rel': coalesce(nullif(regexp_extract(m['arguments'], '\brel\s*=\s*[''"]?([\w.+-]+)', 1), ''), '1'),
        'gain': coalesce(nullif(regexp_extract(m['arguments'], '\bgain\s*=\s*[''"]?([\w.+-]+)', 1), ''), 'linear')
    }), lambda m: {
        'definition': m['definition'],
        'name': case
            when len(m['refused']) > 0
            then error('measure ''' || m['text'] || ''': ' || m['refused'][1] || ' is not one of its parameters (' || array_to_string(m['definition']['arguments'], ', ') || ') with a value')
            when list_contains(list_transform(keys, lambda c: lower(c)), lower(m['text'])) or list_contains(list_transform(keys, lambda c: lower(c)), 'queries')
            then error('a key cannot be called queries or like a measure, got keys ' || cast(keys as varchar))
            else '"' || replace(m['text'], '"', '""') || '"'
        end,
        'k': case
            when not list_contains(m['definition']['parameters'], 'k') then 'null'
            when m['k'] = 'null' and m['definition']['cutoff'] = 'optional' then m['k']
            when not coalesce(try_cast(m['k'] as double) >= 1 and try_cast(m['k'] as double) = floor(try_cast(m['k'] as double)) and isfinite(cast(try_cast(m['k'] as double) as double)), false)
            then error('measure ''' || m['text'] || ''': k must be an integer from 1, got ' || m['k'])
            else m['k'] || case when contains(m['k'], '.') and not contains(lower(m['k']), 'e') then 'e0' else '' end
        end,
        'alpha': case
            when not list_contains(m['definition']['parameters'], 'alpha') then 'null'
            when not coalesce(try_cast(m['alpha'] as double) >= 0 and try_cast(m['alpha'] as double) <= 1 and isfinite(cast(try_cast(m['alpha'] as double) as double)), false)
            then error('measure ''' || m['text'] || ''': alpha must be a number from 0 to 1, got ' || m['alpha'])
            else m['alpha'] || case when contains(m['alpha'], '.') and not contains(lower(m['alpha']), 'e') then 'e0' else '' end
        end,
        'rel': case
            when not list_contains(m['definition']['parameters'], 'rel') then 'null'
            when not coalesce(try_cast(m['rel'] as double) > 0 and isfinite(cast(try_cast(m['rel'] as double) as double)), false)
            then error('measure ''' || m['text'] || ''': rel must be a number above 0, got ' || m['rel'])
            else m['rel'] || case when contains(m['rel'], '.') and not contains(lower(m['rel']), 'e') then 'e0' else '' end
        end,
        'gain': case
            when not list_contains(m['definition']['parameters'], 'gain') then 'null'
            when not coalesce(m['gain'] in ('linear', 'exponential'), false)
            then error('measure ''' || m['text'] || ''': gain must be ''linear'' or ''exponential'', got ' || m['gain'])
            else '''' || m['gain'] || ''''
        end
    }), lambda m: {
        'base': m['definition']['base'],
        'rows': m['definition']['rows'],
        'block': replace(replace(replace(replace(replace(replace(replace(replace(replace(m['definition']['block'], '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g')),
        'cutoff': try_cast(m['k'] as integer),
        'windows': list_transform(m['definition']['windows'], lambda w: replace(replace(replace(replace(replace(replace(replace(replace(replace(w, '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g'))),
        'value': replace(replace(replace(replace(replace(replace(replace(replace(replace(m['definition']['value'], '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g')),
        'output': replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(m['definition']['output'], '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g')), '{block}', replace(replace(replace(replace(replace(replace(replace(replace(replace(m['definition']['block'], '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g'))),
        'average': replace(replace(replace(replace(replace(replace(replace(replace(replace(m['definition']['average'], '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g')),
        'alpha': m['alpha'],
        'rel': m['rel']
    })],
    lambda every: replace(replace(replace(replace(replace(replace(map {'documents': 'with __ltr_rankings as not materialized (
        select
            struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
            nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
            nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance
        from query_table(''{rankings}'') as j
    ),
    __ltr_queries as (
        select
            r.__ltr_key
        from (
            select
                struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''doc_id'', ''subtopic''))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
            from query_table(''{rankings}'') as j
        ) as r
        group by r.__ltr_key
        having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error(''this measure needs one row for each document, and the input has one for each subtopic: group it first'') end
    ),
    {blocks}
    select
        unnest(q.__ltr_key){outputs}
    from __ltr_queries as q
    {joins}
    where case when coalesce(list_has_all(struct_keys(q.__ltr_key), {keys}), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), ''query_id'') then true else error(''query_id and keys must be columns of the input, got keys '' || coalesce(cast({keys} as varchar), ''NULL'')) end', 'documents paired': 'with __ltr_rankings as not materialized (
        select
            struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
            nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
            nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance
        from query_table(''{rankings}'') as j
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
                struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''doc_id'', ''subtopic''))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
            from query_table(''{rankings}'') as j
        ) as r
        group by r.__ltr_key
        having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error(''this measure needs one row for each document, and the input has one for each subtopic: group it first'') end
    ),
    {blocks}
    select
        unnest(q.__ltr_key){outputs}
    from __ltr_queries as q
    {joins}
    where case when coalesce(list_has_all(struct_keys(q.__ltr_key), {keys}), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), ''query_id'') then true else error(''query_id and keys must be columns of the input, got keys '' || coalesce(cast({keys} as varchar), ''NULL'')) end', 'subtopics': 'with recursive __ltr_rankings as not materialized (
        select
            struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
            nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
            nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance,
            j.doc_id,
            j.subtopic
        from query_table(''{rankings}'') as j
    ),
    __ltr_graded as (
        select
            r.__ltr_key,
            r.doc_id,
            min(r.rank) as rank,
            max(r.relevance) as relevance
        from __ltr_rankings as r
        group by r.__ltr_key, r.doc_id
    ),
    __ltr_queries as (
        select
            r.__ltr_key
        from (
            select
                struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key
            from query_table(''{rankings}'') as j
        ) as r
        group by r.__ltr_key
    ),
    {blocks}
    select
        unnest(q.__ltr_key){outputs}
    from __ltr_queries as q
    {joins}
    where case when coalesce(list_has_all(struct_keys(q.__ltr_key), {keys}), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), ''query_id'') then true else error(''query_id and keys must be columns of the input, got keys '' || coalesce(cast({keys} as varchar), ''NULL'')) end', 'subtopics paired': 'with recursive __ltr_rankings as not materialized (
        select
            struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
            nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
            nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance,
            j.doc_id,
            j.subtopic
        from query_table(''{rankings}'') as j
    ),
    __ltr_graded as (
        select
            r.__ltr_key,
            r.doc_id,
            min(r.rank) as rank,
            max(r.relevance) as relevance
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
                struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key
            from query_table(''{rankings}'') as j
        ) as r
        group by r.__ltr_key
    ),
    {blocks}
    select
        unnest(q.__ltr_key){outputs}
    from __ltr_queries as q
    {joins}
    where case when coalesce(list_has_all(struct_keys(q.__ltr_key), {keys}), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), ''query_id'') then true else error(''query_id and keys must be columns of the input, got keys '' || coalesce(cast({keys} as varchar), ''NULL'')) end'}[case when list_contains(list_transform(every, lambda m: m['base']), 'subtopics') then 'subtopics' else 'documents' end || case when list_has_any(list_transform(every, lambda m: m['base']), ['lists', 'pairs']) then ' paired' else '' end], '{blocks}', list_aggregate(list_transform(list_transform(
        list_sort(list_distinct(list_transform(every, lambda m: m['block']))),
        lambda b: list_transform([list_filter(every, lambda m: m['block'] = b)], lambda members: {
            'name': b,
            'text': replace(replace(replace(replace(replace(replace(map {'documents relevant': '__ltr_documents as (
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
            )', 'lists relevant': '__ltr_lists as (
                select
                    r.__ltr_key,
                    r.rank_a,
                    r.rank_b{windows}
                from __ltr_paired as r
            ),
            __ltr_by_lists{suffix} as (
                select
                    d.__ltr_key{values}
                from __ltr_lists as d
                group by d.__ltr_key
            )', 'pairs relevant': '__ltr_shared as (
                select
                    r.__ltr_key,
                    r.rank_a,
                    r.rank_b,
                    row_number() over (partition by r.__ltr_key order by r.rank_a asc nulls last, r.rank_b asc nulls last) as place
                from __ltr_paired as r
                where r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b)
            ),
            __ltr_pairs as (
                select
                    x.__ltr_key,
                    x.rank_a as x_a,
                    x.rank_b as x_b,
                    y.rank_a as y_a,
                    y.rank_b as y_b
                from __ltr_shared as x
                join __ltr_shared as y
                    on y.__ltr_key is not distinct from x.__ltr_key and x.place < y.place
            ),
            __ltr_by_pairs{suffix} as (
                select
                    d.__ltr_key{values}
                from __ltr_pairs as d
                group by d.__ltr_key
            )', 'subtopics relevant': '__ltr_covers{suffix} as (
                select
                    r.__ltr_key,
                    cast(r.doc_id as varchar) as doc_id,
                    r.rank,
                    r.subtopic
                from __ltr_rankings as r
                where r.relevance >= {rel}
            ),
            __ltr_greedy{suffix} as (
                select
                    c.__ltr_key,
                    c.doc_id,
                    c.subtopic,
                    0 as covered,
                    0 as place,
                    false as placed
                from __ltr_covers{suffix} as c
                union all
                select
                    s.__ltr_key,
                    s.doc_id,
                    s.subtopic,
                    s.covered + max(case when s.doc_id = s.best_doc_id then 1 else 0 end) over (partition by s.__ltr_key, s.subtopic) as covered,
                    s.place + 1 as place,
                    s.doc_id = s.best_doc_id as placed
                from (
                    select
                        n.__ltr_key,
                        n.doc_id,
                        n.subtopic,
                        n.covered,
                        n.place,
                        first_value(n.doc_id) over (partition by n.__ltr_key order by n.novelty desc nulls last, n.doc_id desc nulls last) as best_doc_id
                    from (
                        select
                            g.__ltr_key,
                            g.doc_id,
                            g.subtopic,
                            g.covered,
                            g.place,
                            round(sum(power(1e0 - {alpha}, g.covered)) over (partition by g.__ltr_key, g.doc_id), 12) as novelty
                        from __ltr_greedy{suffix} as g
                        where not g.placed and (g.place + 1) <= coalesce({k}, (g.place + 1))
                    ) as n
                ) as s
            ),
            __ltr_ideal{suffix} as (
                select
                    g.__ltr_key,
                    g.doc_id,
                    g.place
                from __ltr_greedy{suffix} as g
                where g.placed
                group by g.__ltr_key, g.doc_id, g.place
            ),
            __ltr_ideally_placed{suffix} as (
                select
                    c.__ltr_key,
                    c.rank,
                    c.subtopic,
                    i.place as ideal_rank
                from __ltr_covers{suffix} as c
                left join __ltr_ideal{suffix} as i
                    on i.__ltr_key is not distinct from c.__ltr_key and i.doc_id = c.doc_id
            ),
            __ltr_subtopics{suffix} as (
                select
                    r.__ltr_key,
                    r.rank,
                    r.ideal_rank{windows}
                from __ltr_ideally_placed{suffix} as r
            ),
            __ltr_by_subtopics{suffix} as (
                select
                    d.__ltr_key{values}
                from __ltr_subtopics{suffix} as d
                group by d.__ltr_key
            )'}[members[1]['base'] || ' ' || list_aggregate(list_transform(members, lambda m: m['rows']), 'min')], '{suffix}', b[len(members[1]['base']) + 1:]), '{windows}', coalesce(list_aggregate(list_sort(list_distinct(flatten(list_transform(members, lambda m: m['windows'])))), 'string_agg', ''), '')), '{values}', coalesce(list_aggregate(list_transform(members, lambda m: m['value']), 'string_agg', ''), '')), '{k}', case when len(list_filter(members, lambda m: m['cutoff'] is null)) > 0 then 'null' else cast(list_max(list_transform(members, lambda m: m['cutoff'])) as varchar) end), '{alpha}', members[1]['alpha']), '{rel}', members[1]['rel'])
        })[1]
    ), lambda b: b['text']), 'string_agg', ',' || chr(10))), '{joins}', coalesce(list_aggregate(list_transform(list_sort(list_distinct(list_transform(every, lambda m: m['block']))), lambda b: replace('
    left join __ltr_by_{block} as {block}
        on {block}.__ltr_key is not distinct from q.__ltr_key', '{block}', b)), 'string_agg', ''), '')), '{outputs}', coalesce(list_aggregate(list_transform(every, lambda m: m['output']), 'string_agg', ''), '')), '{documents}', case when list_contains(list_transform(every, lambda m: m['base']), 'subtopics') then '__ltr_graded' else '__ltr_rankings' end), '{keys}', '[' || coalesce(list_aggregate(list_transform(keys, lambda c: '''' || replace(c, '''', '''''') || ''''), 'string_agg', ', '), '') || ']::varchar[]'), '{rankings}', replace(rankings, '''', ''''''))
)[1]);
comment on macro table ltr.per_query is 'Measures of each query: one row for each query of a relation of rankings (query_id, rank, relevance, keys), a column for each measure string.';

create or replace macro ltr.evaluate(rankings, measures, keys := []::varchar[]) as table
from query(list_transform(
    [list_transform(list_transform(list_transform(list_transform(list_transform(
        list_filter(
            case
                when len(measures) > 0 and len(list_filter(measures, lambda m: m is null)) = 0
                then list_transform(measures, lambda m: trim(m))
                else error('measures must be a list of measure strings without NULL, such as [''nDCG@10'', ''AP'']')
            end,
            lambda m, i: i = list_position(list_transform(measures, lambda n: trim(n)), m)
        ),
        lambda m: {'text': m, 'read': regexp_extract(m, '^(?P<name>[A-Za-z][A-Za-z0-9_-]*?)(?:\((?P<arguments>[^()]*)\))?(?:[@_.](?P<k>[0-9]+))?$', ['name', 'arguments', 'k'])}
    ), lambda m: {
        'text': m['text'],
        'k': m['read']['k'],
        'arguments': m['read']['arguments'],
        'definition': map {
            'alpha_ndcg': {'macro': 'alpha_ndcg', 'base': 'subtopics', 'block': 'subtopics{_alpha}{_rel}', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'alpha', 'rel']::varchar[], 'arguments': ['alpha', 'rel']::varchar[], 'windows': [',
            row_number() over (partition by r.__ltr_key, r.subtopic order by r.rank asc nulls last) - 1 as __ltr_covered_before', ',
            row_number() over (partition by r.__ltr_key, r.subtopic order by r.ideal_rank asc nulls last) - 1 as __ltr_ideal_covered_before']::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) then power(1e0 - {alpha}, d.__ltr_covered_before) / log2(d.rank + 1) else 0e0 end)
            / nullif(sum(case when d.ideal_rank <= coalesce({k}, d.ideal_rank) then power(1e0 - {alpha}, d.__ltr_ideal_covered_before) / log2(d.ideal_rank + 1) else 0e0 end), 0) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'ap': {'macro': 'ap', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': [',
            sum(case when r.relevance >= {rel} then 1e0 else 0e0 end) over (partition by r.__ltr_key order by r.rank asc nulls last rows between unbounded preceding and current row) as __ltr_relevant_so_far{_rel}']::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then d.__ltr_relevant_so_far{_rel} / d.rank else 0e0 end)
            / nullif(sum(case when d.relevance >= {rel} then 1e0 else 0e0 end), 0) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'cg': {'macro': 'cg', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k']::varchar[], 'arguments': []::varchar[], 'windows': []::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance > 0 then d.relevance else 0e0 end) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'dcg': {'macro': 'dcg', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'gain']::varchar[], 'arguments': ['gain']::varchar[], 'windows': []::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance > 0 then case {gain} when ''linear'' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.rank + 1) else 0e0 end) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'f1': {'macro': 'f1', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'required', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': []::varchar[], 'value': ',
            2 * (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / {k}) * (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / nullif(sum(case when d.relevance >= {rel} then 1e0 else 0e0 end), 0)) / nullif((sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / {k}) + (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / nullif(sum(case when d.relevance >= {rel} then 1e0 else 0e0 end), 0)), 0) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'idcg': {'macro': 'idcg', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'gain']::varchar[], 'arguments': ['gain']::varchar[], 'windows': [',
            row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank']::varchar[], 'value': ',
            sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and d.relevance > 0 then case {gain} when ''linear'' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'kendall_distance': {'macro': 'kendall_distance', 'base': 'pairs', 'block': 'pairs', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k']::varchar[], 'arguments': []::varchar[], 'windows': []::varchar[], 'value': ',
            sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) and d.x_a < d.y_a and d.x_b > d.y_b then 1e0 else 0e0 end) / nullif(sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) then 1e0 else 0e0 end), 0) as {name}', 'output': ',
            {block}.{name} as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'kendall_tau': {'macro': 'kendall_tau', 'base': 'pairs', 'block': 'pairs', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k']::varchar[], 'arguments': []::varchar[], 'windows': []::varchar[], 'value': ',
            (sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) and d.x_a < d.y_a and d.x_b < d.y_b then 1e0 else 0e0 end) - sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) and d.x_a < d.y_a and d.x_b > d.y_b then 1e0 else 0e0 end))
            / nullif(sqrt(sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) and d.x_a <> d.y_a then 1e0 else 0e0 end) * sum(case when d.y_a <= coalesce({k}, d.y_a) and d.x_b <= coalesce({k}, d.x_b) and d.y_b <= coalesce({k}, d.y_b) and d.x_b <> d.y_b then 1e0 else 0e0 end)), 0) as {name}', 'output': ',
            {block}.{name} as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'ndcg': {'macro': 'ndcg', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'gain']::varchar[], 'arguments': ['gain']::varchar[], 'windows': [',
            row_number() over (partition by r.__ltr_key order by r.relevance desc nulls last) as __ltr_ideal_rank']::varchar[], 'value': ',
            (sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance > 0 then case {gain} when ''linear'' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.rank + 1) else 0e0 end))
            / nullif((sum(case when d.__ltr_ideal_rank <= coalesce({k}, d.__ltr_ideal_rank) and d.relevance > 0 then case {gain} when ''linear'' then d.relevance else power(2e0, d.relevance) - 1 end / log2(d.__ltr_ideal_rank + 1) else 0e0 end)), 0) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'p': {'macro': 'p', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'required', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': []::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / {k} as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'r': {'macro': 'r', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': []::varchar[], 'value': ',
            sum(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) / nullif(sum(case when d.relevance >= {rel} then 1e0 else 0e0 end), 0) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'rr': {'macro': 'rr', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': []::varchar[], 'value': ',
            max(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 / d.rank else 0e0 end) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'spearman': {'macro': 'spearman', 'base': 'lists', 'block': 'lists', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k']::varchar[], 'arguments': []::varchar[], 'windows': [',
            rank() over (partition by r.__ltr_key, case when r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b) then 1 else 0 end order by r.rank_a asc nulls last) + (count(*) over (partition by r.__ltr_key, case when r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b) then 1 else 0 end, r.rank_a) - 1) / 2e0 as __ltr_average_rank_a{_k}', ',
            rank() over (partition by r.__ltr_key, case when r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b) then 1 else 0 end order by r.rank_b asc nulls last) + (count(*) over (partition by r.__ltr_key, case when r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b) then 1 else 0 end, r.rank_b) - 1) / 2e0 as __ltr_average_rank_b{_k}']::varchar[], 'value': ',
            (sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then d.__ltr_average_rank_a{_k} * d.__ltr_average_rank_b{_k} else 0e0 end) - sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) * power(sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) + 1, 2) / 4)
            / nullif(sqrt((sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then d.__ltr_average_rank_a{_k} * d.__ltr_average_rank_a{_k} else 0e0 end) - sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) * power(sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) + 1, 2) / 4) * (sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then d.__ltr_average_rank_b{_k} * d.__ltr_average_rank_b{_k} else 0e0 end) - sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) * power(sum(case when d.rank_a <= coalesce({k}, d.rank_a) and d.rank_b <= coalesce({k}, d.rank_b) then 1e0 else 0e0 end) + 1, 2) / 4)), 0) as {name}', 'output': ',
            {block}.{name} as {name}', 'average': ',
            avg(v.{name}) as {name}'},
            'success': {'macro': 'success', 'base': 'documents', 'block': 'documents', 'rows': 'relevant', 'cutoff': 'optional', 'parameters': ['k', 'rel']::varchar[], 'arguments': ['rel']::varchar[], 'windows': []::varchar[], 'value': ',
            max(case when d.rank <= coalesce({k}, d.rank) and d.relevance >= {rel} then 1e0 else 0e0 end) as {name}', 'output': ',
            coalesce({block}.{name}, 0.0e0) as {name}', 'average': ',
            avg(v.{name}) as {name}'}
        }[coalesce(map {
            'alpha_ndcg': 'alpha_ndcg',
            'alpha-ndcg': 'alpha_ndcg',
            'ap': 'ap',
            'map': 'ap',
            'map_cut': 'ap',
            'cg': 'cg',
            'dcg': 'dcg',
            'f1': 'f1',
            'idcg': 'idcg',
            'ideal_dcg': 'idcg',
            'kendalldistance': 'kendall_distance',
            'kendall_distance': 'kendall_distance',
            'kendalltau': 'kendall_tau',
            'kendall_tau': 'kendall_tau',
            'ndcg': 'ndcg',
            'ndcg_cut': 'ndcg',
            'p': 'p',
            'precision': 'p',
            'r': 'r',
            'recall': 'r',
            'rr': 'rr',
            'mrr': 'rr',
            'recip_rank': 'rr',
            'spearman': 'spearman',
            'spearmanrho': 'spearman',
            'success': 'success',
            'accuracy': 'success',
            'hit_rate': 'success',
            'hitrate': 'success'
        }[lower(m['read']['name'])], error('unknown measure ''' || m['text'] || ''': from ltr.measures() lists them'))]
    }), lambda m: {
        'text': m['text'],
        'definition': m['definition'],
        'refused': list_filter(
            list_transform(string_split(m['arguments'], ','), lambda a: trim(a)),
            lambda a: a <> '' and not coalesce(list_contains(m['definition']['arguments'], regexp_extract(a, '^(?P<name>\w+)\s*=\s*[''"]?(?P<value>[\w.+-]+)[''"]?$', 1)), false)
        ),
        'k': coalesce(nullif(m['k'], ''), 'null'),
        'alpha': coalesce(nullif(regexp_extract(m['arguments'], '\balpha\s*=\s*[''"]?([\w.+-]+)', 1), ''), '0.5'),
        'rel': coalesce(nullif(regexp_extract(m['arguments'], '\brel\s*=\s*[''"]?([\w.+-]+)', 1), ''), '1'),
        'gain': coalesce(nullif(regexp_extract(m['arguments'], '\bgain\s*=\s*[''"]?([\w.+-]+)', 1), ''), 'linear')
    }), lambda m: {
        'definition': m['definition'],
        'name': case
            when len(m['refused']) > 0
            then error('measure ''' || m['text'] || ''': ' || m['refused'][1] || ' is not one of its parameters (' || array_to_string(m['definition']['arguments'], ', ') || ') with a value')
            when list_contains(list_transform(keys, lambda c: lower(c)), lower(m['text'])) or list_contains(list_transform(keys, lambda c: lower(c)), 'queries')
            then error('a key cannot be called queries or like a measure, got keys ' || cast(keys as varchar))
            else '"' || replace(m['text'], '"', '""') || '"'
        end,
        'k': case
            when not list_contains(m['definition']['parameters'], 'k') then 'null'
            when m['k'] = 'null' and m['definition']['cutoff'] = 'optional' then m['k']
            when not coalesce(try_cast(m['k'] as double) >= 1 and try_cast(m['k'] as double) = floor(try_cast(m['k'] as double)) and isfinite(cast(try_cast(m['k'] as double) as double)), false)
            then error('measure ''' || m['text'] || ''': k must be an integer from 1, got ' || m['k'])
            else m['k'] || case when contains(m['k'], '.') and not contains(lower(m['k']), 'e') then 'e0' else '' end
        end,
        'alpha': case
            when not list_contains(m['definition']['parameters'], 'alpha') then 'null'
            when not coalesce(try_cast(m['alpha'] as double) >= 0 and try_cast(m['alpha'] as double) <= 1 and isfinite(cast(try_cast(m['alpha'] as double) as double)), false)
            then error('measure ''' || m['text'] || ''': alpha must be a number from 0 to 1, got ' || m['alpha'])
            else m['alpha'] || case when contains(m['alpha'], '.') and not contains(lower(m['alpha']), 'e') then 'e0' else '' end
        end,
        'rel': case
            when not list_contains(m['definition']['parameters'], 'rel') then 'null'
            when not coalesce(try_cast(m['rel'] as double) > 0 and isfinite(cast(try_cast(m['rel'] as double) as double)), false)
            then error('measure ''' || m['text'] || ''': rel must be a number above 0, got ' || m['rel'])
            else m['rel'] || case when contains(m['rel'], '.') and not contains(lower(m['rel']), 'e') then 'e0' else '' end
        end,
        'gain': case
            when not list_contains(m['definition']['parameters'], 'gain') then 'null'
            when not coalesce(m['gain'] in ('linear', 'exponential'), false)
            then error('measure ''' || m['text'] || ''': gain must be ''linear'' or ''exponential'', got ' || m['gain'])
            else '''' || m['gain'] || ''''
        end
    }), lambda m: {
        'base': m['definition']['base'],
        'rows': m['definition']['rows'],
        'block': replace(replace(replace(replace(replace(replace(replace(replace(replace(m['definition']['block'], '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g')),
        'cutoff': try_cast(m['k'] as integer),
        'windows': list_transform(m['definition']['windows'], lambda w: replace(replace(replace(replace(replace(replace(replace(replace(replace(w, '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g'))),
        'value': replace(replace(replace(replace(replace(replace(replace(replace(replace(m['definition']['value'], '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g')),
        'output': replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(m['definition']['output'], '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g')), '{block}', replace(replace(replace(replace(replace(replace(replace(replace(replace(m['definition']['block'], '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g'))),
        'average': replace(replace(replace(replace(replace(replace(replace(replace(replace(m['definition']['average'], '{name}', m['name']), '{k}', m['k']), '{_k}', '_' || regexp_replace(m['k'], '\W', '_', 'g')), '{alpha}', m['alpha']), '{_alpha}', '_' || regexp_replace(m['alpha'], '\W', '_', 'g')), '{rel}', m['rel']), '{_rel}', '_' || regexp_replace(m['rel'], '\W', '_', 'g')), '{gain}', m['gain']), '{_gain}', '_' || regexp_replace(m['gain'], '\W', '_', 'g')),
        'alpha': m['alpha'],
        'rel': m['rel']
    })],
    lambda every: replace(replace(replace(replace('select
        {keys}count(*) as queries{averages}
    from (
        {per_query}
    ) as v{group_by}', '{averages}', coalesce(list_aggregate(list_transform(every, lambda m: m['average']), 'string_agg', ''), '')), '{per_query}', replace(replace(replace(replace(replace(replace(map {'documents': 'with __ltr_rankings as not materialized (
        select
            struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
            nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
            nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance
        from query_table(''{rankings}'') as j
    ),
    __ltr_queries as (
        select
            r.__ltr_key
        from (
            select
                struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''doc_id'', ''subtopic''))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
            from query_table(''{rankings}'') as j
        ) as r
        group by r.__ltr_key
        having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error(''this measure needs one row for each document, and the input has one for each subtopic: group it first'') end
    ),
    {blocks}
    select
        unnest(q.__ltr_key){outputs}
    from __ltr_queries as q
    {joins}
    where case when coalesce(list_has_all(struct_keys(q.__ltr_key), {keys}), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), ''query_id'') then true else error(''query_id and keys must be columns of the input, got keys '' || coalesce(cast({keys} as varchar), ''NULL'')) end', 'documents paired': 'with __ltr_rankings as not materialized (
        select
            struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
            nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
            nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance
        from query_table(''{rankings}'') as j
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
                struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
                cast(struct_pack(*columns(lambda c: lower(c) in (''rank'', ''doc_id'', ''subtopic''))) as struct(rank bigint, doc_id varchar, subtopic varchar)) as __ltr_row
            from query_table(''{rankings}'') as j
        ) as r
        group by r.__ltr_key
        having case when count(r.__ltr_row.subtopic) = count(distinct case when r.__ltr_row.subtopic is not null then coalesce(r.__ltr_row.doc_id, cast(r.__ltr_row.rank as varchar)) end) then true else error(''this measure needs one row for each document, and the input has one for each subtopic: group it first'') end
    ),
    {blocks}
    select
        unnest(q.__ltr_key){outputs}
    from __ltr_queries as q
    {joins}
    where case when coalesce(list_has_all(struct_keys(q.__ltr_key), {keys}), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), ''query_id'') then true else error(''query_id and keys must be columns of the input, got keys '' || coalesce(cast({keys} as varchar), ''NULL'')) end', 'subtopics': 'with recursive __ltr_rankings as not materialized (
        select
            struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
            nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
            nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance,
            j.doc_id,
            j.subtopic
        from query_table(''{rankings}'') as j
    ),
    __ltr_graded as (
        select
            r.__ltr_key,
            r.doc_id,
            min(r.rank) as rank,
            max(r.relevance) as relevance
        from __ltr_rankings as r
        group by r.__ltr_key, r.doc_id
    ),
    __ltr_queries as (
        select
            r.__ltr_key
        from (
            select
                struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key
            from query_table(''{rankings}'') as j
        ) as r
        group by r.__ltr_key
    ),
    {blocks}
    select
        unnest(q.__ltr_key){outputs}
    from __ltr_queries as q
    {joins}
    where case when coalesce(list_has_all(struct_keys(q.__ltr_key), {keys}), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), ''query_id'') then true else error(''query_id and keys must be columns of the input, got keys '' || coalesce(cast({keys} as varchar), ''NULL'')) end', 'subtopics paired': 'with recursive __ltr_rankings as not materialized (
        select
            struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key,
            nullif(cast(j.rank as double), cast(''nan'' as double)) as rank,
            nullif(cast(j.relevance as double), cast(''nan'' as double)) as relevance,
            j.doc_id,
            j.subtopic
        from query_table(''{rankings}'') as j
    ),
    __ltr_graded as (
        select
            r.__ltr_key,
            r.doc_id,
            min(r.rank) as rank,
            max(r.relevance) as relevance
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
                struct_pack(*columns(lambda c: c = ''query_id'' or list_contains({keys}, c))) as __ltr_key
            from query_table(''{rankings}'') as j
        ) as r
        group by r.__ltr_key
    ),
    {blocks}
    select
        unnest(q.__ltr_key){outputs}
    from __ltr_queries as q
    {joins}
    where case when coalesce(list_has_all(struct_keys(q.__ltr_key), {keys}), false) and list_contains(list_transform(struct_keys(q.__ltr_key), lambda c: lower(c)), ''query_id'') then true else error(''query_id and keys must be columns of the input, got keys '' || coalesce(cast({keys} as varchar), ''NULL'')) end'}[case when list_contains(list_transform(every, lambda m: m['base']), 'subtopics') then 'subtopics' else 'documents' end || case when list_has_any(list_transform(every, lambda m: m['base']), ['lists', 'pairs']) then ' paired' else '' end], '{blocks}', list_aggregate(list_transform(list_transform(
        list_sort(list_distinct(list_transform(every, lambda m: m['block']))),
        lambda b: list_transform([list_filter(every, lambda m: m['block'] = b)], lambda members: {
            'name': b,
            'text': replace(replace(replace(replace(replace(replace(map {'documents relevant': '__ltr_documents as (
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
            )', 'lists relevant': '__ltr_lists as (
                select
                    r.__ltr_key,
                    r.rank_a,
                    r.rank_b{windows}
                from __ltr_paired as r
            ),
            __ltr_by_lists{suffix} as (
                select
                    d.__ltr_key{values}
                from __ltr_lists as d
                group by d.__ltr_key
            )', 'pairs relevant': '__ltr_shared as (
                select
                    r.__ltr_key,
                    r.rank_a,
                    r.rank_b,
                    row_number() over (partition by r.__ltr_key order by r.rank_a asc nulls last, r.rank_b asc nulls last) as place
                from __ltr_paired as r
                where r.rank_a <= coalesce({k}, r.rank_a) and r.rank_b <= coalesce({k}, r.rank_b)
            ),
            __ltr_pairs as (
                select
                    x.__ltr_key,
                    x.rank_a as x_a,
                    x.rank_b as x_b,
                    y.rank_a as y_a,
                    y.rank_b as y_b
                from __ltr_shared as x
                join __ltr_shared as y
                    on y.__ltr_key is not distinct from x.__ltr_key and x.place < y.place
            ),
            __ltr_by_pairs{suffix} as (
                select
                    d.__ltr_key{values}
                from __ltr_pairs as d
                group by d.__ltr_key
            )', 'subtopics relevant': '__ltr_covers{suffix} as (
                select
                    r.__ltr_key,
                    cast(r.doc_id as varchar) as doc_id,
                    r.rank,
                    r.subtopic
                from __ltr_rankings as r
                where r.relevance >= {rel}
            ),
            __ltr_greedy{suffix} as (
                select
                    c.__ltr_key,
                    c.doc_id,
                    c.subtopic,
                    0 as covered,
                    0 as place,
                    false as placed
                from __ltr_covers{suffix} as c
                union all
                select
                    s.__ltr_key,
                    s.doc_id,
                    s.subtopic,
                    s.covered + max(case when s.doc_id = s.best_doc_id then 1 else 0 end) over (partition by s.__ltr_key, s.subtopic) as covered,
                    s.place + 1 as place,
                    s.doc_id = s.best_doc_id as placed
                from (
                    select
                        n.__ltr_key,
                        n.doc_id,
                        n.subtopic,
                        n.covered,
                        n.place,
                        first_value(n.doc_id) over (partition by n.__ltr_key order by n.novelty desc nulls last, n.doc_id desc nulls last) as best_doc_id
                    from (
                        select
                            g.__ltr_key,
                            g.doc_id,
                            g.subtopic,
                            g.covered,
                            g.place,
                            round(sum(power(1e0 - {alpha}, g.covered)) over (partition by g.__ltr_key, g.doc_id), 12) as novelty
                        from __ltr_greedy{suffix} as g
                        where not g.placed and (g.place + 1) <= coalesce({k}, (g.place + 1))
                    ) as n
                ) as s
            ),
            __ltr_ideal{suffix} as (
                select
                    g.__ltr_key,
                    g.doc_id,
                    g.place
                from __ltr_greedy{suffix} as g
                where g.placed
                group by g.__ltr_key, g.doc_id, g.place
            ),
            __ltr_ideally_placed{suffix} as (
                select
                    c.__ltr_key,
                    c.rank,
                    c.subtopic,
                    i.place as ideal_rank
                from __ltr_covers{suffix} as c
                left join __ltr_ideal{suffix} as i
                    on i.__ltr_key is not distinct from c.__ltr_key and i.doc_id = c.doc_id
            ),
            __ltr_subtopics{suffix} as (
                select
                    r.__ltr_key,
                    r.rank,
                    r.ideal_rank{windows}
                from __ltr_ideally_placed{suffix} as r
            ),
            __ltr_by_subtopics{suffix} as (
                select
                    d.__ltr_key{values}
                from __ltr_subtopics{suffix} as d
                group by d.__ltr_key
            )'}[members[1]['base'] || ' ' || list_aggregate(list_transform(members, lambda m: m['rows']), 'min')], '{suffix}', b[len(members[1]['base']) + 1:]), '{windows}', coalesce(list_aggregate(list_sort(list_distinct(flatten(list_transform(members, lambda m: m['windows'])))), 'string_agg', ''), '')), '{values}', coalesce(list_aggregate(list_transform(members, lambda m: m['value']), 'string_agg', ''), '')), '{k}', case when len(list_filter(members, lambda m: m['cutoff'] is null)) > 0 then 'null' else cast(list_max(list_transform(members, lambda m: m['cutoff'])) as varchar) end), '{alpha}', members[1]['alpha']), '{rel}', members[1]['rel'])
        })[1]
    ), lambda b: b['text']), 'string_agg', ',' || chr(10))), '{joins}', coalesce(list_aggregate(list_transform(list_sort(list_distinct(list_transform(every, lambda m: m['block']))), lambda b: replace('
    left join __ltr_by_{block} as {block}
        on {block}.__ltr_key is not distinct from q.__ltr_key', '{block}', b)), 'string_agg', ''), '')), '{outputs}', coalesce(list_aggregate(list_transform(every, lambda m: m['output']), 'string_agg', ''), '')), '{documents}', case when list_contains(list_transform(every, lambda m: m['base']), 'subtopics') then '__ltr_graded' else '__ltr_rankings' end), '{keys}', '[' || coalesce(list_aggregate(list_transform(keys, lambda c: '''' || replace(c, '''', '''''') || ''''), 'string_agg', ', '), '') || ']::varchar[]'), '{rankings}', replace(rankings, '''', ''''''))), '{keys}', coalesce(list_aggregate(list_transform(list_transform(keys, lambda c: 'v."' || replace(c, '"', '""') || '"'), lambda c: c || ', '), 'string_agg', ''), '')), '{group_by}', case when len(keys) = 0 then '' else ' group by ' || coalesce(list_aggregate(list_transform(keys, lambda c: 'v."' || replace(c, '"', '""') || '"'), 'string_agg', ', '), '') end)
)[1]);
comment on macro table ltr.evaluate is 'Means of measures over queries: one row for each value of the keys, with the number of queries and a column for each measure string.';

create or replace macro ltr.measures() as table
select
    m.name,
    m.macro,
    m.parameters,
    m.aliases,
    m.summary,
    m.formula,
    m.range,
    m.reference
from (
    values
    ('alpha_nDCG', 'alpha_ndcg', 'k := null, alpha := 0.5, rel := 1', 'alpha-nDCG', 'nDCG for diversity: a document gains by each subtopic that it covers, less for each document above that covers it too.', 'A / A of the greedy ideal, A = sum over ranks i <= k of (sum over subtopics s of the document of (1 - alpha)^(documents above that cover s)) / log2(i + 1)', '[0, 1]', 'Clarke et al. 2008, Novelty and diversity in information retrieval evaluation; ndeval alpha-nDCG'),
    ('AP', 'ap', 'k := null, rel := 1', 'MAP, map_cut', 'Average precision: the precision at each relevant document of the top k, summed and divided by all relevant documents.', '(1 / |relevant|) sum over relevant documents of rank i <= k of |relevant with rank <= i| / i', '[0, 1]', 'Harman 1992, Evaluation issues in information retrieval; trec_eval map, map_cut'),
    ('CG', 'cg', 'k := null', '', 'Cumulative gain: the grades of the top k, summed.', 'sum of relevance over ranks <= k', '[0, inf)', 'Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques'),
    ('DCG', 'dcg', 'k := null, gain := ''linear''', '', 'Discounted cumulative gain: the gains of the top k, each divided by log2(rank + 1).', 'sum over ranks i <= k of gain / log2(i + 1)', '[0, inf)', 'Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; Burges et al. 2005 (exponential gain)'),
    ('F1', 'f1', 'k, rel := 1', '', 'Harmonic mean of precision and recall at k.', '2 P@k R@k / (P@k + R@k), 0 when both are 0', '[0, 1]', 'van Rijsbergen 1979, Information Retrieval'),
    ('IDCG', 'idcg', 'k := null, gain := ''linear''', 'ideal_dcg', 'DCG of the ideal ranking: all judged documents of the query, retrieved or not, by relevance.', 'sum over ideal ranks i <= k of gain / log2(i + 1)', '[0, inf)', 'Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques'),
    ('KendallDistance', 'kendall_distance', 'k := null', '', 'Share of the document pairs that two rankings order differently, over the documents in the top k of both.', 'discordant pairs / (n (n - 1) / 2)', '[0, 1], NULL if n < 2', 'Kendall 1938, A new measure of rank correlation; Fagin, Kumar and Sivakumar 2003, Comparing top k lists'),
    ('KendallTau', 'kendall_tau', 'k := null', '', 'Kendall''s tau-b of two rankings, over the documents in the top k of both.', '(concordant - discordant) / sqrt((pairs - pairs tied in a) (pairs - pairs tied in b))', '[-1, 1], NULL if n < 2 or a ranking ties all documents', 'Kendall 1945, The treatment of ties in ranking problems; scipy.stats.kendalltau'),
    ('nDCG', 'ndcg', 'k := null, gain := ''linear''', 'ndcg_cut', 'DCG divided by the DCG of the ideal ranking.', 'DCG@k / IDCG@k', '[0, 1]', 'Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; trec_eval ndcg, ndcg_cut'),
    ('P', 'p', 'k, rel := 1', 'Precision', 'Share of relevant documents among the top k; k counts in full when fewer were retrieved.', '|relevant in top k| / k', '[0, 1]', 'van Rijsbergen 1979, Information Retrieval; trec_eval P'),
    ('R', 'r', 'k := null, rel := 1', 'Recall', 'Share of the relevant documents of the query, retrieved or not, that are in the top k.', '|relevant in top k| / |relevant|', '[0, 1]', 'van Rijsbergen 1979, Information Retrieval; trec_eval recall'),
    ('RR', 'rr', 'k := null, rel := 1', 'MRR, recip_rank', 'Reciprocal rank of the first relevant document of the top k.', '1 / rank of the first relevant document, 0 if none is in the top k', '[0, 1]', 'Kantor and Voorhees 2000, The TREC-5 confusion track; trec_eval recip_rank'),
    ('Spearman', 'spearman', 'k := null', 'SpearmanRho', 'Spearman''s rho: Pearson correlation of the average ranks in two rankings, over the documents in the top k of both.', 'cov(rank_a, rank_b) / sqrt(var(rank_a) var(rank_b))', '[-1, 1], NULL if n < 2 or a ranking ties all documents', 'Spearman 1904, The proof and measurement of association between two things; scipy.stats.spearmanr'),
    ('Success', 'success', 'k := null, rel := 1', 'Accuracy, hit_rate, HitRate', 'Whether a relevant document is in the top k.', '1 if a relevant document has rank <= k, else 0', '0 or 1', 'trec_eval success; Accuracy@k of sentence retrieval')
) as m(name, macro, parameters, aliases, summary, formula, range, reference);
comment on macro table ltr.measures is 'The measures: names, parameters with defaults, formula, range and source.';

{#- Create the tables of the benchmark from one view, with one row per retrieved or judged document of each query. Random choices are hashes of the seed and the document's number, so the view is deterministic. -#}
create macro uniform(place, purpose) as hash(place, purpose, {{ seed }}) / 18446744073709551616.0;

-- Store the positions, because DuckDB reads a table with many threads, but range() with one.
create table places as
select
    n // {{ depth + unretrieved }} as query,
    n % {{ depth + unretrieved }} + 1 as position,
    n
from range({{ queries * (depth + unretrieved) }}) as t(n);

create view documents as
with judged as (
    select
        query,
        position,
        n,
        -- Avoid duplicates in a query: the step and the number of documents have no common factor.
        (hash(query, {{ seed }}) % 50000000 + position * 7919123) % 50000000 as document,
        -- About 41 of the retrieved documents are judged, most of them near the top.
        position > {{ depth }} or uniform(n, 'judged') < 41.0 / ln({{ depth + 10 }} / 11.0) / (position + 10) as is_judged,
        uniform(n, 'relevant') < case when position > {{ depth }} then 0.5 else 0.6 - 0.04 * ln(position) end as is_relevant,
        -- A document that is tied with the one above takes its score.
        n - case when position > 1 and uniform(n, 'tied') < 0.05 then 1 else 0 end as scored_as
    from places
)
select
    cast(2082 + 131 * query as varchar) as query_id,
    printf('clueweb12-%04dwb-%02d-%05d', document // 26000, document % 97, document % 26000) as doc_id,
    case when position <= {{ depth }} then position end as rank,
    case
        when position <= {{ depth }}
            then round(60.0 * (1.0 - (scored_as % {{ depth + unretrieved }} + uniform(scored_as, 'score')) / {{ depth + 1 }}), 5)
    end as score,
    case
        when not is_judged then null
        when not is_relevant then 0
        when uniform(n, 'grade') < 0.60 then 1
        when uniform(n, 'grade') < 0.88 then 2
        else 3
    end as relevance
from judged;

create table run_ranks as
select query_id, doc_id, rank
from documents
where rank is not null;

create table run_scores as
select query_id, doc_id, score
from documents
where rank is not null
{%- if shuffled %}
order by hash(query_id, doc_id)
{%- endif %};

create table qrels as
select query_id, doc_id, relevance
from documents
where relevance is not null
order by query_id, doc_id;

create table rankings as
select query_id, rank, relevance
from documents;

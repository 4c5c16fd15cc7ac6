-- Measure what 1,000 users see in lists of 10 documents. For a realistic size, replace these numbers by 100000 and 50.
--   duckdb -f examples/beyond_accuracy.sql
.read sql/ltr.sql
.mode markdown

-- Half of the lists are equal. The others go through the catalogue.
create table run as
select
    u.user as query_id,
    case when u.user % 2 = 0 then i.rank else (u.user * 31 + i.rank * 17) % 500 + 1 end as doc_id,
    i.rank
from range(1, 1001) as u(user)
cross join range(1, 11) as i(rank);

create table documents as
select
    doc_id,
    'category ' || doc_id % 7 as category,
    case when doc_id % 3 = 0 then 'small seller' else 'large seller' end as "group"
from range(1, 501) as d(doc_id);

create table history as
select
    u.user as query_id,
    (u.user * h.n) % 500 + 1 as doc_id
from range(1, 1001) as u(user)
cross join range(1, 6) as h(n);

-- Coverage, concentration and variety of the lists.
select queries, round(columns(* exclude queries), 4)
from ltr.beyond_accuracy(
    'run',
    ['Coverage@10', 'Gini@10', 'Personalization@10', 'Novelty@10', 'UnseenShare@10', 'ILD@10', 'Calibration@10'],
    documents := 'documents', history := 'history'
);

{#- Create a table of many systems from the run of `data.sql`. Each system moves documents up or down at random. -#}
create table systems as
with moved as (
    select
        system,
        query_id,
        doc_id,
        rank + {{ depth }} * 0.2 * uniform(rank * {{ systems }} + system, query_id) as place
    from range({{ systems }}) as s(system), run_ranks
)
select
    'system' || system as system,
    query_id,
    doc_id,
    row_number() over (partition by system, query_id order by place) as rank,
    round({{ depth * 2 }} - place, 5) as score
from moved
order by system, query_id, rank;

create table systems_ranks as
select system, query_id, doc_id, rank
from systems
order by system, query_id, rank;

create table systems_scores as
select system, query_id, doc_id, score
from systems
order by system, query_id, rank;

drop table systems;

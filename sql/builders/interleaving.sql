/*
summary = "Count the wins of two systems in a log of team-draft interleaving."
inputs = ["log"]
columns = ["session_id", "query_id", "team", "click"]
reads = "log: session_id, query_id, team ('a', 'b', or NULL for a document of both), click (1 or 0), keys"
gives = "the keys, sessions (number of lists), wins_a, wins_b, ties, without_clicks (lists in which no team has a click), delta (above 0: a wins), z, z_p, p (exact sign test), clusters_a, clusters_b (with cluster: those that a and b win, which z and p then count)"
reference = "Radlinski, Kurup & Joachims 2008, CIKM; Chapelle et al. 2012, TOIS 30(1)"
[options.empty]
summary = "lists in which no team has a click are left out ('skip'), or count as ties ('tie')"
type = "choice"
choices = ["skip", "tie"]
default = "skip"
[options.cluster]
summary = "column of what belongs together, such as the user: z and p then count clusters, each won by the team that wins more of its lists"
type = "column"
*/
with __ltr_log as (
    select
        {{ run_key("r") }},
        r.session_id,
        r.team,
        r.click,
        r.cluster
    from (
        select
            {{ run_key_definition("l", "session_id", "team", "click") | indent(12) }},
            l.session_id,
            l.team,
            cast(l.click as double) as click,
            cast({{ cluster }} as {{ text_type }}) as cluster
        from {{ run_relation(log, "click") }} as l
    ) as r
    where case
        when r.query_id is null or r.session_id is null
        then {{ error("a row of the log has a NULL in query_id or session_id: leave the row out, or fill in the missing id") }}
        when r.click is null or r.click not in (0, 1)
        then {{ error_of("click must be 0 or 1: write one row for each impression; got", "r.click") }}
        when {{ has_cluster }} and r.cluster is null
        then {{ error_of("cluster: a row of the log has no cluster (NULL), session_id", "r.session_id") }}
        when r.team is null or r.team in ('a', 'b') then true
        else {{ error_of("team must be a, b or NULL, got", "r.team") }}
    end
    {%- if keys_check("r") %}
    and {{ keys_check("r") }}
    and {{ bytewise_check("r.session_id") }}
    {%- endif %}
),
__ltr_lists as (
    select
        {{ run_key("r") }},
        r.session_id,
        min(r.cluster) as cluster,
        sum(case when r.team = 'a' then r.click else 0e0 end) as credit_a,
        sum(case when r.team = 'b' then r.click else 0e0 end) as credit_b
    from __ltr_log as r
    group by {{ run_key("r") }}, r.session_id
    having case
        when min(r.cluster) < max(r.cluster) then {{ error_of("cluster: a list is in two clusters, session_id", "r.session_id") }}
        else true
    end
),
{#- The lists that a won minus those that b won in the cluster of each list, and the number of the list in its cluster. #}
__ltr_led as (
    select
        l.*,
        sum(case when l.credit_a > l.credit_b then 1 when l.credit_a < l.credit_b then -1 else 0 end)
            over ({{ partition_by_group("l", "l.cluster") }}) as lead,
        row_number() over ({{ partition_by_group("l", "l.cluster") }} order by l.query_id asc, l.session_id asc) as number
    from __ltr_lists as l
),
__ltr_wins as (
    select
        {{ group_columns("l") }}count(*) as lists,
        sum(case when l.credit_a > l.credit_b then 1 else 0 end) as wins_a,
        sum(case when l.credit_a < l.credit_b then 1 else 0 end) as wins_b,
        sum(case when l.credit_a = l.credit_b and (l.credit_a > 0 or {{ empty }} = 'tie') then 1 else 0 end) as ties,
        sum(case when l.credit_a + l.credit_b = 0 then 1 else 0 end) as without_clicks,
        sum(case when l.number = 1 and l.lead > 0 then 1 else 0 end) as clusters_a,
        sum(case when l.number = 1 and l.lead < 0 then 1 else 0 end) as clusters_b
    from __ltr_led as l
    {{ group_by_group("l") }}
    having count(*) > 0
)
select
    {% if system("w") %}{{ system_output("w") }},
    {% endif -%}
    cast(w.lists as bigint) as sessions,
    cast(w.wins_a as bigint) as wins_a,
    cast(w.wins_b as bigint) as wins_b,
    cast(w.ties as bigint) as ties,
    cast(w.without_clicks as bigint) as without_clicks,
    (w.wins_a + 0.5e0 * w.ties) / nullif(w.wins_a + w.wins_b + w.ties, 0) - 0.5e0 as delta,
    (w.decided_a - w.decided_b) / nullif(sqrt(w.decided_a + w.decided_b), 0) as z,
    {{ normal_p("(w.decided_a - w.decided_b) / nullif(sqrt(w.decided_a + w.decided_b), 0)") }} as z_p,
    case when w.decided_a + w.decided_b > 0 then {{ sign_p("w.decided_a", "w.decided_b") }} end as p,
    cast(case when {{ has_cluster }} then w.clusters_a end as bigint) as clusters_a,
    cast(case when {{ has_cluster }} then w.clusters_b end as bigint) as clusters_b
from (
    select
        w.*,
        case when {{ has_cluster }} then w.clusters_a else w.wins_a end as decided_a,
        case when {{ has_cluster }} then w.clusters_b else w.wins_b end as decided_b
    from __ltr_wins as w
) as w

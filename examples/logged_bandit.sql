-- Off-policy estimates from a logged bandit: what would a new policy earn?
--   duckdb -f examples/logged_bandit.sql
.read sql/ltr.sql
.mode markdown

-- 5,000 rounds with three actions. The old policy chooses them with probabilities 0.6, 0.3 and 0.1; the new one with 0.1, 0.3 and
-- 0.6. The actions earn 0.2, 0.5 and 0.7 on average. Remainders of products serve as random numbers.
create table rounds as
select
    n.i as query_id,
    cast((n.i * 7919) % 1009 < 1009 * [0.2, 0.5, 0.7][a.action] as double) as reward,
    [0.6, 0.3, 0.1][a.action] as propensity,
    [0.1, 0.3, 0.6][a.action] as target,
    [0.25, 0.45, 0.6][a.action] as q_hat,
    0.1 * 0.25 + 0.3 * 0.45 + 0.6 * 0.6 as v_hat
from range(5000) as n(i)
cross join lateral (select case when (n.i * 104729) % 1000 < 600 then 1 when (n.i * 104729) % 1000 < 900 then 2 else 3 end as action) as a;

-- The true value is 0.1 * 0.2 + 0.3 * 0.5 + 0.6 * 0.7 = 0.59; the old policy earns 0.34.
select estimator, round(estimate, 3) as estimate, round(low, 3) as low, round(high, 3) as high, round(effective_n) as effective_n
from ltr.off_policy('rounds', ['ips', 'snips', 'dm', 'dr'])
order by estimator;

/*
summary = "Two-sided quantile of Student's t distribution, given the z with P(|Z| >= z) = alpha."
arguments = ["z", "alpha", "df"]
reference = "Fisher & Cornish 1960, Technometrics 2 (start); refined by the first three terms of the Taylor series of ln t as a function of ln p"
*/
{%- set given = struct(z=z, alpha=alpha, df=df, scale=t_scale(df)) -%}
{%- set start = "case when i > 0 then 0e0
    else g['z'] + (g['z'] * g['z'] + 1) * g['z'] / (4 * g['df'])
        + ((5 * g['z'] * g['z'] + 16) * g['z'] * g['z'] + 3) * g['z'] / (96 * g['df'] * g['df'])
        + (((3 * g['z'] * g['z'] + 19) * g['z'] * g['z'] + 17) * g['z'] * g['z'] - 15) * g['z'] / (384 * g['df'] * g['df'] * g['df'])
    end" -%}
{#- The start and the steps after it. Where the start is close, one step reaches the precision of doubles. -#}
{%- set steps = let("g", given, each(numbers_below("case when g['z'] * g['z'] < 0.4e0 * (g['df'] - 2) then 2 else 4 end"),
    "i", struct(t=start, alpha="g['alpha']", df="g['df']", scale="g['scale']"))) -%}
{#- The slope of ln p as a function of ln t is -r. Its relative change is 1 - (df + 1) w + r. -#}
{%- set tail = let("s", t_tail("g['t']", "g['df']", "g['scale']"), struct(
    d="ln(g['alpha'] / s['p'])", r="2 * s['slope'] / s['p']", w="g['t'] * g['t'] / (g['df'] + g['t'] * g['t'])")) -%}
{%- set change = "(1 - (g['df'] + 1) * s['w'] + s['r'])" -%}
{#- Far from the quantile, only the first term is safe: it is Newton's step for ln p, which is concave. -#}
{%- set factor = "case when abs(s['d']) < 1 then 1 + s['d'] / s['r'] * (" ~ change ~ " / 2
    + s['d'] / s['r'] * (2 * " ~ change ~ " * " ~ change ~ " - s['r'] * " ~ change ~ " + 2 * (g['df'] + 1) * s['w'] * (1 - s['w'])) / 6)
    else 1 end" -%}
{%- set next = let("s", tail, struct(t="g['t'] * exp(-s['d'] / s['r'] * " ~ factor ~ ")", alpha="g['alpha']", df="g['df']", scale="g['scale']")) -%}
{{ fold_from_first(steps, "g", "h", next) }}['t']

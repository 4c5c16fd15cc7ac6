/*
summary = "Two-sided quantile of Student's t distribution, given the z with P(|Z| >= z) = alpha."
arguments = ["z", "alpha", "df"]
reference = "Fisher & Cornish 1960, Technometrics 2 (start); refined by Newton's method for ln p as a function of ln t"
*/
{%- set given = struct(z=z, alpha=alpha, df=df, scale=t_scale(df)) -%}
{%- set start = "case when i > 0 then 0e0
    else g['z'] + (g['z'] * g['z'] + 1) * g['z'] / (4 * g['df'])
        + ((5 * g['z'] * g['z'] + 16) * g['z'] * g['z'] + 3) * g['z'] / (96 * g['df'] * g['df'])
        + (((3 * g['z'] * g['z'] + 19) * g['z'] * g['z'] + 17) * g['z'] * g['z'] - 15) * g['z'] / (384 * g['df'] * g['df'] * g['df'])
    end" -%}
{%- set steps = let("g", given, each(numbers_below("case when g['df'] < 5 then 13 when g['df'] < 30 then 6 else 4 end"),
    "i", struct(t=start, alpha="g['alpha']", df="g['df']", scale="g['scale']"))) -%}
{%- set next = let("s", t_tail("g['t']", "g['df']", "g['scale']"),
    struct(t="g['t'] * exp(s['p'] / (2 * s['slope']) * ln(s['p'] / g['alpha']))", alpha="g['alpha']", df="g['df']", scale="g['scale']")) -%}
{{ fold_from_first(steps, "g", "h", next) }}['t']

/*
summary = "Two-sided quantile of Student's t distribution: the t with P(|T| >= t) = alpha. NULL unless 0 < alpha < 1 and df >= 1."
arguments = ["alpha", "df"]
public = true
reference = "Fisher & Cornish 1960, Technometrics 2 (start); refined by Newton's method for ln p as a function of ln t"
*/
{%- set z = "g['z']" -%}
{%- set given = let("s", "struct_pack(alpha := " ~ alpha ~ ", df := " ~ df ~ ")", "struct_pack(alpha := s['alpha'], df := s['df'], scale := " ~ t_scale("s['df']") ~ ", z := -" ~ normal_quantile("s['alpha'] / 2") ~ ")") -%}
{%- set steps = let("g", given, "list_transform(range(case when g['df'] < 5 then 13 when g['df'] < 30 then 6 else 4 end), lambda i: struct_pack(t := case when i > 0 then 0e0
    else g['z'] + (g['z'] * g['z'] + 1) * g['z'] / (4 * g['df'])
        + ((5 * g['z'] * g['z'] + 16) * g['z'] * g['z'] + 3) * g['z'] / (96 * g['df'] * g['df'])
        + (((3 * g['z'] * g['z'] + 19) * g['z'] * g['z'] + 17) * g['z'] * g['z'] - 15) * g['z'] / (384 * g['df'] * g['df'] * g['df'])
    end, alpha := g['alpha'], df := g['df'], scale := g['scale']))") -%}
case when {{ alpha }} > 0 and {{ alpha }} < 1 and {{ df }} >= 1 then list_reduce(
    {{ steps }},
    lambda g, h: {{ let("s", t_tail("g['t']", "g['df']", "g['scale']"), "struct_pack(t := g['t'] * exp(s['p'] / (2 * s['slope']) * ln(s['p'] / g['alpha'])), alpha := g['alpha'], df := g['df'], scale := g['scale'])") }}
)['t'] end

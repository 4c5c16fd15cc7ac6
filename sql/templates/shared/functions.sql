{#- Building blocks of sql/probabilities/. Pass names of columns or fields as arguments: an expression would be copied to each
    place where the argument is used. Nest few lambdas: DuckDB takes twice as long to bind a lambda inside another one. -#}

{#- Evaluate a polynomial, given its coefficients from the highest power down. -#}
{% macro polynomial(x, coefficients) -%}
{{ "(" * (coefficients | length - 1) }}{{ coefficients[0] }}{% for c in coefficients[1:] %} * {{ x }} + {{ c }}){% endfor %}
{%- endmacro %}

{#- Evaluate a polynomial over a list of its coefficients. `x` may be an expression, because the text contains it only once.
    Evaluation takes longer than with `polynomial`. -#}
{% macro short_polynomial(x, coefficients) -%}
{{ fold(array(*coefficients), "p", "c", "p * " ~ x ~ " + c", "0e0") }}
{%- endmacro %}

{#- Return ln(ratio) without loss of digits near 1, where u = ratio - 1 (Kahan's log1p). -#}
{% macro log_ratio(ratio, u) -%}
case when abs({{ u }}) > 0.5e0 then ln({{ ratio }}) when 1 + {{ u }} = 1 then {{ u }} else ln(1 + {{ u }}) * {{ u }} / ((1 + {{ u }}) - 1) end
{%- endmacro %}

{#- Return ln Gamma(z) minus Stirling's formula, for z >= 10. -#}
{% macro stirling_series(z) -%}
{{ polynomial("(1 / (" ~ z ~ " * " ~ z ~ "))", ["6.41025641025641e-3", "-1.9175269175269176e-3", "8.417508417508417e-4",
    "-5.952380952380953e-4", "7.936507936507937e-4", "-2.777777777777778e-3", "8.333333333333333e-2"]) }} / {{ z }}
{%- endmacro %}

{#- Return Stirling's formula for ln Gamma(z). -#}
{% macro stirling_formula(z) -%}
(({{ z }} - 0.5e0) * ln({{ z }}) - {{ z }} + 0.9189385332046727e0)
{%- endmacro %}

{#- Return ln Gamma(z). On engines without lgamma, compute ln Gamma(z + 10) and subtract ln(z (z + 1) ... (z + 9)). -#}
{% macro log_gamma(z) -%}
{%- if has_lgamma -%}
lgamma({{ z }})
{%- else -%}
{%- set shifted = "(" ~ z ~ " + 10)" -%}
({{ stirling_formula(shifted) }} + {{ stirling_series(shifted) }} - ln({% for i in range(10) %}{{ " * " if i }}({{ z }} + {{ i }}){% endfor %}))
{%- endif %}
{%- endmacro %}

{#- Return ln Gamma(z) minus Stirling's formula. From z = 10 on, a series keeps the digits that lgamma loses. -#}
{% macro stirling(z) -%}
case
    when {{ z }} >= 10 then {{ stirling_series(z) }}
    else {{ log_gamma(z) }} - {{ stirling_formula(z) }}
end
{%- endmacro %}

{#- Return the continued fraction of the incomplete beta function, evaluated from its end. -#}
{% macro beta_fraction(x, a, b, levels) -%}
{%- set step = "1 - (" ~ a ~ " + m - 1) * (" ~ a ~ " + " ~ b ~ " + m - 1) * " ~ x ~ " / ((" ~ a ~ " + 2 * m - 2) * (" ~ a ~ " + 2 * m - 1))
        / (1 + m * (" ~ b ~ " - m) * " ~ x ~ " / ((" ~ a ~ " + 2 * m - 1) * (" ~ a ~ " + 2 * m)) / f)" -%}
{{ fold(each(countdown(levels), "i", "cast(i as double)"), "f", "m", step, "1e0") }}
{%- endmacro %}

{#- Return the regularised incomplete beta function I_x(a, b), where y = 1 - x. Both are passed, so that neither loses digits. -#}
{% macro beta_cdf(x, y, a, b) -%}
{%- set given = struct(x=x, y=y, a="cast(" ~ a ~ " as double)", b="cast(" ~ b ~ " as double)") -%}
{%- set ordered = let("s", given, "case
    when s['x'] < (s['a'] + 1) / (s['a'] + s['b'] + 2)
    then " ~ struct(x="s['x']", y="s['y']", a="s['a']", b="s['b']", start="0e0") ~ "
    else " ~ struct(x="s['y']", y="s['x']", a="s['b']", b="s['a']", start="1e0") ~ "
end") -%}
{%- set prepared = let("s", ordered, struct(
    x="s['x']", y="s['y']", a="s['a']", b="s['b']", start="s['start']",
    u="(s['b'] * s['x'] - s['a'] * s['y']) / s['a']",
    v="(s['a'] * s['y'] - s['b'] * s['x']) / s['b']",
    remainders=each(array("s['a'] + s['b']", "s['a']", "s['b']"), "z", stirling("z"))
)) -%}
{%- set result = "abs(s['start'] - case when s['x'] > 0 then exp(
    s['a'] * " ~ log_ratio("(s['x'] * (s['a'] + s['b']) / s['a'])", "s['u']") ~ "
    + s['b'] * " ~ log_ratio("(s['y'] * (s['a'] + s['b']) / s['b'])", "s['v']") ~ "
    + " ~ element("s['remainders']", 1) ~ " - " ~ element("s['remainders']", 2) ~ " - " ~ element("s['remainders']", 3) ~ "
) * sqrt(s['b'] / (6.283185307179586e0 * s['a'] * (s['a'] + s['b'])))
    / " ~ beta_fraction("s['x']", "s['a']", "s['b']", 200) ~ " else 0e0 end)" -%}
{{ let("s", prepared, result) }}
{%- endmacro %}

{#- Return the factor of the density of Student's t distribution that depends only on df. -#}
{% macro t_scale(df) -%}
0.3989422804014327e0 * exp(case
    when {{ df }} >= 40 then {{ polynomial("(4 / (" ~ df ~ " * " ~ df ~ "))",
        ["3.834117542613636e-3", "-1.681857638888889e-3", "1.1858258928571429e-3", "-1.5625e-3", "5.208333333333333e-3", "-0.125e0"]) }}
        * 2 / {{ df }}
    else {{ log_gamma("(" ~ df ~ " / 2 + 0.5e0)") }} - {{ log_gamma("(" ~ df ~ " / 2)") }} - ln({{ df }} / 2) / 2
end)
{%- endmacro %}

{#- Return a struct for Student's t distribution and t >= 0: `p` is P(|T| >= t), and `slope` is t times the density. -#}
{% macro t_tail(t, df, scale) -%}
{%- set square = t ~ " * " ~ t -%}
{%- set shares = let("s", struct(u=square ~ " / " ~ df, x=df ~ " / (" ~ df ~ " + " ~ square ~ ")", y=square ~ " / (" ~ df ~ " + " ~ square ~ ")"), struct(
    slope=t ~ " * " ~ scale ~ " * exp(-(" ~ df ~ " + 1) / 2 * " ~ log_ratio("(1 + s['u'])", "s['u']") ~ ")",
    x="s['x']", y="s['y']", far="s['x'] < (" ~ df ~ " + 2) / (" ~ df ~ " + 5)"
)) -%}
{%- set ordered = let("s", shares, struct(
    slope="s['slope']",
    start="case when s['far'] then 0e0 else 1e0 end",
    x="case when s['far'] then s['x'] else s['y'] end",
    a="case when s['far'] then " ~ df ~ " / 2 else 0.5e0 end",
    b="case when s['far'] then 0.5e0 else " ~ df ~ " / 2 end"
)) -%}
{{ let("s", ordered, struct(slope="s['slope']", p="abs(s['start'] - s['slope'] / s['a'] / " ~ beta_fraction("s['x']", "s['a']", "s['b']", 50) ~ ")")) }}
{%- endmacro %}

{#- Return the nodes s and weights of a quadrature over sqrt(chi-square / df). The quadrature is the trapezoid rule in x,
    where s = exp(x / sqrt(2 df)). Its error falls exponentially with the number of nodes. -#}
{% macro chi_nodes(df) -%}
{%- set positions = each(numbers_below("cast(ceil(4 * (9 + greatest(9, 75 / root))) as bigint)"), "i", "(0.25e0 * i - greatest(9, 75 / root)) / root") -%}
{{ let("root", "sqrt(2 * " ~ df ~ ")", each(positions, "u", struct(s="exp(u)", weight="exp(" ~ df ~ " / 2 * (2 * u - exp(2 * u) + 1))"))) }}
{%- endmacro %}

{#- Return the scale of values up to `largest` in size: a power of ten that is at least as large, and at least 1. -#}
{% macro scale_of(largest) -%}
power(1e1, ceil(log10(greatest(1e0, {{ largest }}))))
{%- endmacro %}

{#- Round a difference or mean to 12 decimals of the scale of the values. Decide on it whether differences are 0, or equal: the last bits
    of sums depend on the order of summation, and they are as large as the values. -#}
{% macro rounded(value, scale) -%}
round({{ value }} / {{ scale }}, 12)
{%- endmacro %}

{#- Return a t statistic: infinite if only the variance is 0, NULL if the numerator is 0, too. Return NULL for fewer than two
    queries. -#}
{% macro standardised(numerator, variance, n, scale) -%}
case
    when {{ n }} < 2 then null
    when {{ variance }} > 0 then {{ numerator }} * sqrt({{ n }}) / sqrt({{ variance }})
    when {{ rounded(numerator, scale) }} = 0 then null
    when {{ numerator }} > 0 then cast('inf' as double)
    else cast('-inf' as double)
end
{%- endmacro %}

{#- Return the number of a pair of systems, which orders pairs by system a, then system b. -#}
{% macro pair_of(a, b) -%}
{{ a }} * 2147483648 + {{ b }}
{%- endmacro %}

{#- Return the p of the sign test for n differences other than 0 with the same sign. -#}
{% macro sign_p_of_equal(n) -%}
power(2e0, 1 - {{ n }})
{%- endmacro %}

{#- Return the value at a position of a sorted list, where positions start at 0, and interpolate between two positions. -#}
{% macro interpolated(values, at) -%}
{{ values }}[cast(floor({{ at }}) as bigint) + 1]
            + ({{ at }} - floor({{ at }}))
                * ({{ values }}[least(cast(floor({{ at }}) as bigint) + 2, len({{ values }}))] - {{ values }}[cast(floor({{ at }}) as bigint) + 1])
{%- endmacro %}

{#- Create the CTE __ltr_skewed: mean, standard error and acceleration of the differences of each pair. The acceleration is
    skewness / (6 sqrt(n)). -#}
{% macro skewness() -%}
__ltr_skewed as (
    select
        d.pair,
        max(m.difference) as mean,
        {#- The last bits of a mean depend on the order of summation: means that are closer than this are equal. #}
        1e-12 * greatest(1e0, max(abs(d.d))) as last_bits,
        sqrt(sum(power(d.d - m.difference, 2))) / count(*) as error,
        sum(power(d.d - m.difference, 3)) / (6 * power(sum(power(d.d - m.difference, 2)), 1.5e0)) as acceleration
    from __ltr_differences as d
    join __ltr_moments as m
        on m.pair = d.pair and m.sd > 0
    group by d.pair
)
{%- endmacro %}

{#- Return n times the squared standard error of a weighted mean, by the linearised error of a ratio (Cochran 1977). `u` and `v`
    are deviations from the mean. If they come from two columns, the result is n times the covariance of their means. With equal
    weights and u = v it is the variance. -#}
{% macro scaled(weight, u, v, total, n) -%}
sum({{ weight }} * {{ weight }} * ({{ u }}) * ({{ v }})) / power(max({{ total }}), 2) * max({{ n }}) * max({{ n }}) / nullif(max({{ n }}) - 1, 0)
{%- endmacro %}

{#- Test that the name of a measure, without its parameters and cutoff, is one of a list of names in lower case. -#}
{% macro named_in(measure, names) -%}
array_contains({{ names }}, regexp_extract(lower({{ measure }}), '^([a-z0-9_]+)', 1))
{%- endmacro %}

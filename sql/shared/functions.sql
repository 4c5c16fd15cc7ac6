{#- Building blocks of sql/distributions/. Pass names of columns or fields as arguments: an expression would be copied to each
    place where the argument is used. -#}

{#- Bind a value to a name in an expression. Nest the next step in `value` and not in `body`: DuckDB binds the bodies of nested
    lambdas several times. -#}
{% macro let(name, value, body) -%}
list_transform([{{ value }}], lambda {{ name }}: {{ body }})[1]
{%- endmacro %}

{#- Evaluate a polynomial, given its coefficients from the highest power down. -#}
{% macro polynomial(x, coefficients) -%}
{{ "(" * (coefficients | length - 1) }}{{ coefficients[0] }}{% for c in coefficients[1:] %} * {{ x }} + {{ c }}){% endfor %}
{%- endmacro %}

{#- Return ln(ratio) without loss of digits near 1, where u = ratio - 1 (Kahan's log1p). -#}
{% macro log_ratio(ratio, u) -%}
case when abs({{ u }}) > 0.5e0 then ln({{ ratio }}) when 1 + {{ u }} = 1 then {{ u }} else ln(1 + {{ u }}) * {{ u }} / ((1 + {{ u }}) - 1) end
{%- endmacro %}

{#- Return ln Gamma(z) minus Stirling's formula. From z = 10 on, a series keeps the digits that lgamma loses. -#}
{% macro stirling(z) -%}
case
    when {{ z }} >= 10 then {{ polynomial("(1 / (" ~ z ~ " * " ~ z ~ "))", ["6.41025641025641e-3", "-1.9175269175269176e-3", "8.417508417508417e-4", "-5.952380952380953e-4", "7.936507936507937e-4", "-2.777777777777778e-3", "8.333333333333333e-2"]) }} / {{ z }}
    else lgamma({{ z }}) - (({{ z }} - 0.5e0) * ln({{ z }}) - {{ z }} + 0.9189385332046727e0)
end
{%- endmacro %}

{#- Return the continued fraction of the incomplete beta function, evaluated from its end. -#}
{% macro beta_fraction(x, a, b, levels) -%}
list_reduce(
    list_transform(range({{ levels }}, 0, -1), lambda i: cast(i as double)),
    lambda f, m: 1 - ({{ a }} + m - 1) * ({{ a }} + {{ b }} + m - 1) * {{ x }} / (({{ a }} + 2 * m - 2) * ({{ a }} + 2 * m - 1))
        / (1 + m * ({{ b }} - m) * {{ x }} / (({{ a }} + 2 * m - 1) * ({{ a }} + 2 * m)) / f),
    1e0
)
{%- endmacro %}

{#- Return the regularised incomplete beta function I_x(a, b), where y = 1 - x. Both are passed, so that neither loses digits. -#}
{% macro beta_cdf(x, y, a, b) -%}
{%- set given = "struct_pack(x := " ~ x ~ ", y := " ~ y ~ ", a := " ~ a ~ ", b := " ~ b ~ ")" -%}
{%- set ordered = let("s", given, "case
    when s['x'] < (s['a'] + 1) / (s['a'] + s['b'] + 2)
    then struct_pack(x := s['x'], y := s['y'], a := s['a'], b := s['b'], start := 0e0)
    else struct_pack(x := s['y'], y := s['x'], a := s['b'], b := s['a'], start := 1e0)
end") -%}
{%- set prepared = let("s", ordered, "struct_pack(
    x := s['x'], y := s['y'], a := s['a'], b := s['b'], start := s['start'],
    u := (s['b'] * s['x'] - s['a'] * s['y']) / s['a'],
    v := (s['a'] * s['y'] - s['b'] * s['x']) / s['b'],
    remainders := list_transform([s['a'] + s['b'], s['a'], s['b']], lambda z: " ~ stirling("z") ~ ")
)") -%}
{%- set result = "abs(s['start'] - case when s['x'] > 0 then exp(
    s['a'] * " ~ log_ratio("(s['x'] * (s['a'] + s['b']) / s['a'])", "s['u']") ~ "
    + s['b'] * " ~ log_ratio("(s['y'] * (s['a'] + s['b']) / s['b'])", "s['v']") ~ "
    + s['remainders'][1] - s['remainders'][2] - s['remainders'][3]
) * sqrt(s['b'] / (6.283185307179586e0 * s['a'] * (s['a'] + s['b'])))
    / " ~ beta_fraction("s['x']", "s['a']", "s['b']", 200) ~ " else 0e0 end)" -%}
{{ let("s", prepared, result) }}
{%- endmacro %}

{#- Return the factor of the density of Student's t distribution that depends only on df. -#}
{% macro t_scale(df) -%}
0.3989422804014327e0 * exp(case
    when {{ df }} >= 40 then {{ polynomial("(4 / (" ~ df ~ " * " ~ df ~ "))", ["3.834117542613636e-3", "-1.681857638888889e-3", "1.1858258928571429e-3", "-1.5625e-3", "5.208333333333333e-3", "-0.125e0"]) }} * 2 / {{ df }}
    else lgamma({{ df }} / 2 + 0.5e0) - lgamma({{ df }} / 2) - ln({{ df }} / 2) / 2
end)
{%- endmacro %}

{#- Return a struct for Student's t distribution and t >= 0: `p` is P(|T| >= t), and `slope` is t times the density. -#}
{% macro t_tail(t, df, scale) -%}
{%- set square = t ~ " * " ~ t -%}
{%- set shares = let("s", "struct_pack(u := " ~ square ~ " / " ~ df ~ ", x := " ~ df ~ " / (" ~ df ~ " + " ~ square ~ "), y := " ~ square ~ " / (" ~ df ~ " + " ~ square ~ "))", "struct_pack(
    slope := " ~ t ~ " * " ~ scale ~ " * exp(-(" ~ df ~ " + 1) / 2 * " ~ log_ratio("(1 + s['u'])", "s['u']") ~ "),
    x := s['x'], y := s['y'], far := s['x'] < (" ~ df ~ " + 2) / (" ~ df ~ " + 5)
)") -%}
{%- set ordered = let("s", shares, "struct_pack(
    slope := s['slope'],
    start := case when s['far'] then 0e0 else 1e0 end,
    x := case when s['far'] then s['x'] else s['y'] end,
    a := case when s['far'] then " ~ df ~ " / 2 else 0.5e0 end,
    b := case when s['far'] then 0.5e0 else " ~ df ~ " / 2 end
)") -%}
{{ let("s", ordered, "struct_pack(slope := s['slope'], p := abs(s['start'] - s['slope'] / s['a'] / " ~ beta_fraction("s['x']", "s['a']", "s['b']", 64) ~ "))") }}
{%- endmacro %}

{#- Return the nodes s and weights of a quadrature over sqrt(chi-square / df). It is the trapezoid rule in x, where
    s = exp(x / sqrt(2 df)), so the error falls exponentially with the number of nodes. -#}
{% macro chi_nodes(df) -%}
{{ let("r", "sqrt(2 * " ~ df ~ ")", "list_transform(
    list_transform(range(cast(ceil(4 * (9 + greatest(9, 75 / r))) as bigint)), lambda i: (0.25e0 * i - greatest(9, 75 / r)) / r),
    lambda u: struct_pack(s := exp(u), weight := exp(" ~ df ~ " / 2 * (2 * u - exp(2 * u) + 1)))
)") }}
{%- endmacro %}

{#- Return the one-sided p of a t statistic, given its two-sided p. Return 1 without a statistic (mean and variance 0). -#}
{% macro one_sided(t, p, n) -%}
case when {{ n }} < 2 then null when {{ t }} is null then 1e0 when {{ t }} >= 0 then {{ p }} / 2 else 1 - {{ p }} / 2 end
{%- endmacro %}

{#- Return a t statistic. It is infinite if only the variance is 0, and NULL if the numerator is 0, too. -#}
{% macro standardised(numerator, variance, n) -%}
case
    when {{ n }} < 2 then null
    when {{ variance }} > 0 then {{ numerator }} * sqrt({{ n }}) / sqrt({{ variance }})
    when round({{ numerator }}, 12) = 0 then null
    when {{ numerator }} > 0 then cast('inf' as double)
    else cast('-inf' as double)
end
{%- endmacro %}

{#- Create the CTE __ltr_skewed: mean, standard error and acceleration of the differences of each pair. The acceleration is
    skewness / (6 sqrt(n)). -#}
{% macro skewness() -%}
__ltr_skewed as (
    select
        d.pair,
        max(m.difference) as mean,
        sqrt(sum(power(d.d - m.difference, 2))) / count(*) as error,
        sum(power(d.d - m.difference, 3)) / (6 * power(sum(power(d.d - m.difference, 2)), 1.5e0)) as acceleration
    from __ltr_differences as d
    join __ltr_moments as m
        on m.pair = d.pair and m.sd > 0
    group by d.pair
)
{%- endmacro %}

{#- Return the squared standard error of a weighted mean times the number of values (Cochran 1977: the linearised error of a ratio), or
    with deviations `u` and `v` of two columns their covariance. With equal weights it is the variance. -#}
{% macro scaled(weight, u, v, total, n) -%}
sum({{ weight }} * {{ weight }} * ({{ u }}) * ({{ v }})) / power(max({{ total }}), 2) * max({{ n }}) * max({{ n }}) / nullif(max({{ n }}) - 1, 0)
{%- endmacro %}

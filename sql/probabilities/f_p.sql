/*
summary = "P(F >= f) of the F distribution: the p of an analysis of variance. 1 for f <= 0, and 0 for infinite f. For other f, NULL unless df1 and df2 are above 0."
arguments = ["f", "df1", "df2"]
public = true
reference = "Snedecor 1934, Calculation and Interpretation of Analysis of Variance and Covariance"
*/
{%- set total = "(" ~ df2 ~ " + " ~ df1 ~ " * " ~ f ~ ")" -%}
case
    when {{ f }} <= 0 then 1e0
    when {{ f }} = cast('inf' as double) then 0e0
    when {{ f }} > 0 and {{ df1 }} > 0 and {{ df2 }} > 0 then {{ beta_cdf(df2 ~ " / " ~ total, df1 ~ " * " ~ f ~ " / " ~ total, df2 ~ " / 2", df1 ~ " / 2") }}
end

/*
summary = "P(|T| >= |t|) of Student's t distribution: the two-sided p of a t test. 0 for infinite t. For finite t, NULL unless df > 0."
arguments = ["t", "df"]
public = true
reference = "Student 1908, Biometrika 6"
*/
{%- set given = struct(t="abs(" ~ t ~ ")", df=df, scale=t_scale(df)) -%}
case
    when abs({{ t }}) = cast('inf' as double) then 0e0
    when {{ df }} > 0 then {{ let("g", given, t_tail("g['t']", "g['df']", "g['scale']"))}}['p']
end

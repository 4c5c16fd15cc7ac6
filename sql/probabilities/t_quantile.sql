/*
summary = "Two-sided quantile of Student's t distribution: the t with P(|T| >= t) = alpha. NULL unless 0 < alpha < 1 and df >= 1."
arguments = ["alpha", "df"]
public = true
reference = "Fisher & Cornish 1960, Technometrics 2; refined by Newton's method"
*/
case when {{ alpha }} > 0 and {{ alpha }} < 1 and {{ df }} >= 1 then {{ t_quantile_near("-" ~ normal_quantile(alpha ~ " / 2"), alpha, df) }} end
